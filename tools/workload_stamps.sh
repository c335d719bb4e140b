#!/bin/sh
# Tells versions of workloads apart: writes a C file with a line "name TAB stamp" for each workload. A stamp is a checksum of
# what decides a run: the workload's own C and PTX, and the makers of inputs where it uses them; comments and white space
# do not count. workload_stamps.sh FILE. The file is left alone where nothing has changed.
cd "$(dirname "$0")/.." || exit 2
out=$1
text() { cat "$@" | sed 's://.*::; s/[[:space:]]//g; /^$/d'; }
lines() {
  for file in workloads/*/*.c; do
    name=$(sed -n 's/^ *\.name = "\(.*\)",$/\1/p' "$file")
    [ -n "$name" ] || continue
    folder=$(dirname "$file")
    set -- "$folder"/*.c "$folder"/*.ptx
    for header in inputs clusters; do
      if grep -q "common/$header.h" "$folder"/*.c; then set -- "$@" workloads/common/$header.c; fi
    done
    stamp=$(text "$@" | cksum | awk '{ printf "%08x", $1 }')
    printf '"%s\\t%s\\n"\n' "$name" "$stamp"
  done
}
mkdir -p "$(dirname "$out")"
{ echo 'extern const char wl_stamps[];'; echo 'const char wl_stamps[] ='; lines; echo ';'; } >"$out.part"
if cmp -s "$out.part" "$out"; then rm "$out.part"; else mv "$out.part" "$out"; fi
