/* The rules about BUCL under made-up numbers: each holds for some and differs for others. */
#include "claims_kit.h"

extern const struct claim_rule claims_b[];

#define DYN "l1.bypass=bucl-dyn"
#define PRF5K "l1.bypass=bucl-prf"
#define PRF10K "l1.bypass=bucl-prf,l1.bucl.profile=10000"
#define MRPB "l1.bypass=mrpb,l1.mrpb.bypass=any"
#define SWL(n) "sm.warp_limit=" #n
#define SWBU(n) "l1.bypass=bucl-dyn,sm.warp_limit=" #n
#define PROBE "probes.coalescing."
#define GAIN(set, by) {set, NULL, "cycles", 100 / (1 + (by) / 100.0), NULL}

/* Nothing gains, no limit matters, every fifth load hits. */
static const struct kit_row usual[] = {
    {NULL, NULL, "cycles", 100, NULL},
    {NULL, NULL, "l1d.reads", 1000, NULL},
    {NULL, NULL, "l1d.bypasses", 0, NULL},
    {NULL, NULL, "l1d.hits", 200, NULL},
    {NULL, NULL, PROBE "loads", 1000, NULL},
    {NULL, NULL, PROBE "accesses", 10000, NULL},
    {NULL, NULL, PROBE "degrees.32", 10, NULL},
    {NULL, NULL, PROBE "above_2", 0.05, NULL},
    {NULL, NULL, PROBE "groups.1.all_hit", 0.3, NULL},
    {NULL, NULL, PROBE "groups.21-32.all_hit", 0.3, NULL},
    {NULL, NULL, PROBE "groups.1.latency", 100, NULL},
    {NULL, NULL, PROBE "groups.21-32.latency", 100, NULL},
    {NULL, NULL, PROBE "groups.1.block_reuse", 0.5, NULL},
    {NULL, NULL, PROBE "groups.11-20.block_reuse", 0.5, NULL},
    {NULL, NULL, PROBE "groups.21-32.block_reuse", 0.5, NULL},
    {0},
};

#define ABOVE(name) {NULL, name, PROBE "above_2", 0.11, NULL}
#define BEST(set, name) {set, name, "cycles", 80, NULL}

static const struct kit_case cases[] = {
    {"B01", true, {{NULL, "kmn", PROBE "degrees.32", 410, NULL}, {NULL, "kmn", PROBE "accesses", 14000, NULL}}},
    {"B01", false, {{NULL, "kmn", PROBE "degrees.32", 390, NULL}, {NULL, "kmn", PROBE "accesses", 13000, NULL}}},
    {"B02", true, {ABOVE("kmn"), ABOVE("bfs"), ABOVE("particlefilter"), ABOVE("gaussian")}},
    {"B02", false, {ABOVE("kmn"), ABOVE("bfs"), ABOVE("particlefilter")}},
    {"B02", false, {ABOVE(NULL)}},
    {"B03", true, {{NULL, "kmn", PROBE "groups.21-32.all_hit", 0.019, NULL}}},
    {"B03", false, {{NULL, "kmn", PROBE "groups.21-32.all_hit", 0.021, NULL}}},
    {"B03", false, {{NULL, "kmn", PROBE "groups.21-32.all_hit", 0, NULL}, {NULL, "kmn", PROBE "groups.1.all_hit", 0.09, NULL}}},
    {"B03", false, {{NULL, "kmn", PROBE "groups.21-32.all_hit", 0.019, NULL}, {NULL, "kmn", PROBE "degrees.32", 1000, NULL}}},
    {"B04", true, {{NULL, "bfs", PROBE "groups.21-32.latency", 200, NULL}}},
    {"B04", false, {{NULL, "bfs", PROBE "groups.21-32.latency", 199, NULL}}},
    {"B05", true, {{NULL, "particlefilter", PROBE "groups.21-32.latency", 500, NULL}}},
    {"B05", false, {{NULL, "particlefilter", PROBE "groups.21-32.latency", 499, NULL}}},
    {"B06", true, {{NULL, "bfs", PROBE "groups.11-20.block_reuse", 0.04, NULL},
                   {NULL, "bfs", PROBE "groups.21-32.block_reuse", 0.04, NULL}}},
    {"B06", false, {{NULL, "bfs", PROBE "groups.11-20.block_reuse", 0.06, NULL},
                    {NULL, "bfs", PROBE "groups.21-32.block_reuse", 0.04, NULL}}},
    {"B07", true, {GAIN(DYN, 45)}},
    {"B07", false, {GAIN(DYN, 47)}},
    {"B08", true, {GAIN(PRF5K, 29)}},
    {"B08", false, {GAIN(PRF5K, 27)}},
    {"B09", true, {GAIN(PRF10K, 20)}},
    {"B09", false, {GAIN(PRF10K, 18)}},
    {"B10", true, {GAIN(MRPB, 13)}},
    {"B10", false, {GAIN(MRPB, 11)}},
    /* each workload has its own limit, the last of them off those that are tried first */
    {"B11", true, {BEST(SWL(4), "kmn"), BEST(SWL(16), "bfs"), BEST(SWL(32), "particlefilter"), BEST(SWL(48), "gaussian"),
                   BEST(SWL(1), "sssp")}},
    {"B11", true, {BEST(SWL(4), "kmn"), BEST(SWL(16), "bfs"), {SWL(48), "particlefilter", "cycles", 99, NULL},
                   BEST(SWL(42), "particlefilter")}},
    {"B11", false, {BEST(SWL(4), "kmn")}},
    {"B12", true, {GAIN(DYN, 20), GAIN(PRF5K, 21), GAIN(PRF10K, 22), GAIN(MRPB, 19), GAIN(SWL(4), 19)}},
    {"B12", false, {GAIN(DYN, 20), GAIN(PRF5K, 21), GAIN(PRF10K, 22), GAIN(MRPB, 21), GAIN(SWL(4), 19)}},
    {"B12", false, {GAIN(DYN, 20), GAIN(PRF5K, 21), GAIN(PRF10K, 22), GAIN(MRPB, 19), GAIN(SWL(4), 23)}},
    {"B13", true, {GAIN(DYN, 2), {DYN, "nw", "cycles", 102, NULL}}},
    {"B13", false, {GAIN(DYN, 4), {DYN, "nw", "cycles", 103, NULL}}},
    {"B13", false, {GAIN(DYN, 10)}},
    {"B13", false, {GAIN(DYN, 5), GAIN(SWL(16), 5), GAIN(SWL(8), 8)}},
    {"B14", true, {{MRPB, "backprop", "cycles", 101, NULL}}},
    {"B14", false, {{MRPB, "backprop", "cycles", 101, NULL}, {MRPB, "2dconv", "cycles", 99, NULL}}},
    {"B15", true, {{PRF5K, "gaussian", "cycles", 99, NULL}}},
    {"B15", false, {{0}}},
    {"B16", true, {{MRPB, NULL, "l1d.hits", 300, NULL}, {SWL(4), NULL, "l1d.hits", 380, NULL}, GAIN(SWL(4), 1),
                   {DYN, NULL, "l1d.bypasses", 500, NULL}, {DYN, NULL, "l1d.hits", 300, NULL}}},
    {"B16", false, {{MRPB, NULL, "l1d.hits", 300, NULL}, {SWL(4), NULL, "l1d.hits", 380, NULL}, GAIN(SWL(4), 1),
                    {DYN, NULL, "l1d.bypasses", 500, NULL}, {DYN, NULL, "l1d.hits", 200, NULL}}},
    {"B16", false, {{MRPB, NULL, "l1d.hits", 300, NULL}, {SWL(4), NULL, "l1d.hits", 380, NULL}, GAIN(SWL(8), 1),
                    {DYN, NULL, "l1d.bypasses", 500, NULL}, {DYN, NULL, "l1d.hits", 300, NULL}}},
    {"B17", true, {GAIN(DYN, 10), GAIN(SWL(4), 11), GAIN(SWBU(16), 12)}},
    {"B17", false, {GAIN(DYN, 10), GAIN(SWL(4), 11), GAIN(SWBU(16), 10.5)}},
    {"B17", false, {GAIN(DYN, 13), GAIN(SWL(4), 11), GAIN(SWBU(16), 12)}},
    {"B18", true, {BEST(SWL(4), NULL), BEST(SWBU(8), NULL), {SWBU(4), "kmn", "cycles", 80, NULL}}},
    {"B18", false, {BEST(SWL(4), NULL), BEST(SWBU(8), NULL), {SWBU(4), "kmn", "cycles", 80, NULL}, {SWBU(2), "bfs", "cycles", 79, NULL}}},
};

static void test_each_rule_can_hold_and_can_differ(void **state) {
  (void)state;
  kit_check_group(claims_b, usual, cases, sizeof cases / sizeof *cases);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_rule_can_hold_and_can_differ)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
