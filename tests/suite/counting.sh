#!/bin/sh
# What tools/run_tests.sh counts, by made-up tests, and that the shards of a suite are the suite: counting.sh BUILD.
build=$1
. "$(dirname "$0")/../lib/checks.sh"
run_tests=$(dirname "$0")/../../tools/run_tests.sh
unset SHARD LIST TEST_SECONDS
suite() { "$run_tests" "$@" >"$root/suite" 2>&1; }
says() { # says STATUS LAST_LINE TEST...: how a suite ends
  status=$1 last=$2
  shift 2
  suite "$@"
  got=$?
  cat "$root/suite"
  [ $got -eq "$status" ] && [ "$(tail -n 1 "$root/suite")" = "$last" ]
}
shows() { # shows PATTERN TEST...
  pattern=$1
  shift
  suite "$@"
  cat "$root/suite"
  grep -q -e "$pattern" "$root/suite"
}

check "counts are added up" says 0 "12 passed, 0 failed" "a: echo '5 passed, 0 failed'" "b: echo '[  PASSED  ] 7 test(s).'"
check "rows are counted apart" shows '^5 behaviours, 15,110 conformance rows$' "a: echo '5 passed, 0 failed'" \
  "b: echo '15110 rows passed, 0 failed'"
check "and together at the end" says 0 "1234567 passed, 0 failed" "a: echo '1 passed, 0 failed'" "b: echo '1234566 rows passed, 0 failed'"
check "with commas at every thousand" shows '^0 behaviours, 1,234,566 conformance rows$' "b: echo '1234566 rows passed, 0 failed'"
check "failed rows are failures" says 1 "3 passed, 2 failed" "a: echo '3 rows passed, 2 failed'; false"
check "a silent test has failed" says 1 "0 passed, 1 failed" "a: true"
check "and why" shows 'FAILED a (.*did not say what it has checked)' "a: true"
check "so has one that says something else" says 1 "0 passed, 1 failed" "a: echo all is well"
check "so has one that checked nothing" says 1 "0 passed, 1 failed" "a: echo '0 passed, 0 failed'"
check "failures count though the exit status is 0" says 1 "4 passed, 1 failed" "a: echo '4 passed, 1 failed'"
check "an exit status counts though all passed" says 1 "4 passed, 1 failed" "a: echo '4 passed, 0 failed'; exit 3"
check "a crash is a failure" says 1 "0 passed, 1 failed" "a: echo half way; kill -SEGV \$\$"
check "named by its signal" shows 'FAILED a (.*signal SEGV' "a: kill -SEGV \$\$"
check "with its last lines" shows '^    half way$' "a: echo half way; kill -SEGV \$\$"
TEST_SECONDS=1 check "so is a test that does not end" says 1 "2 passed, 1 failed" "a: echo '1 passed, 0 failed'; sleep 60" \
  "b: echo '1 passed, 0 failed'"
check "a killed one" says 1 "0 passed, 1 failed" "a: kill -KILL \$\$"
check "cmocka's failures" says 1 "2 passed, 3 failed" "a: printf '[  PASSED  ] 2 test(s).\n[  FAILED  ] 3 test(s), listed below:\n'; exit 3"
check "nothing skipped goes unsaid" shows 'skipped: no browser' "a: echo 'skipped: no browser'; echo '1 passed, 0 failed'"
check "a test cannot wait for a person" says 0 "1 passed, 0 failed" "a: cat; echo '1 passed, 0 failed'"

# Several at a time: each of two tests waits for the other, for ten seconds at most.
meet() { echo "$1: touch $root/$1; for i in \$(seq 100); do [ ! -e $root/$2 ] || break; sleep 0.1; done; [ -e $root/$2 ] && echo '1 passed, 0 failed'"; }
JOBS=2 check "two at a time" says 0 "2 passed, 0 failed" "$(meet a b)" "$(meet b a)"
rm -f "$root/a" "$root/b"
JOBS=1 check "one at a time" says 1 "1 passed, 1 failed" "a: [ -e $root/b ] && echo '1 passed, 0 failed'" \
  "b: touch $root/b; echo '1 passed, 0 failed'"
check "a test whose runner is killed is not lost" says 1 "1 passed, 1 failed" "a: kill -KILL \$(ps -o ppid= -p \$PPID)" "b: echo '1 passed, 0 failed'"
ended() { # the tests end with their runner
  JOBS=2 "$run_tests" "a: sleep 4321" "b: sleep 4321" >"$root/suite" 2>&1 &
  runner=$!
  for i in $(seq 100); do [ "$(pgrep -c -f '^sleep 4321')" -lt 2 ] || break; sleep 0.1; done
  kill "$runner"
  wait "$runner"
  [ $? -eq 130 ] || return 1
  for i in $(seq 100); do pgrep -f '^sleep 4321' || return 0; sleep 0.1; done
  return 1
}
check "a runner that is stopped leaves nothing behind" ended

# Shards: of any number of tests in any number of parts, each test once.
covered() { # covered N_TESTS N_SHARDS
  set -- "$1" "$2" $(seq "$1")
  n=$1 of=$2
  shift 2
  seq "$n" | sort >"$root/all"
  for i in $(seq "$of"); do SHARD=$i/$of LIST=1 "$run_tests" "$@"; done | sort >"$root/parts"
  diff "$root/all" "$root/parts"
}
for n in 1 2 7 12; do for of in 1 2 3 7 8; do check "$n tests in $of shards" covered $n $of; done; done
list_tests() { env -u MAKEFLAGS -u MAKELEVEL make -s --no-print-directory BUILD="$build" list-tests "$@"; }
whole() { # the tests of this build, as make gives them
  list_tests | sort >"$root/all"
  for i in 1 2 3; do list_tests SHARD=$i/3; done | sort >"$root/parts"
  [ "$(wc -l <"$root/all")" -gt 90 ] && diff "$root/all" "$root/parts"
}
check "the suite in 3 shards" whole
for bad in 0/2 3/2 2 x/y 1/0 /; do SHARD=$bad check "SHARD=$bad" answers 2 "SHARD is i/n" "$run_tests" true; done
finish
