#!/bin/bash
# heddle diff: its output on small reports, word for word, its exit status, bad input: diffs.sh BUILD. Last line
# "N passed, N failed".
heddle=$(realpath "$1/heddle")
. "$(dirname "$0")/../lib/checks.sh"
cd "$root" || exit 2

prints() { # prints STATUS EXPECTED ARGUMENTS...: `heddle diff ARGUMENTS` ends with that status and prints that
  local status=$1 expected=$2 got
  shift 2
  got=$("$heddle" diff "$@" 2>&1)
  [ $? = "$status" ] && diff <(echo "$expected") <(echo "$got")
}

cat >a.json <<'END'
{"program": "bfs", "gpu": "gtx480", "mode": "timed", "cycles": 1000, "warp_instructions": 50, "ipc": 1.5,
 "l1d": {"hits": 10, "misses": 0}, "config": {"l1.ways": "4"}, "host": {"seconds": 1.0},
 "kernels": [{"name": "k", "cycles": 400, "thread_instructions": 800, "ipc": 2.0},
             {"name": "k", "cycles": 600, "thread_instructions": 700, "ipc": 1.1667}]}
END
sed -e 's/"cycles": 1000/"cycles": 1100/; s/"cycles": 600/"cycles": 700/; s/"misses": 0/"misses": 3/; s/"4"/"8"/; s/"hits": 10/"hits": 5/' \
    -e 's/"seconds": 1.0/"seconds": 9.0/' a.json >b.json
sed 's/"k"/"other"/' a.json >c.json

check "cycles, then the largest first, with units, kernels added up" prints 0 "l1.ways                      4 -> 8
statistic                                  a               b       change  unit
cycles                                  1000            1100     +10.00 %  core cycles
l1d.misses                                 0               3       from 0  accesses
l1d.hits                                  10               5     -50.00 %  accesses

k
cycles                                  1000            1100     +10.00 %  core cycles
ipc                                   1.5000          1.3636      -9.09 %  instructions/cycle

5 of 9 numbers changed" a.json b.json
check "equal reports" prints 0 "no difference in 9 numbers" a.json a.json
check "equal reports under a threshold" prints 0 "no difference in 9 numbers" a.json a.json --threshold 0
check "above the threshold" prints 1 "l1.ways                      4 -> 8
statistic                                  a               b       change  unit
cycles                                  1000            1100     +10.00 %  core cycles

k
cycles                                  1000            1100     +10.00 %  core cycles

2 of 2 numbers changed by more than 9.9 %" a.json b.json --only cycles --threshold 9.9%
check "not above the threshold" prints 0 "l1.ways                      4 -> 8
0 of 2 numbers changed by more than 10 %" a.json b.json --only cycles --threshold 10
check "a kernel that is gone, and a new one" prints 1 "statistic                                  a               b       change  unit

k
cycles                                  1000               -         gone  core cycles

other
cycles                                     -            1000          new  core cycles

2 of 3 numbers changed by more than 50 %" a.json c.json --only cycles --threshold 50
check "an unknown name" prints 2 "heddle: neither report has 'cycle'; \`heddle list stats\` shows the names" a.json b.json --only cycle
check "a bad threshold" prints 2 "heddle: --threshold is a number of percent, not '-3'" a.json b.json --threshold -3
check "one report" prints 2 "heddle: two reports are expected; \`heddle diff --help\` says more" a.json
echo '{"cycles": 3}' >other.json
check "not a report" prints 2 "heddle: 'other.json' is not a report of \`heddle run --json\`" a.json other.json
check "no file" prints 2 "heddle: cannot read the report 'none.json': unable to open none.json: No such file or directory" a.json none.json

"$heddle" run vectoradd --quiet --json one.json >/dev/null 2>&1
"$heddle" run vectoradd --quiet --json two.json >/dev/null 2>&1
"$heddle" run vectoradd --gpu h200 --quiet --json far.json >/dev/null 2>&1
"$heddle" diff one.json far.json --all | sed '1,/^statistic/d' | grep -E ' %|new|gone|from 0' >rows
check "there are many rows" test "$(wc -l <rows)" -gt 100
check "every row has a unit" sh -c "! grep -E '( %|new|gone|from 0) *\$' rows"
numbers=$("$heddle" diff one.json two.json | sed -n 's/^no difference in \([0-9]*\) numbers$/\1/p')
check "the same run twice" test "${numbers:-0}" -gt 100
finish
