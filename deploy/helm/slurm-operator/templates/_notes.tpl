{{- /* The text that helm prints after an installation. It is a separate template, so that the golden files contain it. */}}
{{- define "slurm-operator.notes" -}}
{{- $namespace := include "slurm-operator.namespace" . }}
{{- $name := include "slurm-operator.fullname" . -}}
Slurm clusters on Kubernetes: release {{ .Release.Name }} is in namespace {{ $namespace }}.
{{- if .Values.operator.enabled }}

The manager acts in {{ with .Values.namespaces }}{{ ternary "namespace" "the namespaces" (eq (len .) 1) }} {{ join ", " . }}{{ else }}every namespace{{ end }}. Which of its pods does:
  kubectl -n {{ $namespace }} get lease 0033bda7.slinky.slurm.net
{{- end }}
{{- if .Values.virtualNode.enabled }}

Virtual nodes: the partitions of {{ range $i, $box := .Values.virtualNode.redBoxes }}{{ if $i }}, {{ end }}{{ $box.name }}{{ end }} become nodes when red-box answers:
  kubectl get nodes -l type=virtual-kubelet
{{- $sockets := false }}
{{- range .Values.virtualNode.redBoxes }}{{ if not .address }}{{ $sockets = true }}{{ end }}{{ end }}
{{- if $sockets }}
Their pods mount the folder of a socket (hostPath), which a namespace that enforces baseline or restricted pod security refuses.
{{- end }}
{{- end }}
{{- if .Values.webhook.enabled }}

The webhook refuses wrong Clusters and NodeSets. Until it is ready, {{ if eq .Values.webhook.failurePolicy "Fail" }}none can be made{{ else }}they are not looked at{{ end }}:
  kubectl -n {{ $namespace }} rollout status deployment {{ $name }}-webhook
{{- else if .Values.operator.enabled }}

There is no webhook: what is wrong with a Cluster or a NodeSet stands in its conditions.
{{- end }}

What to do next:
  helm test {{ .Release.Name }} --namespace {{ .Release.Namespace }}      is it well?
{{- if or .Values.operator.enabled .Values.webhook.enabled }}
  helm install slurm CHART-SLURM --namespace {{ default "slurm" (first (default list .Values.namespaces)) }} --create-namespace      a Slurm cluster
  kubectl get clusters,nodesets -A      what there is, and what is wrong with it
{{- end }}
{{- if .Values.virtualNode.enabled }}
  kubectl apply -f deploy/examples/cow.yaml      a job
{{- end }}
{{- if not .Values.crds.enabled }}

crds.enabled is false: somebody else keeps the kinds Cluster and NodeSet current.
{{- else if eq (include "slurm-operator.foreign-crds" .) "yes" }}

Attention: another release has the kinds Cluster and NodeSet, and keeps them as its version has them. Where this one is newer, let it take them over:
  helm upgrade {{ .Release.Name }} CHART --namespace {{ .Release.Namespace }} --reuse-values --set crds.takeOver=true --take-ownership
{{- else }}

The kinds Cluster and NodeSet stay when this release goes, and all objects with them.
{{- end }}
{{- with include "slurm-operator.values" . | trim }}

These values are accepted and not used: {{ splitList "\n" . | join ", " }}.
{{- end }}
{{- if or (ne (int .Values.operator.clusterWorkers) 1) (ne (int .Values.operator.nodesetWorkers) 1) }}

operator.clusterWorkers and operator.nodesetWorkers are taken and not used: the manager has one loop, in which nothing waits for anything.
{{- end }}
{{- if and .Values.operator.enabled (not .Values.namespaces) (not .Values.operator.namespaceLabel) }}

The manager may make pods in every namespace. SECURITY.md says what its account is worth to a thief; the values namespaces and operator.namespaceLabel bound it.
{{- end }}
{{- end }}

{{- define "slurm-operator.foreign-crds" -}}
{{- $there := lookup "apiextensions.k8s.io/v1" "CustomResourceDefinition" "" "nodesets.slinky.slurm.net" }}
{{- if ne (include "slurm-operator.has-crd" (list . $there)) "yes" }}yes{{ end }}
{{- end }}
