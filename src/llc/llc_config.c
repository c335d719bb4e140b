/* Keys and statistics of the L2 slice, and the reading of its configuration. */
#include "llc/llc_config.h"

#include "base/policy.h"

enum { VALIDATE, FETCH };
static const struct policy *const write_misses[] = {
    [VALIDATE] = OPTION("validate", "a write miss allocates a line without fetching its other bytes"),
    [FETCH] = OPTION("fetch", "a write miss is sent on to DRAM, and its line is fetched"), NULL};
enum { COPIES_DEVICE, COPIES_HOST };
static const struct policy *const copies[] = {
    [COPIES_DEVICE] = OPTION("device", "copies that write device memory put their lines into L2"),
    [COPIES_HOST] = OPTION("host", "copies from and to the host put their lines into L2, as in GPGPU-Sim 4"), NULL};
enum { SECTORS_EXACT, SECTORS_GPGPUSIM };
static const struct policy *const store_sectors[] = {
    [SECTORS_EXACT] = OPTION("exact", "each sector of a store has its own bytes"),
    [SECTORS_GPGPUSIM] = OPTION("gpgpusim",
                                "as in GPGPU-Sim 4.2: a store of the upper half of a line goes to that of the next line, and a new sector "
                                "of a 128-byte store can be read if 32 bytes are written in it and those before it"),
    NULL};
enum { ACK_PACKET, ACK_SECTOR };
static const struct policy *const write_acks[] = {[ACK_PACKET] = OPTION("packet", "one acknowledgement for a write"),
                                                 [ACK_SECTOR] = OPTION("sector", "one acknowledgement for each sector of a write"), NULL};

const struct cfg_key llc_keys[] = {
    {"l2.sets", CFG_INT, "64", 1, 1 << 20, NULL, "sets", "number of sets of an L2 slice"},
    {"l2.ways", CFG_INT, "8", 1, 64, NULL, "ways", "lines in a set of an L2 slice"},
    {"l2.replacement", CFG_CHOICE, "lru", 0, 0, mem_replacements, "", "replacement policy: which line of an L2 set is evicted"},
    {"l2.index", CFG_CHOICE, "plain", 0, 0, mem_indexes, "",
     "index function of the L2's sets, applied to the address without its channel and slice bits"},
    {"l2.set_aside", CFG_INT, "0", 0, 15, NULL, "sixteenths",
     "most sixteenths of L2 that a program can set aside for persisting lines (cudaLimitPersistingL2CacheSize); 0: none"},
    {"l2.fetch_bytes", CFG_INT, "32", 32, 128, NULL, "bytes",
     "aligned bytes that an L2 miss fetches together, without sectors that are present or pending (l2.sectored): 32, 64 or 128"},
    {"l2.sectored", CFG_BOOL, "true", 0, 0, NULL, "", "L2 fetches only the sectors asked for, instead of the whole line"},
    {"l2.latency", CFG_INT, "120", 0, 10000, NULL, "cycles",
     "latency from a request's arrival at L2 to its tag lookup (GPGPU-Sim's ROP latency)"},
    {"l2.hit_latency", CFG_INT, "1", 1, 10000, NULL, "cycles", "latency of an L2 hit from the tag lookup to the first data"},
    {"l2.partitions", CFG_INT, "1", 1, 2, NULL, "partitions",
     "partitions of L2: with two, each has half of the SMs and every other channel, and a read from the other partition leaves a copy in "
     "the SM's own"},
    {"l2.hit_spread", CFG_INT, "0", 0, 10000, NULL, "cycles",
     "by how much the farthest slice is slower than l2.hit_latency, and the nearest faster"},
    {"l2.far_latency", CFG_INT, "0", 0, 10000, NULL, "cycles",
     "latency to reach the other L2 partition and come back, in addition to a near access; 0 means the next cycle, as 1 does"},
    {"l2.far_queue", CFG_INT, "512", 1, 65536, NULL, "packets",
     "requests from the other partition that can be in flight to an L2 slice"},
    {"l2.coalesce", CFG_INT, "1", 1, 32, NULL, "reads",
     "most reads of a line by SMs of one group that share one L2 access, if they arrive before the first is answered; 1: none share"},
    {"l2.coalesce_groups", CFG_INT, "1", 1, 256, NULL, "groups",
     "groups of consecutive SMs (GPCs) for l2.coalesce; only reads by SMs of one group share an access"},
    {"l2.ports", CFG_INT, "1", 1, 16, NULL, "accesses", "tag lookups that an L2 slice can make per cycle"},
    {"l2.data_bytes", CFG_INT, "32", 1, 1024, NULL, "bytes", "width of the data port of an L2 slice, in bytes per cycle"},
    {"l2.write_bytes", CFG_INT, "0", 0, 128, NULL, "bytes",
     "bytes per cycle at which a write moves its sectors through the data port of an L2 slice, and one sector more if one is partly "
     "written; a write to the other partition does so twice; 0: only the bytes written, once, at l2.data_bytes per cycle"},
    {"l2.mshrs", CFG_INT, "256", 1, 65536, NULL, "lines", "MSHRs of an L2 slice: lines that can be outstanding"},
    {"l2.mshr_merge", CFG_INT, "4", 1, 65536, NULL, "requests", "requests that can wait for one line of an L2 slice"},
    {"l2.input_queue", CFG_INT, "8", 1, 65536, NULL, "packets",
     "packets that the input buffer of an L2 slice can hold, which the request network fills"},
    {"l2.access_queue", CFG_INT, "8", 1, 65536, NULL, "packets", "requests of an L2 slice that can wait for the tags, after l2.latency"},
    {"l2.unbounded_latency", CFG_BOOL, "false", 0, 0, NULL, "",
     "requests enter an L2 slice while l2.access_queue has a free slot, however many are within l2.latency; false: while l2.latency "
     "(l2.ports requests per cycle) and l2.access_queue together have room"},
    {"l2.textures_direct", CFG_BOOL, "false", 0, 0, NULL, "", "texture reads look up the L2 tags without waiting for l2.latency"},
    {"l2.write_miss", CFG_CHOICE, "validate", 0, 0, write_misses, "",
     "what a write miss in L2 does: it allocates a line without fetching its other bytes, or goes on to DRAM while the line is fetched"},
    {"l2.hold_writes", CFG_BOOL, "false", 0, 0, NULL, "",
     "a write to a line with data pending from DRAM waits for the data in front of the L2 tags, and so does every request behind it"},
    {"l2.fetch_per_sector", CFG_BOOL, "false", 0, 0, NULL, "",
     "L2 fetches each sector with a separate DRAM request, which takes a whole burst; false: one request for all sectors that a miss "
     "needs"},
    {"l2.single_port", CFG_BOOL, "false", 0, 0, NULL, "",
     "every L2 access waits for the data port and a free reply slot, hit or miss; the answer to a miss does not use the port, but an "
     "evicted dirty line is read out through it"},
    {"l2.constant_pairs", CFG_BOOL, "false", 0, 0, NULL, "",
     "a miss on 64 bytes of constants fetches only their first sector and answers with both; the second is fetched when it is read again, "
     "as in GPGPU-Sim 4.2"},
    {"l2.sector_lookups", CFG_BOOL, "false", 0, 0, NULL, "",
     "each sector of a request that misses in L2 takes a tag lookup of its own, one per cycle; needs l2.single_port"},
    {"l2.miss_queue", CFG_INT, "8", 2, 65536, NULL, "packets", "fetches and write-backs of an L2 slice that can wait for DRAM"},
    {"l2.reply_queue", CFG_INT, "8", 4, 65536, NULL, "packets", "replies of an L2 slice that can wait for the network"},
    {"l2.fill_queue", CFG_INT, "8", 1, 65536, NULL, "packets", "replies from DRAM that can wait to be filled into an L2 slice"},
    {"l2.atomic_latency", CFG_INT, "4", 0, 10000, NULL, "cycles", "latency of the atomics unit of an L2 slice"},
    {"l2.atomic_rate", CFG_INT, "1", 1, 32, NULL, "words", "atomic operations on 4-byte words that an L2 slice does per cycle"},
    {"l2.atomic_sector", CFG_REAL, "0", 0, 1000, NULL, "L2 cycles",
     "least time that an L2 slice spends on each sector of an atomic operation"},
    {"l2.atomic_whole", CFG_REAL, "0", 0, 1000, NULL, "L2 cycles",
     "least time that an L2 slice spends on each sector of an atomic operation that uses whole sectors; twice that for f64 additions and "
     "compare-and-swaps of more than two words; 0: as l2.atomic_sector"},
    {"l2.atomic_sum", CFG_REAL, "0", 0, 1000, NULL, "L2 cycles",
     "least time in L2 between two floating-point additions to the same word; 0: as for other operations"},
    {"l2.atomic_twin", CFG_REAL, "0", 0, 1000, NULL, "L2 cycles",
     "additional time that an L2 slice spends on each sector of an atomic operation from the far partition, unless its line is one of the "
     "last eight that were charged it (l2.partitions)"},
    {"l2.write_ack", CFG_CHOICE, "packet", 0, 0, write_acks, "",
     "how L2 acknowledges a write: with one packet, or with one for each sector"},
    {"noc.reply_per_sector", CFG_BOOL, "false", 0, 0, NULL, "",
     "a read is answered with a packet for each sector, as in GPGPU-Sim; false: with one packet"},
    {"noc.reply_exact", CFG_BOOL, "false", 0, 0, NULL, "",
     "a read is answered with only the bytes that it asked for; false: with whole sectors of 32 bytes"},
    {"l2.fill_on_copy", CFG_BOOL, "true", 0, 0, NULL, "",
     "copies put the lines of device memory that they touch into L2 (l2.copies says which copies)"},
    {"l2.copies", CFG_CHOICE, "device", 0, 0, copies, "", "which copies put their lines into L2 (l2.fill_on_copy)"},
    {"l2.store_sectors", CFG_CHOICE, "exact", 0, 0, store_sectors, "", "how L2 divides a store into sectors"},
    {"l2.dirty_ways", CFG_INT, "0", 0, 64, NULL, "ways",
     "lines of an L2 set that may be dirty; when a write exceeds this, the least recently used dirty line is written back; 0: all"},
    {"l2.partial_lines", CFG_INT, "0", 0, 65536, NULL, "lines",
     "lines of an L2 slice that may have partly written sectors, without the other bytes; if there are more, the oldest is completed from "
     "DRAM and written back; 0: all"},
    {"l2.copy_ways", CFG_INT, "0", 0, 64, NULL, "ways", "ways of an L2 set that copies to the device may fill; 0: all"},
    {0},
};

const struct stat_def llc_stats[LLC_STATS] = {
    {"l2.accesses", "accesses", "requests that looked up the L2 tags", "lts__t_requests_srcunit_tex.sum"},
    {"l2.hits", "accesses", "L2 accesses that found all they needed", "lts__t_requests_lookup_hit.sum"},
    {"l2.misses", "accesses", "L2 accesses that fetched from DRAM or took a new line", "lts__t_requests_lookup_miss.sum"},
    {"l2.pending_hits", "accesses", "L2 accesses to data already pending from DRAM", ""},
    {"l2.reads", "accesses", "L2 accesses of reads and prefetches", "lts__t_requests_op_read.sum"},
    {"l2.writes", "accesses", "L2 accesses of writes", "lts__t_requests_op_write.sum"},
    {"l2.atomics", "accesses", "L2 accesses of atomics and reductions", "lts__t_requests_op_atom.sum"},
    {"l2.read_misses", "accesses", "L2 misses of reads and atomics", ""},
    {"l2.write_misses", "accesses", "writes to a line that was not in L2", ""},
    {"l2.sector_misses", "accesses", "L2 misses that found the line but not all sectors", ""},
    {"l2.evictions", "lines", "L2 lines evicted to make room for another", ""},
    {"l2.writebacks", "lines", "L2 lines with dirty bytes written back to DRAM", ""},
    {"l2.write_throughs", "requests", "writes sent on to DRAM because their SM sees private slices", ""},
    {"l2.fetches", "requests", "fetches that L2 sent to DRAM", ""},
    {"l2.fetched_sectors", "sectors", "sectors that L2 fetched from DRAM", ""},
    {"l2.fills", "requests", "L2 fetches answered by DRAM", ""},
    {"l2.replies", "packets", "packets that L2 sent to SMs", ""},
    {"l2.reply_bytes", "bytes", "data in packets that L2 sent to SMs", ""},
    {"l2.write_bytes", "bytes", "data that came to L2 with writes and atomics", ""},
    {"l2.stall_line", "cycles", "cycles in which an L2 miss waited because every way of its set was reserved", ""},
    {"l2.stall_mshr", "cycles", "cycles in which an L2 miss waited for a free MSHR", ""},
    {"l2.stall_merge", "cycles",
     "cycles in which an L2 miss waited at the merge limit of its MSHR, or a write for its line's pending data (l2.hold_writes)", ""},
    {"l2.stall_miss_queue", "cycles", "cycles in which an L2 access waited for a free slot in the miss queue towards DRAM", ""},
    {"l2.stall_reply", "cycles", "cycles in which an L2 access waited for a free slot in the reply queue towards the network", ""},
    {"l2.stall_data_port", "cycles", "cycles in which an L2 access waited for the data port", ""},
    {"l2.stall_atomic", "cycles", "cycles in which an L2 access waited for the atomics unit", ""},
    {"l2.stall_flush", "cycles", "cycles in which an L2 access waited while dirty lines were written back", ""},
    {"l2.stall_far", "cycles", "cycles in which an L2 access waited for a free slot in the queue between the partitions", ""},
    {"l2.far_accesses", "accesses", "requests that went on to the other L2 partition", "lts__t_sectors_srcunit_ltcfabric.sum"},
    {"l2.coalesced", "requests",
     "reads that shared the L2 access of another read, and are not counted as "
     "accesses", "lrc__request_sectors_op_read_coalescing_achieved_type_hardware.sum"},
    {"l2.input_occupancy_sum", "packet cycles", "packets in the L2 input buffers, summed over cycles", ""},
    {"l2.latency_sum", "packet cycles", "latency from leaving the L2 input buffer to the reply, summed over requests", ""},
    {"l2.sectors", "sectors", "32-byte sectors that L2 accesses asked for or wrote to, except code and constants",
     "lts__t_sectors_srcunit_tex.sum"},
    {"l2.sectors_hit", "sectors",
     "sectors of l2.sectors that were in L2 or already requested, and all that were written to",
     "lts__t_sectors_srcunit_tex_lookup_hit.sum"},
    {"l2.completed", "lines", "partly written L2 lines that were completed from DRAM and written back (l2.partial_lines)", ""},
};

/* L2 cycles. Distances are spread evenly over the slices; those of neighbouring numbers are far from each other, as lines that follow
 * each other are. */
static uint64_t hit_latency(const struct cfg *cfg, const struct llc_place *place) {
  enum { APART = 59 };
  uint64_t spread = (uint64_t)cfg_int(cfg, "l2.hit_spread"), slices = mem_map_slices(place->map);
  return (uint64_t)cfg_int(cfg, "l2.hit_latency") - spread + 2 * spread * (place->id * APART % slices) / slices;
}

bool llc_config_read(struct llc_config *c, const struct cfg *cfg, const struct llc_place *place, struct err *e) {
  uint64_t period = place->period;
  c->tags = (struct mem_tags_config){
      .sets = (uint32_t)cfg_int(cfg, "l2.sets"),
      .ways = (uint32_t)cfg_int(cfg, "l2.ways"),
      .replacement = cfg_policy(cfg, "l2.replacement"),
      .index = cfg_policy(cfg, "l2.index"),
      .seed = (uint64_t)place->id + 1,
  };
  c->sectored = cfg_bool(cfg, "l2.sectored");
  c->fetch_bytes = (uint32_t)cfg_int(cfg, "l2.fetch_bytes");
  c->reply_per_sector = cfg_bool(cfg, "noc.reply_per_sector");
  c->reply_exact = cfg_bool(cfg, "noc.reply_exact");
  if (c->reply_exact && c->reply_per_sector)
    return cfg_complain(cfg, "noc.reply_exact", e, "it needs noc.reply_per_sector=false, which sends whole sectors");
  c->ack_per_sector = cfg_option(cfg, "l2.write_ack") == ACK_SECTOR;
  c->fill_on_copy = cfg_bool(cfg, "l2.fill_on_copy");
  c->host_copies = cfg_option(cfg, "l2.copies") == COPIES_HOST;
  c->gpgpusim_sectors = cfg_option(cfg, "l2.store_sectors") == SECTORS_GPGPUSIM;
  c->unbounded_latency = cfg_bool(cfg, "l2.unbounded_latency");
  c->textures_direct = cfg_bool(cfg, "l2.textures_direct");
  c->hold_writes = cfg_bool(cfg, "l2.hold_writes");
  c->write_fetches = cfg_option(cfg, "l2.write_miss") == FETCH;
  c->fetch_per_sector = cfg_bool(cfg, "l2.fetch_per_sector");
  if (c->fetch_per_sector && (c->write_fetches || cfg_int(cfg, "l2.miss_queue") < MEM_SECTORS + 1))
    return cfg_complain(cfg, "l2.fetch_per_sector", e, "it needs an l2.miss_queue of %d or more, and no l2.write_miss = fetch",
                        MEM_SECTORS + 1);
  c->single_port = cfg_bool(cfg, "l2.single_port");
  c->constant_pairs = cfg_bool(cfg, "l2.constant_pairs");
  c->sector_lookups = cfg_bool(cfg, "l2.sector_lookups");
  if (c->sector_lookups && !c->single_port) return cfg_complain(cfg, "l2.sector_lookups", e, "it needs l2.single_port");
  if (c->write_fetches && cfg_int(cfg, "l2.miss_queue") < 3)
    return cfg_complain(cfg, "l2.miss_queue", e, "a write that misses sends up to 3 packets (l2.write_miss = fetch)");
  c->latency = (uint64_t)cfg_int(cfg, "l2.latency") * period;
  if (cfg_int(cfg, "l2.hit_spread") >= cfg_int(cfg, "l2.hit_latency"))
    return cfg_complain(cfg, "l2.hit_spread", e, "must be less than l2.hit_latency (%ld)", cfg_int(cfg, "l2.hit_latency"));
  c->hit_latency = hit_latency(cfg, place) * period;
  c->atomic_latency = (uint64_t)cfg_int(cfg, "l2.atomic_latency") * period;
  c->partitions = (uint32_t)cfg_int(cfg, "l2.partitions");
  uint64_t far = (uint64_t)cfg_int(cfg, "l2.far_latency");
  c->far_latency = (far ? far : 1) * period;
  c->copy_ways = (uint32_t)cfg_int(cfg, "l2.copy_ways");
  c->dirty_ways = (uint32_t)cfg_int(cfg, "l2.dirty_ways");
  c->partial_lines = (uint32_t)cfg_int(cfg, "l2.partial_lines");
  c->ports = (uint32_t)cfg_int(cfg, "l2.ports");
  c->data_bytes = (uint32_t)cfg_int(cfg, "l2.data_bytes");
  c->write_bytes = (uint32_t)cfg_int(cfg, "l2.write_bytes");
  c->atomic_rate = (uint32_t)cfg_int(cfg, "l2.atomic_rate");
  c->atomic_sector = cfg_real(cfg, "l2.atomic_sector");
  c->atomic_whole = cfg_real(cfg, "l2.atomic_whole");
  c->atomic_sum = cfg_real(cfg, "l2.atomic_sum");
  c->atomic_twin = cfg_real(cfg, "l2.atomic_twin");
  c->coalesce = (uint32_t)cfg_int(cfg, "l2.coalesce");
  c->coalesce_groups = (uint32_t)cfg_int(cfg, "l2.coalesce_groups");
  uint32_t packets = c->coalesce * (c->reply_per_sector ? MEM_SECTORS : 1);
  if (packets > cfg_int(cfg, "l2.reply_queue"))
    return cfg_complain(cfg, "l2.coalesce", e, "the answers of one access, up to %u packets, do not fit into l2.reply_queue (%ld)",
                        packets, cfg_int(cfg, "l2.reply_queue"));
  if (c->coalesce > 1 && c->coalesce_groups % c->partitions)
    return cfg_complain(cfg, "l2.coalesce_groups", e, "SMs of one group are in one partition: a multiple of l2.partitions (%u), not %u",
                        c->partitions, c->coalesce_groups);
  return mem_tags_fits(&c->tags, e);
}
