/* bank-turns: which request's command goes, and when. Defaults: tRRD 6, tRCD 12, tCCDL 3, tCL 12, tWL 4, a burst 2, write to read 11. */
#include "dram_rig.h"

/* The write opens the row at 1 and is issued at 13. The read must wait until 24, the second write may go at 16; behind it the read waits
 * until 27. An acknowledgement comes 6 clocks after its command, data 14. */
static void test_a_write_overtakes_a_read_that_the_bus_does_not_allow_yet(void **state) {
  (void)state;
  struct rig r;
  setup(&r, SETTINGS("dram.scheduler=bank-turns"));
  PLAY(&r, {0, MEM_WRITE, 0, 1, 0, 1}, {0, MEM_READ, 0, 1, 128, 1}, {0, MEM_WRITE, 0, 1, 256, 1});
  EXPECT_ORDER(&r, 0, 2, 1);
  assert_int_equal(r.seen[2] - r.seen[0], 3);
  assert_int_equal(r.seen[1] - r.seen[0], 3 + 11 + 8);
  teardown(&r);
}

static void test_a_bank_that_serves_one_at_a_time_keeps_their_order(void **state) {
  (void)state;
  struct rig r;
  setup(&r, SETTINGS("dram.scheduler=frfcfs"));
  PLAY(&r, {0, MEM_WRITE, 0, 1, 0, 1}, {0, MEM_READ, 0, 1, 128, 1}, {0, MEM_WRITE, 0, 1, 256, 1});
  EXPECT_ORDER(&r, 0, 1, 2);
  assert_int_equal(r.seen[1] - r.seen[0], 11 + 8);
  teardown(&r);
}

/* After bank 2 comes bank 3, and so on round to 0, although bank 1's request is older: rows are opened at 1, 7 and 13. At 13 it is bank
 * 1's turn, and bank 2 is read at 14, a clock after it could be. */
static void test_banks_are_asked_in_turn(void **state) {
  (void)state;
  struct rig r;
  setup(&r, SETTINGS("dram.scheduler=bank-turns"));
  PLAY(&r, {0, MEM_READ, 2, 1, 0, 1}, {0, MEM_READ, 1, 1, 0, 1}, {0, MEM_READ, 0, 1, 0, 1});
  EXPECT_ORDER(&r, 0, 2, 1);
  assert_int_equal(r.seen[2] - r.seen[0], 7 + 12 - 14);
  assert_int_equal(r.seen[1] - r.seen[0], 13 + 12 - 14);
  teardown(&r);
}

/* Row 1 is opened for request 0; request 1 wants row 2, all that follow row 1. A row may be closed 2 clocks after its last read, the
 * next hit follows 3 clocks after it. */
static void play_seven(struct rig *r, const char *hits) {
  setup(r, SETTINGS("dram.scheduler=bank-turns", "dram.tRAS=14", "dram.tRC=26", hits));
  PLAY(r, {0, MEM_READ, 0, 1, 0, 1}, {0, MEM_READ, 0, 2, 0, 1}, {0, MEM_READ, 0, 1, 128, 1}, {0, MEM_READ, 0, 1, 256, 1},
       {0, MEM_READ, 0, 1, 384, 1}, {0, MEM_READ, 0, 1, 512, 1}, {0, MEM_READ, 0, 1, 640, 1});
}

static void test_a_row_is_closed_for_an_older_request_after_so_many_hits(void **state) {
  (void)state;
  struct rig r;
  play_seven(&r, "dram.turn_hits=3");
  EXPECT_ORDER(&r, 0, 2, 3, 1, 4, 5, 6);
  assert_int_equal(r.c->counters[DRAM_ROW_HITS], 4);
  assert_int_equal(r.c->counters[DRAM_ROW_MISSES], 3);
  assert_int_equal(r.c->counters[DRAM_ROW_CONFLICTS], 2);
  assert_int_equal(r.c->counters[DRAM_ACTIVATES], 3);
  assert_int_equal(r.c->counters[DRAM_READS], 7);
  teardown(&r);
  play_seven(&r, "dram.turn_hits=5");
  EXPECT_ORDER(&r, 0, 2, 3, 4, 5, 1, 6);
  teardown(&r);
}

/* Once nobody wants the open row it is closed at once. */
static void test_a_row_that_nobody_wants_is_closed(void **state) {
  (void)state;
  struct rig r;
  setup(&r, SETTINGS("dram.scheduler=bank-turns", "dram.tRAS=14", "dram.tRC=26", "dram.turn_hits=1000"));
  PLAY(&r, {0, MEM_READ, 0, 1, 0, 1}, {0, MEM_READ, 0, 2, 0, 1});
  EXPECT_ORDER(&r, 0, 1);
  assert_int_equal(r.seen[1] - r.seen[0], 2 + 12 + 12); /* read to precharge, precharge to activate, activate to read */
  teardown(&r);
}

/* Bank 0 is read at 13; at that clock a request of bank 1, which is next in turn, wants its row opened. */
static uint64_t read_beside_an_activate(const char *buses) {
  struct rig r;
  setup(&r, SETTINGS("dram.scheduler=bank-turns", buses));
  PLAY(&r, {0, MEM_READ, 0, 1, 0, 1}, {12, MEM_READ, 1, 1, 0, 1});
  uint64_t seen = r.seen[0];
  assert_int_equal(r.seen[1], 13 + 12 + 12 + 2 + 1);
  teardown(&r);
  return seen;
}

static void test_two_command_buses_take_a_row_and_a_column_command_a_clock(void **state) {
  (void)state;
  assert_int_equal(read_beside_an_activate("dram.dual_command_bus=true"), 13 + 12 + 2 + 1);
  assert_int_equal(read_beside_an_activate("dram.dual_command_bus=false"), 14 + 12 + 2 + 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_write_overtakes_a_read_that_the_bus_does_not_allow_yet),
      cmocka_unit_test(test_a_bank_that_serves_one_at_a_time_keeps_their_order),
      cmocka_unit_test(test_banks_are_asked_in_turn),
      cmocka_unit_test(test_a_row_is_closed_for_an_older_request_after_so_many_hits),
      cmocka_unit_test(test_a_row_that_nobody_wants_is_closed),
      cmocka_unit_test(test_two_command_buses_take_a_row_and_a_column_command_a_clock),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
