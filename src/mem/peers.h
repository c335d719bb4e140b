/* SMs that may have a line that an L2 slice does not have: one of them is asked before DRAM. Who is named may have lost the line, and
 * says so. Kept by a cooperation network (src/coop), which learns who has what as an observer of the slice; used by the slice. */
#ifndef MEM_PEERS_H
#define MEM_PEERS_H

#include "mem/port.h"

enum { MEM_NOBODY = -1 };

struct mem_peers {
  /* An SM other than the one that asks, or MEM_NOBODY. */
  int32_t (*who)(struct mem_peers *p, uint64_t line, uint16_t asks);
  /* SMs' answers for the slice, which is its consumer: MEM_PEER_DATA or MEM_PEER_NONE. */
  struct mem_port answers;
};

#endif
