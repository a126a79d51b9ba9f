{{/* NetworkPolicies: which clients may reach which pod. */}}

{{/*
The peers of a rule: the namespace of the release and networkPolicy.allowFrom. The list is empty, which means anywhere, if a node set has hostNetwork and
allowFrom is empty: no selector matches the traffic of such a node set.
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
