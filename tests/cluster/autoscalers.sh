# shellcheck shell=bash
# Prometheus, KEDA and prometheus-adapter for a story. Source it behind tests/helm/release.sh, with KEDA and ADAPTER, the directories of tools/cluster autoscalers.
#
# KEDA and prometheus-adapter run in pods of their own manifests, with their own accounts and rights. What is another: the image is one of ours, into which the programs
# are mounted, as no user in particular. Prometheus is Debian's, a process beside the control plane, behind a Service of the name that kube-prometheus-stack gives it.
# shellcheck source=tests/monitoring/prometheus.sh
. tests/monitoring/prometheus.sh
NODE_IP=192.168.77.1
AT=$NODE_IP:9090

# Another user runs them, so they are copied to where that user may read.
programs_for_pods() { # DIR NAME: prints where they are
	local to=${SLURM_OPERATOR_STATE:-$TOP/.cluster}/programs/$2
	mkdir -p "$to"
	chmod 755 "$to" "${to%/*}"
	find "$1" -maxdepth 1 -type f -exec install -m 755 -t "$to" {} +
	printf '%s' "$to"
}

# A patch by which the container of a Deployment runs PROGRAM of DIR.
runs_program() { # DEPLOYMENT CONTAINER DIR PROGRAM
	cat <<-Y
		  - target: {kind: Deployment, name: $1}
		    patch: |
		      apiVersion: apps/v1
		      kind: Deployment
		      metadata: {name: $1}
		      spec:
		        template:
		          spec:
		            securityContext: {runAsUser: 65534}
		            containers:
		              - name: $2
		                image: localhost/sackd:24.11
		                imagePullPolicy: IfNotPresent
		                command: [/programs/$4]
		                readinessProbe: {initialDelaySeconds: 1, periodSeconds: 1}
		                volumeMounts: [{name: programs, mountPath: /programs, readOnly: true}]
		            volumes: [{name: programs, hostPath: {path: $3, type: Directory}}]
	Y
}

# ---- KEDA
apply_keda() { # PART...
	local at
	at=$(programs_for_pods "$KEDA" keda)
	{
		echo "resources: [$(IFS=,; echo "$*")]"
		echo "patches:"
		case " $* " in *" manager "*)
			runs_program keda-operator keda-operator "$at" operator
			# the admission webhook of KEDA is not here
			cat <<-'Y'
				  - target: {kind: Deployment, name: keda-operator}
				    patch: |
				      - {op: add, path: /spec/template/spec/containers/0/args/-, value: --enable-webhook-patching=false}
			Y
			;;
		esac
		case " $* " in *" metrics-server "*) runs_program keda-metrics-apiserver keda-metrics-apiserver "$at" adapter ;; esac
	} >"$WORK/keda/kustomization.yaml"
	kubectl kustomize "$WORK/keda" >"$WORK/keda.yaml"
	kubectl apply --server-side -f "$WORK/keda.yaml" >"$WORK/said" 2>&1
}
has_certificates() { kubectl -n keda get secret kedaorg-certs -o 'jsonpath={.data.tls\.crt}' | grep >/dev/null .; }
keda_up() {
	cp -r "$KEDA/manifests" "$WORK/keda"
	apply_keda crd general rbac service_account manager
	poll 90 "KEDA's certificates" has_certificates
	apply_keda crd general rbac service_account manager metrics-server
	kubectl -n keda rollout status deployment --timeout=180s >"$WORK/said" 2>&1
	kubectl wait --for=condition=Available apiservice v1beta1.external.metrics.k8s.io --timeout=120s >/dev/null
}

# ---- Prometheus
# What the Prometheus operator makes of the chart's ServiceMonitor.
scrape_config() {
	k get servicemonitor slurm-exporter -o json | jq --arg kubeconfig "$KUBECONFIG" '{scrape_configs: [.metadata as $m | .spec.selector.matchLabels as $labels | .spec.endpoints[] | {
		job_name: "serviceMonitor/\($m.namespace)/\($m.name)/0", scrape_interval: (.interval // "30s"), scrape_timeout: (.scrapeTimeout // .interval // "10s"), metrics_path: (.path // "/metrics"),
		kubernetes_sd_configs: [{role: "endpoints", kubeconfig_file: $kubeconfig, namespaces: {names: [$m.namespace]}}],
		relabel_configs: ([$labels | to_entries[] | {action: "keep", source_labels: ["__meta_kubernetes_service_label_\(.key | gsub("[^a-zA-Z0-9_]"; "_"))"], regex: .value}] + [
			{action: "keep", source_labels: ["__meta_kubernetes_endpoint_port_name"], regex: .port},
			{source_labels: ["__meta_kubernetes_namespace"], target_label: "namespace"},
			{source_labels: ["__meta_kubernetes_service_name"], target_label: "service"},
			{source_labels: ["__meta_kubernetes_pod_name"], target_label: "pod"},
			{source_labels: ["__meta_kubernetes_pod_container_name"], target_label: "container"},
			{source_labels: ["__meta_kubernetes_service_name"], target_label: "job"},
			{target_label: "endpoint", replacement: .port}])}]}'
}
has_radar() { [ "$(answers 'slurm_partition_pending_jobs{namespace="slurm",service="slurm-exporter",partition="radar"}')" = 1 ]; }
prometheus_up() {
	mkdir -p "$WORK/prometheus"
	scrape_config >"$WORK/prometheus/prometheus.yaml"
	start_prometheus "$WORK/prometheus"
	make_namespace prometheus
	kubectl apply -f - >/dev/null <<-Y
		apiVersion: v1
		kind: Service
		metadata: {name: prometheus-kube-prometheus-prometheus, namespace: prometheus}
		spec: {ports: [{name: http-web, port: 9090}]}
		---
		apiVersion: discovery.k8s.io/v1
		kind: EndpointSlice
		metadata: {name: prometheus, namespace: prometheus, labels: {kubernetes.io/service-name: prometheus-kube-prometheus-prometheus}}
		addressType: IPv4
		ports: [{name: http-web, port: 9090}]
		endpoints: [{addresses: [$NODE_IP]}]
	Y
	poll 120 "Prometheus to have the exporter's metrics" has_radar
}

# ---- prometheus-adapter
# Its manifests serve what "kubectl top" asks for; its chart registers the API of custom metrics instead when it has rules for it.
adapter_up() {
	local at=$WORK/adapter resources
	cp -r "$ADAPTER/manifests" "$at"
	rm "$at/api-service.yaml" "$at/config-map.yaml" "$at/pod-disruption-budget.yaml"
	resources=$(cd "$at" && echo ./*.yaml | tr ' ' ',')
	make_namespace monitoring
	# the values of the page: its rules are the adapter's own configuration
	sed -n '/^  custom:/,$p' "$EXAMPLES/prometheus-adapter.yaml" | sed 's/^  custom:/rules:/; s/^  //' >"$WORK/config.yaml"
	kubectl -n monitoring create configmap adapter-config --from-file="$WORK/config.yaml" --dry-run=client -o yaml | kubectl apply -f - >/dev/null
	{
		echo "resources: [$resources]"
		echo "patches:"
		runs_program prometheus-adapter prometheus-adapter "$(programs_for_pods "$ADAPTER" prometheus-adapter)" adapter
		cat <<-Y
			  - target: {kind: Deployment, name: prometheus-adapter}
			    patch: |
			      - {op: replace, path: /spec/replicas, value: 1}
			      - op: replace
			        path: /spec/template/spec/containers/0/args
			        value: [--cert-dir=/var/run/serving-cert, --config=/etc/adapter/config.yaml, --secure-port=6443, --metrics-relist-interval=10s,
			          "--prometheus-url=$(sed -n 's/^  url: //p' "$EXAMPLES/prometheus-adapter.yaml"):9090/"]
		Y
	} >"$at/kustomization.yaml"
	kubectl kustomize "$at" | kubectl apply --server-side -f - >"$WORK/said" 2>&1
	kubectl apply -f - >/dev/null <<-'Y'
		apiVersion: apiregistration.k8s.io/v1
		kind: APIService
		metadata: {name: v1beta1.custom.metrics.k8s.io}
		spec:
		  {group: custom.metrics.k8s.io, version: v1beta1, groupPriorityMinimum: 100, versionPriority: 100, insecureSkipTLSVerify: true, service: {name: prometheus-adapter, namespace: monitoring}}
		---
		apiVersion: rbac.authorization.k8s.io/v1
		kind: ClusterRole
		metadata: {name: custom-metrics-server-resources}
		rules: [{apiGroups: [custom.metrics.k8s.io], resources: ["*"], verbs: ["*"]}]
	Y
	kubectl -n monitoring rollout status deployment --timeout=120s >"$WORK/said" 2>&1
	kubectl wait --for=condition=Available apiservice v1beta1.custom.metrics.k8s.io --timeout=120s >/dev/null
}

# ---- the end
tell_autoscalers() {
	k get scaledobjects,hpa -o wide || true
	k describe hpa | sed -n '/^Conditions/,$p' || true
	kubectl get apiservices v1beta1.external.metrics.k8s.io v1beta1.custom.metrics.k8s.io || true
	tell_not_ready keda monitoring || true
	kubectl -n keda logs deployment/keda-operator --tail=15 || true
	tail -n 5 "$WORK/prometheus/log" || true
}
end_autoscalers() {
	k delete scaledobjects,hpa --all --timeout=30s >/dev/null 2>&1 || true
	kubectl delete apiservice v1beta1.external.metrics.k8s.io v1beta1.custom.metrics.k8s.io --ignore-not-found >/dev/null 2>&1 || true
	kubectl delete -f "$WORK/keda.yaml" --ignore-not-found --wait=false >/dev/null 2>&1 || true
	kubectl kustomize "$WORK/adapter" 2>/dev/null | kubectl delete -f - --ignore-not-found --wait=false >/dev/null 2>&1 || true
	kubectl delete clusterrole custom-metrics-server-resources --ignore-not-found >/dev/null 2>&1 || true
	kubectl delete -f "$FOREIGN" --ignore-not-found --wait=false >/dev/null 2>&1 || true
	end_namespaces prometheus
	stop_prometheus
	rm -rf "${SLURM_OPERATOR_STATE:-$TOP/.cluster}/programs"
}
