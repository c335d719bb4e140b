#!/bin/sh
# heddle explore as a user calls it: explore.sh BUILD. A small search; last line "N passed, N failed".
build=$(cd "${1:-build}" && pwd) || exit 2
. "$(dirname "$0")/../lib/checks.sh"
cd "$root" || exit 2
log=out
run() { "$build/heddle" explore "$@" >out 2>&1; }
fails_with() { # fails_with STATUS WORDS ARGUMENTS...
  want=$1 words=$2
  shift 2
  answers "$want" "$words" "$build/heddle" explore "$@"
}
query() { "$build/tests/lab_query" x.db "$1"; }

few="vectoradd scan reduction --gpu gtx480 --combinations 26 --rounds 2 --db x.db"
check "a search" run $few --json a.json
check "says its rounds" grep -q 'round 1: 26 combinations on 3 workloads, 78 runs' out
check "reports combinations" grep -q '^[0-9]* combinations$' out
check "and those that are refused, with the reason" grep -q 'llc.mode=private: .*gpu.clusters' out
check "keeps them" test "$(query "SELECT count(*) >= 26 FROM combinations WHERE gpu = 'gtx480' AND size = 'small'")" = 1
check "the GPU as it is is 1 in everything" test \
  "$(query "SELECT speedup = 1 AND storage_bits = 0 AND round = 2 FROM combinations WHERE settings = ''")" = 1
check "half is left after a round" test "$(query "SELECT count(*) FROM combinations WHERE round = 1")" -ge 12
check "no Pareto point is beaten" test "$(query "SELECT count(*) FROM combinations a JOIN combinations b ON a.pareto AND b.round = 2
  AND b.speedup >= a.speedup AND b.storage_bits <= a.storage_bits AND coalesce(b.energy <= a.energy, 1)
  AND (b.speedup > a.speedup OR b.storage_bits < a.storage_bits)")" = 0
check "there is a Pareto point" test "$(query "SELECT count(*) > 0 FROM combinations WHERE pareto")" = 1
check "a mean is that of its runs" test "$(query "SELECT abs(c.speedup - (SELECT exp(avg(ln(b.cycles * 1.0 / r.cycles))) FROM runs b JOIN runs r
  USING (workload) WHERE b.settings = '' AND r.settings = c.settings)) < 1e-6 FROM combinations c WHERE settings = 'l1.org=tsc'")" = 1
check "again: nothing is run and the same is found" run $few --json b.json
check "nothing" grep -q ', 0 runs' out
check "the same" cmp -s a.json b.json
check "draws the last round" run $few -o front.svg
check "a point a combination and chart" test "$(grep -c '<circle' front.svg)" = \
  "$(query "SELECT 2 * count(*) FROM combinations WHERE gpu = 'gtx480' AND round = 2")"
check "the front has numbers" test "$(grep -c "<text [^>]*font-weight='bold'>[0-9]" front.svg)" = \
  "$(query "SELECT 2 * count(*) FROM combinations WHERE gpu = 'gtx480' AND round = 2 AND pareto")"
check "a page too" sh -c "'$build/heddle' explore $few -o front.html >out 2>&1 && grep -q '<svg' front.html"
check "X01 counts them" sh -c "'$build/heddle' claims X01 --db x.db --json x.json >out 2>&1 && grep -q '\"reproduced\"' x.json"

check "an unknown workload offers the nearest" fails_with 2 "did you mean 'scan'" scna --db x.db
check "an unknown GPU" fails_with 2 "gtx480" scan --gpu gtx490 --db x.db
check "sizes" fails_with 2 "small, medium or paper" scan --size large
check "numbers" fails_with 2 "rounds is a number from 1" scan --rounds 0

finish
