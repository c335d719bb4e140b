#!/bin/sh
# Clusters, bulk copies and wgmma on the preset h200 against a real H200: hopper.tsv within TOLERANCE percent (25).
# hopper.sh BUILD; prints a table: row, figures of the H200, of the model.
build=$1
here=$(dirname "$0")
out=$(mktemp)
trap 'rm -f "$out"' EXIT
grep -v '^#' "$here/hopper.tsv" | LD_LIBRARY_PATH="$build/lib" HEDDLE_GPU=h200 "$build/tests/h200_hopper_probe" >"$out" || exit 1
awk -F '\t' -v tolerance="${TOLERANCE:-25}" '
  function off(got, want) { d = 100 * (got - want) / want; return d > tolerance || d < -tolerance }
  FNR == NR { got[$1] = $2; second[$1] = $3; next }
  /^#/ { next }
  {
    bad = !($1 in got) || off(got[$1], $2) || ($3 != "" && off(second[$1], $3))
    failed += bad; rows++
    printf "%-28s %8s %8s  %8s %8s %s\n", $1, $2, $3, got[$1], second[$1], bad ? "OFF" : ""
  }
  END { printf "%d rows passed, %d failed\n", rows - failed, failed; exit failed > 0 }' "$out" "$here/hopper.tsv"
