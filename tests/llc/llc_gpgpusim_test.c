/* A slice of L2 under the keys by which it does as GPGPU-Sim's L2 does (llc_rig.h). */
#include "llc_rig.h"

/* ---- as GPGPU-Sim does ---- */

/* Tags at 11; the write is seen by DRAM at 13, the fetch at 14; the acknowledgement is back at 13 + 20 + 1, is put into the reply queue,
 * leaves it a cycle later and is seen at 36. The line is there, and clean; a second write hits. */
static void test_a_write_that_misses_goes_to_dram_and_fetches(void **state) {
  (void)state;
  struct rig r;
  setup(&r, SETTINGS("l2.write_miss=fetch", "l2.sectored=false"));
  r.dram_delay = 20;
  push(&r, MEM_WRITE, 0, 1, 0);
  run(&r, 36);
  assert_int_equal(r.n_replies, 0);
  step(&r);
  assert_int_equal(r.n_replies, 1);
  assert_int_equal(r.kind[0], MEM_WRITE_ACK);
  assert_int_equal(r.writes, 1);
  assert_int_equal(r.fetches, 1);
  assert_int_equal(llc_dirty_lines(r.s), 0);
  settle(&r);
  push(&r, MEM_WRITE, 0, 1, 1);
  settle(&r);
  assert_int_equal(r.writes, 1);
  assert_int_equal(stat(&r, LLC_HITS), 1);
  assert_int_equal(llc_dirty_lines(r.s), 1);
  teardown(&r);
}

/* While the line is outstanding, each further write goes to DRAM too and takes a place of its MSHR; the fifth waits for the fill. */
static void test_writes_to_a_line_on_its_way_go_to_dram_each(void **state) {
  (void)state;
  struct rig r;
  setup(&r, SETTINGS("l2.write_miss=fetch", "l2.sectored=false", "l2.mshr_merge=4"));
  r.dram_delay = 100;
  for (uint32_t i = 0; i < 5; i++) push(&r, MEM_WRITE, 0, 1, i);
  run(&r, 60);
  assert_int_equal(r.writes, 4);
  assert_int_equal(r.fetches, 1);
  settle(&r);
  assert_int_equal(r.writes, 4);
  assert_int_equal(r.n_replies, 5);
  teardown(&r);
}

/* A sector of a line is on its way when another is written: what the write leaves in the MSHR is gone when that sector is there. */
static void test_a_write_beside_a_sector_on_its_way(void **state) {
  (void)state;
  struct rig r;
  setup(&r, SETTINGS("l2.write_miss=fetch", "l2.sectored=true"));
  r.dram_delay = 100;
  push(&r, MEM_READ, 0, 1, 0);
  push(&r, MEM_WRITE, 0, 2, 1);
  settle(&r);
  assert_int_equal(r.fetches, 1);
  assert_int_equal(r.writes, 1);
  assert_int_equal(r.n_replies, 2);
  teardown(&r);
}

static void push_store(struct rig *r, uint64_t line, struct mem_bytes bytes, uint16_t payload, uint32_t owner) {
  push(r, MEM_WRITE, line, 15, owner);
  struct mem_packet *k = r->s->in.ring[(r->s->in.head + r->s->in.count - 1) % r->s->in.capacity].k;
  k->bytes = bytes;
  k->payload = payload;
}

/* The upper half of line 1 is stored; it is found there, or in line 2. */
static void test_upper_halves_may_go_to_the_next_line(void **state) {
  (void)state;
  for (unsigned there = 0; there < 2; there++) {
    struct rig r;
    setup(&r, there ? SETTINGS("l2.store_sectors=gpgpusim") : SETTINGS("l2.store_sectors=exact"));
    push_store(&r, 1, (struct mem_bytes){{0, UINT64_MAX}}, 64, 0);
    settle(&r);
    push(&r, MEM_READ, 1, 12, 1);
    settle(&r);
    assert_int_equal(r.fetches, there);
    push(&r, MEM_READ, 2, 12, 2);
    settle(&r);
    assert_int_equal(r.fetches, 1);
    teardown(&r);
  }
}

/* The first words of eight vectors of four: 8 bytes of each sector. With those before it the last one has 32. */
static void test_a_sector_may_be_taken_for_full(void **state) {
  (void)state;
  for (unsigned there = 0; there < 2; there++) {
    struct rig r;
    setup(&r, there ? SETTINGS("l2.store_sectors=gpgpusim") : SETTINGS("l2.store_sectors=exact"));
    push_store(&r, 1, (struct mem_bytes){{UINT64_C(0x000f000f000f000f), UINT64_C(0x000f000f000f000f)}}, 128, 0);
    settle(&r);
    push(&r, MEM_READ, 1, 8, 1);
    settle(&r);
    assert_int_equal(r.fetches, !there);
    push(&r, MEM_READ, 1, 1, 2);
    settle(&r);
    assert_int_equal(r.fetches, 2 - there);
    teardown(&r);
  }
}

static void test_which_copies_are_installed(void **state) {
  (void)state;
  static const struct {
    const char *fills, *copies;
    bool in, out, within;
  } cases[] = {{"l2.fill_on_copy=true", "l2.copies=device", true, false, true},
               {"l2.fill_on_copy=true", "l2.copies=host", true, true, false},
               {"l2.fill_on_copy=false", "l2.copies=host", false, false, false}};
  for (unsigned i = 0; i < 3; i++) {
    struct rig r;
    setup(&r, SETTINGS(cases[i].fills, cases[i].copies));
    assert_int_equal(llc_fills_on_copy(r.s, LLC_COPY_IN), cases[i].in);
    assert_int_equal(llc_fills_on_copy(r.s, LLC_COPY_OUT), cases[i].out);
    assert_int_equal(llc_fills_on_copy(r.s, LLC_COPY_WITHIN), cases[i].within);
    teardown(&r);
  }
}

/* Without the latency of 10; other reads pay it. */
static void test_textures_may_pass_the_latency(void **state) {
  (void)state;
  for (unsigned texture = 0; texture < 2; texture++) {
    struct rig r;
    uint64_t expected = 1 + (texture ? 0 : 10) + 1 + 1;
    setup(&r, SETTINGS("l2.textures_direct=true"));
    llc_install_line(r.s, 0, 15);
    push(&r, MEM_READ, 0, 1, 0);
    r.s->in.ring[r.s->in.head].k->class_ = texture ? MEM_TEXTURE : MEM_GLOBAL;
    run(&r, (unsigned)expected);
    assert_int_equal(r.n_replies, 0);
    step(&r);
    assert_int_equal(r.n_replies, 1);
    teardown(&r);
  }
}

/* From the latency into the queue before the tags: a cycle more. While nobody takes replies, those in the latency do not keep others
 * out: the queue before the tags and the replies' are full first. */
static void test_the_latency_may_hold_any_number(void **state) {
  (void)state;
  struct rig r;
  setup(&r, SETTINGS("l2.unbounded_latency=true", "l2.access_queue=2", "l2.reply_queue=4", "l2.data_bytes=128", "l2.latency=100"));
  llc_install_line(r.s, 0, 15);
  push(&r, MEM_READ, 0, 1, 0);
  run(&r, 1 + 100 + 1 + 1 + 1);
  assert_int_equal(r.n_replies, 0);
  step(&r);
  assert_int_equal(r.n_replies, 1);
  r.sink_stops = true;
  for (uint32_t i = 1; i <= 60; i++) push(&r, MEM_READ, 0, 1, i); /* the port takes eight: fifty and more got in */
  r.sink_stops = false;
  settle(&r);
  assert_int_equal(r.n_replies, 61);
  teardown(&r);
}

/* A hit of four sectors keeps the port from 11 to 15: a miss behind it looks up the tags at 12, or at 15. */
static void test_a_miss_may_wait_for_the_port(void **state) {
  (void)state;
  for (unsigned single = 0; single < 2; single++) {
    struct rig r;
    setup(&r, single ? SETTINGS("l2.single_port=true") : SETTINGS("l2.single_port=false"));
    llc_install_line(r.s, 0, 15);
    push(&r, MEM_READ, 0, 15, 0);
    push(&r, MEM_READ, 1, 15, 1);
    settle(&r);
    assert_int_equal(r.fetch_seen, single ? 15 + 2 : 12 + 2);
    teardown(&r);
  }
}

/* Two hits of four sectors each, answered sector by sector, with four slots for replies, of which the network takes two until `from`. The
 * second looks up the tags in the cycle in which the queue is empty, and what it waited before is counted as one wait, whatever freed
 * slots in between. */
static void test_a_request_waits_for_as_many_slots_as_it_has_replies(void **state) {
  (void)state;
  enum { FROM = 40 };
  struct rig r;
  setup(&r, SETTINGS("l2.single_port=true", "noc.reply_per_sector=true", "l2.reply_queue=4"));
  llc_install_line(r.s, 0, 15);
  llc_install_line(r.s, MEM_LINE, 15);
  push(&r, MEM_READ, 0, 15, 0);
  push(&r, MEM_READ, 1, 15, 1);
  r.sink_stops = true;
  run(&r, FROM);
  assert_int_equal(r.s->counters[LLC_HITS], 1);
  r.sink_stops = false;
  settle(&r);
  assert_int_equal(r.seen[0], FROM + 3);
  assert_int_equal(r.seen[1], FROM + 7);
  assert_int_equal(r.s->counters[LLC_STALL_REPLY], FROM + 2 - 12);
  teardown(&r);
}

/* A read or write of some sectors misses at 11; a read behind it looks up the tags when all of them have, and its fetch is seen 2 later. */
static void test_each_sector_of_a_miss_may_be_looked_up_by_itself(void **state) {
  (void)state;
  static const struct {
    enum mem_kind kind;
    uint8_t sectors;
    uint64_t next;
  } cases[] = {{MEM_READ, 15, 11 + 4}, {MEM_READ, 3, 11 + 2}, {MEM_READ, 8, 11 + 1}, {MEM_WRITE, 15, 11 + 4}};
  for (unsigned i = 0; i < 4; i++) {
    struct rig r;
    setup(&r, SETTINGS("l2.single_port=true", "l2.sector_lookups=true", "l2.miss_queue=16"));
    push(&r, cases[i].kind, 0, cases[i].sectors, 0);
    push(&r, MEM_READ, 1, 1, 1);
    settle(&r);
    assert_int_equal(r.fetch_seen, cases[i].next + 2);
    teardown(&r);
  }
}

/* A write that evicts a dirty line keeps the port for its 4 sectors, then 3 sectors of its own are looked up. */
static void test_the_sectors_of_a_write_follow_what_it_evicts(void **state) {
  (void)state;
  for (unsigned apart = 0; apart < 2; apart++) {
    struct rig r;
    setup(&r, SETTINGS("l2.single_port=true", apart ? "l2.sector_lookups=true" : "l2.sector_lookups=false", "l2.sets=1", "l2.ways=1"));
    push(&r, MEM_WRITE, 0, 15, 0);
    settle(&r);
    uint64_t looked_up = cycle(&r) + 11;
    push(&r, MEM_WRITE, 1, 15, 1);
    push(&r, MEM_WRITE, 1, 15, 2); /* hits; its acknowledgement is seen 2 cycles after it has looked up the tags */
    settle(&r);
    assert_int_equal(r.writebacks, 1);
    assert_int_equal(r.seen[2] - looked_up, (apart ? 4 + 3 : 4) + 2);
    teardown(&r);
  }
}

static void push_constant(struct rig *r, uint64_t line, uint8_t sectors, uint32_t owner) {
  push(r, MEM_READ, line, sectors, owner);
  r->s->in.ring[(r->s->in.head + r->s->in.count - 1) % r->s->in.capacity].k->class_ = MEM_CONST;
}

/* The first read of a pair fetches its first sector and is answered with both, and so is one that comes meanwhile; the next fetches the
 * second, and then both are there. */
static void test_pairs_of_constants_may_be_fetched_in_two_turns(void **state) {
  (void)state;
  struct rig r;
  setup(&r, SETTINGS("l2.constant_pairs=true"));
  r.dram_delay = 40;
  push_constant(&r, 0, 12, 0);
  push_constant(&r, 0, 12, 1);
  settle(&r);
  assert_int_equal(r.fetches, 1);
  assert_int_equal(r.fetched, 4);
  assert_int_equal(r.sectors[0], 12);
  assert_int_equal(r.sectors[1], 12);
  push_constant(&r, 0, 12, 2);
  settle(&r);
  assert_int_equal(r.fetches, 2);
  assert_int_equal(r.fetched, 8);
  assert_int_equal(r.sectors[2], 12);
  push_constant(&r, 0, 12, 3);
  settle(&r);
  assert_int_equal(r.fetches, 2);
  assert_true(r.l2_hit[3]);
  teardown(&r);
}

/* What is no constant comes whole, and so do constants without the key. */
static void test_other_reads_fetch_pairs_at_once(void **state) {
  (void)state;
  for (unsigned constant = 0; constant < 2; constant++) {
    struct rig r;
    setup(&r, constant ? SETTINGS("l2.constant_pairs=false") : SETTINGS("l2.constant_pairs=true"));
    (constant ? push_constant(&r, 0, 3, 0) : push(&r, MEM_READ, 0, 3, 0));
    settle(&r);
    assert_int_equal(r.fetched, 3);
    teardown(&r);
  }
}

static void test_each_sector_may_be_fetched_by_itself(void **state) {
  (void)state;
  struct rig r;
  setup(&r, SETTINGS("l2.fetch_per_sector=true"));
  r.dram_delay = 20;
  push(&r, MEM_READ, 0, 13, 0);
  settle(&r);
  assert_int_equal(r.fetches, 3);
  assert_int_equal(stat(&r, LLC_FETCHES), 3);
  assert_int_equal(r.n_replies, 1);
  teardown(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_write_that_misses_goes_to_dram_and_fetches),
      cmocka_unit_test(test_writes_to_a_line_on_its_way_go_to_dram_each),
      cmocka_unit_test(test_a_write_beside_a_sector_on_its_way),
      cmocka_unit_test(test_upper_halves_may_go_to_the_next_line),
      cmocka_unit_test(test_a_sector_may_be_taken_for_full),
      cmocka_unit_test(test_which_copies_are_installed),
      cmocka_unit_test(test_textures_may_pass_the_latency),
      cmocka_unit_test(test_the_latency_may_hold_any_number),
      cmocka_unit_test(test_a_miss_may_wait_for_the_port),
      cmocka_unit_test(test_a_request_waits_for_as_many_slots_as_it_has_replies),
      cmocka_unit_test(test_each_sector_of_a_miss_may_be_looked_up_by_itself),
      cmocka_unit_test(test_the_sectors_of_a_write_follow_what_it_evicts),
      cmocka_unit_test(test_pairs_of_constants_may_be_fetched_in_two_turns),
      cmocka_unit_test(test_other_reads_fetch_pairs_at_once),
      cmocka_unit_test(test_each_sector_may_be_fetched_by_itself),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
