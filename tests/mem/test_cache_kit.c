/* The cache kit: tag array, replacement policies, MSHR table and ring, each against a slow and obvious model of itself on random
 * streams. A model visits everything and keeps nothing that can be worked out. */
#include "base/rng.h"
#include "mem/mem_mshr.h"
#include "mem/mem_ring.h"
#include "mem/mem_tags.h"
#include "test_settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct mem_bytes some_bytes(struct rng *r) {
  static const unsigned granules[] = {8, 32, 64, 128};
  struct mem_bytes m = {{UINT64_C(1) << rng_below(r, 64), rng_below(r, 3) ? 0 : UINT64_C(1) << rng_below(r, 64)}};
  return mem_round(m, granules[rng_below(r, 4)]);
}

static bool same_bytes(struct mem_bytes a, struct mem_bytes b) { return a.b[0] == b.b[0] && a.b[1] == b.b[1]; }

/* ---- tag array ---- */

enum { MOST_FRAMES = 512, PARTS = 2 };

struct slow_way {
  bool live, recent;
  uint64_t line, used;
  struct mem_bytes valid[PARTS], reserved[PARTS];
};
struct slow {
  struct slow_way way[MOST_FRAMES];
  struct rng rng;
  uint64_t uses;
};
struct pair {
  struct mem_tags t;
  struct slow s;
  struct rng r;
};

static bool waits(const struct slow_way *w) { return !mem_none(mem_or(w->reserved[0], w->reserved[1])); }

static int32_t slow_victim(struct pair *p, uint32_t set) {
  const struct mem_replacement *how = p->t.c.replacement;
  struct slow_way *w = &p->s.way[set * p->t.c.ways];
  int32_t best = MEM_NO_FRAME;
  uint32_t n = 0;
  for (uint32_t i = 0; i < p->t.c.ways; i++) {
    bool better = best == MEM_NO_FRAME;
    if (!w[i].live) return (int32_t)(set * p->t.c.ways + i);
    if (waits(&w[i])) continue;
    if (how == &mem_random) better = !rng_below(&p->s.rng, ++n);
    else if (!better && how == &mem_lru) better = w[i].used < p->s.way[best].used;
    else if (!better) better = !w[i].recent && p->s.way[best].recent;
    if (better) best = (int32_t)(set * p->t.c.ways + i);
  }
  return best;
}

static void slow_use(struct pair *p, int32_t frame) {
  struct slow_way *set = &p->s.way[(uint32_t)frame / p->t.c.ways * p->t.c.ways];
  bool all = true;
  p->s.way[frame].used = ++p->s.uses;
  p->s.way[frame].recent = true;
  for (uint32_t i = 0; i < p->t.c.ways; i++) all &= set[i].live && set[i].recent;
  for (uint32_t i = 0; i < p->t.c.ways && all; i++) set[i].recent = &set[i] == &p->s.way[frame];
}

static void slow_place(struct pair *p, int32_t frame, uint64_t line) {
  p->s.way[frame] = (struct slow_way){.live = true, .line = line};
  slow_use(p, frame);
}

static void slow_invalidate(struct slow_way *w) {
  w->valid[0] = w->valid[1] = MEM_NOTHING;
  if (!waits(w)) *w = (struct slow_way){0};
}

static int32_t slow_find(const struct pair *p, uint32_t set, uint64_t line) {
  for (uint32_t f = set * p->t.c.ways; f < (set + 1) * p->t.c.ways; f++)
    if (p->s.way[f].live && p->s.way[f].line == line) return (int32_t)f;
  return MEM_NO_FRAME;
}

static void compare_all(const struct pair *p) {
  for (uint32_t f = 0; f < p->t.c.sets * p->t.c.ways; f++) {
    const struct slow_way *w = &p->s.way[f];
    assert_int_equal(mem_tags_line(&p->t, f), w->live ? w->line : MEM_NO_LINE);
    for (uint32_t part = 0; part < PARTS && w->live; part++) {
      assert_true(same_bytes(p->t.valid[f * PARTS + part], w->valid[part]));
      assert_true(same_bytes(p->t.reserved[f * PARTS + part], w->reserved[part]));
    }
    assert_int_equal(mem_tags_is_locked(&p->t, (int32_t)f), waits(w));
  }
}

/* A line that is not here is put in; one that is is used, asked for, filled in part or lost. */
static void one_line(struct pair *p) {
  uint64_t line = rng_below(&p->r, 3 * p->t.c.sets * p->t.c.ways) * MEM_LINE;
  uint32_t set = mem_tags_set(&p->t, line), part = (uint32_t)rng_below(&p->r, PARTS);
  int32_t frame = slow_find(p, set, line);
  struct mem_bytes bytes = some_bytes(&p->r);
  assert_int_equal(mem_tags_find(&p->t, set, line), frame);
  if (frame == MEM_NO_FRAME) {
    frame = slow_victim(p, set);
    assert_int_equal(mem_tags_victim(&p->t, set), frame);
    if (frame == MEM_NO_FRAME) return;
    mem_tags_place(&p->t, frame, line);
    slow_place(p, frame, line);
  }
  struct slow_way *w = &p->s.way[frame];
  switch (rng_below(&p->r, 5)) {
  case 0:
    mem_tags_touch(&p->t, frame);
    slow_use(p, frame);
    break;
  case 1:
    mem_tags_reserve(&p->t, frame, part, bytes);
    w->reserved[part] = mem_or(w->reserved[part], bytes);
    break;
  case 2:
    mem_tags_invalidate(&p->t, frame);
    slow_invalidate(w);
    break;
  default:
    if (rng_below(&p->r, 2)) bytes = w->reserved[part];
    mem_tags_fill(&p->t, frame, part, bytes);
    w->valid[part] = mem_or(w->valid[part], bytes);
    w->reserved[part] = mem_minus(w->reserved[part], bytes);
  }
}

/* Lets go of everything that waits, in half of the cases, so that both ways of emptying are taken. */
static void empty_all(struct pair *p) {
  bool release = rng_below(&p->r, 2);
  uint32_t frames = p->t.c.sets * p->t.c.ways;
  for (uint32_t f = 0; f < frames && release; f++)
    for (uint32_t part = 0; part < PARTS; part++) {
      mem_tags_release(&p->t, (int32_t)f, part, MEM_EVERYTHING);
      p->s.way[f].reserved[part] = MEM_NOTHING;
    }
  assert_int_equal(release ? p->t.n_locked : 0, 0);
  mem_tags_clear(&p->t);
  for (uint32_t f = 0; f < frames; f++) slow_invalidate(&p->s.way[f]);
}

static void test_the_tag_array_agrees_with_a_slow_model(void **state) {
  static const uint32_t shapes[][2] = {{1, 1}, {4, 2}, {3, 5}, {2, 64}, {2, 65}, {1, 130}, {32, 4}};
  (void)state;
  for (size_t shape = 0; shape < sizeof shapes / sizeof *shapes; shape++)
    for (size_t how = 0; mem_replacements[how]; how++) {
      struct pair *p = calloc(1, sizeof *p);
      p->r.state = 100 * shape + how;
      p->s.rng.state = 7;
      mem_tags_init(&p->t, &(struct mem_tags_config){.sets = shapes[shape][0], .ways = shapes[shape][1], .parts = PARTS,
                                                     .replacement = (const struct mem_replacement *)mem_replacements[how], .seed = 7});
      for (unsigned i = 0; i < 20000; i++) {
        one_line(p);
        if (!rng_below(&p->r, 500)) empty_all(p);
        if (i % 64 == 0) compare_all(p);
      }
      mem_tags_free(&p->t);
      free(p);
    }
}

/* ---- a policy between the tag array and nothing ---- */

struct heard {
  char text[256];
};
static void *mock_create(uint32_t sets, uint32_t ways, uint64_t seed) {
  struct heard *h = calloc(1, sizeof *h);
  snprintf(h->text, sizeof h->text, "%u sets, %u ways, seed %lu:", sets, ways, (unsigned long)seed);
  return h;
}
static void hear(void *state, char what, uint32_t set, uint32_t way) {
  struct heard *h = state;
  snprintf(h->text + strlen(h->text), sizeof h->text - strlen(h->text), " %c%u.%u", what, set, way);
}
static void mock_touch(void *state, const struct mem_tags *t, uint32_t set, uint32_t way) { (void)t, hear(state, 'u', set, way); }
static void mock_fill(void *state, const struct mem_tags *t, uint32_t set, uint32_t way) { (void)t, hear(state, 'f', set, way); }
static void mock_lost(void *state, const struct mem_tags *t, uint32_t set, uint32_t way) { (void)t, hear(state, 'l', set, way); }
static int32_t mock_victim(void *state, const struct mem_tags *t, uint32_t set) {
  (void)t, hear(state, 'v', set, 9);
  return 1;
}
static const struct mem_replacement mock = {.policy = {.name = "mock"}, .create = mock_create, .destroy = free, .touch = mock_touch,
                                            .fill = mock_fill, .invalidate = mock_lost, .victim = mock_victim};

static void test_a_policy_is_notified_of_uses_fills_and_losses_and_its_choice_is_taken(void **state) {
  struct mem_tags t;
  (void)state;
  mem_tags_init(&t, &(struct mem_tags_config){.sets = 2, .ways = 2, .replacement = &mock, .seed = 5});
  assert_int_equal(mem_tags_victim(&t, 1), 3);
  mem_tags_place(&t, 3, 0x80);
  mem_tags_touch(&t, 3);
  mem_tags_place(&t, 3, 0x180); /* the line before it is lost */
  mem_tags_place(&t, 2, 0x280);
  mem_tags_drop(&t, 2);
  mem_tags_drop(&t, 2); /* is free */
  assert_string_equal(((struct heard *)t.state)->text, "2 sets, 2 ways, seed 5: v1.9 f1.1 u1.1 l1.1 f1.1 f1.0 l1.0");
  mem_tags_free(&t);
}

/* A set that nobody looks at costs nothing; its policy hears of the loss before it hears of anything else in that set. */
static void test_a_policy_is_notified_of_an_emptied_set_when_it_is_next_filled(void **state) {
  struct mem_tags t;
  (void)state;
  mem_tags_init(&t, &(struct mem_tags_config){.sets = 2, .ways = 2, .replacement = &mock});
  mem_tags_place(&t, 0, 0);
  mem_tags_place(&t, 3, 0x80);
  mem_tags_clear(&t);
  assert_int_equal(mem_tags_find(&t, 0, 0), MEM_NO_FRAME);
  assert_string_equal(((struct heard *)t.state)->text, "2 sets, 2 ways, seed 0: f0.0 f1.1");
  mem_tags_place(&t, 2, 0x180);
  assert_string_equal(((struct heard *)t.state)->text, "2 sets, 2 ways, seed 0: f0.0 f1.1 l1.1 f1.0");
  assert_int_equal(mem_tags_find(&t, 1, 0x80), MEM_NO_FRAME);
  mem_tags_free(&t);
}

/* ---- index functions ---- */

static void test_plain_is_the_remainder_for_any_number_of_sets(void **state) {
  struct rng r = {1};
  (void)state;
  for (uint32_t sets = 1; sets < 100; sets++) {
    struct mem_index x;
    mem_index_init(&x, &mem_index_plain, sets, 64);
    for (unsigned i = 0; i < 100; i++) {
      uint64_t a = rng_below(&r, UINT64_C(1) << 48);
      assert_int_equal(mem_index_set(&x, a), a / 64 % sets);
    }
    mem_index_free(&x);
  }
}

static void test_every_index_function_stays_inside(void **state) {
  static const struct mem_index_function *const functions[] = {&mem_index_plain, &mem_index_xor,  &mem_index_ipoly,
                                                               &mem_index_fermi, &mem_index_fold, &mem_index_mix};
  struct rng r = {2};
  (void)state;
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    struct mem_index x;
    mem_index_init(&x, functions[i], functions[i] == &mem_index_fermi ? 64 : 48, MEM_LINE);
    for (unsigned k = 0; k < 1000; k++) assert_true(mem_index_set(&x, rng_next(&r) >> 16) < x.sets);
    mem_index_free(&x);
  }
}

/* ---- MSHRs ---- */

enum { ENTRIES = 5, MERGE = 4, LINES = 9, WAITERS = ENTRIES * MERGE };

struct slow_wait {
  uint64_t line;
  uint32_t owner;
  struct mem_bytes bytes;
};
struct slow_mshr {
  struct slow_wait wait[WAITERS]; /* in order of arrival */
  unsigned n, joined[LINES];
  bool out[LINES];
  struct mem_bytes asked[LINES];
  uint32_t notified[WAITERS];
  unsigned n_notified;
};

static void notified(void *user, uint32_t owner) {
  struct slow_mshr *s = user;
  s->notified[s->n_notified++] = owner;
}

static void slow_arrive(struct slow_mshr *s, uint64_t line, struct mem_bytes bytes, enum mem_mshr_order order,
                        uint32_t *expect, unsigned *n_expect) {
  unsigned kept = 0;
  *n_expect = 0;
  for (unsigned i = 0; i < s->n; i++) {
    struct slow_wait *w = &s->wait[i];
    if (w->line == line) w->bytes = mem_minus(w->bytes, bytes);
    if (mem_none(w->bytes)) expect[(*n_expect)++] = w->owner;
    else s->wait[kept++] = *w;
  }
  s->n = kept;
  for (unsigned i = 0; i < *n_expect / 2 && order == MEM_NEWEST_FIRST; i++) {
    uint32_t other = expect[*n_expect - 1 - i];
    expect[*n_expect - 1 - i] = expect[i];
    expect[i] = other;
  }
  s->asked[line / MEM_LINE] = mem_minus(s->asked[line / MEM_LINE], bytes);
  if (mem_none(s->asked[line / MEM_LINE])) s->out[line / MEM_LINE] = false, s->joined[line / MEM_LINE] = 0;
}

static void join(struct mem_mshr *m, struct slow_mshr *s, uint64_t line, uint32_t owner, struct mem_bytes bytes) {
  unsigned i = (unsigned)(line / MEM_LINE), used = 0;
  int32_t at = mem_mshr_find(m, line);
  assert_int_equal(at != MEM_NO_MSHR, s->out[i]);
  for (unsigned k = 0; k < LINES; k++) used += s->out[k];
  assert_int_equal(m->used, used);
  assert_int_equal(mem_mshr_full(m), used == ENTRIES);
  if (at == MEM_NO_MSHR && mem_mshr_full(m)) return;
  if (at == MEM_NO_MSHR) at = mem_mshr_new(m, line);
  s->out[i] = true;
  assert_int_equal(mem_mshr_mergeable(m, at), s->joined[i] < MERGE);
  if (!mem_mshr_mergeable(m, at)) return;
  m->entries[at].asked = mem_or(m->entries[at].asked, bytes);
  mem_mshr_wait_for(m, at, owner, bytes);
  s->asked[i] = mem_or(s->asked[i], bytes);
  s->joined[i]++;
  s->wait[s->n++] = (struct slow_wait){line, owner, bytes};
}

static void arrive(struct mem_mshr *m, struct slow_mshr *s, uint64_t line, struct mem_bytes bytes) {
  uint32_t expect[WAITERS];
  unsigned n;
  int32_t at = mem_mshr_find(m, line);
  if (at == MEM_NO_MSHR) return;
  slow_arrive(s, line, bytes, m->order, expect, &n);
  s->n_notified = 0;
  mem_mshr_arrive(m, at, bytes, notified, s);
  assert_int_equal(s->n_notified, n);
  if (n) assert_memory_equal(s->notified, expect, n * sizeof *expect);
  assert_int_equal(mem_mshr_find(m, line) != MEM_NO_MSHR, s->out[line / MEM_LINE]);
}

static void test_the_mshr_table_notifies_owners_when_all_their_bytes_have_come(void **state) {
  (void)state;
  for (int order = MEM_OLDEST_FIRST; order <= MEM_NEWEST_FIRST; order++) {
    struct mem_mshr m;
    struct slow_mshr s = {0};
    struct rng r = {(uint64_t)order};
    mem_mshr_init_owners(&m, ENTRIES, MERGE, (enum mem_mshr_order)order);
    for (uint32_t i = 0; i < 50000; i++) {
      uint64_t line = rng_below(&r, LINES) * MEM_LINE;
      if (rng_below(&r, 2)) join(&m, &s, line, i, some_bytes(&r));
      else arrive(&m, &s, line, rng_below(&r, 3) ? s.asked[line / MEM_LINE] : some_bytes(&r));
    }
    for (uint64_t line = 0; line < LINES * MEM_LINE; line += MEM_LINE) arrive(&m, &s, line, MEM_EVERYTHING);
    assert_int_equal(m.used, 0);
    assert_int_equal(s.n, 0);
    mem_mshr_free(&m);
  }
}

/* ---- ring ---- */

static void test_the_ring_keeps_order_of_time_and_then_of_arrival(void **state) {
  enum { CAPACITY = 6 };
  struct mem_packet packets[CAPACITY] = {{0}};
  struct mem_slot model[CAPACITY];
  struct mem_ring ring;
  struct rng r = {4};
  unsigned n = 0, next = 0;
  (void)state;
  mem_ring_init(&ring, CAPACITY);
  for (unsigned i = 0; i < 20000; i++) {
    assert_int_equal(mem_ring_free_slots(&ring), CAPACITY - n);
    assert_int_equal(mem_ring_next(&ring), n ? model[0].ready : MEM_NEVER);
    if (rng_below(&r, 2) && n < CAPACITY) {
      struct mem_slot slot = {&packets[next++ % CAPACITY], rng_below(&r, 8)};
      unsigned at = n++;
      for (; at && model[at - 1].ready > slot.ready; at--) model[at] = model[at - 1];
      model[at] = slot;
      mem_ring_push(&ring, slot.k, slot.ready);
    } else if (n) {
      assert_int_equal(mem_ring_head(&ring)->ready, model[0].ready);
      assert_ptr_equal(mem_ring_pop(&ring), model[0].k);
      memmove(model, model + 1, --n * sizeof *model);
    } else {
      assert_null(mem_ring_head(&ring));
    }
    for (unsigned k = 0; k < n; k++) assert_ptr_equal(mem_ring_at(&ring, k)->k, model[k].k);
  }
  mem_ring_free(&ring);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_tag_array_agrees_with_a_slow_model),
      cmocka_unit_test(test_a_policy_is_notified_of_uses_fills_and_losses_and_its_choice_is_taken),
      cmocka_unit_test(test_a_policy_is_notified_of_an_emptied_set_when_it_is_next_filled),
      cmocka_unit_test(test_plain_is_the_remainder_for_any_number_of_sets),
      cmocka_unit_test(test_every_index_function_stays_inside),
      cmocka_unit_test(test_the_mshr_table_notifies_owners_when_all_their_bytes_have_come),
      cmocka_unit_test(test_the_ring_keeps_order_of_time_and_then_of_arrival),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
