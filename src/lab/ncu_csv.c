/* See ncu_csv.h. */
#include "lab/ncu_csv.h"

#include "base/str.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CELLS = 8192 };

/* ---- lines and cells ----------------------------------------------------------------------------------------------------- */

struct reader {
  struct ncu_table *t;
  const char *name, *at, *end;
  unsigned line;
  const char **cells; /* of the line that was read last, in the arena */
  size_t n;
  struct err *e;
};

static bool wrong(struct reader *r, const char *what) {
  return err_set(r->e, ERR_INPUT, "%s:%u: %s", r->name, r->line, what);
}

/* One cell from r->at on; leaves it at the comma or at the end of the line. */
static const char *take_cell(struct reader *r) {
  bool quoted = r->at < r->end && *r->at == '"';
  char *out = arena_alloc(&r->t->arena, (size_t)(r->end - r->at) < 4096 ? (size_t)(r->end - r->at) + 1 : 4097), *to = out;
  if (quoted) r->at++;
  for (; r->at < r->end; r->at++) {
    if (quoted && *r->at == '"') {
      if (r->at + 1 == r->end || r->at[1] != '"') break;
      r->at++;
    } else if (!quoted && (*r->at == ',' || *r->at == '\n')) {
      break;
    }
    if (*r->at != '\r' && to - out < 4096) *to++ = *r->at;
    r->line += *r->at == '\n';
  }
  if (quoted && r->at < r->end) r->at++;
  while (r->at < r->end && *r->at != ',' && *r->at != '\n') r->at++;
  *to = 0;
  return out;
}

/* The next line as cells; false at the end of the text or after an error. */
static bool next_line(struct reader *r) {
  if (r->at >= r->end) return false;
  r->line++;
  for (r->n = 0;;) {
    if (r->n == MOST_CELLS) return wrong(r, "more cells than Nsight Compute writes");
    r->cells[r->n++] = take_cell(r);
    if (r->at >= r->end || *r->at == '\n') break;
    r->at++;
  }
  r->at++;
  return true;
}

static size_t column(const struct reader *r, const char *name) {
  for (size_t i = 0; i < r->n; i++)
    if (!strcmp(r->cells[i], name)) return i;
  return SIZE_MAX;
}

/* ---- values -------------------------------------------------------------------------------------------------------------- */

static bool ends_in(const char *s, const char *end) {
  size_t n = strlen(s), k = strlen(end);
  return n >= k && !strcmp(s + n - k, end);
}

/* What a value of this unit is multiplied with. */
static double scale_of(const char *unit) {
  static const struct {
    const char *unit;
    double scale;
  } times[] = {{"nsecond", 1}, {"ns", 1}, {"usecond", 1e3}, {"us", 1e3}, {"msecond", 1e6}, {"ms", 1e6}, {"second", 1e9}, {"s", 1e9}};
  for (size_t i = 0; i < sizeof times / sizeof *times; i++)
    if (!strcmp(unit, times[i].unit)) return times[i].scale;
  if (strlen(unit) < 2 || (!ends_in(unit, "byte") && !ends_in(unit, "bytes") && !ends_in(unit, "inst") && !ends_in(unit, "sector") &&
                           strcmp(unit + 1, "B") != 0))
    return 1;
  switch (unit[0]) {
  case 'K': return 1e3;
  case 'M': return 1e6;
  case 'G': return 1e9;
  case 'T': return 1e12;
  default: return 1;
  }
}

/* A number with thousands separators; NAN for anything else. */
static double value_of(const char *text, const char *unit) {
  char digits[64];
  size_t n = 0;
  for (; *text && n + 1 < sizeof digits; text++)
    if (*text != ',') digits[n++] = *text;
  digits[n] = 0;
  char *end;
  double v = strtod(digits, &end);
  return n && !*end ? v * scale_of(unit) : NAN;
}

/* ---- the two kinds of table ---------------------------------------------------------------------------------------------- */

static struct ncu_launch *add_launch(struct reader *r, const char *id, const char *kernel) {
  GROW(r->t->launches, r->t->cap, r->t->n + 1);
  struct ncu_launch *l = &r->t->launches[r->t->n++];
  *l = (struct ncu_launch){.id = id, .kernel = kernel};
  return l;
}

static void add_metric(struct ncu_launch *l, const char *name, const char *text, const char *unit) {
  double v = value_of(text, unit);
  if (isnan(v)) return;
  GROW(l->metrics, l->cap, l->n + 1);
  l->metrics[l->n++] = (struct ncu_metric){name, v};
}

/* A row a metric: ID, Kernel Name, Metric Name, Metric Unit, Metric Value. */
static bool read_long(struct reader *r, size_t id, size_t kernel) {
  size_t name = column(r, "Metric Name"), unit = column(r, "Metric Unit"), value = column(r, "Metric Value");
  if (unit == SIZE_MAX || value == SIZE_MAX) return wrong(r, "the table has 'Metric Name' but not 'Metric Unit' and 'Metric Value'");
  while (next_line(r)) {
    if (r->n <= value || r->n <= unit || r->n <= kernel) continue;
    struct ncu_launch *last = r->t->n ? &r->t->launches[r->t->n - 1] : NULL;
    if (!last || strcmp(last->id, r->cells[id]) != 0) last = add_launch(r, r->cells[id], r->cells[kernel]);
    add_metric(last, r->cells[name], r->cells[value], r->cells[unit]);
  }
  return !r->e->kind;
}

/* A row a launch; the second line has the units. */
static bool read_wide(struct reader *r, size_t id, size_t kernel) {
  size_t n = r->n;
  const char **heads = arena_copy(&r->t->arena, r->cells, n * sizeof *heads), **units = NULL;
  while (next_line(r)) {
    if (r->n != n) continue;
    if (!units) {
      units = arena_copy(&r->t->arena, r->cells, n * sizeof *units);
      if (!*r->cells[id]) continue; /* a row of units, as every version has written so far */
      for (size_t i = 0; i < n; i++) units[i] = "";
    }
    struct ncu_launch *l = add_launch(r, r->cells[id], r->cells[kernel]);
    for (size_t i = 0; i < n; i++)
      if (strstr(heads[i], "__")) add_metric(l, heads[i], r->cells[i], units[i]);
  }
  return !r->e->kind;
}

bool ncu_parse(struct ncu_table *t, const char *name, const char *text, size_t bytes, struct err *e) {
  *t = (struct ncu_table){0};
  struct reader r = {.t = t, .name = name, .at = text, .end = text + bytes, .e = e};
  r.cells = must_alloc(MOST_CELLS * sizeof *r.cells);
  bool found = false, ok = true;
  while (!found && next_line(&r)) found = column(&r, "Kernel Name") != SIZE_MAX;
  if (found) {
    size_t kernel = column(&r, "Kernel Name"), id = column(&r, "ID");
    if (id == SIZE_MAX) ok = wrong(&r, "the table has no column 'ID'");
    else ok = column(&r, "Metric Name") != SIZE_MAX ? read_long(&r, id, kernel) : read_wide(&r, id, kernel);
  }
  free(r.cells);
  if (ok && !t->n && !e->kind)
    ok = err_set(e, ERR_INPUT, "'%s' holds no launches: make it with `ncu --csv --page raw PROGRAM > FILE.csv`", name);
  return ok && !e->kind;
}

bool ncu_read(struct ncu_table *t, const char *path, struct err *e) {
  *t = (struct ncu_table){0};
  struct str text = {0};
  bool ok = str_add_file(&text, path) || err_set(e, ERR_INPUT, "cannot read '%s': %s", path, strerror(errno));
  ok = ok && ncu_parse(t, path, text.s, text.n, e);
  str_free(&text);
  return ok;
}

void ncu_free(struct ncu_table *t) {
  for (size_t i = 0; i < t->n; i++) free(t->launches[i].metrics);
  free(t->launches);
  arena_free(&t->arena);
  *t = (struct ncu_table){0};
}

double ncu_metric(const struct ncu_launch *l, const char *name) {
  for (size_t i = 0; i < l->n; i++)
    if (!strcmp(l->metrics[i].name, name)) return l->metrics[i].value;
  return NAN;
}

/* ---- names of kernels ---------------------------------------------------------------------------------------------------- */

/* The last of the source names of _Z3addv or _ZN1a3addIfEEv: false if it is none of these. */
static bool mangled_name(const char *s, char *out, size_t size) {
  if (s[0] != '_' || s[1] != 'Z') return false;
  s += 2;
  bool any = false;
  while (*s == 'N' || *s == 'L' || *s == 'K') s++;
  while (*s >= '1' && *s <= '9') {
    char *end;
    unsigned long n = strtoul(s, &end, 10);
    if (strlen(end) < n) return any;
    snprintf(out, size, "%.*s", (int)n, end);
    any = true;
    s = end + n;
  }
  return any;
}

void ncu_bare_name(const char *kernel, char *out, size_t size) {
  if (mangled_name(kernel, out, size)) return;
  size_t end = strcspn(kernel, "(<");
  size_t begin = end;
  while (begin && kernel[begin - 1] != ':' && kernel[begin - 1] != ' ') begin--;
  snprintf(out, size, "%.*s", (int)(end - begin), kernel + begin);
}
