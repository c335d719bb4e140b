/* See readonly.h. */
#include "l1/readonly.h"

enum { HALF = MEM_LINE / 2 };

void ro_init(struct ro_cache *c, const struct ro_shape *shape, enum mem_class class_, struct l1 *l1) {
  uint64_t each = shape->half ? HALF : MEM_LINE, lines = shape->bytes / each ? shape->bytes / each : 1;
  uint32_t ways = shape->ways > lines ? (uint32_t)lines : shape->ways;
  *c = (struct ro_cache){.class_ = (uint8_t)class_, .half = shape->half, .l1 = l1};
  const struct mem_tags_config tags = {
      .sets = (uint32_t)(lines / ways), .ways = ways, .replacement = shape->replacement, .seed = l1->sm + 1u};
  mem_tags_init(&c->tags, &tags);
  mem_mshr_init_owners(&c->misses, RO_MAX_MISSES, RO_MAX_WAITERS, MEM_OLDEST_FIRST);
}

void ro_free(struct ro_cache *c) {
  mem_tags_free(&c->tags);
  mem_mshr_free(&c->misses);
}

static bool lookup(struct ro_cache *c, uint64_t line) {
  int32_t frame = mem_tags_find(&c->tags, mem_tags_set(&c->tags, line), line);
  if (frame != MEM_NO_FRAME) mem_tags_touch(&c->tags, frame);
  return frame != MEM_NO_FRAME;
}

static void install(struct ro_cache *c, uint64_t line) {
  mem_tags_place(&c->tags, mem_tags_victim(&c->tags, mem_tags_set(&c->tags, line)), line);
}

/* Which sectors of 128 bytes a line is. */
static uint8_t sectors_of(const struct ro_cache *c, uint64_t line) {
  return !c->half ? (1 << MEM_SECTORS) - 1 : line & HALF ? 12 : 3;
}

static void send(struct ro_cache *c, uint64_t line, uint64_t now) {
  struct mem_packet *k = mem_packet_new(c->l1->pool);
  k->line = line & ~(uint64_t)(MEM_LINE - 1);
  k->sectors = sectors_of(c, line);
  k->bytes = mem_bytes_of(k->sectors);
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

static int32_t ask(struct ro_cache *c, uint64_t line, uint64_t now) {
  if (mem_mshr_full(&c->misses) || l1_queue_full(c->l1)) return MEM_NO_MSHR;
  int32_t at = mem_mshr_new(&c->misses, line);
  c->misses.entries[at].asked = mem_bytes_of(sectors_of(c, line));
  send(c, line, now);
  return at;
}

enum l1_result ro_access(struct ro_cache *c, uint64_t line, uint32_t owner, uint64_t now) {
  if (lookup(c, line)) return hit(c);
  int32_t at = mem_mshr_find(&c->misses, line);
  if (at != MEM_NO_MSHR && !mem_mshr_mergeable(&c->misses, at)) return stall(c);
  if (at == MEM_NO_MSHR) at = ask(c, line, now);
  if (at == MEM_NO_MSHR) return stall(c);
  mem_mshr_wait_for(&c->misses, at, owner, c->misses.entries[at].asked);
  c->stats[RO_S_ACCESSES]++;
  c->stats[RO_S_MISSES]++;
  return L1_MISS;
}

void ro_prefetch(struct ro_cache *c, uint64_t line, uint64_t now) {
  bool there = mem_tags_find(&c->tags, mem_tags_set(&c->tags, line), line) != MEM_NO_FRAME;
  if (!there && mem_mshr_find(&c->misses, line) == MEM_NO_MSHR) (void)ask(c, line, now);
}

void ro_fill(struct ro_cache *c, const struct mem_packet *reply, void (*done)(void *user, uint32_t owner),
             void *user) {
  uint64_t line = reply->line + (c->half && reply->sectors > 3 ? HALF : 0);
  int32_t at = mem_mshr_find(&c->misses, line);
  struct mem_bytes came = mem_bytes_of(reply->sectors);
  if (at == MEM_NO_MSHR) return;
  if (mem_none(mem_minus(c->misses.entries[at].asked, came))) install(c, line);
  mem_mshr_arrive(&c->misses, at, came, done, user);
}

bool ro_holds(struct ro_cache *c, uint64_t line) {
  return mem_tags_find(&c->tags, mem_tags_set(&c->tags, line), line) != MEM_NO_FRAME;
}

enum l1_result ro_access_preloaded(struct ro_cache *c, uint64_t line) {
  if (!lookup(c, line)) install(c, line);
  return hit(c);
}

void ro_flush(struct ro_cache *c) { mem_tags_clear(&c->tags); }
