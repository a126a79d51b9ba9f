# shellcheck shell=bash
# Beside slurmctld: brings a changed configuration from /mnt/slurm to /etc/slurm and tells slurmctld, once. Keys are for the next start.
#
# VIEW is the configuration with the partitions that have to stay. /etc/slurm/.last is what slurmctld took.
set -euo pipefail

VIEW=/run/slurm-config
FROM=/mnt/slurm

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

# The configuration as it is to be, at once as a whole.
show() { # DIRECTORY PARTITION...
  local dir=$1 new=$VIEW/new file
  shift
  rm -rf "$new"
  mkdir -p "$new"
  for file in "$dir"/*; do
    case $file in *.key) ;; */slurm.conf) with_partitions "$file" "$@" >"$new/slurm.conf" ;; *) cp "$file" "$new" ;; esac
  done
  if diff -r "$new" "$VIEW/..data/" >/dev/null 2>&1; then return; fi
  file=$VIEW/$(date +%s%N)
  mv "$new" "$file"
  ln -s "$file" "$VIEW/next"
  new=$(readlink -f "$VIEW/..data" || true)
  mv -T "$VIEW/next" "$VIEW/..data"
  find "$VIEW" -mindepth 1 -maxdepth 1 -type d ! -path "$file" ! -path "$new" -exec rm -rf {} +
}

# What slurmctld has now.
remember() {
  local last=/etc/slurm/.last/slurm.conf
  [ -e "$last" ] || return 0
  lines_of "$last" >"$PARTITIONS.new"
  if ! cmp -s "$PARTITIONS.new" "$PARTITIONS" && scontrol ping 2>/dev/null | grep -q ' UP'; then mv -f "$PARTITIONS.new" "$PARTITIONS"; fi
}

pass() {
  local dir name stay=()
  dir=$FROM
  [ ! -e "$FROM/..data" ] || dir=$(readlink -f "$FROM/..data")
  remember
  for name in $(gone "$dir/slurm.conf" PartitionName); do
    is_over "$name" || stay+=("$name")
  done
  say "${stay[*]:+not in the configuration any more, but kept without new jobs until Slurm knows of no job of them: partitions ${stay[*]}}"
  show "$dir" "${stay[@]}"
}
passes() {
  while sleep 5; do (pass) || echo "the configuration could not be looked at; it is tried again" >&2; done
}

# With our images slurm-config tells slurmctld, and takes back what it refuses.
tell() {
  local file name mode
  for file in /etc/slurm/*; do
    name=${file##*/}
    case $name in *.key | slurmdbd.conf) continue ;; esac
    [ -f "$file" ] || continue
    [ -e "$VIEW/..data/$name" ] || rm -f "$file"
  done
  for file in "$VIEW/..data"/*; do
    name=${file##*/} mode=644
    case $name in prolog-* | epilog-*) mode=755 ;; esac
    cp "$file" "/etc/slurm/$name.new"
    chmod "$mode" "/etc/slurm/$name.new"
    mv -f "/etc/slurm/$name.new" "/etc/slurm/$name"
  done
  until scontrol reconfigure; do sleep 2 & wait $!; done
}

trap 'exit 0' TERM
mkdir -p "$VIEW"
pass
passes &
[ -z "$(type -t slurm-config || true)" ] || SLURM_CONFIG_SOURCE=$VIEW exec slurm-config watch
while :; do
  if [ ! -e /etc/slurm/.last ]; then
    cp -r "$VIEW/..data/" /etc/slurm/.last
  elif ! diff -r "$VIEW/..data/" /etc/slurm/.last >/dev/null; then
    echo "the configuration has changed"
    tell
    rm -rf /etc/slurm/.last
    cp -r "$VIEW/..data/" /etc/slurm/.last
    echo "slurmctld has it"
  fi
  sleep 5 & wait $!
done
