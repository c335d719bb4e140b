/* Modes of the last-level cache in whole GPUs: changes under load lose nothing, every step's cost to the cycle, profiles
 * and epochs at their edge, kernels with atomics, flushing at a kernel's end, refusals, determinism. */
#include "gpu_rig.h"

#include "base/rng.h"
#include "test_stats.h"

/* Eight SMs in four clusters on two controllers of four slices, one clock. */
#define EIGHT_SMS                                                                                                      \
  "gpu.sms = 8\ngpu.clusters = 4\ngpu.core_clock = 1000\ngpu.noc_clock = 1000\ngpu.l2_clock = 1000\n"                  \
  "gpu.dram_clock = 1000\ngpu.memory = \"256M\"\nsm.instruction_bytes = 1\nl1.mshrs = 16\nl2.sets = 16\nl2.ways = 8\n" \
  "l2.slices_per_channel = 4\ndram.channels = 2\ndram.map = \"modulo\"\nnoc.topology = \"hxbar\"\nnoc.pipeline = 4\n"
/* Private after every profile in which the directory saw anything. */
#define ALWAYS "llc.mode = \"adaptive\"\nllc.similar = 100\n"

enum { LINE_WORDS = 32, FIRST_WRITTEN = 1 << 20 };

/* A warp a CTA. Turn i of CTA c reads two lines of a table that all share, writes line i * CTAs + c and does some
 * arithmetic: every line is written once, in full. */
static const char writer[] =
    "mov.u64 %rd3, 0; mov.u32 %r10, %nctaid.x;\n"
    "L: cvt.u32.u64 %r3, %rd3; mad.lo.u32 %r4, %r3, %r10, %r2; mul.lo.u32 %r5, %r4, 7919; and.b32 %r5, %r5, 2047;\n"
    "mad.lo.u32 %r6, %r5, 32, %r1; mul.wide.u32 %rd4, %r6, 4; add.u64 %rd4, %rd1, %rd4; ld.global.u32 %r7, [%rd4];\n"
    "xor.b32 %r5, %r5, 1365; mad.lo.u32 %r6, %r5, 32, %r1; mul.wide.u32 %rd4, %r6, 4; add.u64 %rd4, %rd1, %rd4;\n"
    "ld.global.u32 %r8, [%rd4]; add.u32 %r7, %r7, %r8; mad.lo.u32 %r7, %r4, 3, %r7; add.u32 %r7, %r7, %r1;\n"
    "mad.lo.u32 %r6, %r4, 32, %r1; mul.wide.u32 %rd4, %r6, 4; add.u64 %rd4, %rd1, %rd4;\n"
    "st.global.u32 [%rd4+1048576], %r7; add.u64 %rd3, %rd3, 1; setp.lt.u64 %p1, %rd3, %rd2; @%p1 bra L;";

/* Arithmetic for `number` turns after one load, so that the directory sees something. */
static const char counter[] =
    "mul.wide.u32 %rd4, %r2, 128; add.u64 %rd4, %rd1, %rd4; ld.global.u32 %r5, [%rd4]; mov.u64 %rd3, 0;\n"
    "L: add.u64 %rd3, %rd3, 1; setp.lt.u64 %p1, %rd3, %rd2; @%p1 bra L; add.u32 %r5, %r5, 1; st.global.u32 [%rd4], %r5;";

enum { SECOND = 2 << 20 }; /* where a second program's data begin */

static uint32_t *words(const struct rig *r, uint64_t at) { return (uint32_t *)rig_data(r) + at / 4; }

static void fill_table_at(struct rig *r, uint64_t at) {
  uint32_t *data = words(r, at);
  for (uint32_t i = 0; i < 2048 * LINE_WORDS; i++) data[i] = i * 2654435761u;
}

static void fill_table(struct rig *r) { fill_table_at(r, 0); }

/* What the kernel should have written. */
static uint32_t expected_word(const uint32_t *table, uint32_t line, uint32_t lane) {
  uint32_t at = line * 7919 & 2047;
  return table[at * 32 + lane] + table[(at ^ 1365) * 32 + lane] + line * 3 + lane;
}

static void expect_written_at(const struct rig *r, uint64_t at, uint32_t lines) {
  const uint32_t *table = words(r, at), *out = words(r, at + FIRST_WRITTEN);
  for (uint32_t l = 0; l < lines; l++)
    for (uint32_t i = 0; i < LINE_WORDS; i++)
      if (out[l * 32 + i] != expected_word(table, l, i)) fail_msg("line %u, word %u: %u", l, i, out[l * 32 + i]);
}
static void expect_written(const struct rig *r, uint32_t lines) { expect_written_at(r, 0, lines); }

/* ---- changes under load ---- */

/* Every line that was written once has reached DRAM once or is still dirty in a slice. */
static void test_changes_under_load_lose_no_dirty_line(void **state) {
  (void)state;
  static const char *const modes[] = {ALWAYS "llc.profile = 400\nllc.epoch = 1500\n", ALWAYS "llc.profile = 150\nllc.epoch = 1600\n",
                                      ALWAYS "llc.profile = 400\nllc.epoch = 1500\nnoc.topology = \"xbar\"\n",
                                      ALWAYS "llc.profile = 400\nllc.epoch = 1500\nl1.bypass = \"mrpb\"\nl2.miss_queue = 2\n",
                                      "llc.mode = \"private\"\n", "llc.mode = \"shared\"\n"};
  for (unsigned m = 0; m < sizeof modes / sizeof *modes; m++) {
    struct rig r;
    rig_open(&r, EIGHT_SMS, modes[m]);
    fill_table(&r);
    rig_run(&r, writer, 64, 32, 60);
    uint64_t through = rig_stat(&r, "l2.write_throughs"), back = rig_stat(&r, "l2.writebacks");
    uint64_t dirty = gpu_dirty_lines(r.gpu);
    if (through + back + dirty != 64 * 60)
      fail_msg("mode %u: %lu written through, %lu back, %lu dirty", m, through, back, dirty);
    assert_int_equal(rig_stat(&r, "dram.writes"), through + back);
    expect_written(&r, 64 * 60);
    if (m < 4) {
      assert_true(rig_stat(&r, "llc.to_private") >= 3);
      assert_true(rig_stat(&r, "llc.to_shared") >= 2);
      assert_true(rig_stat(&r, "llc.written_back") > 0);
      if (!through || !back) fail_msg("mode %u: %lu written through, %lu back", m, through, back);
    }
    if (m == 4) assert_int_equal(through, 64 * 60);
    if (m == 5) assert_int_equal(through, 0);
    rig_close(&r);
  }
}

/* The epoch is over before the change is: it goes back at once, and the kernel still gets on between. */
static void test_an_epoch_may_be_shorter_than_a_change(void **state) {
  (void)state;
  struct rig r;
  rig_open(&r, EIGHT_SMS, ALWAYS "llc.profile = 100\nllc.epoch = 101\n");
  fill_table(&r);
  rig_run(&r, writer, 64, 32, 20);
  expect_written(&r, 64 * 20);
  assert_true(rig_stat(&r, "llc.to_shared") >= 3);
  assert_true(rig_stat(&r, "llc.private_cycles") <= 40 * rig_stat(&r, "llc.to_private") + 40 * rig_stat(&r, "llc.to_shared"));
  rig_close(&r);
}

/* ---- shapes drawn by chance: tables and queues as small as the keys allow ---- */

struct knob {
  const char *key, *values[4];
};
static const struct knob knobs[] = {
    {"gpu.noc_clock", {"700", "1400", "1000", "500"}},
    {"gpu.l2_clock", {"700", "650", "1000", "300"}},
    {"gpu.dram_clock", {"924", "1848", "500", "177"}},
    {"sm.lsu_queue", {"1", "2", "4", "8"}},
    {"sm.reply_queue", {"1", "2", "8", "8"}},
    {"l1.mshrs", {"1", "2", "16", "64"}},
    {"l1.queue", {"1", "2", "8", "8"}},
    {"l1.org", {"\"base\"", "\"tsc+\"", "\"sector\"", "\"base\""}},
    {"noc.topology", {"\"hxbar\"", "\"xbar\"", "\"cxbar\"", "\"hxbar\""}},
    {"noc.input_buffer", {"1", "2", "8", "8"}},
    {"noc.output_buffer", {"1", "2", "8", "8"}},
    {"noc.inject_queue", {"1", "2", "8", "8"}},
    {"noc.flit_bytes", {"8", "16", "32", "64"}},
    {"noc.pipeline", {"1", "2", "5", "4"}},
    {"noc.link_latency", {"1", "3", "1", "7"}},
    {"l2.sets", {"1", "4", "16", "24"}},
    {"l2.ways", {"1", "2", "4", "8"}},
    {"l2.mshrs", {"1", "2", "16", "64"}},
    {"l2.miss_queue", {"2", "3", "8", "8"}},
    {"l2.input_queue", {"1", "2", "8", "8"}},
    {"l2.fill_queue", {"1", "2", "8", "8"}},
    {"dram.queue", {"1", "2", "16", "64"}},
    {"dram.write_queue", {"0", "32", "0", "64"}},
    {"dram.tREFI", {"0", "3000", "0", "1000"}},
    {"dram.tRFC", {"50", "100", "50", "100"}},
    {"llc.profile", {"100", "333", "700", "50"}},
    {"llc.epoch", {"1000", "2500", "5000", "800"}},
    {"llc.gate_latency", {"0", "1", "20", "300"}},
    {"llc.atd_sets", {"1", "8", "64", "3"}},
    {"llc.atd_router", {"\"last\"", "\"any\"", "\"last\"", "\"any\""}},
    {"llc.mode", {"\"adaptive\"", "\"adaptive\"", "\"private\"", "\"adaptive\""}},
};

/* Cycles, after a run whose lines are all accounted for. */
static uint64_t run_drawn(const char *config, uint64_t shuffle) {
  struct rig r;
  rig_open(&r, EIGHT_SMS, config);
  fill_table(&r);
  if (shuffle) gpu_shuffle_visits(r.gpu, shuffle);
  rig_load(&r, writer, 48, 32, 12);
  if (rig_go(&r) != GPU_DONE) fail_msg("%s\nwith\n%s", r.err.text, config);
  uint64_t through = rig_stat(&r, "l2.write_throughs"), back = rig_stat(&r, "l2.writebacks"), dirty = gpu_dirty_lines(r.gpu);
  if (through + back + dirty != 48 * 12) fail_msg("%lu through, %lu back, %lu dirty, with\n%s", through, back, dirty, config);
  expect_written(&r, 48 * 12);
  uint64_t cycles = rig_cycles(&r);
  rig_close(&r);
  return cycles;
}

static void test_any_shape_loses_nothing(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    struct rng g = {seed};
    struct str config = {0};
    str_add(&config, "llc.similar = 100\n");
    for (size_t i = 0; i < sizeof knobs / sizeof *knobs; i++)
      str_add(&config, "%s = %s\n", knobs[i].key, knobs[i].values[rng_below(&g, 4)]);
    uint64_t cycles = run_drawn(config.s, 0);
    if (run_drawn(config.s, 99 + seed) != cycles) fail_msg("the order of visits matters, with\n%s", config.s);
    str_free(&config);
  }
}

/* ---- costs, to the cycle ---- */

struct costs {
  uint64_t cycles, drain, write_back, invalidate, gate, to_private, to_shared;
};

static struct costs count(const char *more, uint64_t turns, unsigned kernels) {
  struct rig r;
  struct str config = {0};
  str_add(&config, "llc.profile = 1000\nllc.epoch = 1000000\n%s", more);
  rig_open(&r, EIGHT_SMS, config.s);
  for (unsigned i = 0; i < kernels; i++) rig_run(&r, counter, 16, 32, turns);
  struct costs c = {gpu_cycles(r.gpu), rig_stat(&r, "llc.drain_cycles"), rig_stat(&r, "llc.write_back_cycles"),
                    rig_stat(&r, "llc.invalidate_cycles"), rig_stat(&r, "llc.gate_cycles"), rig_stat(&r, "llc.to_private"),
                    rig_stat(&r, "llc.to_shared")};
  str_free(&config);
  rig_close(&r);
  return c;
}

/* With nothing in flight, a change to private costs a cycle to see that, a look at the slices, and the routers' power. */
static void test_a_change_costs_its_steps(void **state) {
  (void)state;
  struct costs shared = count("llc.mode = \"shared\"\n", 2000, 1), once = count(ALWAYS, 2000, 1);
  assert_int_equal(once.to_private, 1);
  assert_int_equal(once.gate, 20);
  assert_int_equal(once.drain, 1);
  assert_true(once.write_back >= 1 && once.write_back < 20);
  assert_int_equal(once.invalidate, 0);
  struct costs slow = count(ALWAYS "llc.gate_latency = 137\n", 2000, 1), full = count(ALWAYS "noc.topology = \"xbar\"\n", 2000, 1);
  assert_int_equal(slow.gate, 137);
  assert_int_equal(slow.cycles - once.cycles, 117);
  assert_int_equal(full.gate, 0);
  /* A private reply does not pass the MC-router's pipeline: the last store's answer comes sooner. */
  uint64_t halted = once.drain + once.write_back + once.gate;
  assert_true(once.cycles <= shared.cycles + halted);
  assert_true(once.cycles + 20 >= shared.cycles + halted);
}

/* The next kernel begins private and is made shared first: a set a cycle, then power. */
static void test_back_to_shared_costs_sets_and_power(void **state) {
  (void)state;
  struct costs two = count(ALWAYS, 2000, 2);
  assert_int_equal(two.to_private, 2);
  assert_int_equal(two.to_shared, 1);
  assert_int_equal(two.invalidate, 16);
  assert_int_equal(two.gate, 3 * 20);
  struct costs large = count(ALWAYS "l2.sets = 64\n", 2000, 2);
  assert_int_equal(large.invalidate, 64);
  struct costs slower = count(ALWAYS "gpu.l2_clock = 500\n", 2000, 2);
  assert_int_equal(slower.invalidate, 32);
}

/* A short kernel is over before its profile. */
static void test_a_kernel_shorter_than_a_profile_stays_shared(void **state) {
  (void)state;
  struct costs shared = count("llc.mode = \"shared\"\n", 5, 3), adaptive = count(ALWAYS, 5, 3);
  assert_int_equal(adaptive.to_private, 0);
  assert_int_equal(adaptive.cycles, shared.cycles);
}

/* ---- profiles and epochs at t - 1 and t ---- */

static uint64_t stat_after(const char *more, uint64_t cycles, const char *name) {
  struct rig r;
  rig_open(&r, EIGHT_SMS, more);
  gpu_set_limits(r.gpu, &(struct gpu_limits){.max_cycles = cycles});
  rig_load(&r, counter, 16, 32, 1000000);
  assert_int_equal(rig_go(&r), GPU_STOPPED);
  uint64_t n = rig_stat(&r, name);
  rig_close(&r);
  return n;
}

/* What happens at cycle t is seen by a run that ends after it. */
static void test_a_profile_ends_at_its_cycle(void **state) {
  (void)state;
  static const char more[] = ALWAYS "llc.profile = 1000\nllc.epoch = 5000\n";
  assert_int_equal(stat_after(more, 1000, "llc.profiles"), 0);
  assert_int_equal(stat_after(more, 1001, "llc.profiles"), 1);
  assert_int_equal(stat_after(more, 1001, "llc.to_private"), 0);
}

/* Nothing is dirty and nothing under way: drained after 1 cycle, written back (nothing) after a cycle or two more, power
 * switched 20 later. Then private until the epoch ends. */
static void test_private_from_the_change_to_the_epochs_end(void **state) {
  (void)state;
  static const char more[] = ALWAYS "llc.profile = 1000\nllc.epoch = 5000\n";
  uint64_t back = stat_after(more, 4000, "llc.write_back_cycles"), at = 1000 + 1 + back + 20;
  assert_int_equal(stat_after(more, at, "llc.to_private"), 0);
  assert_int_equal(stat_after(more, at + 1, "llc.to_private"), 1);
  assert_int_equal(stat_after(more, at + 100, "llc.private_cycles"), 100);
  assert_int_equal(stat_after(more, at + 100, "noc.request_gated_cycles"), 2 * 100);
  /* Drained (1), 16 sets, power (20). */
  assert_int_equal(stat_after(more, 5000 + 37, "llc.to_shared"), 0);
  assert_int_equal(stat_after(more, 5000 + 38, "llc.to_shared"), 1);
  assert_int_equal(stat_after(more, 5000 + 1000, "llc.private_cycles"), 5000 + 37 - at);
  /* The second profile begins when the L2 is shared again. */
  assert_int_equal(stat_after(more, 5037 + 1000, "llc.profiles"), 1);
  assert_int_equal(stat_after(more, 5037 + 1001, "llc.profiles"), 2);
}

/* Where nothing is decided the L2 is watched again at the next epoch. */
static void test_a_shared_cache_is_watched_every_epoch(void **state) {
  (void)state;
  static const char more[] = "llc.mode = \"adaptive\"\nllc.similar = 0\nllc.profile = 10\nllc.epoch = 2000\n";
  assert_int_equal(stat_after(more, 2000, "llc.profiles"), 1);
  assert_int_equal(stat_after(more, 2000, "llc.stayed_shared"), 1);
  assert_int_equal(stat_after(more, 2010, "llc.profiles"), 1);
  assert_int_equal(stat_after(more, 2011, "llc.profiles"), 2);
}

static void run_for(struct rig *r, const char *more, uint64_t cycles) {
  rig_open(r, EIGHT_SMS, more);
  gpu_set_limits(r->gpu, &(struct gpu_limits){.max_cycles = cycles});
  rig_load(r, counter, 16, 32, 1000000);
  assert_int_equal(rig_go(r), GPU_STOPPED);
}

/* Sixteen CTAs read a line each, two a slice; each of eight SMs reads the line of code and that of the parameters, both of slice 0.
 * That makes 18 of 32 accesses there, of four lines, which the directory follows; the second SM of a cluster finds the two lines
 * that the first has touched. All that the first cluster reads is with one controller. A slice gives 32 GB/s, memory 64. */
static void test_what_a_profile_has_seen(void **state) {
  (void)state;
  struct rig r;
  run_for(&r, ALWAYS "llc.profile = 1000\nllc.epoch = 5000\nllc.atd_sets = 16\nllc.atd_router = \"any\"\n", 2000);
  expect_stats(gpu_stats(r.gpu), {"llc.profiles", 1}, {"llc.rule_1", 1}, {"llc.rule_2", 0}, {"llc.stayed_shared", 0},
               {"llc.profile_accesses", 16 + 8 + 8}, {"llc.profile_misses", 16 + 1 + 1}, {"llc.sampled_accesses", 2 + 8 + 8},
               {"llc.sampled_hits", 18 - 4}, {"llc.sampled_private_hits", 4 + 4}, {"llc.shared_lsp_sum", 1778 /* 32 / 18 */},
               {"llc.private_lsp_sum", 4 * 1000}, {"llc.shared_bandwidth_sum", 60889 /* 14/32 x 32/18 x 32000 + 18/32 x 64000 */},
               {"llc.private_bandwidth_sum", 92444 /* 8/18 x 4 x 32000 + 10/18 x 64000 */});
  rig_close(&r);
  /* The directory's last router has never touched a line before: a private L2 would miss always, but give 64 GB/s. */
  run_for(&r, "llc.mode = \"adaptive\"\nllc.profile = 1000\nllc.epoch = 5000\nllc.atd_sets = 16\n", 2000);
  expect_stats(gpu_stats(r.gpu), {"llc.rule_1", 0}, {"llc.rule_2", 1}, {"llc.stayed_shared", 0}, {"llc.sampled_private_hits", 0},
               {"llc.private_bandwidth_sum", 64000});
  rig_close(&r);
}

/* To private at 1000: drained and written back in a cycle each, power in 20. Back at 5000: drained, 16 sets, power again. */
static void test_cycles_of_every_step(void **state) {
  (void)state;
  struct rig r;
  run_for(&r, ALWAYS "llc.profile = 1000\nllc.epoch = 5000\n", 6000);
  expect_stats(gpu_stats(r.gpu), {"llc.to_private", 1}, {"llc.to_shared", 1}, {"llc.drain_cycles", 1 + 1}, {"llc.write_back_cycles", 1},
               {"llc.invalidate_cycles", 16}, {"llc.gate_cycles", 2 * 20}, {"llc.written_back", 0},
               {"llc.private_cycles", 5037 - 1022});
  rig_close(&r);
}

/* ---- kernels ---- */

static void test_atomics_are_done_in_a_shared_cache(void **state) {
  (void)state;
  static const char atomic[] = "atom.global.add.u32 %r5, [%rd1], 1;";
  static const char in_shared_memory[] = ".shared .align 4 .b8 buf[16];\nmov.u32 %r4, buf; atom.shared.add.u32 %r5, [%r4], 1;";
  struct rig r;
  rig_open(&r, EIGHT_SMS, "llc.mode = \"private\"\n");
  rig_run(&r, in_shared_memory, 8, 32, 0);
  assert_int_equal(rig_stat(&r, "llc.to_shared"), 0);
  rig_run(&r, atomic, 8, 32, 0);
  assert_int_equal(rig_stat(&r, "llc.atomic_kernels"), 1);
  assert_int_equal(rig_stat(&r, "llc.to_shared"), 1);
  assert_int_equal(*(uint32_t *)rig_data(&r), 8 * 32);
  assert_int_equal(gpu_dirty_lines(r.gpu), 1);
  rig_run(&r, counter, 8, 32, 10);
  assert_int_equal(rig_stat(&r, "llc.to_private"), 1);
  assert_int_equal(rig_stat(&r, "llc.written_back"), 1);
  assert_int_equal(gpu_dirty_lines(r.gpu), 0);
  rig_close(&r);
}

static void test_atomics_are_not_profiled(void **state) {
  (void)state;
  struct rig r;
  rig_open(&r, EIGHT_SMS, ALWAYS "llc.profile = 100\nllc.epoch = 1000\n");
  rig_run(&r, "mov.u64 %rd3, 0; L: atom.global.add.u32 %r5, [%rd1], 1; add.u64 %rd3, %rd3, 1; setp.lt.u64 %p1, %rd3, 50; @%p1 bra L;",
          8, 32, 0);
  assert_int_equal(rig_stat(&r, "llc.profiles"), 0);
  rig_close(&r);
}

static const char reader[] = "mad.lo.u32 %r3, %r2, 32, %r1; mul.wide.u32 %rd4, %r3, 4; add.u64 %rd4, %rd1, %rd4;\n"
                             "ld.global.u32 %r5, [%rd4]; st.shared.u32 [buf], %r5;";

/* The same lines again: a shared cache still has them, a private one was emptied with the L1. */
static void test_private_slices_are_flushed_at_a_kernels_end(void **state) {
  (void)state;
  for (unsigned own = 0; own < 2; own++) {
    struct rig r;
    struct str text = {0};
    str_add(&text, ".shared .align 4 .b8 buf[16];\n%s", reader);
    rig_open(&r, EIGHT_SMS, own ? "llc.mode = \"private\"\n" : NULL);
    rig_run(&r, text.s, 32, 32, 0);
    uint64_t first = rig_stat(&r, "l2.read_misses");
    rig_run(&r, text.s, 32, 32, 0);
    uint64_t second = rig_stat(&r, "l2.read_misses") - first;
    assert_true(first >= 32);
    if (own) assert_true(second >= 32);
    else assert_true(second < 4); /* its instructions */
    str_free(&text);
    rig_close(&r);
  }
}

/* Lines read by a CTA of every SM, data and instructions: once from DRAM if slices are shared, once a cluster if they are
 * private. */
static void test_each_cluster_has_a_copy_of_its_own(void **state) {
  (void)state;
  uint64_t reads[2];
  for (unsigned own = 0; own < 2; own++) {
    struct rig r;
    rig_open(&r, EIGHT_SMS, own ? "llc.mode = \"private\"\n" : NULL);
    rig_run(&r, ".shared .align 4 .b8 buf[16];\nld.global.u32 %r5, [%rd1]; st.shared.u32 [buf], %r5;", 8, 32, 0);
    assert_int_equal(rig_stat(&r, "l1d.misses"), 8);
    reads[own] = rig_stat(&r, "dram.reads");
    rig_close(&r);
  }
  assert_true(reads[0] > 0);
  assert_int_equal(reads[1], 4 * reads[0]);
}

/* ---- what it is for ---- */

/* All SMs read one line again and again past their L1D. A shared cache has it in one slice; private ones have a copy a
 * cluster, so that four slices answer. */
static const char hot_line[] =
    "mov.u64 %rd3, 0; mov.u32 %r9, 0; mul.wide.u32 %rd4, %r1, 4; add.u64 %rd4, %rd1, %rd4;\n"
    "L: ld.global.cg.u32 %r5, [%rd4]; ld.global.cg.u32 %r6, [%rd4]; ld.global.cg.u32 %r7, [%rd4];\n"
    "add.u32 %r9, %r9, %r5; add.u32 %r9, %r9, %r6; add.u32 %r9, %r9, %r7; add.u64 %rd3, %rd3, 1;\n"
    "setp.lt.u64 %p1, %rd3, %rd2; @%p1 bra L; mad.lo.u32 %r8, %r2, 32, %r1; mul.wide.u32 %rd5, %r8, 4; add.u64 %rd5, %rd1, %rd5;\n"
    "st.global.u32 [%rd5+1048576], %r9;";

static uint64_t read_hot_line(const char *more, uint64_t *rule_2) {
  struct rig r;
  struct str config = {0};
  str_add(&config, "llc.profile = 2000\nllc.epoch = 100000\n%s", more);
  rig_open(&r, EIGHT_SMS, config.s);
  rig_run(&r, hot_line, 64, 32, 60);
  uint64_t cycles = rig_cycles(&r);
  *rule_2 = rig_stat(&r, "llc.rule_2");
  str_free(&config);
  rig_close(&r);
  return cycles;
}

static void test_private_slices_answer_a_hot_line_in_parallel(void **state) {
  (void)state;
  uint64_t none, chosen;
  uint64_t shared = read_hot_line("", &none), own = read_hot_line("llc.mode = \"private\"\n", &none),
           adaptive = read_hot_line("llc.mode = \"adaptive\"\n", &chosen);
  if (shared < 3 * own) fail_msg("shared %lu, private %lu cycles", shared, own);
  assert_int_equal(chosen, 1);
  if (adaptive > own + 3000) fail_msg("private %lu, adaptive %lu cycles", own, adaptive);
}

/* ---- programs side by side ---- */

/* The first runs `first` turns, the second, whose data are elsewhere, `second`, on the other half of each cluster. */
static void run_two(struct rig *r, uint64_t first, uint64_t second) {
  struct exec_grid grids[2];
  uint64_t params[2][2] = {{r->data, first}, {r->data + SECOND, second}}, ticket[2];
  struct gpu_finished f;
  fill_table(r);
  fill_table_at(r, SECOND);
  assert_true(gpu_set_programs(r->gpu, 2, &r->err));
  rig_load(r, writer, 32, 32, 0);
  for (unsigned i = 0; i < 2; i++) {
    grids[i] = r->grid;
    grids[i].params = (unsigned char *)params[i];
    grids[i].id = i + 1;
    struct gpu_launch l = {.grid = &grids[i], .program = i};
    if (gpu_submit(r->gpu, &l, &ticket[i], &r->err) != GPU_DONE) fail_msg("%s", r->err.text);
  }
  for (unsigned i = 0; i < 2; i++)
    if (gpu_advance(r->gpu, UINT64_MAX, &f, &r->err) != GPU_DONE) fail_msg("%s", r->err.text);
}

/* One program's writes go through and the other's do not; neither loses a line when the other changes or ends. */
static void test_programs_have_modes_of_their_own(void **state) {
  (void)state;
  static const struct {
    const char *modes;
    uint64_t first, second, through;
  } cases[] = {{"shared:private", 60, 30, 32 * 30},
               {"private:shared", 60, 30, 32 * 60},
               {"private", 60, 30, 32 * 60},
               {"private:private", 20, 70, 32 * 90},
               {"shared:shared", 60, 30, 0}};
  for (unsigned m = 0; m < sizeof cases / sizeof *cases; m++) {
    struct rig r;
    struct str more = {0};
    str_add(&more, "llc.program_modes = \"%s\"\n", cases[m].modes);
    rig_open(&r, EIGHT_SMS, more.s);
    run_two(&r, cases[m].first, cases[m].second);
    uint64_t through = rig_stat(&r, "l2.write_throughs"), back = rig_stat(&r, "l2.writebacks");
    assert_int_equal(through, cases[m].through);
    assert_int_equal(through + back + gpu_dirty_lines(r.gpu), 32 * (cases[m].first + cases[m].second));
    assert_int_equal(rig_stat(&r, "noc.request_gated_cycles"), 0);
    expect_written(&r, (uint32_t)(32 * cases[m].first));
    expect_written_at(&r, SECOND, (uint32_t)(32 * cases[m].second));
    str_free(&more);
    rig_close(&r);
  }
}

/* Changes of one program, or of both, while the other goes on. */
static void test_programs_change_their_modes_apart(void **state) {
  (void)state;
  static const char *const modes[] = {"adaptive:shared", "shared:adaptive", "adaptive:adaptive", "adaptive:private"};
  for (unsigned m = 0; m < sizeof modes / sizeof *modes; m++) {
    struct rig r;
    struct str more = {0};
    str_add(&more, "llc.similar = 100\nllc.profile = 300\nllc.epoch = 2000\nllc.program_modes = \"%s\"\n", modes[m]);
    rig_open(&r, EIGHT_SMS, more.s);
    run_two(&r, 60, 50);
    uint64_t through = rig_stat(&r, "l2.write_throughs"), back = rig_stat(&r, "l2.writebacks");
    assert_int_equal(through + back + gpu_dirty_lines(r.gpu), 32 * 110);
    assert_true(rig_stat(&r, "llc.to_private") >= 2);
    assert_true(rig_stat(&r, "llc.to_shared") >= 1);
    expect_written(&r, 32 * 60);
    expect_written_at(&r, SECOND, 32 * 50);
    str_free(&more);
    rig_close(&r);
  }
}

/* ---- refusals, determinism ---- */

static void expect_refused(const char *more, const char *key, const char *words) {
  struct cfg *cfg = gpu_cfg_new();
  struct err e = {0};
  if (!cfg_read_text(cfg, "test.toml", EIGHT_SMS, &e) || !cfg_read_text(cfg, "more.toml", more, &e)) fail_msg("%s", e.text);
  assert_null(gpu_new(cfg, &e));
  if (!strstr(e.text, key) || !strstr(e.text, words)) fail_msg("does not say \"%s\" and \"%s\": %s", key, words, e.text);
  cfg_delete(cfg);
}

static void test_refuses_what_makes_no_sense(void **state) {
  (void)state;
  expect_refused("llc.mode = \"private\"\nnoc.topology = \"xbar\"\ngpu.clusters = 8\n", "llc.mode", "8 and 4");
  expect_refused("llc.mode = \"adaptive\"\nllc.profile = 5000\nllc.epoch = 5000\n", "llc.profile", "llc.epoch");
  expect_refused("llc.mode = \"adaptive\"\ngpu.clusters = 8\n", "gpu.clusters", "8 and 4");
  expect_refused("llc.program_modes = \"shared:own\"\n", "llc.program_modes", "shared private adaptive");
  expect_refused("llc.program_modes = \"shared:private\"\nnoc.topology = \"xbar\"\ngpu.clusters = 8\n", "llc.mode", "8 and 4");
}

static uint64_t *run_once(const char *more, uint64_t shuffle, bool two, size_t *n) {
  struct rig r;
  struct str config = {0};
  str_add(&config, ALWAYS "llc.profile = 300\nllc.epoch = 1200\n%s", more);
  rig_open(&r, EIGHT_SMS, config.s);
  fill_table(&r);
  if (shuffle) gpu_shuffle_visits(r.gpu, shuffle);
  if (two) {
    run_two(&r, 40, 50);
  } else {
    rig_run(&r, writer, 64, 32, 40);
    rig_run(&r, writer, 64, 32, 15);
  }
  *n = stats_count(gpu_stats(r.gpu));
  uint64_t *all = calloc(*n + 1, sizeof *all);
  stats_snapshot(gpu_stats(r.gpu), all);
  all[*n] = gpu_cycles(r.gpu);
  assert_true(rig_stat(&r, "llc.to_private") >= 2);
  str_free(&config);
  rig_close(&r);
  return all;
}

static void test_the_same_on_any_number_of_threads_in_any_order(void **state) {
  (void)state;
  static const char *const ways[] = {"", "gpu.threads = 2\ngpu.all_threads = true\n", "gpu.threads = 4\ngpu.all_threads = true\n",
                                     "", "", ""};
  for (unsigned two = 0; two < 2; two++) {
    size_t n, m;
    uint64_t *want = run_once("", 0, two, &n);
    for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++) {
      uint64_t *got = run_once(ways[i], i < 3 ? 0 : i, two, &m);
      assert_int_equal(m, n);
      for (size_t k = 0; k <= n; k++)
        if (got[k] != want[k]) fail_msg("way %u: statistic %zu is %lu instead of %lu", i, k, got[k], want[k]);
      free(got);
    }
    free(want);
  }
}

/* ---- lines that persist ---- */

/* A line a CTA: reads line CTA + number. */
static const char line_reader[] = "cvt.u32.u64 %r3, %rd2; add.u32 %r3, %r3, %r2; mul.wide.u32 %rd4, %r3, 128; add.u64 %rd4, %rd1, %rd4;\n"
                             "mul.wide.u32 %rd5, %r1, 4; add.u64 %rd4, %rd4, %rd5; ld.global.cg.u32 %r5, [%rd4];";
enum { L2_LINES = 8 * 16 * 8, WINDOW = L2_LINES / 4 };

/* Reads lines of data with the window of a grid and returns how many of the accesses miss in L2, but for those of instructions and
 * parameters. */
static uint64_t read_lines(struct rig *r, struct exec_l2_window window, unsigned first, unsigned n) {
  enum { OTHERS = 8 };
  uint64_t before = rig_stat(r, "l2.misses");
  rig_load(r, line_reader, n, 32, first);
  window.base = r->data;
  r->grid.window = window;
  if (rig_go(r) != GPU_DONE) fail_msg("%s", r->err.text);
  uint64_t missed = rig_stat(r, "l2.misses") - before;
  return missed <= OTHERS ? 0 : (missed - 1) / OTHERS * OTHERS;
}

static const struct exec_l2_window all_persist = {.bytes = WINDOW * 128, .hit_ratio = 1, .hit = EXEC_L2_PERSISTING};

/* What of the window's lines misses after a kernel that reads four times as many lines as L2 has. */
static uint64_t missing_after_stream(struct rig *r, struct exec_l2_window window, bool reset) {
  assert_int_equal(read_lines(r, window, 0, WINDOW), WINDOW);
  if (reset) gpu_unkeep_lines(r->gpu);
  assert_int_equal(read_lines(r, (struct exec_l2_window){0}, WINDOW, 4 * L2_LINES), 4 * L2_LINES);
  return read_lines(r, (struct exec_l2_window){0}, 0, WINDOW);
}

static uint64_t missing(uint32_t sixteenths, struct exec_l2_window window, bool reset) {
  struct rig r;
  rig_open(&r, EIGHT_SMS, "l2.set_aside = 12\n");
  gpu_set_aside(r.gpu, sixteenths);
  uint64_t n = missing_after_stream(&r, window, reset);
  rig_close(&r);
  return n;
}

static void test_a_window_survives_a_stream_as_far_as_l2_is_set_aside(void **state) {
  (void)state;
  struct exec_l2_window half = all_persist, normal = all_persist;
  half.hit_ratio = 0.5f;
  normal.hit = EXEC_L2_NORMAL;
  assert_int_equal(missing(0, all_persist, false), WINDOW);
  assert_int_equal(missing(4, all_persist, false), 0);
  assert_int_equal(missing(12, all_persist, false), 0);
  assert_int_equal(missing(2, all_persist, false), WINDOW / 2);
  assert_int_equal(missing(4, all_persist, true), WINDOW);
  assert_int_equal(missing(4, normal, false), WINDOW);
  assert_in_range(missing(4, half, false), WINDOW * 4 / 10, WINDOW * 6 / 10);
}

/* A line that persists is one like others after an access with the property normal, or if nothing is set aside any more. */
static void test_lines_cease_to_persist(void **state) {
  (void)state;
  struct exec_l2_window normal = all_persist;
  normal.hit = EXEC_L2_NORMAL;
  for (int way = 0; way < 2; way++) {
    struct rig r;
    rig_open(&r, EIGHT_SMS, "l2.set_aside = 12\n");
    gpu_set_aside(r.gpu, 4);
    assert_int_equal(missing_after_stream(&r, all_persist, false), 0);
    if (way) gpu_set_aside(r.gpu, 0);
    else assert_int_equal(read_lines(&r, normal, 0, WINDOW), 0);
    read_lines(&r, (struct exec_l2_window){0}, WINDOW, 4 * L2_LINES);
    assert_int_equal(read_lines(&r, (struct exec_l2_window){0}, 0, WINDOW), WINDOW);
    rig_close(&r);
  }
}

/* What streams through leaves lines alone that were read before it: each streaming line goes where the one before it was. */
static void test_streaming_lines_are_evicted_first(void **state) {
  (void)state;
  struct exec_l2_window streaming = {.bytes = DATA_BYTES, .hit_ratio = 1, .hit = EXEC_L2_STREAMING};
  struct rig r;
  rig_open(&r, EIGHT_SMS, NULL);
  read_lines(&r, (struct exec_l2_window){0}, 0, L2_LINES / 2);
  read_lines(&r, streaming, L2_LINES / 2, 4 * L2_LINES);
  assert_in_range(read_lines(&r, (struct exec_l2_window){0}, 0, L2_LINES / 2), 0, L2_LINES / 20);
  rig_close(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_changes_under_load_lose_no_dirty_line),
      cmocka_unit_test(test_any_shape_loses_nothing),
      cmocka_unit_test(test_an_epoch_may_be_shorter_than_a_change),
      cmocka_unit_test(test_a_change_costs_its_steps),
      cmocka_unit_test(test_back_to_shared_costs_sets_and_power),
      cmocka_unit_test(test_a_kernel_shorter_than_a_profile_stays_shared),
      cmocka_unit_test(test_a_profile_ends_at_its_cycle),
      cmocka_unit_test(test_private_from_the_change_to_the_epochs_end),
      cmocka_unit_test(test_a_shared_cache_is_watched_every_epoch),
      cmocka_unit_test(test_what_a_profile_has_seen),
      cmocka_unit_test(test_cycles_of_every_step),
      cmocka_unit_test(test_atomics_are_done_in_a_shared_cache),
      cmocka_unit_test(test_atomics_are_not_profiled),
      cmocka_unit_test(test_private_slices_are_flushed_at_a_kernels_end),
      cmocka_unit_test(test_each_cluster_has_a_copy_of_its_own),
      cmocka_unit_test(test_private_slices_answer_a_hot_line_in_parallel),
      cmocka_unit_test(test_programs_have_modes_of_their_own),
      cmocka_unit_test(test_programs_change_their_modes_apart),
      cmocka_unit_test(test_a_window_survives_a_stream_as_far_as_l2_is_set_aside),
      cmocka_unit_test(test_lines_cease_to_persist),
      cmocka_unit_test(test_streaming_lines_are_evicted_first),
      cmocka_unit_test(test_refuses_what_makes_no_sense),
      cmocka_unit_test(test_the_same_on_any_number_of_threads_in_any_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
