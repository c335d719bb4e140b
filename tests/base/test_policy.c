/* Lists of policies: finding, hints, and statistics that only one of them counts. */
#include "test_settings.h"

#include <stdlib.h>

static const struct stat_def twins[] = {{"x.picked", "requests", "picked", ""}, {"x.held", "requests", "held back", ""}, {0}};
static const struct stat_def other[] = {{"x.other", "requests", "of another policy", ""}, {0}};
struct table {
  struct policy policy;
  int is;
};
static const struct table plain = {{.name = "plain", .meaning = "counts nothing"}, 1},
                          first = {{.name = "first", .meaning = "counts", .stats = twins}, 2},
                          second = {{.name = "second", .meaning = "counts something else", .stats = other}, 3};
static const struct policy *const list[] = {&plain.policy, &first.policy, &second.policy, NULL};

static void test_a_policy_is_found_by_its_word(void **state) {
  (void)state;
  const struct table *t = policy_find(list, "second");
  assert_int_equal(t->is, 3);
  assert_null(policy_find(list, "secon"));
  assert_null(policy_find(list, ""));
  assert_int_equal(policy_count(list), 3);
  assert_string_equal(policy_hint(list, "frist").s, " (did you mean 'first'?)");
  assert_string_equal(policy_hint(list, "something").s, "");
  struct str words = {0};
  policy_words(list, &words);
  assert_string_equal(words.s, "plain first second");
  str_free(&words);
}

static void test_counters_are_as_many_as_statistics(void **state) {
  (void)state;
  assert_int_equal(policy_stats(&plain.policy), 0);
  assert_int_equal(policy_stats(&first.policy), 2);
  assert_null(policy_counters(&plain.policy));
  uint64_t *c = policy_counters(&first.policy);
  assert_int_equal(c[0] + c[1], 0);
  c[1] = 5;
  assert_int_equal(own_stat(&first.policy, c, "x.held"), 5);
  free(c);
}

/* Two instances: of the chosen policy both count, those of the others are there and 0. */
static void test_statistics_of_all_are_registered_and_the_chosen_ones_count(void **state) {
  (void)state;
  uint64_t counted[2][2] = {{3, 0}, {4, 1}};
  struct stats *s = stats_new();
  for (unsigned i = 0; i < 2; i++) policy_register(s, list, &first.policy, counted[i], i);
  assert_int_equal(stats_count(s), 3);
  assert_int_equal(stats_get(s, "x.picked"), 7);
  assert_int_equal(stats_get(s, "x.held"), 1);
  assert_string_equal(stats_def(s, 2)->name, "x.other");
  assert_int_equal(stats_instances(s, 2), 2);
  assert_int_equal(stats_instance(s, 2, 1), 0);
  assert_int_equal(stats_total(s, 2), 0);
  stats_delete(s);
}

/* Two policies may count under one name: whichever is chosen, in whatever order they are listed. */
static void test_a_statistic_of_two_policies_is_counted_by_the_chosen_one(void **state) {
  (void)state;
  static const struct policy third = {.name = "third", .meaning = "counts as first does", .stats = twins};
  static const struct policy *const shared[] = {&first.policy, &third, NULL};
  uint64_t counted[2] = {6, 2};
  for (unsigned i = 0; i < 2; i++) {
    struct stats *s = stats_new();
    policy_register(s, shared, shared[i], counted, 0);
    assert_int_equal(stats_count(s), 2);
    assert_int_equal(stats_get(s, "x.picked"), 6);
    stats_delete(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_policy_is_found_by_its_word),
      cmocka_unit_test(test_counters_are_as_many_as_statistics),
      cmocka_unit_test(test_statistics_of_all_are_registered_and_the_chosen_ones_count),
      cmocka_unit_test(test_a_statistic_of_two_policies_is_counted_by_the_chosen_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
