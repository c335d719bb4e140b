#!/bin/sh
# tools/sampling_page.sh with stored results: it takes the true value from the table, in cycles or as IPC, runs only what the table has, and
# finds a value that is not the true one. sampling_stored.sh BUILD
. "$(dirname "$0")/../lib/checks.sh"
build=$(cd "$1" && pwd) || exit 2
cd "$(dirname "$0")/../.." || exit 2

# row TABLE GPU NAME: the row that the tool makes, fields between tabs.
row() {
  rm -f "$root/rows"
  STORED=$1 GPU=$2 ROWS=$root/rows tools/sampling_page.sh "$build" small "$3" >"$root/page" 2>"$root/err"
  cat "$root/rows"
}
# stored GPU: the number that the table has of gaussian there.
stored() { awk -F'\t' -v gpu="$1" '$1 == "small" && $2 == "gaussian" && $3 == gpu && $4 == "-" { split($9, n, " "); print n[1] }' results/claims.tsv; }

cycles=$(stored gtx480)
row results/claims.tsv gtx480 gaussian >"$root/row"
check "the true cycles are the table's" test "cycles=$(cut -f 7 "$root/row")" = "$cycles"
check "the sampled run is within 5 %" awk -F'\t' '{ e = $8 < 0 ? -$8 : $8; exit !($5 < $4 && e > 0 && e < 5) }' "$root/row"
check "the speed is not known" test "$(cut -f 11 "$root/row")" = -

row results/claims.tsv mesh56 gaussian >"$root/row"
check "a table without cycles gives IPC" grep -q ' IPC	' "$root/row"
check "IPC is within 5 %" awk -F'\t' '{ e = $8 < 0 ? -$8 : $8; exit !(e < 5) }' "$root/row"

awk -F'\t' -v OFS='\t' '$2 == "gaussian" && $3 == "gtx480" { sub(/^cycles=[0-9]*/, "cycles=200000", $9) } { print }' results/claims.tsv >"$root/wrong"
row "$root/wrong" gtx480 gaussian >"$root/row"
check "another true value is not contained" test "$(cut -f 10 "$root/row")" = 0

row results/claims.tsv gtx480 vectoradd >"$root/row"
check "a workload that the table lacks is named" grep -q "vectoradd: results/claims.tsv has no whole run of it on gtx480" "$root/err"
check "it has no row" test ! -s "$root/row"
finish
