/* Programs that take the place of the built-in workloads, for whoever has the suites: a table (TOML) from workload names to a
 * folder and a command line. Its format is at the head of program_table.c. Everything in it is checked when it is read.
 *
 * A run of such a program is another run than one of the workload: its name is NAME@STAMP in every result, and the stamp changes
 * with the program's file, its command line and its environment. What the program reads besides is not part of the stamp. */
#ifndef LAB_PROGRAM_TABLE_H
#define LAB_PROGRAM_TABLE_H

#include "base/arena.h"
#include "base/err.h"
#include "lab/sizes.h"
#include "lab/sweep/plan.h"

#include <stdint.h>

enum { LAB_STAMP = 9 };

struct lab_program {
  const char *name;               /* of the workload that it stands for */
  const char *folder;             /* where it is started */
  char **environment;             /* "NAME=VALUE", ended by NULL */
  char **command[LAB_SIZES];      /* ended by NULL; NULL: there is none of this size */
  const char *file[LAB_SIZES];    /* of the command's first word */
  char stamp[LAB_SIZES][LAB_STAMP];
};

struct lab_programs {
  struct arena arena;
  const char *path;
  struct lab_program *list;
  const char **names;
  size_t n, cap;
};

/* `workloads` are the names that may be given programs. Free also after a failure. */
bool lab_programs_read(struct lab_programs *p, const char *path, const char *const *workloads, size_t n_workloads, struct err *e);
void lab_programs_free(struct lab_programs *p);

/* The program of a workload at a size; NULL with a sentence that says what to write into the table. */
const struct lab_program *lab_programs_find(const struct lab_programs *p, const char *workload, const char *size, struct err *e);
/* The file that it executes. */
const char *lab_program_file(const struct lab_program *p, const char *size);
/* NAME@STAMP of it at a size that it has. */
const char *lab_program_label(const struct lab_program *p, const char *size, struct arena *a);
/* Adds a file's bytes to a sum that tells programs apart; false: it cannot be read (errno). */
bool lab_hash_file(const char *path, uint64_t *sum);
/* Makes a run of a workload that of its program. */
bool lab_programs_put(const struct lab_programs *p, struct lab_run *r, struct arena *a, struct err *e);
/* Becomes the program, with the runtime that may be linked into it replaced by ours; returns only if that fails (errno).
 * `home` holds lib/. */
void lab_program_become(const struct lab_program *p, const char *size, const char *home);

#endif
