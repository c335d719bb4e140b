#!/bin/sh
# heddle characterize and --probe from a shell: figures, JSON, pictures, mistakes, and that probes change nothing and do
# not depend on the number of threads. characterize.sh BUILD. Last line "N passed, N failed".
build=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
passed=0
failed=0
check() { # NAME COMMAND...
  name=$1
  shift
  if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $name"; fi
}
run() { "$build/heddle" "$@" >"$dir/out" 2>"$dir/err"; }
fails_with() { # STATUS TEXT ARGUMENTS...
  want=$1 text=$2
  shift 2
  run "$@"
  [ $? -eq "$want" ] && grep -q -- "$text" "$dir/err"
}
probes() { sed -n '/^  "probes": {/,/^  }/p' "$1"; }
cycles() { sed -n 's/^  "cycles": \([0-9]*\),$/\1/p' "$1"; }

check "a table, JSON and an SVG" run characterize vectoradd kmn --json "$dir/a.json" -o "$dir/a.svg"
check "loads of vectoradd are coalesced" grep -Eq '^vectoradd +100.0 % +0.0 %' "$dir/out"
check "half of the loads of kmn are not" grep -Eq '^kmn +50.0 % +0.0 % +0.0 % +0.0 % +50.0 %' "$dir/out"
check "the picture is an SVG" grep -q '^<svg xmlns' "$dir/a.svg"
check "with a map of the SMs" grep -q 'darkest' "$dir/a.svg"
check "HTML on demand" run characterize vectoradd --probe mix -o "$dir/a.html"
check "the page has the picture" grep -q '<svg' "$dir/a.html"
run run vectoradd --quiet --probe mix --json "$dir/m.json"
check "the probe asked for" grep -q '"mean_lanes"' "$dir/m.json"
check "and no other" sh -c "! grep -q quarter_of_reused '$dir/m.json'"
check "an unknown probe offers the nearest" fails_with 2 "did you mean 'lines'" run vectoradd --probe line
check "probes need time" fails_with 2 "need a timed run" run vectoradd --probe lines --functional
check "no workload" fails_with 2 "workloads are expected" characterize
check "an unknown workload offers the nearest" fails_with 2 "kmeans" characterize kmens
check "a size too large for the memory is refused" sh -c "'$build/heddle' run vectoradd --size medium --set gpu.memory=1M >'$dir/out'; [ \$? -eq 2 ]"
check "with both numbers" grep -q "at least [0-9]* bytes of device memory, the device has 1048576" "$dir/out"

check "a file of something else" fails_with 2 "is no file of" characterize --show "$0"

run run spmv --quiet --json "$dir/off.json"
run run spmv --quiet --probe all --json "$dir/one.json"
run run spmv --quiet --probe all --threads 2 --json "$dir/two.json"
check "as many cycles with probes as without" [ "$(cycles "$dir/off.json")" = "$(cycles "$dir/one.json")" ]
probes "$dir/one.json" >"$dir/one"
probes "$dir/two.json" >"$dir/two"
check "there are figures" [ -s "$dir/one" ]
check "the same with two threads" cmp -s "$dir/one" "$dir/two"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
