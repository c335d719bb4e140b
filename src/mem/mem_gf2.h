/* Linear maps over GF(2) on 64-bit words, stored as tables by byte: address hashes and set indexes are made of them.
 * A map is given by its columns, the images of the 64 single bits. */
#ifndef MEM_GF2_H
#define MEM_GF2_H

#include <stdbool.h>
#include <stdint.h>

struct mem_gf2 {
  uint64_t byte[8][256]; /* images of all values of byte i */
};

/* Builds the tables of the map with these columns. */
void mem_gf2_init(struct mem_gf2 *m, const uint64_t column[64]);
/* Computes the columns of the inverse map; false if the map is singular. */
bool mem_gf2_invert(const uint64_t column[64], uint64_t inverse[64]);
/* An irreducible polynomial of this degree (1 to 16), its coefficients as bits. */
uint32_t mem_gf2_irreducible(unsigned degree);
/* x to the power n, modulo the polynomial of this degree. */
uint32_t mem_gf2_power(unsigned degree, unsigned n);

static inline uint64_t mem_gf2_apply(const struct mem_gf2 *m, uint64_t v) {
  uint64_t r = 0;
  for (unsigned i = 0; v; i++, v >>= 8) r ^= m->byte[i][v & 255];
  return r;
}

#endif
