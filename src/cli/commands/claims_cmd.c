/* heddle claims: what papers publish about the systems modelled here, measured again. Rules and their table are in lab
 * (claim.h); this chooses which, runs them, and shows the scores. */
#include "base/output.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/workload_names.h"
#include "lab/claims/claim_lab.h"
#include "lab/claims/claim_page.h"
#include "lab/sweep/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "heddle claims [T|B|A|D|C|X|ID...] [OPTIONS]\n\n"
    "Measures published claims again and says of each whether it is reproduced, with the published and the measured\n"
    "value, and why it differs where it does. T: tag-split cache, B: bypassing un-coalesced loads, A: adaptive last-level\n"
    "cache, D: data filtering, C: cooperative caching, X: all together. Without names: all of them. Every run is kept in\n"
    "the database; none is made twice by the same build of heddle, so the same command goes on where it was stopped.\n"
    "Where a paper can be read in two ways, --reading takes another way than the default (`heddle list readings`) for all claims\n"
    "of that paper, or all ways one after the other, and says which verdicts change.\n"
    "With --figures the runs that only the figures of these papers need are made too; `heddle report` draws the figures.\n";

enum { MOST_IDS = 256, MOST_GROUPS = 8 };

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

/* ---- showing ------------------------------------------------------------------------------------------------------------- */

static const char *text_of(const json_t *score, const char *name) { return json_string_value(json_object_get(score, name)); }

static unsigned count(const json_t *scores, const char *verdict) {
  unsigned n = 0;
  for (size_t i = 0; i < json_array_size(scores); i++) n += !strcmp(text_of(json_array_get(scores, i), "verdict"), verdict);
  return n;
}

static void print_scores(const json_t *scores) {
  for (size_t i = 0; i < json_array_size(scores); i++) {
    const json_t *s = json_array_get(scores, i);
    const struct claim_row *row = claim_row(text_of(s, "id"));
    printf("%-4s %-12s %s\n", row->id, text_of(s, "verdict"), row->claim);
    printf("       published %s (%s)%s%s\n", row->published, row->rule, *text_of(s, "measured") ? "; measured " : "",
           text_of(s, "measured"));
    if (*text_of(s, "note")) printf("       %s\n", text_of(s, "note"));
  }
  printf("\n%u reproduced, %u differ, %u not measured\n", count(scores, "reproduced"), count(scores, "differs"),
         count(scores, "not-measured"));
}

/* Figures are for the database and the report. */
static bool write_scores(const json_t *scores, const char *path, struct err *e) {
  static const char *const names[] = {"id", "published", "measured", "verdict", "note", "reading"};
  json_t *list = json_array();
  for (size_t i = 0; i < json_array_size(scores); i++) {
    json_t *o = json_object();
    for (int k = 0; k < 6; k++) {
      json_t *v = json_object_get(json_array_get(scores, i), names[k]);
      if (v) json_object_set(o, names[k], v);
    }
    json_array_append_new(list, o);
  }
  bool ok = output_json(list, path, JSON_INDENT(1), e);
  json_decref(list);
  return ok;
}

/* How much of the figures there is now. */
static bool print_figures(struct lab_db *db, const char *size, const char *groups, const char *path, struct err *e) {
  json_t *list = claim_lab_figures(db, size, groups, e), *f;
  size_t i, whole = 0;
  json_array_foreach(list, i, f) {
    json_int_t points = json_integer_value(json_object_get(f, "points"));
    json_int_t missing = json_integer_value(json_object_get(f, "missing"));
    whole += !missing;
    if (missing)
      printf("figure %s: %lld of %lld points are missing: %s\n", text_of(f, "id"), (long long)missing, (long long)points,
             text_of(f, "lacks"));
  }
  if (list)
    printf("%zu of %zu figures are whole; `heddle report %s -o FILE.html` draws them\n", whole, json_array_size(list), path);
  json_decref(list);
  return list != NULL;
}

/* ---- the command --------------------------------------------------------------------------------------------------------- */

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

static const json_t *score_of(const json_t *scores, const char *id) {
  for (size_t i = 0; i < json_array_size(scores); i++)
    if (!strcmp(text_of(json_array_get(scores, i), "id"), id)) return json_array_get(scores, i);
  return NULL;
}

/* One line a reading, and which verdicts it changes. */
static void print_reading(const struct reading *r, const json_t *usual, const json_t *scores) {
  unsigned before = 0;
  printf("\n%s (%s): ", r->name, r->means);
  for (size_t i = 0; i < json_array_size(scores); i++) {
    const json_t *u = score_of(usual, text_of(json_array_get(scores, i), "id"));
    before += u && !strcmp(text_of(u, "verdict"), "reproduced");
  }
  printf("%u of %zu reproduced, %u by default\n", count(scores, "reproduced"), json_array_size(scores), before);
  for (size_t i = 0; i < json_array_size(scores); i++) {
    const json_t *s = json_array_get(scores, i), *u = score_of(usual, text_of(s, "id"));
    if (u && strcmp(text_of(s, "verdict"), text_of(u, "verdict")) != 0)
      printf("  %-4s %s (%s; by default %s)\n", text_of(s, "id"), text_of(s, "verdict"), text_of(s, "measured"), text_of(u, "measured"));
  }
}

/* Measures the claims under `only`, or under every reading that is not a default; *all gets the scores with their reading. */
static bool measure_readings(struct claim_lab *l, const struct choice *c, const struct reading *only, const json_t *usual, json_t *all,
                             int *stopped, struct err *e) {
  size_t n;
  const struct reading *readings = reading_all(&n);
  bool ok = true;
  for (size_t i = 0; i < n && ok; i++) {
    const struct reading *r = &readings[i];
    struct choice some = concerned(c, r);
    if ((only ? r != only : r->is_default) || !some.n) continue;
    json_t *scores = NULL, *s;
    size_t k;
    l->reading = r;
    ok = claim_lab_measure(l, some.ids, some.n, &scores, stopped, e);
    json_array_foreach(scores, k, s) json_object_set_new(s, "reading", json_string(r->name));
    if (ok) print_reading(r, usual, scores);
    json_array_extend(all, scores);
    json_decref(scores);
  }
  l->reading = NULL;
  return ok;
}

/* What --reading asks for: nothing, one, or all of them. */
struct readings {
  bool any;
  const struct reading *only;
};

static bool choose_readings(struct readings *r, const char *name, const struct choice *c, struct err *e) {
  *r = (struct readings){.any = name != NULL};
  if (!name || !strcmp(name, "all")) return true;
  r->only = reading_find(name, e);
  if (!r->only) return false;
  return concerned(c, r->only).n || err_set(e, ERR_INPUT, "reading '%s' is about claims %c, of which none is chosen", name, r->only->group);
}

static int measure(struct claim_lab *l, const struct choice *c, const struct readings *readings, const char *db, bool any_build,
                   const char *json, const char *page) {
  struct cli_progress progress = {.terminal = isatty(STDOUT_FILENO), .started = lab_clock()};
  struct cli_names names = {0};
  struct err e = {0};
  json_t *scores = NULL;
  int stopped = 0;
  char build[17];
  bool ok = cli_workload_names(&names, &e) && (l->sweep.db = lab_db_open(db, true, &e));
  l->sweep.home = cli_home();
  if (ok) lab_db_set_build(l->sweep.db, lab_build(l->sweep.home, build), !any_build);
  l->sweep.ended = cli_progress_ended;
  l->sweep.tick = cli_progress_tick;
  l->sweep.user = &progress;
  l->sweep.shard = l->sweep.shards = 1;
  l->round = next_round;
  l->workloads = names.list;
  l->n_workloads = names.n;
  ok = ok && claim_lab_measure(l, c->ids, c->n, &scores, &stopped, &e);
  if (progress.terminal) printf("\r\033[K");
  if (ok) print_scores(scores);
  json_t *all = json_array();
  json_array_extend(all, scores);
  if (ok && readings->any) ok = measure_readings(l, c, readings->only, scores, all, &stopped, &e);
  if (ok && l->figures) ok = print_figures(l->sweep.db, l->size, l->figures, db, &e);
  if (ok && json) ok = write_scores(all, json, &e);
  if (ok && page) ok = claim_page_write(l->sweep.db, page, &e);
  if (stopped) printf("stopped; the same command goes on from here\n");
  lab_db_close(l->sweep.db);
  cli_names_free(&names);
  json_decref(scores);
  json_decref(all);
  return ok ? CLI_OK : stopped ? 128 + stopped : cli_fail(&e);
}

int cli_claims(int argc, char **argv) {
  const char *db = "claims.db", *json = NULL, *page = NULL, *jobs = NULL, *reading = NULL;
  struct claim_lab l = {.size = "small", .sweep = {.jobs = cli_cores()}};
  bool quick = false, any_build = false, figures = false;
  const struct cli_option options[] = {
      {"--quick", NULL, "only claims whose runs take a minute or two in all", .flag = &quick},
      {"--figures", NULL, "make the runs of the papers' figures too", .flag = &figures},
      {"--json", "FILE", "write id, published, measured, verdict and note of each", .output = &json},
      {"--page", "FILE", "write the scoreboard, of all claims in the database", .output = &page},
      {"--db", "FILE", "the database of the runs; default claims.db", .text = &db},
      {"--jobs", "N", "runs at a time; default one a core", .text = &jobs},
      {"--size", "small|medium", "of the workloads; default small", .text = &l.size},
      {"--reading", "NAME|all", "also under another reading of a paper, or under each of them", .text = &reading},
      {"--any-build", NULL, "take runs that another build of heddle made too", .flag = &any_build},
      {"--retry-failed", NULL, "make those runs again that failed before", .flag = &l.sweep.retry_failed},
      {0},
  };
  int status = cli_options(usage, options, &argc, argv);
  if (status >= 0) return status;
  struct choice c = {0};
  struct readings readings;
  struct err e = {0};
  if (strcmp(l.size, "small") != 0 && strcmp(l.size, "medium") != 0)
    err_set(&e, ERR_INPUT, "--size is small or medium, not '%s'", l.size);
  if (quick && figures)
    err_set(&e, ERR_INPUT, "--figures needs more runs than the quick ones; leave one of --quick and --figures out");
  if (e.kind || !cli_count("--jobs", jobs, LAB_MAX_JOBS, &l.sweep.jobs, &e) || !choose(&c, argv + 1, quick, &e) ||
      !choose_readings(&readings, reading, &c, &e))
    return cli_fail(&e);
  char groups[MOST_GROUPS] = "";
  if (figures) l.figures = groups_of(&c, groups);
  return measure(&l, &c, &readings, db, any_build, json, page);
}
