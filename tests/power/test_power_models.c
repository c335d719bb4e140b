/* The models alone: a made-up counter vector worked out by hand, how areas and energies grow, published figures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "power/power.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CELSIUS_67 340 /* K, DSENT's temperature */

static void within(double got, double low, double high, const char *what) {
  if (!(got >= low && got <= high)) fail_msg("%s: %g is not in %g to %g", what, got, low, high);
}

static void near(double a, double b, const char *what) {
  if (fabs(a - b) > 1e-9 * (fabs(a) + fabs(b))) fail_msg("%s: %.12g is not %.12g", what, a, b);
}

/* ---- counts to joules ---- */

static struct cfg *keys(const char *text) {
  static const struct cfg_key *const tables[] = {power_keys};
  struct cfg *c = cfg_new(tables, 1);
  struct err e = {0};
  if (!cfg_read_text(c, "test.toml", text, &e)) fail_msg("%s", e.text);
  return c;
}

/* Two SMs, one slice, one channel of 8 bytes, one 2 x 1 router without links. */
static struct power_chip small_chip(void) {
  struct power_chip c = {.sms = 2, .slices = 1, .channels = 1, .core_hz = 1e9, .noc_hz = 5e8,
                         .register_bits = 1 << 20, .shared_bits = 1 << 18, .l1_bits = 1 << 17, .l1_tag_bits = 4096,
                         .readonly_bits = 1 << 16, .l2_bits = 1 << 20, .l2_tag_bits = 1 << 16,
                         .l1_set_bits = 100, .l2_set_bits = 320,
                         .dram_bus_bytes = 8, .dram_burst_bytes = 64};
  c.net[0] = (struct power_net){.request = true, .routers = 1};
  c.net[0].router[0] = (struct power_net_router){"crossbar", 1, {2, 1, 1, 8, 256, 0}, true, false};
  c.nets = 1;
  return c;
}

static void test_a_made_up_run_by_hand(void **state) {
  (void)state;
  struct cfg *c = keys("power.node = 28\npower.op.fp32 = 40\npower.register = 2\npower.shared.move = 5\npower.l2.move = 10\n"
                       "power.dram.activate = 6000\npower.dram.read = 5\npower.dram.path = 25\npower.dram.background = 0.5\n"
                       "power.dram.device_bytes = 4\npower.sm.static = 1\npower.sm.idle = 0.25\npower.constant = 30\n");
  struct power_chip chip = small_chip();
  struct power_model m;
  power_model_init(&m, c, &chip);
  double n[POWER_COUNTS] = {0};
  n[POWER_N_FP32] = 1e6;
  n[POWER_N_REGISTER_READS] = 3e6;
  n[POWER_N_REGISTER_WRITES] = 1e6;
  n[POWER_N_SHARED] = 1000;
  n[POWER_N_ACTIVE] = 1.5e6;
  n[POWER_N_ACTIVATES] = 100;
  n[POWER_N_READ_BURSTS] = 1000;
  n[POWER_N_SECONDS] = 1e-3;
  struct power_energy e = power_energy(&m, n);
  near(e.part[POWER_CORE], 1e6 * 40e-12, "core");
  near(e.part[POWER_REGISTER_FILE], 4e6 * 2e-12, "registers");
  near(e.part[POWER_SHARED], 1000 * 1024 * 5e-12, "shared memory");
  /* two devices a channel; 512 bits a burst */
  near(e.part[POWER_DRAM], 100 * 2 * 6e-9 + 1000 * 512 * 30e-12 + 1e-3 * 2 * 0.5, "DRAM");
  /* two SMs of 1 ms at 0.25 W, and 1.5e6 of their 2e6 cycles at 0.75 W more; L2's leakage besides */
  double sms = 2 * 1e-3 * 0.25 + 1.5e-3 * 0.75, constant = 30e-3;
  near(power_item(&m, n, "static_sm"), sms, "SMs");
  near(e.part[POWER_STATIC], sms + constant + power_item(&m, n, "static_l2"), "static");
  assert_true(e.part[POWER_L1] == 0 && e.part[POWER_L2] == 0 && e.part[POWER_ADDED] == 0 && e.part[POWER_NOC_LINKS] == 0);
  cfg_delete(c);
}

static void test_flits_pay_for_the_routers_and_links_they_pass(void **state) {
  (void)state;
  struct cfg *c = keys("power.node = 22\npower.die_side = 20\n");
  struct power_chip chip = small_chip();
  struct power_model m;
  struct power_tech t = power_tech(22, CELSIUS_67);
  struct power_router_shape first = {4, 2, 1, 8, 256, 0.25}, second = {2, 2, 1, 8, 256, 0.25};
  struct power_link_shape longer = {10, 256, 1 / 5e8, 0.25};
  chip.net[0] = (struct power_net){.request = true, .routers = 2, .links = 1};
  chip.net[0].router[0] = (struct power_net_router){"SM-router", 2, first, true, false};
  chip.net[0].router[1] = (struct power_net_router){"MC-router", 2, second, false, true};
  chip.net[0].link[0] = (struct power_net_link){"long", 4, 256, 0.5, false, 1, false};
  power_model_init(&m, c, &chip);
  struct power_router a = power_router(&t, &first), b = power_router(&t, &second);
  struct power_link l = power_link(&t, &longer);
  double n[POWER_COUNTS] = {0};
  n[POWER_N_REQUEST_FLITS] = 1000;
  n[POWER_N_REQUEST_ROUTERS] = 1700; /* 300 flits went past an MC-router without power */
  n[POWER_N_REQUEST_LINKS] = 1000;
  struct power_energy e = power_energy(&m, n);
  near(e.part[POWER_NOC_ROUTERS], 1000 * a.flit + 700 * b.flit, "routers");
  near(e.part[POWER_NOC_LINKS], 1000 * l.flit, "links");
  /* a millisecond, and half of it one of the two MC-routers without power but for 5 % of its leakage */
  double still[POWER_COUNTS] = {0};
  still[POWER_N_SECONDS] = 1e-3;
  still[POWER_N_REQUEST_GATED] = 0.5e-3 * 5e8;
  e = power_energy(&m, still);
  double on = 1e-3 * (2 * a.leakage + 2 * b.leakage + 5e8 * (2 * a.clock + 2 * b.clock));
  near(e.part[POWER_NOC_ROUTERS], on - 0.5e-3 * (0.95 * b.leakage + 5e8 * b.clock), "gated");
  near(e.part[POWER_NOC_LINKS], 1e-3 * 4 * l.leakage, "repeaters leak");
  cfg_delete(c);
}

static void test_stores_are_priced_by_their_own_accesses(void **state) {
  (void)state;
  struct cfg *c = keys("power.node = 45\n");
  struct power_chip chip = small_chip();
  struct power_model m;
  struct power_tech t = power_tech(45, CELSIUS_67);
  power_store_add(&chip.stores, &(struct power_store){"directory", 3456, 1, 432, false, "l2.accesses"});
  power_store_add(&chip.stores, &(struct power_store){"nothing", 0, 8, 32, false, NULL});
  power_store_add(&chip.stores, &(struct power_store){"counters", 16, 8, 16, true, NULL});
  assert_int_equal(chip.stores.n, 2);
  assert_int_equal(power_store_bits(&chip.stores), 3456 + 8 * 16);
  power_model_init(&m, c, &chip);
  struct power_sram directory = power_sram(&t, &(struct power_sram_shape){3456, 432, 1});
  struct power_sram counter = power_flops(&t, &(struct power_sram_shape){16, 16, 1});
  double n[POWER_COUNTS] = {0};
  n[POWER_N_STORE] = 500;
  n[POWER_N_STORE + 1] = 1e9; /* nobody counts these */
  n[POWER_N_SECONDS] = 1;
  struct power_energy e = power_energy(&m, n);
  near(e.part[POWER_ADDED], 500 * directory.access + directory.leakage + 8 * counter.leakage, "added");
  near(m.added_mm2, directory.area + 8 * counter.area, "area");
  cfg_delete(c);
}

/* Any chip at any node, any counters: energy is additive, no part is below zero, and routers without power for all of
 * the time still leak a little. */
static void test_random_chips_and_counters(void **state) {
  (void)state;
  struct rng r = {11};
  for (int turn = 0; turn < 300; turn++) {
    char text[64];
    snprintf(text, sizeof text, "power.node = %d\n", 4 + (int)rng_below(&r, 62));
    struct cfg *c = keys(text);
    struct power_chip chip = small_chip();
    unsigned flits = 1 + (unsigned)rng_below(&r, 16), bits = 32u << rng_below(&r, 5), n = 1 + (unsigned)rng_below(&r, 16);
    struct power_router_shape shape = {1 + (unsigned)rng_below(&r, 80), 1 + (unsigned)rng_below(&r, 80), 1, flits, bits, 0};
    chip.net[0] = (struct power_net){.request = true, .routers = 2, .links = 1};
    chip.net[0].router[0] = (struct power_net_router){"first", n, shape, true, false};
    chip.net[0].router[1] = (struct power_net_router){"second", n, shape, false, true};
    chip.net[0].link[0] = (struct power_net_link){"long", n, bits, 0.5, false, 1, false};
    struct power_model m;
    power_model_init(&m, c, &chip);
    double a[POWER_COUNTS], b[POWER_COUNTS], both[POWER_COUNTS];
    for (int i = 0; i < POWER_COUNTS; i++) {
      a[i] = i < POWER_STATISTICS ? (double)rng_below(&r, 1000000) : 0;
      b[i] = i < POWER_STATISTICS ? (double)rng_below(&r, 1000000) : 0;
    }
    a[POWER_N_SECONDS] = b[POWER_N_SECONDS] = 1e-3;
    a[POWER_N_REQUEST_ROUTERS] += a[POWER_N_REQUEST_FLITS]; /* every flit crosses a router of the first kind */
    b[POWER_N_REQUEST_ROUTERS] += b[POWER_N_REQUEST_FLITS];
    a[POWER_N_REQUEST_GATED] = n * a[POWER_N_SECONDS] * chip.noc_hz; /* all of the time */
    b[POWER_N_REQUEST_GATED] = 0;
    for (int i = 0; i < POWER_COUNTS; i++) both[i] = a[i] + b[i];
    struct power_energy ea = power_energy(&m, a), eb = power_energy(&m, b), sum = power_energy(&m, both);
    for (int i = 0; i < POWER_PARTS; i++) {
      assert_true(ea.part[i] >= 0 && eb.part[i] >= 0);
      near(ea.part[i] + eb.part[i], sum.part[i], power_parts[i].name);
    }
    assert_true(ea.part[POWER_NOC_ROUTERS] > 0);
    for (size_t i = 0; i < m.areas; i++) assert_true(m.area[i].mm2 >= 0 && m.area[i].leakage >= 0 && isfinite(m.area[i].mm2));
    cfg_delete(c);
  }
}

/* ---- how things grow ---- */

static struct power_router router(unsigned ins, unsigned outs, unsigned bits) {
  struct power_tech t = power_tech(22, CELSIUS_67);
  return power_router(&t, &(struct power_router_shape){ins, outs, 1, 8, bits, 0.25});
}

static void test_a_crossbar_grows_with_ports_and_width_squared(void **state) {
  (void)state;
  near(router(40, 40, 256).crossbar, 4 * router(20, 20, 256).crossbar, "ports");
  near(router(20, 20, 256).crossbar, 4 * router(20, 20, 128).crossbar, "width");
  /* 80 x 256 by 64 x 256 wires of 0.11 um */
  near(router(80, 64, 256).crossbar, 80 * 256 * 0.11e-3 * 64 * 256 * 0.11e-3, "by hand");
  /* where wires do not fill it, cells do: 8 outputs x 4 bits x 7 multiplexers of 7 gate pitches */
  near(router(8, 8, 4).crossbar, 8 * 4 * 7 * 7 * 0.12e-3 * 0.704e-3, "cells");
  for (unsigned n = 2; n < 100; n++) {
    struct power_router a = router(n, n, 256), b = router(n + 1, n + 1, 256);
    assert_true(b.area > a.area && b.flit > a.flit && b.leakage > a.leakage && b.clock > a.clock);
  }
}

static void test_buffers_grow_with_what_they_hold(void **state) {
  (void)state;
  struct power_tech t = power_tech(22, CELSIUS_67);
  /* 10 ports of 8 flits of 256 bits: 8 flip-flops and 7 multiplexers a bit */
  near(router(10, 8, 256).buffers, 10 * 256 * (8 * 15 + 7 * 7) * 0.12e-3 * 0.704e-3, "by hand");
  struct power_router_shape s = {10, 8, 1, 8, 256, 0.25};
  double before = 0;
  for (s.flits = 1; s.flits < 64; s.flits *= 2) {
    struct power_router r = power_router(&t, &s);
    assert_true(r.buffers > before);
    before = r.buffers;
  }
}

static void test_a_bare_switch_has_neither_buffers_nor_clock(void **state) {
  (void)state;
  struct power_tech t = power_tech(22, CELSIUS_67);
  struct power_router r = power_router(&t, &(struct power_router_shape){2, 1, 1, 0, 256, 0.25});
  assert_true(r.buffers == 0 && r.registers == 0 && r.clock == 0 && r.write_read == 0);
  near(r.flit, r.cross + r.allocate, "only the switch");
  assert_true(r.crossbar > 0 && r.leakage > 0);
}

static void test_a_link_costs_what_its_length_and_width_say(void **state) {
  (void)state;
  struct power_tech t = power_tech(22, CELSIUS_67);
  double before = 0;
  for (double mm = 1; mm < 20; mm += 1) {
    struct power_link l = power_link(&t, &(struct power_link_shape){mm, 256, 714e-12, 0.25});
    struct power_link half = power_link(&t, &(struct power_link_shape){mm, 128, 714e-12, 0.25});
    assert_true(l.flit > before && l.seconds <= 714e-12);
    near(l.flit, 2 * half.flit, "width");
    near(l.wires, 2 * half.wires, "wires");
    near(l.wires, mm * 256 * 0.32e-3, "a pitch of 0.32 um");
    before = l.flit;
  }
  struct power_link hurried = power_link(&t, &(struct power_link_shape){12.3, 256, 400e-12, 0.25});
  struct power_link easy = power_link(&t, &(struct power_link_shape){12.3, 256, 2e-9, 0.25});
  assert_true(hurried.area > easy.area && hurried.flit > easy.flit);
  struct power_link never = power_link(&t, &(struct power_link_shape){12.3, 256, 1e-12, 0.25});
  assert_true(never.seconds > 1e-12 && never.repeaters >= hurried.repeaters);
  struct power_link none = power_link(&t, &(struct power_link_shape){0, 256, 1e-9, 0.25});
  assert_true(none.area == 0 && none.flit == 0);
}

static void test_an_array_grows_with_bits_ports_and_width(void **state) {
  (void)state;
  struct power_tech t = power_tech(40, CELSIUS_67);
  for (double bits = 4096; bits < 1e8; bits *= 2) {
    struct power_sram a = power_sram(&t, &(struct power_sram_shape){bits, 256, 1});
    struct power_sram b = power_sram(&t, &(struct power_sram_shape){2 * bits, 256, 1});
    struct power_sram wide = power_sram(&t, &(struct power_sram_shape){bits, 512, 1});
    struct power_sram ports = power_sram(&t, &(struct power_sram_shape){bits, 256, 3});
    assert_true(b.area > a.area && b.access >= a.access);
    near(b.leakage, 2 * a.leakage, "leakage");
    assert_true(wide.access > a.access);
    near(ports.area, 4 * a.area, "three ports: twice as wide and as high");
  }
  struct power_sram none = power_sram(&t, &(struct power_sram_shape){0, 32, 1});
  assert_true(none.area == 0 && none.access == 0 && none.leakage == 0);
}

static void test_everything_shrinks_with_the_node(void **state) {
  (void)state;
  for (double nm = 5; nm <= 65; nm += 1) {
    struct power_tech a = power_tech(nm - 1, CELSIUS_67), b = power_tech(nm, CELSIUS_67);
    assert_true(power_cells(&a, 1) < power_cells(&b, 1));
    assert_true(a.sram_cell <= b.sram_cell && a.vdd <= b.vdd);
    assert_true(power_energy_scale(nm - 1) < power_energy_scale(nm));
    if (nm < 22) continue; /* repeaters come in sizes: compared with half the node; below 11 nm voltages stay */
    struct power_link_shape s = {5, 64, 1e-9, 0.25};
    struct power_tech half = power_tech(nm / 2, CELSIUS_67);
    assert_true(power_link(&half, &s).flit < power_link(&b, &s).flit);
  }
  struct power_tech cold = power_tech(22, 300), hot = power_tech(22, 400);
  near(power_cells_leak(&hot, 1), 10 * power_cells_leak(&cold, 1), "ten times in 100 K");
}

/* ---- published figures; docs/rooms/power.md has the table ---- */

static double sram_pj(double node, double kbytes, double width) {
  struct power_tech t = power_tech(node, CELSIUS_67);
  return power_sram(&t, &(struct power_sram_shape){kbytes * 8192, width, 1}).access * 1e12;
}

/* What the factor of power_sram.c was fitted to: the geometric mean of the errors is nothing, each is within a factor 2. */
static void test_sram_energies_it_was_fitted_to(void **state) {
  (void)state;
  double a = sram_pj(28, 8, 256) / 50, b = sram_pj(45, 8, 64) / 10, c = sram_pj(45, 32, 64) / 20;
  within(a, 0.5, 2, "256 bits of 8 KB at 28 nm (Dally)");
  within(b, 0.5, 2, "64 bits of 8 KB at 45 nm (Horowitz)");
  within(c, 0.5, 2, "64 bits of 32 KB at 45 nm (Horowitz)");
  within(cbrt(a * b * c), 0.95, 1.05, "mean of the three");
}

/* Predictions: section 5.6 of the tag-split cache paper, CACTI 6.5 at 45 nm. */
static void test_cactis_figures_of_the_tag_split_cache(void **state) {
  (void)state;
  struct power_tech t = power_tech(45, CELSIUS_67);
  struct power_sram extra = power_sram(&t, &(struct power_sram_shape){4736, 148, 1});
  within(extra.leakage * 1e3, 0.4, 0.6, "0.5 mW");
  within(extra.area, 0.001, 0.004, "0.002 mm2");
  within(sram_pj(45, 16, 1024) / 1000, 0.13, 0.3, "0.2 nJ an access: 0.8 pJ is 0.4 % of it");
}

/* Prediction: the router of DSENT's own validation (6 ports, 64 bits, 8 channels of 2 flits, 45 nm), 0.070 mm2 laid out. */
static void test_dsents_router(void **state) {
  (void)state;
  struct power_tech t = power_tech(45, CELSIUS_67);
  within(power_router(&t, &(struct power_router_shape){6, 6, 8, 2, 64, 0.25}).area, 0.056, 0.084, "mm2");
}

/* Energy of a wire whose every bit switches: 240 fJ a bit and mm at 40 nm (Keckler 2011), about 100 at 14 nm. */
static void test_wires(void **state) {
  (void)state;
  struct power_tech t40 = power_tech(40, CELSIUS_67), t14 = power_tech(14, CELSIUS_67);
  struct power_link_shape s = {10, 1, 1e-9, 1};
  within(power_link(&t40, &s).flit / 10 * 1e15, 120, 360, "40 nm");
  within(power_link(&t14, &s).flit / 10 * 1e15, 50, 150, "14 nm");
}

static void test_energies_scale_as_measured_on_three_gpus(void **state) {
  (void)state;
  near(power_energy_scale(28), 1, "K40");
  near(5.85 * power_energy_scale(7), 1.59, "A100, L1");
  near(5.85 * power_energy_scale(4), 1.45, "GH200, L1");
  within(15.48 * power_energy_scale(7), 0.85 * 4.71, 1.15 * 4.71, "A100, L2: not fitted");
  within(15.48 * power_energy_scale(4), 0.75 * 4.87, 1.25 * 4.87, "GH200, L2: not fitted");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_made_up_run_by_hand),
      cmocka_unit_test(test_flits_pay_for_the_routers_and_links_they_pass),
      cmocka_unit_test(test_stores_are_priced_by_their_own_accesses),
      cmocka_unit_test(test_random_chips_and_counters),
      cmocka_unit_test(test_a_crossbar_grows_with_ports_and_width_squared),
      cmocka_unit_test(test_buffers_grow_with_what_they_hold),
      cmocka_unit_test(test_a_bare_switch_has_neither_buffers_nor_clock),
      cmocka_unit_test(test_a_link_costs_what_its_length_and_width_say),
      cmocka_unit_test(test_an_array_grows_with_bits_ports_and_width),
      cmocka_unit_test(test_everything_shrinks_with_the_node),
      cmocka_unit_test(test_sram_energies_it_was_fitted_to),
      cmocka_unit_test(test_cactis_figures_of_the_tag_split_cache),
      cmocka_unit_test(test_dsents_router),
      cmocka_unit_test(test_wires),
      cmocka_unit_test(test_energies_scale_as_measured_on_three_gpus),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
