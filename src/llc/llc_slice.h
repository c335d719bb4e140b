/* The inside of an L2 slice, for the files that are its code; callers have llc.h.
 *
 *   llc_slice.c      one visit, making and connecting, checks, the watchdog's question
 *   llc_access.c     requests before the tags, and what they find there
 *   llc_miss.c       what leaves for DRAM (or for an SM that may have the line) and what comes back
 *   llc_reply.c      answers, the data port, and replies that wait for the network
 *   llc_write.c      what a write does: allocate, fetch, write through, write back
 *   llc_partition.c  requests and copies of an L2 in two partitions
 *   llc_window.c     lines that persist
 *   llc_flush.c      lines that come and go outside of requests: flushing, invalidating, copies of the host
 *
 * Owns: the struct that these files share, and the few functions that are too small for a call. An access function returns 0, or
 * why the request has to wait (one of LLC_STALL_*); then it has changed nothing. */
#ifndef LLC_SLICE_H
#define LLC_SLICE_H

#include "llc/llc_coalesce.h"
#include "llc/llc_config.h"
#include "mem/mem_mshr.h"
#include "mem/mem_ring.h"
#include "mem/mem_stall.h"
#include "mem/mem_tags.h"

/* What is known of the line in a frame; of a frame without a line (mem_tags_line) it is out of date. A sector is valid when all of it
 * can be read; bytes written into a sector that is not are only dirty.
 *
 * The masks are not those of the tag array: L2 fetches whole sectors, so four bits do for what takes 16 bytes there, they become valid
 * by writes as well as by fills, and with the dirty bytes they fill a third of a cache line of the host instead of three in three
 * arrays. An L2 has up to 400,000 frames. */
struct llc_line {
  struct mem_bytes dirty;
  uint8_t valid, pending;
  uint8_t unasked; /* of those that are pending: fetched along with others (l2.fetch_bytes), and no request has named them yet */
  uint8_t lent;    /* of l2.constant_pairs: sectors that are answered with those that are pending, but not kept */
  uint8_t completing; /* of those that are pending: fetched because they are written in part (l2.partial_lines) */
  bool through;    /* DRAM has the dirty bytes already */
  bool listed;     /* among slice.parts */
  uint8_t program; /* of the SM that brought it in */
};

/* A line that was written in part when it was listed; it may be whole by now, or gone. */
struct llc_part {
  uint64_t line;
  uint32_t frame;
};

enum { LLC_TWINS = 8 /* lines of a slice that many SMs may name at a time without its being taken for their twins' */ };

struct slice {
  struct llc_slice base;
  struct llc_config c;
  const struct mem_map *map;
  struct mem_pool *pool;
  struct mem_tags tags;
  struct llc_line *lines;
  struct mem_mshr mshr;
  struct llc_coalescer coalescer;
  struct mem_ring pipe, replies, misses;
  struct mem_ring ready;                       /* past their latency, if that has a queue of its own (l2.unbounded_latency) */
  struct mem_ring distant;                     /* requests in flight from the other partition */
  struct mem_packet *answered, *answered_last; /* misses whose data has come, in order */
  uint64_t data_free, fill_free, atomic_free;  /* when each is idle again */
  uint64_t twin_lines[LLC_TWINS]; /* of the last far atomic operations that took it (l2.atomic_twin) */
  uint32_t next_twin;
  uint64_t atomic_line;      /* of the last atomic operation, */
  struct mem_bytes atomic_bytes; /* and what it changed */
  uint32_t data_spare;                         /* bytes that the data port can still move in its last cycle */
  struct llc_part *parts;                      /* with l2.partial_lines, the oldest first */
  uint32_t first_part, n_parts, new_parts;     /* the last: since it was looked through */
  int stall;                                   /* enum llc_stat of the oldest request's wait, or 0 */
  uint64_t stalled_since;
  uint32_t awaited;                            /* free slots of `replies` that the oldest request was refused for want of; 0: it was not */
  uint32_t set_aside;    /* for lines that persist, in parts of LLC_SET_ASIDE_PARTS */
  bool flushing;
  uint8_t flush_program; /* or LLC_EVERY_PROGRAM */
  uint32_t flush_at;     /* next frame to look at */
  uint64_t finished;     /* requests answered or ended */
  bool moved;            /* this visit changed something */
  uint32_t partition;    /* that it is in */
  uint32_t sms;          /* of the GPU */
  uint64_t lost;         /* uses (mem_tags.clock) when what it held was lost (llc_warm_lose); 0: it never was */
  bool distant_stalled;  /* the oldest distant request could not be served at this visit */
};

static inline struct slice *llc_of(struct llc_slice *s) { return (struct slice *)s; }
static inline const struct slice *llc_of_const(const struct llc_slice *s) { return (const struct slice *)s; }

/* ---- times ---- */

/* Most spans that are counted are of one cycle or none: no division for them. */
static inline uint64_t llc_whole_cycles(const struct slice *s, uint64_t span) {
  uint64_t period = s->base.wake.period;
  return span == 0 ? 0 : span == period ? 1 : span / period;
}
/* How long so many bytes take through the data port, or into the data array. */
static inline uint64_t llc_port_time(const struct slice *s, uint32_t bytes) {
  return (bytes + s->c.data_bytes - 1) / s->c.data_bytes * s->base.wake.period;
}
/* When to look again at a request that stalled for this reason and is not helped by a move. */
static inline uint64_t llc_stall_end(const struct slice *s, int why) {
  return why == LLC_STALL_DATA_PORT ? s->data_free : why == LLC_STALL_ATOMIC ? s->atomic_free : MEM_NEVER;
}

/* ---- lines ---- */

static inline uint32_t llc_count_sectors(uint8_t m) {
  static const uint8_t bits[1 << MEM_SECTORS] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
  return bits[m & 15];
}
/* The tags are taken by the sectors of a request that missed, one a cycle, the first of which may have evicted a line
 * (l2.sector_lookups). */
static inline void llc_look_up_sectors(struct slice *s, uint8_t sectors, uint64_t now) {
  if (!s->c.sector_lookups) return;
  uint64_t period = s->base.wake.period, first = s->data_free > now ? s->data_free : now + period;
  s->data_free = first + (llc_count_sectors(sectors) - 1) * period;
}
static inline bool llc_must_write_back(const struct llc_line *l) { return (l->dirty.b[0] | l->dirty.b[1]) && !l->through; }
static inline bool llc_holds(const struct slice *s, int32_t frame) { return mem_tags_line(&s->tags, (uint32_t)frame) != MEM_NO_LINE; }
/* Emptying the frame sends its line below. */
static inline bool llc_is_dirty(const struct slice *s, int32_t frame) {
  return llc_must_write_back(&s->lines[frame]) && llc_holds(s, frame);
}
static inline bool llc_belongs(const struct llc_line *l, uint8_t program) {
  return program == LLC_EVERY_PROGRAM || l->program == program;
}
static inline uint32_t llc_frames(const struct slice *s) { return s->tags.c.sets * s->tags.c.ways; }

/* ---- packets: while one is here its `local` holds when it came and its set ---- */

enum { LLC_SET_BITS = 20 };
static inline uint32_t llc_set_of(const struct mem_packet *k) { return (uint32_t)k->local & ((1u << LLC_SET_BITS) - 1); }
static inline uint64_t llc_came(const struct mem_packet *k) { return k->local >> LLC_SET_BITS; }
static inline bool llc_is_atomic(const struct mem_packet *k) { return k->kind == MEM_ATOMIC || k->kind == MEM_REDUCE; }
static inline uint8_t llc_program_of(const struct slice *s, const struct mem_packet *k) {
  return s->base.views ? s->base.views[k->sm].program : 0;
}

/* ---- llc_access.c ---- */

/* As many requests a cycle as the tags take, and those that join them, come in from the network. */
void llc_take_requests(struct slice *s, uint64_t now);
/* Where requests wait for the tags. */
static inline struct mem_ring *llc_in_front(struct slice *s) { return s->c.unbounded_latency ? &s->ready : &s->pipe; }
static inline bool llc_takes_requests(struct slice *s) { return mem_ring_free_slots(llc_in_front(s)) && mem_ring_free_slots(&s->pipe); }
/* Requests past their latency look up the tags; returns when to come again. */
uint64_t llc_look_up(struct slice *s, uint64_t now);
static inline uint64_t llc_access_tags(struct slice *s, uint64_t now) {
  uint64_t first = mem_ring_next(llc_in_front(s));
  return first <= now ? llc_look_up(s, now) : first;
}
/* With l2.unbounded_latency, as many a cycle as the tags take leave the latency for the queue in front of the tags, after those
 * have been used. */
uint64_t llc_end_latency(struct slice *s, uint64_t now);
static inline uint64_t llc_leave_latency(struct slice *s, uint64_t now) {
  uint64_t first = mem_ring_next(&s->pipe);
  return first <= now ? llc_end_latency(s, now) : first;
}
/* A request at the partition that its line belongs to. */
int llc_access_home(struct slice *s, struct mem_packet *k, uint64_t now);
/* A request that finds all it needs in this frame. */
int llc_access_hit(struct slice *s, struct mem_packet *k, int32_t frame, uint64_t now);
/* What a miss on these sectors fetches of a line of which `here` is there or pending: the pieces of l2.fetch_bytes around them. */
uint8_t llc_fetched_with(const struct slice *s, uint8_t sectors, uint8_t here);
/* Counts an access: LLC_HITS, LLC_MISSES or LLC_PENDING_HITS; `missed` are sectors that it is the first to ask for and that are not
 * here. Sectors are counted of what SMs load and store, not of code and constants, which do not come through L1. */
void llc_count_access(struct slice *s, const struct mem_packet *k, enum llc_stat outcome, uint8_t missed);

/* ---- llc_window.c ---- */

/* The packet's line is in this frame, and has been used or put there. */
void llc_apply_keep(struct slice *s, int32_t frame, const struct mem_packet *k);

/* ---- llc_miss.c ---- */

/* Requests that a miss may send below at most with l2.write_miss = fetch, which the miss queue must have free slots for whatever it
 * sends. */
enum { LLC_MOST_OF_READ = 2, LLC_MOST_OF_WRITE = 3 };

/* The line is outstanding, perhaps without the sectors wanted. */
int llc_access_pending(struct slice *s, struct mem_packet *k, int32_t frame, int32_t at, uint8_t fetch, uint64_t now);
/* Nothing of the line is outstanding: frame is where it is, or MEM_NO_FRAME. */
int llc_access_miss(struct slice *s, struct mem_packet *k, int32_t frame, uint8_t fetch, uint64_t now);
/* Reserves an MSHR and the frame for these sectors and asks for them; returns the MSHR, for whoever waits. */
int32_t llc_begin_miss(struct slice *s, const struct mem_packet *k, int32_t frame, uint8_t fetch, uint64_t now);
/* A packet of the slice's own into the miss queue, which has a free slot: to DRAM, on behalf of `sm` (a write-back is nobody's). */
void llc_send_below(struct slice *s, enum mem_kind kind, uint64_t line, uint8_t sectors, const struct mem_bytes *bytes, uint16_t sm,
                    uint64_t now);
/* Empties a frame for another line and puts that in. */
void llc_replace(struct slice *s, uint32_t frame, const struct mem_packet *k, uint64_t now);
/* Whether the miss queue has free slots for what replacing the line in this frame sends below, and `more` packets. */
static inline bool llc_miss_fits(const struct slice *s, int32_t frame, uint32_t more) {
  return mem_ring_free_slots(&s->misses) >= more + llc_is_dirty(s, frame);
}
/* One packet a cycle leaves for DRAM; data comes from there, and from an SM that was asked; an answered miss a cycle goes to the
 * reply queue. Each returns when to come again. */
uint64_t llc_drain_misses(struct slice *s, uint64_t now);
uint64_t llc_take_fill(struct slice *s, uint64_t now);
uint64_t llc_take_answer(struct slice *s, uint64_t now);
uint64_t llc_answer_miss(struct slice *s, uint64_t now);

/* ---- llc_reply.c ---- */

/* What keeps a request whose data is here from being answered: 0 or a stall. */
int llc_answer_stall(const struct slice *s, const struct mem_packet *k, uint64_t now);
/* Answers a request whose data is here; the reply queue has a free slot and the data port is free. */
void llc_answer(struct slice *s, struct mem_packet *k, uint64_t now);
/* Makes the request into its replies, which may leave from `ready`. */
void llc_reply_to(struct slice *s, struct mem_packet *k, uint64_t ready);
/* Packets that answer a request, and one with its followers. */
uint32_t llc_replies_of(const struct slice *s, const struct mem_packet *k);
uint32_t llc_replies_of_all(const struct slice *s, const struct mem_packet *k);
/* One reply a cycle goes into the network; returns when to come again. */
uint64_t llc_send_replies(struct slice *s, uint64_t now);
static inline uint64_t llc_drain_replies(struct slice *s, uint64_t now) {
  uint64_t first = mem_ring_next(&s->replies);
  return s->base.packer || first <= now ? llc_send_replies(s, now) : first;
}

/* ---- llc_write.c ---- */

int llc_access_write(struct slice *s, struct mem_packet *k, uint64_t now);
void llc_mark_dirty(struct llc_line *l, const struct mem_bytes *m);
void llc_write_back(struct slice *s, uint32_t frame, uint64_t now);
/* Of the list of lines that are written in part: a sixteenth more than l2.partial_lines, for when there is no room below. */
static inline size_t llc_most_parts(const struct slice *s) { return (size_t)s->c.partial_lines + s->c.partial_lines / 16 + 1; }
/* DRAM has taken a write that missed: its acknowledgement goes to the SM. */
void llc_acknowledge(struct slice *s, struct mem_packet *f, uint64_t now);

/* ---- llc_partition.c ---- */

static inline bool llc_is_far(const struct slice *s, const struct mem_packet *k) {
  return s->c.partitions > 1 && llc_block_of(k->sm, s->sms, s->c.partitions) != s->partition;
}
/* Takes the data port for a write (l2.write_bytes) and returns for how long. */
uint64_t llc_take_write_port(struct slice *s, const struct mem_packet *k, uint64_t now);
/* Takes the atomics unit for what an atomic operation's twin does (l2.atomic_twin), unless the line was among the last that did. */
void llc_take_twin(struct slice *s, const struct mem_packet *k, uint64_t now);
/* A request of a far SM: a copy near to it answers a read, everything else sets out for the other partition. */
int llc_access_far(struct slice *s, struct mem_packet *k, uint64_t now);
/* One request a cycle that has crossed; returns when to come again. */
uint64_t llc_access_distant(struct slice *s, uint64_t now);
/* Keeps what a far SM has read near to it, unless that would send something below. */
void llc_keep_copy(struct slice *s, const struct mem_packet *k);
/* The line changes: its copy is no more. */
void llc_drop_its_copy(struct slice *s, uint32_t set, uint64_t line);
static inline void llc_drop_copy(struct slice *s, uint32_t set, uint64_t line) {
  if (s->c.partitions > 1) llc_drop_its_copy(s, set, line);
}

/* ---- llc_flush.c ---- */

/* One dirty line a cycle is written back; returns when to come again. */
uint64_t llc_flush_some(struct slice *s, uint64_t now);

#endif
