/* See explore_space.h. */
#include "lab/explore_space.h"

#include "base/policy.h"
#include "gpu/gpu.h"
#include "cost/storage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the systems are switched on by. */
static const char *const keys[] = {"coop", "l1.bypass", "l1.org", "llc.mode", "reply.compress", "reply.filter", "sm.warp_limit"};
enum { KEYS = sizeof keys / sizeof *keys };
_Static_assert((int)KEYS <= (int)LAB_AXES, "as many entries as axes");

/* ---- axes ---------------------------------------------------------------------------------------------------------------- */

static void add_value(struct lab_space *s, struct lab_axis *a, size_t cap, const char *value, size_t n) {
  for (size_t i = 0; i < a->n; i++)
    if (strlen(a->values[i]) == n && !memcmp(a->values[i], value, n)) return;
  if (a->n < cap) a->values[a->n++] = arena_strndup(&s->arena, value, n);
}

/* Of a number of warps: a quarter and half of what an SM holds. */
static void add_fractions(struct lab_space *s, struct lab_axis *a, size_t cap, const struct cfg *c) {
  char text[16];
  for (int part = 4; part >= 2; part /= 2) {
    int n = snprintf(text, sizeof text, "%d", (int)cfg_int(c, "sm.warps") / part);
    add_value(s, a, cap, text, (size_t)n);
  }
}

struct visit {
  struct lab_space *s;
  const struct cfg *c;
};

static void add_axis(void *user, const struct cfg_key *key, const char *value, const char *source) {
  const struct visit *v = user;
  enum { MOST = 32 };
  bool wanted = false;
  (void)source;
  for (int i = 0; i < KEYS; i++) wanted = wanted || !strcmp(keys[i], key->name);
  if (!wanted) return;
  struct lab_axis *a = &v->s->axes[v->s->n++];
  *a = (struct lab_axis){.key = key->name, .values = ARENA_ARRAY(&v->s->arena, const char *, MOST)};
  add_value(v->s, a, MOST, value, strlen(value));
  if (key->type == CFG_INT) add_fractions(v->s, a, MOST, v->c);
  for (const struct policy *const *p = key->choices; p && *p; p++)
    if (!(*p)->bound) add_value(v->s, a, MOST, (*p)->name, strlen((*p)->name));
}

static int by_key(const void *a, const void *b) {
  return strcmp(((const struct lab_axis *)a)->key, ((const struct lab_axis *)b)->key);
}

bool lab_space_init(struct lab_space *s, const char *gpu, struct err *e) {
  *s = (struct lab_space){.gpu = gpu};
  struct cfg *c = gpu_cfg_new();
  bool ok = gpu_cfg_preset(c, gpu, e);
  struct visit v = {s, c};
  if (ok) cfg_visit(c, add_axis, &v);
  qsort(s->axes, s->n, sizeof *s->axes, by_key);
  cfg_delete(c);
  return ok;
}

void lab_space_free(struct lab_space *s) {
  arena_free(&s->arena);
  *s = (struct lab_space){0};
}

/* ---- points -------------------------------------------------------------------------------------------------------------- */

void lab_space_settings(const struct lab_space *s, const struct lab_point *p, struct str *out) {
  for (size_t i = 0; i < s->n; i++)
    if (p->at[i]) str_add(out, "%s%s=%s", out->n ? "," : "", s->axes[i].key, s->axes[i].values[p->at[i]]);
}

struct cfg *lab_space_configuration(const struct lab_space *s, const struct lab_point *p, struct err *e) {
  struct cfg *c = gpu_cfg_new();
  bool ok = gpu_cfg_preset(c, s->gpu, e);
  for (size_t i = 0; i < s->n && ok; i++) {
    struct str set = {0};
    str_add(&set, "%s=%s", s->axes[i].key, s->axes[i].values[p->at[i]]);
    ok = cfg_set(c, set.s, e);
    str_free(&set);
  }
  if (ok) return c;
  cfg_delete(c);
  return NULL;
}

bool lab_space_check(const struct lab_space *s, const struct lab_point *p, uint64_t *storage_bits, struct err *e) {
  struct cfg *c = lab_space_configuration(s, p, e);
  struct gpu *g = c ? gpu_new(c, e) : NULL;
  struct cost_storage parts[COST_STORAGE_PARTS];
  size_t n = g ? cost_storage(c, parts, e) : 0;
  *storage_bits = 0;
  for (size_t i = 0; i < n; i++) *storage_bits += parts[i].bits * parts[i].instances;
  if (g) gpu_delete(g);
  if (c) cfg_delete(c);
  return !e->kind;
}
