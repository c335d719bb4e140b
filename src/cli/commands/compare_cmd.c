/* heddle compare: workloads under several settings, cycles and rates side by side, speed-up over the first. */
#include "cli/cli.h"
#include "cli/launch.h"
#include "cli/options.h"
#include "cli/workload_names.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "heddle compare [OPTIONS] WORKLOAD... --vary KEY=A,B,...\n\n"
    "Runs each workload once for each value and prints cycles, L1D misses, network and DRAM traffic, and the\n"
    "speed-up over the first value.\n";

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
  const char *wrong = r->failed ? "  LAUNCHES FAILED" : r->ok ? "" : l->program ? "  ENDED WITH AN ERROR" : "  WRONG OUTPUT";
  printf("%-16s %-14s %12.0f %10s %9.1f %% %14.0f %12.0f%s\n", l->workload, value, r->cycles,
         speedup_text(base->cycles / r->cycles, speedup), r->miss, r->flits, r->dram, wrong);
}

/* One line a workload and value; the mean of each value at the end, if there are several workloads. */
static int compare(struct cli_launch *l, char *const *workloads, struct lab_programs *table, const char *key, const char *const *values,
                   unsigned n) {
  double logs[MAX_VALUES] = {0};
  int count = 0, status = CLI_OK;
  struct err e = {0};
  for (char *const *w = workloads; *w; w++) /* all are known before the first runs */
    if (!cli_launch_workload(l, *w, table, &e)) return cli_fail(&e);
  printf("%-16s %-14s %12s %10s %11s %14s %12s\n", "workload", key, "cycles", "speed-up", "L1D misses", "network flits",
         "DRAM");
  for (; workloads[count]; count++) {
    struct row rows[MAX_VALUES];
    cli_launch_workload(l, workloads[count], table, &e);
    for (unsigned i = 0; i < n; i++) {
      int end = measure(l, key, values[i], &rows[i]);
      if (end != CLI_OK) return end;
      if (!rows[i].ok || rows[i].failed) status = CLI_NO;
      logs[i] += log(rows[0].cycles / rows[i].cycles); /* not finite from here on if one of them failed */
      print_row(l, values[i], &rows[i], &rows[0]);
      fflush(stdout);
    }
  }
  char mean[16];
  for (unsigned i = 0; i < n && count > 1; i++)
    printf("%-16s %-14s %12s %10s\n", "geometric mean", values[i], "", speedup_text(exp(logs[i] / count), mean));
  return status;
}

int cli_compare(int argc, char **argv) {
  CLI_LAUNCH l = {.quiet = true};
  CLI_PROGRAMS table = {0};
  struct err e = {0};
  const char *vary = NULL, *programs = NULL;
  const struct cli_option options[] = {
      {"--vary", "KEY=A,B,...", "the setting to vary and its values", .text = &vary},
      {"--gpu", "NAME|FILE", "the GPU; default gtx480", .text = &l.gpu},
      {"--set", "KEY=VALUE", "change one setting for all runs; may be repeated", .list = &l.set},
      {"--size", "small|medium|paper", "of the workloads; default small", .text = &l.size},
      {CLI_PROGRAMS_OPTION, .text = &programs},
      {0},
  };
  int status = cli_options(usage, options, &argc, argv);
  if (status >= 0) return status;
  const char *eq = vary ? strchr(vary, '=') : NULL;
  if (argc < 2 || !eq) {
    fprintf(stderr, "heddle: workloads and --vary KEY=A,B are expected; `heddle compare --help` says more\n");
    return CLI_USAGE;
  }
  if (!l.gpu) l.gpu = "gtx480";
  if (!cli_programs(programs, &table, &e)) return cli_fail(&e);
  char *key = strndup(vary, (size_t)(eq - vary)), *list = strdup(eq + 1);
  const char *values[MAX_VALUES];
  unsigned n = split(list, values);
  str_add(&l.set, "%s", "");
  if (n >= 1 && n <= MAX_VALUES) status = compare(&l, argv + 1, &table, key, values, n);
  else {
    fprintf(stderr, "heddle: --vary takes 1 to %d values, here are %u\n", MAX_VALUES, n);
    status = CLI_USAGE;
  }
  free(key);
  free(list);
  return status;
}
