#!/bin/sh
# tools/mutate.sh with a list of its own: a fault that is found, one that survives, and lists that are wrong. faults.sh BUILD.
build=$1
. "$(dirname "$0")/../lib/checks.sh"
mutate=$(dirname "$0")/../../tools/mutate.sh
fault() { # fault TITLE OLD NEW
  printf 'src/base/stat.c: %s\n  tests: test_base\n  - %s\n  + %s\n\n' "$1" "$2" "$3"
}
good='for (size_t k = 0; k < s->entries[i].n; k++) sum'
export FAULTS="$root/faults"
{
  fault "one instance only" "$good" 'for (size_t k = 0; k < 1; k++) sum'
  fault "the same in other words" "$good" 'for (size_t k = 0; k != s->entries[i].n; k++) sum'
  fault "no C" "$good" 'for (size_t k = 0'
} >"$FAULTS"
"$mutate" "$build" >"$root/log" 2>&1
log=$root/log
check "a fault is found" grep -q '^found .*one instance only$' "$log"
check "what changes nothing survives" grep -q '^SURVIVED .*the same in other words (test_base)$' "$log"
check "what does not compile is no fault that was found" grep -q '^DOES NOT BUILD .*no C$' "$log"
check "they are counted" test "$(tail -n 1 "$log")" = "1 passed, 2 failed"
check "the sources are as they were" grep -q -F "$good" src/base/stat.c
fault "not there" "this text is nowhere" "" >"$FAULTS"
check "a text that is not in the file" answers 1 "not there: its text is in 0 lines of the file" "$mutate" --check
fault "often there" "size_t" "int" >"$FAULTS"
check "a text that is there more than once" answers 1 "lines of the file, not one" "$mutate" --check
fault "one" "$good" "" >"$FAULTS"
check "rooms without a fault" answers 1 "src/dram has no fault" "$mutate" --check
echo "what is this" >>"$FAULTS"
echo "  no key: 3" >>"$FAULTS"
check "a line that means nothing" answers 2 "neither a file, nor tests, nor a text" "$mutate" --check
finish
