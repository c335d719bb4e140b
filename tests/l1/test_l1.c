/* The L1D between a load/store unit and a network that are played by the test. Lines are named by their
 * number. */
#include "l1_kit.h"

#define LINE(n) ((uint64_t)(n)*MEM_LINE)
/* Lines n, n + 4, n + 8 ... share a set here. */
#define SMALL "l1.sets=4", "l1.ways=2", "l1.index=plain"

/* ---- hits and misses ---------------------------------------------------------------------------------------------- */

static void test_hits_after_the_fill_and_not_before(void **state) {
  (void)state;
  struct kit k;
  kit_open(&k, SETTINGS(SMALL));
  assert_int_equal(load(&k, LINE(1), 7), L1_MISS);
  assert_int_equal(load(&k, LINE(1), 8), L1_PENDING);
  struct mem_packet *p = take(&k);
  assert_int_equal(p->line, LINE(1));
  assert_int_equal(p->sectors, 0xf); /* whole lines */
  assert_int_equal(p->sm, 3);
  assert_int_equal(p->payload, 0);
  assert_null(l1_next_request(&k.l1)); /* one request for both */
  answer(&k, p, 0xf);
  assert_int_equal(k.n_done, 2);
  assert_int_equal(k.done[0] + k.done[1], 15);
  assert_int_equal(load(&k, LINE(1), 9), L1_HIT);
  mem_packet_free(k.pool, p);
  assert_int_equal(k.l1.stats[L1_S_ACCESSES], 3);
  assert_int_equal(k.l1.stats[L1_S_HITS], 1);
  assert_int_equal(k.l1.stats[L1_S_PENDING], 1);
  assert_int_equal(k.l1.stats[L1_S_MISSES], 1);
  assert_int_equal(k.l1.stats[L1_S_BYTES_IN], 128);
  assert_int_equal(k.l1.stats[L1_S_BYTES_ASKED], 12);
  kit_close(&k);
}

static void test_a_line_filled_in_several_packets_answers_with_the_last_byte(void **state) {
  (void)state;
  struct kit k;
  kit_open(&k, SETTINGS(SMALL, "l1.granule=32", "l1.allocate=fill"));
  assert_int_equal(load_bytes(&k, LINE(1), 0, 128, 1), L1_MISS);   /* all four sectors */
  assert_int_equal(load_bytes(&k, LINE(1), 32, 4, 2), L1_PENDING); /* the second only */
  struct mem_packet *p = take(&k);
  answer(&k, p, 0x2);
  assert_int_equal(k.n_done, 1);
  assert_int_equal(k.done[0], 2);
  assert_int_equal(load_bytes(&k, LINE(1), 32, 4, 3), L1_HIT); /* it is here */
  assert_int_equal(load_bytes(&k, LINE(1), 64, 4, 4), L1_PENDING);
  answer(&k, p, 0x5);
  assert_int_equal(k.n_done, 1);
  assert_int_equal(k.done[0], 4);
  answer(&k, p, 0x8);
  assert_int_equal(k.n_done, 1);
  assert_int_equal(k.done[0], 1);
  assert_int_equal(k.l1.mshrs.used, 0);
  mem_packet_free(k.pool, p);
  kit_close(&k);
}

/* As Nsight Compute counts: what is pending is a hit, and so is a store to what is here (and stays, with l1.keep_stores). */
static void test_sectors_are_counted_as_nsight_counts(void **state) {
  (void)state;
  struct kit k;
  kit_open(&k, SETTINGS(SMALL, "l1.granule=32", "l1.allocate=fill", "l1.keep_stores=true"));
  assert_int_equal(load_bytes(&k, LINE(1), 0, 64, 1), L1_MISS);
  assert_int_equal(load_bytes(&k, LINE(1), 32, 64, 2), L1_MISS); /* one of two is pending */
  assert_int_equal(access_as(&k, MEM_WRITE, MEM_GLOBAL, CA, LINE(1)), L1_SENT);
  serve(&k);
  assert_int_equal(k.l1.stats[L1_S_LOAD_SECTORS], 4);
  assert_int_equal(k.l1.stats[L1_S_LOAD_SECTORS_HIT], 1);
  assert_int_equal(k.l1.stats[L1_S_STORE_SECTORS], 1);
  assert_int_equal(k.l1.stats[L1_S_STORE_SECTORS_HIT], 0);
  assert_int_equal(access_as(&k, MEM_WRITE, MEM_GLOBAL, CA, LINE(1)), L1_SENT);
  serve(&k);
  assert_int_equal(k.l1.stats[L1_S_STORE_SECTORS_HIT], 1);
  assert_int_equal(load(&k, LINE(1), 3), L1_HIT);
  assert_int_equal(k.l1.stats[L1_S_LOAD_SECTORS_HIT], 2);
  kit_close(&k);
}

/* With l1.fill_stores a word that was stored can be read here, its neighbour cannot; one that is stored for L2 cannot either. */
static void test_what_a_store_writes_is_here(void **state) {
  (void)state;
  for (unsigned fills = 0; fills < 2; fills++) {
    struct kit k;
    kit_open(&k, SETTINGS(SMALL, "l1.granule=32", "l1.allocate=fill", "l1.keep_stores=true",
                          fills ? "l1.fill_stores=true" : "l1.fill_stores=false"));
    assert_int_equal(access_as(&k, MEM_WRITE, MEM_GLOBAL, CA, LINE(1)), L1_SENT); /* through, all the same */
    assert_int_equal(access_as(&k, MEM_WRITE, MEM_LOCAL, CA, LINE(2)), L1_SENT);
    assert_int_equal(access_as(&k, MEM_WRITE, MEM_GLOBAL, CG, LINE(3)), L1_SENT);
    for (unsigned i = 0; i < 3; i++) mem_packet_free(k.pool, take(&k));
    assert_int_equal(load(&k, LINE(1), 1), fills ? L1_HIT : L1_MISS);
    assert_int_equal(access_as(&k, MEM_READ, MEM_LOCAL, CA, LINE(2)), fills ? L1_HIT : L1_MISS);
    assert_int_equal(load(&k, LINE(3), 2), L1_MISS);
    if (fills) assert_int_equal(load_bytes(&k, LINE(1), 4, 4, 3), L1_MISS);
    while (l1_next_request(&k.l1)) serve(&k);
    kit_close(&k);
  }
}

static void test_sectors_are_fetched_and_kept_one_by_one(void **state) {
  (void)state;
  struct kit k;
  kit_open(&k, SETTINGS(SMALL, "l1.granule=32", "l1.allocate=fill"));
  assert_int_equal(load_bytes(&k, LINE(2), 40, 4, 1), L1_MISS);
  assert_int_equal(l1_next_request(&k.l1)->sectors, 0x2);
  serve(&k);
  assert_int_equal(load_bytes(&k, LINE(2), 63, 1, 1), L1_HIT);
  assert_int_equal(load_bytes(&k, LINE(2), 64, 1, 1), L1_MISS); /* same line, next sector */
  assert_int_equal(l1_next_request(&k.l1)->sectors, 0x4);
  serve(&k);
  assert_int_equal(load_bytes(&k, LINE(2), 32, 64, 1), L1_HIT);
  /* One sector here, one not: only the other is asked for. */
  assert_int_equal(load_bytes(&k, LINE(2), 64, 64, 1), L1_MISS);
  assert_int_equal(l1_next_request(&k.l1)->sectors, 0x8);
  serve(&k);
  kit_close(&k);
}

/* l1.sector.bytes is the least that org sector fetches; the packet's sectors are always of 32 bytes. */
static void test_a_sector_may_have_any_size_that_divides_the_line(void **state) {
  (void)state;
  static const struct {
    const char *bytes;
    unsigned fetched;
  } cases[] = {{"l1.sector.bytes=32", 0x2}, {"l1.sector.bytes=64", 0x3}};
  for (unsigned i = 0; i < 2; i++) {
    struct kit k;
    kit_open(&k, SETTINGS(SMALL, "l1.org=sector", cases[i].bytes));
    assert_int_equal(load_bytes(&k, LINE(2), 40, 4, 1), L1_MISS);
    assert_int_equal(l1_next_request(&k.l1)->sectors, cases[i].fetched);
    serve(&k);
    assert_int_equal(load_bytes(&k, LINE(2), 0, 4, 1), i ? L1_HIT : L1_MISS); /* the other half of the first 64 bytes */
    while (l1_next_request(&k.l1)) serve(&k);
    kit_close(&k);
  }
}

static void test_a_second_sector_of_a_pending_line_is_a_request_but_no_second_mshr(void **state) {
  (void)state;
  struct kit k;
  kit_open(&k, SETTINGS(SMALL, "l1.granule=32", "l1.allocate=fill", "l1.mshrs=1"));
  assert_int_equal(load_bytes(&k, LINE(1), 0, 4, 1), L1_MISS);
  assert_int_equal(load_bytes(&k, LINE(1), 0, 64, 2), L1_MISS); /* needs the first too */
  assert_int_equal(k.l1.mshrs.used, 1);
  struct mem_packet *a = take(&k), *b = take(&k);
  assert_int_equal(a->sectors, 0x1);
  assert_int_equal(b->sectors, 0x2);
  answer(&k, b, 0x2);
  assert_int_equal(k.n_done, 0); /* load 2 still waits for the first sector */
  answer(&k, a, 0x1);
  assert_int_equal(k.n_done, 2);
  assert_int_equal(k.l1.mshrs.used, 0);
  mem_packet_free(k.pool, a);
  mem_packet_free(k.pool, b);
  kit_close(&k);
}

/* ---- reservation failures ----------------------------------------------------------------------------------------- */

static void test_merges_up_to_the_limit_and_no_further(void **state) {
  (void)state;
  struct kit k;
  kit_open(&k, SETTINGS(SMALL, "l1.merges=3"));
  assert_int_equal(load(&k, LINE(0), 1), L1_MISS);
  assert_int_equal(load(&k, LINE(0), 2), L1_PENDING);
  assert_int_equal(load(&k, LINE(0), 3), L1_PENDING);
  assert_int_equal(load(&k, LINE(0), 4), L1_STALL);
  assert_int_equal(k.l1.why, L1_NO_MERGE);
  assert_int_equal(k.l1.stats[L1_S_FAIL_MERGE], 1);
  assert_int_equal(k.l1.stats[L1_S_ACCESSES], 3); /* a refused access is not one */
  l1_count_stall(&k.l1, 9);                       /* nine more cycles of the same */
  assert_int_equal(k.l1.stats[L1_S_FAIL_MERGE], 10);
  assert_int_equal(k.l1.stats[L1_S_FAILS], 10);
  serve(&k);
  assert_int_equal(k.n_done, 3);
  assert_int_equal(load(&k, LINE(0), 4), L1_HIT);
  kit_close(&k);
}

static void test_mshrs_run_out_for_new_lines_only(void **state) {
  (void)state;
  struct kit k;
  kit_open(&k, SETTINGS(SMALL, "l1.mshrs=2"));
  assert_int_equal(load(&k, LINE(0), 1), L1_MISS);
  assert_int_equal(load(&k, LINE(1), 2), L1_MISS);
  assert_int_equal(load(&k, LINE(2), 3), L1_STALL);
  assert_int_equal(k.l1.why, L1_NO_MSHR);
  assert_int_equal(load(&k, LINE(1), 3), L1_PENDING);                           /* merging needs none */
  assert_int_equal(access_as(&k, MEM_WRITE, MEM_GLOBAL, CA, LINE(2)), L1_SENT); /* nor does a store */
  serve(&k);
  assert_int_equal(load(&k, LINE(2), 3), L1_MISS);
  assert_int_equal(k.l1.stats[L1_S_FAIL_MSHR], 1);
  struct mem_packet *p = take(&k);
  answer(&k, p, 0xf);
  mem_packet_free(k.pool, p);
  mem_packet_free(k.pool, take(&k)); /* the store */
  serve(&k);
  kit_close(&k);
}

static void test_a_full_miss_queue_refuses_whatever_goes_below(void **state) {
  (void)state;
  struct kit k;
  kit_open(&k, SETTINGS(SMALL, "l1.queue=2"));
  fill_line(&k, LINE(3));
  assert_int_equal(load(&k, LINE(0), 1), L1_MISS);
  assert_int_equal(load(&k, LINE(1), 2), L1_MISS);
  assert_int_equal(load(&k, LINE(2), 3), L1_STALL);
  assert_int_equal(k.l1.why, L1_NO_QUEUE);
  assert_int_equal(access_as(&k, MEM_WRITE, MEM_GLOBAL, CA, LINE(3)), L1_STALL);
  assert_int_equal(access_as(&k, MEM_ATOMIC, MEM_GLOBAL, CA, LINE(3)), L1_STALL);
  assert_int_equal(access_as(&k, MEM_READ, MEM_GLOBAL, CG, LINE(3)), L1_STALL);
  assert_int_equal(access_as(&k, MEM_PREFETCH, MEM_GLOBAL, CA, LINE(3)), L1_STALL);
  assert_int_equal(k.l1.stats[L1_S_FAIL_QUEUE], 5);
  assert_int_equal(load(&k, LINE(3), 4), L1_HIT); /* a refused store did not evict */
  assert_int_equal(load(&k, LINE(0), 5), L1_PENDING);
  serve(&k);
  assert_int_equal(load(&k, LINE(2), 3), L1_MISS);
  serve(&k);
  serve(&k);
  kit_close(&k);
}

static void test_allocating_on_miss_a_set_full_of_reservations_refuses(void **state) {
  (void)state;
  struct kit k;
  kit_open(&k, SETTINGS(SMALL, "l1.allocate=miss"));
  assert_int_equal(load(&k, LINE(0), 1), L1_MISS);
  assert_int_equal(load(&k, LINE(4), 2), L1_MISS);
  assert_int_equal(load(&k, LINE(8), 3), L1_STALL); /* both ways of set 0 are reserved */
  assert_int_equal(k.l1.why, L1_NO_LINE);
  assert_int_equal(k.l1.stats[L1_S_FAIL_LINE], 1);
  assert_int_equal(k.l1.mshrs.used, 2);          /* nothing was taken */
  assert_int_equal(load(&k, LINE(1), 4), L1_MISS); /* another set */
  serve(&k);
  assert_int_equal(load(&k, LINE(8), 3), L1_MISS); /* takes line 0's way, which is not reserved any more */
  assert_int_equal(load(&k, LINE(0), 5), L1_STALL);
  while (l1_next_request(&k.l1)) serve(&k);
  kit_close(&k);
}

/* Whether it would be refused again is known without trying: until an MSHR ends, or the miss queue holds more. */
static void test_a_refusal_for_want_of_an_mshr_lasts_until_one_ends(void **state) {
  (void)state;
  struct kit k;
  kit_open(&k, SETTINGS(SMALL, "l1.mshrs=2", "l1.allocate=miss", "l1.queue=3", "l1.queue_spare=1"));
  assert_int_equal(load(&k, LINE(0), 1), L1_MISS);
  assert_int_equal(load(&k, LINE(1), 2), L1_MISS);
  struct mem_packet *first = take(&k);
  assert_int_equal(load(&k, LINE(2), 3), L1_STALL);
  assert_int_equal(k.l1.why, L1_NO_MSHR);
  assert_true(l1_still_refuses(&k.l1));
  answer(&k, first, 0x7); /* a part of the line */
  assert_true(l1_still_refuses(&k.l1));
  l1_queue_packet(&k.l1, mem_packet_new(k.pool)); /* of another cache of the SM */
  assert_false(l1_still_refuses(&k.l1));
  assert_int_equal(load(&k, LINE(2), 3), L1_STALL);
  assert_int_equal(k.l1.why, L1_NO_QUEUE);
  assert_false(l1_still_refuses(&k.l1)); /* packets leave without it */
  struct mem_packet *second = take(&k);
  mem_packet_free(k.pool, take(&k));
  assert_int_equal(load(&k, LINE(2), 3), L1_STALL);
  assert_true(l1_still_refuses(&k.l1));
  answer(&k, first, 0x8);
  assert_false(l1_still_refuses(&k.l1));
  assert_int_equal(load(&k, LINE(2), 3), L1_MISS);
  answer(&k, second, 0xf);
  mem_packet_free(k.pool, first);
  mem_packet_free(k.pool, second);
  serve(&k);
  kit_close(&k);
}

static void test_allocating_on_fill_a_set_has_no_limit_of_misses(void **state) {
  (void)state;
  struct kit k;
  kit_open(&k, SETTINGS(SMALL, "l1.allocate=fill"));
  fill_line(&k, LINE(0));
  for (unsigned i = 1; i <= 5; i++) assert_int_equal(load(&k, LINE(4 * i), i), L1_MISS);
  assert_int_equal(load(&k, LINE(0), 9), L1_HIT); /* nothing is given up before data comes */
  for (unsigned i = 1; i <= 5; i++) serve(&k);
  assert_int_equal(load(&k, LINE(20), 9), L1_HIT);
  assert_int_equal(load(&k, LINE(16), 9), L1_HIT);
  assert_int_equal(load(&k, LINE(0), 9), L1_MISS); /* the five came after it */
  serve(&k);
  kit_close(&k);
}

/* ---- replacement and index ---------------------------------------------------------------------------------------- */

static void test_least_recently_used_goes_first(void **state) {
  (void)state;
  struct kit k;
  kit_open(&k, SETTINGS("l1.sets=1", "l1.ways=4", "l1.index=plain"));
  for (unsigned i = 0; i < 4; i++) fill_line(&k, LINE(i));
  assert_int_equal(load(&k, LINE(0), 1), L1_HIT); /* order of use now: 1 2 3 0 */
  fill_line(&k, LINE(4));                         /* gives up 1 */
  assert_int_equal(load(&k, LINE(2), 1), L1_HIT); /* 3 0 4 2 */
  fill_line(&k, LINE(5));                         /* gives up 3 */
  fill_line(&k, LINE(6));                         /* gives up 0 */
  assert_int_equal(load(&k, LINE(4), 1), L1_HIT);
  assert_int_equal(load(&k, LINE(2), 1), L1_HIT);
  assert_int_equal(load(&k, LINE(5), 1), L1_HIT);
  assert_int_equal(load(&k, LINE(6), 1), L1_HIT);
  static const unsigned gone[] = {1, 3, 0};
  for (unsigned i = 0; i < 3; i++) {
    assert_int_equal(load(&k, LINE(gone[i]), 1), L1_MISS);
    serve(&k);
  }
  kit_close(&k);
}

/* Whether two lines share a set: with one way, filling the second gives up the first. */
static bool share_a_set(const char *sets, uint64_t a, uint64_t b) {
  struct kit k;
  kit_open(&k, SETTINGS(sets, "l1.ways=1", "l1.index=hash"));
  fill_line(&k, a);
  fill_line(&k, b);
  bool same = load(&k, a, 1) != L1_HIT;
  if (same) serve(&k);
  kit_close(&k);
  return same;
}

/* Nugteren et al., HPCA 2014: set bits are address bits 7, 8, 9, 10, 11 XOR 13, 14, 15, 17, 19; the 48 KB
 * configuration (64 sets) has bit 12 as the sixth. So flipping a pair's two bits together stays in the set,
 * flipping one of them leaves it, and bits 16, 18 and 20 upwards do not matter. */
static void bring(struct kit *k, uint64_t line) {
  assert_int_equal(load(k, line, 1), L1_MISS);
  serve(k);
}

/* Four ways; bits are set by uses, and when the last one is set the others are cleared. */
static void test_not_recently_used_goes_first(void **state) {
  (void)state;
  struct kit k;
  kit_open(&k, SETTINGS("l1.sets=1", "l1.ways=4", "l1.index=plain", "l1.replacement=nru"));
  bring(&k, LINE(0));
  bring(&k, LINE(1));
  bring(&k, LINE(2));
  bring(&k, LINE(3)); /* all have the bit: only line 3 keeps it */
  assert_int_equal(load(&k, LINE(0), 1), L1_HIT);
  bring(&k, LINE(4)); /* the first without the bit is line 1; LRU would take it too */
  assert_int_equal(load(&k, LINE(2), 1), L1_HIT); /* the last bit: 0, 3 and 4 lose theirs */
  bring(&k, LINE(5)); /* takes line 0, though line 3 was used longer ago */
  assert_int_equal(load(&k, LINE(3), 1), L1_HIT);
  assert_int_equal(load(&k, LINE(4), 1), L1_HIT);
  assert_int_equal(load(&k, LINE(0), 1), L1_MISS);
  serve(&k);
  kit_close(&k);
}

static void test_fermi_hash_has_the_published_pairs(void **state) {
  (void)state;
  static const unsigned low[] = {7, 8, 9, 10, 11}, high[] = {13, 14, 15, 17, 19},
                        none[] = {16, 18, 20, 21, 31};
  static const char *const sets[] = {"l1.sets=32", "l1.sets=64"};
  for (unsigned s = 0; s < 2; s++)
    for (unsigned i = 0; i < 5; i++) {
      uint64_t l = UINT64_C(1) << low[i], h = UINT64_C(1) << high[i];
      assert_false(share_a_set(sets[s], 0, l));
      assert_false(share_a_set(sets[s], 0, h));
      assert_true(share_a_set(sets[s], 0, l | h));
      assert_true(share_a_set(sets[s], l, h));
      assert_true(share_a_set(sets[s], 0, UINT64_C(1) << none[i]));
    }
  assert_true(share_a_set("l1.sets=32", 0, 1 << 12));
  assert_false(share_a_set("l1.sets=64", 0, 1 << 12));
}

static void test_every_set_count_uses_all_its_sets(void **state) {
  (void)state;
  static const char *const sets[] = {"l1.sets=4",  "l1.sets=16", "l1.sets=32",
                                     "l1.sets=48", "l1.sets=64", "l1.sets=128"};
  for (unsigned s = 0; s < 6; s++) {
    struct kit k;
    kit_open(&k, SETTINGS(sets[s], "l1.ways=4", "l1.index=hash"));
    unsigned lines = 2 * (unsigned)atoi(sets[s] + 8), hits = 0; /* half of what the cache holds, in a row */
    for (unsigned i = 0; i < lines; i++) fill_line(&k, LINE(i));
    for (unsigned i = 0; i < lines; i++) {
      enum l1_result r = load(&k, LINE(i), 1);
      hits += r == L1_HIT;
      if (r != L1_HIT) serve(&k);
    }
    if (hits < lines * 9 / 10) fail_msg("%s: only %u of %u lines are kept", sets[s], hits, lines);
    kit_close(&k);
  }
}

/* ---- writes, atomics, operators ----------------------------------------------------------------------------------- */

static void test_a_store_goes_through_and_evicts(void **state) {
  (void)state;
  struct kit k;
  kit_open(&k, SETTINGS(SMALL));
  fill_line(&k, LINE(1));
  struct l1_request r = request(MEM_WRITE, LINE(1), span(8, 20), 5);
  assert_int_equal(l1_access(&k.l1, &r, 0), L1_SENT);
  struct mem_packet *p = take(&k);
  assert_int_equal(p->kind, MEM_WRITE);
  assert_int_equal(p->payload, 20);
  assert_int_equal(p->sectors, 0x1);
  mem_packet_free(k.pool, p);
  assert_int_equal(load(&k, LINE(1), 6), L1_MISS);
  serve(&k);
  assert_int_equal(access_as(&k, MEM_WRITE, MEM_GLOBAL, CA, LINE(2)), L1_SENT); /* does not allocate */
  mem_packet_free(k.pool, take(&k));
  assert_int_equal(load(&k, LINE(2), 6), L1_MISS);
  serve(&k);
  assert_int_equal(k.l1.stats[L1_S_WRITES], 2);
  kit_close(&k);
}

/* What a store carries: the bytes written, or the 32, 64 or 128 aligned bytes around them. */
static void test_a_store_may_carry_what_is_around_it(void **state) {
  (void)state;
  static const struct {
    unsigned from, n, carries;
  } cases[] = {{4, 4, 32}, {31, 2, 64}, {64, 64, 64}, {60, 8, 128}, {0, 128, 128}};
  for (unsigned round = 0; round < 2; round++)
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
      struct kit k;
      kit_open(&k, round ? SETTINGS("l1.round_stores=true") : SETTINGS("l1.round_stores=false"));
      struct l1_request r = request(MEM_WRITE, 0, span(cases[i].from, cases[i].n), 0);
      assert_int_equal(l1_access(&k.l1, &r, 0), L1_SENT);
      assert_int_equal(l1_next_request(&k.l1)->payload, round ? cases[i].carries : cases[i].n);
      kit_close(&k);
    }
}

/* A queue of 3 with one place spare: the third miss is refused, and so is a load that only joins the first; a store is not. */
static void test_loads_may_leave_slots_of_the_miss_queue_free(void **state) {
  (void)state;
  struct kit k;
  kit_open(&k, SETTINGS("l1.queue=3", "l1.queue_spare=1"));
  for (unsigned i = 0; i < 4; i++) {
    struct l1_request r = request(MEM_READ, (i % 3) * 128, span(0, 4), i);
    assert_int_equal(l1_access(&k.l1, &r, i), i < 2 ? L1_MISS : L1_STALL);
  }
  struct l1_request w = request(MEM_WRITE, 1024, span(0, 4), 9);
  assert_int_equal(l1_access(&k.l1, &w, 5), L1_SENT);
  kit_close(&k);
}

static void test_local_stores_leave_the_line(void **state) {
  (void)state;
  struct kit k;
  kit_open(&k, SETTINGS(SMALL));
  fill_line(&k, LINE(1));
  assert_int_equal(access_as(&k, MEM_WRITE, MEM_LOCAL, CA, LINE(1)), L1_SENT);
  mem_packet_free(k.pool, take(&k));
  assert_int_equal(load(&k, LINE(1), 6), L1_HIT);
  kit_close(&k);
}

static void test_atomics_and_reductions_evict_and_are_counted_apart(void **state) {
  (void)state;
  struct kit k;
  kit_open(&k, SETTINGS(SMALL));
  for (int i = 0; i < 2; i++) {
    fill_line(&k, LINE(1));
    assert_int_equal(access_as(&k, i ? MEM_REDUCE : MEM_ATOMIC, MEM_GLOBAL, CA, LINE(1)), L1_SENT);
    assert_int_equal(l1_next_request(&k.l1)->payload, 4);
    mem_packet_free(k.pool, take(&k));
  }
  assert_int_equal(load(&k, LINE(1), 6), L1_MISS);
  serve(&k);
  assert_int_equal(k.l1.stats[L1_S_ATOMICS], 2);
  kit_close(&k);
}

static void test_a_store_while_the_line_is_on_its_way_leaves_the_waiters_served(void **state) {
  (void)state;
  struct kit k;
  kit_open(&k, SETTINGS(SMALL));
  assert_int_equal(load(&k, LINE(1), 1), L1_MISS);
  assert_int_equal(access_as(&k, MEM_WRITE, MEM_GLOBAL, CA, LINE(1)), L1_SENT);
  serve(&k);
  assert_int_equal(k.n_done, 1);
  mem_packet_free(k.pool, take(&k));
  kit_close(&k);
}

static void test_operators_choose_between_cache_and_bypass(void **state) {
  (void)state;
  static const struct {
    uint8_t op;
    enum l1_result expected;
  } cases[] = {{CA, L1_HIT}, {CS, L1_HIT}, {LU, L1_HIT}, {CG, L1_SENT}, {CV, L1_SENT}};
  for (size_t i = 0; i < 5; i++) {
    struct kit k;
    kit_open(&k, SETTINGS(SMALL));
    fill_line(&k, LINE(1));
    assert_int_equal(access_as(&k, MEM_READ, MEM_GLOBAL, cases[i].op, LINE(1)), cases[i].expected);
    if (cases[i].expected == L1_SENT) {
      struct mem_packet *p = take(&k);
      assert_true(p->bypass);
      assert_int_equal(p->sectors, 0x1); /* only the sector asked for */
      mem_packet_free(k.pool, p);
      assert_int_equal(k.l1.stats[L1_S_BYPASSES], 1);
    }
    kit_close(&k);
  }
}

static void test_global_loads_can_be_kept_out_of_the_cache(void **state) {
  (void)state;
  struct kit k;
  kit_open(&k, SETTINGS(SMALL, "l1.cache_global=false"));
  assert_int_equal(access_as(&k, MEM_READ, MEM_GLOBAL, CA, LINE(1)), L1_SENT);
  assert_int_equal(access_as(&k, MEM_READ, MEM_LOCAL, CA, LINE(2)), L1_MISS); /* local data still use it */
  mem_packet_free(k.pool, take(&k));
  serve(&k);
  assert_int_equal(access_as(&k, MEM_READ, MEM_LOCAL, CA, LINE(2)), L1_HIT);
  kit_close(&k);
}

static void test_flush_forgets_all_but_what_is_on_its_way(void **state) {
  (void)state;
  struct kit k;
  kit_open(&k, SETTINGS(SMALL));
  fill_line(&k, LINE(1));
  assert_int_equal(load(&k, LINE(2), 1), L1_MISS);
  l1_flush(&k.l1);
  assert_int_equal(load(&k, LINE(1), 2), L1_MISS);
  assert_int_equal(load(&k, LINE(2), 3), L1_PENDING);
  serve(&k);
  assert_int_equal(k.n_done, 2);
  serve(&k);
  kit_close(&k);
}

/* The cache is looked at when 4,096 accesses have been made: three lines are there; at the second look a store has dropped one. */
static void test_bytes_that_hold_data_are_sampled(void **state) {
  (void)state;
  struct kit k;
  kit_open(&k, NULL);
  for (uint64_t i = 0; i < 3; i++) fill_line(&k, i * MEM_LINE);
  for (unsigned i = 3; i < 4095; i++) assert_int_equal(load(&k, 0, 1), L1_HIT);
  assert_int_equal(k.l1.stats[L1_S_STORED_SAMPLES], 0);
  assert_int_equal(load(&k, 0, 1), L1_HIT);
  assert_int_equal(k.l1.stats[L1_S_STORED_SAMPLES], 1);
  assert_int_equal(k.l1.stats[L1_S_STORED], 3 * MEM_LINE);
  assert_int_equal(access_as(&k, MEM_WRITE, MEM_GLOBAL, CA, MEM_LINE), L1_SENT);
  for (unsigned i = 1; i < 4096; i++) assert_int_equal(load(&k, 0, 1), L1_HIT);
  assert_int_equal(k.l1.stats[L1_S_STORED_SAMPLES], 2);
  assert_int_equal(k.l1.stats[L1_S_STORED], 5 * MEM_LINE);
  assert_int_equal(k.l1.stats[L1_S_READS], 2 * 4096 - 1);
  assert_int_equal(k.l1.stats[L1_S_REQUESTS], 3 + 1);
  kit_close(&k);
}

/* A miss is looked up as one of the whole line, a hit is not. */
static void test_lookups_of_whole_lines_are_counted(void **state) {
  (void)state;
  struct kit k;
  kit_open(&k, SETTINGS("l1.org=lamar"));
  fill_line(&k, 0);
  assert_int_equal(load_bytes(&k, 0, 100, 4, 0), L1_HIT);
  fill_line(&k, MEM_LINE);
  assert_int_equal(org_stat(&k.l1, "l1d.coarse_lookups"), 2);
  kit_close(&k);
}

/* Four lines have a chunk each of the one frame; a fifth that wants all of them takes four rounds, three more than are free. */
static void test_rounds_of_replacement_are_counted_in_cycles(void **state) {
  (void)state;
  struct kit k;
  kit_open(&k, SETTINGS("l1.org=dsc4", "l1.sets=1", "l1.ways=1", "l1.dsc.round_cycles=2"));
  for (unsigned i = 0; i < 4; i++) {
    assert_int_equal(load_bytes(&k, i * MEM_LINE, i * MEM_SECTOR, 4, 0), L1_MISS);
    serve(&k);
  }
  assert_int_equal(k.l1.stats[L1_S_BUSY], 0);
  assert_int_equal(load_bytes(&k, 9 * MEM_LINE, 0, MEM_LINE, 0), L1_MISS);
  assert_int_equal(k.l1.stats[L1_S_BUSY], 3 * 2);
  serve(&k);
  kit_close(&k);
}

static void test_a_granule_that_does_not_divide_the_line_is_refused(void **state) {
  (void)state;
  struct cfg *c = kit_cfg(SETTINGS("l1.granule=24"));
  struct mem_pool *pool = mem_pool_new();
  struct l1 l1;
  struct err e = {0};
  assert_false(l1_init(&l1, c, pool, 0, &e));
  assert_non_null(strstr(e.text, "l1.granule = 24"));
  l1_free(&l1);
  mem_pool_delete(pool);
  cfg_delete(c);
}

static void test_rounding_to_granules(void **state) {
  (void)state;
  static const unsigned granules[] = {8, 16, 32, 64, 128};
  for (unsigned g = 0; g < 5; g++)
    for (unsigned at = 0; at < 128; at++) {
      struct mem_bytes m = mem_round(span(at, 1), granules[g]),
                       want = span(at / granules[g] * granules[g], granules[g]);
      assert_true(m.b[0] == want.b[0] && m.b[1] == want.b[1]);
    }
  assert_true(mem_none(mem_round(span(0, 0), 128)));
}

/* ---- what a bypass policy sees ---- */

struct seen {
  uint64_t line, pc;
  enum l1_result result;
  uint64_t filled;
  struct mem_bytes came;
};
static void see_served(void *b, const struct l1_request *r, enum l1_result result) {
  struct seen *s = b;
  s->line = r->line;
  s->pc = r->pc;
  s->result = result;
}
static void see_filled(void *b, uint64_t line, struct mem_bytes bytes) {
  struct seen *s = b;
  s->filled = line;
  s->came = bytes;
}

static void test_a_bypass_policy_sees_requests_and_fills(void **state) {
  (void)state;
  static const struct l1_bypass eyes = {.policy = {.name = "eyes"}, .served = see_served, .filled = see_filled};
  struct seen s = {0};
  struct kit k;
  kit_open(&k, SETTINGS("l1.granule=32"));
  k.l1.bypass_ops = &eyes;
  k.l1.bypass = &s;
  struct l1_request r = request(MEM_READ, 5 * MEM_LINE, span(32, 4), 1);
  r.pc = 77;
  assert_int_equal(l1_access(&k.l1, &r, 0), L1_MISS);
  assert_int_equal(s.line, 5 * MEM_LINE);
  assert_int_equal(s.pc, 77);
  assert_int_equal(s.result, L1_MISS);
  serve(&k);
  assert_int_equal(s.filled, 5 * MEM_LINE);
  assert_int_equal(s.came.b[0], UINT64_C(0xffffffff) << 32);
  assert_int_equal(s.came.b[1], 0);
  assert_int_equal(l1_access(&k.l1, &r, 0), L1_HIT);
  assert_int_equal(s.result, L1_HIT);
  k.l1.bypass = NULL;
  kit_close(&k);
}

static enum l1_result store_word(struct kit *k, uint64_t line, unsigned from) {
  struct l1_request r = request(MEM_WRITE, line, span(from, 4), 0);
  return l1_access(&k->l1, &r, 0);
}

/* A store joins one to its sectors among the last two that wait; whatever else waits between them does not count. */
static void test_a_store_joins_one_that_waits(void **state) {
  (void)state;
  enum { A = 0, B = 128, C = 256 };
  struct kit k;
  kit_open(&k, SETTINGS("l1.join_stores=2", "l1.queue=16"));
  assert_int_equal(store_word(&k, A, 0), L1_SENT);
  assert_int_equal(load(&k, 1024, 1), L1_MISS);
  assert_int_equal(store_word(&k, B, 0), L1_SENT);
  assert_int_equal(store_word(&k, A, 8), L1_HIT);
  struct mem_packet *first = l1_next_request(&k.l1);
  assert_int_equal(first->bytes.b[0], 0xf0f);
  assert_int_equal(first->payload, 8);
  assert_int_equal(store_word(&k, A, 32), L1_SENT); /* another sector: its answer is for another store */
  assert_int_equal(store_word(&k, C, 0), L1_SENT);
  assert_int_equal(store_word(&k, B, 4), L1_SENT);  /* A and C came after it */
  assert_int_equal(access_as(&k, MEM_REDUCE, MEM_GLOBAL, CA, B), L1_SENT);
  assert_int_equal(k.l1.stats[L1_S_JOINED], 1);
  assert_int_equal(k.l1.stats[L1_S_WRITES], 6);
  assert_int_equal(k.l1.stats[L1_S_REQUESTS], 7);
  assert_int_equal(k.l1.stats[L1_S_PENDING], 1);
  assert_int_equal(k.l1.stats[L1_S_STORE_SECTORS_HIT], 1);
  kit_close(&k);
}

/* With l1.store_lines a store to a line that another is on its way out of begins its copy anew: so one that waits behind those that can be
 * joined, and one that has left up to a cycle before l1.leave_latency has passed. */
static void test_a_store_behind_one_that_leaves_begins_the_copy_anew(void **state) {
  (void)state;
  enum { A = 0, B = 128, C = 256, LEFT = 100, LATENCY = 10 };
  for (unsigned late = 0; late < 4; late++) { /* joins; waits, and cannot be joined; has left too lately; long enough ago */
    struct kit k;
    kit_open(&k, SETTINGS(SMALL, "l1.granule=32", "l1.allocate=fill", "l1.keep_stores=true", "l1.fill_stores=true", "l1.join_stores=1",
                          "l1.store_lines=4", "l1.leave_latency=10", "l1.queue=16"));
    struct l1_request first = request(MEM_WRITE, A, span(0, 4), 0), again = request(MEM_WRITE, A, span(4, 4), 0);
    assert_int_equal(l1_access(&k.l1, &first, 0), L1_SENT);
    if (late == 1) assert_int_equal(store_word(&k, B, 0), L1_SENT);
    if (late > 1) {
      struct mem_packet *p = take(&k);
      l1_note_left(&k.l1, p, LEFT + LATENCY);
      mem_packet_free(k.pool, p);
    }
    uint64_t now = late < 2 ? 1 : late == 2 ? LEFT + LATENCY - 1 : LEFT + LATENCY;
    bool anew = late == 1 || late == 2;
    assert_int_equal(l1_access(&k.l1, &again, now), late ? L1_SENT : L1_HIT);
    assert_int_equal(k.l1.stats[L1_S_BEGUN_ANEW], anew);
    assert_int_equal(load_bytes(&k, A, 4, 4, 1), L1_HIT);
    assert_int_equal(load_bytes(&k, A, 0, 4, 2), anew ? L1_MISS : L1_HIT);
    kit_close(&k);
  }
}

/* A store to a line that is being fetched begins it anew too: what comes goes to the registers. */
static void test_what_is_fetched_while_a_store_comes_does_not_stay(void **state) {
  (void)state;
  for (unsigned lines = 0; lines < 2; lines++) {
    struct kit k;
    kit_open(&k, SETTINGS(SMALL, "l1.granule=32", "l1.allocate=fill", "l1.keep_stores=true", "l1.fill_stores=true",
                          lines ? "l1.store_lines=4" : "l1.store_lines=0"));
    assert_int_equal(load_bytes(&k, LINE(1), 0, 4, 1), L1_MISS);
    assert_int_equal(store_word(&k, LINE(1), 64), L1_SENT);
    serve(&k);
    assert_int_equal(load_bytes(&k, LINE(1), 64, 4, 2), L1_HIT);
    assert_int_equal(load_bytes(&k, LINE(1), 0, 4, 3), lines ? L1_MISS : L1_HIT);
    kit_close(&k);
  }
}

/* l1.store_lines stores wait, and no more; a load has the rest of the queue. */
static void test_so_many_stores_wait(void **state) {
  (void)state;
  struct kit k;
  kit_open(&k, SETTINGS("l1.store_lines=2", "l1.queue=16"));
  assert_int_equal(store_word(&k, LINE(1), 0), L1_SENT);
  assert_int_equal(store_word(&k, LINE(2), 0), L1_SENT);
  assert_int_equal(store_word(&k, LINE(3), 0), L1_STALL);
  assert_int_equal(k.l1.why, L1_NO_QUEUE);
  assert_int_equal(load(&k, LINE(4), 1), L1_MISS);
  struct mem_packet *p = take(&k);
  l1_note_left(&k.l1, p, 1);
  mem_packet_free(k.pool, p);
  assert_int_equal(store_word(&k, LINE(3), 0), L1_SENT);
  kit_close(&k);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_store_behind_one_that_leaves_begins_the_copy_anew),
      cmocka_unit_test(test_what_is_fetched_while_a_store_comes_does_not_stay),
      cmocka_unit_test(test_so_many_stores_wait),
      cmocka_unit_test(test_hits_after_the_fill_and_not_before),
      cmocka_unit_test(test_a_line_filled_in_several_packets_answers_with_the_last_byte),
      cmocka_unit_test(test_sectors_are_counted_as_nsight_counts),
      cmocka_unit_test(test_what_a_store_writes_is_here),
      cmocka_unit_test(test_sectors_are_fetched_and_kept_one_by_one),
      cmocka_unit_test(test_a_sector_may_have_any_size_that_divides_the_line),
      cmocka_unit_test(test_a_second_sector_of_a_pending_line_is_a_request_but_no_second_mshr),
      cmocka_unit_test(test_merges_up_to_the_limit_and_no_further),
      cmocka_unit_test(test_mshrs_run_out_for_new_lines_only),
      cmocka_unit_test(test_a_full_miss_queue_refuses_whatever_goes_below),
      cmocka_unit_test(test_allocating_on_miss_a_set_full_of_reservations_refuses),
      cmocka_unit_test(test_a_refusal_for_want_of_an_mshr_lasts_until_one_ends),
      cmocka_unit_test(test_allocating_on_fill_a_set_has_no_limit_of_misses),
      cmocka_unit_test(test_least_recently_used_goes_first),
      cmocka_unit_test(test_not_recently_used_goes_first),
      cmocka_unit_test(test_fermi_hash_has_the_published_pairs),
      cmocka_unit_test(test_every_set_count_uses_all_its_sets),
      cmocka_unit_test(test_a_store_goes_through_and_evicts),
      cmocka_unit_test(test_a_store_may_carry_what_is_around_it),
      cmocka_unit_test(test_loads_may_leave_slots_of_the_miss_queue_free),
      cmocka_unit_test(test_local_stores_leave_the_line),
      cmocka_unit_test(test_atomics_and_reductions_evict_and_are_counted_apart),
      cmocka_unit_test(test_a_store_while_the_line_is_on_its_way_leaves_the_waiters_served),
      cmocka_unit_test(test_operators_choose_between_cache_and_bypass),
      cmocka_unit_test(test_global_loads_can_be_kept_out_of_the_cache),
      cmocka_unit_test(test_flush_forgets_all_but_what_is_on_its_way),
      cmocka_unit_test(test_bytes_that_hold_data_are_sampled),
      cmocka_unit_test(test_lookups_of_whole_lines_are_counted),
      cmocka_unit_test(test_rounds_of_replacement_are_counted_in_cycles),
      cmocka_unit_test(test_a_granule_that_does_not_divide_the_line_is_refused),
      cmocka_unit_test(test_a_bypass_policy_sees_requests_and_fills),
      cmocka_unit_test(test_rounding_to_granules),
      cmocka_unit_test(test_a_store_joins_one_that_waits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
