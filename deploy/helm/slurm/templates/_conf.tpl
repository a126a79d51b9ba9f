{{/* Configuration of Slurm. A value can produce only its own line. */}}

{{/* A number as Slurm reads it: 1000000 and not 1e+06. */}}
{{- define "slurm.scalar" -}}
{{- if and (kindIs "float64" .) (eq . (floor .)) }}{{ int64 . }}{{ else if kindIs "bool" . }}{{ ternary "YES" "NO" . }}{{ else }}{{ . }}{{ end -}}
{{- end -}}

{{/* dict "value" a scalar or a list, "name" of the value: one line. */}}
{{- define "slurm.text" -}}
{{- $words := list -}}
{{- $name := .name -}}
{{- range (ternary .value (list .value) (kindIs "slice" .value)) }}
{{- if or (kindIs "map" .) (kindIs "slice" .) (kindIs "invalid" .) }}{{ fail (printf "%s: a text, a number, or a list of them" $name) }}{{ end -}}
{{- $words = append $words (include "slurm.scalar" .) -}}
{{- end -}}
{{- $text := join "," $words -}}
{{- if regexMatch "[\\p{Cc}\\x{2028}\\x{2029}]|\\\\$" $text -}}
{{- fail (printf "%s: a line of Slurm's configuration has no line breaks and no other control characters, and does not end with a backslash" .name) -}}
{{- end -}}
{{- $text -}}
{{- end -}}

{{/* A scalar or a list as one line, without characters that would end a word. */}}
{{- define "slurm.word" -}}
{{- $text := include "slurm.text" . -}}
{{- if regexMatch "[\\s#'\"\\\\$`]" $text -}}
{{- fail (printf "%s: %q must be without blanks, quotes, backslashes and the characters # $ `" .name $text) -}}
{{- end -}}
{{- $text -}}
{{- end -}}

{{- define "slurm.key" -}}
{{- if not (regexMatch "^[A-Za-z][A-Za-z0-9_]*$" .key) -}}
{{- fail (printf "%s: %q is no name of a setting of Slurm, which has letters, digits and underscores" .name .key) -}}
{{- end -}}
{{- .key -}}
{{- end -}}

{{/* dict "map" "name": one Key=value a line, or the text unchanged. */}}
{{- define "slurm.lines" -}}
{{- $name := .name -}}
{{- if kindIs "string" .map -}}
{{ .map }}
{{- else -}}
{{- $lines := list -}}
{{- range $key, $value := .map }}{{ if $value -}}
{{- $lines = append $lines (printf "%s=%s" (include "slurm.key" (dict "key" $key "name" $name)) (include "slurm.text" (dict "value" $value "name" (printf "%s.%s" $name $key)))) -}}
{{- end }}{{ end -}}
{{- join "\n" $lines -}}
{{- end -}}
{{- end -}}

{{/* dict "map" "name": Key=value pairs of one line, or the line unchanged. */}}
{{- define "slurm.pairs" -}}
{{- $name := .name -}}
{{- if kindIs "string" .map -}}
{{- $text := include "slurm.text" (dict "value" .map "name" $name) -}}
{{- if regexMatch "(?i)(^|\\s)(nodes|partitionname|nodename)\\s*=" $text }}{{ fail (printf "%s: this chart writes Nodes= and PartitionName= itself" $name) }}{{ end -}}
{{- $text -}}
{{- else -}}
{{- $pairs := list -}}
{{- range $key, $value := .map }}{{ if $value -}}
{{- if has (lower $key) (list "nodes" "partitionname" "nodename") }}{{ fail (printf "%s.%s: this chart writes that itself" $name $key) }}{{ end -}}
{{- $pairs = append $pairs (printf "%s=%s" (include "slurm.key" (dict "key" $key "name" $name)) (include "slurm.word" (dict "value" $value "name" (printf "%s.%s" $name $key)))) -}}
{{- end }}{{ end -}}
{{- join " " $pairs -}}
{{- end -}}
{{- end -}}

{{/* Our lines without the settings that the values set: dict "lines" a text "extra" a map or a text. */}}
{{- define "slurm.without" -}}
{{- $given := list -}}
{{- if kindIs "map" .extra }}{{ range $key, $value := .extra }}{{ if $value }}{{ $given = append $given (lower $key) }}{{ end }}{{ end }}
{{- else }}{{ range splitList "\n" .extra }}{{ $given = append $given (regexReplaceAll "=.*" . "" | trim | lower) }}{{ end }}{{ end -}}
{{- $lines := list -}}
{{- range splitList "\n" .lines -}}
{{- if not (has (regexReplaceAll "=.*" . "" | lower) $given) }}{{ $lines = append $lines . }}{{ end -}}
{{- end -}}
{{- join "\n" $lines -}}
{{- end -}}

{{/* The enabled entries of compute.nodesets with defaults for absent keys, as JSON. */}}
{{- define "slurm.nodesets" -}}
{{- $all := list -}}
{{- range $i, $values := .Values.compute.nodesets -}}
{{- $given := dict -}}
{{- range $key, $value := $values }}{{ if not (kindIs "invalid" $value) }}{{ $_ := set $given $key $value }}{{ end }}{{ end -}}
{{- $one := mergeOverwrite (dict "enabled" true "useResourceLimits" false "podDisruptionBudget" (dict "enabled" true) "terminationGracePeriodSeconds" 30 "partition" (dict "enabled" true)) $given -}}
{{- if $one.enabled }}{{ $all = append $all (set (deepCopy $one) "at" (printf "compute.nodesets[%d]" $i)) }}{{ end -}}
{{- end -}}
{{- toJson $all -}}
{{- end -}}

{{/* Settings with which slurmd registers, Features first: one entry of "slurm.nodesets". The feature makes it a node of the NodeSet= line. */}}
{{- define "slurm.nodeConf" -}}
{{- $name := printf "%s.nodeConfig" .at -}}
{{- $config := deepCopy (.nodeConfig | default dict) -}}
{{- with .nodeGres }}{{ $_ := set $config "Gres" . }}{{ end -}}
{{- with .nodeWeight }}{{ $_ := set $config "Weight" . }}{{ end -}}
{{- $features := list .name -}}
{{- with .nodeFeatures }}{{ $features = append $features (include "slurm.word" (dict "value" . "name" (printf "%s.nodeFeatures" $.at))) }}{{ end -}}
{{- $rest := dict -}}
{{- range $key, $value := $config -}}
{{- if has (lower $key) (list "feature" "features") -}}
{{- if $value }}{{ $features = append $features (include "slurm.word" (dict "value" $value "name" (printf "%s.%s" $name $key))) }}{{ end -}}
{{- else }}{{ $_ := set $rest $key $value }}{{ end -}}
{{- end -}}
{{- printf "Features=%s %s" (join "," $features) (include "slurm.pairs" (dict "map" $rest "name" $name)) | trim -}}
{{- end -}}

{{/* "yes" if the operator sets the replicas of this entry of "slurm.nodesets". */}}
{{- define "slurm.autoscales" -}}
{{- if dig "enabled" false (.autoscaling | default dict) }}yes{{ end -}}
{{- end -}}

{{/* CPUs of a quantity such as 4 or 3500m: whole ones, as the kubelet counts them for slurmd. */}}
{{- define "slurm.wholeCpus" -}}
{{- $text := toString . -}}
{{- if hasSuffix "m" $text }}{{ divf (trimSuffix "m" $text | float64) 1000 | ceil | int64 }}{{ else }}{{ float64 $text | ceil | int64 }}{{ end -}}
{{- end -}}

{{/* MiB of a quantity such as 8Gi, 512Mi or 8000000000. */}}
{{- define "slurm.mebibytes" -}}
{{- $text := toString . -}}
{{- $units := dict "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776 "k" 1000 "M" 1000000 "G" 1000000000 "T" 1000000000000 -}}
{{- $unit := regexFind "[A-Za-z]+$" $text -}}
{{- divf (mulf (trimSuffix $unit $text | float64) (get $units $unit | default 1)) 1048576 | floor | int64 -}}
{{- end -}}

{{/*
Records of nodes that do not exist yet: without them Slurm refuses a job for a partition that has no nodes. No pod has these names, because they
do not end with a dash and a number.
*/}}
{{- define "slurm.futureNodes" -}}
{{- $limits := ternary (dig "resources" "limits" dict . | default dict) dict .useResourceLimits -}}
{{- $node := .autoscaling.node | default dict -}}
{{- $conf := include "slurm.nodeConf" . -}}
{{- with $node.gres -}}
{{- $conf = printf "%s Gres=%s" (regexReplaceAll "(?i) gres=\\S+" $conf "") (include "slurm.word" (dict "value" . "name" (printf "%s.autoscaling.node.gres" $.at))) -}}
{{- end -}}
{{- $sizes := list -}}
{{- range list (list "CPUs" $node.cpus (get $limits "cpu") "slurm.wholeCpus" 1024 " (cpus|sockets|boards|socketsperboard|corespersocket)=\\S+") (list "RealMemory" $node.memory (get $limits "memory") "slurm.mebibytes" 16777216 " realmemory=\\S+") -}}
{{- $given := printf "(?i)%s" (index . 5) -}}
{{- if index . 1 -}}
{{- $conf = regexReplaceAll $given $conf "" -}}
{{- $sizes = append $sizes (printf "%s=%d" (index . 0) (index . 1 | int64)) -}}
{{- else if not (regexMatch $given $conf) -}}
{{- $sizes = append $sizes (printf "%s=%s" (index . 0) (ternary (include (index . 3) (index . 2 | default 0)) (index . 4 | toString) (not (empty (index . 2))))) -}}
{{- end -}}
{{- end -}}
{{- printf "NodeName=%s-future[0-%d] %s %s State=FUTURE" .name (sub (int .autoscaling.maxReplicas) 1) $conf (join " " $sizes) -}}
{{- end -}}

{{/* gpu, and the other types of the node sets: Slurm refuses a Gres whose type is not in slurm.conf. */}}
{{- define "slurm.gresTypes" -}}
{{- $types := list "gpu" -}}
{{- range include "slurm.nodesets" . | fromJsonArray -}}
{{- $gres := regexReplaceAll "(?i)^(.* )?gres=(\\S+).*$|^.*$" (include "slurm.nodeConf" .) "${2}" -}}
{{- range splitList "," (regexReplaceAll "\\([^)]*\\)" $gres "") }}{{ with splitList ":" . | first }}{{ $types = append $types . }}{{ end }}{{ end -}}
{{- end -}}
{{- uniq $types | join "," -}}
{{- end -}}

{{- define "slurm.maxNodes" -}}
{{- $nodes := 0 -}}
{{- range include "slurm.nodesets" . | fromJsonArray -}}
{{- /* the records of autoscaling count, too */ -}}
{{- $nodes = add $nodes (ternary (mul 2 (dig "maxReplicas" 0 (.autoscaling | default dict) | int)) (int .replicas) (not (empty (include "slurm.autoscales" .)))) -}}
{{- end -}}
{{- max $nodes (int .Values.slurm.maxNodeCount) -}}
{{- end -}}

{{- define "slurm.fixed" -}}
{{- $r := .Release.Name -}}
{{- $nodes := include "slurm.maxNodes" . | int -}}
{{- $cgroups := include "slurm.cgroups" . -}}
# Cluster
ClusterName={{ include "slurm.cluster" . }}
SlurmctldHost={{ $r }}-controller-0({{ $r }}-controller.{{ include "slurm.namespace" . }})
SlurmctldPidFile=/var/run/slurmctld.pid
SlurmctldPort={{ include "slurm.slurmctldPort" . }}
SlurmdPidFile=/var/run/slurmd.pid
SlurmdPort={{ include "slurm.slurmdPort" . }}
SlurmdSpoolDir=/var/spool/slurmd
SlurmUser=slurm
SlurmdUser=root
StateSaveLocation=/var/spool/slurmctld
GresTypes={{ include "slurm.gresTypes" . }}
ReturnToService=2
MaxNodeCount={{ $nodes }}
# Logging: to stderr, which is the log of the container
LogTimeFormat=iso8601_ms,format_stderr
# Plugins
AuthType=auth/slurm
CredType=cred/slurm
AuthInfo=use_client_ids
AuthAltTypes=auth/jwt
AuthAltParameters=jwt_key=/etc/slurm/jwt_hs256.key
CommunicationParameters=block_null_hash
DisableRootJobs=YES
LaunchParameters=enable_nss_slurm,use_interactive_step,ulimit_pam_adopt
{{- /* Each existing node has a connection now and then; Slurm's default limit is for small clusters. */}}
{{- $parameters := list "enable_configless" }}
{{- if $cgroups }}{{ $parameters = append $parameters "enable_stepmgr" }}{{ end }}
{{- if gt $nodes 1024 }}{{ $parameters = append $parameters (printf "conmgr_max_connections=%d" (mul $nodes 2)) }}{{ end }}
SlurmctldParameters={{ join "," $parameters }}
{{- if $cgroups }}
ProctrackType=proctrack/cgroup
TaskPlugin=task/cgroup,task/affinity
PrologFlags=Contain
{{- else }}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
{{- end }}
# Accounting
{{- if .Values.accounting.enabled }}
JobAcctGatherType=jobacct_gather/{{ ternary "cgroup" "linux" (not (empty $cgroups)) }}
AccountingStorageTRES=gres/gpu
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost={{ $r }}-accounting
AccountingStoragePort=6819
{{- else }}
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
{{- end }}
{{- end -}}

{{- define "slurm.conf" -}}
{{- $values := .Values -}}
{{- $given := include "slurm.extraConf" . | fromJson -}}
{{- $extra := (include "slurm.extra" (merge (dict "words" (include "slurm.kept-words" . | fromJson)) $given) | fromJson).extra -}}
# Made by the chart slurm. A change of the values or of this ConfigMap reaches Slurm by itself.
{{ include "slurm.without" (dict "lines" (include "slurm.fixed" .) "extra" $extra) }}
{{- if regexMatch "(?i)slurmschedloglevel" (toJson $extra) }}
SlurmSchedLogFile=/dev/stderr
{{- end }}
{{- range $name, $script := $values.slurm.prologScripts }}{{ if $script }}
Prolog=prolog-{{ $name }}
{{- end }}{{ end }}
{{- range $name, $script := $values.slurm.epilogScripts }}{{ if $script }}
Epilog=epilog-{{ $name }}
{{- end }}{{ end }}
{{- range $kind := list "prolog" "epilog" }}
{{- range $name, $script := get $values.slurm (printf "%sSlurmctldScripts" $kind) | default dict }}{{ if $script }}
{{ title $kind }}Slurmctld=/etc/slurm/{{ $kind }}-slurmctld-{{ $name }}
{{- end }}{{ end }}
{{- end }}
# Compute: nodes register by themselves
{{- range include "slurm.nodesets" . | fromJsonArray }}
{{- if include "slurm.autoscales" . }}
{{ include "slurm.futureNodes" . }}
{{- end }}
NodeSet={{ .name }} Feature={{ .name }}
{{- if .partition.enabled }}
{{ printf "PartitionName=%s Nodes=%s %s" .name .name (include "slurm.pairs" (dict "map" .partition.config "name" (printf "%s.partition.config" .at))) | trim }}
{{- end }}
{{- end }}
{{- range $i, $partition := $values.compute.partitions }}
{{- if and (dig "enabled" true $partition) $partition.nodesets }}
{{ printf "PartitionName=%s Nodes=%s %s" $partition.name (join "," $partition.nodesets) (include "slurm.pairs" (dict "map" $partition.config "name" (printf "compute.partitions[%d].config" $i))) | trim }}
{{- end }}
{{- end }}
# From the values
{{- with $extra }}
{{ include "slurm.lines" (dict "map" . "name" $given.name) }}
{{- end }}
{{- end -}}

{{- define "slurmdbd.fixed" -}}
{{- $accounting := .Values.accounting -}}
{{- $database := $accounting.external -}}
{{- if not $database.enabled }}{{ $database = dict "host" (printf "%s-mariadb" .Release.Name) "port" 3306 "user" .Values.mariadb.auth.username "database" .Values.mariadb.auth.database }}{{ end -}}
{{- $name := ternary "accounting.external" "mariadb.auth" $accounting.external.enabled -}}
DbdHost={{ .Release.Name }}-accounting-0
DbdPort=6819
PidFile=/var/run/slurmdbd.pid
SlurmUser=slurm
AuthType=auth/slurm
AuthAltTypes=auth/jwt
AuthAltParameters=jwt_key=/etc/slurm/jwt_hs256.key
AuthInfo=use_client_ids
StorageType=accounting_storage/mysql
StorageHost={{ include "slurm.word" (dict "value" $database.host "name" (printf "%s.host" $name)) }}
StoragePort={{ int $database.port }}
StorageUser={{ include "slurm.word" (dict "value" $database.user "name" (printf "%s.user" $name)) }}
StorageLoc={{ include "slurm.word" (dict "value" $database.database "name" (printf "%s.database" $name)) }}
StoragePass=$MARIADB_PASSWORD
LogTimeFormat=iso8601_ms,format_stderr
{{- end -}}

{{- define "slurmdbd.conf" -}}
{{- $values := .Values -}}
{{- $given := include "slurmdbd.extraConf" . | fromJson -}}
{{- $extra := (include "slurm.extra" (merge (dict "words" (include "slurm.kept-words" . | fromJson)) $given) | fromJson).extra -}}
# Made by the chart slurm. The password is put in when the pod starts.
{{ include "slurm.without" (dict "lines" (include "slurmdbd.fixed" .) "extra" $extra) }}
{{- with $extra }}
{{ include "slurm.lines" (dict "map" . "name" $given.name) }}
{{- end }}
{{- end -}}
