{{/* Parts of objects that come from values: annotations, labels, volumes, environment, resources. */}}

{{/* metadata of a Service whose annotations and labels come from values: dict "what" "service" the section service. */}}
{{- define "slurm.serviceMetadata" -}}
{{- $service := .service | default dict -}}
{{- include "slurm.metadata" (merge (dict "annotations" ($service.annotations | default dict) "more" ($service.labels | default dict)) .what) -}}
{{- end -}}

{{/* Fields of a Service's spec from the section service, without those that the chart itself writes. */}}
{{- define "slurm.serviceSpec" -}}
{{- with omit (. | default dict) "ports" "selector" "annotations" "labels" }}{{ toYaml . }}{{ end -}}
{{- end -}}

{{/* podAnnotations of a section of the values, without those that the chart itself writes. */}}
{{- define "slurm.podAnnotations" -}}
{{- with omit (.podAnnotations | default dict) "kubectl.kubernetes.io/default-container" "slinky.slurm.net/configuration" }}{{ toYaml . }}{{ end -}}
{{- end -}}

{{/* Labels from values, without the keys that the chart's selectors use. */}}
{{- define "slurm.checkMetadata" -}}
{{- $v := .Values -}}
{{- $given := dict "commonLabels" $v.commonLabels -}}
{{- range $key := list "controller" "restapi" "login" }}{{ $_ := set $given (printf "%s.service.labels" $key) ((get $v $key).service | default dict).labels }}{{ end -}}
{{- range $key := list "controller" "accounting" "restapi" "login" }}{{ $_ := set $given (printf "%s.podLabels" $key) (get $v $key).podLabels }}{{ end -}}
{{- $_ := set $given "mariadb.primary.podLabels" $v.mariadb.primary.podLabels -}}
{{- range include "slurm.nodesets" . | fromJsonArray }}{{ $_ := set $given (printf "%s.podLabels" .at) .podLabels }}{{ end -}}
{{- range $name, $labels := $given }}{{ range $key, $_ := $labels | default dict -}}
{{- if regexMatch "^(app\\.kubernetes\\.io/(name|instance|component|part-of|version|managed-by)|helm\\.sh/chart|nodeset\\.slinky\\.slurm\\.net/.*)$" $key -}}
{{- fail (printf "%s: the chart itself writes the label %s, by which objects are selected: choose another name" $name $key) -}}
{{- end -}}
{{- end }}{{ end -}}
{{- end -}}

{{/* Secrets for pulling images: those of global and those of the chart, as a JSON list of {name}. */}}
{{- define "slurm.pullSecrets" -}}
{{- $all := list -}}
{{- range concat ((.Values.global | default dict).imagePullSecrets | default list) (.Values.imagePullSecrets | default list) -}}
{{- $all = append $all (ternary (dict "name" .) . (kindIs "string" .)) -}}
{{- end -}}
{{- uniq $all | toJson -}}
{{- end -}}

{{/* The name of an image, with its registry replaced by global.imageRegistry: dict "root" $ "repository". */}}
{{- define "slurm.inRegistry" -}}
{{- $registry := (.root.Values.global | default dict).imageRegistry -}}
{{- if $registry -}}
{{- printf "%s/%s" (trimSuffix "/" $registry) (regexReplaceAll "^(localhost|[^/]*[.:][^/]*)/" .repository "") -}}
{{- else }}{{ .repository }}{{ end -}}
{{- end -}}

{{/*
resources of a container: dict "resources" of the values "requests" of the chart. The chart requests only resources that the values neither request nor limit.
No pod is therefore BestEffort, and a limit of the values is never below a request of the chart.
*/}}
{{- define "slurm.resources" -}}
{{- $resources := deepCopy (.resources | default dict) -}}
{{- $requests := $resources.requests | default dict -}}
{{- range $name, $amount := .requests -}}
{{- if not (or (hasKey $requests $name) (hasKey ($resources.limits | default dict) $name)) }}{{ $_ := set $requests $name $amount }}{{ end -}}
{{- end -}}
{{- with $requests }}{{ $_ := set $resources "requests" . }}{{ end -}}
resources:
  {{- toYaml $resources | nindent 2 }}
{{- end -}}
