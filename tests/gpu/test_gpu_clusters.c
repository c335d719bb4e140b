/* Clusters of CTAs and bulk copies on the timed GPU: who runs where, when a copy's bytes and another CTA's arrivals are heard of. */
#include "gpu_rig.h"

#include "exec/memory/tensor_map.h"

#define MEET "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
#define GPCS "gpu.gpc_sms = 5\n"

static void run_clusters(struct rig *r, const char *lines, unsigned ctas, unsigned threads, unsigned cluster) {
  rig_load(r, lines, ctas, threads, 0);
  r->grid.cluster[0] = cluster;
  r->grid.cluster[1] = r->grid.cluster[2] = 1;
  if (rig_go(r) != GPU_DONE) fail_msg("%s", r->err.text);
}

static void test_ctas_of_a_cluster_read_each_other(void **state) {
  struct rig r;
  (void)state;
  rig_open(&r, TWELVE_SMS, GPCS);
  run_clusters(
      &r,
      ".shared .align 4 .b8 sm[256];\n"
      "shl.b32 %r3, %r1, 2; mov.u32 %r4, sm; add.u32 %r4, %r4, %r3; mad.lo.u32 %r5, %r2, 100, %r1; st.shared.u32 [%r4], %r5;\n" MEET
      "mov.u32 %r6, %cluster_ctarank; add.u32 %r6, %r6, 1; and.b32 %r6, %r6, 3; mapa.shared::cluster.u32 %r7, %r4, %r6;\n"
      "ld.shared::cluster.u32 %r8, [%r7];\n" MEET
      "mad.lo.u32 %r9, %r2, 64, %r1; mad.wide.u32 %rd3, %r9, 4, %rd1; st.global.u32 [%rd3], %r8;",
      8, 64, 4);
  const uint32_t *out = (const uint32_t *)(const void *)rig_data(&r);
  for (unsigned i = 0; i < 8 * 64; i++) {
    unsigned cta = i / 64, from = cta / 4 * 4 + (cta + 1) % 4;
    assert_int_equal(out[i], from * 100 + i % 64);
  }
  assert_int_equal(rig_stat(&r, "sm.dsm_bytes"), 8 * 64 * 4);
  rig_close(&r);
}

static void test_a_cluster_is_on_different_sms_of_one_gpc(void **state) {
  struct rig r;
  (void)state;
  rig_open(&r, TWELVE_SMS, GPCS);
  run_clusters(&r, "mov.u32 %r3, %smid; mad.wide.u32 %rd3, %r2, 4, %rd1; st.global.u32 [%rd3], %r3;\n" MEET, 24, 32, 4);
  const uint32_t *out = (const uint32_t *)(const void *)rig_data(&r);
  for (unsigned i = 0; i < 24; i++) {
    assert_int_equal(out[i] / 5, out[i / 4 * 4] / 5);
    for (unsigned k = i / 4 * 4; k < i; k++) assert_int_not_equal(out[i], out[k]);
  }
  rig_close(&r);
}

static void test_a_cluster_larger_than_a_gpc_is_refused(void **state) {
  struct rig r;
  (void)state;
  rig_open(&r, TWELVE_SMS, GPCS);
  rig_load(&r, MEET, 8, 32, 0);
  for (int i = 0; i < 3; i++) r.grid.cluster[i] = i ? 1 : 8;
  assert_int_equal(rig_go(&r), GPU_REFUSED);
  assert_non_null(strstr(r.err.text, "a GPC has 5 SMs"));
  rig_load(&r, MEET, 9, 32, 0);
  for (int i = 0; i < 3; i++) r.grid.cluster[i] = i ? 1 : 4;
  assert_int_equal(rig_go(&r), GPU_REFUSED);
  assert_non_null(strstr(r.err.text, "do not divide the grid"));
  rig_close(&r);
}

/* The cycles from a copy to its mbarrier's answer go to the first word. */
static uint64_t copy_time(const char *config, unsigned bytes) {
  struct rig r;
  char lines[1024];
  snprintf(
      lines, sizeof lines,
      ".shared .align 128 .b8 tile[8192]; .shared .align 8 .b64 bar;\n"
      "mbarrier.init.shared::cta.b64 [bar], 1; mbarrier.arrive.expect_tx.shared::cta.b64 %%rd3, [bar], %u; add.u64 %%rd4, %%rd1, 4096;\n"
      "mov.u64 %%rd5, %%clock64;\n"
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%%rd4], %u, [bar];\n"
      "W: mbarrier.try_wait.parity.shared::cta.b64 %%p1, [bar], 0; @!%%p1 bra W;\n"
      "mov.u64 %%rd6, %%clock64; sub.u64 %%rd6, %%rd6, %%rd5; st.global.u64 [%%rd1], %%rd6;",
      bytes, bytes);
  rig_open(&r, ONE_SM, config);
  rig_run(&r, lines, 1, 1, 0);
  uint64_t cycles = rig_data(&r)[0];
  assert_int_equal(rig_stat(&r, "sm.bulk_copies"), 1);
  assert_int_equal(rig_stat(&r, "sm.bulk_lines"), bytes / 128);
  rig_close(&r);
  return cycles;
}

static void test_a_copy_is_heard_of_when_its_bytes_have_come(void **state) {
  (void)state;
  uint64_t small = copy_time("sm.copy_latency = 0\n", 128), large = copy_time("sm.copy_latency = 0\n", 8192);
  assert_in_range(small, 100, 400); /* DRAM, L2 and the network there and back */
  assert_in_range(large - small, 63, 1000);
  assert_in_range(copy_time("sm.copy_latency = 500\n", 128) - small, 470, 530);
}

enum { MAP_AT = 2048, MAP_BYTES = 64 };
#define COPY(map) \
  "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [tile], [%%rd" #map ", {0}], [bar];\n"
#define CLOCK(to) "mov.u64 %%rd" #to ", %%clock64;\n"

/* Behind `before`, cycles until a thread goes on behind a copy by one tensor map, by the same again, and by another. */
static void issue_times(const char *config, const char *before, uint64_t cycles[3]) {
  struct rig r;
  char lines[2048];
  snprintf(lines, sizeof lines,
           ".shared .align 128 .b8 tile[128]; .shared .align 8 .b64 bar;\n"
           "mbarrier.init.shared::cta.b64 [bar], 1; mbarrier.arrive.expect_tx.shared::cta.b64 %%rd9, [bar], %u;\n"
           "add.u64 %%rd2, %%rd1, %u; add.u64 %%rd3, %%rd2, 128;\n%s" CLOCK(4) COPY(2) CLOCK(5) COPY(2) CLOCK(6) COPY(3) CLOCK(7)
           "sub.u64 %%rd7, %%rd7, %%rd6; sub.u64 %%rd6, %%rd6, %%rd5; sub.u64 %%rd5, %%rd5, %%rd4;\n"
           "st.global.u64 [%%rd1], %%rd5; st.global.u64 [%%rd1+8], %%rd6; st.global.u64 [%%rd1+16], %%rd7;\n"
           "W: mbarrier.try_wait.parity.shared::cta.b64 %%p1, [bar], 0; @!%%p1 bra W;\n",
           3 * MAP_BYTES, MAP_AT, before);
  rig_open(&r, ONE_SM, config);
  for (unsigned i = 0; i < 2; i++) {
    struct exec_tensor_map map = {.address = r.data + 4096, .mark = EXEC_TENSOR_MAP_MARK, .rank = 1, .last = {MAP_BYTES - 1},
                                  .strides = {1}, .box = {MAP_BYTES}, .steps = {1}};
    memcpy((char *)rig_data(&r) + MAP_AT + i * 128, &map, sizeof map);
  }
  rig_run(&r, lines, 1, 1, 0);
  memcpy(cycles, rig_data(&r), 3 * sizeof *cycles);
  rig_close(&r);
}

static void test_a_warp_goes_on_behind_a_copy_when_it_may(void **state) {
  (void)state;
  uint64_t base[3], late[3];
  issue_times("", "", base);
  issue_times("sm.copy_interval = 31\n", "", late);
  for (int i = 0; i < 3; i++) assert_int_equal(late[i] - base[i], 30);
}

/* Once for each map; not again what was prefetched long before, and again behind a fence of maps. */
static void test_the_first_copy_by_a_tensor_map_waits_for_it(void **state) {
  (void)state;
  static const struct {
    const char *before;
    unsigned waits[3];
  } cases[] = {{"", {200, 0, 200}},
               {"prefetch.tensormap [%rd3]; membar.cta;", {200, 0, 0}},
               {"prefetch.tensormap [%rd3]; prefetch.tensormap [%rd2]; membar.gl; fence.proxy.tensormap::generic.acquire.gpu [%rd2], 128;",
                {200, 0, 200}}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    uint64_t base[3], late[3];
    issue_times("", cases[i].before, base);
    issue_times("sm.map_latency = 200\n", cases[i].before, late);
    for (int k = 0; k < 3; k++) assert_int_equal(late[k] - base[k], cases[i].waits[k]);
  }
}

#define ONE_BARRIER                                                                                      \
  ".shared .align 8 .b64 bar; setp.eq.u32 %p2, %r1, 0; @%p2 mbarrier.init.shared::cta.b64 [bar], 1;\n" \
  "bar.sync 0; setp.lt.u32 %p3, %r1, 32;\n"
#define LOOK "mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 0;"

/* How long one answer takes where nobody arrives. */
static uint64_t time_of_an_answer(const char *config) {
  struct rig r;
  rig_open(&r, ONE_SM, config);
  rig_run(&r,
          ONE_BARRIER "mov.u64 %rd5, %clock64; " LOOK
                      " @%p1 bra OVER; mov.u64 %rd6, %clock64; sub.u64 %rd6, %rd6, %rd5; st.global.u64 [%rd1], %rd6; OVER:\n",
          1, 1, 0);
  uint64_t cycles = rig_data(&r)[0];
  rig_close(&r);
  return cycles;
}

static void test_a_wait_at_an_mbarrier_has_a_limit(void **state) {
  (void)state;
  uint64_t at_once = time_of_an_answer("");
  assert_in_range(at_once, 1, 60);
  assert_int_equal(time_of_an_answer("sm.wait_limit = 300\n") - time_of_an_answer("sm.wait_limit = 299\n"), 1);
  assert_in_range(time_of_an_answer("sm.wait_limit = 300\n"), 300, 300 + at_once);
}

/* One warp looks until the other arrives, 1,000 additions later: a warp that is held looks once, and goes on soon after the arrival. */
static void test_an_arrival_wakes_who_waits_at_the_mbarrier(void **state) {
  (void)state;
  static const char lines[] =
      ONE_BARRIER "@%p3 bra WAITS;\nmov.u32 %r4, 0;\nL: add.u32 %r4, %r4, 1; setp.lt.u32 %p4, %r4, 1000; @%p4 bra L;\n"
                  "setp.eq.u32 %p5, %r1, 32; @%p5 mbarrier.arrive.shared::cta.b64 %rd7, [bar]; @%p5 mov.u64 %rd5, %clock64;\n"
                  "@%p5 st.global.u64 [%rd1], %rd5; bra OVER;\n"
                  "WAITS: mov.u64 %rd8, 0;\nW: add.u64 %rd8, %rd8, 1; " LOOK " @!%p1 bra W;\n"
                  "@%p2 mov.u64 %rd6, %clock64; @%p2 st.global.u64 [%rd1+8], %rd6; @%p2 st.global.u64 [%rd1+16], %rd8;\nOVER:\n";
  static const char *const configs[] = {"", "sm.wait_limit = 100000\n"};
  for (int held = 0; held < 2; held++) {
    struct rig r;
    rig_open(&r, ONE_SM, configs[held]);
    rig_run(&r, lines, 1, 64, 0);
    assert_in_range(rig_data(&r)[1] - rig_data(&r)[0], 0, 100);
    if (held) assert_int_equal(rig_data(&r)[2], 1);
    else assert_in_range(rig_data(&r)[2], 20, 3000);
    rig_close(&r);
  }
}

/* What wakes is the last line's coming, and what is in the place of looking now and then is never later. */
static void test_bytes_wake_who_waits_for_them(void **state) {
  (void)state;
  for (unsigned bytes = 128; bytes <= 8192; bytes *= 4) {
    uint64_t looks = copy_time("", bytes), held = copy_time("sm.wait_limit = 100000\n", bytes);
    assert_in_range(looks - held, 0, 60);
  }
  assert_int_equal(copy_time("sm.wait_limit = 100000\nsm.copy_latency = 501\n", 128) -
                       copy_time("sm.wait_limit = 100000\nsm.copy_latency = 500\n", 128),
                   1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ctas_of_a_cluster_read_each_other),
      cmocka_unit_test(test_a_cluster_is_on_different_sms_of_one_gpc),
      cmocka_unit_test(test_a_cluster_larger_than_a_gpc_is_refused),
      cmocka_unit_test(test_a_copy_is_heard_of_when_its_bytes_have_come),
      cmocka_unit_test(test_a_warp_goes_on_behind_a_copy_when_it_may),
      cmocka_unit_test(test_the_first_copy_by_a_tensor_map_waits_for_it),
      cmocka_unit_test(test_a_wait_at_an_mbarrier_has_a_limit),
      cmocka_unit_test(test_an_arrival_wakes_who_waits_at_the_mbarrier),
      cmocka_unit_test(test_bytes_wake_who_waits_for_them),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
