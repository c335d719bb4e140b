/* See err.h. */
#include "base/err.h"

#include <stdio.h>

bool err_vset(struct err *e, enum err_kind kind, const char *fmt, va_list ap) {
  if (e->kind != ERR_NONE) return false;
  e->kind = kind;
  vsnprintf(e->text, sizeof e->text, fmt, ap);
  return false;
}

bool err_set(struct err *e, enum err_kind kind, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  err_vset(e, kind, fmt, ap);
  va_end(ap);
  return false;
}

void err_clear(struct err *e) {
  e->kind = ERR_NONE;
  e->code = 0;
  e->text[0] = 0;
}
