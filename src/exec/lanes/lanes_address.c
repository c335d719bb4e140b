/* The addresses of 32 lanes: base plus offset, and in the same pass whether they are equal or consecutive and which bits they have;
 * whether they lie between bounds; and loads and stores of all lanes at once, which leave no trace of their addresses.
 * Kept in vectors of eight, which each instruction set cuts as it likes, or in loops that compilers vectorise. */
#include "exec/lanes/lanes.h"

typedef uint64_t eight __attribute__((vector_size(64), aligned(8), may_alias));
typedef uint32_t eight_words __attribute__((vector_size(32), aligned(4), may_alias));

/* ---- forming addresses ------------------------------------------------------------------------------------------------- */

struct pass {
  eight first, expected, step, differ, gaps, bits;
};

#define ALL(x) ((eight){x, x, x, x, x, x, x, x})

static inline struct pass begin(uint64_t first, unsigned lane_of_first, uint64_t bytes) {
  const eight lane = {0, 1, 2, 3, 4, 5, 6, 7};
  return (struct pass){.first = ALL(first), .expected = ALL(first - lane_of_first * bytes) + lane * ALL(bytes), .step = ALL(8 * bytes)};
}

static inline void add(struct pass *p, const eight *x) {
  p->differ |= *x ^ p->first;
  p->gaps |= *x ^ p->expected;
  p->bits |= *x;
  p->expected += p->step;
}

static inline uint64_t any(const eight *v) {
#if defined(__AVX512F__)
  return (uint64_t)_mm512_reduce_or_epi64((__m512i)*v);
#else
  const eight x = *v;
  return (x[0] | x[1]) | (x[2] | x[3]) | (x[4] | x[5]) | (x[6] | x[7]);
#endif
}

static inline struct exec_shape end(const struct pass *p) { return (struct exec_shape){any(&p->differ), any(&p->gaps), any(&p->bits)}; }

/* Lanes that are not in the mask get the first one's that is. */
static inline void keep_lanes(eight *x, uint64_t mask, unsigned i, uint64_t first) {
  const eight in = (ALL(mask) & *(const eight *)(exec_lane_bit64 + i)) != ALL(0);
  *x = (*x & in) | (ALL(first) & ~in);
}

struct exec_shape EXEC_LANES_NAME(form_wide)(const void *row, uint64_t offset, uint64_t bytes, uint32_t mask, uint64_t *addr);
struct exec_shape EXEC_LANES_NAME(form_wide)(const void *row, uint64_t offset, uint64_t bytes, uint32_t mask, uint64_t *addr) {
  const unsigned lane = (unsigned)__builtin_ctz(mask);
  const uint64_t *r = row, first = r[lane] + offset;
  struct pass p = begin(first, lane, bytes);
  for (unsigned i = 0; i < EXEC_LANES; i += 8) {
    eight x = *(const eight *)(r + i) + ALL(offset);
    if (mask != EXEC_ALL_LANES) keep_lanes(&x, mask, i, first);
    *(eight *)(addr + i) = x;
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
  for (unsigned i = 0; i < EXEC_LANES; i += 8) {
    eight x = __builtin_convertvector(*(const eight_words *)(r + i) + (eight_words){o, o, o, o, o, o, o, o}, eight);
    if (mask != EXEC_ALL_LANES) keep_lanes(&x, mask, i, first);
    *(eight *)(addr + i) = x;
    add(&p, &x);
  }
  return end(&p);
}

bool EXEC_LANES_NAME(within)(const uint64_t *addr, uint64_t lo, uint64_t last);
bool EXEC_LANES_NAME(within)(const uint64_t *addr, uint64_t lo, uint64_t last) {
  eight bad = ALL(0);
  for (unsigned i = 0; i < EXEC_LANES; i += 8) {
    const eight x = *(const eight *)(addr + i);
    bad |= (x - ALL(lo)) | (ALL(last) - x);
  }
  return !(any(&bad) >> 63);
}

/* ---- loads and stores of all lanes -------------------------------------------------------------------------------------- */

/* What lies behind will probably be loaded by the next warp, or by the same one of the next CTA: the host fetches it meanwhile. */
static inline void fetch_ahead(const unsigned char *p, size_t bytes) {
  for (size_t i = 0; i < bytes; i += 64) __builtin_prefetch(p + i);
}

/* Addresses of type A, in rows of that type, to elements of type T. `step` is 0 or sizeof(T): the lanes are at one address, or
 * consecutive; anything else: they are scattered. False: a lane is outside of the window, or not aligned. */
#define TOGETHER(A, T)                                                                                                              \
  static inline bool together_##A##_##T(const A *r, A step) {                                                                      \
    A gaps = 0;                                                                                                                    \
    if (step && step != sizeof(T)) return false;                                                                                  \
    const A first = r[0];                                                                                                          \
    EXEC_EACH_LANE(i) gaps |= r[i] ^ (first + (A)i * step);                                                                        \
    return !gaps;                                                                                                                  \
  }                                                                                                                                \
  static inline bool inside_##A##_##T(const A *r, A offset, const struct exec_window *at) {                                        \
    const A lo = (A)at->lo;                                                                                                        \
    A most = 0, bits = 0;                                                                                                          \
    EXEC_EACH_LANE(i) {                                                                                                            \
      const A x = r[i] + offset, y = x - lo;                                                                                       \
      bits |= x;                                                                                                                   \
      most = y > most ? y : most;                                                                                                  \
    }                                                                                                                              \
    return at->size >= sizeof(T) && most <= at->size - sizeof(T) && !(bits & (sizeof(T) - 1));                                     \
  }                                                                                                                                \
  static inline bool fits_##A##_##T(A first, uint64_t bytes, const struct exec_window *at) {                                       \
    return at->size >= bytes && (A)(first - (A)at->lo) <= at->size - bytes && !(first & (sizeof(T) - 1));                          \
  }

/* Elements of type M in memory, of the size of S, and T in a register: they are extended as M is, and cut off when they are stored. */
#define QUICK_LOAD(NAME, A, S, M, T)                                                                                                \
  bool EXEC_LANES_NAME(NAME)(void *to, const void *row, uint64_t offset, const struct exec_window *at);                            \
  bool EXEC_LANES_NAME(NAME)(void *to, const void *row, uint64_t offset, const struct exec_window *at) {                           \
    T *const d = __builtin_assume_aligned(to, 64);                                                                                 \
    const A *const r = __builtin_assume_aligned(row, 64), o = (A)offset, first = r[0] + o, step = r[1] - r[0];                     \
    M v[EXEC_LANES];                                                                                                               \
    if (together_##A##_##S(r, step)) {                                                                                             \
      const unsigned char *p = exec_mem_ptr(at->base + first);                                                                     \
      if (!fits_##A##_##S(first, step ? EXEC_LANES * sizeof(M) : sizeof(M), at)) return false;                                     \
      if (step) {                                                                                                                  \
        memcpy(sizeof(M) == sizeof(T) ? (void *)d : (void *)v, p, EXEC_LANES * sizeof(M));                                         \
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
      memcpy(v, exec_mem_ptr(at->base + (A)(r[i] + o)), sizeof *v);                                                                \
      d[i] = (T)v[0];                                                                                                              \
    }                                                                                                                              \
    return true;                                                                                                                   \
  }

/* Lanes that store to one address do so in lane order: the highest lane's value stays. */
#define QUICK_STORE(NAME, A, M, T)                                                                                                  \
  bool EXEC_LANES_NAME(NAME)(void *from, const void *row, uint64_t offset, const struct exec_window *at);                          \
  bool EXEC_LANES_NAME(NAME)(void *from, const void *row, uint64_t offset, const struct exec_window *at) {                         \
    const T *const s = __builtin_assume_aligned(from, 64);                                                                         \
    const A *const r = __builtin_assume_aligned(row, 64), o = (A)offset, first = r[0] + o, step = r[1] - r[0];                     \
    M v[EXEC_LANES];                                                                                                               \
    if (step && together_##A##_##M(r, step)) {                                                                                     \
      if (!fits_##A##_##M(first, EXEC_LANES * sizeof(M), at)) return false;                                                        \
      if (sizeof(M) != sizeof(T)) EXEC_EACH_LANE(i) v[i] = (M)s[i];                                                                \
      memcpy(exec_mem_ptr(at->base + first), sizeof(M) == sizeof(T) ? (const void *)s : (const void *)v, EXEC_LANES * sizeof(M));  \
      return true;                                                                                                                 \
    }                                                                                                                              \
    if (!inside_##A##_##M(r, o, at)) return false;                                                                                 \
    for (unsigned i = 0; i < EXEC_LANES; i++) {                                                                                    \
      v[0] = (M)s[i];                                                                                                              \
      memcpy(exec_mem_ptr(at->base + (A)(r[i] + o)), v, sizeof *v);                                                                \
    }                                                                                                                              \
    return true;                                                                                                                   \
  }

#define QUICK(A, WIDTH)                                                                                                             \
  TOGETHER(A, uint8_t)                                                                                                              \
  TOGETHER(A, uint16_t)                                                                                                             \
  TOGETHER(A, uint32_t)                                                                                                             \
  TOGETHER(A, uint64_t)                                                                                                             \
  QUICK_LOAD(load_##WIDTH##_32, A, uint32_t, uint32_t, uint32_t)                                                                    \
  QUICK_LOAD(load_##WIDTH##_64, A, uint64_t, uint64_t, uint64_t)                                                                    \
  QUICK_LOAD(load_##WIDTH##_u8, A, uint8_t, uint8_t, uint32_t)                                                                      \
  QUICK_LOAD(load_##WIDTH##_u16, A, uint16_t, uint16_t, uint32_t)                                                                   \
  QUICK_LOAD(load_##WIDTH##_s8, A, uint8_t, int8_t, uint32_t)                                                                       \
  QUICK_LOAD(load_##WIDTH##_s16, A, uint16_t, int16_t, uint32_t)                                                                    \
  QUICK_STORE(store_##WIDTH##_32, A, uint32_t, uint32_t)                                                                            \
  QUICK_STORE(store_##WIDTH##_64, A, uint64_t, uint64_t)                                                                            \
  QUICK_STORE(store_##WIDTH##_8, A, uint8_t, uint32_t)                                                                              \
  QUICK_STORE(store_##WIDTH##_16, A, uint16_t, uint32_t)
QUICK(uint32_t, narrow)
QUICK(uint64_t, wide)
