/* Instructions that are executed in one go: the same values, counts and faults as one by one; what every CTA of a launch would compute
 * again is computed once; loads and stores of all lanes at once go where single ones go. */
#include "kernel_kit.h"

#include <string.h>

enum { THREADS = 64, CTAS = 5, PROLOGUE = 8 /* instructions of the kit, of every warp */ };

/* Runs lines with constants computed once and each time: both must execute as many instructions. Leaves the output of the first. */
static void run_both(struct kit *k, const char *lines) {
  uint32_t first[KIT_OUT_BYTES / 4];
  k->ctas = CTAS;
  k->load_flags = EXEC_UNTIMED;
  kit_run(k, THREADS, lines);
  uint64_t instructions = k->instructions;
  memcpy(first, kit_out(k), sizeof first);
  memset(kit_out(k), 0, KIT_OUT_BYTES);
  k->load_flags = 0;
  kit_run(k, THREADS, lines);
  assert_int_equal(instructions, k->instructions);
  assert_memory_equal(first, kit_out(k), sizeof first);
}

/* out[cta * 64 + thread] of 4 bytes. */
#define PLACE "mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 64, %r1; mul.wide.u32 %rd8, %r3, 4; add.u64 %rd9, %rd2, %rd8;\n"

static void test_what_depends_on_the_cta_is_computed_for_each(void **state) {
  struct kit *k = *state;
  run_both(k, PLACE "mov.u32 %r4, %ntid.x; add.u32 %r5, %r4, %r1; mad.lo.u32 %r6, %r2, 1000, %r5; st.global.u32 [%rd9], %r6;");
  const uint32_t *out = kit_out(k);
  for (uint32_t i = 0; i < CTAS * THREADS; i++) assert_int_equal(out[i], i / THREADS * 1000 + THREADS + i % THREADS);
}

/* %r4 begins anew in each CTA, because two instructions write it; %r5 is written by one, in a loop, of what is not the same each time. */
static void test_a_register_that_is_written_twice_is_no_constant(void **state) {
  struct kit *k = *state;
  run_both(k, PLACE "mov.u32 %r4, %tid.x;\nL: add.u32 %r5, %r4, 3; mov.u32 %r4, %r5; setp.lt.u32 %p1, %r4, 200; @%p1 bra L;\n"
                    "st.global.u32 [%rd9], %r5;");
  const uint32_t *out = kit_out(k);
  for (uint32_t i = 0; i < CTAS * THREADS; i++) assert_int_equal(out[i], i % 64 + (200 - i % 64 + 2) / 3 * 3);
}

/* A guard makes a write partial: the others keep what they had. */
static void test_guarded_writes_are_not_constants(void **state) {
  struct kit *k = *state;
  run_both(k, PLACE "mov.u32 %r4, 7; and.b32 %r6, %r3, 1; setp.eq.u32 %p1, %r6, 0; @%p1 mov.u32 %r4, 9; @!%p1 add.u32 %r4, %r4, %r2;\n"
                    "st.global.u32 [%rd9], %r4;");
  const uint32_t *out = kit_out(k);
  for (uint32_t i = 0; i < CTAS * THREADS; i++) assert_int_equal(out[i], i % 2 ? 7 + i / THREADS : 9);
}

/* A constant that only some lanes compute, behind a branch; the sides meet in the middle of what could be one stretch. */
static void test_constants_behind_a_branch(void **state) {
  struct kit *k = *state;
  run_both(k, PLACE "setp.lt.u32 %p1, %r1, 40; @%p1 bra A; mov.u32 %r4, %ntid.x; mul.lo.u32 %r5, %r4, 3; bra B;\n"
                    "A: mov.u32 %r5, %r2;\nB: add.u32 %r6, %r5, 1; add.u32 %r7, %r6, %r1; st.global.u32 [%rd9], %r7;");
  const uint32_t *out = kit_out(k);
  for (uint32_t i = 0; i < CTAS * THREADS; i++)
    assert_int_equal(out[i], (i % THREADS < 40 ? i / THREADS : 3 * THREADS) + 1 + i % THREADS);
}

/* Carries go from one instruction to the next, and are none of the registers. */
static void test_chains_of_carries_are_executed_each_time(void **state) {
  struct kit *k = *state;
  run_both(k, PLACE "mov.u32 %r4, 0xffffffff; add.cc.u32 %r5, %r4, %r2; addc.u32 %r6, %r1, 0; st.global.u32 [%rd9], %r6;");
  const uint32_t *out = kit_out(k);
  for (uint32_t i = 0; i < CTAS * THREADS; i++) assert_int_equal(out[i], i % THREADS + (i >= THREADS));
}

static void test_a_fault_ends_a_stretch_where_it_happens(void **state) {
  struct kit *k = *state;
  k->load_flags = EXEC_UNTIMED;
  kit_faults(k, 32, EXEC_FAULT_ILLEGAL_ADDRESS, "mov.u32 %r4, 1; add.u64 %rd9, %rd4, 4000; ld.global.u32 %r5, [%rd9];\n"
             "add.u32 %r6, %r5, 1; add.u32 %r7, %r6, 1; add.u32 %r8, %r7, 1; st.global.u32 [%rd5], %r8;", "thread (24,0,0)", NULL);
  assert_int_equal(k->instructions, PROLOGUE + 3);
}

/* Behind the turns that end before a store: each lane adds its number to a place of its own, the odd ones once more, and others see the
 * same places. Two warps a CTA, so that turns are short at first. */
static void test_stores_within_a_stretch(void **state) {
  struct kit *k = *state;
  run_both(k, PLACE "mov.u32 %r4, 0; and.b32 %r6, %r1, 1; setp.ne.u32 %p2, %r6, 0; st.global.u32 [%rd9], %r4;\n"
                    "L: ld.global.u32 %r5, [%rd9]; add.u32 %r5, %r5, %r1; st.global.u32 [%rd9], %r5; ld.global.u32 %r7, [%rd9];\n"
                    "@%p2 st.global.u32 [%rd9], %r7; @!%p2 bra E; add.u32 %r7, %r7, 1; st.global.u32 [%rd9], %r7; add.u32 %r8, %r7, 1;\n"
                    "E: add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 100; @%p1 bra L;\n");
  const uint32_t *out = kit_out(k);
  for (uint32_t i = 0; i < CTAS * THREADS; i++) assert_int_equal(out[i], 100 * (i % THREADS + i % 2));
}

/* The second store of a stretch. */
static void test_a_store_that_faults_ends_a_stretch(void **state) {
  struct kit *k = *state;
  k->load_flags = EXEC_UNTIMED;
  kit_faults(k, 32, EXEC_FAULT_ILLEGAL_ADDRESS, "st.global.u32 [%rd5], %r1; add.u64 %rd9, %rd4, 4000; st.global.u32 [%rd9], %r1;\n"
             "add.u32 %r6, %r1, 1; st.global.u32 [%rd5], %r6;", "thread (24,0,0)", NULL);
  assert_int_equal(k->instructions, PROLOGUE + 3);
  assert_int_equal(*(const uint32_t *)kit_out(k), 0);
}

static void test_a_limit_falls_into_a_stretch(void **state) {
  struct kit *k = *state;
  k->load_flags = EXEC_UNTIMED;
  for (uint64_t most = 1; most < PROLOGUE + 4; most++) {
    k->limits = (struct exec_limits){.max_instructions = most};
    assert_false(kit_try(k, 32, "add.u32 %r4, %r1, 1; add.u32 %r5, %r4, 1; add.u32 %r6, %r5, 1; st.global.u32 [%rd5], %r6;"));
    assert_int_equal(k->err.kind, ERR_LIMIT);
    assert_int_equal(k->limits.executed, most);
  }
}

/* ---- loads and stores of all lanes ------------------------------------------------------------------------------------- */

/* Four turns, so that the memory is known from the second on; %rd10 goes `step` on each turn. The lanes are `apart` bytes from each
 * other. */
static const char *turns(const char *what, unsigned apart, unsigned step, const char *base) {
  return kit_text("mul.wide.u32 %%rd8, %%r1, %u; add.u64 %%rd10, %s, %%rd8; mov.u32 %%r9, 0; mov.u32 %%r8, 0; mov.u64 %%rd12, 0;\n"
                  "L: %s\nadd.u64 %%rd10, %%rd10, %u; add.u32 %%r9, %%r9, 1; setp.lt.u32 %%p1, %%r9, 4; @%%p1 bra L;\n"
                  "st.global.u32 [%%rd5+4096], %%r8;",
                  apart, base, what, step);
}

#define SUM32 "ld.global.u32 %r4, [%rd10]; add.u32 %r8, %r8, %r4;"
#define SUM64 "ld.global.u64 %rd11, [%rd10]; cvt.u32.u64 %r4, %rd11; add.u32 %r8, %r8, %r4;"

static void check_sums(struct kit *k, const char *what, unsigned apart, unsigned step, unsigned bytes) {
  unsigned char *in = kit_in(k);
  for (unsigned i = 0; i < KIT_IN_BYTES / 4; i++) ((uint32_t *)(void *)in)[i] = i * 2654435761u;
  kit_run(k, 32, turns(what, apart, step, "%rd1"));
  const uint32_t *out = (const uint32_t *)kit_out(k) + 1024;
  for (unsigned lane = 0; lane < 32; lane++) {
    uint32_t sum = 0, x;
    for (unsigned i = 0; i < 4; i++) {
      memcpy(&x, in + lane * apart + i * step, sizeof x);
      sum += x;
    }
    if (out[lane] != sum) fail_msg("lanes %u apart, %u bytes: lane %u has %u instead of %u", apart, bytes, lane, out[lane], sum);
  }
}

static void test_loads_of_every_pattern(void **state) {
  static const unsigned apart[] = {0, 4, 8, 12, 16, 40};
  for (size_t i = 0; i < sizeof apart / sizeof *apart; i++) check_sums(*state, SUM32, apart[i], 4, 4);
  for (size_t i = 0; i < sizeof apart / sizeof *apart; i++)
    if (apart[i] % 8 == 0) check_sums(*state, SUM64, apart[i], 8, 8);
}

/* Kernels whose lanes `apart` from each other begin so far before the end of the input that the last one leaves it at the third turn. */
static const char *turns_to_the_end(const char *what, unsigned apart, unsigned step, unsigned bytes) {
  return kit_text("add.u64 %%rd13, %%rd1, %u;\n%s", KIT_IN_BYTES - 31 * apart - step - bytes, turns(what, apart, step, "%rd13"));
}

static void test_a_lane_that_leaves_the_allocation_is_seen(void **state) {
  struct kit *k = *state;
  static const unsigned apart[] = {4, 64};
  for (size_t i = 0; i < sizeof apart / sizeof *apart; i++) {
    kit_faults(k, 32, EXEC_FAULT_ILLEGAL_ADDRESS, turns_to_the_end(SUM32, apart[i], 4, 4), "thread (31,0,0)", "ld.global.u32", NULL);
    kit_faults(k, 32, EXEC_FAULT_ILLEGAL_ADDRESS, turns_to_the_end("st.global.u32 [%rd10], %r1;", apart[i], 4, 4), "thread (31,0,0)", NULL);
  }
  kit_faults(k, 32, EXEC_FAULT_ILLEGAL_ADDRESS, turns_to_the_end(SUM64, 8, 8, 8), "thread (31,0,0)", "ld.global.u64", NULL);
}

static void test_addresses_that_become_crooked_are_seen(void **state) {
  struct kit *k = *state;
  kit_faults(k, 32, EXEC_FAULT_MISALIGNED, turns(SUM32, 4, 2, "%rd1"), "ld.global.u32", NULL);
  kit_faults(k, 32, EXEC_FAULT_MISALIGNED, turns(SUM64, 40, 4, "%rd1"), "ld.global.u64", NULL);
  kit_faults(k, 32, EXEC_FAULT_MISALIGNED, turns("st.global.u32 [%rd10], %r1;", 12, 2, "%rd1"), "st.global.u32", NULL);
}

/* Stores scattered, consecutive and to one place, where the highest lane's value stays; into shared memory and out of it. */
static void test_stores_of_every_pattern(void **state) {
  struct kit *k = *state;
  static const unsigned apart[] = {0, 4, 20};
  for (size_t a = 0; a < sizeof apart / sizeof *apart; a++) {
    memset(kit_out(k), 0, KIT_OUT_BYTES);
    kit_run(k, 32, turns("add.u32 %r4, %r1, 100; mad.lo.u32 %r4, %r9, 1000, %r4; st.global.u32 [%rd10], %r4;", apart[a], 1024, "%rd2"));
    for (unsigned i = 0; i < 4; i++)
      for (unsigned lane = apart[a] ? 0 : 31; lane < 32; lane++)
        if (i != 3 || apart[a] != 4) /* the sum lies there */
          assert_int_equal(((const uint32_t *)kit_out(k))[(i * 1024 + lane * apart[a]) / 4], 1000 * i + 100 + lane);
  }
  kit_run(k, 32, "mul.lo.u32 %r4, %r1, 36; add.u32 %r5, %r4, 5; mov.u32 %r6, sm; add.u32 %r7, %r6, %r4; st.shared.u32 [%r7], %r5;\n"
                 "sub.u32 %r9, 1116, %r4; add.u32 %r10, %r6, %r9; ld.shared.u32 %r11, [%r10]; st.global.u32 [%rd5], %r11;");
  for (unsigned lane = 0; lane < 32; lane++) assert_int_equal(((const uint32_t *)kit_out(k))[lane], (31 - lane) * 36 + 5);
  kit_faults(k, 32, EXEC_FAULT_ILLEGAL_ADDRESS, "mul.lo.u32 %r4, %r1, 132; mov.u32 %r6, sm; add.u32 %r7, %r6, %r4; add.u32 %r7, %r7, 4;\n"
             "st.shared.u32 [%r7], %r4;", "thread (31,0,0)", NULL);
}

/* Pairs of words, likewise; a pair is aligned and inside as a whole. */
#define PAIRS "ld.global.v2.u32 {%r4, %r5}, [%rd10]; mad.lo.u32 %r8, %r8, 7, %r4; mad.lo.u32 %r8, %r8, 3, %r5;"

static void test_pairs_of_every_pattern(void **state) {
  struct kit *k = *state;
  static const unsigned apart[] = {0, 8, 16, 40};
  uint32_t *in = (uint32_t *)(void *)kit_in(k);
  for (unsigned i = 0; i < KIT_IN_BYTES / 4; i++) in[i] = i * 2654435761u;
  for (size_t a = 0; a < sizeof apart / sizeof *apart; a++) {
    kit_run(k, 32, turns(PAIRS, apart[a], 24, "%rd1"));
    for (unsigned lane = 0; lane < 32; lane++) {
      uint32_t sum = 0;
      for (unsigned i = 0, at = lane * apart[a] / 4; i < 4; i++, at += 6) sum = (sum * 7 + in[at]) * 3 + in[at + 1];
      assert_int_equal(((const uint32_t *)kit_out(k))[1024 + lane], sum);
    }
    memset(kit_out(k), 0, KIT_OUT_BYTES);
    kit_run(k, 32, turns("mad.lo.u32 %r4, %r9, 1000, %r1; add.u32 %r5, %r4, 500; st.global.v2.u32 [%rd10], {%r4, %r5};", apart[a], 1280,
                         "%rd2"));
    for (unsigned i = 0; i < 3; i++)
      for (unsigned lane = apart[a] ? 0 : 31; lane < 32; lane++)
        for (unsigned e = 0; e < 2; e++)
          assert_int_equal(((const uint32_t *)kit_out(k))[(i * 1280 + lane * apart[a]) / 4 + e], 1000 * i + lane + 500 * e);
  }
  kit_faults(k, 32, EXEC_FAULT_MISALIGNED, turns(PAIRS, 8, 4, "%rd1"), "ld.global.v2.u32", NULL);
  kit_faults(k, 32, EXEC_FAULT_MISALIGNED, turns("st.global.v2.u32 [%rd10], {%r1, %r9};", 16, 4, "%rd1"), "st.global.v2.u32", NULL);
  kit_faults(k, 32, EXEC_FAULT_ILLEGAL_ADDRESS, turns_to_the_end(PAIRS, 8, 8, 8), "thread (31,0,0)", "ld.global.v2.u32", NULL);
}

/* ---- clocks ---------------------------------------------------------------------------------------------------------------- */

/* A kernel that waits for 2^34 cycles, ten seconds; the clock never goes back, and goes 2^26 cycles on at most. */
static void test_a_wait_for_the_clock_takes_few_looks(void **state) {
  struct kit *k = *state;
  kit_run(k, 32, "mov.u64 %rd8, %clock64; mov.u64 %rd11, %rd8; mov.u32 %r4, 0;\n"
                 "L: mov.u64 %rd9, %clock64; sub.u64 %rd12, %rd9, %rd11; setp.gt.u64 %p2, %rd12, 0x4000100; @%p2 add.u32 %r4, %r4, 1;\n"
                 "mov.u64 %rd11, %rd9; sub.u64 %rd10, %rd9, %rd8; setp.lt.u64 %p1, %rd10, 0x400000000; @%p1 bra L;\n"
                 "st.global.u32 [%rd5], %r4;");
  assert_int_equal(((const uint32_t *)kit_out(k))[0], 0);
  assert_in_range(k->instructions, 100, 8000);
}

/* Who reads it twice with work in between sees the work: eight cycles an instruction. */
static void test_the_clock_counts_work_between_two_reads(void **state) {
  struct kit *k = *state;
  kit_run(k, 32, "mov.u32 %r4, 0; mov.u64 %rd8, %clock64;\nL: add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 1000; @%p1 bra L;\n"
                 "mov.u64 %rd9, %clock64; sub.u64 %rd10, %rd9, %rd8; st.global.u64 [%rd7], %rd10;");
  assert_int_equal(((const uint64_t *)kit_out(k))[0], 8 * 3001);
}

/* Lanes that are together exchange values in the middle of a stretch; those of one side of a branch do so apart, and wait for the others
 * where all are meant. */
static void test_lanes_exchange_values_in_a_stretch(void **state) {
  struct kit *k = *state;
  run_both(k, PLACE "add.u32 %r4, %r3, 5; shfl.sync.bfly.b32 %r5, %r4, 3, 31, -1; add.u32 %r6, %r5, 1;\n"
                    "and.b32 %r7, %r1, 1; setp.eq.u32 %p1, %r7, 0; @%p1 bra A; shfl.sync.idx.b32 %r8, %r4, 1, 31, 0xaaaaaaaa;\n"
                    "add.u32 %r6, %r6, %r8; bra B;\nA: add.u32 %r6, %r6, 1000;\nB: vote.sync.ballot.b32 %r9, %p1, -1;\n"
                    "and.b32 %r9, %r9, 255; add.u32 %r6, %r6, %r9; st.global.u32 [%rd9], %r6;");
  const uint32_t *out = kit_out(k);
  for (uint32_t i = 0; i < CTAS * THREADS; i++)
    assert_int_equal(out[i], (i ^ 3) + 6 + (i % 2 ? (i & ~31u) + 1 + 5 : 1000) + 0x55);
}

/* Lanes that have ended take no part and keep nobody waiting. */
static void test_the_lanes_that_are_left_exchange_values(void **state) {
  struct kit *k = *state;
  run_both(k, PLACE "and.b32 %r7, %r1, 31; setp.gt.u32 %p1, %r7, 15; @%p1 exit; add.u32 %r4, %r3, 1;\n"
                    "shfl.sync.down.b32 %r5, %r4, 8, 31, -1; add.u32 %r6, %r5, 1; st.global.u32 [%rd9], %r6;");
  const uint32_t *out = kit_out(k);
  for (uint32_t i = 0; i < CTAS * THREADS; i++) assert_int_equal(out[i], i % 32 > 15 ? 0 : i % 32 < 8 ? i + 10 : 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_what_depends_on_the_cta_is_computed_for_each, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_a_register_that_is_written_twice_is_no_constant, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_guarded_writes_are_not_constants, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_constants_behind_a_branch, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_chains_of_carries_are_executed_each_time, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_a_fault_ends_a_stretch_where_it_happens, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_stores_within_a_stretch, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_a_store_that_faults_ends_a_stretch, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_a_limit_falls_into_a_stretch, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_loads_of_every_pattern, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_a_lane_that_leaves_the_allocation_is_seen, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_addresses_that_become_crooked_are_seen, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_stores_of_every_pattern, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_pairs_of_every_pattern, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_a_wait_for_the_clock_takes_few_looks, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_the_clock_counts_work_between_two_reads, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_lanes_exchange_values_in_a_stretch, kit_setup, kit_teardown),
      cmocka_unit_test_setup_teardown(test_the_lanes_that_are_left_exchange_values, kit_setup, kit_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
