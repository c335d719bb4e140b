/* f32 and f64 arithmetic of 32 lanes: add, sub, mul, fma, div, rcp, sqrt in every rounding direction, min, max, abs, neg, copysign, and the
 * approximations. Compiled once per host instruction set.
 *
 * Exactly rounded operations are the host's own. Directed rounding wraps the same loop in a switch of the host's rounding direction. A mul
 * followed by an add is never contracted to an fma, although an assembler may do so where the program specifies no rounding. On a host
 * without FMA, f32 fma is a double sum rounded to odd, and f64 fma is the C library's. Sign changes of f32 pass through the adder in
 * hardware, so a NaN becomes the canonical one. */
#include "exec/approx.h"
#include "exec/directed.h"

#define PLAIN(e)   exec_nan32(e)
#define FTZ(e)     exec_ftz32(exec_nan32(e))
#define SAT(e)     exec_sat32(e)
#define FTZ_SAT(e) exec_sat32(exec_ftz32(e))
#define IN(x)      exec_ftz32(x)

#define LOOP1(NAME, T, EXPR)                                                                                 \
  EXEC_KEEP_CALL(NAME)                                                                                       \
  EXEC_OP1(NAME, T, T, EXPR)
#define LOOP2(NAME, T, EXPR)                                                                                 \
  EXEC_KEEP_CALL(NAME)                                                                                       \
  EXEC_OP2(NAME, T, T, T, EXPR)
#define LOOP3(NAME, T, EXPR)                                                                                 \
  EXEC_KEEP_CALL(NAME)                                                                                       \
  EXEC_OP3(NAME, T, T, T, T, EXPR)

/* ---- f32, exactly rounded: [ftz + 2 sat][direction] ---------------------------------------------------- */

#define SINGLE2(NAME, OP)                                                                                    \
  LOOP2(NAME, float, PLAIN(OP(x, y)))                                                                        \
  LOOP2(NAME##_ftz, float, FTZ(OP(IN(x), IN(y))))                                                            \
  LOOP2(NAME##_sat, float, SAT(OP(x, y)))                                                                    \
  LOOP2(NAME##_ftz_sat, float, FTZ_SAT(OP(IN(x), IN(y))))                                                    \
  SINGLE_TABLE(NAME)
#define SINGLE_TABLE(NAME)                                                                                   \
  EXEC_DIRECTIONS(NAME, NAME)                                                                                \
  EXEC_DIRECTIONS(NAME##_ftz, NAME##_ftz)                                                                    \
  EXEC_DIRECTIONS(NAME##_sat, NAME##_sat)                                                                    \
  EXEC_DIRECTIONS(NAME##_ftz_sat, NAME##_ftz_sat)                                                            \
  static const exec_fn NAME##_table[4][4] = {EXEC_BY_ROUND(NAME), EXEC_BY_ROUND(NAME##_ftz),                 \
                                             EXEC_BY_ROUND(NAME##_sat), EXEC_BY_ROUND(NAME##_ftz_sat)};

#define ADD(a, b) ((a) + (b))
#define SUB(a, b) ((a) - (b))
#define MUL(a, b) ((a) * (b))
#define DIV(a, b) ((a) / (b))
SINGLE2(add_f32, ADD)
SINGLE2(sub_f32, SUB)
SINGLE2(mul_f32, MUL)

LOOP3(fma_f32, float, PLAIN(EXEC_FMA32(x, y, z)))
LOOP3(fma_f32_ftz, float, FTZ(EXEC_FMA32(IN(x), IN(y), IN(z))))
LOOP3(fma_f32_sat, float, SAT(EXEC_FMA32(x, y, z)))
LOOP3(fma_f32_ftz_sat, float, FTZ_SAT(EXEC_FMA32(IN(x), IN(y), IN(z))))
#if EXEC_HOST_FMA
SINGLE_TABLE(fma_f32)
#else
LOOP3(fma_directed, float, PLAIN(EXEC_FMA32_DIRECTED(x, y, z)))
LOOP3(fma_directed_ftz, float, FTZ(EXEC_FMA32_DIRECTED(IN(x), IN(y), IN(z))))
LOOP3(fma_directed_sat, float, SAT(EXEC_FMA32_DIRECTED(x, y, z)))
LOOP3(fma_directed_ftz_sat, float, FTZ_SAT(EXEC_FMA32_DIRECTED(IN(x), IN(y), IN(z))))
EXEC_DIRECTIONS(fma_f32, fma_directed)
EXEC_DIRECTIONS(fma_f32_ftz, fma_directed_ftz)
EXEC_DIRECTIONS(fma_f32_sat, fma_directed_sat)
EXEC_DIRECTIONS(fma_f32_ftz_sat, fma_directed_ftz_sat)
static const exec_fn fma_f32_table[4][4] = {EXEC_BY_ROUND(fma_f32), EXEC_BY_ROUND(fma_f32_ftz),
                                            EXEC_BY_ROUND(fma_f32_sat), EXEC_BY_ROUND(fma_f32_ftz_sat)};
#endif

/* div, rcp and sqrt have no .sat: [ftz][direction]. */
#define PAIR_TABLE(NAME)                                                                                     \
  EXEC_DIRECTIONS(NAME, NAME)                                                                                \
  EXEC_DIRECTIONS(NAME##_ftz, NAME##_ftz)                                                                    \
  static const exec_fn NAME##_table[2][4] = {EXEC_BY_ROUND(NAME), EXEC_BY_ROUND(NAME##_ftz)};
/* Unlike a product, a quotient is flushed if it was subnormal before rounding. */
static inline float flushed_div(float x, float y) {
  const double a = (double)__builtin_fabsf(x), b = (double)__builtin_fabsf(y);
  const float r = PLAIN(x / y);
  return a < b * 0x1p-126 ? exec_float(exec_bits32(r) & 0x80000000u) : r;
}
LOOP2(div_f32, float, PLAIN(x / y))
LOOP2(div_f32_ftz, float, flushed_div(IN(x), IN(y)))
PAIR_TABLE(div_f32)
LOOP1(rcp_f32, float, PLAIN(1.0f / x))
LOOP1(rcp_f32_ftz, float, FTZ(1.0f / IN(x)))
PAIR_TABLE(rcp_f32)
LOOP1(sqrt_f32, float, PLAIN(__builtin_sqrtf(x)))
LOOP1(sqrt_f32_ftz, float, FTZ(__builtin_sqrtf(IN(x))))
PAIR_TABLE(sqrt_f32)

/* ---- f64, exactly rounded: [direction] ----------------------------------------------------------------- */

#define DOUBLE_TABLE(NAME)                                                                                   \
  EXEC_DIRECTIONS(NAME, NAME)                                                                                \
  static const exec_fn NAME##_table[4] = EXEC_BY_ROUND(NAME);
LOOP2(add_f64, double, exec_nan64_2(x + y, y, x))
LOOP2(sub_f64, double, exec_nan64_2(x - y, y, x))
LOOP2(mul_f64, double, exec_nan64_2((x) * (y), y, x))
LOOP2(div_f64, double, exec_nan64_2(x / y, x, y))
LOOP3(fma_f64, double, exec_nan64_3(__builtin_fma(x, y, z), y, x, z))
LOOP1(rcp_f64, double, exec_nan64_1(1.0 / x, x))
LOOP1(sqrt_f64, double, exec_nan64_1(__builtin_sqrt(x), x))
DOUBLE_TABLE(add_f64)
DOUBLE_TABLE(sub_f64)
DOUBLE_TABLE(mul_f64)
DOUBLE_TABLE(div_f64)
DOUBLE_TABLE(fma_f64)
DOUBLE_TABLE(rcp_f64)
DOUBLE_TABLE(sqrt_f64)

/* ---- signs --------------------------------------------------------------------------------------------- */

#define SIGN32 0x80000000u
#define SIGN64 0x8000000000000000u
static inline float neg32(float x) { return exec_float(exec_bits32(x) ^ SIGN32); }
static inline float abs32(float x) { return exec_float(exec_bits32(x) & ~SIGN32); }
static inline double neg64(double x) { return exec_double(exec_bits64(x) ^ SIGN64); }
static inline double abs64(double x) { return exec_double(exec_bits64(x) & ~SIGN64); }
EXEC_OP1(abs_f32, float, float, exec_nan32(abs32(x)))
EXEC_OP1(abs_f32_ftz, float, float, exec_nan32(abs32(IN(x))))
EXEC_OP1(neg_f32, float, float, exec_nan32(neg32(x)))
EXEC_OP1(neg_f32_ftz, float, float, exec_nan32(neg32(IN(x))))
EXEC_OP1(abs_f64, double, double, x == x ? abs64(x) : exec_quiet64(x))
EXEC_OP1(neg_f64, double, double, x == x ? neg64(x) : exec_quiet64(x))
EXEC_OP2(copysign_f32, uint32_t, uint32_t, uint32_t, (x & SIGN32) | (y & ~SIGN32))
EXEC_OP2(copysign_f64, uint64_t, uint64_t, uint64_t, (x & SIGN64) | (y & ~SIGN64))

/* ---- min and max --------------------------------------------------------------------------------------- */

/* -0 is less than +0; a single NaN operand is ignored unless .NaN is given. Equal operands differ only in the sign of zero, so or-ing
 * (and-ing) their bits picks the smaller (larger). */
static inline float lesser32(float x, float y, bool max) {
  const uint32_t a = exec_bits32(x), b = exec_bits32(y);
  const uint32_t ordered = (max ? x > y : x < y) ? a : b;
  const uint32_t equal = max ? a & b : a | b;
  const uint32_t r = x == y ? equal : ordered;
  return exec_float(y == y ? r : a);
}
static inline float minmax32(float x, float y, bool max, bool nan, bool xorsign) {
  const uint32_t sign = (exec_bits32(x) ^ exec_bits32(y)) & SIGN32;
  const float a = xorsign ? abs32(x) : x, b = xorsign ? abs32(y) : y;
  const float r = lesser32(a, b, max);
  const float q = nan && !((x == x) & (y == y)) ? exec_float(EXEC_NAN32_BITS) : exec_nan32(r);
  return xorsign && q == q ? exec_float(exec_bits32(q) | sign) : q;
}
static inline double minmax64(double x, double y, bool max) {
  const uint64_t a = exec_bits64(x), b = exec_bits64(y);
  const uint64_t ordered = (max ? x > y : x < y) ? a : b;
  const uint64_t equal = max ? a & b : a | b;
  const uint64_t r = x == y ? equal : ordered;
  return exec_nan64_2(exec_double(y == y ? r : a), y, x);
}

/* [ftz + 2 NaN + 4 xorsign] */
#define MINMAX(NAME, MAX)                                                                                    \
  EXEC_OP2(NAME##_0, float, float, float, minmax32(x, y, MAX, false, false))                                 \
  EXEC_OP2(NAME##_1, float, float, float, minmax32(IN(x), IN(y), MAX, false, false))                         \
  EXEC_OP2(NAME##_2, float, float, float, minmax32(x, y, MAX, true, false))                                  \
  EXEC_OP2(NAME##_3, float, float, float, minmax32(IN(x), IN(y), MAX, true, false))                          \
  EXEC_OP2(NAME##_4, float, float, float, minmax32(x, y, MAX, false, true))                                  \
  EXEC_OP2(NAME##_5, float, float, float, minmax32(IN(x), IN(y), MAX, false, true))                          \
  EXEC_OP2(NAME##_6, float, float, float, minmax32(x, y, MAX, true, true))                                   \
  EXEC_OP2(NAME##_7, float, float, float, minmax32(IN(x), IN(y), MAX, true, true))                           \
  static const exec_fn NAME##_table[8] = {NAME##_0, NAME##_1, NAME##_2, NAME##_3,                            \
                                          NAME##_4, NAME##_5, NAME##_6, NAME##_7};
MINMAX(min_f32, false)
MINMAX(max_f32, true)
EXEC_OP2(min_f64, double, double, double, minmax64(x, y, false))
EXEC_OP2(max_f64, double, double, double, minmax64(x, y, true))

/* ---- approximations: [ftz] ----------------------------------------------------------------------------- */

#define APPROX1(NAME, F)                                                                                     \
  EXEC_OP1(NAME, float, float, exec_nan32(F(x)))                                                             \
  EXEC_OP1(NAME##_ftz, float, float, exec_ftz32(exec_nan32(F(IN(x)))))                                       \
  static const exec_fn NAME##_table[2] = {NAME, NAME##_ftz};
APPROX1(ex2_approx, exec_ex2)
APPROX1(lg2_approx, exec_lg2)
APPROX1(sin_approx, exec_sin)
APPROX1(cos_approx, exec_cos)
APPROX1(rsqrt_approx, exec_rsqrt)
EXEC_OP1(tanh_approx, float, float, exec_nan32(exec_tanh(x)))
EXEC_OP2(div_approx, float, float, float, exec_nan32(exec_div_approx(x, y)))
EXEC_OP2(div_approx_ftz, float, float, float, exec_ftz32(exec_nan32(exec_div_approx(IN(x), IN(y)))))
EXEC_OP2(div_full, float, float, float, exec_nan32(exec_div_full(x, y)))
EXEC_OP2(div_full_ftz, float, float, float, exec_ftz32(exec_nan32(exec_div_full(IN(x), IN(y)))))
EXEC_OP1(rcp_upper_f64, double, double, exec_rcp_upper64(x))
EXEC_OP1(rsqrt_upper_f64, double, double, exec_rsqrt_upper64(x))
EXEC_OP1(rsqrt_f64, double, double, exec_nan64_1(exec_rsqrt64(x), x))

/* ---- choosing ------------------------------------------------------------------------------------------ */

static unsigned minmax_index(const struct ptx_inst *pi) {
  return (ptx_has(pi, PTX_M_ftz) ? 1u : 0u) | (ptx_has(pi, PTX_M_NaN) ? 2u : 0u) |
         (ptx_has(pi, PTX_M_xorsign) ? 4u : 0u);
}

static exec_fn pick_single(const struct ptx_inst *pi) {
  const bool ftz = ptx_has(pi, PTX_M_ftz), sat = ptx_has(pi, PTX_M_sat), approx = ptx_has(pi, PTX_M_approx);
  const enum exec_round r = exec_rounding_of(pi);
  const unsigned v = (ftz ? 1u : 0u) | (sat ? 2u : 0u);
  switch (pi->op) {
  case PTX_OP_add: return add_f32_table[v][r];
  case PTX_OP_sub: return sub_f32_table[v][r];
  case PTX_OP_mul: return mul_f32_table[v][r];
  case PTX_OP_mad:
  case PTX_OP_fma: return fma_f32_table[v][r];
  default: break;
  }
  if (sat) return NULL;
  switch (pi->op) {
  case PTX_OP_div:
    if (approx) return ftz ? div_approx_ftz : div_approx;
    if (ptx_has(pi, PTX_M_full)) return ftz ? div_full_ftz : div_full;
    return div_f32_table[ftz][r];
  case PTX_OP_rcp: return rcp_f32_table[ftz][r]; /* .approx too */
  case PTX_OP_sqrt: return sqrt_f32_table[ftz][r];
  case PTX_OP_abs: return ftz ? abs_f32_ftz : abs_f32;
  case PTX_OP_neg: return ftz ? neg_f32_ftz : neg_f32;
  case PTX_OP_min: return min_f32_table[minmax_index(pi)];
  case PTX_OP_max: return max_f32_table[minmax_index(pi)];
  case PTX_OP_copysign: return copysign_f32;
  case PTX_OP_ex2: return ex2_approx_table[ftz];
  case PTX_OP_lg2: return lg2_approx_table[ftz];
  case PTX_OP_sin: return sin_approx_table[ftz];
  case PTX_OP_cos: return cos_approx_table[ftz];
  case PTX_OP_rsqrt: return rsqrt_approx_table[ftz];
  case PTX_OP_tanh: return tanh_approx;
  default: return NULL;
  }
}

static exec_fn pick_double(const struct ptx_inst *pi) {
  const bool ftz = ptx_has(pi, PTX_M_ftz), approx = ptx_has(pi, PTX_M_approx);
  const enum exec_round r = exec_rounding_of(pi);
  if (ptx_has(pi, PTX_M_sat) || ptx_has(pi, PTX_M_NaN) || ptx_has(pi, PTX_M_xorsign)) return NULL;
  if (pi->op == PTX_OP_rsqrt) return ftz ? rsqrt_upper_f64 : rsqrt_f64;
  if (pi->op == PTX_OP_rcp && approx) return ftz ? rcp_upper_f64 : NULL;
  if ((ftz && pi->op != PTX_OP_rcp) || approx) return NULL; /* rcp takes .ftz and keeps subnormals, as on an H200 */
  switch (pi->op) {
  case PTX_OP_add: return add_f64_table[r];
  case PTX_OP_sub: return sub_f64_table[r];
  case PTX_OP_mul: return mul_f64_table[r];
  case PTX_OP_mad:
  case PTX_OP_fma: return fma_f64_table[r];
  case PTX_OP_div: return div_f64_table[r];
  case PTX_OP_rcp: return rcp_f64_table[r];
  case PTX_OP_sqrt: return sqrt_f64_table[r];
  case PTX_OP_abs: return abs_f64;
  case PTX_OP_neg: return neg_f64;
  case PTX_OP_min: return min_f64;
  case PTX_OP_max: return max_f64;
  case PTX_OP_copysign: return copysign_f64;
  default: return NULL;
  }
}

exec_fn EXEC_LANES_NAME(pick_half)(const struct ptx_inst *pi);
exec_fn EXEC_LANES_NAME(pick_float)(const struct ptx_inst *pi);
exec_fn EXEC_LANES_NAME(pick_float)(const struct ptx_inst *pi) {
  if (pi->n_types == 0) return NULL;
  switch (pi->types[0]) {
  case PTX_F32: return pi->n_types == 1 ? pick_single(pi) : NULL;
  case PTX_F64: return pick_double(pi);
  case PTX_F32X2: return EXEC_LANES_NAME(pick_half)(pi); /* packed forms are in lanes_half.c */
  default: return NULL;
  }
}
