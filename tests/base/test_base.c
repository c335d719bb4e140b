/* Errors, strings, maps, the nearest name, temporary files, the TOML reader and the statistics registry. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/rng.h"
#include "base/stat.h"
#include "base/str.h"
#include "base/temp.h"
#include "base/toml.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- err ---------------------------------------------------------------------------------------------------------- */

static void test_first_error_wins(void **state) {
  (void)state;
  struct err e = {0};
  assert_false(err_set(&e, ERR_INPUT, "first %d", 1));
  assert_false(err_set(&e, ERR_SYSTEM, "second"));
  assert_int_equal(e.kind, ERR_INPUT);
  assert_string_equal(e.text, "first 1");
}

static void test_clearing_leaves_space_for_the_next(void **state) {
  (void)state;
  struct err e = {.kind = ERR_FAULT, .code = 7, .text = "old"};
  err_clear(&e);
  assert_int_equal(e.code, 0);
  err_set(&e, ERR_LIMIT, "new");
  assert_int_equal(e.kind, ERR_LIMIT);
  assert_string_equal(e.text, "new");
}

static void test_long_message_is_cut_not_overrun(void **state) {
  (void)state;
  struct err e = {0};
  char *text = malloc(10000);
  memset(text, 'x', 9999);
  text[9999] = 0;
  err_set(&e, ERR_INPUT, "%s", text);
  assert_int_equal(strlen(e.text), sizeof e.text - 1);
  free(text);
}

/* ---- str ---------------------------------------------------------------------------------------------------------- */

static void test_builder_grows_and_stays_terminated(void **state) {
  (void)state;
  struct str s = {0};
  for (int i = 0; i < 1000; i++) str_add(&s, "%d,", i % 10);
  str_addn(&s, "end!", 3);
  assert_int_equal(s.n, 2003);
  assert_string_equal(s.s + 2000, "end");
  str_free(&s);
  assert_null(s.s);
}

static void test_builder_takes_a_file_or_says_why_not(void **state) {
  (void)state;
  char path[] = "/tmp/test_base.XXXXXX";
  int fd = mkstemp(path);
  struct str s = {0};
  assert_true(str_add_file(&s, path));
  assert_string_equal(s.s, "");
  assert_int_equal(write(fd, "a\0b", 3), 3);
  close(fd);
  assert_true(str_add_file(&s, path) && str_add_file(&s, path));
  assert_int_equal(s.n, 6);
  assert_memory_equal(s.s, "a\0ba\0b", 7);
  remove(path);
  assert_false(str_add_file(&s, path));
  assert_int_equal(errno, ENOENT);
  assert_false(str_add_file(&s, "/"));
  assert_int_equal(errno, EISDIR);
  str_free(&s);
}

static void test_map_finds_what_was_put_and_nothing_else(void **state) {
  (void)state;
  enum { N = 5000 };
  struct strmap m = {0};
  char(*keys)[16] = malloc(N * sizeof *keys);
  uint32_t v;
  assert_false(strmap_get(&m, "a", 1, &v));
  for (uint32_t i = 0; i < N; i++) {
    snprintf(keys[i], sizeof keys[i], "key%u", i);
    strmap_put(&m, keys[i], strlen(keys[i]), i);
  }
  assert_int_equal(m.n, N);
  for (uint32_t i = 0; i < N; i++) {
    assert_true(strmap_get(&m, keys[i], strlen(keys[i]), &v));
    assert_int_equal(v, i);
    assert_false(strmap_get(&m, keys[i], strlen(keys[i]) - 1, &v) && v == i);
  }
  strmap_put(&m, keys[3], strlen(keys[3]), 77);
  assert_int_equal(m.n, N);
  assert_true(strmap_get(&m, "key3", 4, &v));
  assert_int_equal(v, 77);
  strmap_free(&m);
  free(keys);
}

static void test_nearest_offers_only_what_is_near(void **state) {
  (void)state;
  static const char *const names[] = {"l1.sets", "l1.ways", "l2.sets", "dram.channels"};
  assert_string_equal(str_hint("l1.set", names, 4).s, " (did you mean 'l1.sets'?)");
  assert_string_equal(str_hint("l1.wasy", names, 4).s, " (did you mean 'l1.ways'?)");
  assert_string_equal(str_hint("dram.chanels", names, 4).s, " (did you mean 'dram.channels'?)");
  assert_string_equal(str_hint("frequency", names, 4).s, "");
  assert_string_equal(str_hint("x", names, 0).s, "");
  char longest[200];
  memset(longest, 'q', sizeof longest - 1);
  longest[199] = 0;
  assert_string_equal(str_hint(longest, names, 4).s, "");
  const char *almost = longest + 199 - 63, *other = longest + 199 - 62; /* the longest that is offered is not cut */
  assert_string_equal(str_hint(other, &almost, 1).s + strlen(" (did you mean '") + 63, "'?)");
}

/* ---- toml --------------------------------------------------------------------------------------------------------- */

static void read_ok(struct toml *t, const char *text) {
  struct err e = {0};
  *t = (struct toml){0};
  if (!toml_read(t, "t", text, strlen(text), &e)) fail_msg("%s", e.text);
}

static void test_toml_reads_values_of_each_kind(void **state) {
  (void)state;
  struct toml t;
  read_ok(
      &t,
      "a = 1_000 # thousand\nb = -0x10\n[x.y]\nc = 2.5e3\nd = true\n\"e.f\" = \"q\\\"\\n\"\ng = 'raw\\n'\n");
  assert_int_equal(t.n, 6);
  assert_int_equal(t.items[0].values[0].i, 1000);
  assert_int_equal(t.items[1].values[0].i, -16);
  assert_string_equal(t.items[2].table, "x.y");
  assert_true(t.items[2].values[0].kind == TOML_REAL && t.items[2].values[0].r == 2500.0);
  assert_true(t.items[3].values[0].b);
  assert_string_equal(t.items[4].key, "e.f");
  assert_string_equal(t.items[4].values[0].text, "q\"\n");
  assert_string_equal(t.items[5].values[0].text, "raw\\n");
  assert_int_equal(t.items[5].line, 7);
  toml_free(&t);
}

static void test_toml_reads_arrays_over_several_lines(void **state) {
  (void)state;
  struct toml t;
  read_ok(&t, "a = [ 1, # one\n  2,\n  3, ]\nb = []\nc = [\"x\", \"y\"]\n");
  assert_true(t.items[0].is_array);
  assert_int_equal(t.items[0].n, 3);
  assert_int_equal(t.items[0].values[2].i, 3);
  assert_int_equal(t.items[1].n, 0);
  assert_int_equal(t.items[1].line, 4);
  assert_string_equal(t.items[2].values[1].text, "y");
  toml_free(&t);
}

static void test_toml_mistakes_name_their_line(void **state) {
  (void)state;
  static const struct {
    const char *text, *says;
  } cases[] = {
      {"a = 1\nb 2\n", "t:2: '=' is expected"},
      {"a = \"open\n", "t:1: the string is not closed"},
      {"\n\n[[x]]\n", "t:3: arrays of tables"},
      {"[x\n", "t:1: ']' is expected"},
      {"a = [1 2]\n", "t:1: ',' or ']' is expected"},
      {"a = [1,\n", "t:2: the array is not closed"},
      {"a = maybe\n", "t:1: a value is expected"},
      {"a =\n", "t:1: a value is expected"},
      {"a = 1 2\n", "t:1: unexpected text"},
      {"a = \"\\q\"\n", "t:1: unknown escape"},
      {"= 1\n", "t:1: a key is expected"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct toml t = {0};
    struct err e = {0};
    assert_false(toml_read(&t, "t", cases[i].text, strlen(cases[i].text), &e));
    if (!strstr(e.text, cases[i].says)) fail_msg("'%s' gave: %s", cases[i].text, e.text);
    toml_free(&t);
  }
}

/* ---- stat --------------------------------------------------------------------------------------------------------- */

static void test_statistics_sum_instances_and_keep_them_apart(void **state) {
  (void)state;
  static const struct stat_def defs[] = {{"a.x", "n", "", ""}, {"a.y", "n", "", ""}},
                               other[] = {{"b.z", "n", "", ""}};
  uint64_t one[2] = {1, 2}, two[2] = {10, 20}, z[1] = {5}, before[3], after[3];
  struct stats *s = stats_new();
  stats_register(s, defs, 2, one, 0);
  stats_register(s, other, 1, z, 0);
  stats_register(s, defs, 2, two, 2);
  assert_int_equal(stats_count(s), 3);
  assert_string_equal(stats_def(s, 2)->name, "b.z");
  assert_int_equal(stats_get(s, "a.x"), 11);
  assert_int_equal(stats_get(s, "no.such"), 0);
  assert_int_equal(stats_instances(s, 1), 3);
  assert_int_equal(stats_instance(s, 1, 1), 0); /* never registered: counts nothing */
  assert_int_equal(stats_instance(s, 1, 2), 20);
  stats_snapshot(s, before);
  two[1] += 3;
  z[0] = 6;
  stats_snapshot(s, after);
  assert_int_equal(after[0] - before[0], 0);
  assert_int_equal(after[1] - before[1], 3);
  assert_int_equal(after[2] - before[2], 1);
  stats_delete(s);
}

static void test_watched_statistics_are_added_when_their_stamp_changes(void **state) {
  (void)state;
  static const struct stat_def defs[] = {{"a.x", "n", "", ""}, {"a.y", "n", "", ""}}, other[] = {{"b.z", "n", "", ""}};
  uint64_t one[2] = {1, 2}, two[2] = {10, 20}, z[1] = {5}, stamps[2] = {0, 7}, now[3];
  struct stats *s = stats_new();
  stats_watch(s, &stamps[0]);
  stats_register(s, defs, 2, one, 0);
  stats_watch(s, &stamps[1]);
  stats_register(s, defs, 2, two, 1);
  stats_watch(s, NULL);
  stats_register(s, other, 1, z, 0);
  stats_snapshot(s, now);
  assert_int_equal(now[0], 11);
  assert_int_equal(now[1], 22);
  assert_int_equal(now[2], 5);
  one[0] = 3, two[1] = 25, z[0] = 6, stamps[1]++; /* the first breaks its word */
  stats_snapshot(s, now);
  assert_int_equal(now[0], 11);
  assert_int_equal(now[1], 27);
  assert_int_equal(now[2], 6);
  stamps[0]++;
  stats_snapshot(s, now);
  assert_int_equal(now[0], 13);
  stats_register(s, other, 1, &z[0], 1); /* everything is added anew */
  stats_snapshot(s, now);
  assert_int_equal(now[0], 13);
  assert_int_equal(now[1], 27);
  assert_int_equal(now[2], 12);
  stats_delete(s);
}

/* ---- temp --------------------------------------------------------------------------------------------------------- */

static void test_temporary_files_are_where_the_environment_says(void **state) {
  (void)state;
  struct str folder = {0}, file = {0};
  struct err e = {0};
  struct stat st;
  assert_true(temp_folder(&folder, "heddle-base", &e));
  assert_int_equal(setenv("TMPDIR", folder.s, 1), 0);
  assert_true(temp_file(&file, "heddle-inner", &e));
  assert_int_equal(strncmp(file.s, folder.s, folder.n), 0);
  assert_int_equal(stat(file.s, &st), 0);
  assert_int_equal(st.st_size, 0);
  assert_int_equal(st.st_mode & 077, 0);
  assert_int_equal(unlink(file.s), 0);
  assert_int_equal(rmdir(folder.s), 0);
  str_free(&file);
  str_free(&folder);
}

static void test_a_temporary_path_holds_in_any_folder(void **state) {
  (void)state;
  struct str file = {0};
  struct err e = {0};
  assert_int_equal(setenv("TMPDIR", ".", 1), 0);
  assert_true(temp_file(&file, "heddle-here", &e));
  assert_int_equal(file.s[0], '/');
  assert_int_equal(unlink(file.s), 0);
  str_free(&file);
}

static void test_a_folder_that_is_not_there_says_what_to_do(void **state) {
  (void)state;
  struct str path = {0};
  struct err e = {0};
  assert_int_equal(setenv("TMPDIR", "/no/such/folder", 1), 0);
  assert_false(temp_folder(&path, "heddle", &e));
  assert_null(path.s);
  assert_int_equal(e.kind, ERR_SYSTEM);
  assert_string_equal(e.text, "cannot make a temporary folder in '/no/such/folder': No such file or directory; set TMPDIR to a "
                              "folder that can be written");
}

static void test_a_file_in_place_of_the_folder_is_reported(void **state) {
  (void)state;
  struct str path = {0};
  struct err e = {0};
  assert_int_equal(setenv("TMPDIR", "/dev/null", 1), 0);
  assert_false(temp_file(&path, "heddle", &e));
  assert_null(path.s);
  assert_non_null(strstr(e.text, "cannot make a temporary file in '/dev/null': Not a directory"));
}

static void test_an_empty_name_of_the_folder_is_none(void **state) {
  (void)state;
  struct str unset = {0}, empty = {0};
  struct err e = {0};
  assert_int_equal(unsetenv("TMPDIR"), 0);
  assert_true(temp_file(&unset, "heddle-base", &e));
  assert_int_equal(setenv("TMPDIR", "", 1), 0);
  assert_true(temp_file(&empty, "heddle-base", &e));
  assert_int_equal(empty.n, unset.n);
  assert_int_equal(strncmp(empty.s, unset.s, unset.n - strlen("XXXXXX")), 0);
  assert_int_equal(unlink(unset.s), 0);
  assert_int_equal(unlink(empty.s), 0);
  str_free(&unset);
  str_free(&empty);
}

static int forget_tmpdir(void **state) {
  (void)state;
  return unsetenv("TMPDIR");
}

/* ---- rng ---------------------------------------------------------------------------------------------------------- */

static void test_generator_repeats_and_keeps_its_bound(void **state) {
  (void)state;
  struct rng a = {42}, b = {42};
  unsigned seen = 0;
  for (int i = 0; i < 1000; i++) {
    uint64_t v = rng_below(&a, 7);
    assert_int_equal(v, rng_below(&b, 7));
    assert_true(v < 7);
    seen |= 1u << v;
  }
  assert_int_equal(seen, 127);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_first_error_wins),
      cmocka_unit_test(test_clearing_leaves_space_for_the_next),
      cmocka_unit_test(test_long_message_is_cut_not_overrun),
      cmocka_unit_test(test_builder_grows_and_stays_terminated),
      cmocka_unit_test(test_builder_takes_a_file_or_says_why_not),
      cmocka_unit_test(test_map_finds_what_was_put_and_nothing_else),
      cmocka_unit_test(test_nearest_offers_only_what_is_near),
      cmocka_unit_test(test_toml_reads_values_of_each_kind),
      cmocka_unit_test(test_toml_reads_arrays_over_several_lines),
      cmocka_unit_test(test_toml_mistakes_name_their_line),
      cmocka_unit_test(test_statistics_sum_instances_and_keep_them_apart),
      cmocka_unit_test(test_watched_statistics_are_added_when_their_stamp_changes),
      cmocka_unit_test_teardown(test_temporary_files_are_where_the_environment_says, forget_tmpdir),
      cmocka_unit_test_teardown(test_a_temporary_path_holds_in_any_folder, forget_tmpdir),
      cmocka_unit_test_teardown(test_a_folder_that_is_not_there_says_what_to_do, forget_tmpdir),
      cmocka_unit_test_teardown(test_a_file_in_place_of_the_folder_is_reported, forget_tmpdir),
      cmocka_unit_test_teardown(test_an_empty_name_of_the_folder_is_none, forget_tmpdir),
      cmocka_unit_test(test_generator_repeats_and_keeps_its_bound),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
