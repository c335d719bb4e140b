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

/* ---- statistics ---- */

static struct stats *declared; /* what a GPU counts without settings, and what policies say they count */

static void declare(struct cfg *c, const struct cfg_key *key) {
  (void)c;
  policy_register(declared, key->choices, NULL, NULL, 0);
}

static bool is_declared(const char *name) {
  for (size_t i = 0; i < stats_count(declared); i++)
    if (!strcmp(stats_def(declared, i)->name, name)) return true;
  return false;
}

/* A GPU that the word goes with: the default, or one of those that the more demanding policies are made for. */
static struct gpu *gpu_with(const char *key, const char *word, struct err *e) {
  static const char *const on[][3] = {{"gtx480"}, {"mesh56", "reply.compress=dpc"}, {"gpu80", "noc.topology=hxbar"}, {"gpu80"}};
  struct gpu *g = NULL;
  for (unsigned i = 0; !g && i < sizeof on / sizeof *on; i++) {
    struct cfg *c = gpu_cfg_new();
    *e = (struct err){0};
    bool ok = gpu_cfg_preset(c, on[i][0], e);
    for (unsigned k = 1; on[i][k]; k++) ok = ok && cfg_set(c, on[i][k], e);
    if (ok && set(c, key, word, e)) g = gpu_new(c, e);
    cfg_delete(c);
  }
  return g;
}

static void counted(struct cfg *c, const struct cfg_key *key) {
  (void)c;
  for (unsigned i = 0; key->choices[i]; i++) {
    struct err e;
    struct gpu *g = gpu_with(key->name, key->choices[i]->name, &e);
    if (!g) fail_msg("%s=%s goes with no GPU: %s", key->name, key->choices[i]->name, e.text);
    for (size_t k = 0; k < stats_count(gpu_stats(g)); k++) {
      const char *name = stats_def(gpu_stats(g), k)->name;
      if (!is_declared(name)) fail_msg("%s=%s counts %s, of which its policy says nothing", key->name, key->choices[i]->name, name);
    }
    gpu_delete(g);
  }
}

static void test_what_a_policy_counts_stands_in_its_table(void **state) {
  (void)state;
  struct cfg *c = gpu_cfg_new();
  struct err e = {0};
  struct gpu *plain = gpu_new(c, &e);
  assert_non_null(plain);
  declared = stats_new();
  for (size_t i = 0; i < stats_count(gpu_stats(plain)); i++) stats_register(declared, stats_def(gpu_stats(plain), i), 1, NULL, 0);
  each_point(declare);
  each_point(counted);
  stats_delete(declared);
  gpu_delete(plain);
  cfg_delete(c);
}

/* ---- the points there must be ---- */

static void test_there_is_a_choice_at_every_point_of_the_hierarchy(void **state) {
  (void)state;
  static const char *const keys[] = {"sm.scheduler",   "gpu.cta_scheduler", "l1.org",       "l1.replacement", "l1.bypass", "coop",
                                     "noc.topology",   "reply.filter",      "reply.compress", "llc.mode",     "l2.replacement",
                                     "dram.scheduler", "dram.page",         "dram.map",     "dram.bank_hash", "l1.index", "l2.index",
                                     "sm.readonly_replacement"};
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
      cmocka_unit_test(test_what_a_policy_counts_stands_in_its_table),
      cmocka_unit_test(test_there_is_a_choice_at_every_point_of_the_hierarchy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
