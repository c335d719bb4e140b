#!/bin/sh
# heddle check as a command: exit statuses, tools, JSON, suppressions, limits, mistakes. check_cli.sh BUILD.
build=$1
. tests/lib/checks.sh
log=$root/log
program=$build/tests/check/check_case
case_of() { echo "-- $program tests/check/$1.ptx $2 $3 $4 0"; }
correct=$(case_of correct ok_barrier 2 128)
race=$(case_of faulty race_blocks_store 2 32)
two=$(case_of faulty race_no_second_barrier 1 64)
init=$(case_of faulty init_global 1 64)
heddle_check() { "$build/heddle" check "$@"; }
count() { [ "$(grep -c "$1" "$2")" -eq "$3" ] || { cat "$2"; return 1; }; }

check "nothing found: the program's status" answers 0 ": 0 findings" heddle_check $correct
check "a program that fails by itself" answers 3 ": 0 findings" heddle_check -- "$program" none such
check "something found" answers 1 "1 finding (1 of racecheck)" heddle_check $race
check "both places are shown" answers 1 "write *faulty.cu:[0-9]* (st.global.u32) by thread (0,0,0) of block (1,0,0)" heddle_check $race
check "a tool that is not asked says nothing" answers 0 ": 0 findings" heddle_check --tool memcheck,synccheck $race
check "the tool that is asked" answers 1 "racecheck" heddle_check --tool racecheck $race
check "another one" answers 1 "uninitialized-global" heddle_check --tool initcheck $init
check "a tool that is none" answers 2 "did you mean 'racecheck'" heddle_check --tool racechek $race
check "no tool" answers 2 "no tool" heddle_check --tool , $race
check "quiet" answers 1 "^a 0x" heddle_check --quiet $race
check "a limit of findings" answers 1 "1 more" heddle_check --max-reports 1 $two
check "a limit that is none" answers 2 "whole number" heddle_check --max-reports many $two
check "a workload" answers 0 "vectoradd: 0 findings" heddle_check vectoradd
check "what a workload may do" answers 0 "0 findings, [0-9]* suppressed" heddle_check sssp
check "a workload that is none" answers 2 "" heddle_check vectorad
check "nothing to check" answers 2 "is expected" heddle_check
check "two workloads" answers 2 "one workload" heddle_check vectoradd bfs
check "no CUDA call" answers 0 "made no CUDA call" heddle_check -- true
check "lanes in step" answers 0 ": 0 findings" heddle_check --lockstep $(case_of faulty race_no_syncwarp 1 32)
check "leaks" answers 1 "never freed" heddle_check -- "$program" host_leak tests/check
check "leaks left out" answers 0 ": 0 findings" heddle_check --no-leaks -- "$program" host_leak tests/check

# The rule that a finding prints suppresses it.
heddle_check $two 2>/dev/null | sed -n 's/^ *suppress *//p' >"$root/rules"
check "a finding's rule is printed" count racecheck "$root/rules" 2
check "rules that cannot be read" answers 2 "cannot read ./.: Is a directory" heddle_check --suppress / $two
check "its own rules suppress findings" answers 0 "0 findings, 2 suppressed" heddle_check --suppress "$root/rules" $two
head -n 1 "$root/rules" >"$root/one"
check "one rule, one finding" answers 1 "1 finding (1 of racecheck), 1 suppressed" heddle_check --suppress "$root/one" $two
echo 'racecheck * race_no_* *  # why' >"$root/wild"
check "wildcards and comments" answers 0 "2 suppressed" heddle_check --suppress "$root/wild" $two
echo 'racecheck * other *' >"$root/other"
check "a rule of another kernel" answers 1 "2 findings" heddle_check --suppress "$root/other" $two
echo 'racecheck' >"$root/short"
check "a rule that is none" answers 2 "short:1: 1 words; a rule has four" heddle_check --suppress "$root/short" $two
check "a file that is none" answers 2 "cannot read" heddle_check --suppress "$root/none" $two

heddle_check --json "$root/json" $two >/dev/null 2>&1
check "JSON has every finding" count '"kind"' "$root/json" 2
check "with both lines" count '"line"' "$root/json" 4
check "and how often" count '"count": 64' "$root/json" 2
check "JSON on standard output alone" answers 1 '^{' heddle_check --quiet --json - $race

# Findings of a program that does not come to its end are there.
check "a program that is killed" answers 1 "did not come to its end" heddle_check -- sh -c "\"$program\" crash tests/check"
check "the same findings every time" sh -c "
  \"$build/heddle\" check --json \"$root/first\" $two >/dev/null 2>&1; \"$build/heddle\" check --json \"$root/second\" $two >/dev/null 2>&1
  cmp \"$root/first\" \"$root/second\""

# Every kind of finding is explained.
explained() {
  for kind in $(sed -n 's/.*\(CHECK_[A-Z]*, \|kind = \|return \|checker, \|? \|: \)"\([a-z]*-[a-z-]*\|leak\|misaligned\|deadlock\|trap\|assert\)".*/\2/p' \
    src/check/*.c src/cuda/checks.c | sort -u); do
    grep -q -- "$kind" docs/check.md || { echo "docs/check.md does not name '$kind'"; return 1; }
  done
}
check "docs/check.md explains every kind" explained
finish
