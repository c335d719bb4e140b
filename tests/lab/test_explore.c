/* Tests of heddle explore: the axes of its space are those of the configuration, points are checked as a run would check them,
 * and the search finds what is best among made-up workloads (home_kit.h). explore.sh runs real ones. */
#include "home_kit.h"

#include "base/policy.h"
#include "gpu/gpu.h"
#include "lab/explore.h"

#include <math.h>

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
  c->choices = policy_count(key->choices);
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
  for (size_t i = 0; i < a->n; i++) {
    assert_string_not_equal(a->values[i], "ideal");
    assert_string_not_equal(a->values[i], "cluster");
  }
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

/* ---- the search ------------------------------------------------------------------------------------------------------------ */

/* tsc saves 200 cycles of 1000, a compressor 100, a ring costs 300; workload w7 is slow with a compressor. */
static int make_home(void **state) {
  (void)state;
  return home_make("cycles=1000\n"
                   "case $HEDDLE_SET in *l1.org=tsc*) cycles=$((cycles - 200)) ;; esac\n"
                   "case $HEDDLE_SET in *reply.compress*) cycles=$((cycles - 100)) ;; esac\n"
                   "case $HEDDLE_SET in *coop*) cycles=$((cycles + 300)) ;; esac\n"
                   "case $1$HEDDLE_SET in w7*reply.compress*) cycles=4000 ;; esac",
                   "");
}

static const char *const made_up[] = {"w0", "w1", "w2", "w3", "w4", "w5", "w6", "w7"};

static json_t *search(unsigned combinations, unsigned rounds, size_t workloads) {
  struct err e = {0};
  json_t *found = NULL;
  int stopped = 0;
  struct lab_explore x = {.gpu = "gtx480", .size = "small", .workloads = made_up, .n_workloads = workloads, .rounds = rounds,
                          .combinations = combinations, .seed = 1, .sweep = {.home = home, .jobs = 2, .shard = 1, .shards = 1}};
  x.sweep.db = lab_db_open(in_home("lab.db"), true, &e);
  assert_non_null(x.sweep.db);
  assert_true(lab_explore_run(&x, &found, &stopped, &e));
  assert_string_equal(e.text, "");
  lab_db_close(x.sweep.db);
  return found;
}

static const json_t *at(const json_t *found, size_t i) { return json_array_get(json_object_get(found, "combinations"), i); }
static double number(const json_t *o, const char *name) { return json_number_value(json_object_get(o, name)); }
static const char *text(const json_t *o, const char *name) { return json_string_value(json_object_get(o, name)); }

static void test_the_best_combination_is_a_cross_of_good_changes(void **state) {
  (void)state;
  json_t *found = search(30, 3, 7);
  const json_t *best = at(found, 0);
  assert_non_null(strstr(text(best, "settings"), "l1.org=tsc"));
  assert_non_null(strstr(text(best, "settings"), "reply.compress="));
  assert_null(strstr(text(best, "settings"), "coop"));
  assert_true(fabs(number(best, "speedup") - 1000.0 / 700) < 1e-9);
  assert_int_equal(number(best, "round"), 3);
  assert_int_equal(number(best, "workloads"), 7);
  json_decref(found);
}

static void test_a_beaten_combination_is_not_on_the_front(void **state) {
  (void)state;
  json_t *found = search(30, 2, 3);
  size_t n = json_array_size(json_object_get(found, "combinations"));
  unsigned front = 0;
  for (size_t i = 0; i < n; i++) {
    const json_t *a = at(found, i);
    bool beaten = false;
    for (size_t k = 0; k < n; k++) {
      const json_t *b = at(found, k);
      beaten = beaten || (number(b, "round") == 2 && number(b, "speedup") >= number(a, "speedup") &&
                          number(b, "storage_bits") <= number(a, "storage_bits") &&
                          (number(b, "speedup") > number(a, "speedup") || number(b, "storage_bits") < number(a, "storage_bits")));
    }
    front += json_is_true(json_object_get(a, "pareto"));
    if (json_is_true(json_object_get(a, "pareto"))) assert_false(beaten);
    else if (number(a, "round") == 2) assert_true(beaten);
  }
  assert_true(front >= 2); /* a compressor alone costs less storage than tsc, tsc with one is faster */
  json_decref(found);
}

static void test_half_of_the_others_are_left_after_a_round(void **state) {
  (void)state;
  json_t *found = search(20, 2, 2);
  unsigned first = 0;
  for (size_t i = 0; i < json_array_size(json_object_get(found, "combinations")); i++) first += number(at(found, i), "round") == 1;
  assert_int_equal(first, 9); /* of 19 besides the GPU as it is */
  json_decref(found);
}

static void test_the_last_round_sees_what_the_first_did_not(void **state) {
  (void)state;
  json_t *found = search(30, 2, 8); /* six workloads, then w7 among the rest or not: the means must know it */
  const json_t *list = json_object_get(found, "combinations");
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *c = at(found, i);
    if (strcmp(text(c, "settings"), "reply.compress=dpc") != 0 || number(c, "round") < 2) continue;
    assert_true(fabs(number(c, "speedup") - exp((7 * log(1000.0 / 900) + log(0.25)) / 8)) < 1e-9);
  }
  assert_non_null(strstr(text(at(found, 0), "settings"), "l1.org=tsc"));
  assert_null(strstr(text(at(found, 0), "settings"), "reply.compress"));
  json_decref(found);
}

static void test_a_search_is_repeated_exactly_and_runs_nothing_again(void **state) {
  (void)state;
  json_t *once = search(16, 2, 2);
  unsigned made = home_calls();
  json_t *again = search(16, 2, 2);
  assert_true(json_equal(once, again));
  assert_int_equal(home_calls(), made);
  json_decref(once);
  json_decref(again);
}

#define CLEAN(test) cmocka_unit_test_setup_teardown(test, NULL, home_clean)
int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_choice_of_a_key_is_on_its_axis),
      cmocka_unit_test(test_bounds_that_cannot_be_built_are_left_out),
      cmocka_unit_test(test_the_gpu_as_it_is_has_no_settings_and_adds_nothing),
      cmocka_unit_test(test_settings_are_sorted_and_storage_is_that_of_all_sms),
      cmocka_unit_test(test_a_combination_that_makes_no_sense_is_refused_by_name),
      cmocka_unit_test(test_an_unknown_gpu_is_refused),
      CLEAN(test_the_best_combination_is_a_cross_of_good_changes),
      CLEAN(test_a_beaten_combination_is_not_on_the_front),
      CLEAN(test_half_of_the_others_are_left_after_a_round),
      CLEAN(test_the_last_round_sees_what_the_first_did_not),
      CLEAN(test_a_search_is_repeated_exactly_and_runs_nothing_again),
  };
  return cmocka_run_group_tests(tests, make_home, home_remove);
}
