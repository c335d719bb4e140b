/* The results database: one SQLite file that every sweep, comparison and report shares. Tables and example queries are
 * in docs/database.md.
 *
 * A run is identified by its workload, size, seed, GPU, settings and the simulator's version; it is stored once.
 * Several processes may write at the same time; a claim keeps two of them from simulating the same run, and lapses
 * when its process is gone. */
#ifndef LAB_DATABASE_H
#define LAB_DATABASE_H

#include "base/err.h"
#include "lab/plan.h"

#include <jansson.h>

struct lab_db;
/* Opens or makes the file. One of another layout is refused with a sentence. */
struct lab_db *lab_db_open(const char *path, struct err *e);
void lab_db_close(struct lab_db *db);

enum lab_claim { LAB_MINE, LAB_DONE /* stored already */, LAB_TAKEN /* another process is at it */, LAB_ERROR };
/* Asks for a run; `retry` takes those that failed again. */
enum lab_claim lab_db_claim(struct lab_db *db, const struct lab_run *r, bool retry, struct err *e);
/* Stores a finished run and gives the claim back. `report` is NULL and `error` a sentence if it failed. */
bool lab_db_store(struct lab_db *db, const struct lab_run *r, double seconds, const json_t *report, const char *error,
                  struct err *e);
/* Gives a claim back without a result. */
void lab_db_release(struct lab_db *db, const struct lab_run *r);

#endif
