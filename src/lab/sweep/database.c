/* See database.h: which runs there are, which process makes which, and their results. The file is in database_file.c,
 * the rows of a report in database_report.c. */
#include "lab/sweep/database_parts.h"

#include "base/str.h"
#include "base/version.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

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
  sqlite3_stmt *q = lab_db_prepare(db, "SELECT status, build FROM runs WHERE key = ?", args, e);
  if (!q) return false;
  *out = LAB_MINE;
  int code = sqlite3_step(q);
  bool counts = code == SQLITE_ROW && (!db->only_build || !strcmp((const char *)sqlite3_column_text(q, 1), db->build));
  if (counts) *out = strcmp((const char *)sqlite3_column_text(q, 0), "ok") ? LAB_FAILED : LAB_DONE;
  bool ok = code == SQLITE_ROW || code == SQLITE_DONE || lab_db_fail(db, e);
  sqlite3_finalize(q);
  return ok;
}

static bool taken(struct lab_db *db, const char *key, bool *yes, struct err *e) {
  const char *const args[] = {key, NULL};
  sqlite3_stmt *q =
      lab_db_prepare(db, "SELECT host, pid, started, strftime('%s', 'now') - renewed FROM claims WHERE key = ?", args, e);
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
  return lab_db_finish(db, lab_db_prepare(db, "INSERT OR REPLACE INTO claims VALUES (?, ?, CAST(? AS INTEGER), ?, strftime('%s', 'now'))",
                            args, e), e);
}

bool lab_db_renew(struct lab_db *db, struct err *e) {
  char pid[16];
  snprintf(pid, sizeof pid, "%d", (int)getpid());
  const char *const args[] = {host_name(), pid, NULL};
  return lab_db_finish(db, lab_db_prepare(db, "UPDATE claims SET renewed = strftime('%s', 'now') WHERE host = ? AND pid = ?", args, e), e);
}

static bool drop(struct lab_db *db, const char *sql, const char *key, struct err *e) {
  const char *const args[] = {key, NULL};
  return lab_db_finish(db, lab_db_prepare(db, sql, args, e), e);
}

void lab_db_release(struct lab_db *db, const struct lab_run *r) {
  struct str key = {0};
  struct err ignored = {0};
  key_of(r, &key);
  drop(db, "DELETE FROM claims WHERE key = ?", key.s, &ignored);
  str_free(&key);
}

/* ---- storing ------------------------------------------------------------------------------------------------------------ */

static bool store_run(struct lab_db *db, const struct lab_run *r, const char *key, double seconds, const json_t *report,
                      const char *error, struct err *e) {
  const char *const args[] = {key, r->workload, r->size, r->seed, r->gpu, r->settings, r->config_hash, HEDDLE_VERSION,
                              host_name(), error ? "failed" : "ok", r->probes ? r->probes : "", db->build, interval_of(r), NULL};
  sqlite3_stmt *q = lab_db_prepare(db,
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
  return lab_db_finish(db, q, e);
}

bool lab_db_store(struct lab_db *db, const struct lab_run *r, double seconds, const json_t *report, const char *error,
                  struct err *e) {
  struct str key = {0};
  struct err second = {0};
  key_of(r, &key);
  bool ok = lab_db_sql(db, "BEGIN IMMEDIATE", e);
  if (ok) {
    ok = drop(db, "DELETE FROM runs WHERE key = ?", key.s, e) && store_run(db, r, key.s, seconds, report, error, e) &&
         lab_db_store_parts(db, r, report, e) && drop(db, "DELETE FROM claims WHERE key = ?", key.s, e) && lab_db_sql(db, "COMMIT", e);
    if (!ok) lab_db_sql(db, "ROLLBACK", &second);
  }
  str_free(&key);
  return ok;
}

/* ---- claiming ------------------------------------------------------------------------------------------------------------- */

static bool find_equal(struct lab_db *db, const struct lab_run *r, sqlite3_int64 *id, struct err *e) {
  const char *const args[] = {r->config_hash, r->workload, r->size, r->seed, HEDDLE_VERSION, r->probes ? r->probes : "", db->build,
                              interval_of(r), NULL};
  sqlite3_stmt *q = lab_db_prepare(db, "SELECT id FROM runs WHERE config_hash = ? AND workload = ? AND size = ? AND seed = ?"
                                   " AND version = ? AND probes = ? AND build = ? AND interval_cycles = CAST(? AS INTEGER)"
                                   " AND status = 'ok' LIMIT 1", args, e);
  int code = q ? sqlite3_step(q) : SQLITE_ERROR;
  *id = code == SQLITE_ROW ? sqlite3_column_int64(q, 0) : 0;
  bool ok = code == SQLITE_ROW || code == SQLITE_DONE || lab_db_fail(db, e);
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
  if (!drop(db, "DELETE FROM runs WHERE key = ?", key, e) || !lab_db_finish(db, lab_db_prepare(db, sql, args, e), e)) return false;
  long long to = sqlite3_last_insert_rowid(db->s);
  snprintf(sql, sizeof sql,
           "INSERT INTO stats SELECT %lld, name, value FROM stats WHERE run = %lld; INSERT INTO kernels SELECT %lld, position,"
           " name, cycles, warp_instructions, thread_instructions FROM kernels WHERE run = %lld; INSERT INTO probes SELECT %lld,"
           " name, value FROM probes WHERE run = %lld; INSERT INTO intervals SELECT %lld, position, name, value FROM intervals"
           " WHERE run = %lld", to, (long long)from, to, (long long)from, to, (long long)from, to, (long long)from);
  return lab_db_store_parts(db, r, NULL, e) && lab_db_sql(db, sql, e);
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
    answer = lab_db_sql(db, "BEGIN IMMEDIATE", e) ? claim_locked(db, r, key.s, retry, e) : LAB_ERROR;
    if (answer == LAB_ERROR) lab_db_sql(db, "ROLLBACK", &second);
    else if (!lab_db_sql(db, "COMMIT", e)) answer = LAB_ERROR;
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
  sqlite3_stmt *q = lab_db_prepare(db,
                                   "SELECT id, status, error, probes, build FROM runs WHERE config_hash = ? AND workload = ? AND size = ?"
                                   " AND seed = ? AND version = ? ORDER BY status <> 'ok'", args, e);
  enum lab_claim have = LAB_MINE;
  int code = SQLITE_ERROR;
  *out = NULL;
  while (q && have == LAB_MINE && (code = sqlite3_step(q)) == SQLITE_ROW) {
    if (!has_all((const char *)sqlite3_column_text(q, 3), r->probes ? r->probes : "")) continue;
    if (db->only_build && strcmp((const char *)sqlite3_column_text(q, 4), db->build) != 0) continue;
    have = strcmp((const char *)sqlite3_column_text(q, 1), "ok") ? LAB_FAILED : LAB_DONE;
    *out = have == LAB_DONE ? results_of(db, sqlite3_column_int64(q, 0), e) : lab_db_cell(q, 2);
  }
  if (q && code != SQLITE_ROW && code != SQLITE_DONE) lab_db_fail(db, e);
  sqlite3_finalize(q);
  return e->kind ? LAB_ERROR : have;
}

bool lab_db_change(struct lab_db *db, const char *sql, const char *const *text, struct err *e) {
  return lab_db_finish(db, lab_db_prepare(db, sql, text, e), e);
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
  if (!lab_db_finish(db, lab_db_prepare(db, "ATTACH ? AS other", args, e), e)) return false;
  bool ok = lab_db_sql(db, "BEGIN IMMEDIATE", e) && lab_db_sql(db, merge, e) && lab_db_sql(db, "COMMIT", e);
  if (!ok) lab_db_sql(db, "ROLLBACK", &second);
  lab_db_sql(db, "DETACH other", &second);
  return ok;
}
