/* Routers and links beside DSENT 0.91 itself, the tool that the paper of the adaptive cache names: what it answered for the same
 * shapes and nodes (its technology files, 1.4 GHz, timing optimised, buffers of flip-flops, multiplexer crossbar, matrix arbiters).
 *
 * Area is within 12 % and leakage within 20 %, always below: DSENT sizes cells up to meet the clock. A flit of 256 bits costs within
 * 40 % at 22 nm; in narrow routers buffers are most of it, and cost a quarter to a third here (docs/rooms/power.md). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "power/power_net.h"

#define KELVIN 340   /* of its technology files */
#define TOGGLE 0.25  /* random data: a quarter of the bits go from 0 to 1 */

static const struct {
  double node;
  struct power_router_shape shape; /* inputs, outputs, virtual channels, flits, bits */
  double area, leakage, flit;      /* mm2, W, pJ */
} routers[] = {
    {22, {5, 5, 4, 4, 128, TOGGLE}, 0.02744, 0.02159, 2.894},   {22, {8, 8, 1, 8, 32, TOGGLE}, 0.006999, 0.0062, 0.6887},
    {22, {8, 8, 1, 8, 256, TOGGLE}, 0.09091, 0.04338, 4.703},   {22, {10, 8, 1, 8, 64, TOGGLE}, 0.01762, 0.01455, 1.355},
    {22, {10, 8, 1, 8, 256, TOGGLE}, 0.1133, 0.05411, 4.958},   {22, {20, 16, 1, 8, 256, TOGGLE}, 0.3619, 0.1354, 6.765},
    {22, {40, 32, 1, 8, 256, TOGGLE}, 1.307, 0.4165, 19.52},    {22, {80, 64, 1, 8, 256, TOGGLE}, 5.193, 1.626, 31.18},
    {32, {5, 5, 4, 4, 128, TOGGLE}, 0.07135, 0.02515, 6.205},   {32, {8, 8, 1, 8, 32, TOGGLE}, 0.01676, 0.007329, 1.481},
    {32, {8, 8, 1, 8, 256, TOGGLE}, 0.295, 0.05054, 10.11},     {32, {10, 8, 1, 8, 64, TOGGLE}, 0.04715, 0.0171, 2.918},
    {32, {10, 8, 1, 8, 256, TOGGLE}, 0.368, 0.06307, 10.68},    {32, {20, 16, 1, 8, 256, TOGGLE}, 1.263, 0.1581, 14.74},
    {45, {5, 5, 4, 4, 128, TOGGLE}, 0.1135, 0.02949, 11.27},    {45, {8, 8, 1, 8, 32, TOGGLE}, 0.02917, 0.008627, 2.69},
    {45, {8, 8, 1, 8, 256, TOGGLE}, 0.3703, 0.05939, 18.36},    {45, {10, 8, 1, 8, 64, TOGGLE}, 0.07275, 0.02011, 5.302},
    {45, {10, 8, 1, 8, 256, TOGGLE}, 0.4615, 0.07414, 19.41},   {45, {20, 16, 1, 8, 256, TOGGLE}, 1.488, 0.1953, 56.27},
};

static const struct {
  struct power_link_shape shape; /* mm, bits, seconds */
  double flit;                   /* pJ, at 22 nm */
} links[] = {
    {{12.3, 256, 0.714e-9, TOGGLE}, 78.95}, {{12.3, 256, 1.43e-9, TOGGLE}, 74.79}, {{12.3, 256, 2.1e-9, TOGGLE}, 73.96},
    {{4.3, 256, 0.714e-9, TOGGLE}, 25.94},  {{2, 256, 0.714e-9, TOGGLE}, 12.0},    {{1, 64, 1e-9, TOGGLE}, 1.509},
};

/* got / theirs must be in low to high. */
static void beside(double got, double theirs, double low, double high, const char *what, size_t row) {
  double ratio = got / theirs;
  if (!(ratio >= low && ratio <= high)) fail_msg("row %zu: %s is %.3f of DSENT's, not %.2f to %.2f", row, what, ratio, low, high);
}

static void test_routers_have_the_area_and_leakage_of_dsent(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof routers / sizeof *routers; i++) {
    struct power_tech t = power_tech(routers[i].node, KELVIN);
    struct power_router r = power_router(&t, &routers[i].shape);
    beside(r.area, routers[i].area, 0.88, 1, "area", i);
    beside(r.leakage, routers[i].leakage, 0.8, 1, "leakage", i);
  }
}

static void test_flits_of_256_bits_cost_what_dsent_says_within_40_percent(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof routers / sizeof *routers; i++) {
    if (routers[i].shape.bits != 256 || routers[i].node != 22) continue;
    struct power_tech t = power_tech(routers[i].node, KELVIN);
    beside(power_router(&t, &routers[i].shape).flit * 1e12, routers[i].flit, 0.72, 1.4, "energy of a flit", i);
  }
}

static void test_links_cost_what_dsent_says_within_two_percent(void **state) {
  (void)state;
  struct power_tech t = power_tech(22, KELVIN);
  for (size_t i = 0; i < sizeof links / sizeof *links; i++)
    beside(power_link(&t, &links[i].shape).flit * 1e12, links[i].flit, 0.98, 1.02, "energy of a flit", i);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_routers_have_the_area_and_leakage_of_dsent),
      cmocka_unit_test(test_flits_of_256_bits_cost_what_dsent_says_within_40_percent),
      cmocka_unit_test(test_links_cost_what_dsent_says_within_two_percent),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
