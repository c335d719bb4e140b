/* The write policy. A write allocates a line without fetching the rest of it: the written bytes are dirty, and are
 * written back when the line is replaced or flushed. Reading a sector that was written in part fetches and merges it.
 * With l2.write_miss=fetch, a write that misses goes on to DRAM, which acknowledges it, while the line is fetched; a
 * prefetch takes the write's place among the requests that wait for the line. Writes of SMs that see private slices
 * (llc_mode.h) also go through to DRAM and leave nothing dirty.
 *
 * With l2.partial_lines, only so many lines of a slice may have sectors that are written in part. When there are
 * more, the missing bytes of the oldest such line are fetched and the line is written back, after which its sectors
 * are whole.
 *
 * Owns: what is dirty in a line. Does not: choose victims.
 *
 * Simplified: what is written through takes no more of the data port than the write itself; a partial line is written
 * back before its missing bytes have come, and nothing waits for them. */
#include "llc/llc_slice.h"

/* ---- dirty bytes ---- */

/* Sectors whose bytes are all in the mask. */
static uint8_t full_sectors(const struct mem_bytes *m) {
  uint8_t r = 0;
  for (unsigned i = 0; i < MEM_SECTORS; i++)
    if ((uint32_t)(m->b[i / 2] >> (i % 2 * 32)) == UINT32_MAX) r |= (uint8_t)(1 << i);
  return r;
}

void llc_mark_dirty(struct llc_line *l, const struct mem_bytes *m) {
  l->dirty.b[0] |= m->b[0];
  l->dirty.b[1] |= m->b[1];
  l->valid |= full_sectors(&l->dirty);
  l->through = false;
}

/* The sectors of a store of 128 bytes that can be read after it although not all of their bytes are written (l2.store_sectors). */
static uint8_t taken_for_full(const struct llc_line *l, const struct mem_packet *k) {
  uint32_t before = 0;
  uint8_t r = 0;
  for (unsigned i = 0; i < MEM_SECTORS && k->payload == MEM_LINE; i++) {
    unsigned at = i % 2 * 32;
    before += (uint32_t)__builtin_popcount((uint32_t)(k->bytes.b[i / 2] >> at));
    if (before == MEM_SECTOR && !(uint32_t)(l->dirty.b[i / 2] >> at)) r |= (uint8_t)(1 << i);
  }
  return r;
}

void llc_write_back(struct slice *s, uint32_t frame, uint64_t now) {
  struct llc_line *l = &s->lines[frame];
  llc_send_below(s, MEM_WRITEBACK, s->tags.line[frame], mem_sectors_of(l->dirty), &l->dirty, 0, now);
  l->dirty = (struct mem_bytes){{0, 0}};
  s->base.counters[LLC_WRITEBACKS]++;
}

/* ---- write through ---- */

static bool writes_through(const struct slice *s, const struct mem_packet *k) {
  return s->base.views && s->base.views[k->sm].is_private;
}

/* Bytes that were dirty before stay so. */
static void write_through(struct slice *s, struct llc_line *l, const struct mem_packet *k, uint64_t now) {
  bool dirty = llc_must_write_back(l);
  llc_mark_dirty(l, &k->bytes);
  l->through = !dirty;
  llc_send_below(s, MEM_WRITEBACK, k->line, k->sectors, &k->bytes, 0, now);
  s->base.counters[LLC_WRITE_THROUGHS]++;
}

/* ---- fetch ---- */

/* The write goes on to DRAM, and the line is fetched; of one that is outstanding, the sectors that it was asked for. */
static int write_and_fetch(struct slice *s, struct mem_packet *k, int32_t frame, uint64_t now) {
  enum { WHOLE = (1 << MEM_SECTORS) - 1 };
  int32_t at = frame == MEM_NO_FRAME ? MEM_NO_MSHR : mem_mshr_find(&s->mshr, k->line);
  if (frame == MEM_NO_FRAME && (frame = mem_tags_victim(&s->tags, llc_set_of(k))) == MEM_NO_FRAME) return LLC_STALL_LINE;
  if (mem_ring_free_slots(&s->misses) < LLC_MOST_OF_WRITE) return LLC_STALL_MISS_QUEUE;
  if (at != MEM_NO_MSHR && !mem_mshr_mergeable(&s->mshr, at)) return LLC_STALL_MERGE;
  if (at == MEM_NO_MSHR && mem_mshr_full(&s->mshr)) return LLC_STALL_MSHR;
  struct mem_packet *write = mem_packet_new(s->pool), *waits = mem_packet_new(s->pool);
  *write = (struct mem_packet){.kind = MEM_WRITE, .line = k->line, .sectors = k->sectors, .bytes = k->bytes, .followers = k,
                               .slice = (uint16_t)s->base.id, .born = now, .sent = now, .payload = k->payload};
  *waits = (struct mem_packet){.kind = MEM_PREFETCH, .line = k->line, .sm = k->sm};
  waits->sectors = at == MEM_NO_MSHR ? WHOLE : s->lines[frame].pending;
  k->l2_hit = false;
  llc_count_access(s, k, at == MEM_NO_MSHR ? LLC_MISSES : LLC_PENDING_HITS, 0);
  mem_ring_push(&s->misses, write, now);
  s->base.counters[LLC_WRITE_THROUGHS]++;
  if (at == MEM_NO_MSHR) {
    llc_replace(s, (uint32_t)frame, k, now);
    at = llc_begin_miss(s, k, frame, WHOLE, now);
  } else {
    mem_tags_touch(&s->tags, frame);
  }
  mem_mshr_wait(&s->mshr, at, waits);
  llc_drop_copy(s, llc_set_of(k), k->line);
  return 0;
}

void llc_acknowledge(struct slice *s, struct mem_packet *f, uint64_t now) {
  struct mem_packet *k = f->followers;
  mem_packet_free(s->pool, f);
  llc_reply_to(s, k, now + s->base.wake.period);
  s->moved = true;
}

/* ---- a write ---- */

/* Writes the line of a set that was least recently used back if more are dirty than l2.dirty_ways; it stays. Without a free slot
 * below, the next write does. */
static void clean_oldest(struct slice *s, uint32_t set, uint64_t now) {
  uint32_t dirty = 0, first = set * s->tags.c.ways;
  int32_t oldest = MEM_NO_FRAME;
  for (uint32_t frame = first; frame < first + s->tags.c.ways; frame++) {
    if (mem_tags_line(&s->tags, frame) == MEM_NO_LINE || !llc_is_dirty(s, (int32_t)frame)) continue;
    dirty++;
    if (oldest == MEM_NO_FRAME || s->tags.used[frame] < s->tags.used[oldest]) oldest = (int32_t)frame;
  }
  if (dirty > s->c.dirty_ways && mem_ring_free_slots(&s->misses)) llc_write_back(s, (uint32_t)oldest, now);
}

/* ---- lines that are written in part ---- */

static uint8_t in_part(const struct slice *s, uint32_t frame) {
  return mem_sectors_of(s->lines[frame].dirty) & (uint8_t) ~(s->lines[frame].valid | s->lines[frame].pending);
}

static bool is_in_part(const struct slice *s, const struct llc_part *p) {
  return mem_tags_line(&s->tags, p->frame) == p->line && in_part(s, p->frame);
}

/* False: there is no room for it below. A line that waits for other data is left as it is. */
static bool complete(struct slice *s, const struct llc_part *p, uint16_t sm, uint64_t now) {
  struct llc_line *l = &s->lines[p->frame];
  uint8_t sectors = in_part(s, p->frame);
  if (l->pending || !sectors || mem_tags_line(&s->tags, p->frame) != p->line) return true;
  if (mem_mshr_full(&s->mshr) || mem_ring_free_slots(&s->misses) < LLC_MOST_OF_READ) return false;
  struct mem_packet wants = {.kind = MEM_PREFETCH, .line = p->line, .sectors = sectors, .sm = sm};
  if (mem_ring_free_slots(&s->misses) > s->misses.capacity / 2) llc_write_back(s, p->frame, now);
  llc_begin_miss(s, &wants, (int32_t)p->frame, sectors, now);
  l->completing = sectors;
  s->base.counters[LLC_COMPLETED]++;
  return true;
}

static struct llc_part *part_at(const struct slice *s, uint32_t i) { return &s->parts[(s->first_part + i) % llc_most_parts(s)]; }

static void strike_first(struct slice *s) {
  const struct llc_part *p = part_at(s, 0);
  if (mem_tags_line(&s->tags, p->frame) == p->line) s->lines[p->frame].listed = false;
  s->first_part = (s->first_part + 1) % (uint32_t)llc_most_parts(s);
  s->n_parts--;
}

/* Takes what is whole or gone off the list. */
static void thin_parts(struct slice *s) {
  for (uint32_t i = s->n_parts; i > 0; i--) {
    struct llc_part p = *part_at(s, 0);
    bool stays = is_in_part(s, &p);
    strike_first(s);
    if (!stays) continue;
    s->lines[p.frame].listed = true;
    *part_at(s, s->n_parts++) = p;
  }
  s->new_parts = 0;
}

/* Whether a write may make one more line partial: the oldest beyond l2.partial_lines are completed first. Some of the list may be whole
 * by then: it is looked through whenever a quarter of it is new. */
static bool has_room_for_part(struct slice *s, const struct mem_packet *k, int32_t frame, uint64_t now) {
  const struct llc_line *l = frame == MEM_NO_FRAME ? NULL : &s->lines[frame];
  if (!mem_in_part(k->bytes) || (l && (l->listed || !(k->sectors & ~(l->valid | l->pending))))) return true;
  if (s->n_parts >= s->c.partial_lines && s->new_parts > s->c.partial_lines / 4) thin_parts(s);
  for (unsigned i = 0; i < 2 && s->n_parts >= s->c.partial_lines && complete(s, part_at(s, 0), k->sm, now); i++) strike_first(s);
  return s->n_parts < llc_most_parts(s);
}

static void list_part(struct slice *s, uint32_t frame, const struct mem_packet *k) {
  if (s->lines[frame].listed || !in_part(s, frame)) return;
  s->lines[frame].listed = true;
  *part_at(s, s->n_parts++) = (struct llc_part){.line = k->line, .frame = frame};
  s->new_parts++;
}

int llc_access_write(struct slice *s, struct mem_packet *k, uint64_t now) {
  k->sectors = mem_sectors_of(k->bytes);
  k->l2_hit = true; /* it uses the data port */
  int why = llc_answer_stall(s, k, now);
  if (why) return why;
  int32_t frame = mem_tags_find(&s->tags, llc_set_of(k), k->line);
  bool hit = frame != MEM_NO_FRAME, through = writes_through(s, k);
  if (s->c.hold_writes && hit && (s->lines[frame].pending & ~s->lines[frame].completing)) return LLC_STALL_MERGE;
  if (s->c.partial_lines && !has_room_for_part(s, k, frame, now)) return LLC_STALL_MISS_QUEUE;
  if (s->c.write_fetches && (!hit || s->lines[frame].pending)) return write_and_fetch(s, k, frame, now);
  if (!hit) {
    frame = mem_tags_victim(&s->tags, llc_set_of(k));
    if (frame == MEM_NO_FRAME) return LLC_STALL_LINE;
    if (!llc_miss_fits(s, frame, through)) return LLC_STALL_MISS_QUEUE;
    llc_replace(s, (uint32_t)frame, k, now);
    llc_look_up_sectors(s, k->sectors, now);
  } else {
    if (through && !mem_ring_free_slots(&s->misses)) return LLC_STALL_MISS_QUEUE;
    mem_tags_touch(&s->tags, frame);
    if (k->keep) llc_apply_keep(s, frame, k);
  }
  if (s->c.gpgpusim_sectors) s->lines[frame].valid |= taken_for_full(&s->lines[frame], k);
  if (through)
    write_through(s, &s->lines[frame], k, now);
  else
    llc_mark_dirty(&s->lines[frame], &k->bytes);
  if (s->c.dirty_ways) clean_oldest(s, llc_set_of(k), now);
  if (s->c.partial_lines) list_part(s, (uint32_t)frame, k);
  llc_drop_copy(s, llc_set_of(k), k->line);
  llc_count_access(s, k, hit ? LLC_HITS : LLC_MISSES, 0);
  k->l2_hit = hit;
  llc_answer(s, k, now);
  return 0;
}
