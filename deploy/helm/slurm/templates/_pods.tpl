{{/* Parts of pods. */}}

{{/* Scheduling of a pod, and its pull Secrets: dict "root" $ "of" the section of the values. */}}
{{- define "slurm.placement" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with include "slurm.pullSecrets" .root | fromJsonArray }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .of.priorityClassName | default .root.Values.priorityClassName }}
priorityClassName: {{ toYaml . }}
{{- end }}
{{- with .of.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .of.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .of.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- if not (kindIs "invalid" .of.terminationGracePeriodSeconds) }}
terminationGracePeriodSeconds: {{ int64 .of.terminationGracePeriodSeconds }}
{{- end }}
{{- end -}}

{{/* These make R-controller-0 and debug-0 DNS names. */}}
{{- define "slurm.dns" -}}
dnsConfig:
  searches:
    {{- range list "controller" "compute" }}
    - {{ $.Release.Name }}-{{ . }}.{{ include "slurm.namespace" $ }}.svc.{{ $.Values.clusterDomain }}
    {{- end }}
{{- end -}}

{{/* Spreads pods over several machines if there are several: dict "root" $ "name". */}}
{{- define "slurm.spread" -}}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "slurm.selector" . | nindent 8 }}
{{- end -}}

{{/* Lets one pod at a time be evicted: dict "replicas" and the arguments of slurm.metadata. A single pod cannot be protected in this way. */}}
{{- define "slurm.budget" -}}
{{- if gt (int .replicas) 1 }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  {{- include "slurm.metadata" . | nindent 2 }}
spec:
  maxUnavailable: 1
  selector:
    matchLabels:
      {{- include "slurm.selector" . | nindent 6 }}
{{- end }}
{{- end -}}

{{/* Security contexts of a pod and a container that need no privilege. */}}
{{- define "slurm.podSecurity" -}}
securityContext:
  runAsNonRoot: true
  runAsUser: {{ . }}
  runAsGroup: {{ . }}
  fsGroup: {{ . }}
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
{{- end -}}
{{- define "slurm.restricted" -}}
securityContext:
  allowPrivilegeEscalation: false
  capabilities:
    drop: [ALL]
{{- end -}}

{{/* Image, pull policy and resources: dict "root" $ "of" section "else" section "cpu" "memory" the minimum requests. */}}
{{- define "slurm.container" -}}
{{- $else := .else | default dict -}}
image: {{ include "slurm.image" (dict "root" .root "image" .of.image "else" $else.image) | toYaml }}
imagePullPolicy: {{ .of.imagePullPolicy | default $else.imagePullPolicy | default .root.Values.imagePullPolicy | default "IfNotPresent" }}
{{ include "slurm.resources" (dict "resources" (.of.resources | default $else.resources) "requests" (dict "cpu" (.cpu | default "10m") "memory" (.memory | default "32Mi"))) }}
{{- end -}}

{{/* An init container, a sidecar or a Job that runs a script of files/: dict "root" $ "script" "of" (authcred) "before" other scripts. */}}
{{- define "slurm.script" -}}
{{ include "slurm.container" (dict "root" .root "of" (.of | default dict) "else" .root.Values.authcred) }}
command:
  - /bin/bash
  - -c
  - |
    {{- range .before }}
    {{- $.root.Files.Get (printf "files/%s" .) | nindent 4 }}
    {{- end }}
    {{- .root.Files.Get (printf "files/%s" .script) | nindent 4 }}
  - {{ .script }}
{{- end -}}

{{/* Volume of login.users, for the images that read it. It exists also without users, so the first user changes no pod. */}}
{{- define "slurm.usersMount" -}}
- name: users
  mountPath: /var/lib/extrausers
  readOnly: true
{{- end -}}
{{- define "slurm.usersVolume" -}}
- name: users
  configMap:
    name: {{ .Release.Name }}-users
{{- end -}}

{{/* The claim of a StatefulSet: dict "name" "claim" the section persistence "storageClass" that of global. */}}
{{- define "slurm.claim" -}}
volumeClaimTemplates:
  - metadata:
      name: {{ .name }}
      {{- with .claim.labels }}
      labels:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .claim.annotations }}
      annotations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    spec:
      accessModes:
        {{- toYaml .claim.accessModes | nindent 8 }}
      {{- with .claim.storageClass | default .storageClass }}
      storageClassName: {{ toYaml . }}
      {{- end }}
      {{- with .claim.selector }}
      selector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      resources:
        requests:
          storage: {{ toYaml .claim.size }}
{{- end -}}

{{/* A command that succeeds if the daemon has its socket and its port (in hexadecimal) has a listener. It makes no connection. */}}
{{- define "slurm.listens" }} [sh, -c, 'test -S /run/slurm/sack.socket && cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | grep -q ":{{ . }} .* 0A "']
{{- end -}}
