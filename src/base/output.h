/* Files of results that a user names. "-" is standard output: output_take_stdout sets it apart for one of them, so that
 * what this program and those it starts print goes to standard error and nothing mixes with the result. Owns the stream that
 * was set apart, for as long as the process runs. */
#ifndef BASE_OUTPUT_H
#define BASE_OUTPUT_H

#include "base/err.h"

#include <jansson.h>
#include <stdio.h>

bool output_is_stdout(const char *path);
/* At most once, before anything is printed. */
bool output_take_stdout(struct err *e);

/* Whether it could be written, as far as can be known without touching it: for a look before long work. */
bool output_check(const char *path, struct err *e);
/* NULL with *e filled if it cannot be written. Ends with output_close. */
FILE *output_open(const char *path, struct err *e);
/* False if anything of it could not be written. */
bool output_close(FILE *f, const char *path, struct err *e);
/* `flags` are jansson's. */
bool output_json(const json_t *o, const char *path, size_t flags, struct err *e);

#endif
