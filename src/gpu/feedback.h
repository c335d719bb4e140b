/* What an L1D bypass policy shares among all SMs (l1/bypass.h): its shared state, and the snapshots of the GPU that
 * the state asks for. A snapshot is taken between two instants, when every component has been visited. SMs whose
 * access was refused are woken after it, since what was decided may let the access pass. Policies that share nothing
 * cost nothing. */
#ifndef GPU_FEEDBACK_H
#define GPU_FEEDBACK_H

#include "l1/bypass.h"
#include "llc/llc.h"
#include "sm/sm.h"

struct gpu_feedback {
  const struct l1_bypass *ops; /* NULL: nothing is shared */
  void *shared;
  uint64_t next;               /* core cycle of the run at which the next snapshot is due; UINT64_MAX: none is */
  struct sm *sms;              /* the SMs of the GPU */
  struct llc_slice *const *slices;
  uint32_t n_sms, n_slices;
  uint64_t *instructions, *occupancy; /* arrays of the last snapshot */
};

/* To be called when SMs and slices exist. */
bool gpu_feedback_init(struct gpu_feedback *f, const struct cfg *cfg, struct sm *sms, uint32_t n_sms,
                       struct llc_slice *const *slices, uint32_t n_slices, struct err *e);
void gpu_feedback_free(struct gpu_feedback *f);
/* A kernel begins; `cycle` is the number of cycles that the kernels before it took. */
void gpu_feedback_begin(struct gpu_feedback *f, uint64_t cycle, uint64_t now);
/* Takes the snapshot that is due at this cycle. */
void gpu_feedback_look(struct gpu_feedback *f, uint64_t cycle, uint64_t now);

#endif
