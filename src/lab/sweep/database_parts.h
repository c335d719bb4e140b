/* The inside of a results database, for database*.c: the file, and statements on it. */
#ifndef LAB_DATABASE_PARTS_H
#define LAB_DATABASE_PARTS_H

#include "lab/sweep/database.h"

#include <sqlite3.h>

struct lab_db {
  sqlite3 *s;
  char *path;
  char *build;     /* the build of the programs that make runs; "": unknown */
  bool only_build; /* runs of other builds count as missing */
};

/* Fills e with SQLite's message about the last failure; returns false. */
bool lab_db_fail(struct lab_db *db, struct err *e);
/* Executes statements without parameters. */
bool lab_db_sql(struct lab_db *db, const char *sql, struct err *e);
/* Prepares a statement with text parameters; NULL ends the list. */
sqlite3_stmt *lab_db_prepare(struct lab_db *db, const char *sql, const char *const *text, struct err *e);
/* lab_db_again: executes a statement and leaves it ready for other values. lab_db_finish: executes it and ends it;
 * false if it is NULL, because it could not be prepared. */
bool lab_db_again(struct lab_db *db, sqlite3_stmt *q, struct err *e);
bool lab_db_finish(struct lab_db *db, sqlite3_stmt *q, struct err *e);
/* A column of the current row; a JSON null if it is empty. */
json_t *lab_db_cell(sqlite3_stmt *q, int column);

/* Stores the rows that belong to the run that was entered last: its settings and, if there is a report, its contents. */
bool lab_db_store_parts(struct lab_db *db, const struct lab_run *r, const json_t *report, struct err *e);

#endif
