/* What the policies `ideal` and `cluster` share: cooperation that costs nothing. See ideal.c. */
#ifndef COOP_IDEAL_H
#define COOP_IDEAL_H

#include "coop/coop.h"

/* Creates a network in which SMs answer the misses of the `group` neighbouring SMs in their own group. */
struct coop *ideal_create(const struct cfg *cfg, const struct coop_place *place, uint32_t group);
void ideal_destroy(struct coop *c);
bool ideal_offer(struct coop_node *n, struct mem_packet *k, bool free_slot, uint64_t now);
uint64_t ideal_tick(struct coop *c, uint64_t now);
bool ideal_idle(const struct coop *c);
void ideal_explain(const struct coop *c, uint64_t now, struct str *out);

#endif
