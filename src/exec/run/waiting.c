/* See waiting.h. */
#include "exec/run/waiting.h"

#include <stdlib.h>
#include <string.h>

enum { NAMED_PATHS = 3 /* paths of a warp that are described one by one */ };

/* ---- progress ------------------------------------------------------------------------------------------------------------ */

void exec_waiting_begin(struct exec_waiting *s) {
  if (s->waits) memset(s->waits, 0, EXEC_LANES * sizeof *s->waits);
  *s = (struct exec_waiting){.since = UINT8_MAX, .waits = s->waits};
}

void exec_suspect(struct exec_waiting *s, bool on) { s->suspicion = (struct exec_suspicion){.on = on}; }

/* A hash of the current path's registers and lanes. Register files are padded to whole cache lines. */
static uint64_t digest_of(const struct exec_warp *w) {
  static const uint64_t odd = 0x9e3779b97f4a7c15;
  uint64_t sum = w->active;
  for (int i = 0; i < 4; i++)
    for (uint32_t at = 0; at < w->frame->func->file_bytes[i]; at += sizeof sum) {
      uint64_t word;
      memcpy(&word, w->frame->file[i] + at, sizeof word);
      sum = (sum ^ word) * odd;
      sum ^= sum >> 29;
    }
  return sum;
}

/* The registers are compared with those at the last poll whose number was a power of two, so a cycle of any length is found. */
static void compare_registers(struct exec_suspicion *s, const struct exec_warp *w, const struct exec_inst *in) {
  if (!s->at) s->at = in;
  if (s->at != in || s->repeats) return;
  uint64_t now = digest_of(w);
  s->repeats = s->looks && now == s->digest;
  if (!(s->looks & (s->looks - 1))) s->digest = now;
  s->looks++;
}

void exec_waiting_free(struct exec_waiting *s) {
  free(s->waits);
  s->waits = NULL;
}

static bool again(struct exec_wait *last, const struct exec_inst *in, uint64_t address) {
  bool same = last->in == in && last->address == address;
  *last = (struct exec_wait){in, address};
  return same;
}

static bool looks_again(struct exec_waiting *s, const struct exec_inst *in, unsigned lane, uint64_t address) {
  if (!s->waits) s->waits = must_alloc(EXEC_LANES * sizeof *s->waits);
  struct exec_wait *last = s->waits[lane], before = last[0];
  if (again(&last[0], in, address)) return true;
  bool same = last[1].in == in && last[1].address == address;
  last[1] = before;
  return same;
}

bool exec_note_turn(struct exec_waiting *s, struct exec_warp *w, const struct exec_inst *in, unsigned lane) {
  const struct exec_access *a = &w->access;
  uint64_t address = a->mask ? a->addr[__builtin_ctz(a->mask)] : 0;
  bool atomic = a->mask && (a->op == EXEC_ATOMIC || a->op == EXEC_REDUCE), store = a->mask && a->op == EXEC_STORE;
  bool changes = (atomic || store) && !a->same, waits = false;
  if (store) changes = changes || (exec_is_waiting(s) && !again(&s->stored, in, address));
  else if (in->flags & (EXEC_SPIN | EXEC_LOOK) || (atomic && a->same)) waits = looks_again(s, in, lane, address) && !changes;
  if (waits && s->suspicion.on) compare_registers(&s->suspicion, w, in);
  if (waits) s->since = 0;
  else if (exec_is_waiting(s)) s->since++;
  w->watched = exec_is_waiting(s);
  return !exec_is_waiting(s) || changes;
}

bool exec_waits_for_host(const struct exec_warp *w, const struct exec_waiting *s) {
  if (w->status != EXEC_RUNNING || !s->waits || !exec_is_waiting(s)) return false;
  const struct exec_wait *wait = s->waits[__builtin_ctz(w->active)];
  for (int i = 0; i < 2; i++) {
    const struct exec_alloc *a = wait[i].in ? exec_mem_find(w->grid->device->mem, wait[i].address, NULL) : NULL;
    if (a && (a->kind == EXEC_ALLOC_MANAGED || a->kind == EXEC_ALLOC_HOST || a->kind == EXEC_ALLOC_REGISTERED)) return true;
  }
  return false;
}

/* ---- what it waits for ----------------------------------------------------------------------------------------------- */

static void describe_place(const struct exec_warp *x, const struct exec_inst *in, struct str *out) {
  char place[320];
  exec_describe_place(x, in, place, sizeof place);
  str_add(out, " at %s", place);
}

/* Describes the running path. A path that waits for another thread is shown at the instruction that polls. */
static void describe_running(const struct exec_warp *x, const struct exec_waiting *s, const char *reason, struct str *out) {
  const struct exec_wait *wait = s->waits ? s->waits[__builtin_ctz(x->active)] : NULL;
  bool waits = wait && wait->in && exec_is_waiting(s);
  str_add(out, " lanes 0x%08x wait for %s", x->active, reason);
  describe_place(x, waits ? wait->in : exec_next(x), out);
  if (!waits) return;
  str_add(out, ", looking again and again whether a value has changed");
  if (wait->address) str_add(out, " (0x%llx)", (unsigned long long)wait->address);
  if (exec_waits_for_host(x, s)) str_add(out, " in memory which the host writes");
}

static void describe_barrier(const struct exec_warp *x, const struct exec_path *p, struct str *out) {
  if (p->barrier == EXEC_CLUSTER_BARRIER) {
    str_add(out, " lanes 0x%08x wait for the cluster's barrier", p->mask);
    describe_place(x, &p->frame->func->insts[p->pc - 1], out);
    str_add(out, ": %u threads have come", x->cta->cluster->arrived);
    return;
  }
  if (p->barrier == EXEC_CHILDREN) {
    str_add(out, " lanes 0x%08x wait for kernels that their CTA has launched", p->mask);
    describe_place(x, &p->frame->func->insts[p->pc - 1], out);
    return;
  }
  const struct exec_barrier *b = &x->cta->barriers[p->barrier];
  if (p->barrier >= EXEC_GROUP_BARRIER) str_add(out, " lanes 0x%08x wait for the other warps of their warpgroup", p->mask);
  else str_add(out, " lanes 0x%08x wait for a barrier (number %u)", p->mask, p->barrier);
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

void exec_explain_warp(const struct exec_warp *x, const struct exec_waiting *s, const char *reason, struct str *out) {
  const uint32_t *id = x->cta->id;
  unsigned described = 0, more = 0;
  str_add(out, "  warp %u of CTA (%u,%u,%u) of kernel '%s':", x->index, id[0], id[1], id[2], x->grid->kernel->ptx->name);
  if (x->status == EXEC_RUNNING) {
    describe_running(x, s, reason, out);
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
