#!/bin/sh
# Makes what the tests keep in the tree: kernels.ptx and the fat binaries (anywhere with nvcc 13), and with --gpu, on a
# machine with a GPU, the expected outputs. usage: tests/cuda/record_programs.sh [--gpu OUTPUT_FOLDER]
set -e
cd "$(dirname "$0")/../.."
nvcc=${CUDA_HOME:+$CUDA_HOME/bin/}nvcc
ptx="-gencode arch=compute_75,code=compute_75"
if [ "$1" != --gpu ]; then
  $nvcc -ptx -arch=compute_75 tests/cuda/kernels.cu -o tests/cuda/kernels.ptx
  sed -i '/^[ \t]*\/\//d' tests/cuda/kernels.ptx
  cd tests/cuda/data
  $nvcc -fatbin $ptx registered.cu -o registered_zstd.fatbin
  $nvcc -fatbin --compress-mode=speed $ptx registered.cu -o registered_lz4.fatbin
  $nvcc -fatbin -no-compress $ptx -gencode arch=compute_80,code=sm_80 registered.cu -o registered_plain.fatbin
  $nvcc -fatbin -gencode arch=compute_80,code=sm_80 registered.cu -o registered_machine.fatbin
  exit
fi
out=$2
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
driver=$(ldconfig -p | awk '/libcuda.so.1/ { print $NF; exit }')
for source in tests/cuda/area_*.c; do
  name=$(basename "$source" .c)
  cc -D_GNU_SOURCE -Iinclude/cuda -Itests/cuda "$source" -o "$work/$name" "$driver" -lpthread
  "$work/$name" >"$out/$name.txt" 2>"$out/$name.err" || echo "$name ended with $?"
done
for source in tests/cuda/program_*.cu; do
  name=$(basename "$source" .cu)
  [ "$name" = program_device_sync ] && continue # no GPU of compute capability 9.0 does that; its output follows from the language
  part=tests/cuda/part_${name#program_}.cu
  [ -f "$part" ] && source="-rdc=true $source $part"
  cupti=$(dirname "$(command -v "$nvcc")")/../extras/CUPTI
  [ "$name" = program_cupti ] && source="-I$cupti/include $source -L$cupti/lib64 -lcupti"
  arch=75
  case $name in program_cluster | program_device_copy) arch=90 ;; esac
  [ "$name" = program_device_copy ] && source="-rdc=true $source"
  $nvcc -std=c++17 -cudart shared -gencode arch=compute_$arch,code=compute_$arch $source -o "$work/$name"
  "$work/$name" >"$out/$name.txt" 2>"$out/$name.err" || echo "$name ended with $?"
done
for source in tests/cuda/runtime_*.c; do
  name=$(basename "$source" .c)
  $nvcc -cudart shared -Iinclude/cuda "$source" -o "$work/$name"
  "$work/$name" >"$out/$name.txt" 2>"$out/$name.err" || echo "$name ended with $?"
done
