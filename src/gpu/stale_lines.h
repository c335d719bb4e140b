/* L1Ds that are not kept coherent (l1.coherent=false), as on NVIDIA's GPUs: what an SM has read stays in its L1D as
 * it was while other SMs write to memory, until the line is replaced, a fence or an acquiring access empties the L1D,
 * or the kernel ends.
 *
 * Device memory has the only copy of the data, and caches keep only tags. So the old bytes are kept here, for each
 * SM: of those sectors that its L1D holds and that another SM has written since. They are copied before the write,
 * which happens while no SM is being visited, and forgotten when the L1D notifies that they are gone or have been
 * fetched again. A load that looks into the L1D reads them instead of memory as long as the L1D holds them. Which SMs
 * may hold a line is known from the notifications of their L1Ds, in a table that maps a hash of lines to sets of SMs;
 * the L1Ds themselves are then asked.
 *
 * Simplified: whether the L1D holds a byte is asked when the load issues, not when it looks up the tags some cycles
 * later; texture reads and copies by kernels always read memory. */
#ifndef GPU_STALE_LINES_H
#define GPU_STALE_LINES_H

#include "sm/sm.h"

struct gpu_stale;
/* Gives every SM its view of the old bytes; returns NULL if L1Ds are coherent. */
struct gpu_stale *gpu_stale_new(const struct cfg *cfg, struct sm *sms, uint32_t n_sms);
void gpu_stale_delete(struct gpu_stale *s);

#endif
