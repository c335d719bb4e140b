/* See page.h. */
#include "lab/pages/page.h"

#include "base/str.h"
#include "base/version.h"
#include "lab/claims/claim_lab.h"
#include "lab/claims/claim_sensitivity.h"
#include "lab/pages/page_file.h"
#include "lab/sizes.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

LAB_PAGE_EMBED(template, "src/lab/pages/page.html")

/* Names that every version has; the only ones in the page of a very large database. */
static const char promised[] = " WHERE name IN ('cycles', 'ipc', 'warp_instructions', 'thread_instructions', 'l1d.accesses', 'l1d.hits',"
                               " 'l1d.misses', 'l1d.reservation_fails', 'l2.accesses', 'l2.hits', 'l2.misses',"
                               " 'noc.request_flits', 'noc.reply_flits', 'dram.reads', 'dram.writes', 'dram.row_hits')";

/* ---- the data ------------------------------------------------------------------------------------------------------------ */

/* Rows as objects with the given names. */
static json_t *objects(struct lab_db *db, const char *sql, const char *const *names, struct err *e) {
  json_t *rows = lab_db_query(db, sql, e), *out = rows ? json_array() : NULL;
  for (size_t i = 0; i < json_array_size(rows); i++) {
    json_t *o = json_object();
    for (size_t k = 0; names[k]; k++) json_object_set(o, names[k], json_array_get(json_array_get(rows, i), k));
    json_array_append_new(out, o);
  }
  json_decref(rows);
  return out;
}

/* Gives every run its "values": an array in the order of the statistics. Both are in ascending order of run. */
static void add_values(json_t *runs, size_t n_stats, const json_t *rows) {
  size_t at = 0;
  for (size_t i = 0; i < json_array_size(runs); i++) {
    json_t *run = json_array_get(runs, i), *values = json_array();
    for (size_t k = 0; k < n_stats; k++) json_array_append_new(values, json_null());
    json_int_t id = json_integer_value(json_object_get(run, "id"));
    for (; at < json_array_size(rows); at++) {
      const json_t *row = json_array_get(rows, at);
      if (json_integer_value(json_array_get(row, 0)) != id) break;
      double v = json_number_value(json_array_get(row, 2));
      json_int_t whole = (json_int_t)v;
      json_array_set_new(values, (size_t)json_integer_value(json_array_get(row, 1)),
                         (double)whole == v ? json_integer(whole) : json_real(v));
    }
    json_object_set_new(run, "values", values);
  }
}

static json_t *values_of(struct lab_db *db, const char *chosen, struct err *e) {
  struct str sql = {0};
  str_add(&sql, "SELECT s.run, n.position, s.value FROM stats s JOIN runs r ON r.id = s.run AND r.status = 'ok'"
                " JOIN (SELECT name, row_number() OVER (ORDER BY name) - 1 AS position FROM statistics%s) n USING (name)"
                " ORDER BY s.run, n.position", chosen);
  json_t *rows = lab_db_query(db, sql.s, e);
  str_free(&sql);
  return rows;
}

static bool too_many(struct lab_db *db, const char *table, struct err *e) {
  struct str sql = {0};
  str_add(&sql, "SELECT count(*) FROM %s", table);
  json_t *rows = lab_db_query(db, sql.s, e);
  bool many = json_integer_value(json_array_get(json_array_get(rows, 0), 0)) > LAB_PAGE_NUMBERS;
  json_decref(rows);
  str_free(&sql);
  return many;
}

/* What `heddle claims` found, with the words of the table of claims. */
static json_t *scores_of(struct lab_db *db, bool programs, struct err *e) {
  static const char *const names[] = {"id", "size", "published", "measured", "verdict", "note", NULL};
  struct str sql = {0};
  str_add(&sql, "SELECT id, size, published, measured, verdict, note FROM scores WHERE reading = '%s'"
                " ORDER BY instr('small medium paper', size), instr('TBADCX', substr(id, 1, 1)), id", programs ? CLAIM_PROGRAMS : "");
  json_t *scores = objects(db, sql.s, names, e), *o;
  str_free(&sql);
  size_t i;
  json_array_foreach(scores, i, o) {
    const struct claim_row *row = claim_row(json_string_value(json_object_get(o, "id")));
    json_object_set_new(o, "where", json_string(row ? row->where : ""));
    json_object_set_new(o, "claim", json_string(row ? row->claim : ""));
    json_object_set_new(o, "rule", json_string(row ? row->rule : ""));
  }
  return scores;
}

/* Scores of a size with their figures, under the defaults or under the other readings. */
static json_t *whole_scores(struct lab_db *db, const char *size, bool usual, bool programs, struct err *e) {
  static const char *const names[] = {"id", "reading", "figures", NULL};
  struct str sql = {0};
  str_add(&sql, "SELECT id, replace(reading, '" CLAIM_PROGRAMS "', '') AS name, figures FROM scores WHERE size = '%s'"
                " AND name %s '' AND reading NOT LIKE '%%" CLAIM_SAMPLE "' AND reading %s LIKE '%%" CLAIM_PROGRAMS "'"
                " ORDER BY instr('TBADCX', substr(id, 1, 1)), id",
          size, usual ? "=" : "<>", programs ? "" : "NOT");
  json_t *list = objects(db, sql.s, names, e), *o;
  size_t i;
  json_array_foreach(list, i, o) {
    const char *text = json_string_value(json_object_get(o, "figures"));
    json_object_set_new(o, "figures", json_loads(text ? text : "[]", 0, NULL));
  }
  str_free(&sql);
  return list;
}

/* {"small": [which readings move a claim most], ...}. */
static json_t *sensitivity_of(struct lab_db *db, bool programs, struct err *e) {
  json_t *out = json_object();
  for (unsigned s = 0; s < LAB_SIZES; s++) {
    json_t *usual = whole_scores(db, lab_sizes[s], true, programs, e);
    json_t *others = whole_scores(db, lab_sizes[s], false, programs, e);
    json_object_set_new(out, lab_sizes[s], claim_sensitivity(usual, others));
    json_decref(usual);
    json_decref(others);
  }
  return out;
}

/* {"small": [figures], "medium": [...]}, of the sizes that claims have. A size without a run for any figure has no list. */
static json_t *figures_of(struct lab_db *db, const struct claim_stored *stored, const struct lab_programs *programs, struct err *e) {
  json_t *out = json_object();
  for (unsigned s = 0; s < LAB_SIZES; s++) {
    json_t *list = claim_lab_figures(db, stored, programs, lab_sizes[s], "TBADC", e), *f;
    bool any = false;
    size_t i;
    json_array_foreach(list, i, f) {
      json_int_t points = json_integer_value(json_object_get(f, "points"));
      json_int_t missing = json_integer_value(json_object_get(f, "missing"));
      any = any || (missing < points && !json_is_true(json_object_get(f, "computed")));
    }
    if (any) json_object_set(out, lab_sizes[s], list);
    json_decref(list);
  }
  return out;
}

static json_t *combinations_of(struct lab_db *db, struct err *e) {
  static const char *const names[] = {"gpu", "size", "settings", "round", "workloads", "speedup", "energy", "storage_bits", "pareto", NULL};
  return objects(db, "SELECT gpu, size, settings, round, workloads, speedup, energy, storage_bits, pareto FROM combinations"
                     " ORDER BY gpu, size, round DESC, speedup DESC", names, e);
}

/* {"run": map}: which SM's misses which other SM's L1D could answer, of runs with the probe of reuse. */
static json_t *maps_of(struct lab_db *db, struct err *e) {
  json_t *rows = lab_db_query(db, "SELECT run, json_extract(value, '$.map') FROM probes WHERE name = 'reuse'", e);
  json_t *out = json_object(), *row;
  size_t i;
  json_array_foreach(rows, i, row) {
    char run[24];
    const char *map = json_string_value(json_array_get(row, 1));
    snprintf(run, sizeof run, "%lld", (long long)json_integer_value(json_array_get(row, 0)));
    if (map) json_object_set_new(out, run, json_loads(map, 0, NULL));
  }
  json_decref(rows);
  return out;
}

/* {"run": [{"first_cycle": 0, "l1d.hits": 1, ...}, ...]} */
static json_t *intervals_of(struct lab_db *db, struct err *e) {
  struct str sql = {0};
  str_add(&sql, "SELECT run, position, name, value FROM intervals%s ORDER BY run, position",
          too_many(db, "intervals", e) ? " WHERE name IN ('kernel', 'first_cycle', 'cycles', 'ipc')" : "");
  json_t *rows = lab_db_query(db, sql.s, e), *out = json_object(), *row;
  size_t i;
  json_array_foreach(rows, i, row) {
    char run[24];
    snprintf(run, sizeof run, "%lld", (long long)json_integer_value(json_array_get(row, 0)));
    json_t *list = json_object_get(out, run);
    if (!list) json_object_set_new(out, run, list = json_array());
    while ((json_int_t)json_array_size(list) <= json_integer_value(json_array_get(row, 1))) json_array_append_new(list, json_object());
    json_object_set(json_array_get(list, (size_t)json_integer_value(json_array_get(row, 1))), json_string_value(json_array_get(row, 2)),
                    json_array_get(row, 3));
  }
  json_decref(rows);
  str_free(&sql);
  return out;
}

static json_t *data_of(struct lab_db *db, const struct claim_stored *stored, const struct lab_programs *programs, const char *title,
                       struct err *e) {
  static const char *const run_names[] = {"id", "workload", "size", "seed", "gpu", "settings", "version", "host", "finished",
                                          "seconds", "status", "error", "cycles", NULL};
  static const char *const stat_names[] = {"name", "unit", "meaning", NULL};
  struct str names = {0};
  const char *chosen = too_many(db, "stats", e) ? promised : "";
  str_add(&names, "SELECT name, unit, meaning FROM statistics%s ORDER BY name", chosen);
  json_t *runs = objects(db, "SELECT id, workload, size, seed, gpu, settings, version, host, finished, round(seconds, 3), status,"
                             " error, cycles FROM runs ORDER BY id", run_names, e);
  json_t *stats = objects(db, names.s, stat_names, e), *values = values_of(db, chosen, e);
  json_t *scores = scores_of(db, programs != NULL, e), *combinations = combinations_of(db, e), *intervals = intervals_of(db, e);
  json_t *maps = maps_of(db, e), *moves = sensitivity_of(db, programs != NULL, e);
  /* The papers' figures are of a page without runs of one's own, or of runs that claims asked for. */
  bool own = json_array_size(runs) && !json_array_size(scores);
  json_t *figures = own ? json_object() : figures_of(stored && !json_array_size(runs) ? NULL : db, stored, programs, e);
  char made[32];
  time_t now = time(NULL);
  strftime(made, sizeof made, "%Y-%m-%d %H:%M UTC", gmtime(&now));
  json_t *data = NULL;
  if (runs && stats && values && !e->kind) {
    add_values(runs, json_array_size(stats), values);
    data = json_pack("{s:s, s:s, s:s, s:O, s:O, s:O, s:O, s:O, s:O, s:O, s:O, s:s}", "title", title, "made", made, "version",
                     HEDDLE_VERSION, "statistics", stats, "runs", runs, "scores", scores, "combinations", combinations,
                     "intervals", intervals, "maps", maps, "figures", figures, "sensitivity", moves, "database", lab_db_name(db));
  }
  json_decref(figures);
  json_decref(moves);
  json_decref(scores);
  json_decref(combinations);
  json_decref(intervals);
  json_decref(maps);
  json_decref(runs);
  json_decref(stats);
  json_decref(values);
  str_free(&names);
  return data;
}

bool lab_page_write(struct lab_db *db, const struct claim_stored *stored, const struct lab_programs *programs, const char *title,
                    const char *path, struct err *e) {
  json_t *data = data_of(db, stored, programs, title, e);
  bool ok = data && lab_page_file(page_template, NULL, data, path, e);
  json_decref(data);
  return ok;
}
