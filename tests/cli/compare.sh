#!/bin/sh
# heddle compare: its table as JSON and as a picture, and what it refuses. compare.sh BUILD. Last line "N passed, N failed".
build=$(cd "$1" && pwd)
heddle=$build/heddle
. "$(dirname "$0")/../lib/checks.sh"
cd "$root" || exit 2

json() { python3 -c "
import json
from math import prod
r = json.load(open('c.json')); rows = r['rows']
assert $1, r"; }
check "two workloads, two values" answers 0 'geometric mean   tsc ' "$heddle" compare vectoradd kmeans --vary l1.org=base,tsc --json c.json -o c.html
check "a row each, in order" json "[(x['workload'], x['value']) for x in rows] == [(w, v) for w in ('vectoradd', 'kmeans') for v in ('base', 'tsc')]"
check "speed-ups follow from the cycles" json "all(abs(x['speedup'] - rows[2 * (i // 2)]['cycles'] / x['cycles']) < 1e-9 for i, x in enumerate(rows))"
check "and means from them" json "abs(r['mean'][1] - prod(x['speedup'] for x in rows if x['value'] == 'tsc') ** 0.5) < 1e-9 and r['mean'][0] == 1"
check "the JSON says what was compared" json "r['key'] == 'l1.org' and r['gpu'] == 'gtx480' and all(x['ok'] for x in rows)"
check "the picture has a bar each and the means" sh -c "[ \$(grep -c \"<rect .*height='12' fill\" c.html) = 6 ]"
check "dark where the browser is" grep -q 'prefers-color-scheme:dark' c.html
check "as an SVG alone" sh -c "'$heddle' compare vectoradd --vary l1.ways=2,4 -o c.svg >/dev/null && head -c 4 c.svg | grep -q '<svg'"
check "to standard output" sh -c "'$heddle' compare vectoradd --vary l1.ways=4 --json - 2>/dev/null | python3 -c 'import json, sys; json.load(sys.stdin)'"
check "a wrong value is refused with the nearest" answers 2 "did you mean 'tsc'" "$heddle" compare vectoradd --vary l1.org=tcs --json no.json
check "and nothing is written" test ! -e no.json
check "before the first run" answers 2 "did you mean 'tsc'" "$heddle" compare vectoradd --vary l1.org=base,tcs
check "of which nothing is said" sh -c "! grep -q '^vectoradd' '$root/answer'"
check "several keys" answers 2 "one key; .heddle sweep" "$heddle" compare vectoradd --vary l1.ways=1,2 --vary l1.sets=16,32
finish
