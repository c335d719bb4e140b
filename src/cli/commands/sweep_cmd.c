/* heddle sweep: the runs of a plan into a database. The plan's format is at the head of lab/sweep/plan.c. */
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/workload_names.h"
#include "lab/sweep/job.h"
#include "lab/sweep/slurm.h"
#include "lab/sweep/sweep.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "heddle sweep PLAN.toml --db FILE [OPTIONS]\n"
    "       heddle sweep PLAN.toml --slurm FOLDER [--tasks N] [--jobs N]\n\n"
    "Runs all combinations of a plan's workloads, GPUs and settings in parallel, and stores each run as soon as it has\n"
    "finished. However it was stopped, the same command continues where it was. A run that fails is stored with its error;\n"
    "the exit status is 1 if any run of the plan failed. A plan looks like this:\n\n"
    "  workloads = [\"bfs\", \"kmeans\"]     # or \"all\"\n"
    "  size = \"small\"\n"
    "  gpu = [\"gtx480\"]\n"
    "  interval = 10000                   # also record every 10,000 cycles, for the report's time lines\n"
    "  [set]                              # for every run\n"
    "  \"sm.scheduler\" = \"gto\"\n"
    "  [vary]                             # the product of these\n"
    "  \"l1.ways\" = [2, 4, 8]\n";

/* ---- the end ----------------------------------------------------------------------------------------------------------- */

static int summary(const struct cli_progress *s, const struct lab_sweep_counts *c, int stopped, const char *db) {
  if (s->terminal) printf("\r\033[K");
  size_t over = c->before + c->done;
  printf("%zu runs: %zu stored before, %zu now, %zu failed, %.1f s -> %s\n", c->runs, c->before, c->done, c->failed,
         lab_clock() - s->started, db);
  if (stopped) {
    printf("stopped with %zu runs left; the same command goes on from here\n", c->runs - over);
    return 128 + stopped;
  }
  return c->failed ? CLI_NO : CLI_OK;
}

/* ---- the command --------------------------------------------------------------------------------------------------------- */

/* "all" are the workloads that have programs, where there are programs. */
static bool read_plan(struct lab_plan *p, const char *path, const struct lab_programs *programs, struct err *e) {
  struct cli_names names = {0};
  bool ok = cli_workload_names(&names, e) && lab_plan_read(p, path, programs->n ? programs->names : names.list,
                                                           programs->n ? programs->n : names.n, e);
  for (size_t i = 0; i < p->n && ok; i++) { /* the names live as long as the plan */
    p->runs[i].workload = arena_strndup(&p->arena, p->runs[i].workload, strlen(p->runs[i].workload));
    if (programs->n) ok = lab_programs_put(programs, &p->runs[i], &p->arena, e);
  }
  cli_names_free(&names);
  return ok;
}

static int sweep(struct lab_sweep *s, const char *plan, const struct lab_programs *programs, const char *db, struct err *e) {
  struct lab_plan p = {0};
  struct cli_progress screen = {.terminal = isatty(STDOUT_FILENO), .started = lab_clock()};
  struct lab_sweep_counts c = {0};
  int status = CLI_OK, stopped = 0;
  bool ok = read_plan(&p, plan, programs, e) && (s->db = lab_db_open(db, true, e));
  char build[17];
  s->plan = &p;
  s->home = cli_home();
  if (ok) lab_db_set_build(s->db, lab_build(s->home, build), false);
  s->ended = cli_progress_ended;
  s->tick = cli_progress_tick;
  s->user = &screen;
  if (ok) ok = lab_sweep_run(s, &c, &stopped, e);
  if (ok || stopped) status = summary(&screen, &c, stopped, db);
  else {
    if (screen.terminal && c.runs) printf("\n");
    status = cli_fail(e);
  }
  lab_db_close(s->db);
  lab_plan_free(&p);
  return status;
}

/* Writes the script in place of running; the plan is checked all the same. */
static int write_slurm(struct lab_slurm *j, const struct lab_programs *programs, struct err *e) {
  char self[PATH_MAX];
  struct lab_plan p = {0};
  bool ok = read_plan(&p, j->plan, programs, e);
  j->heddle = realpath("/proc/self/exe", self);
  if (!j->tasks) j->tasks = LAB_MAX_TASKS;
  if (j->tasks > p.n) j->tasks = (unsigned)p.n;
  ok = ok && lab_slurm_write(j, e);
  if (ok) printf("%zu runs in %u tasks: sbatch %s/job.sh; then: heddle collect %s --db FILE\n", p.n, j->tasks, j->folder, j->folder);
  lab_plan_free(&p);
  return ok ? CLI_OK : cli_fail(e);
}

int cli_sweep(int argc, char **argv) {
  const char *db = NULL, *jobs = NULL, *shard = NULL, *tasks = NULL, *programs = NULL;
  CLI_PROGRAMS table = {0};
  struct lab_sweep s = {.jobs = cli_cores()};
  struct lab_slurm slurm = {0};
  const struct cli_option options[] = {
      {"--db", "FILE", "the database; created if it does not exist", .text = &db},
      {"--jobs", "N", "runs at a time; default one per core", .text = &jobs},
      {"--shard", "I/N", "make only the I-th of N parts of the plan, counted from 1", .text = &shard},
      {"--retry-failed", NULL, "repeat runs that failed before", .flag = &s.retry_failed},
      {"--json-dir", "FOLDER", "also write the statistics of each run there, as JSON", .text = &s.json_dir},
      {CLI_PROGRAMS_OPTION, .text = &programs},
      {"--slurm", "FOLDER", "run nothing; write the plan and a Slurm job array to this folder", .text = &slurm.folder},
      {"--tasks", "N", "tasks of the job array; default one per run, at most 1000", .text = &tasks},
      {0},
  };
  int status = cli_options(usage, options, &argc, argv);
  if (status >= 0) return status;
  if (slurm.folder && (db || shard || s.retry_failed || s.json_dir)) {
    fprintf(stderr, "heddle: with --slurm only --programs, --tasks and --jobs (tasks at a time) have a meaning\n");
    return CLI_USAGE;
  }
  if (argc != 2 || !(db || slurm.folder)) {
    fprintf(stderr, "heddle: one plan and --db FILE are expected; `heddle sweep --help` says more\n");
    return CLI_USAGE;
  }
  struct err e = {0};
  if (!cli_count("--jobs", jobs, LAB_MAX_JOBS, &s.jobs, &e) || !cli_shard(shard, &s.shard, &s.shards, &e) ||
      !cli_count("--tasks", tasks, LAB_MAX_TASKS, &slurm.tasks, &e) || !cli_programs(programs, &table, &e))
    return cli_fail(&e);
  slurm.plan = argv[1];
  slurm.programs = programs;
  slurm.at_once = jobs ? s.jobs : 0;
  if (slurm.folder) return write_slurm(&slurm, &table, &e);
  return sweep(&s, argv[1], &table, db, &e);
}
