/* Hostile input to the decoders: noise, encodings with flipped bits, encodings cut or made longer, for any bitmap. A decoder must
 * refuse or give a block that encodes and decodes again; a buffer ends where the input ends, so that a sanitizer sees a
 * read too far. FUZZ_N sets how many inputs. Each decoder
 * counts as one test. */
#include "blocks.h"

#include <stdio.h>
#include <stdlib.h>

static bool one(const struct compressor *c, struct rng *r) {
  uint8_t made[COMPRESS_MOST_BYTES], block[COMPRESS_BLOCK] = {0}, again[COMPRESS_BLOCK] = {0};
  uint8_t chunks = (uint8_t)rng_below(r, 17);
  uint32_t bits = (uint32_t)rng_below(r, 8 * COMPRESS_MOST_BYTES);
  for (unsigned i = 0; i < COMPRESS_MOST_BYTES; i++) made[i] = (uint8_t)rng_next(r);
  if (rng_below(r, 4) && chunks && chunks <= COMPRESS_ALL) {
    block_make(r, (unsigned)rng_below(r, BLOCK_KINDS), block);
    bits = c->encode(block, chunks, made);
    for (uint64_t flips = rng_below(r, 4); flips; flips--) {
      uint64_t at = rng_below(r, bits);
      made[at / 8] ^= (uint8_t)(1 << at % 8);
    }
    if (!rng_below(r, 4)) bits = bits + (uint32_t)rng_below(r, 9) - 4;
  }
  uint8_t *exact = malloc(compress_bytes(bits) + !bits);
  memcpy(exact, made, compress_bytes(bits));
  bool fine = true;
  if (c->decode(exact, bits, chunks, block)) {
    bits = c->encode(block, chunks, made);
    memcpy(again, block, sizeof again);
    fine = c->decode(made, bits, chunks, again) && !memcmp(block, again, sizeof block);
  }
  free(exact);
  return fine;
}

int main(void) {
  const char *text = getenv("FUZZ_N");
  unsigned long n = text ? strtoul(text, NULL, 10) : 20000, failed = 0, decoders = 0;
  struct rng r = {3};
  for (; compressors[decoders]; decoders++) {
    unsigned long i = 0;
    while (i < n && one(compressors[decoders], &r)) i++;
    if (i == n) continue;
    printf("%s: input %lu decodes to a block that does not come back\n", compressors[decoders]->policy.name, i);
    failed++;
  }
  printf("%lu passed, %lu failed\n", decoders - failed, failed);
  return failed ? 1 : 0;
}
