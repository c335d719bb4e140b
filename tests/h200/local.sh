#!/bin/sh
# What stores leave in L1 on the preset h200 against a real H200: every row of local.tsv within 25 %. local.sh BUILD.
TOLERANCE=25 exec sh "$(dirname "$0")/h200.sh" "$1" "$(dirname "$0")/local.tsv" h200_local_probe
