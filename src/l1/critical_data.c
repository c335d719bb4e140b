/* The critical data tracker (Byoun: Data traffic reduction by exploiting data criticality with a compressor in GPU,
 * Texas A&M 2018, chapters 3 and 4): a set-associative cache that fetches only those sub-blocks of 32 bytes of a line
 * that loads ask for. It takes the place of l1.org=base when reply.filter is on.
 *
 * Each tag and each MSHR has a bitmap of sub-blocks. A load is a hit if all its sub-blocks are set in the tag's
 * bitmap. Otherwise it is one of three kinds of misses: a first miss (no tag); a subsequent miss (the line is
 * outstanding, but not all that is wanted was requested: another request is sent); hit-but-invalid (the line is here
 * without all that is wanted). A reply clears its bits in the MSHR, and data becomes valid when all bits are clear.
 * Data that was requested as a part of a line replaces what the line held; the two are not joined (figure 4.1).
 * Whether a request asks for a part or for the whole line is decided by the request controller (windows.h), from the
 * consistency bit and the bitmap of the tag and the MSHR, which it is told when a reply has come or a line is
 * evicted. Every MSHR has one reserved tag, so both are kept with the tag here.
 *
 * Where the thesis says nothing or its figures are not legible:
 * - A subsequent miss or a hit-but-invalid one requests all its own sub-blocks, also those that are here already.
 * - While the reply to a hit-but-invalid miss is outstanding, the line's old data can still be read. A load that
 *   neither the old data nor the reply can serve waits ("subsequent requests on HI ... not taken into account").
 * - A waiting load is notified when its own sub-blocks have come; a load that arrives after them waits until the data
 *   is valid.
 * - The size of a line, which selects a window, is that of all sub-blocks asked for since its first miss, as in
 *   section 2.2.
 * - Every reply to an MSHR tells the windows whether the accesses were consistent, and the last one also what was
 *   asked for; so does an eviction by another line. A store, the end of a kernel, and a reply to an MSHR that already
 *   has all its data tell them nothing.
 * - Loads of local memory request whole lines and are not passed to the windows, since the mechanism is for global
 *   reads. */
#include "l1/set_assoc.h"
#include "l1/windows.h"

#include <stdlib.h>

enum stat {
  FIRST_MISSES, SUBSEQUENT_MISSES, HIT_INVALID, LATE,
  DEMANDED, /* one each enum l1_demand */
  FILLED_CA = DEMANDED + L1_DEMANDS, FILLED_ICA, EVICTED_CA, EVICTED_ICA
};
static const struct stat_def stats[] = {
    [FIRST_MISSES] = {"l1d.first_misses", "accesses", "reply.filter: misses on lines that are not in L1D", ""},
    [SUBSEQUENT_MISSES] = {"l1d.subsequent_misses", "accesses",
                           "reply.filter: misses on outstanding lines of which not all sub-blocks wanted were requested", ""},
    [HIT_INVALID] = {"l1d.hit_invalid", "accesses",
                     "reply.filter: misses on lines in L1D of which not all sub-blocks wanted are valid", ""},
    [LATE] = {"l1d.late_replies", "packets", "reply.filter: replies whose data had all come with other replies", ""},
    [DEMANDED + L1_DEMAND_PART] = {"l1d.demand_part", "accesses", "reply.filter: global misses that asked for a part of the line", ""},
    [DEMANDED + L1_DEMAND_FDR_RATIO] = {"l1d.demand_fdr_ratio", "accesses",
                                        "reply.filter: global misses that asked for the whole line because nearly all do", ""},
    [DEMANDED + L1_DEMAND_MSHR] = {"l1d.demand_mshr", "accesses",
                                   "reply.filter: global misses that asked for the whole line because an outstanding request was not "
                                   "enough", ""},
    [DEMANDED + L1_DEMAND_ICA_RATIO] = {"l1d.demand_ica_ratio", "accesses",
                                        "reply.filter: global misses that asked for the whole line because most lines of its size are "
                                        "accessed inconsistently", ""},
    [FILLED_CA] = {"l1d.filled_ca", "lines", "reply.filter: lines filled after consistent accesses", ""},
    [FILLED_ICA] = {"l1d.filled_ica", "lines", "reply.filter: lines filled after inconsistent accesses", ""},
    [EVICTED_CA] = {"l1d.evicted_ca", "lines", "reply.filter: lines evicted after consistent accesses", ""},
    [EVICTED_ICA] = {"l1d.evicted_ica", "lines", "reply.filter: lines evicted after inconsistent accesses", ""},
    {0},
};

enum { WHOLE = (1 << MEM_SECTORS) - 1 };

struct track { /* what a tag and its MSHR have besides the masks of the tag array */
  struct mem_bytes arrived; /* here and not yet valid */
  uint8_t demanded;         /* sub-blocks, by the requests that are out */
  uint8_t size;             /* sub-blocks asked for since the first miss */
  bool inconsistent;        /* later requests asked for other sub-blocks than the first */
  bool hit_invalid;         /* what is out is the request of a hit-but-invalid miss */
  bool global;
};

struct critical_data {
  struct sa_cache cache; /* first: its functions take the organisation's state */
  struct track *track;   /* by frame */
  struct l1_windows windows;
  uint32_t mshrs;
  enum l1_demand decision; /* the last, for the reservation that follows */
  bool global;
  uint64_t *stats;
};

static unsigned count(uint8_t sub_blocks) { return (unsigned)__builtin_popcount(sub_blocks); }
static bool within(struct mem_bytes part, struct mem_bytes all) { return mem_none(mem_minus(part, all)); }
/* Something of the frame's line is outstanding. */
static bool pending(const struct critical_data *t, int32_t frame) { return !mem_none(t->cache.tags.reserved[frame]); }

/* ---- windows ------------------------------------------------------------------------------------------------------------ */

static void notify_consistency(struct critical_data *t, const struct track *k) {
  if (k->global) l1_windows_line(&t->windows, count(k->size), k->inconsistent);
}
static void notify_request(struct critical_data *t, const struct track *k, uint8_t bitmap) {
  if (k->global) l1_windows_request(&t->windows, (t->windows.learns_asked ? k->size : bitmap) == WHOLE);
}

static void evicted(void *user, int32_t frame) {
  struct critical_data *t = user;
  const struct track *k = &t->track[frame];
  notify_consistency(t, k);
  notify_request(t, k, mem_sectors_of(t->cache.tags.valid[frame]));
  if (k->global) t->stats[(k->inconsistent ? EVICTED_ICA : EVICTED_CA)]++;
}

/* A load of a line that is here or outstanding. */
static void learn(const struct critical_data *t, struct track *k, uint8_t sub_blocks) {
  if (!t->windows.learns_asked) return;
  k->inconsistent |= (sub_blocks & ~k->size) != 0;
  k->size |= sub_blocks;
}

/* ---- the organisation ----------------------------------------------------------------------------------------------------- */

static struct mem_bytes probe(void *org, uint64_t line, struct mem_bytes bytes) {
  struct critical_data *t = org;
  struct mem_tags *tags = &t->cache.tags;
  int32_t frame = sa_find(&t->cache, line);
  t->cache.last_asked = bytes;
  if (frame == MEM_NO_FRAME) return mem_round(bytes, MEM_SECTOR);
  mem_tags_touch(tags, frame);
  struct track *k = &t->track[frame];
  learn(t, k, mem_sectors_of(bytes));
  if (within(bytes, tags->valid[frame])) return MEM_NOTHING;
  if (!pending(t, frame)) return mem_round(bytes, MEM_SECTOR);
  struct mem_bytes rest = mem_round(mem_minus(bytes, k->arrived), MEM_SECTOR);
  return mem_none(rest) ? tags->reserved[frame] : rest;
}

static bool demand(void *org, const struct l1_request *r, struct mem_bytes *ask) {
  struct critical_data *t = org;
  int32_t frame = sa_find(&t->cache, r->line);
  bool here = frame != MEM_NO_FRAME, out = here && pending(t, frame);
  if (out && t->track[frame].hit_invalid) return false;
  uint8_t size = (uint8_t)(mem_sectors_of(r->bytes) | (here ? t->track[frame].size : 0));
  t->global = r->class_ == MEM_GLOBAL;
  t->decision = l1_windows_decide(&t->windows, out, count(size));
  bool part = t->global && t->decision == L1_DEMAND_PART;
  *ask = part ? mem_round(r->bytes, MEM_SECTOR) : MEM_EVERYTHING;
  return true;
}

static void count_miss(struct critical_data *t, enum stat kind) {
  t->stats[kind]++;
  if (t->global) t->stats[DEMANDED + (int)t->decision]++;
}

static bool reserve(void *org, uint64_t line, struct mem_bytes ask, uint32_t *cycles) {
  struct critical_data *t = org;
  int32_t frame = sa_find(&t->cache, line);
  bool before = frame != MEM_NO_FRAME, out = before && pending(t, frame);
  if (!sa_reserve(&t->cache, line, ask, cycles)) return false;
  struct track *k = &t->track[before ? frame : sa_find(&t->cache, line)];
  if (!before) *k = (struct track){.global = t->global};
  else k->inconsistent = true;
  if (before && !out) k->hit_invalid = true;
  k->demanded |= mem_sectors_of(ask);
  k->size |= mem_sectors_of(t->windows.learns_asked ? t->cache.last_asked : ask);
  count_miss(t, !before ? FIRST_MISSES : out ? SUBSEQUENT_MISSES : HIT_INVALID);
  return true;
}

static void fill(void *org, uint64_t line, struct mem_bytes bytes) {
  struct critical_data *t = org;
  int32_t frame = sa_find(&t->cache, line);
  if (frame == MEM_NO_FRAME || !pending(t, frame)) return; /* its data came with an earlier reply */
  struct track *k = &t->track[frame];
  struct mem_bytes *valid = &t->cache.tags.valid[frame];
  k->arrived = mem_or(k->arrived, bytes);
  notify_consistency(t, k);
  if (!mem_tags_release(&t->cache.tags, frame, 0, bytes)) return;
  l1_notify_changed(t->cache.observers, line, *valid, false);
  l1_notify_changed(t->cache.observers, line, k->arrived, true);
  *valid = k->arrived;
  k->arrived = MEM_NOTHING;
  notify_request(t, k, k->demanded);
  if (k->global) t->stats[(k->inconsistent ? FILLED_ICA : FILLED_CA)]++;
  k->demanded = 0;
  k->hit_invalid = false;
}

static void late(void *org) { ((struct critical_data *)org)->stats[LATE]++; }

static void wrote(void *org, uint64_t line, struct mem_bytes bytes, bool keep) {
  struct critical_data *t = org;
  sa_wrote(&t->cache, line, bytes, keep);
  int32_t frame = keep ? MEM_NO_FRAME : sa_find(&t->cache, line);
  if (frame != MEM_NO_FRAME) t->track[frame].arrived = MEM_NOTHING;
}

/* A valid bitmap, a bitmap of the size and a consistency bit a tag (one valid bit is the base's), a bitmap and a
 * consistency bit an MSHR, and the windows. */
static void traits(const void *org, struct l1_traits *out) {
  const struct critical_data *t = org;
  out->line_bytes = MEM_LINE;
  out->fetch_bytes = MEM_SECTOR;
  out->reports_victims = true;
  out->storage_bits = (uint64_t)t->cache.tags.c.sets * t->cache.tags.c.ways * (2 * MEM_SECTORS) +
                      (uint64_t)t->mshrs * (MEM_SECTORS + 1) + (L1_ICA_WINDOWS + 1) * t->windows.size;
}

static void *create(const struct cfg *cfg, const struct l1_place *place, struct err *e) {
  if (cfg_int(cfg, "l1.granule") != MEM_LINE) {
    cfg_complain(cfg, "reply.filter", e, "it needs l1.granule=128: with sectors, only those asked for are fetched anyway");
    return NULL;
  }
  if (!sa_allocates_on_miss(cfg)) {
    cfg_complain(cfg, "reply.filter", e, "it needs l1.allocate=miss: replies add up in the line that the miss reserved");
    return NULL;
  }
  struct critical_data *t = must_alloc(sizeof *t);
  sa_init(&t->cache, cfg, place, MEM_LINE, MEM_LINE);
  t->cache.evicted = evicted;
  t->cache.user = t;
  t->track = must_alloc((size_t)t->cache.tags.c.sets * t->cache.tags.c.ways * sizeof *t->track);
  l1_windows_init(&t->windows, cfg);
  t->mshrs = (uint32_t)cfg_int(cfg, "l1.mshrs");
  t->stats = place->stats;
  return t;
}

static void destroy(void *org) {
  struct critical_data *t = org;
  sa_free(&t->cache);
  free(t->track);
  free(t);
}

const struct l1_org l1_critical_data = {
    .policy = {.name = "base", .meaning = "set-associative, fetching only the sub-blocks of a line that are asked for",
               .paper = "Byoun: Data traffic reduction by exploiting data criticality with a compressor in GPU, Texas A&M "
                        "University 2018",
               .stats = stats, .storage = l1_org_storage},
    .create = create, .destroy = destroy, .traits = traits, .probe = probe, .demand = demand, .late = late,
    .reserve = reserve, .fill = fill, .wrote = wrote, .flush = sa_flush, .stored = sa_stored, .held = sa_held};
