/* Which set of an L1D a line belongs to, for all organisations, and how many bits its tag has.
 *
 * The index is a field of the line address, or Fermi's hash (Nugteren et al., HPCA 2014). That hash is only defined
 * for 32 or 64 sets of 128-byte lines; with other sizes the address is folded by exclusive-or instead. For set counts
 * that are powers of two, the line, the index and the bits above the index field determine each other, so the tag is
 * the same with and without the hash.
 *
 * Also which of four banks of tags a line is in (l1.tag_stage=banks). The function was found on an H200 by the times
 * of 202 shapes of warp loads within 16 KB (tests/h200/lanes.c), all of which it explains. Address bits above 13 take
 * part on the card too, but not as a sum of bits. The ones chosen here give every power-of-two stride its 8 cycles,
 * and times for random words in 16 MB that are 5 % off on average. */
#ifndef L1_INDEX_H
#define L1_INDEX_H

#include "base/policy.h"
#include "mem/mem_index.h"

extern const struct policy *const l1_indexes[]; /* the functions of l1.index */

/* The index by l1.sets and l1.index. l1.sets is for lines of 128 bytes; other line sizes keep the capacity and change
 * the number of sets. */
struct mem_index l1_index_read(const struct cfg *cfg, uint32_t line_bytes);
/* Bits of the index field, above which the tag begins. */
unsigned l1_index_bits(const struct mem_index *x);
/* Bits of a tag if addresses have 32 bits, as the published storage figures assume. */
unsigned l1_tag_bits(const struct mem_index *x);
/* Storage bits of a line besides its data, in a set of `ways`: tag, valid bit, place in the LRU order. */
unsigned l1_line_bits(const struct mem_index *x, uint32_t ways);
/* Bits that hold numbers up to n - 1. */
unsigned l1_bits_for(uint32_t n);

/* The bank of tags (l1.tag_stage=banks) that a line of 128 bytes is in. */
enum { L1_TAG_BANKS = 4 };
unsigned l1_tag_bank(uint64_t line);

#endif
