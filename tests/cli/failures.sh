#!/bin/sh
# Launches that fail or are refused: what the program gets, what stands in the report and on the page, the last line, and the exit
# status. failures.sh BUILD. Last line "N passed, N failed".
build=$(cd "$1" && pwd)
heddle=$build/heddle refused=$build/tests/cli_refused_program_13
. "$(dirname "$0")/../lib/checks.sh"
cd "$root" || exit 2

# runs STATUS HOW [OPTIONS]: what it said is in the files out and err, the report in report.json
runs() {
  runs_status=$1 how=$2
  shift 2
  # shellcheck disable=SC2086
  "$heddle" run --json report.json "$@" -- "$refused" $how >out 2>err
  runs_got=$?
  cat out err
  [ $runs_got -eq "$runs_status" ] || { echo "exit status $runs_got, not $runs_status"; return 1; }
}
# failure KERNEL ERROR LAUNCHES REASON: a row of the report, and of the page
failure() {
  tr -d '\n' <report.json | grep -q "{ *\"kernel\": $1, *\"error\": \"$2\", *\"reason\": \"[^\"]*$4[^\"]*\", *\"launches\": $3 *}" || {
    grep -A 20 '"failures"' report.json
    return 1
  }
  name=$(echo "$1" | sed -e 's/^null$/an unknown kernel/' -e 's/"//g')
  grep -q "^  failed launches *$3  of $name, $2: .*$4" out || { cat out; return 1; }
}
last_line() { tail -n 1 err | grep -q "^heddle: $1" || { cat err; return 1; }; }
said() { grep -q "^$1\$" out || { cat out; return 1; }; }
once() { [ "$(grep -c "$1" err)" = 1 ] || { cat err; return 1; }; }

for mode in "--gpu gtx480" --functional; do
  # shellcheck disable=SC2086
  {
    check "$mode nothing fails" runs 0 fine $mode --fail-on-error
    check "$mode and nothing says so" sh -c '! grep -q failures report.json && ! grep -q "failed launches" out && [ ! -s err ]'
    check "$mode a refused kernel is no failure of the program" runs 0 refused $mode
    check "$mode it is reported" said "bad cudaErrorNotSupported"
    check "$mode the other runs" said "good cudaSuccess"
    check "$mode and the context lives" said "synchronise cudaSuccess"
    check "$mode in the report" failure '"bad"' CUDA_ERROR_NOT_SUPPORTED 3 "instruction 'tcgen05.fence::before_thread_sync' in 'bad' is not supported"
    check "$mode the last line" last_line "3 launches failed or were refused, .*: bad, CUDA_ERROR_NOT_SUPPORTED\$"
    check "$mode the reason is said once" once "launch of bad refused: .*tcgen05.fence"
    check "$mode --quiet too" runs 0 refused $mode --quiet
    check "$mode the last line of --quiet" last_line "3 launches failed"
    check "$mode --fail-on-error" runs 1 refused $mode --fail-on-error
    check "$mode the program's own status comes first" runs 5 "refused now" $mode --fail-on-error
    check "$mode an image with nothing that runs" runs 1 alone $mode --fail-on-error
    check "$mode the same answer" said "bad cudaErrorNotSupported"
    check "$mode the same report" failure '"bad"' CUDA_ERROR_NOT_SUPPORTED 3 "tcgen05.fence::before_thread_sync"
    check "$mode PTX that cannot be read" runs 1 broken $mode --fail-on-error
    check "$mode is reported" said "good cudaErrorInvalidPtx"
    check "$mode in the report with its place" failure '"good"' CUDA_ERROR_INVALID_PTX 1 "frobnicate"
    check "$mode one is one" last_line "1 launch failed or was refused, .*: good, CUDA_ERROR_INVALID_PTX\$"
    check "$mode machine code" runs 1 machine $mode --fail-on-error
    check "$mode is reported" said "good cudaErrorNoKernelImageForDevice"
    check "$mode with what to do" failure '"good"' CUDA_ERROR_NO_BINARY_FOR_GPU 1 "machine code only"
    check "$mode wrong shapes and streams" runs 1 shape $mode --fail-on-error
    check "$mode the shape" failure '"good"' CUDA_ERROR_INVALID_VALUE 1 "larger than 1024 x 1024 x 64"
    check "$mode the stream" failure '"good"' "CUDA_ERROR_[A-Z_]*" 1 "invalid resource handle"
    check "$mode both are in the last line" last_line "2 launches failed .*, and others\$"
    check "$mode a kernel that is not there any more" runs 1 unloaded $mode --fail-on-error
    check "$mode has no name" failure null CUDA_ERROR_INVALID_HANDLE 1 "invalid resource handle"
    check "$mode a fault" runs 1 fault $mode --fail-on-error
    check "$mode is reported by the next call" said "synchronise cudaErrorIllegalAddress"
    check "$mode and is a failure" failure '"good"' CUDA_ERROR_ILLEGAL_ADDRESS 1 "null or an offset from null"
  }
done

check "a block that no SM holds" runs 1 wide --set sm.threads=512 --fail-on-error
check "is refused when it is launched" said "wide cudaErrorLaunchOutOfResources"
check "with what there is too little of" failure '"good"' CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES 1 "needs 1024 threads a CTA; an SM holds 512"
check "a smaller one runs" said "good cudaSuccess"
check "and the context lives" said "synchronise cudaSuccess"
check "without time it runs" runs 0 wide --set sm.threads=512 --functional --fail-on-error

refused=$build/tests/cli_refused_program_12
check "version 12: a refused kernel" runs 1 refused --fail-on-error
check "version 12: is reported" said "bad cudaErrorNotSupported"
check "version 12: wrong shapes" runs 1 shape --fail-on-error
check "version 12: have its own name" said "good cudaErrorInvalidConfiguration"
check "version 12: are counted" failure '"good"' CUDA_ERROR_INVALID_VALUE 1 "larger than 1024 x 1024 x 64"
refused=$build/tests/cli_refused_program_13

# The program slept for 0.3 s: that is not simulation.
seconds() { sed -n "s/.*\"$1\": \([0-9.e-]*\),*/\1/p" report.json; }
check "a program that sleeps" runs 0 fine
check "simulated in: without that" awk -v all="$(seconds seconds)" -v simulated="$(seconds simulation_seconds)" \
  'BEGIN { exit !(simulated > 0 && simulated + 0.3 <= all) }'
check "the rate of its four instructions is of it" awk -v simulated="$(seconds simulation_seconds)" -v rate="$(seconds warp_instructions_per_second)" \
  'BEGIN { exit !(rate * simulated > 3.9 && rate * simulated < 4.1) }'
# Commands that run programs for their figures look at failures too.
cat >table.toml <<TABLE
[bfs]
command = ["$refused", "refused"]
TABLE
check "characterize says so" answers 1 "3 launches failed or were refused, .*: bad" "$heddle" characterize -- "$refused" refused
check "compare says so" answers 1 "LAUNCHES FAILED" "$heddle" compare bfs --vary l1.org=base,tsc --programs table.toml
check "help" answers 0 "fail-on-error" "$heddle" run --help
finish
