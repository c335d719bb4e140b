/* heddle claims: what papers publish about the systems modelled here, measured again. Rules and their table are in lab
 * (claim.h); this chooses which, runs them, and shows the scores. */
#include "cli/cli.h"
#include "cli/commands/claims_show.h"
#include "cli/commands/claims_table.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/workload_names.h"
#include "lab/claims/claim_lab.h"
#include "lab/claims/claim_page.h"
#include "lab/sizes.h"
#include "lab/sweep/job.h"
#include "lab/sweep/slurm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "heddle claims [T|B|A|D|C|X|ID...] [OPTIONS]\n"
    "       heddle claims [T|B|A|D|C|X|ID...] --slurm FOLDER [--tasks N] [--jobs N] [OPTIONS]\n\n"
    "Measures published claims again. For each it shows whether it is reproduced, the published and the measured value, and,\n"
    "where they differ, the reason. T: tag-split cache, B: bypassing un-coalesced loads, A: adaptive last-level cache,\n"
    "D: data filtering, C: cooperative caching, X: all together. Without names, all claims are measured.\n\n"
    "Every run is kept in the database, and none is made twice by the same build of heddle, so the same command continues\n"
    "where it was stopped (with --store, the table then holds what had been measured). Nothing is run again that is among\n"
    "the stored results (results/claims.tsv) and was measured with the same configuration, workload and timing.\n\n"
    "Where a paper can be read in several ways, --reading uses another way than the default (`heddle list readings`) for\n"
    "all claims of that paper, or each way in turn, and shows which verdicts change. With --programs, the papers' own\n"
    "programs run in place of the workloads that the table names, and their results are kept apart. With --sample, parts of\n"
    "the runs are predicted (`heddle run --sample`); verdicts of such runs are marked, stored beside those of whole runs,\n"
    "and shown on the page where no whole run has given a verdict. With --figures, the runs that only the papers' figures\n"
    "need are made too; `heddle report` draws the figures.\n";

enum { MOST_IDS = 256, MOST_GROUPS = 8, DEFAULT_TASKS = 100 };

/* ---- choosing ------------------------------------------------------------------------------------------------------------ */

struct choice {
  const char *ids[MOST_IDS];
  size_t n;
};

static void add_id(struct choice *c, const char *id) {
  for (size_t i = 0; i < c->n; i++)
    if (!strcmp(c->ids[i], id)) return;
  if (c->n < MOST_IDS) c->ids[c->n++] = id;
}

static bool unknown(const char *word, struct err *e) {
  size_t n, known = 0;
  const struct claim_row *rows = claim_rows(&n);
  const char *names[MOST_IDS];
  for (size_t i = 0; i < n && i < MOST_IDS; i++) names[known++] = rows[i].id;
  return err_set(e, ERR_INPUT, "there is no claim '%s'%s; groups are T, B, A, D, C and X", word, str_hint(word, names, known).s);
}

/* A group is the first letter of its claims. */
static bool add_word(struct choice *c, const char *word, struct err *e) {
  size_t n;
  const struct claim_row *rows = claim_rows(&n);
  bool any = false;
  for (size_t i = 0; i < n; i++) {
    bool in = !word[1] ? rows[i].id[0] == word[0] : !strcmp(rows[i].id, word);
    if (in) add_id(c, rows[i].id);
    any = any || in;
  }
  return any || unknown(word, e);
}

static bool choose(struct choice *c, char **words, bool quick, struct err *e) {
  size_t n, kept = 0;
  const struct claim_row *rows = claim_rows(&n);
  for (size_t i = 0; i < n && !*words; i++) add_id(c, rows[i].id);
  for (; *words; words++)
    if (!add_word(c, *words, e)) return false;
  for (size_t i = 0; i < c->n && quick; i++) {
    const struct claim_rule *r = claim_rule_of(c->ids[i]);
    if (r && (r->flags & CLAIM_QUICK)) c->ids[kept++] = c->ids[i];
  }
  if (quick) c->n = kept;
  return c->n || err_set(e, ERR_INPUT, "none of these claims is in the quick subset; leave --quick out");
}

/* The letters of the chosen claims. */
static const char *groups_of(const struct choice *c, char *out) {
  size_t n = 0;
  for (size_t i = 0; i < c->n; i++)
    if (!strchr(out, c->ids[i][0]) && n + 1 < MOST_GROUPS) out[n++] = c->ids[i][0], out[n] = 0;
  return out;
}

/* ---- the command --------------------------------------------------------------------------------------------------------- */

/* What the command line asks for. */
struct wanted {
  struct choice claims;
  const char *db, *json, *page, *stored, *programs;
  bool any_build, store, look;
  bool readings;               /* others than the default too: */
  const struct reading *only;  /* this one; NULL: all of them */
};

static void next_round(void *user, size_t runs) {
  struct cli_progress *p = user;
  p->started = lab_clock();
  fprintf(stderr, "heddle: %zu runs to make\n", runs);
}

/* Those of the chosen claims that a reading is about. */
static struct choice concerned(const struct choice *c, const struct reading *r) {
  struct choice out = {0};
  for (size_t i = 0; i < c->n; i++)
    if (c->ids[i][0] == r->group) out.ids[out.n++] = c->ids[i];
  return out;
}

/* Measured, or looked up without a database. */
static bool scores_of(const struct claim_lab *l, const struct choice *c, json_t **scores, int *stopped, struct err *e) {
  if (l->sweep.db) return claim_lab_measure(l, c->ids, c->n, scores, stopped, e);
  *scores = claim_lab_look(l->stored, l->size, l->reading, l->sample, c->ids, c->n);
  return true;
}

/* Measures the claims under `only`, or under every reading that is not a default; *all gets the scores with their reading. */
static bool measure_readings(struct claim_lab *l, const struct wanted *w, const json_t *usual, json_t *all, int *stopped, struct err *e) {
  size_t n;
  const struct reading *readings = reading_all(&n);
  bool ok = true;
  for (size_t i = 0; i < n && ok; i++) {
    const struct reading *r = &readings[i];
    struct choice some = concerned(&w->claims, r);
    if ((w->only ? r != w->only : r->is_default) || !some.n) continue;
    json_t *scores = NULL, *s;
    size_t k;
    l->reading = r;
    ok = scores_of(l, &some, &scores, stopped, e);
    json_array_foreach(scores, k, s) json_object_set_new(s, "reading", json_string(r->name));
    if (ok && scores) claims_show_reading(r, usual, scores);
    json_array_extend(all, scores);
    json_decref(scores);
  }
  l->reading = NULL;
  return ok;
}

static bool choose_readings(struct wanted *w, const char *name, struct err *e) {
  w->readings = name != NULL;
  if (!name || !strcmp(name, "all")) return true;
  w->only = reading_find(name, e);
  if (!w->only) return false;
  return concerned(&w->claims, w->only).n ||
         err_set(e, ERR_INPUT, "reading '%s' is about claims %c, of which none is chosen", name, w->only->group);
}

static bool write_results(const struct claim_lab *l, const struct wanted *w, const json_t *all, struct err *e) {
  if (l->figures && !claims_show_figures(l, w->db, e)) return false;
  if (w->json && !claims_show_json(all, w->json, e)) return false;
  if (w->store && !claim_stored_write(l->store, w->stored, e)) return false;
  return !w->page || claim_page_write(l->stored, w->page, e);
}

static bool measure_all(struct claim_lab *l, const struct wanted *w, int *stopped, struct err *e) {
  json_t *scores = NULL, *all = json_array();
  bool ok = scores_of(l, &w->claims, &scores, stopped, e);
  if (isatty(STDOUT_FILENO) && l->sweep.db) printf("\r\033[K");
  if (ok && scores) claims_show_scores(scores);
  json_array_extend(all, scores);
  if (ok && w->readings) ok = measure_readings(l, w, scores, all, stopped, e);
  if (ok && l->sweep.shards < 2) ok = write_results(l, w, all, e);
  if (*stopped && w->store && !claim_stored_write(l->store, w->stored, e)) *stopped = 0; /* the table's error is what is told */
  json_decref(scores);
  json_decref(all);
  return ok;
}

static int measure(struct claim_lab *l, const struct wanted *w) {
  struct cli_progress progress = {.terminal = isatty(STDOUT_FILENO), .started = lab_clock()};
  struct cli_names names = {0};
  CLI_PROGRAMS programs = {0};
  struct err e = {0};
  int stopped = 0;
  char build[17];
  if (!cli_programs(w->programs, &programs, &e)) return cli_fail(&e);
  struct claim_stored *table = claims_table_open(w->stored, &e);
  bool ok = table && cli_workload_names(&names, &e) && (w->look || (l->sweep.db = lab_db_open(w->db, true, &e)));
  l->sweep.home = cli_home();
  if (ok && l->sweep.db) lab_db_set_build(l->sweep.db, lab_build(l->sweep.home, build), !w->any_build);
  l->sweep.ended = cli_progress_ended;
  l->sweep.tick = cli_progress_tick;
  l->sweep.user = &progress;
  l->round = next_round;
  l->workloads = names.list;
  l->n_workloads = names.n;
  l->programs = w->programs ? &programs : NULL;
  l->stored = l->store = table;
  ok = ok && measure_all(l, w, &stopped, &e);
  if (stopped) printf("stopped; the same command goes on from here\n");
  lab_db_close(l->sweep.db);
  claim_stored_delete(table);
  cli_names_free(&names);
  return ok ? CLI_OK : stopped ? 128 + stopped : cli_fail(&e);
}

/* ---- a cluster ------------------------------------------------------------------------------------------------------------- */

/* The same command for a task, without what is for this computer. */
static void task_command(struct str *out, const struct claim_lab *l, const struct wanted *w, char **words, const char *reading,
                         bool quick) {
  str_add(out, "claims");
  for (; *words; words++) str_add(out, " %s", *words);
  str_add(out, " --size %s", l->size);
  if (reading) str_add(out, " --reading %s", reading);
  if (quick) str_add(out, " --quick");
  if (l->figures) str_add(out, " --figures");
  if (w->stored) str_add(out, " --stored %s", w->stored);
  if (w->programs) str_add(out, " --programs %s", w->programs);
  if (l->sample) str_add(out, " --sample");
}

static int write_slurm(struct lab_slurm *j, struct err *e) {
  char self[4096];
  j->heddle = realpath("/proc/self/exe", self);
  if (!j->tasks) j->tasks = DEFAULT_TASKS;
  if (!lab_slurm_write(j, e)) return cli_fail(e);
  printf("%u tasks: sbatch %s/job.sh; then: heddle collect %s --db FILE\n", j->tasks, j->folder, j->folder);
  return CLI_OK;
}

/* ---- options --------------------------------------------------------------------------------------------------------------- */

static bool check_options(const struct claim_lab *l, const struct wanted *w, bool quick, bool figures, const char *shard, struct err *e) {
  if (lab_size_index(l->size) < 0) return err_set(e, ERR_INPUT, "--size is small, medium or paper, not '%s'", l->size);
  if (quick && figures)
    return err_set(e, ERR_INPUT, "--figures needs more runs than the quick ones; leave one of --quick and --figures out");
  if (w->store && (!w->stored || !strcmp(w->stored, "none")))
    return err_set(e, ERR_INPUT, "--store needs --stored FILE, the table to write");
  if (w->store && w->any_build)
    return err_set(e, ERR_INPUT, "--store writes what the workloads of this build gave, and another build may have had others; "
                                 "leave --any-build out");
  if (shard && (w->store || w->json || w->page || w->look))
    return err_set(e, ERR_INPUT, "--shard makes a part of the runs: there are no scores to write, and --look makes none");
  if (w->programs && w->store && w->stored == claims_table_path())
    return err_set(e, ERR_INPUT, "--store with --programs needs --stored FILE: the table that comes with heddle is of the workloads");
  if (w->programs && (w->look || w->page))
    return err_set(e, ERR_INPUT, "--look and --page are of the workloads' stored results; leave them out with --programs");
  return !w->look || !w->store || err_set(e, ERR_INPUT, "--look measures nothing that --store could write");
}

int cli_claims(int argc, char **argv) {
  const char *jobs = NULL, *reading = NULL, *shard = NULL, *tasks = NULL;
  struct claim_lab l = {.size = "small", .sweep = {.jobs = cli_cores()}};
  struct wanted w = {.db = "claims.db", .stored = claims_table_path()};
  struct lab_slurm slurm = {0};
  bool quick = false, figures = false, sample = false;
  const struct cli_option options[] = {
      {"--quick", NULL, "measure only claims whose runs take a minute or two in all", .flag = &quick},
      {"--figures", NULL, "also make the runs of the papers' figures", .flag = &figures},
      {"--json", "FILE", "write the id, published and measured value, verdict and note of each claim", .output = &w.json},
      {"--page", "FILE", "write the scoreboard of all stored results", .output = &w.page},
      {"--db", "FILE", "database of the runs; default claims.db", .text = &w.db},
      {"--stored", "FILE|none", "results that need not be measured again; default those that ship with heddle", .text = &w.stored},
      {"--store", NULL, "add what was measured to that file", .flag = &w.store},
      {"--look", NULL, "run nothing; show the verdicts of the stored results, including stale ones", .flag = &w.look},
      {"--jobs", "N", "runs at a time; default one per core", .text = &jobs},
      {"--size", "small|medium|paper", "size of the workloads' inputs; default small; at paper, runs stop where the paper's did",
       .text = &l.size},
      {"--reading", "NAME|all", "also evaluate under another reading of a paper, or under each of them", .text = &reading},
      {CLI_PROGRAMS_OPTION, .text = &w.programs},
      {"--sample", NULL, "predict parts of the runs, to 2 % of their cycles; verdicts are marked", .flag = &sample},
      {"--any-build", NULL, "also use runs that another build of heddle has made", .flag = &w.any_build},
      {"--retry-failed", NULL, "repeat runs that failed before", .flag = &l.sweep.retry_failed},
      {"--shard", "I/N", "make only the I-th of N parts of the runs, counted from 1, and show no verdicts", .text = &shard},
      {"--slurm", "FOLDER", "run nothing; write a Slurm job array that makes the runs to this folder", .text = &slurm.folder},
      {"--tasks", "N", "tasks of the job array; default 100", .text = &tasks},
      {0},
  };
  int status = cli_options(usage, options, &argc, argv);
  if (status >= 0) return status;
  struct err e = {0};
  char groups[MOST_GROUPS] = "";
  if (sample) l.sample = CLAIM_SAMPLED;
  if (!check_options(&l, &w, quick, figures, shard, &e) || !cli_count("--jobs", jobs, LAB_MAX_JOBS, &l.sweep.jobs, &e) ||
      !cli_count("--tasks", tasks, LAB_MAX_TASKS, &slurm.tasks, &e) || !cli_shard(shard, &l.sweep.shard, &l.sweep.shards, &e) ||
      !choose(&w.claims, argv + 1, quick, &e) || !choose_readings(&w, reading, &e))
    return cli_fail(&e);
  if (figures) l.figures = groups_of(&w.claims, groups);
  if (!slurm.folder) return measure(&l, &w);
  __attribute__((cleanup(str_free))) struct str command = {0};
  task_command(&command, &l, &w, argv + 1, reading, quick);
  slurm.command = command.s;
  slurm.at_once = jobs ? l.sweep.jobs : 0;
  return write_slurm(&slurm, &e);
}
