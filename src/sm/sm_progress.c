/* Describes what an SM waits for, and answers the watchdog: whether lanes are owed a turn, which they get before a deadlock is reported,
 * and whether a warp only waits (exec/run/waiting.h defines waiting). */
#include "sm/sm.h"

enum { NAMED_WARPS = 4 /* warps of an SM that are described one by one */ };

bool sm_owes_turns(struct sm *s, bool begin) {
  bool any = false;
  for (uint64_t left = s->live; left; left &= left - 1) any |= exec_owes_turns(s->warps[__builtin_ctzll(left)].x, begin);
  return any;
}

void sm_suspect(struct sm *s, bool on) {
  for (uint64_t left = s->live; left; left &= left - 1) exec_suspect(&s->warps[__builtin_ctzll(left)].waiting, on);
}

bool sm_counts(const struct sm *s) {
  for (uint64_t left = s->live; left; left &= left - 1)
    if (exec_counts(&s->warps[__builtin_ctzll(left)].waiting)) return true;
  return false;
}

bool sm_waits_for_host(const struct sm *s) {
  for (uint64_t left = s->live; left; left &= left - 1)
    if (exec_waits_for_host(s->warps[__builtin_ctzll(left)].x, &s->warps[__builtin_ctzll(left)].waiting)) return true;
  return false;
}

/* ---- what it waits for ----------------------------------------------------------------------------------------------- */

static const char *const reasons[SM_STALLS] = {"nothing",        "no warp",    "its turn (warp limit or scheduler)",
                                               "a barrier",      "its own writes (fence)",
                                               "instructions",   "a load",     "a result",
                                               "a pipeline",     "the load/store queue"};

void sm_explain(const struct sm *s, uint64_t now, struct str *out) {
  if (!s->live) return;
  str_add(out, "SM %u: %d warps, load/store queue %u/%u%s, %u memory instructions outstanding, miss queue %u/%u\n", s->id,
          __builtin_popcountll(s->live), s->lsu_count, s->config->lsu_queue, s->lsu_stalled ? " (stalled)" : "",
          s->memops_out, s->l1.queue.count, s->l1.config.queue);
  if (s->halted) str_add(out, "  halted until everything it has asked for is answered and L2 has changed its mode\n");
  unsigned described = 0, more[SM_STALLS] = {0};
  for (uint64_t left = s->live; left; left &= left - 1) {
    unsigned i = (unsigned)__builtin_ctzll(left);
    unsigned reason = s->ready.warp[i].ready <= now ? SM_STALL_PIPE : s->ready.warp[i].why;
    if (described++ < NAMED_WARPS) exec_explain_warp(s->warps[i].x, &s->warps[i].waiting, reasons[reason], out);
    else more[reason]++;
  }
  for (unsigned i = 0; i < SM_STALLS; i++)
    if (more[i]) str_add(out, "  %u more warps wait for %s\n", more[i], reasons[i]);
}
