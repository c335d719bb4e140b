/* The small read-only cache: constants, textures, instructions. */
#include "l1_kit.h"

#define LINE(n) ((uint64_t)(n)*MEM_LINE)

struct ro_kit {
  struct kit k;
  struct ro_cache c;
};

static void open_with(struct ro_kit *r, uint64_t bytes, uint32_t ways, const struct mem_replacement *replacement,
                      const char *const *settings) {
  kit_open(&r->k, settings);
  ro_init(&r->c, &(struct ro_shape){bytes, ways, false, replacement}, MEM_CONST, &r->k.l1);
}
static void open_cache(struct ro_kit *r, uint64_t bytes, uint32_t ways, const char *const *settings) {
  open_with(r, bytes, ways, NULL, settings);
}
static void close_cache(struct ro_kit *r) {
  ro_free(&r->c);
  kit_close(&r->k);
}

static void ro_answer(struct ro_kit *r, struct mem_packet *p, uint8_t sectors) {
  struct mem_packet reply = *p;
  reply.kind = MEM_READ_REPLY;
  reply.sectors = sectors;
  r->k.n_done = 0;
  ro_fill(&r->c, &reply, notified, &r->k);
}
static void ro_serve(struct ro_kit *r) {
  struct mem_packet *p = take(&r->k);
  ro_answer(r, p, 0xf);
  mem_packet_free(r->k.pool, p);
}

static void test_misses_merge_and_a_filled_line_hits(void **state) {
  (void)state;
  struct ro_kit r;
  open_cache(&r, 1024, 4, NULL);
  assert_int_equal(ro_access(&r.c, LINE(1), 5, 0), L1_MISS);
  assert_int_equal(ro_access(&r.c, LINE(1), 6, 0), L1_MISS);
  struct mem_packet *p = take(&r.k);
  assert_int_equal(p->class_, MEM_CONST);
  assert_int_equal(p->sectors, 0xf);
  assert_null(l1_next_request(&r.k.l1));
  ro_answer(&r, p, 0x3);
  assert_int_equal(r.k.n_done, 0);
  assert_int_equal(ro_access(&r.c, LINE(1), 7, 0), L1_MISS); /* half a line is no hit */
  ro_answer(&r, p, 0xc);
  assert_int_equal(r.k.n_done, 3);
  assert_int_equal(ro_access(&r.c, LINE(1), 8, 0), L1_HIT);
  mem_packet_free(r.k.pool, p);
  assert_int_equal(r.c.stats[RO_S_ACCESSES], 4);
  assert_int_equal(r.c.stats[RO_S_HITS] + r.c.stats[RO_S_MISSES], 4);
  close_cache(&r);
}

/* Each half of 128 bytes misses, is asked for and comes by itself. */
static void test_lines_of_64_bytes_are_halves(void **state) {
  (void)state;
  struct ro_kit r;
  kit_open(&r.k, NULL);
  ro_init(&r.c, &(struct ro_shape){.bytes = 1024, .ways = 4, .half = true}, MEM_CONST, &r.k.l1);
  assert_int_equal(ro_access(&r.c, LINE(1), 0, 0), L1_MISS);
  assert_int_equal(ro_access(&r.c, LINE(1) + 64, 1, 0), L1_MISS);
  struct mem_packet *low = take(&r.k), *high = take(&r.k);
  assert_int_equal(low->sectors, 0x3);
  assert_int_equal(high->sectors, 0xc);
  assert_int_equal(high->line, LINE(1));
  ro_answer(&r, high, 0x4);
  assert_int_equal(r.k.n_done, 0);
  ro_answer(&r, high, 0x8);
  assert_int_equal(r.k.n_done, 1);
  assert_int_equal(ro_access(&r.c, LINE(1) + 64, 2, 0), L1_HIT);
  assert_int_equal(ro_access(&r.c, LINE(1), 3, 0), L1_MISS);
  ro_answer(&r, low, 0x3);
  assert_int_equal(r.k.n_done, 2);
  assert_int_equal(ro_access(&r.c, LINE(1), 4, 0), L1_HIT);
  mem_packet_free(r.k.pool, low);
  mem_packet_free(r.k.pool, high);
  close_cache(&r);
}

static void test_least_recently_used_goes_first(void **state) {
  (void)state;
  struct ro_kit r;
  open_cache(&r, 2 * MEM_LINE, 2, NULL); /* one set of two */
  assert_int_equal(ro_access(&r.c, LINE(0), 0, 0), L1_MISS);
  ro_serve(&r);
  assert_int_equal(ro_access(&r.c, LINE(1), 0, 0), L1_MISS);
  ro_serve(&r);
  assert_int_equal(ro_access(&r.c, LINE(0), 0, 0), L1_HIT);
  assert_int_equal(ro_access(&r.c, LINE(2), 0, 0), L1_MISS); /* gives up 1 */
  ro_serve(&r);
  assert_int_equal(ro_access(&r.c, LINE(0), 0, 0), L1_HIT);
  assert_int_equal(ro_access(&r.c, LINE(1), 0, 0), L1_MISS);
  ro_serve(&r);
  close_cache(&r);
}

/* Lines 0 to 2 are filled, 0 and 1 used again: LRU gives up line 2, the given policy the second way, which has line 1. */
static int32_t in_turn_then_second(void *state, const struct mem_tags *t, uint32_t set) {
  (void)state, (void)t, (void)set;
  static int32_t asked;
  return asked < 3 ? asked++ : 1;
}

static void test_the_replacement_policy_is_a_choice(void **state) {
  (void)state;
  const struct mem_replacement fixed = {.victim = in_turn_then_second};
  for (int given = 0; given < 2; given++) {
    struct ro_kit r;
    open_with(&r, 3 * MEM_LINE, 3, given ? &fixed : NULL, NULL);
    for (unsigned i = 0; i < 3; i++) {
      assert_int_equal(ro_access(&r.c, LINE(i), 0, 0), L1_MISS);
      ro_serve(&r);
    }
    assert_int_equal(ro_access(&r.c, LINE(0), 0, 0), L1_HIT);
    assert_int_equal(ro_access(&r.c, LINE(1), 0, 0), L1_HIT);
    assert_int_equal(ro_access(&r.c, LINE(3), 0, 0), L1_MISS);
    ro_serve(&r);
    assert_int_equal(ro_access(&r.c, LINE(given ? 2 : 1), 0, 0), L1_HIT);
    assert_int_equal(ro_access(&r.c, LINE(given ? 1 : 2), 0, 0), L1_MISS);
    ro_serve(&r);
    close_cache(&r);
  }
}

static void test_a_full_miss_queue_stalls_a_new_miss_only(void **state) {
  (void)state;
  struct ro_kit r;
  open_cache(&r, 1024, 4, SETTINGS("l1.queue=1"));
  assert_int_equal(ro_access(&r.c, LINE(0), 1, 0), L1_MISS);
  assert_int_equal(ro_access(&r.c, LINE(1), 2, 0), L1_STALL);
  assert_int_equal(ro_access(&r.c, LINE(0), 3, 0), L1_MISS);
  assert_int_equal(r.c.stats[RO_S_STALLS], 1);
  ro_serve(&r);
  assert_int_equal(r.k.n_done, 2);
  assert_int_equal(ro_access(&r.c, LINE(1), 2, 0), L1_MISS);
  ro_serve(&r);
  close_cache(&r);
}

static void test_outstanding_misses_and_waiters_are_bounded(void **state) {
  (void)state;
  struct ro_kit r;
  open_cache(&r, 1024, 4, SETTINGS("l1.queue=64"));
  for (unsigned i = 0; i < RO_MAX_WAITERS; i++) assert_int_equal(ro_access(&r.c, LINE(0), i, 0), L1_MISS);
  assert_int_equal(ro_access(&r.c, LINE(0), 99, 0), L1_STALL);
  for (unsigned i = 1; i < RO_MAX_MISSES; i++) assert_int_equal(ro_access(&r.c, LINE(i), i, 0), L1_MISS);
  assert_int_equal(ro_access(&r.c, LINE(99), 99, 0), L1_STALL);
  ro_serve(&r);
  assert_int_equal(r.k.n_done, RO_MAX_WAITERS);
  assert_int_equal(ro_access(&r.c, LINE(99), 99, 0), L1_MISS);
  while (l1_next_request(&r.k.l1)) ro_serve(&r);
  close_cache(&r);
}

static void test_flush_and_tiny_sizes(void **state) {
  (void)state;
  struct ro_kit r;
  open_cache(&r, 64, 4, NULL); /* less than a line: one line */
  assert_int_equal(r.c.tags.c.sets * r.c.tags.c.ways, 1);
  assert_int_equal(ro_access(&r.c, LINE(0), 0, 0), L1_MISS);
  ro_serve(&r);
  assert_int_equal(ro_access(&r.c, LINE(0), 0, 0), L1_HIT);
  ro_flush(&r.c);
  assert_int_equal(ro_access(&r.c, LINE(0), 0, 0), L1_MISS);
  ro_serve(&r);
  close_cache(&r);
}

static void test_a_preloaded_line_is_there_and_takes_a_place(void **state) {
  (void)state;
  struct ro_kit r;
  open_cache(&r, 256, 2, NULL);
  for (unsigned i = 0; i < 3; i++) assert_int_equal(ro_access_preloaded(&r.c, LINE(i)), L1_HIT); /* the third drops the first */
  assert_int_equal(r.c.stats[RO_S_HITS], 3);
  assert_null(l1_next_request(&r.k.l1));
  assert_int_equal(ro_access(&r.c, LINE(1), 0, 0), L1_HIT);
  assert_int_equal(ro_access(&r.c, LINE(2), 0, 0), L1_HIT);
  assert_int_equal(ro_access(&r.c, LINE(0), 0, 0), L1_MISS);
  ro_serve(&r);
  close_cache(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_misses_merge_and_a_filled_line_hits),
      cmocka_unit_test(test_lines_of_64_bytes_are_halves),
      cmocka_unit_test(test_least_recently_used_goes_first),
      cmocka_unit_test(test_the_replacement_policy_is_a_choice),
      cmocka_unit_test(test_a_full_miss_queue_stalls_a_new_miss_only),
      cmocka_unit_test(test_outstanding_misses_and_waiters_are_bounded),
      cmocka_unit_test(test_flush_and_tiny_sizes),
      cmocka_unit_test(test_a_preloaded_line_is_there_and_takes_a_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
