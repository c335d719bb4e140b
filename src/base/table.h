/* A table from a number of 64 bits to a value of fixed size: a hash of the key chooses where a search begins, the next free slot
 * ends it. At most half of the slots are taken; the table grows, and never forgets what was not removed.
 *
 * All zero bytes are an empty table. Keys and values lie in one array, in an order that says nothing; a pointer to a value is
 * good until the next call that puts or removes one. UINT64_MAX is no key. */
#ifndef BASE_TABLE_H
#define BASE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct table {
  uint64_t *slots; /* `words` each: the key + 1 (0: free), then the value */
  size_t words, mask;
  size_t n; /* values */
};

/* Where the search for a key begins. */
static inline size_t table_home(const struct table *t, uint64_t key) {
  return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & t->mask;
}

/* The slot of a key, or the free one where it would be, of a table that has slots. */
static inline uint64_t *table_slot(const struct table *t, uint64_t key) {
  for (size_t i = table_home(t, key);; i = (i + 1) & t->mask) {
    uint64_t *slot = t->slots + i * t->words;
    if (!*slot || *slot == key + 1) return slot;
  }
}

/* The value of a key; NULL: there is none. */
static inline void *table_find(const struct table *t, uint64_t key) {
  if (!t->n) return NULL;
  uint64_t *slot = table_slot(t, key);
  return *slot ? slot + 1 : NULL;
}

/* The value of a key, of so many bytes, the same in all calls; where there was none, `fresh` is set and it is zero. */
void *table_put(struct table *t, uint64_t key, size_t bytes, bool *fresh);
/* Of a key that is there. */
void table_remove(struct table *t, uint64_t key);
/* All values, and the room that they take stays. */
void table_clear(struct table *t);
void table_free(struct table *t);

/* The values one after the other, from *at = 0 on; NULL: that was all. Nothing may be put or removed meanwhile. */
void *table_next(const struct table *t, size_t *at, uint64_t *key);

#endif
