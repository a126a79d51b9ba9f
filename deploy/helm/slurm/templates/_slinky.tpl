{{/*
A release of Slinky's chart has the same names. An upgrade with this chart would change the Cluster, slurm.conf and the node sets, and then fail at an
immutable field of a StatefulSet and leave half of a Slurm. podManagementPolicy is that field, and it distinguishes the two charts.
*/}}
{{- define "slurm.checkSlinky" -}}
{{- $ns := include "slurm.namespace" . -}}
{{- $name := printf "%s-controller" .Release.Name -}}
{{- $there := lookup "apps/v1" "StatefulSet" $ns $name | default dict -}}
{{- $chart := dig "metadata" "labels" "helm.sh/chart" "" $there -}}
{{- if and (regexMatch "^slurm-[0-9]" $chart) (ne (dig "spec" "podManagementPolicy" "" $there) "Parallel") -}}
{{- fail (printf "StatefulSet %s in namespace %s is of the chart %s of Slinky, which this chart cannot upgrade: let the jobs end, run helm uninstall for that release, and install this chart under the same name; the claims stay (docs/slurm-chart.md, Values of 0.1 to 0.3)" $name $ns $chart) -}}
{{- end -}}
{{- end -}}
