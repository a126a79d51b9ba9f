{{- /* Recognizes other operators for these kinds: prints yes for such a Deployment. The arguments of this chart's programs start with a word. */}}
{{- define "slurm-operator.is-other" -}}
{{- $chart := dig "metadata" "labels" "helm.sh/chart" "" . }}
{{- range .spec.template.spec.containers }}
{{- $first := first (.args | default (list "")) }}
{{- $options := join " " (concat (.command | default list) (.args | default list)) }}
{{- $slinky := and (regexMatch "^slurm-operator-[0-9]" $chart) (or (empty $first) (hasPrefix "-" $first)) }}
{{- $workers := and (regexMatch "(^| )--?(cluster|nodeset)-workers" $options) (ne $first "manager") }}
{{- if or $slinky $workers (regexMatch "slinkyproject/slurm-operator(-webhook)?(:|@|$)" .image) }}yes{{ end }}
{{- end }}
{{- end }}

{{- /* An existing CRD of our kinds that another operator created for another version, which this program cannot read. */}}
{{- define "slurm-operator.check-versions" -}}
{{- $served := list }}
{{- range dig "spec" "versions" list . }}{{ if .served }}{{ $served = append $served .name }}{{ end }}{{ end }}
{{- if and $served (not (has "v1alpha1" $served)) }}
{{- fail (printf "the CRD %s is there for version %s, which is of another operator, and this one reads v1alpha1: remove that operator, its objects and this CRD first" .metadata.name (join ", " $served)) }}
{{- end }}
{{- end }}
