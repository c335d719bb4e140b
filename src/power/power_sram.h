/* SRAM arrays: area, energy of an access and leakage from size, width and ports, in the manner of CACTI.
 *
 * An array is cut into subarrays of at most 256 rows and 256 columns; an access drives as many of them as its width
 * needs. Area: cells, and for each subarray the height of its sense amplifiers and the width of its decoder. Energy: the
 * bit lines' small swing, the word line, the sense amplifiers, times a factor for everything that is not modelled (control,
 * precharge, output drivers), and the way across the whole array at full swing. Each port beyond the first widens a cell
 * by half in both directions.
 *
 * Does not: optimise the cut, model timing, or distinguish a write from a read. docs/rooms/power.md says what the factor
 * was fitted to and how far off the model is elsewhere. */
#ifndef POWER_SRAM_H
#define POWER_SRAM_H

#include "power/power_tech.h"

struct power_sram_shape {
  double bits;
  double width;   /* bits of an access */
  unsigned ports; /* 1: either a read or a write a cycle */
};

struct power_sram {
  double area;    /* mm2 */
  double access;  /* J */
  double leakage; /* W */
};

struct power_sram power_sram(const struct power_tech *t, const struct power_sram_shape *s);
/* The same held in flip-flops, for queues and counters: what it costs to write and read one entry of `width`. */
struct power_sram power_flops(const struct power_tech *t, const struct power_sram_shape *s);

#endif
