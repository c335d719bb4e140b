/* DRAM schedulers: which queued request a free bank serves next. A scheduler only chooses; the channel keeps
 * the queues, the banks and time. One file behind struct dram_scheduler, one line in dram_registry.c. */
#ifndef DRAM_SCHED_H
#define DRAM_SCHED_H

#include "base/cfg.h"
#include "mem/packet.h"

enum { DRAM_NONE = -1 };
#define DRAM_CLOSED UINT64_MAX /* no row is open */

/* A request in a queue. Queues are lists in order of arrival, one a bank and one over all banks. */
struct dram_request {
  struct mem_packet *k;
  uint64_t row, arrived;
  uint64_t age; /* order of arrival in the channel */
  uint16_t bank;
  uint8_t bursts; /* still to be issued */
  uint8_t queue;  /* 0 or 1 (writes, if they have their own) */
  bool write;
  int32_t next, prev;         /* of the same bank and queue */
  int32_t all_next, all_prev; /* of the same queue */
};

/* What a scheduler sees: lists of requests that no bank serves yet. */
struct dram_view {
  const struct dram_request *requests;
  const int32_t *first; /* per bank, oldest */
  int32_t oldest;       /* over all banks */
  const uint64_t *open; /* per bank: open row or DRAM_CLOSED */
};

struct dram_scheduler {
  const char *name;
  const char *meaning;
  const struct cfg_key *keys; /* or NULL */
  /* The request a free bank with queued requests should serve, or DRAM_NONE to leave it idle for now. */
  int32_t (*pick)(const struct dram_view *v, unsigned bank);
};
extern const struct dram_scheduler *const dram_schedulers[]; /* NULL at the end */

#endif
