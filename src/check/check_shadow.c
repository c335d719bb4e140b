/* See check_shadow.h. */
#include "check/check_shadow.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE_WORDS = SHADOW_PAGE / 64 };

/* ---- planes ----------------------------------------------------------------------------------------------------- */

void plane_make(struct plane *p, size_t bytes) {
  size_t n = (bytes + 3) / 4;
  *p = (struct plane){.bytes = bytes, .shift = 2};
  p->w = must_alloc((3 * n + 1) * sizeof *p->w);
  p->r1 = p->w + n;
  p->r2 = p->r1 + n;
}

void plane_split(struct plane *p) {
  if (!p->shift) return;
  size_t n = (p->bytes + 3) / 4;
  uint64_t *old = p->w;
  p->w = must_alloc((12 * n + 1) * sizeof *p->w);
  p->r1 = p->w + 4 * n;
  p->r2 = p->r1 + 4 * n;
  p->shift = 0;
  for (size_t i = 0; i < 12 * n; i++) p->w[i] = old[i / 4];
  free(old);
}

void plane_free(struct plane *p) {
  free(p->w);
  *p = (struct plane){0};
}

/* ---- pages ------------------------------------------------------------------------------------------------------- */

struct shadow *shadow_new(void) { return must_alloc(sizeof(struct shadow)); }

/* The chunks one after the other, from *at = 0 on. */
static struct shadow_chunk *next_chunk(const struct shadow *s, size_t *at) {
  uint64_t key;
  struct shadow_chunk *const *chunk = table_next(&s->chunks, at, &key);
  return chunk ? *chunk : NULL;
}

static void free_page(struct shadow_page *p) {
  plane_free(&p->plane);
  free(p->written);
}

void shadow_delete(struct shadow *s) {
  if (!s) return;
  size_t at = 0;
  for (struct shadow_chunk *c; (c = next_chunk(s, &at)) != NULL; free(c))
    for (size_t k = 0; k < SHADOW_CHUNK_PAGES; k++) free_page(&c->pages[k]);
  table_free(&s->chunks);
  free(s);
}

void shadow_forget(struct shadow *s) {
  size_t at = 0;
  for (struct shadow_chunk *c; (c = next_chunk(s, &at)) != NULL;)
    for (size_t k = 0; k < SHADOW_CHUNK_PAGES; k++) plane_free(&c->pages[k].plane);
}

struct shadow_chunk *shadow_chunk(struct shadow *s, uint64_t key) {
  bool fresh;
  struct shadow_chunk **chunk = table_put(&s->chunks, key, sizeof *chunk, &fresh);
  if (fresh) {
    *chunk = must_alloc(sizeof **chunk);
    (*chunk)->key = key;
  }
  return s->last = *chunk;
}

/* ---- which bytes have been written ------------------------------------------------------------------------------- */

/* The bits [at, at + n) that lie in word i of a bitmap. */
static uint64_t part(uint64_t i, uint64_t at, uint64_t n) {
  uint64_t lo = at > i * 64 ? at - i * 64 : 0, hi = at + n - i * 64;
  uint64_t upto = hi >= 64 ? UINT64_MAX : (UINT64_C(1) << hi) - 1;
  return upto & UINT64_MAX << lo;
}

void bits_set(uint64_t *map, uint64_t at, uint64_t n) {
  for (uint64_t i = at / 64; i * 64 < at + n; i++) map[i] |= part(i, at, n);
}

uint64_t bits_first_clear(const uint64_t *map, uint64_t at, uint64_t n) {
  for (uint64_t i = at / 64; i * 64 < at + n; i++) {
    uint64_t clear = ~map[i] & part(i, at, n);
    if (clear) return i * 64 + (uint64_t)__builtin_ctzll(clear);
  }
  return UINT64_MAX;
}

static void page_fresh(struct shadow_page *p, uint64_t at, uint64_t n) {
  if (!p->written) {
    p->written = must_alloc(PAGE_WORDS * sizeof *p->written);
    memset(p->written, 0xff, PAGE_WORDS * sizeof *p->written);
    p->n_written = SHADOW_PAGE;
  }
  for (uint64_t i = at / 64; i * 64 < at + n; i++) {
    p->n_written -= (unsigned)__builtin_popcountll(p->written[i] & part(i, at, n));
    p->written[i] &= ~part(i, at, n);
  }
}

static void page_written(struct shadow_page *p, uint64_t at, uint64_t n) {
  if (!p->written) return;
  for (uint64_t i = at / 64; i * 64 < at + n; i++) {
    p->n_written += (unsigned)__builtin_popcountll(~p->written[i] & part(i, at, n));
    p->written[i] |= part(i, at, n);
  }
  if (p->n_written < SHADOW_PAGE) return;
  free(p->written);
  p->written = NULL;
}

static uint64_t in_page(uint64_t addr, uint64_t bytes) {
  uint64_t left = SHADOW_PAGE - addr % SHADOW_PAGE;
  return bytes < left ? bytes : left;
}

void shadow_fresh(struct shadow *s, uint64_t addr, uint64_t bytes) {
  for (uint64_t n; bytes; addr += n, bytes -= n) page_fresh(shadow_page(s, addr), addr % SHADOW_PAGE, n = in_page(addr, bytes));
}

void shadow_written(struct shadow *s, uint64_t addr, uint64_t bytes) {
  for (uint64_t n; bytes; addr += n, bytes -= n) page_written(shadow_page(s, addr), addr % SHADOW_PAGE, n = in_page(addr, bytes));
}

uint64_t shadow_unwritten(struct shadow *s, uint64_t addr, uint64_t bytes) {
  for (uint64_t n; bytes; addr += n, bytes -= n) {
    const struct shadow_page *p = shadow_page(s, addr);
    n = in_page(addr, bytes);
    uint64_t at = p->written ? bits_first_clear(p->written, addr % SHADOW_PAGE, n) : UINT64_MAX;
    if (at != UINT64_MAX) return addr - addr % SHADOW_PAGE + at;
  }
  return UINT64_MAX;
}

void shadow_copied(struct shadow *s, uint64_t to, uint64_t from, uint64_t bytes) {
  while (bytes) { /* runs of bytes that are alike */
    uint64_t hole = shadow_unwritten(s, from, bytes), good = hole == UINT64_MAX ? bytes : hole - from;
    shadow_written(s, to, good);
    to += good, from += good, bytes -= good;
    uint64_t bad = 0;
    while (bad < bytes && shadow_unwritten(s, from + bad, 1) != UINT64_MAX) bad++;
    shadow_fresh(s, to, bad);
    to += bad, from += bad, bytes -= bad;
  }
}
