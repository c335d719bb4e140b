#!/bin/bash
# What a second host thread gains on whole workloads: threads.sh BUILD [GPU [WORKLOAD...]]. Seconds of the wall that the simulation
# takes with one and with two threads, the best of TIMES (3) runs each, in turn; then whether both gave the same cycles; the last line is
# the geometric mean and the least gain. The bound is 1.8 on 80 SMs or more, and never less than 1. Two idle cores are wanted. The workloads
# are the ten that follow, at size medium (SIZE); one that fails is named and left out.
build=$1
gpu=${2:-gpu80}
[ $# -gt 2 ] && shift 2 || set -- kmeans bfs hotspot srad_v2 lud sgemm spmv stencil matrixmul backprop
out=$(mktemp)
trap 'rm -f "$out"' EXIT
# run THREADS: cycles and seconds.
run() {
  "$build/heddle" run "$name" --gpu "$gpu" --size "${SIZE:-medium}" --threads "$1" --json "$out" >/dev/null 2>&1 || { echo "$name failed" >&2; return 1; }
  sed -n 's/^  "cycles": *\([0-9]*\).*/\1/p; s/.*"simulation_seconds": *\([0-9.e+-]*\).*/\1/p' "$out" | paste -sd ' '
}
for name in "$@"; do
  for _ in $(seq "${TIMES:-3}"); do
    for threads in 1 2; do
      answer=$(run $threads) && echo "$threads $answer"
    done
  done | awk -v name="$name" '
    {if (!($1 in best) || $3 < best[$1]) best[$1] = $3; if (NR > 1 && $2 != cycles) odd = 1; cycles = $2}
    END {if (1 in best && 2 in best) print name, best[1], best[2], odd ? "other" : "same"}'
done | awk 'BEGIN {printf "%-14s %9s %9s %6s %s\n", "workload", "1 thread", "2", "gain", "cycles"}
  {g = $2 / $3; printf "%-14s %9.2f %9.2f %6.2f %s\n", $1, $2, $3, g, $4; s += log(g); n++; if (!least || g < least) least = g; fflush()}
  END {printf "geometric mean %.2f of %d, least %.2f\n", exp(s / n), n, least}'
