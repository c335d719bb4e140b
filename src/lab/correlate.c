/* See correlate.h. */
#include "lab/correlate.h"

#include "base/str.h"
#include "lab/ncu_metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TIME, CYCLES, WARP_INSTRUCTIONS, THREAD_INSTRUCTIONS, L1_HITS, L2_REQUESTS, L2_HITS, FILL_BYTES, DRAM_BYTES };
const struct correlate_quantity correlate_quantities[CORRELATE_QUANTITIES] = {
    [TIME] = {"time", "ns", false, {"gpu__time_duration.sum"}},
    [CYCLES] = {"cycles", "core cycles", false,
             {"sm__cycles_elapsed.max", "gpc__cycles_elapsed.max", "smsp__cycles_elapsed.max"}},
    [WARP_INSTRUCTIONS] = {"warp instructions", "instructions", false,
             {"smsp__inst_executed.sum", "sm__inst_executed.sum"}},
    [THREAD_INSTRUCTIONS] = {"thread instructions", "instructions", false,
             {"smsp__thread_inst_executed_pred_on.sum", "smsp__thread_inst_executed.sum"}},
    [L1_HITS] = {"L1 hit rate", "%", true, {"l1tex__t_sector_hit_rate.pct"}},
    [L2_REQUESTS] = {"L2 requests", "requests", false, {"lts__t_requests_srcunit_tex.sum", "lts__t_requests.sum"}},
    [L2_HITS] = {"L2 hit rate", "%", true, {"lts__t_sector_hit_rate.pct"}},
    [FILL_BYTES] = {"bytes from L2 to L1", "bytes", false, {"l1tex__m_xbar2l1tex_read_bytes.sum"}},
    [DRAM_BYTES] = {"DRAM bytes", "bytes", false, {"dram__bytes.sum"}},
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
  double v = first_of(l, correlate_quantities[quantity].metrics);
  if (!isnan(v) || quantity != DRAM_BYTES) return v;
  return ncu_metric(l, "dram__bytes_read.sum") + ncu_metric(l, "dram__bytes_write.sum");
}

bool correlate_values(const struct correlation *c, size_t pair, unsigned quantity, double *card, double *ours) {
  *card = on_card(c->pairs[pair].card, quantity);
  *ours = ncu_value(c->report, c->pairs[pair].ours, correlate_quantities[quantity].metrics[0]);
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
