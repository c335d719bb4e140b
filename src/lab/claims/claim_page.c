/* See claim_page.h. A table a group, reasons below it: cells of a table hold no paragraphs. */
#include "lab/claims/claim_page.h"

#include "base/output.h"
#include "base/str.h"
#include "lab/claims/claim.h"
#include "lab/claims/reading.h"

#include <stdio.h>
#include <string.h>

static const struct {
  char letter;
  const char *name, *source;
} groups[] = {
    {'T', "Tag-split cache", "Li, Hayes, Song, Zhang: Tag-Split Cache for Efficient GPGPU Cache Utilization, ICS 2016"},
    {'B', "Bypassing un-coalesced loads", "Zhao, Wang, Lin, Zhou, Zheng: Selectively GPU Cache Bypassing for Un-Coalesced Loads"},
    {'A', "Adaptive last-level cache",
     "Zhao, Adileh, Yu, Wang, Jaleel, Eeckhout: Adaptive Memory-Side Last-Level GPU Caching, ISCA 2019"},
    {'D', "Data filtering",
     "Byoun: Data Traffic Reduction by Exploiting Data Criticality with a Compressor in GPU, "
     "master's thesis, Texas A&M University 2018"},
    {'C', "Cooperative caching", "Dublish, Nagarajan, Topham: Cooperative Caching for GPUs, ACM TACO 13(4), 2016"},
    {'X', "All together", "no paper has these"},
};
static const char *const sizes[] = {"small", "medium"};
enum { GROUPS = sizeof groups / sizeof *groups, SIZES = sizeof sizes / sizeof *sizes };

struct page {
  json_t *scores[SIZES]; /* id to [measured, verdict, note]; NULL: none of this size */
  FILE *f;
  struct lab_db *db;
  struct err *e;
};

static json_t *scores_of(struct lab_db *db, const char *size, const char *reading, struct err *e) {
  struct str sql = {0};
  str_add(&sql, "SELECT id, measured, verdict, note FROM scores WHERE size = '%s' AND reading = '%s'", size, reading);
  json_t *rows = lab_db_query(db, sql.s, e), *out = json_object(), *row;
  size_t i;
  json_array_foreach(rows, i, row) json_object_set(out, json_string_value(json_array_get(row, 0)), row);
  str_free(&sql);
  json_decref(rows);
  if (json_object_size(out)) return out;
  json_decref(out);
  return NULL;
}

static const char *cell(const struct page *p, int size, const char *id, int column) {
  const char *text = json_string_value(json_array_get(json_object_get(p->scores[size], id), (size_t)column));
  return text ? text : column == 2 ? "not-measured" : "";
}

/* ---- totals -------------------------------------------------------------------------------------------------------------- */

static unsigned count(const struct page *p, int size, char letter, const char *verdict) {
  size_t n;
  const struct claim_row *rows = claim_rows(&n);
  unsigned sum = 0;
  for (size_t i = 0; i < n; i++)
    sum += (!letter || rows[i].id[0] == letter) && !strcmp(cell(p, size, rows[i].id, 2), verdict);
  return sum;
}

static void put_counts(const struct page *p, char letter, const char *name) {
  fprintf(p->f, "| %s |", name);
  for (int s = 0; s < SIZES; s++)
    if (p->scores[s])
      fprintf(p->f, " %u | %u | %u |", count(p, s, letter, "reproduced"), count(p, s, letter, "differs"),
              count(p, s, letter, "not-measured"));
  fprintf(p->f, "\n");
}

static void put_totals(const struct page *p) {
  fprintf(p->f, "| |");
  for (int s = 0; s < SIZES; s++)
    if (p->scores[s]) fprintf(p->f, " reproduced, %s | differ | not measured |", sizes[s]);
  fprintf(p->f, "\n|---|");
  for (int s = 0; s < SIZES; s++)
    if (p->scores[s]) fprintf(p->f, "---|---|---|");
  fprintf(p->f, "\n");
  for (int g = 0; g < GROUPS; g++) put_counts(p, groups[g].letter, groups[g].name);
  put_counts(p, 0, "**all**");
}

/* ---- groups -------------------------------------------------------------------------------------------------------------- */

/* '|' would end a cell. */
static void put_text(FILE *f, const char *text) {
  for (; *text; text++) fprintf(f, *text == '|' ? "\\%c" : "%c", *text);
}

static void put_row(const struct page *p, const struct claim_row *r) {
  fprintf(p->f, "| %s | %s | ", r->id, r->where);
  put_text(p->f, r->claim);
  fprintf(p->f, " | %s | %s |", r->published, r->rule);
  for (int s = 0; s < SIZES; s++) {
    if (!p->scores[s]) continue;
    const char *verdict = cell(p, s, r->id, 2);
    fprintf(p->f, " ");
    put_text(p->f, cell(p, s, r->id, 1));
    fprintf(p->f, " | %s%s%s |", strcmp(verdict, "reproduced") ? "" : "**", verdict, strcmp(verdict, "reproduced") ? "" : "**");
  }
  fprintf(p->f, "\n");
}

/* Notes of both sizes, the second only where it says something else. */
static void put_notes(const struct page *p, const struct claim_row *r) {
  const char *said = "";
  for (int s = 0; s < SIZES; s++) {
    const char *note = p->scores[s] ? cell(p, s, r->id, 3) : "";
    if (!*note || !strcmp(note, said)) continue;
    fprintf(p->f, "- **%s**, %s: %s\n", r->id, sizes[s], note);
    said = note;
  }
}

/* ---- readings ------------------------------------------------------------------------------------------------------------ */

/* The claims of a group whose verdict a reading changes, and how many it reproduces. */
static void put_reading_counts(const struct page *p, const struct reading *r, int size, json_t *scores) {
  size_t n;
  const struct claim_row *rows = claim_rows(&n);
  unsigned reproduced = 0;
  struct str changed = {0};
  for (size_t i = 0; i < n; i++) {
    const char *now = json_string_value(json_array_get(json_object_get(scores, rows[i].id), 2));
    if (rows[i].id[0] != r->group || !now) continue;
    reproduced += !strcmp(now, "reproduced");
    const char *usual = cell(p, size, rows[i].id, 2);
    if (strcmp(now, usual) != 0)
      str_add(&changed, "%s%s %s", changed.n ? ", " : "", rows[i].id, strcmp(now, "reproduced") ? now : "**reproduced**");
  }
  fprintf(p->f, "| `%s`: ", r->name);
  put_text(p->f, r->means);
  fprintf(p->f, " | %s | %u | %u | %s |\n", sizes[size], reproduced, count(p, size, r->group, "reproduced"),
          changed.n ? changed.s : "none");
  str_free(&changed);
}

/* How many claims each other reading of the paper reproduces, and which verdicts it changes. */
static void put_readings(const struct page *p, int g) {
  size_t n;
  const struct reading *all = reading_all(&n);
  bool any = false;
  for (size_t i = 0; i < n; i++)
    for (int s = 0; s < SIZES; s++) {
      if (all[i].group != groups[g].letter || all[i].is_default || !p->scores[s]) continue;
      json_t *scores = scores_of(p->db, sizes[s], all[i].name, p->e);
      if (scores && !any)
        fprintf(p->f, "\nUnder another reading (`heddle list readings`):\n\n"
                      "| reading | size | reproduced | by default | verdicts that change |\n|---|---|---|---|---|\n");
      if (scores) put_reading_counts(p, &all[i], s, scores);
      any = any || scores;
      json_decref(scores);
    }
}

static void put_group(const struct page *p, int g) {
  size_t n;
  const struct claim_row *rows = claim_rows(&n);
  fprintf(p->f, "\n## %s\n\n%s.\n\n| id | where | claim | published | counts as reproduced |", groups[g].name, groups[g].source);
  for (int s = 0; s < SIZES; s++)
    if (p->scores[s]) fprintf(p->f, " measured, %s | verdict |", sizes[s]);
  fprintf(p->f, "\n|---|---|---|---|---|");
  for (int s = 0; s < SIZES; s++)
    if (p->scores[s]) fprintf(p->f, "---|---|");
  fprintf(p->f, "\n");
  for (size_t i = 0; i < n; i++)
    if (rows[i].id[0] == groups[g].letter) put_row(p, &rows[i]);
  fprintf(p->f, "\n");
  for (size_t i = 0; i < n; i++)
    if (rows[i].id[0] == groups[g].letter) put_notes(p, &rows[i]);
  put_readings(p, g);
}

static void put_page(const struct page *p) {
  fprintf(p->f,
          "# Published claims, measured again\n\n"
          "Made by `heddle claims --page docs/claims.md`; not edited by hand. The rules are code in `src/lab/claims_*.c`, each\n"
          "tested to hold and to differ with made-up numbers. Workloads are this project's own versions of the papers'\n"
          "benchmarks, at the sizes named in the columns; GPUs are the papers' (`gtx480`, `gtx480-bucl`, `gpu80`, `mesh56`,\n"
          "`gtx480-ccn`). No workload, size or parameter was chosen to make a claim pass; what differs stays, with the reason\n"
          "as far as it is known. Reasons that quote figures were found before the presets followed GPGPU-Sim and workloads their\n"
          "originals ([state](state.md)); the measured columns are newer.\n\n");
  put_totals(p);
  for (int g = 0; g < GROUPS; g++) put_group(p, g);
}

bool claim_page_write(struct lab_db *db, const char *path, struct err *e) {
  struct page p = {.db = db, .e = e};
  bool any = false;
  for (int s = 0; s < SIZES; s++) any = (p.scores[s] = scores_of(db, sizes[s], "", e)) || any;
  bool ok = !e->kind && (any || err_set(e, ERR_INPUT, "the database holds no scores of claims yet"));
  if (ok) {
    p.f = output_open(path, e);
    if (p.f) put_page(&p);
    ok = p.f && output_close(p.f, path, e);
  }
  for (int s = 0; s < SIZES; s++) json_decref(p.scores[s]);
  return ok;
}
