#!/bin/sh
# heddle claims as a user calls it: claims.sh BUILD. A handful of cheap claims is measured; the rules are tested with made-up
# numbers by test_claims*.c. Last line "N passed, N failed".
build=$(cd "${1:-build}" && pwd) || exit 2
here=$(cd "$(dirname "$0")" && pwd)
. "$(dirname "$0")/../lib/checks.sh"
cd "$root" || exit 2
log=out
run() { "$build/heddle" claims "$@" >out 2>&1; }
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
check "nothing is run twice" sh -c "'$build/heddle' claims T01 T31 B01 --json b.json >out 2>&1 && ! grep -q 'runs to make' out"
check "and the answer is the same" cmp -s a.json b.json
check "a claim that shares its runs with others runs only the rest" run T01 T09
check "three more" grep -q '3 runs to make' out
check "scores are kept" test "$(query "SELECT count(*) FROM scores WHERE verdict <> 'not-measured'")" = 4
check "and their numbers" test "$(query "SELECT json_array_length(figures) FROM scores WHERE id = 'T09'")" = 3
query "SELECT 1" >/dev/null
check "runs of another build are made again" sh -c "'$build/tests/lab_query' claims.db \"UPDATE runs SET build = 'other' WHERE workload = 'kmn'\" && '$build/heddle' claims B01 >out 2>&1 && grep -q '1 runs to make' out"
check "unless any will do" sh -c "'$build/tests/lab_query' claims.db \"UPDATE runs SET build = 'other'\" && '$build/heddle' claims B01 --any-build >out 2>&1 && ! grep -q 'runs to make' out"
check "the scoreboard" run T01 --any-build --page page.md
check "has every claim" test "$(grep -c '^| [TBADCX][0-9][0-9] |' page.md)" -eq 107
check "the quick subset of a group" run T --quick --json q.json
check "is a part of it" test "$(grep -c '"id"' q.json)" -lt 31

check "another reading of a paper" run T27 T31 --any-build --reading t.traffic=flits --json r.json
check "says how many it reproduces" grep -q '^t.traffic=flits (flits of the networks.*): [0-9] of 2 reproduced, [0-9] by default$' out
check "its scores name it" test "$(grep -c '"reading": "t.traffic=flits"' r.json)" -eq 2
check "and are kept beside the others" test "$(query "SELECT count(*) FROM scores WHERE id = 'T27'")" = 2
check "the scoreboard has them" run T27 --any-build --page page.md
check "in a table of their own" grep -q '^| `t.traffic=flits`: flits of the networks' page.md
check "an unknown reading offers the nearest" fails_with 2 "did you mean 't.traffic=flits'" T27 --reading t.traffic=flit
check "a reading wants claims it is about" fails_with 2 "is about claims T, of which none is chosen" B01 --reading t.traffic=flits

check "the README has the totals of docs/claims.md" "$here/../../tools/claims_page.sh" --check
check "an unknown claim offers the nearest" fails_with 2 "there is no claim 'T1' (did you mean 'T" T1
check "an unknown group" fails_with 2 "groups are T, B, A, D, C and X" Q
check "sizes are small and medium" fails_with 2 "small or medium" T01 --size paper
check "jobs are a number" fails_with 2 "jobs is a number" T01 --jobs many
check "a folder that is not there" fails_with 3 "nowhere" T31 --db /nowhere/claims.db
check "a file that cannot be written" fails_with 3 "cannot write" T31 --json /nowhere/a.json
check "nothing left of a choice" fails_with 2 "quick subset" X01 --quick
check "figures are more than the quick subset" fails_with 2 "leave one of --quick and --figures out" T --quick --figures
echo text >text.db
check "a database of something else" fails_with 2 "is not a results database" T31 --db text.db

finish
