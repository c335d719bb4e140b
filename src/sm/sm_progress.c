/* Whether an SM gets anywhere, for the watchdog, and what it waits for, for people.
 *
 * A path of a warp that executes the same load, atomic operation or sleep on the same address again and again, or two in turns,
 * with little in between, waits for another thread. Everything else is progress, and so is, in the midst of waiting, an atomic operation
 * or a store that changes a value or goes where the last one did not: a lock that changes hands is. A warp that waits in one
 * of its paths may have others that could end the wait: the watchdog lets each have its turn before it calls a deadlock.
 *
 * Not seen: a thread that counts how often it has looked in memory makes progress for ever. */
#include "sm/sm.h"

#include <stdlib.h>

enum {
  NAMED_WARPS = 4, /* of an SM that are described one by one */
  NAMED_PATHS = 3, /* of a warp */
};

/* ---- progress ------------------------------------------------------------------------------------------------------------ */

static bool again(struct sm_wait *last, const struct exec_inst *in, uint64_t address) {
  bool same = last->in == in && last->address == address;
  *last = (struct sm_wait){in, address};
  return same;
}

static bool looks_again(struct sm_warp *w, const struct exec_inst *in, unsigned lane, uint64_t address) {
  if (!w->waits) w->waits = must_alloc(EXEC_LANES * sizeof *w->waits);
  struct sm_wait *last = w->waits[lane], before = last[0];
  if (again(&last[0], in, address)) return true;
  bool same = last[1].in == in && last[1].address == address;
  last[1] = before;
  return same;
}

void sm_note_progress(struct sm *s, struct sm_warp *w, const struct exec_inst *in, unsigned lane) {
  const struct exec_access *a = &w->x->access;
  uint64_t address = a->mask ? a->addr[__builtin_ctz(a->mask)] : 0;
  bool atomic = a->mask && (a->op == EXEC_ATOMIC || a->op == EXEC_REDUCE), store = a->mask && a->op == EXEC_STORE;
  bool changes = (atomic || store) && !a->same, waits = false;
  if (store) changes = changes || (w->since_wait < UINT8_MAX && !again(&w->stored, in, address));
  else if (in->flags & EXEC_SPIN || (atomic && a->same)) waits = looks_again(w, in, lane, address) && !changes;
  if (waits) w->since_wait = 0;
  else if (w->since_wait < UINT8_MAX) w->since_wait++;
  s->progress += w->since_wait == UINT8_MAX || changes;
  w->x->watched = w->since_wait < UINT8_MAX;
}

bool sm_owes_turns(struct sm *s, bool begin) {
  bool any = false;
  for (uint64_t left = s->live; left; left &= left - 1) any |= exec_owes_turns(s->warps[__builtin_ctzll(left)].x, begin);
  return any;
}

/* ---- what it waits for ----------------------------------------------------------------------------------------------- */

static const char *const reasons[SM_STALLS] = {"nothing",        "no warp",    "its turn (warp limit or scheduler)",
                                               "a barrier",      "its own writes (fence)",
                                               "instructions",   "a load",     "a result",
                                               "a pipeline",     "the load/store queue"};

static void describe_place(const struct exec_warp *x, const struct exec_inst *in, struct str *out) {
  char place[320];
  exec_describe_place(x, in, place, sizeof place);
  str_add(out, " at %s", place);
}

/* The path that runs. One that waits for another thread stands where it looks. */
static void describe_running(const struct sm_warp *w, unsigned reason, struct str *out) {
  const struct exec_warp *x = w->x;
  const struct sm_wait *wait = w->waits ? w->waits[__builtin_ctz(x->active)] : NULL;
  bool waits = wait && wait->in && w->since_wait < UINT8_MAX;
  str_add(out, " lanes 0x%08x wait for %s", x->active, reasons[reason]);
  describe_place(x, waits ? wait->in : exec_next(x), out);
  if (!waits) return;
  str_add(out, ", looking again and again whether a value has changed");
  if (wait->address) str_add(out, " (0x%llx)", (unsigned long long)wait->address);
}

static void describe_barrier(const struct exec_warp *x, const struct exec_path *p, struct str *out) {
  const struct exec_barrier *b = &x->cta->barriers[p->barrier];
  str_add(out, " lanes 0x%08x wait for a barrier (number %u)", p->mask, p->barrier);
  describe_place(x, &p->frame->func->insts[p->pc - 1], out);
  str_add(out, ": %u threads have come of %u", b->arrived, b->expected ? b->expected : x->cta->live_threads);
}

static void describe_parked(const struct exec_warp *x, const struct exec_path *p, struct str *out) {
  if (p->state == EXEC_P_BARRIER) {
    describe_barrier(x, p, out);
    return;
  }
  if (p->state == EXEC_P_SYNC) str_add(out, " lanes 0x%08x wait for lanes 0x%08x", p->mask, p->sync_mask & x->live & ~p->mask);
  else str_add(out, " lanes 0x%08x wait for their turn", p->mask);
  describe_place(x, &p->frame->func->insts[p->pc], out);
}

static void describe_joins(const struct exec_warp *x, struct str *out) {
  for (uint32_t i = 0; i < x->n_joins; i++) {
    const struct exec_join *j = &x->joins[i];
    if (!j->used || !j->arrived) continue;
    str_add(out, "\n   ");
    str_add(out, " lanes 0x%08x wait for lanes 0x%08x to join them", j->arrived, j->expected & ~j->arrived);
    describe_place(x, &j->frame->func->insts[j->pc], out);
  }
}

static void describe_warp(const struct sm_warp *w, unsigned reason, struct str *out) {
  const struct exec_warp *x = w->x;
  const uint32_t *id = x->cta->id;
  unsigned described = 0, more = 0;
  str_add(out, "  warp %u of CTA (%u,%u,%u) of kernel '%s':", x->index, id[0], id[1], id[2], x->grid->kernel->ptx->name);
  if (x->status == EXEC_RUNNING) {
    describe_running(w, reason, out);
    described++;
  }
  for (unsigned i = 0; i < EXEC_LANES; i++) {
    const struct exec_path *p = &x->paths[i];
    if (p->state == EXEC_P_FREE || (x->status == EXEC_RUNNING && i == x->path)) continue;
    if (described >= NAMED_PATHS) {
      more++;
      continue;
    }
    if (described++) str_add(out, "\n   ");
    describe_parked(x, p, out);
  }
  if (more) str_add(out, "\n    lanes at %u more places wait", more);
  describe_joins(x, out);
  str_add(out, "\n");
}

void sm_explain(const struct sm *s, uint64_t now, struct str *out) {
  if (!s->live) return;
  str_add(out, "SM %u: %d warps, load/store queue %u/%u%s, %u memory instructions outstanding, miss queue %u/%u\n", s->id,
          __builtin_popcountll(s->live), s->lsu_count, s->config.lsu_queue, s->lsu_stalled ? " (stalled)" : "",
          s->memops_out, s->l1.queue.count, s->l1.config.queue);
  if (s->halted) str_add(out, "  halted until everything it has asked for is answered and L2 has changed its mode\n");
  unsigned described = 0, more[SM_STALLS] = {0};
  for (uint64_t left = s->live; left; left &= left - 1) {
    unsigned i = (unsigned)__builtin_ctzll(left);
    unsigned reason = s->ready.warp[i].ready <= now ? SM_STALL_PIPE : s->ready.warp[i].why;
    if (described++ < NAMED_WARPS) describe_warp(&s->warps[i], reason, out);
    else more[reason]++;
  }
  for (unsigned i = 0; i < SM_STALLS; i++)
    if (more[i]) str_add(out, "  %u more warps wait for %s\n", more[i], reasons[i]);
}
