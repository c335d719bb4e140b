/* Whole GPUs with reply.filter: values are right, packets are conserved (the GPU checks), and nothing depends on the order
 * of visits or the number of threads. */
#include "gpu_rig.h"

/* Two scattered words a round: lines are used in parts by many warps, some again while they are outstanding; some are
 * written. */
static const char scattered[] =
    "mad.lo.u32 %r3, %r2, 128, %r1; mov.u64 %rd3, 0; mov.u32 %r9, 0;"
    "L: mul.lo.u32 %r4, %r3, 7919; and.b32 %r4, %r4, 0x7ffc; cvt.u64.u32 %rd4, %r4; add.u64 %rd5, %rd1, %rd4;"
    "ld.global.u32 %r5, [%rd5]; and.b32 %r6, %r4, 0xfff; cvt.u64.u32 %rd6, %r6; add.u64 %rd6, %rd1, %rd6;"
    "ld.global.u32 %r7, [%rd6+64]; add.u32 %r9, %r9, %r7; add.u32 %r3, %r3, 4099; add.u32 %r9, %r9, %r5;"
    "and.b32 %r8, %r3, 7; setp.ne.u32 %p2, %r8, 0; @%p2 bra A; st.global.u32 [%rd5+262144], %r9; st.global.u32 [%rd5], %r9;"
    "A: add.u64 %rd3, %rd3, 1; setp.lt.u64 %p1, %rd3, %rd2; @%p1 bra L;";

static uint64_t *run(const char *more, uint64_t shuffle, size_t *n) {
  struct rig r;
  rig_open(&r, TWELVE_SMS, more);
  if (shuffle) gpu_shuffle_visits(r.gpu, shuffle);
  rig_run(&r, scattered, 40, 128, 6);
  *n = stats_count(gpu_stats(r.gpu));
  uint64_t *all = calloc(*n + 1, sizeof *all);
  stats_snapshot(gpu_stats(r.gpu), all);
  all[*n] = gpu_cycles(r.gpu);
  rig_close(&r);
  return all;
}

static void test_the_same_on_any_number_of_threads_in_any_order(void **state) {
  (void)state;
  static const char *const setups[] = {
      "reply.filter = \"df-truc\"\n",
      "reply.filter = \"df-truc\"\nreply.predict = false\nreply.table = 3\nl1.mshrs = 4\n",
      ("reply.filter = \"df-truc\"\nreply.learn = \"asked\"\nnoc.topology = \"mesh\"\nnoc.mesh_placement = \"rows\"\n"
       "noc.mesh_width = 4\nnoc.mesh_height = 4\ngpu.clusters = 12\n"),
      "reply.filter = \"df-truc\"\nl1.bypass = \"mrpb\"\nreply.compress = \"dpc\"\n",
      "reply.filter = \"df-man\"\nreply.compress = \"dpc\"\nl1.bypass = \"bucl-dyn\"\n"};
  for (unsigned i = 0; i < sizeof setups / sizeof *setups; i++) {
    size_t n, m;
    uint64_t *want = run(setups[i], 0, &n);
    char text[512];
    snprintf(text, sizeof text, "%sgpu.threads = 4\ngpu.all_threads = true\n", setups[i]);
    for (uint64_t seed = 0; seed < 4; seed++) {
      uint64_t *got = run(seed ? setups[i] : text, seed, &m);
      assert_int_equal(m, n);
      for (size_t k = 0; k <= n; k++)
        if (got[k] != want[k]) fail_msg("'%s', shuffle %lu: statistic %zu is %lu instead of %lu", setups[i], seed, k, got[k], want[k]);
      free(got);
    }
    free(want);
  }
}

static void test_every_kind_of_miss_and_every_decision_happens_and_replies_shrink(void **state) {
  (void)state;
  static const char *const seen[] = {"l1d.first_misses", "l1d.subsequent_misses", "l1d.hit_invalid", "l1d.demand_part",
                                     "l1d.demand_mshr", "l1d.demand_ica_ratio", "reply.pdrs", "reply.merged", "reply.cut"};
  struct rig base, r;
  rig_open(&base, TWELVE_SMS, NULL);
  rig_run(&base, scattered, 40, 128, 6);
  rig_open(&r, TWELVE_SMS, "reply.filter = \"df-truc\"\n");
  rig_run(&r, scattered, 40, 128, 6);
  for (unsigned i = 0; i < sizeof seen / sizeof *seen; i++) {
    assert_int_equal(rig_stat(&base, seen[i]), 0);
    if (!rig_stat(&r, seen[i])) fail_msg("%s is 0", seen[i]);
  }
  uint64_t misses = rig_stat(&r, "l1d.first_misses") + rig_stat(&r, "l1d.subsequent_misses") + rig_stat(&r, "l1d.hit_invalid");
  assert_int_equal(misses, rig_stat(&r, "l1d.misses") - rig_stat(&r, "l1d.writes"));
  assert_int_equal(rig_stat(&r, "reply.pdrs") + rig_stat(&r, "reply.fdrs"), misses);
  uint64_t decisions = rig_stat(&r, "l1d.demand_part") + rig_stat(&r, "l1d.demand_mshr") +
                       rig_stat(&r, "l1d.demand_ica_ratio") + rig_stat(&r, "l1d.demand_fdr_ratio");
  assert_int_equal(decisions, misses);
  assert_true(rig_stat(&r, "noc.reply_flits") < rig_stat(&base, "noc.reply_flits"));
  rig_close(&base);
  rig_close(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_same_on_any_number_of_threads_in_any_order),
      cmocka_unit_test(test_every_kind_of_miss_and_every_decision_happens_and_replies_shrink),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
