/* Bypassing by the load's PC: what is learnt from lines that are replaced and from lines that are used again. */
#include "l1_kit.h"

#define ONE_LINE "l1.bypass=pc", "l1.sets=1", "l1.ways=1", "l1.index=plain"
enum { STREAM = 40, REUSE = 41 };

/* A load of one access with this PC; its data comes at once. True: it bypassed the cache. */
static bool load_at(struct kit *k, uint32_t pc, uint64_t line) {
  struct l1_request r = request(MEM_READ, line * MEM_LINE, span(0, 4), 1);
  r.pc = pc;
  r.bypasses = l1_load_bypasses(&k->l1, &r);
  enum l1_result result = l1_access(&k->l1, &r, 0);
  if (result == L1_MISS) serve(k);
  while (l1_next_request(&k->l1)) {
    mem_packet_free(k->pool, l1_next_request(&k->l1));
    l1_pop_request(&k->l1);
  }
  return r.bypasses;
}

/* Each new line replaces the one before it, unused. */
static void test_a_load_whose_lines_die_bypasses(void **state) {
  (void)state;
  struct kit k;
  kit_open(&k, SETTINGS(ONE_LINE, "l1.pc.threshold=3"));
  for (uint64_t n = 0; n < 4; n++) assert_false(load_at(&k, STREAM, n)); /* three lines have been replaced */
  assert_true(load_at(&k, STREAM, 4));
  assert_false(load_at(&k, REUSE, 5)); /* another load's counter */
  assert_int_equal(bypass_stat(&k.l1, "l1d.pc_dead_lines"), 4);
  assert_int_equal(bypass_stat(&k.l1, "l1d.pc_reused_lines"), 0);
  assert_int_equal(k.l1.stats[L1_S_BYPASS_LOADS], 1);
  kit_close(&k);
}

/* Lines that are used again, by whichever load, speak for the load that brought them. */
static void test_a_line_that_is_used_again_speaks_for_its_load(void **state) {
  (void)state;
  struct kit k;
  kit_open(&k, SETTINGS(ONE_LINE, "l1.pc.threshold=3"));
  for (uint64_t n = 0; n < 3; n++) assert_false(load_at(&k, STREAM, n)); /* two dead */
  assert_false(load_at(&k, REUSE, 2));                                   /* of STREAM's: one less */
  assert_false(load_at(&k, REUSE, 2));                                   /* counts once */
  for (uint64_t n = 3; n < 6; n++) assert_false(load_at(&k, STREAM, n)); /* two dead, of three: the first was used */
  assert_true(load_at(&k, STREAM, 6));
  assert_int_equal(bypass_stat(&k.l1, "l1d.pc_reused_lines"), 1);
  assert_int_equal(bypass_stat(&k.l1, "l1d.pc_dead_lines"), 4);
  kit_close(&k);
}

static void test_one_in_so_many_uses_the_cache_all_the_same(void **state) {
  (void)state;
  struct kit k;
  kit_open(&k, SETTINGS(ONE_LINE, "l1.pc.threshold=1", "l1.pc.sample=3"));
  load_at(&k, STREAM, 0);
  load_at(&k, STREAM, 1);
  static const bool bypasses[] = {true, true, false, true, true, false};
  for (unsigned i = 0; i < 6; i++) assert_int_equal(load_at(&k, STREAM, 2 + i), bypasses[i]);
  assert_int_equal(bypass_stat(&k.l1, "l1d.pc_sampled_loads"), 2);
  kit_close(&k);
}

/* Two sampled lines that are used again bring a load back. */
static void test_a_prediction_is_unlearnt(void **state) {
  (void)state;
  struct kit k;
  kit_open(&k, SETTINGS(ONE_LINE, "l1.pc.threshold=1", "l1.pc.sample=1"));
  load_at(&k, STREAM, 0);
  load_at(&k, STREAM, 1); /* its counter is 1 */
  assert_false(load_at(&k, STREAM, 1)); /* a sample: used again, the counter is 0 */
  assert_false(load_at(&k, STREAM, 1));
  assert_int_equal(bypass_stat(&k.l1, "l1d.pc_sampled_loads"), 1);
  kit_close(&k);
}

static void test_local_memory_always_uses_the_cache(void **state) {
  (void)state;
  struct kit k;
  kit_open(&k, SETTINGS(ONE_LINE, "l1.pc.threshold=1"));
  load_at(&k, STREAM, 0);
  load_at(&k, STREAM, 1);
  struct l1_request r = request(MEM_READ, 0, span(0, 4), 1);
  r.pc = STREAM;
  assert_true(l1_load_bypasses(&k.l1, &r));
  r.class_ = MEM_LOCAL;
  assert_false(l1_load_bypasses(&k.l1, &r));
  kit_close(&k);
}

static void test_it_needs_lines_that_are_replaced_as_a_whole(void **state) {
  (void)state;
  struct cfg *c = kit_cfg(SETTINGS("l1.bypass=pc", "l1.org=tsc"));
  struct mem_pool *pool = mem_pool_new();
  struct err e = {0};
  struct l1 l1;
  assert_false(l1_init(&l1, c, pool, 0, &e));
  assert_non_null(strstr(e.text, "l1.org tsc does not replace lines as a whole"));
  l1_free(&l1);
  mem_pool_delete(pool);
  cfg_delete(c);
}

/* 128 counters of 4 bits; a hash of 7 bits and a bit in each of 128 lines. */
static void test_storage(void **state) {
  (void)state;
  struct kit k;
  kit_open(&k, SETTINGS("l1.bypass=pc"));
  assert_int_equal(k.l1.bypass_ops->storage_bits(k.l1.bypass), 128 * 4 + 32 * 4 * (7 + 1));
  kit_close(&k);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_load_whose_lines_die_bypasses),
      cmocka_unit_test(test_a_line_that_is_used_again_speaks_for_its_load),
      cmocka_unit_test(test_one_in_so_many_uses_the_cache_all_the_same),
      cmocka_unit_test(test_a_prediction_is_unlearnt),
      cmocka_unit_test(test_local_memory_always_uses_the_cache),
      cmocka_unit_test(test_it_needs_lines_that_are_replaced_as_a_whole),
      cmocka_unit_test(test_storage),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
