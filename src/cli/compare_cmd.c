/* heddle compare: workloads under several settings, cycles and rates side by side, speed-up over the first. */
#include "cli/cli.h"
#include "cli/launch.h"
#include "cli/options.h"

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
  bool ok;
};

static double at(const json_t *r, const char *group, const char *name) {
  return json_number_value(json_object_get(group ? json_object_get(r, group) : r, name));
}

static bool measure(struct cli_launch *l, const char *key, const char *value, struct row *out, struct err *e) {
  size_t before = l->set.n;
  str_add(&l->set, "%s%s=%s", before ? "," : "", key, value);
  struct cli_result res;
  bool ok = cli_launch(l, &res, e);
  l->set.n = before;
  l->set.s[before] = 0;
  if (!ok) return false;
  const json_t *r = res.report;
  double accesses = at(r, "l1d", "accesses");
  *out = (struct row){.cycles = at(r, NULL, "cycles"),
                      .miss = accesses > 0 ? 100 * at(r, "l1d", "misses") / accesses : 0,
                      .flits = at(r, "noc", "request_flits") + at(r, "noc", "reply_flits"),
                      .dram = at(r, "dram", "reads") + at(r, "dram", "writes"),
                      .ok = res.status == 0};
  json_decref(res.report);
  return true;
}

static unsigned split(char *list, const char **out) {
  unsigned n = 0;
  char *save = NULL;
  for (char *w = strtok_r(list, ",", &save); w && n < MAX_VALUES; w = strtok_r(NULL, ",", &save)) out[n++] = w;
  return n;
}

static void print_row(const char *workload, const char *value, const struct row *r, const struct row *base) {
  printf("%-16s %-14s %12.0f %9.3fx %9.1f %% %14.0f %12.0f%s\n", workload, value, r->cycles,
         r->cycles > 0 ? base->cycles / r->cycles : 0, r->miss, r->flits, r->dram, r->ok ? "" : "  WRONG OUTPUT");
}

int cli_compare(int argc, char **argv) {
  CLI_LAUNCH l = {.quiet = true};
  const char *vary = NULL;
  const struct cli_option options[] = {
      {"--vary", "KEY=A,B,...", "the setting to vary and its values", &vary, NULL, NULL},
      {"--gpu", "NAME|FILE", "the GPU; default gtx480", &l.gpu, NULL, NULL},
      {"--set", "KEY=VALUE", "change one setting for all runs; may be repeated", NULL, NULL, &l.set},
      {"--size", "small|medium|paper", "of the workloads; default small", &l.size, NULL, NULL},
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
  char *key = strndup(vary, (size_t)(eq - vary)), *list = strdup(eq + 1);
  const char *values[MAX_VALUES];
  unsigned n = split(list, values);
  double logs[MAX_VALUES] = {0};
  str_add(&l.set, "%s", "");
  printf("%-16s %-14s %12s %10s %11s %14s %12s\n", "workload", key, "cycles", "speed-up", "L1D misses", "network flits",
         "DRAM");
  status = CLI_OK;
  for (int w = 1; w < argc; w++) {
    struct row rows[MAX_VALUES];
    for (unsigned i = 0; i < n; i++) {
      struct err e = {0};
      l.workload = argv[w];
      if (!measure(&l, key, values[i], &rows[i], &e)) {
        status = cli_fail(&e);
        goto end;
      }
      if (!rows[i].ok) status = CLI_NO;
      if (rows[i].cycles > 0) logs[i] += log(rows[0].cycles / rows[i].cycles);
      print_row(argv[w], values[i], &rows[i], &rows[0]);
      fflush(stdout);
    }
  }
  for (unsigned i = 0; i < n && argc > 2; i++)
    printf("%-16s %-14s %12s %9.3fx\n", "geometric mean", values[i], "", exp(logs[i] / (argc - 1)));
end:
  free(key);
  free(list);
  return status;
}
