#!/bin/sh
# docs/tutorial-cuda.md does what it says: tutorial_cuda.sh BUILD. It needs nvcc; where there is none it skips. Last line "N passed, N failed".
here=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
PATH=$build:$PATH:/usr/local/cuda/bin
command -v nvcc >/dev/null || export SKIP=nvcc
export PATH
python3 "$here/tests/lib/follow_page.py" "$here/docs/tutorial-cuda.md" "$work"
