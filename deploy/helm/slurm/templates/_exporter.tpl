{{/* The exporter. tools/charts copies these templates to chart slurm-exporter. */}}

{{/*
Service, Deployment, PodDisruptionBudget, and ServiceMonitor or PodMonitor: dict "what" with root, object, name, component, annotations; "of" the section exporter of the
values, "else" the section of its image if "of" names none, "server" URL of slurmrestd, "secret" with the token.
*/}}
{{- define "slurm.exporterObjects" -}}
{{- $root := .what.root -}}
{{- $of := .of -}}
---
apiVersion: v1
kind: Service
metadata:
  {{- include "slurm.metadata" .what | nindent 2 }}
spec:
  clusterIP: None
  selector:
    {{- include "slurm.selector" .what | nindent 4 }}
  ports:
    - name: metrics
      port: 8080
      targetPort: metrics
---
apiVersion: apps/v1
kind: Deployment
metadata:
  {{- include "slurm.metadata" .what | nindent 2 }}
spec:
  replicas: {{ int $of.replicas }}
  revisionHistoryLimit: 0
  selector:
    matchLabels:
      {{- include "slurm.selector" .what | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "slurm.podLabels" .what | nindent 8 }}
      annotations:
        kubectl.kubernetes.io/default-container: metrics
    spec:
      {{- include "slurm.placement" (dict "root" $root "of" $of) | nindent 6 }}
      {{- include "slurm.spread" .what | nindent 6 }}
      {{- include "slurm.podSecurity" 65532 | nindent 6 }}
      containers:
        - name: metrics
          terminationMessagePolicy: FallbackToLogsOnError
          {{- include "slurm.container" (dict "root" $root "of" $of "else" .else) | nindent 10 }}
          {{- include "slurm.restricted" . | nindent 10 }}
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
{{- include "slurm.budget" (merge (dict "replicas" $of.replicas) .what) }}
{{- $pods := $of.podMonitor.enabled }}
{{- $monitor := ternary $of.podMonitor $of.serviceMonitor $pods }}
{{- if and $monitor.enabled ($root.Capabilities.APIVersions.Has "monitoring.coreos.com/v1") }}
---
apiVersion: monitoring.coreos.com/v1
kind: {{ ternary "PodMonitor" "ServiceMonitor" $pods }}
metadata:
  {{- include "slurm.metadata" (merge (dict "more" $monitor.labels) .what) | nindent 2 }}
spec:
  selector:
    matchLabels:
      {{- include "slurm.selector" .what | nindent 6 }}
  {{ ternary "podMetricsEndpoints" "endpoints" $pods }}:
    {{- range ternary $monitor.podMetricsEndpoints $monitor.endpoints $pods }}
    - {{ include "slurm.exporterEndpoint" (dict "endpoint" . "secret" $of.scrapeSecretName) | nindent 6 | trim }}
    {{- end }}
{{- end }}
{{- end -}}

{{/* An endpoint of a ServiceMonitor or PodMonitor, which sends the token of the Secret: dict "endpoint" "secret". */}}
{{- define "slurm.exporterEndpoint" -}}
{{- $shown := dict -}}
{{- if .secret }}{{ $shown = dict "authorization" (dict "credentials" (dict "name" .secret "key" "token")) }}{{ end -}}
{{- merge dict .endpoint $shown | toYaml -}}
{{- end -}}

{{/* dict "of" the section exporter "at" its path. */}}
{{- define "slurm.checkExporter" -}}
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
