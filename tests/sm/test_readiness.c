/* Which warps are due and when the next one will be: at the edges of the wheel, and against a slow model. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include "base/rng.h"
#include "sm/readiness.h"

#include <cmocka.h>

static void put(struct sm_readiness *r, unsigned slot, uint64_t ready) {
  struct sm_stand *w = sm_readiness_take(r, slot);
  w->ready = ready;
  w->why = ready == MEM_NEVER ? SM_STALL_MEMORY : SM_STALL_ALU;
  sm_readiness_put(r, slot);
}

static void test_a_warp_is_due_at_its_stamp_and_not_before(void **state) {
  (void)state;
  struct sm_readiness r;
  sm_readiness_init(&r, 33);
  put(&r, 5, 330);
  assert_int_equal(sm_readiness_next(&r, UINT64_MAX), 330);
  assert_int_equal(sm_readiness_look(&r, 329), 0);
  assert_int_equal(sm_readiness_look(&r, 330), 1 << 5);
  assert_int_equal(sm_readiness_look(&r, 363), 1 << 5);
}

static void test_two_stamps_in_one_bucket_are_distinguished(void **state) {
  (void)state;
  struct sm_readiness r;
  sm_readiness_init(&r, 33); /* buckets of 64 ticks */
  put(&r, 0, 64);
  put(&r, 1, 97);
  assert_int_equal(sm_readiness_look(&r, 64), 1);
  assert_int_equal(sm_readiness_next(&r, 2), 97);
  assert_int_equal(sm_readiness_look(&r, 97), 3);
}

static void test_a_stamp_beyond_the_wheel_comes_in_time(void **state) {
  (void)state;
  struct sm_readiness r;
  sm_readiness_init(&r, 1);
  put(&r, 3, 10 * SM_BUCKETS);
  assert_int_equal(sm_readiness_next(&r, 8), 10 * SM_BUCKETS);
  assert_int_equal(sm_readiness_look(&r, 10 * SM_BUCKETS - 1), 0);
  assert_int_equal(sm_readiness_look(&r, 10 * SM_BUCKETS), 8);
  put(&r, 4, 20 * SM_BUCKETS);
  assert_int_equal(sm_readiness_look(&r, 30 * SM_BUCKETS), 8 | 16); /* a look that skips the whole wheel */
}

static void test_a_stamp_that_has_passed_is_due_at_the_next_look(void **state) {
  (void)state;
  struct sm_readiness r;
  sm_readiness_init(&r, 4);
  sm_readiness_look(&r, 4000);
  put(&r, 2, 40);
  assert_int_equal(sm_readiness_next(&r, 4), 40);
  assert_int_equal(sm_readiness_look(&r, 4000), 4);
}

static void test_a_warp_that_waits_for_an_event_or_has_ended_is_never_due(void **state) {
  (void)state;
  struct sm_readiness r;
  sm_readiness_init(&r, 1);
  put(&r, 0, 10);
  put(&r, 1, 10);
  put(&r, 0, MEM_NEVER);
  assert_int_equal(r.why[SM_STALL_MEMORY], 1);
  sm_readiness_drop(&r, 1);
  assert_int_equal(r.why[SM_STALL_ALU], 0);
  assert_int_equal(sm_readiness_look(&r, 100), 0);
  assert_true(sm_readiness_next(&r, UINT64_MAX) == MEM_NEVER);
}

/* ---- against stamps in a plain array -------------------------------------------------------------------------------------- */

struct model {
  uint64_t ready[SM_MAX_WARPS];
};

static uint64_t model_due(const struct model *m, uint64_t now) {
  uint64_t due = 0;
  for (unsigned i = 0; i < SM_MAX_WARPS; i++) due |= (uint64_t)(m->ready[i] <= now) << i;
  return due;
}

static uint64_t model_next(const struct model *m, uint64_t warps) {
  uint64_t t = MEM_NEVER;
  for (unsigned i = 0; i < SM_MAX_WARPS; i++)
    if (warps >> i & 1 && m->ready[i] < t) t = m->ready[i];
  return t;
}

static uint64_t random_stamp(struct rng *rng, uint64_t now, uint64_t period) {
  uint64_t kind = rng_below(rng, 8);
  if (kind == 0) return MEM_NEVER;
  if (kind == 1) return now + rng_below(rng, 300 * period);
  if (kind == 2) return now - rng_below(rng, now < 3 * period ? now + 1 : 3 * period);
  return now + rng_below(rng, 70) * period;
}

static void test_agrees_with_stamps_in_an_array(void **state) {
  (void)state;
  static const uint64_t periods[] = {1, 4, 25, 33, 64};
  struct rng rng = {.state = 7};
  for (size_t p = 0; p < sizeof periods / sizeof *periods; p++) {
    uint64_t period = periods[p], now = 0;
    struct sm_readiness r;
    struct model m;
    sm_readiness_init(&r, period);
    for (unsigned i = 0; i < SM_MAX_WARPS; i++) m.ready[i] = MEM_NEVER;
    for (unsigned turn = 0; turn < 20000; turn++) {
      now += rng_below(&rng, 50) ? rng_below(&rng, 3) * period : rng_below(&rng, 200 * period);
      assert_true(sm_readiness_look(&r, now) == model_due(&m, now));
      uint64_t later = ~model_due(&m, now) & (rng_below(&rng, 2) ? UINT64_MAX : rng_next(&rng));
      assert_true(sm_readiness_next(&r, later) == model_next(&m, later));
      unsigned slot = (unsigned)rng_below(&rng, SM_MAX_WARPS);
      m.ready[slot] = random_stamp(&rng, now, period);
      if (m.ready[slot] == MEM_NEVER && rng_below(&rng, 2)) sm_readiness_drop(&r, slot);
      else put(&r, slot, m.ready[slot]);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_warp_is_due_at_its_stamp_and_not_before),
      cmocka_unit_test(test_two_stamps_in_one_bucket_are_distinguished),
      cmocka_unit_test(test_a_stamp_beyond_the_wheel_comes_in_time),
      cmocka_unit_test(test_a_stamp_that_has_passed_is_due_at_the_next_look),
      cmocka_unit_test(test_a_warp_that_waits_for_an_event_or_has_ended_is_never_due),
      cmocka_unit_test(test_agrees_with_stamps_in_an_array),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
