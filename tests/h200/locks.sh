#!/bin/sh
# Threads that wait for each other on the preset h200 against a real H200: locks.tsv within 40 percent. locks.sh BUILD. The lock in
# shared memory is the farthest off.
TOLERANCE=40 exec sh "$(dirname "$0")/h200.sh" "$1" "$(dirname "$0")/locks.tsv"
