/* A slice of L2: writes, atomics, flushes, SMs that see private slices; no byte that was written is lost, against a slow model
 * and under random streams (llc_rig.h). */
#include "llc_rig.h"

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

/* With l2.write_bytes a sector takes a cycle, a line with one written in part one more; and the same again on the way to the other
 * partition. The second write waits for the first. */
static void test_writes_take_the_port_by_sector(void **state) {
  (void)state;
  static const struct mem_bytes word_of_each = {{UINT64_C(0x0000000f0000000f), UINT64_C(0x0000000f0000000f)}};
  for (unsigned far = 0; far < 2; far++)
    for (unsigned part = 0; part < 2; part++) {
      struct rig r;
      setup(&r, SETTINGS("l2.data_bytes=64", "l2.write_bytes=32", far ? "l2.partitions=2" : "l2.partitions=1", "l2.far_latency=50"));
      for (uint32_t i = 0; i < 2; i++) {
        push_bytes(&r, MEM_WRITE, i, part ? word_of_each : bytes_of(15), i);
        comes_from(&r, far ? SMS - 1 : 0);
      }
      settle(&r);
      assert_int_equal(r.seen[1] - r.seen[0], 4 + part);
      assert_int_equal(stat(&r, LLC_FAR), 2 * far);
      teardown(&r);
    }
}

/* One more line than may be dirty: the one that was least recently used is written back and stays. */
static void test_few_lines_of_a_set_are_dirty(void **state) {
  (void)state;
  struct rig r;
  setup(&r, SETTINGS("l2.ways=4", "l2.dirty_ways=2"));
  push(&r, MEM_WRITE, 0, 15, 0);
  push(&r, MEM_WRITE, 4, 15, 1);
  push(&r, MEM_WRITE, 0, 15, 2);
  settle(&r);
  assert_int_equal(r.writebacks, 0);
  push(&r, MEM_WRITE, 8, 15, 3);
  push(&r, MEM_WRITE, 1, 15, 4); /* another set */
  settle(&r);
  assert_int_equal(r.writebacks, 1);
  struct mem_bytes whole = bytes_of(15);
  assert_memory_equal(&r.written_back[4], &whole, sizeof whole);
  assert_int_equal(llc_dirty_lines(r.s), 3);
  push(&r, MEM_READ, 4, 15, 5);
  settle(&r);
  assert_int_equal(r.fetches, 0);
  assert_int_equal(stat(&r, LLC_EVICTIONS), 0);
  teardown(&r);
}

/* Two lines may be written in part: of a third's coming the oldest that still is has its sector fetched and is written back; one that has
 * become whole does not count. A write to what is being fetched so does not wait for it (l2.hold_writes). */
static void test_few_lines_are_written_in_part(void **state) {
  (void)state;
  for (unsigned whole = 0; whole < 2; whole++) {
    struct rig r;
    setup(&r, SETTINGS("l2.partial_lines=2", "l2.hold_writes=true"));
    struct mem_bytes word = {{0xf, 0}}, rest = {{0xfffffff0, 0}}, next = {{0xf0, 0}};
    push_bytes(&r, MEM_WRITE, 0, word, 0);
    push_bytes(&r, MEM_WRITE, 1, word, 1);
    if (whole) push_bytes(&r, MEM_WRITE, 0, rest, 2);
    settle(&r);
    assert_int_equal(r.fetches, 0);
    push_bytes(&r, MEM_WRITE, 2, word, 3);
    push_bytes(&r, MEM_WRITE, 0, next, 4);
    settle(&r);
    assert_int_equal(stat(&r, LLC_COMPLETED), !whole);
    assert_int_equal(r.fetches, !whole);
    assert_int_equal(r.writebacks, !whole);
    assert_int_equal(stat(&r, LLC_STALL_MERGE), 0);
    push(&r, MEM_READ, 0, 1, 5); /* whole either way */
    settle(&r);
    assert_int_equal(r.fetches, !whole);
    teardown(&r);
  }
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

/* Eight on a sector, or on a sector of each of two lines in turn: cycles from the first to the last. */
static void test_what_an_atomic_asks_for_decides_how_long_it_takes(void **state) {
  (void)state;
  static const struct {
    unsigned bytes, lines, atomic, cycles;
  } cases[] = {{4, 1, 0, 4},
               {32, 1, 0, 2},
               {32, 1, MEM_ATOMIC_TWICE, 4},
               {4, 1, MEM_ATOMIC_TWICE, 4},
               {4, 1, MEM_ATOMIC_SUM, 5},
               {32, 2, MEM_ATOMIC_SUM, 2},
               {32, 1, MEM_ATOMIC_SUM | MEM_ATOMIC_TWICE, 7}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    struct rig r;
    setup(&r, SETTINGS("l2.atomic_rate=32", "l2.atomic_sector=4", "l2.atomic_whole=2", "l2.atomic_sum=5"));
    for (unsigned i = 0; i < 2; i++) llc_install_line(r.s, 128 * i, 15);
    for (unsigned i = 0; i < 8; i++) {
      push_bytes(&r, MEM_REDUCE, i % cases[c].lines, (struct mem_bytes){{(UINT64_C(1) << cases[c].bytes) - 1, 0}}, i);
      asks_for(&r, cases[c].atomic);
    }
    settle(&r);
    assert_int_equal(r.seen[7] - r.seen[0], 7 * cases[c].cycles);
    teardown(&r);
  }
}

/* An operation of a near SM behind one or two of a far one, which take the unit for ten cycles as they come: once if they name one line. */
static void test_a_far_atomic_takes_the_unit_for_its_twin(void **state) {
  (void)state;
  uint64_t seen[4];
  for (unsigned c = 0; c < 4; c++) { /* not asked for; one; two of a line; two of two lines */
    struct rig r;
    setup(&r, SETTINGS("l2.partitions=2", "l2.far_latency=100", "l2.atomic_rate=32", c ? "l2.atomic_twin=10" : "l2.atomic_twin=0"));
    for (unsigned i = 1; i < 4; i++) llc_install_line(r.s, 128 * i, 15);
    for (unsigned i = 0; i < (c < 2 ? 1 : 2); i++) {
      push(&r, MEM_REDUCE, c == 3 ? 1 + i : 1, 1, i);
      comes_from(&r, SMS - 1);
    }
    push(&r, MEM_REDUCE, 3, 1, 2);
    comes_from(&r, 0);
    settle(&r);
    seen[c] = r.seen[2];
    teardown(&r);
  }
  assert_int_equal(seen[1], seen[0] + 9); /* it came a cycle later */
  assert_int_equal(seen[2], seen[1]);
  assert_int_equal(seen[3], seen[1] + 10);
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
      cmocka_unit_test(test_a_write_never_fetches_and_is_acknowledged),
      cmocka_unit_test(test_a_write_can_be_acknowledged_sector_by_sector),
      cmocka_unit_test(test_reading_a_partly_written_sector_fetches_and_merges),
      cmocka_unit_test(test_a_sector_written_in_parts_becomes_valid),
      cmocka_unit_test(test_evicting_a_dirty_line_writes_its_bytes_back),
      cmocka_unit_test(test_atomics_take_the_unit_in_turn),
      cmocka_unit_test(test_what_an_atomic_asks_for_decides_how_long_it_takes),
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
      cmocka_unit_test(test_writes_take_the_port_by_sector),
      cmocka_unit_test(test_few_lines_of_a_set_are_dirty), cmocka_unit_test(test_few_lines_are_written_in_part),
      cmocka_unit_test(test_a_far_atomic_takes_the_unit_for_its_twin),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
