/* Compressors of 128-byte blocks, as hardware would have them at both ends of a network.
 *
 * A block has four chunks of 32 bytes; a bitmap says which of them are sent (bit i: chunk i). COMPRESS_ALL is the
 * whole block. With fewer chunks, the block consists of the chunks that are sent, one after the other, and the
 * receiver must know the bitmap, which travels in the packet's header and not in the encoded bits. Bits are numbered
 * from the lowest bit of the first byte on.
 *
 * Owns: nothing; a compressor has no state. Does not: know packets, flits or time (its latencies are keys, which are
 * read where time is modelled), or decide whether a block should rather be sent as it is: every format can express
 * "not compressed", and its encoder does so when that is shorter.
 *
 * A compressor is one file that implements struct compressor, and one line in compress_registry.c. */
#ifndef COMPRESS_H
#define COMPRESS_H

#include "base/policy.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  COMPRESS_BLOCK = 128,
  COMPRESS_BLOCK_BITS = 8 * COMPRESS_BLOCK,
  COMPRESS_CHUNK = 32,
  COMPRESS_CHUNKS = COMPRESS_BLOCK / COMPRESS_CHUNK,
  COMPRESS_ALL = (1 << COMPRESS_CHUNKS) - 1,
  COMPRESS_MOST_BYTES = 160, /* the most bytes that an encoder writes, scratch beyond the end included */
};

struct compressor {
  struct policy policy; /* its keys: NAME.compress_latency and NAME.decompress_latency, in cycles of the network */
  /* Encodes the chunks of `block` (128 bytes, of which only these chunks are read) into `out` (COMPRESS_MOST_BYTES
   * bytes) and returns the number of bits; the rest of the last byte is zero. `chunks` is not 0. */
  uint32_t (*encode)(const uint8_t *block, uint8_t chunks, uint8_t *out);
  /* What encode would return, without writing. */
  uint32_t (*bits)(const uint8_t *block, uint8_t chunks);
  /* Decodes exactly `bits` bits from `in` into the chunks of `block`, whose other bytes are left alone. False, with
   * the block undefined, if the bits are not an encoding of this many chunks. Never reads past the byte of the last
   * bit. */
  bool (*decode)(const uint8_t *in, uint32_t bits, uint8_t chunks, uint8_t *block);
  /* Size of the hardware, in bits: the longest encoding, and what a stage of the encoding or of the decoding pipeline
   * must keep in addition to one. */
  uint32_t longest, encoder_state, decoder_state;
};
extern const struct compressor *const compressors[]; /* NULL at the end */
extern const struct policy *const compress_choices[]; /* the same with `none`, which is off */

/* The compressor of this name; NULL if there is none. */
const struct compressor *compress_find(const char *name);

/* Bytes that this many bits take in a packet. */
static inline uint32_t compress_bytes(uint32_t bits) { return (bits + 7) / 8; }
/* Uncompressed bytes of the chunks in a bitmap. */
static inline uint32_t compress_plain_bytes(uint8_t chunks) {
  return COMPRESS_CHUNK * (uint32_t)__builtin_popcount(chunks & COMPRESS_ALL);
}

/* The block with the bytes outside `chunks` set to zero. */
void compress_zero_fill(const uint8_t *block, uint8_t chunks, uint8_t *out);

/* Data filtering by manipulation (reply.filter=df-man): a whole block is sent, of which only `chunks` matter, either
 * as it is or with the rest set to zero, whichever is shorter. Returns the bits. *zero_filled (may be NULL) says
 * whether zeros were used, which they are only if that is shorter, since the original brings more data for the same
 * size. */
uint32_t compress_bits_manipulated(const struct compressor *c, const uint8_t *block, uint8_t chunks,
                                   bool *zero_filled);

#endif
