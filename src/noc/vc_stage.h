/* The stages of a router before its switch (noc.vc_stage, noc.route_stage): routing, then the allocation of virtual
 * channels.
 *
 * A head that comes to the front of its input channel is routed in one round (route_stage). From the next round on it
 * asks for a channel of its output in every round, and in the round after it has got one its flits may ask for the
 * switch. Each stage works on what was there before the round, so a packet of n flits occupies an input channel for n
 * + 1 rounds, or n + 2 with routing.
 *
 * Channels are allocated by iSLIP over channels: every free channel of an output grants the first head of its class
 * that waits for the output, at or after its pointer; a head with several grants takes the first at or after its own
 * pointer. Pointers move with matches of the first iteration. A head waits for only one output, so the outputs can be
 * matched one after the other.
 *
 * Owns: which heads wait for which output and which channels of outputs are free, so that a round looks only at
 * outputs at which a head can get a channel. What a head does with its channel is up to the caller, who also says
 * when the channel is free again (noc_channel_freed). */
#ifndef NOC_VC_STAGE_H
#define NOC_VC_STAGE_H

#include "noc/islip.h"

#include <string.h>

enum { NOC_MAX_VCS = 16 /* of an output: eight of each class */ };

struct noc_head {
  uint32_t channel; /* of all inputs of the router */
  uint16_t out, class_;
};

struct noc_placed {
  uint32_t channel;
  uint16_t out, vc;
  uint16_t lost; /* channels whose grant this head did not take */
};

/* The channels of an output as bits. */
struct noc_stage_out {
  uint32_t free;   /* that nobody has */
  uint32_t wanted; /* of the classes of heads that wait */
};

struct noc_vc_stage {
  uint32_t channels, words, outs, out_words, vcs, each, classes; /* input channels; outputs; channels of one: all, and of each class */
  uint32_t iterations;
  bool routes;
  uint32_t class_bits[2];   /* the channels of a class at an output */
  uint32_t *grant, *accept; /* the pointers of output and input channels */
  uint64_t *heads;          /* per output and class: input channels that wait for it */
  struct noc_stage_out *out;
  uint64_t ready[NOC_WORDS];  /* outputs at which a head can get a channel */
  struct noc_head *routing; /* heads that are being routed, in order */
  uint32_t n_routing, routed; /* of which `routed` were there before the round */
};

static inline void noc_vc_stage_init(struct noc_vc_stage *s, uint32_t channels, uint32_t outs, uint32_t vcs, uint32_t classes,
                                     const struct noc_config *c) {
  *s = (struct noc_vc_stage){.channels = channels, .words = (channels + 63) / 64, .outs = outs, .vcs = vcs, .each = vcs / classes};
  s->out_words = (outs + 63) / 64;
  s->classes = classes;
  s->iterations = c->iterations;
  s->routes = c->route_stage;
  for (uint32_t k = 0; k < classes; k++) s->class_bits[k] = ((1u << s->each) - 1) << (k * s->each);
  s->grant = must_alloc(outs * vcs * sizeof *s->grant);
  s->accept = must_alloc(channels * sizeof *s->accept);
  s->heads = must_alloc((size_t)outs * classes * s->words * sizeof *s->heads);
  s->out = must_alloc(outs * sizeof *s->out);
  for (uint32_t d = 0; d < outs; d++) s->out[d].free = (1u << vcs) - 1;
  s->routing = must_alloc(channels * sizeof *s->routing);
}

static inline void noc_vc_stage_free(struct noc_vc_stage *s) {
  free(s->grant);
  free(s->accept);
  free(s->heads);
  free(s->out);
  free(s->routing);
}

/* Below, `words` is s->words, or where it is known to be one, a constant. */
static inline uint64_t *noc_heads_of(const struct noc_vc_stage *s, uint32_t words, uint32_t out, uint32_t class_) {
  return &s->heads[(size_t)(out * s->classes + class_) * words];
}

/* Brings `ready` up to date. */
static inline void noc_settle_output(struct noc_vc_stage *s, uint32_t out) {
  if (s->out[out].free & s->out[out].wanted) noc_set_bit(s->ready, out);
  else noc_clear_bit(s->ready, out);
}

static inline void noc_head_asks(struct noc_vc_stage *s, uint32_t words, struct noc_head h) {
  noc_set_bit(noc_heads_of(s, words, h.out, h.class_), h.channel);
  s->out[h.out].wanted |= s->class_bits[h.class_];
  noc_settle_output(s, h.out);
}

/* The packet that had this channel of an output has done with it. */
static inline void noc_channel_freed(struct noc_vc_stage *s, uint32_t out, uint32_t vc) {
  s->out[out].free |= 1u << vc;
  noc_settle_output(s, out);
}

/* A head has come to the front of its channel. */
static inline void noc_head_waits(struct noc_vc_stage *s, uint32_t words, struct noc_head h) {
  if (s->routes) s->routing[s->n_routing++] = h;
  else noc_head_asks(s, words, h);
}

/* At the end of a round: what was routed in it asks from the next on. */
static inline void noc_heads_routed(struct noc_vc_stage *s, uint32_t words) {
  if (!s->routed) return;
  for (uint32_t j = 0; j < s->routed; j++) noc_head_asks(s, words, s->routing[j]);
  s->n_routing -= s->routed;
  if (s->n_routing) memmove(s->routing, s->routing + s->routed, s->n_routing * sizeof *s->routing);
  s->routed = 0;
}

/* A head that waited has got channel vc of its output. */
static inline void noc_head_leaves(struct noc_vc_stage *s, uint32_t words, struct noc_head h, uint32_t vc) {
  uint64_t *heads = noc_heads_of(s, words, h.out, h.class_), any = 0;
  noc_clear_bit(heads, h.channel);
  for (uint32_t w = 0; w < words; w++) any |= heads[w];
  if (!any) s->out[h.out].wanted &= ~s->class_bits[h.class_];
  s->out[h.out].free &= ~(1u << vc);
}

/* Of the channels of `out` that granted the head of v's grant, the one it takes; the others are struck off. */
static inline struct noc_placed noc_head_accepts(struct noc_vc_stage *s, uint32_t out, uint32_t first, const int *granted, uint32_t v) {
  uint32_t all = s->outs * s->vcs, nearest = all;
  struct noc_placed p = {.channel = (uint32_t)granted[v], .out = (uint16_t)out};
  for (uint32_t j = v; j < s->each; j++) {
    if (granted[j] != granted[v]) continue;
    uint32_t at = out * s->vcs + first + j, from = s->accept[p.channel];
    uint32_t distance = at >= from ? at - from : at + all - from;
    p.lost++;
    if (distance < nearest) nearest = distance, p.vc = (uint16_t)(first + j);
  }
  p.lost--;
  return p;
}

/* One iteration for the channels of one class of an output: writes pairs and returns how many. */
static inline uint32_t noc_place_heads(struct noc_vc_stage *s, uint32_t out, uint32_t class_, bool first_iteration,
                                       struct noc_placed *pairs) {
  int granted[NOC_MAX_VCS];
  uint32_t n = 0, first = class_ * s->each;
  uint64_t *heads = noc_heads_of(s, s->words, out, class_);
  for (uint32_t v = 0; v < s->each; v++)
    granted[v] = s->out[out].free >> (first + v) & 1 ? noc_first_from(heads, s->words, s->grant[out * s->vcs + first + v]) : -1;
  for (uint32_t v = 0; v < s->each; v++) {
    if (granted[v] < 0) continue;
    struct noc_placed p = noc_head_accepts(s, out, first, granted, v);
    if (first_iteration) {
      s->grant[out * s->vcs + p.vc] = noc_after(p.channel, s->channels);
      s->accept[p.channel] = noc_after(out * s->vcs + p.vc, s->outs * s->vcs);
    }
    for (uint32_t j = v + 1; j < s->each; j++)
      if (granted[j] == (int)p.channel) granted[j] = -1;
    noc_head_leaves(s, s->words, (struct noc_head){p.channel, (uint16_t)out, (uint16_t)class_}, p.vc);
    pairs[n++] = p;
  }
  return n;
}

/* The pairs of one output. */
static inline uint32_t noc_match_output(struct noc_vc_stage *s, uint32_t out, struct noc_placed *pairs) {
  uint32_t n = 0;
  for (uint32_t it = 0; it < s->iterations && s->out[out].free; it++)
    for (uint32_t k = 0; k < s->classes; k++)
      if (s->out[out].wanted & s->class_bits[k]) n += noc_place_heads(s, out, k, it == 0, &pairs[n]);
  return n;
}

/* With one channel of a class at an output every grant is accepted, and a shorter way gives the same pairs. */
FOLDED uint32_t noc_match_output_single(struct noc_vc_stage *s, uint32_t words, uint32_t out, struct noc_placed *pairs) {
  uint32_t n = 0;
  for (uint32_t free_bits = s->out[out].free & s->out[out].wanted; free_bits; free_bits &= free_bits - 1) {
    uint32_t class_ = noc_lowest_bit(free_bits), at = out * s->vcs + class_;
    uint32_t channel = (uint32_t)noc_first_from(noc_heads_of(s, words, out, class_), words, s->grant[at]);
    s->grant[at] = noc_after(channel, s->channels);
    noc_head_leaves(s, words, (struct noc_head){channel, (uint16_t)out, (uint16_t)class_}, class_);
    pairs[n++] = (struct noc_placed){.channel = channel, .out = (uint16_t)out, .vc = (uint16_t)class_};
  }
  return n;
}

/* The channels given in one round; the heads that got one wait no more. Writes at most outs * vcs pairs. `narrow`: outputs and channels
 * are a word each. */
FOLDED uint32_t noc_vc_stage_match(struct noc_vc_stage *s, bool narrow, struct noc_placed *pairs) {
  uint32_t n = 0, words = narrow ? 1 : s->words, out_words = narrow ? 1 : s->out_words;
  s->routed = s->n_routing;
  for (uint32_t w = 0; w < out_words; w++)
    for (uint64_t m = s->ready[w]; m; m &= m - 1) {
      uint32_t out = w * 64 + noc_lowest_bit(m);
      n += s->each == 1 ? noc_match_output_single(s, words, out, &pairs[n]) : noc_match_output(s, out, &pairs[n]);
      noc_settle_output(s, out);
    }
  return n;
}

#endif
