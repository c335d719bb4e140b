/* See claim_lab.h. An ask is a run that some rule wants: known, to be run, or not to be had. Several rules that want the
 * same run with different probes get one run with all of them, if they ask before it is made. */
#include "lab/claims/claim_lab.h"

#include "base/str.h"
#include "base/version.h"
#include "gpu/gpu.h"
#include "cost/storage.h"
#include "lab/figures/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum ask_state { ASK_TO_RUN, ASK_KNOWN, ASK_NEVER };

struct ask {
  const char *key;      /* workload, GPU and settings as the rule wrote them; probes too where nothing will be run */
  struct lab_run run;   /* with every probe that was asked for */
  enum ask_state state;
  json_t *result;       /* ASK_KNOWN */
  const char *why;      /* ASK_NEVER */
};

struct measuring {
  const struct claim_lab *l;
  struct arena arena;
  struct ask *asks;
  size_t n, cap;
  struct strmap by_key;
  bool only_look;       /* nothing will be run: whoever asks without probes is content with a run without them */
  struct err *e;        /* of the host; ends everything */
};

/* ---- asks ------------------------------------------------------------------------------------------------------------------ */

static bool has_word(const char *list, const char *word, size_t n) {
  for (const char *at = list; *at;) {
    size_t len = strcspn(at, ",");
    if (len == n && !memcmp(at, word, n)) return true;
    at += len + (at[len] == ',');
  }
  return false;
}

/* `list` with the words of `more` that it lacks, or `list` itself. */
static const char *joined(struct arena *a, const char *list, const char *more) {
  struct str s = {0};
  str_addn(&s, list, strlen(list));
  for (const char *at = more; *at;) {
    size_t n = strcspn(at, ",");
    if (!has_word(list, at, n)) str_add(&s, "%s%.*s", s.n ? "," : "", (int)n, at);
    at += n + (at[n] == ',');
  }
  if (s.n > strlen(list)) list = arena_strndup(a, s.s, s.n);
  str_free(&s);
  return list;
}

static void refuse(struct measuring *m, struct ask *a, const char *what) {
  struct str why = {0};
  str_add(&why, "%s on %s%s%s: %.*s", a->run.workload, a->run.gpu, *a->run.settings ? "," : "", a->run.settings,
          (int)strcspn(what, "\n"), what);
  a->state = ASK_NEVER;
  a->why = arena_strndup(&m->arena, why.s, why.n);
  str_free(&why);
}

/* Looks in the database. */
static void look(struct measuring *m, struct ask *a) {
  json_t *found = NULL;
  switch (lab_db_results(m->l->sweep.db, &a->run, &found, m->e)) {
  case LAB_DONE:
    a->state = ASK_KNOWN;
    json_decref(a->result);
    a->result = found;
    return;
  case LAB_FAILED:
    if (!m->l->sweep.retry_failed) refuse(m, a, json_string_value(found));
    break;
  default: break;
  }
  json_decref(found);
}

/* Fills in what identifies the run, or says why it cannot be. */
static void identify(struct measuring *m, struct ask *a) {
  struct lab_plan p = {0};
  struct err e = {0};
  if (m->l->workloads && !lab_is_workload(a->run.workload, m->l->workloads, m->l->n_workloads)) refuse(m, a, "there is no such workload");
  else if (!lab_plan_add(&p, &a->run, &e)) refuse(m, a, e.text);
  else {
    a->run.config_hash = arena_strndup(&m->arena, p.runs[0].config_hash, strlen(p.runs[0].config_hash));
    a->run.settings = arena_strndup(&m->arena, p.runs[0].settings, strlen(p.runs[0].settings));
    a->run.probes = arena_strndup(&m->arena, p.runs[0].probes, strlen(p.runs[0].probes));
    look(m, a);
  }
  lab_plan_free(&p);
}

/* What a rule sets, and after it what the reading does. */
static const char *settings_of(struct measuring *m, const struct claim_setup *s) {
  const struct reading *r = m->l->reading;
  const char *set = s->set ? s->set : "";
  if (!r || !*r->set || !strstr(set, r->only)) return set;
  struct str all = {0};
  str_add(&all, "%s%s%s", set, *set ? "," : "", r->set);
  const char *kept = arena_strndup(&m->arena, all.s, all.n);
  str_free(&all);
  return kept;
}

static struct ask *ask_for(struct measuring *m, const struct claim_setup *s, const char *workload) {
  struct str key = {0};
  uint32_t at;
  const char *settings = settings_of(m, s);
  str_add(&key, "%s|%s|%s|%s", workload, s->gpu, settings, m->only_look && s->probes ? s->probes : "");
  bool there = strmap_get(&m->by_key, key.s, key.n, &at);
  if (!there) {
    GROW(m->asks, m->cap, m->n + 1);
    struct ask *a = &m->asks[at = (uint32_t)m->n++];
    *a = (struct ask){.key = arena_strndup(&m->arena, key.s, key.n),
                      .run = {.workload = workload, .size = m->l->size, .seed = "", .gpu = s->gpu,
                              .settings = settings, .probes = s->probes ? s->probes : ""}};
    strmap_put(&m->by_key, a->key, key.n, at);
    identify(m, a);
  }
  str_free(&key);
  struct ask *a = &m->asks[at];
  const char *all = joined(&m->arena, a->run.probes, s->probes ? s->probes : "");
  if (all != a->run.probes && a->state != ASK_NEVER) {
    a->run.probes = all;
    a->state = ASK_TO_RUN;
    identify(m, a);
  }
  return a;
}

/* ---- the source of numbers ---------------------------------------------------------------------------------------------------- */

static enum claim_answer answer_run(void *user, const struct claim_setup *s, const char *workload, const json_t **run,
                                    const char **why) {
  const struct ask *a = ask_for(user, s, workload);
  *run = a->result;
  *why = a->why;
  return a->state == ASK_KNOWN ? CLAIM_KNOWN : a->state == ASK_NEVER ? CLAIM_NEVER : CLAIM_LATER;
}

static struct cfg *configuration(struct measuring *m, const struct claim_setup *s, const char **why) {
  struct cfg *c = gpu_cfg_new();
  struct err e = {0};
  if (gpu_cfg_preset(c, s->gpu, &e) && cfg_set_all(c, settings_of(m, s), &e)) return c;
  *why = arena_strndup(&m->arena, e.text, strlen(e.text));
  cfg_delete(c);
  return NULL;
}

static enum claim_answer answer_storage(void *user, const struct claim_setup *s, const char *part, double *bits,
                                        const char **why) {
  struct measuring *m = user;
  struct cfg *c = configuration(m, s, why);
  struct cost_storage parts[COST_STORAGE_PARTS];
  struct err e = {0};
  size_t n = c ? cost_storage(c, parts, &e) : 0;
  bool found = !*part && n;
  *bits = 0;
  for (size_t i = 0; i < n; i++) {
    if (*part && strcmp(parts[i].part, part) != 0) continue;
    *bits += (double)parts[i].bits;
    found = true;
  }
  if (c) cfg_delete(c);
  if (!c || found) return c ? CLAIM_KNOWN : CLAIM_NEVER;
  if (!e.kind) err_set(&e, ERR_INPUT, "no storage is known of '%s'", part);
  *why = arena_strndup(&m->arena, e.text, strlen(e.text));
  return CLAIM_NEVER;
}

static enum claim_answer answer_key(void *user, const struct claim_setup *s, const char *key, double *value, const char **why) {
  struct cfg *c = configuration(user, s, why);
  if (!c) return CLAIM_NEVER;
  *value = cfg_real(c, key);
  cfg_delete(c);
  return CLAIM_KNOWN;
}

static double answer_count(void *user, const char *table) {
  const struct measuring *m = user;
  struct str sql = {0};
  struct err e = {0};
  str_add(&sql, "SELECT count(*) FROM %s WHERE size = '%s'", table, m->l->size);
  if (!strcmp(table, "scores")) str_add(&sql, " AND verdict <> 'not-measured' AND id NOT LIKE 'X%%' AND reading = ''");
  json_t *rows = lab_db_query(m->l->sweep.db, sql.s, &e);
  double n = json_number_value(json_array_get(json_array_get(rows, 0), 0));
  json_decref(rows);
  str_free(&sql);
  return n;
}

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

/* Every rule and figure once; what it asks for is noted by the source. */
static void ask_all(const struct claim_lab *l, const char *const *ids, size_t n, const struct claim_source *source) {
  for (size_t i = 0; i < n; i++) json_decref(claim_evaluate(ids[i], claim_rule_of(ids[i]), source));
  if (l->figures) draw_all(l->figures, NULL, source);
}

static bool run_round(struct measuring *m, int *stopped) {
  struct lab_plan plan = {0};
  struct lab_sweep sweep = m->l->sweep;
  struct lab_sweep_counts counts;
  struct err e = {0};
  sweep.plan = &plan;
  for (size_t i = 0; i < m->n; i++)
    if (m->asks[i].state == ASK_TO_RUN) lab_plan_add(&plan, &m->asks[i].run, &e);
  if (m->l->round) m->l->round(sweep.user, plan.n);
  bool ok = lab_sweep_run(&sweep, &counts, stopped, m->e);
  for (size_t i = 0; i < m->n && ok; i++) {
    if (m->asks[i].state != ASK_TO_RUN) continue;
    look(m, &m->asks[i]);
    if (m->asks[i].state == ASK_TO_RUN) refuse(m, &m->asks[i], "the run failed");
  }
  lab_plan_free(&plan);
  return ok && !m->e->kind;
}

static bool anything_to_run(const struct measuring *m) {
  for (size_t i = 0; i < m->n; i++)
    if (m->asks[i].state == ASK_TO_RUN) return true;
  return false;
}

static bool keep_score(struct measuring *m, const json_t *score) {
  char *figures = json_dumps(json_object_get(score, "figures"), JSON_COMPACT);
  static const char *const names[] = {"id", "published", "measured", "verdict", "note"};
  const char *args[10] = {0};
  for (int i = 0; i < 5; i++) args[i] = json_string_value(json_object_get(score, names[i]));
  args[5] = figures;
  args[6] = m->l->size;
  args[7] = HEDDLE_VERSION;
  args[8] = m->l->reading ? m->l->reading->name : "";
  bool ok = lab_db_change(m->l->sweep.db,
                          "INSERT OR REPLACE INTO scores (id, published, measured, verdict, note, figures, size, version, reading, "
                          "finished)"
                          " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))", args, m->e);
  free(figures);
  return ok;
}

static json_t *evaluate_all(struct measuring *m, const char *const *ids, size_t n, const struct claim_source *source) {
  json_t *scores = json_array();
  for (size_t i = 0; i < n && !m->e->kind; i++) {
    json_t *score = claim_evaluate(ids[i], claim_rule_of(ids[i]), source);
    keep_score(m, score);
    json_array_append_new(scores, score);
  }
  return scores;
}

static void forget(struct measuring *m) {
  for (size_t i = 0; i < m->n; i++) json_decref(m->asks[i].result);
  free(m->asks);
  strmap_free(&m->by_key);
  arena_free(&m->arena);
}

bool claim_lab_measure(const struct claim_lab *l, const char *const *ids, size_t n, json_t **scores, int *stopped,
                       struct err *e) {
  struct measuring m = {.l = l, .e = e};
  const struct claim_source source = {answer_run, answer_storage, answer_key, answer_count, &m, l->reading};
  bool ok = true;
  *scores = NULL;
  *stopped = 0;
  do {
    ask_all(l, ids, n, &source);
    ok = !e->kind && (!anything_to_run(&m) || run_round(&m, stopped));
    if (ok) ask_all(l, ids, n, &source);
  } while (ok && anything_to_run(&m));
  if (ok) *scores = evaluate_all(&m, ids, n, &source);
  forget(&m);
  return ok && !e->kind;
}

json_t *claim_lab_figures(struct lab_db *db, const char *size, const char *groups, struct err *e) {
  const struct claim_lab l = {.size = size, .sweep = {.db = db}};
  struct measuring m = {.l = &l, .only_look = true, .e = e};
  const struct claim_source source = {answer_run, answer_storage, answer_key, answer_count, &m, NULL};
  json_t *list = json_array();
  draw_all(groups, list, &source);
  forget(&m);
  if (!e->kind) return list;
  json_decref(list);
  return NULL;
}
