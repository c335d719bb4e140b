/* What is chosen in a DRAM channel: which queued request a free bank serves next, or which command of which request goes next
 * (dram.scheduler), and when the row of a bank that nobody wants is closed (dram.page). A policy only chooses; the channel keeps the
 * queues, the banks and time. One file behind its table, one line in dram_registry.c. */
#ifndef DRAM_SCHED_H
#define DRAM_SCHED_H

#include "base/policy.h"
#include "mem/packet.h"

enum { DRAM_NONE = -1 };
#define DRAM_CLOSED UINT64_MAX /* no row is open */

enum dram_command { DRAM_READ, DRAM_WRITE, DRAM_ACTIVATE, DRAM_PRECHARGE, DRAM_COMMANDS };

/* A request in a queue. Queues are lists in order of arrival, one a bank and one over all banks. */
struct dram_request {
  struct mem_packet *k; /* k->sm: who asked; a write-back is nobody's */
  uint64_t row, arrived;
  uint64_t age; /* order of arrival in the channel */
  uint16_t bank;
  uint8_t bursts; /* still to be issued */
  uint8_t queue;  /* 0 or 1 (writes, if they have their own) */
  bool write;
  bool opened, counted; /* with `choose`: a row was opened or closed for it; its first burst was issued */
  int32_t next, prev;         /* of the same bank and queue */
  int32_t all_next, all_prev; /* of the same queue */
};

/* What a policy sees: lists of requests that no bank serves yet. Times are in ticks. */
struct dram_view {
  const struct dram_request *requests;
  const int32_t *first; /* per bank, oldest */
  int32_t oldest;       /* over all banks */
  const uint64_t *open; /* per bank: open row or DRAM_CLOSED */
  uint64_t now;
  const struct dram_device *device; /* for dram_device_may (dram_timing.h) */
};

/* A command, and the request for which it is sent. */
struct dram_choice {
  int32_t request;
  enum dram_command command;
};

/* Where a policy lives. */
struct dram_sched_place {
  unsigned channel, banks;
  uint64_t period; /* of a command clock, in ticks */
  uint64_t *stats; /* of its own (policy.stats); NULL: it has none */
};

/* Members marked (may be NULL) are for schedulers that need them. */
struct dram_scheduler {
  struct policy policy;
  /* A channel's state, or NULL with e filled (may be NULL, together: it has none, and `s` is NULL below). */
  void *(*create)(const struct cfg *cfg, const struct dram_sched_place *place, struct err *e);
  void (*destroy)(void *s);
  /* The request a free bank with queued requests should serve, or DRAM_NONE to leave it idle until the channel is visited
   * again: when something arrives, is issued or ends. NULL: banks serve nobody, and the scheduler has `choose`. */
  int32_t (*pick)(void *s, const struct dram_view *v, unsigned bank);
  /* In place of pick: the command that goes now, one that the device allows and that its request needs next, or false. Requests stay
   * in the lists until their last burst is issued. With two command buses it is asked a second time, and what it
   * chooses goes if the bus is free. */
  bool (*choose)(void *s, const struct dram_view *v, struct dram_choice *choice);
  /* A request has come into its queue; a command for a request was issued, of a read or write each burst; its last burst was (may be
   * NULL). */
  void (*arrived)(void *s, const struct dram_request *r, uint64_t now);
  void (*issued)(void *s, const struct dram_request *r, enum dram_command command, uint64_t now);
  void (*completed)(void *s, const struct dram_request *r, uint64_t now);
};
extern const struct policy *const dram_schedulers[]; /* of dram.scheduler */

/* What a request needs next of its bank. */
static inline enum dram_command dram_need(const struct dram_request *r, uint64_t open) {
  return open == r->row ? (r->write ? DRAM_WRITE : DRAM_READ) : open == DRAM_CLOSED ? DRAM_ACTIVATE : DRAM_PRECHARGE;
}

struct dram_page {
  struct policy policy;
  void *(*create)(const struct cfg *cfg, const struct dram_sched_place *place, struct err *e); /* (may be NULL, together) */
  void (*destroy)(void *s);
  /* A bank serves nothing and nothing that is queued wants its open row, which was last read or written at `used`: when to
   * close it, MEM_NEVER to leave it open (may be NULL: rows stay open). */
  uint64_t (*close_at)(void *s, const struct dram_view *v, unsigned bank, uint64_t used);
};
extern const struct policy *const dram_pages[]; /* of dram.page */

#endif
