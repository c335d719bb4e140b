/* See readonly.h. */
#include "l1/readonly.h"

#include <stdlib.h>

void ro_init(struct ro_cache *c, uint64_t bytes, uint32_t ways, enum mem_class class_, struct l1 *l1) {
  uint64_t lines = bytes / MEM_LINE ? bytes / MEM_LINE : 1;
  *c = (struct ro_cache){.class_ = (uint8_t)class_, .l1 = l1};
  c->ways = ways < lines ? ways : (uint32_t)lines;
  c->sets = (uint32_t)(lines / c->ways);
  c->tags = must_alloc((size_t)c->sets * c->ways * sizeof *c->tags);
  c->used = must_alloc((size_t)c->sets * c->ways * sizeof *c->used);
}

void ro_free(struct ro_cache *c) {
  free(c->tags);
  free(c->used);
}

static size_t set_start(const struct ro_cache *c, uint64_t line) { return (line / MEM_LINE % c->sets) * c->ways; }

static bool lookup(struct ro_cache *c, uint64_t line) {
  size_t s = set_start(c, line);
  for (uint32_t i = 0; i < c->ways; i++)
    if (c->tags[s + i] == (line | 1)) {
      c->used[s + i] = ++c->clock;
      return true;
    }
  return false;
}

static void install(struct ro_cache *c, uint64_t line) {
  size_t s = set_start(c, line), best = s;
  for (uint32_t i = 0; i < c->ways; i++) {
    if (!c->tags[s + i]) {
      best = s + i;
      break;
    }
    if (c->used[s + i] < c->used[best]) best = s + i;
  }
  c->tags[best] = line | 1;
  c->used[best] = ++c->clock;
}

static struct ro_miss *find_miss(struct ro_cache *c, uint64_t line, struct ro_miss **unused) {
  *unused = NULL;
  for (unsigned i = 0; i < RO_MAX_MISSES; i++) {
    if (c->misses[i].used && c->misses[i].line == line) return &c->misses[i];
    if (!c->misses[i].used && !*unused) *unused = &c->misses[i];
  }
  return NULL;
}

static void send(struct ro_cache *c, uint64_t line, uint64_t now) {
  struct mem_packet *k = mem_packet_new(c->l1->pool);
  k->line = line;
  k->bytes = (struct mem_bytes){{~UINT64_C(0), ~UINT64_C(0)}};
  k->sectors = 0xf;
  k->kind = MEM_READ;
  k->class_ = c->class_;
  k->sm = c->l1->sm;
  k->born = now;
  l1_queue_packet(c->l1, k);
}

static enum l1_result stall(struct ro_cache *c) {
  c->stats[RO_S_STALLS]++;
  return L1_STALL;
}

static enum l1_result hit(struct ro_cache *c) {
  c->stats[RO_S_ACCESSES]++;
  c->stats[RO_S_HITS]++;
  return L1_HIT;
}

enum l1_result ro_access(struct ro_cache *c, uint64_t line, uint32_t owner, uint64_t now) {
  if (lookup(c, line)) return hit(c);
  struct ro_miss *unused, *m = find_miss(c, line, &unused);
  if (m && m->n_waiters == RO_MAX_WAITERS) return stall(c);
  if (!m) {
    if (!unused || l1_queue_full(c->l1)) return stall(c);
    m = unused;
    m->line = line;
    m->n_waiters = 0;
    m->missing = 0xf;
    m->used = true;
    send(c, line, now);
  }
  m->waiters[m->n_waiters++] = owner;
  c->stats[RO_S_ACCESSES]++;
  c->stats[RO_S_MISSES]++;
  return L1_MISS;
}

void ro_fill(struct ro_cache *c, const struct mem_packet *reply, void (*done)(void *user, uint32_t owner),
             void *user) {
  struct ro_miss *unused, *m = find_miss(c, reply->line, &unused);
  if (!m) return;
  m->missing &= (uint8_t)~reply->sectors;
  if (m->missing) return;
  install(c, reply->line);
  m->used = false;
  for (uint32_t i = 0; i < m->n_waiters; i++) done(user, m->waiters[i]);
}

enum l1_result ro_access_preloaded(struct ro_cache *c, uint64_t line) {
  if (!lookup(c, line)) install(c, line);
  return hit(c);
}

void ro_flush(struct ro_cache *c) {
  for (size_t i = 0; i < (size_t)c->sets * c->ways; i++) c->tags[i] = 0;
}
