/* How the report of a run becomes rows: its settings, numbers, kernels, probes and intervals, each in a table of its
 * own, and the units and meanings of numbers that no run before had. */
#include "lab/sweep/database_parts.h"

#include "base/str.h"
#include "lab/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
      ok = lab_db_again(db, q, e);
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
    if (!lab_db_again(db, q, e)) return false;
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
    ok = lab_db_finish(db, lab_db_prepare(db, "INSERT INTO statistics VALUES (?, ?, ?)", args, e), e);
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
    ok = lab_db_again(db, q, e);
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
      ok = lab_db_again(db, q, e);
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
    if (!lab_db_again(db, q, e)) return false;
  }
  return true;
}

/* What belongs to the run that was entered last: `run` is bound first, the rest by its own function. */
bool lab_db_store_parts(struct lab_db *db, const struct lab_run *r, const json_t *report, struct err *e) {
  static const char *const sql[] = {"INSERT INTO settings VALUES (?, ?, ?)", "INSERT INTO stats VALUES (?, ?, ?)",
                                    "INSERT INTO kernels VALUES (?, ?, ?, ?, ?, ?)", "INSERT INTO probes VALUES (?, ?, ?)",
                                    "INSERT INTO intervals VALUES (?, ?, ?, ?)"};
  enum { PARTS = sizeof sql / sizeof *sql };
  sqlite3_int64 run = sqlite3_last_insert_rowid(db->s);
  bool ok = true;
  for (int i = 0; i < (report ? PARTS : 1) && ok; i++) {
    sqlite3_stmt *q = lab_db_prepare(db, sql[i], NULL, e);
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
