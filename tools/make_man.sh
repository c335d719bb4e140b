#!/bin/sh
# Writes the man pages: make_man.sh HEDDLE VERSION FOLDER makes FOLDER/heddle.1 from man/heddle.1.in and a page for each
# command (heddle-run.1, ...). Commands, synopses and options are what the program's own help says.
heddle=$1
version=$2
folder=$3
cd "$(dirname "$0")/.." || exit 2
mkdir -p "$folder" || exit 3

as_is() { sed -e 's/\\/\\e/g' -e 's/-/\\-/g' -e "s/^[.']/\\\\\\&&/"; }

commands() { "$heddle" --help | sed -n 's/^  \([a-z]*\)  *\(.*\)/\1 \2/p'; }

index() {
  commands | while read -r name meaning; do
    printf '.TP\n.BR heddle\\-%s (1)\n%s.\n' "$name" "$(echo "$meaning" | as_is)"
  done
}

# A help text is lines of usage, paragraphs, examples (indented) and options (two blanks and a dash).
body() {
  as_is | awk '
    function section(name) { if (at != name) { verbatim(0); print ".SH " name; at = name } }
    function verbatim(on) { if (on != raw) { print (on ? ".PP\n.RS\n.nf" : ".fi\n.RE"); raw = on } }
    NR == 1 { print ".SH SYNOPSIS\n.nf"; at = "SYNOPSIS" }
    at == "SYNOPSIS" && /^(usage:|       )/ { sub(/^usage:/, ""); sub(/^ +/, ""); print; next }
    at == "SYNOPSIS" { print ".fi"; at = "" }
    /^$/ { verbatim(0); blank = 1; next }
    /^  \\-/ {
      verbatim(0)
      section("OPTIONS")
      sub(/^  /, "")
      cut = match($0, /  +/)
      if (cut) print ".TP\n.B " substr($0, 1, cut - 1) "\n" substr($0, cut + RLENGTH)
      else print ".TP\n.B " $0
      option = 1; blank = 0; next
    }
    /^            / && option && !blank { sub(/^ +/, ""); print; next }
    /^ / { section("DESCRIPTION"); verbatim(1); print; option = blank = 0; next }
    {
      verbatim(0)
      section(option ? "NOTES" : "DESCRIPTION")
      if (blank) print ".PP"
      print; blank = option = 0
    }
    END { if (at == "SYNOPSIS") print ".fi"; verbatim(0) }'
}

page() { # page NAME MEANING
  printf '.TH HEDDLE\\-%s 1 "" "Heddle %s" "User commands"\n' "$(echo "$1" | tr a-z A-Z)" "$version"
  printf '.SH NAME\nheddle\\-%s \\- %s\n' "$1" "$(echo "$2" | as_is)"
  "$heddle" "$1" --help | body
  printf '.SH SEE ALSO\n.BR heddle (1)\n'
}

commands | while read -r name meaning; do page "$name" "$meaning" >"$folder/heddle-$name.1" || exit 3; done
while IFS= read -r line; do
  case $line in
  @COMMANDS@) index ;;
  *@VERSION@*) printf '%s%s%s\n' "${line%%@VERSION@*}" "$version" "${line#*@VERSION@}" ;;
  *) printf '%s\n' "$line" ;;
  esac
done <man/heddle.1.in >"$folder/heddle.1"
