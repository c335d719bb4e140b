/* Lines that come and go outside of requests: dirty lines that are written back before a change of mode, one a cycle
 * while requests wait; lines that are dropped at once (private slices at the end of a kernel); lines that are put in
 * at once by a copy of the host, or by a kernel that runs without timing.
 *
 * Owns: how far a flush has come. Does not: decide when to flush (llc_control.c and the GPU do). */
#include "llc/llc_slice.h"

/* ---- flush ---- */

static bool flush_line(struct slice *s, uint32_t frame, uint64_t now) {
  struct llc_line *l = &s->lines[frame];
  if (!llc_belongs(l, s->flush_program)) return false;
  bool dirty = llc_is_dirty(s, (int32_t)frame);
  if (dirty) llc_write_back(s, frame, now);
  if (!l->pending && !l->valid && llc_holds(s, (int32_t)frame)) {
    mem_tags_drop(&s->tags, (int32_t)frame);
    *l = (struct llc_line){0};
  }
  return dirty;
}

uint64_t llc_flush_some(struct slice *s, uint64_t now) {
  uint32_t frames = llc_frames(s);
  if (!mem_ring_free_slots(&s->misses)) return MEM_NEVER;
  while (s->flush_at < frames)
    if (flush_line(s, s->flush_at++, now)) break;
  s->flushing = s->flush_at < frames;
  s->moved = true;
  return now;
}

void llc_flush(struct llc_slice *base, uint64_t now, uint8_t program) {
  struct slice *s = llc_of(base);
  ++*base->stamp;
  s->flush_program = program;
  s->flushing = true;
  s->flush_at = 0;
  mem_wake_at(&base->wake, mem_next_edge(&base->wake, now));
}

bool llc_flushing(const struct llc_slice *s) { return llc_of_const(s)->flushing; }

/* ---- at once ---- */

/* Of a program among others, or where something is outstanding: frame by frame. */
void llc_invalidate(struct llc_slice *base, uint8_t program) {
  struct slice *s = llc_of(base);
  ++*base->stamp;
  if (program == LLC_EVERY_PROGRAM && !s->tags.n_locked) {
    mem_tags_clear(&s->tags);
    return;
  }
  for (uint32_t f = 0; f < llc_frames(s); f++) {
    if (s->lines[f].pending || !llc_belongs(&s->lines[f], program)) continue;
    s->lines[f] = (struct llc_line){0};
    mem_tags_drop(&s->tags, (int32_t)f);
  }
}

uint32_t llc_dirty_lines(const struct llc_slice *base) { return llc_dirty_lines_of(base, LLC_EVERY_PROGRAM); }

uint32_t llc_dirty_lines_of(const struct llc_slice *base, uint8_t program) {
  const struct slice *s = llc_of_const(base);
  uint32_t n = 0;
  for (uint32_t f = 0; f < llc_frames(s); f++) n += llc_belongs(&s->lines[f], program) && llc_is_dirty(s, (int32_t)f);
  return n;
}

/* ---- copies of the host ---- */

bool llc_fills_on_copy(const struct llc_slice *s, enum llc_copy kind) {
  const struct llc_config *c = &llc_of_const(s)->c;
  return c->fill_on_copy && kind != (c->host_copies ? LLC_COPY_WITHIN : LLC_COPY_OUT);
}

/* The frame a copied line takes: a free or the least recently used one of the ways that copies may fill. */
static int32_t copy_victim(const struct slice *s, uint32_t set) {
  uint32_t ways = s->c.copy_ways;
  if (!ways || ways >= s->tags.c.ways) return mem_tags_victim(&s->tags, set);
  int32_t best = MEM_NO_FRAME, first = (int32_t)(set * s->tags.c.ways);
  for (int32_t f = first; f < first + (int32_t)ways; f++) {
    if (s->lines[f].pending) continue;
    if (!llc_holds(s, f)) return f;
    if (best == MEM_NO_FRAME || s->tags.used[f] < s->tags.used[best]) best = f;
  }
  return best;
}

/* The frame that a line has, or takes, in its set; its set, and whether it was there. */
struct place {
  int32_t frame;
  uint32_t set;
  bool hit;
  uint64_t used; /* the frame before */
};

static struct place place_line(struct slice *s, uint64_t line, int32_t (*victim)(const struct slice *, uint32_t)) {
  struct place p = {.set = mem_tags_set(&s->tags, mem_map_local(s->map, line))};
  p.frame = mem_tags_find(&s->tags, p.set, line);
  p.hit = p.frame != MEM_NO_FRAME;
  if (p.hit) {
    p.used = s->tags.used[p.frame];
    mem_tags_touch(&s->tags, p.frame);
    return p;
  }
  p.frame = victim(s, p.set);
  if (p.frame == MEM_NO_FRAME) return p;
  p.used = s->tags.used[p.frame];
  s->lines[p.frame] = (struct llc_line){0};
  mem_tags_place(&s->tags, p.frame, line);
  return p;
}

static void fill_at_once(struct slice *s, struct place p, uint8_t sectors) {
  uint8_t valid = s->lines[p.frame].valid, pending = s->lines[p.frame].pending;
  s->lines[p.frame].valid = (uint8_t)(valid | (llc_fetched_with(s, sectors, valid | pending) & ~pending));
}

void llc_install_line(struct llc_slice *base, uint64_t line, uint8_t sectors) {
  struct slice *s = llc_of(base);
  ++*base->stamp;
  struct place p = place_line(s, line, copy_victim);
  if (p.frame == MEM_NO_FRAME) return;
  llc_drop_copy(s, p.set, line);
  fill_at_once(s, p, sectors);
}

/* ---- kernels without timing ---- */

static int32_t any_victim(const struct slice *s, uint32_t set) { return mem_tags_victim(&s->tags, set); }

static bool is_known(const struct slice *s, struct place p) { return p.frame == MEM_NO_FRAME || !s->lost || p.used > s->lost; }

bool llc_warm_read(struct llc_slice *base, uint64_t line, uint8_t sectors) {
  struct slice *s = llc_of(base);
  ++*base->stamp;
  struct place p = place_line(s, line, any_victim);
  if (p.frame != MEM_NO_FRAME) fill_at_once(s, p, sectors);
  return is_known(s, p);
}

bool llc_warm_write(struct llc_slice *base, uint64_t line, const struct mem_bytes *bytes) {
  struct slice *s = llc_of(base);
  ++*base->stamp;
  struct place p = place_line(s, line, any_victim);
  if (p.frame == MEM_NO_FRAME) return true;
  llc_drop_copy(s, p.set, line);
  if (s->c.write_fetches && (!p.hit || s->lines[p.frame].pending)) fill_at_once(s, p, (1 << MEM_SECTORS) - 1);
  else llc_mark_dirty(&s->lines[p.frame], bytes);
  return is_known(s, p);
}

void llc_warm_lose(struct llc_slice *base) {
  struct slice *s = llc_of(base);
  s->lost = s->tags.clock;
}

uint32_t llc_lines(const struct llc_slice *s) { return llc_frames(llc_of_const(s)); }
