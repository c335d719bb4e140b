#!/bin/sh
# The same program, configuration and seed give the same statistics, run after run and with any number of threads:
# determinism.sh BUILD. Compares everything in the JSON but the host's own figures. Last line "N passed, N failed".
build=$1
. "$(dirname "$0")/lib/checks.sh"
measure() { # measure FILE WORKLOAD OPTIONS...
  file=$1
  shift
  "$build/heddle" run "$@" --quiet --json "$file" || return 1
  sed -i -e '/"host": {/,/}/d' -e '/"gpu.threads"/d' -e '/"gpu.all_threads"/d' "$file"
}
equal() { # equal WORKLOAD OPTIONS...: twice alone, then with each number of $threads
  measure "$root/1" "$@" || return 1
  for n in 1 $threads; do
    measure "$root/other" "$@" --threads "$n" --set gpu.all_threads=true || return 1
    diff "$root/1" "$root/other" || { echo "runs differ with $n threads"; return 1; }
  done
}
same() { check "$*" equal "$@"; }
threads=2
for name in vectoradd spmv bfs histogram; do same $name; done
# Old bytes that SMs go on with.
same gco --gpu h200
# What SMs and slices show each other: more threads than the machine may have cores.
threads="2 4"
for net in ccn-rt ideal tracker; do same spmv --gpu gtx480-ccn --set coop=$net; done
same spmv --gpu gpu80 --set coop=ccn-b --set coop.rings=4
same bfs --gpu mesh56 --set reply.compress=dpc
same bfs --gpu mesh56 --set reply.compress=dpc --set reply.filter=df-man
same vectoradd --gpu gpu80 --set noc.topology=hxbar --set llc.mode=adaptive --set llc.profile=300 --set llc.epoch=1000 --set llc.similar=50 --set llc.atd_sets=48
# SMs that are halted while L2 changes its mode have nothing in their pipelines and fetch nothing.
same sp --gpu gpu80 --set noc.topology=hxbar --set llc.mode=private
same gemm --with bfs --gpu gpu80
# Sets of SMs and slices of more than a few words.
same vectoradd --gpu sms1024
# What only pages and traces show.
same bfs --gpu gpu80 --detail
same bfs --gpu gtx480-bucl --set l1.bypass=bucl-dyn --set sm.warp_limit=20
same bfs --gpu gtx480-bucl --set l1.bypass=bucl-prf --set l1.bucl.profile=2000 --set sm.scheduler=ccws
finish
