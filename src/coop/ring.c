/* See ring.h. Each SM has a buffer for its misses, a request queue and a response queue. The request queues are
 * connected to one ring, the response queues to another.
 *
 *   Request   enters the buffer of its SM, its home; if that is full, it goes to L2 instead. From the buffer it enters the
 *             request queue in a cycle in which no request comes over the link, since older ones go first. At the head of a
 *             queue it looks into that SM's shadow tags (not at home) and moves on in the same cycle. Back home it is given to
 *             the SM, for L2.
 *   Hit       enters the response queue, before a response that comes over the link in the same cycle. Without a free slot
 *             the request stays at the head of its queue. A hit takes a cycle of the L1D's data array.
 *   Response  moves from queue to queue. The link that ends at its home gives it to the SM directly, past the queue.
 *
 * A link takes coop.hop cycles and carries coop.request_width or coop.response_width bytes a cycle, so a line
 * occupies it for several cycles. A queue passes a response on when its first flit has come. (The paper does not say;
 * the other extreme, a whole line at each stop, would add three cycles to the one of a hop.) The paper gives two
 * widths of the request channel, 4 bytes in table II and 8 in section 7.2; for its requests of 30 bits they make no
 * difference.
 *
 * Deadlock: the paper does not say what happens in a ring whose queues are all full. Here whatever enters leaves a
 * slot free (ring_stop.h), responses never wait for requests, and SMs always take responses.
 *
 * Simplified: the slot at the end of a link is not one of the queue's (with two-phase time it takes hop + 1 slots). */
#include "coop/ring.h"

#include "mem/mem_stall.h"

#include <stdlib.h>

const struct cfg_key ring_keys[] = {
    {"coop.buffer", CFG_INT, "8", 1, 1024, NULL, "requests", "requests that an SM's buffer in front of the ring's request queue can hold"},
    {"coop.request_queue", CFG_INT, "8", 2, 1024, NULL, "requests", "requests that a request queue of the ring can hold"},
    {"coop.response_queue", CFG_INT, "8", 2, 1024, NULL, "responses", "responses that a response queue of the ring can hold"},
    {"coop.hop", CFG_INT, "1", 1, 64, NULL, "core cycles", "latency of a hop of the ring, from one SM to the next"},
    {"coop.request_width", CFG_INT, "4", 1, 64, NULL, "bytes", "width of a link of the ring's request channel"},
    {"coop.response_width", CFG_INT, "32", 1, 256, NULL, "bytes", "width of a link of the ring's response channel"},
    {"coop.tag_bits", CFG_INT, "26", 8, 64, NULL, "bits", "address bits in a request on the ring, in addition to the number of the SM"},
    {"coop.shadow_tag_bits", CFG_INT, "24", 8, 64, NULL, "bits", "bits of a tag in the shadow tags, in addition to the valid bit"},
    {"coop.rings", CFG_INT, "1", 1, 32, NULL, "rings", "rings that the SMs are divided into, connected by a ring of hubs; 1: one ring"},
    {"coop.inquiries", CFG_INT, "16", 1, 1024, NULL, "requests", "requests that an SM may have outstanding, with several rings"},
    {"coop.same_way", CFG_BOOL, "false", 0, 0, NULL, "",
     "responses travel round the ring in the same direction as requests; false: in the opposite direction"},
    {0},
};

enum { REPLIES = 4 /* answers that wait for their SM */ };

static struct ring *ring_of(struct coop *c) { return (struct ring *)c; }
static struct ring_node *of_response(struct ring_stop *s) {
  return (struct ring_node *)((char *)s - offsetof(struct ring_node, response));
}

/* ---- for both kinds ---------------------------------------------------------------------------------------------------- */

struct mem_packet *ring_buffered(const struct ring_node *n, uint64_t now) {
  const struct mem_slot *first = mem_ring_head(&n->buffer);
  return first && first->k->local < now ? first->k : NULL;
}

void ring_unbuffer(struct ring_node *n) { mem_ring_pop(&n->buffer); }

uint32_t ring_request_flits(const struct ring *r) { return ring_flits((r->c.request_bits + 7) / 8, r->c.request_width); }

uint32_t ring_response_flits(const struct ring *r, const struct mem_packet *k) {
  uint32_t bytes = (uint32_t)(__builtin_popcountll(k->bytes.b[0]) + __builtin_popcountll(k->bytes.b[1]));
  return ring_flits(bytes, r->c.response_width);
}

void ring_read_line(struct ring_node *n, uint64_t now) {
  n->base.stats[COOP_S_DATA_READS]++;
  n->base.stolen = now + 2 * n->base.net->wake.period; /* the SM's next cycle */
}

uint64_t ring_next_visit(const struct ring_stop *request, const struct ring_stop *response, bool waits, uint64_t now) {
  uint64_t soon = now + request->in.consumer->period;
  if (waits || request->queue.count || response->queue.count) return soon;
  return mem_later(soon, mem_earlier(mem_port_next(&request->in), mem_port_next(&response->in)));
}

/* ---- requests ---------------------------------------------------------------------------------------------------------- */

static void enter(struct ring_node *n, uint64_t now) {
  if (mem_port_peek(&n->request.in, now)) {
    ring_take_link(&n->request, now);
    return;
  }
  struct mem_packet *k = ring_buffered(n, now);
  if (!k || !ring_enters(&n->request)) return;
  ring_put(&n->request, k);
  ring_unbuffer(n);
}

static uint32_t hops(const struct ring *r, uint32_t from, uint32_t to) {
  return (to + r->base.place.sms - from) % r->base.place.sms;
}

/* The SM's L1D has what is asked for; true if the response has been sent. */
static bool respond(struct ring *r, struct ring_node *n, struct mem_packet *k, uint64_t now) {
  if (!ring_enters(&n->response)) {
    n->base.stats[COOP_S_STALLED_HITS]++;
    return false;
  }
  uint32_t there = hops(r, k->sm, n->base.id);
  coop_count_lookup(&n->base, k);
  ring_take(&n->request);
  k->kind = MEM_READ_REPLY;
  ring_put(&n->response, k);
  ring_read_line(n, now);
  n->base.stats[COOP_S_HIT_HOPS] += there + (r->c.same_way ? hops(r, n->base.id, k->sm) : there);
  return true;
}

static void pass_request(struct ring *r, struct ring_node *n, struct mem_packet *k, uint64_t now) {
  struct mem_port *to = &n->request.next->in;
  if (!ring_can_send(&n->request, to, now)) return;
  if (k->sm != n->base.id) coop_count_lookup(&n->base, k);
  ring_send(&n->request, ring_take(&n->request), to, ring_request_flits(r), false, now);
}

/* True if a response was made. */
static bool request_cycle(struct ring *r, struct ring_node *n, uint64_t now) {
  enter(n, now);
  struct mem_packet *k = ring_head(&n->request);
  if (!k) return false;
  if (k->sm != n->base.id && coop_has(&n->base, k)) return respond(r, n, k, now);
  if (k->sm != n->base.id || !k->sent) pass_request(r, n, k, now);
  else if (mem_port_free_slots(&n->base.returned, now)) coop_give_back(&n->base, ring_take(&n->request), now);
  return false;
}

/* ---- responses --------------------------------------------------------------------------------------------------------- */

static void response_cycle(struct ring *r, struct ring_node *n, bool fresh, uint64_t now) {
  if (!fresh) ring_take_link(&n->response, now);
  struct mem_packet *k = ring_head(&n->response);
  if (!k) return;
  struct ring_node *next = of_response(n->response.next);
  bool home = next->base.id == k->sm;
  struct mem_port *to = home ? &next->base.replies : &next->response.in;
  if (ring_can_send(&n->response, to, now))
    ring_send(&n->response, ring_take(&n->response), to, ring_response_flits(r, k), home, now);
}

/* ---- one ring ---------------------------------------------------------------------------------------------------------- */

static uint64_t flat_tick(struct coop *c, uint64_t now) {
  struct ring *r = ring_of(c);
  uint64_t next = MEM_NEVER;
  for (uint32_t i = 0; i < c->place.sms; i++) {
    struct ring_node *n = ring_node_at(r, (i + c->first) % c->place.sms);
    bool fresh = request_cycle(r, n, now);
    response_cycle(r, n, fresh, now);
  }
  for (uint32_t i = 0; i < c->place.sms; i++) {
    const struct ring_node *n = ring_node_at(r, i);
    next = mem_earlier(next, ring_next_visit(&n->request, &n->response, n->buffer.count, now));
  }
  return next;
}

static bool flat_init(struct ring *r, const struct cfg *cfg, struct err *e) {
  uint32_t n = r->base.place.sms, back = r->c.same_way ? 1 : n - 1;
  (void)cfg, (void)e;
  for (uint32_t i = 0; i < n; i++) {
    ring_node_at(r, i)->request.next = &ring_node_at(r, (i + 1) % n)->request;
    ring_node_at(r, i)->response.next = &ring_node_at(r, (i + back) % n)->response;
  }
  return true;
}

const struct ring_kind ring_flat = {.node_size = sizeof(struct ring_node), .init = flat_init, .tick = flat_tick};

/* ---- the network ------------------------------------------------------------------------------------------------------- */

bool ring_offer(struct coop_node *base, struct mem_packet *k, bool can_go, uint64_t now) {
  struct ring_node *n = (struct ring_node *)base;
  if (!mem_ring_free_slots(&n->buffer)) {
    base->stats[COOP_S_DEFLECTED] += can_go;
    return false;
  }
  mem_ring_push(&n->buffer, k, 0);
  base->stats[COOP_S_REQUEST_WRITES]++;
  coop_enter(base, k, now);
  return true;
}

uint64_t ring_tick(struct coop *c, uint64_t now) { return ring_of(c)->kind->tick(c, now); }

static uint32_t inside(const struct ring_node *n) {
  return n->buffer.count + ring_inside(&n->request) + ring_inside(&n->response) + n->base.replies.count +
         n->base.returned.count;
}

bool ring_idle(const struct coop *c) {
  const struct ring *r = (const struct ring *)c;
  for (uint32_t i = 0; i < c->place.sms; i++)
    if (inside(ring_node_at(r, i))) return false;
  return !r->kind->inside || !r->kind->inside(r);
}

void ring_explain(const struct coop *c, uint64_t now, struct str *out) {
  const struct ring *r = (const struct ring *)c;
  (void)now;
  for (uint32_t i = 0; i < c->place.sms; i++) {
    const struct ring_node *n = ring_node_at(r, i);
    if (!inside(n)) continue;
    str_add(out, "cooperation node %u: buffer %u, request queue %u/%u, response queue %u/%u, %u answers, %u for L2\n", i,
            n->buffer.count, n->request.queue.count, n->request.queue.capacity, n->response.queue.count,
            n->response.queue.capacity, n->base.replies.count, n->base.returned.count);
  }
  if (r->kind->inside && r->kind->inside(r)) str_add(out, "cooperation hubs: %u messages\n", r->kind->inside(r));
}

/* ---- life -------------------------------------------------------------------------------------------------------------- */

static struct ring_config read_config(const struct cfg *cfg, const struct coop_place *place) {
  struct ring_config c = {.buffer = (uint32_t)cfg_int(cfg, "coop.buffer"),
                          .requests = (uint32_t)cfg_int(cfg, "coop.request_queue"),
                          .responses = (uint32_t)cfg_int(cfg, "coop.response_queue"),
                          .hop = (uint32_t)cfg_int(cfg, "coop.hop"),
                          .request_width = (uint32_t)cfg_int(cfg, "coop.request_width"),
                          .response_width = (uint32_t)cfg_int(cfg, "coop.response_width"),
                          .shadow_tag_bits = (uint32_t)cfg_int(cfg, "coop.shadow_tag_bits"),
                          .rings = (uint32_t)cfg_int(cfg, "coop.rings"),
                          .inquiries = (uint32_t)cfg_int(cfg, "coop.inquiries"),
                          .same_way = cfg_bool(cfg, "coop.same_way")};
  c.request_bits = (uint32_t)cfg_int(cfg, "coop.tag_bits") + coop_bits_for(place->sms);
  if (place->parts > 1) c.request_bits += place->parts;
  return c;
}

static void init_node(struct ring *r, struct ring_node *n) {
  uint64_t *stats = n->base.stats;
  mem_ring_init(&n->buffer, r->c.buffer);
  ring_stop_init(&n->request, r->c.requests, r->c.hop, &r->base.wake);
  ring_stop_init(&n->response, r->c.responses, r->c.hop, &r->base.wake);
  n->request.writes = &stats[COOP_S_REQUEST_WRITES], n->request.flits = &stats[COOP_S_REQUEST_FLITS];
  n->response.writes = &stats[COOP_S_RESPONSE_WRITES], n->response.flits = &stats[COOP_S_RESPONSE_FLITS];
}

bool ring_init(struct ring *r, const struct cfg *cfg, const struct coop_place *place, struct err *e) {
  r->c = read_config(cfg, place);
  r->kind = r->c.rings > 1 ? &ring_tree : &ring_flat;
  coop_init(&r->base, place, r->kind->node_size, REPLIES, 1);
  for (uint32_t i = 0; i < place->sms; i++) init_node(r, ring_node_at(r, i));
  if (r->kind->init(r, cfg, e)) return true;
  ring_free(r);
  return false;
}

/* Hubs have two request queues and three for responses each, which their SMs share; an inquiry is a request and its count
 * of answers. */
struct coop_hardware ring_hardware(const struct coop *c) {
  const struct ring_config *r = &((const struct ring *)c)->c;
  uint64_t hubs = r->rings > 1 ? r->rings : 0, sms = c->place.sms, response = 8 * MEM_LINE + coop_bits_for(c->place.sms);
  uint64_t requests = r->buffer + r->requests + (2 * hubs * r->requests + sms - 1) / sms;
  uint64_t responses = r->responses + (3 * hubs * r->responses + sms - 1) / sms;
  uint64_t inquiries = hubs ? r->inquiries * (r->request_bits + coop_bits_for(r->rings) + 2) : 0;
  return (struct coop_hardware){.request_queues = requests * r->request_bits + inquiries,
                                .response_queues = responses * response,
                                .tags = c->place.lines * (r->shadow_tag_bits + 1) + c->place.tags_more,
                                .request_link = 8 * r->request_width,
                                .response_link = 8 * r->response_width,
                                .hop = r->hop};
}

void ring_free(struct ring *r) {
  if (r->kind->free) r->kind->free(r);
  for (uint32_t i = 0; i < r->base.place.sms; i++) {
    struct ring_node *n = ring_node_at(r, i);
    mem_ring_free(&n->buffer);
    ring_stop_free(&n->request);
    ring_stop_free(&n->response);
  }
  coop_free(&r->base);
}
