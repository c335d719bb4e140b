#!/bin/sh
# How near sampled runs come to whole ones: sampling_page.sh BUILD SIZE [NAME...] runs each workload both ways on gtx480 and prints the
# table of docs/sampling.md; without names all workloads. long:NAME:STEPS is one of the long programs (heddle-long). ROWS: a file that rows
# are added to, and whose rows are not measured again, so that a table can be made in several sittings. LIMIT: seconds a run may take (600).
# SET: a setting of both runs besides, KEY=VALUE. STORED: a table of stored results (results/claims.tsv); whole runs of the preset GPU with no
# setting but the limit of instructions are then taken from it, which spares the longer of the two runs. IPC is compared where the table has
# no cycles: a sampled run may go beyond the limit, and the part beyond it does not count.
# "Times as fast" are CPU seconds of the whole process, so that a busy machine matters little.
build=$(cd "${1:?sampling_page.sh BUILD SIZE [NAME...]}" && pwd) || exit 2
size=${2:?sampling_page.sh BUILD SIZE [NAME...]}
shift 2
gpu=${GPU:-gtx480}
# The stored base runs of this size and GPU: name, limit, statistic (cycles or ipc), value.
stored() {
  awk -F'\t' -v size="$size" -v gpu="$gpu" '
    $1 != size || $3 != gpu || $4 !~ /^(-|gpu\.max_thread_instructions=[0-9]+)$/ { next }
    { n = split($9, numbers, " "); what = ""
      for (i = 1; i <= n; i++) if (numbers[i] ~ /^(cycles|ipc)=/ && what !~ /^cycles/) what = numbers[i]
      sub(/=/, "\t", what)
      if (what) print $2 "\t" $4 "\t" what }' "$STORED"
}
if [ $# -eq 0 ] && [ "$STORED" ]; then
  set -- $(stored | cut -f 1)
elif [ $# -eq 0 ]; then
  set -- $("$build/heddle" list workloads --tsv | cut -f 1)
fi
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT
rows=${ROWS:-$work/rows}
# measure "" or --sample: a run of $name of size $of.
measure() {
  if [ "$program" ]; then
    timeout "${LIMIT:-600}" "$build/heddle" run --gpu "$gpu" ${set:+--set "$set"} --quiet $1 --json "$work/r$1.json" -- "$program" "$name" "$of"
  else
    timeout "${LIMIT:-600}" "$build/heddle" run "$name" --size "$of" --gpu "$gpu" ${set:+--set "$set"} --quiet $1 --json "$work/r$1.json"
  fi
}
touch "$rows"
for name in "$@"; do
  of=$size set=$SET truth= ways="whole sampled"
  case $name in long:*:*) of=${name##*:} name=${name#long:} name=${name%%:*} program=$build/heddle-long ;; *) program= ;; esac
  grep -q "^$name	$of	" "$rows" && continue
  if [ "$STORED" ]; then
    truth=$(stored | awk -F'\t' -v name="$name" '$1 == name { print $3 "=" $4; exit }')
    set=$(stored | awk -F'\t' -v name="$name" '$1 == name && $2 != "-" { print $2; exit }')
    ways=sampled
    [ "$truth" ] || { echo "$name: $STORED has no whole run of it on $gpu" >&2; continue; }
  fi
  rm -f "$work"/*.json
  for way in $ways; do
    how=--sample
    [ $way = whole ] && how=
    (measure "$how" >/dev/null 2>&1 || rm -f "$work/r$how.json"; times) >"$work/times$how"
  done
  [ "$truth" ] || [ -s "$work/r.json" ] && [ -s "$work/r--sample.json" ] || { echo "$name: a run took too long or failed" >&2; continue; }
  python3 - "$name" "$of" "$work" "$truth" "${set##*=}" >>"$rows" <<'PYTHON'
import json, re, sys
name, size, work, stored, limit = sys.argv[1:]
sample = json.load(open(f"{work}/r--sample.json"))
def cpu(how):  # the last line of the shell's `times` is of its children: 1m2.5s 0m0.1s
    return sum(60 * int(m) + float(s) for m, s in re.findall(r"(\d+)m([\d.]+)s", open(f"{work}/times{how}").read().splitlines()[-1]))
if stored:
    what, truth = stored.split("=")
    truth, whole, speed = float(truth), sample, 0
else:
    whole = json.load(open(f"{work}/r.json"))
    what, truth, speed = "cycles", whole["cycles"], cpu("") / max(cpu("--sample"), 0.01)
value, low, high = sample["sample"]["intervals"]["cycles"]
if stored and limit:  # what goes beyond the limit is taken off at the rate of the last kernel
    last, beyond = sample["kernels"][-1], max(0, sample["thread_instructions"] - int(limit))
    value, low, high = (c - beyond * last["cycles"] / last["thread_instructions"] for c in (value, low, high))
if what == "ipc":  # instructions are counted, not predicted
    executed = min(sample["thread_instructions"], int(limit or sample["thread_instructions"]))
    value, low, high = (executed / c for c in (value, high, low))
close = 0.5 if what == "cycles" else 1e-9 * truth
left = sum(k.get("skipped_ctas", 0) > 0 for k in sample["kernels"])
print(f"{name}\t{size}\t{whole['warp_instructions']:.0f}\t{sample['sample']['launches']}\t{sample['sample']['simulated']}\t{left}\t"
      f"{truth:.8g}{'' if what == 'cycles' else ' IPC'}\t{100 * (value / truth - 1):.2f}\t{100 * (high - value) / value:.2f}\t"
      f"{low - close <= truth <= high + close:d}\t{f'{speed:.1f}' if speed else '-'}")
PYTHON
  tail -n 1 "$rows" >&2
done
awk -F'\t' '
  BEGIN { print "| workload | size | warp instructions | launches | simulated | of them in part | cycles | error, % | interval, ±% | contains the true value | times as fast |"
          print "|---|---|---|---|---|---|---|---|---|---|---|" }
  { print "| " $1 " | " $2 " | " $3 " | " $4 " | " $5 " | " $6 " | " $7 " | " $8 " | " $9 " | " ($10 ? "yes" : "no") " | " $11 " |"
    e = $8 < 0 ? -$8 : $8; n++; sum += e; if (e > worst) worst = e; held += $10
    if ($11 != "-") { timed++; logs += log($11) }
    if ($5 < $4 || $6 > 0) { part++; part_sum += e; part_held += $10; if ($11 != "-") { part_timed++; part_logs += log($11) } } }
  END { if (!n) exit 1
        printf "\n%d runs: error %.2f %% on average, %.2f %% at most; the interval contains the true value in %d", n, sum / n, worst, held
        if (timed) printf "; %.1f times as fast (geometric mean)", exp(logs / timed)
        if (part) printf ".\nOf %d in which anything was left out: %.2f %% on average, contained in %d", part, part_sum / part, part_held
        if (part_timed) printf ", %.1f times as fast", exp(part_logs / part_timed)
        print "." }' "$rows"
