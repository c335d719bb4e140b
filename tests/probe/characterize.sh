#!/bin/sh
# heddle characterize and --probe from a shell: figures, JSON, pictures, mistakes, and that probes change nothing and do
# not depend on the number of threads. characterize.sh BUILD. Last line "N passed, N failed".
build=$1
. "$(dirname "$0")/../lib/checks.sh"
log=$root/err
run() { "$build/heddle" "$@" >"$root/out" 2>"$root/err"; }
fails_with() { # STATUS TEXT ARGUMENTS...
  want=$1 text=$2
  shift 2
  answers "$want" "$text" "$build/heddle" "$@"
}
probes() { sed -n '/^  "probes": {/,/^  }/p' "$1"; }
cycles() { sed -n 's/^  "cycles": \([0-9]*\),$/\1/p' "$1"; }

check "a table, JSON and an SVG" run characterize vectoradd kmn --json "$root/a.json" -o "$root/a.svg"
check "loads of vectoradd are coalesced" grep -Eq '^vectoradd +100.0 % +0.0 %' "$root/out"
check "half of the loads of kmn are not" grep -Eq '^kmn +50.0 % +0.0 % +0.0 % +0.0 % +50.0 %' "$root/out"
check "the picture is an SVG" grep -q '^<svg xmlns' "$root/a.svg"
check "with a map of the SMs" grep -q 'darkest' "$root/a.svg"
check "HTML on demand" run characterize vectoradd --probe mix -o "$root/a.html"
check "the page has the picture" grep -q '<svg' "$root/a.html"
run run vectoradd --quiet --probe mix --json "$root/m.json"
check "the probe asked for" grep -q '"mean_lanes"' "$root/m.json"
check "and no other" sh -c "! grep -q quarter_of_reused '$root/m.json'"
check "an unknown probe offers the nearest" fails_with 2 "did you mean 'lines'" run vectoradd --probe line
check "probes need time" fails_with 2 "need a timed run" run vectoradd --probe lines --functional
check "no workload" fails_with 2 "workloads are expected" characterize
check "an unknown workload offers the nearest" fails_with 2 "kmeans" characterize kmens
check "a size too large for the memory is refused" sh -c "'$build/heddle' run vectoradd --size medium --set gpu.memory=1M >'$root/out'; [ \$? -eq 2 ]"
check "with both numbers" grep -q "at least [0-9]* bytes of device memory, the device has 1048576" "$root/out"

check "a file of something else" fails_with 2 "is no file of" characterize --show "$0"

run run spmv --quiet --json "$root/off.json"
run run spmv --quiet --probe all --json "$root/one.json"
run run spmv --quiet --probe all --threads 2 --set gpu.all_threads=true --json "$root/two.json"
check "as many cycles with probes as without" [ "$(cycles "$root/off.json")" = "$(cycles "$root/one.json")" ]
probes "$root/one.json" >"$root/one"
probes "$root/two.json" >"$root/two"
check "there are figures" [ -s "$root/one" ]
check "the same with two threads" cmp -s "$root/one" "$root/two"

finish
