#!/bin/sh
# Compares every workload that has rows in workloads/originals.tsv with them and writes the table of docs/originals.md, between its
# two marks: tools/originals_page.sh BUILD [NAME...]. With names only those rows are made anew. A workload with rows of several sizes is
# compared at medium, or at the size that there is; where the rows' input names registers an SM, with as many. LIMIT is the most
# seconds a workload (3,600); one that takes longer is not compared. Exit status 1 if a figure is outside its bounds.
set -u
cd "$(dirname "$0")/.." || exit 2
build=${1:?usage: tools/originals_page.sh BUILD [NAME...]}
shift
page=docs/originals.md
rows=workloads/originals.tsv
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
size_of() { # the sizes that have rows, medium first
  awk -F'\t' -v n="$1" '$1 == n { s[$2] } END { print ("medium" in s) ? "medium" : ("small" in s) ? "small" : "paper" }' "$rows"
}
compare() { # one row of the table
  size=$(size_of "$1")
  registers=$(sed -n "s/^$1\t$size\t[^\t]*\t[^\t]*\t[^\t]*; \([0-9,]*\) registers\t.*/\1/p" "$rows" | head -1 | tr -d ,)
  timeout "${LIMIT:-3600}" "$build/heddle" characterize "$1" --size "$size" ${registers:+--set sm.registers=$registers} --against "$rows" > "$work/$1.out" 2>&1
  awk -v name="$1" -v size="$size" -v suite="$(awk -F'\t' -v n="$1" '$1 == n { print $4; exit }' "$rows")" '
    / beside its original/ { kernel = $2; sub(/,$/, "", kernel); kernels++ }
    /  outside$/ { n++; if (n <= 6) what = what (what ? ", " : "") $1 " of " kernel }
    / figures? (is|are) outside/ { whole = 1 }
    END {
      if (!whole) { n = "not compared"; what = "" }
      printf "| %s | %s | %s | %d | %s | %s |\n", name, suite, size, kernels, n + 0 == n ? n + 0 : n, what (n > 6 ? ", ..." : "")
    }' "$work/$1.out"
}
names=$(tail -n +2 "$rows" | cut -f1 | LC_ALL=C sort -u)
for name in $names; do
  old=$(sed -n "/^| $name | /p" "$page" | head -1)
  case " $* " in
  "  " | *" $name "*) compare "$name" >> "$work/table" ;;
  *) if [ -n "$old" ]; then echo "$old"; else compare "$name"; fi >> "$work/table" ;;
  esac
  tail -1 "$work/table" >&2
done
inside=$(awk -F' [|] ' '$5 == "0" { n++ } END { print n + 0 }' "$work/table")
all=$(wc -l < "$work/table")
awk -v table="$work/table" -v inside="$inside" -v all="$all" '
  /^<!-- table -->$/ {
    print; print ""; print "| workload | suite | size compared | kernels | figures outside | which |"; print "|---|---|---|---|---|---|"
    while ((getline line < table) > 0) print line
    printf "\n**%d of %d workloads that have rows are inside all bounds.**\n\n", inside, all
    skip = 1
  }
  /^<!-- end -->$/ { skip = 0 }
  !skip { print }' "$page" > "$work/page" && cp "$work/page" "$page"
[ "$inside" -eq "$all" ]
