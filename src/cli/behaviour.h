/* What a program does to a GPU, kernel by kernel: the columns of workloads/originals.tsv, made from a run's report, written as lines
 * of a table, and compared with the row of an original. */
#ifndef CLI_BEHAVIOUR_H
#define CLI_BEHAVIOUR_H

#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* The probes it needs. */
#define BEHAVIOUR_PROBES "kernels,kernel-traffic"

/* One object a kernel name, in the order of first launches; members are the columns. */
json_t *behaviour_of(const json_t *report);

/* A line of titles, and a line a kernel of one program: name, size, kernel, and the columns, separated by tabs. */
void behaviour_titles(FILE *out);
void behaviour_lines(FILE *out, const char *name, const char *size, const json_t *kernels);

/* Reads such a table (it may have more columns): an array of objects from title to text. NULL with e filled if it cannot. */
json_t *behaviour_read(const char *path, struct err *e);

/* Prints the kernels of a workload beside the rows of that workload and size; where the size has no rows, beside those of size
 * paper, in what does not follow from the size. Returns how many figures are outside their bounds, -1: there is no row. */
int behaviour_compare(FILE *out, const char *name, const char *size, const json_t *kernels, const json_t *originals);

#endif
