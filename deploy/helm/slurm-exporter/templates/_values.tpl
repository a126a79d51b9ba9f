{{- /* Made by tools/charts from that of chart slurm. Do not edit. */}}
{{/*
Normalizes the values for the templates. Changes .Values in place: absent values get their defaults, texts become numbers and booleans if the schema
says so, and an empty map becomes an empty list for a list. templates/check/values.yaml calls this, because Helm renders the files
of the deepest directory first. Prints the paths of accepted but ignored values, one a line.
*/}}
{{- define "slurm-exporter.values" -}}
{{- include "slurm-exporter.walk" (dict "map" .Values "node" (dict "keys" (include "slurm-exporter.keys" . | fromJson)) "at" "" "whole" "") -}}
{{- end -}}

{{/*
One map of known keys: dict "map" "node" its entry in _known.tpl "at" its path, with a dot at the end, "whole" not empty if the whole map is absent.
If a key may be null, null has a meaning. Helm removes such a key, so an absent one gets no default here.
*/}}
{{- define "slurm-exporter.walk" -}}
{{- $map := .map -}}
{{- $at := .at -}}
{{- $whole := .whole -}}
{{- range $key, $node := .node.keys -}}
{{- $path := printf "%s%s" $at $key -}}
{{- $missing := $whole -}}
{{- $value := get $map $key -}}
{{- if or (not (hasKey $map $key)) (kindIs "invalid" $value) (and (has $key (list "repository" "tag")) (eq (toString $value) "")) -}}
{{- if and (hasKey $node "default") (or $whole (not $node.null)) }}{{ $_ := set $map $key (index (list $node.default | toJson | fromJsonArray) 0) }}{{ end -}}
{{- if and $node.keys (or $whole (not $node.null)) }}{{ $missing = "yes" }}{{ $_ := set $map $key dict }}{{ end -}}
{{- else if kindIs "string" $value -}}
{{- if eq ($node.kind | default "") "boolean" }}{{ $_ := set $map $key (eq $value "true") }}{{ end -}}
{{- if eq ($node.kind | default "") "integer" -}}
{{- $number := int64 $value -}}
{{- if or (and (hasKey $node "minimum") (lt $number (int64 $node.minimum))) (and (hasKey $node "maximum") (gt $number (int64 $node.maximum))) -}}
{{- fail (printf "%s: %s must be a number from %d to %d" $path $value (int64 ($node.minimum | default 0)) (int64 ($node.maximum | default 2147483647))) -}}
{{- end -}}
{{- $_ := set $map $key $number -}}
{{- end -}}
{{- else if and (eq ($node.kind | default "") "array") (kindIs "map" $value) -}}
{{- $_ := set $map $key list -}}
{{- end -}}
{{- $value = get $map $key -}}
{{- if and $node.keys (kindIs "map" $value) -}}
{{- include "slurm-exporter.walk" (dict "map" $value "node" $node "at" (printf "%s." $path) "whole" $missing) -}}
{{- else if and $node.items (kindIs "slice" $value) -}}
{{- range $i, $item := $value }}{{ if kindIs "map" $item -}}
{{- include "slurm-exporter.walk" (dict "map" $item "node" $node.items "at" (printf "%s[%d]." $path $i) "whole" "") -}}
{{- end }}{{ end -}}
{{- end -}}
{{- end -}}
{{- range $key, $value := $map }}{{ if not (hasKey $.node.keys $key) -}}
{{- include "slurm-exporter.unknown" (dict "key" $key "value" $value "node" $.node "at" $at) -}}
{{- end }}{{ end -}}
{{- end -}}

{{/* A key that this chart does not have. */}}
{{- define "slurm-exporter.unknown" -}}
{{- $path := printf "%s%s" .at .key -}}
{{- $near := include "slurm-exporter.nearest" (dict "key" .key "keys" (keys .node.keys)) -}}
{{- $anchor := and (eq .at "") (or (kindIs "map" .value) (kindIs "slice" .value) (hasPrefix "x-" .key)) -}}
{{- if hasPrefix "global." .at -}}
{{- /* a value for all charts of a release, which this chart does not use */ -}}
{{- else if and $near (not (hasPrefix "x-" .key)) -}}
{{- fail (printf "%s: this chart has no such value: did you mean %s%s?" $path .at $near) -}}
{{- else if eq (.node.others | default "") "used" -}}
{{- else if or .node.others $anchor -}}
{{- if not (or (hasPrefix "x-" .key) (kindIs "invalid" .value) (empty .value)) }}{{ printf "%s\n" $path }}{{ end -}}
{{- else if eq .at "" -}}
{{- fail (printf "%s: this chart has no such value: the name of an anchor of yours must begin with x-" $path) -}}
{{- else -}}
{{- with include "slurm-exporter.beneath" (dict "key" .key "node" .node "at" .at) | splitList "\n" | first -}}
{{- fail (printf "%s: this chart has no such value: did you mean %s?" $path .) -}}
{{- end -}}
{{- fail (printf "%s: this chart has no such value: %s has %s" $path (trimSuffix "." .at) (keys .node.keys | sortAlpha | join ", ")) -}}
{{- end -}}
{{- end -}}

{{/* Paths of a key that the values have at a higher level, one a line: dict "key" "node" "at". */}}
{{- define "slurm-exporter.beneath" -}}
{{- range $name, $node := .node.keys }}{{ if $node.keys -}}
{{- if hasKey $node.keys $.key }}{{ printf "%s%s.%s\n" $.at $name $.key }}{{ end -}}
{{- include "slurm-exporter.beneath" (dict "key" $.key "node" $node "at" (printf "%s%s." $.at $name)) -}}
{{- end }}{{ end -}}
{{- end -}}

{{/* The key of dict "keys" that "key" may be a misspelling of; empty if none. */}}
{{- define "slurm-exporter.nearest" -}}
{{- $key := .key -}}
{{- $most := ternary 1 2 (lt (len $key) 6) -}}
{{- $found := "" -}}
{{- $least := add $most 1 -}}
{{- range sortAlpha .keys -}}
{{- if le (sub (max (len .) (len $key)) (min (len .) (len $key))) $most -}}
{{- $distance := include "slurm-exporter.distance" (dict "a" (lower $key) "b" (lower .)) | int64 -}}
{{- if lt $distance $least }}{{ $found = . }}{{ $least = $distance }}{{ end -}}
{{- end -}}
{{- end -}}
{{- $found -}}
{{- end -}}

{{/* Edit distance (wrong, missing, additional and swapped letters): dict "a" "b", both ASCII. */}}
{{- define "slurm-exporter.distance" -}}
{{- $a := .a -}}
{{- $b := .b -}}
{{- $older := list -}}
{{- $last := untilStep 0 (int (add1 (len $b))) 1 -}}
{{- range $i := until (len $a) -}}
{{- $row := list (add1 $i) -}}
{{- range $j := until (len $b) -}}
{{- $cost := ternary 0 1 (eq (index $a $i) (index $b $j)) -}}
{{- $least := min (add1 (index $last (add1 $j | int))) (add1 (index $row $j)) (add (index $last $j) $cost) -}}
{{- if and $older (gt $j 0) -}}
{{- $before := sub $j 1 | int -}}
{{- if and (eq (index $a $i) (index $b $before)) (eq (index $a (sub $i 1 | int)) (index $b $j)) -}}
{{- $least = min $least (add1 (index $older $before)) -}}
{{- end -}}
{{- end -}}
{{- $row = append $row $least -}}
{{- end -}}
{{- $older = $last -}}
{{- $last = $row -}}
{{- end -}}
{{- last $last -}}
{{- end -}}
