/* How many issue slots the machine instructions of a PTX instruction take, for sm_90: counted in the output of ptxas 13.0 for probes that
 * repeat one instruction, and for pairs of which one becomes part of the other.
 *
 * None: copies, conversions that only rename or that widen for one address, literals that are not stored, negations and absolute values of
 * floating-point operands, a multiplication whose results are only added, a shift whose results are only added to an address, a sum that is
 * added once more (machine additions take three operands), a constant added to an address, one of two instructions that become one.
 * Several: 64-bit integers, which a machine computes in halves (none for a half that is known to be zero), functions that scale their
 * operand before and after, and divisions of 32-bit integers. Sequences of sm.sequence.* (other rounded divisions, roots) count as one here
 * and are charged there.
 *
 * A branch that may divide a warp takes two more, where the sides reconverge (BSSY, BSYNC), unless that is the exit. Branches whose sides
 * reconverge at the same place have these once; if lanes leave a loop one by one they surround the loop. A loop that is left by an exit
 * before its jump (the last in a kernel) keeps the jump and copies each of its 64-bit addresses in every turn, as does a loop with branches
 * in it, and every loop with an address that one instruction uses.
 *
 * A kernel begins with an instruction that fetches its stack pointer. A parameter of 32 bits comes with its neighbour if that is fetched in
 * the same block (lower_params.c); a descriptor of memory is fetched before the first access. */
#include "ptx/lower/lower.h"

#include <stdlib.h>
#include <string.h>

enum { ADDRESS_BITS = 23, MEETING = 2, COPIES = 2, FEW_LITERALS = 4 };

struct count {
  const struct ptx_module *m;
  const struct ptx_func *f;
  struct lower_facts facts;
  uint8_t *slots;
  unsigned n_literals; /* distinct f64 literals with a lower half, up to one more than FEW_LITERALS */
  uint8_t *width;      /* register -> number of its lowest bits that may be nonzero */
  bool *low_zero;      /* register -> its lower half is zero */
  uint32_t *first_to; /* instruction -> the first forward branch whose sides reconverge there */
};

static enum ptx_type type_of(const struct ptx_inst *in) { return in->n_types ? (enum ptx_type)in->types[0] : PTX_NOTYPE; }
static unsigned bits_of(const struct ptx_inst *in) { return ptx_type_bits(type_of(in)); }
static bool is_int(const struct ptx_inst *in) { return in->n_types && !ptx_type_float(type_of(in)) && type_of(in) != PTX_PRED; }
static bool is_literal(const struct ptx_opnd *o) { return o->kind == PTX_O_INT || o->kind == PTX_O_F32 || o->kind == PTX_O_F64; }
static bool is_sum(const struct ptx_inst *in) { return (in->op == PTX_OP_add || in->op == PTX_OP_sub) && is_int(in); }
static bool is_logic(const struct ptx_inst *in) {
  return in->op == PTX_OP_and || in->op == PTX_OP_or || in->op == PTX_OP_xor || in->op == PTX_OP_not;
}

/* The instruction that writes an operand, if there is only one. */
static const struct ptx_inst *made_by(const struct count *c, const struct ptx_opnd *o) {
  if (o->kind != PTX_O_REG || c->facts.writer[o->reg] == LOWER_NONE) return NULL;
  return &c->f->insts[c->facts.writer[o->reg]];
}

static bool is_folded(const struct count *c, const struct ptx_opnd *o) {
  const struct ptx_inst *in = made_by(c, o);
  return in && !c->slots[in - c->f->insts];
}

/* ---- uses ---------------------------------------------------------------------------------------------------------------- */

typedef bool (*use_fn)(const struct ptx_inst *in, int32_t reg);

static bool all_uses(const struct count *c, int32_t reg, use_fn fits) {
  uint32_t n = lower_n_uses(&c->facts, reg);
  if (reg < 0 || !n || c->facts.writes[reg] != 1) return false;
  for (uint32_t i = 0; i < n; i++)
    if (!fits(&c->f->insts[c->facts.uses[c->facts.use_start[reg] + i]], reg)) return false;
  return true;
}

/* Whether the only sum that uses a product has already absorbed another product: a machine instruction multiplies once. */
static bool sum_is_taken(const struct count *c, int32_t reg) {
  const struct ptx_inst *sum = &c->f->insts[c->facts.uses[c->facts.use_start[reg]]];
  for (unsigned i = 1; i < sum->n_ops; i++) {
    const struct ptx_inst *other = sum->ops[i].reg == reg ? NULL : made_by(c, &sum->ops[i]);
    if (other && other->op == PTX_OP_mul && !c->slots[other - c->f->insts]) return true;
  }
  return false;
}

static bool one_use(const struct count *c, int32_t reg, use_fn fits) {
  return reg >= 0 && lower_n_uses(&c->facts, reg) == 1 && all_uses(c, reg, fits);
}

static bool added_32(const struct ptx_inst *in, int32_t reg) {
  (void)reg;
  return is_sum(in) && bits_of(in) == 32;
}
static bool added_64(const struct ptx_inst *in, int32_t reg) {
  (void)reg;
  return is_sum(in) && bits_of(in) == 64;
}
static bool computed_64(const struct ptx_inst *in, int32_t reg) {
  (void)reg;
  return bits_of(in) == 64 && (is_sum(in) || in->op == PTX_OP_mul || in->op == PTX_OP_mad || in->op == PTX_OP_shl);
}
static bool joined_logic(const struct ptx_inst *in, int32_t reg) {
  (void)reg;
  return is_logic(in) && bits_of(in) == 32;
}
static bool joined_predicate(const struct ptx_inst *in, int32_t reg) {
  (void)reg;
  return is_logic(in) && type_of(in) == PTX_PRED;
}
static bool added_float(const struct ptx_inst *in, int32_t reg) {
  (void)reg;
  return (in->op == PTX_OP_add || in->op == PTX_OP_sub) && ptx_type_float(type_of(in)) && !ptx_has(in, PTX_M_rn);
}
static bool is_stored(const struct ptx_inst *in, int32_t reg) {
  (void)reg;
  return in->op == PTX_OP_st;
}
/* Whether the register is used only as the base of an address, not as the stored value. */
static bool is_base(const struct ptx_inst *in, int32_t reg) {
  bool base = false;
  for (uint32_t i = 0; i < in->n_ops; i++) {
    const struct ptx_opnd *o = &in->ops[i];
    if (o->kind == PTX_O_MEM && o->n_elems && o->elems[0].kind == PTX_O_REG && o->elems[0].reg == reg) base = true;
    else if (o->kind == PTX_O_REG && o->reg == reg) return false;
    else
      for (unsigned k = 0; k < o->n_elems; k++)
        if (o->elems[k].reg == reg && o->elems[k].kind == PTX_O_REG) return false;
  }
  return base && !(in->guarded && in->guard == reg);
}

/* ---- kinds of instructions ------------------------------------------------------------------------------------------------- */

/* A copy, within a loop, of a value that is written anew while the copy is needed: both need a register. */
static unsigned slots_of_copy(const struct count *c, const struct ptx_inst *in) {
  uint32_t i = (uint32_t)(in - c->f->insts), end = c->facts.loop_end[i], written = 0;
  int32_t from = in->ops[1].reg, to = lower_result(in);
  if (end == LOWER_NO_LOOP || to == LOWER_NONE || c->facts.writes[from] < 2) return 0;
  for (uint32_t k = i + 1; k < end && !written; k++)
    if (lower_result(&c->f->insts[k]) == from) written = k;
  for (uint32_t k = 0; written && k < lower_n_uses(&c->facts, to); k++)
    if (c->facts.uses[c->facts.use_start[to] + k] > written) return bits_of(in) > 32 ? 2 : 1;
  return 0;
}

static unsigned slots_of_mov(const struct count *c, const struct ptx_inst *in) {
  int32_t to = lower_result(in);
  if (in->op == PTX_OP_cvta || in->n_ops < 2 || type_of(in) == PTX_PRED) return 0;
  switch ((enum ptx_opnd_kind)in->ops[1].kind) {
  case PTX_O_SREG: return 1;
  case PTX_O_VAR: return in->ops[1].sym >= 0 && bits_of(in) == 32 ? 3 : 1; /* the window of shared memory and the CTA's place in it */
  case PTX_O_INT:
  case PTX_O_F32:
  case PTX_O_F64: return to != LOWER_NONE && (c->facts.writes[to] > 1 || (in->ops[1].imm && all_uses(c, to, is_stored)));
  case PTX_O_REG: return slots_of_copy(c, in);
  default: return 0;
  }
}

static bool is_wide_product(const struct count *c, const struct ptx_opnd *o) {
  const struct ptx_inst *in = made_by(c, o);
  return in && in->op == PTX_OP_mul && ptx_has(in, PTX_M_wide);
}

/* A whole number of 8 or 16 bits becomes a floating-point one, or a part of its register does (I2F.S8). */
static bool is_short_to_float(const struct ptx_inst *use, int32_t reg) {
  (void)reg;
  return use->op == PTX_OP_cvt && use->n_types == 2 && ptx_type_float((enum ptx_type)use->types[0]) &&
         !ptx_type_float((enum ptx_type)use->types[1]) && ptx_type_bits((enum ptx_type)use->types[1]) == 16;
}

static unsigned slots_of_cvt(const struct count *c, const struct ptx_inst *in) {
  if (in->n_types < 2) return 1;
  enum ptx_type to = (enum ptx_type)in->types[0], from = (enum ptx_type)in->types[1];
  unsigned wide = ptx_type_bits(to), narrow = ptx_type_bits(from);
  if (ptx_type_float(to) || ptx_type_float(from)) return to == from && ptx_has(in, PTX_M_sat) ? 0 : 1;
  if (wide <= narrow) return 0;
  if (!ptx_type_signed(from)) return 0;
  if (narrow == 8 && one_use(c, lower_result(in), is_short_to_float)) return 0;
  if (wide < 64) return 1;
  if (!one_use(c, lower_result(in), computed_64)) return 1; /* with several uses, one sign for all */
  const struct ptx_inst *use = &c->f->insts[c->facts.uses[c->facts.use_start[lower_result(in)]]];
  return is_sum(use) && (is_wide_product(c, &use->ops[1]) || is_wide_product(c, &use->ops[2])); /* a product is added to a 64-bit value */
}

/* Whether the jump at i follows a guarded branch: with an exit both stay, otherwise the branch is inverted. */
static bool is_after_branch(const struct ptx_func *f, uint32_t i, bool exits) {
  const struct ptx_inst *before = i ? &f->insts[i - 1] : NULL;
  return before && before->op == PTX_OP_bra && before->guarded && lower_ends_at(f, (uint32_t)before->ops[0].sym) == exits;
}

/* Slots for copies of a 64-bit address to which a loop adds a literal. */
static unsigned slots_of_copies(const struct count *c, const struct ptx_inst *in) {
  uint32_t i = (uint32_t)(in - c->f->insts), accesses = 0, end = c->facts.loop_end[i];
  int32_t to = lower_result(in);
  if (end == LOWER_NO_LOOP || in->op != PTX_OP_add || in->ops[1].reg != to || !is_literal(&in->ops[2])) return 0;
  if (!c->f->insts[end].guarded && is_after_branch(c->f, end, true)) return COPIES;
  for (uint32_t k = 0; k < lower_n_uses(&c->facts, to); k++) {
    uint32_t use = c->facts.uses[c->facts.use_start[to] + k];
    if (c->facts.loop_end[use] != end || use == i) continue;
    if (!is_base(&c->f->insts[use], to)) return 0;
    accesses++;
  }
  bool branches = c->f->block_of[end] != c->f->block_of[c->f->insts[end].ops[0].sym];
  return accesses == 1 || (accesses && branches) ? COPIES : 0;
}

static unsigned slots_of_sum(const struct count *c, const struct ptx_inst *in) {
  int32_t to = lower_result(in);
  const struct ptx_opnd *a = &in->ops[1], *b = &in->ops[2];
  if (bits_of(in) < 64) {
    if (is_literal(b) && all_uses(c, to, is_base)) return 0;
    return !(one_use(c, to, added_32) && !is_folded(c, a) && !is_folded(c, b));
  }
  if (is_literal(b) && b->imm >> ADDRESS_BITS == b->imm >> 63 && all_uses(c, to, is_base)) return 0;
  const struct ptx_inst *from[] = {made_by(c, a), made_by(c, b)};
  for (unsigned i = 0; i < 2; i++)
    if (from[i] && from[i]->op == PTX_OP_mul && !c->slots[from[i] - c->f->insts]) return 1;
  return 2 + slots_of_copies(c, in);
}

static unsigned slots_of_mul(const struct count *c, const struct ptx_inst *in) {
  int32_t to = lower_result(in);
  if (ptx_type_float(type_of(in))) {
    bool may_fuse = !ptx_has(in, PTX_M_rn) && !ptx_has(in, PTX_M_rz) && !ptx_has(in, PTX_M_sat);
    return !(in->op == PTX_OP_mul && may_fuse && one_use(c, to, added_float) && !sum_is_taken(c, to));
  }
  if (ptx_has(in, PTX_M_wide)) return !(in->op == PTX_OP_mul && all_uses(c, to, added_64));
  if (in->op == PTX_OP_mul24 || in->op == PTX_OP_mad24) return 2;
  if (bits_of(in) == 64) return ptx_has(in, PTX_M_hi) ? 7 : 4;
  if (ptx_has(in, PTX_M_hi)) return in->op == PTX_OP_mad ? 2 : 1;
  return !(in->op == PTX_OP_mul && bits_of(in) == 32 && one_use(c, to, added_32) && !sum_is_taken(c, to));
}

/* ---- halves of 64 bits that are zero ------------------------------------------------------------------------------------------ */

static unsigned bits_of_number(uint64_t v) { return v ? 64u - (unsigned)__builtin_clzll(v) : 0; }

static unsigned width_of(const struct count *c, const struct ptx_opnd *o) {
  return is_literal(o) ? bits_of_number((uint64_t)o->imm) : o->kind == PTX_O_REG ? c->width[o->reg] : 64;
}

static bool is_zero_half(const struct count *c, const struct ptx_opnd *o, unsigned half) {
  if (is_literal(o)) return !(uint32_t)((uint64_t)o->imm >> 32 * half);
  if (o->kind != PTX_O_REG) return false;
  return half ? c->width[o->reg] <= 32 : c->low_zero[o->reg];
}

/* Slots of an operation on halves: none for a half whose result is zero or equal to an operand. */
static unsigned slots_of_halves(const struct count *c, const struct ptx_inst *in) {
  unsigned n = 0;
  for (unsigned half = 0; half < 2; half++) {
    const struct ptx_opnd *a = &in->ops[1], *b = &in->ops[2];
    bool ones = in->op == PTX_OP_and && is_literal(b) && (uint32_t)((uint64_t)b->imm >> 32 * half) == UINT32_MAX;
    n += !is_zero_half(c, a, half) && !is_zero_half(c, b, half) && !ones;
  }
  return n;
}

static unsigned least_of(unsigned a, unsigned b) { return a < b ? a : b; }

/* Bits that a result may have set, derived from literals, zero-extension, and logic, shifts and products of such values. */
static unsigned width_of_result(const struct count *c, const struct ptx_inst *in) {
  unsigned all = bits_of(in) ? bits_of(in) : 64, a = in->n_ops > 1 ? width_of(c, &in->ops[1]) : 64;
  unsigned b = in->n_ops > 2 ? width_of(c, &in->ops[2]) : 64;
  bool by_literal = in->n_ops > 2 && is_literal(&in->ops[2]) && in->ops[2].imm >= 0 && in->ops[2].imm < 64;
  switch ((enum ptx_op)in->op) {
  case PTX_OP_ld: return all;
  case PTX_OP_cvt: return in->n_types == 2 && !ptx_type_float(type_of(in)) && !ptx_type_signed((enum ptx_type)in->types[1]) &&
                                  !ptx_type_float((enum ptx_type)in->types[1])
                              ? least_of(a, least_of(all, ptx_type_bits((enum ptx_type)in->types[1])))
                              : all;
  case PTX_OP_and: return least_of(a, b);
  case PTX_OP_or:
  case PTX_OP_xor: return a > b ? a : b;
  case PTX_OP_shl: return by_literal ? least_of(a + (unsigned)in->ops[2].imm, all) : all;
  case PTX_OP_shr:
    if (!by_literal || ptx_type_signed(type_of(in))) return all;
    return a > (unsigned)in->ops[2].imm ? a - (unsigned)in->ops[2].imm : 0;
  case PTX_OP_mul:
    if (!ptx_has(in, PTX_M_wide)) return all;
    return ptx_type_signed(type_of(in)) ? 64 : least_of(a + b, 64);
  default: return all;
  }
}

/* Called for the instructions in order. */
static void note_width(struct count *c, const struct ptx_inst *in) {
  int32_t to = lower_result(in);
  if (to == LOWER_NONE || c->facts.writes[to] != 1 || in->guarded) return;
  c->width[to] = (uint8_t)width_of_result(c, in);
  bool logic = in->op == PTX_OP_or || in->op == PTX_OP_xor, shifted = in->op == PTX_OP_shl && is_literal(&in->ops[2]);
  if (bits_of(in) != 64) return;
  if (shifted) c->low_zero[to] = in->ops[2].imm >= 32 || is_zero_half(c, &in->ops[1], 0);
  else if (in->op == PTX_OP_and) c->low_zero[to] = is_zero_half(c, &in->ops[1], 0) || is_zero_half(c, &in->ops[2], 0);
  else if (logic) c->low_zero[to] = is_zero_half(c, &in->ops[1], 0) && is_zero_half(c, &in->ops[2], 0);
}

static unsigned slots_of_shift(const struct count *c, const struct ptx_inst *in) {
  int32_t to = lower_result(in);
  bool literal = is_literal(&in->ops[2]), scales = in->op == PTX_OP_shl && literal;
  if (bits_of(in) != 64) return !(scales && all_uses(c, to, added_32));
  if (scales && all_uses(c, to, added_64)) return 0;
  if (literal && in->ops[2].imm >= 32 && (scales || !ptx_type_signed(type_of(in)))) return in->ops[2].imm > 32;
  bool one_half = scales ? is_zero_half(c, &in->ops[1], 0) : literal && is_zero_half(c, &in->ops[1], 1);
  return one_half ? 1 : 2;
}

static unsigned slots_of_logic(const struct count *c, const struct ptx_inst *in) {
  int32_t to = lower_result(in);
  if (type_of(in) == PTX_PRED) {
    if (in->op == PTX_OP_not) return 0;
    for (unsigned i = 1; i < in->n_ops; i++) {
      const struct ptx_inst *from = made_by(c, &in->ops[i]);
      if (from && from->op == PTX_OP_setp && one_use(c, in->ops[i].reg, joined_predicate)) return 0;
    }
    return 1;
  }
  if (bits_of(in) == 64) return in->op == PTX_OP_not ? 2 : slots_of_halves(c, in);
  bool takes_one = is_folded(c, &in->ops[1]) || (in->n_ops > 2 && is_folded(c, &in->ops[2]));
  return !(one_use(c, to, joined_logic) && !takes_one);
}

/* Sine and cosine of one angle: the first one scales it. */
static unsigned slots_of_angle(const struct count *c, const struct ptx_inst *in) {
  if (in->ops[1].kind != PTX_O_REG) return 2;
  int32_t angle = in->ops[1].reg;
  for (uint32_t i = 0; i < lower_n_uses(&c->facts, angle); i++) {
    const struct ptx_inst *use = &c->f->insts[c->facts.uses[c->facts.use_start[angle] + i]];
    if (use == in) break;
    if ((use->op == PTX_OP_sin || use->op == PTX_OP_cos) && c->facts.writes[angle] == 1) return 1;
  }
  return 2;
}

/* Approximated functions; without .ftz a denormal operand is scaled, and so is the result. */
static unsigned slots_of_function(const struct count *c, const struct ptx_inst *in) {
  bool scaled = !ptx_has(in, PTX_M_ftz) && type_of(in) == PTX_F32;
  switch ((enum ptx_op)in->op) {
  case PTX_OP_ex2:
  case PTX_OP_lg2:
  case PTX_OP_rsqrt: return scaled ? 4 : 1;
  case PTX_OP_sqrt: return scaled && ptx_has(in, PTX_M_approx) ? 4 : 1;
  case PTX_OP_rcp: return type_of(in) == PTX_F64 && ptx_has(in, PTX_M_approx) ? 2 : scaled && ptx_has(in, PTX_M_approx) ? 7 : 1;
  case PTX_OP_sin:
  case PTX_OP_cos: return slots_of_angle(c, in);
  case PTX_OP_div: return ptx_has(in, PTX_M_full) ? 3 : ptx_has(in, PTX_M_approx) ? 2 : 1;
  default: return 1;
  }
}

/* Whether it is a literal, possibly through a copy or a conversion. */
static bool is_constant(const struct count *c, const struct ptx_opnd *o) {
  const struct ptx_inst *in = made_by(c, o);
  while (in && (in->op == PTX_OP_mov || in->op == PTX_OP_cvt) && in->ops[1].kind == PTX_O_REG) in = made_by(c, &in->ops[1]);
  return in ? in->op == PTX_OP_mov && is_literal(&in->ops[1]) : is_literal(o);
}

static bool divides_32(const struct ptx_inst *in) {
  return (in->op == PTX_OP_div || in->op == PTX_OP_rem) && is_int(in) && bits_of(in) == 32;
}

static bool is_loop_of_one_block(const struct count *c, uint32_t i) {
  const struct ptx_block *b = &c->f->blocks[c->f->block_of[i]];
  return lower_in_loop(&c->facts, i) && c->facts.loop_end[i] == b->end - 1 && (uint32_t)c->f->insts[b->end - 1].ops[0].sym == b->first;
}

static bool is_first_divisor(const struct count *c, uint32_t i) {
  int32_t by = c->f->insts[i].ops[2].reg;
  for (uint32_t k = c->f->blocks[c->f->block_of[i]].first; k < i; k++) {
    const struct ptx_inst *before = &c->f->insts[k];
    if (divides_32(before) && !is_constant(c, &before->ops[2]) && before->ops[2].reg != by) return false;
  }
  return true;
}

/* Number of divisions by the same divisor that every path to i passes in the same turn of its loop. */
static unsigned divisions_before(const struct count *c, uint32_t i) {
  unsigned n = 0;
  int32_t by = c->f->insts[i].ops[2].reg;
  for (uint32_t k = i; k-- > 0;) {
    const struct ptx_inst *before = &c->f->insts[k];
    bool same_block = c->f->block_of[k] == c->f->block_of[i];
    if (lower_result(before) == by && same_block) return n;
    if (!divides_32(before) || before->ops[2].kind != PTX_O_REG || before->ops[2].reg != by) continue;
    if (same_block) n++;
    else if (c->facts.writes[by] == 1 && c->facts.loop_end[k] == c->facts.loop_end[i])
      n += lower_comes_by(c->f, c->f->block_of[k], c->f->block_of[i]);
  }
  return n;
}

/* Whether the reciprocal of a divisor is already computed: for a literal; by a division that every path in the same turn passes; or before
 * a loop of one block that divides by it first and does not change it. ptxas does not move the reciprocal out of loops with branches in
 * them, nor use there what was computed before the loop; and of signed divisions in a loop of one block the second computes it again, and
 * the third uses that. */
static bool has_reciprocal(const struct count *c, uint32_t i) {
  const struct ptx_opnd *by = &c->f->insts[i].ops[2];
  if (is_constant(c, by)) return true;
  int32_t writer = c->facts.writer[by->reg];
  bool moved = is_loop_of_one_block(c, i) && is_first_divisor(c, i) && writer != LOWER_NONE &&
               c->facts.loop_end[writer] != c->facts.loop_end[i];
  unsigned before = divisions_before(c, i);
  return moved ? before != 1 || !ptx_type_signed(type_of(&c->f->insts[i])) : before > 0;
}

/* Division of 32-bit integers: the reciprocal as a floating-point number, a product, two corrections; signs. */
static unsigned slots_of_division(const struct count *c, uint32_t i) {
  const struct ptx_inst *in = &c->f->insts[i];
  static const uint8_t slots[2][2][2] = {{{18, 17}, {24, 22}}, {{10, 9}, {15, 12}}}; /* [reciprocal known][signed][remainder] */
  return bits_of(in) != 32 ? 1 : slots[has_reciprocal(c, i)][ptx_type_signed(type_of(in))][in->op == PTX_OP_rem];
}

static unsigned slots_of_quotient(const struct count *c, uint32_t i) {
  const struct ptx_inst *in = &c->f->insts[i];
  return is_int(in) ? slots_of_division(c, i) : slots_of_function(c, in);
}

static bool meets_at_exit(const struct ptx_func *f, uint32_t i) {
  return f->reconverge[i] == PTX_NO_RECONVERGE || lower_ends_at(f, f->reconverge[i]);
}

static bool may_divide(const struct count *c, uint32_t i) {
  const struct ptx_inst *in = &c->f->insts[i];
  return in->op == PTX_OP_bra && in->guarded && c->facts.divergent[in->guard] && !meets_at_exit(c->f, i);
}

static bool is_forward(const struct ptx_func *f, uint32_t i) { return (uint32_t)f->insts[i].ops[0].sym > i; }

static bool leaves_loop(const struct count *c, uint32_t i) {
  return lower_in_loop(&c->facts, i) && c->f->reconverge[i] > c->facts.loop_end[i];
}

static void find_meetings(struct count *c) {
  c->first_to = must_alloc((c->f->n_insts + 1) * sizeof *c->first_to);
  for (uint32_t i = 0; i <= c->f->n_insts; i++) c->first_to[i] = c->f->n_insts;
  for (uint32_t i = c->f->n_insts; i-- > 0;)
    if (may_divide(c, i) && is_forward(c->f, i) && !leaves_loop(c, i)) c->first_to[c->f->reconverge[i]] = i;
}

static unsigned slots_of_branch(const struct count *c, uint32_t i) {
  if (!c->f->insts[i].guarded) return !is_after_branch(c->f, i, false);
  bool meets = may_divide(c, i) && is_forward(c->f, i) && c->first_to[c->f->reconverge[i]] == i;
  return meets ? 1 + MEETING : 1;
}

/* Instructions around loops that lanes leave one by one, as slots of the instruction before each loop. */
static void count_meetings_of_loops(struct count *c) {
  uint32_t counted = c->f->n_insts;
  for (uint32_t i = c->f->n_insts; i-- > 0;) {
    uint32_t end = c->facts.loop_end[i];
    bool leaves = may_divide(c, i) && (is_forward(c->f, i) ? leaves_loop(c, i) : end == i);
    if (!leaves || end == counted) continue;
    uint32_t head = (uint32_t)c->f->insts[end].ops[0].sym;
    counted = end;
    if (head && c->first_to[c->f->reconverge[i]] >= head) c->slots[head - 1] = (uint8_t)(c->slots[head - 1] + MEETING);
  }
}

/* A byte of a register without its sign (PRMT). */
static bool is_byte(const struct ptx_inst *bfe) {
  const struct ptx_opnd *at = &bfe->ops[2], *bits = &bfe->ops[3];
  return type_of(bfe) == PTX_U32 && at->kind == PTX_O_INT && at->imm % 8 == 0 && bits->kind == PTX_O_INT && bits->imm == 8;
}

static unsigned slots_of_arithmetic(const struct count *c, const struct ptx_inst *in) {
  unsigned halves = is_int(in) && bits_of(in) == 64 ? 2 : 1;
  switch ((enum ptx_op)in->op) {
  case PTX_OP_add:
  case PTX_OP_sub: return is_int(in) ? slots_of_sum(c, in) : 1;
  case PTX_OP_mul:
  case PTX_OP_mad:
  case PTX_OP_mul24:
  case PTX_OP_mad24: return slots_of_mul(c, in);
  case PTX_OP_shl:
  case PTX_OP_shr: return slots_of_shift(c, in);
  case PTX_OP_and:
  case PTX_OP_or:
  case PTX_OP_xor:
  case PTX_OP_not: return slots_of_logic(c, in);
  case PTX_OP_neg: return is_int(in) ? halves * !one_use(c, lower_result(in), added_32) : 0;
  case PTX_OP_abs: return is_int(in) ? halves : 0;
  case PTX_OP_min:
  case PTX_OP_max: return halves == 2 ? 4 : 1;
  case PTX_OP_clz: return 2;
  case PTX_OP_bfe: return is_byte(in) ? 1 : is_literal(&in->ops[2]) ? 2 : 3;
  case PTX_OP_bfi: return 2;
  default: return slots_of_function(c, in);
  }
}

/* Slots of the instructions that find the first lane and combine the lanes' values; for a used result also each lane's part of it. A sum of
 * values that differ between lanes is computed by shuffles. */
static unsigned slots_of_joined(const struct count *c, const struct ptx_inst *in) {
  enum { RESULT = 11, DIFFERENT = 21, REDUCED = 4, FURTHER = 2, WIDE = 8 };
  const struct ptx_opnd *value = &in->ops[in->n_ops - 1];
  bool differs = value->kind == PTX_O_REG && c->facts.divergent[value->reg];
  unsigned wide = bits_of(in) == 64 ? WIDE : value->kind == PTX_O_REG ? FURTHER : 0;
  return in->op == PTX_OP_red ? REDUCED + wide : differs ? DIFFERENT : RESULT + wide;
}

/* Bytes and halves of words that are stored together are packed first. */
static unsigned slots_of_packing(const struct ptx_inst *in) {
  if (in->op != PTX_OP_st || in->vec < 2 || bits_of(in) > 16) return 0;
  return bits_of(in) == 8 ? in->vec - 1u : in->vec / 2u;
}

static bool names_literal(const struct ptx_inst *in, int64_t literal) {
  for (uint32_t k = 0; k < in->n_ops; k++)
    if (in->ops[k].kind == PTX_O_F64 && in->ops[k].imm == literal) return ptx_wide_literals(in);
  return false;
}

/* Whether a literal is already in uniform registers: from the same block, or from anywhere if the function has few. */
static bool is_at_hand(const struct count *c, uint32_t i, int64_t literal) {
  bool few = c->n_literals <= FEW_LITERALS;
  if (few && lower_in_loop(&c->facts, i)) return true;
  for (uint32_t k = few ? 0 : c->f->blocks[c->f->block_of[i]].first; k < i; k++)
    if (names_literal(&c->f->insts[k], literal)) return true;
  return false;
}

/* A literal of 64 bits whose lower half is not zero is moved into a pair of uniform registers, before the loop if there are few. */
static unsigned slots_of_literals(const struct count *c, uint32_t i) {
  const struct ptx_inst *in = &c->f->insts[i];
  unsigned n = 0;
  for (uint32_t k = 0; k < in->n_ops && ptx_wide_literals(in); k++)
    n += in->ops[k].kind == PTX_O_F64 && (uint32_t)in->ops[k].imm && !is_at_hand(c, i, in->ops[k].imm);
  return 2 * n;
}

/* Counts the distinct literals of that kind in the function, as far as it matters. */
static void count_literals(struct count *c) {
  int64_t seen[FEW_LITERALS + 1];
  for (uint32_t i = 0; i < c->f->n_insts; i++)
    for (uint32_t k = 0; k < c->f->insts[i].n_ops && c->n_literals <= FEW_LITERALS; k++) {
      const struct ptx_opnd *o = &c->f->insts[i].ops[k];
      bool is_new = o->kind == PTX_O_F64 && (uint32_t)o->imm && ptx_wide_literals(&c->f->insts[i]);
      for (unsigned n = 0; n < c->n_literals; n++) is_new &= seen[n] != o->imm;
      if (is_new) seen[c->n_literals++] = o->imm;
    }
}

/* ---- parameters ------------------------------------------------------------------------------------------------------------ */

/* Whether the parameter of 32 bits fetched at i comes with the preceding one, which is fetched in the same block. */
static bool comes_with_another(const struct count *c, uint32_t i) {
  const struct ptx_inst *in = &c->f->insts[i];
  const struct ptx_block *b = &c->f->blocks[c->f->block_of[i]];
  uint64_t offset = lower_param_offset(c->m, in);
  if (bits_of(in) != 32 || offset % 8 != 4) return false;
  for (uint32_t k = b->first; k < b->end; k++) {
    const struct ptx_inst *other = &c->f->insts[k];
    if (!lower_is_parameter(other) || bits_of(other) != 32 || lower_param_offset(c->m, other) != offset - 4) continue;
    if (lower_n_uses(&c->facts, lower_result(other))) return true;
  }
  return false;
}

/* The descriptor of memory is fetched before the first access, or at the beginning if several paths lead to one. */
static void place_descriptor(struct count *c) {
  uint32_t at = 0, *first_in = must_alloc(c->f->n_blocks * sizeof *first_in);
  for (uint32_t b = 0; b < c->f->n_blocks; b++) first_in[b] = c->f->n_insts;
  for (uint32_t i = c->f->n_insts; i-- > 0;) {
    const struct ptx_inst *in = &c->f->insts[i];
    bool global = in->space == PTX_GLOBAL || in->space == PTX_GENERIC;
    if (ptx_op_family((enum ptx_op)in->op) == PTX_MEMORY && global) first_in[c->f->block_of[i]] = i;
  }
  unsigned blocks = lower_keep_first(c->f, first_in);
  for (uint32_t b = 0; blocks == 1 && b < c->f->n_blocks; b++)
    if (first_in[b] < c->f->n_insts) at = lower_outside_loops(&c->facts, first_in[b]);
  if (blocks) c->slots[at] = (uint8_t)(c->slots[at] + 1);
  free(first_in);
}

static void count_fetches(struct count *c) {
  if (!c->f->is_entry) return;
  for (uint32_t i = 0; i < c->f->n_insts; i++) {
    if (!lower_is_parameter(&c->f->insts[i])) continue;
    if (!lower_n_uses(&c->facts, lower_result(&c->f->insts[i])) || comes_with_another(c, i)) c->slots[i] = 0;
  }
  place_descriptor(c);
  c->slots[0] = (uint8_t)(c->slots[0] + 1); /* the stack pointer */
}

static unsigned slots_without_literals(const struct count *c, uint32_t i) {
  const struct ptx_inst *in = &c->f->insts[i];
  switch (ptx_op_family((enum ptx_op)in->op)) {
  case PTX_MOVE: return in->op == PTX_OP_isspacep ? 1 : slots_of_mov(c, in);
  case PTX_CONVERT: return slots_of_cvt(c, in);
  case PTX_ARITH: return in->op == PTX_OP_div || in->op == PTX_OP_rem ? slots_of_quotient(c, i) : slots_of_arithmetic(c, in);
  case PTX_COMPARE:
    if (in->op == PTX_OP_set) return 2;
    if (in->op == PTX_OP_setp) return is_int(in) && bits_of(in) == 64 ? 2 : 1;
    return bits_of(in) == 64 ? 2 : 1;
  case PTX_CONTROL: return in->op == PTX_OP_bra ? slots_of_branch(c, i) : 1;
  case PTX_MEMORY: return in->joined ? slots_of_joined(c, in) : 1 + slots_of_packing(in);
  case PTX_TEXTURE: return 2; /* its descriptor is moved, or its result is waited for, by another one */
  default: return 1;
  }
}

static unsigned slots_of(const struct count *c, uint32_t i) {
  const struct ptx_inst *in = &c->f->insts[i];
  return in->folded ? 0 : slots_without_literals(c, i) + slots_of_literals(c, i);
}

static void begin_count(struct count *c) {
  lower_find_facts(&c->facts, c->f);
  find_meetings(c);
  count_literals(c);
  c->width = must_alloc(c->f->n_regs + 1);
  c->low_zero = must_alloc((c->f->n_regs + 1) * sizeof *c->low_zero);
  for (uint32_t r = 0; r < c->f->n_regs; r++) c->width[r] = (uint8_t)least_of(64, ptx_type_bits((enum ptx_type)c->f->regs[r].type));
  memset(c->slots, 1, c->f->n_insts);
  for (uint32_t i = 0; i < c->f->n_insts; i++) {
    c->slots[i] = (uint8_t)slots_of(c, i);
    note_width(c, &c->f->insts[i]);
  }
}

static void end_count(struct count *c) {
  lower_free_facts(&c->facts);
  free(c->width);
  free(c->low_zero);
  free(c->first_to);
}

void lower_count_slots(const struct ptx_func *f, uint8_t *slots) {
  struct count c = {.f = f, .slots = slots};
  begin_count(&c);
  end_count(&c);
}

void lower_count_issue(const struct ptx_module *m, const struct ptx_func *f, uint8_t *slots) {
  struct count c = {.m = m, .f = f, .slots = slots};
  begin_count(&c);
  count_meetings_of_loops(&c);
  count_fetches(&c);
  end_count(&c);
}

/* Length in the code of an instruction that is a sequence: as many as are executed. The slow path stands after the function, once. */
static uint32_t length_of(const struct ptx_inst *in, uint8_t slots) {
  enum { DIVISION = 10, DOUBLE = 16, SUBROUTINE = 4 /* 64 bits: moves and a call */ };
  if (!lower_has_slow_path(in)) return slots;
  return !ptx_type_float(type_of(in)) ? SUBROUTINE : bits_of(in) == 64 ? DOUBLE : DIVISION;
}

void lower_place_code(const struct ptx_func *f, const uint8_t *slots, uint32_t *place) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < f->n_insts; i++) {
    place[i] = n;
    n += length_of(&f->insts[i], slots[i]);
  }
  place[f->n_insts] = n;
}
