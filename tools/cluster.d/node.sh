# shellcheck shell=bash
# Inside the namespaces of the cluster: network, certificates, configuration, and the components, each
# kept running by a small loop. Everything here ends with process 1.

NODE=node-1
NODE_IP=192.168.77.1
NODE_NET=192.168.77.0/24
POD_NET=10.244.0.0/20             # one node with up to 500 pods, and some time until an address is used again
SERVICE_NET=10.96.0.0/16
API=https://$NODE_IP:6443
PKI=$STATE/pki
CONF=$STATE/config
KUBECONFIGS=$STATE/kubeconfig
# shellcheck disable=SC2034  # for tools/cluster
COMPONENTS=(etcd kube-apiserver containerd kube-controller-manager kube-scheduler kube-proxy coredns kubelet local-path-provisioner)
VOLUMES=$STATE/volumes            # each volume is a folder

step() { printf '%s\n' "$*" >>"$STATE/progress"; }
fail() { printf 'failed: %s\n' "$*" >>"$STATE/progress"; exit 1; }

step_waiting() { step "waiting for $what"; }
until_true() { # SECONDS COMPONENT CMD...
  local what=$2
  keep_trying "$1" step_waiting "${@:3}" || fail "$what is not ready; its log is $STATE/log/$what.log"
}

# ---------------------------------------------------------------- components

# Keeps one component running. A file NAME.stopped keeps it down, which tests use.
supervise() { # NAME CMD...
  local name=$1
  shift
  while :; do
    while [ -e "$STATE/run/$name.stopped" ]; do sleep 0.1; done
    "$@" >>"$STATE/log/$name.log" 2>&1 </dev/null &
    echo $! >"$STATE/run/$name.pid"
    wait $! || true
    rm -f "$STATE/run/$name.pid"
    echo "--- $name ended; it starts again" >>"$STATE/log/$name.log"
    sleep 0.2
  done
}

start() { supervise "$@" & }

# ---------------------------------------------------------------- network

# A bridge carries the node's address (not every kernel has dummy devices). Without a default route an
# address of a service counts as unreachable before kube-proxy's rules see it.
make_network() {
  ip link set lo up
  ip link add node0 type bridge
  ip address add "$NODE_IP/24" dev node0
  ip link set node0 up
  ip route add default dev node0
  echo 1 >/proc/sys/net/ipv4/ip_forward
}

# Two kubelets on a machine would kill each other's pods under one root of control groups.
make_cgroups() {
  local h d f
  if [ -e /sys/fs/cgroup/cgroup.controllers ]; then make_cgroup2; return 0; fi
  for h in /sys/fs/cgroup/*/; do
    [ -e "$h/cgroup.procs" ] || continue
    d=$h$CGROUP
    mkdir -p "$d"
    for f in cpuset.cpus cpuset.mems; do
      [ ! -e "$d/$f" ] || cat "$h/$f" >"$d/$f"
    done
  done
}

make_cgroup2() {
  local c
  local -a controllers
  read -r -a controllers </sys/fs/cgroup/cgroup.controllers
  mkdir -p "/sys/fs/cgroup/$CGROUP"
  for c in "${controllers[@]}"; do
    echo "+$c" >/sys/fs/cgroup/cgroup.subtree_control 2>/dev/null || true
    echo "+$c" >"/sys/fs/cgroup/$CGROUP/cgroup.subtree_control" 2>/dev/null || true
  done
}

# ---------------------------------------------------------------- certificates

make_ca() { # NAME
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 365 -subj "/CN=$1" \
    -keyout "$PKI/$1.key" -out "$PKI/$1.crt" 2>/dev/null
}

make_cert() { # NAME CA SUBJECT [NAMES]
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "$3" -keyout "$PKI/$1.key" 2>/dev/null |
    openssl x509 -req -CA "$PKI/$2.crt" -CAkey "$PKI/$2.key" -days 365 -out "$PKI/$1.crt" \
      -extfile <(printf 'keyUsage=digitalSignature\nextendedKeyUsage=serverAuth,clientAuth\n%s\n' "${4:+subjectAltName=$4}") 2>/dev/null
}

make_kubeconfig() { # NAME
  jq -n --arg server "$API" --arg ca "$(base64 -w0 "$PKI/ca.crt")" \
    --arg crt "$(base64 -w0 "$PKI/$1.crt")" --arg key "$(base64 -w0 "$PKI/$1.key")" '{
      apiVersion: "v1", kind: "Config", "current-context": "cluster",
      clusters: [{name: "cluster", cluster: {server: $server, "certificate-authority-data": $ca}}],
      users: [{name: "user", user: {"client-certificate-data": $crt, "client-key-data": $key}}],
      contexts: [{name: "cluster", context: {cluster: "cluster", user: "user"}}]}' >"$KUBECONFIGS/$1"
}

make_pki() {
  [ ! -e "$KUBECONFIGS/admin" ] || return 0   # a restart
  mkdir -p "$PKI" "$KUBECONFIGS"
  chmod 700 "$PKI" "$KUBECONFIGS"
  make_ca ca
  make_ca front-proxy-ca
  make_cert apiserver ca "/CN=kube-apiserver" \
    "DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc,DNS:kubernetes.default.svc.cluster.local,DNS:localhost,IP:127.0.0.1,IP:$NODE_IP,IP:${SERVICE_NET%.*}.1"
  make_cert kubelet-server ca "/CN=$NODE" "DNS:$NODE,IP:$NODE_IP"
  make_cert front-proxy front-proxy-ca "/CN=front-proxy-client"
  make_cert admin ca "/O=system:masters/CN=admin"
  make_cert kube-controller-manager ca "/CN=system:kube-controller-manager"
  make_cert kube-scheduler ca "/CN=system:kube-scheduler"
  make_cert kube-proxy ca "/CN=system:kube-proxy"
  make_cert coredns ca "/O=system:masters/CN=coredns"
  make_cert provisioner ca "/O=system:masters/CN=provisioner"
  make_cert kubelet ca "/O=system:nodes/CN=system:node:$NODE"
  openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$PKI/service-account.key" 2>/dev/null
  openssl pkey -in "$PKI/service-account.key" -pubout -out "$PKI/service-account.pub"
  local c
  for c in admin kube-controller-manager kube-scheduler kube-proxy coredns provisioner kubelet; do make_kubeconfig "$c"; done
}

# ---------------------------------------------------------------- configuration

configure_containerd() {
  cat >"$CONF/containerd.toml" <<C
version = 2
root = "$STATE/containerd"
state = "/run/containerd"
oom_score = 0
[grpc]
  address = "/run/containerd/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "$PAUSE_IMAGE"
  # a story that has a registry puts HOST:PORT/hosts.toml there; it is read at each pull
  registry.config_path = "$CONF/registries"
  # without the right to lower it, runc ends with "can't get final child's PID from pipe: EOF"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "$CONF/cni"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
      SystemdCgroup = false
[plugins."io.containerd.internal.v1.opt"]
  path = "/run/containerd/opt"
C
  mkdir -p "$CONF/cni"
  # point to point: every packet is routed, so an answer to a translated service address finds its way back
  # without br_netfilter, and there is no limit of 1024 ports as on a bridge
  cat >"$CONF/cni/10-pods.conflist" <<C
{"cniVersion": "1.0.0", "name": "pods", "plugins": [
  {"type": "ptp", "ipMasq": false, "mtu": 1500,
   "ipam": {"type": "host-local", "dataDir": "/run/cni", "ranges": [[{"subnet": "$POD_NET"}]],
            "routes": [{"dst": "0.0.0.0/0"}]}},
  {"type": "portmap", "capabilities": {"portMappings": true}, "snat": false}]}
C
}

configure_kubelet() {
  cat >"$CONF/kubelet.yaml" <<C
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
authentication:
  anonymous: {enabled: false}
  webhook: {enabled: true}
  x509: {clientCAFile: $PKI/ca.crt}
authorization: {mode: Webhook}
tlsCertFile: $PKI/kubelet-server.crt
tlsPrivateKeyFile: $PKI/kubelet-server.key
address: $NODE_IP
containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
cgroupDriver: cgroupfs
cgroupRoot: /$CGROUP
failCgroupV1: false
failSwapOn: false
enforceNodeAllocatable: [none]
makeIPTablesUtilChains: false
clusterDomain: cluster.local
clusterDNS: [$NODE_IP]
maxPods: 500
kubeAPIQPS: 500
kubeAPIBurst: 1000
registryPullQPS: 0
eventRecordQPS: 0
serializeImagePulls: false
nodeStatusUpdateFrequency: 5s
shutdownGracePeriod: 0s
imageMaximumGCAge: 0s
imageGCHighThresholdPercent: 100
imageGCLowThresholdPercent: 99
evictionHard: {memory.available: 50Mi, nodefs.available: 1%, nodefs.inodesFree: 1%, imagefs.available: 1%}
volumePluginDir: $STATE/kubelet/volume-plugins
C
}

configure_kube_proxy() {
  # conntrack limits belong to the machine and stay as they are
  cat >"$CONF/kube-proxy.yaml" <<C
apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
mode: nftables
clusterCIDR: $POD_NET
clientConnection: {kubeconfig: $KUBECONFIGS/kube-proxy}
hostnameOverride: $NODE
bindAddress: $NODE_IP
nodePortAddresses: ["$NODE_NET"]
conntrack: {maxPerCore: 0, min: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s}
nftables: {minSyncPeriod: 0.1s, syncPeriod: 30s}
C
}

configure_coredns() {
  # "." has a block of its own: a template in the first one would answer before the kubernetes plugin
  cat >"$CONF/Corefile" <<C
cluster.local:53 in-addr.arpa:53 {
  bind $NODE_IP
  errors
  kubernetes cluster.local in-addr.arpa {
    kubeconfig $KUBECONFIGS/coredns
    pods insecure
    ttl 1
  }
}
.:53 {
  bind $NODE_IP
  errors
  template ANY ANY . {
    rcode NXDOMAIN
  }
}
C
}

# One folder for all machines, of which there is one: so a claim may be ReadWriteMany, too. A pod makes a volume, and removes it.
configure_volumes() {
  jq -n --arg path "$VOLUMES" '{sharedFileSystemPath: $path, cmdTimeoutSeconds: 600}' >"$CONF/volumes.json"
  cat >"$CONF/volume-pod.yaml" <<C
apiVersion: v1
kind: Pod
metadata: {name: volume}
spec:
  nodeName: $NODE                  # not one of a story's, which runs nothing
  automountServiceAccountToken: false
  terminationGracePeriodSeconds: 0
  securityContext: {runAsUser: 0, runAsGroup: 0, runAsNonRoot: false}
  containers: [{name: volume, image: "localhost/sackd:${SLURM_VERSION[trixie]}", imagePullPolicy: Never}]
C
  cat >"$CONF/volumes.yaml" <<C
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: standard, annotations: {storageclass.kubernetes.io/is-default-class: "true"}}
provisioner: rancher.io/local-path
volumeBindingMode: WaitForFirstConsumer
reclaimPolicy: Delete
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: volumes, namespace: kube-system}
automountServiceAccountToken: false
---
apiVersion: v1
kind: ConfigMap
metadata: {name: volumes, namespace: kube-system}
data:
  setup: mkdir -p -m 0777 "\$VOL_DIR"
  teardown: rm -rf "\$VOL_DIR"
C
}

configure() {
  mkdir -p "$CONF" "$CONF/registries" "$VOLUMES"
  configure_containerd
  configure_kubelet
  configure_kube_proxy
  configure_coredns
  configure_volumes
}

# ---------------------------------------------------------------- the start

start_etcd() {
  start etcd etcd --name "$NODE" --data-dir "$STATE/etcd" --unsafe-no-fsync \
    --listen-client-urls http://127.0.0.1:2379 --advertise-client-urls http://127.0.0.1:2379 \
    --listen-peer-urls http://127.0.0.1:2380 --initial-advertise-peer-urls http://127.0.0.1:2380 \
    --initial-cluster "$NODE=http://127.0.0.1:2380" --log-level warn \
    --quota-backend-bytes 8589934592 --auto-compaction-mode periodic --auto-compaction-retention 5m
}

start_apiserver() {
  start kube-apiserver kube-apiserver \
    --etcd-servers http://127.0.0.1:2379 --advertise-address "$NODE_IP" --secure-port 6443 \
    --service-cluster-ip-range "$SERVICE_NET" --allow-privileged=true \
    --authorization-mode Node,RBAC --enable-admission-plugins NodeRestriction \
    --client-ca-file "$PKI/ca.crt" --tls-cert-file "$PKI/apiserver.crt" --tls-private-key-file "$PKI/apiserver.key" \
    --kubelet-certificate-authority "$PKI/ca.crt" --kubelet-preferred-address-types InternalIP \
    --kubelet-client-certificate "$PKI/admin.crt" --kubelet-client-key "$PKI/admin.key" \
    --service-account-issuer https://kubernetes.default.svc.cluster.local \
    --service-account-key-file "$PKI/service-account.pub" --service-account-signing-key-file "$PKI/service-account.key" \
    --requestheader-client-ca-file "$PKI/front-proxy-ca.crt" --requestheader-allowed-names front-proxy-client \
    --requestheader-username-headers X-Remote-User --requestheader-group-headers X-Remote-Group \
    --requestheader-extra-headers-prefix X-Remote-Extra- \
    --proxy-client-cert-file "$PKI/front-proxy.crt" --proxy-client-key-file "$PKI/front-proxy.key"
}

# Limits of clients are far above what a test does, so that the operator's own pace is what is measured.
start_controllers() {
  start kube-controller-manager kube-controller-manager --kubeconfig "$KUBECONFIGS/kube-controller-manager" \
    --leader-elect=false --use-service-account-credentials=true --root-ca-file "$PKI/ca.crt" \
    --service-account-private-key-file "$PKI/service-account.key" \
    --cluster-signing-cert-file "$PKI/ca.crt" --cluster-signing-key-file "$PKI/ca.key" \
    --authentication-kubeconfig "$KUBECONFIGS/kube-controller-manager" \
    --authorization-kubeconfig "$KUBECONFIGS/kube-controller-manager" \
    --kube-api-qps 500 --kube-api-burst 1000 --bind-address 127.0.0.1
  start kube-scheduler kube-scheduler --kubeconfig "$KUBECONFIGS/kube-scheduler" --leader-elect=false \
    --authentication-kubeconfig "$KUBECONFIGS/kube-scheduler" --authorization-kubeconfig "$KUBECONFIGS/kube-scheduler" \
    --kube-api-qps 500 --kube-api-burst 1000 --bind-address 127.0.0.1
}

start_node() {
  start kube-proxy kube-proxy --config "$CONF/kube-proxy.yaml"
  start coredns coredns -conf "$CONF/Corefile"
  mkdir -p "$STATE/kubelet" "$STATE/log/pods" /var/lib/kubelet /var/log/pods /var/log/containers
  # short paths, as sockets need; the bytes are in the state directory
  mount --bind "$STATE/kubelet" /var/lib/kubelet
  mount --bind "$STATE/log/pods" /var/log/pods
  mount -t tmpfs tmpfs /var/log/containers
  start kubelet kubelet --config "$CONF/kubelet.yaml" --kubeconfig "$KUBECONFIGS/kubelet" --root-dir /var/lib/kubelet \
    --hostname-override "$NODE" --node-ip "$NODE_IP"
}

start_provisioner() {
  until_true 60 kube-apiserver kube apply -f "$CONF/volumes.yaml"
  start local-path-provisioner local-path-provisioner start --kubeconfig "$KUBECONFIGS/provisioner" --config "$CONF/volumes.json" \
    --helper-pod-file "$CONF/volume-pod.yaml" --helper-image "localhost/sackd:${SLURM_VERSION[trixie]}" --namespace kube-system --configmap-name volumes --service-account-name volumes
}

# Those of a cluster before this one; a restart keeps its own.
empty_logs() {
  rm -rf "$STATE/log/pods"
  find "$STATE/log" -name '*.log' ! -name hold.log -delete
}

kube() { KUBECONFIG=$KUBECONFIGS/admin kubectl --request-timeout=5s "$@"; }
api_ready() { curl -sf -m 2 --cacert "$PKI/ca.crt" --cert "$PKI/admin.crt" --key "$PKI/admin.key" "$API/readyz"; }
kubelet_runs() { curl -sf -m 2 http://127.0.0.1:10248/healthz; }   # after a restart, "Ready" may be what was said before it
node_ready() { kube get node "$NODE" -o 'jsonpath={.status.conditions[?(@.type=="Ready")].status}' | grep >/dev/null True; }
default_account() { kube -n default get serviceaccount default; }

wait_apiserver() { poll 60 "kube-apiserver; its log is $STATE/log/kube-apiserver.log" api_ready; }

# The programs of this container runtime and proxies obey proxy settings that make no sense in here.
hold() {
  unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY all_proxy ALL_PROXY
  trap 'echo "failed: a step failed; see $STATE/log/hold.log" >>"$STATE/progress"' ERR
  set -E
  mkdir -p "$STATE/run" "$STATE/log"
  rm -rf "$STATE"/run/*
  [ -d "$STATE/etcd" ] || empty_logs
  hostname "$NODE"
  make_network
  make_cgroups
  start_etcd
  make_pki
  configure
  step "etcd is started, certificates are made"
  start_apiserver
  start containerd containerd -c "$CONF/containerd.toml"
  until_true 60 containerd test -S /run/containerd/containerd.sock
  step "containerd answers"
  until_true 60 kube-apiserver api_ready
  step "kube-apiserver is ready"
  start_controllers
  start_node
  until_true 60 kubelet kubelet_runs
  until_true 60 kubelet node_ready
  step "node $NODE is ready"
  until_true 60 kube-controller-manager default_account
  start_provisioner
  step ready
  while :; do sleep 3600 & wait $!; done
}
