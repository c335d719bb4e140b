/* Whether threads are used follows from how long the host took with and without them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gpu/pace.h"

/* Turns with the team and without it that take these times, from `now` on; returns the time at the end. */
static uint64_t try_both(struct gpu_pace *p, uint64_t now, uint64_t together, uint64_t alone) {
  gpu_pace_turn(p, now);
  assert_true(p->share);
  assert_int_equal(p->left, GPU_PACE_SAMPLE - 1);
  gpu_pace_turn(p, now += together);
  assert_false(p->share);
  assert_int_equal(p->left, GPU_PACE_SAMPLE - 1);
  gpu_pace_turn(p, now += alone);
  assert_int_equal(p->left, GPU_PACE_HOLD - 1);
  return now;
}

static void test_the_faster_is_kept_until_the_next_try(void **state) {
  (void)state;
  struct gpu_pace p = {0};
  uint64_t now = try_both(&p, 1000, 500, 900);
  assert_true(p.share);
  now = try_both(&p, now + 70000, 900, 899);
  assert_false(p.share);
  try_both(&p, now + 70000, 900, 900);
  assert_true(p.share);
}

static void test_turns_come_after_as_many_instants(void **state) {
  (void)state;
  struct gpu_pace p = {0};
  unsigned shared = 0;
  for (unsigned i = 0; i < 2 * GPU_PACE_SAMPLE; i++) {
    gpu_pace_instant(&p);
    assert_true(p.sampling);
    shared += p.share;
  }
  assert_int_equal(shared, GPU_PACE_SAMPLE);
  gpu_pace_instant(&p);
  assert_false(p.sampling);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_faster_is_kept_until_the_next_try),
      cmocka_unit_test(test_turns_come_after_as_many_instants),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
