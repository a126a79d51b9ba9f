# shellcheck shell=bash
# uninstall.sh NODESET...: before anything of the release is deleted, its NodeSets go, each as soon as no job runs on it,
# while Slurm and its operator are still there. Only helm uninstall may start it: whoever applies the rendered chart starts it as well, and then it deletes
# nothing.
#
# NAMESPACE          of the NodeSets
# RELEASE_NAMESPACE  of the release, and
# RELEASE_OBJECTS    Secrets or ConfigMaps in which helm keeps its revisions, by name
# DRAIN              false: their jobs end at once
# PATIENCE           seconds after which this gives up. Nothing has been deleted then but what had no job
set -euo pipefail

NODESETS=/apis/slinky.slurm.net/v1alpha1/namespaces/$NAMESPACE/nodesets
NOW='{"metadata":{"annotations":{"nodeset.slinky.slurm.net/release-now":"true"}}}'

# Ends this, with nothing deleted, unless helm has written that it is uninstalling a revision of the release.
must_be_uninstalling() {
  local object kind status answer
  for object in $RELEASE_OBJECTS; do
    for kind in secrets configmaps; do
      status=0
      answer=$(api GET "/api/v1/namespaces/$RELEASE_NAMESPACE/$kind/$object") || status=$?
      case $status in
        0) if grep -qE '"status": *"uninstalling"' <<<"$answer"; then return 0; fi ;;
        4) ;;
        *) echo "nothing is deleted: $kind/$object cannot be read, which says whether helm is uninstalling" >&2; exit 1 ;;
      esac
    done
  done
  echo "nothing is deleted: helm is not uninstalling this release (none of ${RELEASE_OBJECTS%% *} and later revisions in namespace $RELEASE_NAMESPACE has the label status: uninstalling)"
  exit 0
}

gone_or_done() { "$@" >/dev/null || [ $? = 4 ]; }

# What the conditions of a NodeSet say.
messages() { tr -d '\n' | grep -oE '"message": *"([^"\\]|\\.)*"' | sed -E 's/"message": *"(.*)"/\1/; /^$/d' | sort -u | sed ':a; N; $!ba; s/\n/; /g' || true; }

# The largest number that stands behind a name.
number() { tr -d '\n' | grep -oE "\"$1\": *[0-9]+" | grep -oE '[0-9]+$' | sort -n | tail -n 1 || true; }

# Its status is of the time before it was deleted: an operator writes it within a second.
is_unseen() { # OBJECT
  local seen written
  seen=$(number observedGeneration <<<"$1") && written=$(number generation <<<"$1")
  [ "${seen:-0}" -lt "${written:-0}" ]
}

# Tells what is waited for, once until it changes. Fails when the NodeSet is gone.
look() { # NAME
  local answer status=0 said
  answer=$(api GET "$NODESETS/$1") || status=$?
  [ "$status" != 4 ] || return 1
  said=$(messages <<<"$answer") || return
  if is_unseen "$answer"; then said="no operator has seen its deletion yet"; fi
  if [ "$SECONDS" -ge "$HEARD" ] && is_unseen "$answer"; then
    said="no operator has seen its deletion for $HEARD s: does slurm-operator run? Without one no NodeSet goes"
  fi
  [ "$said" = "${SAID[$1]:-}" ] || echo "$1: $said"
  SAID[$1]=$said
}

HEARD=20 # seconds in which an operator hears of a deletion, one that starts just now too
declare -A SAID
must_be_uninstalling
for name in "$@"; do
  [ "$DRAIN" = true ] || gone_or_done api PATCH "$NODESETS/$name" "$NOW"
  gone_or_done api DELETE "$NODESETS/$name"
done
while [ $# -gt 0 ]; do
  left=()
  for name in "$@"; do
    if look "$name"; then left+=("$name"); else echo "$name: gone"; fi
  done
  set -- "${left[@]}"
  [ $# -eq 0 ] || sleep 1
  if [ "$SECONDS" -ge "$PATIENCE" ]; then
    echo "these NodeSets are still there: $*. What they wait for is above." >&2
    exit 1
  fi
done
echo "no NodeSet is left"
