/* LAMAR (Rhu, Sullivan, Leng, Erez: A locality-aware memory hierarchy for energy-efficient GPU architectures, MICRO
 * 2013): a sector cache with a bi-modal predictor, which says whether a miss fetches only the sectors asked for
 * (fine) or the whole line (coarse).
 *
 * The predictor has a default and two Bloom filters of lines that behave otherwise. A line that is replaced is put
 * into both filters if the default was wrong for it: under fine, two or more of its sectors had been asked for; under
 * coarse, fewer than two. One of the filters is the one that is looked up. After every 512 replaced lines it is
 * cleared and the two change roles, so the filter that is looked up holds the history of 512 to 1,023 lines. If by
 * then 70 % or more of the lines replaced since the last flip were put in, the default flips and everything is
 * forgotten.
 *
 * Different from the original: only the L1D's side is modelled. DRAM is not sub-ranked, so what L2 fetches is decided
 * there (l2.sectored), and each SM has filters of its own. The default starts as coarse. A way is reserved when the
 * miss is sent. */
#include "l1/set_assoc.h"

#include <stdlib.h>
#include <string.h>

enum { FILTER_BITS = 2048, HASHES = 6, WINDOW = 512, FLIP_PERCENT = 70, USED = 2 };

enum { COARSE, SWITCHES };
static const struct stat_def stats[] = {[COARSE] = L1_STAT_COARSE, [SWITCHES] = L1_STAT_SWITCHES, {0}};

struct lamar {
  struct sa_cache cache;
  uint64_t filter[2][FILTER_BITS / 64];
  unsigned current;
  bool coarse_default;
  uint32_t victims, insertions; /* since the last flip */
  uint64_t *stats;
};

static uint32_t hash(uint64_t line, unsigned i) {
  struct rng r = {line / MEM_LINE * HASHES + i};
  return (uint32_t)(rng_next(&r) % FILTER_BITS);
}

static bool in_filter(const struct lamar *l, uint64_t line) {
  for (unsigned i = 0; i < HASHES; i++) {
    uint32_t h = hash(line, i);
    if (!(l->filter[l->current][h / 64] >> h % 64 & 1)) return false;
  }
  return true;
}

static void insert(struct lamar *l, uint64_t line) {
  for (unsigned i = 0; i < HASHES; i++) {
    uint32_t h = hash(line, i);
    l->filter[0][h / 64] |= UINT64_C(1) << h % 64;
    l->filter[1][h / 64] |= UINT64_C(1) << h % 64;
  }
  l->insertions++;
}

static void end_window(struct lamar *l) {
  memset(l->filter[l->current], 0, sizeof l->filter[0]);
  l->current ^= 1;
  if (l->insertions * 100 < l->victims * FLIP_PERCENT) return;
  l->coarse_default = !l->coarse_default;
  l->victims = l->insertions = 0;
  memset(l->filter, 0, sizeof l->filter);
  l->stats[SWITCHES]++;
}

static void evicted(void *user, int32_t frame) {
  struct lamar *l = user;
  struct mem_bytes asked = mem_round(l->cache.asked[frame], l->cache.granule);
  unsigned used = mem_count(asked) / l->cache.granule;
  l->victims++;
  if ((used >= USED) != l->coarse_default) insert(l, mem_tags_line(&l->cache.tags, (uint32_t)frame));
  if (l->victims % WINDOW == 0) end_window(l);
}

static struct mem_bytes probe(void *org, uint64_t line, struct mem_bytes bytes) {
  struct lamar *l = org;
  struct mem_bytes missing = sa_probe(&l->cache, line, bytes);
  if (mem_none(missing) || in_filter(l, line) == l->coarse_default) return missing;
  l->stats[COARSE]++;
  return mem_or(missing, mem_minus(MEM_EVERYTHING, sa_present(&l->cache, line)));
}

/* The published figure counts a valid bit a sector, and not the filters. */
static void traits(const void *org, struct l1_traits *out) {
  const struct sa_cache *c = &((const struct lamar *)org)->cache;
  out->line_bytes = MEM_LINE;
  out->reports_victims = true;
  out->fetch_bytes = c->granule;
  out->storage_bits = (uint64_t)c->tags.c.sets * c->tags.c.ways * (MEM_LINE / c->granule);
}

static void *create(const struct cfg *cfg, const struct l1_place *place, struct err *e) {
  uint32_t granule = (uint32_t)cfg_int(cfg, "l1.sector.bytes");
  if (MEM_LINE % granule) {
    cfg_complain(cfg, "l1.sector.bytes", e, "it must divide the line of 128 bytes");
    return NULL;
  }
  struct lamar *l = must_alloc(sizeof *l);
  sa_init(&l->cache, cfg, place, MEM_LINE, granule);
  sa_note_asked(&l->cache);
  l->cache.on_miss = true;
  l->cache.evicted = evicted;
  l->cache.user = l;
  l->coarse_default = true;
  l->stats = place->stats;
  return l;
}

static void destroy(void *org) {
  sa_free(org);
  free(org);
}

/* The array comes first, so its functions take the organisation's state. */
const struct l1_org l1_lamar = {
    .policy = {.name = "lamar", .meaning = "sector cache with a predictor of whole lines or sectors",
               .paper = "Rhu, Sullivan, Leng, Erez: A locality-aware memory hierarchy for energy-efficient GPU architectures, MICRO 2013",
               .stats = stats, .storage = l1_org_storage},
    .create = create, .destroy = destroy, .traits = traits, .probe = probe, .reserve = sa_reserve, .fill = sa_fill,
    .wrote = sa_wrote, .flush = sa_flush, .stored = sa_stored, .held = sa_held};
