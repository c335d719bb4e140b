/* Rules that leave findings of `heddle check` out: "tool kind kernel place" a line, with the wildcards of a shell; what is after
 * a # is for people. */
#ifndef CLI_SUPPRESSIONS_H
#define CLI_SUPPRESSIONS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct suppressions {
  struct suppression *rules;
  size_t n, cap;
};
/* Adds those of a text; `name` is for messages. */
bool suppressions_add(struct suppressions *s, const char *name, const char *text, struct err *e);
bool suppressions_read(struct suppressions *s, const char *path, struct err *e);
/* Whether a finding's own rule is matched by any. */
bool suppressions_match(const struct suppressions *s, const char *rule);
void suppressions_free(struct suppressions *s);

#endif
