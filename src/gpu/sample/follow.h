/* Lets the probes "kernels" and "kernel-traffic" follow grids that are run without timing: what needs no time.
 *
 * Every warp instruction is shown to the observers of the SM that its CTA is taken to run on (CTAs one after the other to the SMs in turn).
 * No request comes to L2; its slices are shown each line once a launch, when a load of global memory or a texture first reads it, so
 * that its compressibility can be seen.
 *
 * Does not: know hits, distances of reuse, or who touches a line at the same time; follow grids that kernels launch. */
#ifndef GPU_FOLLOW_H
#define GPU_FOLLOW_H

#include "gpu/gpu.h"

/* On a new GPU, which simulates nothing: switches the probes on. */
bool gpu_follow_start(struct gpu *g, const char *probes, struct err *e);
/* Before a grid is given to exec_run_grid, and when it has ended. */
void gpu_follow_grid(struct gpu *g, struct exec_grid *grid);
void gpu_follow_end(struct gpu *g, const struct exec_grid *grid);
void gpu_follow_free(struct gpu *g);

#endif
