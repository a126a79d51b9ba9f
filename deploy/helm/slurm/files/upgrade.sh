# shellcheck shell=bash
# Before helm upgrade changes anything: does Slurm's own parser take the slurm.conf that the release is to have?
set -euo pipefail

NEW=${CONFIG_FROM:-/etc/slurm} # where it will be, for what it includes

# In images without slurm-config, and with one that does not know the word: file and line, as Slurm says them.
fault_by_scontrol() {
  local said
  said=$(SLURM_CONF=$NEW/slurm.conf timeout 20 scontrol show hostnames a 2>&1) || true
  # slurmctld alone may have the directory of its plugins
  [[ $said != *"Unable to process configuration file"* ]] || [[ $said == *" for PluginDir"* ]] ||
    sed "s,$NEW/,,g; /Unable to process configuration file/d" <<<"$said" | paste -sd ';'
}

fault=$(SLURM_CONFIG_DIR=$NEW slurm-config fault 2>/dev/null) || fault=$(fault_by_scontrol)
if [ -n "$fault" ]; then
  echo "nothing is changed: Slurm cannot read the new configuration: $fault (if slurmctld does read it: helm upgrade --set upgrade.checkConfiguration=false)"
  exit 1
fi
echo "Slurm reads the new configuration"
