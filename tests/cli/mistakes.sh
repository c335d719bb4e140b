#!/bin/sh
# What a newcomer mistypes, and that the answer says what would be right: mistakes.sh BUILD. Nothing is simulated.
# Last line "N passed, N failed".
heddle=$(cd "$1" && pwd)/heddle
. "$(dirname "$0")/../lib/checks.sh"
cd "$root" || exit 2

wrong() { # wrong NAME PATTERN ARGUMENTS...: exit status 2, and something like that is said
  name=$1 pattern=$2
  shift 2
  check "$name" answers 2 "$pattern" "$heddle" "$@"
}

# ---- which command
wrong "a workload in a command's place" "unknown command 'kmeans'; to run the workload: heddle run kmeans" kmeans
wrong "a program in a command's place" "unknown command './a.out'; to run a program: heddle run -- ./a.out" ./a.out
wrong "a command that is nearly one" "unknown command 'runn' (did you mean 'run'?)" runn kmeans
check "help of a command" answers 0 "^usage: heddle run " "$heddle" help run
check "help of a command, as an option" answers 0 "^usage: heddle tune " "$heddle" --help tune
check "help of all" answers 0 "^  run  *run a workload" "$heddle" help
wrong "help of what is no command" "unknown command 'runn'" help runn

# ---- what is run
wrong "a program without --" "'./a.out' is not a workload; a program comes after .--.: heddle run -- ./a.out" run ./a.out
wrong "CUDA source" "'a.cu' is not a workload; compile it (nvcc a.cu" run a.cu
wrong "PTX" "heddle ptx a.ptx" run a.ptx
wrong "a workload that is nearly one" 'there is no workload "kmean"; nearest: kmeans' run kmean
wrong "a workload to check" 'there is no workload "kmean"; nearest: kmeans' check kmean
check "nothing is said of what was not checked" sh -c "! '$heddle' check kmean 2>&1 | grep findings"
wrong "a GPU" "there is no GPU 'GTX480' (did you mean 'gtx480'?)" run bfs --gpu GTX480

# ---- options and settings
wrong "an option of one dash" "unknown option '-g'" run bfs -g gtx480
wrong "threads" "threads 0: a whole number above 0 is expected" run bfs --threads 0
wrong "a key" "set: unknown key 'l1.way' (did you mean 'l1.ways'?)" run bfs --set l1.way=4
wrong "a varied key" "vary: unknown key 'l1.way' (did you mean 'l1.ways'?)" compare bfs --vary l1.way=4,8
wrong "a key to tune" "there is no key 'l1.way' (did you mean 'l1.ways'?)" tune l1.way bfs --values 1,2
wrong "a key without numbers" "the values of 'l1.org' are not whole numbers; .heddle compare --vary." tune l1.org bfs --values 1,2
wrong "a part of a list" "heddle list keys | grep l1" list keys l1
wrong "a GPU without --gpu" "a GPU comes after --gpu: heddle lint --gpu h200" lint h200
wrong "a page without a file" "heddle: -o FILE, and one database at most, are expected" report

# ---- files
configuration() { # configuration NAME PATTERN TEXT
  printf '%b' "$3" >gpu.toml
  wrong "$1" "$2" run bfs --gpu gpu.toml
}
configuration "a preset to include" "gpu.toml:1: there is no GPU 'gtx48' to include (.heddle list gpus. shows all), and no file './gtx48.toml'" \
  'include = "gtx48"\n'
configuration "a word without quotes" 'gpu.toml:2: a value is expected: a number, "text"' 'include = "gtx480"\nsm.scheduler = lrr\n'
configuration "a key given twice" "gpu.toml:3: 'l1.ways' is given twice (first on line 2)" 'include = "gtx480"\nl1.ways = 4\nl1.ways = 8\n'
configuration "a key in a table" "gpu.toml:2: unknown key 'sm.schedular' (did you mean 'sm.scheduler'?)" '[sm]\nschedular = "lrr"\n'
printf 'workloads = ["bfs"]\n[vary]\n"l1.way" = [2, 4]\n' >plan.toml
wrong "a key in a plan" "^heddle: plan.toml:3: unknown key 'l1.way' (did you mean 'l1.ways'?)" sweep plan.toml --db none.db
check "no database is made" test ! -e none.db
finish
