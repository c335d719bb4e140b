#!/bin/sh
# Every option that names a file to write, with - in its place: standard output has what the file would have and nothing else,
# and what else is shown is on standard error. outputs.sh BUILD. Last line "N passed, N failed".
heddle=$(cd "$1" && pwd)/heddle
. "$(dirname "$0")/../lib/checks.sh"
cd "$root" || exit 2

steady() { sed -e '/seconds"\|per_second\|peak_rss\|_gb_per_s/d' -e 's/"made":"[^"]*"//' "$1"; } # what does not change from run to run
# same SHOWN ARGUMENTS...: with @ for the file. SHOWN is looked for on standard error; none where it is empty.
same() {
  shown=$1
  shift
  # shellcheck disable=SC2046
  "$heddle" $(echo "$*" | sed 's/@/a-file/') >page 2>&1 || { cat page; return 1; }
  # shellcheck disable=SC2046
  "$heddle" $(echo "$*" | sed 's/@/-/') >out 2>err || { cat err; return 1; }
  steady a-file >want
  steady out >got
  [ -s want ] && cmp want got && [ ! -e - ] && [ ! -e -.part ] || return 1
  if [ -n "$shown" ]; then grep -q "$shown" err; else [ ! -s err ]; fi
}

check "run --json" same "IPC" run vectoradd --json @
check "what the program prints is not in it" grep -q '^vectoradd: ok' err
check "a report that heddle diff reads" "$heddle" diff out out
check "run --json=" same "IPC" run vectoradd --json=@
check "run --quiet --json" same "^vectoradd: ok" run vectoradd --quiet --json @
check "and no page" sh -c '! grep -q IPC err'
check "run --profile --json" same "What each line cost" run vectoradd --profile --json @
check "run --ncu --json" same "lts__t_sector_hit_rate.pct" run vectoradd --ncu --json @
check "its JSON has them, of each launch too" test "$(grep -c dram__bytes.sum out)" -eq 2
check "run --with --json" same "STP" run vectoradd --with scan --gpu gpu80 --json @
check "run --interval-csv" same "IPC" run vectoradd --interval 500 --interval-csv @
check "run --power-plot" same "IPC" run vectoradd --interval 500 --power-plot @
check "one in a file, one on standard output" same "IPC" run vectoradd --interval 500 --interval-csv csv --json @
check "tune --json" same "geometric mean" tune l1.ways vectoradd --values 2 --json @
check "tune -o" same "geometric mean" tune l1.ways vectoradd --values 2 -o @
check "characterize --json" same "Summary" characterize vectoradd --json @
check "characterize -o" same "Summary" characterize vectoradd -o @
check "area --json" same "storage beyond" area --json @
printf 'some bytes' >bytes
check "compress --json" same "ratio" compress bytes --json @
check "compress -o" same "ratio" compress bytes -o @
check "claims --json" same "reproduced" claims T31 --db lab.db --json @
check "claims --page" same "reproduced" claims T31 --db lab.db --page @
check "explore --json" same "combinations" explore vectoradd --gpu gtx480 --combinations 1 --rounds 1 --db lab.db --json @
check "report -o" same "" report lab.db -o @

check "the help says so" answers 0 "may be -, standard output" "$heddle" run --help
check "not where nothing is written" sh -c "! '$heddle' diff --help | grep -q 'may be -'"
check "two at once are refused" answers 2 "\-\-interval-csv and --json cannot both be -" "$heddle" run vectoradd --interval 500 --interval-csv - --json -
echo 'workloads = ["vectoradd"]' >plan.toml
check "a database is refused" answers 2 "a database cannot be standard output" "$heddle" sweep plan.toml --db -
full() { "$heddle" "$@" >/dev/full; }
check "a full standard output is reported" answers 3 "cannot write '-': No space left on device" full area --json -
closed() { "$heddle" "$@" >&-; }
check "a closed one is reported before anything runs" answers 3 "cannot write to standard output" closed area --json -
check "a folder that is not there is reported before anything runs" answers 3 "cannot write 'none/a.json': No such file" "$heddle" run vectoradd --json none/a.json
check "nothing ran" sh -c '! grep -q "vectoradd: ok\|IPC" "$0"' "$root/answer"
mkdir folder
check "a folder is no file" answers 3 "cannot write 'folder': Is a directory" "$heddle" run vectoradd --json folder
finish
