/* Tests of claims: the table of what was published, what a rule sees while nothing is known, and what makes a score. The
 * rules themselves are tested by group: test_claims_t.c and so on. */
#include "claims_kit.h"

static void test_the_table_has_every_claim_once(void **state) {
  (void)state;
  size_t n;
  const struct claim_row *rows = claim_rows(&n);
  unsigned by_group[128] = {0};
  assert_int_equal(n, 107);
  for (size_t i = 0; i < n; i++) {
    by_group[(int)rows[i].id[0]]++;
    assert_ptr_equal(claim_row(rows[i].id), &rows[i]);
    assert_true(*rows[i].claim && *rows[i].published && *rows[i].rule);
  }
  assert_int_equal(by_group['T'], 31);
  assert_int_equal(by_group['B'], 18);
  assert_int_equal(by_group['A'], 22);
  assert_int_equal(by_group['D'], 12);
  assert_int_equal(by_group['C'], 22);
  assert_int_equal(by_group['X'], 2);
  assert_null(claim_row("T32"));
}

static void test_every_rule_is_of_a_claim_in_the_table_and_there_is_one_each(void **state) {
  (void)state;
  for (const struct claim_rule *const *g = claim_groups; *g; g++)
    for (const struct claim_rule *r = *g; r->id; r++) {
      if (!claim_row(r->id)) fail_msg("%s is not in the table", r->id);
      if (claim_rule_of(r->id) != r) fail_msg("%s has two rules", r->id);
    }
}

/* A rule must neither crash nor come to a verdict before its numbers are there, whatever it does with NAN. */
static void test_no_rule_has_a_verdict_while_its_runs_are_not_made(void **state) {
  (void)state;
  for (const struct claim_rule *const *g = claim_groups; *g; g++)
    for (const struct claim_rule *r = *g; r->id; r++) {
      json_t *score = kit_score(r->id, NULL, NULL, true);
      if (strcmp(kit_text(score, "verdict"), "not-measured") != 0 && *kit_text(score, "measured") &&
          strstr(kit_text(score, "measured"), "nan"))
        fail_msg("%s has a verdict without numbers: %s", r->id, kit_text(score, "measured"));
      json_decref(score);
    }
}

static void test_a_claim_without_rule_is_not_measured(void **state) {
  (void)state;
  json_t *score = claim_evaluate("T01", NULL, NULL);
  assert_string_equal(kit_text(score, "verdict"), "not-measured");
  assert_string_equal(kit_text(score, "published"), "90.3 %");
  assert_string_equal(kit_text(score, "note"), "no rule measures this claim yet");
  json_decref(score);
}

/* ---- scores -------------------------------------------------------------------------------------------------------------- */

static const struct claim_setup setup = {.gpu = "gtx480"};
static double given;

static void near_ten(struct claim *c) {
  double v = claim_stat(c, &setup, "bfs", "ipc");
  claim_figure(c, "bfs", "%", 10, v);
  claim_holds(c, claim_near(v, 10, 1));
}
static void two_parts(struct claim *c) {
  claim_figure(c, "one", "%", 1, 1.25);
  claim_figure(c, "two", "%", NAN, -250);
  claim_note(c, "a note");
  claim_holds(c, true);
  claim_holds(c, given > 0);
  claim_holds(c, true);
}
static void undecided(struct claim *c) { claim_measured(c, "something"); }
static void wrong_name(struct claim *c) {
  claim_holds(c, claim_stat(c, &setup, "bfs", "l1d.mises") > 0);
  claim_holds(c, claim_stat(c, &setup, "bfs", "l1d.mises") > 1);
}

static void five_wrong(struct claim *c) {
  const char *const names[] = {"a", "b", "c", "d", "e"};
  for (size_t i = 0; i < 5; i++) claim_holds(c, claim_stat(c, &setup, "bfs", names[i]) > 0);
}
static void three_wrong(struct claim *c) {
  const char *const names[] = {"a", "b", "c"};
  for (size_t i = 0; i < 3; i++) claim_holds(c, claim_stat(c, &setup, "bfs", names[i]) > 0);
}

static json_t *score_of(void (*check)(struct claim *), const struct kit_row *rows) {
  static struct kit_source k;
  const struct claim_rule rule = {"T01", check, 0};
  k = (struct kit_source){.defaults = rows};
  const struct claim_source source = {kit_answer_run, kit_answer_storage, kit_answer_key, kit_answer_count, &k, NULL};
  json_t *score = claim_evaluate("T01", &rule, &source);
  for (size_t i = 0; i < k.n; i++) json_decref(k.runs[i]);
  return score;
}

static void test_a_bound_is_part_of_what_is_near(void **state) {
  (void)state;
  static const struct {
    double v;
    const char *verdict;
  } rows[] = {{9, "reproduced"}, {11, "reproduced"}, {8.99, "differs"}, {11.01, "differs"}, {NAN, "differs"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const struct kit_row known[] = {{NULL, NULL, "ipc", isnan(rows[i].v) ? 99 : rows[i].v, NULL}, {0}};
    json_t *score = score_of(near_ten, known);
    assert_string_equal(kit_text(score, "verdict"), rows[i].verdict);
    json_decref(score);
  }
  assert_false(claim_near(NAN, 10, 1));
}

static void test_every_part_of_a_rule_must_hold(void **state) {
  (void)state;
  given = 1;
  json_t *yes = score_of(two_parts, NULL);
  given = 0;
  json_t *no = score_of(two_parts, NULL);
  assert_string_equal(kit_text(yes, "verdict"), "reproduced");
  assert_string_equal(kit_text(yes, "measured"), "one 1.2 / two -250 %");
  assert_string_equal(kit_text(yes, "note"), "a note");
  assert_string_equal(kit_text(no, "verdict"), "differs");
  assert_string_equal(kit_text(no, "note"), "a note");
  const json_t *figures = json_object_get(yes, "figures");
  assert_int_equal(json_array_size(figures), 2);
  assert_true(json_is_null(json_object_get(json_array_get(figures, 1), "published")));
  json_decref(yes);
  json_decref(no);
}

static void test_without_a_decision_there_is_no_verdict(void **state) {
  (void)state;
  json_t *score = score_of(undecided, NULL);
  assert_string_equal(kit_text(score, "verdict"), "not-measured");
  json_decref(score);
}

static void test_a_statistic_that_is_not_there_is_named_once(void **state) {
  (void)state;
  json_t *score = score_of(wrong_name, NULL);
  assert_string_equal(kit_text(score, "verdict"), "not-measured");
  assert_string_equal(kit_text(score, "note"), "no 'l1d.mises' in the results of bfs on gtx480");
  json_decref(score);
}

static void test_of_many_missing_ones_three_are_named(void **state) {
  (void)state;
  json_t *five = score_of(five_wrong, NULL), *three = score_of(three_wrong, NULL);
  const char *named = "no 'a' in the results of bfs on gtx480; no 'b' in the results of bfs on gtx480; "
                      "no 'c' in the results of bfs on gtx480";
  assert_string_equal(kit_text(three, "note"), named);
  assert_memory_equal(kit_text(five, "note"), named, strlen(named));
  assert_string_equal(kit_text(five, "note") + strlen(named), "; and 2 more");
  json_decref(five);
  json_decref(three);
}

static void test_rank_correlation(void **state) {
  (void)state;
  const double up[] = {1, 2, 3, 4, 5}, curved[] = {1, 10, 100, 1000, 1001}, down[] = {9, 8, 7, 6, 5}, flat[] = {1, 1, 1, 1, 1},
               tied[] = {1, 2, 2, 3, 4};
  assert_true(fabs(claim_spearman(up, curved, 5) - 1) < 1e-9);
  assert_true(fabs(claim_spearman(up, down, 5) + 1) < 1e-9);
  assert_true(claim_spearman(up, flat, 5) == 0);
  assert_true(fabs(claim_spearman(up, tied, 5) - 0.9746794) < 1e-6);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_table_has_every_claim_once),
      cmocka_unit_test(test_every_rule_is_of_a_claim_in_the_table_and_there_is_one_each),
      cmocka_unit_test(test_no_rule_has_a_verdict_while_its_runs_are_not_made),
      cmocka_unit_test(test_a_claim_without_rule_is_not_measured),
      cmocka_unit_test(test_a_bound_is_part_of_what_is_near),
      cmocka_unit_test(test_every_part_of_a_rule_must_hold),
      cmocka_unit_test(test_without_a_decision_there_is_no_verdict),
      cmocka_unit_test(test_a_statistic_that_is_not_there_is_named_once),
      cmocka_unit_test(test_of_many_missing_ones_three_are_named),
      cmocka_unit_test(test_rank_correlation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
