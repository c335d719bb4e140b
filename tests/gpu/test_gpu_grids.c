/* Several grids on one GPU at once: overlap, the order in which they get SMs, faults, programs with SMs of their own,
 * and that none of it depends on threads or the order of visits. */
#include "gpu_rig.h"
#include "llc/llc_share.h"

enum { MOST = 4 };

/* Grids made from lines of PTX, each with a module and parameters of its own. */
struct crowd {
  struct rig r;
  struct exec_module module[MOST];
  struct exec_grid grid[MOST];
  uint64_t params[MOST][2], ticket[MOST];
  unsigned n;
};

static void crowd_open(struct crowd *c, const char *config, const char *more) {
  memset(c, 0, sizeof *c);
  rig_open(&c->r, config, more);
}

static void crowd_close(struct crowd *c) {
  gpu_delete(c->r.gpu);
  for (unsigned i = 0; i < c->n; i++) exec_module_unload(&c->module[i]);
  exec_mem_delete(c->r.mem);
  cfg_delete(c->r.cfg);
}

/* Its data are 64 KB further than those of the grid before. */
static struct exec_grid *crowd_make(struct crowd *c, const char *lines, unsigned ctas, unsigned threads, uint64_t number) {
  unsigned i = c->n++;
  rig_compile(&c->r, lines, &c->module[i]);
  c->params[i][0] = c->r.data + i * 65536;
  c->params[i][1] = number;
  c->grid[i] = (struct exec_grid){.module = &c->module[i],
                                  .kernel = &c->module[i].funcs[0],
                                  .device = &c->r.device,
                                  .grid = {ctas, 1, 1},
                                  .block = {threads, 1, 1},
                                  .params = (unsigned char *)c->params[i],
                                  .id = i + 1};
  return &c->grid[i];
}

static void come(struct crowd *c, unsigned i, uint32_t program, int priority) {
  struct gpu_launch l = {.grid = &c->grid[i], .program = program, .priority = priority};
  if (gpu_submit(c->r.gpu, &l, &c->ticket[i], &c->r.err) != GPU_DONE) fail_msg("%s", c->r.err.text);
}

/* The next grid that ends, of those that do so as they should. */
static unsigned next_end(struct crowd *c, enum gpu_end want, struct gpu_finished *f) {
  err_clear(&c->r.err);
  enum gpu_end end = gpu_advance(c->r.gpu, UINT64_MAX, f, &c->r.err);
  if (end != want) fail_msg("end %d: %s", end, c->r.err.text);
  for (unsigned i = 0; i < c->n; i++)
    if (c->ticket[i] == f->ticket) return i;
  fail_msg("a grid ended that never came");
  return 0;
}

/* number rounds of arithmetic, then data[cta] = SM. */
static const char work[] =
    "mov.u64 %rd4, 0; L: add.u64 %rd4, %rd4, 1; setp.lt.u64 %p1, %rd4, %rd2; @%p1 bra L;"
    "mov.u32 %r3, %smid; mul.wide.u32 %rd3, %r2, 4; add.u64 %rd3, %rd1, %rd3; st.global.u32 [%rd3], %r3;";

static uint32_t *out(struct crowd *c, unsigned i) { return exec_mem_ptr(c->r.data + i * 65536); }

/* ---- dependents -------------------------------------------------------------------------------------------------------- */

/* CTA 0 leaves its last cycle at data + 8 and something to be read at data; the other's data are 64 KB further on: it leaves its first
 * cycle, that behind the wait, and what it reads there. */
#define ROUNDS "mov.u64 %rd4, 0; L: add.u64 %rd4, %rd4, 1; setp.lt.u64 %p1, %rd4, %rd2; @%p1 bra L;"
#define LEAVE "setp.ne.u32 %p2, %r2, 0; @%p2 bra E; mov.u64 %rd5, 77; st.global.u64 [%rd1], %rd5; mov.u64 %rd6, %clock64;" \
              "st.global.u64 [%rd1+8], %rd6; E:"
static const char triggers[] = "griddepcontrol.launch_dependents;" ROUNDS LEAVE;
static const char stays_silent[] = ROUNDS LEAVE;
static const char some_trigger[] = "setp.eq.u32 %p3, %r2, 3; @%p3 bra L0; griddepcontrol.launch_dependents; L0:" ROUNDS LEAVE;
static const char follows[] = "mov.u64 %rd5, %clock64; griddepcontrol.wait; mov.u64 %rd6, %clock64; ld.global.u64 %rd7, [%rd1+-65536];"
                              "st.global.u64 [%rd1], %rd5; st.global.u64 [%rd1+8], %rd6; st.global.u64 [%rd1+16], %rd7;";

struct seen {
  uint64_t first_end, begin, waited, value;
};

static struct seen run_dependent(const char *first, const char *more, bool dependent) {
  struct crowd c;
  struct gpu_finished f;
  crowd_open(&c, TWELVE_SMS, more);
  crowd_make(&c, first, 6, 64, 2000);
  crowd_make(&c, follows, 1, 32, 0);
  come(&c, 0, 0, 0);
  struct gpu_launch l = {.grid = &c.grid[1], .after = dependent ? c.ticket[0] : 0};
  if (gpu_submit(c.r.gpu, &l, &c.ticket[1], &c.r.err) != GPU_DONE) fail_msg("%s", c.r.err.text);
  next_end(&c, GPU_DONE, &f);
  next_end(&c, GPU_DONE, &f);
  const uint64_t *a = (const uint64_t *)out(&c, 0), *b = (const uint64_t *)out(&c, 1);
  struct seen s = {a[1], b[0], b[1], b[2]};
  crowd_close(&c);
  return s;
}

static void test_a_dependent_grid_begins_when_all_ctas_have_triggered(void **state) {
  (void)state;
  struct seen s = run_dependent(triggers, NULL, true);
  assert_true(s.begin < s.first_end / 2);
  assert_true(s.waited > s.first_end); /* it waits for the end, and for what was written */
  assert_int_equal(s.value, 77);
  struct seen again = run_dependent(triggers, "gpu.threads = 2\n", true);
  assert_memory_equal(&again, &s, sizeof s);
}

static void test_a_dependent_grid_waits_for_ctas_that_do_not_trigger(void **state) {
  (void)state;
  const char *const kernels[] = {stays_silent, some_trigger};
  for (unsigned i = 0; i < 2; i++) {
    struct seen s = run_dependent(kernels[i], NULL, true);
    assert_true(s.begin > s.first_end - s.first_end / 8);
    assert_int_equal(s.value, 77);
  }
}

/* One that was not launched as a dependent waits for nothing: whoever launched it has seen to the order. */
static void test_a_grid_that_depends_on_none_does_not_wait(void **state) {
  (void)state;
  struct seen s = run_dependent(stays_silent, NULL, false);
  assert_true(s.begin < s.first_end / 2);
  assert_true(s.waited < s.first_end);
}

/* ---- overlap --------------------------------------------------------------------------------------------------------- */

static uint64_t alone(const char *config, unsigned ctas, uint64_t number) {
  struct crowd c;
  struct gpu_finished f;
  crowd_open(&c, config, NULL);
  crowd_make(&c, work, ctas, 64, number);
  come(&c, 0, 0, 0);
  next_end(&c, GPU_DONE, &f);
  crowd_close(&c);
  return f.cycles;
}

static void test_two_small_grids_take_the_time_of_one(void **state) {
  (void)state;
  struct crowd c;
  struct gpu_finished f;
  uint64_t one = alone(TWELVE_SMS, 6, 300);
  crowd_open(&c, TWELVE_SMS, NULL);
  crowd_make(&c, work, 6, 64, 300);
  crowd_make(&c, work, 6, 64, 300);
  come(&c, 0, 0, 0);
  come(&c, 1, 0, 0);
  next_end(&c, GPU_DONE, &f);
  next_end(&c, GPU_DONE, &f);
  assert_in_range(f.cycle, one, one + one / 10);
  assert_int_equal(gpu_cycles(c.r.gpu), f.cycle);
  for (unsigned k = 0; k < 2; k++) assert_true(gpu_kernel_at(c.r.gpu, k)->beside);
  assert_int_equal(gpu_kernel_at(c.r.gpu, 0)->warp_instructions, gpu_kernel_at(c.r.gpu, 1)->warp_instructions);
  assert_int_equal(rig_stat(&c.r, "sm.warp_instructions"), 2 * gpu_kernel_at(c.r.gpu, 0)->warp_instructions);
  crowd_close(&c);
}

static void test_one_place_makes_kernels_wait_for_each_other(void **state) {
  (void)state;
  struct crowd c;
  crowd_open(&c, TWELVE_SMS, "gpu.concurrent_kernels = 1\n");
  crowd_make(&c, work, 6, 64, 300);
  assert_true(gpu_has_slot(c.r.gpu, &c.grid[0]));
  come(&c, 0, 0, 0);
  assert_false(gpu_has_slot(c.r.gpu, &c.grid[0]));
  struct gpu_finished f;
  next_end(&c, GPU_DONE, &f);
  assert_true(gpu_has_slot(c.r.gpu, &c.grid[0]));
  assert_false(gpu_kernel_at(c.r.gpu, 0)->beside);
  crowd_close(&c);
}

/* A grid that comes at cycle 500 of the busy period runs as one that was alone, that much later. */
static void test_a_grid_comes_at_the_cycle_it_is_given(void **state) {
  (void)state;
  struct crowd c;
  struct gpu_finished f;
  crowd_open(&c, TWELVE_SMS, NULL);
  crowd_make(&c, work, 1, 64, 2000);
  crowd_make(&c, work, 1, 64, 300);
  come(&c, 0, 0, 0);
  assert_int_equal(gpu_advance(c.r.gpu, 500, &f, &c.r.err), GPU_LATER);
  assert_int_equal(gpu_advance(c.r.gpu, 500, &f, &c.r.err), GPU_LATER);
  come(&c, 1, 0, 0);
  assert_int_equal(next_end(&c, GPU_DONE, &f), 1);
  assert_int_equal(f.cycle, 500 + f.cycles);
  uint64_t end = f.cycle;
  assert_int_equal(gpu_kernel_at(c.r.gpu, 0)->start, 500);
  next_end(&c, GPU_DONE, &f);
  assert_int_equal(f.cycle, f.cycles);
  assert_true(f.cycle > end);
  crowd_close(&c);

  crowd_open(&c, TWELVE_SMS, NULL); /* it is notified of the end at that cycle, and not a cycle earlier */
  crowd_make(&c, work, 1, 64, 300);
  come(&c, 0, 0, 0);
  uint64_t cycles = alone(TWELVE_SMS, 1, 300);
  assert_int_equal(gpu_advance(c.r.gpu, cycles - 1, &f, &c.r.err), GPU_LATER);
  assert_int_equal(gpu_advance(c.r.gpu, cycles + 1, &f, &c.r.err), GPU_DONE);
  assert_int_equal(f.cycle, cycles);
  assert_int_equal(gpu_advance(c.r.gpu, cycles + 2, &f, &c.r.err), GPU_LATER); /* nobody is left */
  crowd_close(&c);
}

/* ---- who gets the SMs --------------------------------------------------------------------------------------------------- */

static void test_a_later_grid_gets_what_is_left_over(void **state) {
  (void)state;
  struct crowd c;
  struct gpu_finished f;
  crowd_open(&c, TWELVE_SMS, "sm.ctas = 1\n");
  crowd_make(&c, work, 18, 64, 1000); /* two rounds on twelve SMs: in the second, six are free */
  crowd_make(&c, work, 6, 64, 100);
  come(&c, 0, 0, 0);
  come(&c, 1, 0, 0);
  assert_int_equal(next_end(&c, GPU_DONE, &f), 1);
  uint64_t first_round = alone(TWELVE_SMS, 12, 1000);
  assert_true(f.cycle > first_round);
  next_end(&c, GPU_DONE, &f);
  uint64_t undisturbed = alone(TWELVE_SMS "sm.ctas = 1\n", 18, 1000);
  assert_in_range(f.cycle, undisturbed, undisturbed + undisturbed / 50);
  crowd_close(&c);
}

static void test_a_grid_of_higher_priority_comes_first(void **state) {
  (void)state;
  struct crowd c;
  struct gpu_finished f;
  crowd_open(&c, TWELVE_SMS, "sm.ctas = 1\n");
  crowd_make(&c, work, 36, 64, 500);
  crowd_make(&c, work, 12, 64, 500);
  come(&c, 0, 0, 0);
  gpu_advance(c.r.gpu, 100, &f, &c.r.err);
  come(&c, 1, 0, -1);
  assert_int_equal(next_end(&c, GPU_DONE, &f), 1); /* in the second of four rounds */
  next_end(&c, GPU_DONE, &f);
  crowd_close(&c);
}

static void test_a_cooperative_grid_waits_for_empty_sms(void **state) {
  (void)state;
  struct crowd c;
  struct gpu_finished f;
  /* All CTAs count up one number and wait until all have. */
  static const char meet[] =
      "setp.ne.u32 %p1, %r1, 0; @%p1 bra E; atom.global.add.u32 %r3, [%rd1], 1; cvt.u32.u64 %r5, %rd2;"
      "L: ld.volatile.global.u32 %r4, [%rd1]; setp.lt.u32 %p2, %r4, %r5; @%p2 bra L; E: mov.u32 %r6, 1;";
  crowd_open(&c, TWELVE_SMS, "sm.ctas = 1\n");
  crowd_make(&c, work, 6, 64, 500);
  for (unsigned i = 1; i < 3; i++) crowd_make(&c, meet, 12, 64, 12)->cooperative = true;
  crowd_make(&c, work, 12, 64, 500);
  for (unsigned i = 0; i < 4; i++) come(&c, i, 0, 0);
  for (unsigned i = 0; i < 4; i++) assert_int_equal(next_end(&c, GPU_DONE, &f), i);
  crowd_close(&c);
}

/* ---- faults ------------------------------------------------------------------------------------------------------------ */

static void test_a_fault_ends_its_own_grid_only(void **state) {
  (void)state;
  struct crowd c;
  struct gpu_finished f;
  crowd_open(&c, TWELVE_SMS, NULL);
  crowd_make(&c, work, 20, 64, 300);
  crowd_make(&c,
             "mul.wide.u32 %rd3, %r2, 128; add.u64 %rd3, %rd1, %rd3; ld.global.u32 %r3, [%rd3]; st.global.u32 [%rd3], %r3;"
             "setp.ne.u32 %p1, %r2, 3; mov.u64 %rd5, 16; @%p1 bra L; ld.global.u32 %r4, [%rd5];"
             "L: ld.volatile.global.u32 %r4, [%rd1]; bra L;",
             8, 64, 0);
  come(&c, 0, 0, 0);
  come(&c, 1, 0, 0);
  assert_int_equal(next_end(&c, GPU_FAULT, &f), 1);
  assert_non_null(strstr(c.r.err.text, "CTA (3,0,0)"));
  assert_int_equal(gpu_advance(c.r.gpu, f.cycle, &f, &c.r.err), GPU_LATER); /* the cycle returned is the one at which the GPU is */
  assert_int_equal(next_end(&c, GPU_DONE, &f), 0);
  for (unsigned i = 0; i < 20; i++) assert_true(out(&c, 0)[i] < 12);
  /* And the GPU goes on, as fast as one on which nothing has happened. */
  crowd_make(&c, work, 6, 64, 300);
  come(&c, 2, 0, 0);
  next_end(&c, GPU_DONE, &f);
  uint64_t want = alone(TWELVE_SMS, 6, 300);
  assert_in_range(f.cycles, want - want / 20, want + want / 20);
  crowd_close(&c);
}

static void test_after_a_fault_the_next_grid_runs(void **state) {
  (void)state;
  struct rig r;
  rig_open(&r, TWELVE_SMS, NULL);
  for (unsigned i = 0; i < 3; i++) {
    /* Loads, stores and atomics of many warps are in flight, some wait at a barrier. */
    rig_load(&r,
             "mad.lo.u32 %r3, %r2, 256, %r1; mul.wide.u32 %rd3, %r3, 128; and.b64 %rd3, %rd3, 0xfffff; add.u64 %rd3, %rd1, %rd3;"
             "ld.global.u32 %r4, [%rd3]; st.global.u32 [%rd3+1048576], %r3; red.global.add.u32 [%rd1], 1;"
             "setp.lt.u32 %p1, %r1, 64; @%p1 bra B; setp.eq.u32 %p2, %r3, 2000; mov.u64 %rd5, 16; @%p2 st.global.u32 [%rd5], %r4;"
             "B: bar.sync 0;",
             40, 256, 0);
    assert_int_equal(rig_go(&r), GPU_FAULT);
    rig_run(&r, work, 30, 256, 10);
  }
  assert_int_equal(gpu_kernels(r.gpu), 6);
  rig_close(&r);
}

/* ---- programs ---------------------------------------------------------------------------------------------------------- */

static void test_programs_have_half_of_each_cluster(void **state) {
  (void)state;
  struct crowd c;
  struct gpu_finished f;
  crowd_open(&c, TWELVE_SMS, NULL); /* four clusters of three: one and a half each, so one or two */
  assert_true(gpu_set_programs(c.r.gpu, 2, &c.r.err));
  crowd_make(&c, work, 60, 64, 100);
  crowd_make(&c, work, 60, 64, 100);
  come(&c, 0, 0, 0);
  come(&c, 1, 1, 0);
  next_end(&c, GPU_DONE, &f);
  next_end(&c, GPU_DONE, &f);
  unsigned sms[2] = {0}, in_cluster[4] = {0};
  for (unsigned sm = 0; sm < 12; sm++) {
    uint32_t p = gpu_program_of(c.r.gpu, sm);
    sms[p]++;
    in_cluster[sm / 3] += p;
  }
  assert_int_equal(sms[0], 6);
  for (unsigned i = 0; i < 4; i++) assert_in_range(in_cluster[i], 1, 2);
  for (unsigned k = 0; k < 2; k++) {
    for (unsigned i = 0; i < 60; i++) assert_int_equal(gpu_program_of(c.r.gpu, out(&c, k)[i]), k);
    assert_int_equal(gpu_program_at(c.r.gpu, k)->sms, 6);
    assert_int_equal(gpu_program_at(c.r.gpu, k)->kernels, 1);
    assert_int_equal(gpu_program_at(c.r.gpu, k)->cycles, gpu_kernel_at(c.r.gpu, k)->cycles);
  }
  struct llc_share a = gpu_program_l2(c.r.gpu, 0), b = gpu_program_l2(c.r.gpu, 1);
  assert_true(a.accesses > 60 && b.accesses > 60);
  assert_int_equal(a.accesses + b.accesses, rig_stat(&c.r, "l2.accesses"));
  assert_int_equal(a.hits + b.hits, rig_stat(&c.r, "l2.hits"));
  assert_int_equal(a.misses + b.misses, rig_stat(&c.r, "l2.misses"));
  assert_int_equal(a.accesses, a.hits + a.pending_hits + a.misses);
  crowd_close(&c);
}

static void test_a_program_does_not_wait_for_the_ctas_of_another(void **state) {
  (void)state;
  struct crowd c;
  struct gpu_finished f;
  crowd_open(&c, TWELVE_SMS, "sm.ctas = 1\n");
  assert_true(gpu_set_programs(c.r.gpu, 2, &c.r.err));
  crowd_make(&c, work, 60, 64, 1000);
  crowd_make(&c, work, 6, 64, 100);
  come(&c, 0, 0, 0);
  come(&c, 1, 1, 0);
  assert_int_equal(next_end(&c, GPU_DONE, &f), 1);
  assert_true(f.cycle < alone(TWELVE_SMS, 1, 1000));
  next_end(&c, GPU_DONE, &f);
  crowd_close(&c);
}

static void test_programs_that_cannot_be_divided_are_refused(void **state) {
  (void)state;
  struct rig r;
  rig_open(&r, TWELVE_SMS, "gpu.clusters = 12\ngpu.cta_scheduler = \"distributed\"\n");
  assert_false(gpu_set_programs(r.gpu, 2, &r.err));
  assert_non_null(strstr(r.err.text, "gpu.cta_scheduler"));
  rig_close(&r);
  rig_open(&r, ONE_SM, NULL);
  assert_false(gpu_set_programs(r.gpu, 2, &r.err));
  rig_close(&r);
}

/* ---- determinism, and what watching sees ----------------------------------------------------------------------------------- */

static const char scattered[] =
    "mad.lo.u32 %r3, %r2, 128, %r1; mov.u64 %rd3, 0; mov.u32 %r9, 0;"
    "L: mul.lo.u32 %r4, %r3, 7919; and.b32 %r4, %r4, 0x3fffc; cvt.u64.u32 %rd4, %r4; add.u64 %rd5, %rd1, %rd4;"
    "ld.global.u32 %r5, [%rd5]; add.u32 %r3, %r3, 4099; atom.global.add.u32 %r7, [%rd1], 1; add.u32 %r9, %r9, %r7; bar.sync 0;"
    "st.global.u32 [%rd5+524288], %r9; add.u64 %rd3, %rd3, 1; setp.lt.u64 %p1, %rd3, %rd2; @%p1 bra L;";

/* Three grids that come at different times, one of which faults; everything that was counted, and a hash of memory. */
static uint64_t *run_crowd(const char *more, uint64_t shuffle, const struct gpu_watch *w, size_t *n) {
  struct crowd c;
  struct gpu_finished f;
  crowd_open(&c, TWELVE_SMS, more);
  if (shuffle) gpu_shuffle_visits(c.r.gpu, shuffle);
  if (w) gpu_set_watch(c.r.gpu, w);
  crowd_make(&c, scattered, 40, 128, 4);
  crowd_make(&c, work, 30, 96, 100);
  crowd_make(&c, "setp.ne.u32 %p1, %r2, 17; mov.u64 %rd3, 16; ld.global.u32 %r3, [%rd1]; @!%p1 ld.global.u32 %r4, [%rd3];", 50, 64, 0);
  come(&c, 0, 0, 0);
  gpu_advance(c.r.gpu, 200, &f, &c.r.err);
  come(&c, 1, 0, 0);
  gpu_advance(c.r.gpu, 333, &f, &c.r.err);
  come(&c, 2, 0, 0);
  uint64_t ends = 0;
  for (unsigned i = 0; i < 3; i++) {
    err_clear(&c.r.err);
    assert_in_range(gpu_advance(c.r.gpu, UINT64_MAX, &f, &c.r.err), GPU_DONE, GPU_FAULT);
    ends = ends * 1000003 + f.cycle * 8 + f.ticket;
  }
  size_t stats = stats_count(gpu_stats(c.r.gpu));
  *n = stats + 3;
  uint64_t *all = calloc(*n, sizeof *all);
  stats_snapshot(gpu_stats(c.r.gpu), all);
  all[stats] = gpu_cycles(c.r.gpu);
  all[stats + 1] = ends;
  for (size_t i = 0; i < DATA_BYTES / 8; i++) all[stats + 2] = all[stats + 2] * 31 + rig_data(&c.r)[i];
  if (w && w->profile) {
    uint64_t executions = 0;
    for (size_t i = 0; i < gpu_lines(c.r.gpu); i++) executions += gpu_line_at(c.r.gpu, i)->executions;
    assert_int_equal(executions, rig_stat(&c.r, "sm.warp_instructions"));
  }
  crowd_close(&c);
  return all;
}

static void same_as(const uint64_t *want, size_t n, const char *more, uint64_t shuffle, const struct gpu_watch *w) {
  size_t m;
  uint64_t *got = run_crowd(more, shuffle, w, &m);
  assert_int_equal(m, n);
  for (size_t i = 0; i < n; i++)
    if (got[i] != want[i])
      fail_msg("'%s', shuffle %llu: number %zu of %zu is %llu instead of %llu", more ? more : "", (unsigned long long)shuffle, i,
               n, (unsigned long long)got[i], (unsigned long long)want[i]);
  free(got);
}

static void test_the_same_on_any_number_of_threads_in_any_order_watched_or_not(void **state) {
  (void)state;
  size_t n;
  uint64_t *want = run_crowd(NULL, 0, NULL, &n);
  same_as(want, n, "gpu.threads = 2\ngpu.all_threads = true\n", 0, NULL);
  same_as(want, n, "gpu.threads = 4\ngpu.all_threads = true\n", 0, NULL);
  for (uint64_t seed = 1; seed <= 4; seed++) same_as(want, n, NULL, seed, NULL);
  same_as(want, n, NULL, 0, &(struct gpu_watch){.interval = 37, .profile = true});
  free(want);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_dependent_grid_begins_when_all_ctas_have_triggered),
      cmocka_unit_test(test_a_dependent_grid_waits_for_ctas_that_do_not_trigger),
      cmocka_unit_test(test_a_grid_that_depends_on_none_does_not_wait),
      cmocka_unit_test(test_two_small_grids_take_the_time_of_one),
      cmocka_unit_test(test_one_place_makes_kernels_wait_for_each_other),
      cmocka_unit_test(test_a_grid_comes_at_the_cycle_it_is_given),
      cmocka_unit_test(test_a_later_grid_gets_what_is_left_over),
      cmocka_unit_test(test_a_grid_of_higher_priority_comes_first),
      cmocka_unit_test(test_a_cooperative_grid_waits_for_empty_sms),
      cmocka_unit_test(test_a_fault_ends_its_own_grid_only),
      cmocka_unit_test(test_after_a_fault_the_next_grid_runs),
      cmocka_unit_test(test_programs_have_half_of_each_cluster),
      cmocka_unit_test(test_a_program_does_not_wait_for_the_ctas_of_another),
      cmocka_unit_test(test_programs_that_cannot_be_divided_are_refused),
      cmocka_unit_test(test_the_same_on_any_number_of_threads_in_any_order_watched_or_not),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
