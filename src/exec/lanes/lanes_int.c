/* Integer arithmetic, logic, shifts, bit fields and carry chains, 32 lanes at a time; compiled once per host instruction set.
 *
 * A function exists once per behaviour, not once per type: 16-bit values live in the low half of a 32-bit row whose upper half is never
 * read, so operations that only move information upwards (add, mul.lo, shl, logic) are shared with the 32-bit form. The tables at the end
 * say which function serves which variant; a variant without a row is not legal PTX. All arithmetic is on unsigned types or cannot
 * overflow, because an expression is also evaluated for inactive lanes. */
#include "exec/arith.h"
#include "exec/lanes/lanes.h"

typedef uint32_t u32;
typedef int32_t s32;
typedef uint64_t u64;
typedef int64_t s64;
typedef unsigned __int128 u128;
typedef __int128 s128;

static inline u32 low16(u32 x) { return x & 0xffffu; }
static inline s32 signed16(u32 x) { return (int16_t)x; }
static inline u32 pack16(u32 hi, u32 lo) { return hi << 16 | low16(lo); }

/* ---- add, subtract, sign, minimum ---------------------------------------------------------------------- */

static inline u32 add_sat(u32 x, u32 y) {
  const u32 r = x + y, limit = (x >> 31) + INT32_MAX;
  return (s32)((x ^ r) & (y ^ r)) < 0 ? limit : r;
}
static inline u32 sub_sat(u32 x, u32 y) {
  const u32 r = x - y, limit = (x >> 31) + INT32_MAX;
  return (s32)((x ^ y) & (x ^ r)) < 0 ? limit : r;
}

EXEC_OP2(add_32, u32, u32, u32, x + y)
EXEC_OP2(add_64, u64, u64, u64, x + y)
EXEC_OP2(add_sat_s32, u32, u32, u32, add_sat(x, y))
EXEC_OP2(add_16x2, u32, u32, u32, pack16((x >> 16) + (y >> 16), x + y))
EXEC_OP2(sub_32, u32, u32, u32, x - y)
EXEC_OP2(sub_64, u64, u64, u64, x - y)
EXEC_OP2(sub_sat_s32, u32, u32, u32, sub_sat(x, y))

EXEC_OP1(neg_32, u32, u32, 0 - x)
EXEC_OP1(neg_64, u64, u64, 0 - x)
EXEC_OP1(abs_s16, u32, u32, signed16(x) < 0 ? -signed16(x) : signed16(x))
EXEC_OP1(abs_s32, u32, u32, (s32)x < 0 ? 0 - x : x)
EXEC_OP1(abs_s64, u64, u64, (s64)x < 0 ? 0 - x : x)

#define LESSER(a, b)  ((a) < (b) ? (a) : (b))
#define GREATER(a, b) ((a) > (b) ? (a) : (b))
static inline s32 positive(s32 x) { return GREATER(x, 0); }

EXEC_OP2(min_u16, u32, u32, u32, LESSER(low16(x), low16(y)))
EXEC_OP2(min_s16, u32, u32, u32, LESSER(signed16(x), signed16(y)))
EXEC_OP2(min_u32, u32, u32, u32, LESSER(x, y))
EXEC_OP2(min_s32, s32, s32, s32, LESSER(x, y))
EXEC_OP2(min_u64, u64, u64, u64, LESSER(x, y))
EXEC_OP2(min_s64, s64, s64, s64, LESSER(x, y))
EXEC_OP2(min_relu_s32, s32, s32, s32, positive(LESSER(x, y)))
EXEC_OP2(max_u16, u32, u32, u32, GREATER(low16(x), low16(y)))
EXEC_OP2(max_s16, u32, u32, u32, GREATER(signed16(x), signed16(y)))
EXEC_OP2(max_u32, u32, u32, u32, GREATER(x, y))
EXEC_OP2(max_s32, s32, s32, s32, GREATER(x, y))
EXEC_OP2(max_u64, u64, u64, u64, GREATER(x, y))
EXEC_OP2(max_s64, s64, s64, s64, GREATER(x, y))
EXEC_OP2(max_relu_s32, s32, s32, s32, positive(GREATER(x, y)))

/* Two halves at once: F on the upper and on the lower half-word. */
#define HALVES(F)        pack16((u32)F(x >> 16, y >> 16), (u32)F(x, y))
#define MIN_U16(a, b)    LESSER(low16(a), low16(b))
#define MIN_S16(a, b)    LESSER(signed16(a), signed16(b))
#define MAX_U16(a, b)    GREATER(low16(a), low16(b))
#define MAX_S16(a, b)    GREATER(signed16(a), signed16(b))
#define MIN_RELU16(a, b) positive(MIN_S16(a, b))
#define MAX_RELU16(a, b) positive(MAX_S16(a, b))
EXEC_OP2(min_u16x2, u32, u32, u32, HALVES(MIN_U16))
EXEC_OP2(min_s16x2, u32, u32, u32, HALVES(MIN_S16))
EXEC_OP2(min_relu_s16x2, u32, u32, u32, HALVES(MIN_RELU16))
EXEC_OP2(max_u16x2, u32, u32, u32, HALVES(MAX_U16))
EXEC_OP2(max_s16x2, u32, u32, u32, HALVES(MAX_S16))
EXEC_OP2(max_relu_s16x2, u32, u32, u32, HALVES(MAX_RELU16))

#define DISTANCE(T, U, a, b) ((T)(a) < (T)(b) ? (U)(b) - (U)(a) : (U)(a) - (U)(b))
EXEC_OP3(sad_u16, u32, u32, u32, u32, z + DISTANCE(u32, u32, low16(x), low16(y)))
EXEC_OP3(sad_s16, u32, u32, u32, u32, z + DISTANCE(s32, u32, signed16(x), signed16(y)))
EXEC_OP3(sad_u32, u32, u32, u32, u32, z + DISTANCE(u32, u32, x, y))
EXEC_OP3(sad_s32, u32, u32, u32, u32, z + DISTANCE(s32, u32, x, y))
EXEC_OP3(sad_u64, u64, u64, u64, u64, z + DISTANCE(u64, u64, x, y))
EXEC_OP3(sad_s64, u64, u64, u64, u64, z + DISTANCE(s64, u64, x, y))

/* ---- multiply ------------------------------------------------------------------------------------------ */

static inline u32 high_u16(u32 x, u32 y) { return low16(x) * low16(y) >> 16; }
static inline u32 high_s16(u32 x, u32 y) { return (u32)(signed16(x) * signed16(y)) >> 16; }
static inline u32 high_u32(u32 x, u32 y) { return (u32)((u64)x * y >> 32); }
static inline u32 high_s32(u32 x, u32 y) { return (u32)((u64)((s64)(s32)x * (s32)y) >> 32); }
static inline u64 high_u64(u64 x, u64 y) { return (u64)((u128)x * y >> 64); }
static inline u64 high_s64(u64 x, u64 y) { return (u64)((u128)((s128)(s64)x * (s64)y) >> 64); }

EXEC_OP2(mul_lo_32, u32, u32, u32, x *y)
EXEC_OP2(mul_lo_64, u64, u64, u64, x *y)
EXEC_OP2(mul_hi_u16, u32, u32, u32, high_u16(x, y))
EXEC_OP2(mul_hi_s16, u32, u32, u32, high_s16(x, y))
EXEC_OP2(mul_hi_u32, u32, u32, u32, high_u32(x, y))
EXEC_OP2(mul_hi_s32, u32, u32, u32, high_s32(x, y))
EXEC_OP2(mul_hi_u64, u64, u64, u64, high_u64(x, y))
EXEC_OP2(mul_hi_s64, u64, u64, u64, high_s64(x, y))
EXEC_OP2(mul_wide_u16, u32, u32, u32, low16(x) * low16(y))
EXEC_OP2(mul_wide_s16, s32, u32, u32, signed16(x) * signed16(y))
EXEC_OP2(mul_wide_u32, u64, u32, u32, (u64)x *y)
EXEC_OP2(mul_wide_s32, s64, s32, s32, (s64)x *y)

EXEC_OP3(mad_lo_32, u32, u32, u32, u32, x *y + z)
EXEC_OP3(mad_lo_64, u64, u64, u64, u64, x *y + z)
EXEC_OP3(mad_hi_u16, u32, u32, u32, u32, high_u16(x, y) + z)
EXEC_OP3(mad_hi_s16, u32, u32, u32, u32, high_s16(x, y) + z)
EXEC_OP3(mad_hi_u32, u32, u32, u32, u32, high_u32(x, y) + z)
EXEC_OP3(mad_hi_s32, u32, u32, u32, u32, high_s32(x, y) + z)
EXEC_OP3(mad_hi_sat_s32, u32, u32, u32, u32, add_sat(high_s32(x, y), z))
EXEC_OP3(mad_hi_u64, u64, u64, u64, u64, high_u64(x, y) + z)
EXEC_OP3(mad_hi_s64, u64, u64, u64, u64, high_s64(x, y) + z)
EXEC_OP3(mad_wide_u16, u32, u32, u32, u32, low16(x) * low16(y) + z)
EXEC_OP3(mad_wide_s16, u32, u32, u32, u32, (u32)(signed16(x) * signed16(y)) + z)
EXEC_OP3(mad_wide_u32, u64, u32, u32, u64, (u64)x *y + z)
EXEC_OP3(mad_wide_s32, u64, s32, s32, u64, (u64)((s64)x *y) + z)

/* The 48-bit product of the low 24 bits of each. */
static inline u64 product24_u(u32 x, u32 y) { return (u64)(x & 0xffffffu) * (y & 0xffffffu); }
static inline u64 product24_s(u32 x, u32 y) {
  return (u64)((s64)((s32)(x << 8) >> 8) * ((s32)(y << 8) >> 8));
}
EXEC_OP2(mul24_lo_u32, u32, u32, u32, product24_u(x, y))
EXEC_OP2(mul24_hi_u32, u32, u32, u32, product24_u(x, y) >> 16)
EXEC_OP2(mul24_lo_s32, u32, u32, u32, product24_s(x, y))
EXEC_OP2(mul24_hi_s32, u32, u32, u32, product24_s(x, y) >> 16)
EXEC_OP3(mad24_lo_u32, u32, u32, u32, u32, (u32)product24_u(x, y) + z)
EXEC_OP3(mad24_hi_u32, u32, u32, u32, u32, (u32)(product24_u(x, y) >> 16) + z)
EXEC_OP3(mad24_lo_s32, u32, u32, u32, u32, (u32)product24_s(x, y) + z)
EXEC_OP3(mad24_hi_s32, u32, u32, u32, u32, (u32)(product24_s(x, y) >> 16) + z)
EXEC_OP3(mad24_hi_sat_s32, u32, u32, u32, u32, add_sat((u32)(product24_s(x, y) >> 16), z))

/* Dot products of bytes with bytes, or of half-words with the lower or upper pair of bytes. */
#define BYTE_TERM(TA, TB, k) (s32)(TA)(x >> 8 * (k)) * (s32)(TB)(y >> 8 * (k))
#define DOT4(TA, TB)                                                                                         \
  z + (u32)(BYTE_TERM(TA, TB, 0) + BYTE_TERM(TA, TB, 1) + BYTE_TERM(TA, TB, 2) + BYTE_TERM(TA, TB, 3))
#define DOT2(TA, TB, at)                                                                                     \
  z + (u32)((s32)(TA)x * (TB)(y >> (at))) + (u32)((s32)(TA)(x >> 16) * (TB)(y >> ((at) + 8)))
EXEC_OP3(dp4a_uu, u32, u32, u32, u32, DOT4(uint8_t, uint8_t))
EXEC_OP3(dp4a_us, u32, u32, u32, u32, DOT4(uint8_t, int8_t))
EXEC_OP3(dp4a_su, u32, u32, u32, u32, DOT4(int8_t, uint8_t))
EXEC_OP3(dp4a_ss, u32, u32, u32, u32, DOT4(int8_t, int8_t))
EXEC_OP3(dp2a_lo_uu, u32, u32, u32, u32, DOT2(uint16_t, uint8_t, 0))
EXEC_OP3(dp2a_lo_us, u32, u32, u32, u32, DOT2(uint16_t, int8_t, 0))
EXEC_OP3(dp2a_lo_su, u32, u32, u32, u32, DOT2(int16_t, uint8_t, 0))
EXEC_OP3(dp2a_lo_ss, u32, u32, u32, u32, DOT2(int16_t, int8_t, 0))
EXEC_OP3(dp2a_hi_uu, u32, u32, u32, u32, DOT2(uint16_t, uint8_t, 16))
EXEC_OP3(dp2a_hi_us, u32, u32, u32, u32, DOT2(uint16_t, int8_t, 16))
EXEC_OP3(dp2a_hi_su, u32, u32, u32, u32, DOT2(int16_t, uint8_t, 16))
EXEC_OP3(dp2a_hi_ss, u32, u32, u32, u32, DOT2(int16_t, int8_t, 16))

/* ---- divide -------------------------------------------------------------------------------------------- */

/* Quotients of 16 bits are exact in f32 and of 32 bits in f64 (the distance of a quotient from the next integer is more than its rounding
 * error), and those divisions have vector instructions. A divisor of zero gives all ones, for quotient and remainder; the most negative
 * number by -1 gives itself. No condition is a branch, because the compiler must not execute a float division that the program would
 * not. */
static inline u32 quotient_u16(u32 x, u32 y) {
  return (u32)(s32)((float)(s32)x / (float)(s32)(y + (y == 0)));
}
static inline u32 quotient_s16(s32 x, s32 y) { return (u32)(s32)((float)x / (float)(y + (y == 0))); }
#if defined(__AVX2__)
static inline double double_of(u32 x) { return (double)(s32)(x ^ 0x80000000u) + 2147483648.0; }
static inline u32 quotient_u32(u32 x, u32 y) {
  const double q = __builtin_floor(double_of(x) / double_of(y + (y == 0)));
  return (u32)(s32)(q - 2147483648.0) ^ 0x80000000u;
}
static inline u32 quotient_s32(u32 x, u32 y) {
  const u32 negative = 0 - (u32)(y == UINT32_MAX);
  const s32 divisor = (s32)((y ^ negative) + (y == 0) + (y == UINT32_MAX));
  return ((u32)(s32)((double)(s32)x / (double)divisor) ^ negative) - negative;
}
#else
static inline u32 quotient_u32(u32 x, u32 y) { return x / (y + (y == 0)); }
static inline u32 quotient_s32(u32 x, u32 y) {
  if (y == UINT32_MAX) return 0 - x;
  return (u32)((s32)x / (s32)(y + (y == 0)));
}
#endif
static inline u64 quotient_u64(u64 x, u64 y) { return x / (y + (y == 0)); }
static inline u64 quotient_s64(u64 x, u64 y) {
  if (y == UINT64_MAX) return 0 - x;
  return (u64)((s64)x / (s64)(y + (y == 0)));
}

#define OR_ONES(T, result, divisor) ((result) | (0 - (T)((divisor) == 0)))
EXEC_OP2(div_u16, u32, u32, u32, OR_ONES(u32, quotient_u16(low16(x), low16(y)), low16(y)))
EXEC_OP2(div_s16, u32, u32, u32, OR_ONES(u32, quotient_s16(signed16(x), signed16(y)), low16(y)))
EXEC_OP2(div_u32, u32, u32, u32, OR_ONES(u32, quotient_u32(x, y), y))
EXEC_OP2(div_s32, u32, u32, u32, OR_ONES(u32, quotient_s32(x, y), y))
EXEC_OP2(div_u64, u64, u64, u64, OR_ONES(u64, quotient_u64(x, y), y))
EXEC_OP2(div_s64, u64, u64, u64, OR_ONES(u64, quotient_s64(x, y), y))
EXEC_OP2(rem_u16, u32, u32, u32, OR_ONES(u32, x - quotient_u16(low16(x), low16(y)) * y, low16(y)))
EXEC_OP2(rem_s16, u32, u32, u32, OR_ONES(u32, x - quotient_s16(signed16(x), signed16(y)) * y, low16(y)))
EXEC_OP2(rem_u32, u32, u32, u32, OR_ONES(u32, x - quotient_u32(x, y) * y, y))
EXEC_OP2(rem_s32, u32, u32, u32, OR_ONES(u32, x - quotient_s32(x, y) * y, y))
EXEC_OP2(rem_u64, u64, u64, u64, OR_ONES(u64, x - quotient_u64(x, y) * y, y))
EXEC_OP2(rem_s64, u64, u64, u64, OR_ONES(u64, x - quotient_s64(x, y) * y, y))

/* ---- logic and shifts ---------------------------------------------------------------------------------- */

EXEC_OP2(and_32, u32, u32, u32, x &y)
EXEC_OP2(and_64, u64, u64, u64, x &y)
EXEC_OP2(or_32, u32, u32, u32, x | y)
EXEC_OP2(or_64, u64, u64, u64, x | y)
EXEC_OP2(xor_32, u32, u32, u32, x ^ y)
EXEC_OP2(xor_64, u64, u64, u64, x ^ y)
EXEC_OP1(not_32, u32, u32, ~x)
EXEC_OP1(not_64, u64, u64, ~x)
EXEC_OP1(cnot_16, u32, u32, low16(x) == 0)
EXEC_OP1(cnot_32, u32, u32, x == 0)
EXEC_OP1(cnot_64, u64, u64, x == 0)

static void and_pred(struct exec_warp *w, const struct exec_inst *in) {
  exec_set_pred(w, in->d, exec_pred(w, in->a) & exec_pred(w, in->b));
}
static void or_pred(struct exec_warp *w, const struct exec_inst *in) {
  exec_set_pred(w, in->d, exec_pred(w, in->a) | exec_pred(w, in->b));
}
static void xor_pred(struct exec_warp *w, const struct exec_inst *in) {
  exec_set_pred(w, in->d, exec_pred(w, in->a) ^ exec_pred(w, in->b));
}
static void not_pred(struct exec_warp *w, const struct exec_inst *in) {
  exec_set_pred(w, in->d, ~exec_pred(w, in->a));
}

/* Shift amounts are unsigned 32-bit numbers whatever the type; those beyond the width act as the width. */
EXEC_OP2(shl_32, u32, u32, u32, y > 31 ? 0 : x << (y & 31))
EXEC_OP2(shl_64, u64, u64, u32, y > 63 ? 0 : x << (y & 63))
EXEC_OP2(shr_u16, u32, u32, u32, y > 31 ? 0 : low16(x) >> (y & 31))
EXEC_OP2(shr_u32, u32, u32, u32, y > 31 ? 0 : x >> (y & 31))
EXEC_OP2(shr_u64, u64, u64, u32, y > 63 ? 0 : x >> (y & 63))
EXEC_OP2(shr_s16, u32, u32, u32, signed16(x) >> LESSER(y, 31))
EXEC_OP2(shr_s32, s32, s32, u32, x >> LESSER(y, 31))
EXEC_OP2(shr_s64, s64, s64, u32, x >> LESSER(y, 63))

/* Funnel shifts of y:x by z. */
static inline u64 joined(u32 hi, u32 lo) { return (u64)hi << 32 | lo; }
EXEC_OP3(shf_l_clamp, u32, u32, u32, u32, joined(y, x) << LESSER(z, 32) >> 32)
EXEC_OP3(shf_l_wrap, u32, u32, u32, u32, joined(y, x) << (z & 31) >> 32)
EXEC_OP3(shf_r_clamp, u32, u32, u32, u32, joined(y, x) >> LESSER(z, 32))
EXEC_OP3(shf_r_wrap, u32, u32, u32, u32, joined(y, x) >> (z & 31))

/* Any function of three bits, as a tree of selections: masks[k] is all ones if bit k of the table is set. */
struct table3 {
  u32 mask[8];
};
static inline struct table3 table3_of(int64_t lut) {
  struct table3 t;
  for (int k = 0; k < 8; k++) t.mask[k] = (lut >> k & 1) ? UINT32_MAX : 0;
  return t;
}
static inline u32 choose(u32 which, u32 zero, u32 one) { return zero ^ (which & (zero ^ one)); }
static inline u32 lookup3(const struct table3 *t, u32 x, u32 y, u32 z) {
  const u32 x0y0 = choose(z, t->mask[0], t->mask[1]), x0y1 = choose(z, t->mask[2], t->mask[3]);
  const u32 x1y0 = choose(z, t->mask[4], t->mask[5]), x1y1 = choose(z, t->mask[6], t->mask[7]);
  return choose(x, choose(y, x0y0, x0y1), choose(y, x1y0, x1y1));
}

static void lop3(struct exec_warp *w, const struct exec_inst *in) {
  const u32 *const a = EXEC_ROW(w, in->a, u32), *const b = EXEC_ROW(w, in->b, u32),
                   *const c = EXEC_ROW(w, in->c, u32);
  const struct table3 t = table3_of(in->imm);
  EXEC_TO_ROW(u32, result = lookup3(&t, a[i], b[i], c[i]););
}

/* lop3.BoolOp: also a predicate, (result != 0) BoolOp q. */
static void lop3_bool(struct exec_warp *w, const struct exec_inst *in) {
  const struct exec_arith_more *const more = in->aux;
  const u32 *const a = EXEC_ROW(w, in->a, u32), *const b = EXEC_ROW(w, in->b, u32),
                   *const c = EXEC_ROW(w, in->c, u32);
  const struct table3 t = table3_of(in->imm);
  u32 result[EXEC_LANES] EXEC_ALIGNED, nonzero[EXEC_LANES] EXEC_ALIGNED;
  EXEC_EACH_LANE(i) {
    result[i] = lookup3(&t, a[i], b[i], c[i]);
    nonzero[i] = result[i] ? UINT32_MAX : 0;
  }
  const u32 p = exec_gather32(nonzero), q = exec_pred(w, more->e);
  if (in->d.file != EXEC_FNONE) exec_merge32(EXEC_ROW(w, in->d, u32), result, w->mask);
  exec_set_pred(w, more->p, more->bool_op == PTX_M_and ? p & q : p | q);
}

/* ---- permute bytes ------------------------------------------------------------------------------------- */

/* Byte k of the result is the byte of y:x that nibble k of the selector names; with bit 3 its sign,
 * replicated. */
static inline u32 chosen_byte(u32 x, u32 y, u32 nibble) {
  const u32 at_top = ((nibble & 4) ? y : x) << (24 - (nibble & 3) * 8);
  return (u32)((s32)at_top >> ((nibble & 8) ? 31 : 24)) & 0xffu;
}
static inline u32 permute(u32 x, u32 y, u32 selector) {
  return chosen_byte(x, y, selector) | chosen_byte(x, y, selector >> 4) << 8 |
         chosen_byte(x, y, selector >> 8) << 16 | chosen_byte(x, y, selector >> 12) << 24;
}
/* The other modes pick one of four fixed selectors. */
#define FOUR(z, s0, s1, s2, s3) (((z)&2) ? ((z)&1) ? (s3) : (s2) : ((z)&1) ? (s1) : (s0))
EXEC_OP3(prmt, u32, u32, u32, u32, permute(x, y, z))
EXEC_OP3(prmt_f4e, u32, u32, u32, u32, permute(x, y, FOUR(z, 0x3210u, 0x4321u, 0x5432u, 0x6543u)))
EXEC_OP3(prmt_b4e, u32, u32, u32, u32, permute(x, y, FOUR(z, 0x5670u, 0x6701u, 0x7012u, 0x0123u)))
EXEC_OP3(prmt_rc8, u32, u32, u32, u32, permute(x, y, FOUR(z, 0x0000u, 0x1111u, 0x2222u, 0x3333u)))
EXEC_OP3(prmt_ecl, u32, u32, u32, u32, permute(x, y, FOUR(z, 0x3210u, 0x3211u, 0x3222u, 0x3333u)))
EXEC_OP3(prmt_ecr, u32, u32, u32, u32, permute(x, y, FOUR(z, 0x0000u, 0x1110u, 0x2210u, 0x3210u)))
EXEC_OP3(prmt_rc16, u32, u32, u32, u32, permute(x, y, FOUR(z, 0x1010u, 0x3232u, 0x1010u, 0x3232u)))

/* ---- counting and finding bits ------------------------------------------------------------------------- */

/* Written with shifts and adds, which have vector instructions on every host. */
static inline u32 ones_in32(u32 x) {
  x -= x >> 1 & 0x55555555u;
  x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
  x = (x + (x >> 4)) & 0x0f0f0f0fu;
  x += x >> 8;
  return (x + (x >> 16)) & 63;
}
static inline u64 ones_in64(u64 x) {
  x -= x >> 1 & 0x5555555555555555u;
  x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
  x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
  x += x >> 8;
  x += x >> 16;
  return (x + (x >> 32)) & 127;
}
static inline u32 leading32(u32 x) {
  x |= x >> 1;
  x |= x >> 2;
  x |= x >> 4;
  x |= x >> 8;
  return ones_in32(~(x | x >> 16));
}
static inline u32 leading64(u64 x) {
  x |= x >> 1;
  x |= x >> 2;
  x |= x >> 4;
  x |= x >> 8;
  x |= x >> 16;
  return (u32)ones_in64(~(x | x >> 32));
}
static inline u32 magnitude32(u32 x) { return x ^ (u32)((s32)x >> 31); }
static inline u64 magnitude64(u64 x) { return x ^ (u64)((s64)x >> 63); }
EXEC_OP1(popc_32, u32, u32, ones_in32(x))
EXEC_OP1(popc_64, u32, u64, ones_in64(x))
EXEC_OP1(clz_32, u32, u32, leading32(x))
EXEC_OP1(clz_64, u32, u64, leading64(x))

/* The position of the highest one (of the highest bit that differs from the sign), or the shift that moves it to the top; all ones if there
 * is none. A count of leading zeros equal to the width wraps to all ones by itself. */
EXEC_OP1(bfind_u32, u32, u32, 31 - leading32(x))
EXEC_OP1(bfind_s32, u32, u32, 31 - leading32(magnitude32(x)))
EXEC_OP1(bfind_u64, u32, u64, 63 - leading64(x))
EXEC_OP1(bfind_s64, u32, u64, 63 - leading64(magnitude64(x)))
EXEC_OP1(bfind_shift_u32, u32, u32, x ? leading32(x) : UINT32_MAX)
EXEC_OP1(bfind_shift_s32, u32, u32, magnitude32(x) ? leading32(magnitude32(x)) : UINT32_MAX)
EXEC_OP1(bfind_shift_u64, u32, u64, x ? leading64(x) : UINT32_MAX)
EXEC_OP1(bfind_shift_s64, u32, u64, magnitude64(x) ? leading64(magnitude64(x)) : UINT32_MAX)

static inline u32 reversed32(u32 x) {
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
  x = (x >> 8 & 0x00ff00ffu) | (x & 0x00ff00ffu) << 8;
  return x >> 16 | x << 16;
}
static inline u64 reversed64(u64 x) { return joined(reversed32((u32)x), reversed32((u32)(x >> 32))); }
EXEC_OP1(brev_32, u32, u32, reversed32(x))
EXEC_OP1(brev_64, u64, u64, reversed64(x))

/* The position of the offset-th one of mask, counted from base upwards or downwards. */
static inline u32 nth_set(u32 mask, u32 base, s32 offset) {
  if (base > 31) return UINT32_MAX;
  if (offset == INT32_MIN) return 0; /* as the hardware does */
  if (offset == 0) return (mask >> base & 1) ? base : UINT32_MAX;
  const s32 step = offset > 0 ? 1 : -1;
  u32 left = offset > 0 ? (u32)offset : 0 - (u32)offset;
  for (s32 at = (s32)base; at >= 0 && at < 32; at += step)
    if ((mask >> at & 1) && --left == 0) return (u32)at;
  return UINT32_MAX;
}
EXEC_OP3(fns, u32, u32, u32, s32, nth_set(x, y, z))

/* ---- bit fields ---------------------------------------------------------------------------------------- */

static inline u32 ones32(u32 n) { return n > 31 ? UINT32_MAX : (1u << (n & 31)) - 1; }
static inline u64 ones64(u32 n) { return n > 63 ? UINT64_MAX : ((u64)1 << (n & 63)) - 1; }
static inline u32 extract_u32(u32 x, u32 at, u32 n) { return at > 31 ? 0 : x >> (at & 31) & ones32(n); }
static inline u64 extract_u64(u64 x, u32 at, u32 n) { return at > 63 ? 0 : x >> (at & 63) & ones64(n); }
/* Above the top bit the sign continues, which an arithmetic shift provides. */
static inline s32 extract_s32(s32 x, u32 at, u32 n) {
  const u32 spare = n > 31 ? 0 : (32 - n) & 31;
  const s32 field = (s32)((u32)(x >> LESSER(at, 31)) << spare) >> spare;
  return n == 0 ? 0 : field;
}
static inline s64 extract_s64(s64 x, u32 at, u32 n) {
  const u32 spare = n > 63 ? 0 : (64 - n) & 63;
  const s64 field = (s64)((u64)(x >> LESSER(at, 63)) << spare) >> spare;
  return n == 0 ? 0 : field;
}
EXEC_OP3(bfe_u32, u32, u32, u32, u32, extract_u32(x, y & 255, z & 255))
EXEC_OP3(bfe_s32, s32, s32, u32, u32, extract_s32(x, y & 255, z & 255))
EXEC_OP3(bfe_u64, u64, u64, u32, u32, extract_u64(x, y & 255, z & 255))
EXEC_OP3(bfe_s64, s64, s64, u32, u32, extract_s64(x, y & 255, z & 255))

/* bfi: the low bits of a into b. */
#define INSERT(NAME, T, WIDTH, ONES)                                                                         \
  static void NAME(struct exec_warp *w, const struct exec_inst *in) {                                        \
    const struct exec_arith_more *const more = in->aux;                                                      \
    const T *const a = EXEC_ROW(w, in->a, T), *const b = EXEC_ROW(w, in->b, T);                              \
    const u32 *const c = EXEC_ROW(w, in->c, u32), *const e = EXEC_ROW(w, more->e, u32);                      \
    EXEC_TO_ROW(T, const u32 at = c[i] & 255;                                                                \
                const T field = at >= WIDTH ? 0 : ONES(e[i] & 255) << (at & (WIDTH - 1));                    \
                result = (b[i] & ~field) | (a[i] << (at & (WIDTH - 1)) & field););                           \
  }
INSERT(bfi_32, u32, 32, ones32)
INSERT(bfi_64, u64, 64, ones64)

/* Sign- or zero-extends from n bits; clamp: 32 bits or more keep the value, wrap: n modulo 32. */
static inline u32 extend_u(u32 x, u32 n) { return n > 31 ? x : x & ones32(n); }
static inline u32 extend_s(u32 x, u32 n) { return n > 31 ? x : (u32)extract_s32((s32)x, 0, n); }
EXEC_OP2(szext_clamp_u32, u32, u32, u32, extend_u(x, y))
EXEC_OP2(szext_clamp_s32, u32, u32, u32, extend_s(x, y))
EXEC_OP2(szext_wrap_u32, u32, u32, u32, extend_u(x, y & 31))
EXEC_OP2(szext_wrap_s32, u32, u32, u32, extend_s(x, y & 31))

/* y ones from bit x on. */
static inline u32 bit_mask(u32 at, u32 n) { return at > 31 ? 0 : ones32(n) << (at & 31); }
EXEC_OP2(bmsk_clamp, u32, u32, u32, bit_mask(x, y))
EXEC_OP2(bmsk_wrap, u32, u32, u32, bit_mask(x & 31, y & 31))

/* ---- carry chains -------------------------------------------------------------------------------------- */

/* The lane's carry is 1 or 0 in `carry`. P, Q over x, y, z are added (or Q subtracted) with or without it; the .cc forms keep the carry
 * out. As in hardware, a subtraction adds the complement: its carry is set if there is no borrow, which shows if additions and subtractions
 * follow each other in a chain. */
#define CHAIN(NAME, T, SOURCES, KEEP, CARRY_IN, P, Q, RESULT, CARRY_OUT)                                     \
  static void NAME(struct exec_warp *w, const struct exec_inst *in) {                                        \
    const T *const a = EXEC_ROW(w, in->a, T), *const b = EXEC_ROW(w, in->b, T);                              \
    const T *const c = SOURCES == 3 ? EXEC_ROW(w, in->c, T) : a;                                             \
    const T before = w->carry;                                                                               \
    T out[EXEC_LANES] EXEC_ALIGNED;                                                                          \
    EXEC_TO_ROW(T, const T x = a[i]; const T y = b[i]; const T z = c[i]; (void)z; (void)before;              \
                const T carry = CARRY_IN && (before & EXEC_LANE_BIT(T)[i]) ? 1 : 0; const T p = P;           \
                const T q = Q; result = RESULT; out[i] = (CARRY_OUT) ? (T)-1 : 0;);                          \
    if (KEEP) w->carry = (w->carry & ~w->mask) | (GATHER(T, out) & w->mask);                                 \
  }
#define GATHER(T, t)                                                                                         \
  (sizeof(T) == 8 ? exec_gather64((const u64 *)(const void *)(t))                                            \
                  : exec_gather32((const u32 *)(const void *)(t)))
#define CHAIN_ADD(NAME, T, SOURCES, KEEP, CARRY_IN, P, Q)                                                    \
  CHAIN(NAME, T, SOURCES, KEEP, CARRY_IN, P, Q, p + q + carry, (T)(p + q) < p || (T)(p + q + carry) < carry)
#define CHAIN_SUB(NAME, T, KEEP, CARRY_IN)                                                                   \
  CHAIN(NAME, T, 2, KEEP, CARRY_IN, x, y, p - q - (CARRY_IN ? 1 - carry : 0),                                \
        p > q || (p == q && (!CARRY_IN || carry)))
/* All forms for one product: mad.cc, madc, madc.cc. */
#define CHAIN_MAD(NAME, T, PRODUCT)                                                                          \
  CHAIN_ADD(mad_cc_##NAME, T, 3, true, false, PRODUCT, z)                                                    \
  CHAIN_ADD(madc_##NAME, T, 3, false, true, PRODUCT, z)                                                      \
  CHAIN_ADD(madc_cc_##NAME, T, 3, true, true, PRODUCT, z)
#define CHAINS(WIDTH, T)                                                                                     \
  CHAIN_ADD(add_cc_##WIDTH, T, 2, true, false, x, y)                                                         \
  CHAIN_ADD(addc_##WIDTH, T, 2, false, true, x, y)                                                           \
  CHAIN_ADD(addc_cc_##WIDTH, T, 2, true, true, x, y)                                                         \
  CHAIN_SUB(sub_cc_##WIDTH, T, true, false)                                                                  \
  CHAIN_SUB(subc_##WIDTH, T, false, true)                                                                    \
  CHAIN_SUB(subc_cc_##WIDTH, T, true, true)                                                                  \
  CHAIN_MAD(lo_##WIDTH, T, x *y)                                                                             \
  CHAIN_MAD(hi_u##WIDTH, T, high_u##WIDTH(x, y))                                                             \
  CHAIN_MAD(hi_s##WIDTH, T, high_s##WIDTH(x, y))
CHAINS(32, u32)
CHAINS(64, u64)

/* ---- which variant is served by what ------------------------------------------------------------------- */

#define V(TYPE, FN, ...)                                                                                     \
  { .types = {PTX_##TYPE}, .mods = {__VA_ARGS__}, .fn = FN }
#define V2(TYPE, TYPE2, FN, ...)                                                                             \
  { .types = {PTX_##TYPE, PTX_##TYPE2}, .mods = {__VA_ARGS__}, .fn = FN }
#define LO    PTX_M_lo
#define HI    PTX_M_hi
#define WIDE_ PTX_M_wide
#define CC    PTX_M_cc
#define SAT   PTX_M_sat
/* Rows where signedness does not matter, where it does, and bit types. */
#define SAME_16(FN, ...) V(U16, FN, ##__VA_ARGS__), V(S16, FN, ##__VA_ARGS__)
#define SAME_32(FN, ...) V(U32, FN, ##__VA_ARGS__), V(S32, FN, ##__VA_ARGS__)
#define SAME_64(FN, ...) V(U64, FN, ##__VA_ARGS__), V(S64, FN, ##__VA_ARGS__)
#define EACH_32(FN, ...) V(U32, FN##u32, ##__VA_ARGS__), V(S32, FN##s32, ##__VA_ARGS__)
#define EACH_64(FN, ...) V(U64, FN##u64, ##__VA_ARGS__), V(S64, FN##s64, ##__VA_ARGS__)
#define EACH_16(FN, ...) V(U16, FN##u16, ##__VA_ARGS__), V(S16, FN##s16, ##__VA_ARGS__)
#define EACH(FN, ...)    EACH_16(FN, ##__VA_ARGS__), EACH_32(FN, ##__VA_ARGS__), EACH_64(FN, ##__VA_ARGS__)
#define ANY_BITS(FN, ...)                                                                                    \
  V(B16, FN##32, ##__VA_ARGS__), V(B32, FN##32, ##__VA_ARGS__), V(B64, FN##64, ##__VA_ARGS__)
#define WRAPPING(FN, ...)                                                                                    \
  SAME_16(FN##32, ##__VA_ARGS__), SAME_32(FN##32, ##__VA_ARGS__), SAME_64(FN##64, ##__VA_ARGS__)
#define DOT(FN, ...)                                                                                         \
  V2(U32, U32, FN##uu, ##__VA_ARGS__), V2(U32, S32, FN##us, ##__VA_ARGS__),                                  \
      V2(S32, U32, FN##su, ##__VA_ARGS__), V2(S32, S32, FN##ss, ##__VA_ARGS__)

static const struct exec_variant ADD[] = {WRAPPING(add_),         V(U16X2, add_16x2),
                                          V(S16X2, add_16x2),     V(S32, add_sat_s32, SAT),
                                          SAME_32(add_cc_32, CC), SAME_64(add_cc_64, CC)};
static const struct exec_variant SUB[] = {WRAPPING(sub_), V(S32, sub_sat_s32, SAT), SAME_32(sub_cc_32, CC),
                                          SAME_64(sub_cc_64, CC)};
static const struct exec_variant ADDC[] = {WRAPPING(addc_), SAME_32(addc_cc_32, CC), SAME_64(addc_cc_64, CC)};
static const struct exec_variant SUBC[] = {WRAPPING(subc_), SAME_32(subc_cc_32, CC), SAME_64(subc_cc_64, CC)};
static const struct exec_variant MUL[] = {WRAPPING(mul_lo_, LO), EACH(mul_hi_, HI), EACH_32(mul_wide_, WIDE_),
                                          EACH_16(mul_wide_, WIDE_)};
static const struct exec_variant MAD[] = {WRAPPING(mad_lo_, LO),           EACH(mad_hi_, HI),
                                          EACH_32(mad_wide_, WIDE_),       EACH_16(mad_wide_, WIDE_),
                                          V(S32, mad_hi_sat_s32, HI, SAT), SAME_32(mad_cc_lo_32, LO, CC),
                                          SAME_64(mad_cc_lo_64, LO, CC),   EACH_32(mad_cc_hi_, HI, CC),
                                          EACH_64(mad_cc_hi_, HI, CC)};
static const struct exec_variant MADC[] = {WRAPPING(madc_lo_, LO),
                                           EACH_32(madc_hi_, HI),          EACH_64(madc_hi_, HI),
                                           SAME_32(madc_cc_lo_32, LO, CC), SAME_64(madc_cc_lo_64, LO, CC),
                                           EACH_32(madc_cc_hi_, HI, CC),   EACH_64(madc_cc_hi_, HI, CC)};
static const struct exec_variant MUL24[] = {EACH_32(mul24_lo_, LO), EACH_32(mul24_hi_, HI)};
static const struct exec_variant MAD24[] = {EACH_32(mad24_lo_, LO), EACH_32(mad24_hi_, HI),
                                            V(S32, mad24_hi_sat_s32, HI, SAT)};
static const struct exec_variant DP4A[] = {DOT(dp4a_)};
static const struct exec_variant DP2A[] = {DOT(dp2a_lo_, LO), DOT(dp2a_hi_, HI)};
static const struct exec_variant SAD[] = {EACH(sad_)};
static const struct exec_variant DIV_[] = {EACH(div_)};
static const struct exec_variant REM[] = {EACH(rem_)};
static const struct exec_variant ABS[] = {V(S16, abs_s16), V(S32, abs_s32), V(S64, abs_s64)};
static const struct exec_variant NEG[] = {V(S16, neg_32), V(S32, neg_32), V(S64, neg_64)};
static const struct exec_variant MIN[] = {EACH(min_), V(U16X2, min_u16x2), V(S16X2, min_s16x2),
                                          V(S32, min_relu_s32, PTX_M_relu),
                                          V(S16X2, min_relu_s16x2, PTX_M_relu)};
static const struct exec_variant MAX[] = {EACH(max_), V(U16X2, max_u16x2), V(S16X2, max_s16x2),
                                          V(S32, max_relu_s32, PTX_M_relu),
                                          V(S16X2, max_relu_s16x2, PTX_M_relu)};

static const struct exec_variant AND[] = {ANY_BITS(and_), V(PRED, and_pred)};
static const struct exec_variant OR[] = {ANY_BITS(or_), V(PRED, or_pred)};
static const struct exec_variant XOR[] = {ANY_BITS(xor_), V(PRED, xor_pred)};
static const struct exec_variant NOT[] = {ANY_BITS(not_), V(PRED, not_pred)};
static const struct exec_variant CNOT[] = {V(B16, cnot_16), V(B32, cnot_32), V(B64, cnot_64)};
static const struct exec_variant LOP3[] = {V(B32, lop3), V(B32, lop3_bool, PTX_M_and), V(B32, lop3_bool, PTX_M_or)};
static const struct exec_variant SHL[] = {ANY_BITS(shl_)};
static const struct exec_variant SHR[] = {EACH(shr_), V(B16, shr_u16), V(B32, shr_u32), V(B64, shr_u64)};
static const struct exec_variant SHF[] = {
    V(B32, shf_l_clamp, PTX_M_l, PTX_M_clamp), V(B32, shf_l_wrap, PTX_M_l, PTX_M_wrap),
    V(B32, shf_r_clamp, PTX_M_r, PTX_M_clamp), V(B32, shf_r_wrap, PTX_M_r, PTX_M_wrap)};
static const struct exec_variant PRMT[] = {
    V(B32, prmt),
    V(B32, prmt_f4e, PTX_M_f4e),
    V(B32, prmt_b4e, PTX_M_b4e),
    V(B32, prmt_rc8, PTX_M_rc8),
    V(B32, prmt_ecl, PTX_M_ecl),
    V(B32, prmt_ecr, PTX_M_ecr),
    V(B32, prmt_rc16, PTX_M_rc16),
};

static const struct exec_variant POPC[] = {V(B32, popc_32), V(B64, popc_64)};
static const struct exec_variant CLZ[] = {V(B32, clz_32), V(B64, clz_64)};
static const struct exec_variant BREV[] = {V(B32, brev_32), V(B64, brev_64)};
static const struct exec_variant FNS[] = {V(B32, fns)};
static const struct exec_variant BFIND[] = {EACH_32(bfind_), EACH_64(bfind_),
                                            EACH_32(bfind_shift_, PTX_M_shiftamt),
                                            EACH_64(bfind_shift_, PTX_M_shiftamt)};
static const struct exec_variant BFE[] = {EACH_32(bfe_), EACH_64(bfe_)};
static const struct exec_variant BFI[] = {V(B32, bfi_32), V(B64, bfi_64)};
static const struct exec_variant SZEXT[] = {EACH_32(szext_clamp_, PTX_M_clamp),
                                            EACH_32(szext_wrap_, PTX_M_wrap)};
static const struct exec_variant BMSK[] = {V(B32, bmsk_clamp, PTX_M_clamp), V(B32, bmsk_wrap, PTX_M_wrap)};

#define TABLE(rows)                                                                                          \
  { rows, sizeof rows / sizeof rows[0] }
static const struct exec_variants TABLES[PTX_OPS] = {
    [PTX_OP_add] = TABLE(ADD),   [PTX_OP_addc] = TABLE(ADDC),   [PTX_OP_sub] = TABLE(SUB),
    [PTX_OP_subc] = TABLE(SUBC), [PTX_OP_mul] = TABLE(MUL),     [PTX_OP_mad] = TABLE(MAD),
    [PTX_OP_madc] = TABLE(MADC), [PTX_OP_mul24] = TABLE(MUL24), [PTX_OP_mad24] = TABLE(MAD24),
    [PTX_OP_dp4a] = TABLE(DP4A), [PTX_OP_dp2a] = TABLE(DP2A),   [PTX_OP_sad] = TABLE(SAD),
    [PTX_OP_div] = TABLE(DIV_),  [PTX_OP_rem] = TABLE(REM),     [PTX_OP_abs] = TABLE(ABS),
    [PTX_OP_neg] = TABLE(NEG),   [PTX_OP_min] = TABLE(MIN),     [PTX_OP_max] = TABLE(MAX),
    [PTX_OP_and] = TABLE(AND),   [PTX_OP_or] = TABLE(OR),       [PTX_OP_xor] = TABLE(XOR),
    [PTX_OP_not] = TABLE(NOT),   [PTX_OP_cnot] = TABLE(CNOT),   [PTX_OP_lop3] = TABLE(LOP3),
    [PTX_OP_shl] = TABLE(SHL),   [PTX_OP_shr] = TABLE(SHR),     [PTX_OP_shf] = TABLE(SHF),
    [PTX_OP_prmt] = TABLE(PRMT), [PTX_OP_popc] = TABLE(POPC),   [PTX_OP_clz] = TABLE(CLZ),
    [PTX_OP_brev] = TABLE(BREV), [PTX_OP_fns] = TABLE(FNS),     [PTX_OP_bfind] = TABLE(BFIND),
    [PTX_OP_bfe] = TABLE(BFE),   [PTX_OP_bfi] = TABLE(BFI),     [PTX_OP_szext] = TABLE(SZEXT),
    [PTX_OP_bmsk] = TABLE(BMSK),
};

exec_fn EXEC_LANES_NAME(pick_int)(const struct ptx_inst *pi);
exec_fn EXEC_LANES_NAME(pick_int)(const struct ptx_inst *pi) {
  return pi->op < PTX_OPS ? exec_pick_variant(TABLES[pi->op], pi) : NULL;
}
