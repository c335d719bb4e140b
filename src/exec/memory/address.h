/* Which memory the lanes of a memory instruction access: address operands, state spaces, the generic windows, and the check of every access
 * against what is allocated. Used by each family that accesses memory.
 *
 * A memory instruction does three things: exec_decode_where() when it is decoded, exec_reach() when it is executed, and then it moves bytes
 * with exec_host(). Lanes of one generic access may fall into several spaces, which are handled one after the other:
 *
 *   struct exec_reach r;
 *   if (!exec_reach(w, in, &where, EXEC_LOAD, bytes, w->access.addr, &r)) return;   // a fault was recorded
 *   exec_note_access(w, EXEC_LOAD, cache, bytes, &r);
 *   do {
 *     for each lane of r.lanes: bytes are at exec_host(&r, lane)
 *   } while (exec_reach_more(w, in, &r));
 *
 * Shared memory of another CTA of the cluster counts as a space of its own here (cta_cluster.h).
 *
 * Neither moves data nor charges time. */
#ifndef EXEC_ADDRESS_H
#define EXEC_ADDRESS_H

#include "exec/decode.h"

/* Generic addresses of the kernel's parameters (cvta.param): a window as those in device_memory.h. */
#define EXEC_PARAM_WINDOW       0x01c000000000u
#define EXEC_PARAM_WINDOW_BYTES 0x01000000u

/* What a decoded address is relative to. */
enum exec_area {
  EXEC_AREA_SPACE,  /* the state space as a whole */
  EXEC_AREA_LOCAL,  /* the function's .local variables in the current frame */
  EXEC_AREA_KERNEL, /* the kernel's parameters */
  EXEC_AREA_PARAMS, /* parameters and results of the current activation */
  EXEC_AREA_CALLS,  /* .param variables for the calls the function makes */
};

/* An address operand, decoded. */
struct exec_where {
  struct exec_opnd base; /* row of addresses; EXEC_FNONE: the offset alone, the same for every lane */
  bool narrow;           /* the row holds 32 bits a lane: the sum wraps at 32 bits */
  uint8_t space;         /* enum ptx_space; PTX_GENERIC: found out lane by lane */
  uint8_t area;          /* enum exec_area */
  int64_t offset;
  const struct exec_lanes *lanes; /* of the host's instruction set */
};

enum exec_pattern {
  EXEC_SCATTERED,
  EXEC_SAME,        /* every lane has the same address */
  EXEC_CONSECUTIVE, /* all 32 lanes, each `bytes` behind the lane before */
};

/* Lanes in one space, checked. */
struct exec_reach {
  uint32_t lanes, rest; /* of this part; remaining ones in other spaces */
  uint8_t space;        /* resolved: PTX_GLOBAL, PTX_CONST, PTX_SHARED, PTX_LOCAL or PTX_PARAM */
  uint8_t pattern;      /* enum exec_pattern, of addr */
  uint8_t op;           /* enum exec_access_op */
  const struct exec_lanes *host_lanes;
  bool concurrent;      /* of atomic operations: other host threads may be at the same place */
  uint32_t bytes;       /* a lane */
  uint32_t remote;      /* of all lanes: those in the shared memory of another CTA of the cluster */
  struct exec_cta *cta; /* of lanes in shared memory: the CTA */
  uint64_t base;        /* lane i's bytes are at base + i * stride + addr[i] on the host */
  uint64_t stride;
  const uint64_t *addr;
  uint64_t *all;             /* the caller's array: addresses of all lanes, translated into their spaces */
  uint64_t part[EXEC_LANES]; /* addr of a part, when lanes fell into several spaces */
};

/* Decodes the operand [..]. A variable decides the space where none was written. */
bool exec_decode_where(struct exec_decoder *d, const struct ptx_inst *pi, const struct ptx_opnd *o,
                       enum ptx_space space, struct exec_where *out);

/* Forms and checks the addresses of w->mask's lanes for accesses of `bytes` each (a power of two: also the
 * alignment). addr receives them and must stay while r is used. False after a fault. */
bool exec_reach(struct exec_warp *w, const struct exec_inst *in, const struct exec_where *where,
                enum exec_access_op op, uint32_t bytes, uint64_t addr[EXEC_LANES], struct exec_reach *r);
bool exec_reach_rest(struct exec_warp *w, const struct exec_inst *in, struct exec_reach *r);
static inline bool exec_reach_more(struct exec_warp *w, const struct exec_inst *in, struct exec_reach *r) {
  return r->rest && exec_reach_rest(w, in, r);
}

/* The address of a lane of an operand that has a row. */
static inline uint64_t exec_lane_address(const struct exec_warp *w, const struct exec_where *x, unsigned lane) {
  const void *row = exec_row(w, x->base);
  return x->narrow ? ((const uint32_t *)row)[lane] + (uint32_t)x->offset : ((const uint64_t *)row)[lane] + (uint64_t)x->offset;
}

/* The offset that the operand adds to its row, or its address if it has no row. */
static inline uint64_t exec_where_offset(const struct exec_warp *w, const struct exec_where *x) {
  return (uint64_t)x->offset + (x->area == EXEC_AREA_LOCAL ? w->frame->local_base : 0);
}

/* For accesses that need not be left in w->access: the memory that lanes may access without a check one by one, which is the CTA's own
 * shared memory, the threads' own stacks or parameters, or the allocation of the first lane if it was accessed lately. False: not known. */
bool exec_known_window(const struct exec_warp *w, const struct exec_where *where, bool writes, struct exec_window *at);

static inline unsigned char *exec_host(const struct exec_reach *r, unsigned lane) {
  return exec_mem_ptr(r->base + lane * r->stride + r->addr[lane]);
}

/* Checks `bytes` from `addr` on in PTX_SHARED or PTX_GLOBAL for one lane and returns where they are on the
 * host, or NULL after a fault: for copies whose length is known only at run time. `align` is a power of two.
 */
unsigned char *exec_reach_block(struct exec_warp *w, const struct exec_inst *in, unsigned lane,
                                enum ptx_space space, enum exec_access_op op, uint64_t addr, uint64_t bytes,
                                uint32_t align);

/* The addresses of w->mask's lanes, without any check. */
void exec_form_addresses(const struct exec_warp *w, const struct exec_where *where,
                         uint64_t addr[EXEC_LANES]);

/* The same, and returns the lanes whose address lies in allocated global memory: for prefetches, which never
 * fault. */
uint32_t exec_reach_hint(const struct exec_warp *w, const struct exec_where *where,
                         uint64_t addr[EXEC_LANES]);

/* Fills w->access from the first part of a reach whose addresses are in w->access.addr. */
static inline void exec_note_access(struct exec_warp *w, enum exec_access_op op, enum exec_cache_op cache,
                                    uint32_t bytes, const struct exec_reach *r) {
  struct exec_access *a = &w->access;
  a->op = (uint8_t)op;
  a->cache = (uint8_t)cache;
  a->space = r->space;
  a->read_only = false;
  a->async = a->same = a->bulk = a->signals = false;
  a->bytes = a->element = (uint8_t)bytes;
  a->mask = r->lanes | r->rest;
  a->other_mask = r->rest;
  a->remote = r->remote;
  a->times = 0;
}

#endif
