# shellcheck shell=bash
# A Slurm that Kubernetes knows nothing of, for the bridge: a login node with slurmctld, and two nodes for jobs. Each is a container of the images, outside of
# any pod, with a network of its own. The login node shares one folder with node-1 of Kubernetes, /run/syslurm, as if both were one machine. These functions run inside.

OUTSIDE=$STATE/outside
OUTSIDE_NET=192.168.78
OUTSIDE_MACHINES='login 10 slurmctld
c1 11 slurmd
c2 12 slurmd'
BRIDGE_USER=slurm-bridge # the account of red-box, with the number that deploy/examples has
BRIDGE_UID=990
SLURM_UID=401 # in the images

outside_ctr() { ctr -n k8s.io "$@"; }
outside_row() { awk -v n="$1" '$1 == n { print $2, $3 }' <<<"$OUTSIDE_MACHINES"; }
outside_pid() { outside_ctr task ls | awk -v n="outside-$1" '$1 == n && $3 == "RUNNING" { print $2; found = 1 } END { exit !found }'; }

# ---------------------------------------------------------------- what the machines share

outside_conf() {
  cat <<C
ClusterName=outside
SlurmctldHost=login
SlurmUser=slurm
AuthType=auth/slurm
CredType=cred/slurm
StateSaveLocation=/var/spool/slurmctld
SlurmdSpoolDir=/var/spool/slurmd
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=5
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0
DefMemPerNode=100
NodeName=c[1-2] CPUs=4 RealMemory=2000
PartitionName=debug Nodes=c[1-2] Default=YES MaxTime=30 MaxMemPerNode=512 State=UP
PartitionName=long Nodes=c2 MaxTime=UNLIMITED State=UP
C
}

outside_files() {
  mkdir -p "$OUTSIDE"/{conf,users,home/$BRIDGE_USER,run,runctld} /run/syslurm
  [ -s "$OUTSIDE/conf/slurm.key" ] || head -c 1024 /dev/urandom >"$OUTSIDE/conf/slurm.key"
  outside_conf >"$OUTSIDE/conf/slurm.conf"
  echo CgroupPlugin=disabled >"$OUTSIDE/conf/cgroup.conf"
  printf '%s:x:%d:%d::/home/%s:/usr/sbin/nologin\n' $BRIDGE_USER $BRIDGE_UID $BRIDGE_UID $BRIDGE_USER >"$OUTSIDE/users/passwd"
  printf '%s:x:%d:\n' $BRIDGE_USER $BRIDGE_UID >"$OUTSIDE/users/group"
  : >"$OUTSIDE/users/shadow"
  echo 127.0.0.1 localhost >"$OUTSIDE/hosts"
  awk -v net=$OUTSIDE_NET '{ print net "." $2, $1 }' <<<"$OUTSIDE_MACHINES" >>"$OUTSIDE/hosts"
  chown $SLURM_UID:$SLURM_UID "$OUTSIDE"/{conf/slurm.key,run,runctld}
  chmod 600 "$OUTSIDE/conf/slurm.key"
  chown $BRIDGE_UID:$BRIDGE_UID "$OUTSIDE/home/$BRIDGE_USER" /run/syslurm
}

# ---------------------------------------------------------------- the machines

outside_bridge() {
  ! ip link show outside0 >/dev/null 2>&1 || return 0   # /sys shows the interfaces of the machine
  ip link add outside0 type bridge
  ip address add $OUTSIDE_NET.1/24 dev outside0
  ip link set outside0 up
}

outside_network() { # NAME NUMBER
  [ ! -e "/run/netns/$1" ] || return 0
  ip netns add "$1"
  ip -n "$1" link set lo up
  ip link add "outside-$1" type veth peer name eth0 netns "$1"
  ip link set "outside-$1" master outside0 up
  ip -n "$1" address add "$OUTSIDE_NET.$2/24" dev eth0
  ip -n "$1" link set eth0 up
  ip -n "$1" route add default via $OUTSIDE_NET.1
}

outside_machine() { # NAME: as it was, when it runs
  local number image
  local -a mounts=(
    --mount "type=bind,src=$OUTSIDE/conf,dst=/mnt/slurm,options=rbind:ro"
    --mount "type=bind,src=$OUTSIDE/users,dst=/var/lib/extrausers,options=rbind:ro"
    --mount "type=bind,src=$OUTSIDE/hosts,dst=/etc/hosts,options=rbind:ro"
    --mount "type=bind,src=$OUTSIDE/home,dst=/home,options=rbind:rw")
  ! outside_pid "$1" >/dev/null || return 0
  read -r number image <<<"$(outside_row "$1")"
  if [ "$1" = login ]; then
    mounts+=(--mount "type=bind,src=$OUTSIDE/run,dst=/run/slurm,options=rbind:rw" --mount "type=bind,src=$OUTSIDE/runctld,dst=/run/slurmctld,options=rbind:rw"
      --mount type=bind,src=/run/syslurm,dst=/run/syslurm,options=rbind:rw)
  fi
  outside_network "$1" "$number"
  outside_ctr task rm -f "outside-$1" >/dev/null 2>&1 || true
  outside_ctr container rm "outside-$1" >/dev/null 2>&1 || true
  outside_ctr run -d --log-uri "file://$STATE/log/outside-$1.log" --hostname "$1" --with-ns "network:/run/netns/$1" --cgroup "/$CGROUP/outside-$1" "${mounts[@]}" \
    "localhost/$image:${SLURM_VERSION[trixie]}" "outside-$1"
}

# ---------------------------------------------------------------- verbs

# As root. A terminal when there is one.
login() { # CMD [ARG...]
  local -a terminal=()
  outside_pid login >/dev/null || die "there is no login node; make one with tools/cluster outside-up"
  [ ! -t 0 ] || terminal=(-t)
  outside_ctr task exec --exec-id "login-$$-$RANDOM" --user 0 "${terminal[@]}" outside-login "$@"
}

outside_answers() { login scontrol ping </dev/null | grep >/dev/null UP; }
outside_idle() { [ "$(login sinfo -h -N -p debug -t idle </dev/null | wc -l)" -eq 2 ]; }
outside_machines() { local name; while read -r name _; do outside_machine "$name" </dev/null; done <<<"$OUTSIDE_MACHINES"; }
# A slurmd that gets SIGPIPE before it has a handler for it ends with 141. It is started again, as a kubelet does it in pods.
outside_takes_jobs() { outside_idle || { outside_machines; false; }; }

outside_up() {
  outside_files
  outside_bridge
  outside_machines
  poll 60 "slurmctld on the login node; its log is $STATE/log/outside-login.log" outside_answers
  say "slurmctld answers on the login node"
  poll 60 "c1 and c2 to register; their logs are $STATE/log/outside-c1.log and outside-c2.log" outside_takes_jobs
  say "c1 and c2 take jobs"
}

outside_machine_down() { # NAME
  outside_ctr task rm -f "outside-$1" >/dev/null 2>&1 || true
  outside_ctr container rm "outside-$1" >/dev/null 2>&1 || true
  [ ! -e "/run/netns/$1" ] || ip netns delete "$1"
}
outside_is_gone() { [ -z "$(outside_ctr container ls -q | grep '^outside-')" ]; }

# Its jobs, their files and the red-box on the login node go with it.
outside_down() {
  local name
  while read -r name _; do outside_machine_down "$name" </dev/null; done <<<"$OUTSIDE_MACHINES"
  outside_is_gone || die "a container of the Slurm outside could not be removed; tools/cluster run ctr -n k8s.io container ls has it"
  ! ip link show outside0 >/dev/null 2>&1 || ip link delete outside0
  rm -f /run/syslurm/*.sock
  rm -rf --one-file-system "$OUTSIDE"
  say "the Slurm outside is removed"
}

# ---------------------------------------------------------------- red-box

# The program, and the libraries that it needs beside the C library, which every image has.
red_box_files() { # DIR
  [ -x "$TOP/build/red-box" ] || die "build/red-box is missing; run make first"
  mkdir -p "$1"
  install -m 755 "$TOP/build/red-box" "$1"
  ldd "$TOP/build/red-box" | awk '/=>/ && $1 !~ /^lib(c|m|resolv)\.so/ { print $3 }' | xargs cp -t "$1"
}

# It answers with the version of Slurm.
red_box_answers() {
  printf '\0\0\0\0\0' | curl -sf -m 5 --http2-prior-knowledge --unix-socket /run/syslurm/red-box.sock -H 'content-type: application/grpc' -H 'te: trailers' \
    --data-binary @- http://red-box/api.WorkloadManager/WorkloadInfo | grep >/dev/null -a slurm
}
red_box_ended() { ! login pgrep -x red-box </dev/null; }

# As docs/red-box.md installs it, without systemd.
red_box_up() {
  local pid root dir
  pid=$(outside_pid login) || die "there is no login node; make one with tools/cluster outside-up"
  root=/proc/$pid/root
  dir=$(mktemp -d)
  red_box_files "$dir"
  login pkill -x red-box </dev/null || true
  poll 40 "the red-box before to end" red_box_ended
  install -m 755 "$dir/red-box" "$root/usr/bin/red-box"
  rm "$dir/red-box"
  install -m 644 "$dir"/* "$root/usr/local/lib"
  rm -r "$dir"
  login ldconfig </dev/null
  install -d -m 700 -o $BRIDGE_UID -g $BRIDGE_UID "$root/var/lib/red-box"
  echo 'debug: {additional_features: [{name: cuda, version: "10", quantity: 2}]}' >"$root/etc/red-box.yaml"
  outside_ctr task exec -d --exec-id "red-box-$$-$RANDOM" --log-uri "file://$STATE/log/red-box.log" --user $BRIDGE_UID:$BRIDGE_UID --cwd /home/$BRIDGE_USER outside-login \
    red-box --config=/etc/red-box.yaml --socket=/run/syslurm/red-box.sock
  poll 20 "red-box; its log is $STATE/log/red-box.log" red_box_answers
  say "red-box answers on the login node, as $BRIDGE_USER"
}
