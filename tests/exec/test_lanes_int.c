/* Integer arithmetic, logic, shifts, bit fields and carry chains against a plain reference, lane by lane. The
 * references follow the pseudo-code of the PTX ISA, on 128-bit numbers or bit by bit. */
#include "lanes_bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef __int128 wide;

static unsigned width(const struct ptx_inst *pi) { return ptx_type_bits((enum ptx_type)pi->types[0]); }
static bool is_signed(const struct ptx_inst *pi) { return ptx_type_signed((enum ptx_type)pi->types[0]); }
static uint64_t low(uint64_t v, unsigned bits) { return bits == 64 ? v : v & ((UINT64_C(1) << bits) - 1); }
static wide number(uint64_t v, unsigned bits, bool sign) {
  v = low(v, bits);
  return sign && v >> (bits - 1) ? (wide)v - ((wide)1 << bits) : (wide)v;
}
static wide source(const struct ptx_inst *pi, const struct bench_values *v, unsigned k) {
  return number(v->s[k], width(pi), is_signed(pi));
}
static wide clamp(wide v, unsigned bits) {
  const wide most = ((wide)1 << (bits - 1)) - 1, least = -most - 1;
  return v > most ? most : v < least ? least : v;
}
static wide magnitude(wide v) { return v < 0 ? -v : v; }

/* Runs the check for every type of a list such as "u16 s32", with the shape its width asks for: in `shape`, 0
 * stands for the type's own register. */
static void for_types(const char *format, const char *types, const char *shape, bench_reference reference) {
  char list[128], *rest = list, text[128], letters[8];
  strncpy(list, types, sizeof list - 1);
  for (char *t; (t = strsep(&rest, " "));) {
    const unsigned bits = (unsigned)atoi(t + 1);
    const bool packed = strstr(t, "x2") != NULL;
    snprintf(text, sizeof text, format, t);
    size_t n = 0;
    for (; shape[n]; n++) letters[n] = shape[n] != '0' ? shape[n] : bits == 64 ? 'L' : 'S';
    letters[n] = 0;
    bench_check(text, letters, shape[0] == '0' && !packed ? bits : letters[0] == 'L' ? 64 : 32, reference);
  }
}
#define ALL_INTS "u16 s16 u32 s32 u64 s64"

/* ---- add, subtract and their kind ---------------------------------------------------------------------- */

/* A subtraction adds the complement and one; its carry is the opposite of a borrow. */
static void sum(const struct ptx_inst *pi, struct bench_values *v) {
  const unsigned bits = width(pi);
  const bool takes = pi->op == PTX_OP_addc || pi->op == PTX_OP_subc;
  const bool minus = pi->op == PTX_OP_sub || pi->op == PTX_OP_subc;
  const wide x = number(v->s[0], bits, false), y = number(minus ? ~v->s[1] : v->s[1], bits, false);
  const wide r = x + y + (takes ? v->carry : minus);
  v->d = (uint64_t)r;
  if (ptx_has(pi, PTX_M_cc)) v->carry = r >> bits & 1;
  if (!ptx_has(pi, PTX_M_sat)) return;
  const wide exact = minus ? source(pi, v, 0) - source(pi, v, 1) : source(pi, v, 0) + source(pi, v, 1);
  v->d = (uint64_t)clamp(exact, bits);
}

static void halves(const struct ptx_inst *pi, struct bench_values *v) {
  uint64_t r = 0;
  for (unsigned at = 0; at < 32; at += 16) {
    const wide x = number(v->s[0] >> at, 16, is_signed(pi)), y = number(v->s[1] >> at, 16, is_signed(pi));
    wide h = pi->op == PTX_OP_add ? x + y : (pi->op == PTX_OP_min) == (x < y) ? x : y;
    if (ptx_has(pi, PTX_M_relu) && h < 0) h = 0;
    r |= low((uint64_t)h, 16) << at;
  }
  v->d = r;
}

static void smaller_or_larger(const struct ptx_inst *pi, struct bench_values *v) {
  const wide x = source(pi, v, 0), y = source(pi, v, 1);
  wide r = (pi->op == PTX_OP_min) == (x < y) ? x : y;
  if (ptx_has(pi, PTX_M_relu) && r < 0) r = 0;
  v->d = (uint64_t)r;
}

static void sign(const struct ptx_inst *pi, struct bench_values *v) {
  const wide x = source(pi, v, 0);
  v->d = (uint64_t)(pi->op == PTX_OP_neg || x < 0 ? -x : x);
}

static void distance_sum(const struct ptx_inst *pi, struct bench_values *v) {
  v->d = (uint64_t)(magnitude(source(pi, v, 0) - source(pi, v, 1)) + source(pi, v, 2));
}

static void test_adds_and_subtracts_modulo_the_width(void **state) {
  (void)state;
  for_types("add.%s", ALL_INTS, "000", sum);
  for_types("sub.%s", ALL_INTS, "000", sum);
  for_types("add.%s", "u16x2 s16x2", "SSS", halves);
}
static void test_saturates_s32(void **state) {
  (void)state;
  bench_check("add.sat.s32", "SSS", 32, sum);
  bench_check("sub.sat.s32", "SSS", 32, sum);
}
static void test_carries_from_one_instruction_to_the_next(void **state) {
  (void)state;
  for_types("add.cc.%s", "u32 s32 u64 s64", "000", sum);
  for_types("addc.%s", "u16 s16 u32 s32 u64 s64", "000", sum);
  for_types("addc.cc.%s", "u32 s32 u64 s64", "000", sum);
  for_types("sub.cc.%s", "u32 s32 u64 s64", "000", sum);
  for_types("subc.%s", "u16 s16 u32 s32 u64 s64", "000", sum);
  for_types("subc.cc.%s", "u32 s32 u64 s64", "000", sum);
}
static void test_finds_minimum_and_maximum(void **state) {
  (void)state;
  for_types("min.%s", ALL_INTS, "000", smaller_or_larger);
  for_types("max.%s", ALL_INTS, "000", smaller_or_larger);
  bench_check("min.relu.s32", "SSS", 32, smaller_or_larger);
  bench_check("max.relu.s32", "SSS", 32, smaller_or_larger);
  for_types("min.%s", "u16x2 s16x2", "SSS", halves);
  for_types("max.%s", "u16x2 s16x2", "SSS", halves);
  bench_check("min.relu.s16x2", "SSS", 32, halves);
  bench_check("max.relu.s16x2", "SSS", 32, halves);
}
static void test_takes_absolute_values_and_differences(void **state) {
  (void)state;
  for_types("abs.%s", "s16 s32 s64", "00", sign);
  for_types("neg.%s", "s16 s32 s64", "00", sign);
  for_types("sad.%s", ALL_INTS, "0000", distance_sum);
}

/* ---- multiply and divide ------------------------------------------------------------------------------- */

static void product(const struct ptx_inst *pi, struct bench_values *v) {
  const unsigned bits = width(pi);
  const bool is_mad = pi->op != PTX_OP_mul, wide_result = ptx_has(pi, PTX_M_wide);
  /* Two's complement: the low 128 bits are the product's, and a signed shift finds the sign again. */
  const unsigned __int128 exact = (unsigned __int128)source(pi, v, 0) * (unsigned __int128)source(pi, v, 1);
  wide r = (wide)exact;
  if (ptx_has(pi, PTX_M_hi)) r = is_signed(pi) ? r >> bits : (wide)(exact >> bits);
  if (!is_mad) {
    v->d = (uint64_t)r;
    return;
  }
  const wide third = number(v->s[2], wide_result ? 2 * bits : bits, is_signed(pi));
  const bool carry = pi->op == PTX_OP_madc && v->carry;
  v->d = (uint64_t)(ptx_has(pi, PTX_M_sat) ? clamp(r + third, bits) : r + third + carry);
  if (ptx_has(pi, PTX_M_cc))
    v->carry = (number((uint64_t)r, bits, false) + number((uint64_t)third, bits, false) + carry) >> bits & 1;
}

static void product24(const struct ptx_inst *pi, struct bench_values *v) {
  const wide p = number(v->s[0], 24, is_signed(pi)) * number(v->s[1], 24, is_signed(pi));
  wide r = ptx_has(pi, PTX_M_hi) ? number((uint64_t)(p >> 16), 32, is_signed(pi)) : p;
  if (pi->op == PTX_OP_mad24) r += source(pi, v, 2);
  v->d = (uint64_t)(ptx_has(pi, PTX_M_sat) ? clamp(r, 32) : r);
}

static void dot(const struct ptx_inst *pi, struct bench_values *v) {
  const bool b_signed = ptx_type_signed((enum ptx_type)pi->types[1]);
  const unsigned terms = pi->op == PTX_OP_dp4a ? 4 : 2, a_bits = 32 / terms;
  wide r = (wide)v->s[2];
  for (unsigned k = 0; k < terms; k++) {
    const unsigned at = 8 * (k + (ptx_has(pi, PTX_M_hi) ? 2 : 0));
    r += number(v->s[0] >> a_bits * k, a_bits, is_signed(pi)) * number(v->s[1] >> at, 8, b_signed);
  }
  v->d = (uint64_t)r;
}

static void quotient(const struct ptx_inst *pi, struct bench_values *v) {
  const wide x = source(pi, v, 0), y = source(pi, v, 1);
  v->d = y == 0 ? UINT64_MAX : (uint64_t)(pi->op == PTX_OP_div ? x / y : x % y);
}

static void test_multiplies_low_high_and_wide(void **state) {
  (void)state;
  for_types("mul.lo.%s", ALL_INTS, "000", product);
  for_types("mul.hi.%s", ALL_INTS, "000", product);
  for_types("mul.wide.%s", "u16 s16", "SSS", product);
  for_types("mul.wide.%s", "u32 s32", "LSS", product);
  for_types("mad.lo.%s", ALL_INTS, "0000", product);
  for_types("mad.hi.%s", ALL_INTS, "0000", product);
  for_types("mad.wide.%s", "u16 s16", "SSSS", product);
  for_types("mad.wide.%s", "u32 s32", "LSSL", product);
  bench_check("mad.hi.sat.s32", "SSSS", 32, product);
}
static void test_multiply_adds_carry(void **state) {
  (void)state;
  for_types("mad.lo.cc.%s", "u32 s32 u64 s64", "0000", product);
  for_types("mad.hi.cc.%s", "u32 s32 u64 s64", "0000", product);
  for_types("madc.lo.%s", "u16 s16 u32 s32 u64 s64", "0000", product);
  for_types("madc.hi.%s", "u32 s32 u64 s64", "0000", product);
  for_types("madc.lo.cc.%s", "u32 s32 u64 s64", "0000", product);
  for_types("madc.hi.cc.%s", "u32 s32 u64 s64", "0000", product);
}
static void test_multiplies_24_bits(void **state) {
  (void)state;
  for_types("mul24.lo.%s", "u32 s32", "SSS", product24);
  for_types("mul24.hi.%s", "u32 s32", "SSS", product24);
  for_types("mad24.lo.%s", "u32 s32", "SSSS", product24);
  for_types("mad24.hi.%s", "u32 s32", "SSSS", product24);
  bench_check("mad24.hi.sat.s32", "SSSS", 32, product24);
}
static void test_sums_products_of_bytes(void **state) {
  (void)state;
  for_types("dp4a.%s.u32", "u32 s32", "SSSS", dot);
  for_types("dp4a.%s.s32", "u32 s32", "SSSS", dot);
  for_types("dp2a.lo.%s.u32", "u32 s32", "SSSS", dot);
  for_types("dp2a.lo.%s.s32", "u32 s32", "SSSS", dot);
  for_types("dp2a.hi.%s.u32", "u32 s32", "SSSS", dot);
  for_types("dp2a.hi.%s.s32", "u32 s32", "SSSS", dot);
}
static void test_divides_also_by_zero_and_minus_one(void **state) {
  (void)state;
  for_types("div.%s", ALL_INTS, "000", quotient);
  for_types("rem.%s", ALL_INTS, "000", quotient);
}

/* ---- logic and shifts ---------------------------------------------------------------------------------- */

static void logic(const struct ptx_inst *pi, struct bench_values *v) {
  const uint64_t x = v->s[0], y = v->s[1];
  switch (pi->op) {
  case PTX_OP_and: v->d = x & y; break;
  case PTX_OP_or: v->d = x | y; break;
  case PTX_OP_xor: v->d = x ^ y; break;
  case PTX_OP_not: v->d = ~x; break;
  default: v->d = low(x, width(pi)) == 0;
  }
}

static void shift(const struct ptx_inst *pi, struct bench_values *v) {
  const unsigned bits = width(pi), n = v->s[1] > bits ? bits : (unsigned)v->s[1];
  v->d = (uint64_t)(pi->op == PTX_OP_shl ? source(pi, v, 0) * ((wide)1 << n) : source(pi, v, 0) >> n);
}

static void funnel(const struct ptx_inst *pi, struct bench_values *v) {
  const unsigned n = ptx_has(pi, PTX_M_wrap) ? v->s[2] & 31 : v->s[2] > 32 ? 32 : (unsigned)v->s[2];
  const wide both = (wide)v->s[1] << 32 | (wide)v->s[0];
  v->d = (uint64_t)(ptx_has(pi, PTX_M_l) ? both << n >> 32 : both >> n);
}

static void table_of_three(const struct ptx_inst *pi, struct bench_values *v) {
  uint64_t r = 0;
  for (unsigned i = 0; i < 32; i++) {
    const uint64_t at = (v->s[0] >> i & 1) << 2 | (v->s[1] >> i & 1) << 1 | (v->s[2] >> i & 1);
    r |= (v->s[3] >> at & 1) << i;
  }
  const bool p = r != 0, q = v->s[4] & 1;
  v->d = r;
  v->second = ptx_has(pi, PTX_M_and) ? p && q : p || q;
}

static void test_combines_bits_and_predicates(void **state) {
  (void)state;
  static const char *const formats[] = {"and.%s", "or.%s", "xor.%s"};
  for (unsigned k = 0; k < 3; k++) {
    char text[16];
    for_types(formats[k], "b16 b32 b64", "000", logic);
    snprintf(text, sizeof text, formats[k], "pred");
    bench_check(text, "PPP", 1, logic);
  }
  for_types("not.%s", "b16 b32 b64", "00", logic);
  bench_check("not.pred", "PP", 1, logic);
  for_types("cnot.%s", "b16 b32 b64", "00", logic);
}
static void test_shifts_clamp_their_amount(void **state) {
  (void)state;
  for_types("shl.%s", "b16 b32 b64", "00S", shift);
  for_types("shr.%s", "b16 b32 b64 u16 s16 u32 s32 u64 s64", "00S", shift);
}
static void test_funnel_shifts(void **state) {
  (void)state;
  bench_check("shf.l.clamp.b32", "SSSS", 32, funnel);
  bench_check("shf.l.wrap.b32", "SSSS", 32, funnel);
  bench_check("shf.r.clamp.b32", "SSSS", 32, funnel);
  bench_check("shf.r.wrap.b32", "SSSS", 32, funnel);
}

static void check_lop3(const char *text, unsigned table, bool sink) {
  static struct bench b;
  const bool with_predicate = strcmp(text, "lop3.b32") != 0;
  bench_start(&b);
  bench_inst(&b, text, with_predicate ? "SSSSSP" : "SSSSS");
  b.ops[4] = (struct ptx_opnd){.kind = PTX_O_INT, .imm = table, .second = -1};
  if (with_predicate) b.ops[0].second = bench_reg('P', 7).reg;
  if (sink) b.ops[0].kind = PTX_O_SINK;
  bench_compare(&b, 32, table_of_three);
  bench_end(&b);
}
static void test_looks_up_every_function_of_three_bits(void **state) {
  (void)state;
  for (unsigned table = 0; table < 256; table++) check_lop3("lop3.b32", table, false);
  check_lop3("lop3.and.b32", 0x80, false);
  check_lop3("lop3.or.b32", 0x96, false);
  check_lop3("lop3.or.b32", 0x01, true);
  check_lop3("lop3.b32", 0x1e8, false); /* of a larger number the last eight bits */
}

/* ---- bytes, counts and fields -------------------------------------------------------------------------- */

static void permutation(const struct ptx_inst *pi, struct bench_values *v) {
  /* The bytes of the result, highest first, for selector 0 to 3. */
  static const struct {
    enum ptx_mod mod;
    const char *bytes[4];
  } modes[] = {
      {PTX_M_f4e, {"3210", "4321", "5432", "6543"}}, {PTX_M_b4e, {"5670", "6701", "7012", "0123"}},
      {PTX_M_rc8, {"0000", "1111", "2222", "3333"}}, {PTX_M_ecl, {"3210", "3211", "3222", "3333"}},
      {PTX_M_ecr, {"0000", "1110", "2210", "3210"}}, {PTX_M_rc16, {"1010", "3232", "1010", "3232"}},
  };
  const uint64_t from = v->s[1] << 32 | v->s[0];
  uint64_t r = 0;
  for (unsigned k = 0; k < 4; k++) {
    unsigned nibble = v->s[2] >> 4 * k & 15;
    for (unsigned m = 0; m < 6; m++)
      if (ptx_has(pi, modes[m].mod)) nibble = (unsigned)(modes[m].bytes[v->s[2] & 3][3 - k] - '0');
    uint64_t byte = from >> 8 * (nibble & 7) & 255;
    if (nibble & 8) byte = byte & 128 ? 255 : 0;
    r |= byte << 8 * k;
  }
  v->d = r;
}

static void count(const struct ptx_inst *pi, struct bench_values *v) {
  const unsigned bits = width(pi);
  unsigned ones = 0, leading = bits;
  for (unsigned i = 0; i < bits; i++)
    if (v->s[0] >> i & 1) {
      ones++;
      leading = bits - 1 - i;
    }
  v->d = pi->op == PTX_OP_popc ? ones : leading;
}

static void find(const struct ptx_inst *pi, struct bench_values *v) {
  const unsigned msb = width(pi) - 1;
  const uint64_t x = is_signed(pi) && (v->s[0] >> msb & 1) ? ~v->s[0] : v->s[0];
  v->d = UINT32_MAX;
  for (unsigned i = 0; i <= msb; i++)
    if (x >> i & 1) v->d = ptx_has(pi, PTX_M_shiftamt) ? msb - i : i;
}

static void reversal(const struct ptx_inst *pi, struct bench_values *v) {
  const unsigned bits = width(pi);
  for (unsigned i = 0; i < bits; i++) v->d |= (v->s[0] >> i & 1) << (bits - 1 - i);
}

static void nth_one(const struct ptx_inst *pi, struct bench_values *v) {
  (void)pi;
  const int32_t offset = (int32_t)v->s[2];
  int64_t at = (int64_t)v->s[1];
  v->d = UINT32_MAX;
  if (at > 31) return;
  if (offset == INT32_MIN) v->d = 0; /* as silicon does */
  if (offset == INT32_MIN) return;
  int64_t left = offset < 0 ? -(int64_t)offset : offset;
  if (left == 0) left = 1;
  for (; at >= 0 && at < 32; at += offset < 0 ? -1 : 1) {
    if ((v->s[0] >> at & 1) && --left == 0) v->d = (uint64_t)at;
    if (left == 0 || offset == 0) return;
  }
}

static void extraction(const struct ptx_inst *pi, struct bench_values *v) {
  const unsigned msb = width(pi) - 1, pos = v->s[1] & 255, len = v->s[2] & 255;
  const unsigned last = pos + len - 1 < msb ? pos + len - 1 : msb;
  const bool fill = is_signed(pi) && len && (v->s[0] >> last & 1);
  for (unsigned i = 0; i <= msb; i++) {
    const uint64_t bit = i < len && pos + i <= msb ? v->s[0] >> (pos + i) & 1 : fill;
    v->d |= bit << i;
  }
}

static void insertion(const struct ptx_inst *pi, struct bench_values *v) {
  const unsigned msb = width(pi) - 1, pos = v->s[2] & 255, len = v->s[3] & 255;
  v->d = v->s[1];
  for (unsigned i = 0; i < len && pos + i <= msb; i++) {
    v->d &= ~(UINT64_C(1) << (pos + i));
    v->d |= (v->s[0] >> i & 1) << (pos + i);
  }
}

static void extension(const struct ptx_inst *pi, struct bench_values *v) {
  const bool too_large = v->s[1] >= 32 && ptx_has(pi, PTX_M_clamp);
  const unsigned n = v->s[1] & 31;
  const uint32_t mask = too_large ? 0 : UINT32_MAX << n;
  const bool fill = n && !too_large && is_signed(pi) && (v->s[0] >> (n - 1) & 1);
  v->d = fill ? v->s[0] | mask : v->s[0] & ~(uint64_t)mask;
}

static void mask_of_bits(const struct ptx_inst *pi, struct bench_values *v) {
  const bool clamps = ptx_has(pi, PTX_M_clamp);
  const unsigned at = v->s[0] & 31, n = v->s[1] & 31;
  const uint64_t from = clamps && v->s[0] >= 32 ? 0 : UINT32_MAX & ~((UINT64_C(1) << at) - 1);
  const bool to_the_top = at + n >= 32 || (clamps && (v->s[0] >= 32 || v->s[1] >= 32));
  v->d = to_the_top ? from : from & ((UINT64_C(1) << (at + n)) - 1);
}

static void test_permutes_bytes_in_every_mode(void **state) {
  (void)state;
  static const char *const texts[] = {"prmt.b32",     "prmt.b32.f4e", "prmt.b32.b4e", "prmt.b32.rc8",
                                      "prmt.b32.ecl", "prmt.b32.ecr", "prmt.b32.rc16"};
  for (unsigned k = 0; k < 7; k++) bench_check(texts[k], "SSSS", 32, permutation);
}
static void test_counts_finds_and_reverses_bits(void **state) {
  (void)state;
  for_types("popc.%s", "b32 b64", "S0", count);
  for_types("clz.%s", "b32 b64", "S0", count);
  for_types("bfind.%s", "u32 s32 u64 s64", "S0", find);
  for_types("bfind.shiftamt.%s", "u32 s32 u64 s64", "S0", find);
  for_types("brev.%s", "b32 b64", "00", reversal);
  bench_check("fns.b32", "SSSS", 32, nth_one);
}
static void test_extracts_and_inserts_fields(void **state) {
  (void)state;
  for_types("bfe.%s", "u32 s32 u64 s64", "00SS", extraction);
  for_types("bfi.%s", "b32 b64", "000SS", insertion);
  for_types("szext.clamp.%s", "u32 s32", "SSS", extension);
  for_types("szext.wrap.%s", "u32 s32", "SSS", extension);
  bench_check("bmsk.clamp.b32", "SSS", 32, mask_of_bits);
  bench_check("bmsk.wrap.b32", "SSS", 32, mask_of_bits);
}

static void test_refuses_what_the_isa_does_not_have(void **state) {
  (void)state;
  bench_refused("add.sat.u32", "SSS");
  bench_refused("add.ftz.s32", "SSS");
  bench_refused("add.cc.u16", "SSS");
  bench_refused("mul.s32", "SSS");
  bench_refused("mul.wide.u64", "LLL");
  bench_refused("mad.lo.sat.s32", "SSSS");
  bench_refused("and.s32", "SSS");
  bench_refused("popc.b16", "SS");
  bench_refused("shl.s32", "SSS");
  bench_refused("add.s32", "SSSS");
  bench_refused("abs.u32", "SS");
  bench_refused("shf.l.b32", "SSSS");
  bench_refused("lop3.b32", "SSSSS"); /* the table is a register */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_adds_and_subtracts_modulo_the_width),
      cmocka_unit_test(test_saturates_s32),
      cmocka_unit_test(test_carries_from_one_instruction_to_the_next),
      cmocka_unit_test(test_finds_minimum_and_maximum),
      cmocka_unit_test(test_takes_absolute_values_and_differences),
      cmocka_unit_test(test_multiplies_low_high_and_wide),
      cmocka_unit_test(test_multiply_adds_carry),
      cmocka_unit_test(test_multiplies_24_bits),
      cmocka_unit_test(test_sums_products_of_bytes),
      cmocka_unit_test(test_divides_also_by_zero_and_minus_one),
      cmocka_unit_test(test_combines_bits_and_predicates),
      cmocka_unit_test(test_shifts_clamp_their_amount),
      cmocka_unit_test(test_funnel_shifts),
      cmocka_unit_test(test_looks_up_every_function_of_three_bits),
      cmocka_unit_test(test_permutes_bytes_in_every_mode),
      cmocka_unit_test(test_counts_finds_and_reverses_bits),
      cmocka_unit_test(test_extracts_and_inserts_fields),
      cmocka_unit_test(test_refuses_what_the_isa_does_not_have),
  };
  return cmocka_run_group_tests_name("integer lanes", tests, NULL, NULL);
}
