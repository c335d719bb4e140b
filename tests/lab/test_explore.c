/* Tests of the space that heddle explore searches: its axes are those of the configuration, points are checked as a run would
 * check them. The search itself is run by explore.sh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gpu/gpu.h"
#include "lab/explore_space.h"

#include <string.h>

static size_t axis(const struct lab_space *s, const char *key) {
  for (size_t i = 0; i < s->n; i++)
    if (!strcmp(s->axes[i].key, key)) return i;
  fail_msg("there is no axis %s", key);
  return 0;
}

static uint8_t value(const struct lab_space *s, const char *key, const char *name) {
  const struct lab_axis *a = &s->axes[axis(s, key)];
  for (size_t i = 0; i < a->n; i++)
    if (!strcmp(a->values[i], name)) return (uint8_t)i;
  fail_msg("%s has no value %s", key, name);
  return 0;
}

static struct lab_space space(const char *gpu) {
  struct lab_space s;
  struct err e = {0};
  assert_true(lab_space_init(&s, gpu, &e));
  return s;
}

struct count {
  const char *key;
  size_t choices;
};
static void count_choices(void *user, const struct cfg_key *key, const char *v, const char *source) {
  struct count *c = user;
  (void)v;
  (void)source;
  if (strcmp(key->name, c->key) != 0) return;
  c->choices = 1;
  for (const char *at = key->choices; *at; at++) c->choices += *at == ' ';
}

static void test_every_choice_of_a_key_is_on_its_axis(void **state) {
  (void)state;
  struct lab_space s = space("gpu80");
  struct cfg *c = gpu_cfg_new();
  static const char *const keys[] = {"l1.org", "l1.bypass", "llc.mode", "reply.filter", "reply.compress"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    struct count n = {.key = keys[i]};
    cfg_visit(c, count_choices, &n);
    assert_int_equal(s.axes[axis(&s, keys[i])].n, n.choices);
  }
  cfg_delete(c);
  lab_space_free(&s);
}

static void test_bounds_that_cannot_be_built_are_left_out(void **state) {
  (void)state;
  struct lab_space s = space("gpu80");
  const struct lab_axis *a = &s.axes[axis(&s, "coop")];
  assert_true(a->n >= 3);
  for (size_t i = 0; i < a->n; i++) assert_string_not_equal(a->values[i], "ideal");
  lab_space_free(&s);
}

static void test_the_gpu_as_it_is_has_no_settings_and_adds_nothing(void **state) {
  (void)state;
  struct lab_space s = space("gtx480");
  struct str text = {0};
  struct err e = {0};
  const struct lab_point base = {0};
  uint64_t bits = 1;
  lab_space_settings(&s, &base, &text);
  assert_int_equal(text.n, 0);
  assert_true(lab_space_check(&s, &base, &bits, &e));
  assert_int_equal(bits, 0);
  str_free(&text);
  lab_space_free(&s);
}

static void test_settings_are_sorted_and_storage_is_that_of_all_sms(void **state) {
  (void)state;
  struct lab_space s = space("gtx480");
  struct str text = {0};
  struct err e = {0};
  struct lab_point p = {0};
  uint64_t bits = 0;
  p.at[axis(&s, "sm.warp_limit")] = value(&s, "sm.warp_limit", "12");
  p.at[axis(&s, "l1.org")] = value(&s, "l1.org", "tsc");
  lab_space_settings(&s, &p, &text);
  assert_string_equal(text.s, "l1.org=tsc,sm.warp_limit=12");
  assert_true(lab_space_check(&s, &p, &bits, &e));
  assert_int_equal(bits, 15 * 4736); /* 0.58 KB each */
  str_free(&text);
  lab_space_free(&s);
}

static void test_a_combination_that_makes_no_sense_is_refused_by_name(void **state) {
  (void)state;
  struct lab_space s = space("gtx480");
  struct err e = {0};
  struct lab_point p = {0};
  uint64_t bits;
  p.at[axis(&s, "llc.mode")] = value(&s, "llc.mode", "private");
  assert_false(lab_space_check(&s, &p, &bits, &e));
  assert_non_null(strstr(e.text, "llc.mode = private"));
  lab_space_free(&s);
}

static void test_an_unknown_gpu_is_refused(void **state) {
  (void)state;
  struct lab_space s;
  struct err e = {0};
  assert_false(lab_space_init(&s, "gtx490", &e));
  assert_non_null(strstr(e.text, "gtx480"));
  lab_space_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_choice_of_a_key_is_on_its_axis),
      cmocka_unit_test(test_bounds_that_cannot_be_built_are_left_out),
      cmocka_unit_test(test_the_gpu_as_it_is_has_no_settings_and_adds_nothing),
      cmocka_unit_test(test_settings_are_sorted_and_storage_is_that_of_all_sms),
      cmocka_unit_test(test_a_combination_that_makes_no_sense_is_refused_by_name),
      cmocka_unit_test(test_an_unknown_gpu_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
