#!/bin/sh
# The scoreboard docs/claims.md and the totals in README.md, from the stored results (results/claims.tsv):
# claims_page.sh BUILD writes both and runs nothing; claims_page.sh BUILD OPTIONS of heddle claims... measures what is missing first
# (--size paper --reading all --figures) and stores it.
# claims_page.sh BUILD --check: only whether both are what the stored results give; exit status 1 if not.
build=$(cd "${1:?claims_page.sh BUILD [--check | OPTIONS of heddle claims...]}" && pwd) || exit 2
shift
cd "$(dirname "$0")/.." || exit 2
table=results/claims.tsv page=docs/claims.md
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT

# "| **all** | 40 | 60 | 7 | 41 | 60 | 6 | | 41 | 90 |" as a sentence; three numbers a size, named in the table's head, and the
# sums over the papers, each at its largest size.
sentence() {
  awk -F' *[|] *' '
    /^\| [TBADCX][0-9][0-9] \|/ { claims++ }
    /^\| \| reproduced, / { for (i = 3; $i ~ /^reproduced, /; i += 3) { size[i] = $i; sub(/^reproduced, /, "", size[i]) } }
    /^\| \*\*all\*\* / {
      for (i = 3; i in size; i += 3)
        out = out (out ? "; " : "") "at size " size[i] " " $i " are reproduced, " $(i + 1) " differ, " $(i + 2) " are not measured"
    }
    /^\| \*\*all\*\* / { out = out ". Each paper at the largest size at which all its claims are measured: " $(NF - 2) ", and " $(NF - 1) " under its best single reading" }
    END { print "Of " claims " claims, " out "." }' "$1"
}
# The first table of the page: a line a paper.
totals() { awk '/^\|/ { any = 1; print; next } any { exit }' "$1"; }
readme() {
  { sentence "$1"; echo; totals "$1"; echo; } >"$work/block"
  BLOCK=$work/block awk '
    /^<!-- claims -->$/ { print; while ((getline line < ENVIRON["BLOCK"]) > 0) print line; skip = 1; next }
    /^<!-- end -->$/ { skip = 0 }
    !skip' README.md
}

check=
if [ "${1:-}" = --check ]; then check=1
elif [ $# -gt 0 ]; then "$build/heddle" claims "$@" --stored "$table" --store || exit
fi
"$build/heddle" claims X02 --stored "$table" --look --page "$work/page.md" >"$work/out" 2>&1 || { cat "$work/out"; exit 3; }
readme "$work/page.md" >"$work/readme.md"
if [ -z "$check" ]; then
  cp "$work/page.md" "$page"
  cp "$work/readme.md" README.md
  exit
fi
same=0
cmp -s "$work/page.md" "$page" || { echo "$page is not what $table gives: tools/claims_page.sh BUILD"; same=1; }
cmp -s "$work/readme.md" README.md || { echo "README.md has other totals than $table: tools/claims_page.sh BUILD"; same=1; }
exit $same
