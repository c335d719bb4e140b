/* Compressors: sizes worked out by hand, a slow and obvious dual pattern encoder beside the fast one, what is decoded is what
 * was encoded for every kind of block and every bitmap, and what is no encoding is refused. */
#include "blocks.h"
#include "compress/bit_planes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ROUNDS = 400 };

static void words(uint8_t *block, uint32_t (*word)(unsigned i)) {
  for (unsigned i = 0; i < COMPRESS_BLOCK / 4; i++) {
    uint32_t w = word(i);
    memcpy(block + 4 * i, &w, 4);
  }
}

static uint32_t bits_of(const char *name, uint32_t (*word)(unsigned i)) {
  uint8_t block[COMPRESS_BLOCK], out[COMPRESS_MOST_BYTES];
  const struct compressor *c = compress_find(name);
  words(block, word);
  assert_int_equal(c->encode(block, COMPRESS_ALL, out), c->bits(block, COMPRESS_ALL));
  return c->bits(block, COMPRESS_ALL);
}

/* ---- blocks whose sizes are known ---- */

static uint32_t zero(unsigned i) { return (void)i, 0; }
static uint32_t ones(unsigned i) { return (void)i, UINT32_MAX; }
static uint32_t five(unsigned i) { return (void)i, 5; }
static uint32_t minus_100(unsigned i) { return (void)i, 0u - 100; }
static uint32_t half(unsigned i) { return (void)i, 0x1234; }
static uint32_t high_half(unsigned i) { return (void)i, 0x12340000; }
static uint32_t two_bytes(unsigned i) { return (void)i, 0x0012ffcc; }
static uint32_t repeated_byte(unsigned i) { return (void)i, 0xabababab; }
static uint32_t constant(unsigned i) { return (void)i, 0x12345678; }
static uint32_t first_only(unsigned i) { return i ? 0 : 1; }
static uint32_t count(unsigned i) { return i; }
static uint32_t alternating_floats(unsigned i) { return i % 2 ? 0x40000000 : 0x3f800000; } /* 2.0 and 1.0 */
/* A permutation of all words with no group of one value. */
static uint32_t noise(unsigned i) { return (i * 2 + 1) * 0x9e3779b1u ^ (i * 0x85ebca6bu >> 7); }
static uint32_t noise_one_group(unsigned i) { return noise(i) | 1u << 31; }
static uint32_t noise_two_groups(unsigned i) { return (noise(i) | 1u << 31) & ~1u; }
static uint32_t pointers(unsigned i) { return i % 2 ? 0x7fff : 0x12340000 + i; } /* 8 bytes, 2 apart */
static uint32_t far_pointers(unsigned i) { return i % 2 ? 0x7fff : 0x12340000 + 1000 * i; }
static uint32_t very_far_pointers(unsigned i) { return i % 2 ? 0x7fff : 0x12340000 + 10000000 * i; }
static uint32_t near_words(unsigned i) { return 0x12345600 + i; }
static uint32_t words_apart(unsigned i) { return 0x12340000 + 256 * i; }
static uint32_t near_halves(unsigned i) { return (0x4000 + i) << 16 | (0x4000 + 3 * i % 50); }

static void test_sizes_of_dual_pattern(void **state) {
  (void)state;
  assert_int_equal(bits_of("dpc", zero), 1 + 32 + 32);
  assert_int_equal(bits_of("dpc", ones), 1 + 32 + 32);
  assert_int_equal(bits_of("dpc", constant), 1 + 32 + 32);
  assert_int_equal(bits_of("dpc", first_only), 1 + 32 + 31 + 32);
  assert_int_equal(bits_of("dpc", count), 1 + 32 + 27 + 5 * 32);
  assert_int_equal(bits_of("dpc", alternating_floats), 1 + 32 + 24 + 8 * 32); /* they differ in bits 23 to 30 */
  assert_int_equal(bits_of("dpc", noise), 1 + 1024);
  assert_int_equal(bits_of("dpc", noise_one_group), 1 + 1024); /* encoded it would be 1026 */
  assert_int_equal(bits_of("dpc", noise_two_groups), 1 + 32 + 2 + 30 * 32);
}

static void test_sizes_of_base_delta_immediate(void **state) {
  (void)state;
  /* 4 bits, a bit a value, base, distances: 8 times the paper's bytes and the two that a packet must carry. */
  assert_int_equal(bits_of("bdi", zero), 4);
  assert_int_equal(bits_of("bdi", constant), 4 + 64);
  assert_int_equal(bits_of("bdi", pointers), 4 + 16 + 8 * 24);
  assert_int_equal(bits_of("bdi", far_pointers), 4 + 16 + 8 * 40);
  assert_int_equal(bits_of("bdi", very_far_pointers), 4 + 16 + 8 * 72);
  assert_int_equal(bits_of("bdi", near_words), 4 + 32 + 8 * 36);
  assert_int_equal(bits_of("bdi", words_apart), 4 + 32 + 8 * 68);
  assert_int_equal(bits_of("bdi", near_halves), 4 + 64 + 8 * 66);
  assert_int_equal(bits_of("bdi", noise), 4 + 1024);
}

static void test_sizes_of_frequent_patterns(void **state) {
  (void)state;
  assert_int_equal(bits_of("fpc", zero), 1 + 4 * (3 + 3)); /* four runs of eight */
  assert_int_equal(bits_of("fpc", five), 1 + 32 * (3 + 4));
  assert_int_equal(bits_of("fpc", minus_100), 1 + 32 * (3 + 8));
  assert_int_equal(bits_of("fpc", repeated_byte), 1 + 32 * (3 + 8));
  assert_int_equal(bits_of("fpc", half), 1 + 32 * (3 + 16));
  assert_int_equal(bits_of("fpc", high_half), 1 + 32 * (3 + 16));
  assert_int_equal(bits_of("fpc", two_bytes), 1 + 32 * (3 + 16));
  assert_int_equal(bits_of("fpc", first_only), 1 + (3 + 4) + 4 * (3 + 3)); /* 31 zeros: 8, 8, 8, 7 */
  assert_int_equal(bits_of("fpc", noise), 1 + 1024);
}

static void test_sizes_of_cpack(void **state) {
  (void)state;
  assert_int_equal(bits_of("cpack", zero), 1 + 32 * 2);
  assert_int_equal(bits_of("cpack", five), 1 + 32 * 12);
  assert_int_equal(bits_of("cpack", constant), 1 + 34 + 31 * 6);
  assert_int_equal(bits_of("cpack", near_words), 1 + 34 + 31 * 16);
  assert_int_equal(bits_of("cpack", words_apart), 1 + 34 + 31 * 24);
  assert_int_equal(bits_of("cpack", noise), 1 + 1024);
}

static uint32_t again_after_16(unsigned i) { return noise(i % 16); }
static uint32_t again_after_17(unsigned i) { return noise(i % 17); }
static void test_the_dictionary_of_cpack_holds_the_last_sixteen(void **state) {
  (void)state;
  assert_int_equal(bits_of("cpack", again_after_16), 1 + 16 * 34 + 16 * 6);
  assert_int_equal(bits_of("cpack", again_after_17), 1 + 1024); /* each was forgotten just before it comes again */
}

static void test_bits_of_dual_pattern_worked_out_by_hand(void **state) {
  (void)state;
  /* Chunk 2 holds 0 to 7. C = 1; ES = all but groups 0, 1, 2; ED = aa, cc, f0 and 29 zeros. */
  static const uint8_t expected[11] = {0xf1, 0xff, 0xff, 0xff, 0x55, 0x99, 0xe1, 0x01};
  uint8_t block[COMPRESS_BLOCK], out[COMPRESS_MOST_BYTES];
  memset(block, 0xa5, sizeof block);
  for (uint32_t i = 0; i < 8; i++) memcpy(block + 64 + 4 * i, &i, 4);
  assert_int_equal(compress_find("dpc")->encode(block, 4, out), 1 + 32 + 29 + 3 * 8);
  assert_memory_equal(out, expected, sizeof expected);
}

/* ---- a slow dual pattern encoder, a bit at a time ---- */

struct slow {
  uint8_t bit[2000];
  uint32_t n;
};
static void put(struct slow *s, unsigned bit) { s->bit[s->n++] = (uint8_t)bit; }

static void slow_dpc(const uint8_t *block, uint8_t chunks, struct slow *out) {
  uint8_t segment[32][32]; /* of segment i, its bits */
  unsigned n = 0, sum[32] = {0};
  struct slow es = {.n = 0}, ed = {.n = 0};
  for (unsigned byte = 0; byte < COMPRESS_BLOCK; byte += 4) {
    if (!(chunks >> byte / COMPRESS_CHUNK & 1)) continue;
    for (unsigned b = 0; b < 32; b++) sum[b] += segment[n][b] = block[byte + b / 8] >> b % 8 & 1;
    n++;
  }
  for (unsigned b = 0; b < 32; b++) {
    bool same = sum[b] == 0 || sum[b] == n;
    put(&es, same);
    for (unsigned i = 0; i < (same ? 1 : n); i++) put(&ed, segment[i][b]);
  }
  out->n = 0;
  bool worth = es.n + ed.n < 32 * n;
  put(out, worth);
  for (unsigned i = 0; worth && i < es.n; i++) put(out, es.bit[i]);
  for (unsigned i = 0; worth && i < ed.n; i++) put(out, ed.bit[i]);
  for (unsigned i = 0; !worth && i < 32 * n; i++) put(out, segment[i / 32][i % 32]);
}

static void test_dual_pattern_is_as_the_slow_encoder_says(void **state) {
  (void)state;
  struct rng r = {11};
  uint8_t block[COMPRESS_BLOCK], out[COMPRESS_MOST_BYTES];
  struct slow s;
  for (unsigned i = 0; i < ROUNDS * BLOCK_KINDS; i++) {
    uint8_t chunks = (uint8_t)(1 + rng_below(&r, 15));
    block_make(&r, i % BLOCK_KINDS, block);
    slow_dpc(block, chunks, &s);
    assert_int_equal(compress_find("dpc")->encode(block, chunks, out), s.n);
    for (uint32_t k = 0; k < s.n; k++) assert_int_equal(out[k / 8] >> k % 8 & 1, s.bit[k]);
    for (uint32_t k = s.n; k % 8; k++) assert_int_equal(out[k / 8] >> k % 8 & 1, 0);
  }
}

static void test_transposing_moves_every_bit(void **state) {
  (void)state;
  struct rng r = {5};
  for (unsigned i = 0; i < 1000; i++) {
    uint32_t in[32], out[32], back[32];
    for (unsigned k = 0; k < 32; k++) in[k] = any32(&r);
    transpose_bits(in, out);
    for (unsigned k = 0; k < 32; k++)
      for (unsigned b = 0; b < 32; b++) assert_int_equal(out[b] >> k & 1, in[k] >> b & 1);
    transpose_bits(out, back);
    assert_memory_equal(back, in, sizeof in);
  }
}

/* ---- what is decoded is what was encoded ---- */

/* Decodes into a block of other bytes, from a buffer that ends where the encoding ends. */
static void round_trip(const struct compressor *c, const uint8_t *block, uint8_t chunks) {
  uint8_t out[COMPRESS_MOST_BYTES], back[COMPRESS_BLOCK];
  memset(out, 0xee, sizeof out);
  memset(back, 0x5a, sizeof back);
  uint32_t bits = c->encode(block, chunks, out);
  assert_int_equal(bits, c->bits(block, chunks));
  assert_true(bits <= c->longest - 8 * (COMPRESS_BLOCK - compress_plain_bytes(chunks)));
  uint8_t *exact = malloc(compress_bytes(bits));
  memcpy(exact, out, compress_bytes(bits));
  assert_true(c->decode(exact, bits, chunks, back));
  for (unsigned i = 0; i < COMPRESS_BLOCK; i++)
    assert_int_equal(back[i], chunks >> i / COMPRESS_CHUNK & 1 ? block[i] : 0x5a);
  assert_false(c->decode(exact, bits - 1, chunks, back));
  free(exact);
  assert_false(c->decode(out, bits + 1, chunks, back));
  assert_false(c->decode(out, bits, 0, back));
  assert_false(c->decode(out, bits, chunks | 1 << COMPRESS_CHUNKS, back));
}

static void test_every_compressor_gives_back_what_it_was_given(void **state) {
  (void)state;
  struct rng r = {7};
  uint8_t block[COMPRESS_BLOCK];
  for (size_t c = 0; compressors[c]; c++)
    for (unsigned i = 0; i < ROUNDS; i++)
      for (unsigned kind = 0; kind < BLOCK_KINDS; kind++) {
        block_make(&r, kind, block);
        round_trip(compressors[c], block, COMPRESS_ALL);
      }
}

static void test_every_bitmap_of_truncated_blocks_comes_back(void **state) {
  (void)state;
  struct rng r = {8};
  uint8_t block[COMPRESS_BLOCK];
  for (size_t c = 0; compressors[c]; c++)
    for (uint8_t chunks = 1; chunks <= COMPRESS_ALL; chunks++)
      for (unsigned i = 0; i < 20 * BLOCK_KINDS; i++) {
        block_make(&r, i % BLOCK_KINDS, block);
        round_trip(compressors[c], block, chunks);
      }
}

static void test_a_bit_at_every_place_comes_back(void **state) {
  (void)state;
  for (size_t c = 0; compressors[c]; c++)
    for (unsigned a = 0; a < 8 * COMPRESS_BLOCK; a++) {
      uint8_t block[COMPRESS_BLOCK] = {0};
      unsigned b = a * 37 % (8 * COMPRESS_BLOCK);
      block[a / 8] |= (uint8_t)(1 << a % 8);
      block[b / 8] |= (uint8_t)(1 << b % 8);
      round_trip(compressors[c], block, COMPRESS_ALL);
    }
}

static void test_chunks_that_are_not_sent_are_not_looked_at(void **state) {
  (void)state;
  struct rng r = {9};
  uint8_t a[COMPRESS_BLOCK], b[COMPRESS_BLOCK], out_a[COMPRESS_MOST_BYTES], out_b[COMPRESS_MOST_BYTES];
  for (size_t c = 0; compressors[c]; c++)
    for (unsigned i = 0; i < 200; i++) {
      uint8_t chunks = (uint8_t)(1 + rng_below(&r, 14));
      block_make(&r, i % BLOCK_KINDS, a);
      block_make(&r, 2, b);
      for (unsigned k = 0; k < COMPRESS_BLOCK; k++)
        if (chunks >> k / COMPRESS_CHUNK & 1) b[k] = a[k];
      uint32_t bits = compressors[c]->encode(a, chunks, out_a);
      assert_int_equal(compressors[c]->encode(b, chunks, out_b), bits);
      assert_memory_equal(out_a, out_b, compress_bytes(bits));
    }
}

/* ---- the choice of data filtering by manipulation ---- */

static void test_zero_filling_is_chosen_only_where_it_is_shorter(void **state) {
  (void)state;
  const struct compressor *dpc = compress_find("dpc");
  uint8_t block[COMPRESS_BLOCK], filled[COMPRESS_BLOCK];
  bool zeros;
  words(block, noise);
  compress_zero_fill(block, 1, filled);
  assert_memory_equal(filled, block, COMPRESS_CHUNK);
  for (unsigned i = COMPRESS_CHUNK; i < COMPRESS_BLOCK; i++) assert_int_equal(filled[i], 0);
  words(block, near_words); /* bits 0 to 4 differ: 220; with chunk 0 alone all bits of 0x12345600 and 0 to 2 do */
  assert_int_equal(compress_bits_manipulated(dpc, block, 1, &zeros), 220);
  assert_false(zeros);
  words(block, count); /* of chunk 0 remain 0 to 7: groups 0, 1, 2 */
  assert_int_equal(compress_bits_manipulated(dpc, block, 1, &zeros), 1 + 32 + 29 + 3 * 32);
  assert_true(zeros);
  words(block, constant);
  assert_int_equal(compress_bits_manipulated(dpc, block, COMPRESS_ALL, &zeros), 65);
  assert_false(zeros);
}

/* ---- what is no encoding ---- */

static void test_no_block_takes_more_than_the_longest_encoding(void **state) {
  (void)state;
  for (size_t c = 0; compressors[c]; c++) assert_int_equal(bits_of(compressors[c]->policy.name, noise), compressors[c]->longest);
}

static void test_bad_codes_are_refused(void **state) {
  (void)state;
  uint8_t in[COMPRESS_MOST_BYTES] = {0}, block[COMPRESS_BLOCK];
  for (unsigned code = 8; code < 15; code++) {
    in[0] = (uint8_t)code;
    for (uint32_t bits = 0; bits < 1100; bits++) assert_false(compress_find("bdi")->decode(in, bits, COMPRESS_ALL, block));
  }
  in[0] = 1 | 3 << 1 | 3 << 3; /* encoded, then 1111, which is no code */
  for (uint32_t bits = 0; bits < 1100; bits++) assert_false(compress_find("cpack")->decode(in, bits, COMPRESS_ALL, block));
  in[0] = 1 | 1 << 1; /* an entry of an empty dictionary */
  for (uint32_t bits = 0; bits < 1100; bits++) assert_false(compress_find("cpack")->decode(in, bits, COMPRESS_ALL, block));
  in[0] = 1, in[1] = 7 << 2; /* a zero, then a run of eight, of which seven fit into a chunk */
  assert_false(compress_find("fpc")->decode(in, 13, 1, block));
  in[1] = 6 << 2;
  assert_true(compress_find("fpc")->decode(in, 13, 1, block));
}

static void test_names_are_found(void **state) {
  (void)state;
  for (size_t i = 0; compressors[i]; i++) {
    assert_ptr_equal(compress_find(compressors[i]->policy.name), compressors[i]);
    assert_non_null(compressors[i]->policy.keys);
  }
  assert_null(compress_find("none"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sizes_of_dual_pattern),
      cmocka_unit_test(test_sizes_of_base_delta_immediate),
      cmocka_unit_test(test_sizes_of_frequent_patterns),
      cmocka_unit_test(test_sizes_of_cpack),
      cmocka_unit_test(test_the_dictionary_of_cpack_holds_the_last_sixteen),
      cmocka_unit_test(test_bits_of_dual_pattern_worked_out_by_hand),
      cmocka_unit_test(test_dual_pattern_is_as_the_slow_encoder_says),
      cmocka_unit_test(test_transposing_moves_every_bit),
      cmocka_unit_test(test_every_compressor_gives_back_what_it_was_given),
      cmocka_unit_test(test_every_bitmap_of_truncated_blocks_comes_back),
      cmocka_unit_test(test_a_bit_at_every_place_comes_back),
      cmocka_unit_test(test_chunks_that_are_not_sent_are_not_looked_at),
      cmocka_unit_test(test_zero_filling_is_chosen_only_where_it_is_shorter),
      cmocka_unit_test(test_no_block_takes_more_than_the_longest_encoding),
      cmocka_unit_test(test_bad_codes_are_refused),
      cmocka_unit_test(test_names_are_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
