/* The closed page policy, with times worked out by hand as in dram_test.c: tRCD 12, tRP 12, tRAS 28, tCL 12, a burst takes 2. */
#include "dram_rig.h"

/* Row 1 is opened at 1, may be closed from 29 on, and the bank opened again from 41 on. */
static void test_a_row_that_nobody_wants_is_closed_before_another_is_wanted(void **state) {
  (void)state;
  struct rig r;
  setup(&r, SETTINGS("dram.page=closed"));
  PLAY(&r, {0, MEM_READ, 0, 1, 0, 1}, {100, MEM_READ, 0, 2, 0, 1});
  assert_int_equal(r.seen[1], 101 + 12 + 12 + 2 + 1);
  assert_int_equal(r.c->counters[DRAM_ROW_CONFLICTS], 0);
  assert_int_equal(r.c->counters[DRAM_ROW_MISSES], 2);
  assert_int_equal(r.c->counters[DRAM_PRECHARGES], 1); /* of row 1: the channel was empty when row 2 could have been closed */
  teardown(&r);
}

static void test_the_same_row_must_be_opened_again(void **state) {
  (void)state;
  struct rig r;
  setup(&r, SETTINGS("dram.page=closed"));
  PLAY(&r, {0, MEM_READ, 0, 1, 0, 1}, {100, MEM_READ, 0, 1, 128, 1});
  assert_int_equal(r.seen[1], 101 + 12 + 12 + 2 + 1);
  assert_int_equal(r.c->counters[DRAM_ROW_HITS], 0);
  teardown(&r);
}

static void test_a_row_that_is_wanted_stays_open(void **state) {
  (void)state;
  struct rig r;
  setup(&r, SETTINGS("dram.page=closed"));
  PLAY(&r, {0, MEM_READ, 0, 1, 0, 1}, {0, MEM_READ, 0, 1, 128, 1}, {0, MEM_READ, 0, 1, 256, 1});
  assert_int_equal(r.c->counters[DRAM_ROW_HITS], 2);
  assert_int_equal(r.c->counters[DRAM_ACTIVATES], 1);
  teardown(&r);
}

/* A request that comes before the row may be closed finds it open; one clock later it does not. */
static void test_at_the_edge(void **state) {
  (void)state;
  for (uint64_t late = 0; late < 2; late++) {
    struct rig r;
    setup(&r, SETTINGS("dram.page=closed"));
    PLAY(&r, {0, MEM_READ, 0, 1, 0, 1}, {28 + late, MEM_READ, 0, 1, 128, 1});
    assert_int_equal(r.c->counters[DRAM_ROW_HITS], 1 - late);
    teardown(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_row_that_nobody_wants_is_closed_before_another_is_wanted),
      cmocka_unit_test(test_the_same_row_must_be_opened_again),
      cmocka_unit_test(test_a_row_that_is_wanted_stays_open),
      cmocka_unit_test(test_at_the_edge),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
