#!/bin/sh
# Prints the man page: make_man.sh HEDDLE VERSION. Commands and options are what the program's own help says.
heddle=$1
version=$2
cd "$(dirname "$0")/.." || exit 2

as_is() { sed -e 's/\\/\\e/g' -e 's/-/\\-/g' -e "s/^[.']/\\\\\\&&/"; }

commands() { "$heddle" --help | sed -n 's/^  \([a-z]*\)  *\(.*\)/\1 \2/p'; }

describe() {
  commands | while read -r name meaning; do
    printf '.SS %s\n%s.\n.PP\n.nf\n' "$name" "$(echo "$meaning" | as_is)"
    "$heddle" "$name" --help | sed 's/^usage: //' | as_is
    echo .fi
  done
}

while IFS= read -r line; do
  case $line in
  @COMMANDS@) describe ;;
  *@VERSION@*) printf '%s%s%s\n' "${line%%@VERSION@*}" "$version" "${line#*@VERSION@}" ;;
  *) printf '%s\n' "$line" ;;
  esac
done <man/heddle.1.in
