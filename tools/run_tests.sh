#!/bin/sh
# Runs tests one after the other and adds up: run_tests.sh TEST... ; each TEST is an executable or "name: command".
#
# A test says what it has checked: cmocka's lines, or a line "N passed, N failed" (the last such line counts), or, where it
# compares rows of recorded data, "N rows passed, N failed". One that says none of these has failed, whatever its exit status;
# so has one that is killed, crashes, or takes longer than TEST_SECONDS (1200; 3600 in a build with sanitizers). Of what
# failed the last lines are shown. Last lines: "N behaviours, N conformance rows", then "N passed, N failed", which is both
# together.
#
#   SHARD=i/n   only every n-th test, from the i-th: the shards 1/n to n/n are all tests, each once
#   LIST=1      shows the names of the tests that would run
shard=${SHARD:-1/1}
case $shard in
[1-9]*/[1-9]*) ;;
*) echo "run_tests.sh: SHARD is i/n, as in SHARD=1/4, not '$shard'" >&2; exit 2 ;;
esac
first=${shard%/*}
of=${shard#*/}
if ! [ "$first" -le "$of" ] 2>/dev/null; then echo "run_tests.sh: SHARD is i/n with i up to n, not '$shard'" >&2; exit 2; fi
limit=${TEST_SECONDS:-1200}
behaviours=0 rows=0 failed=0 seen=0 running=
log=$(mktemp) || exit 2
trap 'rm -f "$log"' EXIT
trap '[ -z "$running" ] || kill "$running"; exit 130' INT TERM HUP

# Sums of what the lines of the log that match $1 have in front.
sum_of() { sed -n "s/^$1.*/\1/p" "$log" | awk '{ s += $1 } END { print s + 0 }'; }
commas() { echo "$1" | sed -e ':again' -e 's/\([0-9]\)\([0-9]\{3\}\)\($\|,\)/\1,\2\3/' -e 't again'; }

why() { # why STATUS: what is to be said of a failure, besides its counts
  if [ "$1" -eq 124 ] || [ "$1" -eq 137 ]; then echo "took longer than $limit s, or was killed"
  elif [ "$1" -gt 128 ]; then echo "ended by signal $(kill -l "$1" 2>/dev/null || echo $(($1 - 128)))"
  elif [ "$1" -ne 0 ]; then echo "exit status $1"
  elif [ "$p" -eq 0 ] && [ "$r" -eq 0 ] && [ -z "$said" ]; then echo "did not say what it has checked"
  else echo "exit status 0"; fi
}

run_test() { # run_test NAME COMMAND
  began=$(date +%s)
  timeout -k 10 "$limit" sh -c "$2" >"$log" 2>&1 </dev/null &
  running=$!
  wait "$running" 2>/dev/null
  status=$?
  running=
  seconds=$(($(date +%s) - began))
  p=0 r=0 f=0
  said=$(grep -E '^[0-9]+ (rows )?passed, [0-9]+ failed$' "$log" | tail -n 1)
  case $said in
  *' rows passed'*) r=${said%% *} ;;
  ?*) p=${said%% *} ;;
  *) p=$(sum_of '\[  PASSED  \] \([0-9]*\) test'); f=$(sum_of '\[  FAILED  \] \([0-9]*\) test') ;;
  esac
  [ -z "$said" ] || { f=${said#*, }; f=${f%% *}; }
  if [ "$f" -eq 0 ] && { [ "$status" -ne 0 ] || [ $((p + r)) -eq 0 ]; }; then f=1; fi
  behaviours=$((behaviours + p)) rows=$((rows + r)) failed=$((failed + f))
  if [ "$f" -gt 0 ]; then
    echo "FAILED $1 ($((p + r)) passed, $f failed, $(why $status)):"
    grep -v '^\[ *\(RUN\|OK\) *\]' "$log" | tail -n 40 | sed 's/^/    /'
  else
    printf '%6d passed %4d s  %s\n' $((p + r)) "$seconds" "$1"
    grep -h '^skipped: ' "$log" | sed 's/^/              /'
  fi
}

for test in "$@"; do
  seen=$((seen + 1))
  [ $(((seen - first) % of)) -eq 0 ] || continue
  case $test in
  *': '*) name=${test%%: *} command=${test#*: } ;;
  *) name=$(basename "$test") command=$test ;;
  esac
  if [ -n "${LIST:-}" ]; then echo "$name"; else run_test "$name" "$command"; fi
done
[ -z "${LIST:-}" ] || exit 0
echo "$(commas $behaviours) behaviours, $(commas $rows) conformance rows"
echo "$((behaviours + rows)) passed, $failed failed"
[ "$failed" -eq 0 ]
