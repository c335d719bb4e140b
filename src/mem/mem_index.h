/* Set index functions: which set of a cache an address belongs to.
 *
 * Each is a table of functions. A cache names the one it wants when it is made; a key offers those of mem_indexes. A
 * number of sets that is not a power of two is written as 2^a times an odd number: xor and ipoly act on the a low
 * bits, and the odd part is a remainder, so every set gets an equal share of any aligned range. */
#ifndef MEM_INDEX_H
#define MEM_INDEX_H

#include "base/policy.h"
#include "mem/packet.h"

struct mem_index;

struct mem_index_function {
  struct policy policy;
  uint32_t (*set)(const struct mem_index *x, uint64_t address);
  bool (*fits)(uint32_t sets, struct err *e); /* (may be NULL: any number of sets) */
  void *(*create)(const struct mem_index *x); /* what it computes once in advance (both may be NULL: nothing) */
  void (*destroy)(void *own);
};
extern const struct mem_index_function mem_index_plain, mem_index_xor, mem_index_ipoly, mem_index_fermi, mem_index_fold,
    mem_index_mix;
extern const struct policy *const mem_indexes[]; /* those that work with any number of sets, for keys */

struct mem_index {
  const struct mem_index_function *function;
  uint32_t sets, line_shift; /* lines of 1 << line_shift bytes */
  uint32_t bits, odd;        /* sets = odd << bits */
  void *own;                 /* what the function's create returned */
};

/* False and a sentence in *e if the function does not work with this number of sets. */
bool mem_index_fits(const struct mem_index_function *f, uint32_t sets, struct err *e);
/* line_bytes must be a power of two. */
void mem_index_init(struct mem_index *x, const struct mem_index_function *f, uint32_t sets, uint32_t line_bytes);
void mem_index_free(struct mem_index *x);

/* The set of an address (of any byte of the line). A cache behind an address map passes the address without its
 * channel and slice bits (mem_map_local), so that every set is used. */
static inline uint32_t mem_index_set(const struct mem_index *x, uint64_t address) { return x->function->set(x, address); }

#endif
