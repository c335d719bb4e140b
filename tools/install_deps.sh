#!/bin/sh
# Installs what Heddle needs to build and test, from the distribution's packages (Debian, Ubuntu). Does nothing if all
# is there, however it came there. The reason for each package is in docs/dependencies.md.
set -eu
cc=${CC:-cc}

has_header() { echo "#include <$1>" | $cc -E -x c - >/dev/null 2>&1; }
# cmocka's header wants these before it.
has_cmocka() { printf '#include <stdarg.h>\n#include <stddef.h>\n#include <setjmp.h>\n#include <stdint.h>\n#include <cmocka.h>\n' |
  $cc -E -x c - >/dev/null 2>&1; }

missing=
command -v make >/dev/null || missing="$missing make"
command -v "${cc%% *}" >/dev/null || missing="$missing gcc"
has_header stdio.h || missing="$missing libc6-dev"
has_header zstd.h || missing="$missing libzstd-dev"
has_header jansson.h || missing="$missing libjansson-dev"
has_header sqlite3.h || missing="$missing libsqlite3-dev"
has_cmocka || missing="$missing libcmocka-dev"
command -v python3 >/dev/null || missing="$missing python3-minimal libpython3-stdlib"
[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null; then
  echo "install_deps.sh: no apt-get here; install the equivalents of:$missing" >&2
  exit 1
fi
root=
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "install_deps.sh: run as root: apt-get install$missing" >&2; exit 1; }
  root="sudo env"
fi
echo "installing:$missing"
# shellcheck disable=SC2086
if ! { $root apt-get update -qq && $root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
       --no-install-recommends $missing >/dev/null; }; then
  echo "install_deps.sh: the packages could not be installed:$missing" >&2
  exit 1
fi
