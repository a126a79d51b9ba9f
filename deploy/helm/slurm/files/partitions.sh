# shellcheck shell=bash
# slurmctld ends the jobs of a partition that leaves slurm.conf, running ones too. So it stays there, takes no new jobs, and goes when Slurm knows of no
# job of it. Which partitions slurmctld has stands beside its state, for its next start. Put before the scripts that need it.

PARTITIONS=${PARTITIONS_FILE:-/var/spool/slurmctld/partitions.conf}
export LC_ALL=C

# The lines of NodeSets and partitions, whole and without comments.
lines_of() { # FILE
  sed -E -e ':a' -e '/\\$/N' -e 's/\\\n//' -e 'ta' "$1" | sed -E 's/[[:space:]]+#.*//; s/^[[:space:]]+//; s/[[:space:]]+$//' | grep -iE '^(NodeSet|PartitionName)=' |
    grep -viE '^PartitionName=DEFAULT([[:space:]]|$)' || true
}
line_of() { lines_of "$1" | sed -nE "s/^($2)=/&/Ip" | awk -v name="$3" '{ split($1, a, "="); if (a[2] == name) line = $0 } END { print line }'; } # FILE KEY NAME
names_of() { lines_of "$1" | sed -nE "s/^$2=([^[:space:]]+).*/\1/Ip" | sort -u; } # FILE KEY

# What slurmctld has, and a new configuration has not.
gone() { # NEW KEY
  [ ! -e "$PARTITIONS" ] || comm -23 <(names_of "$PARTITIONS" "$2") <(names_of "$1" "$2")
}

# The lines that keep a partition: it, without new jobs, and the NodeSets of it that went too.
lines_that_keep() { # NEW PARTITION
  local line nodes
  line=$(line_of "$PARTITIONS" PartitionName "$2")
  printf '%s State=DRAIN\n' "$(sed -E 's/[[:space:]]+(State|Default)=[^[:space:]]*//Ig' <<<"$line")"
  comm -12 <(gone "$1" NodeSet) <(sed -nE 's/.*[[:space:]]Nodes=([^[:space:]]+).*/\1/Ip' <<<"$line" | tr , '\n' | sort -u) |
    while IFS= read -r nodes; do line_of "$PARTITIONS" NodeSet "$nodes"; done
}

with_partitions() { # NEW PARTITION...: the configuration with what has to stay
  local new=$1 name
  cat "$new"
  shift
  for name; do lines_that_keep "$new" "$name"; done | sort -u
}
