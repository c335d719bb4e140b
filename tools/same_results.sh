#!/bin/sh
# Two builds give the same results, bit for bit: tools/same_results.sh OLD NEW [PATTERN].
# Runs the old build's workloads with both simulators on every GPU and with every policy that both builds list, and compares each
# statistic of the old build's JSON, whatever its place there; the host's own figures, the configuration, and statistics that the
# new build alone has are left out. PATTERN (grep -E) chooses rows. For changes that must not change anything; last line "N passed, N failed", exit status 1 if a row differs.
old=$1 new=$2 pattern=${3:-.}
[ -x "$old/heddle" ] && [ -x "$new/heddle" ] || { echo "usage: $0 OLD_BUILD NEW_BUILD [PATTERN]" >&2; exit 2; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

rows() {
  for gpu in $("$old/heddle" list gpus | awk '{ print $1 }'); do
    for name in bfs spmv histogram gemm; do echo "$name --gpu $gpu"; done
  done
  "$old/heddle" list policies | while read -r key word rest; do
    "$new/heddle" list policies | awk -v k="$key" -v w="$word" '$1 == k && $2 == w { f = 1 } END { exit !f }' || continue
    case $key=$word in
    coop=*) gpu=gtx480-ccn ;;
    llc.mode=*) gpu="gpu80 --set noc.topology=hxbar --set llc.profile=300 --set llc.epoch=1000" ;;
    reply.filter=df-man) gpu="mesh56 --set reply.compress=dpc" ;;
    reply.* | noc.topology=mesh) gpu=mesh56 ;;
    noc.topology=*) gpu=gpu80 ;;
    *) gpu=gtx480 ;;
    esac
    for name in bfs spmv; do echo "$name --gpu $gpu --set $key=$word"; done
  done
  echo "bfs --gpu gtx480-bucl --set l1.bypass=bucl-dyn --set sm.warp_limit=20"
  echo "kmeans --gpu gtx480 --set l1.org=tsc+ --set l1.bypass=mrpb"
  echo "spmv --gpu gpu80 --set coop=ccn-b --set coop.rings=4"
  echo "bfs --gpu mesh56 --set reply.compress=dpc --set reply.filter=df-man"
  echo "vectoradd --gpu gpu80 --set noc.topology=hxbar --set llc.mode=adaptive --set llc.profile=300 --set llc.similar=50"
}

measure() { # measure BUILD FILE WORKLOAD OPTIONS...
  build=$1 file=$2 name=$3
  shift 3
  "$build/heddle" run "$@" --quiet --json "$file.json" -- "$old/heddle-workloads" "$name" --size small > "$file.log" 2>&1 || return 1
  python3 -c '
import json, sys
def leaves(o, name):
    pairs = o.items() if isinstance(o, dict) else enumerate(o) if isinstance(o, list) else None
    if pairs is None: print(name, json.dumps(o))
    else:
        for k, v in pairs: leaves(v, "%s.%s" % (name, k))
report = json.load(open(sys.argv[1]))
for part in "host", "config": report.pop(part, None)
leaves(report, "")' "$file.json" | LC_ALL=C sort > "$file"
}

rows | grep -E -e "$pattern" > "$work/rows"
while read -r row; do
  if ! measure "$old" "$work/old" $row; then
    echo "not ok (the old build fails): $row"; failed=$((failed + 1)); continue
  fi
  if measure "$new" "$work/new" $row && LC_ALL=C comm -23 "$work/old" "$work/new" > "$work/diff" && [ ! -s "$work/diff" ]; then
    passed=$((passed + 1))
  else
    echo "not ok: $row"; head -6 "$work/diff"; failed=$((failed + 1))
  fi
done < "$work/rows"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
