/* See database.h. */
#include "lab/database.h"

#include "base/arena.h"
#include "base/str.h"
#include "base/version.h"

#include <errno.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { LAYOUT = 1, BUSY_MS = 60000 };

struct lab_db {
  sqlite3 *s;
  const char *path;
};

static const char schema[] =
    "CREATE TABLE IF NOT EXISTS runs ("
    " id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, workload TEXT NOT NULL, size TEXT NOT NULL, seed TEXT NOT NULL,"
    " gpu TEXT NOT NULL, settings TEXT NOT NULL, version TEXT NOT NULL, host TEXT NOT NULL, seconds REAL NOT NULL,"
    " status TEXT NOT NULL, error TEXT, output_ok INTEGER, cycles INTEGER, ipc REAL, config_hash TEXT);"
    "CREATE TABLE IF NOT EXISTS stats ("
    " run INTEGER NOT NULL REFERENCES runs(id), name TEXT NOT NULL, value REAL NOT NULL, PRIMARY KEY (run, name))"
    " WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS kernels ("
    " run INTEGER NOT NULL REFERENCES runs(id), position INTEGER NOT NULL, name TEXT NOT NULL, cycles INTEGER,"
    " warp_instructions INTEGER, thread_instructions INTEGER, PRIMARY KEY (run, position)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS claims (key TEXT PRIMARY KEY, host TEXT NOT NULL, pid INTEGER NOT NULL);"
    "CREATE VIEW IF NOT EXISTS speedups AS"
    " SELECT b.workload, b.size, b.gpu, a.settings AS base, b.settings, CAST(a.cycles AS REAL) / b.cycles AS speedup"
    " FROM runs a JOIN runs b USING (workload, size, seed, gpu, version)"
    " WHERE a.status = 'ok' AND b.status = 'ok' AND b.cycles > 0;";

static bool sql_fail(struct lab_db *db, struct err *e) {
  return err_set(e, ERR_SYSTEM, "the database '%s': %s", db->path, sqlite3_errmsg(db->s));
}

static bool run_sql(struct lab_db *db, const char *sql, struct err *e) {
  return sqlite3_exec(db->s, sql, NULL, NULL, NULL) == SQLITE_OK || sql_fail(db, e);
}

static int layout_of(struct lab_db *db) {
  sqlite3_stmt *q;
  int v = -1;
  if (sqlite3_prepare_v2(db->s, "PRAGMA user_version", -1, &q, NULL) != SQLITE_OK) return -1;
  if (sqlite3_step(q) == SQLITE_ROW) v = sqlite3_column_int(q, 0);
  sqlite3_finalize(q);
  return v;
}

static bool prepare_file(struct lab_db *db, struct err *e) {
  sqlite3_busy_timeout(db->s, BUSY_MS);
  int layout = layout_of(db);
  if (layout < 0) return sql_fail(db, e);
  if (layout > LAYOUT)
    return err_set(e, ERR_INPUT, "the database '%s' has layout %d; this heddle knows up to %d: use a newer heddle",
                   db->path, layout, LAYOUT);
  return run_sql(db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;", e) &&
         run_sql(db, schema, e) && run_sql(db, "PRAGMA user_version = 1", e);
}

struct lab_db *lab_db_open(const char *path, struct err *e) {
  struct lab_db *db = must_alloc(sizeof *db);
  db->path = path;
  if (sqlite3_open(path, &db->s) != SQLITE_OK) sql_fail(db, e);
  else if (prepare_file(db, e)) return db;
  lab_db_close(db);
  return NULL;
}

void lab_db_close(struct lab_db *db) {
  if (!db) return;
  sqlite3_close(db->s);
  free(db);
}

/* ---- identity --------------------------------------------------------------------------------------------------------- */

static void key_of(const struct lab_run *r, struct str *out) {
  str_add(out, "%s|%s|%s|%s|%s|%s", r->workload, r->size, r->seed, r->gpu, r->settings, HEDDLE_VERSION);
}

static const char *host_name(void) {
  static struct utsname u;
  if (!u.nodename[0]) uname(&u);
  return u.nodename;
}

/* Prepares a statement with text parameters; NULL ends the list. */
static sqlite3_stmt *prepare(struct lab_db *db, const char *sql, const char *const *text, struct err *e) {
  sqlite3_stmt *q = NULL;
  if (sqlite3_prepare_v2(db->s, sql, -1, &q, NULL) != SQLITE_OK) {
    sql_fail(db, e);
    return NULL;
  }
  for (int i = 0; text[i]; i++) sqlite3_bind_text(q, i + 1, text[i], -1, SQLITE_TRANSIENT);
  return q;
}

static bool finish(struct lab_db *db, sqlite3_stmt *q, struct err *e) {
  bool ok = q && sqlite3_step(q) == SQLITE_DONE;
  if (q && !ok) sql_fail(db, e);
  sqlite3_finalize(q);
  return ok;
}

/* ---- claims ------------------------------------------------------------------------------------------------------------ */

static bool alive(const char *host, int pid) {
  if (strcmp(host, host_name())) return true; /* elsewhere: cannot be asked, so believed */
  return kill(pid, 0) == 0 || errno == EPERM;
}

static bool stored(struct lab_db *db, const char *key, bool retry, bool *yes, struct err *e) {
  const char *const args[] = {key, NULL};
  sqlite3_stmt *q = prepare(db, "SELECT status FROM runs WHERE key = ?", args, e);
  if (!q) return false;
  *yes = false;
  if (sqlite3_step(q) == SQLITE_ROW)
    *yes = !(retry && !strcmp((const char *)sqlite3_column_text(q, 0), "failed"));
  sqlite3_finalize(q);
  return true;
}

static bool taken(struct lab_db *db, const char *key, bool *yes, struct err *e) {
  const char *const args[] = {key, NULL};
  sqlite3_stmt *q = prepare(db, "SELECT host, pid FROM claims WHERE key = ?", args, e);
  if (!q) return false;
  *yes = sqlite3_step(q) == SQLITE_ROW && sqlite3_column_int(q, 1) != getpid() &&
         alive((const char *)sqlite3_column_text(q, 0), sqlite3_column_int(q, 1));
  sqlite3_finalize(q);
  return true;
}

static bool enter_claim(struct lab_db *db, const char *key, struct err *e) {
  char pid[16];
  snprintf(pid, sizeof pid, "%d", (int)getpid());
  const char *const args[] = {key, host_name(), pid, NULL};
  return finish(db, prepare(db, "INSERT OR REPLACE INTO claims VALUES (?, ?, CAST(? AS INTEGER))", args, e), e);
}

enum lab_claim lab_db_claim(struct lab_db *db, const struct lab_run *r, bool retry, struct err *e) {
  struct str key = {0};
  enum lab_claim answer = LAB_ERROR;
  bool have = false, busy = false;
  key_of(r, &key);
  if (run_sql(db, "BEGIN IMMEDIATE", e)) {
    bool ok = stored(db, key.s, retry, &have, e) && (have || taken(db, key.s, &busy, e)) &&
              (have || busy || enter_claim(db, key.s, e));
    ok = run_sql(db, ok ? "COMMIT" : "ROLLBACK", e) && ok;
    if (ok) answer = have ? LAB_DONE : busy ? LAB_TAKEN : LAB_MINE;
  }
  str_free(&key);
  return answer;
}

static bool drop_claim(struct lab_db *db, const char *key, struct err *e) {
  const char *const args[] = {key, NULL};
  return finish(db, prepare(db, "DELETE FROM claims WHERE key = ?", args, e), e);
}

void lab_db_release(struct lab_db *db, const struct lab_run *r) {
  struct str key = {0};
  struct err ignored = {0};
  key_of(r, &key);
  drop_claim(db, key.s, &ignored);
  str_free(&key);
}

/* ---- storing ------------------------------------------------------------------------------------------------------------ */

static bool store_stat(struct lab_db *db, sqlite3_int64 run, const char *name, double value, struct err *e) {
  const char *const none[] = {NULL};
  sqlite3_stmt *q = prepare(db, "INSERT OR REPLACE INTO stats VALUES (?, ?, ?)", none, e);
  if (!q) return false;
  sqlite3_bind_int64(q, 1, run);
  sqlite3_bind_text(q, 2, name, -1, SQLITE_TRANSIENT);
  sqlite3_bind_double(q, 3, value);
  return finish(db, q, e);
}

/* Every number of the report under its dotted name; host figures, kernels and the configuration are apart. */
static bool store_stats(struct lab_db *db, sqlite3_int64 run, const char *prefix, const json_t *o, struct err *e) {
  const char *name;
  json_t *v;
  json_object_foreach((json_t *)o, name, v) {
    struct str full = {0};
    bool ok = true;
    if (!*prefix && (!strcmp(name, "config") || !strcmp(name, "host"))) continue;
    str_add(&full, "%s%s%s", prefix, *prefix ? "." : "", name);
    if (json_is_object(v)) ok = store_stats(db, run, full.s, v, e);
    else if (json_is_number(v)) ok = store_stat(db, run, full.s, json_number_value(v), e);
    str_free(&full);
    if (!ok) return false;
  }
  return true;
}

static bool store_kernels(struct lab_db *db, sqlite3_int64 run, const json_t *list, struct err *e) {
  const char *const none[] = {NULL};
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *k = json_array_get(list, i);
    sqlite3_stmt *q = prepare(db, "INSERT OR REPLACE INTO kernels VALUES (?, ?, ?, ?, ?, ?)", none, e);
    if (!q) return false;
    sqlite3_bind_int64(q, 1, run);
    sqlite3_bind_int64(q, 2, (sqlite3_int64)i);
    sqlite3_bind_text(q, 3, json_string_value(json_object_get(k, "name")), -1, SQLITE_TRANSIENT);
    sqlite3_bind_int64(q, 4, json_integer_value(json_object_get(k, "cycles")));
    sqlite3_bind_int64(q, 5, json_integer_value(json_object_get(k, "warp_instructions")));
    sqlite3_bind_int64(q, 6, json_integer_value(json_object_get(k, "thread_instructions")));
    if (!finish(db, q, e)) return false;
  }
  return true;
}

static void config_hash(const json_t *report, char out[17]) {
  char *text = json_dumps(json_object_get(report, "config"), JSON_SORT_KEYS | JSON_COMPACT | JSON_ENCODE_ANY);
  snprintf(out, 17, "%016llx", (unsigned long long)(text ? str_hash(text, strlen(text)) : 0));
  free(text);
}

static bool store_run(struct lab_db *db, const struct lab_run *r, const char *key, double seconds, const json_t *report,
                      const char *error, struct err *e) {
  char hash[17];
  config_hash(report, hash);
  const char *const args[] = {key, r->workload, r->size, r->seed, r->gpu, r->settings, HEDDLE_VERSION, host_name(),
                              error ? "failed" : "ok", hash, NULL};
  sqlite3_stmt *q = prepare(db,
                            "INSERT OR REPLACE INTO runs (key, workload, size, seed, gpu, settings, version, host,"
                            " status, config_hash, seconds, error, output_ok, cycles, ipc)"
                            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                            args, e);
  if (!q) return false;
  sqlite3_bind_double(q, 11, seconds);
  if (error) sqlite3_bind_text(q, 12, error, -1, SQLITE_TRANSIENT);
  if (report) {
    sqlite3_bind_int(q, 13, json_is_true(json_object_get(report, "output_ok")));
    sqlite3_bind_int64(q, 14, json_integer_value(json_object_get(report, "cycles")));
    sqlite3_bind_double(q, 15, json_number_value(json_object_get(report, "ipc")));
  }
  return finish(db, q, e);
}

bool lab_db_store(struct lab_db *db, const struct lab_run *r, double seconds, const json_t *report, const char *error,
                  struct err *e) {
  struct str key = {0};
  key_of(r, &key);
  bool ok = run_sql(db, "BEGIN IMMEDIATE", e);
  if (ok) {
    ok = store_run(db, r, key.s, seconds, report, error, e);
    sqlite3_int64 run = sqlite3_last_insert_rowid(db->s);
    if (ok && report) ok = store_stats(db, run, "", report, e) && store_kernels(db, run, json_object_get(report, "kernels"), e);
    ok = ok && drop_claim(db, key.s, e);
    struct err second = {0};
    ok = run_sql(db, ok ? "COMMIT" : "ROLLBACK", ok ? e : &second) && ok;
  }
  str_free(&key);
  return ok;
}
