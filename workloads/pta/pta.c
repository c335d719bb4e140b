// Points-to analysis of a made-up program. The smallest sets that meet all constraints are unique, so host
// and device must find the same whatever their order.
#include "common/inputs.h"
#include "common/wl.h"
#include <string.h>

WL_PTX(pta);

enum { THREADS = 256, KINDS = 3 };

enum kind { COPY, LOAD, STORE };

struct constraint {
  int to, from;
};

struct program {
  int variables, words, count[KINDS];
  struct constraint *constraints[KINDS];
  uint32_t *sets; // at first: addresses taken
};

// Variables of one function are neighbours and mostly deal with each other.
static int near(struct wl_run *r, int variable, int variables) {
  if (wl_below(&r->rng, 8) == 0) return (int)wl_below(&r->rng, (uint32_t)variables);
  int other = variable - 16 + (int)wl_below(&r->rng, 33);
  return other < 0 ? 0 : other >= variables ? variables - 1 : other;
}

static struct program make_program(struct wl_run *r, int variables) {
  struct program p = {.variables = variables, .words = variables / 32};
  p.count[COPY] = variables / 2;
  p.count[LOAD] = p.count[STORE] = variables / 8;
  p.sets = WL_NEW(r, uint32_t, (long)variables * p.words);
  for (int k = 0; k < KINDS; k++) {
    p.constraints[k] = WL_NEW(r, struct constraint, p.count[k]);
    for (int i = 0; i < p.count[k]; i++) {
      int to = (int)wl_below(&r->rng, (uint32_t)variables);
      p.constraints[k][i] = (struct constraint){to, near(r, to, variables)};
    }
  }
  for (int i = 0; i < variables / 4; i++) {
    int to = (int)wl_below(&r->rng, (uint32_t)variables), object = near(r, to, variables);
    p.sets[(long)to * p.words + object / 32] |= 1u << object % 32;
  }
  return p;
}

static bool add_set(struct program *p, int to, int from) {
  uint32_t *a = p->sets + (long)to * p->words, *b = p->sets + (long)from * p->words, more = 0;
  for (int w = 0; w < p->words; w++) {
    more |= b[w] & ~a[w];
    a[w] |= b[w];
  }
  return more != 0;
}

static bool apply(struct program *p, enum kind kind, struct constraint c) {
  if (kind == COPY) return add_set(p, c.to, c.from);
  bool changed = false;
  int pointer = kind == LOAD ? c.from : c.to;
  for (int o = 0; o < p->variables; o++) {
    if (!(p->sets[(long)pointer * p->words + o / 32] >> o % 32 & 1)) continue;
    changed |= kind == LOAD ? add_set(p, c.to, o) : add_set(p, o, c.from);
  }
  return changed;
}

static void reference(struct program *p) {
  bool changed;
  do {
    changed = false;
    for (int k = 0; k < KINDS; k++)
      for (int i = 0; i < p->count[k]; i++) changed |= apply(p, (enum kind)k, p->constraints[k][i]);
  } while (changed);
}

static bool run(struct wl_run *r) {
  static const int sizes[WL_SIZES] = {512, 1536, 4096};
  static const char *const kernels[KINDS] = {"pta_copy", "pta_load", "pta_store"};
  struct program p = make_program(r, sizes[r->size]);
  long words = (long)p.variables * p.words;
  CUdeviceptr d_sets = WL_UP(r, p.sets, words), d_changed = WL_DEV(r, int, 1), d_constraints[KINDS];
  for (int k = 0; k < KINDS; k++) d_constraints[k] = WL_UP(r, p.constraints[k], p.count[k]);
  int changed;
  do {
    CU(r, cuMemsetD32(d_changed, 0, 1));
    for (int k = 0; k < KINDS; k++)
      WL_LAUNCH(r, kernels[k], wl_1d(wl_blocks(32L * p.count[k], THREADS)), wl_1d(THREADS), 0, &d_sets,
                &d_constraints[k], &p.count[k], &p.words, &d_changed);
    WL_GET(r, &changed, d_changed, 1);
  } while (changed);
  reference(&p);
  return wl_same_u32(r, "set", WL_DOWN(r, uint32_t, d_sets, words), p.sets, words);
}

const struct workload wl_pta = {
    .name = "pta",
    .suite = "Lonestar",
    .pattern = "a warp a constraint: whole rows of bits at places that the bits of other rows name",
    .sizes = {"512 variables", "1,536 variables", "4,096 variables"},
    .ptx = wl_ptx_pta,
    .run = run,
};
