/* The inside of an L2 slice, for the files that implement it; others include llc.h.
 *
 *   llc_slice.c      one visit, making and connecting, checks, the watchdog's question
 *   llc_access.c     requests before the tags, and what they find there
 *   llc_miss.c       what is sent to DRAM (or to an SM that may have the line) and what comes back
 *   llc_reply.c      answers, the data port, and replies that wait for the network
 *   llc_write.c      what a write does: allocate, fetch, write through, write back
 *   llc_partition.c  requests and copies of an L2 in two partitions
 *   llc_window.c     persisting and streaming lines
 *   llc_flush.c      lines that come and go outside of requests: flushing, invalidating, copies of the host
 *
 * Owns: the struct that these files share, and the few functions that are too small for a call. An access function
 * returns 0, or the reason why the request has to wait (one of LLC_STALL_*); in that case it has changed nothing. */
#ifndef LLC_SLICE_H
#define LLC_SLICE_H

#include "llc/llc_coalesce.h"
#include "llc/llc_config.h"
#include "mem/mem_mshr.h"
#include "mem/mem_ring.h"
#include "mem/mem_stall.h"
#include "mem/mem_tags.h"

/* The state of the line in a frame; for a frame without a line (mem_tags_line) it is out of date. A sector is valid
 * when all of it can be read. Bytes written into a sector that is not valid are only dirty.
 *
 * The masks of the tag array (mem_tags.h) are not used here. L2 fetches whole sectors, so four bits do for what takes
 * 16 bytes there, and sectors become valid by writes as well as by fills. Together with the dirty bytes this fills a
 * third of a host cache line, instead of touching three lines in three arrays; an L2 has up to 400,000 frames. */
struct llc_line {
  struct mem_bytes dirty;
  uint8_t valid, pending;
  uint8_t unasked; /* pending sectors that were fetched along with others (l2.fetch_bytes) and that no request has asked for yet */
  uint8_t lent;    /* with l2.constant_pairs: sectors that are answered when the pending ones come, but not kept */
  uint8_t completing; /* pending sectors that are fetched because they were written in part (l2.partial_lines) */
  bool through;    /* DRAM has the dirty bytes already */
  bool listed;     /* it is in slice.parts */
  uint8_t program; /* of the SM that brought it in */
};

/* A line that was written in part when it was put into slice.parts; it may be whole or evicted by now. */
struct llc_part {
  uint64_t line;
  uint32_t frame;
};

enum { LLC_TWINS = 8 /* lines of far atomic operations that are remembered (llc_take_twin) */ };

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
  struct mem_ring ready;                       /* requests past their latency, with l2.unbounded_latency; else they stay in `pipe` */
  struct mem_ring distant;                     /* requests in flight from the other partition */
  struct mem_packet *answered, *answered_last; /* misses whose data has come, in order */
  uint64_t data_free, fill_free, atomic_free;  /* when the data port, the fill port and the atomics unit are idle again */
  uint64_t twin_lines[LLC_TWINS]; /* lines of the last far atomic operations that were charged l2.atomic_twin */
  uint32_t next_twin;
  uint64_t atomic_line;      /* line of the last atomic operation */
  struct mem_bytes atomic_bytes; /* bytes that it changed */
  uint32_t data_spare;                         /* bytes that the data port can still move in its last cycle */
  struct llc_part *parts;                      /* with l2.partial_lines: lines written in part, a ring, the oldest first */
  uint32_t first_part, n_parts, new_parts;     /* new_parts: added since it was last looked through */
  int stall;                                   /* why the oldest request waits (enum llc_stat), or 0 */
  uint64_t stalled_since;
  uint32_t awaited;                            /* free slots of `replies` that the oldest request lacked; 0: it was not refused for that */
  uint32_t set_aside;    /* for persisting lines, in units of 1/LLC_SET_ASIDE_PARTS of the slice */
  bool flushing;
  uint8_t flush_program; /* or LLC_EVERY_PROGRAM */
  uint32_t flush_at;     /* next frame to look at */
  uint64_t finished;     /* requests answered or ended */
  bool moved;            /* this visit changed something */
  uint32_t partition;    /* the partition that the slice is in */
  uint32_t sms;          /* of the GPU */
  uint64_t lost;         /* mem_tags.clock when the contents were discarded (llc_warm_lose); 0: they never were */
  bool distant_stalled;  /* the oldest distant request could not be served at this visit */
};

static inline struct slice *llc_of(struct llc_slice *s) { return (struct slice *)s; }
static inline const struct slice *llc_of_const(const struct llc_slice *s) { return (const struct slice *)s; }

/* ---- times ---- */

/* A span of time in whole cycles. Most spans are of one cycle or none, and need no division. */
static inline uint64_t llc_whole_cycles(const struct slice *s, uint64_t span) {
  uint64_t period = s->base.wake.period;
  return span == 0 ? 0 : span == period ? 1 : span / period;
}
/* How long this many bytes take through the data port, or into the data array. */
static inline uint64_t llc_port_time(const struct slice *s, uint32_t bytes) {
  return (bytes + s->c.data_bytes - 1) / s->c.data_bytes * s->base.wake.period;
}
/* When to try a request again that stalled for this reason, if nothing else moves in the slice before. */
static inline uint64_t llc_stall_end(const struct slice *s, int why) {
  return why == LLC_STALL_DATA_PORT ? s->data_free : why == LLC_STALL_ATOMIC ? s->atomic_free : MEM_NEVER;
}

/* ---- lines ---- */

static inline uint32_t llc_count_sectors(uint8_t m) {
  static const uint8_t bits[1 << MEM_SECTORS] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
  return bits[m & 15];
}
/* With l2.sector_lookups, keeps the tags busy for one cycle for each sector of a request that missed; the first of
 * them may have evicted a line. */
static inline void llc_look_up_sectors(struct slice *s, uint8_t sectors, uint64_t now) {
  if (!s->c.sector_lookups) return;
  uint64_t period = s->base.wake.period, first = s->data_free > now ? s->data_free : now + period;
  s->data_free = first + (llc_count_sectors(sectors) - 1) * period;
}
static inline bool llc_must_write_back(const struct llc_line *l) { return (l->dirty.b[0] | l->dirty.b[1]) && !l->through; }
static inline bool llc_holds(const struct slice *s, int32_t frame) { return mem_tags_line(&s->tags, (uint32_t)frame) != MEM_NO_LINE; }
/* Whether the line in a frame must be written back when it is replaced. */
static inline bool llc_is_dirty(const struct slice *s, int32_t frame) {
  return llc_must_write_back(&s->lines[frame]) && llc_holds(s, frame);
}
static inline bool llc_belongs(const struct llc_line *l, uint8_t program) {
  return program == LLC_EVERY_PROGRAM || l->program == program;
}
static inline uint32_t llc_frames(const struct slice *s) { return s->tags.c.sets * s->tags.c.ways; }

/* ---- packets: while a packet is in the slice, its `local` holds the time when it came and its set ---- */

enum { LLC_SET_BITS = 20 };
static inline uint32_t llc_set_of(const struct mem_packet *k) { return (uint32_t)k->local & ((1u << LLC_SET_BITS) - 1); }
static inline uint64_t llc_came(const struct mem_packet *k) { return k->local >> LLC_SET_BITS; }
static inline bool llc_is_atomic(const struct mem_packet *k) { return k->kind == MEM_ATOMIC || k->kind == MEM_REDUCE; }
static inline uint8_t llc_program_of(const struct slice *s, const struct mem_packet *k) {
  return s->base.views ? s->base.views[k->sm].program : 0;
}

/* ---- llc_access.c ---- */

/* Takes requests from the network: in a cycle as many as the tags can look up, and those that join them. */
void llc_take_requests(struct slice *s, uint64_t now);
/* The queue in which requests wait for the tags. */
static inline struct mem_ring *llc_in_front(struct slice *s) { return s->c.unbounded_latency ? &s->ready : &s->pipe; }
static inline bool llc_takes_requests(struct slice *s) { return mem_ring_free_slots(llc_in_front(s)) && mem_ring_free_slots(&s->pipe); }
/* Lets requests that are past their latency look up the tags; returns when to call again. */
uint64_t llc_look_up(struct slice *s, uint64_t now);
static inline uint64_t llc_access_tags(struct slice *s, uint64_t now) {
  uint64_t first = mem_ring_next(llc_in_front(s));
  return first <= now ? llc_look_up(s, now) : first;
}
/* With l2.unbounded_latency, moves requests past their latency into the queue in front of the tags, in a cycle as
 * many as the tags can look up. Called after the lookups. */
uint64_t llc_end_latency(struct slice *s, uint64_t now);
static inline uint64_t llc_leave_latency(struct slice *s, uint64_t now) {
  uint64_t first = mem_ring_next(&s->pipe);
  return first <= now ? llc_end_latency(s, now) : first;
}
/* Serves a request in the partition that its line belongs to. */
int llc_access_home(struct slice *s, struct mem_packet *k, uint64_t now);
/* Serves a request that finds all it needs in this frame. */
int llc_access_hit(struct slice *s, struct mem_packet *k, int32_t frame, uint64_t now);
/* The sectors that a miss on `sectors` fetches, if those in `here` are valid or pending: the pieces of l2.fetch_bytes around them. */
uint8_t llc_fetched_with(const struct slice *s, uint8_t sectors, uint8_t here);
/* Counts an access with its outcome LLC_HITS, LLC_MISSES or LLC_PENDING_HITS. `missed` are the sectors that are not
 * here and that it is the first to ask for. Sectors of code and constants are not counted, since these do not come
 * through the L1D. */
void llc_count_access(struct slice *s, const struct mem_packet *k, enum llc_stat outcome, uint8_t missed);

/* ---- llc_window.c ---- */

/* Gives the line in this frame the property of the packet that has just used it or brought it in. */
void llc_apply_keep(struct slice *s, int32_t frame, const struct mem_packet *k);

/* ---- llc_miss.c ---- */

/* The most packets that a miss may send below with l2.write_miss=fetch. The miss queue must then have this many free
 * slots, however few it sends. */
enum { LLC_MOST_OF_READ = 2, LLC_MOST_OF_WRITE = 3 };

/* Serves a request whose line is outstanding, perhaps without the sectors wanted. */
int llc_access_pending(struct slice *s, struct mem_packet *k, int32_t frame, int32_t at, uint8_t fetch, uint64_t now);
/* Serves a request that misses while nothing of its line is outstanding; `frame` holds the line, or is MEM_NO_FRAME. */
int llc_access_miss(struct slice *s, struct mem_packet *k, int32_t frame, uint8_t fetch, uint64_t now);
/* Takes an MSHR, locks the frame and requests these sectors; returns the MSHR, in which requests can wait. */
int32_t llc_begin_miss(struct slice *s, const struct mem_packet *k, int32_t frame, uint8_t fetch, uint64_t now);
/* Puts a new packet for DRAM into the miss queue, which must have a free slot. `sm` is the SM that it is for (0 for a
 * write-back, which is for none). */
void llc_send_below(struct slice *s, enum mem_kind kind, uint64_t line, uint8_t sectors, const struct mem_bytes *bytes, uint16_t sm,
                    uint64_t now);
/* Evicts what is in a frame and puts the line of the packet there. */
void llc_replace(struct slice *s, uint32_t frame, const struct mem_packet *k, uint64_t now);
/* Whether the miss queue has free slots for a write-back of the line in this frame, if it needs one, and for `more` packets. */
static inline bool llc_miss_fits(const struct slice *s, int32_t frame, uint32_t more) {
  return mem_ring_free_slots(&s->misses) >= more + llc_is_dirty(s, frame);
}
/* In one cycle: a packet leaves for DRAM; data is taken from DRAM; data is taken from an SM that was asked; an
 * answered miss goes to the reply queue. Each function returns when to call it again. */
uint64_t llc_drain_misses(struct slice *s, uint64_t now);
uint64_t llc_take_fill(struct slice *s, uint64_t now);
uint64_t llc_take_answer(struct slice *s, uint64_t now);
uint64_t llc_answer_miss(struct slice *s, uint64_t now);

/* ---- llc_reply.c ---- */

/* What keeps a request whose data is here from being answered: 0 (nothing) or a stall. */
int llc_answer_stall(const struct slice *s, const struct mem_packet *k, uint64_t now);
/* Answers a request whose data is here; llc_answer_stall must have returned 0. */
void llc_answer(struct slice *s, struct mem_packet *k, uint64_t now);
/* Turns a request into its replies, which may leave from the time `ready` on. */
void llc_reply_to(struct slice *s, struct mem_packet *k, uint64_t ready);
/* The number of packets that answer a request; the same for a request with its followers. */
uint32_t llc_replies_of(const struct slice *s, const struct mem_packet *k);
uint32_t llc_replies_of_all(const struct slice *s, const struct mem_packet *k);
/* Sends one reply a cycle into the network; returns when to call again. */
uint64_t llc_send_replies(struct slice *s, uint64_t now);
static inline uint64_t llc_drain_replies(struct slice *s, uint64_t now) {
  uint64_t first = mem_ring_next(&s->replies);
  return s->base.packer || first <= now ? llc_send_replies(s, now) : first;
}

/* ---- llc_write.c ---- */

int llc_access_write(struct slice *s, struct mem_packet *k, uint64_t now);
void llc_mark_dirty(struct llc_line *l, const struct mem_bytes *m);
void llc_write_back(struct slice *s, uint32_t frame, uint64_t now);
/* Capacity of slice.parts: a sixteenth more than l2.partial_lines, for times when the miss queue has no room. */
static inline size_t llc_most_parts(const struct slice *s) { return (size_t)s->c.partial_lines + s->c.partial_lines / 16 + 1; }
/* DRAM has taken a write that missed (l2.write_miss=fetch): sends the acknowledgement to the SM. */
void llc_acknowledge(struct slice *s, struct mem_packet *f, uint64_t now);

/* ---- llc_partition.c ---- */

static inline bool llc_is_far(const struct slice *s, const struct mem_packet *k) {
  return s->c.partitions > 1 && llc_block_of(k->sm, s->sms, s->c.partitions) != s->partition;
}
/* Occupies the data port for a write (l2.write_bytes) and returns for how long. */
uint64_t llc_take_write_port(struct slice *s, const struct mem_packet *k, uint64_t now);
/* Occupies the atomics unit for the work of the slice that a far atomic operation passes on its way (its twin,
 * l2.atomic_twin), unless its line is one of the last LLC_TWINS that did. */
void llc_take_twin(struct slice *s, const struct mem_packet *k, uint64_t now);
/* Serves a request of an SM in the other partition: a read that finds a copy near its SM is answered; everything else is sent across. */
int llc_access_far(struct slice *s, struct mem_packet *k, uint64_t now);
/* Serves one request a cycle that has crossed between the partitions; returns when to call again. */
uint64_t llc_access_distant(struct slice *s, uint64_t now);
/* Keeps a copy of what a far SM has read near to that SM, unless a dirty line would have to be written back for it. */
void llc_keep_copy(struct slice *s, const struct mem_packet *k);
/* Drops the copy of a line, because the line changes. */
void llc_drop_its_copy(struct slice *s, uint32_t set, uint64_t line);
static inline void llc_drop_copy(struct slice *s, uint32_t set, uint64_t line) {
  if (s->c.partitions > 1) llc_drop_its_copy(s, set, line);
}

/* ---- llc_flush.c ---- */

/* Writes back one dirty line a cycle; returns when to call again. */
uint64_t llc_flush_some(struct slice *s, uint64_t now);

#endif
