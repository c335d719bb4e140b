/* Whether a network can be simulated as words of routers (sliced.h), and what its words hold at the beginning: where
 * links lead, how long flits and credits take, which class each source and sink has.
 *
 * Owns: the memory of struct noc_sliced. Does not: move anything (sliced.c). */
#include "noc/sliced.h"

enum { PORTS = SLICED_PORTS, LINES = SLICED_LINES };

/* Where the links of output port d lead, from every router that has one: so many routers further on, to this input port, PORTS if no
 * router has one. False: not everywhere the same. */
static bool find_links(const struct noc_net *n, uint32_t d, int32_t *further, uint32_t *to) {
  *further = 0;
  *to = PORTS;
  for (const struct noc_router *r = n->router; r < n->router + n->routers; r++) {
    const struct noc_router_out *o = &r->out[d];
    if (o->sink || o->to == NOC_NOBODY) continue;
    int32_t by = (int32_t)n->in[o->to].router - (int32_t)r->index;
    if (*to < PORTS && (by != *further || o->next->local != *to)) return false;
    *further = by;
    *to = o->next->local;
  }
  return true;
}

/* The one port at which sources and sinks are; PORTS: there is none. */
static uint32_t find_local(const struct noc_net *n) {
  uint32_t port = n->source[0].port % PORTS;
  for (uint32_t i = 0; i < n->ins; i++)
    if (n->in[i].source && i % PORTS != port) return PORTS;
  for (uint32_t d = 0; d < n->outs; d++)
    if (n->out[d].sink ? d % PORTS != port : d % PORTS == port && n->out[d].to != NOC_NOBODY) return PORTS;
  return port;
}

/* The class of the network's input i, and of its output d. */
static bool sends_replies(const struct noc_net *n, uint32_t i) { return i >= n->base.shape.sms; }
static bool gets_replies(const struct noc_net *n, uint32_t d) { return d >= n->base.shape.slices; }

/* The outputs of the network that are at router r's port `local`: *of those of replies, and whether they are all of one class. */
static bool find_class(const struct noc_net *n, uint32_t r, uint32_t local, bool *replies) {
  bool any[2] = {false, false};
  for (uint32_t d = 0; d < n->base.n_out; d++) any[gets_replies(n, d)] |= n->next[r * n->base.n_out + d] == local;
  *replies = any[1];
  return !(any[0] && any[1]);
}

/* Whether sources and sinks each have one class. */
static bool classes_apart(const struct noc_net *n) {
  uint32_t local = find_local(n);
  bool apart = local < PORTS, replies;
  for (uint32_t i = 0; i < n->sources; i++)
    apart &= sends_replies(n, n->source[i].first) == sends_replies(n, n->source[i].first + n->source[i].n - 1);
  for (uint32_t r = 0; r < n->routers && apart; r++) apart = find_class(n, r, local, &replies);
  return apart;
}

bool noc_sliced_fits(const struct noc_net *n) {
  const struct noc_config *c = &n->base.c;
  if (n->routers > 64 || n->classes != 2 || c->vcs > 1 || !n->style.staged || n->style.queues || n->base.topology->bypass) return false;
  if (c->speedup > 1 || c->iterations > 1 || c->buffer_flits > NOC_MOST || c->output_flits > NOC_MOST) return false;
  if ((NOC_HEADER + MEM_LINE + c->flit_bytes - 1) / c->flit_bytes > NOC_MOST || n->base.n_out > UINT8_MAX) return false;
  for (const struct noc_router *r = n->router; r < n->router + n->routers; r++)
    if (r->allocator.n_in != PORTS || r->allocator.n_out != PORTS) return false;
  for (uint32_t d = 0; d < PORTS; d++) {
    int32_t further;
    uint32_t to;
    if (!find_links(n, d, &further, &to)) return false;
  }
  return classes_apart(n);
}

static void number_packets(struct noc_net *n, struct noc_sliced *s) {
  uint32_t most = n->routers * (LINES * n->base.c.buffer_flits + n->base.c.output_flits);
  s->packet = must_alloc(most * sizeof *s->packet);
  s->unused = must_alloc(most * sizeof *s->unused);
  for (s->n_unused = 0; s->n_unused < most; s->n_unused++) s->unused[s->n_unused] = (uint16_t)(most - 1 - s->n_unused);
}

static void set_calendar(struct noc_net *n, struct noc_sliced *s) {
  const struct noc_config *c = &n->base.c;
  s->entry = c->pipeline;
  for (const struct noc_router_out *o = n->out; o < n->out + n->outs; o++)
    if (o->flight) s->flight = 1u + o->flight; /* and the switch's cycle */
  s->back = c->link_latency + c->credit_latency;
  s->back_to_source = c->credit_latency ? c->credit_latency + 1 : 0;
  const uint32_t delays[] = {s->entry, s->flight, s->back, s->back_to_source, c->output_latency};
  for (size_t i = 0; i < sizeof delays / sizeof *delays; i++) s->slots = delays[i] > s->slots ? delays[i] : s->slots;
  s->slots++;
  s->mail = must_alloc_lines(s->slots * sizeof *s->mail);
}

static void set_links(const struct noc_net *n, struct noc_sliced *s) {
  s->local = find_local(n);
  for (uint32_t d = 0; d < PORTS; d++) {
    uint32_t to;
    find_links(n, d, &s->further[d], &to);
    s->to[d] = d == s->local ? LINES : 2 * to;
    if (to < PORTS) s->from[to] = d;
  }
}

/* Inputs of the network are known by their routers. */
static void set_ends(const struct noc_net *n, struct noc_sliced *s) {
  for (uint32_t i = 0; i < n->sources; i++) {
    const struct noc_source *x = &n->source[i];
    uint32_t r = x->port / PORTS;
    s->source_of[r] = (uint8_t)i;
    if (sends_replies(n, x->first)) s->source.replies |= noc_bit(r);
    for (uint32_t j = x->first; j < x->first + x->n; j++) n->base.in[j].number = (uint16_t)r;
  }
  for (uint32_t r = 0; r < n->routers; r++) {
    bool replies;
    find_class(n, r, s->local, &replies);
    if (replies) s->sink.replies |= noc_bit(r);
  }
}

void noc_sliced_init(struct noc_net *n) {
  const struct noc_config *c = &n->base.c;
  struct noc_sliced *s = n->sliced = must_alloc_lines(sizeof *s);
  const noc_pair all = {UINT64_MAX, UINT64_MAX};
  number_packets(n, s);
  set_calendar(n, s);
  set_links(n, s);
  set_ends(n, s);
  s->next = must_alloc(n->routers * n->base.n_out * sizeof *s->next);
  for (uint32_t i = 0; i < n->routers * n->base.n_out; i++) s->next[i] = (uint8_t)n->next[i];
  for (uint32_t i = 0; i < NOC_DIGITS; i++) {
    s->source.credits[i] = c->buffer_flits >> i & 1 ? UINT64_MAX : 0;
    s->sink.space[i] = c->output_flits >> i & 1 ? UINT64_MAX : 0;
  }
  s->source.credit = UINT64_MAX;
  for (uint32_t d = 0; d < PORTS; d++) {
    for (uint32_t i = 0; i < NOC_DIGITS; i++)
      if (c->buffer_flits >> i & 1) s->credits[d][i] = all;
    s->credit[d] = s->last[d][PORTS - 1] = all;
    s->last_in[d][PORTS - 1] = s->last_out[PORTS - 1][d] = UINT64_MAX;
  }
}

void noc_sliced_free(struct noc_net *n) {
  struct noc_sliced *s = n->sliced;
  if (!s) return;
  void *const parts[] = {s->packet, s->unused, s->next, s->mail};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) free(parts[i]);
  free(s);
}
