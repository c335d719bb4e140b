/* See policy.h. */
#include "base/policy.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

size_t policy_count(const struct policy *const *list) {
  size_t n = 0;
  while (list[n]) n++;
  return n;
}

const void *policy_find(const struct policy *const *list, const char *word) {
  for (; *list; list++)
    if (!strcmp((*list)->name, word)) return *list;
  return NULL;
}

struct str_hint policy_hint(const struct policy *const *list, const char *word) {
  size_t n = policy_count(list);
  const char **names = must_alloc((n + 1) * sizeof *names);
  for (size_t i = 0; i < n; i++) names[i] = list[i]->name;
  struct str_hint hint = str_hint(word, names, n);
  free(names);
  return hint;
}

void policy_words(const struct policy *const *list, struct str *out) {
  for (size_t i = 0; list[i]; i++) str_add(out, "%s%s", i ? " " : "", list[i]->name);
}

size_t policy_stats(const struct policy *p) {
  size_t n = 0;
  while (p->stats && p->stats[n].name) n++;
  return n;
}

uint64_t *policy_counters(const struct policy *p) {
  size_t n = policy_stats(p);
  return n ? must_alloc(n * sizeof(uint64_t)) : NULL;
}

void policy_register(struct stats *s, const struct policy *const *list, const struct policy *chosen, const uint64_t *counters,
                     unsigned instance) {
  for (; *list; list++) stats_register(s, (*list)->stats, policy_stats(*list), *list == chosen ? counters : NULL, instance);
}
