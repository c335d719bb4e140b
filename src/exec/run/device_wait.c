/* See device_wait.h. */
#include "exec/run/device_wait.h"

#include "base/arena.h"
#include "exec/run/device_query.h"

/* ---- without time ------------------------------------------------------------------------------------------------------- */

/* A child has failed: the parent faults with the child's error. */
static void fail(struct exec_warp *w, const struct exec_inst *in, const struct exec_grid *child, const struct err *e) {
  enum exec_fault_kind other = e->kind == ERR_LIMIT ? EXEC_FAULT_STOPPED : EXEC_FAULT_TRAP;
  exec_fault(w, in, child->fault.kind ? child->fault.kind : other, (unsigned)__builtin_ctz(w->mask),
             "a kernel launched here did not end: %s", child->fault.kind ? child->fault.text : e->text);
}

static bool run_child(struct exec_warp *w, const struct exec_inst *in, const struct exec_child *child, struct exec_todo *todo) {
  struct exec_grid g = exec_child_grid(child, w->grid->device);
  struct err e = {0};
  g.limits = w->grid->limits;
  g.resident = w->grid->resident;
  bool ok = exec_run_grid(&g, &e);
  w->grid->instructions += g.instructions;
  w->grid->thread_instructions += g.thread_instructions;
  exec_launches_take(w->grid->device->launches, &g, todo);
  exec_child_ended(&g);
  if (!ok) fail(w, in, &g, &e);
  return ok;
}

static void run_children(struct exec_warp *w, const struct exec_inst *in) {
  struct exec_todo todo = {0};
  struct exec_child child;
  bool ok = true;
  exec_launches_take_of(w->grid->device->launches, w->grid, w->cta->linear_id, &todo);
  while (ok && exec_todo_next(&todo, &child)) ok = run_child(w, in, &child, &todo);
  exec_todo_free(&todo);
}

/* ---- with time ---------------------------------------------------------------------------------------------------------- */

static struct exec_sync *find(struct exec_syncs *all, uint64_t number) {
  for (size_t i = 0; i < all->n; i++)
    if (all->at[i].number == number) return &all->at[i];
  return NULL;
}

static void forget(struct exec_syncs *all, struct exec_sync *w) {
  size_t i = (size_t)(w - all->at);
  for (all->n--; i < all->n; i++) all->at[i] = all->at[i + 1];
}

static void wait_for_children(struct exec_warp *w) {
  struct exec_launches *l = w->grid->device->launches;
  struct exec_syncs *all = exec_launches_syncs(l);
  if (!w->cta->awaits) {
    if (!exec_launches_any_of(l, w->grid, w->cta->linear_id)) return;
    GROW(all->at, all->capacity, all->n + 1);
    all->at[all->n++] = (struct exec_sync){.number = ++all->last, .grid = w->grid, .cta = w->cta->linear_id};
    w->cta->awaits = true;
    w->grid->waiting++;
    w->grid->asking++;
  }
  exec_park(w, EXEC_CHILDREN);
}

uint64_t exec_sync_asked(struct exec_launches *l, struct exec_grid *g) {
  struct exec_syncs *all = exec_launches_syncs(l);
  for (size_t i = 0; i < all->n; i++) {
    if (all->at[i].grid != g || all->at[i].begun) continue;
    all->at[i].begun = true;
    g->asking--;
    return all->at[i].number;
  }
  return 0;
}

bool exec_sync_more(struct exec_launches *l, uint64_t wait, struct exec_todo *todo) {
  const struct exec_sync *w = find(exec_launches_syncs(l), wait);
  return w && exec_launches_take_of(l, w->grid, w->cta, todo);
}

bool exec_sync_over(struct exec_launches *l, uint64_t wait, struct exec_grid **grid, uint64_t *cta) {
  struct exec_sync *w = find(exec_launches_syncs(l), wait);
  if (!w) return false;
  *grid = w->grid;
  *cta = w->cta;
  forget(exec_launches_syncs(l), w);
  return true;
}

void exec_syncs_end(struct exec_launches *l, const struct exec_grid *ended) {
  struct exec_syncs *all = exec_launches_syncs(l);
  for (size_t i = all->n; i-- > 0;)
    if (all->at[i].grid == ended) forget(all, &all->at[i]);
}

void exec_cta_go_on(struct exec_cta *cta) {
  cta->awaits = false;
  cta->grid->waiting--;
  for (uint32_t i = 0; i < cta->n_warps; i++) exec_release_paths(&cta->warps[i], EXEC_CHILDREN);
  cta->barrier_releases++;
}

bool exec_cta_only_awaits(const struct exec_cta *cta) {
  if (!cta->awaits) return false;
  for (uint32_t i = 0; i < cta->n_warps; i++)
    if (cta->warps[i].status == EXEC_RUNNING) return false;
  return true;
}

/* ---- the call ----------------------------------------------------------------------------------------------------------- */

static bool too_deep(const struct exec_grid *g) {
  enum { SYNC_DEPTH = 3 }; /* cudaLimitDevRuntimeSyncDepth */
  const struct exec_device *d = g->device;
  uint64_t levels = EXEC_LAUNCH_LEVELS;
  if (d->told) d->told->limit(d->print_user, SYNC_DEPTH, &levels);
  return g->depth >= levels;
}

/* cudaError_t DeviceSynchronize(void) */
void exec_do_synchronize(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *c) {
  if (!exec_launches_of(w, in)) return;
  uint32_t error = too_deep(w->grid) ? EXEC_RT_SYNC_DEPTH : EXEC_RT_SUCCESS;
  EXEC_EACH_ACTIVE(w, lane) exec_launch_answer(w, c, lane, error);
  if (error) return;
  if (w->grid->timed) wait_for_children(w);
  else run_children(w, in);
}
