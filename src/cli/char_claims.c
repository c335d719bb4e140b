/* See char_claims.h. Each claim is one function that looks up figures of workloads on the GPU its paper describes, and
 * fills a verdict. What a claim needs and is not in the files makes it not-measured, and the note says what. */
#include "cli/char_claims.h"

#include "base/str.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

struct claim {
  const json_t *runs;
  struct str missing;  /* workloads that are not there, with their GPU */
  struct str measured, note;
  bool holds;
};

/* ---- figures ------------------------------------------------------------------------------------------------------- */

static const json_t *row_of(struct claim *c, const char *gpu, const char *workload) {
  const json_t *row = json_object_get(json_object_get(c->runs, gpu), workload);
  if (row && json_is_true(json_object_get(row, "output_ok"))) return row;
  struct str what = {0};
  str_add(&what, "%s on %s", workload, gpu);
  if (!c->missing.s || !strstr(c->missing.s, what.s)) str_add(&c->missing, "%s%s", c->missing.n ? ", " : "", what.s);
  str_free(&what);
  return NULL;
}

/* A number in a row, by a path with '>' between steps; NAN where it is not. */
static double number(struct claim *c, const char *gpu, const char *workload, const char *path) {
  const json_t *at = row_of(c, gpu, workload);
  for (const char *step; at && (step = strchr(path, '>')); path = step + 1)
    at = json_object_getn(at, path, (size_t)(step - path));
  at = at ? json_object_get(at, path) : NULL;
  return json_is_number(at) ? json_number_value(at) : NAN;
}

static double mean_of(struct claim *c, const char *gpu, const char *const *names, const char *path) {
  double sum = 0;
  unsigned n = 0;
  for (; names[n]; n++) sum += number(c, gpu, names[n], path);
  return sum / n;
}

static void ranks(const double *v, unsigned n, double *out) {
  for (unsigned i = 0; i < n; i++) {
    unsigned less = 0, same = 0;
    for (unsigned k = 0; k < n; k++) less += v[k] < v[i], same += v[k] == v[i];
    out[i] = less + (same - 1) / 2.0;
  }
}

static double spearman(const double *a, const double *b, unsigned n) {
  double x[MOST], y[MOST], xy = 0, xx = 0, yy = 0;
  ranks(a, n, x);
  ranks(b, n, y);
  for (unsigned i = 0; i < n; i++) {
    double dx = x[i] - (n - 1) / 2.0, dy = y[i] - (n - 1) / 2.0;
    xy += dx * dy, xx += dx * dx, yy += dy * dy;
  }
  return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : 0;
}

/* ---- tag-split cache ----------------------------------------------------------------------------------------------- */

static void claim_t01(struct claim *c) {
  double v = 100 * number(c, "gtx480", "mummergpu", "probes>lines>quarter_of_reused");
  str_add(&c->measured, "%.1f %%", v);
  c->holds = fabs(v - 90.3) <= 10;
}

/* More than half of the lines with more than two of four chunks reused. */
static void claim_t02(struct claim *c) {
  static const char *const suite[] = {"bfs",      "cfd",   "kmeans", "mummergpu", "particlefilter", "srad_v2", "spmv", "b+tree",
                                      "dwt2d", "gaussian", "srad_v1", "streamcluster", "histo", "mri-gridding", "stencil", NULL};
  bool others = false, histo = false;
  for (unsigned i = 0; suite[i]; i++) {
    double three = number(c, "gtx480", suite[i], "probes>lines>reused>3/4");
    double share = three + number(c, "gtx480", suite[i], "probes>lines>reused>4/4");
    double some = 1 - number(c, "gtx480", suite[i], "probes>lines>reused>0");
    bool is_histo = !strcmp(suite[i], "histo");
    if (is_histo) str_add(&c->note, "histo: %.1f %% of all lines, %.1f %% of the reused", 100 * share, some > 0 ? 100 * share / some : 0);
    if (!(share > 0.5)) continue;
    str_add(&c->measured, "%s%s %.0f %%", c->measured.n ? ", " : "", suite[i], 100 * share);
    if (is_histo) histo = true;
    else others = true;
  }
  if (!c->measured.n) str_add(&c->measured, "none");
  c->holds = histo && !others;
}

static void claim_t09(struct claim *c) {
  static const char *const gpus[] = {"gtx480,l1.org=line32", "gtx480,l1.org=line64", "gtx480"};
  c->holds = true;
  for (unsigned i = 0; i < 3; i++) {
    double v = 100 * number(c, gpus[i], "stencil", "load_miss_rate");
    str_add(&c->measured, "%s%.1f %%", i ? " / " : "", v);
    c->holds = c->holds && v > 90;
  }
}

/* ---- un-coalesced loads -------------------------------------------------------------------------------------------- */

static void claim_b01(struct claim *c) {
  double all = number(c, "gtx480-bucl", "kmn", "probes>coalescing>loads");
  double accesses = number(c, "gtx480-bucl", "kmn", "probes>coalescing>accesses");
  double n = number(c, "gtx480-bucl", "kmn", "probes>coalescing>degrees>32");
  double loads = 100 * n / all, made = 100 * 32 * n / accesses;
  str_add(&c->measured, "%.1f %% / %.1f %%", loads, made);
  c->holds = fabs(loads - 50) <= 10 && fabs(made - 97) <= 10;
}

static void claim_b02(struct claim *c) {
  static const char *const suite[] = {"kmn", "bfs", "particlefilter", "gaussian", "sssp", "backprop", "b+tree", "nw", "2dconv", "myocyte"};
  unsigned right = 0;
  for (unsigned i = 0; i < 10; i++) {
    double v = number(c, "gtx480-bucl", suite[i], "probes>coalescing>above_2");
    bool ok = (v > 0.1) == (i < 5);
    right += ok;
    str_add(&c->note, "%s%s %.0f %%%s", i ? ", " : "", suite[i], 100 * v, ok ? "" : " (!)");
  }
  str_add(&c->measured, "%u of 10", right);
  c->holds = right >= 9;
}

/* ---- adaptive last-level cache ------------------------------------------------------------------------------------- */

static void claim_a09(struct claim *c) {
  static const char *const private_[] = {"alexnet", "resnet", "squeezenet", "nn-fc", "matrixmul", NULL};
  static const char *const shared[] = {"lud", "sp", "3dconv", "b+tree", "gemm", "backprop", NULL};
  static const char *const neutral[] = {"blackscholes", "dwt2d", "mergesort", "binomialoptions", "histogram", "vectoradd", NULL};
  const char *path = "probes>sharing>shared";
  double p = mean_of(c, "gpu80", private_, path), s = mean_of(c, "gpu80", shared, path), n = mean_of(c, "gpu80", neutral, path);
  str_add(&c->measured, "%.0f / %.0f / %.0f %%", 100 * p, 100 * s, 100 * n);
  const char *const *groups[] = {private_, shared, neutral};
  for (unsigned g = 0; g < 3; g++)
    for (unsigned i = 0; groups[g][i]; i++)
      str_add(&c->note, "%s%s %.0f %%", i ? ", " : g ? "; " : "", groups[g][i], 100 * number(c, "gpu80", groups[g][i], path));
  c->holds = p > s && s > n && p > 0.5;
}

/* ---- data filtering ------------------------------------------------------------------------------------------------ */

/* In bytes: the figure speaks of actual usage, and the thesis counts in sub-blocks of 32 bytes only after it. */
static void claim_d01(struct claim *c) {
  static const char *const suite[] = {"backprop", "bfs", "cfd", "dwt2d", "gaussian", "heartwall", "hotspot", "hybridsort", "kmeans",
                                      "lavamd", "lud", "mummergpu", "myocyte", "nn", "nw", "particlefilter", "pathfinder", "srad_v1",
                                      "srad_v2", "streamcluster", "apsp", "ccl", "gco", "gcu", "ii", "km", "mm", "pvc", "pvr", "sm",
                                      "ss", "wc", NULL};
  double v = 100 * mean_of(c, "mesh56", suite, "probes>lines>used_bytes_share");
  str_add(&c->measured, "%.1f %%", v);
  str_add(&c->note, "in whole sub-blocks of 32 bytes %.1f %%", 100 * mean_of(c, "mesh56", suite, "probes>lines>used_share"));
  c->holds = fabs(v - 40) <= 12;
}

/* The workloads that the text names as poor users of their lines: the figure's own list is not in the text. */
static void claim_d02(struct claim *c) {
  static const char *const group[] = {"cfd", "gaussian", "myocyte", "ii", "sm", "ss", NULL};
  double v = 100 * mean_of(c, "mesh56", group, "probes>consistency>partial_consistent");
  str_add(&c->measured, "%.1f %%", v);
  for (unsigned i = 0; group[i]; i++)
    str_add(&c->note, "%s%s %.0f %%", i ? ", " : "", group[i],
            100 * number(c, "mesh56", group[i], "probes>consistency>partial_consistent"));
  c->holds = v >= 80;
}

/* ---- cooperative caching ------------------------------------------------------------------------------------------- */

static const struct {
  const char *workload;
  double percent; /* Table I */
} table_i[] = {{"mm", 4}, {"ss", 28}, {"cfd", 51}, {"pvr", 32}, {"streamcluster", 18}, {"bfs", 3}, {"dwt2d", 7}, {"lbm", 0},
               {"km", 24}, {"hybridsort", 1}, {"pbfs", 6}, {"lavamd", 1}, {"histo", 1}, {"sm", 3}, {"myocyte", 1}, {"nw", 8},
               {"b+tree", 25}, {"ii", 2}, {"particlefilter", 8}, {"leukocyte", 1}, {"wc", 54}, {"sad", 3}, {"srad_v1", 15},
               {"srad_v2", 16}, {"mri-gridding", 2}, {"kmeans", 0}, {"lud", 28}, {"stencil", 6}, {"heartwall", 0}, {"backprop", 3},
               {"hotspot", 29}, {"cutcp", 78}, {"mri-q", 0}, {"tpacf", 19}};
enum { TABLE_I = sizeof table_i / sizeof *table_i };

static void claim_c01(struct claim *c) {
  double theirs[TABLE_I], ours[TABLE_I], sum = 0;
  for (unsigned i = 0; i < TABLE_I; i++) {
    theirs[i] = table_i[i].percent;
    ours[i] = 100 * number(c, "gtx480-ccn", table_i[i].workload, "probes>reuse>coefficient");
    sum += ours[i];
    str_add(&c->note, "%s%s %.0f (%.0f)", i ? ", " : "measured (published): ", table_i[i].workload, ours[i], theirs[i]);
  }
  double r = spearman(theirs, ours, TABLE_I);
  str_add(&c->measured, "Spearman %.2f, mean %.0f %%", r, sum / TABLE_I);
  c->holds = r >= 0.8;
}

/* Mean share of an SM's misses that an SM at each distance could answer; by[0] is not used. SMs are in a ring, as CTAs are
 * dealt out to them: the last is a neighbour of the first. Returns how many distances there are, with 0. */
static unsigned by_distance(struct claim *c, const char *workload, double *by, double *variation) {
  const json_t *row = row_of(c, "gtx480-ccn", workload);
  const json_t *map = json_object_get(json_object_get(json_object_get(row, "probes"), "reuse"), "map");
  size_t n = json_array_size(map) < MOST ? json_array_size(map) : MOST;
  double sum = 0, squares = 0, pairs = (double)(n * (n - 1));
  for (size_t d = 0; d < n; d++) by[d] = 0;
  for (size_t i = 0; i < n * n; i++) {
    size_t x = i / n, y = i % n, d = (x + n - y) % n;
    d = d < n - d ? d : n - d;
    double v = json_number_value(json_array_get(json_array_get(map, x), y));
    if (!d) continue;
    by[d] += v / (double)(2 * d == n ? n : 2 * n);
    sum += v, squares += v * v;
  }
  double mean = sum / pairs;
  *variation = mean > 0 ? sqrt(fabs(squares / pairs - mean * mean)) / mean : INFINITY;
  return (unsigned)(n / 2 + (n > 0));
}

static unsigned largest(const double *by, unsigned n) {
  unsigned at = 1;
  for (unsigned d = 2; d < n; d++) at = by[d] > by[at] ? d : at;
  return at;
}

/* cutcp: the largest at distance 4. dwt2d: at distance 1, twice the mean of the rest. km: falls with distance (rank
 * correlation -0.8 or less). tpacf: deviation under 30 % of the mean. */
static void claim_c21(struct claim *c) {
  double by[MOST], variation, distance[MOST], rest = 0;
  for (unsigned d = 0; d < MOST; d++) distance[d] = d;
  unsigned n = by_distance(c, "cutcp", by, &variation), shapes = 0;
  unsigned at = n > 1 ? largest(by, n) : 0;
  shapes += at == 4;
  str_add(&c->note, "cutcp: most at distance %u (%.1f %%)", at, n > 1 ? 100 * by[at] : 0);
  n = by_distance(c, "dwt2d", by, &variation);
  for (unsigned d = 2; d < n; d++) rest += by[d] / (n - 2);
  shapes += n > 1 && largest(by, n) == 1 && by[1] > 2 * rest;
  str_add(&c->note, "; dwt2d: %.1f %% at distance 1, %.1f %% beyond", n > 1 ? 100 * by[1] : 0, 100 * rest);
  n = by_distance(c, "km", by, &variation);
  double falls = n > 2 ? spearman(distance + 1, by + 1, n - 1) : 0;
  shapes += falls <= -0.8;
  str_add(&c->note, "; km: rank correlation with distance %.2f", falls);
  by_distance(c, "tpacf", by, &variation);
  shapes += variation < 0.3;
  str_add(&c->note, "; tpacf: deviation %.0f %% of the mean", 100 * variation);
  str_add(&c->measured, "%u of 4", shapes);
  c->holds = shapes >= 3;
}

/* ---- all ----------------------------------------------------------------------------------------------------------- */

static const struct {
  const char *id, *published;
  void (*check)(struct claim *c);
} claims[] = {
    {"T01", "90.3 %", claim_t01},
    {"T02", "histo only", claim_t02},
    {"T09", "about 100 %", claim_t09},
    {"B01", "about 50 % / 97 %", claim_b01},
    {"B02", "10 of 10", claim_b02},
    {"A09", "over 60 / about 20 / about 0 %", claim_a09},
    {"D01", "about 40 %", claim_d01},
    {"D02", "about 90 %", claim_d02},
    {"C01", "78 % cutcp .. 0 % lbm, mean 14 %", claim_c01},
    {"C21", "4 shapes", claim_c21},
};

json_t *char_claims(const json_t *runs) {
  json_t *list = json_array();
  for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
    struct claim c = {.runs = runs};
    claims[i].check(&c);
    bool there = !c.missing.n;
    json_t *o = json_object();
    json_object_set_new(o, "id", json_string(claims[i].id));
    json_object_set_new(o, "published", json_string(claims[i].published));
    json_object_set_new(o, "measured", json_string(there ? c.measured.s : ""));
    json_object_set_new(o, "verdict", json_string(!there ? "not-measured" : c.holds ? "reproduced" : "differs"));
    struct str missing = {0};
    if (!there) str_add(&missing, "missing: %s", c.missing.s);
    json_object_set_new(o, "note", json_string(!there ? missing.s : c.note.s ? c.note.s : ""));
    json_array_append_new(list, o);
    str_free(&missing);
    str_free(&c.missing);
    str_free(&c.measured);
    str_free(&c.note);
  }
  return list;
}

json_t *char_read_files(char *const *paths, struct err *e) {
  json_t *runs = json_object();
  for (; *paths; paths++) {
    json_error_t why;
    json_t *file = json_load_file(*paths, 0, &why), *rows = json_object_get(file, "workloads");
    const char *gpu = json_string_value(json_object_get(file, "gpu")), *set = json_string_value(json_object_get(file, "set"));
    if (!gpu || !rows) {
      err_set(e, ERR_INPUT, "%s is no file of `heddle characterize --json`%s%s", *paths, file ? "" : ": ", file ? "" : why.text);
      json_decref(file);
      json_decref(runs);
      return NULL;
    }
    struct str key = {0};
    str_add(&key, "%s%s%s", gpu, set && *set ? "," : "", set ? set : "");
    if (!json_object_get(runs, key.s)) json_object_set_new(runs, key.s, json_object());
    json_object_update(json_object_get(runs, key.s), rows);
    str_free(&key);
    json_decref(file);
  }
  return runs;
}
