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
# As nvcc links by default (the runtime inside the program, bound to ours by its symbols), and with the shared runtime.
for source in tests/cuda/program_*.cu; do
  name=$(basename "$source" .cu)
  part=tests/cuda/part_${name#program_}.cu # compiled apart and linked, where there is one
  [ -f "$part" ] && source="-rdc=true $source $part"
  for runtime in static shared; do
    # shellcheck disable=SC2086
    if ! "$nvcc" -cudart $runtime -gencode arch=compute_75,code=compute_75 $source -o "$work/$name" 2>"$work/err"; then
      echo "$name, $runtime runtime: does not compile"
      cat "$work/err"
      bad=1
      continue
    fi
    preload=$PWD/$build/lib/libheddle-bind.so
    echo "$runtime runtime: $(compare "$name" env LD_PRELOAD="$preload" LD_LIBRARY_PATH="$build/lib" "$work/$name")" | tee "$work/last"
    grep -q FAILED "$work/last" && bad=1
  done
done

"$nvcc" -gencode arch=compute_75,code=compute_75 tests/cuda/program_memory.cu -o "$work/plain" && strip "$work/plain"
if "$build/heddle" run -- "$work/plain" >"$work/out" 2>"$work/err"; then
  echo "a stripped program with the runtime inside: FAILED, it must be refused"
  bad=1
elif grep -q "stripped of the symbols" "$work/err"; then
  echo "a stripped program with the runtime inside is refused with its reason: ok"
else
  echo "a stripped program with the runtime inside: FAILED"
  cat "$work/err"
  bad=1
fi
exit $bad
