/* See probe_names.h. */
#include "probe/probe_names.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

size_t probe_names_at(struct probe_names *s, const char *name) {
  size_t i = 0;
  while (i < s->n && strcmp(s->at[i], name) != 0) i++;
  if (i < s->n) return i;
  GROW(s->at, s->cap, s->n + 1);
  s->at[s->n++] = strdup(name);
  return i;
}

void probe_names_free(struct probe_names *s) {
  for (size_t i = 0; i < s->n; i++) free(s->at[i]);
  free(s->at);
}
