/* Counts the segments of memory that a grid accesses while it runs without timing, as sm.segments counts those of a
 * simulated grid.
 *
 * Does not: count segments of local memory, whose place depends on the warp's slot in its SM; a grid with any local
 * memory is not counted at all. */
#ifndef GPU_SEGMENTS_H
#define GPU_SEGMENTS_H

#include "gpu/gpu.h"

struct gpu_segments {
  const struct gpu *gpu;
  uint64_t n;
};

bool gpu_segments_can_count(const struct exec_grid *grid);
/* To be called before the grid is given to exec_run_grid; c must live until the grid has ended. */
void gpu_segments_count(struct gpu_segments *c, const struct gpu *g, struct exec_grid *grid);

#endif
