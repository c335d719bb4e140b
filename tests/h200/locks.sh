#!/bin/sh
# Threads that wait for each other on the preset h200 against a real H200: locks.tsv within 45 percent. locks.sh BUILD. The lock in
# shared memory is the farthest off: the model's membar.cta waits for stores to L2.
TOLERANCE=45 exec sh "$(dirname "$0")/h200.sh" "$1" "$(dirname "$0")/locks.tsv"
