#!/bin/sh
# What `make demo` shows: demo.sh BUILD.
set -eu
heddle=$1/heddle

cat <<'TEXT'

kmeans, a CUDA program in which each lane of a warp reads the features of its own point, runs on a simulated GTX 480 three
times: with a first-level data cache of 2, 4 and 8 ways. A warp touches 32 lines at once and comes back to each of them
for the next feature; with few ways they are gone by then, and the loads wait for the network and the second-level cache.

TEXT
"$heddle" compare kmeans --vary l1.ways=2,4,8

cat <<'TEXT'

One run in more detail: what its instructions did, where its loads were served, and what the issue slots waited for.
TEXT
"$heddle" run kmeans

cat <<TEXT

Next: \`$heddle list workloads\`, \`$heddle list keys\`, \`$heddle run -- ./your_cuda_program\`; README.md has a tour.
TEXT
