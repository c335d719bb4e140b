/* Nsight Compute's tables, and a run beside one: both kinds of table, units and quotes, names of kernels, sums worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "lab/correlate.h"
#include "lab/ncu_metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct ncu_table parsed(const char *text) {
  struct ncu_table t;
  struct err e = {0};
  if (!ncu_parse(&t, "t.csv", text, strlen(text), &e)) fail_msg("%s", e.text);
  return t;
}

static const char wide[] = "==PROF== Connected to process 1 (a, b)\nok\n"
                           "\"ID\",\"Kernel Name\",\"Grid Size\",\"gpu__time_duration.sum\",\"dram__bytes_read.sum\","
                           "\"smsp__inst_executed.sum\"\r\n"
                           "\"\",\"\",\"\",\"usecond\",\"Kbyte\",\"inst\"\r\n"
                           "\"0\",\"void a::add<float, 4>(float *, int)\",\"(16, 1, 1)\",\"2.5\",\"1.5\",\"1,234,567\"\r\n"
                           "\"1\",\"say \"\"hi\"\"\",\"(1, 1, 1)\",\"4\",\"n/a\",\"7\"\r\n";

static void test_a_table_with_a_row_a_launch(void **state) {
  (void)state;
  struct ncu_table t = parsed(wide);
  assert_int_equal(t.n, 2);
  assert_string_equal(t.launches[0].kernel, "void a::add<float, 4>(float *, int)");
  assert_true(ncu_metric(&t.launches[0], "gpu__time_duration.sum") == 2500);
  assert_true(ncu_metric(&t.launches[0], "dram__bytes_read.sum") == 1500);
  assert_true(ncu_metric(&t.launches[0], "smsp__inst_executed.sum") == 1234567);
  assert_string_equal(t.launches[1].kernel, "say \"hi\"");
  assert_true(isnan(ncu_metric(&t.launches[1], "dram__bytes_read.sum")));
  ncu_free(&t);
}

static void test_a_table_with_a_row_a_metric(void **state) {
  (void)state;
  struct ncu_table t = parsed("\"ID\",\"Kernel Name\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
                              "\"0\",\"k\",\"s\",\"gpu__time_duration.sum\",\"msecond\",\"1.5\"\n"
                              "\"0\",\"k\",\"s\",\"dram__bytes.sum\",\"Gbyte\",\"2\"\n"
                              "\"1\",\"k\",\"s\",\"gpu__time_duration.sum\",\"ns\",\"3\"\n");
  assert_int_equal(t.n, 2);
  assert_true(ncu_metric(&t.launches[0], "gpu__time_duration.sum") == 1.5e6);
  assert_true(ncu_metric(&t.launches[0], "dram__bytes.sum") == 2e9);
  assert_true(ncu_metric(&t.launches[1], "gpu__time_duration.sum") == 3);
  ncu_free(&t);
}

static void test_what_is_no_table_is_refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } cases[] = {
      {"", "'t.csv' holds no launches: make it with `ncu --csv --page raw PROGRAM > FILE.csv`"},
      {"a,b\n1,2\n", "'t.csv' holds no launches: make it with `ncu --csv --page raw PROGRAM > FILE.csv`"},
      {"\"Kernel Name\"\n\"k\"\n", "t.csv:1: the table has no column 'ID'"},
      {"ID,Kernel Name,Metric Name\n0,k,m\n", "t.csv:1: the table has 'Metric Name' but not 'Metric Unit' and 'Metric Value'"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct ncu_table t;
    struct err e = {0};
    assert_false(ncu_parse(&t, "t.csv", cases[i].text, strlen(cases[i].text), &e));
    assert_string_equal(e.text, cases[i].message);
    ncu_free(&t);
  }
}

static void test_damaged_tables_end_in_a_table_or_an_error(void **state) {
  (void)state;
  struct rng rng = {.state = 7};
  char text[sizeof wide];
  for (int i = 0; i < 20000; i++) {
    memcpy(text, wide, sizeof wide);
    size_t n = sizeof wide - 1;
    for (uint64_t k = rng_below(&rng, 6); k < 6; k++) text[rng_below(&rng, n)] = "\",\n\r0a"[rng_below(&rng, 6)];
    if (rng_below(&rng, 3) == 0) n = rng_below(&rng, n) + 1;
    struct ncu_table t;
    struct err e = {0};
    bool ok = ncu_parse(&t, "t.csv", text, n, &e);
    assert_true(ok ? t.n > 0 : e.kind != ERR_NONE);
    ncu_free(&t);
  }
}

static void test_bare_names_of_kernels(void **state) {
  (void)state;
  static const char *const cases[][2] = {{"void a::add<float, 4>(float *, int)", "add"},
                                         {"_ZN1a3addIfLi4EEEvPT_i", "add"},
                                         {"_Z6vecaddPfS_i", "vecadd"},
                                         {"_ZL6hiddenv", "hidden"},
                                         {"plain", "plain"},
                                         {"k(int)", "k"},
                                         {"_Z99short", "_Z99short"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char out[64];
    ncu_bare_name(cases[i][0], out, sizeof out);
    assert_string_equal(out, cases[i][1]);
  }
}

/* Two launches of one kernel and one without a partner; times 1000 and 4000 ns on the card. */
static void test_launches_are_matched_and_compared(void **state) {
  (void)state;
  struct ncu_table t = parsed("ID,Kernel Name,gpu__time_duration.sum,lts__t_sector_hit_rate.pct\n,,ns,%\n"
                              "0,add(int),1000,50\n1,add(int),4000,80\n2,gone(),5,5\n");
  json_t *report = json_loads("{\"cycles\": 1, \"config\": {\"gpu.core_clock\": \"2000\"}, \"kernels\": ["
                              "{\"name\": \"_Z3addi\", \"cycles\": 2200, \"l2\": {\"sectors_hit\": 30, \"sectors\": 100}},"
                              "{\"name\": \"other\", \"cycles\": 1},"
                              "{\"name\": \"_Z3addi\", \"cycles\": 6400, \"l2\": {\"sectors_hit\": 90, \"sectors\": 100}}]}",
                              0, NULL);
  struct correlation c;
  struct err e = {0};
  assert_true(correlate(&c, &t, report, &e));
  assert_int_equal(c.n, 2);
  assert_int_equal(c.only_card, 1);
  assert_int_equal(c.only_ours, 1);
  double card, ours;
  assert_true(correlate_values(&c, 1, 0, &card, &ours));
  assert_true(card == 4000 && ours == 3200);
  struct correlate_summary time = correlate_sum(&c, 0), hits = correlate_sum(&c, 6), none = correlate_sum(&c, 8);
  assert_int_equal(time.n, 2);
  assert_true(fabs(time.error - 15) < 1e-9);                       /* 10 and 20 % */
  assert_true(fabs(time.ratio - sqrt(1.1 * 0.8)) < 1e-12);
  assert_true(fabs(time.correlation - 1) < 1e-12);
  assert_true(fabs(hits.error - 15) < 1e-9 && fabs(hits.ratio + 5) < 1e-9); /* -20 and +10 points */
  assert_int_equal(none.n, 0);
  size_t order[2];
  correlate_worst(&c, order);
  assert_int_equal(order[0], 1);
  correlate_free(&c);
  json_decref(report);
  ncu_free(&t);
}

/* Sums, differences, shares and times of a launch under Nsight Compute's names; what the report lacks is left out. */
static void test_a_launch_has_the_metrics_of_nsight(void **state) {
  (void)state;
  json_t *report = json_loads("{\"config\": {\"gpu.core_clock\": \"2000\"}}", 0, NULL);
  json_t *k = json_loads("{\"cycles\": 3000, \"sm\": {\"issue_slots_used\": 70, \"dual_issues\": 9, \"warps_memory\": 35},"
                         "\"l1d\": {\"load_sectors\": 60,"
                         "\"load_sectors_hit\": 15, \"store_sectors\": 20, \"store_sectors_hit\": 5}, \"l2\": {\"fetched_sectors\": 7}}",
                         0, NULL);
  assert_true(ncu_value(report, k, "gpu__time_duration.sum") == 1500);
  assert_true(ncu_value(report, k, "smsp__inst_executed.sum") == 79);
  assert_true(ncu_value(report, k, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum") == 45);
  assert_true(ncu_value(report, k, "l1tex__t_sector_hit_rate.pct") == 25);
  assert_true(ncu_value(report, k, "dram__bytes_read.sum") == 224);
  assert_true(ncu_value(report, k, "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio") == 0.5);
  json_t *all = ncu_values(report, k);
  assert_true(json_number_value(json_object_get(all, "sm__cycles_elapsed.max")) == 3000);
  assert_null(json_object_get(all, "lts__t_sector_hit_rate.pct"));
  assert_null(json_object_get(all, "dram__bytes.sum"));
  json_decref(all);
  json_decref(k);
  json_decref(report);
}

static void test_two_programs_are_not_compared(void **state) {
  (void)state;
  struct ncu_table t = parsed("ID,Kernel Name,gpu__time_duration.sum\n,,ns\n0,add(int),1000\n");
  json_t *report = json_loads("{\"cycles\": 1, \"kernels\": [{\"name\": \"sub\", \"cycles\": 1}]}", 0, NULL);
  struct correlation c;
  struct err e = {0};
  assert_false(correlate(&c, &t, report, &e));
  assert_string_equal(e.text, "no kernel of the table has a launch of the same name in the report: are both of one program?");
  correlate_free(&c);
  json_decref(report);
  ncu_free(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_table_with_a_row_a_launch),
      cmocka_unit_test(test_a_table_with_a_row_a_metric),
      cmocka_unit_test(test_what_is_no_table_is_refused),
      cmocka_unit_test(test_damaged_tables_end_in_a_table_or_an_error),
      cmocka_unit_test(test_bare_names_of_kernels),
      cmocka_unit_test(test_launches_are_matched_and_compared),
      cmocka_unit_test(test_a_launch_has_the_metrics_of_nsight),
      cmocka_unit_test(test_two_programs_are_not_compared),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
