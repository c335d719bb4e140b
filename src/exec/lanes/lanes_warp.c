/* Moves rows without changing values: copies, permutations (exchange between lanes), packing of parts and unpacking. Compiled once per host
 * instruction set. */
#include "exec/lanes/lanes.h"

void EXEC_LANES_NAME(permute)(uint32_t *to, const uint32_t *from, const uint32_t *lane) {
#if defined(__AVX512F__)
  const __m512i low = _mm512_loadu_si512(from), high = _mm512_loadu_si512(from + 16);
  for (unsigned k = 0; k < 2; k++)
    _mm512_storeu_si512(to + 16 * k, _mm512_permutex2var_epi32(low, _mm512_loadu_si512(lane + 16 * k), high));
#elif defined(__AVX2__)
  for (unsigned k = 0; k < 4; k++) {
    const __m256i at = _mm256_loadu_si256((const __m256i *)(const void *)(lane + 8 * k));
    _mm256_storeu_si256((__m256i *)(void *)(to + 8 * k), _mm256_i32gather_epi32((const int *)(const void *)from, at, 4));
  }
#else
  for (unsigned i = 0; i < EXEC_LANES; i++) to[i] = from[lane[i] & 31];
#endif
}

/* ---- copies ------------------------------------------------------------------------------------------------------------- */

#define MOVE_ROW(NAME, T, MERGE)                                                                                                    \
  void EXEC_LANES_NAME(NAME)(struct exec_warp *w, const struct exec_inst *in);                                                      \
  void EXEC_LANES_NAME(NAME)(struct exec_warp *w, const struct exec_inst *in) {                                                     \
    struct row {                                                                                                                    \
      T x[EXEC_LANES];                                                                                                              \
    } EXEC_ALIGNED;                                                                                                                 \
    if (w->mask == EXEC_ALL_LANES) *EXEC_ROW(w, in->d, struct row) = *EXEC_ROW(w, in->a, struct row);                               \
    else MERGE(exec_row(w, in->d), exec_row(w, in->a), w->mask);                                                                    \
  }
MOVE_ROW(move32, uint32_t, exec_merge32)
MOVE_ROW(move64, uint64_t, exec_merge64)

/* ---- parts of up to 32 bits, in rows of words, of a whole of 32 or 64 --------------------------------------------------- */

#define PACKER(T, MERGE)                                                                                                            \
  static inline void pack_##T(const uint32_t *const *parts, unsigned n, unsigned bits, T *whole, uint32_t mask) {                   \
    const uint32_t part = (uint32_t)((UINT64_C(1) << bits) - 1);                                                                    \
    T v[EXEC_LANES] EXEC_ALIGNED;                                                                                                   \
    EXEC_EACH_LANE(i) v[i] = (T)(parts[0][i] & part) | (T)(parts[1][i] & part) << bits;                                             \
    for (unsigned k = 2; k < n; k++) EXEC_EACH_LANE(i) v[i] |= (T)(parts[k][i] & part) << (k * bits);                               \
    MERGE(whole, v, mask);                                                                                                          \
  }                                                                                                                                 \
  static inline void unpack_##T(const T *whole, uint32_t *const *parts, unsigned n, unsigned bits, uint32_t mask) {                 \
    const uint32_t part = (uint32_t)((UINT64_C(1) << bits) - 1);                                                                    \
    T of[EXEC_LANES] EXEC_ALIGNED;                                                                                                  \
    uint32_t v[EXEC_LANES] EXEC_ALIGNED;                                                                                            \
    exec_copy(of, whole, sizeof of);                                                                                                \
    for (unsigned k = 0; k < n; k++) {                                                                                              \
      if (!parts[k]) continue;                                                                                                      \
      EXEC_EACH_LANE(i) v[i] = (uint32_t)(of[i] >> (k * bits)) & part;                                                              \
      exec_merge32(parts[k], v, mask);                                                                                              \
    }                                                                                                                               \
  }
PACKER(uint32_t, exec_merge32)
PACKER(uint64_t, exec_merge64)

void EXEC_LANES_NAME(pack)(const uint32_t *const *parts, unsigned n, unsigned bits, void *whole, uint32_t mask);
void EXEC_LANES_NAME(pack)(const uint32_t *const *parts, unsigned n, unsigned bits, void *whole, uint32_t mask) {
  if (n * bits == 64) pack_uint64_t(parts, n, bits, whole, mask);
  else pack_uint32_t(parts, n, bits, whole, mask);
}

void EXEC_LANES_NAME(unpack)(const void *whole, uint32_t *const *parts, unsigned n, unsigned bits, uint32_t mask);
void EXEC_LANES_NAME(unpack)(const void *whole, uint32_t *const *parts, unsigned n, unsigned bits, uint32_t mask) {
  if (n * bits == 64) unpack_uint64_t(whole, parts, n, bits, mask);
  else unpack_uint32_t(whole, parts, n, bits, mask);
}
