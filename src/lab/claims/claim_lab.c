/* See claim_lab.h. */
#include "lab/claims/claim_lab.h"

#include "base/str.h"
#include "base/version.h"
#include "lab/claims/claim_asks.h"
#include "lab/claims/claim_reason.h"
#include "lab/figures/figure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- rounds ---------------------------------------------------------------------------------------------------------------- */

/* Every figure of the groups; *list gets them (may be NULL: only what they ask for is wanted). */
static void draw_all(const char *groups, json_t *list, const struct claim_source *source) {
  for (const struct figure *const *g = figure_groups; *g; g++)
    for (const struct figure *f = *g; f->id && strchr(groups, f->id[0]); f++) {
      json_t *drawn = figure_evaluate(f, source);
      if (list) json_array_append(list, drawn);
      json_decref(drawn);
    }
}

/* The experiments of a claim's reason. */
static void ask_reason(const struct claim_lab *l, const char *id, const struct claim_source *source) {
  const struct claim_reason *r = claim_reason(id);
  const json_t *run;
  const char *why;
  for (size_t i = 0; r && i < r->n; i++) {
    const struct claim_experiment *x = &r->shows[i];
    const struct claim_ask ask = {.setup = &x->setup, .workload = x->workload, .name = x->name};
    if (!strcmp(x->size, l->size)) source->run(source->user, &ask, &run, &why);
  }
}

/* Every rule, reason and figure once; what it asks for is noted by the source. */
static void ask_all(const struct claim_lab *l, const char *const *ids, size_t n, const struct claim_source *source) {
  for (size_t i = 0; i < n && !l->reading && !l->programs && !l->sample; i++) ask_reason(l, ids[i], source);
  for (size_t i = 0; i < n; i++) json_decref(claim_evaluate(ids[i], claim_rule_of(ids[i]), source));
  if (l->figures) draw_all(l->figures, NULL, source);
}

static bool run_round(struct claim_asks *m, int *stopped) {
  struct lab_plan plan = {0};
  struct lab_sweep sweep = m->l->sweep;
  struct lab_sweep_counts counts;
  struct err e = {0};
  sweep.plan = &plan;
  sweep.shard = sweep.shards = 1; /* asks are divided, not this list of them */
  for (size_t i = 0; i < m->n; i++)
    if (claim_ask_waits(&m->asks[i])) lab_plan_add(&plan, &m->asks[i].run, &e);
  if (m->l->round) m->l->round(sweep.user, plan.n);
  bool ok = lab_sweep_run(&sweep, &counts, stopped, m->e);
  for (size_t i = 0; i < m->n; i++) {
    if (!claim_ask_waits(&m->asks[i])) continue;
    claim_ask_look(m, &m->asks[i]);
    if (ok && m->asks[i].state == ASK_TO_RUN) claim_ask_refuse(m, &m->asks[i], "the run failed");
  }
  lab_plan_free(&plan);
  return ok && !m->e->kind;
}

static bool anything_to_run(const struct claim_asks *m) {
  for (size_t i = 0; i < m->n; i++)
    if (claim_ask_waits(&m->asks[i])) return true;
  return false;
}

static bool keep_score(struct lab_db *db, const struct claim_lab *l, const json_t *score, struct err *e) {
  char *figures = json_dumps(json_object_get(score, "figures"), JSON_COMPACT);
  static const char *const names[] = {"id", "published", "measured", "verdict", "note"};
  const char *args[10] = {0};
  char reading[96];
  snprintf(reading, sizeof reading, "%s%s%s", l->reading ? l->reading->name : "", l->programs ? CLAIM_PROGRAMS : "",
           l->sample ? CLAIM_SAMPLE : "");
  for (int i = 0; i < 5; i++) args[i] = json_string_value(json_object_get(score, names[i]));
  args[5] = figures;
  args[6] = l->size;
  args[7] = HEDDLE_VERSION;
  args[8] = reading;
  bool ok = lab_db_change(db,
                          "INSERT OR REPLACE INTO scores (id, published, measured, verdict, note, figures, size, version, reading, "
                          "finished)"
                          " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))", args, e);
  free(figures);
  return ok;
}

/* What `heddle explore` reported in the same database. */
static void store_counts(const struct claim_lab *l) {
  struct err e = {0};
  struct str sql = {0};
  str_add(&sql, "SELECT count(*) FROM combinations WHERE size = '%s'", l->size);
  json_t *rows = lab_db_query(l->sweep.db, sql.s, &e);
  double n = json_number_value(json_array_get(json_array_get(rows, 0), 0));
  if (n > 0) claim_stored_put_count(l->store, l->size, "combinations", n);
  json_decref(rows);
  str_free(&sql);
}

/* Why it differs, where there is a reason that holds: one that was found with the workloads. */
static void add_reason(const struct claim_asks *m, json_t *score) {
  const char *verdict = json_string_value(json_object_get(score, "verdict")), *id = json_string_value(json_object_get(score, "id"));
  const struct claim_reason *r = strcmp(verdict, "differs") ? NULL : claim_reason(id);
  if (!r || m->l->programs || !m->l->stored || !claim_reason_holds(r, m->l->stored)) return;
  struct str all = {0};
  const char *note = json_string_value(json_object_get(score, "note"));
  str_add(&all, "%s%s%s", note, *note ? ". " : "", r->why);
  json_object_set_new(score, "rule_note", json_string(note)); /* for who tells the reason apart */
  json_object_set_new(score, "why", json_string(r->why));
  json_object_set_new(score, "note", json_string(all.s));
  str_free(&all);
}

static json_t *evaluate_all(struct claim_asks *m, const char *const *ids, size_t n, const struct claim_source *source) {
  json_t *scores = json_array();
  for (size_t i = 0; i < n && !m->e->kind; i++) {
    m->met_stale = m->met_sampled = false;
    json_t *score = claim_evaluate(ids[i], claim_rule_of(ids[i]), source);
    add_reason(m, score);
    json_object_set_new(score, "stale", json_boolean(m->met_stale));
    if (m->met_sampled) json_object_set_new(score, "sampled", json_true());
    if (m->l->sweep.db) keep_score(m->l->sweep.db, m->l, score, m->e);
    json_array_append_new(scores, score);
  }
  return scores;
}

bool claim_lab_measure(const struct claim_lab *l, const char *const *ids, size_t n, json_t **scores, int *stopped,
                       struct err *e) {
  struct claim_asks m = {.l = l, .e = e};
  const struct claim_source source = claim_asks_source(&m);
  bool ok = true;
  *scores = NULL;
  *stopped = 0;
  do {
    ask_all(l, ids, n, &source);
    ok = !e->kind && (!anything_to_run(&m) || run_round(&m, stopped));
    if (ok || *stopped) ask_all(l, ids, n, &source); /* for the names of the numbers that are wanted of what was run */
  } while (ok && anything_to_run(&m));
  if ((ok || *stopped) && l->store) { /* before scores: reasons rest on what is stored */
    claim_asks_store(&m, l->store);
    store_counts(l);
  }
  if (ok && l->sweep.shards < 2) *scores = evaluate_all(&m, ids, n, &source);
  claim_asks_free(&m);
  return ok && !e->kind;
}

json_t *claim_lab_look(const struct claim_stored *stored, const char *size, const struct reading *reading, const char *sample,
                       const char *const *ids, size_t n) {
  struct err e = {0};
  const struct claim_lab l = {.size = size, .reading = reading, .sample = sample, .stored = stored};
  struct claim_asks m = {.l = &l, .only_look = true, .e = &e};
  const struct claim_source source = claim_asks_source(&m);
  json_t *scores = evaluate_all(&m, ids, n, &source);
  claim_asks_free(&m);
  return scores;
}

/* The claims of a group, or all of them. */
static size_t ids_of(char group, const char **ids, size_t most) {
  size_t n, k = 0;
  const struct claim_row *rows = claim_rows(&n);
  for (size_t i = 0; i < n && k < most; i++)
    if (!group || rows[i].id[0] == group) ids[k++] = rows[i].id;
  return k;
}

bool claim_lab_keep(struct lab_db *db, const struct claim_stored *stored, const char *size, struct err *e) {
  enum { MOST = 256 };
  size_t n;
  const struct reading *all = reading_all(&n);
  const char *ids[MOST];
  bool ok = true;
  for (size_t i = 0; i <= n && ok; i++) { /* the defaults first, which are no entry of their own */
    const struct reading *r = i ? &all[i - 1] : NULL;
    if (r && r->is_default) continue;
    const struct claim_lab l = {.size = size, .reading = r};
    json_t *scores = claim_lab_look(stored, size, r, NULL, ids, ids_of(r ? r->group : 0, ids, MOST)), *s;
    size_t k;
    json_array_foreach(scores, k, s) ok = ok && keep_score(db, &l, s, e);
    json_decref(scores);
  }
  return ok;
}

json_t *claim_lab_figures(struct lab_db *db, const struct claim_stored *stored, const struct lab_programs *programs, const char *size,
                          const char *groups, struct err *e) {
  const struct claim_lab l = {.size = size, .stored = stored, .programs = programs, .sweep = {.db = db}};
  struct claim_asks m = {.l = &l, .only_look = true, .e = e};
  const struct claim_source source = claim_asks_source(&m);
  json_t *list = json_array();
  draw_all(groups, list, &source);
  claim_asks_free(&m);
  if (!e->kind) return list;
  json_decref(list);
  return NULL;
}
