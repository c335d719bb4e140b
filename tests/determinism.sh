#!/bin/sh
# The same program, configuration and seed give the same statistics, run after run and with any number of threads:
# determinism.sh BUILD. Compares everything in the JSON but the host's own figures. Last line "N passed, N failed".
build=$1
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
passed=0
failed=0
measure() { # measure FILE WORKLOAD OPTIONS...
  file=$1
  shift
  "$build/heddle" run "$@" --quiet --json "$file" >/dev/null 2>&1 || return 1
  sed -i -e '/"host": {/,/}/d' -e '/"gpu.threads"/d' "$file"
}
for name in vectoradd spmv bfs histogram; do
  if measure "$out/1" $name && measure "$out/2" $name && measure "$out/3" $name --threads 2 &&
     cmp -s "$out/1" "$out/2" && cmp -s "$out/1" "$out/3"; then passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "$name: runs differ"
    diff "$out/1" "$out/2" | head -n 5
    diff "$out/1" "$out/3" | head -n 5
  fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
