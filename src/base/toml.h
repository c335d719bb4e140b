/* The part of TOML that configurations and plans need: `key = value` lines, `[table]` headers, quoted keys, strings,
 * integers (with _ and 0x), floats, booleans, and arrays of those over one or several lines. Not read: dates, inline
 * tables, arrays of tables, multi-line strings; each is refused with its line, and so is a key that is given twice. Debian 12
 * has no TOML library for C. */
#ifndef BASE_TOML_H
#define BASE_TOML_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum toml_kind { TOML_STRING, TOML_INT, TOML_REAL, TOML_BOOL };

struct toml_value {
  enum toml_kind kind;
  const char *text;  /* of STRING: the content; of the others: as written */
  int64_t i;
  double r;          /* of INT too */
  bool b;
};

struct toml_item {
  const char *table; /* "" at top level; "l1" under [l1]; "a.b" under [a.b] */
  const char *key;   /* dotted keys are kept dotted */
  bool is_array;
  struct toml_value *values; /* one, or the array's */
  size_t n;
  unsigned line;
};

struct toml {
  struct arena arena;
  struct toml_item *items; /* in file order */
  size_t n, cap;
};

/* `name` is used in messages: "name:line: ...". Free also after a failure. */
bool toml_read(struct toml *t, const char *name, const char *text, size_t bytes, struct err *e);
void toml_free(struct toml *t);

#endif
