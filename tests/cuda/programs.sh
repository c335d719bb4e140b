#!/bin/sh
# Runs the CUDA test programs of a build on Heddle and compares their standard output with what an H200 answered
# (tests/cuda/expected). usage: tests/cuda/programs.sh BUILD
cd "$(dirname "$0")/../.." || exit 2
build=${1:-build}
bad=0
# What the recorded outputs depend on: occupancy and limits of an SM.
like_h200=gpu.sms=132,sm.shared=233472,sm.shared_reserved=1024,sm.threads=2048,sm.ctas=32,sm.registers=65536
like_h200=$like_h200,gpu.memory=8589934592
like_h200=$like_h200,gpu.clusters=132,sm.warps=64
functional=1
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

compare() { # name, command...
  name=$1
  shift
  HEDDLE_FUNCTIONAL=$functional HEDDLE_SET=$like_h200 "$@" >"$work/out" 2>"$work/err"
  status=$?
  if [ $status -ne 0 ] || ! diff "tests/cuda/expected/$name.txt" "$work/out" >"$work/diff"; then
    echo "$name: FAILED (exit $status)"
    cat "$work/diff" "$work/err"
    bad=1
  else
    echo "$name: ok"
  fi
}

for program in "$build"/tests/cuda/area_* "$build"/tests/cuda/runtime_*; do
  case $program in *.d | *'*') continue ;; esac
  compare "$(basename "$program")" "$program"
done

# With time too, where order between streams matters (in area_launch blocks print in the order of their time).
functional=0
for name in context copy fault graph memory stream; do
  echo "with time: $(compare area_$name "$build/tests/cuda/area_$name")" | tee "$work/timed"
  grep -q FAILED "$work/timed" && bad=1
done
functional=1

nvcc=$(command -v "${CUDA_HOME:+$CUDA_HOME/bin/}nvcc")
if [ -z "$nvcc" ]; then
  echo "programs built by nvcc: skipped, there is no nvcc here"
  exit $bad
fi
if grep -q __asan_init "$build/lib/libcuda.so.1"; then
  echo "programs built by nvcc: skipped, the libraries are built with sanitizers"
  exit $bad
fi
for source in tests/cuda/program_*.cu; do
  name=$(basename "$source" .cu)
  part=tests/cuda/part_${name#program_}.cu # compiled apart and linked, where there is one
  [ -f "$part" ] && source="-rdc=true $source $part"
  # shellcheck disable=SC2086
  if ! "$nvcc" -cudart shared -gencode arch=compute_75,code=compute_75 $source -o "$work/$name" 2>"$work/err"; then
    echo "$name: does not compile"
    cat "$work/err"
    bad=1
    continue
  fi
  compare "$name" env LD_LIBRARY_PATH="$build/lib" "$work/$name"
  [ "$name" = program_faults ] || continue
  functional=0 # with much on its way
  compare "$name" env LD_LIBRARY_PATH="$build/lib" "$work/$name"
  functional=1
done
exit $bad
