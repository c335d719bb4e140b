/* Dual pattern compression (Byoun, "Data traffic reduction by exploiting data criticality with a compressor in GPU",
 * Texas A&M University 2018, 3.4.1.2 and 3.4.1.3).
 *
 * The block is 32 segments of 4 bytes. Remapping gathers the bits at position i of all segments into group i. A group
 * that is all zeros or all ones is sent as one bit. The encoding is
 *
 *   C    1 bit    1: encoded, 0: the block follows as it is
 *   ES  32 bits   bit i: group i is sent as one bit
 *   ED            the groups, group 0 first: one bit (the value), or all bits of the group, one for each segment
 *
 * A whole block with n groups of a single value takes 1 + 32 + n + 32 (32 - n) bits. It is encoded when that is less
 * than 1 + 1024, which is so from n = 2 on (995 bits; n = 1 would be 1026). Of a truncated block (3.4.1.3.1), only
 * the segments of the chunks in the bitmap are used: 8 for each chunk, and a group has as many bits as there are
 * segments.
 *
 * The thesis gives neither the order of bits within C, ES and ED nor which end of a segment is position 0. Here it is
 * from the lowest bit on, with little-endian segments, which changes no size. It gives no latencies either; here they
 * are two cycles for the compressor (the remap function, then the encoding module) and two for the decompressor
 * (finding each group's bits, then mapping them back). The preprocessing by data type in a later paper on DPC (Kim et
 * al., IPDPS 2019) is not in the thesis and not here. */
#include "compress/bits.h"
#include "compress/compress.h"
#include "compress/bit_planes.h"

enum { GROUPS = 32, HEAD = 1 + GROUPS };

static const struct cfg_key keys[] = {
    {"dpc.compress_latency", CFG_INT, "2", 1, 1000, NULL, "network cycles", "latency of compressing a block with dpc"},
    {"dpc.decompress_latency", CFG_INT, "2", 0, 1000, NULL, "network cycles", "latency of decompressing a block with dpc"},
    {0},
};

/* Groups that are of one value, seen from the segments as they are: no need to remap for that. */
static uint32_t same_groups(const uint32_t *segments, uint32_t n) {
  uint32_t any = 0, all = UINT32_MAX;
  for (uint32_t i = 0; i < n; i++) any |= segments[i], all &= segments[i];
  return ~any | all;
}

static uint32_t encoded_bits(uint32_t same, uint32_t segments) {
  uint32_t n = (uint32_t)__builtin_popcount(same);
  return HEAD + n + (GROUPS - n) * segments;
}
static uint32_t plain_bits(uint32_t segments) { return 1 + 32 * segments; }

static uint32_t dpc_bits(const uint8_t *block, uint8_t chunks) {
  uint32_t s[COMPRESS_WORDS], n = block_gather(block, chunks, s);
  uint32_t bits = encoded_bits(same_groups(s, n), n);
  return bits < plain_bits(n) ? bits : plain_bits(n);
}

/* ED, after C and ES. Without a branch: which groups are of one value is not to be guessed. */
static uint32_t put_groups(const uint32_t *group, uint32_t same, uint32_t n, uint8_t *out) {
  uint64_t hold = UINT64_C(1) | (uint64_t)same << 1;
  memcpy(out, &hold, 4);
  hold >>= 32;
  uint32_t fill = HEAD - 32, at = 4; /* bits in hold, and bytes stored before them */
  for (unsigned i = 0; i < GROUPS; i++) {
    uint32_t one = 0u - (same >> i & 1);                 /* all ones: of one value */
    hold |= (uint64_t)(group[i] & (1u | ~one)) << fill; /* its first bit, or all */
    fill += n - (one & (n - 1));
    memcpy(out + at, &hold, 4);
    at += fill >> 5 << 2;
    hold >>= fill & 32;
    fill &= 31;
  }
  memcpy(out + at, &hold, 4);
  return 8 * at + fill;
}

static uint32_t dpc_encode(const uint8_t *block, uint8_t chunks, uint8_t *out) {
  uint32_t s[COMPRESS_WORDS] = {0}, group[GROUPS], n = block_gather(block, chunks, s);
  uint32_t same = same_groups(s, n);
  if (encoded_bits(same, n) >= plain_bits(n)) return block_put_plain(s, n, out);
  transpose_bits(s, group);
  return put_groups(group, same, n, out);
}

/* Where bits `at` and those after it can be read as one word that lies within the input, which is at least 8 bytes. */
static inline uint32_t bits_at(const uint8_t *in, uint32_t last, uint32_t at) {
  uint32_t byte = at / 8 < last ? at / 8 : last;
  uint64_t v;
  memcpy(&v, in + byte, 8);
  return (uint32_t)(v >> (at - 8 * byte));
}

/* The groups of ED, whose length has been checked against `same`. `last` is where the last 8 bytes begin. */
static void get_groups(const uint8_t *in, uint32_t last, uint32_t same, uint32_t n, uint32_t *group) {
  uint32_t mask = n == 32 ? UINT32_MAX : (1u << n) - 1, at = HEAD;
  for (unsigned i = 0; i < GROUPS; i++) {
    uint32_t one = 0u - (same >> i & 1), data = bits_at(in, last, at);
    uint32_t all = 0u - (data & 1); /* what a bit stands for */
    group[i] = ((data & ~one) | (all & one)) & mask;
    at += n - (one & (n - 1));
  }
}

static bool dpc_decode(const uint8_t *in, uint32_t bits, uint8_t chunks, uint8_t *block) {
  uint32_t n = block_words(chunks), s[COMPRESS_WORDS], group[GROUPS], last = compress_bytes(bits) - 8;
  if (!n || bits < HEAD + GROUPS || bits > plain_bits(n)) return false;
  if (!(in[0] & 1)) {
    if (bits != plain_bits(n)) return false;
    for (uint32_t i = 0; i < n; i++) s[i] = bits_at(in, last, 1 + 32 * i);
  } else {
    uint32_t same = bits_at(in, last, 1);
    if (bits != encoded_bits(same, n)) return false;
    get_groups(in, last, same, n, group);
    transpose_bits(group, s);
  }
  block_scatter(s, chunks, block);
  return true;
}

const struct compressor compress_dpc = {
    .policy = {.name = "dpc",
               .meaning = "dual pattern: a bit position that is all zeros or all ones over the words of the block becomes one bit",
               .paper = "Byoun: Data traffic reduction by exploiting data criticality with a compressor in GPU, Texas A&M University 2018",
               .keys = keys},
    .encode = dpc_encode,
    .bits = dpc_bits,
    .decode = dpc_decode,
    .longest = 1 + COMPRESS_BLOCK_BITS,
    .encoder_state = GROUPS, /* ES, found while the block is remapped; the decoder has it from the encoding */
};
