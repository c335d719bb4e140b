/* Tests of how claims are measured: what rules ask for is run once, in rounds, and what fails is said. The workloads are made
 * up (home_kit.h). */
#include "home_kit.h"

#include "gpu/gpu.h"
#include "lab/claims/claim_lab.h"

static const char *const suite[] = {"bfs",     "cfd",          "kmeans",  "mummergpu",    "particlefilter", "srad_v2", "spmv",   "b+tree",
                                    "dwt2d",   "gaussian",     "srad_v1", "streamcluster", "histo",         "stencil", "mri-gridding"};
enum { SUITE = sizeof suite / sizeof *suite };

static int make_home(void **state) {
  (void)state;
  return home_make("cycles=1156; case $HEDDLE_SET in *tsc*) cycles=1000 ;; *line32*) cycles=500 ;; esac",
                   ", \"probes\": {\"lines\": {\"quarter_of_reused\": 0.9}}");
}

/* The scores of some claims, measured with `n` of the workloads; to be given back. */
static json_t *measure_with_figures(const char *const *ids, size_t n_ids, const char *figures, size_t n, bool retry) {
  struct err e = {0};
  json_t *scores = NULL;
  int stopped = 0;
  struct claim_lab l = {.size = "small", .figures = figures, .workloads = suite, .n_workloads = n,
                        .sweep = {.home = home, .jobs = 2, .shard = 1, .shards = 1, .retry_failed = retry}};
  l.sweep.db = lab_db_open(in_home("lab.db"), true, &e);
  assert_non_null(l.sweep.db);
  assert_true(claim_lab_measure(&l, ids, n_ids, &scores, &stopped, &e));
  assert_string_equal(e.text, "");
  lab_db_close(l.sweep.db);
  return scores;
}

static json_t *measure(const char *const *ids, size_t n_ids, size_t n, bool retry) {
  return measure_with_figures(ids, n_ids, NULL, n, retry);
}

/* A figure of group T as the database has it; to be given back. */
static json_t *figure(const char *id, const char *size) {
  struct err e = {0};
  struct lab_db *db = lab_db_open(in_home("lab.db"), false, &e);
  json_t *list = claim_lab_figures(db, size, "T", &e), *found = NULL, *f;
  size_t i;
  assert_string_equal(e.text, "");
  json_array_foreach(list, i, f)
    if (!strcmp(json_string_value(json_object_get(f, "id")), id)) found = json_incref(f);
  assert_non_null(found);
  json_decref(list);
  lab_db_close(db);
  return found;
}

static json_int_t count(const json_t *f, const char *name) { return json_integer_value(json_object_get(f, name)); }

static const char *text(const json_t *scores, size_t i, const char *name) {
  return json_string_value(json_object_get(json_array_get(scores, i), name));
}

static const char *const both[] = {"T15", "T03"};

static void test_what_rules_ask_for_is_run_once(void **state) {
  (void)state;
  json_t *scores = measure(both, 2, SUITE, false);
  assert_string_equal(text(scores, 0, "verdict"), "reproduced");
  assert_string_equal(text(scores, 0, "measured"), "15.6 %");
  assert_string_equal(text(scores, 1, "verdict"), "reproduced");
  assert_string_equal(text(scores, 1, "measured"), "131 %");
  assert_int_equal(home_calls(), 2 * SUITE + 1); /* base and tsc, and kmeans with line32 */
  json_decref(scores);
  json_decref(measure(both, 2, SUITE, false));
  assert_int_equal(home_calls(), 2 * SUITE + 1);
}

static void test_one_run_serves_rules_with_and_without_probes(void **state) {
  (void)state;
  static const char *const ids[] = {"T03", "T01"};
  json_t *scores = measure(ids, 2, SUITE, false);
  assert_string_equal(text(scores, 1, "measured"), "90.0 %");
  assert_int_equal(home_calls(), 3); /* kmeans twice, mummergpu with the probe */
  json_decref(scores);
  json_decref(measure(both, 1, SUITE, false));
  assert_int_equal(home_calls(), 3 + 2 * SUITE - 2); /* kmeans and mummergpu under the base are known */
}

static void test_a_failed_run_makes_its_claims_not_measured_and_no_others(void **state) {
  (void)state;
  static const char *const ids[] = {"T15", "T01"};
  write_file("broken-kmeans", "7");
  json_t *scores = measure(ids, 2, SUITE, false);
  assert_string_equal(text(scores, 0, "verdict"), "not-measured");
  assert_non_null(strstr(text(scores, 0, "note"), "kmeans on gtx480: exit status 7: no such luck"));
  assert_non_null(strstr(text(scores, 0, "note"), "kmeans on gtx480,l1.org=tsc: "));
  assert_string_equal(text(scores, 1, "verdict"), "reproduced");
  json_decref(scores);
  unsigned before = home_calls();
  json_decref(measure(ids, 2, SUITE, false));
  assert_int_equal(home_calls(), before); /* a failed run stays failed */
  unlink(in_home("broken-kmeans"));
  scores = measure(ids, 2, SUITE, true);
  assert_string_equal(text(scores, 0, "verdict"), "reproduced");
  assert_int_equal(home_calls(), before + 2);
  json_decref(scores);
}

static void ends_with(int exit_status, const char *says) {
  char status[16], note[96];
  snprintf(status, sizeof status, "%d", exit_status);
  snprintf(note, sizeof note, "kmeans on gtx480: %s: no such luck", says);
  write_file("broken-kmeans", status);
  json_t *scores = measure(both, 1, SUITE, false);
  assert_non_null(strstr(text(scores, 0, "note"), note));
  json_decref(scores);
}

static void test_a_deadlock_is_called_one(void **state) {
  (void)state;
  ends_with(GPU_DEADLOCK_STATUS, "deadlock");
}

static void test_a_mistake_of_ours_is_called_one(void **state) {
  (void)state;
  ends_with(GPU_BROKEN_STATUS, "a mistake of the simulator");
}

static void test_a_workload_that_is_not_there_is_named(void **state) {
  (void)state;
  json_t *scores = measure(both, 1, SUITE - 1, false);
  assert_string_equal(text(scores, 0, "verdict"), "not-measured");
  assert_non_null(strstr(text(scores, 0, "note"), "mri-gridding on gtx480: there is no such workload"));
  json_decref(scores);
}

static void test_storage_needs_no_run(void **state) {
  (void)state;
  static const char *const ids[] = {"T31"};
  json_t *scores = measure(ids, 1, SUITE, false);
  assert_string_equal(text(scores, 0, "verdict"), "reproduced");
  assert_int_equal(home_calls(), 0);
  json_decref(scores);
}

static void test_scores_are_kept_and_counted(void **state) {
  (void)state;
  static const char *const ids[] = {"T31", "X02"};
  json_t *scores = measure(ids, 2, SUITE, false);
  assert_string_equal(text(scores, 1, "measured"), "1 of 105 claims have a verdict");
  json_decref(scores);
}

static void test_a_figure_has_the_points_whose_runs_there_are(void **state) {
  (void)state;
  static const char *const ids[] = {"T03"};
  json_decref(measure(ids, 1, SUITE, false));
  unsigned before = home_calls();
  json_t *small = figure("T:2a", "small"), *medium = figure("T:2a", "medium");
  const json_t *first = json_array_get(json_object_get(small, "series"), 0), *values = json_object_get(first, "measured");
  assert_int_equal(count(small, "points"), 3 * 8);
  assert_int_equal(count(small, "missing"), 3 * 8 - 1);
  assert_true(json_number_value(json_array_get(values, 2)) == 1156 / 500.0); /* kmeans with lines of 32 bytes */
  assert_int_equal(count(medium, "missing"), 3 * 8);
  assert_int_equal(home_calls(), before);
  json_decref(small);
  json_decref(medium);
}

static void test_runs_of_figures_are_made_where_they_are_wanted(void **state) {
  (void)state;
  static const char *const ids[] = {"T03"};
  write_file("broken-kmeans", "7");
  json_decref(measure_with_figures(ids, 1, "T", SUITE, false));
  json_t *speed = figure("T:10b", "small"), *tags = figure("T:9", "small");
  unsigned before = home_calls();
  assert_int_equal(count(speed, "missing"), 6 + 6); /* kmeans and the means */
  assert_non_null(strstr(json_string_value(json_object_get(speed, "lacks")), "kmeans on gtx480,l1.org=tsc+: exit status 7"));
  assert_int_equal(count(tags, "missing"), 21);
  json_decref(speed);
  json_decref(tags);
  unlink(in_home("broken-kmeans"));
  json_decref(measure_with_figures(ids, 1, "T", SUITE, true));
  speed = figure("T:10b", "small");
  assert_int_equal(count(speed, "missing"), 0);
  json_decref(speed);
  assert_true(home_calls() > before);
  before = home_calls();
  json_decref(measure_with_figures(ids, 1, "T", SUITE, false));
  assert_int_equal(home_calls(), before);
}

#define CLEAN(test) cmocka_unit_test_setup_teardown(test, NULL, home_clean)
int main(void) {
  const struct CMUnitTest tests[] = {
      CLEAN(test_what_rules_ask_for_is_run_once),
      CLEAN(test_one_run_serves_rules_with_and_without_probes),
      CLEAN(test_a_failed_run_makes_its_claims_not_measured_and_no_others),
      CLEAN(test_a_deadlock_is_called_one),
      CLEAN(test_a_mistake_of_ours_is_called_one),
      CLEAN(test_a_workload_that_is_not_there_is_named),
      CLEAN(test_storage_needs_no_run),
      CLEAN(test_scores_are_kept_and_counted),
      CLEAN(test_a_figure_has_the_points_whose_runs_there_are),
      CLEAN(test_runs_of_figures_are_made_where_they_are_wanted),
  };
  return cmocka_run_group_tests(tests, make_home, home_remove);
}
