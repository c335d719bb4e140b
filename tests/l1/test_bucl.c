/* BUCL between mocks: the L1D of one or more SMs, and a GPU that is nothing but the numbers the update logic is shown.
 * Each decision of section IV of the paper, the walk of TUCD, and the table of the profiling variant. */
#include "l1_kit.h"

#include "l1/bypass.h"

enum { SMS = 4, SLICES = 2, PERIOD = 1000 };

struct world {
  struct cfg *cfg;
  struct kit sm[SMS];
  const struct l1_bypass *ops;
  void *shared;
  uint64_t cycle, next, full;
  uint64_t instructions[SMS], occupancy[SLICES];
};

static uint64_t slice_of(void *user, uint32_t sm, uint64_t line) {
  (void)user;
  (void)sm;
  return line / MEM_LINE % SLICES;
}

static struct l1_snapshot snapshot(const struct world *w) {
  return (struct l1_snapshot){w->cycle, w->instructions, w->occupancy, w->full};
}

static void begin_kernel(struct world *w) {
  struct l1_snapshot s = snapshot(w);
  w->next = w->ops->begin(w->shared, &s);
}

static void open_world(struct world *w, const char *const *settings) {
  struct err e = {0};
  const struct l1_gpu gpu = {.sms = SMS, .slices = SLICES, .slice_of = slice_of};
  *w = (struct world){.cfg = kit_cfg(settings)};
  for (unsigned i = 0; i < SMS; i++) kit_open(&w->sm[i], settings);
  w->ops = w->sm[0].l1.bypass_ops;
  w->shared = w->ops->share(w->cfg, &gpu, &e);
  if (!w->shared) fail_msg("%s", e.text);
  for (unsigned i = 0; i < SMS; i++) w->ops->join(w->shared, w->sm[i].l1.bypass, i);
  begin_kernel(w);
}

static void close_world(struct world *w) {
  w->ops->unshare(w->shared);
  for (unsigned i = 0; i < SMS; i++) kit_close(&w->sm[i]);
  cfg_delete(w->cfg);
}

/* Goes on to the next look that the update logic asked for. */
static void pass(struct world *w) {
  w->full += 8 * (w->next - w->cycle);
  w->cycle = w->next;
  struct l1_snapshot s = snapshot(w);
  w->next = w->ops->update(w->shared, &s);
  assert_true(w->next > w->cycle);
}

/* A period in which SM 0's cache served so many loads, and buffers were that full (per mille). */
static void period(struct world *w, unsigned loads, unsigned hits, unsigned full0, unsigned full1) {
  uint64_t most = 8 * (w->next - w->cycle);
  for (unsigned i = 0; i < loads; i++) w->ops->served(w->sm[0].l1.bypass, NULL, i < hits ? L1_HIT : L1_MISS);
  w->occupancy[0] += most * full0 / 1000;
  w->occupancy[1] += most * full1 / 1000;
  pass(w);
}

static bool skips(struct world *w, unsigned sm, unsigned degree) {
  struct l1_request r = request(MEM_READ, 0, span(0, 4), 0);
  r.degree = (uint16_t)degree;
  return w->ops->skips(w->sm[sm].l1.bypass, &r);
}

/* The largest degree that still uses the cache. */
static unsigned tucd(struct world *w, unsigned sm) {
  unsigned d = 1;
  while (d < 200 && !skips(w, sm, d + 1)) d++;
  return d;
}

#define DYN "l1.bypass=bucl-dyn"
#define PRF "l1.bypass=bucl-prf", "l1.bucl.table=2 4 8 16"

/* ---- a load ------------------------------------------------------------------------------------------------------------- */

static void test_a_load_bypasses_only_above_the_threshold(void **state) {
  (void)state;
  struct world w;
  open_world(&w, SETTINGS(DYN));
  assert_int_equal(tucd(&w, 0), 5);
  assert_false(skips(&w, 0, 5));
  assert_true(skips(&w, 0, 6));
  close_world(&w);
}

static void test_what_bypasses_takes_no_mshr_and_fills_nothing(void **state) {
  (void)state;
  struct world w;
  open_world(&w, SETTINGS(DYN));
  struct l1 *c = &w.sm[0].l1;
  struct l1_request r = request(MEM_READ, 0x1000, span(0, 4), 7);
  r.degree = 32;
  r.bypasses = l1_load_bypasses(c, &r);
  assert_true(r.bypasses);
  assert_int_equal(l1_access(c, &r, 0), L1_SENT);
  assert_int_equal(c->mshrs.used, 0);
  struct mem_packet *k = take(&w.sm[0]);
  assert_true(k->bypass);
  assert_int_equal(k->sectors, 1); /* what it asked for, not the whole line */
  mem_packet_free(w.sm[0].pool, k);
  assert_int_equal(load(&w.sm[0], 0x1000, 1), L1_MISS);
  assert_int_equal(c->stats[L1_S_BYPASS_LOADS], 1);
  assert_int_equal(c->stats[L1_S_BYPASS_SKIPPED], 1);
  close_world(&w);
}

static void test_a_load_above_the_threshold_does_not_look_for_its_line(void **state) {
  (void)state;
  struct world w;
  open_world(&w, SETTINGS(DYN));
  fill_line(&w.sm[0], 0x1000);
  struct l1_request r = request(MEM_READ, 0x1000, span(0, 4), 7);
  r.degree = 32;
  r.bypasses = l1_load_bypasses(&w.sm[0].l1, &r);
  assert_int_equal(l1_access(&w.sm[0].l1, &r, 0), L1_SENT);
  assert_int_equal(load(&w.sm[0], 0x1000, 1), L1_HIT); /* and leaves it there */
  close_world(&w);
}

static void test_it_is_not_merged_with_an_outstanding_miss(void **state) {
  (void)state;
  struct world w;
  open_world(&w, SETTINGS(DYN));
  struct kit *k = &w.sm[0];
  assert_int_equal(load(k, 0x1000, 1), L1_MISS);
  struct l1_request r = request(MEM_READ, 0x1000, span(0, 4), 2);
  r.degree = 32;
  r.bypasses = true;
  assert_int_equal(l1_access(&k->l1, &r, 0), L1_SENT);
  struct mem_packet *miss = take(k), *other = take(k);
  assert_false(miss->bypass);
  assert_true(other->bypass);
  assert_int_equal(other->owner, 2);
  answer(k, miss, miss->sectors);
  assert_int_equal(k->n_done, 1); /* the load that missed, and nobody else */
  assert_int_equal(k->done[0], 1);
  mem_packet_free(k->pool, miss);
  mem_packet_free(k->pool, other);
  close_world(&w);
}

static void test_local_loads_and_stores_are_left_alone(void **state) {
  (void)state;
  struct world w;
  open_world(&w, SETTINGS(DYN));
  struct l1_request r = request(MEM_READ, 0x1000, span(0, 4), 0);
  r.degree = 32;
  r.class_ = MEM_LOCAL;
  assert_false(l1_load_bypasses(&w.sm[0].l1, &r));
  r.class_ = MEM_GLOBAL;
  r.kind = MEM_WRITE;
  assert_false(l1_load_bypasses(&w.sm[0].l1, &r));
  r.kind = MEM_READ;
  r.cache = MEM_CACHE_GLOBAL; /* the program keeps it away itself */
  assert_false(l1_load_bypasses(&w.sm[0].l1, &r));
  close_world(&w);
}

/* ---- an access ---------------------------------------------------------------------------------------------------------- */

/* Leaves no MSHR, no merge and no line of the set; lines of even number live in slice 0. */
static void exhaust_mshrs(struct kit *k) {
  assert_int_equal(load(k, 0x100000, 0), L1_MISS);
  assert_int_equal(load(k, 0x200080, 0), L1_MISS);
  mem_packet_free(k->pool, take(k));
  mem_packet_free(k->pool, take(k));
}

#define TWO_MSHRS DYN, "l1.mshrs=2", "l1.index=plain"

static void test_a_refused_access_waits_until_a_period_has_been_measured(void **state) {
  (void)state;
  struct world w;
  open_world(&w, SETTINGS(TWO_MSHRS));
  exhaust_mshrs(&w.sm[0]);
  assert_int_equal(load(&w.sm[0], 0x1000, 1), L1_STALL);
  period(&w, 10, 0, 0, 0);
  assert_int_equal(load(&w.sm[0], 0x1000, 1), L1_SENT);
  assert_int_equal(w.sm[0].l1.stats[L1_S_BYPASS_REFUSED], 1);
  assert_int_equal(w.sm[0].l1.stats[L1_S_BYPASS_SKIPPED], 0);
  close_world(&w);
}

static void test_a_refused_access_waits_at_the_threshold_of_the_hit_rate(void **state) {
  (void)state;
  struct world w;
  open_world(&w, SETTINGS(TWO_MSHRS));
  exhaust_mshrs(&w.sm[1]);
  period(&w, 1000, 800, 0, 0);
  assert_int_equal(load(&w.sm[1], 0x1000, 1), L1_STALL); /* of another SM: one L1D is tracked for all */
  period(&w, 1000, 799, 0, 0);
  assert_int_equal(load(&w.sm[1], 0x1000, 1), L1_SENT);
  period(&w, 1000, 801, 0, 0);
  assert_int_equal(load(&w.sm[1], 0x1000, 1), L1_STALL);
  close_world(&w);
}

static void test_a_refused_access_waits_while_its_own_sub_partition_is_busy(void **state) {
  (void)state;
  struct world w;
  open_world(&w, SETTINGS(TWO_MSHRS));
  exhaust_mshrs(&w.sm[0]);
  period(&w, 10, 0, 700, 699);
  assert_int_equal(load(&w.sm[0], 0x1000, 1), L1_STALL); /* slice 0 */
  assert_int_equal(load(&w.sm[0], 0x1080, 1), L1_SENT);  /* slice 1 */
  period(&w, 10, 0, 699, 1000);
  assert_int_equal(load(&w.sm[0], 0x1000, 1), L1_SENT);
  assert_int_equal(load(&w.sm[0], 0x1080, 1), L1_STALL);
  close_world(&w);
}

static void test_its_thresholds_are_keys(void **state) {
  (void)state;
  struct world w;
  open_world(&w, SETTINGS(TWO_MSHRS, "l1.bucl.hit_rate=0.5", "l1.bucl.utilisation=0.3"));
  exhaust_mshrs(&w.sm[1]);
  period(&w, 1000, 500, 0, 0);
  assert_int_equal(load(&w.sm[1], 0x1000, 1), L1_STALL);
  period(&w, 1000, 499, 300, 299);
  assert_int_equal(load(&w.sm[1], 0x1000, 1), L1_STALL); /* slice 0 */
  assert_int_equal(load(&w.sm[1], 0x1080, 1), L1_SENT);  /* slice 1 */
  close_world(&w);
}

static void test_a_refused_access_needs_a_free_slot_in_the_queue_and_keeps_its_reason(void **state) {
  (void)state;
  struct world w;
  open_world(&w, SETTINGS(TWO_MSHRS, "l1.queue=2"));
  exhaust_mshrs(&w.sm[0]);
  period(&w, 10, 0, 0, 0);
  assert_int_equal(load(&w.sm[0], 0x1000, 1), L1_SENT);
  assert_int_equal(load(&w.sm[0], 0x1080, 2), L1_SENT);
  assert_int_equal(load(&w.sm[0], 0x1100, 3), L1_STALL);
  assert_int_equal(w.sm[0].l1.why, L1_NO_MSHR);
  mem_packet_free(w.sm[0].pool, take(&w.sm[0]));
  assert_int_equal(load(&w.sm[0], 0x1100, 3), L1_SENT);
  close_world(&w);
}

static void test_any_reason_for_a_refusal_will_do(void **state) {
  (void)state;
  struct world w;
  open_world(&w, SETTINGS(DYN, "l1.sets=2", "l1.ways=1", "l1.merges=2", "l1.index=plain"));
  struct kit *k = &w.sm[0];
  assert_int_equal(load(k, 0x1000, 0), L1_MISS);
  assert_int_equal(load(k, 0x1000, 0), L1_PENDING);
  assert_int_equal(load(k, 0x1000, 0), L1_STALL);
  assert_int_equal(k->l1.why, L1_NO_MERGE);
  assert_int_equal(load(k, 0x2000, 0), L1_STALL);
  assert_int_equal(k->l1.why, L1_NO_LINE);
  period(&w, 10, 0, 0, 0);
  assert_int_equal(load(k, 0x1000, 0), L1_SENT);
  assert_int_equal(load(k, 0x2000, 0), L1_SENT);
  close_world(&w);
}

static void test_what_the_cache_serves_does_not_bypass(void **state) {
  (void)state;
  struct world w;
  open_world(&w, SETTINGS(DYN));
  fill_line(&w.sm[0], 0x1000);
  period(&w, 10, 0, 0, 0);
  assert_int_equal(load(&w.sm[0], 0x1000, 1), L1_HIT);
  assert_int_equal(load(&w.sm[0], 0x2000, 1), L1_MISS);
  assert_int_equal(load(&w.sm[0], 0x2000, 2), L1_PENDING);
  assert_int_equal(w.sm[0].l1.stats[L1_S_BYPASSES], 0);
  close_world(&w);
}

/* ---- TUCD ---------------------------------------------------------------------------------------------------------------- */

static void test_tucd_walks_with_the_hit_rate(void **state) {
  (void)state;
  static const struct {
    unsigned hits, tucd; /* of 1,000 loads; after the period */
  } series[] = {{900, 6}, {801, 7}, {800, 6} /* not above */, {0, 5}, {0, 4}, {1000, 5}, {100, 4}, {100, 3}, {100, 2},
                {100, 2} /* the lowest */, {799, 2}, {950, 3}};
  struct world w;
  open_world(&w, SETTINGS(DYN));
  for (size_t i = 0; i < sizeof series / sizeof *series; i++) {
    period(&w, 1000, series[i].hits, 0, 0);
    for (unsigned sm = 0; sm < SMS; sm++)
      if (tucd(&w, sm) != series[i].tucd) fail_msg("period %zu: SM %u has TUCD %u", i, sm, tucd(&w, sm));
  }
  for (unsigned i = 0; i < 40; i++) period(&w, 10, 10, 0, 0);
  assert_int_equal(tucd(&w, 0), 25);
  assert_int_equal(w.cycle, (sizeof series / sizeof *series + 40) * PERIOD);
  assert_int_equal(bypass_stat(&w.sm[2].l1, "l1d.bucl_periods"), sizeof series / sizeof *series + 40);
  /* In each period the degree that the one before has left: 5 and the series, then 3 to 24, then 25. */
  assert_int_equal(bypass_stat(&w.sm[2].l1, "l1d.bucl_tucd_sum"),
                   (5 + 6 + 7 + 6 + 5 + 4 + 5 + 4 + 3 + 2 + 2 + 2) + 22 * (3 + 24) / 2 + 18 * 25);
  close_world(&w);
}

static void test_tucd_stays_within_its_bounds(void **state) {
  (void)state;
  struct world w;
  open_world(&w, SETTINGS(DYN, "l1.bucl.tucd_min=4", "l1.bucl.tucd_max=7"));
  for (unsigned i = 0; i < 5; i++) period(&w, 10, 0, 0, 0);
  assert_int_equal(tucd(&w, 0), 4);
  for (unsigned i = 0; i < 5; i++) period(&w, 10, 10, 0, 0);
  assert_int_equal(tucd(&w, 0), 7);
  close_world(&w);
}

static void test_a_period_without_loads_changes_nothing(void **state) {
  (void)state;
  struct world w;
  open_world(&w, SETTINGS(TWO_MSHRS));
  period(&w, 10, 10, 0, 0);
  assert_int_equal(tucd(&w, 0), 6);
  period(&w, 0, 0, 0, 0);
  assert_int_equal(tucd(&w, 0), 6);
  exhaust_mshrs(&w.sm[0]);
  assert_int_equal(load(&w.sm[0], 0x1000, 1), L1_STALL); /* the hit rate is still the one before */
  close_world(&w);
}

static void test_a_hit_rate_is_of_its_own_period(void **state) {
  (void)state;
  struct world w;
  open_world(&w, SETTINGS(DYN));
  period(&w, 100000, 0, 0, 0);
  assert_int_equal(tucd(&w, 0), 4);
  period(&w, 10, 9, 0, 0);
  assert_int_equal(tucd(&w, 0), 5);
  close_world(&w);
}

static void test_only_loads_that_the_cache_served_count(void **state) {
  (void)state;
  struct world w;
  open_world(&w, SETTINGS(TWO_MSHRS));
  struct kit *k = &w.sm[0];
  fill_line(k, 0x1000);
  for (unsigned i = 0; i < 9; i++) assert_int_equal(load(k, 0x1000, 0), L1_HIT);
  exhaust_mshrs(k); /* 3 misses of 12 loads; what follows does not count */
  struct l1_request r = request(MEM_READ, 0x3000, span(0, 4), 7);
  r.bypasses = true;
  for (unsigned i = 0; i < 50; i++) {
    assert_int_equal(load(k, 0x2000, 1), L1_STALL);
    assert_int_equal(l1_access(&k->l1, &r, 0), L1_SENT);
    mem_packet_free(k->pool, take(k));
  }
  pass(&w);
  assert_int_equal(tucd(&w, 0), 4);
  for (unsigned i = 0; i < 9; i++) assert_int_equal(load(k, 0x1000, 0), L1_HIT);
  pass(&w);
  assert_int_equal(tucd(&w, 0), 5);
  close_world(&w);
}

static void test_a_merged_load_is_a_miss_unless_it_is_to_be_a_hit(void **state) {
  (void)state;
  for (unsigned hit = 0; hit < 2; hit++) {
    struct world w;
    open_world(&w, SETTINGS(DYN, hit ? "l1.bucl.merged=hit" : "l1.bucl.merged=miss"));
    assert_int_equal(load(&w.sm[0], 0x1000, 0), L1_MISS);
    for (unsigned i = 0; i < 7; i++) assert_int_equal(load(&w.sm[0], 0x1000, 0), L1_PENDING);
    pass(&w);
    assert_int_equal(tucd(&w, 0), hit ? 6 : 4);
    close_world(&w);
  }
}

static void test_a_kernel_keeps_tucd_unless_set_to_reset_it(void **state) {
  (void)state;
  for (unsigned reset = 0; reset < 2; reset++) {
    struct world w;
    open_world(&w, SETTINGS(DYN, reset ? "l1.bucl.reset=true" : "l1.bucl.reset=false"));
    for (unsigned i = 0; i < 3; i++) period(&w, 10, 10, 0, 0);
    begin_kernel(&w);
    assert_int_equal(tucd(&w, 0), reset ? 5 : 8);
    close_world(&w);
  }
}

/* ---- profiling ----------------------------------------------------------------------------------------------------------- */

static void test_profiling_gives_each_sm_its_own_tucd_and_then_all_that_of_the_best(void **state) {
  (void)state;
  struct world w;
  open_world(&w, SETTINGS(PRF));
  static const unsigned table[SMS] = {2, 4, 8, 16};
  for (unsigned i = 0; i < SMS; i++) assert_int_equal(tucd(&w, i), table[i]);
  for (unsigned i = 0; i < 4; i++) period(&w, 10, 0, 0, 0);
  for (unsigned i = 0; i < SMS; i++) assert_int_equal(tucd(&w, i), table[i]); /* at cycle 4,000 */
  w.instructions[1] = 500;
  w.instructions[2] = 501;
  w.instructions[3] = 501; /* a tie: the first */
  period(&w, 10, 0, 0, 0);
  assert_int_equal(w.cycle, 5000);
  for (unsigned i = 0; i < SMS; i++) assert_int_equal(tucd(&w, i), 8);
  for (unsigned i = 0; i < 9; i++) period(&w, 10, 10, 0, 0); /* and does not walk */
  assert_int_equal(tucd(&w, 0), 8);
  close_world(&w);
}

static void test_each_kernel_is_profiled_anew(void **state) {
  (void)state;
  struct world w;
  open_world(&w, SETTINGS(PRF, "l1.bucl.profile=2500"));
  w.instructions[3] = 100;
  pass(&w);
  pass(&w);
  assert_int_equal(tucd(&w, 0), 2);
  pass(&w); /* between two periods */
  assert_int_equal(w.cycle, 2500);
  assert_int_equal(tucd(&w, 0), 16);
  begin_kernel(&w);
  assert_int_equal(tucd(&w, 0), 2);
  assert_int_equal(tucd(&w, 3), 16);
  w.instructions[1] = 99; /* SM 3 has done nothing in this kernel */
  while (w.cycle < 5000) pass(&w);
  assert_int_equal(tucd(&w, 0), 4);
  close_world(&w);
}

static void test_a_kernel_that_ends_before_its_profile_decides_nothing(void **state) {
  (void)state;
  struct world w;
  open_world(&w, SETTINGS(PRF, "l1.bucl.profile=2500"));
  for (unsigned i = 0; i < 5; i++) {
    w.instructions[3] += 100;
    pass(&w);
    begin_kernel(&w);
    assert_int_equal(tucd(&w, 0), 2);
    assert_int_equal(w.next, w.cycle + PERIOD);
  }
  close_world(&w);
}

static void test_access_level_bypassing_works_while_profiling(void **state) {
  (void)state;
  struct world w;
  open_world(&w, SETTINGS(PRF, "l1.mshrs=2", "l1.index=plain"));
  exhaust_mshrs(&w.sm[3]);
  period(&w, 10, 0, 0, 900);
  assert_int_equal(load(&w.sm[3], 0x1000, 1), L1_SENT);
  assert_int_equal(load(&w.sm[3], 0x1080, 1), L1_STALL);
  close_world(&w);
}

/* ---- configuration ------------------------------------------------------------------------------------------------------- */

static void refused(const char *setting, const char *key, const char *says) {
  struct cfg *c = kit_cfg(SETTINGS(DYN, setting));
  struct err e = {0};
  const struct l1_gpu gpu = {.sms = SMS, .slices = SLICES, .slice_of = slice_of};
  const struct l1_bypass *b = policy_find(l1_bypasses, "bucl-dyn");
  assert_null(b->share(c, &gpu, &e));
  if (!strstr(e.text, key) || !strstr(e.text, says)) fail_msg("%s", e.text);
  cfg_delete(c);
}

static void test_values_that_make_no_sense_are_refused_by_name(void **state) {
  (void)state;
  refused("l1.bucl.tracked_sm=4", "l1.bucl.tracked_sm", "4 SMs");
  refused("l1.bucl.tucd=26", "l1.bucl.tucd", "25");
  refused("l1.bucl.tucd=1", "l1.bucl.tucd", "2");
  refused("l1.bucl.table=2 x", "l1.bucl.table", "numbers");
  refused("l1.bucl.table=2 0", "l1.bucl.table", "numbers");
  refused("l1.bucl.table= ", "l1.bucl.table", "numbers");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_load_bypasses_only_above_the_threshold),
      cmocka_unit_test(test_what_bypasses_takes_no_mshr_and_fills_nothing),
      cmocka_unit_test(test_a_load_above_the_threshold_does_not_look_for_its_line),
      cmocka_unit_test(test_it_is_not_merged_with_an_outstanding_miss),
      cmocka_unit_test(test_local_loads_and_stores_are_left_alone),
      cmocka_unit_test(test_a_refused_access_waits_until_a_period_has_been_measured),
      cmocka_unit_test(test_a_refused_access_waits_at_the_threshold_of_the_hit_rate),
      cmocka_unit_test(test_a_refused_access_waits_while_its_own_sub_partition_is_busy),
      cmocka_unit_test(test_its_thresholds_are_keys),
      cmocka_unit_test(test_a_refused_access_needs_a_free_slot_in_the_queue_and_keeps_its_reason),
      cmocka_unit_test(test_any_reason_for_a_refusal_will_do),
      cmocka_unit_test(test_what_the_cache_serves_does_not_bypass),
      cmocka_unit_test(test_tucd_walks_with_the_hit_rate),
      cmocka_unit_test(test_tucd_stays_within_its_bounds),
      cmocka_unit_test(test_a_period_without_loads_changes_nothing),
      cmocka_unit_test(test_a_hit_rate_is_of_its_own_period),
      cmocka_unit_test(test_only_loads_that_the_cache_served_count),
      cmocka_unit_test(test_a_merged_load_is_a_miss_unless_it_is_to_be_a_hit),
      cmocka_unit_test(test_a_kernel_keeps_tucd_unless_set_to_reset_it),
      cmocka_unit_test(test_profiling_gives_each_sm_its_own_tucd_and_then_all_that_of_the_best),
      cmocka_unit_test(test_each_kernel_is_profiled_anew),
      cmocka_unit_test(test_a_kernel_that_ends_before_its_profile_decides_nothing),
      cmocka_unit_test(test_access_level_bypassing_works_while_profiling),
      cmocka_unit_test(test_values_that_make_no_sense_are_refused_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
