{{- /* Made by tools/charts from those of chart slurm. Do not edit. */}}
{{/*
Service, Deployment, PodDisruptionBudget, and ServiceMonitor or PodMonitor: dict "what" with root, object, name, component, annotations; "of" the section exporter of the
values, "else" the section of its image if "of" names none, "server" URL of slurmrestd, "secret" with the token.
*/}}
{{- define "slurm-exporter.exporterObjects" -}}
{{- $root := .what.root -}}
{{- $of := .of -}}
---
apiVersion: v1
kind: Service
metadata:
  {{- include "slurm-exporter.metadata" .what | nindent 2 }}
spec:
  clusterIP: None
  selector:
    {{- include "slurm-exporter.selector" .what | nindent 4 }}
  ports:
    - name: metrics
      port: 8080
      targetPort: metrics
---
apiVersion: apps/v1
kind: Deployment
metadata:
  {{- include "slurm-exporter.metadata" .what | nindent 2 }}
spec:
  replicas: {{ int $of.replicas }}
  revisionHistoryLimit: 0
  selector:
    matchLabels:
      {{- include "slurm-exporter.selector" .what | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "slurm-exporter.podLabels" .what | nindent 8 }}
      annotations:
        kubectl.kubernetes.io/default-container: metrics
    spec:
      {{- include "slurm-exporter.placement" (dict "root" $root "of" $of) | nindent 6 }}
      {{- include "slurm-exporter.spread" .what | nindent 6 }}
      {{- include "slurm-exporter.podSecurity" 65532 | nindent 6 }}
      containers:
        - name: metrics
          terminationMessagePolicy: FallbackToLogsOnError
          {{- include "slurm-exporter.container" (dict "root" $root "of" $of "else" .else) | nindent 10 }}
          {{- include "slurm-exporter.restricted" . | nindent 10 }}
            readOnlyRootFilesystem: true
          command: [/usr/bin/slurm-operator]   # by name: an image of another exporter does not start
          args:
            - exporter
            - --server={{ .server }}
            - --slurm-token-file=/run/slurm-token/auth-token
            - --cache-freq={{ $of.cacheFrequency }}
            - --zap-log-level={{ $of.logLevel }}
            {{- if $of.jobEfficiency }}
            - --job-efficiency
            {{- end }}
            {{- if $of.scrapeSecretName }}
            - --scrape-token-file=/run/scrape-token/token
            {{- end }}
            {{- with $of.args }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
          ports:
            - name: metrics
              containerPort: 8080
            - name: health
              containerPort: 8081
          readinessProbe:
            httpGet:
              path: /readyz
              port: health
            periodSeconds: 2
          livenessProbe:
            httpGet:
              path: /healthz
              port: health
            periodSeconds: 30
            timeoutSeconds: 10
          volumeMounts:
            - name: token
              mountPath: /run/slurm-token
              readOnly: true
            {{- if $of.scrapeSecretName }}
            - name: scrape-token
              mountPath: /run/scrape-token
              readOnly: true
            {{- end }}
      volumes:
        - name: token
          secret:
            secretName: {{ toYaml .secret }}
            defaultMode: 0440
            items:   # until the key is there, the pod waits, and its Events say so
              - key: auth-token
                path: auth-token
        {{- with $of.scrapeSecretName }}
        - name: scrape-token
          secret:
            secretName: {{ toYaml . }}
            defaultMode: 0440
            items:
              - key: token
                path: token
        {{- end }}
{{- include "slurm-exporter.budget" (merge (dict "replicas" $of.replicas) .what) }}
{{- $pods := $of.podMonitor.enabled }}
{{- $monitor := ternary $of.podMonitor $of.serviceMonitor $pods }}
{{- if and $monitor.enabled ($root.Capabilities.APIVersions.Has "monitoring.coreos.com/v1") }}
---
apiVersion: monitoring.coreos.com/v1
kind: {{ ternary "PodMonitor" "ServiceMonitor" $pods }}
metadata:
  {{- include "slurm-exporter.metadata" (merge (dict "more" $monitor.labels) .what) | nindent 2 }}
spec:
  selector:
    matchLabels:
      {{- include "slurm-exporter.selector" .what | nindent 6 }}
  {{ ternary "podMetricsEndpoints" "endpoints" $pods }}:
    {{- range ternary $monitor.podMetricsEndpoints $monitor.endpoints $pods }}
    - {{ include "slurm-exporter.exporterEndpoint" (dict "endpoint" . "secret" $of.scrapeSecretName) | nindent 6 | trim }}
    {{- end }}
{{- end }}
{{- end -}}
{{/* An endpoint of a ServiceMonitor or PodMonitor, which sends the token of the Secret: dict "endpoint" "secret". */}}
{{- define "slurm-exporter.exporterEndpoint" -}}
{{- $shown := dict -}}
{{- if .secret }}{{ $shown = dict "authorization" (dict "credentials" (dict "name" .secret "key" "token")) }}{{ end -}}
{{- merge dict .endpoint $shown | toYaml -}}
{{- end -}}
{{/* dict "of" the section exporter "at" its path. */}}
{{- define "slurm-exporter.checkExporter" -}}
{{- $at := .at -}}
{{- $repository := (.of.image | default dict).repository | default "" -}}
{{- if contains "slinkyproject/" $repository -}}
{{- fail (printf "%s.image.repository: %s is the image of another exporter, which cannot run this chart: name the image of slurm-operator, or leave it out" $at $repository) -}}
{{- end -}}
{{- $given := toString .of.cacheFrequency -}}
{{- $ms := 0.0 -}}
{{- if regexMatch "^([0-9]+([.][0-9]+)?(ms|s|m|h))+$" $given -}}
{{- range regexFindAll "[0-9.]+(ms|s|m|h)" $given -1 -}}
{{- $unit := regexFind "[a-z]+$" . -}}
{{- $ms = addf $ms (mulf (trimSuffix $unit . | float64) (get (dict "ms" 1.0 "s" 1000.0 "m" 60000.0 "h" 3600000.0) $unit)) -}}
{{- end -}}
{{- end -}}
{{- if not (and (gt $ms 1000.0) (lt $ms 86400000.0)) -}}
{{- fail (printf "%s.cacheFrequency: %q is no time between two reads of Slurm: longer than 1s and shorter than a day, such as 5s or 1m30s" $at $given) -}}
{{- end -}}
{{- range $i, $endpoint := .of.serviceMonitor.endpoints -}}
{{- if ne (get $endpoint "port" | default "metrics") "metrics" -}}
{{- fail (printf "%s.serviceMonitor.endpoints[%d].port: the Service has the port metrics alone" $at $i) -}}
{{- end -}}
{{- end -}}
{{- range $i, $endpoint := .of.podMonitor.podMetricsEndpoints -}}
{{- if ne (get $endpoint "port" | default "metrics") "metrics" -}}
{{- fail (printf "%s.podMonitor.podMetricsEndpoints[%d].port: metrics is the port that has metrics" $at $i) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- define "slurm-exporter.namespace" -}}
{{- .Values.namespaceOverride | default .Release.Namespace -}}
{{- end -}}
{{/* Labels for selectors: dict "root" $ "name" slurmd. */}}
{{- define "slurm-exporter.selector" -}}
app.kubernetes.io/name: {{ .name }}
app.kubernetes.io/instance: {{ toYaml .root.Release.Name }}
{{- end -}}
{{/* Labels of a pod. They do not depend on the version of the chart, because a change would recreate the pods. "more": labels of the values for this pod only. */}}
{{- define "slurm-exporter.podLabels" -}}
{{ include "slurm-exporter.selector" . }}
app.kubernetes.io/component: {{ .component }}
app.kubernetes.io/part-of: slurm
{{- with merge dict (.more | default dict) (.root.Values.commonLabels | default dict) }}
{{ toYaml . }}
{{- end }}
{{- end -}}
{{- define "slurm-exporter.labels" -}}
{{ include "slurm-exporter.podLabels" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end -}}
{{/*
metadata of an object: dict "root" $ "object" its name "name" "component". With "annotations", a map that may be empty, commonAnnotations are added;
an object that writes the key annotations itself does not pass it. The labels are last, so that more labels can follow.
*/}}
{{- define "slurm-exporter.metadata" -}}
name: {{ toYaml .object }}
namespace: {{ include "slurm-exporter.namespace" .root | toYaml }}
{{- if hasKey . "annotations" }}
{{- with merge dict .annotations (.root.Values.commonAnnotations | default dict) }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
labels:
  {{- include "slurm-exporter.labels" . | nindent 2 }}
{{- end -}}
{{/* dict "root" $ "image" {repository, tag} "else" {repository, tag}. */}}
{{- define "slurm-exporter.image" -}}
{{- $image := .image | default dict -}}
{{- $else := .else | default dict -}}
{{- $repository := $image.repository | default $else.repository -}}
{{- $tag := $image.tag | default $else.tag | default .root.Chart.AppVersion | toString -}}
{{- /* A published chart pins its images (tools/release). A pin is not used for an image of another name. */ -}}
{{- $pinned := index .root.Chart.Annotations "artifacthub.io/images" | default "" -}}
{{- if and (contains (printf ":%s\n" $tag) $pinned) (not (contains (printf " %s:%s\n" $repository $tag) $pinned)) -}}
{{- $tag = regexReplaceAll (printf "(-%s)?@.*" .root.Chart.Version) $tag "" -}}
{{- end -}}
{{- printf "%s%s%s" (include "slurm-exporter.inRegistry" (dict "root" .root "repository" $repository)) (ternary "@" ":" (hasPrefix "sha256:" $tag)) $tag -}}
{{- end -}}
{{/* Secrets for pulling images: those of global and those of the chart, as a JSON list of {name}. */}}
{{- define "slurm-exporter.pullSecrets" -}}
{{- $all := list -}}
{{- range concat ((.Values.global | default dict).imagePullSecrets | default list) (.Values.imagePullSecrets | default list) -}}
{{- $all = append $all (ternary (dict "name" .) . (kindIs "string" .)) -}}
{{- end -}}
{{- uniq $all | toJson -}}
{{- end -}}
{{/* The name of an image, with its registry replaced by global.imageRegistry: dict "root" $ "repository". */}}
{{- define "slurm-exporter.inRegistry" -}}
{{- $registry := (.root.Values.global | default dict).imageRegistry -}}
{{- if $registry -}}
{{- printf "%s/%s" (trimSuffix "/" $registry) (regexReplaceAll "^(localhost|[^/]*[.:][^/]*)/" .repository "") -}}
{{- else }}{{ .repository }}{{ end -}}
{{- end -}}
{{/*
resources of a container: dict "resources" of the values "requests" of the chart. The chart requests only resources that the values neither request nor limit.
No pod is therefore BestEffort, and a limit of the values is never below a request of the chart.
*/}}
{{- define "slurm-exporter.resources" -}}
{{- $resources := deepCopy (.resources | default dict) -}}
{{- $requests := $resources.requests | default dict -}}
{{- range $name, $amount := .requests -}}
{{- if not (or (hasKey $requests $name) (hasKey ($resources.limits | default dict) $name)) }}{{ $_ := set $requests $name $amount }}{{ end -}}
{{- end -}}
{{- with $requests }}{{ $_ := set $resources "requests" . }}{{ end -}}
resources:
  {{- toYaml $resources | nindent 2 }}
{{- end -}}
{{/* Scheduling of a pod, and its pull Secrets: dict "root" $ "of" the section of the values. */}}
{{- define "slurm-exporter.placement" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with include "slurm-exporter.pullSecrets" .root | fromJsonArray }}
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
{{/* Spreads pods over several machines if there are several: dict "root" $ "name". */}}
{{- define "slurm-exporter.spread" -}}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "slurm-exporter.selector" . | nindent 8 }}
{{- end -}}
{{/* Lets one pod at a time be evicted: dict "replicas" and the arguments of slurm.metadata. A single pod cannot be protected in this way. */}}
{{- define "slurm-exporter.budget" -}}
{{- if gt (int .replicas) 1 }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  {{- include "slurm-exporter.metadata" . | nindent 2 }}
spec:
  maxUnavailable: 1
  selector:
    matchLabels:
      {{- include "slurm-exporter.selector" . | nindent 6 }}
{{- end }}
{{- end -}}
{{/* Security contexts of a pod and a container that need no privilege. */}}
{{- define "slurm-exporter.podSecurity" -}}
securityContext:
  runAsNonRoot: true
  runAsUser: {{ . }}
  runAsGroup: {{ . }}
  fsGroup: {{ . }}
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
{{- end -}}
{{- define "slurm-exporter.restricted" -}}
securityContext:
  allowPrivilegeEscalation: false
  capabilities:
    drop: [ALL]
{{- end -}}
{{/* Image, pull policy and resources: dict "root" $ "of" section "else" section "cpu" "memory" the minimum requests. */}}
{{- define "slurm-exporter.container" -}}
{{- $else := .else | default dict -}}
image: {{ include "slurm-exporter.image" (dict "root" .root "image" .of.image "else" $else.image) | toYaml }}
imagePullPolicy: {{ .of.imagePullPolicy | default $else.imagePullPolicy | default .root.Values.imagePullPolicy | default "IfNotPresent" }}
{{ include "slurm-exporter.resources" (dict "resources" (.of.resources | default $else.resources) "requests" (dict "cpu" (.cpu | default "10m") "memory" (.memory | default "32Mi"))) }}
{{- end -}}
