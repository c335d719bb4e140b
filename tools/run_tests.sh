#!/bin/sh
# Runs tests, several at a time, and adds up: run_tests.sh TEST... ; each TEST is an executable or "name: command".
#
# A test says what it has checked: cmocka's lines, or a line "N passed, N failed" (the last such line counts), or, where it
# compares rows of recorded data, "N rows passed, N failed". One that says none of these has failed, whatever its exit status;
# so has one that is killed, crashes, or takes longer than TEST_SECONDS (1200; 3600 in a build with sanitizers). Of what
# failed the last lines are shown. Last lines: "N behaviours, N conformance rows", then "N passed, N failed", which is both
# together.
#
#   JOBS=n      tests at a time; one a core unless it is said
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

report() { # report NAME STATUS SECONDS: what is shown of a test that has ended
  if [ "$f" -gt 0 ]; then
    echo "FAILED $1 ($((p + r)) passed, $f failed, $(why "$2")):"
    grep -v '^\[ *\(RUN\|OK\) *\]' "$log" | tail -n 40 | sed 's/^/    /'
  else
    printf '%6d passed %4d s  %s\n' $((p + r)) "$3" "$1"
    grep -h '^skipped: ' "$log" | sed 's/^/              /'
  fi
}

run_test() { # run_test NAME COMMAND: shows the test in one piece and adds "behaviours rows failures" to the file of counts
  running=
  log=$(mktemp) || exit 2
  trap 'rm -f "$log"' EXIT
  trap '[ -z "$running" ] || kill "$running"; exit 130' INT TERM HUP
  began=$(date +%s)
  timeout -k 10 "$limit" sh -c "$2" >"$log" 2>&1 </dev/null &
  running=$!
  wait "$running" 2>/dev/null
  status=$?
  running=
  p=0 r=0 f=0
  said=$(grep -E '^[0-9]+ (rows )?passed, [0-9]+ failed$' "$log" | tail -n 1)
  case $said in
  *' rows passed'*) r=${said%% *} ;;
  ?*) p=${said%% *} ;;
  *) p=$(sum_of '\[  PASSED  \] \([0-9]*\) test'); f=$(sum_of '\[  FAILED  \] \([0-9]*\) test') ;;
  esac
  [ -z "$said" ] || { f=${said#*, }; f=${f%% *}; }
  if [ "$f" -eq 0 ] && { [ "$status" -ne 0 ] || [ $((p + r)) -eq 0 ]; }; then f=1; fi
  echo "$p $r $f" >>"$COUNTS"
  shown=$(report "$1" "$status" $(($(date +%s) - began)))
  printf '%s\n' "$shown"
}

name_of() { case $1 in *': '*) echo "${1%%: *}" ;; *) basename "$1" ;; esac; }
if [ "${1:-}" = --one ]; then # a call of this script by itself, below
  run_test "$(name_of "$2")" "${2#*: }"
  exit 0
fi

seen=0
chosen() { # chosen TEST...: those of the shard, each with a zero byte behind it
  for test in "$@"; do
    seen=$((seen + 1))
    [ $(((seen - first) % of)) -ne 0 ] || printf '%s\0' "$test"
  done
}
if [ -n "${LIST:-}" ]; then
  chosen "$@" | tr '\0' '\n' | while IFS= read -r test; do name_of "$test"; done
  exit 0
fi
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
chosen "$@" >"$work/tests"
export COUNTS="$work/counts"
# The tests have a process group of their own, so that all of them end with this script.
setsid xargs -0 -r -P "${JOBS:-$(nproc)}" -n 1 sh -c '"$0" --one "$1" || :' "$0" <"$work/tests" &
job=$!
trap 'kill -- "-$job" 2>/dev/null; wait "$job"; exit 130' INT TERM HUP
wait "$job"
touch "$COUNTS"
lost=$(($(tr -dc '\0' <"$work/tests" | wc -c) - $(wc -l <"$COUNTS")))
[ "$lost" -eq 0 ] || echo "FAILED $lost tests left no count: what ran them was killed"
set -- $(awk -v lost="$lost" '{ p += $1; r += $2; f += $3 } END { print p + 0, r + 0, f + lost }' "$COUNTS")
echo "$(commas "$1") behaviours, $(commas "$2") conformance rows"
echo "$(($1 + $2)) passed, $3 failed"
[ "$3" -eq 0 ]
