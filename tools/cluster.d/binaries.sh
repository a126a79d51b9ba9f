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
HELM_VERSION=$(module_version helm helm.sh/helm/v3)
BIN=$CACHE/bin/kubernetes-$KUBE_VERSION
BIN_DNS=$CACHE/bin/coredns-$DNS_VERSION
BIN_KWOK=$CACHE/bin/kwok-$KWOK_VERSION
BIN_HELM=$CACHE/bin/helm-$HELM_VERSION
BIN_CERT_MANAGER=$CACHE/bin/cert-manager-$(module_version cert-manager github.com/cert-manager/cert-manager)
# shellcheck disable=SC2034  # for tools/cluster
BIN_PATH=$BIN:$BIN_DNS:$BIN_KWOK:$BIN_HELM

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

# Without a cluster helm renders for the Kubernetes whose client it has; a plain go build says 1.20.
helm_ldflags() {
  local minor p
  minor=$(module_version helm k8s.io/client-go)
  minor=${minor#v0.}
  for p in lint/rules chartutil; do
    printf -- '-X helm.sh/helm/v3/pkg/%s.k8sVersionMajor=1 -X helm.sh/helm/v3/pkg/%s.k8sVersionMinor=%s ' "$p" "$p" "${minor%%.*}"
  done
  printf -- '-X helm.sh/helm/v3/internal/version.version=%s' "$HELM_VERSION"
}

build_helm() {
  [ -d "$BIN_HELM" ] || go_build helm "$BIN_HELM" "$(helm_ldflags)"
}

build_cert_manager() {
  [ -d "$BIN_CERT_MANAGER" ] || go_build cert-manager "$BIN_CERT_MANAGER" ""
}

go_build_all() {
  [ -d "$BIN" ] || go_build kubernetes "$BIN" "$(kube_ldflags)"
  [ -d "$BIN_DNS" ] || go_build coredns "$BIN_DNS" "-X github.com/coredns/coredns/coremain.GitCommit=$DNS_VERSION"
  [ -d "$BIN_KWOK" ] || go_build kwok "$BIN_KWOK" "-X sigs.k8s.io/kwok/pkg/consts.Version=$KWOK_VERSION"
  build_helm
}

build_binaries() { # VERB WHAT: one at a time
  local rc=0
  mkdir -p "$CACHE/bin"
  exec 9>"$CACHE/bin/lock"
  flock -n 9 || { say "waiting for another build of the programs"; flock 9; }
  say "building $2"
  "$TOP/tools/toolbox" run bash "$TOP/tools/cluster" "$1" 9>&- || rc=$?
  exec 9>&-
  [ "$rc" = 0 ] || die "the programs of the cluster could not be built; the compiler's messages are above"
}

need_binaries() {
  [ -d "$BIN" ] && [ -d "$BIN_DNS" ] && [ -d "$BIN_KWOK" ] && [ -d "$BIN_HELM" ] && return 0
  build_binaries .go-build "Kubernetes $KUBE_VERSION, coredns, kwok and helm (once; about ten minutes on two cores)"
}

# What needs helm alone does not wait for the rest.
need_helm() {
  [ -d "$BIN_HELM" ] || build_binaries .build-helm "helm $HELM_VERSION (once; about a minute)"
}

# Only the story that it is in needs it.
need_cert_manager() {
  [ -d "$BIN_CERT_MANAGER" ] || build_binaries .build-cert-manager "cert-manager (once; about two minutes)"
}
