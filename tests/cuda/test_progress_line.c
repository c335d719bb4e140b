/* The line that a terminal shows while a program runs. */
#include "cuda/progress_line.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void expect(const struct progress_now *p, bool colour, const char *line) {
  char out[256];
  progress_line(p, colour, out, sizeof out);
  assert_string_equal(out, line);
}

static void test_total_not_known(void **state) {
  (void)state;
  expect(&(struct progress_now){.launches = 1, .instructions = 999, .seconds = 0.5}, true,
         "1 launch, 999 warp instructions, 2.00k a second");
  expect(&(struct progress_now){.launches = 20, .instructions = 3000000, .cycles = 700000, .simulated_ns = 1e6, .seconds = 3}, false,
         "20 launches, 3.00M warp instructions, 1.00M a second, 1.000 ms simulated");
}

static void test_total_known(void **state) {
  (void)state;
  struct progress_now p = {.launches = 2, .instructions = 250000, .expected = 1000000, .seconds = 50};
  expect(&p, false, "[######..................]  25 %  2:30 left  2 launches, 250k warp instructions, 5.00k a second");
  p.seconds = 1600;
  expect(&p, true, "\033[32m[######..................]\033[0m  25 %  1:20:00 left  2 launches, 250k warp instructions, 156 a second");
  p.instructions = 2000000; /* more than expected */
  expect(&p, false, "[########################] 100 %  0:00 left  2 launches, 2.00M warp instructions, 1.25k a second");
  p.instructions = 0;
  expect(&p, false, "[........................]   0 %  2 launches, 0 warp instructions, 0 a second");
}

static void test_the_first_limit_counts(void **state) {
  (void)state;
  struct progress_now p = {.instructions = 10, .cycles = 30, .expected = 100, .max_instructions = 50, .max_cycles = 60};
  assert_true(progress_done(&p) == 0.5);
  p.max_cycles = 0;
  assert_true(progress_done(&p) == 0.2);
  p.max_instructions = 0;
  assert_true(progress_done(&p) == 0.1);
  p.expected = 0;
  assert_true(progress_done(&p) < 0);
}

static void test_a_short_buffer(void **state) {
  (void)state;
  char out[40];
  progress_line(&(struct progress_now){.instructions = 1, .expected = 2, .seconds = 1e6}, true, out, sizeof out);
  assert_true(out[sizeof out - 1] == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_total_not_known),
      cmocka_unit_test(test_total_known),
      cmocka_unit_test(test_the_first_limit_counts),
      cmocka_unit_test(test_a_short_buffer),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
