/* Long kernels of which waves are executed without timing: values, estimates, which kernels are left alone, faults; and L2 kept warm. */
#include "gpu_rig.h"

#include "gpu/sample/segments.h"
#include "gpu/sample/warm.h"
#include "gpu/sample/waves.h"

#include <math.h>

enum { CTAS = 12 * 8 * 40, THREADS = 64 };

/* data[i] = 3 i + 1 by thread i, after a load and a loop. */
static const char stream[] = "mov.u32 %r6, 0;\nL: add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, 100; @%p2 bra L;\n"
                             "mad.lo.u32 %r3, %r2, 64, %r1; mul.wide.u32 %rd3, %r3, 4; add.u64 %rd4, %rd1, %rd3;\n"
                             "ld.global.u32 %r4, [%rd4+1048576]; mad.lo.u32 %r5, %r3, 3, 1; and.b32 %r4, %r4, 0;\n"
                             "add.u32 %r5, %r5, %r4; st.global.u32 [%rd4], %r5;";

static void check_values(struct rig *r) {
  const uint32_t *data = exec_mem_ptr(r->data);
  for (uint32_t i = 0; i < CTAS * THREADS; i++) assert_int_equal(data[i], 3 * i + 1);
}

static const struct gpu_kernel *last(const struct rig *r) { return gpu_kernel_at(r->gpu, gpu_kernels(r->gpu) - 1); }

static void run(struct rig *r, double error, const char *lines) {
  rig_open(r, TWELVE_SMS, NULL);
  gpu_set_wave_error(r->gpu, error);
  rig_run(r, lines, CTAS, THREADS, 0);
}

static void test_values_are_exact_and_cycles_near(void **state) {
  (void)state;
  struct rig all, some;
  run(&all, 0, stream);
  run(&some, 0.05, stream);
  check_values(&all);
  check_values(&some);
  const struct gpu_kernel *a = last(&all), *s = last(&some);
  assert_int_equal(a->skipped_ctas, 0);
  assert_null(a->doubt);
  assert_true(s->skipped_ctas > CTAS / 4);
  assert_int_equal(s->skipped_ctas % (12 * 8), 0);
  assert_int_equal(a->warp_instructions, s->warp_instructions);
  assert_int_equal(a->thread_instructions, s->thread_instructions);
  assert_true(fabs((double)s->cycles / (double)a->cycles - 1) < 0.08);
  assert_true(s->doubt[0] > 0 && s->doubt[0] < 0.1 * (double)s->cycles);
  assert_true(gpu_cycles(some.gpu) < gpu_cycles(all.gpu)); /* that many were simulated */
  rig_close(&all);
  rig_close(&some);
}

/* Samples that execute 100 instructions too many on average, and vary by so many: how many of them may be so by chance. */
static void test_what_is_more_than_chance(void **state) {
  (void)state;
  static const struct {
    double varies;
    size_t chance;
  } cases[] = {{10, 2}, {100, 6}, {1e6, 100}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    struct gpu_excess e = {0};
    for (size_t n = 1; n <= 100; n++) {
      gpu_excess_add(&e, 100 + (n % 2 ? 1 : -1) * cases[c].varies);
      assert_int_equal(gpu_excess_is_chance(&e), n <= cases[c].chance);
    }
  }
}

static void test_the_same_every_time(void **state) {
  (void)state;
  struct rig a, b;
  run(&a, 0.05, stream);
  rig_open(&b, TWELVE_SMS, NULL);
  gpu_shuffle_visits(b.gpu, 5);
  gpu_set_wave_error(b.gpu, 0.05);
  rig_run(&b, stream, CTAS, THREADS, 0);
  assert_int_equal(last(&a)->cycles, last(&b)->cycles);
  assert_int_equal(last(&a)->skipped_ctas, last(&b)->skipped_ctas);
  rig_close(&a);
  rig_close(&b);
}

/* A kernel in which a thread may wait for another CTA is simulated whole, and so is a short one. */
static void test_kernels_left_alone(void **state) {
  (void)state;
  struct rig r;
  run(&r, 0.5, "ld.volatile.global.u32 %r3, [%rd1];");
  assert_int_equal(last(&r)->skipped_ctas, 0);
  rig_run(&r, stream, 12 * 8 * GPU_FEWEST_WAVES - 1, THREADS, 0);
  assert_int_equal(last(&r)->skipped_ctas, 0);
  rig_close(&r);
}

static void test_a_fault_in_a_skipped_cta(void **state) {
  (void)state;
  struct rig r;
  rig_open(&r, TWELVE_SMS, NULL);
  gpu_set_wave_error(r.gpu, 0.5);
  char lines[512];
  snprintf(lines, sizeof lines,
           "setp.eq.u32 %%p1, %%r2, %d; @%%p1 mov.u64 %%rd1, 8; @%%p1 st.global.u32 [%%rd1], %%r1;\n%s", CTAS / 2, stream);
  rig_load(&r, lines, CTAS, THREADS, 0);
  assert_int_equal(rig_go(&r), GPU_FAULT);
  assert_int_equal(r.grid.fault.kind, EXEC_FAULT_ILLEGAL_ADDRESS);
  rig_close(&r);
}

/* What a kernel touches without timing hits in L2 afterwards, and what it does not touch misses. */
static void test_l2_is_warm(void **state) {
  (void)state;
  static const char load[] = "mul.wide.u32 %rd3, %r1, 4; add.u64 %rd4, %rd1, %rd3; add.u64 %rd4, %rd4, %rd2; ld.global.u32 %r3, [%rd4];";
  for (int warm = 0; warm < 2; warm++) {
    struct rig r;
    rig_open(&r, ONE_SM, "l2.fill_on_copy = false");
    rig_load(&r, load, 1, 128, 0);
    struct err e = {0};
    if (warm) r.device.observer = gpu_warm_observer(r.gpu);
    assert_true(exec_run_grid(&r.grid, &e));
    r.device.observer = NULL;
    rig_run(&r, load, 1, 128, 0);
    assert_int_equal(stats_get(gpu_stats(r.gpu), "l2.hits"), warm ? 4 : 0);
    rig_run(&r, load, 1, 128, 4096);
    assert_int_equal(stats_get(gpu_stats(r.gpu), "l2.hits"), warm ? 5 : 1); /* and an instruction that is still there */
    rig_close(&r);
  }
}

/* Neighbours, lanes 64 bytes apart, all lanes on one word, half of the lanes, 16 bytes a lane: counted as when they are simulated. */
static void test_segments_are_those_of_a_simulated_kernel(void **state) {
  (void)state;
  static const char access[] = "mul.wide.u32 %rd3, %r1, 4; add.u64 %rd4, %rd1, %rd3; ld.global.u32 %r3, [%rd4];\n"
                               "mul.wide.u32 %rd3, %r1, 64; add.u64 %rd4, %rd1, %rd3; ld.global.u32 %r4, [%rd4];\n"
                               "red.global.add.u32 [%rd1], %r3; and.b32 %r5, %r1, 1; setp.eq.u32 %p1, %r5, 0;\n"
                               "@%p1 st.global.u32 [%rd4+4], %r4; mul.wide.u32 %rd3, %r1, 16; add.u64 %rd4, %rd1, %rd3;\n"
                               "ld.global.v4.u32 {%r3, %r4, %r5, %r6}, [%rd4];";
  struct rig r;
  struct err e = {0};
  struct gpu_segments untimed;
  rig_open(&r, TWELVE_SMS, NULL);
  rig_load(&r, access, 5, 96, 0);
  assert_true(gpu_segments_can_count(&r.grid));
  gpu_segments_count(&untimed, r.gpu, &r.grid);
  assert_true(exec_run_grid(&r.grid, &e));
  assert_int_equal(untimed.n, 5 * 3 * (1 + 16 + 1 + 16 + 4));
  rig_run(&r, access, 5, 96, 0);
  assert_int_equal(stats_get(gpu_stats(r.gpu), "sm.segments"), untimed.n);
  rig_load(&r, ".local .align 4 .b8 stack[16]; st.local.u32 [stack], %r1;", 1, 32, 0);
  assert_false(gpu_segments_can_count(&r.grid));
  rig_close(&r);
}

/* An L1D that is kept from kernel to kernel has what kernels without timing loaded last, and has lost what they stored to; one that is
 * emptied has nothing. */
static void test_l1_is_warm(void **state) {
  (void)state;
  static const char load[] = "mul.wide.u32 %rd3, %r1, 4; add.u64 %rd4, %rd1, %rd3; ld.global.u32 %r3, [%rd4];";
  static const char store[] = "mul.wide.u32 %rd3, %r1, 4; add.u64 %rd4, %rd1, %rd3; st.global.u32 [%rd4], %r1;";
  static const char *const kernels[] = {load, store};
  for (int turn = 0; turn < 3; turn++) {
    struct rig r;
    struct err e = {0};
    bool stores = turn == 1, kept = turn < 2;
    rig_open(&r, ONE_SM, kept ? "sm.keep_caches = \"all\"" : "sm.keep_caches = \"none\"");
    for (int i = 0; i <= stores; i++) {
      rig_load(&r, kernels[i], 1, 128, 0);
      r.device.observer = gpu_warm_observer(r.gpu);
      assert_true(exec_run_grid(&r.grid, &e));
      r.device.observer = NULL;
    }
    rig_run(&r, load, 1, 128, 0);
    assert_int_equal(stats_get(gpu_stats(r.gpu), "l1d.hits"), kept && !stores ? 4 : 0);
    assert_int_equal(stats_get(gpu_stats(r.gpu), "l1d.accesses"), 4);
    rig_close(&r);
  }
}

/* Where CTAs go to SMs in turn over kernels, those of kernels without timing do too: the next CTA comes to the SM whose L1D has the line
 * if twelve SMs have had one since. */
static void test_ctas_without_timing_take_their_turn(void **state) {
  (void)state;
  static const char load[] = "mul.wide.u32 %rd3, %r1, 4; add.u64 %rd4, %rd1, %rd3; ld.global.u32 %r3, [%rd4];";
  for (uint32_t others = 10; others < 13; others++) {
    struct rig r;
    struct err e = {0};
    rig_open(&r, TWELVE_SMS, "sm.keep_caches = \"all\"\ngpu.cta_turns = true");
    rig_load(&r, load, 1, 32, 0);
    r.device.observer = gpu_warm_observer(r.gpu);
    assert_true(exec_run_grid(&r.grid, &e));
    r.device.observer = NULL;
    gpu_warm_ended(r.gpu, &r.grid);
    rig_load(&r, "mov.u32 %r3, 1;", others, 32, 0);
    gpu_warm_ended(r.gpu, &r.grid);
    rig_run(&r, load, 1, 32, 0);
    assert_int_equal(stats_get(gpu_stats(r.gpu), "l1d.hits"), others == 11);
    rig_close(&r);
  }
}

/* Stores without timing leave dirty lines in L2: of a line that is there already, and of a new one where a write does not fetch it. */
static void test_stores_leave_dirty_lines(void **state) {
  (void)state;
  static const char load[] = "mul.wide.u32 %rd3, %r1, 4; add.u64 %rd4, %rd1, %rd3; ld.global.u32 %r3, [%rd4];";
  static const char store[] = "mul.wide.u32 %rd3, %r1, 4; add.u64 %rd4, %rd1, %rd3; st.global.u32 [%rd4], %r1;";
  for (int fetches = 0; fetches < 2; fetches++)
    for (int there = 0; there < 2; there++) {
      struct rig r;
      struct err e = {0};
      rig_open(&r, ONE_SM, fetches ? "l2.fill_on_copy = false\nl2.write_miss = \"fetch\"" : "l2.fill_on_copy = false");
      const char *const kernels[] = {load, store};
      for (int i = !there; i < 2; i++) {
        rig_load(&r, kernels[i], 1, 128, 0);
        r.device.observer = gpu_warm_observer(r.gpu);
        assert_true(exec_run_grid(&r.grid, &e));
        r.device.observer = NULL;
      }
      assert_int_equal(gpu_dirty_lines(r.gpu), fetches && !there ? 0 : 4);
      rig_run(&r, load, 1, 128, 0);
      assert_int_equal(stats_get(gpu_stats(r.gpu), "l2.hits"), 4);
      rig_close(&r);
    }
}

/* Caches that were lost are known again as far as kernels were followed since: four lines of L2, and four of an L1D if that is kept. */
static void test_lost_caches_become_known(void **state) {
  (void)state;
  static const char load[] = "mul.wide.u32 %rd3, %r1, 4; add.u64 %rd4, %rd1, %rd3; add.u64 %rd4, %rd4, %rd2; ld.global.u32 %r3, [%rd4];";
  for (int kept = 0; kept < 2; kept++) {
    struct rig r;
    struct err e = {0};
    rig_open(&r, ONE_SM, kept ? "sm.keep_caches = \"all\"" : "sm.keep_caches = \"none\"");
    struct gpu_followed f[4];
    uint64_t lines = 0;
    for (int i = 0; i < 4; i++) {
      rig_load(&r, load, 1, 128, i ? 4096 : 0);
      if (i == 1) gpu_warm_lose(r.gpu);
      if (i == 1) lines = gpu_warm_followed(r.gpu).left;
      r.device.observer = gpu_warm_observer(r.gpu);
      assert_true(exec_run_grid(&r.grid, &e));
      r.device.observer = NULL;
      f[i] = gpu_warm_followed(r.gpu);
    }
    assert_int_equal(f[0].lookups, 4);
    assert_int_equal(f[0].unknown, 0);
    assert_int_equal(f[1].unknown, 4);
    assert_int_equal(f[1].left + (kept ? 8 : 4), lines);
    assert_int_equal(f[2].lookups, kept ? 0 : 4);
    assert_int_equal(f[2].unknown, 0);
    assert_int_equal(f[2].left, f[1].left);
    assert_true(f[1].left > 100);
    rig_run(&r, load, 1, 128, 4096); /* in time it finds what was followed */
    assert_int_equal(stats_get(gpu_stats(r.gpu), kept ? "l1d.hits" : "l2.hits"), 4);
    rig_close(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_values_are_exact_and_cycles_near), cmocka_unit_test(test_the_same_every_time),
      cmocka_unit_test(test_what_is_more_than_chance),
      cmocka_unit_test(test_kernels_left_alone),               cmocka_unit_test(test_a_fault_in_a_skipped_cta),
      cmocka_unit_test(test_segments_are_those_of_a_simulated_kernel),
      cmocka_unit_test(test_l2_is_warm),                       cmocka_unit_test(test_l1_is_warm),
      cmocka_unit_test(test_ctas_without_timing_take_their_turn),
      cmocka_unit_test(test_stores_leave_dirty_lines),         cmocka_unit_test(test_lost_caches_become_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
