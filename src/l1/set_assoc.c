/* The base organisation, a set-associative cache of 128-byte lines, and its variants with other line sizes or with
 * sectors. Replacement is one of those in mem_replace.h.
 *
 * The keys describe two kinds of GPU. Fermi: whole lines (l1.granule=128); a way is reserved when the miss is sent
 * (l1.allocate=miss), so a set whose ways are all reserved cannot accept another miss. Volta and later: 32-byte
 * sectors (l1.granule=32); the way is chosen when data arrives (l1.allocate=fill).
 *
 * line32, line64, line256: capacity and ways stay, the number of sets changes, and the SM coalesces to the line size,
 * so a warp instruction makes more or fewer accesses, each with its own MSHR and request. L2 has lines of 128 bytes,
 * and neighbouring lines may be in different slices, so a miss on a line of 256 bytes sends two requests of 128
 * bytes; its two MSHR entries count as one.
 *
 * sector: one tag for a 128-byte line, whose sectors of l1.sector.bytes are fetched when they are first accessed. */
#include "l1/set_assoc.h"

#include "base/arena.h"

#include <stdlib.h>

enum { ON_MISS, ON_FILL };
static const struct policy *const allocations[] = {[ON_MISS] = OPTION("miss", "a line gets its way when the miss is sent"),
                                                  [ON_FILL] = OPTION("fill", "a line gets its way when data arrives"), NULL};
static const struct cfg_key keys[] = {
    {"l1.sets", CFG_INT, "32", 1, 65536, NULL, "sets", "number of sets of the L1D"},
    {"l1.ways", CFG_INT, "4", 1, 1024, NULL, "lines", "lines in a set of the L1D"},
    {"l1.granule", CFG_INT, "128", 8, 128, NULL, "bytes",
     "bytes of a line that the L1D fetches and keeps together: 128 for whole lines, 32 for sectors"},
    {"l1.allocate", CFG_CHOICE, "miss", 0, 0, allocations, "", "when the L1D allocates a line's way: at the miss or at the fill"},
    {"l1.replacement", CFG_CHOICE, "lru", 0, 0, mem_replacements, "", "replacement policy: which line of an L1D set is evicted"},
    {"l1.index", CFG_CHOICE, "hash", 0, 0, l1_indexes, "", "index function of the L1D's sets"},
    {0},
};
static const struct cfg_key sector_keys[] = {
    {"l1.sector.bytes", CFG_INT, "32", 8, 64, NULL, "bytes", "size of a sector in the organisations sector and lamar"},
    {0},
};

/* ---- the array --------------------------------------------------------------------------------------------------------- */

static uint32_t line_bytes(const struct sa_cache *c) { return 1u << c->tags.index.line_shift; }
static uint64_t tag_of(const struct sa_cache *c, uint64_t line) { return line & ~(uint64_t)(line_bytes(c) - 1); }
static uint32_t half_of(const struct sa_cache *c, uint64_t line) { return c->tags.c.parts > 1 ? (uint32_t)(line / MEM_LINE & 1) : 0; }
static size_t mask_at(const struct sa_cache *c, int32_t frame, uint64_t line) {
  return (size_t)frame * c->tags.c.parts + half_of(c, line);
}

int32_t sa_find(const struct sa_cache *c, uint64_t line) {
  return mem_tags_find(&c->tags, mem_tags_set(&c->tags, line), tag_of(c, line));
}

static void notify_lost(const struct sa_cache *c, uint32_t frame) {
  uint64_t line = mem_tags_line(&c->tags, frame);
  for (uint32_t part = 0; part < c->tags.c.parts; part++)
    l1_notify_changed(c->observers, line + part * MEM_LINE, c->tags.valid[(size_t)frame * c->tags.c.parts + part], false);
}

static void evict(struct sa_cache *c, int32_t frame) {
  uint64_t line = mem_tags_line(&c->tags, (uint32_t)frame);
  if (line == MEM_NO_LINE) return;
  notify_lost(c, (uint32_t)frame);
  if (c->evicted) c->evicted(c->user, frame);
  MEM_NOTIFY(c->observers, evicted, c->brought[frame], line);
}

static int32_t allocate(struct sa_cache *c, uint64_t line, struct mem_bytes asked) {
  int32_t frame = mem_tags_victim(&c->tags, mem_tags_set(&c->tags, line));
  if (frame == MEM_NO_FRAME) return frame;
  evict(c, frame);
  mem_tags_place(&c->tags, frame, tag_of(c, line));
  c->brought[frame] = *c->warp;
  if (c->asked) c->asked[frame] = asked;
  return frame;
}

struct mem_bytes sa_probe(void *cache, uint64_t line, struct mem_bytes bytes) {
  struct sa_cache *c = cache;
  int32_t frame = sa_find(c, line);
  c->last_asked = bytes;
  if (frame == MEM_NO_FRAME) return mem_round(bytes, c->granule);
  mem_tags_touch(&c->tags, frame);
  if (c->asked) c->asked[frame] = mem_or(c->asked[frame], bytes);
  return mem_round(mem_minus(bytes, c->tags.valid[mask_at(c, frame, line)]), c->granule);
}

bool sa_reserve(void *cache, uint64_t line, struct mem_bytes missing, uint32_t *cycles) {
  struct sa_cache *c = cache;
  (void)cycles;
  if (!c->on_miss) return true;
  int32_t frame = sa_find(c, line);
  if (frame == MEM_NO_FRAME) frame = allocate(c, line, c->last_asked);
  if (frame == MEM_NO_FRAME) return false;
  mem_tags_reserve(&c->tags, frame, half_of(c, line), missing);
  return true;
}

void sa_fill(void *cache, uint64_t line, struct mem_bytes bytes) {
  struct sa_cache *c = cache;
  int32_t frame = sa_find(c, line);
  if (frame == MEM_NO_FRAME && !c->on_miss) frame = allocate(c, line, bytes);
  if (frame == MEM_NO_FRAME) return; /* written while the miss was outstanding: the data goes to the registers only */
  mem_tags_fill(&c->tags, frame, half_of(c, line), bytes);
  l1_notify_changed(c->observers, line, bytes, true);
}

void sa_wrote(void *cache, uint64_t line, struct mem_bytes bytes, bool keep) {
  struct sa_cache *c = cache;
  int32_t frame = keep ? MEM_NO_FRAME : sa_find(c, line);
  (void)bytes;
  if (frame == MEM_NO_FRAME) return;
  notify_lost(c, (uint32_t)frame);
  mem_tags_invalidate(&c->tags, frame);
}

/* Frames that hold a line, one after the other from *at on; false: there are no more. */
static bool next_line(const struct sa_cache *c, uint32_t *at) {
  uint32_t frames = c->tags.c.sets * c->tags.c.ways;
  while (*at < frames && mem_tags_line(&c->tags, *at) == MEM_NO_LINE) ++*at;
  return *at < frames;
}

static bool is_copied(const struct sa_cache *c) {
  for (uint32_t i = 0; i < c->observers->n; i++)
    if (c->observers->at[i].ops->changed && !c->observers->at[i].ops->emptied) return true;
  return false;
}

void sa_flush(void *cache) {
  struct sa_cache *c = cache;
  bool copied = is_copied(c);
  for (uint32_t frame = 0; copied && next_line(c, &frame); frame++) notify_lost(c, frame);
  mem_tags_clear(&c->tags);
  MEM_NOTIFY(c->observers, emptied);
}

void sa_resize(void *cache, uint64_t bytes) {
  struct sa_cache *c = cache;
  uint64_t way = (uint64_t)c->tags.c.sets * line_bytes(c), ways = (bytes + way / 2) / way;
  if (ways > c->tags.c.ways) ways = c->tags.c.ways;
  if (!ways) ways = 1;
  if (ways == c->tags.usable) return;
  sa_flush(c);
  mem_tags_limit(&c->tags, (uint32_t)ways);
}

uint64_t sa_stored(const void *cache) {
  const struct sa_cache *c = cache;
  uint64_t n = 0;
  for (uint32_t frame = 0; next_line(c, &frame); frame++)
    for (uint32_t part = 0; part < c->tags.c.parts; part++) n += mem_count(c->tags.valid[(size_t)frame * c->tags.c.parts + part]);
  return n;
}

struct mem_bytes sa_held(const void *cache, uint64_t line) {
  const struct sa_cache *c = cache;
  struct mem_bytes all = MEM_NOTHING;
  for (uint64_t at = 0; at < MEM_LINE; at += line_bytes(c)) {
    int32_t frame = sa_find(c, line + at);
    if (frame != MEM_NO_FRAME) all = mem_or(all, c->tags.valid[mask_at(c, frame, line)]);
  }
  return all;
}

struct mem_bytes sa_present(const struct sa_cache *c, uint64_t line) {
  int32_t frame = sa_find(c, line);
  if (frame == MEM_NO_FRAME) return MEM_NOTHING;
  size_t at = mask_at(c, frame, line);
  return mem_or(c->tags.valid[at], c->tags.reserved[at]);
}

void sa_init(struct sa_cache *c, const struct cfg *cfg, const struct l1_place *place, uint32_t bytes, uint32_t granule) {
  struct mem_index index = l1_index_read(cfg, bytes);
  *c = (struct sa_cache){.granule = granule, .warp = place->warp, .observers = place->observers};
  c->on_miss = sa_allocates_on_miss(cfg);
  mem_tags_init(&c->tags, &(struct mem_tags_config){.sets = index.sets,
                                                    .ways = (uint32_t)cfg_int(cfg, "l1.ways"),
                                                    .replacement = cfg_policy(cfg, "l1.replacement"),
                                                    .index = index.function,
                                                    .line_bytes = bytes,
                                                    .parts = bytes > MEM_LINE ? bytes / MEM_LINE : 1,
                                                    .seed = place->seed});
  c->brought = must_alloc((size_t)index.sets * c->tags.c.ways * sizeof *c->brought);
}

void sa_note_asked(struct sa_cache *c) { c->asked = must_alloc((size_t)c->tags.c.sets * c->tags.c.ways * sizeof *c->asked); }

void sa_free(struct sa_cache *c) {
  mem_tags_free(&c->tags);
  free(c->brought);
  free(c->asked);
}

bool sa_allocates_on_miss(const struct cfg *cfg) { return cfg_option(cfg, "l1.allocate") == ON_MISS; }

/* ---- organisations ------------------------------------------------------------------------------------------------------ */

static void *new_cache(const struct cfg *cfg, const struct l1_place *place, uint32_t bytes, uint32_t granule) {
  struct sa_cache *c = must_alloc(sizeof *c);
  sa_init(c, cfg, place, bytes, granule);
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
  uint32_t line = line_bytes(c);
  uint64_t lines = (uint64_t)c->tags.c.sets * c->tags.c.ways, per_line = l1_line_bits(&c->tags.index, c->tags.c.ways);
  uint64_t bits = lines * per_line, base = lines * line / MEM_LINE * per_line;
  out->line_bytes = line;
  out->reports_victims = true;
  out->refuses_quietly = c->on_miss && line <= MEM_LINE; /* only misses, which are refused, move lines */
  out->fetch_bytes = c->granule;
  out->storage_bits = (bits > base ? bits - base : 0) + (line == MEM_LINE && c->granule < line ? lines * (line / c->granule) : 0);
}

static bool companion(const void *org, uint64_t line, uint64_t *other) {
  *other = line ^ MEM_LINE;
  return mem_none(sa_present(org, *other));
}

extern const struct l1_org l1_critical_data;

#define SET_ASSOC                                                                                                      \
  .destroy = destroy, .traits = traits, .probe = sa_probe, .reserve = sa_reserve, .fill = sa_fill, .wrote = sa_wrote,  \
  .flush = sa_flush, .resize = sa_resize, .stored = sa_stored, .held = sa_held

const struct l1_org l1_set_assoc = {
    .policy = {.name = "base", .meaning = "set-associative, whole lines or sectors", .keys = keys,
               .storage = l1_org_storage},
    .filtered = &l1_critical_data, .create = create_base, SET_ASSOC};

const struct l1_org l1_line32 = {
    .policy = {.name = "line32", .meaning = "lines of 32 bytes", .storage = l1_org_storage},
    .create = create_line32, SET_ASSOC};
const struct l1_org l1_line64 = {
    .policy = {.name = "line64", .meaning = "lines of 64 bytes", .storage = l1_org_storage},
    .create = create_line64, SET_ASSOC};
const struct l1_org l1_line256 = {
    .policy = {.name = "line256", .meaning = "lines of 256 bytes", .storage = l1_org_storage},
    .create = create_line256, .companion = companion, SET_ASSOC};
const struct l1_org l1_sector = {
    .policy = {.name = "sector", .meaning = "one tag for a line of 128 bytes, sectors fetched on demand",
               .keys = sector_keys, .storage = l1_org_storage},
    .create = create_sector, SET_ASSOC};
