/* The timing rules of a DRAM device, as the times from which each command may be issued. It knows banks, groups and
 * buses, but not requests, queues or schedulers. All times are in ticks. */
#ifndef DRAM_TIMING_H
#define DRAM_TIMING_H

#include "base/cfg.h"
#include "base/err.h"
#include "dram/dram_sched.h"
#include "mem/mem_stall.h"

struct dram_timing {
  uint32_t banks, groups, refresh_banks;
  bool group_high; /* a bank's group is its highest bits */
  uint32_t burst_bytes;
  uint64_t period, burst; /* a command clock; a burst on the data bus */
  uint64_t ccd, ccdl, rrd, rrdl, rcd, rcdw, ras, rp, rc, cl, wl, cdlr, wr, rtp, faw, refi, rfc, refresh_interval;
  uint64_t read_to_write, write_to_read, write_to_precharge;
};

struct dram_bank {
  uint64_t may[DRAM_COMMANDS]; /* earliest time of each command, by the rules of this bank */
  uint16_t group;
};
struct dram_group {
  uint64_t may[DRAM_COMMANDS];
};

struct dram_device {
  struct dram_timing t;
  struct dram_bank *bank;
  struct dram_group *group;
  uint64_t *open;              /* per bank: row or DRAM_CLOSED */
  uint64_t may[DRAM_COMMANDS]; /* by the rules of the whole channel */
  uint64_t activated[4];       /* the last four activates, for tFAW */
  uint32_t next_activated;
  uint64_t refresh_due, turn;  /* time of the next refresh; number of that refresh, which gives its banks */
};

struct dram_device_place {
  uint64_t period; /* of the command clock, in ticks */
  uint32_t banks;
  uint32_t channel, channels; /* number of this channel, and of all channels */
};
bool dram_device_init(struct dram_device *d, const struct cfg *cfg, const struct dram_device_place *place, struct err *e);
void dram_device_free(struct dram_device *d);
/* The earliest time for a command to a bank in its present state. */
static inline uint64_t dram_device_may(const struct dram_device *d, unsigned bank, enum dram_command c) {
  const struct dram_bank *b = &d->bank[bank];
  return mem_later(b->may[c], mem_later(d->group[b->group].may[c], d->may[c]));
}
/* Issues a command; `now` must not be before dram_device_may. `row` is the row that an activate opens. */
void dram_device_issue(struct dram_device *d, unsigned bank, enum dram_command c, uint64_t row, uint64_t now);
/* Does the refreshes that are due: closes the rows of dram.refresh_banks banks as soon as their times allow, then
 * keeps these banks busy for tRFC. Returns how many rounds over all banks have ended since the last call; *closed is
 * the number of rows that had to be closed. */
uint64_t dram_device_refresh(struct dram_device *d, uint64_t now, uint32_t *closed);

#endif
