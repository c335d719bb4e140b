/* Runs of whole GPUs: determinism, intervals, profile, limits, watchdog, CTA schedulers, refusals. */
#include "gpu_rig.h"

#include "gpu/cta_sched.h"

/* ---- determinism -------------------------------------------------------------------------------------------------- */

/* Scattered loads and stores, atomics on shared places, barriers, divergence, shared memory. */
static const char mixed[] =
    ".shared .align 4 .b8 buf[1024];\n"
    "mad.lo.u32 %r3, %r2, 128, %r1; mov.u64 %rd3, 0; mov.u32 %r9, 0; mov.u32 %r20, buf; mad.lo.u32 %r20, "
    "%r1, 4, %r20;"
    "L: mul.lo.u32 %r4, %r3, 7919; and.b32 %r4, %r4, 0x3fffc; cvt.u64.u32 %rd4, %r4; add.u64 %rd5, %rd1, "
    "%rd4;"
    "ld.global.u32 %r5, [%rd5]; add.u32 %r3, %r3, 4099; and.b32 %r6, %r3, 3; setp.eq.u32 %p2, %r6, 0;"
    "@%p2 bra A; atom.global.add.u32 %r7, [%rd1], 1; add.u32 %r9, %r9, %r7; A: st.shared.u32 [%r20], %r9; "
    "bar.sync 0;"
    "st.global.u32 [%rd5+262144], %r9; add.u64 %rd3, %rd3, 1; setp.lt.u64 %p1, %rd3, %rd2; @%p1 bra L;";

static uint64_t *run_mixed(const char *more, uint64_t shuffle, size_t *n, uint64_t *sum) {
  struct rig r;
  rig_open(&r, TWELVE_SMS, more);
  if (shuffle) gpu_shuffle_visits(r.gpu, shuffle);
  rig_run(&r, mixed, 40, 128, 4);
  rig_run(&r, mixed, 20, 96, 3);
  *n = stats_count(gpu_stats(r.gpu));
  uint64_t *all = calloc(*n + 1, sizeof *all);
  stats_snapshot(gpu_stats(r.gpu), all);
  all[*n] = gpu_cycles(r.gpu);
  *sum = 0;
  for (size_t i = 0; i < DATA_BYTES / 8; i++)
    *sum = *sum * 31 + rig_data(&r)[i]; /* values too, also those of races */
  rig_close(&r);
  return all;
}

static void same_as(const uint64_t *want, size_t n, uint64_t want_sum, const char *more, uint64_t shuffle) {
  size_t m;
  uint64_t sum, *got = run_mixed(more, shuffle, &m, &sum);
  assert_int_equal(m, n);
  for (size_t i = 0; i <= n; i++)
    if (got[i] != want[i])
      fail_msg("'%s', shuffle %llu: statistic %zu is %llu instead of %llu", more ? more : "",
               (unsigned long long)shuffle, i, (unsigned long long)got[i], (unsigned long long)want[i]);
  assert_int_equal(sum, want_sum);
  free(got);
}

static void test_the_same_every_time_on_any_number_of_threads_in_any_order(void **state) {
  (void)state;
  size_t n;
  uint64_t sum, *want = run_mixed(NULL, 0, &n, &sum);
  assert_true(want[n] > 1000);
  same_as(want, n, sum, NULL, 0);
  same_as(want, n, sum, "gpu.threads = 4\n", 0);
  same_as(want, n, sum, "gpu.threads = 2\ngpu.all_threads = true\n", 0);
  same_as(want, n, sum, "gpu.threads = 4\ngpu.all_threads = true\n", 0);
  same_as(want, n, sum, "gpu.threads = 24\ngpu.all_threads = true\n", 0);
  for (uint64_t seed = 1; seed <= 4; seed++) same_as(want, n, sum, NULL, seed);
  free(want);
}

/* ---- what is recorded --------------------------------------------------------------------------------------------- */

static void test_intervals_add_up_to_kernels(void **state) {
  (void)state;
  struct rig r;
  rig_open(&r, TWELVE_SMS, NULL);
  gpu_set_watch(r.gpu, &(struct gpu_watch){.interval = 500});
  rig_run(&r, mixed, 40, 128, 4);
  rig_run(&r, mixed, 20, 96, 3);
  size_t stats = stats_count(gpu_stats(r.gpu)), row = 0;
  assert_true(gpu_intervals(r.gpu) > 4);
  for (size_t k = 0; k < 2; k++) {
    const struct gpu_kernel *kernel = gpu_kernel_at(r.gpu, k);
    uint64_t *sum = calloc(stats, sizeof *sum), cycles = 0;
    for (; row < gpu_intervals(r.gpu) && gpu_interval_at(r.gpu, row)->kernel == k; row++) {
      const struct gpu_interval *v = gpu_interval_at(r.gpu, row);
      assert_int_equal(v->first_cycle, cycles);
      cycles += v->cycles;
      if (cycles < kernel->cycles) assert_int_equal(v->cycles, 500);
      for (size_t i = 0; i < stats; i++) sum[i] += v->counters[i];
    }
    assert_int_equal(cycles, kernel->cycles);
    for (size_t i = 0; i < stats; i++)
      if (sum[i] != kernel->counters[i]) fail_msg("%s does not add up", stats_def(gpu_stats(r.gpu), i)->name);
    free(sum);
  }
  assert_int_equal(row, gpu_intervals(r.gpu));
  rig_close(&r);
}

static void test_watching_changes_nothing(void **state) {
  (void)state;
  size_t n;
  uint64_t sum, *want = run_mixed(NULL, 0, &n, &sum);
  struct rig r;
  rig_open(&r, TWELVE_SMS, NULL);
  gpu_set_watch(r.gpu, &(struct gpu_watch){.interval = 37, .profile = true});
  rig_run(&r, mixed, 40, 128, 4);
  rig_run(&r, mixed, 20, 96, 3);
  for (size_t i = 0; i < n; i++)
    if (stats_total(gpu_stats(r.gpu), i) != want[i])
      fail_msg("%s has changed", stats_def(gpu_stats(r.gpu), i)->name);
  assert_int_equal(gpu_cycles(r.gpu), want[n]);
  free(want);
  rig_close(&r);
}

/* A slice's packets in its input buffer, summed over time, are those of the whole run. */
static void test_intervals_show_how_full_input_buffers_were(void **state) {
  (void)state;
  struct rig r;
  rig_open(&r, TWELVE_SMS, "gpu.l2_clock = 1400\n");
  gpu_set_watch(r.gpu, &(struct gpu_watch){.interval = 200});
  rig_run(&r, mixed, 40, 128, 4);
  double sum = 0, most = 0, least = 1;
  size_t n = gpu_intervals(r.gpu);
  for (size_t i = 0; i + 1 < n; i++)
    for (uint32_t k = 0; k < gpu_slices(r.gpu); k++) {
      double u = gpu_interval_at(r.gpu, i)->input_utilisation[k];
      assert_true(u >= 0 && u <= 1);
      most = u > most ? u : most;
      least = u < least ? u : least;
      sum += u * 200 * 8; /* l2.input_queue */
    }
  assert_int_equal(gpu_slices(r.gpu), 4);
  assert_true(most > least);
  double all = (double)rig_stat(&r, "l2.input_occupancy_sum");
  assert_true(sum <= all && sum > 0.9 * all); /* the last interval has another length */
  rig_close(&r);
}

static void test_profile_lines_add_up_and_name_their_place(void **state) {
  (void)state;
  struct rig r;
  rig_open(&r, ONE_SM, NULL);
  gpu_set_watch(r.gpu, &(struct gpu_watch){.profile = true});
  rig_run(
      &r,
      ".loc 1 10 0\nadd.u32 %r3, %r1, 1;\n.loc 1 20 0\nld.global.u32 %r4, [%rd1];\nadd.u32 %r5, %r4, %r3;\n",
      3, 64, 0);
  uint64_t executions = 0, memory = 0;
  const struct gpu_line *line20 = NULL;
  for (size_t i = 0; i < gpu_lines(r.gpu); i++) {
    const struct gpu_line *l = gpu_line_at(r.gpu, i);
    executions += l->executions;
    memory += l->stalls[6];
    if (!strcmp(l->file, "kernel.cu") && l->line == 20) line20 = l;
  }
  assert_string_equal(gpu_stall_name(6), "memory");
  assert_int_equal(executions, rig_stat(&r, "sm.warp_instructions"));
  assert_int_equal(memory, rig_stat(&r, "sm.stall_memory"));
  assert_non_null(line20);
  assert_int_equal(line20->accesses, 6); /* six warps */
  assert_int_equal(line20->transactions, 6);
  assert_int_equal(line20->lanes, line20->executions * 32);
  assert_int_equal(line20->loads, 6);
  rig_close(&r);
}

static void test_slots_and_instructions_are_conserved(void **state) {
  (void)state;
  struct rig r;
  rig_open(&r, TWELVE_SMS, NULL);
  rig_run(&r, mixed, 40, 128, 4);
  static const char *const stalls[] = {"idle", "held", "barrier", "fence", "fetch", "memory", "alu", "pipe", "lsu"};
  uint64_t slots = rig_stat(&r, "sm.issue_slots_used");
  assert_int_equal(slots, rig_stat(&r, "sm.warp_instructions"));
  assert_int_equal(slots, gpu_kernel_at(r.gpu, 0)->warp_instructions);
  for (unsigned i = 0; i < sizeof stalls / sizeof *stalls; i++) {
    char name[32];
    snprintf(name, sizeof name, "sm.stall_%s", stalls[i]);
    slots += rig_stat(&r, name);
  }
  assert_int_equal(slots, rig_stat(&r, "sm.active_cycles") * (uint64_t)cfg_int(r.cfg, "sm.schedulers"));
  assert_int_equal(rig_stat(&r, "noc.request_flits_in"), rig_stat(&r, "noc.request_flits"));
  assert_int_equal(rig_stat(&r, "inst.accesses"), rig_stat(&r, "inst.hits") + rig_stat(&r, "inst.misses"));
  rig_close(&r);
}

/* ---- ends --------------------------------------------------------------------------------------------------------- */

#define ENDLESS                                                                                              \
  "mov.u32 %r3, 0; L: add.u32 %r3, %r3, 1; mul.lo.u32 %r4, %r3, 3; setp.ne.u32 %p1, %r4, 1; bra L;"

static void test_the_limit_of_cycles_is_exact(void **state) {
  (void)state;
  struct rig r;
  rig_open(&r, ONE_SM, NULL);
  gpu_set_limits(r.gpu, &(struct gpu_limits){.max_cycles = 12345});
  rig_run(&r, "mov.u32 %r3, 1;", 1, 32, 0); /* a first kernel uses some of it */
  uint64_t first = rig_cycles(&r);
  rig_load(&r, ENDLESS, 1, 32, 0);
  assert_int_equal(rig_go(&r), GPU_STOPPED);
  assert_non_null(strstr(r.err.text, "limit of cycles"));
  assert_int_equal(rig_cycles(&r), 12345 - first);
  assert_int_equal(gpu_cycles(r.gpu), 12345);
  assert_string_equal(gpu_stopped(r.gpu), r.err.text);
  assert_true(gpu_kernel_at(r.gpu, 1)->warp_instructions > 1000); /* though its CTA has not ended */
  rig_close(&r);
}

static void test_the_limit_of_instructions_is_kept_closely(void **state) {
  (void)state;
  struct rig r;
  rig_open(&r, ONE_SM, NULL);
  gpu_set_limits(r.gpu, &(struct gpu_limits){.max_instructions = 5000});
  rig_load(&r, ENDLESS, 4, 64, 0);
  assert_int_equal(rig_go(&r), GPU_STOPPED);
  assert_in_range(rig_stat(&r, "sm.warp_instructions"), 5000, 5000 + 2 * 64);
  rig_close(&r);
}

static void test_a_run_stops_at_its_thread_instructions(void **state) {
  (void)state;
  struct rig r;
  rig_open(&r, ONE_SM, "gpu.max_thread_instructions = 50000\n");
  rig_load(&r, ENDLESS, 4, 64, 0);
  assert_int_equal(rig_go(&r), GPU_STOPPED);
  assert_non_null(strstr(r.err.text, "stopped by gpu.max_thread_instructions"));
  assert_string_equal(gpu_stopped(r.gpu), r.err.text);
  assert_in_range(rig_stat(&r, "sm.thread_instructions"), 50000, 50000 + 2 * 32 * 64);
  rig_close(&r);
}

static void test_thread_instructions_of_short_kernels_add_up_to_the_stop(void **state) {
  (void)state;
  struct rig r;
  unsigned kernels = 0;
  rig_open(&r, ONE_SM, "gpu.max_thread_instructions = 1000\n");
  do rig_load(&r, "mov.u32 %r3, 1;", 1, 32, 0);
  while (rig_go(&r) == GPU_DONE && ++kernels < 1000);
  assert_non_null(strstr(r.err.text, "stopped by gpu.max_thread_instructions"));
  assert_true(kernels > 1);
  assert_in_range(rig_stat(&r, "sm.thread_instructions"), 1000, 1000 + 2 * 32 * 64);
  rig_close(&r);
}

static void test_a_signal_ends_the_run(void **state) {
  (void)state;
  struct rig r;
  volatile sig_atomic_t stop = 1;
  rig_open(&r, ONE_SM, NULL);
  gpu_set_limits(r.gpu, &(struct gpu_limits){.stop = &stop});
  rig_load(&r, ENDLESS, 1, 32, 0);
  assert_int_equal(rig_go(&r), GPU_STOPPED);
  assert_non_null(strstr(r.err.text, "a signal"));
  rig_close(&r);
}

static void test_stable_ipc_ends_the_run_and_says_since_when(void **state) {
  (void)state;
  struct rig r;
  rig_open(&r, ONE_SM, NULL);
  gpu_set_watch(r.gpu, &(struct gpu_watch){.interval = 1000, .stable_percent = 2});
  rig_load(&r, ENDLESS, 4, 64, 0);
  assert_int_equal(rig_go(&r), GPU_STOPPED);
  assert_non_null(strstr(r.err.text, "IPC is stable"));
  assert_non_null(strstr(r.err.text, "last 5 intervals of 1000 cycles"));
  assert_in_range(rig_cycles(&r), 5000, 8000);
  rig_close(&r);
}

static void deadlocks(const char *lines, unsigned threads, const char *const *says) {
  struct rig r;
  rig_open(&r, ONE_SM, "gpu.watchdog = 2000\n");
  rig_load(&r, lines, 2, threads, 0);
  assert_int_equal(rig_go(&r), GPU_DEADLOCK);
  for (; *says; says++)
    if (!strstr(r.err.text, *says)) fail_msg("'%s' is missing in: %s", *says, r.err.text);
  rig_close(&r);
}

static void test_spinning_for_ever_is_a_deadlock_that_names_the_warps(void **state) {
  (void)state;
  static const char *const says[] = {"nothing but waiting",
                                     "SM 0: 2 warps",
                                     "warp 0 of CTA (0,0,0) of kernel 'k'",
                                     "warp 0 of CTA (1,0,0) of kernel 'k'",
                                     "test.ptx:9 (",
                                     "whether a value has changed",
                                     NULL};
  deadlocks("L: ld.volatile.global.u32 %r3, [%rd1]; setp.eq.u32 %p1, %r3, 0; @%p1 bra L;", 32, says);
  deadlocks("L: atom.global.cas.b32 %r3, [%rd1], 1, 2; setp.eq.u32 %p1, %r3, 0; @%p1 bra L;", 1, says);
}

static void test_a_barrier_that_never_completes_is_a_deadlock(void **state) {
  (void)state;
  static const char *const says[] = {"SM 0: 4 warps",
                                     "warp 0 of CTA (0,0,0) of kernel 'k': lanes 0xffffffff wait for a barrier (number 2) at test.ptx:9 (",
                                     "warp 1 of CTA (0,0,0) of kernel 'k': lanes 0xffffffff wait for a barrier (number 1) at test.ptx:9 (",
                                     "32 threads have come of 64", NULL};
  deadlocks("setp.lt.u32 %p1, %r1, 32; @%p1 bra A; bar.sync 1; bra B; A: bar.sync 2; B: mov.u32 %r3, 1;", 64,
            says);
}

static void test_a_large_deadlock_is_explained_in_few_words(void **state) {
  (void)state;
  struct rig r;
  rig_open(&r, TWELVE_SMS, "gpu.watchdog = 2000\n");
  rig_load(&r, "L: ld.volatile.global.u32 %r3, [%rd1]; setp.eq.u32 %p1, %r3, 0; @%p1 bra L;", 24, 256, 0);
  assert_int_equal(rig_go(&r), GPU_DEADLOCK);
  assert_non_null(strstr(r.err.text, "SM 2: 16 warps"));
  assert_non_null(strstr(r.err.text, "more warps wait for"));
  assert_non_null(strstr(r.err.text, "9 more SMs hold warps that wait"));
  rig_close(&r);
}

static void test_long_arithmetic_and_a_waiting_reader_are_no_deadlock(void **state) {
  (void)state;
  struct rig r;
  rig_open(&r, ONE_SM, "gpu.watchdog = 2000\n");
  /* Warp 0 computes for 20000 cycles and more, then raises the flag that warp 1 spins on. */
  rig_run(&r,
          "setp.ge.u32 %p1, %r1, 32; @%p1 bra S; mov.u32 %r3, 0; L: add.u32 %r3, %r3, 1; setp.lt.u32 %p2, "
          "%r3, 2000; @%p2 bra L;"
          "st.volatile.global.u32 [%rd1], 1; bra E; S: ld.volatile.global.u32 %r4, [%rd1]; setp.eq.u32 %p3, "
          "%r4, 0; @%p3 bra S; E: mov.u32 %r5, 1;",
          1, 64, 0);
  assert_true(rig_cycles(&r) > 10000);
  rig_close(&r);
}

static void test_a_lock_that_is_passed_on_is_no_deadlock(void **state) {
  (void)state;
  struct rig r;
  rig_open(&r, TWELVE_SMS, "gpu.watchdog = 2000\n");
  rig_run(&r,
          "mov.u64 %rd3, 0; L: atom.global.cas.b32 %r3, [%rd1], 0, 1; setp.ne.u32 %p1, %r3, 0; @%p1 bra L; "
          "ld.volatile.global.u32 %r4, [%rd1+128];"
          "add.u32 %r4, %r4, 1; st.volatile.global.u32 [%rd1+128], %r4; membar.gl; atom.global.exch.b32 %r5, "
          "[%rd1], 0;"
          "add.u64 %rd3, %rd3, 1; setp.lt.u64 %p2, %rd3, %rd2; @%p2 bra L;",
          24, 1, 5);
  assert_int_equal(((uint32_t *)rig_data(&r))[32], 24 * 5);
  rig_close(&r);
}

static void test_a_fault_ends_the_run_with_its_text(void **state) {
  (void)state;
  struct rig r;
  rig_open(&r, ONE_SM, NULL);
  rig_load(&r, "mov.u64 %rd3, 16; ld.global.u32 %r3, [%rd3];", 1, 32, 0);
  assert_int_equal(rig_go(&r), GPU_FAULT);
  assert_non_null(strstr(r.err.text, "kernel 'k'"));
  rig_close(&r);
}

static void test_what_does_not_fit_is_refused_with_the_reason(void **state) {
  (void)state;
  struct rig r;
  rig_open(&r, ONE_SM, "sm.shared = \"16K\"\nsm.registers = 2048\n");
  rig_load(&r, ".shared .b8 big[20000]; mov.u32 %r3, big;", 1, 32, 0);
  assert_int_equal(rig_go(&r), GPU_REFUSED);
  assert_non_null(strstr(r.err.text, "needs 20000 bytes of shared memory"));
  rig_load(&r, "mov.u32 %r3, 1;", 1, 1024, 0);
  assert_int_equal(rig_go(&r), GPU_REFUSED);
  assert_non_null(strstr(r.err.text, "registers a CTA"));
  rig_load(&r, "mov.u32 %r3, 1;", 64, 32, 0);
  r.grid.cooperative = true;
  assert_int_equal(rig_go(&r), GPU_REFUSED);
  assert_non_null(strstr(r.err.text, "resident as a whole"));
  assert_int_equal(gpu_kernels(r.gpu), 0);
  rig_run(&r, "mov.u32 %r3, 1;", 1, 32, 0); /* and goes on with the next */
  rig_close(&r);
}

/* ---- CTAs --------------------------------------------------------------------------------------------------------- */

/* data[cta] = SM, after a while, so that all CTAs that fit are there at once. */
static void place(const char *more, unsigned ctas, uint32_t *sm_of) {
  struct rig r;
  struct str config = {0};
  str_add(&config, "gpu.sms = 4\ngpu.clusters = 2\n%s", more);
  rig_open(&r, TWELVE_SMS, config.s);
  rig_run(&r,
          "mov.u32 %r3, %smid; mul.wide.u32 %rd3, %r2, 4; add.u64 %rd3, %rd1, %rd3; mov.u32 %r4, 0;"
          "L: add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 100; @%p1 bra L; st.global.u32 [%rd3], %r3;",
          ctas, 32, 0);
  memcpy(sm_of, rig_data(&r), ctas * sizeof *sm_of);
  assert_int_equal(rig_stat(&r, "sm.ctas"), ctas);
  str_free(&config);
  rig_close(&r);
}

static void test_cta_schedulers_place_as_they_promise(void **state) {
  (void)state;
  static const struct {
    const char *more;
    uint32_t sm[8];
  } cases[] = {
      {"gpu.cta_scheduler = \"round-robin\"\n", {0, 1, 2, 3, 0, 1, 2, 3}},
      {"gpu.cta_scheduler = \"two-level\"\n",
       {0, 2, 1, 3, 0, 2, 1, 3}}, /* SMs 0 1 are cluster 0, 2 3 cluster 1 */
      {"gpu.cta_scheduler = \"block\"\n", {0, 0, 1, 1, 2, 2, 3, 3}},
      {"gpu.cta_rate = 1\n", {0, 1, 2, 3, 0, 1, 2, 3}},
      {"gpu.cta_rate = 3\n", {0, 1, 2, 3, 0, 1, 2, 3}},
      {"gpu.cta_scheduler = \"distributed\"\n", {0, 1, 0, 1, 2, 3, 2, 3}}, /* 0 to 3 for cluster 0 */
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    uint32_t sm[8];
    place(cases[i].more, 8, sm);
    for (unsigned k = 0; k < 8; k++)
      if (sm[k] != cases[i].sm[k])
        fail_msg("%s: CTA %u on SM %u instead of %u", cases[i].more, k, sm[k], cases[i].sm[k]);
  }
}

/* Two kernels of three CTAs on four SMs: the second begins where the first ended, or at the first SM. */
static void test_the_next_kernel_may_begin_at_the_next_sm(void **state) {
  (void)state;
  for (unsigned turns = 0; turns < 2; turns++) {
    struct rig r;
    rig_open(&r, TWELVE_SMS, turns ? "gpu.sms = 4\ngpu.clusters = 2\ngpu.cta_turns = true\n" : "gpu.sms = 4\ngpu.clusters = 2\n");
    for (unsigned kernel = 0; kernel < 2; kernel++) {
      rig_run(&r, "mov.u32 %r3, %smid; mul.wide.u32 %rd3, %r2, 4; add.u64 %rd3, %rd1, %rd3; st.global.u32 [%rd3], %r3;", 3, 32, 0);
      const uint32_t *sm = (const uint32_t *)rig_data(&r);
      for (unsigned k = 0; k < 3; k++) assert_int_equal(sm[k], (k + (turns ? 3 * kernel : 0)) % 4);
    }
    rig_close(&r);
  }
}

static void test_every_scheduler_dispatches_every_cta(void **state) {
  (void)state;
  for (size_t i = 0; gpu_cta_scheds[i]; i++)
    for (unsigned ctas = 1; ctas < 40; ctas += 6) {
      char more[96];
      uint32_t sm[64];
      snprintf(more, sizeof more, "gpu.cta_scheduler = \"%s\"\nsm.ctas = 2\n", gpu_cta_scheds[i]->name);
      place(more, ctas, sm);
    }
}

static uint64_t cycles_of_empty(const char *gpu, const char *more, unsigned ctas) {
  struct rig r;
  rig_open(&r, gpu, more);
  rig_run(&r, "mov.u32 %r3, 1;", ctas, 32, 0);
  uint64_t cycles = rig_cycles(&r);
  rig_close(&r);
  return cycles;
}

/* SMs would take twelve CTAs a cycle; the first instructions and parameters come from DRAM in some hundred cycles. */
static void test_ctas_are_dispatched_at_their_rate(void **state) {
  (void)state;
  assert_in_range(cycles_of_empty(TWELVE_SMS, NULL, 6000), 500, 5000);
  assert_in_range(cycles_of_empty(TWELVE_SMS, "gpu.cta_rate = 1\n", 6000), 6000, 7500);
  assert_in_range(cycles_of_empty(TWELVE_SMS, "gpu.cta_rate = 1\n", 9000), 9000, 10500);
  assert_in_range(cycles_of_empty(TWELVE_SMS, "gpu.cta_rate = 0.4\n", 2000), 5000, 6500);
}

/* Ends of CTAs are dealt with one after the other, also those of the last wave. CTAs begin at once where there is a place. */
static void test_ends_of_ctas_are_dealt_with_at_their_rate(void **state) {
  (void)state;
  assert_in_range(cycles_of_empty(TWELVE_SMS, "gpu.cta_end_rate = 1\n", 6000), 6000, 7500);
  assert_in_range(cycles_of_empty(TWELVE_SMS, "gpu.cta_end_rate = 0.4\n", 2000), 5000, 6500);
  uint64_t one = cycles_of_empty(TWELVE_SMS, NULL, 1), wave = cycles_of_empty(TWELVE_SMS, "gpu.cta_end_rate = 0.01\n", 12);
  assert_in_range(wave, one + 1100, one + 1300);
}

/* CTAs of one warp and of eight: an SM gets the next 300 cycles and one for each warp later, or 50 for each warp. The first waits for its
 * code. */
static void test_an_sm_gets_ctas_one_after_the_other(void **state) {
  (void)state;
  static const struct {
    const char *more;
    unsigned threads, least;
  } cases[] = {{"sm.cta_interval = 300\n", 32, 301}, {"sm.cta_interval = 300\n", 256, 308}, {"sm.warp_interval = 50\n", 256, 400}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct rig r;
    rig_open(&r, ONE_SM, cases[i].more);
    rig_run(&r, "mov.u32 %r3, %clock; mul.wide.u32 %rd3, %r2, 4; add.u64 %rd3, %rd1, %rd3; mov.u32 %r4, %tid.x; setp.eq.u32 %p1, %r4, 0;"
                "@%p1 st.global.u32 [%rd3], %r3;", 4, cases[i].threads, 0);
    const uint32_t *begun = (const uint32_t *)rig_data(&r);
    for (unsigned k = 2; k < 4; k++) assert_in_range(begun[k] - begun[k - 1], cases[i].least, cases[i].least + 2);
    rig_close(&r);
  }
}

static void test_a_launch_takes_its_latency_more(void **state) {
  (void)state;
  assert_int_equal(cycles_of_empty(ONE_SM, "gpu.launch_latency = 777\n", 1), cycles_of_empty(ONE_SM, NULL, 1) + 777);
}

/* With one place for CTAs they begin one after the other. */
static void test_a_cta_begins_its_latency_after_its_dispatch(void **state) {
  (void)state;
  for (unsigned ctas = 1; ctas < 4; ctas++)
    assert_int_equal(cycles_of_empty(ONE_SM, "sm.ctas = 1\nsm.cta_latency = 1100\n", ctas),
                     cycles_of_empty(ONE_SM, "sm.ctas = 1\nsm.cta_latency = 1000\n", ctas) + 100 * ctas);
}

static uint64_t cycles_of_store(const char *more, unsigned ctas) {
  struct rig r;
  rig_open(&r, ONE_SM, more);
  rig_run(&r, "mul.wide.u32 %rd3, %r2, 4; add.u64 %rd3, %rd1, %rd3; st.global.u32 [%rd3], 1;", ctas, 32, 0);
  for (unsigned i = 0; i < ctas; i++) assert_int_equal(((uint32_t *)rig_data(&r))[i], 1);
  uint64_t cycles = rig_cycles(&r);
  rig_close(&r);
  return cycles;
}

/* The answer of the last store comes within the time that the end of a kernel takes, unless that is shorter. */
static void test_a_kernel_ends_a_while_after_its_last_cta(void **state) {
  (void)state;
  assert_int_equal(cycles_of_empty(ONE_SM, "gpu.end_latency = 777\n", 1), cycles_of_empty(ONE_SM, NULL, 1) + 777);
  uint64_t at_once = cycles_of_store(NULL, 1), late = cycles_of_store("gpu.end_latency = 5000\n", 1);
  assert_true(late > at_once && late < at_once + 5000);
  assert_int_equal(cycles_of_store("gpu.end_latency = 5001\n", 1), late + 1);
  assert_int_equal(cycles_of_store("gpu.end_latency = 1\n", 1), at_once);
}

/* With one place for warps, five CTAs with a store each: the next begins before the store of the one before is answered, or after. */
static void test_a_slot_may_be_free_at_the_exit_of_its_warp(void **state) {
  (void)state;
  uint64_t waits = cycles_of_store("sm.warps = 1\nsm.threads = 32\n", 5);
  assert_in_range(cycles_of_store("sm.warps = 1\nsm.threads = 32\nsm.free_at_exit = true\n", 5), 1, waits - 4 * 20);
}

/* Parameters are there after their latency, for all CTAs of the SM. */
static void test_parameters_may_be_near(void **state) {
  (void)state;
  uint64_t near = cycles_of_store("sm.param_latency = 200\n", 1);
  assert_int_equal(cycles_of_store("sm.param_latency = 201\n", 1), near + 1);
  assert_int_equal(cycles_of_store("sm.ctas = 1\nsm.param_latency = 300\n", 3),
                   cycles_of_store("sm.ctas = 1\nsm.param_latency = 200\n", 3) + 100);
}

/* A CTA's place is free only when its last store is acknowledged, which is after it ended. */
static void test_a_cta_that_waits_for_the_stores_of_another_gets_its_turn(void **state) {
  (void)state;
  struct rig r;
  rig_open(&r, ONE_SM, "sm.warps = 1\nsm.threads = 32\n");
  rig_run(&r, "mul.wide.u32 %rd3, %r2, 4; add.u64 %rd3, %rd1, %rd3; st.global.u32 [%rd3], 1;", 5, 32, 0);
  for (unsigned i = 0; i < 5; i++) assert_int_equal(((uint32_t *)rig_data(&r))[i], 1);
  rig_close(&r);
}

static void test_kernels_one_after_the_other_start_with_an_empty_l1(void **state) {
  (void)state;
  struct rig r;
  rig_open(&r, ONE_SM, NULL);
  const char *lines = "ld.global.u32 %r3, [%rd1]; add.u32 %r4, %r3, 1;";
  rig_run(&r, lines, 1, 32, 0);
  rig_run(&r, lines, 1, 32, 0);
  assert_int_equal(rig_stat(&r, "l1d.misses"), 2);
  rig_close(&r);
}

/* What the warps of a slot had before does not show: neither fewer registers than the next one has, nor results that never came. */
static void test_kernels_of_few_and_many_registers_follow_each_other(void **state) {
  (void)state;
  const char *few = "add.u32 %r3, %r1, 1; mul.lo.u32 %r4, %r3, %r3;";
  const char *many = "add.u32 %r3, %r1, 1; mul.lo.u32 %r4, %r3, %r3; cvt.rn.f32.u32 %f1, %r4; mul.f32 %f2, %f1, %f1; "
                     "add.f32 %f3, %f2, %f1; cvt.u64.u32 %rd3, %r4; add.u64 %rd4, %rd3, %rd3; mul.lo.u64 %rd5, %rd4, %rd3; "
                     "setp.lt.u64 %p1, %rd5, %rd4; @%p1 add.f32 %f4, %f3, %f3; "
                     "add.u32 %r5, %r4, %r3; mul.lo.u32 %r6, %r5, %r5; fma.rn.f32 %f5, %f3, %f2, %f1;";
  const struct {
    const char *lines;
    unsigned threads;
  } runs[] = {{few, 32}, {many, 32}, {few, 256}, {many, 512}, {few, 32}, {many, 256}};
  struct rig r, fresh;
  rig_open(&r, ONE_SM, "gpu.cold_kernels = true\n");
  for (unsigned i = 0; i < sizeof runs / sizeof *runs; i++) {
    rig_open(&fresh, ONE_SM, "gpu.cold_kernels = true\n");
    rig_run(&r, runs[i].lines, 1, runs[i].threads, 0);
    rig_run(&fresh, runs[i].lines, 1, runs[i].threads, 0);
    assert_int_equal(rig_cycles(&r), rig_cycles(&fresh));
    rig_close(&fresh);
  }
  rig_close(&r);
}

/* The line is in L2 from the first kernel, unless kernels begin cold. */
static void test_cold_kernels_find_nothing_in_l2(void **state) {
  (void)state;
  for (unsigned cold = 0; cold < 2; cold++) {
    struct rig r;
    rig_open(&r, ONE_SM, cold ? "gpu.cold_kernels = true\n" : NULL);
    const char *lines = "ld.global.u32 %r3, [%rd1]; add.u32 %r4, %r3, 1;";
    rig_run(&r, lines, 1, 32, 0);
    uint64_t first = rig_stat(&r, "dram.reads");
    rig_run(&r, lines, 1, 32, 0);
    uint64_t second = rig_stat(&r, "dram.reads") - first;
    if (cold) assert_int_equal(second, first);
    else assert_true(second < first);
    rig_close(&r);
  }
}

/* Code that the first kernel has fetched is there for the second, unless kernels begin cold. */
static void test_cold_kernels_fetch_their_code_again(void **state) {
  (void)state;
  for (unsigned cold = 0; cold < 2; cold++) {
    struct rig r;
    rig_open(&r, ONE_SM, cold ? "gpu.cold_kernels = true\n" : NULL);
    rig_run(&r, "add.u32 %r4, %r1, 1;", 1, 32, 0);
    uint64_t first = rig_stat(&r, "inst.misses");
    assert_int_equal(rig_go(&r), GPU_DONE);
    assert_int_equal(rig_stat(&r, "inst.misses"), cold ? 2 * first : first);
    rig_close(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_kernels_of_few_and_many_registers_follow_each_other),
      cmocka_unit_test(test_cold_kernels_find_nothing_in_l2),
      cmocka_unit_test(test_cold_kernels_fetch_their_code_again),
      cmocka_unit_test(test_ctas_are_dispatched_at_their_rate),
      cmocka_unit_test(test_ends_of_ctas_are_dealt_with_at_their_rate),
      cmocka_unit_test(test_an_sm_gets_ctas_one_after_the_other),
      cmocka_unit_test(test_a_launch_takes_its_latency_more),
      cmocka_unit_test(test_a_cta_begins_its_latency_after_its_dispatch),
      cmocka_unit_test(test_a_kernel_ends_a_while_after_its_last_cta),
      cmocka_unit_test(test_a_slot_may_be_free_at_the_exit_of_its_warp),
      cmocka_unit_test(test_parameters_may_be_near),
      cmocka_unit_test(test_the_same_every_time_on_any_number_of_threads_in_any_order),
      cmocka_unit_test(test_intervals_add_up_to_kernels),
      cmocka_unit_test(test_watching_changes_nothing),
      cmocka_unit_test(test_intervals_show_how_full_input_buffers_were),
      cmocka_unit_test(test_profile_lines_add_up_and_name_their_place),
      cmocka_unit_test(test_slots_and_instructions_are_conserved),
      cmocka_unit_test(test_the_limit_of_cycles_is_exact),
      cmocka_unit_test(test_the_limit_of_instructions_is_kept_closely),
      cmocka_unit_test(test_a_run_stops_at_its_thread_instructions),
      cmocka_unit_test(test_thread_instructions_of_short_kernels_add_up_to_the_stop),
      cmocka_unit_test(test_a_signal_ends_the_run),
      cmocka_unit_test(test_stable_ipc_ends_the_run_and_says_since_when),
      cmocka_unit_test(test_spinning_for_ever_is_a_deadlock_that_names_the_warps),
      cmocka_unit_test(test_a_barrier_that_never_completes_is_a_deadlock),
      cmocka_unit_test(test_a_large_deadlock_is_explained_in_few_words),
      cmocka_unit_test(test_long_arithmetic_and_a_waiting_reader_are_no_deadlock),
      cmocka_unit_test(test_a_lock_that_is_passed_on_is_no_deadlock),
      cmocka_unit_test(test_a_fault_ends_the_run_with_its_text),
      cmocka_unit_test(test_what_does_not_fit_is_refused_with_the_reason),
      cmocka_unit_test(test_cta_schedulers_place_as_they_promise),
      cmocka_unit_test(test_the_next_kernel_may_begin_at_the_next_sm),
      cmocka_unit_test(test_every_scheduler_dispatches_every_cta),
      cmocka_unit_test(test_a_cta_that_waits_for_the_stores_of_another_gets_its_turn),
      cmocka_unit_test(test_kernels_one_after_the_other_start_with_an_empty_l1),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
