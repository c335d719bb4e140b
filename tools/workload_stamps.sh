#!/bin/sh
# Tells versions of workloads apart: writes a C file with a line "name TAB stamp" for each workload. A stamp is a checksum of
# what decides a run: the workload's own C, its PTX, and what it includes but common/wl.h; comments and white space do not
# count. workload_stamps.sh FILE. The file is left alone where nothing has changed.
cd "$(dirname "$0")/.." || exit 2
out=$1
text() { cat "$@" | sed 's://.*::; s/[[:space:]]//g; /^$/d'; }
lines() {
  for file in workloads/*/*.c; do
    name=$(sed -n 's/^ *\.name = "\(.*\)",$/\1/p' "$file")
    [ -n "$name" ] || continue
    set -- "$(dirname "$file")"/*.c
    for header in $(sed -n 's/^#include "\([a-z0-9_]*\/[a-z0-9_]*\)\.h"$/\1/p' "$@" | grep -v '^common/wl$' | sort -u); do
      set -- "$@" "workloads/$header.c" "workloads/$header.h"
    done
    for module in $(sed -n 's/^ *\.ptx = wl_ptx_\([a-z0-9_]*\),$/\1/p' "$file"); do set -- "$@" "workloads/$module/$module.ptx"; done
    stamp=$(text "$@" | cksum | awk '{ printf "%08x", $1 }')
    printf '"%s\\t%s\\n"\n' "$name" "$stamp"
  done
}
mkdir -p "$(dirname "$out")"
{ echo 'extern const char wl_stamps[];'; echo 'const char wl_stamps[] ='; lines; echo ';'; } >"$out.part"
if cmp -s "$out.part" "$out"; then rm "$out.part"; else mv "$out.part" "$out"; fi
