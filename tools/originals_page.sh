#!/bin/sh
# Compares workloads that have rows in workloads/originals.tsv with them, records the outcome in results/bounds.tsv, and writes the tables
# of docs/originals.md, between its two marks.
#
#   originals_page.sh BUILD             the comparisons whose outcome is not recorded of what they are now
#   originals_page.sh BUILD NAME...     those of these workloads, whatever is recorded; NAME/SIZE: the one at that size
#   originals_page.sh BUILD --all       all
#   originals_page.sh BUILD --check     runs nothing: whether those that are held inside their bounds are, and were compared as they are now,
#                                       and whether the page says what is recorded. Last line "N passed, N failed"
#   originals_page.sh BUILD --sample    names of workloads that are held and quickly compared: those that the suite compares for real
#   originals_page.sh BUILD --compare NAME[/SIZE]   what heddle says of one, as it is recorded
#
# A workload with rows of several sizes is compared at medium, or at the size that there is; and, where that is another and it has rows of it, at
# size paper without timing (heddle characterize --functional). Where the rows' input names registers an SM, with
# as many. LIMIT is the most seconds of a core for a comparison (3,600); one that takes longer is not made. JOBS comparisons are made at a time (1).
# RECORD is another record. Exit status 1 if a figure of a workload that is held is outside its bounds.
#
# A line of the record: workload, size, what was compared (the workload's stamp, the version of the timing of gtx480 or "functional", the rows
# and bounds, as checksums), figures outside ("-": not compared), whether it is held inside its bounds, whether a comparison is quick (six seconds of a core).
# A workload is held once it was inside; who lets it go changes the record by hand, for a reason that its page gives.
set -u
build=$(cd "${1:?usage: tools/originals_page.sh BUILD [--all|--check|--sample|--compare NAME[/SIZE]|NAME[/SIZE]...]}" && pwd) || exit 2
cd "$(dirname "$0")/.." || exit 2
shift
page=docs/originals.md
rows=workloads/originals.tsv
record=${RECORD:-results/bounds.tsv}
tab=$(printf '\t')
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP

units() { # comparisons, as NAME/SIZE: a workload's own first
  awk -F'\t' 'NR > 1 { has[$1, $2]; all[$1] }
    END {
      for (n in all) {
        size = ((n, "medium") in has) ? "medium" : ((n, "small") in has) ? "small" : "paper"
        print n "/" size
        if (size != "paper" && ((n, "paper") in has)) print n "/paper"
      }
    }' "$rows" | LC_ALL=C sort -t / -k 1,1 -k 2,2
}
units >"$work/units"
unit_of() { # the comparison that NAME or NAME/SIZE asks for
  case $1 in
  */*) echo "$1" ;;
  *) grep "^$1/" "$work/units" | head -1 ;;
  esac
}
is_timed() { # of two comparisons of a workload the one that is not of size paper
  [ "${1#*/}" != paper ] || [ "$(grep -c "^${1%/*}/" "$work/units")" -eq 1 ]
}
compare_now() { # compare_now UNIT: what heddle says
  name=${1%/*} size=${1#*/}
  registers=$(sed -n "s/^$name\t$size\t[^\t]*\t[^\t]*\t[^\t]*; \([0-9,]*\) registers\t.*/\1/p" "$rows" | head -1 | tr -d ,)
  functional=--functional
  is_timed "$1" && functional=
  (
    ulimit -t "${LIMIT:-3600}"
    "$build/heddle" characterize "$name" --size "$size" $functional ${registers:+--set sm.registers=$registers} --against "$rows"
  )
}
LD_LIBRARY_PATH="$build/lib" "$build/heddle-workloads" list --stamps >"$work/stamps" || exit 2
timing=$(grep "^gtx480$tab" results/timing.tsv | cksum | cut -d ' ' -f 1)
bounds=$(grep -o '"[a-z0-9_]*", \(EQUAL\|RELATIVE\|POINTS\|SHOWN\), [0-9.]*' "$(find src/cli -name behaviour.c)" | cksum | cut -d ' ' -f 1)
state_of() { # state_of UNIT: size and what would be compared
  name=${1%/*} size=${1#*/} how=functional
  is_timed "$1" && how=$timing
  printf '%s\t%s-%s-%s' "$size" "$(sed -n "s/^$name\t//p" "$work/stamps")" "$how" \
    "$(awk -F'\t' -v n="$name" -v s="$size" -v b="$bounds" 'NR == 1 || ($1 == n && $2 == s) { print } END { print b }' "$rows" | cksum | cut -d ' ' -f 1)"
}
recorded() { # recorded UNIT COLUMN
  awk -F'\t' -v u="$1" -v c="$2" '$1 "/" $2 == u { print $c }' "$record"
}
is_recorded() { [ "$(recorded "$1" 2)$tab$(recorded "$1" 3)" = "$(state_of "$1")" ]; }

case ${1:-} in
--compare)
  compare_now "$(unit_of "$2")"
  exit
  ;;
--sample)
  # Others whenever the record changes.
  awk -F'\t' '$5 == "held" && $6 == "quick" { print $1 "/" $2 }' "$record" >"$work/quick"
  n=$(wc -l <"$work/quick")
  [ "$n" -gt 0 ] || exit 1
  turn=$(cksum <"$record" | cut -d ' ' -f 1)
  for k in 0 1 2; do sed -n "$(((turn + k * (n / 3 + 1)) % n + 1))p" "$work/quick"; done | LC_ALL=C sort -u
  exit
  ;;
--check)
  passed=0 failed=0
  complain() { echo "$*"; failed=$((failed + 1)); }
  while read -r unit; do
    outside=$(recorded "$unit" 4) held=$(recorded "$unit" 5)
    said=$(sed -n "s/^| ${unit%/*} | [^|]* | ${unit#*/} | [0-9]* | \([^|]*\) |.*/\1/p" "$page" | sed 's/^not compared$/-/')
    if [ -z "$outside" ] || [ "$said" != "$outside" ]; then complain "$unit: $page says ${said:-nothing}, $record ${outside:-nothing}; tools/originals_page.sh $build $unit"
    elif [ "$said" = 0 ] && [ "$held" != held ]; then complain "$unit: inside all bounds, and $record does not hold it there"
    elif [ "$held" = held ] && [ "$outside" != 0 ]; then
      complain "$unit: it was inside all bounds and is not any more ($outside outside); tools/originals_page.sh $build --compare $unit says where"
    elif [ "$held" = held ] && ! is_recorded "$unit"; then
      complain "$unit: it, its rows, the bounds or the timing have changed since it was compared; tools/originals_page.sh $build $unit"
    else passed=$((passed + 1)); fi
  done <"$work/units"
  for unit in $(grep -v '^#' "$record" | cut -f1,2 | tr '\t' /); do
    grep -qx "$unit" "$work/units" || complain "$unit: recorded in $record, but $rows has no row of it"
  done
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ]
  exit
  ;;
--one) # --one UNIT FOLDER: a row of the tables and a line of the record
  unit=$2 folder=$3 file=$3/$(echo "$2" | tr / .)
  compare_now "$unit" >"$file.out" 2>&1
  times >"$file.times" # of this shell, then of what it has run
  seconds=$(awk -F'[ms]' 'NR == 2 { print int($1 * 60 + $2) }' "$file.times")
  awk -v name="${unit%/*}" -v size="${unit#*/}" -v suite="$(awk -F'\t' -v n="${unit%/*}" '$1 == n { print $4; exit }' "$rows")" '
    function add(text) { n++; if (n <= 6) what = what (what ? ", " : "") text }
    / beside its original/ { kernel = $2; sub(/,$/, "", kernel); kernels++; next }
    /: not launched  outside$/ { sub(/:$/, "", $2); add($2 " is not launched"); next }
    /: the originals have no row of it  outside$/ { sub(/:$/, "", $2); add($2 " has no row"); next }
    /  outside$/ { add($1 " of " kernel) }
    / figures? (is|are) outside/ { whole = 1 }
    END {
      if (!whole) what = ""
      printf "| %s | %s | %s | %d | %s | %s |\n", name, suite, size, kernels, whole ? n + 0 : "not compared", what (whole && n > 6 ? ", ..." : "")
    }' "$file.out" >"$file.row"
  outside=$(awk -F' [|] ' '{ print $5 == "not compared" ? "-" : $5 }' "$file.row")
  held=$(recorded "$unit" 5)
  [ "$outside" = 0 ] && held=held
  quick=slow
  [ "$seconds" -le 5 ] && quick=quick
  printf '%s\t%s\t%s\t%s\t%s\n' "${unit%/*}" "$(state_of "$unit")" "$outside" "${held:-free}" "$quick" >"$file.line"
  cat "$file.row" >&2
  exit
  ;;
esac

[ -e "$record" ] || : >"$record"
if [ "${1:-}" = --all ]; then cp "$work/units" "$work/chosen"
elif [ $# -gt 0 ]; then
  for asked; do
    grep -e "^$asked/" -e "^$asked\$" "$work/units" >>"$work/chosen" || { echo "$rows has no row of $asked" >&2; exit 2; }
  done
else while read -r unit; do is_recorded "$unit" || echo "$unit"; done <"$work/units" >"$work/chosen"
fi
[ ! -s "$work/chosen" ] || xargs -P "${JOBS:-1}" -I UNIT "$PWD/tools/originals_page.sh" "$build" --one UNIT "$work" <"$work/chosen"
while read -r unit; do
  file=$work/$(echo "$unit" | tr / .) to=$work/table.paper
  is_timed "$unit" && to=$work/table
  if [ -e "$file.line" ]; then cat "$file.line"; else grep "^${unit%/*}$tab${unit#*/}$tab" "$record"; fi >>"$work/record"
  if [ -e "$file.row" ]; then cat "$file.row"; else sed -n "/^| ${unit%/*} | [^|]* | ${unit#*/} | /p" "$page" | head -1; fi >>"$to"
done <"$work/units"
{
  echo "# Workloads beside their originals, by tools/originals_page.sh, whose head says what the columns are."
  cat "$work/record"
} >"$work/whole" && cp "$work/whole" "$record"
show_table() { # show_table FILE WORDS: the table, and how many of it are inside
  [ -s "$1" ] || return
  printf '| workload | suite | size compared | kernels | figures outside | which |\n|---|---|---|---|---|---|\n'
  cat "$1"
  printf '\n**%d of %d %s**\n\n' "$(awk -F' [|] ' '$5 == "0" { n++ } END { print n + 0 }' "$1")" "$(wc -l <"$1")" "$2"
}
{
  echo
  show_table "$work/table" "workloads that have rows are inside all bounds."
  [ ! -s "$work/table.paper" ] || printf '## Size paper\n\nMeasured without timing: all columns except hits, sharing between SMs and reuse distances.\n\n'
  show_table "$work/table.paper" "workloads that have rows of size paper are inside all bounds that are compared there."
} >"$work/tables"
awk -v tables="$work/tables" '
  /^<!-- table -->$/ { print; while ((getline line < tables) > 0) print line; skip = 1 }
  /^<!-- end -->$/ { skip = 0 }
  !skip { print }' "$page" >"$work/page" && cp "$work/page" "$page"
! awk -F'\t' '$5 == "held" && $4 != "0" { print $1 "/" $2 " was inside all bounds and is not any more"; found = 1 } END { exit !found }' "$record"
