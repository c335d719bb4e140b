/* Decoding of arithmetic, logic, shift and bit-field instructions: the type of each operand, the pipeline, and the lane file that provides
 * the function. Integer and bit types come from lanes_int.c, f32 and f64 from lanes_float.c, half-precision types from lanes_half.c. A
 * variant that none of them knows is not legal PTX and is refused. */
#include "exec/arith.h"
#include "exec/decode.h"

#include <string.h>

/* The sources of each opcode, one letter each: 0 the instruction's type, a its last type (which differs only in mixed precision), i 32
 * bits, W the type, or with .wide the type twice as wide. */
static const char *const SOURCES[PTX_OPS] = {
    [PTX_OP_abs] = "0",    [PTX_OP_add] = "a0",   [PTX_OP_addc] = "00",   [PTX_OP_and] = "00",
    [PTX_OP_bfe] = "0ii",  [PTX_OP_bfi] = "00ii", [PTX_OP_bfind] = "0",   [PTX_OP_bmsk] = "ii",
    [PTX_OP_brev] = "0",   [PTX_OP_clz] = "0",    [PTX_OP_cnot] = "0",    [PTX_OP_copysign] = "00",
    [PTX_OP_cos] = "0",    [PTX_OP_div] = "00",   [PTX_OP_dp2a] = "iii",  [PTX_OP_dp4a] = "iii",
    [PTX_OP_ex2] = "0",    [PTX_OP_fma] = "aa0",  [PTX_OP_fns] = "iii",   [PTX_OP_lg2] = "0",
    [PTX_OP_lop3] = "000", [PTX_OP_mad] = "00W",  [PTX_OP_mad24] = "000", [PTX_OP_madc] = "00W",
    [PTX_OP_max] = "00",   [PTX_OP_min] = "00",   [PTX_OP_mul] = "00",    [PTX_OP_mul24] = "00",
    [PTX_OP_neg] = "0",    [PTX_OP_not] = "0",    [PTX_OP_or] = "00",     [PTX_OP_popc] = "0",
    [PTX_OP_prmt] = "iii", [PTX_OP_rcp] = "0",    [PTX_OP_rem] = "00",    [PTX_OP_rsqrt] = "0",
    [PTX_OP_sad] = "000",  [PTX_OP_shf] = "iii",  [PTX_OP_shl] = "0i",    [PTX_OP_shr] = "0i",
    [PTX_OP_sin] = "0",    [PTX_OP_sqrt] = "0",   [PTX_OP_sub] = "a0",    [PTX_OP_subc] = "00",
    [PTX_OP_szext] = "0i", [PTX_OP_tanh] = "0",   [PTX_OP_xor] = "00",
};

/* ---- units --------------------------------------------------------------------------------------------- */

static enum exec_unit integer_unit(const struct ptx_inst *pi) {
  switch ((enum ptx_op)pi->op) {
  case PTX_OP_mul:
  case PTX_OP_mul24: return EXEC_U_IMUL;
  case PTX_OP_mad:
  case PTX_OP_madc:
  case PTX_OP_mad24:
  case PTX_OP_dp4a:
  case PTX_OP_dp2a: return EXEC_U_IMAD;
  case PTX_OP_div:
  case PTX_OP_rem: return ptx_type_bits((enum ptx_type)pi->types[0]) == 64 ? EXEC_U_LDIV : EXEC_U_IDIV;
  case PTX_OP_min:
  case PTX_OP_max: return EXEC_U_IMAX;
  case PTX_OP_shl:
  case PTX_OP_shr:
  case PTX_OP_shf:
  case PTX_OP_bfe:
  case PTX_OP_bfi:
  case PTX_OP_bmsk:
  case PTX_OP_szext: return EXEC_U_SHIFT;
  case PTX_OP_popc: /* counting bits runs at the rate of the approximations */
  case PTX_OP_clz:
  case PTX_OP_bfind:
  case PTX_OP_brev:
  case PTX_OP_fns: return EXEC_U_SFU;
  case PTX_OP_and:
  case PTX_OP_or:
  case PTX_OP_xor:
  case PTX_OP_not:
  case PTX_OP_cnot:
  case PTX_OP_lop3:
  case PTX_OP_prmt: return EXEC_U_LOGIC;
  default: return EXEC_U_ALU;
  }
}

static bool approximates(const struct ptx_inst *pi) {
  return ptx_has(pi, PTX_M_approx) || ptx_has(pi, PTX_M_full) || pi->op == PTX_OP_ex2 ||
         pi->op == PTX_OP_lg2 || pi->op == PTX_OP_sin || pi->op == PTX_OP_cos || pi->op == PTX_OP_tanh ||
         pi->op == PTX_OP_rsqrt;
}

static enum exec_unit float_unit(const struct ptx_inst *pi, bool is_double) {
  if (approximates(pi)) return EXEC_U_SFU;
  switch ((enum ptx_op)pi->op) {
  case PTX_OP_mul: return is_double ? EXEC_U_DMUL : EXEC_U_FMUL;
  case PTX_OP_mad:
  case PTX_OP_fma: return is_double ? EXEC_U_DFMA : EXEC_U_FFMA;
  case PTX_OP_rcp: return is_double ? EXEC_U_DRCP : EXEC_U_FDIV;
  case PTX_OP_div:
  case PTX_OP_sqrt: return is_double ? EXEC_U_DDIV : EXEC_U_FDIV;
  case PTX_OP_min:
  case PTX_OP_max: return is_double ? EXEC_U_DMAX : EXEC_U_FMAX;
  default: return is_double ? EXEC_U_DADD : EXEC_U_FADD;
  }
}

/* ---- operands ------------------------------------------------------------------------------------------ */

static enum ptx_type twice_as_wide(enum ptx_type t) {
  switch (t) {
  case PTX_U16: return PTX_U32;
  case PTX_S16: return PTX_S32;
  case PTX_U32: return PTX_U64;
  case PTX_S32: return PTX_S64;
  default: return t;
  }
}

static enum ptx_type source_type(const struct ptx_inst *pi, char letter) {
  const enum ptx_type t = (enum ptx_type)pi->types[0];
  switch (letter) {
  case 'a': return (enum ptx_type)pi->types[pi->n_types - 1];
  case 'i': return PTX_U32;
  case 'W': return ptx_has(pi, PTX_M_wide) ? twice_as_wide(t) : t;
  default: return t;
  }
}

static bool decode_sources(struct exec_decoder *d, const struct ptx_inst *pi, const char *letters,
                           struct exec_opnd *const to[]) {
  for (unsigned k = 0; letters[k]; k++) {
    if (!exec_decode_source(d, &pi->ops[k + 1], source_type(pi, letters[k]), to[k])) return false;
    if (to[k]->file == EXEC_FNONE) return exec_refuse(d, pi, "'_' cannot be read");
  }
  return true;
}

/* The letters of this instruction: minima and maxima of floats may have three sources. */
static const char *sources_of(const struct ptx_inst *pi) {
  const bool three = (pi->op == PTX_OP_min || pi->op == PTX_OP_max) && pi->n_ops == 4;
  return three && ptx_type_float((enum ptx_type)pi->types[0]) ? "000" : SOURCES[pi->op];
}

static bool decode_operands(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  const char *letters = sources_of(pi);
  struct exec_opnd *to[] = {&out->a, &out->b, &out->c, NULL};
  if (pi->n_ops != strlen(letters) + 1) return exec_refuse(d, pi, "wrong number of operands");
  if (strlen(letters) == 4) {
    struct exec_arith_more *more = ARENA_NEW(d->arena, struct exec_arith_more);
    to[3] = &more->e;
    out->aux = more;
  }
  if (!exec_decode_dest(d, &pi->ops[0], &out->d)) return false;
  if (out->d.file == EXEC_FNONE) return exec_refuse(d, pi, "the destination cannot be '_'");
  return decode_sources(d, pi, letters, to);
}

/* lop3 d, a, b, c, table; and lop3.BoolOp d|p, a, b, c, table, q. */
static bool decode_lop3(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  const bool with_predicate = pi->n_mods > 0;
  struct exec_opnd *const to[] = {&out->a, &out->b, &out->c};
  if (pi->n_ops != (with_predicate ? 6 : 5)) return exec_refuse(d, pi, "wrong number of operands");
  const struct ptx_opnd *dest = &pi->ops[0], *table = &pi->ops[4];
  if (table->kind != PTX_O_INT) return exec_refuse(d, pi, "the look-up table must be a number");
  out->imm = table->imm & 255; /* an H200 ignores the upper bits of a larger one */
  if (!exec_decode_dest(d, dest, &out->d) || !decode_sources(d, pi, SOURCES[PTX_OP_lop3], to)) return false;
  if (!with_predicate)
    return out->d.file != EXEC_FNONE && dest->second < 0 ? true
                                                         : exec_refuse(d, pi, "one destination is expected");
  struct exec_arith_more *more = ARENA_NEW(d->arena, struct exec_arith_more);
  const struct ptx_opnd second = {
      .kind = dest->second < 0 ? PTX_O_SINK : PTX_O_REG, .reg = dest->second, .second = -1};
  more->bool_op = (enum ptx_mod)pi->mods[0];
  out->aux = more;
  return exec_decode_dest(d, &second, &more->p) && exec_decode_source(d, &pi->ops[5], PTX_PRED, &more->e);
}

/* ---- the family ---------------------------------------------------------------------------------------- */

static bool is_half(enum ptx_type t) {
  return t == PTX_F16 || t == PTX_F16X2 || t == PTX_BF16 || t == PTX_BF16X2;
}

static void choose(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  const enum ptx_type t = (enum ptx_type)pi->types[0], last = (enum ptx_type)pi->types[pi->n_types - 1];
  if (is_half(t) || is_half(last)) {
    out->fn = d->lanes->pick_half(pi);
    out->unit = approximates(pi) ? EXEC_U_SFU : EXEC_U_HALF;
  } else if (ptx_type_float(t)) {
    out->fn = d->lanes->pick_float(pi);
    out->unit = (uint8_t)float_unit(pi, t == PTX_F64);
  } else {
    out->fn = d->lanes->pick_int(pi);
    out->unit = (uint8_t)integer_unit(pi);
  }
}

bool exec_decode_arith(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  if (pi->n_types == 0) return exec_refuse(d, pi, "its type is missing");
  choose(d, pi, out);
  if (!out->fn) return exec_refuse(d, pi, "there is no such combination of type and modifiers");
  if (pi->op == PTX_OP_lop3) return decode_lop3(d, pi, out);
  return decode_operands(d, pi, out);
}
