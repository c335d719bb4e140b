/* Keeps L2 warm while kernels run without timing: every line of global memory that such a kernel touches is put into the L2
 * slice that serves it, as if it had been fetched.
 *
 * Does not: take time, count statistics, or filter what an L1D would have answered, so that the order of use in a set is that of
 * accesses instead of misses; nor make lines dirty, so that their write-backs are missing later. Slices that are private to a
 * cluster stay as they are. */
#ifndef GPU_WARM_H
#define GPU_WARM_H

#include "exec/observe.h"
#include "gpu/gpu.h"

/* For exec_device.observer while such a kernel runs; valid until the GPU is deleted. */
const struct exec_observer *gpu_warm_observer(struct gpu *g);

#endif
