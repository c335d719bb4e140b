#!/bin/sh
# The lists of CUPTI's numbers in src/cuda/trace against an installed header: numbers.sh FOLDER_OF_HEADERS. Prints what differs.
cd "$(dirname "$0")/../.." || exit 2
for api in driver runtime; do
  upper=$(echo $api | tr '[:lower:]' '[:upper:]')
  sed -n "s/.*CUPTI_${upper}_TRACE_CBID_\([A-Za-z0-9_]*\) *= *\([0-9]*\).*/\2 \1/p" "$1/cupti_${api}_cbid.h" | grep -v ' \(INVALID\|SIZE\|FORCE_INT\)$' |
    sort >"$2/theirs"
  grep -v '^#' src/cuda/trace/${api}_calls.tsv | tr '\t' ' ' | sort | comm -3 - "$2/theirs" | grep . && status=1
done
exit ${status:-0}
