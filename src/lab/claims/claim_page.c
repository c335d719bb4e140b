/* See claim_page.h. There is one table for each group, with notes below it, since cells of a table hold no
 * paragraphs. */
#include "lab/claims/claim_page.h"

#include "base/output.h"
#include "base/str.h"
#include "lab/claims/claim_lab.h"
#include "lab/claims/claim_sensitivity.h"
#include "lab/sizes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_IDS = 256 };

struct page {
  const struct claim_stored *stored;
  json_t *scores[LAB_SIZES]; /* a list; NULL: nothing of this size is stored */
  json_t *read[LAB_SIZES];   /* the scores under other readings, each with its "reading" */
  int widest;                /* the last size of which anything is stored */
  FILE *f;
};

/* ---- scores ------------------------------------------------------------------------------------------------------------- */

static const char *text_of(const json_t *o, const char *name) {
  const char *text = json_string_value(json_object_get(o, name));
  return text ? text : "";
}

static const json_t *score_of(const json_t *list, const char *id, const char *reading) {
  size_t i;
  json_t *s;
  json_array_foreach(list, i, s)
    if (!strcmp(text_of(s, "id"), id) && (!reading || !strcmp(text_of(s, "reading"), reading))) return s;
  return NULL;
}

static bool is(const json_t *score, const char *verdict) { return !strcmp(text_of(score, "verdict"), verdict); }

static size_t ids_of(char group, const char **ids) {
  size_t n, k = 0;
  const struct claim_row *rows = claim_rows(&n);
  for (size_t i = 0; i < n && k < MOST_IDS; i++)
    if (!group || rows[i].id[0] == group) ids[k++] = rows[i].id;
  return k;
}

static unsigned count(const json_t *list, char letter, const char *reading, const char *verdict) {
  unsigned n = 0;
  size_t i;
  json_t *s;
  json_array_foreach(list, i, s)
    n += (!letter || text_of(s, "id")[0] == letter) && (!reading || !strcmp(text_of(s, "reading"), reading)) && is(s, verdict);
  return n;
}

static unsigned verdicts(const json_t *list, char letter) {
  return count(list, letter, NULL, "reproduced") + count(list, letter, NULL, "differs");
}

/* Every claim of a paper has a verdict: what is not measured would count as if it differed. */
static bool is_whole(const json_t *list, char letter) {
  return list && verdicts(list, letter) && !count(list, letter, NULL, "not-measured");
}

/* The last size at which all of a paper's claims are measured. */
static int widest(const struct page *p, char letter) {
  int best = p->widest;
  for (int s = 0; s < LAB_SIZES; s++)
    if (is_whole(p->scores[s], letter)) best = s;
  return best;
}

/* A reading counts as measured if all that is measured by default is: what it does not change is measured in any case. */
static bool is_measured(const json_t *scores, const json_t *usual, char group) {
  unsigned here = verdicts(scores, group);
  return here && here >= verdicts(usual, group);
}

/* Verdicts of whole runs, and of sampled ones where there is none of those. */
static json_t *scores_at(const struct page *p, int size, const struct reading *r, char group) {
  const char *ids[MOST_IDS];
  size_t n = ids_of(group, ids), i;
  json_t *whole = claim_lab_look(p->stored, lab_sizes[size], r, NULL, ids, n);
  json_t *sampled = claim_lab_look(p->stored, lab_sizes[size], r, CLAIM_SAMPLED, ids, n), *s;
  json_array_foreach(sampled, i, s)
    if (is(json_array_get(whole, i), "not-measured") && json_is_true(json_object_get(s, "sampled"))) json_array_set(whole, i, s);
  json_decref(sampled);
  return whole;
}

static void look(struct page *p, int size) {
  size_t all;
  const struct reading *r = reading_all(&all);
  p->scores[size] = scores_at(p, size, NULL, 0);
  p->read[size] = json_array();
  p->widest = size;
  for (size_t i = 0; i < all; i++) {
    if (r[i].is_default) continue;
    json_t *scores = scores_at(p, size, &r[i], r[i].group), *s;
    size_t k;
    json_array_foreach(scores, k, s) json_object_set_new(s, "reading", json_string(r[i].name));
    if (is_measured(scores, p->scores[size], r[i].group)) json_array_extend(p->read[size], scores);
    json_decref(scores);
  }
}

static bool has_reading(const json_t *list, const char *name) {
  size_t i;
  json_t *s;
  json_array_foreach(list, i, s) if (!strcmp(text_of(s, "reading"), name)) return true;
  return false;
}

/* ---- totals -------------------------------------------------------------------------------------------------------------- */

/* '|' would end a cell. */
static void put_text(FILE *f, const char *text) {
  for (; *text; text++) fprintf(f, *text == '|' ? "\\%c" : "%c", *text);
}

/* The reading under which most claims of a paper are reproduced; NULL: none is better than the defaults. */
static const char *best_reading(const struct page *p, char letter, unsigned *most) {
  size_t n;
  const struct reading *r = reading_all(&n);
  const char *best = NULL;
  int size = widest(p, letter);
  *most = count(p->scores[size], letter, NULL, "reproduced");
  for (size_t i = 0; i < n; i++) {
    unsigned k = r[i].group == letter ? count(p->read[size], letter, r[i].name, "reproduced") : 0;
    if (k > *most) *most = k, best = r[i].name;
  }
  return best;
}

static void put_counts(const struct page *p, char letter, const char *name) {
  fprintf(p->f, "| %s |", name);
  for (int s = 0; s < LAB_SIZES; s++)
    if (p->scores[s])
      fprintf(p->f, " %u | %u | %u |", count(p->scores[s], letter, NULL, "reproduced"), count(p->scores[s], letter, NULL, "differs"),
              count(p->scores[s], letter, NULL, "not-measured"));
}

/* Three columns a size, then what the largest size at which a paper is whole gives by default and under its best single reading. */
static void put_totals(const struct page *p) {
  unsigned usual = 0, sum = 0, most;
  fprintf(p->f, "| |");
  for (int s = 0; s < LAB_SIZES; s++)
    if (p->scores[s]) fprintf(p->f, " reproduced, %s | differ | not measured |", lab_sizes[s]);
  fprintf(p->f, " largest size whole | reproduced there | under the best single reading |\n|---|");
  for (int s = 0; s < LAB_SIZES; s++)
    if (p->scores[s]) fprintf(p->f, "---|---|---|");
  fprintf(p->f, "---|---|---|\n");
  for (const struct claim_paper *g = claim_papers; g->letter; g++) {
    const char *best = best_reading(p, g->letter, &most);
    int size = widest(p, g->letter);
    unsigned here = count(p->scores[size], g->letter, NULL, "reproduced");
    put_counts(p, g->letter, g->name);
    fprintf(p->f, " %s | %u | %u, %s%s%s |\n", lab_sizes[size], here, most, best ? "`" : "", best ? best : "the defaults", best ? "`" : "");
    usual += here;
    sum += most;
  }
  put_counts(p, 0, "**all**");
  fprintf(p->f, " | %u | %u |\n", usual, sum);
}

static void put_stale(const struct page *p) {
  size_t stale, n = claim_stored_rows(p->stored, &stale);
  if (stale)
    fprintf(p->f, "\n%zu of %zu stored runs are stale: measured before the configuration, the workload or the timing was what it is "
                  "now.\nVerdicts that rest on one are marked †.\n", stale, n);
}

/* How many verdicts rest on runs of which parts were predicted. */
static void put_sampled(const struct page *p) {
  unsigned n = 0;
  size_t i;
  json_t *s;
  for (int size = 0; size < LAB_SIZES; size++)
    json_array_foreach(p->scores[size], i, s) n += json_is_true(json_object_get(s, "sampled")) && !is(s, "not-measured");
  if (n)
    fprintf(p->f, "\n%u verdicts, marked ≈, are of runs of which parts were predicted, to %s %% of their cycles "
                  "(`heddle claims --sample`).\n", n, CLAIM_SAMPLED);
}

/* ---- claims -------------------------------------------------------------------------------------------------------------- */

/* A claim's score under a reading, and by default, at the last size up to `size` at which the reading is measured: that size, or -1. */
static int score_under(const struct page *p, const char *id, const char *reading, int size, const json_t **there, const json_t **usual) {
  while (size >= 0 && !has_reading(p->read[size], reading)) size--;
  if (size < 0) return -1;
  *there = score_of(p->read[size], id, reading);
  *usual = score_of(p->scores[size], id, NULL);
  return *there && *usual && !is(*there, "not-measured") ? size : -1;
}

/* Under which other readings the verdict is another. One that is measured at smaller sizes only counts if it changes the verdict
 * there too, and is named with its size. */
static void put_other_readings(const struct page *p, const struct claim_row *r) {
  int size = widest(p, r->id[0]);
  const json_t *verdict = score_of(p->scores[size], r->id, NULL), *there, *usual;
  unsigned asked = 0, changed = 0;
  struct str names = {0};
  size_t n;
  const struct reading *all = reading_all(&n);
  for (size_t i = 0; i < n; i++) {
    if (all[i].group != r->id[0] || all[i].is_default) continue;
    int at = score_under(p, r->id, all[i].name, size, &there, &usual);
    if (at < 0) continue;
    asked++;
    if (is(there, text_of(verdict, "verdict")) || is(there, text_of(usual, "verdict"))) continue;
    str_add(&names, "%s`%s`", changed++ ? ", " : "", all[i].name);
    if (at != size) str_add(&names, " (%s)", lab_sizes[at]);
  }
  bool holds = is(verdict, "reproduced");
  if (!asked || is(verdict, "not-measured")) fprintf(p->f, " |");
  else if (!changed) fprintf(p->f, " %s |", holds ? "under all" : "under none");
  else fprintf(p->f, " %s %s |", holds ? "not under" : "under", names.s);
  str_free(&names);
}

static void put_row(const struct page *p, const struct claim_row *r) {
  fprintf(p->f, "| %s | %s | ", r->id, r->where);
  put_text(p->f, r->claim);
  fprintf(p->f, " | %s | %s |", r->published, r->rule);
  for (int s = 0; s < LAB_SIZES; s++) {
    if (!p->scores[s]) continue;
    const json_t *score = score_of(p->scores[s], r->id, NULL);
    const char *bold = is(score, "reproduced") ? "**" : "", *stale = json_is_true(json_object_get(score, "stale")) ? " †" : "";
    const char *sampled = json_is_true(json_object_get(score, "sampled")) && !is(score, "not-measured") ? " ≈" : "";
    fprintf(p->f, " ");
    put_text(p->f, text_of(score, "measured"));
    fprintf(p->f, " | %s%s%s%s%s |", bold, text_of(score, "verdict"), bold, stale, sampled);
  }
  put_other_readings(p, r);
  fprintf(p->f, "\n");
}

/* What a rule says of its figures at each size, where it is something else than at the last, and once why the claim differs. */
static void put_notes(const struct page *p, const struct claim_row *r) {
  const char *said = "", *why = "";
  struct str where = {0};
  for (int s = 0; s < LAB_SIZES; s++) {
    const json_t *score = p->scores[s] ? score_of(p->scores[s], r->id, NULL) : NULL;
    if (!score || is(score, "not-measured")) continue;
    const char *note = text_of(score, json_object_get(score, "why") ? "rule_note" : "note");
    if (*note && strcmp(note, said) != 0) fprintf(p->f, "- **%s**, %s: %s\n", r->id, lab_sizes[s], note);
    said = note;
    if (!*text_of(score, "why")) continue;
    why = text_of(score, "why");
    str_add(&where, "%s%s", where.n ? ", " : "", lab_sizes[s]);
  }
  if (*why) fprintf(p->f, "- **%s**, why it differs (%s): %s\n", r->id, where.s, why);
  else if (is(score_of(p->scores[widest(p, r->id[0])], r->id, NULL), "differs"))
    fprintf(p->f, "- **%s**: why has not been measured on this base\n", r->id);
  str_free(&where);
}

/* Which claims of a paper have no verdict at a size, and the command that gives them one. */
static void put_not_measured(const struct page *p, char letter) {
  for (int s = 0; s < LAB_SIZES; s++) {
    unsigned missing = count(p->scores[s], letter, NULL, "not-measured");
    if (!missing) continue;
    fprintf(p->f, "\nNot measured at size %s (`heddle claims ID... --size %s --store`):", lab_sizes[s], lab_sizes[s]);
    size_t i;
    json_t *score;
    json_array_foreach(p->scores[s], i, score)
      if (text_of(score, "id")[0] == letter && is(score, "not-measured"))
        fprintf(p->f, " %s%s", text_of(score, "id"), --missing ? "," : ".\n");
  }
}

/* ---- readings ------------------------------------------------------------------------------------------------------------ */

static void put_reading(const struct page *p, const struct reading *r, int size) {
  const json_t *list = p->read[size];
  struct str changed = {0};
  size_t i;
  json_t *s;
  json_array_foreach(list, i, s) {
    if (strcmp(text_of(s, "reading"), r->name) != 0) continue;
    const json_t *usual = score_of(p->scores[size], text_of(s, "id"), NULL);
    if (is(s, text_of(usual, "verdict"))) continue;
    bool now = is(s, "reproduced");
    str_add(&changed, "%s%s %s%s%s", changed.n ? ", " : "", text_of(s, "id"), now ? "**" : "", text_of(s, "verdict"), now ? "**" : "");
  }
  fprintf(p->f, "| `%s`: ", r->name);
  put_text(p->f, r->means);
  fprintf(p->f, " | %s | %u | %u | %s |\n", lab_sizes[size], count(list, r->group, r->name, "reproduced"),
          count(p->scores[size], r->group, NULL, "reproduced"), changed.n ? changed.s : "none");
  str_free(&changed);
}

/* How many claims each other reading of the paper reproduces, and which verdicts it changes. */
static void put_readings(const struct page *p, char letter) {
  size_t n;
  const struct reading *all = reading_all(&n);
  bool any = false;
  for (size_t i = 0; i < n; i++)
    for (int s = 0; s < LAB_SIZES; s++) {
      if (all[i].group != letter || all[i].is_default || !has_reading(p->read[s], all[i].name)) continue;
      if (!any)
        fprintf(p->f, "\nUnder another reading (`heddle list readings`):\n\n"
                      "| reading | size | reproduced | by default | verdicts that change |\n|---|---|---|---|---|\n");
      put_reading(p, &all[i], s);
      any = true;
    }
}

static void put_bars(const struct page *p, const json_t *row) {
  const json_t *bars = json_object_get(row, "bars"), *published = json_object_get(row, "published");
  const char *unit = text_of(row, "unit");
  fprintf(p->f, "| %s %s | ", text_of(row, "id"), text_of(row, "label"));
  if (json_is_number(published)) fprintf(p->f, "%.1f %s", json_number_value(published), unit);
  fprintf(p->f, " | %.1f %s |", json_number_value(json_object_get(row, "measured")), unit);
  for (size_t i = 0; i < CLAIM_MOST_BARS; i++) {
    const json_t *b = json_array_get(bars, i);
    if (b) fprintf(p->f, " `%s` %.1f %s", text_of(b, "reading"), json_number_value(json_object_get(b, "measured")), unit);
    fprintf(p->f, " |");
  }
  fprintf(p->f, "\n");
}

/* Which open question moves each speed-up most. */
static void put_sensitivity(const struct page *p, char letter) {
  int size = widest(p, letter);
  json_t *all = claim_sensitivity(p->scores[size], p->read[size]), *row;
  bool any = false;
  size_t i;
  json_array_foreach(all, i, row) {
    if (text_of(row, "id")[0] != letter) continue;
    if (!any)
      fprintf(p->f, "\nWhich open question moves a speed-up most, one at a time, at size %s:\n\n"
                    "| claim | published | by default | most | second | third |\n|---|---|---|---|---|---|\n", lab_sizes[size]);
    put_bars(p, row);
    any = true;
  }
  json_decref(all);
}

/* ---- the page ------------------------------------------------------------------------------------------------------------- */

static void put_group(const struct page *p, const struct claim_paper *g) {
  size_t n;
  const struct claim_row *rows = claim_rows(&n);
  fprintf(p->f, "\n## %s\n\n%s.\n\n| id | where | claim | published | counts as reproduced |", g->name, g->source);
  for (int s = 0; s < LAB_SIZES; s++)
    if (p->scores[s]) fprintf(p->f, " measured, %s | verdict |", lab_sizes[s]);
  fprintf(p->f, " other readings, %s where no size is named |\n|---|---|---|---|---|", lab_sizes[widest(p, g->letter)]);
  for (int s = 0; s < LAB_SIZES; s++)
    if (p->scores[s]) fprintf(p->f, "---|---|");
  fprintf(p->f, "---|\n");
  for (size_t i = 0; i < n; i++)
    if (rows[i].id[0] == g->letter) put_row(p, &rows[i]);
  fprintf(p->f, "\n");
  for (size_t i = 0; i < n; i++)
    if (rows[i].id[0] == g->letter) put_notes(p, &rows[i]);
  put_not_measured(p, g->letter);
  put_readings(p, g->letter);
  put_sensitivity(p, g->letter);
}

static void put_page(const struct page *p) {
  fprintf(p->f,
          "# Published claims, measured again\n\n"
          "Made by `tools/claims_page.sh` from the stored results (`results/claims.tsv`); not edited by hand. The rules are code in\n"
          "`src/lab/claims/claims_*.c`, each tested to hold and to differ with made-up numbers. Workloads are this project's own\n"
          "versions of the papers' benchmarks, at the sizes named in the columns; GPUs are the papers' (`gtx480`, `gtx480-bucl`,\n"
          "`gpu80`, `mesh56`, `gtx480-ccn`). At size paper runs stop after as many instructions as the paper's did. No workload,\n"
          "size or parameter was chosen to make a claim pass. A reason why a claim differs (`results/reasons.toml`) is given only\n"
          "while the runs that show it are what they were.\n\n");
  put_totals(p);
  put_stale(p);
  put_sampled(p);
  for (const struct claim_paper *g = claim_papers; g->letter; g++) put_group(p, g);
}

bool claim_page_write(const struct claim_stored *stored, const char *path, struct err *e) {
  struct page p = {.stored = stored, .widest = -1};
  for (int s = 0; s < LAB_SIZES; s++)
    if (claim_stored_has(stored, lab_sizes[s])) look(&p, s);
  bool ok = p.widest >= 0 || err_set(e, ERR_INPUT, "there are no stored results yet: `heddle claims --store`");
  if (ok) {
    p.f = output_open(path, e);
    if (p.f) put_page(&p);
    ok = p.f && output_close(p.f, path, e);
  }
  for (int s = 0; s < LAB_SIZES; s++) {
    json_decref(p.scores[s]);
    json_decref(p.read[s]);
  }
  return ok;
}
