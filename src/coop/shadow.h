/* The shadow tags: a copy of what an L1D holds, kept beside it so that lookups for other SMs do not take time of its
 * tags.
 *
 * It is a table from a 128-byte line to the bytes of it that can be read. The L1D notifies it of every change
 * (mem/observer.h), so the copy is never older than the tags; bytes that are requested but not here yet are not in
 * it. It stands for a tag memory with the geometry of the L1D, but is searched by a hash. It is not built on the tag
 * array of mem_tags.h, because L1D organisations differ in their sets and victims, and a copy that chose its own
 * victims could differ from the original. */
#ifndef COOP_SHADOW_H
#define COOP_SHADOW_H

#include "base/table.h"
#include "mem/packet.h"

/* The values of the table are struct mem_bytes. The arguments are those of the event `changed` (mem/observer.h). */
void coop_shadow_change(struct table *shadow, uint64_t line, struct mem_bytes bytes, bool here);
struct mem_bytes coop_shadow_held(const struct table *shadow, uint64_t line);

#endif
