/* The warp schedulers on their own: which of the ready warps they pick, in which order; and what holds warps back. */
#include "sm_rig.h"

#include "base/rng.h"

static const struct sm_scheduler *named(const char *name) {
  const struct sm_scheduler *s = policy_find(sm_schedulers, name);
  assert_non_null(s);
  return s;
}

struct turn {
  uint64_t ready;
  unsigned picked;
};

static void play(const char *name, const char *const *settings, const struct sm_warp_view *views,
                 const struct turn *turns, size_t n) {
  struct cfg *c = rig_cfg(settings);
  const struct sm_scheduler *ops = named(name);
  void *s = ops->create(c, 48, NULL);
  for (size_t i = 0; i < n; i++) {
    unsigned w = ops->pick(s, turns[i].ready, views);
    if (w != turns[i].picked) fail_msg("%s, turn %zu: warp %u instead of %u", name, i, w, turns[i].picked);
  }
  ops->destroy(s);
  cfg_delete(c);
}
#define PLAY(name, settings, views, turns) play(name, settings, views, turns, sizeof(turns) / sizeof *(turns))

static void test_round_robin_goes_on_after_the_last_one(void **state) {
  (void)state;
  struct sm_warp_view views[SM_MAX_WARPS] = {{0}};
  const struct turn turns[] = {{0x7, 1},
                               {0x7, 2},
                               {0x7, 0},
                               {0x7, 1},
                               {0x5, 2},
                               {0x2, 1},
                               {UINT64_C(1) << 63 | 1, 63},
                               {UINT64_C(1) << 63 | 1, 0}};
  PLAY("lrr", NULL, views, turns);
}

static void test_greedy_round_robin_stays_then_goes_down(void **state) {
  (void)state;
  struct sm_warp_view views[SM_MAX_WARPS] = {{0}};
  const struct turn turns[] = {
      {0xe, 3}, {0xf, 3}, {0xf, 3}, /* as long as it can */
      {0x7, 2},                     /* the next before it */
      {0xf, 2}, {0x9, 0},           /* 3 is ready again, and 2 stays; 1 is not ready */
      {0xe, 3},                     /* the last after the first */
      {UINT64_C(1) << 63 | 2, 1}, {UINT64_C(1) << 63, 63}, {UINT64_C(1) << 63 | 2, 63},
  };
  PLAY("grr", NULL, views, turns);
}

static void test_greedy_stays_then_takes_the_oldest(void **state) {
  (void)state;
  struct sm_warp_view views[SM_MAX_WARPS] = {{0}};
  for (unsigned i = 0; i < SM_MAX_WARPS; i++) views[i].age = 100 - i; /* warp 3 is the oldest of four */
  const struct turn turns[] = {
      {0xf, 3}, {0xf, 3}, {0x8, 3}, /* greedy */
      {0x7, 2},                     /* the oldest that is ready */
      {0xf, 2},                     /* stays, though 3 is ready again and older */
      {0x1, 0}, {0x3, 0}, {0x2, 1},
  };
  PLAY("gto", NULL, views, turns);
}

static void test_greedy_does_not_take_a_new_warp_in_the_old_slot_for_the_old_one(void **state) {
  (void)state;
  struct sm_warp_view views[SM_MAX_WARPS] = {{5}, {6}};
  struct cfg *c = rig_cfg(NULL);
  void *s = named("gto")->create(c, 48, NULL);
  assert_int_equal(named("gto")->pick(s, 0x3, views), 0);
  views[0].age = 9; /* its CTA ended, another began there */
  assert_int_equal(named("gto")->pick(s, 0x3, views), 1);
  named("gto")->destroy(s);
  cfg_delete(c);
}

static void test_two_levels_keep_to_a_small_set_until_it_stalls(void **state) {
  (void)state;
  struct sm_warp_view views[SM_MAX_WARPS] = {{0}};
  const struct turn turns[] = {
      {0xff, 1},        {0xff, 1},            /* one warp is active: it goes on while it can */
      {0xfd, 2},                              /* it stalls: the next ready one joins it */
      {0xff, 1},        {0xff, 2}, {0xff, 1}, /* round robin between the two */
      {0xf9 & ~0x6, 3},                       /* both stall: 3 takes a place */
      {0xff & ~0x8, 1},                       /* of 2: after the last one that issued came 2 */
  };
  PLAY("two-level", SETTINGS("sm.two_level_active=2"), views, turns);
}

static void test_every_scheduler_serves_everyone_that_stays_ready(void **state) {
  (void)state;
  for (size_t k = 0; sm_schedulers[k]; k++) {
    struct sm_warp_view views[SM_MAX_WARPS];
    for (unsigned i = 0; i < SM_MAX_WARPS; i++) views[i].age = i;
    struct cfg *c = rig_cfg(NULL);
    const struct sm_scheduler *one = (const struct sm_scheduler *)sm_schedulers[k];
    void *s = one->create(c, 48, NULL);
    uint64_t left = (UINT64_C(1) << 48) - 1;
    while (left) { /* each warp issues once and is done */
      unsigned w = one->pick(s, left, views);
      assert_true(left >> w & 1);
      left &= ~(UINT64_C(1) << w);
    }
    one->destroy(s);
    cfg_delete(c);
  }
}

/* ---- a limit of warps ---------------------------------------------------------------------------------------------- */

/* Four warps of twelve additions each that wait for one another, on one scheduler. */
static void run_limited(struct rig *r, const char *limit, const char *lines) {
  struct str text = {0};
  for (unsigned i = 0; i < 12; i++) str_add(&text, "add.u32 %%r2, %%r2, 1;\n%s\n", i == 5 ? lines : "");
  rig_open(r, text.s, 128, SETTINGS("sm.schedulers=1", limit));
  rig_run(r, 1);
  str_free(&text);
}

static void test_a_limit_of_one_runs_warp_after_warp(void **state) {
  (void)state;
  struct rig one = {0}, all = {0};
  run_limited(&one, "sm.warp_limit=1", "");
  run_limited(&all, "sm.warp_limit=0", "");
  assert_int_equal(all.n_issue, one.n_issue);
  /* Alone, a warp waits four cycles for each sum; four together fill the slots. */
  assert_true(one.issue[one.n_issue - 1] > 4 * 12 * 4);
  assert_true(all.issue[all.n_issue - 1] < 4 * 12 * 2);
  assert_int_equal(rig_stall(&all, SM_STALL_HELD), 0);
  rig_close(&one);
  rig_close(&all);
}

static void test_a_limit_as_large_as_the_sm_changes_nothing(void **state) {
  (void)state;
  struct rig some = {0}, all = {0};
  run_limited(&some, "sm.warp_limit=4", "bar.sync 0;");
  run_limited(&all, "sm.warp_limit=0", "bar.sync 0;");
  assert_int_equal(some.n_issue, all.n_issue);
  for (uint64_t i = 0; i < all.n_issue; i++) assert_int_equal(some.issue[i], all.issue[i]);
  rig_close(&some);
  rig_close(&all);
}

static void test_a_warp_at_a_barrier_gives_its_place_to_the_next(void **state) {
  (void)state;
  struct rig r = {0};
  run_limited(&r, "sm.warp_limit=1", "bar.sync 0;"); /* it ends: the others reach the barrier too */
  rig_close(&r);
  run_limited(&r, "sm.warp_limit=2", "membar.gl; bar.sync 0;");
  rig_close(&r);
}

/* Loads of lines far apart by eight warps, again and again. */
#define THRASH                                                                                               \
  "mul.wide.u32 %rd2, %r1, 128; add.u64 %rd3, %rd1, %rd2; mov.u32 %r3, 0;"                                   \
  "L: ld.global.u32 %r4, [%rd3]; add.u32 %r5, %r5, %r4; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 12; @%p1 bra L;"

static void test_skipping_time_changes_nothing_for_policies_that_hold_warps_back(void **state) {
  (void)state;
  static const char *const settings[][4] = {{"sm.warp_limit=2", "l1.sets=8"},
                                            {"sm.scheduler=ccws", "l1.sets=8"},
                                            {"sm.scheduler=ccws", "l1.sets=32", "sm.ccws.base=3"},
                                            {"sm.scheduler=ccws", "l1.allocate=fill", "l1.sets=8"}};
  for (unsigned k = 0; k < sizeof settings / sizeof *settings; k++) {
    struct rig skips = {0}, steps = {0};
    rig_open(&skips, THRASH, 256, settings[k]);
    rig_run(&skips, 1);
    rig_open(&steps, THRASH, 256, settings[k]);
    steps.every_cycle = true;
    rig_run(&steps, 1);
    assert_int_equal(skips.now, steps.now);
    assert_memory_equal(skips.s.stats, steps.s.stats, sizeof skips.s.stats);
    assert_memory_equal(skips.s.l1.stats, steps.s.l1.stats, sizeof skips.s.l1.stats);
    assert_true(skips.visits < steps.visits);
    assert_true(rig_stall(&skips, SM_STALL_HELD) + rig_stall(&skips, SM_STALL_MEMORY) > 0);
    rig_close(&skips);
    rig_close(&steps);
  }
}

/* ---- CCWS against a slow model ---------------------------------------------------------------------------------------- */

enum { WARPS = 12, TAGS = 4, SLOW_WAYS = 2, BASE = 10, THROTTLE = 3 };

struct slow { /* everything by the letter, cycle by cycle */
  unsigned score[WARPS];
  uint64_t tags[WARPS][TAGS], when[WARPS][TAGS], clock, lost;
};

static uint64_t slow_held(const struct slow *m, uint64_t live, const struct sm_warp_view *v) {
  unsigned order[WARPS], n = 0;
  uint64_t mask = 0, sum = 0;
  for (unsigned i = 0; i < WARPS; i++)
    if (live >> i & 1) order[n++] = i;
  for (unsigned a = 0; a < n; a++)
    for (unsigned b = a + 1; b < n; b++) {
      unsigned x = order[a], y = order[b];
      if (m->score[y] < m->score[x] || (m->score[y] == m->score[x] && v[y].age > v[x].age)) continue;
      order[a] = y;
      order[b] = x;
    }
  for (unsigned i = 0; i < n; i++) {
    sum += m->score[order[i]];
    if (i && sum > (uint64_t)n * BASE) mask |= UINT64_C(1) << order[i];
  }
  return mask;
}

static void slow_evicted(struct slow *m, unsigned warp, uint64_t line) {
  unsigned first = (unsigned)(line / MEM_LINE % (TAGS / SLOW_WAYS)) * SLOW_WAYS, at = first;
  for (unsigned i = first; i < first + SLOW_WAYS; i++)
    if (m->when[warp][i] < m->when[warp][at]) at = i;
  for (unsigned i = first; i < first + SLOW_WAYS; i++)
    if (m->when[warp][i] && m->tags[warp][i] == line) at = i;
  m->tags[warp][at] = line;
  m->when[warp][at] = ++m->clock;
}

static void slow_missed(struct slow *m, const struct sm_now *now, unsigned warp, uint64_t line) {
  for (unsigned i = 0; i < TAGS; i++) {
    if (!m->when[warp][i] || m->tags[warp][i] != line) continue;
    m->when[warp][i] = 0;
    m->lost++;
    uint64_t score = m->lost * THROTTLE * ((unsigned)__builtin_popcountll(now->live) * BASE) / now->issued;
    m->score[warp] = score > BASE ? (unsigned)score : BASE;
    return;
  }
}

static void test_ccws_does_what_a_slow_model_does(void **state) {
  (void)state;
  const struct sm_scheduler *ops = named("ccws");
  for (uint64_t seed = 1; seed <= 40; seed++) {
    struct cfg *c = rig_cfg(SETTINGS("sm.ccws.victims=4", "sm.ccws.ways=2", "sm.ccws.base=10", "sm.ccws.throttle=3"));
    void *s = ops->create(c, WARPS, NULL);
    struct slow slow = {.clock = 0};
    struct sm_warp_view views[SM_MAX_WARPS] = {{0}};
    struct rng g = {seed};
    struct sm_now now = {.live = (1u << WARPS) - 1, .issued = 1, .warps = views};
    uint64_t stays = 0, held_cycles = 0;
    for (unsigned i = 0; i < WARPS; i++) views[i].age = i * 7 % WARPS, slow.score[i] = BASE;
    for (now.cycle = 1; now.cycle < 3000; now.cycle++) {
      bool event = false;
      unsigned w = (unsigned)rng_below(&g, WARPS);
      uint64_t line = rng_below(&g, 5) * MEM_LINE, until;
      now.issued += !rng_below(&g, 4);
      if (rng_below(&g, 2)) {
        ops->evicted(s, &now, w, line);
        slow_evicted(&slow, w, line);
      }
      if (!rng_below(&g, 25)) {
        ops->missed(s, &now, w, line);
        slow_missed(&slow, &now, w, line);
        event = true;
      }
      if (!rng_below(&g, 300)) { /* a warp ends; a new one begins there */
        views[w].age = WARPS + now.cycle;
        slow.score[w] = BASE;
        memset(slow.when[w], 0, sizeof slow.when[w]);
        event = true;
      }
      uint64_t mask = ops->holds(s, &now, &until), want = slow_held(&slow, now.live, views);
      if (mask != want) fail_msg("seed %lu, cycle %lu: %lx is held instead of %lx", seed, now.cycle, mask, want);
      assert_true(until > now.cycle);
      static uint64_t before; /* what was promised to stay has stayed */
      if (!event && now.cycle < stays) assert_int_equal(mask, before);
      before = mask;
      stays = until;
      held_cycles += mask != 0;
      for (unsigned i = 0; i < WARPS; i++) slow.score[i] -= slow.score[i] > BASE;
    }
    assert_true(held_cycles > 100); /* the model was not idle */
    ops->destroy(s);
    cfg_delete(c);
  }
}

static void test_ccws_refuses_a_cache_that_does_not_report_its_victims(void **state) {
  (void)state;
  struct cfg *c = rig_cfg(SETTINGS("sm.scheduler=ccws", "l1.org=tsc"));
  struct mem_pool *pool = mem_pool_new();
  struct sm *s = must_alloc_lines(sizeof *s);
  struct sm_config config;
  struct err e = {0};
  assert_true(sm_read_config(&config, c, &e));
  assert_false(sm_init(s, 0, &config, c, pool, PERIOD, &e));
  assert_non_null(strstr(e.text, "sm.scheduler"));
  assert_non_null(strstr(e.text, "tsc"));
  sm_free(s);
  free(s);
  mem_pool_delete(pool);
  cfg_delete(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_round_robin_goes_on_after_the_last_one),
      cmocka_unit_test(test_greedy_round_robin_stays_then_goes_down),
      cmocka_unit_test(test_greedy_stays_then_takes_the_oldest),
      cmocka_unit_test(test_greedy_does_not_take_a_new_warp_in_the_old_slot_for_the_old_one),
      cmocka_unit_test(test_two_levels_keep_to_a_small_set_until_it_stalls),
      cmocka_unit_test(test_every_scheduler_serves_everyone_that_stays_ready),
      cmocka_unit_test(test_a_limit_of_one_runs_warp_after_warp),
      cmocka_unit_test(test_a_limit_as_large_as_the_sm_changes_nothing),
      cmocka_unit_test(test_a_warp_at_a_barrier_gives_its_place_to_the_next),
      cmocka_unit_test(test_skipping_time_changes_nothing_for_policies_that_hold_warps_back),
      cmocka_unit_test(test_ccws_does_what_a_slow_model_does),
      cmocka_unit_test(test_ccws_refuses_a_cache_that_does_not_report_its_victims),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
