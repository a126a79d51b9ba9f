# shellcheck shell=bash
# test.sh NODESET...: what helm test looks at. slurmctld answers, slurmdbd knows this Slurm, and an operator has seen each NodeSet as it is now.
#
# NAMESPACE   of the NodeSets
# CLUSTER     the name of this Slurm in its accounts; empty: it has no accounting
# PATIENCE_S  how long each of these is waited for, in seconds
set -euo pipefail

NODESETS=/apis/slinky.slurm.net/v1alpha1/namespaces/$NAMESPACE/nodesets

# The commands print why they fail; only the last answer is of interest.
until_it_holds() { # SENTENCE COMMAND...
  local sentence=$1 end=$((SECONDS + PATIENCE_S))
  shift
  until "$@" >/tmp/answer 2>&1; do
    if [ "$SECONDS" -ge "$end" ]; then
      echo "$sentence"
      cat /tmp/answer
      exit 1
    fi
    sleep 1
  done
}

slurmctld_answers() { scontrol ping | grep 'is UP'; }
slurmdbd_knows() { sacctmgr -n show cluster format=cluster | grep -w "$CLUSTER"; }

operator_has_seen() { # NODESET: its status is about its spec as it is now
  local object generation observed
  object=$(api GET "$NODESETS/$1") || return 1
  generation=$(jq '.metadata.generation // 0' <<<"$object") || return 1
  observed=$(jq '.status.observedGeneration // 0' <<<"$object") || return 1
  echo "the spec of NodeSet $1 has generation $generation, its status has seen generation $observed"
  [ "$observed" -ge "$generation" ]
}

until_it_holds "slurmctld does not answer: kubectl -n $NAMESPACE get pods -l app.kubernetes.io/component=controller says why" slurmctld_answers
[ -z "$CLUSTER" ] ||
  until_it_holds "slurmdbd does not know the cluster $CLUSTER, so no job is accounted: kubectl -n $NAMESPACE logs -l app.kubernetes.io/component=accounting says why" slurmdbd_knows
for name in "$@"; do
  until_it_holds "no operator acts on NodeSet $name: install the chart slurm-operator, or add $NAMESPACE to its value namespaces" operator_has_seen "$name"
done
echo "slurmctld answers${CLUSTER:+, slurmdbd knows the cluster $CLUSTER}, and an operator has seen $# NodeSets as they are now"
