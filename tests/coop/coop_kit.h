/* A cooperation network between mock SMs: the test says what each L1D holds, offers misses, lets cycles pass and takes
 * what comes back. A cycle is one tick. */
#ifndef COOP_KIT_H
#define COOP_KIT_H

#include "test_settings.h"

#include "coop/coop.h"
#include "gpu/gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KIT_SMS = 128 };

struct kit {
  struct cfg *cfg;
  struct coop *net;
  struct mem_pool *pool;
  struct mem_wake wake[KIT_SMS];
  struct l1 l1[KIT_SMS]; /* only to tell of their tags */
  uint64_t executed[KIT_SMS];
  uint64_t now;
};

static inline struct cfg *kit_cfg(const char *const *settings) { return with_settings(gpu_cfg_new(), settings); }

static inline void kit_open(struct kit *k, uint32_t sms, const char *const *settings) {
  struct err e = {0};
  *k = (struct kit){.cfg = kit_cfg(settings), .pool = mem_pool_new(), .now = 100};
  struct coop_place place = {.sms = sms, .period = 1, .pool = k->pool, .parts = 1, .lines = 128};
  if (!coop_new(&k->net, k->cfg, &place, &e)) fail_msg("%s", e.text);
  for (uint32_t i = 0; i < sms; i++) {
    k->wake[i] = (struct mem_wake){.at = MEM_NEVER, .period = 1};
    coop_attach(k->net->nodes[i], &k->wake[i], &k->l1[i]);
    k->net->nodes[i]->instructions = &k->executed[i];
  }
}

static inline void kit_close(struct kit *k) {
  struct err e = {0};
  assert_true(k->net->ops->idle(k->net));
  if (!coop_check(k->net, &e)) fail_msg("%s", e.text);
  for (unsigned i = 0; i < sizeof k->l1 / sizeof *k->l1; i++) mem_observers_free(&k->l1[i].observers);
  coop_delete(k->net);
  assert_int_equal(mem_pool_out(k->pool), 0);
  mem_pool_delete(k->pool);
  cfg_delete(k->cfg);
}

static inline struct mem_bytes kit_all(void) { return (struct mem_bytes){{~UINT64_C(0), ~UINT64_C(0)}}; }
static inline void kit_hold(struct kit *k, uint32_t sm, uint64_t line, bool here) {
  MEM_NOTIFY(&k->l1[sm].observers, changed, line, kit_all(), here);
}

static inline struct mem_packet *kit_miss(struct kit *k, uint32_t sm, uint64_t line) {
  struct mem_packet *p = mem_packet_new(k->pool);
  p->kind = MEM_READ;
  p->class_ = MEM_GLOBAL;
  p->line = line;
  p->bytes = kit_all();
  p->sectors = 15;
  p->sm = (uint16_t)sm;
  p->born = k->now;
  return p;
}
static inline bool kit_offer(struct kit *k, struct mem_packet *p) {
  return coop_offer(k->net->nodes[p->sm], p, true, k->now);
}
/* The miss of an SM is taken. */
static inline struct mem_packet *kit_ask(struct kit *k, uint32_t sm, uint64_t line) {
  struct mem_packet *p = kit_miss(k, sm, line);
  assert_true(kit_offer(k, p));
  return p;
}

/* The SMs' cycle comes first, then the network's; this is the end of one and the SMs' part of the next. */
static inline void kit_step(struct kit *k) {
  if (k->net->ops->publish) k->net->ops->publish(k->net);
  if (k->net->wake.at <= k->now) {
    k->net->wake.at = MEM_NEVER;
    uint64_t next = coop_tick(k->net, k->now);
    mem_wake_at(&k->net->wake, next);
  }
  k->now++;
}

/* What an SM finds in its cycle: an answer, or a request to send to L2; NULL: nothing. */
static inline struct mem_packet *kit_reply(struct kit *k, uint32_t sm) {
  struct coop_node *n = k->net->nodes[sm];
  if (!mem_port_peek(&n->replies, k->now)) return NULL;
  struct mem_packet *p = mem_port_pop(&n->replies, k->now);
  coop_took(n, p, k->now);
  return p;
}
static inline struct mem_packet *kit_returned(struct kit *k, uint32_t sm) {
  struct coop_node *n = k->net->nodes[sm];
  return mem_port_peek(&n->returned, k->now) ? mem_port_pop(&n->returned, k->now) : NULL;
}
static inline uint64_t kit_stat(const struct kit *k, enum coop_stat s) {
  uint64_t n = 0;
  for (uint32_t i = 0; i < k->net->place.sms; i++) n += k->net->nodes[i]->stats[s];
  return n;
}

/* Cycles until the SM has the packet, which it takes; whether as an answer. */
static inline unsigned kit_wait(struct kit *k, struct mem_packet *p, bool *answered) {
  for (unsigned n = 0; n < 10000; n++) {
    struct mem_packet *r = kit_reply(k, p->sm);
    struct mem_packet *b = r ? NULL : kit_returned(k, p->sm);
    if (r || b) {
      assert_ptr_equal(r ? r : b, p);
      *answered = r != NULL;
      mem_packet_free(k->pool, p);
      return n;
    }
    kit_step(k);
  }
  fail_msg("nothing came back");
  return 0;
}

#endif
