/* Sets of ports as bits, and the one switch allocator that all routers use.
 *
 * iSLIP (McKeown 1999) as published: in each iteration every free output grants the first input that asks, at or
 * after its pointer; every input accepts the first output that granted, at or after its own pointer; pointers move to
 * one past the partner, but only for matches of the first iteration. Where an input asks for only one output at a
 * time (`single`), every grant is accepted, and a shorter algorithm finds the same matches. Routers whose sets fit
 * into one word (`narrow`) have code of their own for both cases.
 *
 * The allocator knows ports only. Which input may ask, for which virtual channel and with which credit, is decided by
 * the caller; the functions are inlined with the caller's `requests`. */
#ifndef NOC_ISLIP_H
#define NOC_ISLIP_H

#include "base/arena.h"
#include "noc/noc.h"

#include <stdlib.h>

/* For functions that are compiled separately for each style of network that calls them. */
#define FOLDED __attribute__((always_inline)) static inline

enum { NOC_WORDS = NOC_MAX_PORTS / 64 };

static inline uint64_t noc_bit(uint32_t i) { return 1ull << (i & 63); }
static inline void noc_set_bit(uint64_t *m, uint32_t i) { m[i >> 6] |= noc_bit(i); }
static inline void noc_clear_bit(uint64_t *m, uint32_t i) { m[i >> 6] &= ~noc_bit(i); }
static inline bool noc_has_bit(const uint64_t *m, uint32_t i) { return m[i >> 6] >> (i & 63) & 1; }
static inline uint32_t noc_lowest_bit(uint64_t m) { return (uint32_t)__builtin_ctzll(m); }
/* The next after i of n, going round. */
static inline uint32_t noc_after(uint32_t i, uint32_t n) { return i + 1 < n ? i + 1 : 0; }

/* First bit at or after `start`, going round; -1 if there is none. */
static inline int noc_first_from(const uint64_t *m, uint32_t words, uint32_t start) {
  uint32_t w = start >> 6;
  uint64_t high = m[w] >> (start & 63);
  if (high) return (int)(start + noc_lowest_bit(high));
  for (uint32_t i = 1; i <= words; i++) {
    uint32_t v = w + i < words ? w + i : w + i - words;
    if (m[v]) return (int)(v * 64 + noc_lowest_bit(m[v]));
  }
  return -1;
}

struct noc_islip {
  uint32_t n_in, n_out, in_words, out_words, iterations;
  uint32_t lines; /* narrow: bits for each input, any of which may ask for an output; otherwise 1 */
  bool single, narrow;
  uint16_t *grant, *accept;      /* the pointers of outputs and inputs */
  uint64_t (*grants)[NOC_WORDS]; /* per input: outputs that granted it in this iteration */
};

struct noc_islip_pair {
  uint16_t in, out;
  uint16_t lost; /* outputs whose grant this input did not take */
};

/* Writes into `mask`, of `words` words, which inputs may be granted output `out`. For a narrow router it is one word,
 * with the lines of the inputs. */
typedef void (*noc_islip_requests)(const void *user, uint32_t out, uint32_t words, uint64_t *mask);

/* `lines` is the number of lines that the allocator has if it is narrow. */
static inline void noc_islip_init(struct noc_islip *s, uint32_t n_in, uint32_t n_out, uint32_t iterations, bool single, uint32_t lines) {
  *s = (struct noc_islip){.n_in = n_in, .n_out = n_out, .iterations = iterations, .single = single};
  s->in_words = (n_in + 63) / 64;
  s->out_words = (n_out + 63) / 64;
  s->narrow = n_in * lines <= 64 && n_out <= 64;
  s->lines = s->narrow ? lines : 1;
  s->grant = must_alloc(n_out * sizeof *s->grant);
  s->accept = must_alloc(n_in * sizeof *s->accept);
  if (!single) s->grants = must_alloc(n_in * sizeof *s->grants);
}

static inline void noc_islip_free(struct noc_islip *s) {
  free(s->grant);
  free(s->accept);
  free(s->grants);
}

/* `in_words` and `out_words` are the allocator's. */
FOLDED uint32_t noc_islip_match_single(struct noc_islip *s, uint32_t in_words, uint32_t out_words, const uint64_t *outputs,
                                       noc_islip_requests requests, const void *user, struct noc_islip_pair *pairs) {
  uint32_t n = 0;
  for (uint32_t w = 0; w < out_words; w++)
    for (uint64_t m = outputs[w]; m; m &= m - 1) {
      uint32_t d = w * 64 + noc_lowest_bit(m);
      uint64_t ask[NOC_WORDS];
      requests(user, d, in_words, ask);
      int i = noc_first_from(ask, in_words, s->grant[d]);
      if (i < 0) continue;
      s->grant[d] = (uint16_t)noc_after((uint32_t)i, s->n_in);
      pairs[n++] = (struct noc_islip_pair){(uint16_t)i, (uint16_t)d, 0};
    }
  return n;
}

/* The grants of one iteration; false if there are none. */
FOLDED bool noc_islip_grant(struct noc_islip *s, const uint64_t *outputs, noc_islip_requests requests, const void *user,
                            const uint64_t *taken, uint64_t *granted) {
  bool any = false;
  for (uint32_t w = 0; w < s->out_words; w++)
    for (uint64_t m = outputs[w]; m; m &= m - 1) {
      uint32_t d = w * 64 + noc_lowest_bit(m);
      uint64_t ask[NOC_WORDS];
      requests(user, d, s->in_words, ask);
      for (uint32_t v = 0; v < s->in_words; v++) ask[v] &= ~taken[v];
      int i = noc_first_from(ask, s->in_words, s->grant[d]);
      if (i < 0) continue;
      noc_set_bit(s->grants[i], d);
      noc_set_bit(granted, (uint32_t)i);
      any = true;
    }
  return any;
}

static inline struct noc_islip_pair noc_islip_accept(struct noc_islip *s, uint32_t i, bool first) {
  uint64_t *g = s->grants[i];
  uint32_t d = (uint32_t)noc_first_from(g, s->out_words, s->accept[i]), granted = 0;
  for (uint32_t w = 0; w < s->out_words; w++) {
    granted += (uint32_t)__builtin_popcountll(g[w]);
    g[w] = 0;
  }
  if (first) {
    s->grant[d] = (uint16_t)noc_after(i, s->n_in);
    s->accept[i] = (uint16_t)noc_after(d, s->n_out);
  }
  return (struct noc_islip_pair){(uint16_t)i, (uint16_t)d, (uint16_t)(granted - 1)};
}

/* First bit of a word that is not 0, at or after `start`, going round. */
static inline uint32_t noc_first_in_word(uint64_t m, uint32_t start) {
  uint64_t high = m >> start << start;
  return noc_lowest_bit(high ? high : m);
}

/* The input with the first line that asks at or after those of input `start`, going round. */
static inline uint32_t noc_first_input(uint64_t ask, uint32_t start, uint32_t lines) {
  uint32_t line = noc_first_in_word(ask, start * lines);
  return lines == 1 ? line : lines == 2 ? line >> 1 : line / lines;
}

/* One iteration for narrow routers; the matched ones leave *asking and *outputs, those lines and outputs that may still be matched. */
FOLDED uint32_t noc_islip_match_words(struct noc_islip *s, uint32_t lines, uint64_t *asking, uint64_t *outputs,
                                      noc_islip_requests requests, const void *user, bool first, struct noc_islip_pair *pairs) {
  uint64_t granted = 0, by[64]; /* outputs that granted an input; of those in `granted` */
  uint32_t n = 0;
  for (uint64_t m = *outputs; m; m &= m - 1) {
    uint32_t d = noc_lowest_bit(m);
    uint64_t ask[NOC_WORDS];
    requests(user, d, 1, ask);
    if (!(ask[0] &= *asking)) continue;
    uint32_t i = noc_first_input(ask[0], s->grant[d], lines);
    by[i] = (granted & noc_bit(i) ? by[i] : 0) | (m & -m);
    granted |= noc_bit(i);
  }
  for (uint64_t m = granted; m; m &= m - 1) {
    uint32_t i = noc_lowest_bit(m);
    uint64_t grants = by[i];
    uint32_t d = noc_first_in_word(grants, s->accept[i]);
    if (first) {
      s->grant[d] = (uint16_t)noc_after(i, s->n_in);
      s->accept[i] = (uint16_t)noc_after(d, s->n_out);
    }
    *outputs &= ~noc_bit(d);
    *asking &= ~(((UINT64_C(2) << (lines - 1)) - 1) << (i * lines));
    uint32_t lost = grants & (grants - 1) ? (uint32_t)__builtin_popcountll(grants) - 1 : 0;
    pairs[n++] = (struct noc_islip_pair){(uint16_t)i, (uint16_t)d, (uint16_t)lost};
  }
  return n;
}

/* One output alone: whom it grants, accepts. */
FOLDED uint32_t noc_islip_match_one(struct noc_islip *s, uint32_t lines, uint32_t d, noc_islip_requests requests, const void *user,
                                    struct noc_islip_pair *pair) {
  uint64_t ask[NOC_WORDS];
  requests(user, d, 1, ask);
  if (!ask[0]) return 0;
  uint32_t i = noc_first_input(ask[0], s->grant[d], lines);
  s->grant[d] = (uint16_t)noc_after(i, s->n_in);
  s->accept[i] = (uint16_t)noc_after(d, s->n_out);
  *pair = (struct noc_islip_pair){(uint16_t)i, (uint16_t)d, 0};
  return 1;
}

/* noc_islip_match of a narrow router; `lines` and `single` are the allocator's. */
FOLDED uint32_t noc_islip_match_narrow(struct noc_islip *s, uint32_t lines, bool single, uint64_t outputs, noc_islip_requests requests,
                                       const void *user, struct noc_islip_pair *pairs) {
  if (single) return noc_islip_match_single(s, 1, 1, &outputs, requests, user, pairs);
  if (!(outputs & (outputs - 1))) return outputs ? noc_islip_match_one(s, lines, noc_lowest_bit(outputs), requests, user, pairs) : 0;
  uint32_t n = 0;
  uint64_t asking = UINT64_MAX;
  for (uint32_t it = 0, more = 1; it < s->iterations && more; it++, n += more)
    more = noc_islip_match_words(s, lines, &asking, &outputs, requests, user, it == 0, pairs + n);
  return n;
}

/* Matches inputs with `outputs`, those that can take a flit and that somebody may have asked for. Writes at
 * most min(n_in, n_out) pairs and returns how many. */
FOLDED uint32_t noc_islip_match(struct noc_islip *s, const uint64_t *outputs, noc_islip_requests requests, const void *user,
                                struct noc_islip_pair *pairs) {
  if (s->narrow) return noc_islip_match_narrow(s, s->lines, s->single, outputs[0], requests, user, pairs);
  if (s->single) return noc_islip_match_single(s, s->in_words, s->out_words, outputs, requests, user, pairs);
  uint32_t n = 0;
  uint64_t taken[NOC_WORDS] = {0}, left[NOC_WORDS];
  for (uint32_t w = 0; w < s->out_words; w++) left[w] = outputs[w];
  for (uint32_t it = 0; it < s->iterations; it++) {
    uint64_t granted[NOC_WORDS] = {0};
    if (!noc_islip_grant(s, left, requests, user, taken, granted)) break;
    for (uint32_t w = 0; w < s->in_words; w++) {
      taken[w] |= granted[w];
      for (uint64_t m = granted[w]; m; m &= m - 1) {
        pairs[n] = noc_islip_accept(s, w * 64 + noc_lowest_bit(m), it == 0);
        noc_clear_bit(left, pairs[n++].out);
      }
    }
  }
  return n;
}

#endif
