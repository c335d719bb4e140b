#!/bin/sh
# Runs the CUDA test programs of a build on Heddle and compares their standard output with what an H200 answered
# (tests/cuda/expected). usage: tests/cuda/programs.sh BUILD. Last line "N passed, N failed".
cd "$(dirname "$0")/../.." || exit 2
build=${1:-build}
# What the recorded outputs depend on: occupancy and limits of an SM.
like_h200=gpu.sms=132,sm.shared=233472,sm.shared_reserved=1024,sm.threads=2048,sm.ctas=32,sm.registers=65536
like_h200=$like_h200,gpu.memory=8589934592
like_h200=$like_h200,gpu.clusters=132,sm.warps=64
functional=1
. tests/lib/checks.sh
work=$root

compare() { # name, command...
  name=$1
  shift
  HEDDLE_FUNCTIONAL=$functional HEDDLE_SET=$like_h200 "$@" >"$work/out" 2>"$work/err"
  status=$?
  if [ $status -ne 0 ] || ! diff "tests/cuda/expected/$name.txt" "$work/out" >"$work/diff"; then
    echo "exit status $status"
    cat "$work/diff" "$work/err"
    false
  fi
}

for program in "$build"/tests/cuda/area_* "$build"/tests/cuda/runtime_*; do
  case $program in *.d | *'*') continue ;; esac
  name=$(basename "$program")
  check "$name" compare "$name" "$program"
done

# With time too, where order between streams matters (in area_launch blocks print in the order of their time).
functional=0
for name in context copy fault graph memory stream; do
  check "area_$name with time" compare area_$name "$build/tests/cuda/area_$name"
done
functional=1

nvcc=$(command -v "${CUDA_HOME:+$CUDA_HOME/bin/}nvcc")
if [ -z "$nvcc" ]; then
  echo "skipped: programs built by nvcc (there is no nvcc here)"
  finish
  exit
fi
if grep -q __asan_init "$build/lib/libcuda.so.1"; then
  echo "skipped: programs built by nvcc (the libraries are built with sanitizers)"
  finish
  exit
fi
# As nvcc links by default (the runtime inside the program, bound to ours by its symbols), and with the shared runtime.
for source in tests/cuda/program_*.cu; do
  name=$(basename "$source" .cu)
  part=tests/cuda/part_${name#program_}.cu # compiled apart and linked, where there is one
  [ -f "$part" ] && source="-rdc=true $source $part"
  arch=75
  case $name in program_cluster | program_device_copy) arch=90 ;; esac
  case $name in program_device_copy | program_device_sync) source="-rdc=true $source" ;; esac
  if [ "$name" = program_batches ] && "$nvcc" --version | grep -q 'release 1[12]'; then
    echo "skipped: $name (its calls are of CUDA 13)"
    continue
  fi
  if [ "$name" = program_cupti ]; then
    headers=$(dirname "$nvcc")/../extras/CUPTI/include
    echo '#include <cupti.h>' >"$work/has_cupti.cu"
    "$nvcc" -I"$headers" -E "$work/has_cupti.cu" >/dev/null 2>&1 || { echo "skipped: $name (there is no header of CUPTI here)" && continue; }
    source="-I$headers $source -L$build/lib -l:libcupti.so.13"
  fi
  for runtime in static shared; do
    # shellcheck disable=SC2086
    check "$name compiles, $runtime runtime" "$nvcc" -std=c++17 -cudart $runtime -gencode arch=compute_$arch,code=compute_$arch $source -o "$work/$name"
    check "$name, $runtime runtime" compare "$name" env LD_PRELOAD="$PWD/$build/lib/libheddle-bind.so" LD_LIBRARY_PATH="$build/lib" \
      "$work/$name"
    [ "$name" = program_texture ] || continue
    check "$name is told that there is no anisotropic filtering, once" sh -c "[ \$(grep -c 'not filtered anisotropically' '$work/err') = 1 ]"
  done
  case $name in program_faults | program_device_sync) ;; *) continue ;; esac
  functional=0
  check "$name with time, and much on its way" compare "$name" env LD_LIBRARY_PATH="$build/lib" "$work/$name"
  functional=1
done

# Each checks what it computes; with time too.
for source in examples/hopper/*.cu; do
  name=$(basename "$source" .cu)
  check "$name compiles" "$nvcc" -std=c++17 -O3 -gencode arch=compute_90a,code=compute_90a "$source" -o "$work/$name"
  check "$name without time" answers 0 " 0 wrong" "$build/heddle" run --gpu h200 --functional -- "$work/$name"
  check "$name with time" answers 0 " 0 wrong" "$build/heddle" run --gpu h200 -- "$work/$name"
done

"$nvcc" -gencode arch=compute_75,code=compute_75 tests/cuda/program_memory.cu -o "$work/plain" && strip "$work/plain"
check "a stripped program with the runtime inside is bound by the toolkit it was built with" compare program_memory env \
  CUDA_HOME="$(dirname "$nvcc")/.." LD_PRELOAD="$PWD/$build/lib/libheddle-bind.so" LD_LIBRARY_PATH="$build/lib" "$work/plain"
check "without one it is refused with its reason" answers 2 "stripped of the symbols" env CUDA_HOME="$work" "$build/heddle" run -- "$work/plain"
finish
