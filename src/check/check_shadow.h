/* Shadow memory: for each word of memory who wrote and read it last, and which bytes have ever been written.
 *
 * A plane has a cell a 32-bit word; it gets one a byte when it first sees an access of less than a word, so that neighbouring
 * bytes are distinguished and whole words stay cheap. Global memory has a plane each 4 KiB, made when it is first touched; a
 * CTA's shared memory is one. A cell holds stamps (check_state.h); 0 is never.
 *
 * Bytes count as written unless they lie in memory that was given as fresh (shadow_fresh). */
#ifndef CHECK_SHADOW_H
#define CHECK_SHADOW_H

#include "base/table.h"

enum { SHADOW_PAGE = 4096 };

struct plane {
  uint64_t *w, *r1, *r2; /* the last writer; the last two readers of different warps since */
  size_t bytes;          /* of memory */
  uint8_t shift;         /* log2 of the bytes a cell */
};
void plane_make(struct plane *p, size_t bytes);
void plane_split(struct plane *p); /* a cell a byte from now on */
void plane_free(struct plane *p);

struct shadow_page {
  struct plane plane;
  uint64_t *written; /* a bit a byte; NULL: all have been */
  uint32_t n_written;
};
/* Pages are found through a hash table of chunks of 2 MiB; the last chunk is remembered. */
enum { SHADOW_PAGE_SHIFT = 12, SHADOW_CHUNK_SHIFT = 21, SHADOW_CHUNK_PAGES = 1 << (SHADOW_CHUNK_SHIFT - SHADOW_PAGE_SHIFT) };
struct shadow_chunk {
  uint64_t key; /* address >> SHADOW_CHUNK_SHIFT */
  struct shadow_page pages[SHADOW_CHUNK_PAGES];
};
struct shadow {
  struct table chunks; /* by their keys, pointers to them */
  struct shadow_chunk *last;
};
struct shadow *shadow_new(void);
void shadow_delete(struct shadow *s);
void shadow_forget(struct shadow *s); /* all stamps */
struct shadow_chunk *shadow_chunk(struct shadow *s, uint64_t key);
/* The page of an address. Its plane may not have been made. */
static inline struct shadow_page *shadow_page(struct shadow *s, uint64_t addr) {
  uint64_t key = addr >> SHADOW_CHUNK_SHIFT;
  struct shadow_chunk *c = s->last && s->last->key == key ? s->last : shadow_chunk(s, key);
  return &c->pages[addr >> SHADOW_PAGE_SHIFT & (SHADOW_CHUNK_PAGES - 1)];
}

/* Bytes that nobody has written yet; that have been; what a copy makes of them. */
void shadow_fresh(struct shadow *s, uint64_t addr, uint64_t bytes);
void shadow_written(struct shadow *s, uint64_t addr, uint64_t bytes);
void shadow_copied(struct shadow *s, uint64_t to, uint64_t from, uint64_t bytes);
/* The first byte of the range that was never written; UINT64_MAX: there is none. */
uint64_t shadow_unwritten(struct shadow *s, uint64_t addr, uint64_t bytes);

/* The same on a bitmap of one's own, a bit a byte. */
void bits_set(uint64_t *map, uint64_t at, uint64_t n);
uint64_t bits_first_clear(const uint64_t *map, uint64_t at, uint64_t n); /* UINT64_MAX: none */

#endif
