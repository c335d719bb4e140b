/* The full crossbar: one input-queued router between all inputs and all outputs.
 *
 * One cycle: flits injected `pipeline` cycles ago become eligible. Each input takes one flit of its oldest packet
 * into its buffer if there is a free slot (a credit is back 1 + `credit_latency` cycles after its flit has left).
 * `speedup` rounds of iSLIP move flits through the switch into output buffers, in each round at most one flit from an
 * input and one to an output. Each output sends one flit over its link, `output_latency` cycles after the flit
 * crossed. A packet keeps its place at an output (one of `vcs`) from head to tail, and is delivered with its tail; if
 * the receiver has no free slot, the tail waits and the buffers behind it fill. With `vc_stage` a place is given in
 * one round and the head crosses in the next, as in the other routers (vc_stage.h), so an input and an output rest
 * for a round between two packets.
 *
 * Input buffers are FIFO queues, one for each virtual channel (a packet takes the emptiest, with vc_stage the next in
 * turn) or, with voq, one for each output over a shared pool of flits. The allocator is that of all routers
 * (islip.h). In the style `plain` a place is given first, an input has one queue and an output one place; the packet
 * that has an output's place is then the only one that asks for it, and this case is compiled separately. Without
 * speed-up, long packets and copies, which is so for the GPUs of the papers, the crossbar is built as one router of a
 * network of routers (worms.h), which moves all flits at once.
 *
 * A reply for several SMs (mem_packet.followers) crosses the switch once, to the first of them; when its tail leaves,
 * the outputs of the others get their copies. An output of the request network has `request_links` links.
 *
 * Simplified: copies wait without limit in front of their link, where hardware has a buffer; links take no time of
 * their own (it is part of the pipeline depth and the receiver's port); the body of a packet whose tail waits has
 * already left the router, as if the ejection buffer were as large as a packet; the virtual channels of an output
 * share its output buffer. */
#include "base/arena.h"
#include "mem/mem_stall.h"
#include "noc/islip.h"
#include "noc/noc.h"
#include "noc/router.h"
#include "noc/vc_stage.h"

#include <stdlib.h>
#include <string.h>

/* What is compiled for each style that tick names. */
struct style {
  bool plain;  /* places are given first, an input has one queue and an output one place */
  bool narrow; /* sets are a word each */
};
static const struct style general;

/* Packets of one input that wait in order; the flits of one packet are contiguous. */
struct queue {
  struct mem_packet *head, *tail;
  uint32_t eligible; /* flits that may cross the switch */
  uint32_t left;     /* flits of the head packet that have not crossed */
  uint16_t dest;     /* output of the head packet */
  uint16_t place;    /* which of its places the packet has */
  bool holds;        /* the head packet has its place at that output */
};

struct input {
  struct mem_packet *entering; /* packet of which some flits are still outside */
  uint32_t left;               /* those flits */
  uint32_t queue;              /* where they go */
  uint32_t turn;               /* queue to prefer at the switch (vc_stage) */
};

struct output {
  uint32_t head, count;      /* of the output buffer; a tail flit is its packet, other flits are NULL */
  struct mem_slot *ring;     /* and when each is at the end of the link */
  struct mem_packet *copies, *last_copy; /* in order; their flits leave before those of the buffer */
  uint32_t copy_left;                    /* flits of the oldest copy; 0: none has left yet */
  uint32_t owner;            /* plain: input of the packet that has the place */
  uint32_t taken;            /* places, as bits */
  uint32_t n_held, n_fresh;  /* bits set in `held` and `fresh` */
  uint64_t held[NOC_WORDS];  /* inputs with an eligible flit of a packet that has its place here; not if plain */
  uint64_t fresh[NOC_WORDS]; /* inputs with an eligible head flit */
};

struct xbar {
  struct noc base;
  uint32_t in_words, out_words;
  struct style style;
  uint32_t links;      /* of an output */
  uint32_t queues;     /* of an input */
  struct queue *queue; /* queues of input 0, then of input 1, ... */
  struct input *input;
  struct output *output;
  uint32_t *free_flits; /* free flits: of each queue, or of each input with voq */
  struct noc_islip allocator;
  struct noc_vc_stage stage;   /* who gets a place at an output (vc_stage) */
  uint32_t all_places;         /* of an output, as bits */
  uint64_t output_latency;     /* ticks */
  uint64_t holding[NOC_WORDS]; /* outputs with flits of packets that have their place there */
  uint64_t wanting[NOC_WORDS]; /* outputs with heads */
  uint64_t open[NOC_WORDS];    /* outputs with a free slot in their buffer */
  uint64_t sending[NOC_WORDS]; /* outputs with flits in their buffer */
  /* The router pipeline: which inputs took a flit, by cycle, and into which queue. */
  uint64_t (*pipe)[NOC_WORDS];
  uint16_t *pipe_queue;
  uint32_t slot, in_pipe;
  /* Credits in flight, by cycle: whose slot each is (credit_latency). */
  uint32_t *credit, *n_credits;
  uint32_t credit_slot, credits_out;
  uint64_t last;                    /* time of the last visit */
  uint64_t inside;                  /* flits */
  uint32_t stalled_in, stalled_out; /* ports that waited at the last visit */
};

/* ---- requests ---- */

static inline void put_bit(uint32_t *count, uint64_t *mask, uint32_t i, bool on) {
  uint64_t *word = &mask[i >> 6], bit = noc_bit(i);
  if (((*word & bit) != 0) == on) return;
  *word ^= bit;
  *count += on ? 1u : -1u;
}

static inline void put_output(uint64_t *mask, uint32_t d, bool on) {
  if (on) noc_set_bit(mask, d);
  else noc_clear_bit(mask, d);
}

/* Whether input i has a flit for output d of a packet that has its place there. */
FOLDED void put_held(struct xbar *x, struct style how, uint32_t i, uint32_t d, bool on) {
  struct output *o = &x->output[d];
  if (how.plain) {
    o->owner = i;
    put_output(x->holding, d, on);
    return;
  }
  put_bit(&o->n_held, o->held, i, on);
  put_output(x->holding, d, o->n_held);
}

/* Brings the request bits of input i at output d up to date; with vc_stage heads ask elsewhere. */
static void refresh(struct xbar *x, uint32_t i, uint32_t d) {
  const struct queue *q = &x->queue[i * x->queues + (x->base.c.voq ? d : 0)];
  bool wants = q->eligible && q->dest == d, held = wants && q->holds, fresh = wants && !q->holds;
  for (uint32_t v = 1; !x->base.c.voq && v < x->queues; v++)
    if (q[v].eligible && q[v].dest == d) *(q[v].holds ? &held : &fresh) = true;
  put_held(x, general, i, d, held);
  if (x->base.c.vc_stage) return;
  put_bit(&x->output[d].n_fresh, x->output[d].fresh, i, fresh);
  put_output(x->wanting, d, x->output[d].n_fresh);
}

/* With vc_stage: a queue of input i with a packet under way to output d. */
static struct queue *held_queue_in_turn(struct xbar *x, uint32_t i, uint32_t d) {
  struct queue *q = &x->queue[i * x->queues];
  uint32_t v = x->input[i].turn;
  while (!(q[v].eligible && q[v].dest == d && q[v].holds)) v = noc_after(v, x->queues);
  x->input[i].turn = noc_after(v, x->queues);
  return &q[v];
}

/* The head packet of a queue wants its place (vc_stage). */
FOLDED void want_place(struct xbar *x, struct style how, const struct queue *q) {
  noc_head_waits(&x->stage, how.narrow ? 1 : x->stage.words, (struct noc_head){(uint32_t)(q - x->queue), q->dest, 0});
}

/* The queue of input i that uses a grant of output d: a packet under way first. */
static struct queue *queue_for(struct xbar *x, uint32_t i, uint32_t d) {
  struct queue *q = &x->queue[i * x->queues];
  if (x->base.c.voq) return &q[d];
  if (x->queues == 1) return q;
  if (x->base.c.vc_stage) return held_queue_in_turn(x, i, d);
  bool held = noc_has_bit(x->output[d].held, i);
  while (!(q->eligible && q->dest == d && q->holds == held)) q++;
  return q;
}

/* ---- injection ---- */

static uint32_t destination(const struct xbar *x, const struct mem_packet *k) {
  return x->base.shape.direction == NOC_REPLY ? k->sm : k->slice;
}

FOLDED void activate(struct xbar *x, struct style how) {
  uint64_t *mask = x->pipe[x->slot];
  const uint16_t *queue = &x->pipe_queue[x->slot * x->base.n_in];
  for (uint32_t w = 0; w < (how.narrow ? 1 : x->in_words); w++) {
    for (uint64_t m = mask[w]; m; m &= m - 1) {
      uint32_t i = w * 64 + noc_lowest_bit(m);
      struct queue *q = how.plain ? &x->queue[i] : &x->queue[i * x->queues + queue[i]];
      x->in_pipe--;
      if (q->eligible++ != 0) continue;
      if (!how.plain && !x->base.c.vc_stage) refresh(x, i, q->dest);
      else if (q->holds) put_held(x, how, i, q->dest, true);
      else want_place(x, how, q);
    }
    mask[w] = 0;
  }
}

/* With vc_stage: the next queue in turn that has a free slot. */
static uint32_t queue_in_turn(const struct xbar *x, uint32_t i) {
  const uint32_t *free_flits = &x->free_flits[i * x->queues];
  uint32_t v = noc_after(x->input[i].queue, x->queues);
  for (uint32_t tried = 1; tried < x->queues && !free_flits[v]; tried++) v = noc_after(v, x->queues);
  return v;
}

static uint32_t choose_queue(const struct xbar *x, uint32_t i, uint32_t dest) {
  if (x->base.c.voq) return dest;
  if (x->base.c.vc_stage) return queue_in_turn(x, i);
  uint32_t best = 0;
  const uint32_t *free_flits = &x->free_flits[i * x->queues];
  for (uint32_t v = 1; v < x->queues; v++)
    if (free_flits[v] > free_flits[best]) best = v;
  return best;
}

FOLDED uint32_t *free_flits_of(struct xbar *x, struct style how, uint32_t i, uint32_t queue) {
  return &x->free_flits[how.plain ? i : x->base.c.voq ? i : i * x->queues + queue];
}

/* A flit has left its buffer. */
static void give_back(struct xbar *x, uint32_t *free_flits) {
  uint32_t slots = x->base.c.credit_latency + 1, s = x->credit_slot;
  if (slots == 1) {
    ++*free_flits;
    return;
  }
  x->credit[s * x->base.n_in * x->base.c.speedup + x->n_credits[s]++] = (uint32_t)(free_flits - x->free_flits);
  x->credits_out++;
}

/* Turns the calendar of credits: what was given back `credit_latency` cycles before the last is there. */
static void take_credits(struct xbar *x) {
  x->credit_slot = noc_after(x->credit_slot, x->base.c.credit_latency + 1);
  uint32_t s = x->credit_slot, n = x->n_credits[s];
  const uint32_t *credit = &x->credit[s * x->base.n_in * x->base.c.speedup];
  for (uint32_t j = 0; j < n; j++) x->free_flits[credit[j]]++;
  x->credits_out -= n;
  x->n_credits[s] = 0;
}

static void append(struct queue *q, struct mem_packet *k, uint32_t dest, uint32_t flits) {
  if (q->head) {
    q->tail->next = k;
  } else {
    q->head = k;
    q->dest = (uint16_t)dest;
    q->left = flits;
  }
  q->tail = k;
}

/* The oldest packet of input port i begins to enter, if its queue has a free slot. */
FOLDED void begin_packet(struct xbar *x, struct style how, uint32_t i, uint64_t now) {
  struct noc *n = &x->base;
  struct input *in = &x->input[i];
  struct mem_packet *k = n->in[i].ring[n->in[i].head].k;
  uint32_t dest = destination(x, k), queue = how.plain ? 0 : choose_queue(x, i, dest);
  assert(dest < n->n_out);
  if (*free_flits_of(x, how, i, queue) == 0) return;
  mem_port_pop(&n->in[i], now);
  k->sent = now;
  k->local = noc_flits(&n->c, k);
  k->next = NULL;
  in->entering = k;
  in->left = (uint32_t)k->local;
  in->queue = queue;
  append(&x->queue[how.plain ? i : i * x->queues + queue], k, dest, in->left);
  n->counters[NOC_PACKETS_IN]++;
}

/* One flit into input i. False if there is no free slot. */
FOLDED bool inject_flit(struct xbar *x, struct style how, uint32_t i, uint64_t now) {
  struct input *in = &x->input[i];
  if (!in->entering) begin_packet(x, how, i, now);
  uint32_t *free_flits = free_flits_of(x, how, i, in->queue);
  if (!in->entering || *free_flits == 0) return false;
  --*free_flits;
  noc_set_bit(x->pipe[x->slot], i);
  if (!how.plain) x->pipe_queue[x->slot * x->base.n_in + i] = (uint16_t)in->queue;
  if (--in->left == 0) in->entering = NULL;
  return true;
}

/* One input; *next is when to look at the inputs again (now: there is more). Whether a flit came in. */
FOLDED bool inject_input(struct xbar *x, struct style how, uint32_t i, uint64_t now, uint64_t *next) {
  struct noc *n = &x->base;
  if (!x->input[i].entering) {
    if (!n->in[i].count) {
      noc_clear_bit(n->filled, i);
      return false;
    }
    uint64_t ready = mem_port_next(&n->in[i]);
    if (ready > now) {
      *next = mem_earlier(*next, ready);
      return false;
    }
  }
  if (!inject_flit(x, how, i, now)) {
    x->stalled_in++;
    return false;
  }
  if (x->input[i].entering || n->in[i].count) *next = now;
  return true;
}

/* Every input with something to send. */
FOLDED uint64_t inject(struct xbar *x, struct style how, uint64_t now) {
  struct noc *n = &x->base;
  uint64_t next = MEM_NEVER;
  uint32_t moved = 0;
  for (uint32_t w = 0; w < (how.narrow ? 1 : x->in_words); w++)
    for (uint64_t m = n->filled[w]; m; m &= m - 1) moved += inject_input(x, how, w * 64 + noc_lowest_bit(m), now, &next);
  x->in_pipe += moved;
  x->inside += moved;
  n->counters[NOC_FLITS_IN] += moved;
  n->counters[NOC_INJECT_STALLS] += x->stalled_in;
  return next;
}

/* ---- switch ---- */

static void pop_packet(struct xbar *x, struct queue *q) {
  q->head = q->head->next;
  q->holds = false;
  if (!q->head) {
    q->tail = NULL;
    return;
  }
  q->left = (uint32_t)q->head->local;
  q->dest = (uint16_t)destination(x, q->head);
}

static void take_place(struct xbar *x, struct queue *q, uint32_t place) {
  q->holds = true;
  q->place = (uint16_t)place;
  x->output[q->dest].taken |= 1u << place;
}

/* What comes to the front of a queue of input i after a tail. */
FOLDED void begin_next(struct xbar *x, struct style how, uint32_t i, const struct queue *q, uint32_t d) {
  bool staged = how.plain || x->base.c.vc_stage;
  if (!q->head) return;
  if (!staged && q->dest != d) refresh(x, i, q->dest);
  if (staged && q->eligible) want_place(x, how, q);
}

/* A flit, of a tail its packet, goes into the buffer of output d. */
static inline void fill_buffer(struct xbar *x, uint32_t d, struct mem_packet *tail, uint64_t ready) {
  struct output *o = &x->output[d];
  uint32_t at = o->head + o->count++, capacity = x->base.c.output_flits;
  o->ring[at < capacity ? at : at - capacity] = (struct mem_slot){tail, ready};
  noc_set_bit(x->sending, d);
  if (o->count == capacity) noc_clear_bit(x->open, d);
}

/* Moves a flit of input i through the switch to output d; it is at the end of the link at `ready`. */
FOLDED void cross(struct xbar *x, struct style how, uint32_t i, uint32_t d, uint64_t ready) {
  struct output *o = &x->output[d];
  struct queue *q = how.plain ? &x->queue[i] : queue_for(x, i, d);
  if (!how.plain && !q->holds) take_place(x, q, noc_lowest_bit(~(uint64_t)o->taken));
  q->eligible--;
  bool tail = --q->left == 0;
  give_back(x, free_flits_of(x, how, i, (uint32_t)(q - &x->queue[i * x->queues])));
  fill_buffer(x, d, tail ? q->head : NULL, ready);
  if (tail) {
    o->taken &= ~(1u << q->place);
    if (how.plain || x->base.c.vc_stage) noc_channel_freed(&x->stage, d, q->place);
    pop_packet(x, q);
    begin_next(x, how, i, q, d);
  }
  if (how.plain) put_output(x->holding, d, !tail && q->eligible);
  else if (x->base.c.vc_stage && x->queues == 1) put_held(x, general, i, d, !tail && q->eligible);
  else refresh(x, i, d);
}

/* Who may be granted output d: packets under way, and new ones while a place is free. */
static inline void requests(const void *user, uint32_t d, uint32_t words, uint64_t *mask) {
  const struct xbar *x = user;
  const struct output *o = &x->output[d];
  bool fresh = o->taken != x->all_places;
  for (uint32_t w = 0; w < words; w++) mask[w] = o->held[w] | (fresh ? o->fresh[w] : 0);
}

/* The same for flits of packets that have their place. */
static inline void held_requests(const void *user, uint32_t d, uint32_t words, uint64_t *mask) {
  const struct xbar *x = user;
  for (uint32_t w = 0; w < words; w++) mask[w] = x->output[d].held[w];
}

/* Flits that get the switch in this round; returns how many. It takes them the next round, which after a cycle's last is in the next
 * cycle. */
FOLDED uint32_t cross_all(struct xbar *x, struct style how, bool last, uint64_t now) {
  struct noc_islip_pair crossing[NOC_MAX_PORTS];
  uint64_t outputs[NOC_WORDS], ready = now + x->output_latency - (!last && x->output_latency ? x->base.wake.period : 0);
  uint32_t n = 0;
  if (how.plain) {
    for (uint32_t w = 0; w < (how.narrow ? 1 : x->out_words); w++)
      for (uint64_t m = x->holding[w] & x->open[w]; m; m &= m - 1, n++) {
        uint32_t d = w * 64 + noc_lowest_bit(m);
        cross(x, how, x->output[d].owner, d, ready);
      }
    return n;
  }
  for (uint32_t w = 0; w < x->out_words; w++) outputs[w] = x->holding[w] & x->open[w];
  n = noc_islip_match(&x->allocator, outputs, held_requests, x, crossing);
  for (uint32_t j = 0; j < n; j++) x->base.counters[NOC_LOST_GRANTS] += crossing[j].lost;
  for (uint32_t j = 0; j < n; j++) cross(x, general, crossing[j].in, crossing[j].out, ready);
  return n;
}

/* One round with places and the switch allocated apart, both from what was there before it; returns how much happened. */
FOLDED uint32_t staged_round(struct xbar *x, struct style how, bool last, uint64_t now) {
  struct noc_placed placed[NOC_MAX_PORTS * NOC_MAX_VCS];
  uint32_t heads = noc_vc_stage_match(&x->stage, how.narrow, placed), routed = x->stage.routed, n = cross_all(x, how, last, now);
  for (uint32_t j = 0; j < heads; j++) {
    take_place(x, &x->queue[placed[j].channel], placed[j].vc);
    put_held(x, how, how.plain ? placed[j].channel : placed[j].channel / x->queues, placed[j].out, true);
    if (!how.plain) x->base.counters[NOC_LOST_GRANTS] += placed[j].lost;
  }
  noc_heads_routed(&x->stage, how.narrow ? 1 : x->stage.words);
  x->base.counters[NOC_HOPS] += n;
  return n + heads + routed;
}

/* One round of the allocator; returns how many flits crossed. */
static uint32_t switch_round(struct xbar *x, uint64_t now) {
  struct noc_islip_pair pairs[NOC_MAX_PORTS];
  uint64_t outputs[NOC_WORDS];
  for (uint32_t w = 0; w < x->out_words; w++) outputs[w] = (x->holding[w] | x->wanting[w]) & x->open[w];
  uint32_t n = noc_islip_match(&x->allocator, outputs, requests, x, pairs);
  for (uint32_t j = 0; j < n; j++) {
    x->base.counters[NOC_LOST_GRANTS] += pairs[j].lost;
    cross(x, general, pairs[j].in, pairs[j].out, now + x->output_latency);
  }
  x->base.counters[NOC_HOPS] += n;
  return n;
}

/* ---- ejection ---- */

/* The followers of a reply go to the links of their own SMs. */
static void copy_out(struct xbar *x, struct mem_packet *k) {
  struct mem_packet *f = k->followers, *next;
  k->followers = NULL;
  for (; f; f = next) {
    struct output *o = &x->output[f->sm];
    next = f->followers;
    f->followers = f->next = NULL;
    f->sent = k->sent;
    f->local = noc_flits(&x->base.c, f);
    *(o->copies ? &o->last_copy->next : &o->copies) = f;
    o->last_copy = f;
    noc_set_bit(x->sending, f->sm);
    x->inside += f->local;
    x->base.counters[NOC_PACKETS_IN]++;
    x->base.counters[NOC_FLITS_IN] += f->local;
  }
}

/* The packet whose tail is the next flit of output d, or NULL. */
static struct mem_packet *next_tail(struct output *o) {
  if (!o->copies) return o->ring[o->head].k;
  if (!o->copy_left) o->copy_left = (uint32_t)o->copies->local;
  return o->copy_left == 1 ? o->copies : NULL;
}

static void take_flit(struct xbar *x, struct output *o, uint32_t d) {
  if (!o->copies) {
    o->head = noc_after(o->head, x->base.c.output_flits);
    o->count--;
    noc_set_bit(x->open, d);
  } else if (--o->copy_left == 0) {
    o->copies = o->copies->next;
  }
  if (!o->count && !o->copies) noc_clear_bit(x->sending, d);
}

/* One flit of output d over its link; returns when to try again if its receiver has no free slot. */
static inline uint64_t eject_flit(struct xbar *x, uint32_t d, uint64_t now) {
  struct noc *n = &x->base;
  struct output *o = &x->output[d];
  struct mem_packet *k = next_tail(o);
  if (k && mem_port_free_slots(n->out[d], now) == 0) {
    x->stalled_out++;
    return mem_port_stall(n->out[d], &n->wake, now);
  }
  take_flit(x, o, d);
  n->counters[NOC_FLITS_OUT]++;
  x->inside--;
  if (!k) return now;
  if (k->followers) copy_out(x, k);
  noc_deliver(n, n->counters, d, k, now);
  return now;
}

static uint64_t eject_output(struct xbar *x, uint32_t d, uint64_t now) {
  const struct output *o = &x->output[d];
  if (!o->copies && o->ring[o->head].ready > now) return o->ring[o->head].ready;
  uint64_t next = eject_flit(x, d, now);
  for (uint32_t link = 1; link < x->links && next == now && o->count && (o->copies || o->ring[o->head].ready <= now); link++)
    next = eject_flit(x, d, now);
  return next;
}

/* Returns now if anything moved, else when a receiver may have a free slot. */
static uint64_t eject(struct xbar *x, uint64_t now) {
  uint64_t next = MEM_NEVER;
  for (uint32_t w = 0; w < x->out_words; w++)
    for (uint64_t m = x->sending[w]; m; m &= m - 1)
      next = mem_earlier(next, eject_output(x, w * 64 + (uint32_t)__builtin_ctzll(m), now));
  x->base.counters[NOC_EJECT_STALLS] += x->stalled_out;
  return next;
}

/* ---- one cycle ---- */

/* Counts what stood still while nobody looked, and moves the pipeline on. It is only ever left alone when its
 * router pipeline is empty. */
static void pass_time(struct xbar *x, uint64_t now) {
  uint64_t cycles = now - x->last == x->base.wake.period ? 1 : (now - x->last) / x->base.wake.period;
  uint64_t *c = x->base.counters;
  x->last = now;
  x->slot = noc_after(x->slot, x->base.c.pipeline);
  if (x->inside) {
    c[NOC_CYCLES] += cycles;
    c[NOC_OCCUPANCY] += x->inside * cycles;
    if (cycles > 1) {
      c[NOC_INJECT_STALLS] += x->stalled_in * (cycles - 1);
      c[NOC_EJECT_STALLS] += x->stalled_out * (cycles - 1);
    }
  }
  x->stalled_in = x->stalled_out = 0;
}

FOLDED uint64_t one_cycle(struct xbar *x, struct style how, uint64_t now) {
  struct noc *n = &x->base;
  pass_time(x, now);
  if (x->credits_out) take_credits(x);
  if (x->in_pipe) activate(x, how);
  uint64_t next_in = inject(x, how, now);
  uint32_t crossed = 0;
  for (uint32_t r = 0; r < n->c.speedup; r++)
    crossed += how.plain || n->c.vc_stage ? staged_round(x, how, r + 1 == n->c.speedup, now) : switch_round(x, now);
  uint64_t next_out = eject(x, now);
  if (!x->inside && !x->stalled_in && !x->credits_out && next_in > now) return next_in;
  if (next_in <= now || next_out <= now || crossed || x->in_pipe || x->credits_out) return now + n->wake.period;
  return mem_earlier(next_in, next_out);
}

static uint64_t tick(struct noc *n, uint64_t now) {
  struct xbar *x = (struct xbar *)n;
  if (x->style.plain && x->style.narrow) return one_cycle(x, (struct style){true, true}, now);
  return x->style.plain ? one_cycle(x, (struct style){.plain = true}, now) : one_cycle(x, general, now);
}

/* ---- the rest of the table ---- */

static uint64_t inside(const struct noc *n) { return ((const struct xbar *)n)->inside; }

static void destroy(struct noc *n) {
  struct xbar *x = (struct xbar *)n;
  for (unsigned d = 0; x->output && d < n->n_out; d++) free(x->output[d].ring);
  free(x->queue);
  free(x->input);
  free(x->output);
  free(x->free_flits);
  free(x->credit);
  free(x->n_credits);
  noc_islip_free(&x->allocator);
  noc_vc_stage_free(&x->stage);
  free(x->pipe);
  free(x->pipe_queue);
  noc_free(n);
  free(x);
}

/* The same as one router of a network of routers, where that can move all flits at once (worms.h) and nobody has to be copied. NULL: it
 * cannot. */
static struct noc *create_router(const struct cfg *cfg, const struct noc_config *c, const struct noc_shape *shape) {
  static const struct noc_topology one_router = {
      .policy = {.name = "xbar"}, .tick = noc_net_tick, .explain = noc_net_explain, .inside = noc_net_inside, .destroy = noc_net_destroy};
  bool reply = shape->direction == NOC_REPLY;
  uint32_t ins = reply ? shape->slices : shape->sms, outs = reply ? shape->sms : shape->slices;
  if (c->voq || cfg_int(cfg, "l2.coalesce") > 1 || (!reply && c->request_links > 1)) return NULL;
  struct noc_net *n = noc_net_new(&one_router, c, shape, &(struct noc_net_size){1, ins, outs, ins, outs});
  noc_net_router(n, "crossbar", 0, ins, outs);
  for (uint32_t i = 0; i < ins; i++) noc_net_source(n, 0, i, i, 1);
  for (uint32_t d = 0; d < outs; d++) {
    noc_net_sink(n, 0, d);
    noc_net_route(n, 0, d, d);
  }
  noc_net_ready(n);
  if (n->worms) return &n->base;
  noc_net_destroy(&n->base);
  return NULL;
}

static struct noc *create(const struct cfg *cfg, const struct noc_config *c, const struct noc_shape *shape,
                          struct err *e) {
  extern const struct noc_topology noc_xbar;
  if (shape->sms > NOC_MAX_PORTS || shape->slices > NOC_MAX_PORTS) {
    cfg_complain(cfg, "noc.topology", e,
                 "a crossbar has at most %d ports a side; here are %u SMs and %u slices", NOC_MAX_PORTS,
                 shape->sms, shape->slices);
    return NULL;
  }
  struct noc *router = create_router(cfg, c, shape);
  if (router) return router;
  struct xbar *x = must_alloc(sizeof *x);
  struct noc *n = &x->base;
  noc_init(n, &noc_xbar, c, shape);
  x->links = shape->direction == NOC_REPLY ? 1 : c->request_links;
  x->in_words = (n->n_in + 63) / 64;
  x->out_words = (n->n_out + 63) / 64;
  x->queues = c->voq ? n->n_out : c->vcs;
  x->style = (struct style){c->vc_stage && !c->voq && c->vcs == 1, x->in_words == 1 && x->out_words == 1};
  x->queue = must_alloc(n->n_in * x->queues * sizeof *x->queue);
  x->input = must_alloc(n->n_in * sizeof *x->input);
  x->output = must_alloc(n->n_out * sizeof *x->output);
  x->free_flits = must_alloc(n->n_in * x->queues * sizeof *x->free_flits);
  noc_islip_init(&x->allocator, n->n_in, n->n_out, c->iterations, x->queues == 1, 1);
  x->all_places = (1u << c->vcs) - 1;
  if (c->vc_stage) noc_vc_stage_init(&x->stage, n->n_in * x->queues, n->n_out, c->vcs, 1, c);
  x->output_latency = c->output_latency * shape->period;
  x->credit = must_alloc((c->credit_latency + 1) * n->n_in * c->speedup * sizeof *x->credit);
  x->n_credits = must_alloc((c->credit_latency + 1) * sizeof *x->n_credits);
  x->pipe = must_alloc(c->pipeline * sizeof *x->pipe);
  x->pipe_queue = must_alloc(c->pipeline * n->n_in * sizeof *x->pipe_queue);
  for (uint32_t i = 0; i < n->n_in; i++) x->input[i].queue = x->queues - 1; /* the first packet goes to the first queue */
  for (uint32_t i = 0; i < n->n_in * x->queues; i++) x->free_flits[i] = c->buffer_flits * (c->voq ? c->vcs : 1);
  for (uint32_t d = 0; d < n->n_out; d++) {
    x->output[d].ring = must_alloc(c->output_flits * sizeof *x->output[d].ring);
    noc_set_bit(x->open, d);
  }
  return n;
}

/* ---- the watchdog's question ---- */

static const struct mem_packet *older(const struct mem_packet *a, const struct mem_packet *b) {
  return !a || (b && b->born < a->born) ? b : a;
}

static const struct mem_packet *oldest_inside(const struct xbar *x, uint32_t *input, int *output) {
  const struct mem_packet *best = NULL;
  for (uint32_t j = 0; j < x->base.n_in * x->queues; j++)
    for (const struct mem_packet *k = x->queue[j].head; k; k = k->next)
      if (older(best, k) == k) best = k, *input = j / x->queues, *output = -1;
  for (uint32_t d = 0; d < x->base.n_out; d++) {
    const struct output *o = &x->output[d];
    for (uint32_t j = 0; j < o->count; j++) {
      const struct mem_packet *k = o->ring[(o->head + j) % x->base.c.output_flits].k;
      if (k && older(best, k) == k) best = k, *output = (int)d;
    }
  }
  return best;
}

static void explain(const struct noc *n, uint64_t now, struct str *out) {
  const struct xbar *x = (const struct xbar *)n;
  const char *name = n->shape.direction == NOC_REPLY ? "reply" : "request";
  uint32_t input = 0, waiting = 0;
  int output = -1;
  const struct mem_packet *k = oldest_inside(x, &input, &output);
  for (uint32_t i = 0; i < n->n_in; i++) waiting += n->in[i].count;
  str_add(out, "%s network: %lu flits inside, %u packets wait at inputs\n", name, x->inside, waiting);
  if (!k) return;
  uint32_t d = output >= 0 ? (uint32_t)output : destination(x, k);
  str_add(out, "  oldest: line 0x%lx, SM %u, slice %u, %lu cycles old, ", k->line, k->sm, k->slice,
          (now - k->born) / n->wake.period);
  if (output >= 0)
    str_add(out, "at output %u, whose receiver %s (%u of %u packets)\n", d,
            mem_port_free_slots(n->out[d], now) ? "has a free slot" : "is full", n->out[d]->count, n->out[d]->capacity);
  else
    str_add(out, "in the buffer of input %u, wants output %u, which %s\n", input, d,
            !noc_has_bit(x->open, d)          ? "has a full buffer"
            : x->output[d].taken == x->all_places ? "carries another packet"
                                              : "is free");
}

/* The switch lies in the middle of the die: half a side from everybody. */
static void hardware(const struct cfg *cfg, const struct noc_shape *shape, struct noc_hardware *h) {
  (void)cfg;
  bool reply = shape->direction == NOC_REPLY;
  unsigned ins = reply ? shape->slices : shape->sms, outs = reply ? shape->sms : shape->slices;
  noc_add_routers(h, &(struct noc_router_kind){"crossbar", 1, ins, outs, false, true, false});
  noc_add_links(h, &(struct noc_link_kind){"input", ins, 0.5, false, true});
  noc_add_links(h, &(struct noc_link_kind){"output", outs, 0.5, false, true});
}

const struct noc_topology noc_xbar = {
    .policy = {.name = "xbar", .meaning = "full crossbar with input queues and iSLIP allocation"},
    .copies = true, .create = create, .tick = tick, .explain = explain, .inside = inside, .destroy = destroy,
    .hardware = hardware};
