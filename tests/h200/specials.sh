#!/bin/sh
# Special registers on the preset h200 against a real H200: every row of specials.tsv within 15 %.
# specials.sh BUILD.
TOLERANCE=15 exec sh "$(dirname "$0")/h200.sh" "$1" "$(dirname "$0")/specials.tsv" h200_specials_probe
