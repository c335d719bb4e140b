/* See toml.h. A small reader without recursion; the first error ends it. */
#include "base/toml.h"

#include "base/str.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct reader {
  struct toml *t;
  struct strmap lines; /* by whole name, where it was first given */
  const char *name, *p, *end;
  unsigned line;
  const char *table;
  struct err *e;
};

enum { MAX_ARRAY = 100000, MAX_NUMBER = 64 };

static bool fail(struct reader *r, const char *what) {
  return err_set(r->e, ERR_INPUT, "%s:%u: %s", r->name, r->line, what);
}

static bool at(const struct reader *r, char c) { return r->p < r->end && *r->p == c; }

static void skip_spaces(struct reader *r) {
  while (r->p < r->end && (*r->p == ' ' || *r->p == '\t' || *r->p == '\r')) r->p++;
}

static void skip_comment(struct reader *r) {
  if (at(r, '#'))
    while (r->p < r->end && *r->p != '\n') r->p++;
}

/* Spaces, comments and line ends: between items, and inside arrays. */
static void skip_lines(struct reader *r) {
  for (;;) {
    skip_spaces(r);
    skip_comment(r);
    if (!at(r, '\n')) return;
    r->p++;
    r->line++;
  }
}

static bool end_of_line(struct reader *r) {
  skip_spaces(r);
  skip_comment(r);
  if (r->p < r->end && *r->p != '\n') return fail(r, "unexpected text after the value");
  return true;
}

/* ---- values ----------------------------------------------------------------------------------------------------- */

static bool escape(struct reader *r, char *out) {
  static const char from[] = "btnfr\"\\", to[] = "\b\t\n\f\r\"\\";
  const char *at_ = r->p < r->end && *r->p ? strchr(from, *r->p) : NULL;
  if (!at_) return fail(r, "unknown escape in a string");
  *out = to[at_ - from];
  r->p++;
  return true;
}

static bool read_string(struct reader *r, const char **out) {
  char quote = *r->p++;
  const char *start = r->p;
  char *buf = arena_alloc(&r->t->arena, (size_t)(r->end - start) < 65536 ? (size_t)(r->end - start) + 1 : 65536);
  size_t n = 0;
  while (r->p < r->end && *r->p != quote && *r->p != '\n') {
    if (n >= 65535) return fail(r, "string too long");
    char c = *r->p++;
    if (c == '\\' && quote == '"' && !escape(r, &c)) return false;
    buf[n++] = c;
  }
  if (!at(r, quote)) return fail(r, "the string is not closed on its line");
  r->p++;
  buf[n] = 0;
  *out = buf;
  return true;
}

static bool is_bare(char c) { return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '.' || c == '+'; }

static bool read_number(struct reader *r, const char *word, struct toml_value *v) {
  char digits[MAX_NUMBER];
  size_t n = 0;
  for (const char *s = word; *s; s++)
    if (*s != '_') digits[n++] = *s;
  digits[n] = 0;
  char *stop;
  errno = 0;
  v->i = strtoll(digits, &stop, 0);
  if (n && !*stop && !errno) {
    v->kind = TOML_INT;
    v->r = (double)v->i;
    return true;
  }
  v->r = strtod(digits, &stop);
  v->kind = TOML_REAL;
  if (!n || *stop) return fail(r, "a value is expected: a number, \"text\", true, false or [ ... ]");
  return true;
}

static bool read_value(struct reader *r, struct toml_value *v) {
  if (at(r, '"') || at(r, '\'')) {
    v->kind = TOML_STRING;
    return read_string(r, &v->text);
  }
  const char *start = r->p;
  while (r->p < r->end && is_bare(*r->p)) r->p++;
  size_t n = (size_t)(r->p - start);
  if (n >= MAX_NUMBER) return fail(r, "the value is too long");
  v->text = arena_strndup(&r->t->arena, start, n);
  if (!strcmp(v->text, "true") || !strcmp(v->text, "false")) {
    v->kind = TOML_BOOL;
    v->b = v->text[0] == 't';
    return true;
  }
  return read_number(r, v->text, v);
}

static bool read_array(struct reader *r, struct toml_item *it) {
  struct toml_value *values = NULL;
  size_t cap = 0;
  bool ok = true;
  r->p++;
  for (skip_lines(r); ok && !at(r, ']'); skip_lines(r)) {
    if (it->n == MAX_ARRAY) ok = fail(r, "the array is too long");
    if (ok && it->n) {
      ok = at(r, ',') || fail(r, "',' or ']' is expected in the array");
      if (ok) r->p++;
      skip_lines(r);
      if (at(r, ']')) break;
    }
    if (!ok) break;
    GROW(values, cap, it->n + 1);
    values[it->n] = (struct toml_value){0};
    ok = r->p < r->end ? read_value(r, &values[it->n]) : fail(r, "the array is not closed");
    it->n++;
  }
  if (ok) r->p++;
  it->is_array = true;
  it->values = arena_copy(&r->t->arena, values, it->n * sizeof *values);
  free(values);
  return ok;
}

/* ---- lines ------------------------------------------------------------------------------------------------------ */

static bool read_key(struct reader *r, const char **out) {
  if (at(r, '"') || at(r, '\'')) return read_string(r, out);
  const char *start = r->p;
  while (r->p < r->end && is_bare(*r->p)) r->p++;
  if (r->p == start) return fail(r, "a key is expected");
  *out = arena_strndup(&r->t->arena, start, (size_t)(r->p - start));
  return true;
}

static bool read_header(struct reader *r) {
  r->p++;
  if (at(r, '[')) return fail(r, "arrays of tables are not used here");
  skip_spaces(r);
  if (!read_key(r, &r->table)) return false;
  skip_spaces(r);
  if (!at(r, ']')) return fail(r, "']' is expected after the table's name");
  r->p++;
  return end_of_line(r);
}

/* A name under a table is the same as the dotted name without. */
static bool is_new(struct reader *r, const struct toml_item *it) {
  struct str whole = {0};
  uint32_t first;
  str_add(&whole, "%s%s%s", it->table, *it->table ? "." : "", it->key);
  bool known = strmap_get(&r->lines, whole.s, whole.n, &first);
  if (known) err_set(r->e, ERR_INPUT, "%s:%u: '%s' is given twice (first on line %u)", r->name, r->line, it->key, first);
  else strmap_put(&r->lines, arena_strndup(&r->t->arena, whole.s, whole.n), whole.n, it->line);
  str_free(&whole);
  return !known;
}

static bool read_item(struct reader *r) {
  struct toml_item it = {.table = r->table, .line = r->line};
  if (!read_key(r, &it.key)) return false;
  skip_spaces(r);
  if (!at(r, '=')) return fail(r, "'=' is expected after the key");
  if (!is_new(r, &it)) return false;
  r->p++;
  skip_spaces(r);
  if (at(r, '[')) {
    if (!read_array(r, &it)) return false;
  } else {
    it.values = ARENA_NEW(&r->t->arena, struct toml_value);
    it.n = 1;
    if (!read_value(r, it.values)) return false;
  }
  GROW(r->t->items, r->t->cap, r->t->n + 1);
  r->t->items[r->t->n++] = it;
  return end_of_line(r);
}

bool toml_read(struct toml *t, const char *name, const char *text, size_t bytes, struct err *e) {
  struct reader r = {.t = t, .name = name, .p = text, .end = text + bytes, .line = 1, .table = "", .e = e};
  bool ok = true;
  for (skip_lines(&r); ok && r.p < r.end; skip_lines(&r)) ok = at(&r, '[') ? read_header(&r) : read_item(&r);
  strmap_free(&r.lines);
  return ok;
}

void toml_free(struct toml *t) {
  arena_free(&t->arena);
  free(t->items);
  *t = (struct toml){0};
}
