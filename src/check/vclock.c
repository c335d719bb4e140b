/* See vclock.h. */
#include "check/vclock.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

static struct vclock *vclock_new(uint32_t n) {
  struct vclock *c = must_alloc(sizeof *c + n * sizeof *c->e);
  c->refs = 1;
  c->n = n;
  return c;
}

struct vclock *vclock_of(const struct vclock_entry *e, uint32_t n) {
  struct vclock *c = vclock_new(n);
  memcpy(c->e, e, n * sizeof *e);
  return c;
}

struct vclock *vclock_keep(struct vclock *c) {
  if (c) c->refs++;
  return c;
}

void vclock_drop(struct vclock *c) {
  if (c && !--c->refs) free(c);
}

static const struct vclock_entry *find(const struct vclock *c, uint32_t who) {
  uint32_t lo = 0, hi = c->n;
  while (lo < hi) {
    uint32_t mid = (lo + hi) / 2;
    if (c->e[mid].who < who) lo = mid + 1;
    else hi = mid;
  }
  return lo < c->n && c->e[lo].who == who ? &c->e[lo] : NULL;
}

bool vclock_knows(const struct vclock *c, uint32_t who, uint32_t event) {
  if (!c) return false;
  const struct vclock_entry *e = c->all ? NULL : find(c, who);
  return c->all || (e && event < e->before);
}

/* Whether a knows all that b knows. */
static bool covers(const struct vclock *a, const struct vclock *b) {
  if (a->all) return true;
  if (b->all || b->n > a->n) return false;
  uint32_t i = 0;
  for (uint32_t k = 0; k < b->n; k++) {
    while (i < a->n && a->e[i].who < b->e[k].who) i++;
    if (i == a->n || a->e[i].who != b->e[k].who || a->e[i].before < b->e[k].before) return false;
  }
  return true;
}

static struct vclock *merge(const struct vclock *a, const struct vclock *b) {
  struct vclock *c = vclock_new(a->n + b->n);
  uint32_t i = 0, k = 0, n = 0;
  while (i < a->n || k < b->n) {
    bool from_a = k == b->n || (i < a->n && a->e[i].who <= b->e[k].who);
    struct vclock_entry e = from_a ? a->e[i++] : b->e[k++];
    if (from_a && k < b->n && b->e[k].who == e.who) {
      if (b->e[k].before > e.before) e.before = b->e[k].before;
      k++;
    }
    c->e[n++] = e;
  }
  c->n = n;
  if (n <= VCLOCK_MOST) return c;
  c->n = 0;
  c->all = true;
  return c;
}

struct vclock *vclock_join(struct vclock *a, struct vclock *b) {
  if (!a || !b || a == b) return vclock_keep(a ? a : b);
  if (covers(a, b)) return vclock_keep(a);
  return covers(b, a) ? vclock_keep(b) : merge(a, b);
}

void vclock_learn(struct vclock **to, struct vclock *c) {
  struct vclock *joined = vclock_join(*to, c);
  vclock_drop(*to);
  *to = joined;
}
