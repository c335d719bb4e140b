/* Technologies: the properties of a process node, for the analytic models of this room.
 *
 * The rows for 45, 32, 22 and 11 nm hold the process parameters that come with the network tool DSENT 0.91 (Sun et
 * al., NOCS 2012); the sizes of SRAM cells are those that manufacturers have announced. Other nodes are interpolated.
 * Below 11 nm, lengths shrink with the node's name and everything else stays as at 11 nm.
 *
 * Does not: model corners, body bias or several threshold voltages; every transistor is a fast, leaky one. Units are
 * um, um2, fF, ohm, V, nA, fJ here; everything that leaves the room is in J, W, mm2. */
#ifndef POWER_TECH_H
#define POWER_TECH_H

struct power_tech {
  double node;         /* nm */
  double vdd;          /* V */
  double gate_pitch;   /* um, contacted */
  double cell_height;  /* um, of a standard cell */
  double min_width;    /* um, of a transistor */
  double gate_cap;     /* fF for each um of width */
  double drain_cap;    /* fF for each um of width */
  double resistance;   /* ohm um: of the n and the p transistor that share a um */
  double min_off;      /* least nA that a stage leaks, at 300 K */
  double switch_pitch; /* um, of the wires in a crossbar */
  double switch_cap;   /* fF for each um of such a wire */
  double link_cap;     /* fF for each um of a link's wire */
  double sram_cell;    /* um2, of a bit with one port */
  double leak_scale;   /* leakage at the given temperature, relative to 300 K */
};

/* The technology of a node of 4 to 65 nm, at a temperature in kelvin. */
struct power_tech power_tech(double node, double kelvin);

/* Dynamic energy of an event relative to the same event at 28 nm. The slope is that of the measured L1 figures of
 * three GPUs: K40 (28 nm) 5.85, A100 (7 nm) 1.59, GH200 (4 nm) 1.45 pJ per bit. */
double power_energy_scale(double node);

/* ---- standard cells; sizes are in inverters as high as a cell ---- */

enum { POWER_DFF = 15, POWER_MUX2 = 7, POWER_NAND2 = 3 }; /* width in gate pitches */

double power_cells(const struct power_tech *t, double pitches);      /* um2 */
double power_cells_leak(const struct power_tech *t, double pitches); /* W */
double power_in_cap(const struct power_tech *t);                     /* fF of an inverter's input */
double power_out_cap(const struct power_tech *t);                    /* fF of its output */
double power_drive(const struct power_tech *t);                      /* ohm of its drive */
double power_fj(const struct power_tech *t, double ff);              /* fJ to charge that much */

#define POWER_LINK_PITCH 0.32      /* um: width and space of a link's wire, all nodes (top metal does not shrink) */
#define POWER_LINK_RESISTANCE 0.51 /* ohm a um: 23 nOhm m over 0.16 x 0.28 um */

#endif
