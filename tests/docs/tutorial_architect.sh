#!/bin/sh
# docs/tutorial-architect.md does what it says: tutorial_architect.sh BUILD. Last line "N passed, N failed".
here=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
PATH=$build:$PATH python3 "$here/tests/lib/follow_page.py" "$here/docs/tutorial-architect.md" "$work"
