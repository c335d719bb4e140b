#!/bin/sh
# Rebuilds the PTX of the workloads and of libcublas (src/blas/kernels) from their CUDA C, or says whether the tree's PTX is current.
#
#   tools/build_ptx.sh [NAME...]          rebuild those whose source changed (all of the named ones, if named)
#   tools/build_ptx.sh --check [NAME...]  exit 1 and name each PTX that is older than its source
#
# Uses nvcc where it is found (NVCC names another), else clang (CLANG). A kernel file whose first line is
# "// ptx: compute_80" is built for that architecture, the others for compute_75. The first line of a PTX file holds
# the hash of its source and of the settings; the compiler is not part of it, so a check needs none.
set -eu
cd "$(dirname "$0")/.."

default_arch=compute_75
nvcc=${NVCC:-nvcc}
clang=${CLANG:-clang}

# With clang 14 and CUDA 13 all kernels build, and 70 of 73 workloads give right results; in b+tree, layernorm and pagedattn
# it moves shared loads over __syncthreads(), which tests/workloads.sh finds out.
# clang before 17 does not know toolkits of 12 and later: texture headers that they lack are left out, and the PTX version,
# which it would take from the toolkit's, is named.
old_clang="-D__CLANG_CUDA_TEXTURE_INTRINSICS_H__ -D__TEXTURE_INDIRECT_FUNCTIONS_H__ -D__SURFACE_INDIRECT_FUNCTIONS_H__
  -Iworkloads/common/clang -Xclang -target-feature -Xclang +ptx75"

say() { printf '%s\n' "$*" >&2; }

arch_of() {
  arch=$(sed -n '1s|^// ptx: \(compute_[0-9a-z]*\).*|\1|p' "$1")
  echo "${arch:-$default_arch}"
}

# Where a kernel file is.
source_of() { case $1 in blas_*) echo "src/blas/kernels/$1.cu" ;; *) echo "workloads/$1/$1.cu" ;; esac; }

# Lines of the source are of use to who reads a workload; a library is smaller without.
lines_of() { case $1 in workloads/*) echo line-info ;; esac; }

# The files of the tree that a kernel file includes, by paths relative to its folder, and what those include.
includes_of() {
  sed -n "s|^#include \"\(.*\)\"|$(dirname "$1")/\1|p" "$1" | while read -r file; do
    echo "$file"
    includes_of "$file"
  done
}

hash_of() { { cat "$1" $(includes_of "$1"); echo "$(arch_of "$1") -O3 $(lines_of "$1")"; } | sha256sum | cut -c1-32; }

# The hash a PTX file was made from; empty when there is none.
built_from() { if [ -f "$1" ]; then sed -n '1s|^// heddle-ptx \([0-9a-f]*\).*|\1|p' "$1"; fi; }

# Paths in .file lines: those of the tree become relative to its root, those of the compiler lose their folder.
relative_paths() {
  sed -e "s|\(\.file[^\"]*\"\)$PWD/|\1|" -e 's|\(\.file[^"]*"\)/.*/\([^/"]*"\)|\1\2|' -e '/^\/\/ \(Cuda\|Based\|Compiler\)/d'
}

compile() {
  arch=$(arch_of "$1")
  if command -v "$nvcc" >/dev/null 2>&1; then
    "$nvcc" -ptx -arch="$arch" -O3 $(lines_of "$1" | sed 's/^/--generate-/') "$1" -o "$2"
  elif command -v "$clang" >/dev/null 2>&1; then
    "$clang" -x cuda --cuda-device-only --cuda-gpu-arch="sm_${arch#compute_}" -O3 $(lines_of "$1" | sed 's/.*/-gline-tables-only/') -S \
      -Wno-unknown-cuda-version $old_clang "$1" -o "$2"
  else
    say "build_ptx: neither nvcc nor clang is here; the PTX in the tree is used as it is"
    exit 1
  fi
}

build() {
  cu=$(source_of "$1")
  ptx=${cu%.cu}.ptx
  raw=$(mktemp)
  compile "$cu" "$raw"
  { echo "// heddle-ptx $(hash_of "$cu") made by tools/build_ptx.sh from $1.cu for $(arch_of "$cu")"
    relative_paths <"$raw"; } >"$ptx.new"
  mv "$ptx.new" "$ptx"
  rm -f "$raw"
  say "built $ptx"
}

check=false
if [ "${1:-}" = --check ]; then check=true; shift; fi

named=$#
if [ $named -eq 0 ]; then
  for cu in workloads/*/*.cu src/blas/kernels/*.cu; do set -- "$@" "$(basename "$cu" .cu)"; done
fi

stale=0
for name in "$@"; do
  cu=$(source_of "$name")
  ptx=${cu%.cu}.ptx
  if [ ! -f "$cu" ]; then say "build_ptx: there is no $cu"; exit 2; fi
  current=false
  if [ "$(built_from "$ptx")" = "$(hash_of "$cu")" ]; then current=true; fi
  if $check; then
    if ! $current; then say "$ptx is not made from the present $name.cu"; stale=1; fi
  elif [ $named -gt 0 ] || ! $current; then
    build "$name"
  fi
done
exit $stale
