/* See correlate.h. */
#include "lab/correlate.h"

#include "base/str.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TIME, CYCLES, WARP_INSTRUCTIONS, THREAD_INSTRUCTIONS, L1_HITS, L2_REQUESTS, L2_HITS, FILL_BYTES, DRAM_BYTES };
const struct correlate_quantity correlate_quantities[CORRELATE_QUANTITIES] = {
    [TIME] = {"time", "ns", false},
    [CYCLES] = {"cycles", "core cycles", false},
    [WARP_INSTRUCTIONS] = {"warp instructions", "instructions", false},
    [THREAD_INSTRUCTIONS] = {"thread instructions", "instructions", false},
    [L1_HITS] = {"L1 hit rate", "%", true},
    [L2_REQUESTS] = {"L2 requests", "requests", false},
    [L2_HITS] = {"L2 hit rate", "%", true},
    [FILL_BYTES] = {"bytes from L2 to L1", "bytes", false},
    [DRAM_BYTES] = {"DRAM bytes", "bytes", false},
};

/* ---- matching ------------------------------------------------------------------------------------------------------------ */

enum { MOST_NAME = 256 };

/* The `nth` launch of a name among the report's kernels, or NULL. */
static const json_t *find_ours(const json_t *kernels, const char *name, size_t nth) {
  const json_t *k;
  size_t i;
  char bare[MOST_NAME];
  json_array_foreach(kernels, i, k) {
    ncu_bare_name(json_string_value(json_object_get(k, "name")), bare, sizeof bare);
    if (!strcmp(bare, name) && nth-- == 0) return k;
  }
  return NULL;
}

bool correlate(struct correlation *c, const struct ncu_table *card, const json_t *report, struct err *e) {
  const json_t *kernels = json_object_get(report, "kernels");
  *c = (struct correlation){.report = report};
  struct strmap seen = {0};
  for (size_t i = 0; i < card->n; i++) {
    char bare[MOST_NAME];
    uint32_t nth = 0;
    ncu_bare_name(card->launches[i].kernel, bare, sizeof bare);
    const char *name = arena_strndup(&c->arena, bare, strlen(bare));
    strmap_get(&seen, name, strlen(name), &nth);
    strmap_put(&seen, name, strlen(name), nth + 1);
    const json_t *ours = find_ours(kernels, name, nth);
    if (!ours) {
      c->only_card++;
      continue;
    }
    GROW(c->pairs, c->cap, c->n + 1);
    c->pairs[c->n++] = (struct correlated){name, nth, &card->launches[i], ours};
  }
  strmap_free(&seen);
  c->only_ours = json_array_size(kernels) - c->n;
  return c->n || err_set(e, ERR_INPUT, "no kernel of the table has a launch of the same name in the report: are both of one program?");
}

void correlate_free(struct correlation *c) {
  free(c->pairs);
  arena_free(&c->arena);
}

/* ---- values -------------------------------------------------------------------------------------------------------------- */

static double first_of(const struct ncu_launch *l, const char *const *names) {
  double v = NAN;
  for (; *names && isnan(v); names++) v = ncu_metric(l, *names);
  return v;
}

static double on_card(const struct ncu_launch *l, unsigned quantity) {
  static const char *const names[CORRELATE_QUANTITIES][4] = {
      [TIME] = {"gpu__time_duration.sum"},
      [CYCLES] = {"sm__cycles_elapsed.max", "gpc__cycles_elapsed.max", "smsp__cycles_elapsed.max"},
      [WARP_INSTRUCTIONS] = {"smsp__inst_executed.sum", "sm__inst_executed.sum"},
      [THREAD_INSTRUCTIONS] = {"smsp__thread_inst_executed_pred_on.sum", "smsp__thread_inst_executed.sum"},
      [L1_HITS] = {"l1tex__t_sector_hit_rate.pct"},
      [L2_REQUESTS] = {"lts__t_requests_srcunit_tex.sum", "lts__t_requests.sum"},
      [L2_HITS] = {"lts__t_sector_hit_rate.pct"},
      [FILL_BYTES] = {"l1tex__m_xbar2l1tex_read_bytes.sum"},
      [DRAM_BYTES] = {"dram__bytes.sum"},
  };
  double v = first_of(l, names[quantity]);
  if (!isnan(v) || quantity != DRAM_BYTES) return v;
  return ncu_metric(l, "dram__bytes_read.sum") + ncu_metric(l, "dram__bytes_write.sum");
}

static double number(const json_t *kernel, const char *group, const char *name) {
  const json_t *v = json_object_get(group ? json_object_get(kernel, group) : kernel, name);
  return json_is_number(v) ? json_number_value(v) : NAN;
}

static double core_clock(const json_t *report) {
  const json_t *v = json_object_get(json_object_get(report, "config"), "gpu.core_clock");
  return json_is_string(v) ? strtod(json_string_value(v), NULL) : json_is_number(v) ? json_number_value(v) : NAN;
}

static double on_heddle(const struct correlation *c, const json_t *k, unsigned quantity) {
  double sequence = number(k, "sm", "sequence_slots");
  switch (quantity) {
  case TIME: return number(k, NULL, "cycles") * 1000 / core_clock(c->report);
  case CYCLES: return number(k, NULL, "cycles");
  case WARP_INSTRUCTIONS: return number(k, NULL, "warp_instructions") + (isnan(sequence) ? 0 : sequence);
  case THREAD_INSTRUCTIONS: return number(k, NULL, "thread_instructions");
  case L1_HITS: return 100 * number(k, "l1d", "hits") / number(k, "l1d", "accesses");
  case L2_REQUESTS: return number(k, "l2", "accesses");
  case L2_HITS: return 100 * number(k, "l2", "hits") / number(k, "l2", "accesses");
  case FILL_BYTES: return number(k, "l1d", "fill_bytes");
  default: return number(k, "dram", "bytes");
  }
}

bool correlate_values(const struct correlation *c, size_t pair, unsigned quantity, double *card, double *ours) {
  *card = on_card(c->pairs[pair].card, quantity);
  *ours = on_heddle(c, c->pairs[pair].ours, quantity);
  bool both = isfinite(*card) && isfinite(*ours);
  return both && (correlate_quantities[quantity].is_rate || (*card > 0 && *ours > 0));
}

/* ---- sums ---------------------------------------------------------------------------------------------------------------- */

struct correlate_summary correlate_sum(const struct correlation *c, unsigned quantity) {
  bool rate = correlate_quantities[quantity].is_rate;
  double n = 0, error = 0, ratio = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;
  for (size_t i = 0; i < c->n; i++) {
    double card, ours;
    if (!correlate_values(c, i, quantity, &card, &ours)) continue;
    double a = rate ? card : log(card), b = rate ? ours : log(ours);
    n++;
    error += rate ? fabs(ours - card) : 100 * fabs(ours / card - 1);
    ratio += b - a;
    x += a, y += b, xx += a * a, yy += b * b, xy += a * b;
  }
  double spread = sqrt(fmax(n * xx - x * x, 0)) * sqrt(fmax(n * yy - y * y, 0));
  return (struct correlate_summary){.n = (size_t)n,
                                    .error = n > 0 ? error / n : NAN,
                                    .ratio = n > 0 ? (rate ? ratio / n : exp(ratio / n)) : NAN,
                                    .correlation = n > 1 && spread > 0 ? (n * xy - x * y) / spread : NAN};
}

static double distance(const struct correlation *c, size_t pair) {
  double card, ours;
  if (correlate_values(c, pair, TIME, &card, &ours) || correlate_values(c, pair, CYCLES, &card, &ours)) return fabs(log(ours / card));
  return -1;
}

struct ranked {
  double distance;
  size_t pair;
};

static int farther(const void *a, const void *b) {
  const struct ranked *x = a, *y = b;
  if (x->distance != y->distance) return x->distance < y->distance ? 1 : -1;
  return x->pair < y->pair ? -1 : x->pair > y->pair;
}

void correlate_worst(const struct correlation *c, size_t *order) {
  struct ranked *r = must_alloc((c->n + 1) * sizeof *r);
  for (size_t i = 0; i < c->n; i++) r[i] = (struct ranked){distance(c, i), i};
  qsort(r, c->n, sizeof *r, farther);
  for (size_t i = 0; i < c->n; i++) order[i] = r[i].pair;
  free(r);
}
