/* See stack_distance.h. A tree over access times tells how many lines were last touched after a given time. When
 * times run out, the latest accesses of the lines are renumbered. */
#include "probe/stack_distance.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

enum { ROUND = 1 << 16 /* times the tree starts with */ };

static void add(struct stack_distance *s, uint32_t at, uint32_t by) {
  for (; at <= s->times; at += at & -at) s->tree[at] += by;
}
static uint32_t sum(const struct stack_distance *s, uint32_t to) {
  uint32_t n = 0;
  for (; to; to -= to & -to) n += s->tree[to];
  return n;
}

static int by_time(const void *a, const void *b) {
  uint32_t x = **(uint32_t *const *)a, y = **(uint32_t *const *)b;
  return (x > y) - (x < y);
}

/* Numbers the lines' latest accesses 1, 2, 3 ..., with space for as many again. */
static void renumber(struct stack_distance *s) {
  uint32_t **order = must_alloc((s->last.n + 1) * sizeof *order);
  size_t n = 0, at = 0;
  uint64_t line;
  for (uint32_t *last; (last = table_next(&s->last, &at, &line)) != NULL;) order[n++] = last;
  qsort(order, n, sizeof *order, by_time);
  s->times = (uint32_t)(2 * n > ROUND ? 2 * n : ROUND);
  free(s->tree);
  s->tree = must_alloc((s->times + 1) * sizeof *s->tree);
  s->now = 0;
  for (size_t i = 0; i < n; i++) {
    *order[i] = ++s->now;
    add(s, s->now, 1);
  }
  free(order);
}

uint32_t stack_distance(struct stack_distance *s, uint64_t line) {
  if (s->now == s->times) renumber(s);
  bool is_new;
  uint32_t *last = table_put(&s->last, line, sizeof *last, &is_new);
  uint32_t distance = STACK_NEVER;
  if (!is_new) {
    distance = sum(s, s->now) - sum(s, *last);
    add(s, *last, (uint32_t)-1);
  }
  *last = ++s->now;
  add(s, s->now, 1);
  return distance;
}

void stack_distance_clear(struct stack_distance *s) {
  table_clear(&s->last);
  if (s->tree) memset(s->tree, 0, (s->times + 1) * sizeof *s->tree);
  s->now = 0;
}

void stack_distance_free(struct stack_distance *s) {
  table_free(&s->last);
  free(s->tree);
}
