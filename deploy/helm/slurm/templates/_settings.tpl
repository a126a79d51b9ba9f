{{/*
Settings of Slurm that the values may change and on which other parts of the chart depend. Services, probes and arguments have the ports of the values.
Words that this Slurm needs are added to a list of the values. Other settings are refused if they differ.
*/}}

{{/* The value with settings of slurm.conf, as JSON: "extra" a map or a text, and "name" of the value. */}}
{{- define "slurm.extraConf" -}}
{{- $extra := .Values.controller.extraConf | default .Values.slurm.extraSlurmConf | default dict -}}
{{- dict "extra" $extra "name" (ternary "controller.extraConf" "slurm.extraSlurmConf" (not (empty .Values.controller.extraConf))) | toJson -}}
{{- end -}}
{{- define "slurmdbd.extraConf" -}}
{{- $extra := .Values.accounting.extraConf | default .Values.slurm.extraSlurmdbdConf | default dict -}}
{{- /* the published values of 0.2.0 have this line, and slurmdbd ends if it is no directory; without Archive... it archives nothing */ -}}
{{- if kindIs "string" $extra }}{{ $extra = regexReplaceAll "(?m)^[ \t]*ArchiveDir[ \t]*=[ \t]*/dev/null[ \t]*$" $extra "" -}}
{{- else if eq (toString (get $extra "ArchiveDir")) "/dev/null" }}{{ $extra = omit $extra "ArchiveDir" }}{{ end -}}
{{- dict "extra" $extra "name" (ternary "accounting.extraConf" "slurm.extraSlurmdbdConf" (not (empty .Values.accounting.extraConf))) | toJson -}}
{{- end -}}

{{/* The setting in these values, empty if absent: dict "extra" "name" "key". */}}
{{- define "slurm.setting" -}}
{{- $key := lower .key -}}
{{- $name := .name -}}
{{- $found := "" -}}
{{- if kindIs "map" .extra -}}
{{- range $one, $value := .extra }}{{ if and $value (eq (lower $one) $key) -}}
{{- $found = include "slurm.text" (dict "value" $value "name" (printf "%s.%s" $name $one)) -}}
{{- end }}{{ end -}}
{{- else -}}
{{- range splitList "\n" .extra -}}
{{- range regexFindAll (printf "(?i)(^|\\s)%s\\s*[-+]?=\\s*(\"[^\"]*\"|\\S+)" $key) (regexReplaceAll "(^|\\s)#.*" . "") -1 -}}
{{- $found = regexReplaceAll "^[^=]*=\\s*" . "" | trimAll "\"" -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $found -}}
{{- end -}}

{{/* The port of a setting of slurm.conf: dict "root" "key" "else". */}}
{{- define "slurm.port" -}}
{{- $conf := include "slurm.extraConf" .root | fromJson -}}
{{- $port := include "slurm.setting" (dict "extra" $conf.extra "name" $conf.name "key" .key) | default .else -}}
{{- if or (not (regexMatch "^[0-9]{1,5}$" $port)) (lt (int $port) 1) (gt (int $port) 65535) -}}
{{- fail (printf "%s.%s: %q must be one port, a number from 1 to 65535" $conf.name .key $port) -}}
{{- end -}}
{{- int $port -}}
{{- end -}}
{{- define "slurm.slurmctldPort" -}}
{{- include "slurm.port" (dict "root" . "key" "SlurmctldPort" "else" "6817") -}}
{{- end -}}
{{- define "slurm.slurmdPort" -}}
{{- include "slurm.port" (dict "root" . "key" "SlurmdPort" "else" "6818") -}}
{{- end -}}
{{- define "slurm.sshdPort" -}}
{{- $port := "22" -}}
{{- range $key, $value := .Values.login.sshdConfig }}{{ if and (eq (lower $key) "port") $value }}{{ $port = include "slurm.scalar" $value }}{{ end }}{{ end -}}
{{- if or (not (regexMatch "^[0-9]{1,5}$" $port)) (lt (int $port) 1) (gt (int $port) 65535) -}}
{{- fail (printf "login.sshdConfig.Port: %q must be one port, a number from 1 to 65535" $port) -}}
{{- end -}}
{{- int $port -}}
{{- end -}}
{{/* A port in the format of /proc/net/tcp. */}}
{{- define "slurm.hexPort" -}}
{{- printf "%04X" (int .) -}}
{{- end -}}

{{/* Words that a list of the values must not lose, as JSON: setting to words. */}}
{{- define "slurm.kept-words" -}}
{{- $nodes := include "slurm.maxNodes" . | int -}}
{{- $parameters := list "enable_configless" -}}
{{- if gt $nodes 1024 }}{{ $parameters = append $parameters (printf "conmgr_max_connections=%d" (mul $nodes 2)) }}{{ end -}}
{{- dict "slurmctldparameters" $parameters "authinfo" (list "use_client_ids") "authaltparameters" (list "jwt_key=/etc/slurm/jwt_hs256.key") | toJson -}}
{{- end -}}

{{/* A list with its missing words in front: dict "text" "words". The word of a setting is the text before its =. */}}
{{- define "slurm.with-words" -}}
{{- $there := list -}}
{{- range splitList "," .text }}{{ $there = append $there (regexReplaceAll "=.*" . "" | trim | lower) }}{{ end -}}
{{- $all := list -}}
{{- range .words }}{{ if not (has (regexReplaceAll "=.*" . "") $there) }}{{ $all = append $all . }}{{ end }}{{ end -}}
{{- append $all .text | join "," -}}
{{- end -}}

{{/* The settings of the values with these words, as JSON {"extra": a map or a text}: dict "extra" "name" "words". */}}
{{- define "slurm.extra" -}}
{{- $words := .words -}}
{{- $name := .name -}}
{{- $extra := .extra -}}
{{- if kindIs "map" $extra -}}
{{- range $key, $value := .extra }}{{ if and $value (hasKey $words (lower $key)) -}}
{{- $text := include "slurm.text" (dict "value" $value "name" (printf "%s.%s" $name $key)) -}}
{{- $_ := set $extra $key (include "slurm.with-words" (dict "text" $text "words" (get $words (lower $key)))) -}}
{{- end }}{{ end -}}
{{- else -}}
{{- $lines := list -}}
{{- range $line := splitList "\n" $extra -}}
{{- range $key, $list := $words -}}
{{- if regexMatch (printf "(?i)^\\s*%s\\s*=" $key) $line -}}
{{- $text := regexReplaceAll "^[^=]*=\\s*" (regexReplaceAll "\\s+(#.*)?$" $line "") "" -}}
{{- $line = printf "%s=%s" (regexReplaceAll "\\s*=.*$" $line "") (include "slurm.with-words" (dict "text" (trimAll "\"" $text) "words" $list)) -}}
{{- end -}}
{{- end -}}
{{- $lines = append $lines $line -}}
{{- end -}}
{{- $extra = join "\n" $lines -}}
{{- end -}}
{{- dict "extra" $extra | toJson -}}
{{- end -}}

{{/* Settings that cannot differ, because the images, the volumes and the keys of this chart need one value. */}}
{{- define "slurm.checkSettings" -}}
{{- $conf := include "slurm.extraConf" . | fromJson -}}
{{- $cluster := include "slurm.cluster" . -}}
{{- $rows := list
  (list "ClusterName" $cluster "nameOverride is the value for it")
  (list "SlurmUser" "slurm" "slurmctld runs as that user, and its files belong to that user")
  (list "SlurmdUser" "root" "slurmd runs as root")
  (list "StateSaveLocation" "/var/spool/slurmctld" "the volume of slurmctld is there")
  (list "SlurmdSpoolDir" "/var/spool/slurmd" "the volume of slurmd is there")
  (list "AuthType" "auth/slurm" "the daemons have no other key")
  (list "CredType" "cred/slurm" "the daemons have no other key")
  (list "AuthAltTypes" "auth/jwt" "slurmrestd and the operator come with such tokens") -}}
{{- if and .Values.accounting.enabled (not (include "slurm.setting" (dict "extra" $conf.extra "name" $conf.name "key" "AccountingStorageHost"))) -}}
{{- $rows = append $rows (list "AccountingStoragePort" "6819" "slurmdbd of this chart listens there") -}}
{{- end -}}
{{- include "slurm.checkRows" (merge (dict "rows" $rows) $conf) -}}
{{- $dbd := list
  (list "DbdPort" "6819" "slurmctld and the Service of slurmdbd have that port")
  (list "SlurmUser" "slurm" "slurmdbd runs as that user, and its files belong to that user")
  (list "AuthType" "auth/slurm" "the daemons have no other key")
  (list "AuthAltTypes" "auth/jwt" "slurmrestd comes with such tokens") -}}
{{- if .Values.accounting.enabled }}{{ include "slurm.checkRows" (merge (dict "rows" $dbd) (include "slurmdbd.extraConf" . | fromJson)) }}{{ end -}}
{{- $_ := list (include "slurm.slurmctldPort" .) (include "slurm.slurmdPort" .) (include "slurm.sshdPort" .) -}}
{{- range $key, $value := .Values.login.sshdConfig -}}
{{- if and (eq (lower $key) "listenaddress") (regexMatch "^[^:]*:[0-9]+$|\\]:[0-9]+$" ($value | toString)) -}}
{{- fail (printf "login.sshdConfig.%s: %q must be without a port: probes and Service follow login.sshdConfig.Port" $key $value) -}}
{{- end -}}
{{- end -}}
{{- range include "slurm.nodesets" . | fromJsonArray -}}
{{- $at := .at -}}
{{- range $key, $_ := .nodeConfig -}}
{{- if eq (lower $key) "port" -}}
{{- fail (printf "%s.nodeConfig.%s: all node sets have one port: set slurm.extraSlurmConf.SlurmdPort" $at $key) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "slurm.checkRows" -}}
{{- range .rows -}}
{{- $given := include "slurm.setting" (dict "extra" $.extra "name" $.name "key" (first .)) -}}
{{- if and $given (ne $given (index . 1)) -}}
{{- fail (printf "%s: %s=%s: it must be %s here: %s" $.name (first .) $given (index . 1) (last .)) -}}
{{- end -}}
{{- end -}}
{{- $parameters := include "slurm.setting" (dict "extra" .extra "name" .name "key" "AuthAltParameters") -}}
{{- if regexMatch "jwt_key=" (regexReplaceAll "jwt_key=/etc/slurm/jwt_hs256\\.key(,|$)" $parameters "") -}}
{{- fail (printf "%s: AuthAltParameters=%s: jwt_key must be /etc/slurm/jwt_hs256.key here: jwt.hs256.secretName is the value for a key of yours" .name $parameters) -}}
{{- end -}}
{{- end -}}
