#!/bin/sh
# Writes what `heddle characterize` measured on gtx480 at size medium into the workloads' pages, as one line "Measured here" at the end of each
# workloads/*/NAME.md, and records in results/pages.tsv of what it is: the workload's stamp and the version of the timing of gtx480.
#
#   workload_pages.sh BUILD             the pages whose line is missing or of something else than there is now
#   workload_pages.sh BUILD NAME...     these, whatever is recorded
#   workload_pages.sh BUILD --check     runs nothing: whether each line that is recorded is of the present workload and timing, and how many are not
#                                       recorded. Last line "N passed, N failed"
#
# JOBS workloads are measured at a time (1); each page and its line of the record are written as soon as it is measured.
set -u
if [ $# -lt 1 ]; then sed -n '2,/^set/p' "$0" | sed -e '/^set/d' -e 's/^# \{0,1\}//' >&2; exit 2; fi
build=$(cd "$1" && pwd) || exit 2
cd "$(dirname "$0")/.." || exit 2
shift
record=${RECORD:-results/pages.tsv}
size=medium
tab=$(printf '\t')
timing=$(grep "^gtx480$tab" results/timing.tsv | cksum | cut -d ' ' -f 1)
[ -e "$record" ] || : >"$record"
stamps=$(LD_LIBRARY_PATH="$build/lib" "$build/heddle-workloads" list --stamps) || exit 2

names() { echo "$stamps" | cut -f1; }
pages=$(awk 'FNR == 1 && sub(/^# /, "") { print $1 "\t" FILENAME }' workloads/*/*.md)
page_of() { echo "$pages" | awk -F'\t' -v n="$1" '$1 == n { print $2 }'; }
has_line() { grep -q '^\*\*Measured here\*\*' "$(page_of "$1")"; }
state_of() { echo "$(echo "$stamps" | awk -F'\t' -v n="$1" '$1 == n { print $2 }')-$timing"; }
is_fresh() { has_line "$1" && grep -qxF -- "$1$tab$(state_of "$1")" "$record"; }

write_line() { # write_line PAGE JSON
  "$build/heddle" characterize --show "$2" | sed -n '4,/^$/p' | sed -e 's/ %/%/g' -e '/^$/d' | {
    read -r _ l1 l2 degree used reuse shared kib || exit 1
    sed -i -e '/^\*\*Measured here\*\*/,$d' "$1"
    sed -i -e :a -e '/^\n*$/{$d;N;ba' -e '}' "$1"
    printf '\n**Measured here** (gtx480, %s): %s of L1D reads and %s of L2 accesses hit; %s of loads touch more than two\nlines; %s of a line is used before eviction; %s of L1D misses lie in another SM'"'"'s L1D; %s of L2 lines are touched by\nseveral clusters within 1,000 cycles; loads touch %s KiB.\n' \
      "$size" "$l1" "$l2" "$degree" "$used" "$reuse" "$shared" "$kib" | sed 's/\([0-9]\)%/\1 %/g' >>"$1"
  }
}
note() { # note NAME: in the record, which several may write
  (
    flock 9
    { grep -v "^$1$tab" "$record"; printf '%s\t%s\n' "$1" "$(state_of "$1")"; } | LC_ALL=C sort >"$record.new" && mv "$record.new" "$record"
  ) 9<tools/workload_pages.sh
}

case ${1:-} in
--check)
  passed=0 failed=0 unknown=0
  for name in $(names); do
    if ! grep -q "^$name$tab" "$record"; then unknown=$((unknown + 1))
    elif is_fresh "$name"; then passed=$((passed + 1))
    else
      echo "$name: what was measured here is of another workload or timing; tools/workload_pages.sh $build $name"
      failed=$((failed + 1))
    fi
  done
  [ "$unknown" -eq 0 ] || echo "of $unknown workloads it is not recorded what their page's line is of"
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ]
  exit
  ;;
--one) # --one NAME
  json=$(mktemp) || exit 2
  trap 'rm -f "$json"' EXIT
  page=$(page_of "$2")
  [ -n "$page" ] || { echo "workload_pages: there is no page of $2" >&2; exit 2; }
  "$build/heddle" characterize "$2" --size "$size" --json "$json" >/dev/null && write_line "$page" "$json" && note "$2" && echo "$2"
  exit
  ;;
esac

if [ $# -gt 0 ]; then chosen=$*
else chosen=$(for name in $(names); do is_fresh "$name" || echo "$name"; done)
fi
# shellcheck disable=SC2086
[ -z "$chosen" ] || printf '%s\n' $chosen | xargs -P "${JOBS:-1}" -I NAME "$PWD/tools/workload_pages.sh" "$build" --one NAME
