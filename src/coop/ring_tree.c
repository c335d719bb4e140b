/* A ring of rings, for GPUs with more SMs than one ring serves well (section 5.6 of the paper named in ring.h: "a
 * sub-ring that contains the requesting core can inquire other sub-rings in parallel"). The paper has only this
 * sentence; what follows is one way to build it.
 *
 * The SMs are divided into coop.rings rings of neighbours. Each ring has one more stop, its hub, and the hubs form a
 * ring of their own. All rings have the queues, links and priorities of the single ring (ring.c).
 *
 *   Inquiry   a miss stays at home, in a table of coop.inquiries entries; what travels are its probes. The first probe goes
 *             round the ring of its home. When it passes the hub without having been answered, a probe for the other rings
 *             enters the ring of hubs; without a free slot there, the other rings are not asked. That probe drops a probe of
 *             its own into each ring that it passes, and ends at the hub of its home. So all other rings are asked in parallel,
 *             at the same time as the ring of its home.
 *   Answer    a probe that finds its line is answered with it. A probe that comes round to its hub without an answer has
 *             found nothing, which is reported in one flit. Answers of other rings go back over the ring of hubs. The hub of
 *             the home passes on the first line that comes (if it has a free slot; otherwise the line counts as nothing),
 *             drops later ones, and notifies the home when no ring had the line.
 *   End       the miss is answered by the first line that reaches its home, and goes to L2 when the ring of its home and all
 *             others have found nothing. Its table entry is free when every answer has come.
 *
 * Simplified: the home knows without a message when the last of several lines has reached its hub.
 *
 * Deadlock: the ring of the home never waits for the ring of hubs (a probe that cannot fork goes on), answers never
 * wait for probes, and a hub always takes an answer from the ring of hubs. */
#include "coop/ring.h"

#include "mem/mem_stall.h"

enum { DATA = MEM_READ_REPLY, NOTHING = MEM_WRITE_ACK }; /* kinds of answers; a probe is MEM_READ */

struct inquiry {
  struct mem_packet *k;  /* NULL: the entry is free */
  uint32_t open;         /* answers to come: of home's ring, and of all others together */
  uint32_t rings;        /* other rings that have not answered yet */
  bool answered;         /* the SM has its line */
  uint64_t changed;      /* when the last answer came: home sees it in the next cycle, whoever is visited first */
  bool passed_on;        /* the hub has sent a line of another ring home */
};

struct tree_node {
  struct ring_node base;
  struct inquiry *out;
  uint32_t ring;
};

/* Stops of a ring are its SMs' and, last, its hub's. */
struct hub {
  struct ring_stop request, response;  /* in its ring */
  struct ring_stop far_request, far_response; /* in the ring of hubs */
  struct ring_stop down;               /* lines for SMs of its ring; only its queue is used */
  uint32_t *nothing;                   /* SMs and entries to be notified that no other ring had it: a queue */
  uint32_t nothing_head, nothing_count, nothing_size;
  uint32_t first, sms;
};

struct tree {
  struct hub *hub;
};

static struct tree_node *node_at(const struct ring *r, uint32_t i) { return (struct tree_node *)r->base.nodes[i]; }
static struct inquiry *inquiry_of(const struct ring *r, const struct mem_packet *k) { return &node_at(r, k->sm)->out[k->owner]; }
static struct hub *hub_of(const struct ring *r, const struct mem_packet *k) { return &r->tree->hub[node_at(r, k->sm)->ring]; }

static struct mem_packet *copy_of(const struct ring *r, const struct mem_packet *k, uint8_t kind) {
  struct mem_packet *p = mem_packet_new(r->base.place.pool);
  *p = (struct mem_packet){.line = k->line, .bytes = k->bytes, .sectors = k->sectors, .sm = k->sm, .owner = k->owner, .kind = kind,
                           .degree = k->degree /* hops */, .sent = k->sent, .l2_hit = k->l2_hit /* has forked */};
  return p;
}
static void drop(const struct ring *r, struct mem_packet *k) { mem_packet_free(r->base.place.pool, k); }

static uint32_t answer_flits(const struct ring *r, const struct mem_packet *k) {
  return k->kind == DATA ? ring_response_flits(r, k) : 1;
}

/* ---- the table at home ------------------------------------------------------------------------------------------------- */

static struct inquiry *free_inquiry(struct tree_node *n, uint32_t size) {
  for (uint32_t i = 0; i < size; i++)
    if (!n->out[i].k) return &n->out[i];
  return NULL;
}

static bool ended(const struct inquiry *q) { return !q->open && !q->rings; }
static void close_one(struct inquiry *q, uint64_t now) {
  q->open--;
  q->changed = now;
}

/* All answers have arrived: the entry ends, if necessary when there is a free slot on the way to L2. */
static void settle(struct tree_node *n, struct inquiry *q, uint64_t now) {
  if (!q->k || !ended(q) || q->changed == now) return;
  if (!q->answered) {
    if (!mem_port_free_slots(&n->base.base.returned, now)) return;
    coop_give_back(&n->base.base, q->k, now);
  }
  *q = (struct inquiry){0};
}

static void settle_all(struct ring *r, struct tree_node *n, uint64_t now) {
  for (uint32_t i = 0; i < r->c.inquiries; i++) settle(n, &n->out[i], now);
}

/* ---- probes ------------------------------------------------------------------------------------------------------------ */

/* Takes a miss from the buffer: the miss stays, a probe is sent. */
static void start(struct ring *r, struct tree_node *n, uint64_t now) {
  struct mem_packet *k = ring_buffered(&n->base, now);
  struct inquiry *q = k && ring_enters(&n->base.request) ? free_inquiry(n, r->c.inquiries) : NULL;
  if (!q) return;
  ring_unbuffer(&n->base);
  *q = (struct inquiry){.k = k, .open = 1};
  struct mem_packet *p = copy_of(r, k, MEM_READ);
  p->owner = (uint32_t)(q - n->out);
  p->degree = 0;
  ring_put(&n->base.request, p);
}

static void pass(struct ring_stop *s, uint32_t flits, uint64_t now) {
  if (!ring_can_send(s, &s->next->in, now)) return;
  struct mem_packet *k = ring_take(s);
  k->degree++;
  ring_send(s, k, &s->next->in, flits, false, now);
}

/* True if a response was made. */
static bool respond(struct tree_node *n, struct mem_packet *k, uint64_t now) {
  if (!ring_enters(&n->base.response)) {
    n->base.base.stats[COOP_S_STALLED_HITS]++;
    return false;
  }
  coop_count_lookup(&n->base.base, k);
  ring_take(&n->base.request);
  k->kind = DATA;
  ring_put(&n->base.response, k);
  ring_read_line(&n->base, now);
  return true;
}

static bool request_cycle(struct ring *r, struct tree_node *n, uint64_t now) {
  struct ring_stop *s = &n->base.request;
  if (mem_port_peek(&s->in, now)) ring_take_link(s, now);
  else start(r, n, now);
  struct mem_packet *k = ring_head(s);
  if (!k) return false;
  bool home = k->sm == n->base.base.id;
  if (!home && coop_has(&n->base.base, k)) return respond(n, k, now);
  if (home && k->sent) { /* round */
    close_one(inquiry_of(r, k), now);
    drop(r, ring_take(s));
  } else {
    uint32_t before = s->queue.count;
    pass(s, ring_request_flits(r), now);
    if (!home && s->queue.count < before) coop_count_lookup(&n->base.base, k);
  }
  return false;
}

/* ---- answers in flight to their SM ----------------------------------------------------------------------------------------- */

/* The head of a response queue whose link ends at its home. */
static void deliver(struct ring *r, struct ring_stop *s, struct tree_node *home, uint64_t now) {
  struct mem_packet *k = ring_head(s);
  struct inquiry *q = inquiry_of(r, k);
  uint32_t flits = answer_flits(r, k);
  bool first = k->kind == DATA && !q->answered;
  if (s->link_free > now || (first && !mem_port_free_slots(&home->base.base.replies, now))) return;
  ring_take(s);
  close_one(q, now);
  if (first) {
    q->answered = true;
    q->k->kind = MEM_READ_REPLY;
    home->base.base.stats[COOP_S_HIT_HOPS] += k->degree + 1u;
    ring_send(s, q->k, &home->base.base.replies, flits, true, now);
  } else ring_use_link(s, flits, now);
  drop(r, k);
}

/* A stop of a ring: on to the next, which may be an SM or the hub. */
static void response_cycle(struct ring *r, struct ring_stop *s, struct tree_node *next, bool fresh, uint64_t now) {
  if (!fresh) ring_take_link(s, now);
  struct mem_packet *k = ring_head(s);
  if (!k) return;
  if (next && next->base.base.id == k->sm) deliver(r, s, next, now);
  else pass(s, answer_flits(r, k), now);
}

/* ---- hubs: probes ------------------------------------------------------------------------------------------------------ */

/* A probe of its own ring passes: the other rings are asked too, if there is a free slot. */
static void fork_probe(struct ring *r, struct hub *h, struct mem_packet *k) {
  if (k->l2_hit || !ring_enters(&h->far_request)) return;
  struct inquiry *q = inquiry_of(r, k);
  k->l2_hit = true;
  q->open++;
  q->rings = r->c.rings - 1;
  struct mem_packet *p = copy_of(r, k, MEM_READ);
  p->sent = 0;
  ring_put(&h->far_request, p);
}

/* The hub's stop in its ring. Probes of other rings that have come round have found nothing. */
static void hub_request(struct ring *r, struct hub *h, uint64_t now) {
  ring_take_link(&h->request, now);
  struct mem_packet *k = ring_head(&h->request);
  if (!k) return;
  bool own = hub_of(r, k) == h;
  if (own) {
    if (!ring_can_send(&h->request, &h->request.next->in, now)) return;
    fork_probe(r, h, k);
    pass(&h->request, ring_request_flits(r), now);
  } else if (!k->sent) pass(&h->request, ring_request_flits(r), now);
  else if (ring_enters(&h->far_response)) {
    ring_take(&h->request);
    k->kind = NOTHING;
    ring_put(&h->far_response, k);
  }
}

/* The hub's stop in the ring of hubs: a probe of another ring is dropped into this one and goes on. */
static void hub_far_request(struct ring *r, struct hub *h, uint64_t now) {
  ring_take_link(&h->far_request, now);
  struct mem_packet *k = ring_head(&h->far_request);
  if (!k) return;
  bool own = hub_of(r, k) == h;
  if (own && k->sent) {
    drop(r, ring_take(&h->far_request));
    return;
  }
  if (!ring_can_send(&h->far_request, &h->far_request.next->in, now) || (!own && !ring_enters(&h->request))) return;
  if (!own) {
    struct mem_packet *p = copy_of(r, k, MEM_READ);
    p->sent = 0;
    ring_put(&h->request, p);
  }
  pass(&h->far_request, ring_request_flits(r), now);
}

/* ---- hubs: answers ------------------------------------------------------------------------------------------------------ */

static void answer_nothing(struct hub *h, const struct ring *r, const struct mem_packet *k) {
  h->nothing[(h->nothing_head + h->nothing_count++) % h->nothing_size] = k->sm * r->c.inquiries + k->owner;
}

/* The answer of another ring has reached the home's hub, which always takes it. */
static void collect(struct ring *r, struct hub *h, struct mem_packet *k) {
  struct inquiry *q = inquiry_of(r, k);
  bool keep = k->kind == DATA && !q->passed_on && ring_free_slots(&h->down);
  q->passed_on |= keep;
  if (!--q->rings && !q->passed_on) answer_nothing(h, r, k);
  if (keep) ring_put(&h->down, k);
  else drop(r, k);
}

/* What comes over the ring of hubs goes on or is for this ring; answers of this ring were put in by others. */
static void hub_far_response(struct ring *r, struct hub *h, bool fresh, uint64_t now) {
  struct mem_packet *k = mem_port_peek(&h->far_response.in, now);
  if (k && hub_of(r, k) == h) collect(r, h, mem_port_pop(&h->far_response.in, now));
  else if (!fresh) ring_take_link(&h->far_response, now);
  k = ring_head(&h->far_response);
  if (k) pass(&h->far_response, answer_flits(r, k), now);
}

/* Lines and notifications for SMs of this ring enter its response queue, before packets that come over the link. */
static bool hub_down(struct ring *r, struct hub *h) {
  if (!ring_enters(&h->response)) return false;
  if (h->down.queue.count) {
    ring_put(&h->response, ring_take(&h->down));
    return true;
  }
  if (!h->nothing_count) return false;
  uint32_t at = h->nothing[h->nothing_head];
  h->nothing_head = (h->nothing_head + 1) % h->nothing_size;
  h->nothing_count--;
  struct mem_packet to = {.sm = (uint16_t)(at / r->c.inquiries), .owner = at % r->c.inquiries};
  ring_put(&h->response, copy_of(r, &to, NOTHING));
  return true;
}

/* Answers of this ring's SMs to others leave it here. True if one has entered the ring of hubs. */
static bool hub_up(struct ring *r, struct hub *h, uint64_t now) {
  struct mem_packet *k = mem_port_peek(&h->response.in, now);
  if (!k || hub_of(r, k) == h || !ring_enters(&h->far_response)) return false;
  ring_put(&h->far_response, mem_port_pop(&h->response.in, now));
  return true;
}

static void hub_response(struct ring *r, struct hub *h, struct tree_node *next, uint64_t now) {
  bool up = hub_up(r, h, now), fresh = hub_down(r, h);
  struct mem_packet *k = mem_port_peek(&h->response.in, now);
  bool stays = k && hub_of(r, k) != h; /* waits for a free slot in the ring of hubs */
  response_cycle(r, &h->response, next, fresh || stays, now);
  hub_far_response(r, h, up, now);
}

/* ---- the network --------------------------------------------------------------------------------------------------------- */

/* The SM whose response stop follows a stop of hub h: responses go against requests, or with them. */
static struct tree_node *after_hub(const struct ring *r, const struct hub *h) {
  return node_at(r, r->c.same_way ? h->first : h->first + h->sms - 1);
}
static struct tree_node *after(const struct ring *r, const struct tree_node *n) {
  const struct hub *h = &r->tree->hub[n->ring];
  uint32_t i = n->base.base.id - h->first;
  if (r->c.same_way) return i + 1 < h->sms ? node_at(r, h->first + i + 1) : NULL;
  return i ? node_at(r, h->first + i - 1) : NULL;
}

static void node_cycle(struct ring *r, struct tree_node *n, uint64_t now) {
  bool fresh = request_cycle(r, n, now);
  response_cycle(r, &n->base.response, after(r, n), fresh, now);
  settle_all(r, n, now);
}

static uint64_t next_visit(const struct ring *r, uint64_t now) {
  uint64_t next = MEM_NEVER;
  for (uint32_t i = 0; i < r->base.place.sms; i++) {
    const struct tree_node *n = node_at(r, i);
    bool waits = n->base.buffer.count;
    for (uint32_t k = 0; k < r->c.inquiries; k++) waits |= n->out[k].k && ended(&n->out[k]);
    next = mem_earlier(next, ring_next_visit(&n->base.request, &n->base.response, waits, now));
  }
  for (uint32_t i = 0; i < r->c.rings; i++) {
    const struct hub *h = &r->tree->hub[i];
    next = mem_earlier(next, ring_next_visit(&h->request, &h->response, h->down.queue.count || h->nothing_count, now));
    next = mem_earlier(next, ring_next_visit(&h->far_request, &h->far_response, false, now));
  }
  return next;
}

/* SMs before hubs in every ring; the order of SMs and of hubs does not matter. */
static uint64_t tick(struct coop *c, uint64_t now) {
  struct ring *r = (struct ring *)c;
  for (uint32_t i = 0; i < c->place.sms; i++) node_cycle(r, node_at(r, (i + c->first) % c->place.sms), now);
  for (uint32_t i = 0; i < r->c.rings; i++) {
    struct hub *h = &r->tree->hub[(i + c->first) % r->c.rings];
    hub_far_request(r, h, now);
    hub_request(r, h, now);
    hub_response(r, h, after_hub(r, h), now);
  }
  return next_visit(r, now);
}

static uint32_t inside(const struct ring *r) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < r->base.place.sms; i++)
    for (uint32_t k = 0; k < r->c.inquiries; k++) n += node_at(r, i)->out[k].k != NULL;
  for (uint32_t i = 0; i < r->c.rings; i++) {
    const struct hub *h = &r->tree->hub[i];
    n += ring_inside(&h->request) + ring_inside(&h->response) + ring_inside(&h->far_request) + ring_inside(&h->far_response) +
         h->down.queue.count + h->nothing_count;
  }
  return n;
}

/* ---- life -------------------------------------------------------------------------------------------------------------- */

static void init_hub(struct ring *r, struct hub *h, uint32_t first, uint32_t sms) {
  struct ring_stop *const stops[] = {&h->request, &h->far_request, &h->response, &h->far_response, &h->down};
  uint64_t *stats = r->base.nodes[first]->stats; /* its first SM counts for it */
  h->first = first;
  h->sms = sms;
  h->nothing_size = sms * r->c.inquiries;
  h->nothing = must_alloc(h->nothing_size * sizeof *h->nothing);
  for (unsigned i = 0; i < 5; i++) {
    bool request = i < 2;
    ring_stop_init(stops[i], request ? r->c.requests : r->c.responses, r->c.hop, &r->base.wake);
    stops[i]->writes = &stats[request ? COOP_S_REQUEST_WRITES : COOP_S_RESPONSE_WRITES];
    stops[i]->flits = &stats[request ? COOP_S_REQUEST_FLITS : COOP_S_RESPONSE_FLITS];
  }
}

/* Requests: SM after SM, the hub, the first SM again. */
static void connect(struct ring *r, struct hub *h) {
  for (uint32_t i = 0; i < h->sms; i++) {
    struct ring_node *n = ring_node_at(r, h->first + i);
    struct ring_node *up = i + 1 < h->sms ? ring_node_at(r, h->first + i + 1) : NULL;
    struct ring_node *down = i ? ring_node_at(r, h->first + i - 1) : NULL;
    struct ring_node *back = r->c.same_way ? up : down;
    n->request.next = up ? &up->request : &h->request;
    n->response.next = back ? &back->response : &h->response;
  }
  h->request.next = &ring_node_at(r, h->first)->request;
  h->response.next = &after_hub(r, h)->base.response;
}

static bool init(struct ring *r, const struct cfg *cfg, struct err *e) {
  uint32_t n = r->base.place.sms, rings = r->c.rings;
  if (n < 2 * rings) return cfg_complain(cfg, "coop.rings", e, "%u SMs in %u rings are fewer than two a ring", n, rings);
  r->tree = must_alloc(sizeof *r->tree);
  r->tree->hub = must_alloc(rings * sizeof *r->tree->hub);
  for (uint32_t i = 0; i < n; i++) node_at(r, i)->out = must_alloc(r->c.inquiries * sizeof *node_at(r, i)->out);
  for (uint32_t i = 0; i < rings; i++) {
    struct hub *h = &r->tree->hub[i];
    uint32_t first = i * n / rings, end = (i + 1) * n / rings;
    init_hub(r, h, first, end - first);
    for (uint32_t k = first; k < end; k++) node_at(r, k)->ring = i;
    connect(r, h);
    h->far_request.next = &r->tree->hub[(i + 1) % rings].far_request;
    h->far_response.next = &r->tree->hub[(i + (r->c.same_way ? 1 : rings - 1)) % rings].far_response;
  }
  return true;
}

static void free_tree(struct ring *r) {
  for (uint32_t i = 0; i < r->base.place.sms; i++) free(node_at(r, i)->out);
  if (!r->tree) return;
  for (uint32_t i = 0; i < r->c.rings; i++) {
    struct hub *h = &r->tree->hub[i];
    struct ring_stop *const stops[] = {&h->request, &h->far_request, &h->response, &h->far_response, &h->down};
    for (unsigned k = 0; k < 5; k++) ring_stop_free(stops[k]);
    free(h->nothing);
  }
  free(r->tree->hub);
  free(r->tree);
}

const struct ring_kind ring_tree = {.node_size = sizeof(struct tree_node), .init = init, .free = free_tree, .tick = tick, .inside = inside};
