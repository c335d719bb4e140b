/* PAE (page address entropy, Liu et al., ISCA 2018): every channel, slice and bank bit becomes the exclusive-or of a
 * random choice of row, bank and channel bits; row and column bits pass unchanged. Unlike in the paper, the choice is
 * drawn from a seed, with a square part of full rank, and not taken from a profile of address entropy. The part that
 * maps channel and slice bits to themselves has full rank too, so a run of consecutive addresses with the same row
 * and column bits is spread evenly over all slices, which is what the map is for. Bits within an interleave pass
 * unchanged, even those that choose the slice. With dram.map_columns the choice is also among column bits, the full
 * address entropy (FAE) of the same paper: without it, addresses that differ only in columns share a slice, whatever
 * matrix is drawn. */
#include "base/rng.h"
#include "mem/mem_gf2.h"
#include "mem/mem_map.h"

static const struct cfg_key keys[] = {
    {"dram.map_seed", CFG_INT, "1", 0, 1e9, NULL, "", "seed of the matrix of the pae address map"},
    {"dram.map_columns", CFG_BOOL, "false", 0, 0, NULL, "",
     "the pae address map also draws on column bits, so that strides within a row are spread over slices"},
    {0},
};

/* The bits of `target` become sums of themselves and of those of `source`; the others pass. */
static void draw(struct rng *r, const struct mem_map_bits *bits, uint64_t target, uint64_t source, uint64_t column[64]) {
  for (unsigned i = 0; i < 64; i++) {
    uint64_t bit = 1ull << i;
    if (bit & target & ~bits->within)
      column[i] = rng_next(r) & target;
    else if (bit & source)
      column[i] = bit | (rng_next(r) & target);
    else
      column[i] = bit;
  }
}

static bool spreads_evenly(const uint64_t column[64], uint64_t channel) {
  uint64_t part[64], inverse[64];
  for (unsigned i = 0; i < 64; i++) part[i] = channel >> i & 1 ? column[i] & channel : 1ull << i;
  return mem_gf2_invert(part, inverse);
}

/* A random square matrix over GF(2) has full rank with probability 0.29, so a few draws are enough. */
static void matrix(const struct cfg *cfg, const struct mem_map_bits *bits, uint64_t column[64]) {
  struct rng r = {(uint64_t)cfg_int(cfg, "dram.map_seed")};
  uint64_t inverse[64], source = bits->row | (cfg_bool(cfg, "dram.map_columns") ? bits->column : 0);
  do {
    draw(&r, bits, bits->channel | bits->bank, source, column);
  } while (!mem_gf2_invert(column, inverse) || !spreads_evenly(column, bits->channel));
}

extern const struct mem_map_hash mem_map_pae;
const struct mem_map_hash mem_map_pae = {
    .policy = {.name = "pae", .meaning = "channel and bank bits come from a random invertible matrix over the address bits",
               .paper = "Liu et al.: Get out of the valley: power-efficient address mapping for GPUs, ISCA 2018", .keys = keys},
    .matrix = matrix};
