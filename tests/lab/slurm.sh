#!/bin/bash
# A sweep as a job array of a real Slurm, controller and node on this machine, started here and stopped again:
# slurm.sh BUILD. tools/install_slurm.sh installs it where it is missing. Without it, or without the right to start it, the
# test checks what can be checked without and says what it skips and why; a Slurm that is there and does not start is a failure.
# Last line "N passed, N failed".
heddle=$(realpath "$1/heddle")
query=$(realpath "$1/tests/lab_query")
install=$(realpath "$(dirname "$0")/../../tools/install_slurm.sh")
. "$(dirname "$0")/../lib/checks.sh"
chmod 755 "$root"
pids=
cleanup() {
  [ -z "$pids" ] || timeout 5 scancel --quiet --user root 2>/dev/null # a job outlives its node's daemon
  # shellcheck disable=SC2086
  [ -z "$pids" ] || kill $pids 2>/dev/null
  for _ in $(seq 100); do
    # shellcheck disable=SC2086
    [ -n "$pids" ] && kill -0 $pids 2>/dev/null || break
    sleep 0.1
  done
  # shellcheck disable=SC2086
  [ -z "$pids" ] || kill -KILL $pids 2>/dev/null
  wait
  rm -rf "$root"
}
trap cleanup EXIT
cd "$root" || exit 2
end() {
  finish
  exit
}
says() { # says STATUS MESSAGE COMMAND...
  local status=$1 message=$2 got
  shift 2
  got=$("$heddle" "$@" 2>&1)
  [ $? = "$status" ] && [ "$got" = "$message" ] || { echo "$got"; false; }
}
contents() {
  "$query" "$1" "SELECT key, status, error, output_ok, cycles, ipc FROM runs ORDER BY key"
  "$query" "$1" "SELECT r.key, s.name, s.value FROM stats s JOIN runs r ON r.id = s.run ORDER BY 1, 2"
  "$query" "$1" "SELECT r.key, s.name, s.value FROM settings s JOIN runs r ON r.id = s.run ORDER BY 1, 2"
  "$query" "$1" "SELECT r.key, k.position, k.name, k.cycles FROM kernels k JOIN runs r ON r.id = k.run ORDER BY 1, 2"
  "$query" "$1" "SELECT name, unit, meaning FROM statistics ORDER BY 1"
}
same() { cmp <(contents "$1") <(contents "$2"); }

cat >plan.toml <<'END'
workloads = ["vectoradd", "reduction", "scan"]
[vary]
"l1.ways" = [2, 4]
"sm.scheduler" = ["lrr", "gto"]
END
check "the plan run here" "$heddle" sweep plan.toml --db here.db
check "a folder is written" says 0 "12 runs in 4 tasks: sbatch array/job.sh; then: heddle collect array --db FILE" \
  sweep plan.toml --slurm array --tasks 4 --jobs 2
check "the script is one" bash -n array/job.sh
check "nothing is run" test ! -e array/task-1.db
check "nothing to collect" says 2 "heddle: there is no result of a task (task-*.db) in the folder 'array'" collect array --db all.db
check "a path that Slurm would not read" says 2 \
  "heddle: the path '$root/a b' cannot be used in a Slurm script: it has a ' ' in it" sweep plan.toml --slurm "a b"
check "--tasks" says 2 "heddle: --tasks is a number from 1 to 1000, not '0'" sweep plan.toml --slurm array --tasks 0
check "--slurm with --db" says 2 "heddle: with --slurm only --programs, --tasks and --jobs (tasks at a time) have a meaning" \
  sweep plan.toml --slurm array --db all.db
check "no --db" says 2 "heddle: one folder and --db FILE are expected; \`heddle collect --help\` says more" collect array

# One task without Slurm: what a task leaves is collected, and what is missing is reported.
SLURM_ARRAY_TASK_ID=2 check "a task" bash array/job.sh
check "what is missing is reported" says 1 "1 files with 3 runs: 3 new, 0 failed -> all.db
9 runs of the plan are missing: wait for their tasks, or submit array/job.sh again" collect array --db all.db
SLURM_ARRAY_TASK_ID=2 bash array/job.sh >again.log 2>&1
check "a task again does nothing" grep -q '^3 runs: 3 stored before, 0 now' again.log
echo "this is not a database, it is a text, and a long one at that" >array/task-9.db
check "a file that is something else" says 2 "heddle: 'array/task-9.db' is not a results database (nor any SQLite file)" \
  collect array --db all.db
rm array/task-9.db

# Claims in the same way: a part each, without a plan.
check "claims as a job array" says 0 "3 tasks: sbatch claims/job.sh; then: heddle collect claims --db FILE" \
  claims T09 T31 --stored none --slurm claims --tasks 3
check "its script is one" bash -n claims/job.sh
check "its tasks make a part each" grep -q ' claims T09 T31 --size small --stored none --shard "$SLURM_ARRAY_TASK_ID/3" --db ' claims/job.sh
for i in 1 2 3; do SLURM_ARRAY_TASK_ID=$i bash claims/job.sh >>claims.log 2>&1; done
check "collected, the verdicts are one command away" says 0 "3 files with 3 runs: 3 new, 0 failed -> claims-all.db
verdicts: heddle claims T09 T31 --size small --stored none --db claims-all.db" collect claims --db claims-all.db
"$heddle" claims T09 T31 --stored none --db claims-all.db >verdicts.log 2>&1
check "and nothing is left to run" sh -c "grep -q '^T09  reproduced' verdicts.log && ! grep -q 'runs to make' verdicts.log"

[ "$(id -u)" -eq 0 ] || { echo "skipped: a real Slurm (only root starts its node)"; end; }
reason=$("$install") || { echo "skipped: a real Slurm (${reason##*$'\n'})"; end; }

host=$(hostname -s)
port=$((20000 + RANDOM % 10000))
export SLURM_CONF=$root/slurm.conf
mkdir state spool
cat >slurm.conf <<END
ClusterName=heddle
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/munge
AuthInfo=socket=$root/munge.socket
SlurmUser=root
StateSaveLocation=$root/state
SlurmdSpoolDir=$root/spool
SlurmctldPidFile=$root/slurmctld.pid
SlurmdPidFile=$root/slurmd.pid
SlurmctldLogFile=$root/slurmctld.log
SlurmdLogFile=$root/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MailProg=/bin/true
SchedulerParameters=sched_interval=1,batch_sched_delay=0,bf_interval=1
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$host Default=YES State=UP
END
# Nothing here uses cgroups, but the node looks for them; version 1 it does not miss where there are none, as in containers.
echo "CgroupPlugin=cgroup/v1" >cgroup.conf
head -c 1024 /dev/urandom >munge.key
chmod 400 munge.key
started() { # started COMMAND...: waits until it succeeds
  for _ in $(seq 120); do
    "$@" >/dev/null 2>&1 && return
    sleep 0.5
  done
  tail -n 3 munged.out slurmctld.log slurmctld.out slurmd.log slurmd.out 2>/dev/null
  return 1
}
idle() { [ "$(sinfo -h -o %T)" = idle ]; }
munged --foreground --force --key-file="$root/munge.key" --socket="$root/munge.socket" --pid-file="$root/munged.pid" \
  --log-file="$root/munged.log" --seed-file="$root/munged.seed" >munged.out 2>&1 &
pids="$pids $!"
check "munge starts" started test -S munge.socket
slurmctld -D >slurmctld.out 2>&1 &
pids="$pids $!"
slurmd -D -N "$host" >slurmd.out 2>&1 &
pids="$pids $!"
check "Slurm starts" started idle
[ "$checks_failed" -eq 0 ] || end

check "Slurm takes the job array and it ends well" timeout 300 sbatch --wait array/job.sh
check "every task left one file" test "$(ls array/task-*.db | wc -l)" = 4
check "nothing else is left" test -z "$(ls array | grep -v -E '^(job.sh|plan.toml|task-[1-4].(db|log))$')"
check "collected" says 0 "4 files with 12 runs: 9 new, 0 failed -> all.db" collect array --db all.db
check "collected again, nothing is new" says 0 "4 files with 12 runs: 0 new, 0 failed -> all.db" collect array --db all.db
check "collected equals the plan run here" same here.db all.db

printf 'workloads = ["vectoradd", "reduction"]\n[vary]\n"sm.threads" = [32, 1536]\n' >failing.toml
"$heddle" sweep failing.toml --slurm failing >/dev/null
timeout 300 sbatch --wait failing/job.sh >/dev/null 2>&1
check "failed runs come along" says 1 "4 files with 4 runs: 4 new, 2 failed -> failing.db" collect failing --db failing.db
end
