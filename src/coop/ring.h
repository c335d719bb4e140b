/* The ring of the cooperative caching network (Dublish, Nagarajan, Topham: Cooperative Caching for GPUs, TACO 2016, section
 * 4), which ccn-b and ccn-rt share. See ring.c. */
#ifndef COOP_RING_H
#define COOP_RING_H

#include "coop/coop.h"

/* A node's stop on one channel: the link from the stop before it, and the queue behind that. */
struct ring_stop {
  struct mem_port in;
  struct ring_stop *next;    /* where its own link ends */
  uint64_t link_free;        /* that link is taken until */
  struct mem_packet **at;    /* the queue, a ring buffer */
  uint32_t capacity, head, count;
};

struct ring_node {
  struct coop_node base;
  struct ring_stop request, response;
  struct mem_packet **buffer; /* CCN buffer: misses that wait to enter the request queue */
  uint32_t buffer_head, buffer_count;
};

struct ring_config {
  uint32_t buffer, requests, responses; /* entries */
  uint32_t hop;                         /* cycles */
  uint32_t request_width, response_width, request_bits, shadow_tag_bits;
  bool same_way;
};

struct ring {
  struct coop base;
  struct ring_config c;
};

extern const struct cfg_key ring_keys[];
/* Fills a struct ring that begins the network's own. */
bool ring_init(struct ring *r, const struct cfg *cfg, const struct coop_place *place, struct err *e);
void ring_free(struct ring *r);
/* Takes the packet if the CCN buffer has room. */
bool ring_offer(struct coop_node *n, struct mem_packet *k, bool room, uint64_t now);
uint64_t ring_tick(struct coop *c, uint64_t now);
bool ring_idle(const struct coop *c);
void ring_explain(const struct coop *c, uint64_t now, struct str *out);
struct coop_hardware ring_hardware(const struct coop *c);

#endif
