/* The links of a ring between neighbouring SMs, with a multiplexer before each of its queues: what they cost in
 * addition to the storage of the queues, which cost/storage.c counts. A ring round the die is as long as two of its
 * sides: 3.5 mm for each hop with 15 SMs on 700 mm2, the figure of the cooperative caching paper (Dublish et al.,
 * TACO 2016, section 5.5.2). */
#ifndef POWER_RING_H
#define POWER_RING_H

#include "power/power_net.h"

struct power_ring_shape {
  unsigned nodes;                       /* 0: there is no ring */
  unsigned request_bits, response_bits; /* of the links of its two channels */
  double cycles;                        /* core cycles that a hop may take */
};

struct power_ring {
  double area, wires;       /* mm2: of repeaters and multiplexers; of top metal */
  double request, response; /* J for a flit over one hop */
  double leakage;           /* W */
};

struct power_ring power_ring(const struct power_tech *t, const struct power_ring_shape *s, double die_side, double hz, double toggle);

#endif
