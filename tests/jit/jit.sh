#!/bin/sh
# libnvrtc.so and libnvJitLink.so in front of an imitation of NVIDIA's, and alone: jit.sh BUILD. Last line "N passed, N failed".
build=$(cd "${1:-build}" && pwd) || exit 2
. "$(dirname "$0")/../lib/checks.sh"
mkdir -p "$root/toolkit/lib64"
cp "$build/tests/libtoolkit.so" "$root/toolkit/lib64/libnvrtc.so.13"
cp "$build/tests/libtoolkit.so" "$root/toolkit/lib64/libnvJitLink.so"
log=$root/out
run() { home=$1; shift; CUDA_HOME=$root/$home LD_LIBRARY_PATH=$build/lib HEDDLE_FUNCTIONAL=1 "$build/tests/jit_program" "$@" >"$root/out" 2>&1; }
says() { grep -q -- "$1" "$root/out"; }

run toolkit compile --gpu-architecture=sm_90 -G
check "machine code asked for becomes PTX of the same architecture" says "^option --gpu-architecture=compute_90$"
check "a program compiles" says "^compile NVRTC_SUCCESS$"
check "and what stands for its machine code runs" says "^launch 0, wrote 42$"
run toolkit compile -arch sm_80
check "also where the architecture is an option of its own" says "^option compute_80$"
check "and runs" says "^launch 0, wrote 42$"
run toolkit compile -DNAME=sm_90 -arch=compute_75
check "other options are left alone" says "^option -DNAME=sm_90$"
check "a program that asks for PTX has no machine code" sh -c "! grep -q launch '$root/out'"
run nowhere compile -arch=sm_90
check "without a toolkit compiling fails with a sentence" says "^heddle: NVRTC of a CUDA toolkit (libnvrtc.so) is not installed"
check "which is in the log too" says "^compile NVRTC_ERROR_COMPILATION: NVRTC of a CUDA toolkit"

run nowhere link
check "PTX is linked without a toolkit, and runs" says "^launch 0, wrote 42$"
run nowhere code
check "machine code is refused with a sentence" says "^link 8: the linker takes PTX"
run nowhere lto
check "intermediate code is refused where there is no toolkit" says "^link 5: nvJitLink of a CUDA toolkit"
run toolkit lto
check "and made PTX of where there is one" says "^link option -ptx$"
check "which runs" says "^launch 0, wrote 42$"
finish
