/* An SM between mocks: when instructions issue and their results can be used, cycles that are skipped, the profile. Each figure is
 * worked out from the configuration in the comment above its test. */
#include "sm_rig.h"

/* A register whose value is never used would share its place with the next one, which then had to wait for
 * it. */
#define KEEP4(a, b, c, d) "add.u32 %r31, " a ", " b "; add.u32 %r30, " c ", " d "; add.u32 %r29, %r31, %r30;"

#define RIG(r, lines, threads, ...) rig_open(r, lines, threads, SETTINGS(__VA_ARGS__))

/* ---- arithmetic --------------------------------------------------------------------------------------------------- */

/* A result is used `latency` cycles after the issue. */
static void test_a_chain_of_results_takes_its_latencies(void **state) {
  (void)state;
  static struct rig r;
  RIG(&r,
      "add.u32 %r2, %r1, 1; add.u32 %r3, %r2, 1; mul.lo.u32 %r4, %r3, 3; mad.lo.u32 %r5, %r4, 3, 1; "
      "cvt.rn.f32.u32 %f1, %r5;"
      "fma.rn.f32 %f2, %f1, %f1, %f1; rcp.approx.f32 %f3, %f2; add.f32 %f4, %f3, %f3;",
      32, "sm.latency.alu=4", "sm.latency.imul=6", "sm.latency.imad=9", "sm.latency.cvt=7",
      "sm.latency.ffma=11", "sm.latency.sfu=21");
  rig_run(&r, 1);
  static const uint64_t latency[] = {4, 4, 6, 9, 7, 11, 21};
  for (unsigned i = 0; i < 7; i++) assert_int_equal(rig_between(&r, i, i + 1), latency[i]);
  rig_close(&r);
}

static void test_independent_instructions_of_a_warp_issue_every_cycle(void **state) {
  (void)state;
  static struct rig r;
  RIG(&r,
      "add.u32 %r2, %r1, 1; add.u32 %r3, %r1, 2; add.u32 %r4, %r1, 3; add.u32 %r5, %r1, 4;" KEEP4(
          "%r2", "%r3", "%r4", "%r5"),
      32, "sm.pipes.sp=1");
  rig_run(&r, 1);
  for (unsigned i = 0; i < 3; i++) assert_int_equal(rig_between(&r, i, i + 1), 1);
  rig_close(&r);
}

/* One collector: an instruction of n register operands keeps it for n + 1 cycles, and starts when they are over. */
static void test_a_collector_receives_one_operand_a_cycle(void **state) {
  (void)state;
  static struct rig r;
  static const char lines[] = "add.u32 %r2, %r1, 1; add.u32 %r3, %r1, %r1; mad.lo.u32 %r4, %r1, %r1, %r1; mov.u32 %r5, 7;"
                              "add.u32 %r6, %r5, 1;" KEEP4("%r2", "%r3", "%r4", "%r6");
  static const uint64_t cycles[] = {2, 2, 2, 4 + 1}; /* one register each, however often; then none, and its result */
  RIG(&r, lines, 32, "sm.collectors=1", "sm.latency.alu=4");
  rig_run(&r, 1);
  for (unsigned i = 0; i < 4; i++) assert_int_equal(rig_between(&r, i, i + 1), cycles[i]);
  rig_close(&r);
  RIG(&r, lines, 32, "sm.collectors=2", "sm.latency.alu=4"); /* two take turns */
  rig_run(&r, 1);
  for (unsigned i = 0; i < 3; i++) assert_int_equal(rig_between(&r, i, i + 1), 1);
  rig_close(&r);
}

/* 16 cycles for 32 columns, 4 for 8; the second one on the same registers follows without a gap. */
static void test_wgmma_takes_a_tensor_core_by_columns(void **state) {
  (void)state;
  static struct rig r = {.target = "sm_90a"};
#define SUMS "{%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8, %f9, %f10, %f11, %f12, %f13, %f14, %f15}"
#define WIDE "wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 " SUMS ", %rd2, %rd2, %p1, 1, 1, 0, 0; "
  RIG(&r,
      "mov.u32 %r2, sm; mov.u64 %rd2, 0; setp.eq.u32 %p1, %r1, %r1;" WIDE WIDE
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f16, %f17, %f18, %f19}, %rd2, %rd2, %p1, 1, 1, 0, 0; "
      "wgmma.wait_group.sync.aligned 0; add.f32 %f20, %f0, %f0; add.f32 %f21, %f16, %f16;",
      32, "sm.pipes.tensor=1", "sm.latency.tensor=32", "sm.interval.tensor=16");
  rig_run(&r, 1);
  assert_int_equal(rig_between(&r, 3, 4), 24); /* 2 KB of a and 1 KB of b, 128 bytes a cycle */
  assert_int_equal(rig_between(&r, 4, 5), 24);
  rig_close(&r);
}

/* A pipeline takes an instruction every `interval` cycles; two pipelines take two. */
static void test_a_pipeline_accepts_after_its_interval(void **state) {
  (void)state;
  static struct rig r;
  const char *lines = "sin.approx.f32 %f1, %f10; sin.approx.f32 %f2, %f10; sin.approx.f32 %f3, %f10; "
                      "sin.approx.f32 %f4, %f10;"
                      "add.f32 %f5, %f1, %f2; add.f32 %f6, %f3, %f4; add.f32 %f7, %f5, %f6;";
  RIG(&r, lines, 32, "sm.interval.sfu=8", "sm.pipes.sfu=1");
  rig_run(&r, 1);
  for (unsigned i = 0; i < 3; i++) assert_int_equal(rig_between(&r, i, i + 1), 8);
  assert_int_equal(rig_stall(&r, SM_STALL_PIPE), 3 * 7);
  rig_close(&r);
  RIG(&r, lines, 32, "sm.interval.sfu=8", "sm.pipes.sfu=2");
  rig_run(&r, 1);
  assert_int_equal(rig_between(&r, 0, 1), 1);
  assert_int_equal(rig_between(&r, 0, 2), 8);
  assert_int_equal(rig_between(&r, 2, 3), 1);
  rig_close(&r);
}

/* A division of latency 40 as a sequence of four: its instructions issue 10 cycles apart, and the warp's next one the cycle
 * after the last, though it needs no result. What needs it waits for the whole latency. */
static void test_a_sequence_takes_its_issue_slots(void **state) {
  (void)state;
  static struct rig r;
  RIG(&r, "div.rn.f32 %f2, %f1, %f1; add.u32 %r2, %r1, 1; add.f32 %f3, %f2, %f2;", 32, "sm.latency.fdiv=40", "sm.sequence.fdiv=4");
  rig_run(&r, 1);
  assert_int_equal(rig_between(&r, 0, 1), 31);
  assert_int_equal(rig_between(&r, 0, 2), 40);
  assert_int_equal(r.s.stats[SM_S_SEQUENCE], 3);
  rig_close(&r);
}

/* What is part of another instruction takes no slot, and its result is there when what it reads is: the addition, which reads a
 * product through a copy, issues 6 cycles after the product as it would without the copy. The kernel's first instruction counts
 * three. */
static void test_folded_instructions_take_no_slot(void **state) {
  (void)state;
  static struct rig r = {.load_flags = EXEC_LOWER};
  RIG(&r, "mul.rn.f32 %f2, %f1, %f1; mov.f32 %f3, %f2; neg.f32 %f4, %f3; add.rn.f32 %f5, %f4, %f4; st.global.f32 [%rd1], %f5;", 32,
      "sm.latency.fmul=6");
  rig_run(&r, 1);
  assert_int_equal(rig_between(&r, 0, 1), 0);
  assert_int_equal(rig_between(&r, 0, 2), 0);
  assert_int_equal(rig_between(&r, 0, 3), 6);
  assert_int_equal(r.s.stats[SM_S_FOLDED], 2);
  assert_int_equal(r.s.stats[SM_S_SEQUENCE], 2);
  rig_close(&r);
}

/* One that reads what a load has not brought yet waits for it, and takes no slot then either. */
static void test_a_folded_instruction_waits_for_a_load(void **state) {
  (void)state;
  static struct rig r = {.load_flags = EXEC_LOWER};
  RIG(&r, "ld.global.f32 %f2, [%rd1]; neg.f32 %f3, %f2; add.rn.f32 %f4, %f3, %f3; st.global.f32 [%rd1], %f4;", 32, "l1.queue=8");
  r.delay = 80;
  rig_run(&r, 1);
  assert_int_equal(rig_between(&r, 1, 2), 0);
  assert_int_equal(rig_between(&r, 0, 2), 4 + 80);
  assert_int_equal(r.s.stats[SM_S_FOLDED], 1);
  rig_close(&r);
}

/* Additions of 64 bits are two instructions, 2 cycles apart of a latency of 4; the next one follows in the cycle after. The second needs
 * the first one's carry, so that the sum is there after 8; halves of a logic operation are there after 4, or when both have issued. */
static void test_instructions_of_several_slots(void **state) {
  (void)state;
  static struct rig r = {.load_flags = EXEC_LOWER};
  RIG(&r,
      "ld.global.u32 %r5, [%rd1]; add.s64 %rd2, %rd1, %rd1; mov.u32 %r2, %ctaid.x; "
      "st.global.u64 [%rd1], %rd2; st.global.u32 [%rd1], %r2;", 32,
      "sm.latency.alu=4");
  rig_run(&r, 1);
  assert_int_equal(rig_between(&r, 1, 2), 3);
  assert_int_equal(rig_between(&r, 1, 3), 8);
  assert_int_equal(r.s.stats[SM_S_SEQUENCE], 2 + 1);
  rig_close(&r);
  RIG(&r,
      "ld.global.u32 %r5, [%rd1]; and.b64 %rd2, %rd1, %rd1; mov.u32 %r2, %ctaid.x; "
      "st.global.u64 [%rd1], %rd2; st.global.u32 [%rd1], %r2;", 32,
      "sm.latency.alu=4");
  rig_run(&r, 1);
  assert_int_equal(rig_between(&r, 1, 3), 4);
  rig_close(&r);
}

/* A branch that is not taken: 5 cycles to the next instruction; one whose sides meet again: 7 more, and a slot after that. */
static void test_branches_hold_a_warp(void **state) {
  (void)state;
  static struct rig r;
  RIG(&r, "setp.gt.u32 %p1, %r1, 100; @%p1 bra L; mov.u32 %r2, 1;\nL: mov.u32 %r3, 1;", 32, "sm.control_interval=5");
  rig_run(&r, 1);
  assert_int_equal(rig_between(&r, 1, 2), 5);
  rig_close(&r);
  r.load_flags = EXEC_LOWER;
  RIG(&r, "st.global.u32 [%rd1], %r1; setp.gt.u32 %p1, %r1, 100; @%p1 bra L; bar.sync 0; mov.u32 %r2, %ctaid.x;\n"
      "L: st.global.u32 [%rd1], %r2;", 32, "sm.control_interval=5", "sm.meet_interval=7");
  rig_run(&r, 1);
  assert_int_equal(rig_between(&r, 2, 3), 5 + 7 + 1); /* BRA, BSSY, BSYNC */
  rig_close(&r);
}

/* Lanes below 16 jump over the rest: each side comes to where they meet, 7 cycles apart. */
static void test_sides_of_a_divided_warp_meet_one_after_the_other(void **state) {
  (void)state;
  static struct rig r;
  r.load_flags = EXEC_LOWER;
  RIG(&r, "st.global.u32 [%rd1], %r1; setp.lt.u32 %p1, %r1, 16; @%p1 bra L; bar.warp.sync 0xffff0000; mov.u32 %r2, %ctaid.x;\n"
      "L: st.global.u32 [%rd1], %r2;", 32, "sm.control_interval=5", "sm.meet_interval=7", "sm.branch_latency=0");
  rig_run(&r, 1);
  assert_int_equal(rig_between(&r, 2, 3), 5 + 7 + 7 + 1);
  rig_close(&r);
  r.load_flags = 0;
}

/* %f1 is zero: a division of it, its root and its reciprocal leave the short way, those of 1.5 do not. */
static void test_operands_send_a_division_the_long_way(void **state) {
  (void)state;
  static struct rig r;
  static const struct {
    const char *line;
    uint64_t more;
  } rows[] = {{"div.rn.f32 %f3, %f2, %f2;", 0},  {"div.rn.f32 %f3, %f1, %f2;", 80}, {"div.rn.f32 %f3, %f2, %f1;", 80},
              {"rcp.rn.f32 %f3, %f2;", 0},       {"rcp.rn.f32 %f3, %f1;", 40},      {"sqrt.rn.f32 %f3, %f2;", 0},
              {"sqrt.rn.f32 %f3, %f1;", 24},     {"@%p1 div.rn.f32 %f3, %f1, %f2;", 0},
              {"mov.f32 %f4, 0f04000000; div.rn.f32 %f3, %f4, %f2;", 80}, /* 2^-119 */
              {"mov.f32 %f4, 0f0D000000; div.rn.f32 %f3, %f4, %f2;", 0}}; /* 2^-101 */
  for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[256];
    unsigned at = strncmp(rows[i].line, "mov", 3) ? 3 : 4;
    snprintf(text, sizeof text,
             "mov.f32 %%f1, 0f00000000; mov.f32 %%f2, 0f3FC00000; setp.ne.u32 %%p1, %%r1, %%r1; %s add.f32 %%f5, %%f3, %%f3;",
             rows[i].line);
    RIG(&r, text, 32, "sm.latency.fdiv=30", "sm.slow_path.div=80", "sm.slow_path.rcp=40", "sm.slow_path.sqrt=24", "sm.latency.alu=1",
        "sm.guard_latency=0");
    rig_run(&r, 1);
    assert_int_equal(rig_between(&r, at, at + 1), 30 + rows[i].more);
    assert_int_equal(r.s.stats[SM_S_SEQUENCE], rows[i].more / 5);
    rig_close(&r);
  }
}

/* Of f64 what decides is the upper word: exponents from 54 on are no small dividend, from 2,040 on the divisor is a large one, a quotient
 * of exponent 2,040 is too large; a reciprocal is slow of zero and of exponents from 2,045 on, a root below 53. */
static void test_operands_send_a_division_of_f64_the_long_way(void **state) {
  (void)state;
  static struct rig r;
  enum { DIV = 80, RCP = 40, ROOT = 25 };
  static const struct {
    const char *x, *line;
    uint64_t more;
  } rows[] = {{"3FF8000000000000", "div.rn.f64 %fd3, %fd1, %fd2;", 0},   {"0000000000000000", "div.rn.f64 %fd3, %fd1, %fd2;", DIV},
              {"0358000000000000", "div.rn.f64 %fd3, %fd1, %fd2;", DIV}, {"0368000000000000", "div.rn.f64 %fd3, %fd1, %fd2;", 0},
              {"7F78000000000000", "div.rn.f64 %fd3, %fd1, %fd2;", 0},   {"7F88000000000000", "div.rn.f64 %fd3, %fd1, %fd2;", DIV},
              {"7F84000000000000", "div.rn.f64 %fd3, %fd2, %fd1;", DIV}, {"7EC4000000000000", "div.rn.f64 %fd3, %fd2, %fd1;", 0},
              {"0044000000000000", "div.rn.f64 %fd3, %fd2, %fd1;", DIV}, {"0144000000000000", "div.rn.f64 %fd3, %fd2, %fd1;", 0},
              {"0000000000000000", "rcp.rn.f64 %fd3, %fd1;", RCP},       {"0014000000000000", "rcp.rn.f64 %fd3, %fd1;", 0},
              {"7FC4000000000000", "rcp.rn.f64 %fd3, %fd1;", 0},         {"7FD4000000000000", "rcp.rn.f64 %fd3, %fd1;", RCP},
              {"0344000000000000", "sqrt.rn.f64 %fd3, %fd1;", ROOT},     {"0354000000000000", "sqrt.rn.f64 %fd3, %fd1;", 0},
              {"7FE4000000000000", "sqrt.rn.f64 %fd3, %fd1;", 0},        {"7FF0000000000000", "sqrt.rn.f64 %fd3, %fd1;", ROOT},
              {"BFF8000000000000", "sqrt.rn.f64 %fd3, %fd1;", ROOT}};
  for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[256];
    snprintf(text, sizeof text, "mov.f64 %%fd1, 0d%s; mov.f64 %%fd2, 0d3FF8000000000000; %s add.f64 %%fd5, %%fd3, %%fd3;", rows[i].x,
             rows[i].line);
    RIG(&r, text, 32, "sm.latency.ddiv=30", "sm.interval.ddiv=1", "sm.slow_path.ddiv=80", "sm.slow_path.drcp=40", "sm.slow_path.dsqrt=25");
    rig_run(&r, 1);
    assert_int_equal(rig_between(&r, 2, 3), 30 + rows[i].more);
    assert_int_equal(r.s.stats[SM_S_SEQUENCE], rows[i].more / 5);
    rig_close(&r);
  }
}

/* Of two warps with one scheduler, the second finds the slots that the first's sequence takes used: its 40 additions, which need
 * nothing, end three slots later than without. */
static void test_slots_of_a_sequence_are_lost_to_other_warps(void **state) {
  (void)state;
  static const char *const length[] = {"sm.sequence.fdiv=1", "sm.sequence.fdiv=8"};
  uint64_t end[2];
  for (unsigned i = 0; i < 2; i++) {
    static struct rig r;
    struct str lines = {0};
    str_add(&lines, "setp.lt.u32 %%p1, %%r1, 32; @%%p1 bra D;");
    for (unsigned k = 0; k < 40; k++) str_add(&lines, "add.u32 %%r%u, %%r1, %u;", 2 + k % 8, k);
    str_add(&lines, "ret; D: div.rn.f32 %%f2, %%f1, %%f1;");
    RIG(&r, lines.s, 64, "sm.latency.fdiv=32", "sm.schedulers=1", "sm.scheduler=lrr", "sm.latency.alu=1", length[i]);
    rig_run(&r, 1);
    end[i] = r.now;
    assert_int_equal(r.s.stats[SM_S_SEQUENCE], i ? 7 : 0);
    rig_close(&r);
    str_free(&lines);
  }
  assert_int_equal(end[1] - end[0], 7);
}

/* Divisions of 64 bits are a unit of their own where its keys are given. */
static void test_divisions_of_64_bits(void **state) {
  (void)state;
  static const char *const settings[] = {"sm.latency.ldiv=0", "sm.latency.ldiv=90"};
  for (unsigned i = 0; i < 2; i++) {
    static struct rig r;
    RIG(&r, "mov.u64 %rd3, 5; div.u64 %rd2, %rd1, %rd3; add.u64 %rd4, %rd2, 1;", 32, "sm.latency.idiv=50", settings[i]);
    rig_run(&r, 1);
    assert_int_equal(rig_between(&r, 1, 2), i ? 90 : 50);
    rig_close(&r);
  }
}

/* A taken branch keeps the warp for branch_latency cycles more than the next cycle. */
static void test_a_taken_branch_costs_its_latency(void **state) {
  (void)state;
  static struct rig r;
  RIG(&r, "bra A; mov.u32 %r2, 7; A: mov.u32 %r3, 1; mov.u32 %r4, 2; add.u32 %r5, %r3, %r4;", 32,
      "sm.branch_latency=5");
  rig_run(&r, 1);
  assert_int_equal(rig_between(&r, 0, 1), 6);
  assert_int_equal(rig_between(&r, 1, 2), 1);
  rig_close(&r);
}

/* As a guard a predicate is later than as an operand. */
static void test_a_guard_waits_longer_than_an_operand(void **state) {
  (void)state;
  static struct rig r;
  static const char *const lines[] = {"setp.lt.u32 %p1, %r1, 99; selp.u32 %r2, 1, 2, %p1;",
                                      "setp.lt.u32 %p1, %r1, 99; @%p1 mov.u32 %r2, 1;", "setp.gt.u32 %p1, %r1, 99; @%p1 bra A; A:"};
  static const uint64_t apart[] = {4, 4 + 9, 4 + 9};
  for (unsigned i = 0; i < 3; i++) {
    RIG(&r, lines[i], 32, "sm.latency.alu=4", "sm.guard_latency=9");
    rig_run(&r, 1);
    assert_int_equal(rig_between(&r, 0, 1), apart[i]);
    rig_close(&r);
  }
}

/* The third could take the last with it in cycle 5, were it not for its guard. */
static void test_a_guard_is_waited_for_also_by_the_second_of_two(void **state) {
  (void)state;
  static struct rig r;
  static const char *const latency[] = {"sm.guard_latency=0", "sm.guard_latency=9"};
  for (unsigned i = 0; i < 2; i++) {
    RIG(&r, "setp.lt.u32 %p1, %r1, 99; add.u32 %r2, %r1, 1; add.u32 %r3, %r2, 1; @%p1 rcp.approx.f32 %f1, %f2; "
        "add.u32 %r4, %r3, %r2;", 32, "sm.latency.alu=4", "sm.dual_issue=true", latency[i]);
    rig_run(&r, 1);
    assert_int_equal(rig_between(&r, 0, 2), 5);
    assert_int_equal(rig_between(&r, 0, 3), i ? 4 + 9 : 5);
    rig_close(&r);
  }
}

/* Two schedulers, a warp each: both issue in the same cycle. */
static void test_each_scheduler_issues_one_a_cycle(void **state) {
  (void)state;
  static struct rig r;
  RIG(&r, "add.u32 %r2, %r1, 1; add.u32 %r3, %r1, 2;", 64, "sm.schedulers=2", "sm.pipes.sp=2");
  rig_run(&r, 1);
  assert_int_equal(r.issue[r.n_issue - 1], r.issue[r.n_issue - 2]);
  assert_int_equal(r.n_issue, 2 * (PROLOGUE + 3));
  rig_close(&r);
}

/* ---- time may be skipped ------------------------------------------------------------------------------------------ */

static const char mixed[] =
    "mul.lo.u32 %r2, %r1, 132; cvt.u64.u32 %rd2, %r2; add.u64 %rd2, %rd1, %rd2; mov.u32 %r9, 0;"
    "L: ld.global.u32 %r3, [%rd2]; add.u32 %r4, %r3, %r1; st.global.u32 [%rd2], %r4; bar.sync 0;"
    "sin.approx.f32 %f1, %f2; shl.b32 %r5, %r1, 2; mov.u32 %r6, sm; add.u32 %r6, %r6, %r5; st.shared.u32 "
    "[%r6], %r4;"
    "bar.sync 0; ld.shared.u32 %r7, [%r6]; membar.gl; add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 4; @%p1 bra "
    "L;";

/* Visiting an SM in every cycle, or only when it asked, must count the same. */
static void test_skipped_cycles_count_like_visited_ones(void **state) {
  (void)state;
  static const char *const schedulers[] = {"sm.scheduler=lrr", "sm.scheduler=gto", "sm.scheduler=two-level"};
  static struct rig a, b;
  for (unsigned i = 0; i < 3; i++) {
    const char *const settings[] = {schedulers[i], "l1.mshrs=6",        "l1.merges=2",
                                    "l1.queue=3",  "sm.interval.sfu=9", NULL};
    rig_open(&a, mixed, 128, settings);
    rig_open(&b, mixed, 128, settings);
    b.every_cycle = true;
    a.delay = b.delay = 37;
    rig_run(&a, 1);
    rig_run(&b, 1);
    assert_int_equal(a.now, b.now);
    assert_true(a.visits < b.visits);
    for (unsigned k = 0; k < SM_STATS; k++)
      if (a.s.stats[k] != b.s.stats[k])
        fail_msg("%s: %s is %llu when skipping and %llu when not", schedulers[i], sm_stat_defs[k].name,
                 (unsigned long long)a.s.stats[k], (unsigned long long)b.s.stats[k]);
    for (unsigned k = 0; k < L1_STATS; k++)
      if (a.s.l1.stats[k] != b.s.l1.stats[k])
        fail_msg("%s: enum l1_stat %u is %llu when skipping and %llu when not", schedulers[i], k,
                 (unsigned long long)a.s.l1.stats[k], (unsigned long long)b.s.l1.stats[k]);
    rig_close(&a);
    rig_close(&b);
  }
}

/* Settling at every cycle, as snapshots do, must not change a counter either. */
static void test_settling_in_between_changes_nothing(void **state) {
  (void)state;
  static struct rig a, b;
  RIG(&a, mixed, 128, "l1.mshrs=6");
  RIG(&b, mixed, 128, "l1.mshrs=6");
  rig_run(&a, 1);
  sm_start_cta(&b.s, &b.grid, 0, 0);
  while (!sm_idle(&b.s) || b.count) {
    sm_settle(&b.s, (b.now + 1) * PERIOD);
    if (b.now % 3) sm_settle(&b.s, (b.now + 1) * PERIOD);
    rig_cycle(&b);
  }
  assert_memory_equal(a.s.stats, b.s.stats, sizeof a.s.stats);
  rig_close(&a);
  rig_close(&b);
}

/* ---- profile ------------------------------------------------------------------------------------------------------ */

static void test_profile_rows_add_up_to_the_counters(void **state) {
  (void)state;
  static struct rig a, b;
  RIG(&a, mixed, 128, "l1.mshrs=6");
  RIG(&b, mixed, 128, "l1.mshrs=6");
  sm_profile_start(&b.s, b.module.n_insts);
  rig_run(&a, 1);
  rig_run(&b, 1);
  assert_memory_equal(a.s.stats, b.s.stats, sizeof a.s.stats); /* looking on costs nothing */
  struct sm_profile_row sum = {0};
  for (uint32_t i = 0; i <= b.s.profile->n; i++) {
    const struct sm_profile_row *row = &b.s.profile->rows[i];
    sum.executions += row->executions;
    sum.lanes += row->lanes;
    sum.transactions += row->transactions;
    sum.latency += row->latency;
    sum.hits += row->hits;
    for (unsigned k = 0; k < SM_STALLS; k++) sum.stalls[k] += row->stalls[k];
  }
  assert_int_equal(sum.executions, b.s.stats[SM_S_WARP_INSTRUCTIONS]);
  assert_int_equal(sum.lanes, b.s.stats[SM_S_THREAD_INSTRUCTIONS]);
  assert_int_equal(sum.transactions, b.s.stats[SM_S_SEGMENTS]);
  assert_int_equal(sum.latency, b.s.stats[SM_S_LOAD_LATENCY]);
  assert_int_equal(sum.hits, b.s.l1.stats[L1_S_HITS]);
  for (unsigned k = 1; k < SM_STALLS; k++) assert_int_equal(sum.stalls[k], rig_stall(&b, (enum sm_stall)k));
  rig_close(&a);
  rig_close(&b);
}

/* The load is instruction PROLOGUE, its use the next: its latency is its own, the waiting is the use's. */
static void test_a_profile_row_says_what_its_instruction_cost(void **state) {
  (void)state;
  static struct rig r;
  RIG(&r, "ld.global.u32 %r2, [%rd1]; add.u32 %r3, %r2, 1;", 20, "sm.schedulers=1");
  r.delay = 50;
  sm_profile_start(&r.s, r.module.n_insts);
  rig_run(&r, 1);
  const struct sm_profile_row *ld = &r.s.profile->rows[r.grid.kernel->first_pc + PROLOGUE], *use = ld + 1;
  assert_int_equal(ld->executions, 1);
  assert_int_equal(ld->lanes, 20);
  assert_int_equal(ld->accesses, 1);
  assert_int_equal(ld->transactions, 1);
  assert_int_equal(ld->latency, 54);
  assert_int_equal(use->stalls[SM_STALL_MEMORY], 53);
  rig_close(&r);
}

/* ---- deferred instructions ---------------------------------------------------------------------------------------- */

/* A call of the device library is executed after all SMs of the instant: its pipeline must be taken when it
 * is chosen, or another scheduler's instruction would get the same one. */
static void test_a_deferred_instruction_holds_its_pipeline(void **state) {
  (void)state;
  static struct rig r;
  RIG(&r,
      "setp.lt.u32 %p1, %r1, 32; @%p1 bra A; add.u32 %r2, %r1, 1; add.u32 %r3, %r1, 1; add.u32 %r4, %r1, 1; "
      "bra B;"
      "A: call f; call f; call f; B: mov.u32 %r5, 1;",
      64, "sm.schedulers=2", "sm.pipes.sp=1");
  rig_run(&r, 1);
  /* After both prologues there is one pipeline, so one instruction a cycle. */
  for (uint64_t i = 2 * PROLOGUE; i < r.n_issue; i++) assert_true(r.issue[i] > r.issue[i - 1]);
  rig_close(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_chain_of_results_takes_its_latencies),
      cmocka_unit_test(test_independent_instructions_of_a_warp_issue_every_cycle),
      cmocka_unit_test(test_a_collector_receives_one_operand_a_cycle),
      cmocka_unit_test(test_a_pipeline_accepts_after_its_interval),
      cmocka_unit_test(test_wgmma_takes_a_tensor_core_by_columns),
      cmocka_unit_test(test_a_sequence_takes_its_issue_slots),
      cmocka_unit_test(test_folded_instructions_take_no_slot),
      cmocka_unit_test(test_a_folded_instruction_waits_for_a_load),
      cmocka_unit_test(test_instructions_of_several_slots),
      cmocka_unit_test(test_branches_hold_a_warp),
      cmocka_unit_test(test_slots_of_a_sequence_are_lost_to_other_warps),
      cmocka_unit_test(test_divisions_of_64_bits),
      cmocka_unit_test(test_a_taken_branch_costs_its_latency),
      cmocka_unit_test(test_a_guard_waits_longer_than_an_operand),
      cmocka_unit_test(test_a_guard_is_waited_for_also_by_the_second_of_two),
      cmocka_unit_test(test_each_scheduler_issues_one_a_cycle),
      cmocka_unit_test(test_sides_of_a_divided_warp_meet_one_after_the_other),
      cmocka_unit_test(test_operands_send_a_division_the_long_way),
      cmocka_unit_test(test_operands_send_a_division_of_f64_the_long_way),
      cmocka_unit_test(test_skipped_cycles_count_like_visited_ones),
      cmocka_unit_test(test_settling_in_between_changes_nothing),
      cmocka_unit_test(test_profile_rows_add_up_to_the_counters),
      cmocka_unit_test(test_a_profile_row_says_what_its_instruction_cost),
      cmocka_unit_test(test_a_deferred_instruction_holds_its_pipeline),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
