/* One cycle of a network of routers. See router.h. */
#include "noc/router.h"

#include "mem/mem_stall.h"
#include "noc/sliced.h"
#include "noc/worms.h"

static inline uint32_t class_of(const struct noc_net *n, const struct mem_packet *k) {
  return n->classes == 2 && mem_to_sm(k);
}

/* ---- requests ---- */

/* Bits of a router's sets, which are a word if it is narrow. */
FOLDED void put_bit(struct noc_style k, uint64_t *set, uint32_t i, bool on) {
  uint64_t *word = k.narrow ? set : &set[i >> 6];
  *word = on ? *word | noc_bit(i) : *word & ~noc_bit(i);
}
FOLDED uint32_t words_of(struct noc_style k, const struct noc_router *r) { return k.narrow ? 1 : r->words; }

/* A channel in its router. */
static inline uint32_t line_of(const struct noc_router *r, const struct noc_vc *q) { return (uint32_t)(q - r->vc); }

/* Channel q asks for its output in a set of its router. */
FOLDED void ask(struct noc_net *n, struct noc_style k, const struct noc_vc *q, uint64_t *sets) {
  struct noc_router *r = q->router;
  uint32_t d = q->out->local;
  put_bit(k, &sets[d * words_of(k, r)], line_of(r, q), true);
  put_bit(k, r->asking, d, true);
  noc_set_bit(n->active, r->index);
}

/* The packet under way in q can send its next flit. */
FOLDED void ask_switch(struct noc_net *n, struct noc_style k, const struct noc_vc *q) {
  assert(q->ahead && q->eligible && q->ahead->credits);
  ask(n, k, q, q->router->held);
}

/* Channel q asks for output d no more, or only with a packet under way. */
FOLDED void settle(struct noc_style k, struct noc_router *r, const struct noc_vc *q, uint32_t d, bool held) {
  uint32_t words = words_of(k, r);
  uint64_t any = 0;
  put_bit(k, &r->held[d * words], line_of(r, q), held);
  if (!k.staged) put_bit(k, &r->fresh[q->class_][d * words], line_of(r, q), false);
  for (uint32_t w = d * words; w < (d + 1) * words; w++)
    any |= k.staged ? r->held[w] : r->held[w] | r->fresh[0][w] | r->fresh[1][w];
  if (!any) put_bit(k, r->asking, d, false);
}

/* Those of a router's channels that may be granted output d: of packets under way, and heads whose class has a free channel there. */
FOLDED uint64_t lines_asking(struct noc_style k, const struct noc_router *r, uint32_t d, uint32_t words, uint32_t w) {
  uint64_t lines = r->held[d * words + w];
  for (uint32_t c = 0; c < NOC_CLASSES && !k.staged; c++)
    if (r->out[d].free[c]) lines |= r->fresh[c][d * words + w];
  return lines;
}

/* The channel of an input that uses a grant of output d, in turn. */
FOLDED struct noc_vc *channel_for(struct noc_style k, const struct noc_router *r, uint32_t in, uint32_t d) {
  struct noc_vc *q = &r->vc[in * k.vcs];
  if (k.vcs == 1) return q;
  uint32_t v = r->turn[in], first = in * k.vcs;
  if (k.narrow) v = noc_first_in_word(lines_asking(k, r, d, 1, 0) >> first & ((1u << k.vcs) - 1), v);
  else
    while (!(lines_asking(k, r, d, r->words, (first + v) / 64) & noc_bit(first + v))) v = noc_after(v, k.vcs);
  r->turn[in] = (uint8_t)noc_after(v, k.vcs);
  return &q[v];
}

/* ---- buffers ---- */

static void begin_packet_of(struct noc_net *n, struct noc_vc *q, struct mem_packet *k) {
  struct noc_router *r = q->router;
  q->k = k;
  q->left = (uint16_t)k->local;
  q->begun = false;
  q->out = &r->out[n->next[r->index * n->base.n_out + noc_net_destination(n, k)]];
}

/* A head flit is in flight to this channel. */
static inline void append(struct noc_net *n, struct noc_vc *q, struct mem_packet *k) {
  if (q->packets++ == 0) begin_packet_of(n, q, k);
  else *noc_net_behind(n, q, q->packets - 2u) = k;
}

static inline void pop_first(struct noc_net *n, struct noc_vc *q) {
  q->ahead = NULL;
  if (--q->packets == 0) return;
  begin_packet_of(n, q, q->ring[q->first]);
  q->first = (uint16_t)noc_after(q->first, n->base.c.buffer_flits);
}

/* The head of q's first packet has come to the front. */
FOLDED void head_arrives(struct noc_net *n, struct noc_style k, struct noc_vc *q) {
  struct noc_router *r = q->router;
  if (!k.staged && !r->staged) {
    ask(n, k, q, r->fresh[q->class_]);
    return;
  }
  noc_head_waits(&r->stage, words_of(k, r), (struct noc_head){line_of(r, q), q->out->local, q->class_});
  noc_set_bit(n->active, r->index);
}

/* ---- what arrives ---- */

static inline struct noc_slot *slot_after(const struct noc_net *n, uint32_t cycles) { return n->order[n->at + cycles]; }

static inline void send_flit(struct noc_net *n, struct noc_vc *q, uint32_t cycles) {
  struct noc_slot *s = slot_after(n, cycles);
  s->arrivals[s->n_arrivals++] = q;
  n->pending++;
}

static inline void send_credit(struct noc_net *n, struct noc_vc *q) {
  struct noc_slot *s = slot_after(n, q->delay);
  s->returns[s->n_returns++] = q;
  n->pending++;
}

static inline const struct noc_router_in *port_of(const struct noc_net *n, const struct noc_vc *q) {
  return &n->in[q->router->first_in + q->local];
}

/* The source of an input port tries again. */
static void wake_source(struct noc_net *n, uint32_t source) {
  if (!noc_has_bit(n->waiting, source)) return;
  noc_clear_bit(n->waiting, source);
  n->n_waiting[n->source[source].class_]--;
}

/* A channel that had no credit has one again. */
FOLDED void first_credit(struct noc_net *n, struct noc_style k, struct noc_vc *q) {
  const struct noc_router_in *in = port_of(n, q);
  if (q->owner) {
    if (q->owner->eligible) ask_switch(n, k, q->owner);
  } else if (in->source)
    wake_source(n, in->sender);
  else
    n->out[in->sender].free[q->class_]++;
}

FOLDED void arrive(struct noc_net *n, struct noc_style k) {
  struct noc_slot *s = slot_after(n, 0);
  uint32_t credits = s->n_returns, flits = s->n_arrivals;
  for (uint32_t j = 0; j < credits; j++) {
    struct noc_vc *q = s->returns[j];
    if (q->credits++ == 0) first_credit(n, k, q);
  }
  for (uint32_t j = 0; j < flits; j++) {
    struct noc_vc *q = s->arrivals[j];
    if (q->eligible++ != 0) continue;
    if (!q->ahead) head_arrives(n, k, q);
    else if (q->ahead->credits) ask_switch(n, k, q);
  }
  n->pending -= credits + flits;
  s->n_returns = s->n_arrivals = 0;
}

/* ---- injection ---- */

/* With stages: the next channel of the class in turn that has a credit. */
static uint32_t channel_in_turn(const struct noc_net *n, const struct noc_source *s, uint32_t first) {
  uint32_t vcs = n->base.c.vcs, v = s->vc >= first && s->vc < first + vcs ? noc_after(s->vc - first, vcs) : 0;
  for (uint32_t tried = 1; tried < vcs && !n->vc[first + v].credits; tried++) v = noc_after(v, vcs);
  return first + v;
}

/* The emptiest channel of the class. */
static uint32_t choose_channel(const struct noc_net *n, const struct noc_source *s, uint32_t class_) {
  uint32_t first = s->port * n->vcs + class_ * n->base.c.vcs, best = first;
  if (n->base.c.vc_stage) return channel_in_turn(n, s, first);
  for (uint32_t v = first + 1; v < first + n->base.c.vcs; v++)
    if (n->vc[v].credits > n->vc[best].credits) best = v;
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
  assert(noc_net_destination(n, k) < n->base.n_out);
  if (!n->vc[vc].credits) {
    wait_for_credit(n, s, class_);
    return false;
  }
  mem_port_pop(p, now);
  k->sent = now;
  k->local = noc_flits(&n->base.c, k);
  s->entering = k;
  noc_set_bit(n->entering, (uint32_t)(s - n->source)); /* in a word that inject knows: it was due */
  s->left = (uint32_t)k->local;
  s->vc = vc;
  s->turn = noc_after(input, s->n);
  append(n, &n->vc[vc], k);
  noc_net_counters(n, class_)[NOC_PACKETS_IN]++;
  return true;
}

/* One flit of the packet that is entering. */
static bool inject_flit(struct noc_net *n, struct noc_source *s) {
  struct noc_vc *q = &n->vc[s->vc];
  uint32_t class_ = q->class_;
  if (!q->credits) {
    wait_for_credit(n, s, class_);
    return false;
  }
  q->credits--;
  uint32_t depth = q->router->pipeline;
  send_flit(n, q, depth ? depth : 1);
  n->inside[class_]++;
  noc_net_counters(n, class_)[NOC_FLITS_IN]++;
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
  for (uint32_t w = 0; w < noc_words(n->base.n_in); w++)
    for (uint64_t m = n->base.filled[w]; m; m &= m - 1) {
      uint32_t i = w * 64 + noc_lowest_bit(m);
      if (n->base.in[i].count) {
        noc_set_bit(n->due, n->source_of[i]);
        noc_set_bit(n->sources_some, n->source_of[i] / 64u);
      } else {
        noc_clear_bit(n->base.filled, i);
      }
    }
}

/* Those of word w of the sources. */
static void inject_word(struct noc_net *n, uint32_t w, uint64_t now, uint64_t *next) {
  uint64_t due = (n->due[w] | n->entering[w]) & ~n->waiting[w];
  n->due[w] = 0;
  for (; due; due &= due - 1) inject_source(n, &n->source[w * 64 + noc_lowest_bit(due)], now, next);
  if (!n->entering[w]) noc_clear_bit(n->sources_some, w);
}

/* Every source with something to send. */
static uint64_t inject(struct noc_net *n, uint64_t now) {
  uint64_t next = MEM_NEVER;
  find_due(n);
  for (uint32_t c = 0; c < NOC_CLASSES; c++) n->stalled_in[c] = n->n_waiting[c];
  for (uint32_t v = 0; v < noc_words_of_words(n->sources); v++)
    for (uint64_t some = n->sources_some[v]; some; some &= some - 1) inject_word(n, v * 64 + noc_lowest_bit(some), now, &next);
  for (uint32_t c = 0; c < n->classes; c++) noc_net_counters(n, c)[NOC_INJECT_STALLS] += n->stalled_in[c];
  return next;
}

/* ---- switch ---- */

/* The packet at the front of q gets channel `to` of the next buffer. */
static void hold_channel(struct noc_vc *q, uint32_t to) {
  q->ahead = &q->out->next[to];
  q->ahead->owner = q;
  if (q->ahead->credits) q->out->free[q->class_]--;
}

/* The head of q takes the emptiest free channel of its class. */
static void take_channel(const struct noc_net *n, struct noc_vc *q) {
  uint32_t first = q->class_ * n->base.c.vcs, best = NOC_NOBODY;
  const struct noc_vc *t = q->out->next;
  for (uint32_t v = first; v < first + n->base.c.vcs; v++)
    if (!t[v].owner && t[v].credits && (best == NOC_NOBODY || t[v].credits > t[best].credits)) best = v;
  assert(best != NOC_NOBODY);
  hold_channel(q, best);
}

/* A flit has left channel q: its sender gets a credit. */
static void give_back(struct noc_net *n, struct noc_vc *q) {
  if (q->delay) send_credit(n, q);
  else {
    assert(port_of(n, q)->source);
    if (q->credits++ == 0) wake_source(n, port_of(n, q)->sender);
  }
}

/* A round of a cycle, in one router: cycles until a flit that gets the switch in it can go over the link, or is at the end of a
 * receiver's. */
struct moment {
  uint64_t now;
  uint32_t link, receiver;
};

/* With stages the switch takes the next round, which after a cycle's last is in the next cycle. */
FOLDED struct moment moment_of(const struct noc_net *n, struct noc_style k, const struct noc_router *r, uint64_t now, bool last) {
  uint32_t staged = k.staged || r->staged, early = staged && !last, latency = n->base.c.output_latency;
  return (struct moment){now, staged - early, latency ? latency - early : 0};
}

/* A flit of q goes into the buffer of a sink. */
static void push_flit(struct noc_net *n, struct noc_router_out *o, const struct noc_vc *q, uint64_t ready) {
  uint32_t capacity = n->base.c.output_flits, at = o->first + o->count;
  o->ring[at < capacity ? at : at - capacity] = (struct noc_flit){q->k, ready, (uint16_t)noc_net_destination(n, q->k), q->class_, !q->left};
  noc_net_sends(n, (uint32_t)(o - n->out));
}

/* A flit comes into the buffer of an output. */
FOLDED void enter_buffer(const struct noc_net *n, struct noc_style k, struct noc_router *r, struct noc_router_out *o) {
  if (++o->count == n->base.c.output_flits) put_bit(k, r->open, o->local, false);
}

/* A flit that can go over the link in `cycles` does when those before it have: cycles until then. */
FOLDED uint32_t queue_for_link(struct noc_net *n, struct noc_style k, struct noc_router *r, struct noc_router_out *o, uint32_t cycles) {
  uint64_t leaves = mem_later(n->cycle + cycles, o->ready);
  uint32_t wait = (uint32_t)(leaves - n->cycle);
  assert(wait + o->flight < n->slots);
  struct noc_slot *s = slot_after(n, wait);
  o->ready = leaves + o->interval;
  s->leaving[s->n_leaving++] = o;
  enter_buffer(n, k, r, o);
  return wait;
}

/* A flit of q goes on to the next router; the flits of a packet follow its head. */
FOLDED void take_link(struct noc_net *n, struct noc_style k, struct noc_router *r, struct noc_router_out *o, struct noc_vc *q,
                      uint32_t cycles) {
  if (k.queues) cycles = queue_for_link(n, k, r, o, cycles);
  q->ahead->credits--;
  slot_after(n, cycles)->links[q->class_]++;
  if (!q->begun) append(n, q->ahead, q->k);
  send_flit(n, q->ahead, cycles + o->flight);
}

/* The tail of q's packet has crossed. */
FOLDED void end_packet(struct noc_net *n, struct noc_style k, struct noc_router *r, struct noc_router_out *o, struct noc_vc *q) {
  struct noc_vc *ahead = q->ahead;
  ahead->owner = NULL;
  o->free[q->class_] = (uint16_t)(o->free[q->class_] + (ahead->credits != 0));
  if (k.staged || r->staged) noc_channel_freed(&r->stage, o->local, ahead->number);
  pop_first(n, q);
  if (q->packets && q->eligible) head_arrives(n, k, q);
}

/* Moves a flit through the switch. */
FOLDED void cross(struct noc_net *n, struct noc_style k, struct noc_router *r, struct noc_islip_pair m, const struct moment *t) {
  struct noc_router_out *o = &r->out[m.out];
  struct noc_vc *q = channel_for(k, r, m.in, m.out);
  bool tail = --q->left == 0, held = k.staged || q->ahead;
  if (!held) take_channel(n, q);
  q->eligible--;
  if (o->sink) {
    push_flit(n, o, q, t->now + t->receiver * n->base.wake.period);
    enter_buffer(n, k, r, o);
  } else take_link(n, k, r, o, q, t->link);
  q->begun = true;
  give_back(n, q);
  assert(!r->bypassed || m.in == m.out);
  if (r->bypassed) noc_net_counters(n, q->class_)[NOC_BYPASSED]++;
  else n->crossed[q->class_]++;
  if (m.lost) noc_net_counters(n, q->class_)[NOC_LOST_GRANTS] += m.lost;
  bool more = !tail && q->eligible && q->ahead->credits; /* it goes on asking for this output */
  if (!held || !more) settle(k, r, q, m.out, more);
  if (tail) end_packet(n, k, r, o, q);
}

/* The inputs that may be granted output d; of a narrow router, their channels. */
FOLDED void requests_of(struct noc_style k, const struct noc_router *r, uint32_t d, uint32_t words, uint64_t *mask) {
  for (uint32_t w = 0; w < words; w++) mask[w] = 0;
  if (k.narrow || r->allocator.narrow || k.vcs == 1)
    for (uint32_t w = 0; w < words; w++) mask[w] = lines_asking(k, r, d, words, w);
  else
    for (uint32_t w = 0; w < r->words; w++)
      for (uint64_t m = lines_asking(k, r, d, r->words, w); m; m &= m - 1) noc_set_bit(mask, (w * 64 + noc_lowest_bit(m)) / k.vcs);
}

/* What an allocator asks about its router. */
struct asked {
  struct noc_style k;
  const struct noc_router *r;
};
FOLDED void requests(const void *user, uint32_t d, uint32_t words, uint64_t *mask) {
  const struct asked *a = user;
  requests_of(a->k, a->r, d, words, mask);
}

/* One round of a router's allocator; returns how many flits crossed. */
FOLDED uint32_t switch_round(struct noc_net *n, struct noc_style k, struct noc_router *r, const struct moment *t) {
  struct noc_islip_pair pairs[NOC_MAX_PORTS];
  uint64_t outputs[NOC_WORDS], any = 0;
  struct asked a = {k, r};
  for (uint32_t w = 0; w < (k.narrow ? 1 : r->allocator.out_words); w++) any |= outputs[w] = r->asking[w] & r->open[w];
  if (!any) return 0;
  uint32_t matched = k.narrow ? noc_islip_match_narrow(&r->allocator, k.vcs, k.vcs == 1, any, requests, &a, pairs)
                              : noc_islip_match(&r->allocator, outputs, requests, &a, pairs);
  for (uint32_t j = 0; j < matched; j++) cross(n, k, r, pairs[j], t);
  return matched;
}

/* One round with channels and the switch allocated apart, both from what was there before it; returns how much happened. */
FOLDED uint32_t staged_round(struct noc_net *n, struct noc_style k, struct noc_router *r, const struct moment *t) {
  struct noc_placed placed[NOC_MAX_PORTS * NOC_MAX_VCS];
  uint32_t heads = noc_vc_stage_match(&r->stage, k.narrow, placed), routed = r->stage.routed;
  uint32_t crossed = switch_round(n, k, r, t);
  for (uint32_t j = 0; j < heads; j++) {
    struct noc_vc *q = &r->vc[placed[j].channel];
    if (placed[j].lost) noc_net_counters(n, q->class_)[NOC_LOST_GRANTS] += placed[j].lost;
    hold_channel(q, placed[j].vc);
    if (q->ahead->credits) ask_switch(n, k, q);
  }
  noc_heads_routed(&r->stage, words_of(k, r));
  return crossed + heads + routed;
}

/* Whether another round could move something. Without stages a credit may let a head go on, too, which nobody is told. */
FOLDED bool may_move(struct noc_style k, const struct noc_router *r) {
  bool staged = k.staged || r->staged;
  uint64_t any = staged ? r->stage.n_routing : 0;
  for (uint32_t w = 0; w < (k.narrow ? 1 : r->allocator.out_words); w++)
    any |= staged ? (r->asking[w] & r->open[w]) | r->stage.ready[w] : r->asking[w];
  return any != 0;
}

/* The rounds of a cycle in one router; returns how much happened. */
FOLDED uint32_t visit(struct noc_net *n, struct noc_style k, struct noc_router *r, uint64_t now) {
  uint32_t progress = 0;
  for (uint32_t round = 1, moved = 1; round <= k.speedup && moved; round++) {
    struct moment t = moment_of(n, k, r, now, round == k.speedup);
    moved = k.staged || r->staged ? staged_round(n, k, r, &t) : switch_round(n, k, r, &t);
    progress += moved;
  }
  return progress;
}

/* Every router in which something may move; returns how much did. */
FOLDED uint32_t switch_all(struct noc_net *n, struct noc_style k, uint64_t now) {
  uint32_t progress = 0;
  for (uint32_t w = 0; w < noc_words(n->routers); w++)
    for (uint64_t m = n->active[w]; m; m &= m - 1) {
      struct noc_router *r = &n->router[w * 64 + noc_lowest_bit(m)];
      progress += visit(n, k, r, now);
      if (!may_move(k, r)) n->active[w] &= ~(m & -m);
    }
  for (uint32_t c = 0; c < n->classes; c++) {
    noc_net_counters(n, c)[NOC_HOPS] += n->crossed[c];
    n->crossed[c] = 0;
  }
  return progress;
}

/* ---- links and sinks ---- */

/* A flit has left the buffer of an output. */
static void leave_buffer(struct noc_net *n, struct noc_router_out *o) {
  struct noc_router *r = o->router;
  o->count--;
  noc_set_bit(r->open, o->local);
  if (noc_has_bit(r->asking, o->local)) noc_set_bit(n->active, r->index);
}

/* Flits that go over their links in this cycle. */
static void leave_all(struct noc_net *n) {
  struct noc_slot *s = slot_after(n, 0);
  for (uint32_t j = 0; j < s->n_leaving; j++) leave_buffer(n, s->leaving[j]);
  s->n_leaving = 0;
  for (uint32_t c = 0; c < n->classes; c++) {
    noc_net_counters(n, c)[NOC_LINKS] += s->links[c];
    s->links[c] = 0;
  }
}

/* Returns when to try again if the receiver has no free slot. */
static uint64_t eject_flit(struct noc_net *n, struct noc_router_out *o, uint64_t now) {
  struct noc_flit f = o->ring[o->first];
  if (f.ready > now) return f.ready;
  uint32_t d = f.to;
  if (f.tail && mem_port_free_slots(n->base.out[d], now) == 0) {
    n->stalled_out[f.class_]++;
    return mem_port_stall(n->base.out[d], &n->base.wake, now);
  }
  o->first = (uint16_t)noc_after(o->first, n->base.c.output_flits);
  leave_buffer(n, o);
  if (!o->count) noc_clear_bit(n->sending, (uint32_t)(o - n->out));
  uint64_t *c = noc_net_counters(n, f.class_);
  n->inside[f.class_]--;
  c[NOC_FLITS_OUT]++;
  if (f.tail) noc_deliver(&n->base, c, d, f.k, now);
  return now;
}

/* Returns now if anything moved, else when a receiver may have a flit or a free slot. */
static uint64_t eject_all(struct noc_net *n, uint64_t now) {
  uint64_t next = MEM_NEVER;
  for (uint32_t v = 0; v < noc_words_of_words(n->outs); v++)
    for (uint64_t some = n->sending_some[v]; some; some &= some - 1) {
      uint32_t w = v * 64 + noc_lowest_bit(some);
      for (uint64_t m = n->sending[w]; m; m &= m - 1) next = mem_earlier(next, eject_flit(n, &n->out[w * 64 + noc_lowest_bit(m)], now));
      if (!n->sending[w]) noc_clear_bit(n->sending_some, w);
    }
  for (uint32_t c = 0; c < n->classes; c++) noc_net_counters(n, c)[NOC_EJECT_STALLS] += n->stalled_out[c];
  return next;
}

/* ---- one cycle ---- */

/* Turns the calendar. It is only ever left alone when nothing is due in it. */
static void pass_time(struct noc_net *n, uint64_t now) {
  uint64_t cycles = now - n->last == n->base.wake.period ? 1 : (now - n->last) / n->base.wake.period;
  n->last = now;
  n->cycle += cycles;
  n->at = noc_after(n->at, n->slots);
  for (uint32_t k = 0; k < n->classes; k++) noc_net_count_time(n, k, cycles);
}

FOLDED uint64_t one_cycle(struct noc_net *n, struct noc_style k, uint64_t now) {
  pass_time(n, now);
  if (n->pending) arrive(n, k);
  uint64_t next_in = inject(n, now);
  uint32_t moved = switch_all(n, k, now);
  leave_all(n);
  uint64_t next_out = eject_all(n, now);
  if (next_in <= now || next_out <= now || moved || n->pending) return now + n->base.wake.period;
  return mem_earlier(next_in, next_out);
}

/* Common networks have code of their own: meshes (sliced.h), crossbars (worms.h), and small routers with stages and two channels. */
uint64_t noc_net_tick(struct noc *base, uint64_t now) {
  struct noc_net *n = (struct noc_net *)base;
  struct noc_style k = n->style;
  if (n->worms) return noc_worms_tick(n, now);
  if (n->sliced) return noc_sliced_tick(n, now);
  if (k.narrow && k.staged && !k.queues && k.speedup == 1 && k.vcs == 2)
    return one_cycle(n, (struct noc_style){2, 1, .narrow = true, .staged = true}, now);
  return one_cycle(n, k, now);
}

uint64_t noc_net_inside(const struct noc *base) {
  const struct noc_net *n = (const struct noc_net *)base;
  return n->inside[0] + n->inside[1];
}
