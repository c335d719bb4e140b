/* Answers: a request whose data is here takes the data port, becomes its reply (or one reply for each sector), passes
 * the reply filter and the compressor, and goes into the network. Reads that joined another (llc_coalesce.h) are
 * answered with it: by the same reply where the network can deliver one to several SMs, otherwise by replies of their
 * own.
 *
 * Owns: the data port, the atomics unit, the reply queue. Does not: know why the data is here.
 *
 * Simplified: a prefetch gets no reply; the atomic operations of one packet share one pass of the unit. */
#include "llc/llc_slice.h"

/* ---- what a request is answered with ---- */

static uint32_t count_bytes(const struct mem_bytes *m) {
  return (uint32_t)(__builtin_popcountll(m->b[0]) + __builtin_popcountll(m->b[1]));
}

uint32_t llc_replies_of(const struct slice *s, const struct mem_packet *k) {
  switch (k->kind) {
  case MEM_READ: return s->c.reply_per_sector ? llc_count_sectors(k->sectors) : 1;
  case MEM_WRITE: return s->c.ack_per_sector ? llc_count_sectors(k->sectors) : 1;
  case MEM_PREFETCH: return 0;
  default: return 1;
  }
}

static uint32_t data_bytes_of(const struct slice *s, const struct mem_packet *k) {
  switch (k->kind) {
  case MEM_READ: return s->c.reply_exact ? count_bytes(&k->bytes) : MEM_SECTOR * llc_count_sectors(k->sectors);
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

static bool by_sector(const struct slice *s, const struct mem_packet *k) { return llc_replies_of(s, k) > 1; }

static bool carries_data(const struct mem_packet *k) { return k->kind == MEM_READ || k->kind == MEM_ATOMIC; }

/* Whether one reply leaves for a read and its followers. */
static bool together(const struct slice *s, const struct mem_packet *k) {
  return s->base.copies && !s->base.filter && !s->base.packer && !by_sector(s, k);
}

uint32_t llc_replies_of_all(const struct slice *s, const struct mem_packet *k) {
  uint32_t n = llc_replies_of(s, k);
  if (!k->followers || together(s, k)) return n;
  while ((k = k->followers)) n += llc_replies_of(s, k);
  return n;
}

/* ---- the data port ---- */

/* Takes the data port for this many bytes and returns for how long. Requests that follow each other at once share a
 * cycle that the first does not fill. */
static uint64_t take_data_port(struct slice *s, uint32_t bytes, uint64_t now) {
  if (!bytes) return 0;
  uint32_t spare = s->data_free == now ? s->data_spare : 0, left = bytes > spare ? bytes - spare : 0;
  uint64_t busy = llc_port_time(s, left);
  s->data_free = mem_later(s->data_free, now) + busy; /* later: the line that was replaced is being read out */
  s->data_spare = (uint32_t)(busy / s->base.wake.period) * s->c.data_bytes + spare - bytes;
  return busy;
}

uint64_t llc_take_write_port(struct slice *s, const struct mem_packet *k, uint64_t now) {
  uint32_t bytes = (llc_count_sectors(mem_sectors_of(k->bytes)) + mem_in_part(k->bytes)) * MEM_SECTOR;
  return take_data_port(s, bytes * s->c.data_bytes / s->c.write_bytes, now);
}

/* Whether the answer moves data through the port; that of a miss may come past it, with the fill. */
static bool uses_port(const struct slice *s, const struct mem_packet *k) { return k->l2_hit || !s->c.single_port; }

int llc_answer_stall(const struct slice *s, const struct mem_packet *k, uint64_t now) {
  if (mem_ring_free_slots(&s->replies) < llc_replies_of_all(s, k)) return LLC_STALL_REPLY;
  if (k->kind != MEM_PREFETCH && k->kind != MEM_REDUCE && uses_port(s, k) && s->data_free > now) return LLC_STALL_DATA_PORT;
  if (llc_is_atomic(k) && s->atomic_free > now) return LLC_STALL_ATOMIC;
  return 0;
}

/* ---- answers ---- */

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
    uint64_t busy = llc_port_time(s, sent);
    mem_ring_push(&s->replies, one, ready + (busy ? busy - s->base.wake.period : 0));
  }
}

void llc_reply_to(struct slice *s, struct mem_packet *k, uint64_t ready) {
  MEM_NOTIFY(&s->base.observers, answer, k);
  if (k->kind == MEM_PREFETCH) {
    mem_packet_free(s->pool, k);
  } else if (by_sector(s, k)) {
    reply_by_sector(s, k, k->kind == MEM_READ ? MEM_SECTOR : 0, ready);
  } else {
    turn_into_reply(k, carries_data(k) ? data_bytes_of(s, k) : 0);
    mem_ring_push(&s->replies, k, ready);
  }
}

/* L2 cycles of a slice for the sectors of an atomic operation. */
static double sector_work(const struct slice *s, const struct mem_packet *k, uint32_t words) {
  double sectors = (double)__builtin_popcount(k->sectors), whole = s->c.atomic_whole;
  if (whole > 0 && k->atomic & MEM_ATOMIC_TWICE && words > 2) return 2 * whole * sectors;
  return sectors * (whole > 0 && !mem_in_part(k->bytes) ? whole : s->c.atomic_sector);
}

/* The same of the addition to a word that the last operation has changed. */
static double sum_work(const struct slice *s, const struct mem_packet *k, uint32_t words) {
  bool same = k->line == s->atomic_line && ((k->bytes.b[0] & s->atomic_bytes.b[0]) | (k->bytes.b[1] & s->atomic_bytes.b[1]));
  if (!(k->atomic & MEM_ATOMIC_SUM) || !same) return 0;
  return s->c.atomic_sum + (k->atomic & MEM_ATOMIC_TWICE && words > 2 ? s->c.atomic_whole : 0);
}

/* How long the slice computes. */
static uint64_t atomic_work(const struct slice *s, const struct mem_packet *k) {
  uint32_t words = (count_bytes(&k->bytes) + 3) / 4;
  uint64_t period = s->base.wake.period, by_words = (words + s->c.atomic_rate - 1) / s->c.atomic_rate * period;
  double sectors = sector_work(s, k, words), sum = sum_work(s, k, words);
  uint64_t by_sectors = (uint64_t)((sum > sectors ? sum : sectors) * (double)period);
  return by_words > by_sectors ? by_words : by_sectors;
}

/* For how long an answer keeps the data port. */
static uint64_t take_port(struct slice *s, const struct mem_packet *k, uint64_t now) {
  if (!uses_port(s, k)) return 0;
  if (k->kind == MEM_WRITE && s->c.write_bytes) return llc_take_write_port(s, k, now);
  return take_data_port(s, data_bytes_of(s, k), now);
}

/* Parts of a cycle add up. */
static void keep_atomics_busy(struct slice *s, uint64_t work, uint64_t now) {
  bool behind = s->atomic_free + s->base.wake.period > now;
  s->atomic_free = (behind ? s->atomic_free : now) + work;
}

void llc_take_twin(struct slice *s, const struct mem_packet *k, uint64_t now) {
  for (unsigned i = 0; i < LLC_TWINS; i++)
    if (s->twin_lines[i] == k->line) return;
  s->twin_lines[s->next_twin] = k->line;
  s->next_twin = (s->next_twin + 1) % LLC_TWINS;
  keep_atomics_busy(s, (uint64_t)(s->c.atomic_twin * (double)__builtin_popcount(k->sectors) * (double)s->base.wake.period), now);
}

void llc_answer(struct slice *s, struct mem_packet *k, uint64_t now) {
  uint64_t busy = take_port(s, k, now), period = s->base.wake.period;
  uint64_t ready = now + s->c.hit_latency;
  if (llc_is_atomic(k)) {
    uint64_t work = atomic_work(s, k);
    keep_atomics_busy(s, work, now);
    ready += s->c.atomic_latency + (work ? work - period : 0);
    s->atomic_line = k->line;
    s->atomic_bytes = k->bytes;
  }
  s->finished++;
  if (llc_is_far(s, k)) llc_keep_copy(s, k);
  llc_coalesce_close(&s->coalescer, k);
  if (busy && !by_sector(s, k)) ready += carries_data(k) ? busy - period : 0;
  bool one = together(s, k);
  for (struct mem_packet *f = k->followers, *next; f; f = next) {
    next = f->followers;
    f->l2_hit = k->l2_hit;
    if (one) {
      MEM_NOTIFY(&s->base.observers, answer, f);
      turn_into_reply(f, data_bytes_of(s, f));
    } else {
      f->followers = NULL;
      llc_reply_to(s, f, ready);
    }
  }
  if (!one) k->followers = NULL;
  llc_reply_to(s, k, ready);
}

/* ---- towards the network ---- */

static void send_reply(struct slice *s, struct mem_packet *k, uint64_t now) {
  uint64_t *c = s->base.counters;
  c[LLC_REPLIES]++;
  c[LLC_REPLY_BYTES] += k->payload;
  for (const struct mem_packet *f = k; f; f = f->followers)
    if (f->local) c[LLC_LATENCY] += (now - llc_came(f)) / s->base.wake.period;
  for (const struct mem_packet *each = s->base.observers.n ? k : NULL; each; each = each->followers)
    MEM_NOTIFY(&s->base.observers, replied, each, now);
  mem_port_push(s->base.reply, k, now);
  s->moved = true;
}

/* The oldest reply, through the filter. */
static struct mem_packet *pop_reply(struct slice *s) {
  struct mem_packet *k = mem_ring_pop(&s->replies);
  if (s->base.filter) reply_filter_reply(s->base.filter, k);
  return k;
}

static uint64_t drain_plain(struct slice *s, uint64_t now) {
  struct mem_slot *t = mem_ring_head(&s->replies);
  if (!t || t->ready > now) return t ? t->ready : MEM_NEVER;
  if (!mem_port_free_slots(s->base.reply, now)) return mem_port_stall(s->base.reply, &s->base.wake, now);
  send_reply(s, pop_reply(s), now);
  return s->replies.count ? mem_later(mem_ring_head(&s->replies)->ready, now) : MEM_NEVER;
}

/* With a compressor, one reply a cycle enters it, and one a cycle goes into the network: what the compressor has done, or
 * else a reply that is not for it. */
static uint64_t drain_packed(struct slice *s, uint64_t now) {
  struct reply_packer *p = s->base.packer;
  bool free_slot = mem_port_free_slots(s->base.reply, now), out = reply_pack_next(p) <= now, stuck = out && !free_slot;
  if (out && free_slot) send_reply(s, reply_pack_out(p), now);
  struct mem_slot *t = mem_ring_head(&s->replies);
  if (t && t->ready <= now) {
    if (!reply_packs(t->k) && !out && free_slot) send_reply(s, pop_reply(s), now);
    else if (!reply_packs(t->k)) stuck = !free_slot;
    else if (reply_pack_accepts(p)) reply_pack_in(p, pop_reply(s), now), s->moved = true;
  }
  uint64_t next = stuck ? mem_port_stall(s->base.reply, &s->base.wake, now) : MEM_NEVER;
  t = mem_ring_head(&s->replies);
  if (t && (reply_packs(t->k) ? reply_pack_accepts(p) : !stuck)) next = mem_earlier(next, t->ready);
  return out && !free_slot ? next : mem_earlier(next, reply_pack_next(p));
}

uint64_t llc_send_replies(struct slice *s, uint64_t now) {
  return s->base.packer ? drain_packed(s, now) : drain_plain(s, now);
}
