/* heddle diff: what changed between two reports of `heddle run --json`, cycles first, then the largest; for the CI of GPU kernels. */
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/report_file.h"
#include "lab/delta.h"
#include "lab/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "heddle diff [OPTIONS] A.json B.json\n\n"
    "Shows what changed from one report of `heddle run --json` to another, in total and for each kernel (launches of\n"
    "one name added up): cycles, then the largest relative change first. With --threshold only changes above it are\n"
    "shown, and the exit status is 1 if there are any.\n";

enum { FEW = 20 };

static bool read_threshold(const char *text, double *out, struct err *e) {
  *out = 0;
  if (!text) return true;
  char *end;
  *out = strtod(text, &end);
  if (end != text && *end == '%') end++;
  return (end != text && !*end && isfinite(*out) && *out >= 0) ||
         err_set(e, ERR_INPUT, "--threshold is a number of percent, not '%s'", text);
}

/* ---- printing ------------------------------------------------------------------------------------------------------------ */

static const char *text_of(const json_t *r, const char *name) {
  const char *s = json_string_value(json_object_get(r, name));
  return s ? s : "?";
}

static void print_word(const char *what, const char *a, const char *b) {
  if (strcmp(a, b) != 0) printf("%-28s %s -> %s\n", what, a, b);
}

static void print_settings(const json_t *a, const json_t *b) {
  const char *key;
  json_t *v, *ca = json_object_get(a, "config"), *cb = json_object_get(b, "config");
  print_word("program", text_of(a, "program"), text_of(b, "program"));
  print_word("gpu", text_of(a, "gpu"), text_of(b, "gpu"));
  print_word("mode", text_of(a, "mode"), text_of(b, "mode"));
  json_object_foreach(ca, key, v)
    if (json_is_string(v)) print_word(key, json_string_value(v), text_of(cb, key));
  json_object_foreach(cb, key, v)
    if (json_is_string(v) && !json_object_get(ca, key)) print_word(key, "?", json_string_value(v));
}

static void put_number(char out[32], bool there, double v) {
  if (!there) snprintf(out, 32, "-");
  else snprintf(out, 32, v == floor(v) && fabs(v) < 1e15 ? "%.0f" : fabs(v) < 1 ? "%.4g" : "%.4f", v);
}

static void print_row(const struct lab_delta *r, const struct lab_units *ua, const struct lab_units *ub) {
  char a[32], b[32], change[32];
  const char *unit = lab_unit(ua, r->name);
  if (!*unit) unit = lab_unit(ub, r->name);
  put_number(a, r->in_a, r->a);
  put_number(b, r->in_b, r->b);
  if (isinf(r->percent)) snprintf(change, sizeof change, !r->in_a ? "new" : !r->in_b ? "gone" : "from 0");
  else snprintf(change, sizeof change, "%+.2f %%", r->b < r->a ? -r->percent : r->percent);
  printf("%-28s %15s %15s %12s  %s\n", r->name, a, b, change, unit);
}

/* Rows of the total, or of the kernels under a line with each one's name. */
static size_t print_rows(const struct lab_deltas *d, const char *kernel, double above, bool all, const struct lab_units *ua,
                         const struct lab_units *ub) {
  size_t n = 0, limit = all ? d->n : FEW;
  for (size_t i = 0; i < d->n; i++) {
    const struct lab_delta *r = &d->rows[i];
    if (strcmp(r->kernel, kernel) != 0 || !(r->percent > above)) continue;
    if (!n && *kernel) printf("\n%s\n", kernel);
    if (n++ < limit) print_row(r, ua, ub);
  }
  if (n > limit) printf("... and %zu more (--all)\n", n - limit);
  return n;
}

/* Kernels in the order of their largest change. */
static size_t print_all(const struct lab_deltas *d, double above, bool all, const json_t *a, const json_t *b) {
  struct lab_units *ua = lab_units_new(json_object_get(a, "config")), *ub = lab_units_new(json_object_get(b, "config"));
  printf("%-28s %15s %15s %12s  %s\n", "statistic", "a", "b", "change", "unit");
  size_t n = print_rows(d, "", above, all, ua, ub);
  for (size_t i = 0; i < d->n; i++) {
    size_t k = 0;
    while (k < i && strcmp(d->rows[k].kernel, d->rows[i].kernel)) k++;
    if (k == i && *d->rows[i].kernel) n += print_rows(d, d->rows[i].kernel, above, all, ua, ub);
  }
  lab_units_delete(ua);
  lab_units_delete(ub);
  return n;
}

/* ---- the command --------------------------------------------------------------------------------------------------------- */

static bool any_above(const struct lab_deltas *d, double above) {
  for (size_t i = 0; i < d->n; i++)
    if (d->rows[i].percent > above) return true;
  return false;
}

static int show(const json_t *a, const json_t *b, const char *only, const char *limit, double above, bool all) {
  struct lab_deltas d;
  lab_deltas_find(&d, a, b, only);
  if (!d.n && !d.same) {
    lab_deltas_free(&d);
    fprintf(stderr, "heddle: neither report has '%s'; `heddle list stats` shows the names\n", only ? only : "");
    return CLI_USAGE;
  }
  print_settings(a, b);
  size_t n = any_above(&d, above) ? print_all(&d, above, all, a, b) : 0;
  if (!d.n) printf("no difference in %zu numbers\n", d.same);
  else if (limit) printf("%s%zu of %zu numbers changed by more than %g %%\n", n ? "\n" : "", n, d.n + d.same, above);
  else printf("\n%zu of %zu numbers changed\n", d.n, d.n + d.same);
  lab_deltas_free(&d);
  return limit && n ? CLI_NO : CLI_OK;
}

int cli_diff(int argc, char **argv) {
  const char *limit = NULL;
  struct str only = {0};
  bool all = false;
  const struct cli_option options[] = {
      {"--threshold", "PERCENT", "show only larger changes; exit status 1 if there are any", .text = &limit},
      {"--only", "NAME", "look at this statistic alone, for instance cycles; may be repeated", .list = &only},
      {"--all", NULL, "every change, not only the 20 largest of the total and of each kernel", .flag = &all},
      {0},
  };
  int status = cli_options(usage, options, &argc, argv);
  if (status >= 0) return status;
  if (argc != 3) {
    fprintf(stderr, "heddle: two reports are expected; `heddle diff --help` says more\n");
    return CLI_USAGE;
  }
  struct err e = {0};
  double above = 0;
  json_t *a = NULL, *b = NULL;
  bool ok = read_threshold(limit, &above, &e) && (a = cli_load_report(argv[1], "warp_instructions", &e)) &&
            (b = cli_load_report(argv[2], "warp_instructions", &e));
  status = ok ? show(a, b, only.s, limit, above, all) : cli_fail(&e);
  json_decref(a);
  json_decref(b);
  str_free(&only);
  return status;
}
