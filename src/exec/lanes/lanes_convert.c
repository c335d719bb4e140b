/* cvt of 32 lanes. Compiled once per host instruction set.
 *
 * Common conversions have loops of their own. All others go through one general function that works in stages from the description in
 * exec_inst.imm (convert.h): it reads the source into 32 doubles (every source except a 64-bit integer is exact in a double; 64-bit
 * integers keep a sticky last bit), rounds to whole numbers, clamps, and writes the destination.
 *
 * A float that does not fit an integer saturates. NaN becomes zero, or only the top bit if the source is f64 or the destination has 64
 * bits. Results of 8 and 16 bits are extended to their register according to the destination type. */
#include "exec/convert.h"
#include "exec/directed.h"

/* ---- integer to integer -------------------------------------------------------------------------------- */

/* D(S(x)): the source type truncates and extends, then the destination type does. */
#define INT_ROW32(D, S) EXEC_OP1(D##_from_##S, uint32_t, uint32_t, (uint32_t)(D##_value)(S##_value)x)
#define INT_TO32(S)     INT_ROW32(u8, S) INT_ROW32(s8, S) INT_ROW32(u16, S) INT_ROW32(s16, S) INT_ROW32(u32, S)
typedef uint8_t u8_value;
typedef int8_t s8_value;
typedef uint16_t u16_value;
typedef int16_t s16_value;
typedef uint32_t u32_value;
INT_TO32(u8)
INT_TO32(s8)
INT_TO32(u16)
INT_TO32(s16)
INT_TO32(u32)
EXEC_OP1(u8_from_u64, uint32_t, uint64_t, (uint8_t)x)
EXEC_OP1(s8_from_u64, uint32_t, uint64_t, (uint32_t)(int8_t)x)
EXEC_OP1(u16_from_u64, uint32_t, uint64_t, (uint16_t)x)
EXEC_OP1(s16_from_u64, uint32_t, uint64_t, (uint32_t)(int16_t)x)
EXEC_OP1(u32_from_u64, uint32_t, uint64_t, (uint32_t)x)
EXEC_OP1(u64_from_u8, uint64_t, uint32_t, (uint8_t)x)
EXEC_OP1(u64_from_s8, uint64_t, uint32_t, (uint64_t)(int8_t)x)
EXEC_OP1(u64_from_u16, uint64_t, uint32_t, (uint16_t)x)
EXEC_OP1(u64_from_s16, uint64_t, uint32_t, (uint64_t)(int16_t)x)
EXEC_OP1(u64_from_u32, uint64_t, uint32_t, x)
EXEC_OP1(u64_from_s32, uint64_t, uint32_t, (uint64_t)(int32_t)x)
EXEC_OP1(u64_from_u64, uint64_t, uint64_t, x)

/* Rows by destination, columns by source: u8 s8 u16 s16 u32 s32 u64/s64. */
static int int_column(enum ptx_type t) {
  switch (t) {
  case PTX_U8: return 0;
  case PTX_S8: return 1;
  case PTX_U16: return 2;
  case PTX_S16: return 3;
  case PTX_U32: return 4;
  case PTX_S32: return 5;
  case PTX_U64:
  case PTX_S64: return 6;
  default: return -1;
  }
}
#define INT_ROW(D)                                                                                           \
  { D##_from_u8, D##_from_s8, D##_from_u16, D##_from_s16, D##_from_u32, D##_from_u32, D##_from_u64 }
static const exec_fn int_table[7][7] = {
    INT_ROW(u8),
    INT_ROW(s8),
    INT_ROW(u16),
    INT_ROW(s16),
    INT_ROW(u32),
    INT_ROW(u32),
    {u64_from_u8, u64_from_s8, u64_from_u16, u64_from_s16, u64_from_u32, u64_from_s32, u64_from_u64},
};

/* ---- integer to float ---------------------------------------------------------------------------------- */

#define TO_FLOAT(NAME, TD, TA, EXPR)                                                                         \
  EXEC_KEEP_CALL(NAME)                                                                                       \
  EXEC_OP1(NAME, TD, TA, EXPR)                                                                               \
  EXEC_DIRECTIONS(NAME, NAME)                                                                                \
  static const exec_fn NAME##_table[4] = EXEC_BY_ROUND(NAME);
EXEC_OP1(f32_from_u8, float, uint32_t, (float)(uint8_t)x)
EXEC_OP1(f32_from_s8, float, uint32_t, (float)(int8_t)x)
EXEC_OP1(f32_from_u16, float, uint32_t, (float)(uint16_t)x)
EXEC_OP1(f32_from_s16, float, uint32_t, (float)(int16_t)x)
EXEC_OP1(f64_from_u32, double, uint32_t, (double)x)
EXEC_OP1(f64_from_s32, double, int32_t, (double)x)
/* On hosts without such an instruction, compilers compute zero as the difference of two equal numbers, which is -0 when rounding down. They
 * also know that a converted zero is +0 and would remove a plain test for it, so the sign to clear comes from a constant that is hidden
 * from them. */
#define ZERO32(x, r) exec_float(exec_bits32(r) & ~((x) ? 0u : exec_hidden_sign32))
#define ZERO64(x, r) exec_double(exec_bits64(r) & ~((x) ? (uint64_t)0 : exec_hidden_sign64))
TO_FLOAT(f32_from_u32, float, uint32_t, ZERO32(x, (float)x))
TO_FLOAT(f32_from_s32, float, int32_t, (float)x)
TO_FLOAT(f32_from_u64, float, uint64_t, ZERO32(x, (float)x))
TO_FLOAT(f32_from_s64, float, int64_t, ZERO32(x, (float)x))
TO_FLOAT(f64_from_u64, double, uint64_t, ZERO64(x, (double)x))
TO_FLOAT(f64_from_s64, double, int64_t, ZERO64(x, (double)x))

static exec_fn pick_to_float(struct exec_convert c) {
  const bool single = c.dst == PTX_F32;
  if (c.sat) return NULL;
  switch (c.src) {
  case PTX_U8: return single ? f32_from_u8 : NULL;
  case PTX_S8: return single ? f32_from_s8 : NULL;
  case PTX_U16: return single ? f32_from_u16 : NULL;
  case PTX_S16: return single ? f32_from_s16 : NULL;
  case PTX_U32: return single ? f32_from_u32_table[c.round] : f64_from_u32;
  case PTX_S32: return single ? f32_from_s32_table[c.round] : f64_from_s32;
  case PTX_U64: return single ? f32_from_u64_table[c.round] : f64_from_u64_table[c.round];
  case PTX_S64: return single ? f32_from_s64_table[c.round] : f64_from_s64_table[c.round];
  default: return NULL;
  }
}

/* ---- whole numbers ------------------------------------------------------------------------------------- */

/* Adding and subtracting 2^23 (2^52) rounds a magnitude to the nearest whole number; the other directions correct that by one. The sign of
 * x is applied in the end, for zeros. */
#define WHOLE(T, BITS, FROM_BITS, U, SIGN, LARGE)                                                            \
  static inline T nearest_##T(T x) {                                                                         \
    const T m = FROM_BITS(BITS(x) & ~SIGN), r = (m + LARGE) - LARGE;                                         \
    return FROM_BITS(BITS(m < LARGE ? r : m) | (BITS(x) & SIGN));                                            \
  }                                                                                                          \
  static inline T with_sign_##T(T r, T x) { return FROM_BITS((BITS(r) & ~SIGN) | (BITS(x) & SIGN)); }        \
  static inline T rni_##T(T x) { return nearest_##T(x); }                                                    \
  static inline T rmi_##T(T x) {                                                                             \
    const T r = nearest_##T(x);                                                                              \
    return with_sign_##T(r > x ? r - 1 : r, x);                                                              \
  }                                                                                                          \
  static inline T rpi_##T(T x) {                                                                             \
    const T r = nearest_##T(x);                                                                              \
    return with_sign_##T(r < x ? r + 1 : r, x);                                                              \
  }                                                                                                          \
  static inline T rzi_##T(T x) {                                                                             \
    const T m = FROM_BITS(BITS(x) & ~SIGN), r = nearest_##T(m);                                              \
    return with_sign_##T(r > m ? r - 1 : r, x);                                                              \
  }
WHOLE(float, exec_bits32, exec_float, uint32_t, 0x80000000u, 0x1p23f)
WHOLE(double, exec_bits64, exec_double, uint64_t, 0x8000000000000000u, 0x1p52)

#define WHOLE_LOOPS(DIR)                                                                                     \
  EXEC_OP1(whole_f32_##DIR, float, float, exec_nan32(DIR##_float(x)))                                        \
  EXEC_OP1(whole_f32_ftz_##DIR, float, float, exec_nan32(DIR##_float(exec_ftz32(x))))                        \
  EXEC_OP1(whole_f64_##DIR, double, double, exec_nan64_1(DIR##_double(x), x))
WHOLE_LOOPS(rni)
WHOLE_LOOPS(rzi)
WHOLE_LOOPS(rmi)
WHOLE_LOOPS(rpi)
#define BY_DIRECTION(NAME)                                                                                   \
  { NAME##_rni, NAME##_rzi, NAME##_rmi, NAME##_rpi }
static const exec_fn whole_f32_table[2][4] = {BY_DIRECTION(whole_f32), BY_DIRECTION(whole_f32_ftz)};
static const exec_fn whole_f64_table[4] = BY_DIRECTION(whole_f64);

/* ---- float to integer ---------------------------------------------------------------------------------- */

/* The clamped value is converted, then values that did not fit are replaced: every step is defined for every input. */
static inline int32_t s32_of(float whole) {
  const float low = whole > -0x1p31f ? whole : -0x1p31f, y = low < 0x1.fffffep30f ? low : 0x1.fffffep30f;
  const int32_t r = whole >= 0x1p31f ? INT32_MAX : (int32_t)y;
  return whole == whole ? r : 0;
}
static inline uint32_t u32_of(float whole) {
  const float low = whole > 0.0f ? whole : 0.0f, y = low < 0x1.fffffep31f ? low : 0x1.fffffep31f;
  return whole >= 0x1p32f ? UINT32_MAX : (uint32_t)y;
}
#define TO_INT_LOOPS(DIR, FTZ, IN)                                                                           \
  EXEC_OP1(s32_from_f32##FTZ##_##DIR, int32_t, float, s32_of(DIR##_float(IN(x))))                            \
  EXEC_OP1(u32_from_f32##FTZ##_##DIR, uint32_t, float, u32_of(DIR##_float(IN(x))))
#define AS_IT_IS(x) (x)
TO_INT_LOOPS(rni, , AS_IT_IS)
TO_INT_LOOPS(rmi, , AS_IT_IS)
TO_INT_LOOPS(rpi, , AS_IT_IS)
TO_INT_LOOPS(rmi, _ftz, exec_ftz32)
TO_INT_LOOPS(rpi, _ftz, exec_ftz32)
EXEC_OP1(s32_from_f32_rzi, int32_t, float, s32_of(x))
EXEC_OP1(u32_from_f32_rzi, uint32_t, float, u32_of(x))
/* Flushing changes .rmi and .rpi only. */
#define FTZ_BY_DIRECTION(NAME)                                                                               \
  { NAME##_rni, NAME##_rzi, NAME##_ftz_rmi, NAME##_ftz_rpi }
static const exec_fn s32_table[2][4] = {BY_DIRECTION(s32_from_f32), FTZ_BY_DIRECTION(s32_from_f32)};
static const exec_fn u32_table[2][4] = {BY_DIRECTION(u32_from_f32), FTZ_BY_DIRECTION(u32_from_f32)};

/* ---- float to float ------------------------------------------------------------------------------------ */

TO_FLOAT(f32_from_f64, float, double, (float)x)
TO_FLOAT(f32_from_f64_ftz, float, double, exec_ftz32((float)x))
EXEC_OP1(f64_from_f32, double, float, (double)x)
EXEC_OP1(f64_from_f32_ftz, double, float, (double)exec_nan32(exec_ftz32(x)))
EXEC_OP1(f32_from_f16, float, uint32_t, exec_nan32(exec_f16_to_float(x)))
EXEC_OP1(f32_from_bf16, float, uint32_t, exec_bf16_to_float(x))
EXEC_OP1(f32_from_bf16_ftz, float, uint32_t, exec_nan32(exec_ftz32(exec_bf16_to_float(x))))
EXEC_OP1(f16_from_f32, uint32_t, float, exec_f16_from_float(x))
EXEC_OP1(bf16_from_f32, uint32_t, float, exec_bf16_from_float(x))
EXEC_OP2(f16x2_from_f32, uint32_t, float, float, exec_f16_from_float(x) << 16 | exec_f16_from_float(y))
EXEC_OP2(bf16x2_from_f32, uint32_t, float, float, exec_bf16_from_float(x) << 16 | exec_bf16_from_float(y))

/* Ties away from zero at bit 13; the carry turns values that are too large into infinity. Values with the largest exponent, also NaN, are
 * only truncated. .satfinite goes one step back from there, for NaN as for infinity. */
static inline uint32_t tf32_rna(uint32_t u, uint32_t back) {
  const uint32_t special = (u & 0x7f800000u) == 0x7f800000u ? u : u + 0x1000u, r = special & ~0x1fffu;
  return (r & 0x7f800000u) == 0x7f800000u ? r - back : r;
}
EXEC_OP1(tf32_from_f32, uint32_t, uint32_t, tf32_rna(x, 0))
EXEC_OP1(tf32_satfinite, uint32_t, uint32_t, tf32_rna(x, 0x2000u))

/* ---- 8-bit floats: always nearest even, always saturating ---------------------------------------------- */

/* Like exec_f16_from_float, for other field widths. The smallest normal number has exponent 1 - bias. */
static inline uint32_t narrow8(float x, uint32_t mantissa, uint32_t bias, uint32_t largest, bool relu) {
  const uint32_t u = exec_bits32(x), m = u & 0x7fffffffu, drop = 23 - mantissa;
  const uint32_t sign = relu ? 0 : u >> 24 & 0x80u;
  const uint32_t magic = (127 + 24 - bias - mantissa) << 23; /* its last bit is the smallest subnormal */
  const uint32_t tiny = exec_bits32(exec_float(m) + exec_float(magic)) - magic;
  const uint32_t normal =
      ((m + ((1u << (drop - 1)) - 1) + (m >> drop & 1)) >> drop) - ((127 - bias) << mantissa);
  const uint32_t r = m < (128 - bias) << 23 ? tiny : normal, fits = r > largest ? largest : r;
  const uint32_t number = relu && u >> 31 ? 0 : fits | sign;
  return m > 0x7f800000u ? 0x7fu : number;
}
#define E4M3(x, relu) narrow8(x, 3, 7, 0x7e, relu)
#define E5M2(x, relu) narrow8(x, 2, 15, 0x7b, relu)
#define LOW16(x)      exec_f16_to_float((x)&0xffffu)
#define HIGH16(x)     exec_f16_to_float((x) >> 16)
#define NARROW8_LOOPS(NAME, F, RELU)                                                                         \
  EXEC_OP2(NAME##_from_f32, uint32_t, float, float, F(x, RELU) << 8 | F(y, RELU))                            \
  EXEC_OP1(NAME##_from_f16x2, uint32_t, uint32_t, F(HIGH16(x), RELU) << 8 | F(LOW16(x), RELU))
NARROW8_LOOPS(e4m3, E4M3, false)
NARROW8_LOOPS(e4m3_relu, E4M3, true)
NARROW8_LOOPS(e5m2, E5M2, false)
NARROW8_LOOPS(e5m2_relu, E5M2, true)

/* Widening: e5m2 is the upper half of an f16; e4m3 is rescaled in f32. */
static inline uint32_t f16_of_e5m2(uint32_t b) {
  const uint32_t h = (b & 0xffu) << 8;
  return (h & 0x7fffu) > 0x7c00u ? EXEC_NAN16_BITS : h;
}
static inline uint32_t f16_of_e4m3(uint32_t b) {
  const uint32_t h = exec_f16_from_float(exec_float((b & 0x7fu) << 20) * 0x1p120f);
  return (b & 0x7fu) == 0x7fu ? EXEC_NAN16_BITS : h | (b & 0x80u) << 8;
}
static inline uint32_t relu16(uint32_t h) { return h & 0x8000u ? 0 : h; } /* NaN is positive here */
EXEC_OP1(f16x2_from_e4m3, uint32_t, uint32_t, f16_of_e4m3(x >> 8) << 16 | f16_of_e4m3(x))
EXEC_OP1(f16x2_from_e5m2, uint32_t, uint32_t, f16_of_e5m2(x >> 8) << 16 | f16_of_e5m2(x))
EXEC_OP1(f16x2_from_e4m3_relu, uint32_t, uint32_t, relu16(f16_of_e4m3(x >> 8)) << 16 | relu16(f16_of_e4m3(x)))
EXEC_OP1(f16x2_from_e5m2_relu, uint32_t, uint32_t, relu16(f16_of_e5m2(x >> 8)) << 16 | relu16(f16_of_e5m2(x)))

/* ---- general: sources ---------------------------------------------------------------------------------- */

#define EACH(expr) EXEC_EACH_LANE(i) v[i] = (expr)

/* A row of 32-bit elements, whatever the register's width. */
static const void *narrow_row(const void *row, uint32_t *buffer) {
  const uint64_t *wide = __builtin_assume_aligned(row, 64);
  EXEC_EACH_LANE(i) buffer[i] = (uint32_t)wide[i];
  return buffer;
}

/* .ftz does not affect the source of a 16-bit result. */
static void read_f32(double *v, const uint32_t *a, struct exec_convert c) {
  const bool half = c.dst == PTX_F16 || c.dst == PTX_BF16 || c.dst == PTX_F16X2 || c.dst == PTX_BF16X2;
  const uint32_t keep = c.ftz && !half ? 0x80000000u : 0xffffffffu;
  EACH((double)exec_float(a[i] & 0x7f800000u ? a[i] : a[i] & keep));
}

/* Sources as doubles. 64-bit integers are exact enough for anything but f64: see exec_odd_from_u64. */
static void read_doubles(double *v, const void *row, struct exec_convert c) {
  const uint32_t *a = __builtin_assume_aligned(row, 64);
  const uint64_t *q = __builtin_assume_aligned(row, 64);
  switch (c.src) {
  case PTX_F16: EACH((double)exec_f16_to_float(a[i])); break;
  case PTX_BF16: EACH((double)exec_bf16_to_float(a[i])); break;
  case PTX_F32: read_f32(v, a, c); break;
  case PTX_F64: memcpy(v, q, EXEC_LANES * sizeof *v); break;
  case PTX_U8: EACH((double)(uint8_t)a[i]); break;
  case PTX_S8: EACH((double)(int8_t)a[i]); break;
  case PTX_U16: EACH((double)(uint16_t)a[i]); break;
  case PTX_S16: EACH((double)(int16_t)a[i]); break;
  case PTX_U32: EACH((double)a[i]); break;
  case PTX_S32: EACH((double)(int32_t)a[i]); break;
  case PTX_U64: EACH(exec_odd_from_u64(q[i])); break;
  default: EACH(exec_odd_from_s64((int64_t)q[i])); break;
  }
}

static void round_whole(double *v, enum exec_round r) {
  switch (r) {
  case EXEC_RZ: EACH(rzi_double(v[i])); break;
  case EXEC_RM: EACH(rmi_double(v[i])); break;
  case EXEC_RP: EACH(rpi_double(v[i])); break;
  default: EACH(rni_double(v[i])); break;
  }
}

/* ---- general: float results ---------------------------------------------------------------------------- */

static bool keeps_payload(struct exec_convert c) {
  return c.src == PTX_F64 || (!c.ftz && (c.dst == PTX_F64 || (c.dst == PTX_F32 && c.src == PTX_BF16)));
}

static __attribute__((noinline)) void cast_f32(float *r, const double *v) {
  EXEC_EACH_LANE(i) r[i] = (float)v[i];
}

static void write_f32(float *r, const double *v, struct exec_convert c) {
  const unsigned old = exec_round_enter((enum exec_round)c.round);
  cast_f32(r, v);
  exec_round_leave(old);
  if (!keeps_payload(c)) EXEC_EACH_LANE(i) r[i] = exec_nan32(r[i]);
  if (c.ftz) EXEC_EACH_LANE(i) r[i] = exec_ftz32(r[i]);
}

static void write_f64(double *r, const double *v, struct exec_convert c) {
  const double nan = (double)exec_float(EXEC_NAN32_BITS);
  const bool keep = keeps_payload(c);
  EXEC_EACH_LANE(i) r[i] = (v[i] == v[i] || keep) ? v[i] : nan;
}

static __attribute__((noinline)) void cast_f64(double *r, const uint64_t *q, bool is_unsigned) {
  if (is_unsigned)
    EXEC_EACH_LANE(i) r[i] = ZERO64(q[i], (double)q[i]);
  else
    EXEC_EACH_LANE(i) r[i] = ZERO64(q[i], (double)(int64_t)q[i]);
}
static void write_f64_from_64(double *r, const uint64_t *q, struct exec_convert c) {
  const unsigned old = exec_round_enter((enum exec_round)c.round);
  cast_f64(r, q, c.src == PTX_U64);
  exec_round_leave(old);
}

/* A NaN truncated to 16 bits. */
static uint32_t upper_half(double nan, const struct exec_format *f) {
  const uint64_t u = exec_bits64(nan) | EXEC_QUIET64;
  const uint32_t payload = (uint32_t)(u >> (52 - f->mantissa_bits)) & ((1u << f->mantissa_bits) - 1);
  return (uint32_t)(u >> 63) << 15 | ((1u << f->exponent_bits) - 1) << f->mantissa_bits | payload;
}

static void write_half(uint32_t *r, const double *v, struct exec_convert c) {
  const bool f16 = c.dst == PTX_F16 || c.dst == PTX_F16X2;
  const struct exec_format *f = f16 ? &EXEC_FORMAT_F16 : &EXEC_FORMAT_BF16;
  if (c.round != EXEC_RN || c.satfinite) {
    for (int i = 0; i < EXEC_LANES; i++) r[i] = exec_narrow(v[i], f, (enum exec_round)c.round, c.satfinite);
  } else if (f16) {
    EXEC_EACH_LANE(i) r[i] = exec_f16_from_float(exec_odd_float(v[i]));
  } else {
    EXEC_EACH_LANE(i) r[i] = exec_bf16_from_float(exec_odd_float(v[i]));
  }
  if (keeps_payload(c)) EXEC_EACH_LANE(i) r[i] = v[i] == v[i] ? r[i] : upper_half(v[i], f);
}

/* The NaN of .rn and .rz; .rna has rules of its own, below. */
static void write_tf32(uint32_t *r, const double *v, struct exec_convert c) {
  const uint32_t nan = c.satfinite ? EXEC_NAN32_BITS : EXEC_NAN32_BITS & ~0x1fffu;
  for (int i = 0; i < EXEC_LANES; i++) {
    const uint32_t bits = exec_narrow(v[i], &EXEC_FORMAT_TF32, (enum exec_round)c.round, c.satfinite) << 13;
    r[i] = v[i] == v[i] ? bits : nan;
  }
}

/* ---- general: integer results -------------------------------------------------------------------------- */

static bool is_64(enum ptx_type t) { return t == PTX_U64 || t == PTX_S64 || t == PTX_F64; }
static bool is_int(enum ptx_type t) { return int_column(t) >= 0; }

static unsigned bits_of(enum ptx_type t) {
  static const uint8_t BITS[] = {8, 8, 16, 16, 32, 32, 64};
  const int column = int_column(t);
  return column < 0 ? 32 : BITS[column];
}
static bool is_signed(enum ptx_type t) { return t == PTX_S8 || t == PTX_S16 || t == PTX_S32 || t == PTX_S64; }

/* Range of an integer type of up to 32 bits, or of s64. */
static int64_t highest(enum ptx_type t) {
  if (bits_of(t) == 64) return INT64_MAX;
  return (int64_t)(1ull << (is_signed(t) ? bits_of(t) - 1 : bits_of(t))) - 1;
}
static int64_t lowest(enum ptx_type t) { return is_signed(t) ? -highest(t) - 1 : 0; }

/* Whole numbers to up to 32 bits: the sum with 1.5 * 2^52 holds them in its low bits. */
static void write_int32(uint32_t *r, const double *v, struct exec_convert c) {
  const enum ptx_type t = (enum ptx_type)c.dst;
  const double low = (double)lowest(t), high = (double)highest(t), top = (double)(1ull << (bits_of(t) - 1));
  const double nan = c.src == PTX_F64 ? (is_signed(t) ? -top : top) : 0.0;
  EXEC_EACH_LANE(i) {
    const double up = v[i] > low ? v[i] : low, fit = up < high ? up : high, x = v[i] == v[i] ? fit : nan;
    r[i] = (uint32_t)exec_bits64(x + 0x1.8p52);
  }
}

static uint64_t int64_of(double x, bool is_unsigned) {
  const double limit = is_unsigned ? 0x1p64 : 0x1p63;
  if (x != x) return 1ull << 63;
  if (x >= limit) return is_unsigned ? UINT64_MAX : (uint64_t)INT64_MAX;
  if (is_unsigned) return x > 0.0 ? (uint64_t)x : 0;
  return x < -0x1p63 ? 1ull << 63 : (uint64_t)(int64_t)x;
}

/* Sign- or zero-extended by the source type. With .sat a u64 above the signed range counts as the end of that range, which no narrower type
 * can distinguish from the original value. */
static void read_ints(int64_t *v, const void *row, struct exec_convert c) {
  const uint32_t *a = __builtin_assume_aligned(row, 64);
  const uint64_t *q = __builtin_assume_aligned(row, 64);
  const uint64_t most = c.src == PTX_U64 && c.sat && c.dst != PTX_U64 ? (uint64_t)INT64_MAX : UINT64_MAX;
  switch (c.src) {
  case PTX_U8: EACH((uint8_t)a[i]); break;
  case PTX_S8: EACH((int8_t)a[i]); break;
  case PTX_U16: EACH((uint16_t)a[i]); break;
  case PTX_S16: EACH((int16_t)a[i]); break;
  case PTX_U32: EACH(a[i]); break;
  case PTX_S32: EACH((int32_t)a[i]); break;
  default: EACH((int64_t)(q[i] < most ? q[i] : most)); break;
  }
}

static void write_ints(uint32_t *r, const int64_t *v, enum ptx_type t) {
  switch (t) {
  case PTX_U8: EXEC_EACH_LANE(i) r[i] = (uint8_t)v[i]; break;
  case PTX_S8: EXEC_EACH_LANE(i) r[i] = (uint32_t)(int8_t)v[i]; break;
  case PTX_U16: EXEC_EACH_LANE(i) r[i] = (uint16_t)v[i]; break;
  case PTX_S16: EXEC_EACH_LANE(i) r[i] = (uint32_t)(int16_t)v[i]; break;
  default: EXEC_EACH_LANE(i) r[i] = (uint32_t)v[i]; break;
  }
}

/* ---- general: all together ----------------------------------------------------------------------------- */

/* A result before it is merged into the destination: 32 or 64 bits a lane. */
union result {
  uint32_t r32[EXEC_LANES];
  uint64_t r64[EXEC_LANES];
  int64_t s64[EXEC_LANES];
  float f32[EXEC_LANES];
  double f64[EXEC_LANES];
};

static void convert_ints(union result *to, const void *row, struct exec_convert c) {
  const enum ptx_type t = (enum ptx_type)c.dst;
  int64_t v[EXEC_LANES] EXEC_ALIGNED;
  read_ints(v, row, c);
  if (c.sat && !(c.src == PTX_U64 && t == PTX_U64)) {
    const int64_t low = lowest(t), high = highest(t);
    EACH(v[i] < low ? low : v[i] > high ? high : v[i]);
  }
  if (is_64(t))
    memcpy(to->s64, v, sizeof v);
  else
    write_ints(to->r32, v, t);
}

/* Changes the numbers in v. */
static void write_number(union result *to, double *v, struct exec_convert c) {
  if (c.sat && !is_int((enum ptx_type)c.dst)) EACH(exec_sat64(v[i]));
  if (c.relu) EACH(v[i] <= 0.0 ? 0.0 : v[i]);
  switch (c.dst) {
  case PTX_F64: write_f64(to->f64, v, c); break;
  case PTX_F32: write_f32(to->f32, v, c); break;
  case PTX_TF32: write_tf32(to->r32, v, c); break;
  case PTX_F16:
  case PTX_BF16:
  case PTX_F16X2:
  case PTX_BF16X2: write_half(to->r32, v, c); break;
  case PTX_U64:
  case PTX_S64:
    for (int i = 0; i < EXEC_LANES; i++) to->r64[i] = int64_of(v[i], c.dst == PTX_U64);
    break;
  default: write_int32(to->r32, v, c); break;
  }
}

static void convert_number(union result *to, const void *row, struct exec_convert c) {
  double v[EXEC_LANES] EXEC_ALIGNED;
  if (c.dst == PTX_F64 && (c.src == PTX_U64 || c.src == PTX_S64))
    write_f64_from_64(v, row, c);
  else
    read_doubles(v, row, c);
  if (c.whole) round_whole(v, (enum exec_round)c.round);
  if (c.whole && !is_int((enum ptx_type)c.dst)) c.round = EXEC_RN; /* exact from here on */
  if (c.src == PTX_F64) EACH(exec_nan64_1(v[i], v[i]));
  write_number(to, v, c);
}

static void general(EXEC_ARGS) {
  const struct exec_convert c = exec_convert_unpack(in->imm);
  union result to EXEC_ALIGNED;
  uint32_t narrow[EXEC_LANES] EXEC_ALIGNED;
  const void *row = exec_row(w, in->a);
  if (c.wide_src) row = narrow_row(row, narrow);
  if (is_int((enum ptx_type)c.dst) && is_int((enum ptx_type)c.src))
    convert_ints(&to, row, c);
  else
    convert_number(&to, row, c);

  if (c.wide_dst) {
    uint64_t r[EXEC_LANES] EXEC_ALIGNED;
    if (is_signed((enum ptx_type)c.dst))
      EXEC_EACH_LANE(i) r[i] = (uint64_t)(int32_t)to.r32[i];
    else
      EXEC_EACH_LANE(i) r[i] = to.r32[i];
    exec_merge64(exec_row(w, in->d), r, w->mask);
  } else if (is_64((enum ptx_type)c.dst)) {
    exec_merge64(exec_row(w, in->d), &to, w->mask);
  } else {
    exec_merge32(exec_row(w, in->d), &to, w->mask);
  }
}

/* Two f32 to a pair of 16-bit floats, a in the upper half. */
static void general_pair(EXEC_ARGS) {
  const struct exec_convert c = exec_convert_unpack(in->imm);
  union result high EXEC_ALIGNED, low EXEC_ALIGNED;
  double v[EXEC_LANES] EXEC_ALIGNED;
  read_f32(v, EXEC_ROW(w, in->a, uint32_t), c);
  write_number(&high, v, c);
  read_f32(v, EXEC_ROW(w, in->b, uint32_t), c);
  write_number(&low, v, c);
  EXEC_TO_ROW(uint32_t, result = high.r32[i] << 16 | (low.r32[i] & 0xffffu););
}

/* ---- cvt.pack ------------------------------------------------------------------------------------------ */

static inline uint32_t clamped(int32_t x, int32_t low, int32_t high) {
  return (uint32_t)(x < low ? low : x > high ? high : x);
}
#define PACK16(NAME, LOW, HIGH)                                                                              \
  EXEC_OP2(NAME, uint32_t, int32_t, int32_t, clamped(x, LOW, HIGH) << 16 | (clamped(y, LOW, HIGH) & 0xffffu))
#define PACK_SMALL(NAME, BITS, LOW, HIGH)                                                                    \
  EXEC_OP3(NAME, uint32_t, int32_t, int32_t, uint32_t,                                                       \
           z << 2 * BITS | (clamped(x, LOW, HIGH) & ((1u << BITS) - 1)) << BITS |                            \
               (clamped(y, LOW, HIGH) & ((1u << BITS) - 1)))
PACK16(pack_u16, 0, 65535)
PACK16(pack_s16, -32768, 32767)
PACK_SMALL(pack_u8, 8, 0, 255)
PACK_SMALL(pack_s8, 8, -128, 127)
PACK_SMALL(pack_u4, 4, 0, 15)
PACK_SMALL(pack_s4, 4, -8, 7)
PACK_SMALL(pack_u2, 2, 0, 3)
PACK_SMALL(pack_s2, 2, -2, 1)

static exec_fn pick_pack(const struct ptx_inst *pi) {
  if (pi->types[1] != PTX_S32 || !ptx_has(pi, PTX_M_sat)) return NULL;
  const bool three = pi->n_types == 3;
  switch (pi->types[0]) {
  case PTX_U16: return three ? NULL : pack_u16;
  case PTX_S16: return three ? NULL : pack_s16;
  case PTX_U8: return three ? pack_u8 : NULL;
  case PTX_S8: return three ? pack_s8 : NULL;
  case PTX_U4: return three ? pack_u4 : NULL;
  case PTX_S4: return three ? pack_s4 : NULL;
  case PTX_U2: return three ? pack_u2 : NULL;
  case PTX_S2: return three ? pack_s2 : NULL;
  default: return NULL;
  }
}

/* ---- choosing ------------------------------------------------------------------------------------------ */

static exec_fn pick_8bit(struct exec_convert c) {
  const bool e4m3 = c.dst == PTX_E4M3X2;
  if (c.round != EXEC_RN || !c.satfinite) return NULL;
  if (c.src == PTX_F32 && c.relu) return e4m3 ? e4m3_relu_from_f32 : e5m2_relu_from_f32;
  if (c.src == PTX_F32) return e4m3 ? e4m3_from_f32 : e5m2_from_f32;
  if (c.src != PTX_F16X2) return NULL;
  if (c.relu) return e4m3 ? e4m3_relu_from_f16x2 : e5m2_relu_from_f16x2;
  return e4m3 ? e4m3_from_f16x2 : e5m2_from_f16x2;
}

static exec_fn pick_pair(struct exec_convert c) {
  if (c.dst == PTX_E4M3X2 || c.dst == PTX_E5M2X2) return pick_8bit(c);
  if (c.dst == PTX_F16X2 && c.src == PTX_E4M3X2) return c.relu ? f16x2_from_e4m3_relu : f16x2_from_e4m3;
  if (c.dst == PTX_F16X2 && c.src == PTX_E5M2X2) return c.relu ? f16x2_from_e5m2_relu : f16x2_from_e5m2;
  if (c.src != PTX_F32) return NULL;
  if (c.round == EXEC_RN && !c.relu && !c.satfinite)
    return c.dst == PTX_F16X2 ? f16x2_from_f32 : bf16x2_from_f32;
  return c.round == EXEC_RN || c.round == EXEC_RZ ? general_pair : NULL;
}

/* The loops of common conversions; NULL: use the general one. Only for registers of a type's own width. */
static exec_fn pick_common(struct exec_convert c) {
  const bool to_int = is_int((enum ptx_type)c.dst), plain = !c.sat && !c.satfinite && !c.relu;
  if (to_int && is_int((enum ptx_type)c.src)) {
    const int row = int_column((enum ptx_type)c.dst), column = int_column((enum ptx_type)c.src);
    return c.sat ? NULL : int_table[row][column];
  }
  if (c.dst == PTX_S32 && c.src == PTX_F32) return s32_table[c.ftz][c.round];
  if (c.dst == PTX_U32 && c.src == PTX_F32) return u32_table[c.ftz][c.round];
  if (is_int((enum ptx_type)c.src)) return c.dst == PTX_F32 || c.dst == PTX_F64 ? pick_to_float(c) : NULL;
  if (c.dst == PTX_TF32 && c.round == EXEC_RNA) return c.satfinite ? tf32_satfinite : tf32_from_f32;
  if (!plain) return NULL;
  if (c.whole && c.dst == PTX_F32 && c.src == PTX_F32) return whole_f32_table[c.ftz][c.round];
  if (c.whole && c.dst == PTX_F64 && c.src == PTX_F64) return whole_f64_table[c.round];
  if (c.whole) return NULL;
  if (c.dst == c.src && c.dst == PTX_F32 && !c.ftz) return u32_from_u32;
  if (c.dst == c.src && c.dst == PTX_F64) return u64_from_u64;
  if (c.dst == PTX_F32 && c.src == PTX_F64)
    return (c.ftz ? f32_from_f64_ftz_table : f32_from_f64_table)[c.round];
  if (c.dst == PTX_F64 && c.src == PTX_F32) return c.ftz ? f64_from_f32_ftz : f64_from_f32;
  if (c.dst == PTX_F32 && c.src == PTX_F16) return f32_from_f16;
  if (c.dst == PTX_F32 && c.src == PTX_BF16) return c.ftz ? f32_from_bf16_ftz : f32_from_bf16;
  if (c.src == PTX_F32 && c.round == EXEC_RN && c.dst == PTX_F16) return f16_from_f32;
  if (c.src == PTX_F32 && c.round == EXEC_RN && c.dst == PTX_BF16) return bf16_from_f32;
  return NULL;
}

/* Scalar numbers the general function reads and writes. */
static bool is_number(enum ptx_type t) {
  return is_int(t) || t == PTX_F16 || t == PTX_BF16 || t == PTX_F32 || t == PTX_F64;
}
static bool is_legal(struct exec_convert c) {
  const enum ptx_type dst = (enum ptx_type)c.dst, src = (enum ptx_type)c.src;
  if (!is_number(src)) return false;
  if (dst == PTX_TF32)
    return src == PTX_F32 && !c.sat && !c.ftz && !c.whole && !(c.relu && c.round == EXEC_RNA);
  if (!is_number(dst) || c.round == EXEC_RNA) return false;
  if (is_int(dst) && !is_int(src) && !c.whole) return false;
  if ((c.relu || c.satfinite) && !((dst == PTX_F16 || dst == PTX_BF16) && src == PTX_F32)) return false;
  return true;
}

exec_fn EXEC_LANES_NAME(pick_convert)(const struct ptx_inst *pi);
exec_fn EXEC_LANES_NAME(pick_convert)(const struct ptx_inst *pi) {
  if (pi->n_types < 2) return NULL;
  if (ptx_has(pi, PTX_M_pack)) return pick_pack(pi);
  const struct exec_convert c = exec_convert_of(pi);
  if (pi->n_types != 2 || ptx_has(pi, PTX_M_rs)) return NULL;
  if (c.dst == PTX_F16X2 || c.dst == PTX_BF16X2 || c.dst == PTX_E4M3X2 || c.dst == PTX_E5M2X2)
    return pick_pair(c);
  if (!is_legal(c)) return NULL;
  const exec_fn common = pi->vec == EXEC_CONVERT_ANY_ROWS ? NULL : pick_common(c);
  return common ? common : general;
}
