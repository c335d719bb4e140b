#!/bin/sh
# Every workload at size small, values only, as many at once as there are cores: each checks its own output.
# workloads.sh BUILD [NAME...]. Last line "N passed, N failed".
build=$1
shift
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
[ $# -gt 0 ] || set -- $("$build/heddle" list workloads --tsv | cut -f 1)
printf '%s\n' "$@" | xargs -P "$(nproc)" -I NAME sh -c \
  "if '$build/heddle' run NAME --functional --quiet >'$logs/NAME' 2>&1; then rm '$logs/NAME'; fi; :"
failed=0
for log in "$logs"/*; do
  [ -e "$log" ] || break
  failed=$((failed + 1))
  echo "$(basename "$log"):"
  tail -n 5 "$log"
done
echo "$(($# - failed)) passed, $failed failed"
[ "$failed" -eq 0 ] && [ $# -gt 0 ]
