/* See reading.h. A file looks like
 *
 *   claims = "D"                 # the group of claims that the readings are of
 *   [flits]                      # a question
 *   asks = "How wide is a flit of the mesh?"
 *   rests_on = "..."
 *   default = "32"
 *   why = "..."
 *   [flits.16]                   # a choice
 *   means = "16 bytes"
 *   set = "noc.flit_bytes=16"    # may be left out: a definition only
 *   only = "l1.bypass=mrpb"      # only runs with this in their settings; may be left out: all
 */
#include "lab/reading.h"

#include "base/arena.h"
#include "base/str.h"
#include "base/toml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_OF(id)                                                                                                            \
  __asm__(".section .rodata\nreading_" #id ":\n.incbin \"readings/" #id ".toml\"\n.byte 0\n.previous\n");                     \
  extern const char reading_##id[];
FILE_OF(t)
FILE_OF(b)
FILE_OF(a)
FILE_OF(d)
FILE_OF(c)

static const struct {
  const char *name, *text;
} files[] = {{"t", reading_t}, {"b", reading_b}, {"a", reading_a}, {"d", reading_d}, {"c", reading_c}};
enum { FILES = sizeof files / sizeof *files, MOST_QUESTIONS = 64 };

/* ---- a file -------------------------------------------------------------------------------------------------------------- */

struct question {
  const char *name, *asks, *rests_on, *why, *preset;
};

struct file {
  const char *name;
  char group;
  struct question questions[MOST_QUESTIONS];
  size_t n;
  struct err *e;
};

static bool wrong(struct file *f, const struct toml_item *at, const char *what) {
  return err_set(f->e, ERR_INPUT, "readings/%s.toml:%u: %s", f->name, at->line, what);
}

static struct question *question_of(struct file *f, const char *name, size_t len) {
  for (size_t i = 0; i < f->n; i++)
    if (strlen(f->questions[i].name) == len && !memcmp(f->questions[i].name, name, len)) return &f->questions[i];
  return NULL;
}

static bool take_question(struct file *f, const struct toml_item *at) {
  struct question *q = question_of(f, at->table, strlen(at->table));
  if (!q && f->n == MOST_QUESTIONS) return wrong(f, at, "too many questions");
  if (!q) *(q = &f->questions[f->n++]) = (struct question){.name = at->table};
  const char **field = !strcmp(at->key, "asks")       ? &q->asks
                       : !strcmp(at->key, "rests_on") ? &q->rests_on
                       : !strcmp(at->key, "why")      ? &q->why
                       : !strcmp(at->key, "default")  ? &q->preset
                                                      : NULL;
  if (!field) return wrong(f, at, "a question has asks, rests_on, default and why");
  *field = at->values[0].text;
  return true;
}

static const char *kept(const char *fmt, const char *a, const char *b, const char *c) {
  struct str s = {0};
  str_add(&s, fmt, a, b, c);
  return s.s;
}

static bool take_choice(struct file *f, const struct toml_item *at, struct reading **out, size_t *n) {
  const char *dot = strchr(at->table, '.');
  const struct question *q = question_of(f, at->table, (size_t)(dot - at->table));
  if (!q || !q->asks || !q->rests_on || !q->why || !q->preset)
    return wrong(f, at, "a choice follows its question, which has asks, rests_on, default and why");
  const char *name = kept("%s.%s=%s", f->name, q->name, dot + 1);
  struct reading *last = *n ? &(*out)[*n - 1] : NULL;
  if (!last || strcmp(last->name, name) != 0) {
    *out = realloc(*out, (*n + 1) * sizeof **out); // NOLINT: as GROW, whose capacity nobody would keep
    if (!*out) abort();
    last = &(*out)[(*n)++];
    *last = (struct reading){.name = name, .question = kept("%s.%s%s", f->name, q->name, ""), .choice = strdup(dot + 1),
                             .asks = strdup(q->asks), .rests_on = strdup(q->rests_on), .why = strdup(q->why), .set = "", .only = "",
                             .group = f->group, .is_default = !strcmp(q->preset, dot + 1)};
  }
  if (!strcmp(at->key, "means")) last->means = strdup(at->values[0].text);
  else if (!strcmp(at->key, "set")) last->set = strdup(at->values[0].text);
  else if (!strcmp(at->key, "only")) last->only = strdup(at->values[0].text);
  else return wrong(f, at, "a choice has means, set and only");
  return !last->is_default || !*last->set || wrong(f, at, "a default has no settings: presets and rules say them");
}

static bool take_item(struct file *f, const struct toml_item *at, struct reading **out, size_t *n) {
  if (at->is_array || at->values[0].kind != TOML_STRING) return wrong(f, at, "every value is a string");
  if (*at->table) return strchr(at->table, '.') ? take_choice(f, at, out, n) : take_question(f, at);
  if (strcmp(at->key, "claims") != 0 || strlen(at->values[0].text) != 1) return wrong(f, at, "expected claims = \"T\" or another letter");
  f->group = at->values[0].text[0];
  return true;
}

/* Every question has its default among at least two choices, and every choice its meaning. */
static bool check_whole(const struct file *f, const struct reading *all, size_t n) {
  for (size_t q = 0; q < f->n; q++) {
    unsigned choices = 0, defaults = 0;
    for (size_t i = 0; i < n; i++) {
      if (all[i].group != f->group || strcmp(strchr(all[i].question, '.') + 1, f->questions[q].name) != 0) continue;
      choices++;
      defaults += all[i].is_default;
      if (!all[i].means) return err_set(f->e, ERR_INPUT, "readings/%s.toml: '%s' has no meaning", f->name, all[i].name);
    }
    if (choices < 2 || defaults != 1)
      return err_set(f->e, ERR_INPUT, "readings/%s.toml: question '%s' needs two choices or more, its default among them", f->name,
                     f->questions[q].name);
  }
  return true;
}

bool reading_parse(const char *file, const char *text, size_t bytes, struct reading **out, size_t *n, struct err *e) {
  struct toml t = {0};
  char name[80];
  snprintf(name, sizeof name, "readings/%s.toml", file);
  bool ok = toml_read(&t, name, text, bytes, e);
  struct file f = {.name = file, .e = e};
  for (size_t i = 0; i < t.n && ok; i++) ok = take_item(&f, &t.items[i], out, n);
  ok = ok && check_whole(&f, *out, *n);
  toml_free(&t);
  return ok;
}

/* ---- all of them --------------------------------------------------------------------------------------------------------- */

/* The files are part of the program and tested: a wrong one is a mistake of ours. */
static void read_files(struct reading **all, size_t *n) {
  struct err e = {0};
  for (size_t i = 0; i < FILES; i++) {
    if (reading_parse(files[i].name, files[i].text, strlen(files[i].text), all, n, &e)) continue;
    fprintf(stderr, "heddle: %s\n", e.text);
    abort();
  }
}

const struct reading *reading_all(size_t *n) {
  static struct reading *all;
  static size_t count;
  if (!count) read_files(&all, &count);
  *n = count;
  return all;
}

const struct reading *reading_find(const char *name, struct err *e) {
  enum { MOST = 256 };
  size_t n;
  const struct reading *all = reading_all(&n);
  const char *names[MOST];
  for (size_t i = 0; i < n; i++)
    if (!strcmp(all[i].name, name)) return &all[i];
  for (size_t i = 0; i < n && i < MOST; i++) names[i] = all[i].name;
  err_set(e, ERR_INPUT, "there is no reading '%s'%s; `heddle list readings` has them all", name,
          str_hint(name, names, n < MOST ? n : MOST).s);
  return NULL;
}

const char *reading_default(const char *question) {
  size_t n;
  const struct reading *all = reading_all(&n);
  for (size_t i = 0; i < n; i++)
    if (all[i].is_default && !strcmp(all[i].question, question)) return all[i].choice;
  return NULL;
}
