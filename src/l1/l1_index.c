/* See l1_index.h. */
#include "l1/l1_index.h"

enum { PLAIN, HASHED };
const struct policy *const l1_indexes[] = {[PLAIN] = OPTION("plain", "the index is a field of the address"),
                                          [HASHED] = OPTION("hash", "the index is Fermi's hash of the address"), NULL};

struct mem_index l1_index_read(const struct cfg *cfg, uint32_t line_bytes) {
  uint64_t wanted = (uint64_t)cfg_int(cfg, "l1.sets") * MEM_LINE / line_bytes;
  uint32_t sets = wanted ? (uint32_t)wanted : 1;
  bool hashed = cfg_option(cfg, "l1.index") == HASHED, fermi = line_bytes == MEM_LINE && (sets == 32 || sets == 64);
  struct mem_index x;
  mem_index_init(&x, !hashed ? &mem_index_plain : fermi ? &mem_index_fermi : &mem_index_fold, sets, line_bytes);
  return x;
}

unsigned l1_tag_bank(uint64_t line) {
  unsigned number = (unsigned)(line / MEM_LINE);
  return (unsigned)(__builtin_parity(number & 0xaaaac635u) | __builtin_parity(number & 0x55553d5au) << 1);
}

unsigned l1_index_bits(const struct mem_index *x) { return 31u - (unsigned)__builtin_clz(x->sets); }

unsigned l1_bits_for(uint32_t n) { return n > 1 ? 32u - (unsigned)__builtin_clz(n - 1) : 0; }

unsigned l1_tag_bits(const struct mem_index *x) {
  unsigned below = x->line_shift + l1_index_bits(x);
  return below < 32 ? 32 - below : 0;
}

unsigned l1_line_bits(const struct mem_index *x, uint32_t ways) { return l1_tag_bits(x) + 1 + l1_bits_for(ways); }
