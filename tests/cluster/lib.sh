# shellcheck shell=bash
# Words for the stories on the real cluster and for the demo. Source it inside "tools/cluster run".
NS=${NS:-slurm}
OPERATOR=${OPERATOR:-$TOP/build/slurm-operator}
OPERATOR_LOG=${OPERATOR_LOG:-${SLURM_OPERATOR_STATE:-$TOP/.cluster}/log/slurm-operator.log}
OPERATOR_PID=
PORT=${PORT:-18080} # of the metrics; the next one is of the health, or of a second manager's metrics

k() { kubectl -n "$NS" --request-timeout=20s "$@"; }
ctl() { timeout 60 kubectl -n "$NS" exec deploy/slurm-controller -c slurmctld -- "$@"; }

# poll SECONDS WHAT CMD...: until the command succeeds; WHAT says what is waited for. PATIENCE=n: n times as long, on a machine that is busy otherwise
# Between two looks twice the time of a look passes, from 0.5 s to 5 s: on a busy machine the looks of several stories would take most of it.
poll() {
	local deadline=$((SECONDS + $1 * ${PATIENCE:-1})) what=$2 began pause_ms
	shift 2
	while began=${EPOCHREALTIME/./}; ! "$@" >/dev/null 2>&1; do
		if [ "$SECONDS" -ge "$deadline" ]; then
			# shellcheck disable=SC2034 # tests/cluster/broken.sh tells it
			WAITED_FOR=$what
			echo "waited in vain: $what" >&2
			return 1
		fi
		pause_ms=$(((${EPOCHREALTIME/./} - began) / 500))
		[ "$pause_ms" -ge 500 ] || pause_ms=500
		[ "$pause_ms" -le 5000 ] || pause_ms=5000
		sleep "$((pause_ms / 1000)).$(printf %03d $((pause_ms % 1000)))"
	done
}

# ---- the operator, as a process in the cluster's network
# From now on it acts with the roles that it prints, and under their policy, as in a pod.
MANAGER_KUBECONFIG=
take_account() { # FILE [OPTION-OF-RBAC...]
	local file=$1
	shift
	"$OPERATOR" rbac "--leader-election-namespace=$NS" "$@" | kubectl apply -f - >/dev/null
	kubectl config view --raw --flatten >"$file"
	kubectl --kubeconfig "$file" config set-credentials manager --token="$(k create token slurm-operator --duration=12h)" >/dev/null
	kubectl --kubeconfig "$file" config set-context --current --user=manager >/dev/null
	MANAGER_KUBECONFIG=$file
}
spawn_operator() { # ARG...; PROBES and METRICS: addresses other than the usual ones
	KUBECONFIG=${MANAGER_KUBECONFIG:-${KUBECONFIG:-}} "$OPERATOR" manager --health-probe-bind-address "${PROBES:-127.0.0.1:$((PORT + 1))}" --metrics-bind-address "${METRICS:-127.0.0.1:$PORT}" "$@" >>"$OPERATOR_LOG" 2>&1 &
	OPERATOR_PID=$!
}
start_operator() { # ARG...
	spawn_operator "$@"
	poll 20 "the operator to be ready" curl -sf "http://127.0.0.1:$((PORT + 1))/readyz"
}
stop_operator() { # SIGNAL
	[ -n "$OPERATOR_PID" ] || return 0
	kill "-${1:-TERM}" "$OPERATOR_PID" 2>/dev/null || true
	wait "$OPERATOR_PID" 2>/dev/null || true
	OPERATOR_PID=
}

# Of one of two managers: whether it leads, and how much it has done; "- -" when it is dead.
manager_metrics() { # 0 or 1
	curl -sf -m 2 "http://127.0.0.1:$((PORT + $1))/metrics" |
		awk '$1 == "slurm_operator_leading" { lead = $2 } /^slurm_operator_actions_total/ { acts += $2 }
			END { print lead == "" ? "-" : lead, NR ? acts + 0 : "-" }'
}

# What a story before has left of it goes first.
make_namespace() { # NAME
	[ "$(kubectl get namespace "$1" -o jsonpath='{.status.phase}' --ignore-not-found)" != Terminating ] ||
		kubectl wait --for=delete "namespace/$1" --timeout=300s >/dev/null
	kubectl create namespace "$1" --dry-run=client -o yaml | kubectl apply -f - >/dev/null
}

# Namespaces that a story before has deleted may still hold its operator, and charts refuse to be installed beside another one.
await_deleted_namespaces() {
	kubectl get namespaces --no-headers | awk '$2 == "Terminating" { print $1 }' | xargs -r -n 1 kubectl wait --for=delete --timeout=180s namespace >/dev/null
}

# Once no operator runs, which would give the finalizers back: what waits for one is let go.
let_go() { # NAMESPACE...
	local space object
	for space; do
		for object in $(kubectl -n "$space" get nodesets,clusters -o name 2>/dev/null || true); do
			kubectl -n "$space" patch "$object" --type=merge -p '{"metadata":{"finalizers":null}}' >/dev/null 2>&1 || true
		done
	done
}
end_namespaces() { # NAME...
	let_go "$@"
	kubectl delete namespace "$@" --ignore-not-found --wait=false >/dev/null 2>&1 || true
}

# "kubectl delete --wait" may wait for ever for a pod whose name a new one has at once.
is_another() { # NAME UID: it has gone; the API server says so
	local uid
	uid=$(k get pod "$1" -o jsonpath='{.metadata.uid}' --ignore-not-found) && [ "$uid" != "$2" ]
}
end_pods() { # NAME...: until they have gone
	local name uid uids=()
	for name; do
		uid=$(pod_uid "$name") || { echo "pod $name is not there" >&2; return 1; }
		uids+=("$uid")
	done
	k delete pod "$@" --wait=false >/dev/null
	for uid in "${uids[@]}"; do
		poll 120 "pod $1 to go" is_another "$1" "$uid"
		shift
	done
}

# ---- what is not ready
not_ready() { # NAMESPACE: "POD READY STATUS" a line
	kubectl -n "$1" get pods --no-headers 2>/dev/null | awk '{ split($2, n, "/") } $3 != "Completed" && n[1] != n[2] { print $1, $2, $3 }'
}
# Why a container waits, its Events and the end of its log.
tell_pod() { # NAMESPACE POD
	echo "--- pod $2 in namespace $1"
	kubectl -n "$1" get pod "$2" -o jsonpath='{range .status.conditions[?(@.status=="False")]}{.type}=False {.reason} {.message}{"\n"}{end}{range .status.initContainerStatuses[*]}{.name}: {.state}{"\n"}{end}{range .status.containerStatuses[*]}{.name}: {.state}{"\n"}{end}' |
		grep -vE ': \{"(running|terminated":\{.*"exitCode":0)' || true
	kubectl -n "$1" get events --field-selector "involvedObject.name=$2" --sort-by=.lastTimestamp --no-headers -o custom-columns=TYPE:.type,REASON:.reason,MESSAGE:.message | tail -n 4 || true
	kubectl -n "$1" logs "$2" --all-containers --prefix --ignore-errors --tail=8 2>/dev/null || true
}
tell_not_ready() { # NAMESPACE...
	local space pod
	for space; do
		kubectl -n "$space" get pods -o wide || true
		kubectl -n "$space" get nodesets,clusters -o jsonpath='{range .items[*]}{.kind} {.metadata.name}{"\n"}{range .status.conditions[*]}  {.type}={.status} {.reason}: {.message}{"\n"}{end}{end}' 2>/dev/null || true
		for pod in $(not_ready "$space" | awk '{ print $1 }'); do tell_pod "$space" "$pod"; done
	done
}

install_crds() {
	kubectl apply -f "${CRDS:-$TOP/deploy/crds}" >/dev/null
	kubectl wait --for=condition=Established crd --all --timeout=30s >/dev/null
}

# ---- objects
cluster_yaml() {
	cat <<Y
apiVersion: slinky.slurm.net/v1alpha1
kind: Cluster
metadata: {name: slurm, namespace: $NS}
spec:
  server: http://$(k get svc slurm-restapi -o jsonpath='{.spec.clusterIP}'):6820
  token: {secretRef: slurm-token-slurm}
Y
}
# SLURMD: what runs in the pods instead of slurmd; NODE_NAME: how the slurmd calls itself, instead of by its host name
nodeset_yaml() { # NAME REPLICAS [GENERATION-OF-THE-TEMPLATE]
	cat <<Y
apiVersion: slinky.slurm.net/v1alpha1
kind: NodeSet
metadata: {name: $1, namespace: $NS}
spec:
  clusterName: slurm
  serviceName: slurm-compute
  replicas: $2
  selector: {matchLabels: {nodeset.slinky.slurm.net/name: $1}}
  updateStrategy: {type: RollingUpdate, rollingUpdate: {maxUnavailable: 1}}
  template:
    metadata:
      labels: {app.kubernetes.io/name: slurmd, nodeset.slinky.slurm.net/name: $1}
      annotations: {example.com/template: "${3:-1}"}
    spec:
      enableServiceLinks: false
      automountServiceAccountToken: false
      terminationGracePeriodSeconds: 5
      containers:
        - name: slurmd
          image: localhost/slurmd:24.11
          imagePullPolicy: IfNotPresent
          command: [${SLURMD:-slurm-entrypoint, slurmd, -Z, --conf-server, "slurm-controller:6817", --conf, Features=$1, -N, "${NODE_NAME:-\$(POD_NAME)}"}]
          env:
            - {name: SLURMD_GRACE_SECONDS, value: "5"}
            - {name: POD_NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
          readinessProbe: {tcpSocket: {port: 6818}, periodSeconds: 1}
          volumeMounts:
            - {name: key, mountPath: /mnt/slurm, readOnly: true}
      volumes:
        - {name: key, secret: {secretName: slurm-auth-slurm}}
Y
}
apply() { "$@" | kubectl apply -f - >/dev/null; }
scale() { k scale nodeset "$1" --replicas="$2" >/dev/null; }

# ---- questions; each succeeds or fails
pods_of() { k get pods -l "nodeset.slinky.slurm.net/name=$1" -o jsonpath='{range .items[*]}{.metadata.name}{"\n"}{end}'; }
pod_uid() { k get pod "$1" -o jsonpath='{.metadata.uid}' 2>/dev/null; } # fails when it is not there
has_pods() { [ "$(pods_of "$1" | wc -l)" -eq "$2" ]; } # NAME COUNT
ready() { [ "$(k get nodeset "$1" -o jsonpath='{.status.readyReplicas}')" = "$2" ] && has_pods "$1" "$2"; }
updated() { [ "$(k get nodeset "$1" -o jsonpath='{.status.updatedReplicas}')" = "$2" ] && ready "$1" "$2"; }
draining() { [ "$(k get nodeset "$1" -o jsonpath='{.status.conditions[?(@.type=="Draining")].status}')" = True ]; }
node_state() { ctl sinfo -hN -n "$1" -o %T | head -n 1; }
registered() { # NODES: all idle and able to take jobs
	[ "$(ctl sinfo -hN -n "$1" -t idle -o '%N %T' | grep -c ' idle$')" -eq "$2" ]
}
job_state() { ctl scontrol show job "$1" -o | sed -n 's/.*JobState=\([A-Z_]*\).*/\1/p'; }
job_is() { [ "$(job_state "$1")" = "$2" ]; }
cluster_ready() { [ "$(k get cluster slurm -o jsonpath='{.status.isReady}')" = "${1:-true}" ]; }

# submit NODE SECONDS: prints the id of a running job on that node
submit() { submit_script "$1" "sleep $2"; }
submit_script() { # NODE SCRIPT
	local id
	id=$(ctl sbatch --parsable -w "$1" -o /dev/null --no-requeue --wrap "$2")
	poll 30 "job $id to start on $1" job_is "$id" RUNNING >&2
	echo "$id"
}

# ---- a login node
# The pod of a NodeSet, without the NodeSet: nothing else is to do with it.
box_pod() { # [MORE-OF-THE-NODE]
	nodeset_yaml box 1 | sed "s/Features=box/\"Features=box${1:+ $1}\"/" | kubectl create --dry-run=client -o json -f - | jq '.spec.template * {apiVersion: "v1", kind: "Pod", metadata: {name: "box-0", namespace: .metadata.namespace},
		spec: {hostname: "box-0", subdomain: .spec.serviceName}}'
}
pod_of() { # CONTAINER: its pod's uid, by which its process is found
	k get pods -o json | jq -r --arg name "$1" '[.items[] | select(any(.spec.containers[]; .name == $name))][0].metadata.uid'
}

# ---- virtual nodes
# As an administrator does it whose API servers look at the certificates of kubelets; they do here.
kubelet_certificate() { # NAME ADDRESS DIR: tls.crt and tls.key
	local pki=${SLURM_OPERATOR_STATE:-$TOP/.cluster}/pki
	mkdir -p "$3"
	openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$1" -keyout "$3/tls.key" 2>/dev/null |
		openssl x509 -req -CA "$pki/ca.crt" -CAkey "$pki/ca.key" -days 365 -out "$3/tls.crt" -extfile <(echo "subjectAltName=IP:$2") 2>/dev/null
}
