/* What is recorded of a run only where somebody asks: what each SM, slice and channel counts in an interval, intervals that become
 * longer, when CTAs ran, the cost of lines of PTX, and traces; and that none of it changes a result. */
#include "gpu_rig.h"

#include "base/trace_file.h"
#include "gpu/results/measure.h"
#include "gpu/results/report.h"

#include <math.h>

static const char mixed[] =
    ".loc 1 7 0\n"
    "mov.u64 %rd3, 0; mad.lo.u32 %r3, %r2, 128, %r1;\n"
    "L: mul.lo.u32 %r4, %r3, 7919; and.b32 %r4, %r4, 0x3fffc; cvt.u64.u32 %rd4, %r4; add.u64 %rd5, %rd1, %rd4;\n"
    ".loc 1 8 0\n"
    "ld.global.u32 %r5, [%rd5];\n"
    ".loc 1 9 0\n"
    "st.global.u32 [%rd5+262144], %r5; add.u32 %r3, %r3, 4099;\n"
    "add.u64 %rd3, %rd3, 1; setp.lt.u64 %p1, %rd3, %rd2; @%p1 bra L;";

static void open_watched(struct rig *r, const struct gpu_watch *w) {
  rig_open(r, TWELVE_SMS, NULL);
  if (w) gpu_set_watch(r->gpu, w);
}

static void run_twice(struct rig *r, const struct gpu_watch *w) {
  open_watched(r, w);
  rig_run(r, mixed, 40, 128, 2);
  rig_run(r, mixed, 20, 96, 1);
}

static void test_nothing_that_is_recorded_changes_a_result(void **state) {
  (void)state;
  struct rig plain, watched;
  run_twice(&plain, NULL);
  run_twice(&watched, &(struct gpu_watch){.profile = true, .detail = true, .trace_bytes = 1 << 20});
  const struct stats *a = gpu_stats(plain.gpu), *b = gpu_stats(watched.gpu);
  assert_int_equal(gpu_cycles(plain.gpu), gpu_cycles(watched.gpu));
  assert_int_equal(stats_count(a), stats_count(b));
  for (size_t i = 0; i < stats_count(a); i++) assert_int_equal(stats_total(a, i), stats_total(b, i));
  assert_int_equal(gpu_ctas(plain.gpu), 0);
  assert_int_equal(gpu_listings(plain.gpu), 0);
  assert_int_equal(gpu_intervals(plain.gpu), 0);
  rig_close(&plain);
  rig_close(&watched);
}

/* ---- intervals ---------------------------------------------------------------------------------------------------------------- */

static size_t index_of(const struct stats *s, const char *name) {
  for (size_t i = 0; i < stats_count(s); i++)
    if (!strcmp(stats_def(s, i)->name, name)) return i;
  fail_msg("no statistic %s", name);
  return 0;
}

static void check_instances(const struct rig *r) {
  const struct stats *s = gpu_stats(r->gpu);
  for (size_t i = 0; i < gpu_intervals(r->gpu); i++) {
    const struct gpu_interval *v = gpu_interval_at(r->gpu, i);
    const uint64_t *each = v->each;
    for (unsigned k = 0; k < GPU_EACH; k++) {
      uint64_t sum = 0;
      for (size_t n = gpu_each_instances(s, k); n; n--) sum += *each++;
      assert_int_equal(sum, v->counters[index_of(s, gpu_each_stats[k])]);
    }
  }
}

static void test_what_each_counts_in_an_interval_adds_up(void **state) {
  (void)state;
  struct rig r;
  run_twice(&r, &(struct gpu_watch){.interval = 300, .detail = true});
  const struct stats *s = gpu_stats(r.gpu);
  static const unsigned instances[] = {12, 12, 4, 2};
  for (unsigned k = 0; k < GPU_EACH; k++) assert_int_equal(gpu_each_instances(s, k), instances[k]);
  assert_true(gpu_intervals(r.gpu) > 6);
  check_instances(&r);
  rig_close(&r);
}

static void test_intervals_become_longer_and_still_add_up(void **state) {
  (void)state;
  struct rig r;
  open_watched(&r, &(struct gpu_watch){.detail = true});
  for (unsigned i = 0; i < 5; i++) rig_run(&r, mixed, 12, 128, 10 + 8 * i);
  const struct stats *s = gpu_stats(r.gpu);
  size_t n = gpu_intervals(r.gpu);
  uint64_t longest = 0, cycles[5] = {0}, *sum = calloc(stats_count(s), sizeof *sum);
  for (size_t i = 0; i < n; i++) {
    const struct gpu_interval *v = gpu_interval_at(r.gpu, i);
    assert_int_equal(v->first_cycle, cycles[v->kernel]); /* one after the other, without a gap */
    cycles[v->kernel] += v->cycles;
    longest = v->cycles > longest ? v->cycles : longest;
    for (size_t k = 0; k < stats_count(s); k++) sum[k] += v->counters[k];
    for (uint32_t k = 0; k < gpu_slices(r.gpu); k++) assert_true(v->input_utilisation[k] >= 0 && v->input_utilisation[k] <= 1);
    assert_true(fabs(v->ipc * (double)v->cycles - (double)v->counters[index_of(s, "sm.thread_instructions")]) < 0.5);
  }
  assert_true(n < 2 * GPU_DETAIL_ROWS && longest > GPU_DETAIL_CYCLES && longest % GPU_DETAIL_CYCLES == 0);
  for (unsigned i = 0; i < 5; i++) assert_int_equal(cycles[i], gpu_kernel_at(r.gpu, i)->cycles);
  uint64_t kernels = 0;
  size_t at = index_of(s, "l1d.accesses");
  for (unsigned i = 0; i < 5; i++) kernels += gpu_kernel_at(r.gpu, i)->counters[at];
  assert_int_equal(sum[at], kernels);
  check_instances(&r);
  free(sum);
  rig_close(&r);
}

/* ---- CTAs ----------------------------------------------------------------------------------------------------------------------- */

static void test_every_cta_is_recorded_in_its_slot(void **state) {
  (void)state;
  struct rig r;
  run_twice(&r, &(struct gpu_watch){.detail = true});
  assert_int_equal(gpu_ctas(r.gpu), 60);
  assert_int_equal(gpu_cta_step(r.gpu), 1);
  uint64_t free_at[12][32] = {{0}}, of[2] = {0};
  for (size_t i = 0; i < gpu_ctas(r.gpu); i++) { /* by their ends, so that those of a slot are in order */
    const struct gpu_cta *c = gpu_cta_at(r.gpu, i);
    unsigned k = c->ticket != gpu_kernel_at(r.gpu, 0)->ticket;
    const struct gpu_kernel *kernel = gpu_kernel_at(r.gpu, k);
    assert_int_equal(c->ticket, kernel->ticket);
    assert_true(c->sm < 12 && c->slot < kernel->ctas_per_sm);
    assert_true(c->start >= kernel->start && c->start + c->cycles <= kernel->start + kernel->cycles && c->cycles > 0);
    assert_true(c->start >= free_at[c->sm][c->slot]);
    free_at[c->sm][c->slot] = c->start + c->cycles;
    of[k]++;
  }
  assert_int_equal(of[0], 40);
  assert_int_equal(of[1], 20);
  rig_close(&r);
}

static void test_of_many_ctas_an_even_part_is_kept(void **state) {
  (void)state;
  struct rig r;
  open_watched(&r, &(struct gpu_watch){.trace_bytes = 8 * 110 * 24}); /* 25 CTAs fit */
  rig_run(&r, mixed, 90, 64, 1);
  assert_int_equal(gpu_cta_step(r.gpu), 4);
  assert_int_equal(gpu_ctas(r.gpu), 23);
  rig_close(&r);
}

/* ---- lines ---------------------------------------------------------------------------------------------------------------------- */

static const struct gpu_line *source_line(const struct rig *r, unsigned line) {
  for (size_t i = 0; i < gpu_lines(r->gpu); i++)
    if (gpu_line_at(r->gpu, i)->line == line && !strcmp(gpu_line_at(r->gpu, i)->file, "kernel.cu")) return gpu_line_at(r->gpu, i);
  fail_msg("no line %u", line);
  return NULL;
}

static void test_lines_of_ptx_add_up_to_source_lines(void **state) {
  (void)state;
  struct rig r;
  run_twice(&r, &(struct gpu_watch){.profile = true});
  assert_int_equal(gpu_listings(r.gpu), 1); /* the same kernel twice */
  const struct gpu_listing *l = gpu_listing_at(r.gpu, 0);
  assert_string_equal(l->function, "k");
  assert_null(l->text);
  uint64_t issued = 0, by_line[3] = {0};
  for (size_t i = 0; i < l->n; i++) {
    const struct gpu_line *p = &l->lines[i];
    assert_true(!i || p->ptx_line > l->lines[i - 1].ptx_line);
    issued += p->executions;
    if (p->line >= 7 && p->line <= 9) {
      assert_string_equal(p->file, "kernel.cu"); /* "" where PTX does not say where it comes from */
      by_line[p->line - 7] += p->executions;
    }
  }
  assert_int_equal(issued, rig_stat(&r, "sm.warp_instructions"));
  for (unsigned i = 0; i < 3; i++) assert_int_equal(by_line[i], source_line(&r, 7 + i)->executions);
  rig_close(&r);
}

/* A load of 32 lanes that lie 8 bytes apart: 2 lines of 4 sectors. */
static void test_sectors_of_a_line_are_counted(void **state) {
  (void)state;
  struct rig r;
  rig_open(&r, ONE_SM, NULL);
  gpu_set_watch(r.gpu, &(struct gpu_watch){.profile = true});
  rig_run(&r, ".loc 1 5 0\nmul.wide.u32 %rd3, %r1, 8; add.u64 %rd3, %rd3, %rd1;\n.loc 1 6 0\nld.global.u32 %r5, [%rd3];\n"
              ".loc 1 7 0\nst.global.u32 [%rd1], %r5;\n", 3, 32, 0);
  const struct gpu_line *load = source_line(&r, 6), *store = source_line(&r, 7);
  assert_int_equal(load->accesses, 3);
  assert_int_equal(load->transactions, 6);
  assert_int_equal(load->sectors, 24);
  assert_int_equal(store->transactions, 3);
  assert_int_equal(store->sectors, 3);
  rig_close(&r);
}

static void test_a_listing_has_the_text_of_its_function(void **state) {
  (void)state;
  static const char text[] = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry other()\n{\nret;\n}\n"
                             ".visible .entry k()\n{\n.reg .b32 %r<2>;\nmov.u32 %r1, 1;\nret;\n}\n";
  struct rig r;
  rig_open(&r, ONE_SM, NULL);
  gpu_set_watch(r.gpu, &(struct gpu_watch){.profile = true});
  struct err e = {0};
  if (!exec_module_load(&r.module, r.mem, EXEC_KEEP_TEXT, "t.ptx", text, strlen(text), &e)) fail_msg("%s", e.text);
  r.grid = (struct exec_grid){
      .module = &r.module, .kernel = &r.module.funcs[1], .device = &r.device, .grid = {1, 1, 1}, .block = {32, 1, 1}};
  assert_int_equal(rig_go(&r), GPU_DONE);
  assert_int_equal(gpu_listings(r.gpu), 1);
  const struct gpu_listing *l = gpu_listing_at(r.gpu, 0);
  assert_int_equal(l->first, 8);
  assert_string_equal(l->text, ".visible .entry k()\n{\n.reg .b32 %r<2>;\nmov.u32 %r1, 1;\nret;\n}");
  assert_int_equal(l->n, 2);
  assert_int_equal(l->lines[0].ptx_line, 11);
  assert_int_equal(l->lines[1].ptx_line, 12);
  rig_close(&r);
}

/* ---- the report ----------------------------------------------------------------------------------------------------------------- */

static void test_the_report_has_what_was_recorded(void **state) {
  (void)state;
  struct rig r;
  run_twice(&r, &(struct gpu_watch){.profile = true, .detail = true, .interval = 1000});
  json_t *root = gpu_report(r.gpu), *ctas = json_object_get(root, "ctas"), *row;
  json_t *each = json_object_get(json_array_get(json_object_get(root, "intervals"), 0), "each");
  assert_int_equal(json_array_size(json_object_get(json_object_get(each, "sm"), "issue_slots_used")), 12);
  assert_int_equal(json_array_size(json_object_get(json_object_get(each, "dram"), "busy")), 2);
  assert_int_equal(json_integer_value(json_object_get(ctas, "step")), 1);
  assert_int_equal(json_array_size(json_object_get(ctas, "rows")), 60);
  size_t i;
  uint64_t second = 0;
  json_array_foreach(json_object_get(ctas, "rows"), i, row) second += (uint64_t)json_integer_value(json_array_get(row, 0));
  assert_int_equal(second, 20); /* of kernel 1 */
  json_t *ptx = json_array_get(json_object_get(root, "ptx"), 0);
  assert_string_equal(json_string_value(json_object_get(ptx, "function")), "k");
  assert_true(json_is_null(json_object_get(ptx, "text")));
  assert_true(json_is_integer(json_object_get(json_array_get(json_object_get(ptx, "lines"), 0), "ptx_line")));
  json_decref(root);
  rig_close(&r);
}

/* 12 SMs with 2 schedulers at 1400 MHz; 4 slices of 32 bytes at 700 MHz; 2 channels of 8 bytes, twice a clock of 924 MHz. */
static void test_peaks_by_hand(void **state) {
  (void)state;
  struct rig r;
  rig_open(&r, TWELVE_SMS, "sm.schedulers = 2\nl1.tags_per_cycle = 1\nl2.data_bytes = 32\n"
                           "dram.bus_bytes = 8\ndram.rate = 4\ndram.burst_length = 8\ndram.tCCD = 2\n"
                           "noc.flit_bytes = 32\nnoc.reply_per_sector = false\n");
  struct gpu_peaks p = gpu_peaks(r.cfg);
  assert_true(p.instructions == 12 * 2 * 32 * 1400e6);
  assert_true(p.l1_bytes == 12 * 128 * 1400e6);
  assert_true(p.l2_bytes == 4 * 32 * 700e6);
  assert_true(p.dram_bytes == 2 * 8 * 4 * 924e6);
  assert_true(fabs(p.noc_bytes - 4 * 128 / 5.0 * 700e6) < 1); /* 136 bytes are 5 flits */
  json_t *root = gpu_report(r.gpu);
  assert_true(json_number_value(json_object_get(json_object_get(root, "peak"), "dram_bytes")) == p.dram_bytes);
  json_decref(root);
  rig_close(&r);
}

/* ---- traces --------------------------------------------------------------------------------------------------------------------- */

static uint64_t in_order(void *user, size_t period, double cycles) {
  (void)user;
  return (uint64_t)period * UINT64_C(1000000000000) + (uint64_t)(cycles * 1000);
}

static json_t *trace_of(const struct gpu_watch *w, const char *lines, struct gpu_trace_kept *kept, size_t *bytes) {
  struct rig r;
  open_watched(&r, w);
  rig_run(&r, lines, 40, 128, 1);
  rig_run(&r, lines, 20, 96, 1);
  char *text = NULL;
  size_t n = 0;
  FILE *f = open_memstream(&text, &n);
  struct trace_file t;
  trace_begin(&t, f, w->trace_bytes);
  *kept = gpu_write_trace(r.gpu, &(struct gpu_trace_clock){.at = in_order, .pid = 1}, &t);
  trace_end(&t, NULL);
  fclose(f);
  json_t *root = json_loads(text, 0, NULL);
  if (!root) fail_msg("the trace is not JSON");
  if (!kept->request_step || kept->request_step > 1) goto out;
  assert_int_equal(kept->requests, rig_stat(&r, "noc.request_packets")); /* nothing was left out */
  assert_int_equal(kept->ctas, rig_stat(&r, "sm.ctas"));
out:
  *bytes = n;
  free(text);
  rig_close(&r);
  return root;
}

struct seen {
  double from, to;
};

static size_t count_named(const json_t *root, const char *name) {
  size_t i, n = 0;
  json_t *o;
  json_array_foreach(json_object_get(root, "traceEvents"), i, o)
    n += json_is_number(json_object_get(o, "dur")) && !strcmp(json_string_value(json_object_get(o, "name")), name);
  return n;
}

/* Slices of a thread lie within each other or apart; they come in the order of their beginnings. */
static void check_nesting(const json_t *root) {
  enum { DEPTH = 8 };
  struct seen stack[16][400][DEPTH] = {{{{0}}}};
  unsigned depth[16][400] = {{0}};
  size_t i;
  json_t *o;
  json_array_foreach(json_object_get(root, "traceEvents"), i, o) {
    if (!json_is_number(json_object_get(o, "dur"))) continue;
    json_int_t pid = json_integer_value(json_object_get(o, "pid")), tid = json_integer_value(json_object_get(o, "tid"));
    double from = json_number_value(json_object_get(o, "ts")), to = from + json_number_value(json_object_get(o, "dur"));
    assert_true(pid < 16 && tid < 400 && to >= from);
    struct seen *s = stack[pid][tid];
    unsigned *d = &depth[pid][tid];
    while (*d && s[*d - 1].to <= from + 1e-9) --*d;
    if (*d) assert_true(from >= s[*d - 1].from - 1e-9 && to <= s[*d - 1].to + 1e-9);
    assert_true(*d < DEPTH);
    s[(*d)++] = (struct seen){from, to};
  }
}

static void test_a_trace_has_every_cta_and_request(void **state) {
  (void)state;
  struct gpu_trace_kept kept;
  size_t bytes;
  json_t *root = trace_of(&(struct gpu_watch){.trace_bytes = 64 << 20}, mixed, &kept, &bytes);
  assert_int_equal(count_named(root, "CTA"), 60);
  assert_int_equal(count_named(root, "L2"), kept.requests);
  assert_int_equal(count_named(root, "reply network"), kept.requests);
  size_t loads = count_named(root, "load"), others = count_named(root, "instructions") + count_named(root, "constant");
  assert_int_equal(loads + count_named(root, "store") + others, kept.requests);
  assert_true(count_named(root, "DRAM") > 10 && count_named(root, "memory") > 10 && count_named(root, "ready") > 10);
  assert_int_equal(kept.request_step, 1);
  check_nesting(root);
  json_decref(root);
}

static void test_a_small_trace_is_an_even_part_of_the_large_one(void **state) {
  (void)state;
  struct gpu_trace_kept large, small;
  size_t bytes;
  json_decref(trace_of(&(struct gpu_watch){.trace_bytes = 64 << 20}, mixed, &large, &bytes));
  json_t *root = trace_of(&(struct gpu_watch){.trace_bytes = 200000}, mixed, &small, &bytes);
  assert_true(bytes <= 200000 && bytes > 60000);
  assert_true(small.request_step > 1 && (small.request_step & (small.request_step - 1)) == 0);
  assert_true(small.requests > large.requests / small.request_step * 3 / 4 && small.requests < large.requests / small.request_step * 5 / 4);
  assert_true(small.look_cycles > large.look_cycles);
  check_nesting(root);
  json_decref(root);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_nothing_that_is_recorded_changes_a_result),
      cmocka_unit_test(test_what_each_counts_in_an_interval_adds_up),
      cmocka_unit_test(test_intervals_become_longer_and_still_add_up),
      cmocka_unit_test(test_every_cta_is_recorded_in_its_slot),
      cmocka_unit_test(test_of_many_ctas_an_even_part_is_kept),
      cmocka_unit_test(test_lines_of_ptx_add_up_to_source_lines),
      cmocka_unit_test(test_sectors_of_a_line_are_counted),
      cmocka_unit_test(test_a_listing_has_the_text_of_its_function),
      cmocka_unit_test(test_the_report_has_what_was_recorded),
      cmocka_unit_test(test_peaks_by_hand),
      cmocka_unit_test(test_a_trace_has_every_cta_and_request),
      cmocka_unit_test(test_a_small_trace_is_an_even_part_of_the_large_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
