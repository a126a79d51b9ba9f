# shellcheck shell=bash
# One request to the API server, by curl, or by kubectl in images that have only that. Put before the scripts that need it.

ACCOUNT=/var/run/secrets/kubernetes.io/serviceaccount

# api METHOD PATH [BODY]: prints the answer. 0: done, 4: there is no such object, 1: anything else, said on stderr.
api() {
  if [ -n "$(type -t curl || true)" ]; then by_curl "$@"; else by_kubectl "$@"; fi
}

by_curl() {
  local answer code type=application/json
  [ "$1" != PATCH ] || type=application/merge-patch+json
  # the token of the account is not in the arguments, which others can see
  answer=$(printf '%s' "${3:-}" | curl -sS -m 20 --cacert "$ACCOUNT/ca.crt" \
    -K <(printf 'header = "Authorization: Bearer %s"\n' "$(<"$ACCOUNT/token")") -H "Content-Type: $type" \
    -X "$1" ${3:+--data-binary @-} -w '\n%{http_code}' "https://kubernetes.default.svc$2") || return 1
  code=${answer##*$'\n'}
  case $code in
    2*) printf '%s\n' "${answer%$'\n'*}" ;;
    404) return 4 ;;
    *) echo "$1 $2: HTTP status $code" >&2; return 1 ;;
  esac
}

by_kubectl() {
  local said verb
  case $1 in
    GET) verb=(get --raw "$2") ;;
    POST) verb=(create --raw "$2" -f -) ;;
    DELETE) verb=(delete --raw "$2") ;;
    PATCH) verb=(-n "$NAMESPACE" patch nodesets.slinky.slurm.net "${2##*/}" --type=merge -p "$3") ;;
  esac
  if said=$(printf '%s' "${3:-}" | kubectl "${verb[@]}" 2>&1); then printf '%s\n' "$said"; return; fi
  case $said in *NotFound*) return 4 ;; esac
  printf '%s\n' "$said" >&2
  return 1
}
