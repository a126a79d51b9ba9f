# shellcheck shell=bash
# The virtual node under systemd, as docs/virtual-node.md has an administrator type it; for tests/wire/systemd, whose machine has a Slurm and a red-box.

VNODE_PAGE=docs/virtual-node.md
NODE=http://127.0.0.1:8001/api/v1/nodes/slurm-hpc-debug

# The lines of the block of a page that begins with these words.
block() { awk -v first="$1" '/^```/ { on = 0; next } index($0, first) == 1 { on = 1 } on' "$VNODE_PAGE"; }
has_node() { inside curl -sf "$NODE" -o /dev/null; }
node_says() { inside curl -sf "$NODE" | jq -r "$1"; } # JQ
is_ready() { [ "$(node_says '.status.conditions[] | select(.type == "Ready").status')" = True ]; }
seeks_again() { [ "$(log_of virtual-node.service | grep -c 'seeking leadership')" = 2 ]; }

story_the_virtual_node_is_installed_as_its_page_says() {
	local line
	cp build/slurm-operator "$MACHINE_ROOT$HERE/build"
	cp tests/wire/kubernetes.py "$MACHINE_ROOT/var/tmp"
	echo '{"apiVersion": "v1", "kind": "Config", "current-context": "a", "users": [{"name": "a", "user": {}}], "contexts": [{"name": "a", "context": {"cluster": "a", "user": "a"}}],
		"clusters": [{"name": "a", "cluster": {"server": "http://127.0.0.1:8001"}}]}' >"$MACHINE_ROOT$HERE/kubeconfig"
	inside systemd-run --quiet --unit=kubernetes python3 /var/tmp/kubernetes.py
	while read -r line; do types "$line"; done < <(block "useradd --system --user-group --groups")
	expect "the last line prints what stands there" "$(block "http://127.0.0.1:8081")" "$(cat "$MACHINE_DIR/said")"
	expect "the service runs as its account, and will after a start of the machine" "active enabled slurm-vi" \
		"$(shows virtual-node.service ActiveState UnitFileState) $(inside ps -o user:8= "$(shows virtual-node.service MainPID)" | cut -c1-8)"
	poll 20 "the node of the partition" has_node
	poll 20 "the node to be ready" is_ready
	expect "the partition is a node" "virtual-kubelet debug" "$(node_says '.metadata.labels | .type + " " + .["wlm.sylabs.io/partition"]')"
}

story_the_virtual_node_has_no_rights() {
	local pid
	pid=$(shows virtual-node.service MainPID)
	expect "it has no rights, and gets none" "NoNewPrivs: 1 CapBnd: 0000000000000000 CapEff: 0000000000000000 Seccomp: 2" \
		"$(for field in NoNewPrivs CapBnd CapEff Seccomp; do inside awk -v f="$field:" '$1 == f { print $1, $2 }' "/proc/$pid/status"; done | paste -sd' ')"
	expect "it sees no home, and not even root could write its options" "0 3" \
		"$(inside nsenter -t "$pid" -m -- find /home -mindepth 1 | wc -l) $(for path in /etc/slurm-virtual-node /var /usr; do inside nsenter -t "$pid" -m -- touch "$path/x" 2>&1 || true; done | grep -c 'Read-only file system')"
	expect "users of the machine cannot read its kubeconfig" "" "$(as mallory cat /etc/slurm-virtual-node/kubeconfig 2>/dev/null || true)"
	expect "its exposure is what the page says" "$(sed -n 's/.*security virtual-node.service` gives it \([0-9.]*\) of 10.*/\1/p' "$VNODE_PAGE")" \
		"$(inside systemd-analyze security virtual-node.service --no-pager | sed -n 's/.*exposure level.*: \([0-9.]*\) .*/\1/p')"
}

story_the_virtual_node_comes_back_and_ends() {
	local pid
	pid=$(shows virtual-node.service MainPID)
	types "systemctl kill -s KILL virtual-node.service"
	poll 10 "another process to wait for the Lease of the first" seeks_again
	expect "killed, it is started again, and the node is there" "active 1 yes yes" "$(shows virtual-node.service ActiveState NRestarts) $([ "$(shows virtual-node.service MainPID)" != "$pid" ] && echo yes) $(has_node && echo yes)"
	types "systemctl stop virtual-node.service"
	expect "it is a clean end, and leaves the node" "inactive success 0 yes" "$(shows virtual-node.service ActiveState Result ExecMainStatus) $(has_node && echo yes)"
	inside sed -i.before s/--red-box=/--red-boxes=/ /etc/slurm-virtual-node/options
	inside systemctl start virtual-node.service || true
	poll 10 "it to have failed" is virtual-node.service ActiveState failed
	expect "with a wrong option it ends with 64, is not started again, and says why" "64 0 yes" \
		"$(shows virtual-node.service ExecMainStatus NRestarts) $(says virtual-node.service 'unknown option --red-boxes; did you mean --red-box' && echo yes)"
}

story_the_virtual_node_is_taken_away_again() {
	local line
	while read -r line; do types "$line"; done < <(block "systemctl disable --now virtual-node.service")
	inside systemctl stop kubernetes.service
	inside rm -r "$HERE/kubeconfig" "$HERE/build/slurm-operator"
	expect "nothing of it stays" "" "$(inside find /etc /usr/bin -name '*virtual-node*' -o -path /usr/bin/slurm-operator; inside getent passwd slurm-virtual-node || true)"
}
