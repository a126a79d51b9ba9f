# shellcheck shell=bash
# The bridge on the embedded cluster: what "make demo-bridge" and "make bridge-up" install. Source it in the top folder, behind tools/demo.d/waiting.sh.
SPACE=slinky
BRIDGE=slurm-virtual-node
SPACES=("$SPACE" "$BRIDGE") # the namespaces whose pods are waited for
REGISTRY=                   # the images are those that the embedded cluster has
IMAGES=localhost

login() { tools/cluster login "$@" </dev/null; }
node_ip() { kubectl get nodes -o json | jq -r '[.items[].status.addresses[]? | select(.type == "InternalIP")][0].address'; }
is_release() { [ -n "$(helm list -q -n "$1" -f '^slurm-operator$')" ]; } # NAMESPACE: it has a release slurm-operator that is deployed

# node-1 shares /run/syslurm with the login node, so it has the socket of red-box. The virtual nodes have the address of node-1, because this API server
# verifies the certificates of kubelets.
install_virtual_node() {
	local there=
	! is_release "$BRIDGE" || there=yes
	quietly kubectl label node node-1 --overwrite example.com/slurm-login=hpc
	make_namespace "$BRIDGE"
	quietly kubectl label namespace "$BRIDGE" --overwrite pod-security.kubernetes.io/enforce=privileged
	kubelet_certificate slurm-virtual-node "$(node_ip)" "$WORK"
	kubectl -n "$BRIDGE" create secret tls kubelet-certificate --cert="$WORK/tls.crt" --key="$WORK/tls.key" --dry-run=client -o yaml | kubectl apply -f - >/dev/null
	forget_interrupted "$BRIDGE"
	quietly helm upgrade --install slurm-operator deploy/helm/slurm-operator -n "$BRIDGE" -f deploy/examples/virtual-node-values.yaml \
		--set virtualNode.hostNetwork=true,virtualNode.kubelet.port=10261,virtualNode.kubelet.certSecret=kubelet-certificate --timeout 60m
	# a newer image has the same name
	[ -z "$there" ] || quietly kubectl -n "$BRIDGE" rollout restart deployment
	poll 120 "the virtual node to be ready (kubectl -n $BRIDGE get pods)" rolled_out "$BRIDGE"
}
partitions_are_nodes() { [ "$(kubectl get nodes -l type=virtual-kubelet --no-headers | awk '$2 == "Ready"' | wc -l)" -eq 2 ]; }
