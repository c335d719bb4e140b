#!/bin/sh
# The programs of examples/hopper on the preset h200 against a real H200: every row of examples.tsv right and within 15 %.
# examples.sh BUILD; skipped where there is no nvcc.
build=$1
here=$(dirname "$0")
nvcc=$(command -v "${CUDA_HOME:+$CUDA_HOME/bin/}nvcc") || {
  echo "skipped: there is no nvcc here"
  echo "0 rows passed, 0 failed"
  exit 0
}
if grep -q __asan_init "$build/lib/libcuda.so.1"; then
  echo "skipped: programs built by nvcc (the libraries are built with sanitizers)"
  echo "0 rows passed, 0 failed"
  exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
rows=0
while read -r us name args; do
  case $us in '#'*) continue ;; esac
  rows=$((rows + 1))
  [ -x "$work/$name" ] ||
    "$nvcc" -std=c++17 -O3 -gencode arch=compute_90a,code=compute_90a "examples/hopper/$name.cu" -o "$work/$name" || exit 1
  # shellcheck disable=SC2086
  row=0
  "$build/heddle" run --gpu h200 --quiet --json "$work/json" -- "$work/$name" $args >"$work/out" 2>&1
  grep -q ' 0 wrong' "$work/out" || { echo "$name $args is wrong: $(tail -1 "$work/out")"; row=1; }
  # "cycles" of the whole run comes first, then those of its kernels, of which the second counts
  awk -v us="$us" -v what="$name $args" '
    /"kernels": \[/ { inside = 1 }
    inside && /^ *"cycles":/ && ++n == 2 { gsub(/[^0-9]/, "", $2); model = $2 / 1980; exit }
    END {
      bad = model < 0.85 * us || model > 1.15 * us
      printf "%-28s %6.2f %6.2f us  %5.2f %s\n", what, us, model, model / us, bad ? "OFF" : ""
      exit bad
    }' "$work/json" || row=1
  failed=$((failed + row))
done <"$here/examples.tsv"
echo "$((rows - failed)) rows passed, $failed failed"
[ "$failed" = 0 ]
