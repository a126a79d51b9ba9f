# shellcheck shell=bash
# What "make bridge-up" started, one thing a line, so that "make bridge-down" removes that and nothing else. A line is written before the thing is started:
# whatever is interrupted then, it is known. Source it with STATE, the state of the cluster.
STARTED=$STATE/bridge/started
RUNNING=$STATE/bridge/build # of the programs that run

noted() { grep -qxF "$1" "$STARTED" 2>/dev/null; } # THING
note() { # THING
	mkdir -p "${STARTED%/*}"
	noted "$1" || echo "$1" >>"$STARTED"
}
note_unless() { # THING CMD...: not when the command says that it is there, so somebody else has started it
	"${@:2}" >/dev/null 2>&1 || note "$1"
}

# A cluster is another one when it has another authority: its state is made anew then, with nothing of ours in it.
cluster_id() { echo "in $(sha256sum <"$STATE/pki/ca.crt" | cut -c1-64)"; }
note_cluster_id() { grep -q '^in ' "$STARTED" 2>/dev/null || note "$(cluster_id)"; }
is_that_cluster() { ! grep -q '^in ' "$STARTED" 2>/dev/null || noted "$(cluster_id)"; }
forget_all() { rm -rf "${STARTED%/*}"; }
forget_another_cluster() { { [ -e "$STATE/pki/ca.crt" ] && is_that_cluster; } || forget_all; }
