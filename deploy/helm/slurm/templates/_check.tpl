{{/* Refuses values that cannot work, before any object is rendered, with one sentence that names the value. templates/check/values.yaml, which Helm renders first, starts with this. */}}

{{- define "slurm.check" -}}
{{- include "slurm.checkNames" . -}}
{{- include "slurm.checkSlinky" . -}}
{{- include "slurm.checkObjects" . -}}
{{- include "slurm.checkSettings" . -}}
{{- include "slurm.checkMariadb" . -}}
{{- include "slurm.checkNodesets" . -}}
{{- include "slurm.checkPartitions" . -}}
{{- include "slurm.checkFiles" . -}}
{{- include "slurm.checkAccounting" . -}}
{{- include "slurm.checkLogin" . -}}
{{- include "slurm.checkOld" . -}}
{{- include "slurm.checkMetadata" . -}}
{{- include "slurm.checkHomes" . -}}
{{- end -}}

{{- define "slurm.checkNames" -}}
{{- $r := .Release.Name -}}
{{- if or (gt (len $r) 40) (contains "." $r) -}}
{{- fail (printf "the name of the release, %s, is part of the names of machines: it must have at most 40 characters and no dot" $r) -}}
{{- end -}}
{{- if not (regexMatch "^[a-z]" $r) -}}
{{- fail (printf "the name of the release, %s, is the beginning of names of Services: it must begin with a letter" $r) -}}
{{- end -}}
{{- $cluster := include "slurm.cluster" . -}}
{{- if not (regexMatch "^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$" $cluster) -}}
{{- fail (printf "nameOverride: %q must be of lower-case letters, digits and dashes, at most 40 characters" $cluster) -}}
{{- end -}}
{{- range include "slurm.clustersThere" . | fromJsonArray -}}
{{- $owner := dig "metadata" "annotations" "meta.helm.sh/release-name" $r . -}}
{{- if and (eq .metadata.name $cluster) (ne $owner $r) -}}
{{- fail (printf "nameOverride: release %s has the Cluster %s of this namespace already: give this release another nameOverride" $owner $cluster) -}}
{{- end -}}
{{- if and (ne .metadata.name $cluster) (eq (dig "metadata" "annotations" "meta.helm.sh/release-name" "" .) $r) -}}
{{- fail (printf "nameOverride: the Slurm of release %s is named %s, and slurmctld goes on under no other name than that of its state: set nameOverride to %s" $r .metadata.name .metadata.name) -}}
{{- end -}}
{{- end -}}
{{- if gt (include "slurm.maxNodes" . | int) 65536 -}}
{{- fail "slurm.maxNodeCount: Slurm has at most 65536 nodes, and the replicas of compute.nodesets count" -}}
{{- end -}}
{{- end -}}

{{/* The Clusters of the namespace. */}}
{{- define "slurm.clustersThere" -}}
{{- $there := dict -}}
{{- if .Capabilities.APIVersions.Has "slinky.slurm.net/v1alpha1/Cluster" -}}
{{- $there = lookup "slinky.slurm.net/v1alpha1" "Cluster" (include "slurm.namespace" .) "" | default dict -}}
{{- end -}}
{{- $there.items | default list | toJson -}}
{{- end -}}

{{/* Names of existing objects, which may contain templates. */}}
{{- define "slurm.checkObjects" -}}
{{- $given := dict "slurm.auth.secretName" (include "slurm.authSecret" .) "jwt.hs256.secretName" (include "slurm.jwtSecret" .) "mariadb.auth.existingSecret" (include "slurm.mariadbSecret" .) -}}
{{- $_ := set $given "accounting.external.secretName" (include "slurm.databaseSecret" .) -}}
{{- $_ := set $given "controller.persistence.existingClaim" (tpl (.Values.controller.persistence.existingClaim | default "") .) -}}
{{- $_ := set $given "mariadb.primary.persistence.existingClaim" (tpl (.Values.mariadb.primary.persistence.existingClaim | default "") .) -}}
{{- $_ := set $given "slurm-exporter.exporter.secretName" (include "slurm.exporterSecret" .) -}}
{{- range $name, $value := $given -}}
{{- if not (regexMatch "^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?)?$" ($value | default "")) -}}
{{- fail (printf "%s: %q is no name of an object of Kubernetes: lower-case letters, digits, dashes and dots" $name $value) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "slurm.checkNodesets" -}}
{{- $r := .Release.Name -}}
{{- $names := list -}}
{{- range include "slurm.nodesets" . | fromJsonArray -}}
{{- if has (upper .name) (list "ALL" "DEFAULT") }}{{ fail (printf "%s.name: %s has a meaning of its own in Slurm: choose another name" .at (upper .name)) }}{{ end -}}
{{- if not (regexMatch "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$" .name) -}}
{{- fail (printf "%s.name: %q must be of lower-case letters, digits and dashes" .at .name) -}}
{{- end -}}
{{- if gt (add (len $r) (len .name)) 48 -}}
{{- fail (printf "%s.name: %q and the name of the release, %s, have more than 48 characters together" .at .name $r) -}}
{{- end -}}
{{- if eq .name (printf "%s-controller" $r) }}{{ fail (printf "%s.name: a node of it would be called as the machine of slurmctld, %s-0: choose another name" .at .name) }}{{ end -}}
{{- if include "slurm.autoscales" . -}}
{{- $most := int64 (.autoscaling.maxReplicas | default 0) -}}
{{- if lt $most 1 }}{{ fail (printf "%s.autoscaling.maxReplicas: the most nodes that the operator may bring up, at least 1" .at) }}{{ end -}}
{{- if gt (int64 (.autoscaling.minReplicas | default 0)) $most }}{{ fail (printf "%s.autoscaling.minReplicas: must not be more than maxReplicas, which is %d" .at $most) }}{{ end -}}
{{- end -}}
{{- if has .name $names }}{{ fail (printf "%s.name: two node sets are called %q" .at .name) }}{{ end -}}
{{- $names = append $names .name -}}
{{- end -}}
{{- range include "slurm.nodesets" . | fromJsonArray -}}
{{- if has (regexReplaceAll "-[0-9]+$" .name "") (without $names .name) -}}
{{- fail (printf "%s.name: %q is the name that a node of node set %q has: choose another name" .at .name (regexReplaceAll "-[0-9]+$" .name "")) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "slurm.checkPartitions" -}}
{{- $nodesets := list -}}
{{- $names := list -}}
{{- range include "slurm.nodesets" . | fromJsonArray -}}
{{- $nodesets = append $nodesets .name -}}
{{- if .partition.enabled }}{{ $names = append $names .name }}{{ end -}}
{{- end -}}
{{- range $i, $partition := .Values.compute.partitions -}}
{{- $at := printf "compute.partitions[%d]" $i -}}
{{- if dig "enabled" true $partition -}}
{{- if not (regexMatch "^[A-Za-z0-9][-A-Za-z0-9_.]*$" ($partition.name | default "" | toString)) -}}
{{- fail (printf "%s.name: %q must be of letters, digits, dashes, dots and underscores" $at ($partition.name | default "" | toString)) -}}
{{- end -}}
{{- if eq (upper $partition.name) "DEFAULT" }}{{ fail (printf "%s.name: DEFAULT has a meaning of its own in Slurm: choose another name" $at) }}{{ end -}}
{{- if and (has "ALL" ($partition.nodesets | default list)) (gt (len $partition.nodesets) 1) -}}
{{- fail (printf "%s.nodesets: ALL stands for all nodes: name it alone" $at) -}}
{{- end -}}
{{- range $partition.nodesets -}}
{{- if not (or (eq . "ALL") (has . $nodesets)) -}}
{{- fail (printf "%s.nodesets: there is no enabled node set %q in compute.nodesets" $at .) -}}
{{- end -}}
{{- end -}}
{{- if and (has $partition.name $names) $partition.nodesets -}}
{{- fail (printf "%s.name: two partitions are called %q; a node set has one of its own name unless its partition.enabled is false" $at $partition.name) -}}
{{- end -}}
{{- $names = append $names $partition.name -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "slurm.checkFiles" -}}
{{- range $name, $_ := .Values.slurm.configFiles -}}
{{- if has $name (list "slurm.conf" "slurmdbd.conf") -}}
{{- fail (printf "slurm.configFiles: this chart writes %s itself: use slurm.extraSlurmConf or slurm.extraSlurmdbdConf" $name) -}}
{{- end -}}
{{- if or (not (regexMatch "^[A-Za-z0-9][-A-Za-z0-9_.]*$" $name)) (hasSuffix ".key" $name) -}}
{{- fail (printf "slurm.configFiles: %q is no name of a file of configuration" $name) -}}
{{- end -}}
{{- end -}}
{{- range $key := list "prologScripts" "epilogScripts" "prologSlurmctldScripts" "epilogSlurmctldScripts" -}}
{{- range $name, $script := get $.Values.slurm $key | default dict -}}
{{- if not (regexMatch "^[A-Za-z0-9][-A-Za-z0-9_.]*$" $name) -}}
{{- fail (printf "slurm.%s: %q is no name of a file: letters, digits, dashes, dots and underscores" $key $name) -}}
{{- end -}}
{{- if and $script (not (hasPrefix "#!" $script)) -}}
{{- fail (printf "slurm.%s.%s: its first line must say what runs it, as #!/bin/sh: Slurm takes a script that cannot run for a broken node" $key $name) -}}
{{- end -}}
{{- $file := printf "%s-%s" (trimSuffix "Scripts" $key | replace "Slurmctld" "-slurmctld") $name -}}
{{- $nodes := printf "%sScripts" (regexFind "^(pro|epi)log" $key) -}}
{{- if and (contains "Slurmctld" $key) (hasKey (get $.Values.slurm $nodes | default dict) (printf "slurmctld-%s" $name)) -}}
{{- fail (printf "slurm.%s.%s: slurm.%s.slurmctld-%s would be the same file: choose another name" $key $name $nodes $name) -}}
{{- end -}}
{{- if hasKey ($.Values.slurm.configFiles | default dict) $file -}}
{{- fail (printf "slurm.%s.%s: a file of its name is in slurm.configFiles too" $key $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "slurm.checkAccounting" -}}
{{- $external := .Values.accounting.external -}}
{{- if .Values.accounting.enabled -}}
{{- if and .Values.mariadb.enabled $external.enabled -}}
{{- fail "accounting.external.enabled: slurmdbd has one database: set mariadb.enabled to false, or this" -}}
{{- end -}}
{{- if not (or .Values.mariadb.enabled $external.enabled) -}}
{{- fail "accounting.enabled: slurmdbd needs a database: enable mariadb or accounting.external, or disable accounting" -}}
{{- end -}}
{{- if $external.enabled -}}
{{- if not $external.host }}{{ fail "accounting.external.host: where is the database?" }}{{ end -}}
{{- if regexMatch "^[^:]*:[0-9]*$|/" $external.host -}}
{{- fail (printf "accounting.external.host: %q has more than the name of a host; the port is accounting.external.port" $external.host) -}}
{{- end -}}
{{- range $key := list "user" "database" -}}
{{- if not (get $external $key) }}{{ fail (printf "accounting.external.%s: slurmdbd needs one" $key) }}{{ end -}}
{{- end -}}
{{- if regexMatch "[\"\\\\\\p{Cc}]" ($external.password | default "") -}}
{{- fail "accounting.external.password: slurmdbd cannot read one with a quote, a backslash or a line break" -}}
{{- end -}}
{{- if eq (int $external.port) 6819 -}}
{{- fail "accounting.external.port: 6819 is the port of slurmdbd; since 0.3 this is a database, and slurmdbd runs here" -}}
{{- end -}}
{{- if not (or $external.secretName $external.password) -}}
{{- fail "accounting.external.secretName: the database has a password: name a Secret with key mariadb-password, or set accounting.external.password" -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if .Values.mariadb.enabled -}}
{{- range $key := list "tls" "tde" "metrics" -}}
{{- if dig $key "enabled" false $.Values.mariadb -}}
{{- fail (printf "mariadb.%s.enabled: the database of this chart does not have that: use accounting.external with a database of yours" $key) -}}
{{- end -}}
{{- end -}}
{{- range $key := list "username" "database" -}}
{{- if not (regexMatch "^[A-Za-z0-9_]{1,32}$" (get $.Values.mariadb.auth $key | toString)) -}}
{{- fail (printf "mariadb.auth.%s: letters, digits and underscores, at most 32" $key) -}}
{{- end -}}
{{- if has (get $.Values.mariadb.auth $key | lower) (list "root" "mysql" "sys" "information_schema" "performance_schema") -}}
{{- fail (printf "mariadb.auth.%s: %s is the database's own" $key (get $.Values.mariadb.auth $key)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if include "slurm.hasExporter" . -}}
{{- if not (include "slurm.exporterSecret" .) -}}
{{- fail "slurm-exporter.exporter.secretName: the exporter needs the name of a Secret for its token" -}}
{{- end -}}
{{- include "slurm.checkExporter" (dict "of" (index .Values "slurm-exporter").exporter "at" "slurm-exporter.exporter") -}}
{{- end -}}
{{- if and .Values.jwt.writeTo (ne .Values.jwt.tokens "operator") -}}
{{- fail "jwt.writeTo: the operator renews those tokens, so it needs jwt.tokens: operator" -}}
{{- end -}}
{{- $seen := include "slurm.ownSecrets" . | fromJsonArray -}}
{{- range (include "slurm.recipients" . | fromJson).all -}}
{{- if has .secretRef $seen -}}
{{- fail (printf "jwt.writeTo: Secret %q is named twice, or holds something else of this release" .secretRef) -}}
{{- end -}}
{{- $seen = append $seen .secretRef -}}
{{- end -}}
{{- end -}}

{{- define "slurm.checkLogin" -}}
{{- $names := list "root" "slurm" -}}
{{- $uids := list -}}
{{- range $i, $user := .Values.login.users -}}
{{- $at := printf "login.users[%d]" $i -}}
{{- if not (regexMatch "^[a-z_][-a-z0-9_]{0,31}$" $user.name) }}{{ fail (printf "%s.name: %q is no name of a user" $at $user.name) }}{{ end -}}
{{- if has $user.name $names }}{{ fail (printf "%s.name: there is a user %q already" $at $user.name) }}{{ end -}}
{{- if has (int64 $user.uid) $uids }}{{ fail (printf "%s.uid: another user has %d" $at (int64 $user.uid)) }}{{ end -}}
{{- range $j, $key := $user.sshAuthorizedKeys -}}
{{- if not (trim $key) }}{{ fail (printf "%s.sshAuthorizedKeys[%d]: an empty text is no key: is the file of the public key there?" $at $j) }}{{ end -}}
{{- if contains "PRIVATE KEY" $key }}{{ fail (printf "%s.sshAuthorizedKeys[%d]: this is a private key: give the line of the file whose name ends with .pub" $at $j) }}{{ end -}}
{{- end -}}
{{- $names = append $names $user.name -}}
{{- $uids = append $uids (int64 $user.uid) -}}
{{- range $key := list "home" "shell" -}}
{{- if not (regexMatch "^(/[-A-Za-z0-9_./]*)?$" (get $user $key | default "")) }}{{ fail (printf "%s.%s: a path" $at $key) }}{{ end -}}
{{- end -}}
{{- end -}}
{{- range $key, $_ := .Values.login.sshdConfig -}}
{{- if not (regexMatch "^[A-Za-z][A-Za-z0-9]*$" $key) }}{{ fail (printf "login.sshdConfig: %q is no keyword of sshd" $key) }}{{ end -}}
{{- if eq (lower $key) "match" }}{{ fail "login.sshdConfig.Match: what belongs to a Match cannot be said here: mount a file into /etc/ssh/sshd_config.d by login.extraVolumes" }}{{ end -}}
{{- end -}}
{{- $sssd := .Values.login.sssdConf | default dict -}}
{{- range $domain, $map := $sssd.domains -}}
{{- if not (regexMatch "^[A-Za-z0-9][-A-Za-z0-9_./]*$" $domain) }}{{ fail (printf "login.sssdConf.domains: %q is no name of a domain" $domain) }}{{ end -}}
{{- template "slurm.checkSssdKeys" (dict "name" (printf "login.sssdConf.domains.%s" $domain) "map" ($map | default dict)) -}}
{{- end -}}
{{- range $section := list "sssd" "nss" "pam" -}}
{{- template "slurm.checkSssdKeys" (dict "name" (printf "login.sssdConf.%s" $section) "map" (get $sssd $section | default dict)) -}}
{{- end -}}
{{- end -}}

{{- define "slurm.checkSssdKeys" -}}
{{- $name := .name -}}
{{- range $key, $_ := .map -}}
{{- if not (regexMatch "^[A-Za-z][A-Za-z0-9_]*$" $key) }}{{ fail (printf "%s: %q is no name of a setting of sssd" $name $key) }}{{ end -}}
{{- end -}}
{{- end -}}

{{/* Values of 0.1 and 0.2 that have another meaning here. */}}
{{- define "slurm.checkOld" -}}
{{- if not (dig "enabled" true .Values.controller) -}}
{{- fail "controller.enabled: there is no Slurm without its slurmctld" -}}
{{- end -}}
{{- range $key := list "controller" "accounting" -}}
{{- if gt (dig "replicas" 1 (get $.Values $key) | int) 1 }}{{ fail (printf "%s.replicas: there is one of it" $key) }}{{ end -}}
{{- end -}}
{{- range include "slurm.nodesets" . | fromJsonArray -}}
{{- $rolling := dig "updateStrategy" "rollingUpdate" dict . | default dict -}}
{{- if or (get $rolling "partition") (get $rolling "paused") -}}
{{- fail (printf "%s.updateStrategy.rollingUpdate: partition and paused were of 0.1; to hold a roll-out use type OnDelete" .at) -}}
{{- end -}}
{{- end -}}
{{- end -}}
