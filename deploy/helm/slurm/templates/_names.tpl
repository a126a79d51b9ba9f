{{/* Names, labels and images, which every object has. */}}

{{/* The name of the Cluster and of Slurm itself. */}}
{{- define "slurm.cluster" -}}
{{- .Values.nameOverride | default "slurm" -}}
{{- end -}}

{{- define "slurm.namespace" -}}
{{- .Values.namespaceOverride | default .Release.Namespace -}}
{{- end -}}

{{/* Labels for selectors: dict "root" $ "name" slurmd. */}}
{{- define "slurm.selector" -}}
app.kubernetes.io/name: {{ .name }}
app.kubernetes.io/instance: {{ toYaml .root.Release.Name }}
{{- end -}}

{{/* Labels of a pod. They do not depend on the version of the chart, because a change would recreate the pods. "more": labels of the values for this pod only. */}}
{{- define "slurm.podLabels" -}}
{{ include "slurm.selector" . }}
app.kubernetes.io/component: {{ .component }}
app.kubernetes.io/part-of: slurm
{{- with merge dict (.more | default dict) (.root.Values.commonLabels | default dict) }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "slurm.labels" -}}
{{ include "slurm.podLabels" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end -}}

{{/*
metadata of an object: dict "root" $ "object" its name "name" "component". With "annotations", a map that may be empty, commonAnnotations are added;
an object that writes the key annotations itself does not pass it. The labels are last, so that more labels can follow.
*/}}
{{- define "slurm.metadata" -}}
name: {{ toYaml .object }}
namespace: {{ include "slurm.namespace" .root | toYaml }}
{{- if hasKey . "annotations" }}
{{- with merge dict .annotations (.root.Values.commonAnnotations | default dict) }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
labels:
  {{- include "slurm.labels" . | nindent 2 }}
{{- end -}}

{{/* A file of a ConfigMap with any content: dict "file" "content". */}}
{{- define "slurm.file" -}}
{{- $content := ternary "" (printf "%s\n" (trimSuffix "\n" .content)) (empty .content) -}}
{{- /* these characters also end a line in YAML, and toYaml does not escape them */ -}}
{{ if regexMatch "[\\x{85}\\x{2028}\\x{2029}]" $content }}{{ toJson .file }}: {{ toJson $content }}{{ else }}{{ dict .file $content | toYaml }}{{ end }}
{{- end -}}

{{/* dict "root" $ "image" {repository, tag} "else" {repository, tag}. */}}
{{- define "slurm.image" -}}
{{- $image := .image | default dict -}}
{{- $else := .else | default dict -}}
{{- $repository := $image.repository | default $else.repository -}}
{{- $tag := $image.tag | default $else.tag | default .root.Chart.AppVersion | toString -}}
{{- /* A published chart pins its images (tools/release). A pin is not used for an image of another name. */ -}}
{{- $pinned := index .root.Chart.Annotations "artifacthub.io/images" | default "" -}}
{{- if and (contains (printf ":%s\n" $tag) $pinned) (not (contains (printf " %s:%s\n" $repository $tag) $pinned)) -}}
{{- $tag = regexReplaceAll (printf "(-%s)?@.*" .root.Chart.Version) $tag "" -}}
{{- end -}}
{{- printf "%s%s%s" (include "slurm.inRegistry" (dict "root" .root "repository" $repository)) (ternary "@" ":" (hasPrefix "sha256:" $tag)) $tag -}}
{{- end -}}

{{/* The Secrets of the keys. */}}
{{- define "slurm.authSecret" -}}
{{- $given := .Values.slurm.auth.secretName | default .Values.slurm.auth.existingSecret | default "" -}}
{{- tpl $given . | default (printf "%s-auth-key" .Release.Name) -}}
{{- end -}}
{{- define "slurm.jwtSecret" -}}
{{- $given := .Values.jwt.hs256.secretName | default .Values.jwt.hs256.existingSecret | default "" -}}
{{- tpl $given . | default (printf "%s-jwt-key" .Release.Name) -}}
{{- end -}}
{{/* Not empty if there is an exporter. It needs slurmrestd. */}}
{{- define "slurm.hasExporter" -}}
{{- $exporter := index .Values "slurm-exporter" -}}
{{- if and $exporter.enabled $exporter.exporter.enabled .Values.restapi.enabled }}yes{{ end -}}
{{- end -}}
{{/* The object of the exporter, without root, as JSON. */}}
{{- define "slurm.exporterWhat" -}}
{{- dict "object" (printf "%s-exporter" .Release.Name) "name" "slurm-exporter" "component" "exporter" "annotations" dict | toJson -}}
{{- end -}}
{{/* The Secret with the token of the exporter; empty without an exporter. */}}
{{- define "slurm.exporterSecret" -}}
{{- if include "slurm.hasExporter" . }}{{ tpl ((index .Values "slurm-exporter").exporter.secretName | default "") . }}{{ end -}}
{{- end -}}
{{/* Secrets for which the operator creates tokens, as JSON: {"all": [{secretRef, user, ...}]}. */}}
{{- define "slurm.recipients" -}}
{{- $all := list -}}
{{- if eq .Values.jwt.tokens "operator" -}}
{{- with include "slurm.exporterSecret" . -}}
{{- $all = append $all (dict "secretRef" . "user" "exporter") -}}
{{- end -}}
{{- range .Values.jwt.writeTo -}}
{{- $all = append $all . -}}
{{- end -}}
{{- end -}}
{{- dict "all" $all | toJson -}}
{{- end -}}
{{/* The users of these tokens, separated by commas. */}}
{{- define "slurm.tokenUsers" -}}
{{- $users := list -}}
{{- range (include "slurm.recipients" . | fromJson).all -}}
{{- $users = append $users (.user | default "slurm") -}}
{{- end -}}
{{- $users | uniq | join "," -}}
{{- end -}}
{{- define "slurm.tokenSecret" -}}
{{- printf "%s-token-slurm" .Release.Name -}}
{{- end -}}

{{/* Charts of 0.1 and 0.2 name the Secret that they create. */}}
{{- define "slurm.mariadbSecretGiven" -}}
{{- $given := tpl (.Values.mariadb.auth.existingSecret | default "") . -}}
{{- if ne $given (printf "%s-mariadb-passwords" .Release.Name) }}{{ $given }}{{ end -}}
{{- end -}}
{{- define "slurm.mariadbSecret" -}}
{{- tpl (.Values.mariadb.auth.existingSecret | default "") . | default (printf "%s-mariadb" .Release.Name) -}}
{{- end -}}

{{/* The Secret with the password of slurmdbd's database. */}}
{{- define "slurm.databaseSecret" -}}
{{- if .Values.accounting.external.enabled -}}
{{- tpl (.Values.accounting.external.secretName | default "") . | default (printf "%s-accounting-database" .Release.Name) -}}
{{- else -}}
{{- include "slurm.mariadbSecret" . -}}
{{- end -}}
{{- end -}}

{{/* All Secrets of this release that must not get a token, as JSON. */}}
{{- define "slurm.ownSecrets" -}}
{{- $r := .Release.Name -}}
{{- $all := list (include "slurm.jwtSecret" .) (include "slurm.authSecret" .) (include "slurm.mariadbSecret" .) -}}
{{- $all = append $all (include "slurm.databaseSecret" .) -}}
{{- range list "login-config" "login-ssh-host-keys" -}}
{{- $all = append $all (printf "%s-%s" $r .) -}}
{{- end -}}
{{- toJson $all -}}
{{- end -}}

{{/* URL of slurmrestd. */}}
{{- define "slurm.restapi" -}}
http://{{ .Release.Name }}-restapi.{{ include "slurm.namespace" . }}.svc:{{ .Values.restapi.servicePort | int }}
{{- end -}}
{{/* URL of slurmrestd for the manager. */}}
{{- define "slurm.server" -}}
{{- if and .Values.debug.enabled .Values.debug.localOperator }}http://localhost:6820{{ else }}{{ include "slurm.restapi" . }}{{ end -}}
{{- end -}}

{{/* Not empty if cgroups limit the jobs. */}}
{{- define "slurm.cgroups" -}}
{{- if and (eq .Values.slurm.cgroups "enabled") (not (and .Values.debug.enabled .Values.debug.disableCgroups)) }}yes{{ end -}}
{{- end -}}
