/* See mem_gf2.h. */
#include "mem/mem_gf2.h"

#include <assert.h>

void mem_gf2_init(struct mem_gf2 *m, const uint64_t column[64]) {
  for (unsigned i = 0; i < 8; i++)
    for (unsigned v = 0; v < 256; v++) {
      uint64_t r = 0;
      for (unsigned b = 0; b < 8; b++)
        if (v >> b & 1) r ^= column[8 * i + b];
      m->byte[i][v] = r;
    }
}

/* Gauss-Jordan on pairs (image, bits that make it): once image j is the single bit j, its maker is column j
 * of the inverse. */
bool mem_gf2_invert(const uint64_t column[64], uint64_t inverse[64]) {
  uint64_t image[64], maker[64];
  for (unsigned i = 0; i < 64; i++) image[i] = column[i], maker[i] = 1ull << i;
  for (unsigned bit = 0; bit < 64; bit++) {
    unsigned p = bit;
    while (p < 64 && !(image[p] >> bit & 1)) p++;
    if (p == 64) return false;
    uint64_t a = image[p], b = maker[p];
    image[p] = image[bit], maker[p] = maker[bit];
    image[bit] = a, maker[bit] = b;
    for (unsigned i = 0; i < 64; i++)
      if (i != bit && image[i] >> bit & 1) image[i] ^= a, maker[i] ^= b;
  }
  for (unsigned i = 0; i < 64; i++) inverse[i] = maker[i];
  return true;
}

uint32_t mem_gf2_irreducible(unsigned degree) {
  static const uint32_t table[17] = {1,     0x3,   0x7,   0xb,    0x13,   0x25,   0x43,   0x83,   0x11b,
                                     0x211, 0x409, 0x805, 0x1053, 0x201b, 0x402b, 0x8003, 0x1002b};
  assert(degree <= 16);
  return table[degree];
}

uint32_t mem_gf2_power(unsigned degree, unsigned n) {
  uint32_t p = mem_gf2_irreducible(degree), r = 1;
  if (degree == 0) return 0;
  for (unsigned i = 0; i < n; i++) {
    r <<= 1;
    if (r >> degree & 1) r ^= p;
  }
  return r;
}
