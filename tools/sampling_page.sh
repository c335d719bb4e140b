#!/bin/sh
# How near sampled runs come to whole ones: sampling_page.sh BUILD SIZE [NAME...] runs each workload both ways on gtx480 and prints the
# table of docs/sampling.md; without names all workloads. long:NAME:STEPS is one of the long programs (heddle-long). ROWS: a file that rows
# are added to, and whose rows are not measured again, so that a table can be made in several sittings. LIMIT: seconds a run may take (600).
# SET: a setting of both runs besides, KEY=VALUE.
# "Times as fast" are CPU seconds of the whole process, so that a busy machine matters little.
build=$(cd "${1:?sampling_page.sh BUILD SIZE [NAME...]}" && pwd) || exit 2
size=${2:?sampling_page.sh BUILD SIZE [NAME...]}
shift 2
[ $# -gt 0 ] || set -- $("$build/heddle" list workloads --tsv | cut -f 1)
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT
rows=${ROWS:-$work/rows}
# measure "" or --sample: a run of $name of size $of.
measure() {
  if [ "$program" ]; then
    timeout "${LIMIT:-600}" "$build/heddle" run --gpu gtx480 ${SET:+--set "$SET"} --quiet $1 --json "$work/r$1.json" -- "$program" "$name" "$of"
  else
    timeout "${LIMIT:-600}" "$build/heddle" run "$name" --size "$of" ${SET:+--set "$SET"} --quiet $1 --json "$work/r$1.json"
  fi
}
touch "$rows"
for name in "$@"; do
  of=$size
  case $name in long:*:*) of=${name##*:} name=${name#long:} name=${name%%:*} program=$build/heddle-long ;; *) program= ;; esac
  grep -q "^$name	$of	" "$rows" && continue
  for how in "" --sample; do
    (measure "$how" >/dev/null 2>&1 || rm -f "$work/r$how.json"; times) >"$work/times$how"
  done
  [ -s "$work/r.json" ] && [ -s "$work/r--sample.json" ] || { echo "$name: a run took too long or failed" >&2; continue; }
  python3 - "$name" "$of" "$work" >>"$rows" <<'PYTHON'
import json, re, sys
name, size, work = sys.argv[1:]
whole, sample = json.load(open(f"{work}/r.json")), json.load(open(f"{work}/r--sample.json"))
def cpu(how):  # the last line of the shell's `times` is of its children: 1m2.5s 0m0.1s
    return sum(60 * int(m) + float(s) for m, s in re.findall(r"(\d+)m([\d.]+)s", open(f"{work}/times{how}").read().splitlines()[-1]))
value, low, high = sample["sample"]["intervals"]["cycles"]
truth = whole["cycles"]
left = sum(k.get("skipped_ctas", 0) > 0 for k in sample["kernels"])
speed = cpu("") / max(cpu("--sample"), 0.01)
print(f"{name}\t{size}\t{whole['warp_instructions']}\t{sample['sample']['launches']}\t{sample['sample']['simulated']}\t{left}\t{truth}\t"
      f"{100 * (value / truth - 1):.2f}\t{100 * (high - value) / value:.2f}\t{low - 0.5 <= truth <= high + 0.5:d}\t{speed:.1f}")
PYTHON
  tail -n 1 "$rows" >&2
done
awk -F'\t' '
  BEGIN { print "| workload | size | warp instructions | launches | simulated | of them in part | cycles | error, % | interval, ±% | contains the true value | times as fast |"
          print "|---|---|---|---|---|---|---|---|---|---|---|" }
  { print "| " $1 " | " $2 " | " $3 " | " $4 " | " $5 " | " $6 " | " $7 " | " $8 " | " $9 " | " ($10 ? "yes" : "no") " | " $11 " |"
    e = $8 < 0 ? -$8 : $8; n++; sum += e; if (e > worst) worst = e; held += $10; logs += log($11); skipped += $5 < $4 || $6 > 0
    if ($5 < $4 || $6 > 0) { part++; part_sum += e; part_held += $10; part_logs += log($11) } }
  END { printf "\n%d runs: error %.2f %% on average, %.2f %% at most; the interval contains the true value in %d; %.1f times as fast (geometric mean).\n", n, sum / n, worst, held, exp(logs / n)
        if (part) printf "Of %d in which anything was left out: %.2f %% on average, contained in %d, %.1f times as fast.\n", part, part_sum / part, part_held, exp(part_logs / part) }' "$rows"
