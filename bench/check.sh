#!/bin/bash
# How much slower functional runs are under the checker: check.sh BUILD [SIZE [WORKLOAD...]]. CPU seconds, the best of
# TIMES (3) runs; the last line is the largest ratio and the geometric mean. The bound is 5. The workloads are the ten that follow, at size paper:
# half a minute of CPU each time.
build=$1
size=${2:-paper}
[ $# -gt 2 ] && shift 2 || set -- vectoradd spmv matrixmul bfs histogram transpose reduction stencil scan sssp
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# CPU seconds.
cpu() {
  for i in $(seq "${TIMES:-3}"); do
    { time -p "$@" >/dev/null 2>&1; } 2>&1 | awk '$1 == "user" || $1 == "sys" {s += $2} END {print s}'
  done | sort -n | head -n 1
}
for name in "$@"; do
  plain=$(LD_LIBRARY_PATH=$build/lib HEDDLE_FUNCTIONAL=1 cpu "$build/heddle-workloads" "$name" --size "$size")
  checked=$(LD_LIBRARY_PATH=$build/lib HEDDLE_FUNCTIONAL=1 HEDDLE_CHECK=all HEDDLE_CHECK_LOG=$log cpu "$build/heddle-workloads" "$name" --size "$size")
  echo "$name $plain $checked"
done | awk 'BEGIN {printf "%-16s %10s %10s %6s\n", "workload", "functional", "checked", "ratio"}
  {r = $3 / ($2 > 0 ? $2 : 0.01); printf "%-16s %10.2f %10.2f %6.2f\n", $1, $2, $3, r; s += log(r); n++; if (r > m) m = r}
  END {printf "largest %.2f, geometric mean %.2f of %d\n", m, exp(s / n), n}'
