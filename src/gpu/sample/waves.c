/* See waves.h. */
#include "gpu/sample/waves.h"

#include "base/arena.h"
#include "exec/run/cta_cluster.h"
#include "exec/run/device_launch.h"
#include "gpu/gpu_parts.h"
#include "gpu/sample/sampling.h"
#include "gpu/sample/warm.h"
#include "sm/sm.h"

#include <stdlib.h>

enum { CYCLES = SAMPLING_CYCLES, FIRST_STATISTIC };
enum { EXECUTED, ENDED, SIZES }; /* the size of a wave: instructions executed while it lasts, or of the CTAs that end in it */

struct gpu_waves {
  struct sampling *sampling[SIZES];
  struct gpu_excess excess; /* of samples behind a cold wave */
  size_t statistics;
  uint64_t wave;           /* CTAs */
  uint64_t total, skipped; /* CTAs: of the grid, and executed without timing */
  uint64_t boundary;       /* simulated CTAs that have ended when the present wave is over */
  uint64_t start, executed, ended; /* of the present wave: time; warp instructions before it, executed and of CTAs that had ended */
  bool cold, behind;       /* the present wave is the first after one that was skipped, or the second */
  uint64_t *before, *now;  /* counters: before it, and space for those after it */
  double *values, *apart;  /* of a wave, and of all that were no samples */
  uint64_t *ctas;          /* of a wave that is skipped */
};

/* ---- which kernels ---- */

/* For what other CTAs do, or for kernels that it launches. */
static bool may_wait(const struct exec_func *f) {
  if (exec_awaits_kernels(&f->module->ptx)) return true;
  for (uint32_t i = 0; i < f->n_insts; i++)
    if (f->insts[i].flags & EXEC_SPIN && f->insts[i].space != PTX_SHARED) return true;
  return false;
}

struct gpu_waves *gpu_waves_new(struct gpu *g, const struct gpu_resident *r) {
  struct err e = {0};
  if (g->wave_error <= 0 || r->grid->cooperative || exec_cluster_size(r->grid) > 1 || gpu_any_function(r->grid, may_wait)) return NULL;
  uint64_t wave = (uint64_t)sm_occupancy(g->sms[0].config, r->grid, &e) * g->programs[r->program].sum.sms;
  if (r->waiting < wave * GPU_FEWEST_WAVES) return NULL;
  struct gpu_waves *w = must_alloc(sizeof *w);
  size_t n = stats_count(g->stats);
  *w = (struct gpu_waves){.statistics = n, .wave = wave, .total = r->waiting, .boundary = wave, .start = g->now};
  w->executed = gpu_instructions(g);
  for (int i = 0; i < SIZES; i++) {
    w->sampling[i] = sampling_new(g->wave_error, FIRST_STATISTIC + n);
    sampling_group(w->sampling[i], &(struct sampling_launch){.kernel = r->grid->kernel->ptx->name});
  }
  w->before = must_alloc(n * sizeof *w->before);
  w->now = must_alloc(n * sizeof *w->now);
  w->values = must_alloc((FIRST_STATISTIC + n) * sizeof *w->values);
  w->apart = must_alloc((FIRST_STATISTIC + n) * sizeof *w->apart);
  w->ctas = must_alloc(wave * sizeof *w->ctas);
  stats_snapshot(g->stats, w->before);
  return w;
}

void gpu_waves_delete(struct gpu_waves *w) {
  if (!w) return;
  for (int i = 0; i < SIZES; i++) sampling_delete(w->sampling[i]);
  free(w->before);
  free(w->now);
  free(w->values);
  free(w->apart);
  free(w->ctas);
  free(w);
}

/* ---- waves ---- */

static struct sampling_size size_of_wave(uint64_t instructions) {
  return (struct sampling_size){(double)instructions, SAMPLING_UNCOUNTED};
}

void gpu_excess_add(struct gpu_excess *e, double instructions) {
  e->n++;
  e->sum += instructions;
  e->squares += instructions * instructions;
}

bool gpu_excess_is_chance(const struct gpu_excess *e) {
  if (e->n < 2) return true;
  double n = (double)e->n, mean = e->sum / n, variance = (e->squares - n * mean * mean) / (n - 1), sure = sampling_student(e->n - 1);
  return mean * mean * n <= sure * sure * variance;
}

static const struct sampling *chosen(const struct gpu_waves *w) {
  return w->sampling[gpu_excess_is_chance(&w->excess) ? EXECUTED : ENDED];
}

static void note_wave(struct gpu_waves *w, uint64_t executed, uint64_t ended, const double *values) {
  if (values && w->behind) gpu_excess_add(&w->excess, (double)executed - (double)ended);
  sampling_over(w->sampling[EXECUTED], 0, size_of_wave(executed), values);
  sampling_over(w->sampling[ENDED], 0, size_of_wave(ended), values);
}

/* A wave of simulated CTAs has ended: it is a sample, unless it came after one that was skipped. */
static void take_sample(struct gpu *g, struct gpu_waves *w, const struct exec_grid *grid) {
  gpu_settle(g);
  stats_snapshot(g->stats, w->now);
  w->values[CYCLES] = (double)(g->now - w->start) / (double)g->core;
  for (size_t i = 0; i < w->statistics; i++) w->values[FIRST_STATISTIC + i] = (double)(w->now[i] - w->before[i]);
  note_wave(w, gpu_instructions(g) - w->executed, grid->instructions - w->ended, w->cold ? NULL : w->values);
  for (size_t i = 0; w->cold && i < FIRST_STATISTIC + w->statistics; i++) w->apart[i] += w->values[i];
  uint64_t *old = w->before;
  w->before = w->now;
  w->now = old;
  w->start = g->now;
  w->executed = gpu_instructions(g);
  w->ended = grid->instructions;
  w->boundary += w->wave;
}

/* Executes the CTAs of the next wave without timing; whole waves, whatever limit of instructions there is. */
static void skip_wave(struct gpu *g, struct gpu_resident *r) {
  struct gpu_waves *w = r->waves;
  uint64_t n = 0, before = r->grid->instructions, threads = r->grid->thread_instructions;
  for (uint32_t sm = 0, refused = 0; n < w->wave && refused < g->n_sms; sm = (sm + 1) % g->n_sms) {
    uint64_t cta = g->grids.sched->next(r->ctas, sm);
    refused = cta == GPU_NO_CTA ? refused + 1 : 0; /* in a row: nobody may have one */
    if (cta != GPU_NO_CTA) w->ctas[n++] = cta;
  }
  struct err e = {0};
  struct exec_device *device = r->grid->device;
  device->observer = gpu_warm_observer(g);
  exec_run_ctas(r->grid, w->ctas, n, &e); /* a fault is the grid's, and is found there */
  device->observer = NULL;
  gpu_count_skipped(g, r->grid->instructions - before, r->grid->thread_instructions - threads);
  r->waiting -= n;
  w->skipped += n;
  w->ended = r->grid->instructions;
  note_wave(w, r->grid->instructions - before, r->grid->instructions - before, NULL);
}

void gpu_waves_look(struct gpu *g, struct gpu_resident *r) {
  struct gpu_waves *w = r->waves;
  uint64_t ended = w->total - w->skipped - r->waiting - r->running;
  if (ended < w->boundary) return;
  bool was_cold = w->cold;
  take_sample(g, w, r->grid);
  w->cold = false;
  w->behind = was_cold;
  while (!was_cold && r->waiting > 2 * w->wave && !r->grid->fault.kind && !gpu_limit_reached(g) && !sampling_wants(chosen(w), 0)) {
    skip_wave(g, r);
    w->cold = true;
  }
}

/* What was simulated is in the record already; of it, waves that were no samples are taken out, since they are predicted too. */
void gpu_waves_predict(const struct gpu_waves *w, struct gpu_kernel *k) {
  if (!w->skipped) return;
  k->skipped_ctas = w->skipped;
  k->doubt = must_alloc((FIRST_STATISTIC + w->statistics) * sizeof *k->doubt);
  for (size_t i = 0; i < FIRST_STATISTIC + w->statistics; i++) {
    struct sampling_estimate e = sampling_missing(chosen(w), i);
    uint64_t *sum = i == CYCLES ? &k->cycles : &k->counters[i - FIRST_STATISTIC];
    double all = (double)*sum - w->apart[i] + e.value;
    *sum = all > 0 ? (uint64_t)(all + 0.5) : 0;
    k->doubt[i] = e.half_width;
  }
}
