// Survey propagation: a number of rounds, each of which fixes the variables that lean most.
#include "common/inputs.h"
#include "common/wl.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

WL_PTX(sp);

// Bytes of shared memory that let an SM of a GTX 480 hold one block, as the original's registers do.
enum { ONE_BLOCK = 25000 };
enum { THREADS = 384, LITERALS = 3, ROUNDS = 2, ITERATIONS = 2, FIXED_OF = 100 };

// The formula and its state, on the host or on the device as the kernels take it.
struct clauses {
  int count;
  int *row, *edge;
  uint8_t *satisfied;
};

struct variables {
  int count;
  int *row, *edge;
  uint8_t *fixed, *value;
  float *bias;
};

struct edges {
  int count;
  int *clause, *variable;
  uint8_t *negated;
  float *survey, *open, *agreed, *forced;
};

struct formula {
  struct clauses c;
  struct variables v;
  struct edges e;
};

struct leaning {
  float bias;
  int variable;
};

// Clauses of three different variables, 4.2 of them a variable: hard, but mostly with a solution.
static struct formula make_formula(struct wl_run *r, int variables) {
  int clauses = variables * 42 / 10, edges = clauses * LITERALS;
  struct formula f = {.c = {clauses, WL_NEW(r, int, clauses + 1), WL_NEW(r, int, edges), WL_NEW(r, uint8_t, clauses)},
                      .v = {variables, WL_NEW(r, int, variables + 1), WL_NEW(r, int, edges), WL_NEW(r, uint8_t, variables),
                            WL_NEW(r, uint8_t, variables), WL_NEW(r, float, variables)},
                      .e = {edges, WL_NEW(r, int, edges), WL_NEW(r, int, edges), WL_NEW(r, uint8_t, edges),
                            wl_floats(r, edges, 0.0f, 1.0f), WL_NEW(r, float, edges), WL_NEW(r, float, edges), WL_NEW(r, float, edges)}};
  for (int e = 0; e < edges; e++) {
    int *own = &f.e.variable[e], place = e % LITERALS;
    do *own = (int)wl_below(&r->rng, (uint32_t)variables);
    while ((place > 0 && *own == own[-1]) || (place > 1 && *own == own[-2]));
    f.e.clause[e] = e / LITERALS;
    f.e.negated[e] = (uint8_t)wl_below(&r->rng, 2);
    f.c.edge[e] = e;
    f.v.row[*own + 1]++;
  }
  for (int c = 0; c <= clauses; c++) f.c.row[c] = c * LITERALS;
  for (int v = 0; v < variables; v++) f.v.row[v + 1] += f.v.row[v];
  int *next = WL_NEW(r, int, variables);
  memcpy(next, f.v.row, (size_t)variables * sizeof *next);
  for (int e = 0; e < edges; e++) f.v.edge[next[f.e.variable[e]]++] = e;
  return f;
}

// The same on the device.
static struct formula copy_formula(struct wl_run *r, const struct formula *f) {
  struct formula d = *f;
#define UP(member, items) d.member = (void *)(uintptr_t)WL_UP(r, f->member, items)
  UP(c.row, f->c.count + 1), UP(c.edge, f->e.count), UP(c.satisfied, f->c.count);
  UP(v.row, f->v.count + 1), UP(v.edge, f->e.count), UP(v.fixed, f->v.count), UP(v.value, f->v.count), UP(v.bias, f->v.count);
  UP(e.clause, f->e.count), UP(e.variable, f->e.count), UP(e.negated, f->e.count), UP(e.survey, f->e.count);
  UP(e.open, f->e.count), UP(e.agreed, f->e.count), UP(e.forced, f->e.count);
#undef UP
  return d;
}

static void make_products(struct formula *f) {
  for (int edge = 0; edge < f->e.count; edge++) {
    int variable = f->e.variable[edge], clause = f->e.clause[edge];
    if (f->c.satisfied[clause] || f->v.fixed[variable]) continue;
    float open = 1.0f, same = 1.0f, opposite = 1.0f;
    for (int i = f->v.row[variable]; i < f->v.row[variable + 1]; i++) {
      int other = f->v.edge[i];
      if (f->c.satisfied[f->e.clause[other]] || f->e.clause[other] == clause) continue;
      float rest = 1.0f - f->e.survey[other];
      open *= rest;
      *(f->e.negated[edge] == f->e.negated[other] ? &same : &opposite) *= rest;
    }
    f->e.open[edge] = open;
    f->e.forced[edge] = (1.0f - opposite) * same;
    f->e.agreed[edge] = (1.0f - same) * opposite;
  }
}

static void make_surveys(struct formula *f) {
  for (int edge = 0; edge < f->e.count; edge++) {
    int clause = f->e.clause[edge];
    if (f->c.satisfied[clause] || f->v.fixed[f->e.variable[edge]]) continue;
    float survey = 1.0f;
    for (int other = f->c.row[clause]; other < f->c.row[clause + 1]; other++) {
      if (other == edge || f->v.fixed[f->e.variable[other]]) continue;
      float sum = f->e.open[other] + f->e.agreed[other] + f->e.forced[other];
      survey *= sum > 0.0f ? f->e.forced[other] / sum : 0.0f;
    }
    f->e.survey[edge] = survey;
  }
}

static void make_bias(struct formula *f) {
  for (int variable = 0; variable < f->v.count; variable++) {
    if (f->v.fixed[variable]) continue;
    float open = 1.0f, plus = 1.0f, minus = 1.0f;
    for (int i = f->v.row[variable]; i < f->v.row[variable + 1]; i++) {
      int edge = f->v.edge[i];
      if (f->c.satisfied[f->e.clause[edge]]) continue;
      open *= 1.0f - f->e.survey[edge];
      *(f->e.negated[edge] ? &minus : &plus) *= 1.0f - f->e.survey[edge];
    }
    float yes = (1.0f - plus) * minus, no = (1.0f - minus) * plus, all = open + yes + no;
    f->v.bias[variable] = all > 0.0f ? fabsf(yes - no) / all : 0.0f;
  }
}

static int by_bias(const void *a, const void *b) {
  const struct leaning *x = a, *y = b;
  if (x->bias < y->bias || x->bias > y->bias) return x->bias < y->bias ? -1 : 1;
  return x->variable - y->variable;
}

// The list on the device, in ascending order of bias.
static void sort_list(struct wl_run *r, CUdeviceptr d_bias, CUdeviceptr d_variable, int count) {
  float *bias = WL_DOWN(r, float, d_bias, count);
  int *variable = WL_DOWN(r, int, d_variable, count);
  struct leaning *list = WL_NEW(r, struct leaning, count);
  for (int i = 0; i < count; i++) list[i] = (struct leaning){bias[i], variable[i]};
  qsort(list, (size_t)count, sizeof *list, by_bias);
  for (int i = 0; i < count; i++) {
    bias[i] = list[i].bias;
    variable[i] = list[i].variable;
  }
  WL_PUT(r, d_bias, bias, count);
  WL_PUT(r, d_variable, variable, count);
}

// One round on the device and on the host. Which variables are fixed, the host takes from the device: equal biases may differ by rounding.
static bool round_of(struct wl_run *r, struct formula *f, struct formula *d) {
  CUdeviceptr d_change = WL_ZEROS(r, float, 1), d_length = WL_ZEROS(r, int, 1), d_total = WL_ZEROS(r, float, 1);
  CUdeviceptr d_list = WL_DEV(r, float, f->v.count), d_variable = WL_DEV(r, int, f->v.count);
  struct wl_dim once = wl_1d(wl_cores(r)), twice = wl_1d(2 * wl_cores(r)), block = wl_1d(THREADS);
  for (int i = 0; i < ITERATIONS; i++) {
    float change = 0.0f;
    WL_LAUNCH(r, "sp_products", once, block, 0, &d->c, &d->v, &d->e);
    WL_PUT(r, d_change, &change, 1);
    WL_LAUNCH(r, "sp_surveys", twice, block, 0, &d->c, &d->v, &d->e, &d_change);
    WL_GET(r, &change, d_change, 1);
    make_products(f);
    make_surveys(f);
  }
  WL_LAUNCH(r, "sp_bias", once, block, ONE_BLOCK, &d->c, &d->v, &d->e, &d_list, &d_variable, &d_length, &d_total);
  make_bias(f);
  bool ok = wl_near_f32(r, "bias", WL_DOWN(r, float, (CUdeviceptr)(uintptr_t)d->v.bias, f->v.count), f->v.bias, f->v.count, 2e-3f, 2e-3f);
  int length, fixed = f->v.count / FIXED_OF;
  WL_GET(r, &length, d_length, 1);
  sort_list(r, d_list, d_variable, length);
  WL_LAUNCH(r, "sp_fix", twice, block, 0, &d->c, &d->v, &d->e, &d_variable, &d_length, &fixed);
  WL_GET(r, f->v.value, (CUdeviceptr)(uintptr_t)d->v.value, f->v.count);
  int *variable = WL_DOWN(r, int, d_variable, length);
  for (int i = length - fixed; i < length; i++) {
    f->v.fixed[variable[i]] = 1;
    for (int k = f->v.row[variable[i]]; k < f->v.row[variable[i] + 1]; k++) {
      int edge = f->v.edge[k];
      if (f->v.value[variable[i]] != f->e.negated[edge]) f->c.satisfied[f->e.clause[edge]] = 1;
    }
  }
  return ok;
}

static bool run(struct wl_run *r) {
  static const int counts[WL_SIZES] = {240, 4000, 40000};
  struct formula f = make_formula(r, counts[r->size]), d = copy_formula(r, &f);
  bool ok = true;
  for (int i = 0; i < ROUNDS; i++) ok = round_of(r, &f, &d) && ok;
  float *survey = WL_DOWN(r, float, (CUdeviceptr)(uintptr_t)d.e.survey, f.e.count);
  ok = wl_near_f32(r, "survey", survey, f.e.survey, f.e.count, 1e-3f, 1e-3f) && ok;
  return wl_same_u8(r, "clause", WL_DOWN(r, uint8_t, (CUdeviceptr)(uintptr_t)d.c.satisfied, f.c.count), f.c.satisfied, f.c.count) && ok;
}

const struct workload wl_sp = {
    .name = "sp",
    .suite = "Lonestar",
    .pattern = "gathers through a random graph of clauses and variables, in both directions",
    .sizes = {"240 variables, 1,008 clauses", "4,000 variables, 16,800 clauses", "40,000 variables, 168,000 clauses"},
    .ptx = wl_ptx_sp,
    .run = run,
};
