/* Builds a network of routers (router.h): its parts and their connections, before any time passes. */
#include "noc/router.h"
#include "noc/sliced.h"
#include "noc/worms.h"

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
  n->entering = must_alloc(noc_words(size->sources) * sizeof *n->entering);
  n->due = must_alloc(noc_words(size->sources) * sizeof *n->due);
  n->waiting = must_alloc(noc_words(size->sources) * sizeof *n->waiting);
  n->sources_some = must_alloc(noc_words_of_words(size->sources) * sizeof *n->sources_some);
  n->next = must_alloc((size_t)size->routers * n->base.n_out * sizeof *n->next);
  n->vc = must_alloc_lines((size_t)(size->ins + size->sinks) * n->vcs * sizeof *n->vc);
  n->sinks = size->ins; /* counted on from the inputs until all are known */
  return n;
}

/* The channels of port `in`, an input or a sink. */
static void set_channels(struct noc_net *n, uint32_t in, struct noc_router *r, uint32_t local) {
  for (uint32_t v = 0; v < n->vcs; v++)
    n->vc[in * n->vcs + v] = (struct noc_vc){.router = r, .local = (uint16_t)local, .number = (uint8_t)v,
                                             .class_ = (uint8_t)class_of_vc(n, v), .credits = 1};
}

static void set_delay(struct noc_net *n, uint32_t in, uint32_t cycles) {
  for (uint32_t v = 0; v < n->vcs; v++) n->vc[in * n->vcs + v].delay = (uint8_t)cycles;
}

uint32_t noc_net_router(struct noc_net *n, const char *kind, uint32_t number, uint32_t ins, uint32_t outs) {
  struct noc_router *r = &n->router[n->routers];
  assert(ins <= NOC_MAX_PORTS && outs <= NOC_MAX_PORTS);
  noc_islip_init(&r->allocator, ins, outs, n->base.c.iterations, n->vcs == 1, n->vcs);
  if (n->base.c.vc_stage) noc_vc_stage_init(&r->stage, ins * n->vcs, outs, n->vcs, n->classes, &n->base.c);
  r->words = (ins * n->vcs + 63) / 64;
  r->held = must_alloc((1 + NOC_CLASSES) * outs * r->words * sizeof *r->held);
  for (uint32_t c = 0; c < NOC_CLASSES; c++) r->fresh[c] = r->held + (1 + c) * outs * r->words;
  r->turn = must_alloc(ins * sizeof *r->turn);
  r->kind = kind;
  r->number = number;
  r->index = n->routers;
  r->first_in = n->ins;
  r->first_out = n->outs;
  r->vc = &n->vc[n->ins * n->vcs];
  r->out = &n->out[n->outs];
  r->pipeline = n->base.c.pipeline;
  r->staged = n->base.c.vc_stage;
  for (uint32_t i = 0; i < ins; i++) {
    set_channels(n, n->ins, r, i);
    n->in[n->ins++] = (struct noc_router_in){.router = (uint16_t)r->index};
  }
  for (uint32_t d = 0; d < outs; d++) {
    n->out[n->outs++] = (struct noc_router_out){.router = r, .local = (uint16_t)d, .to = NOC_NOBODY};
    noc_set_bit(r->open, d);
  }
  return n->routers++;
}

static void lead_to(struct noc_net *n, struct noc_router_out *o, uint32_t in) {
  o->to = in;
  o->next = &n->vc[in * n->vcs];
}

void noc_net_link(struct noc_net *n, uint32_t from, uint32_t out, uint32_t to, uint32_t in) {
  struct noc_router_out *o = &n->out[n->router[from].first_out + out];
  lead_to(n, o, n->router[to].first_in + in);
  o->interval = (uint16_t)n->base.c.link_interval;
  set_delay(n, o->to, n->base.c.link_latency + n->base.c.credit_latency);
  n->in[o->to].sender = n->router[from].first_out + out;
}

void noc_net_source(struct noc_net *n, uint32_t router, uint32_t in, uint32_t first, uint32_t count) {
  uint32_t port = n->router[router].first_in + in;
  for (uint32_t i = first; i < first + count; i++) n->source_of[i] = (uint16_t)n->sources;
  n->in[port].source = true;
  n->in[port].sender = n->sources;
  n->source[n->sources++] = (struct noc_source){.first = first, .n = count, .port = port, .vc = NOC_NOBODY};
  if (n->base.c.credit_latency) set_delay(n, port, n->base.c.credit_latency + 1);
}

void noc_net_sink(struct noc_net *n, uint32_t router, uint32_t out) {
  struct noc_router_out *o = &n->out[n->router[router].first_out + out];
  o->sink = true;
  set_channels(n, n->sinks, NULL, 0);
  lead_to(n, o, n->sinks++);
  o->ring = must_alloc(n->base.c.output_flits * sizeof *o->ring);
}

void noc_net_route(struct noc_net *n, uint32_t router, uint32_t dest, uint32_t out) {
  n->next[router * n->base.n_out + dest] = (uint16_t)out;
}

static void set_buffers(struct noc_net *n) {
  uint32_t capacity = n->base.c.buffer_flits;
  n->packets = must_alloc((size_t)n->ins * n->vcs * capacity * sizeof *n->packets);
  for (uint32_t j = 0; j < n->ins * n->vcs; j++) {
    n->vc[j].credits = (uint16_t)capacity;
    n->vc[j].ring = &n->packets[j * capacity];
  }
  for (uint32_t d = 0; d < n->outs; d++)
    for (uint32_t c = 0; c < n->classes && n->out[d].to != NOC_NOBODY; c++) n->out[d].free[c] = (uint16_t)n->base.c.vcs;
}

/* A flit waits for the link behind as many as its buffer can hold, if they can come faster than they leave. */
static void set_calendar(struct noc_net *n) {
  const struct noc_config *c = &n->base.c;
  bool faster = c->speedup > 1 || c->link_interval > 1;
  uint32_t longest = 0, backlog = faster ? c->output_flits * c->link_interval : 0;
  for (uint32_t r = 0; r < n->routers; r++)
    if (n->router[r].pipeline > longest) longest = n->router[r].pipeline;
  if (n->base.c.credit_latency > longest) longest = n->base.c.credit_latency;
  n->slots = longest + n->base.c.link_latency + backlog + 2;
  n->slot = must_alloc(n->slots * sizeof *n->slot);
  n->order = must_alloc(2 * n->slots * sizeof *n->order);
  uint32_t size = n->ins + n->ins * c->speedup;
  n->lists = must_alloc((size_t)n->slots * size * sizeof *n->lists);
  n->leaving = must_alloc((size_t)n->slots * n->outs * sizeof *n->leaving);
  for (uint32_t j = 0; j < n->slots; j++) {
    n->slot[j].arrivals = n->lists + j * size;
    n->slot[j].returns = n->slot[j].arrivals + n->ins;
    n->slot[j].leaving = n->leaving + j * n->outs;
    n->order[j] = n->order[n->slots + j] = &n->slot[j];
  }
}

/* A flit in an output buffer and the next, which comes as it goes, need two slots. */
static void set_style(struct noc_net *n) {
  const struct noc_config *c = &n->base.c;
  struct noc_style s = {n->vcs, c->speedup, .narrow = true, .staged = true,
                        .queues = c->speedup > 1 || c->link_interval > 1 || c->output_flits == 1};
  for (const struct noc_router *r = n->router; r < n->router + n->routers; r++) {
    s.narrow &= r->allocator.narrow;
    s.staged &= r->staged;
  }
  n->style = s;
}

/* The pipeline counts from the switch, which with stages has a cycle of its own. */
static void set_flights(struct noc_net *n) {
  for (struct noc_router_out *o = n->out; o < n->out + n->outs; o++) {
    if (o->sink || o->to == NOC_NOBODY) continue;
    uint32_t cycles = n->base.c.link_latency + o->next->router->pipeline - n->base.c.vc_stage;
    o->flight = (uint16_t)(cycles ? cycles : 1);
  }
}

void noc_net_bypass(struct noc_net *n, uint32_t router, bool on) {
  n->router[router].bypassed = on;
  n->router[router].staged = n->base.c.vc_stage && !on;
  n->router[router].pipeline = on ? 0 : n->base.c.pipeline;
  set_flights(n);
  set_style(n);
  if (n->worms) noc_worms_bypass(n);
}

struct noc *noc_net_ready(struct noc_net *n) {
  n->active = must_alloc(noc_words(n->routers) * sizeof *n->active);
  n->sending = must_alloc(noc_words(n->outs) * sizeof *n->sending);
  n->sending_some = must_alloc(noc_words_of_words(n->outs) * sizeof *n->sending_some);
  set_buffers(n);
  set_calendar(n);
  set_flights(n);
  set_style(n);
  if (noc_sliced_fits(n)) noc_sliced_init(n);
  else if (noc_worms_fits(n)) noc_worms_init(n);
  return &n->base;
}

void noc_net_destroy(struct noc *base) {
  struct noc_net *n = (struct noc_net *)base;
  for (uint32_t r = 0; r < n->routers; r++) {
    noc_islip_free(&n->router[r].allocator);
    noc_vc_stage_free(&n->router[r].stage);
    free(n->router[r].held);
    free(n->router[r].turn);
  }
  for (uint32_t d = 0; d < n->outs; d++) free(n->out[d].ring);
  void *const parts[] = {n->router, n->in,    n->out,     n->source,    n->next,     n->vc,  n->packets, n->active,  n->sending,
                         n->slot,   n->order, n->lists, n->leaving, n->source_of, n->entering, n->due, n->waiting,
                         n->sources_some, n->sending_some};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) free(parts[i]);
  noc_sliced_free(n);
  noc_worms_free(n);
  noc_free(base);
  free(n);
}

bool noc_net_fits(const struct cfg *cfg, const struct noc_config *c, struct err *e) {
  if (c->voq) return cfg_complain(cfg, "noc.voq", e, "only the full crossbar (xbar) has queues an output");
  return true;
}
