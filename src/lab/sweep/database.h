/* The results database: one SQLite file that every sweep and report shares. Tables and example queries are in
 * docs/database.md.
 *
 * A run is identified by its workload, size, seed, GPU, settings, the hash of its configuration and the
 * simulator's version; it is stored once. Several processes may write at the same time; a claim keeps two of them from
 * simulating the same run. It lapses when its process is gone, or, on another host, when it was not renewed for
 * LAB_CLAIM_SECONDS. Every change is one transaction: a process that is killed leaves a file that opens. */
#ifndef LAB_DATABASE_H
#define LAB_DATABASE_H

#include "base/err.h"
#include "lab/sweep/plan.h"

#include <jansson.h>
#include <stdint.h>

enum { LAB_LAYOUT = 5, LAB_CLAIM_SECONDS = 120 };

struct lab_db;
/* Opens the file, making it where `make` is set. One of a newer layout, or that is something else, is refused with a
 * sentence. */
struct lab_db *lab_db_open(const char *path, bool make, struct err *e);
void lab_db_close(struct lab_db *db);
/* The name of its file, without folders. */
const char *lab_db_name(const struct lab_db *db);
/* Runs stored from now on are marked with this build of the programs (lab_build). With `only`, stored runs of another one
 * count as not there, and are replaced when they are made again. */
void lab_db_set_build(struct lab_db *db, const char *build, bool only);

enum lab_claim { LAB_MINE, LAB_DONE /* stored already */, LAB_FAILED /* stored, as failed */,
                 LAB_TAKEN /* another process is at it */, LAB_ERROR };
/* Asks for a run; `retry` takes those that failed again. One whose configuration is that of a stored run, in other words
 * (16K and 16384, a preset and its copy), is stored with that run's results. */
enum lab_claim lab_db_claim(struct lab_db *db, const struct lab_run *r, bool retry, struct err *e);
/* Says that this process is still there; to be called more often than LAB_CLAIM_SECONDS. */
bool lab_db_renew(struct lab_db *db, struct err *e);
/* Stores a finished run and gives the claim back. `report` is NULL and `error` a sentence if it failed. */
bool lab_db_store(struct lab_db *db, const struct lab_run *r, double seconds, const json_t *report, const char *error,
                  struct err *e);
/* Gives a claim back without a result. */
void lab_db_release(struct lab_db *db, const struct lab_run *r);
/* Takes over the runs of another database: those that are not here, and those that failed here and went well there. */
bool lab_db_merge(struct lab_db *db, const char *path, struct err *e);
/* Whether a run is stored: LAB_DONE or LAB_FAILED; LAB_MINE if not. */
enum lab_claim lab_db_stored(struct lab_db *db, const struct lab_run *r, struct err *e);
/* All numbers of a stored run of this input and configuration that had at least these probes: LAB_DONE with an object of
 * dotted names and, under "probes", what each probe said; LAB_FAILED with its error as a string; LAB_MINE if there is none. */
enum lab_claim lab_db_results(struct lab_db *db, const struct lab_run *r, json_t **out, struct err *e);
/* Carries out one statement; `text` are its parameters, ended by NULL. */
bool lab_db_change(struct lab_db *db, const char *sql, const char *const *text, struct err *e);
/* The rows of a query as an array of arrays; NULL after a failure. */
json_t *lab_db_query(struct lab_db *db, const char *sql, struct err *e);

#endif
