/* The cooperative caching network without request throttling: every load miss that finds a free slot in its SM's
 * buffer asks the other L1Ds. The ring itself is ring.c. */
#include "coop/ring.h"

#include "base/arena.h"

#include <stdlib.h>

static struct coop *create(const struct cfg *cfg, const struct coop_place *place, struct err *e) {
  struct ring *r = must_alloc(sizeof *r);
  if (ring_init(r, cfg, place, e)) return &r->base;
  free(r);
  return NULL;
}

static void destroy(struct coop *c) {
  ring_free((struct ring *)c);
  free(c);
}

const struct coop_policy coop_ccn_b = {
    .policy = {.name = "ccn-b", .meaning = "cooperative caching network: misses visit a ring of L1Ds first",
               .paper = "Dublish, Nagarajan, Topham: Cooperative caching for GPUs, TACO 2016", .keys = ring_keys,
               .stats = coop_stats, .storage = coop_storage},
    .create = create, .destroy = destroy, .offer = ring_offer, .tick = ring_tick, .idle = ring_idle,
    .explain = ring_explain, .hardware = ring_hardware};
