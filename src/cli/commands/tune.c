/* heddle tune: which value of a whole-number key a workload runs fastest with. Every value is run, in parallel processes
 * (a curve may have several valleys, so nothing is guessed), and the curves are printed and drawn. `warp_limit` is short
 * for sm.warp_limit from 1 to all warps of an SM: SWL-Best of papers. */
#include "base/output.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/show/picture.h"
#include "cli/progress.h"
#include "cli/workload_names.h"
#include "gpu/gpu.h"
#include "lab/sweep/job.h"
#include "lab/sweep/sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "heddle tune KEY WORKLOAD... [OPTIONS]\n\n"
    "Runs each workload with each value of a setting whose values are whole numbers, and shows the best value and the curve\n"
    "of speed-ups over the value that the GPU and --set give. KEY may be warp_limit: sm.warp_limit, from 1 to all the warps\n"
    "that an SM holds.\n";

enum { MOST_VALUES = 256 };

struct tuning {
  const char *key;
  const char *gpu, *size, *db;
  struct str set;
  long values[MOST_VALUES + 1]; /* the first is the one to compare with */
  unsigned n;
  char *const *workloads;
  unsigned n_workloads;
  double *cycles;               /* by workload, then value; NAN: the run failed */
};

/* ---- values -------------------------------------------------------------------------------------------------------------- */

struct found {
  const char *name;
  const struct cfg_key *key;
  const char *names[1024];
  size_t n;
};

static void find_key(void *user, const struct cfg_key *key, const char *value, const char *source) {
  struct found *f = user;
  (void)value;
  (void)source;
  if (!strcmp(key->name, f->name)) f->key = key;
  if (f->n < sizeof f->names / sizeof *f->names) f->names[f->n++] = key->name;
}

static bool add_value(struct tuning *t, long v, struct err *e) {
  for (unsigned i = 0; i < t->n; i++)
    if (t->values[i] == v) return true;
  if (t->n > MOST_VALUES) return err_set(e, ERR_INPUT, "more than %d values", MOST_VALUES);
  t->values[t->n++] = v;
  return true;
}

/* "1,2,4" or "1..48", in any mixture. */
static bool read_values(struct tuning *t, const char *text, struct err *e) {
  for (const char *p = text; *p;) {
    long from, to;
    int used = 0;
    if (sscanf(p, "%ld..%ld%n", &from, &to, &used) != 2) {
      if (sscanf(p, "%ld%n", &from, &used) != 1) break;
      to = from;
    }
    if ((p[used] != ',' && p[used]) || from > to) break;
    for (long v = from; v <= to; v++)
      if (!add_value(t, v, e)) return false;
    p += used + (p[used] == ',');
    if (!*p) return true;
  }
  return err_set(e, ERR_INPUT, "--values is a list of numbers and rising ranges, 1,2,4..8, not '%s'", text);
}

static bool choose_values(struct tuning *t, const struct cfg *c, const char *text, struct err *e) {
  struct found f = {.name = t->key};
  char all[32];
  cfg_visit(c, find_key, &f);
  if (!f.key) return err_set(e, ERR_INPUT, "there is no key '%s'%s; `heddle list keys` shows all", t->key,
                             str_hint(t->key, f.names, f.n).s);
  if (f.key->type != CFG_INT)
    return err_set(e, ERR_INPUT, "the values of '%s' are not whole numbers; `heddle compare --vary` and `heddle sweep` take any key",
                   t->key);
  t->values[t->n++] = (long)cfg_int(c, t->key);
  snprintf(all, sizeof all, "1..%ld", (long)cfg_int(c, "sm.warps"));
  if (!text && !strcmp(t->key, "sm.warp_limit")) text = all;
  if (!text) return err_set(e, ERR_INPUT, "--values is expected: which values of %s to try", t->key);
  return read_values(t, text, e);
}

static bool prepare(struct tuning *t, const char *text, struct err *e) {
  struct cfg *c = gpu_cfg_new();
  bool ok = gpu_cfg_preset(c, t->gpu, e) && cfg_set_all(c, t->set.s, e) && choose_values(t, c, text, e);
  cfg_delete(c);
  return ok;
}

/* ---- runs ---------------------------------------------------------------------------------------------------------------- */

static void plan_text(const struct tuning *t, struct str *s) {
  str_add(s, "size = \"%s\"\ngpu = \"%s\"\nworkloads = [", t->size, t->gpu);
  for (unsigned i = 0; i < t->n_workloads; i++) str_add(s, "%s\"%s\"", i ? ", " : "", t->workloads[i]);
  str_add(s, "]\n[set]\n");
  char *set = strdup(t->set.s ? t->set.s : ""), *save = NULL;
  for (char *w = strtok_r(set, ",", &save); w; w = strtok_r(NULL, ",", &save)) {
    size_t n = strcspn(w, "=");
    if (strncmp(w, t->key, n) || t->key[n]) str_add(s, "\"%.*s\" = \"%s\"\n", (int)n, w, w[n] ? w + n + 1 : "");
  }
  free(set);
  str_add(s, "[vary]\n\"%s\" = [", t->key);
  for (unsigned i = 0; i < t->n; i++) str_add(s, "%s%ld", i ? ", " : "", t->values[i]);
  str_add(s, "]\n");
}

/* Where a run's cycles belong, by its workload and the key's value among its settings. */
static double *cell_of(struct tuning *t, const struct lab_run *r) {
  unsigned w = 0, i = 0;
  size_t n = strlen(t->key);
  const char *at = r->settings;
  while (strncmp(at, t->key, n) || at[n] != '=') at += strcspn(at, ",") + 1;
  long value = strtol(at + n + 1, NULL, 10);
  while (strcmp(t->workloads[w], r->workload)) w++;
  while (t->values[i] != value) i++;
  return &t->cycles[(size_t)w * t->n + i];
}

static bool take_results(struct tuning *t, struct lab_db *db, const struct lab_plan *p, struct err *e) {
  for (size_t i = 0; i < p->n; i++) {
    json_t *r = NULL;
    enum lab_claim claim = lab_db_results(db, &p->runs[i], &r, e);
    *cell_of(t, &p->runs[i]) = claim == LAB_DONE ? json_number_value(json_object_get(r, "cycles")) : NAN;
    if (claim == LAB_FAILED)
      fprintf(stderr, "heddle: %s with %s: %s\n", p->runs[i].workload, p->runs[i].settings, json_string_value(r));
    json_decref(r);
    if (claim == LAB_ERROR) return false;
  }
  return true;
}

static bool run_plan(struct tuning *t, unsigned jobs, const char *db, int *stopped, struct err *e) {
  struct cli_names names = {0};
  struct lab_plan p = {0};
  struct str text = {0};
  struct cli_progress screen = {.terminal = isatty(STDOUT_FILENO), .started = lab_clock()};
  struct lab_sweep_counts c;
  struct lab_sweep s = {.plan = &p, .home = cli_home(), .jobs = jobs, .user = &screen};
  if (screen.terminal) s.tick = cli_progress_tick;
  plan_text(t, &text);
  bool ok = cli_workload_names(&names, e) && lab_plan_text(&p, "tune", text.s, text.n, names.list, names.n, e) &&
            (s.db = lab_db_open(db, true, e)) && lab_sweep_run(&s, &c, stopped, e) && take_results(t, s.db, &p, e);
  if (screen.terminal) printf("\r\033[K");
  lab_db_close(s.db);
  lab_plan_free(&p);
  cli_names_free(&names);
  str_free(&text);
  return ok;
}

/* Without --db the results live as long as the command, in memory. */
static bool run_all(struct tuning *t, unsigned jobs, int *stopped, struct err *e) {
  return run_plan(t, jobs, t->db ? t->db : ":memory:", stopped, e);
}

/* ---- what is shown --------------------------------------------------------------------------------------------------------- */

static double speedup(const struct tuning *t, unsigned w, unsigned i) {
  const double *c = &t->cycles[(size_t)w * t->n];
  return c[0] / c[i];
}

/* Of equals the smallest value; 0, the one compared with, if all others failed. */
static unsigned best_of(const struct tuning *t, unsigned w) {
  unsigned best = 0;
  for (unsigned i = 1; i < t->n; i++) {
    double v = speedup(t, w, i);
    if (isnan(v)) continue;
    if (!best || v > speedup(t, w, best) || (v == speedup(t, w, best) && t->values[i] < t->values[best])) best = i;
  }
  return best;
}

static void print_curves(const struct tuning *t) {
  printf("speed-up over %s=%ld on %s, size %s; * the best\n%-10s", t->key, t->values[0], t->gpu, t->size, "value");
  for (unsigned w = 0; w < t->n_workloads; w++) printf(" %14.14s", t->workloads[w]);
  printf("\n");
  for (unsigned i = 1; i < t->n; i++) {
    printf("%-10ld", t->values[i]);
    for (unsigned w = 0; w < t->n_workloads; w++) printf(" %13.3f%c", speedup(t, w, i), best_of(t, w) == i ? '*' : ' ');
    printf("\n");
  }
  double logs = 0;
  printf("%-10s", "best");
  for (unsigned w = 0; w < t->n_workloads; w++) {
    printf(" %14ld", t->values[best_of(t, w)]);
    logs += log(speedup(t, w, best_of(t, w)));
  }
  printf("\ngeometric mean of the best: %.3f\n", exp(logs / t->n_workloads));
}

static json_t *curve_of(const struct tuning *t, unsigned w) {
  json_t *o = json_object(), *values = json_array(), *cycles = json_array();
  for (unsigned i = 0; i < t->n; i++) {
    double c = t->cycles[(size_t)w * t->n + i];
    json_array_append_new(values, json_integer(t->values[i]));
    json_array_append_new(cycles, isnan(c) ? json_null() : json_integer((json_int_t)c));
  }
  json_object_set_new(o, "workload", json_string(t->workloads[w]));
  json_object_set_new(o, "best", json_integer(t->values[best_of(t, w)]));
  json_object_set_new(o, "speedup", json_real(speedup(t, w, best_of(t, w))));
  json_object_set_new(o, "values", values);
  json_object_set_new(o, "cycles", cycles);
  return o;
}

static bool write_json(const struct tuning *t, const char *path, struct err *e) {
  json_t *root = json_object(), *list = json_array();
  json_object_set_new(root, "key", json_string(t->key));
  json_object_set_new(root, "gpu", json_string(t->gpu));
  json_object_set_new(root, "set", json_string(t->set.s ? t->set.s : ""));
  json_object_set_new(root, "size", json_string(t->size));
  for (unsigned w = 0; w < t->n_workloads; w++) json_array_append_new(list, curve_of(t, w));
  json_object_set_new(root, "curves", list);
  bool ok = output_json(root, path, JSON_INDENT(2), e);
  json_decref(root);
  return ok;
}

static bool draw(const struct tuning *t, const char *path, struct err *e) {
  struct picture p = {0};
  struct str about = {0};
  double *x = must_alloc(t->n * sizeof *x), *y = must_alloc((size_t)t->n * t->n_workloads * sizeof *y);
  str_add(&about, "speed-up over %s=%ld on %s, size %s%s%s", t->key, t->values[0], t->gpu, t->size, t->set.n ? ", " : "",
          t->set.n ? t->set.s : "");
  picture_title(&p, t->key, about.s);
  picture_legend(&p, (const char *const *)t->workloads, t->n_workloads);
  for (unsigned i = 1; i < t->n; i++) x[i - 1] = (double)t->values[i];
  for (unsigned w = 0; w < t->n_workloads; w++)
    for (unsigned i = 1; i < t->n; i++) y[w * (t->n - 1) + i - 1] = speedup(t, w, i);
  picture_curves(&p, x, y, t->n - 1, t->n_workloads);
  bool ok = picture_write(&p, path, t->key, e);
  str_free(&about);
  free(x);
  free(y);
  return ok;
}

/* ---- the command ------------------------------------------------------------------------------------------------------------ */

static int tune(struct tuning *t, unsigned jobs, const char *json, const char *out) {
  struct err e = {0};
  int stopped = 0;
  t->cycles = must_alloc((size_t)t->n * t->n_workloads * sizeof *t->cycles);
  if (!run_all(t, jobs, &stopped, &e)) return stopped ? 128 + stopped : cli_fail(&e);
  print_curves(t);
  if ((json && !write_json(t, json, &e)) || (out && !draw(t, out, &e))) return cli_fail(&e);
  for (unsigned i = 0; i < t->n * t->n_workloads; i++)
    if (isnan(t->cycles[i])) return CLI_NO;
  return CLI_OK;
}

int cli_tune(int argc, char **argv) {
  struct tuning t = {.gpu = "gtx480", .size = "small"};
  const char *values = NULL, *json = NULL, *out = NULL, *jobs_text = NULL;
  unsigned jobs = cli_cores();
  struct err e = {0};
  const struct cli_option options[] = {
      {"--values", "A,B..C", "values to try; default for warp_limit: 1 to all warps of an SM", .text = &values},
      {"--gpu", "NAME|FILE", "the GPU; default gtx480", .text = &t.gpu},
      {"--set", "KEY=VALUE", "change a setting for all runs; may be repeated", .list = &t.set},
      {"--size", "small|medium|paper", "size of the workloads' inputs; default small", .text = &t.size},
      {"--jobs", "N", "runs at a time; default one per core", .text = &jobs_text},
      {"--db", "FILE", "keep the runs in this database, and do not repeat those that it has", .text = &t.db},
      {"--json", "FILE", "write the curves", .output = &json},
      {"-o", "FILE.svg|.html", "draw the curves", .output = &out},
      {0},
  };
  int status = cli_options(usage, options, &argc, argv);
  if (status >= 0) return status;
  if (argc < 3) {
    fprintf(stderr, "heddle: a key and workloads are expected; `heddle tune --help` says more\n");
    return CLI_USAGE;
  }
  t.key = strcmp(argv[1], "warp_limit") ? argv[1] : "sm.warp_limit";
  t.workloads = argv + 2;
  t.n_workloads = (unsigned)argc - 2;
  bool ok = cli_count("--jobs", jobs_text, LAB_MAX_JOBS, &jobs, &e) && prepare(&t, values, &e);
  status = ok ? tune(&t, jobs, json, out) : cli_fail(&e);
  free(t.cycles);
  str_free(&t.set);
  return status;
}
