/* FR-FCFS with a cap: how often an older request to another row is overtaken. */
#include "dram_rig.h"

/* Row 1 is opened for request 0; request 1 wants row 2, all that follow row 1. */
static void play_seven(struct rig *r) {
  PLAY(r, {0, MEM_READ, 0, 1, 0, 1}, {0, MEM_READ, 0, 2, 0, 1}, {0, MEM_READ, 0, 1, 128, 1}, {0, MEM_READ, 0, 1, 256, 1},
       {0, MEM_READ, 0, 1, 384, 1}, {0, MEM_READ, 0, 1, 512, 1}, {0, MEM_READ, 0, 1, 640, 1});
}

static void test_a_request_is_overtaken_as_often_as_the_cap_says(void **state) {
  (void)state;
  struct rig r;
  setup(&r, SETTINGS("dram.scheduler=frfcfs-cap", "dram.cap=2"));
  play_seven(&r);
  EXPECT_ORDER(&r, 0, 2, 3, 1, 4, 5, 6);
  assert_int_equal(counted(&r, "dram.capped"), 1);
  assert_int_equal(r.c->counters[DRAM_ROW_CONFLICTS], 2);
  teardown(&r);
}

static void test_a_cap_that_is_not_reached_is_frfcfs(void **state) {
  (void)state;
  struct rig r;
  setup(&r, SETTINGS("dram.scheduler=frfcfs-cap", "dram.cap=5"));
  play_seven(&r);
  EXPECT_ORDER(&r, 0, 2, 3, 4, 5, 6, 1);
  assert_int_equal(counted(&r, "dram.capped"), 0);
  teardown(&r);
}

/* Overtaking begins anew once the oldest has been served, and each bank has its own count. */
static void test_every_bank_counts_for_itself(void **state) {
  (void)state;
  struct rig r;
  setup(&r, SETTINGS("dram.scheduler=frfcfs-cap", "dram.cap=1", "dram.input_queue=16"));
  PLAY(&r, {0, MEM_READ, 0, 1, 0, 1}, {0, MEM_READ, 0, 2, 0, 1}, {0, MEM_READ, 0, 1, 128, 1}, {0, MEM_READ, 0, 1, 256, 1},
       {300, MEM_READ, 1, 1, 0, 1}, {300, MEM_READ, 1, 2, 0, 1}, {300, MEM_READ, 1, 1, 128, 1}, {300, MEM_READ, 1, 1, 256, 1});
  EXPECT_ORDER(&r, 0, 2, 1, 3, 4, 6, 5, 7);
  assert_int_equal(counted(&r, "dram.capped"), 2);
  teardown(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_request_is_overtaken_as_often_as_the_cap_says),
      cmocka_unit_test(test_a_cap_that_is_not_reached_is_frfcfs),
      cmocka_unit_test(test_every_bank_counts_for_itself),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
