#!/bin/sh
# What L1 goes on with after another SM has written it, on the preset h200 against a real H200: every row of stale.tsv, exactly.
# stale.sh BUILD; prints a table.
build=$1
here=$(dirname "$0")
out=$(mktemp)
trap 'rm -f "$out"' EXIT
grep -v '^#' "$here/stale.tsv" | cut -f 2 | LD_LIBRARY_PATH="$build/lib" HEDDLE_GPU=h200 "$build/tests/h200_stale_probe" >"$out" || exit 1
awk -F '\t' '
  FNR == NR { split($0, part, " = "); got[part[1]] = part[2]; next }
  /^#/ { next }
  {
    bad = !($2 in got) || got[$2] != $1
    failed += bad; rows++
    printf "%-32s %3d %3d %s  %s\n", $2, $1, got[$2], bad ? "OFF" : "   ", $3
  }
  END { printf "%d rows passed, %d failed\n", rows - failed, failed; exit failed > 0 }' "$out" "$here/stale.tsv"
