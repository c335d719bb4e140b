/* See router.h. */
#include "noc/router.h"

#include "mem/mem_stall.h"

#include <string.h>

/* ---- describing a network ---- */

/* The channels of every port are its classes' in turn: `each` of requests, then `each` of replies. */
static uint32_t class_of_vc(const struct noc_net *n, uint32_t v) { return v / (n->vcs / n->classes); }

struct noc_net *noc_net_new(const struct noc_topology *t, const struct noc_config *c,
                            const struct noc_shape *shape, const struct noc_net_size *size) {
  struct noc_net *n = must_alloc(sizeof *n);
  noc_init(&n->base, t, c, shape);
  n->classes = shape->direction == NOC_BOTH ? 2 : 1;
  n->vcs = n->classes * c->vcs;
  n->router = must_alloc(size->routers * sizeof *n->router);
  n->in = must_alloc(size->ins * sizeof *n->in);
  n->out = must_alloc_lines(size->outs * sizeof *n->out);
  n->source = must_alloc(size->sources * sizeof *n->source);
  n->source_of = must_alloc(n->base.n_in * sizeof *n->source_of);
  n->entering = must_alloc((size->sources + 63) / 64 * sizeof *n->entering);
  n->due = must_alloc((size->sources + 63) / 64 * sizeof *n->due);
  n->waiting = must_alloc((size->sources + 63) / 64 * sizeof *n->waiting);
  n->next = must_alloc((size_t)size->routers * n->base.n_out * sizeof *n->next);
  n->credit = must_alloc((size_t)(size->ins + size->sinks) * n->vcs * sizeof *n->credit);
  n->sinks = size->ins; /* counted on from the inputs until all are known */
  return n;
}

uint32_t noc_net_router(struct noc_net *n, const char *kind, uint32_t number, uint32_t ins, uint32_t outs) {
  uint32_t r = n->routers++;
  assert(ins <= NOC_MAX_PORTS && outs <= NOC_MAX_PORTS);
  noc_islip_init(&n->router[r].allocator, ins, outs, n->base.c.iterations, n->vcs == 1);
  if (n->base.c.vc_stage) noc_vc_stage_init(&n->router[r].stage, ins * n->vcs, outs, n->vcs, n->classes, &n->base.c);
  n->router[r].kind = kind;
  n->router[r].number = number;
  n->router[r].first_in = n->ins;
  n->router[r].first_out = n->outs;
  n->router[r].pipeline = n->base.c.pipeline;
  n->router[r].staged = n->base.c.vc_stage;
  for (uint32_t i = 0; i < ins; i++)
    n->in[n->ins++] = (struct noc_router_in){.router = (uint16_t)r, .local = (uint16_t)i};
  for (uint32_t d = 0; d < outs; d++) {
    struct noc_router_out *o = &n->out[n->outs++];
    *o = (struct noc_router_out){.router = (uint16_t)r, .local = (uint16_t)d, .to = NOC_NOBODY, .unheld = (1u << n->vcs) - 1};
    noc_set_bit(n->router[r].open, d);
  }
  return r;
}

void noc_net_link(struct noc_net *n, uint32_t from, uint32_t out, uint32_t to, uint32_t in) {
  struct noc_router_out *o = &n->out[n->router[from].first_out + out];
  struct noc_router_in *i = &n->in[n->router[to].first_in + in];
  o->to = n->router[to].first_in + in;
  o->latency = (uint16_t)n->base.c.link_latency;
  o->interval = (uint16_t)n->base.c.link_interval;
  i->delay = (uint16_t)(o->latency + n->base.c.credit_latency);
  i->sender = n->router[from].first_out + out;
}

void noc_net_source(struct noc_net *n, uint32_t router, uint32_t in, uint32_t first, uint32_t count) {
  uint32_t port = n->router[router].first_in + in;
  for (uint32_t i = first; i < first + count; i++) n->source_of[i] = (uint16_t)n->sources;
  n->in[port].source = true;
  n->in[port].sender = n->sources;
  n->source[n->sources++] = (struct noc_source){.first = first, .n = count, .port = port, .vc = NOC_NOBODY};
  if (n->base.c.credit_latency) n->in[port].delay = (uint16_t)(n->base.c.credit_latency + 1);
}

void noc_net_sink(struct noc_net *n, uint32_t router, uint32_t out) {
  struct noc_router_out *o = &n->out[n->router[router].first_out + out];
  o->sink = true;
  o->to = n->sinks++;
  o->ring = must_alloc(n->base.c.output_flits * sizeof *o->ring);
}

void noc_net_route(struct noc_net *n, uint32_t router, uint32_t dest, uint32_t out) {
  n->next[router * n->base.n_out + dest] = (uint16_t)out;
}

static void set_credits(struct noc_net *n) {
  uint32_t ports = n->sinks;
  for (uint32_t j = 0; j < ports * n->vcs; j++)
    n->credit[j] = (struct noc_credit){j < n->ins * n->vcs ? n->base.c.buffer_flits : 1, NOC_NOBODY};
  for (uint32_t d = 0; d < n->outs; d++)
    for (uint32_t c = 0; c < n->classes && n->out[d].to != NOC_NOBODY; c++)
      n->out[d].free[c] = (uint16_t)n->base.c.vcs;
}

/* A flit waits for the link behind as many as its buffer can hold, if they can come faster than they leave. */
static void set_calendar(struct noc_net *n) {
  const struct noc_config *c = &n->base.c;
  uint32_t longest = 0, backlog = c->speedup > 1 || c->link_interval > 1 ? c->output_flits * c->link_interval : 0;
  for (uint32_t r = 0; r < n->routers; r++)
    if (n->router[r].pipeline > longest) longest = n->router[r].pipeline;
  if (n->base.c.credit_latency > longest) longest = n->base.c.credit_latency;
  n->slots = longest + n->base.c.link_latency + backlog + 2;
  n->arrivals = must_alloc((size_t)n->slots * n->ins * sizeof *n->arrivals);
  n->returns = must_alloc((size_t)n->slots * n->ins * n->base.c.speedup * sizeof *n->returns);
  n->n_arrivals = must_alloc(n->slots * sizeof *n->n_arrivals);
  n->n_returns = must_alloc(n->slots * sizeof *n->n_returns);
  n->leaving = must_alloc((size_t)n->slots * n->outs * sizeof *n->leaving);
  n->n_leaving = must_alloc(n->slots * sizeof *n->n_leaving);
}

/* The pipeline counts from the switch, which with stages has a cycle of its own. */
static void set_flights(struct noc_net *n) {
  for (struct noc_router_out *o = n->out; o < n->out + n->outs; o++) {
    if (o->sink || o->to == NOC_NOBODY) continue;
    uint32_t cycles = o->latency + n->router[n->in[o->to].router].pipeline - n->base.c.vc_stage;
    o->flight = (uint16_t)(cycles ? cycles : 1);
  }
}

void noc_net_bypass(struct noc_net *n, uint32_t router, bool on) {
  n->router[router].bypassed = on;
  n->router[router].staged = n->base.c.vc_stage && !on;
  n->router[router].pipeline = on ? 0 : n->base.c.pipeline;
  set_flights(n);
}

struct noc *noc_net_ready(struct noc_net *n) {
  n->vc = must_alloc((size_t)n->ins * n->vcs * sizeof *n->vc);
  n->packets = must_alloc((size_t)n->ins * n->vcs * n->base.c.buffer_flits * sizeof *n->packets);
  n->active = must_alloc((n->routers + 63) / 64 * sizeof *n->active);
  n->sending = must_alloc((n->outs + 63) / 64 * sizeof *n->sending);
  for (uint32_t j = 0; j < n->ins * n->vcs; j++) {
    n->vc[j].class_ = (uint8_t)class_of_vc(n, j % n->vcs);
    n->vc[j].in = j / n->vcs;
  }
  set_credits(n);
  set_calendar(n);
  set_flights(n);
  return &n->base;
}

void noc_net_destroy(struct noc *base) {
  struct noc_net *n = (struct noc_net *)base;
  for (uint32_t r = 0; r < n->routers; r++) {
    noc_islip_free(&n->router[r].allocator);
    noc_vc_stage_free(&n->router[r].stage);
  }
  for (uint32_t d = 0; d < n->outs; d++) free(n->out[d].ring);
  void *const parts[] = {n->router,   n->in,         n->out,     n->source,   n->next,
                         n->vc,       n->credit,     n->packets, n->active,   n->sending,
                         n->arrivals, n->n_arrivals, n->returns, n->n_returns, n->source_of,
                         n->entering, n->due,        n->waiting, n->leaving,  n->n_leaving};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) free(parts[i]);
  noc_free(base);
  free(n);
}

bool noc_net_fits(const struct cfg *cfg, const struct noc_config *c, struct err *e) {
  if (c->voq) return cfg_complain(cfg, "noc.voq", e, "only the full crossbar (xbar) has queues an output");
  return true;
}

/* ---- requests ---- */

static inline void put_bit(struct noc_router_out *o, uint64_t *word, uint64_t bit, bool on) {
  if (((*word & bit) != 0) == on) return;
  *word ^= bit;
  o->requests += on ? 1u : -1u;
}

/* A router in which nobody asks is not visited. */
static void settle_router(struct noc_net *n, uint32_t router) {
  const struct noc_router *r = &n->router[router];
  uint64_t any = r->stage.n_routing;
  for (uint32_t w = 0; w < r->allocator.out_words; w++) any |= r->asking[w] | r->stage.wanted[w];
  if (!any) noc_clear_bit(n->active, router);
}

/* Brings the request bits of input port `in` at its router's output d up to date. */
static void refresh(struct noc_net *n, uint32_t in, uint32_t d) {
  const struct noc_router_in *port = &n->in[in];
  struct noc_router *r = &n->router[port->router];
  struct noc_router_out *o = &n->out[r->first_out + d];
  const struct noc_vc *q = &n->vc[in * n->vcs];
  bool held = false, fresh[NOC_CLASSES] = {false, false};
  for (uint32_t v = 0; v < n->vcs; v++) {
    if (!q[v].eligible || q[v].out != d) continue;
    if (!q[v].holds)
      fresh[q[v].class_] = !r->staged;
    else if (q[v].ahead->credits)
      held = true;
  }
  struct noc_ask *ask = &o->ask[port->local >> 6];
  uint64_t bit = noc_bit(port->local);
  put_bit(o, &ask->held, bit, held);
  for (uint32_t c = 0; c < NOC_CLASSES && !r->staged; c++) put_bit(o, &ask->fresh[c], bit, fresh[c]);
  if (o->requests) {
    noc_set_bit(r->asking, d);
    noc_set_bit(n->active, port->router);
    return;
  }
  noc_clear_bit(r->asking, d);
  settle_router(n, port->router);
}

/* The packet under way in q can send its next flit: its input asks for its output, whatever its other channels do. */
static void ask_switch(struct noc_net *n, const struct noc_vc *q) {
  const struct noc_router_in *port = &n->in[q->in];
  struct noc_router *r = &n->router[port->router];
  struct noc_router_out *o = &n->out[r->first_out + q->out];
  assert(q->holds && q->eligible && q->ahead->credits);
  put_bit(o, &o->ask[port->local >> 6].held, noc_bit(port->local), true);
  noc_set_bit(r->asking, q->out);
  noc_set_bit(n->active, port->router);
}

/* The channel of an input that uses a grant of output o, in turn. */
static struct noc_vc *channel_for(struct noc_net *n, uint32_t in, const struct noc_router_out *o) {
  struct noc_vc *q = &n->vc[in * n->vcs];
  if (n->vcs == 1) return q;
  uint32_t v = n->in[in].turn;
  for (;; v = noc_after(v, n->vcs)) {
    if (!q[v].eligible || q[v].out != o->local) continue;
    if (q[v].holds ? q[v].ahead->credits : o->free[q[v].class_] && !n->router[o->router].staged) break;
  }
  n->in[in].turn = (uint16_t)noc_after(v, n->vcs);
  return &q[v];
}

/* ---- buffers ---- */

static inline uint32_t destination(const struct noc_net *n, const struct mem_packet *k) {
  switch (n->base.shape.direction) {
  case NOC_REQUEST: return k->slice;
  case NOC_REPLY: return k->sm;
  default: return mem_to_sm(k) ? n->base.shape.slices + k->sm : k->slice;
  }
}

static inline uint32_t class_of(const struct noc_net *n, const struct mem_packet *k) {
  return n->classes == 2 && mem_to_sm(k);
}
static inline uint64_t *counters_of(struct noc_net *n, uint32_t class_) {
  return class_ ? n->base.reply_counters : n->base.counters;
}

static inline struct mem_packet **packet_at(const struct noc_net *n, uint32_t vc, uint32_t i) {
  uint32_t capacity = n->base.c.buffer_flits, at = n->vc[vc].first + i;
  return &n->packets[vc * capacity + (at < capacity ? at : at - capacity)];
}

static void begin_first(struct noc_net *n, uint32_t vc) {
  struct noc_vc *q = &n->vc[vc];
  uint32_t router = n->in[q->in].router;
  q->k = *packet_at(n, vc, 0);
  q->left = (uint16_t)q->k->local;
  q->begun = false;
  q->out = n->next[router * n->base.n_out + destination(n, q->k)];
}

/* A head flit is in flight to this channel. */
static void append(struct noc_net *n, uint32_t vc, struct mem_packet *k) {
  *packet_at(n, vc, n->vc[vc].packets) = k;
  if (n->vc[vc].packets++ == 0) begin_first(n, vc);
}

static void pop_first(struct noc_net *n, uint32_t vc) {
  struct noc_vc *q = &n->vc[vc];
  q->first = (uint16_t)noc_after(q->first, n->base.c.buffer_flits);
  q->holds = false;
  if (--q->packets) begin_first(n, vc);
}

/* The head of vc's first packet has come to the front, at input port `in`. */
static void head_arrives(struct noc_net *n, uint32_t vc) {
  const struct noc_vc *q = &n->vc[vc];
  uint32_t router = n->in[q->in].router;
  struct noc_router *r = &n->router[router];
  if (!r->staged) {
    refresh(n, q->in, q->out);
    return;
  }
  noc_head_waits(&r->stage, (struct noc_head){vc - r->first_in * n->vcs, q->out, q->class_});
  noc_set_bit(n->active, router);
}

/* ---- what arrives ---- */

static inline uint32_t slot_after(const struct noc_net *n, uint32_t cycles) {
  assert(cycles < n->slots);
  uint32_t s = n->slot + cycles;
  return s < n->slots ? s : s - n->slots;
}

static void send_flit(struct noc_net *n, uint32_t vc, uint32_t cycles) {
  uint32_t s = slot_after(n, cycles);
  n->arrivals[s * n->ins + n->n_arrivals[s]++] = vc;
  n->pending++;
}

static void send_credit(struct noc_net *n, uint32_t vc, uint32_t cycles) {
  uint32_t s = slot_after(n, cycles);
  n->returns[s * n->ins * n->base.c.speedup + n->n_returns[s]++] = vc;
  n->pending++;
}

/* The source of an input port tries again. */
static void wake_source(struct noc_net *n, uint32_t source) {
  if (!noc_has_bit(n->waiting, source)) return;
  noc_clear_bit(n->waiting, source);
  n->n_waiting[n->source[source].class_]--;
}

static void take_credit(struct noc_net *n, uint32_t vc) {
  struct noc_credit *t = &n->credit[vc];
  if (t->credits++) return;
  const struct noc_router_in *in = &n->in[n->vc[vc].in];
  if (in->source) {
    wake_source(n, in->sender);
    return;
  }
  if (t->owner == NOC_NOBODY)
    n->out[in->sender].free[n->vc[vc].class_]++;
  else if (n->vc[t->owner].eligible)
    ask_switch(n, &n->vc[t->owner]);
}

static void arrive(struct noc_net *n) {
  uint32_t s = n->slot, flits = n->n_arrivals[s], credits = n->n_returns[s];
  const uint32_t *returns = &n->returns[s * n->ins * n->base.c.speedup];
  for (uint32_t j = 0; j < credits; j++) take_credit(n, returns[j]);
  for (uint32_t j = 0; j < flits; j++) {
    uint32_t vc = n->arrivals[s * n->ins + j];
    struct noc_vc *q = &n->vc[vc];
    if (q->eligible++ != 0) continue;
    if (!q->holds) head_arrives(n, vc);
    else if (q->ahead->credits) ask_switch(n, q);
  }
  n->pending -= flits + credits;
  n->n_arrivals[s] = n->n_returns[s] = 0;
}

/* ---- injection ---- */

/* With stages: the next channel of the class in turn that has a credit. */
static uint32_t channel_in_turn(const struct noc_net *n, const struct noc_source *s, uint32_t first) {
  uint32_t vcs = n->base.c.vcs, v = s->vc >= first && s->vc < first + vcs ? noc_after(s->vc - first, vcs) : 0;
  for (uint32_t tried = 1; tried < vcs && !n->credit[first + v].credits; tried++) v = noc_after(v, vcs);
  return first + v;
}

/* The emptiest channel of the class. */
static uint32_t choose_channel(const struct noc_net *n, const struct noc_source *s, uint32_t class_) {
  uint32_t first = s->port * n->vcs + class_ * n->base.c.vcs, best = first;
  if (n->base.c.vc_stage) return channel_in_turn(n, s, first);
  for (uint32_t v = first + 1; v < first + n->base.c.vcs; v++)
    if (n->credit[v].credits > n->credit[best].credits) best = v;
  return best;
}

/* Who of a source sends next: the first in turn with a packet now, or -1; *next is when to look again. */
static int choose_input(const struct noc_net *n, const struct noc_source *s, uint64_t now, uint64_t *next) {
  for (uint32_t j = 0, i = s->turn; j < s->n; j++, i = noc_after(i, s->n)) {
    const struct mem_port *p = &n->base.in[s->first + i];
    if (!p->count) continue;
    if (mem_port_next(p) <= now) return (int)i;
    *next = mem_earlier(*next, mem_port_next(p));
  }
  return -1;
}

/* No credit. What a source sends next is settled if it has begun a packet or has one input; it is left alone then until its port gets a
 * credit, and counted as stalled meanwhile. */
static void wait_for_credit(struct noc_net *n, struct noc_source *s, uint32_t class_) {
  n->stalled_in[class_]++;
  if (!s->entering && s->n > 1) return;
  s->class_ = class_;
  n->n_waiting[class_]++;
  noc_set_bit(n->waiting, (uint32_t)(s - n->source));
}

static bool begin_packet(struct noc_net *n, struct noc_source *s, uint32_t input, uint64_t now) {
  struct mem_port *p = &n->base.in[s->first + input];
  struct mem_packet *k = p->ring[p->head].k;
  uint32_t class_ = class_of(n, k), vc = choose_channel(n, s, class_);
  assert(destination(n, k) < n->base.n_out);
  if (!n->credit[vc].credits) {
    wait_for_credit(n, s, class_);
    return false;
  }
  mem_port_pop(p, now);
  k->sent = now;
  k->local = noc_flits(&n->base.c, k);
  s->entering = k;
  noc_set_bit(n->entering, (uint32_t)(s - n->source));
  s->left = (uint32_t)k->local;
  s->vc = vc;
  s->turn = noc_after(input, s->n);
  append(n, vc, k);
  counters_of(n, class_)[NOC_PACKETS_IN]++;
  return true;
}

/* One flit of the packet that is entering. */
static bool inject_flit(struct noc_net *n, struct noc_source *s) {
  uint32_t class_ = n->vc[s->vc].class_;
  if (!n->credit[s->vc].credits) {
    wait_for_credit(n, s, class_);
    return false;
  }
  n->credit[s->vc].credits--;
  uint32_t depth = n->router[n->in[s->port].router].pipeline;
  send_flit(n, s->vc, depth ? depth : 1);
  n->inside[class_]++;
  counters_of(n, class_)[NOC_FLITS_IN]++;
  if (--s->left > 0) return true;
  s->entering = NULL;
  noc_clear_bit(n->entering, (uint32_t)(s - n->source));
  return true;
}

static bool more(const struct noc_net *n, const struct noc_source *s) {
  if (s->entering) return true;
  for (uint32_t i = s->first; i < s->first + s->n; i++)
    if (n->base.in[i].count) return true;
  return false;
}

/* *next is when to look at the inputs again (now: there is more). */
static void inject_source(struct noc_net *n, struct noc_source *s, uint64_t now, uint64_t *next) {
  if (!s->entering) {
    int input = choose_input(n, s, now, next);
    if (input < 0 || !begin_packet(n, s, (uint32_t)input, now)) return;
  }
  if (inject_flit(n, s) && more(n, s)) *next = now;
}

/* The sources of inputs that hold packets; inputs that do not leave their set. */
static void find_due(struct noc_net *n) {
  for (uint32_t w = 0; w < (n->base.n_in + 63) / 64; w++)
    for (uint64_t m = n->base.filled[w]; m; m &= m - 1) {
      uint32_t i = w * 64 + noc_lowest_bit(m);
      if (n->base.in[i].count) noc_set_bit(n->due, n->source_of[i]);
      else noc_clear_bit(n->base.filled, i);
    }
}

/* Every source with something to send. */
static uint64_t inject(struct noc_net *n, uint64_t now) {
  uint64_t next = MEM_NEVER;
  find_due(n);
  for (uint32_t c = 0; c < n->classes; c++) n->stalled_in[c] = n->n_waiting[c];
  for (uint32_t w = 0; w < (n->sources + 63) / 64; w++) {
    uint64_t due = (n->due[w] | n->entering[w]) & ~n->waiting[w];
    n->due[w] = 0;
    for (; due; due &= due - 1) inject_source(n, &n->source[w * 64 + noc_lowest_bit(due)], now, &next);
  }
  for (uint32_t c = 0; c < n->classes; c++) counters_of(n, c)[NOC_INJECT_STALLS] += n->stalled_in[c];
  return next;
}

/* ---- switch ---- */

/* The packet at the front of q gets channel `to` behind output o. */
static void hold_channel(struct noc_net *n, struct noc_router_out *o, struct noc_vc *q, uint32_t to) {
  struct noc_credit *t = &n->credit[o->to * n->vcs + to];
  t->owner = (uint32_t)(q - n->vc);
  q->ahead = t;
  q->holds = true;
  o->unheld &= ~(1u << to);
  if (t->credits) o->free[q->class_]--;
}

/* The head of q takes the emptiest free channel of its class behind output o. */
static void take_channel(struct noc_net *n, struct noc_router_out *o, struct noc_vc *q) {
  uint32_t first = q->class_ * n->base.c.vcs, best = NOC_NOBODY;
  struct noc_credit *t = &n->credit[o->to * n->vcs];
  for (uint32_t v = first; v < first + n->base.c.vcs; v++)
    if (t[v].owner == NOC_NOBODY && t[v].credits && (best == NOC_NOBODY || t[v].credits > t[best].credits))
      best = v;
  assert(best != NOC_NOBODY);
  hold_channel(n, o, q, best);
}

static void give_back(struct noc_net *n, uint32_t in, uint32_t vc) {
  if (n->in[in].delay)
    send_credit(n, vc, n->in[in].delay);
  else {
    assert(n->in[in].source);
    if (n->credit[vc].credits++ == 0) wake_source(n, n->in[in].sender);
  }
}

/* A round of a cycle. */
struct moment {
  uint64_t now;
  bool last;
};

/* Cycles until a flit that gets the switch in this round can go over the link, or is at the end of a receiver's. With stages the switch
 * takes the next round, which after a cycle's last is in the next cycle. */
static uint32_t cycles_behind(const struct noc_net *n, const struct noc_router *r, const struct noc_router_out *o, struct moment t) {
  uint32_t cycles = o->sink ? n->base.c.output_latency : r->staged;
  return cycles - (r->staged && !t.last && cycles);
}

/* A flit of q goes into the buffer of a sink. */
static void push_flit(struct noc_net *n, struct noc_router_out *o, const struct noc_vc *q, uint64_t ready) {
  uint32_t capacity = n->base.c.output_flits, at = o->first + o->count;
  o->ring[at < capacity ? at : at - capacity] = (struct noc_flit){q->k, ready, q->class_, !q->left};
  noc_set_bit(n->sending, (uint32_t)(o - n->out));
}

/* A flit of q can go over the link in `cycles`, and does when those before it have; the flits of a packet follow its head. */
static void take_link(struct noc_net *n, struct noc_router_out *o, const struct noc_vc *q, uint32_t cycles) {
  uint64_t leaves = mem_later(n->cycle + cycles, o->ready);
  uint32_t vc = (uint32_t)(q->ahead - n->credit), wait = (uint32_t)(leaves - n->cycle), s = slot_after(n, wait);
  o->ready = leaves + o->interval;
  n->leaving[s * n->outs + n->n_leaving[s]++] = (uint32_t)(o - n->out) * NOC_CLASSES + q->class_;
  if (!q->begun) append(n, vc, q->k);
  send_flit(n, vc, wait + o->flight);
}

/* The tail of q's packet has crossed. */
static void end_packet(struct noc_net *n, struct noc_router_out *o, struct noc_vc *q) {
  uint32_t vc = (uint32_t)(q - n->vc);
  q->ahead->owner = NOC_NOBODY;
  o->unheld |= 1u << (uint32_t)(q->ahead - &n->credit[o->to * n->vcs]);
  o->free[q->class_] = (uint16_t)(o->free[q->class_] + (q->ahead->credits != 0));
  pop_first(n, vc);
  if (q->packets && q->eligible) head_arrives(n, vc);
}

/* Moves a flit of input i through the switch to output d; both are counted in the router. */
static void cross(struct noc_net *n, struct noc_router *r, struct noc_islip_pair m, struct moment t) {
  uint32_t in = r->first_in + m.in;
  struct noc_router_out *o = &n->out[r->first_out + m.out];
  struct noc_vc *q = channel_for(n, in, o);
  bool tail = --q->left == 0, held = q->holds;
  if (!q->holds) take_channel(n, o, q);
  q->ahead->credits -= !o->sink;
  q->eligible--;
  if (o->sink) push_flit(n, o, q, t.now + cycles_behind(n, r, o, t) * n->base.wake.period);
  else take_link(n, o, q, cycles_behind(n, r, o, t));
  if (++o->count == n->base.c.output_flits) noc_clear_bit(r->open, o->local);
  q->begun = true;
  give_back(n, in, (uint32_t)(q - n->vc));
  uint64_t *c = counters_of(n, q->class_);
  assert(!r->bypassed || m.in == m.out);
  c[r->bypassed ? NOC_BYPASSED : NOC_HOPS]++;
  c[NOC_LOST_GRANTS] += m.lost;
  bool still = held && !tail && q->eligible && q->ahead->credits; /* it asks for the same output as before */
  if (tail) end_packet(n, o, q);
  if (!still) refresh(n, in, m.out);
}

struct asked {
  const struct noc_net *n;
  const struct noc_router *r;
};

/* Who may be granted output d: packets under way, and heads whose class has a free channel there. */
static inline void requests(const void *user, uint32_t d, uint64_t *mask) {
  const struct asked *a = user;
  const struct noc_router_out *o = &a->n->out[a->r->first_out + d];
  for (uint32_t w = 0; w < a->r->allocator.in_words; w++) {
    mask[w] = o->ask[w].held;
    if (o->free[0]) mask[w] |= o->ask[w].fresh[0];
    if (o->free[1]) mask[w] |= o->ask[w].fresh[1];
  }
}

/* With stages: those that have a channel. */
static inline void held_requests(const void *user, uint32_t d, uint64_t *mask) {
  const struct asked *a = user;
  const struct noc_router_out *o = &a->n->out[a->r->first_out + d];
  for (uint32_t w = 0; w < a->r->allocator.in_words; w++) mask[w] = o->ask[w].held;
}

/* One round of a router's allocator; returns how many flits crossed. */
static uint32_t switch_round(struct noc_net *n, struct noc_router *r, struct moment t) {
  struct noc_islip_pair pairs[NOC_MAX_PORTS];
  uint64_t outputs[NOC_WORDS], any = 0;
  for (uint32_t w = 0; w < r->allocator.out_words; w++) any |= outputs[w] = r->asking[w] & r->open[w];
  if (!any) return 0;
  struct asked a = {n, r};
  uint32_t matched = r->staged ? noc_islip_match(&r->allocator, outputs, held_requests, &a, pairs)
                                  : noc_islip_match(&r->allocator, outputs, requests, &a, pairs);
  for (uint32_t j = 0; j < matched; j++) cross(n, r, pairs[j], t);
  return matched;
}

/* The channels behind output d that no packet holds. */
static inline uint32_t free_channels(const void *user, uint32_t d) {
  const struct asked *a = user;
  return a->n->out[a->r->first_out + d].unheld;
}

/* One round with channels and the switch allocated apart, both from what was there before it; returns how much happened. */
static uint32_t staged_round(struct noc_net *n, struct noc_router *r, struct moment t) {
  struct noc_placed placed[NOC_MAX_PORTS * NOC_MAX_VCS];
  struct asked a = {n, r};
  uint32_t heads = noc_vc_stage_match(&r->stage, free_channels, &a, placed), routed = r->stage.routed;
  uint32_t crossed = switch_round(n, r, t);
  for (uint32_t j = 0; j < heads; j++) {
    struct noc_vc *q = &n->vc[r->first_in * n->vcs + placed[j].channel];
    counters_of(n, q->class_)[NOC_LOST_GRANTS] += placed[j].lost;
    hold_channel(n, &n->out[r->first_out + placed[j].out], q, placed[j].vc);
    if (q->ahead->credits) ask_switch(n, q);
  }
  noc_heads_routed(&r->stage);
  settle_router(n, (uint32_t)(r - n->router));
  return crossed + heads + routed;
}

/* A router with stages in which nothing moved is not visited again until it gets a head, a request or an open output, from
 * which alone a round would differ from the last. Without stages a credit may let a head go on too. */
static uint32_t switch_all(struct noc_net *n, uint64_t now) {
  uint32_t progress = 0;
  for (uint32_t w = 0; w < (n->routers + 63) / 64; w++)
    for (uint64_t m = n->active[w]; m; m &= m - 1) {
      struct noc_router *r = &n->router[w * 64 + noc_lowest_bit(m)];
      for (uint32_t round = 0; round < n->base.c.speedup; round++) {
        struct moment t = {now, round + 1 == n->base.c.speedup};
        uint32_t moved = r->staged ? staged_round(n, r, t) : switch_round(n, r, t);
        progress += moved;
        if (moved) continue;
        if (r->staged) noc_clear_bit(n->active, (uint32_t)(r - n->router));
        break;
      }
    }
  return progress;
}

/* ---- links and sinks ---- */

/* A flit has left the buffer of an output. */
static void leave_buffer(struct noc_net *n, struct noc_router_out *o) {
  o->count--;
  struct noc_router *r = &n->router[o->router];
  noc_set_bit(r->open, o->local);
  if (noc_has_bit(r->asking, o->local)) noc_set_bit(n->active, o->router);
}

/* Flits that go over their links in this cycle. */
static void leave_all(struct noc_net *n) {
  uint32_t s = n->slot, flits = n->n_leaving[s];
  const uint32_t *leaving = &n->leaving[s * n->outs];
  for (uint32_t j = 0; j < flits; j++) {
    leave_buffer(n, &n->out[leaving[j] / NOC_CLASSES]);
    counters_of(n, leaving[j] % NOC_CLASSES)[NOC_LINKS]++;
  }
  n->n_leaving[s] = 0;
}

/* Returns when to try again if the receiver has no free slot. */
static uint64_t eject_flit(struct noc_net *n, struct noc_router_out *o, uint64_t now) {
  struct noc_flit f = o->ring[o->first];
  if (f.ready > now) return f.ready;
  uint32_t d = destination(n, f.k);
  if (f.tail && mem_port_free_slots(n->base.out[d], now) == 0) {
    n->stalled_out[f.class_]++;
    return mem_port_stall(n->base.out[d], &n->base.wake, now);
  }
  o->first = noc_after(o->first, n->base.c.output_flits);
  leave_buffer(n, o);
  if (!o->count) noc_clear_bit(n->sending, (uint32_t)(o - n->out));
  uint64_t *c = counters_of(n, f.class_);
  n->base.out_flits[d]++;
  n->inside[f.class_]--;
  c[NOC_FLITS_OUT]++;
  if (f.tail) noc_deliver(&n->base, c, d, f.k, now);
  return now;
}

/* Returns now if anything moved, else when a receiver may have a flit or a free slot. */
static uint64_t eject_all(struct noc_net *n, uint64_t now) {
  uint64_t next = MEM_NEVER;
  for (uint32_t w = 0; w < (n->outs + 63) / 64; w++)
    for (uint64_t m = n->sending[w]; m; m &= m - 1) next = mem_earlier(next, eject_flit(n, &n->out[w * 64 + noc_lowest_bit(m)], now));
  for (uint32_t c = 0; c < n->classes; c++) counters_of(n, c)[NOC_EJECT_STALLS] += n->stalled_out[c];
  return next;
}

/* ---- one cycle ---- */

/* Counts what stood still while nobody looked, and turns the calendar. It is only ever left alone when
 * nothing is due in it. */
static void pass_time(struct noc_net *n, uint64_t now) {
  uint64_t cycles = now - n->last == n->base.wake.period ? 1 : (now - n->last) / n->base.wake.period;
  n->last = now;
  n->cycle += cycles;
  n->slot = noc_after(n->slot, n->slots);
  for (uint32_t k = 0; k < n->classes; k++) {
    uint64_t *c = counters_of(n, k);
    if (n->inside[k]) {
      c[NOC_CYCLES] += cycles;
      c[NOC_OCCUPANCY] += n->inside[k] * cycles;
      if (cycles > 1) {
        c[NOC_INJECT_STALLS] += n->stalled_in[k] * (cycles - 1);
        c[NOC_EJECT_STALLS] += n->stalled_out[k] * (cycles - 1);
      }
    }
    n->stalled_in[k] = n->stalled_out[k] = 0;
  }
}

uint64_t noc_net_tick(struct noc *base, uint64_t now) {
  struct noc_net *n = (struct noc_net *)base;
  pass_time(n, now);
  if (n->pending) arrive(n);
  uint64_t next_in = inject(n, now);
  uint32_t crossed = switch_all(n, now);
  leave_all(n);
  uint64_t next_out = eject_all(n, now);
  if (next_in <= now || next_out <= now || crossed || n->pending) return now + base->wake.period;
  return mem_earlier(next_in, next_out);
}

uint64_t noc_net_inside(const struct noc *base) {
  const struct noc_net *n = (const struct noc_net *)base;
  return n->inside[0] + n->inside[1];
}

/* ---- the watchdog's question ---- */

/* Where the head of the oldest packet is: a packet lies in several buffers at once, and its head in the one
 * from which no flit has crossed. */
static const struct mem_packet *oldest_head(const struct noc_net *n, uint32_t *vc) {
  const struct mem_packet *best = NULL;
  for (uint32_t v = 0; v < n->ins * n->vcs; v++)
    for (uint32_t j = n->vc[v].holds; j < n->vc[v].packets; j++) {
      const struct mem_packet *k = *packet_at(n, v, j);
      if (!best || k->born < best->born) best = k, *vc = v;
    }
  return best;
}

static const struct mem_packet *oldest_leaving(const struct noc_net *n) {
  const struct mem_packet *best = NULL;
  for (uint32_t d = 0; d < n->outs; d++)
    for (uint32_t j = 0; j < n->out[d].count && n->out[d].sink; j++) {
      const struct noc_flit *f = &n->out[d].ring[(n->out[d].first + j) % n->base.c.output_flits];
      if (f->tail && (!best || f->k->born < best->born)) best = f->k;
    }
  return best;
}

static void explain_packet(const struct noc_net *n, const struct mem_packet *k, uint64_t now,
                           struct str *out) {
  str_add(out, "  oldest %s: line 0x%lx, SM %u, slice %u, %lu cycles old, ",
          mem_to_sm(k) ? "reply" : "request", k->line, k->sm, k->slice,
          (now - k->born) / n->base.wake.period);
}

static const char *state_of(const struct noc_net *n, const struct noc_vc *q, const struct noc_router *r) {
  const struct noc_router_out *o = &n->out[r->first_out + q->out];
  if (!noc_has_bit(r->open, q->out)) return "has a full buffer";
  if (!o->free[q->class_]) return "has no free channel with a credit";
  return "is free";
}

static void explain_head(const struct noc_net *n, const struct mem_packet *k, uint32_t vc, uint64_t now,
                         struct str *out) {
  const struct noc_router_in *in = &n->in[n->vc[vc].in];
  const struct noc_vc *q = &n->vc[vc];
  explain_packet(n, k, now, out);
  str_add(out, "at %s %u, input %u, channel %u", n->router[in->router].kind, n->router[in->router].number,
          in->local, vc % n->vcs);
  if (*packet_at(n, vc, 0) != k || q->holds)
    str_add(out, ", behind another packet\n");
  else
    str_add(out, ", wants output %u, which %s\n", q->out, state_of(n, q, &n->router[in->router]));
}

void noc_net_explain(const struct noc *base, uint64_t now, struct str *out) {
  static const char *const names[] = {"request", "reply", "shared"};
  const struct noc_net *n = (const struct noc_net *)base;
  uint32_t waiting = 0, vc = 0;
  for (uint32_t i = 0; i < base->n_in; i++) waiting += base->in[i].count;
  str_add(out, "%s network: %lu flits inside, %u packets wait at inputs\n", names[base->shape.direction],
          noc_net_inside(base), waiting);
  const struct mem_packet *leaving = oldest_leaving(n), *head = oldest_head(n, &vc);
  if (leaving) {
    const struct mem_port *p = base->out[destination(n, leaving)];
    explain_packet(n, leaving, now, out);
    str_add(out, "at its receiver, which %s (%u of %u packets)\n",
            mem_port_free_slots(p, now) ? "has a free slot" : "is full", p->count, p->capacity);
  }
  if (head) explain_head(n, head, vc, now, out);
}
