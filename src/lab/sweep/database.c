/* See database.h. */
#include "lab/sweep/database.h"

#include "base/arena.h"
#include "base/output.h"
#include "base/str.h"
#include "base/version.h"
#include "lab/units.h"

#include <errno.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { APPLICATION = 0x4864646c /* "Hddl": marks the file as ours */, BUSY_MS = 60000, WAL_TRIES = 200, WAL_PAUSE_US = 50000 };

struct lab_db {
  sqlite3 *s;
  char *path;
  char *build;     /* of the programs that make runs; "" unknown */
  bool only_build; /* runs of other builds count as not there */
};

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

static bool sql_fail(struct lab_db *db, struct err *e) {
  int code = sqlite3_errcode(db->s) & 0xff;
  if (code == SQLITE_NOTADB)
    return err_set(e, ERR_INPUT, "'%s' is not a results database (nor any SQLite file)", db->path);
  bool space = code == SQLITE_FULL || code == SQLITE_IOERR;
  return err_set(e, ERR_SYSTEM, "the database '%s': %s%s", db->path, sqlite3_errmsg(db->s),
                 space ? "; what is stored is kept: free some space and give the same command again" : "");
}

static bool run_sql(struct lab_db *db, const char *sql, struct err *e) {
  return sqlite3_exec(db->s, sql, NULL, NULL, NULL) == SQLITE_OK || sql_fail(db, e);
}

static bool one_number(struct lab_db *db, const char *sql, int *out, struct err *e) {
  sqlite3_stmt *q = NULL;
  bool ok = sqlite3_prepare_v2(db->s, sql, -1, &q, NULL) == SQLITE_OK && sqlite3_step(q) == SQLITE_ROW;
  if (ok) *out = sqlite3_column_int(q, 0);
  else sql_fail(db, e);
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
  for (int i = layout; i < LAB_LAYOUT && ok; i++) ok = run_sql(db, layouts[i], e);
  return ok && run_sql(db, marks, e);
}

/* Changing the mode does not wait for others, whatever the time-out: it is tried again. */
static bool use_wal(struct lab_db *db, struct err *e) {
  for (int i = 0;; i++) {
    int code = sqlite3_exec(db->s, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
    if (code == SQLITE_OK) return true;
    if ((code & 0xff) != SQLITE_BUSY || i == WAL_TRIES) return sql_fail(db, e);
    usleep(WAL_PAUSE_US);
  }
}

static bool prepare_file(struct lab_db *db, struct err *e) {
  struct err second = {0};
  sqlite3_busy_timeout(db->s, BUSY_MS);
  if (!run_sql(db, "BEGIN IMMEDIATE", e)) return false;
  bool ok = make_tables(db, e);
  ok = run_sql(db, ok ? "COMMIT" : "ROLLBACK", ok ? e : &second) && ok;
  return ok && use_wal(db, e) && run_sql(db, "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON", e);
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
  if (sqlite3_open(path, &db->s) != SQLITE_OK) sql_fail(db, e);
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

/* Prepares a statement with text parameters; NULL ends the list. */
static sqlite3_stmt *prepare(struct lab_db *db, const char *sql, const char *const *text, struct err *e) {
  sqlite3_stmt *q = NULL;
  if (sqlite3_prepare_v2(db->s, sql, -1, &q, NULL) != SQLITE_OK) {
    sql_fail(db, e);
    return NULL;
  }
  for (int i = 0; text && text[i]; i++) sqlite3_bind_text(q, i + 1, text[i], -1, SQLITE_TRANSIENT);
  return q;
}

/* Carries a statement out and leaves it ready for other values. */
static bool again(struct lab_db *db, sqlite3_stmt *q, struct err *e) {
  bool ok = sqlite3_step(q) == SQLITE_DONE || sql_fail(db, e);
  sqlite3_reset(q);
  return ok;
}

static bool finish(struct lab_db *db, sqlite3_stmt *q, struct err *e) {
  bool ok = q && again(db, q, e);
  sqlite3_finalize(q);
  return ok;
}

static json_t *cell(sqlite3_stmt *q, int column) {
  switch (sqlite3_column_type(q, column)) {
  case SQLITE_INTEGER: return json_integer(sqlite3_column_int64(q, column));
  case SQLITE_FLOAT: return json_real(sqlite3_column_double(q, column));
  case SQLITE_TEXT: return json_string((const char *)sqlite3_column_text(q, column));
  default: return json_null();
  }
}

json_t *lab_db_query(struct lab_db *db, const char *sql, struct err *e) {
  sqlite3_stmt *q = prepare(db, sql, NULL, e);
  if (!q) return NULL;
  json_t *rows = json_array();
  int code;
  while ((code = sqlite3_step(q)) == SQLITE_ROW) {
    json_t *row = json_array();
    for (int i = 0; i < sqlite3_column_count(q); i++) json_array_append_new(row, cell(q, i));
    json_array_append_new(rows, row);
  }
  if (code != SQLITE_DONE) {
    sql_fail(db, e);
    json_decref(rows);
    rows = NULL;
  }
  sqlite3_finalize(q);
  return rows;
}

/* ---- identity ----------------------------------------------------------------------------------------------------------- */

static const char *interval_of(const struct lab_run *r) { return r->interval && *r->interval ? r->interval : "0"; }

static void key_of(const struct lab_run *r, struct str *out) {
  str_add(out, "%s|%s|%s|%s|%s|%s|%s", r->workload, r->size, r->seed, r->gpu, r->settings, r->config_hash, HEDDLE_VERSION);
  if (r->probes && *r->probes) str_add(out, "|%s", r->probes);
  if (r->interval && *r->interval) str_add(out, "|every %s", r->interval);
}

static const char *host_name(void) {
  static struct utsname u;
  if (!u.nodename[0]) uname(&u);
  return u.nodename;
}

/* When a process was started, as the kernel counts it: distinguishes it from a later one with the same number. */
static bool start_of(int pid, char out[32]) {
  char path[64], line[1024];
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  FILE *f = fopen(path, "r");
  if (!f) return false;
  size_t n = fread(line, 1, sizeof line - 1, f);
  fclose(f);
  line[n] = 0;
  char *at = strrchr(line, ')'); /* the name before it may hold anything */
  for (int field = 2; at && field < 22; field++) at = strchr(at + 1, ' ');
  if (at) snprintf(out, 32, "%.*s", (int)strcspn(at + 1, " "), at + 1);
  return at != NULL;
}

/* ---- claims ------------------------------------------------------------------------------------------------------------- */

static bool holder_lives(sqlite3_stmt *q) {
  const char *host = (const char *)sqlite3_column_text(q, 0), *started = (const char *)sqlite3_column_text(q, 2);
  if (strcmp(host, host_name())) return sqlite3_column_int(q, 3) < LAB_CLAIM_SECONDS;
  int pid = sqlite3_column_int(q, 1);
  char now[32];
  return pid != getpid() && start_of(pid, now) && !strcmp(now, started);
}

static bool stored(struct lab_db *db, const char *key, enum lab_claim *out, struct err *e) {
  const char *const args[] = {key, NULL};
  sqlite3_stmt *q = prepare(db, "SELECT status, build FROM runs WHERE key = ?", args, e);
  if (!q) return false;
  *out = LAB_MINE;
  int code = sqlite3_step(q);
  bool counts = code == SQLITE_ROW && (!db->only_build || !strcmp((const char *)sqlite3_column_text(q, 1), db->build));
  if (counts) *out = strcmp((const char *)sqlite3_column_text(q, 0), "ok") ? LAB_FAILED : LAB_DONE;
  bool ok = code == SQLITE_ROW || code == SQLITE_DONE || sql_fail(db, e);
  sqlite3_finalize(q);
  return ok;
}

static bool taken(struct lab_db *db, const char *key, bool *yes, struct err *e) {
  const char *const args[] = {key, NULL};
  sqlite3_stmt *q =
      prepare(db, "SELECT host, pid, started, strftime('%s', 'now') - renewed FROM claims WHERE key = ?", args, e);
  if (!q) return false;
  *yes = sqlite3_step(q) == SQLITE_ROW && holder_lives(q);
  sqlite3_finalize(q);
  return true;
}

static bool enter_claim(struct lab_db *db, const char *key, struct err *e) {
  char pid[16], started[32] = "";
  snprintf(pid, sizeof pid, "%d", (int)getpid());
  start_of(getpid(), started);
  const char *const args[] = {key, host_name(), pid, started, NULL};
  return finish(db, prepare(db, "INSERT OR REPLACE INTO claims VALUES (?, ?, CAST(? AS INTEGER), ?, strftime('%s', 'now'))",
                            args, e), e);
}

bool lab_db_renew(struct lab_db *db, struct err *e) {
  char pid[16];
  snprintf(pid, sizeof pid, "%d", (int)getpid());
  const char *const args[] = {host_name(), pid, NULL};
  return finish(db, prepare(db, "UPDATE claims SET renewed = strftime('%s', 'now') WHERE host = ? AND pid = ?", args, e), e);
}

static bool drop(struct lab_db *db, const char *sql, const char *key, struct err *e) {
  const char *const args[] = {key, NULL};
  return finish(db, prepare(db, sql, args, e), e);
}

void lab_db_release(struct lab_db *db, const struct lab_run *r) {
  struct str key = {0};
  struct err ignored = {0};
  key_of(r, &key);
  drop(db, "DELETE FROM claims WHERE key = ?", key.s, &ignored);
  str_free(&key);
}

/* ---- storing ------------------------------------------------------------------------------------------------------------ */

static bool store_stats(struct lab_db *db, sqlite3_stmt *q, const char *prefix, const json_t *o, struct err *e);

/* Of runs with several programs: programs.0.cycles and so on. */
static bool store_programs(struct lab_db *db, sqlite3_stmt *q, const json_t *list, struct err *e) {
  bool ok = true;
  for (size_t i = 0; ok && i < json_array_size(list); i++) {
    struct str prefix = {0};
    str_add(&prefix, "programs.%zu", i);
    ok = store_stats(db, q, prefix.s, json_array_get(list, i), e);
    str_free(&prefix);
  }
  return ok;
}

/* Every number of the report under its dotted name; host figures and the configuration are apart. */
static bool store_stats(struct lab_db *db, sqlite3_stmt *q, const char *prefix, const json_t *o, struct err *e) {
  const char *name;
  json_t *v;
  json_object_foreach((json_t *)o, name, v) {
    struct str full = {0};
    bool ok = true;
    if (!*prefix && (!strcmp(name, "config") || !strcmp(name, "host"))) continue;
    str_add(&full, "%s%s%s", prefix, *prefix ? "." : "", name);
    if (json_is_object(v)) ok = store_stats(db, q, full.s, v, e);
    else if (!*prefix && !strcmp(name, "programs")) ok = store_programs(db, q, v, e);
    else if (json_is_number(v)) {
      sqlite3_bind_text(q, 2, full.s, -1, SQLITE_TRANSIENT);
      sqlite3_bind_double(q, 3, json_number_value(v));
      ok = again(db, q, e);
    }
    str_free(&full);
    if (!ok) return false;
  }
  return true;
}

static bool store_kernels(struct lab_db *db, sqlite3_stmt *q, const json_t *list, struct err *e) {
  static const char *const counts[] = {"cycles", "warp_instructions", "thread_instructions"};
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *k = json_array_get(list, i);
    const char *name = json_string_value(json_object_get(k, "name"));
    sqlite3_bind_int64(q, 2, (sqlite3_int64)i);
    sqlite3_bind_text(q, 3, name ? name : "", -1, SQLITE_TRANSIENT);
    for (int c = 0; c < 3; c++) sqlite3_bind_int64(q, 4 + c, json_integer_value(json_object_get(k, counts[c])));
    if (!again(db, q, e)) return false;
  }
  return true;
}

/* Units and meanings of names that no run before had; a GPU is built only for those. */
static bool store_units(struct lab_db *db, sqlite3_int64 run, const json_t *report, struct err *e) {
  char sql[160];
  snprintf(sql, sizeof sql, "SELECT name FROM stats WHERE run = %lld EXCEPT SELECT name FROM statistics", (long long)run);
  json_t *names = lab_db_query(db, sql, e);
  bool ok = names != NULL;
  struct lab_units *u = json_array_size(names) ? lab_units_new(json_object_get(report, "config")) : NULL;
  for (size_t i = 0; i < json_array_size(names) && ok; i++) {
    const char *name = json_string_value(json_array_get(json_array_get(names, i), 0));
    const char *const args[] = {name, lab_unit(u, name), lab_meaning(u, name), NULL};
    ok = finish(db, prepare(db, "INSERT INTO statistics VALUES (?, ?, ?)", args, e), e);
  }
  lab_units_delete(u);
  json_decref(names);
  return ok;
}

static bool store_settings(struct lab_db *db, sqlite3_stmt *q, const char *settings, struct err *e) {
  bool ok = true;
  for (const char *at = settings; *at && ok;) {
    size_t n = strcspn(at, ","), name = strcspn(at, "=");
    sqlite3_bind_text(q, 2, at, (int)name, SQLITE_TRANSIENT);
    sqlite3_bind_text(q, 3, at + name + 1, (int)(n - name - 1), SQLITE_TRANSIENT);
    ok = again(db, q, e);
    at += n + (at[n] == ',');
  }
  return ok;
}

/* Numbers of an interval under their dotted names; those that are 0 are left out. */
static bool store_interval(struct lab_db *db, sqlite3_stmt *q, const char *prefix, const json_t *o, struct err *e) {
  const char *name;
  json_t *v;
  bool ok = true;
  json_object_foreach((json_t *)o, name, v) {
    struct str full = {0};
    str_add(&full, "%s%s%s", prefix, *prefix ? "." : "", name);
    if (json_is_object(v)) ok = store_interval(db, q, full.s, v, e);
    else if (json_is_number(v) && json_number_value(v) != 0) {
      sqlite3_bind_text(q, 3, full.s, -1, SQLITE_TRANSIENT);
      sqlite3_bind_double(q, 4, json_number_value(v));
      ok = again(db, q, e);
    }
    str_free(&full);
    if (!ok) return false;
  }
  return true;
}

static bool store_intervals(struct lab_db *db, sqlite3_stmt *q, const json_t *list, struct err *e) {
  for (size_t i = 0; i < json_array_size(list); i++) {
    sqlite3_bind_int64(q, 2, (sqlite3_int64)i);
    if (!store_interval(db, q, "", json_array_get(list, i), e)) return false;
  }
  return true;
}

/* What each probe said, whole: its single numbers are among the statistics too. */
static bool store_probes(struct lab_db *db, sqlite3_stmt *q, const json_t *probes, struct err *e) {
  const char *name;
  json_t *v;
  json_object_foreach((json_t *)probes, name, v) {
    char *text = json_dumps(v, JSON_COMPACT | JSON_REAL_PRECISION(9) | JSON_ENCODE_ANY);
    sqlite3_bind_text(q, 2, name, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(q, 3, text, -1, SQLITE_TRANSIENT);
    free(text);
    if (!again(db, q, e)) return false;
  }
  return true;
}

static bool store_run(struct lab_db *db, const struct lab_run *r, const char *key, double seconds, const json_t *report,
                      const char *error, struct err *e) {
  const char *const args[] = {key, r->workload, r->size, r->seed, r->gpu, r->settings, r->config_hash, HEDDLE_VERSION,
                              host_name(), error ? "failed" : "ok", r->probes ? r->probes : "", db->build, interval_of(r), NULL};
  sqlite3_stmt *q = prepare(db,
                            "INSERT INTO runs (key, workload, size, seed, gpu, settings, config_hash, version, host,"
                            " status, probes, build, interval_cycles, seconds, error, output_ok, cycles, ipc, finished)"
                            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))",
                            args, e);
  if (!q) return false;
  sqlite3_bind_double(q, 14, seconds);
  if (error) sqlite3_bind_text(q, 15, error, -1, SQLITE_TRANSIENT);
  if (report) {
    if (!json_is_null(json_object_get(report, "output_ok")))
      sqlite3_bind_int(q, 16, json_is_true(json_object_get(report, "output_ok")));
    sqlite3_bind_int64(q, 17, json_integer_value(json_object_get(report, "cycles")));
    sqlite3_bind_double(q, 18, json_number_value(json_object_get(report, "ipc")));
  }
  return finish(db, q, e);
}

/* What belongs to the run that was entered last: `run` is bound first, the rest by its own function. */
static bool store_parts(struct lab_db *db, const struct lab_run *r, const json_t *report, struct err *e) {
  static const char *const sql[] = {"INSERT INTO settings VALUES (?, ?, ?)", "INSERT INTO stats VALUES (?, ?, ?)",
                                    "INSERT INTO kernels VALUES (?, ?, ?, ?, ?, ?)", "INSERT INTO probes VALUES (?, ?, ?)",
                                    "INSERT INTO intervals VALUES (?, ?, ?, ?)"};
  enum { PARTS = sizeof sql / sizeof *sql };
  sqlite3_int64 run = sqlite3_last_insert_rowid(db->s);
  bool ok = true;
  for (int i = 0; i < (report ? PARTS : 1) && ok; i++) {
    sqlite3_stmt *q = prepare(db, sql[i], NULL, e);
    if (!q) return false;
    sqlite3_bind_int64(q, 1, run);
    ok = i == 0   ? store_settings(db, q, r->settings, e)
         : i == 1 ? store_stats(db, q, "", report, e)
         : i == 2 ? store_kernels(db, q, json_object_get(report, "kernels"), e)
         : i == 3 ? store_probes(db, q, json_object_get(report, "probes"), e)
                  : store_intervals(db, q, json_object_get(report, "intervals"), e);
    sqlite3_finalize(q);
  }
  return ok && (!report || store_units(db, run, report, e));
}

bool lab_db_store(struct lab_db *db, const struct lab_run *r, double seconds, const json_t *report, const char *error,
                  struct err *e) {
  struct str key = {0};
  struct err second = {0};
  key_of(r, &key);
  bool ok = run_sql(db, "BEGIN IMMEDIATE", e);
  if (ok) {
    ok = drop(db, "DELETE FROM runs WHERE key = ?", key.s, e) && store_run(db, r, key.s, seconds, report, error, e) &&
         store_parts(db, r, report, e) && drop(db, "DELETE FROM claims WHERE key = ?", key.s, e) && run_sql(db, "COMMIT", e);
    if (!ok) run_sql(db, "ROLLBACK", &second);
  }
  str_free(&key);
  return ok;
}

/* ---- claiming ------------------------------------------------------------------------------------------------------------- */

static bool find_equal(struct lab_db *db, const struct lab_run *r, sqlite3_int64 *id, struct err *e) {
  const char *const args[] = {r->config_hash, r->workload, r->size, r->seed, HEDDLE_VERSION, r->probes ? r->probes : "", db->build,
                              interval_of(r), NULL};
  sqlite3_stmt *q = prepare(db, "SELECT id FROM runs WHERE config_hash = ? AND workload = ? AND size = ? AND seed = ?"
                                " AND version = ? AND probes = ? AND build = ? AND interval_cycles = CAST(? AS INTEGER)"
                                " AND status = 'ok' LIMIT 1", args, e);
  int code = q ? sqlite3_step(q) : SQLITE_ERROR;
  *id = code == SQLITE_ROW ? sqlite3_column_int64(q, 0) : 0;
  bool ok = code == SQLITE_ROW || code == SQLITE_DONE || sql_fail(db, e);
  sqlite3_finalize(q);
  return ok;
}

/* A run whose configuration is that of a stored one, written in other words: its results are known. */
static bool copy_equal(struct lab_db *db, const struct lab_run *r, const char *key, sqlite3_int64 from, struct err *e) {
  char sql[640];
  const char *const args[] = {key, r->gpu, r->settings, NULL};
  snprintf(sql, sizeof sql,
           "INSERT INTO runs (key, gpu, settings, workload, size, seed, config_hash, version, host, finished, seconds, status,"
           " output_ok, cycles, ipc, probes, build, interval_cycles) SELECT ?, ?, ?, workload, size, seed, config_hash, version, host,"
           " finished, seconds,"
           " status, output_ok, cycles, ipc, probes, build, interval_cycles FROM runs WHERE id = %lld", (long long)from);
  if (!drop(db, "DELETE FROM runs WHERE key = ?", key, e) || !finish(db, prepare(db, sql, args, e), e)) return false;
  long long to = sqlite3_last_insert_rowid(db->s);
  snprintf(sql, sizeof sql,
           "INSERT INTO stats SELECT %lld, name, value FROM stats WHERE run = %lld; INSERT INTO kernels SELECT %lld, position,"
           " name, cycles, warp_instructions, thread_instructions FROM kernels WHERE run = %lld; INSERT INTO probes SELECT %lld,"
           " name, value FROM probes WHERE run = %lld; INSERT INTO intervals SELECT %lld, position, name, value FROM intervals"
           " WHERE run = %lld", to, (long long)from, to, (long long)from, to, (long long)from, to, (long long)from);
  return store_parts(db, r, NULL, e) && run_sql(db, sql, e);
}

static bool want(enum lab_claim have, bool retry) { return have == LAB_MINE || (have == LAB_FAILED && retry); }

/* With the file locked: looks once more, then enters the claim. */
static enum lab_claim claim_locked(struct lab_db *db, const struct lab_run *r, const char *key, bool retry, struct err *e) {
  enum lab_claim have;
  bool busy = false;
  sqlite3_int64 equal;
  if (!stored(db, key, &have, e)) return LAB_ERROR;
  if (!want(have, retry)) return have;
  if (!taken(db, key, &busy, e)) return LAB_ERROR;
  if (busy) return LAB_TAKEN;
  if (!find_equal(db, r, &equal, e)) return LAB_ERROR;
  if (equal) return copy_equal(db, r, key, equal, e) ? LAB_DONE : LAB_ERROR;
  return enter_claim(db, key, e) ? LAB_MINE : LAB_ERROR;
}

enum lab_claim lab_db_claim(struct lab_db *db, const struct lab_run *r, bool retry, struct err *e) {
  struct str key = {0};
  struct err second = {0};
  enum lab_claim answer = LAB_ERROR;
  key_of(r, &key);
  if (stored(db, key.s, &answer, e) && want(answer, retry)) {
    answer = run_sql(db, "BEGIN IMMEDIATE", e) ? claim_locked(db, r, key.s, retry, e) : LAB_ERROR;
    if (answer == LAB_ERROR) run_sql(db, "ROLLBACK", &second);
    else if (!run_sql(db, "COMMIT", e)) answer = LAB_ERROR;
  }
  str_free(&key);
  return e->kind ? LAB_ERROR : answer;
}

/* ---- results of a run ---------------------------------------------------------------------------------------------------- */

static bool has_all(const char *have, const char *want_) {
  for (const char *at = want_; *at;) {
    size_t n = strcspn(at, ",");
    bool found = false;
    for (const char *h = have; *h && !found;) {
      size_t k = strcspn(h, ",");
      found = k == n && !memcmp(h, at, n);
      h += k + (h[k] == ',');
    }
    if (!found) return false;
    at += n + (at[n] == ',');
  }
  return true;
}

static json_t *results_of(struct lab_db *db, long long run, struct err *e) {
  char sql[128];
  json_t *out = json_object(), *probes = json_object();
  snprintf(sql, sizeof sql, "SELECT name, value FROM stats WHERE run = %lld", run);
  json_t *stats = lab_db_query(db, sql, e), *row;
  snprintf(sql, sizeof sql, "SELECT name, value FROM probes WHERE run = %lld", run);
  json_t *said = lab_db_query(db, sql, e);
  size_t i;
  json_array_foreach(stats, i, row)
    json_object_set(out, json_string_value(json_array_get(row, 0)), json_array_get(row, 1));
  json_array_foreach(said, i, row)
    json_object_set_new(probes, json_string_value(json_array_get(row, 0)),
                        json_loads(json_string_value(json_array_get(row, 1)), JSON_DECODE_ANY, NULL));
  json_object_set_new(out, "probes", probes);
  json_decref(stats);
  json_decref(said);
  return out;
}

enum lab_claim lab_db_results(struct lab_db *db, const struct lab_run *r, json_t **out, struct err *e) {
  const char *const args[] = {r->config_hash, r->workload, r->size, r->seed, HEDDLE_VERSION, NULL};
  sqlite3_stmt *q = prepare(db, "SELECT id, status, error, probes, build FROM runs WHERE config_hash = ? AND workload = ? AND size = ?"
                                " AND seed = ? AND version = ? ORDER BY status <> 'ok'", args, e);
  enum lab_claim have = LAB_MINE;
  int code = SQLITE_ERROR;
  *out = NULL;
  while (q && have == LAB_MINE && (code = sqlite3_step(q)) == SQLITE_ROW) {
    if (!has_all((const char *)sqlite3_column_text(q, 3), r->probes ? r->probes : "")) continue;
    if (db->only_build && strcmp((const char *)sqlite3_column_text(q, 4), db->build) != 0) continue;
    have = strcmp((const char *)sqlite3_column_text(q, 1), "ok") ? LAB_FAILED : LAB_DONE;
    *out = have == LAB_DONE ? results_of(db, sqlite3_column_int64(q, 0), e) : cell(q, 2);
  }
  if (q && code != SQLITE_ROW && code != SQLITE_DONE) sql_fail(db, e);
  sqlite3_finalize(q);
  return e->kind ? LAB_ERROR : have;
}

bool lab_db_change(struct lab_db *db, const char *sql, const char *const *text, struct err *e) {
  return finish(db, prepare(db, sql, text, e), e);
}

/* ---- another database ---------------------------------------------------------------------------------------------------- */

enum lab_claim lab_db_stored(struct lab_db *db, const struct lab_run *r, struct err *e) {
  struct str key = {0};
  enum lab_claim have = LAB_ERROR;
  key_of(r, &key);
  if (!stored(db, key.s, &have, e)) have = LAB_ERROR;
  str_free(&key);
  return have;
}

/* What is here already has its parts, so they are ignored when they come again. */
static const char merge[] =
    "DELETE FROM main.runs WHERE status = 'failed' AND key IN (SELECT key FROM other.runs WHERE status = 'ok');"
    "INSERT OR IGNORE INTO main.runs (key, workload, size, seed, gpu, settings, config_hash, version, host, finished, seconds,"
    " status, error, output_ok, cycles, ipc, probes, build, interval_cycles) SELECT key, workload, size, seed, gpu, settings, config_hash,"
    " version, host, finished, seconds, status, error, output_ok, cycles, ipc, probes, build, interval_cycles FROM other.runs ORDER BY id;"
    "INSERT OR IGNORE INTO main.settings SELECT m.id, s.name, s.value FROM other.settings s"
    " JOIN other.runs o ON o.id = s.run JOIN main.runs m ON m.key = o.key;"
    "INSERT OR IGNORE INTO main.stats SELECT m.id, s.name, s.value FROM other.stats s"
    " JOIN other.runs o ON o.id = s.run JOIN main.runs m ON m.key = o.key;"
    "INSERT OR IGNORE INTO main.kernels SELECT m.id, k.position, k.name, k.cycles, k.warp_instructions, k.thread_instructions"
    " FROM other.kernels k JOIN other.runs o ON o.id = k.run JOIN main.runs m ON m.key = o.key;"
    "INSERT OR IGNORE INTO main.probes SELECT m.id, p.name, p.value FROM other.probes p"
    " JOIN other.runs o ON o.id = p.run JOIN main.runs m ON m.key = o.key;"
    "INSERT OR IGNORE INTO main.intervals SELECT m.id, i.position, i.name, i.value FROM other.intervals i"
    " JOIN other.runs o ON o.id = i.run JOIN main.runs m ON m.key = o.key;"
    "INSERT OR IGNORE INTO main.statistics SELECT * FROM other.statistics;";

bool lab_db_merge(struct lab_db *db, const char *path, struct err *e) {
  const char *const args[] = {path, NULL};
  struct err second = {0};
  if (!finish(db, prepare(db, "ATTACH ? AS other", args, e), e)) return false;
  bool ok = run_sql(db, "BEGIN IMMEDIATE", e) && run_sql(db, merge, e) && run_sql(db, "COMMIT", e);
  if (!ok) run_sql(db, "ROLLBACK", &second);
  run_sql(db, "DETACH other", &second);
  return ok;
}
