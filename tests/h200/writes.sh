#!/bin/sh
# Stores on the preset h200 against a real H200, from an SM to DRAM: every row of writes.tsv within 20 %.
# writes.sh BUILD.
TOLERANCE=20 exec sh "$(dirname "$0")/h200.sh" "$1" "$(dirname "$0")/writes.tsv" h200_writes_probe
