/* Sampling inside a long kernel: some of its CTAs are executed without timing, and what they would have taken is
 * predicted.
 *
 * A wave is as many CTAs as the GPU can hold at once. Whenever a wave of simulated CTAs has ended, its cycles and
 * statistics are a sample (sampling.h, whose launches are waves here). If no further sample is wanted, the next waves
 * are executed at once without timing, while L2 is kept warm (warm.h). Dispatch goes on with the CTAs after them, so
 * the SMs never run empty. The kernel's cycles and statistics are those that were simulated plus those predicted for
 * the others.
 *
 * It is not used for cooperative grids, for kernels of fewer than GPU_FEWEST_WAVES waves, or for kernels in which a
 * thread may wait for one of another CTA (EXEC_SPIN): a CTA executed without timing that waits for one being
 * simulated would wait for ever. The first wave after skipped ones finds L1Ds that are not warm; it is simulated but
 * is not a sample.
 *
 * The more instructions are executed during a wave, the longer it takes, so cycles are predicted by a line through
 * the numbers of instructions. But instructions that the first wave after skipped ones does not finish, because
 * caches are cold, are executed during the second, without making it longer. If such an excess is more than chance
 * (gpu_excess), the size of a wave is instead the number of instructions of the CTAs that end in it, which is also
 * the size of a skipped wave. */
#ifndef GPU_WAVES_H
#define GPU_WAVES_H

#include "gpu/gpu.h"

enum { GPU_FEWEST_WAVES = 8 };

/* Instructions executed during samples beyond those of the CTAs that end in them, and whether their mean differs from
 * 0 only by chance (at a level of 95 %). */
struct gpu_excess {
  double sum, squares;
  size_t n;
};
void gpu_excess_add(struct gpu_excess *e, double instructions);
bool gpu_excess_is_chance(const struct gpu_excess *e);

struct gpu_resident;
struct gpu_waves;
/* For a grid that has just come to the GPU; NULL if all of it is to be simulated. */
struct gpu_waves *gpu_waves_new(struct gpu *g, const struct gpu_resident *r);
void gpu_waves_delete(struct gpu_waves *w);
/* To be called before CTAs of the grid are dispatched: takes a sample if a wave has ended, and executes CTAs without timing. */
void gpu_waves_look(struct gpu *g, struct gpu_resident *r);
/* To be called when the grid is over: adds what was predicted to its record. */
void gpu_waves_predict(const struct gpu_waves *w, struct gpu_kernel *k);

#endif
