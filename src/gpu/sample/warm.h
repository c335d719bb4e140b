/* Keeps L1Ds and L2 warm while kernels run without timing: what such a kernel touches of global memory is looked up in the L1D of the SM
 * that its CTA is taken to run on (CTAs one after the other to the SMs in turn, from where the kernel before it ended if gpu.cta_turns says
 * so), and what is missing there in the L2 slice that serves
 * it, as if it had been fetched. Stores leave L2 lines dirty, or as l2.write_miss says.
 *
 * Does not: take time, or count statistics beyond what an L1D organisation counts by itself; tell loads apart by their cache operators;
 * warm L1Ds under a bypass policy or in a network between L1Ds, or L2 slices that are private to a cluster, which stay as they are; or
 * interleave CTAs, which run one after the other.
 *
 * A kernel may also run without being followed, which is several times as fast. What caches hold is then not known any more, and becomes
 * so again while kernels are followed: a look-up in L2 is unknown if it hits a line that was last used before caches were lost, or
 * replaces one. The line is a known one from then on, so that no more look-ups will be unknown than there are lines left that are not. An
 * L1D that is kept from kernel to kernel knows one line more with each miss; which of its look-ups are unknown is not told. */
#ifndef GPU_WARM_H
#define GPU_WARM_H

#include "exec/observe.h"
#include "gpu/gpu.h"

/* For exec_device.observer while such a kernel runs; valid until the GPU is deleted. */
const struct exec_observer *gpu_warm_observer(struct gpu *g);

/* What was followed since the observer was last asked for. */
struct gpu_followed {
  uint64_t lookups; /* in L2 */
  uint64_t unknown; /* of them: the answer may differ from what it would be had everything been followed */
  uint64_t left;    /* lines, also of L1Ds, that are not known: as many look-ups may still differ, in all that comes */
};
struct gpu_followed gpu_warm_followed(const struct gpu *g);
/* A kernel has run without timing, followed or not: where the CTAs of the next one begin. */
void gpu_warm_ended(struct gpu *g, const struct exec_grid *grid);
/* Lines of all caches that are lost with gpu_warm_lose. */
uint64_t gpu_warm_lines(const struct gpu *g);
/* A kernel runs that is not followed. */
void gpu_warm_lose(struct gpu *g);

#endif
