/* A whole grid without timing, in an order that a GPU could have.
 *
 * Warps of a CTA take turns. A turn ends before a warp writes to global memory if it has read there in the same turn, because on a
 * GPU the others would have read too by the time its data had come. So warps that read, compute and write the same place give
 * what they give on a GPU, not the sum of their turns. A CTA none of whose warps has followed another to the place it writes in
 * its first SHORT_TURNS such turns has long ones from then on: nobody could see the difference. (Where
 * an observer looks for races turns are always long.) A turn also ends when the warp only looks again whether another thread has
 * done something (waiting.h).
 *
 * CTAs run one after the other as long as each ends. One that waits, or is not at its end after VISIT instructions, gives way:
 * others are started beside it, up to as many as the device holds at once, and all are visited in turn. So CTAs that wait for
 * each other meet. When nothing but waiting has been done for many rounds, lanes that another path of their warp keeps from
 * running get their turn, and if that does not help it is a deadlock.
 *
 * A limit of instructions is kept to the instruction; a wish to stop is heard before every turn. */
#include "exec/observe.h"
#include "exec/run/waiting.h"

#include <stdlib.h>

enum {
  TURN = 4096,     /* instructions of a warp */
  SHORT_TURNS = 16, /* of each warp, that end before it writes */
  VISIT = 1 << 16, /* of a CTA */
  PATIENCE = 1024, /* rounds of all resident CTAs in which nothing but waiting was done */
  NAMED_WARPS = 8, /* of a deadlock, that are described one by one */
};

struct slot { /* of a resident CTA */
  struct exec_cta cta;
  struct exec_waiting *waiting; /* one a warp */
  bool races;                   /* two warps have written to one place, the one after the other */
  uint32_t short_turns;         /* left, of all warps, before that is held impossible */
  const struct exec_warp *writer; /* who last began a turn by writing, and where */
  uint64_t written;
};

struct runner {
  struct exec_grid *g;
  struct slot **slots;
  uint64_t n, limit;    /* slots, and how many there may be */
  uint64_t next, total; /* CTA to be started next; CTAs of the grid */
  uint64_t running;     /* CTAs started and not ended */
  uint64_t progress;    /* turns in which more than waiting was done, and CTAs that ended */
  uint64_t idle;        /* rounds of all since */
  bool gave_turns;      /* since */
};

/* ---- CTAs ------------------------------------------------------------------------------------------------------------ */

/* Adds the instructions its warps executed to the grid's counts. */
static void account(struct exec_cta *cta) {
  for (uint32_t i = 0; i < cta->n_warps; i++) {
    cta->grid->instructions += cta->warps[i].instructions;
    cta->grid->thread_instructions += cta->warps[i].thread_instructions;
    cta->warps[i].instructions = cta->warps[i].thread_instructions = 0;
  }
}

static void start_cta(struct runner *r, struct slot *s) {
  const struct exec_observer *o = r->g->device->observer;
  uint64_t linear = r->next++;
  exec_cta_start(&s->cta, r->g, linear, (uint32_t)(linear % r->g->device->n_sms));
  if (!s->waiting) s->waiting = must_alloc(s->cta.n_warps * sizeof *s->waiting); /* as many in every CTA of the grid */
  for (uint32_t i = 0; i < s->cta.n_warps; i++) exec_waiting_begin(&s->waiting[i]);
  s->races = false;
  s->short_turns = s->cta.n_warps > 1 && !o ? SHORT_TURNS * s->cta.n_warps : 0;
  s->writer = NULL;
  if (o) o->cta_begin(o->user, &s->cta);
  r->running++;
}

static void end_cta(struct runner *r, struct slot *s) {
  const struct exec_observer *o = r->g->device->observer;
  if (o) o->cta_end(o->user, &s->cta);
  account(&s->cta);
  r->running--;
  r->progress++;
}

static void free_slot(struct slot *s) {
  if (s->cta.live_warps) account(&s->cta);
  for (uint32_t i = 0; s->waiting && i < s->cta.n_warps; i++) exec_waiting_free(&s->waiting[i]);
  free(s->waiting);
  exec_cta_release(&s->cta);
  free(s);
}

/* ---- turns ------------------------------------------------------------------------------------------------------------- */

static bool stop_requested(const struct exec_limits *l) { return l->stop && __atomic_load_n(l->stop, __ATOMIC_RELAXED); }

/* Instructions that a warp may execute in a row; 0: the run is to end. */
static uint64_t turn_of(const struct exec_limits *l) {
  if (!l) return TURN;
  if (stop_requested(l)) return 0;
  uint64_t left = l->max_instructions - l->executed;
  return l->max_instructions && left < TURN ? left : TURN;
}

/* The warp has begun a turn by what it had stopped before. */
static void note_write(struct slot *s, const struct exec_warp *w) {
  const struct exec_access *a = &w->access;
  if (!a->mask || a->op != EXEC_STORE) return;
  uint64_t at = a->addr[__builtin_ctz(a->mask)];
  s->races |= s->writer && s->writer != w && s->written == at;
  s->writer = w;
  s->written = at;
}

/* Whether what was just executed may be the look of a warp that waits. */
static bool may_wait(const struct exec_warp *w, unsigned flags) {
  if (flags & EXEC_SPIN) return true;
  return flags & EXEC_ORDERED && w->access.mask && w->access.same && w->access.op != EXEC_STORE;
}

/* A turn of a running warp, of so many instructions at most. Returns whether more than waiting was done. */
static bool take_turn(struct slot *s, struct exec_warp *w, uint64_t turn) {
  struct exec_waiting *waiting = &s->waiting[w->index];
  unsigned short_turns = s->races || s->short_turns ? EXEC_FETCH : 0, seen = 0;
  bool moved = false;
  for (uint64_t n = 0; n < turn && w->status == EXEC_RUNNING; n++) {
    const struct exec_inst *in = exec_next(w);
    unsigned flags = in->flags, lane = (unsigned)__builtin_ctz(w->active);
    if (flags & EXEC_ORDERED && seen & short_turns) {
      s->short_turns -= s->short_turns > 0;
      break;
    }
    seen |= flags;
    exec_step(w);
    if (!n && short_turns && flags & EXEC_ORDERED) note_write(s, w);
    if (!exec_is_waiting(waiting) && !may_wait(w, flags)) {
      moved = true;
      continue;
    }
    moved |= exec_note_progress(waiting, w, in, lane);
    if (!waiting->since) break;
  }
  return moved;
}

/* Gives each warp of the CTA a turn and counts their instructions. False on a fault, or when the run is to end. */
static bool run_round(struct runner *r, struct slot *s, uint64_t *executed) {
  struct exec_limits *l = r->g->limits;
  for (uint32_t i = 0; i < s->cta.n_warps; i++) {
    struct exec_warp *w = &s->cta.warps[i];
    if (w->status != EXEC_RUNNING) continue;
    uint64_t before = w->instructions, turn = turn_of(l);
    if (!turn) return false;
    r->progress += take_turn(s, w, turn);
    *executed += w->instructions - before;
    if (l) l->executed += w->instructions - before;
    if (w->status == EXEC_FAULTED) return false;
  }
  return true;
}

/* ---- CTAs in turn -------------------------------------------------------------------------------------------------------- */

static bool all_blocked(const struct exec_cta *cta) {
  for (uint32_t i = 0; i < cta->n_warps; i++)
    if (cta->warps[i].status == EXEC_RUNNING) return false;
  return cta->live_warps > 0;
}

static bool report_barrier(struct exec_cta *cta) {
  for (uint32_t i = 0; i < cta->n_warps; i++) {
    struct exec_warp *w = &cta->warps[i];
    if (w->status != EXEC_BLOCKED) continue;
    const struct exec_path *p = w->paths;
    while (p->state != EXEC_P_BARRIER) p++;
    exec_fault(w, &p->frame->func->insts[p->pc - 1], EXEC_FAULT_DEADLOCK, (unsigned)__builtin_ctz(p->mask),
               "barrier %u never completes: %u threads have arrived of %u that it waits for", p->barrier,
               cta->barriers[p->barrier].arrived,
               cta->barriers[p->barrier].expected ? cta->barriers[p->barrier].expected : cta->live_threads);
    break;
  }
  return false;
}

/* Lets the slot's CTA run until it ends, waits, or others should have their turn. False: the grid cannot go on. */
static bool visit(struct runner *r, struct slot *s) {
  for (uint64_t executed = 0; executed < VISIT;) {
    uint64_t before = r->progress;
    if (!run_round(r, s, &executed)) return false;
    if (!s->cta.live_warps) {
      end_cta(r, s);
      return true;
    }
    if (all_blocked(&s->cta)) return report_barrier(&s->cta);
    if (r->progress == before) break;
  }
  return true;
}

/* The slot's CTA, and as long as one ends the next in its place. */
static bool visit_slot(struct runner *r, struct slot *s) {
  for (;;) {
    if (!s->cta.live_warps) {
      if (r->next == r->total) return true;
      start_cta(r, s);
    }
    if (!visit(r, s)) return false;
    if (s->cta.live_warps) return true;
  }
}

static uint64_t smaller(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* As many CTAs more beside those there are. */
static void start_more(struct runner *r, uint64_t more) {
  more = smaller(more, smaller(r->limit - r->n, r->total - r->next));
  struct slot **slots = realloc(r->slots, (r->n + more + 1) * sizeof *slots);
  if (!slots) return;
  r->slots = slots;
  for (; more; more--) {
    r->slots[r->n] = must_alloc(sizeof **r->slots);
    start_cta(r, r->slots[r->n++]);
  }
}

static bool owes_turns(struct runner *r) {
  bool any = false, begin = !r->gave_turns;
  for (uint64_t i = 0; i < r->n; i++)
    for (uint32_t k = 0; r->slots[i]->cta.live_warps && k < r->slots[i]->cta.n_warps; k++)
      any |= exec_owes_turns(&r->slots[i]->cta.warps[k], begin);
  r->gave_turns = true;
  return any;
}

/* After a round in which no CTA ended: whether there is hope. */
static bool may_go_on(struct runner *r, uint64_t before) {
  uint64_t n = r->n;
  start_more(r, n);
  if (r->progress != before || r->n != n) {
    r->idle = 0;
    r->gave_turns = false;
    return true;
  }
  if (++r->idle < PATIENCE) return true;
  r->idle = 0;
  return owes_turns(r);
}

/* ---- ends ------------------------------------------------------------------------------------------------------------------ */

static void blame_waiting(struct exec_warp *w, const struct exec_waiting *s) {
  unsigned lane = (unsigned)__builtin_ctz(w->active);
  const struct exec_inst *in = s->waits && s->waits[lane][0].in ? s->waits[lane][0].in : exec_next(w);
  exec_fault(w, in, EXEC_FAULT_DEADLOCK, lane, "all threads of the grid wait for each other for ever; this one looks again and again");
}

static bool report_stuck(struct runner *r, struct err *e) {
  struct str s = {0};
  uint64_t named = 0, more = 0;
  str_add(&s, "nothing but waiting has been done for %u turns of every warp; who waits for what:\n", PATIENCE);
  for (uint64_t i = 0; i < r->n; i++)
    for (uint32_t k = 0; k < r->slots[i]->cta.n_warps; k++) {
      struct exec_warp *w = &r->slots[i]->cta.warps[k];
      if (w->status != EXEC_RUNNING && w->status != EXEC_BLOCKED) continue;
      if (named++ < NAMED_WARPS) exec_explain_warp(w, &r->slots[i]->waiting[k], "another thread", &s);
      else more++;
      if (w->status == EXEC_RUNNING) blame_waiting(w, &r->slots[i]->waiting[k]);
    }
  if (more) str_add(&s, "  %llu more warps wait\n", (unsigned long long)more);
  if (r->next < r->total)
    str_add(&s, "  %llu CTAs have not begun: the device holds %llu at once\n", (unsigned long long)(r->total - r->next),
            (unsigned long long)r->n);
  err_set(e, ERR_FAULT, "%s", s.s);
  str_free(&s);
  r->g->stuck = true;
  return false;
}

static bool report_end(const struct exec_grid *g, struct err *e) {
  if (g->fault.kind != EXEC_FAULT_NONE) return err_set(e, ERR_FAULT, "%s", g->fault.text);
  return err_set(e, ERR_LIMIT, "the run was stopped by %s after %llu warp instructions",
                 stop_requested(g->limits) ? "a signal from outside" : "the limit of instructions",
                 (unsigned long long)g->limits->executed);
}

static bool run_all(struct runner *r, struct err *e) {
  start_more(r, r->g->cooperative ? r->total : 1);
  while (r->running) {
    uint64_t before = r->progress, started = r->next;
    for (uint64_t i = 0; i < r->n; i++)
      if (!visit_slot(r, r->slots[i])) return report_end(r->g, e);
    if (r->next == started && r->running && !may_go_on(r, before)) return report_stuck(r, e);
  }
  return true;
}

bool exec_run_grid(struct exec_grid *g, struct err *e) {
  struct runner r = {.g = g, .total = (uint64_t)g->grid[0] * g->grid[1] * g->grid[2]};
  r.limit = g->cooperative || !g->resident ? r.total : smaller(g->resident, r.total);
  const struct exec_observer *o = g->device->observer;
  if (o) o->grid_begin(o->user, g);
  bool ok = run_all(&r, e);
  if (o) o->grid_end(o->user, g);
  for (uint64_t i = 0; i < r.n; i++) free_slot(r.slots[i]);
  free(r.slots);
  return ok;
}
