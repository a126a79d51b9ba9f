{{/* Home directories that login, workers and slurmctld share. */}}

{{- define "slurm.homesPath" -}}
{{- if .Values.homes.enabled }}{{ .Values.homes.path | default "/home" }}{{ else }}/home{{ end -}}
{{- end -}}

{{- define "slurm.homesClaim" -}}
{{- tpl (.Values.homes.existingClaim | default "") . | default (printf "%s-homes" .Release.Name) -}}
{{- end -}}

{{- define "slurm.homesMount" -}}
{{- if .Values.homes.enabled -}}
- name: homes
  mountPath: {{ include "slurm.homesPath" . | toYaml }}
{{- end }}
{{- end -}}

{{/*
dict "root" $ "readOnly" true for slurmctld: its pod has an fsGroup, and the kubelet changes the group of a writable volume and of all its files to it. sshd
does not accept the keys in a home that its group may write.
*/}}
{{- define "slurm.homesVolume" -}}
{{- $homes := .root.Values.homes -}}
{{- if $homes.enabled -}}
- name: homes
  {{- if ($homes.nfs | default dict).server }}
  nfs:
    server: {{ toYaml $homes.nfs.server }}
    path: {{ toYaml $homes.nfs.path }}
  {{- else }}
  persistentVolumeClaim:
    claimName: {{ include "slurm.homesClaim" .root | toYaml }}
  {{- end }}
    {{- if .readOnly }}
    readOnly: true
    {{- end }}
{{- end }}
{{- end -}}

{{/* Not empty if the /home of the login pod is not shared. */}}
{{- define "slurm.ownHomes" -}}
{{- $own := and .Values.login.enabled (not .Values.homes.enabled) -}}
{{- range .Values.login.extraVolumeMounts }}{{ if regexMatch "^/home(/|$)" (.mountPath | default "") }}{{ $own = false }}{{ end }}{{ end -}}
{{- if $own }}yes{{ end -}}
{{- end -}}

{{/* The message that users read when they sign in. */}}
{{- define "slurm.homesNotice" -}}
case $- in
  *i*)
    cat >&2 <<'NOTICE'
/home is not shared with the compute nodes. A job that is submitted from there cannot
write its output there and fails (ExitCode 0:53). Use: sbatch -D /tmp -o /tmp/%j.out
NOTICE
    ;;
esac
{{- end -}}

{{- define "slurm.checkHomes" -}}
{{- $homes := .Values.homes -}}
{{- $nfs := $homes.nfs | default dict -}}
{{- if and (not $homes.enabled) (or $homes.existingClaim $nfs.server) -}}
{{- fail "homes.enabled: it is false, and homes names a volume: set homes.enabled to true" -}}
{{- end -}}
{{- if and $homes.existingClaim $nfs.server }}{{ fail "homes.existingClaim: homes.nfs.server is set as well: choose one of them" }}{{ end -}}
{{- if and $nfs.server (not (hasPrefix "/" ($nfs.path | default ""))) }}{{ fail "homes.nfs.path: the exported directory, which begins with /" }}{{ end -}}
{{- end -}}
