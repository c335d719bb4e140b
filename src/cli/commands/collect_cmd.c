/* heddle collect: the results of a Slurm job array of `heddle sweep --slurm` or `heddle claims --slurm` into one database. */
#include "base/str.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/workload_names.h"
#include "lab/sweep/slurm.h"

#include <stdio.h>

static const char usage[] =
    "heddle collect FOLDER --db FILE\n\n"
    "Collects the results of the tasks of `heddle sweep --slurm FOLDER` into a database, and lists what is missing. It may\n"
    "be repeated while tasks run. The exit status is 1 if a run of the plan is missing or has failed. For a folder of\n"
    "`heddle claims --slurm FOLDER` it prints the command that shows the verdicts and makes the missing runs.\n";

/* The command of `heddle claims` whose runs a folder is for; false: it has a plan. */
static bool command_of(const char *folder, struct str *out) {
  struct str path = {0};
  str_add(&path, "%s/claims.txt", folder);
  bool ok = str_add_file(out, path.s);
  str_free(&path);
  return ok && out->n > 0;
}

static size_t failed_runs(struct lab_db *db, struct err *e) {
  json_t *rows = lab_db_query(db, "SELECT count(*) FROM runs WHERE status = 'failed'", e);
  json_int_t n = json_integer_value(json_array_get(json_array_get(rows, 0), 0));
  json_decref(rows);
  return (size_t)n;
}

/* How many runs of the folder's plan are not in the database, and how many failed. */
static bool look_for(struct lab_db *db, const char *folder, size_t *missing, size_t *failed, struct err *e) {
  struct cli_names names = {0};
  struct lab_plan p = {0};
  struct str path = {0};
  str_add(&path, "%s/plan.toml", folder);
  bool ok = cli_workload_names(&names, e) && lab_plan_read(&p, path.s, names.list, names.n, e);
  for (size_t i = 0; ok && i < p.n; i++) {
    enum lab_claim have = lab_db_stored(db, &p.runs[i], e);
    *missing += have == LAB_MINE;
    *failed += have == LAB_FAILED;
    ok = have != LAB_ERROR;
  }
  str_free(&path);
  lab_plan_free(&p);
  cli_names_free(&names);
  return ok;
}

int cli_collect(int argc, char **argv) {
  const char *file = NULL;
  const struct cli_option options[] = {
      {"--db", "FILE", "the database; created if it does not exist", .text = &file},
      {0},
  };
  int status = cli_options(usage, options, &argc, argv);
  if (status >= 0) return status;
  if (argc != 2 || !file) {
    fprintf(stderr, "heddle: one folder and --db FILE are expected; `heddle collect --help` says more\n");
    return CLI_USAGE;
  }
  struct err e = {0};
  struct lab_collected c;
  size_t missing = 0, failed = 0;
  __attribute__((cleanup(str_free))) struct str command = {0};
  struct lab_db *db = lab_db_open(file, true, &e);
  bool claims = command_of(argv[1], &command), ok = db && lab_collect(db, argv[1], &c, &e);
  if (ok && claims) failed = failed_runs(db, &e);
  else ok = ok && look_for(db, argv[1], &missing, &failed, &e);
  lab_db_close(db);
  if (!ok) return cli_fail(&e);
  printf("%zu files with %zu runs: %zu new, %zu failed -> %s\n", c.files, c.runs, c.added, failed, file);
  if (claims) printf("verdicts: heddle %s --db %s\n", command.s, file);
  if (missing) printf("%zu runs of the plan are missing: wait for their tasks, or submit %s/job.sh again\n", missing, argv[1]);
  return missing || failed ? CLI_NO : CLI_OK;
}
