/* Divergence, reconvergence and forward progress of warps: branches, loops, calls, exits, .sync instructions between
 * lanes that took different ways, and threads of one warp that wait for each other. */
#include "kernel_kit.h"

#include <stdio.h>
#include <string.h>

static uint32_t out(const struct kit *k, unsigned i) { return ((const uint32_t *)kit_out(k))[i]; }

/* ---- branches ----------------------------------------------------------------------------------------------------------- */

static void test_both_sides_of_a_branch_run_and_meet(void **state) {
  struct kit *k = *state;
  /* After the join a ballot sees all lanes: they are one path again. */
  kit_run(k, 32,
          "and.b32 %r10, %r1, 1; setp.eq.u32 %p1, %r10, 0; @%p1 bra EVEN;\n"
          "mov.u32 %r11, 100; bra JOIN;\nEVEN: mov.u32 %r11, 200;\nJOIN: activemask.b32 %r12;\n"
          "add.u32 %r11, %r11, %r1; setp.ne.u32 %p2, %r12, 0xffffffff; @%p2 mov.u32 %r11, 0;\n"
          "st.global.u32 [%rd5], %r11;");
  for (unsigned i = 0; i < 32; i++) assert_int_equal(out(k, i), (i % 2 ? 100 : 200) + i);
}

static void test_a_loop_with_different_trip_counts_meets_at_its_exit(void **state) {
  struct kit *k = *state;
  kit_run(k, 32,
          "mov.u32 %r10, 0; mov.u32 %r11, 0;\n"
          "LOOP: add.u32 %r11, %r11, %r10; add.u32 %r10, %r10, 1; setp.le.u32 %p1, %r10, %r1; @%p1 bra LOOP;\n"
          "activemask.b32 %r12; setp.ne.u32 %p2, %r12, 0xffffffff; @%p2 mov.u32 %r11, 9999;\n"
          "st.global.u32 [%rd5], %r11;");
  for (unsigned i = 0; i < 32; i++) assert_int_equal(out(k, i), i * (i + 1) / 2);
}

static void test_nested_divergence_meets_inside_out(void **state) {
  struct kit *k = *state;
  /* Four ways through two nested branches; the inner pair is together again before the outer. */
  kit_run(k, 32,
          "and.b32 %r10, %r1, 1; setp.eq.u32 %p1, %r10, 0; and.b32 %r10, %r1, 2; setp.eq.u32 %p2, %r10, 0;\n"
          "@%p1 bra A;\n"
          "@%p2 bra B; mov.u32 %r11, 1; bra C;\nB: mov.u32 %r11, 2;\nC: activemask.b32 %r12; bra Z;\n"
          "A: @%p2 bra D; mov.u32 %r11, 3; bra E;\nD: mov.u32 %r11, 4;\nE: activemask.b32 %r12;\n"
          "Z: popc.b32 %r12, %r12; shl.b32 %r12, %r12, 8; or.b32 %r11, %r11, %r12; st.global.u32 [%rd5], %r11;");
  for (unsigned i = 0; i < 32; i++) {
    unsigned way = i & 1 ? (i & 2 ? 1 : 2) : (i & 2 ? 3 : 4);
    assert_int_equal(out(k, i), 16 << 8 | way);
  }
}

static void test_an_indexed_branch_goes_to_every_target(void **state) {
  struct kit *k = *state;
  kit_run(k, 32,
          "T: .branchtargets L0, L1, L2; rem.u32 %r10, %r1, 3; brx.idx %r10, T;\n"
          "L0: mov.u32 %r11, 10; bra DONE;\nL1: mov.u32 %r11, 11; bra DONE;\nL2: mov.u32 %r11, 12;\n"
          "DONE: activemask.b32 %r12; setp.ne.u32 %p1, %r12, 0xffffffff; @%p1 mov.u32 %r11, 0;\n"
          "st.global.u32 [%rd5], %r11;");
  for (unsigned i = 0; i < 32; i++) assert_int_equal(out(k, i), 10 + i % 3);
}

static void test_lanes_that_exit_are_not_waited_for(void **state) {
  struct kit *k = *state;
  kit_run(k, 64,
          "setp.lt.u32 %p1, %r1, 40; @!%p1 exit; mov.u32 %r11, 5; bar.sync 0;\n"
          "and.b32 %r10, %r1, 3; setp.eq.u32 %p2, %r10, 0; @%p2 bra OUT; add.u32 %r11, %r11, 1;\n"
          "OUT: vote.sync.ballot.b32 %r12, 1, 0xffffffff; popc.b32 %r12, %r12; st.global.u32 [%rd5], %r12;");
  for (unsigned i = 0; i < 32; i++) assert_int_equal(out(k, i), 32);
  for (unsigned i = 32; i < 40; i++) assert_int_equal(out(k, i), 8);
  for (unsigned i = 40; i < 64; i++) assert_int_equal(out(k, i), 0);
}

/* ---- threads that wait for each other ------------------------------------------------------------------------------------- */

static void test_a_spin_lock_between_lanes_of_one_warp_makes_progress(void **state) {
  struct kit *k = *state;
  /* The lock is in[0], a counter that only its holder touches in[1]. With a stack-based warp the lane that takes the
   * lock waits at the loop's exit for lanes that spin for ever. */
  kit_run(k, 32,
          "SPIN: atom.global.cas.b32 %r10, [%rd1], 0, 1; setp.ne.u32 %p1, %r10, 0; @%p1 bra SPIN;\n"
          "ld.volatile.global.u32 %r11, [%rd1+4]; add.u32 %r11, %r11, 1; st.volatile.global.u32 [%rd1+4], %r11;\n"
          "membar.gl; atom.global.exch.b32 %r12, [%rd1], 0; st.global.u32 [%rd5], %r11;");
  assert_int_equal(((uint32_t *)kit_in(k))[1], 32);
  uint64_t seen = 0;
  for (unsigned i = 0; i < 32; i++) seen |= UINT64_C(1) << out(k, i);
  assert_true(seen == UINT64_C(0x1fffffffe)); /* each lane counted once: 1 to 32 */
}

/* The lock of the test above, every lane once: a turn of the loop and what its holder does. */
static void test_lanes_that_wait_for_a_lock_give_way_at_every_turn_if_asked_to(void **state) {
  struct kit *k = *state;
  static const char lock[] =
      "SPIN: atom.global.cas.b32 %r10, [%rd1], 0, 1; setp.ne.u32 %p1, %r10, 0; @%p1 bra SPIN;\n"
      "ld.volatile.global.u32 %r11, [%rd1+4]; add.u32 %r11, %r11, 1; st.volatile.global.u32 [%rd1+4], %r11;\n"
      "membar.gl; atom.global.exch.b32 %r12, [%rd1], 0;";
  enum { BEGIN = 8, TURN = 3, HOLDER = 6 };
  kit_run(k, 32, lock);
  assert_true(k->instructions > 31 * 256 * TURN);
  k->load_flags = EXEC_YIELD_LOOPS;
  kit_run(k, 32, lock);
  assert_int_equal(((uint32_t *)kit_in(k))[1], 64);
  assert_int_equal(k->instructions, BEGIN + 32 * (TURN + HOLDER));
}

/* What is done behind the lock looks like waiting, and longer than patience lasts: the holder is not interrupted by lanes that
 * can only wait for it. Each turn of the loop one lane gets through, without any that waits in vain. */
static void test_patience_ends_at_the_turn_of_a_loop(void **state) {
  struct kit *k = *state;
  kit_run(k, 32,
          "AGAIN: atom.global.cas.b32 %r10, [%rd1], 0, 1; setp.ne.u32 %p1, %r10, 0; @%p1 bra NEXT;\n"
          "ld.volatile.global.u32 %r12, [%rd1+8]; ld.volatile.global.u32 %r12, [%rd1+8]; ld.volatile.global.u32 %r12, [%rd1+8];\n"
          "ld.volatile.global.u32 %r12, [%rd1+8]; ld.volatile.global.u32 %r12, [%rd1+8]; ld.volatile.global.u32 %r12, [%rd1+8];\n"
          "ld.volatile.global.u32 %r12, [%rd1+8]; ld.volatile.global.u32 %r12, [%rd1+8]; ld.volatile.global.u32 %r12, [%rd1+8];\n"
          "ld.volatile.global.u32 %r11, [%rd1+4]; add.u32 %r11, %r11, 1; st.volatile.global.u32 [%rd1+4], %r11; membar.gl;\n"
          "atom.global.exch.b32 %r12, [%rd1], 0;\nNEXT: @%p1 bra AGAIN;");
  assert_int_equal(((uint32_t *)kit_in(k))[1], 32);
  enum { BEGIN = 8, TURN = 4, HOLDER = 14, END = 32 /* each lane on its own at most */ };
  assert_in_range(k->instructions, BEGIN + 32 * (TURN + HOLDER), BEGIN + 32 * (TURN + HOLDER) + END);
}

static void test_a_lane_may_wait_for_a_flag_of_a_later_lane(void **state) {
  struct kit *k = *state;
  kit_run(k, 32,
          "setp.eq.u32 %p1, %r1, 31; @%p1 bra SET;\n"
          "WAIT: ld.volatile.global.u32 %r10, [%rd1]; setp.eq.u32 %p2, %r10, 0; @%p2 bra WAIT; bra DONE;\n"
          "SET: mov.u32 %r10, 7; st.volatile.global.u32 [%rd1], %r10;\nDONE: st.global.u32 [%rd5], %r10;");
  for (unsigned i = 0; i < 32; i++) assert_int_equal(out(k, i), 7);
}

static void test_a_barrier_reached_on_different_ways_counts_threads(void **state) {
  struct kit *k = *state;
  kit_run(k, 64,
          "mov.u32 %r10, sm; shl.b32 %r11, %r1, 2; add.u32 %r12, %r10, %r11; st.shared.u32 [%r12], %r1;\n"
          "and.b32 %r13, %r1, 1; setp.eq.u32 %p1, %r13, 0; @%p1 bra EVEN;\n"
          "barrier.sync 0; bra JOIN;\nEVEN: barrier.sync 0;\n"
          "JOIN: xor.b32 %r11, %r11, 252; add.u32 %r12, %r10, %r11; ld.shared.u32 %r14, [%r12];\n"
          "st.global.u32 [%rd5], %r14;");
  for (unsigned i = 0; i < 64; i++) assert_int_equal(out(k, i), 63 - i);
}

static void test_a_shuffle_waits_for_lanes_that_come_later(void **state) {
  struct kit *k = *state;
  /* Odd lanes take a detour; all name all 32 lanes. */
  kit_run(k, 32,
          "and.b32 %r10, %r1, 1; setp.eq.u32 %p1, %r10, 0; mov.u32 %r11, %r1; @%p1 bra MEET;\n"
          "mul.lo.u32 %r11, %r1, 10;\nMEET: shfl.sync.bfly.b32 %r12, %r11, 1, 31, 0xffffffff;\n"
          "st.global.u32 [%rd5], %r12;");
  for (unsigned i = 0; i < 32; i++) assert_int_equal(out(k, i), i % 2 ? i - 1 : 10 * (i + 1));
}

/* Odd lanes do it in one place and even lanes in another. */
static void run_apart(struct kit *k, const char *even, const char *odd) {
  char text[512];
  snprintf(text, sizeof text,
           "and.b32 %%r10, %%r1, 1; setp.eq.u32 %%p1, %%r10, 0; shr.u32 %%r13, %%r1, 2; @%%p1 bra EVEN;\n"
           "mul.lo.u32 %%r11, %%r1, 10;\n%s\nbra JOIN;\nEVEN: mov.u32 %%r14, %%r1;\n%s\nJOIN: st.global.u32 [%%rd5], %%r12;", odd, even);
  kit_run(k, 32, text);
}

static void test_shuffles_at_different_places_exchange_values(void **state) {
  struct kit *k = *state;
  run_apart(k, "shfl.sync.bfly.b32 %r12, %r14, 1, 31, 0xffffffff;", "shfl.sync.bfly.b32 %r12, %r11, 3, 31, 0xffffffff;");
  for (unsigned i = 0; i < 32; i++) assert_int_equal(out(k, i), i % 2 ? i ^ 3 : 10 * (i + 1));
}

/* Segments of 16 lanes take the last one's number, 2 or 4 times in a loop and once behind it: the short ones' last is with the long ones'
 * third, and then they end, where nobody waits for them. */
static void test_a_shuffle_in_a_loop_meets_the_one_behind_it(void **state) {
  struct kit *k = *state;
  kit_run(k, 32,
          "and.b32 %r10, %r1, 16; shr.u32 %r10, %r10, 3; add.u32 %r10, %r10, 2; mov.u32 %r11, %r1;\n"
          "L: shfl.sync.idx.b32 %r12, %r11, 15, 0x101f, 0xffffffff; add.u32 %r11, %r12, 1; sub.u32 %r10, %r10, 1;\n"
          "setp.ne.u32 %p1, %r10, 0; @%p1 bra L; shfl.sync.idx.b32 %r12, %r11, 15, 0x101f, 0xffffffff; st.global.u32 [%rd5], %r12;");
  for (unsigned i = 0; i < 32; i++) assert_int_equal(out(k, i), i < 16 ? 15 + 2 : 31 + 4);
}

static void test_lanes_whose_guard_is_false_are_given_nothing_at_different_places(void **state) {
  struct kit *k = *state; /* of the odd lanes only those from 16 on ask, and nobody else is to lose what it has */
  run_apart(k, "shfl.sync.bfly.b32 %r12, %r14, 1, 31, 0xffffffff;",
            "mov.u32 %r12, 7; setp.gt.u32 %p2, %r1, 15; @%p2 shfl.sync.bfly.b32 %r12, %r11, 1, 31, 0xffffffff;");
  for (unsigned i = 0; i < 32; i++) assert_int_equal(out(k, i), i % 2 ? (i > 15 ? i - 1 : 7) : i > 15 ? 10 * (i + 1) : 0);
}

static void test_votes_matches_and_sums_at_different_places_count_all_lanes(void **state) {
  struct kit *k = *state;
  run_apart(k, "setp.lt.u32 %p2, %r14, 8; vote.sync.ballot.b32 %r12, %p2, 0xffffffff;",
            "setp.gt.u32 %p3, %r11, 290; vote.sync.ballot.b32 %r12, %p3, 0xffffffff;");
  for (unsigned i = 0; i < 32; i++) assert_int_equal(out(k, i), 0x80000055u);
  run_apart(k, "match.any.sync.b32 %r12, %r13, 0xffffffff;", "mov.u32 %r14, %r13; match.any.sync.b32 %r12, %r14, 0xffffffff;");
  for (unsigned i = 0; i < 32; i++) assert_int_equal(out(k, i), 0xfu << (i & ~3u));
  run_apart(k, "redux.sync.add.u32 %r12, %r14, 0xffffffff;", "redux.sync.add.u32 %r12, %r11, 0xffffffff;");
  for (unsigned i = 0; i < 32; i++) assert_int_equal(out(k, i), 15 * 16 + 10 * 16 * 16);
  run_apart(k, "elect.sync %r12|%p2, 0xffffffff; @%p2 mov.u32 %r12, 77;", "elect.sync %r12|%p3, 0xffffffff; @%p3 mov.u32 %r12, 78;");
  for (unsigned i = 0; i < 32; i++) assert_int_equal(out(k, i), i ? 0 : 77);
}

static void test_shuffles_of_two_kinds_wait_for_ever(void **state) {
  struct kit *k = *state;
  kit_faults(k, 32, EXEC_FAULT_DEADLOCK,
             "and.b32 %r10, %r1, 1; setp.eq.u32 %p1, %r10, 0; @%p1 bra EVEN;\n"
             "shfl.sync.up.b32 %r12, %r1, 1, 0, 0xffffffff; bra JOIN;\nEVEN: shfl.sync.down.b32 %r12, %r1, 1, 31, 0xffffffff;\nJOIN:",
             "where they do not meet", NULL);
}

static void test_a_wait_that_cannot_end_is_a_deadlock_with_the_lanes_named(void **state) {
  struct kit *k = *state;
  kit_faults(k, 64, EXEC_FAULT_DEADLOCK,
             "setp.lt.u32 %p1, %r1, 32; @%p1 bra OTHER; bar.sync 1, 64; bra OUT;\nOTHER: bar.sync 2, 64;\nOUT:",
             "never completes", "of 64", NULL);
}

/* ---- calls -------------------------------------------------------------------------------------------------------------- */

static const char factorial[] =
    ".func (.param .b32 r) fact (.param .b32 n)\n{ .reg .b32 %a<4>; .reg .pred %p1; ld.param.u32 %a1, [n];\n"
    " setp.le.u32 %p1, %a1, 1; @%p1 bra ONE;\n"
    " { .param .b32 m; .param .b32 q; sub.u32 %a2, %a1, 1; st.param.b32 [m], %a2; call (q), fact, (m);\n"
    "   ld.param.b32 %a3, [q]; }\n mul.lo.u32 %a3, %a3, %a1; st.param.b32 [r], %a3; ret;\n"
    "ONE: mov.u32 %a3, 1; st.param.b32 [r], %a3; ret;\n}\n";

static void test_recursion_to_a_different_depth_in_every_lane(void **state) {
  struct kit *k = *state;
  k->outside = factorial;
  k->device.stack_limit = 4096;
  kit_run(k, 32,
          "rem.u32 %r10, %r1, 11; { .param .b32 a; .param .b32 b; st.param.b32 [a], %r10; call (b), fact, (a);"
          " ld.param.b32 %r11, [b]; }\n activemask.b32 %r12; setp.ne.u32 %p1, %r12, 0xffffffff;\n"
          "@%p1 mov.u32 %r11, 0; st.global.u32 [%rd5], %r11;");
  for (unsigned i = 0; i < 32; i++) {
    uint32_t f = 1;
    for (unsigned j = 2; j <= i % 11; j++) f *= j;
    assert_int_equal(out(k, i), f);
  }
}

static void test_deep_recursion_of_whole_warps(void **state) {
  struct kit *k = *state;
  /* 200 activations deep: more than there are lanes. */
  k->outside =
      ".func (.param .b32 r) depth (.param .b32 n)\n{ .reg .b32 %a<4>; .reg .pred %p1; ld.param.u32 %a1, [n];\n"
      " mov.u32 %a3, 0; setp.eq.u32 %p1, %a1, 0; @%p1 bra END;\n"
      " { .param .b32 m; .param .b32 q; sub.u32 %a2, %a1, 1; st.param.b32 [m], %a2; call (q), depth, (m);\n"
      "   ld.param.b32 %a3, [q]; }\n add.u32 %a3, %a3, 1;\nEND: st.param.b32 [r], %a3; ret;\n}\n";
  kit_run(k, 32,
          "{ .param .b32 a; .param .b32 b; st.param.b32 [a], 200; call (b), depth, (a); ld.param.b32 %r11, [b]; }\n"
          "st.global.u32 [%rd5], %r11;");
  for (unsigned i = 0; i < 32; i++) assert_int_equal(out(k, i), 200);
}

static void test_lanes_call_different_functions_through_pointers(void **state) {
  struct kit *k = *state;
  k->outside =
      ".func (.param .b32 r) twice (.param .b32 n) { .reg .b32 %a<2>; ld.param.u32 %a1, [n]; shl.b32 %a1, %a1, 1;"
      " st.param.b32 [r], %a1; ret; }\n"
      ".func (.param .b32 r) thrice (.param .b32 n) { .reg .b32 %a<2>; ld.param.u32 %a1, [n]; mul.lo.u32 %a1, %a1, 3;"
      " st.param.b32 [r], %a1; ret; }\n"
      ".global .align 8 .u64 table[2] = {twice, thrice};\n";
  kit_run(k, 32,
          "P: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
          "and.b32 %r10, %r1, 1; mul.wide.u32 %rd10, %r10, 8; mov.u64 %rd11, table; add.s64 %rd11, %rd11, %rd10;\n"
          "ld.global.u64 %rd12, [%rd11]; { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1;\n"
          "call (b), %rd12, (a), P; ld.param.b32 %r11, [b]; }\n activemask.b32 %r12;\n"
          "setp.ne.u32 %p1, %r12, 0xffffffff; @%p1 mov.u32 %r11, 0; st.global.u32 [%rd5], %r11;");
  for (unsigned i = 0; i < 32; i++) assert_int_equal(out(k, i), i % 2 ? 3 * i : 2 * i);
}

static void test_a_stack_that_is_too_small_is_a_fault_that_says_so(void **state) {
  struct kit *k = *state;
  k->outside =
      ".func big (.param .b32 n)\n{ .local .align 8 .b8 room[256]; .reg .b32 %a<3>; .reg .b64 %d<2>;\n"
      " mov.u64 %d1, room; ld.param.u32 %a1, [n]; st.local.u32 [%d1], %a1;\n"
      " { .param .b32 m; st.param.b32 [m], %a1; call big, (m); }\n ret;\n}\n";
  kit_faults(k, 32, EXEC_FAULT_STACK,
             "{ .param .b32 a; st.param.b32 [a], %r1; call big, (a); }", "stack of 1024 bytes", "'big'", NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, kit_setup, kit_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_both_sides_of_a_branch_run_and_meet),
      TEST(test_a_loop_with_different_trip_counts_meets_at_its_exit),
      TEST(test_nested_divergence_meets_inside_out),
      TEST(test_an_indexed_branch_goes_to_every_target),
      TEST(test_lanes_that_exit_are_not_waited_for),
      TEST(test_a_spin_lock_between_lanes_of_one_warp_makes_progress),
      TEST(test_lanes_that_wait_for_a_lock_give_way_at_every_turn_if_asked_to),
      TEST(test_patience_ends_at_the_turn_of_a_loop),
      TEST(test_a_lane_may_wait_for_a_flag_of_a_later_lane),
      TEST(test_a_barrier_reached_on_different_ways_counts_threads),
      TEST(test_a_shuffle_waits_for_lanes_that_come_later),
      TEST(test_shuffles_at_different_places_exchange_values),
      TEST(test_a_shuffle_in_a_loop_meets_the_one_behind_it),
      TEST(test_lanes_whose_guard_is_false_are_given_nothing_at_different_places),
      TEST(test_votes_matches_and_sums_at_different_places_count_all_lanes),
      TEST(test_shuffles_of_two_kinds_wait_for_ever),
      TEST(test_a_wait_that_cannot_end_is_a_deadlock_with_the_lanes_named),
      TEST(test_recursion_to_a_different_depth_in_every_lane),
      TEST(test_deep_recursion_of_whole_warps),
      TEST(test_lanes_call_different_functions_through_pointers),
      TEST(test_a_stack_that_is_too_small_is_a_fault_that_says_so),
  };
  return cmocka_run_group_tests_name("divergence", tests, NULL, NULL);
}
