/* The coalescer in front of a slice: one access to tags and data answers several SMs' reads of the same line, if they
 * arrive before the first of them is answered. Hopper GPUs have one (Nsight Compute's "L2 request coalescer",
 * counters lrc__*). On an H200, up to four reads by SMs of one GPC share an access, and the first waits for the
 * others no longer than its own access takes (docs/h200.md).
 *
 * Owns: which reads are open, that is, may still be joined. A read carries those that joined it
 * (mem_packet.followers), and the slice answers them together. Open reads are kept in a hash table; of two that hash
 * to the same entry only the later one stays open. Where the network can deliver one reply to several SMs, one reply
 * leaves for all (noc_topology.copies). */
#ifndef LLC_COALESCE_H
#define LLC_COALESCE_H

#include "mem/packet.h"

struct llc_coalescer {
  uint32_t most;   /* reads that one access answers */
  uint32_t groups; /* groups of SMs with consecutive numbers; only reads of one group share an access */
  uint32_t sms;    /* of the GPU */
  struct mem_packet **open; /* open reads, by a hash of line and group; NULL: there is no coalescer */
};

/* most = 1: no reads share an access. */
void llc_coalescer_init(struct llc_coalescer *c, uint32_t most, uint32_t groups, uint32_t sms);
void llc_coalescer_free(struct llc_coalescer *c);

/* True: the read has joined an open one, with which it will be answered, and goes no further. False: it goes on and
 * is open itself, if it is a read that can be. k->sectors must be set. */
bool llc_coalesce(struct llc_coalescer *c, struct mem_packet *k);
/* Closes a read, because its data leaves now: nothing can join it any more. */
void llc_coalesce_close(struct llc_coalescer *c, const struct mem_packet *k);

#endif
