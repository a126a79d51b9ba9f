# shellcheck shell=bash
# How the demos wait. Source it behind tests/cluster/lib.sh, whose poll it replaces; SPACES: the namespaces of the demo.
SAY_S=20 # a line at least so often
# shellcheck source=tools/progress.sh
. tools/progress.sh

# It grows while pods come up: by conditions that hold, and by containers that are ready or have ended well.
how_far_pods_are() {
	local space
	for space in "${SPACES[@]}"; do
		kubectl -n "$space" get pods -o jsonpath='{range .items[*].status}{.conditions[*].status} {.containerStatuses[*].ready} {.initContainerStatuses[*].ready} {end}'
	done 2>/dev/null | { grep -oiw true || true; } | wc -l
}

# The pods that are not ready, in one line.
what_is_missing() {
	local space
	for space in "${SPACES[@]}"; do not_ready "$space"; done | awk '{ line = line (line ? ", " : "") $1 " " $2 " " $3 } END { print line ? substr(line, 1, 200) : "all pods are ready" }'
}

# poll SECONDS WHAT CMD...: until the command succeeds. Only seconds count in which no pod has come further, and on a slow machine they count less.
poll() {
	local limit=$(($1 * 100)) what=$2 best=0 waited=0 began=$SECONDS looked=$SECONDS said=$SECONDS
	shift 2
	while :; do
		"$@" >/dev/null 2>&1 </dev/null &
		while kill -0 $! 2>/dev/null; do
			sleep 0.1
			look_around
		done
		! wait $! || return 0
		if [ "$waited" -ge "$limit" ]; then
			echo "   waited in vain for $what: no pod has come further for a while ($((SECONDS - began)) s in all)" >&2
			tell_not_ready "${SPACES[@]}" 2>&1 | sed 's/^/   /' >&2
			return 1
		fi
		sleep 0.2
	done
}
# While poll waits: has anything come further?
look_around() {
	local now
	[ $((SECONDS - looked)) -ge 5 ] || return 0
	waited=$((waited + (SECONDS - looked) * 100 / $(slowness)))
	looked=$SECONDS
	now=$(how_far_pods_are)
	if [ "$now" -gt "$best" ]; then best=$now waited=0; fi
	[ $((SECONDS - said)) -lt "$SAY_S" ] || { echo "   ... $((SECONDS - began)) s: waiting for $what; $(what_is_missing)"; said=$SECONDS; }
}

# Waits for the program that was begun last, and says meanwhile what is missing.
attend() { # WHAT
	local pid=$! status=0 began=$SECONDS said=$SECONDS
	while kill -0 "$pid" 2>/dev/null; do
		sleep 0.1
		[ $((SECONDS - said)) -lt "$SAY_S" ] || { echo "   ... $((SECONDS - began)) s: $1 goes on; $(what_is_missing)"; said=$SECONDS; }
	done
	wait "$pid" || status=$?
	[ "$status" -eq 0 ] || tell_not_ready "${SPACES[@]}" 2>&1 | sed 's/^/   /' >&2
	return "$status"
}
show() {
	say_typed "$@"
	{ "$@" | sed 's/^/   /'; } <&0 &
	attend "$1 ${2:-}"
}
# For what says much: only when it fails.
quietly() {
	say_typed "$@"
	{ "$@" >"$WORK/said" 2>&1 || { cat "$WORK/said" >&2; false; }; } <&0 &
	attend "$1 ${2:-}"
}
