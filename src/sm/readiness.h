/* Which warps of an SM can issue, and when the next one will be able to. This is updated for each warp when it changes, so that a cycle
 * does not have to look at every warp.
 *
 * A warp has a stamp: the first time at which it may issue. Stamps are in a wheel of buckets, each a span of time at least as long as a
 * core cycle and a power of two of ticks. A look at time `now` moves the warps of all buckets up to now's into the set of warps that are
 * due. Warps that wait for an event have no stamp and are in no bucket. Sets of warps are bits, one per slot.
 *
 * Owns: stamps, and what each warp waits for. Knows no pipelines, schedulers or instructions. The time given to sm_readiness_look must not
 * decrease. */
#ifndef SM_READINESS_H
#define SM_READINESS_H

#include "mem/port.h"

#include <stdbool.h>
#include <stdint.h>

enum { SM_MAX_WARPS = 64, SM_BUCKETS = 64 };

/* Which pool of pipelines a unit of exec.h uses. The last two have no pipelines of their own (sm.own_pipes): products of integers use the
 * first of a scheduler's pipelines of SM_PIPE_SP; sums of integers use that one or those of SM_PIPE_ALU. */
enum sm_pipe {
  SM_PIPE_SP, SM_PIPE_ALU, SM_PIPE_SFU, SM_PIPE_DP, SM_PIPE_TENSOR, SM_PIPE_LSU, SM_PIPE_PRODUCT, SM_PIPE_SUM, SM_PIPES
};

/* Why a scheduler issued nothing in a cycle, ordered from furthest to nearest to issuing. */
enum sm_stall {
  SM_STALL_NONE, SM_STALL_IDLE, SM_STALL_HELD, SM_STALL_BARRIER, SM_STALL_FENCE, SM_STALL_FETCH, SM_STALL_MEMORY, SM_STALL_ALU,
  SM_STALL_PIPE, SM_STALL_LSU, SM_STALLS
};

struct sm_stand {   /* what a warp waits for before its next instruction */
  uint64_t ready;   /* first time it may issue; MEM_NEVER: it waits for an event */
  uint8_t why;      /* enum sm_stall, valid while it cannot issue */
  uint8_t pipe;     /* enum sm_pipe of that instruction */
  bool load;        /* it is a load that may use L1D */
  bool below;       /* it reads or writes global or local memory */
  uint8_t bucket;   /* of the wheel, or one of SM_BUCKET_* */
};
enum { SM_BUCKET_NONE = SM_BUCKETS, SM_BUCKET_FAR };

struct sm_readiness {
  uint64_t at;                  /* the bucket (time >> shift) of the last look */
  uint64_t used;                /* buckets with a warp, by number modulo SM_BUCKETS */
  uint64_t due;                 /* warps whose stamp the last look reached */
  uint64_t far, far_from;       /* warps with stamps beyond the wheel, and the first bucket that one of them may belong to */
  uint64_t loads;
  unsigned shift;               /* log2 of a bucket's ticks */
  uint64_t why[SM_STALLS];      /* warps by what they wait for, the due ones included */
  uint64_t pipe[SM_PIPES];      /* and by the pipeline of their next instruction */
  struct sm_stand warp[SM_MAX_WARPS];
  uint64_t bucket[SM_BUCKETS];
};

void sm_readiness_init(struct sm_readiness *r, uint64_t period);
/* Takes a warp out so that it can be changed: every field but the bucket may be written until it is put back. It is changed in place
 * because copying the struct would read in larger pieces than were written, and the host would stall. */
struct sm_stand *sm_readiness_take(struct sm_readiness *r, unsigned slot);
void sm_readiness_put(struct sm_readiness *r, unsigned slot);
/* The warp has ended. */
void sm_readiness_drop(struct sm_readiness *r, unsigned slot);
/* Warps whose stamp is at most `now`. */
void sm_readiness_turn(struct sm_readiness *r, uint64_t now); /* for sm_readiness_look: turns the wheel */
static inline uint64_t sm_readiness_look(struct sm_readiness *r, uint64_t now) {
  if (now >> r->shift != r->at || r->used >> r->at % SM_BUCKETS & 1) sm_readiness_turn(r, now);
  return r->due;
}
/* The earliest stamp of these warps, none of which was due at the last look; MEM_NEVER: none has a stamp. */
uint64_t sm_readiness_next(const struct sm_readiness *r, uint64_t warps);

#endif
