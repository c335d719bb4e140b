/* Every point where something can be chosen, and every word there: each is a value, each wrong one is refused with the nearest
 * right one, and what a policy says of itself (keys, statistics, storage) is there. */
#include "test_settings.h"

#include "gpu/gpu.h"
#include "cost/storage.h"

#include <ctype.h>
#include <stdio.h>

static void (*present)(struct cfg *c, const struct cfg_key *key);
static struct cfg *presented;

static void present_point(void *user, const struct cfg_key *key, const char *value, const char *source) {
  (void)user;
  (void)value;
  (void)source;
  if (key->type != CFG_CHOICE) return;
  assert_non_null(key->choices);
  present(presented, key);
}

static void each_point(void (*fn)(struct cfg *c, const struct cfg_key *key)) {
  struct cfg *visited = gpu_cfg_new();
  presented = gpu_cfg_new();
  present = fn;
  cfg_visit(visited, present_point, NULL);
  cfg_delete(presented);
  cfg_delete(visited);
}

static bool set(struct cfg *c, const char *key, const char *word, struct err *e) {
  char text[256];
  snprintf(text, sizeof text, "%s=%s", key, word);
  return cfg_set(c, text, e);
}

/* ---- words ---- */

static void words(struct cfg *c, const struct cfg_key *key) {
  struct err e = {0};
  assert_non_null(policy_find(key->choices, key->initial));
  for (unsigned i = 0; key->choices[i]; i++) {
    const struct policy *p = key->choices[i];
    assert_true(p->name[0] && p->meaning[0]);
    for (const char *at = p->name; *at; at++) assert_true(isalnum(*at) || strchr("-+_", *at));
    assert_ptr_equal(policy_find(key->choices, p->name), p); /* no word twice */
    if (!set(c, key->name, p->name, &e)) fail_msg("%s", e.text);
    assert_int_equal(cfg_option(c, key->name), i);
    assert_ptr_equal(cfg_policy(c, key->name), p->off ? NULL : p);
    assert_string_equal(cfg_text(c, key->name), p->name);
  }
}

static void test_every_word_is_a_value(void **state) {
  (void)state;
  each_point(words);
}

static void misspelt(struct cfg *c, const struct cfg_key *key) {
  for (unsigned i = 0; key->choices[i]; i++) {
    struct err e = {0};
    char wrong[64], hint[128];
    snprintf(wrong, sizeof wrong, "%sx", key->choices[i]->name);
    snprintf(hint, sizeof hint, "(did you mean '%s'?)", key->choices[i]->name);
    assert_false(set(c, key->name, wrong, &e));
    assert_int_equal(e.kind, ERR_INPUT);
    if (!strstr(e.text, hint) || !strstr(e.text, key->name)) fail_msg("%s", e.text);
    for (unsigned k = 0; key->choices[k]; k++) assert_non_null(strstr(e.text, key->choices[k]->name));
  }
}

static void test_a_wrong_word_is_refused_with_the_nearest_right_one(void **state) {
  (void)state;
  each_point(misspelt);
}

/* ---- what policies say of themselves ---- */

static void own_keys(struct cfg *c, const struct cfg_key *key) {
  for (unsigned i = 0; key->choices[i]; i++)
    for (const struct cfg_key *k = key->choices[i]->keys; k && k->name; k++) {
      struct err e = {0};
      if (!set(c, k->name, k->initial, &e)) fail_msg("%s", e.text);
      assert_string_equal(cfg_text(c, k->name), k->initial);
    }
}

static void test_the_keys_of_every_policy_can_be_set(void **state) {
  (void)state;
  each_point(own_keys);
}

static void parts(struct cfg *c, const struct cfg_key *key) {
  struct cost_storage row[COST_STORAGE_PARTS];
  struct err e = {0};
  size_t n = cost_storage(c, row, &e);
  assert_true(n > 0);
  for (unsigned i = 0; key->choices[i]; i++)
    for (const struct policy_part *p = key->choices[i]->storage; p && p->name; p++) {
      size_t at = 0;
      while (at < n && strcmp(row[at].part, p->name)) at++;
      if (at == n) fail_msg("%s=%s stores %s, which has no row", key->name, key->choices[i]->name, p->name);
    }
}

static void test_what_a_policy_stores_has_a_row(void **state) {
  (void)state;
  each_point(parts);
}

/* ---- the points there must be ---- */

static void test_there_is_a_choice_at_every_point_of_the_hierarchy(void **state) {
  (void)state;
  static const char *const keys[] = {"sm.scheduler",   "gpu.cta_scheduler", "l1.org",       "l1.replacement", "l1.bypass", "coop",
                                     "noc.topology",   "reply.filter",      "reply.compress", "llc.mode",     "l2.replacement",
                                     "dram.scheduler", "dram.page",         "dram.map",     "dram.bank_hash"};
  struct cfg *c = gpu_cfg_new();
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    struct err e = {0};
    assert_false(set(c, keys[i], "no-such-word", &e));
    if (!strstr(e.text, "one of ")) fail_msg("%s is no choice: %s", keys[i], e.text);
  }
  cfg_delete(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_word_is_a_value),
      cmocka_unit_test(test_a_wrong_word_is_refused_with_the_nearest_right_one),
      cmocka_unit_test(test_the_keys_of_every_policy_can_be_set),
      cmocka_unit_test(test_what_a_policy_stores_has_a_row),
      cmocka_unit_test(test_there_is_a_choice_at_every_point_of_the_hierarchy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
