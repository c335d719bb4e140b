/* Which set of an L1D a line belongs to, for all organisations, and how long that makes tags.
 *
 * The index is a field of the line address, or Fermi's hash (Nugteren et al., HPCA 2014); set counts other than 32 and 64 and
 * other line sizes, which that does not know, fold the address by exclusive-or. For set counts that are powers of two, line,
 * index and the bits above the index field determine each other, so the tag is the same with and without the hash.
 *
 * And which bank of tags, where there are several: found on an H200 by the times of 202 shapes of warp loads within 16 KB
 * (tests/h200/lanes.c), all of which it explains. Address bits above 13 take part on the card too, but not as a sum of bits: those
 * taken here give every stride that is a power of two its 8 cycles, and words at random in 16 MB times 5 % off on average. */
#ifndef L1_INDEX_H
#define L1_INDEX_H

#include "base/policy.h"
#include "mem/mem_index.h"

extern const struct policy *const l1_indexes[]; /* of l1.index */

/* From l1.sets and l1.index, for lines of 128 bytes; other line sizes keep the capacity and change the sets. */
struct mem_index l1_index_read(const struct cfg *cfg, uint32_t line_bytes);
/* Bits of the index field: the tag begins above it. */
unsigned l1_index_bits(const struct mem_index *x);
/* Bits of a tag with addresses of 32 bits, the length that the published storage figures assume. */
unsigned l1_tag_bits(const struct mem_index *x);
/* What a line costs in a set of `ways` besides its data: tag, valid bit, place in the LRU order. */
unsigned l1_line_bits(const struct mem_index *x, uint32_t ways);
/* Bits that count to n - 1. */
unsigned l1_bits_for(uint32_t n);

/* Which of the four banks of tags (l1.tag_stage = banks) a line of 128 bytes is in. */
enum { L1_TAG_BANKS = 4 };
unsigned l1_tag_bank(uint64_t line);

#endif
