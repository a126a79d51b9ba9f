# shellcheck shell=bash
# What Slurm's own parser does not take of DIRECTORY/slurm.conf, in the words of scontrol; nothing where it takes all. Put before the scripts that need it.
fault_of() { # DIRECTORY
  local said
  said=$(SLURM_CONF=$1/slurm.conf timeout 20 scontrol show hostnames a 2>&1) || true
  # slurmctld alone may have the directory of its plugins
  [[ $said != *"Unable to process configuration file"* ]] || [[ $said == *" for PluginDir"* ]] ||
    sed "s,$1/,,g; /Unable to process configuration file/d" <<<"$said" | paste -sd ';'
}
