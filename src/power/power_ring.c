/* See power_ring.h. */
#include "power/power_ring.h"

enum { SIDES = 2 /* of the die: the length of a ring */ };

static double mux_joules(const struct power_tech *t, unsigned bits, double toggle) {
  return bits * power_fj(t, toggle * (power_in_cap(t) + power_out_cap(t))) * 1e-15;
}

struct power_ring power_ring(const struct power_tech *t, const struct power_ring_shape *s, double die_side, double hz, double toggle) {
  struct power_ring r = {0};
  if (!s->nodes) return r;
  struct power_link_shape link = {.mm = SIDES * die_side / s->nodes, .seconds = s->cycles / hz, .toggle = toggle};
  link.bits = s->request_bits;
  struct power_link request = power_link(t, &link);
  link.bits = s->response_bits;
  struct power_link response = power_link(t, &link);
  double muxes = (double)(s->request_bits + s->response_bits) * POWER_MUX2;
  r.area = s->nodes * (request.area + response.area + power_cells(t, muxes) * 1e-6);
  r.wires = s->nodes * (request.wires + response.wires);
  r.leakage = s->nodes * (request.leakage + response.leakage + power_cells_leak(t, muxes));
  r.request = request.flit + mux_joules(t, s->request_bits, toggle);
  r.response = response.flit + mux_joules(t, s->response_bits, toggle);
  return r;
}
