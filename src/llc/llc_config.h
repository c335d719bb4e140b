/* Constants of a slice, read once from the configuration, and its statistics. */
#ifndef LLC_CONFIG_H
#define LLC_CONFIG_H

#include "llc/llc.h"
#include "mem/mem_tags.h"

struct llc_config {
  struct mem_tags_config tags;
  uint32_t fetch_bytes; /* least bytes that a miss fetches together */
  bool sectored, reply_per_sector, reply_exact, ack_per_sector, fill_on_copy, host_copies, gpgpusim_sectors;
  bool unbounded_latency, textures_direct, write_fetches, hold_writes, single_port, sector_lookups, fetch_per_sector, constant_pairs;
  uint64_t latency, hit_latency, atomic_latency; /* ticks */
  uint64_t far_latency;                          /* ticks */
  uint32_t partitions, copy_ways, dirty_ways, partial_lines, ports, data_bytes, write_bytes, atomic_rate;
  double atomic_sector, atomic_whole, atomic_sum, atomic_twin;
  uint32_t coalesce, coalesce_groups;
};

extern const struct stat_def llc_stats[LLC_STATS];

bool llc_config_read(struct llc_config *c, const struct cfg *cfg, const struct llc_place *place, struct err *e);

/* Which of `blocks` equal parts of the SMs, each of consecutive numbers, an SM is in. Used for partitions and the coalescer's groups. */
static inline uint32_t llc_block_of(uint32_t sm, uint32_t sms, uint32_t blocks) { return sm * blocks / sms; }

#endif
