/* What every L1D organisation shares. See l1.h.
 *
 * Order of checks on a read miss: the line's outstanding miss (merge limit), a free MSHR, room in the miss queue, room
 * in the organisation; the first that is missing is the recorded cause of the reservation failure. */
#include "l1/bypass.h"
#include "l1/windows.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE_EVERY = 4096 /* accesses between two looks at how full the cache is */ };

const struct stat_def l1_stat_defs[L1_STATS] = {
    [L1_S_ACCESSES] = {"l1d.accesses", "accesses", "L1D accesses, one a line of a warp instruction", ""},
    [L1_S_READS] = {"l1d.reads", "accesses", "of them loads", ""},
    [L1_S_WRITES] = {"l1d.writes", "accesses", "of them stores", ""},
    [L1_S_ATOMICS] = {"l1d.atomics", "accesses", "of them atomics and reductions", ""},
    [L1_S_HITS] = {"l1d.hits", "accesses", "loads that found all their bytes", ""},
    [L1_S_PENDING] = {"l1d.pending_hits", "accesses", "loads merged with an outstanding miss", ""},
    [L1_S_MISSES] = {"l1d.misses", "accesses", "accesses that sent a request below (stores and atomics always do)", ""},
    [L1_S_BYPASSES] = {"l1d.bypasses", "accesses", "loads that went below without using the cache", ""},
    [L1_S_BYPASS_LOADS] = {"l1d.bypass_loads", "instructions", "loads that l1.bypass sent around the cache as a whole", ""},
    [L1_S_BYPASS_SKIPPED] = {"l1d.bypass_skipped", "accesses", "of l1d.bypasses: those of such loads", ""},
    [L1_S_BYPASS_REFUSED] = {"l1d.bypass_refused", "accesses", "of l1d.bypasses: refused by the cache and given up", ""},
    [L1_S_PERIODS] = {"l1d.bucl_periods", "periods", "sampling periods of l1.bypass=bucl-*, a count an SM", ""},
    [L1_S_TUCD] = {"l1d.bucl_tucd_sum", "accesses", "the degree from which loads go around, summed over l1d.bucl_periods", ""},
    [L1_S_FAILS] = {"l1d.reservation_fails", "cycles", "cycles in which an access could not be accepted", ""},
    [L1_S_FAIL_LINE] = {"l1d.fail_line", "cycles", "of them because every candidate line is reserved", ""},
    [L1_S_FAIL_MSHR] = {"l1d.fail_mshr", "cycles", "of them because no MSHR is free", ""},
    [L1_S_FAIL_MERGE] = {"l1d.fail_merge", "cycles", "of them because the MSHR's merge limit is reached", ""},
    [L1_S_FAIL_QUEUE] = {"l1d.fail_queue", "cycles", "of them because the miss queue is full", ""},
    [L1_S_REQUESTS] = {"l1d.requests", "packets", "packets put into the miss queue", ""},
    [L1_S_FILLS] = {"l1d.fills", "packets", "data replies received", ""},
    [L1_S_BYTES_IN] = {"l1d.fill_bytes", "bytes", "data received from below", "l1tex__m_xbar2l1tex_read_bytes.sum"},
    [L1_S_BYTES_ASKED] = {"l1d.asked_bytes", "bytes", "distinct bytes that loads asked for", ""},
    [L1_S_PARTIAL] = {"l1d.partial_misses", "accesses", "loads that found a part of their bytes, and not all", ""},
    [L1_S_INSTRUCTIONS] = {"l1d.load_instructions", "instructions", "load instructions that looked into L1D", ""},
    [L1_S_INSTRUCTIONS_MISSED] = {"l1d.missed_instructions", "instructions",
                                  "of them those that had to wait for data from below", ""},
    [L1_S_PACKETS_OUT] = {"l1d.packets_out", "32-byte packets", "L1 to L2: one a request, and its data", ""},
    [L1_S_PACKETS_IN] = {"l1d.packets_in", "32-byte packets", "L2 to L1: data that requests ask for", ""},
    [L1_S_STORED] = {"l1d.stored_bytes", "bytes", "that hold data, summed over samples", ""},
    [L1_S_STORED_SAMPLES] = {"l1d.stored_samples", "samples", "of l1d.stored_bytes, one in 4,096 accesses", ""},
    [L1_S_BUSY] = {"l1d.replacement_cycles", "cycles", "the cache was busy with replacements of several rounds", ""},
    [L1_S_RETAGS] = {"l1d.retags", "groups", "chunk groups that lost their data because their shared tag changed", ""},
    [L1_S_COARSE] = {"l1d.coarse_lookups", "lookups", "treated as lookups of the whole line; a refused load looks again", ""},
    [L1_S_SWITCHES] = {"l1d.mode_switches", "switches", "between fine and coarse storage", ""},
    [L1_S_FIRST_MISSES] = {"l1d.first_misses", "accesses", "reply.filter: misses on lines that are not here", ""},
    [L1_S_SUBSEQUENT_MISSES] = {"l1d.subsequent_misses", "accesses",
                                "reply.filter: misses on lines on their way without all sub-blocks wanted", ""},
    [L1_S_HIT_INVALID] = {"l1d.hit_invalid", "accesses", "reply.filter: misses on lines here without all sub-blocks wanted", ""},
    [L1_S_LATE] = {"l1d.late_replies", "packets", "reply.filter: replies whose data had all come with others", ""},
    [L1_S_DEMAND_PART] = {"l1d.demand_part", "accesses", "reply.filter: global misses that asked for a part of the line", ""},
    [L1_S_DEMAND_FDR_RATIO] = {"l1d.demand_fdr_ratio", "accesses",
                               "reply.filter: asked for the whole line, as nearly all do", ""},
    [L1_S_DEMAND_MSHR] = {"l1d.demand_mshr", "accesses",
                          "reply.filter: asked for the whole line, as an outstanding request was not enough", ""},
    [L1_S_DEMAND_ICA_RATIO] = {"l1d.demand_ica_ratio", "accesses",
                               "reply.filter: asked for the whole line, as most lines of its size are used inconsistently", ""},
    [L1_S_FILLED_CA] = {"l1d.filled_ca", "lines", "reply.filter: filled after consistent accesses", ""},
    [L1_S_FILLED_ICA] = {"l1d.filled_ica", "lines", "reply.filter: filled after inconsistent accesses", ""},
    [L1_S_EVICTED_CA] = {"l1d.evicted_ca", "lines", "reply.filter: evicted after consistent accesses", ""},
    [L1_S_LOAD_SECTORS] = {"l1d.load_sectors", "sectors", "of 32 bytes that global loads asked for",
                           "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"},
    [L1_S_LOAD_SECTORS_HIT] = {"l1d.load_sectors_hit", "sectors", "of them those that were here or on their way",
                               "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"},
    [L1_S_STORE_SECTORS] = {"l1d.store_sectors", "sectors", "that global stores wrote to, or to a part of",
                            "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"},
    [L1_S_STORE_SECTORS_HIT] = {"l1d.store_sectors_hit", "sectors", "of them those of which all that was written was here",
                                "l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit.sum"},
    [L1_S_EVICTED_ICA] = {"l1d.evicted_ica", "lines", "reply.filter: evicted after inconsistent accesses", ""},
};

static const struct cfg_key keys[] = {
    {"l1.org", CFG_CHOICE, "base", 0, 0,
     "base tsc tsc+ line32 line64 line256 sector lamar dsc2 dsc4", "", "L1D organisation: what is stored and how victims are chosen"},
    {"l1.bypass", CFG_CHOICE, "none", 0, 0, "none mrpb bucl-dyn bucl-prf", "", "which loads go around the L1D, and the order of accesses"},
    {"l1.latency", CFG_INT, "35", 0, 1000, NULL, "core cycles", "from access to data on a hit"},
    {"l1.tag_queue", CFG_BOOL, "false", 0, 0, NULL, "",
     "l1.latency passes before the tags are looked up, hit or miss; false: tags are looked up at once, and a hit takes l1.latency"},
    {"l1.mshrs", CFG_INT, "64", 1, 4096, NULL, "entries", "outstanding lines"},
    {"l1.merges", CFG_INT, "8", 1, 1024, NULL, "loads", "that one MSHR may serve"},
    {"l1.queue", CFG_INT, "8", 1, 1024, NULL, "packets", "in the miss queue towards the network"},
    {"l1.queue_spare", CFG_INT, "0", 0, 64, NULL, "packets",
     "room that a load must find in the miss queue beyond its own packet, even if it joins another's miss; 0: joining needs none"},
    {"l1.round_stores", CFG_BOOL, "false", 0, 0, NULL, "",
     "a store or atomic carries the 32, 64 or 128 bytes around what it writes; false: what it writes"},
    {"l1.tags_per_cycle", CFG_INT, "1", 1, 32, NULL, "accesses", "lines that can be looked up in one cycle"},
    {"l1.keep_stores", CFG_BOOL, "false", 0, 0, NULL, "",
     "a global store writes into the copy that is here; false: it drops it"},
    {"l1.tag_stage", CFG_CHOICE, "lines", 0, 0, "lines banks", "",
     "lines: l1.tags_per_cycle lines of an instruction are looked up a cycle; banks: one line of each of four banks of tags, and a "
     "hit takes as long as its lanes' words take of 32 banks of 4 bytes"},
    {"l1.store_bytes", CFG_INT, "0", 0, 128, NULL, "bytes",
     "of stores and atomics that leave for L2 a cycle, in whole sectors, and a cycle more where one is written in part; 0: a packet a "
     "cycle"},
    {"l1.cache_global", CFG_BOOL, "true", 0, 0, NULL, "", "global loads without cache operator use L1 (-Xptxas -dlcm=ca)"},
    {0},
};

const struct cfg_key *const *l1_key_tables(size_t *n) {
  static const struct cfg_key *tables[32];
  size_t k = 0;
  tables[k++] = keys;
  tables[k++] = l1_window_keys;
  for (size_t i = 0; l1_orgs[i]; i++)
    if (l1_orgs[i]->keys) tables[k++] = l1_orgs[i]->keys;
  for (size_t i = 0; l1_orgs[i]; i++)
    if (l1_orgs[i]->tracked) tables[k++] = l1_orgs[i]->tracked->keys;
  for (size_t i = 0; l1_bypasses[i]; i++)
    if (l1_bypasses[i]->keys) tables[k++] = l1_bypasses[i]->keys;
  *n = k;
  return tables;
}

struct mem_bytes l1_round(struct mem_bytes m, unsigned granule) {
  if (granule >= MEM_LINE) return l1_none(m) ? m : (struct mem_bytes){{~UINT64_C(0), ~UINT64_C(0)}};
  for (unsigned k = 0; k < 2; k++) {
    uint64_t in = m.b[k], out = 0;
    uint64_t ones = granule >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << granule) - 1;
    for (unsigned at = 0; at < 64 && in; at += granule)
      if (in >> at & ones) out |= ones << at;
    m.b[k] = out;
  }
  return m;
}

/* ---- MSHRs ---------------------------------------------------------------------------------------------------------- */

static uint32_t hash_line(uint64_t line) { return (uint32_t)((line >> 5) * 0x9e3779b97f4a7c15u >> 40); }

static uint32_t index_slot(const struct l1 *c, uint64_t line) {
  uint32_t i = hash_line(line) & c->index_mask;
  while (c->index[i] && c->mshrs[c->index[i] - 1].line != line) i = (i + 1) & c->index_mask;
  return i;
}

static struct l1_mshr *find_mshr(const struct l1 *c, uint64_t line) {
  uint32_t i = index_slot(c, line);
  return c->index[i] ? &c->mshrs[c->index[i] - 1] : NULL;
}

static struct l1_mshr *new_mshr(struct l1 *c, uint64_t line) {
  uint32_t k = 0;
  while (c->mshrs[k].used) k++;
  c->mshrs[k] = (struct l1_mshr){.line = line, .waiters = -1, .used = true, .warp = c->watch.warp};
  c->index[index_slot(c, line)] = (uint16_t)(k + 1);
  c->n_mshrs_used++;
  return &c->mshrs[k];
}

/* Open addressing without tombstones: later entries of the cluster move up. */
static void drop_mshr(struct l1 *c, struct l1_mshr *m) {
  uint32_t hole = index_slot(c, m->line), i = hole;
  for (;;) {
    i = (i + 1) & c->index_mask;
    if (!c->index[i]) break;
    uint32_t home = hash_line(c->mshrs[c->index[i] - 1].line) & c->index_mask;
    if (((i - home) & c->index_mask) < ((i - hole) & c->index_mask)) continue;
    c->index[hole] = c->index[i];
    hole = i;
  }
  c->index[hole] = 0;
  m->used = false;
  c->n_mshrs_used--;
}

static void add_waiter(struct l1 *c, struct l1_mshr *m, uint32_t owner, struct mem_bytes waiting) {
  int32_t k = c->free_waiter;
  c->free_waiter = c->waiters[k].next;
  c->waiters[k] = (struct l1_waiter){.owner = owner, .next = m->waiters, .waiting = waiting, .used = true};
  m->waiters = k;
  m->merged++;
}

/* ---- requests ------------------------------------------------------------------------------------------------------- */

void l1_queue_packet(struct l1 *c, struct mem_packet *k) {
  uint32_t at = c->queue_head + c->queue_count;
  c->queue[at < c->config.queue ? at : at - c->config.queue] = k;
  c->queue_count++;
  c->stats[L1_S_REQUESTS]++;
}

static unsigned count_bytes(struct mem_bytes m) {
  return (unsigned)(__builtin_popcountll(m.b[0]) + __builtin_popcountll(m.b[1]));
}

/* The 32, 64 or 128 aligned bytes that hold these. */
static unsigned around(struct mem_bytes m) {
  unsigned sectors = mem_sectors_of(m);
  if (!(sectors & (sectors - 1))) return MEM_SECTOR;
  return sectors & 3 && sectors & 12 ? MEM_LINE : MEM_LINE / 2;
}

static void count_traffic(struct l1 *c, const struct mem_packet *k) {
  unsigned sectors = (unsigned)__builtin_popcount(k->sectors);
  c->stats[L1_S_PACKETS_OUT] += 1 + (k->payload + MEM_SECTOR - 1u) / MEM_SECTOR;
  if (k->kind == MEM_READ || k->kind == MEM_ATOMIC) c->stats[L1_S_PACKETS_IN] += sectors;
}

static void send(struct l1 *c, const struct l1_request *r, struct mem_bytes bytes, uint64_t now) {
  struct mem_packet *k = mem_packet_new(c->pool);
  k->line = r->line & ~(uint64_t)(MEM_LINE - 1);
  k->bytes = bytes;
  k->sectors = mem_sectors_of(bytes);
  k->kind = r->kind;
  k->class_ = r->class_;
  k->cache = r->cache;
  k->degree = r->degree;
  k->pc = r->pc;
  k->owner = r->owner;
  k->sm = c->sm;
  k->born = now;
  bool carries = r->kind == MEM_WRITE || r->kind == MEM_ATOMIC || r->kind == MEM_REDUCE;
  k->payload = (uint16_t)(!carries ? 0 : c->config.round_stores ? around(bytes) : count_bytes(bytes));
  count_traffic(c, k);
  l1_queue_packet(c, k);
}

static enum l1_result stall(struct l1 *c, enum l1_why why) {
  c->why = why;
  return L1_STALL;
}

void l1_count_stall(struct l1 *c, uint64_t cycles) {
  c->stats[L1_S_FAILS] += cycles;
  c->stats[L1_S_FAIL_LINE + (int)c->why] += cycles;
}

/* As Nsight Compute counts: a sector is a hit unless this access asks for it below, or writes what is not here. */
static void count_sectors(struct l1 *c, const struct l1_request *r, uint8_t below) {
  uint8_t sectors = mem_sectors_of(r->bytes);
  uint64_t n = (uint64_t)__builtin_popcount(sectors);
  if (r->class_ != MEM_GLOBAL || r->texture) return;
  if (r->kind != MEM_READ && r->kind != MEM_WRITE) return;
  c->stats[r->kind == MEM_READ ? L1_S_LOAD_SECTORS : L1_S_STORE_SECTORS] += n;
  c->stats[r->kind == MEM_READ ? L1_S_LOAD_SECTORS_HIT : L1_S_STORE_SECTORS_HIT] += n - (uint64_t)__builtin_popcount(sectors & below);
}

static void count_access(struct l1 *c, const struct l1_request *r, enum l1_result result, uint8_t below) {
  count_sectors(c, r, below);
  c->stats[L1_S_ACCESSES]++;
  bool read = r->kind == MEM_READ || r->kind == MEM_PREFETCH;
  c->stats[read ? L1_S_READS : r->kind == MEM_WRITE ? L1_S_WRITES : L1_S_ATOMICS]++;
  if (read) c->stats[L1_S_BYTES_ASKED] += count_bytes(r->bytes);
  if (c->stats[L1_S_ACCESSES] % SAMPLE_EVERY == 0) {
    c->stats[L1_S_STORED] += c->ops->stored(c->org);
    c->stats[L1_S_STORED_SAMPLES]++;
  }
  c->stats[result == L1_HIT ? L1_S_HITS : result == L1_PENDING ? L1_S_PENDING : L1_S_MISSES]++;
}

/* Stores and atomics: through to L2, never allocated here; the cached copy is dropped (or kept, for local data and with
 * l1.keep_stores). */
static enum l1_result write_through(struct l1 *c, const struct l1_request *r, uint64_t now) {
  if (l1_queue_full(c)) return stall(c, L1_NO_QUEUE);
  uint8_t absent = mem_sectors_of(l1_minus(r->bytes, c->ops->held(c->org, r->line)));
  c->ops->wrote(c->org, r->line, r->bytes, r->kind == MEM_WRITE && (r->class_ == MEM_LOCAL || c->config.keep_stores));
  send(c, r, r->bytes, now);
  count_access(c, r, L1_SENT, absent);
  return L1_SENT;
}

/* The other half of a line of 256 bytes is fetched with the one asked for; nobody waits for it. */
static void fetch_companion(struct l1 *c, const struct l1_request *r, uint64_t other, uint64_t now) {
  const struct mem_bytes all = {{~UINT64_C(0), ~UINT64_C(0)}};
  struct l1_request too = *r;
  uint32_t cycles = 0;
  too.line = other;
  if (!c->ops->reserve(c->org, other, all, &cycles)) return;
  new_mshr(c, other)->issued = all;
  send(c, &too, all, now);
}

/* What a miss that must send something needs besides room in the organisation. */
static bool may_send(struct l1 *c, uint32_t mshrs, uint32_t packets, enum l1_why *why) {
  *why = c->n_mshrs_used + mshrs > c->config.mshrs ? L1_NO_MSHR : L1_NO_QUEUE;
  return *why != L1_NO_MSHR && c->queue_count + packets <= c->config.queue;
}

static bool lacks_spare(const struct l1 *c) { return c->config.spare && c->queue_count + c->config.spare >= c->config.queue; }

static enum l1_result read_miss(struct l1 *c, const struct l1_request *r, struct mem_bytes missing, uint64_t now) {
  if (lacks_spare(c)) return stall(c, L1_NO_QUEUE);
  struct l1_mshr *m = find_mshr(c, r->line);
  uint64_t other = 0;
  enum l1_why why;
  bool partial = !l1_none(l1_minus(r->bytes, missing));
  if (m && m->merged >= c->config.merges) return stall(c, L1_NO_MERGE);
  struct mem_bytes ask = m ? l1_minus(missing, m->issued) : missing;
  if (l1_none(ask)) {
    add_waiter(c, m, r->owner, missing);
    c->stats[L1_S_PARTIAL] += partial;
    count_access(c, r, L1_PENDING, 0);
    return L1_PENDING;
  }
  if (c->ops->demand && !c->ops->demand(c->org, r, &ask)) return stall(c, L1_NO_MERGE);
  bool two = c->ops->companion && c->ops->companion(c->org, r->line, &other) && !find_mshr(c, other);
  if (!may_send(c, (m ? 0u : 1u) + two, 1u + two, &why)) return stall(c, why);
  c->watch.warp = r->warp;
  if (!c->ops->reserve(c->org, r->line, ask, &c->busy)) return stall(c, L1_NO_LINE);
  if (!m) m = new_mshr(c, r->line);
  m->issued = l1_or(m->issued, ask);
  add_waiter(c, m, r->owner, missing);
  send(c, r, ask, now);
  if (c->watch.missed) c->watch.missed(c->watch.user, r->warp, r->line);
  if (two) fetch_companion(c, r, other, now);
  c->stats[L1_S_BUSY] += c->busy;
  c->stats[L1_S_PARTIAL] += partial;
  count_access(c, r, L1_MISS, mem_sectors_of(ask));
  return L1_MISS;
}

/* A load that does not use the cache. */
static enum l1_result bypass(struct l1 *c, const struct l1_request *r, uint64_t now) {
  if (l1_queue_full(c)) return stall(c, L1_NO_QUEUE);
  send(c, r, l1_round(r->bytes, MEM_SECTOR), now);
  uint32_t last = c->queue_head + c->queue_count - 1;
  c->queue[last < c->config.queue ? last : last - c->config.queue]->bypass = true;
  count_access(c, r, L1_SENT, mem_sectors_of(r->bytes));
  c->stats[L1_S_BYPASSES]++;
  c->stats[L1_S_BYPASS_SKIPPED] += r->around;
  return L1_SENT;
}

static bool uses_cache(const struct l1 *c, const struct l1_request *r) {
  if (r->class_ == MEM_GLOBAL && !c->config.cached_global) return false;
  return r->cache != MEM_CACHE_GLOBAL && r->cache != MEM_CACHE_VOLATILE;
}

bool l1_skips(struct l1 *c, const struct l1_request *r) {
  const struct l1_bypass *b = c->bypass_ops;
  if (!b->skips || r->kind != MEM_READ || !uses_cache(c, r) || !b->skips(c->bypass, r)) return false;
  c->stats[L1_S_BYPASS_LOADS]++;
  return true;
}

/* A refused load that the policy gives up needs room in the queue; without it, it stays refused for its first reason. */
static bool gives_up(struct l1 *c, const struct l1_request *r) {
  const struct l1_bypass *b = c->bypass_ops;
  bool up = b->gives_up && !l1_queue_full(c) && b->gives_up(c->bypass, r, c->why);
  c->stats[L1_S_BYPASS_REFUSED] += up;
  return up;
}

static enum l1_result cached_load(struct l1 *c, const struct l1_request *r, uint64_t now) {
  struct mem_bytes missing = c->ops->probe(c->org, r->line, r->bytes);
  enum l1_result result = L1_HIT;
  if (l1_none(missing)) count_access(c, r, L1_HIT, 0);
  else result = read_miss(c, r, missing, now);
  if (result == L1_STALL) return gives_up(c, r) ? bypass(c, r, now) : result;
  if (c->bypass_ops->served) c->bypass_ops->served(c->bypass, result);
  return result;
}

static enum l1_result access_once(struct l1 *c, const struct l1_request *r, uint64_t now) {
  if (r->kind == MEM_PREFETCH) { /* to L2: data that nobody waits for */
    if (l1_queue_full(c)) return stall(c, L1_NO_QUEUE);
    send(c, r, l1_round(r->bytes, MEM_SECTOR), now);
    count_access(c, r, L1_SENT, mem_sectors_of(r->bytes));
    return L1_SENT;
  }
  if (r->kind != MEM_READ) return write_through(c, r, now);
  return uses_cache(c, r) && !r->around ? cached_load(c, r, now) : bypass(c, r, now);
}

enum l1_result l1_access(struct l1 *c, const struct l1_request *r, uint64_t now) {
  c->busy = 0;
  enum l1_result result = access_once(c, r, now);
  if (result == L1_STALL) l1_count_stall(c, 1);
  return result;
}

/* The line of an answer, whose bytes all belong to one. */
static uint64_t line_of(const struct l1 *c, uint64_t line, struct mem_bytes came) {
  unsigned first = (unsigned)(came.b[0] ? __builtin_ctzll(came.b[0]) : 64 + __builtin_ctzll(came.b[1]));
  return line + (first & ~(c->access_bytes - 1));
}

void l1_fill(struct l1 *c, const struct mem_packet *reply, void (*done)(void *user, uint32_t owner), void *user) {
  struct mem_bytes came = mem_bytes_carried(reply);
  c->stats[L1_S_FILLS]++;
  c->stats[L1_S_BYTES_IN] += count_bytes(came);
  uint64_t line = line_of(c, reply->line, came);
  struct l1_mshr *m = find_mshr(c, line);
  assert(m || c->ops->demand);
  if (!m) {
    c->stats[L1_S_LATE]++;
    return;
  }
  c->watch.warp = m->warp;
  c->ops->fill(c->org, line, came);
  int32_t *at = &m->waiters;
  while (*at >= 0) {
    int32_t k = *at;
    struct l1_waiter *w = &c->waiters[k];
    w->waiting = l1_minus(w->waiting, came);
    if (!l1_none(w->waiting)) {
      at = &w->next;
      continue;
    }
    *at = w->next;
    w->next = c->free_waiter;
    c->free_waiter = k;
    done(user, w->owner);
  }
  m->issued = l1_minus(m->issued, came);
  if (l1_none(m->issued)) drop_mshr(c, m);
}

void l1_flush(struct l1 *c) { c->ops->flush(c->org); }

/* ---- life ----------------------------------------------------------------------------------------------------------- */

static void make_tables(struct l1 *c) {
  uint32_t n = c->config.mshrs, waiters = n * c->config.merges, slots = 4;
  while (slots < 2 * n) slots *= 2;
  c->mshrs = must_alloc(n * sizeof *c->mshrs);
  c->waiters = must_alloc(waiters * sizeof *c->waiters);
  for (uint32_t i = 0; i < waiters; i++) c->waiters[i].next = i + 1 < waiters ? (int32_t)i + 1 : -1;
  c->index = must_alloc(slots * sizeof *c->index);
  c->index_mask = slots - 1;
  c->queue = must_alloc(c->config.queue * sizeof *c->queue);
}

static bool choose_bypass(struct l1 *c, const struct cfg *cfg, const struct l1_place *place, struct err *e) {
  const char *name = cfg_text(cfg, "l1.bypass");
  size_t i = 0;
  while (strcmp(l1_bypasses[i]->name, name)) i++;
  c->bypass_ops = l1_bypasses[i];
  if (c->bypass_ops->create) c->bypass = c->bypass_ops->create(cfg, place, e);
  return !c->bypass_ops->create || c->bypass;
}

static bool choose_org(struct l1 *c, const struct cfg *cfg, struct err *e) {
  const char *name = cfg_text(cfg, "l1.org");
  size_t i = 0;
  while (strcmp(l1_orgs[i]->name, name)) i++;
  c->ops = l1_orgs[i];
  if (!strcmp(cfg_text(cfg, "reply.filter"), "none")) return true;
  c->ops = c->ops->tracked;
  return c->ops || cfg_complain(cfg, "reply.filter", e, "it does not go with l1.org=%s, only with base", name);
}

bool l1_init(struct l1 *c, const struct cfg *cfg, struct mem_pool *pool, uint16_t sm, struct err *e) {
  *c = (struct l1){.pool = pool, .sm = sm};
  c->config = (struct l1_config){.latency = (uint32_t)cfg_int(cfg, "l1.latency"),
                                 .mshrs = (uint32_t)cfg_int(cfg, "l1.mshrs"),
                                 .merges = (uint32_t)cfg_int(cfg, "l1.merges"),
                                 .queue = (uint32_t)cfg_int(cfg, "l1.queue"),
                                 .tags_per_cycle = (uint32_t)cfg_int(cfg, "l1.tags_per_cycle"),
                                 .store_bytes = (uint32_t)cfg_int(cfg, "l1.store_bytes"),
                                 .keep_stores = cfg_bool(cfg, "l1.keep_stores"),
                                 .banks = !strcmp(cfg_text(cfg, "l1.tag_stage"), "banks"),
                                 .spare = (uint32_t)cfg_int(cfg, "l1.queue_spare"),
                                 .round_stores = cfg_bool(cfg, "l1.round_stores"),
                                 .tag_queue = cfg_bool(cfg, "l1.tag_queue"),
                                 .cached_global = cfg_bool(cfg, "l1.cache_global")};
  if (!choose_org(c, cfg, e)) return false;
  struct l1_place place = {.seed = (uint64_t)sm + 1, .stats = c->stats, .watch = &c->watch, .told = &c->told};
  c->org = c->ops->create(cfg, &place, e);
  if (!c->org) return false;
  c->ops->traits(c->org, &c->traits);
  c->config.latency += c->traits.extra_latency;
  if (c->traits.line_bytes > MEM_LINE) c->config.mshrs *= c->traits.line_bytes / MEM_LINE;
  c->access_bytes = c->traits.line_bytes < MEM_LINE ? c->traits.line_bytes : MEM_LINE;
  make_tables(c);
  if (!choose_bypass(c, cfg, &place, e)) return false;
  if (c->config.spare >= c->config.queue)
    return cfg_complain(cfg, "l1.queue_spare", e, "l1.queue (%u) leaves no room for a load", c->config.queue);
  if (c->config.tag_queue && (c->bypass_ops->next || !c->config.latency))
    return cfg_complain(cfg, "l1.tag_queue", e, "it needs an l1.latency, and an l1.bypass without queues of its own");
  return true;
}

void l1_follow(struct l1 *c, const struct l1 *first) {
  if (c != first && c->ops->follow) c->ops->follow(c->org, first->org);
}

void l1_free(struct l1 *c) {
  if (c->org) c->ops->destroy(c->org);
  if (c->bypass) c->bypass_ops->destroy(c->bypass);
  free(c->mshrs);
  free(c->waiters);
  free(c->index);
  free(c->queue);
  *c = (struct l1){0};
}
