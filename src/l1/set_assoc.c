/* The base organisation: a set-associative cache of 128-byte lines, LRU.
 *
 * Two flavours by configuration. Fermi: whole lines (l1.granule 128), a way is reserved when the miss is sent
 * (l1.allocate miss), so a set whose ways are all reserved cannot accept another miss. Volta and later: 32-byte
 * sectors (l1.granule 32), the way is chosen when data arrives (l1.allocate fill).
 *
 * The set index is a field of the line address, or Fermi's hash: address bits 7 to 11 each XORed with one of bits 13,
 * 14, 15, 17, 19 (Nugteren et al., HPCA 2014); with 64 sets bit 12 is the sixth index bit. Other set counts fold the
 * address by XOR. */
#include "l1/l1.h"

#include <stdlib.h>
#include <string.h>

static const struct cfg_key keys[] = {
    {"l1.sets", CFG_INT, "32", 1, 65536, NULL, "sets", "of the L1D"},
    {"l1.ways", CFG_INT, "4", 1, 1024, NULL, "lines", "a set of the L1D holds"},
    {"l1.granule", CFG_INT, "128", 8, 128, NULL, "bytes", "fetched and kept together: 128 whole lines, 32 sectors"},
    {"l1.allocate", CFG_CHOICE, "miss", 0, 0, "miss fill", "", "when a line's way is chosen: when the miss is sent, or when data arrives"},
    {"l1.index", CFG_CHOICE, "hash", 0, 0, "plain hash", "", "set index: address field, or hashed"},
    {0},
};

struct way {
  uint64_t line;
  struct mem_bytes valid, reserved; /* present; asked for and not yet there */
  uint64_t used;                    /* LRU stamp */
  bool live;
};

struct cache {
  uint32_t sets, ways, granule;
  bool on_miss, hashed;
  uint64_t clock;
  struct way *way;
};

static uint32_t fermi_hash(uint64_t line, uint32_t sets) {
  static const unsigned high[] = {13, 14, 15, 17, 19};
  uint32_t index = 0;
  for (unsigned i = 0; i < 5; i++) index |= (uint32_t)((line >> (7 + i) ^ line >> high[i]) & 1) << i;
  return sets == 64 ? index | (uint32_t)(line >> 12 & 1) << 5 : index;
}

static uint32_t fold_hash(uint64_t line, uint32_t sets) {
  uint64_t x = line >> 7;
  x ^= x >> 5 ^ x >> 11 ^ x >> 17;
  return (uint32_t)(x % sets);
}

static uint32_t set_of(const struct cache *c, uint64_t line) {
  if (!c->hashed) return (uint32_t)(line / MEM_LINE % c->sets);
  return c->sets == 32 || c->sets == 64 ? fermi_hash(line, c->sets) : fold_hash(line, c->sets);
}

static struct way *find(const struct cache *c, uint64_t line) {
  struct way *set = &c->way[(size_t)set_of(c, line) * c->ways];
  for (uint32_t i = 0; i < c->ways; i++)
    if (set[i].live && set[i].line == line) return &set[i];
  return NULL;
}

/* An unused way, else the least recently used one that nothing is outstanding for, else NULL. */
static struct way *victim(const struct cache *c, uint64_t line) {
  struct way *set = &c->way[(size_t)set_of(c, line) * c->ways], *best = NULL;
  for (uint32_t i = 0; i < c->ways; i++) {
    if (!set[i].live) return &set[i];
    if (!l1_none(set[i].reserved)) continue;
    if (!best || set[i].used < best->used) best = &set[i];
  }
  return best;
}

static struct way *allocate(struct cache *c, uint64_t line) {
  struct way *w = victim(c, line);
  if (w) *w = (struct way){.line = line, .live = true, .used = ++c->clock};
  return w;
}

static struct mem_bytes probe(void *org, uint64_t line, struct mem_bytes bytes) {
  struct cache *c = org;
  struct way *w = find(c, line);
  if (!w) return l1_round(bytes, c->granule);
  w->used = ++c->clock;
  return l1_round(l1_minus(bytes, w->valid), c->granule);
}

static bool reserve(void *org, uint64_t line, struct mem_bytes missing) {
  struct cache *c = org;
  if (!c->on_miss) return true;
  struct way *w = find(c, line);
  if (!w) w = allocate(c, line);
  if (w) w->reserved = l1_or(w->reserved, missing);
  return w != NULL;
}

static void fill(void *org, uint64_t line, struct mem_bytes bytes) {
  struct cache *c = org;
  struct way *w = find(c, line);
  if (!w && !c->on_miss) w = allocate(c, line);
  if (!w) return; /* written while the miss was outstanding: the data goes to the registers only */
  w->valid = l1_or(w->valid, bytes);
  w->reserved = l1_minus(w->reserved, bytes);
}

static void wrote(void *org, uint64_t line, struct mem_bytes bytes, bool keep) {
  struct way *w = find(org, line);
  (void)bytes;
  if (!w || keep) return;
  if (l1_none(w->reserved)) w->live = false;
  else w->valid = (struct mem_bytes){{0, 0}};
}

static void flush(void *org) {
  struct cache *c = org;
  for (size_t i = 0; i < (size_t)c->sets * c->ways; i++) {
    if (l1_none(c->way[i].reserved)) c->way[i].live = false;
    else c->way[i].valid = (struct mem_bytes){{0, 0}};
  }
}

static void *create(const struct cfg *cfg, uint64_t seed, struct err *e) {
  (void)seed;
  struct cache *c = must_alloc(sizeof *c);
  c->sets = (uint32_t)cfg_int(cfg, "l1.sets");
  c->ways = (uint32_t)cfg_int(cfg, "l1.ways");
  c->granule = (uint32_t)cfg_int(cfg, "l1.granule");
  c->on_miss = !strcmp(cfg_text(cfg, "l1.allocate"), "miss");
  c->hashed = !strcmp(cfg_text(cfg, "l1.index"), "hash");
  if (MEM_LINE % c->granule) {
    cfg_complain(cfg, "l1.granule", e, "it must divide the line of 128 bytes");
    free(c);
    return NULL;
  }
  c->way = must_alloc((size_t)c->sets * c->ways * sizeof *c->way);
  return c;
}

static void destroy(void *org) {
  struct cache *c = org;
  free(c->way);
  free(c);
}

const struct l1_org l1_set_assoc = {
    .name = "base", .meaning = "set-associative, LRU, whole lines or sectors", .keys = keys,
    .create = create, .destroy = destroy, .probe = probe, .reserve = reserve, .fill = fill, .wrote = wrote,
    .flush = flush,
};
