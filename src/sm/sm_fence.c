/* Fences: what a warp waits for at one, how long it takes, which instructions have one before them, and what empties L1D; and the waits of
 * a CTA for the grids before its own (griddepcontrol).
 *
 * Fences with a scope beyond the CTA have a latency of their own if sm.fence_latency is set; the rest of this text is about them. The
 * hardware has a fence before everything that releases to a cluster, the GPU or the system (stores, atomic operations, arrivals at
 * mbarriers and at a cluster's barrier), and empties L1D after everything that acquires from there, as ptxas 13.0 writes it for sm_90
 * (MEMBAR, CCTL.IVALL). A fence does both.
 *
 * A fence takes sm.fence_latency if the SM has not accessed global or local memory since its last fence began, and if the last fence that
 * came after such accesses has ended. Otherwise it takes sm.fence_touched, or sm.fence_far in every second pair of SMs: each GPC of an H200
 * has SMs of both kinds. The messages of a fence occupy the SM for sm.fence_interval; AT_ONCE fences can have messages under way before one
 * has to wait.
 *
 * Simplified: L1D is empty from the issue of the instruction on, not from its end. Fences that wait for each other end in the order in
 * which they begin; on the card the later ones end together. */
#include "mem/mem_stall.h"
#include "sm/sm.h"

enum {
  PAIR = 2,   /* SMs of a TPC */
  AT_ONCE = 8 /* measured on an H200: fences of 1, 8, 16 and 32 warps that begin together have ended after 268, 282, 369 and 599 cycles */
};

static bool is_wide(const struct ptx_inst *in) {
  return ptx_has(in, PTX_M_gl) || ptx_has(in, PTX_M_gpu) || ptx_has(in, PTX_M_sys) || ptx_has(in, PTX_M_cluster);
}

/* Fences of proxies, of the initialisation of mbarriers, and of shared memory alone do not count. */
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

/* In a kernel that is launched without clusters, the barrier of the CTA takes the place of the cluster's. */
static bool meets_cluster(const struct sm_warp *w, const struct exec_inst *in) {
  return in->unit == EXEC_U_BARRIER && ptx_has(in->ptx, PTX_M_cluster) && w->x->cta->grid->cluster[0];
}

static bool is_wide_fence(const struct exec_inst *in) { return is_fence(in->ptx) && is_wide(in->ptx); }

static bool in_front(const struct sm_warp *w, const struct exec_inst *in) {
  if (in->unit == EXEC_U_BARRIER) return meets_cluster(w, in) && ptx_has(in->ptx, PTX_M_arrive) && !ptx_has(in->ptx, PTX_M_relaxed);
  if (!(in->flags & EXEC_MEMORY) || !(ptx_has(in->ptx, PTX_M_release) || ptx_has(in->ptx, PTX_M_acq_rel))) return false;
  return is_wide(in->ptx) && has_lanes(w->x, in);
}

void sm_fence_behind(struct sm *s, const struct sm_warp *w, const struct exec_inst *in) {
  bool acquires = in->unit == EXEC_U_FENCE && is_wide_fence(in);
  if (in->unit == EXEC_U_BARRIER) acquires = meets_cluster(w, in) && ptx_has(in->ptx, PTX_M_wait);
  else if (in->flags & EXEC_MEMORY)
    acquires = (ptx_has(in->ptx, PTX_M_acquire) || ptx_has(in->ptx, PTX_M_acq_rel)) && is_wide(in->ptx) && w->x->access.mask;
  if (acquires) l1_flush(&s->l1);
}

static uint64_t fence_ends(struct sm *s, uint64_t from) {
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

/* A fence of a CTA waits for nothing if fences have a latency, because all its threads see the same L1D. */
bool sm_waits_at_fence(const struct sm *s, const struct sm_warp *w, const struct exec_inst *in) {
  if (in->ptx->op == PTX_OP_griddepcontrol) return ptx_has(in->ptx, PTX_M_wait) && s->ctas[w->cta].x.grid->held;
  return !(s->config->fence_latency && ptx_has(in->ptx, PTX_M_cta)) && sm_copies_wait(w, in);
}

/* This CTA permits dependent grids to begin. */
static void trigger(struct sm *s, struct sm_cta *cta) {
  if (cta->triggered) return;
  cta->triggered = true;
  s->triggers[s->n_triggers++] = cta->x.grid->place;
}

/* Sets when a warp goes on after a fence. */
void sm_pass_fence(struct sm *s, struct sm_warp *w, const struct exec_inst *in, uint64_t now) {
  uint64_t from = w->fence_from ? w->fence_from : now;
  w->fence_from = 0;
  if (in->ptx->op == PTX_OP_griddepcontrol) {
    if (ptx_has(in->ptx, PTX_M_launch_dependents)) trigger(s, &s->ctas[w->cta]);
    return;
  }
  sm_copies_issued(w, in);
  if (ptx_has(in->ptx, PTX_M_tensormap__generic)) s->n_maps = 0;
  if (!s->config->fence_latency) return;
  if (is_wide_fence(in)) w->not_before = mem_later(fence_ends(s, from), now);
  else if (ptx_has(in->ptx, PTX_M_cta)) w->not_before = sm_after(s, now, s->config->fence_cta);
}

/* Whether a warp waits for its own accesses at a fence before its next instruction; if not, the fence begins. */
bool sm_held_in_front(struct sm *s, struct sm_warp *w, const struct exec_inst *in, uint64_t now) {
  if (!s->config->fence_latency || w->fenced || !in_front(w, in)) return false;
  uint64_t from = mem_later(w->not_before, w->fence_from ? w->fence_from : now);
  if (w->outstanding) w->fence_from = from;
  else w->not_before = mem_later(fence_ends(s, from), now), w->fence_from = 0, w->fenced = true;
  return w->outstanding;
}
