#!/bin/sh
# Code that the instruction cache does not hold on the preset h200 against a real H200: every row of code.tsv within 15 %.
# code.sh BUILD.
TOLERANCE=15 exec sh "$(dirname "$0")/h200.sh" "$1" "$(dirname "$0")/code.tsv" h200_code_probe
