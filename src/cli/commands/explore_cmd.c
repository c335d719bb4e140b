/* heddle explore: which combinations of the systems are best. The search is in lab/explore.h. */
#include "base/output.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/show/explore_plot.h"
#include "cli/workload_names.h"
#include "lab/explore.h"
#include "lab/sizes.h"
#include "lab/sweep/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "heddle explore [WORKLOAD...] [OPTIONS]\n\n"
    "Searches the combinations of L1D organisation, bypass, warp limit, cooperative ring, last-level cache mode, reply filter\n"
    "and compressor. It reports those that no other combination beats in speed-up, energy and added storage at once (the\n"
    "Pareto front), and the best for each class of workload. The search is successive halving: many combinations run on a\n"
    "few workloads first; the better half, and crosses of them, then run on more. Without names, all workloads are used.\n"
    "The runs are kept in the database, and `heddle report` draws the result.\n";

enum { MOST_COMBINATIONS = 4096, MOST_ROUNDS = 16 };

/* ---- showing ------------------------------------------------------------------------------------------------------------- */

static const char *name_of(const char *settings) { return *settings ? settings : "(the GPU as it is)"; }

static void print_combination(const json_t *c, bool energy) {
  const json_t *e = json_object_get(c, "energy");
  printf("%s %7.3fx", json_is_true(json_object_get(c, "pareto")) ? "*" : " ", json_number_value(json_object_get(c, "speedup")));
  if (energy) printf(" %7.3f", json_number_value(e));
  printf(" %9.2f %5d %4d  %s\n", json_number_value(json_object_get(c, "storage_bits")) / 8192,
         (int)json_integer_value(json_object_get(c, "round")), (int)json_integer_value(json_object_get(c, "workloads")),
         name_of(json_string_value(json_object_get(c, "settings"))));
}

static void print_list(const json_t *list, const char *title) {
  if (json_array_size(list)) printf("\n%s:\n", title);
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *o = json_array_get(list, i);
    const char *why = json_string_value(json_object_get(o, "why"));
    printf("  %s: %.*s\n", json_string_value(json_object_get(o, "settings")), (int)strcspn(why, "\n"), why);
  }
}

static void print_classes(const json_t *found) {
  printf("\nBest of each class of workload:\n");
  for (int i = 0; i < LAB_CLASSES; i++) {
    const json_t *best = json_object_get(json_object_get(found, "best"), lab_classes[i].name);
    size_t n = json_array_size(json_object_get(json_object_get(found, "workloads"), lab_classes[i].name));
    if (!n) continue;
    printf("  %-13s %3zu workloads  %7.3fx  %s  (%s)\n", lab_classes[i].name, n, json_number_value(json_object_get(best, "speedup")),
           name_of(json_string_value(json_object_get(best, "settings"))), lab_classes[i].meaning);
  }
}

static void print_found(const json_t *found) {
  const json_t *list = json_object_get(found, "combinations");
  bool energy = json_is_true(json_object_get(found, "energy"));
  printf("* no other is at least as good in speed-up%s and added storage, and better in one\n", energy ? ", energy" : "");
  if (!energy) printf("energy is not there: the results of these runs have no energy.total\n");
  printf("  speed-up%s  added KB round   on  settings\n", energy ? "  energy" : "");
  for (size_t i = 0; i < json_array_size(list); i++) print_combination(json_array_get(list, i), energy);
  print_classes(found);
  print_list(json_object_get(found, "refused"), "Refused");
  print_list(json_object_get(found, "failed"), "Failed");
  printf("\n%zu combinations\n", json_array_size(list));
}

/* ---- the command --------------------------------------------------------------------------------------------------------- */

static void next_round(void *user, unsigned round, size_t combinations, size_t workloads, size_t runs) {
  struct cli_progress *p = user;
  p->started = lab_clock();
  fprintf(stderr, "heddle: round %u: %zu combinations on %zu workloads, %zu runs\n", round, combinations, workloads, runs);
}

static bool check_names(const struct cli_names *names, char **words, struct err *e) {
  for (; *words; words++)
    if (!str_among(*words, names->list, names->n))
      return err_set(e, ERR_INPUT, "there is no workload '%s'%s", *words, str_hint(*words, names->list, names->n).s);
  return true;
}

static int explore(struct lab_explore *x, char **words, const char *db, bool any_build, const char *json,
                   const char *picture) {
  struct cli_progress progress = {.terminal = isatty(STDOUT_FILENO), .started = lab_clock()};
  struct cli_names names = {0};
  struct err e = {0};
  json_t *found = NULL;
  char build[17];
  int stopped = 0;
  bool ok = cli_workload_names(&names, &e) && check_names(&names, words, &e) && (x->sweep.db = lab_db_open(db, true, &e));
  x->sweep.home = cli_home();
  x->sweep.ended = cli_progress_ended;
  x->sweep.tick = cli_progress_tick;
  x->sweep.user = &progress;
  x->sweep.shard = x->sweep.shards = 1;
  x->round = next_round;
  x->workloads = *words ? (const char *const *)words : names.list;
  x->n_workloads = names.n;
  if (*words)
    for (x->n_workloads = 0; words[x->n_workloads];) x->n_workloads++;
  if (ok) lab_db_set_build(x->sweep.db, lab_build(x->sweep.home, build), !any_build);
  ok = ok && lab_explore_run(x, &found, &stopped, &e);
  if (progress.terminal) printf("\r\033[K");
  if (ok) print_found(found);
  if (ok && json) ok = output_json(found, json, JSON_INDENT(1) | JSON_REAL_PRECISION(6), &e);
  if (ok && picture) ok = cli_plot_explored(found, picture, &e);
  if (stopped) printf("stopped; the same command goes on from here\n");
  lab_db_close(x->sweep.db);
  cli_names_free(&names);
  json_decref(found);
  return ok ? CLI_OK : stopped ? 128 + stopped : cli_fail(&e);
}

int cli_explore(int argc, char **argv) {
  const char *db = "claims.db", *json = NULL, *jobs = NULL, *combinations = NULL, *rounds = NULL, *seed = NULL;
  const char *picture = NULL;
  unsigned seed_number = 1;
  bool any_build = false;
  struct lab_explore x = {.gpu = "gpu80", .size = "small", .combinations = 64, .rounds = 4, .sweep = {.jobs = cli_cores()}};
  const struct cli_option options[] = {
      {"--gpu", "NAME|FILE", "the GPU; default gpu80, which supports all these policies", .text = &x.gpu},
      {"--size", "small|medium|paper", "size of the workloads' inputs; default small", .text = &x.size},
      {"--combinations", "N", "combinations in the first round; default 64", .text = &combinations},
      {"--rounds", "N", "number of rounds, the last of which runs every workload; default 4", .text = &rounds},
      {"--seed", "N", "seed of the random choices; default 1", .text = &seed},
      {"--json", "FILE", "write the result", .output = &json},
      {"-o", "FILE.svg|.html", "draw the last round, with the Pareto front marked", .output = &picture},
      {"--db", "FILE", "database of the runs; default claims.db", .text = &db},
      {"--jobs", "N", "runs at a time; default one per core", .text = &jobs},
      {"--any-build", NULL, "also use runs that another build of heddle has made", .flag = &any_build},
      {"--retry-failed", NULL, "repeat runs that failed before", .flag = &x.sweep.retry_failed},
      {0},
  };
  int status = cli_options(usage, options, &argc, argv);
  if (status >= 0) return status;
  struct err e = {0};
  if (lab_size_index(x.size) < 0)
    err_set(&e, ERR_INPUT, "--size is small, medium or paper, not '%s'", x.size);
  if (e.kind || !cli_count("--jobs", jobs, LAB_MAX_JOBS, &x.sweep.jobs, &e) ||
      !cli_count("--combinations", combinations, MOST_COMBINATIONS, &x.combinations, &e) ||
      !cli_count("--rounds", rounds, MOST_ROUNDS, &x.rounds, &e) || !cli_count("--seed", seed, 1u << 30, &seed_number, &e))
    return cli_fail(&e);
  x.seed = seed_number;
  return explore(&x, argv + 1, db, any_build, json, picture);
}
