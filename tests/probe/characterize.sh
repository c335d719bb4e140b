#!/bin/sh
# heddle characterize and --probe from a shell: figures, JSON, pictures, mistakes, and that probes change nothing and do
# not depend on the number of threads. characterize.sh BUILD. Last line "N passed, N failed".
build=$1
. "$(dirname "$0")/../lib/checks.sh"
log=$root/err
run() { "$build/heddle" "$@" >"$root/out" 2>"$root/err"; }
fails_with() { # STATUS TEXT ARGUMENTS...
  want=$1 text=$2
  shift 2
  answers "$want" "$text" "$build/heddle" "$@"
}
probes() { sed -n '/^  "probes": {/,/^  }/p' "$1"; }
cycles() { sed -n 's/^  "cycles": \([0-9]*\),$/\1/p' "$1"; }

check "a table, JSON and an SVG" run characterize vectoradd kmn --json "$root/a.json" -o "$root/a.svg"
check "loads of vectoradd are coalesced" grep -Eq '^vectoradd +100.0 % +0.0 %' "$root/out"
check "half of those of kmn have a line a lane" grep -Eq '^kmn +50.0 % +0.0 % +0.0 % +0.0 % +50.0 %' "$root/out"
check "the picture is an SVG" grep -q '^<svg xmlns' "$root/a.svg"
check "with a map of the SMs" grep -q 'darkest' "$root/a.svg"
check "HTML on demand" run characterize vectoradd --probe mix -o "$root/a.html"
check "the page has the picture" grep -q '<svg' "$root/a.html"
run run vectoradd --quiet --probe mix --json "$root/m.json"
check "the probe asked for" grep -q '"mean_lanes"' "$root/m.json"
check "and no other" sh -c "! grep -q quarter_of_reused '$root/m.json'"
check "an unknown probe offers the nearest" fails_with 2 "did you mean 'lines'" run vectoradd --probe line
check "probes need time" fails_with 2 "need a timed run" run vectoradd --probe lines --functional
check "no workload" fails_with 2 "workloads are expected" characterize
check "an unknown workload offers the nearest" fails_with 2 "kmeans" characterize kmens
check "a size too large for the memory is refused" sh -c "'$build/heddle' run vectoradd --size medium --set gpu.memory=1M >'$root/out'; [ \$? -eq 2 ]"
check "with both numbers" grep -q "at least [0-9]* bytes of device memory, the device has 1048576" "$root/out"

check "a line a kernel" run characterize gaussian --tsv "$root/g.tsv"
check "of each kernel" [ "$(cut -f 1,3 "$root/g.tsv" | tr '\n\t' ' ,')" = "workload,kernel gaussian,gaussian_fan1 gaussian,gaussian_fan2 " ]
check "a workload beside itself" run characterize gaussian --against "$root/g.tsv"
check "is inside all bounds" grep -q '^gaussian: 0 figures are outside' "$root/out"
awk -F '\t' -v OFS='\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR == 3 { $at["global_loads"] *= 1.3; $at["l1_hits"] += 6; $at["lines"] *= 1.04 } 1' "$root/g.tsv" >"$root/h.tsv"
check "beside one with more loads and hits it is not" fails_with 1 '^gaussian: 2 figures are outside' characterize gaussian --against "$root/h.tsv"
sed 's/small/paper/; s/\t12x12x1/\t9x9x9/' "$root/g.tsv" >"$root/p.tsv"
check "beside size paper what follows from the size is left out" answers 0 '9x9x9  not bounded' "$build/heddle" characterize gaussian --against "$root/p.tsv"
awk -F'\t' 'BEGIN { OFS = FS } /^workload/ { for (i = 1; i <= NF; i++) if ($i == "bdi") gone = i } { $gone = NR == 1 ? "other" : 99; print }' \
  "$root/g.tsv" >"$root/c.tsv"
check "a compressor that the table does not have is not bounded" answers 0 'bdi .*  not bounded' "$build/heddle" characterize gaussian \
  --against "$root/c.tsv"
check "a workload that the table does not have" fails_with 2 "has no row for kmn" characterize kmn --against "$root/g.tsv"
check "a table of something else" fails_with 2 "no table of originals" characterize kmn --against "$0"
check "nn is inside the bounds of its original" fails_with 0 '^nn: 0 figures are outside' characterize nn --against "$(dirname "$0")/../../workloads/originals.tsv"
# Without timing: the same but for what needs time, which is empty; a tenth of mummergpu's instructions are textures, gaussian has many launches.
timed_columns="reuse_q1 reuse_q2 reuse_q3 l1_hits l2_hits sm_shared"
without() { # without FILE NAMES: the table without these columns
  awk -F'\t' -v names="$2" 'BEGIN { split(names, n, " "); for (i in n) gone[n[i]] }
    { line = ""; for (i = 1; i <= NF; i++) { if (NR == 1) drop[i] = $i in gone; if (!drop[i]) line = line "\t" $i }; print line }' "$1"
}
check "without timing" run characterize gaussian mummergpu histo --functional --tsv "$root/f.tsv"
run characterize gaussian mummergpu histo --tsv "$root/t.tsv"
without "$root/f.tsv" "$timed_columns dpc bdi fpc cpack" >"$root/f"
without "$root/t.tsv" "$timed_columns dpc bdi fpc cpack" >"$root/t"
check "there are kernels" [ "$(wc -l <"$root/f")" -eq 9 ]
check "whatever needs no time is the same" cmp -s "$root/f" "$root/t"
check "what needs it is empty" awk -F'\t' -v names="$timed_columns" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; n = split(names, t, " "); next }
  { for (k = 1; k <= n; k++) if ($at[t[k]] != "") exit 1 }' "$root/f.tsv"
check "compressors see each line once a launch" awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
  $3 == "mummer_match" && $at["dpc"] == "11.32" && $at["bdi"] == "-0.1725" { found = 1 } END { exit !found }' "$root/f.tsv"
check "a timed workload beside a row without timing" answers 0 "without timing hits, .* are not compared" "$build/heddle" characterize gaussian \
  --against "$root/f.tsv"
check "is not compared in what needs time" sh -c "! grep -qE '^  (l1_hits|sm_shared|reuse_q1|dpc) ' '$root/answer'"
sed 's/^gaussian\t\(.*\)\t[^\t]*$/gaussian\t\1\t99/' "$root/f.tsv" >"$root/p.tsv"
check "two without timing in compressibility too" fails_with 1 '^  cpack .* outside' characterize gaussian --functional --against "$root/p.tsv"
sed '2,$s/\t[^\t]*$/\t/' "$root/f.tsv" >"$root/p.tsv"
check "a figure that the table leaves empty is not compared" answers 0 '^gaussian: 0 figures' "$build/heddle" characterize gaussian --functional \
  --against "$root/p.tsv"
check "nor shown" sh -c "! grep -q '^  cpack ' '$root/answer'"
awk -F'\t' 'BEGIN { OFS = FS } /^workload/ { for (i = 1; i <= NF; i++) at[$i] = i; print; next } { $at["l1_hits"] = ""; $at["l2_hits"] += 20; print }' \
  "$root/g.tsv" >"$root/p.tsv"
check "beside empty hits of a timed row what else needs time is compared" fails_with 1 '^  l2_hits .* outside' characterize gaussian --against "$root/p.tsv"
check "only kernel by kernel" fails_with 2 "--tsv and --against are what" characterize gaussian --functional
check "any program" run characterize --tsv - -- "$build/heddle-workloads" vectoradd
check "by its name" grep -q '^heddle-workloads	small	vectoradd	1	' "$root/out"

check "a file of something else" fails_with 2 "is no file of" characterize --show "$0"

run run spmv --quiet --json "$root/off.json"
run run spmv --quiet --probe all --json "$root/one.json"
run run spmv --quiet --probe all --threads 2 --set gpu.all_threads=true --json "$root/two.json"
check "as many cycles with probes as without" [ "$(cycles "$root/off.json")" = "$(cycles "$root/one.json")" ]
probes "$root/one.json" >"$root/one"
probes "$root/two.json" >"$root/two"
check "there are figures" [ -s "$root/one" ]
check "the same with two threads" cmp -s "$root/one" "$root/two"

finish
