/* See estimate.h. */
#include "gpu/results/estimate.h"

#include "base/arena.h"
#include "cost/energy.h"
#include "gpu/results/report.h"
#include "gpu/sample/segments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CYCLES = SAMPLING_CYCLES, ENERGY, FIRST_STATISTIC };

struct gpu_estimator {
  const struct gpu *gpu;
  struct sampling *sampling;
  struct cost_energy *energy;
  size_t statistics;
  size_t segments; /* which of them are segments of memory */
  double *values;  /* of a launch */
};

struct gpu_estimator *gpu_estimator_new(const struct gpu *g, double error) {
  struct gpu_estimator *e = must_alloc(sizeof *e);
  size_t n = stats_count(gpu_stats(g));
  *e = (struct gpu_estimator){.gpu = g,
                              .sampling = sampling_new(error, FIRST_STATISTIC + n),
                              .energy = cost_energy_new(gpu_config(g), gpu_stats(g)),
                              .statistics = n,
                              .values = must_alloc((FIRST_STATISTIC + n) * sizeof *e->values)};
  while (strcmp(stats_def(gpu_stats(g), e->segments)->name, "sm.segments") != 0) e->segments++;
  return e;
}

void gpu_estimator_delete(struct gpu_estimator *e) {
  if (!e) return;
  sampling_delete(e->sampling);
  cost_energy_delete(e->energy);
  free(e->values);
  free(e);
}

struct sampling *gpu_estimator_sampling(struct gpu_estimator *e) { return e->sampling; }

void gpu_estimator_simulated(struct gpu_estimator *e, size_t group, const struct exec_grid *grid) {
  const struct gpu_kernel *k = gpu_kernel_at(e->gpu, gpu_kernels(e->gpu) - 1);
  struct sampling_size size = {(double)k->warp_instructions,
                               gpu_segments_can_count(grid) ? (double)k->counters[e->segments] : SAMPLING_UNCOUNTED};
  e->values[CYCLES] = (double)k->cycles;
  e->values[ENERGY] = cost_energy_total(e->energy, k->counters, k->cycles);
  for (size_t i = 0; i < e->statistics; i++) e->values[FIRST_STATISTIC + i] = (double)k->counters[i];
  bool sample = sampling_simulated(e->sampling, group, size, e->values);
  if (!sample || !k->doubt) return;
  /* Energy is taken to be as uncertain as the cycles. */
  double energy = k->cycles ? e->values[ENERGY] * k->doubt[0] / (double)k->cycles : 0;
  e->values[CYCLES] = k->doubt[0];
  e->values[ENERGY] = energy;
  for (size_t i = 0; i < e->statistics; i++) e->values[FIRST_STATISTIC + i] = k->doubt[1 + i];
  sampling_doubt(e->sampling, group, e->values);
}

static uint64_t whole(double v) { return v > 0 ? (uint64_t)(v + 0.5) : 0; }

/* A count is never below 0; an interval that is not known has no ends. */
static json_t *interval(struct sampling_estimate e) {
  if (!isfinite(e.half_width)) return json_pack("[f,n,n]", e.value);
  double low = e.value - e.half_width;
  return json_pack("[f,f,f]", e.value, low > 0 ? low : 0, e.value + e.half_width);
}

json_t *gpu_sampling_groups(const struct sampling *sampling) {
  json_t *list = json_array();
  for (size_t i = 0; i < sampling_groups(sampling); i++) {
    struct sampling_counts c = sampling_counts(sampling, i);
    const struct sampling_launch *l = &c.launch;
    const char *by = c.by_segments ? "segments" : "warp_instructions";
    json_array_append_new(list, json_pack("{s:s, s:s?, s:[i,i,i], s:[i,i,i], s:i, s:I, s:I, s:I, s:s}", "kernel", l->kernel, "after",
                                          l->after, "grid", (int)l->grid[0], (int)l->grid[1], (int)l->grid[2], "block",
                                          (int)l->block[0], (int)l->block[1], (int)l->block[2], "shared_bytes", (int)l->shared,
                                          "launches", (json_int_t)c.launches, "simulated", (json_int_t)c.simulated,
                                          "warp_instructions", (json_int_t)whole(c.instructions), "predicted_by", by));
  }
  return list;
}

json_t *gpu_estimator_report(const struct gpu_estimator *e, uint64_t warp_instructions, uint64_t thread_instructions) {
  const struct stats *s = gpu_stats(e->gpu);
  uint64_t *counters = must_alloc(e->statistics * sizeof *counters), launches = 0, simulated = 0;
  json_t *sample = json_object(), *intervals = json_object(), *list = gpu_sampling_groups(e->sampling);
  struct sampling_estimate cycles = sampling_total(e->sampling, CYCLES);
  json_object_set_new(intervals, "cycles", interval(cycles));
  json_object_set_new(intervals, "energy.total", interval(sampling_total(e->sampling, ENERGY)));
  for (size_t i = 0; i < e->statistics; i++) {
    struct sampling_estimate v = sampling_total(e->sampling, FIRST_STATISTIC + i);
    counters[i] = whole(v.value);
    json_object_set_new(intervals, stats_def(s, i)->name, interval(v));
  }
  for (size_t i = 0; i < sampling_groups(e->sampling); i++) {
    launches += sampling_counts(e->sampling, i).launches;
    simulated += sampling_counts(e->sampling, i).simulated;
  }
  json_t *root = gpu_report_of(e->gpu, &(struct gpu_totals){.cycles = whole(cycles.value),
                                                            .warp_instructions = warp_instructions,
                                                            .thread_instructions = thread_instructions,
                                                            .counters = counters});
  free(counters);
  json_object_set_new(sample, "launches", json_integer((json_int_t)launches));
  json_object_set_new(sample, "simulated", json_integer((json_int_t)simulated));
  json_object_set_new(sample, "cycles_simulated", json_integer((json_int_t)gpu_cycles(e->gpu)));
  json_object_set_new(sample, "intervals", intervals);
  json_object_set_new(sample, "groups", list);
  json_object_set_new(root, "sample", sample);
  return root;
}
