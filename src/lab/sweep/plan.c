/* See plan.h. A plan looks like
 *
 *   workloads = ["kmeans", "bfs"]     # or "all"; "kmeans+bfs": both on one GPU at once
 *   size = "small"                    # default small
 *   gpu = ["gtx480", "h200"]          # default gtx480; a path of a .toml file too
 *   seed = [1, 2]                     # of the inputs; default: the workload's own
 *   interval = 10000                  # also statistics by interval, of this many core cycles; default none
 *   [set]                             # for every run
 *   "sm.scheduler" = "lrr"
 *   [vary]                            # the product of these
 *   "l1.ways" = [2, 4, 8]
 */
#include "lab/sweep/plan.h"

#include "base/str.h"
#include "base/toml.h"
#include "gpu/gpu.h"
#include "lab/sizes.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_VARIED = 32, MAX_PLAN = 1 << 20 };

struct words {
  const char **w;
  size_t n;
  unsigned line;
};

struct reader {
  struct lab_plan *p;
  const char *path;
  struct words workloads, gpus, sizes, seeds, interval;
  struct {
    const char *key;
    struct words values;
  } varied[MAX_VARIED];
  size_t n_varied;
  struct err *e;
};

static bool fail(struct reader *r, unsigned line, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static bool fail(struct reader *r, unsigned line, const char *fmt, ...) {
  char text[1024];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  if (!line) return err_set(r->e, ERR_INPUT, "%s: %s", r->path, text);
  return err_set(r->e, ERR_INPUT, "%s:%u: %s", r->path, line, text);
}

static bool fail_unknown(struct reader *r, unsigned line, const char *what, const char *name, const char *const *known,
                         size_t n) {
  return fail(r, line, "%s '%s'%s", what, name, str_hint(name, known, n).s);
}

/* ---- reading ---------------------------------------------------------------------------------------------------------- */

/* A list without repetitions: the same run is not made twice. */
static bool read_words(struct reader *r, const struct toml_item *it, struct words *out) {
  if (out->line) return fail(r, it->line, "'%s' is given twice (first on line %u)", it->key, out->line); /* in [set] and [vary] */
  if (!it->n) return fail(r, it->line, "the list of '%s' is empty: that leaves nothing to run", it->key);
  *out = (struct words){.w = ARENA_ARRAY(&r->p->arena, const char *, it->n), .line = it->line};
  for (size_t i = 0; i < it->n; i++) {
    const char *text = it->values[i].text;
    if (out->n < 1000 && str_among(text, out->w, out->n)) return fail(r, it->line, "'%s' is listed twice in '%s'", text, it->key);
    out->w[out->n++] = arena_strndup(&r->p->arena, text, strlen(text));
  }
  return true;
}

static bool read_varied(struct reader *r, const struct toml_item *it) {
  if (it->is_array && !strcmp(it->table, "set"))
    return fail(r, it->line, "'%s' in [set] has one value; several belong in [vary]", it->key);
  size_t k = 0;
  while (k < r->n_varied && strcmp(r->varied[k].key, it->key)) k++;
  if (k == MAX_VARIED) return fail(r, it->line, "more than %d keys in [set] and [vary]", MAX_VARIED);
  if (k == r->n_varied) r->varied[r->n_varied++].key = arena_strndup(&r->p->arena, it->key, strlen(it->key));
  return read_words(r, it, &r->varied[k].values);
}

static bool read_item(struct reader *r, const struct toml_item *it) {
  static const char *const known[] = {"workloads", "size", "gpu", "seed", "interval"};
  if (!strcmp(it->table, "vary") || !strcmp(it->table, "set")) return read_varied(r, it);
  if (*it->table) return fail(r, it->line, "a plan has the tables [set] and [vary], not [%s]", it->table);
  if (!strcmp(it->key, "workloads")) return read_words(r, it, &r->workloads);
  if (!strcmp(it->key, "gpu")) return read_words(r, it, &r->gpus);
  if (!strcmp(it->key, "size")) return read_words(r, it, &r->sizes);
  if (!strcmp(it->key, "seed")) return read_words(r, it, &r->seeds);
  if (!strcmp(it->key, "interval")) return read_words(r, it, &r->interval);
  return fail_unknown(r, it->line, "unknown key", it->key, known, sizeof known / sizeof *known);
}

bool lab_is_workload(const char *name, const char *const *names, size_t n) {
  if (str_among(name, names, n)) return true;
  for (size_t i = 0; i < n; i++) {
    size_t first = strlen(names[i]);
    if (!strncmp(names[i], name, first) && name[first] == '+' && str_among(name + first + 1, names, n)) return true;
  }
  return false;
}

/* ---- checking --------------------------------------------------------------------------------------------------------- */

static bool check_workloads(struct reader *r, const char *const *names, size_t n) {
  if (r->workloads.n == 1 && !strcmp(r->workloads.w[0], "all")) {
    r->workloads.w = arena_copy(&r->p->arena, names, n * sizeof *names);
    r->workloads.n = n;
  }
  if (!r->workloads.n) return fail(r, 0, "the plan names no workloads: workloads = [\"...\"] or \"all\"");
  for (size_t i = 0; i < r->workloads.n; i++)
    if (!lab_is_workload(r->workloads.w[i], names, n))
      return fail_unknown(r, r->workloads.line, "there is no workload", r->workloads.w[i], names, n);
  return true;
}

static bool check_inputs(struct reader *r) {
  for (size_t i = 0; i < r->sizes.n; i++)
    if (lab_size_index(r->sizes.w[i]) < 0)
      return fail(r, r->sizes.line, "size is small, medium or paper, not '%s'", r->sizes.w[i]);
  for (size_t i = 0; i < r->seeds.n; i++) {
    const char *s = r->seeds.w[i];
    if (*s && (strspn(s, "0123456789") != strlen(s) || strlen(s) > 19))
      return fail(r, r->seeds.line, "seed is a whole number, not '%s'", s);
  }
  const char *every = r->interval.w[0];
  if (r->interval.n > 1) return fail(r, r->interval.line, "'interval' has one value");
  if (*every && (strspn(every, "0123456789") != strlen(every) || strlen(every) > 12 || strtoul(every, NULL, 10) < 1))
    return fail(r, r->interval.line, "interval is a whole number of core cycles, not '%s'", every);
  return true;
}

static bool check_value(struct reader *r, struct cfg *c, const char *key, const char *value, unsigned line) {
  if (strchr(value, ',') || strchr(key, '=')) return fail(r, line, "a setting cannot contain ',': '%s'", value);
  struct str set = {0}, source = {0};
  str_add(&set, "%s=%s", key, value);
  str_add(&source, "%s:%u", r->path, line);
  bool ok = cfg_set_from(c, set.s, source.s, r->e);
  str_free(&set);
  str_free(&source);
  return ok;
}

/* Every GPU with every value of every key alone, so that a mistake is reported before anything runs. */
static bool check_settings(struct reader *r) {
  for (size_t g = 0; g < r->gpus.n; g++) {
    struct cfg *c = gpu_cfg_new();
    struct err inner = {0};
    bool ok = gpu_cfg_preset(c, r->gpus.w[g], &inner) || fail(r, r->gpus.line, "%s", inner.text);
    for (size_t k = 0; k < r->n_varied && ok; k++)
      for (size_t v = 0; v < r->varied[k].values.n && ok; v++)
        ok = check_value(r, c, r->varied[k].key, r->varied[k].values.w[v], r->varied[k].values.line);
    cfg_delete(c);
    if (!ok) return false;
  }
  return true;
}

static bool check_count(struct reader *r) {
  const size_t factors[] = {r->workloads.n, r->gpus.n, r->sizes.n, r->seeds.n};
  size_t n = 1;
  for (size_t k = 0; k < sizeof factors / sizeof *factors && n <= LAB_MAX_RUNS; k++) n *= factors[k];
  for (size_t k = 0; k < r->n_varied && n <= LAB_MAX_RUNS; k++) n *= r->varied[k].values.n;
  return n <= LAB_MAX_RUNS || fail(r, 0, "the plan expands to more than %d runs; split it", LAB_MAX_RUNS);
}

/* ---- expanding -------------------------------------------------------------------------------------------------------- */

static int by_text(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

static const char *settings_of(struct reader *r, const size_t *choice) {
  const char *list[MAX_VARIED];
  struct str s = {0};
  for (size_t k = 0; k < r->n_varied; k++) {
    struct str one = {0};
    str_add(&one, "%s=%s", r->varied[k].key, r->varied[k].values.w[choice[k]]);
    list[k] = arena_strndup(&r->p->arena, one.s, one.n);
    str_free(&one);
  }
  qsort(list, r->n_varied, sizeof *list, by_text);
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

/* Keys that nobody set are left out, so that a new key which is off by default leaves old results valid; and those of the host,
 * which cannot change a result. */
static void add_setting(void *user, const struct cfg_key *key, const char *value, const char *source) {
  bool is_set = strcmp(source, "default") != 0;
  bool of_host = !strcmp(key->name, "gpu.threads") || !strcmp(key->name, "gpu.all_threads");
  if (is_set && !of_host) str_add(user, "%s=%s\n", key->name, value);
}

static const char *hash_of(struct arena *a, const struct cfg *preset, const char *settings, struct err *e) {
  struct cfg *c = cfg_copy(preset);
  char hash[17];
  struct str all = {0};
  cfg_set_all(c, settings, e);
  cfg_visit(c, add_setting, &all);
  snprintf(hash, sizeof hash, "%016llx", (unsigned long long)str_hash(all.s, all.n));
  str_free(&all);
  cfg_delete(c);
  return arena_strndup(a, hash, 16);
}

static void add_runs(struct reader *r, struct lab_run run) {
  struct lab_plan *p = r->p;
  for (size_t w = 0; w < r->workloads.n; w++)
    for (size_t z = 0; z < r->sizes.n; z++)
      for (size_t s = 0; s < r->seeds.n; s++) {
        GROW(p->runs, p->cap, p->n + 1);
        run.workload = r->workloads.w[w];
        run.size = r->sizes.w[z];
        run.seed = r->seeds.w[s];
        p->runs[p->n++] = run;
      }
}

static void expand(struct reader *r) {
  for (size_t g = 0; g < r->gpus.n; g++) {
    size_t choice[MAX_VARIED] = {0};
    struct err checked = {0};
    struct cfg *preset = gpu_cfg_new();
    gpu_cfg_preset(preset, r->gpus.w[g], &checked);
    do {
      const char *settings = settings_of(r, choice);
      const char *hash = hash_of(&r->p->arena, preset, settings, &checked);
      add_runs(r, (struct lab_run){.gpu = r->gpus.w[g], .settings = settings, .config_hash = hash, .probes = "",
                                   .interval = r->interval.w[0]});
    } while (next_choice(r, choice));
    cfg_delete(preset);
  }
}

/* ---- one run ---------------------------------------------------------------------------------------------------------- */

static const char *sorted(struct arena *a, const char *list) {
  const char *words[MAX_VARIED];
  char *copy = strdup(list ? list : ""), *save = NULL;
  size_t n = 0;
  for (char *w = strtok_r(copy, ",", &save); w && n < MAX_VARIED; w = strtok_r(NULL, ",", &save)) words[n++] = w;
  qsort(words, n, sizeof *words, by_text);
  struct str s = {0};
  for (size_t i = 0; i < n; i++) str_add(&s, "%s%s", i ? "," : "", words[i]);
  const char *out = arena_strndup(a, s.s ? s.s : "", s.n);
  str_free(&s);
  free(copy);
  return out;
}

bool lab_plan_add(struct lab_plan *p, const struct lab_run *run, struct err *e) {
  struct cfg *preset = gpu_cfg_new();
  struct arena *a = &p->arena;
  struct lab_run r = {.workload = arena_strndup(a, run->workload, strlen(run->workload)),
                      .size = arena_strndup(a, run->size, strlen(run->size)),
                      .seed = arena_strndup(a, run->seed, strlen(run->seed)),
                      .program = run->program,
                      .gpu = arena_strndup(a, run->gpu, strlen(run->gpu)),
                      .settings = sorted(a, run->settings), .probes = sorted(a, run->probes), .interval = ""};
  bool ok = gpu_cfg_preset(preset, r.gpu, e);
  if (ok) r.config_hash = hash_of(a, preset, r.settings, e);
  cfg_delete(preset);
  if (!ok || e->kind) return false;
  GROW(p->runs, p->cap, p->n + 1);
  p->runs[p->n++] = r;
  return true;
}

/* ---- the whole -------------------------------------------------------------------------------------------------------- */

bool lab_plan_text(struct lab_plan *p, const char *name, const char *text, size_t bytes, const char *const *workloads,
                   size_t n_workloads, struct err *e) {
  static const char *gpu[] = {"gtx480"}, *size[] = {"small"}, *seed[] = {""}, *never[] = {""};
  *p = (struct lab_plan){0};
  struct reader r = {.p = p, .path = name, .gpus = {gpu, 1, 0}, .sizes = {size, 1, 0}, .seeds = {seed, 1, 0},
                     .interval = {never, 1, 0}, .e = e};
  struct toml t = {0};
  bool ok = toml_read(&t, name, text, bytes, e);
  for (size_t i = 0; i < t.n && ok; i++) ok = read_item(&r, &t.items[i]);
  ok = ok && check_workloads(&r, workloads, n_workloads) && check_inputs(&r) && check_count(&r) && check_settings(&r);
  if (ok) expand(&r);
  toml_free(&t);
  return ok;
}

bool lab_plan_read(struct lab_plan *p, const char *path, const char *const *workloads, size_t n_workloads,
                   struct err *e) {
  *p = (struct lab_plan){0};
  FILE *f = fopen(path, "rb");
  if (!f) return err_set(e, ERR_INPUT, "cannot read the plan '%s': %s", path, strerror(errno));
  char *text = must_alloc(MAX_PLAN + 1);
  size_t n = fread(text, 1, MAX_PLAN + 1, f);
  bool bad = ferror(f), ok = false;
  int why = errno;
  fclose(f);
  if (bad) err_set(e, ERR_INPUT, "cannot read the plan '%s': %s", path, strerror(why));
  else if (n > MAX_PLAN) err_set(e, ERR_INPUT, "the plan '%s' is larger than %d bytes", path, MAX_PLAN);
  else ok = lab_plan_text(p, path, text, n, workloads, n_workloads, e);
  free(text);
  return ok;
}

void lab_plan_free(struct lab_plan *p) {
  arena_free(&p->arena);
  free(p->runs);
  *p = (struct lab_plan){0};
}
