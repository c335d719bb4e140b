#!/bin/sh
# What ptxas says of each snippet: record.sh SNIPPETS > NEW. A row is verdict, target, place, text, tab-separated: the text stands in
# the body of the kernel (k) or between the declarations and it (m) of the frame in frame.ptx, alone on one line. The verdict is
# + where ptxas accepts the module; - where it refuses it at that line; ~ where it refuses it at another (the end of the module).
# A target may name an older version of PTX than the frame's, as in 3.1/sm_20; it is then assembled for sm_90.
# The first line of the result names the assembler. Needs ptxas; a few minutes.
here=$(dirname "$0")
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
export work here
one() {
  target=${2#*/} place=$3 text=$4 version= arch=$target
  case $2 in */*) version=${2%/*} arch=sm_90 ;; esac
  awk -v target="$target" -v place="$place" -v text="$text" -v version="$version" '
    { gsub(/@TARGET@/, target) }
    version && /^\.version/ { $0 = ".version " version }
    $0 == "@BODY@" { $0 = place == "k" ? text : "" }
    $0 == "@MODULE@" { $0 = place == "m" ? text : "" }
    { print }' "$here/frame.ptx" > "$work/$$.ptx"
  line=$(grep -n "@$([ "$place" = k ] && echo BODY || echo MODULE)@" "$here/frame.ptx" | cut -d: -f1)
  if ptxas -arch="$arch" -c -o /dev/null "$work/$$.ptx" > "$work/$$.log" 2>&1; then verdict=+
  elif grep -q "line $line;" "$work/$$.log"; then verdict=-
  else verdict='~'; fi
  printf '%s\t%s\t%s\t%s\n' "$verdict" "$2" "$place" "$text"
}
printf '# %s\n' "$(ptxas --version | tail -2 | head -1)"
grep -v '^#' "$1" | while IFS='	' read -r verdict target place text; do one "$verdict" "$target" "$place" "$text"; done
