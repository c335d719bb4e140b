// Survey propagation for a fixed number of rounds, and the bias of each variable.
#include "common/inputs.h"
#include "common/wl.h"
#include <math.h>
#include <string.h>

WL_PTX(sp);

enum { THREADS = 256, LITERALS = 3 };

struct problem {
  int variables, clauses, edges;
  int *literal, *row, *edge;
};

struct pair {
  float plain, negated;
};

// Clauses of three different variables, 4.2 of them a variable: hard, but mostly with a solution.
static struct problem make_problem(struct wl_run *r, int variables) {
  struct problem p = {.variables = variables, .clauses = variables * 42 / 10};
  p.edges = p.clauses * LITERALS;
  p.literal = WL_NEW(r, int, p.edges);
  p.row = WL_NEW(r, int, variables + 1);
  p.edge = WL_NEW(r, int, p.edges);
  for (int c = 0; c < p.clauses; c++) {
    int *l = p.literal + c * LITERALS;
    for (int k = 0; k < LITERALS;) {
      l[k] = (int)wl_below(&r->rng, 2 * (uint32_t)variables);
      bool again = (k > 0 && l[k] >> 1 == l[0] >> 1) || (k > 1 && l[k] >> 1 == l[1] >> 1);
      k += !again;
    }
    for (int k = 0; k < LITERALS; k++) p.row[(l[k] >> 1) + 1]++;
  }
  for (int v = 0; v < variables; v++) p.row[v + 1] += p.row[v];
  int *next = WL_NEW(r, int, variables);
  memcpy(next, p.row, (size_t)variables * sizeof *next);
  for (int e = 0; e < p.edges; e++) p.edge[next[p.literal[e] >> 1]++] = e;
  return p;
}

static void make_products(const struct problem *p, const float *survey, struct pair *products) {
  for (int v = 0; v < p->variables; v++) {
    products[v] = (struct pair){1.0f, 1.0f};
    for (int i = p->row[v]; i < p->row[v + 1]; i++) {
      int e = p->edge[i];
      if (p->literal[e] & 1)
        products[v].negated *= 1.0f - survey[e];
      else
        products[v].plain *= 1.0f - survey[e];
    }
  }
}

static void make_surveys(const struct problem *p, const struct pair *products, float *survey) {
  for (int c = 0; c < p->clauses; c++) {
    float against[LITERALS], *own = survey + c * LITERALS;
    for (int k = 0; k < LITERALS; k++) {
      int l = p->literal[c * LITERALS + k];
      const struct pair *v = &products[l >> 1];
      float same = (l & 1 ? v->negated : v->plain) / (1.0f - own[k]),
            opposite = l & 1 ? v->plain : v->negated;
      float forced = (1.0f - opposite) * same, agreed = (1.0f - same) * opposite, open = same * opposite;
      against[k] = forced / (forced + agreed + open + 1e-12f);
    }
    for (int k = 0; k < LITERALS; k++)
      own[k] = fminf(against[(k + 1) % LITERALS] * against[(k + 2) % LITERALS], 0.999f);
  }
}

static bool run(struct wl_run *r) {
  static const struct { int variables, rounds; } shapes[WL_SIZES] = {{1000, 3}, {10000, 6}, {100000, 8}};
  int rounds = shapes[r->size].rounds;
  struct problem p = make_problem(r, shapes[r->size].variables);
  float *survey = wl_floats(r, p.edges, 0.0f, 0.9f);
  CUdeviceptr d_row = WL_UP(r, p.row, p.variables + 1), d_edge = WL_UP(r, p.edge, p.edges);
  CUdeviceptr d_literal = WL_UP(r, p.literal, p.edges), d_survey = WL_UP(r, survey, p.edges);
  CUdeviceptr d_products = WL_DEV(r, struct pair, p.variables), d_bias = WL_DEV(r, float, p.variables);
  CUdeviceptr d_change = WL_ZEROS(r, uint32_t, 1);
  struct wl_dim each_variable = wl_1d(wl_blocks(p.variables, THREADS)), block = wl_1d(THREADS);
  struct pair *products = WL_NEW(r, struct pair, p.variables);
  for (int round = 0; round < rounds; round++) {
    CU(r, cuMemsetD32(d_change, 0, 1));
    WL_LAUNCH(r, "sp_products", each_variable, block, 0, &d_row, &d_edge, &d_literal, &d_survey, &p.variables,
              &d_products);
    WL_LAUNCH(r, "sp_surveys", wl_1d(wl_blocks(p.clauses, THREADS)), block, 0, &d_literal, &d_products,
              &p.clauses, &d_survey, &d_change);
    make_products(&p, survey, products);
    make_surveys(&p, products, survey);
  }
  WL_LAUNCH(r, "sp_bias", each_variable, block, 0, &d_products, &p.variables, &d_bias);
  float *want = WL_NEW(r, float, p.variables);
  for (int v = 0; v < p.variables; v++) {
    float plain = products[v].plain, negated = products[v].negated;
    float yes = (1.0f - plain) * negated, no = (1.0f - negated) * plain;
    want[v] = (yes - no) / (yes + no + plain * negated + 1e-12f);
  }
  bool ok = wl_near_f32(r, "survey", WL_DOWN(r, float, d_survey, p.edges), survey, p.edges, 1e-3f, 1e-3f);
  return wl_near_f32(r, "bias", WL_DOWN(r, float, d_bias, p.variables), want, p.variables, 2e-3f, 2e-3f) &&
         ok;
}

const struct workload wl_sp = {
    .name = "sp",
    .suite = "Lonestar",
    .pattern = "gathers through a random graph of clauses and variables, in both directions",
    .sizes = {"1,000 variables, 4,200 clauses, 3 rounds", "10,000 variables, 42,000 clauses, 6 rounds",
              "100,000 variables, 420,000 clauses, 8 rounds"},
    .ptx = wl_ptx_sp,
    .run = run,
};
