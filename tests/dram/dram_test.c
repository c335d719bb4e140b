/* One DRAM channel between mock slices, against times worked out by hand from the timing parameters: with the
 * defaults tRCD 12, tRP 12, tRAS 28, tRC 40, tCL 12, tWL 4, tCDLR 5, tWR 12, tRTP 2, tRRD 6, tCCD 2, tCCDL 3,
 * a 64-byte burst takes 2 clocks. */
#include "dram_rig.h"

/* ---- latencies ---- */

static void test_closed_row_takes_activate_read_and_data(void **state) {
  (void)state;
  struct rig r;
  setup(&r, NULL);
  PLAY(&r, {0, MEM_READ, 0, 0, 0, 1});
  assert_int_equal(r.seen[0], 1 + 12 + 12 + 2 + 1);
  assert_int_equal(r.c->counters[DRAM_ROW_MISSES], 1);
  assert_int_equal(r.c->counters[DRAM_ROW_CONFLICTS], 0);
  assert_int_equal(r.c->counters[DRAM_BYTES], 64);
  teardown(&r);
}

/* Activate, write and its data; a write-back is not acknowledged. */
static void test_a_write_is_acknowledged_when_its_data_are_there(void **state) {
  (void)state;
  struct rig r;
  setup(&r, NULL);
  PLAY(&r, {0, MEM_WRITE, 0, 0, 0, 1}, {100, MEM_WRITEBACK, 0, 0, 0, 1});
  assert_int_equal(r.seen[0], 1 + 12 + 4 + 2 + 1);
  assert_int_equal(r.n_seen, 1);
  assert_int_equal(r.acknowledged, 1);
  assert_int_equal(r.c->counters[DRAM_WRITES], 2);
  teardown(&r);
}

/* A queue of one: while a bank serves the first request, the second waits outside, or is queued and its row opened tRRD later. */
static void test_requests_that_banks_serve_may_leave_the_queue(void **state) {
  (void)state;
  for (unsigned leave = 0; leave < 2; leave++) {
    struct rig r;
    setup(&r, leave ? SETTINGS("dram.queue=1", "dram.queue_serving=false") : SETTINGS("dram.queue=1"));
    PLAY(&r, {0, MEM_READ, 0, 0, 0, 1}, {0, MEM_READ, 1, 0, 0, 1});
    if (leave) assert_int_equal(r.seen[1], r.seen[0] + 6);
    else assert_true(r.seen[1] > r.seen[0] + 12);
    teardown(&r);
  }
}

/* While tRRD passes after bank 7's activate, requests come for banks 2 and 12: the older is first, or the bank that is next in turn, 12. */
static void test_banks_may_take_turns(void **state) {
  (void)state;
  for (unsigned rotate = 0; rotate < 2; rotate++) {
    struct rig r;
    setup(&r, SETTINGS(rotate ? "dram.rotate_banks=true" : "dram.rotate_banks=false"));
    PLAY(&r, {0, MEM_READ, 7, 0, 0, 1}, {0, MEM_READ, 2, 0, 0, 1}, {0, MEM_READ, 12, 0, 0, 1});
    assert_int_equal(r.order[0], 0);
    assert_int_equal(r.order[1], rotate ? 2 : 1);
    assert_int_equal(r.order[2], rotate ? 1 : 2);
    teardown(&r);
  }
}

/* Two bursts of 64 bytes in one bank are tCCDL apart. */
static void test_a_whole_line_takes_its_bursts_one_after_the_other(void **state) {
  (void)state;
  struct rig r;
  setup(&r, NULL);
  PLAY(&r, {0, MEM_READ, 0, 0, 0, 15}, {100, MEM_READ, 1, 0, 0, 8});
  assert_int_equal(r.seen[0], 1 + 12 + 3 + 12 + 2 + 1);
  assert_int_equal(r.c->counters[DRAM_READ_BURSTS], 3);
  teardown(&r);
}

static void test_open_row_takes_read_and_data(void **state) {
  (void)state;
  struct rig r;
  setup(&r, NULL);
  PLAY(&r, {0, MEM_READ, 0, 5, 0, 1}, {100, MEM_READ, 0, 5, 128, 1});
  assert_int_equal(r.seen[1], 100 + 1 + 12 + 2 + 1);
  assert_int_equal(r.c->counters[DRAM_ROW_HITS], 1);
  teardown(&r);
}

static void test_other_row_takes_precharge_first(void **state) {
  (void)state;
  struct rig r;
  setup(&r, NULL);
  PLAY(&r, {0, MEM_READ, 0, 5, 0, 1}, {100, MEM_READ, 0, 6, 0, 1});
  assert_int_equal(r.seen[1], 100 + 1 + 12 + 12 + 12 + 2 + 1);
  assert_int_equal(r.c->counters[DRAM_ROW_CONFLICTS], 1);
  assert_int_equal(r.c->counters[DRAM_PRECHARGES], 1);
  teardown(&r);
}

/* Activated at 1, so precharged at 29 (tRAS), activated at 41 (tRP and tRC), read at 53. */
static void test_a_row_stays_open_for_its_minimum_time(void **state) {
  (void)state;
  struct rig r;
  setup(&r, NULL);
  PLAY(&r, {0, MEM_READ, 0, 5, 0, 1}, {1, MEM_READ, 0, 6, 0, 1});
  assert_int_equal(r.seen[1], 53 + 12 + 2 + 1);
  teardown(&r);
}

/* Written at 13, data until 19, precharged at 31 (tWR), activated at 43, read at 55. */
static void test_write_recovery_delays_the_precharge(void **state) {
  (void)state;
  struct rig r;
  setup(&r, NULL);
  PLAY(&r, {0, MEM_WRITEBACK, 0, 5, 0, 1}, {1, MEM_READ, 0, 6, 0, 1});
  assert_int_equal(r.seen[1], 55 + 12 + 2 + 1);
  assert_int_equal(r.c->counters[DRAM_WRITES], 1);
  teardown(&r);
}

/* Written at 13: the data end at 19, and the read to the same row may follow tCDLR later, at 24. */
static void test_a_read_after_a_write_waits_for_the_turnaround(void **state) {
  (void)state;
  struct rig r;
  setup(&r, NULL);
  PLAY(&r, {0, MEM_WRITEBACK, 0, 5, 0, 1}, {0, MEM_READ, 0, 5, 128, 1});
  assert_int_equal(r.seen[1], 24 + 12 + 2 + 1);
  teardown(&r);
}

/* Read at 13, write at 13 + 12 + 2 + 2 - 4 = 25, then a read 11 later. */
static void test_a_write_after_a_read_waits_for_the_bus(void **state) {
  (void)state;
  struct rig r;
  setup(&r, SETTINGS("dram.scheduler=fcfs"));
  PLAY(&r, {0, MEM_READ, 0, 5, 0, 1}, {0, MEM_WRITEBACK, 0, 5, 128, 1}, {0, MEM_READ, 0, 5, 256, 1});
  assert_int_equal(r.seen[2], 25 + 4 + 2 + 5 + 12 + 2 + 1);
  teardown(&r);
}

/* Activates at 1, 7 and 13; at 13 the first read takes the command bus, unless rows have a bus of their own.
 */
static void test_activates_keep_their_distance(void **state) {
  (void)state;
  for (unsigned dual = 0; dual < 2; dual++) {
    struct rig r;
    setup(&r, SETTINGS(dual ? "dram.dual_command_bus=true" : "dram.dual_command_bus=false"));
    PLAY(&r, {0, MEM_READ, 0, 0, 0, 1}, {0, MEM_READ, 4, 0, 0, 1}, {0, MEM_READ, 8, 0, 0, 1});
    assert_int_equal(r.seen[0], 28);
    assert_int_equal(r.seen[1], 28 + 6);
    assert_int_equal(r.seen[2], 28 + 12 + !dual);
    teardown(&r);
  }
}

/* Packets come in one a clock, so with tRRD 2 the activates are at 1, 3, 5, 7 and the fifth at 1 + 30. */
static void test_a_fifth_activate_waits_for_the_window_of_four(void **state) {
  (void)state;
  struct rig r;
  setup(&r, SETTINGS("dram.tRRD=2", "dram.tFAW=30"));
  PLAY(&r, {0, MEM_READ, 0, 0, 0, 1}, {0, MEM_READ, 4, 0, 0, 1}, {0, MEM_READ, 8, 0, 0, 1},
       {0, MEM_READ, 12, 0, 0, 1}, {0, MEM_READ, 1, 0, 0, 1});
  assert_int_equal(r.seen[3], 7 + 12 + 14 + 1);
  assert_int_equal(r.seen[4], 31 + 12 + 14 + 1);
  teardown(&r);
}

/* Open rows in banks 0 and 1 (one group) and 4 (another): columns follow 3 and 2 clocks apart. */
static void test_bank_groups_decide_the_distance_of_columns(void **state) {
  (void)state;
  for (unsigned other = 1; other <= 4; other += 3) {
    struct rig r;
    setup(&r, NULL);
    PLAY(&r, {0, MEM_READ, 0, 0, 0, 1}, {0, MEM_READ, (uint16_t)other, 0, 0, 1},
         {200, MEM_READ, 0, 0, 128, 1}, {200, MEM_READ, (uint16_t)other, 0, 128, 1});
    assert_int_equal(r.seen[3] - r.seen[2], other == 1 ? 3 : 2);
    teardown(&r);
  }
}

static void test_fixed_latency_comes_before_the_queue(void **state) {
  (void)state;
  struct rig r;
  setup(&r, SETTINGS("dram.latency=100"));
  PLAY(&r, {0, MEM_READ, 0, 0, 0, 1});
  assert_int_equal(r.seen[0], 28 + 100);
  teardown(&r);
}

/* ---- refresh ---- */

/* Due at 1000 with an open row that was read at 999: closed at 1001 (tRTP), refreshed tRP later for tRFC. */
static void test_refresh_closes_rows_and_keeps_the_banks(void **state) {
  (void)state;
  struct rig r;
  setup(&r, SETTINGS("dram.tREFI=1000", "dram.tRFC=100"));
  PLAY(&r, {0, MEM_READ, 0, 5, 0, 1}, {998, MEM_READ, 0, 5, 0, 1}, {1020, MEM_READ, 0, 5, 0, 1});
  assert_int_equal(r.seen[1], 999 + 12 + 2 + 1);
  assert_int_equal(r.seen[2], 1001 + 12 + 100 + 12 + 12 + 2 + 1);
  assert_int_equal(r.c->counters[DRAM_REFRESHES], 1);
  teardown(&r);
}

static void test_an_idle_channel_refreshes_without_being_visited(void **state) {
  (void)state;
  struct rig r;
  setup(&r, SETTINGS("dram.tREFI=1000", "dram.tRFC=100"));
  PLAY(&r, {10500, MEM_READ, 0, 5, 0, 1});
  assert_int_equal(r.seen[0], 10500 + 28);
  assert_int_equal(r.c->counters[DRAM_REFRESHES], 10);
  assert_true(r.visits < 8);
  teardown(&r);
}

/* 16 banks, 4 at a time: those of banks 0 to 3 begin at 1000, of 4 to 7 at 2000. */
static void test_banks_are_refreshed_in_turn(void **state) {
  (void)state;
  struct rig r;
  setup(&r, SETTINGS("dram.tREFI=4000", "dram.tRFC=100", "dram.refresh_banks=4"));
  PLAY(&r, {1000, MEM_READ, 3, 5, 0, 1}, {1200, MEM_READ, 3, 5, 0, 1}, {2000, MEM_READ, 7, 5, 0, 1}, {2001, MEM_READ, 8, 5, 0, 1});
  assert_int_equal(r.seen[0], 1000 + 100 + 28 - 1);
  assert_int_equal(r.seen[1], 1200 + 16);
  assert_int_equal(r.seen[2], 2000 + 100 + 28 - 1);
  assert_int_equal(r.seen[3], 2001 + 28);
  assert_int_equal(r.c->counters[DRAM_REFRESHES], 0);
  teardown(&r);
}

static void test_every_bank_has_its_refresh_in_turn_also_when_nobody_looks(void **state) {
  (void)state;
  struct cfg *cfg = memtest_cfg(SETTINGS("dram.tREFI=4000", "dram.tRFC=100", "dram.refresh_banks=4"));
  struct err e = {0};
  struct dram_device d;
  uint32_t closed;
  assert_true(dram_device_init(&d, cfg, &(struct dram_device_place){1, 16, 0, 1}, &e));
  for (unsigned b = 0; b < 16; b++) dram_device_issue(&d, b, DRAM_ACTIVATE, 1, 100 * b);
  assert_int_equal(dram_device_refresh(&d, 999, &closed), 0);
  assert_int_equal(dram_device_refresh(&d, 3500, &closed), 0); /* three of four turns */
  assert_int_equal(closed, 12);
  assert_int_equal(d.open[11], DRAM_CLOSED);
  assert_int_equal(d.open[12], 1);
  assert_int_equal(dram_device_may(&d, 11, DRAM_ACTIVATE), 3000 + 12 + 100); /* precharge first: its row was open */
  assert_true(dram_device_may(&d, 7, DRAM_ACTIVATE) <= 3500);
  assert_int_equal(dram_device_refresh(&d, 12000, &closed), 3);
  assert_int_equal(closed, 4);
  dram_device_free(&d);
  cfg_delete(cfg);
}

static void test_channels_are_refreshed_at_different_times(void **state) {
  (void)state;
  struct cfg *cfg = memtest_cfg(SETTINGS("dram.tREFI=4000", "dram.tRFC=100", "dram.refresh_banks=4"));
  struct err e = {0};
  static const uint64_t due[] = {1000, 1500, 1000, 1500}, turn[] = {0, 0, 1, 1};
  for (uint32_t i = 0; i < 4; i++) {
    struct dram_device d;
    assert_true(dram_device_init(&d, cfg, &(struct dram_device_place){1, 16, i, 8}, &e));
    assert_int_equal(d.refresh_due, due[i]);
    assert_int_equal(d.turn, turn[i]);
    dram_device_free(&d);
  }
  cfg_delete(cfg);
}

/* ---- what is counted ---- */

/* Taken at 1 and activated, read at 13, its data leaves at 13 + 12 + 2. */
static void test_counts_a_read_from_entering_to_leaving(void **state) {
  (void)state;
  struct rig r;
  setup(&r, NULL);
  PLAY(&r, {0, MEM_READ, 0, 0, 0, 1});
  assert_int_equal(r.c->counters[DRAM_READS], 1);
  assert_int_equal(r.c->counters[DRAM_ACTIVATES], 1);
  assert_int_equal(r.c->counters[DRAM_PRECHARGES], 0);
  assert_int_equal(r.c->counters[DRAM_READ_BURSTS], 1);
  assert_int_equal(r.c->counters[DRAM_WRITE_BURSTS], 0);
  assert_int_equal(r.c->counters[DRAM_BUSY], 2);
  assert_int_equal(r.c->counters[DRAM_OCCUPANCY], 13 - 1);
  assert_int_equal(r.c->counters[DRAM_LATENCY], 27 - 1);
  teardown(&r);
}

/* The fixed latency is part of the time in the channel, not of that in the queue. */
static void test_the_fixed_latency_counts_as_latency_only(void **state) {
  (void)state;
  struct rig r;
  setup(&r, SETTINGS("dram.latency=30"));
  PLAY(&r, {0, MEM_READ, 0, 0, 0, 1});
  assert_int_equal(r.c->counters[DRAM_OCCUPANCY], 12);
  assert_int_equal(r.c->counters[DRAM_LATENCY], 30 + 26);
  teardown(&r);
}

/* A whole line written: two bursts of two clocks, the second tCCDL after the first; a write has no latency, but a place in the
 * queue from 1 until 1 + tRCD + 3 (tRCDW is tRCD). */
static void test_counts_a_write(void **state) {
  (void)state;
  struct rig r;
  setup(&r, NULL);
  PLAY(&r, {0, MEM_WRITEBACK, 0, 0, 0, 15});
  assert_int_equal(r.c->counters[DRAM_WRITES], 1);
  assert_int_equal(r.c->counters[DRAM_ACTIVATES], 1);
  assert_int_equal(r.c->counters[DRAM_WRITE_BURSTS], 2);
  assert_int_equal(r.c->counters[DRAM_READ_BURSTS], 0);
  assert_int_equal(r.c->counters[DRAM_BYTES], 128);
  assert_int_equal(r.c->counters[DRAM_BUSY], 4);
  assert_int_equal(r.c->counters[DRAM_OCCUPANCY], 15);
  assert_int_equal(r.c->counters[DRAM_LATENCY], 0);
  teardown(&r);
}

/* Two rows of a bank. The second comes at 2, is precharged tRAS after the activate at 1, at 29, activated at 41, read at 53, and its
 * data leaves at 67. */
static void test_counts_a_row_conflict(void **state) {
  (void)state;
  struct rig r;
  setup(&r, NULL);
  PLAY(&r, {0, MEM_READ, 0, 0, 0, 1}, {0, MEM_READ, 0, 1, 0, 1});
  assert_int_equal(r.c->counters[DRAM_ROW_CONFLICTS], 1);
  assert_int_equal(r.c->counters[DRAM_ACTIVATES], 2);
  assert_int_equal(r.c->counters[DRAM_PRECHARGES], 1);
  assert_int_equal(r.c->counters[DRAM_BUSY], 4);
  assert_int_equal(r.c->counters[DRAM_OCCUPANCY], 12 + 53 - 2);
  assert_int_equal(r.c->counters[DRAM_LATENCY], 26 + 67 - 2);
  assert_int_equal(r.c->counters[DRAM_STALL_QUEUE], 0);
  assert_int_equal(r.c->counters[DRAM_STALL_RETURN], 0);
  teardown(&r);
}

/* The same with a queue of one: the second waits from 2 until the clock after the read at 13. */
static void test_counts_clocks_before_a_full_queue(void **state) {
  (void)state;
  struct rig r;
  setup(&r, SETTINGS("dram.queue=1"));
  PLAY(&r, {0, MEM_READ, 0, 0, 0, 1}, {0, MEM_READ, 0, 1, 0, 1});
  assert_int_equal(r.c->counters[DRAM_STALL_QUEUE], 14 - 2);
  assert_int_equal(r.c->counters[DRAM_OCCUPANCY], 12 + 53 - 14);
  assert_int_equal(r.c->counters[DRAM_LATENCY], 26 + 67 - 2);
  teardown(&r);
}

/* Five reads of an open row, tCCDL apart: data at 27, 30, 33, 36 and 39. The slice has four slots and takes the first at 100, so
 * that the fifth leaves at 101. */
static void test_counts_clocks_before_a_slice_without_a_free_slot(void **state) {
  (void)state;
  struct rig r;
  setup(&r, NULL);
  r.deaf_until = 100;
  PLAY(&r, {0, MEM_READ, 0, 0, 0, 1}, {0, MEM_READ, 0, 0, 128, 1}, {0, MEM_READ, 0, 0, 256, 1}, {0, MEM_READ, 0, 0, 384, 1},
       {0, MEM_READ, 0, 0, 512, 1});
  assert_int_equal(r.c->counters[DRAM_ROW_HITS], 4);
  assert_int_equal(r.c->counters[DRAM_STALL_RETURN], 101 - 39);
  assert_int_equal(r.c->counters[DRAM_LATENCY], (27 - 1) + (30 - 2) + (33 - 3) + (36 - 4) + (101 - 5));
  teardown(&r);
}

/* ---- order ---- */

static void test_frfcfs_serves_the_open_row_first(void **state) {
  (void)state;
  struct rig r;
  setup(&r, NULL);
  PLAY(&r, {0, MEM_READ, 0, 1, 0, 1}, {0, MEM_READ, 0, 2, 0, 1}, {0, MEM_READ, 0, 1, 128, 1});
  assert_int_equal(r.order[0], 0);
  assert_int_equal(r.order[1], 2);
  assert_int_equal(r.order[2], 1);
  assert_int_equal(r.c->counters[DRAM_ROW_HITS], 1);
  teardown(&r);
}

static void test_fcfs_serves_in_order(void **state) {
  (void)state;
  struct rig r;
  setup(&r, SETTINGS("dram.scheduler=fcfs"));
  PLAY(&r, {0, MEM_READ, 0, 1, 0, 1}, {0, MEM_READ, 0, 2, 0, 1}, {0, MEM_READ, 0, 1, 128, 1});
  for (uint32_t i = 0; i < 3; i++) assert_int_equal(r.order[i], i);
  assert_int_equal(r.c->counters[DRAM_ROW_HITS], 0);
  teardown(&r);
}

/* When the last of 32 reads is seen, with some writes between them. */
static uint64_t last_read(unsigned writes) {
  struct rig r;
  struct request q[64];
  unsigned n = 0;
  uint64_t last = 0;
  setup(&r, SETTINGS("dram.write_queue=8", "dram.write_high=4", "dram.write_low=1", "dram.input_queue=64"));
  for (unsigned i = 0; i < 16; i++) q[n++] = (struct request){0, MEM_READ, (uint16_t)i, 0, 0, 1};
  for (unsigned i = 0; i < writes; i++) q[n++] = (struct request){0, MEM_WRITEBACK, 0, 1 + i, 0, 15};
  for (unsigned i = 0; i < 16; i++) q[n++] = (struct request){0, MEM_READ, (uint16_t)i, 0, 128, 1};
  play(&r, q, n);
  for (unsigned i = 0; i < n; i++) last = r.seen[i] > last ? r.seen[i] : last;
  assert_int_equal(r.c->counters[DRAM_WRITES], writes);
  assert_int_equal(r.c->counters[DRAM_WRITE_DRAINS], (writes > 0) + (writes >= 4)); /* and at the end */
  teardown(&r);
  return last;
}

static void test_writes_wait_for_reads_until_the_high_watermark(void **state) {
  (void)state;
  uint64_t none = last_read(0);
  assert_true(last_read(3) <= none);
  /* Draining from four to one opens three rows of bank 0 after each other. */
  assert_true(last_read(4) >= none + 2 * 40);
}

/* ---- bandwidth ---- */

/* Streaming over all banks reaches the peak of 64 bytes in 2 clocks. */
static void test_streaming_reaches_the_peak_bandwidth(void **state) {
  (void)state;
  struct rig r;
  static struct request q[4000];
  setup(&r, NULL);
  for (unsigned i = 0; i < 4000; i++)
    q[i] = (struct request){0, MEM_READ, (uint16_t)(i % 16), i / 256, i / 16 % 16 * 128, 15};
  play(&r, q, 4000);
  double rate = 4000 * 128.0 / (double)r.now;
  if (rate < 0.97 * 32 || rate > 32) fail_msg("%.2f bytes a clock", rate);
  teardown(&r);
}

/* One bank, one row after the other: 128 bytes a row cycle of 40 clocks. */
static void test_row_conflicts_in_one_bank_take_a_row_cycle_each(void **state) {
  (void)state;
  struct rig r;
  static struct request q[200];
  setup(&r, NULL);
  for (unsigned i = 0; i < 200; i++) q[i] = (struct request){0, MEM_READ, 0, i, 0, 15};
  play(&r, q, 200);
  assert_int_equal(r.seen[199] - r.seen[99], 100 * 40);
  teardown(&r);
}

/* HBM: 32 bytes a burst of one clock; row commands have their own bus. */
static void test_hbm_reads_every_clock(void **state) {
  (void)state;
  struct rig r;
  static struct request q[4000];
  setup(&r, SETTINGS("dram.bus_bytes=16", "dram.burst_length=2", "dram.rate=2", "dram.tCCD=1", "dram.tCCDL=2",
                     "dram.tRRD=3", "dram.group_bits=low", "dram.dual_command_bus=true"));
  for (unsigned i = 0; i < 4000; i++)
    q[i] = (struct request){0, MEM_READ, (uint16_t)(i % 16), i / 256, i / 16 % 16 * 128, 15};
  play(&r, q, 4000);
  double rate = 4000 * 128.0 / (double)r.now;
  if (rate < 0.95 * 32 || rate > 32) fail_msg("%.2f bytes a clock", rate);
  teardown(&r);
}

/* ---- everything, at random ---- */

static void random_requests(struct request *q, unsigned n, uint64_t seed) {
  struct rng g = {seed};
  for (unsigned i = 0; i < n; i++)
    q[i] = (struct request){
        rng_below(&g, 4 * n), rng_below(&g, 3) ? MEM_READ : MEM_WRITEBACK, (uint16_t)rng_below(&g, 16),
        rng_below(&g, 3),     (uint32_t)rng_below(&g, 16) * 128,           (uint8_t)(1 + rng_below(&g, 15))};
}

static void every_read_comes_back(const char *const *settings, uint64_t seed) {
  static struct request q[3000];
  static uint16_t sm[3000];
  struct rig r;
  setup(&r, settings);
  random_requests(q, 3000, seed);
  for (unsigned i = 0; i < 3000; i++) sm[i] = (uint16_t)(i / 7 % 3);
  r.sm = sm;
  play(&r, q, 3000);
  uint32_t reads = 0;
  for (unsigned i = 0; i < 3000; i++) reads += q[i].kind == MEM_READ;
  assert_int_equal(r.n_seen, reads);
  assert_int_equal(r.c->counters[DRAM_READS], reads);
  assert_int_equal(r.c->counters[DRAM_WRITES], 3000 - reads);
  teardown(&r);
}

static void test_every_read_comes_back_once(void **state) {
  (void)state;
  every_read_comes_back(SETTINGS("dram.queue=4"), 1);
  every_read_comes_back(SETTINGS("dram.write_queue=32", "dram.tREFI=900", "dram.tRFC=80"), 2);
  every_read_comes_back(SETTINGS("dram.queue=8", "dram.return_queue=1", "dram.dual_command_bus=true", "dram.tFAW=32"), 3);
}

/* Whatever is chosen, with one queue, with one for writes, and with banks that take turns. */
static void test_every_read_comes_back_once_under_every_policy(void **state) {
  (void)state;
  static const char *const queues[] = {"dram.queue=16", "dram.write_queue=32", "dram.rotate_banks=true"};
  for (const struct policy *const *s = dram_schedulers; *s; s++)
    for (const struct policy *const *p = dram_pages; *p; p++)
      for (uint64_t i = 0; i < 3; i++) {
        char scheduler[64], page[64];
        snprintf(scheduler, sizeof scheduler, "dram.scheduler=%s", (*s)->name);
        snprintf(page, sizeof page, "dram.page=%s", (*p)->name);
        every_read_comes_back(SETTINGS(scheduler, page, queues[i]), i);
      }
}

static void test_sleeps_between_commands(void **state) {
  (void)state;
  struct rig r;
  setup(&r, NULL);
  PLAY(&r, {0, MEM_READ, 0, 0, 0, 1});
  /* Activate, read, data. */
  assert_int_equal(r.visits, 3);
  assert_int_equal(r.c->wake.at, MEM_NEVER);
  teardown(&r);
}

/* ---- the device against all pairs of its history ---- */

struct issued {
  uint64_t time;
  unsigned bank;
  enum dram_command command;
};

/* The distance rule between two commands, straight from the parameters. */
static uint64_t distance(const struct dram_timing *t, const struct issued *p, unsigned bank,
                         enum dram_command c, bool same_group) {
  bool same = p->bank == bank, column = p->command <= DRAM_WRITE && c <= DRAM_WRITE;
  uint64_t d = 0;
  if (column) {
    if (p->command == c) d = t->ccd;
    if (p->command == DRAM_READ && c == DRAM_WRITE) d = t->cl + t->burst + 2 - t->wl;
    if (p->command == DRAM_WRITE && c == DRAM_READ) d = t->wl + t->burst + t->cdlr;
    if (same_group && d < t->ccdl) d = t->ccdl;
  }
  if (p->command == DRAM_ACTIVATE && c == DRAM_ACTIVATE) d = same ? t->rc : same_group ? t->rrdl : t->rrd;
  if (!same) return d;
  if (p->command == DRAM_ACTIVATE && c == DRAM_READ) d = t->rcd;
  if (p->command == DRAM_ACTIVATE && c == DRAM_WRITE) d = t->rcdw;
  if (p->command == DRAM_ACTIVATE && c == DRAM_PRECHARGE) d = t->ras;
  if (p->command == DRAM_PRECHARGE && c == DRAM_ACTIVATE) d = t->rp;
  if (p->command == DRAM_READ && c == DRAM_PRECHARGE) d = t->rtp;
  if (p->command == DRAM_WRITE && c == DRAM_PRECHARGE) d = t->wl + t->burst + t->wr;
  return d;
}

static uint64_t earliest(const struct dram_device *d, const struct issued *h, unsigned n, unsigned bank,
                         enum dram_command c) {
  uint64_t t = 0, acts[5] = {0};
  unsigned n_acts = 0;
  for (unsigned i = 0; i < n; i++) {
    uint64_t u = h[i].time + distance(&d->t, &h[i], bank, c, d->bank[h[i].bank].group == d->bank[bank].group);
    if (distance(&d->t, &h[i], bank, c, d->bank[h[i].bank].group == d->bank[bank].group) && u > t) t = u;
  }
  for (unsigned i = n; c == DRAM_ACTIVATE && d->t.faw && i-- > 0 && n_acts < 4;)
    if (h[i].command == DRAM_ACTIVATE) acts[n_acts++] = h[i].time;
  if (n_acts == 4 && acts[3] + d->t.faw > t) t = acts[3] + d->t.faw;
  return t;
}

static void test_every_command_waits_for_every_rule(void **state) {
  (void)state;
  static const char *const variants[][6] = {
      {"dram.tFAW=0", NULL},
      {"dram.tFAW=33", "dram.tRRDL=9", "dram.tRCDW=7", "dram.tRRD=4", NULL},
      {"dram.tCCD=2", "dram.tCCDL=4", "dram.group_bits=low", "dram.tRTP=9", "dram.tRC=55", NULL},
  };
  enum { N = 1500 };
  static struct issued h[N];
  for (size_t v = 0; v < 3; v++) {
    struct cfg *cfg = memtest_cfg(variants[v]);
    struct err e = {0};
    struct dram_device d;
    struct rng g = {v};
    uint64_t now = 0;
    assert_true(dram_device_init(&d, cfg, &(struct dram_device_place){1, 16, 0, 1}, &e));
    for (unsigned i = 0; i < N; i++) {
      unsigned bank = (unsigned)rng_below(&g, 16);
      enum dram_command c = d.open[bank] == DRAM_CLOSED ? DRAM_ACTIVATE : (enum dram_command)rng_below(&g, 4);
      if (c == DRAM_ACTIVATE && d.open[bank] != DRAM_CLOSED) c = DRAM_PRECHARGE;
      uint64_t may = dram_device_may(&d, bank, c);
      assert_int_equal(may, earliest(&d, h, i, bank, c));
      now = (may > now ? may : now + 1) + (rng_below(&g, 4) ? 0 : rng_below(&g, 20));
      dram_device_issue(&d, bank, c, 1, now);
      h[i] = (struct issued){now, bank, c};
    }
    dram_device_free(&d);
    cfg_delete(cfg);
  }
}

/* ---- configuration and explanation ---- */

static void refuses(const char *setting, const char *word) {
  struct cfg *cfg = memtest_cfg(SETTINGS(setting));
  struct err e = {0};
  struct mem_map *m = mem_map_new(cfg, &e);
  assert_null(dram_channel_new(cfg, &(struct dram_place){0, 1, 1, m, NULL}, &e));
  if (!strstr(e.text, word)) fail_msg("no \"%s\" in: %s", word, e.text);
  mem_map_delete(m);
  cfg_delete(cfg);
}

static void test_sizes_that_do_not_fit_are_refused_by_name(void **state) {
  (void)state;
  refuses("dram.tCCD=1", "dram.tCCD");
  refuses("dram.bus_bytes=6", "dram.bus_bytes");
  refuses("dram.bank_groups=3", "dram.bank_groups");
  refuses("dram.write_queue=8", "dram.write_high");
  refuses("dram.tREFI=30", "dram.tREFI");
  refuses("dram.refresh_banks=3", "dram.refresh_banks");
}

static void test_explains_what_the_oldest_request_waits_for(void **state) {
  (void)state;
  struct rig r;
  struct str s = {0};
  setup(&r, NULL);
  struct mem_place p = {.bank = 3, .row = 9};
  mem_port_push(&r.c->in[0], memtest_packet(r.pool, MEM_READ, mem_map_back(r.map, &p), 1), 0);
  for (; r.now < 3; r.now++) visit(&r);
  dram_explain(r.c, r.now, &s);
  assert_non_null(strstr(s.s, "bank 3, row 9"));
  assert_non_null(strstr(s.s, "read may go in 10 clocks"));
  str_free(&s);
  play(&r, NULL, 0);
  teardown(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_closed_row_takes_activate_read_and_data),
      cmocka_unit_test(test_a_write_is_acknowledged_when_its_data_are_there),
      cmocka_unit_test(test_banks_may_take_turns),
      cmocka_unit_test(test_requests_that_banks_serve_may_leave_the_queue),
      cmocka_unit_test(test_a_whole_line_takes_its_bursts_one_after_the_other),
      cmocka_unit_test(test_open_row_takes_read_and_data),
      cmocka_unit_test(test_other_row_takes_precharge_first),
      cmocka_unit_test(test_a_row_stays_open_for_its_minimum_time),
      cmocka_unit_test(test_write_recovery_delays_the_precharge),
      cmocka_unit_test(test_a_read_after_a_write_waits_for_the_turnaround),
      cmocka_unit_test(test_a_write_after_a_read_waits_for_the_bus),
      cmocka_unit_test(test_activates_keep_their_distance),
      cmocka_unit_test(test_a_fifth_activate_waits_for_the_window_of_four),
      cmocka_unit_test(test_bank_groups_decide_the_distance_of_columns),
      cmocka_unit_test(test_fixed_latency_comes_before_the_queue),
      cmocka_unit_test(test_refresh_closes_rows_and_keeps_the_banks),
      cmocka_unit_test(test_an_idle_channel_refreshes_without_being_visited),
      cmocka_unit_test(test_banks_are_refreshed_in_turn),
      cmocka_unit_test(test_every_bank_has_its_refresh_in_turn_also_when_nobody_looks),
      cmocka_unit_test(test_channels_are_refreshed_at_different_times),
      cmocka_unit_test(test_counts_a_read_from_entering_to_leaving),
      cmocka_unit_test(test_the_fixed_latency_counts_as_latency_only),
      cmocka_unit_test(test_counts_a_write),
      cmocka_unit_test(test_counts_a_row_conflict),
      cmocka_unit_test(test_counts_clocks_before_a_full_queue),
      cmocka_unit_test(test_counts_clocks_before_a_slice_without_a_free_slot),
      cmocka_unit_test(test_frfcfs_serves_the_open_row_first),
      cmocka_unit_test(test_fcfs_serves_in_order),
      cmocka_unit_test(test_writes_wait_for_reads_until_the_high_watermark),
      cmocka_unit_test(test_streaming_reaches_the_peak_bandwidth),
      cmocka_unit_test(test_row_conflicts_in_one_bank_take_a_row_cycle_each),
      cmocka_unit_test(test_hbm_reads_every_clock),
      cmocka_unit_test(test_every_read_comes_back_once),
      cmocka_unit_test(test_every_read_comes_back_once_under_every_policy),
      cmocka_unit_test(test_sleeps_between_commands),
      cmocka_unit_test(test_every_command_waits_for_every_rule),
      cmocka_unit_test(test_sizes_that_do_not_fit_are_refused_by_name),
      cmocka_unit_test(test_explains_what_the_oldest_request_waits_for),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
