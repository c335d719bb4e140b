# What the shell tests share, for sh and bash; they source it.
#
#   $root                                an empty folder that is gone when the test ends
#   check NAME COMMAND...                counts whether the command succeeds; if not, shows the end of what it said, and of
#                                        the file $log if the test has one for what its commands say
#   answers STATUS PATTERN COMMAND...    succeeds if the command ends so and says something that grep finds
#   passed PASSED FAILED                 adds what another program has counted
#   finish                               prints "N passed, N failed"; succeeds if none failed
root=$(mktemp -d) || exit 2
trap 'rm -rf "$root"' EXIT
checks_passed=0
checks_failed=0
log=

check() {
  check_name=$1
  shift
  if "$@" >"$root/said" 2>&1; then checks_passed=$((checks_passed + 1))
  else
    checks_failed=$((checks_failed + 1))
    echo "FAILED $check_name:"
    cat "$root/said" ${log:+"$log"} 2>/dev/null | tail -n 8
  fi
}

answers() {
  answers_status=$1 answers_pattern=$2
  shift 2
  "$@" >"$root/answer" 2>&1
  answers_got=$?
  cat "$root/answer"
  [ $answers_got -eq "$answers_status" ] || { echo "exit status $answers_got, not $answers_status"; return 1; }
  grep -q -e "$answers_pattern" "$root/answer" || { echo "nothing like '$answers_pattern'"; return 1; }
}

passed() {
  checks_passed=$((checks_passed + $1))
  checks_failed=$((checks_failed + $2))
}

finish() {
  echo "$checks_passed passed, $checks_failed failed"
  [ "$checks_failed" -eq 0 ]
}
