#!/bin/sh
# libcupti: its tests with time and without, that programs find it by either name, that it says so when the driver is another, and its layouts and
# numbers against an installed header. usage: cupti.sh BUILD
cd "$(dirname "$0")/../.." || exit 2
build=${1:-build}
. tests/lib/checks.sh

check "records of a program, with time" answers 0 "PASSED  . 18 test" "$build/tests/test_cupti"
check "records of a program, without" answers 0 "PASSED  . 18 test" env HEDDLE_FUNCTIONAL=1 "$build/tests/test_cupti"

if grep -q __asan_init "$build/lib/libcuda.so.1"; then
  echo "skipped: programs that load it (the libraries are built with sanitizers)"
  finish
  exit
fi
for name in libcupti.so.12 libcupti.so.13; do
  cat >"$root/load.c" <<END
#include <dlfcn.h>
#include <stdio.h>
int main(void) {
  void *library = dlopen("$name", RTLD_NOW);
  int (*enable)(unsigned) = library ? (int (*)(unsigned))dlsym(library, "cuptiActivityEnable") : 0;
  if (!enable) return puts(dlerror()), 1;
  printf("answered %d\n", enable(1));
  return 0;
}
END
  check "a program is built" cc "$root/load.c" -o "$root/load" -ldl
  check "heddle run lets a program load $name" answers 0 "answered 0" "$build/heddle" run -- "$root/load"
done

# A driver that is not ours has the functions of CUDA, of which those suffice that libcupti names.
nm -D --undefined-only "$build/lib/libcupti.so.13" | sed -n 's/^ *U \(cu[A-Z][A-Za-z0-9_]*\).*/int \1(void) { return 1; }/p' >"$root/other.c"
mkdir "$root/other"
check "another driver is built" cc -shared -fPIC -Wl,-soname,libcuda.so.1 "$root/other.c" -o "$root/other/libcuda.so.1"
cp "$build/lib/libcupti.so.13" "$root/other"
check "with another driver it says so" answers 0 "traces Heddle's CUDA driver only" env LD_LIBRARY_PATH="$root/other" "$root/load"
check "and answers that it is not initialized" answers 0 "answered 15" env LD_LIBRARY_PATH="$root/other" "$root/load"

for home in "${CUDA_HOME:-/usr/local/cuda}" "${CUDA_PATH:-/usr/local/cuda}"; do
  for folder in "$home/include" "$home/extras/CUPTI/include"; do
    [ -f "$folder/cupti.h" ] && headers=$folder toolkit=$home
  done
done
if [ -z "${headers:-}" ] || ! grep -q 'CUPTI_API_VERSION 1300' "$headers/cupti_version.h"; then
  echo "skipped: layouts (there is no header of CUPTI 13.0 here)"
  finish
  exit
fi
check "the comparison of layouts compiles" cc -std=gnu11 -Isrc -I"$headers" -I"$toolkit/include" -x c tests/cupti/layout.inc -o "$root/layout"
check "layouts are those of the header" answers 0 "392 fields agree, 0 do not" "$root/layout"
check "numbers are those of the header" tests/cupti/numbers.sh "$headers" "$root"
finish
