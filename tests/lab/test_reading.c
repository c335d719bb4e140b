/* Readings of the papers: the files of the project are whole, settings are ones their GPUs take, and what is wrong in a file is
 * said with its line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "claims_kit.h"
#include "gpu/gpu.h"
#include "lab/reading.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static void test_names_are_unique_and_of_a_group_of_claims(void **state) {
  (void)state;
  size_t n;
  const struct reading *all = reading_all(&n);
  assert_true(n >= 12);
  for (size_t i = 0; i < n; i++) {
    struct err e = {0};
    assert_ptr_equal(reading_find(all[i].name, &e), &all[i]);
    assert_int_equal(all[i].name[0], tolower(all[i].group));
    assert_non_null(strchr("TBADC", all[i].group));
    assert_true(*all[i].asks && *all[i].rests_on && *all[i].why && *all[i].means);
  }
}

/* The presets that the groups of claims measure on. */
static const char *gpu_of(char group) {
  return group == 'T'   ? "gtx480"
         : group == 'B' ? "gtx480-bucl"
         : group == 'A' ? "gpu80"
         : group == 'D' ? "mesh56"
                        : "gtx480-ccn";
}

/* What the rules of a group set themselves where a reading applies. */
static const struct { char group; const char *only, *set; } of_the_rules[] = {
    {'B', "l1.bypass=mrpb", "l1.mrpb.bypass=any"},
    {'T', "l1.org=dsc", "l1.dsc.evicts=lines"},
};

struct wanted {
  const char *key;
  char value[100];
};
static void note_value(void *user, const struct cfg_key *k, const char *value, const char *source) {
  struct wanted *w = user;
  (void)source;
  if (!strcmp(k->name, w->key)) snprintf(w->value, sizeof w->value, "%s", value);
}

static void test_settings_are_taken_and_change_something(void **state) {
  (void)state;
  size_t n;
  const struct reading *all = reading_all(&n);
  for (size_t i = 0; i < n; i++) {
    struct cfg *c = gpu_cfg_new();
    struct err e = {0};
    assert_true(gpu_cfg_preset(c, gpu_of(all[i].group), &e));
    char set[200], key[100];
    snprintf(set, sizeof set, "%s", all[i].set);
    snprintf(key, sizeof key, "%.*s", (int)strcspn(set, "="), set);
    struct wanted before = {.key = key}, after = {.key = key};
    for (size_t k = 0; k < sizeof of_the_rules / sizeof *of_the_rules; k++)
      if (all[i].group == of_the_rules[k].group && !strcmp(all[i].only, of_the_rules[k].only))
        assert_true(cfg_set(c, of_the_rules[k].set, &e));
    cfg_visit(c, note_value, &before);
    if (!cfg_set_all(c, set, &e)) fail_msg("%s: %s", all[i].name, e.text);
    cfg_visit(c, note_value, &after);
    if (*key && !strcmp(before.value, after.value)) fail_msg("%s changes nothing", all[i].name);
    cfg_delete(c);
  }
}

static void test_an_unknown_reading_offers_the_nearest(void **state) {
  (void)state;
  struct err e = {0};
  assert_null(reading_find("d.flits=1", &e));
  assert_non_null(strstr(e.text, "there is no reading 'd.flits=1' (did you mean 'd.flits=16'"));
}

static void wrong_file(const char *text, const char *message) {
  struct reading *out = NULL;
  size_t n = 0;
  struct err e = {0};
  assert_false(reading_parse("x", text, strlen(text), &out, &n, &e));
  assert_string_equal(e.text, message);
}

#define QUESTION "claims = \"X\"\n[q]\nasks = \"a\"\nrests_on = \"r\"\ndefault = \"1\"\nwhy = \"w\"\n"
static void test_a_wrong_file_is_refused_with_its_line(void **state) {
  (void)state;
  wrong_file("claims = \"XY\"\n", "readings/x.toml:1: expected claims = \"T\" or another letter");
  wrong_file("claims = \"X\"\n[q]\nask = \"a\"\n", "readings/x.toml:3: a question has asks, rests_on, default and why");
  wrong_file("claims = \"X\"\n[q.1]\nmeans = \"m\"\n",
             "readings/x.toml:3: a choice follows its question, which has asks, rests_on, default and why");
  wrong_file(QUESTION "[q.1]\nmeans = 3\n", "readings/x.toml:8: every value is a string");
  wrong_file(QUESTION "[q.1]\nmean = \"m\"\n", "readings/x.toml:8: a choice has means, set and only");
  wrong_file(QUESTION "[q.1]\nmeans = \"m\"\nset = \"l1.ways=2\"\n",
             "readings/x.toml:9: a default has no settings: presets and rules say them");
  wrong_file(QUESTION "[q.1]\nmeans = \"m\"\n",
             "readings/x.toml: question 'q' needs two choices or more, its default among them");
  wrong_file(QUESTION "[q.2]\nmeans = \"m\"\n[q.3]\nmeans = \"m\"\n",
             "readings/x.toml: question 'q' needs two choices or more, its default among them");
}

/* T27 with made-up numbers: half of the packets and a quarter of the flits are left. */
static void test_a_definition_reaches_the_rule(void **state) {
  (void)state;
  static const struct kit_row rows[] = {{NULL, NULL, "l1d.packets_in", 100, NULL},        {NULL, NULL, "noc.reply_flits", 100, NULL},
                                        {"l1.org=tsc", NULL, "l1d.packets_in", 50, NULL}, {"l1.org=tsc", NULL, "noc.reply_flits", 28, NULL},
                                        {0}};
  static struct kit_source k;
  struct err e = {0};
  const struct reading *flits = reading_find("t.traffic=flits", &e);
  k = (struct kit_source){.rows = rows};
  struct claim_source source = {kit_answer_run, kit_answer_storage, kit_answer_key, kit_answer_count, &k, NULL};
  json_t *usual = claim_evaluate("T27", claim_rule_of("T27"), &source);
  source.reading = flits;
  json_t *other = claim_evaluate("T27", claim_rule_of("T27"), &source);
  assert_string_equal(kit_text(usual, "measured"), "50.0 %");
  assert_string_equal(kit_text(usual, "verdict"), "differs");
  assert_string_equal(kit_text(other, "measured"), "72.0 %");
  assert_string_equal(kit_text(other, "verdict"), "reproduced");
  for (size_t i = 0; i < k.n; i++) json_decref(k.runs[i]);
  json_decref(usual);
  json_decref(other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_names_are_unique_and_of_a_group_of_claims),
      cmocka_unit_test(test_settings_are_taken_and_change_something),
      cmocka_unit_test(test_an_unknown_reading_offers_the_nearest),
      cmocka_unit_test(test_a_wrong_file_is_refused_with_its_line),
      cmocka_unit_test(test_a_definition_reaches_the_rule),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
