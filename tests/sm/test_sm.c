/* An SM between mocks: latencies to the cycle, intervals, barriers, fences, occupancy, stall reasons. Each
 * figure is worked out from the configuration in the comment above its test.
 *
 * What a memory instruction costs, from issue in cycle t with nothing else around: the load/store unit takes
 * it in t + 1. A hit's data are there l1.latency cycles later, so the first use issues in t + 1 + l1.latency.
 * A miss is in the miss queue in t + 1, leaves in t + 2, is seen by the network in t + 3, answered `delay`
 * cycles later, and taken by the SM in the cycle after: the first use issues in t + 4 + delay. */
#include "sm_rig.h"

/* A register whose value is never used would share its place with the next one, which then had to wait for
 * it. */
#define KEEP2(a, b)       "add.u32 %r31, " a ", " b ";"
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

/* ---- memory ------------------------------------------------------------------------------------------------------- */

static void check_hit_latency(unsigned latency) {
  static struct rig r;
  char key[32];
  snprintf(key, sizeof key, "l1.latency=%u", latency);
  RIG(&r,
      "ld.global.u32 %r2, [%rd1]; add.u32 %r3, %r2, 1; ld.global.u32 %r4, [%rd1]; add.u32 %r5, %r4, 1;" KEEP2(
          "%r3", "%r5"),
      32, key);
  r.delay = 50;
  rig_run(&r, 1);
  assert_int_equal(rig_between(&r, 0, 1), 4 + 50);      /* the miss */
  assert_int_equal(rig_between(&r, 2, 3), 1 + latency); /* the hit */
  assert_int_equal(r.s.stats[SM_S_LOADS], 2);
  assert_int_equal(r.s.stats[SM_S_LOAD_LATENCY], 54 + 1 + latency);
  assert_int_equal(r.s.l1.stats[L1_S_HITS], 1);
  rig_close(&r);
}

static void test_unloaded_hit_and_miss_latency_to_the_cycle(void **state) {
  (void)state;
  check_hit_latency(1);
  check_hit_latency(35);
}

/* The answer is taken in cycle t; in t - 1 the register is not there. */
static void test_a_load_is_not_used_a_cycle_early(void **state) {
  (void)state;
  static struct rig r;
  RIG(&r, "ld.global.u32 %r2, [%rd1]; add.u32 %r3, %r2, 1;", 32, "l1.latency=10");
  r.delay = 30;
  sm_start_cta(&r.s, &r.grid, 0, 0);
  while (r.n_issue < PROLOGUE + 1) rig_cycle(&r);
  uint64_t use = r.now + 4 + 30;
  while (r.now < use - 1) rig_cycle(&r);
  assert_int_equal(r.n_issue, PROLOGUE + 1);
  assert_int_equal(r.s.ready.warp[0].why, SM_STALL_MEMORY);
  rig_cycle(&r);
  assert_int_equal(r.n_issue, PROLOGUE + 2);
  while (!sm_idle(&r.s)) rig_cycle(&r);
  rig_close(&r);
}

/* k lines of a warp that hit are looked up one a cycle: the last one's data come k - 1 cycles later. */
static void test_uncoalesced_hits_cost_a_cycle_a_line(void **state) {
  (void)state;
  for (unsigned k = 1; k <= 32; k *= 2)
    for (unsigned tags = 1; tags <= 4; tags *= 4) {
      static struct rig r;
      char lines[512], key[32];
      snprintf(lines, sizeof lines,
               "rem.u32 %%r2, %%r1, %u; mul.lo.u32 %%r2, %%r2, 128; cvt.u64.u32 %%rd2, %%r2; add.u64 %%rd2, "
               "%%rd1, %%rd2;"
               "ld.global.u32 %%r3, [%%rd2]; add.u32 %%r4, %%r3, 1; ld.global.u32 %%r5, [%%rd2]; add.u32 "
               "%%r6, %%r5, 1;",
               k);
      snprintf(key, sizeof key, "l1.tags_per_cycle=%u", tags);
      RIG(&r, lines, 32, "l1.latency=10", "l1.queue=64", "l1.ways=64", key);
      rig_run(&r, 1);
      assert_int_equal(r.s.stats[SM_S_SEGMENTS], 2 * k);
      assert_int_equal(r.s.l1.stats[L1_S_HITS], k);
      assert_int_equal(rig_between(&r, 6, 7), 1 + 10 + (k + tags - 1) / tags - 1);
      rig_close(&r);
    }
}

/* With banks of tags (l1.tag_stage), k lines that follow each other take k / 4 cycles if each lane reads a word of its own bank; if all
 * read the first word of a line, they take k, two more each of the way into the registers. */
static void test_uncoalesced_hits_take_banks_of_tags_and_data(void **state) {
  (void)state;
  uint64_t missed[2];
  for (unsigned k = 1; k <= 32; k *= 2) {
    for (unsigned apart = 0; apart <= 4; apart += 4) {
      static struct rig r;
      char lines[512];
      snprintf(lines, sizeof lines,
               "rem.u32 %%r2, %%r1, %u; mul.lo.u32 %%r2, %%r2, 128; mad.lo.u32 %%r2, %%r1, %u, %%r2; cvt.u64.u32 %%rd2, %%r2;"
               "add.u64 %%rd2, %%rd1, %%rd2; ld.global.u32 %%r3, [%%rd2]; add.u32 %%r4, %%r3, 1; ld.global.u32 %%r5, [%%rd2];"
               "add.u32 %%r6, %%r5, 1;",
               k, apart);
      RIG(&r, lines, 32, "l1.latency=10", "l1.queue=64", "l1.ways=64", "l1.tag_stage=banks", "sm.return_interval=2");
      rig_run(&r, 1);
      unsigned lookups = (k + 3) / 4, cycles = apart ? 1 : k;
      assert_int_equal(r.s.l1.stats[L1_S_HITS], k);
      missed[apart / 4] = rig_between(&r, 5, 6);
      assert_int_equal(rig_between(&r, 7, 8), 1 + 10 + lookups - 1 + 2 * (cycles - 1));
      rig_close(&r);
    }
    assert_int_equal(missed[0] - missed[1], 2 * (k - 1));
  }
}

/* Two loads in a row of one scheduler: the second one's data wait for the first one's way into the registers. */
static void test_data_of_a_scheduler_return_one_after_the_other(void **state) {
  (void)state;
  static const unsigned later[] = {0, 3};
  for (unsigned i = 0; i < 2; i++) {
    static struct rig r;
    RIG(&r, "mov.u32 %r3, sm; ld.shared.u32 %r4, [%r3]; ld.shared.u32 %r5, [%r3]; add.u32 %r6, %r5, 1;", 32, "sm.shared_latency=26",
        i ? "sm.return_interval=4" : "sm.return_interval=1");
    rig_run(&r, 1);
    assert_int_equal(rig_between(&r, 2, 3), 1 + 26 + later[i]);
    rig_close(&r);
  }
}

/* Cycles from the first packet that leaves for L2 to the last of `n`, with l1.store_bytes. */
static uint64_t cycles_of_stores(const char *what, unsigned lane_bytes, unsigned n) {
  static struct rig r;
  char lines[512];
  uint64_t first = 0, last = 0;
  snprintf(lines, sizeof lines, "mul.lo.u32 %%r2, %%r1, %u; cvt.u64.u32 %%rd2, %%r2; add.u64 %%rd2, %%rd1, %%rd2; %s", lane_bytes, what);
  RIG(&r, lines, 32, "l1.latency=10", "l1.queue=64", "l1.store_bytes=32");
  sm_start_cta(&r.s, &r.grid, 0, 0);
  while (!sm_idle(&r.s)) {
    rig_cycle(&r);
    uint64_t sent = r.requests[MEM_WRITE] + r.requests[MEM_REDUCE];
    if (sent && !first) first = r.now;
    if (sent == n && !last) last = r.now;
  }
  rig_close(&r);
  assert_true(first && last);
  return last - first;
}

/* A sector a cycle, one more for a line with a sector that is written in part; an atomic operation on one word takes one. */
static void test_stores_leave_a_sector_a_cycle(void **state) {
  (void)state;
  assert_int_equal(cycles_of_stores("st.global.v4.u32 [%rd2], {%r1, %r1, %r1, %r1};", 16, 4), 3 * 4);
  assert_int_equal(cycles_of_stores("st.global.u32 [%rd2], %r1;", 8, 2), 5);
  assert_int_equal(cycles_of_stores("st.global.u32 [%rd2], %r1;", 128, 32), 31 * 2);
  assert_int_equal(cycles_of_stores("red.global.add.u32 [%rd2], %r1;", 8, 2), 5);
  assert_int_equal(cycles_of_stores("red.global.add.u32 [%rd2], %r1;", 128, 32), 31);
}

/* A k-way conflict occupies the banks k cycles: data k - 1 cycles later than shared_latency. */
static void test_shared_memory_latency_with_conflicts(void **state) {
  (void)state;
  for (unsigned k = 1; k <= 32; k *= 2) {
    static struct rig r;
    char lines[512];
    snprintf(lines, sizeof lines,
             "mul.lo.u32 %%r2, %%r1, %u; mov.u32 %%r3, sm; add.u32 %%r3, %%r3, %%r2; ld.shared.u32 %%r4, "
             "[%%r3]; add.u32 %%r5, %%r4, 1;",
             4 * k);
    RIG(&r, lines, 32, "sm.shared_latency=26");
    rig_run(&r, 1);
    assert_int_equal(rig_between(&r, 3, 4), 1 + 26 + k - 1);
    assert_int_equal(r.s.stats[SM_S_SHARED_CYCLES], k);
    assert_int_equal(r.s.stats[SM_S_CONFLICTS], k - 1);
    rig_close(&r);
  }
}

/* Constants: const_latency after the access on a hit. The parameter's line is in the cache after the
 * prologue. */
static void test_parameters_are_constant_cache_hits(void **state) {
  (void)state;
  static struct rig r;
  RIG(&r,
      "ld.param.u64 %rd2, [data]; add.u64 %rd3, %rd2, 1; ld.param.u64 %rd4, [data]; add.u64 %rd5, %rd4, 1;",
      32, "sm.const_latency=12");
  rig_run(&r, 1);
  assert_int_equal(rig_between(&r, 2, 3), 1 + 12);
  assert_int_equal(r.s.constant.stats[RO_S_ACCESSES], 3);
  assert_true(r.s.constant.stats[RO_S_HITS] >= 1);
  rig_close(&r);
}

/* Lanes that name different addresses of a line of constants: an address a cycle, if asked for. */
static void test_constants_are_served_one_address_a_cycle(void **state) {
  (void)state;
  static struct rig r;
  for (unsigned different = 1; different <= 32; different *= 2)
    for (unsigned serial = 0; serial < 3; serial++) { /* cycles of an address; 0: together */
      char lines[512];
      snprintf(lines, sizeof lines,
               "and.b32 %%r2, %%r1, %u; mul.wide.u32 %%rd2, %%r2, 4; add.u64 %%rd3, %%rd1, %%rd2; ld.const.u32 %%r3, [%%rd1];"
               "add.u32 %%r4, %%r3, 1; ld.const.u32 %%r5, [%%rd3]; add.u32 %%r6, %%r5, 1;",
               different - 1);
      RIG(&r, lines, 32, "sm.const_latency=12", serial ? "sm.const_serial=true" : "sm.const_serial=false",
          serial > 1 ? "sm.const_interval=2" : "sm.const_interval=1");
      rig_run(&r, 1);
      assert_int_equal(rig_between(&r, 5, 6), 1 + 12 + serial * (different - 1));
      rig_close(&r);
    }
}

static void test_operators_reach_the_cache(void **state) {
  (void)state;
  static struct rig r;
  RIG(&r,
      "ld.global.cg.u32 %r2, [%rd1]; ld.volatile.global.u32 %r3, [%rd1]; ld.global.ca.u32 %r4, [%rd1];"
      "add.u32 %r5, %r4, %r3; ld.global.cs.u32 %r6, [%rd1];",
      32, "l1.latency=5");
  rig_run(&r, 1);
  assert_int_equal(r.s.l1.stats[L1_S_BYPASSES], 2);
  assert_int_equal(r.s.l1.stats[L1_S_HITS], 1);
  assert_int_equal(r.s.l1.stats[L1_S_ACCESSES], 4);
  rig_close(&r);
}

/* The 32 copies of a local word lie in one line: one access a word. */
static void test_local_memory_is_interleaved(void **state) {
  (void)state;
  static struct rig r;
  RIG(&r,
      ".local .align 16 .b8 stack[64]; mov.u64 %rd2, stack; st.local.u32 [%rd2], %r1; ld.local.u32 %r2, "
      "[%rd2];"
      "st.local.v4.u32 [%rd2+16], {%r1, %r1, %r1, %r1}; add.u32 %r3, %r2, 1;",
      32, "l1.latency=5");
  rig_run(&r, 1);
  assert_int_equal(r.s.stats[SM_S_SEGMENTS], 1 + 1 + 4);
  rig_close(&r);
}

/* Four MSHRs and eight lines: the unit waits for answers, the causes are counted, nothing is lost. */
static void test_mshrs_run_out_and_come_back(void **state) {
  (void)state;
  static struct rig r;
  RIG(&r,
      "rem.u32 %r2, %r1, 8; mul.lo.u32 %r2, %r2, 128; cvt.u64.u32 %rd2, %r2; add.u64 %rd2, %rd1, %rd2; "
      "ld.global.u32 %r3, [%rd2];"
      "add.u32 %r4, %r3, 1;",
      32, "l1.mshrs=4", "l1.queue=16");
  r.delay = 100;
  rig_run(&r, 1);
  /* Lines 5 to 8 go when the first four are back: two round trips of 3 + delay + 1, the second starting in
   * the cycle the first answer is taken. Access in t + 1 ... t + 4, refused from t + 5; answers in t + 4 +
   * delay and on. The fifth goes in the cycle of its answer and is answered 3 + delay cycles after that
   * access, the eighth three later. */
  assert_int_equal(rig_between(&r, 4, 5), 4 + 100 + 3 + 100 + 3);
  assert_int_equal(r.s.l1.stats[L1_S_FAIL_MSHR], 99 + 0);
  assert_int_equal(r.s.l1.stats[L1_S_FAILS], r.s.l1.stats[L1_S_FAIL_MSHR]);
  rig_close(&r);
}

/* ---- order: barriers and fences ----------------------------------------------------------------------------------- */

/* Warp 1 takes a division longer to the barrier; warp 0 goes on the cycle after it arrived. */
static void test_a_barrier_holds_all_until_the_last_arrives(void **state) {
  (void)state;
  static struct rig r;
  RIG(&r,
      "setp.lt.u32 %p1, %r1, 32; @%p1 bra A; div.u32 %r2, %r1, 3; add.u32 %r3, %r2, 1; A: bar.sync 0; "
      "add.u32 %r4, %r1, 1;",
      64, "sm.latency.idiv=200", "sm.schedulers=2");
  rig_run(&r, 1);
  assert_true(rig_stall(&r, SM_STALL_BARRIER) > 180);
  /* The last issues: bar of warp 1 in cycle t, both adds in t + 1, both rets after. */
  uint64_t n = r.n_issue;
  assert_int_equal(r.issue[n - 4] - r.issue[n - 5], 1);
  assert_int_equal(r.issue[n - 3] - r.issue[n - 4], 0);
  rig_close(&r);
}

static void test_the_release_does_not_depend_on_which_scheduler_is_asked_first(void **state) {
  (void)state;
  static struct rig r; /* now warp 0 is the late one */
  RIG(&r,
      "setp.ge.u32 %p1, %r1, 32; @%p1 bra A; div.u32 %r2, %r1, 3; add.u32 %r3, %r2, 1; A: bar.sync 0; "
      "add.u32 %r4, %r1, 1;",
      64, "sm.latency.idiv=200", "sm.schedulers=2");
  rig_run(&r, 1);
  uint64_t n = r.n_issue;
  assert_int_equal(r.issue[n - 4] - r.issue[n - 5], 1);
  assert_int_equal(r.issue[n - 3] - r.issue[n - 4], 0);
  rig_close(&r);
}

/* Four warps come at once; the barrier takes one in 5 cycles and opens 12 cycles after it took the last. */
static void test_a_barrier_takes_warp_after_warp(void **state) {
  (void)state;
  static struct rig r;
  RIG(&r, "bar.sync 0; add.u32 %r4, %r1, 1;", 128, "sm.schedulers=4", "sm.pipes.sp=4", "sm.barrier_interval=5", "sm.barrier_latency=12");
  rig_run(&r, 1);
  const uint64_t *bar = &r.issue[r.n_issue - 12]; /* four bars, four adds, four rets */
  for (unsigned i = 1; i < 4; i++) assert_int_equal(bar[i], bar[0]);
  for (unsigned i = 4; i < 8; i++) assert_int_equal(bar[i] - bar[0], 3 * 5 + 12);
  rig_close(&r);
}

/* A warp that ends lets those go that wait for it, in the next cycle: it came to no barrier. */
static void test_the_end_of_a_warp_opens_a_barrier_at_once(void **state) {
  (void)state;
  static struct rig r;
  RIG(&r, "setp.ge.u32 %p1, %r1, 32; @%p1 bra A; bar.sync 0; add.u32 %r4, %r1, 1; ret; A: div.u32 %r2, %r1, 3; add.u32 %r3, %r2, 1;", 64,
      "sm.latency.idiv=200", "sm.schedulers=2", "sm.barrier_latency=12");
  rig_run(&r, 1);
  uint64_t n = r.n_issue; /* ret of warp 1, add and ret of warp 0 */
  assert_int_equal(r.issue[n - 2] - r.issue[n - 3], 1);
  rig_close(&r);
}

/* The fence issues in the cycle the store's acknowledgement is taken: 4 + delay after the store. */
static void test_a_fence_waits_for_the_stores_before_it(void **state) {
  (void)state;
  static struct rig r;
  RIG(&r, "st.global.u32 [%rd1], %r1; membar.gl; mov.u32 %r2, 1;", 1, "l1.queue=8");
  r.delay = 70;
  rig_run(&r, 1);
  assert_int_equal(rig_between(&r, 0, 1), 4 + 70);
  assert_int_equal(rig_stall(&r, SM_STALL_FENCE), 4 + 70 - 1);
  assert_int_equal(r.requests[MEM_WRITE], 1);
  rig_close(&r);
}

/* With a latency of their own: 100 cycles with nothing outstanding, 30 from the answer on if that is later; a fence of a CTA 9, whatever
 * is outstanding. */
static void test_fences_take_their_latency(void **state) {
  (void)state;
  static const struct {
    const char *lines;
    unsigned after, cycles;
  } cases[] = {{"ld.global.u32 %r2, [%rd1]; add.u32 %r2, %r2, 1; membar.gl; mov.u32 %r3, 1;", 2, 100},
               {"st.global.u32 [%rd1], %r1; membar.gl; mov.u32 %r3, 1;", 0, 4 + 90 + 30},
               {"st.global.u32 [%rd1], %r1; membar.cta; mov.u32 %r3, 1;", 0, 1 + 9},
               {"st.global.u32 [%rd1], %r1; fence.acq_rel.cta; mov.u32 %r3, 1;", 0, 1 + 9}};
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    static struct rig r;
    RIG(&r, cases[i].lines, 1, "l1.queue=8", "sm.fence_latency=100", "sm.fence_drain=30", "sm.fence_cta=9");
    r.delay = 90;
    rig_run(&r, 1);
    assert_int_equal(rig_between(&r, cases[i].after, i ? 2 : 3), cases[i].cycles);
    rig_close(&r);
  }
}

/* Four lanes on each word: an access of L2 for each; of shared memory a cycle each, a compare-and-swap two, an addition of f32 a turn of
 * its loop and three cycles; counting takes one. */
static void test_atomics_on_one_word_go_in_passes(void **state) {
  (void)state;
  static const struct {
    const char *line;
    unsigned cycles, turns;
  } cases[] = {{"atom.shared.add.u32 %r4, [%r3], %r1;", 4, 0}, {"atom.shared.cas.b32 %r4, [%r3], %r1, 0;", 8, 0},
               {"atom.shared.add.f32 %f4, [%r3], %f1; mov.b32 %r4, %f4;", 12, 4}, {"red.shared.add.u32 [%r3], 1; mov.u32 %r4, 1;", 1, 0}};
  static const char *const where = "shr.u32 %r2, %r1, 2; shl.b32 %r2, %r2, 2; mov.u32 %r3, sm; add.u32 %r3, %r3, %r2; ";
  static struct rig r;
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    char lines[512];
    snprintf(lines, sizeof lines, "%s%s add.u32 %%r5, %%r4, 1;", where, cases[i].line);
    RIG(&r, lines, 32, "sm.shared_latency=26", "sm.atomic_passes=true", "sm.atomic_loop=50");
    rig_run(&r, 1);
    assert_int_equal(r.s.stats[SM_S_SHARED_CYCLES], cases[i].cycles);
    if (i < 2) assert_int_equal(rig_between(&r, 4, 5), 1 + 26 + cases[i].cycles - 1);
    else assert_int_equal(rig_between(&r, 4, 5), 1 + cases[i].turns * 50);
    rig_close(&r);
  }
  for (unsigned passes = 0; passes < 2; passes++) {
    RIG(&r, "shr.u32 %r2, %r1, 2; mul.wide.u32 %rd2, %r2, 4; add.u64 %rd2, %rd1, %rd2; red.global.add.u32 [%rd2], %r1;", 32, "l1.queue=64",
        passes ? "sm.atomic_passes=true" : "sm.atomic_passes=false");
    rig_run(&r, 1);
    assert_int_equal(r.requests[MEM_REDUCE], passes ? 4 : 1);
    rig_close(&r);
  }
}

/* All lanes on a word that they share: one lane's access, of shared memory and of L2. */
static void test_joined_atomics_are_one_access(void **state) {
  (void)state;
  for (unsigned joined = 0; joined < 2; joined++) {
    static struct rig r;
    r.load_flags = joined ? EXEC_LOWER : 0;
    RIG(&r, "red.global.add.u32 [%rd1], %r1; mov.u32 %r3, sm; red.shared.add.u32 [%r3], %r1;", 32, "l1.queue=64", "sm.atomic_passes=true");
    rig_run(&r, 1);
    assert_int_equal(r.requests[MEM_REDUCE], joined ? 1 : 32);
    assert_int_equal(r.s.stats[SM_S_SHARED_CYCLES], joined ? 1 : 32);
    rig_close(&r);
    r.load_flags = 0;
  }
}

static void test_stores_without_a_fence_do_not_hold_the_warp(void **state) {
  (void)state;
  static struct rig r;
  RIG(&r, "st.global.u32 [%rd1], %r1; mov.u32 %r2, 1; mov.u32 %r3, 1;", 1, "l1.queue=8");
  rig_run(&r, 1);
  assert_int_equal(rig_between(&r, 0, 1), 1);
  rig_close(&r);
}

/* Copies of two groups, the second 50 instructions later. Instructions: two copies and what closes their groups, with 50 between; the
 * wait is number 55. */
static void run_copies(struct rig *r, const char *wait) {
  static char lines[4096];
  strcpy(lines, "mov.u32 %r2, sm; cp.async.ca.shared.global [%r2], [%rd1], 4; cp.async.commit_group;\n");
  for (unsigned i = 0; i < 50; i++) strcat(lines, "add.u32 %r3, %r3, 1;\n");
  sprintf(lines + strlen(lines), "cp.async.ca.shared.global [%%r2+4], [%%rd1+4096], 4; cp.async.commit_group; %s; mov.u32 %%r4, 1;", wait);
  RIG(r, lines, 1, "sm.latency.alu=1");
  r->delay = 300;
  rig_run(r, 1);
}

/* From the issue of a copy to what waits for its group. */
static void test_a_wait_is_for_groups_of_copies(void **state) {
  (void)state;
  static struct rig r;
  static const struct {
    const char *wait;
    unsigned copy; /* that it waits for: 0, the first, or 1; 2: none */
  } waits[] = {{"cp.async.wait_group 0", 1}, {"cp.async.wait_group 1", 0}, {"cp.async.wait_all", 1}, {"cp.async.wait_group 2", 2}};
  for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
    run_copies(&r, waits[i].wait);
    assert_int_equal(rig_between(&r, 1, 2), 1); /* closing a group waits for nothing */
    if (waits[i].copy == 2) assert_int_equal(rig_between(&r, 54, 55), 1);
    else assert_int_equal(rig_between(&r, waits[i].copy ? 53 : 1, 55), 4 + 300);
    rig_close(&r);
  }
}

static void test_an_open_group_is_waited_for_only_by_wait_all(void **state) {
  (void)state;
  static struct rig r;
  for (int all = 0; all < 2; all++) {
    RIG(&r, all ? "mov.u32 %r2, sm; cp.async.ca.shared.global [%r2], [%rd1], 4; cp.async.wait_all;"
                : "mov.u32 %r2, sm; cp.async.ca.shared.global [%r2], [%rd1], 4; cp.async.wait_group 0;", 1, "sm.latency.alu=1");
    r.delay = 300;
    rig_run(&r, 1);
    assert_int_equal(rig_between(&r, 1, 2), all ? 4 + 300 : 1);
    rig_close(&r);
  }
}

static void test_atomics_wait_and_reductions_do_not(void **state) {
  (void)state;
  static struct rig r;
  RIG(&r,
      "atom.global.add.u32 %r2, [%rd1], 1; add.u32 %r3, %r2, 1; red.global.add.u32 [%rd1], 1; mov.u32 %r4, "
      "1;" KEEP2("%r3", "%r4"),
      32, "l1.queue=8");
  r.delay = 40;
  rig_run(&r, 1);
  assert_int_equal(rig_between(&r, 0, 1), 4 + 40);
  assert_int_equal(rig_between(&r, 2, 3), 1);
  assert_int_equal(*(uint32_t *)exec_mem_ptr(r.data), 64);
  rig_close(&r);
}

/* ---- what warps wait for -------------------------------------------------------------------------------------------- */

static uint64_t waited(const char *lines, unsigned threads, unsigned stat, const char *const *settings) {
  static struct rig r;
  rig_open(&r, lines, threads, settings);
  rig_run(&r, 1);
  uint64_t n = r.s.stats[stat];
  rig_close(&r);
  return n;
}

/* Summed over warps, the cycle of an issue left out. A line of instructions is fetched first; what the prologue waits is taken off. */
static void test_waiting_is_charged_to_its_reason(void **state) {
  (void)state;
#define BASE "sm.latency.alu=4", "sm.shared_latency=30", "l1.latency=20", "sm.schedulers=1"
#define MORE(threads, lines, stat, ...)                                                                                            \
  (waited(lines, threads, stat, SETTINGS(__VA_ARGS__)) - waited("", threads, stat, SETTINGS(__VA_ARGS__)))
#define CHAIN "add.u32 %r2, %r1, 1; add.u32 %r2, %r2, 1; add.u32 %r2, %r2, 1; add.u32 %r2, %r2, 1; add.u32 %r2, %r2, 1;"
  /* Five results, three cycles after the issue each; shared memory 30 and a load 45 cycles after theirs. */
  assert_int_equal(MORE(32, CHAIN, SM_S_WAIT_RESULT, BASE), 15);
  assert_int_equal(MORE(32, "mov.u32 %r2, sm; ld.shared.u32 %r3, [%r2]; add.u32 %r4, %r3, 1;", SM_S_WAIT_SHORT, BASE), 30);
  assert_int_equal(MORE(32, "ld.global.u32 %r3, [%rd1]; add.u32 %r4, %r3, 1;", SM_S_WAIT_MEMORY, BASE), 45);
  assert_int_equal(MORE(64, "setp.lt.u32 %p1, %r1, 32; @%p1 bra B; " CHAIN "B: bar.sync 0;", SM_S_WAIT_BARRIER, BASE), 14);
  assert_int_equal(MORE(32, "st.global.u32 [%rd1], %r1; membar.gl;", SM_S_WAIT_FENCE, BASE), 23);
  assert_int_equal(waited("", 32, SM_S_WAIT_FETCH, SETTINGS(BASE)), 22);
  /* Three loads of 32 lines each, the second of which waits in front: the third cannot issue meanwhile. */
  assert_int_equal(MORE(32, "shl.b32 %r2, %r1, 7; cvt.u64.u32 %rd2, %r2; add.u64 %rd2, %rd1, %rd2; ld.global.u32 %r3, [%rd2]; "
                            "ld.global.u32 %r4, [%rd2+4]; ld.global.u32 %r5, [%rd2+8];" KEEP4("%r3", "%r4", "%r5", "%r2"),
                        SM_S_WAIT_QUEUE, BASE, "sm.lsu_queue=1"), 62);
  /* 32 words of one bank: each takes the banks 32 cycles. */
  assert_int_equal(MORE(32, "mov.u32 %r2, sm; shl.b32 %r6, %r1, 7; add.u32 %r2, %r2, %r6; ld.shared.u32 %r3, [%r2];"
                            "ld.shared.u32 %r4, [%r2+4]; ld.shared.u32 %r5, [%r2+8]; ld.shared.u32 %r7, [%r2+12];"
                            KEEP4("%r3", "%r4", "%r5", "%r7"),
                        SM_S_WAIT_SHARED, BASE, "sm.lsu_queue=1"), 62);
  /* Two warps take turns at instructions that need not wait. */
  assert_int_equal(MORE(64, "add.u32 %r2, %r1, 1; add.u32 %r3, %r1, 2; add.u32 %r4, %r1, 3; add.u32 %r5, %r1, 4;"
                        KEEP4("%r2", "%r3", "%r4", "%r5"), SM_S_WAIT_TURN, BASE, "sm.scheduler=lrr"), 8);
#undef BASE
#undef MORE
#undef CHAIN
}

/* ---- occupancy ---------------------------------------------------------------------------------------------------- */

static unsigned occupancy(unsigned threads, unsigned dynamic_shared, const char *const *settings) {
  static struct rig r;
  rig_open(&r, "mov.u32 %r2, sm;", threads, settings);
  r.grid.dynamic_shared = dynamic_shared;
  struct err e = {0};
  uint32_t n = sm_occupancy(&r.s.config, &r.grid, &e), started = 0;
  if (!n) assert_int_equal(e.kind, ERR_LIMIT);
  for (; sm_fits(&r.s, &r.grid); started++) sm_start_cta(&r.s, &r.grid, started, 0);
  assert_int_equal(started, n); /* what is promised is what fits */
  while (!sm_idle(&r.s) || r.count) rig_cycle(&r);
  assert_int_equal(r.s.used_registers + r.s.used_shared + r.s.used_threads + r.s.n_ctas, 0);
  rig_close(&r);
  return n;
}

/* What Nsight Compute told of kernels with 16 registers on an H200, KB: threads of a CTA, and 0 to 48 KB of dynamic shared memory. */
static void test_shared_memory_is_set_up_as_a_driver_does(void **state) {
  (void)state;
  static const uint32_t bytes[] = {0, 256, 1024, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152};
  static const struct {
    unsigned threads;
    uint8_t kb[sizeof bytes / sizeof *bytes];
  } rows[] = {{32, {32, 64, 64, 100, 132, 164, 228, 228, 228, 228, 228, 228, 196}},
              {96, {32, 64, 64, 100, 132, 132, 164, 196, 228, 228, 228, 228, 196}},
              {128, {32, 64, 64, 100, 132, 132, 132, 164, 228, 228, 228, 228, 196}},
              {192, {32, 32, 64, 64, 100, 100, 132, 132, 132, 196, 228, 228, 196}},
              {256, {32, 32, 32, 64, 64, 100, 132, 132, 132, 164, 228, 228, 196}},
              {384, {32, 16, 32, 32, 64, 64, 100, 100, 132, 132, 132, 196, 196}},
              {512, {16, 16, 16, 32, 32, 64, 64, 100, 132, 132, 132, 132, 196}},
              {1024, {8, 8, 8, 8, 8, 16, 16, 32, 32, 64, 64, 100, 100}}};
  for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
    static struct rig r;
    rig_open(&r, "mov.u32 %r2, 1;", rows[i].threads,
             SETTINGS("sm.threads=2048", "sm.warps=64", "sm.ctas=32", "sm.registers=65536", "sm.shared=228K", "sm.shared_reserved=1K"));
    for (unsigned k = 0; k < sizeof bytes / sizeof *bytes; k++) {
      r.grid.dynamic_shared = bytes[k];
      assert_int_equal(sm_carveout(&r.s.config, &r.grid), rows[i].kb[k] * 1024u);
    }
    rig_close(&r);
  }
}

/* 4 KB of L1D, of which 1 KB is left beside the 8 KB of shared memory that are the least: of 4 KB that are read it holds 1. */
static void test_l1_has_what_shared_memory_leaves(void **state) {
  (void)state;
  static const char lines[] = "shl.b32 %r2, %r1, 7; cvt.u64.u32 %rd2, %r2; add.u64 %rd2, %rd1, %rd2; ld.global.u32 %r3, [%rd2]; "
                              "add.u32 %r4, %r3, 1;";
  for (unsigned i = 0; i < 2; i++) {
    static struct rig r;
    RIG(&r, lines, 32, "l1.sets=4", "l1.ways=8", "l1.index=plain", "l1.granule=128", "sm.shared_reserved=0",
        i ? "sm.l1_shared=9K" : "sm.l1_shared=0");
    rig_run(&r, 1);
    assert_int_equal(r.s.l1.ops->stored(r.s.l1.org), i ? 1024 : 4096);
    rig_close(&r);
  }
}

/* Each with plenty of everything but one thing. The kernel's own shared array is 32 KB. */
#define PLENTY "sm.threads=2048", "sm.warps=64", "sm.ctas=32", "sm.registers=1048576", "sm.shared=1048576"
static void test_each_resource_limits_occupancy(void **state) {
  (void)state;
  assert_int_equal(occupancy(64, 0, SETTINGS(PLENTY)), 32); /* slots, and 1 MB / 32 KB */
  assert_int_equal(occupancy(64, 0, SETTINGS(PLENTY, "sm.ctas=5")), 5);
  assert_int_equal(occupancy(64, 0, SETTINGS(PLENTY, "sm.threads=200")), 3); /* 200 / 64 */
  assert_int_equal(occupancy(33, 0, SETTINGS(PLENTY, "sm.threads=1024", "sm.warps=32")),
                   16); /* two warps each */
  assert_int_equal(occupancy(64, 0, SETTINGS(PLENTY, "sm.shared=100K")), 3);
  assert_int_equal(occupancy(64, 2048, SETTINGS(PLENTY, "sm.shared=100K")), 2); /* 34 KB each */
  assert_int_equal(occupancy(64, 0, SETTINGS(PLENTY, "sm.shared=98K", "sm.shared_reserved=1K")),
                   2); /* 33 KB each */
  /* 4 registers or so a thread: a unit of 1024 a warp, two warps a CTA. */
  assert_int_equal(occupancy(64, 0, SETTINGS(PLENTY, "sm.registers=10240", "sm.register_unit=1024")), 5);
}

static void refused(const char *says, unsigned threads, const char *const *settings) {
  static struct rig r;
  rig_open(&r, "mov.u32 %r2, sm;", threads, settings);
  struct err e = {0};
  assert_int_equal(sm_occupancy(&r.s.config, &r.grid, &e), 0);
  if (!strstr(e.text, says)) fail_msg("'%s' is missing in: %s", says, e.text);
  assert_non_null(strstr(e.text, "kernel 'k'"));
  assert_false(sm_fits(&r.s, &r.grid));
  rig_close(&r);
}

static void test_what_never_fits_says_which_resource_is_short(void **state) {
  (void)state;
  refused("needs 32768 bytes of shared memory a CTA; an SM has 16384", 32, SETTINGS("sm.shared=16K"));
  refused("registers a CTA; an SM has 1024", 64, SETTINGS("sm.registers=1024", "sm.register_unit=1024"));
  refused("needs 512 threads a CTA; an SM holds 256", 512, SETTINGS("sm.threads=256"));
}

/* ---- stall reasons ------------------------------------------------------------------------------------------------ */

static void test_idle_is_a_scheduler_without_warps(void **state) {
  (void)state;
  static struct rig r;
  RIG(&r, "add.u32 %r2, %r1, 1;", 32, "sm.schedulers=2"); /* one warp: the second scheduler has none */
  rig_run(&r, 1);
  assert_true(rig_stall(&r, SM_STALL_IDLE) >= r.s.stats[SM_S_CYCLES]);
  rig_close(&r);
}

/* The first instruction's line comes from below: 4 + delay cycles of waiting for it, less the start. */
static void test_fetch_is_waiting_for_instructions(void **state) {
  (void)state;
  static struct rig r;
  RIG(&r, "add.u32 %r2, %r1, 1;", 32, "sm.schedulers=1");
  r.delay = 60;
  rig_run(&r, 1);
  assert_in_range(rig_stall(&r, SM_STALL_FETCH), 60, 70);
  assert_int_equal(r.s.instruction.stats[RO_S_MISSES], 1);
  rig_close(&r);
}

/* Three instructions of 64 bytes and the prologue's two are three lines: all of them fit, or only the first does. */
static void test_code_is_preloaded_as_far_as_the_cache_goes(void **state) {
  (void)state;
  static const struct {
    const char *cache;
    unsigned misses;
  } cases[] = {{"sm.inst_cache=1K", 0}, {"sm.inst_cache=128", 2}};
  for (unsigned i = 0; i < 2; i++) {
    static struct rig r;
    RIG(&r, "add.u32 %r2, %r1, 1; add.u32 %r3, %r1, 1; add.u32 %r4, %r1, 1;", 32, "sm.schedulers=1", "sm.preload_code=true",
        "sm.instruction_bytes=64", cases[i].cache);
    r.delay = 60;
    rig_run(&r, 1);
    assert_int_equal(r.s.instruction.stats[RO_S_MISSES], cases[i].misses);
    assert_in_range(rig_stall(&r, SM_STALL_FETCH), 60 * cases[i].misses, 60 * cases[i].misses + 20);
    rig_close(&r);
  }
}

/* Five lines of code, none preloaded: each waited for, or the others asked for with the first. What came ahead waits for nothing more. */
static void test_code_is_asked_for_ahead(void **state) {
  (void)state;
  for (unsigned ahead = 0; ahead < 2; ahead++) {
    static struct rig r;
    RIG(&r,
        "add.u32 %r2, %r1, 1; add.u32 %r3, %r1, 1; add.u32 %r4, %r1, 1; add.u32 %r5, %r1, 1; add.u32 %r6, %r1, 1; add.u32 %r7, %r1, 1;", 32,
        "sm.schedulers=1", "sm.instruction_bytes=64", "sm.inst_cache=4K", "l1.queue=32", "sm.fetch_miss=9",
        ahead ? "sm.fetch_ahead=2K" : "sm.fetch_ahead=0");
    r.delay = 60;
    rig_run(&r, 1);
    uint64_t misses = r.s.instruction.stats[RO_S_MISSES];
    assert_int_equal(misses, ahead ? 1 : 5);
    assert_in_range(rig_stall(&r, SM_STALL_FETCH), 60 * misses, 66 * misses + 20);
    assert_int_equal(r.requests[MEM_READ], 6); /* with the parameter */
    rig_close(&r);
  }
}

static void test_memory_and_results_are_distinguished(void **state) {
  (void)state;
  static struct rig r;
  RIG(&r, "add.u32 %r2, %r1, 1; add.u32 %r3, %r2, 1; ld.global.u32 %r4, [%rd1]; add.u32 %r5, %r4, 1;", 32,
      "sm.schedulers=1", "sm.latency.alu=10");
  r.delay = 80;
  rig_run(&r, 1);
  assert_in_range(rig_stall(&r, SM_STALL_ALU), 9, 30); /* 10 - 1 and the prologue's, and fetching */
  assert_in_range(rig_stall(&r, SM_STALL_MEMORY), 83,
                  83 + 110); /* 4 + 80 - 1, and the parameter's before it */
  rig_close(&r);
}

/* A queue of one: the second load waits in front of it while the first one's 32 lines are looked up. */
static void test_a_full_load_store_queue_stalls_a_ready_warp(void **state) {
  (void)state;
  static struct rig r;
  RIG(&r,
      "mul.lo.u32 %r2, %r1, 128; cvt.u64.u32 %rd2, %r2; add.u64 %rd2, %rd1, %rd2; ld.global.u32 %r3, [%rd2]; "
      "ld.global.u32 %r4, [%rd2+8192];" KEEP2("%r3", "%r4"),
      32, "sm.schedulers=1", "sm.lsu_queue=1", "l1.queue=64", "l1.mshrs=64");
  rig_run(&r, 1);
  assert_int_equal(rig_between(&r, 3, 4), 33 - 1); /* its place is free in the cycle of the 32nd line */
  assert_int_equal(rig_stall(&r, SM_STALL_LSU), 32 - 1);
  rig_close(&r);
}

/* Two warps, one a scheduler, each with four loads of 32 lines through a queue of one. The first scheduler's warp issues all of
 * its loads before the second gets a place, or they take turns: how much later the last of warp 0 issues tells. */
static void test_schedulers_take_turns_at_the_queue(void **state) {
  (void)state;
  uint64_t last[2];
  for (unsigned rotate = 0; rotate < 2; rotate++) {
    static struct rig r;
    RIG(&r,
        "mul.lo.u32 %r2, %r1, 128; cvt.u64.u32 %rd2, %r2; add.u64 %rd2, %rd1, %rd2; ld.global.u32 %r3, [%rd2]; "
        "ld.global.u32 %r4, [%rd2+8192]; ld.global.u32 %r5, [%rd2+16384]; ld.global.u32 %r6, [%rd2+24576];"
        KEEP2("%r3", "%r4") KEEP2("%r5", "%r6"),
        64, "sm.schedulers=2", "sm.lsu_queue=1", "l1.queue=512", "l1.mshrs=512", "sm.scheduler=lrr",
        rotate ? "sm.rotate_schedulers=true" : "sm.rotate_schedulers=false");
    sm_start_cta(&r.s, &r.grid, 0, 0);
    while (r.s.warps[0].x->pc < PROLOGUE + 7) rig_cycle(&r);
    last[rotate] = r.now;
    while (!sm_idle(&r.s) || r.count) rig_cycle(&r);
    rig_close(&r);
  }
  assert_in_range(last[1] - last[0], 3 * 32 - 8, 3 * 32 + 8); /* three loads of the other warp come between */
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
      cmocka_unit_test(test_unloaded_hit_and_miss_latency_to_the_cycle),
      cmocka_unit_test(test_a_load_is_not_used_a_cycle_early),
      cmocka_unit_test(test_uncoalesced_hits_cost_a_cycle_a_line),
      cmocka_unit_test(test_uncoalesced_hits_take_banks_of_tags_and_data),
      cmocka_unit_test(test_data_of_a_scheduler_return_one_after_the_other),
      cmocka_unit_test(test_stores_leave_a_sector_a_cycle),
      cmocka_unit_test(test_shared_memory_latency_with_conflicts),
      cmocka_unit_test(test_parameters_are_constant_cache_hits),
      cmocka_unit_test(test_operators_reach_the_cache),
      cmocka_unit_test(test_local_memory_is_interleaved),
      cmocka_unit_test(test_mshrs_run_out_and_come_back),
      cmocka_unit_test(test_a_barrier_holds_all_until_the_last_arrives),
      cmocka_unit_test(test_the_release_does_not_depend_on_which_scheduler_is_asked_first),
      cmocka_unit_test(test_a_barrier_takes_warp_after_warp),
      cmocka_unit_test(test_the_end_of_a_warp_opens_a_barrier_at_once),
      cmocka_unit_test(test_a_fence_waits_for_the_stores_before_it),
      cmocka_unit_test(test_fences_take_their_latency),
      cmocka_unit_test(test_atomics_on_one_word_go_in_passes),
      cmocka_unit_test(test_a_wait_is_for_groups_of_copies),
      cmocka_unit_test(test_an_open_group_is_waited_for_only_by_wait_all),
      cmocka_unit_test(test_constants_are_served_one_address_a_cycle),
      cmocka_unit_test(test_stores_without_a_fence_do_not_hold_the_warp),
      cmocka_unit_test(test_atomics_wait_and_reductions_do_not),
      cmocka_unit_test(test_sides_of_a_divided_warp_meet_one_after_the_other),
      cmocka_unit_test(test_operands_send_a_division_the_long_way),
      cmocka_unit_test(test_shared_memory_is_set_up_as_a_driver_does),
      cmocka_unit_test(test_l1_has_what_shared_memory_leaves),
      cmocka_unit_test(test_waiting_is_charged_to_its_reason),
      cmocka_unit_test(test_each_resource_limits_occupancy),
      cmocka_unit_test(test_what_never_fits_says_which_resource_is_short),
      cmocka_unit_test(test_idle_is_a_scheduler_without_warps),
      cmocka_unit_test(test_fetch_is_waiting_for_instructions),
      cmocka_unit_test(test_code_is_preloaded_as_far_as_the_cache_goes),
      cmocka_unit_test(test_code_is_asked_for_ahead),
      cmocka_unit_test(test_joined_atomics_are_one_access),
      cmocka_unit_test(test_memory_and_results_are_distinguished),
      cmocka_unit_test(test_schedulers_take_turns_at_the_queue),
      cmocka_unit_test(test_a_full_load_store_queue_stalls_a_ready_warp),
      cmocka_unit_test(test_skipped_cycles_count_like_visited_ones),
      cmocka_unit_test(test_settling_in_between_changes_nothing),
      cmocka_unit_test(test_profile_rows_add_up_to_the_counters),
      cmocka_unit_test(test_a_profile_row_says_what_its_instruction_cost),
      cmocka_unit_test(test_a_deferred_instruction_holds_its_pipeline),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
