/* Probe "sharing": L2 lines by how many clusters of SMs touch them within a window of 1,000 core cycles (adaptive
 * memory-side LLC paper, figure 3). A line counts once in each window in which it is touched. Clusters are groups of
 * neighbouring SMs: those of gpu.clusters if there are 2 to 8 of them, otherwise eight groups that are as equal as
 * possible. Windows start anew when a kernel ends. Reads, writes and atomics of global memory are included. */
#include "base/arena.h"
#include "probe/probe.h"
#include "base/table.h"

#include <stdlib.h>

enum { WINDOW = 1000, GROUPS = 4 };

struct sharing {
  const struct probe_shape *shape;
  struct table lines; /* clusters that touched it, a bit each, uint32_t */
  uint64_t window;          /* number of the present one */
  uint64_t groups[GROUPS];
};

static void *create(const struct probe_shape *shape) {
  struct sharing *s = must_alloc(sizeof *s);
  s->shape = shape;
  return s;
}

static void destroy(void *state) {
  struct sharing *s = state;
  table_free(&s->lines);
  free(s);
}

static void close_window(struct sharing *s) {
  uint64_t line;
  size_t at = 0;
  for (const uint32_t *clusters; (clusters = table_next(&s->lines, &at, &line)) != NULL;) {
    unsigned n = (unsigned)__builtin_popcount(*clusters);
    s->groups[n <= 2 ? n - 1 : n <= 4 ? 2 : 3]++;
  }
  table_clear(&s->lines);
}

static void kernel_end(void *state, const struct probe_kernel *k) {
  (void)k;
  close_window(state);
}

static void request(void *state, const struct mem_packet *k, uint64_t now) {
  struct sharing *s = state;
  if (k->class_ != MEM_GLOBAL) return;
  uint64_t window = now / (s->shape->core_period * WINDOW);
  if (window != s->window) close_window(s);
  s->window = window;
  uint32_t cluster = (uint32_t)((uint64_t)k->sm * s->shape->clusters / s->shape->sms);
  bool is_new;
  *(uint32_t *)table_put(&s->lines, k->line, sizeof(uint32_t), &is_new) |= UINT32_C(1) << cluster;
}

static json_t *report(void *const *states, uint32_t n, const struct probe_shape *shape) {
  static const char *const names[] = {"1", "2", "3-4", "5-8"};
  uint64_t groups[GROUPS] = {0}, all = 0;
  for (uint32_t i = 0; i < n; i++)
    for (unsigned k = 0; k < GROUPS; k++) groups[k] += ((const struct sharing *)states[i])->groups[k];
  for (unsigned k = 0; k < GROUPS; k++) all += groups[k];
  json_t *o = json_object();
  json_object_set_new(o, "clusters", json_integer(shape->clusters));
  json_object_set_new(o, "line_windows", json_integer((json_int_t)all));
  probe_put_shares(o, "touched_by", groups, names, GROUPS);
  json_object_set_new(o, "shared", json_real(probe_ratio(all - groups[0], all)));
  return o;
}

const struct probe probe_sharing = {.name = "sharing",
                                    .meaning = "L2 lines by the number of SM clusters that touch them within 1,000 cycles",
                                    .of_slices = true,
                                    .create = create,
                                    .destroy = destroy,
                                    .events.request = request,
                                    .kernel_end = kernel_end,
                                    .report = report};
