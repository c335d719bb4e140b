/* The set-associative array behind several organisations: base, fixed line sizes, sector cache, LAMAR, critical data
 * tracker.
 *
 * A frame of the tag array (mem_tags.h) holds one line of 32 to 256 bytes, of which granules are present, requested
 * or absent. A line of 256 bytes has two parts, its halves of 128 bytes. */
#ifndef L1_SET_ASSOC_H
#define L1_SET_ASSOC_H

#include "l1/l1.h"
#include "l1/l1_index.h"
#include "mem/mem_tags.h"

struct sa_cache {
  struct mem_tags tags;
  uint8_t *brought;        /* by frame: the warp that brought its line in */
  struct mem_bytes *asked; /* by frame: bytes that loads have asked for since its line came; NULL: not kept */
  uint32_t granule;
  bool on_miss;
  struct mem_bytes last_asked; /* bytes of the last probe, for the `asked` of the frame that may be reserved next */
  const uint8_t *warp;
  const struct mem_observers *observers;
  /* Called for each line that is replaced, if not NULL. */
  void (*evicted)(void *user, int32_t frame);
  void *user;
};

extern const struct l1_org l1_set_assoc; /* the base organisation, with which the others are compared */

/* Takes ways, index, replacement and time of allocation from the l1 keys. */
void sa_init(struct sa_cache *c, const struct cfg *cfg, const struct l1_place *place, uint32_t line_bytes, uint32_t granule);
void sa_free(struct sa_cache *c);
void sa_note_asked(struct sa_cache *c); /* from now on, `asked` is kept */
bool sa_allocates_on_miss(const struct cfg *cfg); /* l1.allocate */
struct mem_bytes sa_probe(void *cache, uint64_t line, struct mem_bytes bytes);
bool sa_reserve(void *cache, uint64_t line, struct mem_bytes missing, uint32_t *cycles);
void sa_fill(void *cache, uint64_t line, struct mem_bytes bytes);
void sa_wrote(void *cache, uint64_t line, struct mem_bytes bytes, bool keep);
void sa_flush(void *cache);
void sa_resize(void *cache, uint64_t bytes);
uint64_t sa_stored(const void *cache);
/* The frame that holds a line; MEM_NO_FRAME: none does. */
int32_t sa_find(const struct sa_cache *c, uint64_t line);
/* sa_held: the bytes of a 128-byte line that are here. sa_present: those that are here or requested. */
struct mem_bytes sa_held(const void *cache, uint64_t line);
struct mem_bytes sa_present(const struct sa_cache *c, uint64_t line);

#endif
