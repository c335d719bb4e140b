/* See mem_mask.h. */
#include "mem/mem_mask.h"

struct mem_bytes mem_round(struct mem_bytes m, unsigned granule) {
  if (granule >= MEM_LINE) return mem_none(m) ? m : MEM_EVERYTHING;
  for (unsigned k = 0; k < 2; k++) {
    uint64_t in = m.b[k], out = 0;
    uint64_t ones = granule >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << granule) - 1;
    for (unsigned at = 0; at < 64 && in; at += granule)
      if (in >> at & ones) out |= ones << at;
    m.b[k] = out;
  }
  return m;
}
