{{- /* Names, labels, and parts that all Deployments share. A template with a component gets (list $ "operator"), (list $ "webhook") or (list $ "virtualNode"). */}}

{{- define "slurm-operator.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- /* The name of a release may contain dots, the name of a Service may not. 50 characters leave space for suffixes. */}}
{{- define "slurm-operator.fullname" -}}
{{- $name := include "slurm-operator.name" . }}
{{- $full := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) }}
{{- $full = default $full .Values.fullnameOverride | replace "." "-" | trunc 50 | trimSuffix "-" }}
{{- if not (regexMatch "^[a-z][-a-z0-9]*$" $full) }}
{{- fail (printf "%q is no name of a Service: it begins with a letter; give another one in fullnameOverride" $full) }}
{{- end }}
{{- $full }}
{{- end }}

{{- define "slurm-operator.namespace" -}}
{{- default .Release.Namespace .Values.namespaceOverride }}
{{- end }}

{{- /* Name of a cluster-scoped object. The name of a namespace has no dot, so two releases never get the same name. */}}
{{- define "slurm-operator.clusterwide" -}}
{{- printf "%s.%s" (include "slurm-operator.namespace" .) (include "slurm-operator.fullname" .) }}
{{- end }}

{{- define "slurm-operator.component" -}}
{{- include "slurm-operator.fullname" (index . 0) }}{{ if ne (index . 1) "operator" }}-{{ kebabcase (index . 1) }}{{ end }}
{{- end }}

{{- define "slurm-operator.account" -}}
{{- $values := get (index . 0).Values (index . 1) }}
{{- default (include "slurm-operator.component" .) $values.serviceAccount.name }}
{{- end }}

{{- define "slurm-operator.username" -}}
system:serviceaccount:{{ include "slurm-operator.namespace" . }}:{{ include "slurm-operator.account" (list . "operator") }}
{{- end }}

{{- define "slurm-operator.selector" -}}
app.kubernetes.io/name: {{ printf "%s%s" (include "slurm-operator.name" (index . 0)) (ternary "" (printf "-%s" (kebabcase (index . 1))) (eq (index . 1) "operator")) | toYaml }}
app.kubernetes.io/instance: {{ toYaml (index . 0).Release.Name }}
{{- end }}

{{- define "slurm-operator.labels" -}}
{{- $ := index . 0 -}}
helm.sh/chart: {{ printf "%s-%s" $.Chart.Name $.Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{ include "slurm-operator.selector" . }}
app.kubernetes.io/version: {{ $.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $.Release.Service }}
{{- end }}

{{- /* metadata of an object of a component; (list $ "webhook" "NAME") sets another name. */}}
{{- define "slurm-operator.metadata" -}}
{{- $ := index . 0 -}}
name: {{ if gt (len .) 2 }}{{ index . 2 | toYaml }}{{ else }}{{ include "slurm-operator.component" . | toYaml }}{{ end }}
namespace: {{ include "slurm-operator.namespace" $ | toYaml }}
labels:
  {{- include "slurm-operator.labels" . | nindent 2 }}
{{- end }}

{{- /* metadata of a cluster-scoped object. */}}
{{- define "slurm-operator.metadata-clusterwide" -}}
{{- $ := index . 0 -}}
name: {{ if gt (len .) 2 }}{{ index . 2 }}{{ else }}{{ include "slurm-operator.clusterwide" $ }}{{ if ne (index . 1) "operator" }}-{{ index . 1 }}{{ end }}{{ end }}
labels:
  {{- include "slurm-operator.labels" . | nindent 2 }}
{{- end }}

{{- define "slurm-operator.image" -}}
{{- $v := (index . 0).Values }}
{{- $own := get (get $v (index . 1)) "image" }}
{{- $all := $v.image }}
{{- $repository := $own.repository | default $all.repository | default $v.operator.image.repository }}
{{- if and $all.repository (eq $own.repository "localhost/slurm-operator") }}{{ $repository = $all.repository }}{{ end }}
{{- if contains "slinkyproject/" $repository }}
{{- fail (printf "%s.image.repository: %s is the image of another operator, which cannot run this chart: name the image of this one" (index . 1) $repository) }}
{{- end }}
{{- /* A published chart pins its image (tools/release). The pin is a default, and not used for an image of another name. */}}
{{- $pinned := index (index . 0).Chart.Annotations "artifacthub.io/images" | default "" }}
{{- $pin := printf " %s:%s\n" $own.repository $own.tag }}
{{- $tag := ternary $all.tag "" (contains $pin $pinned) | default $own.tag | default $all.tag | default $v.operator.image.tag | default (index . 0).Chart.AppVersion }}
{{- if and (contains (printf ":%s\n" $tag) $pinned) (not (contains (printf " %s:%s\n" $repository $tag) $pinned)) }}
{{- $tag = regexReplaceAll "@.*" $tag "" }}
{{- end }}
{{- printf "%s%s%s" (include "slurm-operator.in-registry" (list $v $repository)) (ternary "@" ":" (hasPrefix "sha256:" $tag)) $tag }}
{{- end }}

{{- /* The name of an image, with its registry replaced by global.imageRegistry. */}}
{{- define "slurm-operator.in-registry" -}}
{{- $registry := ((index . 0).global | default dict).imageRegistry }}
{{- if $registry }}{{ trimSuffix "/" $registry }}/{{ regexReplaceAll "^(localhost|[^/]*[.:][^/]*)/" (index . 1) "" }}{{ else }}{{ index . 1 }}{{ end }}
{{- end }}

{{- /* Secrets for pulling images: those of global and those of the chart, as a JSON list of {name}. */}}
{{- define "slurm-operator.pull-secrets" -}}
{{- $all := list }}
{{- range concat ((.Values.global | default dict).imagePullSecrets | default list) (.Values.imagePullSecrets | default list) }}
{{- $all = append $all (ternary (dict "name" .) . (kindIs "string" .)) }}
{{- end }}
{{- uniq $all | toJson }}
{{- end }}

{{- define "slurm-operator.pull-policy" -}}
{{- (get (index . 0).Values (index . 1)).imagePullPolicy | default (index . 0).Values.imagePullPolicy | default "IfNotPresent" }}
{{- end }}

{{- /* Log levels of other operators for these kinds. */}}
{{- define "slurm-operator.log-level" -}}
{{- $level := toString . }}
{{- if eq $level "panic" }}error{{ else if regexMatch "^[0-9]+$" $level }}debug{{ else }}{{ $level }}{{ end }}
{{- end }}

{{- /* Options that manager and webhook share, one a line; a default has no line. */}}
{{- define "slurm-operator.judges" -}}
{{- with .Values.operator.resultsVolumes }}
- --results-volumes={{ join "," . }}
{{- end }}
{{- end }}

{{- /* Fields of a pod of each Deployment, and of its test, except its containers; (list $ "virtualNode" VALUES) for other values. */}}
{{- define "slurm-operator.pod" -}}
{{- $ := index . 0 }}
{{- $values := get $.Values (index . 1) }}
{{- if gt (len .) 2 }}{{ $values = index . 2 }}{{ end -}}
enableServiceLinks: false
{{- with $.Values.priorityClassName }}
priorityClassName: {{ toYaml . }}
{{- end }}
{{- with include "slurm-operator.pull-secrets" $ | fromJsonArray }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: {{ int (default 65532 $values.runAsUser) }}
  runAsGroup: {{ int (default 65532 $values.runAsGroup) }}
  seccompProfile: {type: RuntimeDefault}
{{- with $values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- /* Spreads pods over different machines if there are several. */}}
{{- define "slurm-operator.spread" -}}
topologySpreadConstraints:
{{- with (get (index . 0).Values (index . 1)).topologySpreadConstraints }}
  {{- toYaml . | nindent 2 }}
{{- else }}
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "slurm-operator.selector" . | nindent 8 }}
{{- end }}
{{- end }}

{{- /* Fields of its container, except arguments, ports and volumes. */}}
{{- define "slurm-operator.container" -}}
{{- $ := index . 0 }}
{{- $values := get $.Values (index . 1) -}}
image: {{ include "slurm-operator.image" . | quote }}
{{- /* the command is explicit, so the image of another operator, whose entrypoint would ignore our arguments, does not start */}}
command: [/usr/bin/slurm-operator]
imagePullPolicy: {{ include "slurm-operator.pull-policy" . }}
livenessProbe:
  httpGet: {path: /healthz, port: health}
readinessProbe:
  httpGet: {path: /readyz, port: health}
  periodSeconds: 2
{{- with $values.resources }}
resources:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{ include "slurm-operator.confined" . }}
{{- end }}

{{- define "slurm-operator.confined" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
{{- end }}

{{- /* The namespaces of an admission rule; empty: all. */}}
{{- define "slurm-operator.namespace-selector" -}}
{{- with .Values.namespaces }}
namespaceSelector:
  matchExpressions:
    - {key: kubernetes.io/metadata.name, operator: In, values: {{ toJson . }}}
{{- end }}
{{- end }}

{{- /* The document of a kind and a name in the output of "slurm-operator rbac", as JSON. */}}
{{- define "slurm-operator.printed" -}}
{{- $kind := index . 1 }}{{ $name := index . 2 }}
{{- range regexSplit "(?m)^---$" ((index . 0).Files.Get "files/rbac.yaml") -1 }}
{{- $doc := fromYaml . }}
{{- if and (eq $doc.kind $kind) (eq $doc.metadata.name $name) }}{{ toJson $doc }}{{ end }}
{{- end }}
{{- end }}

{{- /* Whether this release installs that CRD: it does not exist, belongs to this release, or is taken over. A CRD of wlm-operator, which may run, is not changed. */}}
{{- define "slurm-operator.has-crd" -}}
{{- $ := index . 0 }}{{ $there := index . 1 }}
{{- $notes := dig "metadata" "annotations" (dict) $there }}
{{- $release := get $notes "meta.helm.sh/release-name" }}
{{- include "slurm-operator.check-versions" $there }}
{{- if or (not $there) $.Values.crds.takeOver }}yes
{{- else if and (not $release) (hasSuffix ".wlm.sylabs.io" $there.metadata.name) }}
{{- else if not $release }}
{{- fail (printf "the CRD %s is there, and of no release: let this one take it over with --take-ownership --set crds.takeOver=true (helm 3.17 or newer), or leave it to somebody else with --set crds.enabled=false" $there.metadata.name) }}
{{- else if and (eq $release $.Release.Name) (eq (get $notes "meta.helm.sh/release-namespace") $.Release.Namespace) }}yes
{{- end }}
{{- end }}
