/* The set-associative array behind several organisations: base, fixed line sizes, sector cache, LAMAR.
 *
 * A way holds one line (of 32 to 256 bytes) of which granules are present, asked for, or absent. */
#ifndef L1_SET_ASSOC_H
#define L1_SET_ASSOC_H

#include "l1/l1.h"
#include "l1/l1_index.h"

struct sa_way {
  uint64_t line;
  struct mem_bytes valid[2], reserved[2]; /* present; asked for and not yet there. Halves of a line of 256 bytes */
  struct mem_bytes asked;                 /* bytes that loads have asked for since it came */
  uint64_t used;                          /* LRU stamp, or NRU bit */
  uint8_t warp;                           /* that brought it in */
  bool live;
};

#define SA_REPLACEMENTS "lru nru random"
enum sa_replacement { SA_LRU, SA_NRU, SA_RANDOM };

struct sa_cache {
  struct l1_index index;
  uint32_t ways, granule;
  bool on_miss;
  enum sa_replacement replacement;
  struct rng rng;
  uint64_t clock;
  struct mem_bytes last_asked;            /* of the last probe: what the way it will reserve is wanted for */
  struct sa_way *way;
  const uint8_t *warp;
  const struct mem_observers *observers;
  /* Told of each line that is replaced, if not NULL. */
  void (*evicted)(void *user, uint64_t line, struct mem_bytes asked);
  void *user;
};

/* Ways, index, replacement and time of allocation are those of the l1 keys. */
void sa_init(struct sa_cache *c, const struct cfg *cfg, const struct l1_place *place, uint32_t line_bytes, uint32_t granule);
void sa_free(struct sa_cache *c);
struct mem_bytes sa_probe(void *cache, uint64_t line, struct mem_bytes bytes);
bool sa_reserve(void *cache, uint64_t line, struct mem_bytes missing, uint32_t *cycles);
void sa_fill(void *cache, uint64_t line, struct mem_bytes bytes);
void sa_wrote(void *cache, uint64_t line, struct mem_bytes bytes, bool keep);
void sa_flush(void *cache);
uint64_t sa_stored(const void *cache);
/* The way of a line, NULL: it has none. */
struct sa_way *sa_find(const struct sa_cache *c, uint64_t line);
/* What is here of a 128-byte line; what is here of a line or on its way. */
struct mem_bytes sa_held(const void *cache, uint64_t line);
struct mem_bytes sa_present(const struct sa_cache *c, uint64_t line);

#endif
