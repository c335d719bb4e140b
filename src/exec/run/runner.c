/* CTAs and warps in turn, in an order that a GPU could have.
 *
 * Warps of a CTA take turns. A turn ends before a warp writes to global memory if it has read there in the same turn, because on a GPU
 * the others would have read too by the time its data had come. So warps that read, compute and write the same place give what they give
 * on a GPU, not the sum of their turns. A CTA none of whose warps has followed another to the place it writes in its first SHORT_TURNS
 * such turns has long ones from then on: nobody could see the difference. (Where an observer looks for races turns are always long.)
 * Likewise it ends before the first store to shared memory behind a barrier that on a GPU would come after the others have read, and
 * before the first load that would come after they have written (ptx_late.c). A turn also ends when the warp only looks again whether
 * another thread has done something (waiting.h), and when it has looked at this and that LOOKS times: a loop over several places which
 * waits for any of them cannot be told from one that works on them. Its CTA then gives way too.
 *
 * A runner's CTAs run one after the other as long as each ends. One that waits, or is not at its end after VISIT instructions, gives way:
 * others are started beside it, up to as many as the device holds at once, and all are visited in turn. So CTAs that wait for
 * each other meet. When nothing but waiting has been done for many rounds, lanes that another path of their warp keeps from
 * running get their turn, and if that does not help it is a deadlock.
 *
 * CTAs of a cluster have slots next to each other. They are started together, when all of the cluster before have ended.
 *
 * A limit of instructions is kept to the instruction; a wish to stop is heard before every turn. */
#include "exec/run/runner.h"

#include "exec/run/cta_cluster.h"
#include "exec/observe.h"
#include "exec/run/stretch.h"
#include "exec/warp.h"

#include <sched.h>
#include <stdlib.h>

enum {
  TURN = 4096,      /* instructions of a warp */
  LOOKS = 16,       /* loads of a warp, of what others may have changed; an atomic operation that changes something is work */
  SHORT_TURNS = 16, /* of each warp, that end before it writes */
  VISIT = 1 << 16,  /* instructions of a CTA */
  BUSY = 1 << 15,   /* of a runner, after which it says so: ten times what a thread costs */
  SUSPECTED_ROUNDS = 128, /* in which nothing but waiting is done, before that may be a deadlock */
  TELL = 1 << 20,   /* after which it tells how far it has come, again and again */
};

#define LOOK(x) __atomic_load_n(&(x), __ATOMIC_ACQUIRE)
#define PUT(x, v) __atomic_store_n(&(x), (v), __ATOMIC_RELEASE)

/* ---- CTAs ------------------------------------------------------------------------------------------------------------ */

/* Adds the instructions its warps executed to the grid's counts. */
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

/* That it has been at it for a while, and how far it has come. */
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
  if (!s->waiting) s->waiting = must_alloc(s->cta.n_warps * sizeof *s->waiting); /* as many in every CTA of the grid */
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

/* Starts a cluster, or a CTA where there are none, in the slots of a group that have all ended. False: there is none left. */
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

/* Instructions that a warp may execute in a row; 0: the run is to end. Where there is a limit there is one runner. */
static uint64_t turn_of(const struct exec_runner *r) {
  const struct exec_limits *l = r->work->g->limits;
  if (LOOK(r->work->over)) return 0;
  if (!l) return TURN;
  if (l->stop && __atomic_load_n(l->stop, __ATOMIC_RELAXED)) return 0;
  uint64_t executed = l->executed + r->executed; /* kernels that this one has waited for may have gone beyond */
  uint64_t left = l->max_instructions > executed ? l->max_instructions - executed : 0;
  return l->max_instructions && left < TURN ? left : TURN;
}

/* The warp has begun a turn by what it had stopped before. */
static void note_write(struct exec_slot *s, const struct exec_warp *w) {
  const struct exec_access *a = &w->access;
  if (!a->mask || a->op != EXEC_STORE) return;
  uint64_t at = a->addr[__builtin_ctz(a->mask)];
  s->races |= s->writer && s->writer != w && s->written == at;
  s->writer = w;
  s->written = at;
}

/* Whether what was just executed may be the look of a warp that waits. */
static bool may_wait(const struct exec_warp *w, unsigned flags) {
  if (flags & (EXEC_SPIN | EXEC_LOOK)) return true;
  return flags & EXEC_ORDERED && w->access.mask && w->access.same && w->access.op != EXEC_STORE;
}

/* One instruction by this function of its own, shown to whoever follows the grid's steps. */
static void step(struct exec_warp *w, const struct exec_inst *in, exec_fn fn) {
  const struct exec_grid *g = w->grid;
  uint64_t before = w->thread_instructions;
  exec_do_by(w, in, fn);
  if (g->stepped) g->stepped(g->stepped_user, w, in, (unsigned)(w->thread_instructions - before));
}

/* Of those of its kind since the warp's last barrier; the others of the CTA come as far then. */
static bool first_late(struct exec_slot *s, const struct exec_inst *in, uint32_t bit) {
  uint32_t *none = in->ptx->op == PTX_OP_ld ? &s->no_late_load : &s->no_late_store;
  bool first = *none & bit;
  *none &= ~bit;
  return first;
}

/* A turn of a running warp, of so many instructions at most. Returns whether more than waiting was done. *looked: it ended because the warp
 * had looked often. */
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
    bool asked = attends || flags & (EXEC_SPIN | EXEC_LOOK) || !in->quick; /* for all of the access */
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

/* Gives each warp of the CTA a turn and counts their instructions. False on a fault, or when the run is to end. */
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
    if (all_blocked(&s->cta)) return s->cta.cluster->n > 1 || report_barrier(&s->cta); /* others of a cluster may come */
    if (r->progress == before) break;
  }
  return true;
}

/* The slot's CTA, and as long as one ends the next in its place. */
static bool visit_slot(struct exec_runner *r, struct exec_slot *s) {
  for (;;) {
    if (!s->cta.live_warps && !start_group(r, s->group)) return true;
    if (!visit(r, s)) return false;
    if (s->cta.live_warps) return true;
  }
}

/* Whether the device holds n more CTAs; then they are as good as there. */
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

/* So many CTAs, or clusters, more beside those there are, if possible; no more than its share of what the device holds. */
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

/* A wait for ever may be a loop that counts (waiting.h). */
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

/* At the end of a round; `moved`: more than waiting was done in it. */
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
