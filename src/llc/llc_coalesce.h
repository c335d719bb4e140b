/* The coalescer in front of a slice: reads of one line by several SMs that come while the first is not answered yet are
 * answered with it, by one access to tags and data. Hopper GPUs have one (Nsight Compute's "L2 request coalescer",
 * counters lrc__*). On an H200 up to four reads share an access, of SMs of one GPC, and the first waits for the others no
 * longer than its own access takes (docs/h200.md).
 *
 * Owns which reads are open to others. A read carries those that joined it (mem_packet.followers); the slice answers them
 * with it. It takes as many open reads as it has slots; two that want the same slot keep the later one open.
 * Where the network can bring one reply to several SMs, one leaves for all (noc_topology.copies). */
#ifndef LLC_COALESCE_H
#define LLC_COALESCE_H

#include "mem/packet.h"

struct llc_coalescer {
  uint32_t most;   /* reads that one access answers */
  uint32_t groups; /* of SMs of consecutive numbers; only reads of one group share an access */
  uint32_t sms;    /* of the GPU */
  struct mem_packet **open; /* by a hash of line and group; NULL: there is no coalescer */
};

/* most 1: there is none. */
void llc_coalescer_init(struct llc_coalescer *c, uint32_t most, uint32_t groups, uint32_t sms);
void llc_coalescer_free(struct llc_coalescer *c);

/* True: the read waits for the answer of another and goes no further. False: it goes on, open to others. Its sectors
 * are known. */
bool llc_coalesce(struct llc_coalescer *c, struct mem_packet *k);
/* Nobody joins this read any more: its data leaves. */
void llc_coalesce_close(struct llc_coalescer *c, const struct mem_packet *k);

#endif
