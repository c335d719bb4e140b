/* See claims_show.h. */
#include "cli/commands/claims_show.h"

#include "base/output.h"
#include "cli/show/colour.h"
#include "lab/claims/claim_lab.h"

#include <stdio.h>
#include <string.h>

static const char *text_of(const json_t *score, const char *name) { return json_string_value(json_object_get(score, name)); }

static unsigned count(const json_t *scores, const char *verdict) {
  unsigned n = 0;
  for (size_t i = 0; i < json_array_size(scores); i++) n += !strcmp(text_of(json_array_get(scores, i), "verdict"), verdict);
  return n;
}

void claims_show_scores(const json_t *scores) {
  for (size_t i = 0; i < json_array_size(scores); i++) {
    const json_t *s = json_array_get(scores, i);
    const struct claim_row *row = claim_row(text_of(s, "id"));
    const char *stale = json_is_true(json_object_get(s, "stale")) ? " (of stale results)"
                        : json_is_true(json_object_get(s, "sampled")) ? " (of sampled runs)" : "";
    const char *verdict = text_of(s, "verdict");
    enum cli_colour c = !strcmp(verdict, "reproduced") ? CLI_GREEN : !strcmp(verdict, "differs") ? CLI_RED : CLI_FAINT;
    printf("%-4s %s%-12s%s %s%s\n", row->id, cli_colour(c), verdict, cli_colour(CLI_PLAIN), row->claim, stale);
    printf("       published %s (%s)%s%s\n", row->published, row->rule, *text_of(s, "measured") ? "; measured " : "",
           text_of(s, "measured"));
    if (*text_of(s, "note")) printf("       %s\n", text_of(s, "note"));
  }
  printf("\n%u reproduced, %u differ, %u not measured\n", count(scores, "reproduced"), count(scores, "differs"),
         count(scores, "not-measured"));
}

/* Figures are for the database and the report. */
bool claims_show_json(const json_t *scores, const char *path, struct err *e) {
  static const char *const names[] = {"id", "published", "measured", "verdict", "note", "reading", "sampled"};
  json_t *list = json_array();
  for (size_t i = 0; i < json_array_size(scores); i++) {
    json_t *o = json_object();
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
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
bool claims_show_figures(const struct claim_lab *l, const char *path, struct err *e) {
  json_t *list = claim_lab_figures(l->sweep.db, l->stored, l->programs, l->size, l->figures, e), *f;
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
    printf("%zu of %zu figures are whole; `heddle report %s%s%s -o FILE.html` draws them\n", whole, json_array_size(list), path,
           l->programs ? " --programs " : "", l->programs ? l->programs->path : "");
  json_decref(list);
  return list != NULL;
}

static const json_t *score_of(const json_t *scores, const char *id) {
  for (size_t i = 0; i < json_array_size(scores); i++)
    if (!strcmp(text_of(json_array_get(scores, i), "id"), id)) return json_array_get(scores, i);
  return NULL;
}

/* One line a reading, and which verdicts it changes. */
void claims_show_reading(const struct reading *r, const json_t *usual, const json_t *scores) {
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
