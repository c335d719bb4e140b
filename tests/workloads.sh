#!/bin/sh
# Every workload at size small, values only: each checks its own output. Last line "N passed, N failed".
build=$1
passed=0
failed=0
for name in $("$build/heddle" list workloads --tsv | cut -f 1); do
  if "$build/heddle" run "$name" --functional --quiet >"$build/workload.log" 2>&1; then passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "$name:"
    tail -n 5 "$build/workload.log"
  fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
