#!/bin/bash
# heddle diff: its output on small reports, word for word, its exit status, bad input: diffs.sh BUILD. Last line
# "N passed, N failed".
heddle=$(realpath "$1/heddle")
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
cd "$root" || exit 2
passed=0
failed=0

# check NAME STATUS EXPECTED ARGUMENTS...: `heddle diff ARGUMENTS` ends with that status and prints that.
check() {
  local name=$1 status=$2 expected=$3 got
  shift 3
  got=$("$heddle" diff "$@" 2>&1)
  if [ $? = "$status" ] && [ "$got" = "$expected" ]; then passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED $name:"
    diff <(echo "$expected") <(echo "$got")
  fi
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

check "largest first, with units, kernels added up" 0 "l1.ways                      4 -> 8
statistic                                  a               b       change  unit
l1d.misses                                 0               3       from 0  accesses
l1d.hits                                  10               5     -50.00 %  accesses
cycles                                  1000            1100     +10.00 %  core cycles

k
cycles                                  1000            1100     +10.00 %  core cycles
ipc                                   1.5000          1.3636      -9.09 %  instructions/cycle

5 of 9 numbers changed" a.json b.json
check "equal reports" 0 "no difference in 9 numbers" a.json a.json
check "equal reports under a threshold" 0 "no difference in 9 numbers" a.json a.json --threshold 0
check "above the threshold" 1 "l1.ways                      4 -> 8
statistic                                  a               b       change  unit
cycles                                  1000            1100     +10.00 %  core cycles

k
cycles                                  1000            1100     +10.00 %  core cycles

2 of 2 numbers changed by more than 9.9 %" a.json b.json --only cycles --threshold 9.9%
check "not above the threshold" 0 "l1.ways                      4 -> 8
0 of 2 numbers changed by more than 10 %" a.json b.json --only cycles --threshold 10
check "a kernel that is gone, and a new one" 1 "statistic                                  a               b       change  unit

k
cycles                                  1000               -         gone  core cycles

other
cycles                                     -            1000          new  core cycles

2 of 3 numbers changed by more than 50 %" a.json c.json --only cycles --threshold 50
check "an unknown name" 2 "heddle: neither report has 'cycle'; \`heddle list stats\` shows the names" a.json b.json --only cycle
check "a bad threshold" 2 "heddle: --threshold is a number of percent, not '-3'" a.json b.json --threshold -3
check "one report" 2 "heddle: two reports are expected; \`heddle diff --help\` says more" a.json
echo '{"cycles": 3}' >other.json
check "not a report" 2 "heddle: 'other.json' is not a report of \`heddle run --json\`" a.json other.json
check "no file" 2 "heddle: cannot read the report 'none.json': unable to open none.json: No such file or directory" a.json none.json

"$heddle" run vectoradd --quiet --json one.json >/dev/null 2>&1
"$heddle" run vectoradd --quiet --json two.json >/dev/null 2>&1
numbers=$("$heddle" diff one.json two.json | sed -n 's/^no difference in \([0-9]*\) numbers$/\1/p')
if [ "${numbers:-0}" -gt 100 ]; then passed=$((passed + 1))
else
  failed=$((failed + 1))
  echo "FAILED the same run twice:"
  "$heddle" diff one.json two.json | head -n 5
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
