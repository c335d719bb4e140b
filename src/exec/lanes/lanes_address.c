/* The addresses of 32 lanes: base plus offset, and in the same pass whether they are equal or consecutive and which bits they have; whether
 * they lie between bounds; and loads and stores that do not leave their addresses in w->access. Uses vectors as long as the host's, or
 * loops that compilers vectorise. */
#include "exec/lanes/lanes.h"

/* As many addresses as fit into one host register. */
#if defined(__AVX512F__)
enum { SOME = 8 };
#define ALL(x) ((some){x, x, x, x, x, x, x, x})
#define NUMBERS ((some){0, 1, 2, 3, 4, 5, 6, 7})
#else
enum { SOME = 4 };
#define ALL(x) ((some){x, x, x, x})
#define NUMBERS ((some){0, 1, 2, 3})
#endif
typedef uint64_t some __attribute__((vector_size(8 * SOME), aligned(8), may_alias));
typedef uint32_t some_words __attribute__((vector_size(4 * SOME), aligned(4), may_alias));

/* ---- forming addresses ------------------------------------------------------------------------------------------------- */

struct pass {
  some first, expected, step, differ, gaps, bits;
};

static inline struct pass begin(uint64_t first, unsigned lane_of_first, uint64_t bytes) {
  return (struct pass){
      .first = ALL(first), .expected = ALL(first - lane_of_first * bytes) + NUMBERS * ALL(bytes), .step = ALL(SOME * bytes)};
}

static inline void add(struct pass *p, const some *x) {
  p->differ |= *x ^ p->first;
  p->gaps |= *x ^ p->expected;
  p->bits |= *x;
  p->expected += p->step;
}

static inline uint64_t any(const some *v) {
#if defined(__AVX512F__)
  return (uint64_t)_mm512_reduce_or_epi64((__m512i)*v);
#else
  const some x = *v;
  return (x[0] | x[1]) | (x[2] | x[3]);
#endif
}

static inline struct exec_shape end(const struct pass *p) { return (struct exec_shape){any(&p->differ), any(&p->gaps), any(&p->bits)}; }

/* Lanes outside the mask get the address of the first lane of the mask. */
static inline void keep_lanes(some *x, uint64_t mask, unsigned i, uint64_t first) {
  const some in = (ALL(mask) & *(const some *)(exec_lane_bit64 + i)) != ALL(0);
  *x = (*x & in) | (ALL(first) & ~in);
}

struct exec_shape EXEC_LANES_NAME(form_wide)(const void *row, uint64_t offset, uint64_t bytes, uint32_t mask, uint64_t *addr);
struct exec_shape EXEC_LANES_NAME(form_wide)(const void *row, uint64_t offset, uint64_t bytes, uint32_t mask, uint64_t *addr) {
  const unsigned lane = (unsigned)__builtin_ctz(mask);
  const uint64_t *r = row, first = r[lane] + offset;
  struct pass p = begin(first, lane, bytes);
  for (unsigned i = 0; i < EXEC_LANES; i += SOME) {
    some x = *(const some *)(r + i) + ALL(offset);
    if (mask != EXEC_ALL_LANES) keep_lanes(&x, mask, i, first);
    *(some *)(addr + i) = x;
    add(&p, &x);
  }
  return end(&p);
}

/* The sum wraps at 32 bits. */
struct exec_shape EXEC_LANES_NAME(form_narrow)(const void *row, uint64_t offset, uint64_t bytes, uint32_t mask, uint64_t *addr);
struct exec_shape EXEC_LANES_NAME(form_narrow)(const void *row, uint64_t offset, uint64_t bytes, uint32_t mask, uint64_t *addr) {
  const unsigned lane = (unsigned)__builtin_ctz(mask);
  const uint32_t *r = row, o = (uint32_t)offset, first = r[lane] + o;
  struct pass p = begin(first, lane, bytes);
  for (unsigned i = 0; i < EXEC_LANES; i += SOME) {
    some x = __builtin_convertvector(*(const some_words *)(r + i) + o, some);
    if (mask != EXEC_ALL_LANES) keep_lanes(&x, mask, i, first);
    *(some *)(addr + i) = x;
    add(&p, &x);
  }
  return end(&p);
}

bool EXEC_LANES_NAME(within)(const uint64_t *addr, uint64_t lo, uint64_t last);
bool EXEC_LANES_NAME(within)(const uint64_t *addr, uint64_t lo, uint64_t last) {
  some bad = ALL(0);
  for (unsigned i = 0; i < EXEC_LANES; i += SOME) {
    const some x = *(const some *)(addr + i);
    bad |= (x - ALL(lo)) | (ALL(last) - x);
  }
  return !(any(&bad) >> 63);
}

/* ---- loads and stores without a trace ------------------------------------------------------------------------------------ */

typedef uint64_t uint128 __attribute__((vector_size(16), may_alias));

/* The data behind will probably be loaded by the next warp, or by the same warp of the next CTA: the host prefetches them. */
static inline void fetch_ahead(const unsigned char *p, size_t bytes) {
  for (size_t i = 0; i < bytes; i += 64) __builtin_prefetch(p + i);
}

/* A distance from the start of a window (of less than half of all addresses) is inside if neither its top bit nor that of what is left up
 * to the last address is set: AVX2 cannot compare unsigned 64-bit numbers. */
#define SIGN(A) ((A)1 << (8 * sizeof(A) - 1))
static inline bool has_last_uint32_t(uint64_t size, uint64_t bytes) { return size >= bytes && size - bytes < SIGN(uint32_t); }
static inline bool has_last_uint64_t(uint64_t size, uint64_t bytes) { return size >= bytes && size - bytes < SIGN(uint64_t); }

/* Loads or stores elements of type T at addresses of type A, in rows of that type. `step` is 0 if all lanes are at one address, sizeof(T)
 * if they are consecutive, otherwise they are scattered. False: a lane is outside the window or not aligned. */
#define TOGETHER(A, T)                                                                                                              \
  static inline bool together_##A##_##T(const A *r, A step) {                                                                      \
    A gaps = 0;                                                                                                                    \
    if (step && step != sizeof(T)) return false;                                                                                  \
    const A first = r[0];                                                                                                          \
    if (step) EXEC_EACH_LANE(i) gaps |= r[i] ^ (first + (A)i * (A)sizeof(T)); /* AVX2 cannot multiply 64 bits */                   \
    else EXEC_EACH_LANE(i) gaps |= r[i] ^ first;                                                                                   \
    return !gaps;                                                                                                                  \
  }                                                                                                                                \
  static inline bool inside_##A##_##T(const A *r, A offset, const struct exec_window *at) {                                        \
    const A lo = (A)at->lo, last = (A)(at->size - sizeof(T));                                                                      \
    A bad = 0, bits = 0;                                                                                                           \
    if (!has_last_##A(at->size, sizeof(T))) return false;                                                                          \
    EXEC_EACH_LANE(i) {                                                                                                            \
      const A x = r[i] + offset, y = x - lo;                                                                                       \
      bits |= x;                                                                                                                   \
      bad |= y | (last - y);                                                                                                       \
    }                                                                                                                              \
    return !(bad & SIGN(A)) && !(bits & (sizeof(T) - 1));                                                                          \
  }                                                                                                                                \
  /* Of a part of the lanes; *consecutive: those are. */                                                                           \
  static inline bool some_inside_##A##_##T(const A *r, A offset, uint32_t mask, const struct exec_window *at, bool *consecutive) { \
    const unsigned first = (unsigned)__builtin_ctz(mask);                                                                          \
    const A lo = (A)at->lo, last = (A)(at->size - sizeof(T)), start = r[first] - (A)(first * sizeof(T)), lanes = mask;             \
    A bad = 0, bits = 0, gaps = 0;                                                                                                 \
    if (!has_last_##A(at->size, sizeof(T))) return false;                                                                          \
    EXEC_EACH_LANE(i) {                                                                                                            \
      const A in = lanes & EXEC_LANE_BIT(A)[i] ? (A)-1 : 0, x = r[i] + offset, y = (x - lo) & in;                                  \
      gaps |= (r[i] ^ (start + (A)i * (A)sizeof(T))) & in;                                                                         \
      bits |= x & in;                                                                                                              \
      bad |= y | (last - y);                                                                                                       \
    }                                                                                                                              \
    *consecutive = !gaps && !at->stride;                                                                                           \
    return !(bad & SIGN(A)) && !(bits & (sizeof(T) - 1));                                                                          \
  }                                                                                                                                \
  static inline bool fits_##A##_##T(A first, uint64_t bytes, const struct exec_window *at) {                                       \
    return at->size >= bytes && (A)(first - (A)at->lo) <= at->size - bytes && !(first & (sizeof(T) - 1));                          \
  }

/* Of M and T a register's lanes that are in the mask, from `from`, where lane 0's is. */
#define PUT_SOME(T, M)                                                                                                              \
  static inline void put_some_##T##_##M(T *d, const M *from, uint32_t mask) {                                                       \
    const EXEC_TRUTH(T) lanes = mask;                                                                                               \
    EXEC_EACH_LANE(i) {                                                                                                             \
      const T before = d[i];                                                                                                        \
      d[i] = lanes & EXEC_LANE_BIT(T)[i] ? (T)from[i] : before;                                                                     \
    }                                                                                                                               \
  }
PUT_SOME(uint32_t, uint32_t)
PUT_SOME(uint64_t, uint64_t)
PUT_SOME(uint32_t, uint8_t)
PUT_SOME(uint32_t, uint16_t)
PUT_SOME(uint32_t, int8_t)
PUT_SOME(uint32_t, int16_t)
static inline void put_some_uint128_uint128(uint128 *d, const uint128 *from, uint32_t mask) {
  for (; mask; mask &= mask - 1) d[__builtin_ctz(mask)] = from[__builtin_ctz(mask)];
}

/* Lanes in the mask to consecutive places, the first of which would be lane 0's. False: not this way. */
#if defined(__AVX512F__)
static inline bool give_some_uint32_t(unsigned char *p, const uint32_t *s, uint32_t mask) {
  for (int k = 0; k < 2; k++) _mm512_mask_storeu_epi32(p + 64 * k, (__mmask16)(mask >> 16 * k), _mm512_load_si512(s + 16 * k));
  return true;
}
static inline bool give_some_uint64_t(unsigned char *p, const uint64_t *s, uint32_t mask) {
  for (int k = 0; k < 4; k++) _mm512_mask_storeu_epi64(p + 64 * k, (__mmask8)(mask >> 8 * k), _mm512_load_si512(s + 8 * k));
  return true;
}
static inline bool give_some_uint8_t(unsigned char *p, const uint32_t *s, uint32_t mask) {
  for (int k = 0; k < 2; k++) _mm512_mask_cvtepi32_storeu_epi8(p + 16 * k, (__mmask16)(mask >> 16 * k), _mm512_load_si512(s + 16 * k));
  return true;
}
static inline bool give_some_uint16_t(unsigned char *p, const uint32_t *s, uint32_t mask) {
  for (int k = 0; k < 2; k++) _mm512_mask_cvtepi32_storeu_epi16(p + 32 * k, (__mmask16)(mask >> 16 * k), _mm512_load_si512(s + 16 * k));
  return true;
}
#else
#define GIVES_NONE(M, T)                                                                                                            \
  static inline bool give_some_##M(unsigned char *p, const T *s, uint32_t mask) {                                                   \
    (void)p, (void)s, (void)mask;                                                                                                   \
    return false;                                                                                                                   \
  }
GIVES_NONE(uint32_t, uint32_t)
GIVES_NONE(uint64_t, uint64_t)
GIVES_NONE(uint8_t, uint32_t)
GIVES_NONE(uint16_t, uint32_t)
#endif
static inline bool give_some_uint128(unsigned char *p, const uint128 *s, uint32_t mask) {
  for (; mask; mask &= mask - 1) memcpy(p + 16u * (unsigned)__builtin_ctz(mask), s + __builtin_ctz(mask), 16);
  return true;
}

/* Elements of type M in memory, of the size of S, and T in a register: extended as M when loaded, truncated when stored. */
#define QUICK_LOAD(NAME, A, S, M, T)                                                                                                \
  static inline bool NAME##_some(T *d, const A *r, A o, uint32_t mask, const struct exec_window *at) {                             \
    bool consecutive;                                                                                                              \
    M v[EXEC_LANES];                                                                                                               \
    if (!some_inside_##A##_##S(r, o, mask, at, &consecutive)) return false;                                                        \
    const unsigned lane = (unsigned)__builtin_ctz(mask);                                                                           \
    const A start = (A)(r[lane] + o - (A)(lane * sizeof(M)));                                                                      \
    if (consecutive && fits_##A##_##S(start, EXEC_LANES * sizeof(M), at)) {                                                        \
      exec_copy(v, exec_mem_ptr(at->base + start), sizeof v);                                                                        \
      put_some_##T##_##M(d, v, mask);                                                                                              \
      return true;                                                                                                                 \
    }                                                                                                                              \
    for (; mask; mask &= mask - 1) {                                                                                               \
      const unsigned i = (unsigned)__builtin_ctz(mask);                                                                            \
      memcpy(v, exec_mem_ptr(at->base + i * at->stride + (A)(r[i] + o)), sizeof *v);                                               \
      d[i] = (T)v[0];                                                                                                              \
    }                                                                                                                              \
    return true;                                                                                                                   \
  }                                                                                                                                \
  bool EXEC_LANES_NAME(NAME)(void *to, const void *row, uint64_t offset, uint32_t mask, const struct exec_window *at);             \
  bool EXEC_LANES_NAME(NAME)(void *to, const void *row, uint64_t offset, uint32_t mask, const struct exec_window *at) {            \
    T *const d = __builtin_assume_aligned(to, 64);                                                                                 \
    const A *const r = __builtin_assume_aligned(row, 64), o = (A)offset, first = r[0] + o, step = r[1] - r[0];                     \
    M v[EXEC_LANES];                                                                                                               \
    if (mask != EXEC_ALL_LANES) return NAME##_some(d, r, o, mask, at);                                                             \
    if (!at->stride && together_##A##_##S(r, step)) {                                                                              \
      const unsigned char *p = exec_mem_ptr(at->base + first);                                                                     \
      if (!fits_##A##_##S(first, step ? EXEC_LANES * sizeof(M) : sizeof(M), at)) return false;                                     \
      if (step) {                                                                                                                  \
        exec_copy(sizeof(M) == sizeof(T) ? (void *)d : (void *)v, p, EXEC_LANES * sizeof(M));                                      \
        if (sizeof(M) != sizeof(T)) EXEC_EACH_LANE(i) d[i] = (T)v[i];                                                              \
        fetch_ahead(p + EXEC_LANES * sizeof(M), EXEC_LANES * sizeof(M));                                                           \
        return true;                                                                                                               \
      }                                                                                                                            \
      memcpy(v, p, sizeof *v);                                                                                                     \
      EXEC_EACH_LANE(i) d[i] = (T)v[0];                                                                                            \
      return true;                                                                                                                 \
    }                                                                                                                              \
    if (!inside_##A##_##S(r, o, at)) return false;                                                                                 \
    for (unsigned i = 0; i < EXEC_LANES; i++) {                                                                                    \
      memcpy(v, exec_mem_ptr(at->base + i * at->stride + (A)(r[i] + o)), sizeof *v);                                               \
      d[i] = (T)v[0];                                                                                                              \
    }                                                                                                                              \
    return true;                                                                                                                   \
  }

/* Lanes that store to one address do so in lane order: the highest lane's value stays. */
#define QUICK_STORE(NAME, A, M, T)                                                                                                  \
  static inline bool NAME##_some(const T *s, const A *r, A o, uint32_t mask, const struct exec_window *at) {                       \
    bool consecutive;                                                                                                              \
    if (!some_inside_##A##_##M(r, o, mask, at, &consecutive)) return false;                                                        \
    const unsigned lane = (unsigned)__builtin_ctz(mask);                                                                           \
    if (consecutive && give_some_##M(exec_mem_ptr(at->base + (A)(r[lane] + o) - lane * sizeof(M)), s, mask)) return true;          \
    for (; mask; mask &= mask - 1) {                                                                                               \
      const unsigned i = (unsigned)__builtin_ctz(mask);                                                                            \
      const M v = (M)s[i];                                                                                                         \
      memcpy(exec_mem_ptr(at->base + i * at->stride + (A)(r[i] + o)), &v, sizeof v);                                               \
    }                                                                                                                              \
    return true;                                                                                                                   \
  }                                                                                                                                \
  bool EXEC_LANES_NAME(NAME)(void *from, const void *row, uint64_t offset, uint32_t mask, const struct exec_window *at);           \
  bool EXEC_LANES_NAME(NAME)(void *from, const void *row, uint64_t offset, uint32_t mask, const struct exec_window *at) {          \
    const T *const s = __builtin_assume_aligned(from, 64);                                                                         \
    const A *const r = __builtin_assume_aligned(row, 64), o = (A)offset, first = r[0] + o, step = r[1] - r[0];                     \
    M v[EXEC_LANES];                                                                                                               \
    if (mask != EXEC_ALL_LANES) return NAME##_some(s, r, o, mask, at);                                                             \
    if (step && !at->stride && together_##A##_##M(r, step)) {                                                                      \
      if (!fits_##A##_##M(first, EXEC_LANES * sizeof(M), at)) return false;                                                        \
      if (sizeof(M) != sizeof(T)) EXEC_EACH_LANE(i) v[i] = (M)s[i];                                                                \
      exec_copy(exec_mem_ptr(at->base + first), sizeof(M) == sizeof(T) ? (const void *)s : (const void *)v, EXEC_LANES * sizeof(M));\
      return true;                                                                                                                 \
    }                                                                                                                              \
    if (!inside_##A##_##M(r, o, at)) return false;                                                                                 \
    for (unsigned i = 0; i < EXEC_LANES; i++) {                                                                                    \
      v[0] = (M)s[i];                                                                                                              \
      memcpy(exec_mem_ptr(at->base + i * at->stride + (A)(r[i] + o)), v, sizeof *v);                                               \
    }                                                                                                                              \
    return true;                                                                                                                   \
  }

#define QUICK(A, WIDTH)                                                                                                             \
  TOGETHER(A, uint8_t)                                                                                                              \
  TOGETHER(A, uint16_t)                                                                                                             \
  TOGETHER(A, uint32_t)                                                                                                             \
  TOGETHER(A, uint64_t)                                                                                                             \
  TOGETHER(A, uint128)                                                                                                              \
  QUICK_LOAD(load_##WIDTH##_32, A, uint32_t, uint32_t, uint32_t)                                                                    \
  QUICK_LOAD(load_##WIDTH##_64, A, uint64_t, uint64_t, uint64_t)                                                                    \
  QUICK_LOAD(load_##WIDTH##_128, A, uint128, uint128, uint128)                                                                      \
  QUICK_LOAD(load_##WIDTH##_u8, A, uint8_t, uint8_t, uint32_t)                                                                      \
  QUICK_LOAD(load_##WIDTH##_u16, A, uint16_t, uint16_t, uint32_t)                                                                   \
  QUICK_LOAD(load_##WIDTH##_s8, A, uint8_t, int8_t, uint32_t)                                                                       \
  QUICK_LOAD(load_##WIDTH##_s16, A, uint16_t, int16_t, uint32_t)                                                                    \
  QUICK_STORE(store_##WIDTH##_32, A, uint32_t, uint32_t)                                                                            \
  QUICK_STORE(store_##WIDTH##_64, A, uint64_t, uint64_t)                                                                            \
  QUICK_STORE(store_##WIDTH##_128, A, uint128, uint128)                                                                             \
  QUICK_STORE(store_##WIDTH##_8, A, uint8_t, uint32_t)                                                                              \
  QUICK_STORE(store_##WIDTH##_16, A, uint16_t, uint32_t)
QUICK(uint32_t, narrow)
QUICK(uint64_t, wide)

/* ---- four words a lane -------------------------------------------------------------------------------------------------- */

#define PICK __builtin_shufflevector
void EXEC_LANES_NAME(take_quads)(const void *from, uint32_t *const rows[4]);
void EXEC_LANES_NAME(give_quads)(void *to, const uint32_t *const rows[4]);

#if defined(__AVX512F__)
typedef uint32_t sixteen_words __attribute__((vector_size(64), aligned(64), may_alias));
#define EVERY_FOURTH(x, y, from)                                                                                                    \
  PICK(x, y, from, from + 4, from + 8, from + 12, from + 16, from + 20, from + 24, from + 28, from + 1, from + 5, from + 9,        \
       from + 13, from + 17, from + 21, from + 25, from + 29)
#define LOW_HALVES(x, y)  PICK(x, y, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23)
#define HIGH_HALVES(x, y) PICK(x, y, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31)

void EXEC_LANES_NAME(take_quads)(const void *from, uint32_t *const rows[4]) {
  for (unsigned half = 0; half < 2; half++) {
    const sixteen_words *v = (const sixteen_words *)from + 4 * half;
    const sixteen_words a = v[0], b = v[1], c = v[2], d = v[3];
    const sixteen_words ab = EVERY_FOURTH(a, b, 0), cd = EVERY_FOURTH(c, d, 0); /* words 0 and 1 of eight lanes each */
    const sixteen_words ab2 = EVERY_FOURTH(a, b, 2), cd2 = EVERY_FOURTH(c, d, 2);
    *(sixteen_words *)(rows[0] + 16 * half) = LOW_HALVES(ab, cd);
    *(sixteen_words *)(rows[1] + 16 * half) = HIGH_HALVES(ab, cd);
    *(sixteen_words *)(rows[2] + 16 * half) = LOW_HALVES(ab2, cd2);
    *(sixteen_words *)(rows[3] + 16 * half) = HIGH_HALVES(ab2, cd2);
  }
}

/* Four lanes from `lane` on, out of words 0 and 1 (x) and 2 and 3 (y) of eight lanes. */
#define FOUR_LANES(x, y, lane)                                                                                                      \
  PICK(x, y, lane, lane + 8, lane + 16, lane + 24, lane + 1, lane + 9, lane + 17, lane + 25, lane + 2, lane + 10, lane + 18,       \
       lane + 26, lane + 3, lane + 11, lane + 19, lane + 27)

void EXEC_LANES_NAME(give_quads)(void *to, const uint32_t *const rows[4]) {
  for (unsigned half = 0; half < 2; half++) {
    sixteen_words r[4], *v = (sixteen_words *)to + 4 * half;
    for (unsigned e = 0; e < 4; e++) r[e] = *(const sixteen_words *)(rows[e] + 16 * half);
    const sixteen_words ab = LOW_HALVES(r[0], r[1]), cd = HIGH_HALVES(r[0], r[1]);
    const sixteen_words ab2 = LOW_HALVES(r[2], r[3]), cd2 = HIGH_HALVES(r[2], r[3]);
    v[0] = FOUR_LANES(ab, ab2, 0);
    v[1] = FOUR_LANES(ab, ab2, 4);
    v[2] = FOUR_LANES(cd, cd2, 0);
    v[3] = FOUR_LANES(cd, cd2, 4);
  }
}
#else
/* Eight lanes at a time, lane i beside lane i + 4: squares of four words are transposed. */
typedef uint32_t four_words __attribute__((vector_size(16), aligned(16), may_alias));
typedef uint32_t eight_words __attribute__((vector_size(32), aligned(32), may_alias));
#define BESIDE(x, y)     PICK(x, y, 0, 1, 2, 3, 4, 5, 6, 7)
#define LOW_WORDS(x, y)  PICK(x, y, 0, 8, 1, 9, 4, 12, 5, 13)
#define HIGH_WORDS(x, y) PICK(x, y, 2, 10, 3, 11, 6, 14, 7, 15)
#define LOW_PAIRS(x, y)  PICK(x, y, 0, 1, 8, 9, 4, 5, 12, 13)
#define HIGH_PAIRS(x, y) PICK(x, y, 2, 3, 10, 11, 6, 7, 14, 15)

void EXEC_LANES_NAME(take_quads)(const void *from, uint32_t *const rows[4]) {
  for (unsigned lane = 0; lane < EXEC_LANES; lane += 8) {
    const four_words *v = (const four_words *)from + lane;
    const eight_words a = BESIDE(v[0], v[4]), b = BESIDE(v[1], v[5]), c = BESIDE(v[2], v[6]), d = BESIDE(v[3], v[7]);
    const eight_words ab = LOW_WORDS(a, b), ab2 = HIGH_WORDS(a, b), cd = LOW_WORDS(c, d), cd2 = HIGH_WORDS(c, d);
    *(eight_words *)(rows[0] + lane) = LOW_PAIRS(ab, cd);
    *(eight_words *)(rows[1] + lane) = HIGH_PAIRS(ab, cd);
    *(eight_words *)(rows[2] + lane) = LOW_PAIRS(ab2, cd2);
    *(eight_words *)(rows[3] + lane) = HIGH_PAIRS(ab2, cd2);
  }
}

void EXEC_LANES_NAME(give_quads)(void *to, const uint32_t *const rows[4]) {
  for (unsigned lane = 0; lane < EXEC_LANES; lane += 8) {
    eight_words r[4], out[4];
    for (unsigned e = 0; e < 4; e++) r[e] = *(const eight_words *)(rows[e] + lane);
    const eight_words ab = LOW_WORDS(r[0], r[1]), ab2 = HIGH_WORDS(r[0], r[1]), cd = LOW_WORDS(r[2], r[3]), cd2 = HIGH_WORDS(r[2], r[3]);
    out[0] = LOW_PAIRS(ab, cd), out[1] = HIGH_PAIRS(ab, cd), out[2] = LOW_PAIRS(ab2, cd2), out[3] = HIGH_PAIRS(ab2, cd2);
    four_words *v = (four_words *)to + lane;
    for (unsigned i = 0; i < 4; i++) v[i] = PICK(out[i], out[i], 0, 1, 2, 3), v[i + 4] = PICK(out[i], out[i], 4, 5, 6, 7);
  }
}
#endif
