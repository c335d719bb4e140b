#!/bin/sh
# The test programs built by nvcc of CUDA 11 and 12, with the runtime linked in and shared, run on Heddle: older_toolkits.sh BUILD. The
# toolkits are those of the folders in HEDDLE_TOOLKITS, or /usr/local/cuda-11* and -12*. Last line "N passed, N failed". What the
# versions do differently is also tested without a toolkit (test_cuda_versions.c).
cd "$(dirname "$0")/../.." || exit 2
build=${1:-build}
. tests/lib/checks.sh
work=$root
like_h200=gpu.sms=132,sm.shared=233472,sm.shared_reserved=1024,sm.threads=2048,sm.ctas=32,sm.registers=65536
like_h200=$like_h200,gpu.memory=8589934592,gpu.clusters=132,sm.warps=64
if grep -q __asan_init "$build/lib/libcuda.so.1"; then
  echo "skipped: programs built by older toolkits (the libraries are built with sanitizers)"
  finish
  exit
fi

compare() { # name, program
  HEDDLE_FUNCTIONAL=1 HEDDLE_SET=$like_h200 LD_PRELOAD="$PWD/$build/lib/libheddle-bind.so" LD_LIBRARY_PATH="$build/lib" "$2" >"$work/out" 2>"$work/err"
  status=$?
  [ $status -eq 0 ] && diff "tests/cuda/expected/$1.txt" "$work/out" && return 0
  echo "exit status $status"
  cat "$work/err"
  return 1
}

# What these programs print does not depend on the version (program_errors's does); 11 has no attributes of clusters.
names="cooperative device_runtime faults linked memory streams texture"
for name in $names; do check "what program_$name prints is recorded" test -s "tests/cuda/expected/program_$name.txt"; done
found=0
for toolkit in ${HEDDLE_TOOLKITS:-/usr/local/cuda-11* /usr/local/cuda-12*}; do
  [ -x "$toolkit/bin/nvcc" ] || continue
  found=1
  version=$("$toolkit/bin/nvcc" --version | sed -n 's/.*release \([0-9]*\)\..*/\1/p')
  programs="program_cluster program_device_copy"
  [ "$version" = 11 ] && programs="reference_11"
  for name in $names; do programs="$programs program_$name"; done
  for name in $programs; do
    source=tests/cuda/$name.cu
    part=tests/cuda/part_${name#program_}.cu
    [ -f "$part" ] && source="-rdc=true $source $part"
    arch=75
    case $name in program_cluster | program_device_copy) arch=90 ;; esac
    [ "$name" = program_device_copy ] && source="-rdc=true $source"
    for runtime in static shared; do
      # shellcheck disable=SC2086
      check "$name compiles, CUDA $version, $runtime runtime" "$toolkit/bin/nvcc" -w -allow-unsupported-compiler -std=c++17 -cudart $runtime \
        -gencode arch=compute_$arch,code=compute_$arch $source -o "$work/$name"
      check "$name, CUDA $version, $runtime runtime" compare "$name" "$work/$name"
    done
  done
done
[ $found = 1 ] || echo "skipped: programs built by nvcc of CUDA 11 and 12 (no such toolkit in /usr/local or HEDDLE_TOOLKITS)"
finish
