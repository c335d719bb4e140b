/* The memory instructions of an SM between mocks: latencies to the cycle, barriers, fences, copies, atomics. Each figure is worked out
 * from the configuration in the comment above its test.
 *
 * What a memory instruction costs, from issue in cycle t with nothing else around: the load/store unit takes
 * it in t + 1. A hit's data are there l1.latency cycles later, so the first use issues in t + 1 + l1.latency.
 * A miss is in the miss queue in t + 1, leaves in t + 2, is seen by the network in t + 3, answered `delay`
 * cycles later, and taken by the SM in the cycle after: the first use issues in t + 4 + delay. */
#include "sm_rig.h"

/* A register whose value is never used would share its place with the next one, which then had to wait for
 * it. */
#define KEEP2(a, b)       "add.u32 %r31, " a ", " b ";"

#define RIG(r, lines, threads, ...) rig_open(r, lines, threads, SETTINGS(__VA_ARGS__))

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

/* Four stores to 32 lines: none leaves while another comes that can join it, and all can if 32 may wait. */
static void test_stores_wait_for_those_that_join_them(void **state) {
  (void)state;
  for (unsigned lines = 31; lines < 33; lines++) {
    static struct rig r;
    char setting[32];
    unsigned packets = lines < 32 ? 4 * 32 : 32;
    snprintf(setting, sizeof setting, "l1.join_stores=%u", lines);
    RIG(&r,
        "mul.lo.u32 %r2, %r1, 128; cvt.u64.u32 %rd2, %r2; add.u64 %rd2, %rd1, %rd2; st.global.u32 [%rd2], %r1; st.global.u32 [%rd2+4], %r1;"
        "st.global.u32 [%rd2+8], %r1; st.global.u32 [%rd2], %r1;",
        32, "l1.latency=10", "l1.queue=64", setting);
    rig_run(&r, 1);
    assert_int_equal(r.requests[MEM_WRITE], packets);
    assert_int_equal(r.s.l1.stats[L1_S_JOINED], 4 * 32 - packets);
    rig_close(&r);
  }
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

/* A constant whose address is a literal is sooner there than one that is indexed. */
static void test_constants_at_literal_addresses_are_early(void **state) {
  (void)state;
  static struct rig r;
  for (unsigned literal = 0; literal <= 3; literal += 3) {
    char setting[32];
    snprintf(setting, sizeof setting, "sm.literal_latency=%u", literal);
    RIG(&r,
        ".const .align 4 .u32 c[4]; ld.const.u32 %r2, [c]; add.u32 %r3, %r2, 1; ld.const.u32 %r4, [c+4]; add.u32 %r5, %r4, 1;"
        "mov.u64 %rd2, c; ld.const.u32 %r6, [%rd2]; add.u32 %r7, %r6, 1;",
        32, "sm.const_latency=12", setting);
    rig_run(&r, 1);
    assert_int_equal(rig_between(&r, 2, 3), 1 + (literal ? literal : 12));
    assert_int_equal(rig_between(&r, 5, 6), 1 + 12);
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

/* Cycles from a load of 32 lines to its first use, where all answers are in front of the SM at once. */
static uint64_t cycles_of_answers(const char *rate) {
  static struct rig r;
  RIG(&r, "mul.lo.u32 %r2, %r1, 128; cvt.u64.u32 %rd2, %r2; add.u64 %rd2, %rd1, %rd2; ld.global.u32 %r3, [%rd2]; add.u32 %r4, %r3, 1;", 32,
      "l1.mshrs=64", rate);
  sm_start_cta(&r.s, &r.grid, 0, 0);
  r.delay = 1000;
  while (r.count < 32) rig_cycle(&r);
  for (unsigned i = 0; i < 32; i++) r.below[r.head + i].due = r.now + 10;
  uint64_t answered = r.now + 10;
  while (!sm_idle(&r.s)) rig_cycle(&r);
  assert_int_equal(r.n_issue, PROLOGUE + 6);
  uint64_t used = r.issue[PROLOGUE + 4];
  rig_close(&r);
  return used - answered;
}

static void test_answers_are_taken_so_many_a_cycle(void **state) {
  (void)state;
  assert_int_equal(cycles_of_answers("sm.reply_rate=1"), 32);
  assert_int_equal(cycles_of_answers("sm.reply_rate=4"), 8);
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

#define FENCES "sm.fence_latency=100", "sm.fence_touched=140", "sm.fence_far=180", "sm.fence_cta=9"
#define MEET "add.u64 %rd2, %rd1, 8; bar.sync 0; "
#define READ "ld.global.u32 %r2, [%rd1]; add.u32 %r2, %r2, 1; "

/* With a latency of their own: 100 cycles where nothing was accessed since the last fence began, 140 behind an access;
 * not before the answer to a store; what releases begins with one; a fence of a CTA takes 9, whatever is outstanding. */
static void test_fences_take_their_latency(void **state) {
  (void)state;
  static const struct {
    const char *lines;
    unsigned delay, after, until, cycles;
  } cases[] = {{"add.u64 %rd2, %rd1, 8; membar.gl; mov.u32 %r3, 1;", 90, 1, 2, 100},
               {READ "membar.gl; mov.u32 %r3, 1;", 90, 2, 3, 140},
               {READ "fence.acq_rel.cluster; mov.u32 %r3, 1;", 90, 2, 3, 140},
               {READ "membar.gl; membar.gl; mov.u32 %r3, 1;", 90, 3, 4, 100},
               {READ "membar.gl; " READ "membar.gl; mov.u32 %r3, 1;", 90, 5, 6, 140},
               {"st.global.u32 [%rd1], %r1; membar.gl; mov.u32 %r3, 1;", 90, 0, 2, 140},
               {"st.global.u32 [%rd1], %r1; membar.gl; mov.u32 %r3, 1;", 300, 0, 2, 4 + 300 + 1},
               {READ "st.release.gpu.global.u32 [%rd1], %r1;", 90, 1, 2, 1 + 140},
               {READ "st.relaxed.gpu.global.u32 [%rd1], %r1;", 90, 1, 2, 1},
               {READ "setp.eq.u32 %p1, %r1, 99; @%p1 st.release.gpu.global.u32 [%rd1], %r1;", 90, 2, 3, 4},
               {READ "st.release.cta.global.u32 [%rd1], %r1;", 90, 1, 2, 1},
               {"st.global.u32 [%rd1], %r1; membar.cta; mov.u32 %r3, 1;", 90, 0, 2, 1 + 9},
               {"st.global.u32 [%rd1], %r1; fence.acq_rel.cta; mov.u32 %r3, 1;", 90, 0, 2, 1 + 9}};
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    static struct rig r = {.target = "sm_90"};
    RIG(&r, cases[i].lines, 1, "l1.queue=8", FENCES);
    r.delay = cases[i].delay;
    rig_run(&r, 1);
    assert_int_equal(rig_between(&r, cases[i].after, cases[i].until), cases[i].cycles);
    rig_close(&r);
  }
}

/* Behind an access every second pair of SMs waits longer; behind none all alike. */
static void test_fences_of_some_sms_take_longer(void **state) {
  (void)state;
  static const unsigned touched[] = {140, 140, 180, 180, 140};
  for (unsigned sm = 0; sm < sizeof touched / sizeof *touched; sm++) {
    static struct rig r = {.target = "sm_90"};
    RIG(&r, READ "membar.gl; membar.gl; mov.u32 %r3, 1;", 1, "l1.queue=8", FENCES);
    r.s.id = sm;
    rig_run(&r, 1);
    assert_int_equal(rig_between(&r, 2, 3), touched[sm]);
    assert_int_equal(rig_between(&r, 3, 4), 100);
    rig_close(&r);
  }
}

/* Four warps, each on a scheduler of its own, come to four loads that no lane executes and one that all do. Where the empty ones take
 * a cycle each, the loads behind them go from the seventeenth to the twentieth cycle in the place of the fifth to the eighth. */
static void test_loads_of_no_lane_take_their_turn(void **state) {
  (void)state;
  static const char *const settings[] = {"sm.empty_accesses=false", "sm.empty_accesses=true"};
  static const char *const empty[] = {
      "@%p1 ld.shared.u32 %r5, [%r3]; ",
      "@%p1 st.shared.u32 [%r3], %r1; ",
      "@%p1 ld.global.u32 %r5, [%rd2]; ",
      "@%p1 ld.const.u32 %r5, [c]; ",
  };
  for (unsigned i = 0; i < 4; i++) {
    char lines[512];
    uint64_t last[2];
    snprintf(lines, sizeof lines,
             ".const .align 4 .b32 c; mov.u32 %%r3, sm; setp.eq.u32 %%p1, %%r1, 999; add.u64 %%rd2, %%rd1, 8; bar.sync 0; %s%s%s%s"
             "ld.shared.u32 %%r4, [%%r3]; add.u32 %%r6, %%r4, 1;",
             empty[i], empty[i], empty[i], empty[i]);
    for (unsigned k = 0; k < 2; k++) {
      static struct rig r;
      RIG(&r, lines, 128, "sm.shared_latency=26", "sm.schedulers=4", settings[k]);
      rig_run(&r, 1);
      last[k] = r.issue[r.n_issue - 1];
      rig_close(&r);
    }
    assert_int_equal(last[1] - last[0], i < 3 ? 12 : 0);
  }
}

/* The fences of nine warps begin in nine cycles and take 100 each, so that two instructions a warp issue until 117. The ninth's
 * messages wait for those of the eight before it, if they take 20 each: it ends 120 after the first began. Behind an access all
 * are as long as the first. */
static void test_many_fences_wait_for_each_other(void **state) {
  (void)state;
  static const struct {
    const char *lines, *interval;
    unsigned warps, last;
  } cases[] = {{MEET "membar.gl; mov.u32 %r3, 1;", "sm.fence_interval=0", 9, 116},
               {MEET "membar.gl; mov.u32 %r3, 1;", "sm.fence_interval=20", 8, 114},
               {MEET "membar.gl; mov.u32 %r3, 1;", "sm.fence_interval=20", 9, 120},
               {READ MEET "membar.gl; mov.u32 %r3, 1;", "sm.fence_interval=20", 9, 160}};
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    static struct rig r = {.target = "sm_90"};
    RIG(&r, cases[i].lines, cases[i].warps * 32, "l1.queue=8", FENCES, "sm.schedulers=1", cases[i].interval);
    rig_run(&r, 1);
    unsigned n = (unsigned)r.n_issue;
    unsigned first = n - 3 * cases[i].warps; /* fences, what is behind them, and the end of each */
    assert_int_equal(r.issue[n - 2] - r.issue[first], cases[i].last);
    rig_close(&r);
  }
}

/* A line that was read before is asked for again behind what acquires from beyond the CTA. */
static void test_what_acquires_empties_l1d(void **state) {
  (void)state;
  static const struct {
    const char *between;
    unsigned reads;
  } cases[] = {{"membar.cta;", 1},
               {"membar.gl;", 2},
               {"fence.acq_rel.gpu;", 2},
               {"fence.proxy.async;", 1},
               {"fence.mbarrier_init.release.cluster;", 1},
               {"st.release.gpu.global.u32 [%rd1+256], %r1;", 1},
               {"ld.relaxed.gpu.global.u32 %r4, [%rd1+256]; add.u32 %r4, %r4, 1;", 2},
               {"ld.acquire.gpu.global.u32 %r4, [%rd1+256]; add.u32 %r4, %r4, 1;", 3}};
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    static struct rig r = {.target = "sm_90"};
    char lines[512];
    snprintf(lines, sizeof lines, "%s%s %s", READ, cases[i].between, READ);
    RIG(&r, lines, 1, "l1.queue=8", FENCES);
    rig_run(&r, 1);
    assert_int_equal(r.requests[MEM_READ], 2 + cases[i].reads); /* code and the parameter */
    rig_close(&r);
  }
}

/* Four lanes on each word: an access of L2 for each; of shared memory a cycle each, a compare-and-swap two, an addition of f32 three
 * and a turn of its loop each; counting takes one. */
static void test_atomics_on_one_word_go_in_passes(void **state) {
  (void)state;
  static const struct {
    const char *line;
    unsigned cycles, turns;
  } cases[] = {{"atom.shared.add.u32 %r4, [%r3], %r1;", 4, 0}, {"atom.shared.cas.b32 %r4, [%r3], %r1, 0;", 8, 0},
               {"atom.shared.add.f32 %f4, [%r3], %f1; mov.b32 %r4, %f4;", 3, 4}, {"red.shared.add.u32 [%r3], 1; mov.u32 %r4, 1;", 1, 0}};
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

/* Warps that add to words of their own do not notice each other; on one word a swap is in vain where another warp's came between it and its
 * load, so that two warps of four lanes each take longer than one, and no longer than one after the other. */
static void test_sums_of_warps_on_one_word_are_in_each_others_way(void **state) {
  (void)state;
  static struct rig r;
  uint64_t end[2][2], turns[2][2];
  for (unsigned warps = 1; warps <= 2; warps++)
    for (unsigned own = 0; own < 2; own++) {
      char lines[512];
      snprintf(lines, sizeof lines, "shr.u32 %%r2, %%r1, %u; shl.b32 %%r2, %%r2, 2; mov.u32 %%r3, sm; add.u32 %%r3, %%r3, %%r2; "
               "atom.shared.add.f32 %%f4, [%%r3], %%f1; mov.b32 %%r4, %%f4; add.u32 %%r5, %%r4, 1;", own ? 5 : 30);
      RIG(&r, lines, 32 * warps, "sm.shared_latency=26", "sm.atomic_passes=true", "sm.atomic_loop=100");
      rig_run(&r, 1);
      end[own][warps - 1] = r.now;
      turns[own][warps - 1] = r.s.stats[SM_S_SEQUENCE] / 5;
      rig_close(&r);
    }
  for (unsigned own = 0; own < 2; own++) assert_int_equal(turns[own][0], 32);
  assert_int_equal(turns[1][1], 64);
  assert_true(turns[0][1] > 70);
  assert_true(end[1][1] < end[1][0] + 100);
  assert_in_range(end[0][1], end[0][0] + 25 * 100, end[0][0] + 33 * 100);
}

/* Turns in vain may be shorter than others; one cannot be shorter than its slots, of which a swap is the third. */
static void test_turns_in_vain_have_a_length_of_their_own(void **state) {
  (void)state;
  static struct rig r;
  static const char *const retry[] = {"sm.atomic_retry=0", "sm.atomic_retry=100", "sm.atomic_retry=60", "sm.atomic_retry=1"};
  uint64_t end[4];
  for (unsigned i = 0; i < 4; i++) {
    RIG(&r, "mov.u32 %r3, sm; atom.shared.add.f32 %f4, [%r3], %f1; mov.b32 %r4, %f4; add.u32 %r5, %r4, 1;", 64, "sm.shared_latency=26",
        "sm.atomic_passes=true", "sm.atomic_loop=100", retry[i]);
    rig_run(&r, 1);
    end[i] = r.now;
    rig_close(&r);
  }
  assert_int_equal(end[1], end[0]);
  assert_true(end[2] < end[0]);
  assert_true(end[3] < end[0]);
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_unloaded_hit_and_miss_latency_to_the_cycle),
      cmocka_unit_test(test_a_load_is_not_used_a_cycle_early),
      cmocka_unit_test(test_uncoalesced_hits_cost_a_cycle_a_line),
      cmocka_unit_test(test_uncoalesced_hits_take_banks_of_tags_and_data),
      cmocka_unit_test(test_data_of_a_scheduler_return_one_after_the_other),
      cmocka_unit_test(test_stores_leave_a_sector_a_cycle),
      cmocka_unit_test(test_stores_wait_for_those_that_join_them),
      cmocka_unit_test(test_shared_memory_latency_with_conflicts),
      cmocka_unit_test(test_parameters_are_constant_cache_hits),
      cmocka_unit_test(test_operators_reach_the_cache),
      cmocka_unit_test(test_local_memory_is_interleaved),
      cmocka_unit_test(test_mshrs_run_out_and_come_back),
      cmocka_unit_test(test_answers_are_taken_so_many_a_cycle),
      cmocka_unit_test(test_a_barrier_holds_all_until_the_last_arrives),
      cmocka_unit_test(test_the_release_does_not_depend_on_which_scheduler_is_asked_first),
      cmocka_unit_test(test_a_barrier_takes_warp_after_warp),
      cmocka_unit_test(test_the_end_of_a_warp_opens_a_barrier_at_once),
      cmocka_unit_test(test_a_fence_waits_for_the_stores_before_it),
      cmocka_unit_test(test_fences_take_their_latency),
      cmocka_unit_test(test_fences_of_some_sms_take_longer),
      cmocka_unit_test(test_many_fences_wait_for_each_other),
      cmocka_unit_test(test_loads_of_no_lane_take_their_turn),
      cmocka_unit_test(test_what_acquires_empties_l1d),
      cmocka_unit_test(test_atomics_on_one_word_go_in_passes),
      cmocka_unit_test(test_sums_of_warps_on_one_word_are_in_each_others_way),
      cmocka_unit_test(test_a_wait_is_for_groups_of_copies),
      cmocka_unit_test(test_an_open_group_is_waited_for_only_by_wait_all),
      cmocka_unit_test(test_constants_are_served_one_address_a_cycle),
      cmocka_unit_test(test_constants_at_literal_addresses_are_early),
      cmocka_unit_test(test_stores_without_a_fence_do_not_hold_the_warp),
      cmocka_unit_test(test_atomics_wait_and_reductions_do_not),
      cmocka_unit_test(test_turns_in_vain_have_a_length_of_their_own),
      cmocka_unit_test(test_joined_atomics_are_one_access),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
