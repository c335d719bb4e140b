/* An SM between mocks: what warps wait for, how many CTAs it holds, why schedulers do not issue. Each figure is worked out from the
 * configuration in the comment above its test. */
#include "sm_rig.h"

/* A register whose value is never used would share its place with the next one, which then had to wait for
 * it. */
#define KEEP2(a, b)       "add.u32 %r31, " a ", " b ";"
#define KEEP4(a, b, c, d) "add.u32 %r31, " a ", " b "; add.u32 %r30, " c ", " d "; add.u32 %r29, %r31, %r30;"

#define RIG(r, lines, threads, ...) rig_open(r, lines, threads, SETTINGS(__VA_ARGS__))

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

/* Two schedulers with two warps each; only those of the first shift. With pipelines of their own one does not use the other's. */
static void test_schedulers_own_pipelines(void **state) {
  (void)state;
  static struct rig r;
  uint64_t cycles[2];
#define SHIFT "shl.b32 %r2, %r2, %r1; shl.b32 %r3, %r3, %r1; shl.b32 %r4, %r4, %r1; shl.b32 %r5, %r5, %r1;"
  for (unsigned own = 0; own < 2; own++) {
    RIG(&r,
        "and.b32 %r6, %r1, 32; setp.ne.u32 %p1, %r6, 0; @%p1 bra E;" SHIFT SHIFT SHIFT SHIFT SHIFT SHIFT SHIFT SHIFT "E:"
        KEEP4("%r2", "%r3", "%r4", "%r5"), 128, "sm.schedulers=2", "sm.pipes.sp=2", "sm.pipes.alu=2", "sm.pipes.sfu=2", "sm.pipes.dp=2",
        "sm.pipes.tensor=2",
        "sm.interval.shift=2", "sm.latency.shift=4", own ? "sm.own_pipes=true" : "sm.own_pipes=false");
    rig_run(&r, 1);
    cycles[own] = r.s.stats[SM_S_CYCLES];
    rig_close(&r);
  }
#undef SHIFT
  /* Two warps of one scheduler, 32 shifts each: one a cycle with both pipelines, one in two cycles with its own. */
  assert_in_range(cycles[1] - cycles[0], 50, 70);
}

/* The 25 cycles of a special register instead of a sum's four, and reads of an SM two cycles apart. */
static void test_special_registers_come_late(void **state) {
  (void)state;
  static struct rig r;
  RIG(&r, "mov.u32 %r2, %laneid; mov.u32 %r3, %smid; add.u32 %r4, %r2, 1; add.u32 %r5, %r3, 1;", 32, "sm.latency.alu=4",
      "sm.special_latency=25", "sm.special_interval=2");
  rig_run(&r, 1);
  assert_int_equal(rig_between(&r, 0, 2), 25);
  assert_int_equal(rig_between(&r, 0, 3), 27);
  rig_close(&r);
}

static unsigned occupancy(unsigned threads, unsigned dynamic_shared, const char *const *settings) {
  static struct rig r;
  rig_open(&r, "mov.u32 %r2, sm;", threads, settings);
  r.grid.dynamic_shared = dynamic_shared;
  struct err e = {0};
  uint32_t n = sm_occupancy(r.s.config, &r.grid, &e), started = 0;
  if (!n) assert_int_equal(e.kind, ERR_LIMIT);
  for (; sm_fits(&r.s, &r.grid, 0); started++) sm_start_cta(&r.s, &r.grid, started, 0);
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
      assert_int_equal(sm_carveout(r.s.config, &r.grid), rows[i].kb[k] * 1024u);
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
  assert_int_equal(sm_occupancy(r.s.config, &r.grid, &e), 0);
  if (!strstr(e.text, says)) fail_msg("'%s' is missing in: %s", says, e.text);
  assert_non_null(strstr(e.text, "kernel 'k'"));
  assert_false(sm_fits(&r.s, &r.grid, 0));
  rig_close(&r);
}

/* Some thirty registers a thread: more than a CTA of two warps may have, which an assembler keeps in local memory, unless sixteen
 * are too many too. */
static const char many[] =
    "ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd1]; ld.global.v4.u32 {%r6, %r7, %r8, %r9}, [%rd1+16]; "
    "ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%rd1+32]; ld.global.v4.u32 {%r14, %r15, %r16, %r17}, [%rd1+48]; "
    "ld.global.v4.u32 {%r18, %r19, %r20, %r21}, [%rd1+64]; st.global.v4.u32 [%rd1], {%r2, %r3, %r4, %r5}; "
    "st.global.v4.u32 [%rd1+16], {%r6, %r7, %r8, %r9}; st.global.v4.u32 [%rd1+32], {%r10, %r11, %r12, %r13}; "
    "st.global.v4.u32 [%rd1+48], {%r14, %r15, %r16, %r17}; st.global.v4.u32 [%rd1+64], {%r18, %r19, %r20, %r21};";

static void test_a_kernel_of_too_many_registers_runs_one_cta_at_a_time(void **state) {
  (void)state;
  static const struct {
    const char *have;
    unsigned threads, ctas;
  } rows[] = {{"sm.registers=4096", 64, 2}, {"sm.registers=1280", 64, 1}, {"sm.registers=1024", 64, 1}, {"sm.registers=1024", 96, 0}};
  for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
    static struct rig r;
    struct err e = {0};
    rig_open(&r, many, rows[i].threads, SETTINGS(PLENTY, "sm.register_unit=64", rows[i].have));
    assert_true(r.grid.kernel->ptx->regs_needed >= 21 && r.grid.kernel->ptx->regs_needed <= 32);
    assert_int_equal(sm_occupancy(r.s.config, &r.grid, &e), rows[i].ctas);
    uint32_t started = 0;
    for (; sm_fits(&r.s, &r.grid, 0); started++) sm_start_cta(&r.s, &r.grid, started, 0);
    assert_int_equal(started, rows[i].ctas);
    while (!sm_idle(&r.s) || r.count) rig_cycle(&r);
    rig_close(&r);
  }
}

/* A program makes it as large as the driver says, which counts the CTAs that the kernel wants on an SM. */
static void test_a_cooperative_grid_has_the_registers_that_its_bounds_leave(void **state) {
  (void)state;
  static struct rig r;
  struct err e = {0};
  rig_open(&r, many, 64, SETTINGS(PLENTY, "sm.register_unit=64", "sm.registers=2048"));
  struct ptx_func *f = (struct ptx_func *)(uintptr_t)r.grid.kernel->ptx;
  f->maxntid[0] = 64;
  f->minnctapersm = 2;
  assert_int_equal(sm_occupancy(r.s.config, &r.grid, &e), 1);
  r.grid.cooperative = true;
  assert_int_equal(sm_occupancy(r.s.config, &r.grid, &e), 2);
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_shared_memory_is_set_up_as_a_driver_does),
      cmocka_unit_test(test_l1_has_what_shared_memory_leaves),
      cmocka_unit_test(test_waiting_is_charged_to_its_reason),
      cmocka_unit_test(test_schedulers_own_pipelines),
      cmocka_unit_test(test_special_registers_come_late),
      cmocka_unit_test(test_each_resource_limits_occupancy),
      cmocka_unit_test(test_a_kernel_of_too_many_registers_runs_one_cta_at_a_time),
      cmocka_unit_test(test_a_cooperative_grid_has_the_registers_that_its_bounds_leave),
      cmocka_unit_test(test_what_never_fits_says_which_resource_is_short),
      cmocka_unit_test(test_idle_is_a_scheduler_without_warps),
      cmocka_unit_test(test_fetch_is_waiting_for_instructions),
      cmocka_unit_test(test_code_is_preloaded_as_far_as_the_cache_goes),
      cmocka_unit_test(test_code_is_asked_for_ahead),
      cmocka_unit_test(test_memory_and_results_are_distinguished),
      cmocka_unit_test(test_schedulers_take_turns_at_the_queue),
      cmocka_unit_test(test_a_full_load_store_queue_stalls_a_ready_warp),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
