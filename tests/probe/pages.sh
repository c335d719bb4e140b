#!/bin/sh
# What is "measured here" on the workloads' pages is of the workloads and the timing that there are: pages.sh BUILD. Last line "N passed, N failed".
build=$(cd "${1:-build}" && pwd) || exit 2
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib/checks.sh"
cd "$here/../.." || exit 2
tool=tools/workload_pages.sh

"$tool" "$build" --check >"$root/check"
grep -v ' passed, ' "$root/check"
passed "$(sed -n 's/^\([0-9]*\) passed, .*/\1/p' "$root/check")" "$(sed -n 's/.* passed, \([0-9]*\) failed$/\1/p' "$root/check")"

# What a check would find, in records that are not right.
timing=$(grep "^gtx480	" results/timing.tsv | cksum | cut -d ' ' -f 1)
grep -l '^\*\*Measured here' workloads/*/*.md | xargs -n 1 sed -n '1s/^# \([^ ]*\) .*/\1/p' | LC_ALL=C sort >"$root/lines"
LD_LIBRARY_PATH="$build/lib" "$build/heddle-workloads" list --stamps | sed "s/\$/-$timing/" | LC_ALL=C sort >"$root/all"
LC_ALL=C join -t '	' "$root/lines" "$root/all" >"$root/r"
check "there are lines" test -s "$root/r"
export RECORD="$root/r"
check "a record of what there is" answers 0 "^$(wc -l <"$root/r") passed, 0 failed" "$tool" "$build" --check
sed 's/^nn	.*/nn	0-0/' "$root/r" >"$root/s"
RECORD=$root/s
check "a workload or a timing that has changed" answers 1 "^nn: what was measured here is of another" "$tool" "$build" --check
grep -v '^nn	' "$root/r" >"$root/s"
check "a line that is not recorded" answers 0 "^of [0-9]* workloads it is not recorded" "$tool" "$build" --check
finish
