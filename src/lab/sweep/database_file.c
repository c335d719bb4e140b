/* The file of a results database: its tables, opening and closing it, statements and queries. What runs and claims
 * are is in database.c. */
#include "lab/sweep/database_parts.h"

#include "base/arena.h"
#include "base/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { APPLICATION = 0x4864646c /* "Hddl": marks the file as ours */, BUSY_MS = 60000, WAL_TRIES = 200, WAL_PAUSE_US = 50000 };

/* What each layout has and the one before it had not; a new file gets all of them. */
static const char layout_1[] =
    "CREATE TABLE runs ("
    " id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, workload TEXT NOT NULL, size TEXT NOT NULL, seed TEXT NOT NULL,"
    " gpu TEXT NOT NULL, settings TEXT NOT NULL, config_hash TEXT NOT NULL, version TEXT NOT NULL, host TEXT NOT NULL,"
    " finished TEXT NOT NULL, seconds REAL NOT NULL, status TEXT NOT NULL, error TEXT, output_ok INTEGER,"
    " cycles INTEGER, ipc REAL);"
    "CREATE INDEX runs_by_configuration ON runs (config_hash, workload);"
    "CREATE TABLE settings ("
    " run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE, name TEXT NOT NULL, value TEXT NOT NULL,"
    " PRIMARY KEY (run, name)) WITHOUT ROWID;"
    "CREATE TABLE stats ("
    " run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE, name TEXT NOT NULL, value REAL NOT NULL,"
    " PRIMARY KEY (run, name)) WITHOUT ROWID;"
    "CREATE TABLE statistics (name TEXT PRIMARY KEY, unit TEXT NOT NULL, meaning TEXT NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE kernels ("
    " run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE, position INTEGER NOT NULL, name TEXT NOT NULL,"
    " cycles INTEGER, warp_instructions INTEGER, thread_instructions INTEGER, PRIMARY KEY (run, position)) WITHOUT ROWID;"
    "CREATE TABLE claims ("
    " key TEXT PRIMARY KEY, host TEXT NOT NULL, pid INTEGER NOT NULL, started TEXT NOT NULL, renewed INTEGER NOT NULL);"
    "CREATE VIEW speedups AS"
    " SELECT b.workload, b.size, b.seed, b.gpu, b.version, a.settings AS base, b.settings,"
    " CAST(a.cycles AS REAL) / b.cycles AS speedup"
    " FROM runs a JOIN runs b USING (workload, size, seed, gpu, version)"
    " WHERE a.status = 'ok' AND b.status = 'ok' AND a.cycles > 0 AND b.cycles > 0;"
    "CREATE VIEW rates AS"
    " SELECT r.id AS run, r.workload, r.gpu, r.settings, r.ipc,"
    " (SELECT value FROM stats WHERE run = r.id AND name = 'l1d.misses') /"
    "  (SELECT nullif(value, 0) FROM stats WHERE run = r.id AND name = 'l1d.accesses') AS l1d_miss_rate,"
    " (SELECT value FROM stats WHERE run = r.id AND name = 'l2.misses') /"
    "  (SELECT nullif(value, 0) FROM stats WHERE run = r.id AND name = 'l2.accesses') AS l2_miss_rate"
    " FROM runs r WHERE r.status = 'ok';";

/* Probes and intervals of runs, and the claims' scores. */
static const char layout_2[] =
    "ALTER TABLE runs ADD COLUMN probes TEXT NOT NULL DEFAULT '';"
    "CREATE TABLE probes ("
    " run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE, name TEXT NOT NULL, value TEXT NOT NULL,"
    " PRIMARY KEY (run, name)) WITHOUT ROWID;"
    "CREATE TABLE intervals ("
    " run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE, position INTEGER NOT NULL, name TEXT NOT NULL,"
    " value REAL NOT NULL, PRIMARY KEY (run, position, name)) WITHOUT ROWID;"
    "CREATE TABLE scores ("
    " id TEXT NOT NULL, size TEXT NOT NULL, published TEXT NOT NULL, measured TEXT NOT NULL, verdict TEXT NOT NULL,"
    " note TEXT NOT NULL, figures TEXT NOT NULL, version TEXT NOT NULL, finished TEXT NOT NULL,"
    " PRIMARY KEY (id, size)) WITHOUT ROWID;";

/* Which programs made a run, and what `heddle explore` found. */
static const char layout_3[] =
    "ALTER TABLE runs ADD COLUMN build TEXT NOT NULL DEFAULT '';"
    "CREATE TABLE combinations ("
    " gpu TEXT NOT NULL, size TEXT NOT NULL, settings TEXT NOT NULL, round INTEGER NOT NULL, workloads INTEGER NOT NULL,"
    " speedup REAL NOT NULL, energy REAL, storage_bits INTEGER NOT NULL, pareto INTEGER NOT NULL, classes TEXT NOT NULL,"
    " PRIMARY KEY (gpu, size, settings)) WITHOUT ROWID;";
/* How often a run's statistics were taken. */
static const char layout_4[] = "ALTER TABLE runs ADD COLUMN interval_cycles INTEGER NOT NULL DEFAULT 0;";
/* Scores under several readings of a paper; '' is the default one. */
static const char layout_5[] =
    "CREATE TABLE scores_read ("
    " id TEXT NOT NULL, size TEXT NOT NULL, reading TEXT NOT NULL DEFAULT '', published TEXT NOT NULL, measured TEXT NOT NULL,"
    " verdict TEXT NOT NULL, note TEXT NOT NULL, figures TEXT NOT NULL, version TEXT NOT NULL, finished TEXT NOT NULL,"
    " PRIMARY KEY (id, size, reading)) WITHOUT ROWID;"
    "INSERT INTO scores_read (id, size, published, measured, verdict, note, figures, version, finished)"
    " SELECT id, size, published, measured, verdict, note, figures, version, finished FROM scores;"
    "DROP TABLE scores;"
    "ALTER TABLE scores_read RENAME TO scores;";
static const char *const layouts[LAB_LAYOUT] = {layout_1, layout_2, layout_3, layout_4, layout_5};

/* ---- opening ------------------------------------------------------------------------------------------------------------ */

bool lab_db_fail(struct lab_db *db, struct err *e) {
  int code = sqlite3_errcode(db->s) & 0xff;
  if (code == SQLITE_NOTADB)
    return err_set(e, ERR_INPUT, "'%s' is not a results database (nor any SQLite file)", db->path);
  bool space = code == SQLITE_FULL || code == SQLITE_IOERR;
  return err_set(e, ERR_SYSTEM, "the database '%s': %s%s", db->path, sqlite3_errmsg(db->s),
                 space ? "; what is stored is kept: free some space and give the same command again" : "");
}

bool lab_db_sql(struct lab_db *db, const char *sql, struct err *e) {
  return sqlite3_exec(db->s, sql, NULL, NULL, NULL) == SQLITE_OK || lab_db_fail(db, e);
}

static bool one_number(struct lab_db *db, const char *sql, int *out, struct err *e) {
  sqlite3_stmt *q = NULL;
  bool ok = sqlite3_prepare_v2(db->s, sql, -1, &q, NULL) == SQLITE_OK && sqlite3_step(q) == SQLITE_ROW;
  if (ok) *out = sqlite3_column_int(q, 0);
  else lab_db_fail(db, e);
  sqlite3_finalize(q);
  return ok;
}

/* Inside a transaction, so that two processes do not both make the tables. A file of an older layout gets what it lacks. */
static bool make_tables(struct lab_db *db, struct err *e) {
  int layout = 0, owner = 0, objects = 0;
  if (!one_number(db, "PRAGMA user_version", &layout, e) || !one_number(db, "PRAGMA application_id", &owner, e) ||
      !one_number(db, "SELECT count(*) FROM sqlite_master", &objects, e))
    return false;
  if (owner != APPLICATION && objects)
    return err_set(e, ERR_INPUT, "'%s' is a database of another program: choose another file", db->path);
  if (layout > LAB_LAYOUT)
    return err_set(e, ERR_INPUT, "the database '%s' has layout %d; this heddle knows up to %d: use a newer heddle",
                   db->path, layout, LAB_LAYOUT);
  if (layout == LAB_LAYOUT) return true;
  char marks[96];
  snprintf(marks, sizeof marks, "PRAGMA application_id = %d; PRAGMA user_version = %d", APPLICATION, LAB_LAYOUT);
  bool ok = true;
  for (int i = layout; i < LAB_LAYOUT && ok; i++) ok = lab_db_sql(db, layouts[i], e);
  return ok && lab_db_sql(db, marks, e);
}

/* Changing the mode does not wait for others, whatever the time-out: it is tried again. */
static bool use_wal(struct lab_db *db, struct err *e) {
  for (int i = 0;; i++) {
    int code = sqlite3_exec(db->s, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
    if (code == SQLITE_OK) return true;
    if ((code & 0xff) != SQLITE_BUSY || i == WAL_TRIES) return lab_db_fail(db, e);
    usleep(WAL_PAUSE_US);
  }
}

static bool prepare_file(struct lab_db *db, struct err *e) {
  struct err second = {0};
  sqlite3_busy_timeout(db->s, BUSY_MS);
  if (!lab_db_sql(db, "BEGIN IMMEDIATE", e)) return false;
  bool ok = make_tables(db, e);
  ok = lab_db_sql(db, ok ? "COMMIT" : "ROLLBACK", ok ? e : &second) && ok;
  return ok && use_wal(db, e) && lab_db_sql(db, "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON", e);
}

struct lab_db *lab_db_open(const char *path, bool make, struct err *e) {
  if (!make && access(path, R_OK) != 0) {
    err_set(e, ERR_INPUT, "cannot read the database '%s': %s", path, strerror(errno));
    return NULL;
  }
  if (output_is_stdout(path)) {
    err_set(e, ERR_INPUT, "a database cannot be standard output (-): name a file");
    return NULL;
  }
  struct lab_db *db = must_alloc(sizeof *db);
  db->path = strdup(path);
  db->build = strdup("");
  if (sqlite3_open(path, &db->s) != SQLITE_OK) lab_db_fail(db, e);
  else if (prepare_file(db, e)) return db;
  lab_db_close(db);
  return NULL;
}

void lab_db_close(struct lab_db *db) {
  if (!db) return;
  sqlite3_close(db->s);
  free(db->path);
  free(db->build);
  free(db);
}

const char *lab_db_name(const struct lab_db *db) {
  const char *slash = strrchr(db->path, '/');
  return slash ? slash + 1 : db->path;
}

void lab_db_set_build(struct lab_db *db, const char *build, bool only) {
  free(db->build);
  db->build = strdup(build);
  db->only_build = only;
}

/* ---- statements --------------------------------------------------------------------------------------------------------- */

sqlite3_stmt *lab_db_prepare(struct lab_db *db, const char *sql, const char *const *text, struct err *e) {
  sqlite3_stmt *q = NULL;
  if (sqlite3_prepare_v2(db->s, sql, -1, &q, NULL) != SQLITE_OK) {
    lab_db_fail(db, e);
    return NULL;
  }
  for (int i = 0; text && text[i]; i++) sqlite3_bind_text(q, i + 1, text[i], -1, SQLITE_TRANSIENT);
  return q;
}

bool lab_db_again(struct lab_db *db, sqlite3_stmt *q, struct err *e) {
  bool ok = sqlite3_step(q) == SQLITE_DONE || lab_db_fail(db, e);
  sqlite3_reset(q);
  return ok;
}

bool lab_db_finish(struct lab_db *db, sqlite3_stmt *q, struct err *e) {
  bool ok = q && lab_db_again(db, q, e);
  sqlite3_finalize(q);
  return ok;
}

json_t *lab_db_cell(sqlite3_stmt *q, int column) {
  switch (sqlite3_column_type(q, column)) {
  case SQLITE_INTEGER: return json_integer(sqlite3_column_int64(q, column));
  case SQLITE_FLOAT: return json_real(sqlite3_column_double(q, column));
  case SQLITE_TEXT: return json_string((const char *)sqlite3_column_text(q, column));
  default: return json_null();
  }
}

json_t *lab_db_query(struct lab_db *db, const char *sql, struct err *e) {
  sqlite3_stmt *q = lab_db_prepare(db, sql, NULL, e);
  if (!q) return NULL;
  json_t *rows = json_array();
  int code;
  while ((code = sqlite3_step(q)) == SQLITE_ROW) {
    json_t *row = json_array();
    for (int i = 0; i < sqlite3_column_count(q); i++) json_array_append_new(row, lab_db_cell(q, i));
    json_array_append_new(rows, row);
  }
  if (code != SQLITE_DONE) {
    lab_db_fail(db, e);
    json_decref(rows);
    rows = NULL;
  }
  sqlite3_finalize(q);
  return rows;
}
