/* See delta.h. */
#include "lab/delta.h"

#include "base/str.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- collecting ---------------------------------------------------------------------------------------------------------- */

/* Of the host, or of a launch's shape, which cannot be added up. */
static bool left_out(const char *name) {
  static const char *const names[] = {"host", "config", "registers", "shared_bytes", "ctas_per_sm"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(name, names[i])) return true;
  return false;
}

/* Adds the numbers of `o` to the object `flat`, under dotted names. */
static void flatten(json_t *flat, const char *prefix, const json_t *o) {
  const char *name;
  json_t *v;
  json_object_foreach((json_t *)o, name, v) {
    if (!*prefix && left_out(name)) continue;
    struct str full = {0};
    str_add(&full, "%s%s%s", prefix, *prefix ? "." : "", name);
    if (json_is_object(v)) flatten(flat, full.s, v);
    else if (json_is_number(v))
      json_object_set_new(flat, full.s, json_real(json_number_value(json_object_get(flat, full.s)) + json_number_value(v)));
    str_free(&full);
  }
}

static double number(const json_t *flat, const char *name) { return json_number_value(json_object_get(flat, name)); }

/* Kernels by name; a ratio cannot be added up, so it is made again. */
static json_t *kernels_of(const json_t *report) {
  json_t *all = json_object(), *list = json_object_get(report, "kernels"), *flat;
  const char *name;
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *k = json_array_get(list, i);
    name = json_string_value(json_object_get(k, "name"));
    if (!name) continue;
    flat = json_object_get(all, name);
    if (!flat) json_object_set_new(all, name, flat = json_object());
    if (!json_object_get(k, "launches")) json_object_set_new(flat, "launches", json_real(number(flat, "launches") + 1));
    flatten(flat, "", k);
  }
  json_object_foreach(all, name, flat) {
    double cycles = number(flat, "cycles");
    if (!json_object_get(flat, "ipc")) continue;
    json_object_set_new(flat, "ipc", json_real(cycles > 0 ? number(flat, "thread_instructions") / cycles : 0));
  }
  return all;
}

/* ---- comparing ----------------------------------------------------------------------------------------------------------- */

static bool wanted(const char *only, const char *name) {
  size_t n = strlen(name);
  for (const char *at = only; at && *at;) {
    size_t k = strcspn(at, ",");
    if (k == n && !strncmp(at, name, n)) return true;
    at += k + (at[k] == ',');
  }
  return !only || !*only;
}

static void compare(struct lab_deltas *d, const char *kernel, const char *name, const json_t *a, const json_t *b) {
  struct lab_delta row = {.kernel = arena_strndup(&d->arena, kernel, strlen(kernel)),
                          .name = arena_strndup(&d->arena, name, strlen(name)), .a = json_number_value(a),
                          .b = json_number_value(b), .in_a = a != NULL, .in_b = b != NULL};
  if (row.a == row.b && row.in_a == row.in_b) {
    d->same++;
    return;
  }
  bool whole = row.in_a && row.in_b && row.a != 0;
  row.percent = whole ? 100 * fabs(row.b - row.a) / fabs(row.a) : INFINITY;
  GROW(d->rows, d->cap, d->n + 1);
  d->rows[d->n++] = row;
}

static void compare_all(struct lab_deltas *d, const char *kernel, const json_t *a, const json_t *b, const char *only) {
  const char *name;
  json_t *v;
  json_object_foreach((json_t *)a, name, v)
    if (wanted(only, name)) compare(d, kernel, name, v, json_object_get(b, name));
  json_object_foreach((json_t *)b, name, v)
    if (wanted(only, name) && !json_object_get(a, name)) compare(d, kernel, name, NULL, v);
}

static bool is_time(const struct lab_delta *d) { return !strcmp(d->name, "cycles"); }

/* Cycles first: they are what the rest is about. Equal changes in the order of their names, so that the output does not depend
 * on the files' order. */
static int by_change(const void *x, const void *y) {
  const struct lab_delta *a = x, *b = y;
  if (is_time(a) != is_time(b)) return is_time(a) ? -1 : 1;
  if (a->percent != b->percent) return a->percent < b->percent ? 1 : -1;
  double da = fabs(a->b - a->a), db = fabs(b->b - b->a);
  if (isinf(a->percent) && da != db) return da < db ? 1 : -1;
  int k = strcmp(a->kernel, b->kernel);
  return k ? k : strcmp(a->name, b->name);
}

void lab_deltas_find(struct lab_deltas *d, const json_t *a, const json_t *b, const char *only) {
  *d = (struct lab_deltas){0};
  json_t *ta = json_object(), *tb = json_object(), *ka = kernels_of(a), *kb = kernels_of(b), *v;
  const char *name;
  flatten(ta, "", a);
  flatten(tb, "", b);
  compare_all(d, "", ta, tb, only);
  json_object_foreach(ka, name, v) compare_all(d, name, v, json_object_get(kb, name), only);
  json_object_foreach(kb, name, v)
    if (!json_object_get(ka, name)) compare_all(d, name, NULL, v, only);
  if (d->n) qsort(d->rows, d->n, sizeof *d->rows, by_change);
  json_decref(ta);
  json_decref(tb);
  json_decref(ka);
  json_decref(kb);
}

void lab_deltas_free(struct lab_deltas *d) {
  arena_free(&d->arena);
  free(d->rows);
  *d = (struct lab_deltas){0};
}
