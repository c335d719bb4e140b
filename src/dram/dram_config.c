/* The keys of a DRAM channel, how they are read, and its statistics. The keys of the device's timing are in
 * dram_timing.c, those of a policy in the policy's own file. */
#include "dram/dram_parts.h"

const struct cfg_key dram_keys[] = {
    {"dram.scheduler", CFG_CHOICE, "frfcfs", 0, 0, dram_schedulers, "", "DRAM scheduler: which request a bank serves next"},
    {"dram.page", CFG_CHOICE, "open", 0, 0, dram_pages, "", "page policy: when a row is closed that no queued request wants"},
    {"dram.queue", CFG_INT, "64", 1, 4096, NULL, "requests",
     "requests that can be queued in a DRAM channel (reads only, if dram.write_queue is set)"},
    {"dram.queue_serving", CFG_BOOL, "true", 0, 0, NULL, "", "requests that a DRAM bank already serves still take a place in dram.queue"},
    {"dram.write_queue", CFG_INT, "0", 0, 4096, NULL, "requests",
     "writes that a separate write queue of a DRAM channel holds and drains together; 0: no such queue"},
    {"dram.write_high", CFG_INT, "28", 1, 4096, NULL, "requests", "queued writes at which a DRAM channel begins to drain its write queue"},
    {"dram.write_low", CFG_INT, "16", 0, 4096, NULL, "requests", "queued writes at which a DRAM channel ends draining its write queue"},
    {"dram.rotate_banks", CFG_BOOL, "false", 0, 0, NULL, "",
     "one free bank gets a request in each clock, and the next command is that of the first bank in turn after the one whose row was "
     "opened or closed last; false: all free banks get requests, and the oldest column command goes before the oldest row command"},
    {"dram.input_queue", CFG_INT, "8", 1, 4096, NULL, "packets", "packets of an L2 slice that can wait to enter the DRAM channel"},
    {"dram.return_queue", CFG_INT, "64", 1, 4096, NULL, "packets", "replies that can wait on the way back from a DRAM channel"},
    {"dram.latency", CFG_INT, "100", 0, 10000, NULL, "L2 cycles", "fixed latency of a request before it enters the DRAM queue"},
    {"dram.dual_command_bus", CFG_BOOL, "false", 0, 0, NULL, "",
     "row commands and column commands have separate buses (HBM)"},
    {0},
};

static const struct stat_def defs[DRAM_STATS] = {
    {"dram.reads", "requests", "reads served by DRAM", "dram__sectors_read.sum"},
    {"dram.writes", "requests", "writes and write-backs served by DRAM", "dram__sectors_write.sum"},
    {"dram.row_hits", "requests", "DRAM requests that found their row open", ""},
    {"dram.row_misses", "requests", "DRAM requests that had to open their row, also after closing another one", ""},
    {"dram.row_conflicts", "requests", "DRAM row misses that had to close another row first", ""},
    {"dram.activates", "commands", "DRAM rows opened", ""},
    {"dram.precharges", "commands", "DRAM rows closed", ""},
    {"dram.refreshes", "commands", "refreshes of all banks of a DRAM channel", ""},
    {"dram.read_bursts", "bursts", "read commands sent to DRAM", ""},
    {"dram.write_bursts", "bursts", "write commands sent to DRAM", ""},
    {"dram.bytes", "bytes", "bytes of all bursts over the DRAM data bus", "dram__bytes.sum"},
    {"dram.busy", "clocks", "command clocks in which a DRAM data bus carried data", "dram__cycles_active.sum"},
    {"dram.write_drains", "turns", "times a DRAM channel began to drain its write queue", ""},
    {"dram.occupancy_sum", "request clocks", "requests in the DRAM queues, summed over clocks", ""},
    {"dram.latency_sum", "request clocks", "latency from entering to leaving a DRAM channel, summed over reads", ""},
    {"dram.stall_queue", "clocks", "clocks in which a packet waited because the DRAM queue was full", ""},
    {"dram.stall_return", "clocks", "clocks in which DRAM data waited for a free slot at its L2 slice", ""},
};

bool dram_read_config(struct dram_config *f, const struct cfg *cfg, const struct dram_place *place, struct err *e) {
  f->scheduler = cfg_policy(cfg, "dram.scheduler");
  f->page = cfg_policy(cfg, "dram.page");
  f->size[READS] = (uint32_t)cfg_int(cfg, "dram.queue");
  f->size[WRITES] = (uint32_t)cfg_int(cfg, "dram.write_queue");
  f->own_write_queue = f->size[WRITES] > 0;
  f->high = (uint32_t)cfg_int(cfg, "dram.write_high");
  f->low = (uint32_t)cfg_int(cfg, "dram.write_low");
  f->rotate = cfg_bool(cfg, "dram.rotate_banks");
  f->count_serving = cfg_bool(cfg, "dram.queue_serving");
  f->dual = cfg_bool(cfg, "dram.dual_command_bus");
  f->latency = (uint64_t)cfg_int(cfg, "dram.latency") * place->latency_period;
  if (f->own_write_queue && (f->high > f->size[WRITES] || f->low >= f->high))
    return cfg_complain(cfg, "dram.write_high", e,
                        "must be above dram.write_low (%u) and at most dram.write_queue (%u)", f->low,
                        f->size[WRITES]);
  return true;
}

void dram_register(const struct dram_channel *base, struct stats *st) {
  const struct channel *c = (const struct channel *)base;
  stats_register(st, defs, DRAM_STATS, base->counters, base->id);
  policy_register(st, dram_schedulers, &c->c.scheduler->policy, c->scheduler_stats, base->id);
  policy_register(st, dram_pages, &c->c.page->policy, c->page_stats, base->id);
}
