/* Tag arrays, MSHRs, GF(2) maps and address maps. */
#include <stdlib.h>

#include "memtest.h"

#include "mem/mem_gf2.h"
#include "mem/mem_mshr.h"
#include "mem/mem_tags.h"

/* ---- tag arrays ---- */

static void test_evicts_the_least_recently_used_line(void **state) {
  (void)state;
  struct mem_tags t;
  mem_tags_init(&t, &(struct mem_tags_config){.sets = 1, .ways = 3});
  for (uint64_t i = 0; i < 3; i++) mem_tags_place(&t, mem_tags_victim(&t, 0), i * 128);
  mem_tags_touch(&t, mem_tags_find(&t, 0, 0));
  assert_int_equal(mem_tags_victim(&t, 0), mem_tags_find(&t, 0, 128));
  mem_tags_lock(&t, mem_tags_find(&t, 0, 128));
  assert_int_equal(mem_tags_victim(&t, 0), mem_tags_find(&t, 0, 256));
  mem_tags_lock(&t, mem_tags_find(&t, 0, 256));
  mem_tags_lock(&t, mem_tags_find(&t, 0, 0));
  assert_int_equal(mem_tags_victim(&t, 0), MEM_NO_FRAME);
  mem_tags_unlock(&t, mem_tags_find(&t, 0, 256));
  assert_int_equal(mem_tags_victim(&t, 0), mem_tags_find(&t, 0, 256));
  mem_tags_drop(&t, mem_tags_find(&t, 0, 0));
  assert_int_equal(mem_tags_find(&t, 0, 0), MEM_NO_FRAME);
  mem_tags_free(&t);
}

/* Against a list kept in order of use. */
static void test_lru_agrees_with_a_list_on_random_streams(void **state) {
  (void)state;
  enum { WAYS = 7 };
  struct mem_tags t;
  struct rng r = {3};
  uint64_t order[WAYS];
  unsigned n = 0;
  mem_tags_init(&t, &(struct mem_tags_config){.sets = 1, .ways = WAYS});
  for (unsigned i = 0; i < 20000; i++) {
    uint64_t line = rng_below(&r, 12) * 128;
    unsigned at = 0;
    while (at < n && order[at] != line) at++;
    int32_t f = mem_tags_find(&t, 0, line);
    assert_int_equal(f != MEM_NO_FRAME, at < n);
    if (f == MEM_NO_FRAME) {
      f = mem_tags_victim(&t, 0);
      if (n == WAYS) assert_int_equal(t.line[f], order[WAYS - 1]);
      mem_tags_place(&t, f, line);
      if (n < WAYS) n++;
      at = n - 1;
    } else {
      mem_tags_touch(&t, f);
    }
    memmove(order + 1, order, at * sizeof *order);
    order[0] = line;
  }
  mem_tags_free(&t);
}

static void test_nru_spares_lines_used_since_the_sweep(void **state) {
  (void)state;
  struct mem_tags t;
  mem_tags_init(&t, &(struct mem_tags_config){.sets = 1, .ways = 4, .replacement = &mem_nru});
  for (int32_t i = 0; i < 4; i++) mem_tags_place(&t, i, (uint64_t)i * 128);
  /* The fourth place made all recent, so a sweep left only way 3 marked. */
  assert_int_equal(mem_tags_victim(&t, 0), 0);
  mem_tags_touch(&t, 0);
  assert_int_equal(mem_tags_victim(&t, 0), 1);
  mem_tags_lock(&t, 1);
  assert_int_equal(mem_tags_victim(&t, 0), 2);
  mem_tags_free(&t);
}

static void test_every_index_function_uses_all_sets_equally(void **state) {
  (void)state;
  static const struct mem_index_function *const functions[] = {&mem_index_plain, &mem_index_xor, &mem_index_ipoly, &mem_index_fermi};
  static const uint32_t sets[] = {1, 32, 48, 64, 320, 256};
  for (size_t index = 0; index < sizeof functions / sizeof *functions; index++)
    for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
      struct mem_tags t;
      struct mem_tags_config c = {.sets = sets[s], .ways = 1, .index = functions[index]};
      struct err e = {0};
      if (!mem_tags_fits(&c, &e)) continue;
      mem_tags_init(&t, &c);
      uint32_t *n = calloc(c.sets, sizeof *n), lines = c.sets * 64;
      for (uint64_t i = 0; i < lines; i++) n[mem_tags_set(&t, i * 128 + 5)]++;
      for (uint32_t i = 0; i < c.sets; i++) assert_int_equal(n[i], 64);
      free(n);
      mem_tags_free(&t);
    }
}

static void test_fermi_index_is_the_published_one(void **state) {
  (void)state;
  struct mem_tags t;
  mem_tags_init(&t, &(struct mem_tags_config){.sets = 32, .ways = 4, .index = &mem_index_fermi});
  assert_int_equal(mem_tags_set(&t, 1 << 7), 1);
  assert_int_equal(mem_tags_set(&t, 1 << 12), 0);
  assert_int_equal(mem_tags_set(&t, 1 << 13), 1);
  assert_int_equal(mem_tags_set(&t, 1 << 15), 4);
  assert_int_equal(mem_tags_set(&t, 1 << 16), 0);
  assert_int_equal(mem_tags_set(&t, 1 << 17), 8);
  assert_int_equal(mem_tags_set(&t, 1 << 19), 16);
  assert_int_equal(mem_tags_set(&t, 1 << 13 | 1 << 7), 0);
  mem_tags_free(&t);
  mem_tags_init(&t, &(struct mem_tags_config){.sets = 64, .ways = 6, .index = &mem_index_fermi});
  assert_int_equal(mem_tags_set(&t, 1 << 12), 32);
  mem_tags_free(&t);
}

static void test_refuses_sizes_that_do_not_fit_the_index(void **state) {
  (void)state;
  struct err e = {0};
  assert_false(mem_tags_fits(&(struct mem_tags_config){.sets = 48, .ways = 4, .index = &mem_index_fermi}, &e));
  assert_non_null(strstr(e.text, "48"));
}

/* ---- MSHRs ---- */

static void test_mshr_keeps_waiting_packets_in_order_until_the_limit(void **state) {
  (void)state;
  struct mem_mshr m;
  struct mem_packet k[3] = {0};
  mem_mshr_init(&m, 2, 3);
  int32_t a = mem_mshr_new(&m, 0x1000), b = mem_mshr_new(&m, 0x2000);
  assert_true(mem_mshr_full(&m));
  assert_int_equal(mem_mshr_find(&m, 0x1000), a);
  assert_int_equal(mem_mshr_find(&m, 0x2000), b);
  assert_int_equal(mem_mshr_find(&m, 0x3000), MEM_NO_MSHR);
  for (unsigned i = 0; i < 3; i++) {
    assert_true(mem_mshr_mergeable(&m, a));
    mem_mshr_wait(&m, a, &k[i]);
  }
  assert_false(mem_mshr_mergeable(&m, a));
  struct mem_packet *w = mem_mshr_take(&m, a);
  for (unsigned i = 0; i < 3; i++, w = w->next) assert_ptr_equal(w, &k[i]);
  assert_null(w);
  mem_mshr_end(&m, a);
  assert_int_equal(mem_mshr_find(&m, 0x1000), MEM_NO_MSHR);
  assert_int_equal(mem_mshr_find(&m, 0x2000), b);
  assert_false(mem_mshr_full(&m));
  mem_mshr_free(&m);
}

static void test_mshr_finds_exactly_what_is_in_it(void **state) {
  (void)state;
  enum { N = 37, LINES = 200 };
  struct mem_mshr m;
  struct rng r = {9};
  bool in[LINES] = {0};
  mem_mshr_init(&m, N, 1);
  for (unsigned i = 0; i < 50000; i++) {
    uint64_t line = rng_below(&r, LINES);
    int32_t at = mem_mshr_find(&m, line * 128);
    assert_int_equal(at != MEM_NO_MSHR, in[line]);
    if (at != MEM_NO_MSHR)
      mem_mshr_end(&m, at), in[line] = false;
    else if (!mem_mshr_full(&m))
      mem_mshr_new(&m, line * 128), in[line] = true;
  }
  mem_mshr_free(&m);
}

/* ---- GF(2) ---- */

static void test_polynomials_have_no_smaller_factor(void **state) {
  (void)state;
  for (unsigned d = 1; d <= 16; d++) {
    uint32_t p = mem_gf2_irreducible(d);
    assert_int_equal(31 - __builtin_clz(p), d);
    for (uint32_t q = 2; 31 - __builtin_clz(q) <= (int)d / 2; q++) {
      uint32_t rest = p;
      int dq = 31 - __builtin_clz(q);
      while (rest && 31 - __builtin_clz(rest) >= dq) rest ^= q << (31 - __builtin_clz(rest) - dq);
      assert_int_not_equal(rest, 0);
    }
  }
}

static void test_a_linear_map_and_its_inverse_cancel(void **state) {
  (void)state;
  struct rng r = {4};
  uint64_t column[64], inverse[64];
  do {
    for (unsigned i = 0; i < 64; i++) column[i] = rng_next(&r);
  } while (!mem_gf2_invert(column, inverse));
  struct mem_gf2 f, b;
  mem_gf2_init(&f, column);
  mem_gf2_init(&b, inverse);
  for (unsigned i = 0; i < 1000; i++) {
    uint64_t v = rng_next(&r);
    assert_int_equal(mem_gf2_apply(&b, mem_gf2_apply(&f, v)), v);
  }
  column[5] = column[6] ^ column[9];
  assert_false(mem_gf2_invert(column, inverse));
}

/* ---- address maps ---- */

static struct mem_map *map_of(const char *kind, unsigned channels, unsigned slices, const char *bank_hash) {
  char a[32], b[48], c[32], d[48];
  snprintf(a, sizeof a, "dram.map=%s", kind);
  snprintf(b, sizeof b, "dram.channels=%u", channels);
  snprintf(c, sizeof c, "l2.slices_per_channel=%u", slices);
  snprintf(d, sizeof d, "dram.bank_hash=%s", bank_hash);
  struct cfg *cfg = memtest_cfg(SETTINGS(a, b, c, d));
  struct err e = {0};
  struct mem_map *m = mem_map_new(cfg, &e);
  if (!m) fail_msg("%s", e.text);
  cfg_delete(cfg);
  return m;
}

static void check_round_trip(const struct mem_map *m, uint64_t address) {
  struct mem_place p = mem_map(m, address);
  assert_int_equal(mem_map_back(m, &p), address);
  assert_true(p.channel < mem_map_channels(m));
  assert_true(p.bank < mem_map_banks(m));
  assert_int_equal(p.slice, mem_map_slice(m, address));
  unsigned each = mem_map_slices(m) / mem_map_channels(m);
  assert_int_equal(p.slice / each, p.channel);
  assert_int_equal(p.slice % each, p.bank % each); /* a bank belongs to one slice */
}

static const char *const kinds[] = {"modulo", "hynix", "pae", "ipoly"};
static const unsigned counts[] = {1, 6, 8, 12, 24, 40, 47, 94, 96};

static void test_every_map_is_a_bijection_for_any_channel_count(void **state) {
  (void)state;
  struct rng r = {1};
  for (size_t k = 0; k < 4; k++)
    for (size_t n = 0; n < sizeof counts / sizeof *counts; n++) {
      struct mem_map *m = map_of(kinds[k], counts[n], 2, n % 2 ? "xor" : "none");
      for (uint64_t a = 0; a < 1 << 16; a += 32) check_round_trip(m, a);
      for (unsigned i = 0; i < 2000; i++) check_round_trip(m, rng_next(&r) >> 16);
      mem_map_delete(m);
    }
}

/* Sixty-four blocks a slice on average; a full period of the plain maps is exact, the hashed ones come near.
 */
static void test_every_map_spreads_a_range_over_all_slices(void **state) {
  (void)state;
  for (size_t k = 0; k < 4; k++)
    for (size_t n = 0; n < sizeof counts / sizeof *counts; n++) {
      struct mem_map *m = map_of(kinds[k], counts[n], 2, "none");
      unsigned slices = mem_map_slices(m), *hits = calloc(slices, sizeof *hits);
      for (uint64_t i = 0; i < 256ull * slices; i++) hits[mem_map_slice(m, i * 256)]++;
      for (unsigned i = 0; i < slices; i++) assert_in_range(hits[i], k < 2 ? 256 : 180, k < 2 ? 256 : 340);
      free(hits);
      mem_map_delete(m);
    }
}

/* A stride of 2^k blocks camps on few channels under modulo with 8 channels, and on none under ipoly. */
static void test_ipoly_spreads_power_of_two_strides(void **state) {
  (void)state;
  struct mem_map *plain = map_of("modulo", 8, 1, "none"), *poly = map_of("ipoly", 8, 1, "none");
  for (unsigned shift = 8; shift < 24; shift++) {
    unsigned a[8] = {0}, b[8] = {0};
    for (uint64_t i = 0; i < 256; i++)
      a[mem_map(plain, i << shift).channel]++, b[mem_map(poly, i << shift).channel]++;
    if (shift >= 11) assert_int_equal(a[0], 256);
    for (unsigned c = 0; c < 8; c++) assert_int_equal(b[c], 32);
  }
  mem_map_delete(plain);
  mem_map_delete(poly);
}

/* Every aligned run of one block a slice touches each slice once, whichever matrix was drawn. */
static void test_pae_spreads_consecutive_blocks_over_all_slices(void **state) {
  (void)state;
  for (unsigned seed = 1; seed <= 40; seed++) {
    char text[32];
    struct err e = {0};
    snprintf(text, sizeof text, "dram.map_seed=%u", seed);
    struct cfg *cfg = memtest_cfg(SETTINGS("dram.map=pae", "dram.channels=8", "l2.slices_per_channel=8", "dram.row_bytes=8K", text));
    struct mem_map *m = mem_map_new(cfg, &e);
    if (!m) fail_msg("%s", e.text);
    for (uint64_t run = 0; run < 200; run++) {
      uint64_t seen = 0, first = run * 7919 * 64 * 256;
      for (uint64_t i = 0; i < 64; i++) seen |= 1ull << mem_map_slice(m, first + i * 256);
      assert_true(seen == UINT64_MAX);
    }
    mem_map_delete(m);
    cfg_delete(cfg);
  }
}

/* Rows of 8 KB over 64 slices of 256 bytes: bits 14 to 18 are columns. Addresses that differ only there share a slice, unless the map draws
 * on them; the map stays a bijection then. */
static void test_pae_spreads_columns_only_if_told(void **state) {
  (void)state;
  unsigned slices_seen = 0;
  for (unsigned seed = 1; seed <= 40; seed++)
    for (unsigned columns = 0; columns < 2; columns++) {
      char text[32];
      struct err e = {0};
      snprintf(text, sizeof text, "dram.map_seed=%u", seed);
      struct cfg *cfg = memtest_cfg(SETTINGS("dram.map=pae", "dram.channels=8", "l2.slices_per_channel=8", "dram.row_bytes=8K", text,
                                             columns ? "dram.map_columns=true" : "dram.map_columns=false"));
      struct mem_map *m = mem_map_new(cfg, &e);
      if (!m) fail_msg("%s", e.text);
      for (uint64_t base = 0; base < 1ull << 32; base += 0x12345680) {
        uint64_t seen = 0, first = base & ~0x7c000ull;
        for (uint64_t i = 0; i < 32; i++) {
          check_round_trip(m, first + i * 0x4000);
          seen |= 1ull << mem_map_slice(m, first + i * 0x4000);
        }
        unsigned n = (unsigned)__builtin_popcountll(seen);
        if (columns)
          slices_seen += n;
        else
          assert_int_equal(n, 1);
      }
      mem_map_delete(m);
      cfg_delete(cfg);
    }
  assert_true(slices_seen / 40 / 15 >= 16); /* of 32; 15 bases */
}

/* Two rows that differ in one bit fall on the same bank under modulo; PAE moves them. */
static void test_pae_moves_rows_over_banks_and_keeps_rows_and_columns(void **state) {
  (void)state;
  struct mem_map *m = map_of("pae", 8, 2, "none"), *plain = map_of("modulo", 8, 2, "none");
  struct rng r = {5};
  unsigned moved = 0;
  for (unsigned i = 0; i < 1000; i++) {
    uint64_t a = rng_next(&r) >> 30;
    struct mem_place p = mem_map(m, a), q = mem_map(plain, a);
    assert_int_equal(p.row, q.row);
    assert_int_equal(p.column, q.column);
    moved += p.bank != q.bank || p.channel != q.channel;
  }
  assert_true(moved > 900);
  mem_map_delete(m);
  mem_map_delete(plain);
}

/* The GTX 480 map by hand: block of 256 bytes = address >> 8; channel = block % 6; the rest is (block / 6) <<
 * 8 + low byte; bit 8 of the rest is the lowest bank bit and the slice, bits 13 to 15 the other bank bits,
 * bits 9 to 12 and 0 to 7 the column, bits from 16 the row. */
static void test_hynix_map_is_the_one_of_the_gtx480(void **state) {
  (void)state;
  struct mem_map *m = map_of("hynix", 6, 2, "none");
  struct mem_place p = mem_map(m, 0x100 * 7 + 0x84); /* block 7: channel 1, rest 0x184 */
  assert_int_equal(p.channel, 1);
  assert_int_equal(p.bank, 1);
  assert_int_equal(p.slice, 3);
  assert_int_equal(p.column, 0x84);
  assert_int_equal(p.row, 0);
  /* rest 0x5e300: bits 8, 9, 13, 14, 15, 16, 18: block 6 * 0x5e3 + 4 */
  p = mem_map(m, (6 * 0x5e3 + 4) * 0x100ull);
  assert_int_equal(p.channel, 4);
  assert_int_equal(p.bank, 15);
  assert_int_equal(p.slice, 9);
  assert_int_equal(p.column, 0x100);
  assert_int_equal(p.row, 5);
  mem_map_delete(m);
}

/* A layout whose slice bit is bit 8, under an interleave of 1,024: of each block the first and third 256 bytes are in one slice of its
 * channel, the second and fourth in the other, whatever the hash, and blocks spread over the channels. */
static void test_bits_within_an_interleave_choose_the_slice(void **state) {
  (void)state;
  for (size_t k = 0; k < 4; k++) {
    if (k == 1) continue; /* it has a layout of its own */
    char map[32];
    snprintf(map, sizeof map, "dram.map=%s", kinds[k]);
    struct cfg *cfg = memtest_cfg(SETTINGS(map, "dram.channels=48", "dram.banks=64", "dram.interleave=1024",
                                           "dram.layout=RBBBBBCCBCCCSSSSS"));
    struct err e = {0};
    struct mem_map *m = mem_map_new(cfg, &e);
    if (!m) fail_msg("%s", e.text);
    cfg_delete(cfg);
    unsigned hits[48] = {0};
    for (uint64_t block = 0; block < 4800; block++) {
      unsigned slice[4];
      for (unsigned i = 0; i < 4; i++) slice[i] = mem_map_slice(m, block * 1024 + i * 256);
      assert_int_equal(slice[0], slice[2]);
      assert_int_equal(slice[1], slice[3]);
      assert_int_equal(slice[0] ^ 1, slice[1]);
      hits[slice[0] / 2]++;
      check_round_trip(m, block * 1024 + block % 1024);
    }
    for (unsigned i = 0; i < 48; i++) assert_in_range(hits[i], 90, 110);
    mem_map_delete(m);
  }
}

/* All lines of one slice: their local addresses are dense, so every set of the slice is used. */
static void test_local_addresses_of_a_slice_are_dense(void **state) {
  (void)state;
  for (size_t k = 0; k < 2; k++) {
    struct mem_map *m = map_of(kinds[k], 6, 2, "none");
    enum { LINES = 12 * 512 };
    bool seen[512] = {0};
    for (uint64_t i = 0; i < LINES; i++) {
      if (mem_map_slice(m, i * 128) != 5) continue;
      uint64_t local = mem_map_local(m, i * 128) / 128;
      assert_true(local < 512);
      assert_false(seen[local]);
      seen[local] = true;
    }
    for (unsigned i = 0; i < 512; i++) assert_true(seen[i]);
    mem_map_delete(m);
  }
}

static void refuses(const char *setting, const char *word) {
  struct cfg *cfg = memtest_cfg(SETTINGS(setting));
  struct err e = {0};
  assert_null(mem_map_new(cfg, &e));
  if (!strstr(e.text, word)) fail_msg("no \"%s\" in: %s", word, e.text);
  cfg_delete(cfg);
}

static void test_maps_that_do_not_fit_are_refused_by_name(void **state) {
  (void)state;
  refuses("dram.layout=RRRR.BBXB", "dram.layout");
  refuses("dram.layout=RRRR0BBB.CCCCCCCC", "dram.layout");
  refuses("dram.layout=RRRRRBBB.CCCCCCCC", "dram.banks");
  refuses("l2.slices_per_channel=3", "l2.slices_per_channel");
  refuses("dram.banks=12", "dram.banks");
  refuses("dram.interleave=300", "dram.interleave");
}

/* ---- pools ---- */

static int by_address(const void *a, const void *b) {
  const struct mem_packet *const *x = a, *const *y = b;
  return (*x > *y) - (*x < *y);
}

static void test_packets_given_back_to_another_branch_are_used_again(void **state) {
  enum { TURNS = 20000, FEW = 4096 };
  (void)state;
  struct mem_pool *pool = mem_pool_new(), *from = mem_pool_branch(pool), *to = mem_pool_branch(pool);
  struct mem_packet **seen = malloc(TURNS * sizeof *seen);
  for (unsigned i = 0; i < TURNS; i++) {
    seen[i] = mem_packet_new(from);
    assert_int_equal(mem_pool_out(pool), 1);
    mem_packet_free(to, seen[i]);
  }
  assert_int_equal(mem_pool_out(pool), 0);
  qsort(seen, TURNS, sizeof *seen, by_address);
  unsigned different = 1;
  for (unsigned i = 1; i < TURNS; i++) different += seen[i] != seen[i - 1];
  assert_true(different < FEW);
  free(seen);
  mem_pool_delete(pool);
}

static void test_a_packet_is_out_once_whichever_branch_gave_it(void **state) {
  enum { N = 3000 };
  (void)state;
  struct mem_pool *pool = mem_pool_new(), *way[] = {pool, mem_pool_branch(pool), mem_pool_branch(pool)};
  struct mem_packet *out[N];
  for (unsigned i = 0; i < N; i++) out[i] = mem_packet_new(way[i % 3]);
  assert_int_equal(mem_pool_out(pool), N);
  qsort(out, N, sizeof *out, by_address);
  for (unsigned i = 1; i < N; i++) assert_ptr_not_equal(out[i], out[i - 1]);
  for (unsigned i = 0; i < N; i++) mem_packet_free(way[i / 2 % 3], out[i]);
  assert_int_equal(mem_pool_out(pool), 0);
  mem_pool_delete(pool);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_packets_given_back_to_another_branch_are_used_again),
      cmocka_unit_test(test_a_packet_is_out_once_whichever_branch_gave_it),
      cmocka_unit_test(test_evicts_the_least_recently_used_line),
      cmocka_unit_test(test_lru_agrees_with_a_list_on_random_streams),
      cmocka_unit_test(test_nru_spares_lines_used_since_the_sweep),
      cmocka_unit_test(test_every_index_function_uses_all_sets_equally),
      cmocka_unit_test(test_fermi_index_is_the_published_one),
      cmocka_unit_test(test_refuses_sizes_that_do_not_fit_the_index),
      cmocka_unit_test(test_mshr_keeps_waiting_packets_in_order_until_the_limit),
      cmocka_unit_test(test_mshr_finds_exactly_what_is_in_it),
      cmocka_unit_test(test_polynomials_have_no_smaller_factor),
      cmocka_unit_test(test_a_linear_map_and_its_inverse_cancel),
      cmocka_unit_test(test_every_map_is_a_bijection_for_any_channel_count),
      cmocka_unit_test(test_every_map_spreads_a_range_over_all_slices),
      cmocka_unit_test(test_ipoly_spreads_power_of_two_strides),
      cmocka_unit_test(test_pae_spreads_consecutive_blocks_over_all_slices),
      cmocka_unit_test(test_pae_spreads_columns_only_if_told),
      cmocka_unit_test(test_pae_moves_rows_over_banks_and_keeps_rows_and_columns),
      cmocka_unit_test(test_hynix_map_is_the_one_of_the_gtx480),
      cmocka_unit_test(test_bits_within_an_interleave_choose_the_slice),
      cmocka_unit_test(test_local_addresses_of_a_slice_are_dense),
      cmocka_unit_test(test_maps_that_do_not_fit_are_refused_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
