#!/bin/sh
# heddle claims as a user calls it: claims.sh BUILD. A handful of cheap claims is measured; the rules are tested with made-up
# numbers by test_claims*.c. Last line "N passed, N failed".
build=$(cd "${1:-build}" && pwd) || exit 2
here=$(cd "$(dirname "$0")" && pwd)
. "$(dirname "$0")/../lib/checks.sh"
cd "$root" || exit 2
log=out
stored=none
run() { "$build/heddle" claims "$@" --stored "$stored" >out 2>&1; }
fails_with() { # fails_with STATUS WORDS ARGUMENTS...
  want=$1 words=$2
  shift 2
  answers "$want" "$words" "$build/heddle" claims "$@"
}
query() { "$build/tests/lab_query" claims.db "$1"; }

check "a few claims are measured" run T01 T31 B01 --json a.json
check "each has a line with its verdict" grep -q '^T31  reproduced ' out
check "runs are made in parallel and counted" grep -q '2 runs to make' out
check "totals" grep -q '^[0-9]* reproduced, [0-9]* differ, 0 not measured$' out
check "the JSON is a list of five names each" test "$(grep -c '"\(id\|published\|measured\|verdict\|note\)": "' a.json)" -eq 15
check "and no other" test "$(grep -c ': ' a.json)" -eq 15
check "published values are those of the table" grep -q '"published": "90.3 %"' a.json
check "a folder is no table" sh -c "! '$build/heddle' claims T09 --stored . --look >out 2>&1 && grep -q 'cannot read the stored results' out"
check "nothing is run twice" sh -c "'$build/heddle' claims T01 T31 B01 --stored none --json b.json >out 2>&1 && ! grep -q 'runs to make' out"
check "and the answer is the same" cmp -s a.json b.json
check "a claim that shares its runs with others runs only the rest" run T01 T09
check "three more" grep -q '3 runs to make' out
check "scores are kept" test "$(query "SELECT count(*) FROM scores WHERE verdict <> 'not-measured'")" = 4
check "and their numbers" test "$(query "SELECT json_array_length(figures) FROM scores WHERE id = 'T09'")" = 3
query "SELECT 1" >/dev/null
check "runs of another build are made again" sh -c "'$build/tests/lab_query' claims.db \"UPDATE runs SET build = 'other' WHERE workload = 'kmn'\" && '$build/heddle' claims B01 --stored none >out 2>&1 && grep -q '1 runs to make' out"
check "unless any will do" sh -c "'$build/tests/lab_query' claims.db \"UPDATE runs SET build = 'other'\" && '$build/heddle' claims B01 --stored none --any-build >out 2>&1 && ! grep -q 'runs to make' out"
check "the scoreboard" run T01 --any-build --page page.md
check "has every claim" test "$(grep -c '^| [TBADCX][0-9][0-9] |' page.md)" -eq 107
check "names those without a verdict in one line" \
  sh -c "grep -q '^Not measured at size small (.heddle claims ID... --size small --store.): B01, B02, .*, B18\.\$' page.md && ! grep -q 'not among the stored' page.md"

# Stopped by a signal.
>cut.tsv
"$build/heddle" claims T15 --stored cut.tsv --store --db cut.db --jobs 1 >cut.log 2>&1 &
pid=$!
for _ in $(seq 600); do grep -q '^\[3/' cut.log && break; sleep 0.1; done
kill -INT $pid
wait $pid
check "Ctrl-C ends it" test $? = 130
kept=$(grep -c '^small' cut.tsv) all=$(sed -n 's/^heddle: \([0-9]*\) runs to make$/\1/p' cut.log)
check "what was measured until then is stored" test "$kept" -ge 3
"$build/heddle" claims T15 --stored cut.tsv --db rest.db --jobs 1 >rest.log 2>&1 &
pid=$!
for _ in $(seq 600); do grep -q 'runs to make' rest.log && break; sleep 0.1; done
kill -INT $pid
wait $pid
check "and not made again, in another database" grep -q "^heddle: $((all - kept)) runs to make$" rest.log

# Stored results.
>t.tsv
stored=t.tsv
check "runs of another build are not stored" sh -c "! '$build/heddle' claims T01 --any-build --stored table.tsv --store 2>err && grep -q 'leave --any-build out' err"
check "what was measured is stored" run T01 B01 --store --json s.json
check "a line a run" test "$(grep -c '^small' t.tsv)" -eq 2
check "of those numbers that were asked for" grep -q "$(printf '^small\tmummergpu\tgtx480\t-\t[0-9a-f]*\t[0-9a-f]*\t[0-9a-f]*\t[0-9.]*\tprobes.lines.quarter_of_reused=[0-9.]*$')" t.tsv
check "stored runs are not made again" sh -c "'$build/heddle' claims T01 B01 --stored t.tsv --db new.db --json n.json >out 2>&1 && ! grep -q 'runs to make' out"
check "and the answer is the same" cmp -s s.json n.json
check "a look needs no database" sh -c "'$build/heddle' claims T01 B01 --stored t.tsv --look --db never.db --json l.json >out 2>&1 && cmp -s s.json l.json && ! [ -e never.db ]"
check "what a look does not find is not measured" run T09 --look
check "and said" grep -q 'it is not among the stored results' out
sed 's/^\(small\tkmn\t[^\t]*\t[^\t]*\t[^\t]*\t\)[^\t]*/\1ffffffff/' t.tsv >old.tsv
check "a run of another version of its workload is stale" sh -c "'$build/heddle' claims T01 B01 --stored old.tsv --look >out 2>&1 && test \"\$(grep -c 'of stale results' out)\" -eq 1"
check "the page marks it" sh -c "'$build/heddle' claims T01 --stored old.tsv --look --page old.md >out 2>&1 && grep -q '^1 of 2 stored runs are stale' old.md && grep -q '^| B01 .* †' old.md && ! grep -q '^| T01 .*†' old.md"
check "and it is made again" sh -c "'$build/heddle' claims T01 B01 --stored old.tsv --db fresh.db >out 2>&1 && grep -q '^heddle: 1 runs to make' out"
stored=none
check "--store needs a file" fails_with 2 "needs --stored FILE" T01 --stored none --store
check "a look stores nothing" fails_with 2 "measures nothing" T01 --stored t.tsv --look --store
check "a table that is not there" fails_with 2 "cannot read the stored results 'nowhere.tsv'" T01 --stored nowhere.tsv
check "a table of something else" fails_with 2 "page.md:1: not a stored result\|page.md:3: not a stored result" T01 --stored page.md

check "a page of the stored results" "$build/heddle" report --stored t.tsv -o stored.html
check "has their claims" grep -q '"id":"B01","size":"small"' stored.html

# What a workload's version is made of.
mkdir -p tree/tools tree/workloads
cp "$here/../../tools/workload_stamps.sh" tree/tools
for w in common spmv vectoradd kmn kmeans; do cp -r "$here/../../workloads/$w" tree/workloads; done
changed() { # changed NAMES: the workloads whose stamps are not those of before
  tree/tools/workload_stamps.sh "$root/after.c"
  got=$(diff before.c after.c | sed -n 's/^> "\([^\\]*\).*/\1/p' | tr '\n' ' ')
  [ "$got" = "$1" ] || { echo "changed: $got"; false; }
}
tree/tools/workload_stamps.sh "$root/before.c"
check "every workload has a stamp" test "$(grep -c '\\t[0-9a-f]*\\n"$' before.c)" -eq 4
printf '\n// a word\n\nint wl_nobody(int a) {\n  return a + 1;\n}\n' >>tree/workloads/common/inputs.c
check "what nobody uses changes none" changed ""
sed -i 's/^void wl_sort_ints(int \*a, int count) {/&\n  count += 0;/' tree/workloads/common/inputs.c
check "a function changes those that use it" changed "spmv "
echo '// nothing' >>tree/workloads/vectoradd/vectoradd.c
check "a comment changes none" changed "spmv "
echo 'mov.u32 %r1, 1;' >>tree/workloads/kmeans/kmeans.ptx
check "a kernel changes the workload that runs it" changed "kmeans spmv "

# A reason rests on runs, which are made with those of its claim; here they are made to say what results/reasons.toml says.
>r.tsv
check "a reason's runs" sh -c "'$build/heddle' claims T05 --stored r.tsv --store --db r.db >out 2>&1"
check "are stored" grep -q 'l1d.hits=' r.tsv
hits=$(sed -n 's/.*small kmeans gtx480 l1.org=line32 l1d.hits=\([0-9]*\).*/\1/p' "$here/../../results/reasons.toml")
reads=$(sed -n 's/.*small kmeans gtx480 l1.org=line32 l1d.reads=\([0-9]*\).*/\1/p' "$here/../../results/reasons.toml")
sed "s/l1d.hits=[0-9]*/l1d.hits=$hits/; s/l1d.reads=[0-9]*/l1d.reads=$reads/" r.tsv >same.tsv
check "a reason is given" \
  sh -c "'$build/heddle' claims T05 --stored same.tsv --look >out 2>&1 && grep -q '^T05  differs' out && grep -q 'may have counted accesses' out"
check "on the page once, with the sizes" \
  sh -c "'$build/heddle' claims T05 --stored same.tsv --look --page s.md >out 2>&1 && grep -q '^- ..T05.., why it differs (small): ' s.md"
sed "s/l1d.hits=$hits/l1d.hits=1$hits/" same.tsv >other.tsv
check "but not when its runs say something else" \
  sh -c "'$build/heddle' claims T05 --stored other.tsv --look >out 2>&1 && grep -q '^T05  differs' out && ! grep -q 'may have counted accesses' out"
check "and the page says so" \
  sh -c "'$build/heddle' claims T05 --stored other.tsv --look --page o.md >out 2>&1 && grep -q 'T05\*\*: why has not been measured on this base' o.md"

# Parts of the runs.
check "a part" run T01 T09 --db parts.db --shard 1/2
check "another" run T01 T09 --db parts.db --shard 2/2
check "are the whole" sh -c "'$build/heddle' claims T01 T09 --stored none --db parts.db >out 2>&1 && ! grep -q 'runs to make' out"
check "a part that is none" fails_with 2 "shard is i/n" T01 --shard 3/2
check "a part has no scores" fails_with 2 "no scores to write" T01 --shard 1/2 --json x.json
check "the quick subset of a group" run T --quick --json q.json
check "is a part of it" test "$(grep -c '"id"' q.json)" -lt 31

check "another reading of a paper" run T27 T31 --any-build --reading t.traffic=flits --json r.json
check "says how many it reproduces" grep -q '^t.traffic=flits (flits of the networks.*): [0-9] of 2 reproduced, [0-9] by default$' out
check "its scores name it" test "$(grep -c '"reading": "t.traffic=flits"' r.json)" -eq 2
check "and are kept beside the others" test "$(query "SELECT count(*) FROM scores WHERE id = 'T27'")" = 2
check "the scoreboard has them" run T --quick --any-build --reading t.traffic=flits --page page.md
check "in a table of their own" grep -q '^| `t.traffic=flits`: flits of the networks' page.md
check "an unknown reading offers the nearest" fails_with 2 "did you mean 't.traffic=flits'" T27 --reading t.traffic=flit
check "a reading wants claims it is about" fails_with 2 "is about claims T, of which none is chosen" B01 --reading t.traffic=flits

check "docs/claims.md and README.md are those of the stored results" "$here/../../tools/claims_page.sh" "$build" --check
check "an unknown claim offers the nearest" fails_with 2 "there is no claim 'T1' (did you mean 'T" T1
check "an unknown group" fails_with 2 "groups are T, B, A, D, C and X" Q
check "sizes are three" fails_with 2 "small, medium or paper" T01 --size large
check "jobs are a number" fails_with 2 "jobs is a number" T01 --jobs many
check "a folder that is not there" fails_with 3 "nowhere" T31 --db /nowhere/claims.db
check "a file that cannot be written" fails_with 3 "cannot write" T31 --json /nowhere/a.json
check "nothing left of a choice" fails_with 2 "quick subset" X01 --quick
check "figures are more than the quick subset" fails_with 2 "leave one of --quick and --figures out" T --quick --figures
echo text >text.db
check "a database of something else" fails_with 2 "is not a results database" T31 --db text.db

finish
