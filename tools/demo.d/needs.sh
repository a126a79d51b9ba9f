# shellcheck shell=bash
# What a machine needs for the embedded cluster, and the sentence for one that does not have it. tools/demo.d/words.sh, which has die, sources it.
STATE=${SLURM_OPERATOR_STATE:-$PWD/.cluster}
CACHE=${SLURM_OPERATOR_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/slurm-operator}

# A cluster that is up has all of it already.
need_machine() { # WHAT-IS-SAID-WITHOUT-ROOT
	[ "$(id -u)" -eq 0 ] || die "$1"
	need_debian
	! tools/cluster status >/dev/null 2>&1 || return 0
	need_memory
	need_disk
}
need_linux() {
	[ "$(uname -s)" = Linux ] || die "needs Linux, and this is $(uname -s): take a virtual machine with Debian 13"
}
# Debian and what is made of it: the first run installs packages with apt-get.
need_debian() {
	local release=${OS_RELEASE:-/etc/os-release} kind
	kind=$(. "$release" 2>/dev/null && printf ' %s %s ' "${ID:-}" "${ID_LIKE:-}") || true
	case $kind in
		*" debian "* | *" ubuntu "*) ;;
		*) die "needs Debian 12 or 13 or Ubuntu 24.04, and this is $(. "$release" 2>/dev/null && printf '%s' "${PRETTY_NAME:-another Linux}" || printf 'another Linux'): take a virtual machine with one of them" ;;
	esac
}

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
