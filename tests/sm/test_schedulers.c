/* The warp schedulers on their own: which of the ready warps they pick, in which order. */
#include "sm_rig.h"

static const struct sm_scheduler *named(const char *name) {
  size_t i = 0;
  while (strcmp(sm_schedulers[i]->name, name)) i++;
  return sm_schedulers[i];
}

struct turn {
  uint64_t ready;
  unsigned picked;
};

static void play(const char *name, const char *const *settings, const struct sm_warp_view *views,
                 const struct turn *turns, size_t n) {
  struct cfg *c = rig_cfg(settings);
  const struct sm_scheduler *ops = named(name);
  void *s = ops->create(c, 48);
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
  void *s = named("gto")->create(c, 48);
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
    void *s = sm_schedulers[k]->create(c, 48);
    uint64_t left = (UINT64_C(1) << 48) - 1;
    while (left) { /* each warp issues once and is done */
      unsigned w = sm_schedulers[k]->pick(s, left, views);
      assert_true(left >> w & 1);
      left &= ~(UINT64_C(1) << w);
    }
    sm_schedulers[k]->destroy(s);
    cfg_delete(c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_round_robin_goes_on_after_the_last_one),
      cmocka_unit_test(test_greedy_stays_then_takes_the_oldest),
      cmocka_unit_test(test_greedy_does_not_take_a_new_warp_in_the_old_slot_for_the_old_one),
      cmocka_unit_test(test_two_levels_keep_to_a_small_set_until_it_stalls),
      cmocka_unit_test(test_every_scheduler_serves_everyone_that_stays_ready),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
