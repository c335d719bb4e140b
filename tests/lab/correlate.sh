#!/bin/sh
# heddle correlate as a user calls it, on the table of an H200 that lies in examples/: correlate.sh BUILD. Last line "N passed, N failed".
build=$(cd "${1:-build}" && pwd) || exit 2
here=$(cd "$(dirname "$0")" && pwd)
. "$(dirname "$0")/../lib/checks.sh"
cd "$root" || exit 2
log=out
table=$here/../../examples/ncu-lud.csv

check "a run to compare" "$build/heddle" run lud --gpu h200 --set gpu.cold_kernels=true --json run.json
"$build/heddle" correlate "$table" run.json --json c.json -o c.html >out 2>&1
check "it compares" test $? -eq 0
check "all sixteen launches" grep -q '^time  *16 ' out
check "bytes that come from L2 are those of the GPU" grep -q '^bytes from L2 to L1  *16  *0.0 %' out
check "the farthest are named" grep -q '^lud_[a-z]*, launch [0-9]' out
check "no hint about cold caches" sh -c '! grep -q cold_kernels out'
check "JSON has every pair" test "$(grep -c '"kernel": "lud_' c.json)" -eq 16
check "the page has a plot for each quantity" test "$(grep -c '<figure>' c.html)" -eq 9
check "and a mark for each launch" test "$(grep -o '<circle' c.html | wc -l)" -eq 144
"$build/heddle" run lud --gpu h200 --json warm.json >/dev/null 2>&1
"$build/heddle" correlate "$table" warm.json >out 2>&1
check "a hint where caches were kept" grep -q 'gpu.cold_kernels=true' out
check "a file that is no table" answers 2 "holds no launches" "$build/heddle" correlate run.json run.json
check "a file that is not there" answers 2 "cannot read 'nowhere.csv'" "$build/heddle" correlate nowhere.csv run.json
check "a report that is none" answers 2 "is not a report" "$build/heddle" correlate "$table" c.json
echo '{"cycles": 1, "kernels": [{"name": 3}]}' >nameless.json
check "kernels without names" answers 2 "is not a report" "$build/heddle" correlate "$table" nameless.json
check "too few files" answers 2 "usage: heddle correlate" "$build/heddle" correlate "$table"

finish
