/* The inside of a DRAM channel, for the files of this folder: its configuration, its state, and the parts that it
 * works with. */
#ifndef DRAM_PARTS_H
#define DRAM_PARTS_H

#include "dram/dram.h"
#include "dram/dram_sched.h"
#include "dram/dram_timing.h"
#include "mem/mem_ring.h"

enum { READS, WRITES, QUEUES };

struct dram_config {
  const struct dram_scheduler *scheduler;
  const struct dram_page *page;
  uint32_t size[QUEUES], high, low;
  bool own_write_queue, dual, count_serving, rotate;
  uint64_t latency; /* ticks */
};

struct dram_list {
  int32_t first, last;
};
struct dram_queue {
  int32_t *first, *last; /* per bank */
  struct dram_list all;
  uint32_t count; /* with dram.queue_serving, including requests that banks serve */
  uint64_t banks; /* bit mask of banks with requests that are not served yet */
};

struct channel {
  struct dram_channel base;
  struct dram_config c;
  struct dram_device dev;
  const struct mem_map *map;
  struct mem_pool *pool;
  struct mem_ring pipe, returns; /* within dram.latency, before the queues; on the way back */
  struct dram_request *requests;
  int32_t free;
  struct dram_queue queue[QUEUES];
  int32_t *serving; /* per bank: its request or DRAM_NONE */
  uint8_t *needs;   /* per bank: the command its request needs next */
  uint64_t busy;    /* bit mask of banks that serve a request */
  uint64_t *used;   /* per bank: when its row was last read or written */
  void *scheduler, *page;                   /* states of the policies */
  uint64_t *scheduler_stats, *page_stats;   /* counters of their own statistics */
  bool draining;
  uint32_t next_port;
  uint32_t turn;    /* the bank that is asked first (dram.rotate_banks) */
  uint64_t age;
  uint64_t queue_since, return_since; /* begin of a stall, or MEM_NEVER */
  bool ended;                         /* a request ended at this visit */
};

/* Reads the keys, and refuses values that contradict each other. */
bool dram_read_config(struct dram_config *f, const struct cfg *cfg, const struct dram_place *place, struct err *e);

#endif
