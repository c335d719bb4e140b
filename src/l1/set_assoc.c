/* The base organisation: a set-associative cache of 128-byte lines; and the same with other line sizes or with sectors.
 * Given up is the least recently used line, one that was not used recently (NRU: a bit a line, set by a use; when all are
 * set the others are cleared; the first line without it goes), or any.
 *
 * Two flavours by configuration. Fermi: whole lines (l1.granule 128), a way is reserved when the miss is sent
 * (l1.allocate miss), so a set whose ways are all reserved cannot accept another miss. Volta and later: 32-byte
 * sectors (l1.granule 32), the way is chosen when data arrives (l1.allocate fill).
 *
 * line32, line64, line256: capacity and ways stay, the number of sets changes, and the SM coalesces to the line size,
 * so a warp instruction makes more or fewer accesses, each with its own MSHR and request. L2 has lines of 128 bytes and
 * neighbours may live in different slices, so a miss on a line of 256 bytes is two requests of 128; its two MSHR entries
 * count as one. sector: one tag a 128-byte line, sectors of l1.sector.bytes fetched when they are first wanted. */
#include "l1/set_assoc.h"

#include "mem/mem_tags.h"

#include <stdlib.h>
#include <string.h>

static const struct cfg_key keys[] = {
    {"l1.sets", CFG_INT, "32", 1, 65536, NULL, "sets", "of the L1D"},
    {"l1.ways", CFG_INT, "4", 1, 1024, NULL, "lines", "a set of the L1D holds"},
    {"l1.granule", CFG_INT, "128", 8, 128, NULL, "bytes", "fetched and kept together: 128 whole lines, 32 sectors"},
    {"l1.allocate", CFG_CHOICE, "miss", 0, 0, "miss fill", "", "when a line's way is chosen: when the miss is sent, or when data arrives"},
    {"l1.replacement", CFG_CHOICE, "lru", 0, 0, SA_REPLACEMENTS, "", "which line of a set is given up"},
    {"l1.index", CFG_CHOICE, "hash", 0, 0, "plain hash", "", "set index: address field, or hashed"},
    {0},
};
static const struct cfg_key sector_keys[] = {
    {"l1.sector.bytes", CFG_INT, "32", 8, 64, NULL, "bytes", "of a sector, with l1.org sector and lamar"},
    {0},
};

static const struct mem_bytes NOTHING = {{0, 0}};

/* ---- the array --------------------------------------------------------------------------------------------------------- */

static uint64_t tag_of(const struct sa_cache *c, uint64_t line) { return line & ~(uint64_t)(c->index.line_bytes - 1); }
static unsigned half_of(const struct sa_cache *c, uint64_t line) {
  return c->index.line_bytes > MEM_LINE ? (unsigned)(line / MEM_LINE & 1) : 0;
}
static struct sa_way *set_at(const struct sa_cache *c, uint64_t line) {
  return &c->way[(size_t)l1_set_of(&c->index, line) * c->ways];
}
static bool pending(const struct sa_way *w) { return !l1_none(l1_or(w->reserved[0], w->reserved[1])); }

struct sa_way *sa_find(const struct sa_cache *c, uint64_t line) {
  struct sa_way *set = set_at(c, line);
  uint64_t tag = tag_of(c, line);
  for (uint32_t i = 0; i < c->ways; i++)
    if (set[i].live && set[i].line == tag) return &set[i];
  return NULL;
}

/* An unused way, else the one to give up among those that nothing is outstanding for, else NULL. */
static struct sa_way *victim(struct sa_cache *c, uint64_t line) {
  struct sa_way *set = set_at(c, line), *best = NULL;
  uint32_t candidates = 0;
  for (uint32_t i = 0; i < c->ways; i++) {
    if (!set[i].live) return &set[i];
    if (pending(&set[i])) continue;
    bool take = c->replacement == SA_RANDOM ? !rng_below(&c->rng, ++candidates) : !best || set[i].used < best->used;
    if (take) best = &set[i];
  }
  return best;
}

/* Under NRU `used` is the bit: all but this one are cleared when every way has it. */
static void mark_used(struct sa_cache *c, struct sa_way *w, uint64_t line) {
  w->used = c->replacement == SA_NRU ? 1 : ++c->clock;
  if (c->replacement != SA_NRU) return;
  struct sa_way *set = set_at(c, line);
  for (uint32_t i = 0; i < c->ways; i++)
    if (!set[i].live || !set[i].used) return;
  for (uint32_t i = 0; i < c->ways; i++) set[i].used = &set[i] == w;
}

static void notify_lost(const struct sa_cache *c, const struct sa_way *w) {
  if (!w->live) return;
  l1_notify_changed(c->observers, w->line, w->valid[0], false);
  l1_notify_changed(c->observers, w->line + MEM_LINE, w->valid[1], false);
}

static struct sa_way *allocate(struct sa_cache *c, uint64_t line, struct mem_bytes asked) {
  struct sa_way *w = victim(c, line);
  if (!w) return NULL;
  notify_lost(c, w);
  if (w->live && c->evicted) c->evicted(c->user, w->line, w->asked);
  if (w->live) MEM_NOTIFY(c->observers, evicted, w->warp, w->line);
  *w = (struct sa_way){.line = tag_of(c, line), .live = true, .asked = asked, .warp = *c->warp};
  mark_used(c, w, line);
  return w;
}

struct mem_bytes sa_probe(void *cache, uint64_t line, struct mem_bytes bytes) {
  struct sa_cache *c = cache;
  struct sa_way *w = sa_find(c, line);
  c->last_asked = bytes;
  if (!w) return l1_round(bytes, c->granule);
  mark_used(c, w, line);
  w->asked = l1_or(w->asked, bytes);
  return l1_round(l1_minus(bytes, w->valid[half_of(c, line)]), c->granule);
}

bool sa_reserve(void *cache, uint64_t line, struct mem_bytes missing, uint32_t *cycles) {
  struct sa_cache *c = cache;
  (void)cycles;
  if (!c->on_miss) return true;
  struct sa_way *w = sa_find(c, line);
  if (!w) w = allocate(c, line, c->last_asked);
  if (!w) return false;
  struct mem_bytes *reserved = &w->reserved[half_of(c, line)];
  *reserved = l1_or(*reserved, missing);
  return true;
}

void sa_fill(void *cache, uint64_t line, struct mem_bytes bytes) {
  struct sa_cache *c = cache;
  struct sa_way *w = sa_find(c, line);
  unsigned half = half_of(c, line);
  if (!w && !c->on_miss) w = allocate(c, line, bytes);
  if (!w) return; /* written while the miss was outstanding: the data goes to the registers only */
  w->valid[half] = l1_or(w->valid[half], bytes);
  w->reserved[half] = l1_minus(w->reserved[half], bytes);
  l1_notify_changed(c->observers, line, bytes, true);
}

static void drop(const struct sa_cache *c, struct sa_way *w) {
  notify_lost(c, w);
  if (!pending(w)) w->live = false;
  else w->valid[0] = w->valid[1] = NOTHING;
}

void sa_wrote(void *cache, uint64_t line, struct mem_bytes bytes, bool keep) {
  struct sa_way *w = sa_find(cache, line);
  (void)bytes;
  if (w && !keep) drop(cache, w);
}

void sa_flush(void *cache) {
  struct sa_cache *c = cache;
  for (size_t i = 0; i < (size_t)c->index.sets * c->ways; i++) drop(c, &c->way[i]);
}

uint64_t sa_stored(const void *cache) {
  const struct sa_cache *c = cache;
  uint64_t n = 0;
  for (size_t i = 0; i < (size_t)c->index.sets * c->ways; i++)
    for (unsigned k = 0; k < 4 && c->way[i].live; k++) n += (unsigned)__builtin_popcountll(c->way[i].valid[k / 2].b[k % 2]);
  return n;
}

struct mem_bytes sa_held(const void *cache, uint64_t line) {
  const struct sa_cache *c = cache;
  struct mem_bytes all = NOTHING;
  for (uint64_t at = 0; at < MEM_LINE; at += c->index.line_bytes) {
    const struct sa_way *w = sa_find(c, line + at);
    if (w) all = l1_or(all, w->valid[half_of(c, line)]);
  }
  return all;
}

struct mem_bytes sa_present(const struct sa_cache *c, uint64_t line) {
  const struct sa_way *w = sa_find(c, line);
  unsigned half = half_of(c, line);
  return w ? l1_or(w->valid[half], w->reserved[half]) : NOTHING;
}

void sa_init(struct sa_cache *c, const struct cfg *cfg, const struct l1_place *place, uint32_t line_bytes, uint32_t granule) {
  *c = (struct sa_cache){
      .index = l1_index_read(cfg, line_bytes), .granule = granule, .rng = {place->seed}, .warp = place->warp,
      .observers = place->observers};
  c->ways = (uint32_t)cfg_int(cfg, "l1.ways");
  c->on_miss = !strcmp(cfg_text(cfg, "l1.allocate"), "miss");
  c->replacement = (enum sa_replacement)mem_choice(SA_REPLACEMENTS, cfg_text(cfg, "l1.replacement"));
  c->way = must_alloc((size_t)c->index.sets * c->ways * sizeof *c->way);
}

void sa_free(struct sa_cache *c) { free(c->way); }

/* ---- organisations ------------------------------------------------------------------------------------------------------ */

static void *new_cache(const struct cfg *cfg, const struct l1_place *place, uint32_t line_bytes, uint32_t granule) {
  struct sa_cache *c = must_alloc(sizeof *c);
  sa_init(c, cfg, place, line_bytes, granule);
  return c;
}

static void *create_base(const struct cfg *cfg, const struct l1_place *place, struct err *e) {
  uint32_t granule = (uint32_t)cfg_int(cfg, "l1.granule");
  if (MEM_LINE % granule == 0) return new_cache(cfg, place, MEM_LINE, granule);
  cfg_complain(cfg, "l1.granule", e, "it must divide the line of 128 bytes");
  return NULL;
}

static void *create_line32(const struct cfg *cfg, const struct l1_place *place, struct err *e) {
  (void)e;
  return new_cache(cfg, place, 32, 32);
}
static void *create_line64(const struct cfg *cfg, const struct l1_place *place, struct err *e) {
  (void)e;
  return new_cache(cfg, place, 64, 64);
}
static void *create_line256(const struct cfg *cfg, const struct l1_place *place, struct err *e) {
  (void)e;
  return new_cache(cfg, place, 256, MEM_LINE);
}
static void *create_sector(const struct cfg *cfg, const struct l1_place *place, struct err *e) {
  uint32_t bytes = (uint32_t)cfg_int(cfg, "l1.sector.bytes");
  if (MEM_LINE % bytes == 0) return new_cache(cfg, place, MEM_LINE, bytes);
  cfg_complain(cfg, "l1.sector.bytes", e, "it must divide the line of 128 bytes");
  return NULL;
}

static void destroy(void *org) {
  sa_free(org);
  free(org);
}

/* Tag, valid bit and LRU position of each line, beyond those of the base; a valid bit each granule. */
static void traits(const void *org, struct l1_traits *out) {
  const struct sa_cache *c = org;
  uint32_t line = c->index.line_bytes;
  uint64_t lines = (uint64_t)c->index.sets * c->ways, per_line = l1_line_bits(&c->index, c->ways);
  uint64_t bits = lines * per_line, base = lines * line / MEM_LINE * per_line;
  out->line_bytes = line;
  out->tells_victims = true;
  out->fetch_bytes = c->granule;
  out->storage_bits = (bits > base ? bits - base : 0) + (line == MEM_LINE && c->granule < line ? lines * (line / c->granule) : 0);
}

static bool companion(const void *org, uint64_t line, uint64_t *other) {
  *other = line ^ MEM_LINE;
  return l1_none(sa_present(org, *other));
}

extern const struct l1_org l1_tracker;

#define SET_ASSOC                                                                                                      \
  .destroy = destroy, .traits = traits, .probe = sa_probe, .reserve = sa_reserve, .fill = sa_fill, .wrote = sa_wrote,  \
  .flush = sa_flush, .stored = sa_stored, .held = sa_held

const struct l1_org l1_set_assoc = {
    .name = "base", .meaning = "set-associative, whole lines or sectors", .keys = keys, .tracked = &l1_tracker,
    .create = create_base, SET_ASSOC};

const struct l1_org l1_line32 = {.name = "line32", .meaning = "lines of 32 bytes", .create = create_line32, SET_ASSOC};
const struct l1_org l1_line64 = {.name = "line64", .meaning = "lines of 64 bytes", .create = create_line64, SET_ASSOC};
const struct l1_org l1_line256 = {
    .name = "line256", .meaning = "lines of 256 bytes", .create = create_line256, .companion = companion, SET_ASSOC};
const struct l1_org l1_sector = {.name = "sector", .meaning = "one tag a 128-byte line, sectors fetched when wanted",
                                 .keys = sector_keys, .create = create_sector, SET_ASSOC};
