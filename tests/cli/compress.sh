#!/bin/sh
# heddle compress: a file whose sizes are worked out by hand, the picture, several files, mistakes. Lives in BUILD/tests.
# Last line "N passed, N failed".
build=$(dirname "$0")/..
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
passed=0
failed=0
check() { # check NAME COMMAND...
  name=$1
  shift
  if "$@"; then passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "$name"
    tail -n 5 "$out/log"
  fi
}
compress() { "$build/heddle" compress "$@" >"$out/log" 2>&1; }
says() { # says STATUS WORDS ARGUMENTS...: it fails so and says so
  status=$1
  words=$2
  shift 2
  compress "$@"
  [ $? -eq "$status" ] && grep -q "$words" "$out/log"
}
has() { tr -d ' \n' <"$out/json" | grep -qF "$1"; }

# A block of zeros, one of 'x', and four bytes that are filled up to a block.
{ head -c 128 /dev/zero; head -c 128 /dev/zero | tr '\0' x; printf abcd; } >"$out/file"
check "it runs" compress "$out/file" --json "$out/json" -o "$out/sizes.svg"
check "three blocks, the last filled up" has '"bytes":260,"blocks":3'
# Of 'abcd', 13 bits are 1: 1 + 32 + 19 + 13 * 32 beside twice 1 + 32 + 32.
check "dual pattern" has '"name":"dpc","bits":598'
# 4; 4 + 64; 'abcd' is the base of base 8 delta 1: 4 + 16 + 64 + 128.
check "base, delta, immediate" has '"name":"bdi","bits":284'
# 1 + 4 * 6; 1 + 32 * 11; 1 + 35 + 4 * 6.
check "frequent patterns" has '"name":"fpc","bits":438'
# 1 + 32 * 2; 1 + 34 + 31 * 6; 1 + 34 + 31 * 2.
check "C-Pack" has '"name":"cpack","bits":383'
check "sizes are counted in steps" has '"at_most":[{"bytes":16,"blocks":2},{"bytes":32,"blocks":0},{"bytes":48,"blocks":0},{"bytes":64,"blocks":1}'
check "the ratio is shown" grep -q 'dpc  *5.14  *80.5 %' "$out/log"
check "the sizes are drawn" grep -q '<rect' "$out/sizes.svg"
check "several files are added up" sh -c "'$build/heddle' compress '$out/file' '$out/file' | grep -q 'all files: 520 bytes, 6 blocks'"
head -c 100000 "$build/heddle" >"$out/program"
check "a program's own bytes come back" compress "$out/program"
check "no file" says 2 "files are expected"
check "a file that is not there" says 2 "cannot read '$out/nothing'" "$out/nothing"
check "a folder" says 2 "cannot read '$out'" "$out"
: >"$out/empty"
check "an empty file" says 2 "is empty" "$out/empty"
check "an option that is none" says 2 "did you mean '--json'" --jsn x "$out/file"
check "a place that cannot be written" says 3 "cannot write" "$out/file" --json "$out/no/json"
run() { "$build/heddle" run bfs --gpu mesh56 "$@" >"$out/log" 2>&1; }
check "a run with compressed replies" run --set reply.compress=dpc
check "it says what that saved" grep -q 'replies compressed  *[1-9]' "$out/log"
run --set reply.compress=zip
check "a compressor that is none" grep -q "'zip' is not a value for 'reply.compress'.*none dpc bdi fpc cpack" "$out/log"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
