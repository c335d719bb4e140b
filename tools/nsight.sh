#!/bin/sh
# Measures workloads on a real GPU with Nsight Compute and prints one line of tab-separated sums over all kernels each.
#
#   tools/nsight.sh PROGRAM SIZE [NAME...]    PROGRAM is heddle-workloads, linked with the GPU's own driver library
#
# Columns: workload, size, launches, warp instructions, thread instructions, global load requests, their sectors, the
# sectors that hit in L1, global store requests, their sectors, sectors asked of L2 by the cores, those that hit there,
# bytes between L2 and DRAM, nanoseconds in kernels, at the clocks the GPU chooses itself (ncu would lock them lower). NCU names another ncu.
set -eu
if [ $# -lt 2 ]; then sed -n '2,/^set/p' "$0" | sed -e '/^set/d' -e 's/^# \{0,1\}//' >&2; exit 2; fi
program=$1
size=$2
shift 2
if [ $# -eq 0 ]; then
  for name in $("$program" list --tsv | cut -f1); do set -- "$@" "$name"; done
fi

metrics="smsp__inst_executed.sum smsp__thread_inst_executed.sum
  l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
  l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum
  l1tex__t_requests_pipe_lsu_mem_global_op_st.sum l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
  lts__t_sectors_srcunit_tex.sum lts__t_sectors_srcunit_tex_lookup_hit.sum dram__bytes.sum gpu__time_duration.sum"

# Sums the metrics' columns of ncu's table: first line names, second line units, then a line a launch.
sum_columns() {
  awk -F '","' -v metrics="$metrics" -v name="$1" -v size="$2" '
    BEGIN { count = split(metrics, wanted, /[ \n]+/) }
    !/^"/ { next }
    !named { for (i = 1; i <= NF; i++) { gsub(/"/, "", $i); column[$i] = i } named = 1; next }
    !units { units = 1; next }
    { launches++; for (k = 1; k <= count; k++) { v = $column[wanted[k]]; gsub(/[",]/, "", v); sum[k] += v } }
    END {
      if (!launches) exit 1
      printf "%s\t%s\t%d", name, size, launches
      for (k = 1; k <= count; k++) printf "\t%.0f", sum[k]
      print ""
    }'
}

list=$(echo $metrics | tr ' ' ',')
for name in "$@"; do
  "${NCU:-ncu}" --clock-control none --csv --page raw --print-units base --metrics "$list" \
    "$program" "$name" --size "$size" 2>/dev/null |
    sum_columns "$name" "$size" || { echo "nsight: $name was not measured" >&2; exit 1; }
done
