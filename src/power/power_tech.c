/* See power_tech.h. */
#include "power/power_tech.h"

#include <math.h>
#include <stddef.h>

/* Process parameters of DSENT 0.91 (Bulk45LVT, Bulk32LVT, Bulk22LVT, TG11LVT), in our units. Cells are 11 tracks of
 * metal 1 high. Wire capacitances are worked out from the published geometries. */
static const struct row {
  double node, vdd, gate_pitch, cell_height, min_width, gate_cap, drain_cap, nmos, pmos, min_off, switch_pitch, switch_cap,
      link_cap;
} rows[] = {
    {45, 1.0, 0.20, 1.760, 0.16, 1.00, 0.60, 1100, 1500, 60, 0.22, 0.172, 0.157},
    {32, 0.9, 0.16, 1.210, 0.12, 0.95, 0.64, 890, 1270, 60, 0.22, 0.172, 0.157},
    {22, 0.8, 0.12, 0.704, 0.10, 0.90, 0.62, 700, 930, 60, 0.11, 0.157, 0.146},
    {11, 0.6, 0.08, 0.440, 0.08, 0.61, 0.56, 1160, 1280, 22, 0.08, 0.155, 0.146},
};
enum { ROWS = sizeof rows / sizeof *rows };

/* Bit cells as announced: Intel 65, 45, 32, 22 nm; TSMC 40, 28, 16, 10, 7, 5 nm. */
static const struct {
  double node, um2;
} cells[] = {{65, 0.570}, {45, 0.346}, {40, 0.242}, {32, 0.171}, {28, 0.127}, {22, 0.092},
             {16, 0.070}, {10, 0.042}, {7, 0.027},  {5, 0.021},  {4, 0.021}};
enum { CELLS = sizeof cells / sizeof *cells };

#define HEIGHT_OVERHEAD 1.4 /* of a cell's height over that of its transistors (DSENT) */
#define OFF_CURRENT     100 /* nA a um of width at 300 K, all nodes (DSENT) */
#define KELVIN_A_DECADE 100 /* of leakage (DSENT) */
#define STACKED         0.6 /* leakage of an average cell a gate pitch: most have stacked transistors */

static double between(double a, double b, double share) { return a + (b - a) * share; }

static double sram_cell(double node) {
  size_t i = 1;
  while (i + 1 < CELLS && cells[i].node > node) i++;
  double share = log(node / cells[i - 1].node) / log(cells[i].node / cells[i - 1].node);
  return cells[i - 1].um2 * pow(cells[i].um2 / cells[i - 1].um2, share);
}

struct power_tech power_tech(double node, double kelvin) {
  size_t i = 1;
  while (i + 1 < ROWS && rows[i].node > node) i++;
  const struct row *a = &rows[i - 1], *b = &rows[i];
  double inside = fmin(fmax(node, b->node), a->node), share = (a->node - inside) / (a->node - b->node);
  double shrink = node / inside; /* lengths outside the table */
  double nmos = between(a->nmos, b->nmos, share), pmos = between(a->pmos, b->pmos, share);
  return (struct power_tech){
      .node = node,
      .vdd = between(a->vdd, b->vdd, share),
      .gate_pitch = shrink * between(a->gate_pitch, b->gate_pitch, share),
      .cell_height = shrink * between(a->cell_height, b->cell_height, share),
      .min_width = shrink * between(a->min_width, b->min_width, share),
      .gate_cap = between(a->gate_cap, b->gate_cap, share),
      .drain_cap = between(a->drain_cap, b->drain_cap, share),
      .resistance = nmos + pmos,
      .min_off = shrink * between(a->min_off, b->min_off, share),
      .switch_pitch = shrink * between(a->switch_pitch, b->switch_pitch, share),
      .switch_cap = between(a->switch_cap, b->switch_cap, share),
      .link_cap = between(a->link_cap, b->link_cap, share),
      .sram_cell = sram_cell(node),
      .leak_scale = pow(10, (kelvin - 300) / KELVIN_A_DECADE),
  };
}

double power_energy_scale(double node) {
  const double k40 = 5.85, a100 = 1.59, gh200 = 1.45; /* pJ a bit, L1 to registers */
  double slope = log(a100 / k40) / log(7.0 / 28);
  if (node >= 7) return pow(node / 28, slope);
  return a100 / k40 * pow(gh200 / a100, log(node / 7) / log(4.0 / 7));
}

static double width(const struct power_tech *t) { return t->cell_height / HEIGHT_OVERHEAD; }

double power_cells(const struct power_tech *t, double pitches) { return pitches * t->gate_pitch * t->cell_height; }

double power_cells_leak(const struct power_tech *t, double pitches) {
  double stage = fmax(t->min_off, width(t) / 2 * OFF_CURRENT);
  return pitches * STACKED * stage * 1e-9 * t->vdd * t->leak_scale;
}

double power_in_cap(const struct power_tech *t) { return width(t) * t->gate_cap; }
double power_out_cap(const struct power_tech *t) { return width(t) * t->drain_cap; }
double power_drive(const struct power_tech *t) { return t->resistance / width(t); }
double power_fj(const struct power_tech *t, double ff) { return ff * t->vdd * t->vdd; }
