/* Keeps L1Ds and L2 warm while kernels run without timing. What such a kernel touches of global memory is looked up
 * in the L1D of the SM on which its CTA is assumed to run (CTAs go to the SMs in turn, one after the other; with
 * gpu.cta_turns, beginning where the kernel before ended). What is missing there is looked up in the L2 slice that
 * serves the line, as if it were fetched. Stores leave L2 lines dirty, or as l2.write_miss says.
 *
 * Does not: take time, or count statistics other than those that an L1D organisation counts by itself; distinguish
 * loads by their cache operators; warm L1Ds under a bypass policy or in a network between L1Ds, or L2 slices that are
 * private to a cluster, all of which stay as they are; interleave CTAs, which run one after the other.
 *
 * A kernel may also run without being followed, which is several times as fast. Then it is no longer known what the
 * caches hold, until enough kernels have been followed again: a lookup in L2 is unknown if it hits a line that was
 * last used before the caches were lost, or replaces one. From then on that line is known, so there can be no more
 * unknown lookups than there are lines that are not known. An L1D that is kept from kernel to kernel knows one line
 * more with each miss; which of its lookups are unknown is not recorded. */
#ifndef GPU_WARM_H
#define GPU_WARM_H

#include "exec/observe.h"
#include "gpu/gpu.h"

/* The value for exec_device.observer while such a kernel runs; valid until the GPU is deleted. */
const struct exec_observer *gpu_warm_observer(struct gpu *g);

/* What was followed since the observer was last asked for. */
struct gpu_followed {
  uint64_t lookups; /* lookups in L2 */
  uint64_t unknown; /* those of them whose result might be different if everything had been followed */
  uint64_t left;    /* lines, including those of L1Ds, that are not known: at most this many later lookups are unknown */
};
struct gpu_followed gpu_warm_followed(const struct gpu *g);
/* To be called after a kernel has run without timing, followed or not; it decides on which SM the CTAs of the next one begin. */
void gpu_warm_ended(struct gpu *g, const struct exec_grid *grid);
/* The number of lines of all caches that gpu_warm_lose loses. */
uint64_t gpu_warm_lines(const struct gpu *g);
/* To be called for a kernel that is not followed: what the caches hold is no longer known. */
void gpu_warm_lose(struct gpu *g);

#endif
