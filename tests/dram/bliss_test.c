/* BLISS: who is blacklisted, what that means for the order, and when it ends. */
#include "dram_rig.h"

#include "gpu/gpu.h"
#include "cost/storage.h"

/* SM 0 has three requests to row 1, SM 1 one to row 2, last. */
static const uint16_t greedy[] = {0, 0, 0, 1};
#define FOUR {0, MEM_READ, 0, 1, 0, 1}, {0, MEM_READ, 0, 1, 128, 1}, {0, MEM_READ, 0, 1, 256, 1}, {0, MEM_READ, 0, 2, 0, 1}

static void test_who_is_served_in_a_row_comes_last(void **state) {
  (void)state;
  struct rig r;
  setup(&r, SETTINGS("dram.scheduler=bliss", "dram.bliss_streak=2"));
  r.sm = greedy;
  PLAY(&r, FOUR);
  EXPECT_ORDER(&r, 0, 1, 3, 2); /* after two, row 2 is opened for the other */
  assert_int_equal(counted(&r, "dram.bliss_blacklisted"), 1);
  teardown(&r);
}

static void test_without_a_streak_it_is_frfcfs(void **state) {
  (void)state;
  static const uint16_t mixed[] = {0, 1, 0, 1, 0};
  struct rig r;
  setup(&r, SETTINGS("dram.scheduler=bliss", "dram.bliss_streak=2"));
  r.sm = mixed;
  PLAY(&r, {0, MEM_READ, 0, 1, 0, 1}, {0, MEM_READ, 0, 2, 0, 1}, {0, MEM_READ, 0, 3, 0, 1}, {0, MEM_READ, 0, 1, 128, 1},
       {0, MEM_READ, 0, 2, 128, 1});
  EXPECT_ORDER(&r, 0, 3, 1, 4, 2); /* SMs 0, 1, 1: blacklisted for what is left, 0, 0 */
  assert_int_equal(counted(&r, "dram.bliss_blacklisted"), 2);
  teardown(&r);
}

/* A request of the blacklisted SM to the open row waits for the other's, until the list is cleared. */
static void test_the_list_is_cleared_in_time(void **state) {
  (void)state;
  static const uint16_t later[] = {0, 0, 0, 1, 0};
  for (unsigned cleared = 0; cleared < 2; cleared++) {
    struct rig r;
    setup(&r, SETTINGS("dram.scheduler=bliss", "dram.bliss_streak=2", cleared ? "dram.bliss_clear=200" : "dram.bliss_clear=1000"));
    r.sm = later;
    PLAY(&r, {0, MEM_READ, 0, 1, 0, 1}, {0, MEM_READ, 0, 1, 128, 1}, {300, MEM_READ, 0, 3, 0, 1}, {300, MEM_READ, 0, 2, 0, 1},
         {300, MEM_READ, 0, 3, 128, 1});
    if (cleared) EXPECT_ORDER(&r, 0, 1, 2, 4, 3);
    else EXPECT_ORDER(&r, 0, 1, 2, 3, 4); /* alone in the queue, it is served at once */
    teardown(&r);
  }
}

static void test_write_backs_are_nobodys(void **state) {
  (void)state;
  static const uint16_t nobody[] = {0, 0, 0, 0};
  struct rig r;
  setup(&r, SETTINGS("dram.scheduler=bliss", "dram.bliss_streak=2"));
  r.sm = nobody;
  PLAY(&r, {0, MEM_WRITEBACK, 0, 1, 0, 1}, {0, MEM_WRITEBACK, 0, 1, 128, 1}, {0, MEM_WRITEBACK, 0, 1, 256, 1}, {0, MEM_READ, 0, 2, 0, 1});
  assert_int_equal(counted(&r, "dram.bliss_blacklisted"), 0);
  teardown(&r);
}

/* 15 SMs: a bit and four bits of the last's number; three bits count to 4, fourteen to 10000. */
static void test_storage(void **state) {
  (void)state;
  struct cost_storage part[COST_STORAGE_PARTS];
  struct err e = {0};
  struct cfg *c = with_settings(gpu_cfg_new(), SETTINGS("dram.scheduler=bliss"));
  size_t n = cost_storage(c, part, &e), at = 0;
  while (at < n && strcmp(part[at].part, "dram.scheduler")) at++;
  assert_int_equal(part[at].bits, 15 + 4 + 3 + 14);
  assert_int_equal(part[at].instances, 6);
  cfg_delete(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_who_is_served_in_a_row_comes_last), cmocka_unit_test(test_without_a_streak_it_is_frfcfs),
      cmocka_unit_test(test_the_list_is_cleared_in_time),       cmocka_unit_test(test_write_backs_are_nobodys),
      cmocka_unit_test(test_storage),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
