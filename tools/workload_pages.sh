#!/bin/sh
# Writes what `heddle characterize` measured into the workloads' pages: workload_pages.sh BUILD [SIZE [FOLDER]]
#
# Takes the files FOLDER/*.json of `heddle characterize --json` (default BUILD/pages-SIZE, SIZE default medium; what is not
# there is run first on gtx480) and puts one line "Measured here" at the end of each workloads/*/NAME.md.
set -eu
if [ $# -lt 1 ]; then sed -n '2,/^set/p' "$0" | sed -e '/^set/d' -e 's/^# \{0,1\}//' >&2; exit 2; fi
build=$1
size=${2:-medium}
folder=${3:-$build/pages-$size}
if [ ! -d "$folder" ]; then
  mkdir -p "$folder"
  "$build/heddle" list workloads --tsv | cut -f 1 | xargs -P "$(nproc)" -I NAME sh -c \
    "'$build/heddle' characterize NAME --size $size --json '$folder/NAME.json' >/dev/null || rm -f '$folder/NAME.json'"
fi
table=$(mktemp)
trap 'rm -f "$table"' EXIT
"$build/heddle" characterize --show "$folder"/*.json | sed -n '4,/^$/p' | sed -e 's/ %/%/g' -e '/^$/d' >"$table"
while read -r name l1 l2 degree used reuse shared kib; do
  page=$(grep -lF -- "# $name (" workloads/*/*.md | head -n 1)
  [ -n "$page" ] || { echo "workload_pages: there is no page of $name" >&2; continue; }
  sed -i -e '/^\*\*Measured here\*\*/,$d' "$page"
  sed -i -e :a -e '/^\n*$/{$d;N;ba' -e '}' "$page"
  printf '\n**Measured here** (gtx480, %s): %s of L1D reads and %s of L2 accesses hit; %s of loads touch more than two\nlines; %s of a line is used before eviction; %s of L1D misses lie in another SM'"'"'s L1D; %s of L2 lines are touched by\nseveral clusters within 1,000 cycles; loads touch %s KiB.\n' \
    "$size" "$l1" "$l2" "$degree" "$used" "$reuse" "$shared" "$kib" | sed 's/\([0-9]\)%/\1 %/g' >>"$page"
done <"$table"
