/* One L2 slice between a mock sender, a mock reply sink and a mock DRAM, for the tests of slices. A cycle is 2 ticks. Times in the
 * comments of those tests are cycles: a packet pushed at c is seen at c + 1. */
#ifndef TESTS_LLC_RIG_H
#define TESTS_LLC_RIG_H

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

static inline uint64_t cycle(const struct rig *r) { return r->now / PERIOD; }

static inline void setup(struct rig *r, const char *const *settings) {
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

static inline void teardown(struct rig *r) {
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

static inline void visit(struct rig *r) {
  if (r->s->wake.at > r->now) return;
  r->s->wake.at = MEM_NEVER;
  r->visits++;
  mem_wake_at(&r->s->wake, llc_tick(r->s, r->now));
}

static inline void sink(struct rig *r) {
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

static inline void dram(struct rig *r) {
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

static inline void step(struct rig *r) {
  sink(r);
  dram(r);
  visit(r);
  r->now += PERIOD;
}

static inline void run(struct rig *r, unsigned cycles) {
  while (cycles--) step(r);
}

static inline void settle(struct rig *r) {
  for (unsigned i = 0; i < 100000; i++, step(r))
    if (llc_idle(r->s) && !r->reply.count && !r->mem.count && r->first == r->last) return;
  struct str s = {0};
  llc_explain(r->s, r->now, &s);
  fail_msg("does not settle\n%s", s.s);
}

static inline void push_bytes(struct rig *r, enum mem_kind kind, uint64_t line, struct mem_bytes bytes,
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

static inline struct mem_bytes bytes_of(uint8_t sectors) {
  struct mem_bytes m = {{0, 0}};
  for (unsigned i = 0; i < 4; i++)
    if (sectors >> i & 1) m.b[i / 2] |= 0xffffffffull << (i % 2 * 32);
  return m;
}

static inline void push(struct rig *r, enum mem_kind kind, uint64_t line, uint8_t sectors, uint32_t owner) {
  push_bytes(r, kind, line, bytes_of(sectors), owner);
}

static inline uint64_t stat(const struct rig *r, enum llc_stat i) { return r->s->counters[i]; }

/* What was pushed last is of this SM. */
static inline void comes_from(struct rig *r, unsigned sm) {
  r->s->in.ring[(r->s->in.head + r->s->in.count - 1) % r->s->in.capacity].k->sm = (uint16_t)sm;
}

/* What was pushed last asks for that (MEM_ATOMIC_SUM, MEM_ATOMIC_TWICE). */
static inline void asks_for(struct rig *r, unsigned atomic) {
  r->s->in.ring[(r->s->in.head + r->s->in.count - 1) % r->s->in.capacity].k->atomic = (uint8_t)atomic;
}

static inline void push_from(struct rig *r, unsigned sm, uint64_t line, uint8_t sectors, uint32_t owner) {
  push(r, MEM_READ, line, sectors, owner);
  comes_from(r, sm);
}

#endif
