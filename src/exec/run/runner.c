/* Runs CTAs and warps in turns, in an order that is possible on a GPU.
 *
 * Warps of a CTA take turns. A turn ends before a write to global memory if the warp has read global memory in the same turn, because on a
 * GPU the other warps would also have read by the time its data had arrived. Warps that read, compute and write the same place thus give
 * the same result as on a GPU. If no warp of a CTA has followed another one to the place that it writes in the first SHORT_TURNS such
 * turns of each warp, its turns are long from then on, because no difference is visible. (Turns are always long if an observer looks for
 * races.) A turn also ends before the first store to shared memory after a barrier that on a GPU would come after the other warps have
 * read, and before the first load that would come after they have written (ptx_late.c). A turn also ends when the warp only polls whether
 * another thread has done something (waiting.h), and after LOOKS loads of varying places: a loop over several places that waits for any of
 * them cannot be distinguished from a loop that works on them. Its CTA then gives way too.
 *
 * The CTAs of a runner run one after the other as long as each ends. One that waits, or has not ended after VISIT instructions, gives way:
 * others are started beside it, up to as many as the device holds at once, and all are visited in turn. CTAs that wait for each other
 * therefore make progress. If nothing but waiting has happened for many rounds, lanes that another path of their warp keeps from running
 * get a turn; if that does not help, it is a deadlock.
 *
 * CTAs of a cluster have consecutive slots. They are started together, when all CTAs of the cluster before have ended.
 *
 * A limit of instructions is exact; a request to stop is checked before every turn. */
#include "exec/run/runner.h"

#include "exec/run/cta_cluster.h"
#include "exec/observe.h"
#include "exec/run/stretch.h"
#include "exec/warp.h"

#include <sched.h>
#include <stdlib.h>

enum {
  TURN = 4096,      /* instructions of a warp */
  LOOKS = 16,       /* loads per warp of data that others may change; an atomic operation that changes something is work */
  SHORT_TURNS = 16, /* of each warp, that end before it writes */
  VISIT = 1 << 16,  /* instructions of a CTA */
  BUSY = 1 << 15,   /* of a runner, after which it calls `busy`: ten times the cost of starting a thread */
  SUSPECTED_ROUNDS = 128, /* rounds of nothing but waiting before a deadlock is suspected */
  TELL = 1 << 20,   /* interval of progress reports */
};

#define LOOK(x) __atomic_load_n(&(x), __ATOMIC_ACQUIRE)
#define PUT(x, v) __atomic_store_n(&(x), (v), __ATOMIC_RELEASE)

/* ---- CTAs ------------------------------------------------------------------------------------------------------------ */

/* Adds the instructions of its warps to the grid's counts. */
static void account(struct exec_cta *cta) {
  uint64_t instructions = 0, of_threads = 0;
  for (uint32_t i = 0; i < cta->n_warps; i++) {
    instructions += cta->warps[i].instructions;
    of_threads += cta->warps[i].thread_instructions;
    cta->warps[i].instructions = cta->warps[i].thread_instructions = 0;
  }
  __atomic_fetch_add(&cta->grid->instructions, instructions, __ATOMIC_RELAXED);
  __atomic_fetch_add(&cta->grid->thread_instructions, of_threads, __ATOMIC_RELAXED);
}

/* Reports that it has executed many instructions, and its progress. */
static void tell(struct exec_runner *r) {
  struct exec_limits *l = r->work->g->limits;
  if (r->busy && r->executed > BUSY) r->busy(r->user);
  if (!l || !l->progress || r != r->work->runners[0] || (r->executed && l->executed + r->executed - l->told < TELL)) return;
  l->told = l->executed + r->executed;
  l->progress(l->user, l->told);
}

static void start_cta(struct exec_runner *r, struct exec_slot *s, uint64_t next) {
  struct exec_grid *g = r->work->g;
  const struct exec_observer *o = g->device->observer;
  uint64_t linear = r->work->ctas ? r->work->ctas[next] : exec_cta_in_order(g, next);
  exec_cta_start(&s->cta, g, linear, (uint32_t)(linear % g->device->n_sms));
  if (!s->waiting) s->waiting = must_alloc(s->cta.n_warps * sizeof *s->waiting); /* the same number in every CTA of the grid */
  for (uint32_t i = 0; i < s->cta.n_warps; i++) exec_waiting_begin(&s->waiting[i]);
  s->races = false;
  s->short_turns = s->cta.n_warps > 1 && !o ? SHORT_TURNS * s->cta.n_warps : 0;
  s->writer = NULL;
  s->no_late_store = 0;
  s->no_late_load = s->cta.n_warps > 1 ? UINT32_MAX : 0;
  if (o) o->cta_begin(o->user, &s->cta);
  r->running++;
  r->progress++;
}

/* Starts a cluster, or a single CTA in grids without clusters, in the slots of a group if all of them are free. False: nothing was
 * started. */
static bool start_group(struct exec_runner *r, uint64_t group) {
  uint32_t n = exec_cluster_size(r->work->g);
  struct exec_cta *ctas[EXEC_MAX_CLUSTER];
  tell(r);
  for (uint32_t i = 0; i < n; i++)
    if (r->slots[group + i]->cta.live_warps) return false;
  uint64_t next = __atomic_fetch_add(&r->work->next, n, __ATOMIC_RELAXED);
  if (next >= r->work->total) return false;
  for (uint32_t i = 0; i < n; i++) {
    start_cta(r, r->slots[group + i], next + i);
    ctas[i] = &r->slots[group + i]->cta;
  }
  exec_cluster_form(ctas, n);
  return true;
}

static void end_cta(struct exec_runner *r, struct exec_slot *s) {
  const struct exec_observer *o = r->work->g->device->observer;
  if (o) o->cta_end(o->user, &s->cta);
  account(&s->cta);
  exec_cluster_leave(&s->cta);
  r->running--;
  r->progress++;
}

static void free_slot(struct exec_slot *s) {
  if (s->cta.live_warps) account(&s->cta);
  for (uint32_t i = 0; s->waiting && i < s->cta.n_warps; i++) exec_waiting_free(&s->waiting[i]);
  free(s->waiting);
  exec_cta_release(&s->cta);
  free(s);
}

/* ---- turns ------------------------------------------------------------------------------------------------------------- */

/* Instructions that a warp may execute in a row; 0: the run is to end. With a limit there is only one runner. */
static uint64_t turn_of(const struct exec_runner *r) {
  const struct exec_limits *l = r->work->g->limits;
  if (LOOK(r->work->over)) return 0;
  if (!l) return TURN;
  if (l->stop && __atomic_load_n(l->stop, __ATOMIC_RELAXED)) return 0;
  uint64_t executed = l->executed + r->executed; /* kernels that this one waited for may have exceeded it */
  uint64_t left = l->max_instructions > executed ? l->max_instructions - executed : 0;
  return l->max_instructions && left < TURN ? left : TURN;
}

/* The warp has begun a turn with the write before which its last turn ended: notes who wrote where. */
static void note_write(struct exec_slot *s, const struct exec_warp *w) {
  const struct exec_access *a = &w->access;
  if (!a->mask || a->op != EXEC_STORE) return;
  uint64_t at = a->addr[__builtin_ctz(a->mask)];
  s->races |= s->writer && s->writer != w && s->written == at;
  s->writer = w;
  s->written = at;
}

/* Whether the last instruction may be one by which a waiting warp polls. */
static bool may_wait(const struct exec_warp *w, unsigned flags) {
  if (flags & (EXEC_SPIN | EXEC_LOOK)) return true;
  return flags & EXEC_ORDERED && w->access.mask && w->access.same && w->access.op != EXEC_STORE;
}

/* Executes one instruction by this one of its functions, and calls the grid's `stepped` function. */
static void step(struct exec_warp *w, const struct exec_inst *in, exec_fn fn) {
  const struct exec_grid *g = w->grid;
  uint64_t before = w->thread_instructions;
  exec_do_by(w, in, fn);
  if (g->stepped) g->stepped(g->stepped_user, w, in, (unsigned)(w->thread_instructions - before));
}

/* Whether it is the first of its kind since the warp's last barrier; the other warps of the CTA then catch up. */
static bool first_late(struct exec_slot *s, const struct exec_inst *in, uint32_t bit) {
  uint32_t *none = in->ptx->op == PTX_OP_ld ? &s->no_late_load : &s->no_late_store;
  bool first = *none & bit;
  *none &= ~bit;
  return first;
}

/* A turn of a running warp, of so many instructions at most. Returns whether it did more than wait. *looked: it ended because of many
 * polls. */
static bool take_turn(struct exec_slot *s, struct exec_warp *w, uint64_t turn, bool *looked) {
  struct exec_waiting *waiting = &s->waiting[w->index];
  unsigned ends = s->races || s->short_turns ? EXEC_FETCH : 0, seen = 0, looks = 0;
  const uint32_t bit = UINT32_C(1) << w->index;
  bool moved = false, waits = exec_is_waiting(waiting), followed = w->grid->stepped != NULL, attends = waits || followed;
  for (uint64_t n = 0; n < turn && w->status == EXEC_RUNNING; n++) {
    const struct exec_inst *in = exec_next(w);
    unsigned flags = in->flags;
    uint32_t length = attends ? 0 : exec_stretch_length(w, !ends);
    if (length && length <= turn - n) {
      seen |= exec_do_stretch(w, length);
      n += length - 1;
      moved = true;
      continue;
    }
    if (in->unit == EXEC_U_BARRIER) {
      s->no_late_store |= bit;
      s->no_late_load |= bit;
    }
    if (!(flags & (EXEC_SPIN | EXEC_LOOK | EXEC_ORDERED | EXEC_FETCH)) && !attends) {
      exec_do(w, in);
      moved = true;
      continue;
    }
    unsigned lane = (unsigned)__builtin_ctz(w->active);
    if (flags & EXEC_ORDERED && in->space == PTX_SHARED && first_late(s, in, bit)) break;
    if (flags & EXEC_ORDERED && seen & ends) {
      s->short_turns -= s->short_turns > 0;
      break;
    }
    seen |= flags;
    bool asked = attends || flags & (EXEC_SPIN | EXEC_LOOK) || !in->quick; /* needs the complete access */
    step(w, in, asked ? in->fn : in->quick);
    if (!n && ends && flags & EXEC_ORDERED) note_write(s, w);
    if (!waits && !may_wait(w, flags)) {
      moved = true;
      continue;
    }
    if (in->ptx->op == PTX_OP_ld && ++looks > LOOKS) *looked = true;
    moved |= exec_note_progress(waiting, w, in, lane);
    waits = exec_is_waiting(waiting);
    attends = waits || followed;
    if (!waiting->since || *looked) break;
  }
  return moved;
}

/* Gives each warp of the CTA a turn and counts the instructions. False on a fault, or when the run is to end. */
static bool run_round(struct exec_runner *r, struct exec_slot *s, uint64_t *executed, bool *looked) {
  for (uint32_t i = 0; i < s->cta.n_warps; i++) {
    struct exec_warp *w = &s->cta.warps[i];
    if (w->status != EXEC_RUNNING) continue;
    uint64_t before = w->instructions, turn = turn_of(r);
    if (!turn) return false;
    bool often = false;
    r->progress += take_turn(s, w, turn, &often);
    *looked |= often;
    *executed += w->instructions - before;
    r->executed += w->instructions - before;
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
    if (p->barrier == EXEC_CLUSTER_BARRIER) {
      exec_fault(w, &p->frame->func->insts[p->pc - 1], EXEC_FAULT_DEADLOCK, (unsigned)__builtin_ctz(p->mask),
                 "the cluster's barrier never completes: %u threads have arrived of %u", cta->cluster->arrived, cta->live_threads);
      break;
    }
    if (p->barrier >= EXEC_GROUP_BARRIER) {
      exec_fault(w, &p->frame->func->insts[p->pc - 1], EXEC_FAULT_DEADLOCK, (unsigned)__builtin_ctz(p->mask),
                 "the warps of a warpgroup never meet: %u threads have come of %u", cta->barriers[p->barrier].arrived,
                 cta->barriers[p->barrier].expected);
      break;
    }
    exec_fault(w, &p->frame->func->insts[p->pc - 1], EXEC_FAULT_DEADLOCK, (unsigned)__builtin_ctz(p->mask),
               "barrier %u never completes: %u threads have arrived of %u that it waits for", p->barrier,
               cta->barriers[p->barrier].arrived,
               cta->barriers[p->barrier].expected ? cta->barriers[p->barrier].expected : cta->live_threads);
    break;
  }
  return false;
}

/* Lets the slot's CTA run until it ends, waits, or others should have their turn. False: the grid cannot go on. */
static bool visit(struct exec_runner *r, struct exec_slot *s) {
  bool looked = false;
  for (uint64_t executed = 0; executed < VISIT && !looked;) {
    uint64_t before = r->progress;
    if (!run_round(r, s, &executed, &looked)) return false;
    if (!s->cta.live_warps) {
      end_cta(r, s);
      return true;
    }
    if (all_blocked(&s->cta)) return s->cta.cluster->n > 1 || report_barrier(&s->cta); /* other CTAs of the cluster may still arrive */
    if (r->progress == before) break;
  }
  return true;
}

/* Runs the slot's CTA, and as long as CTAs end, the next one in its place. */
static bool visit_slot(struct exec_runner *r, struct exec_slot *s) {
  for (;;) {
    if (!s->cta.live_warps && !start_group(r, s->group)) return true;
    if (!visit(r, s)) return false;
    if (s->cta.live_warps) return true;
  }
}

/* Whether the device can hold n more CTAs; if so they count as resident. */
static bool take_place(struct exec_work *w, uint32_t n) {
  if (__atomic_fetch_add(&w->resident, n, __ATOMIC_RELAXED) + n <= w->limit) return true;
  __atomic_fetch_sub(&w->resident, n, __ATOMIC_RELAXED);
  return false;
}

/* False: the host has no memory for them. */
static bool add_slots(struct exec_runner *r, uint32_t n) {
  struct exec_slot **slots = realloc(r->slots, (r->n + n) * sizeof *slots);
  if (!slots) return false;
  r->slots = slots;
  uint64_t group = r->n;
  for (uint32_t i = 0; i < n; i++) {
    r->slots[r->n] = must_alloc(sizeof **slots);
    r->slots[r->n++]->group = group;
  }
  return true;
}

/* Starts up to `more` further CTAs or clusters, within the runner's share of what the device holds. */
static void start_more(struct exec_runner *r, uint64_t more) {
  unsigned runners = LOOK(r->work->n_runners);
  uint32_t each = exec_cluster_size(r->work->g);
  uint64_t share = (r->work->limit + runners - 1) / runners;
  for (; more && (r->n < share || !r->n) && LOOK(r->work->next) < r->work->total && take_place(r->work, each); more--) {
    if (!add_slots(r, each)) return;
    start_group(r, r->n - each);
  }
}

/* ---- waiting ---------------------------------------------------------------------------------------------------------- */

static bool owes_turns(struct exec_runner *r) {
  bool any = false, begin = !r->gave_turns;
  for (uint64_t i = 0; i < r->n; i++)
    for (uint32_t k = 0; r->slots[i]->cta.live_warps && k < r->slots[i]->cta.n_warps; k++)
      any |= exec_owes_turns(&r->slots[i]->cta.warps[k], begin);
  r->gave_turns = true;
  return any;
}

/* What looks like an endless wait may be a loop that counts (waiting.h). */
static void suspect_all(struct exec_runner *r, bool on) {
  for (uint64_t i = 0; i < r->n; i++)
    for (uint32_t k = 0; r->slots[i]->cta.live_warps && k < r->slots[i]->cta.n_warps; k++) exec_suspect(&r->slots[i]->waiting[k], on);
  r->suspects = on;
}

static bool any_counts(const struct exec_runner *r) {
  for (uint64_t i = 0; i < r->n; i++)
    for (uint32_t k = 0; r->slots[i]->cta.live_warps && k < r->slots[i]->cta.n_warps; k++)
      if (exec_counts(&r->slots[i]->waiting[k])) return true;
  return false;
}

/* Whether every runner has done nothing but wait since the grid's progress was `now`. */
static bool all_wait(const struct exec_work *w, uint64_t now) {
  for (unsigned i = 0; i < LOOK(w->n_runners); i++) {
    uint64_t since = LOOK(w->runners[i]->waits_since);
    if (since != now + 1 && since != EXEC_NOTHING_TO_DO) return false;
  }
  return LOOK(w->progress) == now;
}

/* Called at the end of a round; `moved`: more than waiting was done in it. */
static void look_for_deadlock(struct exec_runner *r, bool moved) {
  struct exec_work *w = r->work;
  if (!moved && r->idle + 1 >= EXEC_IDLE_ROUNDS && any_counts(r)) moved = true;
  uint64_t now = moved ? __atomic_add_fetch(&w->progress, 1, __ATOMIC_ACQ_REL) : LOOK(w->progress);
  if (moved || now != r->seen) {
    r->seen = now;
    r->idle = 0;
    r->gave_turns = false;
    if (r->suspects) suspect_all(r, false);
    PUT(r->waits_since, 0);
    return;
  }
  if (r->idle == EXEC_IDLE_ROUNDS - SUSPECTED_ROUNDS) suspect_all(r, true);
  if (++r->idle < EXEC_IDLE_ROUNDS) return;
  if (LOOK(w->n_runners) > 1) sched_yield(); /* the others may need this core */
  r->idle = 0;
  if (owes_turns(r)) return;
  PUT(r->waits_since, now + 1);
  if (!all_wait(w, now)) return;
  PUT(w->stuck, true);
  PUT(w->over, true);
}

void exec_runner_run(struct exec_runner *r) {
  struct exec_work *w = r->work;
  PUT(r->waits_since, 0);
  start_more(r, 1);
  while (r->running && !LOOK(w->over)) {
    uint64_t before = r->progress, next = LOOK(w->next);
    for (uint64_t i = 0; i < r->n; i++)
      if (!visit_slot(r, r->slots[i])) {
        PUT(w->over, true);
        return;
      }
    if (r->running && LOOK(w->next) == next) start_more(r, r->n);
    look_for_deadlock(r, r->progress != before);
    tell(r);
  }
  PUT(r->waits_since, EXEC_NOTHING_TO_DO);
}

bool exec_runner_waits_for_host(const struct exec_runner *r) {
  for (uint64_t i = 0; i < r->n; i++)
    for (uint32_t k = 0; r->slots[i]->cta.live_warps && k < r->slots[i]->cta.n_warps; k++)
      if (exec_waits_for_host(&r->slots[i]->cta.warps[k], &r->slots[i]->waiting[k])) return true;
  return false;
}

void exec_runner_go_on(struct exec_runner *r) {
  r->idle = 0;
  r->gave_turns = false;
  if (r->suspects) suspect_all(r, false);
  exec_runner_run(r);
}

void exec_runner_free(struct exec_runner *r) {
  for (uint64_t i = 0; i < r->n; i++) free_slot(r->slots[i]);
  free(r->slots);
}
