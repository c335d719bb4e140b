/* See str.h. */
#include "base/str.h"

#include "base/arena.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void str_addn(struct str *b, const char *s, size_t n) {
  GROW(b->s, b->cap, b->n + n + 1);
  memcpy(b->s + b->n, s, n);
  b->n += n;
  b->s[b->n] = 0;
}

void str_add(struct str *b, const char *fmt, ...) {
  va_list ap, again;
  va_start(ap, fmt);
  va_copy(again, ap);
  int n = vsnprintf(NULL, 0, fmt, ap);
  va_end(ap);
  if (n > 0) {
    GROW(b->s, b->cap, b->n + (size_t)n + 1);
    vsnprintf(b->s + b->n, (size_t)n + 1, fmt, again);
    b->n += (size_t)n;
  }
  va_end(again);
}

bool str_add_file(struct str *b, const char *path) {
  FILE *f = fopen(path, "rbe");
  if (!f) return false;
  char part[65536];
  str_addn(b, "", 0);
  for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;) str_addn(b, part, n);
  bool ok = !ferror(f);
  int why = errno; /* which fclose may change */
  fclose(f);
  errno = why;
  return ok;
}

void str_free(struct str *b) {
  free(b->s);
  *b = (struct str){0};
}

bool str_among(const char *word, const char *const *list, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (!strcmp(list[i], word)) return true;
  return false;
}

/* FNV-1a: short keys, no adversary. */
uint64_t str_hash(const void *bytes, size_t n) {
  const unsigned char *p = bytes;
  uint64_t h = 0xcbf29ce484222325u;
  for (size_t i = 0; i < n; i++) h = (h ^ p[i]) * 0x100000001b3u;
  return h ^ (h >> 29);
}

struct strmap_slot {
  const char *key;
  uint32_t len, value;
};

static struct strmap_slot *find_slot(const struct strmap *m, const char *key, size_t len) {
  size_t i = (size_t)str_hash(key, len) & m->mask;
  while (m->slots[i].key && !(m->slots[i].len == len && memcmp(m->slots[i].key, key, len) == 0)) i = (i + 1) & m->mask;
  return &m->slots[i];
}

bool strmap_get(const struct strmap *m, const char *key, size_t len, uint32_t *value) {
  if (!m->slots) return false;
  const struct strmap_slot *s = find_slot(m, key, len);
  if (s->key) *value = s->value;
  return s->key != NULL;
}

static void strmap_resize(struct strmap *m, size_t slots) {
  struct strmap old = *m;
  m->slots = must_alloc(slots * sizeof *m->slots);
  m->mask = slots - 1;
  for (size_t i = 0; old.slots && i <= old.mask; i++)
    if (old.slots[i].key) *find_slot(m, old.slots[i].key, old.slots[i].len) = old.slots[i];
  free(old.slots);
}

void strmap_put(struct strmap *m, const char *key, size_t len, uint32_t value) {
  if (!m->slots) strmap_resize(m, 32);
  if (m->n * 4 >= (m->mask + 1) * 3) strmap_resize(m, (m->mask + 1) * 2);
  struct strmap_slot *s = find_slot(m, key, len);
  if (!s->key) m->n++;
  *s = (struct strmap_slot){key, (uint32_t)len, value};
}

void strmap_free(struct strmap *m) {
  free(m->slots);
  *m = (struct strmap){0};
}

enum { LONGEST_NAME = 63 }; /* that is offered: a hint can hold it */

static size_t min3(size_t a, size_t b, size_t c) {
  size_t m = a < b ? a : b;
  return m < c ? m : c;
}

static size_t edit_distance(const char *a, const char *b) {
  size_t na = strlen(a), nb = strlen(b);
  if (na > LONGEST_NAME || nb > LONGEST_NAME) return SIZE_MAX;
  size_t row[LONGEST_NAME + 1];
  for (size_t j = 0; j <= nb; j++) row[j] = j;
  for (size_t i = 1; i <= na; i++) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= nb; j++) {
      size_t above = row[j];
      row[j] = min3(row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
      diagonal = above;
    }
  }
  return row[nb];
}

struct str_hint str_hint(const char *name, const char *const *candidates, size_t n) {
  struct str_hint hint = {""};
  const char *best = NULL;
  size_t best_distance = strlen(name) / 3 + 2;
  for (size_t i = 0; i < n; i++) {
    size_t d = edit_distance(name, candidates[i]);
    if (d < best_distance) {
      best_distance = d;
      best = candidates[i];
    }
  }
  if (best) snprintf(hint.s, sizeof hint.s, " (did you mean '%s'?)", best);
  return hint;
}
