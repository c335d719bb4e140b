#!/bin/sh
# heddle run --only, --skip-to and --sample: which launches are simulated, what the report says, values that stay right, and what is refused.
# sampling.sh BUILD. Last line "N passed, N failed".
build=$(cd "$1" && pwd)
heddle=$build/heddle
. "$(dirname "$0")/../lib/checks.sh"
cd "$root" || exit 2

json() { python3 -c "
import json
r = json.load(open('$1'))
s = r.get('sample', {}); i = s.get('intervals', {}); k = [x['name'] for x in r['kernels']]; skipped = r.get('skipped', {}).get('launches', 0)
assert $2, (r['cycles'], s.get('launches'), s.get('simulated'), skipped, k[:3], i.get('cycles'))"; }
run() { "$heddle" run "$@" >/dev/null; }

check "all of gaussian" run gaussian --json all.json
check "--only" run gaussian --only fan1 --json only.json
check "simulates that kernel alone" json only.json "k and all('fan1' in name for name in k) and r['output_ok']"
check "and executes the others" json only.json "skipped == r['launches'] - len(k) and r['skipped']['warp_instructions'] > 0 and not s"
check "--only with a pattern of none" run gaussian --only nothing --json none.json
check "simulates nothing and is right all the same" json none.json "not k and skipped == r['launches'] and r['output_ok'] and r['cycles'] == 0"
check "--skip-to a number" run gaussian --skip-to 11 --json skip.json
check "leaves out ten launches" json skip.json "skipped == 10 and len(k) == r['launches'] - 10 and r['output_ok']"
check "--skip-to a name" run gaussian --skip-to fan2 --json name.json
check "leaves out what is before it" json name.json "skipped == 1 and 'fan2' in k[0]"
check "--sample" run gaussian --sample --sample-error 3 --json sample.json
check "leaves out some, and is right" json sample.json "s['launches'] == r['launches'] and 0 < s['simulated'] == len(k) < s['launches'] and r['output_ok']"
check "counts of instructions are exact" json sample.json "r['thread_instructions'] == json.load(open('all.json'))['thread_instructions']"
check "the total is the middle of its interval" json sample.json "i['cycles'][1] <= r['cycles'] <= i['cycles'][2] and i['cycles'][1] < i['cycles'][2]"
check "which is as narrow as asked for" json sample.json "(i['cycles'][2] - i['cycles'][0]) / i['cycles'][0] < 0.05"
check "and near the truth" json sample.json "abs(r['cycles'] / json.load(open('all.json'))['cycles'] - 1) < 0.08"
check "energy and every statistic have one too" json sample.json "set(i) >= {'energy.total', 'l2.accesses', 'dram.reads', 'sm.warp_instructions'}"
check "groups add up" json sample.json "sum(g['launches'] for g in s['groups']) == s['launches'] and sum(g['simulated'] for g in s['groups']) == s['simulated']"
check "the same every time" run gaussian --sample --sample-error 3 --json again.json
check "to the last digit" json again.json "s == json.load(open('sample.json'))['sample']"
check "the page says so" answers 0 '95 % interval' "$heddle" run gaussian --sample
check "--sample-plan" answers 0 "of the instructions would be simulated" "$heddle" run gaussian --sample-plan --json plan.json
check "names the kernels" json plan.json "[g['kernel'] for g in r['sample_plan']] and all(0 < g['simulated'] <= g['launches'] for g in r['sample_plan']) and any(g['simulated'] < g['launches'] for g in r['sample_plan'])"
check "all of it up to a limit of instructions" run gaussian --max-instructions 40000 --json cut.json
check "a sampled run up to there" answers 0 'the limit of instructions' "$heddle" run gaussian --sample --max-instructions 40000 --json limit.json
check "is about as long, and counts what was left out" \
  json limit.json "s['simulated'] < s['launches'] and 40000 <= r['warp_instructions'] < 45000 and abs(r['cycles'] / json.load(open('cut.json'))['cycles'] - 1) < 0.1"
check "one that ends in the middle of its only kernel" run matrixmul --sample --set gpu.max_thread_instructions=100000 --json middle.json
check "has that in its estimate" json middle.json "'max_thread_instructions' in r['stopped'] and i['cycles'][1] == i['cycles'][2] == r['cycles'] > 500"
check "too few launches to leave one out" run vectoradd --sample --json few.json
check "and it is said" answers 0 'left nothing out' "$heddle" run vectoradd --sample
check "is the whole run" json few.json "s['simulated'] == s['launches'] and i['cycles'][1] == i['cycles'][2] == r['cycles']"

# What a long program prints does not depend on how much of it is simulated.
long() { "$heddle" run --quiet "$@" | grep output; }
long_list() { LD_LIBRARY_PATH=$build/lib "$build/heddle-long" list | awk -F'\t' '$2 > 0 && $3 != ""' | wc -l; }
check "at least ten long programs" test "$(long_list)" -ge 10
check "a long program gives the same sampled as without timing" \
  test -n "$(long --functional -- "$build/heddle-long" gradients 2)" -a \
  "$(long --functional -- "$build/heddle-long" gradients 2)" = "$(long --sample --json long.json -- "$build/heddle-long" gradients 2)"
check "groups know what came before" json long.json "{g['after'] for g in s['groups'] if g['kernel'] == 'sparse_times'} == {'dot_blocks', 'add_scaled'}"

check "two ways at once" answers 2 'one of them at a time' "$heddle" run spmv --only a --sample
check "with another program" answers 2 'two programs share' "$heddle" run spmv --with bfs --sample
check "without timing" answers 2 'simulates no launch' "$heddle" run spmv --functional --only a
check "a wrong error" answers 2 'a number of percent' "$heddle" run spmv --sample-error none
check "a wrong pattern" answers 2 'not a regular expression' "$heddle" run spmv --only '('
check "launch 0" answers 2 'counted from 1' "$heddle" run spmv --skip-to 0
check "a profile of samples" answers 2 'use --only or --skip-to' "$heddle" run spmv --sample --profile
finish
