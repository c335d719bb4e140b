/* See power_net.h. The sizes of cells in transistors (how many inverters of size 1 switch in a flip-flop or a
 * multiplexer) are those of DSENT's cell library. */
#include "power/power_net.h"

#include <math.h>

#define DFF_DATA   3.3  /* inverters that switch when a flip-flop's value changes */
#define DFF_CLOCK  1.6  /* inverter inputs on its clock */
#define MUX_DATA   1.5  /* inverters that switch when a multiplexer's output changes */
#define MUX_INPUT  0.5  /* inverter inputs */
#define DFF_INPUT  0.125
#define CLOCK_TREE 3000 /* fF a mm2: wires every 0.1 mm and half as much again for buffers */

/* ---- routers ---- */

static double arbiter_pitches(double n) { return n * (n - 1) / 2 * POWER_DFF + n * n * POWER_NAND2; }

static double depth(double n) { return ceil(log2(fmax(2, n))); }

static double buffer_pitches(const struct power_router_shape *s) {
  double entries = (double)s->vcs * s->flits;
  return entries > 0 ? s->ins * s->bits * (entries * POWER_DFF + (entries - 1) * POWER_MUX2) : 0;
}

static double buffer_energy(const struct power_tech *t, const struct power_router_shape *s) {
  double entries = (double)s->vcs * s->flits, gates = power_in_cap(t) + power_out_cap(t);
  if (entries <= 0) return 0;
  double data = DFF_DATA * gates + entries * DFF_INPUT * power_in_cap(t) + MUX_DATA * depth(entries) * gates;
  return s->bits * power_fj(t, s->toggle * data + DFF_CLOCK * power_in_cap(t));
}

/* One input's wire passes all outputs' columns, one output's wire all inputs' rows. */
static double crossbar_energy(const struct power_tech *t, const struct power_router_shape *s) {
  double wire = ((double)s->ins + s->outs) * s->bits * t->switch_pitch * t->switch_cap;
  double gates = s->outs * MUX_INPUT * power_in_cap(t) +
                 depth(s->ins) * MUX_DATA * (power_in_cap(t) + power_out_cap(t));
  return s->bits * power_fj(t, s->toggle * (wire + gates));
}

static double allocator_energy(const struct power_tech *t, const struct power_router_shape *s) {
  double gates = ((double)s->ins + s->outs) * s->vcs;
  return power_fj(t, s->toggle * gates * 2 * (power_in_cap(t) + power_out_cap(t)));
}

struct power_router power_router(const struct power_tech *t, const struct power_router_shape *s) {
  double ports = (double)s->ins + s->outs, width = s->bits * t->switch_pitch;
  double clocked = s->flits ? ports * s->bits : 0; /* flip-flops of the ports' registers */
  double buffers = buffer_pitches(s), registers = clocked * POWER_DFF;
  double muxes = (double)s->outs * s->bits * (s->ins - 1) * POWER_MUX2;
  double arbiters = s->vcs * (s->outs * arbiter_pitches(s->ins) + s->ins * arbiter_pitches(s->outs));
  struct power_router r = {
      .buffers = power_cells(t, buffers) * 1e-6,
      .crossbar = fmax(power_cells(t, muxes), s->ins * width * s->outs * width) * 1e-6,
      .allocators = power_cells(t, arbiters) * 1e-6,
      .registers = power_cells(t, registers) * 1e-6,
      .write_read = buffer_energy(t, s) * 1e-15,
      .cross = crossbar_energy(t, s) * 1e-15,
      .allocate = allocator_energy(t, s) * 1e-15,
      .leakage = power_cells_leak(t, buffers + muxes + arbiters + registers),
  };
  double gates = power_in_cap(t) + power_out_cap(t);
  double moved = s->flits ? 2 * s->bits * power_fj(t, s->toggle * DFF_DATA * gates) * 1e-15 : 0;
  r.area = r.buffers + r.crossbar + r.allocators + r.registers;
  r.flit = r.write_read + r.cross + r.allocate + moved;
  if (s->flits) r.clock = power_fj(t, clocked * DFF_CLOCK * power_in_cap(t) + r.area * CLOCK_TREE) * 1e-15;
  return r;
}

/* ---- links ---- */

static const double sizes[] = {1, 1.4, 2, 3, 4, 6, 8, 10, 12, 16};
enum { SIZES = sizeof sizes / sizeof *sizes, MAX_REPEATERS = 256 };

/* Elmore delay of n segments, each driven by an inverter of that size. */
static double wire_delay(const struct power_tech *t, double um, unsigned n, double size) {
  double wire_ff = um / n * t->link_cap, wire_ohm = um / n * POWER_LINK_RESISTANCE;
  double in = size * power_in_cap(t), out = size * power_out_cap(t), ohm = power_drive(t) / size;
  double ff_ohm = 0.69 * ohm * (out + wire_ff + in) + wire_ohm * (0.38 * wire_ff + 0.69 * in);
  return n * ff_ohm * 1e-15;
}

/* The fewest repeaters, and of those the smallest, that are fast enough; otherwise the fastest. In pairs, because each
 * inverts. */
static void place_repeaters(const struct power_tech *t, const struct power_link_shape *s, struct power_link *l) {
  l->seconds = INFINITY;
  for (unsigned n = 2; n <= MAX_REPEATERS; n += 2)
    for (unsigned i = 0; i < SIZES; i++) {
      double delay = wire_delay(t, s->mm * 1000, n, sizes[i]);
      if (delay < l->seconds) {
        l->seconds = delay;
        l->repeaters = n;
        l->size = sizes[i];
      }
      if (delay <= s->seconds) return;
    }
}

struct power_link power_link(const struct power_tech *t, const struct power_link_shape *s) {
  struct power_link l = {0};
  if (s->mm <= 0) return l;
  place_repeaters(t, s, &l);
  double um = s->mm * 1000, all = (double)l.repeaters * s->bits;
  double gates = l.repeaters * l.size * (power_in_cap(t) + power_out_cap(t));
  l.area = power_cells(t, all * (1 + ceil(l.size))) * 1e-6;
  l.wires = s->bits * um * POWER_LINK_PITCH * 1e-6;
  l.flit = s->bits * power_fj(t, s->toggle * (um * t->link_cap + gates)) * 1e-15;
  l.leakage = power_cells_leak(t, all * l.size);
  return l;
}
