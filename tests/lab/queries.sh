#!/bin/bash
# The example queries of docs/database.md on a database of a real sweep: queries.sh BUILD. Each must give rows. Every table
# and view that the page names must be there with those columns. Last line "N passed, N failed".
heddle=$(realpath "$1/heddle")
query=$(realpath "$1/tests/lab_query")
page=$(cd "$(dirname "$0")/../.." && pwd)/docs/database.md
. "$(dirname "$0")/../lib/checks.sh"
cd "$root" || exit 2
gives_rows() { [ "$("$query" results.db "$1" | tee /dev/stderr | wc -l)" -ge "$2" ]; }

cat >plan.toml <<'END'
workloads = ["vectoradd", "scan"]
[vary]
"l1.ways" = [2, 4]
"sm.scheduler" = ["lrr", "gto"]
END
check "a sweep" "$heddle" sweep plan.toml --db results.db

awk '/^```sql$/ { n++; on = 1; next } /^```$/ { on = 0 } on { print > "query" n ".sql" }' "$page"
check "five queries" test "$(ls query*.sql | wc -l)" = 5
for i in 1 2 3 4 5; do check "query $i gives rows" gives_rows "$(cat query$i.sql)" 2; done
check "the mean of the base is 1" sh -c "'$query' results.db \"\$(cat query1.sql)\" | grep -Pq '^l1.ways=2,sm.scheduler=lrr\t1\t1\t1\t2$'"

# **name** (`a`, `b`): the columns of a table or view.
sed -n 's/^- \*\*\([a-z]*\)\*\* (\(`[^)]*`\)).*/\1 \2/p; s/^- \*\*speedups\*\* (\(.*\)$/speedups \1/p' "$page" | tr -d '`,:)' >tables
check "tables are described" test "$(wc -l <tables)" -ge 6
while read -r name columns; do
  for column in $columns; do
    check "$name has $column" "$query" results.db "SELECT \"$column\" IS NULL FROM \"$name\" WHERE $name.$column IS NOT NULL LIMIT 0"
  done
done <tables
for column in $(sed -n '/^\*\*runs\*\*/,/^- \*\*settings/s/^| \(`[^|]*\)|.*/\1/p' "$page" | tr -d '`,'); do
  check "runs has $column" "$query" results.db "SELECT runs.$column FROM runs LIMIT 0"
done
real=$("$query" results.db "SELECT group_concat(name) FROM (SELECT name FROM pragma_table_info('runs') ORDER BY name)")
told=$(sed -n '/^\*\*runs\*\*/,/^- \*\*settings/s/^| \(`[^|]*\)|.*/\1/p' "$page" | tr -d '`,' | tr ' ' '\n' | grep . | sort | paste -sd,)
check "and no column that the page does not tell ($told)" test "$real" = "$told"

finish
