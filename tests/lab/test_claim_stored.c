/* Tests of what is kept of claims as data: the table of stored results and when its rows are stale, reasons and when they hold, which
 * reading moves a claim most, the search for the best of a row of settings; and of the files of the tree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/temp.h"
#include "gpu/gpu.h"
#include "lab/claims/claim_lab.h"
#include "lab/claims/claim_reason.h"
#include "lab/claims/claim_search.h"
#include "lab/claims/claim_sensitivity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char stamps[] = "bfs\t11111111\nb+tree\t22222222\nkmeans\t33333333\n";

/* ---- the table ------------------------------------------------------------------------------------------------------------ */

static struct lab_run run_of(const char *workload, const char *settings, const char *config) {
  return (struct lab_run){.workload = workload, .size = "small", .seed = "", .gpu = "gtx480", .settings = settings, .config_hash = config,
                          .probes = ""};
}

static void put(struct claim_stored *t, const struct lab_run *r, const char *run, const char *names) {
  json_t *all = json_loads(run, 0, NULL), *some = json_loads(names, 0, NULL);
  assert_non_null(all);
  assert_non_null(some);
  claim_stored_put(t, r, all, some);
  json_decref(all);
  json_decref(some);
}

static const char measured[] = "{\"cycles\": 1234567, \"ipc\": 0.1, \"l1d.hits\": 5, \"probes\": {\"reuse\": {\"map\": [[1, 2]]}}}";
static const char wanted[] = "{\"cycles\": null, \"ipc\": null, \"probe:reuse\": null, \"not there\": null}";

/* Writes a table and reads it again with other stamps; to be deleted. */
static struct claim_stored *again(const struct claim_stored *t, const char *other_stamps, struct str *text) {
  struct str folder = {0}, path = {0};
  struct err e = {0};
  char part[4096];
  assert_true(temp_folder(&folder, "heddle-stored", &e));
  str_add(&path, "%s/t.tsv", folder.s);
  assert_true(claim_stored_write(t, path.s, &e));
  struct claim_stored *new = claim_stored_new(other_stamps);
  assert_true(claim_stored_read(new, path.s, &e));
  FILE *f = fopen(path.s, "r");
  for (size_t n; text && (n = fread(part, 1, sizeof part, f)) > 0;) str_addn(text, part, n);
  fclose(f);
  unlink(path.s);
  assert_int_equal(rmdir(folder.s), 0); /* nothing else is left */
  str_free(&folder);
  str_free(&path);
  return new;
}

static double number(const struct claim_stored *t, const struct lab_run *r, const char *name) {
  bool stale;
  const json_t *v = json_object_get(claim_stored_find(t, r, &stale), name);
  return v ? json_number_value(v) : NAN;
}

static void test_what_is_stored_is_found_again(void **state) {
  (void)state;
  struct claim_stored *t = claim_stored_new(stamps);
  struct lab_run r = run_of("bfs", "l1.org=tsc", "c1"), base = run_of("bfs", "", "c0");
  struct str text = {0};
  bool stale = true;
  put(t, &r, measured, wanted);
  put(t, &base, "{\"cycles\": 3}", "{\"cycles\": null}");
  struct claim_stored *new = again(t, stamps, &text);
  assert_true(number(new, &r, "cycles") == 1234567);
  assert_true(number(new, &r, "ipc") == 0.1);
  assert_true(isnan(number(new, &r, "l1d.hits"))); /* nobody asked for it */
  const json_t *run = claim_stored_find(new, &r, &stale);
  assert_false(stale);
  assert_int_equal(json_integer_value(json_array_get(json_array_get(
                       json_object_get(json_object_get(json_object_get(run, "probes"), "reuse"), "map"), 0), 1)), 2);
  assert_true(number(new, &base, "cycles") == 3);
  char *row = strstr(text.s, "small\tbfs\tgtx480\t-\tc0\t11111111\t");
  assert_non_null(row);
  assert_true(row < strstr(text.s, "small\tbfs\tgtx480\tl1.org=tsc\tc1\t11111111\t"));
  assert_non_null(strstr(text.s, "\tcycles=1234567 ipc=0.1 probe:reuse={\"map\":[[1,2]]}\n"));
  str_free(&text);
  claim_stored_delete(new);
  claim_stored_delete(t);
}

static void test_a_row_is_stale_when_what_it_was_measured_of_has_changed(void **state) {
  (void)state;
  struct claim_stored *t = claim_stored_new(stamps);
  struct lab_run r = run_of("bfs", "", "c1"), other = run_of("bfs", "", "c2"), pair = run_of("bfs+b+tree", "", "c1");
  bool stale = true;
  size_t n_stale;
  put(t, &r, measured, wanted);
  put(t, &pair, measured, wanted);
  assert_non_null(claim_stored_find(t, &r, &stale));
  assert_false(stale);
  assert_non_null(claim_stored_find(t, &other, &stale)); /* the preset says something else now */
  assert_true(stale);
  struct claim_stored *new = again(t, "bfs\t11111111\nb+tree\t99999999\n", NULL);
  assert_non_null(claim_stored_find(new, &r, &stale));
  assert_false(stale);
  assert_non_null(claim_stored_find(new, &pair, &stale)); /* one of its two programs is another */
  assert_true(stale);
  assert_int_equal(claim_stored_rows(new, &n_stale), 2);
  assert_int_equal(n_stale, 1);
  struct claim_stored *old = claim_stored_new(NULL);
  struct err e = {0};
  assert_true(claim_stored_parse(old, "t", "small\tbfs\tgtx480\t-\tc1\t11111111\t00000000\t0.1.0\tcycles=1\n", &e));
  assert_non_null(claim_stored_find(old, &r, &stale)); /* another timing */
  assert_true(stale);
  claim_stored_delete(old);
  claim_stored_delete(new);
  claim_stored_delete(t);
}

static void test_a_new_measurement_replaces_and_the_same_one_adds(void **state) {
  (void)state;
  struct claim_stored *t = claim_stored_new(stamps);
  struct lab_run r = run_of("kmeans", "", "c1"), other = run_of("kmeans", "", "c2");
  put(t, &r, measured, "{\"cycles\": null}");
  put(t, &r, measured, "{\"ipc\": null}");
  assert_true(number(t, &r, "cycles") == 1234567);
  assert_true(number(t, &r, "ipc") == 0.1);
  put(t, &other, "{\"cycles\": 7}", "{\"cycles\": null}");
  assert_true(number(t, &other, "cycles") == 7);
  assert_true(isnan(number(t, &other, "ipc")));
  claim_stored_delete(t);
}

static void test_counts_are_kept_by_size(void **state) {
  (void)state;
  struct claim_stored *t = claim_stored_new(stamps);
  claim_stored_put_count(t, "medium", "combinations", 23);
  struct claim_stored *new = again(t, "", NULL);
  size_t stale;
  assert_true(claim_stored_count(new, "medium", "combinations") == 23);
  assert_true(isnan(claim_stored_count(new, "small", "combinations")));
  assert_false(claim_stored_has(new, "medium"));
  claim_stored_rows(new, &stale);
  assert_int_equal(stale, 0);
  claim_stored_delete(new);
  claim_stored_delete(t);
}

static void test_a_wrong_line_is_named(void **state) {
  (void)state;
#define RUN "small\tbfs\tgtx480\t-\tc\tp\tt\tv\t"
  static const char *const bad[] = {"small\tbfs\n", RUN "cycles\n", RUN "cycles=x\n", RUN "probe:lines={\n", RUN "cycles=1\tmore\n",
                                    RUN "cycles=1\n" RUN "cycles=1\n"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct claim_stored *t = claim_stored_new(NULL);
    struct err e = {0};
    char text[256];
    snprintf(text, sizeof text, "# a comment\n%s", bad[i]);
    assert_false(claim_stored_parse(t, "t.tsv", text, &e));
    assert_non_null(strstr(e.text, i == 5 ? "t.tsv:3: not a stored result" : "t.tsv:2: not a stored result"));
    claim_stored_delete(t);
  }
}

/* Otherwise their stored results would never become stale. */
static void test_every_gpu_of_the_claims_has_a_version_of_its_timing(void **state) {
  (void)state;
  static const char *const gpus[] = {"gtx480", "gtx480-bucl", "gpu80", "mesh56", "gtx480-ccn"};
  char versions[5][9], none[9];
  for (int i = 0; i < 5; i++) {
    assert_string_not_equal(claim_stored_timing(gpus[i], versions[i]), "-");
    for (int k = 0; k < i; k++) assert_string_not_equal(versions[i], versions[k]);
  }
  assert_string_equal(claim_stored_timing("gtx4", none), "-");
}

/* ---- reasons -------------------------------------------------------------------------------------------------------------- */

static const struct claim_reason *reasons(struct arena *memory, const char *text, size_t *n, struct err *e) {
  const struct claim_reason *all;
  claim_reasons_parse(memory, "r.toml", text, &all, n, e);
  return all;
}

/* The configuration as it is, so that a row is not stale. */
static const char *config_of(const char *settings, char out[17]) {
  struct lab_plan p = {0};
  struct err e = {0};
  struct lab_run r = run_of("kmeans", settings, NULL);
  assert_true(lab_plan_add(&p, &r, &e));
  snprintf(out, 17, "%s", p.runs[0].config_hash);
  lab_plan_free(&p);
  return out;
}

static void test_a_reason_holds_while_its_experiments_are_what_they_were(void **state) {
  (void)state;
  struct err e = {0};
  size_t n;
  char config[17];
  struct arena memory = {0};
  const struct claim_reason *r = reasons(&memory,
                                         "[T17]\nwhy = \"few\"\nshows = [\"small kmeans gtx480 l1.bypass=mrpb l1d.bypasses=1234\",\n"
                                         "\"small kmeans gtx480 - cycles=99\"]\n[T18]\nwhy = \"old\"\n", &n, &e);
  assert_int_equal(n, 2);
  assert_string_equal(r[0].why, "few");
  assert_int_equal(r[0].n, 2);
  assert_int_equal(r[1].n, 0);
  struct claim_stored *t = claim_stored_new(stamps);
  assert_false(claim_reason_holds(&r[0], t)); /* nothing is stored */
  struct lab_run mrpb = run_of("kmeans", "l1.bypass=mrpb", config_of("l1.bypass=mrpb", config));
  put(t, &mrpb, "{\"l1d.bypasses\": 1234.4}", "{\"l1d.bypasses\": null}");
  assert_false(claim_reason_holds(&r[0], t)); /* one of two */
  char plain[17];
  struct lab_run base = run_of("kmeans", "", config_of("", plain));
  put(t, &base, "{\"cycles\": 99}", "{\"cycles\": null}");
  assert_true(claim_reason_holds(&r[0], t));
  assert_false(claim_reason_holds(&r[1], t)); /* it rests on nothing */
  struct claim_stored *new = again(t, "kmeans\t44444444\n", NULL);
  assert_false(claim_reason_holds(&r[0], new)); /* stale */
  put(t, &base, "{\"cycles\": 100}", "{\"cycles\": null}");
  assert_false(claim_reason_holds(&r[0], t)); /* another value */
  claim_stored_delete(new);
  claim_stored_delete(t);
  arena_free(&memory);
}

static void test_a_wrong_reason_is_named(void **state) {
  (void)state;
  static const char *const bad[] = {"[T99]\nwhy = \"x\"\n", "[T17]\nshow = \"x\"\n", "[T17]\nshows = [\"small kmeans gtx480 cycles=1\"]\n",
                                    "[T17]\nshows = [\"small kmeans gtx480 - cycles=many\"]\n", "[T17]\nwhy = 1\n"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct err e = {0};
    size_t n;
    struct arena memory = {0};
    reasons(&memory, bad[i], &n, &e);
    arena_free(&memory);
    assert_non_null(strstr(e.text, i ? "r.toml:2: a reason has" : "r.toml:2: there is no claim 'T99'"));
  }
}

static void test_the_reasons_of_the_tree_are_whole(void **state) {
  (void)state;
  size_t n;
  const struct claim_reason *all = claim_reasons(&n);
  assert_true(n > 0);
  for (size_t i = 0; i < n; i++) {
    assert_true(all[i].why && *all[i].why);
    for (size_t k = 0; k < i; k++) assert_string_not_equal(all[i].id, all[k].id);
    for (size_t k = 0; k < all[i].n; k++) {
      struct cfg *c = gpu_cfg_new();
      struct err e = {0};
      if (!gpu_cfg_preset(c, all[i].shows[k].setup.gpu, &e) || !cfg_set_all(c, all[i].shows[k].setup.set, &e))
        fail_msg("%s: %s", all[i].id, e.text);
      cfg_delete(c);
    }
  }
}

/* ---- sensitivity ---------------------------------------------------------------------------------------------------------- */

static json_t *score(const char *id, const char *reading, double v) {
  return json_pack("{s:s, s:s, s:[{s:s, s:s, s:f, s:f}]}", "id", id, "reading", reading, "figures", "label", "TSC", "unit", "%",
                   "published", 15.6, "measured", v);
}

static void test_the_readings_that_move_a_speed_up_most_come_first(void **state) {
  (void)state;
  json_t *usual = json_array(), *others = json_array();
  json_array_append_new(usual, score("T15", "", 10));
  json_array_append_new(usual, score("T10", "", 10)); /* not a speed-up */
  json_array_append_new(usual, score("T16", "", 10)); /* no reading was measured of it */
  json_array_append_new(usual, score("T17", "", 10)); /* and this one stays where it is */
  json_array_append_new(others, score("T17", "t.clock=1400", 10));
  json_array_append_new(others, score("T15", "t.clock=1400", 11));
  json_array_append_new(others, score("T15", "t.index=plain", 4));
  json_array_append_new(others, score("T15", "t.hit=24", 10));
  json_array_append_new(others, score("T15", "t.kernels=emptied", 13));
  json_array_append_new(others, score("T10", "t.clock=1400", 90));
  json_t *s = claim_sensitivity(usual, others);
  assert_int_equal(json_array_size(s), 1);
  const json_t *row = json_array_get(s, 0), *bars = json_object_get(row, "bars");
  static const char *const names[] = {"t.index=plain", "t.kernels=emptied", "t.clock=1400"};
  assert_string_equal(json_string_value(json_object_get(row, "id")), "T15");
  assert_true(json_number_value(json_object_get(row, "measured")) == 10);
  assert_true(json_number_value(json_object_get(row, "published")) == 15.6);
  assert_int_equal(json_array_size(bars), 3);
  for (size_t i = 0; i < 3; i++)
    assert_string_equal(json_string_value(json_object_get(json_array_get(bars, i), "reading")), names[i]);
  assert_true(json_number_value(json_object_get(json_array_get(bars, 0), "measured")) == 4);
  json_decref(s);
  json_decref(usual);
  json_decref(others);
}

/* ---- the search ----------------------------------------------------------------------------------------------------------- */

enum { LIMITS = 48, TRIES = 14 };
struct costs {
  double at[LIMITS + 1];
  bool known[LIMITS + 1], asked[LIMITS + 1];
  unsigned tries;
};

static double cost_at(void *user, unsigned at) {
  struct costs *c = user;
  assert_in_range(at, 1, LIMITS);
  c->tries += !c->asked[at];
  c->asked[at] = true;
  return c->known[at] ? c->at[at] : NAN;
}

static unsigned sweep_all(const struct costs *c) {
  unsigned best = 1;
  for (unsigned i = 2; i <= LIMITS; i++)
    if (c->at[i] < c->at[best]) best = i;
  return best;
}

/* Falls to `valley`, rises until `flat`, and stays; slopes are of chance. */
static void make_costs(struct costs *c, unsigned valley, unsigned flat, unsigned *seed) {
  *c = (struct costs){.at = {0, 1e6}};
  for (unsigned i = 1; i <= LIMITS; i++) {
    double step = 1 + rand_r(seed) % 1000 + rand_r(seed) % 1000000 * 1e-6; /* no two places cost the same by chance */
    if (i > 1) c->at[i] = c->at[i - 1] + (i > flat ? 0 : i <= valley ? -step : step);
    c->known[i] = true;
  }
}

static void test_the_search_finds_what_a_sweep_finds_where_there_is_one_valley(void **state) {
  (void)state;
  unsigned seed = 1;
  struct costs c;
  for (unsigned round = 0; round < 20; round++)
    for (unsigned valley = 1; valley <= LIMITS; valley++)
      for (unsigned flat = 1; flat <= LIMITS; flat++) {
        make_costs(&c, valley, flat, &seed);
        unsigned found = claim_search(LIMITS, cost_at, &c);
        if (found != sweep_all(&c)) fail_msg("valley at %u, flat from %u: %u, not %u", valley, flat, found, sweep_all(&c));
        assert_true(c.tries <= TRIES);
      }
}

static void test_the_search_does_not_look_into_the_flat_end(void **state) {
  (void)state;
  unsigned seed = 3;
  struct costs c;
  for (unsigned flat = 2; flat <= 16; flat++) { /* the SMs have as many warps, and each more helps */
    make_costs(&c, flat, flat, &seed);
    assert_int_equal(claim_search(LIMITS, cost_at, &c), flat);
    for (unsigned i = 17; i < LIMITS; i++) assert_true(!c.asked[i] || i == 32);
  }
}

static void test_the_search_goes_on_when_more_is_known(void **state) {
  (void)state;
  unsigned seed = 2, rounds = 0, found = 0;
  struct costs c;
  make_costs(&c, 21, 40, &seed);
  memset(c.known, 0, sizeof c.known);
  for (; !found && rounds < 20; rounds++) {
    found = claim_search(LIMITS, cost_at, &c);
    memcpy(c.known, c.asked, sizeof c.known); /* what was asked for is run */
    if (!rounds) assert_int_equal(c.tries, 7); /* 1 2 4 8 16 32 48 at once */
  }
  assert_int_equal(found, 21);
  assert_true(c.tries <= TRIES);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_what_is_stored_is_found_again),
      cmocka_unit_test(test_a_row_is_stale_when_what_it_was_measured_of_has_changed),
      cmocka_unit_test(test_a_new_measurement_replaces_and_the_same_one_adds),
      cmocka_unit_test(test_counts_are_kept_by_size),
      cmocka_unit_test(test_a_wrong_line_is_named),
      cmocka_unit_test(test_every_gpu_of_the_claims_has_a_version_of_its_timing),
      cmocka_unit_test(test_a_reason_holds_while_its_experiments_are_what_they_were),
      cmocka_unit_test(test_a_wrong_reason_is_named),
      cmocka_unit_test(test_the_reasons_of_the_tree_are_whole),
      cmocka_unit_test(test_the_readings_that_move_a_speed_up_most_come_first),
      cmocka_unit_test(test_the_search_finds_what_a_sweep_finds_where_there_is_one_valley),
      cmocka_unit_test(test_the_search_does_not_look_into_the_flat_end),
      cmocka_unit_test(test_the_search_goes_on_when_more_is_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
