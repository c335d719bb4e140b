/* Dual pattern compression (Byoun, "Data traffic reduction by exploiting data criticality with a compressor in GPU",
 * Texas A&M University 2018, 3.4.1.2 and 3.4.1.3).
 *
 * The block is 32 segments of 4 bytes. Remapping gathers the bits at position i of all segments into group i. A group
 * that is all zeros or all ones is sent as one bit. The encoding is
 *
 *   C    1 bit    1: encoded, 0: the block follows as it is
 *   ES  32 bits   of group i: 1 if it is sent as one bit
 *   ED            group 0 first: one bit (the value), or the group, a bit a segment
 *
 * so a whole block takes 1 + 32 + n + 32 (32 - n) bits with n groups of one value, and is encoded when that is less
 * than 1 + 1024: from n = 2 on (995 bits; n = 1 would be 1026). Of a truncated block (3.4.1.3.1) only the segments of
 * the chunks in the bitmap are looked at: 8 a chunk, and as many bits a group.
 *
 * The thesis does not give the order of bits within C, ES and ED nor which end of a segment is position 0; here it is
 * from the lowest bit on, segments little-endian, which changes no size. It gives no latencies either: two cycles for
 * the compressor (the remap function, then the encoding module) and two for the decompressor (finding each group's
 * bits, then mapping them back). The preprocessing by data type of a later paper on DPC (Kim et al., IPDPS 2019) is
 * not in the thesis and not here. */
#include "compress/bits.h"
#include "compress/compress_list.h"
#include "compress/transpose.h"

enum { GROUPS = 32, HEAD = 1 + GROUPS };

static const struct cfg_key keys[] = {
    {"dpc.compress_latency", CFG_INT, "2", 1, 1000, NULL, "network cycles", "from a block to its encoding"},
    {"dpc.decompress_latency", CFG_INT, "2", 0, 1000, NULL, "network cycles", "from an encoding to the block"},
    {0},
};

/* Groups that are one value, and which, from the segments as they are: no need to remap for that. */
struct groups {
  uint32_t same, ones;
};
static struct groups look(const uint32_t *segments, uint32_t n) {
  uint32_t any = 0, all = UINT32_MAX;
  for (uint32_t i = 0; i < n; i++) any |= segments[i], all &= segments[i];
  return (struct groups){~any | all, all};
}

static uint32_t encoded_bits(uint32_t same, uint32_t segments) {
  uint32_t n = (uint32_t)__builtin_popcount(same);
  return HEAD + n + (GROUPS - n) * segments;
}
static uint32_t plain_bits(uint32_t segments) { return 1 + 32 * segments; }

static uint32_t dpc_bits(const uint8_t *block, uint8_t chunks) {
  uint32_t s[COMPRESS_WORDS], n = block_gather(block, chunks, s);
  uint32_t bits = encoded_bits(look(s, n).same, n);
  return bits < plain_bits(n) ? bits : plain_bits(n);
}

static uint32_t dpc_encode(const uint8_t *block, uint8_t chunks, uint8_t *out) {
  uint32_t s[COMPRESS_WORDS] = {0}, group[GROUPS], n = block_gather(block, chunks, s);
  struct groups g = look(s, n);
  if (encoded_bits(g.same, n) >= plain_bits(n)) return block_put_plain(s, n, out);
  transpose_bits(s, group);
  struct bits_out o;
  bits_begin(&o, out);
  bits_put(&o, 1, 1);
  bits_put(&o, g.same, 32);
  for (unsigned i = 0; i < GROUPS; i++) {
    bool one = g.same >> i & 1;
    bits_put(&o, one ? g.ones >> i & 1 : group[i], one ? 1 : n);
  }
  return bits_end(&o);
}

static void get_plain(const uint8_t *padded, uint32_t n, uint32_t *s) {
  for (uint32_t i = 0; i < n; i++) {
    uint64_t v;
    memcpy(&v, padded + 4 * i, 8);
    s[i] = (uint32_t)(v >> 1);
  }
}

/* The encoded data; its length has been checked against `same`. */
static void get_groups(const uint8_t *padded, uint32_t same, uint32_t n, uint32_t *group) {
  uint32_t mask = n == 32 ? UINT32_MAX : (1u << n) - 1, at = HEAD;
  for (unsigned i = 0; i < GROUPS; i++) {
    uint64_t v;
    memcpy(&v, padded + at / 8, 8);
    v >>= at % 8;
    bool one = same >> i & 1;
    group[i] = one ? (uint32_t)-(int32_t)(v & 1) & mask : (uint32_t)v & mask;
    at += one ? 1 : n;
  }
}

static bool dpc_decode(const uint8_t *in, uint32_t bits, uint8_t chunks, uint8_t *block) {
  uint32_t n = block_words(chunks), s[COMPRESS_WORDS], group[GROUPS];
  if (!n || bits > plain_bits(n) || !bits) return false;
  uint8_t padded[COMPRESS_ROOM] = {0};
  memcpy(padded, in, compress_bytes(bits));
  if (!(padded[0] & 1)) {
    if (bits != plain_bits(n)) return false;
    get_plain(padded, n, s);
  } else {
    uint64_t head;
    memcpy(&head, padded, 8);
    uint32_t same = (uint32_t)(head >> 1);
    if (bits < HEAD || bits != encoded_bits(same, n)) return false;
    get_groups(padded, same, n, group);
    transpose_bits(group, s);
  }
  block_scatter(s, chunks, block);
  return true;
}

const struct compressor compress_dpc = {
    .name = "dpc",
    .meaning = "dual pattern: groups of equal bit positions that are all zeros or all ones become one bit",
    .keys = keys,
    .encode = dpc_encode,
    .bits = dpc_bits,
    .decode = dpc_decode,
};
