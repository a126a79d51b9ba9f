# shellcheck shell=bash
# The programs of the cluster, built from Go modules and kept in the cache, keyed by version.
# Sourced by tools/cluster.

# The version of MODULE that tools/NAME/go.mod requires.
module_version() { # NAME MODULE
  awk -v m="$2" '$1 == "require" && $2 == m { print $3; exit } $1 == m && $2 ~ /^v/ { print $2; exit }' "$TOP/tools/$1/go.mod"
}

KUBE_VERSION=$(module_version kubernetes k8s.io/kubernetes)
DNS_VERSION=$(module_version coredns github.com/coredns/coredns)
KWOK_VERSION=$(module_version kwok sigs.k8s.io/kwok)
BIN=$CACHE/bin/kubernetes-$KUBE_VERSION
BIN_DNS=$CACHE/bin/coredns-$DNS_VERSION
BIN_KWOK=$CACHE/bin/kwok-$KWOK_VERSION
# shellcheck disable=SC2034  # for tools/cluster
BIN_PATH=$BIN:$BIN_DNS:$BIN_KWOK

# Inside the toolbox: every tool of tools/NAME/go.mod into DIR, one directory renamed when it is whole.
go_build() { # NAME DIR LDFLAGS
  local name=$1 dir=$2 flags=$3 part=$2.part tool
  local -a tools
  cd "$TOP/tools/$name" || return
  mapfile -t tools < <(go list -mod=readonly tool)
  mkdir -p "$part"
  for tool in "${tools[@]}"; do
    [ ! -x "$part/${tool##*/}" ] || continue
    say "building ${tool##*/}"
    CGO_ENABLED=0 GOFLAGS='-buildvcs=false -mod=readonly' nice -n 5 \
      go build -trimpath -ldflags "-s -w $flags" -o "$part/${tool##*/}.new" "$tool"
    mv "$part/${tool##*/}.new" "$part/${tool##*/}"   # what is there already is not built again after a Ctrl-C
  done
  mv "$part" "$dir"
}

# Programs tell their version to each other and to users: a plain go build says v0.0.0.
kube_ldflags() {
  local p v=$KUBE_VERSION
  local major=${v#v} minor
  major=${major%%.*} minor=${v#v*.} minor=${minor%%.*}
  for p in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
    printf -- '-X %s.gitVersion=%s -X %s.gitMajor=%s -X %s.gitMinor=%s -X %s.gitTreeState=clean ' \
      "$p" "$v" "$p" "$major" "$p" "$minor" "$p"
  done
}

go_build_all() {
  [ -d "$BIN" ] || go_build kubernetes "$BIN" "$(kube_ldflags)"
  [ -d "$BIN_DNS" ] || go_build coredns "$BIN_DNS" "-X github.com/coredns/coredns/coremain.GitCommit=$DNS_VERSION"
  [ -d "$BIN_KWOK" ] || go_build kwok "$BIN_KWOK" "-X sigs.k8s.io/kwok/pkg/consts.Version=$KWOK_VERSION"
}

need_binaries() {
  [ -d "$BIN" ] && [ -d "$BIN_DNS" ] && [ -d "$BIN_KWOK" ] && return 0
  local rc=0
  mkdir -p "$CACHE/bin"
  exec 9>"$CACHE/bin/lock"
  flock -n 9 || { say "waiting for another build of the programs"; flock 9; }
  say "building Kubernetes $KUBE_VERSION, coredns and kwok (once; about ten minutes on two cores)"
  "$TOP/tools/toolbox" run bash "$TOP/tools/cluster" .go-build 9>&- || rc=$?
  exec 9>&-
  [ "$rc" = 0 ] || die "the programs of the cluster could not be built; the compiler's messages are above"
}
