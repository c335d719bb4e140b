#!/bin/sh
# Heddle's figures on the preset h200 beside those that Nsight Compute measured on an H200 (workloads/h200.tsv).
#
#   tools/h200_table.sh BUILD measure [NAME...]   runs workloads (default: all of h200.tsv, one an available core) and
#                                                 adds or replaces their lines of workloads/h200-heddle.tsv
#   tools/h200_table.sh BUILD page                writes docs/workloads-h200.md from both tables
#
# Nsight Compute empties the caches before each kernel, and so does Heddle here (gpu.cold_kernels). LIMIT is the most seconds a
# run (300).
set -eu
if [ $# -lt 2 ]; then sed -n '2,/^set/p' "$0" | sed -e '/^set/d' -e 's/^# \{0,1\}//' >&2; exit 2; fi
build=$1
what=$2
shift 2
measured=workloads/h200.tsv
ours=workloads/h200-heddle.tsv
columns='workload	size	warp_instructions	load_requests	load_sectors	load_sectors_hit	l2_sectors	l2_sectors_hit	dram_bytes	kernel_ns'

# One line of the table from a report: members of "sm", "l1d", "l2", "dram", "probes.sectors" and the top level.
figures() {
  awk -v name="$1" -v size="$2" '
    /^  "[a-z0-9_]*": \{$/ { section = $1; gsub(/[":]/, "", section) }
    /^  \}/ { section = "" }
    { key = $1; value = $2; gsub(/[":,]/, "", key); gsub(/[",]/, "", value) }
    /^  "[a-z_]*": [0-9]/ { top[key] = value }
    section != "" { at[section "." key] = value }
    key == "load_requests" { requests = value }
    key == "gpu.core_clock" { clock = value }
    END { printf "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%.0f\n", name, size, at["sm.issue_slots_used"] + at["sm.dual_issues"],
          requests, at["l1d.load_sectors"], at["l1d.load_sectors_hit"], at["l2.sectors"], at["l2.sectors_hit"], at["dram.bytes"],
          top["cycles"] * 1000 / clock }' "$3"
}

measure_one() {
  size=$(awk -F '\t' -v n="$1" '$1 == n { print $2 }' "$measured")
  report=$(mktemp)
  if timeout "${LIMIT:-300}" "$build/heddle" run "$1" --gpu h200 --size "$size" --set gpu.cold_kernels=true \
    --probe sectors --quiet --json "$report" >/dev/null 2>&1; then
    line=$(figures "$1" "$size" "$report")
    ( flock 9
      [ -s "$ours" ] || printf '# Heddle on the preset h200, made by tools/h200_table.sh.\n%s\n' "$columns" >"$ours"
      { awk -F '\t' -v n="$1" '$1 != n' "$ours"; echo "$line"; } >"$ours.new"
      mv "$ours.new" "$ours" ) 9>"$build/h200_table.lock"
  else
    echo "h200_table: $1 was not measured" >&2
  fi
  rm -f "$report"
}

page() {
  cat <<'TEXT'
# Workloads on an H200, and on Heddle's model of it

Made by `tools/h200_table.sh`; the left figure of each pair is Nsight Compute's on an H200 (`workloads/h200.tsv`), the
right one Heddle's on the preset `h200` (`workloads/h200-heddle.tsv`), both at size medium and both counted as Nsight Compute counts
(`heddle run --ncu`). Instructions are warp instructions, Heddle's over the H200's. L1 hits are shares of the 32-byte sectors that global
loads ask for, L2 hits of those that SMs ask for or write to. Both begin each kernel with empty caches. The H200 runs machine
code that the assembler has optimised, Heddle the PTX lowered as `docs/h200.md` says (`sm.lower`, `sm.assembler_order`), so instruction and
request counts differ where the assembler does more. Instructions are machine instructions: issue slots.
A workload without figures of Heddle was not run within the time limit.

| workload | instructions, ratio | load requests | | sectors a request | | L1 hits % | | L2 hits % | | DRAM KB | | kernel us | | ratio |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|
TEXT
  awk -F '\t' -v OFS=' | ' '
    function rate(a, b) { return b > 0 ? sprintf("%.1f", 100 * a / b) : "-" }
    function per(a, b) { return b > 0 ? sprintf("%.2f", a / b) : "-" }
    function off(a) { return a > 1 ? a - 1 : 1 - a }
    function apart(a, b) { return a > b ? a - b : b - a }
    /^#/ || $1 == "workload" { next }
    FNR == NR { h[$1] = $0; next }
    {
      if ($1 in h) split(h[$1], o, "\t"); else o[1] = ""
      has = o[1] != ""
      print "| " $1, has ? per(o[3], $4) : "-", $6, has ? o[4] : "-", per($7, $6), has ? per(o[5], o[4]) : "-",
        rate($8, $7), has ? rate(o[6], o[5]) : "-", rate($12, $11), has ? rate(o[8], o[7]) : "-",
        sprintf("%.0f", $13 / 1000), has ? sprintf("%.0f", o[9] / 1000) : "-",
        sprintf("%.1f", $14 / 1000), has ? sprintf("%.1f", o[10] / 1000) : "-", (has ? per(o[10], $14) : "-") " |"
      if (!has) next
      x = log($14); y = log(o[10]); n++
      sx += x; sy += y; xx += x * x; yy += y * y; xy += x * y
      error = off(o[10] / $14); total += error
      tenth += error <= 0.1; fifth += error <= 0.2; third += error <= 0.3
      executed += off(o[3] / $4) <= 0.1
      if ($7 > 0 && o[5] > 0) { l1 += apart(100 * $8 / $7, 100 * o[6] / o[5]); l1s++ }
      if ($11 > 0 && o[7] > 0) { l2 += apart(100 * $12 / $11, 100 * o[8] / o[7]); l2s++ }
      if ($13 > 0) { bytes += off(o[9] / $13); near += off(o[9] / $13) <= 0.1 }
    }
    END {
      printf "\nKernel time, Heddle over H200, %d workloads: off by %.1f %% on average; within 10 %% for %d, 20 %% for %d, 30 %% for %d; ", n,
        100 * total / n, tenth, fifth, third
      printf "geometric mean %.2f; correlation of the logarithms %.2f.\n", exp((sy - sx) / n),
        (n * xy - sx * sy) / sqrt((n * xx - sx * sx) * (n * yy - sy * sy))
      printf "Instructions within 10 %% for %d. Hit rates off by %.1f points (L1) and %.1f points (L2) on average, ", executed, l1 / l1s, l2 / l2s
      printf "DRAM bytes by %.1f %% (within 10 %% for %d).\n", 100 * bytes / n, near
    }' "$ours" "$measured"
}

case $what in
measure)
  if [ $# -eq 0 ]; then
    for name in $(awk -F '\t' '!/^#/ && $1 != "workload" { print $1 }' "$measured"); do set -- "$@" "$name"; done
  fi
  if [ $# -eq 1 ]; then measure_one "$1"
  else printf '%s\n' "$@" | xargs -P "$(nproc)" -I NAME "$0" "$build" measure NAME
  fi ;;
page) page >docs/workloads-h200.md ;;
*) echo "h200_table: measure or page is expected" >&2; exit 2 ;;
esac
