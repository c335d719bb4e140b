/* For tests of claims: a source of made-up numbers, and a table of cases that make each rule hold and differ.
 *
 * A case lists what is different from the group's defaults; a later row wins over an earlier one. A row with setting NULL is
 * meant for every configuration, with workload NULL for every workload. A value of storage is a row whose statistic is
 * "storage.PART"; one of a probe that is not a number is a row with `json`. */
#ifndef TESTS_CLAIMS_KIT_H
#define TESTS_CLAIMS_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lab/claims/claim.h"
#include "lab/reading.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { KIT_ROWS = 64, KIT_RUNS = 4096 };

struct kit_row {
  const char *set, *workload, *stat;
  double value;
  const char *json;
};
struct kit_case {
  const char *id;
  bool holds;
  struct kit_row rows[KIT_ROWS]; /* ended by one without a statistic */
};

struct kit_source {
  const struct kit_row *defaults, *rows;
  bool silent;            /* nothing is known yet */
  json_t *runs[KIT_RUNS]; /* kept until the case is over */
  size_t n;
};

static inline bool kit_meant(const struct kit_row *r, const struct claim_setup *s, const char *workload) {
  const char *set = s->set ? s->set : "";
  return (!r->set || !strcmp(r->set, set)) && (!r->workload || (workload && !strcmp(r->workload, workload)));
}

static inline void kit_apply(json_t *run, const struct kit_row *rows, const struct claim_setup *s, const char *workload) {
  for (; rows && rows->stat; rows++) {
    if (!kit_meant(rows, s, workload)) continue;
    if (rows->json) json_object_set_new(json_object_get(run, "probes"), rows->stat, json_loads(rows->json, JSON_DECODE_ANY, NULL));
    else json_object_set_new(run, rows->stat, json_real(rows->value));
  }
}

static inline json_t *kit_run(struct kit_source *k, const struct claim_setup *s, const char *workload) {
  json_t *run = json_pack("{s:{}}", "probes");
  kit_apply(run, k->defaults, s, workload);
  kit_apply(run, k->rows, s, workload);
  assert_true(k->n < KIT_RUNS);
  k->runs[k->n++] = run;
  return run;
}

static inline enum claim_answer kit_answer_run(void *user, const struct claim_ask *ask, const json_t **run, const char **why) {
  struct kit_source *k = user;
  (void)why;
  if (k->silent) return CLAIM_LATER;
  *run = kit_run(k, ask->setup, ask->workload);
  return CLAIM_KNOWN;
}

static inline enum claim_answer kit_answer_storage(void *user, const struct claim_setup *s, const char *part, double *bits,
                                                   const char **why) {
  char name[64];
  snprintf(name, sizeof name, "storage.%s", part);
  const json_t *v = json_object_get(kit_run(user, s, NULL), name);
  *bits = json_number_value(v);
  *why = "no such storage in the case";
  return v ? CLAIM_KNOWN : CLAIM_NEVER;
}

static inline enum claim_answer kit_answer_key(void *user, const struct claim_setup *s, const char *key, double *value,
                                               const char **why) {
  const json_t *v = json_object_get(kit_run(user, s, NULL), key);
  *value = json_number_value(v);
  *why = "no such key in the case";
  return v ? CLAIM_KNOWN : CLAIM_NEVER;
}

static inline double kit_answer_count(void *user, const char *table) {
  const struct claim_setup none = {.gpu = ""};
  return json_number_value(json_object_get(kit_run(user, &none, NULL), table));
}

static inline json_t *kit_score_under(const char *reading, const char *id, const struct kit_row *defaults, const struct kit_row *rows,
                                      bool silent) {
  static struct kit_source k;
  k = (struct kit_source){.defaults = defaults, .rows = rows, .silent = silent};
  struct err e = {0};
  const struct reading *r = reading ? reading_find(reading, &e) : NULL;
  if (reading && !r) fail_msg("%s: %s", reading, e.text);
  const struct claim_source source = {kit_answer_run, kit_answer_storage, kit_answer_key, kit_answer_count, &k, r};
  json_t *score = claim_evaluate(id, claim_rule_of(id), &source);
  for (size_t i = 0; i < k.n; i++) json_decref(k.runs[i]);
  return score;
}

/* The score of a rule under made-up numbers; to be given back. */
static inline json_t *kit_score(const char *id, const struct kit_row *defaults, const struct kit_row *rows, bool silent) {
  return kit_score_under(NULL, id, defaults, rows, silent);
}

static inline const char *kit_text(const json_t *score, const char *name) { return json_string_value(json_object_get(score, name)); }

static inline void kit_check_case(const char *reading, const struct kit_row *defaults, const struct kit_case *c) {
  json_t *score = kit_score_under(reading, c->id, defaults, c->rows, false);
  const char *want = c->holds ? "reproduced" : "differs";
  if (strcmp(kit_text(score, "verdict"), want) != 0)
    fail_msg("%s: %s, but this case is one that %s (measured %s; %s)", c->id, kit_text(score, "verdict"), want,
             kit_text(score, "measured"), kit_text(score, "note"));
  assert_true(*kit_text(score, "measured"));
  assert_null(strstr(kit_text(score, "measured"), "nan"));
  json_decref(score);
}

/* Every case, and that every rule of the group has one of either kind. */
static inline void kit_check_group(const struct claim_rule *group, const struct kit_row *defaults, const struct kit_case *cases,
                                   size_t n) {
  for (size_t i = 0; i < n; i++) kit_check_case(NULL, defaults, &cases[i]);
  for (; group->id; group++) {
    unsigned holds = 0, differs = 0;
    for (size_t i = 0; i < n; i++)
      if (!strcmp(cases[i].id, group->id)) *(cases[i].holds ? &holds : &differs) += 1;
    if (!holds || !differs) fail_msg("%s has %u cases that hold and %u that differ", group->id, holds, differs);
  }
}

#endif
