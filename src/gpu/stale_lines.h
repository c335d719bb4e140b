/* L1Ds that are not kept coherent (l1.coherent=false), as on NVIDIA's GPUs: what an SM has read stays in its L1D as it was while other
 * SMs write to memory, until the line is replaced, a fence or an acquiring access empties the L1D, or the kernel ends.
 *
 * Device memory is the only copy of data, and caches keep tags. So the old bytes are kept here, for each SM, of those sectors that its
 * L1D holds and another SM has written since: copied in front of the write, which happens when no SM is being visited, and forgotten when
 * the L1D notifies that they are gone or have come anew. A load that looks into L1D reads them in the place of memory while its
 * L1D holds them. Which SMs may hold a line is known from what their L1Ds notify, by a table of sets of SMs that lines share by a hash; the
 * L1Ds themselves are asked whether it is so.
 *
 * Simplified: whether L1D holds a byte is asked when the load issues, not when it looks up the tags some cycles later; texture reads and
 * copies by kernels always read memory. */
#ifndef GPU_STALE_LINES_H
#define GPU_STALE_LINES_H

#include "sm/sm.h"

struct gpu_stale;
/* Gives every SM its view; NULL if L1Ds are coherent. */
struct gpu_stale *gpu_stale_new(const struct cfg *cfg, struct sm *sms, uint32_t n_sms);
void gpu_stale_delete(struct gpu_stale *s);

#endif
