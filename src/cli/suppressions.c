/* See suppressions.h. */
#include "cli/suppressions.h"

#include "base/arena.h"
#include "base/str.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS = 4 };

struct suppression {
  char *field[FIELDS];
};

/* The words of a line, without its comment; how many there are. */
static size_t split(char *line, char *word[FIELDS]) {
  size_t n = 0;
  char *save = NULL;
  line[strcspn(line, "#")] = 0;
  for (char *w = strtok_r(line, " \t\r", &save); w; w = strtok_r(NULL, " \t\r", &save), n++)
    if (n < FIELDS) word[n] = w;
  return n;
}

static void keep(struct suppressions *s, char *const *word) {
  GROW(s->rules, s->cap, s->n + 1);
  for (int i = 0; i < FIELDS; i++) s->rules[s->n].field[i] = strdup(word[i]);
  s->n++;
}

bool suppressions_add(struct suppressions *s, const char *name, const char *text, struct err *e) {
  unsigned line = 0;
  for (const char *at = text; *at; at += *at == '\n') {
    size_t n = strcspn(at, "\n");
    char *copy = strndup(at, n), *word[FIELDS];
    size_t words = split(copy, word);
    if (words == FIELDS) keep(s, word);
    free(copy);
    line++;
    at += n;
    if (words && words != FIELDS)
      return err_set(e, ERR_INPUT, "%s:%u: %zu words; a rule has four: tool, kind, kernel, place (such as 'racecheck * mykernel *')", name,
                     line, words);
  }
  return true;
}

bool suppressions_read(struct suppressions *s, const char *path, struct err *e) {
  struct str text = {0};
  bool ok = str_add_file(&text, path) || err_set(e, ERR_INPUT, "cannot read '%s': %s", path, strerror(errno));
  ok = ok && suppressions_add(s, path, text.s, e);
  str_free(&text);
  return ok;
}

static bool matches(const struct suppression *r, char *const *word) {
  for (int i = 0; i < FIELDS; i++)
    if (fnmatch(r->field[i], word[i], 0) != 0) return false;
  return true;
}

bool suppressions_match(const struct suppressions *s, const char *rule) {
  char *copy = strdup(rule), *word[FIELDS];
  bool found = false;
  if (split(copy, word) == FIELDS)
    for (size_t i = 0; i < s->n && !found; i++) found = matches(&s->rules[i], word);
  free(copy);
  return found;
}

void suppressions_free(struct suppressions *s) {
  for (size_t i = 0; i < s->n; i++)
    for (int k = 0; k < FIELDS; k++) free(s->rules[i].field[k]);
  free(s->rules);
  *s = (struct suppressions){0};
}
