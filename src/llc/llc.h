/* A slice of L2, the last-level cache: a memory-side cache bank between the networks and one DRAM channel.
 *
 * Requests arrive in the port `in`, wait for the slice's fixed latency, look up the tags in order (one or more a
 * cycle), and are answered through `reply`. Misses and write-backs leave through `mem`; data comes back through
 * `fill`. The slice is write-back and write-allocate with a byte mask: a write does not fetch its line (unless
 * l2.write_miss=fetch); reading a sector that was only written in part fetches and merges it. Writes of SMs that see
 * private slices (llc_mode.h) also go through to DRAM and leave nothing dirty. The slice holds tags and masks only;
 * the data is in device memory.
 *
 * A read may be answered by several packets, whose sectors add up to those of the request (key noc.reply_per_sector);
 * so may a write (key l2.write_ack). Each packet carries the request's `owner`. */
#ifndef LLC_H
#define LLC_H

#include "base/cfg.h"
#include "base/err.h"
#include "base/stat.h"
#include "base/str.h"
#include "llc/llc_mode.h"
#include "llc/llc_profile.h"
#include "mem/mem_map.h"
#include "mem/observer.h"
#include "mem/peers.h"
#include "mem/port.h"
#include "reply/data_filter.h"
#include "reply/packer.h"

extern const struct cfg_key llc_keys[];

enum llc_stat {
  LLC_ACCESSES,
  LLC_HITS,
  LLC_MISSES,
  LLC_PENDING_HITS,
  LLC_READS,
  LLC_WRITES,
  LLC_ATOMICS,
  LLC_READ_MISSES,
  LLC_WRITE_MISSES,
  LLC_SECTOR_MISSES,
  LLC_EVICTIONS,
  LLC_WRITEBACKS,
  LLC_WRITE_THROUGHS,
  LLC_FETCHES,
  LLC_FETCHED_SECTORS,
  LLC_FILLS,
  LLC_REPLIES,
  LLC_REPLY_BYTES,
  LLC_WRITE_BYTES,
  LLC_STALL_LINE,
  LLC_STALL_MSHR,
  LLC_STALL_MERGE,
  LLC_STALL_MISS_QUEUE,
  LLC_STALL_REPLY,
  LLC_STALL_DATA_PORT,
  LLC_STALL_ATOMIC,
  LLC_STALL_FLUSH,
  LLC_STALL_FAR,
  LLC_FAR,
  LLC_COALESCED,
  LLC_INPUT_WAIT,
  LLC_LATENCY,
  LLC_SECTORS,
  LLC_SECTORS_HIT,
  LLC_COMPLETED,
  LLC_STATS
};

struct llc_slice {
  struct mem_wake wake;
  uint64_t *stamp;        /* changes whenever one of its statistics may have changed (stats_watch) */
  uint64_t own_stamp;     /* where `stamp` points at first; the GPU makes it point into an array of all slices' stamps */
  unsigned id;            /* its number among the slices of the GPU */
  struct mem_port in;     /* requests, from the request network */
  struct mem_port fill;   /* data, from the DRAM channel */
  struct mem_port *reply; /* the reply network's input */
  bool copies;            /* the reply network can deliver one reply to several SMs */
  struct mem_port *mem;   /* the DRAM channel's input for this slice */
  struct mem_observers observers; /* of requests, lookups and answers */
  struct mem_peers *peers;        /* other caches to ask before DRAM; NULL: none; owned by the GPU */
  struct reply_filter *filter; /* NULL: replies are not filtered; owned by the GPU */
  struct reply_packer *packer; /* NULL: replies are not compressed; owned by the GPU */
  const struct llc_view *views; /* by SM, owned by the GPU; NULL: all share the slice */
  uint64_t counters[LLC_STATS];
};

struct llc_place {
  unsigned id;
  uint64_t period; /* of the L2 clock, in ticks */
  const struct mem_map *map;
  struct mem_pool *pool;
  uint32_t sms; /* of the GPU */
};

struct llc_slice *llc_slice_new(const struct cfg *cfg, const struct llc_place *place, struct err *e);
void llc_slice_delete(struct llc_slice *s);
/* Connects the slice to where replies and misses go; it becomes the producer of both ports. */
void llc_connect(struct llc_slice *s, struct mem_port *reply, struct mem_port *mem);

uint64_t llc_tick(struct llc_slice *s, uint64_t now);
void llc_explain(const struct llc_slice *s, uint64_t now, struct str *out);
bool llc_idle(const struct llc_slice *s);
bool llc_check(const struct llc_slice *s, struct err *e); /* checks that accesses and packets are conserved */
void llc_register(const struct llc_slice *s, struct stats *st);

/* Whether copies of that kind should be installed (keys l2.fill_on_copy, l2.copies). */
enum llc_copy { LLC_COPY_IN, LLC_COPY_OUT, LLC_COPY_WITHIN }; /* from the host, to the host, within device memory */
bool llc_fills_on_copy(const struct llc_slice *s, enum llc_copy kind);
/* Puts a line into the slice without any time passing, as a copy engine does. The line that it evicts is dropped,
 * since its data is in device memory. `line` must belong to this slice. Does nothing if every way of the set waits
 * for data. */
void llc_install_line(struct llc_slice *s, uint64_t line, uint8_t sectors);
/* The same for an access of a kernel that runs without timing: a read may take any way, a write leaves what the write
 * policy leaves (dirty bytes, or a fetched line). False: whether it would have hit depends on contents that
 * llc_warm_lose discarded. */
bool llc_warm_read(struct llc_slice *s, uint64_t line, uint8_t sectors);
bool llc_warm_write(struct llc_slice *s, uint64_t line, const struct mem_bytes *bytes);
/* Discards what the slice holds, because a kernel runs without timing and without warming it. */
void llc_warm_lose(struct llc_slice *s);
uint32_t llc_lines(const struct llc_slice *s); /* capacity in lines */
enum { LLC_EVERY_PROGRAM = UINT8_MAX };
/* Starts writing back every dirty line of a program (that of the SM which brought the line in, llc_mode.h), at most
 * one line a cycle, as the miss queue has room. Requests wait meanwhile; llc_idle is true again when it is done and
 * no request is left. */
void llc_flush(struct llc_slice *s, uint64_t now, uint8_t program);
bool llc_flushing(const struct llc_slice *s);
/* Drops all lines of a program at once, dirty or not, except those that wait for data. */
void llc_invalidate(struct llc_slice *s, uint8_t program);
/* llc_set_aside: sets how much of the slice is reserved for persisting lines (l2.set_aside at most). llc_unkeep_all:
 * makes all persisting lines normal ones. */
enum { LLC_SET_ASIDE_PARTS = 16 };
void llc_set_aside(struct llc_slice *s, uint32_t sixteenths);
void llc_unkeep_all(struct llc_slice *s);
/* Dirty lines in the slice. */
uint32_t llc_dirty_lines(const struct llc_slice *s);
uint32_t llc_dirty_lines_of(const struct llc_slice *s, uint8_t program);

/* The number of packets in the input port, summed over cycles until now. Divided by cycles and capacity it is the
 * utilisation of the slice's input buffer. */
uint64_t llc_input_occupancy(const struct llc_slice *s, uint64_t now);

#endif
