/* Tests of how claims are measured: what rules ask for is run once, in rounds, and what fails is said. The workloads are made
 * up (home_kit.h). */
#include "home_kit.h"

#include "gpu/gpu.h"
#include "lab/claims/claim_lab.h"
#include "lab/claims/claim_page.h"

static const char *const suite[] = {"bfs",     "cfd",          "kmeans",  "mummergpu",    "particlefilter", "srad_v2", "spmv",   "b+tree",
                                    "dwt2d",   "gaussian",     "srad_v1", "streamcluster", "histo",         "stencil", "mri-gridding",
                                    "kmn",     "sssp",         "backprop", "2dconv"};
enum { SUITE = 15 /* of the tag-split cache */, ALL = sizeof suite / sizeof *suite };

static int make_home(void **state) {
  (void)state;
  return home_make("cycles=1156; case $HEDDLE_SET in *tsc*) cycles=1000 ;; *l1.sets=8*) cycles=1100 ;; "
                   "*line32*) cycles=500 ;; esac\n"
                   "case $HEDDLE_SET in *warp_limit=*) n=${HEDDLE_SET##*warp_limit=}; cycles=$((1000 + (n - 21) * (n - 21))) ;; esac",
                   ", \"probes\": {\"lines\": {\"quarter_of_reused\": 0.9}}");
}

/* The scores of some claims, measured as `l` says, in the database of these tests; to be given back. */
static json_t *measure_as(struct claim_lab l, const char *const *ids, size_t n) {
  struct err e = {0};
  json_t *scores = NULL;
  int stopped = 0;
  l.sweep.home = home;
  l.sweep.jobs = 2;
  l.sweep.db = lab_db_open(in_home("lab.db"), true, &e);
  assert_non_null(l.sweep.db);
  assert_true(claim_lab_measure(&l, ids, n, &scores, &stopped, &e));
  assert_string_equal(e.text, "");
  lab_db_close(l.sweep.db);
  return scores;
}

/* With `n` of the workloads. */
static json_t *measure_with_figures(const char *const *ids, size_t n_ids, const char *figures, size_t n, bool retry) {
  return measure_as((struct claim_lab){.size = "small", .figures = figures, .workloads = suite, .n_workloads = n,
                                       .sweep = {.shard = 1, .shards = 1, .retry_failed = retry}}, ids, n_ids);
}

static json_t *measure(const char *const *ids, size_t n_ids, size_t n, bool retry) {
  return measure_with_figures(ids, n_ids, NULL, n, retry);
}

/* The same with stored results, of which more is known afterwards; some of the runs only, where there are parts. */
static json_t *measure_stored(const char *const *ids, size_t n_ids, struct claim_stored *table, const char *size, unsigned part,
                              unsigned parts, const struct reading *reading) {
  return measure_as((struct claim_lab){.size = size, .workloads = suite, .n_workloads = ALL, .stored = table, .store = table,
                                       .reading = reading, .sweep = {.shard = part, .shards = parts}}, ids, n_ids);
}

/* Lines of the file of calls with these words. */
static unsigned calls_with(const char *words) {
  FILE *f = fopen(in_home("calls"), "r");
  char line[512];
  unsigned n = 0;
  while (f && fgets(line, sizeof line, f)) n += strstr(line, words) != NULL;
  if (f) fclose(f);
  return n;
}

static void forget_runs(void) { home_clean(NULL); }

/* A figure of group T as the database has it; to be given back. */
static json_t *figure(const char *id, const char *size) {
  struct err e = {0};
  struct lab_db *db = lab_db_open(in_home("lab.db"), false, &e);
  json_t *list = claim_lab_figures(db, NULL, NULL, size, "T", &e), *found = NULL, *f;
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

/* ---- stored results ------------------------------------------------------------------------------------------------------- */

static void test_a_stored_run_is_not_made_again(void **state) {
  (void)state;
  struct claim_stored *table = claim_stored_new("kmeans\t1\n");
  json_t *first = measure_stored(both, 2, table, "small", 1, 1, NULL);
  assert_int_equal(home_calls(), 2 * SUITE + 1);
  forget_runs(); /* another machine */
  json_t *second = measure_stored(both, 2, table, "small", 1, 1, NULL), *looked = claim_lab_look(table, "small", NULL, NULL, both, 2);
  assert_int_equal(home_calls(), 0);
  for (size_t i = 0; i < 2; i++) {
    assert_string_equal(text(second, i, "measured"), text(first, i, "measured"));
    assert_string_equal(text(looked, i, "measured"), text(first, i, "measured"));
    assert_string_equal(text(looked, i, "verdict"), "reproduced");
  }
  json_decref(first);
  json_decref(second);
  json_decref(looked);
  claim_stored_delete(table);
}

/* The page, until it is asked for again. */
static const char *page_of(const struct claim_stored *table) {
  struct err e = {0};
  static char text[1 << 17];
  assert_true(claim_page_write(table, in_home("page.md"), &e));
  FILE *f = fopen(in_home("page.md"), "r");
  assert_non_null(f);
  text[fread(text, 1, sizeof text - 1, f)] = 0;
  fclose(f);
  unlink(in_home("page.md"));
  return text;
}

static void test_sampled_runs_are_stored_apart_and_marked(void **state) {
  (void)state;
  static const char *const ids[] = {"T15", "T31"};
  struct claim_stored *table = claim_stored_new("kmeans\t1\n");
  json_decref(measure_as((struct claim_lab){.size = "small", .workloads = suite, .n_workloads = ALL, .stored = table, .store = table,
                                            .sample = CLAIM_SAMPLED, .sweep = {.shard = 1, .shards = 1}}, ids, 2));
  assert_int_equal(calls_with("gpu.sample=2"), 2 * SUITE);
  json_t *whole = claim_lab_look(table, "small", NULL, NULL, ids, 2);
  json_t *sampled = claim_lab_look(table, "small", NULL, CLAIM_SAMPLED, ids, 2);
  assert_string_equal(text(whole, 0, "verdict"), "not-measured");
  assert_string_equal(text(sampled, 0, "verdict"), "reproduced");
  assert_true(json_is_true(json_object_get(json_array_get(sampled, 0), "sampled")));
  assert_null(json_object_get(json_array_get(sampled, 1), "sampled")); /* storage is not run */
  const char *page = page_of(table);
  assert_non_null(strstr(page, "\n1 verdicts, marked ≈, "));
  assert_non_null(strstr(page, "| 15.6 % | **reproduced** ≈ |"));
  json_decref(measure_stored(ids, 2, table, "small", 1, 1, NULL)); /* whole runs stand in the place of sampled ones */
  assert_null(strstr(page_of(table), "≈"));
  json_decref(whole);
  json_decref(sampled);
  claim_stored_delete(table);
}

static void test_a_number_that_was_not_stored_is_measured(void **state) {
  (void)state;
  static const char *const cycles[] = {"T15"}, *const probe[] = {"T01"};
  struct claim_stored *table = claim_stored_new("kmeans\t1\n");
  json_decref(measure_stored(cycles, 1, table, "small", 1, 1, NULL));
  forget_runs();
  json_t *scores = measure_stored(probe, 1, table, "small", 1, 1, NULL); /* of mummergpu, whose cycles are stored */
  assert_string_equal(text(scores, 0, "measured"), "90.0 %");
  assert_int_equal(home_calls(), 1);
  json_decref(scores);
  forget_runs();
  json_decref(measure_stored(probe, 1, table, "small", 1, 1, NULL));
  assert_int_equal(home_calls(), 0);
  claim_stored_delete(table);
}

/* The table of before under other versions of workloads; to be deleted. */
static struct claim_stored *with_stamps(const struct claim_stored *t, const char *stamps) {
  struct err e = {0};
  struct claim_stored *new = claim_stored_new(stamps);
  assert_true(claim_stored_write(t, in_home("lab.db-wal"), &e)); /* a name that is cleaned up */
  assert_true(claim_stored_read(new, in_home("lab.db-wal"), &e));
  unlink(in_home("lab.db-wal"));
  return new;
}

static void test_stale_runs_are_made_again_and_reported_where_nothing_is_run(void **state) {
  (void)state;
  static const char *const ids[] = {"T15", "T01"};
  struct claim_stored *table = claim_stored_new("kmeans\t1\nmummergpu\t1\n");
  json_decref(measure_stored(ids, 2, table, "small", 1, 1, NULL));
  struct claim_stored *later = with_stamps(table, "kmeans\t2\nmummergpu\t1\nbfs\t-\n");
  forget_runs();
  json_t *looked = claim_lab_look(later, "small", NULL, NULL, ids, 2);
  assert_string_equal(text(looked, 0, "verdict"), "reproduced");
  assert_true(json_is_true(json_object_get(json_array_get(looked, 0), "stale")));
  assert_false(json_is_true(json_object_get(json_array_get(looked, 1), "stale"))); /* only kmeans has changed */
  json_t *scores = measure_stored(ids, 2, later, "small", 1, 1, NULL);
  assert_int_equal(home_calls(), 2); /* kmeans with and without TSC */
  assert_false(json_is_true(json_object_get(json_array_get(scores, 0), "stale")));
  json_decref(looked);
  json_decref(scores);
  claim_stored_delete(later);
  claim_stored_delete(table);
}

static void test_what_is_not_stored_is_not_measured_by_a_look(void **state) {
  (void)state;
  struct claim_stored *table = claim_stored_new("kmeans\t1\n");
  json_t *looked = claim_lab_look(table, "small", NULL, NULL, both, 2);
  assert_string_equal(text(looked, 0, "verdict"), "not-measured");
  assert_non_null(strstr(text(looked, 0, "note"), "bfs on gtx480: it is not among the stored results"));
  json_decref(looked);
  claim_stored_delete(table);
}

static void test_a_number_that_is_not_stored_keeps_no_other_from_a_look(void **state) {
  (void)state;
  static const char *const cycles[] = {"T03"}, *const all[] = {"T04", "T03"}; /* T04 wants other numbers of a run of T03's */
  struct claim_stored *table = claim_stored_new("kmeans\t1\n");
  json_decref(measure_stored(cycles, 1, table, "small", 1, 1, NULL));
  json_t *looked = claim_lab_look(table, "small", NULL, NULL, all, 2);
  assert_string_equal(text(looked, 0, "verdict"), "not-measured");
  assert_non_null(strstr(text(looked, 0, "note"), "kmeans on gtx480: 'l1d."));
  assert_string_equal(text(looked, 1, "verdict"), "reproduced");
  json_decref(looked);
  claim_stored_delete(table);
}

/* ---- parts ---------------------------------------------------------------------------------------------------------------- */

/* Each part knows of no other, as on a cluster. With B11 there is a search over limits of warps, whose tries depend on each other:
 * it is made to its end by one of them. */
static void test_the_parts_together_make_every_run_once(void **state) {
  (void)state;
  static const char *const ids[] = {"T15", "T03", "B11"};
  enum { PARTS = 5 };
  unsigned sum = 0;
  for (unsigned i = 1; i <= PARTS; i++) {
    struct claim_stored *table = claim_stored_new("kmeans\t1\n");
    forget_runs();
    assert_null(measure_stored(ids, 3, table, "small", i, PARTS, NULL));
    assert_true(home_calls() > 0);
    sum += home_calls();
    claim_stored_delete(table);
  }
  struct claim_stored *all = claim_stored_new("kmeans\t1\n");
  forget_runs();
  json_decref(measure_stored(ids, 3, all, "small", 1, 1, NULL));
  assert_int_equal(home_calls(), sum);
  claim_stored_delete(all);
}

/* ---- settings ------------------------------------------------------------------------------------------------------------- */

static void test_at_size_paper_runs_stop_where_the_paper_did(void **state) {
  (void)state;
  static const char *const one[] = {"T03"}, *const whole[] = {"B15"};
  struct claim_stored *table = claim_stored_new("kmeans\t1\n");
  json_decref(measure_stored(one, 1, table, "paper", 1, 1, NULL));
  assert_int_equal(calls_with("kmeans gpu.max_thread_instructions=1000000000"), 2);
  json_decref(measure_stored(whole, 1, table, "paper", 1, 1, NULL)); /* the paper of group B names no limit */
  assert_int_equal(calls_with("gaussian"), 3);
  assert_int_equal(calls_with("gpu.max_thread_instructions"), 2);
  json_decref(measure_stored(one, 1, table, "medium", 1, 1, NULL));
  assert_int_equal(calls_with("gpu.max_thread_instructions"), 2);
  claim_stored_delete(table);
}

static void test_a_run_of_a_reason_that_names_the_limit_has_it_once(void **state) {
  (void)state;
  static const char *const ids[] = {"T16"}; /* its reason names runs of size paper, kmeans with tag-split caches among them */
  struct claim_stored *table = claim_stored_new("kmeans\t1\n");
  json_decref(measure_stored(ids, 1, table, "paper", 1, 1, NULL));
  assert_int_equal(calls_with("kmeans "), 3); /* those of the rule: no cache of these, tsc, tsc+ */
  forget_runs();
  json_decref(measure_stored(ids, 1, table, "paper", 1, 1, NULL));
  assert_int_equal(home_calls(), 0); /* all are stored */
  claim_stored_delete(table);
}

static void test_a_reading_leaves_what_a_rule_varies_itself(void **state) {
  (void)state;
  static const char *const latencies[] = {"T30", "T03"}, *const mrpb[] = {"B14"};
  struct err e = {0};
  struct claim_stored *table = claim_stored_new("kmeans\t1\n");
  json_decref(measure_stored(latencies, 2, table, "small", 1, 1, reading_find("t.hit=24", &e)));
  assert_int_equal(calls_with("l1.latency=24"), 2); /* where the rule names none */
  assert_int_equal(calls_with("l1.latency=20"), 2 * SUITE);
  assert_int_equal(calls_with("l1.latency=90"), 2 * SUITE);
  json_decref(measure_stored(mrpb, 1, table, "small", 1, 1, reading_find("b.mrpb=line", &e)));
  assert_int_equal(calls_with("l1.mrpb.bypass=any"), 0); /* the reading is about these runs */
  claim_stored_delete(table);
}

/* T03 is of lines of 32 bytes, whose sets t.sets=same chooses; it differs with those. */
static void test_the_page_names_the_size_of_a_reading_that_is_measured_at_a_smaller_one(void **state) {
  (void)state;
  static const char *const ids[] = {"T03"};
  struct err e = {0};
  struct claim_stored *table = claim_stored_new("kmeans\t1\n");
  json_decref(measure_stored(ids, 1, table, "small", 1, 1, NULL));
  assert_null(strstr(page_of(table), "not under `t.sets=same`"));
  json_decref(measure_stored(ids, 1, table, "small", 1, 1, reading_find("t.sets=same", &e)));
  assert_non_null(strstr(page_of(table), "| **reproduced** | not under `t.sets=same` |"));
  json_decref(measure_stored(ids, 1, table, "medium", 1, 1, NULL));
  assert_non_null(strstr(page_of(table), "| **reproduced** | not under `t.sets=same` (small) |"));
  claim_stored_delete(table);
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
      CLEAN(test_a_stored_run_is_not_made_again),
      CLEAN(test_sampled_runs_are_stored_apart_and_marked),
      CLEAN(test_a_number_that_was_not_stored_is_measured),
      CLEAN(test_stale_runs_are_made_again_and_reported_where_nothing_is_run),
      CLEAN(test_what_is_not_stored_is_not_measured_by_a_look),
      CLEAN(test_a_number_that_is_not_stored_keeps_no_other_from_a_look),
      CLEAN(test_the_parts_together_make_every_run_once),
      CLEAN(test_at_size_paper_runs_stop_where_the_paper_did),
      CLEAN(test_a_run_of_a_reason_that_names_the_limit_has_it_once),
      CLEAN(test_a_reading_leaves_what_a_rule_varies_itself),
      CLEAN(test_the_page_names_the_size_of_a_reading_that_is_measured_at_a_smaller_one),
  };
  return cmocka_run_group_tests(tests, make_home, home_remove);
}
