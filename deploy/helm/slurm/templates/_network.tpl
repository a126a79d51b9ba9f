{{/* Who may reach which pod. */}}

{{/*
A rule for what comes from the namespace of the release, from networkPolicy.allowFrom, and, where node sets are in the network of their machines, whose pods no
selector finds, from anywhere if allowFrom is empty.
*/}}
{{- define "slurm.fromSlurm" -}}
{{- $hosts := false -}}
{{- range include "slurm.nodesets" . | fromJsonArray }}{{ if .hostNetwork }}{{ $hosts = true }}{{ end }}{{ end -}}
{{- if not (and $hosts (not .Values.networkPolicy.allowFrom)) -}}
from:
  - podSelector: {}
  {{- with .Values.networkPolicy.allowFrom }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}
{{- end -}}

{{/* A NetworkPolicy: dict "what" with root, object, name, component, "ingress" the rules as text. */}}
{{- define "slurm.policy" -}}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  {{- include "slurm.metadata" .what | nindent 2 }}
spec:
  podSelector:
    matchLabels:
      {{- include "slurm.selector" .what | nindent 6 }}
  policyTypes: [Ingress]
  ingress:
    {{- .ingress | nindent 4 }}
{{ end -}}
