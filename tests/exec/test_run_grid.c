/* Grids without time: CTAs that wait for each other meet, warps that race do as on a GPU, and a wait that cannot end is told. */
#include "kernel_kit.h"

#include <string.h>

/* Thread 0 of every CTA counts itself in out[0] and waits, as LOOK says, until all of %nctaid have come; then out[1] counts. */
#define MEET(LOOK)                                                                                                   \
  "mov.u32 %r2, %nctaid.x; setp.ne.u32 %p1, %r1, 0; @%p1 bra END; atom.global.add.u32 %r3, [%rd2], 1;\n"              \
  "L: " LOOK "; setp.lt.u32 %p2, %r4, %r2; @%p2 bra L; atom.global.add.u32 %r5, [%rd2+4], 1;\n"                      \
  "END: bar.sync 0;"

static void meet(struct kit *k, unsigned ctas, const char *lines) {
  k->ctas = ctas;
  memset(kit_out(k), 0, KIT_OUT_BYTES);
  kit_run(k, 64, lines);
  const uint32_t *out = kit_out(k);
  assert_int_equal(out[0], ctas);
  assert_int_equal(out[1], ctas);
}

static void test_ctas_that_wait_for_each_other_meet(void **state) {
  static const unsigned ctas[] = {2, 16, 17, 300};
  for (size_t i = 0; i < sizeof ctas / sizeof *ctas; i++) {
    meet(*state, ctas[i], MEET("ld.volatile.global.u32 %r4, [%rd2]"));
    meet(*state, ctas[i], MEET("ld.acquire.gpu.global.u32 %r4, [%rd2]"));
    meet(*state, ctas[i], MEET("atom.global.add.u32 %r4, [%rd2], 0"));
    meet(*state, ctas[i], MEET("atom.global.cas.b32 %r4, [%rd2], 0, 0"));
  }
}

/* A barrier of the grid, as Lonestar's: every CTA says that it has come and waits for the first to take that back. %s: the load. */
#define GRID_BARRIER                                                                                                                   \
  "mov.u32 %%r2, %%nctaid.x; mov.u32 %%r3, %%ctaid.x; mov.u32 %%r9, 0;\n"                                                              \
  "STEP: membar.gl; bar.sync 0; setp.ne.u32 %%p1, %%r3, 0; @%%p1 bra OTHERS;\n"                                                        \
  "setp.eq.u32 %%p2, %%r1, 0; @%%p2 st.volatile.global.u32 [%%rd2], 1; bar.sync 0; mov.u32 %%r4, %%r1;\n"                              \
  "setp.ge.u32 %%p3, %%r4, %%r2; @%%p3 bra TAKE;\n"                                                                                    \
  "PEER: mul.wide.u32 %%rd8, %%r4, 4; add.u64 %%rd8, %%rd2, %%rd8;\n"                                                                  \
  "LOOK: %s %%r5, [%%rd8]; membar.gl; setp.eq.u32 %%p4, %%r5, 0; @%%p4 bra LOOK;\n"                                                    \
  "add.u32 %%r4, %%r4, 64; setp.lt.u32 %%p3, %%r4, %%r2; @%%p3 bra PEER;\n"                                                            \
  "TAKE: bar.sync 0; mov.u32 %%r4, %%r1; BACK: setp.ge.u32 %%p3, %%r4, %%r2; @%%p3 bra NEXT;\n"                                        \
  "mul.wide.u32 %%rd8, %%r4, 4; add.u64 %%rd8, %%rd2, %%rd8; st.volatile.global.u32 [%%rd8], 0; add.u32 %%r4, %%r4, 64; bra BACK;\n"   \
  "OTHERS: setp.ne.u32 %%p2, %%r1, 0; @%%p2 bra MET; mul.wide.u32 %%rd8, %%r3, 4; add.u64 %%rd8, %%rd2, %%rd8;\n"                      \
  "st.volatile.global.u32 [%%rd8], 1; WAIT: %s %%r5, [%%rd8]; membar.gl; setp.eq.u32 %%p4, %%r5, 1; @%%p4 bra WAIT;\n"                 \
  "MET: bar.sync 0; NEXT: add.u32 %%r9, %%r9, 1; setp.lt.u32 %%p5, %%r9, 10; @%%p5 bra STEP;\n"                                        \
  "red.global.add.u32 [%%rd2+4096], 1;"

/* 200 CTAs of 64 threads meet ten times. In between a CTA executes some 100 instructions; while it waits it gives way at every look,
 * also by a plain load. */
static void test_a_barrier_of_the_grid_costs_little_whatever_load_waits(void **state) {
  static const char *const loads[] = {"ld.volatile.global.u32", "ld.global.cg.u32", "ld.global.cv.u32", "ld.global.u32", "ld.u32"};
  struct kit *k = *state;
  k->ctas = 200;
  for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
    memset(kit_out(k), 0, KIT_OUT_BYTES);
    kit_run(k, 64, kit_text(GRID_BARRIER, loads[i], loads[i]));
    assert_int_equal(((const uint32_t *)kit_out(k))[1024], 200 * 64);
    assert_in_range(k->instructions, 200 * 10 * 20, 200 * 10 * 400);
  }
}

/* CTA i waits for CTA i + 1: the first can only go on when the last has come. */
static void test_a_cta_waits_for_a_later_one(void **state) {
  struct kit *k = *state;
  k->ctas = 100;
  k->resident = 100;
  kit_run(k, 32,
          "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %nctaid.x; mul.wide.u32 %rd8, %r2, 4; add.u64 %rd8, %rd2, %rd8; sub.u32 %r4, %r3, 1;\n"
          "setp.eq.u32 %p1, %r2, %r4; @%p1 bra GO;\n"
          "L: ld.volatile.global.u32 %r5, [%rd8+4]; setp.eq.u32 %p2, %r5, 0; @%p2 bra L;\n"
          "GO: add.u32 %r6, %r5, 1; @%p1 mov.u32 %r6, 1; st.volatile.global.u32 [%rd8], %r6;");
  const uint32_t *out = kit_out(k);
  for (uint32_t i = 0; i < 100; i++) assert_int_equal(out[i], 100 - i);
}

/* CTA i looks at four places of CTA i + 1 in a circle until all are written, then writes its own: a wait that looks like work. */
static void test_a_wait_for_several_places_costs_few_instructions(void **state) {
  struct kit *k = *state;
  k->ctas = 40;
  k->resident = 40;
  memset(kit_out(k), 0, KIT_OUT_BYTES);
  kit_run(k, 32,
          "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %nctaid.x; mul.wide.u32 %rd8, %r2, 16; add.u64 %rd8, %rd2, %rd8; sub.u32 %r4, %r3, 1;\n"
          "setp.eq.u32 %p1, %r2, %r4; @%p1 bra GO;\n"
          "L: ld.volatile.global.u32 %r5, [%rd8+16]; ld.volatile.global.u32 %r6, [%rd8+20]; ld.volatile.global.u32 %r7, [%rd8+24];\n"
          "ld.volatile.global.u32 %r8, [%rd8+28]; and.b32 %r5, %r5, %r6; and.b32 %r7, %r7, %r8; and.b32 %r5, %r5, %r7;\n"
          "setp.eq.u32 %p2, %r5, 0; @%p2 bra L;\n"
          "GO: st.volatile.global.u32 [%rd8], 1; st.volatile.global.u32 [%rd8+4], 1; st.volatile.global.u32 [%rd8+8], 1;\n"
          "st.volatile.global.u32 [%rd8+12], 1;");
  const uint32_t *out = kit_out(k);
  for (uint32_t i = 0; i < 4 * 40; i++) assert_int_equal(out[i], 1);
  assert_in_range(k->instructions, 40 * 20, 40 * 40 * 100); /* a few circles of each CTA for each step of the chain */
}

static void test_more_ctas_than_the_device_holds_cannot_meet(void **state) {
  struct kit *k = *state;
  k->ctas = 40;
  k->resident = 24;
  kit_faults(k, 64, EXEC_FAULT_DEADLOCK, MEET("ld.volatile.global.u32 %r4, [%rd2]"), "looks again and again", "ld.volatile.global.u32",
             NULL);
  assert_true(k->stuck);
  assert_int_equal(*(uint32_t *)kit_out(k), 24);
  static const char *const says[] = {"nothing but waiting has been done", "warp 0 of CTA (0,0,0) of kernel 'k': lanes 0x00000001",
                                     "looking again and again whether a value has changed (0x", "lanes 0xfffffffe",
                                     "16 CTAs have not begun: the device holds 24 at once", NULL};
  for (unsigned i = 0; says[i]; i++)
    if (!strstr(k->err.text, says[i])) fail_msg("'%s' is missing in: %s", says[i], k->err.text);
  k->resident = 40;
  meet(k, 40, MEET("ld.volatile.global.u32 %r4, [%rd2]"));
}

static void test_a_lock_between_ctas_that_changes_hands_is_progress(void **state) {
  struct kit *k = *state;
  k->ctas = 12;
  k->resident = 5;
  kit_run(k, 96,
          "L: atom.global.cas.b32 %r3, [%rd2], 0, 1; setp.ne.u32 %p1, %r3, 0; @%p1 bra NEXT;\n"
          "ld.volatile.global.u32 %r4, [%rd2+4]; add.u32 %r4, %r4, 1; st.volatile.global.u32 [%rd2+4], %r4; membar.gl;\n"
          "atom.global.exch.b32 %r5, [%rd2], 0; NEXT: @%p1 bra L;");
  assert_int_equal(((const uint32_t *)kit_out(k))[1], 12 * 96);
}

/* A loop that looks at one place 5,000 times and counts in registers only is no wait, however alike its turns are. */
static void test_a_loop_that_counts_what_it_looks_at_ends(void **state) {
  static const char *const loads[] = {"ld.volatile.global.u32", "ld.global.cg.u32", "ld.relaxed.gpu.global.u32"};
  struct kit *k = *state;
  *(uint32_t *)kit_in(k) = 3;
  for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
    kit_run(k, 64,
            kit_text("mov.u32 %%r2, 0; mov.u32 %%r3, 0;\n"
                     "L: %s %%r4, [%%rd1]; add.u32 %%r3, %%r3, %%r4; add.u32 %%r2, %%r2, 1; setp.lt.u32 %%p1, %%r2, 5000; @%%p1 bra L;\n"
                     "st.global.u32 [%%rd5], %%r3;",
                     loads[i]));
    assert_int_equal(((const uint32_t *)kit_out(k))[63], 15000);
  }
}

/* Lane 0 waits for what lane 1 would do behind the loop. */
static void test_lanes_kept_from_running_get_their_turn_before_a_deadlock_is_called(void **state) {
  struct kit *k = *state;
  kit_run(k, 2,
          "setp.ne.u32 %p1, %r1, 0; @%p1 bra B;\n"
          "A: ld.volatile.global.u32 %r3, [%rd2]; setp.eq.u32 %p2, %r3, 0; @%p2 bra A; bra END;\n"
          "B: st.global.u32 [%rd2], 7; END: bar.sync 0;");
  assert_int_equal(*(uint32_t *)kit_out(k), 7);
}

/* Every warp adds the numbers 1 to 100 to one sum, which is loaded and stored each time or kept in a register in between: as they
 * run beside each other, all load before any has stored. */
static void race(struct kit *k, const char *load_again) {
  memset(kit_out(k), 0, KIT_OUT_BYTES);
  kit_run(k, 256,
          kit_text("and.b32 %%r2, %%r1, 31; mul.wide.u32 %%rd8, %%r2, 4; add.u64 %%rd8, %%rd2, %%rd8; mov.u32 %%r3, 0;\n"
                   "ld.global.u32 %%r4, [%%rd8];\n"
                   "L: %s add.u32 %%r3, %%r3, 1; add.u32 %%r4, %%r4, %%r3; st.global.u32 [%%rd8], %%r4;\n"
                   "setp.lt.u32 %%p1, %%r3, 100; @%%p1 bra L;",
                   load_again));
  for (unsigned i = 0; i < 32; i++) assert_int_equal(((const uint32_t *)kit_out(k))[i], 5050);
}

static void test_warps_that_race_on_a_sum_do_as_on_a_gpu(void **state) {
  race(*state, "");
  race(*state, "ld.global.u32 %r4, [%rd8];");
  race(*state, "ld.u32 %r4, [%rd8];");
}

/* Each of eight warps takes the sum of all from sm[0], does something or nothing, and writes the next to an array that begins there, with
 * no barrier in between, in 100 turns: on a GPU all have read by then. */
static void sum_again_and_again(struct kit *k, const char *between) {
  k->load_flags = EXEC_UNTIMED;
  memset(kit_out(k), 0, KIT_OUT_BYTES);
  kit_run(k, 256,
          kit_text("shr.u32 %%r2, %%r1, 5; and.b32 %%r3, %%r1, 31; setp.eq.u32 %%p1, %%r3, 0; setp.eq.u32 %%p2, %%r1, 0;\n"
                   "mov.u64 %%rd8, sm; mul.wide.u32 %%rd9, %%r2, 4; add.u64 %%rd9, %%rd8, %%rd9; mov.u32 %%r4, 1; mov.u32 %%r9, 0;\n"
                   "mov.u32 %%r10, 0;\n"
                   "TURN: @%%p1 st.shared.u32 [%%rd9], %%r4; bar.sync 0; @!%%p2 bra SUMMED;\n"
                   "mov.u32 %%r5, 0; mov.u32 %%r6, 0; mov.u64 %%rd10, %%rd8;\n"
                   "ADD: ld.shared.u32 %%r7, [%%rd10]; add.u32 %%r5, %%r5, %%r7; add.u64 %%rd10, %%rd10, 4; add.u32 %%r6, %%r6, 1;\n"
                   "setp.lt.u32 %%p3, %%r6, 8; @%%p3 bra ADD; st.shared.u32 [%%rd8], %%r5;\n"
                   "SUMMED: bar.sync 0; ld.shared.u32 %%r8, [%%rd8]; add.u32 %%r10, %%r10, %%r8;\n"
                   "%s add.u32 %%r9, %%r9, 1; setp.lt.u32 %%p4, %%r9, 100; @%%p4 bra TURN;\n"
                   "st.global.u32 [%%rd5], %%r10;",
                   between));
  const uint32_t *out = kit_out(k);
  for (unsigned i = 0; i < 256; i++) assert_int_equal(out[i], 100 * 8);
}

static void test_a_store_to_shared_memory_that_comes_late_does_so(void **state) {
  sum_again_and_again(*state, "shfl.sync.bfly.b32 %r11, %r4, 1, 31, -1;");
  sum_again_and_again(*state, "");
}

/* Each of 256 threads writes a word and reads the one of a later warp, without a barrier; on a GPU all have written by then. In 20
 * turns, with a barrier between them. */
static void test_a_load_from_shared_memory_that_comes_late_does_so(void **state) {
  struct kit *k = *state;
  k->load_flags = EXEC_UNTIMED;
  memset(kit_out(k), 0, KIT_OUT_BYTES);
  kit_run(k, 256,
          "mov.u64 %rd8, sm; mul.wide.u32 %rd9, %r1, 4; add.u64 %rd9, %rd8, %rd9; add.u32 %r2, %r1, 100; and.b32 %r2, %r2, 255;\n"
          "mul.wide.u32 %rd10, %r2, 4; add.u64 %rd10, %rd8, %rd10; mov.u32 %r9, 0; mov.u32 %r10, 0;\n"
          "TURN: add.u32 %r3, %r1, %r9; st.shared.u32 [%rd9], %r3; ld.shared.u32 %r4, [%rd10]; add.u32 %r10, %r10, %r4; bar.sync 0;\n"
          "add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 20; @%p1 bra TURN; st.global.u32 [%rd5], %r10;");
  for (unsigned i = 0; i < 256; i++) assert_int_equal(((const uint32_t *)kit_out(k))[i], 20 * ((i + 100) % 256) + 190);
}

static void test_a_limit_is_kept_to_the_instruction_in_the_midst_of_waiting(void **state) {
  struct kit *k = *state;
  k->ctas = 3;
  k->resident = 2;
  k->limits = (struct exec_limits){.max_instructions = 777};
  assert_false(kit_try(k, 64, MEET("ld.volatile.global.u32 %r4, [%rd2]")));
  assert_int_equal(k->err.kind, ERR_LIMIT);
  assert_int_equal(k->instructions, 777);
  assert_int_equal(k->limits.executed, 777);
}

/* A loop that looks at the clock until it has gone on by 80,000 cycles ends after some dozen looks: the clock goes the faster the longer
 * a warp only looks at it. */
static void test_a_clock_without_time_goes_eight_cycles_an_instruction(void **state) {
  struct kit *k = *state;
  kit_run(k, 1,
          "mov.u64 %rd8, %clock64; mov.u32 %r3, 1; mov.u32 %r3, 2; mov.u64 %rd9, %clock64; sub.u64 %rd9, %rd9, %rd8;\n"
          "st.global.u64 [%rd2], %rd9; mov.u64 %rd10, %globaltimer;\n"
          "L: mov.u64 %rd9, %clock64; sub.u64 %rd9, %rd9, %rd8; setp.lt.u64 %p1, %rd9, 80000; @%p1 bra L;\n"
          "mov.u64 %rd11, %globaltimer; sub.u64 %rd11, %rd11, %rd10; st.global.u64 [%rd2+8], %rd11;");
  assert_int_equal(((const uint64_t *)kit_out(k))[0], 3 * 8);
  assert_in_range(k->instructions, 60, 200);
  assert_in_range(((const uint64_t *)kit_out(k))[1], 79900, 190000); /* at 1 GHz; the last two looks skip half as much again each */
}

/* ---- several threads of the host ------------------------------------------------------------------------------------------ */

/* Every CTA turns a number of its own over 3,000 times, adds it to sums with several kinds of atomic operations, and counts itself. */
#define LONG_WORK                                                                                                                       \
  "mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 64, %r1; mov.u32 %r4, 0;\n"                                                              \
  "L: mad.lo.u32 %r3, %r3, 1664525, 1013904223; add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 3000; @%p1 bra L;\n"                         \
  "mul.wide.u32 %rd8, %r2, 4; add.u64 %rd8, %rd2, %rd8; st.global.u32 [%rd8+1024], %r3;\n"                                              \
  "red.global.add.u32 [%rd2], %r3; cvt.u64.u32 %rd9, %r3; red.global.add.u64 [%rd2+8], %rd9; atom.global.xor.b32 %r5, [%rd2+16], %r3;\n" \
  "atom.global.max.u32 %r5, [%rd2+20], %r3; atom.global.inc.u32 %r5, [%rd2+24], 1000000;\n"                                             \
  "mov.b64 %rd10, {%r2, %r1}; AGAIN: ld.volatile.global.u32 %r6, [%rd2+28]; add.u32 %r7, %r6, 1;\n"                                     \
  "atom.global.cas.b32 %r8, [%rd2+28], %r6, %r7; setp.ne.u32 %p2, %r8, %r6; @%p2 bra AGAIN;"

static void test_several_threads_give_what_one_gives(void **state) {
  struct kit *k = *state;
  static unsigned char one[KIT_OUT_BYTES];
  k->ctas = 400;
  k->resident = 100;
  for (unsigned threads = 1; threads <= 4; threads++) {
    memset(kit_out(k), 0, KIT_OUT_BYTES);
    k->host_threads = threads;
    k->limits.executed = 0;
    kit_run(k, 64, LONG_WORK);
    if (threads == 1) memcpy(one, kit_out(k), KIT_OUT_BYTES);
    else assert_memory_equal(kit_out(k), one, KIT_OUT_BYTES);
    assert_int_equal(k->limits.executed, k->instructions);
    assert_int_equal(((const uint32_t *)kit_out(k))[6], 400 * 64);
    assert_int_equal(((const uint32_t *)kit_out(k))[7], 400 * 64);
  }
}

/* A wait for all comes after long work: the CTAs of all threads meet. */
#define WORK_AND_MEET                                                                                              \
  "mov.u32 %r6, 0; W: add.u32 %r6, %r6, 1; setp.lt.u32 %p3, %r6, 20000; @%p3 bra W;\n"                             \
  MEET("ld.volatile.global.u32 %r4, [%rd2]")

static void test_ctas_of_several_threads_meet_and_their_deadlock_is_told(void **state) {
  struct kit *k = *state;
  k->host_threads = 3;
  k->resident = 50;
  meet(k, 50, WORK_AND_MEET);
  memset(kit_out(k), 0, KIT_OUT_BYTES);
  k->ctas = 51;
  kit_faults(k, 64, EXEC_FAULT_DEADLOCK, WORK_AND_MEET, "looks again and again", NULL);
  assert_true(k->stuck);
  assert_int_equal(*(uint32_t *)kit_out(k), 50);
}

static void count_telling(void *user, uint64_t executed) {
  uint64_t *told = user;
  assert_true(executed >= told[1]);
  told[0]++;
  told[1] = executed;
}

/* Short grids (some 120,000 instructions) tell of themselves when they begin; a long one now and then as well. */
static void test_progress_is_told_by_many_short_grids_and_in_long_ones(void **state) {
  struct kit *k = *state;
  uint64_t told[2] = {0};
  k->limits = (struct exec_limits){.progress = count_telling, .user = told};
  k->ctas = 5;
  for (unsigned i = 1; i <= 20; i++) {
    uint64_t before = k->limits.executed;
    kit_run(k, 64, LONG_WORK);
    assert_int_equal(told[0], i);
    assert_int_equal(told[1], before);
  }
  k->ctas = 200;
  kit_run(k, 64, LONG_WORK);
  assert_in_range(told[0], 20 + 1 + 3, 20 + 1 + 4);
}

static void test_a_fault_ends_all_threads(void **state) {
  struct kit *k = *state;
  k->host_threads = 4;
  k->ctas = 500;
  kit_faults(k, 64, EXEC_FAULT_TRAP, LONG_WORK "setp.eq.u32 %p3, %r2, 250; @%p3 trap;", "CTA (250,0,0)", NULL);
}

/* The array `sm` has 4,096 bytes: what the system reserves lies behind it and is the CTA's to use; without asking there is nothing. */
static void test_reserved_shared_memory_is_there_for_those_who_ask(void **state) {
  struct kit *k = *state;
  kit_run(k, 64,
          "mov.u32 %r2, %reserved_smem_offset_begin; mov.u32 %r3, %reserved_smem_offset_end; mov.u32 %r4, %reserved_smem_offset_cap;\n"
          "mov.u32 %r5, %reserved_smem_offset_1; mov.u32 %r6, %total_smem_size; mov.u32 %r7, %aggr_smem_size;\n"
          "shl.b32 %r8, %r1, 2; add.u32 %r9, %r5, %r8; st.shared.u32 [%r9], %r1; st.shared.u32 [sm], %r1; bar.sync 0;\n"
          "ld.shared.u32 %r11, [%r9]; st.global.u32 [%rd5+64], %r11; bar.sync 0;\n"
          "sub.u32 %r12, %r3, %r2; st.global.u32 [%rd2], %r12; st.global.u32 [%rd2+4], %r4; sub.u32 %r13, %r5, %r2;\n"
          "st.global.u32 [%rd2+8], %r13; st.global.u32 [%rd2+12], %r6; st.global.u32 [%rd2+16], %r7;");
  const uint32_t *out = kit_out(k);
  static const uint32_t h200[] = {288, 1024, 0, 4096, 5120};
  for (unsigned i = 0; i < 5; i++) assert_int_equal(out[i], h200[i]);
  for (unsigned i = 0; i < 64; i++) assert_int_equal(out[16 + i], i);
  kit_faults(k, 1, EXEC_FAULT_ILLEGAL_ADDRESS, "st.shared.u32 [sm+4096], %r1;", "shared memory", NULL);
}

#define TEST(T) cmocka_unit_test_setup_teardown(T, kit_setup, kit_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_ctas_that_wait_for_each_other_meet),
      TEST(test_a_cta_waits_for_a_later_one),
      TEST(test_a_wait_for_several_places_costs_few_instructions),
      TEST(test_more_ctas_than_the_device_holds_cannot_meet),
      TEST(test_a_lock_between_ctas_that_changes_hands_is_progress),
      TEST(test_lanes_kept_from_running_get_their_turn_before_a_deadlock_is_called),
      TEST(test_warps_that_race_on_a_sum_do_as_on_a_gpu),
      TEST(test_several_threads_give_what_one_gives),
      TEST(test_ctas_of_several_threads_meet_and_their_deadlock_is_told),
      TEST(test_reserved_shared_memory_is_there_for_those_who_ask),
      TEST(test_a_fault_ends_all_threads),
      TEST(test_a_barrier_of_the_grid_costs_little_whatever_load_waits),
      TEST(test_a_loop_that_counts_what_it_looks_at_ends),
      TEST(test_a_clock_without_time_goes_eight_cycles_an_instruction),
      TEST(test_progress_is_told_by_many_short_grids_and_in_long_ones),
      TEST(test_a_store_to_shared_memory_that_comes_late_does_so),
      TEST(test_a_load_from_shared_memory_that_comes_late_does_so),
      TEST(test_a_limit_is_kept_to_the_instruction_in_the_midst_of_waiting),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
