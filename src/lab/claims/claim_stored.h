/* Stored results: the numbers that verdicts and figures are made of, kept in the tree as a table (results/claims.tsv), so that a
 * run that is in it need not be made again on any machine. A row is a run (size, workload, GPU, settings), what it was measured of,
 * and those of its numbers that some rule or figure has read. What it was measured of is
 *   - the configuration: the hash of every key that was set, by the preset or the settings;
 *   - the program: the workload's stamp (tools/workload_stamps.sh), or that of a program in its place, which is a row of its own;
 *   - the timing: the hash of the GPU's lines of results/timing.tsv, whose runs a test repeats.
 * A row of which one of these is not what it is now is stale. There is one row a run: a new measurement replaces it.
 *
 * A line: size, workload, GPU, settings, configuration, program, timing, version of heddle, and the numbers as name=value with
 * blanks between, all that a probe said as probe:NAME=JSON; fields are divided by tabs, nothing is "-". Lines are sorted. */
#ifndef LAB_CLAIM_STORED_H
#define LAB_CLAIM_STORED_H

#include "lab/sweep/plan.h"

#include <jansson.h>

struct claim_stored;
/* An empty table. `stamps`: "name TAB stamp" a line, of the workloads at hand; NULL: not known, and no row is stale for its program. */
struct claim_stored *claim_stored_new(const char *stamps);
void claim_stored_delete(struct claim_stored *t);
/* Adds what is written; `name` is for messages. */
bool claim_stored_parse(struct claim_stored *t, const char *name, const char *text, struct err *e);
bool claim_stored_read(struct claim_stored *t, const char *path, struct err *e);
bool claim_stored_write(const struct claim_stored *t, const char *path, struct err *e);
/* Whether it has a run of a workload, not of a program in its place, of this size. */
bool claim_stored_has(const struct claim_stored *t, const char *size);
/* How many runs there are, and how many of them are stale. */
size_t claim_stored_rows(const struct claim_stored *t, size_t *stale);

/* The numbers of a run as claim_source gives them, or NULL; *stale whether they were measured of something else. */
const json_t *claim_stored_find(const struct claim_stored *t, const struct lab_run *r, bool *stale);
/* Puts in those numbers of `run` that `names` (an object) has as its keys; they join those that are there already of the same
 * measurement. */
void claim_stored_put(struct claim_stored *t, const struct lab_run *r, const json_t *run, const json_t *names);
/* Rows that another command reported of a size, for claims about them; NAN: not known. */
double claim_stored_count(const struct claim_stored *t, const char *size, const char *what);
void claim_stored_put_count(struct claim_stored *t, const char *size, const char *what, double n);

/* The version of a GPU's timing; "-" where there is none. */
const char *claim_stored_timing(const char *gpu, char out[9]);

#endif
