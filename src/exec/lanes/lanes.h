/* Loops over the 32 lanes of a warp, for the lane files. The same source is compiled once per host instruction set. The loops are written
 * so that compilers vectorise them: rows are aligned, a destination may alias a source only lane by lane (the same register), and inactive
 * lanes keep their value through a blend, so every operation is one loop without a branch. An expression is evaluated for inactive lanes
 * too and must therefore be defined for every input. */
#ifndef EXEC_LANES_H
#define EXEC_LANES_H

#include "exec/decode.h"

#include <string.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed" /* some lane loops are scalar by nature */
#define EXEC_VECTORISE _Pragma("clang loop vectorize(assume_safety)")
#else
#define EXEC_VECTORISE _Pragma("GCC ivdep")
#endif

#define EXEC_ROW(w, opnd, type) ((type *)__builtin_assume_aligned(exec_row((w), (opnd)), 64))

/* Runs the body for each lane i. */
#define EXEC_EACH_LANE(i)                                                                                    \
  EXEC_VECTORISE                                                                                             \
  for (int i = 0; i < EXEC_LANES; i++)

/* ---- masks and rows ------------------------------------------------------------------------------------ */

/* Bit i at index i: with a row of these, testing a mask needs no variable shift. */
#define EXEC_BITS4(T, i) (T)1 << (i), (T)1 << ((i) + 1), (T)1 << ((i) + 2), (T)1 << ((i) + 3)
#define EXEC_BITS16(T, i)                                                                                    \
  EXEC_BITS4(T, i), EXEC_BITS4(T, (i) + 4), EXEC_BITS4(T, (i) + 8), EXEC_BITS4(T, (i) + 12)
static const uint32_t exec_lane_bit[EXEC_LANES] EXEC_ALIGNED = {EXEC_BITS16(uint32_t, 0),
                                                                EXEC_BITS16(uint32_t, 16)};
static const uint64_t exec_lane_bit64[EXEC_LANES] EXEC_ALIGNED = {EXEC_BITS16(uint64_t, 0),
                                                                  EXEC_BITS16(uint64_t, 16)};

/* The unsigned type as wide as T (32 or 64 bits), and the table of lane bits of that width. */
#define EXEC_TRUTH(T)    __typeof__(__builtin_choose_expr(sizeof(T) == 8, (uint64_t)0, (uint32_t)0))
#define EXEC_LANE_BIT(T) __builtin_choose_expr(sizeof(T) == 8, exec_lane_bit64, exec_lane_bit)

/* d = lane in `bits` ? a : b, for every lane. */
static inline void exec_select32(uint32_t *d, const uint32_t *a, const uint32_t *b, uint32_t bits) {
  EXEC_EACH_LANE(i) {
    const uint32_t x = a[i], y = b[i];
    d[i] = (bits & exec_lane_bit[i]) ? x : y;
  }
}
static inline void exec_select64(uint64_t *d, const uint64_t *a, const uint64_t *b, uint32_t bits) {
  const uint64_t wide = bits;
  EXEC_EACH_LANE(i) {
    const uint64_t x = a[i], y = b[i];
    d[i] = (wide & exec_lane_bit64[i]) ? x : y;
  }
}

/* Copy the lanes of `mask` from r to d, both aligned to 64 bytes. */
#if defined(__AVX512F__)
static inline void exec_merge32(void *d, const void *r, uint32_t mask) {
  for (int k = 0; k < 2; k++)
    _mm512_mask_store_epi32((__m512i *)d + k, (__mmask16)(mask >> 16 * k), ((const __m512i *)r)[k]);
}
static inline void exec_merge64(void *d, const void *r, uint32_t mask) {
  for (int k = 0; k < 4; k++)
    _mm512_mask_store_epi64((__m512i *)d + k, (__mmask8)(mask >> 8 * k), ((const __m512i *)r)[k]);
}
#else
__attribute__((noinline, unused)) static void exec_merge32(void *d, const void *r, uint32_t mask) {
  uint32_t *row = __builtin_assume_aligned(d, 64);
  exec_select32(row, __builtin_assume_aligned(r, 64), row, mask);
}
__attribute__((noinline, unused)) static void exec_merge64(void *d, const void *r, uint32_t mask) {
  uint64_t *row = __builtin_assume_aligned(d, 64);
  exec_select64(row, __builtin_assume_aligned(r, 64), row, mask);
}
#endif

/* Copies a whole row in the host's longest registers. A compiler's memcpy uses shorter ones, and a reader with longer ones would then stall
 * until the data are in memory. */
#if defined(__AVX512F__)
typedef uint64_t exec_wide __attribute__((vector_size(64), aligned(1), may_alias));
#elif defined(__AVX2__)
typedef uint64_t exec_wide __attribute__((vector_size(32), aligned(1), may_alias));
#else
typedef uint64_t exec_wide __attribute__((vector_size(16), aligned(1), may_alias));
#endif
static inline void exec_copy(void *to, const void *from, size_t bytes) {
  const size_t whole = bytes / sizeof(exec_wide), rest = bytes % sizeof(exec_wide);
  exec_wide *d = to;
  const exec_wide *s = from;
#pragma GCC unroll 32
  for (size_t i = 0; i < whole; i++) d[i] = s[i];
  memcpy(d + whole, s + whole, rest);
}

/* The lanes whose element has its top bit set. */
static inline uint32_t exec_gather32(const uint32_t *t) {
  uint32_t r = 0;
#if defined(__AVX512DQ__)
  for (int k = 0; k < 2; k++) r |= (uint32_t)_mm512_movepi32_mask(_mm512_load_si512(t + 16 * k)) << 16 * k;
#elif defined(__AVX2__)
  for (int k = 0; k < 4; k++)
    r |= (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_load_si256((const __m256i *)t + k)))
         << 8 * k;
#elif defined(__SSE2__)
  for (int k = 0; k < 8; k++)
    r |= (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(_mm_load_si128((const __m128i *)t + k))) << 4 * k;
#else
  for (int i = 0; i < EXEC_LANES; i++) r |= t[i] >> 31 << i;
#endif
  return r;
}
static inline uint32_t exec_gather64(const uint64_t *t) {
  uint32_t r = 0;
#if defined(__AVX512DQ__)
  for (int k = 0; k < 4; k++) r |= (uint32_t)_mm512_movepi64_mask(_mm512_load_si512(t + 8 * k)) << 8 * k;
#elif defined(__AVX2__)
  for (int k = 0; k < 8; k++)
    r |= (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_load_si256((const __m256i *)t + k)))
         << 4 * k;
#else
  for (int i = 0; i < EXEC_LANES; i++) r |= (uint32_t)(t[i] >> 63) << i;
#endif
  return r;
}

/* ---- operations that write a row ----------------------------------------------------------------------- */

/* The frame of an operation: the body computes `result` for every lane i. Most warps have all their lanes active, which needs no blend. */
#define EXEC_TO_ROW(TD, ...)                                                                                 \
  do {                                                                                                       \
    TD *const d_ = EXEC_ROW(w, in->d, TD);                                                                   \
    const EXEC_TRUTH(TD) mask_ = w->mask;                                                                    \
    if (w->mask == EXEC_ALL_LANES) {                                                                         \
      EXEC_EACH_LANE(i) {                                                                                    \
        TD result;                                                                                           \
        __VA_ARGS__                                                                                          \
        d_[i] = result;                                                                                      \
      }                                                                                                      \
      break;                                                                                                 \
    }                                                                                                        \
    EXEC_EACH_LANE(i) {                                                                                      \
      const TD before_ = d_[i];                                                                              \
      TD result;                                                                                             \
      __VA_ARGS__                                                                                            \
      d_[i] = (mask_ & EXEC_LANE_BIT(TD)[i]) ? result : before_;                                             \
    }                                                                                                        \
  } while (0)

/* NAME(d = f(x)), f(x, y), f(x, y, z): TD, TA.. are the row element types; x, y, z are the names used in
 * EXPR. */
#define EXEC_OP1(NAME, TD, TA, EXPR)                                                                         \
  static void NAME(struct exec_warp *w, const struct exec_inst *in) {                                        \
    const TA *const a_ = EXEC_ROW(w, in->a, TA);                                                             \
    EXEC_TO_ROW(TD, const TA x = a_[i]; result = (TD)(EXPR););                                               \
  }
#define EXEC_OP2(NAME, TD, TA, TB, EXPR)                                                                     \
  static void NAME(struct exec_warp *w, const struct exec_inst *in) {                                        \
    const TA *const a_ = EXEC_ROW(w, in->a, TA);                                                             \
    const TB *const b_ = EXEC_ROW(w, in->b, TB);                                                             \
    EXEC_TO_ROW(TD, const TA x = a_[i]; const TB y = b_[i]; result = (TD)(EXPR););                           \
  }
#define EXEC_OP3(NAME, TD, TA, TB, TC, EXPR)                                                                 \
  static void NAME(struct exec_warp *w, const struct exec_inst *in) {                                        \
    const TA *const a_ = EXEC_ROW(w, in->a, TA);                                                             \
    const TB *const b_ = EXEC_ROW(w, in->b, TB);                                                             \
    const TC *const c_ = EXEC_ROW(w, in->c, TC);                                                             \
    EXEC_TO_ROW(TD, const TA x = a_[i]; const TB y = b_[i]; const TC z = c_[i]; result = (TD)(EXPR););       \
  }

/* ---- operations that give a bit a lane ----------------------------------------------------------------- */

/* Evaluates EXPR(x) or EXPR(x, y) for every lane and returns the lanes where it holds. The truth values are
 * as wide as the elements, so that a vector comparison needs no narrowing. */
#define EXEC_TO_BITS(TA, ...)                                                                                \
  do {                                                                                                       \
    typedef EXEC_TRUTH(TA) truth;                                                                            \
    truth truth_[EXEC_LANES] EXEC_ALIGNED;                                                                   \
    EXEC_EACH_LANE(i) { __VA_ARGS__ }                                                                        \
    return sizeof(truth) == 8 ? exec_gather64((const uint64_t *)(const void *)truth_)                        \
                              : exec_gather32((const uint32_t *)(const void *)truth_);                       \
  } while (0)
#define EXEC_PRED1(NAME, TA, EXPR)                                                                           \
  static inline uint32_t NAME(const struct exec_warp *w, const struct exec_inst *in) {                       \
    const TA *const a_ = EXEC_ROW(w, in->a, TA);                                                             \
    EXEC_TO_BITS(TA, const TA x = a_[i]; truth_[i] = (EXPR) ? (truth)-1 : 0;);                               \
  }
#define EXEC_PRED2(NAME, TA, TB, EXPR)                                                                       \
  static inline uint32_t NAME(const struct exec_warp *w, const struct exec_inst *in) {                       \
    const TA *const a_ = EXEC_ROW(w, in->a, TA);                                                             \
    const TB *const b_ = EXEC_ROW(w, in->b, TB);                                                             \
    EXEC_TO_BITS(TA, const TA x = a_[i]; const TB y = b_[i]; truth_[i] = (EXPR) ? (truth)-1 : 0;);           \
  }

/* ---- tables of variants -------------------------------------------------------------------------------- */

/* One legal variant of an opcode: exactly these types and these modifiers, in any order. */
enum { EXEC_VARIANT_MODS = 3 };
struct exec_variant {
  uint8_t types[2];
  uint16_t mods[EXEC_VARIANT_MODS]; /* enum ptx_mod; PTX_M_none ends the list */
  exec_fn fn;
};
struct exec_variants {
  const struct exec_variant *rows;
  size_t n;
};

static inline bool exec_variant_matches(const struct exec_variant *v, const struct ptx_inst *pi) {
  if (v->types[0] != (pi->n_types ? pi->types[0] : PTX_NOTYPE)) return false;
  if (v->types[1] != (pi->n_types > 1 ? pi->types[1] : PTX_NOTYPE)) return false;
  unsigned n = 0;
  while (n < EXEC_VARIANT_MODS && v->mods[n] != PTX_M_none) n++;
  if (pi->n_mods != n) return false;
  for (unsigned k = 0; k < n; k++) {
    bool found = false;
    for (unsigned j = 0; j < n; j++) found |= pi->mods[j] == v->mods[k];
    if (!found) return false;
  }
  return true;
}
/* The function of the row that describes `pi`, or NULL. */
static inline exec_fn exec_pick_variant(struct exec_variants table, const struct ptx_inst *pi) {
  for (size_t k = 0; k < table.n; k++)
    if (exec_variant_matches(&table.rows[k], pi)) return table.rows[k].fn;
  return NULL;
}

#endif
