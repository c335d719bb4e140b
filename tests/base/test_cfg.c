/* The configuration: what a user's file and --set may say, and what a mistake is answered with. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/policy.h"
#include "base/temp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct cfg_key first[] = {
    {"l1.sets", CFG_INT, "32", 1, 64, NULL, "sets", "of the cache"},
    {"l1.ways", CFG_INT, "4", 1, 16, NULL, "lines", "a set holds"},
    {"l1.size", CFG_BYTES, "16K", 128, 1048576, NULL, "bytes", "of the cache"},
    {"l1.on", CFG_BOOL, "true", 0, 0, NULL, "", "whether it is used"},
    {0},
};
static const struct cfg_key active_keys[] = {{"sm.active", CFG_INT, "8", 1, 64, NULL, "warps", "in the active set"}, {0}};
static const struct policy *const schedulers[] = {
    OPTION_OFF("lrr", "in turn"), OPTION("gto", "greedy"),
    &(const struct policy){.name = "two-level", .meaning = "in two levels", .keys = active_keys},
    &(const struct policy){.name = "two-level-b", .meaning = "the same keys again", .keys = active_keys}, NULL};
static const struct cfg_key second[] = {
    {"gpu.clock", CFG_REAL, "700.5", 1, 5000, NULL, "MHz", "of the core"},
    {"sm.scheduler", CFG_CHOICE, "gto", 0, 0, schedulers, "", "which warp issues"},
    {"gpu.label", CFG_TEXT, "none", 0, 0, NULL, "", "shown in reports"},
    {0},
};

static struct cfg *fresh(void) {
  const struct cfg_key *const tables[] = {first, second};
  return cfg_new(tables, 2);
}

static void test_defaults_are_there(void **state) {
  (void)state;
  struct cfg *c = fresh();
  assert_int_equal(cfg_int(c, "l1.sets"), 32);
  assert_int_equal(cfg_int(c, "l1.size"), 16384);
  assert_true(cfg_bool(c, "l1.on"));
  assert_true(cfg_real(c, "gpu.clock") == 700.5);
  assert_string_equal(cfg_text(c, "sm.scheduler"), "gto");
  assert_string_equal(cfg_source(c, "l1.sets"), "default");
  cfg_delete(c);
}

static void test_a_file_sets_keys_under_tables_and_dotted(void **state) {
  (void)state;
  struct cfg *c = fresh();
  struct err e = {0};
  const char *text =
      "gpu.clock = 1_400\n[l1]\nsets = 0x10\nsize = \"48K\"\non = false\n[sm]\nscheduler = \"two-level\"\n";
  if (!cfg_read_text(c, "a.toml", text, &e)) fail_msg("%s", e.text);
  assert_int_equal(cfg_int(c, "l1.sets"), 16);
  assert_int_equal(cfg_int(c, "l1.size"), 49152);
  assert_false(cfg_bool(c, "l1.on"));
  assert_true(cfg_real(c, "gpu.clock") == 1400.0);
  assert_string_equal(cfg_text(c, "sm.scheduler"), "two-level");
  assert_string_equal(cfg_source(c, "l1.sets"), "a.toml:3");
  cfg_delete(c);
}

static void test_sizes_have_units(void **state) {
  (void)state;
  static const struct cfg_key keys[] = {{"memory", CFG_BYTES, "1G", 0, 1e18, NULL, "bytes", "of a device"}, {0}};
  const struct cfg_key *const tables[] = {keys};
  static const struct {
    const char *set;
    int64_t bytes;
  } sizes[] = {{"memory=3", 3}, {"memory=3K", 3 << 10}, {"memory=1.5M", 3 << 19}, {"memory=6G", INT64_C(6) << 30}};
  struct cfg *c = cfg_new(tables, 1);
  struct err e = {0};
  assert_int_equal(cfg_int(c, "memory"), 1 << 30);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    if (!cfg_set(c, sizes[i].set, &e)) fail_msg("%s", e.text);
    assert_int_equal(cfg_int(c, "memory"), sizes[i].bytes);
  }
  cfg_delete(c);
}

static void test_mistakes_name_place_key_and_what_is_allowed(void **state) {
  (void)state;
  static const struct {
    const char *text, *says[3];
  } cases[] = {
      {"[l1]\nset = 3\n", {"a.toml:2", "unknown key 'l1.set'", "did you mean 'l1.sets'"}},
      {"zebra = 1\n", {"a.toml:1", "unknown key 'zebra'", "heddle list keys"}},
      {"[l1]\n\nsets = 65\n", {"a.toml:3", "'65' is not a value for 'l1.sets'", "from 1 to 64 sets"}},
      {"l1.sets = 0\n", {"a.toml:1", "'0' is not a value", "whole number"}},
      {"l1.sets = 2.5\n", {"a.toml:1", "'2.5'", "whole number"}},
      {"l1.sets = \"many\"\n", {"a.toml:1", "'many'", "whole number"}},
      {"l1.size = \"12Q\"\n", {"a.toml:1", "'12Q'", "a size such as 16K"}},
      {"l1.size = \"nan\"\n", {"a.toml:1", "'nan'", "a size such as 16K"}},
      {"l1.size = \"-1K\"\n", {"a.toml:1", "'-1K'", "a size such as 16K"}},
      {"gpu.clock = \"nan\"\n", {"a.toml:1", "'nan'", "from 1 to 5000 MHz"}},
      {"gpu.clock = \"inf\"\n", {"a.toml:1", "'inf'", "from 1 to 5000 MHz"}},
      {"l1.on = 1\n", {"a.toml:1", "'1'", "true or false"}},
      {"sm.scheduler = \"two\"\n", {"a.toml:1", "'two'", "one of lrr gto two-level"}},
      {"sm.scheduler = \"tow-level\"\n", {"a.toml:1", "'tow-level'", "did you mean 'two-level'"}},
      {"sm.scheduler = \"\"\n", {"a.toml:1", "''", "one of lrr gto two-level"}},
      {"[l1]\nsets = 2\nsets = 2\n", {"a.toml:3", "'sets' is given twice", "first on line 2"}},
      {"l1.sets = 2\n[l1]\nsets = 4\n", {"a.toml:3", "'sets' is given twice", "first on line 1"}},
      {"l1.sets = [1, 2]\n", {"a.toml:1", "'l1.sets' takes one value", "not a list"}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct cfg *c = fresh();
    struct err e = {0};
    assert_false(cfg_read_text(c, "a.toml", cases[i].text, &e));
    assert_int_equal(e.kind, ERR_INPUT);
    for (size_t k = 0; k < 3; k++)
      if (!strstr(e.text, cases[i].says[k])) fail_msg("'%s' is missing in: %s", cases[i].says[k], e.text);
    assert_null(strchr(e.text, '\n'));
    cfg_delete(c);
  }
}

static void test_a_former_name_is_refused_with_the_one_of_today(void **state) {
  static const struct cfg_former former[] = {{"l1.rows", "l1.sets"}, {0}};
  (void)state;
  struct cfg *c = fresh();
  struct err e = {0};
  cfg_set_former(c, former);
  assert_false(cfg_read_text(c, "a.toml", "l1.rows = 3\n", &e));
  assert_string_equal(e.text, "a.toml:1: unknown key 'l1.rows' (it is 'l1.sets' now)");
  struct cfg *copy = cfg_copy(c);
  err_clear(&e);
  assert_false(cfg_set(copy, "l1.rows=3", &e));
  assert_non_null(strstr(e.text, "it is 'l1.sets' now"));
  cfg_delete(copy);
  cfg_delete(c);
}

static void test_set_overrides_and_is_checked(void **state) {
  (void)state;
  struct cfg *c = fresh();
  struct err e = {0};
  assert_true(cfg_read_text(c, "a.toml", "l1.sets = 8\n", &e));
  assert_true(cfg_set(c, "l1.sets=64", &e));
  assert_int_equal(cfg_int(c, "l1.sets"), 64);
  assert_string_equal(cfg_source(c, "l1.sets"), "--set");
  assert_true(cfg_set(c, "gpu.label=a=b", &e));
  assert_string_equal(cfg_text(c, "gpu.label"), "a=b");
  assert_false(cfg_set(c, "l1.sets", &e));
  assert_non_null(strstr(e.text, "key=value is expected"));
  err_clear(&e);
  assert_false(cfg_set(c, "l1.stes=3", &e));
  assert_non_null(strstr(e.text, "did you mean 'l1.sets'"));
  assert_int_equal(cfg_int(c, "l1.sets"), 64);
  cfg_delete(c);
}

static void test_a_list_of_settings_ends_at_the_first_mistake(void **state) {
  (void)state;
  struct cfg *c = fresh();
  struct err e = {0};
  assert_true(cfg_set_all(c, NULL, &e));
  assert_true(cfg_set_all(c, "l1.sets=32,l1.ways=2", &e));
  assert_int_equal(cfg_int(c, "l1.sets"), 32);
  assert_int_equal(cfg_int(c, "l1.ways"), 2);
  assert_false(cfg_set_all(c, "l1.sets=16,l1.wasy=3,l1.ways=4", &e));
  assert_non_null(strstr(e.text, "did you mean 'l1.ways'"));
  assert_int_equal(cfg_int(c, "l1.sets"), 16);
  assert_int_equal(cfg_int(c, "l1.ways"), 2);
  cfg_delete(c);
}

static void write_file(const char *dir, const char *name, const char *text) {
  char path[4200];
  snprintf(path, sizeof path, "%s/%s", dir, name);
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
}

static const char *find_builtin(const char *name) { return strcmp(name, "builtin") ? NULL : "l1.ways = 9\n"; }

static void test_what_is_no_file_is_reported(void **state) {
  (void)state;
  struct cfg *c = fresh();
  struct err e = {0};
  assert_false(cfg_read_file(c, "/", &e));
  assert_non_null(strstr(e.text, "cannot read '/': Is a directory"));
  err_clear(&e);
  assert_false(cfg_read_file(c, "/dev/zero", &e));
  assert_non_null(strstr(e.text, "'/dev/zero' is larger than a configuration may be"));
  cfg_delete(c);
}

static void test_include_reads_the_other_file_first(void **state) {
  (void)state;
  struct str made = {0};
  struct err e = {0};
  char path[4200];
  assert_true(temp_folder(&made, "heddle-cfg", &e));
  const char *dir = made.s;
  write_file(dir, "base.toml", "l1.sets = 2\nl1.ways = 3\n");
  write_file(dir, "top.toml", "include = \"base\"\nl1.sets = 5\n");
  write_file(dir, "loop.toml", "include = \"loop\"\n");
  write_file(dir, "bad.toml", "include = \"missing\"\n");
  write_file(dir, "mine.toml", "include = \"builtin\"\n");
  struct cfg *c = fresh();
  cfg_set_includes(c, find_builtin);
  snprintf(path, sizeof path, "%s/top.toml", dir);
  if (!cfg_read_file(c, path, &e)) fail_msg("%s", e.text);
  assert_int_equal(cfg_int(c, "l1.sets"), 5);
  assert_int_equal(cfg_int(c, "l1.ways"), 3);
  snprintf(path, sizeof path, "%s/mine.toml", dir);
  assert_true(cfg_read_file(c, path, &e));
  assert_int_equal(cfg_int(c, "l1.ways"), 9);
  snprintf(path, sizeof path, "%s/loop.toml", dir);
  assert_false(cfg_read_file(c, path, &e));
  assert_non_null(strstr(e.text, "too many nested includes"));
  err_clear(&e);
  snprintf(path, sizeof path, "%s/bad.toml", dir);
  assert_false(cfg_read_file(c, path, &e));
  assert_non_null(strstr(e.text, "bad.toml:1: there is no GPU 'missing' to include"));
  assert_non_null(strstr(e.text, "missing.toml"));
  err_clear(&e);
  assert_false(cfg_read_file(c, "/no/such/file.toml", &e));
  assert_non_null(strstr(e.text, "/no/such/file.toml"));
  cfg_delete(c);
  static const char *const names[] = {"base", "top", "loop", "bad", "mine"};
  for (size_t i = 0; i < 5; i++) {
    snprintf(path, sizeof path, "%s/%s.toml", dir, names[i]);
    unlink(path);
  }
  rmdir(dir);
  str_free(&made);
}

static void test_a_copy_lives_on_its_own(void **state) {
  (void)state;
  struct cfg *c = fresh();
  struct err e = {0};
  assert_true(cfg_set(c, "l1.sets=7", &e));
  struct cfg *d = cfg_copy(c);
  cfg_set(c, "l1.sets=8", &e);
  cfg_delete(c);
  assert_int_equal(cfg_int(d, "l1.sets"), 7);
  assert_string_equal(cfg_source(d, "l1.sets"), "--set");
  cfg_delete(d);
}

static void count_keys(void *user, const struct cfg_key *key, const char *value, const char *source) {
  unsigned *n = user;
  assert_string_equal(value, key->initial);
  assert_string_equal(source, "default");
  ++*n;
}

static void test_listing_visits_every_key_once(void **state) {
  (void)state;
  struct cfg *c = fresh();
  unsigned n = 0;
  cfg_visit(c, count_keys, &n);
  assert_int_equal(n, 8);
  cfg_delete(c);
}

static void test_complaints_say_where_the_value_came_from(void **state) {
  (void)state;
  struct cfg *c = fresh();
  struct err e = {0};
  assert_true(cfg_read_text(c, "x.toml", "\nl1.sets = 3\n", &e));
  assert_false(cfg_complain(c, "l1.sets", &e, "must be a power of %d", 2));
  assert_string_equal(e.text, "x.toml:2: l1.sets = 3: must be a power of 2");
  cfg_delete(c);
}

static void test_a_choice_is_its_policy_and_its_number(void **state) {
  (void)state;
  struct cfg *c = fresh();
  struct err e = {0};
  assert_ptr_equal(cfg_policy(c, "sm.scheduler"), schedulers[1]);
  assert_int_equal(cfg_option(c, "sm.scheduler"), 1);
  assert_true(cfg_set(c, "sm.scheduler=two-level", &e));
  assert_ptr_equal(cfg_policy(c, "sm.scheduler"), schedulers[2]);
  assert_int_equal(cfg_option(c, "sm.scheduler"), 2);
  assert_true(cfg_set(c, "sm.scheduler=lrr", &e));
  assert_null(cfg_policy(c, "sm.scheduler")); /* it is off */
  assert_int_equal(cfg_option(c, "sm.scheduler"), 0);
  cfg_delete(c);
}

static void count_active(void *user, const struct cfg_key *k, const char *value, const char *source) {
  (void)value;
  (void)source;
  *(unsigned *)user += k == active_keys;
}

static void test_keys_of_policies_come_with_the_choice(void **state) {
  (void)state;
  struct cfg *c = fresh();
  unsigned n = 0;
  assert_int_equal(cfg_int(c, "sm.active"), 8);
  cfg_visit(c, count_active, &n);
  assert_int_equal(n, 1); /* of the two policies that have it */
  cfg_delete(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_defaults_are_there),
      cmocka_unit_test(test_a_file_sets_keys_under_tables_and_dotted),
      cmocka_unit_test(test_sizes_have_units),
      cmocka_unit_test(test_mistakes_name_place_key_and_what_is_allowed),
      cmocka_unit_test(test_a_former_name_is_refused_with_the_one_of_today),
      cmocka_unit_test(test_set_overrides_and_is_checked),
      cmocka_unit_test(test_a_list_of_settings_ends_at_the_first_mistake),
      cmocka_unit_test(test_what_is_no_file_is_reported),
      cmocka_unit_test(test_include_reads_the_other_file_first),
      cmocka_unit_test(test_a_copy_lives_on_its_own),
      cmocka_unit_test(test_listing_visits_every_key_once),
      cmocka_unit_test(test_complaints_say_where_the_value_came_from),
      cmocka_unit_test(test_a_choice_is_its_policy_and_its_number),
      cmocka_unit_test(test_keys_of_policies_come_with_the_choice),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
