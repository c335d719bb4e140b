#!/bin/sh
# heddle compress: a file whose sizes are worked out by hand, the picture, several files, mistakes. compress.sh BUILD.
# Last line "N passed, N failed".
build=$1
. "$(dirname "$0")/../lib/checks.sh"
log=$root/log
compress() { "$build/heddle" compress "$@" >"$log" 2>&1; }
says() { # says STATUS WORDS ARGUMENTS...: it fails so and says so
  status=$1 words=$2
  shift 2
  answers "$status" "$words" "$build/heddle" compress "$@"
}
has() { tr -d ' \n' <"$root/json" | grep -qF "$1"; }

# A block of zeros, one of 'x', and four bytes that are filled up to a block.
{ head -c 128 /dev/zero; head -c 128 /dev/zero | tr '\0' x; printf abcd; } >"$root/file"
check "it runs" compress "$root/file" --json "$root/json" -o "$root/sizes.svg"
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
check "the ratio is shown" grep -q 'dpc  *5.14  *80.5 %' "$log"
check "the sizes are drawn" grep -q '<rect' "$root/sizes.svg"
check "several files are added up" sh -c "'$build/heddle' compress '$root/file' '$root/file' | grep -q 'all files: 520 bytes, 6 blocks'"
head -c 100000 "$build/heddle" >"$root/program"
check "a program's own bytes come back" compress "$root/program"
check "no file" says 2 "files are expected"
check "a file that is not there" says 2 "cannot read '$root/nothing'" "$root/nothing"
check "a folder" says 2 "cannot read '$root'" "$root"
: >"$root/empty"
check "an empty file" says 2 "is empty" "$root/empty"
check "an option that is none" says 2 "did you mean '--json'" --jsn x "$root/file"
check "a place that cannot be written" says 3 "cannot write" "$root/file" --json "$root/no/json"
run() { "$build/heddle" run bfs --gpu mesh56 "$@" >"$log" 2>&1; }
check "a run with compressed replies" run --set reply.compress=dpc
check "it says what that saved" grep -q 'replies compressed  *[1-9]' "$log"
run --set reply.compress=zip
check "a compressor that is none" grep -q "'zip' is not a value for 'reply.compress'.*none dpc bdi fpc cpack" "$log"
finish
