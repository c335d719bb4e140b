#!/bin/bash
# heddle run --trace: the file read back (check_trace.py), the same with any number of threads, within its limit, and what is refused:
# trace.sh BUILD. Last line "N passed, N failed".
heddle=$(realpath "$1/heddle")
here=$(cd "$(dirname "$0")" && pwd)
. "$(dirname "$0")/../lib/checks.sh"
cd "$root" || exit 2

reads_back() { # reads_back TRACE [REPORT]
  python3 "$here/check_trace.py" "$@" >read.log
  cat read.log
  p=$(tail -n 1 read.log)
  f=${p#*, }
  passed "${p%% *}" "${f%% *}"
  [ "${f%% *}" = 0 ]
}
traced() { # traced NAME WORKLOAD OPTIONS...: and read back
  local name=$1
  shift
  check "a trace of $*" "$heddle" run "$@" --quiet --trace "$name.json" --json "$name.report"
  check "$name is whole" reads_back "$name.json" "$name.report"
}
traced bfs bfs
traced h200 spmv --gpu h200
traced coop spmv --gpu gtx480-ccn --set coop=ccn-b
traced both vectoradd --with scan --gpu gpu80

untouched() { "$heddle" run bfs --quiet --json plain.report && for file in plain bfs; do sed '/"host": {/,/}/d' $file.report >$file.same; done && cmp plain.same bfs.same; }
check "a trace changes no result" untouched
check "with two threads" "$heddle" run bfs --quiet --threads 2 --set gpu.all_threads=true --trace two.json
check "the same trace" cmp bfs.json two.json
check "to standard output" sh -c "'$heddle' run bfs --quiet --trace - >out.json 2>/dev/null"
check "it is the same" cmp bfs.json out.json
check "a small one" "$heddle" run bfs --quiet --trace small.json --trace-limit 1
check "keeps to its limit" test "$(stat -c %s small.json)" -le 1000000
check "and uses it" test "$(stat -c %s small.json)" -gt 300000
check "and is whole" reads_back small.json
check "a run that was stopped" answers 0 "stopped by the limit of cycles" "$heddle" run bfs --quiet --max-cycles 3000 --trace stopped.json
check "has a trace too" reads_back stopped.json
check "no cycles, no trace" answers 2 "and --trace need a timed run" "$heddle" run bfs --functional --trace x.json
check "an estimate has no trace" answers 2 "page and --trace would show the simulated launches alone" "$heddle" run bfs --sample --trace x.json
check "no GPU, no trace" answers 0 "made no CUDA call" "$heddle" run --trace x.json -- /bin/true
check "a limit of nothing" answers 2 "trace-limit needs --trace FILE" "$heddle" run bfs --trace-limit 5
check "a limit that is no number" answers 2 "trace-limit x: a whole number" "$heddle" run bfs --trace x.json --trace-limit x
check "too large" answers 2 "at most 4096 MB can be written" "$heddle" run bfs --trace x.json --trace-limit 5000
check "a place that cannot be written" answers 3 "cannot write 'none/x.json'" "$heddle" run bfs --trace none/x.json
finish
