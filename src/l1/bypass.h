/* The second plug-in point of the L1D, l1.bypass: which loads go below without using the cache, and in which order
 * accesses reach it. One file each, listed in bypass_registry.c. A policy only says what should happen; l1.c and the
 * load/store unit do it.
 *
 * A policy has a state an SM and may have one more that all SMs share. The shared one is shown a snapshot of the GPU at
 * cycles that it names itself, while no component is being visited; what it decides is seen from that cycle on,
 * whatever the order of visits and the number of threads. */
#ifndef L1_BYPASS_H
#define L1_BYPASS_H

#include "l1/l1.h"

/* What the state that all SMs share may know of the GPU when it is made. */
struct l1_gpu {
  uint32_t sms, slices;
  uint64_t (*slice_of)(void *user, uint32_t sm, uint64_t line); /* the memory sub-partition that the SM finds a line in */
  void *user;
};

/* What it sees of it; counts are since the run began. */
struct l1_snapshot {
  uint64_t cycle;               /* core cycles, of kernels only */
  const uint64_t *instructions; /* by SM: executed by its threads */
  const uint64_t *occupancy;    /* by sub-partition: packets in its input buffer, summed over its own cycles */
  uint64_t full;                /* what occupancy would be had the buffer always been full */
};

/* What counters of it must be able to hold, a core cycle. */
struct l1_extent {
  uint32_t sms, slices;
  uint32_t instructions; /* that an SM's threads can execute */
  double occupancy;      /* of a sub-partition's input buffer that is full */
};

/* Members marked (may be NULL) are for policies that need them. */
struct l1_bypass {
  struct policy policy;
  void *(*create)(const struct cfg *cfg, const struct l1_place *place, struct err *e);
  void (*destroy)(void *b);
  /* A load that would use the cache: true if none of its accesses should (may be NULL). Asked once a load, with its
   * first access. */
  bool (*skips)(void *b, const struct l1_request *r);
  /* An access of a load was refused for this reason: true sends it below without using the cache, if the queue towards
   * the network has a free slot (may be NULL). Asked again when it is tried again. */
  bool (*gives_up)(void *b, const struct l1_request *r, enum l1_why why);
  /* The cache served an access of a load: a hit, a miss, or merged with an outstanding one (may be NULL). */
  void (*served)(void *b, const struct l1_request *r, enum l1_result result);
  /* Data of a line has come in; a line was replaced by another, not by a store or a flush (may be NULL). Only organisations that
   * replace lines as a whole go with a policy that wants to know of replacements. */
  void (*filled)(void *b, uint64_t line, struct mem_bytes bytes);
  void (*evicted)(void *b, uint64_t line);
  /* Queues between the coalescer and the cache (may be NULL, together). `from` says whose access it is: the warp. */
  bool (*has_slot)(const void *b, uint32_t from);
  void (*put)(void *b, uint32_t from, const struct l1_request *r);
  const struct l1_request *(*next)(void *b); /* whose turn it is; NULL: all are empty */
  void (*took)(void *b);                     /* the cache has accepted it */
  uint64_t (*storage_bits)(const void *b);   /* that an SM has for it (may be NULL) */
  /* The state that all SMs share (may be NULL, together). */
  void *(*share)(const struct cfg *cfg, const struct l1_gpu *gpu, struct err *e);
  void (*unshare)(void *shared);
  void (*join)(void *shared, void *b, uint32_t sm); /* called for SM after SM, once each */
  /* A kernel begins; the cycle that the shared state asked for has come. Both return the next one it wants to look at. */
  uint64_t (*begin)(void *shared, const struct l1_snapshot *s);
  uint64_t (*update)(void *shared, const struct l1_snapshot *s);
  uint64_t (*shared_bits)(const struct cfg *cfg, const struct l1_extent *gpu); /* its storage */
};
extern const struct policy *const l1_bypasses[]; /* of l1.bypass */
extern const struct policy_part l1_bypass_storage[]; /* what the functions above say */

#endif
