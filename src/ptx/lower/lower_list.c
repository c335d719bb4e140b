/* Rewrites a function's instructions: a list grows while a pass walks over the old ones, and the targets of branches are set when it is
 * complete.
 *
 * A branch that is copied names an old place, and goes to where the instructions of that place have gone; a branch with a target of its own
 * names a place in the new list. */
#include "ptx/lower/lower.h"

#include <stdlib.h>
#include <string.h>

void lower_begin(struct lower_list *l, struct ptx_module *m, struct ptx_func *f) {
  *l = (struct lower_list){.m = m, .f = f};
  l->moved = must_alloc((f->n_insts + 1) * sizeof *l->moved);
}

void lower_here(struct lower_list *l, uint32_t at) { l->moved[at] = (uint32_t)l->n; }

static struct ptx_opnd *copy_operands(struct ptx_module *m, const struct ptx_opnd *ops, size_t n) {
  struct ptx_opnd *to = arena_copy(&m->arena, ops, n * sizeof *ops);
  for (size_t i = 0; i < n; i++)
    if (to[i].n_elems) to[i].elems = copy_operands(m, to[i].elems, to[i].n_elems);
  return to;
}

struct ptx_inst *lower_put(struct lower_list *l, const struct ptx_inst *in) {
  GROW(l->insts, l->cap, l->n + 1);
  GROW(l->aimed, l->cap_aimed, l->n + 1);
  struct ptx_inst *to = &l->insts[l->n];
  *to = *in;
  if (in->op == PTX_OP_bra) to->ops = copy_operands(l->m, in->ops, in->n_ops);
  l->aimed[l->n++] = false;
  return to;
}

uint32_t lower_put_branch(struct lower_list *l, const struct ptx_inst *like, int32_t guard, bool negate, uint32_t to) {
  struct ptx_inst *in = lower_put(l, like);
  in->guarded = guard != LOWER_NONE;
  in->guard = guard;
  in->guard_negate = negate;
  in->nounroll = false;
  lower_aim(l, (uint32_t)l->n - 1, to);
  return (uint32_t)l->n - 1;
}

void lower_aim(struct lower_list *l, uint32_t branch, uint32_t to) {
  l->insts[branch].ops[0].sym = (int32_t)to;
  l->aimed[branch] = true;
}

void lower_end(struct lower_list *l) {
  struct ptx_func *f = l->f;
  l->moved[f->n_insts] = (uint32_t)l->n;
  for (uint32_t i = 0; i < l->n; i++)
    if (l->insts[i].op == PTX_OP_bra && !l->aimed[i]) lower_aim(l, i, l->moved[l->insts[i].ops[0].sym]);
  for (uint32_t i = 0; i < f->n_targets; i++)
    for (uint32_t k = 0; !f->targets[i].calls && k < f->targets[i].n; k++) f->targets[i].at[k] = l->moved[f->targets[i].at[k]];
  f->insts = arena_copy(&l->m->arena, l->insts, l->n * sizeof *l->insts);
  f->n_insts = (uint32_t)l->n;
  ptx_build_cfg(l->m, f);
  memset(f->slots, 0, sizeof f->slots);
  ptx_allocate_slots(f);
  free(l->insts);
  free(l->aimed);
  free(l->moved);
}

int32_t lower_new_reg(struct ptx_module *m, struct ptx_func *f, enum ptx_type t) {
  if (f->n_regs >= f->cap_regs) {
    f->cap_regs = 2 * f->n_regs + 64;
    struct ptx_reg *more = ARENA_ARRAY(&m->arena, struct ptx_reg, f->cap_regs);
    memcpy(more, f->regs, f->n_regs * sizeof *more);
    f->regs = more;
  }
  f->regs[f->n_regs] = (struct ptx_reg){.name = "%lowered", .type = (uint8_t)t, .slot = -1};
  return (int32_t)f->n_regs++;
}

static void rename_operand(struct ptx_opnd *o, const int32_t *by) {
  if (o->kind == PTX_O_REG && o->reg >= 0 && by[o->reg] != LOWER_NONE) o->reg = by[o->reg];
  if ((o->kind == PTX_O_REG || o->kind == PTX_O_VEC || o->kind == PTX_O_SINK) && o->second >= 0 && by[o->second] != LOWER_NONE)
    o->second = by[o->second];
  for (unsigned i = 0; i < o->n_elems; i++) rename_operand(&o->elems[i], by);
}

void lower_rename(struct ptx_module *m, struct ptx_inst *in, const int32_t *by) {
  if (in->op != PTX_OP_bra) in->ops = copy_operands(m, in->ops, in->n_ops);
  for (unsigned i = 0; i < in->n_ops; i++) rename_operand(&in->ops[i], by);
  if (in->guarded && by[in->guard] != LOWER_NONE) in->guard = by[in->guard];
}
