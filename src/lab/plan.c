/* See plan.h. A plan looks like
 *
 *   workloads = ["kmeans", "bfs"]     # or "all"
 *   size = "small"                    # default small
 *   gpu = ["gtx480", "h200"]          # default gtx480
 *   seed = 1                          # optional
 *   [set]                             # for every run
 *   "sm.scheduler" = "lrr"
 *   [vary]                            # the product of these
 *   "l1.ways" = [2, 4, 8]
 */
#include "lab/plan.h"

#include "base/str.h"
#include "base/toml.h"
#include "gpu/gpu.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_VARIED = 32, MAX_PLAN = 1 << 20 };

struct words {
  const char **w;
  size_t n;
};

struct reader {
  struct lab_plan *p;
  const char *path;
  struct words workloads, gpus;
  const char *size, *seed;
  struct {
    const char *key;
    struct words values;
    unsigned line;
  } varied[MAX_VARIED];
  size_t n_varied;
  struct err *e;
};

static bool fail(struct reader *r, unsigned line, const char *what, const char *detail) {
  return err_set(r->e, ERR_INPUT, "%s:%u: %s%s", r->path, line, what, detail);
}

/* ---- reading ---------------------------------------------------------------------------------------------------------- */

static struct words words_of(struct reader *r, const struct toml_item *it) {
  struct words out = {.w = ARENA_ARRAY(&r->p->arena, const char *, it->n + 1), .n = it->n};
  for (size_t i = 0; i < it->n; i++)
    out.w[i] = arena_strndup(&r->p->arena, it->values[i].text, strlen(it->values[i].text));
  return out;
}

static bool add_varied(struct reader *r, const struct toml_item *it) {
  if (!it->n) return fail(r, it->line, "an empty list leaves nothing to run: ", it->key);
  if (r->n_varied == MAX_VARIED) return fail(r, it->line, "too many keys", "");
  r->varied[r->n_varied].key = arena_strndup(&r->p->arena, it->key, strlen(it->key));
  r->varied[r->n_varied].line = it->line;
  r->varied[r->n_varied++].values = words_of(r, it);
  return true;
}

static bool read_item(struct reader *r, const struct toml_item *it) {
  static const char *const known[] = {"workloads", "size", "gpu", "seed"};
  if (!strcmp(it->table, "vary") || !strcmp(it->table, "set")) return add_varied(r, it);
  if (*it->table) return fail(r, it->line, "a plan has the tables [set] and [vary], not ", it->table);
  if (!strcmp(it->key, "workloads")) r->workloads = words_of(r, it);
  else if (!strcmp(it->key, "gpu")) r->gpus = words_of(r, it);
  else if (!strcmp(it->key, "size")) r->size = words_of(r, it).w[0];
  else if (!strcmp(it->key, "seed")) r->seed = words_of(r, it).w[0];
  else {
    const char *near = str_nearest(it->key, known, 4);
    char hint[128];
    snprintf(hint, sizeof hint, "'%s'%s%s%s", it->key, near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
    return fail(r, it->line, "unknown key ", hint);
  }
  return true;
}

/* ---- checking --------------------------------------------------------------------------------------------------------- */

static bool check_workloads(struct reader *r, const char *const *names, size_t n) {
  if (r->workloads.n == 1 && !strcmp(r->workloads.w[0], "all")) {
    r->workloads.w = arena_copy(&r->p->arena, names, n * sizeof *names);
    r->workloads.n = n;
  }
  if (!r->workloads.n) return fail(r, 1, "the plan names no workloads", "");
  for (size_t i = 0; i < r->workloads.n; i++) {
    size_t k = 0;
    while (k < n && strcmp(names[k], r->workloads.w[i])) k++;
    if (k < n) continue;
    const char *near = str_nearest(r->workloads.w[i], names, n);
    return err_set(r->e, ERR_INPUT, "%s: there is no workload '%s'%s%s%s", r->path, r->workloads.w[i],
                   near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
  }
  return true;
}

/* Every GPU with every value of every key alone, so that a mistake is told before anything runs. */
static bool check_settings(struct reader *r) {
  for (size_t g = 0; g < r->gpus.n; g++) {
    struct cfg *c = gpu_cfg_new();
    bool ok = gpu_cfg_preset(c, r->gpus.w[g], r->e);
    for (size_t k = 0; k < r->n_varied && ok; k++)
      for (size_t v = 0; v < r->varied[k].values.n && ok; v++) {
        char set[512];
        struct err inner = {0};
        snprintf(set, sizeof set, "%s=%s", r->varied[k].key, r->varied[k].values.w[v]);
        ok = cfg_set(c, set, &inner);
        if (!ok) fail(r, r->varied[k].line, "", inner.text);
      }
    cfg_delete(c);
    if (!ok) return false;
  }
  return true;
}

static bool check_count(struct reader *r) {
  size_t n = r->workloads.n * r->gpus.n;
  for (size_t k = 0; k < r->n_varied && n <= LAB_MAX_RUNS; k++) n *= r->varied[k].values.n;
  if (n > LAB_MAX_RUNS)
    return err_set(r->e, ERR_INPUT, "%s: the plan expands to more than %d runs; split it", r->path, LAB_MAX_RUNS);
  return n > 0;
}

/* ---- expanding -------------------------------------------------------------------------------------------------------- */

static int by_key(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

static const char *settings_of(struct reader *r, const size_t *choice) {
  const char *list[MAX_VARIED];
  struct str s = {0};
  for (size_t k = 0; k < r->n_varied; k++) {
    struct str one = {0};
    str_add(&one, "%s=%s", r->varied[k].key, r->varied[k].values.w[choice[k]]);
    list[k] = arena_strndup(&r->p->arena, one.s, one.n);
    str_free(&one);
  }
  qsort(list, r->n_varied, sizeof *list, by_key);
  for (size_t k = 0; k < r->n_varied; k++) str_add(&s, "%s%s", k ? "," : "", list[k]);
  const char *out = arena_strndup(&r->p->arena, s.s ? s.s : "", s.n);
  str_free(&s);
  return out;
}

static bool next_choice(const struct reader *r, size_t *choice) {
  for (size_t k = r->n_varied; k-- > 0;) {
    if (++choice[k] < r->varied[k].values.n) return true;
    choice[k] = 0;
  }
  return false;
}

static void expand(struct reader *r) {
  struct lab_plan *p = r->p;
  for (size_t w = 0; w < r->workloads.n; w++)
    for (size_t g = 0; g < r->gpus.n; g++) {
      size_t choice[MAX_VARIED] = {0};
      do {
        GROW(p->runs, p->cap, p->n + 1);
        p->runs[p->n++] = (struct lab_run){.workload = r->workloads.w[w], .size = r->size, .seed = r->seed,
                                           .gpu = r->gpus.w[g], .settings = settings_of(r, choice)};
      } while (next_choice(r, choice));
    }
}

static char *read_whole(const char *path, size_t *n, struct err *e) {
  FILE *f = fopen(path, "rb");
  if (!f) {
    err_set(e, ERR_INPUT, "cannot read the plan '%s': %s", path, strerror(errno));
    return NULL;
  }
  char *text = must_alloc(MAX_PLAN);
  *n = fread(text, 1, MAX_PLAN, f);
  fclose(f);
  return text;
}

bool lab_plan_read(struct lab_plan *p, const char *path, const char *const *workloads, size_t n_workloads,
                   struct err *e) {
  *p = (struct lab_plan){0};
  static const char *default_gpu[] = {"gtx480"};
  struct reader r = {.p = p, .path = path, .gpus = {default_gpu, 1}, .size = "small", .seed = "", .e = e};
  size_t n = 0;
  char *text = read_whole(path, &n, e);
  if (!text) return false;
  struct toml t = {0};
  bool ok = toml_read(&t, path, text, n, e);
  for (size_t i = 0; i < t.n && ok; i++) ok = read_item(&r, &t.items[i]);
  ok = ok && check_workloads(&r, workloads, n_workloads) && check_settings(&r) && check_count(&r);
  if (ok) expand(&r);
  toml_free(&t);
  free(text);
  return ok;
}

void lab_plan_free(struct lab_plan *p) {
  arena_free(&p->arena);
  free(p->runs);
  *p = (struct lab_plan){0};
}
