/* See bit_planes.h. Quarters of ever smaller squares are exchanged, with two rows in one 64-bit word; compilers do
 * several of these words at a time. Collecting the top bits of bytes with AVX2 is not faster, since it needs the rows
 * in memory first. */
#include "compress/bit_planes.h"

#include <string.h>

/* Exchanges the upper right with the lower left quarter of each square of 2 * J rows. A word holds rows 2i and 2i + 1, so
 * only J = 1 works within a word. */
#define EXCHANGE(J, MASK)                                                                                              \
  for (unsigned b_ = 0; b_ < 16; b_ += (J))                                                                            \
    for (unsigned k_ = b_; k_ < b_ + (J) / 2; k_++) {                                                                  \
      uint64_t t_ = ((a[k_] >> (J)) ^ a[k_ + (J) / 2]) & (MASK);                                                       \
      a[k_ + (J) / 2] ^= t_;                                                                                           \
      a[k_] ^= t_ << (J);                                                                                              \
    }

void transpose_bits(const uint32_t in[32], uint32_t out[32]) {
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
