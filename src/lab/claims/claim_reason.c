/* See claim_reason.h. */
#include "lab/claims/claim_reason.h"

#include "base/arena.h"
#include "base/toml.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__asm__(".section .rodata\nreasons_toml:\n.incbin \"results/reasons.toml\"\n.byte 0\n.previous\n");
extern const char reasons_toml[];

static const double rounding = 5e-4; /* values are written with three or four digits */

/* ---- reading ------------------------------------------------------------------------------------------------------------ */

static char *kept(struct arena *a, const char *text) { return arena_strndup(a, text, strlen(text)); }

static bool read_experiment(struct arena *a, struct claim_experiment *x, const char *text) {
  char *copy = kept(a, text), *save = NULL, *words[6];
  int n = 0;
  for (char *w = strtok_r(copy, " ", &save); w && n < 6; w = strtok_r(NULL, " ", &save)) words[n++] = w;
  char *value = n == 5 ? strrchr(words[4], '=') : NULL, *end;
  if (!value) return false;
  *value++ = 0;
  *x = (struct claim_experiment){.size = words[0], .workload = words[1], .name = words[4], .value = strtod(value, &end),
                                 .setup = {.gpu = words[2], .set = strcmp(words[3], "-") ? words[3] : NULL}};
  return end != value && !*end;
}

static bool take_item(struct arena *a, const struct toml_item *at, struct claim_reason *r) {
  bool words = at->n > 0;
  for (size_t i = 0; i < at->n; i++) words = words && at->values[i].kind == TOML_STRING;
  if (!words) return false;
  if (!strcmp(at->key, "why") && !at->is_array) {
    r->why = kept(a, at->values[0].text);
    return true;
  }
  if (strcmp(at->key, "shows") != 0 || at->n > CLAIM_MOST_SHOWN) return false;
  for (size_t i = 0; i < at->n; i++)
    if (!read_experiment(a, &r->shows[r->n++], at->values[i].text)) return false;
  return true;
}

bool claim_reasons_parse(struct arena *a, const char *name, const char *text, const struct claim_reason **out, size_t *n,
                         struct err *e) {
  struct toml t = {0};
  bool ok = toml_read(&t, name, text, strlen(text), e);
  struct claim_reason *all = ARENA_ARRAY(a, struct claim_reason, t.n + 1), *last = NULL; /* a reason has one item at least */
  *n = 0;
  for (size_t i = 0; i < t.n && ok; i++) {
    const struct toml_item *at = &t.items[i];
    if (!last || strcmp(last->id, at->table) != 0) {
      last = &all[(*n)++];
      last->id = kept(a, at->table);
    }
    if (!claim_row(at->table)) ok = err_set(e, ERR_INPUT, "%s:%u: there is no claim '%s'", name, at->line, at->table);
    else if (!take_item(a, at, last))
      ok = err_set(e, ERR_INPUT, "%s:%u: a reason has why = \"...\" and shows = [\"size workload GPU settings number=value\"]", name,
                   at->line);
  }
  toml_free(&t);
  *out = all;
  return ok;
}

const struct claim_reason *claim_reasons(size_t *n) {
  static struct arena memory; /* for the life of the program */
  static const struct claim_reason *all;
  static size_t count;
  struct err e = {0};
  if (!count && !claim_reasons_parse(&memory, "results/reasons.toml", reasons_toml, &all, &count, &e)) {
    fprintf(stderr, "heddle: %s\n", e.text); /* part of the program and tested: a mistake of ours */
    abort();
  }
  *n = count;
  return all;
}

const struct claim_reason *claim_reason(const char *id) {
  size_t n;
  const struct claim_reason *all = claim_reasons(&n);
  for (size_t i = 0; i < n; i++)
    if (!strcmp(all[i].id, id)) return &all[i];
  return NULL;
}

/* ---- judging ------------------------------------------------------------------------------------------------------------ */

static bool still_shown(const struct claim_experiment *x, const struct claim_stored *stored) {
  struct lab_plan p = {0};
  struct err e = {0};
  const struct lab_run wanted = {.workload = x->workload, .size = x->size, .seed = "", .gpu = x->setup.gpu,
                                 .settings = x->setup.set ? x->setup.set : "", .probes = ""};
  bool stale = true, ok = lab_plan_add(&p, &wanted, &e);
  const json_t *run = ok ? claim_stored_find(stored, &p.runs[0], &stale) : NULL;
  const json_t *v = json_object_get(run, x->name);
  ok = json_is_number(v) && !stale && fabs(json_number_value(v) - x->value) <= rounding * fabs(x->value);
  lab_plan_free(&p);
  return ok;
}

bool claim_reason_holds(const struct claim_reason *r, const struct claim_stored *stored) {
  for (size_t i = 0; i < r->n; i++)
    if (!still_shown(&r->shows[i], stored)) return false;
  return r->n > 0;
}
