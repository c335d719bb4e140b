#!/bin/sh
# heddle tune: every value is run, the best is the one with the fewest cycles, mistakes are reported. tune.sh BUILD.
# Last line "N passed, N failed".
build=$1
. "$(dirname "$0")/../lib/checks.sh"
log=$root/log
tune() { "$build/heddle" tune "$@" >"$log" 2>&1; }
says() { # says WORDS COMMAND...: it fails and says so
  words=$1
  shift
  ! "$@" && grep -q "$words" "$log"
}
cycles() { # of a run, by itself
  "$build/heddle" run vectoradd --set "$1" --quiet --json "$root/run" >/dev/null 2>&1 && sed -n 's/^  "cycles": \([0-9]*\),/\1/p' "$root/run"
}
curve() { tr -d ' \n' <"$root/curve"; }

check "it runs" tune warp_limit vectoradd --values 1,2..3 --jobs 2 --db "$root/db" --json "$root/curve" -o "$root/curve.svg"
check "the first value is the one it compares with, the others are those asked for" \
  sh -c "tr -d ' \n' <'$root/curve' | grep -q '\"values\":\[0,1,2,3\]'"
want="\"cycles\":[$(cycles sm.warp_limit=0),$(cycles sm.warp_limit=1),$(cycles sm.warp_limit=2),$(cycles sm.warp_limit=3)]"
check "cycles are those of the runs" test "$(curve | grep -cF "$want")" = 1
check "more warps are better for a stream" grep -q '^best  *3$' "$log"
check "the curve is drawn" grep -q '<polyline' "$root/curve.svg"
check "what the database has is not run again" tune warp_limit vectoradd --values 1..3 --db "$root/db"
check "any whole-number key" tune l1.ways vectoradd --values 2,4 --set sm.scheduler=lrr
check "a key that is none" says "no key" tune l1.wayz vectoradd --values 1,2
check "a key that is no number" says "whole number" tune sm.scheduler vectoradd --values 1,2
check "values are expected" says "values is expected" tune l1.ways vectoradd
check "values that are none" says "list of numbers" tune l1.ways vectoradd --values 1,b
check "a range that falls" says "rising ranges" tune l1.ways vectoradd --values 5..2
check "a value out of range" says "l1.ways" tune l1.ways vectoradd --values 0
check "a workload that is none" says "no workload" tune l1.ways vectorad --values 1
finish
