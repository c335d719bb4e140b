/* The video instructions: scalar ones on a byte, half-word or word of each source, and SIMD ones on two half-words or four bytes. They are
 * rare, so one interpreter executes them lane by lane from a decoded description.
 *
 * Since Maxwell the scalar ones are short programs, whose results differ from the ISA's text if they leave the range of a word. The
 * functions below do what an H200 does, as far as tests/conformance covers it; the first operands recorded there were small, so large first
 * operands with saturation are an extrapolation. */
#include "exec/compare.h"
#include "exec/decode.h"

#include <stdlib.h>
#include <string.h>

enum vop { V_ADD, V_SUB, V_ABSDIFF, V_MIN, V_MAX, V_AVERAGE, V_SHL, V_SHR, V_SET, V_MAD };

/* A part of a register: `bits` of them from bit `at` on. */
struct part {
  uint8_t at, bits;
};

struct video {
  enum vop op;
  bool d_signed, a_signed, b_signed;
  bool saturate;
  enum ptx_mod second;            /* PTX_M_add, PTX_M_min, PTX_M_max applied with c; PTX_M_none */
  struct exec_comparison compare; /* V_SET, on signed numbers wide enough for either source */
  /* scalar */
  struct part d_part, a_part, b_part;
  bool merge; /* d_part is replaced in c */
  bool wrap;  /* of shifts: amount modulo 32, else clamped to 32 */
  bool plus_one, negate_product, negate_c;
  uint8_t scale; /* V_MAD: bits shifted out at the end */
  /* SIMD: elements, the source of each (those of b are numbered after a's), and which are computed */
  uint8_t elements;
  uint8_t a_from[4], b_from[4];
  bool computed[4];
};

/* ---- execution ----------------------------------------------------------------------------------------- */

static int64_t extended(uint32_t v, unsigned bits, bool is_signed) {
  const unsigned spare = 64 - bits;
  const uint64_t top = (uint64_t)v << spare;
  return is_signed ? (int64_t)top >> spare : (int64_t)(top >> spare);
}

static int64_t part_of(uint32_t v, struct part p, bool is_signed) {
  return extended(v >> p.at, p.bits, is_signed);
}

static int64_t clamped(int64_t v, unsigned bits, bool is_signed) {
  const int64_t most = (INT64_C(1) << (bits - is_signed)) - 1, least = is_signed ? -most - 1 : 0;
  return v < least ? least : v > most ? most : v;
}

static bool compares(const struct exec_comparison *c, int64_t x, int64_t y) {
  const int64_t l = c->swap ? y : x, r = c->swap ? x : y;
  return (c->base == EXEC_CMP_EQ ? l == r : l < r) != c->invert;
}

static int64_t shifted(const struct video *v, int64_t x, int64_t amount) {
  const uint64_t n = v->wrap ? (uint64_t)amount & 31 : (uint64_t)amount > 32 ? 32 : (uint64_t)amount;
  return v->op == V_SHR ? x >> n : (int64_t)((uint64_t)x << n);
}

static int64_t first_operation(const struct video *v, int64_t x, int64_t y) {
  switch (v->op) {
  case V_ADD: return x + y;
  case V_SUB: return x - y;
  case V_ABSDIFF: return x < y ? y - x : x - y;
  case V_MIN: return x < y ? x : y;
  case V_MAX: return x > y ? x : y;
  case V_AVERAGE: return (x + y + (x + y >= 0)) >> 1;
  case V_SET: return compares(&v->compare, x, y);
  default: return shifted(v, x, y);
  }
}

/* A merged part is bounded only above, as an unsigned number; an unsigned sum only below. */
static int64_t saturated(const struct video *v, int64_t r) {
  const int64_t most = (INT64_C(1) << (v->d_part.bits - v->d_signed)) - 1;
  if (v->merge) return (uint64_t)r > (uint64_t)most ? most : r;
  if (v->op == V_SHL) r = (int64_t)((uint64_t)r << 30) >> 30; /* a number of 34 bits */
  if (!v->d_signed && (v->op == V_ADD || v->op == V_SUB)) return r < 0 ? 0 : r;
  return clamped(r, v->d_part.bits, v->d_signed);
}

/* The second operation compares 64-bit numbers; sums and differences come as signed words. */
static uint32_t second_operation(const struct video *v, int64_t r, uint32_t c) {
  const bool is_signed = v->op == V_SET ? v->a_signed : v->d_signed;
  const int64_t third = extended(c, 32, is_signed);
  if (v->op == V_ADD || v->op == V_SUB) r = (int32_t)r;
  const bool less = is_signed ? r < third : (uint64_t)r < (uint64_t)third;
  switch (v->second) {
  case PTX_M_add: return (uint32_t)r + c;
  case PTX_M_min: return less ? (uint32_t)r : c;
  case PTX_M_max: return less ? c : (uint32_t)r;
  default: return (uint32_t)r;
  }
}

/* The upper half is taken from the upper half of the result, every other part from its lowest bits. */
static uint32_t merged(struct part p, uint32_t r, uint32_t c) {
  const uint32_t field = (p.bits == 8 ? 0xffu : 0xffffu) << p.at;
  if (p.bits == 8) r <<= p.at;
  return (c & ~field) | (r & field);
}

static uint32_t scalar_lane(const struct video *v, uint32_t a, uint32_t b, uint32_t c) {
  int64_t r = first_operation(v, part_of(a, v->a_part, v->a_signed), part_of(b, v->b_part, v->b_signed));
  if (v->saturate) r = saturated(v, r);
  return v->merge ? merged(v->d_part, (uint32_t)r, c) : second_operation(v, r, c);
}

/* Words are signed numbers whatever their type, and an unsigned result is shifted as an unsigned 64-bit
 * number. */
static uint32_t mad_lane(const struct video *v, uint32_t a, uint32_t b, uint32_t c) {
  const bool is_signed = v->a_signed || v->b_signed || v->negate_product || v->negate_c;
  const int64_t x = part_of(a, v->a_part, v->a_signed || v->a_part.bits == 32);
  const int64_t y = part_of(b, v->b_part, v->b_signed || v->b_part.bits == 32);
  const int64_t product = v->negate_product ? -(x * y) : x * y, third = extended(c, 32, true);
  const int64_t sum = product + (v->negate_c ? -third : third) + v->plus_one;
  const int64_t scaled = is_signed ? sum >> v->scale : (int64_t)((uint64_t)sum >> v->scale);
  return (uint32_t)(v->saturate ? clamped(scaled, 32, is_signed) : scaled);
}

static uint32_t simd_lane(const struct video *v, uint32_t a, uint32_t b, uint32_t c) {
  const unsigned bits = 32u / v->elements;
  const uint64_t both = (uint64_t)b << 32 | a, field = (UINT64_C(1) << bits) - 1;
  uint32_t sum = c, packed = 0;
  for (unsigned k = 0; k < v->elements; k++) {
    const int64_t x = extended((uint32_t)(both >> bits * v->a_from[k] & field), bits, v->a_signed);
    const int64_t y = extended((uint32_t)(both >> bits * v->b_from[k] & field), bits, v->b_signed);
    int64_t r = first_operation(v, x, y);
    if (v->saturate) r = clamped(r, bits, v->d_signed);
    sum += v->computed[k] ? (uint32_t)r : 0;
    const uint32_t kept = c >> bits * k;
    packed |= ((v->computed[k] ? (uint32_t)r : kept) & (uint32_t)field) << bits * k;
  }
  return v->second == PTX_M_add ? sum : packed;
}

static void video(struct exec_warp *w, const struct exec_inst *in) {
  const struct video *v = in->aux;
  const uint32_t *a = exec_row(w, in->a), *b = exec_row(w, in->b), *c = exec_row(w, in->c);
  uint32_t *d = exec_row(w, in->d);
  for (unsigned i = 0; i < EXEC_LANES; i++) {
    if (!(w->mask >> i & 1)) continue;
    if (v->elements > 1)
      d[i] = simd_lane(v, a[i], b[i], c[i]);
    else if (v->op == V_MAD)
      d[i] = mad_lane(v, a[i], b[i], c[i]);
    else
      d[i] = scalar_lane(v, a[i], b[i], c[i]);
  }
}

/* ---- decoding: opcodes and modifiers ------------------------------------------------------------------- */

static const struct {
  bool known;
  enum vop op;
  uint8_t elements;
} OPCODES[PTX_OPS] = {
    [PTX_OP_vadd] = {1, V_ADD, 1},          [PTX_OP_vadd2] = {1, V_ADD, 2},
    [PTX_OP_vadd4] = {1, V_ADD, 4},         [PTX_OP_vsub] = {1, V_SUB, 1},
    [PTX_OP_vsub2] = {1, V_SUB, 2},         [PTX_OP_vsub4] = {1, V_SUB, 4},
    [PTX_OP_vabsdiff] = {1, V_ABSDIFF, 1},  [PTX_OP_vabsdiff2] = {1, V_ABSDIFF, 2},
    [PTX_OP_vabsdiff4] = {1, V_ABSDIFF, 4}, [PTX_OP_vmin] = {1, V_MIN, 1},
    [PTX_OP_vmin2] = {1, V_MIN, 2},         [PTX_OP_vmin4] = {1, V_MIN, 4},
    [PTX_OP_vmax] = {1, V_MAX, 1},          [PTX_OP_vmax2] = {1, V_MAX, 2},
    [PTX_OP_vmax4] = {1, V_MAX, 4},         [PTX_OP_vset] = {1, V_SET, 1},
    [PTX_OP_vset2] = {1, V_SET, 2},         [PTX_OP_vset4] = {1, V_SET, 4},
    [PTX_OP_vavrg2] = {1, V_AVERAGE, 2},    [PTX_OP_vavrg4] = {1, V_AVERAGE, 4},
    [PTX_OP_vshl] = {1, V_SHL, 1},          [PTX_OP_vshr] = {1, V_SHR, 1},
    [PTX_OP_vmad] = {1, V_MAD, 1},
};

static bool is_signed_word(uint8_t t) { return t == PTX_S32; }

/* vset has no result type: its result is 0 or 1. */
static bool decode_types(const struct ptx_inst *pi, struct video *v) {
  const unsigned results = v->op == V_SET ? 0 : 1;
  if (pi->n_types != 2 + results) return false;
  for (unsigned k = 0; k < pi->n_types; k++)
    if (pi->types[k] != PTX_U32 && pi->types[k] != PTX_S32) return false;
  v->d_signed = results && is_signed_word(pi->types[0]);
  v->a_signed = is_signed_word(pi->types[results]);
  v->b_signed = is_signed_word(pi->types[results + 1]);
  return !((v->op == V_SHL || v->op == V_SHR) && v->b_signed);
}

static bool decode_second(const struct ptx_inst *pi, struct video *v, unsigned *seen) {
  static const enum ptx_mod seconds[] = {PTX_M_add, PTX_M_min, PTX_M_max};
  for (unsigned k = 0; k < 3; k++) {
    if (!ptx_has(pi, seconds[k])) continue;
    v->second = seconds[k];
    ++*seen;
  }
  return v->second == PTX_M_none || (v->op != V_MAD && (v->elements == 1 || v->second == PTX_M_add));
}

static bool decode_shift_mode(const struct ptx_inst *pi, struct video *v, unsigned *seen) {
  if (v->op != V_SHL && v->op != V_SHR) return true;
  v->wrap = ptx_has(pi, PTX_M_wrap);
  ++*seen;
  return v->wrap != ptx_has(pi, PTX_M_clamp);
}

static bool decode_mad_mode(const struct ptx_inst *pi, struct video *v, unsigned *seen) {
  if (v->op != V_MAD) return true;
  v->plus_one = ptx_has(pi, PTX_M_po);
  v->scale = ptx_has(pi, PTX_M_shr7) ? 7 : ptx_has(pi, PTX_M_shr15) ? 15 : 0;
  *seen += (unsigned)v->plus_one + (v->scale != 0);
  v->negate_product = pi->ops[1].negative != pi->ops[2].negative;
  v->negate_c = pi->ops[3].negative;
  return !(v->plus_one && (pi->ops[1].negative || pi->ops[2].negative || v->negate_c)) &&
         !(v->negate_product && v->negate_c);
}

/* Refuses modifiers that none of these know. */
static bool decode_modifiers(const struct ptx_inst *pi, struct video *v) {
  unsigned seen = 0;
  if (ptx_has(pi, PTX_M_sat)) {
    v->saturate = true;
    seen++;
  }
  if (v->op == V_SET) {
    const bool is_signed = v->a_signed || v->b_signed;
    if (!exec_comparison_of(pi, is_signed ? PTX_S32 : PTX_U32, &v->compare)) return false;
    seen++;
  }
  return decode_second(pi, v, &seen) && decode_shift_mode(pi, v, &seen) && decode_mad_mode(pi, v, &seen) &&
         seen == pi->n_mods &&
         !(v->saturate && (v->op == V_SET || (v->elements > 1 && v->second != PTX_M_none)));
}

/* ---- decoding: parts of registers ---------------------------------------------------------------------- */

static bool decode_part(const char *select, struct part *out) {
  *out = (struct part){0, 32};
  if (!select) return true;
  const unsigned digit = (unsigned)(select[1] - '0');
  const uint8_t bits = select[0] == 'b' ? 8 : 16;
  if (strlen(select) != 2 || (select[0] != 'b' && select[0] != 'h') || digit >= 32u / bits) return false;
  *out = (struct part){(uint8_t)(digit * bits), bits};
  return true;
}

/* "h32": the upper element is number 3, the lower number 2. */
static bool decode_elements(const char *select, const struct video *v, uint8_t first, uint8_t from[4]) {
  const unsigned n = v->elements;
  for (unsigned k = 0; k < n; k++) from[k] = (uint8_t)(first + k);
  if (!select) return true;
  if (select[0] != (n == 2 ? 'h' : 'b') || strlen(select) != n + 1) return false;
  for (unsigned k = 0; k < n; k++) {
    const unsigned digit = (unsigned)(select[n - k] - '0');
    if (digit >= 2 * n) return false;
    from[k] = (uint8_t)digit;
  }
  return true;
}

static bool decode_mask(const char *select, struct video *v) {
  for (unsigned k = 0; k < v->elements; k++) v->computed[k] = !select;
  if (!select) return true;
  if (select[0] != (v->elements == 2 ? 'h' : 'b')) return false;
  for (const char *s = select + 1; *s; s++) {
    const unsigned digit = (unsigned)(*s - '0');
    if (digit >= v->elements || v->computed[digit]) return false;
    v->computed[digit] = true;
  }
  return select[1] != 0;
}

static bool decode_parts(const struct ptx_inst *pi, struct video *v) {
  if (v->elements > 1)
    return decode_mask(pi->ops[0].select, v) && decode_elements(pi->ops[1].select, v, 0, v->a_from) &&
           decode_elements(pi->ops[2].select, v, v->elements, v->b_from);
  v->merge = pi->ops[0].select != NULL;
  return decode_part(pi->ops[0].select, &v->d_part) && decode_part(pi->ops[1].select, &v->a_part) &&
         decode_part(pi->ops[2].select, &v->b_part) &&
         !(v->merge && (v->second != PTX_M_none || v->op == V_MAD));
}

/* ---- decoding: operands -------------------------------------------------------------------------------- */

static bool decode_source(struct exec_decoder *d, const struct ptx_inst *pi, unsigned k,
                          struct exec_opnd *out) {
  struct ptx_opnd plain = pi->ops[k];
  if (plain.negative && pi->op != PTX_OP_vmad) return exec_refuse(d, pi, "a source cannot be negated");
  plain.negative = false;
  if (!exec_decode_source(d, &plain, PTX_U32, out)) return false;
  return out->file != EXEC_FNONE || exec_refuse(d, pi, "'_' cannot be read");
}

static bool decode_operands(struct exec_decoder *d, const struct ptx_inst *pi, const struct video *v,
                            struct exec_inst *out) {
  const bool third = v->elements > 1 || v->op == V_MAD || v->merge || v->second != PTX_M_none;
  if (pi->n_ops != (third ? 4 : 3)) return exec_refuse(d, pi, "wrong number of operands");
  if (!exec_decode_dest(d, &pi->ops[0], &out->d)) return false;
  if (out->d.file == EXEC_FNONE) return exec_refuse(d, pi, "the destination cannot be '_'");
  if (!decode_source(d, pi, 1, &out->a) || !decode_source(d, pi, 2, &out->b)) return false;
  out->c = out->a; /* read, but without effect, where there is no third source */
  return !third || decode_source(d, pi, 3, &out->c);
}

bool exec_decode_video(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  struct video *v = ARENA_NEW(d->arena, struct video);
  if (!OPCODES[pi->op].known) return exec_refuse(d, pi, "it is not a video instruction");
  v->op = OPCODES[pi->op].op;
  v->elements = OPCODES[pi->op].elements;
  if (pi->n_ops < (v->op == V_MAD ? 4 : 3)) return exec_refuse(d, pi, "operands are missing");
  if (!decode_types(pi, v)) return exec_refuse(d, pi, "there is no such combination of types");
  if (!decode_modifiers(pi, v)) return exec_refuse(d, pi, "there is no such combination of modifiers");
  if (!decode_parts(pi, v)) return exec_refuse(d, pi, "a register part is not one this form can select");
  out->aux = v;
  out->fn = video;
  out->unit = v->op == V_MAD ? EXEC_U_IMAD : v->op == V_SHL || v->op == V_SHR ? EXEC_U_SHIFT : EXEC_U_ALU;
  return decode_operands(d, pi, v, out);
}
