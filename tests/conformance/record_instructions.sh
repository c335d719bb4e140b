#!/bin/sh
# Records the results of every instruction variant on this machine's GPU: tests/conformance/record_instructions.sh OUTDIR
# Needs a C compiler, cuda.h and the NVIDIA driver; the toolkit is looked for in CUDA_HOME and in the usual places.
# Writes OUTDIR/index.tsv and OUTDIR/results-N.bin; `conformance pack OUTDIR tests/conformance/golden` keeps them.
set -eu
[ $# -eq 1 ] || { echo "usage: $0 OUTDIR" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
out=$1
mkdir -p "$out"

include=
for dir in "${CUDA_HOME:-}" "${CUDA_PATH:-}" /usr/local/cuda /opt/cuda /usr; do
  [ -n "$dir" ] && [ -f "$dir/include/cuda.h" ] && { include=$dir/include; toolkit=$dir; break; }
done
if [ -z "$include" ] && command -v nvcc >/dev/null; then
  toolkit=$(dirname "$(dirname "$(readlink -f "$(command -v nvcc)")")")
  include=$toolkit/include
fi
[ -n "$include" ] && [ -f "$include/cuda.h" ] || { echo "$0: cuda.h not found; set CUDA_HOME" >&2; exit 2; }

# The driver's library itself, or the toolkit's stub to link against; at run time the loader finds the driver's.
driver=$(ldconfig -p 2>/dev/null | sed -n 's/.*libcuda\.so\.1 .*=> //p' | head -n 1)
for lib in "$driver" "$toolkit/lib64/stubs/libcuda.so" "$toolkit/lib/stubs/libcuda.so" \
  "$toolkit/targets/x86_64-linux/lib/stubs/libcuda.so" /usr/lib/x86_64-linux-gnu/libcuda.so.1 /usr/lib64/libcuda.so.1; do
  [ -n "$lib" ] && [ -e "$lib" ] && { libcuda=$lib; break; }
done
[ -n "${libcuda:-}" ] || { echo "$0: libcuda.so not found" >&2; exit 2; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for source in "$here"/*.c; do
  "${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -O1 -I"$include" -c "$source" -o "$work/$(basename "$source" .c).o" &
done
wait
"${CC:-cc}" "$work"/*.o "$libcuda" -lm -o "$work/conformance"
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader >"$out/gpu.txt" 2>/dev/null || true
CUDA_CACHE_DISABLE=1 CUDA_MODULE_LOADING=EAGER "$work/conformance" record "$out" | tee "$out/log.txt"
