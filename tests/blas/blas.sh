#!/bin/sh
# libcublas: every routine against a model on the host, without time and with it, under heddle check; a program that nvcc builds, where
# it is: blas.sh BUILD. Last line "N passed, N failed".
cd "$(dirname "$0")/../.." || exit 2
build=${1:-build}
. tests/lib/checks.sh
library=$build/lib/libcublas.so.13
lists="src/blas/blas_names.txt tests/blas/refused.txt"

# Its own counts are part of the last line.
routines() { # what, command...
  what=$1
  shift
  "$@" >"$root/out" 2>"$root/err"
  status=$?
  check "$what" test $status -eq 0 || { grep FAILED "$root/out" | head -20; tail -5 "$root/err"; }
}
for part in "" gemm level3 level1 level2 factor interfaces; do
  # shellcheck disable=SC2086
  if [ -n "$part" ]; then routines "$part, timed" "$build/heddle" run -- "$build/tests/test_blas" "$library" $lists "$part"
  else
    routines "every routine" env HEDDLE_FUNCTIONAL=1 "$build/tests/test_blas" "$library" $lists
    check "a refused call is named" grep -q "heddle: cublasXtSgemm is not supported" "$root/err"
  fi
done
# shellcheck disable=SC2086
routines "the tiles that an H200 has room for" "$build/heddle" run --gpu h200 --functional -- "$build/tests/test_blas" "$library" $lists gemm
for version in 11 12; do
  # shellcheck disable=SC2086
  routines "the library of CUDA $version" env HEDDLE_FUNCTIONAL=1 "$build/tests/test_blas" "$build/lib/libcublas.so.$version" $lists interfaces
done
# shellcheck disable=SC2086
for part in gemm level3 level1 level2 factor; do
  check "$part under heddle check" "$build/heddle" check -- "$build/tests/test_blas" "$library" $lists "$part"
done
check "its PTX is made from its sources" tools/build_ptx.sh --check blas_gemm blas_mixed blas_view blas_level1 blas_level2 blas_level3 \
  blas_factor
nvcc=$(command -v nvcc || echo "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc")
if [ ! -x "$nvcc" ] || grep -q __asan_init "$build/lib/libcuda.so.1"; then
  echo "skipped: a program with cuBLAS built by nvcc (no nvcc, or the libraries are built with sanitizers)"
else
  for runtime in static shared; do
    check "a program compiles, $runtime runtime" "$nvcc" -w -cudart $runtime -gencode arch=compute_75,code=compute_75 \
      tests/blas/program_blas.cu -o "$root/program" -lcublas
    for how in "" --functional; do
      # shellcheck disable=SC2086
      "$build/heddle" run $how -- "$root/program" >"$root/out" 2>"$root/err"
      check "a program, $runtime runtime $how" grep -q "0 wrong, norm right, place right" "$root/out" || cat "$root/err"
      check "no warning of cuBLAS" sh -c "! grep -q libcublas '$root/err'"
    done
  done
fi
finish
