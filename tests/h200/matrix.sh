#!/bin/sh
# Latencies and rates of matrix instructions on the preset h200 against a real H200: matrix.tsv within TOLERANCE percent (12).
# matrix.sh BUILD; prints a table: H200, model, latency and cycles of an SM.
PROBE=matrix TOLERANCE="${TOLERANCE:-12}" exec "$(dirname "$0")/instructions.sh" "$1"
