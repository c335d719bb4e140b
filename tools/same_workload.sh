#!/bin/sh
# Results that a change of a workload leaves as they are: same_workload.sh OLD_BUILD NEW_BUILD SIZE NAME... runs each workload as both builds have
# it at SIZE. Where every statistic of every kernel is the same on gtx480, and on mesh56 with compressed replies, whose size depends on the values,
# both execute the same instructions on the same data, and stored results (results/claims.tsv) of that size get the new stamp: they are not
# stale. Both builds must have the same timing. Results of two programs at once are left as they are. Exit status 1: one is not the same.
old=$(cd "${1:?same_workload.sh OLD_BUILD NEW_BUILD SIZE NAME...}" && pwd) && new=$(cd "${2:?NEW_BUILD}" && pwd) || exit 2
size=${3:?SIZE}
shift 3
results=$(dirname "$0")/../results/claims.tsv
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT
status=0

# stamp BUILD NAME
stamp() { sed -n "s/^\"$2\\\\t\\([0-9a-f]*\\)\\\\n\"\\(;\\)\\{0,1\\}$/\\1/p" "$1/gen/stamps.c"; }

# statistics BUILD NAME FILE OPTIONS...: of a run, without what is of the host, and without keys, of which a build may have more.
statistics() {
  build=$1 name=$2 file=$3
  shift 3
  "$build/heddle" run "$name" --size "$size" --quiet "$@" --json "$work/run.json" >/dev/null || return 1
  python3 -c 'import json, sys
j = json.load(open(sys.argv[1]))
for k in ("host", "program", "config"): j.pop(k, None)
json.dump(j, open(sys.argv[2], "w"), sort_keys=True, indent=0)' "$work/run.json" "$file"
}

same() { # NAME OPTIONS...
  name=$1
  shift
  statistics "$old" "$name" "$work/old" "$@" && statistics "$new" "$name" "$work/new" "$@" && cmp -s "$work/old" "$work/new"
}

for name in "$@"; do
  was=$(stamp "$old" "$name") is=$(stamp "$new" "$name")
  if [ -z "$was" ] || [ -z "$is" ]; then
    echo "$name: a build does not have it" >&2
    status=1
  elif [ "$was" = "$is" ]; then
    echo "$name: not changed"
  elif same "$name" --gpu gtx480 && same "$name" --gpu mesh56 --set reply.compress=dpc; then
    awk -F '\t' -v OFS='\t' -v size="$size" -v name="$name" -v was="$was" -v is="$is" \
      '$1 == size && $2 == name && $6 == was { $6 = is; n++ } 1; END { print name ": the same, " n + 0 " stored results" >"/dev/stderr" }' \
      "$results" >"$work/results" && cat "$work/results" >"$results"
  else
    echo "$name: not the same at size $size" >&2
    status=1
  fi
done
exit $status
