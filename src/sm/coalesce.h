/* The coalescer turns the lane addresses of a warp instruction into accesses to lines of 128 bytes, with the bytes that were requested.
 *
 * The whole warp is coalesced at once (Fermi and later): lanes that touch the same line share one access; accesses are in the order in
 * which lanes first touch their lines. Elements are naturally aligned and have at most 16 bytes, so none crosses a line.
 *
 * Alternatively in segments (sm.coalesce = segments), as in GPGPU-Sim: elements of 1 and 2 bytes share accesses of 32 and 64 bytes, longer
 * ones accesses of 128 bytes, from the highest address down; lanes of an atomic operation that touch the same bytes do not share an
 * access. */
#ifndef SM_COALESCE_H
#define SM_COALESCE_H

#include "exec/exec.h"
#include "mem/packet.h"

struct sm_segment {
  uint64_t line;
  struct mem_bytes bytes;
};

/* Fills `out` (32 entries) and returns the number of lines. `addr` are physical addresses. */
unsigned sm_coalesce(const uint64_t *addr, uint32_t mask, unsigned bytes, unsigned line_bytes, struct sm_segment *out);

/* The same in segments. For an atomic operation, each of `parts` of the warp is coalesced separately, and so are lanes with a byte in
 * common. */
unsigned sm_coalesce_segments(const uint64_t *addr, uint32_t mask, unsigned bytes, unsigned line_bytes, struct sm_segment *out);
struct sm_atomic_shape {
  unsigned parts, segment; /* parts of a warp; bytes of an access at most */
};
unsigned sm_coalesce_atomic(const uint64_t *addr, uint32_t mask, unsigned bytes, unsigned line_bytes, struct sm_atomic_shape shape,
                            struct sm_segment *out);

/* Sorts the lines in the order in which the tag banks look them up, one per bank and cycle, and returns the cycles. */
unsigned sm_order_by_bank(struct sm_segment *seg, unsigned n);

/* Cycles for which a shared-memory access occupies the banks: the largest number of distinct words in one of the 32 four-byte banks, summed
 * over the phases of 8- and 16-byte accesses (half and quarter warps). */
unsigned sm_bank_cycles(const uint64_t *offset, uint32_t mask, unsigned bytes);
/* The same if two halves of a warp (of 16 bytes per lane: two quarters) are served together where lanes i and i^1, or i and i^2, of both
 * name the same address. */
unsigned sm_merged_bank_cycles(const uint64_t *offset, uint32_t mask, unsigned bytes);
/* The same for an atomic operation: lanes on the same word take one cycle each. */
unsigned sm_bank_lanes(const uint64_t *offset, uint32_t mask, unsigned bytes);
/* The first lane of each address. */
uint32_t sm_first_lanes(const uint64_t *addr, uint32_t mask);
/* How many different addresses the lanes have. */
unsigned sm_different_addresses(const uint64_t *addr, uint32_t mask);

#endif
