#!/bin/sh
# What a terminal is shown: a bar while a workload runs, colours where they are wanted. terminal.sh BUILD. script(1) plays the terminal; where
# it is missing, the test is skipped. Last line "N passed, N failed".
build=$(cd "$1" && pwd)
heddle=$build/heddle
. "$(dirname "$0")/../lib/checks.sh"
cd "$root" || exit 2
if ! command -v script >/dev/null; then
  echo "skipped: a terminal (no script(1) here)"
  finish
  exit
fi
esc=$(printf '\033')
check "a bar with percentage" sh -c "TERM=xterm script -qec '$heddle run gaussian --size medium --max-cycles 400000' /dev/null </dev/null | tr '\r' '\n' | grep -q '\[#*\.*\].* [0-9]* %  .*warp instructions'"
check "a bold title" sh -c "TERM=xterm script -qec '$heddle run vectoradd' /dev/null </dev/null | grep -q '${esc}\[1mvectoradd on gtx480'"
check "no colours with NO_COLOR" sh -c "! NO_COLOR=1 TERM=xterm script -qec '$heddle run vectoradd' /dev/null </dev/null | grep -q '${esc}\[1m'"
check "nor where it is dumb" sh -c "! TERM=dumb script -qec '$heddle run vectoradd' /dev/null </dev/null | grep -q '${esc}\[1m'"
check "nor in a file" sh -c "! '$heddle' run vectoradd | grep -q '$esc'"
check "verdicts in colours" sh -c "TERM=xterm script -qec '$heddle claims T31 --look' /dev/null </dev/null | grep -q '${esc}\[3[12]m'"
finish
