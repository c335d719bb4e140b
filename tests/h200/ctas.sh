#!/bin/sh
# CTAs that follow each other, and their parameters, on the preset h200 against a real H200: every row of ctas.tsv within 20 %.
# ctas.sh BUILD.
TOLERANCE=20 exec sh "$(dirname "$0")/h200.sh" "$1" "$(dirname "$0")/ctas.tsv" h200_ctas_probe
