/* Tests of the figures of the papers: each is whole under made-up numbers, its published values lie on points that it has, and
 * docs/figures.md lists the same figures. Runs in the root of the repository. */
#include "claims_kit.h"

#include "lab/figures/figure.h"

#include <stdlib.h>

/* Every number that figures ask for. Each configuration but those of base GPUs is twice as fast and does half. */
#define BOTH(name, base_value, other) {NULL, NULL, name, other, NULL}, {"", NULL, name, base_value, NULL}
static const char coalescing[] = "{\"groups\": {\"1\": {\"loads\": 0.25, \"all_hit\": 0.5, \"latency\": 100, \"block_reuse\": 0.5},"
                                 " \"2\": {\"loads\": 0.25, \"all_hit\": 0.5, \"latency\": 100, \"block_reuse\": 0.5},"
                                 " \"3-10\": {\"loads\": 0.25, \"all_hit\": 0.5, \"latency\": 200, \"block_reuse\": 0.25},"
                                 " \"11-20\": {\"loads\": 0, \"all_hit\": null, \"latency\": null, \"block_reuse\": null},"
                                 " \"21-32\": {\"loads\": 0.25, \"all_hit\": 0.5, \"latency\": 400, \"block_reuse\": 0.25}}}";
static const struct kit_row numbers[] = {
    BOTH("cycles", 1000, 500),
    BOTH("ipc", 10, 20),
    {NULL, NULL, "warp_instructions", 5000, NULL},
    BOTH("l1d.misses", 800, 500),
    {NULL, NULL, "l1d.writes", 200, NULL},
    {NULL, NULL, "l1d.atomics", 0, NULL},
    {NULL, NULL, "l1d.reads", 1000, NULL},
    {NULL, NULL, "l1d.hits", 250, NULL},
    {NULL, NULL, "l1d.bypasses", 0, NULL},
    {NULL, NULL, "l1d.load_instructions", 400, NULL},
    BOTH("l1d.missed_instructions", 300, 100),
    BOTH("l1d.requests", 800, 600),
    BOTH("l1d.packets_out", 600, 300),
    BOTH("l1d.packets_in", 1200, 300),
    {NULL, NULL, "l1d.first_misses", 60, NULL},
    {NULL, NULL, "l1d.subsequent_misses", 30, NULL},
    {NULL, NULL, "l1d.hit_invalid", 10, NULL},
    BOTH("l2.accesses", 1000, 700),
    BOTH("l2.misses", 300, 350),
    BOTH("noc.reply_flits", 2000, 1000),
    BOTH("dram.reads", 100, 90),
    {NULL, NULL, "dram.writes", 0, NULL},
    {NULL, NULL, "reply.blocks", 10, NULL},
    {NULL, NULL, "reply.block_bits", 5120, NULL},
    BOTH("sm.miss_latency", 3000, 2000),
    {NULL, NULL, "sm.miss_replies", 10, NULL},
    {NULL, NULL, "sm.stall_barrier", 1, NULL},
    {NULL, NULL, "sm.stall_fence", 1, NULL},
    {NULL, NULL, "sm.stall_fetch", 1, NULL},
    {NULL, NULL, "sm.stall_memory", 1, NULL},
    {NULL, NULL, "sm.stall_alu", 1, NULL},
    {NULL, NULL, "sm.stall_pipe", 1, NULL},
    {NULL, NULL, "sm.stall_lsu", 1, NULL},
    {NULL, NULL, "energy.total", 5, NULL},
    {NULL, NULL, "energy.noc", 2, NULL},
    {NULL, NULL, "energy.noc_routers", 1, NULL},
    {NULL, NULL, "energy.noc_links", 1, NULL},
    {NULL, NULL, "area.noc_routers", 3, NULL},
    {NULL, NULL, "area.noc_links", 1, NULL},
    {NULL, NULL, "storage.l1.org", 8192, NULL},
    {NULL, NULL, "programs.0.ipc", 50, NULL},
    {NULL, NULL, "programs.1.ipc", 50, NULL},
    {NULL, NULL, "probes.lines.reused.0", 0.2, NULL},
    {NULL, NULL, "probes.lines.reused.1/4", 0.2, NULL},
    {NULL, NULL, "probes.lines.reused.2/4", 0.2, NULL},
    {NULL, NULL, "probes.lines.reused.3/4", 0.2, NULL},
    {NULL, NULL, "probes.lines.reused.4/4", 0.2, NULL},
    {NULL, NULL, "probes.lines.quarter_of_reused", 0.25, NULL},
    {NULL, NULL, "probes.lines.used_bytes_share", 0.4, NULL},
    {NULL, NULL, "probes.lines.used.32B", 0.25, NULL},
    {NULL, NULL, "probes.lines.used.64B", 0.25, NULL},
    {NULL, NULL, "probes.lines.used.96B", 0.25, NULL},
    {NULL, NULL, "probes.lines.used.128B", 0.25, NULL},
    {NULL, NULL, "probes.consistency.classes.CA 32B", 0.4, NULL},
    {NULL, NULL, "probes.consistency.classes.CA 64B", 0.1, NULL},
    {NULL, NULL, "probes.consistency.classes.CA 96B", 0.1, NULL},
    {NULL, NULL, "probes.consistency.classes.CA 128B", 0.1, NULL},
    {NULL, NULL, "probes.consistency.classes.ICA 64B", 0.1, NULL},
    {NULL, NULL, "probes.consistency.classes.ICA 96B", 0.1, NULL},
    {NULL, NULL, "probes.consistency.classes.ICA 128B", 0.1, NULL},
    {NULL, NULL, "probes.consistency.partial_consistent", 0.3, NULL},
    {NULL, NULL, "probes.sharing.touched_by.1", 0.7, NULL},
    {NULL, NULL, "probes.sharing.touched_by.2", 0.1, NULL},
    {NULL, NULL, "probes.sharing.touched_by.3-4", 0.1, NULL},
    {NULL, NULL, "probes.sharing.touched_by.5-8", 0.1, NULL},
    {NULL, NULL, "probes.reuse.coefficient", 0.14, NULL},
    {NULL, NULL, "reuse", 0, "{\"map\": [[0, 0.5], [0.25, 0]]}"},
    {NULL, NULL, "coalescing", 0, coalescing},
    {0},
};

static json_t *drawn(const struct figure *f, bool silent) {
  static struct kit_source k;
  k = (struct kit_source){.defaults = numbers, .silent = silent};
  const struct claim_source source = {kit_answer_run, kit_answer_storage, kit_answer_key, kit_answer_count, &k, NULL};
  json_t *figure = figure_evaluate(f, &source);
  for (size_t i = 0; i < k.n; i++) json_decref(k.runs[i]);
  return figure;
}

static json_int_t count(const json_t *figure, const char *name) { return json_integer_value(json_object_get(figure, name)); }

/* The number in a list of a series at a row; NULL: there is no such series or row. */
static const json_t *at(const json_t *figure, const char *series, const char *row, const char *list) {
  size_t i, k;
  json_t *s, *r;
  json_array_foreach(json_object_get(figure, "series"), i, s)
    json_array_foreach(json_object_get(figure, "rows"), k, r)
      if (!strcmp(kit_text(s, "name"), series) && !strcmp(json_string_value(r), row))
        return json_array_get(json_object_get(s, list), k);
  return NULL;
}

#define EACH_FIGURE(f)                                                                                                   \
  for (const struct figure *const *g = figure_groups; *g; g++)                                                           \
    for (const struct figure *f = *g; f->id; f++)

/* ---- all of them ----------------------------------------------------------------------------------------------------- */

static void test_every_figure_is_named_once_and_says_what_it_shows(void **state) {
  (void)state;
  unsigned n = 0;
  EACH_FIGURE(f) {
    n++;
    if (!strchr("TBADC", f->id[0]) || f->id[1] != ':' || !f->id[2]) fail_msg("'%s' is not a figure's name", f->id);
    if (figure_of(f->id) != f) fail_msg("%s is there twice", f->id);
    if (!*f->title || (!*f->unit && f->kind != FIGURE_MAPS)) fail_msg("%s lacks a title or a unit", f->id);
  }
  assert_true(n >= 50);
  assert_null(figure_of("T:3"));
}

static void test_every_figure_is_whole_when_its_runs_are_there(void **state) {
  (void)state;
  EACH_FIGURE(f) {
    json_t *figure = drawn(f, false);
    if (!count(figure, "points") || count(figure, "missing") || *kit_text(figure, "lacks"))
      fail_msg("%s: %d of %d points are missing: %s", f->id, (int)count(figure, "missing"), (int)count(figure, "points"),
               kit_text(figure, "lacks"));
    json_decref(figure);
  }
}

/* In a list a null is a number that is not there. */
static void check_marks(const char *id, const json_t *figure) {
  size_t i, k;
  json_t *s, *low;
  json_array_foreach(json_object_get(figure, "series"), i, s) {
    const json_t *lows = json_object_get(s, "low"), *highs = json_object_get(s, "high"), *measured = json_object_get(s, "measured");
    assert_int_equal(json_array_size(measured), json_array_size(json_object_get(figure, "rows")));
    json_array_foreach(lows, k, low) {
      double high = json_number_value(json_array_get(highs, k));
      if (json_is_null(low)) continue;
      if (!(json_number_value(low) <= high)) fail_msg("%s, %s: a range that is none", id, kit_text(s, "name"));
      bool empty = !strcmp(id, "B:5c") && !strcmp(kit_text(s, "name"), "11 to 20"); /* a group without loads, made up above */
      if (json_is_null(json_array_get(measured, k)) && !empty)
        fail_msg("%s: the published value of %s at %s has no point", id, kit_text(s, "name"),
                 json_string_value(json_array_get(json_object_get(figure, "rows"), k)));
    }
  }
}

static void test_published_values_lie_on_points_of_their_figure(void **state) {
  (void)state;
  EACH_FIGURE(f) {
    json_t *figure = drawn(f, false);
    check_marks(f->id, figure);
    for (const struct figure_mark *m = f->marks; m && m->series; m++)
      if (!at(figure, m->series, m->row, "measured")) fail_msg("%s has no %s at %s", f->id, m->series, m->row);
    json_decref(figure);
  }
}

static void test_without_runs_a_figure_is_missing_and_keeps_its_published_values(void **state) {
  (void)state;
  EACH_FIGURE(f) {
    json_t *figure = drawn(f, true);
    bool computed = (f->flags & FIGURE_COMPUTED) != 0;
    if (!count(figure, "points") || count(figure, "missing") != (computed ? 0 : count(figure, "points")))
      fail_msg("%s: %d of %d points are missing", f->id, (int)count(figure, "missing"), (int)count(figure, "points"));
    for (const struct figure_mark *m = f->marks; m && m->series; m++)
      assert_true(json_number_value(at(figure, m->series, m->row, "high")) == m->high);
    json_decref(figure);
  }
}

/* ---- some of them ------------------------------------------------------------------------------------------------------ */

static void test_points_are_what_the_runs_say(void **state) {
  (void)state;
  static const struct {
    const char *id, *series, *row;
    double measured;
  } rows[] = {
      {"T:10b", "TSC", "kmeans", 2},
      {"T:10b", "TSC+", CHART_GMEAN, 2},
      {"T:4", "128 B", "kmeans", 75},
      {"T:5", "32 B", "stencil", 0.5},
      {"T:9 tags", "TSC", "8", 1},
      {"T:12", "TSC, L2 to L1", "kmeans", 0.25},
      {"T:12", "base, L1 to L2", "kmeans", 0.5},
      {"B:5b", "21 to 32", "bfs", 4},
      {"B:5c", "3 to 10", "kmn", 50},
      {"B:8", "base", "mean of un-coalesced", 25},
      {"A:3", "1 cluster", "mean of neutral", 70},
      {"A:13", "shared", CHART_MEAN, 50},
      {"D:5.3", "DF-MAN over the base", CHART_MEAN, 50},
      {"D:5.4", "DPC", "wc", 50},
      {"D:5.6", "subsequent misses", "bfs", 30},
      {"C:8a", "CCN-RT", CHART_MEAN, 0.7},
      {"C:1a", "base", "mm", 60},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    json_t *figure = drawn(figure_of(rows[i].id), false);
    double v = json_number_value(at(figure, rows[i].series, rows[i].row, "measured"));
    if (!(fabs(v - rows[i].measured) < 1e-9))
      fail_msg("%s, %s at %s: %g, not %g", rows[i].id, rows[i].series, rows[i].row, v, rows[i].measured);
    json_decref(figure);
  }
}

static void test_published_values_are_those_of_the_papers(void **state) {
  (void)state;
  static const struct {
    const char *id, *series, *row;
    double low, high;
  } rows[] = {
      {"T:1", "25 %, of reused lines", "mummergpu", 90.3, 90.3},
      {"T:2a", "32 B", "kmeans", 2.65, 2.65},
      {"T:4", "32 B", "kmeans", 20.5, 20.5},
      {"T:10b", "TSC+", CHART_GMEAN, 1.172, 1.172},
      {"T:12", "TSC, L2 to L1", "kmeans", 0.282, 0.282},
      {"T:12", "TSC, L1 to L2", "kmeans", 0.282 + 0.546 * 0.5, 0.282 + 0.546 * 0.5},
      {"T:13", "16 B", CHART_GMEAN, 1.181, 1.181},
      {"B:5b", "21 to 32", "particlefilter", 13.6, 13.6},
      {"B:7", "BUCL-Dyn", "mean of un-coalesced", 1.36, 1.36},
      {"B:8", "BUCL", "mean of un-coalesced", 63, 63},
      {"B:9", "SWBU", CHART_GMEAN, 1.45, 1.45},
      {"A:11", "adaptive", "mean of private-friendly", 1.281, 1.281},
      {"A:13", "private", CHART_MEAN, 77.9, 77.9},
      {"A:7b", "H-Xbar, links", "all (full crossbar)", 0.84, 1.52},
      {"A:16", "adaptive", "160 SMs", 1.4, 1.4},
      {"D:2.1", "used", CHART_MEAN, 40, 40},
      {"D:2.1", "used", "nn", 90, 100},
      {"D:5.3", "DF-MAN over the base", CHART_MEAN, 48.3, 48.3},
      {"D:5.4", "DF-MAN", "mean of favourable", 67.04, 67.04},
      {"D:5.5", "DF-MAN", "mean of unfavourable", 61, 61},
      {"C:1b", "base", "cutcp", 78, 78},
      {"C:4", "80", CHART_GMEAN, 1.188, 1.188},
      {"C:8b", "CCN-RT", "cutcp", 0.35, 0.35},
      {"C:10a", "both", CHART_GMEAN, 1.235, 1.235},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    json_t *figure = drawn(figure_of(rows[i].id), false);
    double low = json_number_value(at(figure, rows[i].series, rows[i].row, "low"));
    double high = json_number_value(at(figure, rows[i].series, rows[i].row, "high"));
    if (!(fabs(low - rows[i].low) < 1e-9 && fabs(high - rows[i].high) < 1e-9))
      fail_msg("%s, %s at %s: %g to %g is marked", rows[i].id, rows[i].series, rows[i].row, low, high);
    json_decref(figure);
  }
}

static void test_what_cannot_exist_is_not_missing(void **state) {
  (void)state;
  json_t *figure = drawn(figure_of("B:5a"), false);
  assert_true(json_is_null(at(figure, "11 to 20", "kmn", "measured")));
  assert_int_equal(count(figure, "missing"), 0);
  assert_int_equal(count(figure, "points"), 4 * 10);
  json_decref(figure);
}

static void test_maps_are_handed_on(void **state) {
  (void)state;
  json_t *figure = drawn(figure_of("C:3"), false), *maps = json_object_get(figure, "maps");
  assert_int_equal(json_array_size(maps), 4);
  assert_string_equal(kit_text(json_array_get(maps, 0), "name"), "cutcp");
  assert_true(json_number_value(json_array_get(json_array_get(json_object_get(json_array_get(maps, 0), "map"), 0), 1)) == 0.5);
  json_decref(figure);
}

/* ---- the page that lists them ------------------------------------------------------------------------------------------ */

static char *page(void) {
  static char text[1 << 16];
  FILE *f = fopen("docs/figures.md", "r");
  assert_non_null(f);
  text[fread(text, 1, sizeof text - 1, f)] = 0;
  fclose(f);
  return text;
}

/* Rows look like "| Fig 10b | what it shows | `T:10b` |"; a diagram has no name in the last cell. */
static void test_the_page_of_figures_lists_every_figure_that_is_drawn_and_no_other(void **state) {
  (void)state;
  unsigned listed = 0, drawn_ones = 0;
  EACH_FIGURE(f) {
    char name[32];
    snprintf(name, sizeof name, "`%s`", f->id);
    const char *there = strstr(page(), name);
    if (!there) fail_msg("docs/figures.md does not list %s", f->id);
    if (strstr(there + 1, name)) fail_msg("docs/figures.md lists %s twice", f->id);
    drawn_ones++;
  }
  char *save = NULL;
  for (char *line = strtok_r(page(), "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
    if (strncmp(line, "| Fig ", 6)) continue;
    char *name = strchr(line, '`');
    if (!name && !strstr(line, "| diagram: nothing to measure |")) fail_msg("neither drawn nor a diagram: %s", line);
    for (; name; name = strchr(name, '`')) {
      char *end = strchr(++name, '`');
      *end = 0;
      if (!figure_of(name)) fail_msg("docs/figures.md lists %s, which is not drawn", name);
      listed++;
      name = end + 1;
    }
  }
  assert_int_equal(listed, drawn_ones);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_figure_is_named_once_and_says_what_it_shows),
      cmocka_unit_test(test_every_figure_is_whole_when_its_runs_are_there),
      cmocka_unit_test(test_published_values_lie_on_points_of_their_figure),
      cmocka_unit_test(test_without_runs_a_figure_is_missing_and_keeps_its_published_values),
      cmocka_unit_test(test_points_are_what_the_runs_say),
      cmocka_unit_test(test_published_values_are_those_of_the_papers),
      cmocka_unit_test(test_what_cannot_exist_is_not_missing),
      cmocka_unit_test(test_maps_are_handed_on),
      cmocka_unit_test(test_the_page_of_figures_lists_every_figure_that_is_drawn_and_no_other),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
