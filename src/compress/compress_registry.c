/* The compressors, one line each, and what is the same for all of them. */
#include "compress/compress.h"

#include <string.h>

#define LIST(X, T)     \
  X(T, compress_dpc)   \
  X(T, compress_bdi)   \
  X(T, compress_fpc)   \
  X(T, compress_cpack)
#define WHOLE_TABLE(T, id) &id,

LIST(POLICY_DECLARE, struct compressor)
const struct compressor *const compressors[] = {LIST(WHOLE_TABLE, struct compressor) NULL};
const struct policy *const compress_choices[] = {OPTION_OFF("none", "replies are not compressed"),
                                                LIST(POLICY_POINTER, struct compressor) NULL};

const struct compressor *compress_find(const char *name) {
  const struct policy *p = policy_find(compress_choices, name);
  return p && !p->off ? (const struct compressor *)p : NULL;
}

void compress_zero_fill(const uint8_t *block, uint8_t chunks, uint8_t *out) {
  for (unsigned i = 0; i < COMPRESS_CHUNKS; i++) {
    uint8_t *to = out + i * COMPRESS_CHUNK;
    if (chunks >> i & 1) memcpy(to, block + i * COMPRESS_CHUNK, COMPRESS_CHUNK);
    else memset(to, 0, COMPRESS_CHUNK);
  }
}

uint32_t compress_bits_manipulated(const struct compressor *c, const uint8_t *block, uint8_t chunks,
                                   bool *zero_filled) {
  uint8_t filled[COMPRESS_BLOCK];
  compress_zero_fill(block, chunks, filled);
  uint32_t original = c->bits(block, COMPRESS_ALL), zeros = c->bits(filled, COMPRESS_ALL);
  if (zero_filled) *zero_filled = zeros < original;
  return zeros < original ? zeros : original;
}
