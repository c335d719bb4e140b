/* Launches: what is asked for is checked, then the grid runs to its end on the timed GPU or without time. */
#include "api/api.h"

#include "base/arena.h"
#include "exec/builtins.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_THREADS = 1024, HEAP_BYTES = 8 << 20 };

/* ---- checks ---------------------------------------------------------------------------------------------------------- */

static bool check_block(const struct exec_grid *g, struct err *e) {
  const struct ptx_func *f = g->kernel->ptx;
  uint64_t threads = (uint64_t)g->block[0] * g->block[1] * g->block[2];
  if (g->block[0] > MAX_THREADS || g->block[1] > MAX_THREADS || g->block[2] > MAX_THREADS || threads > MAX_THREADS)
    return err_set(e, ERR_INPUT, "%s: a block of %u x %u x %u is larger than %d threads", f->name, g->block[0], g->block[1],
                   g->block[2], MAX_THREADS);
  for (int i = 0; f->reqntid[0] && i < 3; i++)
    if (g->block[i] != (f->reqntid[i] ? f->reqntid[i] : 1))
      return err_set(e, ERR_INPUT, "%s: the block is not of the size its .reqntid says", f->name);
  return true;
}

static bool check_grid(const heddle_sim *sim, const struct exec_grid *g, struct err *e) {
  const char *name = g->kernel->ptx->name;
  if ((uint64_t)g->grid[1] * g->grid[2] > UINT32_MAX || g->grid[0] > INT32_MAX)
    return err_set(e, ERR_INPUT, "%s: a grid of %u x %u x %u is too large", name, g->grid[0], g->grid[1], g->grid[2]);
  uint64_t shared = (uint64_t)g->kernel->shared_bytes + g->dynamic_shared;
  if (shared > sim->shape.shared_bytes)
    return err_set(e, ERR_LIMIT, "%s: a block needs %llu bytes of shared memory, an SM has %u", name,
                   (unsigned long long)shared, sim->shape.shared_bytes);
  return true;
}

static bool check_sim(heddle_sim *sim) {
  if (!api_usable(sim)) return false;
  if (!sim->broken && __atomic_load_n(&sim->stop, __ATOMIC_RELAXED)) {
    sim->broken = true;
    return err_set(&sim->err, ERR_LIMIT, "the run was stopped by a signal from outside before this launch");
  }
  if (!sim->broken) return true;
  return err_set(&sim->err, ERR_FAULT, "an earlier launch did not end; this simulator can be read but not used any more");
}

/* ---- the grid -------------------------------------------------------------------------------------------------------- */

static bool check_kernel(const heddle_kernel *k, struct err *e) {
  return !k->func->refused || err_set(e, ERR_UNSUPPORTED, "the kernel %s cannot run: %s", k->func->ptx->name, k->func->refused);
}

static void set_shape(struct exec_grid *g, const heddle_launch_shape *s) {
  for (int i = 0; i < 3; i++) {
    g->grid[i] = s->grid[i] ? s->grid[i] : 1;
    g->block[i] = s->block[i] ? s->block[i] : 1;
  }
  g->dynamic_shared = s->shared_bytes;
  g->cooperative = s->cooperative != 0;
}

static bool set_params(struct exec_grid *g, void *const *arguments, struct err *e) {
  const struct ptx_func *f = g->kernel->ptx;
  g->params = must_alloc(f->param_bytes + 1);
  for (uint32_t i = 0; i < f->n_params; i++) {
    const struct ptx_var *v = &g->module->ptx.vars[f->params[i]];
    if (!arguments || !arguments[i])
      return err_set(e, ERR_INPUT, "%s: parameter %u of %u has no value", f->name, i, f->n_params);
    memcpy(g->params + v->offset, arguments[i], v->bytes);
  }
  return true;
}

/* Device malloc's arena exists from the first launch of a module that takes memory from it. */
static void make_heap(heddle_sim *sim, const struct exec_module *m) {
  if (!sim->device.heap && exec_uses_heap(&m->ptx))
    sim->device.heap = exec_heap_new(sim->device.mem, HEAP_BYTES);
}

/* ---- running --------------------------------------------------------------------------------------------------------- */

static void warn(void *user, const struct exec_stray *s) {
  const heddle_sim *sim = user;
  char text[sizeof s->text + 128];
  snprintf(text, sizeof text, "outside every allocation, but in mapped memory: a GPU does it without a word\n  %s", s->text);
  sim->warn(sim->warn_user, text);
}

static heddle_status run_timed(heddle_sim *sim, struct exec_grid *g) {
  enum gpu_end end = gpu_run(sim->gpu, g, &sim->err);
  sim->broken = end != GPU_DONE && end != GPU_REFUSED;
  if (end == GPU_DEADLOCK) return HEDDLE_DEADLOCK;
  if (end == GPU_BROKEN) return HEDDLE_BROKEN;
  return api_end(sim);
}

/* As the timed GPU does: the newest launch is added to those of its kernel, and its row is free then. */
static void fold_last(heddle_sim *sim) {
  struct api_launches *folded = &sim->folded;
  struct api_launch *last = &sim->launches.at[--sim->launches.n];
  size_t i = 0;
  while (i < folded->n && strcmp(folded->at[i].name, last->name)) i++;
  if (i == folded->n) {
    GROW(folded->at, folded->capacity, folded->n + 1);
    folded->at[folded->n++] = *last;
    return;
  }
  folded->at[i].launches += last->launches;
  folded->at[i].warp_instructions += last->warp_instructions;
  folded->at[i].thread_instructions += last->thread_instructions;
  free(last->name);
}

static heddle_status run_functional(heddle_sim *sim, struct exec_grid *g) {
  g->limits = &sim->limits;
  g->resident = gpu_ctas_untimed(&sim->shape, g);
  g->host_threads = sim->host_threads;
  sim->broken = !exec_run_grid(g, &sim->err);
  if (sim->launches.n > GPU_MOST_ROWS) fold_last(sim);
  GROW(sim->launches.at, sim->launches.capacity, sim->launches.n + 1);
  sim->launches.at[sim->launches.n++] = (struct api_launch){.name = strdup(g->kernel->ptx->name),
                                                            .launches = 1,
                                                            .warp_instructions = g->instructions,
                                                            .thread_instructions = g->thread_instructions};
  return g->stuck ? HEDDLE_DEADLOCK : api_end(sim);
}

heddle_status heddle_launch(heddle_kernel *k, const heddle_launch_shape *shape, void *const *arguments) {
  heddle_sim *sim = k->module->sim;
  struct err *e = api_begin(sim);
  struct exec_grid *g = must_alloc(sizeof *g);
  *g = (struct exec_grid){.module = &k->module->m, .kernel = k->func, .device = &sim->device};
  set_shape(g, shape);
  if (check_sim(sim) && check_kernel(k, e) && check_block(g, e) && check_grid(sim, g, e)) set_params(g, arguments, e);
  heddle_status status = api_end(sim);
  if (status == HEDDLE_OK) {
    g->id = ++sim->next_grid;
    make_heap(sim, g->module);
    status = sim->gpu ? run_timed(sim, g) : run_functional(sim, g);
    exec_strays_report(sim->device.strays, warn, sim);
    if (!sim->device.print) fflush(stdout);
  }
  free(g->params);
  free(g);
  return status;
}
