/* The set-associative array behind several organisations: base, fixed line sizes, sector cache, LAMAR, critical data tracker.
 *
 * A frame of the tag array (mem_tags.h) holds one line (of 32 to 256 bytes) of which granules are present, asked for, or
 * absent; the two halves of a line of 256 bytes are its parts. */
#ifndef L1_SET_ASSOC_H
#define L1_SET_ASSOC_H

#include "l1/l1.h"
#include "l1/l1_index.h"
#include "mem/mem_tags.h"

struct sa_cache {
  struct mem_tags tags;
  uint8_t *brought;        /* by frame: the warp that brought its line in */
  struct mem_bytes *asked; /* by frame: bytes that loads have asked for since its line came; NULL: nobody wants to know */
  uint32_t granule;
  bool on_miss;
  struct mem_bytes last_asked; /* of the last probe: what the way it will reserve is wanted for */
  const uint8_t *warp;
  const struct mem_observers *observers;
  /* Notified of each line that is replaced, if not NULL. */
  void (*evicted)(void *user, int32_t frame);
  void *user;
};

extern const struct l1_org l1_set_assoc; /* the base, which others are compared with */

/* Ways, index, replacement and time of allocation are those of the l1 keys. */
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
/* The frame of a line, MEM_NO_FRAME: it has none. */
int32_t sa_find(const struct sa_cache *c, uint64_t line);
/* What is here of a 128-byte line; what of a line is here or pending. */
struct mem_bytes sa_held(const void *cache, uint64_t line);
struct mem_bytes sa_present(const struct sa_cache *c, uint64_t line);

#endif
