#!/bin/bash
# How well a sweep uses the cores: sweep.sh BUILD [JOBS]. The same plan with one run at a time and with JOBS (default: all
# cores), and the quotient of the times. On two idle cores it is to be 1.8 at least. On a busy machine it says little.
heddle=$(realpath "${1:-build}/heddle")
jobs=${2:-$(nproc)}
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
cd "$root" || exit 2
cat >plan.toml <<'END'
workloads = ["bfs", "spmv", "hotspot", "sgemm", "histogram", "pathfinder", "scan", "transpose"]
[vary]
"l1.ways" = [2, 4, 8]
"sm.scheduler" = ["lrr", "gto"]
END
seconds() { # seconds JOBS
  local start end
  start=$(date +%s.%N)
  "$heddle" sweep plan.toml --db "jobs$1.db" --jobs "$1" >log || { cat log; exit 1; }
  end=$(date +%s.%N)
  echo "$end - $start" | awk '{print $1 - $3}'
}
one=$(seconds 1)
many=$(seconds "$jobs")
awk -v a="$one" -v b="$many" -v j="$jobs" 'BEGIN {printf "sweep of 48 runs: %.2f s with 1 job, %.2f s with %d: %.2f times as fast\n", a, b, j, a / b}'
