#!/bin/sh
# heddle lint: no warning where there is nothing to warn of, the right one where a setting is spoiled. lint_gpus.sh BUILD
heddle=$1/heddle
. "$(dirname "$0")/../lib/checks.sh"

expect() { # expect STATUS PATTERN ARGUMENTS...
  status=$1 pattern=$2
  shift 2
  check "lint $*" answers "$status" "$pattern" "$heddle" lint "$@"
}

# GPGPU-Sim 4.2 fetches sector by sector and throws half of each burst away
expect 1 "of the DRAM peak" --gpu gtx480-ref
expect 0 "no warnings" --gpu gtx480-ref --set l2.fetch_per_sector=false
expect 1 "a network wall" --gpu gtx480-ref --set noc.flit_bytes=8
expect 1 "an L2 wall" --gpu gtx480-ref --set l2.data_bytes=4
expect 1 "l1.mshrs = 4" --gpu gtx480-ref --set l1.mshrs=4
expect 1 "l2.mshrs = 8" --gpu gtx480-ref --set l2.mshrs=8
expect 2 "did you mean 'l1.mshrs'" --gpu gtx480-ref --set l1.mshr=4
expect 2 "there is no GPU" --gpu nothing

# The latencies that a preset's values promise are those it has, also where it follows GPGPU-Sim stage by stage
near() { # near GPU
  "$heddle" lint --gpu "$1" | awk '/^  (L1 hit|L2 hit|DRAM) / { n++; p = $(NF - 1) + 0; if (p < 85 || p > 115) bad = 1 } END { exit bad || n != 3 }'
}
for gpu in gtx480 gtx480-bucl gtx480-ccn gtx480-ref mesh56 gpu80 h200; do check "lint knows the latencies of $gpu" near "$gpu"; done
finish
