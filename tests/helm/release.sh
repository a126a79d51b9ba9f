# shellcheck shell=bash
# Words for stories about an installed chart slurm. Source it behind tests/cluster/lib.sh, with NS, the namespace of the release.
WORK=$(mktemp -d)
VOLUMES=${SLURM_OPERATOR_STATE:-$TOP/.cluster}/volumes

ctl() { timeout 60 kubectl -n "$NS" exec "statefulset/${RELEASE:-slurm}-controller" -c slurmctld -- "$@"; }
registered() { [ "$(ctl sinfo -hN -p all -n "$1" -t idle -o '%N %T' | grep -c ' idle$')" -eq "$2" ]; } # a node is of two partitions here

# A volume for a claim: a directory of the machine, whose owner Kubernetes sets as the pods ask for.
make_volume() { # NAMESPACE CLAIM NAME [STORAGE-CLASS]
	kubectl delete pv "$1-$3" --ignore-not-found --timeout=60s >/dev/null
	rm -rf "${VOLUMES:?}/$1-$3"
	mkdir -p "$VOLUMES/$1-$3"
	kubectl apply -f - >/dev/null <<Y
apiVersion: v1
kind: PersistentVolume
metadata: {name: $1-$3, labels: {story: $1}}
spec:
  capacity: {storage: 20Gi}
  storageClassName: "${4:-}"
  accessModes: [ReadWriteOnce]
  persistentVolumeReclaimPolicy: Retain
  claimRef: {namespace: $1, name: $2}
  local: {path: $VOLUMES/$1-$3}
  nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/os, operator: In, values: [linux]}]}]}}
Y
}
make_volumes() {
	local claim
	for claim in statesave-slurm-controller-0 data-slurm-mariadb-0; do make_volume "$NS" "$claim" "${claim%%-*}"; done
}

install_operator() {
	make_namespace slinky # it may be on its way out, after a story before
	helm upgrade --install slurm-operator deploy/helm/slurm-operator -n slinky --create-namespace --take-ownership --set crds.takeOver=true --wait --timeout 120s >"$WORK/said" 2>&1
}
install() { # RELEASE WORD...: what is said goes into $WORK/said
	local release=$1
	shift
	helm upgrade --install "$release" deploy/helm/slurm -n "$NS" -f "$WORK/values.yaml" "$@" >"$WORK/said" 2>&1
}
said() { grep -qF "$1" "$WORK/said"; }

pods_ready() { # RELEASE: each pod that is to last is ready
	[ "$(k get pods -l "app.kubernetes.io/instance=$1,app.kubernetes.io/component!=upgrade" --field-selector=status.phase!=Succeeded -o jsonpath='{range .items[*]}{.status.conditions[?(@.type=="Ready")].status}{"\n"}{end}' | sort -u)" = True ]
}
all_ready() { pods_ready "$1" && [ "$(k get nodeset "$1-compute-debug" -o jsonpath='{.status.readyReplicas}')" = "$2" ]; }
runs() { [ "$(ctl srun -N "$1" hostname | sort | paste -sd ' ')" = "$2" ]; }
# Of pods that are to last, which those of Jobs and of helm test are not.
uids() { k get pods -l 'app.kubernetes.io/instance=slurm,app.kubernetes.io/component notin (keys,test,uninstall,upgrade)' -o jsonpath='{range .items[*]}{.metadata.name} {.metadata.uid}{"\n"}{end}' | sort; }
accounted() { [ "$(ctl sacct -nXP -j "$1" -o State)" = "$2" ]; } # JOB STATE, as the database has it

# ---- the end of a story
# shellcheck source=tests/cluster/broken.sh
. tests/cluster/broken.sh

tell_failure() { # WHICH
	echo "not ok - $1 ($SECONDS s)${BROKE:+, at $BROKE}"
	tail -n 30 "$WORK/said" 2>/dev/null || true
	k get pods,nodesets,clusters,pvc -o wide || true
	tell_not_ready "$NS" slinky || true
	for pod in $(k get pods -o name); do
		echo "--- $pod"
		k logs "$pod" --all-containers --tail=8 || true
	done
}
end_releases() { # RELEASE...
	k annotate nodesets --all nodeset.slinky.slurm.net/release-now=true >/dev/null 2>&1 || true
	local release
	for release; do helm uninstall "$release" -n "$NS" --timeout 60s >/dev/null 2>&1 || true; done
	helm uninstall slurm-operator -n slinky --wait --timeout 60s >/dev/null 2>&1 || true
	end_namespaces "$NS" slinky
	kubectl delete pv -l "story=$NS" --ignore-not-found --wait=false >/dev/null 2>&1 || true
}
