/* See l1_index.h. */
#include "l1/l1_index.h"

#include <string.h>

/* Bits 7 to 11 of the address, each with one of 13, 14, 15, 17 and 19. */
static uint32_t fermi_hash(uint64_t line, uint32_t sets) {
  uint32_t index = (uint32_t)(line >> 7 ^ (line >> 13 & 7) ^ (line >> 17 & 1) << 3 ^ (line >> 19 & 1) << 4) & 31;
  return sets == 64 ? index | (uint32_t)(line >> 12 & 1) << 5 : index;
}

static uint32_t fold_hash(uint64_t number, uint32_t sets) {
  number ^= number >> 5 ^ number >> 11 ^ number >> 17;
  return (uint32_t)(number % sets);
}

uint32_t l1_set_of(const struct l1_index *x, uint64_t line) {
  if (x->hashed && x->line_bytes == MEM_LINE && (x->sets == 32 || x->sets == 64)) return fermi_hash(line, x->sets);
  uint64_t number = line / x->line_bytes;
  return x->hashed ? fold_hash(number, x->sets) : (uint32_t)(number % x->sets);
}

struct l1_index l1_index_read(const struct cfg *cfg, uint32_t line_bytes) {
  uint64_t sets = (uint64_t)cfg_int(cfg, "l1.sets") * MEM_LINE / line_bytes;
  return (struct l1_index){
      .sets = sets ? (uint32_t)sets : 1, .line_bytes = line_bytes, .hashed = !strcmp(cfg_text(cfg, "l1.index"), "hash")};
}

unsigned l1_tag_bank(uint64_t line) {
  unsigned number = (unsigned)(line / MEM_LINE);
  return (unsigned)(__builtin_parity(number & 0xaaaac635u) | __builtin_parity(number & 0x55553d5au) << 1);
}

unsigned l1_index_bits(const struct l1_index *x) { return 31u - (unsigned)__builtin_clz(x->sets); }

unsigned l1_bits_for(uint32_t n) { return n > 1 ? 32u - (unsigned)__builtin_clz(n - 1) : 0; }

unsigned l1_tag_bits(const struct l1_index *x) {
  unsigned below = l1_bits_for(x->line_bytes) + l1_index_bits(x);
  return below < 32 ? 32 - below : 0;
}

unsigned l1_line_bits(const struct l1_index *x, uint32_t ways) { return l1_tag_bits(x) + 1 + l1_bits_for(ways); }
