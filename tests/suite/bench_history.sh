#!/bin/sh
# What make bench says of a line of its history beside the one before: bench_history.sh BUILD. Last line "N passed, N failed".
bench=$(realpath "$1")/bench
. "$(dirname "$0")/../lib/checks.sh"
head='date\tcommit\tcpu\tarithmetic\tstream\tdivergent\tload_ms\tvecadd\tfma\tmatmul_naive\tkmeans\tgpgpusim_ratio'
row() { printf '%b\n' "$1" >>history; }
history() { # history LINE...: after the head
  : >history
  row "$head"
  for line in "$@"; do row "$line"; done
  "$bench" --compare history >out 2>&1
}
says() { grep -q -- "$1" out || { cat out; return 1; }; }
cd "$root" || exit 2
one='2026-01-01\taaaa\tCPU 1\t100\t200\t300\t8.0\t10\t20\t30\t40\t100'
other='2026-01-02\tbbbb\tCPU 2\t900\t900\t900\t1.0\t90\t90\t90\t90\t900'
history "$one" "$other" '2026-01-03\tcccc\tCPU 1\t90\t200\t300\t8.8\t10\t20\t30\t40\t100'
check "beside the last line of the same CPU" says 'worse than aaaa of 2026-01-01'
check "a rate that fell" says 'arithmetic  *100 -> 90  *10.0 %'
check "a time that grew" says 'load_ms  *8.0 -> 8.8  *10.0 %'
check "and nothing else" sh -c '[ "$(grep -c -- "->" out)" = 2 ]'
history "$one" '2026-01-03\tcccc\tCPU 1\t97.5\t250\t300\t8.2\t10\t20\t30\t40\t'
check "three percent are nothing, nor is what was not measured" says 'nothing is more than 3 % worse than aaaa'
history "$one" "$other"
check "a CPU that is new has nothing beside it" sh -c '! [ -s out ]'
check "a file that is not there is an error" sh -c "! '$bench' --compare nowhere 2>out && grep -q 'cannot read nowhere' out"
finish
