/* Groups of asynchronous copies (cp.async). Each warp counts the outstanding copies of each group, and waits for groups instead of for
 * everything that it has sent.
 *
 * commit_group closes the present group and waits for nothing. wait_group N waits until all groups are complete except the last N that were
 * closed. wait_all also waits for the present group. SM_COPY_GROUPS groups have counters of their own; if more are outstanding, the oldest
 * share a counter with the newest and are waited for together. Copies of bulk groups are counted in the same groups. */
#include "sm/sm.h"

static uint8_t counter_of(uint32_t group) { return (uint8_t)(group % SM_COPY_GROUPS); }

void sm_copy_begins(struct sm_warp *w, struct sm_memop *m) {
  m->copy = true;
  m->group = counter_of(w->copy_group);
  w->copies[m->group]++;
}

void sm_copy_ends(struct sm_warp *w, const struct sm_memop *m) {
  if (m->copy) w->copies[m->group]--;
}

static bool is_group(const struct exec_inst *in) { return in->ptx->op == PTX_OP_cp; }

/* Whether an instruction that orders memory must wait for outstanding accesses of the warp. */
bool sm_copies_wait(const struct sm_warp *w, const struct exec_inst *in) {
  if (!is_group(in)) return w->outstanding;
  if (ptx_has(in->ptx, PTX_M_commit_group)) return false;
  bool all = ptx_has(in->ptx, PTX_M_wait_all);
  uint32_t may_be_left = all || !in->ptx->n_ops ? 0 : (uint32_t)in->ptx->ops[0].imm;
  if (may_be_left >= SM_COPY_GROUPS - 1) may_be_left = SM_COPY_GROUPS - 2;
  for (uint32_t i = 0; i < SM_COPY_GROUPS; i++) { /* i groups before the present one */
    if (i ? i <= may_be_left : !all) continue;
    if (w->copies[counter_of(w->copy_group - i)]) return true;
  }
  return false;
}

void sm_copies_issued(struct sm_warp *w, const struct exec_inst *in) {
  if (is_group(in) && ptx_has(in->ptx, PTX_M_commit_group)) w->copy_group++;
}
