{{/* Keys and passwords, which the program "slurm-operator keys" creates in the cluster, because a template would generate new ones at each rendering. */}}

{{/* Annotations of a Secret that the Job creates: helm and Argo CD keep it, even if it is no longer in a chart. */}}
{{- define "slurm.keyAnnotations" -}}
{{- dict "helm.sh/resource-policy" "keep" "argocd.argoproj.io/sync-options" "Prune=false" "argocd.argoproj.io/compare-options" "IgnoreExtraneous" | toJson -}}
{{- end -}}

{{/* dict "root" $ "object" "name" "component" "keys" "annotations": one Secret, as JSON. */}}
{{- define "slurm.keySecret" -}}
{{- $annotations := merge (.annotations | default dict) (include "slurm.keyAnnotations" . | fromJson) -}}
{{- dict "name" .object "labels" (include "slurm.podLabels" . | fromYaml) "annotations" $annotations "keys" .keys | toJson -}}
{{- end -}}

{{/* The Secrets to create, as JSON: {"all": [...]}. Those that slurmctld waits for are first. */}}
{{- define "slurm.keySecrets" -}}
{{- $all := list -}}
{{- if not (or .Values.slurm.auth.secretName .Values.slurm.auth.existingSecret) -}}
{{- $all = append $all (include "slurm.keySecret" (dict "root" . "object" (include "slurm.authSecret" .) "name" "slurmctld" "component" "auth"
  "keys" (dict "slurm.key" "text:1024")) | fromJson) -}}
{{- end -}}
{{- if not (or .Values.jwt.hs256.secretName .Values.jwt.hs256.existingSecret) -}}
{{- /* server: servers that may get tokens of this key; token-users: users whose tokens other programs may get, null: none */ -}}
{{- $who := dict "slinky.slurm.net/server" (include "slurm.server" .) "slinky.slurm.net/token-users" (include "slurm.tokenUsers" . | default nil) -}}
{{- $all = append $all (include "slurm.keySecret" (dict "root" . "object" (include "slurm.jwtSecret" .) "name" "slurmctld" "component" "auth"
  "keys" (dict "jwt_hs256.key" "text:64") "annotations" $who) | fromJson) -}}
{{- end -}}
{{- if and .Values.accounting.enabled .Values.mariadb.enabled (not (include "slurm.mariadbSecretGiven" .)) -}}
{{- $all = append $all (include "slurm.keySecret" (dict "root" . "object" (include "slurm.mariadbSecret" .) "name" "mariadb" "component" "database"
  "keys" (dict "mariadb-password" "text:32" "mariadb-root-password" "text:32")) | fromJson) -}}
{{- end -}}
{{- if .Values.login.enabled -}}
{{- $all = append $all (include "slurm.keySecret" (dict "root" . "object" (printf "%s-login-ssh-host-keys" .Release.Name) "name" "login" "component" "login"
  "keys" (dict "ssh_host_ecdsa_key" "ecdsa" "ssh_host_ed25519_key" "ed25519" "ssh_host_rsa_key" "rsa")) | fromJson) -}}
{{- end -}}
{{- dict "all" $all | toJson -}}
{{- end -}}
