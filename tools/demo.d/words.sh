# shellcheck shell=bash
# What the demos share: how they tell what they do, and how they end. Source it in the top folder.
export START=${START:-$(date +%s)}
DEMO=${DEMO:-${0##*/}}
UNDO=${UNDO:-'"make cluster-down" stops the embedded cluster'}

step() { printf '\n\033[1m== %3d s  %s\033[0m\n' "$(($(date +%s) - START))" "$*"; }
die() { printf 'make %s: %s\n' "$DEMO" "$*" >&2; exit 1; }

# Before anything that the bash of macOS does not know.
# shellcheck source=tools/demo.d/needs.sh
. tools/demo.d/needs.sh
need_linux

# What is typed to see the same: words of these scripts, and what each of them stands for.
declare -A TYPED=()
typed() {
	printf '%s' "${TYPED[$1]:-$1}"
	shift
	printf ' %s' "${@@Q}"
}
say_typed() { printf '   $ %s\n' "$(typed "$@" | sed "s|'\([][A-Za-z0-9=.,:/_-]*\)'|\1|g")"; }
# Everything runs in a process group of its own: so ^C and TERM end whatever is under way, at once.
in_a_group() { # WHERE-TO-LOOK [ARG-OF-THE-SCRIPT...]
	[ -z "${DEMO_GROUP:-}" ] || return 0
	set -m
	DEMO_GROUP=1 "$0" "${@:2}" </dev/null &
	set +m
	trap 'kill -TERM -- "-$!" 2>/dev/null; wait "$!" || true; echo "   stopped; \"make $DEMO\" goes on, $UNDO"; exit 130' INT TERM
	wait "$!" || {
		printf 'make %s: the last step failed; what there is stays. Where to look: %s\n' "$DEMO" "$1" >&2
		printf 'When the cause is gone, "make %s" goes on with what there is. %s; then "make %s" begins anew.\n' "$DEMO" "$UNDO" "$DEMO" >&2
		exit 1
	}
	exit
}

# A helm that was killed leaves a release that it takes for one in the works.
forget_interrupted() { kubectl -n "$1" delete secret -l 'owner=helm,status in (pending-install,pending-upgrade,pending-rollback)' >/dev/null; }

start_embedded_cluster() { # THE-LAST-STEP
	step "1 of 3: building slurm-operator (the first time: a toolbox of Debian packages, too, about two minutes on a machine that is idle otherwise)"
	TARGET="slurm-operator red-box" PROGRESS=1 tools/toolbox run tools/build "${BUILD:-build}" # no test programs: they take longer than all else
	step "2 of 3: starting a real Kubernetes (the first time: building it and the images of Slurm from their packages, about ten minutes more)"
	tools/cluster up
	tools/cluster load-image slurm-operator
	step "3 of 3: $1"
}

# Into $SPACE; IMAGES: where the images are; REGISTRY: empty on the embedded cluster.
install_this_operator() {
	local there embedded=()
	there=$(helm status slurm-operator -n "$SPACE" -o json 2>/dev/null | grep -o '"deployed"' || true)
	if [ -n "$there" ] && [ -n "${REGISTRY:-}" ]; then echo "   this cluster has it"; return; fi
	[ -n "${REGISTRY:-}" ] || embedded=(--take-ownership --set crds.takeOver=true)
	make_namespace "$SPACE" # it may be on its way out
	forget_interrupted "$SPACE"
	quietly helm upgrade --install slurm-operator deploy/helm/slurm-operator -n "$SPACE" --create-namespace --set "operator.image.repository=$IMAGES/slurm-operator" "${embedded[@]}" --timeout 60m
	# the image of a developer has the name of the one before
	[ -z "$there" ] || quietly kubectl -n "$SPACE" rollout restart deployment
	poll 180 "the operator to be ready (kubectl -n $SPACE get pods)" rolled_out "$SPACE"
}
rolled_out() { kubectl -n "$1" rollout status deployment --timeout=1s; } # NAMESPACE: all of its Deployments
