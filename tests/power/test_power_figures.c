/* Every figure of energy, power, area and storage in a report, by its name: counted events times what one costs, put together here
 * from the statistics of the same report and the arrays, routers and links of the configuration. Prices are keys; what an array or a
 * router costs is tested in test_power_models.c. */
#include "gpu_rig.h"

#include "cost/hardware.h"
#include "gpu/results/report.h"

#include <math.h>

/* Twelve SMs behind crossbars, a ring between them; prices that tell one event from another. */
static const char config[] =
    "coop = \"ccn-b\"\npower.node = 28\npower.op.int = 10\npower.op.multiply = 20\npower.op.fp32 = 30\npower.op.fp64 = 40\n"
    "power.op.sfu = 50\npower.op.tensor = 60\npower.op.other = 70\npower.register = 2\npower.shared.move = 5\npower.l1.move = 3\n"
    "power.l2.move = 11\npower.dram.device_bytes = 4\npower.dram.activate = 6000\npower.dram.refresh = 70000\npower.dram.read = 5\n"
    "power.dram.write = 9\npower.dram.path = 25\npower.dram.background = 0.5\npower.sm.static = 1\npower.sm.idle = 0.25\n"
    "power.constant = 30\n";

static const char kernel[] =
    ".shared .align 4 .b8 buf[1024];\n"
    "mov.u64 %rd3, 0; mov.u32 %r20, buf; mad.lo.u32 %r20, %r1, 4, %r20; mad.lo.u32 %r3, %r2, 128, %r1;"
    "L: mul.lo.u32 %r4, %r3, 7919; and.b32 %r4, %r4, 0x3fffc; cvt.u64.u32 %rd4, %r4; add.u64 %rd5, %rd1, %rd4;"
    "ld.global.u32 %r5, [%rd5]; cvt.rn.f32.u32 %f1, %r5; fma.rn.f32 %f2, %f1, %f1, %f1; sin.approx.f32 %f3, %f2;"
    "st.shared.f32 [%r20], %f3; bar.sync 0; st.global.f32 [%rd5+262144], %f3; add.u32 %r3, %r3, 4099;"
    "add.u64 %rd3, %rd3, 1; setp.lt.u64 %p1, %rd3, %rd2; @%p1 bra L;";

enum { SECTOR = 256, LINE = 1024, WORDS = 1024 /* bits of a word of all lanes */ };
#define PJ 1e-12
#define DIE_SIDE 24.6
#define TOGGLE 0.25

struct run {
  struct rig rig;
  json_t *report;
  struct power_chip chip;
  struct power_tech tech;
  double seconds;
};

static void open_run(struct run *r) {
  struct err e = {0};
  rig_open(&r->rig, TWELVE_SMS, config);
  rig_run(&r->rig, kernel, 40, 128, 6);
  rig_run(&r->rig, kernel, 20, 96, 5);
  r->report = gpu_report(r->rig.gpu);
  if (!cost_hardware(r->rig.cfg, &r->chip, &e)) fail_msg("%s", e.text);
  r->tech = power_tech(28, 340);
  r->seconds = json_number_value(json_object_get(r->report, "cycles")) / 1400e6;
}
static void close_run(struct run *r) {
  json_decref(r->report);
  rig_close(&r->rig);
}

static double counted(const struct run *r, const char *name) {
  uint64_t n = rig_stat(&r->rig, name);
  if (!n) fail_msg("the kernel counts no %s", name); /* a price that is not asked for is not tested */
  return (double)n;
}

/* "energy.core" is the report's. */
static void expect_figure(const struct run *r, const char *name, double value) {
  char object[32];
  snprintf(object, sizeof object, "%.*s", (int)strcspn(name, "."), name);
  const json_t *v = json_object_get(json_object_get(r->report, object), strchr(name, '.') + 1);
  if (!json_is_number(v)) fail_msg("there is no %s", name);
  double got = json_number_value(v);
  if (fabs(got - value) > 1e-9 * fabs(value)) fail_msg("%s is %.12g, not %.12g", name, got, value);
}

/* Energy, and over the time of the kernels power. */
static void expect_part(const struct run *r, const char *energy, const char *power, double joules) {
  expect_figure(r, energy, joules);
  expect_figure(r, power, joules / r->seconds);
}

static struct power_sram sram(const struct run *r, double bits, double width) {
  return power_sram(&r->tech, &(struct power_sram_shape){bits, width, 1});
}

/* ---- parts ---- */

static double core(const struct run *r) {
  return PJ * (10 * counted(r, "sm.int_operations") + 20 * counted(r, "sm.multiply_operations") + 30 * counted(r, "sm.fp32_operations") +
               50 * counted(r, "sm.sfu_operations") + 70 * counted(r, "sm.other_operations"));
}

static double registers(const struct run *r) {
  return PJ * 2 * (counted(r, "sm.register_reads") + counted(r, "sm.register_writes"));
}

static double shared(const struct run *r) { return PJ * 5 * WORDS * counted(r, "sm.shared_accesses"); }

static double l1(const struct run *r) {
  const struct power_chip *c = &r->chip;
  double lookup = sram(r, c->l1_bits, LINE).access + sram(r, c->l1_tag_bits, c->l1_set_bits).access;
  return counted(r, "l1d.accesses") * lookup + counted(r, "l1d.asked_bytes") * 8 * 3 * PJ +
         counted(r, "l1d.fill_bytes") * sram(r, c->l1_bits, SECTOR).access / 32 +
         counted(r, "const.accesses") * sram(r, c->readonly_bits, SECTOR).access;
}

static double l2(const struct run *r) {
  const struct power_chip *c = &r->chip;
  double sector = sram(r, c->l2_bits, SECTOR).access, byte = sector / 32 + 8 * 11 * PJ;
  return counted(r, "l2.accesses") * sram(r, c->l2_tag_bits, c->l2_set_bits).access +
         byte * (counted(r, "l2.reply_bytes") + counted(r, "l2.write_bytes")) +
         sector * (counted(r, "l2.fetched_sectors") + 4 * counted(r, "l2.writebacks"));
}

static struct power_router router(const struct run *r, unsigned net) {
  struct power_router_shape shape = r->chip.net[net].router[0].shape;
  shape.toggle = TOGGLE;
  return power_router(&r->tech, &shape);
}
static struct power_link link_of(const struct run *r, unsigned net, unsigned i) {
  const struct power_net_link *l = &r->chip.net[net].link[i];
  return power_link(&r->tech, &(struct power_link_shape){l->sides * DIE_SIDE, l->bits, l->cycles / r->chip.noc_hz, TOGGLE});
}

/* A crossbar a direction: the request network is the first. */
static double routers(const struct run *r) {
  struct power_router request = router(r, 0), reply = router(r, 1);
  return counted(r, "noc.request_router_flits") * request.flit + counted(r, "noc.reply_router_flits") * reply.flit +
         r->seconds * ((request.clock + reply.clock) * r->chip.noc_hz + request.leakage + reply.leakage);
}

static double links(const struct run *r) {
  double sum = 0;
  for (unsigned net = 0; net < 2; net++)
    for (unsigned i = 0; i < r->chip.net[net].links; i++) {
      struct power_link l = link_of(r, net, i);
      sum += l.flit * counted(r, net ? "noc.reply_flits" : "noc.request_flits") + r->seconds * r->chip.net[net].link[i].n * l.leakage;
    }
  return sum;
}

static double dram(const struct run *r) {
  double devices = r->chip.dram_bus_bytes / 4, bits = 8 * r->chip.dram_burst_bytes;
  return PJ * (devices * (6000 * counted(r, "dram.activates") + 70000 * counted(r, "dram.refreshes")) +
               bits * ((5 + 25) * counted(r, "dram.read_bursts") + (9 + 25) * counted(r, "dram.write_bursts"))) +
         r->seconds * r->chip.channels * devices * 0.5;
}

static struct power_sram store(const struct run *r, size_t i) {
  const struct power_store *s = &r->chip.stores.store[i];
  struct power_sram_shape shape = {(double)s->bits, fmin(s->width, (double)s->bits), 1};
  return s->flops ? power_flops(&r->tech, &shape) : power_sram(&r->tech, &shape);
}
static struct power_ring ring(const struct run *r) { return power_ring(&r->tech, &r->chip.ring, DIE_SIDE, 1400e6, TOGGLE); }

static double added(const struct run *r) {
  double sum = ring(r).request * counted(r, "coop.request_flits") + ring(r).response * (double)rig_stat(&r->rig, "coop.response_flits") +
               r->seconds * ring(r).leakage;
  for (size_t i = 0; i < r->chip.stores.n; i++) {
    const struct power_store *s = &r->chip.stores.store[i];
    sum += store(r, i).access * (s->statistic ? (double)rig_stat(&r->rig, s->statistic) : 0);
    sum += r->seconds * (double)s->instances * store(r, i).leakage;
  }
  return sum;
}

static double standing(const struct run *r) {
  const struct power_chip *c = &r->chip;
  double l2_leakage = sram(r, c->l2_bits, SECTOR).leakage + sram(r, c->l2_tag_bits, c->l2_set_bits).leakage;
  return r->seconds * (12 * 0.25 + 30 + c->slices * l2_leakage) + counted(r, "sm.active_cycles") * (1 - 0.25) / 1400e6;
}

static void test_energy_and_power_of_every_part(void **state) {
  (void)state;
  struct run r;
  open_run(&r);
  expect_part(&r, "energy.core", "power.core", core(&r));
  expect_part(&r, "energy.register_file", "power.register_file", registers(&r));
  expect_part(&r, "energy.shared", "power.shared", shared(&r));
  expect_part(&r, "energy.l1", "power.l1", l1(&r));
  expect_part(&r, "energy.l2", "power.l2", l2(&r));
  expect_part(&r, "energy.noc_routers", "power.noc_routers", routers(&r));
  expect_part(&r, "energy.noc_links", "power.noc_links", links(&r));
  expect_part(&r, "energy.dram", "power.dram", dram(&r));
  expect_part(&r, "energy.added", "power.added", added(&r));
  expect_part(&r, "energy.static", "power.static", standing(&r));
  expect_part(&r, "energy.noc", "power.noc", routers(&r) + links(&r));
  double total = core(&r) + registers(&r) + shared(&r) + l1(&r) + l2(&r) + routers(&r) + links(&r) + dram(&r) + added(&r) + standing(&r);
  expect_part(&r, "energy.total", "power.total", total);
  close_run(&r);
}

static void test_area_of_every_part(void **state) {
  (void)state;
  struct run r;
  open_run(&r);
  const struct power_chip *c = &r.chip;
  double noc_links = 0, wires = 0, noc_routers = router(&r, 0).area + router(&r, 1).area;
  for (unsigned net = 0; net < 2; net++)
    for (unsigned i = 0; i < c->net[net].links; i++) {
      noc_links += c->net[net].link[i].n * link_of(&r, net, i).area;
      wires += c->net[net].link[i].n * link_of(&r, net, i).wires;
    }
  expect_figure(&r, "area.register_file", 12 * sram(&r, c->register_bits, WORDS).area);
  expect_figure(&r, "area.shared", 12 * sram(&r, c->shared_bits, WORDS).area);
  expect_figure(&r, "area.l1", 12 * sram(&r, c->l1_bits, LINE).area);
  expect_figure(&r, "area.l1_tags", 12 * sram(&r, c->l1_tag_bits, c->l1_set_bits).area);
  expect_figure(&r, "area.readonly", 12 * sram(&r, c->readonly_bits, SECTOR).area);
  expect_figure(&r, "area.l2", 4 * sram(&r, c->l2_bits, SECTOR).area);
  expect_figure(&r, "area.l2_tags", 4 * sram(&r, c->l2_tag_bits, c->l2_set_bits).area);
  expect_figure(&r, "area.noc_routers", noc_routers);
  expect_figure(&r, "area.noc_links", noc_links);
  expect_figure(&r, "area.noc_wires", wires);
  expect_figure(&r, "area.noc", noc_routers + noc_links);
  expect_figure(&r, "area.ring", ring(&r).area);
  expect_figure(&r, "area.ring_wires", ring(&r).wires);
  close_run(&r);
}

static void test_added_storage(void **state) {
  (void)state;
  struct run r;
  open_run(&r);
  double bits = 0, mm2 = 0, leakage = 0;
  assert_int_equal(r.chip.stores.n, 3);
  for (size_t i = 0; i < 3; i++) {
    double n = (double)r.chip.stores.store[i].instances;
    bits += n * (double)r.chip.stores.store[i].bits;
    mm2 += n * store(&r, i).area;
    leakage += n * store(&r, i).leakage;
  }
  expect_figure(&r, "storage.added_bits", bits);
  expect_figure(&r, "storage.added_mm2", mm2);
  expect_figure(&r, "storage.added_leakage", leakage);
  expect_figure(&r, "area.added", mm2);
  close_run(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_energy_and_power_of_every_part),
      cmocka_unit_test(test_area_of_every_part),
      cmocka_unit_test(test_added_storage),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
