/* The results database: one SQLite file that all sweeps and reports share. Its tables and example queries are in
 * docs/database.md.
 *
 * A run is identified by its workload, size, seed, GPU, settings, the hash of its configuration and the version of
 * the simulator, and is stored once. Several processes may write at the same time; a claim keeps two of them from
 * simulating the same run. A claim lapses when its process is gone or, if that is on another host, when it has not
 * been renewed for LAB_CLAIM_SECONDS. Every change is one transaction, so a process that is killed leaves a file that
 * can be opened. */
#ifndef LAB_DATABASE_H
#define LAB_DATABASE_H

#include "base/err.h"
#include "lab/sweep/plan.h"

#include <jansson.h>
#include <stdint.h>

enum { LAB_LAYOUT = 5, LAB_CLAIM_SECONDS = 120 };

struct lab_db;
/* Opens the file, and creates it if `make` is set. A file of a newer layout, or one that is not a results database,
 * is refused with a sentence. */
struct lab_db *lab_db_open(const char *path, bool make, struct err *e);
void lab_db_close(struct lab_db *db);
/* The name of the file, without folders. */
const char *lab_db_name(const struct lab_db *db);
/* Marks runs that are stored from now on with this build of the programs (lab_build). With `only`, stored runs of
 * another build count as missing, and are replaced when they are made again. */
void lab_db_set_build(struct lab_db *db, const char *build, bool only);

enum lab_claim { LAB_MINE, LAB_DONE /* stored already */, LAB_FAILED /* stored, as failed */,
                 LAB_TAKEN /* another process is making it */, LAB_ERROR };
/* Claims a run; with `retry`, also one that failed before. A run that has the same configuration as a stored one,
 * written differently (16K and 16384, a preset and a copy of it), is stored with that run's results. */
enum lab_claim lab_db_claim(struct lab_db *db, const struct lab_run *r, bool retry, struct err *e);
/* Renews the claims of this process; to be called more often than every LAB_CLAIM_SECONDS. */
bool lab_db_renew(struct lab_db *db, struct err *e);
/* Stores a finished run and ends the claim. If the run failed, `report` is NULL and `error` a sentence. */
bool lab_db_store(struct lab_db *db, const struct lab_run *r, double seconds, const json_t *report, const char *error,
                  struct err *e);
/* Ends a claim without a result. */
void lab_db_release(struct lab_db *db, const struct lab_run *r);
/* Copies runs from another database: those that are missing here, and those that failed here and succeeded there. */
bool lab_db_merge(struct lab_db *db, const char *path, struct err *e);
/* Whether a run is stored: LAB_DONE or LAB_FAILED; LAB_MINE if not. */
enum lab_claim lab_db_stored(struct lab_db *db, const struct lab_run *r, struct err *e);
/* All numbers of a stored run of this input and configuration that had at least these probes: LAB_DONE with an object
 * of dotted names and, under "probes", the result of each probe; LAB_FAILED with the error as a string; LAB_MINE if
 * there is none. */
enum lab_claim lab_db_results(struct lab_db *db, const struct lab_run *r, json_t **out, struct err *e);
/* Executes one statement; `text` are its parameters, ended by NULL. */
bool lab_db_change(struct lab_db *db, const char *sql, const char *const *text, struct err *e);
/* The rows of a query as an array of arrays; NULL after a failure. */
json_t *lab_db_query(struct lab_db *db, const char *sql, struct err *e);

#endif
