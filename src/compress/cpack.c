/* C-Pack (Chen, Yang, Dick, Shang and Lekatsas, IEEE Transactions on VLSI Systems 18, 2010).
 *
 * The first bit says whether the block is encoded (1) or follows as it is (0); the paper keeps this bit beside the
 * cache line. In an encoded block, each 4-byte word is a code, whose first bit is sent first, and what the code
 * needs. A dictionary holds the last 16 new words, first in, first out; it is empty at the start of each block, and
 * the decoder rebuilds it as it goes:
 *
 *   00    zzzz   a zero word                                   2 bits
 *   01    xxxx   any word                                     34
 *   10    mmmm   the word of a dictionary entry                6
 *   1100  mmxx   its upper two bytes; the lower two follow    24
 *   1101  zzzx   a byte, three zero bytes above it            12
 *   1110  mmmx   its upper three bytes; the lowest follows    16
 *
 * A word sent as xxxx, mmxx or mmmx is put into the dictionary. If several entries match equally well, the lowest is
 * used; entries that have not been written match nothing.
 *
 * The latencies are those of gem5's model: two words a cycle and 5 cycles more to compress, 1 cycle more to
 * decompress. */
#include "compress/bits.h"
#include "compress/compress.h"

enum { ENTRIES = 16, INDEX_BITS = 4, DICTIONARY_BITS = ENTRIES * 32 + (INDEX_BITS + 1) + INDEX_BITS };

/* Codes as numbers whose lowest bit is sent first. */
enum { ZZZZ = 0, XXXX = 2, MMMM = 1, LONG = 3, MMXX = 0, ZZZX = 2, MMMX = 1 };

static const struct cfg_key keys[] = {
    {"cpack.compress_latency", CFG_INT, "21", 1, 1000, NULL, "network cycles", "latency of compressing a block with cpack"},
    {"cpack.decompress_latency", CFG_INT, "17", 0, 1000, NULL, "network cycles", "latency of decompressing a block with cpack"},
    {0},
};

struct dictionary {
  uint32_t word[ENTRIES];
  uint32_t used, next;
};
static void remember(struct dictionary *d, uint32_t w) {
  d->word[d->next] = w;
  d->next = (d->next + 1) % ENTRIES;
  if (d->used < ENTRIES) d->used++;
}

/* How many upper bytes the best entry shares (0, 2, 3 or 4), and which it is. */
static unsigned match(const struct dictionary *d, uint32_t w, uint32_t *at) {
  unsigned best = 0;
  for (uint32_t i = 0; i < d->used; i++) {
    uint32_t differs = d->word[i] ^ w;
    unsigned same = !differs ? 4 : differs < 1u << 8 ? 3 : differs < 1u << 16 ? 2 : 0;
    if (same > best) best = same, *at = i;
  }
  return best;
}

static void put_code(struct bits_out *o, unsigned code) {
  bits_put(o, LONG, 2);
  bits_put(o, code, 2);
}

static void put_word(struct bits_out *o, struct dictionary *d, uint32_t w) {
  uint32_t at = 0;
  if (!w) {
    bits_put(o, ZZZZ, 2);
    return;
  }
  if (w < 1u << 8) {
    put_code(o, ZZZX);
    bits_put(o, w, 8);
    return;
  }
  switch (match(d, w, &at)) {
  case 4:
    bits_put(o, MMMM, 2);
    bits_put(o, at, INDEX_BITS);
    return;
  case 3:
    put_code(o, MMMX);
    bits_put(o, at, INDEX_BITS);
    bits_put(o, w & 0xff, 8);
    break;
  case 2:
    put_code(o, MMXX);
    bits_put(o, at, INDEX_BITS);
    bits_put(o, w & 0xffff, 16);
    break;
  default:
    bits_put(o, XXXX, 2);
    bits_put(o, w, 32);
  }
  remember(d, w);
}

static uint32_t cpack_encode(const uint8_t *block, uint8_t chunks, uint8_t *out) {
  uint32_t w[COMPRESS_WORDS], n = block_gather(block, chunks, w);
  struct dictionary d = {.used = 0};
  struct bits_out o;
  bits_begin(&o, out);
  bits_put(&o, 1, 1);
  for (uint32_t i = 0; i < n; i++) put_word(&o, &d, w[i]);
  uint32_t bits = bits_end(&o);
  return bits < 1 + 32 * n ? bits : block_put_plain(w, n, out);
}

static uint32_t cpack_bits(const uint8_t *block, uint8_t chunks) {
  uint8_t scratch[COMPRESS_MOST_BYTES];
  return cpack_encode(block, chunks, scratch);
}

/* A word made of an entry's upper bytes and `low_bits` that follow; false if there is no such entry. */
static bool get_match(struct bits_in *b, const struct dictionary *d, unsigned low_bits, uint32_t *w) {
  uint32_t at = bits_get(b, INDEX_BITS), mask = (1u << low_bits) - 1;
  if (at >= d->used) return false;
  *w = (d->word[at] & ~mask) | bits_get(b, low_bits);
  return true;
}

static bool get_long(struct bits_in *b, struct dictionary *d, uint32_t *w) {
  switch (bits_get(b, 2)) {
  case ZZZX: *w = bits_get(b, 8); return true;
  case MMMX:
    if (!get_match(b, d, 8, w)) return false;
    break;
  case MMXX:
    if (!get_match(b, d, 16, w)) return false;
    break;
  default: return false;
  }
  remember(d, *w);
  return true;
}

static bool get_word(struct bits_in *b, struct dictionary *d, uint32_t *w) {
  switch (bits_get(b, 2)) {
  case ZZZZ: *w = 0; return true;
  case XXXX:
    *w = bits_get(b, 32);
    remember(d, *w);
    return true;
  case MMMM: return get_match(b, d, 0, w);
  default: return get_long(b, d, w);
  }
}

static bool get_words(struct bits_in *b, uint32_t n, uint32_t *w) {
  struct dictionary d = {.used = 0};
  for (uint32_t i = 0; i < n; i++)
    if (!get_word(b, &d, &w[i]) || b->over) return false;
  return bits_done(b);
}

static bool cpack_decode(const uint8_t *in, uint32_t bits, uint8_t chunks, uint8_t *block) {
  uint32_t n = block_words(chunks), w[COMPRESS_WORDS];
  struct bits_in b = {.in = in, .end = bits};
  if (!n || !(bits_get(&b, 1) ? get_words(&b, n, w) : block_get_plain(&b, n, w))) return false;
  block_scatter(w, chunks, block);
  return true;
}

const struct compressor compress_cpack = {
    .policy = {.name = "cpack",
               .meaning = "C-Pack: words that match one of the last 16, wholly or in their upper bytes, become its index",
               .paper = "Chen et al.: C-Pack: a high-performance microprocessor cache compression algorithm, IEEE TVLSI 2010",
               .keys = keys},
    .encode = cpack_encode,
    .bits = cpack_bits,
    .decode = cpack_decode,
    .longest = 1 + COMPRESS_BLOCK_BITS,
    /* Two words a cycle: each stage has a block of its own and its dictionary (words, how many, which is next), and what
     * has been encoded or decoded so far. */
    .encoder_state = DICTIONARY_BITS + COMPRESS_BLOCK_BITS,
    .decoder_state = DICTIONARY_BITS + COMPRESS_BLOCK_BITS,
};
