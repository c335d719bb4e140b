/* The rules about the adaptive last-level cache under made-up numbers: each holds for some and differs for others. */
#include "claims_kit.h"

extern const struct claim_rule claims_a[];

#define HXBAR "noc.topology=hxbar"
#define PRIVATE HXBAR ",llc.mode=private"
#define ADAPTIVE HXBAR ",llc.mode=adaptive"
#define CXBAR(n) "noc.topology=cxbar,noc.concentration=" #n
#define NARROW(bytes) HXBAR ",noc.flit_bytes=" #bytes
#define HYNIX ",dram.map=hynix,dram.layout=RRRRRRRRRRRRBBBCCCCCBCSSSSSSS"
#define LARGE ",gpu.sms=160,gpu.clusters=16,l2.slices_per_channel=16"
#define DISTRIBUTED ",gpu.cta_scheduler=distributed"
#define APART HXBAR ",llc.program_modes=private:shared"
#define SHARING "probes.sharing.shared"
#define GAIN(set, by) {set, NULL, "cycles", 100 / (1 + (by) / 100.0), NULL}
#define GAIN_OF(set, name, by) {set, name, "cycles", 100 / (1 + (by) / 100.0), NULL}
#define AREA(set, mm2) {set, "vectoradd", "area.noc", mm2, NULL}
#define NOC(set, joule) {set, NULL, "energy.noc", joule, NULL}

/* No mode or network makes a difference. */
static const struct kit_row usual[] = {
    {NULL, NULL, "cycles", 100, NULL},
    {NULL, NULL, "ipc", 100, NULL},
    {NULL, NULL, "programs.0.ipc", 50, NULL},
    {NULL, NULL, "programs.1.ipc", 50, NULL},
    {NULL, NULL, "noc.reply_flits", 1000, NULL},
    {NULL, NULL, "l2.accesses", 1000, NULL},
    {NULL, NULL, "l2.misses", 100, NULL},
    {NULL, NULL, "energy.noc", 1, NULL},
    {NULL, NULL, "energy.total", 10, NULL},
    {NULL, NULL, "energy.dram", 4, NULL},
    {NULL, NULL, "area.noc", 10, NULL},
    {NULL, NULL, "llc.profiles", 3, NULL},
    {NULL, NULL, "llc.to_private", 2, NULL},
    {NULL, NULL, "llc.drain_cycles", 0, NULL},
    {NULL, NULL, "llc.write_back_cycles", 0, NULL},
    {NULL, NULL, "llc.invalidate_cycles", 0, NULL},
    {NULL, NULL, "llc.gate_cycles", 0, NULL},
    {NULL, NULL, SHARING, 0.1, NULL},
    {0},
};

#define PRIVATE_FRIENDLY(stat, value)                                                                                         \
  {NULL, "alexnet", stat, value, NULL}, {NULL, "resnet", stat, value, NULL}, {NULL, "squeezenet", stat, value, NULL},         \
      {NULL, "nn-fc", stat, value, NULL}, {NULL, "matrixmul", stat, value, NULL}
#define SHARED_FRIENDLY(stat, value)                                                                                          \
  {NULL, "lud", stat, value, NULL}, {NULL, "sp", stat, value, NULL}, {NULL, "3dconv", stat, value, NULL},                     \
      {NULL, "b+tree", stat, value, NULL}, {NULL, "gemm", stat, value, NULL}, {NULL, "backprop", stat, value, NULL}

static const struct kit_case cases[] = {
    {"A01", true, {GAIN(PRIVATE, 5), GAIN_OF(PRIVATE, "nn-fc", -5)}},
    {"A01", false, {GAIN(PRIVATE, 5), GAIN_OF(PRIVATE, "nn-fc", -5), GAIN_OF(PRIVATE, "alexnet", -1)}},
    {"A02", true, {GAIN(PRIVATE, -20)}},
    {"A02", false, {GAIN(PRIVATE, -27)}},
    {"A02", false, {GAIN(PRIVATE, -25), GAIN_OF(PRIVATE, "gemm", 1)}},
    {"A03", true, {GAIN(ADAPTIVE, 21)}},
    {"A03", false, {GAIN(ADAPTIVE, 19)}},
    {"A04", true, {GAIN(ADAPTIVE, 10), GAIN_OF(ADAPTIVE, "resnet", 50)}},
    {"A04", false, {GAIN(ADAPTIVE, 20)}},
    {"A05", true, {GAIN(ADAPTIVE, 1), GAIN_OF(ADAPTIVE, "vectoradd", -3)}},
    {"A05", false, {GAIN(ADAPTIVE, 1), GAIN_OF(ADAPTIVE, "vectoradd", -5)}},
    {"A05", false, {GAIN(ADAPTIVE, 3)}},
    {"A06", true, {GAIN(PRIVATE, 30)}},
    {"A06", false, {GAIN(PRIVATE, 20)}},
    {"A07", true, {{PRIVATE, NULL, "l2.misses", 400, NULL}}},
    {"A07", false, {{PRIVATE, NULL, "l2.misses", 250, NULL}}},
    {"A08", true, {{PRIVATE, NULL, "l2.misses", 250, NULL}}},
    {"A08", false, {{PRIVATE, NULL, "l2.misses", 400, NULL}}},
    {"A09", true, {PRIVATE_FRIENDLY(SHARING, 0.6), SHARED_FRIENDLY(SHARING, 0.2)}},
    {"A09", false, {PRIVATE_FRIENDLY(SHARING, 0.45), SHARED_FRIENDLY(SHARING, 0.2)}},
    {"A09", false, {PRIVATE_FRIENDLY(SHARING, 0.6), SHARED_FRIENDLY(SHARING, 0.05)}},
    {"A10", true, {NOC(ADAPTIVE, 0.7)}},
    {"A10", false, {NOC(ADAPTIVE, 0.85), NOC(PRIVATE, 0.7)}},
    {"A11", true, {{PRIVATE, NULL, "energy.total", 9.5, NULL}}},
    {"A11", false, {{PRIVATE, NULL, "energy.total", 10.1, NULL}}},
    {"A12", true, {GAIN(HXBAR, -4), GAIN(NARROW(16), 3), GAIN(NARROW(4), 10)}},
    {"A12", false, {GAIN(HXBAR, -6), GAIN(NARROW(4), 10)}},
    {"A12", false, {GAIN(NARROW(4), -1)}},
    {"A13", true, {AREA(HXBAR, 3), AREA(NARROW(16), 2.5), AREA(NARROW(8), 2.5), AREA(NARROW(4), 4)}},
    {"A13", false, {AREA(HXBAR, 3), AREA(NARROW(16), 2.5), AREA(NARROW(8), 1), AREA(NARROW(4), 4)}},
    {"A14", true, {NOC(NARROW(8), 0.35)}},
    {"A14", false, {NOC(HXBAR, 0.2), NOC(NARROW(8), 0.45)}},
    {"A15", true, {{APART, NULL, "programs.0.ipc", 57.1, NULL}}},
    {"A15", false, {{APART, NULL, "programs.0.ipc", 51.3, NULL}}},
    {"A15", false, {{APART, NULL, "programs.0.ipc", 71.4, NULL}}},
    {"A16", true, {GAIN(ADAPTIVE, 20), GAIN(ADAPTIVE HYNIX, 21)}},
    {"A16", false, {GAIN(ADAPTIVE, 20), GAIN(ADAPTIVE HYNIX, 19)}},
    {"A16", false, {{0}}},
    {"A17", true, {GAIN(ADAPTIVE, 20), GAIN(ADAPTIVE ",noc.flit_bytes=64", 10), GAIN(ADAPTIVE ",noc.flit_bytes=16", 30)}},
    {"A17", false, {GAIN(ADAPTIVE, 20), GAIN(ADAPTIVE ",noc.flit_bytes=64", 10), GAIN(ADAPTIVE ",noc.flit_bytes=16", 15)}},
    {"A17", false, {GAIN(ADAPTIVE, 20), GAIN(ADAPTIVE ",noc.flit_bytes=64", -1), GAIN(ADAPTIVE ",noc.flit_bytes=16", 30)}},
    {"A18", true, {GAIN(ADAPTIVE, 20), GAIN(ADAPTIVE LARGE, 30)}},
    {"A18", false, {GAIN(ADAPTIVE, 20), GAIN(ADAPTIVE LARGE, 19)}},
    {"A19", true, {GAIN(ADAPTIVE ",l1.ways=8", 20), GAIN(ADAPTIVE ",l1.ways=12", 21), GAIN(ADAPTIVE ",l1.ways=16", 10)}},
    {"A19", false, {GAIN(ADAPTIVE ",l1.ways=8", 20), GAIN(ADAPTIVE ",l1.ways=12", 9), GAIN(ADAPTIVE ",l1.ways=16", 10)}},
    {"A19", false, {GAIN(ADAPTIVE ",l1.ways=8", 20), GAIN(ADAPTIVE ",l1.ways=12", 21), GAIN(ADAPTIVE ",l1.ways=16", -1)}},
    {"A20", true, {GAIN(ADAPTIVE, 20), GAIN(ADAPTIVE DISTRIBUTED, 15)}},
    {"A20", false, {GAIN(ADAPTIVE, 20), GAIN(ADAPTIVE DISTRIBUTED, 25)}},
    {"A20", false, {GAIN(ADAPTIVE, -1), GAIN(ADAPTIVE DISTRIBUTED, -2)}},
    {"A21", true, {{ADAPTIVE, NULL, "llc.drain_cycles", 1, NULL}, {ADAPTIVE, NULL, "llc.gate_cycles", 0.5, NULL}}},
    {"A21", false, {{ADAPTIVE, NULL, "llc.drain_cycles", 1, NULL}, {ADAPTIVE, NULL, "llc.write_back_cycles", 1.1, NULL}}},
    {"A21", false, {{ADAPTIVE, NULL, "llc.to_private", 0, NULL}}},
    {"A22", true, {{ADAPTIVE, NULL, "storage.llc.atd", 3456, NULL}, {ADAPTIVE, NULL, "storage.llc.counters", 128, NULL}}},
    {"A22", false, {{ADAPTIVE, NULL, "storage.llc.atd", 3584, NULL}, {ADAPTIVE, NULL, "storage.llc.counters", 128, NULL}}},
};

static void test_every_rule_holds_and_differs(void **state) {
  (void)state;
  kit_check_group(claims_a, usual, cases, sizeof cases / sizeof *cases);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_rule_holds_and_differs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
