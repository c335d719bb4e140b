/* See intervals.h. */
#include "gpu/results/intervals.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

static void mark_occupancy(struct gpu_intervals *v) {
  v->began = *v->now;
  for (uint32_t i = 0; i < v->n_slices; i++) v->occupancy_began[i] = llc_input_occupancy(v->slices[i], *v->now);
}

void gpu_intervals_begin(struct gpu_intervals *v) {
  if (!v->every) return;
  if (!v->before) v->before = must_alloc(stats_count(v->stats) * sizeof *v->before);
  if (!v->occupancy_began) v->occupancy_began = must_alloc(v->n_slices * sizeof *v->occupancy_began);
  stats_snapshot(v->stats, v->before);
  mark_occupancy(v);
  v->first = v->n;
  v->cycle = 0;
}

static double ipc_of(const struct stats *s, const uint64_t *counters, uint64_t cycles) {
  for (size_t i = 0; i < stats_count(s) && cycles; i++)
    if (!strcmp(stats_def(s, i)->name, "sm.thread_instructions")) return (double)counters[i] / (double)cycles;
  return 0;
}

/* Packets in each slice's input buffer, mean over time, of those it can hold. */
static double *utilisation(const struct gpu_intervals *v) {
  double *u = must_alloc(v->n_slices * sizeof *u);
  for (uint32_t i = 0; i < v->n_slices; i++) {
    const struct llc_slice *s = v->slices[i];
    uint64_t cycles = *v->now / s->wake.period - v->began / s->wake.period;
    uint64_t packets = llc_input_occupancy(s, *v->now) - v->occupancy_began[i];
    u[i] = cycles ? (double)packets / (double)cycles / s->in.capacity : 0;
  }
  return u;
}

void gpu_intervals_close(struct gpu_intervals *v, size_t kernel, uint64_t cycle) {
  if (!v->every || cycle == v->cycle) return;
  size_t n = stats_count(v->stats);
  uint64_t *now = must_alloc(n * sizeof *now), *row = must_alloc(n * sizeof *row);
  stats_snapshot(v->stats, now);
  for (size_t i = 0; i < n; i++) row[i] = now[i] - v->before[i];
  memcpy(v->before, now, n * sizeof *now);
  free(now);
  GROW(v->rows, v->cap, v->n + 1);
  v->rows[v->n++] = (struct gpu_interval){.kernel = kernel,
                                          .first_cycle = v->cycle,
                                          .cycles = cycle - v->cycle,
                                          .ipc = ipc_of(v->stats, row, cycle - v->cycle),
                                          .counters = row,
                                          .input_utilisation = utilisation(v)};
  mark_occupancy(v);
  v->cycle = cycle;
}

bool gpu_intervals_stable(const struct gpu_intervals *v, struct err *e) {
  if (v->stable <= 0 || v->n - v->first < GPU_STABLE_INTERVALS) return false;
  const struct gpu_interval *last = &v->rows[v->n - GPU_STABLE_INTERVALS];
  double low = last[0].ipc, high = low, sum = 0;
  for (unsigned i = 0; i < GPU_STABLE_INTERVALS; i++) {
    low = last[i].ipc < low ? last[i].ipc : low;
    high = last[i].ipc > high ? last[i].ipc : high;
    sum += last[i].ipc;
  }
  double mean = sum / GPU_STABLE_INTERVALS;
  if (mean <= 0 || (high - low) / mean * 100 >= v->stable) return false;
  err_set(e, ERR_LIMIT,
          "the run was stopped because IPC is stable: %.2f within %.3g %% over the last %d intervals of %llu "
          "cycles, "
          "from cycle %llu of kernel %zu on",
          mean, v->stable, GPU_STABLE_INTERVALS, (unsigned long long)v->every,
          (unsigned long long)last[0].first_cycle, last[0].kernel);
  return true;
}

void gpu_intervals_free(struct gpu_intervals *v) {
  for (size_t i = 0; i < v->n; i++) {
    free(v->rows[i].counters);
    free(v->rows[i].input_utilisation);
  }
  free(v->occupancy_began);
  free(v->rows);
  free(v->before);
}
