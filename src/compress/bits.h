/* Writing and reading streams of bits, from the lowest bit of the first byte on; and the 4-byte words of a block's
 * chunks.
 *
 * A writer needs 8 bytes of space beyond what it writes, since it stores whole words. A reader never looks past the
 * last bit that it was given; reading further gives zeros and sets `over`. Host and device are little-endian. */
#ifndef COMPRESS_BITS_H
#define COMPRESS_BITS_H

#include "compress/compress.h"

#include <string.h>

struct bits_out {
  uint8_t *at;     /* where the next whole word goes */
  uint64_t hold;   /* bits not stored yet, */
  uint32_t n;      /* fewer than 32 of them */
  uint32_t stored;
};

static inline void bits_begin(struct bits_out *o, uint8_t *out) { *o = (struct bits_out){.at = out}; }
/* Writes the low `n` bits of v, n at most 32. The other bits of v must be zero. */
static inline void bits_put(struct bits_out *o, uint32_t v, uint32_t n) {
  o->hold |= (uint64_t)v << o->n;
  o->n += n;
  if (o->n < 32) return;
  memcpy(o->at, &o->hold, 4);
  o->at += 4;
  o->stored += 32;
  o->hold >>= 32;
  o->n -= 32;
}
static inline uint32_t bits_end(struct bits_out *o) {
  memcpy(o->at, &o->hold, 4);
  return o->stored + o->n;
}

struct bits_in {
  const uint8_t *in;
  uint32_t at, end; /* bits */
  bool over;
};

/* The 8 bytes from byte `i` on, with zeros after the end. */
static inline uint64_t bits_window(const struct bits_in *b, uint32_t i) {
  uint64_t v = 0;
  uint32_t bytes = (b->end + 7) / 8;
  if (i + 8 <= bytes) memcpy(&v, b->in + i, 8);
  else if (i < bytes) memcpy(&v, b->in + i, bytes - i);
  return v;
}
/* Reads n bits, n at most 32. */
static inline uint32_t bits_get(struct bits_in *b, uint32_t n) {
  if (n > b->end - b->at) {
    b->over = true;
    b->at = b->end;
    return 0;
  }
  uint64_t v = bits_window(b, b->at / 8) >> (b->at % 8);
  b->at += n;
  return (uint32_t)(v & ((UINT64_C(1) << n) - 1));
}
/* Whether exactly the bits that there were have been read. */
static inline bool bits_done(const struct bits_in *b) { return !b->over && b->at == b->end; }

enum { COMPRESS_WORDS = COMPRESS_BLOCK / 4, COMPRESS_CHUNK_WORDS = COMPRESS_CHUNK / 4 };

/* Copies the chunks of a block one after the other; returns how many 4-byte words they have. */
static inline uint32_t block_gather(const uint8_t *block, uint8_t chunks, uint32_t *words) {
  if (chunks == COMPRESS_ALL) {
    memcpy(words, block, COMPRESS_BLOCK);
    return COMPRESS_WORDS;
  }
  uint32_t n = 0;
  for (unsigned i = 0; i < COMPRESS_CHUNKS; i++)
    if (chunks >> i & 1) {
      memcpy(words + n, block + i * COMPRESS_CHUNK, COMPRESS_CHUNK);
      n += COMPRESS_CHUNK_WORDS;
    }
  return n;
}
static inline void block_scatter(const uint32_t *words, uint8_t chunks, uint8_t *block) {
  if (chunks == COMPRESS_ALL) {
    memcpy(block, words, COMPRESS_BLOCK);
    return;
  }
  for (unsigned i = 0; i < COMPRESS_CHUNKS; i++)
    if (chunks >> i & 1) {
      memcpy(block + i * COMPRESS_CHUNK, words, COMPRESS_CHUNK);
      words += COMPRESS_CHUNK_WORDS;
    }
}
/* Words in the chunks of a bitmap; 0 if the bitmap has chunks that do not exist. */
static inline uint32_t block_words(uint8_t chunks) {
  return chunks > COMPRESS_ALL ? 0 : COMPRESS_CHUNK_WORDS * (uint32_t)__builtin_popcount(chunks);
}

/* Writes a bit 0 and the words as they are, which is the encoding of a block that does not shrink. */
static inline uint32_t block_put_plain(const uint32_t *words, uint32_t n, uint8_t *out) {
  struct bits_out o;
  bits_begin(&o, out);
  bits_put(&o, 0, 1);
  for (uint32_t i = 0; i < n; i++) bits_put(&o, words[i], 32);
  return bits_end(&o);
}
/* Reads the words after that bit. */
static inline bool block_get_plain(struct bits_in *b, uint32_t n, uint32_t *words) {
  for (uint32_t i = 0; i < n; i++) words[i] = bits_get(b, 32);
  return bits_done(b);
}

#endif
