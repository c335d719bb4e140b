#!/bin/bash
# Sweeps as a user runs them: sweeps.sh BUILD. Killed at random moments and resumed, two into one database, failing
# runs, Ctrl-C, a full disk. Last line "N passed, N failed".
heddle=$(realpath "$1/heddle")
query=$(realpath "$1/tests/lab_query")
. "$(dirname "$0")/../lib/checks.sh"
cd "$root" || exit 2
RANDOM=${SEED:-1}
rows() { "$query" "$1" "$2"; }
# What a sweep is to leave, without what differs between two equal ones: order, times.
contents() {
  rows "$1" "SELECT key, status, error, output_ok, cycles, ipc FROM runs ORDER BY key"
  rows "$1" "SELECT r.key, s.name, s.value FROM stats s JOIN runs r ON r.id = s.run ORDER BY 1, 2"
  rows "$1" "SELECT r.key, s.name, s.value FROM settings s JOIN runs r ON r.id = s.run ORDER BY 1, 2"
  rows "$1" "SELECT r.key, k.position, k.name, k.cycles FROM kernels k JOIN runs r ON r.id = k.run ORDER BY 1, 2"
  rows "$1" "SELECT name, unit, meaning FROM statistics ORDER BY 1"
  rows "$1" "SELECT count(*) FROM claims"
}
same() { cmp <(contents "$1") <(contents "$2"); }
finished() { rows "$1" "SELECT count(*) FROM runs" 2>/dev/null || echo 0; }

cat >plan.toml <<'END'
workloads = ["vectoradd", "reduction", "scan"]
[vary]
"l1.ways" = [2, 4]
"sm.scheduler" = ["lrr", "gto"]
END
total=12

check "an undisturbed sweep" "$heddle" sweep plan.toml --db whole.db --jobs 2 --json-dir json
check "its runs" test "$(finished whole.db)" = $total
check "its files" test "$(ls json/*.json | wc -l)" = $total
check "no file is left half" test -z "$(ls json | grep -v '\.json$')"
check "a second time nothing is run" sh -c "'$heddle' sweep plan.toml --db whole.db | grep -q '^12 runs: 12 stored before, 0 now, 0 failed'"
echo 'workloads = ["vectoradd+scan"]' >pair.toml
check "two workloads on one GPU" "$heddle" sweep pair.toml --db pair.db
check "each has its cycles" test "$(rows pair.db "SELECT count(*) FROM stats WHERE name LIKE 'programs._.cycles' AND value > 0")" = 2
printf 'workloads = ["vectoradd+scan", "scan"]\n[set]\n"gpu.max_thread_instructions" = 100000\n' >limited.toml
check "runs that stop on purpose" "$heddle" sweep limited.toml --db limited.db
check "end well, their output unchecked" test "$(rows limited.db "SELECT count(*) FROM runs WHERE status = 'ok' AND output_ok IS NULL")" = 2
check "and say what each program did" test "$(rows limited.db "SELECT count(*) FROM stats WHERE name LIKE 'programs._.ipc' AND value > 0")" = 2
check "one process gives the same" "$heddle" sweep plan.toml --db one.db --jobs 1
check "one process gives the same database" same whole.db one.db

# Killed again and again, each time a little later; what was stored is never lost.
before=0
kept=1
for try in 1 2 3 4 5 6 7 8; do
  "$heddle" sweep plan.toml --db killed.db --jobs 2 >/dev/null 2>&1 &
  pid=$!
  sleep "0.$((RANDOM % 6))$((RANDOM % 10))"
  kill -9 $pid 2>/dev/null
  wait $pid 2>/dev/null
  now=$(finished killed.db)
  [ "$now" -ge "$before" ] || kept=0
  before=$now
done
check "kill -9 loses nothing that was stored" test $kept = 1
sleep 0.2
check "nothing of a killed sweep goes on" sh -c "! pgrep -f 'heddle-workloads (vectoradd|reduction|scan) --size small' -P 1"
check "resumed after kill -9" "$heddle" sweep plan.toml --db killed.db --jobs 2
check "killed and resumed equals undisturbed" same whole.db killed.db

"$heddle" sweep plan.toml --db both.db --jobs 1 >first.log 2>&1 &
first=$!
"$heddle" sweep plan.toml --db both.db --jobs 1 >second.log 2>&1
second=$?
wait $first
check "two sweeps at once both end well" test $?$second = 00
check "two sweeps at once equal one" same whole.db both.db
check "two sweeps at once share the work" test "$(cat first.log second.log | grep -c ' cycles, ')" = $total

for i in 1 2 3; do "$heddle" sweep plan.toml --db shards.db --shard $i/3 >>shards.log 2>&1; done
check "shards make up the whole" same whole.db shards.db
check "shards do not overlap" test "$(grep -c ' cycles, ' shards.log)" = $total

# A CTA that does not fit the SM is refused when it is launched.
cat >failing.toml <<'END'
workloads = ["vectoradd", "reduction"]
[vary]
"sm.threads" = [32, 1536]
END
"$heddle" sweep failing.toml --db failing.db >failing.log 2>&1
check "a sweep with failing runs says so" test $? = 1
check "failing runs are stored" test "$(rows failing.db "SELECT count(*) FROM runs WHERE status = 'failed' AND length(error) > 10")" = 2
check "and do not stop the others" test "$(rows failing.db "SELECT count(*) FROM runs WHERE status = 'ok'")" = 2
check "failed runs are not repeated" sh -c "'$heddle' sweep failing.toml --db failing.db | grep -q '^4 runs: 4 stored before, 0 now, 2 failed'"
check "unless asked" sh -c "'$heddle' sweep failing.toml --db failing.db --retry-failed | grep -q '^4 runs: 2 stored before, 2 now, 2 failed'"

# A workload that is content although a launch of it was refused: the run has failed all the same.
mkdir content
cp "$heddle" content/heddle
ln -s "$(dirname "$heddle")/lib" content/lib
cat >content/heddle-workloads <<END
#!/bin/sh
"$(dirname "$heddle")/heddle-workloads" "\$@" || exit
[ "\$1" = vectoradd ] || exit 0
report=\$(sed '1s/{/{"failures": [{"kernel": "add", "error": "CUDA_ERROR_NOT_SUPPORTED", "reason": "no such thing", "launches": 1}],/' "\$HEDDLE_REPORT")
printf '%s' "\$report" >"\$HEDDLE_REPORT"
END
chmod +x content/heddle-workloads
echo 'workloads = ["vectoradd", "scan"]' >content.toml
check "a refused launch fails a run" answers 1 "2 runs: 0 stored before, 2 now, 1 failed" content/heddle sweep content.toml --db content.db
check "and is its reason" test "$(rows content.db "SELECT error FROM runs WHERE status = 'failed' AND workload = 'vectoradd'")" = \
  "a launch of add failed or was refused, CUDA_ERROR_NOT_SUPPORTED: no such thing"

"$heddle" sweep plan.toml --db stopped.db --jobs 1 >stopped.log 2>&1 &
pid=$!
sleep 0.3
kill -INT $pid
wait $pid
check "Ctrl-C ends it" test $? = 130
check "and says how to go on" grep -q 'the same command goes on from here' stopped.log
check "no claim is left" test "$(rows stopped.db "SELECT count(*) FROM claims")" = 0
check "resumed after Ctrl-C" "$heddle" sweep plan.toml --db stopped.db
check "stopped and resumed equals undisturbed" same whole.db stopped.db

mkdir small
if mount -t tmpfs -o size=160k none small 2>/dev/null; then
  "$heddle" sweep plan.toml --db small/full.db >full.log 2>&1
  check "a full disk stops the sweep" test $? = 3
  check "with a clear error" grep -q "the database 'small/full.db': .*free some space and give the same command again" full.log
  stored=$(finished small/full.db)
  mount -o remount,size=8m small
  check "the database opens afterwards" test "$(finished small/full.db)" -ge "${stored:-0}"
  check "and the sweep goes on" "$heddle" sweep plan.toml --db small/full.db
  check "full disk and resumed equals undisturbed" same whole.db small/full.db
  umount small
else
  echo "skipped: full disk (no right to mount here)"
fi

bad() { # bad MESSAGE ARGUMENTS...
  local message=$1
  shift
  [ "$("$heddle" sweep "$@" 2>&1)" = "heddle: $message" ]
}
echo 'workloads = ["vectorad"]' >bad.toml
check "a bad plan" bad "bad.toml:1: there is no workload 'vectorad' (did you mean 'vectoradd'?)" bad.toml --db new.db
check "makes no database" test ! -e new.db
check "--jobs" bad "--jobs is a number from 1 to 1024, not '0'" plan.toml --db new.db --jobs 0
check "--shard" bad "--shard is i/n with i from 1 to n, not '3/2'" plan.toml --db new.db --shard 3/2
check "no --db" bad "one plan and --db FILE are expected; \`heddle sweep --help\` says more" plan.toml
check "a folder that is not there" bad "the database 'none/x.db': unable to open database file" plan.toml --db none/x.db

finish
