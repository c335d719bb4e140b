#!/bin/sh
# Runs tests one after the other and adds up: run_tests.sh BUILD TEST... ; each TEST is an executable (cmocka, or anything whose output ends
# in "N passed, N failed") or "name: command". Shows what failed; the last line is "N passed, N failed".
build=$1
shift
passed=0
failed=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for test in "$@"; do
  case $test in
  *': '*) name=${test%%: *}; command=${test#*: } ;;
  *) name=$(basename "$test"); command=$test ;;
  esac
  began=$(date +%s)
  sh -c "$command" >"$log" 2>&1
  status=$?
  seconds=$(($(date +%s) - began))
  summary=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$log" | tail -n 1)
  if [ -n "$summary" ]; then
    p=${summary%% *}
    f=${summary#*, }; f=${f%% *}
  else
    p=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' "$log" | awk '{s += $1} END {print s + 0}')
    f=$(sed -n 's/^\[  FAILED  \] \([0-9]*\) test.*/\1/p' "$log" | awk '{s += $1} END {print s + 0}')
  fi
  # A crash, or a test program that said nothing, is a failure of its own.
  if [ "$status" -ne 0 ] && [ "$f" -eq 0 ]; then f=1; fi
  if [ "$status" -eq 0 ] && [ "$p" -eq 0 ] && [ "$f" -eq 0 ]; then p=1; fi
  passed=$((passed + p))
  failed=$((failed + f))
  if [ "$f" -gt 0 ]; then
    echo "FAILED $name ($p passed, $f failed, exit status $status):"
    grep -v '^\[ *\(RUN\|OK\) *\]' "$log" | tail -n 40 | sed 's/^/    /'
  else
    printf '%6d passed %4d s  %s\n' "$p" "$seconds" "$name"
  fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
