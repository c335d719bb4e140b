/* Superfluous jumps: an unguarded branch to the next instruction is removed, and a branch over a jump, "@p bra A; bra B; A:", becomes "@!p
 * bra B". Front ends write both for a choice between two values; the remaining "if" is handled by lower_ifs.c. If A is the end of the
 * kernel, the branch becomes an exit, and the jump stays. */
#include "ptx/lower/lower.h"

#include <stdlib.h>

static bool is_jump(const struct ptx_func *f, uint32_t i) {
  return i < f->n_insts && f->insts[i].op == PTX_OP_bra && !f->insts[i].guarded && !f->insts[i].nounroll;
}

static uint32_t target_of(const struct ptx_func *f, uint32_t i) { return (uint32_t)f->insts[i].ops[0].sym; }

static bool goes_nowhere(const struct ptx_func *f, uint32_t i) { return is_jump(f, i) && target_of(f, i) == i + 1; }

/* `entered`: for each instruction, whether a branch goes there. */
static bool is_over_a_jump(const struct ptx_func *f, uint32_t i, const bool *entered) {
  const struct ptx_inst *in = &f->insts[i];
  if (in->op != PTX_OP_bra || !in->guarded || target_of(f, i) != i + 2 || lower_ends_at(f, i + 2)) return false;
  return is_jump(f, i + 1) && !entered[i + 1];
}

static bool *find_entered(const struct ptx_func *f) {
  bool *entered = must_alloc((f->n_insts + 2) * sizeof *entered);
  for (uint32_t i = 0; i < f->n_insts; i++)
    if (f->insts[i].op == PTX_OP_bra) entered[target_of(f, i)] = true;
  for (uint32_t i = 0; i < f->n_targets; i++)
    for (uint32_t k = 0; !f->targets[i].calls && k < f->targets[i].n; k++) entered[f->targets[i].at[k]] = true;
  return entered;
}

bool lower_jumps(struct ptx_module *m, struct ptx_func *f) {
  bool any = false, *entered = find_entered(f);
  struct lower_list l;
  for (uint32_t i = 0; i < f->n_insts && !any; i++) any = goes_nowhere(f, i) || is_over_a_jump(f, i, entered);
  if (any) {
    lower_begin(&l, m, f);
    for (uint32_t i = 0; i < f->n_insts; i++) {
      lower_here(&l, i);
      if (goes_nowhere(f, i)) continue;
      struct ptx_inst *in = lower_put(&l, &f->insts[i]);
      if (!is_over_a_jump(f, i, entered)) continue;
      in->guard_negate = !in->guard_negate;
      in->ops[0].sym = f->insts[i + 1].ops[0].sym;
      lower_here(&l, ++i);
    }
    lower_end(&l);
  }
  free(entered);
  return any;
}
