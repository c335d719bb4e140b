/* Keeps L1Ds and L2 warm while kernels run without timing: what such a kernel touches of global memory is looked up in the L1D of the SM
 * that its CTA is taken to run on (CTAs one after the other to the SMs in turn), and what is missing there in the L2 slice that serves
 * it, as if it had been fetched. Stores leave L2 lines dirty, or as l2.write_miss says.
 *
 * Does not: take time, or count statistics beyond what an L1D organisation counts by itself; tell loads apart by their cache operators;
 * warm L1Ds under a bypass policy or in a network between L1Ds, or L2 slices that are private to a cluster, which stay as they are; or
 * interleave CTAs, which run one after the other. */
#ifndef GPU_WARM_H
#define GPU_WARM_H

#include "exec/observe.h"
#include "gpu/gpu.h"

/* For exec_device.observer while such a kernel runs; valid until the GPU is deleted. */
const struct exec_observer *gpu_warm_observer(struct gpu *g);

#endif
