/* See sliced.h. */
#include "noc/sliced.h"

#include "mem/mem_stall.h"

enum { PORTS = SLICED_PORTS, LINES = SLICED_LINES };

/* ---- words ---- */

static inline uint32_t count_bits(uint64_t who) { return (uint32_t)__builtin_popcountll(who); }
static inline noc_pair shifted(noc_pair who, int32_t further) { return further >= 0 ? who << further : who >> -further; }
static inline bool any_of(noc_pair who) { return who[0] | who[1]; }
/* The word of a line in pairs by port. */
static inline uint64_t *word_of(noc_pair *pairs, uint32_t line) { return (uint64_t *)pairs + line; }
static inline noc_pair both(uint64_t who) { return (noc_pair){who, who}; }

/* A number that is 0. */
static inline void set_number(uint64_t *digits, uint32_t router, uint32_t number) {
  for (uint32_t i = 0; i < NOC_DIGITS; i++) digits[i] |= (uint64_t)(number >> i & 1) << router;
}

/* Of the ports that ask in a router, `step` words apart, one stays: the first after the one that `last` has, going round. */
static void choose_in_turn(const uint64_t *last, uint64_t *asking, uint32_t step) {
  uint64_t chosen[PORTS] = {0};
  for (uint32_t p = 0; p < PORTS; p++) {
    uint64_t left = last[p * step];
    for (uint32_t j = 1; j <= PORTS; j++) {
      uint32_t i = (p + j) % PORTS;
      chosen[i] |= left & asking[i * step];
      left &= ~asking[i * step];
    }
  }
  for (uint32_t i = 0; i < PORTS; i++) asking[i * step] = chosen[i];
}

/* ---- packets ---- */

static inline struct noc_sliced_mail *mail_after(const struct noc_sliced *s, uint32_t cycles) {
  uint32_t at = s->at + cycles;
  return &s->mail[at < s->slots ? at : at - s->slots];
}

static inline noc_sliced_label describe(uint32_t number, uint32_t dest, uint32_t flits) {
  return number | dest << SLICED_DEST | flits << SLICED_FLITS;
}
static inline uint32_t number_of(noc_sliced_label k) { return (uint16_t)k; }
static inline uint32_t dest_of(noc_sliced_label k) { return k >> SLICED_DEST & UINT8_MAX; }
static inline uint32_t flits_of(noc_sliced_label k) { return k >> SLICED_FLITS; }

static inline void append(struct noc_sliced *s, uint32_t router, uint32_t line, noc_sliced_label k) {
  s->queue[router][line][s->channel[router][line].last++ % SLICED_QUEUE] = k;
}
static inline noc_sliced_label take_front(struct noc_sliced *s, uint32_t router, uint32_t line) {
  struct noc_sliced_channel *q = &s->channel[router][line];
  return q->front = s->queue[router][line][q->first++ % SLICED_QUEUE];
}

/* Heads that are at the front of their input channels, and eligible: they wait for an output channel from now on. */
static bool take_fronts(const struct noc_net *n) {
  struct noc_sliced *s = n->sliced;
  uint64_t any = 0;
  for (uint32_t line = 0; line < LINES; line++) {
    uint64_t heads = *word_of(s->arrived, line), *left = word_of(s->left[0], line % 2) + line / 2 * 2 * NOC_DIGITS;
    any |= heads;
    for (; heads; heads &= heads - 1) {
      uint32_t r = noc_lowest_bit(heads);
      noc_sliced_label k = take_front(s, r, line);
      uint32_t out = s->channel[r][line].out = s->next[r * n->base.n_out + dest_of(k)];
      *word_of(s->wanted[out], line) |= heads & -heads;
      for (uint32_t i = 0; i < NOC_DIGITS; i++) left[2 * i] |= (uint64_t)(flits_of(k) >> i & 1) << r;
    }
  }
  for (uint32_t i = 0; i < PORTS; i++) {
    s->active[i] |= s->arrived[i];
    s->arrived[i] = both(0);
  }
  return any;
}

/* Heads that cross: packets follow them into the next router, or to the sink. */
static void follow_heads(struct noc_sliced *s, noc_pair *crossing) {
  for (uint32_t line = 0; line < LINES; line++)
    for (uint64_t heads = *word_of(crossing, line) & ~*word_of(s->begun, line); heads; heads &= heads - 1) {
      uint32_t r = noc_lowest_bit(heads);
      const struct noc_sliced_channel *q = &s->channel[r][line];
      append(s, (uint32_t)((int32_t)r + s->further[q->out]), s->to[q->out] + line % 2, q->front);
    }
}

/* ---- what arrives ---- */

static inline void take_credits_of_sources(struct noc_sliced *s, uint64_t who) {
  noc_count_up(s->source.credits, who);
  s->source.credit |= who;
  s->source.waiting &= ~who;
}

static inline void take_flits_at_sinks(struct noc_sliced *s, uint64_t who) {
  s->sink.arrived |= who & ~s->sink.some & ~s->sink.active;
  noc_count_up(s->sink.eligible, who);
  s->sink.some |= who;
}

static void take_mail(struct noc_net *n, struct noc_sliced_mail *m) {
  struct noc_sliced *s = n->sliced;
  take_flits_at_sinks(s, m->sinks);
  m->sinks = 0;
  if (!(m->n | m->links[0] | m->links[1])) return;
  for (uint32_t p = 0; p < PORTS; p++) {
    noc_pair flits = m->flits[p], credits = m->credits[p];
    noc_pair_up(s->credits[p], credits);
    s->credit[p] |= credits;
    s->arrived[p] |= flits & ~s->some[p] & ~s->active[p];
    noc_pair_up(s->eligible[p], flits);
    s->some[p] |= flits;
  }
  take_credits_of_sources(s, m->sources);
  n->pending -= m->n;
  for (uint32_t c = 0; c < NOC_CLASSES; c++) noc_net_counters(n, c)[NOC_LINKS] += m->links[c];
  *m = (struct noc_sliced_mail){0};
}

/* What comes while nobody looks is for sinks whose receiver has no free slot. */
static void pass_time(struct noc_net *n, uint64_t now) {
  struct noc_sliced *s = n->sliced;
  uint64_t cycles = now - n->last == n->base.wake.period ? 1 : (now - n->last) / n->base.wake.period;
  n->last = now;
  for (uint32_t c = 0; c < NOC_CLASSES; c++) noc_net_count_time(n, c, cycles);
  for (uint64_t i = 0; i < cycles && i < s->slots; i++) {
    s->at = noc_after(s->at, s->slots);
    take_mail(n, &s->mail[s->at]);
  }
}

/* ---- injection ---- */

/* Which input of a source has a packet now, or -1; *next is when to look again. */
static int choose_input(const struct noc_net *n, const struct noc_source *x, uint64_t now, uint64_t *next) {
  for (uint32_t j = 0, i = x->turn; j < x->n; j++, i = noc_after(i, x->n)) {
    const struct mem_port *p = &n->base.in[x->first + i];
    if (!p->count) continue;
    if (mem_port_next(p) <= now) return (int)i;
    *next = mem_earlier(*next, mem_port_next(p));
  }
  return -1;
}

static bool inputs_empty(const struct noc_net *n, const struct noc_source *x) {
  uint32_t packets = 0;
  for (uint32_t i = x->first; i < x->first + x->n; i++) packets += n->base.in[i].count;
  return !packets;
}

/* The next packet of router r's source begins to enter. Without a credit it waits, and is left alone until there is one if it has no
 * other input which might be first then. */
static void enter(struct noc_net *n, uint32_t r, uint64_t now, uint64_t *next) {
  struct noc_sliced *s = n->sliced;
  struct noc_source *x = &n->source[s->source_of[r]];
  uint32_t class_ = s->source.replies >> r & 1;
  int input = choose_input(n, x, now, next);
  if (input < 0) return;
  if (!(s->source.credit >> r & 1)) {
    if (x->n > 1) n->stalled_in[class_]++;
    else s->source.waiting |= noc_bit(r);
    return;
  }
  struct mem_packet *k = mem_port_pop(&n->base.in[x->first + (uint32_t)input], now);
  uint32_t dest = noc_net_destination(n, k);
  assert(dest < n->base.n_out);
  if (inputs_empty(n, x)) *n->base.filled &= ~noc_bit(r);
  k->sent = now;
  k->local = noc_flits(&n->base.c, k);
  x->turn = noc_after((uint32_t)input, x->n);
  uint16_t number = s->unused[--s->n_unused];
  s->packet[number] = k;
  set_number(s->source.outside, r, (uint32_t)k->local);
  s->source.entering |= noc_bit(r);
  append(s, r, 2 * s->local + class_, describe(number, dest, (uint32_t)k->local));
  noc_net_counters(n, class_)[NOC_PACKETS_IN]++;
}

/* Returns when to look at the inputs again (now: there is more). */
static uint64_t inject(struct noc_net *n, uint64_t now) {
  struct noc_sliced *s = n->sliced;
  uint64_t next = MEM_NEVER, replies = s->source.replies;
  for (uint64_t begin = *n->base.filled & ~s->source.entering & ~s->source.waiting; begin; begin &= begin - 1)
    enter(n, noc_lowest_bit(begin), now, &next);
  uint64_t go = s->source.entering & s->source.credit, stalled = (s->source.entering & ~go) | s->source.waiting;
  noc_count_down(s->source.credits, go);
  s->source.credit = noc_not_zero(s->source.credits);
  noc_count_down(s->source.outside, go);
  s->source.entering &= noc_not_zero(s->source.outside);
  if (go & (s->source.entering | *n->base.filled)) next = now;
  struct noc_sliced_mail *m = mail_after(s, s->entry);
  const noc_pair flits = {go & ~replies, go & replies}, late = {stalled & ~replies, stalled & replies};
  m->flits[s->local] |= flits;
  m->n += count_bits(go);
  n->pending += count_bits(go);
  for (uint32_t c = 0; c < NOC_CLASSES; c++) {
    uint64_t *counters = noc_net_counters(n, c);
    n->stalled_in[c] += count_bits(late[c]);
    n->inside[c] += count_bits(flits[c]);
    counters[NOC_FLITS_IN] += count_bits(flits[c]);
    counters[NOC_INJECT_STALLS] += n->stalled_in[c];
  }
  return next;
}

/* ---- allocation ---- */

/* Free output channels go to the first heads that wait for them: iSLIP over channels, of which a head asks for one and each output has
 * one a class, so that every grant is accepted. Returns whether there were any. */
static bool give_channels(struct noc_sliced *s) {
  noc_pair given = both(0);
  for (uint32_t d = 0; d < PORTS; d++) {
    noc_pair taken = both(0), asking[PORTS], once = both(0), several = both(0);
    for (uint32_t i = 0; i < PORTS; i++) taken |= s->owner[d][i];
    for (uint32_t i = 0; i < PORTS; i++) {
      asking[i] = s->wanted[d][i] & ~taken;
      several |= once & asking[i];
      once |= asking[i];
    }
    for (uint32_t c = 0; c < NOC_CLASSES; c++)
      if (several[c]) choose_in_turn(word_of(s->last[d], c), word_of(asking, c), 2);
    for (uint32_t i = 0; i < PORTS; i++) {
      s->wanted[d][i] &= ~asking[i];
      s->owner[d][i] |= asking[i];
      s->last[d][i] = (s->last[d][i] & ~once) | asking[i];
    }
    given |= once;
  }
  return any_of(given);
}

/* Which output channels can send, and from which input ports; false: none. */
static bool find_asking(const struct noc_sliced *s, noc_pair (*asking)[PORTS]) {
  noc_pair any = both(0);
  for (uint32_t d = 0; d < PORTS; d++)
    for (uint32_t i = 0; i < PORTS; i++) any |= asking[d][i] = s->owner[d][i] & s->some[i] & s->credit[d];
  return any_of(any);
}

/* Input ports i that several output ports grant: one is accepted, the others are lost. */
static void accept_one(struct noc_net *n, uint32_t i, uint64_t (*grants)[PORTS], noc_pair (*asking)[PORTS]) {
  uint64_t before[PORTS], requests = 0;
  for (uint32_t d = 0; d < PORTS; d++) before[d] = grants[d][i];
  choose_in_turn(&n->sliced->last_out[0][i], &grants[0][i], PORTS);
  for (uint32_t d = 0; d < PORTS; d++) requests |= grants[d][i] & asking[d][i][0];
  for (uint32_t d = 0; d < PORTS; d++) {
    uint64_t lost = before[d] & ~grants[d][i];
    noc_net_counters(n, 0)[NOC_LOST_GRANTS] += count_bits(lost & requests);
    noc_net_counters(n, 1)[NOC_LOST_GRANTS] += count_bits(lost & ~requests);
  }
}

/* Output ports grant one input port each. */
static void grant(const struct noc_sliced *s, noc_pair (*asking)[PORTS], uint64_t (*grants)[PORTS]) {
  for (uint32_t d = 0; d < PORTS; d++) {
    uint64_t once = 0, several = 0;
    for (uint32_t i = 0; i < PORTS; i++) {
      grants[d][i] = asking[d][i][0] | asking[d][i][1];
      several |= once & grants[d][i];
      once |= grants[d][i];
    }
    if (several) choose_in_turn(s->last_in[d], grants[d], 1);
  }
}

static void accept(struct noc_net *n, noc_pair (*asking)[PORTS], uint64_t (*grants)[PORTS]) {
  uint64_t once[PORTS] = {0}, several[PORTS] = {0};
  for (uint32_t d = 0; d < PORTS; d++)
    for (uint32_t i = 0; i < PORTS; i++) {
      several[i] |= once[i] & grants[d][i];
      once[i] |= grants[d][i];
    }
  for (uint32_t i = 0; i < PORTS; i++)
    if (several[i]) accept_one(n, i, grants, asking);
}

/* iSLIP's pointers follow the matches. */
static void move_pointers(struct noc_sliced *s, uint64_t (*matched)[PORTS]) {
  uint64_t in[PORTS] = {0};
  for (uint32_t d = 0; d < PORTS; d++) {
    uint64_t out = 0;
    for (uint32_t i = 0; i < PORTS; i++) out |= matched[d][i];
    for (uint32_t i = 0; i < PORTS; i++) s->last_in[d][i] = (s->last_in[d][i] & ~out) | matched[d][i];
    for (uint32_t i = 0; i < PORTS; i++) in[i] |= matched[d][i];
  }
  for (uint32_t d = 0; d < PORTS; d++)
    for (uint32_t i = 0; i < PORTS; i++) s->last_out[d][i] = (s->last_out[d][i] & ~in[i]) | matched[d][i];
}

/* iSLIP with one iteration (islip.h), in all routers. Writes which input channels' flits cross, and by which output channels. Where both
 * channels of an input port ask for the output port that it is matched with, they take turns. */
static void match(struct noc_net *n, noc_pair (*asking)[PORTS], noc_pair *crossing, noc_pair *sent) {
  struct noc_sliced *s = n->sliced;
  uint64_t grants[PORTS][PORTS];
  grant(s, asking, grants);
  accept(n, asking, grants);
  move_pointers(s, grants);
  for (uint32_t i = 0; i < PORTS; i++) crossing[i] = both(0);
  for (uint32_t d = 0; d < PORTS; d++) {
    sent[d] = both(0);
    for (uint32_t i = 0; i < PORTS; i++) {
      noc_pair flits = asking[d][i] & both(grants[d][i]);
      uint64_t two = flits[0] & flits[1];
      if (two) flits &= ~(noc_pair){two & s->turn[i], two & ~s->turn[i]};
      crossing[i] |= flits;
      sent[d] |= flits;
    }
  }
  for (uint32_t i = 0; i < PORTS; i++) s->turn[i] = (s->turn[i] & ~crossing[i][1]) | crossing[i][0];
}

/* ---- moving ---- */

/* Flits on links, and the credits for the buffers they leave; counts them. */
static void send_all(struct noc_net *n, const noc_pair *crossing, const noc_pair *sent) {
  struct noc_sliced *s = n->sliced;
  struct noc_sliced_mail *flits = mail_after(s, s->flight), *credits = mail_after(s, s->back), *next = mail_after(s, 1);
  uint32_t crossed = 0, links = 0;
  for (uint32_t p = 0; p < PORTS; p++) {
    if (p == s->local) continue;
    noc_pair_down(s->credits[p], sent[p]);
    s->credit[p] = noc_pair_not_zero(s->credits[p]);
    flits->flits[s->to[p] / 2] |= shifted(sent[p], s->further[p]);
    credits->credits[s->from[p]] |= shifted(crossing[p], -s->further[s->from[p]]);
    for (uint32_t c = 0; c < NOC_CLASSES; c++) {
      next->links[c] += count_bits(sent[p][c]);
      links += count_bits(sent[p][c]);
      crossed += count_bits(crossing[p][c]);
      noc_net_counters(n, c)[NOC_HOPS] += count_bits(crossing[p][c]);
    }
  }
  flits->n += links;
  credits->n += crossed;
  n->pending += links + crossed;
}

/* Flits that leave the channels of sources, whose credits go back. */
static void leave_sources(struct noc_net *n, noc_pair crossing) {
  struct noc_sliced *s = n->sliced;
  uint64_t who = crossing[0] | crossing[1];
  for (uint32_t c = 0; c < NOC_CLASSES; c++) noc_net_counters(n, c)[NOC_HOPS] += count_bits(crossing[c]);
  if (!s->back_to_source) {
    take_credits_of_sources(s, who);
    return;
  }
  struct noc_sliced_mail *m = mail_after(s, s->back_to_source);
  m->sources |= who;
  m->n += count_bits(who);
  n->pending += count_bits(who);
}

/* Flits that go into the buffers of sinks. */
static void enter_sinks(struct noc_net *n, noc_pair sent) {
  struct noc_sliced *s = n->sliced;
  uint64_t who = sent[0] | sent[1];
  noc_count_down(s->sink.space, who);
  s->credit[s->local] = both(noc_not_zero(s->sink.space));
  if (n->base.c.output_latency) mail_after(s, n->base.c.output_latency)->sinks |= who;
  else take_flits_at_sinks(s, who);
}

static void move(struct noc_net *n, noc_pair *crossing, const noc_pair *sent) {
  struct noc_sliced *s = n->sliced;
  follow_heads(s, crossing);
  for (uint32_t i = 0; i < PORTS; i++) {
    noc_pair_down(s->eligible[i], crossing[i]);
    s->some[i] = noc_pair_not_zero(s->eligible[i]);
    noc_pair_down(s->left[i], crossing[i]);
    noc_pair tails = crossing[i] & ~noc_pair_not_zero(s->left[i]);
    s->begun[i] = (s->begun[i] | crossing[i]) & ~tails;
    s->active[i] &= ~tails;
    s->arrived[i] |= tails & s->some[i];
    for (uint32_t d = 0; d < PORTS; d++) s->owner[d][i] &= ~tails;
  }
  send_all(n, crossing, sent);
  leave_sources(n, crossing[s->local]);
  enter_sinks(n, sent[s->local]);
}

/* All switches; returns whether anything happened. A head asks for an output channel in the cycle in which it is at the front, or in the
 * next (noc.route_stage); one that got a channel asks for the switch from the next cycle on. */
static bool switch_all(struct noc_net *n) {
  struct noc_sliced *s = n->sliced;
  noc_pair asking[PORTS][PORTS], crossing[PORTS], sent[PORTS];
  bool routes = n->base.c.route_stage, routed = false;
  if (!routes) take_fronts(n);
  bool moves = find_asking(s, asking), gives = give_channels(s);
  if (routes) routed = take_fronts(n);
  if (moves) {
    match(n, asking, crossing, sent);
    move(n, crossing, sent);
  }
  return gives || moves || routed;
}

/* ---- ejection ---- */

/* The channel of router r's sink. */
static inline uint32_t sink_of(const struct noc_sliced *s, uint32_t r) { return LINES + (s->sink.replies >> r & 1); }

/* Of sinks whose next flit is a tail: those whose receiver has a slot get the packet; returns the others. */
static uint64_t deliver(struct noc_net *n, uint64_t tails, uint64_t now, uint64_t *next) {
  struct noc_sliced *s = n->sliced;
  uint64_t stalled = 0;
  for (; tails; tails &= tails - 1) {
    uint32_t r = noc_lowest_bit(tails);
    noc_sliced_label k = s->channel[r][sink_of(s, r)].front;
    struct mem_port *p = n->base.out[dest_of(k)];
    if (mem_port_free_slots(p, now)) {
      noc_deliver(&n->base, noc_net_counters(n, s->sink.replies >> r & 1), dest_of(k), s->packet[number_of(k)], now);
      s->unused[s->n_unused++] = (uint16_t)k;
      continue;
    }
    stalled |= tails & -tails;
    *next = mem_earlier(*next, mem_port_stall(p, &n->base.wake, now));
  }
  return stalled;
}

/* A flit of each sink leaves over its link. Returns now if any did, else when a receiver may have a free slot. */
static uint64_t eject(struct noc_net *n, uint64_t now) {
  struct noc_sliced *s = n->sliced;
  uint64_t next = MEM_NEVER, replies = s->sink.replies;
  if (!s->sink.some) return next;
  for (uint64_t who = s->sink.arrived; who; who &= who - 1) {
    uint32_t r = noc_lowest_bit(who);
    set_number(s->sink.left, r, flits_of(take_front(s, r, sink_of(s, r))));
  }
  s->sink.active |= s->sink.arrived;
  uint64_t tails = s->sink.some & noc_is_one(s->sink.left), stalled = deliver(n, tails, now, &next), out = s->sink.some & ~stalled;
  noc_count_down(s->sink.eligible, out);
  s->sink.some = noc_not_zero(s->sink.eligible);
  noc_count_down(s->sink.left, out);
  noc_count_up(s->sink.space, out);
  s->credit[s->local] |= both(out);
  s->sink.active &= ~(tails & out);
  s->sink.arrived = tails & out & s->sink.some;
  const noc_pair flits = {out & ~replies, out & replies}, late = {stalled & ~replies, stalled & replies};
  for (uint32_t c = 0; c < NOC_CLASSES; c++) {
    uint64_t *counters = noc_net_counters(n, c);
    n->inside[c] -= count_bits(flits[c]);
    n->stalled_out[c] = count_bits(late[c]);
    counters[NOC_FLITS_OUT] += count_bits(flits[c]);
    counters[NOC_EJECT_STALLS] += n->stalled_out[c];
  }
  return out ? now : next;
}

/* When a flit is at the end of the link of a sink that has none there. */
static uint64_t next_at_sinks(const struct noc_net *n, uint64_t now) {
  const struct noc_sliced *s = n->sliced;
  for (uint32_t i = 1; i < s->slots; i++)
    if (mail_after(s, i)->sinks & ~s->sink.some) return now + i * n->base.wake.period;
  return MEM_NEVER;
}

uint64_t noc_sliced_tick(struct noc_net *n, uint64_t now) {
  pass_time(n, now);
  uint64_t next_in = inject(n, now);
  bool moved = switch_all(n);
  uint64_t next_out = eject(n, now);
  if (next_in <= now || next_out <= now || moved || n->pending) return now + n->base.wake.period;
  return mem_earlier(mem_earlier(next_in, next_out), next_at_sinks(n, now));
}

/* ---- the watchdog's questions ---- */

/* The bit of a channel in the pair of its port. */
static bool has(noc_pair pair, const struct noc_vc *q) { return pair[q->number] & noc_bit(q->router->index); }

static uint32_t packets_in(const struct noc_sliced *s, uint32_t router, uint32_t line, bool front) {
  const struct noc_sliced_channel *q = &s->channel[router][line];
  return front + (uint8_t)(q->last - q->first);
}
static noc_sliced_label packet_in(const struct noc_sliced *s, uint32_t router, uint32_t line, bool front, uint32_t i) {
  const struct noc_sliced_channel *q = &s->channel[router][line];
  return front && !i ? q->front : s->queue[router][line][(q->first + i - front) % SLICED_QUEUE];
}

static uint32_t line_of(const struct noc_vc *q) { return (uint32_t)(q - q->router->vc); }

uint32_t noc_sliced_packets(const struct noc_net *n, const struct noc_vc *q) {
  return packets_in(n->sliced, q->router->index, line_of(q), has(n->sliced->active[q->local], q));
}

static noc_sliced_label packet_at(const struct noc_net *n, const struct noc_vc *q, uint32_t i) {
  return packet_in(n->sliced, q->router->index, line_of(q), has(n->sliced->active[q->local], q), i);
}
const struct mem_packet *noc_sliced_packet(const struct noc_net *n, const struct noc_vc *q, uint32_t i) {
  return n->sliced->packet[number_of(packet_at(n, q, i))];
}

bool noc_sliced_holds(const struct noc_net *n, const struct noc_vc *q) {
  bool holds = false;
  for (uint32_t d = 0; d < PORTS; d++) holds |= has(n->sliced->owner[d][q->local], q);
  return holds;
}

uint32_t noc_sliced_port(const struct noc_net *n, const struct noc_vc *q) {
  return n->sliced->next[q->router->index * n->base.n_out + dest_of(packet_at(n, q, 0))];
}
bool noc_sliced_open(const struct noc_net *n, const struct noc_vc *q) {
  uint32_t port = noc_sliced_port(n, q);
  return port != n->sliced->local || has(n->sliced->credit[port], q);
}
bool noc_sliced_has_channel(const struct noc_net *n, const struct noc_vc *q) {
  uint32_t port = noc_sliced_port(n, q);
  bool taken = false;
  for (uint32_t i = 0; i < PORTS; i++) taken |= has(n->sliced->owner[port][i], q);
  return !taken && has(n->sliced->credit[port], q);
}

const struct mem_packet *noc_sliced_oldest_leaving(const struct noc_net *n) {
  struct noc_sliced *s = n->sliced;
  const struct mem_packet *best = NULL;
  for (uint32_t r = 0; r < n->routers; r++) {
    bool front = s->sink.active >> r & 1, last_comes = false;
    for (uint32_t i = 0; i < LINES; i++) last_comes |= *word_of(s->owner[s->local], i) & *word_of(s->begun, i) & noc_bit(r);
    for (uint32_t i = 0; i + last_comes < packets_in(s, r, sink_of(s, r), front); i++) {
      const struct mem_packet *k = s->packet[number_of(packet_in(s, r, sink_of(s, r), front, i))];
      if (!best || k->born < best->born) best = k;
    }
  }
  return best;
}
