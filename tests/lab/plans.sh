#!/bin/sh
# The plans of plans/ are read and expand to runs that the present keys, presets and workloads know: plans.sh BUILD.
# Nothing is run: each is written out as a job array. Last line "N passed, N failed".
build=$1
. "$(dirname "$0")/../lib/checks.sh"
for plan in plans/*.toml; do
  name=$(basename "$plan" .toml)
  check "$plan" answers 0 "^[1-9][0-9]* runs in " "$build/heddle" sweep "$plan" --slurm "$root/$name"
  check "$plan is in the README" grep -q "\`$name\`" plans/README.md
done
finish
