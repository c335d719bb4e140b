#!/bin/sh
# Records the results of every instruction variant, or of those whose name or family matches a pattern, on this machine's GPU:
# tests/conformance/record_instructions.sh OUTDIR [GLOB]
# Needs a C compiler, cuda.h and the NVIDIA driver; the toolkit is looked for in CUDA_HOME and in the usual places.
# Writes OUTDIR/index.tsv and OUTDIR/results-N.bin; `conformance pack OUTDIR tests/conformance/golden` keeps them.
set -eu
[ $# -eq 1 ] || [ $# -eq 2 ] || { echo "usage: $0 OUTDIR [GLOB]" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
out=$1
mkdir -p "$out"

. "$here/../lib/cuda_driver.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for source in "$here"/*.c; do
  "${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -O1 -I"$include" -c "$source" -o "$work/$(basename "$source" .c).o" &
done
wait
"${CC:-cc}" "$work"/*.o "$libcuda" -lm -o "$work/conformance"
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader >"$out/gpu.txt" 2>/dev/null || true
CUDA_CACHE_DISABLE=1 CUDA_MODULE_LOADING=EAGER "$work/conformance" record "$out" --filter "${2:-*}" | tee "$out/log.txt"
