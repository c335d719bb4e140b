/* A copy of what an L1D holds, kept beside it so that lookups for other SMs do not take its tags' time: the shadow tags.
 *
 * A table from 128-byte line to the bytes of it that can be read. The L1D notifies of every change (mem/observer.h), so the
 * copy is never older than the tags: bytes that are asked for but not there yet are not in it. It stands for a tag memory
 * with the L1D's geometry, which is searched by a hash here: not the tag array of mem_tags.h, since sets and victims are the
 * L1D's own affair, whose organisations differ in them, and a copy that chose for itself could differ from its original. */
#ifndef COOP_SHADOW_H
#define COOP_SHADOW_H

#include "base/table.h"
#include "mem/packet.h"

/* The table's values are struct mem_bytes. As the event `changed` says it: */
void coop_shadow_change(struct table *shadow, uint64_t line, struct mem_bytes bytes, bool here);
struct mem_bytes coop_shadow_held(const struct table *shadow, uint64_t line);

#endif
