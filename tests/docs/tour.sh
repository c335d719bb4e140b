#!/bin/sh
# The README's tour works as printed, in an empty folder but for build/: tour.sh BUILD. Last line "N passed, N failed".
here=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
ln -s "$build" "$work/build"
python3 "$here/tests/lib/follow_page.py" "$here/README.md" "$work"
