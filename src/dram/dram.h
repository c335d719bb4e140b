/* A DRAM channel: banks, bank groups, row buffers, one command bus or two, and a data bus, under the timing rules of
 * the device.
 *
 * A channel takes reads, writes and write-backs from the ports of its slices, lets the fixed latency pass, queues
 * them by bank, and issues the commands that the scheduler's choices need, as early as all rules allow. Reads return
 * to the slice that they came from, and so do writes, as acknowledgements; write-backs end here. Times of the device
 * are in DRAM command clocks. */
#ifndef DRAM_H
#define DRAM_H

#include "base/cfg.h"
#include "base/err.h"
#include "base/stat.h"
#include "base/str.h"
#include "mem/mem_map.h"
#include "mem/port.h"

extern const struct cfg_key dram_keys[], dram_timing_keys[];

enum dram_stat {
  DRAM_READS,
  DRAM_WRITES,
  DRAM_ROW_HITS,
  DRAM_ROW_MISSES,
  DRAM_ROW_CONFLICTS,
  DRAM_ACTIVATES,
  DRAM_PRECHARGES,
  DRAM_REFRESHES,
  DRAM_READ_BURSTS,
  DRAM_WRITE_BURSTS,
  DRAM_BYTES,
  DRAM_BUSY,
  DRAM_WRITE_DRAINS,
  DRAM_OCCUPANCY,
  DRAM_LATENCY,
  DRAM_STALL_QUEUE,
  DRAM_STALL_RETURN,
  DRAM_STATS
};

struct dram_channel {
  struct mem_wake wake;
  unsigned id, n_slices;
  struct mem_port *in;   /* one for each slice of the channel, owned by the channel */
  struct mem_port **out; /* for each slice, its fill port */
  uint64_t counters[DRAM_STATS];
};

struct dram_place {
  unsigned id;
  uint64_t period;         /* of the DRAM command clock, in ticks */
  uint64_t latency_period; /* of the L2 clock, in which dram.latency is given, in ticks */
  const struct mem_map *map;
  struct mem_pool *pool;
};

struct dram_channel *dram_channel_new(const struct cfg *cfg, const struct dram_place *place, struct err *e);
void dram_channel_delete(struct dram_channel *c);
/* Connects slice i of the channel: the slice pushes its misses into the port that is returned, and the channel pushes
 * the data into `fill`. */
struct mem_port *dram_connect(struct dram_channel *c, unsigned i, struct mem_port *fill);

uint64_t dram_tick(struct dram_channel *c, uint64_t now);
void dram_explain(const struct dram_channel *c, uint64_t now, struct str *out);
bool dram_idle(const struct dram_channel *c);
bool dram_check(const struct dram_channel *c,
                struct err *e); /* checks that bytes = bursts x size, and requests in = out + inside */
void dram_register(const struct dram_channel *c, struct stats *st); /* with those of its policies */

#endif
