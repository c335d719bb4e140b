/* IPOLY (Rau, ISCA 1991): the bits that choose channel and slice become the block number modulo an irreducible
 * polynomial over GF(2), so that any power-of-two stride is spread over all of them. If the number of channels is not
 * a power of two, the same bits are hashed before the division, which remains a bijection. */
#include "mem/mem_gf2.h"
#include "mem/mem_map.h"

/* The k lowest set bits of `where`, with the bits of v on them. */
static uint64_t spread(uint64_t v, uint64_t where) {
  uint64_t r = 0;
  for (; v && where; v >>= 1, where &= where - 1)
    if (v & 1) r |= where & -where;
  return r;
}

static void matrix(const struct cfg *cfg, const struct mem_map_bits *bits, uint64_t column[64]) {
  (void)cfg;
  unsigned degree = (unsigned)__builtin_popcountll(bits->channel), power = degree;
  if (degree == 0) return;
  uint64_t above = (bits->row | bits->bank) & ~bits->channel;
  unsigned lowest = (unsigned)__builtin_ctzll(bits->channel);
  for (unsigned i = lowest; i < 48; i++) {
    if ((bits->channel | bits->within) >> i & 1) continue;
    if (above >> i == 0) break;
    column[i] = 1ull << i | spread(mem_gf2_power(degree, power++), bits->channel);
  }
}

extern const struct mem_map_hash mem_map_ipoly;
const struct mem_map_hash mem_map_ipoly = {
    .policy = {.name = "ipoly", .meaning = "channel and slice bits are the block number modulo an irreducible polynomial",
               .paper = "Rau: Pseudo-randomly interleaved memory, ISCA 1991"},
    .matrix = matrix};
