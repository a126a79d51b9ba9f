# shellcheck shell=bash
# What the phrases of tests/story/phrases do on the real cluster. do_... ends when it is so; ask_... succeeds or fails.
# A job that was lost ends the story at once: nothing that comes later can make it good.

JOB_IDS=('') JOB_PODS=('') JOB_UIDS=('') # jobs of a story are numbered from 1
declare -A POD_UIDS=()
MANAGERS=() SERVES=()
WATCHES=()

lost() { printf 'LOST: %s\n' "$*" >&3; exit 1; }

# ---- around a story

# What pods there are, and since when they are to end, as the API server says. A broken watch is begun again.
watch_pods() {
	: >"$POD_LOG"
	# shellcheck disable=SC2016
	background bash -c 'while :; do
		kubectl -n "$1" get pods -w 2>/dev/null >>"$2" \
			-o jsonpath="{.metadata.uid} {.metadata.deletionTimestamp} {.metadata.deletionGracePeriodSeconds}{\"\n\"}"
		sleep 0.1
	done' watch "$NS" "$POD_LOG"
}
background() { # CMD...: in a process group of its own, which repair ends
	setsid "$@" </dev/null &
	WATCHES+=($!)
}

# The manager and the watches end; what the story has broken is whole again.
repair() {
	local pid
	stop_operator KILL
	for pid in "${MANAGERS[@]}"; do kill -KILL "$pid" 2>/dev/null || true; done
	for pid in "${WATCHES[@]}"; do kill -KILL -- "-$pid" 2>/dev/null || true; done
	wait 2>/dev/null || true
	[ -z "${POLICY_IS_GONE:-}" ] || kubectl label namespace "$NS" without-policy- >/dev/null || true
	[ ! -s "$FAILED_AT" ] || mend || true
}
mend() {
	do_slurmrestd_start
	[ -z "${GOOD_TOKEN:-}" ] || do_token_repair
	[ -z "${OTHER_SLURM:-}" ] || do_other_slurm_gone
}

# ---- managers

do_manager() {
	start_operator "${SERVES[@]}"
	apply cluster_yaml
	poll 30 "the Cluster to be ready" cluster_ready
}
do_manager_kill() { stop_operator KILL; }
do_manager_start() { start_operator "${SERVES[@]}"; }

# Many lives of 0 to 400 ms; some longer ones, so that there is progress to be interrupted; and some that end right after their first action.
do_kill_until() { # COUNT ASK
	local n=0 deadline=$((SECONDS + 300)) asks
	match ask "$2"
	asks=("$PHRASE" "${ARGS[@]}")
	stop_operator KILL
	until [ "$n" -ge "$1" ] && "${asks[@]}"; do
		[ "$SECONDS" -lt "$deadline" ] || { echo "killed $n times, and still not: $2" >&2; return 1; }
		one_life
		n=$((n + 1))
	done
	echo "# the manager was killed $n times, seed $SEED"
	echo "$n" >>"$KILL_COUNT"
	start_operator "${SERVES[@]}"
}
one_life() {
	local kind=$((RANDOM % 4)) ms=$((RANDOM % 401)) before
	[ "$kind" -ne 0 ] || ms=$((RANDOM % 3001))
	before=$(stat -c %s "$OPERATOR_LOG")
	spawn_operator "${SERVES[@]}"
	[ "$kind" -ne 1 ] || poll 3 "" has_acted_since "$before" 2>/dev/null || true
	[ "$kind" -eq 1 ] || sleep "$((ms / 1000)).$(printf %03d $((ms % 1000)))"
	stop_operator KILL
}
has_acted_since() { tail -c "+$(($1 + 1))" "$OPERATOR_LOG" | grep >/dev/null '"action done"'; }

do_managers() {
	local i
	rm -f "$MANAGER_LOG".[01]
	for i in 0 1; do
		OPERATOR_LOG=$MANAGER_LOG.$i PROBES=0 METRICS="127.0.0.1:$((PORT + i))" \
			spawn_operator "${SERVES[@]}" --leader-elect --leader-election-namespace "$NS"
		MANAGERS[i]=$OPERATOR_PID
		disown "$OPERATOR_PID" # its end is looked for, not announced
	done
	OPERATOR_PID=
	# shellcheck disable=SC2016
	PORT=$PORT background bash -c '. tests/cluster/lib.sh; while :; do
		printf "%s %s\n" "$(manager_metrics 0)" "$(manager_metrics 1)" >>"$1"
		sleep 0.1
	done' sample "$LEAD_LOG"
	: >"$LEAD_LOG"
	poll 30 "one of two managers to lead" leader
	apply cluster_yaml
	poll 30 "the Cluster to be ready" cluster_ready
}
# Prints which of the two leads.
leader() {
	case $(manager_metrics 0) in '1 '*) echo 0; return ;; esac
	case $(manager_metrics 1) in '1 '*) echo 1; return ;; esac
	return 1
}
do_leader_kill() {
	LEADER=$(leader) SINCE=$EPOCHREALTIME
	kill -KILL "${MANAGERS[LEADER]}"
}
do_leader_end() {
	LEADER=$(leader) SINCE=$EPOCHREALTIME
	kill -TERM "${MANAGERS[LEADER]}"
	poll 30 "the manager to end" not kill -0 "${MANAGERS[LEADER]}"
}
# What it was about to do when it was stopped, it must not do when it goes on: another leads.
do_leader_freeze() {
	LEADER=$(leader) SINCE=$EPOCHREALTIME
	kill -STOP "${MANAGERS[LEADER]}"
	LINES_THEN=$(grep -c '"action"' "$MANAGER_LOG.$LEADER")
}
do_leader_thaw() { kill -CONT "${MANAGERS[LEADER]}"; }
ask_frozen_ended() { ! kill -0 "${MANAGERS[LEADER]}" && [ "$(grep -c '"action"' "$MANAGER_LOG.$LEADER")" -eq "$LINES_THEN" ]; }
ask_other_leads() {
	[ "$(leader)" = $((1 - LEADER)) ] || return 1
	echo "# the other manager leads after $(((${EPOCHREALTIME/./} - ${SINCE/./}) / 1000)) ms" >&3
}
# Of each moment: who led, and who had acted. A manager that does not lead has done nothing.
ask_never_both() {
	awk '{ both += $1 == 1 && $3 == 1; idle += ($1 == 0 && $2 > 0) || ($3 == 0 && $4 > 0); led += $1 == 1 || $3 == 1; two += $1 != "-" && $3 != "-" }
		END { print "# of " NR " looks, in " two " both managers lived, in " led " one led, in " both + 0 " both"
			exit both || idle || two < 10 || led < 20 }' "$LEAD_LOG"
}

# ---- NodeSets

do_nodeset() { # NAME REPLICAS
	local pod
	apply nodeset_yaml "$1" "$2"
	poll 90 "$2 pods of $1 to be ready" ready "$1" "$2"
	poll 90 "$2 nodes of $1 to register" registered "$1-[0-$(($2 - 1))]" "$2"
	for pod in $(pods_of "$1"); do POD_UIDS[$pod]=$(pod_uid "$pod"); done
}
do_nodeset_named() { # NAME REPLICAS PREFIX
	NODE_NAME="$3\$(POD_NAME)" apply nodeset_yaml "$1" "$2"
	poll 90 "$2 pods of $1 to be ready" ready "$1" "$2"
	poll 90 "$2 nodes of $1 to register" registered "$3$1-[0-$(($2 - 1))]" "$2"
}
do_nodeset_absent() { # NAME REPLICAS
	SLURMD="sleep, infinity" apply nodeset_yaml "$1" "$2"
	poll 90 "$2 pods of $1 to run" running "$1" "$2"
}
running() { [ "$(k get pods -l "nodeset.slinky.slurm.net/name=$1" --field-selector status.phase=Running -o name | wc -l)" -eq "$2" ]; }
# Pods with the names that a NodeSet of the same name would give.
do_statefulset() { # NAME REPLICAS
	k create -f - >/dev/null <<-Y
		{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: $1}, spec: {serviceName: none, replicas: $2, podManagementPolicy: Parallel,
		selector: {matchLabels: {app: other-$1}}, template: {metadata: {labels: {app: other-$1}}, spec: {terminationGracePeriodSeconds: 1,
		containers: [{name: other, image: "localhost/slurmd:24.11", imagePullPolicy: IfNotPresent, command: [sleep, infinity]}]}}}}
	Y
	poll 60 "$2 pods of StatefulSet $1" other_pods "$1" "$2"
}
other_pods() { [ "$(k get pods -l "app=other-$1" -o name | wc -l)" -eq "$2" ]; }
do_statefulset_gone() { k delete statefulset "$1" >/dev/null; }
# The same slurmd in a pod that no NodeSet has: as one of another Kubernetes would be, or a machine.
do_stranger() { # POD NODE
	NODE_NAME=$2 nodeset_yaml "$1" 0 | kubectl create --dry-run=client -o json -f - |
		jq --arg name "$1" '{apiVersion: "v1", kind: "Pod", metadata: {name: $name, labels: {app: "stranger"}}, spec: .spec.template.spec}' |
		k create -f - >/dev/null
	poll 90 "node $2 to register" registered "$2" 1
}
do_stranger_gone() { # POD NODE: a pod of the NodeSet may have the name a moment later
	local address
	address=$(k get pod "$1" -o jsonpath='{.status.podIP}')
	is_at "$2" "$address"
	end_pods "$1"
	poll 20 "node $2 to go with its pod" not is_at "$2" "$address"
}
is_at() { ctl scontrol -o show node "$1" | grep >/dev/null " NodeAddr=$2 "; } # NODE ADDRESS
# What whoever may make pods could write, with no right to NodeSets and none in Slurm.
do_liar() { # POD NODESET HOSTNAME
	k create -f - >/dev/null <<-Y
		{apiVersion: v1, kind: Pod, metadata: {name: $1, labels: {nodeset.slinky.slurm.net/name: $2}}, spec: {hostname: $3, terminationGracePeriodSeconds: 1,
		containers: [{name: liar, image: "localhost/slurmd:24.11", imagePullPolicy: IfNotPresent, command: [sleep, infinity]}]}}
	Y
}
do_liar_gone() { end_pods "$1"; }
ask_of_nobody() { [ -z "$(k get pod "$1" -o jsonpath='{.metadata.ownerReferences}')" ]; }
do_nodeset_beside() { apply nodeset_yaml "$1" "$2"; }
do_nodeset_ending() { # NAME REPLICAS
	MADE_FROM=$(stat -c %s "$OPERATOR_LOG")
	SLURMD='"false"' nodeset_yaml "$1" "$2" | sed 's/^      containers:/      restartPolicy: Never\n&/' | kubectl apply -f - >/dev/null
}
do_nodeset_deep() { # NAME LEVELS
	local opened closed
	opened=$(printf '{"n":%.0s' $(seq "$2"))
	closed=$(printf '}%.0s' $(seq "$2"))
	k patch nodeset "$1" --type merge -p "{\"spec\":{\"template\":{\"spec\":{\"junk\":${opened}1$closed}}}}" >/dev/null
}
# Two bytes each, and sixteen in a memory that keeps them.
numbers() { # KB
	printf '[0'
	head -c "$(($1 * 500))" /dev/zero | sed 's/\x00/,0/g'
	printf ']'
}
do_nodeset_large() { # NAME KB
	k patch nodeset "$1" --type merge --patch-file <(printf '{"spec":{"template":{"spec":{"junk":%s}}}}' "$(numbers "$2")") >/dev/null
}
do_nodesets_large() { # NUMBER KB
	local i
	for ((i = 0; i < $1; i++)); do
		nodeset_yaml "large-$i" 0 | sed "s/^      containers:/      junk: $(numbers 1)\n&/" | k create -f - >/dev/null
		do_nodeset_large "large-$i" "$2"
	done
}
do_nodesets_large_gone() { k get nodesets -o name | grep /large- | xargs kubectl -n "$NS" delete --wait=false >/dev/null; }
ask_memory() { # MB
	[ "$(awk '$1 == "VmHWM:" { print $2 }' "/proc/$OPERATOR_PID/status")" -lt "$(($1 * 1024))" ]
}
ask_pod_of() { [ "$(k get pod "$1" -o jsonpath='{.metadata.ownerReferences[?(@.controller==true)].kind}/{.metadata.labels.nodeset\.slinky\.slurm\.net/name}')" = "NodeSet/$2" ]; }
ask_made() { # NAME LEAST MOST: since it was created
	local n
	n=$(tail -c "+$((MADE_FROM + 1))" "$OPERATOR_LOG" | grep '"action done"' | grep -c "\"create-pod\".*\"$1-")
	[ "$n" -ge "$2" ] && [ "$n" -le "$3" ]
}
do_scale() { scale "$1" "$2"; }
do_template() {
	k patch nodeset "$1" --type merge -p '{"spec":{"template":{"metadata":{"annotations":{"example.com/template":"changed"}}}}}' >/dev/null
}
do_delete() { k delete nodeset "$1" --wait=false >/dev/null; }
# Other stories keep it: only this namespace goes without.
do_no_policy() {
	POLICY_IS_GONE=1
	kubectl patch validatingadmissionpolicybinding nodesets-deletion.slinky.slurm.net --type merge \
		-p '{"spec":{"matchResources":{"namespaceSelector":{"matchExpressions":[{"key":"without-policy","operator":"DoesNotExist"}]}}}}' >/dev/null
	kubectl label namespace "$NS" without-policy= >/dev/null
	poll 10 "a deletion in the foreground to be allowed" k delete nodeset "$1" --cascade=foreground --dry-run=server
}
do_old_pod() {
	k patch pod "$1" --type=json -p '[{"op":"remove","path":"/metadata/ownerReferences/1"},
		{"op":"remove","path":"/metadata/annotations/nodeset.slinky.slurm.net~1nodeset-uid"}]' >/dev/null
}
ask_kept() {
	k get pod "$1" -o json | jq -e '(.metadata.ownerReferences | map(.kind)) == ["NodeSet", "Namespace"]
		and .metadata.annotations["nodeset.slinky.slurm.net/nodeset-uid"] == .metadata.ownerReferences[0].uid' >/dev/null
}
# Refused or not, it is tried without harm.
ask_foreground_refused() {
	local answer
	! answer=$(k delete nodeset "$1" --cascade=foreground --dry-run=server 2>&1) || return 1
	[[ $answer == *"delete it in the background instead"* ]]
}
# Its jobs are of the one that it names. Refused or not, it is tried without harm.
ask_cluster_fixed() {
	local answer
	! answer=$(k patch nodeset "$1" --type merge -p '{"spec":{"clusterName":"other"}}' --dry-run=server 2>&1) || return 1
	[[ $answer == *"spec.clusterName"*"make another NodeSet for the other one"* ]]
}
do_delete_foreground() { k delete nodeset "$1" --cascade=foreground --wait=false >/dev/null; }
do_delete_all_foreground() { k delete "nodeset/$1" cluster/slurm --cascade=foreground --wait=false >/dev/null; }
do_delete_orphan() { k delete nodeset "$1" --cascade=orphan --wait=false >/dev/null; }
# Nobody but the operator holds it any more.
ask_collected() { [ "$(k get nodeset "$1" -o jsonpath='{.metadata.finalizers[*]}')" = nodeset.slinky.slurm.net/drain ]; }
ask_object_gone() { [ -z "$(k get nodeset "$1" -o name --ignore-not-found || echo unknown)" ]; }
do_nodeset_again() { # NAME REPLICAS: its pods are there
	apply nodeset_yaml "$1" "$2"
	poll 60 "$2 pods of $1 to be ready" ready "$1" "$2"
}
do_release() { k annotate nodeset "$1" nodeset.slinky.slurm.net/release-now=true >/dev/null; }
ask_pods() { has_pods "$1" "$2"; }
ask_ready() { ready "$1" "$2"; }
ask_updated() { ask_observed "$1" && updated "$1" "$2"; }
ask_observed() { k get nodeset "$1" -o json | jq -e '.metadata.generation == .status.observedGeneration' >/dev/null; }
ask_draining() { draining "$1"; }
ask_gone() { [ -z "$(k get nodeset "$1" -o name --ignore-not-found || echo unknown)" ] && has_pods "$1" 0; }
ask_says() { k get nodeset "$1" -o jsonpath='{range .status.conditions[*]}{.reason}{"\n"}{end}' | grep >/dev/null -x "$2"; }
ask_event() { k describe nodeset "$1" | grep >/dev/null "$2"; }
ask_subresource() { [ "$(kubectl get --raw "/apis/slinky.slurm.net/v1alpha1/namespaces/$NS/nodesets/$1/scale" | jq .status.replicas)" = "$2" ]; }
ask_same_pod() { [ "$(pod_uid "$1")" = "${POD_UIDS[$1]}" ]; }

# ---- jobs

do_job() { do_job_of "$1" "$1"; } # NODE
do_job_of() { start_job "$2" submit_script "$1" "$OPEN_JOB"; } # NODE POD
do_job_for() { start_job "$2" submit "$2" "$1"; } # SECONDS NODE
start_job() { # POD CMD...: that submits it
	local uid
	uid=$(pod_uid "$1")
	JOB_IDS+=("$("${@:2}")")
	JOB_PODS+=("$1")
	JOB_UIDS+=("$uid")
}
# It ends by itself, when it is told so or after ten minutes.
# shellcheck disable=SC2016
OPEN_JOB='for i in $(seq 3000); do [ ! -e "/tmp/may-end-$SLURM_JOB_ID" ] || exit 0; sleep 0.2; done'
do_let_jobs_end() {
	local i
	for ((i = 1; i < ${#JOB_IDS[@]}; i++)); do k exec "${JOB_PODS[i]}" -- touch "/tmp/may-end-${JOB_IDS[i]}"; done
}
do_suspend() {
	ctl scontrol suspend "${JOB_IDS[$1]}"
	poll 10 "job $1 to be suspended" job_is "${JOB_IDS[$1]}" SUSPENDED
}
do_resume_job() { ctl scontrol resume "${JOB_IDS[$1]}"; }
ask_srun() { # NODES NODESET
	[ "$(ctl srun "-N$1" -w "$2-[0-$(($1 - 1))]" hostname | sort | xargs)" = "$(seq -f "$2-%g" 0 $(($1 - 1)) | xargs)" ]
}
# Prints its state, how often it was requeued, and when it ended; nothing while slurmctld does not answer.
job_facts() {
	ctl env SLURM_TIME_FORMAT=%s scontrol show job "${JOB_IDS[$1]}" -o 2>&1 |
		sed -n 's/.*JobState=\([A-Z_]*\).*Restarts=\([0-9]*\).*EndTime=\([0-9]*\).*/\1 \2 \3/p; s/.*Invalid job id.*/FORGOTTEN 0 0/p'
}
# When its pod was told to end, as seconds since 1970; nothing if it never was.
pod_end() { # UID
	awk -v uid="$1" '$1 == uid && $2 { print $2, $3; exit }' "$POD_LOG" | while read -r at grace; do echo $(($(date -d "$at" +%s) - grace)); done
}
job_kept() { # NUMBER: prints its state, and ends the story if it was lost
	local state restarts ended told
	read -r state restarts ended <<<"$(job_facts "$1")"
	[ -n "$state" ] || return 0
	case $state in PENDING | RUNNING | SUSPENDED | COMPLETING | COMPLETED) ;; *) lost "job $1 (${JOB_IDS[$1]}) is $state" ;; esac
	[ "$restarts" = 0 ] || lost "job $1 (${JOB_IDS[$1]}) was requeued"
	told=$(pod_end "${JOB_UIDS[$1]}")
	[ "$state" = COMPLETED ] || ended=$(date +%s)
	[ -z "$told" ] || [ "$told" -ge "$ended" ] || lost "job $1 (${JOB_IDS[$1]}) ended at $ended, and pod ${JOB_PODS[$1]} was told to end at $told"
	echo "$state"
}
ask_job_ended() { job_kept "$1" >"$STATE_OF_JOB"; [ "$(cat "$STATE_OF_JOB")" = COMPLETED ]; }
ask_jobs_ended() {
	local i
	for ((i = 1; i < ${#JOB_IDS[@]}; i++)); do ask_job_ended "$i" || return 1; done
}
ask_jobs_run() { jobs_are RUNNING; }
ask_jobs_suspended() { jobs_are SUSPENDED; }
jobs_are() { # STATE
	local i
	for ((i = 1; i < ${#JOB_IDS[@]}; i++)); do
		job_kept "$i" >"$STATE_OF_JOB"
		[ "$(cat "$STATE_OF_JOB")" = "$1" ] && [ "$(pod_uid "${JOB_PODS[i]}")" = "${JOB_UIDS[i]}" ] || return 1
	done
}

# ---- administrators

do_drain() { ctl scontrol update nodename="$1" state=drain reason="$2"; }
do_resume() { ctl scontrol update nodename="$1" state=resume; }
ask_drained() { [ "$(ctl sinfo -hN -n "$1" -o %E | head -n 1)" = "$2" ]; }
do_cordon() { k annotate pod "$1" nodeset.slinky.slurm.net/pod-cordon=true >/dev/null; }
do_uncordon() { k annotate pod "$1" nodeset.slinky.slurm.net/pod-cordon- >/dev/null; }
# As people look: kubectl wait, a column of kubectl get, and the sentences of sinfo -R and of kubectl describe.
slurm_state_label() { k get pod "$1" --no-headers -L nodeset.slinky.slurm.net/slurm-state | awk '{ print $NF }'; }
ask_shown_drain() {
	local said described
	said=$(ctl sinfo -hR -n "$1" -o %500E | sed 's/ *$//') && [ -n "$said" ] || return
	k wait pod "$1" --for=condition=SlurmNodeStateDrain --timeout=1s >/dev/null 2>&1 || return
	[ "$(k get pod "$1" -o jsonpath='{.status.conditions[?(@.type=="SlurmNodeStateDrain")].message}')" = "$said" ] || return
	described=$(k describe pod "$1") && grep -qF "nodeset.slinky.slurm.net/slurm-reason: $said" <<<"$described" || return
	[ "$(slurm_state_label "$1")" = drained ]
}
ask_shown_idle() {
	k wait pod "$1" --for=condition=SlurmNodeStateIdle --timeout=1s >/dev/null 2>&1 && [ "$(slurm_state_label "$1")" = idle ] &&
		[ -z "$(k get pod "$1" -o jsonpath='{.status.conditions[?(@.type=="SlurmNodeStateDrain")]}')" ]
}
ask_node_drained() { drains "$1"; }
ask_node_free() { registered "$1" 1; }
drains() { case $(node_state "$1") in *drain*) ;; *) return 1 ;; esac; }

# ---- troubles

# Another Slurm: a slurmctld of another ClusterName with a slurmrestd, which the same token opens.
do_other_slurm() {
	OTHER_SLURM=1
	sed -e 's/slurm-config/other-config/; s/slurm-controller/other-controller/g; s/slurm-restapi/other-restapi/g; s/ClusterName=demo/ClusterName=other/' \
		-e 's#name: slurmctld}#name: otherctld}#; s#name: slurmrestd}#name: otherrestd}#' -e 's/persistentVolumeClaim: {claimName: slurm-state}/emptyDir: {}/' \
		-e "s/namespace: slurm\$/namespace: $NS/; s/\.slurm\.svc/.$NS.svc/" deploy/examples/demo-slurm.yaml | kubectl apply -f - >/dev/null
	poll 60 "the other slurmctld to answer" other_answers
	k rollout status deploy/other-restapi --timeout=180s >/dev/null
}
other_answers() { k exec deploy/other-controller -- scontrol ping | grep >/dev/null UP; }
do_other_slurm_gone() {
	do_service_back
	k delete deploy/other-controller deploy/other-restapi svc/other-controller svc/other-restapi cm/other-config --wait=false >/dev/null
}
do_server_other() { point_at "http://$(k get svc other-restapi -o jsonpath='{.spec.clusterIP}'):6820"; }
do_server_back() { apply cluster_yaml; }
point_at() { k patch cluster slurm --type merge -p "{\"spec\":{\"server\":\"$1\"}}" >/dev/null; }
# A connection that is open stays with its pod: that one starts anew.
do_service_other() { lead_service otherrestd slurmrestd; }
do_service_back() { lead_service slurmrestd otherrestd; }
lead_service() { # TO FROM
	k patch svc slurm-restapi -p "{\"spec\":{\"selector\":{\"app.kubernetes.io/name\":\"$1\"}}}" >/dev/null
	k delete pods -l "app.kubernetes.io/name=$2" --grace-period=1 >/dev/null
}
# The whole list of nodes takes so long, and is never "not changed since".
do_slow_list() { # SECONDS
	local address
	address=$(kubectl get nodes -o jsonpath='{.items[0].status.addresses[?(@.type=="InternalIP")].address}')
	background python3 tests/cluster/slow-proxy.py "$address:6821" "$(k get svc slurm-restapi -o jsonpath='{.spec.clusterIP}'):6820" "$1"
	poll 10 "the proxy to listen" bash -c "exec 9<>/dev/tcp/$address/6821"
	point_at "http://$address:6821"
	poll 60 "the Cluster to be ready" cluster_ready
}

do_token_spoil() {
	GOOD_TOKEN=$(k get secret slurm-token-slurm -o jsonpath='{.data.auth-token}')
	k patch secret slurm-token-slurm -p '{"data":{"auth-token":"bm90LWEtdG9rZW4="}}' >/dev/null
}
do_token_repair() { k patch secret slurm-token-slurm -p "{\"data\":{\"auth-token\":\"$GOOD_TOKEN\"}}" >/dev/null; }
do_slurmrestd_stop() {
	k scale deploy slurm-restapi --replicas=0 >/dev/null
	poll 30 "slurmrestd to be gone" slurmrestd_gone
}
slurmrestd_gone() { [ -z "$(k get pods -l app.kubernetes.io/name=slurmrestd -o name || echo unknown)" ]; }
do_slurmrestd_start() { k scale deploy slurm-restapi --replicas=1 >/dev/null; }
# Slurm writes down a job within some seconds of its start; one that it has not written it loses itself when it is killed, whoever else is there.
# Only this cluster's processes are seen in here. The container starts again by itself.
do_slurmctld_kill() {
	local pid since id
	since=$(date +%s.%N)
	for id in "${JOB_IDS[@]:1}"; do ctl scontrol update jobid="$id" comment="written"; done
	poll 30 "slurmctld to write its jobs" jobs_written "$since"
	pid=$(slurmctld_pid)
	kill -KILL "$pid"
	poll 10 "slurmctld to be dead" not kill -0 "$pid"
}
slurmctld_pid() { # as this shell sees it
	local space pid
	space=$(ctl readlink /proc/1/ns/pid)
	for pid in $(pgrep -x slurmctld); do
		[ "$(readlink "/proc/$pid/ns/pid")" != "$space" ] || { echo "$pid"; return; }
	done
	return 1
}
jobs_written() { ctl stat -c %.Y /var/spool/slurmctld/job_state | awk -v since="$1" '{ exit $1 <= since }'; }
do_apiserver_kill() {
	local pid
	pid=$(cat "$SLURM_OPERATOR_STATE/run/kube-apiserver.pid")
	kill -KILL "$pid"
	poll 10 "the API server to be dead" not kill -0 "$pid"
	poll 60 "the API server to be ready again" kubectl get --raw /readyz
}
not() { ! "$@"; }
ask_cluster_ready() { cluster_ready; }
ask_cluster_unready() { cluster_ready false; }
ask_cluster_reason() { cluster_ready false && [ "$(k get cluster slurm -o jsonpath='{.status.conditions[?(@.type=="Ready")].reason}')" = "$1" ]; }
