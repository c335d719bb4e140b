/* Cooperation between the L1Ds: a load miss may be answered by the L1D of another SM before it is sent to L2.
 *
 * A network (key coop; each policy is one file, listed in coop_registry.c) stands between the miss queues of the SMs
 * and the request network. Each SM has a node of it, to which it offers the load at the head of its miss queue. What
 * the node takes comes back either as a reply, filled from another L1D, or as a request that must go to L2 after all.
 * What the node does not take goes to L2 at once. With coop=none there are no nodes, and nothing is offered.
 *
 * The network is visited right after the SMs of an instant, by one thread. It sees what their L1Ds hold at that time,
 * and what it gives to an SM is seen one cycle later. Between two visits an SM touches only its own node.
 *
 * What may be taken: loads of global memory that missed in an L1D that they use. Not loads that bypass the L1D,
 * either by their operator (ld.cg and ld.cv must see the value in L2) or by a bypass policy (which sends them to L2);
 * not local memory, constants, textures and code, which no other L1D has.
 *
 * Another L1D answers if it holds every byte that is asked for; pending bytes do not count. With organisations that
 * fetch parts of lines, a line of which only some of the wanted bytes are present does not answer (coop.partial): a
 * request asks once and is answered once.
 *
 * Owns: nodes, copies of the tags (shadow.h), packets that were taken. Does not: look into an L1D, or change what it
 * holds. */
#ifndef COOP_COOP_H
#define COOP_COOP_H

#include "base/err.h"
#include "base/policy.h"
#include "base/stat.h"
#include "base/str.h"
#include "coop/shadow.h"
#include "l1/l1.h"
#include "mem/peers.h"
#include "mem/port.h"

enum coop_stat {
  COOP_S_ENTERED, COOP_S_DEFLECTED, COOP_S_THROTTLED, COOP_S_HITS, COOP_S_RETURNED, COOP_S_PARTIAL, COOP_S_LOOKUPS,
  COOP_S_TAG_ACCESSES, COOP_S_DATA_READS, COOP_S_REQUEST_WRITES, COOP_S_RESPONSE_WRITES, COOP_S_REQUEST_FLITS, COOP_S_RESPONSE_FLITS,
  COOP_S_HIT_HOPS, COOP_S_REUSE_LATENCY, COOP_S_HIT_LATENCY, COOP_S_OVERHEAD, COOP_S_STALLED_HITS, COOP_S_OFF_EPOCHS,
  COOP_S_EPOCHS, COOP_STATS
};

extern const struct stat_def coop_stats[COOP_STATS + 1]; /* statistics of every network, counted for each node */

struct coop;
struct coop_node {
  struct coop *net;
  uint32_t id;
  struct mem_port replies;       /* to the SM: filled from another L1D */
  struct mem_port returned;      /* to the SM: requests that no other L1D could answer, to be sent to L2 */
  struct mem_port *below;        /* the SM's way to L2, for networks that take no time */
  uint64_t stolen;               /* the L1D's data array is busy until then, because it is read for another SM */
  const uint64_t *instructions;  /* thread instructions its SM has executed */
  struct table shadow;
  uint64_t stats[COOP_STATS];
};

struct coop_place {
  uint32_t sms;
  uint64_t period; /* of the core clock, in ticks */
  struct mem_pool *pool;
  uint32_t slices, fetches; /* L2 slices, and the most fetches that all of them together can have outstanding */
  uint32_t parts;  /* parts of a line that L1Ds fetch separately, of which a request names those it wants; 1: whole lines */
  uint64_t lines;  /* lines that an L1D can hold */
  uint64_t tags_more; /* bits of its tags beyond those of a set-associative cache of as many lines */
};

/* The hardware of a network, in bits, at each SM unless said otherwise. */
struct coop_hardware {
  uint64_t request_queues, response_queues, tags; /* stored */
  uint32_t request_link, response_link;           /* wires */
  uint32_t hop;                                   /* core cycles of a link */
  uint64_t of_slice;                              /* stored at each L2 slice */
};

/* A policy leaves members NULL that it does not need, where they are marked (may be NULL). */
struct coop_policy {
  struct policy policy;
  /* Creates the network. Its struct begins with struct coop, for which it calls coop_init. NULL and *e if it does not
   * fit the GPU. Not called for a policy that is off, with which there are no nodes. */
  struct coop *(*create)(const struct cfg *cfg, const struct coop_place *place, struct err *e);
  void (*destroy)(struct coop *c); /* frees its own memory and the struct; the nodes' common part is freed by coop_free */
  /* A load that another L1D could answer is about to leave for L2: true if the node has taken it. `free_slot`: it is
   * sent to L2 now if the node does not take it. Called while SMs are visited, so only the node may be touched and
   * the network woken (may be NULL). */
  bool (*offer)(struct coop_node *n, struct mem_packet *k, bool free_slot, uint64_t now);
  void (*publish)(struct coop *c); /* called after the SMs of every instant, whether or not the network is due (may be NULL) */
  uint64_t (*tick)(struct coop *c, uint64_t now); /* (may be NULL: it never asks to be visited) */
  /* peers: joins the observers of an L2 slice and returns whom the slice asks before DRAM. asked: an L2 slice asks
   * the node's SM for a line; called while SMs are visited, and the packet becomes the network's. (Both may be NULL.) */
  struct mem_peers *(*peers)(struct coop *c, uint32_t slice, struct mem_observers *of_slice);
  void (*asked)(struct coop_node *n, struct mem_packet *k, uint64_t now);
  bool (*idle)(const struct coop *c);
  void (*explain)(const struct coop *c, uint64_t now, struct str *out);
  struct coop_hardware (*hardware)(const struct coop *c); /* (may be NULL: it needs none) */
  void (*put_stats)(const struct coop *c, struct stats *s); /* registers statistics besides coop_stats (may be NULL) */
};
extern const struct policy *const coop_policies[]; /* the policies of coop */
extern const struct cfg_key coop_keys[];

struct coop {
  struct mem_wake wake;
  const struct coop_policy *ops;
  struct coop_place place;
  struct coop_node **nodes; /* place.sms of them; each is the first member of a node of the network */
  uint32_t first;           /* the node that is visited first; must not change a result */
};

/* The hardware of a configuration's network; all zero if there is none. coop_storage has the parts of storage that follow from it. */
bool coop_hardware_of(const struct cfg *cfg, struct coop_hardware *out, struct err *e);
extern const struct policy_part coop_storage[];

/* Creates the network; *out is NULL if coop is none. */
bool coop_new(struct coop **out, const struct cfg *cfg, const struct coop_place *place, struct err *e);
void coop_delete(struct coop *c);
/* Connects a node with its SM: `sm` is woken by replies, and the tags of `l1` are copied. */
void coop_attach(struct coop_node *n, struct mem_wake *sm, struct l1 *l1);
void coop_register(const struct coop *c, struct stats *s);
/* Whether a node's copy agrees with the tags of its L1D; e is filled if not. For tests, at any time. */
bool coop_same_tags(const struct coop_node *n, const struct l1 *l1, struct err *e);
/* Checks conservation: everything that entered was answered or returned once. */
bool coop_check(const struct coop *c, struct err *e);

/* Whether a load may be answered by another SM at all. */
static inline bool coop_eligible(const struct mem_packet *k) {
  return k->kind == MEM_READ && k->class_ == MEM_GLOBAL && !k->bypass;
}
static inline bool coop_offer(struct coop_node *n, struct mem_packet *k, bool free_slot, uint64_t now) {
  return n->net->ops->offer && n->net->ops->offer(n, k, free_slot, now);
}
/* Counts an answer that the SM takes. */
static inline void coop_took(struct coop_node *n, const struct mem_packet *k, uint64_t now) {
  uint64_t period = n->net->wake.period;
  n->stats[COOP_S_HITS]++;
  n->stats[COOP_S_REUSE_LATENCY] += (now - k->local) / period;
  n->stats[COOP_S_HIT_LATENCY] += (now - k->born) / period;
}
static inline uint64_t coop_tick(struct coop *c, uint64_t now) { return c->ops->tick(c, now); }

/* ---- for networks ------------------------------------------------------------------------------------------------------ */

/* Bits that hold numbers up to n - 1. */
static inline uint32_t coop_bits_for(uint32_t n) {
  uint32_t bits = 0;
  while ((UINT64_C(1) << bits) < n) bits++;
  return bits;
}
/* Fills the common part: nodes of `size` bytes each, with reply ports for `replies` packets and of this latency. */
void coop_init(struct coop *c, const struct coop_place *place, size_t size, uint32_t replies, uint32_t latency);
void coop_free(struct coop *c);
/* Counts a packet that enters. Until it leaves, its `local` is the time when it entered. */
static inline void coop_enter(struct coop_node *home, struct mem_packet *k, uint64_t now) {
  k->local = now;
  home->stats[COOP_S_ENTERED]++;
  mem_wake_at(&home->net->wake, home->net->wake.period + now);
}
/* Whether the node's L1D has all that is asked for. */
static inline bool coop_has(const struct coop_node *n, const struct mem_packet *k) {
  return mem_none(mem_minus(k->bytes, coop_shadow_held(&n->shadow, k->line)));
}
void coop_count_lookup(struct coop_node *n, const struct mem_packet *k);
/* Returns a request that no other L1D could answer to its SM; `returned` must have a free slot. */
void coop_give_back(struct coop_node *home, struct mem_packet *k, uint64_t now);

#endif
