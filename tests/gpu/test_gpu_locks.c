/* Threads that wait for each other on a timed GPU: locks end, hand-over within a warp, what is a deadlock and what is reported of it. */
#include "gpu_rig.h"

/* A lock in data[0], a count that only its holder touches in data[1]. */
#define COUNT                                                                                                                      \
  "ld.volatile.global.u32 %r4, [%rd1+4]; add.u32 %r4, %r4, 1; st.volatile.global.u32 [%rd1+4], %r4; membar.gl;"                    \
  "atom.global.exch.b32 %r5, [%rd1], 0;"
#define NAKED "SPIN: atom.global.cas.b32 %r3, [%rd1], 0, 1; setp.ne.u32 %p1, %r3, 0; @%p1 bra SPIN;" COUNT
#define WITH_FLAG                                                                                                                  \
  "AGAIN: atom.global.cas.b32 %r3, [%rd1], 0, 1; setp.ne.u32 %p1, %r3, 0; @%p1 bra NEXT;" COUNT "NEXT: @%p1 bra AGAIN;"

static uint64_t lock(const char *lines, const char *more, unsigned ctas, unsigned threads) {
  struct rig r;
  rig_open(&r, TWELVE_SMS, more);
  rig_run(&r, lines, ctas, threads, 0);
  assert_int_equal(((uint32_t *)rig_data(&r))[1], ctas * threads);
  uint64_t cycles = rig_cycles(&r);
  rig_close(&r);
  return cycles;
}

static void test_a_lock_within_a_warp_ends_though_the_watchdog_is_impatient(void **state) {
  (void)state;
  static const char *const yield[] = {"gpu.watchdog = 2000\nsm.yield = true\n", "gpu.watchdog = 2000\n"};
  static const char *const two_threads[] = {"gpu.watchdog = 2000\nsm.yield = true\ngpu.threads = 2\n",
                                            "gpu.watchdog = 2000\ngpu.threads = 2\n"};
  for (int i = 0; i < 2; i++) {
    uint64_t cycles = lock(NAKED, yield[i], 1, 2);
    assert_int_equal(lock(NAKED, two_threads[i], 1, 2), cycles);
    cycles = lock(NAKED, yield[i], 3, 40);
    assert_int_equal(lock(NAKED, two_threads[i], 3, 40), cycles);
    cycles = lock(WITH_FLAG, yield[i], 3, 40);
    assert_int_equal(lock(WITH_FLAG, two_threads[i], 3, 40), cycles);
  }
}

/* A turn of the loop that waits for the lock takes some 150 cycles here, and so does each access of its holder. */
static void test_lanes_that_wait_for_a_lock_give_way_at_every_turn(void **state) {
  (void)state;
  uint64_t alone = lock(NAKED, "sm.yield = true\n", 1, 1);
  assert_in_range(lock(NAKED, "sm.yield = true\n", 1, 32), 10 * alone, 45 * alone);
  assert_true(lock(NAKED, "sm.yield = false\n", 1, 32) > 500 * alone);
}

static void test_sides_of_a_branch_do_not_give_way_to_each_other_while_they_wait_for_memory(void **state) {
  (void)state;
  static const char both[] = "setp.ne.u32 %p1, %r1, 0; mov.u64 %rd4, 0; mov.u32 %r6, 0; @%p1 bra B;\n"
                             "A: add.u64 %rd5, %rd1, %rd4; ld.global.cg.u64 %rd4, [%rd5+64]; add.u32 %r6, %r6, 1;\n"
                             "setp.lt.u32 %p2, %r6, 200; @%p2 bra A; bra E;\n"
                             "B: add.u64 %rd5, %rd1, %rd4; ld.global.cg.u64 %rd4, [%rd5+512]; add.u32 %r6, %r6, 1;\n"
                             "setp.lt.u32 %p2, %r6, 200; @%p2 bra B;\n"
                             "E: st.global.u64 [%rd1], %rd4;";
  uint64_t cycles[2];
  for (unsigned i = 0; i < 2; i++) {
    struct rig r;
    rig_open(&r, ONE_SM, "sm.yield = true\n");
    rig_run(&r, both, 1, i + 1, 0);
    cycles[i] = rig_cycles(&r);
    rig_close(&r);
  }
  assert_in_range(cycles[1], cycles[0] * 18 / 10, cycles[0] * 2);
}

/* ---- what the watchdog calls a deadlock -------------------------------------------------------------------------------- */

static void deadlocks(const char *lines, const char *more, unsigned threads, const char *const *says) {
  struct rig r;
  rig_open(&r, ONE_SM, more);
  rig_load(&r, lines, 1, threads, 0);
  assert_int_equal(rig_go(&r), GPU_DEADLOCK);
  for (; says && *says; says++)
    if (!strstr(r.err.text, *says)) fail_msg("'%s' is missing in: %s", *says, r.err.text);
  rig_close(&r);
}

/* Two lanes of a warp each hold a lock and want the other's. */
static void test_two_lanes_that_wait_for_each_other_for_ever_are_both_named(void **state) {
  (void)state;
  static const char crossed[] =
      "mul.wide.u32 %rd4, %r1, 64; add.u64 %rd4, %rd1, %rd4; atom.global.exch.b32 %r3, [%rd4], 1; bar.warp.sync 3;\n"
      "setp.eq.u32 %p1, %r1, 1; @%p1 bra Y;\n"
      ".loc 1 12 0\nX: atom.global.cas.b32 %r3, [%rd1+64], 0, 1; setp.ne.u32 %p2, %r3, 0; @%p2 bra X; bra E;\n"
      ".loc 2 207 3, function_name $L, inlined_at 1 34 0\nY: atom.global.cas.b32 %r3, [%rd1], 0, 1;\n"
      "setp.ne.u32 %p2, %r3, 0; @%p2 bra Y;\nE: mov.u32 %r4, 0;";
  static const char *const says[] = {"nothing but waiting",
                                     "warp 0 of CTA (0,0,0) of kernel 'k': lanes 0x0000000",
                                     "wait for their turn at kernel.cu:",
                                     "kernel.cu:12 (",
                                     "kernel.cu:34 (atom.cas.global.b32 at test.ptx:14, of atomics.hpp:207)",
                                     "whether a value has changed (0x",
                                     NULL};
  deadlocks(crossed, "gpu.watchdog = 2000\nsm.yield = true\n", 2, says);
  deadlocks(crossed, "gpu.watchdog = 2000\n", 2, says);
  deadlocks(crossed, "gpu.watchdog = 2000\ngpu.threads = 2\n", 2, says);
}

/* Lane 0 holds the lock for ever; the others wait where it stands still, or before it. */
static void test_a_lock_that_nobody_lets_go_is_a_deadlock_however_it_is_looked_at(void **state) {
  (void)state;
  static const char *const looks[] = {
      "L: atom.global.cas.b32 %r3, [%rd1], 0, 1; setp.ne.u32 %p1, %r3, 0; @%p1 bra L;",
      "L: atom.global.exch.b32 %r3, [%rd1], 1; setp.ne.u32 %p1, %r3, 0; @%p1 bra L;",
      "L: atom.global.or.b32 %r3, [%rd1], 0; setp.ne.u32 %p1, %r3, 0; @%p1 bra L;",
      "L: atom.global.cas.b32 %r3, [%rd1], 0, 1; ld.volatile.global.u32 %r4, [%rd1+64]; setp.ne.u32 %p1, %r3, 0; @%p1 bra L;",
      "L: ld.volatile.global.u32 %r3, [%rd1]; st.global.u32 [%rd1+64], 7; setp.ne.u32 %p1, %r3, 0; @%p1 bra L;",
      "L: atom.global.cas.b32 %r3, [%rd1], 0, 1; st.volatile.global.u32 [%rd1+64], 7; setp.ne.u32 %p1, %r3, 0; @%p1 bra L;",
  };
  for (size_t i = 0; i < sizeof looks / sizeof *looks; i++)
    for (unsigned yield = 0; yield < 2; yield++) {
      char lines[512];
      snprintf(lines, sizeof lines, "atom.global.exch.b32 %%r5, [%%rd1], 1; %s", looks[i]);
      deadlocks(lines, yield ? "gpu.watchdog = 2000\nsm.yield = true\n" : "gpu.watchdog = 2000\n", 32, NULL);
    }
}

static void test_lanes_at_a_barrier_and_the_one_they_wait_for_are_named(void **state) {
  (void)state;
  static const char *const says[] = {"lanes 0x00000001 wait for", "looking again and again",
                                     "lanes 0x0000000e wait for a barrier (number 0) at test.ptx:10 (",
                                     ": 3 threads have come of 4", NULL};
  deadlocks("setp.ne.u32 %p1, %r1, 0; @%p1 bra E; L: ld.volatile.global.u32 %r3, [%rd1]; setp.eq.u32 %p2, %r3, 0;\n"
            "@%p2 bra L; E: bar.sync 0;",
            "gpu.watchdog = 2000\n", 4, says);
}

/* Each thread counts by compare-and-swap, in vain most of the time: nothing but the value says that it gets anywhere. */
static void test_a_value_that_changes_is_progress(void **state) {
  (void)state;
  struct rig r;
  rig_open(&r, TWELVE_SMS, "gpu.watchdog = 2000\n");
  rig_run(&r,
          "mov.u32 %r6, 0; mov.u32 %r3, 0;\n"
          "L: add.u32 %r4, %r3, 1; atom.global.cas.b32 %r5, [%rd1], %r3, %r4; setp.ne.u32 %p1, %r5, %r3; mov.u32 %r3, %r5;\n"
          "@%p1 bra L; add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, 50; @%p2 bra L;",
          24, 1, 0);
  assert_int_equal(((uint32_t *)rig_data(&r))[0], 24 * 50);
  assert_true(rig_cycles(&r) > 20000);
  rig_close(&r);
}

/* So is a count in registers, however often one place is looked at. */
static void test_a_loop_that_counts_its_looks_is_no_deadlock(void **state) {
  (void)state;
  static const char *const looks[] = {"ld.volatile.global.u32", "ld.global.cg.u32"};
  for (size_t i = 0; i < sizeof looks / sizeof *looks; i++)
    for (unsigned threads = 1; threads <= 2; threads++) {
      char lines[512];
      struct rig r;
      snprintf(lines, sizeof lines,
               "mov.u32 %%r6, 0; L: %s %%r3, [%%rd1+64]; add.u32 %%r6, %%r6, 1; setp.lt.u32 %%p2, %%r6, 300; @%%p2 bra L;\n"
               "st.global.u32 [%%rd1], %%r6;",
               looks[i]);
      rig_open(&r, TWELVE_SMS, threads == 1 ? "gpu.watchdog = 2000\n" : "gpu.watchdog = 2000\ngpu.threads = 2\n");
      rig_run(&r, lines, 24, 1, 0);
      assert_int_equal(((uint32_t *)rig_data(&r))[0], 300);
      assert_true(rig_cycles(&r) > 20000);
      rig_close(&r);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_lock_within_a_warp_ends_though_the_watchdog_is_impatient),
      cmocka_unit_test(test_lanes_that_wait_for_a_lock_give_way_at_every_turn),
      cmocka_unit_test(test_sides_of_a_branch_do_not_give_way_to_each_other_while_they_wait_for_memory),
      cmocka_unit_test(test_two_lanes_that_wait_for_each_other_for_ever_are_both_named),
      cmocka_unit_test(test_a_lock_that_nobody_lets_go_is_a_deadlock_however_it_is_looked_at),
      cmocka_unit_test(test_lanes_at_a_barrier_and_the_one_they_wait_for_are_named),
      cmocka_unit_test(test_a_value_that_changes_is_progress),
      cmocka_unit_test(test_a_loop_that_counts_its_looks_is_no_deadlock),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
