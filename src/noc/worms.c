/* See worms.h. */
#include "noc/worms.h"

#include "mem/mem_stall.h"

/* ---- building ---- */

bool noc_worms_fits(const struct noc_net *n) {
  const struct noc_config *c = &n->base.c;
  uint32_t longest = (NOC_HEADER + MEM_LINE + c->flit_bytes - 1) / c->flit_bytes;
  if (n->classes > 1 || c->vcs > 1 || !n->style.staged || n->style.queues || c->speedup > 1 || c->link_interval > 1) return false;
  if (n->ins + n->outs + 3 * 64 > WORMS_NOBODY || longest > NOC_MOST) return false;
  return c->buffer_flits <= NOC_MOST && c->output_flits <= NOC_MOST;
}

static void number_channels(struct noc_net *n, struct noc_worms *s) {
  uint32_t links = n->ins - n->sources;
  s->first_link = noc_words(n->sources);
  s->first_sink = s->first_link + noc_words(links);
  s->words = s->first_sink + noc_words(n->sinks - n->ins);
  s->channel = must_alloc_lines(s->words * 64 * sizeof *s->channel);
  s->of_in = must_alloc(n->ins * sizeof *s->of_in);
  s->of_out = must_alloc(n->outs * sizeof *s->of_out);
  s->routes = must_alloc(n->routers * n->base.n_out * sizeof *s->routes);
  s->to = must_alloc(s->words * 64 * sizeof *s->to);
  s->owner = must_alloc(s->words * 64 * sizeof *s->owner);
  for (uint32_t i = 0; i < s->words * 64; i++) s->owner[i] = WORMS_NOBODY;
  for (uint32_t i = 0, link = s->first_link * 64; i < n->ins; i++) {
    uint32_t at = n->in[i].source ? n->in[i].sender : link++;
    s->of_in[i] = (uint16_t)at;
    s->channel[at].line = (uint16_t)(i - n->router[n->in[i].router].first_in);
    s->channel[at].routes = &s->routes[n->in[i].router * n->base.n_out];
  }
  for (uint32_t d = 0; d < n->outs; d++) {
    const struct noc_router_out *o = &n->out[d];
    if (o->to == NOC_NOBODY) continue;
    s->of_out[d] = (uint16_t)(o->sink ? s->first_sink * 64 + o->to - n->ins : s->of_in[o->to]);
    s->channel[s->of_out[d]].before = (uint16_t)o->router->first_in;
    s->channel[s->of_out[d]].lines = (uint16_t)o->router->allocator.n_in;
  }
}

/* Where packets go, and who waits for what. */
static void set_routes(struct noc_net *n, struct noc_worms *s) {
  for (const struct noc_router *r = n->router; r < n->router + n->routers; r++) {
    const uint16_t *next = &n->next[r->index * n->base.n_out];
    for (uint32_t d = 0; d < n->base.n_out; d++) s->routes[r->index * n->base.n_out + d] = s->of_out[r->first_out + next[d]];
    if (r->allocator.in_words > s->asking) s->asking = r->allocator.in_words;
  }
  s->heads = must_alloc((size_t)s->words * 64 * s->asking * sizeof *s->heads);
}

static void set_calendar(struct noc_net *n, struct noc_worms *s) {
  const struct noc_config *c = &n->base.c;
  const uint32_t delays[] = {c->pipeline, c->link_latency + c->pipeline, c->output_latency, c->credit_latency + c->link_latency};
  uint32_t longest = 1;
  for (size_t i = 0; i < sizeof delays / sizeof *delays; i++) longest = delays[i] > longest ? delays[i] : longest;
  s->slots = longest + 1;
  s->mail = must_alloc(s->slots * sizeof *s->mail);
  uint32_t each = 2 * s->words + noc_words(s->words);
  s->mails = must_alloc((size_t)s->slots * each * sizeof *s->mails);
  for (uint32_t i = 0; i < s->slots; i++) {
    s->mail[i].flits = s->mails + (size_t)i * each;
    s->mail[i].credits = s->mail[i].flits + s->words;
    s->mail[i].some = s->mail[i].credits + s->words;
  }
  s->back[0] = c->credit_latency ? c->credit_latency + 1 : 0;
  s->back[1] = c->credit_latency + c->link_latency;
}

void noc_worms_init(struct noc_net *n) {
  const struct noc_config *c = &n->base.c;
  struct noc_worms *s = n->worms = must_alloc(sizeof *s);
  number_channels(n, s);
  set_routes(n, s);
  set_calendar(n, s);
  s->word = must_alloc_lines(s->words * sizeof *s->word);
  s->outside = must_alloc(s->first_link * sizeof *s->outside);
  s->sent = must_alloc(s->words * sizeof *s->sent);
  s->single = true;
  for (uint32_t i = 0; i < n->sources; i++) s->single &= n->source[i].n == 1 && n->source[i].first == i;
  s->full = s->single && n->routers == 1;
  for (uint32_t w = 0; w < s->words; w++) {
    uint32_t slots = w < s->first_sink ? c->buffer_flits : c->output_flits;
    s->word[w].credit = UINT64_MAX;
    for (uint32_t i = 0; i < NOC_DIGITS; i++) s->word[w].credits[i] = slots >> i & 1 ? UINT64_MAX : 0;
  }
  noc_worms_bypass(n);
}

void noc_worms_free(struct noc_net *n) {
  struct noc_worms *s = n->worms;
  if (!s) return;
  void *const parts[] = {s->word,   s->channel, s->of_in,   s->of_out, s->to,   s->owner,
                         s->routes, s->heads,   s->outside, s->sent,   s->mail, s->mails};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) free(parts[i]);
  free(s);
}

/* Routers next to slices are bypassed together: all sources enter routers of one kind, and all links lead from one kind to one kind. */
void noc_worms_bypass(struct noc_net *n) {
  struct noc_worms *s = n->worms;
  for (uint32_t i = 0; i < n->ins; i++) {
    uint64_t *wires = &s->word[s->of_in[i] / 64].wires;
    const struct noc_router *r = &n->router[n->in[i].router];
    *wires = r->bypassed ? *wires | noc_bit(s->of_in[i]) : *wires & ~noc_bit(s->of_in[i]);
    if (n->in[i].source) s->entry = r->pipeline ? r->pipeline : 1;
  }
  for (const struct noc_router_out *o = n->out; o < n->out + n->outs; o++) {
    if (o->sink || o->to == NOC_NOBODY) continue;
    s->leaves = o->router->staged;
    s->flight = s->leaves + o->flight;
  }
}

/* ---- words ---- */

/* A number that is 0. */
static inline void set_number(uint64_t *digits, uint32_t channel, uint64_t number) {
  for (uint32_t i = 0; i < NOC_DIGITS; i++) digits[i] |= (number >> i & 1) << channel % 64;
}
static inline uint32_t count_bits(uint64_t who) { return (uint32_t)__builtin_popcountll(who); }

static inline struct noc_worms_mail *mail_after(const struct noc_worms *s, uint32_t cycles) {
  uint32_t at = s->at + cycles;
  return &s->mail[at < s->slots ? at : at - s->slots];
}

/* What is compiled apart: a crossbar of a word each side; networks of few words, all of which are looked at; and those of many, with sets
 * of the words in which something is. */
struct shape {
  uint32_t first_link, first_sink, words;
  bool sets;
};
enum { FEW_WORDS = 16 };

/* The first word from `from` on of a set, or `end`; without sets, any word. */
FOLDED uint32_t next_word(struct shape k, const uint64_t *set, uint32_t from, uint32_t end) {
  if (!k.sets) return from;
  uint64_t skipped = (UINT64_C(1) << from % 64) - 1;
  for (uint32_t b = from / 64; b * 64 < end; b++, skipped = 0)
    if (set[b] & ~skipped) return b * 64 + noc_lowest_bit(set[b] & ~skipped);
  return end;
}

#define FOR_WORDS(w, k, set, first, end)                                                                                \
  for (uint32_t w = next_word(k, set, first, end); w < (end); w = next_word(k, set, w + 1, end))

FOLDED void put_word(struct shape k, uint64_t *set, uint32_t w) {
  if (k.sets) noc_set_bit(set, w);
}
FOLDED void take_word(struct shape k, uint64_t *set, uint32_t w) {
  if (k.sets) noc_clear_bit(set, w);
}
FOLDED void take_words(struct shape k, uint64_t *set) {
  for (uint32_t i = 0; k.sets && i < noc_words(k.words); i++) set[i] = 0;
}

/* ---- packets ---- */

/* A head flit is about to be sent to a channel. */
static inline void append(struct noc_worms_channel *q, const struct noc_worms_packet *k) {
  q->ring[(q->first + q->packets++) % WORMS_QUEUE] = *k;
}

/* The tail of a channel's first packet has left it. */
static inline void pop_packet(struct noc_worms_channel *q) { q->first = (uint8_t)(--q->packets ? (q->first + 1) % WORMS_QUEUE : 0); }

/* Channel `to`, for which heads wait, is nobody's: it is given in the next allocation. */
FOLDED void may_give(struct noc_worms *s, struct shape k, uint32_t to) {
  s->word[to / 64].ready |= noc_bit(to);
  put_word(k, s->wanted, to / 64);
}

/* The head of input `line` asks for channel `to`, from the next allocation on. */
FOLDED void ask(struct noc_worms *s, struct shape k, uint32_t to, uint32_t line) {
  noc_set_bit(&s->heads[to * s->asking], line);
  if (s->owner[to] == WORMS_NOBODY) may_give(s, k, to);
}

/* Heads of word w that are first in their channels, and eligible: where they go, and how many flits follow them. */
FOLDED void look_at_heads(struct noc_worms *s, struct shape k, uint32_t w) {
  struct noc_worms_word *x = &s->word[w];
  x->fresh |= x->arrived & x->wires;
  for (uint64_t m = x->arrived; m; m &= m - 1) {
    uint32_t c = w * 64 + noc_lowest_bit(m);
    const struct noc_worms_channel *q = &s->channel[c];
    const struct noc_worms_packet *p = &q->ring[q->first];
    set_number(x->left, c, p->flits);
    s->to[c] = q->routes[p->dest];
    if (!(x->wires & m & -m)) ask(s, k, s->to[c], q->line);
  }
  x->arrived = 0;
}

/* Channel `to`, which is nobody's, is given to the first packet of channel c. */
FOLDED void give(struct noc_worms *s, uint32_t to, uint32_t c) {
  s->owner[to] = (uint16_t)c;
  s->word[c / 64].open |= (s->word[to / 64].credit >> to % 64 & 1) << c % 64;
}

/* ---- what arrives ---- */

/* These channels of word w, which had no free slot, have one: their owners go on. */
static inline void let_owners_go(struct noc_worms *s, uint32_t w, uint64_t who) {
  for (; who; who &= who - 1) {
    uint32_t owner = s->owner[w * 64 + noc_lowest_bit(who)];
    if (owner != WORMS_NOBODY) s->word[owner / 64].open |= noc_bit(owner);
  }
}

FOLDED void take_credits(struct noc_net *n, struct shape k, uint32_t w, uint64_t who) {
  struct noc_worms *s = n->worms;
  struct noc_worms_word *x = &s->word[w];
  uint64_t first = who & ~x->credit;
  noc_count_up(x->credits, who);
  x->credit |= who;
  if (w < k.first_link) n->waiting[w] &= ~first;
  else let_owners_go(s, w, first);
}

FOLDED void take_flits(struct noc_net *n, struct shape k, uint32_t w, uint64_t who) {
  struct noc_worms *s = n->worms;
  struct noc_worms_word *x = &s->word[w];
  uint64_t first = who & ~x->some;
  noc_count_up(x->eligible, who);
  x->some |= who;
  first &= ~x->bound;
  x->arrived |= first;
  if (w >= k.first_sink) put_word(k, s->ending, w);
  else if (first) put_word(k, s->busy, w);
}

FOLDED void take_mail(struct noc_net *n, struct shape k, struct noc_worms_mail *m) {
  FOR_WORDS (w, k, m->some, 0, k.words) {
    uint64_t credits = m->credits[w], flits = m->flits[w];
    if (credits) take_credits(n, k, w, credits);
    if (flits) take_flits(n, k, w, flits);
    m->credits[w] = m->flits[w] = 0;
  }
  take_words(k, m->some);
  n->pending -= m->due;
  m->ends = false;
  m->due = 0;
}

/* ---- injection ---- */

/* Which input of a source has a packet now, or -1; *next is when to look again. */
static int choose_input(struct noc_net *n, const struct noc_source *x, uint64_t now, uint64_t *next) {
  for (uint32_t j = 0, i = x->turn; j < x->n; j++, i = noc_after(i, x->n)) {
    const struct mem_port *p = &n->base.in[x->first + i];
    if (!p->count) continue;
    if (mem_port_next(p) <= now) return (int)i;
    *next = mem_earlier(*next, mem_port_next(p));
  }
  return -1;
}

/* A source's next packet begins to enter. Without a free slot it waits, and is left alone until there is one if it has no other input
 * which might be first then. */
static void enter(struct noc_net *n, uint32_t i, uint64_t now, uint64_t *next) {
  struct noc_worms *s = n->worms;
  struct noc_source *x = &n->source[i];
  int input = choose_input(n, x, now, next);
  if (input < 0) return;
  if (!(s->word[i / 64].credit & noc_bit(i))) {
    if (x->n > 1) n->stalled_in[0]++;
    else noc_set_bit(n->waiting, i);
    return;
  }
  struct mem_port *p = &n->base.in[x->first + (uint32_t)input];
  struct mem_packet *k = mem_port_pop(p, now);
  if (!p->count) noc_clear_bit(n->base.filled, x->first + (uint32_t)input);
  struct noc_worms_packet head = {k, (uint16_t)noc_net_destination(n, k), (uint16_t)noc_flits(&n->base.c, k)};
  k->sent = now;
  k->local = head.flits;
  x->turn = noc_after((uint32_t)input, x->n);
  assert(head.dest < n->base.n_out);
  set_number(s->outside[i / 64], i, head.flits);
  noc_set_bit(n->entering, i);
  append(&s->channel[i], &head);
  n->base.counters[NOC_PACKETS_IN]++;
}

/* Sources of word w that have packets. */
static inline uint64_t find_due(struct noc_net *n, uint32_t w) {
  uint64_t due = 0;
  if (n->worms->single) return n->base.filled[w];
  for (uint32_t i = w * 64; i < n->sources && i < w * 64 + 64; i++)
    for (uint32_t j = 0; j < n->source[i].n; j++)
      if (n->base.in[n->source[i].first + j].count) due |= noc_bit(i);
  return due;
}

/* Returns when to look at the inputs again (now: there is more). */
FOLDED uint64_t inject(struct noc_net *n, struct shape k, uint64_t now) {
  struct noc_worms *s = n->worms;
  uint64_t next = MEM_NEVER;
  struct noc_worms_mail *m = mail_after(s, s->entry);
  uint32_t sent = 0;
  for (uint32_t w = 0; w < k.first_link; w++) {
    struct noc_worms_word *x = &s->word[w];
    uint64_t due = find_due(n, w);
    if (k.sets && !(due | n->entering[w] | n->waiting[w])) continue;
    for (uint64_t begin = due & ~n->entering[w] & ~n->waiting[w]; begin; begin &= begin - 1) {
      uint32_t i = w * 64 + noc_lowest_bit(begin);
      uint64_t ready = s->single ? mem_port_next(&n->base.in[i]) : now;
      if (ready <= now) enter(n, i, now, &next);
      else next = mem_earlier(next, ready);
    }
    uint64_t go = n->entering[w] & x->credit;
    n->stalled_in[0] += count_bits(n->entering[w] & ~go) + count_bits(n->waiting[w]);
    if (!go) continue;
    noc_count_down(x->credits, go);
    x->credit = noc_not_zero(x->credits);
    noc_count_down(s->outside[w], go);
    n->entering[w] &= noc_not_zero(s->outside[w]) | ~go;
    m->flits[w] |= go;
    put_word(k, m->some, w);
    sent += count_bits(go);
    if (go & (n->entering[w] | find_due(n, w))) next = now;
  }
  n->pending += sent;
  m->due += sent;
  n->inside[0] += sent;
  n->base.counters[NOC_FLITS_IN] += sent;
  n->base.counters[NOC_INJECT_STALLS] += n->stalled_in[0];
  return next;
}

/* ---- switches ---- */

/* Those that have come; returns whether there were any. */
FOLDED bool look_at_all(struct noc_worms *s, struct shape k) {
  uint64_t any = 0;
  FOR_WORDS (w, k, s->busy, 0, k.first_sink) {
    any |= s->word[w].arrived;
    look_at_heads(s, k, w);
  }
  return any;
}

/* Channels that are nobody's are given to the first heads that ask for them: iSLIP over channels, of which a head asks for one, so that
 * every grant is accepted. Returns whether there were any. */
FOLDED bool match(struct noc_net *n, struct shape k) {
  struct noc_worms *s = n->worms;
  uint64_t any = 0;
  FOR_WORDS (w, k, s->wanted, k.first_link, k.words) {
    struct noc_worms_word *x = &s->word[w];
    any |= x->ready;
    for (uint64_t m = x->ready; m; m &= m - 1) {
      uint32_t to = w * 64 + noc_lowest_bit(m);
      struct noc_worms_channel *o = &s->channel[to];
      uint64_t *heads = &s->heads[to * s->asking];
      uint32_t line = s->asking == 1 ? noc_first_in_word(*heads, o->grant) : (uint32_t)noc_first_from(heads, s->asking, o->grant);
      uint32_t c = s->of_in[o->before + line];
      o->grant = (uint16_t)noc_after(line, o->lines);
      noc_clear_bit(heads, line);
      give(s, to, c);
      s->word[c / 64].given |= noc_bit(c);
      put_word(k, s->busy, c / 64);
    }
    x->ready = 0;
  }
  take_words(k, s->wanted);
  return any;
}

/* What was given is used from the next cycle on. */
FOLDED void bind_given(struct noc_worms *s, struct shape k) {
  FOR_WORDS (w, k, s->busy, 0, k.first_sink) {
    s->word[w].bound |= s->word[w].given;
    s->word[w].given = 0;
  }
}

/* Heads of bypassed routers whose output is free and has a slot get it at once. */
static void pass_wires(struct noc_worms *s, uint32_t w) {
  for (uint64_t m = s->word[w].fresh; m; m &= m - 1) {
    uint32_t c = w * 64 + noc_lowest_bit(m), to = s->to[c];
    if (s->owner[to] != WORMS_NOBODY || !(s->word[to / 64].credit & noc_bit(to))) continue;
    s->word[w].fresh &= ~(m & -m);
    s->word[w].bound |= m & -m;
    give(s, to, c);
  }
}

/* The tail of channel c's packet has crossed. */
FOLDED void end_packet(struct noc_worms *s, struct shape k, uint32_t c) {
  uint32_t to = s->to[c];
  uint64_t any = 0;
  for (uint32_t v = 0; v < s->asking; v++) any |= s->heads[to * s->asking + v];
  s->owner[to] = WORMS_NOBODY;
  if (any) may_give(s, k, to);
  pop_packet(&s->channel[c]);
}

/* Every flit of word w whose packet has its output and finds a slot there; returns how many. */
FOLDED uint32_t cross_word(struct noc_net *n, struct shape k, uint32_t w) {
  struct noc_worms *s = n->worms;
  struct noc_worms_word *x = &s->word[w];
  const uint16_t *to = &s->to[w * 64];
  if (x->fresh) pass_wires(s, w);
  uint64_t crossing = x->bound & x->some & x->open;
  if (!(x->bound | x->fresh | x->given)) take_word(k, s->busy, w);
  if (!crossing) return 0;
  noc_count_down(x->eligible, crossing);
  x->some = noc_not_zero(x->eligible);
  noc_count_down(x->left, crossing);
  uint64_t heads = crossing & ~x->begun, tails = crossing & ~noc_not_zero(x->left);
  x->begun = (x->begun | crossing) & ~tails;
  x->bound &= ~tails;
  x->open &= ~tails;
  for (uint64_t m = crossing; m; m &= m - 1) {
    noc_set_bit(s->sent, to[noc_lowest_bit(m)]);
    put_word(k, s->reached, to[noc_lowest_bit(m)] / 64);
  }
  for (; heads; heads &= heads - 1) {
    const struct noc_worms_channel *q = &s->channel[w * 64 + noc_lowest_bit(heads)];
    append(&s->channel[to[noc_lowest_bit(heads)]], &q->ring[q->first]);
  }
  x->arrived |= tails & x->some;
  if (x->arrived) put_word(k, s->busy, w);
  for (; tails; tails &= tails - 1) end_packet(s, k, w * 64 + noc_lowest_bit(tails));
  uint32_t moved = count_bits(crossing), by_wire = count_bits(crossing & x->wires), back = s->back[w >= k.first_link];
  n->base.counters[NOC_BYPASSED] += by_wire;
  n->base.counters[NOC_HOPS] += moved - by_wire;
  if (!back) take_credits(n, k, w, crossing);
  else {
    mail_after(s, back)->credits[w] |= crossing;
    put_word(k, mail_after(s, back)->some, w);
    mail_after(s, back)->due += moved;
    n->pending += moved;
  }
  return moved;
}

/* What was sent to the channels of word w takes a slot there, and is on its way. */
FOLDED void send_word(struct noc_net *n, struct shape k, uint32_t w) {
  struct noc_worms *s = n->worms;
  struct noc_worms_word *x = &s->word[w];
  uint64_t sent = s->sent[w];
  bool sink = w >= k.first_sink;
  uint32_t cycles = sink ? n->base.c.output_latency : s->flight;
  s->sent[w] = 0;
  noc_count_down(x->credits, sent);
  x->credit = noc_not_zero(x->credits);
  for (uint64_t full = sent & ~x->credit; full; full &= full - 1) {
    uint32_t owner = s->owner[w * 64 + noc_lowest_bit(full)];
    if (owner != WORMS_NOBODY) s->word[owner / 64].open &= ~noc_bit(owner);
  }
  if (!cycles) {
    take_flits(n, k, w, sent);
    return;
  }
  mail_after(s, cycles)->flits[w] |= sent;
  put_word(k, mail_after(s, cycles)->some, w);
  if (sink) {
    mail_after(s, cycles)->ends = true;
    return;
  }
  uint32_t flits = count_bits(sent);
  n->pending += flits;
  mail_after(s, cycles)->due += flits;
  mail_after(s, s->leaves)->links += flits;
}

FOLDED void send_words(struct noc_net *n, struct shape k) {
  struct noc_worms *s = n->worms;
  FOR_WORDS (w, k, s->reached, k.first_link, k.words)
    if (s->sent[w]) send_word(n, k, w);
  take_words(k, s->reached);
}

/* All switches; returns whether anything happened. A head asks for its output in the cycle in which it is first, or from the next on
 * (noc.route_stage). */
FOLDED bool switch_all(struct noc_net *n, struct shape k) {
  struct noc_worms *s = n->worms;
  bool routes = n->base.c.route_stage, routed = false;
  if (!routes) look_at_all(s, k);
  bool given = match(n, k);
  if (routes) routed = look_at_all(s, k);
  uint32_t moved = 0;
  FOR_WORDS (w, k, s->busy, 0, k.first_sink) moved += cross_word(n, k, w);
  if (moved) send_words(n, k);
  if (given) bind_given(s, k);
  n->base.counters[NOC_LINKS] += s->mail[s->at].links;
  s->mail[s->at].links = 0;
  return routed || given || moved;
}

/* ---- ejection ---- */

/* Of the sinks of word w, whose next flit is a tail: those whose receiver has a slot get the packet; returns the others. */
static uint64_t deliver(struct noc_net *n, uint32_t w, uint64_t tails, uint64_t now, uint64_t *next) {
  uint64_t stalled = 0;
  for (; tails; tails &= tails - 1) {
    struct noc_worms_channel *q = &n->worms->channel[w * 64 + noc_lowest_bit(tails)];
    uint32_t d = q->ring[q->first].dest;
    if (mem_port_free_slots(n->base.out[d], now)) {
      noc_deliver(&n->base, n->base.counters, d, q->ring[q->first].k, now);
      pop_packet(q);
      continue;
    }
    stalled |= tails & -tails;
    *next = mem_earlier(*next, mem_port_stall(n->base.out[d], &n->base.wake, now));
  }
  n->stalled_out[0] += count_bits(stalled);
  return stalled;
}

/* A flit of each sink leaves over its link. Returns now if any did, else when a receiver may have a free slot. */
FOLDED uint64_t eject(struct noc_net *n, struct shape k, uint64_t now) {
  struct noc_worms *s = n->worms;
  uint64_t next = MEM_NEVER;
  FOR_WORDS (w, k, s->ending, k.first_sink, k.words) {
    struct noc_worms_word *x = &s->word[w];
    if (!x->some) continue;
    for (uint64_t m = x->arrived; m; m &= m - 1) {
      const struct noc_worms_channel *q = &s->channel[w * 64 + noc_lowest_bit(m)];
      set_number(x->left, noc_lowest_bit(m), q->ring[q->first].flits);
    }
    x->bound |= x->arrived;
    uint64_t tails = x->some & noc_is_one(x->left), out = x->some & ~deliver(n, w, tails, now, &next), first = out & ~x->credit;
    noc_count_down(x->eligible, out);
    x->some = noc_not_zero(x->eligible);
    noc_count_down(x->left, out);
    noc_count_up(x->credits, out);
    x->credit |= out;
    let_owners_go(s, w, first);
    x->bound &= ~(tails & out);
    x->arrived = tails & out & x->some;
    if (!x->some) take_word(k, s->ending, w);
    if (out) next = now;
    n->inside[0] -= count_bits(out);
    n->base.counters[NOC_FLITS_OUT] += count_bits(out);
  }
  n->base.counters[NOC_EJECT_STALLS] += n->stalled_out[0];
  return next;
}

/* ---- one cycle ---- */

/* What comes while nobody looks is for sinks whose receiver has no free slot. */
FOLDED void pass_time(struct noc_net *n, struct shape k, uint64_t now) {
  struct noc_worms *s = n->worms;
  uint64_t cycles = now - n->last == n->base.wake.period ? 1 : (now - n->last) / n->base.wake.period;
  n->last = now;
  noc_net_count_time(n, 0, cycles);
  for (uint64_t i = 0; i < cycles && i < s->slots; i++) {
    s->at = noc_after(s->at, s->slots);
    struct noc_worms_mail *m = &s->mail[s->at];
    if (m->ends || m->due) take_mail(n, k, m);
  }
}

/* When a flit is at the end of the link of a sink that has none there. */
static uint64_t next_at_sinks(const struct noc_net *n, uint64_t now) {
  const struct noc_worms *s = n->worms;
  for (uint32_t i = 1; i < s->slots; i++)
    for (uint32_t w = s->first_sink; mail_after(s, i)->ends && w < s->words; w++)
      if (mail_after(s, i)->flits[w] & ~s->word[w].some) return now + i * n->base.wake.period;
  return MEM_NEVER;
}

FOLDED uint64_t one_cycle(struct noc_net *n, struct shape k, uint64_t now) {
  pass_time(n, k, now);
  uint64_t next_in = inject(n, k, now);
  bool moved = switch_all(n, k);
  uint64_t next_out = eject(n, k, now);
  if (n->worms->full && !n->inside[0] && !n->pending && !n->stalled_in[0] && next_in > now) return next_in;
  if (next_in <= now || next_out <= now || moved || n->pending) return now + n->base.wake.period;
  return mem_earlier(mem_earlier(next_in, next_out), next_at_sinks(n, now));
}

uint64_t noc_worms_tick(struct noc_net *n, uint64_t now) {
  const struct noc_worms *s = n->worms;
  if (s->first_sink == 1 && s->words == 2) return one_cycle(n, (struct shape){1, 1, 2, false}, now);
  if (s->words <= FEW_WORDS) return one_cycle(n, (struct shape){s->first_link, s->first_sink, s->words, false}, now);
  return one_cycle(n, (struct shape){s->first_link, s->first_sink, s->words, true}, now);
}

/* ---- the watchdog's questions ---- */

static uint32_t number_of(const struct noc_worms *s, const struct noc_worms_channel *q) { return (uint32_t)(q - s->channel); }

static bool has_slot(const struct noc_worms *s, uint32_t channel) { return s->word[channel / 64].credit & noc_bit(channel); }

uint32_t noc_worms_port(const struct noc_net *n, uint32_t in) {
  const struct noc_worms_channel *q = noc_worms_channel(n, in);
  return n->next[n->in[in].router * n->base.n_out + q->ring[q->first].dest];
}
/* The channel that the first packet's output leads to. */
static uint32_t wanted_by(const struct noc_worms_channel *q) { return q->routes[q->ring[q->first].dest]; }

bool noc_worms_holds(const struct noc_net *n, const struct noc_worms_channel *q) {
  uint32_t c = number_of(n->worms, q);
  return n->worms->word[c / 64].bound & noc_bit(c);
}
bool noc_worms_open(const struct noc_net *n, const struct noc_worms_channel *q) {
  return wanted_by(q) / 64 < n->worms->first_sink || has_slot(n->worms, wanted_by(q));
}
bool noc_worms_has_channel(const struct noc_net *n, const struct noc_worms_channel *q) {
  return n->worms->owner[wanted_by(q)] == WORMS_NOBODY && has_slot(n->worms, wanted_by(q));
}

const struct mem_packet *noc_worms_oldest_leaving(const struct noc_net *n) {
  const struct noc_worms *s = n->worms;
  const struct mem_packet *best = NULL;
  for (const struct noc_worms_channel *q = &s->channel[s->first_sink * 64]; q < &s->channel[s->words * 64]; q++) {
    uint32_t owner = s->owner[number_of(s, q)];
    bool last_comes = owner != WORMS_NOBODY && s->word[owner / 64].begun & noc_bit(owner);
    for (uint32_t i = 0; i + last_comes < q->packets; i++)
      if (!best || noc_worms_packet(q, i)->born < best->born) best = noc_worms_packet(q, i);
  }
  return best;
}
