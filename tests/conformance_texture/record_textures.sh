#!/bin/sh
# Records what texture and surface instructions do on this machine's GPU: tests/conformance_texture/record_textures.sh FILE
# Needs a C compiler, cuda.h and the NVIDIA driver; the toolkit is looked for in CUDA_HOME and in the usual places.
# `texture_conformance pack FILE tests/conformance_texture/golden.zst` keeps the recording in the repository.
set -eu
[ $# -eq 1 ] || { echo "usage: $0 FILE" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)

. "$here/../lib/cuda_driver.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -O1 -I"$include" "$here"/*.c "$libcuda" -lm -o "$work/texture_conformance"
CUDA_CACHE_DISABLE=1 "$work/texture_conformance" record "$1"
