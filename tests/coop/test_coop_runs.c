/* Cooperation in whole small GPUs: what may enter, every L1D organisation with its shadow tags checked after every
 * instant, and results that depend neither on the order of visits nor on threads. */
#include "gpu_rig.h"

/* Every CTA reads the same 8 KB, writes a few words of it and reads them again. */
static const char SHARED_READS[] =
    "shl.b32 %r3, %r1, 2; mov.u32 %r4, 0;\n"
    "LOOP: mad.lo.u32 %r5, %r4, 260, %r3; add.u32 %r5, %r5, %r2; and.b32 %r5, %r5, 8188; cvt.u64.u32 %rd3, %r5; add.u64 %rd4, %rd1, %rd3;\n"
    "ld.global.ca.f32 %f1, [%rd4]; add.f32 %f2, %f2, %f1;\n"
    "add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 40; @%p1 bra LOOP;\n"
    "mad.lo.u32 %r6, %r2, 128, %r3; cvt.u64.u32 %rd5, %r6; add.u64 %rd6, %rd1, %rd5; st.global.f32 [%rd6], %f2;\n"
    "ld.global.ca.f32 %f3, [%rd6]; add.f32 %f2, %f2, %f3; st.global.f32 [%rd6+16384], %f2;\n";

static const char *const networks[] = {"\"ccn-b\"", "\"ccn-rt\"", "\"ideal\"", "\"cluster\"", "\"ccn-b\"\ncoop.rings = 3",
                                       "\"tracker\"\nl2.sets = 1\nl2.ways = 2"};
enum { NETWORKS = sizeof networks / sizeof *networks };

/* A small L1D, unless `more` says how large it is. */
static void open_with(struct rig *r, const char *coop, const char *more) {
  char text[512];
  snprintf(text, sizeof text, "coop = %s\ncoop.sample = 20000\ncoop.period = 60000\n%s%s%s", coop,
           strstr(more, "l1.sets") ? "" : "l1.sets = 8\n", strstr(more, "l1.ways") ? "" : "l1.ways = 2\n", more);
  rig_open(r, TWELVE_SMS, text);
}

static void test_shadow_tags_are_the_tags_after_every_instant(void **state) {
  static const char *const orgs[] = {"base", "sector", "line32", "line64", "line256", "lamar", "dsc2", "dsc4", "tsc", "tsc+"};
  (void)state;
  for (unsigned i = 0; i < sizeof orgs / sizeof *orgs; i++)
    for (unsigned n = 0; n < NETWORKS; n++) {
      struct rig r;
      char more[128];
      snprintf(more, sizeof more, "l1.org = \"%s\"\nl1.tsc.samplers = 2\n", orgs[i]);
      open_with(&r, networks[n], more);
      gpu_check_shadow_tags(r.gpu);
      rig_run(&r, SHARED_READS, 36, 64, 0);
      assert_true(rig_stat(&r, "coop.tag_accesses") > 0);
      if (!n && !rig_stat(&r, "coop.hits")) fail_msg("%s under %s: no hits", networks[n], orgs[i]);
      rig_run(&r, SHARED_READS, 36, 64, 0); /* caches were flushed between the kernels */
      rig_close(&r);
    }
}

static void test_loads_past_l1_never_enter(void **state) {
  static const char *const loads[] = {"ld.global.cg.f32", "ld.volatile.global.f32"};
  (void)state;
  for (unsigned i = 0; i < 2; i++) {
    struct rig r;
    char text[256];
    open_with(&r, networks[0], "");
    snprintf(text, sizeof text, "mul.wide.u32 %%rd3, %%r1, 4; add.u64 %%rd4, %%rd1, %%rd3; %s %%f1, [%%rd4]; %s %%f2, [%%rd4+512];",
             loads[i], loads[i]);
    rig_run(&r, text, 24, 128, 0);
    assert_int_equal(rig_stat(&r, "coop.entered"), 0);
    assert_true(rig_stat(&r, "l1d.bypasses") > 0);
    rig_close(&r);
  }
}

static void test_with_bypassing_only_what_uses_l1_enters(void **state) {
  struct rig r;
  (void)state;
  open_with(&r, networks[0], "l1.bypass = \"mrpb\"\nl1.sets = 1\n");
  rig_run(&r, SHARED_READS, 36, 64, 0);
  assert_true(rig_stat(&r, "l1d.bypasses") > 0);
  assert_true(rig_stat(&r, "coop.hits") > 0);
  rig_close(&r);
}

static uint64_t hash_stats(const struct rig *r) {
  const struct stats *s = gpu_stats(r->gpu);
  uint64_t h = rig_cycles(r);
  for (size_t i = 0; i < stats_count(s); i++) h = (h ^ stats_total(s, i)) * 0x100000001b3u;
  return h;
}

static void test_neither_order_of_visits_nor_threads_change_a_result(void **state) {
  (void)state;
  for (unsigned n = 0; n < NETWORKS; n++) {
    uint64_t first = 0;
    for (unsigned i = 0; i < 8; i++) {
      struct rig r;
      static const char *const threads[] = {"", "gpu.threads = 2\ngpu.all_threads = true\n", "gpu.threads = 4\ngpu.all_threads = true\n"};
      open_with(&r, networks[n], threads[i < 6 ? 0 : i - 5]);
      if (i > 0 && i < 6) gpu_shuffle_visits(r.gpu, i);
      rig_run(&r, SHARED_READS, 36, 64, 0);
      if (!i) first = hash_stats(&r);
      assert_int_equal(hash_stats(&r), first);
      rig_close(&r);
    }
  }
}

/* Ideal cooperation has no cost: where nothing is shared it changes nothing. Each CTA has 4 KB of its own. */
static void test_ideal_cooperation_without_sharing_is_the_base(void **state) {
  static const char own[] = "mad.lo.u32 %r3, %r2, 1024, %r1; mul.wide.u32 %rd3, %r3, 4; add.u64 %rd4, %rd1, %rd3;\n"
                            "ld.global.ca.f32 %f1, [%rd4]; ld.global.ca.f32 %f2, [%rd4+1024]; add.f32 %f3, %f1, %f2;\n"
                            "ld.global.ca.f32 %f4, [%rd4+2048]; add.f32 %f3, %f3, %f4; st.global.f32 [%rd4+3072], %f3;\n";
  uint64_t cycles[2];
  (void)state;
  for (unsigned i = 0; i < 2; i++) {
    struct rig r;
    open_with(&r, i ? "\"ideal\"" : "\"none\"", "");
    rig_run(&r, own, 200, 256, 0);
    if (i) assert_true(rig_stat(&r, "coop.entered") > 1000);
    assert_int_equal(rig_stat(&r, "coop.hits"), 0);
    cycles[i] = rig_cycles(&r);
    rig_close(&r);
  }
  assert_int_equal(cycles[0], cycles[1]);
}

/* A small L2 in front of L1Ds that hold all: the tracker finds what L2 has lost, and DRAM is read less. */
static void test_the_sharing_tracker_saves_accesses_to_dram(void **state) {
  uint64_t reads[2];
  (void)state;
  for (unsigned i = 0; i < 2; i++) {
    struct rig r;
    open_with(&r, i ? "\"tracker\"" : "\"none\"", "l1.sets = 32\nl1.ways = 4\nl2.sets = 1\nl2.ways = 2\n");
    rig_run(&r, SHARED_READS, 36, 64, 0);
    reads[i] = rig_stat(&r, "dram.reads");
    if (i) {
      uint64_t asked = rig_stat(&r, "coop.tracker_asked"), found = rig_stat(&r, "coop.data_reads");
      assert_true(found > 0 && found <= asked);
      assert_int_equal(rig_stat(&r, "coop.lookups"), asked);
      assert_true(rig_stat(&r, "coop.tracker_entries") > 0);
    }
    rig_close(&r);
  }
  assert_true(reads[1] < reads[0]);
}

/* CTA 0 keeps its L1D busy: each load finds 32 lines, a cycle each. CTA 1 wants the same lines again and again, and has
 * to fetch them each time, because 32 KB of others come between. Each line that SM 0 gives away costs it a cycle. */
static const char BUSY_AND_POOR[] =
    "and.b32 %r8, %r1, 31; mul.wide.u32 %rd3, %r8, 128; add.u64 %rd4, %rd1, %rd3; mov.u32 %r4, 0; setp.ne.u32 %p2, %r2, 0; @%p2 bra POOR;\n"
    "BUSY: ld.global.ca.u32 %r5, [%rd4]; add.u32 %r6, %r6, %r5; add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 200; @%p1 bra BUSY;\n"
    "bra END;\n"
    "POOR: ld.global.ca.u32 %r5, [%rd4]; add.u32 %r6, %r6, %r5; mov.u32 %r7, 1;\n"
    "OTHERS: mul.wide.u32 %rd5, %r7, 4096; add.u64 %rd6, %rd4, %rd5; ld.global.ca.u32 %r5, [%rd6]; add.u32 %r6, %r6, %r5;\n"
    "add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 9; @%p1 bra OTHERS;\n"
    "add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 3; @%p1 bra POOR;\n"
    "END: mul.wide.u32 %rd7, %r1, 4; add.u64 %rd8, %rd1, %rd7; st.global.u32 [%rd8+1048576], %r6;\n";

static void test_a_line_given_away_costs_a_cycle_of_the_data_array(void **state) {
  uint64_t cycles[2], given = 0;
  (void)state;
  for (unsigned i = 0; i < 2; i++) {
    struct rig r;
    open_with(&r, i ? networks[0] : "\"none\"", "gpu.sms = 2\ngpu.clusters = 2\nl1.sets = 32\nl1.ways = 4\nl1.mshrs = 64\n");
    rig_run(&r, BUSY_AND_POOR, 2, 128, 0);
    cycles[i] = rig_cycles(&r);
    given = rig_stat(&r, "coop.data_reads");
    rig_close(&r);
  }
  assert_true(given >= 64);
  /* The first misses of SM 0 itself go round the ring before L2: a few cycles more. */
  assert_true(cycles[1] >= cycles[0] + given && cycles[1] <= cycles[0] + given + 16);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_shadow_tags_are_the_tags_after_every_instant),
      cmocka_unit_test(test_loads_past_l1_never_enter),
      cmocka_unit_test(test_with_bypassing_only_what_uses_l1_enters),
      cmocka_unit_test(test_a_line_given_away_costs_a_cycle_of_the_data_array),
      cmocka_unit_test(test_the_sharing_tracker_saves_accesses_to_dram),
      cmocka_unit_test(test_ideal_cooperation_without_sharing_is_the_base),
      cmocka_unit_test(test_neither_order_of_visits_nor_threads_change_a_result),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
