/* BLISS (Subramanian, Lee, Seshadri, Rai, Mutlu: The blacklisting memory scheduler, ICCD 2014): a requester that has
 * been served dram.bliss_streak requests in a row is blacklisted, and every dram.bliss_clear clocks the blacklist is
 * cleared. A bank prefers requests of those that are not on the list; among these, requests to its open row; among
 * these, the oldest.
 *
 * The requesters are applications in the paper and SMs here, since on a GPU that runs one program it is the SMs that
 * compete for a channel. A write-back is for no SM: it neither counts nor ends a streak, and is never blacklisted.
 * Each channel has a list of its own. */
#include "dram/dram_sched.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

enum { SOURCES = 256, NOBODY = SOURCES };

static const struct cfg_key keys[] = {
    {"dram.bliss_streak", CFG_INT, "4", 1, 1e6, NULL, "requests", "consecutive requests of one SM after which bliss blacklists it"},
    {"dram.bliss_clear", CFG_INT, "10000", 1, 1e9, NULL, "clocks", "time after which bliss clears its blacklist"},
    {0},
};
enum { BLACKLISTED };
static const struct stat_def stats[] = {
    [BLACKLISTED] = {"dram.bliss_blacklisted", "times", "bliss: times an SM was put on a channel's blacklist", ""},
    {0},
};

struct bliss {
  uint64_t streak, served; /* of `last`, in a row */
  unsigned last;
  uint64_t interval, clear_at; /* ticks */
  bool blacklisted[SOURCES + 1];
  uint64_t *stats;
};

static void *create(const struct cfg *cfg, const struct dram_sched_place *place, struct err *e) {
  struct bliss *b = must_alloc(sizeof *b);
  (void)e;
  b->streak = (uint64_t)cfg_int(cfg, "dram.bliss_streak");
  b->interval = b->clear_at = (uint64_t)cfg_int(cfg, "dram.bliss_clear") * place->period;
  b->last = NOBODY;
  b->stats = place->stats;
  return b;
}

static unsigned source_of(const struct dram_request *r) { return r->k->kind == MEM_WRITEBACK ? NOBODY : r->k->sm % SOURCES; }

static int32_t pick(void *s, const struct dram_view *v, unsigned bank) {
  struct bliss *b = s;
  int32_t best = DRAM_NONE;
  unsigned rank = 0; /* of the best: 2 if it is not on the list, 1 if its row is open */
  if (v->now >= b->clear_at) {
    memset(b->blacklisted, 0, sizeof b->blacklisted);
    b->clear_at = (v->now / b->interval + 1) * b->interval;
  }
  for (int32_t i = v->first[bank]; i != DRAM_NONE && rank < 3; i = v->requests[i].next) {
    const struct dram_request *r = &v->requests[i];
    unsigned mine = (b->blacklisted[source_of(r)] ? 0u : 2u) + (r->row == v->open[bank]);
    if (best == DRAM_NONE || mine > rank) best = i, rank = mine;
  }
  return best;
}

static void completed(void *s, const struct dram_request *r, uint64_t now) {
  struct bliss *b = s;
  unsigned source = source_of(r);
  (void)now;
  if (source == NOBODY) return;
  b->served = source == b->last ? b->served + 1 : 1;
  b->last = source;
  if (b->served < b->streak) return;
  b->stats[BLACKLISTED] += !b->blacklisted[source];
  b->blacklisted[source] = true;
  b->served = 0;
}

/* A bit an SM, the last one's number, its streak, and the clocks until the list is cleared. */
static bool bits(const struct cfg *cfg, uint64_t *out, struct err *e) {
  uint64_t sms = (uint64_t)cfg_int(cfg, "gpu.sms"), most[] = {sms - 1, (uint64_t)cfg_int(cfg, "dram.bliss_streak"),
                                                             (uint64_t)cfg_int(cfg, "dram.bliss_clear")};
  (void)e;
  *out = sms;
  for (size_t i = 0; i < 3; i++) *out += most[i] ? 64u - (unsigned)__builtin_clzll(most[i]) : 0;
  return true;
}
static const struct policy_part storage[] = {{"dram.scheduler", POLICY_OF_CHANNEL, bits, NULL, "dram.reads", true}, {0}};

const struct dram_scheduler dram_bliss = {
    .policy = {.name = "bliss", .meaning = "an SM that was served many times in a row comes after all others for a while",
               .paper = "Subramanian, Lee, Seshadri, Rai, Mutlu: The blacklisting memory scheduler, ICCD 2014", .keys = keys,
               .stats = stats, .storage = storage},
    .create = create, .destroy = free, .pick = pick, .completed = completed};
