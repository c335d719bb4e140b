#!/bin/sh
# docs/a-load.md is true of the source: every file it names is there, and every function it names is defined in the file named last before
# it; every file that docs/glossary.md names is there too. a_load.sh BUILD [PAGE]
. "$(dirname "$0")/../lib/checks.sh"
cd "$(dirname "$0")/../.." || exit 2
page=${2:-docs/a-load.md}

names() { # names PAGE: a line "file name" for each function, "file" for each file
  grep -oE '`(src/[a-z0-9_./]+|[a-z][a-z0-9_]*\(\))`' "$1" | tr -d '`()' | awk '/^src\// { file = $0; print file; next } { print file, $0 }'
}
defined() { # defined FILE NAME: a line that begins at the margin with a type or FOLDED and has "NAME(", and is no declaration
  grep -E "^[A-Za-z].*[ *]$2\(" "$1" | grep -qv ';$'
}
names "$page" | sort -u >"$root/names"
while read -r file name; do
  if [ -z "$name" ]; then check "$page: $file is a file" test -f "$file"
  else check "$page: $name() is defined in $file" defined "$file" "$name"
  fi
done <"$root/names"
check "the page names its way whole" test "$(awk 'NF == 2' "$root/names" | wc -l)" -ge 60

for file in $(grep -oE '`(src|docs|tools|readings|workloads)/[A-Za-z0-9_./]*`' docs/glossary.md | tr -d '`' | sort -u); do
  check "docs/glossary.md: $file is there" test -e "$file"
done
check "each term of the glossary has its file" sh -c "! grep '^| [^-|]*|' docs/glossary.md | grep -v '^| term' | grep -vq '| \`[^|]*\` |\$'"

# The search itself can fail: a name that is nowhere, that another file defines, or that is only declared.
lacks() { ! defined "$@"; }
check "a name that is nowhere" lacks src/gpu/instant.c gpu_instants
check "a name of another file" lacks src/gpu/grids.c gpu_instant
check "a declaration" lacks src/gpu/gpu_parts.h gpu_instant
check "a call" lacks src/gpu/run_loop.c gpu_instant
finish
