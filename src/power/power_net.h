/* Routers and links, in the manner of DSENT (Sun et al., NOCS 2012): built from standard cells and wires of the
 * technology.
 *
 * A router has input buffers of flip-flops (a decoder writes, a tree of multiplexers reads), a crossbar of one
 * multiplexer tree an output bit, separable allocators of matrix arbiters, a register an input and an output port, and a
 * clock tree. The crossbar takes the larger of its cells and its wires, inputs x width by outputs x width wire
 * pitches: that is what makes large crossbars large. A link is a wire of the top metal with repeaters, the fewest and
 * smallest that meet its delay.
 *
 * Unlike DSENT: cells are not sized for timing (all are of size 1, the buffers of a fan-out tree are not seen), and the
 * crossbar's wires cost energy. */
#ifndef POWER_NET_H
#define POWER_NET_H

#include "power/power_tech.h"

struct power_router_shape {
  unsigned ins, outs;
  unsigned vcs;    /* of an input port */
  unsigned flits;  /* of a virtual channel's buffer; 0: a bare switch, without registers and virtual channels */
  unsigned bits;   /* of a flit */
  double toggle;   /* of a flit's bits that go from 0 to 1 against the one before */
};

struct power_router {
  double buffers, crossbar, allocators, registers; /* mm2 */
  double area;                                     /* mm2, of all */
  double write_read, cross, allocate;              /* J a flit: buffer, crossbar, allocators */
  double flit;                                     /* J a flit, of all */
  double clock;                                    /* J a cycle */
  double leakage;                                  /* W */
};

struct power_router power_router(const struct power_tech *t, const struct power_router_shape *s);

struct power_link_shape {
  double mm;
  unsigned bits;
  double seconds; /* that a flit may take */
  double toggle;
};

struct power_link {
  double area;      /* mm2 of repeaters */
  double wires;     /* mm2 of top metal */
  double flit;      /* J */
  double leakage;   /* W */
  double seconds;   /* it takes; more than asked for if no repeaters are enough */
  unsigned repeaters; /* of a wire */
  double size;      /* of one, in inverters */
};

struct power_link power_link(const struct power_tech *t, const struct power_link_shape *s);

#endif
