/* `heddle run` and `compare` as a user types them: what options write, what a mistake is answered with, how a run is
 * ended. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/temp.h"

#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct str dir;
static char output[1 << 16]; /* of the last command, both streams */

static const char *in_dir(const char *name) {
  static char paths[4][4200];
  static unsigned next;
  char *p = paths[next++ % 4];
  snprintf(p, sizeof paths[0], "%s/%s", dir.s, name);
  return p;
}

/* Runs `heddle ARGUMENTS` and returns its exit status. */
static int heddle(const char *fmt, ...) {
  char command[2048];
  int n = snprintf(command, sizeof command, "%s ", CLI_HEDDLE);
  va_list ap;
  va_start(ap, fmt);
  n += vsnprintf(command + n, sizeof command - (size_t)n, fmt, ap);
  va_end(ap);
  snprintf(command + n, sizeof command - (size_t)n, " 2>&1");
  FILE *f = popen(command, "r");
  assert_non_null(f);
  size_t got = fread(output, 1, sizeof output - 1, f);
  output[got] = 0;
  int status = pclose(f);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static void says(const char *what) {
  if (!strstr(output, what)) fail_msg("'%s' is missing in: %s", what, output);
}

static json_t *read_json(const char *name) {
  json_error_t e;
  json_t *root = json_load_file(in_dir(name), 0, &e);
  if (!root) fail_msg("%s: %s", name, e.text);
  return root;
}

static int64_t number(const json_t *o, const char *part, const char *key) {
  return json_integer_value(json_object_get(part ? json_object_get(o, part) : o, key));
}

static void test_intervals_in_json_and_csv_add_up(void **state) {
  (void)state;
  assert_int_equal(heddle("run vectoradd --quiet --interval 500 --interval-csv %s --power-plot %s --per-sm --json %s",
                          in_dir("i.csv"), in_dir("i.svg"), in_dir("i.json")),
                   0);
  json_t *r = read_json("i.json"), *rows = json_object_get(r, "intervals"), *row;
  int64_t cycles = 0, accesses = 0, of_sms = 0;
  size_t i;
  json_array_foreach(rows, i, row) {
    cycles += number(row, NULL, "cycles");
    accesses += number(row, "l1d", "accesses");
  }
  assert_int_equal(cycles, number(r, NULL, "cycles"));
  assert_int_equal(accesses, number(r, "l1d", "accesses"));
  json_array_foreach(json_object_get(r, "per_sm"), i, row) of_sms += number(row, "l1d", "accesses");
  assert_int_equal(of_sms, accesses);
  FILE *f = fopen(in_dir("i.csv"), "r");
  assert_non_null(f);
  size_t lines = 0, columns = 0;
  static char line[1 << 16];
  while (fgets(line, sizeof line, f)) {
    size_t n = 1;
    for (const char *p = line; *p; p++) n += *p == ',';
    if (!lines++) columns = n;
    assert_int_equal(n, columns);
  }
  fclose(f);
  assert_int_equal(lines, json_array_size(rows) + 1);
  f = fopen(in_dir("i.svg"), "r");
  assert_non_null(f);
  for (lines = 0; fgets(line, sizeof line, f);) lines += strstr(line, "<polyline") != NULL;
  fclose(f);
  assert_int_equal(lines, 7); /* total and six groups of parts */
  json_decref(r);
}

static void test_profile_shows_source_lines(void **state) {
  (void)state;
  assert_int_equal(heddle("run vectoradd --quiet --profile --json %s", in_dir("p.json")), 0);
  says("stall slots");
  says("vectoradd.cu:");
  json_t *r = read_json("p.json"), *line;
  int64_t executions = 0;
  size_t i;
  json_array_foreach(json_object_get(r, "profile"), i, line) executions += number(line, NULL, "executions");
  assert_int_equal(executions, number(r, NULL, "warp_instructions"));
  json_decref(r);
}

static void test_without_the_options_the_report_has_none_of_it(void **state) {
  (void)state;
  assert_int_equal(heddle("run vectoradd --quiet --json %s", in_dir("n.json")), 0);
  json_t *r = read_json("n.json");
  static const char *const names[] = {"intervals", "per_sm", "profile", "stopped"};
  for (size_t i = 0; i < 4; i++) assert_null(json_object_get(r, names[i]));
  assert_true(json_is_true(json_object_get(r, "output_ok")));
  json_decref(r);
}

static void test_a_limit_ends_the_run_and_the_output_is_not_called_right(void **state) {
  (void)state;
  assert_int_equal(heddle("run vectoradd --quiet --max-cycles 1000 --json %s", in_dir("m.json")), 0);
  says("stopped by the limit of cycles");
  json_t *r = read_json("m.json");
  assert_int_equal(number(r, NULL, "cycles"), 1000);
  assert_true(json_is_null(json_object_get(r, "output_ok")));
  assert_true(json_is_string(json_object_get(r, "stopped")));
  json_decref(r);
}

static void test_a_limit_of_instructions_ends_a_functional_run_too(void **state) {
  (void)state;
  assert_int_equal(heddle("run vectoradd --functional --quiet --max-instructions 1000 --json %s", in_dir("m.json")), 0);
  says("stopped by the limit of instructions after 1000 warp instructions");
  json_t *r = read_json("m.json");
  assert_int_equal(number(r, NULL, "warp_instructions"), 1000);
  assert_true(json_is_null(json_object_get(r, "output_ok")));
  assert_true(json_is_string(json_object_get(r, "stopped")));
  json_decref(r);
}

static void test_mistakes_are_reported_before_anything_runs(void **state) {
  (void)state;
  static const struct {
    const char *arguments, *text;
  } cases[] = {
      {"--interval 0", "--interval 0: a whole number above 0"},
      {"--interval ten", "--interval ten"},
      {"--max-cycles -3", "--max-cycles -3"},
      {"--stop-stable x", "--stop-stable x: a number of percent"},
      {"--interval-csv f.csv", "--interval-csv needs --interval"},
      {"--power-plot f.svg", "--power-plot needs --interval"},
      {"--functional --profile", "--functional has no cycles"},
      {"--functional --max-cycles 5", "--functional has no cycles"},
      {"--profil", "did you mean '--profile'"},
      {"--set l1.stes=4", "did you mean 'l1.sets'"},
      {"--threads 0", "--threads 0: a whole number above 0"},
      {"-g gtx480", "unknown option '-g'"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_int_equal(heddle("run vectoradd %s", cases[i].arguments), 2);
    says(cases[i].text);
  }
}

/* Keys that are right, each by itself: the program is not let go on without a GPU, whatever a script around it does. */
static void test_keys_that_do_not_go_together_end_the_run(void **state) {
  (void)state;
  static const char *const settings[] = {"l1.granule=48", "llc.mode=private", "gpu.sms=7"};
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
    assert_int_equal(heddle("run vectoradd --set %s", settings[i]), 2);
    says("heddle: ");
    if (strstr(output, "no CUDA-capable device") || strstr(output, "cuInit")) fail_msg("it went on: %s", output);
    assert_int_equal(heddle("run --set %s -- sh -c '\"%s-workloads\" vectoradd; true'", settings[i], CLI_HEDDLE), 2);
  }
  assert_int_equal(heddle("compare vectoradd --vary l1.granule=48"), 2);
}

static void test_a_program_without_cuda_calls_is_called_so(void **state) {
  (void)state;
  assert_int_equal(heddle("run -- true"), 0);
  says("heddle: 'true' made no CUDA call");
  assert_int_equal(heddle("run -- sh -c 'exit 3'"), 3);
  says("made no CUDA call");
  assert_int_equal(heddle("run vectoradd"), 0);
  assert_null(strstr(output, "no CUDA call"));
  assert_int_equal(heddle("run -- no-such-program"), 127);
  assert_null(strstr(output, "no CUDA call"));
}

static void test_at_most_three_nearest_workloads_are_named(void **state) {
  (void)state;
  assert_int_equal(heddle("run kmens"), 2);
  says("nearest: kmeans kmn (");
  assert_int_equal(heddle("run x"), 2);
  const char *from = strstr(output, "nearest:"), *to = strchr(output, '(');
  assert_true(from && to);
  unsigned words = 0;
  for (const char *s = from; s < to; s++) words += *s == ' ' && s[1] != '(';
  assert_in_range(words, 1, 3);
}

static void test_no_temporary_files_are_needed(void **state) {
  (void)state;
  char old[4200];
  const char *before = getenv("TMPDIR");
  snprintf(old, sizeof old, "%s", before ? before : "");
  setenv("TMPDIR", in_dir("nowhere"), 1);
  assert_int_equal(heddle("run vectoradd"), 0);
  assert_int_equal(heddle("tune l1.ways vectoradd --values 2"), 0);
  if (before) setenv("TMPDIR", old, 1);
  else unsetenv("TMPDIR");
}

/* The whole group gets the signal, as from a terminal. */
static void test_an_interrupt_prints_what_there_is(void **state) {
  (void)state;
  const char *json = in_dir("c.json"), *out = in_dir("c.txt");
  pid_t pid = fork();
  if (pid == 0) {
    setpgid(0, 0);
    signal(SIGINT, SIG_DFL);
    if (!freopen(out, "w", stdout) || !freopen(out, "a", stderr)) _exit(99);
    execl(CLI_HEDDLE, CLI_HEDDLE, "run", "kmeans", "--size", "paper", "--json", json, (char *)NULL);
    _exit(99);
  }
  sleep(2);
  kill(-pid, SIGINT);
  int status = 0;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 130);
  json_t *r = read_json("c.json");
  assert_true(number(r, NULL, "cycles") > 0);
  assert_non_null(strstr(json_string_value(json_object_get(r, "stopped")), "a signal"));
  json_decref(r);
}

static int make_dir(void **state) {
  (void)state;
  struct err e = {0};
  return temp_folder(&dir, "heddle-cli", &e) ? 0 : -1;
}
static int remove_dir(void **state) {
  (void)state;
  static const char *const names[] = {"i.csv", "i.svg", "i.json", "p.json", "n.json", "m.json", "c.json", "c.txt", "both.json"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) unlink(in_dir(names[i]));
  int left = rmdir(dir.s);
  str_free(&dir);
  return left;
}

/* ---- two workloads ------------------------------------------------------------------------------------------------------ */

static void test_two_workloads_share_the_gpu(void **state) {
  (void)state;
  assert_int_equal(heddle("run gemm --with b+tree --gpu gpu80 --json %s", in_dir("both.json")), 0);
  says("gemm: ok");
  says("b+tree: ok");
  says("STP");
  json_t *r = read_json("both.json"), *list = json_object_get(r, "programs"), *one;
  assert_string_equal(json_string_value(json_object_get(r, "program")), "gemm+b+tree");
  assert_true(json_is_true(json_object_get(r, "output_ok")));
  assert_int_equal(json_array_size(list), 2);
  double stp = 0, antt = 0, sms = 0;
  size_t i;
  json_array_foreach(list, i, one) {
    double together = json_number_value(json_object_get(one, "cycles")), alone = json_number_value(json_object_get(one, "alone_cycles"));
    assert_true(json_is_true(json_object_get(one, "output_ok")));
    assert_true(alone > 0);
    assert_true(together < 1.0 + (double)number(r, NULL, "cycles"));
    assert_int_equal(number(one, NULL, "sms"), 40);
    assert_true(number(one, "l1d", "accesses") > 0);
    sms += (double)number(one, "sm", "warp_instructions");
    stp += alone / together;
    antt += together / alone / 2;
  }
  assert_true(sms <= (double)number(r, "sm", "warp_instructions"));
  assert_true(stp > 0.5 && stp < 2.5);
  assert_true(fabs(json_real_value(json_object_get(r, "stp")) - stp) < 1e-9);
  assert_true(fabs(json_real_value(json_object_get(r, "antt")) - antt) < 1e-9);
  json_decref(r);
}

static void test_what_cannot_share_the_gpu_is_refused_by_name(void **state) {
  (void)state;
  assert_int_equal(heddle("run --with bfs -- /bin/true"), 2);
  says("--with bfs");
  says("only built-in workloads");
  assert_int_equal(heddle("run bfs --with gemm --functional"), 2);
  says("--functional");
  assert_int_equal(heddle("run bfs --with gemm --max-cycles 100"), 2);
  says("--max-cycles");
  assert_int_equal(heddle("run bfs --with gem"), 2);
  says("there is no workload");
}

/* ---- compare ------------------------------------------------------------------------------------------------------- */

/* The cycles in the last output's line for a workload and a value. */
static long cycles_in(const char *workload, const char *value) {
  char name[64], what[64];
  long cycles;
  for (const char *at = output; at && *at; at = strchr(at, '\n'), at = at ? at + 1 : NULL)
    if (sscanf(at, "%63s %63s %ld", name, what, &cycles) == 3 && !strcmp(name, workload) && !strcmp(what, value)) return cycles;
  fail_msg("no line for %s with %s in: %s", workload, value, output);
  return 0;
}

static long cycles_alone(const char *workload, const char *setting) {
  assert_int_equal(heddle("run %s --gpu gtx480 --set sm.warp_limit=8 --set %s --quiet --json %s", workload, setting, in_dir("c.json")), 0);
  json_t *r = read_json("c.json");
  long cycles = (long)number(r, NULL, "cycles");
  json_decref(r);
  return cycles;
}

static void test_compare_shows_each_run_and_the_mean(void **state) {
  (void)state;
  long one[2] = {cycles_alone("vectoradd", "l1.ways=1"), cycles_alone("bfs", "l1.ways=1")};
  long four[2] = {cycles_alone("vectoradd", "l1.ways=4"), cycles_alone("bfs", "l1.ways=4")};
  assert_int_equal(heddle("compare vectoradd bfs --set sm.warp_limit=8 --vary l1.ways=1,4"), 0);
  assert_int_equal(cycles_in("vectoradd", "1"), one[0]);
  assert_int_equal(cycles_in("vectoradd", "4"), four[0]);
  assert_int_equal(cycles_in("bfs", "1"), one[1]);
  assert_int_equal(cycles_in("bfs", "4"), four[1]);
  assert_true(four[1] < one[1]);
  char mean[64];
  snprintf(mean, sizeof mean, "%.3fx", sqrt((double)one[0] / (double)four[0] * ((double)one[1] / (double)four[1])));
  const char *last = strstr(output, "geometric mean   4 ");
  if (!last || !strstr(last, mean)) fail_msg("no mean of %s in: %s", mean, output);
}

/* A CTA does not fit the SM: no speed-up of it, over it, or in the mean. */
static void test_compare_has_no_speed_up_of_what_failed(void **state) {
  (void)state;
  assert_int_equal(heddle("compare vectoradd bfs --vary sm.threads=32,1536"), 1);
  assert_int_equal(cycles_in("vectoradd", "32"), 0);
  assert_true(cycles_in("vectoradd", "1536") > 0);
  assert_null(strstr(output, "000x"));
  char word[16] = "";
  const char *mean = strstr(output, "geometric mean   1536");
  assert_non_null(mean);
  assert_int_equal(sscanf(mean, "geometric mean 1536 %15s", word), 1);
  assert_string_equal(word, "-");
}

static void test_compare_reports_mistakes(void **state) {
  (void)state;
  assert_int_equal(heddle("compare vectoradd"), 2);
  says("--vary KEY=A,B are expected");
  assert_int_equal(heddle("compare --vary l1.ways=1,2"), 2);
  says("workloads and --vary");
  assert_int_equal(heddle("compare vectoradd --vary l1.ways="), 2);
  says("1 to 16 values, here are 0");
  assert_int_equal(heddle("compare vectoradd --vary l1.ways=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17"), 2);
  says("here are 17");
  assert_int_equal(heddle("compare vectoradd --vary l1.way=1,2"), 2);
  says("did you mean 'l1.ways'");
  assert_int_equal(heddle("compare vectorad --vary l1.ways=1,2"), 2);
  says("vectoradd");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_intervals_in_json_and_csv_add_up),
      cmocka_unit_test(test_profile_shows_source_lines),
      cmocka_unit_test(test_without_the_options_the_report_has_none_of_it),
      cmocka_unit_test(test_a_limit_ends_the_run_and_the_output_is_not_called_right),
      cmocka_unit_test(test_a_limit_of_instructions_ends_a_functional_run_too),
      cmocka_unit_test(test_mistakes_are_reported_before_anything_runs),
      cmocka_unit_test(test_no_temporary_files_are_needed),
      cmocka_unit_test(test_keys_that_do_not_go_together_end_the_run),
      cmocka_unit_test(test_a_program_without_cuda_calls_is_called_so),
      cmocka_unit_test(test_at_most_three_nearest_workloads_are_named),
      cmocka_unit_test(test_an_interrupt_prints_what_there_is),
      cmocka_unit_test(test_compare_shows_each_run_and_the_mean),
      cmocka_unit_test(test_compare_has_no_speed_up_of_what_failed),
      cmocka_unit_test(test_compare_reports_mistakes),
      cmocka_unit_test(test_two_workloads_share_the_gpu),
      cmocka_unit_test(test_what_cannot_share_the_gpu_is_refused_by_name),
  };
  return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
