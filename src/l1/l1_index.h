/* Which set of an L1D a line belongs to: one function for all organisations.
 *
 * The index is a field of the line address, or Fermi's hash: address bits 7 to 11 each XORed with one of bits 13, 14,
 * 15, 17, 19 (Nugteren et al., HPCA 2014); with 64 sets bit 12 is the sixth index bit. Other set counts and line sizes
 * fold the address by XOR. For set counts that are powers of two, line, index and the bits above the index field
 * determine each other, so the tag is the same with and without the hash. */
#ifndef L1_INDEX_H
#define L1_INDEX_H

#include "base/policy.h"
#include "mem/packet.h"

struct l1_index {
  uint32_t sets, line_bytes;
  bool hashed;
};

extern const struct policy *const l1_indexes[]; /* of l1.index */

/* From l1.sets and l1.index, for lines of 128 bytes; other line sizes keep the capacity and change the sets. */
struct l1_index l1_index_read(const struct cfg *cfg, uint32_t line_bytes);
uint32_t l1_set_of(const struct l1_index *x, uint64_t line);
/* Bits of the index field: the tag begins above it. */
unsigned l1_index_bits(const struct l1_index *x);
/* Bits of a tag with addresses of 32 bits, the length that the published storage figures assume. */
unsigned l1_tag_bits(const struct l1_index *x);
/* What a line costs in a set of `ways` besides its data: tag, valid bit, place in the LRU order. */
unsigned l1_line_bits(const struct l1_index *x, uint32_t ways);
/* Bits that count to n - 1. */
unsigned l1_bits_for(uint32_t n);

#endif
