#!/bin/sh
# Whole runs under every L1D organisation and bypass policy: packets are conserved (a run fails if not), results are
# right, and statistics are the same with one thread and with two. test_tsc_runs.sh BUILD.
# Last line "N passed, N failed".
build=$1
. "$(dirname "$0")/../lib/checks.sh"
measure() { # measure FILE OPTIONS...
  file=$1
  shift
  "$build/heddle" run "$@" --quiet --json "$file" || return 1
  grep -q '"output_ok": true' "$file" || return 1
  sed -i -e '/"host": {/,/}/d' -e '/"gpu.threads"/d' -e '/"gpu.all_threads"/d' "$file"
}
right() { # right OPTIONS...: and the same with two threads
  measure "$root/1" "$@" && measure "$root/2" "$@" --threads 2 --set gpu.all_threads=true && diff "$root/1" "$root/2"
}
for org in base tsc tsc+ line32 line64 line256 sector lamar dsc2 dsc4; do
  check "bfs, $org" right bfs --set "l1.org=$org"
done
check "mummergpu, line256: the kernel waits for fetches nobody waits for" right mummergpu --set l1.org=line256
check "kmeans, tsc+" right kmeans --set l1.org=tsc+
check "kmeans, mrpb" right kmeans --set l1.bypass=mrpb
check "kmn, bucl-dyn" right kmn --set l1.bypass=bucl-dyn
check "sssp, bucl-prf" right sssp --set l1.bypass=bucl-prf --set l1.bucl.profile=2500
check "kmeans, tsc+ and bucl-dyn" right kmeans --set l1.org=tsc+ --set l1.bypass=bucl-dyn
check "kmeans, tsc+ and mrpb" right kmeans --set l1.org=tsc+ --set l1.bypass=mrpb
check "mummergpu, mrpb with full queues" right mummergpu --set l1.bypass=mrpb --set l1.mrpb.bypass=none
check "spmv, mrpb with two queues of one" right spmv --set l1.bypass=mrpb --set l1.mrpb.queues=2 --set l1.mrpb.depth=1
finish
