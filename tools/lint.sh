#!/bin/sh
# Compiles every C file for its warnings alone, with gcc and clang (those that are here), warnings being errors:
# lint.sh [FILE...]. Prints each compiler's complaints; exits 1 if there are any.
cd "$(dirname "$0")/.." || exit 2
warn="-std=gnu11 -fsyntax-only -Werror -Wall -Wextra -Wshadow -Wconversion -Wno-unknown-pragmas -D_GNU_SOURCE"
where="-Isrc -Iinclude -Iinclude/cuda -Iworkloads -Itests/mem -Itests/l1 -Itests/gpu -Itests/compress -Itests/lib"

# lint.sh --one COMPILER FILE: files that are built several ways are looked at in one of them.
if [ "${1:-}" = --one ]; then
  case $3 in
  src/cuda/runtime/*)
    # shellcheck disable=SC2086
    for major in 11 12; do "$2" "$3" -DRUNTIME_MAJOR=$major $warn $where || exit 1; done
    set -- "$2" "$3" -DRUNTIME_MAJOR=13
    ;;
  src/jit/*) set -- "$2" "$3" '-DNVRTC_FILE=""' -DNVRTC_MAJOR=13 '-DJITLINK_FILE=""' -DJITLINK_MAJOR=13 ;;
  src/exec/lanes/*) set -- "$2" "$3" -DEXEC_ISA=portable ;;
  tests/conformance/*) set -- "$2" "$3" -DCONFORMANCE_ZSTD ;;
  tests/ptx/*) set -- "$2" "$3" '-DPTX_TEST_DATA=""' '-DPTX_TEST_CORPUS=""' ;;
  tests/cli/*) set -- "$2" "$3" '-DCLI_HEDDLE=""' ;;
  tests/base/*) set -- "$2" "$3" '-DSTR_OBJECT=""' ;;
  *) set -- "$2" "$3" ;;
  esac
  # shellcheck disable=SC2086
  exec "$@" $warn $where
fi

[ $# -gt 0 ] || set -- $(find src tests workloads examples bench -name '*.c')
status=0
for compiler in gcc clang; do
  command -v $compiler >/dev/null || { echo "lint: no $compiler here"; continue; }
  complaints=$(printf '%s\n' "$@" | xargs -P "$(nproc)" -n 1 tools/lint.sh --one $compiler 2>&1)
  if [ -n "$complaints" ]; then
    printf '%s\n' "$complaints"
    status=1
  else
    echo "$compiler: $# files, no warnings"
  fi
done
exit $status
