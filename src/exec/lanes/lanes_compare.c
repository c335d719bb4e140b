/* Comparisons and selections, 32 lanes at a time; compiled once per host instruction set. setp and set share a function for each type and
 * comparison (compare.h). Unless it is a plain setp, exec_compare_finish uses the resulting bits. */
#include "exec/compare.h"
#include "exec/lanes/lanes.h"

#include <float.h>

typedef uint32_t u32;
typedef int32_t s32;
typedef uint64_t u64;
typedef int64_t s64;

static inline u32 low16(u32 x) { return x & 0xffffu; }
static inline s32 signed16(u32 x) { return (int16_t)x; }

/* ---- set and setp -------------------------------------------------------------------------------------- */

static inline void finish(struct exec_warp *w, const struct exec_inst *in, u32 bits) {
  bits ^= (u32)in->imm;
  if (in->sub == EXEC_CMP_PREDICATE)
    exec_set_pred(w, in->d, bits);
  else
    exec_compare_finish(w, in, bits, ~bits);
}

#define COMPARE(NAME, T, EXPR)                                                                               \
  EXEC_PRED2(NAME##_bits, T, T, EXPR)                                                                        \
  static void NAME(struct exec_warp *w, const struct exec_inst *in) { finish(w, in, NAME##_bits(w, in)); }

COMPARE(eq_16, u32, low16(x ^ y) == 0)
COMPARE(lt_u16, u32, low16(x) < low16(y))
COMPARE(lt_s16, u32, signed16(x) < signed16(y))
COMPARE(eq_32, u32, x == y)
COMPARE(lt_u32, u32, x < y)
COMPARE(lt_s32, s32, x < y)
COMPARE(eq_64, u64, x == y)
COMPARE(lt_u64, u64, x < y)
COMPARE(lt_s64, s64, x < y)

COMPARE(eq_f32, float, x == y)
COMPARE(ne_f32, float, x<y || x> y)
COMPARE(lt_f32, float, x < y)
COMPARE(le_f32, float, x <= y)
COMPARE(num_f32, float, !__builtin_isunordered(x, y))
COMPARE(eq_f64, double, x == y)
COMPARE(ne_f64, double, x<y || x> y)
COMPARE(lt_f64, double, x < y)
COMPARE(le_f64, double, x <= y)
COMPARE(num_f64, double, !__builtin_isunordered(x, y))

/* .ftz: a subnormal compares as zero. */
static inline float flushed(float x) { return __builtin_fabsf(x) < FLT_MIN ? 0.0f : x; }
COMPARE(eq_ftz_f32, float, flushed(x) == flushed(y))
COMPARE(ne_ftz_f32, float, flushed(x) < flushed(y) || flushed(x) > flushed(y))
COMPARE(lt_ftz_f32, float, flushed(x) < flushed(y))
COMPARE(le_ftz_f32, float, flushed(x) <= flushed(y))

/* Half-precision numbers compare as integers: the magnitude with the sign applied, both zeros equal. INF is the bit pattern of infinity,
 * above which there are only NaNs; TINY is the smallest magnitude that does not count as zero. */
static inline s32 half_order(u32 x, u32 tiny) {
  const s32 magnitude = (s32)((x & 0x7fffu) < tiny ? 0 : x & 0x7fffu);
  return (x & 0x8000u) ? -magnitude : magnitude;
}
static inline bool half_ordered(u32 x, u32 y, u32 inf) {
  return (x & 0x7fffu) <= inf && (y & 0x7fffu) <= inf;
}
#define HALF(OP, x, y, INF, TINY) (half_ordered(x, y, INF) && (half_order(x, TINY) OP half_order(y, TINY)))

/* Packed forms compare the lower and the upper half separately. */
#define PACKED(NAME, LOWER, UPPER)                                                                           \
  EXEC_PRED2(NAME##_lower, u32, u32, LOWER)                                                                  \
  EXEC_PRED2(NAME##_upper, u32, u32, UPPER)                                                                  \
  static void NAME(struct exec_warp *w, const struct exec_inst *in) {                                        \
    const u32 invert = (u32)in->imm;                                                                         \
    exec_compare_finish(w, in, NAME##_lower(w, in) ^ invert, NAME##_upper(w, in) ^ invert);                  \
  }
#define HALVES(TYPE, INF, TINY)                                                                              \
  COMPARE(eq_##TYPE, u32, HALF(==, x, y, INF, TINY))                                                         \
  COMPARE(ne_##TYPE, u32, HALF(!=, x, y, INF, TINY))                                                         \
  COMPARE(lt_##TYPE, u32, HALF(<, x, y, INF, TINY))                                                          \
  COMPARE(le_##TYPE, u32, HALF(<=, x, y, INF, TINY))                                                         \
  COMPARE(num_##TYPE, u32, half_ordered(x, y, INF))                                                          \
  PACKED(eq_##TYPE##x2, HALF(==, x, y, INF, TINY), HALF(==, x >> 16, y >> 16, INF, TINY))                    \
  PACKED(ne_##TYPE##x2, HALF(!=, x, y, INF, TINY), HALF(!=, x >> 16, y >> 16, INF, TINY))                    \
  PACKED(lt_##TYPE##x2, HALF(<, x, y, INF, TINY), HALF(<, x >> 16, y >> 16, INF, TINY))                      \
  PACKED(le_##TYPE##x2, HALF(<=, x, y, INF, TINY), HALF(<=, x >> 16, y >> 16, INF, TINY))                    \
  PACKED(num_##TYPE##x2, half_ordered(x, y, INF), half_ordered(x >> 16, y >> 16, INF))
HALVES(f16, 0x7c00u, 1u)
HALVES(ftz_f16, 0x7c00u, 0x0400u)
HALVES(bf16, 0x7f80u, 1u)

/* ---- testp --------------------------------------------------------------------------------------------- */

/* Classes by magnitude: the subnormals, from NORMAL on the normal numbers, INF, then NaN; zero counts as
 * normal. */
#define TESTP(NAME, T, EXPR)                                                                                 \
  EXEC_PRED1(NAME##_bits, T, EXPR)                                                                           \
  static void NAME(struct exec_warp *w, const struct exec_inst *in) {                                        \
    exec_set_pred(w, in->d, NAME##_bits(w, in));                                                             \
  }
#define TESTPS(TYPE, T, MAGNITUDE, INF, NORMAL)                                                              \
  TESTP(finite_##TYPE, T, (x & MAGNITUDE) < INF)                                                             \
  TESTP(infinite_##TYPE, T, (x & MAGNITUDE) == INF)                                                          \
  TESTP(number_##TYPE, T, (x & MAGNITUDE) <= INF)                                                            \
  TESTP(notanumber_##TYPE, T, (x & MAGNITUDE) > INF)                                                         \
  TESTP(normal_##TYPE, T, (x & MAGNITUDE) == 0 || ((x & MAGNITUDE) >= NORMAL && (x & MAGNITUDE) < INF))      \
  TESTP(subnormal_##TYPE, T, (x & MAGNITUDE) != 0 && (x & MAGNITUDE) < NORMAL)
TESTPS(f32, u32, 0x7fffffffu, 0x7f800000u, 0x00800000u)
TESTPS(f64, u64, 0x7fffffffffffffffu, 0x7ff0000000000000u, 0x0010000000000000u)

/* ---- selp and slct ------------------------------------------------------------------------------------- */

static void selp_32(struct exec_warp *w, const struct exec_inst *in) {
  const u32 *const a = EXEC_ROW(w, in->a, u32), *const b = EXEC_ROW(w, in->b, u32);
  const u32 bits = exec_pred(w, in->c);
  EXEC_TO_ROW(u32, const u32 x = a[i]; const u32 y = b[i]; result = (bits & exec_lane_bit[i]) ? x : y;);
}
static void selp_64(struct exec_warp *w, const struct exec_inst *in) {
  const u64 *const a = EXEC_ROW(w, in->a, u64), *const b = EXEC_ROW(w, in->b, u64);
  const u64 bits = exec_pred(w, in->c);
  EXEC_TO_ROW(u64, const u64 x = a[i]; const u64 y = b[i]; result = (bits & exec_lane_bit64[i]) ? x : y;);
}

EXEC_OP3(slct_32_s32, u32, u32, u32, s32, z >= 0 ? x : y)
EXEC_OP3(slct_64_s32, u64, u64, u64, s32, z >= 0 ? x : y)
EXEC_OP3(slct_32_f32, u32, u32, u32, float, z >= 0.0f ? x : y)
EXEC_OP3(slct_64_f32, u64, u64, u64, float, z >= 0.0f ? x : y)
EXEC_OP3(slct_32_ftz, u32, u32, u32, float, flushed(z) >= 0.0f ? x : y)
EXEC_OP3(slct_64_ftz, u64, u64, u64, float, flushed(z) >= 0.0f ? x : y)

/* ---- which variant is served by what ------------------------------------------------------------------- */

struct comparisons {
  exec_fn base[EXEC_CMPS];
};
#define FLOAT(TYPE)                                                                                          \
  {                                                                                                          \
    { eq_##TYPE, ne_##TYPE, lt_##TYPE, le_##TYPE, num_##TYPE }                                               \
  }
#define INTEGER(EQ, LT)                                                                                      \
  {                                                                                                          \
    .base = { [EXEC_CMP_EQ] = EQ, [EXEC_CMP_LT] = LT }                                                       \
  }
static const struct comparisons PLAIN[PTX_TYPES] = {
    [PTX_B16] = INTEGER(eq_16, NULL),
    [PTX_U16] = INTEGER(eq_16, lt_u16),
    [PTX_S16] = INTEGER(eq_16, lt_s16),
    [PTX_B32] = INTEGER(eq_32, NULL),
    [PTX_U32] = INTEGER(eq_32, lt_u32),
    [PTX_S32] = INTEGER(eq_32, lt_s32),
    [PTX_B64] = INTEGER(eq_64, NULL),
    [PTX_U64] = INTEGER(eq_64, lt_u64),
    [PTX_S64] = INTEGER(eq_64, lt_s64),
    [PTX_F16] = FLOAT(f16),
    [PTX_F16X2] = FLOAT(f16x2),
    [PTX_BF16] = FLOAT(bf16),
    [PTX_BF16X2] = FLOAT(bf16x2),
    [PTX_F32] = FLOAT(f32),
    [PTX_F64] = FLOAT(f64),
};
static const struct comparisons FLUSHING[PTX_TYPES] = {
    [PTX_F16] = FLOAT(ftz_f16),
    [PTX_F16X2] = FLOAT(ftz_f16x2),
    [PTX_F32] = {{eq_ftz_f32, ne_ftz_f32, lt_ftz_f32, le_ftz_f32, num_f32}},
};

static bool has(const struct ptx_inst *pi, enum ptx_mod m) {
  for (unsigned k = 0; k < pi->n_mods; k++)
    if (pi->mods[k] == m) return true;
  return false;
}

static exec_fn pick_comparison(const struct ptx_inst *pi) {
  if (pi->n_types == 0) return NULL;
  const enum ptx_type t = (enum ptx_type)pi->types[pi->n_types - 1];
  struct exec_comparison c;
  if (!exec_comparison_of(pi, t, &c)) return NULL;
  return (has(pi, PTX_M_ftz) ? FLUSHING : PLAIN)[t].base[c.base];
}

#define V(TYPE, FN, ...)                                                                                     \
  { .types = {PTX_##TYPE}, .mods = {__VA_ARGS__}, .fn = FN }
#define TEST(NAME) V(F32, NAME##_f32, PTX_M_##NAME), V(F64, NAME##_f64, PTX_M_##NAME)
static const struct exec_variant TESTP_[] = {TEST(finite),     TEST(infinite), TEST(number),
                                             TEST(notanumber), TEST(normal),   TEST(subnormal)};
static const struct exec_variant SELP[] = {V(B16, selp_32), V(U16, selp_32), V(S16, selp_32), V(B32, selp_32),
                                           V(U32, selp_32), V(S32, selp_32), V(F32, selp_32), V(B64, selp_64),
                                           V(U64, selp_64), V(S64, selp_64), V(F64, selp_64)};
#define V2(TYPE, TYPE2, FN, ...)                                                                             \
  { .types = {PTX_##TYPE, PTX_##TYPE2}, .mods = {__VA_ARGS__}, .fn = FN }
#define SLCT_AS(TYPE, BITS)                                                                                  \
  V2(TYPE, S32, slct_##BITS##_s32), V2(TYPE, F32, slct_##BITS##_f32),                                        \
      V2(TYPE, F32, slct_##BITS##_ftz, PTX_M_ftz)
static const struct exec_variant SLCT[] = {SLCT_AS(B16, 32), SLCT_AS(U16, 32), SLCT_AS(S16, 32),
                                           SLCT_AS(B32, 32), SLCT_AS(U32, 32), SLCT_AS(S32, 32),
                                           SLCT_AS(F32, 32), SLCT_AS(B64, 64), SLCT_AS(U64, 64),
                                           SLCT_AS(S64, 64), SLCT_AS(F64, 64)};

#define TABLE(rows) ((struct exec_variants){rows, sizeof rows / sizeof rows[0]})
exec_fn EXEC_LANES_NAME(pick_compare)(const struct ptx_inst *pi);
exec_fn EXEC_LANES_NAME(pick_compare)(const struct ptx_inst *pi) {
  switch (pi->op) {
  case PTX_OP_set:
  case PTX_OP_setp: return pick_comparison(pi);
  case PTX_OP_selp: return exec_pick_variant(TABLE(SELP), pi);
  case PTX_OP_slct: return exec_pick_variant(TABLE(SLCT), pi);
  case PTX_OP_testp: return exec_pick_variant(TABLE(TESTP_), pi);
  default: return NULL;
  }
}
