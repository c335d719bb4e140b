/* See power_sram.h. */
#include "power/power_sram.h"

#include <math.h>

enum { MAX_ROWS = 256, MAX_COLUMNS = 256 };
#define SENSE_ROWS     24.0 /* height of sense amplifiers, precharge and write drivers, in rows */
#define DECODE_COLUMNS 16.0 /* width of decoder and word-line drivers, in columns */
#define ROUTING        1.1  /* area between subarrays */
#define PORT_GROWTH    0.5  /* a cell's width and height with each further port */
#define SWING          0.2  /* of Vdd, on a bit line that is read */
#define SENSE_GATES    10.0 /* inverters that switch with a sense amplifier and its latch */
#define UNSEEN         9.3  /* energy that the structure above does not explain: fitted, see docs/rooms/power.md */
#define TOGGLE         0.25 /* of bits that go from 0 to 1 between two accesses */
#define LEAKING        2.0  /* transistors of a cell that leak at any time */
#define EDGE_LEAK      1.3  /* leakage with that of the periphery */

struct cut {
  double rows, columns, active, all;
};

static struct cut cut_array(const struct power_sram_shape *s) {
  struct cut c;
  c.columns = fmin(s->width, MAX_COLUMNS);
  c.rows = fmax(1, fmin(ceil(s->bits / s->width), MAX_ROWS));
  c.active = ceil(s->width / c.columns);
  c.all = fmax(c.active, s->bits / (c.rows * c.columns));
  return c;
}

struct power_sram power_sram(const struct power_tech *t, const struct power_sram_shape *s) {
  if (s->bits <= 0 || s->width <= 0) return (struct power_sram){0};
  struct cut c = cut_array(s);
  double grown = 1 + PORT_GROWTH * (s->ports > 1 ? s->ports - 1 : 0);
  double high = grown * sqrt(t->sram_cell / 2), wide = grown * sqrt(t->sram_cell * 2); /* a cell is twice as wide */
  double um2 = ROUTING * c.all * (c.rows + SENSE_ROWS) * high * (c.columns + DECODE_COLUMNS) * wide;
  double bit_line = c.rows * (t->drain_cap * t->min_width + high * t->switch_cap);
  double word_line = 2 * t->gate_cap * t->min_width + wide * t->switch_cap;
  double column = power_fj(t, bit_line) * SWING + power_fj(t, word_line);
  double sense = power_fj(t, SENSE_GATES * (power_in_cap(t) + power_out_cap(t)));
  double local = UNSEEN * c.active * c.columns * (column + sense);
  double across = s->width * TOGGLE * power_fj(t, sqrt(um2) * t->switch_cap);
  return (struct power_sram){
      .area = um2 * 1e-6,
      .access = (local + across) * 1e-15,
      .leakage = EDGE_LEAK * s->bits * LEAKING * t->min_width * 100e-9 * t->vdd * t->leak_scale,
  };
}

struct power_sram power_flops(const struct power_tech *t, const struct power_sram_shape *s) {
  if (s->bits <= 0 || s->width <= 0) return (struct power_sram){0};
  double entries = fmax(1, s->bits / s->width), pitches = s->bits * POWER_DFF + s->width * (entries - 1) * POWER_MUX2;
  double gates = power_in_cap(t) + power_out_cap(t);
  double bit = TOGGLE * (3.3 + 1.5 * log2(fmax(2, entries))) * gates + 1.6 * power_in_cap(t);
  return (struct power_sram){.area = power_cells(t, pitches) * 1e-6,
                             .access = s->width * power_fj(t, bit) * 1e-15,
                             .leakage = power_cells_leak(t, pitches)};
}
