/* Atomic operations, as ptxas 13.0 writes them for sm_90 (found by probes of each operation, type and space).
 *
 * - An operation whose result is not used becomes a reduction.
 * - An operation on an address that all lanes share is executed by one lane for all: sums whose results are used (each lane adds the
 *   values of the lanes before it to the returned value), and reductions of 32 bits, over the lanes by REDUX; of 64 bits sums of a value
 *   that all lanes share. Not so floating-point numbers, exchanges, inc and dec, nor a reduction that adds one in shared memory, which
 *   counts lanes by itself.
 *
 * The second is only a mark: values are those of the operations of all lanes, one after the other. */
#include "ptx/lower/lower.h"

static bool is_one_of(const struct ptx_inst *in, const enum ptx_mod *mods, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (ptx_has(in, mods[i])) return true;
  return false;
}

static void drop_result(struct ptx_inst *in) {
  in->op = PTX_OP_red;
  in->ops++;
  in->n_ops--;
}

static bool result_is_unread(const struct lower_facts *a, const struct ptx_inst *in) {
  static const enum ptx_mod reductions[] = {PTX_M_add, PTX_M_min, PTX_M_max, PTX_M_and, PTX_M_or, PTX_M_xor, PTX_M_inc, PTX_M_dec};
  static const enum ptx_mod ordered[] = {PTX_M_acquire, PTX_M_acq_rel, PTX_M_release};
  if (in->op != PTX_OP_atom || in->n_ops < 3 || in->vec > 1 || in->ops[0].kind != PTX_O_REG) return false;
  if (is_one_of(in, ordered, 3) || !is_one_of(in, reductions, sizeof reductions / sizeof *reductions)) return false;
  return !a->f->regs[in->ops[0].reg].pinned && !lower_n_uses(a, in->ops[0].reg);
}

static bool is_shared_by_lanes(const struct lower_facts *a, const struct ptx_opnd *o) {
  if (o->kind == PTX_O_MEM)
    return o->n_elems && (o->elems[0].kind != PTX_O_REG || !a->divergent[o->elems[0].reg]);
  return o->kind == PTX_O_REG ? !a->divergent[o->reg] : o->kind == PTX_O_INT;
}

static bool is_joined(const struct lower_facts *a, const struct ptx_inst *in) {
  static const enum ptx_mod any[] = {PTX_M_add, PTX_M_min, PTX_M_max, PTX_M_and, PTX_M_or, PTX_M_xor};
  bool reduces = in->op == PTX_OP_red, adds = ptx_has(in, PTX_M_add);
  if ((!reduces && in->op != PTX_OP_atom) || in->vec > 1 || !in->n_types || in->n_ops != (reduces ? 2 : 3)) return false;
  enum ptx_type t = (enum ptx_type)in->types[0];
  const struct ptx_opnd *place = &in->ops[reduces ? 0 : 1], *value = place + 1;
  if (ptx_type_float(t) || ptx_type_bits(t) < 32 || place->kind != PTX_O_MEM || !is_shared_by_lanes(a, place)) return false;
  if (reduces && in->space == PTX_SHARED && adds && value->kind == PTX_O_INT && value->imm == 1) return false;
  if (ptx_type_bits(t) == 64) return adds && is_shared_by_lanes(a, value);
  return reduces ? is_one_of(in, any, sizeof any / sizeof *any) : adds;
}

void lower_atomics(struct ptx_func *f) {
  struct lower_facts a;
  lower_find_facts(&a, f);
  for (uint32_t i = 0; i < f->n_insts; i++) {
    struct ptx_inst *in = &f->insts[i];
    if (result_is_unread(&a, in)) drop_result(in);
    in->joined = is_joined(&a, in);
  }
  lower_free_facts(&a);
}
