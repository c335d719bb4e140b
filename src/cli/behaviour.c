/* See behaviour.h. One table row a column: how far a workload may be from its original; and one column a compressor. */
#include "cli/behaviour.h"

#include "base/str.h"
#include "compress/compress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum bound { SHOWN /* no bound */, EQUAL, RELATIVE, POINTS };

/* What a figure is compared with: any row; one of the same size of the input; one that is timed too, or is not either. */
enum compared { ANY, OF_SIZE, OF_TIMING };

static const struct column {
  const char *name;
  enum bound bound;
  double by;         /* share of the original's, or points of a percentage */
  enum compared with;
} fixed[] = {
    {"launches", EQUAL, 0, OF_SIZE},       {"grid", EQUAL, 0, OF_SIZE},           {"block", EQUAL, 0, ANY},
    {"registers", SHOWN, 0, ANY},     {"shared_bytes", SHOWN, 0, ANY},  {"ctas_per_sm", EQUAL, 0, ANY},
    {"instructions", RELATIVE, 15, ANY},
    {"global_loads", RELATIVE, 15, ANY},  {"global_stores", RELATIVE, 15, ANY}, {"global_atomics", RELATIVE, 15, ANY},
    {"local_loads", RELATIVE, 15, ANY},   {"local_stores", RELATIVE, 15, ANY},
    {"shared_loads", RELATIVE, 15, ANY},  {"shared_stores", RELATIVE, 15, ANY},
    {"constant_loads", RELATIVE, 15, ANY}, {"texture_loads", RELATIVE, 15, ANY},
    {"lines", RELATIVE, 5, ANY},
    {"lines_1", POINTS, 5, ANY},      {"lines_2", POINTS, 5, ANY},      {"lines_3_8", POINTS, 5, ANY},
    {"lines_9_16", POINTS, 5, ANY},   {"lines_17_31", POINTS, 5, ANY},  {"lines_32", POINTS, 5, ANY},
    {"touched_bytes", RELATIVE, 10, OF_SIZE},
    {"reuse_q1", SHOWN, 0, OF_TIMING},      {"reuse_q2", SHOWN, 0, OF_TIMING},      {"reuse_q3", SHOWN, 0, OF_TIMING},
    {"l1_hits", POINTS, 5, OF_TIMING},      {"l2_hits", POINTS, 5, OF_TIMING},      {"sm_shared", POINTS, 5, OF_TIMING},
    {"double", POINTS, 5, ANY},       {"atomics", POINTS, 5, ANY},      {"textures", POINTS, 5, ANY},
};
enum { FIXED = sizeof fixed / sizeof *fixed };

static unsigned n_columns(void) {
  unsigned n = 0;
  while (compressors[n]) n++;
  return FIXED + n;
}
/* After the others, the share of bytes that each compressor saves. */
static struct column column(unsigned i) {
  return i < FIXED ? fixed[i] : (struct column){compressors[i - FIXED]->policy.name, POINTS, 5, OF_TIMING};
}

/* ---- from a report -------------------------------------------------------------------------------------------------------- */

static double number(const json_t *o, const char *group, const char *name) {
  return json_number_value(json_object_get(group ? json_object_get(o, group) : o, name));
}
static double product(const json_t *shape) {
  double n = 1;
  for (size_t i = 0; i < json_array_size(shape); i++) n *= json_number_value(json_array_get(shape, i));
  return n;
}

struct sum { /* of all launches of a name */
  const json_t *largest; /* the launch with the most threads */
  bool timed;
  double launches, threads, lanes, l1_hits, l1_reads, l2_hits, l2_accesses;
};

static double threads_of(const json_t *k) { return product(json_object_get(k, "grid")) * product(json_object_get(k, "block")); }

/* A row may stand for several launches; without timing it says how many threads they had. */
static void add_launch(struct sum *s, const json_t *k) {
  const json_t *all = json_object_get(k, "threads");
  double launches = json_object_get(k, "launches") ? number(k, NULL, "launches") : 1;
  if (!s->largest || threads_of(k) > threads_of(s->largest)) s->largest = k;
  s->launches += launches;
  s->threads += all ? json_number_value(all) : launches * threads_of(k);
  s->lanes += number(k, NULL, "thread_instructions");
  s->l1_hits += number(k, "l1d", "hits");
  s->l1_reads += number(k, "l1d", "reads");
  s->l2_hits += number(k, "l2", "hits");
  s->l2_accesses += number(k, "l2", "accesses");
}

static void put(json_t *o, const char *name, double v) { json_object_set_new(o, name, json_real(v)); }
static double share(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

static void put_shape(json_t *o, const char *name, const json_t *shape) {
  char text[48];
  snprintf(text, sizeof text, "%.0fx%.0fx%.0f", json_number_value(json_array_get(shape, 0)),
           json_number_value(json_array_get(shape, 1)), json_number_value(json_array_get(shape, 2)));
  json_object_set_new(o, name, json_string(text));
}

static void put_launches(json_t *o, const struct sum *s) {
  put(o, "launches", s->launches);
  put_shape(o, "grid", json_object_get(s->largest, "grid"));
  put_shape(o, "block", json_object_get(s->largest, "block"));
  put(o, "registers", number(s->largest, NULL, "registers"));
  put(o, "shared_bytes", number(s->largest, NULL, "shared_bytes"));
  put(o, "ctas_per_sm", number(s->largest, NULL, "ctas_per_sm"));
  put(o, "instructions", s->lanes / s->threads);
  if (!s->timed) return;
  put(o, "l1_hits", share(s->l1_hits, s->l1_reads));
  put(o, "l2_hits", share(s->l2_hits, s->l2_accesses));
}

static void put_accesses(json_t *o, const json_t *probe, const struct sum *s) {
  static const char *const from[][2] = {
      {"global_loads", "global_load"}, {"global_stores", "global_store"}, {"global_atomics", "global_atomic"},
      {"local_loads", "local_load"}, {"local_stores", "local_store"}, {"shared_loads", "shared_load"},
      {"shared_stores", "shared_store"}, {"constant_loads", "constant_load"}, {"texture_loads", "texture_load"}};
  static const char *const lines[][2] = {{"lines_1", "1"}, {"lines_2", "2"}, {"lines_3_8", "3-8"}, {"lines_9_16", "9-16"},
                                         {"lines_17_31", "17-31"}, {"lines_32", "32"}};
  static const char *const shares[][2] = {{"double", "double"}, {"atomics", "atomic"}, {"textures", "texture"}};
  for (unsigned i = 0; i < sizeof from / sizeof *from; i++) put(o, from[i][0], number(probe, "lanes", from[i][1]) / s->threads);
  put(o, "lines", number(probe, NULL, "mean_lines"));
  for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++) put(o, lines[i][0], 100 * number(probe, "lines", lines[i][1]));
  for (unsigned i = 0; i < sizeof shares / sizeof *shares; i++) put(o, shares[i][0], 100 * number(probe, NULL, shares[i][1]));
  put(o, "touched_bytes", number(probe, NULL, "touched_bytes"));
  if (!s->timed) return;
  put(o, "reuse_q1", number(probe, "reuse_distance", "q1"));
  put(o, "reuse_q2", number(probe, "reuse_distance", "q2"));
  put(o, "reuse_q3", number(probe, "reuse_distance", "q3"));
}

static void put_traffic(json_t *o, const json_t *probe, bool timed) {
  if (timed) put(o, "sm_shared", 100 * number(probe, NULL, "shared"));
  for (const struct compressor *const *c = compressors; *c; c++)
    put(o, (*c)->policy.name, 100 * number(probe, "saved", (*c)->policy.name));
}

json_t *behaviour_of(const json_t *report) {
  const json_t *launches = json_object_get(report, "kernels"), *probes = json_object_get(report, "probes");
  const char *mode = json_string_value(json_object_get(report, "mode")), *name;
  bool timed = !mode || strcmp(mode, "functional") != 0;
  json_t *list = json_array(), *k;
  json_object_foreach(json_object_get(probes, "kernels"), name, k) {
    struct sum s = {.timed = timed};
    json_t *launch, *o = json_object();
    size_t i;
    json_array_foreach(launches, i, launch)
      if (!strcmp(json_string_value(json_object_get(launch, "name")), name)) add_launch(&s, launch);
    json_object_set_new(o, "kernel", json_string(name));
    put_launches(o, &s);
    put_accesses(o, k, &s);
    put_traffic(o, json_object_get(json_object_get(probes, "kernel-traffic"), name), timed);
    json_array_append_new(list, o);
  }
  return list;
}

/* ---- tables ---------------------------------------------------------------------------------------------------------------- */

static void text_of(const json_t *v, char *out, size_t size) {
  if (!v) snprintf(out, size, "%s", "");
  else if (json_is_string(v)) snprintf(out, size, "%s", json_string_value(v));
  else snprintf(out, size, fabs(json_number_value(v)) < 1000 ? "%.4g" : "%.0f", json_number_value(v));
}

void behaviour_titles(FILE *out) {
  fprintf(out, "workload\tsize\tkernel");
  for (unsigned i = 0; i < n_columns(); i++) fprintf(out, "\t%s", column(i).name);
  fprintf(out, "\n");
}

void behaviour_lines(FILE *out, const char *name, const char *size, const json_t *kernels) {
  json_t *k;
  size_t i;
  json_array_foreach(kernels, i, k) {
    fprintf(out, "%s\t%s\t%s", name, size, json_string_value(json_object_get(k, "kernel")));
    for (unsigned c = 0; c < n_columns(); c++) {
      char text[64];
      text_of(json_object_get(k, column(c).name), text, sizeof text);
      fprintf(out, "\t%s", text);
    }
    fprintf(out, "\n");
  }
}

/* The fields of a line, which it cuts up; the first line's are the titles. */
static json_t *fields_of(char *line, const json_t *titles) {
  json_t *row = titles ? json_object() : json_array();
  char *rest = line, *field;
  line[strcspn(line, "\n")] = 0;
  for (size_t i = 0; (field = strsep(&rest, "\t")); i++) {
    const char *title = titles ? json_string_value(json_array_get(titles, i)) : NULL;
    if (!titles) json_array_append_new(row, json_string(field));
    else if (title) json_object_set_new(row, title, json_string(field));
  }
  return row;
}

json_t *behaviour_read(const char *path, struct err *e) {
  FILE *in = fopen(path, "r");
  if (!in) {
    err_set(e, ERR_INPUT, "cannot read %s", path);
    return NULL;
  }
  json_t *rows = json_array(), *titles = NULL;
  char *line = NULL;
  size_t capacity = 0;
  while (getline(&line, &capacity, in) > 0) {
    if (*line == '#' || *line == '\n') continue;
    if (titles) json_array_append_new(rows, fields_of(line, titles));
    else titles = fields_of(line, NULL);
  }
  free(line);
  fclose(in);
  const char *first = json_string_value(json_array_get(titles, 0));
  if (!first || strcmp(first, "workload") != 0) {
    err_set(e, ERR_INPUT, "%s is no table of originals: its first line must have the titles, the first of them 'workload'", path);
    json_decref(rows);
    rows = NULL;
  }
  json_decref(titles);
  return rows;
}

/* ---- comparing ------------------------------------------------------------------------------------------------------------- */

static const char *text(const json_t *row, const char *title) {
  const char *s = json_string_value(json_object_get(row, title));
  return s ? s : "";
}

static const json_t *row_of(const json_t *rows, const char *name, const char *size, const char *kernel) {
  json_t *row;
  size_t i;
  json_array_foreach(rows, i, row)
    if (!strcmp(text(row, "workload"), name) && !strcmp(text(row, "size"), size) &&
        (!kernel || !strcmp(text(row, "kernel"), kernel)))
      return row;
  return NULL;
}

/* Less than a twentieth of an access a thread is no difference. */
static bool inside(const struct column *c, const json_t *ours, const char *original) {
  enum { HUNDREDTHS = 5 };
  if (json_is_string(ours)) return !strcmp(json_string_value(ours), original);
  double a = json_number_value(ours), b = strtod(original, NULL), apart = fabs(a - b);
  if (c->bound == RELATIVE) return apart <= c->by / 100 * fabs(b) || apart <= HUNDREDTHS / 100.0;
  return apart <= c->by + 1e-9;
}

/* Whether a row, ours or the table's, is of a run without timing. Hits may be left empty in one that was timed, distances are not. */
static bool is_untimed(const json_t *row) {
  const json_t *v = json_object_get(row, "reuse_q1");
  return json_is_string(v) ? !*json_string_value(v) : !v;
}

/* Prints the figures of a kernel that are bounded or differ; one that the table does not have is not bounded, one that it leaves empty
 * not compared, and one that needs time only where both have it. Returns how many are outside. */
static int compare_kernel(FILE *out, const json_t *ours, const json_t *original, bool same_size) {
  int outside = 0;
  bool same_kind = is_untimed(ours) == is_untimed(original);
  for (unsigned i = 0; i < n_columns(); i++) {
    const struct column c = column(i);
    char mine[64];
    const char *theirs = text(original, c.name);
    if (json_object_get(original, c.name) && !*theirs) continue; /* left empty */
    if (c.with == OF_TIMING && (!same_kind || !json_object_get(ours, c.name))) continue;
    text_of(json_object_get(ours, c.name), mine, sizeof mine);
    if (!strcmp(mine, "0") && !strcmp(theirs, "0")) continue;
    bool bounded = c.bound != SHOWN && (same_size || c.with != OF_SIZE) && json_object_get(original, c.name);
    bool out_of = bounded && !inside(&c, json_object_get(ours, c.name), theirs);
    outside += out_of;
    fprintf(out, "  %-16s %14s %14s%s\n", c.name, mine, theirs, out_of ? "  outside" : bounded ? "" : "  not bounded");
  }
  return outside;
}

/* Rows of the workload that none of its kernels stands for. */
static int missing_kernels(FILE *out, const char *name, const char *size, const json_t *kernels, const json_t *originals) {
  json_t *row, *k;
  size_t i, n;
  int missing = 0;
  json_array_foreach(originals, i, row) {
    bool found = strcmp(text(row, "workload"), name) != 0 || strcmp(text(row, "size"), size) != 0;
    json_array_foreach(kernels, n, k)
      found = found || !strcmp(text(row, "kernel"), json_string_value(json_object_get(k, "kernel")));
    if (found) continue;
    fprintf(out, "%s %s: not launched  outside\n", name, text(row, "kernel"));
    missing++;
  }
  return missing;
}

int behaviour_compare(FILE *out, const char *name, const char *size, const json_t *kernels, const json_t *originals) {
  bool same = row_of(originals, name, size, NULL) != NULL;
  const char *against = same ? size : "paper";
  json_t *k;
  size_t i;
  if (!row_of(originals, name, against, NULL)) return -1;
  bool untimed = false;
  int outside = same ? missing_kernels(out, name, size, kernels, originals) : 0;
  json_array_foreach(kernels, i, k) {
    const char *kernel = json_string_value(json_object_get(k, "kernel"));
    const json_t *original = row_of(originals, name, against, kernel);
    if (!original) {
      fprintf(out, "%s %s: the originals have no row of it  outside\n", name, kernel);
      outside++;
      continue;
    }
    fprintf(out, "%s %s, size %s, beside its original at size %s:\n  %-16s %14s %14s\n", name, kernel, size, against, "", "here",
            "original");
    outside += compare_kernel(out, k, original, same);
    untimed |= is_untimed(k) || is_untimed(original);
  }
  if (untimed) fprintf(out, "%s: without timing hits, sharing between SMs and distances of reuse are not compared\n", name);
  fprintf(out, "%s: %d figures are outside their bounds\n", name, outside);
  return outside;
}
