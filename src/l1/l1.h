/* The L1 data cache of one SM, as the load/store unit sees it.
 *
 * Two plug-in points meet here. The organisation (l1.org) decides which bytes of a line are stored, makes room, and
 * chooses victims; one file each, listed in l1_registry.c. The bypass policy (l1.bypass, bypass.h) decides which loads go
 * around the cache and in which order accesses come. Everything organisations share is in l1.c: MSHRs with the
 * bytes already asked for, the miss queue, writes (through, no allocate), atomics, counting. The cache keeps tags and
 * masks only; data lives in device memory.
 *
 * Does not: know warps or registers (a waiting load is an opaque number), or when it is visited (the SM calls it). */
#ifndef L1_L1_H
#define L1_L1_H

#include "base/cfg.h"
#include "base/err.h"
#include "base/rng.h"
#include "base/stat.h"
#include "mem/packet.h"

/* ---- byte masks --------------------------------------------------------------------------------------------------- */

static inline bool l1_none(struct mem_bytes m) { return !(m.b[0] | m.b[1]); }
static inline struct mem_bytes l1_and(struct mem_bytes x, struct mem_bytes y) {
  return (struct mem_bytes){{x.b[0] & y.b[0], x.b[1] & y.b[1]}};
}
static inline struct mem_bytes l1_or(struct mem_bytes x, struct mem_bytes y) {
  return (struct mem_bytes){{x.b[0] | y.b[0], x.b[1] | y.b[1]}};
}
static inline struct mem_bytes l1_minus(struct mem_bytes x, struct mem_bytes y) {
  return (struct mem_bytes){{x.b[0] & ~y.b[0], x.b[1] & ~y.b[1]}};
}
/* Rounds a byte mask up to whole granules of 8 to 128 bytes (a power of two). */
struct mem_bytes l1_round(struct mem_bytes m, unsigned granule);

/* ---- organisations ------------------------------------------------------------------------------------------------- */

/* Who is told of misses and of lines that are replaced, for warp schedulers that go by lost locality. */
struct l1_watch {
  void (*missed)(void *user, unsigned warp, uint64_t line);  /* NULL: nobody */
  void (*evicted)(void *user, unsigned warp, uint64_t line); /* `warp` brought it in */
  void *user;
  uint8_t warp; /* on whose behalf the cache works now */
};

/* Who is told of every change of what the cache holds: a copy of the tags kept elsewhere (src/coop). `line` is that of
 * 128 bytes; `here` says whether the bytes can be read from now on, or no more. */
struct l1_told {
  void (*changed)(void *user, uint64_t line, struct mem_bytes bytes, bool here); /* NULL: nobody */
  void *user;
};

/* Where an organisation or a bypass policy lives. */
struct l1_place {
  uint64_t seed;   /* for its random choices */
  uint64_t *stats; /* by enum l1_stat: it counts what only it knows */
  const struct l1_watch *watch;
  const struct l1_told *told; /* NULL: nobody will ever listen */
};
static inline void l1_tell(const struct l1_told *t, uint64_t line, struct mem_bytes bytes, bool here) {
  if (t && t->changed && !l1_none(bytes)) t->changed(t->user, line & ~(uint64_t)(MEM_LINE - 1), bytes, here);
}

/* What the rest of the SM must know of an organisation. */
struct l1_traits {
  uint32_t line_bytes;     /* coalescing granularity: 32, 64, 128 or 256 */
  uint32_t fetch_bytes;    /* of a 128-byte line that are fetched together at least */
  uint32_t extra_latency;  /* cycles a hit takes beyond l1.latency */
  bool tells_victims;      /* l1_watch.evicted is called for each line that is replaced */
  uint64_t storage_bits;   /* beyond what a set-associative cache of whole 128-byte lines and the same size needs */
};

/* `line` is the address of a line of traits.line_bytes (of 128 for 256); byte masks are always those of the 128 bytes
 * around it. Members marked (may be NULL) are for organisations that need them. */
struct l1_request;
struct l1_org {
  const char *name, *meaning;
  const struct cfg_key *keys; /* its own, ended by a key without a name; NULL: none */
  const struct l1_org *tracked; /* takes its place with reply.filter (may be NULL: does not go with it) */
  /* Returns the organisation's state, or NULL with e filled. */
  void *(*create)(const struct cfg *cfg, const struct l1_place *place, struct err *e);
  void (*destroy)(void *org);
  void (*traits)(const void *org, struct l1_traits *out);
  /* The bytes that must be fetched before `bytes` of the line can be read, in whole granules; none: a hit. Counts as
   * a use for replacement. */
  struct mem_bytes (*probe)(void *org, uint64_t line, struct mem_bytes bytes);
  /* Room for bytes about to be asked for; false: every candidate is reserved by an outstanding miss. `cycles` (0 on
   * entry) is how much longer than one cycle replacing took: the cache accepts nothing meanwhile. */
  bool (*reserve)(void *org, uint64_t line, struct mem_bytes missing, uint32_t *cycles);
  /* What to ask for instead of `ask`, the bytes that are neither here nor on their way; false: the load must wait for
   * what is (may be NULL: `ask`). Followed by reserve, if the request can be sent. */
  bool (*demand)(void *org, const struct l1_request *r, struct mem_bytes *ask);
  /* Bytes have arrived. */
  void (*fill)(void *org, uint64_t line, struct mem_bytes bytes);
  /* A store or atomic wrote these bytes below; `keep` says that the written data may stay (local memory). */
  void (*wrote)(void *org, uint64_t line, struct mem_bytes bytes, bool keep);
  void (*flush)(void *org); /* forget everything that is not reserved */
  uint64_t (*stored)(const void *org); /* bytes it holds now */
  /* The bytes of a 128-byte line that can be read here now. Not a use. */
  struct mem_bytes (*held)(const void *org, uint64_t line);
  /* Whether a miss on this line must fetch another 128-byte line too (may be NULL). */
  bool (*companion)(const void *org, uint64_t line, uint64_t *other);
  /* Decisions that one SM makes for all (may be NULL): `first` is SM 0's state, which is never told to follow. What it
   * has decided is seen by the others after its publish, which is called when no SM is being visited. */
  void (*follow)(void *org, void *first);
  void (*publish)(void *org);
};
extern const struct l1_org *const l1_orgs[]; /* ended by NULL */
const struct cfg_key *const *l1_key_tables(size_t *n);

/* ---- the cache ------------------------------------------------------------------------------------------------------ */

enum l1_result {
  L1_HIT,      /* data in l1.latency cycles */
  L1_PENDING,  /* merged with an outstanding miss; the waiter is told when it is filled */
  L1_MISS,     /* request queued; likewise */
  L1_SENT,     /* went below on its own (store, atomic, bypassing load): answered sector by sector, not by l1_fill */
  L1_STALL,    /* reservation failure: try again when something has changed; l1->why says what was missing */
};
enum l1_why { L1_NO_LINE, L1_NO_MSHR, L1_NO_MERGE, L1_NO_QUEUE, L1_WHYS };

struct l1_request {
  uint64_t line;
  struct mem_bytes bytes;
  uint8_t kind, class_, cache; /* enum mem_kind, mem_class, mem_cache */
  bool texture;                /* a texture or surface read: not counted among global loads */
  bool around;                 /* l1_skips said so: a load that does not use the cache */
  uint8_t warp;
  uint16_t degree;
  uint32_t pc, owner;
};

enum l1_stat {
  L1_S_ACCESSES, L1_S_READS, L1_S_WRITES, L1_S_ATOMICS, L1_S_HITS, L1_S_PENDING, L1_S_MISSES, L1_S_BYPASSES,
  L1_S_BYPASS_LOADS, L1_S_BYPASS_SKIPPED, L1_S_BYPASS_REFUSED, L1_S_PERIODS, L1_S_TUCD,
  L1_S_FAILS, L1_S_FAIL_LINE, L1_S_FAIL_MSHR, L1_S_FAIL_MERGE, L1_S_FAIL_QUEUE, L1_S_REQUESTS, L1_S_FILLS,
  L1_S_BYTES_IN, L1_S_BYTES_ASKED, L1_S_PARTIAL, L1_S_INSTRUCTIONS, L1_S_INSTRUCTIONS_MISSED, L1_S_PACKETS_OUT,
  L1_S_PACKETS_IN, L1_S_STORED, L1_S_STORED_SAMPLES, L1_S_BUSY, L1_S_RETAGS, L1_S_COARSE, L1_S_SWITCHES,
  L1_S_FIRST_MISSES, L1_S_SUBSEQUENT_MISSES, L1_S_HIT_INVALID, L1_S_LATE,
  L1_S_DEMAND_PART, L1_S_DEMAND_FDR_RATIO, L1_S_DEMAND_MSHR, L1_S_DEMAND_ICA_RATIO, /* as enum l1_demand */
  L1_S_FILLED_CA, L1_S_FILLED_ICA, L1_S_EVICTED_CA, L1_S_EVICTED_ICA,
  L1_S_LOAD_SECTORS, L1_S_LOAD_SECTORS_HIT, L1_S_STORE_SECTORS, L1_S_STORE_SECTORS_HIT, L1_STATS
};
extern const struct stat_def l1_stat_defs[L1_STATS];

struct l1_config {
  uint32_t latency;       /* cycles from access to data, on a hit, with the organisation's own */
  uint32_t mshrs, merges, queue;
  uint32_t tags_per_cycle;
  uint32_t store_bytes;   /* l1.store_bytes */
  uint32_t spare;         /* l1.queue_spare */
  bool round_stores, tag_queue, keep_stores;
  bool banks;             /* l1.tag_stage = banks */
  bool cached_global;     /* .ca loads of global memory use L1 */
};

struct l1_waiter {
  uint32_t owner;
  int32_t next;
  struct mem_bytes waiting;
  bool used;
};
struct l1_mshr {
  uint64_t line;
  struct mem_bytes issued;
  uint32_t merged;
  int32_t waiters;        /* first; -1 none */
  bool used;
  uint8_t warp;           /* whose load missed */
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
  struct l1_told told;    /* of changes of its tags */
  struct l1_mshr *mshrs;
  struct l1_waiter *waiters;
  uint32_t n_mshrs_used;
  int32_t free_waiter;
  uint16_t *index;        /* line hash -> mshr + 1; open addressing */
  uint32_t index_mask;
  struct mem_packet **queue; /* miss queue, ring */
  uint32_t queue_head, queue_count;
  struct mem_pool *pool;
  uint16_t sm;
  enum l1_why why;
  struct l1_watch watch;
  uint64_t stats[L1_STATS];
};

bool l1_init(struct l1 *c, const struct cfg *cfg, struct mem_pool *pool, uint16_t sm, struct err *e);
void l1_free(struct l1 *c);
/* Ties an SM's cache to that of SM 0, for organisations in which one SM decides for all. */
void l1_follow(struct l1 *c, const struct l1 *first);
/* Makes SM 0's decisions known to the others; call while no SM is being visited. */
static inline void l1_publish(struct l1 *first) {
  if (first->ops->publish) first->ops->publish(first->org);
}

/* Whether a load, all its accesses, goes around the cache; asked once, with its first access. */
bool l1_skips(struct l1 *c, const struct l1_request *r);
/* One access, whose bytes lie in one line of access_bytes. A read that returns MISS or PENDING is answered through l1_fill's callback. */
enum l1_result l1_access(struct l1 *c, const struct l1_request *r, uint64_t now);
/* A load instruction has made all its accesses; whether any of them had to wait for data from below. */
static inline void l1_count_instruction(struct l1 *c, bool missed) {
  c->stats[L1_S_INSTRUCTIONS]++;
  c->stats[L1_S_INSTRUCTIONS_MISSED] += missed;
}
/* The same failure again, n cycles long: a stalled unit is not visited while nothing changes. */
void l1_count_stall(struct l1 *c, uint64_t cycles);

/* A reply to a read that did not bypass; `done` is called for each load that has all its bytes now. The packet stays the caller's. */
void l1_fill(struct l1 *c, const struct mem_packet *reply, void (*done)(void *user, uint32_t owner), void *user);
void l1_flush(struct l1 *c);

/* The miss queue towards the network. */
static inline struct mem_packet *l1_next_request(const struct l1 *c) {
  return c->queue_count ? c->queue[c->queue_head] : NULL;
}
static inline void l1_pop_request(struct l1 *c) {
  c->queue_head = c->queue_head + 1 < c->config.queue ? c->queue_head + 1 : 0;
  c->queue_count--;
}
static inline bool l1_queue_full(const struct l1 *c) { return c->queue_count == c->config.queue; }
/* Queues a packet of another cache of the SM (constant, texture, instruction); there must be room. */
void l1_queue_packet(struct l1 *c, struct mem_packet *k);

#endif
