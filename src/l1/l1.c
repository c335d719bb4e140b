/* What all L1D organisations share: see l1.h.
 *
 * A read miss is checked in this order: free slots beyond l1.queue_spare, the merge limit of the line's outstanding
 * miss, a free MSHR, free slots in the miss queue, a free line in the organisation. The first that is missing is
 * recorded as the cause of the reservation failure. */
#include "l1/bypass.h"
#include "l1/windows.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE_EVERY = 4096 /* accesses between two looks at how full the cache is */ };

static const struct stat_def stat_defs[L1_STATS] = {
    [L1_S_ACCESSES] = {"l1d.accesses", "accesses", "L1D accesses: one for each line that a warp instruction touches", ""},
    [L1_S_READS] = {"l1d.reads", "accesses", "L1D accesses of loads", ""},
    [L1_S_WRITES] = {"l1d.writes", "accesses", "L1D accesses of stores", ""},
    [L1_S_ATOMICS] = {"l1d.atomics", "accesses", "L1D accesses of atomics and reductions", ""},
    [L1_S_HITS] = {"l1d.hits", "accesses", "loads that found all their bytes in L1D", ""},
    [L1_S_PENDING] = {"l1d.pending_hits", "accesses", "loads merged with an outstanding miss of L1D, and stores of l1d.joined_stores", ""},
    [L1_S_MISSES] = {"l1d.misses", "accesses", "L1D accesses that sent a request below (stores and atomics always do)", ""},
    [L1_S_BYPASSES] = {"l1d.bypasses", "accesses", "loads that went below without using the L1D", ""},
    [L1_S_BYPASS_LOADS] = {"l1d.bypass_loads", "instructions", "loads that l1.bypass let bypass the L1D as a whole", ""},
    [L1_S_BYPASS_SKIPPED] = {"l1d.bypass_skipped", "accesses", "accesses of l1d.bypasses made by loads of l1d.bypass_loads", ""},
    [L1_S_BYPASS_REFUSED] = {"l1d.bypass_refused", "accesses", "accesses of l1d.bypasses that the L1D had refused first", ""},
    [L1_S_FAILS] = {"l1d.reservation_fails", "cycles", "cycles in which L1D refused an access (reservation failures)", ""},
    [L1_S_FAIL_LINE] = {"l1d.fail_line", "cycles", "reservation failures of L1D because every candidate line is reserved", ""},
    [L1_S_FAIL_MSHR] = {"l1d.fail_mshr", "cycles", "reservation failures of L1D because no MSHR is free", ""},
    [L1_S_FAIL_MERGE] = {"l1d.fail_merge", "cycles", "reservation failures of L1D because the MSHR's merge limit is reached", ""},
    [L1_S_FAIL_QUEUE] = {"l1d.fail_queue", "cycles", "reservation failures of L1D because the miss queue is full", ""},
    [L1_S_REQUESTS] = {"l1d.requests", "packets", "packets put into the miss queue of L1D", ""},
    [L1_S_FILLS] = {"l1d.fills", "packets", "data replies received by L1D", ""},
    [L1_S_BYTES_IN] = {"l1d.fill_bytes", "bytes", "data received by L1D from below", "l1tex__m_xbar2l1tex_read_bytes.sum"},
    [L1_S_BYTES_ASKED] = {"l1d.asked_bytes", "bytes", "bytes that loads asked L1D for, each counted once per access", ""},
    [L1_S_PARTIAL] = {"l1d.partial_misses", "accesses", "loads that found some of their bytes in L1D, but not all", ""},
    [L1_S_INSTRUCTIONS] = {"l1d.load_instructions", "instructions", "load instructions that looked up L1D", ""},
    [L1_S_INSTRUCTIONS_MISSED] = {"l1d.missed_instructions", "instructions",
                                  "load instructions that looked up L1D and had to wait for data from below", ""},
    [L1_S_PACKETS_OUT] = {"l1d.packets_out", "32-byte packets",
                          "packets of 32 bytes from L1 to L2: one for each request, and its data", ""},
    [L1_S_PACKETS_IN] = {"l1d.packets_in", "32-byte packets", "packets of 32 bytes from L2 to L1: the data that requests ask for", ""},
    [L1_S_STORED] = {"l1d.stored_bytes", "bytes", "bytes of L1D that hold data, summed over samples", ""},
    [L1_S_STORED_SAMPLES] = {"l1d.stored_samples", "samples", "samples of l1d.stored_bytes, one in 4,096 accesses", ""},
    [L1_S_BUSY] = {"l1d.replacement_cycles", "cycles", "cycles in which L1D was busy with replacements of several rounds", ""},
    [L1_S_LOAD_SECTORS] = {"l1d.load_sectors", "sectors",
                           "sectors of 32 bytes that global loads asked L1D for", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"},
    [L1_S_LOAD_SECTORS_HIT] = {"l1d.load_sectors_hit", "sectors",
                               "sectors of l1d.load_sectors that were in L1D or on their "
                               "way", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"},
    [L1_S_STORE_SECTORS] = {"l1d.store_sectors", "sectors",
                            "sectors that global stores wrote to, whole or in part", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"},
    [L1_S_JOINED] = {"l1d.joined_stores", "accesses", "stores that were joined to an earlier one in the miss queue (l1.join_stores)", ""},
    [L1_S_STORE_SECTORS_HIT] = {"l1d.store_sectors_hit", "sectors",
                                "sectors of l1d.store_sectors whose line was in L1D, even if only "
                                "in part", "l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit.sum"},
    [L1_S_STALE_READS] = {"l1d.stale_reads", "lanes",
                          "lanes of loads that read a sector in L1D which another SM had written since it came there (l1.coherent)", ""},
    [L1_S_BEGUN_ANEW] = {"l1d.begun_anew", "accesses",
                         "stores that replaced the copy of a line in use with their own bytes alone (l1.store_lines)", ""},
};

enum { TAGS_BY_LINE, TAGS_IN_BANKS };
static const struct policy *const tag_stages[] = {
    [TAGS_BY_LINE] = OPTION("lines", "l1.tags_per_cycle lines are looked up per cycle"),
    [TAGS_IN_BANKS] = OPTION("banks", "one line in each of four tag banks is looked up per cycle; a hit takes "
                                      "as many cycles as its words need in 32 data banks of 4 bytes"),
    NULL};

const struct cfg_key l1_keys[] = {
    {"l1.org", CFG_CHOICE, "base", 0, 0, l1_orgs, "", "L1D organisation: what is stored and how victims are chosen"},
    {"l1.bypass", CFG_CHOICE, "none", 0, 0, l1_bypasses, "", "bypass policy: which loads bypass the L1D, and the order of accesses"},
    {"l1.latency", CFG_INT, "35", 0, 1000, NULL, "core cycles", "latency of an L1D hit, from access to data"},
    {"l1.tag_queue", CFG_BOOL, "false", 0, 0, NULL, "",
     "every access waits l1.latency before it looks up the tags; false: tags are looked up at once, and only a hit takes l1.latency"},
    {"l1.mshrs", CFG_INT, "64", 1, 4096, NULL, "entries", "MSHRs of the L1D: lines that can be outstanding"},
    {"l1.merges", CFG_INT, "8", 1, 1024, NULL, "loads", "loads that one MSHR of the L1D can serve"},
    {"l1.queue", CFG_INT, "8", 1, 1024, NULL, "packets", "packets that the L1D's miss queue towards the network can hold"},
    {"l1.queue_spare", CFG_INT, "0", 0, 64, NULL, "packets",
     "slots of the miss queue that a load must leave free beside one for its packet, even if it merges with an outstanding miss and sends "
     "none; 0: merging needs no slot"},
    {"l1.round_stores", CFG_BOOL, "false", 0, 0, NULL, "",
     "a store or atomic sends the aligned 32, 64 or 128 bytes around what it writes; false: only the bytes that it writes"},
    {"l1.tags_per_cycle", CFG_INT, "1", 1, 32, NULL, "accesses", "lines that can be looked up in the L1D's tags in one cycle"},
    {"l1.keep_stores", CFG_BOOL, "false", 0, 0, NULL, "",
     "a global store updates the copy of its line in L1D; false: it invalidates the copy"},
    {"l1.fill_stores", CFG_BOOL, "false", 0, 0, NULL, "",
     "the bytes that a store writes to L2 are put into L1D too, also if their line is not there; false: a store brings nothing into L1D"},
    {"l1.tag_stage", CFG_CHOICE, "lines", 0, 0, tag_stages, "",
     "which accesses of an instruction can look up the L1D's tags in the same cycle"},
    {"l1.store_bytes", CFG_INT, "0", 0, 128, NULL, "bytes",
     "bytes of stores and atomics that L1D sends to L2 per cycle, in whole sectors; a store with a partly written sector and an atomic of "
     "several words take a cycle more; 0: one packet per cycle"},
    {"l1.join_stores", CFG_INT, "0", 0, 64, NULL, "lines",
     "number of waiting stores, the last in the miss queue, that a new store to the same sectors can be joined to; while no more than "
     "these wait and another store comes, none is sent to L2; 0: every store is sent on its own"},
    {"l1.store_lines", CFG_INT, "0", 0, 64, NULL, "lines",
     "most stores that wait in the miss queue; a store to a line which is being fetched, or of which an earlier store is already leaving "
     "and cannot be joined, replaces the copy in L1D with its own bytes alone; 0: as many as l1.queue has room for, and no copy is "
     "replaced"},
    {"l1.leave_latency", CFG_INT, "0", 0, 1000, NULL, "core cycles",
     "time for which a store counts as leaving L1D after it has left the miss queue (l1.store_lines)"},
    {"l1.coherent", CFG_BOOL, "true", 0, 0, NULL, "",
     "loads see at once what other SMs have written; false: a line in L1D keeps its old bytes until it is replaced, the SM passes a fence "
     "beyond the CTA or an acquire, or the kernel ends, so that programs with data races behave as on a GPU"},
    {"l1.cache_global", CFG_BOOL, "true", 0, 0, NULL, "", "global loads without a cache operator use L1D (as with -Xptxas -dlcm=ca)"},
    {0},
};

/* ---- MSHRs ---------------------------------------------------------------------------------------------------------- */

static int32_t new_mshr(struct l1 *c, uint64_t line) {
  int32_t at = mem_mshr_new(&c->mshrs, line);
  c->mshrs.entries[at].warp = c->warp;
  return at;
}

static void ask_for(struct l1 *c, int32_t at, struct mem_bytes bytes) {
  struct mem_bytes *asked = &c->mshrs.entries[at].asked;
  *asked = mem_or(*asked, bytes);
}

/* ---- requests ------------------------------------------------------------------------------------------------------- */

void l1_queue_packet(struct l1 *c, struct mem_packet *k) {
  mem_ring_push(&c->queue, k, 0);
  c->stores += k->kind == MEM_WRITE;
  c->stats[L1_S_REQUESTS]++;
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
  k->keep = r->keep;
  k->atomic = r->atomic;
  k->degree = r->degree;
  k->pc = r->pc;
  k->owner = r->owner;
  k->sm = c->sm;
  k->born = now;
  bool carries = r->kind == MEM_WRITE || r->kind == MEM_ATOMIC || r->kind == MEM_REDUCE;
  k->payload = (uint16_t)(!carries ? 0 : c->config.round_stores ? around(bytes) : mem_count(bytes));
  count_traffic(c, k);
  l1_queue_packet(c, k);
}

static enum l1_result stall(struct l1 *c, enum l1_why why) {
  c->why = why;
  c->ended_then = c->mshrs.ended;
  c->queued_then = c->queue.count;
  return L1_STALL;
}

void l1_count_stall(struct l1 *c, uint64_t cycles) {
  c->stats[L1_S_FAILS] += cycles;
  c->stats[L1_S_FAIL_LINE + (int)c->why] += cycles;
}

/* As Nsight Compute counts: a sector is a hit unless this access asks for it below, or writes to a line that is not here. */
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
  if (read) c->stats[L1_S_BYTES_ASKED] += mem_count(r->bytes);
  if (c->stats[L1_S_ACCESSES] % SAMPLE_EVERY == 0) {
    c->stats[L1_S_STORED] += c->ops->stored(c->org);
    c->stats[L1_S_STORED_SAMPLES]++;
  }
  c->stats[result == L1_HIT ? L1_S_HITS : result == L1_PENDING ? L1_S_PENDING : L1_S_MISSES]++;
}

static bool uses_cache(const struct l1 *c, const struct l1_request *r) {
  if (r->class_ == MEM_GLOBAL && !c->config.cached_global) return false;
  return r->cache != MEM_CACHE_GLOBAL && r->cache != MEM_CACHE_VOLATILE;
}

/* ---- stores on their way out ------------------------------------------------------------------------------------------ */

static uint64_t line_128(const struct l1_request *r) { return r->line & ~(uint64_t)(MEM_LINE - 1); }

/* The packet of a store to all these sectors, among the last l1.join_stores stores that wait in the miss queue; NULL: there is none. */
static struct mem_packet *waiting_store(const struct l1 *c, const struct l1_request *r) {
  uint64_t line = line_128(r);
  uint8_t sectors = mem_sectors_of(r->bytes);
  for (uint32_t i = c->queue.count, left = c->config.join_stores; i > 0 && left > 0; i--) {
    struct mem_packet *k = mem_ring_at(&c->queue, i - 1)->k;
    if (k->kind != MEM_WRITE) continue;
    if (k->line == line) return k->class_ == r->class_ && k->cache == r->cache && !(sectors & ~k->sectors) ? k : NULL;
    left--;
  }
  return NULL;
}

bool l1_waits_for_stores(const struct l1 *c) {
  uint32_t room = c->config.join_stores + 1;
  for (uint32_t i = 0; i < c->queue.count && room > 0; i++) room -= mem_ring_at(&c->queue, i)->k->kind == MEM_WRITE;
  return room > 0;
}

void l1_note_left(struct l1 *c, const struct mem_packet *k, uint64_t until) {
  if (k->kind != MEM_WRITE) return;
  c->stores--;
  c->left[c->next_left] = (struct l1_left){.line = k->line, .until = until};
  c->next_left = (c->next_left + 1) % L1_LEFT;
}

/* Whether the last store to this line is on its way out: it has left, or waits where none is joined. */
static bool is_leaving(const struct l1 *c, const struct l1_request *r, uint64_t now) {
  uint64_t line = line_128(r);
  uint32_t newer = 0;
  for (uint32_t i = c->queue.count; i > 0 && newer < c->stores; i--) {
    const struct mem_packet *k = mem_ring_at(&c->queue, i - 1)->k;
    if (k->kind != MEM_WRITE) continue;
    if (k->line == line) return newer >= c->config.join_stores;
    newer++;
  }
  for (uint32_t i = 0; i < L1_LEFT; i++)
    if (c->left[i].line == line && now < c->left[i].until) return true;
  return false;
}

/* Whether a store finds its line in use, by an earlier store or by a fetch, whose data then go to the registers only. */
static bool begins_anew(struct l1 *c, const struct l1_request *r, uint64_t now) {
  if (r->kind != MEM_WRITE || !uses_cache(c, r)) return false;
  int32_t at = c->mshrs.used ? mem_mshr_find(&c->mshrs, r->line) : MEM_NO_MSHR;
  if (at != MEM_NO_MSHR) c->mshrs.entries[at].unkept = true;
  return at != MEM_NO_MSHR || is_leaving(c, r, now);
}

/* A store or atomic goes below: the cached copy is dropped (or kept, for local data and with l1.keep_stores), or made (l1.fill_stores). */
static void write_here(struct l1 *c, const struct l1_request *r, bool anew) {
  bool store = r->kind == MEM_WRITE;
  c->ops->wrote(c->org, r->line, r->bytes, store && !anew && (r->class_ == MEM_LOCAL || c->config.keep_stores));
  if (!c->config.fill_stores || !store || !uses_cache(c, r)) return;
  c->warp = r->warp;
  c->ops->fill(c->org, r->line, r->bytes);
}

/* A store that joins another is answered at once: the other's answer is what a fence waits for. */
static enum l1_result join_store(struct l1 *c, const struct l1_request *r, struct mem_packet *k) {
  uint16_t before = k->payload;
  write_here(c, r, false);
  k->bytes = mem_or(k->bytes, r->bytes);
  k->payload = (uint16_t)(c->config.round_stores ? around(k->bytes) : mem_count(k->bytes));
  c->stats[L1_S_PACKETS_OUT] += (k->payload + MEM_SECTOR - 1u) / MEM_SECTOR - (before + MEM_SECTOR - 1u) / MEM_SECTOR;
  c->stats[L1_S_JOINED]++;
  count_access(c, r, L1_PENDING, 0);
  return L1_HIT;
}

/* Stores and atomics: through to L2. */
static enum l1_result write_through(struct l1 *c, const struct l1_request *r, uint64_t now) {
  struct mem_packet *waits = c->config.join_stores && r->kind == MEM_WRITE ? waiting_store(c, r) : NULL;
  if (waits) return join_store(c, r, waits);
  bool limited = c->config.store_lines && r->kind == MEM_WRITE;
  if (l1_queue_full(c) || (limited && c->stores >= c->config.store_lines)) return stall(c, L1_NO_QUEUE);
  bool anew = limited && begins_anew(c, r, now), absent = anew || mem_none(l1_held(c, r->line));
  write_here(c, r, anew);
  send(c, r, r->bytes, now);
  c->stats[L1_S_BEGUN_ANEW] += anew;
  count_access(c, r, L1_SENT, absent ? mem_sectors_of(r->bytes) : 0);
  return L1_SENT;
}

/* The other half of a line of 256 bytes is fetched with the one asked for; nobody waits for it. */
static void fetch_companion(struct l1 *c, const struct l1_request *r, uint64_t other, uint64_t now) {
  struct l1_request too = *r;
  uint32_t cycles = 0;
  too.line = other;
  if (!c->ops->reserve(c->org, other, MEM_EVERYTHING, &cycles)) return;
  ask_for(c, new_mshr(c, other), MEM_EVERYTHING);
  send(c, &too, MEM_EVERYTHING, now);
}

/* What a miss that must send something needs besides a free line in the organisation. */
static bool may_send(struct l1 *c, uint32_t mshrs, uint32_t packets, enum l1_why *why) {
  *why = c->mshrs.used + mshrs > c->config.mshrs ? L1_NO_MSHR : L1_NO_QUEUE;
  return *why != L1_NO_MSHR && packets <= mem_ring_free_slots(&c->queue);
}

static bool lacks_spare(const struct l1 *c) { return c->config.spare && mem_ring_free_slots(&c->queue) <= c->config.spare; }

static enum l1_result read_miss(struct l1 *c, const struct l1_request *r, struct mem_bytes missing, uint64_t now) {
  if (lacks_spare(c)) return stall(c, L1_NO_QUEUE);
  int32_t at = mem_mshr_find(&c->mshrs, r->line);
  uint64_t other = 0;
  enum l1_why why;
  bool partial = !mem_none(mem_minus(r->bytes, missing));
  bool out = at != MEM_NO_MSHR;
  if (out && !mem_mshr_mergeable(&c->mshrs, at)) return stall(c, L1_NO_MERGE);
  struct mem_bytes ask = out ? mem_minus(missing, c->mshrs.entries[at].asked) : missing;
  if (mem_none(ask)) {
    mem_mshr_wait_for(&c->mshrs, at, r->owner, missing);
    c->stats[L1_S_PARTIAL] += partial;
    count_access(c, r, L1_PENDING, 0);
    return L1_PENDING;
  }
  if (c->ops->demand && !c->ops->demand(c->org, r, &ask)) return stall(c, L1_NO_MERGE);
  bool two = c->ops->companion && c->ops->companion(c->org, r->line, &other) &&
             mem_mshr_find(&c->mshrs, other) == MEM_NO_MSHR;
  if (!may_send(c, (out ? 0u : 1u) + two, 1u + two, &why)) return stall(c, why);
  c->warp = r->warp;
  if (!c->ops->reserve(c->org, r->line, ask, &c->busy)) return stall(c, L1_NO_LINE);
  if (!out) at = new_mshr(c, r->line);
  ask_for(c, at, ask);
  mem_mshr_wait_for(&c->mshrs, at, r->owner, missing);
  send(c, r, ask, now);
  MEM_NOTIFY(&c->observers, missed, r->warp, r->line);
  if (two) fetch_companion(c, r, other, now);
  c->stats[L1_S_BUSY] += c->busy;
  c->stats[L1_S_PARTIAL] += partial;
  count_access(c, r, L1_MISS, mem_sectors_of(ask));
  return L1_MISS;
}

/* A load that does not use the cache. */
static enum l1_result bypass(struct l1 *c, const struct l1_request *r, uint64_t now) {
  if (l1_queue_full(c)) return stall(c, L1_NO_QUEUE);
  send(c, r, mem_round(r->bytes, MEM_SECTOR), now);
  mem_ring_at(&c->queue, c->queue.count - 1)->k->bypass = true;
  count_access(c, r, L1_SENT, mem_sectors_of(r->bytes));
  c->stats[L1_S_BYPASSES]++;
  c->stats[L1_S_BYPASS_SKIPPED] += r->bypasses;
  return L1_SENT;
}

bool l1_load_bypasses(struct l1 *c, const struct l1_request *r) {
  const struct l1_bypass *b = c->bypass_ops;
  if (!b->skips || r->kind != MEM_READ || !uses_cache(c, r) || !b->skips(c->bypass, r)) return false;
  c->stats[L1_S_BYPASS_LOADS]++;
  return true;
}

/* A refused load that the policy lets bypass needs a free slot in the queue; without it, it stays refused for its first reason. */
static bool gives_up(struct l1 *c, const struct l1_request *r) {
  const struct l1_bypass *b = c->bypass_ops;
  bool up = b->gives_up && !l1_queue_full(c) && b->gives_up(c->bypass, r, c->why);
  c->stats[L1_S_BYPASS_REFUSED] += up;
  return up;
}

static enum l1_result cached_load(struct l1 *c, const struct l1_request *r, uint64_t now) {
  struct mem_bytes missing = c->ops->probe(c->org, r->line, r->bytes);
  enum l1_result result = L1_HIT;
  if (mem_none(missing)) count_access(c, r, L1_HIT, 0);
  else result = read_miss(c, r, missing, now);
  if (result == L1_STALL) return gives_up(c, r) ? bypass(c, r, now) : result;
  if (c->bypass_ops->served) c->bypass_ops->served(c->bypass, r, result);
  return result;
}

static enum l1_result access_once(struct l1 *c, const struct l1_request *r, uint64_t now) {
  if (r->kind == MEM_PREFETCH) { /* to L2: data that nobody waits for */
    if (l1_queue_full(c)) return stall(c, L1_NO_QUEUE);
    send(c, r, mem_round(r->bytes, MEM_SECTOR), now);
    count_access(c, r, L1_SENT, mem_sectors_of(r->bytes));
    return L1_SENT;
  }
  if (r->kind != MEM_READ) return write_through(c, r, now);
  return uses_cache(c, r) && !r->bypasses ? cached_load(c, r, now) : bypass(c, r, now);
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
  c->stats[L1_S_BYTES_IN] += mem_count(came);
  uint64_t line = line_of(c, reply->line, came);
  int32_t at = mem_mshr_find(&c->mshrs, line);
  assert(at != MEM_NO_MSHR || c->ops->late);
  if (at == MEM_NO_MSHR) {
    c->ops->late(c->org);
    return;
  }
  c->warp = c->mshrs.entries[at].warp;
  if (!c->mshrs.entries[at].unkept) c->ops->fill(c->org, line, came);
  if (c->bypass_ops->filled) c->bypass_ops->filled(c->bypass, line, came);
  mem_mshr_arrive(&c->mshrs, at, came, done, user);
}

void l1_flush(struct l1 *c) { c->ops->flush(c->org); }

void l1_resize(struct l1 *c, uint64_t bytes) {
  if (c->ops->resize && !c->mshrs.used) c->ops->resize(c->org, bytes);
}

/* ---- life ----------------------------------------------------------------------------------------------------------- */

static void notify_bypass(void *user, unsigned warp, uint64_t line) {
  struct l1 *c = user;
  (void)warp;
  c->bypass_ops->evicted(c->bypass, line);
}

static bool make_bypass(struct l1 *c, const struct cfg *cfg, const struct l1_place *here, struct err *e) {
  struct l1_place place = *here;
  c->bypass_ops = cfg_policy(cfg, "l1.bypass");
  place.stats = c->bypass_stats = policy_counters(&c->bypass_ops->policy);
  if (c->bypass_ops->create) c->bypass = c->bypass_ops->create(cfg, &place, e);
  if (c->bypass_ops->create && !c->bypass) return false;
  if (!c->bypass_ops->evicted) return true;
  if (!c->traits.reports_victims)
    return cfg_complain(cfg, "l1.bypass", e, "it must know which lines L1D replaces, and l1.org %s does not replace lines as a whole",
                        c->ops->policy.name);
  static const struct mem_observer events = {.evicted = notify_bypass};
  mem_observers_add(&c->observers, &events, c);
  return true;
}

static bool not_filtered(const struct cfg *cfg, struct err *e) {
  struct str with = {0};
  for (const struct policy *const *p = l1_orgs; *p; p++)
    if (((const struct l1_org *)*p)->filtered) str_add(&with, "%s%s", with.n ? " or " : "", (*p)->name);
  cfg_complain(cfg, "reply.filter", e, "it does not go with l1.org=%s, only with %s", cfg_text(cfg, "l1.org"), with.s);
  str_free(&with);
  return false;
}

static bool make_org(struct l1 *c, const struct cfg *cfg, const struct l1_place *here, struct err *e) {
  struct l1_place place = *here;
  c->ops = cfg_policy(cfg, "l1.org");
  if (cfg_policy(cfg, "reply.filter")) c->ops = c->ops->filtered;
  if (!c->ops) return not_filtered(cfg, e);
  place.stats = c->org_stats = policy_counters(&c->ops->policy);
  c->org = c->ops->create(cfg, &place, e);
  if (!c->org) return false;
  c->ops->traits(c->org, &c->traits);
  return true;
}

bool l1_init(struct l1 *c, const struct cfg *cfg, struct mem_pool *pool, uint16_t sm, struct err *e) {
  *c = (struct l1){.pool = pool, .sm = sm};
  c->config = (struct l1_config){.latency = (uint32_t)cfg_int(cfg, "l1.latency"),
                                 .mshrs = (uint32_t)cfg_int(cfg, "l1.mshrs"),
                                 .merges = (uint32_t)cfg_int(cfg, "l1.merges"),
                                 .queue = (uint32_t)cfg_int(cfg, "l1.queue"),
                                 .tags_per_cycle = (uint32_t)cfg_int(cfg, "l1.tags_per_cycle"),
                                 .store_bytes = (uint32_t)cfg_int(cfg, "l1.store_bytes"),
                                 .join_stores = (uint32_t)cfg_int(cfg, "l1.join_stores"),
                                 .store_lines = (uint32_t)cfg_int(cfg, "l1.store_lines"),
                                 .leave_latency = (uint32_t)cfg_int(cfg, "l1.leave_latency"),
                                 .keep_stores = cfg_bool(cfg, "l1.keep_stores"),
                                 .fill_stores = cfg_bool(cfg, "l1.fill_stores"),
                                 .banks = cfg_option(cfg, "l1.tag_stage") == TAGS_IN_BANKS,
                                 .spare = (uint32_t)cfg_int(cfg, "l1.queue_spare"),
                                 .round_stores = cfg_bool(cfg, "l1.round_stores"),
                                 .tag_queue = cfg_bool(cfg, "l1.tag_queue"),
                                 .cached_global = cfg_bool(cfg, "l1.cache_global")};
  struct l1_place place = {.seed = (uint64_t)sm + 1, .warp = &c->warp, .observers = &c->observers};
  if (!make_org(c, cfg, &place, e)) return false;
  c->config.latency += c->traits.extra_latency;
  if (c->traits.line_bytes > MEM_LINE) c->config.mshrs *= c->traits.line_bytes / MEM_LINE;
  c->access_bytes = c->traits.line_bytes < MEM_LINE ? c->traits.line_bytes : MEM_LINE;
  mem_mshr_init_owners(&c->mshrs, c->config.mshrs, c->config.merges, MEM_NEWEST_FIRST);
  mem_ring_init(&c->queue, c->config.queue);
  if (!make_bypass(c, cfg, &place, e)) return false;
  c->refuses_quietly = c->traits.refuses_quietly && !c->bypass_ops->gives_up;
  if (c->config.spare >= c->config.queue)
    return cfg_complain(cfg, "l1.queue_spare", e, "l1.queue (%u) leaves no free slot for a load", c->config.queue);
  if (c->config.tag_queue && (c->bypass_ops->next || !c->config.latency))
    return cfg_complain(cfg, "l1.tag_queue", e, "it needs an l1.latency, and an l1.bypass without queues of its own");
  return true;
}

void l1_follow(struct l1 *c, const struct l1 *first) {
  if (c != first && c->ops->follow) c->ops->follow(c->org, first->org);
}

void l1_register(const struct l1 *c, struct stats *s, const uint64_t *stamp, unsigned sm) {
  stats_watch(s, stamp);
  stats_register(s, stat_defs, L1_STATS, c->stats, sm);
  stats_watch(s, NULL);
  policy_register(s, l1_bypasses, &c->bypass_ops->policy, c->bypass_stats, sm);
  policy_register(s, l1_orgs, &c->ops->policy, c->org_stats, sm);
  for (const struct policy *const *p = l1_orgs; *p; p++) {
    const struct l1_org *filtered = ((const struct l1_org *)*p)->filtered;
    if (filtered) stats_register(s, filtered->policy.stats, policy_stats(&filtered->policy), c->ops == filtered ? c->org_stats : NULL, sm);
  }
}

void l1_free(struct l1 *c) {
  if (c->org) c->ops->destroy(c->org);
  if (c->bypass) c->bypass_ops->destroy(c->bypass);
  free(c->org_stats);
  free(c->bypass_stats);
  mem_mshr_free(&c->mshrs);
  mem_ring_free(&c->queue);
  mem_observers_free(&c->observers);
  *c = (struct l1){0};
}
