/* One DRAM channel between mock slices: requests by bank and row, pushed in order, and when the answer to each was seen. A clock is
 * one tick, the fixed latency is 0, and a packet pushed at t is seen at t + 1. */
#ifndef DRAM_RIG_H
#define DRAM_RIG_H

#include "memtest.h"

#include "dram/dram_timing.h"

enum { MAX = 8192 };

struct request {
  uint64_t at; /* pushed no earlier than */
  enum mem_kind kind;
  uint16_t bank;
  uint64_t row;
  uint32_t column;
  uint8_t sectors;
};

struct rig {
  struct mem_map *map;
  struct mem_pool *pool;
  struct dram_channel *c;
  struct mem_wake slice;
  struct mem_port fill;
  uint64_t now, visits;
  const uint16_t *sm;  /* who asks, by request; NULL: SM 0 */
  uint64_t deaf_until; /* the slice takes no data before */
  uint64_t seen[MAX]; /* when the data of request i was seen */
  uint32_t order[MAX], n_seen, acknowledged;
};

static inline void setup(struct rig *r, const char *const *settings) {
  static const char *const base[] = {"dram.map=modulo", "dram.channels=1", "l2.slices_per_channel=1",
                                     "dram.latency=0"};
  const char *all[32] = {0};
  struct err e = {0};
  memcpy(all, base, sizeof base);
  for (size_t i = 0; settings && settings[i]; i++) all[4 + i] = settings[i];
  struct cfg *cfg = memtest_cfg(all);
  memset(r, 0, sizeof *r);
  r->map = mem_map_new(cfg, &e);
  r->pool = mem_pool_new();
  r->c = dram_channel_new(cfg, &(struct dram_place){0, 1, 1, r->map, r->pool}, &e);
  if (!r->c) fail_msg("%s", e.text);
  cfg_delete(cfg);
  r->slice = (struct mem_wake){.at = MEM_NEVER, .period = 1};
  mem_port_init(&r->fill, 4, 1, &r->slice, NULL);
  dram_connect(r->c, 0, &r->fill)->producer = &r->slice;
}

static inline void teardown(struct rig *r) {
  struct err e = {0};
  if (!dram_check(r->c, &e)) fail_msg("%s", e.text);
  assert_true(dram_idle(r->c));
  assert_int_equal(mem_pool_out(r->pool), 0);
  dram_channel_delete(r->c);
  mem_map_delete(r->map);
  mem_port_free(&r->fill);
  mem_pool_delete(r->pool);
}

static inline void visit(struct rig *r) {
  if (r->c->wake.at > r->now) return;
  r->c->wake.at = MEM_NEVER;
  r->visits++;
  mem_wake_at(&r->c->wake, dram_tick(r->c, r->now));
}

static inline void collect(struct rig *r) {
  struct mem_packet *k = r->now < r->deaf_until ? NULL : mem_port_peek(&r->fill, r->now);
  if (!k) return;
  mem_port_pop(&r->fill, r->now);
  assert_true(k->kind == MEM_READ_REPLY || k->kind == MEM_WRITE_ACK);
  r->acknowledged += k->kind == MEM_WRITE_ACK;
  r->seen[k->owner] = r->now;
  r->order[r->n_seen++] = k->owner;
  mem_packet_free(r->pool, k);
}

/* Pushes the requests in order, each as early as its time and the port allow, until all is quiet. */
static inline void play(struct rig *r, const struct request *q, uint32_t n) {
  for (uint32_t next = 0; next < n || !dram_idle(r->c) || r->fill.count; r->now++) {
    while (next < n && q[next].at <= r->now && mem_port_free_slots(&r->c->in[0], r->now)) {
      struct mem_place p = {.bank = q[next].bank, .row = q[next].row, .column = q[next].column};
      struct mem_packet *k = memtest_packet(r->pool, q[next].kind, mem_map_back(r->map, &p), q[next].sectors);
      k->sm = r->sm ? r->sm[next] : 0;
      k->owner = next++;
      mem_port_push(&r->c->in[0], k, r->now);
    }
    collect(r);
    visit(r);
    assert_true(r->now < 1000000);
  }
}
/* A statistic of the channel or of its policies, by name. */
static inline uint64_t counted(const struct rig *r, const char *name) {
  struct stats *s = stats_new();
  dram_register(r->c, s);
  uint64_t v = stats_get(s, name);
  stats_delete(s);
  return v;
}

static inline void expect_order(const struct rig *r, const uint32_t *order, uint32_t n) {
  assert_int_equal(r->n_seen, n);
  for (uint32_t i = 0; i < n; i++)
    if (r->order[i] != order[i]) fail_msg("answer %u is to request %u, not %u", i, r->order[i], order[i]);
}
#define EXPECT_ORDER(r, ...) expect_order(r, (const uint32_t[]){__VA_ARGS__}, sizeof(uint32_t[]){__VA_ARGS__} / sizeof(uint32_t))

#define PLAY(r, ...)                                                                                         \
  do {                                                                                                       \
    const struct request q[] = {__VA_ARGS__};                                                                \
    play(r, q, sizeof q / sizeof *q);                                                                        \
  } while (0)

#endif
