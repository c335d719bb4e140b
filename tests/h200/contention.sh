#!/bin/sh
# Warps and lanes in each other's way on the preset h200 against a real H200: every row of contention.tsv within 15 %.
# contention.sh BUILD.
TOLERANCE=15 exec sh "$(dirname "$0")/h200.sh" "$1" "$(dirname "$0")/contention.tsv" h200_contention_probe
