#!/bin/sh
# Latencies and rates of instructions on the preset h200 against a real H200: instructions.tsv within TOLERANCE percent (30).
# instructions.sh BUILD; PROBE names another table and program. Prints a table: H200, model, latency and cycles of an SM.
build=$1
probe=${PROBE:-instructions}
here=$(dirname "$0")
out=$(mktemp)
trap 'rm -f "$out"' EXIT
grep -v '^#' "$here/$probe.tsv" | cut -f 3 |
  LD_LIBRARY_PATH="$build/lib" HEDDLE_GPU=h200 "$build/tests/h200_${probe}_probe" >"$out" || exit 1
awk -F '\t' -v tolerance="${TOLERANCE:-30}" '
  function off(got, want) { d = 100 * (got - want) / want; return d > tolerance || d < -tolerance }
  FNR == NR { latency[$1] = $2; cycles[$1] = $3; next }
  /^#/ { next }
  {
    bad = off(latency[$3], $1) || off(cycles[$3], $2) || !($3 in latency)
    failed += bad; rows++
    printf "%-64s %7.1f %7.1f %9.2f %7.2f %s\n", $3, $1, latency[$3], $2, cycles[$3], bad ? "OFF" : ""
  }
  END { printf "%d rows passed, %d failed\n", rows - failed, failed; exit failed > 0 }' "$out" "$here/$probe.tsv"
