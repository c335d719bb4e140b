/* Base-delta-immediate compression (Pekhimenko et al., PACT 2012).
 *
 * The block is seen as values of 8, 4 or 2 bytes. If each of them is within a small signed distance of zero or of one
 * other value (the base, which is the first value that is not near zero), the distances are sent. The encoding begins
 * with 4 bits that say which form follows:
 *
 *   0     zeros        nothing
 *   1     repeated     the value of 8 bytes that the block repeats
 *   2-7   base 8 delta 1, 2, 4; base 4 delta 1, 2; base 2 delta 1:
 *                      a bit for each value (1: from the base, 0: from zero), the base, the distances
 *   15    as it is     the block
 *
 * The shortest form that fits is used. The paper's sizes (1, 8, 24, 40, 72, 36, 68 and 66 bytes of 128) are of base
 * and distances alone, since a cache keeps the rest with the tag; a packet must carry it, so the 4 bits and the bit
 * for each value are counted here.
 *
 * Latencies: decompression is a vector addition and takes 1 cycle, as in the paper. The paper gives none for
 * compression; here it is 2, one for the units that work side by side and one to choose among their results. */
#include "compress/bits.h"
#include "compress/compress.h"

enum { CODE_BITS = 4, ZEROS = 0, REPEATED = 1, FIRST = 2, SHAPES = 6, PLAIN = 15, MOST_VALUES = COMPRESS_BLOCK / 2 };

static const struct {
  uint8_t base, delta; /* bytes */
} shapes[SHAPES] = {{8, 1}, {8, 2}, {8, 4}, {4, 1}, {4, 2}, {2, 1}};

static const struct cfg_key keys[] = {
    {"bdi.compress_latency", CFG_INT, "2", 1, 1000, NULL, "network cycles", "latency of compressing a block with bdi"},
    {"bdi.decompress_latency", CFG_INT, "1", 0, 1000, NULL, "network cycles", "latency of decompressing a block with bdi"},
    {0},
};

static uint64_t low(uint64_t v, unsigned bytes) { return bytes == 8 ? v : v & ((UINT64_C(1) << (8 * bytes)) - 1); }
static uint64_t extend(uint64_t v, unsigned bytes) {
  uint64_t sign = UINT64_C(1) << (8 * bytes - 1);
  return (low(v, bytes) ^ sign) - sign;
}
/* Whether v, a value of `base` bytes, is the sign extension of its lowest `delta` bytes. */
static bool fits(uint64_t v, unsigned base, unsigned delta) { return low(extend(v, delta), base) == low(v, base); }

static uint64_t value(const uint8_t *bytes, unsigned size, unsigned i) {
  uint64_t v = 0;
  memcpy(&v, bytes + i * size, size);
  return v;
}

static uint32_t shape_bits(unsigned shape, uint32_t bytes) {
  uint32_t n = bytes / shapes[shape].base;
  return CODE_BITS + n + 8u * shapes[shape].base + n * 8u * shapes[shape].delta;
}

struct deltas {
  uint64_t base;
  bool from_base[MOST_VALUES];
  uint64_t delta[MOST_VALUES];
};

static bool shape_fits(const uint8_t *bytes, uint32_t n_bytes, unsigned shape, struct deltas *d) {
  unsigned size = shapes[shape].base, delta = shapes[shape].delta;
  bool have = false;
  d->base = 0;
  for (uint32_t i = 0; i < n_bytes / size; i++) {
    uint64_t v = value(bytes, size, i);
    d->from_base[i] = !fits(v, size, delta);
    if (d->from_base[i] && !have) d->base = v, have = true;
    if (d->from_base[i]) v = low(v - d->base, size);
    if (!fits(v, size, delta)) return false;
    d->delta[i] = low(v, delta);
  }
  return true;
}

static void put_wide(struct bits_out *o, uint64_t v, unsigned bytes) {
  bits_put(o, (uint32_t)v, bytes < 4 ? 8 * bytes : 32);
  if (bytes == 8) bits_put(o, (uint32_t)(v >> 32), 32);
}
static uint64_t get_wide(struct bits_in *b, unsigned bytes) {
  uint64_t v = bits_get(b, bytes < 4 ? 8 * bytes : 32);
  return bytes == 8 ? v | (uint64_t)bits_get(b, 32) << 32 : v;
}

static void put_deltas(struct bits_out *o, const struct deltas *d, unsigned shape, uint32_t n_bytes) {
  uint32_t n = n_bytes / shapes[shape].base;
  for (uint32_t i = 0; i < n; i++) bits_put(o, d->from_base[i], 1);
  put_wide(o, d->base, shapes[shape].base);
  for (uint32_t i = 0; i < n; i++) put_wide(o, d->delta[i], shapes[shape].delta);
}

static bool repeats(const uint8_t *bytes, uint32_t n) { return !memcmp(bytes, bytes + 8, n - 8); }

/* Which encoding is the shortest that fits; *d is of that one. */
static unsigned choose(const uint8_t *bytes, uint32_t n, struct deltas *d) {
  if (repeats(bytes, n)) return value(bytes, 8, 0) ? REPEATED : ZEROS;
  unsigned best = PLAIN;
  uint32_t bits = CODE_BITS + 8 * n;
  struct deltas one;
  for (unsigned k = 0; k < SHAPES; k++) {
    if (shape_bits(k, n) >= bits || !shape_fits(bytes, n, k, &one)) continue;
    bits = shape_bits(k, n);
    best = FIRST + k;
    *d = one;
  }
  return best;
}

static uint32_t bdi_encode(const uint8_t *block, uint8_t chunks, uint8_t *out) {
  uint32_t w[COMPRESS_WORDS], n = block_gather(block, chunks, w);
  const uint8_t *bytes = (const uint8_t *)w;
  struct deltas d;
  unsigned code = choose(bytes, 4 * n, &d);
  struct bits_out o;
  bits_begin(&o, out);
  bits_put(&o, code, CODE_BITS);
  if (code == REPEATED) put_wide(&o, value(bytes, 8, 0), 8);
  else if (code == PLAIN)
    for (uint32_t i = 0; i < n; i++) bits_put(&o, w[i], 32);
  else if (code != ZEROS) put_deltas(&o, &d, code - FIRST, 4 * n);
  return bits_end(&o);
}

static uint32_t bdi_bits(const uint8_t *block, uint8_t chunks) {
  uint32_t w[COMPRESS_WORDS], n = block_gather(block, chunks, w);
  struct deltas d;
  unsigned code = choose((const uint8_t *)w, 4 * n, &d);
  if (code == ZEROS) return CODE_BITS;
  if (code == REPEATED) return CODE_BITS + 64;
  return code == PLAIN ? CODE_BITS + 32 * n : shape_bits(code - FIRST, 4 * n);
}

static void get_deltas(struct bits_in *b, unsigned shape, uint32_t n_bytes, uint8_t *bytes) {
  unsigned size = shapes[shape].base, delta = shapes[shape].delta;
  bool from_base[MOST_VALUES];
  for (uint32_t i = 0; i < n_bytes / size; i++) from_base[i] = bits_get(b, 1);
  uint64_t base = get_wide(b, size);
  for (uint32_t i = 0; i < n_bytes / size; i++) {
    uint64_t v = extend(get_wide(b, delta), delta) + (from_base[i] ? base : 0);
    memcpy(bytes + i * size, &v, size);
  }
}

static bool bdi_decode(const uint8_t *in, uint32_t bits, uint8_t chunks, uint8_t *block) {
  uint32_t n = block_words(chunks), w[COMPRESS_WORDS] = {0};
  struct bits_in b = {.in = in, .end = bits};
  unsigned code = bits_get(&b, CODE_BITS);
  if (!n || (code >= FIRST + SHAPES && code != PLAIN)) return false;
  if (code == REPEATED) {
    uint64_t v = get_wide(&b, 8);
    for (uint32_t i = 0; i < n; i += 2) memcpy(w + i, &v, 8);
  } else if (code == PLAIN) {
    for (uint32_t i = 0; i < n; i++) w[i] = bits_get(&b, 32);
  } else if (code != ZEROS) {
    get_deltas(&b, code - FIRST, 4 * n, (uint8_t *)w);
  }
  if (!bits_done(&b)) return false;
  block_scatter(w, chunks, block);
  return true;
}

const struct compressor compress_bdi = {
    .policy = {.name = "bdi",
               .meaning = "base-delta-immediate: values as small distances from zero or from one value of the block",
               .paper = "Pekhimenko et al.: Base-delta-immediate compression, PACT 2012", .keys = keys},
    .encode = bdi_encode,
    .bits = bdi_bits,
    .decode = bdi_decode,
    .longest = CODE_BITS + COMPRESS_BLOCK_BITS,
    .encoder_state = FIRST + SHAPES, /* which of the units side by side found that the block fits */
};
