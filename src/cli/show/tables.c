/* See tables.h. */
#include "cli/show/tables.h"

#include "base/output.h"
#include "cli/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- intervals ---------------------------------------------------------------------------------------------------- */

/* Columns are the paths to the numbers of the first row: "l1d.hits". */
static void write_names(FILE *f, json_t *o, const char *prefix, bool *first) {
  const char *key;
  json_t *v;
  json_object_foreach(o, key, v) {
    char name[256];
    snprintf(name, sizeof name, "%s%s%s", prefix, *prefix ? "." : "", key);
    if (json_is_object(v))
      write_names(f, v, name, first);
    else {
      fprintf(f, "%s%s", *first ? "" : ",", name);
      *first = false;
    }
  }
}

static void write_values(FILE *f, json_t *o, bool *first) {
  const char *key;
  json_t *v;
  json_object_foreach(o, key, v) {
    if (json_is_object(v))
      write_values(f, v, first);
    else {
      fprintf(f, json_is_integer(v) ? "%s%.0f" : "%s%.6g", *first ? "" : ",", json_number_value(v));
      *first = false;
    }
  }
}

bool cli_write_intervals(const json_t *report, const char *path, struct err *e) {
  FILE *f = output_open(path, e);
  if (!f) return false;
  json_t *rows = json_object_get(report, "intervals"), *row;
  size_t i;
  json_array_foreach(rows, i, row) {
    bool first = true;
    if (i == 0) {
      write_names(f, row, "", &first);
      fputc('\n', f);
      first = true;
    }
    write_values(f, row, &first);
    fputc('\n', f);
  }
  return output_close(f, path, e);
}

/* ---- profile ------------------------------------------------------------------------------------------------------ */

enum { SHOWN_LINES = 25, SHOWN_TEXT = 60, SHOWN_NAME = 30 };

static double number(const json_t *o, const char *key) { return json_number_value(json_object_get(o, key)); }

static int by_stalls(const void *a, const void *b) {
  const json_t *x = *(json_t *const *)a, *y = *(json_t *const *)b;
  double d = number(y, "stall_cycles") - number(x, "stall_cycles");
  if (d == 0) d = number(y, "executions") - number(x, "executions");
  if (d == 0) d = number(x, "line") - number(y, "line");
  return (d > 0) - (d < 0);
}

static void print_reasons(const json_t *o) {
  json_t *stalls = json_object_get(o, "stalls"), *v;
  const char *key;
  double all = number(o, "stall_cycles");
  json_object_foreach(stalls, key, v) {
    double share = all > 0 ? 100 * json_number_value(v) / all : 0;
    if (share >= 1) printf(" %s %.0f%%", key, share);
  }
}

static void print_line(const json_t *o, double all, const struct cli_sources *sources) {
  const char *file = json_string_value(json_object_get(o, "file"));
  const char *base = file && strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
  unsigned line = (unsigned)number(o, "line");
  const char *instruction = json_string_value(json_object_get(o, "instruction"));
  char text[SHOWN_TEXT + 1], name[SHOWN_NAME + 1], place[SHOWN_NAME + 16];
  if (!file || !cli_source_line(sources, file, line, text, sizeof text))
    cli_visible(instruction ? instruction : "", instruction ? strlen(instruction) : 0, text, sizeof text);
  cli_visible(base ? base : "?", base ? strlen(base) : 1, name, sizeof name);
  snprintf(place, sizeof place, "%s:%u", name, line);
  double ops = number(o, "memory_instructions"), lines = number(o, "transactions");
  printf("%12.0f %5.1f %11.0f %5.1f", number(o, "stall_cycles"),
         all > 0 ? 100 * number(o, "stall_cycles") / all : 0, number(o, "executions"),
         number(o, "active_lanes"));
  if (ops > 0)
    printf(" %6.2f %5.1f", lines / ops, 100 * number(o, "l1_hits") / lines);
  else
    printf(" %6s %5s", "-", "-");
  if (number(o, "loads") > 0)
    printf(" %7.0f", number(o, "mean_latency"));
  else
    printf(" %7s", "-");
  printf("  %-24s %s\n%12s", place, text, "");
  print_reasons(o);
  printf("\n");
}

void cli_print_profile(const json_t *report, const struct cli_sources *sources) {
  json_t *rows = json_object_get(report, "profile");
  size_t n = json_array_size(rows);
  if (!n) return;
  const json_t **list = malloc(n * sizeof *list);
  double all = 0;
  for (size_t i = 0; list && i < n; i++) {
    list[i] = json_array_get(rows, i);
    all += number(list[i], "stall_cycles");
  }
  if (!list) return;
  qsort(list, n, sizeof *list, by_stalls);
  printf("\nWhat each line cost: issue slots lost while a warp stood before it, warp instructions, mean "
         "active lanes,\n"
         "lines a memory instruction touched, how many of them were in L1D, mean cycles of a load\n");
  printf("%12s %5s %11s %5s %6s %5s %7s  %s\n", "stall slots", "%", "executions", "lanes", "lines", "hit %",
         "latency", "source");
  for (size_t i = 0; i < n && i < SHOWN_LINES; i++) print_line(list[i], all, sources);
  if (n > SHOWN_LINES) printf("%zu more lines are in the JSON (--json)\n", n - SHOWN_LINES);
  free(list);
}
