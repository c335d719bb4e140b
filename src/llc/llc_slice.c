/* See llc.h. One visit is one L2 cycle: replies and misses leave, data comes in, answered misses and new
 * accesses use the tags and the data port, requests enter the latency pipe. The slice sleeps until the next
 * of these can happen; what a request waited for is counted in cycles when it goes on.
 *
 * Simplified: an MSHR holds a line, not a sector; a merged request waits until all its sectors are here; tags
 * are read and a line reserved in one cycle; a prefetch gets no reply; atomics of one packet share one pass
 * of the unit; what is written through takes no more of the data port than the write itself.
 *
 * A write that misses takes a line without fetching it, or (l2.write_miss = fetch) goes on to DRAM, which acknowledges it, while the
 * line is fetched; its place among the requests that wait for the line is taken by a prefetch.
 *
 * L2 in two partitions (l2.partitions): half of the channels are near to an SM, half are far. What an SM
 * reads from a far slice is also kept as a copy in the near partition, where it hits without the far latency.
 * Here the copy takes a frame of the line's own slice instead of its twin's in the other partition, under the
 * tag line + 1: the capacity that copies take from lines is the same over the whole L2, and a write drops the
 * copy where it is. The far latency is charged on the way there, for both ways. */
#include "base/arena.h"
#include "llc/llc_coalesce.h"
#include "llc/llc_config.h"
#include "mem/mem_mshr.h"
#include "mem/mem_ring.h"
#include "mem/mem_stall.h"
#include "mem/mem_tags.h"

#include <stdlib.h>

/* What is known of the line in a frame. A sector is valid when all of it can be read; bytes written into a
 * sector that is not are only dirty. */
struct line {
  struct mem_bytes dirty;
  uint8_t valid, pending;
  bool through;    /* DRAM has the dirty bytes already */
  uint8_t program; /* of the SM that brought it in */
};

struct slice {
  struct llc_slice base;
  struct llc_config c;
  const struct mem_map *map;
  struct mem_pool *pool;
  struct mem_tags tags;
  struct line *lines;
  struct mem_mshr mshr;
  struct llc_coalescer coalescer;
  struct mem_ring pipe, replies, misses;
  struct mem_ring ready;                       /* past their latency, if that has a queue of its own (l2.unbounded_latency) */
  struct mem_ring distant;                     /* requests from the other partition on their way */
  struct mem_packet *answered, *answered_last; /* misses whose data has come, in order */
  uint32_t n_answered;
  uint64_t data_free, fill_free, atomic_free; /* when each is idle again */
  uint32_t data_spare;                        /* bytes that the data port can still move in its last cycle */
  int stall;                                  /* enum llc_stat of the oldest request's wait, or 0 */
  uint64_t stalled_since;
  bool flushing;
  uint8_t flush_program; /* or LLC_EVERY_PROGRAM */
  uint32_t flush_at;     /* next frame to look at */
  uint64_t finished;     /* requests answered or ended */
  bool moved;            /* this visit changed something */
  uint32_t partition;    /* that it is in */
  uint32_t sms;          /* of the GPU */
  bool distant_stalled; /* the oldest distant request could not be served at this visit */
};

static struct slice *of(struct llc_slice *s) { return (struct slice *)s; }
static const struct slice *of_const(const struct llc_slice *s) { return (const struct slice *)s; }

/* Most spans that are counted are of one cycle or none: no division for them. */
static uint64_t whole_cycles(const struct slice *s, uint64_t span) {
  uint64_t period = s->base.wake.period;
  return span == 0 ? 0 : span == period ? 1 : span / period;
}

/* ---- masks ---- */

static bool any_byte(const struct mem_bytes *m) { return m->b[0] | m->b[1]; }
static uint32_t count_sectors(uint8_t m) {
  static const uint8_t bits[1 << MEM_SECTORS] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
  return bits[m & 15];
}
static uint32_t count_bytes(const struct mem_bytes *m) {
  return (uint32_t)(__builtin_popcountll(m->b[0]) + __builtin_popcountll(m->b[1]));
}
/* Sectors whose bytes are all in the mask. */
static uint8_t full_sectors(const struct mem_bytes *m) {
  uint8_t r = 0;
  for (unsigned i = 0; i < MEM_SECTORS; i++)
    if ((uint32_t)(m->b[i / 2] >> (i % 2 * 32)) == UINT32_MAX) r |= (uint8_t)(1 << i);
  return r;
}
static void mark_dirty(struct line *l, const struct mem_bytes *m) {
  l->dirty.b[0] |= m->b[0];
  l->dirty.b[1] |= m->b[1];
  l->valid |= full_sectors(&l->dirty);
  l->through = false;
}
static bool must_write_back(const struct line *l) { return any_byte(&l->dirty) && !l->through; }

static bool is_atomic(const struct mem_packet *k) { return k->kind == MEM_ATOMIC || k->kind == MEM_REDUCE; }

/* ---- while a packet is here its `local` holds when it came and its set ---- */

enum { SET_BITS = 20 };
static uint32_t set_of(const struct mem_packet *k) { return (uint32_t)k->local & ((1u << SET_BITS) - 1); }
static uint64_t came(const struct mem_packet *k) { return k->local >> SET_BITS; }

/* ---- partitions ---- */

static uint64_t copy_of(uint64_t line) { return line | 1; }

static bool is_far(const struct slice *s, const struct mem_packet *k) {
  return s->c.partitions > 1 && llc_block_of(k->sm, s->sms, s->c.partitions) != s->partition;
}

static void drop_copy(struct slice *s, uint32_t set, uint64_t line) {
  int32_t frame = s->c.partitions > 1 ? mem_tags_find(&s->tags, set, copy_of(line)) : MEM_NO_FRAME;
  if (frame == MEM_NO_FRAME) return;
  mem_tags_drop(&s->tags, frame);
  s->lines[frame] = (struct line){0};
}

/* ---- towards DRAM ---- */

static void send_below(struct slice *s, enum mem_kind kind, uint64_t line, uint8_t sectors,
                       const struct mem_bytes *bytes, uint64_t now) {
  struct mem_packet *k = mem_packet_new(s->pool);
  k->kind = (uint8_t)kind;
  k->line = line;
  k->sectors = sectors;
  if (bytes) k->bytes = *bytes;
  k->slice = (uint16_t)s->base.id;
  k->born = k->sent = now;
  k->payload = (uint16_t)(kind == MEM_WRITEBACK ? MEM_SECTOR * count_sectors(sectors) : 0);
  mem_ring_push(&s->misses, k, now);
}

/* From an SM that may have it, if there is one and the reply queue has room for the question; else from DRAM. */
static bool ask_sm(struct slice *s, uint64_t line, uint8_t sectors, uint16_t asks, uint64_t now) {
  if (!s->base.hint || !mem_ring_room(&s->replies)) return false;
  int32_t sm = s->base.hint->who(s->base.hint, line, asks);
  if (sm == MEM_NOBODY) return false;
  struct mem_packet *k = mem_packet_new(s->pool);
  *k = (struct mem_packet){.kind = MEM_WRITE_ACK, .fetch = true, .line = line, .sectors = sectors, .sm = (uint16_t)sm,
                           .slice = (uint16_t)s->base.id, .born = now, .sent = now};
  mem_ring_push(&s->replies, k, now + s->base.wake.period);
  return true;
}

static void send_fetch(struct slice *s, uint64_t line, uint8_t sectors, uint16_t asks, uint64_t now) {
  if (s->c.fetch_per_sector) {
    for (uint8_t left = sectors; left; left &= (uint8_t)(left - 1)) send_below(s, MEM_READ, line, (uint8_t)(left & -left), NULL, now);
    s->base.counters[LLC_FETCHES] += count_sectors(sectors) - 1;
  } else if (!ask_sm(s, line, sectors, asks, now)) {
    send_below(s, MEM_READ, line, sectors, NULL, now);
  }
  s->base.counters[LLC_FETCHES]++;
  s->base.counters[LLC_FETCHED_SECTORS] += count_sectors(sectors);
}

static void write_back(struct slice *s, uint32_t frame, uint64_t now) {
  struct line *l = &s->lines[frame];
  send_below(s, MEM_WRITEBACK, s->tags.line[frame], mem_sectors_of(l->dirty), &l->dirty, now);
  l->dirty = (struct mem_bytes){{0, 0}};
  s->base.counters[LLC_WRITEBACKS]++;
}

static uint8_t program_of(const struct slice *s, const struct mem_packet *k) {
  return s->base.views ? s->base.views[k->sm].program : 0;
}
static bool belongs(const struct line *l, uint8_t program) {
  return program == LLC_EVERY_PROGRAM || l->program == program;
}

static uint64_t port_time(const struct slice *s, uint32_t bytes) {
  return (bytes + s->c.data_bytes - 1) / s->c.data_bytes * s->base.wake.period;
}

/* Empties a frame for another line and puts that in. */
static void replace(struct slice *s, uint32_t frame, const struct mem_packet *k, uint64_t now) {
  if (s->tags.line[frame] != MEM_NO_LINE) {
    s->base.counters[LLC_EVICTIONS]++;
    if (must_write_back(&s->lines[frame])) {
      write_back(s, frame, now);
      if (s->c.single_port) s->data_free = now + port_time(s, MEM_LINE);
    }
  }
  s->lines[frame] = (struct line){.program = program_of(s, k)};
  mem_tags_place(&s->tags, (int32_t)frame, k->line);
}

/* Keeps what a far SM has read near to it, unless that would send something below. */
static void keep_copy(struct slice *s, const struct mem_packet *k) {
  if (k->kind != MEM_READ || !is_far(s, k)) return;
  uint32_t set = set_of(k);
  int32_t frame = mem_tags_find(&s->tags, set, copy_of(k->line));
  if (frame == MEM_NO_FRAME) {
    frame = mem_tags_victim(&s->tags, set);
    if (frame == MEM_NO_FRAME || must_write_back(&s->lines[frame])) return;
    s->base.counters[LLC_EVICTIONS] += s->tags.line[frame] != MEM_NO_LINE;
    s->lines[frame] = (struct line){0};
    mem_tags_place(&s->tags, frame, copy_of(k->line));
  }
  s->lines[frame].valid |= k->sectors;
}

/* ---- replies ---- */

static uint32_t replies_of(const struct slice *s, const struct mem_packet *k) {
  switch (k->kind) {
  case MEM_READ: return s->c.reply_per_sector ? count_sectors(k->sectors) : 1;
  case MEM_WRITE: return s->c.ack_per_sector ? count_sectors(k->sectors) : 1;
  case MEM_PREFETCH: return 0;
  default: return 1;
  }
}

static uint32_t data_bytes_of(const struct mem_packet *k) {
  switch (k->kind) {
  case MEM_READ: return MEM_SECTOR * count_sectors(k->sectors);
  case MEM_WRITE:
  case MEM_ATOMIC: return k->payload;
  default: return 0;
  }
}

static void turn_into_reply(struct mem_packet *k, uint32_t payload) {
  static const uint8_t reply[] = {[MEM_READ] = MEM_READ_REPLY,
                                  [MEM_WRITE] = MEM_WRITE_ACK,
                                  [MEM_ATOMIC] = MEM_ATOMIC_REPLY,
                                  [MEM_REDUCE] = MEM_WRITE_ACK};
  k->kind = reply[k->kind];
  k->payload = (uint16_t)payload;
}

/* One packet a sector: the request itself carries the last, copies of it the others. */
static void reply_by_sector(struct slice *s, struct mem_packet *k, uint32_t bytes_each, uint64_t ready) {
  uint8_t all = k->sectors;
  uint32_t sent = 0;
  turn_into_reply(k, bytes_each);
  for (; all; all &= (uint8_t)(all - 1)) {
    struct mem_packet *one = k;
    if (all & (all - 1)) {
      one = mem_packet_new(s->pool);
      *one = *k;
      one->local = 0;
    }
    one->sectors = (uint8_t)(all & -all);
    sent += bytes_each;
    uint64_t busy = port_time(s, sent);
    mem_ring_push(&s->replies, one, ready + (busy ? busy - s->base.wake.period : 0));
  }
}

/* Takes the data port for this many bytes and returns for how long. Requests that follow each other at once share a
 * cycle that the first does not fill. */
static uint64_t take_data_port(struct slice *s, uint32_t bytes, uint64_t now) {
  if (!bytes) return 0;
  uint32_t spare = s->data_free == now ? s->data_spare : 0, left = bytes > spare ? bytes - spare : 0;
  uint64_t busy = port_time(s, left);
  s->data_free = mem_later(s->data_free, now) + busy; /* later: the line that was replaced is being read out */
  s->data_spare = (uint32_t)(busy / s->base.wake.period) * s->c.data_bytes + spare - bytes;
  return busy;
}

static bool by_sector(const struct slice *s, const struct mem_packet *k) { return replies_of(s, k) > 1; }

static bool carries_data(const struct mem_packet *k) { return k->kind == MEM_READ || k->kind == MEM_ATOMIC; }

/* Whether one reply leaves for a read and its followers. */
static bool together(const struct slice *s, const struct mem_packet *k) {
  return s->base.copies && !s->base.filter && !s->base.packer && !by_sector(s, k);
}

static uint32_t replies_of_all(const struct slice *s, const struct mem_packet *k) {
  uint32_t n = replies_of(s, k);
  if (!k->followers || together(s, k)) return n;
  while ((k = k->followers)) n += replies_of(s, k);
  return n;
}

static void tell_hint(struct slice *s, const struct mem_packet *k) {
  if (s->base.hint && k->kind == MEM_READ && k->class_ == MEM_GLOBAL && !k->bypass)
    s->base.hint->gave(s->base.hint, k->line, k->sm);
}

static void reply_to(struct slice *s, struct mem_packet *k, uint64_t ready) {
  tell_hint(s, k);
  if (k->kind == MEM_PREFETCH) {
    mem_packet_free(s->pool, k);
  } else if (by_sector(s, k)) {
    reply_by_sector(s, k, k->kind == MEM_READ ? MEM_SECTOR : 0, ready);
  } else {
    turn_into_reply(k, carries_data(k) ? data_bytes_of(k) : 0);
    mem_ring_push(&s->replies, k, ready);
  }
}

/* Whether the answer moves data through the port; that of a miss may come past it, with the fill. */
static bool uses_port(const struct slice *s, const struct mem_packet *k) { return k->l2_hit || !s->c.single_port; }

/* Answers a request whose data is here; the reply queue has room and the data port is free. */
static void answer(struct slice *s, struct mem_packet *k, uint64_t now) {
  uint32_t bytes = data_bytes_of(k);
  uint64_t busy = uses_port(s, k) ? take_data_port(s, bytes, now) : 0, period = s->base.wake.period;
  uint64_t ready = now + s->c.hit_latency;
  if (is_atomic(k)) {
    uint32_t words = (count_bytes(&k->bytes) + 3) / 4;
    uint64_t work = (words + s->c.atomic_rate - 1) / s->c.atomic_rate * period;
    s->atomic_free = now + work;
    ready += s->c.atomic_latency + (work ? work - period : 0);
  }
  s->finished++;
  keep_copy(s, k);
  llc_coalesce_close(&s->coalescer, k);
  if (busy && !by_sector(s, k)) ready += carries_data(k) ? busy - period : 0;
  bool one = together(s, k);
  for (struct mem_packet *f = k->followers, *next; f; f = next) {
    next = f->followers;
    f->l2_hit = k->l2_hit;
    if (one) {
      tell_hint(s, f);
      turn_into_reply(f, data_bytes_of(f));
    } else {
      f->followers = NULL;
      reply_to(s, f, ready);
    }
  }
  if (!one) k->followers = NULL;
  reply_to(s, k, ready);
}

/* What keeps a request whose data is here from being answered: 0 or a stall. */
static int answer_stall(const struct slice *s, const struct mem_packet *k, uint64_t now) {
  if (mem_ring_room(&s->replies) < replies_of_all(s, k)) return LLC_STALL_REPLY;
  if (k->kind != MEM_PREFETCH && k->kind != MEM_REDUCE && uses_port(s, k) && s->data_free > now) return LLC_STALL_DATA_PORT;
  if (is_atomic(k) && s->atomic_free > now) return LLC_STALL_ATOMIC;
  return 0;
}

static void send_reply(struct slice *s, struct mem_packet *k, uint64_t now) {
  uint64_t *c = s->base.counters;
  c[LLC_REPLIES]++;
  c[LLC_REPLY_BYTES] += k->payload;
  for (const struct mem_packet *f = k; f; f = f->followers)
    if (f->local) c[LLC_LATENCY] += (now - came(f)) / s->base.wake.period;
  mem_port_push(s->base.reply, k, now);
  s->moved = true;
}

/* The oldest reply, through the filter. */
static struct mem_packet *pop_reply(struct slice *s) {
  struct mem_packet *k = mem_ring_pop(&s->replies);
  if (s->base.filter) reply_filter_reply(s->base.filter, k);
  return k;
}

static uint64_t drain_replies(struct slice *s, uint64_t now) {
  struct mem_slot *t = mem_ring_head(&s->replies);
  if (!t || t->ready > now) return t ? t->ready : MEM_NEVER;
  if (!mem_port_room(s->base.reply, now)) return mem_port_stall(s->base.reply, &s->base.wake, now);
  send_reply(s, pop_reply(s), now);
  return s->replies.count ? mem_later(mem_ring_head(&s->replies)->ready, now) : MEM_NEVER;
}

/* With a compressor, one reply a cycle enters it, and one a cycle goes into the network: what the compressor has done, or
 * else a reply that is not for it. */
static uint64_t drain_packed(struct slice *s, uint64_t now) {
  struct reply_packer *p = s->base.packer;
  bool room = mem_port_room(s->base.reply, now), out = reply_pack_next(p) <= now, stuck = out && !room;
  if (out && room) send_reply(s, reply_pack_out(p), now);
  struct mem_slot *t = mem_ring_head(&s->replies);
  if (t && t->ready <= now) {
    if (!reply_packs(t->k) && !out && room) send_reply(s, pop_reply(s), now);
    else if (!reply_packs(t->k)) stuck = !room;
    else if (reply_pack_room(p)) reply_pack_in(p, pop_reply(s), now), s->moved = true;
  }
  uint64_t next = stuck ? mem_port_stall(s->base.reply, &s->base.wake, now) : MEM_NEVER;
  t = mem_ring_head(&s->replies);
  if (t && (reply_packs(t->k) ? reply_pack_room(p) : !stuck)) next = mem_earlier(next, t->ready);
  return out && !room ? next : mem_earlier(next, reply_pack_next(p));
}

static uint64_t drain_misses(struct slice *s, uint64_t now) {
  if (!s->misses.count) return MEM_NEVER;
  if (!mem_port_room(s->base.mem, now)) return mem_port_stall(s->base.mem, &s->base.wake, now);
  mem_port_push(s->base.mem, mem_ring_pop(&s->misses), now);
  s->moved = true;
  return s->misses.count ? now : MEM_NEVER;
}

/* ---- data from DRAM ---- */

static void append_answered(struct slice *s, struct mem_packet *k) {
  k->next = NULL;
  if (s->answered)
    s->answered_last->next = k;
  else
    s->answered = k;
  s->answered_last = k;
  s->n_answered++;
}

/* Requests that have all their sectors go on, and atomics change the line while it cannot be evicted; the
 * others keep waiting. */
static void release_waiting(struct slice *s, int32_t at, struct line *l) {
  struct mem_packet *k = mem_mshr_take(&s->mshr, at), *next;
  for (; k; k = next) {
    next = k->next;
    if (k->sectors & ~l->valid) {
      mem_mshr_wait(&s->mshr, at, k);
      continue;
    }
    if (is_atomic(k)) mark_dirty(l, &k->bytes);
    append_answered(s, k);
  }
}

static void fill(struct slice *s, struct mem_packet *f, uint64_t now) {
  int32_t at = mem_mshr_find(&s->mshr, f->line);
  assert(at != MEM_NO_MSHR);
  uint32_t frame = s->mshr.entries[at].frame;
  struct line *l = &s->lines[frame];
  l->valid |= f->sectors;
  l->pending &= (uint8_t)~f->sectors;
  s->fill_free = now + port_time(s, MEM_SECTOR * count_sectors(f->sectors));
  s->base.counters[LLC_FILLS]++;
  mem_packet_free(s->pool, f);
  release_waiting(s, at, l);
  if (!l->pending) {
    mem_mshr_end(&s->mshr, at);
    mem_tags_unlock(&s->tags, (int32_t)frame);
  }
  s->moved = true;
}

/* DRAM has taken a write that missed: its acknowledgement goes to the SM. */
static void acknowledge(struct slice *s, struct mem_packet *f, uint64_t now) {
  struct mem_packet *k = f->followers;
  mem_packet_free(s->pool, f);
  reply_to(s, k, now + s->base.wake.period);
  s->moved = true;
}

static uint64_t take_fill(struct slice *s, uint64_t now) {
  const struct mem_packet *f = mem_port_peek(&s->base.fill, now);
  if (!f) return mem_port_next(&s->base.fill);
  if (f->kind == MEM_WRITE_ACK) {
    if (mem_ring_room(&s->replies) < replies_of(s, f->followers)) return MEM_NEVER;
    acknowledge(s, mem_port_pop(&s->base.fill, now), now);
    return mem_port_next(&s->base.fill) <= now ? now : mem_port_next(&s->base.fill);
  }
  if (s->fill_free > now) return s->fill_free;
  fill(s, mem_port_pop(&s->base.fill, now), now);
  return mem_port_next(&s->base.fill) <= now ? now : mem_port_next(&s->base.fill);
}

/* What an SM answers that was asked: its line, or that DRAM must be asked. */
static uint64_t take_answer(struct slice *s, uint64_t now) {
  struct mem_port *from = &s->base.hint->answers;
  const struct mem_packet *k = mem_port_peek(from, now);
  if (!k) return mem_port_next(from);
  if (k->kind == MEM_READ ? !mem_ring_room(&s->misses) : s->fill_free > now) return now;
  struct mem_packet *mine = mem_port_pop(from, now);
  mine->fetch = false;
  if (mine->kind == MEM_READ) mem_ring_push(&s->misses, mine, now);
  else fill(s, mine, now);
  s->moved = true;
  return from->count ? mem_later(mem_port_next(from), now) : MEM_NEVER;
}

/* When to look again at a request that stalled for this reason and is not helped by a move. */
static uint64_t stall_end(const struct slice *s, int why) {
  return why == LLC_STALL_DATA_PORT ? s->data_free : why == LLC_STALL_ATOMIC ? s->atomic_free : MEM_NEVER;
}

/* One answered miss a cycle goes to the reply queue. */
static uint64_t answer_miss(struct slice *s, uint64_t now) {
  struct mem_packet *k = s->answered;
  if (!k) return MEM_NEVER;
  int why = answer_stall(s, k, now);
  if (why) return stall_end(s, why);
  s->answered = k->next;
  s->n_answered--;
  answer(s, k, now);
  s->moved = true;
  return s->answered ? now : MEM_NEVER;
}

/* ---- accesses ---- */

static void count_share(struct llc_share *p, enum llc_stat outcome) {
  p->accesses++;
  p->hits += outcome == LLC_HITS;
  p->pending_hits += outcome == LLC_PENDING_HITS;
  p->misses += outcome == LLC_MISSES;
}

/* `fetch` are the sectors that the access asks for below. */
static void count_access(struct slice *s, const struct mem_packet *k, enum llc_stat outcome, uint8_t fetch) {
  uint64_t *c = s->base.counters;
  c[LLC_SECTORS] += count_sectors(k->sectors);
  c[LLC_SECTORS_HIT] += count_sectors(k->kind == MEM_WRITE ? k->sectors : (uint8_t)(k->sectors & ~fetch));
  c[LLC_ACCESSES]++;
  c[outcome]++;
  bool write = k->kind == MEM_WRITE;
  c[write ? LLC_WRITES : is_atomic(k) ? LLC_ATOMICS : LLC_READS]++;
  c[LLC_WRITE_BYTES] += k->payload;
  if (outcome == LLC_MISSES) c[write ? LLC_WRITE_MISSES : LLC_READ_MISSES]++;
  if (s->base.shares) count_share(&s->base.shares[s->base.program_of[k->sm]], outcome);
  if (!s->base.watch) return;
  struct llc_watch *w = &s->base.watch[program_of(s, k)];
  w->accesses++;
  w->misses += outcome == LLC_MISSES;
  w->first += k->sm < w->first_sms;
  if (w->atd) llc_atd_access(w->atd, set_of(k), k->line, k->sm);
}

/* Packets that fetching these sectors sends below. */
static uint32_t fetch_packets(const struct slice *s, uint8_t sectors) {
  return s->c.fetch_per_sector ? count_sectors(sectors) : sectors != 0;
}

/* Room for what replacing the line in this frame sends below, and `more` packets. */
static bool miss_room(const struct slice *s, int32_t frame, uint32_t more) {
  return mem_ring_room(&s->misses) >= more + must_write_back(&s->lines[frame]);
}

static bool writes_through(const struct slice *s, const struct mem_packet *k) {
  return s->base.views && s->base.views[k->sm].is_private;
}

/* Bytes that were dirty before stay so. */
static void write_through(struct slice *s, struct line *l, const struct mem_packet *k, uint64_t now) {
  bool dirty = must_write_back(l);
  mark_dirty(l, &k->bytes);
  l->through = !dirty;
  send_below(s, MEM_WRITEBACK, k->line, k->sectors, &k->bytes, now);
  s->base.counters[LLC_WRITE_THROUGHS]++;
}

/* Requests that a miss may send below at most, which the miss queue must have room for whatever it sends. */
enum { MOST_OF_READ = 2, MOST_OF_WRITE = 3 };

/* The write goes on to DRAM, and the line is fetched or already on its way. */
static int write_and_fetch(struct slice *s, struct mem_packet *k, int32_t frame, uint64_t now) {
  enum { WHOLE = (1 << MEM_SECTORS) - 1 };
  int32_t at = frame == MEM_NO_FRAME ? MEM_NO_MSHR : mem_mshr_find(&s->mshr, k->line);
  if (frame == MEM_NO_FRAME && (frame = mem_tags_victim(&s->tags, set_of(k))) == MEM_NO_FRAME) return LLC_STALL_LINE;
  if (mem_ring_room(&s->misses) < MOST_OF_WRITE) return LLC_STALL_MISS_QUEUE;
  if (at != MEM_NO_MSHR && !mem_mshr_mergeable(&s->mshr, at)) return LLC_STALL_MERGE;
  if (at == MEM_NO_MSHR && mem_mshr_full(&s->mshr)) return LLC_STALL_MSHR;
  struct mem_packet *write = mem_packet_new(s->pool), *waits = mem_packet_new(s->pool);
  *write = (struct mem_packet){.kind = MEM_WRITE, .line = k->line, .sectors = k->sectors, .bytes = k->bytes, .followers = k,
                               .slice = (uint16_t)s->base.id, .born = now, .sent = now, .payload = k->payload};
  *waits = (struct mem_packet){.kind = MEM_PREFETCH, .line = k->line, .sectors = WHOLE, .sm = k->sm};
  k->l2_hit = false;
  count_access(s, k, at == MEM_NO_MSHR ? LLC_MISSES : LLC_PENDING_HITS, 0);
  mem_ring_push(&s->misses, write, now);
  s->base.counters[LLC_WRITE_THROUGHS]++;
  if (at == MEM_NO_MSHR) {
    replace(s, (uint32_t)frame, k, now);
    at = mem_mshr_new(&s->mshr, k->line);
    s->mshr.entries[at].frame = (uint32_t)frame;
    s->lines[frame].pending = WHOLE;
    mem_tags_lock(&s->tags, frame);
    send_fetch(s, k->line, WHOLE, k->sm, now);
  } else {
    mem_tags_touch(&s->tags, frame);
  }
  mem_mshr_wait(&s->mshr, at, waits);
  drop_copy(s, set_of(k), k->line);
  return 0;
}

static int access_write(struct slice *s, struct mem_packet *k, uint64_t now) {
  k->sectors = mem_sectors_of(k->bytes);
  k->l2_hit = true; /* it uses the data port */
  int why = answer_stall(s, k, now);
  if (why) return why;
  int32_t frame = mem_tags_find(&s->tags, set_of(k), k->line);
  bool hit = frame != MEM_NO_FRAME, through = writes_through(s, k);
  if (s->c.write_fetches && (!hit || s->lines[frame].pending)) return write_and_fetch(s, k, frame, now);
  if (!hit) {
    frame = mem_tags_victim(&s->tags, set_of(k));
    if (frame == MEM_NO_FRAME) return LLC_STALL_LINE;
    if (!miss_room(s, frame, through)) return LLC_STALL_MISS_QUEUE;
    replace(s, (uint32_t)frame, k, now);
  } else {
    if (through && !mem_ring_room(&s->misses)) return LLC_STALL_MISS_QUEUE;
    mem_tags_touch(&s->tags, frame);
  }
  if (through)
    write_through(s, &s->lines[frame], k, now);
  else
    mark_dirty(&s->lines[frame], &k->bytes);
  drop_copy(s, set_of(k), k->line);
  count_access(s, k, hit ? LLC_HITS : LLC_MISSES, 0);
  k->l2_hit = hit;
  answer(s, k, now);
  return 0;
}

static int access_hit(struct slice *s, struct mem_packet *k, int32_t frame, uint64_t now) {
  k->l2_hit = true;
  int why = answer_stall(s, k, now);
  if (why) return why;
  mem_tags_touch(&s->tags, frame);
  if (is_atomic(k)) mark_dirty(&s->lines[frame], &k->bytes);
  count_access(s, k, LLC_HITS, 0);
  answer(s, k, now);
  return 0;
}

/* The line is on its way, perhaps without the sectors wanted. */
static int access_pending(struct slice *s, struct mem_packet *k, int32_t frame, int32_t at, uint8_t fetch,
                          uint64_t now) {
  if (!mem_mshr_mergeable(&s->mshr, at)) return LLC_STALL_MERGE;
  if (mem_ring_room(&s->misses) < (s->c.write_fetches ? MOST_OF_READ : fetch_packets(s, fetch))) return LLC_STALL_MISS_QUEUE;
  if (fetch) {
    send_fetch(s, k->line, fetch, k->sm, now);
    s->lines[frame].pending |= fetch;
    s->base.counters[LLC_SECTOR_MISSES]++;
  }
  mem_tags_touch(&s->tags, frame);
  count_access(s, k, fetch ? LLC_MISSES : LLC_PENDING_HITS, fetch);
  mem_mshr_wait(&s->mshr, at, k);
  return 0;
}

/* Nothing of the line is on its way: frame is where it is, or MEM_NO_FRAME. */
static int access_miss(struct slice *s, struct mem_packet *k, int32_t frame, uint8_t fetch, uint64_t now) {
  if (mem_mshr_full(&s->mshr)) return LLC_STALL_MSHR;
  if (s->c.write_fetches && mem_ring_room(&s->misses) < MOST_OF_READ) return LLC_STALL_MISS_QUEUE;
  if (frame != MEM_NO_FRAME) {
    if (mem_ring_room(&s->misses) < fetch_packets(s, fetch)) return LLC_STALL_MISS_QUEUE;
    s->base.counters[LLC_SECTOR_MISSES]++;
    mem_tags_touch(&s->tags, frame);
  } else {
    frame = mem_tags_victim(&s->tags, set_of(k));
    if (frame == MEM_NO_FRAME) return LLC_STALL_LINE;
    if (!miss_room(s, frame, fetch_packets(s, fetch))) return LLC_STALL_MISS_QUEUE;
    replace(s, (uint32_t)frame, k, now);
  }
  int32_t at = mem_mshr_new(&s->mshr, k->line);
  s->mshr.entries[at].frame = (uint32_t)frame;
  s->lines[frame].pending = fetch;
  mem_tags_lock(&s->tags, frame);
  send_fetch(s, k->line, fetch, k->sm, now);
  count_access(s, k, LLC_MISSES, fetch);
  mem_mshr_wait(&s->mshr, at, k);
  return 0;
}

/* What a miss on these sectors fetches of a line of which `here` is there or on its way: the pieces of l2.fetch_bytes around them. */
static uint8_t fetched_with(const struct slice *s, uint8_t sectors, uint8_t here) {
  const uint8_t all = (1 << MEM_SECTORS) - 1;
  uint8_t wanted = (uint8_t)(sectors & ~here);
  if (!s->c.sectored || (s->c.fetch_bytes >= MEM_LINE && wanted)) return (uint8_t)(all & ~here);
  if (s->c.fetch_bytes == 2 * MEM_SECTOR) wanted = (uint8_t)((wanted & 3 ? 3 : 0) | (wanted & 12 ? 12 : 0));
  return (uint8_t)(wanted & ~here);
}

/* Reads, prefetches and atomics need whole sectors. */
static int access_read(struct slice *s, struct mem_packet *k, uint64_t now) {
  int32_t frame = mem_tags_find(&s->tags, set_of(k), k->line);
  uint8_t valid = 0, pending = 0;
  if (is_atomic(k)) drop_copy(s, set_of(k), k->line);
  if (frame != MEM_NO_FRAME) valid = s->lines[frame].valid, pending = s->lines[frame].pending;
  if (!(k->sectors & ~valid)) return access_hit(s, k, frame, now);
  uint8_t fetch = fetched_with(s, k->sectors, valid | pending);
  k->l2_hit = false;
  if (pending) return access_pending(s, k, frame, mem_mshr_find(&s->mshr, k->line), fetch, now);
  return access_miss(s, k, frame, fetch, now);
}

static int access_home(struct slice *s, struct mem_packet *k, uint64_t now) {
  if (s->flushing) return LLC_STALL_FLUSH;
  if (s->c.single_port && mem_ring_room(&s->replies) < replies_of_all(s, k)) return LLC_STALL_REPLY;
  if (s->c.single_port && s->data_free > now) return LLC_STALL_DATA_PORT;
  return k->kind == MEM_WRITE ? access_write(s, k, now) : access_read(s, k, now);
}

/* A request of a far SM: a copy near to it answers a read, everything else sets out for the other partition.
 */
static int access_far(struct slice *s, struct mem_packet *k, uint64_t now) {
  if (k->kind == MEM_READ) {
    int32_t copy = mem_tags_find(&s->tags, set_of(k), copy_of(k->line));
    if (copy != MEM_NO_FRAME && !(k->sectors & ~s->lines[copy].valid)) return access_hit(s, k, copy, now);
  }
  if (!mem_ring_room(&s->distant)) return LLC_STALL_FAR;
  mem_ring_push(&s->distant, k, now + s->c.far_latency);
  s->base.counters[LLC_FAR]++;
  return 0;
}

static int access_one(struct slice *s, struct mem_packet *k, uint64_t now) {
  return is_far(s, k) ? access_far(s, k, now) : access_home(s, k, now);
}

/* One request that has crossed a cycle. */
static uint64_t access_distant(struct slice *s, uint64_t now) {
  struct mem_slot *t = mem_ring_head(&s->distant);
  s->distant_stalled = false;
  if (!t || t->ready > now) return t ? t->ready : MEM_NEVER;
  int why = access_home(s, t->k, now);
  s->distant_stalled = why != 0;
  if (why) return stall_end(s, why);
  mem_ring_pop(&s->distant);
  s->moved = true;
  return mem_ring_head(&s->distant) ? mem_later(mem_ring_head(&s->distant)->ready, now) : MEM_NEVER;
}

/* Where requests wait for the tags. */
static struct mem_ring *in_front(struct slice *s) { return s->c.unbounded_latency ? &s->ready : &s->pipe; }

static uint64_t access_tags(struct slice *s, uint64_t now) {
  struct mem_ring *from = in_front(s);
  for (uint32_t i = 0; i < s->c.ports; i++) {
    struct mem_slot *t = mem_ring_head(from);
    if (!t || t->ready > now) return t ? t->ready : MEM_NEVER;
    s->stall = access_one(s, t->k, now);
    if (s->stall) {
      s->stalled_since = now;
      return stall_end(s, s->stall);
    }
    mem_ring_pop(from);
    s->moved = true;
  }
  struct mem_slot *t = mem_ring_head(from);
  return t ? mem_later(t->ready, now) : MEM_NEVER;
}

/* As many a cycle as the tags take leave the latency for the queue in front of the tags, after those have been used. */
static uint64_t leave_latency(struct slice *s, uint64_t now) {
  for (uint32_t i = 0; i < s->c.ports; i++) {
    struct mem_slot *t = mem_ring_head(&s->pipe);
    if (!t || t->ready > now) return t ? t->ready : MEM_NEVER;
    if (!mem_ring_room(&s->ready)) return MEM_NEVER;
    mem_ring_push(&s->ready, mem_ring_pop(&s->pipe), now + s->base.wake.period);
    s->moved = true;
  }
  return now;
}

static bool takes_requests(struct slice *s) { return mem_ring_room(in_front(s)) && mem_ring_room(&s->pipe); }

/* Into the latency, or past it to the tags. */
static void let_in(struct slice *s, struct mem_packet *k, uint64_t now) {
  bool direct = s->c.textures_direct && k->class_ == MEM_TEXTURE;
  mem_ring_push(direct ? in_front(s) : &s->pipe, k, direct ? now : now + s->c.latency);
}

/* As many a cycle as the tags take, and those that join them. */
static void take_requests(struct slice *s, uint64_t now) {
  struct mem_port *in = &s->base.in;
  for (uint32_t ports = s->c.ports; ports && takes_requests(s);) {
    if (!mem_port_peek(in, now)) break;
    s->base.counters[LLC_INPUT_WAIT] += whole_cycles(s, now - mem_port_next(in)) + 1;
    struct mem_packet *k = mem_port_pop(in, now);
    s->moved = true;
    if (s->base.tap) probe_on_request(s->base.tap, k, now);
    if (s->base.filter && reply_filter_request(s->base.filter, k)) {
      mem_packet_free(s->pool, k);
      ports--;
      continue;
    }
    k->local = now << SET_BITS | mem_tags_set(&s->tags, mem_map_local(s->map, k->line));
    if (!k->sectors) k->sectors = mem_sectors_of(k->bytes);
    if (llc_coalesce(&s->coalescer, k)) {
      s->base.counters[LLC_COALESCED]++;
      continue;
    }
    let_in(s, k, now);
    ports--;
  }
}

/* ---- flush ---- */

static bool flush_line(struct slice *s, uint32_t frame, uint64_t now) {
  struct line *l = &s->lines[frame];
  if (!belongs(l, s->flush_program)) return false;
  bool dirty = must_write_back(l);
  if (dirty) write_back(s, frame, now);
  if (!l->pending && s->tags.line[frame] != MEM_NO_LINE && !l->valid) {
    mem_tags_drop(&s->tags, (int32_t)frame);
    *l = (struct line){0};
  }
  return dirty;
}

/* One dirty line a cycle. */
static uint64_t flush_some(struct slice *s, uint64_t now) {
  if (!s->flushing) return MEM_NEVER;
  uint32_t frames = s->tags.c.sets * s->tags.c.ways;
  if (!mem_ring_room(&s->misses)) return MEM_NEVER;
  while (s->flush_at < frames)
    if (flush_line(s, s->flush_at++, now)) break;
  s->flushing = s->flush_at < frames;
  s->moved = true;
  return now;
}

/* ---- one cycle ---- */

uint64_t llc_tick(struct llc_slice *base, uint64_t now) {
  struct slice *s = of(base);
  if (s->stall) {
    s->base.counters[s->stall] += whole_cycles(s, now - s->stalled_since);
    s->stall = 0;
  }
  s->moved = false;
  uint64_t next = s->base.packer ? drain_packed(s, now) : drain_replies(s, now);
  next = mem_earlier(next, drain_misses(s, now));
  next = mem_earlier(next, take_fill(s, now));
  if (s->base.hint) next = mem_earlier(next, take_answer(s, now));
  next = mem_earlier(next, answer_miss(s, now));
  next = mem_earlier(next, flush_some(s, now));
  next = mem_earlier(next, access_distant(s, now));
  take_requests(s, now);
  next = mem_earlier(next, access_tags(s, now));
  if (s->c.unbounded_latency) next = mem_earlier(next, leave_latency(s, now));
  /* A move may have made room for what stalled, or put something new into a ring. */
  if (s->moved && (s->stall || s->distant_stalled || s->answered || s->misses.count)) next = now;
  if (takes_requests(s)) next = mem_earlier(next, mem_port_next(&base->in));
  const struct mem_slot *waits = mem_ring_head(&s->ready);
  if (waits && waits->ready > now) next = mem_earlier(next, waits->ready);
  const struct mem_slot *reply = mem_ring_head(&s->replies);
  if (reply && reply->ready > now) next = mem_earlier(next, reply->ready);
  const struct mem_slot *distant = mem_ring_head(&s->distant);
  if (distant && distant->ready > now) next = mem_earlier(next, distant->ready);
  return next > now ? next : now + base->wake.period;
}

/* ---- making and joining ---- */

struct llc_slice *llc_slice_new(const struct cfg *cfg, const struct llc_place *place, struct err *e) {
  struct slice *s = must_alloc(sizeof *s);
  if (!llc_config_read(&s->c, cfg, place, e)) return free(s), NULL;
  s->base.wake = (struct mem_wake){.at = MEM_NEVER, .period = place->period};
  s->base.id = place->id;
  s->sms = place->sms;
  s->map = place->map;
  s->pool = place->pool;
  uint32_t per_channel = mem_map_slices(place->map) / mem_map_channels(place->map);
  s->partition = place->id / per_channel % s->c.partitions;
  mem_port_init(&s->base.in, (uint32_t)cfg_int(cfg, "l2.input_queue"), 1, &s->base.wake, NULL);
  mem_port_init(&s->base.fill, (uint32_t)cfg_int(cfg, "l2.fill_queue"), 1, &s->base.wake, NULL);
  mem_tags_init(&s->tags, &s->c.tags);
  mem_mshr_init(&s->mshr, (uint32_t)cfg_int(cfg, "l2.mshrs"), (uint32_t)cfg_int(cfg, "l2.mshr_merge"));
  llc_coalescer_init(&s->coalescer, s->c.coalesce, s->c.coalesce_groups, place->sms);
  s->lines = must_alloc((size_t)s->c.tags.sets * s->c.tags.ways * sizeof *s->lines);
  uint32_t in_latency = (uint32_t)cfg_int(cfg, "l2.latency") * s->c.ports;
  enum { UNBOUNDED = 4096 }; /* more than the network can bring while the tags are blocked */
  uint32_t queue = (uint32_t)cfg_int(cfg, "l2.access_queue");
  mem_ring_init(&s->pipe, s->c.unbounded_latency ? UNBOUNDED : in_latency + queue);
  mem_ring_init(&s->ready, s->c.unbounded_latency ? queue : 1);
  mem_ring_init(&s->distant, s->c.partitions > 1 ? (uint32_t)cfg_int(cfg, "l2.far_queue") : 1);
  mem_ring_init(&s->replies, (uint32_t)cfg_int(cfg, "l2.reply_queue"));
  mem_ring_init(&s->misses, (uint32_t)cfg_int(cfg, "l2.miss_queue"));
  return &s->base;
}

void llc_slice_delete(struct llc_slice *base) {
  if (!base) return;
  struct slice *s = of(base);
  mem_port_free(&base->in);
  mem_port_free(&base->fill);
  mem_tags_free(&s->tags);
  mem_mshr_free(&s->mshr);
  llc_coalescer_free(&s->coalescer);
  free(s->lines);
  free(s->pipe.at);
  free(s->ready.at);
  free(s->distant.at);
  free(s->replies.at);
  free(s->misses.at);
  free(s);
}

void llc_connect(struct llc_slice *s, struct mem_port *reply, struct mem_port *mem) {
  s->reply = reply;
  s->mem = mem;
  reply->producer = mem->producer = &s->wake;
}

/* ---- outside of time ---- */

bool llc_fills_on_copy(const struct llc_slice *s) { return of_const(s)->c.fill_on_copy; }

/* The frame a copied line takes: a free or the least recently used one of the ways that copies may fill. */
static int32_t copy_victim(const struct slice *s, uint32_t set) {
  uint32_t ways = s->c.copy_ways;
  if (!ways || ways >= s->tags.c.ways) return mem_tags_victim(&s->tags, set);
  int32_t best = MEM_NO_FRAME, first = (int32_t)(set * s->tags.c.ways);
  for (int32_t f = first; f < first + (int32_t)ways; f++) {
    if (s->lines[f].pending) continue;
    if (s->tags.line[f] == MEM_NO_LINE) return f;
    if (best == MEM_NO_FRAME || s->tags.used[f] < s->tags.used[best]) best = f;
  }
  return best;
}

void llc_install_line(struct llc_slice *base, uint64_t line, uint8_t sectors) {
  struct slice *s = of(base);
  uint32_t set = mem_tags_set(&s->tags, mem_map_local(s->map, line));
  int32_t frame = mem_tags_find(&s->tags, set, line);
  if (frame == MEM_NO_FRAME) {
    frame = copy_victim(s, set);
    if (frame == MEM_NO_FRAME) return;
    s->lines[frame] = (struct line){0};
    mem_tags_place(&s->tags, frame, line);
  } else {
    mem_tags_touch(&s->tags, frame);
  }
  drop_copy(s, set, line);
  s->lines[frame].valid |= (uint8_t)(sectors & ~s->lines[frame].pending);
}

void llc_flush(struct llc_slice *base, uint64_t now, uint8_t program) {
  struct slice *s = of(base);
  s->flush_program = program;
  s->flushing = true;
  s->flush_at = 0;
  mem_wake_at(&base->wake, mem_next_edge(&base->wake, now));
}

bool llc_flushing(const struct llc_slice *s) { return of_const(s)->flushing; }

void llc_invalidate(struct llc_slice *base, uint8_t program) {
  struct slice *s = of(base);
  for (uint32_t f = 0; f < s->tags.c.sets * s->tags.c.ways; f++) {
    if (s->lines[f].pending || !belongs(&s->lines[f], program)) continue;
    s->lines[f] = (struct line){0};
    mem_tags_drop(&s->tags, (int32_t)f);
  }
}

uint32_t llc_dirty_lines(const struct llc_slice *base) { return llc_dirty_lines_of(base, LLC_EVERY_PROGRAM); }

uint32_t llc_dirty_lines_of(const struct llc_slice *base, uint8_t program) {
  const struct slice *s = of_const(base);
  uint32_t n = 0;
  for (uint32_t f = 0; f < s->tags.c.sets * s->tags.c.ways; f++) n += belongs(&s->lines[f], program) && must_write_back(&s->lines[f]);
  return n;
}

uint64_t llc_input_occupancy(const struct llc_slice *base, uint64_t now) {
  uint64_t sum = base->counters[LLC_INPUT_WAIT];
  for (uint32_t i = 0; i < base->in.count; i++) {
    uint64_t ready = base->in.ring[(base->in.head + i) % base->in.capacity].ready;
    if (ready <= now) sum += (now - ready) / base->wake.period + 1;
  }
  return sum;
}

bool llc_idle(const struct llc_slice *base) {
  const struct slice *s = of_const(base);
  return !base->in.count && !base->fill.count && !s->pipe.count && !s->ready.count && !s->distant.count && !s->replies.count &&
         !s->misses.count && !s->mshr.used && !s->answered && !s->flushing &&
         !(base->packer && base->packer->count);
}

bool llc_check(const struct llc_slice *base, struct err *e) {
  const struct slice *s = of_const(base);
  const uint64_t *c = base->counters;
  if (c[LLC_ACCESSES] != c[LLC_HITS] + c[LLC_MISSES] + c[LLC_PENDING_HITS])
    return err_set(e, ERR_FAULT,
                   "l2.accesses of slice %u: %lu, but %lu hits, %lu misses and %lu pending hits", base->id,
                   c[LLC_ACCESSES], c[LLC_HITS], c[LLC_MISSES], c[LLC_PENDING_HITS]);
  if (llc_idle(base) && c[LLC_ACCESSES] != s->finished)
    return err_set(e, ERR_FAULT, "l2.accesses of slice %u: %lu, but %lu were answered", base->id,
                   c[LLC_ACCESSES], s->finished);
  if (llc_idle(base) && c[LLC_FETCHES] != c[LLC_FILLS])
    return err_set(e, ERR_FAULT, "l2.fetches of slice %u: %lu, but %lu fills", base->id, c[LLC_FETCHES],
                   c[LLC_FILLS]);
  return true;
}

void llc_register(const struct llc_slice *s, struct stats *st) {
  stats_register(st, llc_stats, LLC_STATS, s->counters, s->id);
}

/* ---- the watchdog's question ---- */

static void explain_mshrs(const struct slice *s, uint64_t now, struct str *out) {
  const struct mem_packet *oldest = NULL;
  uint8_t pending = 0;
  for (uint32_t i = 0; i < s->tags.c.sets * s->tags.c.ways; i++) {
    if (!s->lines[i].pending) continue;
    const struct mem_packet *k = s->mshr.entries[mem_mshr_find(&s->mshr, s->tags.line[i])].first;
    if (k && (!oldest || k->born < oldest->born)) oldest = k, pending = s->lines[i].pending;
  }
  if (oldest)
    str_add(out, "  oldest miss: line 0x%lx of SM %u, %lu cycles old, waits for sectors %x from DRAM\n",
            oldest->line, oldest->sm, (now - oldest->born) / s->base.wake.period, pending);
}

void llc_explain(const struct llc_slice *base, uint64_t now, struct str *out) {
  const struct slice *s = of_const(base);
  if (llc_idle(base)) return;
  str_add(out,
          "L2 slice %u: %u packets at the input, %u in the pipe, %u from the other partition, %u of %u "
          "MSHRs, %u to DRAM, %u replies\n",
          base->id, base->in.count, s->pipe.count + s->ready.count, s->distant.count, s->mshr.used, s->mshr.n, s->misses.count,
          s->replies.count);
  const struct mem_slot *t = mem_ring_head(&s->pipe);
  if (t)
    str_add(out, "  oldest request: line 0x%lx of SM %u, %lu cycles old, %s\n", t->k->line, t->k->sm,
            (now - t->k->born) / base->wake.period,
            s->stall ? llc_stats[s->stall].meaning : "is in the latency pipe");
  if (base->packer && base->packer->count)
    str_add(out, "  %u of %u replies in the compressor\n", base->packer->count, base->packer->capacity);
  if (s->replies.count && !mem_port_room(base->reply, now))
    str_add(out, "  replies wait: the reply network's input %u is full\n", base->id);
  if (s->misses.count && !mem_port_room(base->mem, now))
    str_add(out, "  misses wait: the DRAM channel's port is full\n");
  explain_mshrs(s, now, out);
}
