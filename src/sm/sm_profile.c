/* The profile of an SM: what each instruction cost. There is one row of plain counters per instruction of the running grids' modules, and
 * one for no instruction; the GPU knows which source lines the rows belong to. A lost issue slot is charged to the next instruction of the
 * first warp with the reason for which the scheduler lost it (at a barrier: to the barrier), so the rows of a reason add up to the SM's own
 * counter. */
#include "sm/sm.h"

#include <stdlib.h>
#include <string.h>

void sm_profile_start(struct sm *s, uint32_t n) {
  if (s->profile) {
    free(s->profile->rows);
    free(s->profile);
    s->profile = NULL;
  }
  if (!n) return;
  s->profile = must_alloc(sizeof *s->profile);
  s->profile->n = n;
  s->profile->rows = must_alloc((n + 1) * sizeof *s->profile->rows);
  for (unsigned k = 0; k < SM_MAX_SCHEDULERS; k++) s->profile->blamed[k] = n;
}

void sm_profile_grow(struct sm *s, uint32_t n) {
  struct sm_profile *p = s->profile;
  if (!p) {
    sm_profile_start(s, n);
    return;
  }
  if (n <= p->n) return;
  struct sm_profile_row *more = must_alloc((n + 1) * sizeof *more);
  memcpy(more, p->rows, p->n * sizeof *more);
  more[n] = p->rows[p->n];
  free(p->rows);
  p->rows = more;
  for (unsigned k = 0; k < SM_MAX_SCHEDULERS; k++)
    if (p->blamed[k] == p->n) p->blamed[k] = n;
  p->n = n;
}

void sm_profile_issue(struct sm *s, unsigned slot, uint32_t pc, uint64_t lanes) {
  s->profile->rows[pc].executions++;
  s->profile->rows[pc].lanes += lanes;
  s->profile->last[slot] = pc;
}

static uint32_t row_of(const struct sm *s, unsigned slot, enum sm_stall why) {
  const struct exec_warp *x = s->warps[slot].x;
  return why == SM_STALL_BARRIER || x->status != EXEC_RUNNING ? s->profile->last[slot] : sm_pc_of(x);
}

void sm_profile_blame(struct sm *s, unsigned scheduler, enum sm_stall why, uint64_t now) {
  struct sm_profile *p = s->profile;
  struct sm_hold h = sm_held(s, now);
  uint32_t row = p->n;
  if (why != SM_STALL_NONE)
    for (uint64_t left = s->sched_warps[scheduler] & s->live; left; left &= left - 1) {
      unsigned i = (unsigned)__builtin_ctzll(left);
      if (sm_reason(s, &h, i, now) != why) continue;
      row = row_of(s, i, why);
      break;
    }
  p->blamed[scheduler] = row;
}
