#!/bin/sh
# heddle tune: every value is run, the best is the one with the fewest cycles, mistakes are told. Lives in BUILD/tests.
# Last line "N passed, N failed".
build=$(dirname "$0")/..
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
passed=0
failed=0
check() { # check NAME COMMAND...
  name=$1
  shift
  if "$@"; then passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "$name"
    tail -n 5 "$out/log"
  fi
}
tune() { "$build/heddle" tune "$@" >"$out/log" 2>&1; }
says() { # says WORDS COMMAND...: it fails and says so
  words=$1
  shift
  ! "$@" && grep -q "$words" "$out/log"
}
cycles() { # of a run, by itself
  "$build/heddle" run vectoradd --set "$1" --quiet --json "$out/run" >/dev/null 2>&1 && sed -n 's/^  "cycles": \([0-9]*\),/\1/p' "$out/run"
}
curve() { tr -d ' \n' <"$out/curve"; }

check "it runs" tune warp_limit vectoradd --values 1,2..3 --jobs 2 --db "$out/db" --json "$out/curve" -o "$out/curve.svg"
check "the first value is the one it compares with, the others are those asked for" \
  sh -c "tr -d ' \n' <'$out/curve' | grep -q '\"values\":\[0,1,2,3\]'"
want="\"cycles\":[$(cycles sm.warp_limit=0),$(cycles sm.warp_limit=1),$(cycles sm.warp_limit=2),$(cycles sm.warp_limit=3)]"
check "cycles are those of the runs" test "$(curve | grep -cF "$want")" = 1
check "more warps are better for a stream" grep -q '^best  *3$' "$out/log"
check "the curve is drawn" grep -q '<polyline' "$out/curve.svg"
check "what the database has is not run again" tune warp_limit vectoradd --values 1..3 --db "$out/db"
check "any whole-number key" tune l1.ways vectoradd --values 2,4 --set sm.scheduler=lrr
check "a key that is none" says "no key" tune l1.wayz vectoradd --values 1,2
check "a key that is no number" says "whole number" tune sm.scheduler vectoradd --values 1,2
check "values are expected" says "values is expected" tune l1.ways vectoradd
check "values that are none" says "list of numbers" tune l1.ways vectoradd --values 1,b
check "a value out of range" says "l1.ways" tune l1.ways vectoradd --values 0
check "a workload that is none" says "no workload" tune l1.ways vectorad --values 1
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
