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
BIN_PROVISIONER=$CACHE/bin/provisioner-$(module_version provisioner github.com/rancher/local-path-provisioner)
BIN_REGISTRY=$CACHE/bin/registry-$(module_version registry github.com/distribution/distribution/v3)
BIN_CERT_MANAGER=$CACHE/bin/cert-manager-$(module_version cert-manager github.com/cert-manager/cert-manager)
# shellcheck disable=SC2034  # for tools/cluster
BIN_PATH=$BIN:$BIN_DNS:$BIN_KWOK:$BIN_HELM:$BIN_PROVISIONER

# How far go is with $what, by its log: a line for each module that it fetches, and for each package that it compiles. Packages that the
# cache of go has are in no line, so $all is an upper limit.
how_far_go_is() {
  awk -v what="$what" -v all="$all" '/^go: downloading/ { modules++; next } { packages++ }
    END { printf "building %s: %d modules fetched, %s\n", what, modules, all ? packages + 0 " packages compiled of at most " all : "its packages are listed" }'
}

# Inside the toolbox: every tool of tools/NAME/go.mod into DIR, one directory renamed when it is whole. OVERLAY: files of the modules that are others
go_build() { # NAME DIR LDFLAGS
  local name=$1 dir=$2 flags=$3 part=$2.part tool what all='' n=0
  local -a tools
  local -x GOFLAGS="-buildvcs=false -mod=readonly${OVERLAY:+ -overlay=$OVERLAY}" CGO_ENABLED=0
  # go keeps an index of the files of each module, which knows of no overlay
  [ -z "${OVERLAY:-}" ] || local -x GODEBUG=goindex=0
  cd "$TOP/tools/$name" || return
  mapfile -t tools < <(go list tool)
  mkdir -p "$part"
  for tool in "${tools[@]}"; do
    n=$((n + 1))
    [ ! -x "$part/${tool##*/}" ] || continue
    what="${tool##*/} ($n of ${#tools[@]} of $name)"
    say "building $what"
    all=
    watched "$part/log" how_far_go_is go list -deps "$tool"
    all=$(grep -cv '^go:' "$part/log")
    watched "$part/log" how_far_go_is nice -n 5 \
      go build -v -trimpath -ldflags "-s -w $flags" -o "$part/${tool##*/}.new" "$tool"
    mv "$part/${tool##*/}.new" "$part/${tool##*/}"   # what is there already is not built again after a Ctrl-C
  done
  rm -f "$part/log"
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

build_registry() {
  [ -d "$BIN_REGISTRY" ] || go_build registry "$BIN_REGISTRY" ""
}

go_build_all() {
  [ -d "$BIN" ] || go_build kubernetes "$BIN" "$(kube_ldflags)"
  [ -d "$BIN_DNS" ] || go_build coredns "$BIN_DNS" "-X github.com/coredns/coredns/coremain.GitCommit=$DNS_VERSION"
  [ -d "$BIN_KWOK" ] || go_build kwok "$BIN_KWOK" "-X sigs.k8s.io/kwok/pkg/consts.Version=$KWOK_VERSION"
  [ -d "$BIN_PROVISIONER" ] || go_build provisioner "$BIN_PROVISIONER" ""
  build_helm
}

build_binaries() { # VERB WHAT: one at a time
  local rc=0
  take_turn 9 "$CACHE/bin/lock" "the programs"
  say "building $2"
  "$TOP/tools/toolbox" run bash "$TOP/tools/cluster" "$1" 9>&- || rc=$?
  exec 9>&-
  [ "$rc" = 0 ] || die "the programs of the cluster could not be built; the compiler's messages are above"
}

have_binaries() { [ -d "$BIN" ] && [ -d "$BIN_DNS" ] && [ -d "$BIN_KWOK" ] && [ -d "$BIN_HELM" ] && [ -d "$BIN_PROVISIONER" ]; }
need_binaries() {
  have_binaries && return 0
  build_binaries .go-build "Kubernetes $KUBE_VERSION, coredns, kwok, helm and a provisioner of volumes (once; about ten minutes on two cores)"
}

# What needs helm alone does not wait for the rest.
need_helm() {
  [ -d "$BIN_HELM" ] || build_binaries .build-helm "helm $HELM_VERSION (once; about a minute)"
}

# The two that follow are each built for one story.
need_cert_manager() {
  [ -d "$BIN_CERT_MANAGER" ] || build_binaries .build-cert-manager "cert-manager (once; about two minutes)"
}

need_registry() {
  [ -d "$BIN_REGISTRY" ] || build_binaries .build-registry "a registry (once; a minute or two)"
}
