#!/bin/sh
# Checks the dependency law in tools/layers.txt: a file in src/ROOM may include "OTHER/x.h" only if ROOM lists OTHER.
# And no folder under src/ holds more than thirty files: one that has grown wants sub-folders.
# Prints each violation and exits 1 if there is any; last line "N passed, N failed".
cd "$(dirname "$0")/.." || exit 2
most=30
crowded=$(find src -type f | awk -v most=$most '
  { sub(/\/[^\/]*$/, ""); files[$0]++ }
  END { for (d in files) if (files[d] > most) printf "%s: %d files, more than %d: make sub-folders\n", d, files[d], most }')
[ -z "$crowded" ] || printf '%s\n' "$crowded"
awk -v crowded="${crowded:+1}" '
  FILENAME == "tools/layers.txt" {
    if ($0 ~ /^#/ || NF == 0) next
    room = $1; sub(/:$/, "", room); ok[room, room] = 1
    for (i = 2; i <= NF; i++) ok[room, $i] = 1
    next
  }
  match($0, /^[ \t]*#[ \t]*include[ \t]*"[^"]+"/) {
    split($0, q, "\""); n = split(q[2], part, "/")
    split(FILENAME, where, "/")
    if (n < 2) next
    if (!((where[2], part[1]) in ok)) { printf "%s:%d: %s may not include %s\n", FILENAME, FNR, where[2], q[2]; bad = 1 }
  }
  END { failed = (bad > 0) + (crowded != ""); printf "%d passed, %d failed\n", 2 - failed, failed; exit failed > 0 }
' tools/layers.txt $(find src -name '*.c' -o -name '*.h' -o -name '*.def')
