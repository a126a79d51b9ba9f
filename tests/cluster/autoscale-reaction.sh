# shellcheck shell=bash
# How fast spec.autoscaling and KEDA are, on the same Slurm and in the same run. tests/cluster/autoscale-outside sources it.
DELAY_S=30                   # without a job until a pod goes
MEASURED=build/tmp/reactions # "WHO OUT_MS IN_MS" a line: pod created after the submission, deleted after the end and the delay

kept_pods() { k get pods -o json | jq "[.items[] | select(.metadata.name | startswith(\"$RADAR\")) | select(.metadata.deletionTimestamp == null)] | length"; }
until_kept() { # COUNT SECONDS
	local end=$((SECONDS + $2 * ${PATIENCE:-1}))
	until [ "$(kept_pods)" -eq "$1" ]; do
		[ "$SECONDS" -lt "$end" ] || { echo "waited in vain for $1 pods"; return 1; }
		sleep 0.1
	done
}
react() { # WHO
	local began ended out job
	began=$(ms)
	job=$(sbatch --exclusive --wrap 'sleep 20')
	until_kept 1 120
	out=$(($(ms) - began))
	poll 120 "the job to run" job_is "$job" RUNNING
	until job_is "$job" COMPLETED; do sleep 0.1; done
	ended=$(ms)
	until_kept 0 180
	echo "$1 $out $(($(ms) - ended - DELAY_S * 1000))" | tee -a "$MEASURED"
	poll 60 "the pod to go" has_radar_pods 0
}
median_of() { awk -v who="$1" -v n="$2" '$1 == who { print $n }' "$MEASURED" | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; } # WHO FIELD

story_reactions() {
	: >"$MEASURED"
	k patch nodeset $RADAR --type=merge -p "{\"spec\":{\"autoscaling\":{\"maxReplicas\":3,\"scaleDownDelay\":\"${DELAY_S}s\"}}}" >/dev/null
	kubectl -n "$NS" wait nodeset $RADAR --for=condition=Autoscaling --timeout=60s >/dev/null
	for _ in $(seq "${ROUNDS:-1}"); do react spec.autoscaling; done
	k patch nodeset $RADAR --type=merge -p '{"spec":{"autoscaling":null}}' >/dev/null
	soon $EXAMPLES/scaledobject.yaml
	kubectl -n "$NS" wait scaledobject scale-radar --for=condition=Ready --timeout=60s >/dev/null
	for _ in $(seq "${ROUNDS:-1}"); do react KEDA; done
	k delete scaledobject scale-radar --timeout=60s >/dev/null
	[ "$(median_of spec.autoscaling 2)" -lt "$(median_of KEDA 2)" ]
	ok "reaction: a job was submitted, and its pod created $(median_of spec.autoscaling 2) ms later by spec.autoscaling, $(median_of KEDA 2) ms later by KEDA;" \
		"it ended, and $DELAY_S s and $(median_of spec.autoscaling 3) ms later its pod was deleted by spec.autoscaling, $DELAY_S s and $(median_of KEDA 3) ms by KEDA"
}
story_reactions
