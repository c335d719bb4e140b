/* The list of compressors, and what holds for each of them. */
#include "compress/compress.h"
#include "compress/compress_list.h"

#include <string.h>

const struct compressor *const compressors[] = {&compress_dpc, &compress_bdi, &compress_fpc, &compress_cpack, NULL};

const struct compressor *compress_find(const char *name) {
  for (size_t i = 0; compressors[i]; i++)
    if (!strcmp(compressors[i]->name, name)) return compressors[i];
  return NULL;
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
