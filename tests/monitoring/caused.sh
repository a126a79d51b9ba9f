# shellcheck shell=bash
# Alerts, each caused on the real thing and mended as its section of docs/alerts.md says. tests/monitoring/installed plays it, with minutes that are seconds (tests/monitoring/configuration).
fires() { [ "$(answers "ALERTS{alertname=\"$1\",alertstate=\"firing\"}")" -gt 0 ]; }   # ALERT
is_over() { [ "$(answers "ALERTS{alertname=\"$1\",alertstate=\"firing\"}")" -eq 0 ]; } # ALERT
nothing_fires() { [ "$(answers 'ALERTS{alertstate="firing"}')" -eq 0 ]; }
CAUSED=()
fire() { # ALERT...
	local alert
	for alert; do poll 150 "$alert to fire" fires "$alert"; done
}
resolved() { # CAUSE MENDED ALERT...
	local alert
	for alert in "${@:3}"; do
		poll 150 "$alert to resolve" is_over "$alert"
		CAUSED+=("$alert")
		ok "$alert fires: $1; and resolves: $2"
	done
}

# ---- nodes
a_node() { ctl sinfo -hN -t idle -o %N | head -n 1; }
down_fires() { fires SlurmNodesDown && fires SlurmManyNodesDown; }
cause_nodes_down() {
	local node
	node=$(a_node)
	# A ping of slurmctld returns a DOWN node whose slurmd answers: then it is set DOWN once more.
	for _ in 1 2 3 4; do
		ctl scontrol update nodename="$node" state=down reason="story"
		! PATIENCE=1 poll 45 "both alerts to fire before slurmctld's next ping" down_fires || break
	done
	fire SlurmNodesDown SlurmManyNodesDown
	ctl sinfo -R | grep >/dev/null story
	ctl scontrol update nodename="$node" state=resume
	resolved "one node of two is set DOWN" "it is resumed" SlurmNodesDown SlurmManyNodesDown
}
cause_a_forgotten_drain() {
	local node
	node=$(a_node)
	ctl scontrol update nodename="$node" state=drain reason="a fan is broken"
	fire SlurmNodesDrainedLong
	ctl sinfo -R | grep "a fan is broken" >/dev/null
	ctl scontrol update nodename="$node" state=resume
	resolved "a node stays drained" "it is resumed" SlurmNodesDrainedLong
}
cause_a_partition_that_stands() {
	local job
	ctl scontrol update partitionname=debug state=down
	job=$(as nobody -p debug -t 5 --wrap "sleep 1")
	fire SlurmPartitionStands
	ctl squeue -h -p debug -t PD -o "%i %r" | grep -E "^$job .*Partition" >/dev/null
	ctl scontrol update partitionname=debug state=up
	poll 90 "the job to end" accounted "$job" COMPLETED
	resolved "a job waits for a partition that is down" "the partition is set up" SlurmPartitionStands
}

# ---- parts of Slurm
cause_slurmrestd_away() {
	k scale deployment slurm-restapi --replicas=0 >/dev/null
	fire SlurmClusterNotReady SlurmNotAnswering
	[ -n "$(k get cluster slurm --no-headers | grep -v True)" ]
	k scale deployment slurm-restapi --replicas=1 >/dev/null
	resolved "slurmrestd is away" "its pod is back" SlurmClusterNotReady SlurmNotAnswering
}
cause_slurmctld_away() {
	k scale statefulset slurm-controller --replicas=0 >/dev/null
	fire SlurmClusterNotReady SlurmNotAnswering SlurmClusterAnswersOld
	k scale statefulset slurm-controller --replicas=1 >/dev/null
	resolved "slurmctld is away" "its pod is back" SlurmClusterNotReady SlurmNotAnswering SlurmClusterAnswersOld
}
cause_slurmdbd_away() {
	local i
	k scale statefulset slurm-accounting --replicas=0 >/dev/null
	for i in 1 2 3 4 5 6; do as nobody -t 5 --wrap true >/dev/null; done
	fire SlurmdbdNotReached
	k scale statefulset slurm-accounting --replicas=1 >/dev/null
	resolved "slurmdbd is away while jobs end" "its pod is back, and has taken the records" SlurmdbdNotReached
}

# ---- the exporter
cause_exporter_away() {
	k scale deployment slurm-exporter --replicas=0 >/dev/null
	fire SlurmExporterDown
	k scale deployment slurm-exporter --replicas=1 >/dev/null
	resolved "there is no pod of the exporter" "there is one" SlurmExporterDown
}
with_exporter_args() { helm upgrade slurm deploy/helm/slurm -n slurm --reset-then-reuse-values --set "slurm-exporter.exporter.args={$1}" >"$WORK/said" 2>&1; }
cause_exporter_leaves_out() {
	with_exporter_args --max-nodes=1
	fire SlurmExporterLeavesOut
	with_exporter_args --max-nodes=100
	resolved "there are more nodes than --max-nodes" "--max-nodes is raised" SlurmExporterLeavesOut
}
# A token that another key has signed. One that is no token at all never gets so far: the new pod ends, says why, and the old one goes on.
with_exporter_secret() { helm upgrade slurm deploy/helm/slurm -n slurm --reset-then-reuse-values --set "slurm-exporter.exporter.secretName=$1" >"$WORK/said" 2>&1; }
cause_a_wrong_token() {
	local token
	token=$(k get secret slurm-token-exporter -o jsonpath='{.data.auth-token}' | base64 -d)
	k create secret generic wrong-token --from-literal=auth-token="${token%.*}.$(tr 'A-Za-z' 'B-ZAb-za' <<<"${token##*.}")" >/dev/null
	with_exporter_secret wrong-token
	fire SlurmNotAnswering
	k logs -l app.kubernetes.io/component=exporter --tail=50 | grep "Slurm refused the token" >/dev/null
	with_exporter_secret slurm-token-exporter
	resolved "the token of the exporter is signed with another key, and its log says so" "it has its own again" SlurmNotAnswering
}

# ---- the operator
cause_a_quota() {
	k create quota story --hard=pods=0 >/dev/null
	poll 20 "the quota to count" eval '[ -n "$(k get quota story -o jsonpath="{.status.used.pods}")" ]'
	scale slurm-compute-debug 4
	fire SlurmNodeSetNotReady SlurmOperatorRefused
	kubectl -n slinky logs deploy/slurm-operator | grep "exceeded quota: story" >/dev/null
	k delete quota story >/dev/null
	poll 120 "four nodes" ready slurm-compute-debug 4
	resolved "a quota denies the pods of a NodeSet" "the quota is gone" SlurmNodeSetNotReady SlurmOperatorRefused
	scale slurm-compute-debug 2
	poll 120 "two nodes" has_pods slurm-compute-debug 2
}
# As the section says, the condition of the NodeSet names the job. Here its user ends it.
cause_a_drain_that_waits() {
	local job
	job=$(as nobody -p debug -N2 -t 30 --wrap "sleep 1800")
	poll 90 "the job to run" accounted "$job" RUNNING
	scale slurm-compute-debug 1
	fire SlurmDrainWaitsLong
	k describe nodeset slurm-compute-debug | grep "job $job" >/dev/null
	ctl scancel "$job"
	poll 120 "one node" has_pods slurm-compute-debug 1
	resolved "a pod that is to go has a job for long" "its user ends the job" SlurmDrainWaitsLong
	scale slurm-compute-debug 2
	poll 120 "two nodes" ready slurm-compute-debug 2
}
# A Cluster whose token somebody else makes, here for 45 s.
short_token() { # SECONDS
	k create secret generic short-token --from-literal=auth-token="$(ctl scontrol token username=slurm lifespan="$1" | sed 's/SLURM_JWT=//')" --dry-run=client -o yaml | k apply -f - >/dev/null
}
cause_a_token_that_expires() {
	local server
	server=$(k get cluster slurm -o jsonpath='{.spec.server}')
	short_token 45
	k annotate secret short-token "slinky.slurm.net/server=$server" >/dev/null
	k apply -f - >/dev/null <<<"{\"apiVersion\":\"slinky.slurm.net/v1alpha1\",\"kind\":\"Cluster\",\"metadata\":{\"name\":\"short\"},\"spec\":{\"server\":\"$server\",\"token\":{\"secretRef\":\"short-token\"}}}"
	k wait --for=condition=Ready cluster/short --timeout=60s >/dev/null
	fire SlurmClusterTokenExpires
	short_token 86400
	resolved "a token in a Secret is not replaced" "it is replaced" SlurmClusterTokenExpires
	k delete cluster short >/dev/null
}
cause_operator_away() {
	kubectl -n slinky scale deployment slurm-operator --replicas=0 >/dev/null
	fire SlurmOperatorDown
	kubectl -n slinky scale deployment slurm-operator --replicas=1 >/dev/null
	resolved "there is no pod of slurm-operator" "there is one" SlurmOperatorDown
}
cause_no_leader() {
	kubectl -n slinky get rolebinding slurm-operator-leader -o json | jq 'del(.metadata.resourceVersion, .metadata.uid)' >"$WORK/leader.json"
	kubectl -n slinky delete rolebinding slurm-operator-leader >/dev/null
	fire SlurmOperatorHasNoLeader
	kubectl -n slinky logs deploy/slurm-operator | grep >/dev/null -i lease
	kubectl apply -f "$WORK/leader.json" >/dev/null
	resolved "the operator may not write its Lease" "it may" SlurmOperatorHasNoLeader
}
API_SERVER=$SLURM_OPERATOR_STATE/run/kube-apiserver # as tools/cluster stop does it, which is not for inside
cause_api_server_away() {
	touch "$API_SERVER.stopped"
	kill -KILL "$(cat "$API_SERVER.pid")"
	fire SlurmOperatorWatchBehind
	rm "$API_SERVER.stopped"
	poll 90 "the API server" kubectl get --raw /readyz
	resolved "the API server is away" "it is back" SlurmOperatorWatchBehind
}


# ---- the bridge
cause_red_box_away() {
	tools/cluster login pkill -x red-box
	fire SlurmRedBoxAway
	tools/cluster red-box-up >"$WORK/said" 2>&1
	resolved "there is no red-box on the login node" "it runs again" SlurmRedBoxAway
}
# The node of an inactive partition gets a taint, so the pod has to be there before the virtual node learns of it: red-box is away meanwhile.
cause_submissions_fail() {
	tools/cluster login pkill -x red-box
	kubectl apply -n default -f deploy/examples/hello.yaml >/dev/null
	poll 60 "the pod to be scheduled" eval '[ -n "$(kubectl -n default get pod hello-job -o jsonpath="{.spec.nodeName}")" ]'
	tools/cluster login scontrol update partitionname=debug state=inactive
	tools/cluster red-box-up >"$WORK/said" 2>&1
	fire SlurmSubmissionsFail
	kubectl -n default describe sj hello | grep "inactive" >/dev/null
	tools/cluster login scontrol update partitionname=debug state=up
	poll 120 "the job to end well" eval '[ "$(kubectl -n default get sj hello -o jsonpath="{.status.status}")" = Succeeded ]'
	kubectl delete -n default sj hello >/dev/null
	resolved "the partition of a job is inactive" "it is up, and the job has ended well" SlurmSubmissionsFail
}

CAUSES=${CAUSES:-nodes_down a_forgotten_drain a_partition_that_stands slurmdbd_away slurmrestd_away slurmctld_away exporter_away exporter_leaves_out a_wrong_token a_quota a_drain_that_waits a_token_that_expires
	red_box_away submissions_fail operator_away no_leader api_server_away}
# Those that nothing here causes: what they need takes longer, or larger Slurms.
NOT_CAUSED="SlurmNodesRegisteredWrong SlurmSchedulerSlow SlurmBackfillStands SlurmctldBusy SlurmOperatorCutsObjects SlurmRedBoxLimit"
tell_alerts() {
	local cause all
	[ "$CAUSES" != none ] || return 0
	ctl scancel --state=PENDING
	poll 60 "two nodes to be idle" registered "$(ctl sinfo -h -o %N | head -n 1)" 2
	poll 90 "no alert to fire" nothing_fires
	for cause in $CAUSES; do "cause_$cause"; done
	all=$(sed -n 's/^ *- alert: //p' deploy/helm/*/files/rules*.yaml | sort)
	[ "$(wc -w <<<"$CAUSES")" -lt 17 ] || diff <(printf '%s\n' "${CAUSED[@]}" $NOT_CAUSED | sort -u) <(echo "$all")
	ok "$(printf '%s\n' "${CAUSED[@]}" | sort -u | wc -l) of $(wc -l <<<"$all") alerts fired and resolved; not caused: $NOT_CAUSED"
}
