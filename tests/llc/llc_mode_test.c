/* Modes of the last-level cache: where requests go, what is refused, the auxiliary tag directory against an obvious
 * model and against full private caches, the bandwidth model and its rules, the storage it takes. */
#include "memtest.h"

#include "llc/llc_profile.h"

/* ---- configuration ---- */

static const struct cfg_key gpu_like[] = {
    {"gpu.sms", CFG_INT, "80", 1, 256, NULL, "", "as in the GPU's table"},
    {"gpu.clusters", CFG_INT, "8", 1, 256, NULL, "", "as in the GPU's table"},
    {"gpu.l2_clock", CFG_REAL, "1400", 1, 100000, NULL, "", "as in the GPU's table"},
    {"gpu.dram_clock", CFG_REAL, "1758", 1, 100000, NULL, "", "as in the GPU's table"},
    {0},
};

/* The paper's GPU with settings after it. */
static struct cfg *paper_cfg(const char *const *settings) {
  const struct cfg_key *tables[] = {llc_keys, llc_mode_keys, dram_keys, dram_timing_keys, mem_map_keys, gpu_like};
  static const char *const base[] = {"dram.channels=8", "l2.slices_per_channel=8", "dram.banks=16", "dram.map=modulo",
                                     "l2.sets=48",      "l2.ways=16",              "dram.bus_bytes=16",       NULL};
  struct cfg *c = with_settings(cfg_new(tables, sizeof tables / sizeof *tables), base);
  return with_settings(c, settings);
}

static struct llc_mode_config paper(const char *const *settings) {
  struct cfg *cfg = paper_cfg(settings);
  struct llc_mode_config c;
  struct err e = {0};
  if (!llc_mode_read(&c, cfg, &e)) fail_msg("%s", e.text);
  cfg_delete(cfg);
  return c;
}

static void expect_refused(const char *const *settings, const char *key, const char *words) {
  struct cfg *cfg = paper_cfg(settings);
  struct llc_mode_config c;
  struct err e = {0};
  assert_false(llc_mode_read(&c, cfg, &e));
  if (!strstr(e.text, key) || !strstr(e.text, words)) fail_msg("does not say \"%s\" and \"%s\": %s", key, words, e.text);
  cfg_delete(cfg);
}

static void test_refuses_gpus_that_cannot_be_private(void **state) {
  (void)state;
  expect_refused(SETTINGS("llc.mode=private", "gpu.clusters=10"), "llc.mode", "10 and 8");
  expect_refused(SETTINGS("llc.mode=adaptive", "l2.slices_per_channel=4"), "llc.mode", "8 and 4");
  expect_refused(SETTINGS("llc.mode=private", "gpu.sms=76"), "gpu.clusters", "76 SMs");
  expect_refused(SETTINGS("llc.mode=private", "l2.partitions=2"), "llc.mode", "l2.partitions");
  expect_refused(SETTINGS("llc.mode=adaptive", "llc.profile=1000", "llc.epoch=1000"), "llc.profile", "llc.epoch");
  paper(SETTINGS("llc.mode=adaptive", "llc.profile=999", "llc.epoch=1000"));
  paper(SETTINGS("llc.mode=shared", "gpu.clusters=10", "l2.partitions=2"));
}

/* ---- views ---- */

static void test_private_slice_is_the_clusters_own_of_the_same_controller(void **state) {
  (void)state;
  struct cfg *cfg = paper_cfg(NULL);
  struct err e = {0};
  struct mem_map *map = mem_map_new(cfg, &e);
  struct rng rng = {5};
  for (unsigned i = 0; i < 10000; i++) {
    uint64_t line = rng_below(&rng, 1 << 24) * 128;
    uint32_t cluster = (uint32_t)rng_below(&rng, 8), shared_slice = mem_map_slice(map, line);
    struct llc_view v = {.map = map, .slices = 8, .cluster = cluster};
    assert_int_equal(llc_view_slice(&v, line), shared_slice);
    v.is_private = true;
    assert_int_equal(llc_view_slice(&v, line) / 8, shared_slice / 8);
    assert_int_equal(llc_view_slice(&v, line) % 8, cluster);
  }
  mem_map_delete(map);
  cfg_delete(cfg);
}

/* ---- the directory against an obvious model: a list in order of use ---- */

enum { SETS = 48, WAYS = 16, SMS_PER_ROUTER = 10 };

struct slow_entry {
  uint64_t line;
  uint32_t routers;
};
struct slow_set {
  struct slow_entry at[WAYS]; /* most recently used first */
  unsigned n;
};

/* Whether the line is there and, in *own, whether this router's bit is set; then it is the most recent. */
static bool slow_access(struct slow_set *s, uint64_t line, uint32_t router, bool any, bool *own) {
  unsigned i = 0;
  while (i < s->n && s->at[i].line != line) i++;
  bool hit = i < s->n;
  struct slow_entry entry = {line, 1u << router};
  *own = hit && s->at[i].routers >> router & 1;
  if (hit && any) entry.routers |= s->at[i].routers;
  if (!hit && s->n == WAYS) i = WAYS - 1;
  if (!hit && s->n < WAYS) i = s->n++;
  memmove(&s->at[1], &s->at[0], i * sizeof s->at[0]);
  s->at[0] = entry;
  return hit;
}

static void test_directory_counts_as_a_list_does(void **state) {
  (void)state;
  for (unsigned any = 0; any < 2; any++) {
    struct llc_mode_config c = paper(SETTINGS(any ? "llc.atd_router=any" : "llc.atd_router=last"));
    struct llc_atd *atd = llc_atd_new(&c, SETS, WAYS, SMS_PER_ROUTER);
    struct slow_set slow[8] = {0};
    struct llc_atd_counts expected = {0};
    struct rng rng = {11 + any};
    for (unsigned i = 0; i < 200000; i++) {
      uint32_t set = (uint32_t)rng_below(&rng, SETS), sm = (uint32_t)rng_below(&rng, 80);
      uint64_t line = (rng_below(&rng, 24) * SETS + set) * 128;
      llc_atd_access(atd, set, line, sm);
      if (set % 6) continue;
      bool own;
      expected.accesses++;
      expected.hits += slow_access(&slow[set / 6], line, sm / SMS_PER_ROUTER, any, &own);
      expected.private_hits += own;
      if (i == 100000) {
        llc_atd_count(atd);
        expected = (struct llc_atd_counts){0};
      }
    }
    struct llc_atd_counts got = llc_atd_counts(atd);
    assert_int_equal(got.accesses, expected.accesses);
    assert_int_equal(got.hits, expected.hits);
    assert_int_equal(got.private_hits, expected.private_hits);
    llc_atd_delete(atd);
  }
}

static struct llc_atd_counts of_lines(const char *router, const uint32_t *sms, unsigned n) {
  struct llc_mode_config c = paper(SETTINGS(router));
  struct llc_atd *atd = llc_atd_new(&c, SETS, WAYS, SMS_PER_ROUTER);
  for (unsigned i = 0; i < n; i++) llc_atd_access(atd, 0, 0, sms[i]);
  struct llc_atd_counts got = llc_atd_counts(atd);
  llc_atd_delete(atd);
  return got;
}

/* Routers 0, 0, 1, 1, 0: with the last, the 2nd and 4th are hits of a private cache; with any, the 5th too. */
static void test_bits_name_the_last_router_or_all(void **state) {
  (void)state;
  static const uint32_t sms[] = {0, 9, 10, 19, 5};
  assert_int_equal(of_lines("llc.atd_router=last", sms, 5).private_hits, 2);
  assert_int_equal(of_lines("llc.atd_router=any", sms, 5).private_hits, 3);
  assert_int_equal(of_lines("llc.atd_router=last", sms, 5).hits, 4);
}

static void test_an_emptied_directory_hits_nothing(void **state) {
  (void)state;
  struct llc_mode_config c = paper(NULL);
  struct llc_atd *atd = llc_atd_new(&c, SETS, WAYS, SMS_PER_ROUTER);
  llc_atd_access(atd, 6, 128, 3);
  llc_atd_clear(atd);
  llc_atd_access(atd, 6, 128, 3);
  assert_int_equal(llc_atd_counts(atd).accesses, 2);
  assert_int_equal(llc_atd_counts(atd).hits, 0);
  llc_atd_delete(atd);
}

/* ---- the estimate against full private caches, on made-up streams over one controller ---- */

/* Next line of a cluster's stream. */
typedef uint64_t (*stream_fn)(struct rng *g, uint32_t cluster, uint64_t i);

static uint64_t own_data(struct rng *g, uint32_t cluster, uint64_t i) {
  (void)i;
  return cluster * 100000 + rng_below(g, 500);
}
static uint64_t once_only(struct rng *g, uint32_t cluster, uint64_t i) {
  (void)g;
  return cluster * 100000000 + i;
}
static uint64_t one_small_table(struct rng *g, uint32_t cluster, uint64_t i) {
  (void)cluster, (void)i;
  return rng_below(g, 400);
}
static uint64_t one_large_table(struct rng *g, uint32_t cluster, uint64_t i) {
  (void)cluster, (void)i;
  return rng_below(g, 4000);
}

struct rates {
  double estimate, truth, shared;
};

/* The controller's slices hold line l in slice l % 8, set l / 8 % SETS; private slices find it in the same set. */
static struct rates compare(stream_fn next, const char *router) {
  enum { ACCESSES = 400000 };
  struct llc_mode_config c = paper(SETTINGS(router));
  struct llc_atd *atd = llc_atd_new(&c, SETS, WAYS, SMS_PER_ROUTER);
  struct slow_set(*own)[SETS] = calloc(8, sizeof *own), (*shared)[SETS] = calloc(8, sizeof *shared);
  struct rng rng = {3};
  uint64_t private_misses = 0, shared_misses = 0;
  for (uint64_t i = 0; i < ACCESSES; i++) {
    uint32_t cluster = (uint32_t)rng_below(&rng, 8);
    uint64_t line = next(&rng, cluster, i), slice = line % 8, set = line / 8 % SETS;
    bool mine;
    private_misses += !slow_access(&own[cluster][set], line, cluster, false, &mine);
    shared_misses += !slow_access(&shared[slice][set], line, cluster, false, &mine);
    if (slice == 0) llc_atd_access(atd, (uint32_t)set, line * 128, cluster * SMS_PER_ROUTER);
  }
  struct llc_atd_counts n = llc_atd_counts(atd);
  llc_atd_delete(atd);
  free(own);
  free(shared);
  return (struct rates){1 - (double)n.private_hits / (double)n.accesses, (double)private_misses / ACCESSES,
                        (double)shared_misses / ACCESSES};
}

static void expect_rate(double got, double low, double high) {
  if (got < low || got > high) fail_msg("%.4f is not between %.4f and %.4f", got, low, high);
}

/* Without sharing the estimate is exact but for the sampling, whichever bits are kept. */
static void test_estimate_without_sharing(void **state) {
  (void)state;
  static const char *const bits[] = {"llc.atd_router=last", "llc.atd_router=any"};
  for (unsigned b = 0; b < 2; b++) {
    struct rates r = compare(own_data, bits[b]);
    expect_rate(r.estimate - r.truth, -0.02, 0.02);
    r = compare(once_only, bits[b]);
    expect_rate(r.estimate, 1, 1);
    expect_rate(r.truth, 1, 1);
  }
}

/* Data that all clusters read at random: with the last router only, a line is seen as a cluster's own one time in eight,
 * though each private cache has it; with all routers the estimate is near. */
static void test_estimate_of_a_small_shared_table(void **state) {
  (void)state;
  struct rates last = compare(one_small_table, "llc.atd_router=last"), any = compare(one_small_table, "llc.atd_router=any");
  expect_rate(last.truth, 0, 0.02);
  expect_rate(last.estimate, 0.85, 0.9);
  expect_rate(any.estimate - any.truth, -0.02, 0.02);
}

/* A table that fits the shared cache and not a private one: the bits stay while a private line would have been given
 * up, so `any` is too hopeful, `last` is near. */
static void test_estimate_of_a_large_shared_table(void **state) {
  (void)state;
  struct rates last = compare(one_large_table, "llc.atd_router=last"), any = compare(one_large_table, "llc.atd_router=any");
  expect_rate(last.shared, 0, 0.02);
  expect_rate(last.truth, 0.7, 0.9);
  expect_rate(last.estimate - last.truth, -0.05, 0.15);
  expect_rate(any.estimate, 0, 0.2);
}

/* ---- the model and its rules ---- */

struct made {
  uint64_t slice[64], first[8];
  struct llc_sample s;
};

/* Shared and private miss rates in thousandths; `busiest` of the slices, and of the first cluster's controllers, gets
 * `times` as many accesses as the others. */
static void make_sample(struct made *m, uint64_t shared_miss, uint64_t private_miss, uint64_t times, uint64_t private_times) {
  *m = (struct made){0};
  for (unsigned i = 0; i < 64; i++) m->slice[i] = i == 17 ? 1000 * times : 1000;
  for (unsigned i = 0; i < 8; i++) m->first[i] = i == 3 ? 100 * private_times : 100;
  m->s = (struct llc_sample){.accesses = 100000,
                             .misses = 100 * shared_miss,
                             .atd = {1000, 900, 1000 - private_miss},
                             .slice = m->slice,
                             .first = m->first};
}

static enum llc_rule decide(uint64_t shared_miss, uint64_t private_miss, uint64_t times, uint64_t private_times,
                            struct llc_estimate *e) {
  struct llc_mode_config c = paper(SETTINGS("llc.mode=adaptive"));
  struct made m;
  make_sample(&m, shared_miss, private_miss, times, private_times);
  return llc_decide(&c, &m.s, e);
}

static void expect_near(double got, double expected) {
  if (got < expected * 0.9999 - 1e-9 || got > expected * 1.0001 + 1e-9) fail_msg("%f instead of %f", got, expected);
}

static void test_model_by_hand(void **state) {
  (void)state;
  struct llc_estimate e;
  decide(100, 400, 3, 2, &e);
  expect_near(e.shared_miss, 0.1);
  expect_near(e.private_miss, 0.4);
  expect_near(e.shared_lsp, (63 * 1000 + 3000) / 3000.0);
  expect_near(e.private_lsp, 8 * (7 * 100 + 200) / 200.0);
  const double slice = 32 * 1.4e9, memory = 8 * 64 * 1.758e9;
  expect_near(e.shared_bytes, 0.9 * 22 * slice + 0.1 * memory);
  expect_near(e.private_bytes, 0.6 * 36 * slice + 0.4 * memory);
}

static void test_parallelism_is_all_slices_or_one(void **state) {
  (void)state;
  struct llc_estimate e;
  decide(0, 0, 1, 1, &e);
  expect_near(e.shared_lsp, 64);
  expect_near(e.private_lsp, 64);
  struct llc_mode_config c = paper(SETTINGS("llc.mode=adaptive"));
  struct made m;
  make_sample(&m, 0, 0, 1, 1);
  memset(m.slice, 0, sizeof m.slice);
  memset(m.first, 0, sizeof m.first);
  m.slice[9] = m.first[1] = 77;
  llc_decide(&c, &m.s, &e);
  expect_near(e.shared_lsp, 1);
  expect_near(e.private_lsp, 8);
}

static void test_sixteen_bit_counters_stop_at_their_end(void **state) {
  (void)state;
  struct llc_mode_config c = paper(SETTINGS("llc.mode=adaptive"));
  struct llc_estimate e;
  struct made m;
  make_sample(&m, 0, 0, 1, 1);
  for (unsigned i = 0; i < 8; i++) m.first[i] = 65535;
  m.first[0] = 65535 * 4;
  llc_decide(&c, &m.s, &e);
  expect_near(e.private_lsp, 64);
}

/* Two percent points are similar, a tenth more is not. */
static void test_rule_1_at_its_edge(void **state) {
  (void)state;
  struct llc_estimate e;
  assert_int_equal(decide(300, 319, 1, 1, &e), LLC_RULE_1);
  assert_int_equal(decide(300, 321, 1, 1, &e), LLC_STAY_SHARED);
  assert_int_equal(decide(300, 100, 1, 8, &e), LLC_RULE_1);
}

/* A busy slice: the private cache wins by bandwidth until its miss rate is too high. */
static void test_rule_2_at_its_edge(void **state) {
  (void)state;
  struct llc_estimate e;
  bool was_private = true;
  unsigned changes = 0;
  for (uint64_t miss = 0; miss <= 1000; miss++) {
    enum llc_rule rule = decide(0, miss, 2, 1, &e);
    bool is_private = rule != LLC_STAY_SHARED;
    if (miss > 20) assert_int_equal(is_private, e.private_bytes > e.shared_bytes);
    if (miss > 20 && is_private) assert_int_equal(rule, LLC_RULE_2);
    changes += is_private != was_private;
    was_private = is_private;
  }
  assert_int_equal(changes, 1);
  assert_int_equal(decide(0, 1000, 1, 1, &e), LLC_STAY_SHARED);
}

static void test_stays_shared_when_nothing_was_seen(void **state) {
  (void)state;
  struct llc_mode_config c = paper(SETTINGS("llc.mode=adaptive"));
  uint64_t none[64] = {0};
  struct llc_sample s = {.slice = none, .first = none};
  struct llc_estimate e;
  assert_int_equal(llc_decide(&c, &s, &e), LLC_STAY_SHARED);
  expect_near(e.private_bytes, 0);
}

/* ---- storage: section 4.4 and 5, with 32-bit addresses as its simulator has ---- */

static void test_storage_is_the_papers(void **state) {
  (void)state;
  struct llc_mode_config c = paper(SETTINGS("llc.mode=adaptive"));
  struct llc_storage s = llc_profile_storage(&c, SETS, WAYS, 32);
  assert_int_equal(s.tag_bits, 19);
  assert_int_equal(s.entry_bits, 27);
  assert_int_equal(s.entries, 128);
  assert_int_equal(s.atd_bits, 432 * 8);
  assert_int_equal(s.counter_bits, 16 * 8);
  assert_int_equal(llc_profile_storage(&c, 64, WAYS, 32).tag_bits, 13);
  assert_int_equal(llc_profile_storage(&c, 4, WAYS, 32).entries, 64);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_refuses_gpus_that_cannot_be_private),
      cmocka_unit_test(test_private_slice_is_the_clusters_own_of_the_same_controller),
      cmocka_unit_test(test_directory_counts_as_a_list_does),
      cmocka_unit_test(test_bits_name_the_last_router_or_all),
      cmocka_unit_test(test_an_emptied_directory_hits_nothing),
      cmocka_unit_test(test_estimate_without_sharing),
      cmocka_unit_test(test_estimate_of_a_small_shared_table),
      cmocka_unit_test(test_estimate_of_a_large_shared_table),
      cmocka_unit_test(test_model_by_hand),
      cmocka_unit_test(test_parallelism_is_all_slices_or_one),
      cmocka_unit_test(test_sixteen_bit_counters_stop_at_their_end),
      cmocka_unit_test(test_rule_1_at_its_edge),
      cmocka_unit_test(test_rule_2_at_its_edge),
      cmocka_unit_test(test_stays_shared_when_nothing_was_seen),
      cmocka_unit_test(test_storage_is_the_papers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
