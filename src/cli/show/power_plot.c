/* See power_plot.h. One line a group of parts, one point an interval, in its middle. */
#include "cli/show/power_plot.h"

#include "cli/show/picture.h"

#include <stdlib.h>

enum { MAX_PARTS = 4 };
static const struct {
  const char *name;
  const char *parts[MAX_PARTS]; /* added up; NULL: no more */
} lines[] = {
    {"total", {"total"}},
    {"DRAM", {"dram"}},
    {"networks", {"noc"}},
    {"L2", {"l2"}},
    {"L1, shared memory, added", {"l1", "shared", "added"}},
    {"instructions, registers", {"core", "register_file"}},
    {"leakage and constant", {"static"}},
};
enum { LINES = sizeof lines / sizeof *lines };

static double number(const json_t *o, const char *key) { return json_number_value(json_object_get(o, key)); }

static double watts(const json_t *interval, unsigned line) {
  const json_t *power = json_object_get(interval, "power");
  double sum = 0;
  for (unsigned i = 0; i < MAX_PARTS && lines[line].parts[i]; i++) sum += number(power, lines[line].parts[i]);
  return sum;
}

bool cli_plot_power(const json_t *report, const char *path, struct err *e) {
  const json_t *rows = json_object_get(report, "intervals"), *kernels = json_object_get(report, "kernels");
  unsigned n = (unsigned)json_array_size(rows);
  double *x = calloc(n + 1, sizeof *x), *y = calloc((size_t)LINES * n + 1, sizeof *y);
  const char *names[LINES];
  struct picture p = {0};
  for (unsigned k = 0; k < LINES; k++) names[k] = lines[k].name;
  for (unsigned i = 0; x && y && i < n; i++) {
    const json_t *row = json_array_get(rows, i);
    const json_t *kernel = json_array_get(kernels, (size_t)number(row, "kernel"));
    x[i] = number(kernel, "start_cycle") + number(row, "first_cycle") + number(row, "cycles") / 2;
    for (unsigned k = 0; k < LINES; k++) y[(size_t)k * n + i] = watts(row, k);
  }
  picture_title(&p, "Power", "watts over core cycles in which a kernel ran; the peaks are marked");
  picture_legend(&p, names, LINES);
  if (n && x && y) picture_curves(&p, x, y, n, LINES);
  free(x);
  free(y);
  return picture_write(&p, path, "Power over time", e);
}
