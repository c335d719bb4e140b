#!/bin/sh
# --programs of sweep, claims, compare, characterize and report: program_tables.sh BUILD. The programs are scripts around
# heddle-workloads, which is a program like any other here, and, where nvcc is, one that nvcc has built. Last line "N passed, N failed".
build=$(cd "${1:-build}" && pwd) || exit 2
here=$(cd "$(dirname "$0")" && pwd)
heddle=$build/heddle
. "$here/../lib/checks.sh"
cd "$root" || exit 2
log=out
query() { "$build/tests/lab_query" "$1" "$2"; }
mkdir -p suite/kmn suite/other
cat >suite/kmn/program <<END
#!/bin/sh
pwd >>"$root/places"
echo "\$KIND \$*" >>"$root/words"
exec "$build/heddle-workloads" "\$1" --size small
END
cp suite/kmn/program suite/other/program
chmod +x suite/*/program
cat >suite/table.toml <<'END'
[kmn]
folder = "kmn"
command = ["./program", "vectoradd"]
medium = ["./program", "reduction"]
environment = ["KIND=stand-in"]
["b+tree"]
folder = "other"
command = ["./program", "scan"]
END
table=suite/table.toml

# sweep
printf 'workloads = ["kmn", "b+tree"]\n' >plan.toml
check "the workloads themselves" "$heddle" sweep plan.toml --db a.db
check "and programs in their place into the same database" "$heddle" sweep plan.toml --db a.db --programs $table
check "are other runs" test "$(query a.db "SELECT count(*) FROM runs WHERE status = 'ok'")" = 4
check "whose names carry a stamp" test "$(query a.db "SELECT count(*) FROM runs WHERE workload GLOB 'kmn@????????' OR workload GLOB 'b+tree@????????'")" = 2
check "with the program's kernels" test "$(query a.db "SELECT k.name FROM kernels k JOIN runs r ON r.id = k.run WHERE r.workload LIKE 'kmn@%'")" = vectoradd
check "its output is not known to be right" test "$(query a.db "SELECT count(*) FROM runs WHERE output_ok IS NULL AND workload LIKE '%@%'")" = 2
check "it was started in its folder" grep -q "/suite/kmn$" places
check "with its words and environment" grep -q '^stand-in vectoradd$' words
check "no second time" sh -c "'$heddle' sweep plan.toml --db a.db --programs $table >out && grep -q '^2 runs: 2 stored before, 0 now' out"
echo '# other' >>suite/kmn/program
check "a program that has changed is run again" sh -c "'$heddle' sweep plan.toml --db a.db --programs $table >out && grep -q '^2 runs: 1 stored before, 1 now' out"
sed 's/"vectoradd"/"vectoradd", "x"/' $table >suite/words.toml
check "so is one with other words" sh -c "'$heddle' sweep plan.toml --db a.db --programs suite/words.toml >out && grep -q '^2 runs: 1 stored before, 1 now' out"
sed 's/stand-in/other/' $table >suite/kinds.toml
check "and one with another environment" sh -c "'$heddle' sweep plan.toml --db a.db --programs suite/kinds.toml >out && grep -q '^2 runs: 1 stored before, 1 now' out"
printf 'workloads = "all"\nsize = ["small", "medium"]\n' >all.toml
check "all are those of the table, with a command for each size" "$heddle" sweep all.toml --db b.db --programs $table
check "medium has its own" test "$(query b.db "SELECT count(*) FROM runs r JOIN kernels k ON k.run = r.id WHERE r.size = 'medium' AND workload LIKE 'kmn@%' AND k.name LIKE 'reduce%'")" -gt 0
printf '#!/bin/sh\necho lost >&2\nexit 7\n' >suite/other/program
check "a program that fails is stored so" answers 1 "exit status 7: lost" "$heddle" sweep plan.toml --db a.db --programs $table
printf '#!/bin/sh\nexit 0\n' >suite/other/program
check "and one without a CUDA call" answers 1 "made no CUDA call" "$heddle" sweep plan.toml --db a.db --programs $table
cp suite/kmn/program suite/other/program
check "a Slurm array hands the table on" "$heddle" sweep plan.toml --slurm array --programs $table
check "by its whole name" grep -q "plan.toml --programs $(pwd -P)/suite/table.toml --shard" array/job.sh

# compare, characterize
check "compare" "$heddle" compare kmn --vary l1.ways=2,4 --programs $table
"$heddle" compare kmn --vary l1.ways=2,4 --programs $table >out 2>&1
check "shows the program's name" grep -q '^kmn@[0-9a-f]* *4 ' out
cat suite/kmn/program >suite/kmn/bad && echo 'exit 3' >>suite/kmn/bad && sed -i 's/^exec //' suite/kmn/bad && chmod +x suite/kmn/bad
sed 's/"\.\/program", "vectoradd"/".\/bad", "vectoradd"/' $table >suite/bad.toml
check "and that it failed" answers 1 '^kmn@[0-9a-f]* *2 .*ENDED WITH AN ERROR' "$heddle" compare kmn --vary l1.ways=2 --programs suite/bad.toml
check "characterize" "$heddle" characterize kmn --programs $table --tsv c.tsv
check "writes the program's kernels" grep -q "^kmn@[0-9a-f]*$(printf '\t')small$(printf '\t')vectoradd" c.tsv
check "nothing is set beside its original" answers 2 "sets workloads beside their originals" "$heddle" characterize kmn --programs $table --against c.tsv

# claims, report
sed 's/"vectoradd"/"kmn"/' suite/table.toml >suite/claims.toml
table=suite/claims.toml
check "claims of the workloads" "$heddle" claims B01 T01 --stored none --db c.db
check "claims of programs" sh -c "'$heddle' claims B01 T01 --stored none --db c.db --programs $table --json c.json >out 2>&1"
check "run the program" grep -q '1 runs to make' out
check "and do without what has none" grep -q "suite/claims.toml names no program for mummergpu" c.json
check "scores are kept beside those of the workloads" test "$(query c.db "SELECT group_concat(verdict <> 'not-measured') FROM (SELECT verdict FROM scores WHERE id = 'T01' ORDER BY reading)")" = 1,0
check "they count as no reading" test "$(query c.db "SELECT group_concat(DISTINCT reading) FROM scores")" = ",@programs"
>t.tsv
check "stored results" "$heddle" claims B01 --stored t.tsv --store --db c.db --programs $table
check "are the program's" grep -q "^small$(printf '\t')kmn@\([0-9a-f]*\)$(printf '\t')gtx480-bucl$(printf '\t').*$(printf '\t')\1$(printf '\t')" t.tsv
check "and are found again" sh -c "'$heddle' claims B01 --stored t.tsv --db new.db --programs $table >out 2>&1 && ! grep -q 'runs to make' out"
check "by the program only" answers 0 "1 runs to make" "$heddle" claims B01 --stored t.tsv --db new.db
check "the table of the workloads is left alone" answers 2 "is of the workloads" "$heddle" claims B01 --store --programs $table --db c.db
check "so are its pages" answers 2 "leave them out with --programs" "$heddle" claims B01 --look --programs $table
printf '[lud]\nfolder = "kmn"\ncommand = ["./program", "vectoradd"]\n' >suite/lud.toml
check "two programs at once cannot be had" sh -c "'$heddle' claims A15 --stored none --db c.db --programs suite/lud.toml --json p.json >out 2>&1; grep -q 'two programs of a table (suite/lud.toml) cannot run on one GPU at once' p.json"
>out
check "a page of the programs' claims" "$heddle" report c.db --stored none --programs $table -o p.html
check "shows theirs" grep -q '"id":"T01","size":"small"[^}]*"verdict":"not-measured"' p.html
check "a page of the workloads' claims" "$heddle" report c.db --stored none -o w.html
check "shows those" grep -q '"id":"T01","size":"small"[^}]*"verdict":"[rd]' w.html

# mistakes
wrong() { # wrong WORDS TABLE: what a sweep says of a table
  printf '%b' "$2" >suite/wrong.toml
  answers 2 "$1" "$heddle" sweep plan.toml --db w.db --programs suite/wrong.toml
}
check "no such table" answers 2 "cannot read the table of programs 'nowhere.toml'" "$heddle" sweep plan.toml --db w.db --programs nowhere.toml
check "no such workload" wrong "wrong.toml:2: there is no workload 'kmm'.*did you mean 'kmn'" '[kmm]\ncommand = ["./x"]\n'
check "no folder" wrong "wrong.toml:2: the folder 'suite/kmx' of kmn is not there" '[kmn]\nfolder = "kmx"\ncommand = ["./program"]\n'
check "no program" wrong "'suite/kmn/programm' of kmn cannot be executed: No such file.*build it" '[kmn]\nfolder = "kmn"\ncommand = ["./programm"]\n'
check "not executable" wrong "'suite/table.toml' of kmn cannot be executed: Permission denied.*chmod" '[kmn]\ncommand = ["./table.toml"]\n'
check "a folder for a program" wrong "'suite/kmn' of kmn cannot be executed" '[kmn]\ncommand = ["./kmn"]\n'
check "not in PATH" wrong "no program 'programm' in PATH for kmn; one in its folder is written './programm'" '[kmn]\ncommand = ["programm"]\n'
check "no command" wrong "kmn has no command" '[kmn]\nfolder = "kmn"\n'
check "an empty one" wrong "command of kmn is empty" '[kmn]\ncommand = []\n'
check "an unknown key" wrong "unknown key 'comand' of kmn.*did you mean 'command'" '[kmn]\ncomand = ["sh"]\n'
check "outside of a table" wrong "stands outside of a table" 'command = ["sh"]\n'
check "no names" wrong "names no program" '# nothing\n'
check "environment that is none" wrong "is not NAME=VALUE" '[kmn]\ncommand = ["sh"]\nenvironment = ["A"]\n'
check "environment that is heddle's" wrong "HEDDLE_GPU=h200 cannot be set for kmn" '[kmn]\ncommand = ["sh"]\nenvironment = ["HEDDLE_GPU=h200"]\n'
check "a plan with a workload that has none" answers 2 "there is no workload 'scan'" sh -c "echo 'workloads = [\"scan\"]' >s.toml; '$heddle' sweep s.toml --db w.db --programs $table"
printf '[kmn]\nfolder = "kmn"\nsmall = ["./program", "vectoradd"]\n' >suite/small.toml
check "no command of the size" answers 2 "no command of size medium for kmn" "$heddle" compare kmn --vary l1.ways=2,4 --size medium --programs suite/small.toml
check "a workload without a program" answers 2 "names no program for scan" "$heddle" compare scan --vary l1.ways=2,4 --programs $table
check "a seed" answers 2 "seeds are of the built-in workloads" sh -c "echo 'workloads = \"kmn\"
seed = 3' >s.toml; '$heddle' sweep s.toml --db w.db --programs $table"

# A program as nvcc links it, with the CUDA runtime inside.
nvcc=$(command -v "${CUDA_HOME:+$CUDA_HOME/bin/}nvcc")
if [ -z "$nvcc" ]; then echo "skipped: a program built by nvcc (there is no nvcc here)"
elif grep -q __asan_init "$build/lib/libcuda.so.1"; then echo "skipped: a program built by nvcc (the libraries are built with sanitizers)"
else
  "$nvcc" -gencode arch=compute_75,code=compute_75 "$here/../cuda/program_memory.cu" -o suite/memory >out 2>&1
  printf '[kmn]\ncommand = ["./memory"]\n' >suite/nvcc.toml
  printf 'workloads = "all"\n' >s.toml
  check "a program with the runtime linked in" "$heddle" sweep s.toml --db n.db --programs suite/nvcc.toml
  check "ran here" test "$(query n.db "SELECT count(*) FROM runs WHERE cycles > 0 AND workload LIKE 'kmn@%'")" = 1
fi
finish
