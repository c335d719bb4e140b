#!/bin/sh
# Compares workloads that have rows in workloads/originals.tsv with them, records the outcome in results/bounds.tsv, and writes the table
# of docs/originals.md, between its two marks.
#
#   originals_page.sh BUILD             the workloads whose outcome is not recorded of what they are now
#   originals_page.sh BUILD NAME...     these, whatever is recorded
#   originals_page.sh BUILD --all       all
#   originals_page.sh BUILD --check     runs nothing: whether those that are held inside their bounds are, and were compared as they are now,
#                                       and whether the page says what is recorded. Last line "N passed, N failed"
#   originals_page.sh BUILD --sample    names of workloads that are held and quickly compared: those that the suite compares for real
#   originals_page.sh BUILD --compare NAME   what heddle says of one, as it is recorded
#
# A workload with rows of several sizes is compared at medium, or at the size that there is; where the rows' input names registers an SM, with
# as many. LIMIT is the most seconds of a core for a workload (3,600); one that takes longer is not compared. JOBS comparisons are made at a time (1).
# RECORD is another record. Exit status 1 if a figure of a workload that is held is outside its bounds.
#
# A line of the record: workload, size, what was compared (the workload's stamp, the version of the timing of gtx480, the rows and bounds, as
# checksums), figures outside ("-": not compared), whether it is held inside its bounds, whether a comparison is quick (six seconds of a core).
# A workload is held once it was inside; who lets it go changes the record by hand, for a reason that its page gives.
set -u
build=$(cd "${1:?usage: tools/originals_page.sh BUILD [--all|--check|--sample|--compare NAME|NAME...]}" && pwd) || exit 2
cd "$(dirname "$0")/.." || exit 2
shift
page=docs/originals.md
rows=workloads/originals.tsv
record=${RECORD:-results/bounds.tsv}
tab=$(printf '\t')
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP

names() { tail -n +2 "$rows" | cut -f1 | LC_ALL=C sort -u; }
size_of() { # the size that is compared
  awk -F'\t' -v n="$1" '$1 == n { s[$2] } END { print ("medium" in s) ? "medium" : ("small" in s) ? "small" : "paper" }' "$rows"
}
compare_now() { # compare_now NAME: what heddle says
  size=$(size_of "$1")
  registers=$(sed -n "s/^$1\t$size\t[^\t]*\t[^\t]*\t[^\t]*; \([0-9,]*\) registers\t.*/\1/p" "$rows" | head -1 | tr -d ,)
  (
    ulimit -t "${LIMIT:-3600}"
    "$build/heddle" characterize "$1" --size "$size" ${registers:+--set sm.registers=$registers} --against "$rows"
  )
}
LD_LIBRARY_PATH="$build/lib" "$build/heddle-workloads" list --stamps >"$work/stamps" || exit 2
timing=$(grep "^gtx480$tab" results/timing.tsv | cksum | cut -d ' ' -f 1)
bounds=$(grep -o '"[a-z0-9_]*", \(EQUAL\|RELATIVE\|POINTS\|SHOWN\), [0-9.]*' "$(find src/cli -name behaviour.c)" | cksum | cut -d ' ' -f 1)
state_of() { # state_of NAME: size and what would be compared
  size=$(size_of "$1")
  printf '%s\t%s-%s-%s' "$size" "$(sed -n "s/^$1\t//p" "$work/stamps")" "$timing" \
    "$(awk -F'\t' -v n="$1" -v s="$size" -v b="$bounds" 'NR == 1 || ($1 == n && $2 == s) { print } END { print b }' "$rows" | cksum | cut -d ' ' -f 1)"
}
recorded() { # recorded NAME COLUMN
  awk -F'\t' -v n="$1" -v c="$2" '$1 == n { print $c }' "$record"
}
is_recorded() { [ "$(recorded "$1" 2)$tab$(recorded "$1" 3)" = "$(state_of "$1")" ]; }

case ${1:-} in
--compare)
  compare_now "$2"
  exit
  ;;
--sample)
  # Others whenever the record changes.
  awk -F'\t' '$5 == "held" && $6 == "quick" { print $1 }' "$record" >"$work/quick"
  n=$(wc -l <"$work/quick")
  [ "$n" -gt 0 ] || exit 1
  turn=$(cksum <"$record" | cut -d ' ' -f 1)
  for k in 0 1 2; do sed -n "$(((turn + k * (n / 3 + 1)) % n + 1))p" "$work/quick"; done | LC_ALL=C sort -u
  exit
  ;;
--check)
  passed=0 failed=0
  complain() { echo "$*"; failed=$((failed + 1)); }
  for name in $(names); do
    outside=$(recorded "$name" 4) held=$(recorded "$name" 5)
    said=$(sed -n "s/^| $name | [^|]* | [a-z]* | [0-9]* | \([^|]*\) |.*/\1/p" "$page" | sed 's/^not compared$/-/')
    if [ "$said" != "$outside" ]; then complain "$name: $page says ${said:-nothing}, $record ${outside:-nothing}; tools/originals_page.sh $build $name"
    elif [ "$said" = 0 ] && [ "$held" != held ]; then complain "$name: inside all bounds, and $record does not hold it there"
    elif [ "$held" = held ] && [ "$outside" != 0 ]; then
      complain "$name: it was inside all bounds and is not any more ($outside outside); tools/originals_page.sh $build --compare $name says where"
    elif [ "$held" = held ] && ! is_recorded "$name"; then
      complain "$name: it, its rows, the bounds or the timing have changed since it was compared; tools/originals_page.sh $build $name"
    else passed=$((passed + 1)); fi
  done
  for name in $(grep -v '^#' "$record" | cut -f1); do
    names | grep -qx "$name" || complain "$name: recorded in $record, but $rows has no row of it"
  done
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ]
  exit
  ;;
--one) # --one NAME FOLDER: a row of the table and a line of the record
  folder=$3
  compare_now "$2" >"$folder/$2.out" 2>&1
  times >"$folder/$2.times" # of this shell, then of what it has run
  seconds=$(awk -F'[ms]' 'NR == 2 { print int($1 * 60 + $2) }' "$folder/$2.times")
  awk -v name="$2" -v size="$(size_of "$2")" -v suite="$(awk -F'\t' -v n="$2" '$1 == n { print $4; exit }' "$rows")" '
    function add(text) { n++; if (n <= 6) what = what (what ? ", " : "") text }
    / beside its original/ { kernel = $2; sub(/,$/, "", kernel); kernels++; next }
    /: not launched  outside$/ { sub(/:$/, "", $2); add($2 " is not launched"); next }
    /: the originals have no row of it  outside$/ { sub(/:$/, "", $2); add($2 " has no row"); next }
    /  outside$/ { add($1 " of " kernel) }
    / figures? (is|are) outside/ { whole = 1 }
    END {
      if (!whole) what = ""
      printf "| %s | %s | %s | %d | %s | %s |\n", name, suite, size, kernels, whole ? n + 0 : "not compared", what (whole && n > 6 ? ", ..." : "")
    }' "$folder/$2.out" >"$folder/$2.row"
  outside=$(awk -F' [|] ' '{ print $5 == "not compared" ? "-" : $5 }' "$folder/$2.row")
  held=$(recorded "$2" 5)
  [ "$outside" = 0 ] && held=held
  quick=slow
  [ "$seconds" -le 5 ] && quick=quick
  printf '%s\t%s\t%s\t%s\t%s\n' "$2" "$(state_of "$2")" "$outside" "${held:-free}" "$quick" >"$folder/$2.line"
  cat "$folder/$2.row" >&2
  exit
  ;;
esac

[ -e "$record" ] || : >"$record"
if [ "${1:-}" = --all ]; then chosen=$(names)
elif [ $# -gt 0 ]; then chosen=$*
else chosen=$(for name in $(names); do is_recorded "$name" || echo "$name"; done)
fi
for name in $chosen; do
  names | grep -qx "$name" || { echo "$rows has no row of $name" >&2; exit 2; }
done
# shellcheck disable=SC2086
[ -z "$chosen" ] || printf '%s\n' $chosen | xargs -P "${JOBS:-1}" -I NAME "$PWD/tools/originals_page.sh" "$build" --one NAME "$work"
for name in $(names); do
  if [ -e "$work/$name.line" ]; then cat "$work/$name.line"; else grep "^$name$tab" "$record"; fi >>"$work/record"
  if [ -e "$work/$name.row" ]; then cat "$work/$name.row"; else sed -n "/^| $name | /p" "$page" | head -1; fi >>"$work/table"
done
{
  echo "# Workloads beside their originals, by tools/originals_page.sh, whose head says what the columns are."
  cat "$work/record"
} >"$work/whole" && cp "$work/whole" "$record"
inside=$(awk -F' [|] ' '$5 == "0" { n++ } END { print n + 0 }' "$work/table")
all=$(wc -l <"$work/table")
awk -v table="$work/table" -v inside="$inside" -v all="$all" '
  /^<!-- table -->$/ {
    print; print ""; print "| workload | suite | size compared | kernels | figures outside | which |"; print "|---|---|---|---|---|---|"
    while ((getline line < table) > 0) print line
    printf "\n**%d of %d workloads that have rows are inside all bounds.**\n\n", inside, all
    skip = 1
  }
  /^<!-- end -->$/ { skip = 0 }
  !skip { print }' "$page" >"$work/page" && cp "$work/page" "$page"
! awk -F'\t' '$5 == "held" && $4 != "0" { print $1 " was inside all bounds and is not any more"; found = 1 } END { exit !found }' "$record"
