# shellcheck shell=bash
# token.sh USER=SECRET...: a token of Slurm for each USER, in a Secret of its own. A Secret that is there stays as it is.
#
# NAMESPACE     of the Secrets
# TOKEN_OWNER   the Secret of the key that signs: with it the tokens go
# TOKEN_SERVER  who may have the tokens: the operator sends them nowhere else
# TOKEN_LABELS  labels of the Secrets, as JSON
set -euo pipefail

SECRETS=/api/v1/namespaces/$NAMESPACE/secrets

# The first uid of the answer is the object's own.
owner_uid() { api GET "$SECRETS/$TOKEN_OWNER" | tr -d ' \n' | grep -o '"uid":"[^"]*"' | head -n 1 | cut -d '"' -f 4; }

body() { # SECRET TOKEN UID
  printf '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"%s","labels":%s,"annotations":{"slinky.slurm.net/server":"%s"},' \
    "$1" "$TOKEN_LABELS" "$TOKEN_SERVER"
  printf '"ownerReferences":[{"apiVersion":"v1","kind":"Secret","name":"%s","uid":"%s","controller":true,"blockOwnerDeletion":true}]},' \
    "$TOKEN_OWNER" "$3"
  printf '"data":{"auth-token":"%s"}}' "$(printf '%s' "$2" | base64 -w 0)"
}

make() { # USER SECRET
  local token status=0
  api GET "$SECRETS/$2" >/dev/null || status=$?
  case $status in
    0) echo "Secret $2 is there"; return ;;
    4) ;;
    *) return 1 ;;
  esac
  until token=$(scontrol token "username=$1" lifespan=infinite 2>&1); do
    echo "slurmctld does not answer yet: ${token##*$'\n'}"
    sleep 1
  done
  api POST "$SECRETS" "$(body "$2" "${token#SLURM_JWT=}" "$(owner_uid)")" >/dev/null
  echo "Secret $2 has a token of $1"
}

for pair in "$@"; do make "${pair%%=*}" "${pair#*=}"; done
