/* Messages about a place in the PTX text: "name:line:column: error: ..", the line itself, and a caret.
 * Columns count bytes from 1, a tab being one. A long line is shown in part. */
#include "ptx/ptx_reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN = 150, BEFORE_CARET = 100 };

struct place {
  uint32_t line, col;
  const char *from, *to; /* the part of the line to show */
  bool cut_before, cut_after;
};

static struct place find_place(const struct ptx_reader *r, const char *at) {
  struct place p = {.line = 1};
  const char *start = r->text;
  for (const char *s = r->text; s < at; s++)
    if (*s == '\n') {
      p.line++;
      start = s + 1;
    }
  const char *stop = at;
  while (stop < r->end && *stop != '\n') stop++;
  p.col = (uint32_t)(at - start) + 1;
  p.from = start;
  p.to = stop;
  if (at - start > BEFORE_CARET) {
    p.from = at - BEFORE_CARET;
    p.cut_before = true;
  }
  if (p.to - p.from > SHOWN) {
    p.to = p.from + SHOWN;
    p.cut_after = true;
  }
  return p;
}

/* The line with control characters blanked, and under it the caret with the line's own tabs. */
static void show_line(struct str *out, const struct place *p, const char *at) {
  struct str caret = {0};
  str_add(out, "\n%s", p->cut_before ? "..." : "");
  str_add(&caret, "\n%s", p->cut_before ? "   " : "");
  for (const char *s = p->from; s < p->to; s++) {
    unsigned char c = (unsigned char)*s;
    char shown = c >= ' ' && c != 127 ? *s : c == '\t' ? '\t' : ' ';
    str_addn(out, &shown, 1);
    char blank = c == '\t' ? '\t' : ' ';
    if (s < at && (c & 0xc0) != 0x80) str_addn(&caret, &blank, 1);
  }
  str_add(out, "%s", p->cut_after ? "..." : "");
  str_addn(out, caret.s, caret.n);
  str_add(out, "^");
  str_free(&caret);
}

const char *ptx_place(const struct ptx_reader *r, uint32_t line, uint32_t col) {
  const char *s = r->text;
  for (uint32_t i = 1; i < line; i++) s = (const char *)memchr(s, '\n', (size_t)(r->end - s)) + 1;
  return s + (col - 1);
}

bool ptx_fail(struct ptx_reader *r, const char *at, const char *fmt, ...) {
  if (r->e->kind == ERR_NONE) {
    struct place p = find_place(r, at);
    struct str text = {0};
    char what[700];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    str_add(&text, "%.400s:%u:%u: error: %s", r->m->source_name, p.line, p.col, what);
    show_line(&text, &p, at);
    err_set(r->e, ERR_INPUT, "%s", text.s);
    str_free(&text);
  }
  r->cur = r->end;
  r->tok = (struct ptx_tok){.kind = PTX_T_END, .s = r->end, .start = r->end};
  return false;
}

bool ptx_expected(struct ptx_reader *r, const char *what) {
  const struct ptx_tok *t = &r->tok;
  if (t->kind == PTX_T_END) return ptx_fail(r, t->start, "expected %s, found the end of the text", what);
  size_t len = (size_t)(r->cur - t->start);
  return ptx_fail(r, t->start, "expected %s, found '%.*s'%s", what, (int)(len > 60 ? 60 : len), t->start,
                  len > 60 ? ".." : "");
}

const char *ptx_hint(char *out, size_t size, const char *s, size_t len, const char *const *known, size_t n) {
  char word[64];
  out[0] = 0;
  if (len >= sizeof word) return out;
  memcpy(word, s, len);
  word[len] = 0;
  snprintf(out, size, "%s", str_hint(word, known, n).s);
  return out;
}
