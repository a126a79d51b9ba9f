{{/*
my.cnf. The charts of 0.2 and 0.3 passed this text to bitnami's chart, which renders it as a template. It is rendered here in the same way, with the
section mariadb as .Values and the default port of bitnami's chart.
*/}}
{{- define "slurm.mariadbConf" -}}
{{- $text := .Values.mariadb.primary.configuration -}}
{{- if contains "{{" $text -}}
{{- $text = regexReplaceAll "include\\s+\"mariadb\\.tls[A-Za-z]+\"\\s+[.$]" $text "\"\"" -}}
{{- with regexFind "(include|template)\\s+\"[^\"]*\"" $text -}}
{{- fail (printf "mariadb.primary.configuration: %s: this chart has no such template: write what it would give" .) -}}
{{- end -}}
{{- $values := merge (deepCopy .Values.mariadb) (dict "primary" (dict "containerPorts" (dict "mysql" 3306)) "tls" (dict "enabled" false) "tde" (dict "enabled" false)) -}}
{{- /* the values below tls and tde are in a branch that is never rendered, because both are refused */ -}}
{{- range regexFindAll "\\.Values\\.[A-Za-z0-9_.]+" $text -1 -}}
{{- $at := $values -}}
{{- range $step := rest (splitList "." (trimPrefix "." .)) -}}
{{- $at = ternary (get (ternary $at dict (kindIs "map" $at)) $step) "" (kindIs "map" $at) -}}
{{- end -}}
{{- if and (eq (toString $at) "") (not (regexMatch "^\\.Values\\.(tls|tde)(\\.|$)" .)) -}}
{{- fail (printf "mariadb.primary.configuration: %s: there is no such value in the section mariadb: write what it would give" .) -}}
{{- end -}}
{{- end -}}
{{- $text = tpl $text (dict "Values" $values "Release" .Release "Chart" .Chart "Capabilities" .Capabilities "Template" .Template "Files" .Files) -}}
{{- end -}}
{{- $text -}}
{{- end -}}

{{/* Refuses features of bitnami's chart that this chart lacks and that would be harmful to ignore. */}}
{{- define "slurm.checkMariadb" -}}
{{- if .Values.mariadb.enabled -}}
{{- if not (has (.Values.mariadb.architecture | default "standalone") (list "standalone")) -}}
{{- fail (printf "mariadb.architecture: %v: this chart has one database and no replica: use accounting.external with a database of yours" .Values.mariadb.architecture) -}}
{{- end -}}
{{- if not (include "slurm.mariadbSecretGiven" .) -}}
{{- range $key := list "password" "rootPassword" "replicationPassword" -}}
{{- if get $.Values.mariadb.auth $key -}}
{{- fail (printf "mariadb.auth.%s: this chart reads no password from the values: put mariadb-password and mariadb-root-password into a Secret, and name the Secret in mariadb.auth.existingSecret" $key) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
