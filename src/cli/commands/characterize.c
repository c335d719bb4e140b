/* heddle characterize: workloads under all probes; a table a figure, JSON, and a picture. */
#include "base/arena.h"
#include "base/output.h"
#include "cli/behaviour.h"
#include "cli/show/char_tables.h"
#include "cli/cli.h"
#include "cli/launch.h"
#include "cli/options.h"
#include "cli/show/picture.h"
#include "cli/workload_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "heddle characterize [OPTIONS] WORKLOAD...\n"
    "       heddle characterize [OPTIONS] -- PROGRAM [ARGUMENT...]\n"
    "       heddle characterize --show [-o FILE] FILE...\n\n"
    "Runs each workload with probes on (`heddle list probes`) and shows what they saw: use and reuse of L1D lines,\n"
    "un-coalesced accesses, reuse between SMs, sharing of L2 lines, working set, instruction mix. With --show, shows the\n"
    "contents of files that --json has written, all of one GPU. `heddle claims` checks what papers publish about these.\n\n"
    "With --tsv or --against, describes each kernel instead: accesses and instructions per thread, lines per instruction,\n"
    "hits, sharing, and what compressors save. --tsv writes one line of a table for each kernel; --against compares the\n"
    "kernels with the lines of such a table, and exits with status 1 if a figure is outside its bounds. --functional does\n"
    "this without timing, in a fraction of the time: hits, sharing between SMs and reuse distances are then left empty, and\n"
    "compressors see each line once per launch.\n";

/* ---- running ------------------------------------------------------------------------------------------------------- */

static json_t *ratio(const json_t *report, const char *group, const char *part, const char *whole) {
  const json_t *o = json_object_get(report, group);
  double all = json_number_value(json_object_get(o, whole));
  return json_real(all > 0 ? json_number_value(json_object_get(o, part)) / all : 0);
}

/* What is kept of a run. */
static json_t *row_of(const struct cli_result *r) {
  json_t *o = json_object();
  json_object_set_new(o, "output_ok", json_boolean(r->status == 0));
  if (cli_failed_launches(r->report) > 0) json_object_set(o, "failures", json_object_get(r->report, "failures"));
  json_object_set(o, "cycles", json_object_get(r->report, "cycles"));
  json_object_set(o, "ipc", json_object_get(r->report, "ipc"));
  json_object_set_new(o, "l1_hit_rate", ratio(r->report, "l1d", "hits", "reads"));
  json_object_set_new(o, "load_miss_rate", ratio(r->report, "l1d", "missed_instructions", "load_instructions"));
  json_object_set_new(o, "l2_hit_rate", ratio(r->report, "l2", "hits", "accesses"));
  json_object_set(o, "probes", json_object_get(r->report, "probes"));
  json_t *behaviour = behaviour_of(r->report);
  if (json_array_size(behaviour)) json_object_set(o, "behaviour", behaviour);
  json_decref(behaviour);
  return o;
}

static int measure_one(const struct cli_launch *l, const char *name, json_t *rows) {
  struct cli_result res;
  struct err e = {0};
  if (!cli_launch(l, &res, &e)) return cli_fail(&e);
  if (res.signal) json_decref(res.report);
  if (res.signal) return 128 + res.signal;
  if (!res.report) return res.status ? res.status : CLI_NO;
  if (res.status && l->program) fprintf(stderr, "heddle: %s: its program ended with status %d\n", name, res.status);
  else if (res.status) fprintf(stderr, "heddle: %s: the output is wrong\n", name);
  json_object_set_new(rows, name, row_of(&res));
  cli_warn_of_failures(res.report);
  bool failed = res.status || cli_failed_launches(res.report) > 0;
  json_decref(res.report);
  return failed ? CLI_NO : CLI_OK;
}

/* Workloads, or one program after "--". */
static int measure(struct cli_launch *l, char **names, struct lab_programs *table, json_t *rows) {
  if (!strcmp(*names, "--")) {
    const char *slash = names[1] ? strrchr(names[1], '/') : NULL;
    l->argv = names + 1;
    return measure_one(l, slash ? slash + 1 : names[1], rows);
  }
  int status = CLI_OK;
  struct err e = {0};
  for (char **w = names; *w; w++) /* all are known before the first runs */
    if (!cli_launch_workload(l, *w, table, &e)) return cli_fail(&e);
  for (; *names; names++) {
    size_t had = json_object_size(rows);
    cli_launch_workload(l, *names, table, &e);
    int one = measure_one(l, l->workload, rows);
    if (json_object_size(rows) == had) return one;
    status = one ? one : status;
  }
  return status;
}

/* ---- text ---------------------------------------------------------------------------------------------------------- */

static unsigned columns_of(const struct char_table *t) {
  unsigned n = 0;
  while (n < CHAR_COLUMNS && t->columns[n].title) n++;
  return n;
}

/* Columns that are 0 or missing in every row are left out of long tables. */
static bool shown(const struct char_table *t, unsigned column, json_t *rows) {
  const char *name;
  json_t *row;
  if (columns_of(t) <= 11) return true;
  json_object_foreach(rows, name, row)
    if (json_number_value(char_value(json_object_get(row, "probes"), t, &t->columns[column])) >= 0.0005) return true;
  return false;
}

static bool measured(const struct char_table *t, json_t *rows) {
  json_t *first = json_object_iter_value(json_object_iter(rows));
  return json_object_get(json_object_get(first, "probes"), t->probe) != NULL;
}

/* One line a workload; "-" where its probe was off. */
static void print_summary(json_t *rows) {
  static const struct char_table t = {.columns = {{"L1D hits", "l1_hit_rate", true},
                                                  {"L2 hits", "l2_hit_rate", true},
                                                  {"degree > 2", "probes>coalescing>above_2", true},
                                                  {"line used", "probes>lines>used_share", true},
                                                  {"SM reuse", "probes>reuse>coefficient", true},
                                                  {"L2 shared", "probes>sharing>shared", true},
                                                  {"KiB", "probes>working-set>footprint_kib", false},
                                                  {0}}};
  const char *name;
  json_t *row;
  printf("Summary: hits, loads of more than two lines, share of a line used, misses that another SM could answer,\n"
         "L2 lines that several clusters touch at a time, memory that loads touch\n%-16s", "");
  for (unsigned i = 0; i < columns_of(&t); i++) printf(" %11s", t.columns[i].title);
  printf("\n");
  json_object_foreach(rows, name, row) {
    printf("%-16s", name);
    for (unsigned i = 0; i < columns_of(&t); i++) {
      char text[24];
      char_text(char_value(row, &t, &t.columns[i]), &t.columns[i], text, sizeof text);
      printf(" %11s", text);
    }
    printf("\n");
  }
}

static void print_table(const struct char_table *t, json_t *rows) {
  const char *name;
  json_t *row;
  printf("\n%s: %s\n%-16s", t->title, t->about, "");
  for (unsigned i = 0; i < columns_of(t); i++)
    if (shown(t, i, rows)) printf(" %11s", t->columns[i].title);
  printf("\n");
  json_object_foreach(rows, name, row) {
    printf("%-16s", name);
    for (unsigned i = 0; i < columns_of(t); i++) {
      char text[24];
      if (!shown(t, i, rows)) continue;
      char_text(char_value(json_object_get(row, "probes"), t, &t->columns[i]), &t->columns[i], text, sizeof text);
      printf(" %11s", text);
    }
    printf("\n");
  }
}

/* ---- picture ------------------------------------------------------------------------------------------------------- */

static void draw_row(struct picture *p, const struct char_table *t, const char *name, const json_t *row) {
  double v[CHAR_COLUMNS], most = 0;
  char text[CHAR_COLUMNS][24];
  unsigned n = columns_of(t);
  for (unsigned i = 0; i < n; i++) {
    const json_t *value = char_value(json_object_get(row, "probes"), t, &t->columns[i]);
    v[i] = json_is_number(value) ? json_number_value(value) : -1;
    most = v[i] > most ? v[i] : most;
    char_text(value, &t->columns[i], text[i], sizeof text[i]);
  }
  for (unsigned i = 0; i < n && t->kind == CHAR_SCALE && most > 0; i++) v[i] /= most;
  if (t->kind == CHAR_STACK) picture_stack(p, name, v, n);
  else picture_cells(p, name, v, text, n);
}

static void draw_table(struct picture *p, const struct char_table *t, json_t *rows) {
  const char *names[CHAR_COLUMNS], *name;
  char titles[CHAR_COLUMNS][24];
  double none[CHAR_COLUMNS];
  json_t *row;
  unsigned n = columns_of(t);
  for (unsigned i = 0; i < n; i++) {
    names[i] = t->columns[i].title;
    snprintf(titles[i], sizeof titles[i], "%s", names[i]);
    none[i] = -1;
  }
  picture_title(p, t->title, t->about);
  if (t->kind == CHAR_STACK) picture_legend(p, names, n);
  else picture_cells(p, "", none, titles, n);
  json_object_foreach(rows, name, row) draw_row(p, t, name, row);
}

static void draw_maps(struct picture *p, json_t *rows) {
  const char *name;
  json_t *row;
  picture_title(p, "Reuse between SMs", "x: the SM whose load missed; y: the SM whose L1D had the line");
  json_object_foreach(rows, name, row) {
    json_t *map = json_object_get(json_object_get(json_object_get(row, "probes"), "reuse"), "map");
    size_t n = json_array_size(map);
    double *values = must_alloc((n * n + 1) * sizeof *values);
    for (size_t i = 0; i < n * n; i++)
      values[i] = json_number_value(json_array_get(json_array_get(map, i / n), i % n));
    if (n) picture_map(p, name, values, (unsigned)n);
    free(values);
  }
}

static bool draw(json_t *rows, const char *path, struct err *e) {
  struct picture p = {0};
  for (const struct char_table *t = char_tables; t->title; t++)
    if (measured(t, rows)) draw_table(&p, t, rows);
  json_t *first = json_object_iter_value(json_object_iter(rows));
  if (json_object_get(json_object_get(first, "probes"), "reuse")) draw_maps(&p, rows);
  return picture_write(&p, path, "Workloads, characterized by heddle", e);
}

/* ---- kernel by kernel ----------------------------------------------------------------------------------------------- */

static bool write_behaviour(const char *path, const char *size, json_t *rows, struct err *e) {
  FILE *out = output_open(path, e);
  const char *name;
  json_t *row;
  if (!out) return false;
  behaviour_titles(out);
  json_object_foreach(rows, name, row) behaviour_lines(out, name, size, json_object_get(row, "behaviour"));
  return output_close(out, path, e);
}

static int compare_behaviour(const char *path, const char *size, json_t *rows, struct err *e) {
  json_t *originals = behaviour_read(path, e), *row;
  const char *name;
  int status = CLI_OK;
  if (!originals) return CLI_USAGE;
  json_object_foreach(rows, name, row) {
    int outside = behaviour_compare(stdout, name, size, json_object_get(row, "behaviour"), originals);
    if (outside < 0) err_set(e, ERR_INPUT, "%s has no row for %s", path, name);
    if (outside) status = CLI_NO;
  }
  json_decref(originals);
  return status;
}

static int show_behaviour(const char *tsv, const char *against, const char *size, json_t *rows) {
  struct err e = {0};
  int status = CLI_OK;
  if (tsv) write_behaviour(tsv, size, rows, &e);
  if (against && !e.kind) status = compare_behaviour(against, size, rows, &e);
  return e.kind ? cli_fail(&e) : status;
}

/* ---- the command --------------------------------------------------------------------------------------------------- */

static int show(const struct cli_launch *l, json_t *rows, const char *json, const char *picture) {
  json_t *root = json_object();
  struct err e = {0};
  print_summary(rows);
  for (const struct char_table *t = char_tables; t->title; t++)
    if (measured(t, rows)) print_table(t, rows);
  json_object_set_new(root, "gpu", json_string(l->gpu));
  json_object_set_new(root, "set", json_string(l->set.s ? l->set.s : ""));
  json_object_set_new(root, "size", json_string(l->size ? l->size : "small"));
  json_object_set(root, "workloads", rows);
  if (json) output_json(root, json, JSON_INDENT(1) | JSON_REAL_PRECISION(6), &e);
  if (picture) draw(rows, picture, &e);
  json_decref(root);
  return e.kind ? cli_fail(&e) : CLI_OK;
}

/* Files of --json (several may be of one GPU) as {"gpu": {"workload": row}}; the key is "gpu" or "gpu,KEY=VALUE" with
 * settings. NULL with e filled if one cannot be read. */
static json_t *read_files(char *const *paths, struct err *e) {
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

static int show_files(char *const *paths, const struct cli_launch *l, const char *json, const char *picture) {
  struct err e = {0};
  json_t *runs = read_files(paths, &e);
  if (!runs) return cli_fail(&e);
  int status = CLI_USAGE;
  if (json_object_size(runs) == 1) status = show(l, json_object_iter_value(json_object_iter(runs)), json, picture);
  else fprintf(stderr, "heddle: the files are of %zu GPUs or settings; show those of one at a time\n", json_object_size(runs));
  json_decref(runs);
  return status;
}

int cli_characterize(int argc, char **argv) {
  CLI_LAUNCH l = {.quiet = true, .gpu = "gtx480", .probe = "all"};
  CLI_PROGRAMS table = {0};
  struct err e = {0};
  const char *json = NULL, *picture = NULL, *tsv = NULL, *against = NULL, *programs = NULL;
  bool files = false;
  const struct cli_option options[] = {
      {"--gpu", "NAME|FILE", "the GPU; default gtx480", .text = &l.gpu},
      {"--set", "KEY=VALUE", "change a setting; may be repeated", .list = &l.set},
      {"--size", "small|medium|paper", "size of the workloads' inputs; default small", .text = &l.size},
      {"--probe", "NAME,...", "use only these probes; default all", .text = &l.probe},
      {"--functional", NULL, "run without timing; with --tsv or --against", .flag = &l.functional},
      {"--tsv", "FILE", "write one line for each kernel", .output = &tsv},
      {"--against", "FILE", "compare with such a table, of original programs (workloads/originals.tsv)", .text = &against},
      {CLI_PROGRAMS_OPTION, .text = &programs},
      {"--show", NULL, "show files written by --json, and run nothing", .flag = &files},
      {"--json", "FILE", "write the figures", .output = &json},
      {"-o", "FILE", "draw the figures, as .svg or .html", .output = &picture},
      {0},
  };
  int status = cli_options(usage, options, &argc, argv);
  if (status >= 0) return status;
  if (argc < 2) {
    fprintf(stderr, "heddle: %s are expected; `heddle characterize --help` says more\n", files ? "files" : "workloads");
    return CLI_USAGE;
  }
  if (programs && against) {
    fprintf(stderr, "heddle: --against sets workloads beside their originals; of programs, --tsv writes what can be such a table\n");
    return CLI_USAGE;
  }
  if (l.functional && !tsv && !against) {
    fprintf(stderr, "heddle: --functional has no cycles: --tsv and --against are what can be measured without them\n");
    return CLI_USAGE;
  }
  if (!cli_programs(programs, &table, &e)) return cli_fail(&e);
  if (files) return show_files(argv + 1, &l, json, picture);
  json_t *rows = json_object();
  bool behaviour = tsv || against;
  if (behaviour) l.probe = BEHAVIOUR_PROBES;
  status = measure(&l, argv + 1, &table, rows);
  if (json_object_size(rows)) {
    int shown_status = behaviour ? show_behaviour(tsv, against, l.size ? l.size : "small", rows) : show(&l, rows, json, picture);
    status = status ? status : shown_status;
  }
  json_decref(rows);
  return status;
}
