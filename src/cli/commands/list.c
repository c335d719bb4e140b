/* heddle list: workloads, gpus, policies, stats, keys, probes, readings. Everything comes from the tables the simulator itself uses. */
#include "base/policy.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cost/energy.h"
#include "gpu/gpu.h"
#include "lab/reading.h"
#include "probe/probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "heddle list workloads|gpus|policies|stats|keys|probes|readings [OPTIONS]\n\n"
    "  workloads   the built-in programs, with their sizes\n"
    "  gpus        the presets that --gpu takes\n"
    "  policies    for each point that can be varied, the policies that can be plugged in there\n"
    "  stats       the statistics of a run, with unit and meaning, and the nearest Nsight Compute metric\n"
    "  keys        the settings that --set and configuration files take, with default, unit, meaning and range\n"
    "  probes      the observers that --probe takes\n"
    "  readings    the points that a paper leaves open, and the ways to read them that `heddle claims --reading` takes\n";
static bool names_only;

static int list_workloads(void) {
  char program[4200], libs[4200];
  snprintf(program, sizeof program, "%s/heddle-workloads", cli_home());
  snprintf(libs, sizeof libs, "%s/lib", cli_home());
  setenv("LD_LIBRARY_PATH", libs, 1);
  execl(program, program, "list", names_only ? "--tsv" : (char *)NULL, (char *)NULL);
  fprintf(stderr, "heddle: cannot start %s\n", program);
  return CLI_HOST;
}

static int list_gpus(void) {
  size_t n;
  const char *const *names = gpu_preset_names(&n);
  for (size_t i = 0; i < n; i++) printf("%-14s %s\n", names[i], gpu_preset_summary(names[i]));
  return CLI_OK;
}

static void print_key(void *user, const struct cfg_key *k, const char *value, const char *source) {
  (void)user;
  (void)source;
  struct str allowed = {0};
  if (k->type == CFG_CHOICE) policy_words(k->choices, &allowed);
  else if (k->type == CFG_BOOL) str_add(&allowed, "true false");
  else if (k->type != CFG_TEXT) str_add(&allowed, "%.9g to %.9g", k->min, k->max);
  printf("%-26s %-12s %-14s %s [%s]\n", k->name, value, k->unit, k->meaning, allowed.s ? allowed.s : "");
  str_free(&allowed);
}

static int list_keys(void) {
  struct cfg *c = gpu_cfg_new();
  printf("%-26s %-12s %-14s %s\n", "key", "default", "unit", "meaning [allowed]");
  cfg_visit(c, print_key, NULL);
  cfg_delete(c);
  return CLI_OK;
}

static void print_stat(const struct stat_def *d) {
  printf("%-26s %-13s %s%s%s%s\n", d->name, d->unit, d->meaning, *d->nsight ? " (" : "", d->nsight,
         *d->nsight ? ")" : "");
}

static void declare_stats(void *user, const struct cfg_key *k, const char *value, const char *source) {
  (void)value;
  (void)source;
  if (k->choices) policy_register(user, k->choices, NULL, NULL, 0);
}

static int list_stats(void) {
  /* What every GPU counts, and what policies count that this one has not chosen. */
  struct cfg *c = gpu_cfg_new();
  struct err e = {0};
  struct gpu *g = gpu_new(c, &e);
  struct stats *all = stats_new();
  for (size_t i = 0; g && i < stats_count(gpu_stats(g)); i++) stats_register(all, stats_def(gpu_stats(g), i), 1, NULL, 0);
  cfg_visit(c, declare_stats, all);
  cfg_delete(c);
  if (!g) return stats_delete(all), cli_fail(&e);
  printf("%-26s %-13s %s (nearest Nsight Compute metric)\n", "statistic", "unit", "meaning");
  for (size_t i = 0; i < stats_count(all); i++) print_stat(stats_def(all, i));
  size_t n;
  const struct stat_def *energy = cost_energy_defs(&n);
  for (size_t i = 0; i < n; i++) print_stat(&energy[i]);
  stats_delete(all);
  gpu_delete(g);
  return CLI_OK;
}

static void print_policies(void *user, const struct cfg_key *k, const char *value, const char *source) {
  (void)user;
  (void)value;
  (void)source;
  for (const struct policy *const *p = k->choices; p && *p; p++)
    printf("%-20s %-14s %s%s%s%s\n", k->name, (*p)->name, (*p)->meaning, (*p)->paper ? " (" : "", (*p)->paper ? (*p)->paper : "",
           (*p)->paper ? ")" : "");
}

static int list_policies(void) {
  struct cfg *c = gpu_cfg_new();
  cfg_visit(c, print_policies, NULL);
  cfg_delete(c);
  return CLI_OK;
}

static int list_probes(void) {
  for (size_t i = 0; probe_all[i]; i++) printf("%-14s %s\n", probe_all[i]->name, probe_all[i]->meaning);
  return CLI_OK;
}

static int list_readings(void) {
  size_t n;
  const struct reading *all = reading_all(&n);
  for (size_t i = 0; i < n; i++) {
    const struct reading *r = &all[i];
    if (!i || strcmp(all[i - 1].question, r->question) != 0)
      printf("%s%s (claims %c): %s\n  %s\n  default: %s\n", i ? "\n" : "", r->question, r->group, r->asks, r->rests_on, r->why);
    printf("    %-20s %s%s%s%s%s\n", r->name, r->means, *r->set ? " [" : "", r->set, *r->set ? "]" : "",
           r->is_default ? ", the default" : "");
  }
  return CLI_OK;
}

int cli_list(int argc, char **argv) {
  static const struct {
    const char *name;
    int (*fn)(void);
  } lists[] = {{"workloads", list_workloads}, {"gpus", list_gpus}, {"policies", list_policies}, {"stats", list_stats},
               {"keys", list_keys},           {"probes", list_probes}, {"readings", list_readings}};
  enum { LISTS = sizeof lists / sizeof *lists };
  const struct cli_option options[] = {
      {"--tsv", NULL, "workloads as tab-separated values", .flag = &names_only}, {0}};
  int status = cli_options(usage, options, &argc, argv);
  if (status >= 0) return status;
  if (argc > 2) {
    fprintf(stderr, "heddle: '%s' is too many; for a part of a list: heddle list %s | grep %s\n", argv[2], argv[1], argv[2]);
    return CLI_USAGE;
  }
  if (argc < 2) {
    fprintf(stderr, "usage: %s", usage);
    return CLI_USAGE;
  }
  const char *names[LISTS];
  for (size_t i = 0; i < LISTS; i++) {
    if (!strcmp(argv[1], lists[i].name)) return lists[i].fn();
    names[i] = lists[i].name;
  }
  fprintf(stderr, "heddle: there is no list '%s'%s\nusage: %s", argv[1], str_hint(argv[1], names, LISTS).s, usage);
  return CLI_USAGE;
}
