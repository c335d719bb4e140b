/* The address map: which channel, slice, bank, row and column a physical address is in.
 *
 * Every map is a chain of three bijections, so it can be run backwards and tested:
 *
 *   hash    an invertible change of the address bits above the interleave (none, a PAE matrix, IPOLY): the plug-in;
 *   split   address / interleave is divided by the number of channels, which may be any number: the remainder is the channel;
 *   layout  a string of R (row), B (bank), C (column), S (byte of a burst) and 0 (not used), from bit 31 or 63 down to bit 0,
 *           applied to the quotient. The lowest bank bits choose the slice of the channel, as in GPGPU-Sim.
 *
 * Address bits above the layout become row bits, so no two addresses share a place. */
#ifndef MEM_MAP_H
#define MEM_MAP_H

#include "base/err.h"
#include "base/policy.h"

#include <stdint.h>

extern const struct cfg_key mem_map_keys[];

struct mem_place {
  uint16_t channel;
  uint16_t slice; /* numbered over the GPU: channel * slices per channel + slice of the channel */
  uint16_t bank;
  uint64_t row;
  uint32_t column; /* first byte of the access within the row */
};

struct mem_map;

/* The bits that a hash may act on, as masks of the whole address. */
struct mem_map_bits {
  uint64_t channel; /* bits that mostly decide channel and slice */
  uint64_t bank;    /* bits that mostly decide the bank */
  uint64_t column;  /* the column bits above the interleave */
  uint64_t row;     /* the bits above these */
  uint64_t within;  /* bits within an interleave, some of which may choose the slice */
};
/* A hash is a linear map on address bits, given by its columns, the images of single bits (on entry `column` is the
 * identity). It must be invertible, which is checked. Each hash is one file that implements this table, and one line
 * in mem_map_hashes.c. */
struct mem_map_hash {
  struct policy policy;
  void (*matrix)(const struct cfg *cfg, const struct mem_map_bits *bits,
                 uint64_t column[64]); /* NULL: no change */
  const char *layout; /* used if dram.layout is empty; NULL: made from the sizes */
};
extern const struct policy *const mem_map_hashes[]; /* the policies of dram.map */

struct mem_map *mem_map_new(const struct cfg *cfg, struct err *e); /* NULL and *e if the keys contradict each other */
void mem_map_delete(struct mem_map *m);

unsigned mem_map_channels(const struct mem_map *m);
unsigned mem_map_slices(const struct mem_map *m); /* of the GPU */
unsigned mem_map_banks(const struct mem_map *m);  /* of a channel */

struct mem_place mem_map(const struct mem_map *m, uint64_t address);
uint64_t mem_map_back(const struct mem_map *m, const struct mem_place *p);
/* Only the slice of an address, for senders. */
uint16_t mem_map_slice(const struct mem_map *m, uint64_t address);
/* The address without its channel and slice bits, for set indexes. */
uint64_t mem_map_local(const struct mem_map *m, uint64_t address);

#endif
