/* See sliced.h. */
#include "noc/sliced.h"

enum { PORTS = SLICED_PORTS, LINES = SLICED_LINES };

/* ---- building ---- */

/* Where the links of output port d lead, from every router that has one: so many routers further on, to this input port. False: not
 * everywhere the same. */
static bool find_links(const struct noc_net *n, uint32_t d, int32_t *further, uint32_t *to) {
  bool found = false;
  for (const struct noc_router *r = n->router; r < n->router + n->routers; r++) {
    const struct noc_router_out *o = &r->out[d];
    if (o->sink || o->to == NOC_NOBODY) continue;
    int32_t by = (int32_t)n->in[o->to].router - (int32_t)r->index;
    if (found && (by != *further || o->next->local != *to)) return false;
    found = true;
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

bool noc_sliced_fits(const struct noc_net *n) {
  const struct noc_config *c = &n->base.c;
  if (n->routers > 64 || n->classes != 2 || c->vcs > 1 || !n->style.staged || n->style.queues || n->base.topology->bypass) return false;
  if (c->speedup > 1 || c->iterations > 1 || c->buffer_flits > NOC_MOST) return false;
  for (const struct noc_router *r = n->router; r < n->router + n->routers; r++)
    if (r->allocator.n_in != PORTS || r->allocator.n_out != PORTS) return false;
  for (uint32_t d = 0; d < PORTS; d++) {
    int32_t further;
    uint32_t to;
    if (!find_links(n, d, &further, &to)) return false;
  }
  return find_local(n) < PORTS;
}

static void number_packets(struct noc_net *n, struct noc_sliced *s) {
  uint32_t most = n->routers * LINES * n->base.c.buffer_flits;
  s->packet = must_alloc(most * sizeof *s->packet);
  s->unused = must_alloc(most * sizeof *s->unused);
  for (s->n_unused = 0; s->n_unused < most; s->n_unused++) s->unused[s->n_unused] = (uint16_t)(most - 1 - s->n_unused);
}

void noc_sliced_init(struct noc_net *n) {
  const struct noc_config *c = &n->base.c;
  struct noc_sliced *s = n->sliced = must_alloc_lines(sizeof *s);
  n->mail = must_alloc(n->slots * sizeof *n->mail);
  for (uint32_t i = 0; i < n->slots; i++) n->slot[i].mail = &n->mail[i];
  number_packets(n, s);
  s->local = find_local(n);
  s->open = UINT64_MAX;
  s->back = c->link_latency + c->credit_latency;
  for (uint32_t o = 0; o < LINES; o++) {
    s->free[o] = s->credit[o] = UINT64_MAX;
    for (uint32_t i = 0; i < NOC_DIGITS; i++) s->credits[o][i] = c->buffer_flits >> i & 1 ? UINT64_MAX : 0;
  }
  for (uint32_t d = 0; d < PORTS; d++) {
    s->last_in[d][PORTS - 1] = s->last_out[d][PORTS - 1] = UINT64_MAX;
    find_links(n, d, &s->further[d], &s->to[d]);
    if (d != s->local) s->from[s->to[d]] = d;
  }
  for (const struct noc_router_out *o = n->out; o < n->out + n->outs; o++)
    if (o->flight) s->flight = 1u + o->flight; /* and the switch's cycle */
}

void noc_sliced_free(struct noc_net *n) {
  if (n->sliced) {
    free(n->sliced->packet);
    free(n->sliced->unused);
  }
  free(n->sliced);
  free(n->mail);
}

/* ---- words ---- */

static inline uint64_t shifted(uint64_t who, int32_t further) { return further >= 0 ? who << further : who >> -further; }
/* The router of the lowest bit. */
static inline uint32_t first_of(uint64_t who) { return noc_lowest_bit(who); }

/* ---- packets ---- */

static uint32_t line_of(const struct noc_vc *q) { return (uint32_t)(q - q->router->vc); }

/* As much of the first packet as there are digits for, which are 0. */
static inline void set_left(struct noc_sliced *s, uint32_t router, uint32_t line, uint32_t flits) {
  if (flits > NOC_MOST) {
    s->rest[router][line] = (uint16_t)(flits - NOC_MOST);
    s->longer[line] |= noc_bit(router);
    flits = NOC_MOST;
  }
  for (uint32_t i = 0; i < NOC_DIGITS; i++) s->left[line][i] |= (uint64_t)(flits >> i & 1) << router;
}

static inline uint32_t first_packet(const struct noc_sliced *s, uint32_t router, uint32_t line) {
  return s->queue[router][line][s->first[router][line]];
}

static inline void begin_packet(const struct noc_net *n, uint32_t router, uint32_t line) {
  struct noc_sliced *s = n->sliced;
  const struct noc_sliced_packet *k = &s->packet[first_packet(s, router, line)];
  s->out[router][line] = (uint8_t)(2 * n->next[router * n->base.n_out + k->dest] + line % 2);
  set_left(s, router, line, k->flits);
}

/* A head flit is in flight to a channel. */
static inline void append(const struct noc_net *n, uint32_t router, uint32_t line, uint32_t packet) {
  struct noc_sliced *s = n->sliced;
  uint32_t i = s->packets[router][line]++;
  s->queue[router][line][(s->first[router][line] + i) % SLICED_QUEUE] = (uint16_t)packet;
  if (!i) begin_packet(n, router, line);
}

void noc_sliced_append(struct noc_net *n, struct noc_vc *q, struct mem_packet *k) {
  uint16_t packet = n->sliced->unused[--n->sliced->n_unused];
  n->sliced->packet[packet] = (struct noc_sliced_packet){k, (uint16_t)noc_net_destination(n, k), (uint16_t)k->local};
  append(n, q->router->index, line_of(q), packet);
}

uint32_t noc_sliced_packets(const struct noc_net *n, const struct noc_vc *q) { return n->sliced->packets[q->router->index][line_of(q)]; }

struct mem_packet *noc_sliced_packet(const struct noc_net *n, const struct noc_vc *q, uint32_t i) {
  const struct noc_sliced *s = n->sliced;
  uint32_t r = q->router->index, line = line_of(q);
  return s->packet[s->queue[r][line][(s->first[r][line] + i) % SLICED_QUEUE]].k;
}

uint32_t noc_sliced_port(const struct noc_net *n, const struct noc_vc *q) { return n->sliced->out[q->router->index][line_of(q)] / 2; }

static uint64_t wanted_by(const uint64_t *lines, const struct noc_net *n, const struct noc_vc *q) {
  return lines[n->sliced->out[q->router->index][line_of(q)]] & noc_bit(q->router->index);
}
bool noc_sliced_has_channel(const struct noc_net *n, const struct noc_vc *q) {
  return wanted_by(n->sliced->free, n, q) && wanted_by(n->sliced->credit, n, q);
}
bool noc_sliced_holds(const struct noc_net *n, const struct noc_vc *q) {
  return n->sliced->bound[line_of(q)] & noc_bit(q->router->index);
}
bool noc_sliced_open(const struct noc_net *n, const struct noc_vc *q) {
  return noc_sliced_port(n, q) != n->sliced->local || n->sliced->open & noc_bit(q->router->index);
}

/* ---- what arrives ---- */

static inline struct noc_sliced_mail *mail_after(const struct noc_net *n, uint32_t cycles) { return n->order[n->at + cycles]->mail; }

void noc_sliced_send(struct noc_net *n, const struct noc_vc *q, uint32_t cycles) {
  struct noc_sliced_mail *m = mail_after(n, cycles);
  m->flits[line_of(q)] |= noc_bit(q->router->index);
  m->n++;
  n->pending++;
}

/* The head at the front of an input channel waits for an output channel. */
static inline void ask_channel(struct noc_sliced *s, uint32_t router, uint32_t line) {
  uint32_t o = s->out[router][line];
  s->heads[router][o] = (uint16_t)(s->heads[router][o] | 1u << line);
  s->wanted[o] |= noc_bit(router);
}

static inline void heads_arrive(const struct noc_net *n, uint64_t who, uint32_t line) {
  if (n->base.c.route_stage) n->sliced->routing[line] |= who;
  else
    for (; who; who &= who - 1) ask_channel(n->sliced, first_of(who), line);
}

static void take_mail(struct noc_net *n, struct noc_sliced_mail *m) {
  struct noc_sliced *s = n->sliced;
  if (!m->n) return;
  for (uint32_t i = 0; i < LINES; i++) {
    uint64_t flits = m->flits[i], credits = m->credits[i];
    if (credits) noc_count_up(s->credits[i], credits);
    s->credit[i] |= credits;
    if (!flits) continue;
    heads_arrive(n, flits & ~s->some[i] & ~s->bound[i], i);
    noc_count_up(s->eligible[i], flits);
    s->some[i] |= flits;
  }
  n->pending -= m->n;
  *m = (struct noc_sliced_mail){0};
}

/* ---- allocation ---- */

/* Free output channels go to the first heads that wait for them: iSLIP over channels, of which a head asks for one and each output has
 * one a class, so that every grant is accepted. Returns whether there were any. */
static bool give_channels(struct noc_sliced *s) {
  uint64_t any = 0;
  for (uint32_t o = 0; o < LINES; o++) {
    uint64_t ready = s->free[o] & s->wanted[o];
    any |= ready;
    s->free[o] &= ~ready;
    for (; ready; ready &= ready - 1) {
      uint32_t r = first_of(ready), heads = s->heads[r][o], line = noc_first_in_word(heads, s->grant[r][o]);
      uint64_t router = ready & -ready;
      s->grant[r][o] = (uint8_t)noc_after(line, LINES);
      s->heads[r][o] = (uint16_t)(heads &= ~(1u << line));
      if (!heads) s->wanted[o] &= ~router;
      s->bound[line] |= router;
      s->owner[o][line / 2] |= router;
    }
  }
  return any;
}

/* The first of `ports` after the one that was last matched, going round; the pointers are those of a port in all routers. */
static uint32_t first_after(const uint64_t *last, uint32_t router, uint32_t ports) {
  uint32_t at = 0;
  while (!(last[at] >> router & 1)) at++;
  return noc_first_in_word(ports, noc_after(at, PORTS));
}

/* Output ports in which both channels ask: whether of one input port, which they grant then, or of two, of which one is chosen. */
static void grant_one(struct noc_sliced *s, uint32_t d, uint64_t both, uint64_t *grants) {
  for (; both; both &= both - 1) {
    uint32_t r = first_of(both), ports = 0;
    for (uint32_t i = 0; i < PORTS; i++) ports |= (uint32_t)(grants[i] >> r & 1) << i;
    uint32_t chosen = first_after(s->last_in[d], r, ports);
    for (uint32_t i = 0; i < PORTS; i++)
      if (i != chosen) grants[i] &= ~noc_bit(r);
  }
}

/* Input ports that several output ports grant: one is accepted, the others are lost. */
static void accept_one(struct noc_net *n, uint32_t i, uint64_t several, uint64_t (*grants)[PORTS], const uint64_t *asking) {
  struct noc_sliced *s = n->sliced;
  for (; several; several &= several - 1) {
    uint32_t r = first_of(several), ports = 0;
    for (uint32_t d = 0; d < PORTS; d++) ports |= (uint32_t)(grants[d][i] >> r & 1) << d;
    uint32_t chosen = first_after(s->last_out[i], r, ports), class_ = !(asking[2 * chosen] & s->owner[2 * chosen][i] & noc_bit(r));
    noc_net_counters(n, class_)[NOC_LOST_GRANTS] += (uint32_t)__builtin_popcount(ports) - 1;
    for (uint32_t d = 0; d < PORTS; d++)
      if (d != chosen) grants[d][i] &= ~noc_bit(r);
  }
}

/* Which output channels can send; false: none. */
static bool find_asking(const struct noc_sliced *s, uint64_t *asking) {
  uint64_t any = 0;
  for (uint32_t o = 0; o < LINES; o++) {
    asking[o] = 0;
    uint64_t can = ~s->free[o] & s->credit[o] & (o / 2 == s->local ? s->open : UINT64_MAX);
    if (!can) continue;
    for (uint32_t i = 0; i < PORTS; i++) asking[o] |= s->owner[o][i] & s->some[2 * i + o % 2];
    any |= asking[o] &= can;
  }
  return any;
}

/* Input and output port of each pair in `matched` use these channels, in turn if both ask; pointers move. */
static inline void use_match(struct noc_sliced *s, uint32_t d, uint32_t i, uint64_t matched, const uint64_t *asking, uint64_t *crossing,
                             uint64_t *sent) {
  uint64_t first = matched & asking[2 * d] & s->owner[2 * d][i], second = matched & asking[2 * d + 1] & s->owner[2 * d + 1][i];
  second &= ~first | s->turn[i];
  first &= ~second;
  s->turn[i] = (s->turn[i] & ~matched) | first;
  crossing[2 * i] |= first;
  crossing[2 * i + 1] |= second;
  sent[2 * d] |= first;
  sent[2 * d + 1] |= second;
}

/* Pointers of ports that were matched; matched[j * step] with their j-th partner. */
static inline void move_pointers(uint64_t *last, const uint64_t *matched, uint32_t step) {
  uint64_t any = 0;
  for (uint32_t j = 0; j < PORTS; j++) any |= matched[j * step];
  for (uint32_t j = 0; any && j < PORTS; j++) last[j] = (last[j] & ~any) | matched[j * step];
}

/* iSLIP with one iteration (islip.h), in all routers. Writes which input channels' flits cross, and by which output channels. */
static void match(struct noc_net *n, const uint64_t *asking, uint64_t *crossing, uint64_t *sent) {
  struct noc_sliced *s = n->sliced;
  uint64_t grants[PORTS][PORTS];
  for (uint32_t d = 0; d < PORTS; d++) {
    uint64_t first = asking[2 * d], second = asking[2 * d + 1];
    for (uint32_t i = 0; i < PORTS; i++) grants[d][i] = (first & s->owner[2 * d][i]) | (second & s->owner[2 * d + 1][i]);
    if (first & second) grant_one(s, d, first & second, grants[d]);
  }
  for (uint32_t i = 0; i < PORTS; i++) {
    uint64_t once = 0, several = 0;
    for (uint32_t d = 0; d < PORTS; d++) {
      several |= once & grants[d][i];
      once |= grants[d][i];
    }
    if (several) accept_one(n, i, several, grants, asking);
  }
  for (uint32_t j = 0; j < LINES; j++) crossing[j] = sent[j] = 0;
  for (uint32_t d = 0; d < PORTS; d++)
    for (uint32_t i = 0; i < PORTS; i++)
      if (grants[d][i]) use_match(s, d, i, grants[d][i], asking, crossing, sent);
  for (uint32_t j = 0; j < PORTS; j++) {
    move_pointers(s->last_in[j], grants[j], 1);
    move_pointers(s->last_out[j], &grants[0][j], PORTS);
  }
}

/* ---- moving ---- */

void noc_sliced_leave(struct noc_net *n, const struct noc_router_out *o) { n->sliced->open |= noc_bit(o->router->index); }

/* A flit of channel `line` goes into the buffer of a sink. */
static void enter_sink(struct noc_net *n, uint32_t r, uint32_t line, bool tail, uint64_t ready) {
  struct noc_sliced *s = n->sliced;
  const struct noc_sliced_packet *k = &s->packet[first_packet(s, r, line)];
  uint32_t sink = r * PORTS + s->local, capacity = n->base.c.output_flits;
  struct noc_router_out *o = &n->out[sink];
  uint32_t at = o->first + o->count;
  o->ring[at < capacity ? at : at - capacity] = (struct noc_flit){k->k, ready, k->dest, line % 2, tail};
  noc_net_sends(n, sink);
  if (++o->count == capacity) s->open &= ~noc_bit(r);
}

/* Flits that go to sinks: input port after input port, since an output channel knows only that. */
static void enter_sinks(struct noc_net *n, const uint64_t *crossing, const uint64_t *sent, const uint64_t *ended, uint64_t now) {
  const struct noc_sliced *s = n->sliced;
  uint64_t ready = now + n->base.c.output_latency * n->base.wake.period;
  for (uint32_t i = 0; i < LINES; i++) {
    uint32_t o = 2 * s->local + i % 2;
    for (uint64_t who = crossing[i] & sent[o] & s->owner[o][i / 2]; who; who &= who - 1)
      enter_sink(n, first_of(who), i, ended[i] & who & -who, ready);
  }
}

/* Heads that cross; packets follow them into the next router. */
static void follow_heads(struct noc_net *n, uint32_t line, uint64_t heads) {
  const struct noc_sliced *s = n->sliced;
  for (; heads; heads &= heads - 1) {
    uint32_t r = first_of(heads), port = s->out[r][line] / 2;
    if (port != s->local) append(n, (uint32_t)((int32_t)r + s->further[port]), 2 * s->to[port] + line % 2, first_packet(s, r, line));
  }
}

/* Packets of which more is left than `left` could count. */
static void count_on(struct noc_sliced *s, uint32_t line, uint64_t who) {
  s->longer[line] &= ~who;
  for (; who; who &= who - 1) set_left(s, first_of(who), line, s->rest[first_of(who)][line]);
}

/* The tails of these channels' first packets have crossed. */
static void end_packets(struct noc_net *n, uint32_t line, uint64_t tails) {
  struct noc_sliced *s = n->sliced;
  s->bound[line] &= ~tails;
  s->begun[line] &= ~tails;
  for (; tails; tails &= tails - 1) {
    uint32_t r = first_of(tails), o = s->out[r][line];
    s->owner[o][line / 2] &= ~noc_bit(r);
    s->free[o] |= noc_bit(r);
    if (o / 2 == s->local) s->unused[s->n_unused++] = (uint16_t)first_packet(s, r, line);
    s->first[r][line] = (uint8_t)((s->first[r][line] + 1) % SLICED_QUEUE);
    if (--s->packets[r][line] == 0) continue;
    begin_packet(n, r, line);
    heads_arrive(n, s->some[line] & noc_bit(r), line);
  }
}

/* Flits on links, and the credits for the buffers they leave; counts them. */
static void send_all(struct noc_net *n, const uint64_t *crossing, const uint64_t *sent) {
  struct noc_sliced *s = n->sliced;
  struct noc_sliced_mail *flits = mail_after(n, s->flight), *credits = mail_after(n, s->back);
  for (uint32_t j = 0; j < LINES; j++) {
    uint32_t port = j / 2, class_ = j % 2;
    noc_net_counters(n, class_)[NOC_HOPS] += (uint32_t)__builtin_popcountll(crossing[j]);
    if (port == s->local) {
      for (uint64_t who = crossing[j]; who; who &= who - 1) noc_net_give_back(n, &n->vc[first_of(who) * LINES + j]);
      continue;
    }
    uint32_t links = (uint32_t)__builtin_popcountll(sent[j]), back = (uint32_t)__builtin_popcountll(crossing[j]);
    if (links) {
      noc_count_down(s->credits[j], sent[j]);
      s->credit[j] = noc_not_zero(s->credits[j]);
      flits->flits[2 * s->to[port] + class_] |= shifted(sent[j], s->further[port]);
    }
    credits->credits[2 * s->from[port] + class_] |= shifted(crossing[j], -s->further[s->from[port]]);
    flits->n += links;
    credits->n += back;
    n->pending += links + back;
    n->order[n->at + 1]->links[class_] += links;
  }
}

static void move(struct noc_net *n, const uint64_t *crossing, const uint64_t *sent, uint64_t now) {
  struct noc_sliced *s = n->sliced;
  uint64_t ended[LINES], heads[LINES];
  for (uint32_t i = 0; i < LINES; i++) {
    ended[i] = 0;
    heads[i] = crossing[i] & ~s->begun[i];
    if (!crossing[i]) continue;
    s->begun[i] |= crossing[i];
    noc_count_down(s->eligible[i], crossing[i]);
    s->some[i] = noc_not_zero(s->eligible[i]);
    noc_count_down(s->left[i], crossing[i]);
    uint64_t none_left = crossing[i] & ~noc_not_zero(s->left[i]);
    ended[i] = none_left & ~s->longer[i];
    if (none_left & s->longer[i]) count_on(s, i, none_left & s->longer[i]);
  }
  send_all(n, crossing, sent);
  if (sent[2 * s->local] | sent[2 * s->local + 1]) enter_sinks(n, crossing, sent, ended, now);
  for (uint32_t i = 0; i < LINES; i++) follow_heads(n, i, heads[i]);
  for (uint32_t i = 0; i < LINES; i++) end_packets(n, i, ended[i]);
}

bool noc_sliced_cycle(struct noc_net *n, uint64_t now) {
  struct noc_sliced *s = n->sliced;
  uint64_t asking[LINES], crossing[LINES], sent[LINES], routed[LINES], any_routed = 0;
  take_mail(n, mail_after(n, 0));
  for (uint32_t i = 0; i < LINES; i++) any_routed |= routed[i] = s->routing[i];
  bool moves = find_asking(s, asking), gives = give_channels(s); /* a head asks for the switch from the next cycle on */
  if (moves) {
    match(n, asking, crossing, sent);
    move(n, crossing, sent, now);
  }
  for (uint32_t i = 0; i < LINES && any_routed; i++) {
    s->routing[i] &= ~routed[i];
    for (uint64_t who = routed[i]; who; who &= who - 1) ask_channel(s, first_of(who), i);
  }
  return gives || moves || any_routed;
}
