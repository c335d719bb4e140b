/* Clusters: CTAs that run at the same time, can access each other's shared memory, and have a common barrier.
 *
 * An address of .shared::cluster has the rank of its CTA, plus one, above the bits of the offset. Without it, the address is in the CTA's
 * own memory, so an address of .shared::cta is also one of .shared::cluster. Generic addresses have the same form behind the window of
 * shared memory. CTAs of a cluster are consecutive in the order in which CTAs are started (exec_cta_in_order). The caller starts a cluster
 * as a whole and then joins its CTAs (exec_cluster_form).
 *
 * barrier.cluster.arrive counts threads; wait parks threads that have arrived until all live threads of the cluster have. */
#ifndef EXEC_CTA_CLUSTER_H
#define EXEC_CTA_CLUSTER_H

#include "exec/exec.h"

enum { EXEC_RANK_SHIFT = 24 };

/* CTAs per cluster of the grid; 1: it has no clusters. */
static inline uint32_t exec_cluster_size(const struct exec_grid *g) {
  return g->cluster[0] ? g->cluster[0] * g->cluster[1] * g->cluster[2] : 1;
}
/* Gives the grid the clusters that its kernel asks for, unless its launch has specified them. False: they do not divide the grid, or are
 * too large. */
bool exec_grid_clusters(struct exec_grid *g, struct err *e);
/* The linear number of the CTA that is started as number i: one cluster after the other. */
uint64_t exec_cta_in_order(const struct exec_grid *g, uint64_t i);

/* Joins CTAs that have just been started to a cluster, in the order of their ranks. */
void exec_cluster_form(struct exec_cta *const *ctas, uint32_t n);
/* The CTA has ended or was ended: others can no longer access its memory. */
void exec_cluster_leave(struct exec_cta *cta);

/* The CTA whose shared memory holds an address of .shared::cluster, NULL if there is none; *offset is the place there. */
static inline struct exec_cta *exec_cluster_cta(const struct exec_warp *w, uint64_t addr, uint64_t *offset) {
  uint64_t rank = addr >> EXEC_RANK_SHIFT;
  *offset = addr & ((UINT64_C(1) << EXEC_RANK_SHIFT) - 1);
  if (!rank) return w->cta;
  return rank <= w->cta->cluster->n ? w->cta->cluster->ctas[rank - 1] : NULL;
}

/* The same offset in the CTA with a rank. */
static inline uint64_t exec_cluster_address(uint64_t addr, unsigned rank) {
  return (uint64_t)(rank + 1) << EXEC_RANK_SHIFT | (addr & ((UINT64_C(1) << EXEC_RANK_SHIFT) - 1));
}

/* barrier.cluster: w->mask's lanes arrive; the current path waits. */
void exec_cluster_arrive(struct exec_warp *w, const struct exec_inst *in);
void exec_cluster_wait(struct exec_warp *w);
/* Lanes have ended: those that had arrived no longer count. */
void exec_cluster_exit(struct exec_warp *w, uint32_t lanes);

#endif
