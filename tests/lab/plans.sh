#!/bin/sh
# The plans of plans/ are read and expand to runs that the present keys, presets and workloads know: plans.sh BUILD.
# Nothing is run: each is written out as a job array. Last line "N passed, N failed".
build=$1
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
passed=0
failed=0
for plan in plans/*.toml; do
  name=$(basename "$plan" .toml)
  if "$build/heddle" sweep "$plan" --slurm "$root/$name" >"$root/log" 2>&1 && grep -q "^[1-9][0-9]* runs in " "$root/log" &&
    grep -q "\`$name\`" plans/README.md; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED $plan:"
    cat "$root/log"
  fi
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
