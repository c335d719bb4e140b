/* Programs that are too long to simulate whole in a short time: at least 500 million warp instructions each, for docs/sampling.md and for
 * whoever wants a long run. Written for this purpose, with kernels of their own (long_kernels.cu). How long one is can be chosen: `steps`
 * is how often its outer loop runs.
 *
 * They check nothing: their output is told as a checksum, which must be the same with and without timing. */
#ifndef LONG_LONG_H
#define LONG_LONG_H

#include "common/wl.h"

struct long_program {
  const char *name, *meaning;
  long steps; /* that give 500 million warp instructions or more */
  /* Runs and answers the checksum of its output. */
  uint64_t (*run)(struct wl_run *r, long steps);
};

extern const struct long_program long_networks[], long_graphs[], long_grids[], long_matrices[]; /* each ended by a name NULL */

/* A checksum of device memory. */
uint64_t long_sum(struct wl_run *r, CUdeviceptr from, size_t bytes);
/* Blocks of `block` threads for n threads. */
#define LONG_LINE(r, kernel, n, block, ...) WL_LAUNCH((r), (kernel), wl_1d(wl_blocks((n), (block))), wl_1d(block), 0, __VA_ARGS__)

#endif
