#!/bin/sh
# Makes the PTX of the checker's cases from their CUDA C, with nvcc 13 (NVCC names another). The PTX is in the tree.
set -eu
cd "$(dirname "$0")"
for name in correct faulty; do
  ${NVCC:-nvcc} -ptx -lineinfo -arch=compute_80 $name.cu -o $name.ptx
  ${NVCC:-nvcc} -ptx -lineinfo -arch=compute_90 ${name}_90.cu -o ${name}_90.ptx
done
# Paths lose their folders, comments and debug sections that nothing reads go.
for ptx in *.ptx; do
  sed -i -e 's|\(\.file[^"]*"\)[^"]*/|\1|' -e '/^[ \t]*\/\//d' "$ptx"
done
