#!/bin/sh
# Installs what the test of job arrays needs (tests/lab/slurm.sh): Slurm's controller, node and commands, and munge. Not part
# of install_deps.sh: nothing else needs it. The test calls it; where it cannot install, its last line says why and its exit
# status is 1.
missing=
command -v munged >/dev/null || missing="$missing munge"
command -v slurmctld >/dev/null || missing="$missing slurmctld"
command -v slurmd >/dev/null || missing="$missing slurmd"
command -v sbatch >/dev/null || missing="$missing slurm-client"
[ -n "$missing" ] || exit 0
command -v apt-get >/dev/null || { echo "no apt-get here to install:$missing"; exit 1; }
[ "$(id -u)" -eq 0 ] || { echo "only root installs:$missing"; exit 1; }
export DEBIAN_FRONTEND=noninteractive
# A system that starts services would start these with no configuration: the test starts its own.
policy=/usr/sbin/policy-rc.d
made=
if [ ! -e $policy ] && printf '#!/bin/sh\nexit 101\n' >$policy 2>/dev/null; then made=$policy && chmod +x $policy; fi
trap '[ -z "$made" ] || rm -f "$made"' EXIT
# shellcheck disable=SC2086
install() { apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=120 $missing </dev/null >/dev/null; }
if ! { install || { apt-get update -qq && install; }; } 2>/tmp/install_slurm.$$; then
  echo "the packages could not be installed:$missing ($(tail -n 1 /tmp/install_slurm.$$))"
  rm -f /tmp/install_slurm.$$
  exit 1
fi
rm -f /tmp/install_slurm.$$
