/* See figure.h. */
#include "lab/figures/figure.h"

#include <math.h>
#include <string.h>

static json_t *number_or_null(double v) { return isfinite(v) ? json_real(v) : json_null(); }

/* ---- rows and series --------------------------------------------------------------------------------------------- */

static size_t row_of(struct chart *f, const char *row) {
  size_t i;
  json_t *name;
  json_array_foreach(f->rows, i, name) if (!strcmp(json_string_value(name), row)) return i;
  json_array_append_new(f->rows, json_string(row));
  return i;
}

static json_t *series_of(struct chart *f, const char *name) {
  size_t i;
  json_t *s;
  json_array_foreach(f->series, i, s) if (!strcmp(json_string_value(json_object_get(s, "name")), name)) return s;
  s = json_pack("{s:s, s:[], s:[], s:[]}", "name", name, "measured", "low", "high");
  json_array_append_new(f->series, s);
  return s;
}

/* Lists grow with the rows: what was not set is null. */
static void set_at(json_t *series, const char *list, size_t at, double v) {
  json_t *to = json_object_get(series, list);
  while (json_array_size(to) <= at) json_array_append_new(to, json_null());
  json_array_set_new(to, at, number_or_null(v));
}

/* ---- drawing ----------------------------------------------------------------------------------------------------- */

void chart_rows(struct chart *f, const char *const *list) {
  for (; *list; list++) row_of(f, *list);
}

void chart_point(struct chart *f, const char *series, const char *row, double measured) {
  size_t at = row_of(f, row);
  set_at(series_of(f, series), "measured", at, measured);
  f->points++;
  if (!isfinite(measured)) f->missing++;
}

void chart_none(struct chart *f, const char *series, const char *row) {
  size_t at = row_of(f, row);
  set_at(series_of(f, series), "measured", at, NAN);
}

void chart_mark(struct chart *f, const char *series, const char *row, double low, double high) {
  size_t at = row_of(f, row);
  json_t *s = series_of(f, series);
  set_at(s, "low", at, low);
  set_at(s, "high", at, high);
}

void chart_stack(struct chart *f, const char *series, const char *stack) {
  json_object_set_new(series_of(f, series), "stack", json_string(stack));
}

void chart_dots(struct chart *f, const char *series) { json_object_set_new(series_of(f, series), "dots", json_true()); }

void chart_map(struct chart *f, const char *name, const json_t *map) {
  f->points++;
  if (!map) f->missing++;
  if (map) json_array_append_new(f->maps, json_pack("{s:s, s:O}", "name", name, "map", (json_t *)map));
}

/* ---- often drawn ------------------------------------------------------------------------------------------------- */

void chart_speedups(struct chart *f, const char *series, const struct claim_setup *s, const struct claim_setup *base,
                    const char *const *list) {
  for (unsigned i = 0; list[i]; i++) chart_point(f, series, list[i], claim_speedup(f->c, s, base, list[i]));
  chart_point(f, series, CHART_GMEAN, claim_gmean(f->c, s, base, list));
}

void chart_numbers(struct chart *f, const char *series, const struct claim_setup *s, const char *const *list,
                   chart_number number) {
  double sum = 0;
  unsigned n = 0;
  for (; list[n]; n++) {
    double v = number(f->c, s, list[n]);
    chart_point(f, series, list[n], v);
    sum += v;
  }
  chart_point(f, series, CHART_MEAN, sum / n);
}

void chart_ratios(struct chart *f, const char *series, const struct claim_setup *s, const struct claim_setup *base,
                  const char *const *list, chart_number number) {
  double sum = 0;
  unsigned n = 0;
  for (unsigned i = 0; list[i]; i++) {
    double v = number(f->c, s, list[i]), of = number(f->c, base, list[i]);
    if (of == 0)
      chart_none(f, series, list[i]);
    else {
      chart_point(f, series, list[i], v / of);
      sum += v / of, n++;
    }
  }
  if (n)
    chart_point(f, series, CHART_MEAN, sum / n);
  else
    chart_none(f, series, CHART_MEAN);
}

/* ---- evaluating -------------------------------------------------------------------------------------------------- */

static const char *const kind_names[] = {
    [FIGURE_BARS] = "bars", [FIGURE_STACKED] = "stacked", [FIGURE_LINES] = "lines", [FIGURE_MAPS] = "maps"};

/* Every list as long as there are rows; without marks there are no lists of them. */
static void even_out(json_t *series, size_t rows) {
  static const char *const lists[] = {"measured", "low", "high"};
  for (unsigned i = 0; i < 3; i++) {
    json_t *list = json_object_get(series, lists[i]);
    if (i && !json_array_size(list))
      json_object_del(series, lists[i]);
    else
      while (json_array_size(list) < rows) json_array_append_new(list, json_null());
  }
}

json_t *figure_evaluate(const struct figure *figure, const struct claim_source *source) {
  struct chart f = {.c = claim_begin(source, figure->id[0]),
                    .figure = figure,
                    .rows = json_array(),
                    .series = json_array(),
                    .maps = json_array(),
                    .notes = json_array()};
  size_t i;
  json_t *s;
  figure->draw(&f);
  for (const struct figure_mark *m = figure->marks; m && m->series; m++) chart_mark(&f, m->series, m->row, m->low, m->high);
  if (figure->note) json_array_insert_new(f.notes, 0, json_string(figure->note));
  json_array_foreach(f.series, i, s) even_out(s, json_array_size(f.rows));
  const char *lacks = claim_lacks(f.c);
  json_t *out = json_pack("{s:s, s:s, s:s, s:s, s:b, s:b, s:b, s:o, s:o, s:o, s:o, s:i, s:i, s:s}", "id", figure->id, "title",
                          figure->title, "unit", figure->unit, "kind", kind_names[figure->kind], "ordered",
                          (figure->flags & FIGURE_ORDERED) != 0, "from_one", (figure->flags & FIGURE_FROM_ONE) != 0, "computed",
                          (figure->flags & FIGURE_COMPUTED) != 0, "rows", f.rows, "series", f.series, "maps", f.maps, "notes",
                          f.notes, "points", (int)f.points, "missing", (int)f.missing, "lacks", lacks ? lacks : "");
  claim_end(f.c);
  return out;
}

const struct figure *figure_of(const char *id) {
  for (const struct figure *const *g = figure_groups; *g; g++)
    for (const struct figure *f = *g; f->id; f++)
      if (!strcmp(f->id, id)) return f;
  return NULL;
}
