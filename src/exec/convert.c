/* Decoding of cvt and cvt.pack: which operands there are, how wide their registers are, and what the conversion does. The values are
 * computed in lanes_convert.c. */
#include "exec/convert.h"

#include "exec/decode.h"
#include "exec/directed.h"

struct exec_convert exec_convert_of(const struct ptx_inst *pi) {
  return (struct exec_convert){
      .dst = pi->types[0],
      .src = pi->types[1],
      .round = (uint8_t)exec_rounding_of(pi),
      .whole = ptx_has(pi, PTX_M_rni) || ptx_has(pi, PTX_M_rzi) || ptx_has(pi, PTX_M_rmi) ||
               ptx_has(pi, PTX_M_rpi),
      .ftz = ptx_has(pi, PTX_M_ftz),
      .sat = ptx_has(pi, PTX_M_sat),
      .satfinite = ptx_has(pi, PTX_M_satfinite),
      .relu = ptx_has(pi, PTX_M_relu),
  };
}

int64_t exec_convert_pack(struct exec_convert c) {
  return (int64_t)((uint64_t)c.dst | (uint64_t)c.src << 8 | (uint64_t)c.round << 16 |
                   (uint64_t)c.whole << 24 | (uint64_t)c.ftz << 25 | (uint64_t)c.sat << 26 |
                   (uint64_t)c.satfinite << 27 | (uint64_t)c.relu << 28 | (uint64_t)c.wide_src << 29 |
                   (uint64_t)c.wide_dst << 30);
}

static bool eight_bit_floats(enum ptx_type t) { return t == PTX_E4M3X2 || t == PTX_E5M2X2; }
static bool two_in_one(enum ptx_type t) { return t == PTX_F16X2 || t == PTX_BF16X2 || eight_bit_floats(t); }

/* Sources beyond the first: cvt.pack has b and perhaps c; a pair made of two f32 has b. */
static unsigned sources_of(const struct ptx_inst *pi) {
  if (pi->n_types == 3) return 3;
  if (ptx_has(pi, PTX_M_pack)) return 2;
  return two_in_one(pi->types[0]) && pi->types[1] == PTX_F32 ? 2 : 1;
}

/* Bits of a source operand's row; immediates get the width of the type. */
static unsigned row_bits(const struct exec_decoder *d, const struct ptx_opnd *o, enum ptx_type t) {
  unsigned bits = ptx_type_bits(t);
  if (o->kind == PTX_O_REG) bits = ptx_type_bits((enum ptx_type)d->pf->regs[o->reg].type);
  if (o->kind == PTX_O_SREG) bits = ptx_sreg_bits((enum ptx_sreg)o->reg);
  return bits > 32 ? bits : 32;
}

static bool check_widths(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_convert *c) {
  const unsigned src = ptx_type_bits((enum ptx_type)c->src), dst = ptx_type_bits((enum ptx_type)c->dst);
  const unsigned from = row_bits(d, &pi->ops[1], (enum ptx_type)c->src);
  const unsigned to = row_bits(d, &pi->ops[0], (enum ptx_type)c->dst);
  if (from > 64 || to > 64) return exec_refuse(d, pi, "operands of 128 bits cannot be converted");
  if (from < src) return exec_refuse(d, pi, "the source register is narrower than the source type");
  if (to < dst) return exec_refuse(d, pi, "the destination register is narrower than the destination type");
  c->wide_src = from == 64 && src < 64;
  c->wide_dst = to == 64 && dst < 64;
  return true;
}

static uint8_t unit_of(struct exec_convert c) {
  const bool integers = !ptx_type_float((enum ptx_type)c.dst) && !ptx_type_float((enum ptx_type)c.src);
  if (integers && !c.sat) return EXEC_U_ALU;
  const bool wide = ptx_type_bits((enum ptx_type)c.dst) == 64 || ptx_type_bits((enum ptx_type)c.src) == 64;
  const bool whole = c.whole || (ptx_type_float((enum ptx_type)c.src) && !ptx_type_float((enum ptx_type)c.dst));
  const bool short_ends = ptx_type_bits((enum ptx_type)c.dst) < 32 || ptx_type_bits((enum ptx_type)c.src) < 32;
  const bool from_whole = !integers && !ptx_type_float((enum ptx_type)c.src);
  return wide || whole || (from_whole && short_ends) ? EXEC_U_XCVT : EXEC_U_CVT;
}

bool exec_decode_convert(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  struct exec_opnd *const to[] = {&out->a, &out->b, &out->c};
  if (pi->n_types < 2) return exec_refuse(d, pi, "cvt needs a destination and a source type");
  const unsigned sources = sources_of(pi);
  if (pi->n_ops != sources + 1) return exec_refuse(d, pi, "wrong number of operands");

  struct exec_convert c = exec_convert_of(pi);
  if (!exec_decode_dest(d, &pi->ops[0], &out->d)) return false;
  if (out->d.file == EXEC_FNONE) return exec_refuse(d, pi, "the destination cannot be '_'");
  for (unsigned i = 0; i < sources; i++) {
    const enum ptx_type t = (enum ptx_type)pi->types[i == 2 ? 2 : 1];
    if (!exec_decode_source(d, &pi->ops[i + 1], t, to[i])) return false;
  }
  if (!ptx_has(pi, PTX_M_pack) && !check_widths(d, pi, &c)) return false;

  struct ptx_inst any = *pi;
  any.vec = EXEC_CONVERT_ANY_ROWS;
  out->imm = exec_convert_pack(c);
  out->unit = unit_of(c);
  out->fn = d->lanes->pick_convert(c.wide_src || c.wide_dst ? &any : pi);
  return out->fn ? true : exec_refuse(d, pi, "this conversion is not known");
}
