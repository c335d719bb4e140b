/* heddle compare: workloads under several settings, cycles and rates side by side, speed-up over the first. */
#include "base/arena.h"
#include "base/output.h"
#include "cli/cli.h"
#include "cli/show/colour.h"
#include "cli/launch.h"
#include "cli/options.h"
#include "cli/show/picture.h"
#include "cli/workload_names.h"
#include "gpu/gpu.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "heddle compare [OPTIONS] WORKLOAD... --vary KEY=A,B,...\n\n"
    "Runs each workload once with each value of one setting and prints cycles, L1D misses, network and DRAM traffic,\n"
    "and the speed-up over the first value.\n";

enum { MAX_VALUES = 16 };

struct row {
  double cycles, miss, flits, dram;
  bool ok, failed; /* the output is right; launches failed or were refused */
};

static double at(const json_t *r, const char *group, const char *name) {
  return json_number_value(json_object_get(group ? json_object_get(r, group) : r, name));
}

/* CLI_OK, or the status to end with: a run that ended without a report has said why itself. */
static int measure(struct cli_launch *l, const char *key, const char *value, struct row *out) {
  struct err e = {0};
  size_t before = l->set.n;
  str_add(&l->set, "%s%s=%s", before ? "," : "", key, value);
  struct cli_result res;
  bool ok = cli_launch(l, &res, &e);
  l->set.n = before;
  l->set.s[before] = 0;
  if (!ok) return cli_fail(&e);
  if (res.signal) json_decref(res.report);
  if (res.signal) return 128 + res.signal;
  if (!res.report) return res.status ? res.status : CLI_NO;
  const json_t *r = res.report;
  double accesses = at(r, "l1d", "accesses");
  *out = (struct row){.cycles = at(r, NULL, "cycles"),
                      .miss = accesses > 0 ? 100 * at(r, "l1d", "misses") / accesses : 0,
                      .flits = at(r, "noc", "request_flits") + at(r, "noc", "reply_flits"),
                      .dram = at(r, "dram", "reads") + at(r, "dram", "writes"),
                      .ok = res.status == 0,
                      .failed = cli_failed_launches(r) > 0};
  cli_warn_of_failures(r);
  json_decref(res.report);
  return CLI_OK;
}

/* Returns how many there are, of which the first MAX_VALUES are kept. */
static unsigned split(char *list, const char **out) {
  unsigned n = 0;
  char *save = NULL;
  for (char *w = strtok_r(list, ",", &save); w; w = strtok_r(NULL, ",", &save), n++)
    if (n < MAX_VALUES) out[n] = w;
  return n;
}

/* A speed-up; "-" where there is none, since a run failed. */
static const char *speedup_text(double speedup, char text[16]) {
  snprintf(text, 16, isfinite(speedup) && speedup > 0 ? "%.3fx" : "-", speedup);
  return text;
}

static void print_row(const struct cli_launch *l, const char *value, const struct row *r, const struct row *base) {
  char speedup[16];
  double times = base->cycles / r->cycles;
  enum cli_colour c = times > 1.005 ? CLI_GREEN : times < 0.995 ? CLI_RED : CLI_PLAIN;
  const char *wrong = r->failed ? "  LAUNCHES FAILED" : r->ok ? "" : l->program ? "  ENDED WITH AN ERROR" : "  WRONG OUTPUT";
  printf("%-16s %-14s %12.0f %s%10s%s %9.1f %% %14.0f %12.0f%s\n", l->workload, value, r->cycles, cli_colour(c),
         speedup_text(times, speedup), cli_colour(CLI_PLAIN), r->miss, r->flits, r->dram, wrong);
}

/* What is compared, and where it is kept. */
struct comparison {
  struct cli_launch *l;
  char *const *workloads;
  unsigned n_workloads;
  struct lab_programs *table;
  const char *key, *const *values;
  unsigned n;
  struct row *rows; /* by workload, then value */
};

static const struct row *row_at(const struct comparison *c, unsigned workload, unsigned value) { return &c->rows[workload * c->n + value]; }

static double speedup_of(const struct comparison *c, unsigned workload, unsigned value) {
  return row_at(c, workload, 0)->cycles / row_at(c, workload, value)->cycles; /* not finite if a run failed */
}

static double mean_of(const struct comparison *c, unsigned value) {
  double logs = 0;
  for (unsigned w = 0; w < c->n_workloads; w++) logs += log(speedup_of(c, w, value));
  return exp(logs / c->n_workloads);
}

static bool allowed(const struct comparison *c, const char *value, struct err *e) {
  struct cfg *cfg = gpu_cfg_new();
  struct str assignment = {0};
  str_add(&assignment, "%s=%s", c->key, value);
  bool ok = gpu_cfg_preset(cfg, c->l->gpu, e) && cfg_set_all(cfg, c->l->set.s, e) && cfg_set_from(cfg, assignment.s, "--vary", e);
  str_free(&assignment);
  cfg_delete(cfg);
  return ok;
}

/* One line a workload and value; the mean of each value at the end, if there are several workloads. */
static int run_all(struct comparison *c) {
  int status = CLI_OK;
  struct err e = {0};
  /* Workloads and values are known to be right before the first run. */
  for (unsigned w = 0; w < c->n_workloads; w++)
    if (!cli_launch_workload(c->l, c->workloads[w], c->table, &e)) return cli_fail(&e);
  for (unsigned i = 0; i < c->n; i++)
    if (!allowed(c, c->values[i], &e)) return cli_fail(&e);
  printf("%-16s %-14s %12s %10s %11s %14s %12s\n", "workload", c->key, "cycles", "speed-up", "L1D misses", "network flits", "DRAM");
  for (unsigned w = 0; w < c->n_workloads; w++) {
    cli_launch_workload(c->l, c->workloads[w], c->table, &e);
    for (unsigned i = 0; i < c->n; i++) {
      struct row *r = &c->rows[w * c->n + i];
      int end = measure(c->l, c->key, c->values[i], r);
      if (end != CLI_OK) return end;
      if (!r->ok || r->failed) status = CLI_NO;
      print_row(c->l, c->values[i], r, row_at(c, w, 0));
      fflush(stdout);
    }
  }
  char mean[16];
  for (unsigned i = 0; i < c->n && c->n_workloads > 1; i++)
    printf("%-16s %-14s %12s %10s\n", "geometric mean", c->values[i], "", speedup_text(mean_of(c, i), mean));
  return status;
}

static json_t *finite_or_null(double v) { return isfinite(v) ? json_real(v) : json_null(); }

/* {"key", "gpu", "rows": [{"workload", "value", "cycles", "speedup", ...}], "mean": [speed-up of each value]}. */
static bool write_json(const struct comparison *c, const char *path, struct err *e) {
  json_t *root = json_pack("{s:s, s:s, s:[], s:[]}", "key", c->key, "gpu", c->l->gpu, "rows", "mean");
  for (unsigned w = 0; w < c->n_workloads; w++)
    for (unsigned i = 0; i < c->n; i++) {
      const struct row *r = row_at(c, w, i);
      json_array_append_new(json_object_get(root, "rows"),
                            json_pack("{s:s, s:s, s:f, s:o, s:f, s:f, s:f, s:b}", "workload", c->workloads[w], "value", c->values[i],
                                      "cycles", r->cycles, "speedup", finite_or_null(speedup_of(c, w, i)), "l1d_miss_percent", r->miss,
                                      "network_flits", r->flits, "dram_accesses", r->dram, "ok", r->ok && !r->failed));
    }
  for (unsigned i = 0; i < c->n; i++) json_array_append_new(json_object_get(root, "mean"), finite_or_null(mean_of(c, i)));
  bool ok = output_json(root, path, JSON_INDENT(1), e);
  json_decref(root);
  return ok;
}

static void draw_bars(struct picture *p, const struct comparison *c, const char *name, unsigned workload, double most) {
  double v[MAX_VALUES];
  char text[MAX_VALUES][24];
  for (unsigned i = 0; i < c->n; i++) {
    v[i] = workload < c->n_workloads ? speedup_of(c, workload, i) : mean_of(c, i);
    snprintf(text[i], sizeof text[i], isfinite(v[i]) ? "%.3f" : "-", v[i]);
    if (!isfinite(v[i])) v[i] = 0;
  }
  picture_bars(p, name, v, (const char(*)[24])text, c->n, most);
}

static bool draw(const struct comparison *c, const char *path, struct err *e) {
  struct picture p = {0};
  struct str about = {0};
  double most = 1;
  for (unsigned w = 0; w < c->n_workloads; w++)
    for (unsigned i = 0; i < c->n; i++)
      if (isfinite(speedup_of(c, w, i)) && speedup_of(c, w, i) > most) most = speedup_of(c, w, i);
  str_add(&about, "speed-up over %s=%s on %s, size %s%s%s", c->key, c->values[0], c->l->gpu, c->l->size ? c->l->size : "small",
          c->l->set.n ? ", " : "", c->l->set.n ? c->l->set.s : "");
  picture_title(&p, c->key, about.s);
  picture_legend(&p, c->values, c->n);
  for (unsigned w = 0; w < c->n_workloads; w++) draw_bars(&p, c, c->workloads[w], w, most);
  if (c->n_workloads > 1) draw_bars(&p, c, "geometric mean", c->n_workloads, most);
  str_free(&about);
  return picture_write(&p, path, c->key, e);
}

static int compare(struct comparison *c, const char *json, const char *picture) {
  struct err e = {0};
  c->rows = must_alloc((size_t)c->n * c->n_workloads * sizeof *c->rows);
  int status = run_all(c);
  bool whole = status == CLI_OK || status == CLI_NO;
  if (whole && ((json && !write_json(c, json, &e)) || (picture && !draw(c, picture, &e)))) status = cli_fail(&e);
  free(c->rows);
  return status;
}

int cli_compare(int argc, char **argv) {
  CLI_LAUNCH l = {.quiet = true};
  CLI_PROGRAMS table = {0};
  struct err e = {0};
  struct str vary = {0};
  const char *programs = NULL, *json = NULL, *picture = NULL;
  const struct cli_option options[] = {
      {"--vary", "KEY=A,B,...", "the setting to vary and its values", .list = &vary},
      {"--gpu", "NAME|FILE", "the GPU; default gtx480", .text = &l.gpu},
      {"--set", "KEY=VALUE", "change a setting for all runs; may be repeated", .list = &l.set},
      {"--size", "small|medium|paper", "size of the workloads' inputs; default small", .text = &l.size},
      {CLI_PROGRAMS_OPTION, .text = &programs},
      {"--json", "FILE", "write the figures", .output = &json},
      {"-o", "FILE.svg|.html", "draw the speed-ups", .output = &picture},
      {0},
  };
  int status = cli_options(usage, options, &argc, argv);
  if (status >= 0) return status;
  const char *eq = vary.n ? strchr(vary.s, '=') : NULL;
  if (argc < 2 || !eq) {
    fprintf(stderr, "heddle: workloads and --vary KEY=A,B are expected; `heddle compare --help` says more\n");
    return CLI_USAGE;
  }
  if (strchr(eq + 1, '=')) {
    fprintf(stderr, "heddle: --vary takes one key; `heddle sweep` runs the product of several\n");
    return CLI_USAGE;
  }
  if (!l.gpu) l.gpu = "gtx480";
  if (!cli_programs(programs, &table, &e)) return cli_fail(&e);
  char *key = strndup(vary.s, (size_t)(eq - vary.s)), *list = strdup(eq + 1);
  const char *values[MAX_VALUES];
  unsigned n = split(list, values);
  str_add(&l.set, "%s", "");
  struct comparison c = {.l = &l, .workloads = argv + 1, .n_workloads = (unsigned)argc - 1, .table = &table, .key = key,
                         .values = values, .n = n};
  if (n >= 1 && n <= MAX_VALUES) status = compare(&c, json, picture);
  else {
    fprintf(stderr, "heddle: --vary takes 1 to %d values, here are %u\n", MAX_VALUES, n);
    status = CLI_USAGE;
  }
  free(key);
  free(list);
  str_free(&vary);
  return status;
}
