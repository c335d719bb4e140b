/* The L1 data cache of one SM, as the load/store unit sees it.
 *
 * Two plug-in points meet here. The organisation (l1.org) decides which bytes of a line are stored and
 * chooses victims; one file each, listed in l1_registry.c. The bypass policy (l1.bypass, bypass.h) decides which loads
 * bypass the cache and in which order accesses come. Everything organisations share is in l1.c: MSHRs with the
 * bytes already asked for, the miss queue, writes (through, no allocate), atomics, counting. The cache keeps tags and
 * masks only; data lives in device memory.
 *
 * Does not: know warps or registers (a waiting load is an opaque number), or when it is visited (the SM calls it). */
#ifndef L1_L1_H
#define L1_L1_H

#include "base/err.h"
#include "base/policy.h"
#include "base/rng.h"
#include "mem/mem_mshr.h"
#include "mem/mem_ring.h"
#include "mem/observer.h"

/* ---- organisations ------------------------------------------------------------------------------------------------- */

/* Where an organisation or a bypass policy lives. */
struct l1_place {
  uint64_t seed;   /* for its random choices */
  uint64_t *stats; /* its own (policy.stats): it counts what only it knows; NULL: nothing */
  const uint8_t *warp; /* on whose behalf the cache works now */
  const struct mem_observers *observers; /* of the cache; an organisation notifies them of changes and evictions */
};
/* Bytes of a line can be read from now on (`here`), or no more. */
static inline void l1_notify_changed(const struct mem_observers *o, uint64_t line, struct mem_bytes bytes, bool here) {
  if (o->n && !mem_none(bytes)) MEM_NOTIFY(o, changed, line & ~(uint64_t)(MEM_LINE - 1), bytes, here);
}

/* What the rest of the SM must know of an organisation. */
struct l1_traits {
  uint32_t line_bytes;     /* coalescing granularity: 32, 64, 128 or 256 */
  uint32_t fetch_bytes;    /* of a 128-byte line that are fetched together at least */
  uint32_t extra_latency;  /* cycles a hit takes beyond l1.latency */
  bool reports_victims;    /* observers are notified of each line that is replaced */
  bool refuses_quietly;    /* a load that lacks an MSHR or a line changes nothing by trying again before one of the MSHRs has ended */
  uint64_t storage_bits;   /* beyond what a set-associative cache of whole 128-byte lines and the same size needs */
};

/* `line` is the address of a line of traits.line_bytes (of 128 for 256); byte masks are always those of the 128 bytes
 * around it. Members marked (may be NULL) are for organisations that need them. */
struct l1_request;
struct l1_org {
  struct policy policy;
  const struct l1_org *filtered; /* takes its place with reply.filter (may be NULL: does not go with it) */
  /* Returns the organisation's state, or NULL with e filled. */
  void *(*create)(const struct cfg *cfg, const struct l1_place *place, struct err *e);
  void (*destroy)(void *org);
  void (*traits)(const void *org, struct l1_traits *out);
  /* The bytes that must be fetched before `bytes` of the line can be read, in whole granules; none: a hit. Counts as
   * a use for replacement. */
  struct mem_bytes (*probe)(void *org, uint64_t line, struct mem_bytes bytes);
  /* Makes a frame free for bytes about to be requested; false: every candidate is reserved by an outstanding miss. `cycles` (0 on
   * entry) is how much longer than one cycle replacing took: the cache accepts nothing meanwhile. */
  bool (*reserve)(void *org, uint64_t line, struct mem_bytes missing, uint32_t *cycles);
  /* What to ask for instead of `ask`, the bytes that are neither here nor pending; false: the load must wait for
   * what is (may be NULL: `ask`). Followed by reserve, if the request can be sent. */
  bool (*demand)(void *org, const struct l1_request *r, struct mem_bytes *ask);
  /* An answer has come whose bytes were all here with others (may be NULL: an organisation without `demand` has none). */
  void (*late)(void *org);
  /* Bytes have arrived. */
  void (*fill)(void *org, uint64_t line, struct mem_bytes bytes);
  /* A store or atomic wrote these bytes below; `keep` says that the written data may stay (local memory). */
  void (*wrote)(void *org, uint64_t line, struct mem_bytes bytes, bool keep);
  void (*flush)(void *org); /* forget everything that is not reserved */
  /* It has room for so many bytes from now on, at most what it was built for; called when nothing is pending (may be NULL: its size
   * does not change). */
  void (*resize)(void *org, uint64_t bytes);
  uint64_t (*stored)(const void *org); /* bytes it holds now */
  /* The bytes of a 128-byte line that can be read here now. Not a use. */
  struct mem_bytes (*held)(const void *org, uint64_t line);
  /* Whether a miss on this line must fetch another 128-byte line too (may be NULL). */
  bool (*companion)(const void *org, uint64_t line, uint64_t *other);
  /* Decisions that one SM makes for all (may be NULL): `first` is SM 0's state, for which follow is never called. What it
   * has decided is seen by the others after its publish, which is called when no SM is being visited. */
  void (*follow)(void *org, void *first);
  void (*publish)(void *org);
};
extern const struct policy *const l1_orgs[]; /* of l1.org */
extern const struct policy_part l1_org_storage[]; /* what traits say */
bool l1_org_bits(const struct cfg *cfg, uint64_t *bits, struct err *e); /* an L1D's, beyond those of the base organisation */
extern const struct cfg_key l1_keys[];

/* Statistics that several organisations count. */
#define L1_STAT_COARSE                                                                                                 \
  {"l1d.coarse_lookups", "lookups", "L1D lookups treated as lookups of the whole line; a refused load counts each time", ""}
#define L1_STAT_SWITCHES {"l1d.mode_switches", "switches", "switches of L1D between fine and coarse storage", ""}

/* ---- the cache ------------------------------------------------------------------------------------------------------ */

enum l1_result {
  L1_HIT,      /* data in l1.latency cycles */
  L1_PENDING,  /* merged with an outstanding miss; the waiter is notified when it is filled */
  L1_MISS,     /* request queued; likewise */
  L1_SENT,     /* went below on its own (store, atomic, bypassing load): answered sector by sector, not by l1_fill */
  L1_STALL,    /* reservation failure: try again when something has changed; l1->why says what was missing */
};
enum l1_why { L1_NO_LINE, L1_NO_MSHR, L1_NO_MERGE, L1_NO_QUEUE, L1_WHYS };

struct l1_request {
  uint64_t line;
  struct mem_bytes bytes;
  uint8_t kind, class_, cache, keep; /* enum mem_kind, mem_class, mem_cache, mem_keep */
  uint8_t atomic;              /* MEM_ATOMIC_SUM, MEM_ATOMIC_TWICE */
  bool texture;                /* a texture or surface read: not counted among global loads */
  bool bypasses;               /* l1_load_bypasses said so: a load that does not use the cache */
  uint8_t warp;
  uint16_t degree;
  uint32_t pc, owner;
};

enum l1_stat {
  L1_S_ACCESSES, L1_S_READS, L1_S_WRITES, L1_S_ATOMICS, L1_S_HITS, L1_S_PENDING, L1_S_MISSES, L1_S_BYPASSES,
  L1_S_BYPASS_LOADS, L1_S_BYPASS_SKIPPED, L1_S_BYPASS_REFUSED,
  L1_S_FAILS, L1_S_FAIL_LINE, L1_S_FAIL_MSHR, L1_S_FAIL_MERGE, L1_S_FAIL_QUEUE, L1_S_REQUESTS, L1_S_FILLS,
  L1_S_BYTES_IN, L1_S_BYTES_ASKED, L1_S_PARTIAL, L1_S_INSTRUCTIONS, L1_S_INSTRUCTIONS_MISSED, L1_S_PACKETS_OUT,
  L1_S_PACKETS_IN, L1_S_STORED, L1_S_STORED_SAMPLES, L1_S_BUSY,
  L1_S_LOAD_SECTORS, L1_S_LOAD_SECTORS_HIT, L1_S_STORE_SECTORS, L1_S_STORE_SECTORS_HIT, L1_S_JOINED,
  L1_S_BEGUN_ANEW, L1_S_STALE_READS, L1_STATS
};

struct l1_config {
  uint32_t latency;       /* cycles from access to data, on a hit, with the organisation's own */
  uint32_t mshrs, merges, queue;
  uint32_t tags_per_cycle;
  uint32_t store_bytes;   /* l1.store_bytes */
  uint32_t join_stores;   /* l1.join_stores */
  uint32_t store_lines, leave_latency; /* l1.store_lines, l1.leave_latency */
  uint32_t spare;         /* l1.queue_spare */
  bool round_stores, tag_queue, keep_stores, fill_stores;
  bool banks;             /* l1.tag_stage = banks */
  bool cached_global;     /* .ca loads of global memory use L1 */
};

enum { L1_LEFT = 16 /* stores that are remembered after they have left: at most one leaves a cycle */ };
struct l1_left {
  uint64_t line, until; /* on its way out before that time */
};

struct l1_bypass;
struct l1 {
  struct l1_config config;
  const struct l1_org *ops;
  void *org;
  struct l1_traits traits;
  const struct l1_bypass *bypass_ops; /* see bypass.h */
  void *bypass;
  uint32_t access_bytes;  /* what the SM coalesces to for one l1_access: at most 128 */
  uint32_t busy;          /* cycles beyond one that the last access keeps the cache */
  struct mem_observers observers;
  struct mem_mshr mshrs;  /* loads wait in them, by owner */
  struct mem_ring queue;  /* miss queue */
  uint32_t stores;        /* in it, as far as l1_note_left is told what leaves */
  uint32_t next_left;
  struct l1_left left[L1_LEFT];
  struct mem_pool *pool;
  uint16_t sm;
  enum l1_why why;        /* what the last refused access lacked */
  uint64_t ended_then;    /* mshrs.ended when it was refused, and queue.count */
  uint32_t queued_then;
  bool refuses_quietly;   /* neither the organisation nor the bypass policy counts or learns from a refusal */
  uint8_t warp;           /* on whose behalf it works now */
  uint64_t stats[L1_STATS];
  uint64_t *org_stats, *bypass_stats; /* what only the organisation and the bypass policy count */
};

bool l1_init(struct l1 *c, const struct cfg *cfg, struct mem_pool *pool, uint16_t sm, struct err *e);
void l1_free(struct l1 *c);
/* Its statistics, which change with the stamp of the SM (stats_watch), and those of all organisations and bypass policies. */
void l1_register(const struct l1 *c, struct stats *s, const uint64_t *stamp, unsigned sm);
/* Ties an SM's cache to that of SM 0, for organisations in which one SM decides for all. */
void l1_follow(struct l1 *c, const struct l1 *first);
/* Makes SM 0's decisions known to the others; call while no SM is being visited. */
static inline void l1_publish(struct l1 *first) {
  if (first->ops->publish) first->ops->publish(first->org);
}

/* The bytes of a 128-byte line that can be read here now. Not a use. */
static inline struct mem_bytes l1_held(const struct l1 *c, uint64_t line) { return c->ops->held(c->org, line); }
/* Lanes of a load have read bytes of it that memory has otherwise (l1.coherent). */
static inline void l1_count_stale(struct l1 *c, unsigned lanes) { c->stats[L1_S_STALE_READS] += lanes; }

/* Whether a load, all its accesses, bypasses the cache; asked once, with its first access. */
bool l1_load_bypasses(struct l1 *c, const struct l1_request *r);
/* One access, whose bytes lie in one line of access_bytes. A read that returns MISS or PENDING is answered through l1_fill's callback. */
enum l1_result l1_access(struct l1 *c, const struct l1_request *r, uint64_t now);
/* A load instruction has made all its accesses; whether any of them had to wait for data from below. */
static inline void l1_count_instruction(struct l1 *c, bool missed) {
  c->stats[L1_S_INSTRUCTIONS]++;
  c->stats[L1_S_INSTRUCTIONS_MISSED] += missed;
}
/* Whether the access that was refused last would be refused again for the same reason, and nothing else would come of it. Other caches of
 * the SM may have filled the miss queue, which is another reason. */
static inline bool l1_still_refuses(const struct l1 *c) {
  return (c->why == L1_NO_MSHR || c->why == L1_NO_LINE) && c->refuses_quietly && c->mshrs.ended == c->ended_then &&
         c->queue.count <= c->queued_then;
}
/* The same failure again, n cycles long: a stalled unit is not visited while nothing changes. */
void l1_count_stall(struct l1 *c, uint64_t cycles);

/* A reply to a read that did not bypass; `done` is called for each load that has all its bytes now. The packet stays the caller's. */
void l1_fill(struct l1 *c, const struct mem_packet *reply, void (*done)(void *user, uint32_t owner), void *user);
void l1_flush(struct l1 *c);
/* Nothing happens while a miss is outstanding, or if the organisation has one size only. */
void l1_resize(struct l1 *c, uint64_t bytes);

/* l1_warm.c: accesses without timing, each within one line of access_bytes. Whether the cache follows them: */
bool l1_is_warmed(const struct l1 *c);
/* What a load has to fetch from below; it is here afterwards. */
struct mem_bytes l1_warm_load(struct l1 *c, uint64_t line, struct mem_bytes bytes);
void l1_warm_store(struct l1 *c, uint64_t line, struct mem_bytes bytes, bool atomic);

/* The miss queue towards the network. */
static inline struct mem_packet *l1_next_request(const struct l1 *c) {
  const struct mem_slot *first = mem_ring_head(&c->queue);
  return first ? first->k : NULL;
}
static inline void l1_pop_request(struct l1 *c) { mem_ring_pop(&c->queue); }
static inline bool l1_queue_full(const struct l1 *c) { return !mem_ring_free_slots(&c->queue); }
/* Queues a packet of another cache of the SM (constant, texture, instruction); there must be a free slot. */
void l1_queue_packet(struct l1 *c, struct mem_packet *k);
/* A packet that was popped goes to L2; with l1.store_lines every one is noted. until: the time l1.leave_latency from now. */
void l1_note_left(struct l1 *c, const struct mem_packet *k, uint64_t until);
/* Whether no more stores than l1.join_stores are in it, which another may join. */
bool l1_waits_for_stores(const struct l1 *c);

#endif
