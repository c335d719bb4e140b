/* What warps wait for, summed over warps: Nsight Compute's stall reasons (smsp__average_warps_issue_stalled_*). In contrast, sm.stall_* say
 * why a scheduler issued nothing.
 *
 * A warp's time is charged when its state changes: up to its stamp to what it waited for, from there on to being ready. The cycle of an
 * issue is charged to nothing (sm.issue_slots_used counts it). Results of arithmetic arrive after a fixed time, as guards after at most 13
 * cycles; a warp that waits longer waits for shared memory, constants or the special-function unit.
 *
 * Owns sm_warp.since. Does not tell which of two results was the later one, nor a busy pipeline from another warp's turn. */
#include "sm/sm.h"

enum { FIXED = 13 /* core cycles */ };

/* Avoids the division for spans of no or one cycle, which are the most frequent. */
static uint64_t whole_cycles(const struct sm *s, uint64_t span) {
  return span == s->wake.period ? 1 : span ? span / s->wake.period : 0;
}

static const uint8_t wait_of[SM_STALLS] = {
    [SM_STALL_BARRIER] = SM_S_WAIT_BARRIER, [SM_STALL_FENCE] = SM_S_WAIT_FENCE, [SM_STALL_FETCH] = SM_S_WAIT_FETCH,
    [SM_STALL_MEMORY] = SM_S_WAIT_MEMORY,   [SM_STALL_ALU] = SM_S_WAIT_RESULT};

void sm_charge_wait(struct sm *s, unsigned slot, uint64_t now) {
  struct sm_warp *w = &s->warps[slot];
  const struct sm_stand *at = &s->ready.warp[slot];
  uint64_t until = at->ready < now ? at->ready : now, waited = until > w->since ? whole_cycles(s, until - w->since) : 0;
  unsigned why = wait_of[at->why];
  if (why == SM_S_WAIT_RESULT && waited > FIXED) why = SM_S_WAIT_SHORT;
  if (why) s->stats[why] += waited;
  unsigned ready = at->pipe != SM_PIPE_LSU ? SM_S_WAIT_TURN : at->below ? SM_S_WAIT_QUEUE : SM_S_WAIT_SHARED;
  s->stats[ready] += now == until ? 0 : whole_cycles(s, now - w->since) - waited;
  w->since = now;
}
