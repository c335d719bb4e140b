/* The critical data tracker (Byoun: Data traffic reduction by exploiting data criticality with a compressor in GPU, Texas
 * A&M 2018, chapters 3 and 4): lines of the set-associative cache of which only the sub-blocks of 32 bytes that loads ask
 * for are fetched. It takes the place of l1.org=base when reply.filter is on.
 *
 * A tag and an MSHR each have a bitmap of sub-blocks. A load is a hit if its sub-blocks are a subset of the tag's. Else it
 * is one of three misses: a first miss (no tag); a subsequent miss (the line is on its way, without all that is wanted:
 * another request is sent); hit but invalid (the line is here without all that is wanted). A reply clears its bits in the
 * MSHR; data becomes valid when all are clear. The data of a request for a part takes the place of what the line held: it
 * is not added (figure 4.1). What a request asks for, a part or the whole line, is the request controller's decision
 * (windows.h), which looks at the tag's and the MSHR's consistency bit and bitmap when a reply has come or a line is
 * evicted. Since every MSHR has one reserved tag, both are kept with the tag here.
 *
 * Where the thesis is silent or its figures are not legible:
 * - A subsequent miss or one that is hit but invalid asks for all its own sub-blocks, also those it would find.
 * - While the answer to a hit-but-invalid miss is awaited, the line's old data can still be read; a load that neither the
 *   old data nor the answer can serve waits ("subsequent requests on HI ... not taken into account").
 * - A load that is waiting is told when its own sub-blocks have come; one that comes after them waits for validity.
 * - The size of a line, which selects a window, is that of all sub-blocks asked for since its first miss, as in section 2.2.
 * - Windows are told at the last reply of an MSHR, and of evictions by another line, not by a store or a kernel's end.
 * - Loads of local memory ask for whole lines and are not told to the windows: the mechanism is for global reads. */
#include "l1/set_assoc.h"
#include "l1/windows.h"

#include <stdlib.h>
#include <string.h>

static const struct cfg_key keys[] = {
    {"reply.filter", CFG_CHOICE, "none", 0, 0, "none df-man df-truc", "",
     "L1D misses fetch only the sub-blocks asked for; the reply is the line with zeros elsewhere, or these only"},
    {"reply.learn", CFG_CHOICE, "demanded", 0, 0, "demanded asked", "",
     "what the windows of reply.predict learn of a line: which part was demanded from L2, or which part loads asked for"},
    {0},
};

static const struct mem_bytes NOTHING = {{0, 0}}, EVERYTHING = {{~UINT64_C(0), ~UINT64_C(0)}};
enum { WHOLE = (1 << MEM_SECTORS) - 1 };

struct track { /* what a tag and its MSHR have besides sa_way */
  struct mem_bytes arrived; /* here and not yet valid */
  uint8_t demanded;         /* sub-blocks, by the requests that are out */
  uint8_t size;             /* sub-blocks asked for since the first miss */
  bool inconsistent;        /* later requests asked for other sub-blocks than the first */
  bool hit_invalid;         /* what is out is the request of a hit-but-invalid miss */
  bool global;
};

struct tracker {
  struct sa_cache cache; /* first: its functions take the organisation's state */
  struct track *track;   /* by way */
  struct l1_windows windows;
  bool learns_asked;
  uint32_t mshrs;
  enum l1_demand decision; /* the last, for the reservation that follows */
  bool global;
  uint64_t *stats;
};

static unsigned count(uint8_t sub_blocks) { return (unsigned)__builtin_popcount(sub_blocks); }
static bool within(struct mem_bytes part, struct mem_bytes all) { return l1_none(l1_minus(part, all)); }
static bool pending(const struct sa_way *w) { return !l1_none(w->reserved[0]); }
static struct track *track_of(const struct tracker *t, const struct sa_way *w) { return &t->track[w - t->cache.way]; }

/* ---- windows ------------------------------------------------------------------------------------------------------------ */

static void tell(struct tracker *t, const struct track *k, uint8_t bitmap) {
  if (!k->global) return;
  l1_windows_line(&t->windows, count(k->size), k->inconsistent);
  l1_windows_request(&t->windows, (t->learns_asked ? k->size : bitmap) == WHOLE);
}

static void evicted(void *user, uint64_t line, struct mem_bytes asked) {
  struct tracker *t = user;
  const struct sa_way *w = sa_find(&t->cache, line);
  const struct track *k = track_of(t, w);
  (void)asked;
  tell(t, k, mem_sectors_of(w->valid[0]));
  if (k->global) t->stats[(k->inconsistent ? L1_S_EVICTED_ICA : L1_S_EVICTED_CA)]++;
}

/* A load of a line that is here or on its way. */
static void learn(const struct tracker *t, struct track *k, uint8_t sub_blocks) {
  if (!t->learns_asked) return;
  k->inconsistent |= (sub_blocks & ~k->size) != 0;
  k->size |= sub_blocks;
}

/* ---- the organisation ----------------------------------------------------------------------------------------------------- */

static struct mem_bytes probe(void *org, uint64_t line, struct mem_bytes bytes) {
  struct tracker *t = org;
  struct sa_way *w = sa_find(&t->cache, line);
  t->cache.last_asked = bytes;
  if (!w) return l1_round(bytes, MEM_SECTOR);
  w->used = ++t->cache.clock;
  w->asked = l1_or(w->asked, bytes);
  struct track *k = track_of(t, w);
  learn(t, k, mem_sectors_of(bytes));
  if (within(bytes, w->valid[0])) return NOTHING;
  if (!pending(w)) return l1_round(bytes, MEM_SECTOR);
  struct mem_bytes rest = l1_round(l1_minus(bytes, k->arrived), MEM_SECTOR);
  return l1_none(rest) ? w->reserved[0] : rest;
}

static bool demand(void *org, const struct l1_request *r, struct mem_bytes *ask) {
  struct tracker *t = org;
  const struct sa_way *w = sa_find(&t->cache, r->line);
  bool out = w && pending(w);
  if (out && track_of(t, w)->hit_invalid) return false;
  uint8_t size = (uint8_t)(mem_sectors_of(r->bytes) | (w ? track_of(t, w)->size : 0));
  t->global = r->class_ == MEM_GLOBAL;
  t->decision = l1_windows_decide(&t->windows, out, count(size));
  bool part = t->global && t->decision == L1_DEMAND_PART;
  *ask = part ? l1_round(r->bytes, MEM_SECTOR) : EVERYTHING;
  return true;
}

static void count_miss(struct tracker *t, enum l1_stat kind) {
  t->stats[kind]++;
  if (t->global) t->stats[L1_S_DEMAND_PART + (int)t->decision]++;
}

static bool reserve(void *org, uint64_t line, struct mem_bytes ask, uint32_t *cycles) {
  struct tracker *t = org;
  const struct sa_way *before = sa_find(&t->cache, line);
  bool out = before && pending(before);
  if (!sa_reserve(&t->cache, line, ask, cycles)) return false;
  struct track *k = track_of(t, sa_find(&t->cache, line));
  if (!before) *k = (struct track){.global = t->global};
  else k->inconsistent = true;
  if (before && !out) k->hit_invalid = true;
  k->demanded |= mem_sectors_of(ask);
  k->size |= mem_sectors_of(t->learns_asked ? t->cache.last_asked : ask);
  count_miss(t, !before ? L1_S_FIRST_MISSES : out ? L1_S_SUBSEQUENT_MISSES : L1_S_HIT_INVALID);
  return true;
}

static void fill(void *org, uint64_t line, struct mem_bytes bytes) {
  struct tracker *t = org;
  struct sa_way *w = sa_find(&t->cache, line);
  if (!w || !pending(w)) return; /* its data came with an earlier reply */
  struct track *k = track_of(t, w);
  k->arrived = l1_or(k->arrived, bytes);
  w->reserved[0] = l1_minus(w->reserved[0], bytes);
  if (pending(w)) return;
  l1_notify_changed(t->cache.observers, line, w->valid[0], false);
  l1_notify_changed(t->cache.observers, line, k->arrived, true);
  w->valid[0] = k->arrived;
  k->arrived = NOTHING;
  tell(t, k, k->demanded);
  if (k->global) t->stats[(k->inconsistent ? L1_S_FILLED_ICA : L1_S_FILLED_CA)]++;
  k->demanded = 0;
  k->hit_invalid = false;
}

static void wrote(void *org, uint64_t line, struct mem_bytes bytes, bool keep) {
  struct tracker *t = org;
  sa_wrote(&t->cache, line, bytes, keep);
  const struct sa_way *w = sa_find(&t->cache, line);
  if (w && !keep) track_of(t, w)->arrived = NOTHING;
}

/* A valid bitmap, a bitmap of the size and a consistency bit a tag (one valid bit is the base's), a bitmap and a
 * consistency bit an MSHR, and the windows. */
static void traits(const void *org, struct l1_traits *out) {
  const struct tracker *t = org;
  out->line_bytes = MEM_LINE;
  out->fetch_bytes = MEM_SECTOR;
  out->tells_victims = true;
  out->storage_bits = (uint64_t)t->cache.index.sets * t->cache.ways * (2 * MEM_SECTORS) +
                      (uint64_t)t->mshrs * (MEM_SECTORS + 1) + (L1_ICA_WINDOWS + 1) * t->windows.size;
}

static void *create(const struct cfg *cfg, const struct l1_place *place, struct err *e) {
  if (cfg_int(cfg, "l1.granule") != MEM_LINE) {
    cfg_complain(cfg, "reply.filter", e, "it needs l1.granule=128: with sectors, only those asked for are fetched anyway");
    return NULL;
  }
  if (strcmp(cfg_text(cfg, "l1.allocate"), "miss")) {
    cfg_complain(cfg, "reply.filter", e, "it needs l1.allocate=miss: replies add up in the line that the miss reserved");
    return NULL;
  }
  struct tracker *t = must_alloc(sizeof *t);
  sa_init(&t->cache, cfg, place, MEM_LINE, MEM_LINE);
  t->cache.evicted = evicted;
  t->cache.user = t;
  t->track = must_alloc((size_t)t->cache.index.sets * t->cache.ways * sizeof *t->track);
  l1_windows_init(&t->windows, cfg);
  t->learns_asked = !strcmp(cfg_text(cfg, "reply.learn"), "asked");
  t->mshrs = (uint32_t)cfg_int(cfg, "l1.mshrs");
  t->stats = place->stats;
  return t;
}

static void destroy(void *org) {
  struct tracker *t = org;
  sa_free(&t->cache);
  free(t->track);
  free(t);
}

const struct l1_org l1_tracker = {.name = "base", .meaning = "set-associative, of a line only the sub-blocks asked for",
                                  .keys = keys, .create = create, .destroy = destroy, .traits = traits, .probe = probe,
                                  .demand = demand, .reserve = reserve, .fill = fill, .wrote = wrote,
                                  .flush = sa_flush, .stored = sa_stored, .held = sa_held};
