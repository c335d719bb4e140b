#!/bin/sh
# The preset h200 against a real H200: every row of measured.tsv, or of another such table, within TOLERANCE percent (10).
# h200.sh BUILD [TABLE [PROBE]]; prints a table. PROBE is the program that answers (h200_probe with its kernels).
build=$1
here=$(dirname "$0")
table=${2:-$here/measured.tsv}
probe=${3:-h200_probe}
out=$(mktemp)
trap 'rm -f "$out"' EXIT
grep -v '^#' "$table" | cut -f 4 |
  LD_LIBRARY_PATH="$build/lib" HEDDLE_GPU=h200 "$build/tests/$probe" "$here/probes.ptx" >"$out" || exit 1
awk -F '\t' -v tolerance="${TOLERANCE:-10}" '
  FNR == NR { split($0, part, " = "); got[part[1]] = part[2]; next }
  /^#/ { next }
  {
    off = 100 * (got[$4] - $1) / $1
    bad = off > tolerance || off < -tolerance || !($4 in got)
    failed += bad; rows++
    printf "%-40s %9.2f %9.2f  %-15s %+6.1f %% %s  %s\n", $4, $1, got[$4], $2, off, bad ? "OFF" : "   ", $5
  }
  END { printf "%d rows passed, %d failed\n", rows - failed, failed; exit failed > 0 }' "$out" "$table"
