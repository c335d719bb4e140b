/* heddle: choosing a command. */
#include "cli/cli.h"

#include "base/str.h"
#include "base/version.h"
#include "cli/workload_names.h"
#include "lab/sweep/plan.h"

#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct {
  const char *name;
  int (*fn)(int argc, char **argv);
  const char *help;
} commands[] = {
    {"run", cli_run, "run a workload or a CUDA program on the simulated GPU"},
    {"view", cli_view, "make an HTML page of a run, or of two runs compared: kernels, time lines, memory, source"},
    {"check", cli_check, "find races, bad accesses, barriers and uninitialised reads in a CUDA program"},
    {"compare", cli_compare, "run workloads with several values of a setting and show the results side by side"},
    {"tune", cli_tune, "find the best value of a numeric setting for some workloads, and draw the curve"},
    {"characterize", cli_characterize, "show how workloads use memory: reuse, coalescing, sharing, as papers plot them"},
    {"sweep", cli_sweep, "make the runs of a plan in parallel and store them in a database; resumable"},
    {"collect", cli_collect, "collect the results of a sweep under Slurm into a database"},
    {"claims", cli_claims, "measure the published claims of five papers again: which are reproduced, and why others differ"},
    {"explore", cli_explore, "search for the best combinations of policies in speed-up, energy and added storage"},
    {"diff", cli_diff, "show what changed between two reports, largest change first"},
    {"correlate", cli_correlate, "compare a run with Nsight Compute's measurements of the same program on a GPU"},
    {"report", cli_report, "make an HTML page of a database: charts and tables in one file"},
    {"ptx", cli_ptx, "show what a PTX file contains, and which of it is not supported"},
    {"compress", cli_compress, "show how well the reply compressors do on the 128-byte blocks of any file"},
    {"lint", cli_lint, "check a GPU configuration: the latencies and bandwidths it implies against those simulated"},
    {"area", cli_area, "show the area, storage and leakage of a GPU, and the energy of each event"},
    {"list", cli_list, "list workloads, gpus, policies, stats, keys, probes or readings"},
};
enum { N_COMMANDS = sizeof commands / sizeof *commands };

int cli_fail(const struct err *e) {
  fprintf(stderr, "heddle: %s\n", e->text);
  return e->kind == ERR_SYSTEM ? CLI_HOST : CLI_USAGE;
}

int cli_needs_gpu_option(const char *command, const char *word) {
  fprintf(stderr, "heddle: '%s' is not an option; a GPU comes after --gpu: heddle %s --gpu %s\n", word, command, word);
  return CLI_USAGE;
}

const char *cli_home(void) {
  static char home[4200];
  if (home[0]) return home;
  char self[4096], probe[4300];
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  self[n < 0 ? 0 : n] = 0;
  const char *here = dirname(self);
  snprintf(probe, sizeof probe, "%s/lib/libcuda.so.1", here);
  bool built = access(probe, R_OK) == 0; /* otherwise it is installed as PREFIX/bin/heddle */
  snprintf(home, sizeof home, "%s%s", here, built ? "" : "/../lib/heddle");
  return home;
}

static int usage(FILE *to) {
  fprintf(to, "usage: heddle COMMAND [ARGUMENTS]\n\n");
  for (size_t i = 0; i < N_COMMANDS; i++) fprintf(to, "  %-13s %s\n", commands[i].name, commands[i].help);
  fprintf(to, "\n`heddle COMMAND --help` describes a command and its options; `heddle --version` prints the version.\n");
  return to == stdout ? CLI_OK : CLI_USAGE;
}

/* A workload or a file in a command's place is meant to be run. */
static int unknown(const char *word) {
  const char *names[N_COMMANDS];
  for (size_t i = 0; i < N_COMMANDS; i++) names[i] = commands[i].name;
  struct cli_names workloads = {0};
  struct err e = {0};
  bool listed = cli_workload_names(&workloads, &e);
  fprintf(stderr, "heddle: unknown command '%s'", word);
  if (listed && lab_is_workload(word, workloads.list, workloads.n)) fprintf(stderr, "; to run the workload: heddle run %s", word);
  else if (strchr(word, '/')) fprintf(stderr, "; to run a program: heddle run -- %s", word);
  else fprintf(stderr, "%s", str_hint(word, names, N_COMMANDS).s);
  fprintf(stderr, "\n\n");
  cli_names_free(&workloads);
  return usage(stderr);
}

static bool asks_for_help(const char *word) { return !strcmp(word, "--help") || !strcmp(word, "-h") || !strcmp(word, "help"); }

/* `heddle help COMMAND` is `heddle COMMAND --help`. */
int main(int argc, char **argv) {
  if (argc < 2) return usage(stderr);
  bool help = asks_for_help(argv[1]);
  if (help && argc == 2) return usage(stdout);
  if (!strcmp(argv[1], "--version")) return printf("heddle %s\n", HEDDLE_VERSION) < 0 ? 3 : 0;
  const char *word = argv[help ? 2 : 1];
  char *for_help[] = {argv[1], (char[]){"--help"}, NULL};
  for (size_t i = 0; i < N_COMMANDS; i++)
    if (!strcmp(word, commands[i].name)) return help ? commands[i].fn(2, for_help) : commands[i].fn(argc - 1, argv + 1);
  return unknown(word);
}
