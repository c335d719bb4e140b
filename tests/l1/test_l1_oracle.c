/* Random streams through the L1D and through a slow model that is written for being obvious: one flag a byte,
 * lists in order of use, nothing hashed. Every answer, every cause of a refusal, every load notified of a fill
 * must agree. */
#include "l1_kit.h"

enum { WAYS_MAX = 4, SETS = 4, MSHRS = 5, MERGES = 3, QUEUE = 4, LINES = 40, STEPS = 20000 };

struct slow_line {
  uint64_t line;
  bool valid[MEM_LINE], reserved[MEM_LINE];
};
struct slow_wait {
  uint32_t owner;
  bool waiting[MEM_LINE];
};
struct slow_miss {
  uint64_t line;
  bool used, issued[MEM_LINE];
  unsigned merged, n;
  struct slow_wait wait[MERGES];
};
struct slow {
  unsigned ways, granule;
  bool on_miss;
  struct slow_line set[SETS][WAYS_MAX]; /* least recently used first */
  unsigned n[SETS];
  struct slow_miss miss[MSHRS];
  unsigned queued;
  enum l1_why why;
};

static bool any(const bool *m) {
  for (unsigned i = 0; i < MEM_LINE; i++)
    if (m[i]) return true;
  return false;
}

static void touch(struct slow *s, unsigned set, unsigned at) {
  struct slow_line l = s->set[set][at];
  memmove(&s->set[set][at], &s->set[set][at + 1], (s->n[set] - at - 1) * sizeof l);
  s->set[set][s->n[set] - 1] = l;
}

static void drop(struct slow *s, unsigned set, unsigned at) {
  memmove(&s->set[set][at], &s->set[set][at + 1], (s->n[set] - at - 1) * sizeof(struct slow_line));
  s->n[set]--;
}

static int where(const struct slow *s, uint64_t line) {
  unsigned set = (unsigned)(line / MEM_LINE % SETS);
  for (unsigned i = 0; i < s->n[set]; i++)
    if (s->set[set][i].line == line) return (int)i;
  return -1;
}

/* Makes the line the most recent of its set, giving up the least recent without reservation; NULL: there is
 * none. */
static struct slow_line *free_frame(struct slow *s, uint64_t line) {
  unsigned set = (unsigned)(line / MEM_LINE % SETS);
  if (s->n[set] == s->ways) {
    unsigned i = 0;
    while (i < s->n[set] && any(s->set[set][i].reserved)) i++;
    if (i == s->n[set]) return NULL;
    drop(s, set, i);
  }
  struct slow_line *l = &s->set[set][s->n[set]++];
  *l = (struct slow_line){.line = line};
  return l;
}

static void missing_of(struct slow *s, uint64_t line, struct mem_bytes bytes, bool *missing) {
  unsigned set = (unsigned)(line / MEM_LINE % SETS);
  int at = where(s, line);
  memset(missing, 0, MEM_LINE);
  for (unsigned i = 0; i < MEM_LINE; i++) {
    bool asked = bytes.b[i / 64] >> (i % 64) & 1;
    if (asked && (at < 0 || !s->set[set][at].valid[i]))
      memset(missing + i / s->granule * s->granule, 1, s->granule);
  }
  if (at >= 0) touch(s, set, (unsigned)at);
}

static enum l1_result refuse(struct slow *s, enum l1_why why) {
  s->why = why;
  return L1_STALL;
}

static enum l1_result slow_miss(struct slow *s, uint64_t line, const bool *missing, uint32_t owner) {
  struct slow_miss *m = NULL, *unused = NULL;
  for (unsigned i = 0; i < MSHRS; i++) {
    if (s->miss[i].used && s->miss[i].line == line) m = &s->miss[i];
    if (!s->miss[i].used) unused = &s->miss[i];
  }
  if (m && m->merged == MERGES) return refuse(s, L1_NO_MERGE);
  if (!m && !unused) return refuse(s, L1_NO_MSHR);
  bool ask[MEM_LINE];
  for (unsigned i = 0; i < MEM_LINE; i++) ask[i] = missing[i] && !(m && m->issued[i]);
  bool asks = any(ask);
  if (asks) {
    if (s->queued == QUEUE) return refuse(s, L1_NO_QUEUE);
    if (s->on_miss) {
      unsigned set = (unsigned)(line / MEM_LINE % SETS);
      int at = where(s, line);
      struct slow_line *l = at >= 0 ? &s->set[set][at] : free_frame(s, line);
      if (!l) return refuse(s, L1_NO_LINE);
      for (unsigned i = 0; i < MEM_LINE; i++) l->reserved[i] |= ask[i];
    }
    if (!m) {
      m = unused;
      *m = (struct slow_miss){.line = line, .used = true};
    }
    for (unsigned i = 0; i < MEM_LINE; i++) m->issued[i] |= ask[i];
    s->queued++;
  }
  struct slow_wait *w = &m->wait[m->n++];
  w->owner = owner;
  memcpy(w->waiting, missing, MEM_LINE);
  m->merged++;
  return asks ? L1_MISS : L1_PENDING;
}

static enum l1_result slow_access(struct slow *s, const struct l1_request *r) {
  unsigned set = (unsigned)(r->line / MEM_LINE % SETS);
  if (r->kind == MEM_READ && r->cache != CG) {
    bool missing[MEM_LINE];
    missing_of(s, r->line, r->bytes, missing);
    return any(missing) ? slow_miss(s, r->line, missing, r->owner) : L1_HIT;
  }
  if (s->queued == QUEUE) return refuse(s, L1_NO_QUEUE);
  s->queued++;
  int at = where(s, r->line);
  bool keep = r->kind == MEM_READ || (r->kind == MEM_WRITE && r->class_ == MEM_LOCAL);
  if (at < 0 || keep) return L1_SENT;
  if (any(s->set[set][at].reserved))
    memset(s->set[set][at].valid, 0, MEM_LINE);
  else
    drop(s, set, (unsigned)at);
  return L1_SENT;
}

/* Fills `notified_` with the owners that have everything now. */
static unsigned slow_fill(struct slow *s, uint64_t line, struct mem_bytes bytes, uint32_t *notified_) {
  unsigned set = (unsigned)(line / MEM_LINE % SETS), n = 0;
  int at = where(s, line);
  struct slow_line *l = at >= 0 ? &s->set[set][at] : s->on_miss ? NULL : free_frame(s, line);
  struct slow_miss *m = s->miss;
  while (!m->used || m->line != line) m++;
  for (unsigned i = 0; i < MEM_LINE; i++) {
    if (!(bytes.b[i / 64] >> (i % 64) & 1)) continue;
    if (l) l->valid[i] = true, l->reserved[i] = false;
    m->issued[i] = false;
    for (unsigned k = 0; k < m->n; k++) m->wait[k].waiting[i] = false;
  }
  for (unsigned k = 0; k < m->n;) {
    if (any(m->wait[k].waiting))
      k++;
    else {
      notified_[n++] = m->wait[k].owner;
      m->wait[k] = m->wait[--m->n];
    }
  }
  if (!any(m->issued)) m->used = false;
  return n;
}

/* ---- both at once ------------------------------------------------------------------------------------------------- */

struct pair {
  struct kit k;
  struct slow s;
  struct rng g;
  struct mem_packet *below[QUEUE * 64]; /* taken from the queue, reads not yet answered in full */
  unsigned n_below;
  uint32_t next_owner;
  uint64_t results[L1_STALL + 1], whys[L1_WHYS];
};

static struct l1_request random_request(struct pair *p) {
  static const uint8_t kinds[] = {MEM_READ, MEM_READ, MEM_READ,  MEM_READ,
                                  MEM_READ, MEM_READ, MEM_WRITE, MEM_ATOMIC};
  unsigned from = (unsigned)rng_below(&p->g, 32) * 4, most = (MEM_LINE - from) / 4;
  struct l1_request r =
      request((enum mem_kind)kinds[rng_below(&p->g, 8)], rng_below(&p->g, LINES) * MEM_LINE,
              span(from, 4 * ((unsigned)rng_below(&p->g, most) + 1)), p->next_owner++ % 100000);
  r.class_ = rng_below(&p->g, 4) ? MEM_GLOBAL : MEM_LOCAL;
  r.cache = rng_below(&p->g, 10) ? CA : CG;
  return r;
}

static void do_access(struct pair *p) {
  struct l1_request r = random_request(p);
  enum l1_result fast = l1_access(&p->k.l1, &r, 0), slow = slow_access(&p->s, &r);
  assert_int_equal(fast, slow);
  p->results[fast]++;
  if (fast == L1_STALL) {
    assert_int_equal(p->k.l1.why, p->s.why);
    p->whys[p->s.why]++;
  }
  assert_int_equal(p->k.l1.queue.count, p->s.queued);
}

static void do_drain(struct pair *p) {
  if (!l1_next_request(&p->k.l1) || p->n_below == sizeof p->below / sizeof *p->below) return;
  struct mem_packet *k = take(&p->k);
  p->s.queued--;
  if (k->kind == MEM_READ && !k->bypass)
    p->below[p->n_below++] = k;
  else
    mem_packet_free(p->k.pool, k);
}

static int by_number(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* One of those below, any, some of its sectors. */
static void do_fill(struct pair *p) {
  if (!p->n_below) return;
  unsigned at = (unsigned)rng_below(&p->g, p->n_below);
  struct mem_packet *k = p->below[at];
  uint8_t part = (uint8_t)(rng_below(&p->g, 3) ? k->sectors : k->sectors & rng_below(&p->g, 16));
  if (!part) return;
  uint32_t notified_[MERGES];
  struct mem_packet carried = *k;
  carried.sectors = part;
  answer(&p->k, k, part);
  unsigned n = slow_fill(&p->s, k->line, mem_bytes_carried(&carried), notified_);
  assert_int_equal(p->k.n_done, n);
  qsort(notified_, n, sizeof *notified_, by_number);
  qsort(p->k.done, n, sizeof *p->k.done, by_number);
  assert_memory_equal(notified_, p->k.done, n * sizeof *notified_);
  k->sectors &= (uint8_t)~part;
  if (k->sectors) return;
  mem_packet_free(p->k.pool, k);
  p->below[at] = p->below[--p->n_below];
}

static void run(unsigned ways, unsigned granule, bool on_miss, uint64_t seed) {
  struct pair *p = calloc(1, sizeof *p);
  char w[32], g[32];
  snprintf(w, sizeof w, "l1.ways=%u", ways);
  snprintf(g, sizeof g, "l1.granule=%u", granule);
  kit_open(&p->k, SETTINGS("l1.sets=4", "l1.index=plain", "l1.mshrs=5", "l1.merges=3", "l1.queue=4", w, g,
                           on_miss ? "l1.allocate=miss" : "l1.allocate=fill"));
  p->s.ways = ways;
  p->s.granule = granule;
  p->s.on_miss = on_miss;
  p->g.state = seed;
  for (unsigned i = 0; i < STEPS; i++) {
    uint64_t what = rng_below(&p->g, 10);
    if (what < 5)
      do_access(p);
    else if (what < 8)
      do_drain(p);
    else
      do_fill(p);
  }
  while (l1_next_request(&p->k.l1)) do_drain(p);
  while (p->n_below) do_fill(p);
  assert_int_equal(p->k.l1.mshrs.used, 0);
  for (unsigned i = 0; i <= L1_STALL; i++)
    assert_true(p->results[i] > 100); /* every kind of answer was seen */
  for (unsigned i = 0; i < L1_WHYS; i++)
    if (i != L1_NO_LINE && (i != L1_NO_MSHR || ways > 1))
      assert_true(p->whys[i] > 0); /* one way: lines run out first */
  const uint64_t *st = p->k.l1.stats;
  assert_int_equal(st[L1_S_ACCESSES], st[L1_S_HITS] + st[L1_S_PENDING] + st[L1_S_MISSES]);
  assert_int_equal(st[L1_S_FAILS], p->results[L1_STALL]);
  kit_close(&p->k);
  free(p);
}

static void test_whole_lines_allocated_on_miss(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 4; seed++) run(2, 128, true, seed);
  run(1, 128, true, 9);
}
static void test_sectors_allocated_on_fill(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 4; seed++) run(2, 32, false, seed);
  run(4, 32, false, 9);
}
static void test_the_other_combinations(void **state) {
  (void)state;
  run(2, 128, false, 5);
  run(2, 32, true, 6);
  run(4, 64, true, 7);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_whole_lines_allocated_on_miss),
      cmocka_unit_test(test_sectors_allocated_on_fill),
      cmocka_unit_test(test_the_other_combinations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
