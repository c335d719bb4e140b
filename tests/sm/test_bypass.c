/* What the load/store unit does for l1.bypass: the decision about a load is one for all its accesses, and a refused access
 * is tried again when the policy has learned something. */
#include "sm_rig.h"

#include "l1/bypass.h"

struct update {
  const struct l1_bypass *ops;
  void *shared;
  uint64_t next, instructions, occupancy, full;
};

static uint64_t one_slice(void *user, uint32_t sm, uint64_t line) {
  (void)user;
  (void)sm;
  (void)line;
  return 0;
}

static void open_update(struct update *u, struct rig *r) {
  const struct l1_gpu gpu = {.sms = 1, .slices = 1, .slice_of = one_slice};
  struct err e = {0};
  *u = (struct update){.ops = r->s.l1.bypass_ops};
  u->shared = u->ops->share(r->cfg, &gpu, &e);
  assert_non_null(u->shared);
  u->ops->join(u->shared, r->s.l1.bypass, 0);
  u->next = u->ops->begin(u->shared, &(struct l1_snapshot){0, &u->instructions, &u->occupancy, u->full});
}

/* A period ends in which everything hit, or nothing. */
static void end_period(struct update *u, struct rig *r, bool hit) {
  for (unsigned i = 0; i < 100; i++) u->ops->served(r->s.l1.bypass, NULL, hit ? L1_HIT : L1_MISS);
  u->full += 1000;
  u->next = u->ops->update(u->shared, &(struct l1_snapshot){u->next, &u->instructions, &u->occupancy, u->full});
  sm_reconsider(&r->s, (r->now + 1) * PERIOD);
}

static void start(struct rig *r, const char *lines, const char *const *settings) {
  rig_open(r, lines, 32, settings);
  sm_start_cta(&r->s, &r->grid, 0, 0);
}

static void finish(struct rig *r) {
  while (!sm_idle(&r->s) || r->count) {
    rig_cycle(r);
    assert_true(r->now < 20000);
  }
}

/* Lanes 0 to 5 load a line each. */
#define SIX "mul.wide.u32 %rd2, %r1, 128; add.u64 %rd2, %rd1, %rd2; setp.lt.u32 %p1, %r1, 6; @%p1 ld.global.u32 %r2, [%rd2];"

static void test_a_load_that_began_around_the_cache_stays_around_it(void **state) {
  (void)state;
  struct rig r = {0};
  struct update u;
  start(&r, SIX, SETTINGS("l1.bypass=bucl-dyn", "l1.bucl.tucd=5"));
  open_update(&u, &r);
  while (r.s.l1.stats[L1_S_BYPASS_SKIPPED] < 2) rig_cycle(&r);
  for (unsigned i = 0; i < 3; i++) end_period(&u, &r, true); /* TUCD is 8 now */
  finish(&r);
  assert_int_equal(r.s.l1.stats[L1_S_BYPASS_SKIPPED], 6);
  assert_int_equal(r.s.l1.stats[L1_S_BYPASS_LOADS], 1);
  assert_int_equal(r.s.l1.stats[L1_S_FILLS], 0);
  u.ops->unshare(u.shared);
  rig_close(&r);
}

static void test_a_load_that_began_in_the_cache_stays_there(void **state) {
  (void)state;
  struct rig r = {0};
  struct update u;
  start(&r, SIX, SETTINGS("l1.bypass=bucl-dyn", "l1.bucl.tucd=6"));
  open_update(&u, &r);
  while (r.s.l1.stats[L1_S_MISSES] < 2) rig_cycle(&r);
  for (unsigned i = 0; i < 3; i++) end_period(&u, &r, false); /* TUCD is 3 now */
  finish(&r);
  assert_int_equal(r.s.l1.stats[L1_S_BYPASSES], 0);
  assert_int_equal(r.s.l1.stats[L1_S_FILLS], 6);
  u.ops->unshare(u.shared);
  rig_close(&r);
}

/* Two MSHRs for six lines: the third access waits. What the end of a period says lets it pass in that very cycle, long
 * before an answer comes, and the SM need not have been awake. */
static void test_a_refused_access_is_tried_again_when_a_period_ends(void **state) {
  (void)state;
  struct rig r = {0};
  struct update u;
  start(&r, SIX, SETTINGS("l1.bypass=bucl-dyn", "l1.bucl.tucd=6", "l1.mshrs=2"));
  r.delay = 2000;
  open_update(&u, &r);
  while (!r.s.lsu_stalled) rig_cycle(&r);
  for (unsigned i = 0; i < 50; i++) rig_cycle(&r);
  assert_int_equal(r.s.l1.stats[L1_S_BYPASSES], 0);
  end_period(&u, &r, true); /* a high hit rate: it waits on */
  rig_cycle(&r);
  assert_true(r.s.lsu_stalled);
  end_period(&u, &r, false);
  rig_cycle(&r);
  assert_int_equal(r.s.l1.stats[L1_S_BYPASS_REFUSED], 1);
  for (unsigned i = 0; i < 10; i++) rig_cycle(&r);
  assert_int_equal(r.s.l1.stats[L1_S_BYPASS_REFUSED], 4);
  finish(&r);
  u.ops->unshare(u.shared);
  rig_close(&r);
}

/* Failures are counted for each cycle of waiting, whether the SM was visited or not. */
static void test_waiting_is_counted_the_same_with_and_without_visits(void **state) {
  (void)state;
  uint64_t fails[2];
  for (unsigned i = 0; i < 2; i++) {
    struct rig r = {0};
    start(&r, SIX "add.u32 %r3, %r2, 1;", SETTINGS("l1.bypass=bucl-dyn", "l1.bucl.tucd=6", "l1.mshrs=2"));
    r.every_cycle = i;
    finish(&r);
    fails[i] = r.s.l1.stats[L1_S_FAIL_MSHR];
    rig_close(&r);
  }
  assert_true(fails[0] > 20);
  assert_int_equal(fails[0], fails[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_load_that_began_around_the_cache_stays_around_it),
      cmocka_unit_test(test_a_load_that_began_in_the_cache_stays_there),
      cmocka_unit_test(test_a_refused_access_is_tried_again_when_a_period_ends),
      cmocka_unit_test(test_waiting_is_counted_the_same_with_and_without_visits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
