# shellcheck shell=bash
# Stories on the real cluster. Each runs in a subshell: what it starts it ends.

given_the_operator() {
	trap 'stop_operator KILL' EXIT
	start_operator
	apply cluster_yaml
	poll 30 "the Cluster to be ready" cluster_ready
}
given_nodeset() { # NAME REPLICAS
	apply nodeset_yaml "$1" "$2"
	poll 90 "$2 pods of $1 to be ready" ready "$1" "$2"
	poll 90 "$2 nodes of $1 to register" registered "$1-[0-$(($2 - 1))]" "$2"
}
when_deleted() { # NAME
	k delete nodeset "$1" --wait=false >/dev/null
}
then_gone() { # NAME SECONDS
	poll "$2" "NodeSet $1 to be gone" nodeset_gone "$1"
}
nodeset_gone() { ! k get nodeset "$1" -o name && has_pods "$1" 0; }
still_same_pod() { # POD UID
	[ "$(pod_uid "$1")" = "$2" ]
}
# The job must have ended by itself, and its pod must have been the same until then.
then_job_completes_on() { # JOB POD UID SECONDS
	local deadline=$((SECONDS + $4))
	while job_is "$1" RUNNING; do
		still_same_pod "$2" "$3" || { job_is "$1" COMPLETED || { echo "pod $2 was replaced while job $1 ran" >&2; return 1; }; }
		[ "$SECONDS" -lt "$deadline" ] || { echo "job $1 did not end in $4 s" >&2; return 1; }
		sleep 0.2
	done
	job_is "$1" COMPLETED || { echo "job $1 is $(job_state "$1")" >&2; return 1; }
}

story_01_nodes_register_and_jobs_run() {
	given_the_operator
	given_nodeset one 2
	[ "$(ctl srun -N2 -w 'one-[0-1]' hostname | sort | tr '\n' ' ')" = "one-0 one-1 " ]
	[ "$(kubectl get --raw "/apis/slinky.slurm.net/v1alpha1/namespaces/$NS/nodesets/one/scale" | jq .status.replicas)" = 2 ]
	k describe nodeset one | grep -q SuccessfulCreate
	when_deleted one
	then_gone one 60
}

story_02_scale_in_waits_for_the_busy_node_and_takes_idle_ones_first() {
	given_the_operator
	given_nodeset two 3
	local job uid
	job=$(submit two-2 12)
	uid=$(pod_uid two-2)
	scale two 1
	poll 30 "the idle nodes to go, though their ordinals are lower" has_pods two 1
	still_same_pod two-2 "$uid"
	scale two 0
	then_job_completes_on "$job" two-2 "$uid" 40
	poll 30 "no pod to be left" has_pods two 0
	when_deleted two
	then_gone two 60
}

story_03_deletion_drains_first() {
	given_the_operator
	given_nodeset three 2
	local job uid
	job=$(submit three-0 10)
	uid=$(pod_uid three-0)
	when_deleted three
	then_job_completes_on "$job" three-0 "$uid" 40
	then_gone three 60
}

story_04_rolling_update_keeps_running_jobs() {
	given_the_operator
	given_nodeset four 3
	local job uid
	job=$(submit four-1 12)
	uid=$(pod_uid four-1)
	apply nodeset_yaml four 3 changed
	then_job_completes_on "$job" four-1 "$uid" 60
	poll 120 "all pods to be new" updated four 3
	when_deleted four
	then_gone four 60
}

story_05_a_drain_of_an_administrator_stays() {
	given_the_operator
	given_nodeset five 2
	ctl scontrol update nodename=five-0 state=drain reason="bad disk"
	scale five 3
	poll 60 "three pods" has_pods five 3
	scale five 2
	poll 60 "two pods" has_pods five 2
	[ "$(ctl sinfo -hN -n five-0 -o %E | head -n 1)" = "bad disk" ]
	ctl scontrol update nodename=five-0 state=resume
	when_deleted five
	then_gone five 60
}

story_06_slurmrestd_down_creates_but_never_removes() {
	given_the_operator
	given_nodeset six 2
	local job uid
	job=$(submit six-1 45)
	uid=$(pod_uid six-1)
	k scale deploy slurm-restapi --replicas=0 >/dev/null
	poll 40 "the Cluster to be not ready" cluster_ready false
	scale six 3
	poll 60 "the new pod to be made without Slurm" has_pods six 3
	scale six 1
	sleep_until_planned
	has_pods six 3
	still_same_pod six-1 "$uid"
	k scale deploy slurm-restapi --replicas=1 >/dev/null
	poll 60 "the Cluster to be ready again" cluster_ready
	poll 60 "the idle ones to go" has_pods six 1
	then_job_completes_on "$job" six-1 "$uid" 90
	when_deleted six
	then_gone six 60
}
# The operator has planned with the new replica count: its generation is in the status.
sleep_until_planned() {
	poll 20 "the NodeSet to be observed" observed six
}
observed() { [ "$(k get nodeset "$1" -o jsonpath='{.metadata.generation}')" = "$(k get nodeset "$1" -o jsonpath='{.status.observedGeneration}')" ]; }

story_07_kill_9_at_any_point_ends_no_job() {
	given_the_operator
	given_nodeset seven 4
	local job uid i
	RANDOM=${SEED:-7}
	job=$(submit seven-3 40)
	uid=$(pod_uid seven-3)
	for i in $(seq "${KILLS:-8}"); do
		stop_operator KILL
		case $((i % 4)) in
			0) scale seven 4 ;;
			1) scale seven 2 ;;
			2) scale seven 3 ;;
			3) apply nodeset_yaml seven 3 "kill-$i" ;;
		esac
		start_operator
		sleep "0.$((RANDOM % 9))$((RANDOM % 9))"
		still_same_pod seven-3 "$uid" || job_is "$job" COMPLETED || { echo "kill $i: the pod of a running job is gone" >&2; return 1; }
	done
	then_job_completes_on "$job" seven-3 "$uid" 90
	when_deleted seven
	then_gone seven 90
}

story_08_bad_token_and_its_repair_show_in_the_cluster() {
	given_the_operator
	local good
	good=$(k get secret slurm-token-slurm -o jsonpath='{.data.auth-token}')
	k patch secret slurm-token-slurm -p '{"data":{"auth-token":"bm90LWEtdG9rZW4="}}' >/dev/null
	poll 40 "the Cluster to be not ready" cluster_ready false
	[ "$(k get cluster slurm -o jsonpath='{.status.conditions[?(@.type=="Ready")].reason}')" = TokenRefused ]
	k patch secret slurm-token-slurm -p "{\"data\":{\"auth-token\":\"$good\"}}" >/dev/null
	poll 40 "the Cluster to be ready" cluster_ready
}
