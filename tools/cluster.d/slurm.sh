# shellcheck shell=bash
# Slurm in the cluster, in one namespace or each in a namespace of its own. These functions run inside it.

SLURM_NS=slurm

base64url() { openssl base64 -A | tr '+/' '-_' | tr -d '='; }

# A token as scontrol would make it, but before there is a slurmctld: HS256 over exp, iat and the user.
make_token() { # KEYFILE USER SECONDS
  local now head body key
  now=$(date +%s)
  key=$(od -An -v -tx1 "$1" | tr -d ' \n')
  head=$(printf '{"alg":"HS256","typ":"JWT"}' | base64url)
  body=$(printf '{"exp":%d,"iat":%d,"sun":"%s"}' $((now + $3)) $((now - 1)) "$2" | base64url)
  printf '%s.%s.%s' "$head" "$body" \
    "$(printf '%s.%s' "$head" "$body" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | base64url)"
}

secret() { # NAME KEY FILE
  kubectl -n "$SLURM_NS" create secret generic "$1" --from-file="$2=$3" --dry-run=client -o yaml | kubectl apply -f - >/dev/null
}

# Keys stay as they are when they exist: daemons that run know only the old ones.
make_secrets() {
  local d
  kubectl -n "$SLURM_NS" get secret slurm-auth-slurm slurm-auth-jwths256 slurm-token-slurm >/dev/null 2>&1 && return 0
  d=$(mktemp -d)
  head -c 1024 /dev/urandom >"$d/slurm.key"
  head -c 32 /dev/urandom >"$d/jwt_hs256.key"
  make_token "$d/jwt_hs256.key" slurm $((10 * 365 * 86400)) >"$d/auth-token"
  secret slurm-auth-slurm slurm.key "$d/slurm.key"
  secret slurm-auth-jwths256 jwt_hs256.key "$d/jwt_hs256.key"
  secret slurm-token-slurm auth-token "$d/auth-token"
  rm -rf "$d"
}

slurmctld_answers() {
  kubectl -n "$SLURM_NS" exec deploy/slurm-controller -c slurmctld -- scontrol ping | grep >/dev/null UP
}

slurmrestd_answers() {
  local ip
  ip=$(kubectl -n "$SLURM_NS" get service slurm-restapi -o 'jsonpath={.spec.clusterIP}')
  kubectl -n "$SLURM_NS" get secret slurm-token-slurm -o 'jsonpath={.data.auth-token}' | base64 -d |
    sed 's/^/X-SLURM-USER-TOKEN: /' |
    curl -sf -m 5 -H @- "http://$ip:6820/slurm/v0.0.42/nodes" | jq -e '.errors | length == 0' >/dev/null
}

# The example, for that namespace. A new pod of slurmctld is a new Slurm in many stories, so its state is on no claim here.
example() { sed "s/namespace: slurm\$/namespace: $SLURM_NS/; s/\.slurm\.svc/.$SLURM_NS.svc/; s/persistentVolumeClaim: {claimName: slurm-state}/emptyDir: {}/" "$TOP/deploy/examples/demo-slurm.yaml"; }

# Nothing can be made in a namespace that is being deleted.
namespace_is_usable() { [ "$(kubectl get namespace "$SLURM_NS" -o 'jsonpath={.status.phase}' --ignore-not-found)" != Terminating ]; }

slurm_up() { # [NAMESPACE]
  SLURM_NS=${1:-slurm}
  poll 120 "the deletion of namespace $SLURM_NS to end" namespace_is_usable
  kubectl create namespace "$SLURM_NS" --dry-run=client -o yaml | kubectl apply -f - >/dev/null
  make_secrets
  example | kubectl apply -f - >/dev/null
  poll 90 "slurmctld; see: tools/cluster run kubectl -n $SLURM_NS logs deploy/slurm-controller" slurmctld_answers
  say "slurmctld answers in namespace $SLURM_NS"
  poll 60 "slurmrestd; see: tools/cluster run kubectl -n $SLURM_NS logs deploy/slurm-restapi" slurmrestd_answers
  say "slurmrestd answers in namespace $SLURM_NS"
}

slurm_down() { # [NAMESPACE]
  SLURM_NS=${1:-slurm}
  kubectl delete namespace "$SLURM_NS" --ignore-not-found --wait --timeout=120s >/dev/null
  say "namespace $SLURM_NS is gone"
}
