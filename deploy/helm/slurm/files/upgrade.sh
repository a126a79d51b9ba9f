# shellcheck shell=bash
# Before helm upgrade changes anything: does Slurm's own parser take the slurm.conf that the release is to have?
set -euo pipefail

NEW=${CONFIG_FROM:-/etc/slurm} # where it will be, for what it includes

# images without slurm-config, and with one that does not know the word
fault=$(SLURM_CONFIG_DIR=$NEW slurm-config fault 2>/dev/null) || fault=$(fault_of "$NEW")
if [ -n "$fault" ]; then
  echo "nothing is changed: Slurm cannot read the new configuration: $fault (if slurmctld does read it: helm upgrade --set upgrade.checkConfiguration=false)"
  exit 1
fi
echo "Slurm reads the new configuration"
