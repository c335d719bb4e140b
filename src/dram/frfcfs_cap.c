/* FR-FCFS with a cap (Mutlu, Moscibroda: Stall-time fair memory access scheduling for chip multiprocessors, MICRO
 * 2007, which compares itself with it): like frfcfs, but in each bank at most dram.cap requests to the open row may
 * overtake an older request to another row. Then the oldest request is served, whatever its row.
 *
 * The paper counts column accesses, of one cache line each; here a request for a line, of up to four bursts, counts
 * once. */
#include "dram/dram_sched.h"

#include "base/arena.h"

#include <stdlib.h>

static const struct cfg_key keys[] = {
    {"dram.cap", CFG_INT, "4", 1, 1e6, NULL, "requests",
     "requests to the open row that frfcfs-cap serves before an older request to another row"},
    {0},
};
enum { CAPPED };
static const struct stat_def stats[] = {
    [CAPPED] = {"dram.capped", "requests",
                "frfcfs-cap: requests served before row hits, because dram.cap younger requests had overtaken them", ""},
    {0},
};

struct cap {
  uint32_t cap;
  uint64_t *stats;
  uint32_t overtaken[]; /* per bank: how often its oldest request was */
};

static void *create(const struct cfg *cfg, const struct dram_sched_place *place, struct err *e) {
  struct cap *c = must_alloc(sizeof *c + place->banks * sizeof *c->overtaken);
  (void)e;
  c->cap = (uint32_t)cfg_int(cfg, "dram.cap");
  c->stats = place->stats;
  return c;
}

static int32_t pick(void *s, const struct dram_view *v, unsigned bank) {
  struct cap *c = s;
  int32_t oldest = v->first[bank], hit = oldest;
  while (hit != DRAM_NONE && v->requests[hit].row != v->open[bank]) hit = v->requests[hit].next;
  bool overtakes = hit != DRAM_NONE && hit != oldest;
  if (overtakes && c->overtaken[bank] < c->cap) return c->overtaken[bank]++, hit;
  c->stats[CAPPED] += overtakes;
  c->overtaken[bank] = 0;
  return oldest;
}

const struct dram_scheduler dram_frfcfs_cap = {
    .policy = {.name = "frfcfs-cap", .meaning = "frfcfs in which row hits overtake an older request a limited number of times",
               .paper = "Mutlu, Moscibroda: Stall-time fair memory access scheduling for chip multiprocessors, MICRO 2007",
               .keys = keys, .stats = stats},
    .create = create, .destroy = free, .pick = pick};
