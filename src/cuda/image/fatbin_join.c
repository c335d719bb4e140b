/* Joins the PTX of modules that were compiled separately to one text.
 *
 * A name at module level without a linking directive (.visible, .extern, .weak, .common) is local to the module: strings that device code
 * prints are called $str in all of them. If two modules have the same name and it is local to one of them, that one gets another name.
 *
 * Reads only words, comments, strings and brackets; errors in the text are left to the PTX reader. */
#include "cuda/image/fatbin.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- words ---- */

struct word {
  const char *s;
  size_t n;
  bool is_name; /* probably of a symbol: no directive, no part of one, no number */
};

static bool in_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' || c == '%';
}

/* The position after a comment or a string that begins here; `p` if none does. */
static const char *behind_text(const char *p) {
  const char *end = NULL;
  if (p[0] == '/' && p[1] == '/') return p + strcspn(p, "\n");
  if (p[0] == '/' && p[1] == '*') return (end = strstr(p + 2, "*/")) ? end + 2 : p + strlen(p);
  if (p[0] == '"') return (end = strpbrk(p + 1, "\"\n")) ? end + (*end == '"') : p + strlen(p);
  return p;
}

/* The next word: a name, number or directive, or one other character. Newlines count: some directives end there. */
static bool next_word(const char **p, struct word *w) {
  const char *at = *p, *end;
  while (*at == ' ' || *at == '\t' || *at == '\r' || behind_text(at) != at) at = behind_text(at) != at ? behind_text(at) : at + 1;
  if (!*at) return false;
  for (end = at + 1; in_name(*end) && (in_name(*at) || *at == '.'); end++) {}
  *w = (struct word){at, (size_t)(end - at), in_name(*at) && !(*at >= '0' && *at <= '9')};
  *p = end;
  return true;
}

static bool is(const struct word *w, const char *text) { return w->n == strlen(text) && !memcmp(w->s, text, w->n); }

static bool is_one_of(const struct word *w, const char *const *words) {
  for (; *words; words++)
    if (is(w, *words)) return true;
  return false;
}

/* ---- names at the module's level ---- */

typedef void name_fn(void *context, const struct word *name, bool is_own);

static void each_name(const char *text, name_fn *visit, void *context) {
  static const char *const lines[] = {".version", ".target", ".address_size", ".file", ".loc", "@", NULL};
  static const char *const linked[] = {".visible", ".extern", ".weak", ".common", NULL};
  static const char *const others[] = {".section", ".pragma", ".alias", NULL};
  unsigned depth = 0;
  bool begins = true, own = true, wanted = true, line = false;
  for (struct word w; next_word(&text, &w);) {
    char c = w.n == 1 ? *w.s : 0;
    if (c == '\n') {
      if (line) begins = true, line = false;
      continue;
    }
    if (line) continue;
    if (c == '{' || c == '(' || c == '[') depth++;
    if ((c == '}' || c == ')' || c == ']') && depth) depth--;
    if (depth || c == ')' || c == ']') continue;
    if (c == ';' || c == '}') {
      begins = true;
      continue;
    }
    if (begins) begins = false, own = true, wanted = !is_one_of(&w, others), line = is_one_of(&w, lines);
    if (line) continue;
    if (is_one_of(&w, linked)) own = false;
    if (w.is_name && wanted) visit(context, &w, own), wanted = false;
    if (c == ',') wanted = true;
  }
}

enum { LINKED, OWN };
static void note(void *context, const struct word *name, bool is_own) {
  struct strmap *names = context;
  uint32_t known = OWN;
  strmap_get(names, name->s, name->n, &known);
  strmap_put(names, name->s, name->n, is_own && known == OWN ? OWN : LINKED);
}

/* ---- other names for own ones ---- */

struct renaming {
  const struct strmap *own, *others; /* names of this text and of the one it is joined with */
};

static bool is_renamed(const struct renaming *r, const struct word *w, bool both_own) {
  uint32_t here = LINKED, there = LINKED;
  if (!w->is_name || !strmap_get(r->own, w->s, w->n, &here) || here != OWN) return false;
  return strmap_get(r->others, w->s, w->n, &there) && (there == LINKED || both_own);
}

/* Adds `ptx` to `text`; its local names that the other modules also have are followed by `mark`. */
static void add_renamed(struct str *text, const char *ptx, const struct renaming *r, bool both_own, size_t mark) {
  const char *at = ptx, *from = ptx;
  for (struct word w; next_word(&at, &w);) {
    if (!is_renamed(r, &w, both_own)) continue;
    str_addn(text, from, (size_t)(w.s - from) + w.n);
    str_add(text, "$of%zu", mark);
    from = at;
  }
  str_addn(text, from, strlen(from));
}

static bool header_line(const char *line, size_t n) {
  static const char *const words[] = {".version", ".target", ".address_size"};
  while (n && (*line == ' ' || *line == '\t')) line++, n--;
  for (size_t i = 0; i < 3; i++)
    if (n > strlen(words[i]) && !strncmp(line, words[i], strlen(words[i]))) return true;
  return false;
}

static void add_lines(struct str *text, const char *ptx, bool with_header) {
  while (*ptx) {
    size_t n = strcspn(ptx, "\n");
    if (with_header || !header_line(ptx, n)) {
      str_addn(text, ptx, n);
      str_addn(text, "\n", 1);
    }
    ptx += n + (ptx[n] == '\n');
  }
}

void fatbin_join(struct str *text, const char *ptx) {
  struct strmap before = {0}, now = {0};
  struct str renamed = {0}, old = {0};
  if (!text->n || !*ptx) {
    add_lines(text, ptx, true);
    return;
  }
  each_name(text->s, note, &before);
  each_name(ptx, note, &now);
  add_renamed(&old, text->s, &(struct renaming){.own = &before, .others = &now}, false, 0);
  add_renamed(&renamed, ptx, &(struct renaming){.own = &now, .others = &before}, true, text->n);
  strmap_free(&before);
  strmap_free(&now);
  str_free(text);
  *text = old;
  add_lines(text, renamed.s, false);
  str_free(&renamed);
}
