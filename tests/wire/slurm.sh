# shellcheck shell=bash
# A real Slurm, slurmctld and slurmds as root, in a network of its own: source it as root after "unshare --mount --net --uts --pid".

# Without an address of a network slurmctld does not listen.
own_network() { # FOLDER HOSTNAME
	local name=$2
	hostname "$name"
	ip link set lo up
	ip link add one type veth peer name other
	ip address add 10.99.0.1/24 dev one
	ip link set one up
	ip link set other up
	mount -t tmpfs tmpfs /etc/slurm
	mount -t tmpfs tmpfs /run
	{ cat /etc/hosts; echo "10.99.0.1 $name ${name%%.*}"; } >"$1/hosts"
	mount --bind "$1/hosts" /etc/hosts
}

# Standard input is what slurm.conf has besides: its nodes and partitions.
own_slurm() { # FOLDER HOST NODE...: starts slurmctld and a slurmd for each node
	local dir=$1 host=$2 node
	shift 2
	head -c 1024 /dev/urandom >/etc/slurm/slurm.key
	chmod 600 /etc/slurm/slurm.key
	mkdir -p "$dir/state" "${@/#/$dir/spool-}"
	chmod 755 "$dir" "$dir"/spool-*
	{
		cat <<-END
			ClusterName=own
			SlurmctldHost=$host(127.0.0.1)
			SlurmUser=root
			SlurmdUser=root
			AuthType=auth/slurm
			CredType=cred/slurm
			StateSaveLocation=$dir/state
			SlurmctldPidFile=$dir/slurmctld.pid
			SlurmdPidFile=$dir/slurmd-%n.pid
			SlurmdSpoolDir=$dir/spool-%n
			ProctrackType=proctrack/linuxproc
			TaskPlugin=task/none
			MpiDefault=none
			SelectType=select/cons_tres
			SelectTypeParameters=CR_CPU
			SlurmdParameters=config_overrides
		END
		cat
	} >/etc/slurm/slurm.conf
	slurmctld -D -c >"$dir/slurmctld.log" 2>&1 &
	# The slurmds start when slurmctld answers, so none registers with a slurmctld that is starting.
	for _ in $(seq 600); do scontrol ping 2>/dev/null | grep >/dev/null UP && break; sleep 0.1; done
	for node; do slurmd -D -N "$node" >"$dir/slurmd-$node.log" 2>&1 & done
}
# In one line, for a story that waits in vain: each node's state, and what slurmctld and the slurmds reported last.
own_slurm_says() { echo "$(sinfo -h -N -o '%N %t' 2>&1 | sort -u | paste -sd ,); $(tail -q -n 1 "$1"/slurmctld.log "$1"/slurmd-*.log | paste -sd '|')"; } # FOLDER
own_nodes_are_idle() { [ "$(sinfo -h -N -t idle -o %N 2>/dev/null | sort -u | wc -l)" = "$1" ]; } # HOW-MANY
