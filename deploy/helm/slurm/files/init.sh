#!/bin/bash
# Copies /mnt/slurm, which is mounted from ConfigMaps and Secrets, to /etc/slurm with the owner and modes that Slurm insists on.
#
# MARIADB_PASSWORD   takes the place of $MARIADB_PASSWORD in slurmdbd.conf
# WAIT_FOR           "HOST PORT" that has to answer first; not for a slurmctld that has a state already. The images look again themselves: see slurm-start
set -euo pipefail

# In quotes, and with the one character escaped that begins a comment even there.
quoted() {
  case $1 in
    *\"* | *\\* | *[[:cntrl:]]*) echo "the password of the database has a quote, a backslash or a line break, which slurmdbd cannot read" >&2; return 1 ;;
  esac
  printf '"%s"' "${1//\#/\\#}"
}

copy() {
  local file=$1 to=/etc/slurm/${1##*/} mode=644 text
  case $to in
    *.key | */slurmdbd.conf) mode=600 ;;
    */prolog-* | */epilog-*) mode=755 ;;
  esac
  if [ "${to##*/}" = slurmdbd.conf ]; then
    text=$(<"$file")
    # shellcheck disable=SC2016  # the name of the variable is what is looked for
    case $text in
      *'$MARIADB_PASSWORD'*) text=${text/'$MARIADB_PASSWORD'/"$(quoted "${MARIADB_PASSWORD:?is not set}")"} ;;
    esac
    (umask 077; printf '%s\n' "$text" >"$to.new")
  elif [ "${to##*/}" = slurm.conf ]; then
    # shellcheck disable=SC2046  # names of partitions are words
    with_partitions "$file" $(gone "$file" PartitionName) >"$to.new"
  else
    (umask 077; cat "$file" >"$to.new")
  fi
  [ "$(id -u)" != 0 ] || chown slurm:slurm "$to.new"
  chmod "$mode" "$to.new"
  mv -f "$to.new" "$to"
}

answers() { (exec 3<>"/dev/tcp/$1/$2") 2>/dev/null; }

wait_for() { # HOST PORT
  local n
  [ ! -e /var/spool/slurmctld/last_tres ] || return 0
  for ((n = 0; n < 3000; n++)); do
    ! answers "$1" "$2" || return 0
    [ $((n % 150)) -ne 0 ] || echo "waiting for $1 to answer on port $2, for $SECONDS s now"
    sleep 0.2
  done
  echo "$1 did not answer on port $2 within ten minutes"
}

for file in /mnt/slurm/*; do
  [ ! -f "$file" ] || copy "$file"
done
# shellcheck disable=SC2086  # two words
[ -z "${WAIT_FOR:-}" ] || wait_for $WAIT_FOR
