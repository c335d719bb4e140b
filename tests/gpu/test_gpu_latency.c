/* Unloaded latency by pointer chase and peak bandwidth, level by level, against figures worked out from the
 * keys.
 *
 * The path of a load with all clocks equal, from its issue in cycle t to the issue of its first use:
 *   t + 1   the load/store unit looks the line up; a hit's data are there l1.latency cycles later
 *   t + 2   the request leaves the miss queue for the network
 *           the network: 1 to arrive, noc.pipeline, flits - 1, 1 to be seen by the receiver
 *   S = t + 2 + 1 + pipeline + 0 + 1              seen by the L2 slice (a request is one flit)
 *   S + l2.latency                                tags
 *   R = S + l2.latency + 1 + (sectors - 1)        last data (32 bytes a cycle) into the reply network
 *   R + 1 + pipeline + (flits - 1) + 1            taken by the SM; 8 + 32 sectors bytes in flits of 32
 * A miss in L2 leaves for DRAM the cycle after its tags, is seen there a cycle later, waits dram.latency,
 * activates its row (tRCD), reads (tCL; a second burst of the line tCCDL later), data 2 clocks, a cycle to be
 * seen by the slice; data go out from the cycle after. */
#include "gpu_rig.h"

/* A ring of n pointers `stride` bytes apart from `first` on. */
static void make_ring(struct rig *r, uint64_t first, unsigned n, uint64_t stride) {
  for (unsigned i = 0; i < n; i++)
    *(uint64_t *)exec_mem_ptr(r->data + first + i * stride) = r->data + first + (i + 1) % n * stride;
}

#define CHASE(op)                                                                                            \
  "mov.u64 %rd3, 0; L: ld.global" op                                                                         \
  ".u64 %rd1, [%rd1]; add.u64 %rd3, %rd3, 1; setp.lt.u64 %p1, %rd3, %rd2; @%p1 bra L;"

struct chase {
  uint64_t latency, loads;
};
static struct chase run_chase(struct rig *r, const char *lines, unsigned loads) {
  struct chase before = {rig_stat(r, "sm.load_latency"), rig_stat(r, "sm.loads")};
  rig_run(r, lines, 1, 1, loads);
  return (struct chase){rig_stat(r, "sm.load_latency") - before.latency,
                        rig_stat(r, "sm.loads") - before.loads};
}

enum { P = 2, L1 = 20, L2 = 50, DRAM = 30 };
enum {
  L1_HIT_CYCLES = 1 + L1,
  TO_L2 = 2 + 1 + P + 0 + 1,
  LINE_BACK = 1 + P + (5 - 1) + 1,   /* 136 bytes: five flits */
  SECTOR_BACK = 1 + P + (2 - 1) + 1, /* 40 bytes: two */
  L2_LINE = TO_L2 + L2 + 1 + 3 + LINE_BACK,
  L2_SECTOR = TO_L2 + L2 + 1 + 0 + SECTOR_BACK,
  TO_DRAM = TO_L2 + L2 + 1,
  ROW_OPEN = 1 + DRAM + 12 + 3 + 2 + 1, /* seen, fixed, tCL, tCCDL, burst, seen by the slice */
  DRAM_LINE = TO_DRAM + ROW_OPEN + 1 + 3 + LINE_BACK,
};

static void test_l1_hit(void **state) {
  (void)state;
  struct rig r;
  rig_open(&r, ONE_SM, NULL);
  make_ring(&r, 0, 8, 8); /* one line */
  gpu_copied(r.gpu, GPU_COPY_IN, r.data, 4096);
  struct chase c = run_chase(&r, CHASE(""), 100);
  assert_int_equal(c.loads, 100);
  assert_int_equal(c.latency, L2_LINE + 99 * L1_HIT_CYCLES);
  rig_close(&r);
}

static void test_l2_hit_of_a_line_and_of_a_sector(void **state) {
  (void)state;
  struct rig r;
  rig_open(&r, ONE_SM, NULL);
  make_ring(&r, 0, 100, 128);
  gpu_copied(r.gpu, GPU_COPY_IN, r.data, 100 * 128);
  assert_int_equal(run_chase(&r, CHASE(""), 100).latency, 100 * L2_LINE);
  assert_int_equal(run_chase(&r, CHASE(".cg"), 100).latency, 100 * L2_SECTOR);
  assert_int_equal(rig_stat(&r, "dram.reads") - rig_stat(&r, "inst.misses") - 1,
                   0); /* code and parameters only */
  rig_close(&r);
}

/* Rows are opened once each here; an access that finds its row open costs DRAM_LINE, one that has to open it
 * tRCD more, one that has to close another first tRP more than that. */
static void test_dram_by_row_hits_and_misses(void **state) {
  (void)state;
  static const uint64_t strides[] = {128, 2048, 32768};
  for (unsigned i = 0; i < 3; i++) {
    struct rig r;
    rig_open(&r, ONE_SM, NULL);
    make_ring(&r, 0, 64, strides[i]);
    rig_run(&r, "mov.u32 %r3, 1;", 1, 1, 0); /* code and parameters */
    uint64_t hits = rig_stat(&r, "dram.row_hits"), misses = rig_stat(&r, "dram.row_misses"),
             conflicts = rig_stat(&r, "dram.row_conflicts");
    struct chase c = run_chase(&r, CHASE(""), 64);
    hits = rig_stat(&r, "dram.row_hits") - hits;
    misses = rig_stat(&r, "dram.row_misses") - misses;
    conflicts = rig_stat(&r, "dram.row_conflicts") - conflicts;
    uint64_t others = hits + misses - 64; /* the new kernel's code and parameters: not loads */
    assert_in_range(others, 0, 2);
    uint64_t all = 64 * DRAM_LINE + misses * 12 + conflicts * 12;
    assert_in_range(c.latency, all - others * 24, all);
    if (i == 0) assert_true(hits >= 56);
    rig_close(&r);
  }
}

/* A DRAM clock at half the rate: every one of its cycles is two of the core's, what comes before is not. */
static void test_a_slower_dram_clock_stretches_only_dram(void **state) {
  (void)state;
  struct rig r;
  rig_open(&r, ONE_SM, "gpu.dram_clock = 500\n");
  make_ring(&r, 0, 16, 128);
  struct chase c = run_chase(&r, CHASE(""), 16);
  /* tCL, tCCDL and the burst take twice as long; so may one edge each way, and one row is opened (24). */
  assert_in_range(c.latency, 16 * (DRAM_LINE + 17), 16 * (DRAM_LINE + 17 + 4) + 48);
  rig_close(&r);
}

/* ---- clocks ------------------------------------------------------------------------------------------------------- */

/* 700 and 924 MHz are periods of 33 and 25: the same ratio written otherwise gives the same cycles. */
static void test_clock_ratios_are_exact(void **state) {
  (void)state;
  static const char *const clocks[] = {
      "gpu.core_clock = 700\ngpu.noc_clock = 700\ngpu.l2_clock = 700\ngpu.dram_clock = 924\n",
      "gpu.core_clock = 1400\ngpu.noc_clock = 1400\ngpu.l2_clock = 1400\ngpu.dram_clock = 1848\n",
      "gpu.core_clock = 25\ngpu.noc_clock = 25\ngpu.l2_clock = 25\ngpu.dram_clock = 33\n",
  };
  uint64_t cycles[3], latency[3];
  for (unsigned i = 0; i < 3; i++) {
    struct rig r;
    rig_open(&r, ONE_SM, clocks[i]);
    make_ring(&r, 0, 512, 128 + 2048);
    latency[i] = run_chase(&r, CHASE(""), 4000).latency;
    cycles[i] = rig_cycles(&r);
    rig_close(&r);
  }
  assert_int_equal(cycles[0], cycles[1]);
  assert_int_equal(cycles[0], cycles[2]);
  assert_int_equal(latency[0], latency[2]);
}

static void test_clocks_without_a_common_unit_are_refused(void **state) {
  (void)state;
  struct cfg *c = gpu_cfg_new();
  struct err e = {0};
  const char *text = "gpu.core_clock = 99999.989\ngpu.noc_clock = 99999.971\ngpu.l2_clock = "
                     "99999.959\ngpu.dram_clock = 99999.941\n";
  assert_true(cfg_read_text(c, "x.toml", text, &e));
  struct gpu *g = gpu_new(c, &e);
  if (g)
    gpu_delete(g); /* whether they fit depends on their factors; if not, it is said */
  else
    assert_non_null(strstr(e.text, "clocks have no common unit"));
  cfg_delete(c);
}

/* ---- bandwidth ---------------------------------------------------------------------------------------------------- */

/* Cycles a line over the second half of a longer run: what is paid once drops out. */
static double cycles_a_line(struct rig *r, const char *lines, unsigned ctas, uint64_t from, uint64_t to,
                            uint64_t lines_each) {
  rig_run(r, lines, ctas, 256, 1); /* code is in the caches then */
  rig_run(r, lines, ctas, 256, from);
  uint64_t first = rig_cycles(r);
  rig_run(r, lines, ctas, 256, to);
  return (double)(rig_cycles(r) - first) / (double)((to - from) * ctas * 8 * lines_each);
}

static uint64_t most_in_an_interval(const struct rig *r, const char *name) {
  const struct stats *s = gpu_stats(r->gpu);
  uint64_t most = 0;
  for (size_t i = 0; i < stats_count(s); i++)
    for (size_t k = 0; !strcmp(stats_def(s, i)->name, name) && k < gpu_intervals(r->gpu); k++)
      if (gpu_interval_at(r->gpu, k)->counters[i] > most) most = gpu_interval_at(r->gpu, k)->counters[i];
  return most;
}

/* Every warp reads the same four lines again and again: one lookup a cycle, as long as both schedulers
 * have warps. */
static void test_l1_gives_a_line_a_cycle(void **state) {
  (void)state;
  struct rig r;
  rig_open(&r, ONE_SM, NULL);
  gpu_set_watch(r.gpu, &(struct gpu_watch){.interval = 500});
  rig_run(&r,
          "mul.wide.u32 %rd4, %r1, 4; and.b64 %rd4, %rd4, 127; add.u64 %rd1, %rd1, %rd4; mov.u64 %rd3, 0;"
          "L: ld.global.u32 %r3, [%rd1]; ld.global.u32 %r4, [%rd1+128]; ld.global.u32 %r5, [%rd1+256]; "
          "ld.global.u32 %r6, [%rd1+384];"
          "add.u64 %rd3, %rd3, 1; setp.lt.u64 %p1, %rd3, %rd2; @%p1 bra L; add.u32 %r7, %r3, %r4; add.u32 "
          "%r8, %r5, %r6;",
          4, 256, 40);
  assert_in_range(most_in_an_interval(&r, "l1d.accesses"), 495, 500);
  rig_close(&r);
}

/* Each warp walks lines of its own that are in L2 (128 KB of it) and not in L1 (16 KB): five flits a line
 * over one reply port, which is narrower than the slice's data port (four cycles a line). */
#define STREAM                                                                                               \
  "shr.u32 %r3, %r1, 5; mad.lo.u32 %r3, %r2, 8, %r3; and.b32 %r4, %r1, 31; mul.lo.u32 %r3, %r3, 16384; "     \
  "mad.lo.u32 %r3, %r4, 4, %r3;"                                                                             \
  "cvt.u64.u32 %rd4, %r3; add.u64 %rd1, %rd1, %rd4; mov.u64 %rd3, 0;"                                        \
  "L: ld.global.u32 %r5, [%rd1]; ld.global.u32 %r6, [%rd1+128]; ld.global.u32 %r7, [%rd1+256]; "             \
  "ld.global.u32 %r8, [%rd1+384];"                                                                           \
  "add.u64 %rd1, %rd1, 512; add.u64 %rd3, %rd3, 1; setp.lt.u64 %p1, %rd3, %rd2; @%p1 bra L; add.u32 %r9, "   \
  "%r5, %r6; add.u32 %r10, %r7, %r8;"

static void test_l2_gives_a_line_in_five_flits(void **state) {
  (void)state;
  struct rig r;
  rig_open(&r, ONE_SM, "l2.sets = 4096\n");
  gpu_copied(r.gpu, GPU_COPY_IN, r.data, 4 * 8 * 16384);
  double c = cycles_a_line(&r, STREAM, 4, 8, 24, 4);
  if (c < 4.98 || c > 5.1) fail_msg("%.3f cycles a line", c);
  assert_true(rig_stat(&r, "l2.hits") > rig_stat(&r, "l2.accesses") * 95 / 100);
  rig_close(&r);
}

/* A line is two bursts of two DRAM clocks; at a quarter of the core's rate that is 16 cycles. Rows are read
 * in order by 32 warps at once, so some of them are opened again: at least 70 % of the peak must be left. */
static void test_dram_gives_most_of_its_peak(void **state) {
  (void)state;
  struct rig r;
  rig_open(&r, ONE_SM, "gpu.dram_clock = 250\n");
  double c = cycles_a_line(&r, STREAM, 4, 8, 32, 4);
  if (c < 15.99 || c > 16 / 0.7) fail_msg("%.3f cycles a line", c);
  rig_close(&r);
}

/* ---- dual issue --------------------------------------------------------------------------------------------------------- */

/* Eight times an addition and a second instruction of some kind; where the second depends on the addition, the next
 * addition depends on the second. */
static void pairs(const char *dual, const char *second, uint64_t *cycles, uint64_t *issued) {
  struct rig r;
  struct str lines = {0};
  str_add(&lines, ".shared .align 4 .b8 buf[4096]; mov.u32 %%r3, buf; mov.u32 %%r4, 0; bar.sync 0;\n");
  for (unsigned i = 0; i < 8; i++) {
    unsigned from = !i ? 3 : !strcmp(second, "needs it") ? 12 + i : !strcmp(second, "overwrites it") ? 4 + i : 3;
    str_add(&lines, "add.u32 %%r%u, %%r%u, %u;\n", 5 + i, from, 4 * i);
    if (!strcmp(second, "other unit")) str_add(&lines, "ld.shared.u32 %%r%u, [%%r3+%u];\n", 13 + i, 4 * i);
    if (!strcmp(second, "same unit")) str_add(&lines, "add.u32 %%r%u, %%r4, %u;\n", 13 + i, 4 * i);
    if (!strcmp(second, "needs it")) str_add(&lines, "ld.shared.u32 %%r%u, [%%r%u];\n", 13 + i, 5 + i);
    if (!strcmp(second, "overwrites it")) str_add(&lines, "ld.shared.u32 %%r%u, [%%r3];\n", 5 + i);
  }
  str_add(&lines, "bar.sync 0;\n");
  for (unsigned i = 5; i < 21; i++) str_add(&lines, "xor.b32 %%r4, %%r4, %%r%u;\n", i); /* all are wanted */
  str_add(&lines, "st.shared.u32 [%%r3], %%r4;\n");
  rig_open(&r, ONE_SM, dual);
  rig_run(&r, lines.s, 1, 32, 0);
  *cycles = rig_cycles(&r);
  *issued = rig_stat(&r, "sm.dual_issues");
  assert_int_equal(rig_stat(&r, "sm.issue_slots_used") + *issued, rig_stat(&r, "sm.warp_instructions"));
  str_free(&lines);
  rig_close(&r);
}

static void test_dual_issue_pairs_what_is_independent_and_for_another_unit(void **state) {
  (void)state;
  static const char dual[] = "sm.dual_issue = true\n";
  uint64_t one, two, none, before, issued;
  pairs(dual, "same unit", &two, &before); /* what is before the eight may have pairs too */
  static const char *const alone[] = {"needs it", "overwrites it"};
  for (size_t i = 0; i < 2; i++) {
    pairs(dual, alone[i], &two, &issued);
    if (issued != before) fail_msg("%s: %llu pairs", alone[i], (unsigned long long)issued);
  }
  pairs(NULL, "other unit", &one, &none);
  pairs(dual, "other unit", &two, &issued);
  assert_int_equal(none, 0);
  assert_int_equal(issued, before + 8);
  assert_in_range(one - two, 8, 8 + before); /* a cycle a pair */
}

/* Slots of the second halves of additions of 64 bits, with a load of shared memory behind each. */
static uint64_t slots_of_sequences(const char *config) {
  struct rig r;
  struct str lines = {0};
  str_add(&lines, ".shared .align 4 .b8 buf[4096]; mov.u32 %%r3, buf; mov.u32 %%r4, 0;\n");
  for (unsigned i = 0; i < 40; i++)
    str_add(&lines, "add.u64 %%rd3, %%rd1, %%rd2; ld.shared.u32 %%r5, [%%r3]; add.u32 %%r4, %%r4, %%r5;\n");
  str_add(&lines, "st.shared.u32 [%%r3], %%r4; st.global.u64 [%%rd1], %%rd3;\n");
  rig_open(&r, ONE_SM, config);
  rig_run(&r, lines.s, 1, 256, 0);
  uint64_t slots = rig_stat(&r, "sm.sequence_slots");
  str_free(&lines);
  rig_close(&r);
  return slots;
}

static void test_dual_issue_waits_for_the_end_of_a_sequence(void **state) {
  (void)state;
  uint64_t one = slots_of_sequences("sm.lower = true\n");
  assert_true(one >= 8 * 40);
  assert_int_equal(slots_of_sequences("sm.lower = true\nsm.dual_issue = true\n"), one);
}

/* Stages decide when an instruction enters its unit, not the pipelines, of which there may be fewer than warps that want one. */
static void test_sequences_go_with_stages_of_registers(void **state) {
  (void)state;
  uint64_t one = slots_of_sequences("sm.lower = true\n");
  assert_int_equal(slots_of_sequences("sm.lower = true\nsm.register_banks = 16\nsm.pipes.sp = 1\nsm.interval.ffma = 8\n"), one);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_l1_hit),
      cmocka_unit_test(test_l2_hit_of_a_line_and_of_a_sector),
      cmocka_unit_test(test_dram_by_row_hits_and_misses),
      cmocka_unit_test(test_a_slower_dram_clock_stretches_only_dram),
      cmocka_unit_test(test_clock_ratios_are_exact),
      cmocka_unit_test(test_clocks_without_a_common_unit_are_refused),
      cmocka_unit_test(test_l1_gives_a_line_a_cycle),
      cmocka_unit_test(test_l2_gives_a_line_in_five_flits),
      cmocka_unit_test(test_dram_gives_most_of_its_peak),
      cmocka_unit_test(test_dual_issue_pairs_what_is_independent_and_for_another_unit),
      cmocka_unit_test(test_dual_issue_waits_for_the_end_of_a_sequence),
      cmocka_unit_test(test_sequences_go_with_stages_of_registers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
