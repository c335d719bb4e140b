#!/bin/sh
# libheddle-bind.so on a program that only looks as if it had a CUDA runtime inside, so that no nvcc is needed: bind.sh BUILD. Real ones
# are run by tests/cuda/programs.sh. Last line "N passed, N failed".
build=$(cd "${1:-build}" && pwd) || exit 2
. "$(dirname "$0")/../lib/checks.sh"
if grep -q __asan_init "$build/lib/libcuda.so.1"; then
  echo "skipped: a runtime that is linked in (the libraries are built with sanitizers)"
  finish
  exit
fi
log=$root/out
program=$build/tests/bind_imitation
bound() { LD_PRELOAD="$build/lib/libheddle-bind.so" "$1" >"$root/out" 2>"$root/err"; }
says() { grep -qx "$1" "$root/out"; }

"$program" >"$root/out" 2>&1
check "by itself it answers with its own functions" says "devices: -1, status 7777"
check "with the library it runs" bound "$program"
check "its entry points are ours" says "devices: 1, status 0"
check "of the newest version, since it has nothing that older ones have" says "version: 13, status 0"
check "one that we do not have is refused" says "of nobody: status 801"
check "by name" grep -q "^heddle: cudaOfNobody is not supported$" "$root/err"
check "a function of the program is left alone" says "of the program: status 7777"
check "so is what the runtime has for itself" says "of its own: status 7777"
check "one with texture references gets that of CUDA 11" bound "${program}_11"
check "by its number" says "version: 11, status 0"
check "one with a second form of properties gets that of CUDA 12" bound "${program}_12"
check "by its number too" says "version: 12, status 0"
check "heddle run does it by itself" sh -c "'$build/heddle' run -- '$program' 2>/dev/null | grep -qx 'devices: 1, status 0'"
# Threads that make the same first calls at once: of a runtime that opens, and of one that does not (its driver is not there).
all_say() { # what all 16 threads are to say in each of 20 runs, folder of the libraries
  for run in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    LD_PRELOAD="$2/libheddle-bind.so" "$program" threads >"$root/out" 2>"$root/err" || return 1
    [ "$(grep -cx "$1" "$root/out")" = 16 ] || return 1
  done
}
check "threads may make the same first call at once" all_say "status 0 0" "$build/lib"
mkdir "$root/without" && cp "$build/lib/libheddle-bind.so" "$build/lib/libcudart.so.13" "$root/without"
check "also where our runtime cannot be opened" all_say "status 801 801" "$root/without"
check "each is refused by its own name" sh -c "grep -q '^heddle: cudaGetDeviceCount is not' '$root/err' && grep -q '^heddle: cudaRuntimeGetVersion is not' '$root/err'"
strip "$program" -o "$root/stripped"
check "a stripped one is refused by heddle run" answers 2 "stripped of the symbols" "$build/heddle" run -- "$root/stripped"
mkdir -p "$root/toolkit/lib64" && echo 'int other(int x) { return 3 * x; }' >"$root/other.c"
${CC:-cc} -c "$root/other.c" -o "$root/other.o"
ar rc "$root/toolkit/lib64/libcudart_static.a" "$root/other.o" "$build/tests/bind_imitation.o"
with_toolkit() { CUDA_HOME=$root/toolkit bound "$@"; }
check "by the archive that it was linked with a stripped one is bound" with_toolkit "$root/stripped"
check "its entry points are ours too" says "devices: 1, status 0"
check "those that we do not have are refused too" says "of nobody: status 801"
check "and what the runtime has for itself is left alone too" says "of its own: status 7777"
check "heddle run does it by itself too" sh -c "CUDA_HOME='$root/toolkit' '$build/heddle' run -- '$root/stripped' 2>/dev/null | grep -qx 'devices: 1, status 0'"
strip "${program}_12" -o "$root/stripped_12"
check "the archive of another version does not bind it" answers 2 "stripped of the symbols" env CUDA_HOME="$root/toolkit" "$build/heddle" run -- "$root/stripped_12"
check "and reported by the library" sh -c "LD_PRELOAD='$build/lib/libheddle-bind.so' '$root/stripped' 2>&1 | grep -q 'is stripped of its symbols'"
echo 'int main(void) { return 0; }' >"$root/driver.c"
${CC:-cc} "$root/driver.c" -o "$root/driver" && objcopy --add-section .nv_fatbin="$root/driver.c" "$root/driver"
check "one with an image, symbols and no runtime uses the driver only" sh -c "[ -z \"\$('$build/heddle' run -- '$root/driver' 2>&1 | grep stripped)\" ]"
check "and is no business of the library" sh -c "[ -z \"\$(LD_PRELOAD='$build/lib/libheddle-bind.so' '$root/driver' 2>&1)\" ]"
if ${CC:-cc} -static "$root/driver.c" -o "$root/static" 2>"$root/err" && objcopy --add-section .nv_fatbin="$root/driver.c" "$root/static"; then
  check "one that is linked statically is refused with what to do" answers 2 "link it without -static" "$build/heddle" run -- "$root/static"
else
  echo "skipped: a static program (the C library has no archive here)"
fi
if ${CC:-cc} -O0 -fno-toplevel-reorder -fsanitize=address -pthread "$(dirname "$0")/imitation.c" -o "$root/checked" 2>"$root/err"; then
  checked() { "$build/heddle" run --quiet -- "$root/checked" 2>"$root/err" && ! grep -q Sanitizer "$root/err"; }
  check "one built with -fsanitize=address runs, and nothing of ours is a leak" checked
else
  echo "skipped: -fsanitize=address (the compiler has no library for it here)"
fi
echo 'int fft(void) { return 0; }' >"$root/fft.c"
${CC:-cc} -shared -Wl,-soname,libcufft.so.11 "$root/fft.c" -o "$root/libcufft.so.11"
echo 'int fft(void); int main(void) { return fft(); }' >"$root/needs.c"
${CC:-cc} "$root/needs.c" "$root/libcufft.so.11" -o "$root/needs"
check "a library whose kernels are machine code is named before the program starts" sh -c \
  "LD_LIBRARY_PATH='$root' '$build/heddle' run -- '$root/needs' 2>&1 | grep -q 'needs libcufft.so, whose kernels are machine code'"
echo 'void report(void); int main(void) { report(); return 0; }' >"$root/linked.c"
${CC:-cc} "$root/linked.c" "$build/tests/libbind_imitation.so" -o "$root/linked"
{
  echo '#include <dlfcn.h>'
  echo 'int main(int n, char **v) { void *h = dlopen(v[n - 1], RTLD_NOW); void (*f)(void) = h ? (void (*)(void))dlsym(h, "report") : 0; if (f) f(); return !f; }'
} >"$root/opens.c"
${CC:-cc} "$root/opens.c" -o "$root/opens" -ldl
in_library="library: devices 1 at start, 1 now, status 0"
run_says() { "$build/heddle" run -- "$@" 2>/dev/null | grep -qx "$in_library"; }
check "the runtime in a library of the program is ours before the library starts" run_says "$root/linked"
check "so is that of a library that is opened later" run_says "$root/opens" "$build/tests/libbind_imitation.so"
${CC:-cc} -std=gnu11 -O0 -fno-toplevel-reorder -fPIC -DIMITATION_IS_LIBRARY -c "$(dirname "$0")/imitation.c" -o "$root/library.o"
${CC:-cc} -shared -s -Wl,-Bsymbolic "$root/library.o" -o "$root/libstripped.so"
ar r "$root/toolkit/lib64/libcudart_static.a" "$root/library.o"
check "a stripped library is bound by the archive that it was linked with" \
  sh -c "CUDA_HOME='$root/toolkit' '$build/heddle' run -- '$root/opens' '$root/libstripped.so' 2>/dev/null | grep -qx '$in_library'"
# One of many: 1,100 libraries that a library needs come before the one with a runtime.
mkdir "$root/many" && echo 'int nothing;' >"$root/nothing.c" && echo 'void report(void); void (*kept)(void) = report;' >"$root/all.c"
${CC:-cc} -shared -fPIC -nostdlib -Wl,-soname,libmany0000.so "$root/nothing.c" -o "$root/many/libmany0000.so"
i=1001
while [ $i -le 2100 ]; do
  LC_ALL=C sed "s/libmany0000/libmany$i/" "$root/many/libmany0000.so" >"$root/many/libmany$i.so"
  i=$((i + 1))
done
${CC:-cc} -shared -fPIC "$root/all.c" -o "$root/liball.so" -Wl,--no-as-needed "$root"/many/libmany[12]*.so "$build/tests/libbind_imitation.so" \
  -Wl,-rpath,"$root/many"
check "and of one that comes with a thousand others" run_says "$root/opens" "$root/liball.so"
${CC:-cc} -shared -fPIC "$root/all.c" -o "$root/libgone.so" -Wl,--no-as-needed "$build/tests/libbind_imitation.so" "$root/many/libmany0000.so"
{
  echo '#include <dlfcn.h>'
  echo '#include <stdio.h>'
  echo 'int main(int n, char **v) { void *h = dlopen(v[1], RTLD_NOW); if (h) return 1; h = dlopen(v[2], RTLD_NOW);'
  echo 'void (*f)(void) = h ? (void (*)(void))dlsym(h, "report") : 0; if (f) f(); return !f; }'
} >"$root/twice.c"
${CC:-cc} "$root/twice.c" -o "$root/twice" -ldl
check "and of one that is opened after another could not be" run_says "$root/twice" "$root/libgone.so" "$build/tests/libbind_imitation.so"
check "also by a program whose language is none of ours" run_says perl -e 'exec @ARGV' "$root/opens" "$build/tests/libbind_imitation.so"
check "the environment and the arguments stay what they are" sh -c "[ \"\$(LANDMARK=7 '$build/heddle' run -- env 2>/dev/null | grep LANDMARK)\" = LANDMARK=7 ]"
{
  echo 'typedef struct { char bytes[16]; } id; int cuGetExportTable(const void **, const id *);'
  echo 'int main(void) { const void *t; id i = {{1, 2, 3}}; return cuGetExportTable(&t, &i) != 801; }'
} >"$root/asks.c"
${CC:-cc} "$root/asks.c" "$build/lib/libcuda.so.1" -Wl,-rpath-link,"$build/lib" -o "$root/asks"
check "a private table of the driver is refused, by its name and by whose runtime asks" sh -c \
  "LD_LIBRARY_PATH='$build/lib' '$root/asks' 2>&1 | grep -q '^heddle: asks has a CUDA runtime inside .* table 01020300000000000000000000000000,'"
check "a program without a runtime is not touched" sh -c "LD_PRELOAD='$build/lib/libheddle-bind.so' true"

finish
