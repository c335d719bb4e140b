/* Sampling inside a long kernel: some of its CTAs are executed without timing, and what they would have taken is predicted.
 *
 * A wave is as many CTAs as the GPU holds at once. Whenever a wave of simulated CTAs has ended, its cycles and statistics are a
 * sample (gpu/sample/sampling.h, whose launches are waves here), and if no further sample is wanted the next waves are executed at once
 * without timing, while L2 is kept warm (warm.h); dispatching goes on behind them, so that the SMs never run empty. The kernel's
 * cycles and statistics are those that were simulated plus those predicted for the others.
 *
 * Not for cooperative grids, for kernels of fewer than GPU_FEWEST_WAVES waves, or for kernels in which a thread may wait for
 * another CTA's (EXEC_SPIN): a CTA that waits for one that is simulated would wait for ever. The first wave after a skipped one
 * finds L1Ds that are not warm: it is simulated and is no sample.
 *
 * A wave lasts the longer the more instructions are executed while it does, so that cycles vary less around a line through these. But
 * what the first wave behind a skipped one leaves undone for want of caches the second executes, and takes no longer for it: where that is
 * more than chance (gpu_excess), the size of a wave is what the CTAs have that end in it, as is that of a skipped one. */
#ifndef GPU_WAVES_H
#define GPU_WAVES_H

#include "gpu/gpu.h"

enum { GPU_FEWEST_WAVES = 8 };

/* Instructions that samples execute beyond those of the CTAs that end in them: whether they are 0 but for chance, in 95 % of cases. */
struct gpu_excess {
  double sum, squares;
  size_t n;
};
void gpu_excess_add(struct gpu_excess *e, double instructions);
bool gpu_excess_is_chance(const struct gpu_excess *e);

struct gpu_resident;
struct gpu_waves;
/* For a grid that has just come; NULL if all of it is to be simulated. */
struct gpu_waves *gpu_waves_new(struct gpu *g, const struct gpu_resident *r);
void gpu_waves_delete(struct gpu_waves *w);
/* Before CTAs of the grid are dispatched: takes a sample where a wave has ended, and executes CTAs without timing. */
void gpu_waves_look(struct gpu *g, struct gpu_resident *r);
/* The grid is over: adds what was predicted to the record of it. */
void gpu_waves_predict(const struct gpu_waves *w, struct gpu_kernel *k);

#endif
