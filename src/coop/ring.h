/* The ring of the cooperative caching network (Dublish, Nagarajan, Topham: Cooperative Caching for GPUs, TACO 2016,
 * section 4), which ccn-b and ccn-rt share: one ring (ring.c), or a ring of rings (ring_tree.c, with coop.rings). */
#ifndef COOP_RING_H
#define COOP_RING_H

#include "coop/coop.h"
#include "coop/ring_stop.h"

struct ring_config {
  uint32_t buffer, requests, responses; /* entries */
  uint32_t hop;                         /* cycles */
  uint32_t request_width, response_width, request_bits, shadow_tag_bits;
  uint32_t rings, inquiries;            /* for a ring of rings */
  bool same_way;
};

struct ring_node {
  struct coop_node base;
  struct ring_stop request, response;
  struct mem_ring buffer; /* CCN buffer: misses that wait to enter the request queue */
};

struct ring;
struct ring_kind {
  size_t node_size;
  bool (*init)(struct ring *r, const struct cfg *cfg, struct err *e); /* called when the nodes exist; connects them */
  void (*free)(struct ring *r);                                       /* its own memory (may be NULL) */
  uint64_t (*tick)(struct coop *c, uint64_t now);
  uint32_t (*inside)(const struct ring *r); /* number of packets outside the nodes (may be NULL: none) */
};
extern const struct ring_kind ring_flat, ring_tree;

struct ring {
  struct coop base;
  struct ring_config c;
  const struct ring_kind *kind;
  struct tree *tree; /* of ring_tree */
};

extern const struct cfg_key ring_keys[];
/* Initialises the struct ring with which the network's own struct begins. */
bool ring_init(struct ring *r, const struct cfg *cfg, const struct coop_place *place, struct err *e);
void ring_free(struct ring *r);
/* Takes the packet if the CCN buffer has a free slot. */
bool ring_offer(struct coop_node *n, struct mem_packet *k, bool free_slot, uint64_t now);
uint64_t ring_tick(struct coop *c, uint64_t now);
bool ring_idle(const struct coop *c);
void ring_explain(const struct coop *c, uint64_t now, struct str *out);
struct coop_hardware ring_hardware(const struct coop *c);

/* ---- for both kinds ---------------------------------------------------------------------------------------------------- */

static inline struct ring_node *ring_node_at(const struct ring *r, uint32_t i) { return (struct ring_node *)r->base.nodes[i]; }
/* ring_buffered: the oldest miss in the buffer, if it has been there for a cycle. ring_unbuffer takes it out. */
struct mem_packet *ring_buffered(const struct ring_node *n, uint64_t now);
void ring_unbuffer(struct ring_node *n);
uint32_t ring_request_flits(const struct ring *r);
uint32_t ring_response_flits(const struct ring *r, const struct mem_packet *k);
/* The SM's L1D is read for another SM, which takes a cycle of its data array. */
void ring_read_line(struct ring_node *n, uint64_t now);
/* When a node next wants to be visited, by its queues and links. */
uint64_t ring_next_visit(const struct ring_stop *request, const struct ring_stop *response, bool waits, uint64_t now);

#endif
