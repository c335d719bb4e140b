/* The L2 (last-level) slice: a memory-side cache bank between the networks and one DRAM channel.
 *
 * Requests come in by `in`, wait out the slice's fixed latency, look up tags in order (one or more a cycle),
 * and leave as replies by `reply`; misses and write-backs leave by `mem`, data comes back by `fill`.
 * Write-back, write-allocate with a byte mask: a write does not fetch (unless l2.write_miss = fetch); reading a
 * sector that was written in part fetches it and merges. Writes of SMs that see private slices (llc_mode.h) go through to DRAM as well,
 * and leave nothing dirty. Tags and masks only: data live in device memory.
 *
 * A read may be answered by several packets, whose sectors add up to the request's (key
 * noc.reply_per_sector); so may a write (key l2.write_ack). Each carries the request's `owner`. */
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
  uint64_t *stamp;        /* changes whenever something is done that it may count (stats_watch) */
  uint64_t own_stamp;     /* `stamp`, unless its creator wants those of all slices beside each other */
  unsigned id;            /* of the GPU */
  struct mem_port in;     /* requests, from the request network */
  struct mem_port fill;   /* data, from the DRAM channel */
  struct mem_port *reply; /* the reply network's input */
  bool copies;            /* the reply network brings an answer to its followers too */
  struct mem_port *mem;   /* the DRAM channel's input for this slice */
  struct mem_observers observers; /* of requests, lookups and answers */
  struct mem_peers *peers;        /* NULL: nobody but DRAM is asked; owned by the GPU */
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
/* Where replies and misses go; the slice becomes the producer of both. */
void llc_connect(struct llc_slice *s, struct mem_port *reply, struct mem_port *mem);

uint64_t llc_tick(struct llc_slice *s, uint64_t now);
void llc_explain(const struct llc_slice *s, uint64_t now, struct str *out);
bool llc_idle(const struct llc_slice *s);
bool llc_check(const struct llc_slice *s, struct err *e); /* accesses and packets are conserved */
void llc_register(const struct llc_slice *s, struct stats *st);

/* Whether copies of that kind should be installed (keys l2.fill_on_copy, l2.copies). */
enum llc_copy { LLC_COPY_IN, LLC_COPY_OUT, LLC_COPY_WITHIN }; /* from the host, to the host, within device memory */
bool llc_fills_on_copy(const struct llc_slice *s, enum llc_copy kind);
/* Puts a line in without any time passing, as a copy engine does. What it evicts is dropped: device memory
 * has it. `line` must belong to this slice. Does nothing if every way of the set waits for data. */
void llc_install_line(struct llc_slice *s, uint64_t line, uint8_t sectors);
/* The same for an access of a kernel without timing: a read takes any way, a write leaves what its policy leaves (dirty bytes, or a line
 * that was fetched). False: whether it hit depends on what the slice held when it was lost. */
bool llc_warm_read(struct llc_slice *s, uint64_t line, uint8_t sectors);
bool llc_warm_write(struct llc_slice *s, uint64_t line, const struct mem_bytes *bytes);
/* A kernel without timing is not followed: what the slice holds is lost. */
void llc_warm_lose(struct llc_slice *s);
uint32_t llc_lines(const struct llc_slice *s); /* that it has room for */
enum { LLC_EVERY_PROGRAM = UINT8_MAX };
/* Starts writing every dirty line of a program (of the SM that brought it in, llc_mode.h) back, one line a cycle as the miss
 * queue takes them. Requests wait meanwhile; llc_idle is true again when it is done (and no request is left). */
void llc_flush(struct llc_slice *s, uint64_t now, uint8_t program);
bool llc_flushing(const struct llc_slice *s);
/* Drops every line of a program that does not wait for data, dirty or not, at once. */
void llc_invalidate(struct llc_slice *s, uint8_t program);
/* How much of it is set aside for lines that persist (l2.set_aside at most); and makes all of these lines like others. */
enum { LLC_SET_ASIDE_PARTS = 16 };
void llc_set_aside(struct llc_slice *s, uint32_t sixteenths);
void llc_unkeep_all(struct llc_slice *s);
/* Dirty lines in the slice. */
uint32_t llc_dirty_lines(const struct llc_slice *s);
uint32_t llc_dirty_lines_of(const struct llc_slice *s, uint8_t program);

/* Sum over time of packets in the input port, in packet-cycles, until now; divided by cycles and capacity it
 * is the utilisation of the slice's input buffer. */
uint64_t llc_input_occupancy(const struct llc_slice *s, uint64_t now);

#endif
