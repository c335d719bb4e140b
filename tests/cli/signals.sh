#!/bin/bash
# Signals to `heddle run`: the program ends with it, says what it has so far, and leaves nothing behind: signals.sh BUILD. Last
# line "N passed, N failed". Nothing is timed: a test waits until what it waits for has come, and gives up after a minute.
build=$(cd "$1" && pwd)
. "$(dirname "$0")/../lib/checks.sh"
heddle=$build/heddle
export TMPDIR=$root/tmp
mkdir "$TMPDIR"

within_a_minute() { # within_a_minute COMMAND...
  for _ in $(seq 1200); do "$@" && return 0; sleep 0.05; done
  echo "still not after a minute: $*"
  return 1
}
# A process whose environment has our mark, so that only what this test has started is found.
marked() { grep -lzs "^SIGNALS_TEST=$mark\$" /proc/[0-9]*/environ 2>/dev/null | grep -v "^/proc/$$/"; }
running() { marked | while read -r f; do tr '\0' ' ' <"${f%environ}cmdline" 2>/dev/null; echo; done | grep -q "$1"; }
gone() { ! running "$1"; }
ended() { ! kill -0 "$pid" 2>/dev/null; }
empty() { [ -z "$(ls -A "$TMPDIR")" ] || { ls -A "$TMPDIR"; return 1; }; }

# start COMMAND...: in a group of its own, as a shell's job is; its process is $pid. Scripts start jobs with SIGINT ignored.
start() {
  mark=$RANDOM$RANDOM
  SIGNALS_TEST=$mark setsid env --default-signal=INT "$@" >"$root/out" 2>&1 &
  pid=$!
}
long=(kmeans --size paper --gpu h200)

# Statistics so far, and the status that a shell gives: SIGNAL NUMBER TARGET, the process or its group.
tells() {
  rm -f "$root/r.json"
  start "$heddle" run "${long[@]}" --json "$root/r.json"
  within_a_minute running "heddle-workloads kmeans" || return 1
  sleep 1 # until it is in a kernel, usually; what is said does not depend on it
  if [ "$3" = group ]; then kill -s "$1" -- "-$pid"; else kill -s "$1" "$pid"; fi
  wait "$pid"
  got=$?
  [ $got -eq $((128 + $2)) ] || { echo "status $got"; cat "$root/out"; return 1; }
  grep -q '"stopped": "the run was stopped by a signal' "$root/r.json" || { echo "no statistics"; return 1; }
  within_a_minute gone heddle-workloads
}
for s in "TERM 15" "HUP 1" "INT 2"; do
  set -- $s
  check "SIG$1 to heddle run" tells "$1" "$2" process
  check "SIG$1 to its group" tells "$1" "$2" group
done
check "no temporary files after signals" empty

killed() { # killed NAME COMMAND...: kill -9 while the process NAME runs
  name=$1
  shift
  start "$@"
  within_a_minute running "$name" || return 1
  kill -9 "$pid"
  wait "$pid" 2>/dev/null
  within_a_minute gone "$name" && within_a_minute gone heddle
}
check "kill -9 of heddle run" killed "heddle-workloads kmeans" "$heddle" run "${long[@]}"
check "kill -9, and what the program has started" killed "sleep 61.7" "$heddle" run -- sh -c 'sleep 61.7; true'
check "kill -9, and what has left the program's group" killed "sleep 62.7" "$heddle" run -- sh -c 'setsid sleep 62.7 & wait'
check "kill -9 of compare" killed "heddle-workloads kmeans" "$heddle" compare kmeans --size paper --vary l1.ways=2,4
check "kill -9 of tune" killed "heddle-workloads kmeans" "$heddle" tune l1.ways kmeans --size paper --values 2
check "no temporary files after kill -9" empty

reaches_all() {
  start "$heddle" run -- sh -c 'trap "" TERM; sh -c "trap \"\" HUP; sleep 63.7"; true'
  within_a_minute running "sleep 63.7" || return 1
  kill -TERM "$pid"
  within_a_minute gone "sleep 63.7"
}
check "SIGTERM reaches what the program has started" reaches_all

stays_ignored() {
  mark=$RANDOM$RANDOM
  (trap "" HUP; SIGNALS_TEST=$mark exec setsid "$heddle" run -- sh -c 'sleep 2; exit 5') >"$root/out" 2>&1 &
  pid=$!
  within_a_minute running "sleep 2" || return 1
  kill -HUP -- "-$pid"
  wait "$pid"
  [ $? -eq 5 ]
}
check "a signal that was ignored (nohup) stays so" stays_ignored

stops_all() {
  start "$heddle" compare vectoradd kmeans --size paper --gpu h200 --vary l1.ways=2,4
  within_a_minute running "heddle-workloads" || return 1
  kill -TERM "$pid"
  wait "$pid"
  [ $? -eq 143 ] && within_a_minute gone heddle-workloads
}
check "SIGTERM ends a comparison, not one of its runs" stops_all
check "the exit status is the program's own" answers 7 "words" "$heddle" run -- sh -c 'echo words; exit 7'
check "and of one that was killed" answers 137 "words" "$heddle" run -- sh -c 'echo words; kill -9 $$'
check "one that cannot be started" answers 127 "cannot start" "$heddle" run -- no-such-program
finish
