/* Routers and links, modelled as by DSENT (Sun et al., NOCS 2012): built from standard cells and wires of the
 * technology.
 *
 * A router has input buffers of flip-flops (written through a decoder, read through a tree of multiplexers), a
 * crossbar with one multiplexer tree for each output bit, separable allocators of matrix arbiters, one register for
 * each input and output port, and a clock tree. The area of the crossbar is the larger of that of its cells and that
 * of its wires (inputs x width by outputs x width wire pitches), which is what makes large crossbars large. A link is
 * a wire in the top metal with repeaters, the fewest and smallest that meet its delay.
 *
 * Unlike in DSENT, cells are not sized for timing (all have size 1, and the buffers of fan-out trees are left out),
 * and the wires of the crossbar cost energy. */
#ifndef POWER_NET_H
#define POWER_NET_H

#include "power/power_tech.h"

struct power_router_shape {
  unsigned ins, outs;
  unsigned vcs;    /* of an input port */
  unsigned flits;  /* of a virtual channel's buffer; 0: a bare switch, without registers and virtual channels */
  unsigned bits;   /* of a flit */
  double toggle;   /* share of a flit's bits that go from 0 to 1, compared with the flit before */
};

struct power_router {
  double buffers, crossbar, allocators, registers; /* mm2 */
  double area;                                     /* mm2, of all */
  double write_read, cross, allocate;              /* J for a flit: in buffer, crossbar, allocators */
  double flit;                                     /* J for a flit, in all of them */
  double clock;                                    /* J for a cycle */
  double leakage;                                  /* W */
};

struct power_router power_router(const struct power_tech *t, const struct power_router_shape *s);

struct power_link_shape {
  double mm;
  unsigned bits;
  double seconds; /* time that a flit may take */
  double toggle;
};

struct power_link {
  double area;      /* mm2 of repeaters */
  double wires;     /* mm2 of top metal */
  double flit;      /* J */
  double leakage;   /* W */
  double seconds;   /* time that it takes; more than was asked for if no repeaters are fast enough */
  unsigned repeaters; /* on each wire */
  double size;      /* size of a repeater, in inverters */
};

struct power_link power_link(const struct power_tech *t, const struct power_link_shape *s);

#endif
