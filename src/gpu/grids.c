/* Kernels come and go: a grid is accepted, its time and counters are recorded, and when it has ended, caches are
 * emptied and it is checked that everything that went in has come out.
 *
 * Owns: the record of each launch. Does not: dispatch CTAs (instant.c) or decide whose turn it is (resident.c). */
#include "gpu/gpu_parts.h"
#include "gpu/sample/waves.h"

#include "base/arena.h"
#include "coop/coop.h"
#include "dram/dram.h"
#include "exec/run/cta_cluster.h"
#include "llc/llc.h"
#include "llc/llc_control.h"
#include "probe/probe.h"
#include "sm/sm.h"

#include <stdlib.h>
#include <string.h>

/* Conservation: what went in came out. SMs that were not used have nothing new. */
static bool conserved(const struct gpu *g, struct err *e) {
  uint64_t accesses = 0, parts = 0;
  GPU_FOR_SET (i, g->used_sms, 0, g->n_sms) {
    const uint64_t *l1 = g->sms[i].l1.stats;
    accesses += l1[L1_S_ACCESSES];
    parts += l1[L1_S_HITS] + l1[L1_S_PENDING] + l1[L1_S_MISSES];
  }
  if (accesses != parts)
    return err_set(e, ERR_FAULT, "conservation: l1d.accesses is %llu, but hits, pending hits and misses add up to %llu",
                   (unsigned long long)accesses, (unsigned long long)parts);
  for (uint32_t i = 0; i < g->fabric.n_nets; i++)
    if (!noc_check(g->fabric.net[i], e)) return false;
  for (uint32_t i = 0; i < g->n_slices; i++) {
    if (g->slices_checked[i] == g->slice_stamps[i]) continue; /* nothing has been done since */
    if (!llc_check(g->slices[i], e)) return false;
    g->slices_checked[i] = g->slice_stamps[i];
  }
  for (uint32_t i = 0; i < g->n_channels; i++)
    if (!dram_check(g->channels[i], e)) return false;
  if (g->coop && !coop_check(g->coop, e)) return false;
  if (mem_pool_out(g->pool))
    return err_set(e, ERR_FAULT, "conservation: %zu packets were never answered", mem_pool_out(g->pool));
  return true;
}

/* ---- a grid --------------------------------------------------------------------------------------------------------------------- */

static uint64_t grid_clock(void *user) {
  struct gpu *g = user;
  return g->now / g->core;
}

static void describe_launch(const struct gpu *g, const struct exec_grid *grid, struct gpu_kernel *k) {
  struct err e = {0};
  memcpy(k->grid, grid->grid, sizeof k->grid);
  memcpy(k->block, grid->block, sizeof k->block);
  k->registers = grid->kernel->ptx->regs_needed;
  k->shared = exec_shared_bytes(grid->kernel, grid->dynamic_shared);
  k->ctas_per_sm = sm_occupancy(g->sms[0].config, grid, &e);
}

/* The launch of the last row is added to those of its name; the row is free then. The shape stays that of the first of them. */
static void fold_last(struct gpu *g) {
  struct gpu_kernel *k = &g->kernels[--g->n_kernels], *sum = NULL;
  for (size_t i = 0; i < g->n_folded && !sum; i++)
    if (g->folded[i].program == k->program && !strcmp(g->folded[i].name, k->name)) sum = &g->folded[i];
  if (!sum) {
    GROW(g->folded, g->folded_cap, g->n_folded + 1);
    g->folded[g->n_folded++] = *k;
    free(k->doubt);
    g->folded[g->n_folded - 1].doubt = NULL;
    return;
  }
  sum->launches += k->launches;
  sum->cycles += k->cycles;
  sum->skipped_ctas += k->skipped_ctas;
  sum->beside |= k->beside;
  sum->warp_instructions += k->warp_instructions;
  sum->thread_instructions += k->thread_instructions;
  for (size_t i = 0; i < stats_count(g->stats); i++) sum->counters[i] += k->counters[i];
  free(k->name);
  free(k->counters);
  free(k->doubt);
}

static void record_kernel(struct gpu *g, const struct gpu_resident *r) {
  if (g->row_limit && g->n_kernels > g->row_limit) fold_last(g);
  size_t n = stats_count(g->stats);
  uint64_t *after = must_alloc(n * sizeof *after);
  stats_snapshot(g->stats, after);
  for (size_t i = 0; i < n; i++) after[i] -= r->before[i];
  GROW(g->kernels, g->kernels_cap, g->n_kernels + 1);
  g->kernels[g->n_kernels++] = (struct gpu_kernel){.launches = 1,
                                                   .name = strdup(r->grid->kernel->ptx->name),
                                                   .ticket = r->ticket,
                                                   .start = g->before_run + (r->start - g->start) / g->core,
                                                   .cycles = (r->end - r->start) / g->core,
                                                   .counters = after,
                                                   .beside = r->beside,
                                                   .program = r->program,
                                                   .warp_instructions = r->grid->instructions,
                                                   .thread_instructions = r->grid->thread_instructions};
  describe_launch(g, r->grid, &g->kernels[g->n_kernels - 1]);
}

/* What l1.bypass decides at a kernel's start it decides for all grids of the busy period. */
static void begin_busy_period(struct gpu *g, const struct exec_grid *grid) {
  g->packing.mem = grid->module->mem; /* all grids have the same */
  gpu_pass_to(g, g->now + g->core - g->now % g->core);
  g->start = g->now;
  g->first_kernel = g->n_kernels;
  g->until = MEM_NEVER;
  g->last_change = g->now;
  for (uint32_t i = 0; i < g->n_slices && g->cold_kernels; i++) llc_invalidate(g->slices[i], LLC_EVERY_PROGRAM);
  for (uint32_t i = 0; i < g->n_sms && g->cold_kernels; i++) sm_forget_code(&g->sms[i]);
  llc_control_start(g->llc, g->now);
  for (uint32_t i = 0; i < g->fabric.n_nets; i++) g->fabric.net[i]->gated_since = g->now;
  gpu_intervals_begin(&g->intervals);
  if (g->trace) gpu_trace_period(g->trace, g->now, g->before_run);
  gpu_feedback_begin(&g->feedback, g->before_run, g->now);
  gpu_set_mark(g);
}

static void count_program(struct gpu *g, const struct gpu_resident *r) {
  struct gpu_program *p = &g->programs[r->program].sum;
  p->kernels++;
  p->warp_instructions += r->grid->instructions;
  p->thread_instructions += r->grid->thread_instructions;
  if (!--g->programs[r->program].grids) p->cycles += (r->end - g->programs[r->program].since) / g->core;
}

static void finish_grid(struct gpu *g, struct gpu_resident *r) {
  g->cluster_grids -= exec_cluster_size(r->grid) > 1;
  for (uint32_t i = 0; i < g->n_sms && g->profiling; i++)
    gpu_profile_take(&g->profile, r->grid->module, r->grid->first_pc, g->sms[i].profile);
  if (g->probes) probe_kernel_end(g->probes, &(struct probe_kernel){r->grid->kernel->ptx->name});
  record_kernel(g, r);
  if (r->waves) gpu_waves_predict(r->waves, &g->kernels[g->n_kernels - 1]);
  gpu_waves_delete(r->waves);
  r->waves = NULL;
  count_program(g, r);
  gpu_residents_remove(&g->grids, r);
  g->grids.over--;
  g->dispatch_at = g->grids.n ? g->now : MEM_NEVER;
}

/* Grids that were launched as dependents of one that has ended need not wait any more. */
static void release_dependents(struct gpu *g, uint64_t ticket) {
  for (uint32_t k = 0; k < g->grids.n; k++) {
    struct gpu_resident *r = &g->grids.at[g->grids.order[k]];
    if (r->after != ticket) continue;
    r->after = 0;
    r->grid->held = false;
    for (uint32_t i = 0; i < g->n_sms; i++) sm_release_dependents(&g->sms[i], r->grid, g->now);
  }
}

static bool is_resident(const struct gpu *g, uint64_t ticket) {
  for (uint32_t k = 0; k < g->grids.n; k++)
    if (g->grids.at[g->grids.order[k]].ticket == ticket) return true;
  return false;
}

static void end_busy_period(struct gpu *g, uint64_t cycles) {
  g->before_run += cycles;
  for (uint32_t i = 0; i < g->n_sms && g->profiling; i++) sm_profile_start(&g->sms[i], 0);
  memset(g->used_sms, 0, (g->n_sms + 63) / 64 * sizeof *g->used_sms);
}

static void flush_caches(struct gpu *g, uint32_t program) {
  GPU_FOR_SET (i, g->used_sms, 0, g->n_sms)
    if (g->program_of[i] == program) sm_flush_caches(&g->sms[i]);
}

/* A grid is over. The L1s of its program are emptied, so that later grids see what others wrote; the last one's write-backs arrive. */
static enum gpu_end retire(struct gpu *g, struct gpu_resident *r, struct gpu_finished *f, struct err *e) {
  enum gpu_end end = r->cancelled ? GPU_FAULT : GPU_DONE;
  if (r->cancelled) err_set(e, ERR_FAULT, "%s", r->grid->fault.text);
  else r->end = g->now;
  uint64_t cycles = gpu_cycles_now(g), now = g->now;
  bool last = g->grids.n == 1;
  *f = (struct gpu_finished){.ticket = r->ticket, .cycle = cycles, .cycles = (r->end - r->start) / g->core};
  gpu_settle(g);
  llc_control_end(g->llc, r->program, gpu_has_atomics(r->grid), g->programs[r->program].grids == 1, g->now);
  if (last) gpu_drain(g);
  flush_caches(g, r->program);
  llc_control_flush(g->llc, r->program);
  struct err broken = {0};
  if (last && !conserved(g, &broken)) {
    end = GPU_BROKEN;
    *e = broken; /* more than a fault of the kernel, if there was one */
  }
  if (last) gpu_intervals_close(&g->intervals, g->first_kernel, (now - g->start) / g->core);
  finish_grid(g, r);
  release_dependents(g, f->ticket);
  f->more = g->kernels[g->n_kernels - 1].cycles - f->cycles;
  if (last) end_busy_period(g, cycles);
  g->left = end == GPU_BROKEN;
  return end;
}

/* The run ends in the middle of the grids that are there. */
static void abandon(struct gpu *g, enum gpu_end end, const struct err *e) {
  g->left = true;
  if (end == GPU_STOPPED && !g->stopped) g->stopped = strdup(e->text);
  gpu_settle(g);
  llc_control_abandon(g->llc, g->now);
  gpu_intervals_close(&g->intervals, g->first_kernel, gpu_cycles_now(g));
  while (g->grids.n) {
    struct gpu_resident *r = &g->grids.at[g->grids.order[0]];
    for (uint32_t i = 0; i < g->n_sms; i++)
      sm_unfinished(&g->sms[i], r->grid, &r->grid->instructions, &r->grid->thread_instructions);
    if (!r->cancelled) r->end = g->now;
    g->grids.over += r->running || r->waiting;
    finish_grid(g, r);
  }
  end_busy_period(g, gpu_cycles_now(g));
}

void gpu_abandon(struct gpu *g) {
  if (g->grids.n) abandon(g, GPU_DONE, NULL);
}

void gpu_stop(struct gpu *g, const char *why, struct err *e) {
  enum gpu_end end = gpu_stopped_by(g, why, e);
  if (g->grids.n) abandon(g, end, e);
  else if (!g->stopped) g->stopped = strdup(e->text);
}

bool gpu_has_slot(const struct gpu *g, const struct exec_grid *grid) { return g->grids.n < g->grids.most + grid->awaited; }

static bool acceptable(const struct gpu *g, const struct gpu_launch *l, uint64_t ctas, struct err *e) {
  const struct exec_grid *grid = l->grid;
  if (g->left)
    return err_set(e, ERR_FAULT, "an earlier kernel was left unfinished on this GPU (a deadlock or a limit): nothing more can run on it");
  uint32_t per_sm = sm_occupancy(g->sms[0].config, grid, e);
  if (!per_sm || !exec_grid_clusters(l->grid, e)) return false;
  uint32_t gpc = g->gpc_sms && g->gpc_sms < g->n_sms ? g->gpc_sms : g->n_sms;
  if (exec_cluster_size(grid) > gpc)
    return err_set(e, ERR_LIMIT, "a cluster of %u CTAs: a GPC has %u SMs (gpu.gpc_sms)", exec_cluster_size(grid), gpc);
  uint32_t sms = g->programs[l->program].sum.sms;
  if (!grid->cooperative || (uint64_t)per_sm * sms >= ctas) return true;
  return err_set(e, ERR_LIMIT, "a cooperative launch must be resident as a whole: %u CTAs an SM on %u SMs are possible",
                 per_sm, sms);
}

enum gpu_end gpu_submit(struct gpu *g, const struct gpu_launch *l, uint64_t *ticket, struct err *e) {
  struct exec_grid *grid = l->grid;
  uint64_t ctas = (uint64_t)grid->grid[0] * grid->grid[1] * grid->grid[2];
  if (!acceptable(g, l, ctas, e)) return GPU_REFUSED;
  uint64_t *before = must_alloc(stats_count(g->stats) * sizeof *before);
  if (g->grids.n) gpu_settle(g);
  stats_snapshot(g->stats, before);
  if (!g->grids.n) begin_busy_period(g, grid);
  if (grid->awaited) flush_caches(g, l->program); /* it sees what the CTA that launched it has written */
  llc_control_begin(g->llc, l->program, gpu_has_atomics(grid), g->now);
  grid->timed = true;
  grid->held = l->after && is_resident(g, l->after);
  g->cluster_grids += exec_cluster_size(grid) > 1;
  grid->clock = grid_clock;
  grid->clock_user = g;
  grid->first_pc = gpu_residents_first_pc(&g->grids, grid->module);
  struct gpu_resident *r = gpu_residents_add(&g->grids, l, ctas);
  if (!grid->held) r->after = 0;
  r->before = before;
  r->start = g->now;
  r->waves = gpu_waves_new(g, r);
  r->ready = g->now + g->launch_latency;
  if (!g->programs[r->program].grids++) g->programs[r->program].since = g->now;
  g->dispatch_at = g->now;
  for (uint32_t i = 0; i < g->n_sms && g->profiling; i++) sm_profile_grow(&g->sms[i], grid->first_pc + grid->module->n_insts);
  *ticket = r->ticket;
  return GPU_DONE;
}

void gpu_let_host_act(struct gpu *g, bool yes) { g->host_acts = yes; }

enum gpu_end gpu_advance(struct gpu *g, uint64_t until, struct gpu_finished *f, struct err *e) {
  if (!g->grids.n) return GPU_LATER;
  g->until = until > (MEM_NEVER - g->start) / g->core ? MEM_NEVER : g->start + until * g->core;
  assert(g->until >= g->now);
  gpu_set_mark(g);
  struct gpu_resident *ended = NULL;
  enum gpu_end end = gpu_loop(g, &ended, e);
  if (end == GPU_WAITS || end == GPU_ASKS) f->cycle = gpu_cycles_now(g);
  if (end == GPU_LATER || end == GPU_WAITS || end == GPU_ASKS) return end;
  if (end == GPU_DONE) return retire(g, ended, f, e);
  abandon(g, end, e);
  return end;
}

enum gpu_end gpu_run(struct gpu *g, struct exec_grid *grid, struct err *e) {
  uint64_t ticket;
  struct gpu_finished f;
  enum gpu_end end = gpu_submit(g, &(struct gpu_launch){.grid = grid}, &ticket, e);
  return end == GPU_DONE ? gpu_advance(g, UINT64_MAX, &f, e) : end;
}
