#!/bin/sh
# The published claims that `heddle characterize` can check, measured: characterize_claims.sh BUILD [SIZE [FOLDER]]
#
# Runs each workload that a claim needs on the GPU its paper describes, all cores at once, into FOLDER (default
# BUILD/characterize-SIZE; SIZE default medium, about an hour on two cores), and prints id, published, measured, verdict
# and a note, separated by tabs. A run whose file is there already is not repeated.
set -eu
if [ $# -lt 1 ]; then sed -n '2,/^set/p' "$0" | sed -e '/^set/d' -e 's/^# \{0,1\}//' >&2; exit 2; fi
build=$1
size=${2:-medium}
folder=${3:-$build/characterize-$size}
mkdir -p "$folder"

# GPU SETTING-OR-- WORKLOAD...
runs() {
  list gtx480 - mummergpu bfs cfd kmeans particlefilter srad_v2 spmv b+tree dwt2d gaussian srad_v1 streamcluster histo \
    mri-gridding stencil
  list gtx480 l1.org=line32 stencil
  list gtx480 l1.org=line64 stencil
  list gtx480-bucl - kmn bfs particlefilter gaussian sssp backprop b+tree nw 2dconv myocyte
  list gpu80 - alexnet resnet squeezenet nn-fc matrixmul lud sp 3dconv b+tree gemm backprop blackscholes dwt2d mergesort \
    binomialoptions histogram vectoradd
  list mesh56 - backprop bfs cfd dwt2d gaussian heartwall hotspot hybridsort kmeans lavamd lud mummergpu myocyte nn nw \
    particlefilter pathfinder srad_v1 srad_v2 streamcluster apsp ccl gco gcu ii km mm pvc pvr sm ss wc
  list gtx480-ccn - mm ss cfd pvr streamcluster bfs dwt2d lbm km hybridsort pbfs lavamd histo sm myocyte nw b+tree ii \
    particlefilter leukocyte wc sad srad_v1 srad_v2 mri-gridding kmeans lud stencil heartwall backprop hotspot cutcp \
    mri-q tpacf
}
list() {
  gpu=$1 setting=$2
  shift 2
  for name in "$@"; do
    file=$folder/$gpu,$setting,$name.json
    [ -s "$file" ] || printf '%s %s %s %s\n' "$gpu" "$setting" "$name" "$file"
  done
}

one='set=
[ "$2" = - ] || set="--set $2"
"$0" characterize "$3" --gpu "$1" --size '"$size"' $set --json "$4" >/dev/null || echo "characterize_claims: $3 on $1 failed" >&2'
runs | xargs -r -P "$(nproc)" -L 1 sh -c "$one" "$build/heddle"
exec "$build/heddle" characterize --claims "$folder"/*.json
