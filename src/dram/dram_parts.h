/* A channel from inside, for the files of this folder: what it was configured with, what it holds, and whom it works with. */
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
  uint32_t count; /* including those that banks serve (dram.queue_serving) */
  uint64_t banks; /* with requests no bank serves yet */
};

struct channel {
  struct dram_channel base;
  struct dram_config c;
  struct dram_device dev;
  const struct mem_map *map;
  struct mem_pool *pool;
  struct mem_ring pipe, returns; /* before the queue; on the way back */
  struct dram_request *requests;
  int32_t free;
  struct dram_queue queue[QUEUES];
  int32_t *serving; /* per bank: its request or DRAM_NONE */
  uint8_t *needs;   /* per bank: the command its request needs next */
  uint64_t busy;    /* banks with a request */
  uint64_t *used;   /* per bank: when its row was last read or written */
  void *scheduler, *page;                   /* their states */
  uint64_t *scheduler_stats, *page_stats;   /* their own counters */
  bool draining;
  uint32_t next_port;
  uint32_t turn;    /* bank that is asked first (dram.rotate_banks) */
  uint64_t age;
  uint64_t queue_since, return_since; /* begin of a stall, or MEM_NEVER */
  bool ended;                         /* a request ended at this visit */
};

/* Reads what the keys say; values that do not go together are refused. */
bool dram_read_config(struct dram_config *f, const struct cfg *cfg, const struct dram_place *place, struct err *e);

#endif
