/* Lets the probes "kernels" and "kernel-traffic" follow grids that are run without timing, for everything that needs
 * no time.
 *
 * Every warp instruction is shown to the observers of the SM on which its CTA is assumed to run (CTAs go to the SMs
 * in turn, one after the other). No request reaches L2; an L2 slice is shown each line once in a launch, when a load
 * of global memory or a texture read first reads it, so that the compressibility of the line can be measured.
 *
 * Does not: know hits, reuse distances, or who touches a line at the same time; follow grids that kernels launch. */
#ifndef GPU_FOLLOW_H
#define GPU_FOLLOW_H

#include "gpu/gpu.h"

/* Switches the probes on, on a new GPU, which then simulates nothing. */
bool gpu_follow_start(struct gpu *g, const char *probes, struct err *e);
/* To be called before a grid is given to exec_run_grid, and when it has ended. */
void gpu_follow_grid(struct gpu *g, struct exec_grid *grid);
void gpu_follow_end(struct gpu *g, const struct exec_grid *grid);
void gpu_follow_free(struct gpu *g);

#endif
