#!/bin/sh
# The example of a program on the library does what its page says: embed.sh BUILD.
build=$1
. "$(dirname "$0")/../lib/checks.sh"
check "it ends well" "$build/embed"
"$build/embed" >"$root/out"
check "its three runs are right" test "$(grep -c ': right$' "$root/out")" = 3
# Saxpy of 20,000: 625 warps write a line each.
check "statistics are shown" grep -q '^  l1d.writes  *625 ' "$root/out"
finish
