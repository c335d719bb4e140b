/* A slice of L2: the order in which observers are told, when hits and misses are answered, what is fetched, and what requests
 * wait for (llc_rig.h). */
#include "llc_rig.h"

/* ---- observers ---- */

static void log_request(void *log, const struct mem_packet *k, uint64_t now) {
  (void)now;
  str_add(log, "r%u ", k->owner);
}
static void log_lookup(void *log, const struct mem_seen_lookup *l) {
  str_add(log, "%c%u.%u ", "hpm"[l->result == MEM_SEEN_HIT ? 0 : l->result == MEM_SEEN_MERGED ? 1 : 2], l->k->owner, l->set);
}
static void log_answer(void *log, const struct mem_packet *k) { str_add(log, "%s%u ", k->kind == MEM_READ ? "a" : "w", k->owner); }
static void log_again(void *log, const struct mem_seen_lookup *l) { str_add(log, "(%u) ", l->k->owner); }

/* A miss, a read merged with it, a hit, a write to another set: each is seen when it leaves the input, at the tags with what it found
 * and its set, and as it is answered. Who was added first is notified first, and of nothing that it does not want. */
static void test_observers_see_requests_lookups_and_answers_in_order(void **state) {
  static const struct mem_observer all = {.request = log_request, .lookup = log_lookup, .answer = log_answer};
  static const struct mem_observer some = {.lookup = log_again};
  struct rig r;
  struct str log = {0};
  (void)state;
  setup(&r, NULL);
  mem_observers_add(&r.s->observers, &all, &log);
  mem_observers_add(&r.s->observers, &some, &log);
  push(&r, MEM_READ, 0, 1, 0);
  push(&r, MEM_READ, 0, 1, 1);
  settle(&r);
  push(&r, MEM_READ, 0, 1, 2);
  settle(&r);
  push(&r, MEM_WRITE, 1, 1, 3);
  settle(&r);
  assert_string_equal(log.s, "r0 r1 m0.0 (0) p1.0 (1) a0 a1 r2 h2.0 (2) a2 r3 m3.1 (3) w3 ");
  str_free(&log);
  teardown(&r);
}

/* ---- times ---- */

/* Sixteen slices, 20 cycles on average and up to 8 more or less, evenly; one as far as the other without a spread. */
static void test_slices_are_near_and_far(void **state) {
  (void)state;
  static const char *const settings[] = {"l2.hit_spread=8", "l2.hit_spread=0"};
  for (unsigned v = 0; v < 2; v++) {
    struct cfg *cfg = memtest_cfg(SETTINGS("dram.map=modulo", "dram.channels=8", "l2.slices_per_channel=2", "l2.hit_latency=20",
                                           settings[v]));
    struct err e = {0};
    struct mem_map *map = mem_map_new(cfg, &e);
    uint64_t seen[64] = {0};
    for (unsigned id = 0; id < 16; id++) {
      struct llc_config c;
      assert_true(llc_config_read(&c, cfg, &(struct llc_place){.id = id, .period = PERIOD, .map = map, .sms = SMS}, &e));
      seen[c.hit_latency / PERIOD]++;
    }
    for (uint64_t t = 0; t < 64; t++) assert_int_equal(seen[t], v ? 16 * (t == 20) : t >= 12 && t < 28);
    assert_true(cfg_set(cfg, "l2.hit_spread=20", &e));
    struct llc_config c;
    assert_false(llc_config_read(&c, cfg, &(struct llc_place){.period = PERIOD, .map = map, .sms = SMS}, &e));
    assert_non_null(strstr(e.text, "l2.hit_spread"));
    mem_map_delete(map);
    cfg_delete(cfg);
  }
}

/* Seen by the slice at 1, tags at 11, data from 12 on: 32 bytes a cycle; the sink sees it a cycle later. */
static void test_hit_latency_to_the_cycle(void **state) {
  (void)state;
  for (unsigned sectors = 1; sectors < 16; sectors += 14) {
    struct rig r;
    uint64_t expected = 1 + 10 + 1 + (sectors == 15 ? 3 : 0) + 1;
    setup(&r, NULL);
    llc_install_line(r.s, 0, 15);
    push(&r, MEM_READ, 0, (uint8_t)sectors, 0);
    run(&r, (unsigned)expected);
    assert_int_equal(r.n_replies, 0);
    step(&r);
    assert_int_equal(r.n_replies, 1);
    assert_int_equal(r.seen[0], expected);
    assert_int_equal(r.kind[0], MEM_READ_REPLY);
    assert_true(r.l2_hit[0]);
    assert_int_equal(stat(&r, LLC_HITS), 1);
    assert_int_equal(stat(&r, LLC_REPLY_BYTES), sectors == 15 ? 128 : 32);
    assert_int_equal(stat(&r, LLC_INPUT_WAIT), 1);
    assert_int_equal(stat(&r, LLC_LATENCY), expected - 1 - 1); /* taken at 1, sent a cycle before it is seen */
    teardown(&r);
  }
}

static void test_a_line_can_come_back_sector_by_sector(void **state) {
  (void)state;
  struct rig r;
  setup(&r, SETTINGS("noc.reply_per_sector=true"));
  llc_install_line(r.s, 0, 15);
  push(&r, MEM_READ, 0, 15, 0);
  run(&r, 14);
  for (unsigned i = 1; i <= 4; i++, step(&r)) {
    assert_int_equal(r.n_replies, i);
    assert_int_equal(r.sectors[0], (1 << i) - 1);
  }
  assert_int_equal(stat(&r, LLC_REPLY_BYTES), 128);
  settle(&r);
  teardown(&r);
}

/* Of a line that takes the port for four cycles: 8 bytes of each of three sectors go through it in one, and 24 through the network. */
static void test_a_reply_may_carry_what_was_asked_for_and_no_more(void **state) {
  (void)state;
  static const struct mem_bytes some = {{0xffull << 32 | 0xff, 0xff}};
  for (int exact = 0; exact < 2; exact++) {
    struct rig r;
    setup(&r, SETTINGS(exact ? "noc.reply_exact=true" : "noc.reply_exact=false"));
    llc_install_line(r.s, 0, 15);
    push_bytes(&r, MEM_READ, 0, some, 0);
    settle(&r);
    assert_int_equal(stat(&r, LLC_REPLY_BYTES), exact ? 24 : 96);
    assert_int_equal(r.seen[0], exact ? 13 : 15);
    teardown(&r);
  }
}

/* Tags at 11; the fetch leaves at 12 and is seen at 13; DRAM pushes at 13 + 20, the slice sees it at 34,
 * sends the first data a cycle later, the last of four at 38. */
static void test_miss_latency_to_the_cycle(void **state) {
  (void)state;
  struct rig r;
  setup(&r, NULL);
  r.dram_delay = 20;
  push(&r, MEM_READ, 3, 15, 0);
  settle(&r);
  assert_int_equal(r.fetch_seen, 13);
  assert_int_equal(r.fetched, 15);
  assert_int_equal(r.seen[0], 13 + 20 + 1 + 1 + 3 + 1);
  assert_false(r.l2_hit[0]);
  assert_int_equal(stat(&r, LLC_MISSES), 1);
  assert_int_equal(stat(&r, LLC_FILLS), 1);
  assert_int_equal(stat(&r, LLC_LATENCY), 38 - 1);
  teardown(&r);
}

/* Each access by what it is: a hit, a read that misses, a write of a whole line that is not there, an atomic on
 * the first, which brings and takes a sector. */
static void test_counts_accesses_by_kind(void **state) {
  (void)state;
  struct rig r;
  setup(&r, NULL);
  llc_install_line(r.s, 0, 15);
  push(&r, MEM_READ, 0, 1, 0);
  push(&r, MEM_READ, 2, 3, 1);
  push(&r, MEM_WRITE, 1, 15, 2);
  push_bytes(&r, MEM_ATOMIC, 0, (struct mem_bytes){{0xf, 0}}, 3);
  settle(&r);
  assert_int_equal(stat(&r, LLC_ACCESSES), 4);
  assert_int_equal(stat(&r, LLC_READS), 2);
  assert_int_equal(stat(&r, LLC_WRITES), 1);
  assert_int_equal(stat(&r, LLC_ATOMICS), 1);
  assert_int_equal(stat(&r, LLC_HITS), 2);
  assert_int_equal(stat(&r, LLC_READ_MISSES), 1);
  assert_int_equal(stat(&r, LLC_WRITE_MISSES), 1);
  assert_int_equal(stat(&r, LLC_WRITE_BYTES), 128 + MEM_SECTOR);
  assert_int_equal(stat(&r, LLC_FETCHES), 1);
  assert_int_equal(stat(&r, LLC_FILLS), 1);
  assert_int_equal(stat(&r, LLC_REPLIES), 4);
  assert_int_equal(stat(&r, LLC_REPLY_BYTES), 32 + 64 + MEM_SECTOR);
  teardown(&r);
}

/* Hits to whole lines leave the data port busy for four cycles each. */
static void test_data_port_limits_hits(void **state) {
  (void)state;
  struct rig r;
  setup(&r, NULL);
  llc_install_line(r.s, 0, 15);
  for (uint32_t i = 0; i < 20; i++) push(&r, MEM_READ, 0, 15, i);
  settle(&r);
  assert_int_equal(r.seen[19] - r.seen[9], 40);
  assert_int_equal(stat(&r, LLC_STALL_DATA_PORT), 19 * 3);
  teardown(&r);
}

/* 96 bytes through a port of 64: two reads after each other take three cycles, not four. */
static void test_reads_share_a_cycle_of_the_data_port(void **state) {
  (void)state;
  struct rig r;
  setup(&r, SETTINGS("l2.data_bytes=64"));
  llc_install_line(r.s, 0, 15);
  for (uint32_t i = 0; i < 20; i++) push(&r, MEM_READ, 0, 7, i);
  settle(&r);
  assert_int_equal(r.seen[19] - r.seen[9], 5 * 3);
  teardown(&r);
}

/* Data of a miss takes the port from 34 to 38 (test_miss_latency_to_the_cycle): a hit that comes to the tags at 34 waits. */
static void test_misses_and_hits_share_the_data_port(void **state) {
  (void)state;
  struct rig r;
  setup(&r, NULL);
  llc_install_line(r.s, 0, 15);
  r.dram_delay = 20;
  push(&r, MEM_READ, 1, 15, 0);
  run(&r, 23);
  push(&r, MEM_READ, 0, 15, 1);
  settle(&r);
  assert_int_equal(r.seen[0], 39);
  assert_int_equal(r.seen[1], 38 + 1 + 3 + 1);
  assert_int_equal(stat(&r, LLC_STALL_DATA_PORT), 4);
  teardown(&r);
}

static void test_one_sector_hits_go_at_one_a_cycle(void **state) {
  (void)state;
  struct rig r;
  setup(&r, NULL);
  llc_install_line(r.s, 0, 15);
  for (uint32_t i = 0; i < 40; i++) {
    push(&r, MEM_READ, 0, 1, i);
    step(&r);
  }
  settle(&r);
  assert_int_equal(r.seen[39] - r.seen[9], 30);
  teardown(&r);
}

static void test_sleeps_through_its_latency(void **state) {
  (void)state;
  struct rig r;
  setup(&r, NULL);
  llc_install_line(r.s, 0, 15);
  push(&r, MEM_READ, 0, 1, 0);
  run(&r, 100);
  /* Taken in, looked up, sent. */
  assert_int_equal(r.visits, 3);
  assert_int_equal(r.s->wake.at, MEM_NEVER);
  teardown(&r);
}

/* ---- misses ---- */

static void test_merges_a_second_miss_to_the_same_line(void **state) {
  (void)state;
  struct rig r;
  setup(&r, NULL);
  r.dram_delay = 50;
  push(&r, MEM_READ, 0, 3, 0);
  push(&r, MEM_READ, 0, 2, 1);
  settle(&r);
  assert_int_equal(r.fetches, 1);
  assert_int_equal(r.n_replies, 2);
  assert_int_equal(stat(&r, LLC_PENDING_HITS), 1);
  assert_int_equal(stat(&r, LLC_MISSES), 1);
  teardown(&r);
}

static void test_fetches_only_the_sectors_that_are_missing(void **state) {
  (void)state;
  struct rig r;
  setup(&r, NULL);
  r.dram_delay = 50;
  push(&r, MEM_READ, 0, 1, 0);
  push(&r, MEM_READ, 0, 7, 1);
  run(&r, 20);
  assert_int_equal(r.fetches, 2);
  assert_int_equal(r.fetched, 6);
  push(&r, MEM_READ, 0, 15, 2);
  settle(&r);
  assert_int_equal(r.fetched, 8);
  assert_int_equal(stat(&r, LLC_FETCHED_SECTORS), 4);
  assert_int_equal(stat(&r, LLC_SECTOR_MISSES), 2);
  teardown(&r);
}

/* A lone sector brings its neighbour of the same 64 bytes with it, unless that is here; sectors are counted one by one. */
static void test_fetches_pieces_of_so_many_bytes(void **state) {
  (void)state;
  struct rig r;
  setup(&r, SETTINGS("l2.fetch_bytes=64"));
  push(&r, MEM_READ, 0, 1, 0);
  settle(&r);
  assert_int_equal(r.fetched, 3);
  push(&r, MEM_READ, 0, 2, 1);
  settle(&r);
  assert_int_equal(r.fetches, 1);
  push(&r, MEM_READ, 0, 6, 2); /* one is here, one brings another */
  settle(&r);
  assert_int_equal(r.fetched, 12);
  assert_int_equal(stat(&r, LLC_SECTORS), 4);
  assert_int_equal(stat(&r, LLC_SECTORS_HIT), 2);
  push(&r, MEM_WRITE, 128 * 64, 3, 3);
  settle(&r);
  assert_int_equal(stat(&r, LLC_SECTORS), 6);
  assert_int_equal(stat(&r, LLC_SECTORS_HIT), 4);
  teardown(&r);
}

/* As Nsight Compute counts: whoever first names a sector that is on its way only because its neighbour was asked for has missed it. */
static void test_counts_the_first_request_for_a_pending_neighbour_as_a_miss(void **state) {
  (void)state;
  struct rig r;
  setup(&r, SETTINGS("l2.fetch_bytes=64"));
  push(&r, MEM_READ, 0, 1, 0);
  push(&r, MEM_READ, 0, 2, 1);
  push(&r, MEM_READ, 0, 3, 2);
  settle(&r);
  assert_int_equal(r.fetches, 1);
  assert_int_equal(stat(&r, LLC_SECTORS), 4);
  assert_int_equal(stat(&r, LLC_SECTORS_HIT), 2);
  push(&r, MEM_READ, 0, 3, 3);
  settle(&r);
  assert_int_equal(stat(&r, LLC_SECTORS_HIT), 4);
  teardown(&r);
}

/* Code and constants come past L1. */
static void test_counts_no_sectors_of_code_and_constants(void **state) {
  (void)state;
  static const enum mem_class classes[] = {MEM_INSTRUCTION, MEM_CONST, MEM_TEXTURE};
  struct rig r;
  setup(&r, SETTINGS("l2.fetch_bytes=64"));
  for (unsigned i = 0; i < 3; i++) {
    push(&r, MEM_READ, 128 * i, 3, i);
    r.s->in.ring[(r.s->in.head + r.s->in.count - 1) % r.s->in.capacity].k->class_ = (uint8_t)classes[i];
    settle(&r);
  }
  assert_int_equal(stat(&r, LLC_READS), 3);
  assert_int_equal(stat(&r, LLC_SECTORS), 2);
  assert_int_equal(stat(&r, LLC_SECTORS_HIT), 0);
  teardown(&r);
}

static void test_fetches_whole_lines_when_not_sectored(void **state) {
  (void)state;
  struct rig r;
  setup(&r, SETTINGS("l2.sectored=false"));
  push(&r, MEM_READ, 0, 1, 0);
  settle(&r);
  assert_int_equal(r.fetched, 15);
  push(&r, MEM_READ, 0, 8, 1);
  settle(&r);
  assert_int_equal(r.fetches, 1);
  assert_int_equal(stat(&r, LLC_HITS), 1);
  teardown(&r);
}

/* A hit to a valid sector does not wait for the others. */
static void test_hits_a_valid_sector_of_a_pending_line(void **state) {
  (void)state;
  struct rig r;
  setup(&r, NULL);
  llc_install_line(r.s, 0, 1);
  r.dram_delay = 500;
  push(&r, MEM_READ, 0, 2, 0);
  push(&r, MEM_READ, 0, 1, 1);
  run(&r, 30);
  assert_int_equal(r.n_replies, 1);
  assert_int_equal(r.replies[1], 1);
  settle(&r);
  teardown(&r);
}

/* ---- what requests wait for ---- */

/* A write to a line whose other sector is on its way from DRAM, and a hit behind it: at once, or when the data have come. */
static void test_writes_may_wait_for_data_of_their_line(void **state) {
  (void)state;
  for (int held = 0; held < 2; held++) {
    struct rig r;
    setup(&r, SETTINGS(held ? "l2.hold_writes=true" : "l2.hold_writes=false"));
    llc_install_line(r.s, 128, 15);
    r.dram_delay = 500;
    push(&r, MEM_READ, 0, 2, 0);
    push(&r, MEM_WRITE, 0, 1, 1);
    push(&r, MEM_READ, 1, 1, 2);
    run(&r, 60);
    assert_int_equal(r.n_replies, held ? 0 : 2);
    settle(&r);
    assert_int_equal(r.n_replies, 3);
    if (held) assert_in_range(stat(&r, LLC_STALL_MERGE), 450, 520);
    teardown(&r);
  }
}

/* Four SMs want one line, which takes the data port once: the first answer is seen when it would be alone, the others one a
 * cycle after it; a fifth and another line take their own turns. */
static void test_reads_of_several_sms_share_an_access(void **state) {
  (void)state;
  struct rig r;
  uint64_t alone = 1 + 10 + 1 + 3 + 1;
  setup(&r, SETTINGS("l2.coalesce=4"));
  llc_install_line(r.s, 0, 15);
  llc_install_line(r.s, 128, 15);
  for (unsigned sm = 0; sm < 5; sm++) push_from(&r, sm, 0, 15, sm);
  push_from(&r, 5, 1, 15, 5);
  settle(&r);
  for (unsigned sm = 0; sm < 4; sm++) assert_in_range(r.seen[sm], alone, alone + 3);
  assert_int_equal(r.seen[4], alone + 4);
  assert_int_equal(r.seen[5], alone + 8);
  for (unsigned i = 0; i < 6; i++) assert_int_equal(r.sectors[i], 15);
  assert_int_equal(stat(&r, LLC_ACCESSES), 3);
  assert_int_equal(stat(&r, LLC_COALESCED), 3);
  assert_int_equal(stat(&r, LLC_REPLIES), 6);
  teardown(&r);
}

/* A network that copies gets one reply for all; here the sink is that network. */
static void test_one_reply_leaves_for_all_where_the_network_copies(void **state) {
  (void)state;
  struct rig r;
  setup(&r, SETTINGS("l2.coalesce=4"));
  r.s->copies = true;
  r.sink_stops = true;
  llc_install_line(r.s, 0, 15);
  for (unsigned sm = 0; sm < 3; sm++) push_from(&r, sm, 0, sm == 2 ? 4 : 15, sm);
  run(&r, 30);
  assert_int_equal(r.reply.count, 1);
  struct mem_packet *k = mem_port_pop(&r.reply, r.now), *second = k->followers, *third = second->followers;
  assert_int_equal(k->sm, 0);
  assert_int_equal(second->sm, 1);
  assert_int_equal(second->kind, MEM_READ_REPLY);
  assert_int_equal(second->payload, 128);
  assert_int_equal(third->payload, 32);
  assert_true(third->l2_hit);
  assert_null(third->followers);
  /* The first is taken at 1, the others at 2; all are sent at 15. */
  assert_int_equal(stat(&r, LLC_LATENCY), 14 + 13 + 13);
  mem_packet_free(r.pool, k);
  mem_packet_free(r.pool, second);
  mem_packet_free(r.pool, third);
  teardown(&r);
}

/* The first half of the SMs is near to slice 0, the second is not: what an SM of it has read from the other partition is near
 * to all of them afterwards. */
static void half_are_far(const char *latency, unsigned cycles) {
  for (unsigned sm = 0; sm < SMS; sm++) {
    struct rig r;
    setup(&r, SETTINGS("l2.partitions=2", latency));
    llc_install_line(r.s, 0, 15);
    push_from(&r, sm, 0, 1, 0);
    settle(&r);
    push_from(&r, SMS - 1, 0, 1, 1);
    uint64_t second = cycle(&r);
    settle(&r);
    bool far = sm >= SMS / 2;
    assert_int_equal(stat(&r, LLC_FAR), 1);
    assert_int_equal(r.seen[0], 1 + 10 + 1 + 1 + (far ? cycles : 0));
    assert_int_equal(r.seen[1] - second, 1 + 10 + 1 + 1 + (far ? 0 : cycles));
    teardown(&r);
  }
}

static void test_half_of_the_sms_are_far(void **state) {
  (void)state;
  half_are_far("l2.far_latency=50", 50);
  half_are_far("l2.far_latency=1", 1);
  half_are_far("l2.far_latency=0", 1);
}

/* Reads join one whose data is still in DRAM, but none whose data has left the slice. */
static void test_reads_join_a_miss_until_it_is_answered(void **state) {
  (void)state;
  struct rig r;
  setup(&r, SETTINGS("l2.coalesce=4"));
  r.dram_delay = 100;
  push_from(&r, 0, 0, 15, 0);
  run(&r, 80);
  push_from(&r, 1, 0, 15, 1);
  settle(&r);
  assert_int_equal(stat(&r, LLC_COALESCED), 1);
  push_from(&r, 2, 0, 15, 2);
  settle(&r);
  assert_int_equal(stat(&r, LLC_COALESCED), 1);
  assert_int_equal(stat(&r, LLC_ACCESSES), 2);
  assert_int_equal(r.fetches, 1);
  assert_false(r.l2_hit[1]);
  assert_true(r.l2_hit[2]);
  teardown(&r);
}

/* The first half of the SMs is a group, the second another. */
static void test_reads_join_within_their_group(void **state) {
  (void)state;
  for (unsigned sm = SMS / 2 - 1; sm <= SMS / 2; sm++) {
    struct rig r;
    setup(&r, SETTINGS("l2.coalesce=4", "l2.coalesce_groups=2"));
    r.dram_delay = 100;
    push_from(&r, 0, 0, 15, 0);
    run(&r, 80);
    push_from(&r, sm, 0, 15, 1);
    settle(&r);
    assert_int_equal(stat(&r, LLC_COALESCED), sm < SMS / 2);
    teardown(&r);
  }
}

/* Lines of one of the four sets, which has two ways: the last one of those copied stays, or the last two. */
static void test_copies_fill_some_ways_only(void **state) {
  (void)state;
  for (unsigned one = 0; one < 2; one++) {
    struct rig r;
    setup(&r, SETTINGS(one ? "l2.copy_ways=1" : "l2.copy_ways=0"));
    for (unsigned i = 0; i < 3; i++) llc_install_line(r.s, i * 4 * MEM_LINE, 15);
    push(&r, MEM_READ, 2 * 4, 15, 0);
    push(&r, MEM_READ, 1 * 4, 15, 1);
    settle(&r);
    assert_int_equal(stat(&r, LLC_HITS), one ? 1 : 2);
    teardown(&r);
  }
}

/* One far request at a time: the second, at the tags at 12, sets out when the first has crossed, at 11 + 50. */
static void test_waits_for_a_far_request_to_cross(void **state) {
  (void)state;
  struct rig r;
  setup(&r, SETTINGS("l2.partitions=2", "l2.far_latency=50", "l2.far_queue=1"));
  llc_install_line(r.s, 0, 15);
  llc_install_line(r.s, 128, 15);
  push_from(&r, SMS - 1, 0, 1, 0);
  push_from(&r, SMS - 1, 1, 1, 1);
  settle(&r);
  assert_int_equal(stat(&r, LLC_STALL_FAR), 61 - 12);
  assert_int_equal(stat(&r, LLC_FAR), 2);
  teardown(&r);
}

static void reads_of_lines(struct rig *r, unsigned n, uint64_t stride) {
  for (uint32_t i = 0; i < n; i++) push(r, MEM_READ, i * stride, 15, i);
}

/* Six reads, DRAM's answers 100 cycles away. The first two go at 11 and 12; the third waits from 13 until the first one's data comes
 * at 114 (its fetch is seen at 13). */
static void expect_stall(const char *const *settings, enum llc_stat why, uint64_t stride, uint64_t cycles) {
  struct rig r;
  setup(&r, settings);
  r.dram_delay = 100;
  reads_of_lines(&r, 6, stride);
  settle(&r);
  assert_int_equal(r.n_replies, 6);
  assert_int_equal(stat(&r, why), cycles);
  teardown(&r);
}

/* The second's data is filled at 118, after the four cycles of the first: the fourth waits three cycles. The third's comes at 217
 * for the fifth, which waits from 119; the sixth again three. */
enum { SIX_BY_TWOS = 101 + 3 + 98 + 3 };

static void test_waits_for_an_mshr(void **state) {
  (void)state;
  expect_stall(SETTINGS("l2.mshrs=2", "l2.ways=8"), LLC_STALL_MSHR, 1, SIX_BY_TWOS);
}
static void test_waits_for_a_place_in_its_mshr(void **state) {
  (void)state;
  expect_stall(SETTINGS("l2.mshr_merge=2"), LLC_STALL_MERGE, 0, 101);
}
static void test_waits_for_a_line_that_is_not_reserved(void **state) {
  (void)state;
  expect_stall(SETTINGS("l2.mshrs=64"), LLC_STALL_LINE, 4, SIX_BY_TWOS);
}

static void test_waits_for_a_free_slot_towards_dram(void **state) {
  (void)state;
  struct rig r;
  setup(&r, SETTINGS("l2.miss_queue=2", "l2.ways=8"));
  r.dram_stops = true;
  reads_of_lines(&r, 8, 1);
  run(&r, 100);
  assert_int_equal(r.s->wake.at, MEM_NEVER);
  struct str s = {0};
  llc_explain(r.s, r.now, &s);
  assert_non_null(strstr(s.s, "a free slot in the miss queue towards DRAM"));
  str_free(&s);
  r.dram_stops = false;
  settle(&r);
  /* At 15 two fetches are in the port, two in the queue; DRAM takes one at 100, the fifth goes at 101. */
  assert_int_equal(stat(&r, LLC_STALL_MISS_QUEUE), 101 - 15);
  assert_int_equal(r.n_replies, 8);
  teardown(&r);
}

static void test_waits_for_a_free_slot_towards_the_network(void **state) {
  (void)state;
  struct rig r;
  setup(&r, SETTINGS("l2.reply_queue=4"));
  llc_install_line(r.s, 0, 15);
  r.sink_stops = true;
  for (uint32_t i = 0; i < 8; i++) push(&r, MEM_READ, 0, 1, i);
  run(&r, 100);
  assert_int_equal(r.s->wake.at, MEM_NEVER);
  r.sink_stops = false;
  settle(&r);
  /* Two replies in the port, four in the queue: the seventh waits from 17 until the cycle after one is taken at 100. */
  assert_int_equal(stat(&r, LLC_STALL_REPLY), 101 - 17);
  assert_int_equal(r.n_replies, 8);
  teardown(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_observers_see_requests_lookups_and_answers_in_order),
      cmocka_unit_test(test_hit_latency_to_the_cycle),
      cmocka_unit_test(test_slices_are_near_and_far),
      cmocka_unit_test(test_a_line_can_come_back_sector_by_sector),
      cmocka_unit_test(test_a_reply_may_carry_what_was_asked_for_and_no_more),
      cmocka_unit_test(test_miss_latency_to_the_cycle),
      cmocka_unit_test(test_data_port_limits_hits),
      cmocka_unit_test(test_counts_accesses_by_kind),
      cmocka_unit_test(test_reads_share_a_cycle_of_the_data_port),
      cmocka_unit_test(test_misses_and_hits_share_the_data_port),
      cmocka_unit_test(test_reads_join_within_their_group),
      cmocka_unit_test(test_copies_fill_some_ways_only),
      cmocka_unit_test(test_waits_for_a_far_request_to_cross),
      cmocka_unit_test(test_one_sector_hits_go_at_one_a_cycle),
      cmocka_unit_test(test_sleeps_through_its_latency),
      cmocka_unit_test(test_merges_a_second_miss_to_the_same_line),
      cmocka_unit_test(test_fetches_only_the_sectors_that_are_missing),
      cmocka_unit_test(test_fetches_pieces_of_so_many_bytes),
      cmocka_unit_test(test_counts_the_first_request_for_a_pending_neighbour_as_a_miss),
      cmocka_unit_test(test_counts_no_sectors_of_code_and_constants),
      cmocka_unit_test(test_fetches_whole_lines_when_not_sectored),
      cmocka_unit_test(test_hits_a_valid_sector_of_a_pending_line),
      cmocka_unit_test(test_writes_may_wait_for_data_of_their_line),
      cmocka_unit_test(test_reads_of_several_sms_share_an_access),
      cmocka_unit_test(test_one_reply_leaves_for_all_where_the_network_copies),
      cmocka_unit_test(test_half_of_the_sms_are_far),
      cmocka_unit_test(test_reads_join_a_miss_until_it_is_answered),
      cmocka_unit_test(test_waits_for_an_mshr),
      cmocka_unit_test(test_waits_for_a_place_in_its_mshr),
      cmocka_unit_test(test_waits_for_a_line_that_is_not_reserved),
      cmocka_unit_test(test_waits_for_a_free_slot_towards_dram),
      cmocka_unit_test(test_waits_for_a_free_slot_towards_the_network),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
