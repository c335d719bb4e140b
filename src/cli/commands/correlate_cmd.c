/* heddle correlate: a run beside what Nsight Compute measured of the same program on a GPU; as a table, as JSON, and as a page with
 * scatter plots. */
#include "base/output.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/report_file.h"
#include "lab/correlate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "heddle correlate [OPTIONS] NCU.csv REPORT.json\n\n"
    "Compares a report of `heddle run --json` with Nsight Compute's measurements of the same program on a GPU\n"
    "(`ncu --csv --page raw PROGRAM > NCU.csv`; any page and any recent version). Kernels are matched by name and order.\n"
    "For each quantity that both have, it shows the mean absolute error, the ratio and the correlation, and then the kernels\n"
    "that are farthest off, with the quantities that differ. Useful metrics: gpu__time_duration.sum,\n"
    "sm__cycles_elapsed.max, smsp__inst_executed.sum, l1tex__t_sector_hit_rate.pct, lts__t_sector_hit_rate.pct,\n"
    "dram__bytes.sum.\n";

enum { FEW = 10 };

/* ---- the table ----------------------------------------------------------------------------------------------------------- */

static void print_summary(const struct correlation *c) {
  printf("%-22s %9s %14s %12s %12s\n", "quantity", "launches", "mean error", "Heddle/GPU", "correlation");
  for (unsigned q = 0; q < CORRELATE_QUANTITIES; q++) {
    struct correlate_summary s = correlate_sum(c, q);
    if (!s.n) continue;
    bool rate = correlate_quantities[q].is_rate;
    char ratio[32], together[32];
    snprintf(ratio, sizeof ratio, rate ? "%+.1f points" : "%.3f", s.ratio);
    if (isnan(s.correlation)) snprintf(together, sizeof together, "-");
    else snprintf(together, sizeof together, "%.3f", s.correlation);
    printf("%-22s %9zu %8.1f %-5s %12s %12s\n", correlate_quantities[q].name, s.n, s.error, rate ? "points" : "%", ratio, together);
  }
  const char *cold = json_string_value(json_object_get(json_object_get(c->report, "config"), "gpu.cold_kernels"));
  if (cold && strcmp(cold, "true") != 0)
    printf("ncu empties caches before each kernel unless it is given --cache-control none; so does --set gpu.cold_kernels=true\n");
  if (c->only_card || c->only_ours)
    printf("%zu launches of the table and %zu of the report have no partner\n", c->only_card, c->only_ours);
}

/* "warp instructions 1.2, L2 hit rate -20 points": what is off by more than a tenth or ten points. */
static void print_differences(const struct correlation *c, size_t pair) {
  bool any = false;
  for (unsigned q = 0; q < CORRELATE_QUANTITIES; q++) {
    double card, ours;
    if (!correlate_values(c, pair, q, &card, &ours)) continue;
    bool rate = correlate_quantities[q].is_rate;
    if (rate ? fabs(ours - card) < 10 : fabs(ours / card - 1) < 0.1) continue;
    printf(rate ? "%s%s %+.0f points" : "%s%s %.2f", any ? ", " : "  ", correlate_quantities[q].name, rate ? ours - card : ours / card);
    any = true;
  }
  printf(any ? "\n" : "  within 10 %% in everything\n");
}

static void print_worst(const struct correlation *c, const size_t *order) {
  printf("\nfarthest off in time (Heddle/GPU of what differs by more than a tenth or ten points):\n");
  for (size_t i = 0; i < c->n && i < FEW; i++) {
    const struct correlated *p = &c->pairs[order[i]];
    printf("%s, launch %zu\n", p->kernel, p->launch);
    print_differences(c, order[i]);
  }
}

/* ---- JSON and the page ----------------------------------------------------------------------------------------------------- */

static json_t *pair_json(const struct correlation *c, size_t pair) {
  json_t *values = json_object();
  for (unsigned q = 0; q < CORRELATE_QUANTITIES; q++) {
    double card, ours;
    if (correlate_values(c, pair, q, &card, &ours))
      json_object_set_new(values, correlate_quantities[q].name, json_pack("{s:f, s:f}", "gpu", card, "heddle", ours));
  }
  return json_pack("{s:s, s:I, s:o}", "kernel", c->pairs[pair].kernel, "launch", (json_int_t)c->pairs[pair].launch, "values", values);
}

static json_t *as_json(const struct correlation *c) {
  json_t *quantities = json_object(), *pairs = json_array();
  for (unsigned q = 0; q < CORRELATE_QUANTITIES; q++) {
    struct correlate_summary s = correlate_sum(c, q);
    if (!s.n) continue;
    json_t *o = json_pack("{s:s, s:I, s:f, s:f}", "unit", correlate_quantities[q].unit, "launches", (json_int_t)s.n, "mean_error", s.error,
                          correlate_quantities[q].is_rate ? "mean_difference" : "ratio", s.ratio);
    json_object_set_new(o, "correlation", isnan(s.correlation) ? json_null() : json_real(s.correlation));
    json_object_set_new(quantities, correlate_quantities[q].name, o);
  }
  for (size_t i = 0; i < c->n; i++) json_array_append_new(pairs, pair_json(c, i));
  return json_pack("{s:o, s:o, s:I, s:I}", "quantities", quantities, "launches", pairs, "only_gpu", (json_int_t)c->only_card,
                   "only_heddle", (json_int_t)c->only_ours);
}

enum { SIDE = 300, MARGIN = 50 };

static void put_escaped(FILE *f, const char *s) {
  for (; *s; s++) {
    if (*s == '<') fputs("&lt;", f);
    else if (*s == '&') fputs("&amp;", f);
    else if (*s == '"') fputs("&quot;", f);
    else fputc(*s, f);
  }
}

/* The range of both axes: logarithms, or percent. */
static void find_range(const struct correlation *c, unsigned q, double *low, double *high) {
  bool rate = correlate_quantities[q].is_rate;
  *low = rate ? 0 : INFINITY;
  *high = rate ? 100 : -INFINITY;
  for (size_t i = 0; i < c->n && !rate; i++) {
    double card, ours;
    if (!correlate_values(c, i, q, &card, &ours)) continue;
    *low = fmin(*low, log10(fmin(card, ours)));
    *high = fmax(*high, log10(fmax(card, ours)));
  }
  if (!rate) *low = floor(*low), *high = ceil(*high) > *low ? ceil(*high) : *low + 1;
}

static double place(double v, bool rate, double low, double high) { return SIDE * ((rate ? v : log10(v)) - low) / (high - low); }

static void put_axes(FILE *f, bool rate, double low, double high) {
  fprintf(f, "<rect x=0 y=0 width=%d height=%d class=frame /><line x1=0 y1=%d x2=%d y2=0 class=even />", SIDE, SIDE, SIDE, SIDE);
  double step = rate ? 25 : ceil((high - low) / 6);
  for (double v = low; v <= high + 1e-9; v += step) {
    double at = SIDE * (v - low) / (high - low);
    char label[32];
    snprintf(label, sizeof label, rate ? "%.0f" : "1e%.0f", v);
    fprintf(f, "<text x=%.1f y=%d text-anchor=middle>%s</text><text x=-6 y=%.1f text-anchor=end>%s</text>", at, SIDE + 16, label,
            SIDE - at + 4, label);
  }
  fprintf(f, "<text x=%d y=%d text-anchor=middle>GPU</text>"
             "<text transform=\"translate(-38,%d) rotate(-90)\" text-anchor=middle>Heddle</text>",
          SIDE / 2, SIDE + 34, SIDE / 2);
}

static void put_plot(FILE *f, const struct correlation *c, unsigned q) {
  struct correlate_summary s = correlate_sum(c, q);
  bool rate = correlate_quantities[q].is_rate;
  if (!s.n) return;
  double low, high;
  find_range(c, q, &low, &high);
  fprintf(f, "<figure><figcaption>%s, %s: %zu launches, %.1f %s off</figcaption><svg viewBox=\"%d -10 %d %d\" role=img>",
          correlate_quantities[q].name, correlate_quantities[q].unit, s.n, s.error, rate ? "points" : "%", -MARGIN, SIDE + MARGIN + 20,
          SIDE + 55);
  put_axes(f, rate, low, high);
  for (size_t i = 0; i < c->n; i++) {
    double card, ours;
    if (!correlate_values(c, i, q, &card, &ours)) continue;
    fprintf(f, "<circle cx=%.1f cy=%.1f r=3.5><title>", place(card, rate, low, high), SIDE - place(ours, rate, low, high));
    put_escaped(f, c->pairs[i].kernel);
    fprintf(f, " %zu: GPU %.6g, Heddle %.6g</title></circle>", c->pairs[i].launch, card, ours);
  }
  fputs("</svg></figure>\n", f);
}

static bool write_page(const struct correlation *c, const char *path, struct err *e) {
  FILE *f = output_open(path, e);
  if (!f) return false;
  fputs("<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content=\"width=device-width\">"
        "<title>Heddle beside a GPU</title><style>:root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;"
        "max-width:1100px;padding:0 1rem}main{display:grid;grid-template-columns:repeat(auto-fill,minmax(300px,1fr));gap:1.5rem}"
        "figure{margin:0}figcaption{font-weight:600}svg{width:100%;font-size:11px;fill:currentColor}.frame{fill:none;stroke:#8888}"
        ".even{stroke:#8888;stroke-dasharray:4}circle{fill:#4477aa99}circle:hover{fill:#cc6677}</style><h1>Heddle beside a GPU</h1>"
        "<p>One mark a launch; on the dashed line both agree.</p><main>\n", f);
  for (unsigned q = 0; q < CORRELATE_QUANTITIES; q++) put_plot(f, c, q);
  fputs("</main></html>\n", f);
  return output_close(f, path, e);
}

/* ---- the command --------------------------------------------------------------------------------------------------------- */

static bool show(const struct correlation *c, const char *json, const char *page, struct err *e) {
  size_t *order = calloc(c->n, sizeof *order);
  correlate_worst(c, order);
  print_summary(c);
  print_worst(c, order);
  free(order);
  bool ok = true;
  if (json) {
    json_t *o = as_json(c);
    ok = output_json(o, json, JSON_INDENT(1), e);
    json_decref(o);
  }
  return ok && (!page || write_page(c, page, e));
}

int cli_correlate(int argc, char **argv) {
  const char *json = NULL, *page = NULL;
  const struct cli_option options[] = {
      {"--json", "FILE", "write the summary and every pair", .output = &json},
      {"-o", "FILE.html", "write a page with a scatter plot for each quantity", .output = &page},
      {0},
  };
  int status = cli_options(usage, options, &argc, argv);
  if (status >= 0) return status;
  if (argc != 3) {
    fprintf(stderr, "usage: %s", usage);
    return CLI_USAGE;
  }
  struct err e = {0};
  struct ncu_table card = {0};
  struct correlation c = {0};
  json_t *report = NULL;
  bool ok = ncu_read(&card, argv[1], &e) && (report = cli_load_report(argv[2], "cycles", &e)) && correlate(&c, &card, report, &e) &&
            show(&c, json, page, &e);
  correlate_free(&c);
  ncu_free(&card);
  json_decref(report);
  return ok ? CLI_OK : cli_fail(&e);
}
