/* The coalescer: a warp instruction's lane addresses to accesses of 128-byte lines with the bytes really asked for.
 *
 * The whole warp is coalesced at once (Fermi and later): lanes that touch the same line share one access, in the order
 * in which lanes first touch them. Elements are naturally aligned and at most 16 bytes, so none crosses a line.
 *
 * Or in segments (sm.coalesce = segments), as GPGPU-Sim does: elements of 1 and 2 bytes share accesses of 32 and 64 bytes, longer
 * ones of 128, from the highest address down; lanes of an atomic that touch the same bytes do not share an access. */
#ifndef SM_COALESCE_H
#define SM_COALESCE_H

#include "exec/exec.h"
#include "mem/packet.h"

struct sm_segment {
  uint64_t line;
  struct mem_bytes bytes;
};

/* Fills out (32 entries) and returns how many lines there are. `addr` are physical addresses. */
unsigned sm_coalesce(const uint64_t *addr, uint32_t mask, unsigned bytes, unsigned line_bytes, struct sm_segment *out);

/* The same in segments; for an atomic, `parts` of the warp are coalesced apart, and lanes with a byte in common too. */
unsigned sm_coalesce_segments(const uint64_t *addr, uint32_t mask, unsigned bytes, unsigned line_bytes, struct sm_segment *out);
struct sm_atomic_shape {
  unsigned parts, segment; /* of a warp; bytes at most of an access */
};
unsigned sm_coalesce_atomic(const uint64_t *addr, uint32_t mask, unsigned bytes, unsigned line_bytes, struct sm_atomic_shape shape,
                            struct sm_segment *out);

/* Puts the lines in the order in which banks of tags look them up, one of each bank a cycle, and returns the cycles. */
unsigned sm_order_by_bank(struct sm_segment *seg, unsigned n);

/* Cycles a shared-memory access occupies the banks: the largest number of distinct words that fall into one of the 32
 * four-byte banks, summed over the phases that 8- and 16-byte accesses take (half and quarter warps). */
unsigned sm_bank_cycles(const uint64_t *offset, uint32_t mask, unsigned bytes);
/* The same where halves of a warp (quarters, of 16 bytes a lane) are served together if lanes i and i^1, or i and i^2, of both name the
 * same address. */
unsigned sm_merged_bank_cycles(const uint64_t *offset, uint32_t mask, unsigned bytes);
/* The same of an atomic operation: lanes on the same word take a cycle each. */
unsigned sm_bank_lanes(const uint64_t *offset, uint32_t mask, unsigned bytes);
/* Of the lanes with the same address the first. */
uint32_t sm_first_lanes(const uint64_t *addr, uint32_t mask);
/* How many different addresses the lanes have. */
unsigned sm_different_addresses(const uint64_t *addr, uint32_t mask);

#endif
