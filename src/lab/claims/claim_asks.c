/* See claim_asks.h. */
#include "lab/claims/claim_asks.h"

#include "cost/storage.h"
#include "gpu/gpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

void claim_ask_refuse(struct claim_asks *m, struct ask *a, const char *what) {
  struct str why = {0};
  str_add(&why, "%s on %s%s%s: %.*s", a->run.workload, a->run.gpu, *a->run.settings ? "," : "", a->run.settings,
          (int)strcspn(what, "\n"), what);
  a->state = ASK_NEVER;
  a->why = arena_strndup(&m->arena, why.s, why.n);
  str_free(&why);
}

/* Among the stored results: *result is set, or nothing is changed. */
static bool look_in_table(const struct claim_asks *m, struct ask *a) {
  bool stale = false;
  const json_t *found = m->l->stored && !a->lacking ? claim_stored_find(m->l->stored, &a->run, &stale) : NULL;
  if (!found || (stale && m->l->sweep.db)) return false;
  json_decref(a->result);
  a->result = json_incref((json_t *)found);
  a->state = ASK_KNOWN;
  a->in_table = true;
  a->stale = stale;
  return true;
}

void claim_ask_look(struct claim_asks *m, struct ask *a) {
  json_t *found = NULL;
  a->in_table = a->stale = false;
  if (look_in_table(m, a)) return;
  if (!m->l->sweep.db) {
    claim_ask_refuse(m, a, "it is not among the stored results");
    return;
  }
  switch (lab_db_results(m->l->sweep.db, &a->run, &found, m->e)) {
  case LAB_DONE:
    a->state = ASK_KNOWN;
    json_decref(a->result);
    a->result = found;
    return;
  case LAB_FAILED:
    if (!m->l->sweep.retry_failed) claim_ask_refuse(m, a, json_string_value(found));
    break;
  default: break;
  }
  json_decref(found);
}

/* Fills in what identifies the run, or says why it cannot be. */
static void identify(struct claim_asks *m, struct ask *a) {
  struct lab_plan p = {0};
  struct err e = {0};
  if (m->l->programs && !a->run.program && !lab_programs_put(m->l->programs, &a->run, &m->arena, &e)) claim_ask_refuse(m, a, e.text);
  else if (m->l->workloads && !a->run.program && !lab_is_workload(a->run.workload, m->l->workloads, m->l->n_workloads))
    claim_ask_refuse(m, a, "there is no such workload");
  else if (!lab_plan_add(&p, &a->run, &e)) claim_ask_refuse(m, a, e.text);
  else {
    a->run.config_hash = arena_strndup(&m->arena, p.runs[0].config_hash, strlen(p.runs[0].config_hash));
    a->run.settings = arena_strndup(&m->arena, p.runs[0].settings, strlen(p.runs[0].settings));
    a->run.probes = arena_strndup(&m->arena, p.runs[0].probes, strlen(p.runs[0].probes));
    claim_ask_look(m, a);
  }
  lab_plan_free(&p);
}

static bool has_key(const char *list, const char *setting) {
  size_t n = strcspn(setting, "=") + 1;
  for (const char *at = list; *at;) {
    if (!strncmp(at, setting, n)) return true;
    at += strcspn(at, ",");
    at += *at == ',';
  }
  return false;
}

/* Adds to `to` what `from` sets and `over` does not. */
static void add_settings(struct str *to, const char *from, const char *over) {
  for (const char *at = from; *at;) {
    size_t n = strcspn(at, ",");
    if (!has_key(over, at)) str_add(to, "%s%.*s", to->n ? "," : "", (int)n, at);
    at += n + (at[n] == ',');
  }
}

/* Whether parts of the run are predicted: what probes see cannot be, nor two programs at once, of which each has numbers of its own. */
static bool is_sampled(const struct claim_asks *m, const struct claim_ask *wanted) {
  const char *probes = wanted->setup->probes;
  return m->l->sample && !(probes && *probes) && strncmp(wanted->name, "programs.", 9) != 0;
}

/* What a rule sets, with what the reading does, and where the paper stopped. A key that the rule varies itself stays as the
 * rule has it, unless the reading is about those very runs. */
static const char *settings_of(struct claim_asks *m, const struct claim_setup *s, char group, const char *workload, bool sampled) {
  const struct reading *r = m->l->reading;
  const char *set = s->set ? s->set : "", *read = r && strstr(set, r->only) ? r->set : "";
  const struct claim_paper *paper = claim_paper(group);
  struct str all = {0};
  add_settings(&all, set, r && *r->only ? read : "");
  add_settings(&all, read, r && *r->only ? "" : set);
  if (workload && paper && *paper->stop && !strcmp(m->l->size, "paper"))
    str_add(&all, "%sgpu.max_thread_instructions=%s", all.n ? "," : "", paper->stop);
  if (sampled) str_add(&all, "%sgpu.sample=%s", all.n ? "," : "", m->l->sample);
  const char *kept = arena_strndup(&m->arena, all.s ? all.s : "", all.n);
  str_free(&all);
  return kept;
}

/* Whether this process makes the run: each belongs to one of the parts, and all of a search to the same. */
static bool is_ours(const struct claim_asks *m, const char *key, const char *chain) {
  unsigned parts = m->l->sweep.shards;
  const char *by = chain ? chain : key;
  return parts < 2 || str_hash(by, strlen(by)) % parts == m->l->sweep.shard - 1;
}

static struct ask *new_ask(struct claim_asks *m, const struct claim_ask *wanted, const char *settings, const struct str *key) {
  const struct claim_setup *s = wanted->setup;
  GROW(m->asks, m->cap, m->n + 1);
  struct ask *a = &m->asks[m->n];
  *a = (struct ask){.key = arena_strndup(&m->arena, key->s, key->n), .used = json_object(),
                    .sampled = is_sampled(m, wanted),
                    .run = {.workload = wanted->workload, .size = m->l->size, .seed = "", .gpu = s->gpu, .settings = settings,
                            .probes = s->probes ? s->probes : ""}};
  strmap_put(&m->by_key, a->key, key->n, (uint32_t)m->n++);
  identify(m, a);
  return a;
}

static struct ask *ask_for(struct claim_asks *m, const struct claim_ask *wanted) {
  const struct claim_setup *s = wanted->setup;
  struct str key = {0};
  uint32_t at;
  const char *settings = settings_of(m, s, wanted->group, wanted->workload, is_sampled(m, wanted));
  const char *probes = s->probes ? s->probes : "";
  str_add(&key, "%s|%s|%s|%s", wanted->workload, s->gpu, settings, m->only_look ? probes : "");
  bool there = strmap_get(&m->by_key, key.s, key.n, &at);
  struct ask *a = there ? &m->asks[at] : new_ask(m, wanted, settings, &key);
  str_free(&key);
  a->ours = a->ours || is_ours(m, a->key, wanted->chain);
  const char *all = joined(&m->arena, a->run.probes, probes);
  if (all != a->run.probes && a->state != ASK_NEVER) {
    a->run.probes = all;
    a->state = ASK_TO_RUN;
    identify(m, a);
  }
  return a;
}

/* ---- the source of numbers ---------------------------------------------------------------------------------------------------- */

static bool lacks(const json_t *run, const char *name) {
  bool whole = !strncmp(name, "probe:", 6);
  return !json_object_get(whole ? json_object_get(run, "probes") : run, whole ? name + 6 : name);
}

/* Where nothing is run: others may still have the numbers that there are. */
static enum claim_answer lacking_number(struct claim_asks *m, const struct ask *a, const char *name, const char **why) {
  struct str s = {0};
  str_add(&s, "%s on %s%s%s: '%s' is not among the stored results", a->run.workload, a->run.gpu, *a->run.settings ? "," : "",
          a->run.settings, name);
  *why = arena_strndup(&m->arena, s.s, s.n);
  str_free(&s);
  return CLAIM_NEVER;
}

static enum claim_answer answer_run(void *user, const struct claim_ask *wanted, const json_t **run, const char **why) {
  struct claim_asks *m = user;
  struct ask *a = ask_for(m, wanted);
  json_object_set_new(a->used, wanted->name, json_null());
  if (a->in_table && lacks(a->result, wanted->name)) { /* no rule had asked for it when the run was stored */
    if (!m->l->sweep.db) return lacking_number(m, a, wanted->name, why);
    a->lacking = true;
    a->state = ASK_TO_RUN;
    claim_ask_look(m, a);
  }
  m->met_stale = m->met_stale || a->stale;
  m->met_sampled = m->met_sampled || a->sampled;
  *run = a->result;
  *why = a->why;
  return a->state == ASK_KNOWN ? CLAIM_KNOWN : a->state == ASK_NEVER ? CLAIM_NEVER : CLAIM_LATER;
}

static struct cfg *configuration(struct claim_asks *m, const struct claim_setup *s, const char **why) {
  struct cfg *c = gpu_cfg_new();
  struct err e = {0};
  if (gpu_cfg_preset(c, s->gpu, &e) && cfg_set_all(c, settings_of(m, s, 0, NULL, false), &e)) return c;
  *why = arena_strndup(&m->arena, e.text, strlen(e.text));
  cfg_delete(c);
  return NULL;
}

static enum claim_answer answer_storage(void *user, const struct claim_setup *s, const char *part, double *bits,
                                        const char **why) {
  struct claim_asks *m = user;
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

static double count_in_database(const struct claim_asks *m, const char *table) {
  struct str sql = {0};
  struct err e = {0};
  str_add(&sql, "SELECT count(*) FROM %s WHERE size = '%s'", table, m->l->size);
  if (!strcmp(table, "scores")) str_add(&sql, " AND verdict <> 'not-measured' AND id NOT LIKE 'X%%' AND reading = '%s%s'",
                                           m->l->programs ? CLAIM_PROGRAMS : "", m->l->sample ? CLAIM_SAMPLE : "");
  json_t *rows = lab_db_query(m->l->sweep.db, sql.s, &e);
  double n = json_number_value(json_array_get(json_array_get(rows, 0), 0));
  json_decref(rows);
  str_free(&sql);
  return n;
}

/* Without a database the other claims are evaluated for it. */
static double count_verdicts(struct claim_asks *m) {
  const struct claim_source source = claim_asks_source(m);
  size_t n;
  const struct claim_row *rows = claim_rows(&n);
  double sum = 0;
  for (size_t i = 0; i < n; i++) {
    if (rows[i].id[0] == 'X') continue;
    json_t *score = claim_evaluate(rows[i].id, claim_rule_of(rows[i].id), &source);
    sum += strcmp(json_string_value(json_object_get(score, "verdict")), "not-measured") != 0;
    json_decref(score);
  }
  return sum;
}

static double answer_count(void *user, const char *table) {
  struct claim_asks *m = user;
  bool scores = !strcmp(table, "scores");
  double known = m->l->stored && !scores ? claim_stored_count(m->l->stored, m->l->size, table) : NAN;
  double here = m->l->sweep.db ? count_in_database(m, table) : scores ? count_verdicts(m) : 0;
  return known > here ? known : here;
}

struct claim_source claim_asks_source(struct claim_asks *m) {
  return (struct claim_source){answer_run, answer_storage, answer_key, answer_count, m, m->l->reading};
}

/* ---- what follows -------------------------------------------------------------------------------------------------------- */

bool claim_ask_waits(const struct ask *a) { return a->state == ASK_TO_RUN && a->ours; }

void claim_asks_store(const struct claim_asks *m, struct claim_stored *table) {
  for (size_t i = 0; i < m->n; i++)
    if (m->asks[i].state == ASK_KNOWN && !m->asks[i].stale) claim_stored_put(table, &m->asks[i].run, m->asks[i].result, m->asks[i].used);
}

void claim_asks_free(struct claim_asks *m) {
  for (size_t i = 0; i < m->n; i++) {
    json_decref(m->asks[i].result);
    json_decref(m->asks[i].used);
  }
  free(m->asks);
  strmap_free(&m->by_key);
  arena_free(&m->arena);
}
