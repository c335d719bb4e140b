/* The second plug-in point of the L1D, l1.bypass: which loads go below without using the cache, and in which order
 * accesses reach it. One file each, listed in bypass_registry.c. A policy only says what should happen; l1.c and the
 * load/store unit do it. */
#ifndef L1_BYPASS_H
#define L1_BYPASS_H

#include "l1/l1.h"

/* Members marked (may be NULL) are for policies that need them. */
struct l1_bypass {
  const char *name, *meaning;
  const struct cfg_key *keys; /* its own, ended by a key without a name; NULL: none */
  void *(*create)(const struct cfg *cfg, struct err *e);
  void (*destroy)(void *b);
  /* A load that would use the cache: true if it should not (may be NULL). Asked again when it is tried again. */
  bool (*skips)(void *b, const struct l1_request *r);
  /* A load was refused for this reason: true sends it below without using the cache (may be NULL). */
  bool (*gives_up)(void *b, const struct l1_request *r, enum l1_why why);
  /* Queues between the coalescer and the cache (may be NULL, together). `from` says whose access it is: the warp. */
  bool (*room)(const void *b, uint32_t from);
  void (*put)(void *b, uint32_t from, const struct l1_request *r);
  const struct l1_request *(*next)(void *b); /* whose turn it is; NULL: all are empty */
  void (*took)(void *b);                     /* the cache has accepted it */
  uint64_t (*storage_bits)(const void *b);   /* (may be NULL) */
};
extern const struct l1_bypass *const l1_bypasses[]; /* ended by NULL */

#endif
