/* Ideal cooperation (section 3.2 of the paper named in ring.h): a load miss whose bytes are in another L1D when it
 * leaves the miss queue is answered after coop.reuse_latency cycles, without any network, queue or stolen cycle.
 * Every other miss goes to L2 in the same cycle as it would without cooperation, so a program that shares nothing
 * takes exactly as long.
 *
 * A miss that finds the way to L2 blocked is looked up too; if it can be answered, it leaves the miss queue one cycle
 * later than its turn. */
#include "coop/ideal.h"

#include "base/arena.h"

#include <stdlib.h>

static const struct cfg_key keys[] = {
    {"coop.reuse_latency", CFG_INT, "0", 0, 100000, NULL, "core cycles",
     "latency from a miss to the answer of another L1D, with coop=ideal and cluster; 0 means the next cycle, as 1 does"},
    {0},
};

struct ideal_node {
  struct coop_node base;
  struct mem_packet *taken;   /* in this cycle: to be answered, or sent to L2 */
  struct mem_packet *blocked; /* still at the head of the miss queue */
  struct mem_packet *granted; /* found elsewhere while it was blocked: can be answered */
};
struct ideal {
  struct coop base;
  uint32_t group;
};

static bool shared(const struct ideal *c, const struct mem_packet *k) {
  uint32_t first = k->sm / c->group * c->group;
  for (uint32_t i = first; i < first + c->group && i < c->base.place.sms; i++)
    if (i != k->sm && coop_has(c->base.nodes[i], k)) return true;
  return false;
}

bool ideal_offer(struct coop_node *base, struct mem_packet *k, bool free_slot, uint64_t now) {
  struct ideal_node *n = (struct ideal_node *)base;
  bool take = free_slot || n->granted == k;
  *(take ? &n->taken : &n->blocked) = k;
  if (take) {
    k->local = now;
    base->stats[COOP_S_ENTERED]++;
  }
  mem_wake_at(&base->net->wake, now);
  return take;
}

/* A granted miss is answered whatever has happened to the other copy since, because its data were read then. */
static void settle(struct ideal *c, struct ideal_node *n, uint64_t now) {
  struct mem_packet *k = n->taken;
  if (n->granted == k || shared(c, k)) {
    k->kind = MEM_READ_REPLY;
    mem_port_push(&n->base.replies, k, now);
  } else {
    n->base.stats[COOP_S_RETURNED]++;
    k->sent = now;
    mem_port_push(n->base.below, k, now);
  }
  n->taken = n->granted = NULL;
}

uint64_t ideal_tick(struct coop *base, uint64_t now) {
  struct ideal *c = (struct ideal *)base;
  for (uint32_t i = 0; i < base->place.sms; i++) {
    struct ideal_node *n = (struct ideal_node *)base->nodes[i];
    if (n->taken) settle(c, n, now);
    if (n->blocked && !n->granted && shared(c, n->blocked)) n->granted = n->blocked;
    n->blocked = NULL;
  }
  return MEM_NEVER;
}

bool ideal_idle(const struct coop *c) {
  for (uint32_t i = 0; i < c->place.sms; i++)
    if (c->nodes[i]->replies.count) return false;
  return true;
}

void ideal_explain(const struct coop *c, uint64_t now, struct str *out) {
  (void)now;
  for (uint32_t i = 0; i < c->place.sms; i++)
    if (c->nodes[i]->replies.count) str_add(out, "cooperation node %u: %u answers in flight\n", i, c->nodes[i]->replies.count);
}

struct coop *ideal_create(const struct cfg *cfg, const struct coop_place *place, uint32_t group) {
  enum { SLACK = 8 }; /* one enters and one leaves per cycle */
  uint32_t latency = (uint32_t)cfg_int(cfg, "coop.reuse_latency");
  struct ideal *c = must_alloc(sizeof *c);
  c->group = group;
  coop_init(&c->base, place, sizeof(struct ideal_node), latency + SLACK, latency ? latency : 1);
  return &c->base;
}

void ideal_destroy(struct coop *c) {
  coop_free(c);
  free(c);
}

static struct coop *create(const struct cfg *cfg, const struct coop_place *place, struct err *e) {
  (void)e;
  return ideal_create(cfg, place, place->sms);
}

const struct coop_policy coop_ideal = {
    .policy = {.name = "ideal", .meaning = "a miss on a line that another L1D has is answered after a fixed time, at no other cost",
               .paper = "Dublish, Nagarajan, Topham: Cooperative caching for GPUs, TACO 2016", .keys = keys,
               .bound = true, .stats = coop_stats},
    .create = create, .destroy = ideal_destroy, .offer = ideal_offer, .tick = ideal_tick, .idle = ideal_idle,
    .explain = ideal_explain};
