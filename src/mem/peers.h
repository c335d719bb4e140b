/* The SMs that an L2 slice may ask for a line before it asks DRAM. An SM that is named may have lost the line, and
 * then says so. A cooperation network (src/coop) provides this and learns, as an observer of the slice, which SM has
 * what; the slice uses it. */
#ifndef MEM_PEERS_H
#define MEM_PEERS_H

#include "mem/port.h"

enum { MEM_NOBODY = -1 };

struct mem_peers {
  /* An SM that may have the line, other than `asks`, which wants it; or MEM_NOBODY. */
  int32_t (*who)(struct mem_peers *p, uint64_t line, uint16_t asks);
  /* The answers of SMs, MEM_PEER_DATA or MEM_PEER_NONE. The slice is the port's consumer. */
  struct mem_port answers;
};

#endif
