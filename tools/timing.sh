#!/bin/sh
# Whether the simulator's timing is what it was when stored results (results/claims.tsv) were measured: timing.sh BUILD makes
# the runs of results/timing.tsv and compares their cycles and energy. With --update it writes them instead. The lines of a GPU in that file
# are the version of its timing: results of that GPU that were stored under others are stale from then on.
# Last line "N rows passed, N failed"; exit status 1 if any failed.
build=$(cd "${1:?timing.sh BUILD [--update]}" && pwd) || exit 2
cd "$(dirname "$0")/.." || exit 2
mode=${2:-}
table=results/timing.tsv
tab=$(printf '\t')
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
figures() { # figures REPORT: its cycles, a tab, its energy
  awk -F'[:, ]+' '/^  "cycles"/ { cycles = $3 } /^  "energy"/ { inside = 1 } inside && /^    "total"/ { energy = $3; inside = 0 }
    END { printf "%d\t%.6g", cycles, energy }' "$1"
}
grep '^#' "$table" >"$work/new"
grep -v '^#' "$table" >"$work/rows"
while IFS=$tab read -r gpu settings workload figures; do
  set --
  [ "$settings" = - ] || set -- --set "$settings"
  "$build/heddle" run "$workload" --gpu "$gpu" "$@" --quiet --json "$work/run.json" >/dev/null 2>"$work/err" </dev/null || cat "$work/err"
  now=$(figures "$work/run.json")
  printf '%s\t%s\t%s\t%s\n' "$gpu" "$settings" "$workload" "$now" >>"$work/new"
  if [ "$now" = "$figures" ]; then passed=$((passed + 1)); else
    failed=$((failed + 1))
    echo "$workload on $gpu, $settings: $now, in $table $figures (cycles, energy)"
  fi
  rm -f "$work/run.json"
done <"$work/rows"
if [ "$mode" = --update ]; then
  cp "$work/new" "$table"
  echo "$failed rows changed"
  exit
fi
[ "$failed" -eq 0 ] || echo "timing has changed: if it was meant to, tools/timing.sh BUILD --update marks stored results of these GPUs as stale"
echo "$passed rows passed, $failed failed"
[ "$failed" -eq 0 ]
