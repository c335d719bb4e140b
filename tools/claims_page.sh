#!/bin/sh
# The scoreboard docs/claims.md and the totals in README.md: claims_page.sh BUILD [OPTIONS of heddle claims...]
# measures what is not in the database yet (--db FILE; --size medium adds columns) and writes both.
# claims_page.sh --check: only compares the totals of the two; exit status 1 if they differ.
cd "$(dirname "$0")/.." || exit 2
page=docs/claims.md
if [ $# -lt 1 ]; then sed -n '2,4s/^# //p' "$0" >&2; exit 2; fi

# "| **all** | 40 | 60 | 7 | 41 | 60 | 6 |" as a sentence; three numbers a size, named in the table's head.
totals() {
  awk -F' *[|] *' '
    /^\| \| reproduced, / { for (i = 3; i <= NF; i += 3) { size[i] = $i; sub(/^reproduced, /, "", size[i]) } }
    /^\| \*\*all\*\* / {
      out = ""
      for (i = 3; i + 2 < NF; i += 3)
        out = out (out ? "; " : "") "at size " size[i] " " $i " are reproduced, " $(i + 1) " differ, " $(i + 2) " are not measured"
      print out
    }' "$page"
}
sentence() { echo "Of $(grep -c '^| [TBADCX][0-9][0-9] |' "$page") claims, $(totals)."; }
written() { sed -n '/^<!-- claims -->$/,/^<!-- end -->$/p' README.md | sed '1d;$d'; }

if [ "$1" = --check ]; then
  [ "$(sentence)" = "$(written)" ] && exit
  echo "README.md says '$(written)', $page '$(sentence)': tools/claims_page.sh BUILD"
  exit 1
fi
build=$1
shift
"$build/heddle" claims "$@" --page "$page" || exit
SENTENCE=$(sentence) awk '
  /^<!-- claims -->$/ { print; print ENVIRON["SENTENCE"]; skip = 1; next }
  /^<!-- end -->$/ { skip = 0 }
  !skip' README.md >README.md.part && mv README.md.part README.md
