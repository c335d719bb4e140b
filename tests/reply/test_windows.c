/* The request controller and the windows manager on their own: every branch of the two flowcharts, thresholds at the
 * last value that does not exceed them and the first that does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "l1/l1.h"
#include "l1/windows.h"

static struct l1_windows windows(const char *setting) {
  const struct cfg_key *const tables[] = {l1_window_keys};
  struct cfg *c = cfg_new(tables, 1);
  struct err e = {0};
  struct l1_windows w;
  if (setting && !cfg_set(c, setting, &e)) fail_msg("%s", e.text);
  l1_windows_init(&w, c);
  cfg_delete(c);
  return w;
}

static void lines(struct l1_windows *w, unsigned n, unsigned sub_blocks, bool inconsistent) {
  while (n--) l1_windows_line(w, sub_blocks, inconsistent);
}
static void requests(struct l1_windows *w, unsigned n, bool whole) {
  while (n--) l1_windows_request(w, whole);
}

static void test_an_empty_history_demands_a_part(void **state) {
  (void)state;
  struct l1_windows w = windows(NULL);
  for (unsigned n = 1; n <= 4; n++) assert_int_equal(l1_windows_decide(&w, false, n), L1_DEMAND_PART);
}

static void test_more_than_90_percent_of_whole_requests_demand_the_whole_line(void **state) {
  (void)state;
  struct l1_windows w = windows(NULL);
  requests(&w, 14, true); /* 14 of 16 are 87.5 % */
  assert_int_equal(l1_windows_decide(&w, false, 1), L1_DEMAND_PART);
  requests(&w, 1, true); /* 93.75 % */
  assert_int_equal(l1_windows_decide(&w, false, 1), L1_DEMAND_FDR_RATIO);
  assert_int_equal(l1_windows_decide(&w, true, 1), L1_DEMAND_FDR_RATIO); /* asked first */
  requests(&w, 1, false); /* 15 of 16 still */
  assert_int_equal(l1_windows_decide(&w, false, 1), L1_DEMAND_FDR_RATIO);
  requests(&w, 1, false); /* the oldest falls out: 14 */
  assert_int_equal(l1_windows_decide(&w, false, 1), L1_DEMAND_PART);
}

static void test_an_insufficient_outstanding_request_demands_the_whole_line(void **state) {
  (void)state;
  struct l1_windows w = windows(NULL);
  for (unsigned n = 1; n <= 4; n++) assert_int_equal(l1_windows_decide(&w, true, n), L1_DEMAND_MSHR);
}

static void test_more_than_half_inconsistent_lines_of_a_size_demand_the_whole_line(void **state) {
  (void)state;
  for (unsigned n = 2; n <= 4; n++) {
    struct l1_windows w = windows(NULL);
    lines(&w, 8, n, true);
    assert_int_equal(l1_windows_decide(&w, false, n), L1_DEMAND_PART);
    lines(&w, 1, n, true);
    assert_int_equal(l1_windows_decide(&w, false, n), L1_DEMAND_ICA_RATIO);
    for (unsigned other = 1; other <= 4; other++)
      if (other != n) assert_int_equal(l1_windows_decide(&w, false, other), L1_DEMAND_PART);
    lines(&w, 7, n, false); /* the window is full: 9 of 16 */
    assert_int_equal(l1_windows_decide(&w, false, n), L1_DEMAND_ICA_RATIO);
    lines(&w, 1, n, false); /* first in, first out */
    assert_int_equal(l1_windows_decide(&w, false, n), L1_DEMAND_PART);
  }
}

static void test_lines_of_32_bytes_have_no_window(void **state) {
  (void)state;
  struct l1_windows w = windows(NULL), before = w;
  lines(&w, 16, 1, true);
  assert_memory_equal(w.ica, before.ica, sizeof w.ica);
}

static void test_without_prediction_always_a_part(void **state) {
  (void)state;
  struct l1_windows w = windows("reply.predict=false");
  requests(&w, 16, true);
  lines(&w, 16, 2, true);
  assert_int_equal(l1_windows_decide(&w, true, 2), L1_DEMAND_PART);
}

static void test_window_size_and_thresholds_are_keys(void **state) {
  (void)state;
  struct l1_windows w = windows("reply.window=64");
  requests(&w, 57, true); /* 89.06 % */
  assert_int_equal(l1_windows_decide(&w, false, 1), L1_DEMAND_PART);
  requests(&w, 1, true);
  assert_int_equal(l1_windows_decide(&w, false, 1), L1_DEMAND_FDR_RATIO);
  w = windows("reply.ica_threshold=25");
  lines(&w, 5, 3, true);
  assert_int_equal(l1_windows_decide(&w, false, 3), L1_DEMAND_ICA_RATIO);
  w = windows("reply.fdr_threshold=30");
  requests(&w, 5, true);
  assert_int_equal(l1_windows_decide(&w, false, 1), L1_DEMAND_FDR_RATIO);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_an_empty_history_demands_a_part),
      cmocka_unit_test(test_more_than_90_percent_of_whole_requests_demand_the_whole_line),
      cmocka_unit_test(test_an_insufficient_outstanding_request_demands_the_whole_line),
      cmocka_unit_test(test_more_than_half_inconsistent_lines_of_a_size_demand_the_whole_line),
      cmocka_unit_test(test_lines_of_32_bytes_have_no_window),
      cmocka_unit_test(test_without_prediction_always_a_part),
      cmocka_unit_test(test_window_size_and_thresholds_are_keys),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
