/* GPUs drawn by chance, with queues and tables as small as the keys allow: whatever the shape, a kernel ends, alone and
 * with another beside it, every counter is conserved, the values are those of a run without timing, and the order of
 * visits does not matter. test_gpu_random [ROUNDS [SEED]] */
#include "gpu_rig.h"

#include "base/rng.h"

static unsigned rounds = 25;
static uint64_t first_seed = 1;

/* Threads of a CTA write words of their own and add to shared places, so that the result does not depend on time. */
static const char kernel[] =
    ".shared .align 4 .b8 buf[512]; .local .align 4 .b8 mine[32];\n"
    "mad.lo.u32 %r3, %r2, 96, %r1; mul.wide.u32 %rd4, %r3, 4; add.u64 %rd4, %rd1, %rd4; mov.u64 %rd3, 0; mov.u32 "
    "%r9, 1;"
    "mov.u32 %r20, buf; mad.lo.u32 %r20, %r1, 4, %r20; mov.u64 %rd9, mine;"
    "L: mul.lo.u32 %r4, %r3, 7919; add.u32 %r4, %r4, %r9; and.b32 %r4, %r4, 0x1fffc; cvt.u64.u32 %rd5, %r4; add.u64 "
    "%rd5, %rd1, %rd5;"
    "ld.global.u32 %r5, [%rd5+524288]; ld.global.cg.u32 %r6, [%rd5+1048576]; add.u32 %r9, %r9, %r5; add.u32 %r9, %r9, "
    "%r6;"
    "st.local.u32 [%rd9], %r9; red.global.add.u32 [%rd1+262144], 1; and.b32 %r7, %r3, 5; setp.eq.u32 %p2, %r7, 0;"
    "@%p2 bra A; atom.global.add.u32 %r8, [%rd5+131072], 3; st.shared.u32 [%r20], %r8; A: bar.sync 0; membar.gl;"
    "ld.local.u32 %r10, [%rd9]; add.u32 %r9, %r10, 7; st.global.u32 [%rd4], %r9; add.u64 %rd3, %rd3, 1; setp.lt.u64 "
    "%p1, %rd3, %rd2; @%p1 bra L;";

struct knob {
  const char *key;
  const char *values[4];
};
static const struct knob knobs[] = {
    {"gpu.sms", {"1", "2", "3", "9"}},
    {"gpu.core_clock", {"700", "1400", "1000", "333"}},
    {"gpu.noc_clock", {"700", "1400", "1000", "500"}},
    {"gpu.l2_clock", {"700", "650", "1000", "100"}},
    {"gpu.dram_clock", {"924", "1848", "500", "177"}},
    {"sm.schedulers", {"1", "2", "4", "2"}},
    {"sm.scheduler", {"\"gto\"", "\"lrr\"", "\"two-level\"", "\"ccws\""}},
    {"sm.lsu_queue", {"1", "2", "4", "8"}},
    {"sm.reply_queue", {"1", "2", "8", "8"}},
    {"sm.pipes.sp", {"1", "2", "4", "1"}},
    {"sm.inst_cache", {"128", "256", "4096", "4096"}},
    {"sm.instruction_bytes", {"8", "16", "8", "1"}},
    {"l1.mshrs", {"1", "2", "16", "64"}},
    {"l1.merges", {"1", "2", "8", "8"}},
    {"l1.queue", {"1", "2", "8", "8"}},
    {"l1.sets", {"1", "4", "32", "64"}},
    {"l1.ways", {"1", "2", "4", "6"}},
    {"l1.granule", {"128", "32", "64", "128"}},
    {"l1.allocate", {"\"miss\"", "\"fill\"", "\"miss\"", "\"fill\""}},
    {"l1.tags_per_cycle", {"1", "4", "2", "1"}},
    {"noc.input_buffer", {"1", "2", "8", "8"}},
    {"noc.output_buffer", {"1", "2", "8", "8"}},
    {"noc.inject_queue", {"1", "2", "8", "8"}},
    {"noc.flit_bytes", {"8", "16", "32", "64"}},
    {"noc.pipeline", {"1", "2", "5", "2"}},
    {"noc.speedup", {"1", "2", "1", "2"}},
    {"l2.sets", {"1", "4", "16", "64"}},
    {"l2.ways", {"1", "2", "4", "8"}},
    {"l2.sectored", {"true", "false", "true", "false"}},
    {"l2.mshrs", {"1", "2", "16", "64"}},
    {"l2.mshr_merge", {"1", "2", "4", "8"}},
    {"l2.input_queue", {"1", "2", "8", "8"}},
    {"l2.access_queue", {"1", "2", "8", "8"}},
    {"l2.miss_queue", {"3", "4", "8", "8"}},
    {"l2.fill_queue", {"1", "2", "8", "8"}},
    {"l2.slices_per_channel", {"1", "2", "1", "2"}},
    {"dram.channels", {"1", "2", "3", "4"}},
    {"dram.queue", {"1", "2", "16", "64"}},
    {"dram.input_queue", {"1", "2", "8", "8"}},
    {"dram.return_queue", {"1", "2", "8", "64"}},
    {"dram.scheduler", {"\"frfcfs\"", "\"fcfs\"", "\"bank-turns\"", "\"bank-turns\""}},
    {"dram.tREFI", {"0", "3000", "0", "1000"}},
    {"dram.tRFC", {"50", "100", "50", "100"}},
    {"gpu.cta_scheduler", {"\"round-robin\"", "\"two-level\"", "\"block\"", "\"distributed\""}},
    {"l1.bypass", {"\"none\"", "\"bucl-dyn\"", "\"mrpb\"", "\"bucl-prf\""}},
    {"reply.compress", {"\"none\"", "\"dpc\"", "\"cpack\"", "\"bdi\""}},
    {"dpc.compress_latency", {"1", "2", "7", "30"}},
    {"dpc.decompress_latency", {"0", "1", "3", "40"}},
    {"l1.bucl.period", {"7", "100", "1000", "30"}},
    {"l1.bucl.profile", {"10", "100", "1000", "333"}},
    {"sm.warp_limit", {"0", "1", "3", "0"}},
    {"sm.dual_issue", {"false", "true", "false", "true"}},
    /* as GPGPU-Sim does */
    {"sm.register_banks", {"0", "16", "4", "1"}},
    {"sm.parallel_reads", {"false", "true", "false", "true"}},
    {"sm.memory_stage", {"false", "true", "false", "true"}},
    {"sm.instruction_buffer", {"0", "2", "1", "2"}},
    {"sm.reply_latency", {"0", "2", "0", "5"}},
    {"sm.exit_latency", {"0", "6", "0", "1"}},
    {"sm.units", {"\"kinds\"", "\"opcodes\"", "\"kinds\"", "\"opcodes\""}},
    {"sm.imul_sfu", {"false", "true", "false", "true"}},
    {"sm.coalesce", {"\"lines\"", "\"segments\"", "\"lines\"", "\"segments\""}},
    {"sm.atomic_parts", {"1", "2", "1", "2"}},
    {"sm.atomic_segment", {"128", "32", "64", "128"}},
    {"sm.keep_caches", {"\"none\"", "\"readonly\"", "\"all\"", "\"none\""}},
    {"sm.alternate_schedulers", {"false", "true", "false", "true"}},
    {"sm.packed_code", {"false", "true", "false", "true"}},
    {"l1.round_stores", {"false", "true", "false", "true"}},
    {"noc.vc_stage", {"false", "true", "false", "true"}},
    {"noc.output_latency", {"0", "3", "1", "0"}},
    {"noc.reply_inject_queue", {"0", "1", "2", "0"}},
    {"l2.unbounded_latency", {"false", "true", "false", "true"}},
    {"l2.textures_direct", {"false", "true", "false", "true"}},
    {"l2.single_port", {"false", "true", "false", "true"}},
    {"l2.constant_pairs", {"false", "true", "false", "true"}},
    {"sm.const_line", {"\"64\"", "\"128\"", "\"64\"", "\"128\""}},
    {"l2.write_miss", {"\"validate\"", "\"fetch\"", "\"validate\"", "\"fetch\""}},
    {"dram.queue_serving", {"true", "false", "true", "false"}},
    {"dram.rotate_banks", {"false", "true", "false", "true"}},
    {"gpu.cta_turns", {"false", "true", "false", "true"}},
    /* as an H200 does */
    {"sm.lower", {"false", "true", "false", "true"}},
    {"sm.assembler_order", {"false", "true", "false", "true"}},
    {"sm.fetch_latency", {"0", "2", "0", "5"}},
    {"sm.return_interval", {"0", "2", "0", "1"}},
    {"l1.store_bytes", {"0", "32", "0", "64"}},
    {"l1.join_stores", {"0", "4", "0", "1"}},
    {"l2.partitions", {"1", "2", "1", "2"}},
    {"l2.far_latency", {"0", "50", "1", "0"}},
    {"l2.far_queue", {"1", "2", "8", "512"}},
    {"l2.hold_writes", {"false", "true", "false", "true"}},
    {"l2.dirty_ways", {"0", "1", "0", "2"}},
    {"l2.coalesce", {"1", "4", "1", "8"}},
    {"l2.coalesce_groups", {"2", "2", "4", "6"}},
};

/* Data filtering, in one GPU of three, and what it needs. */
static const struct knob filtering[] = {
    {"l1.granule", {"128", "128", "128", "128"}},
    {"l1.allocate", {"\"miss\"", "\"miss\"", "\"miss\"", "\"miss\""}},
    {"reply.filter", {"\"df-truc\"", "\"df-man\"", "\"df-truc\"", "\"df-man\""}},
    {"reply.compress", {"\"dpc\"", "\"dpc\"", "\"fpc\"", "\"bdi\""}},
    {"reply.predict", {"true", "false", "true", "false"}},
    {"reply.learn", {"\"asked\"", "\"demanded\"", "\"asked\"", "\"demanded\""}},
    {"reply.table", {"0", "1", "3", "256"}},
};
enum { FILTERING = sizeof filtering / sizeof *filtering };

static bool is_filtering(const char *key) {
  for (size_t i = 0; i < FILTERING; i++)
    if (!strcmp(filtering[i].key, key)) return true;
  return false;
}

static void draw(struct rng *g, struct str *out) {
  bool filters = !rng_below(g, 3);
  str_add(out, "gpu.clusters = 1\ngpu.memory = \"256M\"\ndram.map = \"modulo\"\n");
  for (size_t i = 0; i < sizeof knobs / sizeof *knobs; i++)
    if (!filters || !is_filtering(knobs[i].key)) str_add(out, "%s = %s\n", knobs[i].key, knobs[i].values[rng_below(g, 4)]);
  for (size_t i = 0; i < FILTERING && filters; i++)
    str_add(out, "%s = %s\n", filtering[i].key, filtering[i].values[rng_below(g, 4)]);
}

enum { SECOND = 2 << 20, AFTER = 150 /* core cycles */ };

/* The same kernel on data of its own. */
static struct exec_grid second_grid(const struct rig *r, uint64_t *params) {
  struct exec_grid g = r->grid;
  params[0] = r->data + SECOND;
  params[1] = r->params[1];
  g.params = (unsigned char *)params;
  g.id = 2;
  return g;
}

/* The grid, and another that comes a little later, to their ends. */
static enum gpu_end run_both(struct rig *r) {
  uint64_t params[2], ticket;
  struct exec_grid second = second_grid(r, params);
  struct gpu_finished f;
  enum gpu_end end = gpu_submit(r->gpu, &(struct gpu_launch){.grid = &r->grid}, &ticket, &r->err);
  if (end == GPU_DONE) end = gpu_advance(r->gpu, AFTER, &f, &r->err);
  if (end == GPU_LATER || end == GPU_DONE) end = gpu_submit(r->gpu, &(struct gpu_launch){.grid = &second}, &ticket, &r->err);
  while (end == GPU_DONE) end = gpu_advance(r->gpu, UINT64_MAX, &f, &r->err);
  return end == GPU_LATER ? GPU_DONE : end;
}

static uint64_t *run_one(const char *config, uint64_t shuffle, bool both, uint64_t *sum, size_t *n) {
  struct rig r;
  rig_open(&r, config, NULL);
  if (shuffle) gpu_shuffle_visits(r.gpu, shuffle);
  rig_load(&r, kernel, 10, 96, 2);
  if ((both ? run_both(&r) : rig_go(&r)) != GPU_DONE) {
    fprintf(stderr, "with\n%s", config);
    fail_msg("%s", r.err.text);
  }
  *sum = rig_sum(&r);
  *n = stats_count(gpu_stats(r.gpu));
  uint64_t *all = calloc(*n + 1, sizeof *all);
  stats_snapshot(gpu_stats(r.gpu), all);
  all[*n] = gpu_cycles(r.gpu);
  rig_close(&r);
  return all;
}

static uint64_t without_timing(bool both) {
  struct rig r;
  uint64_t params[2];
  rig_open(&r, ONE_SM, NULL);
  rig_load(&r, kernel, 10, 96, 2);
  struct exec_grid second = second_grid(&r, params);
  if (!exec_run_grid(&r.grid, &r.err)) fail_msg("%s", r.err.text);
  if (both && !exec_run_grid(&second, &r.err)) fail_msg("%s", r.err.text);
  uint64_t sum = rig_sum(&r);
  rig_close(&r);
  return sum;
}

static void any_shape(bool both) {
  uint64_t want = without_timing(both);
  for (unsigned i = 0; i < (both ? (rounds + 1) / 2 : rounds); i++) {
    struct rng g = {first_seed + i};
    struct str config = {0};
    draw(&g, &config);
    uint64_t sum, shuffled_sum;
    size_t n, m;
    uint64_t *a = run_one(config.s, 0, both, &sum, &n), *b = run_one(config.s, 77 + i, both, &shuffled_sum, &m);
    for (size_t k = 0; k <= n; k++)
      if (a[k] != b[k]) fail_msg("seed %u: statistic %zu depends on the order of visits, with\n%s", i, k, config.s);
    if (sum != want || shuffled_sum != want) fail_msg("seed %u: other values, with\n%s", i, config.s);
    free(a);
    free(b);
    str_free(&config);
  }
}

static void test_any_shape_runs_conserves_and_does_not_depend_on_the_order_of_visits(void **state) {
  (void)state;
  any_shape(false);
}

static void test_any_shape_runs_two_kernels_beside_each_other(void **state) {
  (void)state;
  any_shape(true);
}

int main(int argc, char **argv) {
  if (argc > 1) rounds = (unsigned)atoi(argv[1]);
  if (argc > 2) first_seed = strtoull(argv[2], NULL, 0);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_any_shape_runs_conserves_and_does_not_depend_on_the_order_of_visits),
      cmocka_unit_test(test_any_shape_runs_two_kernels_beside_each_other),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
