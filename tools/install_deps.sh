#!/bin/sh
# Installs what Heddle needs to build and test, from the distribution's packages (Debian, Ubuntu). Does nothing if all
# is there. The reason for each package is in docs/dependencies.md.
set -eu
packages="gcc make libc6-dev libzstd-dev libjansson-dev libcmocka-dev"

missing=
for p in $packages; do
  dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'install ok installed' || missing="$missing $p"
done
[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null; then
  echo "install_deps.sh: no apt-get here; install the equivalents of:$missing" >&2
  exit 1
fi
root=
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "install_deps.sh: run as root: apt-get install$missing" >&2; exit 1; }
  root=sudo
fi
echo "installing:$missing"
$root apt-get update -qq
# shellcheck disable=SC2086
DEBIAN_FRONTEND=noninteractive $root apt-get install -y -qq --no-install-recommends $missing >/dev/null
