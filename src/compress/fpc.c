/* Frequent pattern compression (Alameldeen and Wood, Technical Report 1500, University of Wisconsin-Madison 2004).
 *
 * The first bit says whether the block is encoded (1) or follows as it is (0); the report keeps this bit in the tag
 * of a cache line, while a packet must carry it. In an encoded block, each 4-byte word is a prefix of 3 bits and its
 * data:
 *
 *   0  a run of 1 to 8 zero words         3 bits: words - 1
 *   1  4 bits, sign-extended              4
 *   2  a byte, sign-extended              8
 *   3  a halfword, sign-extended         16
 *   4  a halfword above a zero halfword  16
 *   5  two halfwords, each a byte, sign-extended   16
 *   6  four equal bytes                   8
 *   7  any word                          32
 *
 * The latencies are those of gem5's model: 8 words a cycle and one cycle more to compress, 4 words a cycle and one
 * cycle more to decompress. */
#include "compress/bits.h"
#include "compress/compress.h"

enum { ZEROS, NIBBLE, BYTE, HALF, HIGH_HALF, TWO_BYTES, REPEATED, ANY, PREFIX_BITS = 3 };
static const uint8_t data_bits[] = {3, 4, 8, 16, 16, 16, 8, 32};

static const struct cfg_key keys[] = {
    {"fpc.compress_latency", CFG_INT, "5", 1, 1000, NULL, "network cycles", "latency of compressing a block with fpc"},
    {"fpc.decompress_latency", CFG_INT, "9", 0, 1000, NULL, "network cycles", "latency of decompressing a block with fpc"},
    {0},
};

static uint32_t extend(uint32_t v, unsigned bits) {
  uint32_t sign = 1u << (bits - 1);
  return (v ^ sign) - sign;
}
static bool fits(uint32_t v, unsigned bits) { return extend(v & ((1u << bits) - 1), bits) == v; }
static bool half_fits(uint32_t v) { return (uint16_t)extend(v & 0xff, 8) == v; }

/* The shortest pattern of a word that is not zero, and its data. */
static unsigned pattern(uint32_t w, uint32_t *data) {
  if (fits(w, 4)) return *data = w & 0xf, NIBBLE;
  if (fits(w, 8)) return *data = w & 0xff, BYTE;
  if (w == (w & 0xff) * 0x01010101u) return *data = w & 0xff, REPEATED;
  if (fits(w, 16)) return *data = w & 0xffff, HALF;
  if (!(w & 0xffff)) return *data = w >> 16, HIGH_HALF;
  if (half_fits(w & 0xffff) && half_fits(w >> 16)) return *data = (w & 0xff) | (w >> 8 & 0xff00), TWO_BYTES;
  return *data = w, ANY;
}

static uint32_t restore(unsigned p, uint32_t data) {
  switch (p) {
  case NIBBLE: return extend(data, 4);
  case BYTE: return extend(data, 8);
  case HALF: return extend(data, 16);
  case HIGH_HALF: return data << 16;
  case TWO_BYTES: return (extend(data & 0xff, 8) & 0xffff) | extend(data >> 8, 8) << 16;
  case REPEATED: return data * 0x01010101u;
  default: return data;
  }
}

static uint32_t zero_run(const uint32_t *w, uint32_t left) {
  uint32_t n = 0;
  while (n < left && n < 8 && !w[n]) n++;
  return n;
}

static uint32_t fpc_encode(const uint8_t *block, uint8_t chunks, uint8_t *out) {
  uint32_t w[COMPRESS_WORDS], n = block_gather(block, chunks, w), run;
  struct bits_out o;
  bits_begin(&o, out);
  bits_put(&o, 1, 1);
  for (uint32_t i = 0; i < n; i += run) {
    uint32_t data;
    run = zero_run(w + i, n - i);
    unsigned p = run ? ZEROS : pattern(w[i], &data);
    if (run) data = run - 1;
    else run = 1;
    bits_put(&o, p, PREFIX_BITS);
    bits_put(&o, data, data_bits[p]);
  }
  uint32_t bits = bits_end(&o);
  return bits < 1 + 32 * n ? bits : block_put_plain(w, n, out);
}

static uint32_t fpc_bits(const uint8_t *block, uint8_t chunks) {
  uint8_t scratch[COMPRESS_MOST_BYTES];
  return fpc_encode(block, chunks, scratch);
}

static bool get_words(struct bits_in *b, uint32_t n, uint32_t *w) {
  for (uint32_t i = 0; i < n;) {
    unsigned p = bits_get(b, PREFIX_BITS);
    uint32_t data = bits_get(b, data_bits[p]);
    if (b->over) return false;
    if (p == ZEROS) {
      if (data + 1 > n - i) return false;
      for (uint32_t k = 0; k <= data; k++) w[i++] = 0;
    } else {
      w[i++] = restore(p, data);
    }
  }
  return bits_done(b);
}

static bool fpc_decode(const uint8_t *in, uint32_t bits, uint8_t chunks, uint8_t *block) {
  uint32_t n = block_words(chunks), w[COMPRESS_WORDS];
  struct bits_in b = {.in = in, .end = bits};
  if (!n || !(bits_get(&b, 1) ? get_words(&b, n, w) : block_get_plain(&b, n, w))) return false;
  block_scatter(w, chunks, block);
  return true;
}

const struct compressor compress_fpc = {
    .policy = {.name = "fpc", .meaning = "frequent patterns: a prefix before each word says whether it is zero, small, repeated or plain",
               .paper = "Alameldeen, Wood: Frequent pattern compression, University of Wisconsin-Madison TR 1500, 2004",
               .keys = keys},
    .encode = fpc_encode,
    .bits = fpc_bits,
    .decode = fpc_decode,
    .longest = 1 + COMPRESS_BLOCK_BITS,
    /* Words are encoded over several cycles: the prefixes, and what has been put together so far, beside the block, which
     * is sent itself if it turns out shorter. The decoder: the words found so far. */
    .encoder_state = COMPRESS_BLOCK / 4 * PREFIX_BITS + COMPRESS_BLOCK_BITS,
    .decoder_state = COMPRESS_BLOCK_BITS,
};
