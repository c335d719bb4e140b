/* See ring.h. Each SM has a buffer for its misses, a request queue and a response queue; the request queues are connected
 * to a ring, the response queues to another.
 *
 *   Request   enters its home's buffer; a full buffer sends it to L2 instead. From the buffer it enters the request
 *             queue in a cycle in which no request comes over the link: older ones go first. At the head of a queue it
 *             looks into that SM's shadow tags (not at home) and moves on in the same cycle. Back home it is given to the
 *             SM, for L2.
 *   Hit       enters the response queue, before a response that comes over the link in the same cycle; if there is no
 *             room the request stays at the head of its queue. It takes a cycle of the L1D's data array.
 *   Response  moves from queue to queue. The link that ends at its home gives it to the SM, past the queue.
 *
 * A link takes coop.hop cycles and carries coop.request_width or response_width bytes a cycle, so that a line keeps it for
 * several; a queue passes a response on when its first flit has come (the paper does not say; the other extreme, a whole
 * line at each stop, would add three cycles a hop to its one). The paper's two widths of the request channel, 4 bytes in
 * table II and 8 in section 7.2, do not differ for its 30 bits.
 *
 * Deadlock: the paper says nothing of a ring whose queues are all full. Here what enters a ring leaves one place of its
 * queue free, so that something can always move; responses never wait for requests, and SMs always take them.
 *
 * Simplified: the place at the end of a link is not one of the queue's (time is in two phases: hop + 1 places). */
#include "coop/ring.h"

#include "base/arena.h"
#include "mem/mem_stall.h"

#include <stdlib.h>

const struct cfg_key ring_keys[] = {
    {"coop.buffer", CFG_INT, "8", 1, 1024, NULL, "requests", "in an SM's buffer before the request queue"},
    {"coop.request_queue", CFG_INT, "8", 2, 1024, NULL, "requests", "in a request queue of the ring"},
    {"coop.response_queue", CFG_INT, "8", 2, 1024, NULL, "responses", "in a response queue of the ring"},
    {"coop.hop", CFG_INT, "1", 1, 64, NULL, "core cycles", "from one SM to the next"},
    {"coop.request_width", CFG_INT, "4", 1, 64, NULL, "bytes", "of a link of the request channel"},
    {"coop.response_width", CFG_INT, "32", 1, 256, NULL, "bytes", "of a link of the response channel"},
    {"coop.tag_bits", CFG_INT, "26", 8, 64, NULL, "bits", "of an address in a request, beside the SM's number"},
    {"coop.shadow_tag_bits", CFG_INT, "24", 8, 64, NULL, "bits", "of a tag in the shadow tags, beside the valid bit"},
    {"coop.same_way", CFG_BOOL, "false", 0, 0, NULL, "", "responses travel in the direction of requests, not against it"},
    {0},
};

enum { REPLIES = 4 /* answers that wait for their SM */ };

static struct ring *ring_of(struct coop *c) { return (struct ring *)c; }
static struct ring_node *node_at(const struct ring *r, uint32_t i) { return (struct ring_node *)r->base.nodes[i]; }
static struct ring_node *of_response(struct ring_stop *s) {
  return (struct ring_node *)((char *)s - offsetof(struct ring_node, response));
}

/* ---- queues and links ------------------------------------------------------------------------------------------------- */

static uint32_t room(const struct ring_stop *s) { return s->capacity - s->count; }
static struct mem_packet *head(const struct ring_stop *s) { return s->count ? s->at[s->head] : NULL; }

static void put(struct ring_node *n, struct ring_stop *s, struct mem_packet *k) {
  s->at[(s->head + s->count) % s->capacity] = k;
  s->count++;
  n->base.stats[s == &n->request ? COOP_S_REQUEST_WRITES : COOP_S_RESPONSE_WRITES]++;
}

static void take(struct ring_stop *s) {
  s->head = (s->head + 1) % s->capacity;
  s->count--;
}

/* One from the link into the queue. */
static bool take_link(struct ring_node *n, struct ring_stop *s, uint64_t now) {
  if (!mem_port_peek(&s->in, now) || !room(s)) return false;
  put(n, s, mem_port_pop(&s->in, now));
  return true;
}

static uint32_t flits(uint32_t bytes, uint32_t width) { return (bytes + width - 1) / width; }

/* The head of a queue over the link into a port at its end, which sees its first flit or only the whole. */
static bool send(struct ring *r, struct ring_stop *s, struct mem_port *to, uint32_t n_flits, bool whole, uint64_t now) {
  if (s->link_free > now || !mem_port_room(to, now)) return false;
  struct mem_packet *k = head(s);
  take(s);
  k->sent = now;
  to->extra = r->c.hop - 1 + (whole ? n_flits - 1 : 0);
  mem_port_push(to, k, now);
  s->link_free = now + n_flits * r->base.wake.period;
  return true;
}

/* ---- requests ---------------------------------------------------------------------------------------------------------- */

static void enter(struct ring_node *n, uint64_t now) {
  if (mem_port_peek(&n->request.in, now)) {
    take_link(n, &n->request, now);
    return;
  }
  struct mem_packet *k = n->buffer_count ? n->buffer[n->buffer_head] : NULL;
  if (!k || k->local >= now || room(&n->request) < 2) return;
  put(n, &n->request, k);
  n->buffer_head = (n->buffer_head + 1) % ring_of(n->base.net)->c.buffer;
  n->buffer_count--;
}

static uint32_t hops(const struct ring *r, uint32_t from, uint32_t to) {
  return (to + r->base.place.sms - from) % r->base.place.sms;
}

/* The SM's L1D has what is asked for; true if the response is on its way. */
static bool respond(struct ring *r, struct ring_node *n, struct mem_packet *k, uint64_t now) {
  if (room(&n->response) < 2) {
    n->base.stats[COOP_S_STALLED_HITS]++;
    return false;
  }
  uint32_t there = hops(r, k->sm, n->base.id);
  coop_count_lookup(&n->base, k);
  take(&n->request);
  k->kind = MEM_READ_REPLY;
  put(n, &n->response, k);
  n->base.stats[COOP_S_DATA_READS]++;
  n->base.stats[COOP_S_HIT_HOPS] += there + (r->c.same_way ? hops(r, n->base.id, k->sm) : there);
  n->base.stolen = now + 2 * r->base.wake.period; /* the SM's next cycle */
  return true;
}

static void pass_request(struct ring *r, struct ring_node *n, struct mem_packet *k, uint64_t now) {
  uint32_t n_flits = flits((r->c.request_bits + 7) / 8, r->c.request_width);
  if (!send(r, &n->request, &n->request.next->in, n_flits, false, now)) return;
  n->base.stats[COOP_S_REQUEST_FLITS] += n_flits;
  if (k->sm != n->base.id) coop_count_lookup(&n->base, k);
}

/* True if a response was made. */
static bool request_cycle(struct ring *r, struct ring_node *n, uint64_t now) {
  enter(n, now);
  struct mem_packet *k = head(&n->request);
  if (!k) return false;
  if (k->sm != n->base.id && coop_has(&n->base, k)) return respond(r, n, k, now);
  if (k->sm != n->base.id || !k->sent) pass_request(r, n, k, now);
  else if (mem_port_room(&n->base.returned, now)) {
    take(&n->request);
    coop_give_back(&n->base, k, now);
  }
  return false;
}

/* ---- responses --------------------------------------------------------------------------------------------------------- */

static void response_cycle(struct ring *r, struct ring_node *n, bool fresh, uint64_t now) {
  if (!fresh) take_link(n, &n->response, now);
  struct mem_packet *k = head(&n->response);
  if (!k) return;
  struct ring_node *next = of_response(n->response.next);
  bool home = next->base.id == k->sm;
  uint32_t bytes = (uint32_t)(__builtin_popcountll(k->bytes.b[0]) + __builtin_popcountll(k->bytes.b[1]));
  uint32_t n_flits = flits(bytes, r->c.response_width);
  if (send(r, &n->response, home ? &next->base.replies : &next->response.in, n_flits, home, now))
    n->base.stats[COOP_S_RESPONSE_FLITS] += n_flits;
}

/* ---- the network ------------------------------------------------------------------------------------------------------- */

bool ring_offer(struct coop_node *base, struct mem_packet *k, bool can_go, uint64_t now) {
  struct ring_node *n = (struct ring_node *)base;
  uint32_t size = ring_of(base->net)->c.buffer;
  if (n->buffer_count == size) {
    base->stats[COOP_S_DEFLECTED] += can_go;
    return false;
  }
  n->buffer[(n->buffer_head + n->buffer_count++) % size] = k;
  base->stats[COOP_S_REQUEST_WRITES]++;
  coop_enter(base, k, now);
  return true;
}

static uint64_t next_visit(const struct ring *r, const struct ring_node *n, uint64_t now) {
  uint64_t soon = now + r->base.wake.period;
  if (n->buffer_count || n->request.count || n->response.count) return soon;
  uint64_t t = mem_earlier(mem_port_next(&n->request.in), mem_port_next(&n->response.in));
  return t < soon ? soon : t;
}

uint64_t ring_tick(struct coop *c, uint64_t now) {
  struct ring *r = ring_of(c);
  uint64_t next = MEM_NEVER;
  for (uint32_t i = 0; i < c->place.sms; i++) {
    struct ring_node *n = node_at(r, (i + c->first) % c->place.sms);
    bool fresh = request_cycle(r, n, now);
    response_cycle(r, n, fresh, now);
  }
  for (uint32_t i = 0; i < c->place.sms; i++) next = mem_earlier(next, next_visit(r, node_at(r, i), now));
  return next;
}

static uint32_t inside(const struct ring_node *n) {
  return n->buffer_count + n->request.count + n->response.count + n->request.in.count + n->response.in.count +
         n->base.replies.count + n->base.returned.count;
}

bool ring_idle(const struct coop *c) {
  for (uint32_t i = 0; i < c->place.sms; i++)
    if (inside((const struct ring_node *)c->nodes[i])) return false;
  return true;
}

void ring_explain(const struct coop *c, uint64_t now, struct str *out) {
  (void)now;
  for (uint32_t i = 0; i < c->place.sms; i++) {
    const struct ring_node *n = (const struct ring_node *)c->nodes[i];
    if (!inside(n)) continue;
    str_add(out, "cooperation node %u: buffer %u, request queue %u/%u, response queue %u/%u, %u answers, %u for L2\n", i,
            n->buffer_count, n->request.count, n->request.capacity, n->response.count, n->response.capacity,
            n->base.replies.count, n->base.returned.count);
  }
}

/* ---- life -------------------------------------------------------------------------------------------------------------- */

static uint32_t bits_for(uint32_t n) {
  uint32_t bits = 0;
  while ((UINT64_C(1) << bits) < n) bits++;
  return bits;
}

static void init_stop(struct ring_stop *s, const struct ring *r, uint32_t capacity, struct mem_wake *wake) {
  s->capacity = capacity;
  s->at = must_alloc(capacity * sizeof *s->at);
  mem_port_init(&s->in, r->c.hop + 1, r->c.hop, wake, wake);
}

static void free_stop(struct ring_stop *s) {
  mem_port_free(&s->in);
  free(s->at);
}

bool ring_init(struct ring *r, const struct cfg *cfg, const struct coop_place *place, struct err *e) {
  (void)e;
  r->c = (struct ring_config){.buffer = (uint32_t)cfg_int(cfg, "coop.buffer"),
                              .requests = (uint32_t)cfg_int(cfg, "coop.request_queue"),
                              .responses = (uint32_t)cfg_int(cfg, "coop.response_queue"),
                              .hop = (uint32_t)cfg_int(cfg, "coop.hop"),
                              .request_width = (uint32_t)cfg_int(cfg, "coop.request_width"),
                              .response_width = (uint32_t)cfg_int(cfg, "coop.response_width"),
                              .same_way = cfg_bool(cfg, "coop.same_way")};
  r->c.request_bits = (uint32_t)cfg_int(cfg, "coop.tag_bits") + bits_for(place->sms);
  if (place->parts > 1) r->c.request_bits += place->parts;
  r->c.shadow_tag_bits = (uint32_t)cfg_int(cfg, "coop.shadow_tag_bits");
  coop_init(&r->base, place, sizeof(struct ring_node), REPLIES, 1);
  uint32_t n = place->sms, back = r->c.same_way ? 1 : n - 1;
  for (uint32_t i = 0; i < n; i++) {
    struct ring_node *k = node_at(r, i);
    k->buffer = must_alloc(r->c.buffer * sizeof *k->buffer);
    init_stop(&k->request, r, r->c.requests, &r->base.wake);
    init_stop(&k->response, r, r->c.responses, &r->base.wake);
    k->request.next = &node_at(r, (i + 1) % n)->request;
    k->response.next = &node_at(r, (i + back) % n)->response;
  }
  return true;
}

struct coop_hardware ring_hardware(const struct coop *c) {
  const struct ring_config *r = &((const struct ring *)c)->c;
  return (struct coop_hardware){.request_queues = (uint64_t)(r->buffer + r->requests) * r->request_bits,
                                .response_queues = (uint64_t)r->responses * (8 * MEM_LINE + bits_for(c->place.sms)),
                                .tags = c->place.lines * (r->shadow_tag_bits + 1) + c->place.tags_more,
                                .request_link = 8 * r->request_width,
                                .response_link = 8 * r->response_width,
                                .hop = r->hop};
}

void ring_free(struct ring *r) {
  for (uint32_t i = 0; i < r->base.place.sms; i++) {
    struct ring_node *n = node_at(r, i);
    free(n->buffer);
    free_stop(&n->request);
    free_stop(&n->response);
  }
  coop_free(&r->base);
}
