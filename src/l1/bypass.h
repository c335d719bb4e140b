/* The interface of bypass policies (key l1.bypass), the second plug-in point of the L1D: they decide which loads go
 * to L2 without using the cache, and in which order accesses reach it. Each policy is one file, listed in
 * bypass_registry.c. A policy only says what should happen; l1.c and the load/store unit carry it out.
 *
 * Each SM has a policy state of its own. A policy may also keep one state that all SMs share. At core cycles that the
 * shared state chooses itself, while no component is being visited, it is given a snapshot of the GPU's counters.
 * What it decides then holds for all SMs from that cycle on, so neither the order in which components are visited nor
 * the number of host threads can change a result. */
#ifndef L1_BYPASS_H
#define L1_BYPASS_H

#include "l1/l1.h"

/* What the shared state is told about the GPU when it is created. */
struct l1_gpu {
  uint32_t sms, slices;
  uint64_t (*slice_of)(void *user, uint32_t sm, uint64_t line); /* the memory sub-partition that the SM finds a line in */
  void *user;
};

/* What the shared state sees of the GPU at an update. Counts are totals since the run began. */
struct l1_snapshot {
  uint64_t cycle;               /* core cycles during which a kernel ran */
  const uint64_t *instructions; /* by SM: thread instructions executed */
  const uint64_t *occupancy;    /* by sub-partition: packets in its input buffer, summed over its own cycles */
  uint64_t full;                /* what a sub-partition's occupancy would be if its buffer had always been full */
};

/* The most by which the counts of a snapshot can grow in one core cycle; hardware counters must be wide enough for it (shared_bits). */
struct l1_extent {
  uint32_t sms, slices;
  uint32_t instructions; /* thread instructions of one SM */
  double occupancy;      /* of one sub-partition whose input buffer is full */
};

/* A policy leaves members NULL that it does not need, where they are marked (may be NULL). */
struct l1_bypass {
  struct policy policy;
  void *(*create)(const struct cfg *cfg, const struct l1_place *place, struct err *e);
  void (*destroy)(void *b);
  /* A load that would use the cache: true if none of its accesses should (may be NULL). Asked once a load, with its
   * first access. */
  bool (*skips)(void *b, const struct l1_request *r);
  /* The cache has refused an access of a load for this reason. True sends the access to L2 without using the cache;
   * asked only while the queue towards the network has a free slot (may be NULL), and again each time the access is
   * tried again. */
  bool (*gives_up)(void *b, const struct l1_request *r, enum l1_why why);
  /* The cache has accepted an access of a load: a hit, a miss, or merged with an outstanding miss (may be NULL). */
  void (*served)(void *b, const struct l1_request *r, enum l1_result result);
  /* filled: data of a line has arrived. evicted: a line was replaced by another one (stores and flushes do not
   * count). Either may be NULL. A policy with `evicted` can only be combined with organisations that replace whole
   * lines (l1_traits.reports_victims). */
  void (*filled)(void *b, uint64_t line, struct mem_bytes bytes);
  void (*evicted)(void *b, uint64_t line);
  /* Queues between the coalescer and the cache (all four may be NULL). `from` is the warp that makes the access. */
  bool (*has_slot)(const void *b, uint32_t from);
  void (*put)(void *b, uint32_t from, const struct l1_request *r);
  const struct l1_request *(*next)(void *b); /* the access to try next; NULL: all queues are empty */
  void (*took)(void *b);                     /* the cache has accepted the access that next() returned */
  uint64_t (*storage_bits)(const void *b);   /* storage of the policy in each SM (may be NULL) */
  /* The state that all SMs share (all of the following may be NULL). */
  void *(*share)(const struct cfg *cfg, const struct l1_gpu *gpu, struct err *e);
  void (*unshare)(void *shared);
  void (*join)(void *shared, void *b, uint32_t sm); /* called for SM after SM, once each */
  /* begin: a kernel begins. update: the cycle that the shared state asked for has come. Both return the cycle of the next update. */
  uint64_t (*begin)(void *shared, const struct l1_snapshot *s);
  uint64_t (*update)(void *shared, const struct l1_snapshot *s);
  uint64_t (*shared_bits)(const struct cfg *cfg, const struct l1_extent *gpu); /* storage of the shared state */
};
extern const struct policy *const l1_bypasses[]; /* the policies of l1.bypass */
extern const struct policy_part l1_bypass_storage[]; /* storage as storage_bits and shared_bits say */

#endif
