/* See cfg.h. Values are kept as text, checked when they are set, and converted when they are read. */
#include "base/cfg.h"

#include "base/policy.h"
#include "base/str.h"
#include "base/toml.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <libgen.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct value {
  const struct cfg_key *key;
  const char *text, *source;
};

struct cfg {
  struct arena arena;
  struct value *values;
  size_t n, cap;
  struct strmap by_name;
  const char *(*find_include)(const char *name);
  const struct cfg_former *former;
};

enum { MAX_INCLUDES = 8, MAX_FILE = 1 << 20 };

static void add_key(struct cfg *c, const struct cfg_key *key) {
  uint32_t at;
  if (strmap_get(&c->by_name, key->name, strlen(key->name), &at)) { /* two policies of a list may share their keys */
    assert(c->values[at].key == key);
    return;
  }
  GROW(c->values, c->cap, c->n + 1);
  strmap_put(&c->by_name, key->name, strlen(key->name), (uint32_t)c->n);
  c->values[c->n++] = (struct value){key, key->initial, "default"};
}

static void add_table(struct cfg *c, const struct cfg_key *keys) {
  for (const struct cfg_key *k = keys; k->name; k++) add_key(c, k);
  for (const struct cfg_key *k = keys; k->name; k++)
    for (const struct policy *const *p = k->choices; p && *p; p++)
      if ((*p)->keys) add_table(c, (*p)->keys);
}

struct cfg *cfg_new(const struct cfg_key *const *tables, size_t n_tables) {
  struct cfg *c = must_alloc(sizeof *c);
  for (size_t i = 0; i < n_tables; i++) add_table(c, tables[i]);
  return c;
}

void cfg_set_includes(struct cfg *c, const char *(*find)(const char *name)) { c->find_include = find; }

void cfg_set_former(struct cfg *c, const struct cfg_former *list) { c->former = list; }

void cfg_delete(struct cfg *c) {
  if (!c) return;
  arena_free(&c->arena);
  strmap_free(&c->by_name);
  free(c->values);
  free(c);
}

struct cfg *cfg_copy(const struct cfg *from) {
  struct cfg *c = must_alloc(sizeof *c);
  c->find_include = from->find_include;
  c->former = from->former;
  for (size_t i = 0; i < from->n; i++) {
    const struct value *v = &from->values[i];
    GROW(c->values, c->cap, c->n + 1);
    strmap_put(&c->by_name, v->key->name, strlen(v->key->name), (uint32_t)c->n);
    c->values[c->n++] = (struct value){v->key, arena_strndup(&c->arena, v->text, strlen(v->text)),
                                       arena_strndup(&c->arena, v->source, strlen(v->source))};
  }
  return c;
}

/* ---- checking --------------------------------------------------------------------------------------------------- */

/* "48K", "6M", "2G" or a plain number. */
static bool parse_bytes(const char *s, int64_t *out) {
  char *stop;
  errno = 0;
  double v = strtod(s, &stop);
  int shift = *stop == 'K' ? 10 : *stop == 'M' ? 20 : *stop == 'G' ? 30 : 0;
  if (shift) stop++;
  v *= (double)(INT64_C(1) << shift);
  if (errno || stop == s || *stop || !(v >= 0 && v <= 9e18)) return false;
  *out = (int64_t)v;
  return (double)*out == v;
}

static bool parse_real(const char *s, double *out) {
  char *stop;
  errno = 0;
  *out = strtod(s, &stop);
  return stop != s && !*stop && !errno && *out == *out;
}

static bool parse_int(const char *s, int64_t *out) {
  char *stop;
  errno = 0;
  *out = strtoll(s, &stop, 0);
  return stop != s && !*stop && !errno;
}

static bool complain(const struct cfg_key *k, const char *source, const char *text, const char *allowed,
                     struct err *e) {
  return err_set(e, ERR_INPUT, "%s: '%s' is not a value for '%s' (%s): %s", source, text, k->name, k->meaning, allowed);
}

static bool check_number(const struct cfg_key *k, const char *source, const char *text, struct err *e) {
  double v = 0;
  int64_t i = 0;
  bool ok = k->type == CFG_REAL ? parse_real(text, &v) : k->type == CFG_INT ? parse_int(text, &i) : parse_bytes(text, &i);
  if (k->type != CFG_REAL) v = (double)i;
  if (ok && v >= k->min && v <= k->max) return true;
  char allowed[160];
  snprintf(allowed, sizeof allowed, "%s from %.12g to %.12g%s%s is allowed",
           k->type == CFG_REAL ? "a number" : k->type == CFG_INT ? "a whole number" : "a size such as 16K", k->min,
           k->max, *k->unit ? " " : "", k->unit);
  return complain(k, source, text, allowed, e);
}

static bool check_word(const struct cfg_key *k, const char *source, const char *text, struct err *e) {
  if (policy_find(k->choices, text)) return true;
  struct str allowed = {0};
  str_add(&allowed, "one of ");
  policy_words(k->choices, &allowed);
  str_add(&allowed, " is allowed%s", policy_hint(k->choices, text).s);
  complain(k, source, text, allowed.s, e);
  str_free(&allowed);
  return false;
}

static bool check(const struct cfg_key *k, const char *source, const char *text, struct err *e) {
  switch (k->type) {
  case CFG_BOOL:
    if (!strcmp(text, "true") || !strcmp(text, "false")) return true;
    return complain(k, source, text, "true or false is allowed", e);
  case CFG_CHOICE: return check_word(k, source, text, e);
  case CFG_TEXT: return true;
  default: return check_number(k, source, text, e);
  }
}

static bool unknown_key(const struct cfg *c, const char *name, const char *source, struct err *e) {
  for (const struct cfg_former *f = c->former; f && f->name; f++)
    if (!strcmp(f->name, name)) return err_set(e, ERR_INPUT, "%s: unknown key '%s' (it is '%s' now)", source, name, f->now);
  const char **names = must_alloc((c->n + 1) * sizeof *names);
  for (size_t i = 0; i < c->n; i++) names[i] = c->values[i].key->name;
  err_set(e, ERR_INPUT, "%s: unknown key '%s'%s; `heddle list keys` shows all", source, name, str_hint(name, names, c->n).s);
  free(names);
  return false;
}

static bool assign(struct cfg *c, const char *name, const char *text, const char *source, struct err *e) {
  uint32_t at;
  if (!strmap_get(&c->by_name, name, strlen(name), &at)) return unknown_key(c, name, source, e);
  struct value *v = &c->values[at];
  if (!check(v->key, source, text, e)) return false;
  v->text = arena_strndup(&c->arena, text, strlen(text));
  v->source = arena_strndup(&c->arena, source, strlen(source));
  return true;
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

static bool read_text(struct cfg *c, const char *name, const char *text, size_t bytes, int depth, struct err *e);

static bool read_file(struct cfg *c, const char *path, int depth, struct err *e) {
  FILE *f = fopen(path, "rb");
  if (!f) return err_set(e, ERR_INPUT, "cannot read '%s': %s", path, strerror(errno));
  char *text = must_alloc(MAX_FILE + 2); /* one byte more than is allowed, and the end */
  errno = 0;
  size_t n = fread(text, 1, MAX_FILE + 1, f);
  int failed = ferror(f) ? errno : 0;
  fclose(f);
  bool ok = failed         ? err_set(e, ERR_INPUT, "cannot read '%s': %s", path, strerror(failed))
            : n > MAX_FILE ? err_set(e, ERR_INPUT, "'%s' is larger than a configuration may be", path)
                           : read_text(c, path, text, n, depth, e);
  free(text);
  return ok;
}

/* `source` is the line that includes. */
static bool include(struct cfg *c, const char *from, const char *source, const char *what, int depth, struct err *e) {
  if (depth >= MAX_INCLUDES) return err_set(e, ERR_INPUT, "%s: too many nested includes", source);
  const char *text = c->find_include ? c->find_include(what) : NULL;
  if (text) return read_text(c, what, text, strlen(text), depth + 1, e);
  char path[1024], dir[1024];
  snprintf(dir, sizeof dir, "%s", from);
  int n = snprintf(path, sizeof path, "%s/%s.toml", dirname(dir), what);
  if (n < 0 || (size_t)n >= sizeof path) return err_set(e, ERR_INPUT, "%s: the included name is too long", source);
  if (access(path, F_OK) != 0)
    return err_set(e, ERR_INPUT, "%s: there is no GPU '%s' to include (`heddle list gpus` shows all), and no file '%s'", source, what,
                   path);
  return read_file(c, path, depth + 1, e);
}

/* A number as --set would have it: without the underlines that TOML allows. */
static const char *value_text(const struct toml_value *v, char plain[64]) {
  size_t n = 0;
  if (v->kind != TOML_INT && v->kind != TOML_REAL) return v->text;
  for (const char *s = v->text; *s && n < 63; s++)
    if (*s != '_') plain[n++] = *s;
  plain[n] = 0;
  return plain;
}

static bool read_text(struct cfg *c, const char *name, const char *text, size_t bytes, int depth, struct err *e) {
  struct toml t = {0};
  bool ok = toml_read(&t, name, text, bytes, e);
  for (size_t i = 0; i < t.n && ok; i++) {
    const struct toml_item *it = &t.items[i];
    char key[256], source[512], plain[64];
    snprintf(key, sizeof key, "%s%s%s", it->table, *it->table ? "." : "", it->key);
    snprintf(source, sizeof source, "%s:%u", name, it->line);
    if (it->is_array) ok = err_set(e, ERR_INPUT, "%s: '%s' takes one value, not a list", source, key);
    else if (!strcmp(key, "include")) ok = include(c, name, source, it->values[0].text, depth, e);
    else ok = assign(c, key, value_text(&it->values[0], plain), source, e);
  }
  toml_free(&t);
  return ok;
}

bool cfg_read_file(struct cfg *c, const char *path, struct err *e) { return read_file(c, path, 0, e); }

bool cfg_read_text(struct cfg *c, const char *name, const char *text, struct err *e) {
  return read_text(c, name, text, strlen(text), 0, e);
}

bool cfg_set_from(struct cfg *c, const char *assignment, const char *source, struct err *e) {
  const char *eq = strchr(assignment, '=');
  if (!eq) return err_set(e, ERR_INPUT, "%s %s: key=value is expected", source, assignment);
  char *name = arena_strndup(&c->arena, assignment, (size_t)(eq - assignment));
  return assign(c, name, eq + 1, source, e);
}

bool cfg_set(struct cfg *c, const char *assignment, struct err *e) { return cfg_set_from(c, assignment, "--set", e); }

bool cfg_set_all(struct cfg *c, const char *assignments, struct err *e) {
  char *list = strdup(assignments ? assignments : ""), *save = NULL;
  bool ok = true;
  for (char *one = strtok_r(list, ",", &save); one && ok; one = strtok_r(NULL, ",", &save)) ok = cfg_set(c, one, e);
  free(list);
  return ok;
}

/* ---- looking up ------------------------------------------------------------------------------------------------- */

static const struct value *get(const struct cfg *c, const char *name) {
  uint32_t at;
  if (strmap_get(&c->by_name, name, strlen(name), &at)) return &c->values[at];
  fprintf(stderr, "heddle: internal error: key '%s' is not declared\n", name);
  exit(3);
}

int64_t cfg_int(const struct cfg *c, const char *name) {
  const struct value *v = get(c, name);
  int64_t i = 0;
  if (v->key->type == CFG_BOOL) return !strcmp(v->text, "true");
  if (v->key->type == CFG_BYTES) parse_bytes(v->text, &i);
  else parse_int(v->text, &i);
  return i;
}

double cfg_real(const struct cfg *c, const char *name) {
  double r = 0;
  parse_real(get(c, name)->text, &r);
  return r;
}

bool cfg_bool(const struct cfg *c, const char *name) { return cfg_int(c, name) != 0; }
const char *cfg_text(const struct cfg *c, const char *name) { return get(c, name)->text; }
const char *cfg_source(const struct cfg *c, const char *name) { return get(c, name)->source; }

const void *cfg_policy(const struct cfg *c, const char *name) {
  const struct value *v = get(c, name);
  const struct policy *p = policy_find(v->key->choices, v->text);
  return p->off ? NULL : p;
}

unsigned cfg_option(const struct cfg *c, const char *name) {
  const struct value *v = get(c, name);
  unsigned i = 0;
  while (strcmp(v->key->choices[i]->name, v->text)) i++;
  return i;
}

void cfg_visit(const struct cfg *c, cfg_visit_fn fn, void *user) {
  for (size_t i = 0; i < c->n; i++) fn(user, c->values[i].key, c->values[i].text, c->values[i].source);
}

bool cfg_complain(const struct cfg *c, const char *name, struct err *e, const char *fmt, ...) {
  const struct value *v = get(c, name);
  char why[512];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(why, sizeof why, fmt, ap);
  va_end(ap);
  return err_set(e, ERR_INPUT, "%s: %s = %s: %s", v->source, name, v->text, why);
}
