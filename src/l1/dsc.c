/* The decoupled sectored cache (Seznec, ISCA 1994) with 2 or 4 tags a frame, as the tag-split cache paper compares
 * it.
 *
 * A set has frames of 128 bytes. Each chunk of a line has a fixed place in a frame. A frame has several tags, and
 * each place records which of them its chunk belongs to. A chunk is present if its line has a tag in the set and, in
 * that tag's frame, the chunk's place is valid and names the tag.
 *
 *   Line without a tag   takes the tag whose reuse costs the least recently used line, among frames in which none of the wanted places is
 *                        reserved. The tag's old line loses all its chunks; other lines lose those in the wanted places.
 *   Missing chunks       overwrite what is in their places. The lines whose chunks were there lose only these (l1.dsc.evicts=chunks), or
 *                        everything they have in the frame (lines: one line is the unit of replacement).
 *   Rounds               one line is replaced at a time: the tag's old line and every other line that loses a chunk take one round
 *                        each. Each round beyond the first keeps the cache busy for l1.dsc.round_cycles.
 *
 * Different from the original: no write-back (stores are write-through and invalidate the chunks that they touch);
 * MSHRs request and receive missing chunks only, as in the comparison in the tag-split cache paper. A pending chunk
 * is reserved: it is not overwritten, and its tag is not replaced. A line whose frame has a wanted place reserved for
 * another line takes a second tag, in another frame.
 *
 * It is not built on the tag array of mem_tags.h, where a frame has one tag and a line one frame. Here a frame has
 * several tags, a line may have tags in several frames, and what a victim costs depends on which places are wanted.
 * The set index and the masks are those of src/mem. */
#include "l1/l1.h"
#include "l1/l1_index.h"

#include <stdlib.h>

enum { CHUNK = MEM_SECTOR, PLACES = MEM_LINE / CHUNK, MAX_TAGS = 4 };

enum { EVICTS_CHUNKS, EVICTS_LINES };
static const struct policy *const evictions[] = {
    [EVICTS_CHUNKS] = OPTION("chunks", "a line loses the chunks whose places are wanted"),
    [EVICTS_LINES] = OPTION("lines", "a line that loses a chunk loses all it has in the frame"), NULL};
static const struct cfg_key keys[] = {
    {"l1.dsc.round_cycles", CFG_INT, "1", 0, 100, NULL, "core cycles",
     "time of each round of replacement beyond the first in the decoupled sectored cache"},
    {"l1.dsc.evicts", CFG_CHOICE, "chunks", 0, 0, evictions, "", "unit of replacement in the decoupled sectored cache"},
    {0},
};

struct place {
  uint8_t tag;
  bool valid, reserved;
};
struct frame {
  uint64_t line[MAX_TAGS], used[MAX_TAGS]; /* line | 1; 0: unused */
  struct place place[PLACES];
};
struct dsc {
  struct mem_index index;
  uint32_t ways, tags, round_cycles;
  bool whole_lines;
  uint64_t clock;
  struct frame *frame;
  const struct mem_observers *observers;
};
struct where {
  struct frame *frame;
  unsigned tag;
};

static struct frame *set_at(const struct dsc *c, uint64_t line) {
  return &c->frame[(size_t)mem_index_set(&c->index, line) * c->ways];
}

/* The next tag of a line, from *at on, which counts the tags of its set. */
static bool find(const struct dsc *c, uint64_t line, uint32_t *at, struct where *w) {
  struct frame *set = set_at(c, line);
  for (; *at < c->ways * c->tags; ++*at)
    if (set[*at / c->tags].line[*at % c->tags] == (line | 1)) {
      *w = (struct where){&set[*at / c->tags], *at % c->tags};
      ++*at;
      return true;
    }
  return false;
}

/* Which places of a frame belong to a tag, with data or waiting for it. */
static uint8_t owned(const struct frame *f, unsigned tag, bool reserved) {
  uint8_t m = 0;
  for (unsigned i = 0; i < PLACES; i++)
    if (f->place[i].tag == tag && (reserved ? f->place[i].reserved : f->place[i].valid)) m |= (uint8_t)(1 << i);
  return m;
}

static struct mem_bytes probe(void *org, uint64_t line, struct mem_bytes bytes) {
  struct dsc *c = org;
  struct where w;
  uint8_t need = mem_sectors_of(bytes);
  c->clock++;
  for (uint32_t at = 0; find(c, line, &at, &w);) {
    w.frame->used[w.tag] = c->clock;
    need &= (uint8_t)~owned(w.frame, w.tag, false);
  }
  return mem_bytes_of(need);
}

/* ---- replacement ---- */

static uint8_t all_owned(const struct dsc *c, const struct frame *f, bool reserved) {
  uint8_t m = 0;
  for (unsigned t = 0; t < c->tags; t++) m |= owned(f, t, reserved);
  return m;
}

/* When the line was used that would be lost, of several the last; UINT64_MAX: the tag cannot be taken. */
static uint64_t badness(const struct dsc *c, const struct frame *f, unsigned t, uint8_t want) {
  uint64_t last = 0;
  if (owned(f, t, true) || all_owned(c, f, true) & want) return UINT64_MAX;
  for (unsigned o = 0; o < c->tags; o++) {
    uint8_t loses = owned(f, o, false) & (o == t ? (1 << PLACES) - 1 : want);
    if (loses && f->used[o] > last) last = f->used[o];
  }
  return last;
}

static bool choose(const struct dsc *c, uint64_t line, uint8_t want, struct where *w) {
  struct frame *set = set_at(c, line);
  uint64_t best = UINT64_MAX;
  for (uint32_t i = 0; i < c->ways; i++)
    for (unsigned t = 0; t < c->tags; t++) {
      uint64_t b = badness(c, &set[i], t, want);
      if (b >= best) continue;
      best = b;
      *w = (struct where){&set[i], t};
    }
  return best != UINT64_MAX;
}

static void lose(const struct dsc *c, struct frame *f, uint8_t places) {
  for (unsigned i = 0; i < PLACES; i++) {
    struct place *p = &f->place[i];
    if (!(places >> i & 1) || !p->valid) continue;
    p->valid = false;
    l1_notify_changed(c->observers, f->line[p->tag], mem_bytes_of((uint8_t)(1 << i)), false);
  }
}

/* Empties the wanted places; returns how many lines lost something. */
static unsigned displace(const struct dsc *c, struct frame *f, unsigned keep, uint8_t want) {
  unsigned lines = 0;
  uint8_t gone = want;
  for (unsigned t = 0; t < c->tags; t++) {
    uint8_t has = owned(f, t, false);
    if (t == keep || !(has & want)) continue;
    lines++;
    if (c->whole_lines) gone |= has;
  }
  lose(c, f, gone);
  return lines;
}

static bool others_reserved(const struct dsc *c, const struct where *w, uint8_t want) {
  return all_owned(c, w->frame, true) & (uint8_t)~owned(w->frame, w->tag, true) & want;
}

/* A tag that the line has already and whose frame can take the wanted chunks. */
static bool has_place(const struct dsc *c, uint64_t line, uint8_t want, struct where *w) {
  for (uint32_t at = 0; find(c, line, &at, w);)
    if (!others_reserved(c, w, want)) return true;
  return false;
}

static bool reserve(void *org, uint64_t line, struct mem_bytes missing, uint32_t *cycles) {
  struct dsc *c = org;
  struct where w;
  uint8_t want = mem_sectors_of(missing);
  unsigned rounds = 0;
  if (!has_place(c, line, want, &w)) {
    if (!choose(c, line, want, &w)) return false;
    uint8_t old = owned(w.frame, w.tag, false);
    rounds += old != 0;
    lose(c, w.frame, old);
    w.frame->line[w.tag] = line | 1;
    w.frame->used[w.tag] = ++c->clock;
  }
  rounds += displace(c, w.frame, w.tag, want);
  for (unsigned i = 0; i < PLACES; i++)
    if (want >> i & 1) w.frame->place[i] = (struct place){.tag = (uint8_t)w.tag, .reserved = true};
  *cycles = rounds > 1 ? (rounds - 1) * c->round_cycles : 0;
  return true;
}

static void fill(void *org, uint64_t line, struct mem_bytes bytes) {
  const struct dsc *c = org;
  struct where w;
  for (uint32_t at = 0; find(c, line, &at, &w);) {
    uint8_t here = owned(w.frame, w.tag, true) & mem_sectors_of(bytes);
    l1_notify_changed(c->observers, line, mem_bytes_of(here), true);
    for (unsigned i = 0; i < PLACES; i++)
      if (here >> i & 1) w.frame->place[i] = (struct place){.tag = (uint8_t)w.tag, .valid = true};
  }
}

static void wrote(void *org, uint64_t line, struct mem_bytes bytes, bool keep) {
  struct where w;
  for (uint32_t at = 0; !keep && find(org, line, &at, &w);)
    lose(org, w.frame, owned(w.frame, w.tag, false) & mem_sectors_of(bytes));
}

static void flush(void *org) {
  struct dsc *c = org;
  for (size_t i = 0; i < (size_t)c->index.sets * c->ways; i++) lose(c, &c->frame[i], (1 << PLACES) - 1);
}

static uint64_t stored(const void *org) {
  const struct dsc *c = org;
  uint64_t n = 0;
  for (size_t i = 0; i < (size_t)c->index.sets * c->ways; i++)
    n += (uint64_t)__builtin_popcount(all_owned(c, &c->frame[i], false)) * CHUNK;
  return n;
}

static struct mem_bytes held(const void *org, uint64_t line) {
  uint8_t mask = 0;
  struct where w;
  for (uint32_t at = 0; find(org, line, &at, &w);) mask |= owned(w.frame, w.tag, false);
  return mem_bytes_of(mask);
}

/* ---- life ---- */

/* All tags with their valid bits and places in one LRU order of the set, and the chunks' names of their tags. */
static void traits(const void *org, struct l1_traits *out) {
  const struct dsc *c = org;
  uint64_t frames = (uint64_t)c->index.sets * c->ways;
  out->line_bytes = MEM_LINE;
  out->fetch_bytes = CHUNK;
  out->storage_bits = frames * (c->tags * l1_line_bits(&c->index, c->ways * c->tags) + PLACES * l1_bits_for(c->tags) -
                                l1_line_bits(&c->index, c->ways));
}

static void *create(const struct cfg *cfg, const struct l1_place *place, uint32_t tags) {
  struct dsc *c = must_alloc(sizeof *c);
  c->index = l1_index_read(cfg, MEM_LINE);
  c->ways = (uint32_t)cfg_int(cfg, "l1.ways");
  c->tags = tags;
  c->observers = place->observers;
  c->round_cycles = (uint32_t)cfg_int(cfg, "l1.dsc.round_cycles");
  c->whole_lines = cfg_option(cfg, "l1.dsc.evicts") == EVICTS_LINES;
  c->frame = must_alloc((size_t)c->index.sets * c->ways * sizeof *c->frame);
  return c;
}

static void *create2(const struct cfg *cfg, const struct l1_place *place, struct err *e) {
  (void)e;
  return create(cfg, place, 2);
}
static void *create4(const struct cfg *cfg, const struct l1_place *place, struct err *e) {
  (void)e;
  return create(cfg, place, 4);
}

static void destroy(void *org) {
  struct dsc *c = org;
  free(c->frame);
  free(c);
}

#define DSC                                                                                                            \
  .destroy = destroy, .traits = traits, .probe = probe, .reserve = reserve, .fill = fill, .wrote = wrote,              \
  .flush = flush, .stored = stored, .held = held

const struct l1_org l1_dsc2 = {
    .policy = {.name = "dsc2", .meaning = "decoupled sectored cache, two tags a frame",
               .paper = "Seznec: Decoupled sectored caches, ISCA 1994", .keys = keys, .storage = l1_org_storage},
    .create = create2, DSC};
const struct l1_org l1_dsc4 = {
    .policy = {.name = "dsc4", .meaning = "decoupled sectored cache, four tags a frame",
               .paper = "Seznec: Decoupled sectored caches, ISCA 1994", .storage = l1_org_storage},
    .create = create4, DSC};
