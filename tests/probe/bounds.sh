#!/bin/sh
# Workloads do what the programs do that they stand for: bounds.sh BUILD. Every comparison with workloads/originals.tsv is recorded
# (results/bounds.tsv) with what was compared; here it is checked that whoever was inside all bounds still is, by a comparison of the present workload, rows, bounds and
# timing, and, of three workloads that change with the record, that a comparison made now says
# what is recorded. Last line "N passed, N failed".
build=$(cd "${1:-build}" && pwd) || exit 2
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib/checks.sh"
cd "$here/../.." || exit 2
tool=tools/originals_page.sh
record=results/bounds.tsv

"$tool" "$build" --check >"$root/check"
grep -v ' passed, ' "$root/check"
passed "$(sed -n 's/^\([0-9]*\) passed, .*/\1/p' "$root/check")" "$(sed -n 's/.* passed, \([0-9]*\) failed$/\1/p' "$root/check")"

sample=$("$tool" "$build" --sample)
check "there is a sample" test -n "$sample"
for name in $sample; do
  check "$name is inside all bounds" answers 0 "^${name%/*}: 0 figures are outside" "$tool" "$build" --compare "$name"
done

# What a check would find, in records that are not right.
finds() { # finds WORDS
  RECORD=$root/r answers 1 "$1" "$tool" "$build" --check
}
row() { awk -F '\t' -v OFS='\t' "\$1 == \"nn\" { $1 } 1" $record >"$root/r"; }
row '$3 = "0-0-0"'
check "a workload that has changed" finds "^nn/medium: .* have changed since"
row '$4 = 2'
check "a page that says otherwise" finds "^nn/medium: docs/originals.md says 0, .* 2"
row '$5 = "free"'
check "a workload that was let go" finds "^nn/medium: inside all bounds, and .* does not hold it"
grep -v '^nn	' $record >"$root/r"
check "a workload that is not recorded" finds "^nn/medium: docs/originals.md says 0, .* nothing"
{ cat $record; sed -n 's/^nn	/nobody	/p' $record; } >"$root/r"
check "a record without rows" finds "^nobody/medium: recorded in"
outside=$(awk -F '\t' '$4 ~ /^[1-9]/ { print $1; exit }' $record)
sed "s/^\($outside	.*	\)free	/\1held	/" $record >"$root/r"
check "a workload that is not inside any more" finds "^$outside/[a-z]*: it was inside all bounds and is not any more"
finish
