/* A plan: workloads x GPUs x seeds x values of varied keys. It is read from TOML, checked as a whole before anything
 * runs, and expanded into runs in a fixed order. */
#ifndef LAB_PLAN_H
#define LAB_PLAN_H

#include "base/arena.h"
#include "base/err.h"

#include <stddef.h>

enum { LAB_MAX_RUNS = 20000 };

struct lab_program;

struct lab_run {
  const char *workload, *size, *seed; /* seed "" : the workload's own */
  const struct lab_program *program;  /* the program that runs in place of the workload, whose stamp is then in `workload`; NULL: none */
  const char *gpu;
  const char *settings;               /* "a=1,b=2", sorted by key */
  const char *config_hash;            /* 16 digits, computed from every key that was set: distinguishes GPU files of the same name */
  const char *probes;                 /* "lines,reuse", sorted; NULL or "": none */
  const char *interval;               /* core cycles of a row of intervals; NULL or "": none */
};

struct lab_plan {
  struct arena arena;
  struct lab_run *runs;
  size_t n, cap;
};

/* `workloads` are the names that exist. The plan must be freed even after a failure. */
bool lab_plan_text(struct lab_plan *p, const char *name, const char *text, size_t bytes, const char *const *workloads,
                   size_t n_workloads, struct err *e);
bool lab_plan_read(struct lab_plan *p, const char *path, const char *const *workloads, size_t n_workloads,
                   struct err *e);
/* Adds one run, of which all members but config_hash are set; settings and probes may be in any order. Refused with a
 * sentence if the GPU or a setting is wrong. */
bool lab_plan_add(struct lab_plan *p, const struct lab_run *run, struct err *e);
void lab_plan_free(struct lab_plan *p);

/* Whether `name` is one of the names, or two of them with a plus sign between (both on one GPU at once). */
bool lab_is_workload(const char *name, const char *const *names, size_t n);

#endif
