/* Tests of plans (what they expand to, how a bad one is refused) and of the results database (stored once, claims,
 * files that are not ours). Sweeps as a user runs them are in sweeps.sh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/temp.h"
#include "lab/sweep/database.h"
#include "lab/sweep/plan.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const names[] = {"bfs", "kmeans", "vectoradd"};

static bool read_plan(struct lab_plan *p, const char *text, struct err *e) {
  return lab_plan_text(p, "plan.toml", text, strlen(text), names, 3, e);
}

/* ---- plans ---------------------------------------------------------------------------------------------------------------- */

static void test_a_plan_expands_to_the_product_of_its_lists(void **state) {
  (void)state;
  struct lab_plan p;
  struct err e = {0};
  assert_true(read_plan(&p, "workloads = [\"bfs\", \"kmeans\"]\ngpu = [\"gtx480\", \"gtx480-ref\"]\nseed = [1, 2, 3]\n"
                            "[set]\n\"sm.scheduler\" = \"lrr\"\n[vary]\n\"l1.ways\" = [2, 4]\n", &e));
  assert_int_equal(p.n, 2 * 2 * 3 * 2);
  assert_string_equal(p.runs[0].settings, "l1.ways=2,sm.scheduler=lrr");
  assert_string_equal(p.runs[0].size, "small");
  assert_string_equal(p.runs[1].seed, "2");
  for (size_t i = 0; i < p.n; i++)
    for (size_t k = 0; k < i; k++) {
      bool same_gpu = !strcmp(p.runs[i].gpu, p.runs[k].gpu) && !strcmp(p.runs[i].settings, p.runs[k].settings);
      assert_int_equal(!strcmp(p.runs[i].config_hash, p.runs[k].config_hash), same_gpu);
    }
  lab_plan_free(&p);
}

static void test_all_names_every_workload_and_the_rest_has_defaults(void **state) {
  (void)state;
  struct lab_plan p;
  struct err e = {0};
  assert_true(read_plan(&p, "workloads = \"all\"\n", &e));
  assert_int_equal(p.n, 3);
  assert_string_equal(p.runs[2].workload, "vectoradd");
  assert_string_equal(p.runs[2].gpu, "gtx480");
  assert_string_equal(p.runs[2].seed, "");
  assert_string_equal(p.runs[2].settings, "");
  lab_plan_free(&p);
}

static void test_two_workloads_may_share_a_run(void **state) {
  (void)state;
  struct lab_plan p;
  struct err e = {0};
  assert_true(read_plan(&p, "workloads = [\"bfs+kmeans\", \"bfs+bfs\"]\n", &e));
  assert_int_equal(p.n, 2);
  assert_string_equal(p.runs[0].workload, "bfs+kmeans");
  lab_plan_free(&p);
  assert_false(read_plan(&p, "workloads = [\"bfs+kmean\"]\n", &e));
  lab_plan_free(&p);
}

static void test_threads_of_the_host_are_not_part_of_the_configuration(void **state) {
  (void)state;
  struct lab_plan p;
  struct err e = {0};
  assert_true(read_plan(&p, "workloads = \"bfs\"\n[vary]\n\"gpu.threads\" = [1, 2]\n", &e));
  assert_string_equal(p.runs[0].config_hash, p.runs[1].config_hash);
  lab_plan_free(&p);
}

static void test_a_bad_plan_is_refused_with_its_line(void **state) {
  (void)state;
  static const struct {
    const char *plan, *message;
  } rows[] = {
      {"", "plan.toml: the plan names no workloads: workloads = [\"...\"] or \"all\""},
      {"workloads = []\n", "plan.toml:1: the list of 'workloads' is empty: that leaves nothing to run"},
      {"\nworkload = [\"bfs\"]\n", "plan.toml:2: unknown key 'workload' (did you mean 'workloads'?)"},
      {"workloads = [\"kmean\"]\n", "plan.toml:1: there is no workload 'kmean' (did you mean 'kmeans'?)"},
      {"workloads = [\"bfs\", \"bfs\"]\n", "plan.toml:1: 'bfs' is listed twice in 'workloads'"},
      {"workloads = \"bfs\"\nworkloads = \"bfs\"\n", "plan.toml:2: 'workloads' is given twice (first on line 1)"},
      {"workloads = \"bfs\"\nsize = \"huge\"\n", "plan.toml:2: size is small, medium or paper, not 'huge'"},
      {"workloads = \"bfs\"\ninterval = 0\n", "plan.toml:2: interval is a whole number of core cycles, not '0'"},
      {"workloads = \"bfs\"\ninterval = [1, 2]\n", "plan.toml:2: 'interval' has one value"},
      {"workloads = \"bfs\"\nseed = -1\n", "plan.toml:2: seed is a whole number, not '-1'"},
      {"workloads = \"bfs\"\ngpu = \"gtx48\"\n",
       "plan.toml:2: there is no GPU 'gtx48' (did you mean 'gtx480'?); `heddle list gpus` shows all, or give the path of a "
       ".toml file"},
      {"workloads = \"bfs\"\n[varied]\nx = 1\n", "plan.toml:3: a plan has the tables [set] and [vary], not [varied]"},
      {"workloads = \"bfs\"\n[set]\n\"l1.ways\" = [2, 4]\n",
       "plan.toml:3: 'l1.ways' in [set] has one value; several belong in [vary]"},
      {"workloads = \"bfs\"\n[set]\n\"l1.ways\" = 2\n[vary]\n\"l1.ways\" = [2, 4]\n",
       "plan.toml:5: 'l1.ways' is given twice (first on line 3)"},
      {"workloads = \"bfs\"\n[vary]\n\"l1.ways\" = []\n",
       "plan.toml:3: the list of 'l1.ways' is empty: that leaves nothing to run"},
      {"workloads = \"bfs\"\n[vary]\n\"sm.scheduler\" = [\"lrr,gto\"]\n",
       "plan.toml:3: a setting cannot contain ',': 'lrr,gto'"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct lab_plan p;
    struct err e = {0};
    assert_false(read_plan(&p, rows[i].plan, &e));
    assert_string_equal(e.text, rows[i].message);
    assert_int_equal(e.kind, ERR_INPUT);
    assert_int_equal(p.n, 0);
    lab_plan_free(&p);
  }
}

static void test_an_unknown_setting_is_refused_with_its_line_and_the_nearest(void **state) {
  (void)state;
  struct lab_plan p;
  struct err e = {0};
  assert_false(read_plan(&p, "workloads = \"bfs\"\n[vary]\n\"l1.way\" = [2]\n", &e));
  assert_non_null(strstr(e.text, "plan.toml:3: "));
  assert_non_null(strstr(e.text, "l1.ways"));
  lab_plan_free(&p);
  struct err range = {0};
  assert_false(read_plan(&p, "workloads = \"bfs\"\n[vary]\n\"l1.ways\" = [2, 0]\n", &range));
  assert_non_null(strstr(range.text, "plan.toml:3: "));
  lab_plan_free(&p);
}

static void test_a_plan_of_too_many_runs_is_refused(void **state) {
  (void)state;
  char text[8192] = "workloads = \"bfs\"\n[vary]\n";
  static const char *const keys[] = {"l1.ways", "l2.ways", "sm.ctas"};
  for (int k = 0; k < 3; k++) {
    size_t n = strlen(text);
    n += (size_t)snprintf(text + n, sizeof text - n, "\"%s\" = [1", keys[k]);
    for (int v = 2; v <= 28; v++) n += (size_t)snprintf(text + n, sizeof text - n, ",%d", v);
    snprintf(text + n, sizeof text - n, "]\n");
  }
  struct lab_plan p;
  struct err e = {0};
  assert_false(read_plan(&p, text, &e));
  assert_string_equal(e.text, "plan.toml: the plan expands to more than 20000 runs; split it");
  lab_plan_free(&p);
}

static void test_a_plan_that_cannot_be_read_is_named(void **state) {
  (void)state;
  struct lab_plan p;
  struct err e = {0};
  assert_false(lab_plan_read(&p, "/nowhere/plan.toml", names, 3, &e));
  assert_string_equal(e.text, "cannot read the plan '/nowhere/plan.toml': No such file or directory");
  lab_plan_free(&p);
  struct err folder = {0};
  assert_false(lab_plan_read(&p, "/", names, 3, &folder));
  assert_string_equal(folder.text, "cannot read the plan '/': Is a directory");
  lab_plan_free(&p);
}

/* ---- the database ----------------------------------------------------------------------------------------------------------- */

static struct str file_path;
static const char *file; /* of the test; not there at its beginning */
static const struct lab_run run = {.workload = "bfs", .size = "small", .seed = "", .gpu = "gtx480",
                                   .settings = "l1.ways=2,sm.scheduler=lrr", .config_hash = "0123456789abcdef"};

static int new_file(void **state) {
  (void)state;
  struct err e = {0};
  if (!temp_file(&file_path, "heddle-lab", &e)) return 1;
  file = file_path.s;
  return unlink(file);
}

static int remove_file(void **state) {
  (void)state;
  char other[4200];
  unlink(file);
  snprintf(other, sizeof other, "%s-wal", file);
  unlink(other);
  snprintf(other, sizeof other, "%s-shm", file);
  unlink(other);
  str_free(&file_path);
  return 0;
}

static struct lab_db *open_it(void) {
  struct err e = {0};
  struct lab_db *db = lab_db_open(file, true, &e);
  assert_string_equal(e.text, "");
  assert_non_null(db);
  return db;
}

static void sql(const char *text) {
  sqlite3 *s;
  assert_int_equal(sqlite3_open(file, &s), SQLITE_OK);
  assert_int_equal(sqlite3_exec(s, text, NULL, NULL, NULL), SQLITE_OK);
  sqlite3_close(s);
}

static json_int_t number(struct lab_db *db, const char *text) {
  struct err e = {0};
  json_t *rows = lab_db_query(db, text, &e);
  assert_non_null(rows);
  json_int_t v = (json_int_t)json_number_value(json_array_get(json_array_get(rows, 0), 0));
  json_decref(rows);
  return v;
}

static json_t *some_report(int cycles) {
  return json_pack("{s:i, s:f, s:b, s:{s:i, s:i}, s:{s:f}, s:{s:s}, s:[{s:s, s:i}, {s:s, s:i}]}", "cycles", cycles, "ipc", 2.5,
                   "output_ok", 1, "l1d", "hits", 7, "misses", 3, "host", "seconds", 1.5, "config", "l1.ways", "2", "kernels",
                   "name", "one", "cycles", 60, "name", "two", "cycles", 40);
}

static void store(struct lab_db *db, int cycles, const char *error) {
  struct err e = {0};
  json_t *report = error ? NULL : some_report(cycles);
  assert_true(lab_db_store(db, &run, 0.5, report, error, &e));
  json_decref(report);
}

static void test_a_run_is_stored_with_all_its_parts(void **state) {
  (void)state;
  struct lab_db *db = open_it();
  store(db, 100, NULL);
  assert_int_equal(number(db, "SELECT cycles FROM runs WHERE status = 'ok' AND output_ok AND ipc = 2.5"), 100);
  assert_int_equal(number(db, "SELECT value FROM stats WHERE name = 'l1d.hits'"), 7);
  assert_int_equal(number(db, "SELECT count(*) FROM stats WHERE name LIKE 'host%' OR name LIKE 'config%'"), 0);
  assert_int_equal(number(db, "SELECT count(*) FROM statistics WHERE name = 'l1d.hits' AND unit = 'accesses'"), 1);
  assert_int_equal(number(db, "SELECT sum(cycles) FROM kernels"), 100);
  assert_int_equal(number(db, "SELECT value FROM settings WHERE name = 'l1.ways'"), 0 /* text */);
  assert_int_equal(number(db, "SELECT count(*) FROM settings WHERE name = 'sm.scheduler' AND value = 'lrr'"), 1);
  lab_db_close(db);
}

static void test_a_stored_run_is_replaced_whole(void **state) {
  (void)state;
  struct lab_db *db = open_it();
  store(db, 100, NULL);
  store(db, 200, NULL);
  store(db, 300, NULL);
  assert_int_equal(number(db, "SELECT count(*) FROM runs"), 1);
  assert_int_equal(number(db, "SELECT sum(value) FROM stats WHERE name = 'cycles'"), 300);
  assert_int_equal(number(db, "SELECT count(*) FROM kernels"), 2);
  lab_db_close(db);
}

static void test_a_failed_run_is_taken_again_only_when_asked(void **state) {
  (void)state;
  struct err e = {0};
  struct lab_db *db = open_it();
  assert_int_equal(lab_db_claim(db, &run, false, &e), LAB_MINE);
  store(db, 0, "deadlock");
  assert_int_equal(number(db, "SELECT count(*) FROM runs WHERE status = 'failed' AND error = 'deadlock'"), 1);
  assert_int_equal(lab_db_claim(db, &run, false, &e), LAB_FAILED);
  assert_int_equal(lab_db_claim(db, &run, true, &e), LAB_MINE);
  store(db, 100, NULL);
  assert_int_equal(lab_db_claim(db, &run, true, &e), LAB_DONE);
  assert_int_equal(number(db, "SELECT count(*) FROM claims"), 0);
  lab_db_close(db);
}

static void test_a_run_that_is_equal_in_other_words_is_not_done_again(void **state) {
  (void)state;
  struct err e = {0};
  struct lab_db *db = open_it();
  store(db, 100, NULL);
  struct lab_run same = run, other = run, seeded = run;
  same.settings = "l1.ways=0x2";
  other.config_hash = "fedcba9876543210";
  seeded.seed = "2";
  assert_int_equal(lab_db_claim(db, &same, false, &e), LAB_DONE);
  assert_int_equal(lab_db_claim(db, &other, false, &e), LAB_MINE);
  assert_int_equal(lab_db_claim(db, &seeded, false, &e), LAB_MINE);
  assert_int_equal(number(db, "SELECT count(*) FROM runs WHERE cycles = 100 AND status = 'ok'"), 2);
  assert_int_equal(number(db, "SELECT count(*) FROM stats WHERE name = 'l1d.hits' AND value = 7"), 2);
  assert_int_equal(number(db, "SELECT count(*) FROM kernels"), 4);
  assert_int_equal(number(db, "SELECT count(*) FROM settings WHERE value = '0x2'"), 1);
  lab_db_close(db);
}

/* A child that claims the run and stays until it is told to go. */
static pid_t claimer(int *go) {
  int ready[2], leave[2];
  char c;
  assert_int_equal(pipe(ready) | pipe(leave), 0);
  pid_t pid = fork();
  if (pid == 0) {
    struct err e = {0};
    close(leave[1]);
    struct lab_db *db = lab_db_open(file, true, &e);
    if (!db || lab_db_claim(db, &run, false, &e) != LAB_MINE) _exit(1);
    if (write(ready[1], "x", 1) != 1 || read(leave[0], &c, 1) < 0) _exit(1);
    _exit(0);
  }
  close(leave[0]);
  assert_int_equal(read(ready[0], &c, 1), 1);
  close(ready[0]);
  close(ready[1]);
  *go = leave[1];
  return pid;
}

static void test_a_claim_holds_while_its_process_lives(void **state) {
  (void)state;
  int go;
  pid_t pid = claimer(&go);
  struct err e = {0};
  struct lab_db *db = open_it();
  assert_int_equal(lab_db_claim(db, &run, false, &e), LAB_TAKEN);
  close(go);
  assert_int_equal(waitpid(pid, NULL, 0), pid);
  assert_int_equal(lab_db_claim(db, &run, false, &e), LAB_MINE);
  lab_db_close(db);
}

static void test_a_claim_of_a_later_process_of_the_same_number_is_not_believed(void **state) {
  (void)state;
  struct err e = {0};
  struct lab_db *db = open_it();
  int go;
  pid_t pid = claimer(&go);
  sql("UPDATE claims SET started = '1'");
  assert_int_equal(lab_db_claim(db, &run, false, &e), LAB_MINE);
  close(go);
  waitpid(pid, NULL, 0);
  lab_db_close(db);
}

static void test_a_claim_from_another_host_lapses_when_it_is_not_renewed(void **state) {
  (void)state;
  struct err e = {0};
  struct lab_db *db = open_it();
  assert_int_equal(lab_db_claim(db, &run, false, &e), LAB_MINE);
  sql("UPDATE claims SET host = 'elsewhere.invalid'");
  assert_int_equal(lab_db_claim(db, &run, false, &e), LAB_TAKEN);
  sql("UPDATE claims SET renewed = renewed - 121");
  assert_int_equal(lab_db_claim(db, &run, false, &e), LAB_MINE);
  lab_db_release(db, &run);
  assert_int_equal(number(db, "SELECT count(*) FROM claims"), 0);
  lab_db_close(db);
}

static void refused(bool make, const char *message) {
  struct err e = {0};
  assert_null(lab_db_open(file, make, &e));
  assert_string_equal(e.text, message);
  assert_int_equal(e.kind, ERR_INPUT);
}

static void test_a_file_of_layout_1_gets_what_it_lacks(void **state) {
  (void)state;
  struct lab_db *db = open_it();
  store(db, 100, NULL);
  lab_db_close(db);
  sql("DROP TABLE probes; DROP TABLE intervals; DROP TABLE scores; DROP TABLE combinations; ALTER TABLE runs DROP COLUMN probes;"
      " ALTER TABLE runs DROP COLUMN build; ALTER TABLE runs DROP COLUMN interval_cycles;"
      " PRAGMA user_version = 1");
  db = open_it();
  struct err e = {0};
  assert_int_equal(number(db, "PRAGMA user_version"), 5);
  assert_int_equal(lab_db_claim(db, &run, false, &e), LAB_DONE);
  assert_int_equal(number(db, "SELECT count(*) FROM runs WHERE probes = ''"), 1);
  assert_int_equal(number(db, "SELECT count(*) FROM scores"), 0);
  lab_db_close(db);
}

static void test_a_run_with_more_probes_serves_one_with_fewer(void **state) {
  (void)state;
  struct lab_db *db = open_it();
  struct err e = {0};
  struct lab_run probed = run, fewer = run, other = run;
  json_t *report = some_report(100), *found = NULL;
  json_object_set_new(report, "probes", json_pack("{s:{s:[i,i]}, s:{s:i}}", "reuse", "map", 1, 2, "lines", "lines", 9));
  probed.probes = "lines,reuse";
  fewer.probes = "reuse";
  other.probes = "mix";
  assert_true(lab_db_store(db, &probed, 0.5, report, NULL, &e));
  json_decref(report);
  assert_int_equal(lab_db_results(db, &fewer, &found, &e), LAB_DONE);
  assert_int_equal(json_integer_value(json_array_get(json_object_get(json_object_get(json_object_get(found, "probes"), "reuse"),
                                                                     "map"), 1)), 2);
  assert_true(json_number_value(json_object_get(found, "probes.lines.lines")) == 9);
  assert_true(json_number_value(json_object_get(found, "l1d.misses")) == 3);
  json_decref(found);
  assert_int_equal(lab_db_results(db, &other, &found, &e), LAB_MINE);
  assert_int_equal(lab_db_claim(db, &run, false, &e), LAB_MINE); /* as a run of its own it is not there */
  lab_db_release(db, &run);
  store(db, 0, "deadlock");
  assert_int_equal(lab_db_results(db, &run, &found, &e), LAB_DONE); /* the one that went well */
  json_decref(found);
  lab_db_close(db);
}

static void test_intervals_are_stored_and_are_part_of_what_a_run_is(void **state) {
  (void)state;
  struct lab_db *db = open_it();
  struct err e = {0};
  struct lab_run often = run;
  json_t *report = some_report(100);
  json_object_set_new(report, "intervals", json_pack("[{s:i, s:f, s:{s:i, s:i}}, {s:i, s:{s:i}}]", "first_cycle", 0, "ipc", 1.5, "l1d",
                                                     "hits", 3, "misses", 0, "first_cycle", 50, "l1d", "hits", 4));
  store(db, 100, NULL);
  often.interval = "50";
  assert_int_equal(lab_db_claim(db, &often, false, &e), LAB_MINE);
  assert_true(lab_db_store(db, &often, 0.5, report, NULL, &e));
  json_decref(report);
  assert_int_equal(number(db, "SELECT count(*) FROM runs WHERE interval_cycles = 50"), 1);
  assert_int_equal(number(db, "SELECT sum(value) FROM intervals WHERE name = 'l1d.hits'"), 7);
  assert_int_equal(number(db, "SELECT count(*) FROM intervals"), 4);
  often.settings = "l1.ways=0x2";
  assert_int_equal(lab_db_claim(db, &often, false, &e), LAB_DONE);
  assert_int_equal(number(db, "SELECT count(*) FROM intervals"), 8);
  lab_db_close(db);
}

static void test_a_run_of_another_build_counts_only_where_any_will_do(void **state) {
  (void)state;
  struct lab_db *db = open_it();
  struct err e = {0};
  json_t *found = NULL;
  lab_db_set_build(db, "one", false);
  store(db, 100, NULL);
  lab_db_set_build(db, "two", false);
  assert_int_equal(lab_db_claim(db, &run, false, &e), LAB_DONE);
  lab_db_set_build(db, "two", true);
  assert_int_equal(lab_db_results(db, &run, &found, &e), LAB_MINE);
  assert_int_equal(lab_db_claim(db, &run, false, &e), LAB_MINE);
  store(db, 200, NULL);
  assert_int_equal(number(db, "SELECT cycles FROM runs WHERE build = 'two'"), 200);
  assert_int_equal(number(db, "SELECT count(*) FROM runs"), 1);
  assert_int_equal(lab_db_claim(db, &run, false, &e), LAB_DONE);
  lab_db_close(db);
}

static void test_a_newer_layout_is_refused(void **state) {
  (void)state;
  char message[256];
  lab_db_close(open_it());
  sql("PRAGMA user_version = 6");
  snprintf(message, sizeof message, "the database '%s' has layout 6; this heddle knows up to 5: use a newer heddle", file);
  refused(true, message);
}

static void test_a_file_of_something_else_is_refused_and_left_as_it_was(void **state) {
  (void)state;
  char message[256];
  sql("CREATE TABLE mine (x)");
  snprintf(message, sizeof message, "'%s' is a database of another program: choose another file", file);
  refused(true, message);
  FILE *f = fopen(file, "w");
  for (int i = 0; i < 200; i++) fprintf(f, "this is a text\n");
  fclose(f);
  snprintf(message, sizeof message, "'%s' is not a results database (nor any SQLite file)", file);
  refused(true, message);
  unlink(file);
  snprintf(message, sizeof message, "cannot read the database '%s': No such file or directory", file);
  refused(false, message);
}

int main(void) {
#define ON_FILE(test) cmocka_unit_test_setup_teardown(test, new_file, remove_file)
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_plan_expands_to_the_product_of_its_lists),
      cmocka_unit_test(test_all_names_every_workload_and_the_rest_has_defaults),
      cmocka_unit_test(test_two_workloads_may_share_a_run),
      cmocka_unit_test(test_threads_of_the_host_are_not_part_of_the_configuration),
      cmocka_unit_test(test_a_bad_plan_is_refused_with_its_line),
      cmocka_unit_test(test_an_unknown_setting_is_refused_with_its_line_and_the_nearest),
      cmocka_unit_test(test_a_plan_of_too_many_runs_is_refused),
      cmocka_unit_test(test_a_plan_that_cannot_be_read_is_named),
      ON_FILE(test_a_run_is_stored_with_all_its_parts),
      ON_FILE(test_a_stored_run_is_replaced_whole),
      ON_FILE(test_a_failed_run_is_taken_again_only_when_asked),
      ON_FILE(test_a_run_that_is_equal_in_other_words_is_not_done_again),
      ON_FILE(test_a_claim_holds_while_its_process_lives),
      ON_FILE(test_a_claim_of_a_later_process_of_the_same_number_is_not_believed),
      ON_FILE(test_a_claim_from_another_host_lapses_when_it_is_not_renewed),
      ON_FILE(test_a_file_of_layout_1_gets_what_it_lacks),
      ON_FILE(test_a_run_with_more_probes_serves_one_with_fewer),
      ON_FILE(test_intervals_are_stored_and_are_part_of_what_a_run_is),
      ON_FILE(test_a_run_of_another_build_counts_only_where_any_will_do),
      ON_FILE(test_a_newer_layout_is_refused),
      ON_FILE(test_a_file_of_something_else_is_refused_and_left_as_it_was),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
