/* See err.h. */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>

bool err_set(struct err *e, enum err_kind kind, const char *fmt, ...) {
  if (e->kind != ERR_NONE) return false;
  e->kind = kind;
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(e->text, sizeof e->text, fmt, ap);
  va_end(ap);
  return false;
}

void err_clear(struct err *e) {
  e->kind = ERR_NONE;
  e->code = 0;
  e->text[0] = 0;
}
