/* See cta_cluster.h. */
#include "exec/run/cta_cluster.h"

#include "exec/observe.h"
#include "exec/warp.h"

#include <assert.h>
#include <stdlib.h>

bool exec_grid_clusters(struct exec_grid *g, struct err *e) {
  const uint32_t *own = g->kernel->ptx->reqnctapercluster;
  for (int i = 0; i < 3 && own[0] && !g->cluster[2]; i++) g->cluster[i] = own[i] ? own[i] : 1;
  if (!g->cluster[0]) return true;
  for (int i = 0; i < 3; i++)
    if (!g->cluster[i] || g->grid[i] % g->cluster[i])
      return err_set(e, ERR_INPUT, "kernel '%s': clusters of %u x %u x %u CTAs do not divide the grid of %u x %u x %u",
                     g->kernel->ptx->name, g->cluster[0], g->cluster[1], g->cluster[2], g->grid[0], g->grid[1], g->grid[2]);
  if (exec_cluster_size(g) <= EXEC_MAX_CLUSTER) return true;
  return err_set(e, ERR_LIMIT, "kernel '%s': a cluster of %u CTAs; %d are possible", g->kernel->ptx->name, exec_cluster_size(g),
                 EXEC_MAX_CLUSTER);
}

uint64_t exec_cta_in_order(const struct exec_grid *g, uint64_t i) {
  uint32_t n = exec_cluster_size(g);
  if (n == 1) return i;
  uint64_t cluster = i / n, rank = i % n, at[3];
  for (int k = 0; k < 3; k++) {
    uint64_t across = g->grid[k] / g->cluster[k];
    at[k] = cluster % across * g->cluster[k] + rank % g->cluster[k];
    cluster /= across;
    rank /= g->cluster[k];
  }
  return (at[2] * g->grid[1] + at[1]) * g->grid[0] + at[0];
}

void exec_cluster_form(struct exec_cta *const *ctas, uint32_t n) {
  if (n == 1) return;
  struct exec_cluster *c = must_alloc(sizeof *c);
  c->n = c->live = n;
  for (uint32_t i = 0; i < n; i++) {
    c->ctas[i] = ctas[i];
    ctas[i]->cluster = c;
    ctas[i]->rank = i;
  }
}

void exec_cluster_leave(struct exec_cta *cta) {
  struct exec_cluster *c = cta->cluster;
  if (!c || c == &cta->alone) return;
  c->ctas[cta->rank] = NULL;
  cta->cluster = &cta->alone;
  if (!--c->live) free(c);
}

/* ---- the barrier ------------------------------------------------------------------------------------------------------ */

static uint32_t live_threads(const struct exec_cluster *c) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < c->n; i++) n += c->ctas[i] ? c->ctas[i]->live_threads : 0;
  return n;
}

static void open_cta(struct exec_cta *cta, const struct exec_cta *last) {
  const struct exec_observer *o = cta->grid->device->observer;
  if (o) o->release(o->user, cta, EXEC_CLUSTER_BARRIER);
  for (uint32_t i = 0; i < cta->n_warps; i++) {
    cta->warps[i].at_cluster = 0;
    exec_release_paths(&cta->warps[i], EXEC_CLUSTER_BARRIER);
  }
  cta->barrier_releases++;
  if (cta != last && cta->opened) cta->opened(cta);
}

static void maybe_open(struct exec_cta *last) {
  struct exec_cluster *c = last->cluster;
  if (!c->arrived || c->arrived < live_threads(c)) return;
  c->arrived = 0;
  for (uint32_t i = 0; i < c->n; i++)
    if (c->ctas[i]) open_cta(c->ctas[i], last);
}

void exec_cluster_arrive(struct exec_warp *w, const struct exec_inst *in) {
  uint32_t lanes = w->mask & ~w->at_cluster;
  if (!lanes) return;
  if (exec_observer(w)) exec_observer(w)->arrive(exec_observer(w)->user, w, in, EXEC_CLUSTER_BARRIER, 0, true);
  w->at_cluster |= lanes;
  w->cta->cluster->arrived += exec_count_lanes(lanes);
  maybe_open(w->cta);
}

void exec_cluster_wait(struct exec_warp *w) {
  if (w->mask & w->at_cluster) exec_park(w, EXEC_CLUSTER_BARRIER);
}

void exec_cluster_exit(struct exec_warp *w, uint32_t lanes) {
  struct exec_cluster *c = w->cta->cluster;
  c->arrived -= exec_count_lanes(w->at_cluster & lanes);
  w->at_cluster &= ~lanes;
  maybe_open(w->cta);
}
