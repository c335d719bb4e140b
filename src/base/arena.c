/* See arena.h. */
#include "base/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 64 * 1024, ALIGN = 16 };

struct arena_block {
  struct arena_block *next;
  size_t bytes;
  _Alignas(16) unsigned char data[];
};

static void *checked(void *p, size_t bytes) {
  if (!p) {
    fprintf(stderr, "heddle: out of host memory (asked for %zu bytes)\n", bytes);
    exit(3);
  }
  return p;
}

void *must_alloc(size_t bytes) { return checked(calloc(1, bytes ? bytes : 1), bytes); }

void *must_alloc_lines(size_t bytes) {
  enum { CACHE_LINE = 64 };
  size_t whole = bytes + (CACHE_LINE - bytes % CACHE_LINE) % CACHE_LINE;
  return memset(checked(aligned_alloc(CACHE_LINE, whole ? whole : CACHE_LINE), bytes), 0, whole);
}

void *arena_alloc(struct arena *a, size_t bytes) {
  size_t need = (bytes + ALIGN - 1) & ~(size_t)(ALIGN - 1);
  if (!a->blocks || a->blocks->bytes - a->used_in_block < need) {
    size_t size = need > BLOCK_BYTES ? need : BLOCK_BYTES;
    struct arena_block *b = must_alloc(sizeof *b + size);
    b->bytes = size;
    b->next = a->blocks;
    a->blocks = b;
    a->used_in_block = 0;
  }
  void *p = a->blocks->data + a->used_in_block;
  a->used_in_block += need;
  return p;
}

void *arena_copy(struct arena *a, const void *from, size_t bytes) {
  void *p = arena_alloc(a, bytes);
  if (bytes) memcpy(p, from, bytes);
  return p;
}

char *arena_strndup(struct arena *a, const char *s, size_t n) {
  char *p = arena_alloc(a, n + 1);
  memcpy(p, s, n);
  return p;
}

void arena_free(struct arena *a) {
  for (struct arena_block *b = a->blocks; b;) {
    struct arena_block *next = b->next;
    free(b);
    b = next;
  }
  a->blocks = NULL;
  a->used_in_block = 0;
}

void *grow_array(void *array, size_t *capacity, size_t needed, size_t element) {
  if (needed <= *capacity) return array;
  size_t cap = *capacity ? *capacity * 2 : 16;
  while (cap < needed) cap *= 2;
  void *p = realloc(array, cap * element);
  if (!p) {
    fprintf(stderr, "heddle: out of host memory (asked for %zu bytes)\n", cap * element);
    exit(3);
  }
  *capacity = cap;
  return p;
}
