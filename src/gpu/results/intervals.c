/* See intervals.h. */
#include "gpu/results/intervals.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

const char *const gpu_each_stats[GPU_EACH] = {"sm.issue_slots_used", "l1d.accesses", "l2.accesses", "dram.busy"};

static bool find_stat(const struct stats *s, const char *name, size_t *at) {
  for (size_t i = 0; i < stats_count(s); i++)
    if (!strcmp(stats_def(s, i)->name, name)) return *at = i, true;
  return false;
}

size_t gpu_each_instances(const struct stats *s, unsigned k) {
  size_t at;
  return find_stat(s, gpu_each_stats[k], &at) ? stats_instances(s, at) : 0;
}

static size_t each_count(const struct stats *s) {
  size_t n = 0;
  for (unsigned k = 0; k < GPU_EACH; k++) n += gpu_each_instances(s, k);
  return n;
}

static void each_snapshot(const struct stats *s, uint64_t *out) {
  for (unsigned k = 0; k < GPU_EACH; k++) {
    size_t at;
    if (!find_stat(s, gpu_each_stats[k], &at)) continue;
    for (size_t i = 0; i < stats_instances(s, at); i++) *out++ = stats_instance(s, at, i);
  }
}

/* What each instance has counted since the last time; NULL if nobody asked. */
static uint64_t *each_since(struct gpu_intervals *v) {
  if (!v->by_instance) return NULL;
  size_t n = each_count(v->stats);
  uint64_t *now = must_alloc(n * sizeof *now);
  each_snapshot(v->stats, now);
  for (size_t i = 0; i < n; i++) {
    uint64_t was = v->each_before[i];
    v->each_before[i] = now[i];
    now[i] -= was;
  }
  return now;
}

static void mark_occupancy(struct gpu_intervals *v) {
  v->began = *v->now;
  for (uint32_t i = 0; i < v->n_slices; i++) v->occupancy_began[i] = llc_input_occupancy(v->slices[i], *v->now);
}

void gpu_intervals_begin(struct gpu_intervals *v) {
  if (!v->every) return;
  if (!v->before) v->before = must_alloc(stats_count(v->stats) * sizeof *v->before);
  if (!v->occupancy_began) v->occupancy_began = must_alloc(v->n_slices * sizeof *v->occupancy_began);
  if (v->by_instance && !v->each_before) v->each_before = must_alloc(each_count(v->stats) * sizeof *v->each_before);
  stats_snapshot(v->stats, v->before);
  if (v->by_instance) each_snapshot(v->stats, v->each_before);
  mark_occupancy(v);
  v->first = v->n;
  v->cycle = 0;
}

static double ipc_of(const struct stats *s, const uint64_t *counters, uint64_t cycles) {
  size_t at;
  return cycles && find_stat(s, "sm.thread_instructions", &at) ? (double)counters[at] / (double)cycles : 0;
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

static void free_row(struct gpu_interval *r) {
  free(r->counters);
  free(r->input_utilisation);
  free(r->each);
}

/* Adds the row after it. */
static void take_over(const struct gpu_intervals *v, struct gpu_interval *r, struct gpu_interval *next) {
  double a = (double)r->cycles, b = (double)next->cycles;
  for (size_t i = 0; i < stats_count(v->stats); i++) r->counters[i] += next->counters[i];
  for (size_t i = 0; v->by_instance && i < each_count(v->stats); i++) r->each[i] += next->each[i];
  for (uint32_t i = 0; i < v->n_slices; i++)
    r->input_utilisation[i] = (r->input_utilisation[i] * a + next->input_utilisation[i] * b) / (a + b);
  r->cycles += next->cycles;
  r->ipc = ipc_of(v->stats, r->counters, r->cycles);
  free_row(next);
}

/* Intervals become twice as long, at a moment at which the present kernel has an even number of rows. */
static void lengthen(struct gpu_intervals *v) {
  if (!v->most || v->n < v->most || v->n < 2 * v->lengthened || (v->n - v->first) % 2) return;
  size_t kept = 0, first = 0;
  for (size_t i = 0; i < v->n; i++) {
    if (i == v->first) first = kept;
    v->rows[kept] = v->rows[i];
    struct gpu_interval *r = &v->rows[kept++];
    bool pair = i + 1 < v->n && v->rows[i + 1].kernel == r->kernel && r->first_cycle % (2 * v->every) == 0;
    if (pair) take_over(v, r, &v->rows[++i]);
  }
  v->first = v->first == v->n ? kept : first;
  v->n = v->lengthened = kept;
  v->every *= 2;
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
                                          .input_utilisation = utilisation(v),
                                          .each = each_since(v)};
  mark_occupancy(v);
  v->cycle = cycle;
  lengthen(v);
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
  for (size_t i = 0; i < v->n; i++) free_row(&v->rows[i]);
  free(v->each_before);
  free(v->occupancy_began);
  free(v->rows);
  free(v->before);
}
