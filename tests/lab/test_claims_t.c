/* The rules about the tag-split cache under made-up numbers: each holds for some and differs for others. */
#include "claims_kit.h"

extern const struct claim_rule claims_t[];

#define LINE32 "l1.org=line32"
#define LINE64 "l1.org=line64"
#define TSC "l1.org=tsc"
#define PLUS "l1.org=tsc+"
#define TAG(n) "l1.org=tsc,l1.tsc.private_tag=" n
#define DSC2 "l1.org=dsc2,l1.dsc.evicts=lines"
#define DSC4 "l1.org=dsc4,l1.dsc.evicts=lines"
#define CHUNK(n) "l1.org=tsc,l1.tsc.chunk=" n

/* Every configuration as fast as every other, half of the loads missing. */
static const struct kit_row usual[] = {
    {NULL, NULL, "cycles", 100, NULL},
    {NULL, NULL, "l1d.reads", 100, NULL},
    {NULL, NULL, "l1d.misses", 60, NULL},
    {NULL, NULL, "l1d.writes", 10, NULL},
    {NULL, NULL, "l1d.atomics", 0, NULL},
    {NULL, NULL, "l1d.load_instructions", 100, NULL},
    {NULL, NULL, "l1d.missed_instructions", 50, NULL},
    {NULL, NULL, "l1d.requests", 60, NULL},
    {NULL, NULL, "l1d.packets_out", 100, NULL},
    {NULL, NULL, "l1d.packets_in", 100, NULL},
    {NULL, NULL, "probes.lines.quarter_of_reused", 0.5, NULL},
    {NULL, NULL, "probes.lines.reused.0", 0.2, NULL},
    {NULL, NULL, "probes.lines.reused.3/4", 0.1, NULL},
    {NULL, NULL, "probes.lines.reused.4/4", 0.1, NULL},
    {0},
};

static const struct kit_case cases[] = {
    {"T01", true, {{NULL, "mummergpu", "probes.lines.quarter_of_reused", 0.81, NULL}}},
    {"T01", false, {{NULL, "mummergpu", "probes.lines.quarter_of_reused", 0.80, NULL}}},
    {"T02", true, {{NULL, "histo", "probes.lines.reused.4/4", 0.45, NULL}}},
    {"T02", false, {{NULL, NULL, "probes.lines.reused.4/4", 0.45, NULL}}},
    {"T02", false, {{0}}},
    {"T03", true, {{LINE32, "kmeans", "cycles", 50, NULL}}},
    {"T03", false, {{LINE32, "kmeans", "cycles", 51, NULL}}},
    {"T04", true, {{"", "kmeans", "l1d.missed_instructions", 86, NULL}}},
    {"T04", false, {{"", "kmeans", "l1d.missed_instructions", 85, NULL}}},
    {"T05", true, {{LINE32, "kmeans", "l1d.missed_instructions", 30, NULL}}},
    {"T05", false, {{LINE32, "kmeans", "l1d.missed_instructions", 31, NULL}}},
    {"T06", true, {{LINE64, NULL, "cycles", 99, NULL}, {LINE64, "bfs", "cycles", 101, NULL}}},
    {"T06", false, {{LINE64, NULL, "cycles", 99, NULL}, {LINE64, "bfs", "cycles", 101, NULL}, {LINE64, "cfd", "cycles", 101, NULL}}},
    {"T07", true, {{LINE32, NULL, "cycles", 101, NULL}, {LINE32, "histo", "cycles", 99, NULL}, {LINE32, "dwt2d", "cycles", 99, NULL}}},
    {"T07", false, {{0}}},
    {"T08", true, {{LINE32, "gaussian", "l1d.missed_instructions", 90, NULL}, {LINE32, "bfs", "l1d.missed_instructions", 90, NULL},
                   {LINE32, "cfd", "l1d.missed_instructions", 90, NULL}}},
    {"T08", false, {{LINE32, "spmv", "l1d.missed_instructions", 90, NULL}, {LINE32, "bfs", "l1d.missed_instructions", 90, NULL},
                    {LINE32, "cfd", "l1d.missed_instructions", 90, NULL}}},
    {"T09", true, {{NULL, "stencil", "l1d.missed_instructions", 91, NULL}}},
    {"T09", false, {{NULL, "stencil", "l1d.missed_instructions", 91, NULL}, {LINE64, "stencil", "l1d.missed_instructions", 90, NULL}}},
    {"T10", true, {{LINE32, "streamcluster", "l1d.packets_out", 200, NULL}}},
    {"T10", false, {{LINE32, "streamcluster", "l1d.packets_out", 199, NULL}}},
    {"T11", true, {{LINE32, "stencil", "l1d.packets_out", 230, NULL}}},
    {"T11", false, {{LINE32, "stencil", "l1d.packets_out", 240, NULL}}},
    {"T12", true, {{"l1.org=line256", NULL, "l1d.misses", 69, NULL}, {"l1.org=line256", NULL, "l1d.packets_out", 200, NULL}}},
    {"T12", false, {{"l1.org=line256", NULL, "l1d.misses", 71, NULL}}},
    {"T12", true, {{"l1.org=line256", NULL, "l1d.misses", 51, NULL}}},
    {"T12", false, {{"l1.org=line256", NULL, "l1d.misses", 49, NULL}}},
    {"T13", true, {{TAG("5"), NULL, "cycles", 90, NULL}, {TAG("10"), NULL, "cycles", 86, NULL}, {TAG("15"), NULL, "cycles", 86, NULL},
                   {TAG("20"), NULL, "cycles", 86, NULL}}},
    {"T13", false, {{TAG("5"), NULL, "cycles", 90, NULL}, {TAG("10"), NULL, "cycles", 86, NULL}, {TAG("15"), NULL, "cycles", 90, NULL},
                    {TAG("20"), NULL, "cycles", 86, NULL}}},
    {"T13", false, {{TAG("20"), NULL, "cycles", 50, NULL}}},
    {"T13", false, {{TAG("0"), NULL, "l1d.misses", 62, NULL}}},
    {"T14", true, {{TAG("5"), NULL, "cycles", 100 / 1.10, NULL}}},
    {"T14", false, {{TAG("5"), NULL, "cycles", 100 / 1.09, NULL}}},
    {"T15", true, {{TSC, NULL, "cycles", 100 / 1.11, NULL}}},
    {"T15", false, {{TSC, NULL, "cycles", 100 / 1.21, NULL}}},
    {"T16", true, {{TSC, NULL, "cycles", 100 / 1.15, NULL}, {PLUS, NULL, "cycles", 100 / 1.16, NULL}}},
    {"T16", false, {{TSC, NULL, "cycles", 100 / 1.17, NULL}, {PLUS, NULL, "cycles", 100 / 1.16, NULL}}},
    {"T16", false, {{TSC, NULL, "cycles", 100 / 1.10, NULL}, {PLUS, NULL, "cycles", 100 / 1.12, NULL}}},
    {"T17", true, {{"l1.bypass=mrpb", NULL, "cycles", 100 / 1.07, NULL}, {"l1.bypass=mrpb", "mri-gridding", "cycles", 1, NULL}}},
    {"T17", false, {{0}}},
    {"T18", true, {{"l1.org=lamar", NULL, "cycles", 100 / 1.07, NULL}}},
    {"T18", false, {{0}}},
    {"T19", true, {{DSC2, NULL, "cycles", 100 / 1.07, NULL}}},
    {"T19", false, {{0}}},
    {"T20", true, {{DSC4, NULL, "cycles", 100 / 1.07, NULL}}},
    {"T20", false, {{0}}},
    {"T21", true, {{PLUS, NULL, "cycles", 80, NULL}, {TSC, NULL, "cycles", 81, NULL}, {DSC4, NULL, "cycles", 82, NULL},
                   {DSC2, NULL, "cycles", 83, NULL}}},
    {"T21", false, {{PLUS, NULL, "cycles", 82, NULL}, {TSC, NULL, "cycles", 81, NULL}, {DSC4, NULL, "cycles", 82, NULL},
                    {DSC2, NULL, "cycles", 83, NULL}}},
    {"T22", true, {{TSC, NULL, "cycles", 99, NULL}, {LINE32, "bfs", "cycles", 98, NULL}, {LINE64, "cfd", "cycles", 98, NULL}}},
    {"T22", false, {{TSC, NULL, "cycles", 99, NULL}, {LINE32, "bfs", "cycles", 98, NULL}, {LINE64, "cfd", "cycles", 98, NULL},
                    {LINE64, "spmv", "cycles", 98, NULL}}},
    {"T23", true, {{TSC, "histo", "cycles", 110, NULL}, {TSC, "srad_v1", "cycles", 110, NULL}}},
    {"T23", false, {{TSC, "histo", "cycles", 110, NULL}, {TSC, "bfs", "cycles", 110, NULL}}},
    {"T23", false, {{PLUS, "srad_v1", "cycles", 102, NULL}}},
    {"T24", true, {{"l1.org=lamar", NULL, "l1d.misses", 61, NULL}}},
    {"T24", false, {{"l1.org=lamar", "spmv", "l1d.misses", 59, NULL}}},
    {"T25", true, {{DSC4, "kmeans", "l1d.misses", 59, NULL}, {TSC, "kmeans", "cycles", 99, NULL}}},
    {"T25", false, {{DSC4, "kmeans", "l1d.misses", 59, NULL}}},
    {"T25", false, {{TSC, "kmeans", "cycles", 99, NULL}}},
    {"T26", true, {{TSC, "kmeans", "l1d.packets_out", 40, NULL}}},
    {"T26", false, {{TSC, "kmeans", "l1d.packets_out", 30, NULL}}},
    {"T27", true, {{TSC, "kmeans", "l1d.packets_in", 14, NULL}}},
    {"T27", false, {{TSC, "kmeans", "l1d.packets_in", 10, NULL}}},
    {"T28", true, {{CHUNK("8"), NULL, "cycles", 90, NULL}, {CHUNK("16"), NULL, "cycles", 85, NULL},
      {CHUNK("32"), NULL, "cycles", 88, NULL}}},
    {"T28", false, {{CHUNK("8"), NULL, "cycles", 80, NULL}, {CHUNK("16"), NULL, "cycles", 85, NULL},
      {CHUNK("32"), NULL, "cycles", 88, NULL}}},
    {"T28", false, {{CHUNK("16"), NULL, "cycles", 85, NULL}, {CHUNK("64"), NULL, "cycles", 90, NULL}}},
    {"T29", true, {{"l1.org=tsc,l1.tsc.extra_latency=3", "bfs", "cycles", 101, NULL}}},
    {"T29", false, {{"l1.org=tsc,l1.tsc.extra_latency=3", "bfs", "cycles", 103, NULL}}},
    {"T30", true, {{"l1.latency=90", NULL, "cycles", 102, NULL}}},
    {"T30", false, {{"l1.latency=90", NULL, "cycles", 104, NULL}}},
    {"T31", true, {{"l1.org=lamar", NULL, "storage.l1.org", 512, NULL}, {DSC2, NULL, "storage.l1.org", 3800, NULL},
                   {DSC4, NULL, "storage.l1.org", 11000, NULL}, {"l1.bypass=mrpb", NULL, "storage.l1.bypass", 9900, NULL},
                   {TSC, NULL, "storage.l1.org", 4736, NULL}, {TAG("5"), NULL, "storage.l1.org", 3584, NULL}}},
    {"T31", false, {{"l1.org=lamar", NULL, "storage.l1.org", 512, NULL}, {DSC2, NULL, "storage.l1.org", 3800, NULL},
                    {DSC4, NULL, "storage.l1.org", 11000, NULL}, {"l1.bypass=mrpb", NULL, "storage.l1.bypass", 9900, NULL},
                    {TSC, NULL, "storage.l1.org", 4900, NULL}, {TAG("5"), NULL, "storage.l1.org", 3584, NULL}}},
    {"T31", false, {{"l1.org=lamar", NULL, "storage.l1.org", 512, NULL}, {DSC2, NULL, "storage.l1.org", 5000, NULL},
                    {DSC4, NULL, "storage.l1.org", 11000, NULL}, {"l1.bypass=mrpb", NULL, "storage.l1.bypass", 9900, NULL},
                    {TSC, NULL, "storage.l1.org", 4736, NULL}, {TAG("5"), NULL, "storage.l1.org", 3584, NULL}}},
};

static void test_each_rule_can_hold_and_can_differ(void **state) {
  (void)state;
  kit_check_group(claims_t, usual, cases, sizeof cases / sizeof *cases);
}

/* Of the four fifths of the lines that are used again, more than half: more than 0.4 of all. */
static void test_lines_may_be_those_that_are_used_again(void **state) {
  (void)state;
  const struct kit_case more = {"T02", true, {{NULL, "histo", "probes.lines.reused.4/4", 0.31, NULL}}},
                        less = {"T02", false, {{NULL, "histo", "probes.lines.reused.4/4", 0.29, NULL}}},
                        by_default = {"T02", false, {{NULL, "histo", "probes.lines.reused.4/4", 0.31, NULL}}};
  kit_check_case("t.lines=reused", usual, &more);
  kit_check_case("t.lines=reused", usual, &less);
  kit_check_case(NULL, usual, &by_default);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_each_rule_can_hold_and_can_differ),
      cmocka_unit_test(test_lines_may_be_those_that_are_used_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
