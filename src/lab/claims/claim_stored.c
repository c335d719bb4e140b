/* See claim_stored.h. */
#include "lab/claims/claim_stored.h"

#include "base/output.h"
#include "base/str.h"
#include "base/version.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__asm__(".section .rodata\ntiming_tsv:\n.incbin \"results/timing.tsv\"\n.byte 0\n.previous\n");
extern const char timing_tsv[];

enum { FIELDS = 9, STAMP = 96 };
enum field { SIZE, WORKLOAD, GPU, SETTINGS, CONFIG, PROGRAM, TIMING, VERSION };
static const char nothing[] = "-", count_mark[] = "*";

struct row {
  const char *field[FIELDS - 1]; /* enum field */
  const char *key;
  json_t *numbers;
};

struct claim_stored {
  struct arena arena;
  struct row *rows;
  size_t n, cap;
  struct strmap by_key, stamps; /* a stamp is a place in stamp_texts */
  const char **stamp_texts;
  size_t n_stamps, stamp_cap;
};

/* ---- versions ---------------------------------------------------------------------------------------------------------- */

const char *claim_stored_timing(const char *gpu, char out[9]) {
  struct str lines = {0};
  size_t len = strlen(gpu);
  for (const char *at = timing_tsv; *at;) {
    size_t n = strcspn(at, "\n");
    if (!strncmp(at, gpu, len) && at[len] == '\t') str_addn(&lines, at, n + 1);
    at += n + (at[n] == '\n');
  }
  if (lines.n) snprintf(out, 9, "%08x", (unsigned)str_hash(lines.s, lines.n));
  else snprintf(out, 9, "%s", nothing);
  str_free(&lines);
  return out;
}

static void read_stamps(struct claim_stored *t, const char *text) {
  for (const char *at = text ? text : ""; *at;) {
    size_t n = strcspn(at, "\n"), name = strcspn(at, "\t");
    if (name < n) {
      GROW(t->stamp_texts, t->stamp_cap, t->n_stamps + 1);
      t->stamp_texts[t->n_stamps] = arena_strndup(&t->arena, at + name + 1, n - name - 1);
      strmap_put(&t->stamps, arena_strndup(&t->arena, at, name), name, (uint32_t)t->n_stamps++);
    }
    at += n + (at[n] == '\n');
  }
}

static const char *stamp_of(const struct claim_stored *t, const char *name, size_t n) {
  uint32_t at;
  return strmap_get(&t->stamps, name, n, &at) ? t->stamp_texts[at] : NULL;
}

/* Of two workloads at once both, in their order; a name may have a plus sign of its own. A program in a workload's place has its stamp
 * in its name (program_table.h). */
static const char *program_of(const struct claim_stored *t, const char *workload, char out[STAMP]) {
  const char *at = strchr(workload, '@'), *one = at ? at + 1 : stamp_of(t, workload, strlen(workload));
  snprintf(out, STAMP, "%s", one ? one : nothing);
  for (const char *plus = strchr(workload, '+'); plus && !one; plus = strchr(plus + 1, '+')) {
    const char *first = stamp_of(t, workload, (size_t)(plus - workload)), *second = stamp_of(t, plus + 1, strlen(plus + 1));
    if (first && second) snprintf(out, STAMP, "%s+%s", first, second);
  }
  return out;
}

/* ---- rows -------------------------------------------------------------------------------------------------------------- */

struct claim_stored *claim_stored_new(const char *stamps) {
  struct claim_stored *t = must_alloc(sizeof *t);
  read_stamps(t, stamps);
  return t;
}

void claim_stored_delete(struct claim_stored *t) {
  if (!t) return;
  for (size_t i = 0; i < t->n; i++) json_decref(t->rows[i].numbers);
  free(t->rows);
  free(t->stamp_texts);
  strmap_free(&t->by_key);
  strmap_free(&t->stamps);
  arena_free(&t->arena);
  free(t);
}

static struct row *find(const struct claim_stored *t, const char *size, const char *workload, const char *gpu, const char *settings) {
  struct str key = {0};
  uint32_t at;
  str_add(&key, "%s\t%s\t%s\t%s", size, workload, gpu, *settings ? settings : nothing);
  bool there = strmap_get(&t->by_key, key.s, key.n, &at);
  str_free(&key);
  return there ? &t->rows[at] : NULL;
}

/* The first four fields are the key; all are copied. */
static struct row *add(struct claim_stored *t, const char *const *field) {
  GROW(t->rows, t->cap, t->n + 1);
  struct row *r = &t->rows[t->n];
  struct str key = {0};
  *r = (struct row){.numbers = json_pack("{s:{}}", "probes")};
  for (int i = 0; i < FIELDS - 1; i++) r->field[i] = arena_strndup(&t->arena, field[i], strlen(field[i]));
  str_add(&key, "%s\t%s\t%s\t%s", field[SIZE], field[WORKLOAD], field[GPU], field[SETTINGS]);
  r->key = arena_strndup(&t->arena, key.s, key.n);
  strmap_put(&t->by_key, r->key, key.n, (uint32_t)t->n++);
  str_free(&key);
  return r;
}

static bool is_stale(const struct claim_stored *t, const struct row *r, const char *config) {
  char timing[9], program[STAMP];
  if (config && strcmp(r->field[CONFIG], config) != 0) return true;
  if (strcmp(r->field[TIMING], claim_stored_timing(r->field[GPU], timing)) != 0) return true;
  return t->n_stamps && strcmp(r->field[PROGRAM], program_of(t, r->field[WORKLOAD], program)) != 0;
}

bool claim_stored_has(const struct claim_stored *t, const char *size) {
  for (size_t i = 0; i < t->n; i++) {
    const char *workload = t->rows[i].field[WORKLOAD];
    if (!strcmp(t->rows[i].field[SIZE], size) && strcmp(workload, count_mark) != 0 && !strchr(workload, '@')) return true;
  }
  return false;
}

size_t claim_stored_rows(const struct claim_stored *t, size_t *stale) {
  *stale = 0;
  for (size_t i = 0; i < t->n; i++) *stale += strcmp(t->rows[i].field[WORKLOAD], count_mark) && is_stale(t, &t->rows[i], NULL);
  return t->n;
}

const json_t *claim_stored_find(const struct claim_stored *t, const struct lab_run *r, bool *stale) {
  const struct row *row = find(t, r->size, r->workload, r->gpu, r->settings);
  *stale = row && is_stale(t, row, r->config_hash);
  return row ? row->numbers : NULL;
}

static void take_number(json_t *to, const json_t *run, const char *name) {
  if (!strncmp(name, "probe:", 6)) {
    json_t *v = json_object_get(json_object_get(run, "probes"), name + 6);
    if (v) json_object_set(json_object_get(to, "probes"), name + 6, v);
  } else {
    json_t *v = json_object_get(run, name);
    if (json_is_number(v)) json_object_set(to, name, v);
  }
}

void claim_stored_put(struct claim_stored *t, const struct lab_run *r, const json_t *run, const json_t *names) {
  char timing[9], program[STAMP];
  const char *const fields[FIELDS - 1] = {r->size, r->workload, r->gpu, *r->settings ? r->settings : nothing, r->config_hash,
                                          program_of(t, r->workload, program), claim_stored_timing(r->gpu, timing), HEDDLE_VERSION};
  const char *name;
  json_t *unused;
  struct row *row = find(t, r->size, r->workload, r->gpu, r->settings);
  if (!row) row = add(t, fields);
  bool same = true;
  for (int i = CONFIG; i < FIELDS - 1; i++) {
    same = same && (i == VERSION || !strcmp(row->field[i], fields[i]));
    if (strcmp(row->field[i], fields[i]) != 0) row->field[i] = arena_strndup(&t->arena, fields[i], strlen(fields[i]));
  }
  if (!same) {
    json_decref(row->numbers);
    row->numbers = json_pack("{s:{}}", "probes");
  }
  json_object_foreach((json_t *)names, name, unused) take_number(row->numbers, run, name);
}

double claim_stored_count(const struct claim_stored *t, const char *size, const char *what) {
  const struct row *row = find(t, size, count_mark, count_mark, "");
  const json_t *v = json_object_get(row ? row->numbers : NULL, what);
  return v ? json_number_value(v) : NAN;
}

void claim_stored_put_count(struct claim_stored *t, const char *size, const char *what, double n) {
  const char *const fields[FIELDS - 1] = {size, count_mark, count_mark, nothing, nothing, nothing, nothing, HEDDLE_VERSION};
  struct row *row = find(t, size, count_mark, count_mark, "");
  if (!row) row = add(t, fields);
  json_object_set_new(row->numbers, what, json_real(n));
}

/* ---- reading ------------------------------------------------------------------------------------------------------------ */

/* name=value, or probe:name=JSON without blanks. */
static bool read_number(json_t *to, char *word) {
  char *value = strchr(word, '='), *end;
  if (!value) return false;
  *value++ = 0;
  json_t *v = strncmp(word, "probe:", 6) ? NULL : json_loads(value, JSON_DECODE_ANY, NULL);
  if (v) return json_object_set_new(json_object_get(to, "probes"), word + 6, v) == 0;
  double number = strtod(value, &end);
  return *word && end != value && !*end && strncmp(word, "probe:", 6) && json_object_set_new(to, word, json_real(number)) == 0;
}

static bool read_line(struct claim_stored *t, char *line) {
  const char *cells[FIELDS];
  char *save = NULL, *rest = line;
  for (int i = 0; i < FIELDS; i++) {
    cells[i] = strsep(&rest, "\t");
    if (!cells[i] || !*cells[i]) return false;
  }
  if (rest || find(t, cells[SIZE], cells[WORKLOAD], cells[GPU], cells[SETTINGS])) return false;
  struct row *r = add(t, cells);
  for (char *w = strtok_r((char *)cells[FIELDS - 1], " ", &save); w; w = strtok_r(NULL, " ", &save))
    if (strcmp(w, nothing) != 0 && !read_number(r->numbers, w)) return false;
  return true;
}

bool claim_stored_parse(struct claim_stored *t, const char *name, const char *text, struct err *e) {
  char *copy = strdup(text);
  bool ok = true;
  unsigned line = 0;
  for (char *at = copy; *at && ok;) {
    char *end = at + strcspn(at, "\n");
    bool last = !*end;
    *end = 0;
    line++;
    if (*at && *at != '#' && !read_line(t, at))
      ok = err_set(e, ERR_INPUT, "%s:%u: not a stored result (nine fields, divided by tabs), or one that is there already", name, line);
    at = last ? end : end + 1;
  }
  free(copy);
  return ok;
}

bool claim_stored_read(struct claim_stored *t, const char *path, struct err *e) {
  struct str text = {0};
  bool ok = str_add_file(&text, path) ? claim_stored_parse(t, path, text.s, e)
                                      : err_set(e, ERR_INPUT, "cannot read the stored results '%s': %s", path, strerror(errno));
  str_free(&text);
  return ok;
}

/* ---- writing ------------------------------------------------------------------------------------------------------------ */

/* The fewest digits that are read as the same number. */
static void put_number(FILE *f, const char *name, double v) {
  char text[32];
  for (int digits = 6; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, v);
    if (strtod(text, NULL) == v) break;
  }
  fprintf(f, "%s=%s", name, text);
}

static int by_name(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

/* The names of an object in the order of letters; to be freed. */
static const char **names_of(const json_t *o, size_t *n) {
  const char **list = must_alloc((json_object_size(o) + 1) * sizeof *list), *name;
  json_t *v;
  *n = 0;
  json_object_foreach((json_t *)o, name, v) list[(*n)++] = name;
  qsort(list, *n, sizeof *list, by_name);
  return list;
}

static void put_row(FILE *f, const struct row *r) {
  const json_t *probes = json_object_get(r->numbers, "probes");
  size_t n, k, written = 0;
  const char **names = names_of(r->numbers, &n), **said = names_of(probes, &k);
  for (int i = 0; i < FIELDS - 1; i++) fprintf(f, "%s\t", r->field[i]);
  for (size_t i = 0; i < n; i++) {
    const json_t *v = json_object_get(r->numbers, names[i]);
    if (!json_is_number(v)) continue;
    if (written++) fputc(' ', f);
    put_number(f, names[i], json_number_value(v));
  }
  for (size_t i = 0; i < k; i++) {
    char *text = json_dumps(json_object_get(probes, said[i]), JSON_COMPACT | JSON_REAL_PRECISION(9) | JSON_ENCODE_ANY);
    fprintf(f, "%sprobe:%s=%s", written++ ? " " : "", said[i], text);
    free(text);
  }
  fprintf(f, "%s\n", written ? "" : nothing);
  free(names);
  free(said);
}

static int by_key(const void *a, const void *b) {
  return strcmp((*(const struct row *const *)a)->key, (*(const struct row *const *)b)->key);
}

bool claim_stored_write(const struct claim_stored *t, const char *path, struct err *e) {
  const struct row **order = must_alloc((t->n + 1) * sizeof *order);
  for (size_t i = 0; i < t->n; i++) order[i] = &t->rows[i];
  qsort(order, t->n, sizeof *order, by_key);
  struct str part = {0}; /* the file is whole at any time */
  str_add(&part, "%s.part", path);
  FILE *f = output_open(part.s, e);
  if (f) {
    fprintf(f, "# Results that claims and figures are made of, by `heddle claims --store` (src/lab/claims/claim_stored.h).\n"
               "# size, workload, GPU, settings, configuration, program, timing, version, numbers\n");
    for (size_t i = 0; i < t->n; i++) put_row(f, order[i]);
  }
  free(order);
  bool ok = f && output_close(f, part.s, e) &&
            (rename(part.s, path) == 0 || err_set(e, ERR_SYSTEM, "cannot write '%s': %s", path, strerror(errno)));
  str_free(&part);
  return ok;
}
