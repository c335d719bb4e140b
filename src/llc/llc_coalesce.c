/* See llc_coalesce.h. */
#include "llc/llc_coalesce.h"

#include "base/arena.h"
#include "llc/llc_config.h"

#include <stdlib.h>

enum { OPEN_BITS = 12 };

void llc_coalescer_init(struct llc_coalescer *c, uint32_t most, uint32_t groups, uint32_t sms) {
  *c = (struct llc_coalescer){.most = most, .groups = groups, .sms = sms};
  if (most > 1) c->open = must_alloc(sizeof *c->open << OPEN_BITS);
}

void llc_coalescer_free(struct llc_coalescer *c) { free(c->open); }

static uint32_t group_of(const struct llc_coalescer *c, const struct mem_packet *k) {
  return llc_block_of(k->sm, c->sms, c->groups);
}

static struct mem_packet **place_of(struct llc_coalescer *c, const struct mem_packet *k) {
  uint64_t mixed = (k->line / MEM_LINE * c->groups + group_of(c, k)) * UINT64_C(0x9e3779b97f4a7c15);
  return &c->open[mixed >> (64 - OPEN_BITS)];
}

/* The last of an open read and its followers if this one may join them: of another SM of their group. NULL: it may not. *reads
 * counts them. An H200 joins reads of one SM too, each with its own reply; here they do not join (docs/h200.md: what that costs). */
static struct mem_packet *last_of(const struct llc_coalescer *c, struct mem_packet *first, const struct mem_packet *k,
                                  uint32_t *reads) {
  if (!first || first->line != k->line || group_of(c, first) != group_of(c, k) || k->sectors & ~first->sectors) return NULL;
  struct mem_packet *last = first;
  for (*reads = 1; last->sm != k->sm && last->followers; last = last->followers) ++*reads;
  return last->sm == k->sm ? NULL : last;
}

bool llc_coalesce(struct llc_coalescer *c, struct mem_packet *k) {
  if (!c->open || k->kind != MEM_READ || k->cache == MEM_CACHE_VOLATILE) return false;
  uint32_t reads;
  struct mem_packet **place = place_of(c, k), *last = last_of(c, *place, k, &reads);
  if (!last) {
    *place = k;
    return false;
  }
  last->followers = k;
  if (reads + 1 == c->most) *place = NULL;
  return true;
}

void llc_coalesce_close(struct llc_coalescer *c, const struct mem_packet *k) {
  if (!c->open || k->kind != MEM_READ) return;
  struct mem_packet **place = place_of(c, k);
  if (*place == k) *place = NULL;
}
