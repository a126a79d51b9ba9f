# shellcheck shell=bash
# Beside slurmctld: brings a changed configuration from /mnt/slurm to /etc/slurm and tells slurmctld, once. Keys are for the next start.
#
# VIEW is the configuration with the partitions that have to stay. $TO/.last is what slurmctld took.
set -euo pipefail

VIEW=${CONFIG_VIEW:-/run/slurm-config}
FROM=${CONFIG_FROM:-/mnt/slurm}
TO=${CONFIG_TO:-/etc/slurm}
PERIOD=${SLURM_CONFIG_PERIOD:-5}

# Once, until there is something else to say.
say() {
  [ "$(cat "$VIEW/said" 2>/dev/null || true)" != "$*" ] || return 0
  printf '%s\n' "$*" >"$VIEW/said"
  [ -z "$*" ] || echo "$*"
}

# No job is of it, and none can come.
is_over() { # PARTITION
  local said
  said=$(scontrol -o show partition "$1" 2>&1) || { [[ $said == *"not found"* ]]; return; }
  [[ $said == *" State=DRAIN "* ]] && said=$(squeue -a -h -t all -p "$1" -o %A 2>&1) && [ -z "$said" ]
}

# A copy of the mounted configuration, without keys. The kubelet changes the mount by one rename and then removes what was there: a copy during which that
# happened may lack files, and fails.
snapshot() { # TO
  local to=$1 dir file
  dir=$(readlink -f "$FROM/..data")
  rm -rf "$to"
  mkdir -p "$to"
  for file in "$dir"/*; do
    case $file in *.key) ;; *) cp "$file" "$to" ;; esac
  done
  [ "$(readlink -f "$FROM/..data")" = "$dir" ]
  [ -s "$to/slurm.conf" ]
}

# Makes the configuration with what has to stay, and publishes it by one rename.
show() { # COPY PARTITION...
  local new=$1 old file
  file=$VIEW/$(date +%s%N)
  shift
  with_partitions "$new/slurm.conf" "$@" >"$new/slurm.conf.new"
  cmp -s -n "$(stat -c %s "$new/slurm.conf")" "$new/slurm.conf" "$new/slurm.conf.new"
  mv "$new/slurm.conf.new" "$new/slurm.conf"
  if diff -r "$new" "$VIEW/..data/" >/dev/null 2>&1; then return; fi
  mv "$new" "$file"
  ln -sfn "$file" "$VIEW/next"
  old=$(readlink -f "$VIEW/..data" || true)
  mv -T "$VIEW/next" "$VIEW/..data"
  find "$VIEW" -mindepth 1 -maxdepth 1 -type d ! -path "$file" ! -path "$old" -exec rm -rf {} +
}

# What slurmctld has now.
remember() {
  local last=$TO/.last/slurm.conf
  [ -e "$last" ] || return 0
  lines_of "$last" >"$PARTITIONS.new"
  if ! cmp -s "$PARTITIONS.new" "$PARTITIONS" && scontrol ping 2>/dev/null | grep >/dev/null ' UP'; then mv -f "$PARTITIONS.new" "$PARTITIONS"; fi
}

pass() {
  local new=$VIEW/new name stay=()
  snapshot "$new"
  remember
  for name in $(gone "$new/slurm.conf" PartitionName); do
    is_over "$name" || stay+=("$name")
  done
  say "${stay[*]:+not in the configuration any more, but kept without new jobs until Slurm knows of no job of them: partitions ${stay[*]}}"
  show "$new" "${stay[@]}"
}
# A pass is a process of its own, and no part of a condition: there its first failure would not end it.
passes() {
  while sleep "$PERIOD"; do
    pass & wait $! || echo "the configuration changed while it was read; it is read again" >&2
  done
}

# With our images slurm-config tells slurmctld, and takes back what it refuses.
tell() { # DIRECTORY
  local file name mode
  for file in "$TO"/*; do
    name=${file##*/}
    case $name in *.key | slurmdbd.conf) continue ;; esac
    [ -f "$file" ] || continue
    [ -e "$1/$name" ] || rm -f "$file"
  done
  for file in "$1"/*; do
    name=${file##*/} mode=644
    case $name in prolog-* | epilog-*) mode=755 ;; esac
    cp "$file" "$TO/$name.new"
    chmod "$mode" "$TO/$name.new"
    mv -f "$TO/$name.new" "$TO/$name"
  done
  # a slurmctld that cannot start with this one gets the next one
  until scontrol reconfigure; do
    sleep 2 & wait $!
    [ "$(readlink -f "$VIEW/..data")" = "$now" ] || return 0
  done
  rm "$TO/.untold"
}
took() { # DIRECTORY: slurmctld has that
  rm -rf "$TO/.last.new"
  cp -r "$1" "$TO/.last.new"
  rm -rf "$TO/.last"
  mv "$TO/.last.new" "$TO/.last"
}

trap 'exit 0' TERM
mkdir -p "$VIEW"
# slurm-config ends this container once for a configuration that is refused; the status of the pod is to say so also when the container ends here
{ cat "$TO/.why" >"${SLURM_CONFIG_MESSAGE:-/dev/termination-log}"; } 2>/dev/null || true
pass
passes &
[ -z "$(type -t slurm-config || true)" ] || SLURM_CONFIG_SOURCE=$VIEW SLURM_CONFIG_DIR=$TO exec slurm-config watch
refused=
while :; do
  now=$(readlink -f "$VIEW/..data")
  if [ ! -e "$TO/.last" ]; then
    took "$now"
  elif [ -e "$TO/.untold" ] || ! diff -r "$now" "$TO/.last" >/dev/null; then
    # what is published meanwhile is for the next time
    rm -rf "$TO/.told"
    cp -r "$now" "$TO/.told"
    # what Slurm's own parser does not take, slurmctld does not either, and scontrol could tell it nothing more
    fault=$(fault_of "$TO/.told")
    if [ -n "$fault" ]; then
      [ "$fault" = "$refused" ] || echo "Slurm cannot read the new configuration, and slurmctld goes on with the last one: $fault"
    else
      echo "the configuration has changed"
      : >"$TO/.untold"
      tell "$TO/.told"
      if [ ! -e "$TO/.untold" ]; then
        took "$TO/.told"
        echo "slurmctld has it"
      fi
    fi
    refused=$fault
  fi
  sleep "$PERIOD" & wait $!
done
