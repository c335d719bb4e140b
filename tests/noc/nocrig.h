/* A whole fabric between mock SMs and slices, for the tests of all topologies. The network's clock has a period
 * of 3 ticks, so that a time that is not an edge would show. Direction 0 is SM to slice, 1 is slice to SM. */
#ifndef NOCRIG_H
#define NOCRIG_H

#include "memtest.h"
#include "noc/router.h"

enum { PERIOD = 3, MAX = 1024 };

struct rig {
  struct noc_fabric f;
  unsigned sms, slices;
  struct mem_pool *pool;
  struct mem_wake sender[2][MAX], receiver[2][MAX];
  struct mem_port port[2][MAX]; /* of the receivers */
  uint64_t now, visits;
};

/* The keys of other rooms that topologies read. */
static const struct cfg_key rig_keys[] = {
    {"gpu.clusters", CFG_INT, "8", 1, 256, NULL, "", "as in the GPU's table"},
    {0},
};

static inline struct cfg *rig_cfg(const char *const *settings) {
  const struct cfg_key *const tables[] = {noc_keys, llc_keys, dram_keys, dram_timing_keys, mem_map_keys, rig_keys};
  return with_settings(cfg_new(tables, sizeof tables / sizeof *tables), settings);
}

static inline const struct noc_side *rig_side(const struct rig *r, unsigned dir) {
  return dir ? &r->f.reply : &r->f.request;
}
static inline unsigned rig_ins(const struct rig *r, unsigned dir) { return dir ? r->slices : r->sms; }
static inline unsigned rig_outs(const struct rig *r, unsigned dir) { return dir ? r->sms : r->slices; }
static inline struct mem_port *rig_in(const struct rig *r, unsigned dir, unsigned i) {
  const struct noc_side *s = rig_side(r, dir);
  return &s->net->in[s->first_in + i];
}
static inline const uint64_t *rig_counters(const struct rig *r, unsigned dir) {
  const struct noc *n = rig_side(r, dir)->net;
  return dir && n->shape.direction == NOC_BOTH ? n->reply_counters : n->counters;
}

/* `depth` packets fit into a receiver's port. */
static inline void rig_setup(struct rig *r, unsigned sms, unsigned slices, unsigned depth,
                             const char *const *settings) {
  struct err e = {0};
  struct cfg *cfg = rig_cfg(settings);
  memset(r, 0, sizeof *r);
  if (!noc_fabric_init(&r->f, cfg, sms, slices, PERIOD, &e)) fail_msg("%s", e.text);
  cfg_delete(cfg);
  r->sms = sms;
  r->slices = slices;
  r->pool = mem_pool_new();
  for (unsigned dir = 0; dir < 2; dir++) {
    for (unsigned i = 0; i < rig_ins(r, dir); i++) {
      r->sender[dir][i] = (struct mem_wake){.at = MEM_NEVER, .period = PERIOD};
      noc_input(rig_side(r, dir), i, &r->sender[dir][i]);
    }
    for (unsigned i = 0; i < rig_outs(r, dir); i++) {
      r->receiver[dir][i] = (struct mem_wake){.at = MEM_NEVER, .period = PERIOD};
      mem_port_init(&r->port[dir][i], depth, 1, &r->receiver[dir][i], NULL);
      noc_connect(rig_side(r, dir), i, &r->port[dir][i]);
    }
  }
}

static inline void rig_teardown(struct rig *r) {
  for (unsigned i = 0; i < r->f.n_nets; i++) {
    struct err e = {0};
    if (!noc_check(r->f.net[i], &e)) fail_msg("%s", e.text);
  }
  noc_fabric_free(&r->f);
  for (unsigned dir = 0; dir < 2; dir++)
    for (unsigned i = 0; i < rig_outs(r, dir); i++) mem_port_free(&r->port[dir][i]);
  mem_pool_delete(r->pool);
}

static inline void rig_visit(struct rig *r, unsigned net) {
  struct noc *n = r->f.net[net];
  if (n->wake.at > r->now) return;
  n->wake.at = MEM_NEVER;
  r->visits++;
  mem_wake_at(&n->wake, noc_tick(n, r->now));
}
static inline void rig_visit_all(struct rig *r) {
  for (unsigned i = 0; i < r->f.n_nets; i++) rig_visit(r, i);
}

static inline bool rig_send(struct rig *r, unsigned dir, unsigned from, unsigned to, unsigned payload,
                            uint32_t owner) {
  struct mem_port *p = rig_in(r, dir, from);
  if (!mem_port_free_slots(p, r->now)) return false;
  struct mem_packet *k = memtest_packet(r->pool, dir ? MEM_READ_REPLY : MEM_WRITE, 0, 15);
  k->sm = (uint16_t)(dir ? to : from);
  k->slice = (uint16_t)(dir ? from : to);
  k->payload = (uint16_t)payload;
  k->owner = owner;
  k->born = r->now;
  mem_port_push(p, k, r->now);
  return true;
}

/* A received packet's owner, or -1. */
static inline int64_t rig_receive(struct rig *r, unsigned dir, unsigned at) {
  struct mem_port *p = &r->port[dir][at];
  struct mem_packet *k = mem_port_peek(p, r->now);
  if (!k) return -1;
  assert_int_equal(dir ? k->sm : k->slice, at);
  assert_int_equal(mem_to_sm(k), dir);
  mem_port_pop(p, r->now);
  int64_t owner = k->owner;
  mem_packet_free(r->pool, k);
  return owner;
}

static inline bool rig_idle(const struct rig *r) {
  for (unsigned i = 0; i < r->f.n_nets; i++)
    if (!noc_idle(r->f.net[i])) return false;
  return true;
}

#endif
