/* Settings of a test: SETTINGS("key=value", ...) is a list of them, ended by NULL; with_settings sets them, and fails the test
 * where one is wrong. */
#ifndef TEST_SETTINGS_H
#define TEST_SETTINGS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cfg.h"

#define SETTINGS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* NULL: none. Returns c. */
static inline struct cfg *with_settings(struct cfg *c, const char *const *settings) {
  struct err e = {0};
  for (; settings && *settings; settings++)
    if (!cfg_set(c, *settings, &e)) fail_msg("%s", e.text);
  return c;
}

#endif
