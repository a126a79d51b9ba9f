# shellcheck shell=bash
# What a machine needs for the embedded cluster, and the sentence for one that does not have it. Source it behind tools/demo.d/words.sh, with STATE and CACHE.

# The least of what is left of this machine and of the container that it may be.
available_memory_mb() {
	local group=/sys/fs/cgroup
	{
		awk '/^MemAvailable:/ { print int($2 / 1024) }' /proc/meminfo
		left_mb $group/memory.max $group/memory.current
		left_mb $group/memory/memory.limit_in_bytes $group/memory/memory.usage_in_bytes
	} | sort -n | head -n 1
}
left_mb() { # LIMIT USED: files of a control group; nothing without a limit
	local most
	most=$(cat "$1" 2>/dev/null) || return 0
	[ "$most" = max ] || echo $(((most - $(cat "$2")) / 1048576))
}
need_memory() {
	local have need=${NEED_MEMORY_MB:-2000}
	have=$(available_memory_mb)
	[ "$have" -ge "$need" ] || die "needs $need MB of memory, and $have MB are available: end something, or take a larger machine"
}

free_disk_mb() { # DIR, which may not be there yet
	local dir=$1
	until [ -d "$dir" ]; do dir=$(dirname "$dir"); done
	df -Pm "$dir" | awk 'NR == 2 { print $4 }'
}
need_free() { # DIR MB SENTENCE
	local have
	have=$(free_disk_mb "$1")
	[ "$have" -ge "$2" ] || die "needs $2 MB of disk for $1, and $have MB are free: $3"
}
need_disk() {
	local first=15000
	! tools/cluster cached || first=1000
	need_free "$CACHE" "${NEED_DISK_MB:-$first}" "make room, or set SLURM_OPERATOR_CACHE to a folder that has it"
	need_free "$STATE" "${NEED_DISK_MB:-2000}" "make room, or set SLURM_OPERATOR_STATE to a folder that has it"
}
