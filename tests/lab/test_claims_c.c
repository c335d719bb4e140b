/* The rules about the cooperative caching network under made-up numbers: each holds for some and differs for others. */
#include "claims_kit.h"

extern const struct claim_rule claims_c[];

#define RT "coop=ccn-rt"
#define IDEAL "coop=ideal"
#define AT(cycles) "coop=ideal,coop.reuse_latency=" cycles
#define HOP(n) "coop=ccn-rt,coop.hop=" n
#define BIG "l1.sets=96"
#define BANKS "l2.slices_per_channel=4,l2.sets=32"
#define LANES(n) "sm.schedulers=" n ",sm.pipes.sp=" n ",sm.register_banks=0"
#define RT_BIG "coop=ccn-rt,l1.sets=96"

/* Everything as fast as the base, no network, a latency of 300. */
static const struct kit_row usual[] = {
    {NULL, NULL, "cycles", 1000, NULL},
    {NULL, NULL, "probes.reuse.coefficient", 0.1, NULL},
    {NULL, NULL, "l2.accesses", 1000, NULL},
    {NULL, NULL, "dram.reads", 900, NULL},
    {NULL, NULL, "dram.writes", 100, NULL},
    {NULL, NULL, "sm.miss_latency", 300000, NULL},
    {NULL, NULL, "sm.miss_replies", 1000, NULL},
    {NULL, NULL, "sm.stall_barrier", 100, NULL},
    {NULL, NULL, "sm.stall_fence", 0, NULL},
    {NULL, NULL, "sm.stall_fetch", 100, NULL},
    {NULL, NULL, "sm.stall_memory", 600, NULL},
    {NULL, NULL, "sm.stall_alu", 100, NULL},
    {NULL, NULL, "sm.stall_pipe", 50, NULL},
    {NULL, NULL, "sm.stall_lsu", 50, NULL},
    {NULL, NULL, "coop.hits", 290, NULL},
    {NULL, NULL, "coop.returned", 710, NULL},
    {NULL, NULL, "coop.overhead_sum", 38340, NULL},       /* 54 each */
    {NULL, NULL, "coop.reuse_latency_sum", 12180, NULL},  /* 42 each */
    {NULL, NULL, "coop.hit_latency_sum", 12180, NULL},
    {NULL, NULL, "coop.hit_hops", 2900, NULL},
    {"coop=ccn-rt,coop.same_way=true", NULL, "coop.hit_hops", 4350, NULL},
    {NULL, NULL, "energy.total", 100, NULL},
    {NULL, NULL, "area.ring", 4.5, NULL},
    {NULL, NULL, "area.ring_wires", 5, NULL},
    {NULL, NULL, "storage.added_mm2", 4.5, NULL},
    {NULL, NULL, "storage.coop.tags", 9600, NULL},
    {NULL, NULL, "gpu.sms", 15, NULL},
    {NULL, NULL, "reuse", 0, "{\"map\": []}"},
    {0},
};

#define COEFFICIENT(workload, value) {NULL, workload, "probes.reuse.coefficient", value, NULL}
#define TABLE_I                                                                                                        \
  COEFFICIENT("mm", .04), COEFFICIENT("ss", .28), COEFFICIENT("cfd", .51), COEFFICIENT("pvr", .32),                    \
      COEFFICIENT("streamcluster", .18), COEFFICIENT("bfs", .03), COEFFICIENT("dwt2d", .07), COEFFICIENT("lbm", 0),    \
      COEFFICIENT("km", .24), COEFFICIENT("hybridsort", .01), COEFFICIENT("pbfs", .06), COEFFICIENT("lavamd", .01),    \
      COEFFICIENT("histo", .01), COEFFICIENT("sm", .03), COEFFICIENT("myocyte", .01), COEFFICIENT("nw", .08),          \
      COEFFICIENT("b+tree", .25), COEFFICIENT("ii", .02), COEFFICIENT("particlefilter", .08),                          \
      COEFFICIENT("leukocyte", .01), COEFFICIENT("wc", .54), COEFFICIENT("sad", .03), COEFFICIENT("srad_v1", .15),     \
      COEFFICIENT("srad_v2", .16), COEFFICIENT("mri-gridding", .02), COEFFICIENT("kmeans", 0), COEFFICIENT("lud", .28), \
      COEFFICIENT("stencil", .06), COEFFICIENT("heartwall", 0), COEFFICIENT("backprop", .03),                          \
      COEFFICIENT("hotspot", .29), COEFFICIENT("cutcp", .78), COEFFICIENT("mri-q", 0), COEFFICIENT("tpacf", .19)

/* Maps of four SMs in which SM x shares by its distance to y: 0, then 1 and 3 alike, then 2. */
#define RING4(d1, d2)                                                                                                  \
  "{\"map\": [[0," d1 "," d2 "," d1 "],[" d1 ",0," d1 "," d2 "],[" d2 "," d1 ",0," d1 "],[" d1 "," d2 "," d1 ",0]]}"
#define FALLS                                                                                                          \
  "{\"map\": [[0,9,8,7,7,8,9],[9,0,9,8,7,7,8],[8,9,0,9,8,7,7],[7,8,9,0,9,8,7],[7,7,8,9,0,9,8],[8,7,7,8,9,0,9],"        \
  "[9,8,7,7,8,9,0]]}"
#define FOUR                                                                                                           \
  "{\"map\": [[0,1,1,1,5,1,1,1,1],[1,0,1,1,1,5,1,1,1],[1,1,0,1,1,1,5,1,1],[1,1,1,0,1,1,1,5,1],[1,1,1,1,0,1,1,1,5],"    \
  "[5,1,1,1,1,0,1,1,1],[1,5,1,1,1,1,0,1,1],[1,1,5,1,1,1,1,0,1],[1,1,1,5,1,1,1,1,0]]}"
#define MAP(workload, json) {NULL, workload, "reuse", 0, json}

static const struct kit_case cases[] = {
    {"C01", true, {TABLE_I}},
    {"C01", false, {COEFFICIENT("cutcp", 0.78)}},
    {"C02", true, {{IDEAL, NULL, "cycles", 830, NULL}, {AT("80"), NULL, "cycles", 850, NULL}, {AT("300"), NULL, "cycles", 990, NULL}}},
    {"C02", false, {{IDEAL, NULL, "cycles", 830, NULL}, {AT("80"), NULL, "cycles", 950, NULL}, {AT("300"), NULL, "cycles", 990, NULL}}},
    {"C02", false, {{IDEAL, NULL, "cycles", 830, NULL}, {AT("80"), NULL, "cycles", 850, NULL}, {AT("300"), NULL, "cycles", 900, NULL}}},
    {"C03", true, {{"coop=ccn-b", NULL, "cycles", 870, NULL}}},
    {"C03", false, {{"coop=ccn-b", NULL, "cycles", 920, NULL}}},
    {"C04", true, {{RT, NULL, "cycles", 870, NULL}}},
    {"C04", false, {{RT, NULL, "cycles", 800, NULL}}},
    {"C05", true, {{RT, "cfd", "cycles", 700, NULL}}},
    {"C05", false, {{RT, "cfd", "cycles", 800, NULL}}},
    {"C06", true, {{"coop=ccn-b", "lbm", "cycles", 1100, NULL}}},
    {"C06", false, {{0}}},
    {"C07", true, {{RT, "lbm", "cycles", 1020, NULL}}},
    {"C07", false, {{RT, "lbm", "cycles", 1040, NULL}}},
    {"C08", true, {{RT, NULL, "l2.accesses", 710, NULL}, {IDEAL, NULL, "l2.accesses", 670, NULL}}},
    {"C08", false, {{RT, NULL, "l2.accesses", 710, NULL}, {IDEAL, NULL, "l2.accesses", 600, NULL}}},
    {"C08", false, {{RT, NULL, "l2.accesses", 800, NULL}, {IDEAL, NULL, "l2.accesses", 790, NULL}}},
    {"C09", true, {{RT, NULL, "sm.miss_latency", 230000, NULL}}},
    {"C09", false, {{RT, NULL, "sm.miss_latency", 260000, NULL}}},
    {"C10", true, {{RT, NULL, "sm.stall_memory", 350, NULL}, {IDEAL, NULL, "sm.stall_memory", 330, NULL}}},
    {"C10", false, {{RT, NULL, "sm.stall_memory", 500, NULL}, {IDEAL, NULL, "sm.stall_memory", 330, NULL}}},
    {"C11", true, {{RT, "streamcluster", "dram.reads", 700, NULL}}},
    {"C11", false, {{RT, NULL, "dram.reads", 860, NULL}}},
    {"C12", true, {{0}}},
    {"C12", false, {{NULL, NULL, "area.ring", 0.1, NULL}}},
    {"C13", true, {{RT, NULL, "energy.total", 104, NULL}}},
    {"C13", false, {{RT, NULL, "energy.total", 98, NULL}}},
    {"C14", true, {{RT, NULL, "cycles", 870, NULL}, {RT_BIG, NULL, "cycles", 830, NULL}}},
    {"C14", false, {{RT, NULL, "cycles", 870, NULL}, {RT_BIG, NULL, "cycles", 880, NULL}}},
    {"C15", true, {{RT, NULL, "cycles", 870, NULL}, {HOP("3"), NULL, "cycles", 880, NULL}, {HOP("5"), NULL, "cycles", 900, NULL}}},
    {"C15", false, {{RT, NULL, "cycles", 870, NULL}, {HOP("3"), NULL, "cycles", 880, NULL}, {HOP("5"), NULL, "cycles", 940, NULL}}},
    {"C15", false, {{RT, NULL, "cycles", 870, NULL}, {HOP("3"), NULL, "cycles", 860, NULL}, {HOP("5"), NULL, "cycles", 900, NULL}}},
    {"C16", true, {{RT, NULL, "cycles", 870, NULL}, {RT "," LANES("4"), NULL, "cycles", 880, NULL},
                   {RT "," LANES("8"), NULL, "cycles", 890, NULL}, {RT "," LANES("12"), NULL, "cycles", 900, NULL}}},
    {"C16", false, {{RT, NULL, "cycles", 870, NULL}, {RT "," LANES("4"), NULL, "cycles", 880, NULL},
                    {RT "," LANES("8"), NULL, "cycles", 890, NULL}, {RT "," LANES("12"), NULL, "cycles", 1010, NULL}}},
    {"C17", true, {{BANKS, NULL, "cycles", 900, NULL}, {RT, NULL, "cycles", 870, NULL}, {RT "," BANKS, NULL, "cycles", 800, NULL}}},
    {"C17", false, {{BANKS, NULL, "cycles", 860, NULL}, {RT, NULL, "cycles", 870, NULL}, {RT "," BANKS, NULL, "cycles", 800, NULL}}},
    {"C18", true, {{"coop=cluster,coop.cluster=3", NULL, "cycles", 960, NULL}, {"coop=cluster,coop.cluster=5", NULL, "cycles", 920, NULL},
                   {IDEAL, NULL, "cycles", 830, NULL}}},
    {"C18", false, {{"coop=cluster,coop.cluster=3", NULL, "cycles", 960, NULL}, {"coop=cluster,coop.cluster=5", NULL, "cycles", 820, NULL},
                    {IDEAL, NULL, "cycles", 830, NULL}}},
    {"C19", true, {{RT, NULL, "sm.miss_latency", 208140, NULL}}}, /* equation 3: 222 + 54 for 710, 42 for 290 */
    {"C19", false, {{RT, NULL, "sm.miss_latency", 260000, NULL}}},
    {"C20", true, {{0}}},
    {"C20", false, {{RT, NULL, "coop.hit_hops", 3400, NULL}}},
    {"C21", true, {MAP("cutcp", FOUR), MAP("dwt2d", RING4("9", "1")), MAP("km", FALLS), MAP("tpacf", RING4("5", "5"))}},
    {"C21", false, {MAP("cutcp", RING4("9", "1")), MAP("dwt2d", RING4("5", "5")), MAP("km", FALLS), MAP("tpacf", RING4("5", "5"))}},
    {"C22", true, {{0}}},
    {"C22", false, {{NULL, NULL, "storage.coop.tags", 9632, NULL}}},
};

static void test_each_rule_can_hold_and_can_differ(void **state) {
  (void)state;
  kit_check_group(claims_c, usual, cases, sizeof cases / sizeof *cases);
}

/* 150 of 650 slots that wait for memory, which are 150 of 1,000 in all. */
static void test_stalls_may_be_those_of_memory(void **state) {
  (void)state;
  const struct kit_case fewer = {"C10", true, {{RT, NULL, "sm.stall_memory", 450, NULL}}},
                        by_default = {"C10", false, {{RT, NULL, "sm.stall_memory", 450, NULL}}};
  kit_check_case("c.stalls=memory", usual, &fewer);
  kit_check_case(NULL, usual, &by_default);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_each_rule_can_hold_and_can_differ),
      cmocka_unit_test(test_stalls_may_be_those_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
