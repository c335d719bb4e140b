/* The interface of the policies of a DRAM channel: the scheduler (dram.scheduler), which chooses the queued request
 * that a free bank serves next, or the command that is issued next; and the page policy (dram.page), which says when
 * a bank closes a row that no queued request wants. A policy only chooses; the channel keeps the queues, the banks
 * and the time. Each policy is one file, with one line in dram_registry.c. */
#ifndef DRAM_SCHED_H
#define DRAM_SCHED_H

#include "base/policy.h"
#include "mem/packet.h"

enum { DRAM_NONE = -1 };
#define DRAM_CLOSED UINT64_MAX /* no row is open */

enum dram_command { DRAM_READ, DRAM_WRITE, DRAM_ACTIVATE, DRAM_PRECHARGE, DRAM_COMMANDS };

/* A request in a queue. A queue is a set of lists in order of arrival: one for each bank, and one over all banks. */
struct dram_request {
  struct mem_packet *k; /* k->sm is the SM that asked; a write-back is for none */
  uint64_t row, arrived;
  uint64_t age; /* order of arrival in the channel */
  uint16_t bank;
  uint8_t bursts; /* still to be issued */
  uint8_t queue;  /* 1 for writes if they have a queue of their own, else 0 */
  bool write;
  bool opened, counted; /* with `choose`: a row was opened or closed for it; its first burst was issued */
  int32_t next, prev;         /* of the same bank and queue */
  int32_t all_next, all_prev; /* of the same queue */
};

/* What a policy sees: the lists of requests that no bank serves yet. Times are in ticks. */
struct dram_view {
  const struct dram_request *requests;
  const int32_t *first; /* per bank: the oldest request */
  int32_t oldest;       /* the oldest over all banks */
  const uint64_t *open; /* per bank: open row or DRAM_CLOSED */
  uint64_t now;
  const struct dram_device *device; /* for dram_device_may (dram_timing.h) */
};

/* A command, and the request for which it is sent. */
struct dram_choice {
  int32_t request;
  enum dram_command command;
};

/* The channel for which a policy is created. */
struct dram_sched_place {
  unsigned channel, banks;
  uint64_t period; /* of a command clock, in ticks */
  uint64_t *stats; /* counters of its own statistics (policy.stats); NULL: it has none */
};

/* A scheduler leaves members NULL that it does not need, where they are marked (may be NULL). */
struct dram_scheduler {
  struct policy policy;
  /* create returns the state for a channel, or NULL with e filled. Both may be NULL: then there is no state, and `s` is NULL below. */
  void *(*create)(const struct cfg *cfg, const struct dram_sched_place *place, struct err *e);
  void (*destroy)(void *s);
  /* The request that a free bank with queued requests should serve, or DRAM_NONE to leave it idle until the channel
   * is visited again: when something arrives, is issued or ends. NULL: the scheduler has `choose` instead, and banks
   * serve no request. */
  int32_t (*pick)(void *s, const struct dram_view *v, unsigned bank);
  /* In place of pick: the command to issue now, which must be allowed by the device and be the one that its request
   * needs next; false: none. Requests stay in the lists until their last burst is issued. With two command buses it
   * is asked a second time, and that command is issued if its bus is free. */
  bool (*choose)(void *s, const struct dram_view *v, struct dram_choice *choice);
  /* arrived: a request has entered its queue. issued: a command was issued for a request; reads and writes count burst by burst. completed:
   * its last burst was issued. Each may be NULL. */
  void (*arrived)(void *s, const struct dram_request *r, uint64_t now);
  void (*issued)(void *s, const struct dram_request *r, enum dram_command command, uint64_t now);
  void (*completed)(void *s, const struct dram_request *r, uint64_t now);
};
extern const struct policy *const dram_schedulers[]; /* the policies of dram.scheduler */

/* The command that a request needs next from its bank. */
static inline enum dram_command dram_need(const struct dram_request *r, uint64_t open) {
  return open == r->row ? (r->write ? DRAM_WRITE : DRAM_READ) : open == DRAM_CLOSED ? DRAM_ACTIVATE : DRAM_PRECHARGE;
}

struct dram_page {
  struct policy policy;
  void *(*create)(const struct cfg *cfg, const struct dram_sched_place *place, struct err *e); /* both may be NULL */
  void (*destroy)(void *s);
  /* Asked when a bank serves nothing and no queued request wants its open row, which was last read or written at
   * `used`. Returns when to close the row; MEM_NEVER: leave it open (may be NULL: rows stay open). */
  uint64_t (*close_at)(void *s, const struct dram_view *v, unsigned bank, uint64_t used);
};
extern const struct policy *const dram_pages[]; /* the policies of dram.page */

#endif
