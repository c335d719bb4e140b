/* Settings of a test: SETTINGS("key=value", ...) is a list of them, ended by NULL; with_settings sets them, and fails the test
 * where one is wrong. And what a policy counted. */
#ifndef TEST_SETTINGS_H
#define TEST_SETTINGS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/policy.h"

#include <string.h>

#define SETTINGS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* NULL: none. Returns c. */
static inline struct cfg *with_settings(struct cfg *c, const char *const *settings) {
  struct err e = {0};
  for (; settings && *settings; settings++)
    if (!cfg_set(c, *settings, &e)) fail_msg("%s", e.text);
  return c;
}

/* What only a policy counts, by the statistic's name. */
static inline uint64_t own_stat(const struct policy *p, const uint64_t *counters, const char *name) {
  for (size_t i = 0; i < policy_stats(p); i++)
    if (!strcmp(p->stats[i].name, name)) return counters[i];
  fail_msg("%s does not count %s", p->name, name);
  return 0;
}

#endif
