/* What a trace shows of the inside of the GPU: CTAs on SMs (cta_record.h); what warps wait for, sampled from time to
 * time; and the life of memory requests, in L1 and its miss queue, in the request network, in L2 (including the time
 * in DRAM), and in the reply network.
 *
 * A run of any length gives a file of a given size. If there is more than fits, warps are sampled less often and
 * fewer requests are kept, by a rule that every component can follow by itself: the requests whose hash has enough
 * zeros are kept. What is kept covers the whole run evenly and does not depend on the number of threads: a slice or
 * SM writes only its own records, and warps are looked at between instants.
 *
 * Owns: all records. Does not: change what it sees, or cost anything if it is not asked for. */
#ifndef GPU_TRACE_H
#define GPU_TRACE_H

#include "base/trace_file.h"
#include "gpu/gpu.h"
#include "mem/observer.h"

struct sm;
struct llc_slice;
struct gpu_trace;

struct gpu_trace_shape {
  struct sm *sms;
  struct llc_slice *const *slices;
  uint32_t n_sms, n_slices, warps; /* warp slots of an SM */
  uint64_t core;                   /* ticks of a core cycle */
  uint64_t bytes;                  /* of the file */
};
struct gpu_trace *gpu_trace_new(const struct gpu_trace_shape *shape);
void gpu_trace_delete(struct gpu_trace *t);
/* The number of CTAs that fit into the file. */
size_t gpu_trace_ctas(const struct gpu_trace *t);
/* A busy period begins at time `now`, at this cycle of the run. */
void gpu_trace_period(struct gpu_trace *t, uint64_t now, uint64_t cycle);
/* gpu_trace_next: the cycle of the run at which warps are looked at next. gpu_trace_look takes this look. */
uint64_t gpu_trace_next(const struct gpu_trace *t);
void gpu_trace_look(struct gpu_trace *t, uint64_t cycle, uint64_t now);

/* Writes the trace of a run that has ended: CTAs, warps, requests. */
struct gpu_trace_kept gpu_trace_put(struct gpu_trace *t, const struct gpu_cta *ctas, size_t n_ctas, const struct gpu_trace_clock *clock,
                                    struct trace_file *to);

#endif
