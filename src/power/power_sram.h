/* SRAM arrays: area, energy of an access and leakage from size, width and ports, modelled as by CACTI.
 *
 * An array is divided into subarrays of at most 256 rows and 256 columns; an access uses as many of them as its width
 * needs. Area: the cells and, for each subarray, the height of its sense amplifiers and the width of its decoder.
 * Energy: the small swing of the bit lines, the word line and the sense amplifiers, times a factor for everything
 * that is not modelled (control, precharge, output drivers), and the way across the whole array at full swing. Each
 * port beyond the first makes a cell half as large again in both directions.
 *
 * Does not: optimise the division, model timing, or distinguish writes from reads. docs/rooms/power.md says what the
 * factor was fitted to and how far off the model is elsewhere. */
#ifndef POWER_SRAM_H
#define POWER_SRAM_H

#include "power/power_tech.h"

struct power_sram_shape {
  double bits;
  double width;   /* bits of an access */
  unsigned ports; /* 1: one read or write in a cycle */
};

struct power_sram {
  double area;    /* mm2 */
  double access;  /* J */
  double leakage; /* W */
};

struct power_sram power_sram(const struct power_tech *t, const struct power_sram_shape *s);
/* The same for storage in flip-flops, for queues and counters; an access is a write and a read of one entry of `width` bits. */
struct power_sram power_flops(const struct power_tech *t, const struct power_sram_shape *s);

#endif
