# shellcheck shell=bash
# How long steps tell that they go on, and how long they may take. Source it where say is.

# Runs CMD with its output in LOG, and says every ten seconds what FAR makes of LOG. When CMD fails the end of LOG is shown.
# The ticker ends by the end of its input: bash runs the EXIT trap of the caller in a child that is killed right after its fork.
watched() { # LOG FAR CMD...: FAR is a function that reads LOG
  local log="$1" far="$2" ticks ticker rc=0
  shift 2
  : >"$log"
  exec {ticks}> >(tick "$log" "$far" 8>&- 9>&-)
  ticker=$!
  "$@" >"$log" 2>&1 {ticks}>&- || rc=$?
  exec {ticks}>&-
  wait "$ticker" || true
  [ "$rc" = 0 ] || tail -n 40 "$log" >&2
  return "$rc"
}

tick() { # LOG FAR
  local rc=0
  until read -r -t 10 || { rc=$?; [ "$rc" -le 128 ]; }; do
    say "$("$2" <"$1" | cut -c1-140)"
  done
}

# One of several programs that make the same thing at a time. The descriptor is open until the caller closes it.
take_turn() { # DESCRIPTOR FILE WHAT
  mkdir -p "$(dirname "$2")"
  eval "exec $1>\"\$2\""
  flock -n "$1" || { say "waiting for another build of $3"; flock "$1"; }
}

# How many times slower this machine is now than one with two cores and nothing else to do, from 1 to 30: by a loop that takes the latter
# 0.09 s, and by how many programs share a core. Limits in seconds are multiplied by it.
slowness() {
  local n by_loop by_load began=${EPOCHREALTIME/./}
  for ((n = 0; n < 30000; n++)); do :; done
  by_loop=$(((${EPOCHREALTIME/./} - began) / 90000))
  read -r by_load _ </proc/loadavg
  by_load=$((${by_load%.*} / $(nproc)))
  n=$((by_loop > by_load ? by_loop : by_load))
  echo $((n < 1 ? 1 : n > 30 ? 30 : n))
}

# Tries CMD twenty times a second, for SECONDS on a machine with nothing else to do, and longer on a slower one. Every ten seconds STILL says that it waits.
keep_trying() { # SECONDS STILL CMD...
  local left=$(($1 * 20)) still=$2 more=$1 said=$SECONDS
  shift 2
  until "$@" >/dev/null 2>&1; do
    if [ "$left" -le 0 ]; then
      left=$((more * 20 * ($(slowness) - 1)))
      more=0
      [ "$left" -gt 0 ] || return 1
    fi
    if [ $((SECONDS - said)) -ge 10 ]; then $still; said=$SECONDS; fi
    left=$((left - 1))
    sleep 0.05
  done
}
