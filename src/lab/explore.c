/* See explore.h. */
#include "lab/explore.h"

#include "base/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES = 40 /* draws for each place in the population */, FIRST_WORKLOADS = 6, LONGEST_REFUSALS = 64 };

const struct lab_class lab_classes[LAB_CLASSES] = {
    {"compute", "memory instructions are less than one in twenty"},
    {"un-coalesced", "a memory instruction touches more than two lines on average"},
    {"reusing", "half of the loads or more hit in L1D"},
    {"streaming", "the rest"},
};

struct member {
  struct lab_point point;
  const char *settings;
  double *cycles, *energy; /* by workload; NAN: not run */
  uint64_t storage;
  unsigned round;          /* the last it was in, from 1 */
  size_t ran;              /* workloads */
  double speedup, ratio;   /* of cycles and energy, over them */
  unsigned beaten;         /* by how many */
  bool alive, pareto;
  const char *failed;
};

struct search {
  const struct lab_explore *x;
  struct lab_space space;
  struct arena arena;
  struct member *m;        /* the first is the GPU as it is */
  size_t n, cap;
  const char **workloads;  /* in the order they come in */
  int *class_;             /* of each, by the GPU as it is */
  struct rng rng;
  json_t *refused;
  struct err *e;
};

/* ---- the population ------------------------------------------------------------------------------------------------------ */

static bool known(const struct search *s, const struct lab_point *p) {
  for (size_t i = 0; i < s->n; i++)
    if (!memcmp(&s->m[i].point, p, sizeof *p)) return true;
  return false;
}

static void note_refusal(struct search *s, const char *settings, const char *why) {
  for (size_t i = 0; i < json_array_size(s->refused); i++)
    if (!strcmp(json_string_value(json_object_get(json_array_get(s->refused, i), "settings")), settings)) return;
  if (json_array_size(s->refused) < LONGEST_REFUSALS)
    json_array_append_new(s->refused, json_pack("{s:s, s:s}", "settings", settings, "why", why));
}

/* Adds a combination that is new and can be made. */
static bool add_member(struct search *s, const struct lab_point *p) {
  struct str settings = {0};
  struct err why = {0};
  uint64_t storage = 0;
  if (known(s, p)) return false;
  lab_space_settings(&s->space, p, &settings);
  const char *text = arena_strndup(&s->arena, settings.s ? settings.s : "", settings.n);
  str_free(&settings);
  if (!lab_space_check(&s->space, p, &storage, &why)) {
    note_refusal(s, text, why.text);
    return false;
  }
  GROW(s->m, s->cap, s->n + 1);
  struct member *m = &s->m[s->n++];
  *m = (struct member){.point = *p, .settings = text, .storage = storage, .alive = true};
  m->cycles = ARENA_ARRAY(&s->arena, double, s->x->n_workloads);
  m->energy = ARENA_ARRAY(&s->arena, double, s->x->n_workloads);
  for (size_t i = 0; i < s->x->n_workloads; i++) m->cycles[i] = m->energy[i] = NAN;
  return true;
}

/* Half of the axes stay as they are, so that small combinations are as likely as large ones. */
static struct lab_point draw(struct search *s) {
  struct lab_point p = {0};
  for (size_t i = 0; i < s->space.n; i++)
    if (s->space.axes[i].n > 1 && rng_below(&s->rng, 2)) p.at[i] = (uint8_t)(1 + rng_below(&s->rng, s->space.axes[i].n - 1));
  return p;
}

static void first_population(struct search *s) {
  add_member(s, &(struct lab_point){0});
  for (size_t i = 0; i < s->space.n; i++)
    for (size_t v = 1; v < s->space.axes[i].n && s->n < s->x->combinations; v++) {
      struct lab_point p = {0};
      p.at[i] = (uint8_t)v;
      add_member(s, &p);
    }
  for (size_t t = 0; t < TRIES * (size_t)s->x->combinations && s->n < s->x->combinations; t++) {
    struct lab_point p = draw(s);
    add_member(s, &p);
  }
}

/* A quarter more: what either of two that are left changes, one of them where both do. */
static void add_crosses(struct search *s, const size_t *kept, size_t n) {
  size_t wanted = s->n + (n + 3) / 4;
  for (size_t t = 0; t < TRIES * n && s->n < wanted && n > 1; t++) {
    const struct lab_point a = s->m[kept[rng_below(&s->rng, n)]].point, b = s->m[kept[rng_below(&s->rng, n)]].point;
    struct lab_point p = {0};
    for (size_t i = 0; i < s->space.n; i++) p.at[i] = !b.at[i] || (a.at[i] && rng_below(&s->rng, 2)) ? a.at[i] : b.at[i];
    add_member(s, &p);
  }
}

/* ---- running ------------------------------------------------------------------------------------------------------------- */

static struct lab_run run_of(const struct search *s, const struct member *m, size_t workload) {
  return (struct lab_run){.workload = s->workloads[workload], .size = s->x->size, .seed = "", .gpu = s->x->gpu,
                          .settings = m->settings, .probes = ""};
}

static void fail(struct search *s, struct member *m, const char *workload, const char *text) {
  struct str why = {0};
  str_add(&why, "%s: %.*s", workload, (int)strcspn(text, "\n"), text);
  m->failed = arena_strndup(&s->arena, why.s, why.n);
  m->alive = false;
  str_free(&why);
}

/* Takes the result of a run out of the database; false: it is to be made. */
static bool take(struct search *s, struct member *m, size_t w, const struct lab_run *r, bool retry) {
  json_t *found = NULL;
  enum lab_claim have = lab_db_results(s->x->sweep.db, r, &found, s->e);
  if (have == LAB_DONE) {
    const json_t *energy = json_object_get(found, "energy.total");
    m->cycles[w] = json_number_value(json_object_get(found, "cycles"));
    m->energy[w] = json_is_number(energy) ? json_number_value(energy) : NAN;
  } else if (have == LAB_FAILED && !retry) {
    fail(s, m, r->workload, json_string_value(found));
  }
  json_decref(found);
  return have == LAB_DONE || (have == LAB_FAILED && !retry);
}

struct wanted { /* a run that is to be made, in the order of the plan */
  size_t member, workload;
};

/* What is not known yet of all that are left, on the first n workloads. */
static struct wanted *plan_round(struct search *s, size_t n, struct lab_plan *plan) {
  struct wanted *list = NULL;
  size_t cap = 0;
  for (size_t i = 0; i < s->n; i++)
    for (size_t w = 0; w < n && s->m[i].alive; w++) {
      const struct lab_run r = run_of(s, &s->m[i], w);
      if (!isnan(s->m[i].cycles[w])) continue;
      if (!lab_plan_add(plan, &r, s->e)) return list;
      GROW(list, cap, plan->n);
      list[plan->n - 1] = (struct wanted){i, w};
      if (take(s, &s->m[i], w, &plan->runs[plan->n - 1], s->x->sweep.retry_failed)) plan->n--;
    }
  return list;
}

static bool run_round(struct search *s, unsigned round, size_t n, int *stopped) {
  struct lab_plan plan = {0};
  struct lab_sweep sweep = s->x->sweep;
  struct lab_sweep_counts counts;
  struct wanted *list = plan_round(s, n, &plan);
  size_t alive = 0;
  sweep.plan = &plan;
  for (size_t i = 0; i < s->n; i++) {
    if (!s->m[i].alive) continue;
    s->m[i].round = round;
    s->m[i].ran = n;
    alive++;
  }
  if (s->x->round && !s->e->kind) s->x->round(sweep.user, round, alive, n, plan.n);
  bool ok = !s->e->kind && lab_sweep_run(&sweep, &counts, stopped, s->e);
  for (size_t i = 0; i < plan.n && ok; i++)
    take(s, &s->m[list[i].member], list[i].workload, &plan.runs[i], false);
  free(list);
  lab_plan_free(&plan);
  return ok && !s->e->kind;
}

/* ---- comparing ----------------------------------------------------------------------------------------------------------- */

/* Geometric mean of base over mine, of workloads of one class (-1: all). NAN if there are none. */
static double mean_ratio(const struct search *s, const double *base, const double *mine, size_t n, int class_) {
  double sum = 0;
  size_t counted = 0;
  for (size_t w = 0; w < n; w++) {
    if (class_ >= 0 && s->class_[w] != class_) continue;
    sum += log(base[w] / mine[w]);
    counted++;
  }
  return counted ? exp(sum / (double)counted) : NAN;
}

/* At least as good in all three and better in one; energy counts where there is any. */
static bool beats(const struct member *a, const struct member *b) {
  bool energy = !isnan(a->ratio) && !isnan(b->ratio);
  if (a->speedup < b->speedup || a->storage > b->storage || (energy && a->ratio > b->ratio)) return false;
  return a->speedup > b->speedup || a->storage < b->storage || (energy && a->ratio < b->ratio);
}

static void score(struct search *s) {
  for (size_t i = 0; i < s->n; i++) {
    struct member *m = &s->m[i];
    if (m->failed) continue;
    m->speedup = mean_ratio(s, s->m[0].cycles, m->cycles, m->ran, -1);
    m->ratio = 1 / mean_ratio(s, s->m[0].energy, m->energy, m->ran, -1);
  }
  for (size_t i = 0; i < s->n; i++) {
    s->m[i].beaten = 0;
    for (size_t k = 0; k < s->n; k++) s->m[i].beaten += s->m[k].alive && beats(&s->m[k], &s->m[i]);
    s->m[i].pareto = s->m[i].alive && !s->m[i].beaten;
  }
}

static const struct member *sorting; /* qsort has no user pointer */

static int by_merit(const void *a, const void *b) {
  const struct member *x = &sorting[*(const size_t *)a], *y = &sorting[*(const size_t *)b];
  if (x->beaten != y->beaten) return x->beaten < y->beaten ? -1 : 1;
  return (x->speedup < y->speedup) - (x->speedup > y->speedup);
}

/* Keeps the better half, and the GPU as it is; returns how many others. */
static size_t halve(struct search *s, size_t *kept) {
  size_t n = 0;
  for (size_t i = 1; i < s->n; i++)
    if (s->m[i].alive) kept[n++] = i;
  sorting = s->m;
  qsort(kept, n, sizeof *kept, by_merit);
  size_t half = (n + 1) / 2;
  for (size_t i = half; i < n; i++) s->m[kept[i]].alive = false;
  return half;
}

/* ---- classes ------------------------------------------------------------------------------------------------------------- */

static double stat(const json_t *r, const char *name) { return json_number_value(json_object_get(r, name)); }

static int class_of(const json_t *r) {
  double memory = stat(r, "sm.memory_instructions"), loads = stat(r, "l1d.reads");
  if (memory < 0.05 * stat(r, "warp_instructions")) return 0;
  if (stat(r, "sm.segments") > 2 * memory) return 1;
  return loads > 0 && stat(r, "l1d.hits") >= 0.5 * loads ? 2 : 3;
}

static void classify(struct search *s) {
  for (size_t w = 0; w < s->x->n_workloads; w++) {
    struct lab_plan p = {0};
    json_t *found = NULL;
    const struct lab_run r = run_of(s, &s->m[0], w);
    if (lab_plan_add(&p, &r, s->e) && lab_db_results(s->x->sweep.db, &p.runs[0], &found, s->e) == LAB_DONE)
      s->class_[w] = class_of(found);
    json_decref(found);
    lab_plan_free(&p);
  }
}

/* ---- the result ---------------------------------------------------------------------------------------------------------- */

static json_t *number_or_null(double v) { return isfinite(v) ? json_real(v) : json_null(); }

static json_t *combination(const struct search *s, const struct member *m, bool last) {
  json_t *classes = json_object();
  for (int c = 0; c < LAB_CLASSES && last; c++) {
    double v = mean_ratio(s, s->m[0].cycles, m->cycles, m->ran, c);
    if (isfinite(v)) json_object_set_new(classes, lab_classes[c].name, json_real(v));
  }
  return json_pack("{s:s, s:i, s:i, s:f, s:o, s:I, s:b, s:o}", "settings", m->settings, "round", (int)m->round, "workloads",
                   (int)m->ran, "speedup", m->speedup, "energy", number_or_null(m->ratio), "storage_bits", (json_int_t)m->storage,
                   "pareto", m->pareto, "classes", classes);
}

static int by_round(const void *a, const void *b) {
  const struct member *x = &sorting[*(const size_t *)a], *y = &sorting[*(const size_t *)b];
  if (x->round != y->round) return x->round > y->round ? -1 : 1;
  return (x->speedup < y->speedup) - (x->speedup > y->speedup);
}

static void add_best(const struct search *s, json_t *best, json_t *by_class, unsigned last) {
  for (int c = 0; c < LAB_CLASSES; c++) {
    json_t *names = json_array();
    const struct member *top = NULL;
    double most = 0;
    for (size_t w = 0; w < s->x->n_workloads; w++)
      if (s->class_[w] == c) json_array_append_new(names, json_string(s->workloads[w]));
    for (size_t i = 0; i < s->n; i++) {
      double v = s->m[i].failed || s->m[i].round < last ? NAN : mean_ratio(s, s->m[0].cycles, s->m[i].cycles, s->m[i].ran, c);
      if (v > most) top = &s->m[i], most = v;
    }
    if (top) json_object_set_new(best, lab_classes[c].name, json_pack("{s:s, s:f}", "settings", top->settings, "speedup", most));
    json_object_set_new(by_class, lab_classes[c].name, names);
  }
}

static json_t *result(const struct search *s, unsigned last) {
  json_t *list = json_array(), *failed = json_array(), *best = json_object(), *by_class = json_object();
  size_t *order = must_alloc((s->n + 1) * sizeof *order);
  for (size_t i = 0; i < s->n; i++) order[i] = i;
  sorting = s->m;
  qsort(order, s->n, sizeof *order, by_round);
  for (size_t i = 0; i < s->n; i++) {
    const struct member *m = &s->m[order[i]];
    if (m->failed) json_array_append_new(failed, json_pack("{s:s, s:s}", "settings", m->settings, "why", m->failed));
    else json_array_append_new(list, combination(s, m, m->round == last));
  }
  free(order);
  add_best(s, best, by_class, last);
  return json_pack("{s:s, s:s, s:I, s:b, s:o, s:o, s:o, s:O, s:o}", "gpu", s->x->gpu, "size", s->x->size, "seed",
                   (json_int_t)s->x->seed, "energy", isfinite(s->m[0].ratio), "workloads", by_class, "combinations", list, "best", best,
                   "refused", s->refused, "failed", failed);
}

static bool keep(const struct search *s, const json_t *found) {
  const char *const where[] = {s->x->gpu, s->x->size, NULL};
  const json_t *list = json_object_get(found, "combinations");
  bool ok = lab_db_change(s->x->sweep.db, "DELETE FROM combinations WHERE gpu = ? AND size = ?", where, s->e);
  for (size_t i = 0; i < json_array_size(list) && ok; i++) {
    char *row = json_dumps(json_array_get(list, i), JSON_COMPACT);
    const char *const args[] = {s->x->gpu, s->x->size, row, NULL};
    ok = lab_db_change(s->x->sweep.db,
                       "INSERT INTO combinations SELECT ?1, ?2, json_extract(j, '$.settings'), json_extract(j, '$.round'),"
                       " json_extract(j, '$.workloads'), json_extract(j, '$.speedup'), json_extract(j, '$.energy'),"
                       " json_extract(j, '$.storage_bits'), json_extract(j, '$.pareto'), json_extract(j, '$.classes')"
                       " FROM (SELECT ?3 AS j)", args, s->e);
    free(row);
  }
  return ok;
}

/* ---- the whole ----------------------------------------------------------------------------------------------------------- */

/* In random order, so that the first few are not of one kind. */
static void order_workloads(struct search *s) {
  size_t n = s->x->n_workloads;
  s->workloads = ARENA_ARRAY(&s->arena, const char *, n);
  s->class_ = ARENA_ARRAY(&s->arena, int, n);
  for (size_t i = 0; i < n; i++) s->workloads[i] = s->x->workloads[i], s->class_[i] = -1;
  for (size_t i = n; i > 1; i--) {
    size_t k = rng_below(&s->rng, i);
    const char *swap = s->workloads[k];
    s->workloads[k] = s->workloads[i - 1];
    s->workloads[i - 1] = swap;
  }
}

static size_t workloads_in(const struct lab_explore *x, unsigned round) {
  size_t n = (size_t)FIRST_WORKLOADS << (round - 1);
  return round == x->rounds || n > x->n_workloads ? x->n_workloads : n;
}

static bool search(struct search *s, int *stopped) {
  bool ok = true;
  for (unsigned round = 1; round <= s->x->rounds && ok; round++) {
    ok = run_round(s, round, workloads_in(s->x, round), stopped);
    if (ok && s->m[0].failed) ok = err_set(s->e, ERR_INPUT, "the GPU as it is cannot run a workload: %s", s->m[0].failed);
    if (!ok) break;
    score(s);
    if (round == s->x->rounds) break;
    size_t *kept = must_alloc((s->n + 1) * sizeof *kept), n = halve(s, kept);
    add_crosses(s, kept, n);
    free(kept);
  }
  return ok;
}

bool lab_explore_run(const struct lab_explore *x, json_t **found, int *stopped, struct err *e) {
  struct search s = {.x = x, .rng = {x->seed}, .refused = json_array(), .e = e};
  *found = NULL;
  *stopped = 0;
  bool ok = lab_space_init(&s.space, x->gpu, e);
  if (ok) {
    order_workloads(&s);
    first_population(&s);
    ok = s.n || err_set(e, ERR_INPUT, "no GPU can be made of '%s'", x->gpu);
  }
  ok = ok && search(&s, stopped);
  if (ok) {
    classify(&s);
    *found = result(&s, x->rounds);
    ok = keep(&s, *found);
  }
  json_decref(s.refused);
  free(s.m);
  arena_free(&s.arena);
  lab_space_free(&s.space);
  return ok && !e->kind;
}
