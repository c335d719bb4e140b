/* Statistics by name in a test: expect_stats(s, {"l2.hits", 3}, {"l2.misses", 1}) fails it with all that differ, and where there is
 * no such statistic. */
#ifndef TEST_STATS_H
#define TEST_STATS_H

#include "base/stat.h"
#include "test_settings.h"

#include <stdio.h>
#include <string.h>

struct stat_value {
  const char *name;
  uint64_t value;
};

static inline void stats_equal(const struct stats *s, const struct stat_value *v, size_t n, const char *file, int line) {
  char text[2048];
  int used = 0;
  for (size_t i = 0; i < n; i++) {
    size_t at = 0;
    while (at < stats_count(s) && strcmp(stats_def(s, at)->name, v[i].name) != 0) at++;
    if (at == stats_count(s)) fail_msg("%s:%d: there is no statistic %s", file, line, v[i].name);
    if (stats_total(s, at) != v[i].value && used < 1900)
      used += snprintf(text + used, sizeof text - (size_t)used, "\n  %s is %lu, not %lu", v[i].name, stats_total(s, at), v[i].value);
  }
  if (used) fail_msg("%s:%d:%s", file, line, text);
}
#define expect_stats(s, ...)                                                                                                      \
  stats_equal(s, (const struct stat_value[]){__VA_ARGS__}, sizeof(const struct stat_value[]){__VA_ARGS__} / sizeof(struct stat_value), \
              __FILE__, __LINE__)

#endif
