/* Runs a whole grid without timing: runners, their host threads, and the end of a grid.
 *
 * The run begins with one runner. If the grid turns out to be long and more host threads may be used, further runners begin and take CTAs
 * from those left. Values are then the same as with one thread, as long as CTAs do not race with each other; atomic operations stay atomic
 * (exec_grid.host_threads). Grids with effects that have an order use one thread (device printf and malloc, launches by kernels, an
 * observer, a `stepped` function, a limit of instructions), and so do grids with reductions on surfaces. */
#include "exec/run/runner.h"

#include "base/arena.h"
#include "exec/builtins.h"
#include "exec/run/cta_cluster.h"
#include "exec/observe.h"
#include "exec/run/device_launch.h"

#include <pthread.h>
#include <stdlib.h>

enum { NAMED_WARPS = 8 /* warps of a deadlock that are described one by one */, MAX_RUNNERS = 64 };

/* The state of a running grid, kept while it pauses. */
struct exec_paused {
  struct exec_work work;
  struct exec_runner *runners[MAX_RUNNERS];
  pthread_t threads[MAX_RUNNERS]; /* the first one is the caller's and has no entry */
  unsigned wanted;
};

/* ---- threads ---------------------------------------------------------------------------------------------------------- */

static bool has_order(const struct exec_grid *g) {
  static const char *const builtins[] = {"vprintf", "malloc", EXEC_ALIGNED_MALLOC, "free"};
  const struct ptx_module *m = &g->module->ptx;
  if (g->device->observer || g->stepped || (g->limits && g->limits->max_instructions)) return true;
  for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
    if (ptx_find_func(m, builtins[i]) >= 0) return true;
  if (exec_launches_kernels(m)) return true;
  for (uint32_t f = 0; f < m->n_funcs; f++)
    for (uint32_t i = 0; i < m->funcs[f].n_insts; i++)
      if (m->funcs[f].insts[i].op == PTX_OP_sured) return true;
  return false;
}

static void add_runner(struct exec_paused *c) {
  struct exec_runner *r = must_alloc_lines(sizeof *r);
  *r = (struct exec_runner){.work = &c->work, .waits_since = EXEC_NOTHING_TO_DO};
  c->runners[c->work.n_runners] = r;
  __atomic_add_fetch(&c->work.n_runners, 1, __ATOMIC_RELEASE);
}

static void *run_thread(void *r) {
  exec_runner_run(r);
  return NULL;
}

/* The first runner has executed many instructions: starts further runners. */
static void get_help(void *user) {
  struct exec_paused *c = user;
  c->runners[0]->busy = NULL;
  if (c->wanted > MAX_RUNNERS) c->wanted = MAX_RUNNERS;
  if (c->wanted < 2 || has_order(c->work.g)) return;
  c->work.g->concurrent = true;
  for (unsigned i = 1; i < c->wanted; i++) {
    add_runner(c);
    if (!pthread_create(&c->threads[i], NULL, run_thread, c->runners[i])) continue;
    __atomic_sub_fetch(&c->work.n_runners, 1, __ATOMIC_RELEASE); /* the host has no more threads */
    free(c->runners[i]);
    break;
  }
}

static void join_all(struct exec_paused *c) {
  for (unsigned i = 1; i < c->work.n_runners; i++) pthread_join(c->threads[i], NULL);
  c->work.g->concurrent = false;
}

/* ---- ends ------------------------------------------------------------------------------------------------------------------ */

/* All its lanes are at a barrier. */
static void blame_blocked(struct exec_warp *w) {
  const struct exec_path *p = w->paths;
  while (p->state != EXEC_P_BARRIER) p++;
  exec_fault(w, &p->frame->func->insts[p->pc - 1], EXEC_FAULT_DEADLOCK, (unsigned)__builtin_ctz(p->mask),
             "all threads of the grid wait for each other for ever; this one waits at a barrier");
}

static void blame_waiting(struct exec_warp *w, const struct exec_waiting *s) {
  if (w->status == EXEC_BLOCKED) {
    blame_blocked(w);
    return;
  }
  unsigned lane = (unsigned)__builtin_ctz(w->active);
  const struct exec_inst *in = s->waits && s->waits[lane][0].in ? s->waits[lane][0].in : exec_next(w);
  exec_fault(w, in, EXEC_FAULT_DEADLOCK, lane, "all threads of the grid wait for each other for ever; this one looks again and again");
}

/* Describes the first few warps and counts the others; returns how many have been described. */
static unsigned explain_runner(struct exec_runner *r, unsigned named, uint64_t *more, struct str *out) {
  for (uint64_t i = 0; i < r->n; i++)
    for (uint32_t k = 0; k < r->slots[i]->cta.n_warps; k++) {
      struct exec_warp *w = &r->slots[i]->cta.warps[k];
      if (w->status != EXEC_RUNNING && w->status != EXEC_BLOCKED) continue;
      if (named < NAMED_WARPS) exec_explain_warp(w, &r->slots[i]->waiting[k], "another thread", out), named++;
      else ++*more;
      blame_waiting(w, &r->slots[i]->waiting[k]);
    }
  return named;
}

static bool report_stuck(struct exec_paused *c, struct err *e) {
  struct str s = {0};
  const struct exec_work *w = &c->work;
  unsigned named = 0;
  uint64_t more = 0;
  str_add(&s, "nothing but waiting has been done for %u turns of every warp; who waits for what:\n", EXEC_IDLE_ROUNDS);
  for (unsigned i = 0; i < w->n_runners; i++) named = explain_runner(c->runners[i], named, &more, &s);
  if (more) str_add(&s, "  %llu more warps wait\n", (unsigned long long)more);
  if (w->next < w->total)
    str_add(&s, "  %llu CTAs have not begun: the device holds %llu at once\n", (unsigned long long)(w->total - w->next),
            (unsigned long long)w->limit);
  err_set(e, ERR_FAULT, "%s", s.s);
  str_free(&s);
  w->g->stuck = true;
  return false;
}

static bool report_end(const struct exec_grid *g, struct err *e) {
  if (g->fault.kind != EXEC_FAULT_NONE && g->fault.kind != EXEC_FAULT_STOPPED) return err_set(e, ERR_FAULT, "%s", g->fault.text);
  bool signalled = g->limits->stop && __atomic_load_n(g->limits->stop, __ATOMIC_RELAXED);
  return err_set(e, ERR_LIMIT, "the run was stopped by %s after %llu warp instructions",
                 signalled ? "a signal from outside" : "the limit of instructions", (unsigned long long)g->limits->executed);
}

bool exec_run_grid(struct exec_grid *g, struct err *e) {
  return exec_run_ctas(g, NULL, (uint64_t)g->grid[0] * g->grid[1] * g->grid[2], e);
}

static struct exec_paused *new_crew(struct exec_grid *g, const uint64_t *ctas, uint64_t n) {
  struct exec_paused *c = must_alloc(sizeof *c);
  *c = (struct exec_paused){.work = {.g = g, .ctas = ctas, .total = n}, .wanted = g->host_threads};
  bool fits = g->cooperative || !g->resident || g->resident > c->work.total;
  c->work.limit = fits ? c->work.total : g->resident;
  if (c->work.limit < exec_cluster_size(g)) c->work.limit = exec_cluster_size(g);
  c->work.runners = c->runners;
  add_runner(c);
  c->runners[0]->busy = get_help;
  c->runners[0]->user = c;
  return c;
}

static void free_crew(struct exec_paused *c) {
  for (unsigned i = 0; i < c->work.n_runners; i++) {
    exec_runner_free(c->runners[i]);
    free(c->runners[i]);
  }
  free(c);
}

/* Runs with several host threads do not pause. */
static bool pauses(const struct exec_paused *c) {
  return c->work.stuck && c->work.g->may_pause && c->work.n_runners == 1 && exec_runner_waits_for_host(c->runners[0]);
}

bool exec_run_ctas(struct exec_grid *g, const uint64_t *ctas, uint64_t n, struct err *e) {
  if (!exec_grid_clusters(g, e)) return false;
  const struct exec_observer *o = g->device->observer;
  struct exec_paused *c = g->paused;
  if (!c) {
    c = new_crew(g, ctas, n);
    if (o) o->grid_begin(o->user, g);
    exec_runner_run(c->runners[0]);
  } else {
    c->work.stuck = c->work.over = false;
    exec_runner_go_on(c->runners[0]);
  }
  join_all(c);
  for (unsigned i = 0; i < c->work.n_runners; i++) {
    if (g->limits) g->limits->executed += c->runners[i]->executed;
    c->runners[i]->executed = 0;
  }
  g->paused = pauses(c) ? c : NULL;
  if (g->paused) return true;
  bool ok = !c->work.over || (c->work.stuck ? report_stuck(c, e) : report_end(g, e));
  if (o) o->grid_end(o->user, g);
  free_crew(c);
  return ok;
}
