/* Figures about the tag-split cache (Li et al., ICS 2016): see figure.h. Configurations, benchmarks and measures are
 * those of the claims (claims_t.h). */
#include "lab/claims/claims_t.h"
#include "lab/figures/figure.h"

#include <stdio.h>

/* ---- use and size of lines --------------------------------------------------------------------------------------- */

static void t1(struct chart *f) {
  static const char *const names[] = {"0", "25 %", "50 %", "75 %", "100 %"};
  static const char *const stats[] = {"probes.lines.reused.0", "probes.lines.reused.1/4", "probes.lines.reused.2/4",
                                      "probes.lines.reused.3/4", "probes.lines.reused.4/4"};
  for (unsigned i = 0; suite[i]; i++)
    for (unsigned k = 0; k < 5; k++) chart_point(f, names[k], suite[i], 100 * claim_stat(f->c, &lines, suite[i], stats[k]));
  for (unsigned i = 0; suite[i]; i++)
    chart_point(f, "25 %, of reused lines", suite[i],
                100 * claim_stat(f->c, &lines, suite[i], "probes.lines.quarter_of_reused"));
  chart_dots(f, "25 %, of reused lines");
}
static const struct figure_mark t1_marks[] = {AT("25 %, of reused lines", "mummergpu", 90.3), {0}};

static const struct claim_setup *const other_lines[] = {&line32, &line64, &line256};
static const char *const other_line_names[] = {"32 B", "64 B", "256 B"};

static void line_speedups(struct chart *f, const char *const *list) {
  for (unsigned k = 0; k < 3; k++) chart_speedups(f, other_line_names[k], other_lines[k], &base, list);
}
static void t2a(struct chart *f) { line_speedups(f, cln); }
static void t2b(struct chart *f) { line_speedups(f, clp); }
static const struct figure_mark t2a_marks[] = {AT("32 B", "kmeans", 2.65), {0}};

static void t4(struct chart *f) {
  chart_numbers(f, "32 B", &line32, suite, miss_rate);
  chart_numbers(f, "64 B", &line64, suite, miss_rate);
  chart_numbers(f, "128 B", &base, suite, miss_rate);
}
static const struct figure_mark t4_marks[] = {AT("32 B", "kmeans", 20.5),  AT("128 B", "kmeans", 95.5),
                                              AT("32 B", "stencil", 100),  AT("64 B", "stencil", 100),
                                              AT("128 B", "stencil", 100), {0}};

static double packets_out(struct claim *c, const struct claim_setup *s, const char *workload) {
  return s == &line256 ? traffic_out_256(c, s, workload) : claim_stat(c, s, workload, "l1d.packets_out");
}
static double packets_in(struct claim *c, const struct claim_setup *s, const char *workload) {
  return claim_stat(c, s, workload, "l1d.packets_in");
}

static void t5(struct chart *f) {
  for (unsigned k = 0; k < 3; k++) chart_ratios(f, other_line_names[k], other_lines[k], &base, suite, packets_out);
}
static const struct figure_mark t5_marks[] = {AT("32 B", "streamcluster", 2.7), AT("32 B", "stencil", 2.03), {0}};

/* ---- the length of the private tag ------------------------------------------------------------------------------- */

#define TAG(n) GPU(.set = "l1.org=tsc,l1.tsc.private_tag=" #n)
static const struct claim_setup tags[] = {TAG(0),  TAG(1),  TAG(2),  TAG(3),  TAG(4),  TAG(5),  TAG(6),
                                          TAG(7),  TAG(8),  TAG(9),  TAG(10), TAG(11), TAG(12), TAG(13),
                                          TAG(14), TAG(15), TAG(16), TAG(17), TAG(18), TAG(19), TAG(20)};

static void t9(struct chart *f) {
  for (unsigned bits = 0; bits < sizeof tags / sizeof *tags; bits++) {
    char row[8];
    snprintf(row, sizeof row, "%u", bits);
    chart_point(f, "TSC", row, percent(claim_gmean(f->c, &tags[bits], &base, suite)));
  }
}
static const struct figure_mark t9_marks[] = {AT("TSC", "5", 13.6), AT("TSC", "8", 15.6), {0}};

static void t9_tags(struct chart *f) {
  for (unsigned bits = 0; bits < sizeof tags / sizeof *tags; bits++) {
    char row[8];
    snprintf(row, sizeof row, "%u", bits);
    chart_point(f, "TSC", row, claim_storage(f->c, &tags[bits], "l1.org") / 8 / 1024);
  }
}
static const struct figure_mark t9_tags_marks[] = {AT("TSC", "5", 0.44), AT("TSC", "8", 0.58), {0}};

/* ---- speed ------------------------------------------------------------------------------------------------------- */

static void t10a(struct chart *f) {
  chart_speedups(f, "32 B", &line32, &base, suite);
  chart_speedups(f, "64 B", &line64, &base, suite);
  chart_speedups(f, "TSC", &tsc, &base, suite);
  chart_speedups(f, "TSC+", &tsc_plus, &base, suite);
}
static const struct figure_mark t10a_marks[] = {
    AT("32 B", "kmeans", 2.65), AT("TSC+", "srad_v1", 1), AT("TSC", CHART_GMEAN, 1.156), AT("TSC+", CHART_GMEAN, 1.172), {0}};

static void t10b(struct chart *f) {
  chart_rows(f, suite);
  chart_speedups(f, "MRPB", &mrpb, &base, without_gridding);
  chart_none(f, "MRPB", "mri-gridding");
  chart_speedups(f, "LAMAR", &lamar, &base, suite);
  chart_speedups(f, "DSC-2", &dsc2, &base, suite);
  chart_speedups(f, "DSC-4", &dsc4, &base, suite);
  chart_speedups(f, "TSC", &tsc, &base, suite);
  chart_speedups(f, "TSC+", &tsc_plus, &base, suite);
}
static const struct figure_mark t10b_marks[] = {AT("MRPB", CHART_GMEAN, 1.07),   AT("LAMAR", CHART_GMEAN, 1.074),
                                                AT("DSC-2", CHART_GMEAN, 1.104), AT("DSC-4", CHART_GMEAN, 1.117),
                                                AT("TSC", CHART_GMEAN, 1.156),   AT("TSC+", CHART_GMEAN, 1.172),
                                                AT("TSC+", "srad_v1", 1),        {0}};

/* ---- misses and traffic ------------------------------------------------------------------------------------------ */

static double misses_per_instruction(struct claim *c, const struct claim_setup *s, const char *workload) {
  return load_misses(c, s, workload) / claim_stat(c, s, workload, "warp_instructions");
}

static void t11(struct chart *f) {
  chart_ratios(f, "LAMAR", &lamar, &base, suite, misses_per_instruction);
  chart_ratios(f, "DSC-2", &dsc2, &base, suite, misses_per_instruction);
  chart_ratios(f, "DSC-4", &dsc4, &base, suite, misses_per_instruction);
  chart_ratios(f, "TSC", &tsc, &base, suite, misses_per_instruction);
  chart_ratios(f, "TSC+", &tsc_plus, &base, suite, misses_per_instruction);
}

/* Both directions over what comes from L2 in the base. */
static void t12(struct chart *f) {
  static const struct claim_setup *const setups[] = {&base, &lamar, &tsc};
  static const char *const names[] = {"base", "LAMAR", "TSC"};
  for (unsigned k = 0; k < 3; k++) {
    char in[32], out[32];
    snprintf(in, sizeof in, "%s, L2 to L1", names[k]);
    snprintf(out, sizeof out, "%s, L1 to L2", names[k]);
    for (unsigned i = 0; suite[i]; i++) {
      double of = packets_in(f->c, &base, suite[i]);
      chart_point(f, in, suite[i], packets_in(f->c, setups[k], suite[i]) / of);
      chart_point(f, out, suite[i], packets_out(f->c, setups[k], suite[i]) / of);
    }
    chart_stack(f, in, names[k]);
    chart_stack(f, out, names[k]);
  }
  double requests = packets_out(f->c, &base, "kmeans") / packets_in(f->c, &base, "kmeans"), top = 0.282 + 0.546 * requests;
  chart_mark(f, "TSC, L1 to L2", "kmeans", top, top);
}
static const struct figure_mark t12_marks[] = {AT("TSC, L2 to L1", "kmeans", 0.282), {0}};

/* ---- the size of chunks ------------------------------------------------------------------------------------------ */

static void t13(struct chart *f) {
  for (unsigned k = 0; k < 4; k++) chart_speedups(f, chunk_names[k], &chunks[k], &base, suite);
}
static const struct figure_mark t13_marks[] = {AT("8 B", CHART_GMEAN, 1.157),
                                               AT("16 B", CHART_GMEAN, 1.181),
                                               AT("32 B", CHART_GMEAN, 1.156),
                                               AT("64 B", CHART_GMEAN, 1.117),
                                               {0}};

const struct figure figures_t[] = {
    {.id = "T:1",
     .title = "How much of a line is reused before it is evicted",
     .unit = "% of lines",
     .kind = FIGURE_STACKED,
     .flags = FIGURE_ORDERED,
     .draw = t1,
     .marks = t1_marks,
     .note = "The published 90.3 % are of the lines that were reused at all: dots."},
    {.id = "T:2a",
     .title = "Other line sizes, benchmarks that like small lines",
     .unit = "IPC over lines of 128 B",
     .flags = FIGURE_FROM_ONE | FIGURE_ORDERED,
     .draw = t2a,
     .marks = t2a_marks},
    {.id = "T:2b",
     .title = "Other line sizes, benchmarks that like large lines",
     .unit = "IPC over lines of 128 B",
     .flags = FIGURE_FROM_ONE | FIGURE_ORDERED,
     .draw = t2b},
    {.id = "T:4",
     .title = "L1 miss rate with lines of other sizes",
     .unit = "% of load instructions",
     .flags = FIGURE_ORDERED,
     .draw = t4,
     .marks = t4_marks},
    {.id = "T:5",
     .title = "Traffic from L1 to L2 with lines of other sizes",
     .unit = "over lines of 128 B",
     .flags = FIGURE_FROM_ONE | FIGURE_ORDERED,
     .draw = t5,
     .marks = t5_marks},
    {.id = "T:9",
     .title = "Gain of TSC by the length of the private tag",
     .unit = "% over the base, geometric mean",
     .kind = FIGURE_LINES,
     .draw = t9,
     .marks = t9_marks,
     .note = "Across: bits of the private tag. Without mode switch."},
    {.id = "T:9 tags",
     .title = "Storage of TSC by the length of the private tag",
     .unit = "KB an L1",
     .kind = FIGURE_LINES,
     .flags = FIGURE_COMPUTED,
     .draw = t9_tags,
     .marks = t9_tags_marks,
     .note = "Across: bits of the private tag. What TSC adds to the base; from the model of storage, not run."},
    {.id = "T:10a",
     .title = "TSC beside caches with smaller lines",
     .unit = "IPC over lines of 128 B",
     .flags = FIGURE_FROM_ONE,
     .draw = t10a,
     .marks = t10a_marks},
    {.id = "T:10b",
     .title = "TSC beside other work",
     .unit = "IPC over the base",
     .flags = FIGURE_FROM_ONE,
     .draw = t10b,
     .marks = t10b_marks,
     .note = "MRPB is without mri-gridding, as published."},
    {.id = "T:11", .title = "L1 misses an instruction", .unit = "over the base", .flags = FIGURE_FROM_ONE, .draw = t11},
    {.id = "T:12",
     .title = "Traffic between L1 and L2",
     .unit = "packets over those from L2 in the base",
     .kind = FIGURE_STACKED,
     .draw = t12,
     .marks = t12_marks,
     .note = "The published cut of requests, 45.4 %, is drawn on the requests of the base as measured."},
    {.id = "T:13",
     .title = "TSC with chunks of other sizes",
     .unit = "IPC over the base",
     .flags = FIGURE_FROM_ONE | FIGURE_ORDERED,
     .draw = t13,
     .marks = t13_marks},
    {0},
};
