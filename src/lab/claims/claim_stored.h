/* Stored results: the numbers from which verdicts and figures are made, kept in the tree as a table
 * (results/claims.tsv), so that a run in the table need not be made again on any machine. A row is a run (size,
 * workload, GPU, settings), what it was measured of, and those of its numbers that some rule or figure has read. What
 * it was measured of is
 * - the configuration: the hash of every key that was set, by the preset or by the settings;
 * - the program: the stamp of the workload (tools/workload_stamps.sh), or of a program in its place, which has a row
 *   of its own;
 * - the timing: the hash of the GPU's lines in results/timing.tsv, whose runs a test repeats.
 *
 * A row is stale if one of these is different now. There is one row for each run; a new measurement replaces it.
 *
 * A line has size, workload, GPU, settings, configuration, program, timing, version of heddle, and the numbers as
 * name=value separated by blanks, with the whole result of a probe as probe:NAME=JSON. Fields are separated by tabs,
 * and an empty field is "-". Lines are sorted. */
#ifndef LAB_CLAIM_STORED_H
#define LAB_CLAIM_STORED_H

#include "lab/sweep/plan.h"

#include <jansson.h>

struct claim_stored;
/* An empty table. `stamps` has a line "name TAB stamp" for each workload; NULL: they are not known, and no row is
 * stale because of its program. */
struct claim_stored *claim_stored_new(const char *stamps);
void claim_stored_delete(struct claim_stored *t);
/* Adds the rows of a text; `name` is for messages. */
bool claim_stored_parse(struct claim_stored *t, const char *name, const char *text, struct err *e);
bool claim_stored_read(struct claim_stored *t, const char *path, struct err *e);
bool claim_stored_write(const struct claim_stored *t, const char *path, struct err *e);
/* Whether it has a run of this size of any workload, not of a program in its place. */
bool claim_stored_has(const struct claim_stored *t, const char *size);
/* The number of runs, and how many of them are stale. */
size_t claim_stored_rows(const struct claim_stored *t, size_t *stale);

/* The numbers of a run in the form of claim_source, or NULL; *stale: whether the row is stale. */
const json_t *claim_stored_find(const struct claim_stored *t, const struct lab_run *r, bool *stale);
/* Stores those numbers of `run` that are keys of the object `names`; they are added to stored numbers of the same measurement. */
void claim_stored_put(struct claim_stored *t, const struct lab_run *r, const json_t *run, const json_t *names);
/* The number of rows that another command reported for a size, for claims about them; NAN: not known. */
double claim_stored_count(const struct claim_stored *t, const char *size, const char *what);
void claim_stored_put_count(struct claim_stored *t, const char *size, const char *what, double n);

/* The version of a GPU's timing; "-" if it has none. */
const char *claim_stored_timing(const char *gpu, char out[9]);

#endif
