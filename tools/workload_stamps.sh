#!/bin/sh
# Tells versions of workloads apart: writes a C file with a line "name TAB stamp" for each workload. A stamp is a checksum of
# what decides a run: the workload's own C, its PTX, what it includes of other workloads, and those functions of workloads/common that
# it uses, directly or through each other (not wl.c's); comments and white space do not count. workload_stamps.sh FILE. The file
# is left alone where nothing has changed.
cd "$(dirname "$0")/.." || exit 2
out=$1
text() { cat "$@" | sed 's://.*::; s/[[:space:]]//g; /^$/d'; }
# used SHARED.c FILE...: the functions of SHARED.c whose names are called in FILEs or in each other, and what is no function.
used() {
  awk '
    FNR == 1 { files++ }
    files > 1 { all = all "\n" $0; next }
    /^[^ }#\/]/ && !open { open = 1; n++; name[n] = ""; if (match($0, /[a-z_0-9]+\(/)) name[n] = substr($0, RSTART, RLENGTH) }
    open { body[n] = body[n] $0 "\n" }
    /^}/ || (open && /;$/ && !/^ /) { open = 0 }
    END {
      for (more = 1; more;) {
        more = 0
        for (i = 1; i <= n; i++)
          if (!taken[i] && (name[i] == "" || index(all, name[i]))) { taken[i] = more = 1; all = all body[i] }
      }
      for (i = 1; i <= n; i++) if (taken[i]) printf "%s", body[i]
    }' "$@"
}
included() { sed -n 's/^#include "\([a-z0-9_]*\/[a-z0-9_]*\)\.h"$/\1/p' "$@" | sort -u; }
lines() {
  for file in workloads/*/*.c; do
    name=$(sed -n 's/^ *\.name = "\(.*\)",$/\1/p' "$file")
    [ -n "$name" ] || continue
    set -- "$(dirname "$file")"/*.c
    for header in $(included "$@" | grep -v '^common/'); do set -- "$@" "workloads/$header.c" "workloads/$header.h"; done
    shared=$(included "$@" | sed -n '/^common\/wl$/d; s/^common\/.*/workloads\/&.c/p')
    for module in $(sed -n 's/^ *\.ptx = wl_ptx_\([a-z0-9_]*\),$/\1/p' "$file"); do set -- "$@" "workloads/$module/$module.ptx"; done
    stamp=$({ text "$@"; for s in $shared; do used "$s" "$@" | text; done; } | cksum | awk '{ printf "%08x", $1 }')
    printf '"%s\\t%s\\n"\n' "$name" "$stamp"
  done
}
mkdir -p "$(dirname "$out")"
{ echo 'extern const char wl_stamps[];'; echo 'const char wl_stamps[] ='; lines; echo ';'; } >"$out.part"
if cmp -s "$out.part" "$out"; then rm "$out.part"; else mv "$out.part" "$out"; fi
