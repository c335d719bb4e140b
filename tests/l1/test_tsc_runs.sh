#!/bin/sh
# Whole runs under every L1D organisation and bypass policy: packets are conserved (a run fails if not), results are
# right, and statistics are the same with one thread and with two. Lives in BUILD/tests. Last line "N passed, N failed".
build=$(dirname "$0")/..
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
passed=0
failed=0
measure() { # measure FILE OPTIONS...
  file=$1
  shift
  "$build/heddle" run "$@" --quiet --json "$file" >"$out/log" 2>&1 || return 1
  grep -q '"output_ok": true' "$file" || return 1
  sed -i -e '/"host": {/,/}/d' -e '/"gpu.threads"/d' "$file"
}
check() { # check NAME OPTIONS...
  name=$1
  shift
  if measure "$out/1" "$@" && measure "$out/2" "$@" --threads 2 && cmp -s "$out/1" "$out/2"; then passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "$name: wrong, or not the same with two threads"
    tail -n 3 "$out/log"
    diff "$out/1" "$out/2" | head -n 5
  fi
}
for org in base tsc tsc+ line32 line64 line256 sector lamar dsc2 dsc4; do
  check "bfs, $org" bfs --set "l1.org=$org"
done
check "mummergpu, line256: the kernel waits for fetches nobody waits for" mummergpu --set l1.org=line256
check "kmeans, tsc+" kmeans --set l1.org=tsc+
check "kmeans, mrpb" kmeans --set l1.bypass=mrpb
check "kmn, bucl-dyn" kmn --set l1.bypass=bucl-dyn
check "sssp, bucl-prf" sssp --set l1.bypass=bucl-prf --set l1.bucl.profile=2500
check "kmeans, tsc+ and bucl-dyn" kmeans --set l1.org=tsc+ --set l1.bypass=bucl-dyn
check "kmeans, tsc+ and mrpb" kmeans --set l1.org=tsc+ --set l1.bypass=mrpb
check "mummergpu, mrpb with full queues" mummergpu --set l1.bypass=mrpb --set l1.mrpb.bypass=none
check "spmv, mrpb with two queues of one" spmv --set l1.bypass=mrpb --set l1.mrpb.queues=2 --set l1.mrpb.depth=1
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
