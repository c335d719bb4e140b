#!/bin/sh
# Memory instructions by where their lanes point, on the preset h200 against a real H200: every row of lanes.tsv within 10 %.
# lanes.sh BUILD.
exec sh "$(dirname "$0")/h200.sh" "$1" "$(dirname "$0")/lanes.tsv" h200_lanes_probe
