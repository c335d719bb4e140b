/* Energy of whole small GPUs: every statistic the model asks for is counted, parts add up, intervals add up, and an SM's
 * operations are its thread instructions. */
#include "gpu_rig.h"

#include "cost/energy.h"
#include "cost/hardware.h"
#include "gpu/results/report.h"
#include "noc/router.h"

#include <math.h>

static const char mixed[] =
    ".shared .align 4 .b8 buf[1024];\n"
    "mov.u64 %rd3, 0; mov.u32 %r20, buf; mad.lo.u32 %r20, %r1, 4, %r20; mad.lo.u32 %r3, %r2, 128, %r1;"
    "L: mul.lo.u32 %r4, %r3, 7919; and.b32 %r4, %r4, 0x3fffc; cvt.u64.u32 %rd4, %r4; add.u64 %rd5, %rd1, %rd4;"
    "ld.global.u32 %r5, [%rd5]; cvt.rn.f32.u32 %f1, %r5; fma.rn.f32 %f2, %f1, %f1, %f1; sin.approx.f32 %f3, %f2;"
    "st.shared.f32 [%r20], %f3; bar.sync 0; st.global.f32 [%rd5+262144], %f3; add.u32 %r3, %r3, 4099;"
    "add.u64 %rd3, %rd3, 1; setp.lt.u64 %p1, %rd3, %rd2; @%p1 bra L;";

static double at(const json_t *o, const char *object, const char *name) {
  const json_t *v = json_object_get(json_object_get(o, object), name);
  if (!json_is_number(v)) fail_msg("there is no %s.%s", object, name);
  return json_number_value(v);
}

static void near(double a, double b, const char *what) {
  if (fabs(a - b) > 1e-9 * (fabs(a) + fabs(b)) + 1e-18) fail_msg("%s: %.12g is not %.12g", what, a, b);
}

static json_t *run(const char *more, uint64_t interval) {
  struct rig r;
  rig_open(&r, TWELVE_SMS, more);
  if (interval) gpu_set_watch(r.gpu, &(struct gpu_watch){.interval = interval});
  rig_run(&r, mixed, 40, 128, 4);
  rig_run(&r, mixed, 20, 96, 3);
  json_t *report = gpu_report(r.gpu);
  rig_close(&r);
  return report;
}

static void test_every_statistic_of_the_model_is_counted(void **state) {
  (void)state;
  struct rig r;
  rig_open(&r, TWELVE_SMS, "coop = \"ccn-b\"\n");
  const struct stats *s = gpu_stats(r.gpu);
  for (int i = 0; i < POWER_STATISTICS; i++) {
    bool found = false;
    for (size_t k = 0; k < stats_count(s); k++) found |= !strcmp(stats_def(s, k)->name, power_statistics[i]);
    if (!found) fail_msg("no component counts %s", power_statistics[i]);
  }
  rig_close(&r);
}

/* A ring between the SMs has area, leakage, and energy for each flit and hop. */
static void test_a_ring_between_sms_costs(void **state) {
  (void)state;
  json_t *without = run(NULL, 0), *with = run("coop = \"ccn-b\"\n", 0);
  assert_true(at(without, "area", "ring") == 0 && at(without, "area", "ring_wires") == 0);
  assert_true(at(with, "area", "ring") > 0 && at(with, "area", "ring_wires") > 0);
  const json_t *detail = json_object_get(json_object_get(with, "energy"), "detail");
  static const char *const items[] = {"ring_requests", "ring_leakage"};
  for (unsigned i = 0; i < 2; i++) assert_true(json_number_value(json_object_get(detail, items[i])) > 0);
  assert_true(at(with, "energy", "added") > at(without, "energy", "added"));
  assert_int_equal(json_array_size(json_object_get(json_object_get(with, "storage"), "parts")), 3);
  json_decref(without);
  json_decref(with);
}

static void test_parts_add_up_to_the_total(void **state) {
  (void)state;
  json_t *root = run(NULL, 0);
  double sum = 0, detail = 0;
  for (int i = 0; i < POWER_PARTS; i++) {
    double part = at(root, "energy", power_parts[i].name);
    assert_true(part >= 0);
    sum += part;
  }
  near(sum, at(root, "energy", "total"), "parts");
  near(at(root, "energy", "noc_routers") + at(root, "energy", "noc_links"), at(root, "energy", "noc"), "network");
  const char *name;
  json_t *v;
  json_object_foreach(json_object_get(json_object_get(root, "energy"), "detail"), name, v) detail += json_number_value(v);
  near(detail, sum, "items");
  double seconds = json_number_value(json_object_get(root, "cycles")) / 1400e6;
  near(at(root, "power", "total"), sum / seconds, "power");
  json_decref(root);
}

static void test_kernels_and_intervals_add_up(void **state) {
  (void)state;
  json_t *root = run(NULL, 500), *o;
  size_t i;
  for (int p = 0; p < POWER_PARTS; p++) {
    double kernels = 0, intervals = 0;
    json_array_foreach(json_object_get(root, "kernels"), i, o) kernels += at(o, "energy", power_parts[p].name);
    json_array_foreach(json_object_get(root, "intervals"), i, o) intervals += at(o, "energy", power_parts[p].name);
    assert_true(i > 4);
    near(kernels, at(root, "energy", power_parts[p].name), power_parts[p].name);
    near(intervals, kernels, power_parts[p].name);
  }
  json_decref(root);
}

static void test_operations_are_the_thread_instructions(void **state) {
  (void)state;
  static const char *const kinds[] = {"int", "multiply", "fp32", "fp64", "sfu", "tensor", "other"};
  json_t *root = run(NULL, 0);
  double sum = 0;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    char name[64];
    snprintf(name, sizeof name, "%s_operations", kinds[i]);
    sum += at(root, "sm", name);
  }
  near(sum, at(root, "sm", "thread_instructions"), "operations");
  /* one fma, one sine and one conversion (widening an integer is a move) in each turn */
  double turns = 4 * 40 * 128 + 3 * 20 * 96;
  near(at(root, "sm", "fp32_operations"), turns, "fma");
  near(at(root, "sm", "sfu_operations"), 2 * turns, "sine and conversion");
  assert_true(at(root, "sm", "register_reads") > at(root, "sm", "register_writes"));
  json_decref(root);
}

/* The same run under another price of one event: only that part changes, by the difference of the price. */
static void test_a_key_prices_its_event_and_nothing_else(void **state) {
  (void)state;
  json_t *a = run("power.node = 28\npower.op.fp32 = 100\n", 0), *b = run("power.node = 28\npower.op.fp32 = 150\n", 0);
  double fp32 = at(a, "sm", "fp32_operations");
  near(at(b, "energy", "core") - at(a, "energy", "core"), fp32 * 50e-12, "core");
  for (int p = 0; p < POWER_PARTS; p++)
    if (p != POWER_CORE) near(at(a, "energy", power_parts[p].name), at(b, "energy", power_parts[p].name), power_parts[p].name);
  json_decref(a);
  json_decref(b);
}

static void test_added_storage_is_reported(void **state) {
  (void)state;
  json_t *base = run(NULL, 0), *tsc = run("l1.org = \"tsc\"\nl1.sets = 32\nl1.ways = 4\n", 0);
  assert_true(at(base, "storage", "added_bits") == 0);
  assert_true(at(base, "energy", "added") == 0);
  assert_true(at(tsc, "storage", "added_bits") == 12 * 4736);
  assert_true(at(tsc, "storage", "added_mm2") > 0);
  assert_true(at(tsc, "energy", "added") > 0);
  json_decref(base);
  json_decref(tsc);
}

/* Every number of energy, power, area and storage has a row with unit and meaning, and every row is in a report. */
static void test_names_are_declared(void **state) {
  (void)state;
  static const char *const objects[] = {"energy", "power", "area", "storage"};
  json_t *root = run(NULL, 0);
  size_t n, numbers = 0;
  const struct stat_def *defs = cost_energy_defs(&n);
  for (size_t i = 0; i < n; i++) {
    char object[64];
    snprintf(object, sizeof object, "%.*s", (int)strcspn(defs[i].name, "."), defs[i].name);
    at(root, object, strchr(defs[i].name, '.') + 1);
    assert_true(*defs[i].unit && *defs[i].meaning);
  }
  for (size_t k = 0; k < 4; k++) {
    const char *name;
    json_t *v;
    json_object_foreach(json_object_get(root, objects[k]), name, v) numbers += json_is_number(v);
  }
  assert_int_equal(numbers, n);
  json_decref(root);
}

/* What a topology says it is built of is what it builds: routers, their ports, links between them. */
static void test_networks_are_built_of_what_they_say(void **state) {
  (void)state;
  static const char *const gpus[][2] = {{"cxbar", "4"}, {"cxbar", "1"}, {"hxbar", "2"}};
  for (size_t g = 0; g < sizeof gpus / sizeof *gpus; g++) {
    char text[256];
    struct cfg *c = gpu_cfg_new();
    struct err e = {0};
    struct noc_fabric f;
    snprintf(text, sizeof text, "noc.topology = \"%s\"\nnoc.concentration = \"%s\"\ngpu.clusters = 8\n"
             "dram.channels = 8\nl2.slices_per_channel = 8\ngpu.sms = 80\n", gpus[g][0], gpus[g][1]);
    if (!cfg_read_text(c, "test.toml", text, &e) || !noc_fabric_init(&f, c, 80, 64, 1, &e)) fail_msg("%s", e.text);
    for (unsigned i = 0; i < 2; i++) {
      const struct noc_net *n = (const struct noc_net *)f.net[i];
      struct noc_hardware h = {0};
      unsigned routers = 0, ins = 0, outs = 0, links = 0, built = 0;
      n->base.topology->hardware(c, &n->base.shape, &h);
      for (unsigned k = 0; k < h.routers; k++) {
        if (h.router[k].bare) continue;
        routers += h.router[k].n;
        ins += h.router[k].n * h.router[k].ins;
        outs += h.router[k].n * h.router[k].outs;
      }
      for (unsigned k = 0; k < h.links; k++) links += h.link[k].terminal ? 0 : h.link[k].n;
      for (unsigned k = 0; k < n->outs; k++) built += !n->out[k].sink;
      assert_int_equal(routers, n->routers);
      assert_int_equal(ins, n->ins);
      assert_int_equal(outs, n->outs);
      assert_int_equal(links, built);
    }
    noc_fabric_free(&f);
    cfg_delete(c);
  }
}

/* Gated routers: a private L2 on a hierarchical crossbar spends less in routers a second than a shared one, and what a flit
 * pays there is that of the routers it crossed. */
static void test_gating_saves_energy_in_a_whole_gpu(void **state) {
  (void)state;
  static const char same[] = "noc.topology = \"hxbar\"\ngpu.clusters = 2\nllc.mode = \"%s\"\n";
  char text[128];
  snprintf(text, sizeof text, same, "shared");
  json_t *shared = run(text, 0);
  snprintf(text, sizeof text, same, "private");
  json_t *private_ = run(text, 0);
  assert_true(at(shared, "noc", "request_gated_cycles") == 0);
  assert_true(at(private_, "noc", "request_gated_cycles") > 0);
  assert_true(at(private_, "power", "noc_routers") < at(shared, "power", "noc_routers"));
  near(at(shared, "noc", "request_router_flits"), 2 * at(shared, "noc", "request_flits"), "two routers a flit");
  near(at(private_, "noc", "request_router_flits"), at(private_, "noc", "request_flits"), "one router a flit");
  json_decref(shared);
  json_decref(private_);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_statistic_of_the_model_is_counted),
      cmocka_unit_test(test_a_ring_between_sms_costs),
      cmocka_unit_test(test_parts_add_up_to_the_total),
      cmocka_unit_test(test_kernels_and_intervals_add_up),
      cmocka_unit_test(test_operations_are_the_thread_instructions),
      cmocka_unit_test(test_a_key_prices_its_event_and_nothing_else),
      cmocka_unit_test(test_added_storage_is_reported),
      cmocka_unit_test(test_names_are_declared),
      cmocka_unit_test(test_networks_are_built_of_what_they_say),
      cmocka_unit_test(test_gating_saves_energy_in_a_whole_gpu),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
