#!/bin/sh
# Whole GPUs on every topology: topologies.sh BUILD. Workloads must compute what their references do, and the memory
# system must conserve its packets (heddle run fails otherwise).
build=$1
. "$(dirname "$0")/../lib/checks.sh"

right() { # right WORKLOAD OPTIONS...
  "$build/heddle" run "$@" --size small --json "$root/json" && grep -q '"output_ok": true' "$root/json"
}
try() { # try WORKLOAD GPU SETTING...
  workload=$1
  gpu=$2
  shift 2
  set_options=""
  for setting in "$@"; do set_options="$set_options --set $setting"; done
  # shellcheck disable=SC2086
  check "$workload on $gpu with $*" right "$workload" --gpu "$gpu" $set_options
  rm -f "$root/json"
}

for workload in bfs transpose; do
  for channel in 16 64; do
    for concentration in 2 8; do
      try "$workload" gpu80 noc.topology=cxbar noc.concentration=$concentration noc.flit_bytes=$channel
    done
    try "$workload" gpu80 noc.topology=hxbar noc.flit_bytes=$channel
  done
  try "$workload" mesh56
  try "$workload" mesh56 noc.mesh_placement=rows noc.vcs=2
  try "$workload" gtx480 noc.topology=mesh noc.mesh_width=7 noc.mesh_height=3 noc.mesh_placement=columns
  try "$workload" gtx480 noc.topology=mesh noc.mesh_width=17 noc.mesh_height=1 noc.mesh_placement=columns noc.vc_stage=true dram.channels=2
  try "$workload" gtx480 noc.topology=hxbar noc.codesign=false
done
finish
