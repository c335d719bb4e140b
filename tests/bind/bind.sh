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
check "heddle run does it by itself" sh -c "'$build/heddle' run -- '$program' 2>/dev/null | grep -qx 'devices: 1, status 0'"
strip "$program" -o "$root/stripped"
check "a stripped one is refused by heddle run" answers 2 "stripped of the symbols" "$build/heddle" run -- "$root/stripped"
check "and reported by the library" sh -c "LD_PRELOAD='$build/lib/libheddle-bind.so' '$root/stripped' 2>&1 | grep -q 'is stripped of its symbols'"
echo 'int main(void) { return 0; }' >"$root/driver.c"
${CC:-cc} "$root/driver.c" -o "$root/driver" && objcopy --add-section .nv_fatbin="$root/driver.c" "$root/driver"
check "one with an image, symbols and no runtime uses the driver only" sh -c "[ -z \"\$('$build/heddle' run -- '$root/driver' 2>&1 | grep stripped)\" ]"
check "and is no business of the library" sh -c "[ -z \"\$(LD_PRELOAD='$build/lib/libheddle-bind.so' '$root/driver' 2>&1)\" ]"
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
