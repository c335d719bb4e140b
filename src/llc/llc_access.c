/* Requests before the tags, and what they find there. A request that leaves the input buffer may be merged by the
 * reply filter or join another read (llc_coalesce.h). Otherwise it waits for the fixed latency and then looks up the
 * tags, in order, as many requests a cycle as there are ports. What it finds decides where it is served: hits here,
 * misses in llc_miss.c, writes in llc_write.c, requests of the other partition in llc_partition.c.
 *
 * Owns: the latency pipe, the queue in front of the tags, the counts of accesses. Does not: send or receive packets
 * of DRAM or of the reply network.
 *
 * Simplified: looking up the tags and reserving a line take one cycle together. */
#include "llc/llc_slice.h"

/* ---- counting ---- */

static void notify_lookup(const struct slice *s, const struct mem_packet *k, enum llc_stat outcome) {
  enum mem_seen_result r = outcome == LLC_HITS ? MEM_SEEN_HIT : outcome == LLC_MISSES ? MEM_SEEN_MISS : MEM_SEEN_MERGED;
  MEM_NOTIFY(&s->base.observers, lookup, &(struct mem_seen_lookup){k, llc_set_of(k), r, llc_came(k)});
}

void llc_count_access(struct slice *s, const struct mem_packet *k, enum llc_stat outcome, uint8_t missed) {
  uint64_t *c = s->base.counters;
  bool of_l1 = k->class_ != MEM_INSTRUCTION && k->class_ != MEM_CONST;
  c[LLC_SECTORS] += of_l1 ? llc_count_sectors(k->sectors) : 0;
  c[LLC_SECTORS_HIT] += of_l1 ? llc_count_sectors(k->kind == MEM_WRITE ? k->sectors : (uint8_t)(k->sectors & ~missed)) : 0;
  c[LLC_ACCESSES]++;
  c[outcome]++;
  bool write = k->kind == MEM_WRITE;
  c[write ? LLC_WRITES : llc_is_atomic(k) ? LLC_ATOMICS : LLC_READS]++;
  c[LLC_WRITE_BYTES] += k->payload;
  if (outcome == LLC_MISSES) c[write ? LLC_WRITE_MISSES : LLC_READ_MISSES]++;
  if (s->base.observers.n) notify_lookup(s, k, outcome);
}

/* ---- at the tags ---- */

int llc_access_hit(struct slice *s, struct mem_packet *k, int32_t frame, uint64_t now) {
  k->l2_hit = true;
  int why = llc_answer_stall(s, k, now);
  if (why) return why;
  mem_tags_touch(&s->tags, frame);
  if (k->keep) llc_apply_keep(s, frame, k);
  if (llc_is_atomic(k)) llc_mark_dirty(&s->lines[frame], &k->bytes);
  llc_count_access(s, k, LLC_HITS, 0);
  llc_answer(s, k, now);
  return 0;
}

uint8_t llc_fetched_with(const struct slice *s, uint8_t sectors, uint8_t here) {
  const uint8_t all = (1 << MEM_SECTORS) - 1;
  uint8_t wanted = (uint8_t)(sectors & ~here);
  if (!s->c.sectored || (s->c.fetch_bytes >= MEM_LINE && wanted)) return (uint8_t)(all & ~here);
  if (s->c.fetch_bytes == 2 * MEM_SECTOR) wanted = (uint8_t)((wanted & 3 ? 3 : 0) | (wanted & 12 ? 12 : 0));
  return (uint8_t)(wanted & ~here);
}

/* Without the second sectors of pairs whose first is fetched too. */
static uint8_t first_of_pairs(uint8_t fetch) {
  enum { FIRST = 5, SECOND = 10 };
  return (uint8_t)(fetch & ~((fetch & FIRST) << 1 & SECOND));
}

/* Reads, prefetches and atomics need whole sectors. */
static int access_read(struct slice *s, struct mem_packet *k, uint64_t now) {
  int32_t frame = mem_tags_find(&s->tags, llc_set_of(k), k->line);
  uint8_t valid = 0, pending = 0, lent = 0;
  if (llc_is_atomic(k)) llc_drop_copy(s, llc_set_of(k), k->line);
  if (frame != MEM_NO_FRAME) valid = s->lines[frame].valid, pending = s->lines[frame].pending, lent = s->lines[frame].lent;
  if (!(k->sectors & ~valid)) return llc_access_hit(s, k, frame, now);
  uint8_t fetch = llc_fetched_with(s, k->sectors, valid | pending | lent);
  if (s->c.constant_pairs && k->class_ == MEM_CONST) fetch = first_of_pairs(fetch);
  k->l2_hit = false;
  if (pending) return llc_access_pending(s, k, frame, mem_mshr_find(&s->mshr, k->line), fetch, now);
  return llc_access_miss(s, k, frame, fetch, now);
}

int llc_access_home(struct slice *s, struct mem_packet *k, uint64_t now) {
  if (s->flushing) return LLC_STALL_FLUSH;
  if (s->c.single_port && mem_ring_free_slots(&s->replies) < llc_replies_of_all(s, k)) return LLC_STALL_REPLY;
  if (s->c.single_port && s->data_free > now) return LLC_STALL_DATA_PORT;
  return k->kind == MEM_WRITE ? llc_access_write(s, k, now) : access_read(s, k, now);
}

static int access_one(struct slice *s, struct mem_packet *k, uint64_t now) {
  return llc_is_far(s, k) ? llc_access_far(s, k, now) : llc_access_home(s, k, now);
}

/* ---- towards the tags ---- */

/* A request that was refused for want of slots in the reply queue is not looked at again before there are as many. More may join it, so
 * that it needs more, not fewer. */
static bool still_refused(const struct slice *s) { return mem_ring_free_slots(&s->replies) < s->awaited && !s->flushing; }

uint64_t llc_look_up(struct slice *s, uint64_t now) {
  struct mem_ring *from = llc_in_front(s);
  if (still_refused(s)) {
    s->stall = LLC_STALL_REPLY;
    s->stalled_since = now;
    return MEM_NEVER;
  }
  for (uint32_t ports = s->c.ports; ports;) {
    struct mem_slot *t = mem_ring_head(from);
    if (!t || t->ready > now) return t ? t->ready : MEM_NEVER;
    bool elsewhere = llc_is_atomic(t->k) && llc_is_far(s, t->k); /* it comes by its twin, which cannot keep a copy to look for */
    s->stall = access_one(s, t->k, now);
    s->awaited = 0;
    if (s->stall) {
      s->stalled_since = now;
      if (s->stall == LLC_STALL_REPLY && s->c.single_port && !llc_is_far(s, t->k)) s->awaited = llc_replies_of_all(s, t->k);
      return llc_stall_end(s, s->stall);
    }
    mem_ring_pop(from);
    s->moved = true;
    ports -= !elsewhere;
  }
  struct mem_slot *t = mem_ring_head(from);
  return t ? mem_later(t->ready, now) : MEM_NEVER;
}

uint64_t llc_end_latency(struct slice *s, uint64_t now) {
  for (uint32_t i = 0; i < s->c.ports; i++) {
    struct mem_slot *t = mem_ring_head(&s->pipe);
    if (!t || t->ready > now) return t ? t->ready : MEM_NEVER;
    if (!mem_ring_free_slots(&s->ready)) return MEM_NEVER;
    mem_ring_push(&s->ready, mem_ring_pop(&s->pipe), now + s->base.wake.period);
    s->moved = true;
  }
  return now;
}

/* Into the latency, or past it to the tags. */
static void let_in(struct slice *s, struct mem_packet *k, uint64_t now) {
  bool direct = s->c.textures_direct && k->class_ == MEM_TEXTURE;
  mem_ring_push(direct ? llc_in_front(s) : &s->pipe, k, direct ? now : now + s->c.latency);
}

/* A store of 64 bytes, all of them in the upper half of its line. */
static bool is_upper_half(const struct mem_packet *k) {
  return k->kind == MEM_WRITE && k->payload == MEM_LINE / 2 && !k->bytes.b[0];
}

void llc_take_requests(struct slice *s, uint64_t now) {
  struct mem_port *in = &s->base.in;
  for (uint32_t ports = s->c.ports; ports && llc_takes_requests(s);) {
    if (!mem_port_peek(in, now)) break;
    s->base.counters[LLC_INPUT_WAIT] += llc_whole_cycles(s, now - mem_port_next(in)) + 1;
    struct mem_packet *k = mem_port_pop(in, now);
    s->moved = true;
    MEM_NOTIFY(&s->base.observers, request, k, now);
    if (s->base.filter && reply_filter_request(s->base.filter, k)) {
      mem_packet_free(s->pool, k);
      ports--;
      continue;
    }
    if (s->c.gpgpusim_sectors && is_upper_half(k)) k->line += MEM_LINE;
    k->local = now << LLC_SET_BITS | mem_tags_set(&s->tags, mem_map_local(s->map, k->line));
    if (!k->sectors) k->sectors = mem_sectors_of(k->bytes);
    if (llc_coalesce(&s->coalescer, k)) {
      s->base.counters[LLC_COALESCED]++;
      continue;
    }
    let_in(s, k, now);
    ports--;
  }
}
