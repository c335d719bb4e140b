/* See claim.h. The state of a claim while its rule is called: what the rule has asked for and what it has said. */
#include "lab/claims/claim.h"

#include "base/arena.h"
#include "base/str.h"
#include "lab/reading.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKED = 64 };

struct claim {
  const struct claim_source *source;
  char group;
  const char *chain;  /* the search that is under way */
  bool later;         /* something asked for is still to be run */
  bool decided, holds;
  struct str missing; /* what cannot be had, and why */
  struct str measured, note;
  json_t *figures;
};

/* ---- asking -------------------------------------------------------------------------------------------------------------- */

/* Each reason once, however often its run is asked for. */
static void miss(struct claim *c, const char *why) {
  if (c->missing.s && strstr(c->missing.s, why)) return;
  str_add(&c->missing, "%s%s", c->missing.n ? "; " : "", why);
}

static bool settle(struct claim *c, enum claim_answer a, const char *why) {
  if (a == CLAIM_LATER) c->later = true;
  if (a == CLAIM_NEVER) miss(c, why);
  return a == CLAIM_KNOWN;
}

static const json_t *run_of(struct claim *c, const struct claim_setup *s, const char *workload, const char *name) {
  const json_t *run = NULL;
  const char *why = NULL;
  const struct claim_ask ask = {.setup = s, .workload = workload, .name = name, .chain = c->chain, .group = c->group};
  enum claim_answer a = c->source->run(c->source->user, &ask, &run, &why);
  return settle(c, a, why) ? run : NULL;
}

static void miss_name(struct claim *c, const char *name, const struct claim_setup *s, const char *workload) {
  struct str why = {0};
  str_add(&why, "no '%s' in the results of %s on %s%s%s", name, workload, s->gpu, s->set ? "," : "", s->set ? s->set : "");
  miss(c, why.s);
  str_free(&why);
}

double claim_stat(struct claim *c, const struct claim_setup *s, const char *workload, const char *name) {
  const json_t *run = run_of(c, s, workload, name), *v = json_object_get(run, name);
  if (!run) return NAN;
  if (json_is_number(v)) return json_number_value(v);
  miss_name(c, name, s, workload);
  return NAN;
}

const json_t *claim_probe(struct claim *c, const struct claim_setup *s, const char *workload, const char *probe) {
  char name[64];
  snprintf(name, sizeof name, "probe:%s", probe);
  const json_t *run = run_of(c, s, workload, name), *p = json_object_get(json_object_get(run, "probes"), probe);
  if (run && !p) miss_name(c, probe, s, workload);
  return p;
}

double claim_storage(struct claim *c, const struct claim_setup *s, const char *part) {
  double bits = NAN;
  const char *why = NULL;
  enum claim_answer a = c->source->storage(c->source->user, s, part, &bits, &why);
  return settle(c, a, why) ? bits : NAN;
}

double claim_key(struct claim *c, const struct claim_setup *s, const char *key) {
  double v = NAN;
  const char *why = NULL;
  enum claim_answer a = c->source->key(c->source->user, s, key, &v, &why);
  return settle(c, a, why) ? v : NAN;
}

bool claim_reads(const struct claim *c, const char *question, const char *choice) {
  const struct reading *r = c->source->reading;
  const char *now = r && !strcmp(r->question, question) ? r->choice : reading_default(question);
  return now && !strcmp(now, choice);
}

bool claim_known(const struct claim *c) { return !c->later && !c->missing.n; }

void claim_chain(struct claim *c, const char *name) { c->chain = name; }

double claim_count(struct claim *c, const char *table) { return c->source->count(c->source->user, table); }

/* ---- often asked ---------------------------------------------------------------------------------------------------------- */

double claim_ratio(struct claim *c, const struct claim_setup *s, const struct claim_setup *base, const char *workload,
                   const char *name) {
  double over = claim_stat(c, s, workload, name);
  return over / claim_stat(c, base, workload, name);
}

double claim_speedup(struct claim *c, const struct claim_setup *s, const struct claim_setup *base, const char *workload) {
  return 1 / claim_ratio(c, s, base, workload, "cycles");
}

double claim_gmean(struct claim *c, const struct claim_setup *s, const struct claim_setup *base, const char *const *list) {
  double sum = 0;
  unsigned n = 0;
  for (; list[n]; n++) sum += log(claim_speedup(c, s, base, list[n]));
  return exp(sum / n);
}

double claim_share(struct claim *c, const struct claim_setup *s, const char *workload, const char *part, const char *whole) {
  double all = claim_stat(c, s, workload, whole), some = claim_stat(c, s, workload, part);
  return all == 0 ? 0 : some / all;
}

double claim_mean(struct claim *c, const struct claim_setup *s, const char *const *list, const char *name) {
  double sum = 0;
  unsigned n = 0;
  for (; list[n]; n++) sum += claim_stat(c, s, list[n], name);
  return sum / n;
}

double claim_mean_share(struct claim *c, const struct claim_setup *s, const char *const *list, const char *part,
                        const char *whole) {
  double sum = 0;
  unsigned n = 0;
  for (; list[n]; n++) sum += claim_share(c, s, list[n], part, whole);
  return sum / n;
}

static double extreme(struct claim *c, const struct claim_setup *s, const struct claim_setup *base, const char *const *list,
                      const char **which, double sign) {
  double most = NAN;
  for (unsigned i = 0; list[i]; i++) {
    double v = claim_speedup(c, s, base, list[i]);
    if (i && !(sign * v > sign * most)) continue;
    most = v;
    if (which) *which = list[i];
  }
  return most;
}

double claim_worst(struct claim *c, const struct claim_setup *s, const struct claim_setup *base, const char *const *list,
                   const char **which) {
  return extreme(c, s, base, list, which, -1);
}

double claim_best(struct claim *c, const struct claim_setup *s, const struct claim_setup *base, const char *const *list,
                  const char **which) {
  return extreme(c, s, base, list, which, 1);
}

static void ranks(const double *v, unsigned n, double *out) {
  for (unsigned i = 0; i < n; i++) {
    unsigned less = 0, same = 0;
    for (unsigned k = 0; k < n; k++) less += v[k] < v[i], same += v[k] == v[i];
    out[i] = less + (same - 1) / 2.0;
  }
}

double claim_spearman(const double *a, const double *b, unsigned n) {
  double x[MOST_RANKED], y[MOST_RANKED], xy = 0, xx = 0, yy = 0;
  n = n < MOST_RANKED ? n : MOST_RANKED;
  ranks(a, n, x);
  ranks(b, n, y);
  for (unsigned i = 0; i < n; i++) {
    double dx = x[i] - (n - 1) / 2.0, dy = y[i] - (n - 1) / 2.0;
    xy += dx * dy, xx += dx * dx, yy += dy * dy;
  }
  return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : 0;
}

bool claim_near(double v, double published, double by) { return fabs(v - published) <= by; }

/* ---- answering ------------------------------------------------------------------------------------------------------------- */

static json_t *number_or_null(double v) { return isfinite(v) ? json_real(v) : json_null(); }

void claim_figure(struct claim *c, const char *label, const char *unit, double published, double measured) {
  json_array_append_new(c->figures, json_pack("{s:s, s:s, s:o, s:o}", "label", label, "unit", unit, "published",
                                              number_or_null(published), "measured", number_or_null(measured)));
}

static void add(struct str *to, const char *fmt, va_list ap) {
  char text[1024];
  vsnprintf(text, sizeof text, fmt, ap);
  str_add(to, "%s", text);
}

void claim_measured(struct claim *c, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  add(&c->measured, fmt, ap);
  va_end(ap);
}

void claim_note(struct claim *c, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  add(&c->note, fmt, ap);
  va_end(ap);
}

void claim_holds(struct claim *c, bool yes) {
  c->holds = yes && (c->holds || !c->decided);
  c->decided = true;
}

/* ---- the result ------------------------------------------------------------------------------------------------------------ */

/* The figures as text, a unit written once where all have the same. */
static void figures_as_text(struct claim *c) {
  size_t n = json_array_size(c->figures);
  for (size_t i = 0; i < n; i++) {
    const json_t *f = json_array_get(c->figures, i), *next = json_array_get(c->figures, i + 1);
    const char *label = json_string_value(json_object_get(f, "label")), *unit = json_string_value(json_object_get(f, "unit"));
    double v = json_number_value(json_object_get(f, "measured"));
    bool same = next && !strcmp(unit, json_string_value(json_object_get(next, "unit")));
    str_add(&c->measured, "%s%s%s", i ? " / " : "", n > 1 ? label : "", n > 1 && *label ? " " : "");
    str_add(&c->measured, fabs(v) >= 100 ? "%.0f" : "%.1f", v);
    if (!same && *unit) str_add(&c->measured, " %s", unit);
  }
}

static json_t *result(const char *id, const char *measured, const char *verdict, const char *note, json_t *figures) {
  const struct claim_row *row = claim_row(id);
  return json_pack("{s:s, s:s, s:s, s:s, s:s, s:O}", "id", id, "published", row ? row->published : "", "measured",
                   measured ? measured : "", "verdict", verdict, "note", note ? note : "", "figures", figures);
}

static void forget(struct claim *c) {
  json_decref(c->figures);
  str_free(&c->missing);
  str_free(&c->measured);
  str_free(&c->note);
}

/* What is missing, as a note: the first few by name, how many besides. */
static const char *missing_note(struct claim *c) {
  enum { NAMED = 3 };
  size_t named = 0, more = 0;
  if (!c->missing.n) return "not run yet";
  for (const char *at = c->missing.s; (at = strstr(at, "; ")); at += 2)
    if (++more == NAMED) named = (size_t)(at - c->missing.s);
  if (!named) return c->missing.s;
  c->missing.n = named;
  str_add(&c->missing, "; and %zu more", more + 1 - NAMED);
  return c->missing.s;
}

json_t *claim_evaluate(const char *id, const struct claim_rule *rule, const struct claim_source *source) {
  struct claim c = {.source = source, .group = id[0], .figures = json_array()};
  json_t *out;
  if (rule) rule->check(&c);
  if (!rule) out = result(id, "", "not-measured", "no rule measures this claim yet", c.figures);
  else if (c.missing.n || c.later || !c.decided) {
    json_array_clear(c.figures);
    out = result(id, "", "not-measured", missing_note(&c), c.figures);
  } else {
    const char *verdict = c.holds ? "reproduced" : "differs";
    if (!c.measured.n) figures_as_text(&c);
    out = result(id, c.measured.s, verdict, c.note.s, c.figures);
  }
  forget(&c);
  return out;
}

struct claim *claim_begin(const struct claim_source *source, char group) {
  struct claim *c = must_alloc(sizeof *c);
  *c = (struct claim){.source = source, .group = group, .figures = json_array()};
  return c;
}

const char *claim_lacks(const struct claim *c) { return c->missing.n ? c->missing.s : NULL; }

void claim_end(struct claim *c) {
  forget(c);
  free(c);
}
