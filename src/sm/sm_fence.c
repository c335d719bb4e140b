/* Fences beyond a CTA where they have a time of their own (sm.fence_latency): how long one takes, in front of what one stands, and what
 * empties L1D.
 *
 * A machine has a fence in front of everything that releases to a cluster, the GPU or the system (stores, atomic operations, arrivals at
 * mbarriers and at the barrier of a cluster), and empties L1D behind everything that acquires from there: what ptxas 13.0 writes for sm_90
 * (MEMBAR, CCTL.IVALL). A fence itself does both.
 *
 * One takes sm.fence_latency if the SM has not accessed global or local memory since its last fence began, unless it begins before that
 * one's accesses are through; otherwise sm.fence_touched, and sm.fence_far in every second pair of SMs: those of both kinds are in each GPC
 * of an H200. The messages of a fence take sm.fence_interval of the SM's, and AT_ONCE fences have theirs on the way before one has to wait.
 *
 * Simplified: L1D is empty from when the instruction issues, not from when it ends; fences that wait do so in the order in which they
 * begin, while those of a card end later all together. */
#include "mem/mem_stall.h"
#include "sm/sm.h"

enum {
  PAIR = 2,   /* SMs of a TPC */
  AT_ONCE = 8 /* measured on an H200: fences of 1, 8, 16 and 32 warps that begin together have ended after 268, 282, 369 and 599 cycles */
};

static bool is_wide(const struct ptx_inst *in) {
  return ptx_has(in, PTX_M_gl) || ptx_has(in, PTX_M_gpu) || ptx_has(in, PTX_M_sys) || ptx_has(in, PTX_M_cluster);
}

/* Fences of proxies, of the initialisation of mbarriers and of shared memory alone are others. */
static bool is_fence(const struct ptx_inst *in) {
  if (in->op == PTX_OP_membar) return true;
  return in->op == PTX_OP_fence && !ptx_has(in, PTX_M_proxy) && !ptx_has(in, PTX_M_mbarrier_init) &&
         !ptx_has(in, PTX_M_sync_restrict__shared__cta) && !ptx_has(in, PTX_M_sync_restrict__shared__cluster);
}

/* Whether a lane will execute the warp's next instruction. */
static bool has_lanes(const struct exec_warp *x, const struct exec_inst *in) {
  if (!in->guarded) return true;
  uint32_t p = *(const uint32_t *)(x->file[EXEC_FPRED] + in->guard);
  return x->active & (in->guard_negate ? ~p : p);
}

/* A kernel that is launched without clusters has a barrier of its CTA in the place of the cluster's. */
static bool meets_cluster(const struct sm_warp *w, const struct exec_inst *in) {
  return in->unit == EXEC_U_BARRIER && ptx_has(in->ptx, PTX_M_cluster) && w->x->cta->grid->cluster[0];
}

bool sm_fence_is_wide(const struct exec_inst *in) { return is_fence(in->ptx) && is_wide(in->ptx); }

bool sm_fence_in_front(const struct sm_warp *w, const struct exec_inst *in) {
  if (in->unit == EXEC_U_BARRIER) return meets_cluster(w, in) && ptx_has(in->ptx, PTX_M_arrive) && !ptx_has(in->ptx, PTX_M_relaxed);
  if (!(in->flags & EXEC_MEMORY) || !(ptx_has(in->ptx, PTX_M_release) || ptx_has(in->ptx, PTX_M_acq_rel))) return false;
  return is_wide(in->ptx) && has_lanes(w->x, in);
}

void sm_fence_behind(struct sm *s, const struct sm_warp *w, const struct exec_inst *in) {
  bool acquires = in->unit == EXEC_U_FENCE && sm_fence_is_wide(in);
  if (in->unit == EXEC_U_BARRIER) acquires = meets_cluster(w, in) && ptx_has(in->ptx, PTX_M_wait);
  else if (in->flags & EXEC_MEMORY)
    acquires = (ptx_has(in->ptx, PTX_M_acquire) || ptx_has(in->ptx, PTX_M_acq_rel)) && is_wide(in->ptx) && w->x->access.mask;
  if (acquires) l1_flush(&s->l1);
}

uint64_t sm_fence_ends(struct sm *s, uint64_t from) {
  const struct sm_config *c = s->config;
  bool touched = s->fences.touched || from < s->fences.touched_ends;
  uint32_t cycles = !touched ? c->fence_latency : s->id / PAIR % 2 ? c->fence_far : c->fence_touched;
  uint64_t end = sm_after(s, from, cycles), ahead = sm_after(s, 0, AT_ONCE * c->fence_interval);
  s->fences.sent = sm_after(s, mem_later(s->fences.sent, from), c->fence_interval);
  if (s->fences.sent > from + ahead) end += s->fences.sent - from - ahead;
  if (s->fences.touched) s->fences.touched_ends = end;
  s->fences.touched = false;
  s->fences.ends = mem_later(s->fences.ends, end);
  return s->fences.ends;
}
