/* The tag-split cache, rule by rule: sections 3.1 to 3.5 of its paper, on hand-made sequences. Most tests have one set,
 * groups of four chunks and a private tag of two bits: lines 0 to 3 share a tag, lines 4 to 7 another, and so on. */
#include "tsc_kit.h"

#include "l1/duel.h"

static void one_set(struct kit *k, unsigned groups, uint64_t seed) {
  char g[32];
  snprintf(g, sizeof g, "l1.tsc.groups=%u", groups);
  kit_open(k, "tsc", seed, (const char *const[]){"l1.sets=1", "l1.tsc.private_tag=2", g, NULL});
}

/* ---- 3.1 and 3.2: structure, access ---- */

static void test_a_load_asks_for_whole_chunks_of_its_bytes(void **s) {
  (void)s;
  static const char *const size[] = {"l1.tsc.chunk=8", "l1.tsc.chunk=16", "l1.tsc.chunk=32", "l1.tsc.chunk=64"};
  for (unsigned i = 0; i < 4; i++) {
    struct kit k;
    kit_open(&k, "tsc", 1, (const char *const[]){size[i], NULL});
    struct mem_bytes four = {{0, UINT64_C(0xf) << 4}}; /* bytes 68 to 71 */
    struct mem_bytes m = k.ops->probe(k.org, 0, four);
    k.chunk = 8u << i;
    assert_int_equal(kit_mask(&k, m), 1u << 68 / k.chunk);
    assert_int_equal(__builtin_popcountll(m.b[0]) + __builtin_popcountll(m.b[1]), k.chunk);
    kit_close(&k);
  }
}

static void test_hits_misses_and_partial_misses(void **s) {
  (void)s;
  struct kit k;
  one_set(&k, 4, 1);
  assert_int_equal(kit_probe(&k, 1, 0x3), 0x3);
  assert_true(kit_reserve(&k, 1, 0x3));
  assert_int_equal(kit_probe(&k, 1, 0x3), 0x3); /* pending is not here */
  kit_fill(&k, 1, 0x1);
  assert_int_equal(kit_probe(&k, 1, 0x3), 0x2);
  kit_fill(&k, 1, 0x2);
  assert_int_equal(kit_probe(&k, 1, 0x3), 0);
  assert_int_equal(kit_probe(&k, 1, 0x6), 0x4); /* partial */
  assert_int_equal(kit_probe(&k, 2, 0x3), 0x3); /* another private tag */
  assert_int_equal(kit_probe(&k, 5, 0x3), 0x3); /* another shared tag */
  kit_close(&k);
}

static void test_chunks_of_several_lines_share_a_group_even_with_the_same_offset(void **s) {
  (void)s;
  struct kit k;
  one_set(&k, 1, 1);
  for (uint64_t n = 0; n < 4; n++) kit_load(&k, n, 0x1);
  for (uint64_t n = 0; n < 4; n++) assert_int_equal(kit_probe(&k, n, 0x1), 0);
  kit_close(&k);
}

static void test_a_line_spreads_over_groups(void **s) {
  (void)s;
  struct kit k;
  one_set(&k, 2, 1);
  for (uint64_t n = 0; n < 3; n++) kit_load(&k, n, 0x1);
  assert_int_equal(kit_load(&k, 3, 0xf), 0xf);
  assert_int_equal(kit_probe(&k, 3, 0xf), 0);
  for (uint64_t n = 0; n < 3; n++) assert_int_equal(kit_probe(&k, n, 0x1), 0);
  kit_close(&k);
}

/* ---- 3.3: allocation and replacement ---- */

static void test_invalid_chunks_under_another_shared_tag_are_not_used_while_a_group_is_empty(void **s) {
  (void)s;
  struct kit k;
  one_set(&k, 2, 1);
  kit_load(&k, 0, 0x1);
  kit_load(&k, 4, 0x1);
  assert_int_equal(kit_probe(&k, 0, 0x1), 0);
  assert_int_equal(kit_stat(&k, "l1d.retags"), 0);
  kit_close(&k);
}

static void test_a_matching_group_is_used_before_an_empty_one(void **s) {
  (void)s;
  struct kit k;
  one_set(&k, 2, 1);
  kit_load(&k, 0, 0x1);
  kit_load(&k, 1, 0x1);
  kit_load(&k, 4, 0xf); /* the second group is still empty */
  assert_int_equal(kit_probe(&k, 0, 0x1) | kit_probe(&k, 1, 0x1) | kit_probe(&k, 4, 0xf), 0);
  kit_close(&k);
}

static void test_a_new_shared_tag_loses_what_is_valid_in_the_group_and_nothing_else(void **s) {
  (void)s;
  struct kit k;
  one_set(&k, 2, 1);
  kit_load(&k, 0, 0x3);  /* group 0 */
  kit_load(&k, 4, 0xf);  /* group 1, full */
  kit_probe(&k, 4, 0xf); /* group 1 was used, but group 0 too: 6 of 8 bits are set, its two invalid chunks are not */
  kit_load(&k, 8, 0x1);  /* no chunk may be used as it is */
  bool lost0 = kit_probe(&k, 0, 0x3) == 0x3, lost4 = kit_probe(&k, 4, 0xf) == 0xf;
  assert_int_equal(lost0 + lost4, 1);
  assert_int_equal(kit_probe(&k, lost0 ? 4 : 0, lost0 ? 0xf : 0x3), 0);
  assert_int_equal(kit_stat(&k, "l1d.retags"), 1);
  assert_int_equal(kit_load(&k, 9, 0x7), 0x7); /* the rest of the group is free under the new tag */
  assert_int_equal(kit_stat(&k, "l1d.retags"), 1);
  kit_close(&k);
}

static void test_victims_are_drawn_among_chunks_not_recently_used(void **s) {
  (void)s;
  unsigned times[4] = {0};
  for (uint64_t seed = 1; seed <= 64; seed++) {
    struct kit k;
    one_set(&k, 1, seed);
    kit_load(&k, 0, 0x1);
    kit_load(&k, 1, 0x1);
    kit_load(&k, 2, 0x1);
    kit_load(&k, 3, 0x1);                       /* the fourth bit: all are reset */
    assert_int_equal(kit_probe(&k, 1, 0x1), 0); /* 1 alone is recent */
    kit_load(&k, 0, 0x2);
    assert_int_equal(kit_probe(&k, 1, 0x1), 0);
    unsigned lost = 0;
    for (unsigned n = 0; n < 4; n++)
      if (kit_probe(&k, n, 0x1)) times[n]++, lost++;
    assert_int_equal(lost, 1);
    kit_close(&k);
  }
  assert_int_equal(times[1], 0);
  assert_true(times[0] > 8 && times[2] > 8 && times[3] > 8);
}

static void test_several_chunks_are_replaced_in_one_round(void **s) {
  (void)s;
  for (uint64_t seed = 1; seed <= 32; seed++) {
    struct kit k;
    one_set(&k, 1, seed);
    for (uint64_t n = 0; n < 4; n++) kit_load(&k, n, 0x1);
    kit_probe(&k, 1, 0x1);
    kit_probe(&k, 2, 0x1); /* recent: 1 and 2 */
    assert_int_equal(kit_load(&k, 0, 0x0e), 0x0e); /* three chunks: 0 and 3 go, and one of 1 and 2 */
    assert_int_equal(kit_probe(&k, 0, 0x0e), 0);
    assert_int_equal(kit_probe(&k, 0, 0x1), 0x1);
    assert_int_equal(kit_probe(&k, 3, 0x1), 0x1);
    assert_int_equal((kit_probe(&k, 1, 0x1) != 0) + (kit_probe(&k, 2, 0x1) != 0), 1);
    kit_close(&k);
  }
}

static void test_bits_are_reset_when_all_of_the_set_are_one(void **s) {
  (void)s;
  unsigned lost3 = 0;
  for (uint64_t seed = 1; seed <= 64; seed++) {
    struct kit k;
    one_set(&k, 1, seed);
    for (uint64_t n = 0; n < 4; n++) kit_load(&k, n, 0x1);
    kit_load(&k, 0, 0x2); /* even the chunk loaded last may go: its bit was reset with the others */
    lost3 += kit_probe(&k, 3, 0x1) != 0;
    kit_close(&k);
  }
  assert_true(lost3 > 4);
}

static void test_reserved_chunks_are_not_victims(void **s) {
  (void)s;
  struct kit k;
  one_set(&k, 1, 1);
  assert_true(kit_reserve(&k, 0, 0x7));
  kit_load(&k, 1, 0x1);
  assert_false(kit_reserve(&k, 2, 0x3)); /* one victim only */
  assert_int_equal(kit_probe(&k, 1, 0x1), 0);
  assert_true(kit_reserve(&k, 2, 0x1));
  kit_fill(&k, 0, 0x7);
  kit_fill(&k, 2, 0x1);
  assert_int_equal(kit_probe(&k, 0, 0x7), 0);
  assert_true(kit_reserve(&k, 2, 0xe));
  kit_close(&k);
}

static void test_a_group_with_a_reserved_chunk_keeps_its_shared_tag(void **s) {
  (void)s;
  struct kit k;
  one_set(&k, 1, 1);
  assert_true(kit_reserve(&k, 0, 0x1));
  assert_false(kit_reserve(&k, 4, 0x1));
  assert_true(kit_reserve(&k, 1, 0x1));
  kit_fill(&k, 0, 0x1);
  assert_false(kit_reserve(&k, 4, 0x1));
  kit_fill(&k, 1, 0x1);
  assert_true(kit_reserve(&k, 4, 0xf)); /* two valid and two invalid chunks under another tag are enough for four */
  kit_close(&k);
}

static void test_a_store_loses_the_chunks_it_touches(void **s) {
  (void)s;
  struct kit k;
  one_set(&k, 2, 1);
  kit_load(&k, 0, 0x7);
  kit_wrote(&k, 0, 0x2);
  assert_int_equal(kit_probe(&k, 0, 0x7), 0x2);
  assert_true(kit_reserve(&k, 0, 0x2));
  kit_wrote(&k, 0, 0x2);
  kit_fill(&k, 0, 0x2);
  assert_int_equal(kit_probe(&k, 0, 0x7), 0);
  k.ops->wrote(k.org, 0, kit_bytes(&k, 0x7), true); /* local data */
  assert_int_equal(kit_probe(&k, 0, 0x7), 0);
  kit_close(&k);
}

static void test_a_flush_forgets_what_is_here_and_not_what_is_on_its_way(void **s) {
  (void)s;
  struct kit k;
  one_set(&k, 2, 1);
  kit_load(&k, 0, 0x1);
  assert_true(kit_reserve(&k, 1, 0x2));
  assert_int_equal(k.ops->stored(k.org), 32);
  k.ops->flush(k.org);
  assert_int_equal(k.ops->stored(k.org), 0);
  kit_fill(&k, 1, 0x2);
  assert_int_equal(kit_probe(&k, 1, 0x2), 0);
  kit_close(&k);
}

static void test_a_full_private_tag_shares_nothing(void **s) {
  (void)s;
  struct kit k;
  kit_open(&k, "tsc", 1, (const char *const[]){"l1.tsc.private_tag=20", "l1.tsc.groups=1", "l1.index=plain", NULL});
  for (uint64_t n = 0; n < 4; n++) kit_load(&k, n << 20, 0x1); /* set 0, far apart */
  for (uint64_t n = 0; n < 4; n++) assert_int_equal(kit_probe(&k, n << 20, 0x1), 0);
  kit_close(&k);
}

/* Two lines of one shared tag need eight places: two groups of four chunks, or one of eight. */
static void test_a_group_may_have_more_chunks_than_a_line(void **s) {
  (void)s;
  static const char *const chunks[] = {"l1.tsc.chunks=4", "l1.tsc.chunks=8"};
  for (unsigned i = 0; i < 2; i++) {
    struct kit k;
    kit_open(&k, "tsc", 1, (const char *const[]){"l1.sets=1", "l1.tsc.private_tag=2", "l1.tsc.groups=1", chunks[i], NULL});
    kit_load(&k, 0, 0xf);
    kit_load(&k, 1, 0xf);
    assert_int_equal(kit_probe(&k, 0, 0xf), i ? 0 : 0xf);
    kit_close(&k);
  }
}

/* ---- 3.4: MSHRs ---- */

struct answered {
  unsigned n;
  uint32_t owner[8];
};
static void note(void *user, uint32_t owner) {
  struct answered *a = user;
  a->owner[a->n++] = owner;
}

static enum l1_result load(struct l1 *c, const struct kit *k, uint64_t n, unsigned mask, uint32_t owner) {
  struct l1_request r = {.line = n * MEM_LINE, .bytes = kit_bytes(k, mask), .kind = MEM_READ, .owner = owner};
  return l1_access(c, &r, 0);
}

static struct mem_packet *pop(struct l1 *c) {
  struct mem_packet *p = l1_next_request(c);
  if (p) l1_pop_request(c);
  return p;
}

static void reply(struct l1 *c, struct mem_packet *p, struct answered *a) {
  p->kind = MEM_READ_REPLY;
  l1_fill(c, p, note, a);
  mem_packet_free(c->pool, p);
}

static void test_only_chunks_not_yet_asked_for_are_requested(void **s) {
  (void)s;
  struct kit k = {.chunk = MEM_SECTOR};
  struct err e = {0};
  struct l1 c;
  struct answered a = {0};
  struct cfg *cfg = kit_cfg((const char *const[]){"l1.org=tsc", NULL});
  struct mem_pool *pool = mem_pool_new();
  assert_true(l1_init(&c, cfg, pool, 0, &e));
  assert_int_equal(load(&c, &k, 7, 0x3, 1), L1_MISS);
  assert_int_equal(load(&c, &k, 7, 0x6, 2), L1_MISS);    /* asks for the third chunk alone */
  assert_int_equal(load(&c, &k, 7, 0x7, 3), L1_PENDING); /* asks for nothing */
  struct mem_packet *first = pop(&c), *second = pop(&c);
  assert_null(pop(&c));
  assert_int_equal(first->sectors, 0x3);
  assert_int_equal(second->sectors, 0x4);
  assert_int_equal(kit_mask(&k, second->bytes), 0x4);
  reply(&c, second, &a);
  assert_int_equal(a.n, 0);
  reply(&c, first, &a);
  assert_int_equal(a.n, 3);
  assert_int_equal(load(&c, &k, 7, 0x7, 4), L1_HIT);
  assert_int_equal(load(&c, &k, 7, 0xf, 5), L1_MISS);
  assert_int_equal(c.stats[L1_S_PARTIAL], 1);
  assert_int_equal(c.stats[L1_S_PACKETS_OUT], 3);
  assert_int_equal(c.stats[L1_S_PACKETS_IN], 4);
  reply(&c, pop(&c), &a);
  l1_free(&c);
  assert_int_equal(mem_pool_out(pool), 0);
  mem_pool_delete(pool);
  cfg_delete(cfg);
}

/* ---- 3.5: modes ---- */

static void test_samplers_are_four_sets_each_and_seeded(void **s) {
  (void)s;
  struct l1_duel d, same;
  struct rng r = {5}, r2 = {5};
  unsigned n[3] = {0};
  l1_duel_init(&d, 32, 4, &r);
  l1_duel_init(&same, 32, 4, &r2);
  for (unsigned i = 0; i < 32; i++) n[d.role[i]]++;
  assert_int_equal(n[L1_FINE], 4);
  assert_int_equal(n[L1_COARSE], 4);
  assert_int_equal(n[L1_FOLLOWER], 24);
  assert_memory_equal(d.role, same.role, 32);
  l1_duel_free(&d);
  l1_duel_free(&same);
}

static uint32_t set_with(const struct l1_duel *d, enum l1_mode m) {
  uint32_t i = 0;
  while (d->role[i] != m) i++;
  return i;
}

static void test_the_smaller_product_of_misses_and_traffic_wins(void **s) {
  (void)s;
  struct l1_duel d;
  struct rng r = {1};
  l1_duel_init(&d, 8, 2, &r);
  uint32_t fine = set_with(&d, L1_FINE), coarse = set_with(&d, L1_COARSE), follower = set_with(&d, L1_FOLLOWER);
  assert_int_equal(l1_duel_mode(&d, follower), L1_FINE);
  for (int i = 0; i < 5; i++) l1_duel_miss(&d, fine, 2);   /* 5 x 10 */
  for (int i = 0; i < 3; i++) l1_duel_miss(&d, coarse, 5); /* 3 x 15 */
  l1_duel_miss(&d, follower, 100);                         /* is not counted */
  assert_int_equal(l1_duel_mode(&d, follower), L1_FINE);   /* not before it is published */
  assert_true(l1_duel_publish(&d));
  assert_false(l1_duel_publish(&d));
  assert_int_equal(l1_duel_mode(&d, follower), L1_COARSE);
  assert_int_equal(l1_duel_mode(&d, fine), L1_FINE);
  l1_duel_miss(&d, coarse, 5); /* 4 x 20 */
  assert_true(l1_duel_publish(&d));
  assert_int_equal(l1_duel_mode(&d, follower), L1_FINE);
  l1_duel_free(&d);
}

static void test_all_counters_are_halved_when_a_miss_counter_exceeds_1024(void **s) {
  (void)s;
  struct l1_duel d;
  struct rng r = {1};
  l1_duel_init(&d, 8, 2, &r);
  uint32_t fine = set_with(&d, L1_FINE), coarse = set_with(&d, L1_COARSE);
  for (int i = 0; i < 7; i++) l1_duel_miss(&d, coarse, 5);
  for (int i = 0; i < 1024; i++) l1_duel_miss(&d, fine, 2);
  assert_int_equal(d.misses[L1_FINE], 1024);
  l1_duel_miss(&d, fine, 2);
  assert_int_equal(d.misses[L1_FINE], 512);
  assert_int_equal(d.traffic[L1_FINE], 1025);
  assert_int_equal(d.misses[L1_COARSE], 3);
  assert_int_equal(d.traffic[L1_COARSE], 17);
  l1_duel_free(&d);
}

/* Every set has a line that is read chunk by chunk: coarse storage misses once a line, fine four times. */
static void test_followers_of_all_sms_do_what_the_first_has_published(void **s) {
  (void)s;
  struct kit first, other;
  kit_open(&first, "tsc+", 1, (const char *const[]){"l1.index=plain", NULL});
  kit_open(&other, "tsc+", 2, (const char *const[]){"l1.index=plain", NULL});
  other.ops->follow(other.org, first.org);
  assert_int_equal(kit_probe(&other, 5, 0x1), 0x1);
  for (uint64_t n = 0; n < 320; n++)
    for (unsigned i = 0; i < 4; i++) kit_load(&first, n, 1u << i);
  assert_int_equal(kit_probe(&other, 5, 0x1), 0x1);
  first.ops->publish(first.org);
  assert_int_equal(kit_stat(&first, "l1d.mode_switches"), 1);
  unsigned coarse = 0;
  for (uint64_t n = 0; n < 32; n++) {
    assert_int_equal(kit_probe(&other, 1000 * 32 + n, 0x1), 0xf); /* no sampler sets here */
    coarse += kit_probe(&first, 1000 * 32 + n, 0x1) == 0xf;
  }
  assert_int_equal(coarse, 28); /* all but the fine samplers */
  assert_int_equal(kit_load(&other, 64, 0x1), 0xf);
  kit_wrote(&other, 64, 0x1);
  assert_int_equal(kit_probe(&other, 64, 0x1), 0xf);
  kit_close(&other);
  kit_close(&first);
}

/* ---- keys, storage ---- */

static void refused(const char *org, const char *setting, const char *word) {
  struct cfg *cfg = kit_cfg((const char *const[]){setting, NULL});
  uint64_t stats[8] = {0};
  struct err e = {0};
  static const struct mem_observers nobody;
  static const uint8_t warp;
  void *o = kit_ops(org)->create(cfg, &(struct l1_place){.seed = 1, .stats = stats, .warp = &warp, .observers = &nobody}, &e);
  assert_null(o);
  if (!strstr(e.text, word)) fail_msg("'%s' does not name %s", e.text, word);
  cfg_delete(cfg);
}

static void test_bad_values_are_refused_by_name(void **s) {
  (void)s;
  refused("tsc", "l1.tsc.chunk=24", "l1.tsc.chunk");
  refused("tsc", "l1.tsc.private_tag=21", "l1.tsc.private_tag");
  refused("tsc+", "l1.tsc.samplers=17", "l1.tsc.samplers");
}

static uint64_t bits(const char *org, const char *setting) {
  struct kit k;
  struct l1_traits t = {0};
  kit_open(&k, org, 1, (const char *const[]){setting, NULL});
  k.ops->traits(k.org, &t);
  kit_close(&k);
  return t.storage_bits;
}

static void assert_kilobytes(uint64_t n, const char *published) {
  char text[16];
  snprintf(text, sizeof text, "%.3f", (double)n / 8192);
  double diff = atof(text) - atof(published);
  if (diff > 0.0051 || diff < -0.0051) fail_msg("%s KB, published %s", text, published);
}

static void test_storage_is_that_of_table_3(void **s) {
  (void)s;
  assert_int_equal(bits("base", NULL), 0);
  assert_kilobytes(bits("tsc", NULL), "0.58");
  assert_kilobytes(bits("tsc+", NULL), "0.58");
  assert_kilobytes(bits("tsc", "l1.tsc.private_tag=5"), "0.44");
  assert_kilobytes(bits("lamar", NULL), "0.063");
  assert_kilobytes(bits("dsc2", NULL), "0.45");
  assert_kilobytes(bits("dsc4", NULL), "1.33");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_load_asks_for_whole_chunks_of_its_bytes),
      cmocka_unit_test(test_hits_misses_and_partial_misses),
      cmocka_unit_test(test_chunks_of_several_lines_share_a_group_even_with_the_same_offset),
      cmocka_unit_test(test_a_line_spreads_over_groups),
      cmocka_unit_test(test_invalid_chunks_under_another_shared_tag_are_not_used_while_a_group_is_empty),
      cmocka_unit_test(test_a_matching_group_is_used_before_an_empty_one),
      cmocka_unit_test(test_a_new_shared_tag_loses_what_is_valid_in_the_group_and_nothing_else),
      cmocka_unit_test(test_victims_are_drawn_among_chunks_not_recently_used),
      cmocka_unit_test(test_several_chunks_are_replaced_in_one_round),
      cmocka_unit_test(test_bits_are_reset_when_all_of_the_set_are_one),
      cmocka_unit_test(test_reserved_chunks_are_not_victims),
      cmocka_unit_test(test_a_group_with_a_reserved_chunk_keeps_its_shared_tag),
      cmocka_unit_test(test_a_store_loses_the_chunks_it_touches),
      cmocka_unit_test(test_a_flush_forgets_what_is_here_and_not_what_is_on_its_way),
      cmocka_unit_test(test_a_full_private_tag_shares_nothing),
      cmocka_unit_test(test_a_group_may_have_more_chunks_than_a_line),
      cmocka_unit_test(test_only_chunks_not_yet_asked_for_are_requested),
      cmocka_unit_test(test_samplers_are_four_sets_each_and_seeded),
      cmocka_unit_test(test_the_smaller_product_of_misses_and_traffic_wins),
      cmocka_unit_test(test_all_counters_are_halved_when_a_miss_counter_exceeds_1024),
      cmocka_unit_test(test_followers_of_all_sms_do_what_the_first_has_published),
      cmocka_unit_test(test_bad_values_are_refused_by_name),
      cmocka_unit_test(test_storage_is_that_of_table_3),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
