/* The L1 data cache of one SM, as the load/store unit sees it.
 *
 * It has two plug-in points. The organisation (l1.org) decides which bytes of a line are stored and chooses victims;
 * each organisation is one file, listed in l1_registry.c. The bypass policy (l1.bypass, bypass.h) decides which loads
 * bypass the cache and in which order accesses reach it. What all organisations share is in l1.c: MSHRs with the
 * bytes already requested, the miss queue, stores (write-through, by default without allocation), atomics,
 * statistics. The cache keeps tags and byte masks only; the data is in device memory.
 *
 * Does not: know warps or registers (a waiting load is an opaque number), or decide when it is visited (the SM calls
 * it). */
#ifndef L1_L1_H
#define L1_L1_H

#include "base/err.h"
#include "base/policy.h"
#include "base/rng.h"
#include "mem/mem_mshr.h"
#include "mem/mem_ring.h"
#include "mem/observer.h"

/* ---- organisations ------------------------------------------------------------------------------------------------- */

/* What an organisation or a bypass policy is given by the cache that it belongs to. */
struct l1_place {
  uint64_t seed;   /* for its random choices */
  uint64_t *stats; /* counters of its own statistics (policy.stats), which it counts itself; NULL: it has none */
  const uint8_t *warp; /* the warp whose access the cache is serving now */
  const struct mem_observers *observers; /* of the cache; an organisation notifies them of changes and evictions */
};
/* Tells the observers that bytes of a line can be read from now on (`here`), or no longer. */
static inline void l1_notify_changed(const struct mem_observers *o, uint64_t line, struct mem_bytes bytes, bool here) {
  if (o->n && !mem_none(bytes)) MEM_NOTIFY(o, changed, line & ~(uint64_t)(MEM_LINE - 1), bytes, here);
}

/* What the rest of the SM must know of an organisation. */
struct l1_traits {
  uint32_t line_bytes;     /* coalescing granularity: 32, 64, 128 or 256 */
  uint32_t fetch_bytes;    /* least bytes of a 128-byte line that are fetched together */
  uint32_t extra_latency;  /* cycles a hit takes beyond l1.latency */
  bool reports_victims;    /* observers are notified of each line that is replaced */
  bool refuses_quietly;    /* retrying a load that lacks an MSHR or a line has no effect until one of the MSHRs has ended */
  uint64_t storage_bits;   /* beyond a set-associative cache of the same size with whole 128-byte lines */
};

/* `line` is the address of a line of traits.line_bytes (for lines of 256 bytes, of one 128-byte half); byte masks
 * always cover the 128 bytes around it. An organisation leaves members NULL that it does not need, where they are
 * marked (may be NULL). */
struct l1_request;
struct l1_org {
  struct policy policy;
  const struct l1_org *filtered; /* takes its place when reply.filter is on (NULL: it cannot be combined with reply.filter) */
  /* Returns the organisation's state, or NULL with e filled. */
  void *(*create)(const struct cfg *cfg, const struct l1_place *place, struct err *e);
  void (*destroy)(void *org);
  void (*traits)(const void *org, struct l1_traits *out);
  /* Looks up a line: returns the bytes, in whole granules, that must be fetched before `bytes` can be read; none: a
   * hit. Counts as a use of the line for replacement. */
  struct mem_bytes (*probe)(void *org, uint64_t line, struct mem_bytes bytes);
  /* Makes a frame free for bytes that are about to be requested; false: every candidate is reserved by an outstanding
   * miss. `cycles` (0 on entry) is set to the cycles beyond one that the replacement takes, during which the cache
   * accepts nothing. */
  bool (*reserve)(void *org, uint64_t line, struct mem_bytes missing, uint32_t *cycles);
  /* Changes what a miss requests: on entry `ask` has the bytes that are neither here nor pending. False: the load
   * must wait for what is pending (may be NULL: `ask` stays). Followed by reserve, if the request can be sent. */
  bool (*demand)(void *org, const struct l1_request *r, struct mem_bytes *ask);
  /* A reply has come whose bytes had all come with other replies (may be NULL: this happens only with `demand`). */
  void (*late)(void *org);
  /* Bytes have arrived. */
  void (*fill)(void *org, uint64_t line, struct mem_bytes bytes);
  /* A store or atomic has written these bytes below; `keep`: the copy here was updated and may stay (local memory, l1.keep_stores). */
  void (*wrote)(void *org, uint64_t line, struct mem_bytes bytes, bool keep);
  void (*flush)(void *org); /* invalidates everything that is not reserved */
  /* Sets its capacity in bytes, at most what it was built for; called when nothing is pending (may be NULL: its size cannot change). */
  void (*resize)(void *org, uint64_t bytes);
  uint64_t (*stored)(const void *org); /* bytes of data that it holds now */
  /* The bytes of a 128-byte line that can be read here now. Not a use. */
  struct mem_bytes (*held)(const void *org, uint64_t line);
  /* Whether a miss on this line must also fetch another 128-byte line (may be NULL). */
  bool (*companion)(const void *org, uint64_t line, uint64_t *other);
  /* For an organisation in which SM 0 decides for all SMs (both may be NULL): follow gives every other SM a pointer
   * to SM 0's state, `first`. publish, called on SM 0's state while no SM is being visited, makes its decisions
   * visible to the others. */
  void (*follow)(void *org, void *first);
  void (*publish)(void *org);
};
extern const struct policy *const l1_orgs[]; /* the organisations of l1.org */
extern const struct policy_part l1_org_storage[]; /* storage as the traits say */
/* Storage bits of one L1D beyond those of the base organisation. */
bool l1_org_bits(const struct cfg *cfg, uint64_t *bits, struct err *e);
extern const struct cfg_key l1_keys[];

/* Statistics that several organisations count. */
#define L1_STAT_COARSE                                                                                                 \
  {"l1d.coarse_lookups", "lookups", "L1D lookups treated as lookups of the whole line; a refused load counts each time", ""}
#define L1_STAT_SWITCHES {"l1d.mode_switches", "switches", "switches of L1D between fine and coarse storage", ""}

/* ---- the cache ------------------------------------------------------------------------------------------------------ */

enum l1_result {
  L1_HIT,      /* data in l1.latency cycles */
  L1_PENDING,  /* merged with an outstanding miss; l1_fill calls back when the data comes */
  L1_MISS,     /* request put into the miss queue; likewise */
  L1_SENT,     /* sent below without an MSHR (store, atomic, bypassing load): answered sector by sector, not through l1_fill */
  L1_STALL,    /* reservation failure: try again when something has changed; l1->why says what was missing */
};
enum l1_why { L1_NO_LINE, L1_NO_MSHR, L1_NO_MERGE, L1_NO_QUEUE, L1_WHYS };

struct l1_request {
  uint64_t line;
  struct mem_bytes bytes;
  uint8_t kind, class_, cache, keep; /* enum mem_kind, mem_class, mem_cache, mem_keep */
  uint8_t atomic;              /* MEM_ATOMIC_SUM, MEM_ATOMIC_TWICE */
  bool texture;                /* a texture or surface read: not counted among global loads */
  bool bypasses;               /* l1_load_bypasses returned true: the load does not use the cache */
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
  uint32_t latency;       /* of a hit, from access to data, with the organisation's extra latency */
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

enum { L1_LEFT = 16 /* how many of the stores that left last are remembered; at most one leaves in a cycle */ };
struct l1_left {
  uint64_t line, until; /* counts as on its way out until then */
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
  uint32_t busy;          /* cycles beyond one for which the last access keeps the cache busy */
  struct mem_observers observers;
  struct mem_mshr mshrs;  /* loads wait in them, by owner */
  struct mem_ring queue;  /* miss queue */
  uint32_t stores;        /* stores in the miss queue; exact only where l1_note_left is called */
  uint32_t next_left;
  struct l1_left left[L1_LEFT];
  struct mem_pool *pool;
  uint16_t sm;
  enum l1_why why;        /* what the last refused access lacked */
  uint64_t ended_then;    /* mshrs.ended and, below, queue.count when it was refused */
  uint32_t queued_then;
  bool refuses_quietly;   /* neither the organisation nor the bypass policy counts or learns from a refusal */
  uint8_t warp;           /* the warp whose access it is serving now */
  uint64_t stats[L1_STATS];
  uint64_t *org_stats, *bypass_stats; /* what only the organisation and the bypass policy count */
};

bool l1_init(struct l1 *c, const struct cfg *cfg, struct mem_pool *pool, uint16_t sm, struct err *e);
void l1_free(struct l1 *c);
/* Registers the cache's statistics, which change only when the SM's stamp does (stats_watch), and those of all
 * organisations and bypass policies. */
void l1_register(const struct l1 *c, struct stats *s, const uint64_t *stamp, unsigned sm);
/* Ties an SM's cache to that of SM 0, for organisations in which one SM decides for all. */
void l1_follow(struct l1 *c, const struct l1 *first);
/* Makes SM 0's decisions known to the others; call while no SM is being visited. */
static inline void l1_publish(struct l1 *first) {
  if (first->ops->publish) first->ops->publish(first->org);
}

/* The bytes of a 128-byte line that can be read here now. Not a use. */
static inline struct mem_bytes l1_held(const struct l1 *c, uint64_t line) { return c->ops->held(c->org, line); }
/* Counts lanes of a load that have read bytes in L1D which differ from those in memory (l1.coherent). */
static inline void l1_count_stale(struct l1 *c, unsigned lanes) { c->stats[L1_S_STALE_READS] += lanes; }

/* Whether a load bypasses the cache with all its accesses; asked once, with its first access. */
bool l1_load_bypasses(struct l1 *c, const struct l1_request *r);
/* Makes one access, whose bytes lie in one line of access_bytes. A read that returns L1_MISS or L1_PENDING is
 * answered through l1_fill's callback. */
enum l1_result l1_access(struct l1 *c, const struct l1_request *r, uint64_t now);
/* A load instruction has made all its accesses; whether any of them had to wait for data from below. */
static inline void l1_count_instruction(struct l1 *c, bool missed) {
  c->stats[L1_S_INSTRUCTIONS]++;
  c->stats[L1_S_INSTRUCTIONS_MISSED] += missed;
}
/* Whether trying the last refused access again would only be refused again for the same reason, without any other
 * effect. False if other caches of the SM have put packets into the miss queue since, which may be another reason. */
static inline bool l1_still_refuses(const struct l1 *c) {
  return (c->why == L1_NO_MSHR || c->why == L1_NO_LINE) && c->refuses_quietly && c->mshrs.ended == c->ended_then &&
         c->queue.count <= c->queued_then;
}
/* Counts the last reservation failure for further cycles, in which the stalled unit was not visited because nothing could change. */
void l1_count_stall(struct l1 *c, uint64_t cycles);

/* Takes the reply to a read that did not bypass; `done` is called for each load that now has all its bytes. The
 * packet stays the caller's. */
void l1_fill(struct l1 *c, const struct mem_packet *reply, void (*done)(void *user, uint32_t owner), void *user);
void l1_flush(struct l1 *c);
/* Changes the capacity. Does nothing while a miss is outstanding, or if the size of the organisation cannot change. */
void l1_resize(struct l1 *c, uint64_t bytes);

/* l1_warm.c: accesses while instructions are executed without timing, each within one line of access_bytes.
 * l1_is_warmed says whether this cache can follow them. */
bool l1_is_warmed(const struct l1 *c);
/* Returns the bytes that a load has to fetch from below; they are in the cache afterwards. */
struct mem_bytes l1_warm_load(struct l1 *c, uint64_t line, struct mem_bytes bytes);
void l1_warm_store(struct l1 *c, uint64_t line, struct mem_bytes bytes, bool atomic);

/* The miss queue towards the network. */
static inline struct mem_packet *l1_next_request(const struct l1 *c) {
  const struct mem_slot *first = mem_ring_head(&c->queue);
  return first ? first->k : NULL;
}
static inline void l1_pop_request(struct l1 *c) { mem_ring_pop(&c->queue); }
static inline bool l1_queue_full(const struct l1 *c) { return !mem_ring_free_slots(&c->queue); }
/* Puts a packet of another cache of the SM (constant, texture, instruction) into the miss queue; there must be a free slot. */
void l1_queue_packet(struct l1 *c, struct mem_packet *k);
/* Notes that a popped packet goes to L2. With l1.store_lines it must be called for every packet; `until` is the time
 * l1.leave_latency from now. */
void l1_note_left(struct l1 *c, const struct mem_packet *k, uint64_t until);
/* Whether the miss queue has at most l1.join_stores stores, so that the next store may still join any of them. */
bool l1_waits_for_stores(const struct l1 *c);

#endif
