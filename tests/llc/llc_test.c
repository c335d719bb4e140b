/* One L2 slice between a mock sender, a mock reply sink and a mock DRAM. A cycle is 2 ticks. Times in
 * comments are cycles: a packet pushed at c is seen at c + 1. */
#include "memtest.h"

#include "llc/llc_config.h"

enum { PERIOD = 2, MAX = 20000, LINES = 64, SMS = 8 };

struct rig {
  struct mem_map *map;
  struct mem_pool *pool;
  struct llc_slice *s;
  struct mem_wake sm, dram;
  struct mem_port reply, mem;
  uint64_t now, visits;
  /* The mock DRAM answers `dram_delay` cycles after it sees a fetch. */
  uint64_t dram_delay;
  struct mem_packet *waiting[MAX];
  uint64_t ready[MAX];
  unsigned first, last;
  bool dram_stops, sink_stops;
  /* What was seen. */
  uint64_t fetch_seen, fetches, writes;
  uint8_t fetched;
  unsigned writebacks;
  struct mem_bytes written_back[LINES], last_written_back;
  uint64_t seen[MAX];
  uint8_t sectors[MAX], kind[MAX];
  uint32_t replies[MAX], n_replies;
  bool l2_hit[MAX];
};

static uint64_t cycle(const struct rig *r) { return r->now / PERIOD; }

static void setup(struct rig *r, const char *const *settings) {
  static const char *const base[] = {"dram.map=modulo", "dram.channels=1", "l2.slices_per_channel=1",
                                     "l2.sets=4",       "l2.ways=2",       "l2.latency=10"};
  const char *all[32] = {0};
  struct err e = {0};
  memcpy(all, base, sizeof base);
  for (size_t i = 0; settings && settings[i]; i++) all[6 + i] = settings[i];
  struct cfg *cfg = memtest_cfg(all);
  memset(r, 0, sizeof *r);
  r->map = mem_map_new(cfg, &e);
  r->pool = mem_pool_new();
  r->s = llc_slice_new(cfg, &(struct llc_place){.period = PERIOD, .map = r->map, .pool = r->pool, .sms = SMS}, &e);
  if (!r->s) fail_msg("%s", e.text);
  cfg_delete(cfg);
  r->sm = r->dram = (struct mem_wake){.at = MEM_NEVER, .period = PERIOD};
  mem_port_init(&r->reply, 2, 1, &r->sm, NULL);
  mem_port_init(&r->mem, 2, 1, &r->dram, NULL);
  llc_connect(r->s, &r->reply, &r->mem);
  r->s->in.producer = &r->sm;
  r->s->fill.producer = &r->dram;
}

static void teardown(struct rig *r) {
  struct err e = {0};
  if (!llc_check(r->s, &e)) fail_msg("%s", e.text);
  assert_true(llc_idle(r->s));
  assert_int_equal(mem_pool_out(r->pool), 0);
  llc_slice_delete(r->s);
  mem_map_delete(r->map);
  mem_port_free(&r->reply);
  mem_port_free(&r->mem);
  mem_pool_delete(r->pool);
}

static void visit(struct rig *r) {
  if (r->s->wake.at > r->now) return;
  r->s->wake.at = MEM_NEVER;
  r->visits++;
  mem_wake_at(&r->s->wake, llc_tick(r->s, r->now));
}

static void sink(struct rig *r) {
  struct mem_packet *k = r->sink_stops ? NULL : mem_port_peek(&r->reply, r->now);
  if (!k) return;
  mem_port_pop(&r->reply, r->now);
  assert_int_equal(r->sectors[k->owner] & k->sectors, 0);
  r->sectors[k->owner] |= k->sectors;
  r->kind[k->owner] = k->kind;
  r->seen[k->owner] = cycle(r);
  r->l2_hit[k->owner] = k->l2_hit;
  r->replies[k->owner]++;
  r->n_replies++;
  mem_packet_free(r->pool, k);
}

static void dram(struct rig *r) {
  if (r->first < r->last && r->ready[r->first] <= r->now && mem_port_free_slots(&r->s->fill, r->now)) {
    struct mem_packet *f = r->waiting[r->first];
    f->kind = f->kind == MEM_WRITE ? MEM_WRITE_ACK : MEM_READ_REPLY;
    mem_port_push(&r->s->fill, r->waiting[r->first++], r->now);
  }
  struct mem_packet *k = r->dram_stops ? NULL : mem_port_peek(&r->mem, r->now);
  if (!k) return;
  mem_port_pop(&r->mem, r->now);
  if (k->kind == MEM_WRITEBACK) {
    struct mem_bytes *b = &r->written_back[k->line / 128 % LINES];
    b->b[0] |= k->bytes.b[0];
    b->b[1] |= k->bytes.b[1];
    r->last_written_back = k->bytes;
    r->writebacks++;
    mem_packet_free(r->pool, k);
    return;
  }
  r->fetch_seen = cycle(r);
  r->fetches += k->kind == MEM_READ;
  r->writes += k->kind == MEM_WRITE;
  r->fetched = k->sectors;
  r->ready[r->last] = r->now + r->dram_delay * PERIOD;
  r->waiting[r->last++] = k;
}

static void step(struct rig *r) {
  sink(r);
  dram(r);
  visit(r);
  r->now += PERIOD;
}

static void run(struct rig *r, unsigned cycles) {
  while (cycles--) step(r);
}

static void settle(struct rig *r) {
  for (unsigned i = 0; i < 100000; i++, step(r))
    if (llc_idle(r->s) && !r->reply.count && !r->mem.count && r->first == r->last) return;
  struct str s = {0};
  llc_explain(r->s, r->now, &s);
  fail_msg("does not settle\n%s", s.s);
}

static void push_bytes(struct rig *r, enum mem_kind kind, uint64_t line, struct mem_bytes bytes,
                       uint32_t owner) {
  while (!mem_port_free_slots(&r->s->in, r->now)) step(r);
  struct mem_packet *k = memtest_packet(r->pool, kind, line * 128, 0);
  k->bytes = bytes;
  k->sectors = mem_sectors_of(bytes);
  k->owner = owner;
  k->born = r->now;
  bool atomic = kind == MEM_ATOMIC || kind == MEM_REDUCE;
  k->payload = (uint16_t)(kind == MEM_WRITE ? 128 : atomic ? MEM_SECTOR * __builtin_popcount(k->sectors) : 0);
  mem_port_push(&r->s->in, k, r->now);
}

static struct mem_bytes bytes_of(uint8_t sectors) {
  struct mem_bytes m = {{0, 0}};
  for (unsigned i = 0; i < 4; i++)
    if (sectors >> i & 1) m.b[i / 2] |= 0xffffffffull << (i % 2 * 32);
  return m;
}

static void push(struct rig *r, enum mem_kind kind, uint64_t line, uint8_t sectors, uint32_t owner) {
  push_bytes(r, kind, line, bytes_of(sectors), owner);
}

static uint64_t stat(const struct rig *r, enum llc_stat i) { return r->s->counters[i]; }

static void push_from(struct rig *r, unsigned sm, uint64_t line, uint8_t sectors, uint32_t owner) {
  push(r, MEM_READ, line, sectors, owner);
  r->s->in.ring[(r->s->in.head + r->s->in.count - 1) % r->s->in.capacity].k->sm = (uint16_t)sm;
}

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
static void test_half_of_the_sms_are_far(void **state) {
  (void)state;
  for (unsigned sm = 0; sm < SMS; sm++) {
    struct rig r;
    setup(&r, SETTINGS("l2.partitions=2", "l2.far_latency=50"));
    llc_install_line(r.s, 0, 15);
    push_from(&r, sm, 0, 1, 0);
    settle(&r);
    push_from(&r, SMS - 1, 0, 1, 1);
    uint64_t second = cycle(&r);
    settle(&r);
    bool far = sm >= SMS / 2;
    assert_int_equal(stat(&r, LLC_FAR), 1);
    assert_int_equal(r.seen[0], 1 + 10 + 1 + 1 + (far ? 50 : 0));
    assert_int_equal(r.seen[1] - second, 1 + 10 + 1 + 1 + (far ? 0 : 50));
    teardown(&r);
  }
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

/* ---- writes ---- */

static void test_a_write_never_fetches_and_is_acknowledged(void **state) {
  (void)state;
  struct rig r;
  setup(&r, NULL);
  push(&r, MEM_WRITE, 0, 15, 0);
  settle(&r);
  assert_int_equal(r.fetches, 0);
  assert_int_equal(r.kind[0], MEM_WRITE_ACK);
  assert_int_equal(r.replies[0], 1);
  assert_int_equal(stat(&r, LLC_WRITE_MISSES), 1);
  assert_int_equal(stat(&r, LLC_REPLY_BYTES), 0);
  push(&r, MEM_READ, 0, 15, 1);
  settle(&r);
  assert_int_equal(r.fetches, 0);
  assert_int_equal(stat(&r, LLC_HITS), 1);
  teardown(&r);
}

static void test_a_write_can_be_acknowledged_sector_by_sector(void **state) {
  (void)state;
  struct rig r;
  setup(&r, SETTINGS("l2.write_ack=sector"));
  push(&r, MEM_WRITE, 0, 11, 0);
  settle(&r);
  assert_int_equal(r.replies[0], 3);
  assert_int_equal(r.sectors[0], 11);
  teardown(&r);
}

/* Four bytes of sector 0 are written: reading sector 0 fetches it, and only it. */
static void test_reading_a_partly_written_sector_fetches_and_merges(void **state) {
  (void)state;
  struct rig r;
  setup(&r, NULL);
  push_bytes(&r, MEM_WRITE, 0, (struct mem_bytes){{0xf0, 0}}, 0);
  push(&r, MEM_READ, 0, 1, 1);
  settle(&r);
  assert_int_equal(r.fetches, 1);
  assert_int_equal(r.fetched, 1);
  push(&r, MEM_READ, 0, 1, 2);
  settle(&r);
  assert_int_equal(r.fetches, 1);
  /* The written bytes, and no others, are dirty. */
  llc_flush(r.s, r.now, LLC_EVERY_PROGRAM);
  settle(&r);
  assert_int_equal(r.last_written_back.b[0], 0xf0);
  assert_int_equal(r.last_written_back.b[1], 0);
  teardown(&r);
}

/* Two writes that fill a sector together make it readable. */
static void test_a_sector_written_in_parts_becomes_valid(void **state) {
  (void)state;
  struct rig r;
  setup(&r, NULL);
  push_bytes(&r, MEM_WRITE, 0, (struct mem_bytes){{0xffff, 0}}, 0);
  push_bytes(&r, MEM_WRITE, 0, (struct mem_bytes){{0xffff0000, 0}}, 1);
  push(&r, MEM_READ, 0, 1, 2);
  settle(&r);
  assert_int_equal(r.fetches, 0);
  teardown(&r);
}

static void test_evicting_a_dirty_line_writes_its_bytes_back(void **state) {
  (void)state;
  struct rig r;
  setup(&r, NULL);
  push_bytes(&r, MEM_WRITE, 0, (struct mem_bytes){{0xff, 1}}, 0);
  push(&r, MEM_READ, 4, 1, 1);
  push(&r, MEM_READ, 8, 1, 2);
  settle(&r);
  assert_int_equal(r.writebacks, 1);
  assert_int_equal(r.written_back[0].b[0], 0xff);
  assert_int_equal(r.written_back[0].b[1], 1);
  assert_int_equal(stat(&r, LLC_EVICTIONS), 1);
  teardown(&r);
}

/* ---- atomics and prefetches ---- */

/* 32 words at one a cycle: the second waits for the unit; the line becomes dirty. */
static void test_atomics_take_the_unit_in_turn(void **state) {
  (void)state;
  struct rig r;
  setup(&r, SETTINGS("l2.atomic_latency=6"));
  llc_install_line(r.s, 0, 15);
  push(&r, MEM_ATOMIC, 0, 15, 0);
  push(&r, MEM_REDUCE, 0, 1, 1);
  settle(&r);
  assert_int_equal(r.kind[0], MEM_ATOMIC_REPLY);
  assert_int_equal(r.kind[1], MEM_WRITE_ACK);
  /* Tags at 11, data at 12, 31 more words, latency 6, four cycles of data, the sink's cycle. */
  assert_int_equal(r.seen[0], 11 + 1 + 31 + 6 + 3 + 1);
  assert_int_equal(r.seen[1], 11 + 32 + 1 + 7 + 6 + 1);
  assert_int_equal(stat(&r, LLC_STALL_ATOMIC), 11 + 32 - 12);
  assert_int_equal(llc_dirty_lines(r.s), 1);
  teardown(&r);
}

/* Eight of a sector each at 1.5 cycles: the last is served 11 cycles after the first, at the edge behind 10.5. */
static void test_sectors_of_atomics_take_parts_of_cycles(void **state) {
  (void)state;
  for (unsigned slow = 0; slow < 2; slow++) {
    struct rig r;
    setup(&r, SETTINGS("l2.atomic_rate=32", slow ? "l2.atomic_sector=1.5" : "l2.atomic_sector=0"));
    llc_install_line(r.s, 0, 15);
    for (unsigned i = 0; i < 8; i++) push(&r, MEM_REDUCE, 0, 1, i);
    settle(&r);
    assert_int_equal(r.seen[7] - r.seen[0], slow ? 11 : 7);
    teardown(&r);
  }
}

static void test_an_atomic_that_misses_fetches_first(void **state) {
  (void)state;
  struct rig r;
  setup(&r, NULL);
  push(&r, MEM_ATOMIC, 0, 1, 0);
  settle(&r);
  assert_int_equal(r.fetches, 1);
  assert_int_equal(llc_dirty_lines(r.s), 1);
  assert_int_equal(stat(&r, LLC_REPLY_BYTES), 32);
  teardown(&r);
}

static void test_a_prefetch_fills_without_a_reply(void **state) {
  (void)state;
  struct rig r;
  setup(&r, NULL);
  push(&r, MEM_PREFETCH, 0, 15, 0);
  settle(&r);
  assert_int_equal(r.n_replies, 0);
  push(&r, MEM_READ, 0, 15, 1);
  settle(&r);
  assert_int_equal(stat(&r, LLC_HITS), 1);
  teardown(&r);
}

/* ---- flush, invalidate, install ---- */

static void test_flush_writes_every_dirty_line_and_holds_requests(void **state) {
  (void)state;
  struct rig r;
  setup(&r, SETTINGS("l2.sets=16", "l2.ways=4", "l2.miss_queue=2"));
  for (uint32_t i = 0; i < 40; i++) push(&r, MEM_WRITE, i, 15, i);
  settle(&r);
  assert_int_equal(llc_dirty_lines(r.s), 40);
  llc_flush(r.s, r.now, LLC_EVERY_PROGRAM);
  push(&r, MEM_READ, 0, 15, 40);
  settle(&r);
  assert_int_equal(r.writebacks, 40);
  assert_int_equal(llc_dirty_lines(r.s), 0);
  /* One line a cycle from the next cycle on, and a look at what is left: it ends at 41, the read is at the tags at 11. */
  assert_int_equal(stat(&r, LLC_STALL_FLUSH), 41 - 11);
  assert_int_equal(stat(&r, LLC_HITS), 1);
  llc_invalidate(r.s, LLC_EVERY_PROGRAM);
  push(&r, MEM_READ, 0, 15, 41);
  settle(&r);
  assert_int_equal(r.fetches, 1);
  assert_int_equal(r.writebacks, 40);
  teardown(&r);
}

static void test_invalidate_drops_everything(void **state) {
  (void)state;
  struct rig r;
  setup(&r, NULL);
  llc_install_line(r.s, 0, 15);
  push(&r, MEM_WRITE, 1, 15, 0);
  settle(&r);
  llc_invalidate(r.s, LLC_EVERY_PROGRAM);
  assert_int_equal(llc_dirty_lines(r.s), 0);
  push(&r, MEM_READ, 0, 15, 1);
  settle(&r);
  assert_int_equal(r.fetches, 1);
  assert_int_equal(r.writebacks, 0);
  teardown(&r);
}

/* Eight frames are dirty when all is invalidated. Lines that come into them evict nothing and wait for no slot of a write-back; a
 * flush finds nothing of before, and what was written since. */
static void test_nothing_of_an_invalidated_line_comes_back(void **state) {
  (void)state;
  struct rig r;
  setup(&r, SETTINGS("l2.miss_queue=2"));
  for (uint32_t i = 0; i < 8; i++) push(&r, MEM_WRITE, i, 15, i);
  settle(&r);
  assert_int_equal(llc_dirty_lines(r.s), 8);
  llc_invalidate(r.s, LLC_EVERY_PROGRAM);
  for (uint32_t i = 8; i < 12; i++) push(&r, MEM_READ, i, 15, i);
  push(&r, MEM_WRITE, 12, 3, 12);
  llc_install_line(r.s, 13 * MEM_LINE, 15);
  settle(&r);
  assert_int_equal(stat(&r, LLC_EVICTIONS), 0);
  assert_int_equal(llc_dirty_lines(r.s), 1);
  llc_flush(r.s, r.now, LLC_EVERY_PROGRAM);
  settle(&r);
  assert_int_equal(r.writebacks, 1);
  teardown(&r);
}

/* Requests sit in the input while the pipe is full: packets times cycles, as if counted every cycle. */
static void test_input_occupancy_is_the_sum_over_cycles(void **state) {
  (void)state;
  struct rig r;
  setup(&r, SETTINGS("l2.latency=2", "l2.access_queue=1", "l2.mshrs=1"));
  r.dram_delay = 60;
  uint64_t sum = 0;
  for (uint32_t i = 0; i < 8; i++) push(&r, MEM_READ, i, 1, i);
  for (unsigned c = 0; c < 1000; c++) {
    for (uint32_t i = 0; i < r.s->in.count; i++)
      sum += r.s->in.ring[(r.s->in.head + i) % r.s->in.capacity].ready <= r.now;
    if (c == 100) assert_int_equal(llc_input_occupancy(r.s, r.now), sum);
    step(&r);
  }
  assert_int_equal(llc_input_occupancy(r.s, r.now), sum);
  assert_int_equal(stat(&r, LLC_INPUT_WAIT), sum);
  assert_true(sum > 200);
  teardown(&r);
}

/* ---- against a slow obvious model ---- */

struct model_line {
  bool there;
  bool valid[128], dirty[128]; /* byte by byte */
  uint64_t used;
};
struct model {
  struct model_line line[LINES];
  uint64_t clock;
  unsigned hits, misses, fetches, writebacks;
};

/* Lines of one set are those equal modulo 4; two of them fit. */
static void model_place(struct model *m, unsigned line) {
  unsigned n = 0, oldest = 0;
  for (unsigned i = line % 4; i < LINES; i += 4) {
    if (!m->line[i].there) continue;
    if (n++ == 0 || m->line[i].used < m->line[oldest].used) oldest = i;
  }
  if (n == 2) {
    bool dirty = false;
    for (unsigned b = 0; b < 128; b++) dirty |= m->line[oldest].dirty[b];
    m->writebacks += dirty;
    m->line[oldest] = (struct model_line){0};
  }
  m->line[line].there = true;
}

static void model_access(struct model *m, unsigned line, bool write, const struct mem_bytes *bytes) {
  struct model_line *l = &m->line[line];
  bool there = l->there, whole = true;
  uint8_t sectors = mem_sectors_of(*bytes);
  if (!there) model_place(m, line);
  l->used = ++m->clock;
  for (unsigned b = 0; b < 128; b++) {
    bool asked = bytes->b[b / 64] >> (b % 64) & 1;
    if (write && asked) l->valid[b] = l->dirty[b] = true;
    if (!write && sectors >> (b / 32) & 1) {
      whole &= l->valid[b];
      l->valid[b] = true;
    }
  }
  bool hit = write ? there : whole;
  *(hit ? &m->hits : &m->misses) += 1;
  m->fetches += !write && !hit;
}

/* Requests one at a time, so that nothing is pending. */
static void test_agrees_with_a_byte_by_byte_model(void **state) {
  (void)state;
  struct rig r;
  struct rng g = {17};
  static struct model m;
  setup(&r, SETTINGS("l2.latency=0"));
  for (uint32_t i = 0; i < 6000; i++) {
    unsigned line = (unsigned)rng_below(&g, 16);
    bool write = rng_below(&g, 2);
    struct mem_bytes b = {{0, 0}};
    while (!(b.b[0] | b.b[1])) {
      for (unsigned j = 0; j < 2; j++) b.b[j] = rng_next(&g) | rng_next(&g);
      if (rng_below(&g, 2)) b.b[rng_below(&g, 2)] = 0;
      if (rng_below(&g, 2)) b.b[0] |= 0xffffffff;
      if (rng_below(&g, 3) == 0) b.b[1] &= 0xff00000000;
    }
    push_bytes(&r, write ? MEM_WRITE : MEM_READ, line, b, i);
    settle(&r);
    model_access(&m, line, write, &b);
    assert_int_equal(stat(&r, LLC_HITS), m.hits);
    assert_int_equal(stat(&r, LLC_MISSES), m.misses);
    assert_int_equal(r.fetches, m.fetches);
    assert_int_equal(r.writebacks, m.writebacks);
    assert_int_equal(r.sectors[i], mem_sectors_of(b));
  }
  assert_true(m.hits > 500 && m.misses > 500 && m.writebacks > 300);
  teardown(&r);
}

/* ---- many at once ---- */

/* Random requests with a sink and a DRAM that often refuse; `order` seeds the order of visits within a cycle.
 * At the end exactly the bytes ever written have been written back. */
static void random_stream(struct rig *r, uint64_t order, unsigned n) {
  struct rng g = {5}, refuse = {6}, shuffle = {order};
  struct mem_bytes written[LINES] = {0};
  r->dram_delay = 15;
  uint8_t *asked = calloc(n, 1);
  for (uint32_t i = 0; i < n;) {
    r->sink_stops = rng_below(&refuse, 3) == 0;
    r->dram_stops = rng_below(&refuse, 3) == 0;
    unsigned first = order ? (unsigned)rng_below(&shuffle, 4) : 0;
    for (unsigned p = 0; p < 4; p++) {
      unsigned part = (first + (order & 1 ? p : 4 - p)) % 4;
      if (part == 0) sink(r);
      if (part == 1) dram(r);
      if (part == 2) visit(r);
      if (part != 3 || i == n || !mem_port_free_slots(&r->s->in, r->now)) continue;
      static const enum mem_kind kinds[] = {MEM_READ, MEM_READ, MEM_WRITE, MEM_ATOMIC, MEM_REDUCE};
      enum mem_kind kind = kinds[rng_below(&g, 5)];
      uint64_t line = rng_below(&g, LINES);
      struct mem_bytes b = {{rng_next(&g) & rng_next(&g), rng_below(&g, 2) ? UINT64_MAX : 1}};
      push_bytes(r, kind, line, b, i);
      asked[i++] = mem_sectors_of(b);
      if (kind != MEM_READ)
        for (unsigned j = 0; j < 2; j++) written[line].b[j] |= b.b[j];
    }
    r->now += PERIOD;
  }
  r->sink_stops = r->dram_stops = false;
  settle(r);
  for (uint32_t i = 0; i < n; i++) assert_int_equal(r->sectors[i], asked[i]);
  llc_flush(r->s, r->now, LLC_EVERY_PROGRAM);
  settle(r);
  assert_memory_equal(r->written_back, written, sizeof written);
  free(asked);
}

static const char *const variants[][6] = {
    {"l2.sectored=true", NULL},
    {"noc.reply_per_sector=true", "l2.write_ack=sector", "l2.sectored=false", NULL},
    {"l2.mshrs=2", "l2.mshr_merge=1", "l2.miss_queue=2", "l2.reply_queue=4", NULL},
    {"l2.ports=2", "l2.data_bytes=64", "l2.hit_latency=5", "l2.replacement=nru", "l2.index=xor", NULL},
    {"l2.sets=3", "l2.ways=5", "l2.latency=0", "l2.access_queue=1", "l2.index=ipoly", NULL},
};

static void test_everything_is_answered_and_no_dirty_byte_is_lost(void **state) {
  (void)state;
  for (size_t v = 0; v < 5; v++) {
    struct rig *r = calloc(1, sizeof *r);
    setup(r, variants[v]);
    random_stream(r, 0, 5000);
    teardown(r);
    free(r);
  }
}

static void test_the_order_of_visits_changes_nothing(void **state) {
  (void)state;
  for (size_t v = 0; v < 5; v++) {
    struct rig *r[4];
    for (uint64_t order = 0; order < 4; order++) {
      r[order] = calloc(1, sizeof **r);
      setup(r[order], variants[v]);
      random_stream(r[order], order, 1500);
      if (order == 0) continue;
      assert_memory_equal(r[order]->s->counters, r[0]->s->counters, sizeof r[0]->s->counters);
      assert_memory_equal(r[order]->seen, r[0]->seen, sizeof r[0]->seen);
      teardown(r[order]);
      free(r[order]);
    }
    teardown(r[0]);
    free(r[0]);
  }
}

/* ---- SMs that see private slices: their writes go through ---- */

static const struct llc_view private_sms[] = {{.is_private = true}, {.is_private = true}};

static void setup_private(struct rig *r, const char *const *settings) {
  setup(r, settings);
  r->s->views = private_sms;
}

static void test_a_private_write_goes_through_and_leaves_nothing_dirty(void **state) {
  (void)state;
  struct rig r;
  setup_private(&r, NULL);
  struct mem_bytes some = {{0xff00, 0x0f}};
  push_bytes(&r, MEM_WRITE, 5, some, 0);
  settle(&r);
  assert_int_equal(r.writebacks, 1);
  assert_memory_equal(&r.written_back[5], &some, sizeof some);
  assert_int_equal(llc_dirty_lines(r.s), 0);
  assert_int_equal(stat(&r, LLC_WRITE_THROUGHS), 1);
  assert_int_equal(stat(&r, LLC_WRITEBACKS), 0);
  llc_flush(r.s, r.now, LLC_EVERY_PROGRAM);
  settle(&r);
  assert_int_equal(r.writebacks, 1);
  teardown(&r);
}

/* The line is kept: a sector written in full is read without a fetch, one written in part is fetched. */
static void test_a_written_through_line_can_be_read(void **state) {
  (void)state;
  struct rig r;
  setup_private(&r, NULL);
  push(&r, MEM_WRITE, 5, 3, 0);
  push_bytes(&r, MEM_WRITE, 5, (struct mem_bytes){{0, 0xff}}, 1);
  push(&r, MEM_READ, 5, 3, 2);
  settle(&r);
  assert_int_equal(r.fetches, 0);
  assert_true(r.l2_hit[2]);
  push(&r, MEM_READ, 5, 4, 3);
  settle(&r);
  assert_int_equal(r.fetches, 1);
  assert_int_equal(r.writebacks, 2);
  teardown(&r);
}

/* A line that was dirty before stays so, and is written back with all its bytes. */
static void test_a_private_write_keeps_what_was_dirty(void **state) {
  (void)state;
  struct rig r;
  setup(&r, NULL);
  push(&r, MEM_WRITE, 5, 1, 0);
  settle(&r);
  r.s->views = private_sms;
  push(&r, MEM_WRITE, 5, 2, 1);
  settle(&r);
  assert_int_equal(r.writebacks, 1);
  assert_int_equal(llc_dirty_lines(r.s), 1);
  llc_flush(r.s, r.now, LLC_EVERY_PROGRAM);
  settle(&r);
  assert_int_equal(r.writebacks, 2);
  assert_int_equal(llc_dirty_lines(r.s), 0);
  struct mem_bytes both = bytes_of(3);
  assert_memory_equal(&r.written_back[5], &both, sizeof both);
  teardown(&r);
}

/* As the miss queue takes them, without losing one. */
static void test_private_writes_wait_for_a_free_slot_towards_dram(void **state) {
  (void)state;
  struct rig r;
  setup_private(&r, SETTINGS("l2.miss_queue=2"));
  r.dram_stops = true;
  for (uint32_t i = 0; i < 8; i++) push(&r, MEM_WRITE, 5, 1, i);
  run(&r, 60);
  assert_int_equal(stat(&r, LLC_WRITE_THROUGHS), 4); /* two in the queue, two in the port */
  r.dram_stops = false;
  settle(&r);
  assert_int_equal(stat(&r, LLC_WRITE_THROUGHS), 8);
  assert_int_equal(r.writebacks, 8);
  assert_int_equal(r.n_replies, 8);
  assert_true(stat(&r, LLC_STALL_MISS_QUEUE) > 0);
  teardown(&r);
}

/* Reads and writes at random, from SMs of either kind, with flushes in between: every byte written is in DRAM or dirty,
 * and after a last flush in DRAM. */
static void test_no_written_byte_is_lost_between_modes(void **state) {
  (void)state;
  for (unsigned seed = 1; seed <= 20; seed++) {
    struct rig r;
    struct llc_view views[2] = {{.is_private = false}, {.is_private = true}};
    struct mem_bytes written[LINES] = {0};
    struct rng rng = {seed};
    setup(&r, NULL);
    r.dram_delay = 30;
    r.s->views = views;
    for (uint32_t i = 0; i < 2000; i++) {
      uint64_t line = rng_below(&rng, LINES);
      struct mem_bytes m = {{rng_next(&rng) & rng_next(&rng), rng_next(&rng) & rng_next(&rng)}};
      if (!m.b[0] && !m.b[1]) continue;
      bool write = rng_below(&rng, 2);
      if (i % 400 == 399) {
        settle(&r);
        bool to_private = rng_below(&rng, 2);
        views[0].is_private = views[1].is_private = to_private;
        llc_flush(r.s, r.now, LLC_EVERY_PROGRAM);
        settle(&r);
        if (rng_below(&rng, 2)) llc_invalidate(r.s, LLC_EVERY_PROGRAM);
        assert_int_equal(llc_dirty_lines(r.s), 0);
      }
      for (unsigned w = 0; w < 2 && write; w++) written[line].b[w] |= m.b[w];
      push_bytes(&r, write ? MEM_WRITE : MEM_READ, line, m, i);
    }
    settle(&r);
    llc_flush(r.s, r.now, LLC_EVERY_PROGRAM);
    settle(&r);
    assert_memory_equal(r.written_back, written, sizeof written);
    teardown(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_observers_see_requests_lookups_and_answers_in_order),
      cmocka_unit_test(test_a_write_that_misses_goes_to_dram_and_fetches),
      cmocka_unit_test(test_writes_to_a_line_on_its_way_go_to_dram_each),
      cmocka_unit_test(test_upper_halves_may_go_to_the_next_line),
      cmocka_unit_test(test_a_sector_may_be_taken_for_full),
      cmocka_unit_test(test_which_copies_are_installed),
      cmocka_unit_test(test_textures_may_pass_the_latency),
      cmocka_unit_test(test_the_latency_may_hold_any_number),
      cmocka_unit_test(test_a_miss_may_wait_for_the_port),
      cmocka_unit_test(test_each_sector_of_a_miss_may_be_looked_up_by_itself),
      cmocka_unit_test(test_the_sectors_of_a_write_follow_what_it_evicts),
      cmocka_unit_test(test_pairs_of_constants_may_be_fetched_in_two_turns),
      cmocka_unit_test(test_other_reads_fetch_pairs_at_once),
      cmocka_unit_test(test_each_sector_may_be_fetched_by_itself),
      cmocka_unit_test(test_hit_latency_to_the_cycle),
      cmocka_unit_test(test_slices_are_near_and_far),
      cmocka_unit_test(test_a_line_can_come_back_sector_by_sector),
      cmocka_unit_test(test_a_reply_may_carry_what_was_asked_for_and_no_more),
      cmocka_unit_test(test_miss_latency_to_the_cycle),
      cmocka_unit_test(test_data_port_limits_hits),
      cmocka_unit_test(test_counts_accesses_by_kind),
      cmocka_unit_test(test_reads_share_a_cycle_of_the_data_port),
      cmocka_unit_test(test_misses_and_hits_share_the_data_port),
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
      cmocka_unit_test(test_a_write_never_fetches_and_is_acknowledged),
      cmocka_unit_test(test_a_write_can_be_acknowledged_sector_by_sector),
      cmocka_unit_test(test_reading_a_partly_written_sector_fetches_and_merges),
      cmocka_unit_test(test_a_sector_written_in_parts_becomes_valid),
      cmocka_unit_test(test_evicting_a_dirty_line_writes_its_bytes_back),
      cmocka_unit_test(test_atomics_take_the_unit_in_turn),
      cmocka_unit_test(test_an_atomic_that_misses_fetches_first),
      cmocka_unit_test(test_sectors_of_atomics_take_parts_of_cycles),
      cmocka_unit_test(test_a_prefetch_fills_without_a_reply),
      cmocka_unit_test(test_flush_writes_every_dirty_line_and_holds_requests),
      cmocka_unit_test(test_invalidate_drops_everything),
      cmocka_unit_test(test_nothing_of_an_invalidated_line_comes_back),
      cmocka_unit_test(test_input_occupancy_is_the_sum_over_cycles),
      cmocka_unit_test(test_agrees_with_a_byte_by_byte_model),
      cmocka_unit_test(test_everything_is_answered_and_no_dirty_byte_is_lost),
      cmocka_unit_test(test_the_order_of_visits_changes_nothing),
      cmocka_unit_test(test_a_private_write_goes_through_and_leaves_nothing_dirty),
      cmocka_unit_test(test_a_written_through_line_can_be_read),
      cmocka_unit_test(test_a_private_write_keeps_what_was_dirty),
      cmocka_unit_test(test_private_writes_wait_for_a_free_slot_towards_dram),
      cmocka_unit_test(test_no_written_byte_is_lost_between_modes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
