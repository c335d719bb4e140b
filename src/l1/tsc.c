/* The tag-split cache, TSC and TSC+ (Li, Hayes, Song, Zhang: Tag-Split Cache for Efficient GPGPU Cache Utilization,
 * ICS 2016, section 3).
 *
 * A set consists of chunk groups, a group of chunks. A tag is split in two: its upper part is shared by the chunks of
 * a group; each chunk has the lower part for itself, with a valid bit, the chunk's place in its 128-byte line and an
 * NRU bit. The chunks of a line may be anywhere in its set. A load's bytes become an access chunk mask; the chunks
 * that are present are read, the others fetched.
 *
 *   Chunks for a miss         first invalid chunks in groups whose shared tag is the line's; then chunks of empty groups; then valid
 *                             chunks, all in one round: at random among those with NRU 0 and, if they are too few, at random among the
 *                             others. Putting a chunk into a group with another shared tag changes that tag, and all that is valid in
 *                             the group is lost.
 *   NRU                       set by a load that finds the chunk, and when a chunk is given to a missing one. When all bits of a set
 *                             are 1, all become 0. A chunk that loses its data keeps its bit.
 *   Stores and atomics        invalidate the chunks they touch (write-evict); data of local memory stays.
 *   Coarse storage            the access chunk mask of loads and stores becomes all ones. TSC is always fine. In TSC+, SM 0 has
 *                             sampler sets (duel.h), and every other set of every SM does what they show to be better.
 *
 * Where the paper says nothing: a victim under another shared tag gives its whole group to the miss before a further
 * victim is drawn. (Drawing all victims at once would scatter a line over several groups and empty each of them, and
 * a cache without private tags would be far from the sector cache that the paper says it is.) A chunk is taken when
 * its miss is sent, and is reserved until its data comes. A reserved chunk is neither valid nor a victim, and a group
 * with one keeps its shared tag. A miss that finds too few chunks under these rules waits (reservation failure). A
 * store leaves reserved chunks alone, as in the base organisation. A new decision of SM 0 takes effect in the next
 * cycle, also in its own follower sets.
 *
 * It is not built on the tag array of mem_tags.h, each of whose ways holds one whole line. Here a chunk can be lost
 * when the tag that its group shares changes, one miss takes several places in one round of random choices, and a
 * chunk's NRU bit outlives its data. The set index and the masks are those of src/mem.
 *
 * A chunk here remembers its whole line number, so addresses above 32 bits and set counts that are not powers of two
 * never alias. With a private tag as long as the tag (32-bit addresses), groups share nothing. */
#include "l1/duel.h"
#include "l1/l1.h"
#include "l1/l1_index.h"

#include <stdlib.h>
#include <string.h>

static const struct cfg_key keys[] = {
    {"l1.tsc.chunk", CFG_INT, "32", 8, 64, NULL, "bytes", "size of a chunk of the tag-split cache: 8, 16, 32 or 64"},
    {"l1.tsc.private_tag", CFG_INT, "8", 0, 32, NULL, "bits",
     "low bits of the tag that each chunk of the tag-split cache has for itself; a chunk group shares the others"},
    {"l1.tsc.groups", CFG_INT, "0", 0, 1024, NULL, "chunk groups", "chunk groups in a set of the tag-split cache; 0: as many as l1.ways"},
    {"l1.tsc.chunks", CFG_INT, "0", 0, 1024, NULL, "chunks", "chunks in a chunk group of the tag-split cache; 0: as many as a line has"},
    {"l1.tsc.extra_latency", CFG_INT, "1", 0, 100, NULL, "core cycles",
     "time that a hit in the tag-split cache takes longer than l1.latency"},
    {"l1.tsc.samplers", CFG_INT, "4", 1, 32768, NULL, "sets", "sets of SM 0 that sample each mode of tsc+, fine and coarse"},
    {0},
};

enum { RETAGS, COARSE, SWITCHES };
static const struct stat_def stats[] = {
    [RETAGS] = {"l1d.retags", "groups", "chunk groups of the tag-split cache that lost their data because their shared tag changed", ""},
    [COARSE] = L1_STAT_COARSE,
    [SWITCHES] = L1_STAT_SWITCHES,
    {0},
};

struct chunk {
  uint64_t line;  /* its number */
  uint8_t offset; /* which chunk of the line */
  bool valid, reserved, recent;
};

struct tsc {
  struct mem_index index;
  uint32_t groups, per_group, chunks; /* of a set; of a group; of a set */
  uint32_t chunk_bytes, in_line, private_bits, extra_latency;
  uint32_t all;          /* every chunk of a line */
  unsigned shared_shift; /* from line number to shared tag; 64: nothing is shared */
  struct chunk *chunk;   /* by set, by group */
  uint64_t *shared;      /* by set and group */
  struct rng rng;
  uint64_t *stats;
  const struct mem_observers *observers;
  uint32_t *found, *list; /* places for the miss at hand; candidates to be replaced */
  bool adaptive;
  struct l1_duel duel;   /* of SM 0, or without role */
  const struct tsc *leader;
};

/* ---- masks ----------------------------------------------------------------------------------------------------------- */

static uint32_t chunks_of(const struct tsc *c, struct mem_bytes m) {
  if (c->chunk_bytes == MEM_SECTOR) return mem_sectors_of(m);
  uint64_t ones = c->chunk_bytes == 64 ? ~UINT64_C(0) : (UINT64_C(1) << c->chunk_bytes) - 1;
  uint32_t r = 0;
  for (uint32_t i = 0, at = 0; i < c->in_line; i++, at += c->chunk_bytes)
    r |= (uint32_t)((m.b[at / 64] >> at % 64 & ones) != 0) << i;
  return r;
}

static struct mem_bytes bytes_of(const struct tsc *c, uint32_t mask) {
  uint64_t ones = c->chunk_bytes == 64 ? ~UINT64_C(0) : (UINT64_C(1) << c->chunk_bytes) - 1;
  struct mem_bytes m = {{0, 0}};
  for (uint32_t i = 0, at = 0; i < c->in_line; i++, at += c->chunk_bytes)
    if (mask >> i & 1) m.b[at / 64] |= ones << at % 64;
  return m;
}

static struct chunk *set_at(const struct tsc *c, uint32_t set) { return &c->chunk[(size_t)set * c->chunks]; }
static uint64_t *shared_at(const struct tsc *c, uint32_t set) { return &c->shared[(size_t)set * c->groups]; }
static uint64_t shared_of(const struct tsc *c, uint64_t number) {
  return c->shared_shift >= 64 ? 0 : number >> c->shared_shift;
}
static uint32_t set_of(const struct tsc *c, uint64_t line) { return mem_index_set(&c->index, line); }

static bool coarse(const struct tsc *c, uint32_t set) {
  if (!c->adaptive) return false;
  return (c->leader == c ? l1_duel_mode(&c->duel, set) : c->leader->duel.published) == L1_COARSE;
}

/* ---- NRU -------------------------------------------------------------------------------------------------------------- */

static void age(const struct tsc *c, struct chunk *s) {
  for (uint32_t i = 0; i < c->chunks; i++)
    if (!s[i].recent) return;
  for (uint32_t i = 0; i < c->chunks; i++) s[i].recent = false;
}

/* ---- access ------------------------------------------------------------------------------------------------------------ */

static struct mem_bytes probe(void *org, uint64_t line, struct mem_bytes bytes) {
  struct tsc *c = org;
  uint32_t set = set_of(c, line), need = chunks_of(c, bytes), cached = 0;
  struct chunk *s = set_at(c, set);
  uint64_t number = line / MEM_LINE;
  if (coarse(c, set)) {
    need = c->all;
    c->stats[COARSE]++;
  }
  for (uint32_t i = 0; i < c->chunks; i++) {
    if (s[i].line != number || !s[i].valid || !(need >> s[i].offset & 1)) continue;
    cached |= 1u << s[i].offset;
    s[i].recent = true;
  }
  if (cached) age(c, s);
  return bytes_of(c, need & ~cached);
}

/* ---- chunks to replace ------------------------------------------------------------------------------------------------- */

struct group_state {
  bool holds, locked, matches; /* anything valid or reserved; anything reserved; the line's shared tag */
};

static struct group_state look(const struct tsc *c, uint32_t set, uint32_t g, uint64_t shared) {
  const struct chunk *s = set_at(c, set) + (size_t)g * c->per_group;
  struct group_state r = {.matches = shared_at(c, set)[g] == shared};
  for (uint32_t i = 0; i < c->per_group; i++) {
    r.holds |= s[i].valid || s[i].reserved;
    r.locked |= s[i].reserved;
  }
  return r;
}

static uint32_t take_invalid_of(struct tsc *c, uint32_t set, uint32_t g, uint32_t n, uint32_t want) {
  const struct chunk *s = set_at(c, set);
  for (uint32_t i = g * c->per_group; i < (g + 1) * c->per_group && n < want; i++)
    if (!s[i].valid && !s[i].reserved) c->found[n++] = i;
  return n;
}

/* Invalid chunks that may be used as they are; returns how many are found. */
static uint32_t take_invalid(struct tsc *c, uint32_t set, uint64_t shared, uint32_t want) {
  uint32_t n = 0;
  for (int empty = 0; empty < 2; empty++)
    for (uint32_t g = 0; g < c->groups && n < want; g++) {
      struct group_state s = look(c, set, g, shared);
      if (empty ? !s.holds : s.holds && s.matches) n = take_invalid_of(c, set, g, n, want);
    }
  return n;
}

static bool taken(const struct tsc *c, uint32_t n, uint32_t place) {
  for (uint32_t k = 0; k < n; k++)
    if (c->found[k] == place) return true;
  return false;
}

/* At random one of the valid chunks that may be replaced and have this NRU bit. */
static bool pick(struct tsc *c, uint32_t set, uint64_t shared, uint32_t n, bool recent, uint32_t *victim) {
  const struct chunk *s = set_at(c, set);
  uint32_t count = 0;
  for (uint32_t g = 0; g < c->groups; g++) {
    struct group_state state = look(c, set, g, shared);
    if (state.locked && !state.matches) continue;
    for (uint32_t i = g * c->per_group; i < (g + 1) * c->per_group; i++)
      if (s[i].valid && s[i].recent == recent && !taken(c, n, i)) c->list[count++] = i;
  }
  if (count) *victim = c->list[rng_below(&c->rng, count)];
  return count != 0;
}

/* Valid chunks to replace. One under another shared tag opens its whole group. */
static uint32_t take_victims(struct tsc *c, uint32_t set, uint64_t shared, uint32_t n, uint32_t want) {
  while (n < want) {
    uint32_t victim;
    if (!pick(c, set, shared, n, false, &victim) && !pick(c, set, shared, n, true, &victim)) break;
    c->found[n++] = victim;
    uint32_t g = victim / c->per_group;
    if (shared_at(c, set)[g] == shared) continue;
    for (uint32_t i = g * c->per_group; i < (g + 1) * c->per_group && n < want; i++)
      if (i != victim) c->found[n++] = i;
  }
  return n;
}

static void lose(const struct tsc *c, struct chunk *k) {
  if (k->valid) l1_notify_changed(c->observers, k->line * MEM_LINE, bytes_of(c, 1u << k->offset), false);
  k->valid = false;
}

/* The group of a place gets this shared tag; what is valid under another is lost. */
static void retag(struct tsc *c, uint32_t set, uint32_t g, uint64_t shared) {
  struct chunk *s = set_at(c, set) + (size_t)g * c->per_group;
  uint64_t *tag = &shared_at(c, set)[g];
  bool lost = false;
  if (*tag == shared) return;
  *tag = shared;
  for (uint32_t i = 0; i < c->per_group; i++) {
    lost |= s[i].valid;
    lose(c, &s[i]);
  }
  c->stats[RETAGS] += lost;
}

static void place(struct tsc *c, uint32_t set, uint64_t number, uint32_t mask) {
  struct chunk *s = set_at(c, set);
  for (uint32_t k = 0; mask; mask &= mask - 1, k++) {
    uint32_t i = c->found[k];
    retag(c, set, i / c->per_group, shared_of(c, number));
    lose(c, &s[i]);
    s[i] = (struct chunk){number, (uint8_t)__builtin_ctz(mask), false, true, true};
  }
  age(c, s);
}

static bool reserve(void *org, uint64_t line, struct mem_bytes missing, uint32_t *cycles) {
  struct tsc *c = org;
  uint32_t set = set_of(c, line), mask = chunks_of(c, missing), want = (uint32_t)__builtin_popcount(mask);
  uint64_t number = line / MEM_LINE, shared = shared_of(c, number);
  (void)cycles;
  uint32_t n = take_invalid(c, set, shared, want);
  if (n < want) n = take_victims(c, set, shared, n, want);
  if (n < want) return false;
  place(c, set, number, mask);
  if (c->duel.role) l1_duel_miss(&c->duel, set, 1 + (uint32_t)__builtin_popcount(mem_sectors_of(missing)));
  return true;
}

static void fill(void *org, uint64_t line, struct mem_bytes bytes) {
  struct tsc *c = org;
  struct chunk *s = set_at(c, set_of(c, line));
  uint32_t mask = chunks_of(c, bytes);
  for (uint32_t i = 0; i < c->chunks; i++) {
    if (!s[i].reserved || s[i].line != line / MEM_LINE || !(mask >> s[i].offset & 1)) continue;
    s[i].reserved = false;
    s[i].valid = true;
    l1_notify_changed(c->observers, line, bytes_of(c, 1u << s[i].offset), true);
  }
}

static void wrote(void *org, uint64_t line, struct mem_bytes bytes, bool keep) {
  struct tsc *c = org;
  uint32_t set = set_of(c, line), mask = coarse(c, set) ? c->all : chunks_of(c, bytes);
  struct chunk *s = set_at(c, set);
  if (keep) return;
  for (uint32_t i = 0; i < c->chunks; i++)
    if (s[i].line == line / MEM_LINE && mask >> s[i].offset & 1) lose(c, &s[i]);
}

static void flush(void *org) {
  struct tsc *c = org;
  for (size_t i = 0; i < (size_t)c->index.sets * c->chunks; i++) lose(c, &c->chunk[i]);
}

static uint64_t stored(const void *org) {
  const struct tsc *c = org;
  uint64_t n = 0;
  for (size_t i = 0; i < (size_t)c->index.sets * c->chunks; i++) n += c->chunk[i].valid;
  return n * c->chunk_bytes;
}

static struct mem_bytes held(const void *org, uint64_t line) {
  const struct tsc *c = org;
  const struct chunk *s = set_at(c, set_of(c, line));
  uint32_t mask = 0;
  for (uint32_t i = 0; i < c->chunks; i++)
    if (s[i].valid && s[i].line == line / MEM_LINE) mask |= 1u << s[i].offset;
  return bytes_of(c, mask);
}

/* ---- life ---------------------------------------------------------------------------------------------------------------- */

/* A chunk's private tag, valid bit, offset and NRU bit; a group's tag is shorter by the private part, and it needs
 * neither the valid bit nor the place in the LRU order that a line has. */
static void traits(const void *org, struct l1_traits *out) {
  const struct tsc *c = org;
  uint64_t chunk = c->private_bits + 1 + l1_bits_for(c->in_line) + 1;
  uint64_t spared = c->private_bits + 1 + l1_bits_for(c->groups);
  out->line_bytes = MEM_LINE;
  out->fetch_bytes = c->chunk_bytes;
  out->extra_latency = c->extra_latency;
  out->storage_bits = c->index.sets * (c->chunks * chunk - c->groups * spared);
}

static bool fits(const struct tsc *c, const struct cfg *cfg, struct err *e) {
  if (MEM_LINE % c->chunk_bytes)
    return cfg_complain(cfg, "l1.tsc.chunk", e, "it must divide the line of 128 bytes");
  if (c->private_bits > l1_tag_bits(&c->index))
    return cfg_complain(cfg, "l1.tsc.private_tag", e, "the whole tag has %u bits (32-bit addresses, %u sets)",
                        l1_tag_bits(&c->index), c->index.sets);
  uint32_t samplers = (uint32_t)cfg_int(cfg, "l1.tsc.samplers");
  if (c->adaptive && 2 * samplers > c->index.sets)
    return cfg_complain(cfg, "l1.tsc.samplers", e, "%u sets for each of two modes are more than the %u sets", samplers,
                        c->index.sets);
  if (c->chunks < c->in_line)
    return cfg_complain(cfg, "l1.tsc.chunks", e, "a set of %u chunks cannot hold a line of %u", c->chunks, c->in_line);
  return true;
}

static void read_keys(struct tsc *c, const struct cfg *cfg) {
  c->index = l1_index_read(cfg, MEM_LINE);
  c->chunk_bytes = (uint32_t)cfg_int(cfg, "l1.tsc.chunk");
  c->in_line = MEM_LINE / c->chunk_bytes;
  c->all = (uint32_t)((UINT64_C(1) << c->in_line) - 1);
  c->groups = (uint32_t)cfg_int(cfg, "l1.tsc.groups");
  if (!c->groups) c->groups = (uint32_t)cfg_int(cfg, "l1.ways");
  c->per_group = (uint32_t)cfg_int(cfg, "l1.tsc.chunks");
  if (!c->per_group) c->per_group = c->in_line;
  c->chunks = c->groups * c->per_group;
  c->private_bits = (uint32_t)cfg_int(cfg, "l1.tsc.private_tag");
  c->extra_latency = (uint32_t)cfg_int(cfg, "l1.tsc.extra_latency");
  c->shared_shift = l1_index_bits(&c->index) + c->private_bits;
  if (c->private_bits == l1_tag_bits(&c->index)) c->shared_shift = 64;
}

static struct tsc *create(const struct cfg *cfg, const struct l1_place *where, bool adaptive, struct err *e) {
  struct tsc *c = must_alloc(sizeof *c);
  c->adaptive = adaptive;
  c->rng.state = where->seed;
  c->stats = where->stats;
  c->observers = where->observers;
  c->leader = c;
  read_keys(c, cfg);
  if (!fits(c, cfg, e)) {
    free(c);
    return NULL;
  }
  c->chunk = must_alloc((size_t)c->index.sets * c->chunks * sizeof *c->chunk);
  c->shared = must_alloc((size_t)c->index.sets * c->groups * sizeof *c->shared);
  c->found = must_alloc(c->chunks * sizeof *c->found);
  c->list = must_alloc(c->chunks * sizeof *c->list);
  return c;
}

static void *create_tsc(const struct cfg *cfg, const struct l1_place *where, struct err *e) {
  return create(cfg, where, false, e);
}

static void *create_plus(const struct cfg *cfg, const struct l1_place *where, struct err *e) {
  struct tsc *c = create(cfg, where, true, e);
  if (c) l1_duel_init(&c->duel, c->index.sets, (uint32_t)cfg_int(cfg, "l1.tsc.samplers"), &c->rng);
  return c;
}

static void destroy(void *org) {
  struct tsc *c = org;
  l1_duel_free(&c->duel);
  free(c->chunk);
  free(c->shared);
  free(c->found);
  free(c->list);
  free(c);
}

static void follow(void *org, void *first) {
  struct tsc *c = org;
  c->leader = first;
  l1_duel_free(&c->duel);
  c->duel.role = NULL;
}

static void publish(void *org) {
  struct tsc *c = org;
  if (l1_duel_publish(&c->duel)) c->stats[SWITCHES]++;
}

#define TSC                                                                                                            \
  .destroy = destroy, .traits = traits, .probe = probe, .reserve = reserve, .fill = fill, .wrote = wrote,              \
  .flush = flush, .stored = stored, .held = held

const struct l1_org l1_tsc = {
    .policy = {.name = "tsc", .meaning = "tag-split cache: chunks of several lines share a group",
               .paper = "Li, Hayes, Song, Zhang: Tag-split cache for efficient GPGPU cache utilization, ICS 2016",
               .keys = keys, .stats = stats, .storage = l1_org_storage},
    .create = create_tsc, TSC};
const struct l1_org l1_tsc_plus = {
    .policy = {.name = "tsc+", .meaning = "tag-split cache that chooses fine or coarse storage",
               .paper = "Li, Hayes, Song, Zhang: Tag-split cache for efficient GPGPU cache utilization, ICS 2016",
               .stats = stats, .storage = l1_org_storage},
    .create = create_plus, .follow = follow, .publish = publish, TSC};
