#!/bin/sh
# Workloads, as many at once as there are cores: each checks its own output. Last line "N passed, N failed".
#
#   workloads.sh BUILD [NAME...]            values only, size small; all workloads if none is named
#   workloads.sh BUILD --ordered [NAME...]  likewise, lowered and in the order of an assembler (sm.lower, sm.assembler_order)
#   workloads.sh BUILD --timed [NAME...]    on the timed gtx480, size small; a spread of suites and access patterns
#   workloads.sh BUILD --medium [NAME...]   on the timed gtx480, size medium; all. `make test-medium`
#   workloads.sh BUILD --paper [NAME...]    values only, size paper; all, a few minutes. `make test-medium`
build=$1
shift
how="--functional"
spread=
case ${1-} in
--ordered)
  how="--functional --set sm.assembler_order=true --set sm.lower=true"
  shift ;;
--timed)
  how=
  # Streams, scattered graphs, sharing between SMs, shared memory, atomics, textures, tensor cores, many small launches.
  spread="backprop bfs cfd dwt2d gaussian hotspot kmn lud mummergpu nw srad_v2 cutcp histo lbm pbfs sgemm spmv stencil
    tpacf km pvr ss wc mvt 3dconv sssp mergesort reduction transpose ccl squeezenet nn-fc embeddingbag flashattn tcgemm"
  shift ;;
--medium)
  how="--size medium"
  shift ;;
--paper)
  how="--size paper --functional"
  shift ;;
esac
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
[ $# -gt 0 ] || set -- $spread
[ $# -gt 0 ] || set -- $("$build/heddle" list workloads --tsv | cut -f 1)
printf '%s\n' "$@" | xargs -P "$(nproc)" -I NAME sh -c \
  "if '$build/heddle' run NAME $how --quiet >'$logs/NAME' 2>&1; then rm '$logs/NAME'; fi; :"
failed=0
for log in "$logs"/*; do
  [ -e "$log" ] || break
  failed=$((failed + 1))
  echo "$(basename "$log"):"
  tail -n 5 "$log"
done
echo "$(($# - failed)) passed, $failed failed"
[ "$failed" -eq 0 ] && [ $# -gt 0 ]
