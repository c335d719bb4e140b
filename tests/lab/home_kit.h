/* For tests of what runs workloads: a folder whose workloads are a script that notes each call in the file "calls" and answers
 * with made-up cycles, so that no simulator is needed. A file "broken-NAME" makes workload NAME fail, with the exit
 * status that it holds. */
#ifndef TESTS_HOME_KIT_H
#define TESTS_HOME_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/temp.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct str home_folder;
static const char *home;
static char path[4200];

static inline const char *in_home(const char *name) {
  snprintf(path, sizeof path, "%s/%s", home, name);
  return path;
}

static inline void write_file(const char *name, const char *text) {
  FILE *f = fopen(in_home(name), "w");
  assert_non_null(f);
  fputs(text, f);
  assert_int_equal(fclose(f), 0);
}

/* `rule` is shell that sets $cycles by $1, the workload, and $HEDDLE_SET; `more` is added to the report. */
static inline int home_make(const char *rule, const char *more) {
  char script[2048];
  struct err e = {0};
  if (!temp_folder(&home_folder, "heddle-home", &e)) return 1;
  home = home_folder.s;
  mkdir(in_home("lib"), 0777);
  write_file("lib/libcuda.so.1", "one build");
  snprintf(script, sizeof script,
           "#!/bin/sh\n"
           "here=$(dirname \"$0\")\n"
           "echo \"$1 $HEDDLE_SET $HEDDLE_PROBE\" >>\"$here/calls\"\n"
           "if [ -e \"$here/broken-$1\" ]; then echo 'no such luck' >&2; exit $(cat \"$here/broken-$1\"); fi\n"
           "%s\n"
           "printf '{\"cycles\": %%d, \"ipc\": 1.0%s}' $cycles >\"$HEDDLE_REPORT\"\n", rule, more);
  write_file("heddle-workloads", script);
  return chmod(in_home("heddle-workloads"), 0755);
}

static inline int home_clean(void **state) {
  (void)state;
  static const char *const files[] = {"calls", "lab.db", "lab.db-wal", "lab.db-shm", "broken-kmeans"};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) unlink(in_home(files[i]));
  return 0;
}

static inline int home_remove(void **state) {
  home_clean(state);
  unlink(in_home("lib/libcuda.so.1"));
  unlink(in_home("heddle-workloads"));
  rmdir(in_home("lib"));
  int left = rmdir(home);
  str_free(&home_folder);
  return left;
}

static inline unsigned home_calls(void) {
  FILE *f = fopen(in_home("calls"), "r");
  unsigned n = 0;
  for (int c; f && (c = getc(f)) != EOF;) n += c == '\n';
  if (f) fclose(f);
  return n;
}

#endif
