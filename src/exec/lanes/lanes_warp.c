/* What lanes give each other: rows of 32 words in another order. Compiled once per host instruction set. */
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
