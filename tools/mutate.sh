#!/bin/sh
# Seeded faults: puts each fault of tools/faults.txt into a copy of the sources, builds what it changes, and runs the tests
# that must find it. Says "found" or "SURVIVED" for each; last line "N passed, N failed", a survivor being a failure.
#
#   mutate.sh BUILD [WORD...]   the faults whose file or title has one of the words; without words, all (a quarter of an hour)
#   mutate.sh --check           whether the list fits the sources: every text is there once, every room of src/ has a fault
#   FAULTS=FILE                 another list
#
# The list: a line "FILE: what is wrong", then " tests: " with the names of test programs (of BUILD/tests), " - " the text
# that is replaced, which is in one line of the file and nowhere else in it, and " + " by what. The tests are run without the
# fault first. A fault that does not compile is a mistake of the list, not one that was found; a test that does not end
# with it has found it.
cd "$(dirname "$0")/.." || exit 2
root=$PWD
list=${FAULTS:-$root/tools/faults.txt}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
passed=0 failed=0

# One folder a fault: file, title, tests, old, new.
awk -v work="$work" '
  function put(name, text) { file = folder "/" name; printf "%s", text > file; close(file) }
  /^#/ || /^$/ { next }
  /^[^ ]/ {
    folder = sprintf("%s/fault%03d", work, ++n); system("mkdir " folder)
    at = index($0, ": "); put("file", substr($0, 1, at - 1)); put("title", substr($0, at + 2)); next
  }
  /^  tests: / { put("tests", substr($0, 10)); next }
  /^  - / { put("old", substr($0, 5)); next }
  /^  \+ / { put("new", substr($0, 5)); next }
  { print FILENAME ":" NR ": neither a file, nor tests, nor a text"; bad = 1 }
  END { exit bad }' "$list" || exit 2

name_of() { echo "$(cat "$1/file"): $(cat "$1/title")"; }

# Complains of a fault that the sources have no place for.
fits() {
  for part in file title tests old new; do
    [ -s "$1/$part" ] || [ "$part" = new ] || { echo "$(name_of "$1"): it has no $part"; return 1; }
  done
  [ -f "$root/$(cat "$1/file")" ] || { echo "$(name_of "$1"): there is no such file"; return 1; }
  n=$(grep -c -F -e "$(cat "$1/old")" "$root/$(cat "$1/file")")
  [ "$n" -eq 1 ] || { echo "$(name_of "$1"): its text is in $n lines of the file, not one: $(cat "$1/old")"; return 1; }
}

check_list() {
  for fault in "$work"/fault*; do if fits "$fault"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi; done
  for room in src/*/; do
    if grep -q "^$room" "$list"; then passed=$((passed + 1)); else echo "${room%/} has no fault"; failed=$((failed + 1)); fi
  done
}

# The sources and what is built of them, with their times, so that make builds again only what a fault changes.
copy_tree() {
  mkdir "$work/tree"
  tar -C "$root" -cf - --exclude=./.git --exclude='./build*' . | tar -C "$work/tree" -xf -
  mkdir "$work/tree/build"
  cp -a "$root/$build/obj" "$root/$build/libheddle_core.a" "$work/tree/build"
}

# Builds tests, and the programs where one of them is a script; complains if that does not work.
make_tests() {
  set -- $(for t in "$@"; do echo "build/tests/$t"; done)
  make -s -C "$work/tree" BUILD=build $kind "$@" >"$work/log" 2>&1 || { tail -n 5 "$work/log"; return 1; }
  if grep -q -a -l '^#!/bin/sh' $(for t in "$@"; do echo "$work/tree/$t"; done); then
    make -s -C "$work/tree" BUILD=build $kind programs >"$work/log" 2>&1 || { tail -n 5 "$work/log"; return 1; }
  fi
}
run_tests() { # run_tests SECONDS TEST...
  seconds=$1
  shift
  (cd "$work/tree" && SHARD=1/1 LIST= TEST_SECONDS=$seconds \
    tools/run_tests.sh $(for t in "$@"; do echo "build/tests/$t"; done)) >"$work/log" 2>&1
}

# How long tests may take with a fault in: a minute, and five times what they took without, of which $work/times tells.
limit_of() {
  awk -v tests=" $* " 'index(tests, " " $5 " ") { s += $3 } END { print 60 + 5 * s }' "$work/times"
}

wanted() { # wanted FAULT WORD...
  text=$(name_of "$1")
  shift
  [ $# -gt 0 ] || return 0
  for word in "$@"; do case $text in *"$word"*) return 0 ;; esac; done
  return 1
}

try_fault() {
  file=$work/tree/$(cat "$1/file")
  cp -p "$file" "$work/before"
  awk -v old="$(sed 's/\\/\\\\/g' "$1/old")" -v new="$(sed 's/\\/\\\\/g' "$1/new")" '
    { at = index($0, old); if (at) $0 = substr($0, 1, at - 1) new substr($0, at + length(old)); print }' "$work/before" >"$file"
  # shellcheck disable=SC2046
  set -- "$1" $(cat "$1/tests")
  fault=$1
  shift
  if ! make_tests "$@" >"$work/why"; then
    echo "DOES NOT BUILD  $(name_of "$fault")"
    cat "$work/why"
    failed=$((failed + 1))
  elif run_tests "$(limit_of "$@")" "$@"; then
    echo "SURVIVED  $(name_of "$fault") ($*)"
    failed=$((failed + 1))
  else
    echo "found     $(name_of "$fault")"
    passed=$((passed + 1))
  fi
  cat "$work/before" >"$file" # newer than what was built of it
}

if [ "${1:-}" = --check ]; then
  check_list
  [ "$failed" -gt 0 ] || passed=1 # the list is one thing
else
  build=${1:?mutate.sh BUILD [WORD...]}
  shift
  kind= # as the build was made
  case $build in *sanitize*) kind=SANITIZE=1 ;; esac
  case $build in *portable*) kind="$kind PORTABLE=1" ;; esac
  [ -f "$build/libheddle_core.a" ] || { echo "mutate.sh: $build is not built; make programs"; exit 2; }
  copy_tree
  chosen=
  for fault in "$work"/fault*; do
    wanted "$fault" "$@" || continue
    fits "$fault" || { failed=$((failed + 1)); continue; }
    chosen="$chosen $fault"
  done
  # shellcheck disable=SC2086
  tests=$(for fault in $chosen; do cat "$fault/tests"; echo; done | tr ' ' '\n' | sort -u | grep .)
  # shellcheck disable=SC2086
  if ! { make_tests $tests && run_tests 1200 $tests; }; then
    cat "$work/log"
    echo "without a fault the tests do not pass"
    echo "0 passed, 1 failed"
    exit 1
  fi
  cp "$work/log" "$work/times"
  for fault in $chosen; do try_fault "$fault"; done
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
