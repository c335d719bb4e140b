#!/bin/sh
# The Python module against a build: python.sh BUILD. Last line "N passed, N failed".
build=$(cd "${1:-build}" && pwd) || exit 2
cd "$(dirname "$0")/../.." || exit 2
if grep -q __asan_init "$build/lib/libheddle.so.0"; then
  echo "the Python module: skipped, the library is built with sanitizers"
  exit 0
fi
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=python HEDDLE_HOME=$build exec python3 tests/python/test_heddle.py
