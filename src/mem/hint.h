/* Who may have a line that an L2 slice does not have: asked before DRAM. A hint only: the SM that is named may have lost
 * the line, and says so. Kept by a cooperation network (src/coop), used by the slices. */
#ifndef MEM_HINT_H
#define MEM_HINT_H

#include "mem/port.h"

enum { MEM_NOBODY = -1 };

struct mem_hint {
  /* An SM other than the one that asks. */
  int32_t (*who)(struct mem_hint *h, uint64_t line, uint16_t asks);
  /* The slice answers a load that fills the SM's L1D. */
  void (*gave)(struct mem_hint *h, uint64_t line, uint16_t sm);
  /* SMs' answers for the slice, which is its consumer: MEM_PEER_DATA or MEM_PEER_NONE. */
  struct mem_port answers;
};

#endif
