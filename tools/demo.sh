#!/bin/sh
# What `make demo` shows: demo.sh BUILD.
set -eu
heddle=$1/heddle

cat <<'TEXT'

Sparse matrix times vector (spmv), a CUDA program whose lanes read scattered words, runs on a simulated GTX 480 three times:
with a first-level cache of 2, 4 and 8 ways. More ways keep more lines until they are used again, so fewer loads wait for
the network, the second-level cache and DRAM.

TEXT
"$heddle" compare spmv --vary l1.ways=2,4,8

cat <<'TEXT'

One run in more detail: what its instructions did, where its loads were served, and what the issue slots waited for.
TEXT
"$heddle" run spmv

cat <<TEXT

Next: \`$heddle list workloads\`, \`$heddle list keys\`, \`$heddle run -- ./your_cuda_program\`; README.md has a tour.
TEXT
