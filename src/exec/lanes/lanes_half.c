/* 16-bit float arithmetic of 32 lanes: f16 and bf16, one number per register or two (.f16x2, .bf16x2), and f32x2. Compiled once per host
 * instruction set.
 *
 * add, sub and mul compute in f32, where the second rounding to 11 or 8 bits cannot change the result; fma rounds to odd before the last
 * rounding, so it is rounded once. Every operation on one number also runs as an operation on two where that is no slower: the upper half
 * of a 16-bit register is unspecified. The 16-bit functions below take and return the low 16 bits. */
#include "exec/approx.h"
#include "exec/directed.h"

/* Loops over lanes are vectorised only if everything they call is inlined, which the compiler would not do with longer functions. */
#define INLINE inline __attribute__((always_inline))

/* How a result is finished; always a compile-time constant. */
enum { FTZ = 1, SAT = 2, RELU = 4, OOB = 8 };

#define LOW(x)  ((x)&0xffffu)
#define HIGH(x) ((x) >> 16)

/* NAME for one number, NAME##_x2 for two, as a pair. */
#define PAIR(NAME)                                                                                           \
  { NAME, NAME##_x2 }
#define HALF2(NAME, F)                                                                                       \
  EXEC_OP2(NAME, uint32_t, uint32_t, uint32_t, F(LOW(x), LOW(y)))                                            \
  EXEC_OP2(NAME##_x2, uint32_t, uint32_t, uint32_t, F(LOW(x), LOW(y)) | F(HIGH(x), HIGH(y)) << 16)
#define HALF3(NAME, F)                                                                                       \
  EXEC_OP3(NAME, uint32_t, uint32_t, uint32_t, uint32_t, F(LOW(x), LOW(y), LOW(z)))                          \
  EXEC_OP3(NAME##_x2, uint32_t, uint32_t, uint32_t, uint32_t,                                                \
           F(LOW(x), LOW(y), LOW(z)) | F(HIGH(x), HIGH(y), HIGH(z)) << 16)

/* ---- what the widest hosts do themselves ---------------------------------------------------------------- */

#if defined(__AVX512F__)
/* Sixteen numbers at a time, widened and narrowed by the host; NaN becomes the canonical one. A row of pairs is a row of numbers. */
#define WIDE_ROWS(NAME, N, ...)                                                                              \
  static void NAME##_x2(struct exec_warp *w, const struct exec_inst *in) {                                   \
    const __m256i *const a_ = (const __m256i *)EXEC_ROW(w, in->a, uint32_t);                                 \
    const __m256i *const b_ = (const __m256i *)EXEC_ROW(w, in->b, uint32_t);                                 \
    const __m256i *const c_ = (N) > 2 ? (const __m256i *)EXEC_ROW(w, in->c, uint32_t) : a_;                  \
    __m256i *const d_ = (__m256i *)EXEC_ROW(w, in->d, uint32_t);                                             \
    for (int k = 0; k < 4; k++) {                                                                            \
      const __m256i a = a_[k], b = b_[k], c = c_[k];                                                         \
      (void)c;                                                                                               \
      _mm256_mask_store_epi32(d_ + k, (__mmask8)(w->mask >> 8 * k), (__VA_ARGS__));                          \
    }                                                                                                        \
  }                                                                                                          \
  static void NAME(struct exec_warp *w, const struct exec_inst *in) { NAME##_x2(w, in); }

static INLINE __m512 wide_f16(__m256i h) { return _mm512_cvtph_ps(h); }
static INLINE __m256i narrow_f16(__m512 x) {
  const __m256i r = _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  return _mm256_mask_mov_epi16(r, _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q), _mm256_set1_epi16((short)EXEC_NAN16_BITS));
}
static INLINE __m512 wide_bf16(__m256i h) { return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(h), 16)); }
static INLINE __m256i narrow_bf16(__m512 x) {
  const __m512i u = _mm512_castps_si512(x), last = _mm512_and_si512(_mm512_srli_epi32(u, 16), _mm512_set1_epi32(1));
  const __m512i r = _mm512_srli_epi32(_mm512_add_epi32(_mm512_add_epi32(u, _mm512_set1_epi32(0x7fff)), last), 16);
  return _mm512_cvtepi32_epi16(_mm512_mask_mov_epi32(r, _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q), _mm512_set1_epi32(EXEC_NAN16_BITS)));
}
/* Rounded to odd: of the two neighbours of an inexact sum, the odd one. A sum of zero has the sign of the upper one, as in rounding to
 * nearest. */
static INLINE __m512 wide_odd_fma(__m512 a, __m512 b, __m512 c) {
  const __m512i below = _mm512_castps_si512(_mm512_fmadd_round_ps(a, b, c, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC));
  const __m512i above = _mm512_castps_si512(_mm512_fmadd_round_ps(a, b, c, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC));
  return _mm512_castsi512_ps(_mm512_mask_mov_epi32(above, _mm512_test_epi32_mask(below, _mm512_set1_epi32(1)), below));
}
#define wide_add(a, b) _mm512_add_ps(a, b)
#define wide_sub(a, b) _mm512_sub_ps(a, b)
#define wide_mul(a, b) _mm512_mul_ps(a, b)
#define PLAIN2(NAME, F, TYPE, WIDE) WIDE_ROWS(NAME, 2, narrow_##TYPE(WIDE(wide_##TYPE(a), wide_##TYPE(b))))
#define PLAIN3(NAME, F, TYPE)       WIDE_ROWS(NAME, 3, narrow_##TYPE(wide_odd_fma(wide_##TYPE(a), wide_##TYPE(b), wide_##TYPE(c))))
#else
#define PLAIN2(NAME, F, TYPE, WIDE) HALF2(NAME, F)
#define PLAIN3(NAME, F, TYPE)       HALF3(NAME, F)
#endif

/* ---- add, sub, mul ------------------------------------------------------------------------------------- */

static INLINE float load_f16(uint32_t h, int how) {
  return exec_f16_to_float(how & FTZ ? exec_ftz_f16(h) : h);
}
static INLINE uint32_t finish_f16(float r, int how) {
  const uint32_t h = exec_f16_from_float(how & SAT ? exec_sat32(r) : r);
  const uint32_t flushed = how & FTZ ? exec_ftz_f16(h) : h;
  return how & RELU && flushed & 0x8000u ? 0 : flushed; /* the canonical NaN is positive */
}
#define F16_OP(how, op) finish_f16(load_f16(a, how) op load_f16(b, how), how)
#define BF16_OP(op)     exec_bf16_from_float(exec_bf16_to_float(a) op exec_bf16_to_float(b))

/* [ftz + 2 sat][x2] */
#define F16_ARITH(NAME, OP, WIDE)                                                                            \
  static INLINE __attribute__((unused)) uint32_t NAME##_f(uint32_t a, uint32_t b) { return F16_OP(0, OP); }  \
  static INLINE uint32_t NAME##_ftz_f(uint32_t a, uint32_t b) { return F16_OP(FTZ, OP); }                    \
  static INLINE uint32_t NAME##_sat_f(uint32_t a, uint32_t b) { return F16_OP(SAT, OP); }                    \
  static INLINE uint32_t NAME##_ftz_sat_f(uint32_t a, uint32_t b) { return F16_OP(FTZ | SAT, OP); }          \
  PLAIN2(NAME, NAME##_f, f16, WIDE)                                                                          \
  HALF2(NAME##_ftz, NAME##_ftz_f)                                                                            \
  HALF2(NAME##_sat, NAME##_sat_f)                                                                            \
  HALF2(NAME##_ftz_sat, NAME##_ftz_sat_f)                                                                    \
  static const exec_fn NAME##_table[4][2] = {PAIR(NAME), PAIR(NAME##_ftz), PAIR(NAME##_sat),                 \
                                             PAIR(NAME##_ftz_sat)};
F16_ARITH(add_f16, +, wide_add)
F16_ARITH(sub_f16, -, wide_sub)
F16_ARITH(mul_f16, *, wide_mul)

#define BF16_ARITH(NAME, OP, WIDE)                                                                           \
  static INLINE __attribute__((unused)) uint32_t NAME##_f(uint32_t a, uint32_t b) { return BF16_OP(OP); }    \
  PLAIN2(NAME, NAME##_f, bf16, WIDE)                                                                         \
  static const exec_fn NAME##_table[2] = PAIR(NAME);
BF16_ARITH(add_bf16, +, wide_add)
BF16_ARITH(sub_bf16, -, wide_sub)
BF16_ARITH(mul_bf16, *, wide_mul)

/* ---- fma ----------------------------------------------------------------------------------------------- */

/* The NaN that tensor copies write for elements out of bounds; fma.oob gives zero if a factor is one. The ISA does not state its bits: this
 * is the smallest class that agrees with what was observed on an H200. */
#define OUT_OF_BOUNDS(h) (((h)&0x7ff0u) == 0x7ff0u)

/* Of f16 factors, whose product is exact in f32. */
static INLINE float odd_fma_f16(float a, float b, float c) { return exec_odd_sum32(a * b, c); }
/* Of bf16 factors, whose product may leave the range of f32. */
static INLINE float odd_fma_bf16(float a, float b, float c) {
  return exec_odd_float(exec_odd_sum((double)a * (double)b, (double)c));
}
static INLINE uint32_t fma_f16_how(uint32_t a, uint32_t b, uint32_t c, int how) {
  const uint32_t r = finish_f16(odd_fma_f16(load_f16(a, how), load_f16(b, how), load_f16(c, how)), how);
  return how & OOB && (OUT_OF_BOUNDS(a) | OUT_OF_BOUNDS(b)) ? 0 : r;
}
static INLINE uint32_t fma_bf16_how(uint32_t a, uint32_t b, uint32_t c, int how) {
  const uint32_t r =
      exec_bf16_from_float(odd_fma_bf16(exec_bf16_to_float(a), exec_bf16_to_float(b), exec_bf16_to_float(c)));
  const uint32_t positive = how & RELU && r & 0x8000u ? 0 : r;
  return how & OOB && (OUT_OF_BOUNDS(a) | OUT_OF_BOUNDS(b)) ? 0 : positive;
}
#define FMA_HALF(NAME, F, HOW)                                                                               \
  static INLINE uint32_t NAME##_f(uint32_t a, uint32_t b, uint32_t c) { return F(a, b, c, HOW); }            \
  HALF3(NAME, NAME##_f)
#define FMA_PLAIN(NAME, F, TYPE)                                                                             \
  static INLINE __attribute__((unused)) uint32_t NAME##_f(uint32_t a, uint32_t b, uint32_t c) { return F(a, b, c, 0); } \
  PLAIN3(NAME, NAME##_f, TYPE)
FMA_PLAIN(fma_f16, fma_f16_how, f16)
FMA_HALF(fma_f16_ftz, fma_f16_how, FTZ)
FMA_HALF(fma_f16_sat, fma_f16_how, SAT)
FMA_HALF(fma_f16_ftz_sat, fma_f16_how, FTZ | SAT)
FMA_HALF(fma_f16_relu, fma_f16_how, RELU)
FMA_HALF(fma_f16_ftz_relu, fma_f16_how, FTZ | RELU)
FMA_HALF(fma_f16_oob, fma_f16_how, OOB)
FMA_HALF(fma_f16_oob_relu, fma_f16_how, OOB | RELU)
FMA_PLAIN(fma_bf16, fma_bf16_how, bf16)
FMA_HALF(fma_bf16_relu, fma_bf16_how, RELU)
FMA_HALF(fma_bf16_oob, fma_bf16_how, OOB)
FMA_HALF(fma_bf16_oob_relu, fma_bf16_how, OOB | RELU)

/* [how][x2]; empty rows are combinations the ISA does not have */
static const exec_fn fma_f16_table[16][2] = {
    [0] = PAIR(fma_f16),         [FTZ] = PAIR(fma_f16_ftz),
    [SAT] = PAIR(fma_f16_sat),   [FTZ | SAT] = PAIR(fma_f16_ftz_sat),
    [RELU] = PAIR(fma_f16_relu), [FTZ | RELU] = PAIR(fma_f16_ftz_relu),
    [OOB] = PAIR(fma_f16_oob),   [OOB | RELU] = PAIR(fma_f16_oob_relu),
};
static const exec_fn fma_bf16_table[16][2] = {
    [0] = PAIR(fma_bf16),
    [RELU] = PAIR(fma_bf16_relu),
    [OOB] = PAIR(fma_bf16_oob),
    [OOB | RELU] = PAIR(fma_bf16_oob_relu),
};

/* ---- min, max, abs, neg: on the bits, for both formats ------------------------------------------------- */

/* The differences between the variants as masks, so that one loop serves all. */
struct order {
  uint32_t infinity;  /* bits of infinity: which format */
  uint32_t subnormal; /* what flushing leaves of a subnormal */
  uint32_t magnitude; /* what .abs leaves of an operand */
  uint32_t sign;      /* what .xorsign puts back */
  uint32_t flip;      /* complements the sort key: max */
  uint32_t nan;       /* all ones: one NaN is enough */
};

/* Sort key: -0 below +0; NaN anywhere. */
static inline uint32_t sort_key(uint32_t h) { return h & 0x8000u ? LOW(~h) : h | 0x8000u; }
static INLINE uint32_t ordered(uint32_t x, uint32_t y, struct order o) {
  const uint32_t fx = x & o.infinity ? x : x & o.subnormal, fy = y & o.infinity ? y : y & o.subnormal;
  const uint32_t a = fx & o.magnitude, b = fy & o.magnitude;
  const uint32_t nan_a = (a & 0x7fffu) > o.infinity ? ~0u : 0u, nan_b = (b & 0x7fffu) > o.infinity ? ~0u : 0u;
  const uint32_t first = (sort_key(a) ^ o.flip) < (sort_key(b) ^ o.flip) ? a : b;
  const uint32_t number = nan_a ? b : nan_b ? a : first;
  const uint32_t all_nan = (nan_a & nan_b) | ((nan_a | nan_b) & o.nan);
  return all_nan ? EXEC_NAN16_BITS : number ^ ((fx ^ fy) & o.sign);
}
static __attribute__((noinline)) void order_loop(EXEC_ARGS, struct order o) {
  const uint32_t *a = EXEC_ROW(w, in->a, uint32_t), *b = EXEC_ROW(w, in->b, uint32_t);
  EXEC_TO_ROW(uint32_t, result = ordered(LOW(a[i]), LOW(b[i]), o) | ordered(HIGH(a[i]), HIGH(b[i]), o)
                                                                        << 16;);
}
static inline struct order order_of(bool bf16, bool max, bool ftz, bool nan, bool xorsign) {
  return (struct order){.infinity = bf16 ? 0x7f80u : 0x7c00u,
                        .subnormal = ftz ? 0x8000u : 0xffffu,
                        .magnitude = xorsign ? 0x7fffu : 0xffffu,
                        .sign = xorsign ? 0x8000u : 0,
                        .flip = max ? 0xffffu : 0,
                        .nan = nan ? ~0u : 0};
}
/* [ftz + 2 NaN + 4 xorsign] */
#define ORDER(NAME, BF16, MAX, V)                                                                            \
  static void NAME##_##V(EXEC_ARGS) { order_loop(w, in, order_of(BF16, MAX, V & 1, V & 2, V & 4)); }
#define ORDERS(NAME, BF16, MAX)                                                                              \
  ORDER(NAME, BF16, MAX, 0)                                                                                  \
  ORDER(NAME, BF16, MAX, 1)                                                                                  \
  ORDER(NAME, BF16, MAX, 2)                                                                                  \
  ORDER(NAME, BF16, MAX, 3)                                                                                  \
  ORDER(NAME, BF16, MAX, 4)                                                                                  \
  ORDER(NAME, BF16, MAX, 5)                                                                                  \
  ORDER(NAME, BF16, MAX, 6)                                                                                  \
  ORDER(NAME, BF16, MAX, 7)                                                                                  \
  static const exec_fn NAME##_table[8] = {NAME##_0, NAME##_1, NAME##_2, NAME##_3,                            \
                                          NAME##_4, NAME##_5, NAME##_6, NAME##_7};
ORDERS(min_f16, false, false)
ORDERS(max_f16, false, true)
ORDERS(min_bf16, true, false)
ORDERS(max_bf16, true, true)

/* A NaN becomes the canonical one, as in arithmetic. */
static INLINE uint32_t signed_half(uint32_t h, uint32_t keep, uint32_t flip, uint32_t infinity) {
  return (h & 0x7fffu) > infinity ? EXEC_NAN16_BITS : (h & keep) ^ flip;
}
#define SIGN_HALF(NAME, KEEP, FLIP)                                                                          \
  static INLINE uint32_t NAME##_f16_f(uint32_t h) { return signed_half(h, KEEP, FLIP, 0x7c00u); }            \
  static INLINE uint32_t NAME##_bf16_f(uint32_t h) { return signed_half(h, KEEP, FLIP, 0x7f80u); }           \
  EXEC_OP1(NAME##_f16, uint32_t, uint32_t, NAME##_f16_f(LOW(x)) | NAME##_f16_f(HIGH(x)) << 16)               \
  EXEC_OP1(NAME##_f16_ftz, uint32_t, uint32_t,                                                               \
           NAME##_f16_f(exec_ftz_f16(LOW(x))) | NAME##_f16_f(exec_ftz_f16(HIGH(x))) << 16)                   \
  EXEC_OP1(NAME##_bf16, uint32_t, uint32_t, NAME##_bf16_f(LOW(x)) | NAME##_bf16_f(HIGH(x)) << 16)
SIGN_HALF(abs, 0x7fffu, 0)
SIGN_HALF(neg, 0xffffu, 0x8000u)

/* ---- approximations ------------------------------------------------------------------------------------ */

/* The special-function unit computes 2^x in f32 and truncates the result; overflow still becomes infinity. It does the same with tanh, but
 * that exceeds the error that the ISA states, so tanh is rounded here. */
static INLINE uint32_t cut_f16(float x) {
  const uint32_t u = exec_bits32(x), sign = u >> 16 & 0x8000u, m = u & 0x7fffffffu;
  const float small = m < 0x38800000u ? exec_float(m) : 0.0f;
  const uint32_t tiny = (uint32_t)(int32_t)(small * 0x1p24f);
  const uint32_t finite = m < 0x38800000u ? tiny : (m - 0x38000000u) >> 13;
  const uint32_t big = m > 0x7f800000u ? EXEC_NAN16_BITS : sign | 0x7c00u;
  return m >= 0x47800000u ? big : sign | finite;
}
static INLINE uint32_t cut_bf16(float x) {
  const uint32_t u = exec_bits32(x);
  return (u & 0x7fffffffu) > 0x7f800000u ? EXEC_NAN16_BITS : u >> 16;
}
static inline uint32_t ftz_bf16(uint32_t h) { return h & 0x7f80u ? h : h & 0x8000u; }
/* 23 bits after the point of the argument are used; of 16-bit numbers only those that are too small have more. */
static INLINE float ex2_of_half(float x) { return exec_ex2(__builtin_fabsf(x) < 0x1p-23f ? 0.0f : x); }
static INLINE uint32_t ex2_f16_f(uint32_t h) { return cut_f16(ex2_of_half(exec_f16_to_float(h))); }
static INLINE uint32_t ex2_bf16_f(uint32_t h) {
  return ftz_bf16(cut_bf16(ex2_of_half(exec_bf16_to_float(ftz_bf16(h)))));
}
static INLINE uint32_t tanh_f16_f(uint32_t h) { return exec_f16_from_float(exec_tanh(exec_f16_to_float(h))); }
static INLINE uint32_t tanh_bf16_f(uint32_t h) {
  return exec_bf16_from_float(exec_tanh(exec_bf16_to_float(h)));
}
#define HALF1(NAME, F)                                                                                       \
  EXEC_OP1(NAME, uint32_t, uint32_t, F(LOW(x)))                                                              \
  EXEC_OP1(NAME##_x2, uint32_t, uint32_t, F(LOW(x)) | F(HIGH(x)) << 16)                                      \
  static const exec_fn NAME##_table[2] = PAIR(NAME);
HALF1(ex2_f16, ex2_f16_f)
HALF1(ex2_bf16, ex2_bf16_f)
HALF1(tanh_f16, tanh_f16_f)
HALF1(tanh_bf16, tanh_bf16_f)

/* ---- f32x2: rows of 64 numbers, number k belonging to lane k / 2 --------------------------------------- */

#define SINGLE_PAIR_LOOP(NAME, SOURCES, EXPR)                                                                \
  EXEC_KEEP_CALL(NAME)                                                                                       \
  static void NAME(EXEC_ARGS) {                                                                              \
    SOURCES;                                                                                                 \
    float r[2 * EXEC_LANES] EXEC_ALIGNED;                                                                    \
    EXEC_VECTORISE                                                                                           \
    for (int i = 0; i < 2 * EXEC_LANES; i++) r[i] = (EXPR);                                                  \
    exec_merge64(EXEC_ROW(w, in->d, void), r, w->mask);                                                      \
  }
#define SOURCES2   const float *a = EXEC_ROW(w, in->a, float), *b = EXEC_ROW(w, in->b, float)
#define SOURCES3   SOURCES2, *c = EXEC_ROW(w, in->c, float)
#define PLAIN32(e) exec_nan32(e)
#define FTZ32(e)   exec_ftz32(exec_nan32(e))
#define IN(x)      exec_ftz32(x)
#define SINGLE_PAIR_TABLE(NAME, LOOP)                                                                        \
  EXEC_DIRECTIONS(NAME, LOOP)                                                                                \
  EXEC_DIRECTIONS(NAME##_ftz, LOOP##_ftz)                                                                    \
  static const exec_fn NAME##_table[2][4] = {EXEC_BY_ROUND(NAME), EXEC_BY_ROUND(NAME##_ftz)};
#define SINGLE_PAIR2(NAME, OP)                                                                               \
  SINGLE_PAIR_LOOP(NAME, SOURCES2, PLAIN32(a[i] OP b[i]))                                                    \
  SINGLE_PAIR_LOOP(NAME##_ftz, SOURCES2, FTZ32(IN(a[i]) OP IN(b[i])))                                        \
  SINGLE_PAIR_TABLE(NAME, NAME)
SINGLE_PAIR2(add_f32x2, +)
SINGLE_PAIR2(sub_f32x2, -)
SINGLE_PAIR2(mul_f32x2, *)
SINGLE_PAIR_LOOP(fma_f32x2, SOURCES3, PLAIN32(EXEC_FMA32(a[i], b[i], c[i])))
SINGLE_PAIR_LOOP(fma_f32x2_ftz, SOURCES3, FTZ32(EXEC_FMA32(IN(a[i]), IN(b[i]), IN(c[i]))))
#if EXEC_HOST_FMA
SINGLE_PAIR_TABLE(fma_f32x2, fma_f32x2)
#else
SINGLE_PAIR_LOOP(fma_directed, SOURCES3, PLAIN32(EXEC_FMA32_DIRECTED(a[i], b[i], c[i])))
SINGLE_PAIR_LOOP(fma_directed_ftz, SOURCES3, FTZ32(EXEC_FMA32_DIRECTED(IN(a[i]), IN(b[i]), IN(c[i]))))
SINGLE_PAIR_TABLE(fma_f32x2, fma_directed)
#endif

/* ---- choosing ------------------------------------------------------------------------------------------ */

static unsigned how_of(const struct ptx_inst *pi) {
  return (unsigned)((ptx_has(pi, PTX_M_ftz) ? FTZ : 0) | (ptx_has(pi, PTX_M_sat) ? SAT : 0) |
                    (ptx_has(pi, PTX_M_relu) ? RELU : 0) | (ptx_has(pi, PTX_M_oob) ? OOB : 0));
}
static unsigned order_index(const struct ptx_inst *pi) {
  return (ptx_has(pi, PTX_M_ftz) ? 1u : 0u) | (ptx_has(pi, PTX_M_NaN) ? 2u : 0u) |
         (ptx_has(pi, PTX_M_xorsign) ? 4u : 0u);
}

static exec_fn pick_f16(const struct ptx_inst *pi, bool two) {
  const unsigned how = how_of(pi);
  switch (pi->op) {
  case PTX_OP_add: return how < 4 ? add_f16_table[how][two] : NULL;
  case PTX_OP_sub: return how < 4 ? sub_f16_table[how][two] : NULL;
  case PTX_OP_mul: return how < 4 ? mul_f16_table[how][two] : NULL;
  case PTX_OP_mad:
  case PTX_OP_fma: return fma_f16_table[how][two];
  case PTX_OP_min: return min_f16_table[order_index(pi)];
  case PTX_OP_max: return max_f16_table[order_index(pi)];
  case PTX_OP_abs: return how & FTZ ? abs_f16_ftz : abs_f16;
  case PTX_OP_neg: return how & FTZ ? neg_f16_ftz : neg_f16;
  case PTX_OP_ex2: return ex2_f16_table[two];
  case PTX_OP_tanh: return tanh_f16_table[two];
  default: return NULL;
  }
}

static exec_fn pick_bf16(const struct ptx_inst *pi, bool two) {
  const unsigned how = how_of(pi);
  switch (pi->op) {
  case PTX_OP_add: return how ? NULL : add_bf16_table[two];
  case PTX_OP_sub: return how ? NULL : sub_bf16_table[two];
  case PTX_OP_mul: return how ? NULL : mul_bf16_table[two];
  case PTX_OP_mad:
  case PTX_OP_fma: return fma_bf16_table[how][two];
  case PTX_OP_min: return how ? NULL : min_bf16_table[order_index(pi)];
  case PTX_OP_max: return how ? NULL : max_bf16_table[order_index(pi)];
  case PTX_OP_abs: return how ? NULL : abs_bf16;
  case PTX_OP_neg: return how ? NULL : neg_bf16;
  case PTX_OP_ex2: return ex2_bf16_table[two];
  case PTX_OP_tanh: return tanh_bf16_table[two];
  default: return NULL;
  }
}

static exec_fn pick_f32x2(const struct ptx_inst *pi) {
  const bool ftz = ptx_has(pi, PTX_M_ftz);
  const enum exec_round r = exec_rounding_of(pi);
  switch (pi->op) {
  case PTX_OP_add: return add_f32x2_table[ftz][r];
  case PTX_OP_sub: return sub_f32x2_table[ftz][r];
  case PTX_OP_mul: return mul_f32x2_table[ftz][r];
  case PTX_OP_fma: return fma_f32x2_table[ftz][r];
  default: return NULL;
  }
}

exec_fn EXEC_LANES_NAME(pick_half)(const struct ptx_inst *pi);
exec_fn EXEC_LANES_NAME(pick_half)(const struct ptx_inst *pi) {
  if (pi->n_types != 1) return NULL;
  switch (pi->types[0]) {
  case PTX_F16: return pick_f16(pi, false);
  case PTX_F16X2: return pick_f16(pi, true);
  case PTX_BF16: return pick_bf16(pi, false);
  case PTX_BF16X2: return pick_bf16(pi, true);
  case PTX_F32X2: return pick_f32x2(pi);
  default: return NULL;
  }
}
