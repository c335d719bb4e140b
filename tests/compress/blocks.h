/* Blocks in the manner of what programs keep in memory, and some that are hard for one compressor or another. */
#ifndef TESTS_BLOCKS_H
#define TESTS_BLOCKS_H

#include "base/rng.h"
#include "compress/compress.h"

#include <string.h>

enum { BLOCK_KINDS = 14 };

static inline uint32_t any32(struct rng *r) { return (uint32_t)rng_next(r); }

static inline uint32_t block_word(struct rng *r, unsigned kind, unsigned i, uint32_t seed) {
  float f;
  uint32_t w;
  switch (kind) {
  case 0: return 0;
  case 1: return UINT32_MAX;
  case 2: return any32(r);
  case 3: return any32(r) % 100;                             /* small numbers */
  case 4: return 0u - any32(r) % 100;                        /* small, negative */
  case 5: return seed + i;                                   /* an index */
  case 6: f = 1.0f + (float)(any32(r) % 1000) / 1000; break; /* floats of one exponent */
  case 7: return i % 2 ? 0x7fffu : seed + any32(r) % 65536;  /* pointers */
  case 8: return any32(r) % 16 ? 0 : any32(r);               /* sparse */
  case 9: return 0x20202020u + (any32(r) & 0x3f3f3f3fu);     /* text */
  case 10: return seed;                                      /* one word again and again */
  case 11: return seed & ~(1u << (any32(r) % 32));           /* nearly so: a bit out */
  case 12: return any32(r) | 0x80000000u;                    /* one group of equal bits: not worth it */
  default: return (any32(r) & ~5u) | 1u;                     /* two: just worth it */
  }
  memcpy(&w, &f, 4);
  return w;
}

static inline void block_make(struct rng *r, unsigned kind, uint8_t *block) {
  uint32_t seed = any32(r);
  for (unsigned i = 0; i < COMPRESS_BLOCK / 4; i++) {
    uint32_t w = block_word(r, kind, i, seed);
    memcpy(block + 4 * i, &w, 4);
  }
}

#endif
