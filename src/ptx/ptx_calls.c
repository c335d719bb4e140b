/* Registers needed when calls are taken into account: a function needs at least what any function it calls needs, and a function with calls
 * at least what the calling convention reserves. For calls through a pointer only the latter counts. */
#include "ptx/ptx_reader.h"

#include <stdlib.h>

enum { CONVENTION = 24 }; /* what ptxas allocates for the smallest kernel with a call */

struct calls {
  struct ptx_reader *r;
  uint32_t *start, *callers; /* callers of function i: callers[start[i] .. start[i + 1]) */
};

/* Calls `visit` for each direct call of the module; notes the convention's share for all. */
static void each_call(struct calls *c, void (*visit)(struct calls *c, uint32_t caller, uint32_t callee)) {
  for (uint32_t i = 0; i < c->r->n_funcs; i++) {
    struct ptx_func *f = &c->r->funcs[i];
    for (uint32_t k = 0; k < f->n_insts; k++) {
      const struct ptx_inst *in = &f->insts[k];
      if (in->op != PTX_OP_call) continue;
      if (f->regs_needed < CONVENTION) f->regs_needed = CONVENTION;
      if (in->ops[1].kind == PTX_O_FUNC) visit(c, i, (uint32_t)in->ops[1].sym);
    }
  }
}

static void count_call(struct calls *c, uint32_t caller, uint32_t callee) {
  (void)caller;
  c->start[callee + 2]++;
}

static void note_call(struct calls *c, uint32_t caller, uint32_t callee) {
  c->callers[c->start[callee + 1]++] = caller;
}

struct need {
  uint32_t regs, func;
};

static int by_need(const void *a, const void *b) {
  const struct need *x = a, *y = b;
  if (x->regs != y->regs) return x->regs < y->regs ? 1 : -1;
  return x->func < y->func ? -1 : x->func > y->func;
}

/* The function with the greatest need first: every function that can reach it needs as much and is then done. */
static void spread(struct calls *c, struct need *needs, uint32_t *stack, bool *done) {
  struct ptx_func *funcs = c->r->funcs;
  for (size_t i = 0; i < c->r->n_funcs; i++) {
    uint32_t n = 0;
    if (done[needs[i].func]) continue;
    done[needs[i].func] = true;
    stack[n++] = needs[i].func;
    while (n) {
      uint32_t f = stack[--n];
      if (funcs[f].n_insts) funcs[f].regs_needed = needs[i].regs;
      for (uint32_t k = c->start[f]; k < c->start[f + 1]; k++) {
        if (done[c->callers[k]]) continue;
        done[c->callers[k]] = true;
        stack[n++] = c->callers[k];
      }
    }
  }
}

void ptx_count_calls(struct ptx_reader *r) {
  struct calls c = {.r = r, .start = must_alloc((r->n_funcs + 2) * sizeof(uint32_t))};
  each_call(&c, count_call);
  for (size_t i = 0; i < r->n_funcs; i++) c.start[i + 2] += c.start[i + 1];
  c.callers = must_alloc((c.start[r->n_funcs + 1] + 1) * sizeof *c.callers);
  each_call(&c, note_call);
  struct need *needs = must_alloc((r->n_funcs + 1) * sizeof *needs);
  for (uint32_t i = 0; i < r->n_funcs; i++) needs[i] = (struct need){r->funcs[i].regs_needed, i};
  qsort(needs, r->n_funcs, sizeof *needs, by_need);
  uint32_t *stack = must_alloc((r->n_funcs + 1) * sizeof *stack);
  bool *done = must_alloc(r->n_funcs + 1);
  spread(&c, needs, stack, done);
  void *arrays[] = {c.start, c.callers, needs, stack, done};
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) free(arrays[i]);
}
