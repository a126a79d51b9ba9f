{{/* Templates of this chart only; _shared.tpl has the others. */}}

{{- define "slurm-exporter.object" -}}
{{- .Values.nameOverride | default "slurm-exporter" -}}
{{- end -}}

{{/* URL of slurmrestd. */}}
{{- define "slurm-exporter.server" -}}
{{- .Values.exporter.server | default (printf "http://slurm-restapi.%s:6820" (include "slurm-exporter.namespace" .)) -}}
{{- end -}}

{{- define "slurm-exporter.check" -}}
{{- if not (regexMatch "^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$" (include "slurm-exporter.object" .)) -}}
{{- fail (printf "nameOverride: %q is no name of a Service: lower-case letters, digits and dashes, at most 63, and a letter first" .Values.nameOverride) -}}
{{- end -}}
{{- if not (regexMatch "^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$" (include "slurm-exporter.namespace" .)) -}}
{{- fail (printf "namespaceOverride: %q is no name of a namespace: lower-case letters, digits and dashes, at most 63" .Values.namespaceOverride) -}}
{{- end -}}
{{- if .Values.exporter.enabled -}}
{{- if not .Values.exporter.secretName -}}
{{- fail "exporter.secretName: the exporter needs the name of a Secret with a token of Slurm in the key auth-token" -}}
{{- end -}}
{{- if not (regexMatch "^https?://[^/?#@\\s]+/?$" (include "slurm-exporter.server" .)) -}}
{{- fail (printf "exporter.server: %q is no URL of slurmrestd, such as http://slurm-restapi.slurm:6820" .Values.exporter.server) -}}
{{- end -}}
{{- include "slurm-exporter.checkExporter" (dict "of" .Values.exporter "at" "exporter") -}}
{{- end -}}
{{- end -}}

{{/* The text that helm prints at the end. It is a separate template, so that the golden files contain it. */}}
{{- define "slurm-exporter.notes" -}}
{{- $ns := include "slurm-exporter.namespace" . -}}
{{- if .Values.exporter.enabled -}}
The exporter of {{ include "slurm-exporter.server" . }} is being started in namespace {{ $ns }}.

  kubectl -n {{ $ns }} port-forward service/{{ include "slurm-exporter.object" . }} 8080, then http://localhost:8080/metrics

Its pod waits for the Secret {{ .Values.exporter.secretName }} with a token of Slurm in the key auth-token. Who may run scontrol makes one:

  kubectl -n {{ $ns }} create secret generic {{ .Values.exporter.secretName }} --from-literal=auth-token="$(scontrol token username=slurm lifespan=infinite | cut -d= -f2)"
{{- else -}}
exporter.enabled is false: nothing is installed.
{{- end }}
{{- with include "slurm-exporter.values" . | trim }}

These values are accepted and not used:
{{- range splitList "\n" . }}
  {{ . }}
{{- end }}
{{- end }}
{{- end -}}
