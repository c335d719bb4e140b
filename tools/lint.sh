#!/bin/sh
# Compiles every C file for its warnings alone, with gcc and clang (those that are here), warnings being errors:
# lint.sh [FILE...]. Prints each compiler's complaints; exits 1 if there are any.
cd "$(dirname "$0")/.." || exit 2
warn="-std=gnu11 -fsyntax-only -Werror -Wall -Wextra -Wshadow -Wconversion -Wno-unknown-pragmas -D_GNU_SOURCE"
where="-Isrc -Iinclude -Iinclude/cuda -Iworkloads -Itests/mem"
[ $# -gt 0 ] || set -- $(find src tests workloads examples bench -name '*.c')

# Files that are built several ways are looked at in one of them.
flags_of() {
  case $1 in
  src/cuda/runtime_*) echo "-DRUNTIME_MAJOR=13" ;;
  src/exec/lanes_*) echo "-DEXEC_ISA=portable" ;;
  tests/conformance/*) echo "-DCONFORMANCE_ZSTD" ;;
  tests/ptx/*) echo "-DPTX_TEST_DATA=\"\" -DPTX_TEST_CORPUS=\"\"" ;;
  esac
}

status=0
for compiler in gcc clang; do
  command -v $compiler >/dev/null || { echo "lint: no $compiler here"; continue; }
  complaints=$(for file in "$@"; do echo "$compiler $warn $where $(flags_of "$file") $file"; done |
    sed 's/"/\\"/g' | xargs -P "$(nproc)" -I '{}' sh -c '{}' 2>&1)
  if [ -n "$complaints" ]; then
    printf '%s\n' "$complaints"
    status=1
  else
    echo "$compiler: $# files, no warnings"
  fi
done
exit $status
