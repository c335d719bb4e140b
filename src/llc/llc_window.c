/* Persisting and streaming lines: what the access window of a grid (mem_packet.keep) does to the lines that the grid
 * reads and writes. A persisting line is not evicted by others while its set has no more of them than L2 sets aside;
 * if there are more, the least recently used of them becomes a normal line. A streaming line is the first to be
 * evicted (with l2.replacement=lru). A line accessed with the property "normal" stops persisting.
 *
 * Owns: how many ways of a set are set aside. Does not: know windows (the SM says which property a line has). It
 * costs nothing while a program sets nothing aside and has no window.
 *
 * Simplified: copies for the other partition (llc_partition.c) and lines that copy engines put in have no property. */
#include "llc/llc_slice.h"

/* So many sixteenths of L2: whole ways, over all sets as many as that is. */
static uint32_t ways_aside(const struct slice *s, uint32_t set) {
  enum { PARTS = LLC_SET_ASIDE_PARTS };
  uint32_t ways = (s->set_aside * s->tags.c.ways + set % PARTS) / PARTS;
  return ways < s->tags.usable ? ways : s->tags.usable - 1; /* others go on */
}

void llc_apply_keep(struct slice *s, int32_t frame, const struct mem_packet *k) {
  switch ((enum mem_keep)k->keep) {
  case MEM_NO_WINDOW: return;
  case MEM_KEEP_PERSISTING: mem_tags_keep(&s->tags, frame, ways_aside(s, (uint32_t)frame / s->tags.c.ways)); return;
  case MEM_KEEP_STREAMING: s->tags.used[frame] = 0; break;
  case MEM_KEEP_NORMAL: break;
  }
  mem_tags_unkeep(&s->tags, frame);
}

void llc_set_aside(struct llc_slice *base, uint32_t sixteenths) {
  llc_of(base)->set_aside = sixteenths;
  if (!sixteenths) mem_tags_unkeep_all(&llc_of(base)->tags);
}

void llc_unkeep_all(struct llc_slice *base) { mem_tags_unkeep_all(&llc_of(base)->tags); }
