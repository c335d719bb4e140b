#!/bin/sh
# Wrong addresses, as `heddle run` shows them: what goes on as on a GPU and is said once, what reaches the program as CUDA's
# error, --strict, --no-check, and that the report is written all the same. faults.sh BUILD. Last line "N passed, N failed".
build=$(cd "$1" && pwd)
heddle=$build/heddle touch=$build/tests/cli_touch_program
. "$(dirname "$0")/../lib/checks.sh"
cd "$root" || exit 2

# run STATUS PATTERN [OPTIONS] -- DISTANCE [HOW]; what it said is in the file said_all
touches() {
  status=$1 pattern=$2 options=
  shift 2
  while [ "$1" != -- ]; do options="$options $1"; shift; done
  shift
  # shellcheck disable=SC2086
  "$heddle" run --quiet --json report.json $options -- "$touch" "$@" >said_all 2>&1
  got=$?
  cat said_all
  [ $got -eq "$status" ] || { echo "status $got"; return 1; }
  grep -q "\"warp_instructions\": [1-9]" report.json || { echo "no report"; return 1; }
  grep -q "$pattern" said_all
}
says() { grep -q "$1" said_all || { cat said_all; return 1; }; }
says_not() { ! grep "$1" said_all; }

for mode in "" --functional "--gpu h200" "--gpu gpu80 --threads 2"; do
  check "$mode inside: nothing is said" touches 3 "^synchronise 0" $mode -- 0
  check "$mode and nothing else" says_not "heddle:"
  check "$mode past the last allocation" touches 3 "^synchronise 0" $mode -- 8192
  check "$mode told" says "4-byte load from global memory at 0x[0-9a-f]*: right past the end of the 4,096-byte allocation at 0x[0-9a-f]*, made by .*touch_program+0x"
  check "$mode by line" says "in kernel 'touch' at touch.cu:42 (ld.global.u32 at "
  check "$mode by thread" says "by thread (44,0,0) of CTA (2,0,0)"
  check "$mode each line" says "at touch.cu:43 (st.global.u32"
  check "$mode in the report" grep -q '"accesses": 1' report.json
  check "$mode once a line" touches 3 "^synchronise 0" $mode -- 8192 twice
  check "$mode not twice" test "$(grep -c 'heddle: outside' said_all)" = 2
  check "$mode counted" grep -q '"accesses": 2' report.json
  check "$mode an overflow into the neighbour goes unnoticed, as on a GPU" touches 3 "third 1 " $mode -- 4096
  check "$mode nothing said" says_not "heddle:"
  check "$mode strict sees it" touches 3 "^synchronise 700" $mode --strict -- 4096
  check "$mode and blames the right one" says "right past the end of the 4,096-byte allocation"
  check "$mode freed memory that is mapped" touches 3 "^synchronise 0" $mode -- 0 freed
  check "$mode is called freed" says "inside memory that was freed (the 4,096-byte allocation"
  check "$mode outside mapped memory" touches 3 "^synchronise 700" $mode -- 1000000000
  check "$mode stays" says "^then 700"
  check "$mode far past" says "bytes past the end of the 4,096-byte allocation"
  check "$mode a pointer of the host" touches 3 "^synchronise 700" $mode -- 0 host
  check "$mode is called one" says "this is an address of the host (.*): was the pointer copied with cudaMemcpy?"
  check "$mode null" touches 3 "^synchronise 700" $mode -- 1048576 null
  check "$mode is called so" says "the pointer is null or an offset from null"
  check "$mode misaligned" touches 3 "^synchronise 716" $mode -- 2
  check "$mode no check: mapped or not" touches 3 "^synchronise 0" $mode --no-check -- 1000000000
  check "$mode no check: nothing said" says_not "heddle:"
  check "$mode no check: never the host's memory" touches 3 "^synchronise 700" $mode --no-check -- 0 host
  check "$mode no check: nor where nothing is" touches 3 "^synchronise 700" $mode --no-check -- -100000000000000
done
check "strict and no check contradict each other" answers 2 "contradict" "$heddle" run --strict --no-check vectoradd
check "the variable too" env HEDDLE_STRICT=1 sh -c "'$heddle' run --quiet -- '$touch' 8192 2>&1 | grep -q '^synchronise 700'"
check "workloads are strict" "$heddle" run --strict --quiet vectoradd
check "help" sh -c "'$heddle' run --help | grep -q -- --strict"
finish
