/* See transpose.h. The portable way exchanges quarters of ever smaller squares, two rows in one 64-bit word. With AVX2
 * the bytes of all words are sorted by their place in the word, and the top bits of 32 bytes come out as one mask. */
#include "compress/transpose.h"

#include <string.h>

#if defined(__x86_64__) && !defined(COMPRESS_PORTABLE_ONLY)
#define HAVE_AVX2 1
#include <immintrin.h>
#endif

/* Exchanges the upper right with the lower left quarter of each square of 2 * J rows. A word holds rows 2i and 2i + 1, so
 * only J = 1 works within a word. */
#define EXCHANGE(J, MASK)                                                                                              \
  for (unsigned b_ = 0; b_ < 16; b_ += (J))                                                                            \
    for (unsigned k_ = b_; k_ < b_ + (J) / 2; k_++) {                                                                  \
      uint64_t t_ = ((a[k_] >> (J)) ^ a[k_ + (J) / 2]) & (MASK);                                                       \
      a[k_ + (J) / 2] ^= t_;                                                                                           \
      a[k_] ^= t_ << (J);                                                                                              \
    }

void transpose_bits_portable(const uint32_t in[32], uint32_t out[32]) {
  uint64_t a[16];
  memcpy(a, in, sizeof a);
  EXCHANGE(16, UINT64_C(0x0000ffff0000ffff))
  EXCHANGE(8, UINT64_C(0x00ff00ff00ff00ff))
  EXCHANGE(4, UINT64_C(0x0f0f0f0f0f0f0f0f))
  EXCHANGE(2, UINT64_C(0x3333333333333333))
  for (unsigned k = 0; k < 16; k++) { /* row 2k is the low half: its odd bits against the even bits of row 2k + 1 */
    uint64_t t = ((a[k] >> 1) ^ (a[k] >> 32)) & UINT64_C(0x55555555);
    a[k] ^= t << 32 ^ t << 1;
  }
  memcpy(out, a, sizeof a);
}

#ifdef HAVE_AVX2
__attribute__((target("avx2"))) static inline void masks(__m256i v, uint32_t *out) {
  for (int bit = 7; bit >= 0; bit--) {
    out[bit] = (uint32_t)_mm256_movemask_epi8(v);
    v = _mm256_add_epi8(v, v);
  }
}

__attribute__((target("avx2"))) static void transpose_avx2(const uint32_t in[32], uint32_t out[32]) {
  const __m256i by_place = _mm256_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15, 0, 4, 8, 12, 1, 5, 9, 13, 2,
                                            6, 10, 14, 3, 7, 11, 15);
  const __m256i halves = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  __m256i v[4]; /* of words 8i to 8i + 7: the bytes of place 0, of place 1, 2 and 3, eight each */
  for (int i = 0; i < 4; i++) {
    v[i] = _mm256_loadu_si256((const __m256i *)(const void *)(in + 8 * i));
    v[i] = _mm256_permutevar8x32_epi32(_mm256_shuffle_epi8(v[i], by_place), halves);
  }
  __m256i even01 = _mm256_unpacklo_epi64(v[0], v[1]), odd01 = _mm256_unpackhi_epi64(v[0], v[1]);
  __m256i even23 = _mm256_unpacklo_epi64(v[2], v[3]), odd23 = _mm256_unpackhi_epi64(v[2], v[3]);
  masks(_mm256_permute2x128_si256(even01, even23, 0x20), out);
  masks(_mm256_permute2x128_si256(odd01, odd23, 0x20), out + 8);
  masks(_mm256_permute2x128_si256(even01, even23, 0x31), out + 16);
  masks(_mm256_permute2x128_si256(odd01, odd23, 0x31), out + 24);
}
#endif

void transpose_bits(const uint32_t in[32], uint32_t out[32]) {
#ifdef HAVE_AVX2
  if (__builtin_cpu_supports("avx2")) {
    transpose_avx2(in, out);
    return;
  }
#endif
  transpose_bits_portable(in, out);
}

const char *transpose_path(void) {
#ifdef HAVE_AVX2
  if (__builtin_cpu_supports("avx2")) return "avx2";
#endif
  return "portable";
}
