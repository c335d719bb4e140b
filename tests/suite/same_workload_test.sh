#!/bin/sh
# tools/same_workload.sh: results get the new stamp only where both builds do the same, with made-up builds. same_workload_test.sh BUILD
. "$(dirname "$0")/../lib/checks.sh"
mkdir -p "$root/tools" "$root/results"
cp "$(dirname "$0")/../../tools/same_workload.sh" "$root/tools/"
# made BUILD STAMP CYCLES FLITS: a build whose workload `stencil` takes so many cycles, and so many reply flits on mesh56.
made() {
  mkdir -p "$root/$1/gen"
  printf 'const char wl_stamps[] =\n"stencil\\t%s\\n"\n"sp\\t00000001\\n";\n' "$2" >"$root/$1/gen/stamps.c"
  cat >"$root/$1/heddle" <<END
#!/bin/sh
number=$3
case "\$*" in *mesh56*) number=$4 ;; esac
while [ "\$1" != --json ]; do shift; done
echo "{\"cycles\": \$number, \"host\": {\"seconds\": \$\$}}" >"\$2"
END
  chmod +x "$root/$1/heddle"
}
made old aaaaaaaa 100 20
made same bbbbbbbb 100 20
made slower cccccccc 101 20
made values dddddddd 100 21
printf '# of\nmedium\tstencil\tgtx480\t-\tc0\taaaaaaaa\tt0\t1\tcycles=100\nsmall\tstencil\tgtx480\t-\tc0\taaaaaaaa\tt0\t1\tcycles=9\nmedium\tsp\tgtx480\t-\tc0\taaaaaaaa\tt0\t1\tcycles=7\nmedium\tstencil\tgpu80\t-\tc0\t99999999\tt0\t1\tcycles=3\n' >"$root/results/claims.tsv"
cp "$root/results/claims.tsv" "$root/before"
tool() { sh "$root/tools/same_workload.sh" "$root/old" "$root/$1" medium "$2"; }
unchanged() { cmp "$root/before" "$root/results/claims.tsv"; }

check "other cycles are told" answers 1 'stencil: not the same at size medium' tool slower stencil
check "and leave the results" unchanged
check "other values are told by the replies" answers 1 'not the same' tool values stencil
check "and leave the results too" unchanged
check "a workload that did not change" answers 0 'sp: not changed' tool same sp
check "one that no build has" answers 1 'spx: a build does not have it' tool same spx
check "the same statistics give the stamp" answers 0 'stencil: the same, 1 stored results' tool same stencil
sed '2s/aaaaaaaa/bbbbbbbb/' "$root/before" >"$root/want"
check "to rows of this size and workload that had the old one" cmp "$root/want" "$root/results/claims.tsv"
finish
