#!/bin/sh
# Instructions of several kinds side by side on the preset h200 against a real H200: mixes.tsv within TOLERANCE percent (15).
# mixes.sh BUILD; prints a table: H200, model, cycles of an SM.
build=$1
here=$(dirname "$0")
out=$(mktemp)
trap 'rm -f "$out"' EXIT
for warps in $(grep -v '^#' "$here/mixes.tsv" | cut -f 1 | sort -un); do
  awk -F '\t' -v n="$warps" '$1 == n { print $3 }' "$here/mixes.tsv" |
    LD_LIBRARY_PATH="$build/lib" HEDDLE_GPU=h200 "$build/tests/h200_instructions_probe" "$warps" | sed "s/^/$warps\t/" >>"$out"
done
awk -F '\t' -v tolerance="${TOLERANCE:-15}" '
  FNR == NR { cycles[$1, $2] = $4; next }
  /^#/ { next }
  {
    off = cycles[$1, $3] ? 100 * (cycles[$1, $3] - $2) / $2 : 100
    bad = off > tolerance || off < -tolerance
    failed += bad; rows++
    printf "%2d warps %7.2f %7.2f %+5.1f %% %s %s\n", $1, $2, cycles[$1, $3], off, substr($3, 1, 90), bad ? "OFF" : ""
  }
  END { printf "%d rows passed, %d failed\n", rows - failed, failed; exit failed > 0 }' "$out" "$here/mixes.tsv"
