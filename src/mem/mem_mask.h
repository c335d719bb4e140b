/* Masks of the bytes of a 128-byte line (struct mem_bytes): which bytes a cache holds, has requested, or is asked
 * for. A mask of sectors is one in which only whole sectors are set. */
#ifndef MEM_MASK_H
#define MEM_MASK_H

#include "mem/packet.h"

#define MEM_NOTHING ((struct mem_bytes){{0, 0}})
#define MEM_EVERYTHING ((struct mem_bytes){{~UINT64_C(0), ~UINT64_C(0)}})

static inline bool mem_none(struct mem_bytes m) { return !(m.b[0] | m.b[1]); }
static inline struct mem_bytes mem_and(struct mem_bytes x, struct mem_bytes y) {
  return (struct mem_bytes){{x.b[0] & y.b[0], x.b[1] & y.b[1]}};
}
static inline struct mem_bytes mem_or(struct mem_bytes x, struct mem_bytes y) {
  return (struct mem_bytes){{x.b[0] | y.b[0], x.b[1] | y.b[1]}};
}
/* The bytes of x that are not in y. */
static inline struct mem_bytes mem_minus(struct mem_bytes x, struct mem_bytes y) {
  return (struct mem_bytes){{x.b[0] & ~y.b[0], x.b[1] & ~y.b[1]}};
}
static inline unsigned mem_count(struct mem_bytes m) {
  return (unsigned)(__builtin_popcountll(m.b[0]) + __builtin_popcountll(m.b[1]));
}
/* All bytes of these sectors. */
static inline struct mem_bytes mem_bytes_of(uint8_t sectors) {
  const struct mem_packet all = {.bytes = MEM_EVERYTHING, .sectors = sectors};
  return mem_bytes_carried(&all);
}
/* Rounds up to whole granules of 8 to 128 bytes (a power of two). */
struct mem_bytes mem_round(struct mem_bytes m, unsigned granule);
/* Whether the mask has some but not all bytes of a sector. */
static inline bool mem_in_part(struct mem_bytes m) { return !mem_none(mem_minus(mem_round(m, MEM_SECTOR), m)); }

#endif
