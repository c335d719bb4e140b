/* The project's own claims under made-up numbers: each holds for some and differs for others. */
#include "claims_kit.h"

extern const struct claim_rule claims_x[];

static const struct kit_row usual[] = {{0}};
static const struct kit_case cases[] = {
    {"X01", true, {{NULL, NULL, "combinations", 20, NULL}}},
    {"X01", false, {{NULL, NULL, "combinations", 19, NULL}}},
    {"X02", true, {{NULL, NULL, "scores", 105, NULL}}},
    {"X02", false, {{NULL, NULL, "scores", 104, NULL}}},
};

static void test_each_rule_can_hold_and_can_differ(void **state) {
  (void)state;
  kit_check_group(claims_x, usual, cases, sizeof cases / sizeof *cases);
}

static void test_without_a_search_its_claim_is_not_measured(void **state) {
  (void)state;
  static const struct kit_row none[] = {{NULL, NULL, "combinations", 0, NULL}, {0}};
  json_t *score = kit_score("X01", usual, none, false);
  assert_string_equal(kit_text(score, "verdict"), "not-measured");
  json_decref(score);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_rule_can_hold_and_can_differ),
                                     cmocka_unit_test(test_without_a_search_its_claim_is_not_measured)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
