/* Programs that take the place of the built-in workloads, for those who have the benchmark suites: a table (TOML)
 * from workload names to a folder and a command line. Its format is described at the head of program_table.c.
 * Everything in the table is checked when it is read.
 *
 * A run of such a program is a different run than one of the workload: its name is NAME@STAMP in every result, and
 * the stamp changes with the program's file, its command line and its environment. Other files that the program reads
 * are not part of the stamp. */
#ifndef LAB_PROGRAM_TABLE_H
#define LAB_PROGRAM_TABLE_H

#include "base/arena.h"
#include "base/err.h"
#include "lab/sizes.h"
#include "lab/sweep/plan.h"

#include <stdint.h>

enum { LAB_STAMP = 9 };

struct lab_program {
  const char *name;               /* name of the workload that it stands for */
  const char *folder;             /* where it is started */
  char **environment;             /* "NAME=VALUE", ended by NULL */
  char **command[LAB_SIZES];      /* ended by NULL; NULL: there is no command for this size */
  const char *file[LAB_SIZES];    /* the file of the command's first word */
  char stamp[LAB_SIZES][LAB_STAMP];
};

struct lab_programs {
  struct arena arena;
  const char *path;
  struct lab_program *list;
  const char **names;
  size_t n, cap;
};

/* `workloads` are the names that may be given programs. The table must be freed even after a failure. */
bool lab_programs_read(struct lab_programs *p, const char *path, const char *const *workloads, size_t n_workloads, struct err *e);
void lab_programs_free(struct lab_programs *p);

/* The program of a workload at a size; NULL with a sentence that says what to write into the table. */
const struct lab_program *lab_programs_find(const struct lab_programs *p, const char *workload, const char *size, struct err *e);
/* The file that the program executes. */
const char *lab_program_file(const struct lab_program *p, const char *size);
/* NAME@STAMP of the program at a size that it has. */
const char *lab_program_label(const struct lab_program *p, const char *size, struct arena *a);
/* Adds the bytes of a file to a hash that distinguishes programs; false: the file cannot be read (errno). */
bool lab_hash_file(const char *path, uint64_t *sum);
/* Turns a run of a workload into a run of its program. */
bool lab_programs_put(const struct lab_programs *p, struct lab_run *r, struct arena *a, struct err *e);
/* Executes the program in place of this process, with a runtime that is linked into it replaced by ours; returns only
 * if that fails (errno). The folder `home` contains lib/. */
void lab_program_become(const struct lab_program *p, const char *size, const char *home);

#endif
