#!/bin/sh
# Every built-in workload under `heddle check`: its output is right and nothing is found but what workloads/check.suppressions explains.
# check_workloads.sh BUILD [--medium] [NAME...]; the last line is "N passed, N failed".
build=$1
shift
size=small
if [ "${1-}" = --medium ]; then size=medium; shift; fi
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
[ $# -gt 0 ] || set -- $("$build/heddle" list workloads --tsv | cut -f 1)
printf '%s\n' "$@" | xargs -P "$(nproc)" -I NAME sh -c \
  "if '$build/heddle' check NAME --size $size >'$logs/NAME' 2>&1; then rm '$logs/NAME'; fi; :"
failed=0
for log in "$logs"/*; do
  [ -e "$log" ] || break
  failed=$((failed + 1))
  echo "$(basename "$log"):"
  head -n 12 "$log"
done
echo "$(($# - failed)) passed, $failed failed"
[ "$failed" -eq 0 ] && [ $# -gt 0 ]
