#!/bin/sh
# Records what texture and surface instructions do on this machine's GPU: tests/conformance_texture/record_textures.sh FILE
# Needs a C compiler, cuda.h and the NVIDIA driver; the toolkit is looked for in CUDA_HOME and in the usual places.
# `texture_conformance pack FILE tests/conformance_texture/golden.zst` keeps the recording in the repository.
set -eu
[ $# -eq 1 ] || { echo "usage: $0 FILE" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)

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
"${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -O1 -I"$include" "$here"/*.c "$libcuda" -lm -o "$work/texture_conformance"
CUDA_CACHE_DISABLE=1 "$work/texture_conformance" record "$1"
