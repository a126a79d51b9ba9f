{{/* The text that helm prints at the end. It is a separate template, so that the golden files contain it. */}}
{{- define "slurm.notes" -}}
{{- $r := .Release.Name -}}
{{- $ns := include "slurm.namespace" . -}}
Slurm {{ include "slurm.cluster" . }} is being started in namespace {{ $ns }}.

  kubectl -n {{ $ns }} get pods,nodesets,clusters              until all are ready
  kubectl -n {{ $ns }} exec statefulset/{{ $r }}-controller -- srun hostname
{{- if .Values.login.enabled }}
  kubectl -n {{ $ns }} port-forward service/{{ $r }}-login {{ int .Values.login.servicePort }}, then ssh -p {{ int .Values.login.servicePort }} USER@localhost
{{- end }}
  kubectl -n {{ $ns }} describe nodesets                       what is waited for, in sentences
  helm -n {{ .Release.Namespace }} test {{ $r }}
{{- if include "slurm.hasExporter" . }}
  kubectl -n {{ $ns }} port-forward service/{{ $r }}-exporter 8080, then http://localhost:8080/metrics
{{- end }}
{{- if not (.Capabilities.APIVersions.Has "slinky.slurm.net/v1alpha1/NodeSet") }}

No compute node comes without the operator: install the chart slurm-operator as well.
{{- end }}
{{- range include "slurm.nodesets" . | fromJsonArray }}
{{- $limits := dig "resources" "limits" dict . | default dict }}
{{- if and (not .useResourceLimits) (or $limits.cpu $limits.memory) }}

Attention: {{ .at }} has resources.limits, and useResourceLimits is not true: Slurm gives jobs all of the machine, and the kernel ends those that go beyond the limits.
{{- end }}
{{- end }}
{{- $defaults := list }}
{{- range splitList "\n" (include "slurm.conf" .) }}
{{- if regexMatch "(?i)^PartitionName=.* Default=yes( |$)" . }}{{ $defaults = append $defaults (regexFind "[^ ]+" . | trimPrefix "PartitionName=") }}{{ end }}
{{- end }}
{{- if gt (len $defaults) 1 }}

Attention: each of the partitions {{ join ", " $defaults }} has Default=YES, and Slurm takes the last one, {{ last $defaults }}. Leave it in one of them (compute.nodesets[].partition.config, compute.partitions[].config).
{{- end }}
{{- with include "slurm.values" . | trim }}

These values are accepted and not used:
{{- range splitList "\n" . }}
  {{ . }}{{ if has . (list "mariadb.affinity" "mariadb.nodeSelector" "mariadb.resources" "mariadb.tolerations") }}      use {{ . | replace "mariadb." "mariadb.primary." }}{{ end }}
{{- end }}
{{- end }}
{{- $exporter := index .Values "slurm-exporter" }}
{{- if and $exporter.enabled $exporter.exporter.enabled (not .Values.restapi.enabled) }}

slurm-exporter.enabled: there is no exporter, because restapi.enabled is false and it has no slurmrestd to ask.
{{- end }}
{{- if and (eq .Values.jwt.tokens "operator") (or .Values.jwt.hs256.secretName .Values.jwt.hs256.existingSecret) }}

The operator makes tokens of your key once its Secret says who may have them:

  kubectl -n {{ $ns }} annotate secret {{ include "slurm.jwtSecret" . }} slinky.slurm.net/server={{ include "slurm.server" . }}
{{- with include "slurm.tokenUsers" . }} slinky.slurm.net/token-users={{ . }}{{ end }}
{{- end }}
{{- if not .Values.controller.persistence.enabled }}

Attention: controller.persistence.enabled is false. A pod of slurmctld that is made anew has forgotten every job, also those that run: for a try only.
{{- end }}
{{- if not .Values.homes.enabled }}

Homes are not shared: a job finds on its node no file of the login, and cannot write its output there. Set homes (docs/homes.md), or use sbatch -D /tmp.
{{- end }}
{{- if .Values.debug.enabled }}

debug.enabled: the Cluster names {{ include "slurm.server" . }}{{ if not (include "slurm.cgroups" .) }}, and jobs are not held by cgroups{{ end }}.
{{- end }}

A change of the values reaches Slurm by helm upgrade within a minute or two; running jobs stay. What Slurm's parser does not take, helm upgrade refuses{{ if not .Values.upgrade.checkConfiguration }} (not here: upgrade.checkConfiguration is false){{ end }}. slurmctld may refuse more, and helm does not see that:

  kubectl -n {{ $ns }} get clusters                      TROUBLE is ConfigurationRefused then, and kubectl describe clusters says why
  kubectl -n {{ $ns }} logs {{ $r }}-controller-0 -c reconfigure --tail=2     whether slurmctld has read it, or which word it does not take

Before helm uninstall deletes anything it waits for the running jobs:

  kubectl -n {{ $ns }} logs -f job/{{ $r }}-uninstall                what it waits for
  kubectl -n {{ $ns }} annotate nodesets -l app.kubernetes.io/instance={{ $r }} nodeset.slinky.slurm.net/release-now=true     do not wait: the jobs end

It waits as long as --timeout of helm says; what has no job then is gone, the rest goes on, and helm uninstall may be said again.
Afterwards these are still there, and a new release of this name uses them again: the claims of slurmctld, of the database and of the node sets,
and the Secrets of the keys, of the passwords and of ssh ({{ include "slurm.authSecret" . }}, {{ include "slurm.jwtSecret" . }}
{{- if eq .Values.jwt.tokens "job" }} with its tokens{{ end }}
{{- if and .Values.accounting.enabled .Values.mariadb.enabled }}, {{ include "slurm.mariadbSecret" . }}{{ end }}
{{- if .Values.login.enabled }}, {{ $r }}-login-ssh-host-keys{{ end }})
{{- if and .Values.homes.enabled (not .Values.homes.existingClaim) (not (.Values.homes.nfs | default dict).server) }}, and the claim {{ $r }}-homes with the homes{{ end }}.
{{- end -}}
