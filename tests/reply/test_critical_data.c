/* The critical data tracker: an L1D between a mock load/store unit and a mock memory. A line has sub-blocks of 32 bytes,
 * numbered 0 to 3; bit i of a bitmap is sub-block i. */
#include "l1_kit.h"

#define FILTERED "reply.filter=df-truc", "l1.sets=2", "l1.ways=2", "l1.index=plain"
#define UNPREDICTED FILTERED, "reply.predict=false"

static enum l1_result load_block(struct kit *k, uint64_t line, unsigned block, uint32_t owner) {
  return load_bytes(k, line, block * MEM_SECTOR + 8, 4, owner);
}
static void expect_notified(const struct kit *k, unsigned n, uint32_t owner) {
  assert_int_equal(k->n_done, n);
  if (n) assert_int_equal(k->done[0], owner);
}

static void test_a_first_miss_asks_for_its_sub_blocks_only(void **state) {
  (void)state;
  struct kit k;
  kit_open(&k, SETTINGS(FILTERED));
  assert_int_equal(load_bytes(&k, 0, 60, 8, 1), L1_MISS); /* of sub-blocks 1 and 2 */
  assert_int_equal(l1_next_request(&k.l1)->sectors, 6);
  serve(&k);
  expect_notified(&k, 1, 1);
  assert_int_equal(org_stat(&k.l1, "l1d.first_misses"), 1);
  assert_int_equal(org_stat(&k.l1, "l1d.demand_part"), 1);
  assert_int_equal(load_block(&k, 0, 1, 2), L1_HIT);
  assert_int_equal(load_block(&k, 0, 2, 3), L1_HIT);
  kit_close(&k);
}

static void test_hit_but_invalid_fetches_again_and_replaces_what_was_there(void **state) {
  (void)state;
  struct kit k;
  kit_open(&k, SETTINGS(FILTERED));
  assert_int_equal(load_block(&k, 0, 0, 1), L1_MISS);
  serve(&k);
  assert_int_equal(load_bytes(&k, 0, 24, 16, 2), L1_MISS); /* sub-blocks 0 and 1: also the one that is here */
  assert_int_equal(l1_next_request(&k.l1)->sectors, 3);
  assert_int_equal(org_stat(&k.l1, "l1d.hit_invalid"), 1);
  serve(&k);
  assert_int_equal(load_block(&k, 0, 2, 3), L1_MISS);
  serve(&k);
  assert_int_equal(load_block(&k, 0, 2, 4), L1_HIT);
  assert_int_equal(load_block(&k, 0, 0, 5), L1_MISS); /* not added */
  assert_int_equal(org_stat(&k.l1, "l1d.hit_invalid"), 3);
  kit_close(&k);
}

static void test_old_data_can_be_read_until_the_answer_comes(void **state) {
  (void)state;
  struct kit k;
  kit_open(&k, SETTINGS(FILTERED));
  assert_int_equal(load_block(&k, 0, 0, 1), L1_MISS);
  serve(&k);
  assert_int_equal(load_block(&k, 0, 1, 2), L1_MISS);
  assert_int_equal(load_block(&k, 0, 0, 3), L1_HIT);
  assert_int_equal(load_block(&k, 0, 1, 4), L1_PENDING);
  assert_int_equal(load_block(&k, 0, 2, 5), L1_STALL); /* no subsequent request on hit but invalid */
  assert_int_equal(k.l1.why, L1_NO_MERGE);
  serve(&k);
  expect_notified(&k, 2, 4);
  assert_int_equal(load_block(&k, 0, 2, 5), L1_MISS);
  kit_close(&k);
}

static void test_a_subsequent_miss_demands_the_whole_line(void **state) {
  (void)state;
  struct kit k;
  kit_open(&k, SETTINGS(FILTERED));
  assert_int_equal(load_block(&k, 0, 0, 1), L1_MISS);
  assert_int_equal(load_block(&k, 0, 3, 2), L1_MISS);
  assert_int_equal(org_stat(&k.l1, "l1d.subsequent_misses"), 1);
  assert_int_equal(org_stat(&k.l1, "l1d.demand_mshr"), 1);
  assert_int_equal(load_block(&k, 0, 1, 3), L1_PENDING); /* the second request will bring it */
  struct mem_packet *first = take(&k), *second = take(&k);
  assert_int_equal(first->sectors, 1);
  assert_int_equal(second->sectors, 15);
  answer(&k, first, 1);
  expect_notified(&k, 1, 1);
  answer(&k, second, 15);
  expect_notified(&k, 2, 3);
  for (unsigned i = 0; i < 4; i++) assert_int_equal(load_block(&k, 0, i, 9), L1_HIT);
  mem_packet_free(k.pool, first);
  mem_packet_free(k.pool, second);
  kit_close(&k);
}

static void test_without_prediction_a_subsequent_miss_asks_for_its_own(void **state) {
  (void)state;
  struct kit k;
  kit_open(&k, SETTINGS(UNPREDICTED));
  assert_int_equal(load_block(&k, 0, 0, 1), L1_MISS);
  assert_int_equal(load_bytes(&k, 0, 24, 16, 2), L1_MISS);
  struct mem_packet *first = take(&k), *second = take(&k);
  assert_int_equal(second->sectors, 3);
  mem_packet_free(k.pool, first);
  answer(&k, second, 3); /* as if both had been merged on the way: one answer ends the miss */
  expect_notified(&k, 2, 2);
  assert_int_equal(k.l1.mshrs.used, 0);
  mem_packet_free(k.pool, second);
  kit_close(&k);
}

static void test_data_is_not_valid_before_all_of_the_line_has_come(void **state) {
  (void)state;
  struct kit k;
  kit_open(&k, SETTINGS(UNPREDICTED));
  assert_int_equal(load_block(&k, 0, 0, 1), L1_MISS);
  assert_int_equal(load_block(&k, 0, 1, 2), L1_MISS);
  struct mem_packet *first = take(&k), *second = take(&k);
  answer(&k, first, first->sectors);
  expect_notified(&k, 1, 1);
  assert_int_equal(load_block(&k, 0, 0, 3), L1_PENDING); /* it has come, but is not valid */
  answer(&k, second, second->sectors);
  expect_notified(&k, 2, 3);
  assert_int_equal(load_block(&k, 0, 0, 4), L1_HIT);
  mem_packet_free(k.pool, first);
  mem_packet_free(k.pool, second);
  kit_close(&k);
}

static void test_a_reply_that_comes_after_all_its_data_is_dropped(void **state) {
  (void)state;
  struct kit k;
  kit_open(&k, SETTINGS(FILTERED));
  assert_int_equal(load_block(&k, 0, 0, 1), L1_MISS);
  assert_int_equal(load_block(&k, 0, 1, 2), L1_MISS);
  struct mem_packet *first = take(&k), *second = take(&k);
  answer(&k, second, 15);
  expect_notified(&k, 2, 2);
  answer(&k, first, 1);
  expect_notified(&k, 0, 0);
  assert_int_equal(org_stat(&k.l1, "l1d.late_replies"), 1);
  assert_int_equal(load_block(&k, 0, 3, 3), L1_HIT);
  mem_packet_free(k.pool, first);
  mem_packet_free(k.pool, second);
  kit_close(&k);
}

static void test_a_whole_reply_to_a_request_for_a_part_fills_the_line(void **state) {
  (void)state;
  struct kit k;
  kit_open(&k, SETTINGS(FILTERED));
  assert_int_equal(load_block(&k, 0, 2, 1), L1_MISS);
  struct mem_packet *p = take(&k);
  p->bytes = span(0, MEM_LINE);
  answer(&k, p, 15);
  mem_packet_free(k.pool, p);
  assert_int_equal(load_block(&k, 0, 0, 2), L1_HIT);
  kit_close(&k);
}

static void test_local_loads_fetch_whole_lines(void **state) {
  (void)state;
  struct kit k;
  kit_open(&k, SETTINGS(FILTERED));
  assert_int_equal(access_as(&k, MEM_READ, MEM_LOCAL, CA, 0), L1_MISS);
  assert_int_equal(l1_next_request(&k.l1)->sectors, 15);
  assert_int_equal(org_stat(&k.l1, "l1d.demand_part"), 0);
  serve(&k);
  kit_close(&k);
}

static void test_a_store_drops_the_line_and_what_has_come_of_it(void **state) {
  (void)state;
  struct kit k;
  kit_open(&k, SETTINGS(UNPREDICTED));
  assert_int_equal(load_block(&k, 0, 0, 1), L1_MISS);
  assert_int_equal(load_block(&k, 0, 1, 2), L1_MISS);
  struct mem_packet *first = take(&k), *second = take(&k);
  answer(&k, first, 1);
  assert_int_equal(access_as(&k, MEM_WRITE, MEM_GLOBAL, CA, 0), L1_SENT);
  answer(&k, second, 2);
  assert_int_equal(load_block(&k, 0, 1, 3), L1_HIT);
  assert_int_equal(load_block(&k, 0, 0, 4), L1_MISS);
  mem_packet_free(k.pool, first);
  mem_packet_free(k.pool, second);
  kit_close(&k);
}

/* Figure 4.1: loads of one sub-block after the other. With the windows full of inconsistent lines of 64 bytes, the second
 * load of a line fetches the whole of it. */
static void test_inconsistent_lines_teach_the_controller(void **state) {
  (void)state;
  struct kit k;
  kit_open(&k, SETTINGS(FILTERED));
  uint64_t line = 0;
  for (; !org_stat(&k.l1, "l1d.demand_ica_ratio"); line += MEM_LINE) {
    assert_true(line < 40 * MEM_LINE);
    assert_int_equal(load_block(&k, line, 0, 1), L1_MISS);
    serve(&k);
    assert_int_equal(load_block(&k, line, 1, 2), L1_MISS);
    serve(&k);
  }
  /* A line's second reply and its eviction are two events; the ninth is needed. */
  assert_int_equal(line, 7 * MEM_LINE);
  for (unsigned i = 0; i < 4; i++) assert_int_equal(load_block(&k, line - MEM_LINE, i, 3), L1_HIT);
  assert_int_equal(org_stat(&k.l1, "l1d.filled_ica"), 7);
  assert_int_equal(org_stat(&k.l1, "l1d.filled_ca"), 7);
  assert_int_equal(org_stat(&k.l1, "l1d.evicted_ica"), 3); /* four of the seven are here */
  assert_int_equal(org_stat(&k.l1, "l1d.evicted_ca"), 0);
  assert_int_equal(org_stat(&k.l1, "l1d.demand_ica_ratio"), 1);
  kit_close(&k);
}

/* Four lines of which the second sub-block is asked for before the first has come: each has two replies, and both are inspected. */
static void test_every_reply_teaches_consistency(void **state) {
  (void)state;
  struct kit k;
  kit_open(&k, SETTINGS(FILTERED));
  for (uint64_t i = 0; i < 4; i++) {
    assert_int_equal(load_block(&k, i * MEM_LINE, 0, 1), L1_MISS);
    assert_int_equal(load_block(&k, i * MEM_LINE, 1, 2), L1_MISS);
    struct mem_packet *first = take(&k), *second = take(&k);
    answer(&k, first, 1);
    answer(&k, second, 15);
    mem_packet_free(k.pool, first);
    mem_packet_free(k.pool, second);
  }
  /* Eight events are half of a window; the ninth is an eviction. */
  assert_int_equal(load_bytes(&k, 8 * MEM_LINE, 0, MEM_LINE, 3), L1_MISS);
  assert_int_equal(org_stat(&k.l1, "l1d.demand_ica_ratio"), 0);
  serve(&k);
  assert_int_equal(load_bytes(&k, 9 * MEM_LINE, 0, MEM_LINE, 3), L1_MISS);
  assert_int_equal(org_stat(&k.l1, "l1d.demand_ica_ratio"), 1);
  kit_close(&k);
}

static void test_whole_lines_teach_the_controller(void **state) {
  (void)state;
  struct kit k;
  kit_open(&k, SETTINGS(FILTERED));
  for (uint64_t i = 0; i < 16; i++) {
    assert_int_equal(load_bytes(&k, i * MEM_LINE, 0, MEM_LINE, 1), L1_MISS);
    serve(&k);
  }
  assert_int_equal(load_block(&k, 99 * MEM_LINE, 0, 2), L1_MISS);
  assert_int_equal(l1_next_request(&k.l1)->sectors, 15);
  /* More than 90 % of 16 events: with a fill for each line and an eviction for each after the fourth, the eleventh load has them. */
  assert_int_equal(org_stat(&k.l1, "l1d.demand_fdr_ratio"), 6 + 1);
  kit_close(&k);
}

/* Four lines of one set, of which two are there; each is loaded as a whole or one sub-block after the other. */
static void test_evictions_are_counted_by_how_lines_were_accessed(void **state) {
  (void)state;
  struct kit k;
  kit_open(&k, SETTINGS(UNPREDICTED));
  for (uint64_t i = 0; i < 4; i++) {
    assert_int_equal(load_block(&k, 2 * i * MEM_LINE, 0, 1), L1_MISS);
    serve(&k);
    if (i != 1) continue; /* the second line is inconsistent */
    assert_int_equal(load_block(&k, 2 * i * MEM_LINE, 1, 1), L1_MISS);
    serve(&k);
  }
  assert_int_equal(org_stat(&k.l1, "l1d.filled_ca"), 4);
  assert_int_equal(org_stat(&k.l1, "l1d.filled_ica"), 1);
  assert_int_equal(org_stat(&k.l1, "l1d.evicted_ca"), 1);
  assert_int_equal(org_stat(&k.l1, "l1d.evicted_ica"), 1);
  kit_close(&k);
}

/* What is learned when whole lines are fetched of which loads use a part. */
static void test_asked_learns_from_loads_and_demanded_from_requests(void **state) {
  (void)state;
  static const char *const learn[] = {"reply.learn=demanded", "reply.learn=asked"};
  for (unsigned asked = 0; asked < 2; asked++) {
    struct kit k;
    kit_open(&k, SETTINGS(FILTERED, learn[asked]));
    for (uint64_t i = 0; i < 16; i++) {
      assert_int_equal(load_bytes(&k, i * MEM_LINE, 0, MEM_LINE, 1), L1_MISS);
      serve(&k);
    }
    for (uint64_t i = 100; i < 120; i++) {
      assert_int_equal(load_block(&k, i * MEM_LINE, 0, 1), L1_MISS);
      serve(&k);
    }
    assert_int_equal(load_block(&k, 200 * MEM_LINE, 0, 2), L1_MISS);
    assert_int_equal(l1_next_request(&k.l1)->sectors, asked ? 1 : 15);
    kit_close(&k);
  }
}

static void expect_refusal(const char *const *settings, const char *words) {
  struct cfg *c = kit_cfg(settings);
  struct mem_pool *pool = mem_pool_new();
  struct l1 l1;
  struct err e = {0};
  assert_false(l1_init(&l1, c, pool, 0, &e));
  if (!strstr(e.text, words) || !strstr(e.text, "reply.filter")) fail_msg("%s", e.text);
  l1_free(&l1);
  mem_pool_delete(pool);
  cfg_delete(c);
}

static void test_combinations_that_make_no_sense_are_refused_by_name(void **state) {
  (void)state;
  expect_refusal(SETTINGS("reply.filter=df-truc", "l1.org=tsc+"), "l1.org=tsc+");
  expect_refusal(SETTINGS("reply.filter=df-truc", "l1.org=sector"), "l1.org=sector");
  expect_refusal(SETTINGS("reply.filter=df-truc", "l1.granule=32"), "l1.granule");
  expect_refusal(SETTINGS("reply.filter=df-truc", "l1.allocate=fill"), "l1.allocate");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_first_miss_asks_for_its_sub_blocks_only),
      cmocka_unit_test(test_hit_but_invalid_fetches_again_and_replaces_what_was_there),
      cmocka_unit_test(test_old_data_can_be_read_until_the_answer_comes),
      cmocka_unit_test(test_a_subsequent_miss_demands_the_whole_line),
      cmocka_unit_test(test_without_prediction_a_subsequent_miss_asks_for_its_own),
      cmocka_unit_test(test_data_is_not_valid_before_all_of_the_line_has_come),
      cmocka_unit_test(test_a_reply_that_comes_after_all_its_data_is_dropped),
      cmocka_unit_test(test_a_whole_reply_to_a_request_for_a_part_fills_the_line),
      cmocka_unit_test(test_local_loads_fetch_whole_lines),
      cmocka_unit_test(test_a_store_drops_the_line_and_what_has_come_of_it),
      cmocka_unit_test(test_inconsistent_lines_teach_the_controller),
      cmocka_unit_test(test_every_reply_teaches_consistency),
      cmocka_unit_test(test_whole_lines_teach_the_controller),
      cmocka_unit_test(test_evictions_are_counted_by_how_lines_were_accessed),
      cmocka_unit_test(test_asked_learns_from_loads_and_demanded_from_requests),
      cmocka_unit_test(test_combinations_that_make_no_sense_are_refused_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
