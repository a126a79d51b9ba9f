# shellcheck shell=bash
# A machine for stories: a real systemd over the own root, with disks that are forgotten. Source it inside "tools/toolbox run -n".
# All of it ends with the toolbox, by whatever that is killed. Only control groups outlive it, empty: the next machine removes them.
MACHINE_DIR=$(mktemp -d /tmp/machine-XXXXXX)
MACHINE_ROOT=$MACHINE_DIR/root
MACHINE_CGROUPS=$MACHINE_DIR/cgroups
MACHINE_CGROUP=$MACHINE_CGROUPS/slurm-operator-$(sha256sum <<<"$TOP" | cut -c1-8)-machine
MACHINE_UNSHARE="" MACHINE_INIT=""

# What the toolbox has is its lower layer; what the toolbox mounts is not seen.
machine_disks() {
	mkdir -p "$MACHINE_DIR"/{disk,root,cgroups}
	mount -t tmpfs -o size=2g disk "$MACHINE_DIR/disk"
	mkdir "$MACHINE_DIR"/disk/{upper,work}
	mount -t overlay -o "lowerdir=/,upperdir=$MACHINE_DIR/disk/upper,workdir=$MACHINE_DIR/disk/work" root "$MACHINE_ROOT"
	mount -t cgroup2 cgroup2 "$MACHINE_CGROUPS"
	local unit
	for unit in etcd.service containerd.service getty.target systemd-logind.service netavark-dhcp-proxy.socket netavark-dhcp-proxy.service apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer; do
		ln -sf /dev/null "$MACHINE_ROOT/etc/systemd/system/$unit"
	done
	ln -sf /usr/lib/systemd/system/multi-user.target "$MACHINE_ROOT/etc/systemd/system/default.target"
	printf '[Journal]\nRateLimitBurst=0\n' >"$MACHINE_ROOT/etc/systemd/journald.conf"
	: >"$MACHINE_ROOT/etc/machine-id"
}

machine_no_cgroup() {
	[ ! -d "$MACHINE_CGROUP" ] || find "$MACHINE_CGROUP" -depth -type d -exec rmdir {} + 2>/dev/null
}

# The shell goes into the control group by itself, and systemd with it: that is the root of all groups for the machine.
machine_on() { # NAME
	machine_no_cgroup || true
	mkdir -p "$MACHINE_CGROUP"
	(
		echo "$BASHPID" >"$MACHINE_CGROUP/cgroup.procs"
		exec unshare --mount --pid --uts --ipc --net --cgroup --fork --kill-child --propagation private -- "$TOP/tests/wire/machine" "$MACHINE_ROOT" "$1" 9<&-
	) &
	MACHINE_UNSHARE=$!
	poll 10 "the first process of the machine" pgrep -P "$MACHINE_UNSHARE"
	MACHINE_INIT=$(pgrep -P "$MACHINE_UNSHARE")
	poll 20 "systemd to answer" machine_is_up
}

# "degraded" is up as well: something of the toolbox may not fit here.
machine_is_up() { [[ $(inside timeout 5 systemctl is-system-running) == @(running|degraded) ]]; }

# Without a word to anybody, as when the current goes.
machine_off() {
	[ -n "$MACHINE_INIT" ] || return 0
	kill -KILL "$MACHINE_INIT" 2>/dev/null || true
	wait "$MACHINE_UNSHARE" 2>/dev/null || true
	MACHINE_INIT=""
	poll 10 "the control groups of the machine to go" machine_no_cgroup
}

# Commands in the machine: as root, and as a user with all of that user's groups.
inside() { nsenter -t "$MACHINE_INIT" --mount --pid --uts --ipc --net --cgroup --root --wd -- env -i HOME=/root PATH=/usr/local/bin:/usr/sbin:/usr/bin LC_ALL=C.UTF-8 "$@"; }
as() { # USER CMD...
	local user=$1
	shift
	inside runuser -u "$user" -- "$@"
}
