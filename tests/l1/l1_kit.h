/* What the tests of the L1D share: a cache from settings, accesses in one line, and whoever is notified of fills.
 */
#ifndef L1_KIT_H
#define L1_KIT_H

#include "test_settings.h"

#include "base/rng.h"
#include "l1/bypass.h"
#include "l1/readonly.h"
#include "reply/data_filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CA = 0, CG = 1, CS = 2, LU = 3, CV = 4 };

struct kit {
  struct mem_pool *pool;
  struct l1 l1;
  uint32_t done[256]; /* owners notified, in order */
  unsigned n_done;
};

static inline struct cfg *kit_cfg(const char *const *settings) {
  const struct cfg_key *const tables[] = {l1_keys, reply_keys};
  return with_settings(cfg_new(tables, 2), settings);
}

static inline void kit_open(struct kit *k, const char *const *settings) {
  struct cfg *c = kit_cfg(settings);
  struct err e = {0};
  *k = (struct kit){.pool = mem_pool_new()};
  if (!l1_init(&k->l1, c, k->pool, 3, &e)) fail_msg("%s", e.text);
  cfg_delete(c);
}

static inline void kit_close(struct kit *k) {
  while (l1_next_request(&k->l1)) {
    mem_packet_free(k->pool, l1_next_request(&k->l1));
    l1_pop_request(&k->l1);
  }
  l1_free(&k->l1);
  assert_int_equal(mem_pool_out(k->pool), 0);
  mem_pool_delete(k->pool);
}

/* What only the organisation, or the bypass policy, counted. */
static inline uint64_t org_stat(const struct l1 *c, const char *name) { return own_stat(&c->ops->policy, c->org_stats, name); }
static inline uint64_t bypass_stat(const struct l1 *c, const char *name) {
  return own_stat(&c->bypass_ops->policy, c->bypass_stats, name);
}

/* Bytes [from, from + n) of a line. */
static inline struct mem_bytes span(unsigned from, unsigned n) {
  struct mem_bytes m = {{0, 0}};
  for (unsigned i = from; i < from + n; i++) m.b[i / 64] |= UINT64_C(1) << (i % 64);
  return m;
}

static inline struct l1_request request(enum mem_kind kind, uint64_t line, struct mem_bytes bytes,
                                        uint32_t owner) {
  return (struct l1_request){
      .line = line, .bytes = bytes, .kind = (uint8_t)kind, .class_ = MEM_GLOBAL, .degree = 1, .owner = owner};
}
static inline enum l1_result load(struct kit *k, uint64_t line, uint32_t owner) {
  struct l1_request r = request(MEM_READ, line, span(0, 4), owner);
  return l1_access(&k->l1, &r, 0);
}
static inline enum l1_result load_bytes(struct kit *k, uint64_t line, unsigned from, unsigned n,
                                        uint32_t owner) {
  struct l1_request r = request(MEM_READ, line, span(from, n), owner);
  return l1_access(&k->l1, &r, 0);
}
static inline enum l1_result access_as(struct kit *k, enum mem_kind kind, enum mem_class class_,
                                       uint8_t cache, uint64_t line) {
  struct l1_request r = request(kind, line, span(0, 4), 0);
  r.class_ = (uint8_t)class_;
  r.cache = cache;
  return l1_access(&k->l1, &r, 0);
}

static inline void notified(void *user, uint32_t owner) {
  struct kit *k = user;
  k->done[k->n_done++ % 256] = owner;
}

/* Takes the next request out of the miss queue. */
static inline struct mem_packet *take(struct kit *k) {
  struct mem_packet *p = l1_next_request(&k->l1);
  assert_non_null(p);
  l1_pop_request(&k->l1);
  return p;
}
/* Answers it with some of its sectors; the rest stays to be answered. */
static inline void answer(struct kit *k, struct mem_packet *p, uint8_t sectors) {
  struct mem_packet reply = *p;
  reply.kind = MEM_READ_REPLY;
  reply.sectors = sectors;
  k->n_done = 0;
  l1_fill(&k->l1, &reply, notified, k);
}
/* Takes the next request and answers it whole. */
static inline void serve(struct kit *k) {
  struct mem_packet *p = take(k);
  answer(k, p, p->sectors);
  mem_packet_free(k->pool, p);
}
static inline void fill_line(struct kit *k, uint64_t line) {
  assert_int_equal(load(k, line, 0), L1_MISS);
  serve(k);
}

#endif
