/* CTAs: laying out a warp's storage, special registers, and the runner without timing.
 *
 * The functional runner keeps a window of CTAs resident and gives each warp a slice of instructions in turn, so that a
 * CTA may wait for an earlier one; a cooperative grid is resident as a whole. A limit of instructions is kept to the
 * instruction; a wish to stop is heard before every slice. */
#include "exec/exec.h"
#include "exec/observe.h"
#include "exec/warp.h"

#include <stdlib.h>
#include <string.h>

enum { RESIDENT_CTAS = 16, SLICE = 4096 };

uint32_t exec_shared_bytes(const struct exec_func *kernel, uint32_t dynamic_shared) {
  if (!dynamic_shared) return kernel->shared_bytes;
  return exec_round16(kernel->shared_bytes) + dynamic_shared;
}

/* ---- a warp's storage ------------------------------------------------------------------------------------------- */

static uint32_t round64(uint32_t n) { return (n + 63u) & ~63u; }

static uint32_t stack_bytes(const struct exec_grid *g) {
  uint32_t need = g->kernel->stack_bytes;
  return need == UINT32_MAX ? g->device->stack_limit : need;
}

static void lay_out(struct exec_warp *w, const struct exec_grid *g) {
  const struct exec_func *k = g->kernel;
  uint32_t stack = stack_bytes(g), calls = exec_call_param_stride(k->ptx) * EXEC_LANES;
  size_t need = 64 + round64(g->module->sreg_bytes) + round64(calls) + (size_t)stack * EXEC_LANES;
  for (int i = 0; i < 4; i++) need += round64(k->file_bytes[i]);
  if (need > w->storage_bytes) {
    free(w->storage);
    w->storage = must_alloc(need);
    w->storage_bytes = need;
  }
  unsigned char *p = (unsigned char *)(((uintptr_t)w->storage + 63) & ~(uintptr_t)63);
  w->root = (struct exec_frame){.func = k, .stack_top = k->local_bytes};
  for (int i = 0; i < 4; i++) {
    w->root.file[i] = p;
    p += round64(k->file_bytes[i]);
  }
  w->file[EXEC_FSREG] = p;
  w->root.call_params = p + round64(g->module->sreg_bytes);
  w->local = w->root.call_params + round64(calls);
  w->stack_bytes = stack;
}

/* ---- special registers ------------------------------------------------------------------------------------------ */

static uint64_t sreg_value(const struct exec_warp *w, enum ptx_sreg s, uint32_t lane) {
  const struct exec_grid *g = w->grid;
  uint32_t t = w->first_thread + lane;
  switch (s) {
  case PTX_SR_tid_x: return t % g->block[0];
  case PTX_SR_tid_y: return t / g->block[0] % g->block[1];
  case PTX_SR_tid_z: return t / g->block[0] / g->block[1];
  case PTX_SR_ntid_x: return g->block[0];
  case PTX_SR_ntid_y: return g->block[1];
  case PTX_SR_ntid_z: return g->block[2];
  case PTX_SR_ctaid_x: case PTX_SR_clusterid_x: return w->cta->id[0];
  case PTX_SR_ctaid_y: case PTX_SR_clusterid_y: return w->cta->id[1];
  case PTX_SR_ctaid_z: case PTX_SR_clusterid_z: return w->cta->id[2];
  case PTX_SR_nctaid_x: case PTX_SR_nclusterid_x: return g->grid[0];
  case PTX_SR_nctaid_y: case PTX_SR_nclusterid_y: return g->grid[1];
  case PTX_SR_nctaid_z: case PTX_SR_nclusterid_z: return g->grid[2];
  case PTX_SR_cluster_nctaid_x: case PTX_SR_cluster_nctaid_y: case PTX_SR_cluster_nctaid_z:
  case PTX_SR_cluster_nctarank: return 1;
  case PTX_SR_laneid: return lane;
  case PTX_SR_warpid: return w->index;
  case PTX_SR_nwarpid: return g->device->warp_slots;
  case PTX_SR_smid: return w->cta->sm;
  case PTX_SR_nsmid: return g->device->n_sms;
  case PTX_SR_gridid: return g->id;
  case PTX_SR_lanemask_eq: return 1u << lane;
  case PTX_SR_lanemask_le: return (2u << lane) - 1u;
  case PTX_SR_lanemask_lt: return (1u << lane) - 1u;
  case PTX_SR_lanemask_ge: return ~((1u << lane) - 1u);
  case PTX_SR_lanemask_gt: return ~((2u << lane) - 1u);
  case PTX_SR_total_smem_size: case PTX_SR_aggr_smem_size: return w->cta->shared_bytes;
  case PTX_SR_dynamic_smem_size: return g->dynamic_shared;
  /* Cooperative groups find the grid's barrier through these two: high and low half of an address. */
  case PTX_SR_envreg1: return g->workspace >> 32;
  case PTX_SR_envreg2: return (uint32_t)g->workspace;
  default: return 0;
  }
}

/* All of these have 32 bits. */
static bool differs_by_lane(enum ptx_sreg s) {
  switch (s) {
  case PTX_SR_tid_x: case PTX_SR_tid_y: case PTX_SR_tid_z: case PTX_SR_laneid:
  case PTX_SR_lanemask_eq: case PTX_SR_lanemask_le: case PTX_SR_lanemask_lt: case PTX_SR_lanemask_ge: case PTX_SR_lanemask_gt:
    return true;
  default: return false;
  }
}

static void fill_lanes(const struct exec_warp *w, enum ptx_sreg s, uint32_t *row) {
  for (uint32_t lane = 0; lane < EXEC_LANES; lane++) row[lane] = (uint32_t)sreg_value(w, s, lane);
}

static void repeat(void *row, unsigned bytes, uint64_t v) {
  for (uint32_t lane = 0; lane < EXEC_LANES && bytes == 8; lane++) ((uint64_t *)row)[lane] = v;
  for (uint32_t lane = 0; lane < EXEC_LANES && bytes == 4; lane++) ((uint32_t *)row)[lane] = (uint32_t)v;
}

static void fill_sregs(struct exec_warp *w) {
  const struct exec_module *m = w->grid->module;
  for (int s = 0; s < PTX_SREGS; s++) {
    if (m->sreg_offset[s] == EXEC_NO_PC) continue;
    unsigned char *row = w->file[EXEC_FSREG] + m->sreg_offset[s];
    unsigned bytes = ptx_sreg_bits((enum ptx_sreg)s) > 32 ? 8 : 4;
    if (differs_by_lane((enum ptx_sreg)s)) fill_lanes(w, (enum ptx_sreg)s, (uint32_t *)(void *)row);
    else repeat(row, bytes, sreg_value(w, (enum ptx_sreg)s, 0));
  }
  if (m->dynamic_shared_row == EXEC_NO_PC) return;
  uint64_t *row = (uint64_t *)(void *)(w->file[EXEC_FSREG] + m->dynamic_shared_row);
  for (int lane = 0; lane < EXEC_LANES; lane++) row[lane] = exec_round16(w->grid->kernel->shared_bytes);
}

static void start_warp(struct exec_cta *cta, uint32_t i) {
  struct exec_warp *w = &cta->warps[i];
  w->cta = cta;
  w->grid = cta->grid;
  w->index = i;
  w->first_thread = i * EXEC_LANES;
  w->instructions = w->thread_instructions = 0;
  lay_out(w, cta->grid);
  fill_sregs(w);
  uint32_t threads = cta->threads - w->first_thread;
  exec_warp_begin(w, threads >= EXEC_LANES ? EXEC_ALL_LANES : (1u << threads) - 1u);
}

static void release_warps(struct exec_cta *cta) {
  for (uint32_t i = 0; i < cta->warp_capacity; i++) {
    struct exec_warp *w = &cta->warps[i];
    for (struct exec_frame *f = w->frames, *next; f; f = next) {
      next = f->made_before;
      free(f);
    }
    free(w->joins);
    free(w->storage);
  }
  free(cta->warps);
  cta->warps = NULL;
  cta->warp_capacity = 0;
}

void exec_cta_start(struct exec_cta *cta, struct exec_grid *grid, uint64_t linear, uint32_t sm) {
  cta->grid = grid;
  cta->linear_id = linear;
  cta->id[0] = (uint32_t)(linear % grid->grid[0]);
  cta->id[1] = (uint32_t)(linear / grid->grid[0] % grid->grid[1]);
  cta->id[2] = (uint32_t)(linear / grid->grid[0] / grid->grid[1]);
  cta->sm = sm;
  cta->threads = cta->live_threads = grid->block[0] * grid->block[1] * grid->block[2];
  cta->n_warps = cta->live_warps = (cta->threads + EXEC_LANES - 1) / EXEC_LANES;
  cta->shared_bytes = exec_shared_bytes(grid->kernel, grid->dynamic_shared);
  cta->barrier_releases = 0;
  memset(cta->barriers, 0, sizeof cta->barriers);
  if (cta->shared_bytes > cta->shared_capacity) {
    free(cta->shared);
    cta->shared = must_alloc(cta->shared_bytes);
    cta->shared_capacity = cta->shared_bytes;
  }
  if (cta->n_warps > cta->warp_capacity) {
    release_warps(cta);
    cta->warps = must_alloc(cta->n_warps * sizeof *cta->warps);
    cta->warp_capacity = cta->n_warps;
  }
  for (uint32_t i = 0; i < cta->n_warps; i++) start_warp(cta, i);
}

void exec_cta_release(struct exec_cta *cta) {
  release_warps(cta);
  free(cta->shared);
  *cta = (struct exec_cta){0};
}

/* Adds the instructions its warps executed to the grid's counts. */
static void account(struct exec_cta *cta) {
  for (uint32_t i = 0; i < cta->n_warps; i++) {
    cta->grid->instructions += cta->warps[i].instructions;
    cta->grid->thread_instructions += cta->warps[i].thread_instructions;
    cta->warps[i].instructions = cta->warps[i].thread_instructions = 0;
  }
}

/* ---- running without timing ------------------------------------------------------------------------------------- */

static bool stop_requested(const struct exec_limits *l) { return l->stop && __atomic_load_n(l->stop, __ATOMIC_RELAXED); }

/* Instructions that a warp may execute in a row; 0: the run is to end. */
static uint64_t slice_of(const struct exec_limits *l) {
  if (!l) return SLICE;
  if (stop_requested(l)) return 0;
  uint64_t left = l->max_instructions - l->executed;
  return l->max_instructions && left < SLICE ? left : SLICE;
}

/* Gives each warp of the CTA a slice. False on a fault, or when the run is to end. */
static bool run_slice(struct exec_cta *cta) {
  struct exec_limits *l = cta->grid->limits;
  for (uint32_t i = 0; i < cta->n_warps; i++) {
    struct exec_warp *w = &cta->warps[i];
    uint64_t before = w->instructions, slice = w->status == EXEC_RUNNING ? slice_of(l) : SLICE;
    for (uint64_t n = 0; n < slice && w->status == EXEC_RUNNING; n++) exec_step(w);
    if (l) l->executed += w->instructions - before;
    if (!slice || w->status == EXEC_FAULTED) return false;
  }
  return true;
}

static bool report_end(const struct exec_grid *g, struct err *e) {
  if (g->fault.kind != EXEC_FAULT_NONE) return err_set(e, ERR_FAULT, "%s", g->fault.text);
  return err_set(e, ERR_LIMIT, "the run was stopped by %s after %llu warp instructions",
                 stop_requested(g->limits) ? "a signal from outside" : "the limit of instructions",
                 (unsigned long long)g->limits->executed);
}

static bool all_blocked(const struct exec_cta *cta) {
  for (uint32_t i = 0; i < cta->n_warps; i++)
    if (cta->warps[i].status == EXEC_RUNNING) return false;
  return cta->live_warps > 0;
}

static void report_deadlock(struct exec_cta *cta) {
  for (uint32_t i = 0; i < cta->n_warps; i++) {
    struct exec_warp *w = &cta->warps[i];
    if (w->status != EXEC_BLOCKED) continue;
    const struct exec_path *p = w->paths;
    while (p->state != EXEC_P_BARRIER) p++;
    exec_fault(w, &p->frame->func->insts[p->pc - 1], EXEC_FAULT_DEADLOCK, (unsigned)__builtin_ctz(p->mask),
               "barrier %u never completes: %u threads have arrived of %u that it waits for", p->barrier,
               cta->barriers[p->barrier].arrived,
               cta->barriers[p->barrier].expected ? cta->barriers[p->barrier].expected : cta->live_threads);
    return;
  }
}

static void start(struct exec_cta *c, struct exec_grid *g, uint64_t linear) {
  const struct exec_observer *o = g->device->observer;
  exec_cta_start(c, g, linear, (uint32_t)(linear % g->device->n_sms));
  if (o) o->cta_begin(o->user, c);
}

static void end(struct exec_cta *c) {
  const struct exec_observer *o = c->grid->device->observer;
  if (o) o->cta_end(o->user, c);
  account(c);
}

static bool run_window(struct exec_grid *g, struct exec_cta *ctas, uint64_t n, uint64_t total) {
  uint64_t next = 0, running = 0;
  for (; next < n; next++, running++) start(&ctas[next], g, next);
  while (running) {
    for (uint64_t i = 0; i < n; i++) {
      struct exec_cta *c = &ctas[i];
      if (!c->live_warps) continue;
      if (!run_slice(c)) return false;
      if (all_blocked(c)) {
        report_deadlock(c);
        return false;
      }
      if (c->live_warps) continue;
      end(c);
      if (next < total) start(c, g, next++);
      else running--;
    }
  }
  return true;
}

bool exec_run_grid(struct exec_grid *g, struct err *e) {
  uint64_t total = (uint64_t)g->grid[0] * g->grid[1] * g->grid[2];
  uint64_t n = g->cooperative || total < RESIDENT_CTAS ? total : RESIDENT_CTAS;
  struct exec_cta *ctas = must_alloc(n * sizeof *ctas);
  const struct exec_observer *o = g->device->observer;
  if (o) o->grid_begin(o->user, g);
  bool ok = run_window(g, ctas, n, total);
  if (o) o->grid_end(o->user, g);
  for (uint64_t i = 0; i < n; i++) {
    if (ctas[i].live_warps) account(&ctas[i]);
    exec_cta_release(&ctas[i]);
  }
  free(ctas);
  return ok || report_end(g, e);
}
