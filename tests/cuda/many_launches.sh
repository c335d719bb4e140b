#!/bin/sh
# Programs of thousands of launches: totals, limits, the watchdog and the size of the report. many_launches.sh BUILD. Last line
# "N passed, N failed".
build=$(cd "${1:-build}" && pwd) || exit 2
. "$(dirname "$0")/../lib/checks.sh"
log=$root/out
run() { "$build/heddle" run --json "$root/o.json" "$@" >"$root/out" 2>&1; }
many() { n=$1; shift; run "$@" -- "$build/tests/many_launches" "$n"; }
says() { grep -q -- "$1" "$root/out"; }
is() { [ -s "$root/o.json" ] && python3 -c "import json, sys; d = json.load(open('$root/o.json')); sys.exit(not ($1))"; }

check "20,000 launches run without time" many 20000 --functional
check "and count" says "^counted 20000$"
check "a kernel has one row, whose launches are counted" is "d['launches'] == 20000 and len(d['kernels']) == 1 and d['warp_instructions'] == 60000"
many 20000 --functional --max-instructions 30001
check "a limit of instructions is kept across launches" is "d['warp_instructions'] == 30001 and d['launches'] == 10001"
check "and said" says "the limit of instructions after 30001 warp instructions"
many 3000 --gpu gtx480 --max-cycles 100000
check "a limit of cycles is kept across launches" is "d['cycles'] == 100000 and 100 < d['launches'] < 3000"
check "and said" says "the limit of cycles"
check "6,000 launches run with time" many 6000 --gpu gtx480
check "and count" says "^counted 6000$"
check "rows of kernels are kept within bounds and the totals are all of them" is \
  "d['launches'] == 6000 and d['warp_instructions'] == 18000 and 1000 < len(d['kernels']) < 5100"
run --functional -- "$build/tests/many_launches" 5000 wait
check "a launch that waits for ever is found after thousands that do not" says "nothing but waiting has been done"
check "and named" says "of kernel 'waits'"
check "the report is written" is "d['launches'] == 5001"
run --gpu gtx480 -- "$build/tests/many_launches" 500 wait
check "with time the watchdog finds it" says "of kernel 'waits'"
check "and the report is written too" is "d['launches'] == 501"
script -qec "$build/heddle run --functional -- $build/tests/many_launches 400000" "$root/terminal" </dev/null >/dev/null 2>&1
check "a terminal shows how far many short launches have come" grep -q "launches, .* warp instructions" "$root/terminal"
check "and the program's own words have a line to themselves" grep -q "$(printf '\033\\[K')counted 400000" "$root/terminal"
finish
