/* A bump allocator: many small objects of one lifetime, freed together. Memory is zeroed. Used by readers and
 * decoders, never on a simulation's hot path. Running out of host memory ends the process with a message: a reader
 * cannot do anything useful then. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena {
  struct arena_block *blocks;
  size_t used_in_block;
};

void *arena_alloc(struct arena *a, size_t bytes);
void *arena_copy(struct arena *a, const void *from, size_t bytes);
char *arena_strndup(struct arena *a, const char *s, size_t n); /* adds the terminating zero */
void arena_free(struct arena *a);

#define ARENA_NEW(a, type) ((type *)arena_alloc((a), sizeof(type)))
#define ARENA_ARRAY(a, type, n) ((type *)arena_alloc((a), sizeof(type) * (size_t)(n)))

/* Growable array helper for plain heap arrays: makes space for one more element. */
void *grow_array(void *array, size_t *capacity, size_t needed, size_t element);
#define GROW(array, capacity, needed)                                                                                  \
  ((array) = grow_array((array), &(capacity), (needed), sizeof *(array)))

/* malloc/calloc that end the process with a message instead of returning NULL. */
void *must_alloc(size_t bytes); /* zeroed */
/* The same, beginning a cache line that nothing else shares: for what several threads use next to each other. */
void *must_alloc_lines(size_t bytes);

#endif
