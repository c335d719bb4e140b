/* Decoding of set, setp, selp, slct and testp, and how the bits of a comparison are used if it is not a plain setp: combination with a
 * third predicate, a second result, or a row of truth values. */
#include "exec/compare.h"
#include "exec/lanes/lanes.h"
#include "exec/decode.h"

/* exec_inst.aux of EXEC_CMP_GENERAL. */
struct compare_more {
  struct exec_opnd q;    /* second predicate of setp */
  struct exec_opnd c;    /* combined with the comparison */
  enum ptx_mod bool_op;  /* PTX_M_none: not combined */
  bool to_row;           /* set: d is a row, not a predicate */
  uint32_t yes, yes_too; /* of set: added where the first, the second bit is set */
};

/* ---- the comparison ------------------------------------------------------------------------------------ */

enum { ON_INT = 1, ON_UNSIGNED = 2, ON_BITS = 4, ON_FLOAT = 8 };
static const struct {
  enum ptx_mod mod;
  uint8_t on;
  struct exec_comparison integer, real;
} COMPARISONS[] = {
    {PTX_M_eq, ON_INT | ON_UNSIGNED | ON_BITS | ON_FLOAT, {EXEC_CMP_EQ, 0, 0}, {EXEC_CMP_EQ, 0, 0}},
    {PTX_M_ne, ON_INT | ON_UNSIGNED | ON_BITS | ON_FLOAT, {EXEC_CMP_EQ, 0, 1}, {EXEC_CMP_NE, 0, 0}},
    {PTX_M_lt, ON_INT | ON_UNSIGNED | ON_FLOAT, {EXEC_CMP_LT, 0, 0}, {EXEC_CMP_LT, 0, 0}},
    {PTX_M_le, ON_INT | ON_UNSIGNED | ON_FLOAT, {EXEC_CMP_LT, 1, 1}, {EXEC_CMP_LE, 0, 0}},
    {PTX_M_gt, ON_INT | ON_UNSIGNED | ON_FLOAT, {EXEC_CMP_LT, 1, 0}, {EXEC_CMP_LT, 1, 0}},
    {PTX_M_ge, ON_INT | ON_UNSIGNED | ON_FLOAT, {EXEC_CMP_LT, 0, 1}, {EXEC_CMP_LE, 1, 0}},
    {PTX_M_lo, ON_UNSIGNED, {EXEC_CMP_LT, 0, 0}, {EXEC_CMPS, 0, 0}},
    {PTX_M_ls, ON_UNSIGNED, {EXEC_CMP_LT, 1, 1}, {EXEC_CMPS, 0, 0}},
    {PTX_M_hi, ON_UNSIGNED, {EXEC_CMP_LT, 1, 0}, {EXEC_CMPS, 0, 0}},
    {PTX_M_hs, ON_UNSIGNED, {EXEC_CMP_LT, 0, 1}, {EXEC_CMPS, 0, 0}},
    {PTX_M_equ, ON_FLOAT, {EXEC_CMPS, 0, 0}, {EXEC_CMP_NE, 0, 1}},
    {PTX_M_neu, ON_FLOAT, {EXEC_CMPS, 0, 0}, {EXEC_CMP_EQ, 0, 1}},
    {PTX_M_ltu, ON_FLOAT, {EXEC_CMPS, 0, 0}, {EXEC_CMP_LE, 1, 1}},
    {PTX_M_leu, ON_FLOAT, {EXEC_CMPS, 0, 0}, {EXEC_CMP_LT, 1, 1}},
    {PTX_M_gtu, ON_FLOAT, {EXEC_CMPS, 0, 0}, {EXEC_CMP_LE, 0, 1}},
    {PTX_M_geu, ON_FLOAT, {EXEC_CMPS, 0, 0}, {EXEC_CMP_LT, 0, 1}},
    {PTX_M_num, ON_FLOAT, {EXEC_CMPS, 0, 0}, {EXEC_CMP_NUM, 0, 0}},
    {PTX_M_nan, ON_FLOAT, {EXEC_CMPS, 0, 0}, {EXEC_CMP_NUM, 0, 1}},
};

static unsigned kind_of(enum ptx_type t) {
  if (ptx_type_float(t)) return ON_FLOAT;
  if (t >= PTX_B1 && t <= PTX_B128) return ON_BITS;
  return ptx_type_signed(t) ? ON_INT : ON_UNSIGNED;
}

bool exec_comparison_of(const struct ptx_inst *pi, enum ptx_type t, struct exec_comparison *out) {
  const unsigned kind = kind_of(t);
  for (size_t k = 0; k < sizeof COMPARISONS / sizeof COMPARISONS[0]; k++) {
    if (!ptx_has(pi, COMPARISONS[k].mod)) continue;
    *out = kind == ON_FLOAT ? COMPARISONS[k].real : COMPARISONS[k].integer;
    return (COMPARISONS[k].on & kind) != 0;
  }
  return false;
}

/* ---- execution ----------------------------------------------------------------------------------------- */

static uint32_t combined(uint32_t bits, uint32_t c, enum ptx_mod op) {
  switch (op) {
  case PTX_M_and: return bits & c;
  case PTX_M_or: return bits | c;
  case PTX_M_xor: return bits ^ c;
  default: return bits;
  }
}

void exec_compare_finish(struct exec_warp *w, const struct exec_inst *in, uint32_t first, uint32_t second) {
  const struct compare_more *more = in->aux;
  const uint32_t c = exec_pred(w, more->c);
  first = combined(first, c, more->bool_op);
  second = combined(second, c, more->bool_op);
  if (!more->to_row) {
    exec_set_pred(w, in->d, first);
    exec_set_pred(w, more->q, second);
    return;
  }
  uint32_t *row = exec_row(w, in->d);
  const uint32_t yes = more->yes, yes_too = more->yes_too, mask = w->mask;
  for (unsigned i = 0; i < EXEC_LANES; i++) {
    const uint32_t x = ((first & exec_lane_bit[i]) ? yes : 0) | ((second & exec_lane_bit[i]) ? yes_too : 0), before = row[i];
    row[i] = (mask & exec_lane_bit[i]) ? x : before;
  }
}

/* ---- decoding ------------------------------------------------------------------------------------------ */

static bool is_half(enum ptx_type t) { return t == PTX_F16 || t == PTX_BF16; }
static bool is_packed(enum ptx_type t) { return t == PTX_F16X2 || t == PTX_BF16X2; }

/* The truth value of set.dtype.stype; 0: there is no such set. */
static uint32_t truth_value(enum ptx_type dtype, enum ptx_type stype) {
  switch (dtype) {
  case PTX_U32:
  case PTX_S32: return is_packed(stype) ? 0xffffu : 0xffffffffu;
  case PTX_U16:
  case PTX_S16: return is_half(stype) ? 0xffffu : 0;
  case PTX_F32: return is_half(stype) || is_packed(stype) ? 0 : 0x3f800000u;
  case PTX_F16: return is_packed(stype) ? 0 : 0x3c00u;
  case PTX_BF16: return is_packed(stype) ? 0 : 0x3f80u;
  case PTX_F16X2: return stype == PTX_F16X2 ? 0x3c00u : 0;
  case PTX_BF16X2: return stype == PTX_BF16X2 ? 0x3f80u : 0;
  default: return 0;
  }
}

static enum ptx_mod bool_op_of(const struct ptx_inst *pi) {
  return ptx_has(pi, PTX_M_and)   ? PTX_M_and
         : ptx_has(pi, PTX_M_or)  ? PTX_M_or
         : ptx_has(pi, PTX_M_xor) ? PTX_M_xor
                                  : PTX_M_none;
}

/* Besides the comparison there may be a Boolean operation and .ftz, nothing else. */
static bool modifiers_known(const struct ptx_inst *pi) {
  const unsigned known = 1u + (bool_op_of(pi) != PTX_M_none) + ptx_has(pi, PTX_M_ftz);
  return pi->n_mods == known;
}

static bool decode_more(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  struct compare_more *more = ARENA_NEW(d->arena, struct compare_more);
  const struct ptx_opnd *dest = &pi->ops[0];
  const struct ptx_opnd second = {
      .kind = dest->second < 0 ? PTX_O_SINK : PTX_O_REG, .reg = dest->second, .second = -1};
  *more = (struct compare_more){
      .bool_op = bool_op_of(pi), .c = {.file = EXEC_FNONE}, .to_row = pi->op == PTX_OP_set};
  if (more->to_row) {
    const enum ptx_type stype = (enum ptx_type)pi->types[1];
    more->yes = truth_value((enum ptx_type)pi->types[0], stype);
    if (!more->yes || dest->second >= 0) return exec_refuse(d, pi, "there is no such combination of types");
    if (is_packed(stype)) more->yes_too = more->yes << 16;
  }
  out->aux = more;
  out->sub = EXEC_CMP_GENERAL;
  if (!exec_decode_dest(d, &second, &more->q)) return false;
  return more->bool_op == PTX_M_none || exec_decode_source(d, &pi->ops[3], PTX_PRED, &more->c);
}

static bool is_plain_setp(const struct ptx_inst *pi, enum ptx_type t) {
  return pi->op == PTX_OP_setp && pi->ops[0].second < 0 && bool_op_of(pi) == PTX_M_none && !is_packed(t);
}

static bool decode_comparison(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  if (pi->n_types != (pi->op == PTX_OP_set ? 2 : 1)) return exec_refuse(d, pi, "wrong number of types");
  const enum ptx_type t = (enum ptx_type)pi->types[pi->n_types - 1];
  struct exec_comparison how;
  if (!exec_comparison_of(pi, t, &how) || !modifiers_known(pi))
    return exec_refuse(d, pi, "there is no such comparison for this type");
  if (pi->n_ops != (bool_op_of(pi) == PTX_M_none ? 3 : 4))
    return exec_refuse(d, pi, "wrong number of operands");
  if (!exec_decode_dest(d, &pi->ops[0], &out->d)) return false;
  if (pi->op == PTX_OP_set && out->d.file == EXEC_FNONE)
    return exec_refuse(d, pi, "the destination cannot be '_'");
  if (!exec_decode_source(d, &pi->ops[1], t, how.swap ? &out->b : &out->a)) return false;
  if (!exec_decode_source(d, &pi->ops[2], t, how.swap ? &out->a : &out->b)) return false;
  if (out->a.file == EXEC_FNONE || out->b.file == EXEC_FNONE) return exec_refuse(d, pi, "'_' cannot be read");
  out->imm = how.invert ? EXEC_ALL_LANES : 0;
  out->sub = EXEC_CMP_PREDICATE;
  return is_plain_setp(pi, t) || decode_more(d, pi, out);
}

static bool decode_selection(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  const enum ptx_type t = (enum ptx_type)pi->types[0];
  const enum ptx_type chooser = pi->op == PTX_OP_selp ? PTX_PRED : (enum ptx_type)pi->types[1];
  if (pi->n_ops != 4) return exec_refuse(d, pi, "wrong number of operands");
  if (!exec_decode_dest(d, &pi->ops[0], &out->d) || !exec_decode_source(d, &pi->ops[1], t, &out->a) ||
      !exec_decode_source(d, &pi->ops[2], t, &out->b) ||
      !exec_decode_source(d, &pi->ops[3], chooser, &out->c))
    return false;
  if (out->d.file == EXEC_FNONE) return exec_refuse(d, pi, "the destination cannot be '_'");
  if (out->a.file == EXEC_FNONE || out->b.file == EXEC_FNONE || out->c.file == EXEC_FNONE)
    return exec_refuse(d, pi, "'_' cannot be read");
  return true;
}

static bool decode_test(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  if (!exec_decode_plain(d, pi, (enum ptx_type)pi->types[0], 1, out)) return false;
  return out->a.file != EXEC_FNONE || exec_refuse(d, pi, "'_' cannot be read");
}

bool exec_decode_compare(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  out->unit = EXEC_U_LOGIC;
  out->fn = d->lanes->pick_compare(pi);
  if (!out->fn) return exec_refuse(d, pi, "there is no such combination of type and modifiers");
  switch (pi->op) {
  case PTX_OP_set:
  case PTX_OP_setp: return decode_comparison(d, pi, out);
  case PTX_OP_testp: return decode_test(d, pi, out);
  default: return decode_selection(d, pi, out);
  }
}
