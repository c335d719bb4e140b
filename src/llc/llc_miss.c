/* Misses: what leaves the slice for DRAM, and what comes back. A miss takes an MSHR and a frame, which stays locked
 * until all its sectors are here. It requests them from DRAM, or from an SM that may have the line (mem/peers.h);
 * further requests for the line wait in the MSHR. When data comes, requests that have all their sectors are answered
 * in order, one a cycle.
 *
 * Owns: MSHRs, the miss queue, the list of answered misses. Does not: decide what a write does (llc_write.c).
 *
 * Simplified: an MSHR is for a line, not for a sector; a merged request waits until all its sectors are here. */
#include "llc/llc_slice.h"

/* ---- towards DRAM ---- */

void llc_send_below(struct slice *s, enum mem_kind kind, uint64_t line, uint8_t sectors, const struct mem_bytes *bytes, uint16_t sm,
                    uint64_t now) {
  struct mem_packet *k = mem_packet_new(s->pool);
  k->kind = (uint8_t)kind;
  k->line = line;
  k->sectors = sectors;
  if (bytes) k->bytes = *bytes;
  k->sm = sm;
  k->slice = (uint16_t)s->base.id;
  k->born = k->sent = now;
  k->payload = (uint16_t)(kind == MEM_WRITEBACK ? MEM_SECTOR * llc_count_sectors(sectors) : 0);
  mem_ring_push(&s->misses, k, now);
}

/* From an SM that may have it, if there is one and the reply queue has a free slot for the question; else from DRAM. */
static bool ask_sm(struct slice *s, uint64_t line, uint8_t sectors, uint16_t asks, uint64_t now) {
  if (!s->base.peers || !mem_ring_free_slots(&s->replies)) return false;
  int32_t sm = s->base.peers->who(s->base.peers, line, asks);
  if (sm == MEM_NOBODY) return false;
  struct mem_packet *k = mem_packet_new(s->pool);
  *k = (struct mem_packet){.kind = MEM_PEER_READ, .line = line, .sectors = sectors, .sm = (uint16_t)sm,
                           .slice = (uint16_t)s->base.id, .born = now, .sent = now};
  mem_ring_push(&s->replies, k, now + s->base.wake.period);
  return true;
}

static void send_fetch(struct slice *s, uint64_t line, uint8_t sectors, uint16_t asks, uint64_t now) {
  if (s->c.fetch_per_sector) {
    for (uint8_t left = sectors; left; left &= (uint8_t)(left - 1))
      llc_send_below(s, MEM_READ, line, (uint8_t)(left & -left), NULL, asks, now);
    s->base.counters[LLC_FETCHES] += llc_count_sectors(sectors) - 1;
  } else if (!ask_sm(s, line, sectors, asks, now)) {
    llc_send_below(s, MEM_READ, line, sectors, NULL, asks, now);
  }
  s->base.counters[LLC_FETCHES]++;
  s->base.counters[LLC_FETCHED_SECTORS] += llc_count_sectors(sectors);
}

/* Packets that fetching these sectors sends below. */
static uint32_t fetch_packets(const struct slice *s, uint8_t sectors) {
  return s->c.fetch_per_sector ? llc_count_sectors(sectors) : sectors != 0;
}

void llc_replace(struct slice *s, uint32_t frame, const struct mem_packet *k, uint64_t now) {
  if (llc_holds(s, (int32_t)frame)) {
    s->base.counters[LLC_EVICTIONS]++;
    if (llc_must_write_back(&s->lines[frame])) {
      llc_write_back(s, frame, now);
      if (s->c.single_port) s->data_free = now + llc_port_time(s, MEM_LINE);
    }
  }
  s->lines[frame] = (struct llc_line){.program = llc_program_of(s, k)};
  mem_tags_place(&s->tags, (int32_t)frame, k->line);
  if (k->keep) llc_apply_keep(s, (int32_t)frame, k);
}

uint64_t llc_drain_misses(struct slice *s, uint64_t now) {
  if (!mem_port_free_slots(s->base.mem, now)) return mem_port_stall(s->base.mem, &s->base.wake, now);
  mem_port_push(s->base.mem, mem_ring_pop(&s->misses), now);
  s->moved = true;
  return s->misses.count ? now : MEM_NEVER;
}

/* ---- misses ---- */

/* These sectors are on their way; what else the request wants of the line is lent to it when they come. */
static void expect(struct llc_line *l, const struct mem_packet *k, uint8_t fetch) {
  l->pending |= fetch;
  l->unasked |= (uint8_t)(fetch & ~k->sectors);
  l->lent |= (uint8_t)(k->sectors & ~(l->valid | l->pending));
}

int llc_access_pending(struct slice *s, struct mem_packet *k, int32_t frame, int32_t at, uint8_t fetch, uint64_t now) {
  if (!mem_mshr_mergeable(&s->mshr, at)) return LLC_STALL_MERGE;
  if (mem_ring_free_slots(&s->misses) < (s->c.write_fetches ? LLC_MOST_OF_READ : fetch_packets(s, fetch))) return LLC_STALL_MISS_QUEUE;
  if (fetch) {
    send_fetch(s, k->line, fetch, k->sm, now);
    expect(&s->lines[frame], k, fetch);
    s->base.counters[LLC_SECTOR_MISSES]++;
  }
  mem_tags_touch(&s->tags, frame);
  llc_look_up_sectors(s, k->sectors, now);
  llc_count_access(s, k, fetch ? LLC_MISSES : LLC_PENDING_HITS, fetch | s->lines[frame].unasked);
  s->lines[frame].unasked &= (uint8_t)~k->sectors;
  mem_mshr_wait(&s->mshr, at, k);
  return 0;
}

int32_t llc_begin_miss(struct slice *s, const struct mem_packet *k, int32_t frame, uint8_t fetch, uint64_t now) {
  int32_t at = mem_mshr_new(&s->mshr, k->line);
  s->mshr.entries[at].frame = (uint32_t)frame;
  expect(&s->lines[frame], k, fetch);
  mem_tags_lock(&s->tags, frame);
  send_fetch(s, k->line, fetch, k->sm, now);
  return at;
}

int llc_access_miss(struct slice *s, struct mem_packet *k, int32_t frame, uint8_t fetch, uint64_t now) {
  if (mem_mshr_full(&s->mshr)) return LLC_STALL_MSHR;
  if (s->c.write_fetches && mem_ring_free_slots(&s->misses) < LLC_MOST_OF_READ) return LLC_STALL_MISS_QUEUE;
  if (frame != MEM_NO_FRAME) {
    if (mem_ring_free_slots(&s->misses) < fetch_packets(s, fetch)) return LLC_STALL_MISS_QUEUE;
    s->base.counters[LLC_SECTOR_MISSES]++;
    mem_tags_touch(&s->tags, frame);
  } else {
    frame = mem_tags_victim(&s->tags, llc_set_of(k));
    if (frame == MEM_NO_FRAME) return LLC_STALL_LINE;
    if (!llc_miss_fits(s, frame, fetch_packets(s, fetch))) return LLC_STALL_MISS_QUEUE;
    llc_replace(s, (uint32_t)frame, k, now);
  }
  int32_t at = llc_begin_miss(s, k, frame, fetch, now);
  llc_look_up_sectors(s, k->sectors, now);
  llc_count_access(s, k, LLC_MISSES, fetch);
  mem_mshr_wait(&s->mshr, at, k);
  return 0;
}

/* ---- data that comes ---- */

static void append_answered(struct slice *s, struct mem_packet *k) {
  k->next = NULL;
  if (s->answered)
    s->answered_last->next = k;
  else
    s->answered = k;
  s->answered_last = k;
}

/* Requests that have all their sectors go on, and atomics change the line while it cannot be evicted; the
 * others keep waiting. */
static void release_waiting(struct slice *s, int32_t at, struct llc_line *l) {
  struct mem_packet *k = mem_mshr_take(&s->mshr, at), *next;
  for (; k; k = next) {
    next = k->next;
    if (k->sectors & ~l->valid & ~(l->valid << 1 & l->lent)) {
      mem_mshr_wait(&s->mshr, at, k);
      continue;
    }
    if (llc_is_atomic(k)) llc_mark_dirty(l, &k->bytes);
    append_answered(s, k);
  }
}

static void fill(struct slice *s, struct mem_packet *f, uint64_t now) {
  int32_t at = mem_mshr_find(&s->mshr, f->line);
  assert(at != MEM_NO_MSHR);
  uint32_t frame = s->mshr.entries[at].frame;
  struct llc_line *l = &s->lines[frame];
  l->valid |= f->sectors;
  l->pending &= (uint8_t)~f->sectors;
  l->unasked &= (uint8_t)~f->sectors;
  l->completing &= (uint8_t)~f->sectors;
  s->fill_free = now + llc_port_time(s, MEM_SECTOR * llc_count_sectors(f->sectors));
  s->base.counters[LLC_FILLS]++;
  MEM_NOTIFY(&s->base.observers, filled, f, now);
  mem_packet_free(s->pool, f);
  release_waiting(s, at, l);
  if (!l->pending) {
    l->lent = 0;
    mem_mshr_end(&s->mshr, at);
    mem_tags_unlock(&s->tags, (int32_t)frame);
  }
  s->moved = true;
}

uint64_t llc_take_fill(struct slice *s, uint64_t now) {
  const struct mem_packet *f = mem_port_peek(&s->base.fill, now);
  if (!f) return mem_port_next(&s->base.fill);
  if (f->kind == MEM_WRITE_ACK) {
    if (mem_ring_free_slots(&s->replies) < llc_replies_of(s, f->followers)) return MEM_NEVER;
    llc_acknowledge(s, mem_port_pop(&s->base.fill, now), now);
    return mem_port_next(&s->base.fill) <= now ? now : mem_port_next(&s->base.fill);
  }
  if (s->fill_free > now) return s->fill_free;
  fill(s, mem_port_pop(&s->base.fill, now), now);
  return mem_port_next(&s->base.fill) <= now ? now : mem_port_next(&s->base.fill);
}

uint64_t llc_take_answer(struct slice *s, uint64_t now) {
  struct mem_port *from = &s->base.peers->answers;
  const struct mem_packet *k = mem_port_peek(from, now);
  if (!k) return mem_port_next(from);
  bool none = k->kind == MEM_PEER_NONE;
  if (none ? !mem_ring_free_slots(&s->misses) : s->fill_free > now) return now;
  struct mem_packet *mine = mem_port_pop(from, now);
  if (none) {
    mine->kind = MEM_READ;
    mem_ring_push(&s->misses, mine, now);
  } else {
    fill(s, mine, now);
  }
  s->moved = true;
  return from->count ? mem_later(mem_port_next(from), now) : MEM_NEVER;
}

uint64_t llc_answer_miss(struct slice *s, uint64_t now) {
  struct mem_packet *k = s->answered;
  int why = llc_answer_stall(s, k, now);
  if (why) return llc_stall_end(s, why);
  s->answered = k->next;
  llc_answer(s, k, now);
  s->moved = true;
  return s->answered ? now : MEM_NEVER;
}
