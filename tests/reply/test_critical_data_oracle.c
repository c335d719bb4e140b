/* Random streams through an L1D with reply.filter and through a slow model that is written for being obvious: one flag a
 * sub-block, lists, nothing hashed. Every answer, every cause of a refusal, every request's bitmap, every load notified and
 * every count must agree. The memory between is hostile: it answers in any order, merges two requests for a line into one
 * answer, and answers some whole. At the end every load has been notified exactly once. */
#include "l1_kit.h"

enum { BLOCKS = 4, WAYS = 2, SETS = 2, MSHRS = 3, MERGES = 4, QUEUE = 3, LINES = 10, WINDOW = 6, STEPS = 60000, OUT = 16 };

/* What both count. */
enum count {
  FIRST_MISSES, SUBSEQUENT_MISSES, HIT_INVALID, LATE, DEMAND_PART, DEMAND_FDR_RATIO, DEMAND_MSHR, DEMAND_ICA_RATIO,
  FILLED_CA, FILLED_ICA, EVICTED_CA, EVICTED_ICA, COUNTS
};
static const char *const names[COUNTS] = {
    [FIRST_MISSES] = "l1d.first_misses", [SUBSEQUENT_MISSES] = "l1d.subsequent_misses", [HIT_INVALID] = "l1d.hit_invalid",
    [LATE] = "l1d.late_replies", [DEMAND_PART] = "l1d.demand_part", [DEMAND_FDR_RATIO] = "l1d.demand_fdr_ratio",
    [DEMAND_MSHR] = "l1d.demand_mshr", [DEMAND_ICA_RATIO] = "l1d.demand_ica_ratio", [FILLED_CA] = "l1d.filled_ca",
    [FILLED_ICA] = "l1d.filled_ica", [EVICTED_CA] = "l1d.evicted_ca", [EVICTED_ICA] = "l1d.evicted_ica"};

struct slow_window {
  bool event[WINDOW]; /* newest first */
};
struct slow_line {
  bool live, here[BLOCKS], out[BLOCKS], came[BLOCKS], demanded[BLOCKS], size[BLOCKS];
  bool inconsistent, hit_invalid;
  uint64_t used;
  unsigned merged;
};
struct slow_load {
  uint64_t line;
  uint32_t owner;
  bool need[BLOCKS], waiting;
};
struct slow_request {
  uint64_t line;
  bool block[BLOCKS], read;
};
struct slow {
  bool predicts, asked;
  struct slow_line line[LINES]; /* a line has one place here; `live` is whether it has a tag */
  struct slow_load load[256];
  struct slow_request queue[QUEUE];
  unsigned queued;
  struct slow_window ica[3], fdr;
  uint64_t clock, counts[COUNTS];
  enum l1_why why;
};

static bool any(const bool *m) { return m[0] || m[1] || m[2] || m[3]; }
static bool all(const bool *m) { return m[0] && m[1] && m[2] && m[3]; }
static unsigned number(const bool *m) { return (unsigned)(m[0] + m[1] + m[2] + m[3]); }
static bool subset(const bool *part, const bool *whole) {
  for (unsigned i = 0; i < BLOCKS; i++)
    if (part[i] && !whole[i]) return false;
  return true;
}
static void add(bool *to, const bool *more) {
  for (unsigned i = 0; i < BLOCKS; i++) to[i] |= more[i];
}

/* ---- windows ---- */

static void push(struct slow_window *w, bool event) {
  memmove(w->event + 1, w->event, WINDOW - 1);
  w->event[0] = event;
}
static bool exceeds(const struct slow_window *w, double share) {
  double n = 0;
  for (unsigned i = 0; i < WINDOW; i++) n += w->event[i];
  return n / WINDOW > share;
}
static void notify_consistency(struct slow *s, const struct slow_line *l) {
  if (number(l->size) > 1) push(&s->ica[number(l->size) - 2], l->inconsistent);
}
static void notify_request(struct slow *s, const struct slow_line *l, const bool *bitmap) {
  push(&s->fdr, all(s->asked ? l->size : bitmap));
}
static enum count decide(const struct slow *s, bool outstanding, unsigned size) {
  if (!s->predicts) return DEMAND_PART;
  if (exceeds(&s->fdr, 0.9)) return DEMAND_FDR_RATIO;
  if (outstanding) return DEMAND_MSHR;
  return size > 1 && exceeds(&s->ica[size - 2], 0.5) ? DEMAND_ICA_RATIO : DEMAND_PART;
}

/* ---- accesses ---- */

static enum l1_result refuse(struct slow *s, enum l1_why why) {
  s->why = why;
  return L1_STALL;
}

static enum l1_result wait_for(struct slow *s, uint64_t i, uint32_t owner, const bool *need, enum l1_result r) {
  struct slow_load *w = &s->load[owner];
  *w = (struct slow_load){.line = i, .owner = owner, .waiting = true};
  memcpy(w->need, need, BLOCKS);
  s->line[i].merged++;
  return r;
}

static unsigned lines_out(const struct slow *s) {
  unsigned n = 0;
  for (unsigned i = 0; i < LINES; i++) n += any(s->line[i].out);
  return n;
}

/* A way for a line: a free one, or that of the least recently used line of the set with nothing out. */
static bool free_frame(struct slow *s, uint64_t i) {
  struct slow_line *oldest = NULL;
  unsigned n = 0;
  for (uint64_t k = i % SETS; k < LINES; k += SETS) {
    struct slow_line *l = &s->line[k];
    n += l->live;
    if (l->live && !any(l->out) && (!oldest || l->used < oldest->used)) oldest = l;
  }
  if (n < WAYS) return true;
  if (!oldest) return false;
  notify_consistency(s, oldest);
  notify_request(s, oldest, oldest->here);
  s->counts[oldest->inconsistent ? EVICTED_ICA : EVICTED_CA]++;
  *oldest = (struct slow_line){0};
  return true;
}

static enum l1_result slow_miss(struct slow *s, uint64_t i, const bool *own, const bool *rest, uint32_t owner) {
  struct slow_line *l = &s->line[i];
  bool outstanding = any(l->out), size[BLOCKS], ask[BLOCKS] = {true, true, true, true};
  if (outstanding && l->hit_invalid) return refuse(s, L1_NO_MERGE);
  memcpy(size, own, BLOCKS);
  if (l->live) add(size, l->size);
  enum count decision = decide(s, outstanding, number(size));
  if (decision == DEMAND_PART) memcpy(ask, own, BLOCKS);
  if (!outstanding && lines_out(s) == MSHRS) return refuse(s, L1_NO_MSHR);
  if (s->queued == QUEUE) return refuse(s, L1_NO_QUEUE);
  if (!l->live && !free_frame(s, i)) return refuse(s, L1_NO_LINE);
  s->counts[!l->live ? FIRST_MISSES : outstanding ? SUBSEQUENT_MISSES : HIT_INVALID]++;
  s->counts[decision]++;
  if (l->live) l->inconsistent = true;
  if (l->live && !outstanding) l->hit_invalid = true;
  if (!l->live) *l = (struct slow_line){.live = true, .used = ++s->clock};
  add(l->demanded, ask);
  add(l->out, ask);
  add(l->size, s->asked ? own : ask);
  struct slow_request *q = &s->queue[s->queued++];
  *q = (struct slow_request){.line = i, .read = true};
  memcpy(q->block, ask, BLOCKS);
  return wait_for(s, i, owner, rest, L1_MISS);
}

static enum l1_result slow_load(struct slow *s, uint64_t i, const bool *own, uint32_t owner) {
  struct slow_line *l = &s->line[i];
  bool rest[BLOCKS];
  memcpy(rest, own, BLOCKS);
  if (l->live) l->used = ++s->clock;
  if (l->live && s->asked) {
    if (!subset(own, l->size)) l->inconsistent = true;
    add(l->size, own);
  }
  if (l->live && subset(own, l->here)) return L1_HIT;
  if (!any(l->out)) return slow_miss(s, i, own, rest, owner);
  if (l->merged == MERGES) return refuse(s, L1_NO_MERGE);
  for (unsigned b = 0; b < BLOCKS; b++) rest[b] = own[b] && !l->came[b];
  if (!any(rest)) return wait_for(s, i, owner, l->out, L1_PENDING);
  if (subset(rest, l->out)) return wait_for(s, i, owner, rest, L1_PENDING);
  return slow_miss(s, i, own, rest, owner);
}

static enum l1_result slow_store(struct slow *s, uint64_t i) {
  struct slow_line *l = &s->line[i];
  if (s->queued == QUEUE) return refuse(s, L1_NO_QUEUE);
  s->queue[s->queued++] = (struct slow_request){.line = i};
  if (!any(l->out)) l->live = false;
  memset(l->here, 0, BLOCKS);
  memset(l->came, 0, BLOCKS);
  return L1_SENT;
}

/* Marks in `notified_of` the loads that have all now. */
static void slow_reply(struct slow *s, uint64_t i, const bool *block, bool *notified_of) {
  struct slow_line *l = &s->line[i];
  memset(notified_of, 0, 256);
  if (!any(l->out)) {
    s->counts[LATE]++;
    return;
  }
  for (unsigned o = 0; o < 256; o++) {
    struct slow_load *w = &s->load[o];
    if (!w->waiting || w->line != i) continue;
    for (unsigned b = 0; b < BLOCKS; b++) w->need[b] &= !block[b];
    if (any(w->need)) continue;
    w->waiting = false;
    notified_of[o] = true;
  }
  for (unsigned b = 0; b < BLOCKS; b++) l->came[b] |= block[b], l->out[b] &= !block[b];
  notify_consistency(s, l);
  if (any(l->out)) return;
  memcpy(l->here, l->came, BLOCKS);
  memset(l->came, 0, BLOCKS);
  notify_request(s, l, l->demanded);
  s->counts[l->inconsistent ? FILLED_ICA : FILLED_CA]++;
  memset(l->demanded, 0, BLOCKS);
  l->hit_invalid = false;
  l->merged = 0;
}

/* ---- both together ---- */

struct pair {
  struct kit k;
  struct slow s;
  struct rng rng;
  struct mem_packet *out[OUT]; /* reads in memory */
  unsigned n_out;
};

static void step_access(struct pair *p) {
  uint32_t owner = 0;
  while (owner < 256 && p->s.load[owner].waiting) owner++;
  uint64_t i = rng_below(&p->rng, LINES);
  bool store = !rng_below(&p->rng, 20), own[BLOCKS];
  struct mem_bytes bytes = {{0, 0}};
  uint64_t pattern = 1 + (rng_below(&p->rng, 3) ? UINT64_C(1) << rng_below(&p->rng, 4) : rng_below(&p->rng, 15)) - 1;
  if (!(pattern & 15)) pattern = 15;
  for (unsigned b = 0; b < BLOCKS; b++) {
    own[b] = pattern >> b & 1;
    struct mem_bytes some = span(b * MEM_SECTOR + (unsigned)rng_below(&p->rng, 29), 4);
    if (own[b]) bytes = mem_or(bytes, some);
  }
  struct l1_request r = request(store ? MEM_WRITE : MEM_READ, i * MEM_LINE, bytes, owner);
  enum l1_result expected = store ? slow_store(&p->s, i) : slow_load(&p->s, i, own, owner);
  assert_int_equal(l1_access(&p->k.l1, &r, 0), expected);
  if (expected == L1_STALL) assert_int_equal(p->k.l1.why, p->s.why);
}

/* The oldest request goes to memory. */
static void step_send(struct pair *p) {
  if (!p->s.queued || p->n_out == OUT) return;
  struct mem_packet *k = take(&p->k);
  struct slow_request q = p->s.queue[0];
  memmove(p->s.queue, p->s.queue + 1, --p->s.queued * sizeof q);
  assert_int_equal(k->line, q.line * MEM_LINE);
  if (!q.read) {
    mem_packet_free(p->k.pool, k);
    return;
  }
  for (unsigned b = 0; b < BLOCKS; b++) assert_int_equal(k->sectors >> b & 1, q.block[b]);
  for (unsigned m = 0; m < p->n_out && rng_below(&p->rng, 2); m++)
    if (p->out[m]->line == k->line) {
      p->out[m]->sectors |= k->sectors;
      p->out[m]->bytes = mem_or(p->out[m]->bytes, k->bytes);
      mem_packet_free(p->k.pool, k);
      return;
    }
  p->out[p->n_out++] = k;
}

static void step_reply(struct pair *p) {
  if (!p->n_out) return;
  unsigned at = (unsigned)rng_below(&p->rng, p->n_out);
  struct mem_packet *k = p->out[at];
  p->out[at] = p->out[--p->n_out];
  if (!rng_below(&p->rng, 8)) k->sectors = 15, k->bytes = span(0, MEM_LINE);
  bool block[BLOCKS], notified_of[256];
  for (unsigned b = 0; b < BLOCKS; b++) block[b] = k->sectors >> b & 1;
  slow_reply(&p->s, k->line / MEM_LINE, block, notified_of);
  answer(&p->k, k, k->sectors);
  mem_packet_free(p->k.pool, k);
  unsigned n = 0;
  for (unsigned o = 0; o < 256; o++) n += notified_of[o];
  assert_int_equal(p->k.n_done, n);
  for (unsigned m = 0; m < n; m++) assert_true(notified_of[p->k.done[m]]);
}

static void compare_counts(const struct pair *p) {
  for (unsigned i = 0; i < COUNTS; i++) assert_int_equal(org_stat(&p->k.l1, names[i]), p->s.counts[i]);
}

static void stream(uint64_t seed, bool predicts, bool asked) {
  static struct pair p;
  p = (struct pair){.s = {.predicts = predicts, .asked = asked}, .rng = {seed}};
  kit_open(&p.k, SETTINGS("reply.filter=df-truc", predicts ? "reply.predict=true" : "reply.predict=false",
                          asked ? "reply.learn=asked" : "reply.learn=demanded", "reply.window=6", "l1.sets=2",
                          "l1.ways=2", "l1.index=plain", "l1.mshrs=3", "l1.merges=4", "l1.queue=3"));
  for (unsigned i = 0; i < STEPS; i++) {
    uint64_t what = rng_below(&p.rng, 4);
    if (what < 2) step_access(&p);
    else if (what == 2) step_send(&p);
    else step_reply(&p);
  }
  while (p.s.queued || p.n_out) step_send(&p), step_reply(&p);
  for (unsigned o = 0; o < 256; o++) assert_false(p.s.load[o].waiting);
  compare_counts(&p);
  for (unsigned i = 0; i <= LATE; i++) assert_true(p.s.counts[i] > 0);
  assert_int_equal(p.k.l1.mshrs.used, 0);
  kit_close(&p.k);
}

static void test_random_streams_agree_with_the_model(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 6; seed++)
    for (unsigned flavour = 0; flavour < 4; flavour++) stream(seed, flavour & 1, flavour & 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_streams_agree_with_the_model)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
