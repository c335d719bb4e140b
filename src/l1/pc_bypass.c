/* Bypassing by the PC of a load, after Tian, Puthoor, Greathouse, Beckmann, Jimenez: Adaptive GPU cache bypassing,
 * GPGPU-8 2015: loads whose lines are usually replaced before they are used again do not use the cache.
 *
 * Each line remembers (a hash of) the PC of the load that brought it in, and whether it has been used since. The hash
 * indexes a table of counters. The first reuse of a line decrements the counter of its PC; the replacement of a line
 * without any reuse increments it. A load whose counter has reached l1.pc.threshold bypasses the cache with all its
 * accesses.
 *
 * The text at hand gives the idea but not the sizes, so entries, width and threshold are this project's: 128 counters
 * of 4 bits, and half of their range. A load that always bypasses could never be seen to be wrong, so one in
 * l1.pc.sample uses the cache all the same. A load merged with an outstanding miss counts as a use of its line. Loads
 * of local memory always use the cache.
 *
 * Simplified: what hardware keeps in the tags is kept in a table beside them, indexed by a hash of the line. Of two
 * lines with the same hash only the later one teaches anything; a line that a store or a flush removed teaches
 * nothing. */
#include "l1/bypass.h"

#include <stdlib.h>

enum { ENTRIES = 128, HASH_BITS = 7, MOST = 15, COUNTER_BITS = 4, SPREAD = 8 /* places a line of the cache */ };

static const struct cfg_key keys[] = {
    {"l1.pc.threshold", CFG_INT, "8", 1, MOST, NULL, "lines",
     "score at which a load bypasses the L1D under l1.bypass=pc: its lines evicted unused minus its lines reused"},
    {"l1.pc.sample", CFG_INT, "32", 1, 1e6, NULL, "loads",
     "one in this many loads that should bypass the L1D uses it all the same (l1.bypass=pc)"},
    {0},
};
enum { DEAD, REUSED, SAMPLED };
static const struct stat_def stats[] = {
    [DEAD] = {"l1d.pc_dead_lines", "lines", "l1.bypass=pc: lines evicted without having been used again", ""},
    [REUSED] = {"l1d.pc_reused_lines", "lines", "l1.bypass=pc: lines used again by a later load", ""},
    [SAMPLED] = {"l1d.pc_sampled_loads", "loads", "l1.bypass=pc: loads that used the L1D although they should have bypassed it", ""},
    {0},
};

struct trace { /* of a line */
  uint64_t line; /* | 1; 0: none */
  uint8_t pc;    /* hashed */
  bool used;
};
struct pc_bypass {
  uint32_t threshold, sample, due; /* loads until the next sample */
  uint8_t counter[ENTRIES];
  struct trace *trace;
  uint64_t mask;
  uint32_t lines;
  uint64_t *stats;
};

static uint8_t hash_pc(uint32_t pc) { return (uint8_t)((pc ^ pc >> HASH_BITS ^ pc >> 2 * HASH_BITS) & (ENTRIES - 1)); }

static struct trace *trace_of(const struct pc_bypass *b, uint64_t line) {
  return &b->trace[(line >> 5) * 0x9e3779b97f4a7c15u >> 32 & b->mask];
}

static bool skips(void *state, const struct l1_request *r) {
  struct pc_bypass *b = state;
  if (r->class_ != MEM_GLOBAL || b->counter[hash_pc(r->pc)] < b->threshold) return false;
  if (--b->due) return true;
  b->due = b->sample;
  b->stats[SAMPLED]++;
  return false;
}

static void served(void *state, const struct l1_request *r, enum l1_result result) {
  struct pc_bypass *b = state;
  struct trace *t = trace_of(b, r->line);
  if (result == L1_MISS && t->line != (r->line | 1)) {
    *t = (struct trace){.line = r->line | 1, .pc = hash_pc(r->pc)};
    return;
  }
  if (t->line != (r->line | 1) || t->used) return;
  t->used = true;
  b->stats[REUSED]++;
  if (b->counter[t->pc]) b->counter[t->pc]--;
}

static void evicted(void *state, uint64_t line) {
  struct pc_bypass *b = state;
  struct trace *t = trace_of(b, line);
  if (t->line != (line | 1)) return;
  if (!t->used) {
    b->stats[DEAD]++;
    if (b->counter[t->pc] < MOST) b->counter[t->pc]++;
  }
  *t = (struct trace){0};
}

static void *create(const struct cfg *cfg, const struct l1_place *place, struct err *e) {
  struct pc_bypass *b = must_alloc(sizeof *b);
  (void)e;
  b->threshold = (uint32_t)cfg_int(cfg, "l1.pc.threshold");
  b->sample = b->due = (uint32_t)cfg_int(cfg, "l1.pc.sample");
  b->lines = (uint32_t)(cfg_int(cfg, "l1.sets") * cfg_int(cfg, "l1.ways"));
  b->mask = 1;
  while (b->mask < (uint64_t)SPREAD * b->lines) b->mask *= 2;
  b->trace = must_alloc(b->mask * sizeof *b->trace);
  b->mask--;
  b->stats = place->stats;
  return b;
}

static void destroy(void *state) {
  struct pc_bypass *b = state;
  free(b->trace);
  free(b);
}

/* The table; in each line the hash of a PC and a bit. */
static uint64_t storage_bits(const void *state) {
  const struct pc_bypass *b = state;
  return ENTRIES * COUNTER_BITS + (uint64_t)b->lines * (HASH_BITS + 1);
}

const struct l1_bypass l1_pc_bypass = {
    .policy = {.name = "pc", .meaning = "loads whose lines are evicted unused bypass the L1D, predicted by their PC",
               .paper = "Tian, Puthoor, Greathouse, Beckmann, Jimenez: Adaptive GPU cache bypassing, GPGPU-8 2015", .keys = keys,
               .stats = stats, .storage = l1_bypass_storage},
    .create = create, .destroy = destroy, .skips = skips, .served = served, .evicted = evicted,
    .storage_bits = storage_bits};
