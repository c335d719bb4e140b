#!/bin/sh
# How many warp instructions each workload executes, for the bar of `heddle run`: instruction_table.sh BUILD [NAME...] runs them without timing
# and writes their rows of workloads/instructions.tsv; without names all. A run that takes longer than LIMIT seconds (120) has no row.
# instruction_table.sh BUILD --check [NAME...] compares at size small and writes nothing.
build=$(cd "${1:?instruction_table.sh BUILD [--check] [NAME...]}" && pwd) || exit 2
shift
cd "$(dirname "$0")/.." || exit 2
sizes="small medium paper" table=workloads/instructions.tsv check=
if [ "${1:-}" = --check ]; then shift; check=1 sizes=small; fi
[ $# -gt 0 ] || set -- $("$build/heddle" list workloads --tsv | cut -f 1)
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT
count() { # NAME SIZE
  timeout "${LIMIT:-120}" "$build/heddle" run "$1" --size "$2" --functional --quiet --json "$work/$1.$2" >/dev/null 2>&1 || return
  sed -n 's/^  "warp_instructions": \([0-9]*\),*$/\1/p' "$work/$1.$2"
}
failed=0 passed=0
for name in "$@"; do
  for size in $sizes; do
    n=$(count "$name" "$size")
    if [ -z "$check" ]; then [ -z "$n" ] || printf '%s\t%s\t%s\n' "$name" "$size" "$n" >>"$work/new"
    elif grep -qx "$name	$size	$n" $table; then passed=$((passed + 1))
    else
      failed=$((failed + 1))
      echo "FAILED $name, $size: $n warp instructions are not what $table has (tools/instruction_table.sh BUILD $name)"
    fi
  done
done
if [ -n "$check" ]; then
  echo "$passed passed, $failed failed"
  [ $failed -eq 0 ]
  exit
fi
{
  echo "# Warp instructions of the workloads, by name and size, for the bar of heddle run: tools/instruction_table.sh."
  { for name in "$@"; do echo "$name"; done >"$work/names"; grep -v '^#' $table 2>/dev/null | awk -F'\t' -v names="$work/names" '
      BEGIN { while ((getline n < names) > 0) made[n] = 1 } !($1 in made)'; cat "$work/new"; } | LC_ALL=C sort
} >"$work/table" && cp "$work/table" $table
