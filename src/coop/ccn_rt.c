/* The cooperative caching network with request throttling (section 4.4 of the paper named in ring.h).
 *
 * Time is divided into epochs of coop.period instructions. During the first coop.sample of them every SM asks the
 * other L1Ds, and counts its requests and how many of them were answered. If the share of answered requests is below
 * coop.threshold, the SM's misses go to L2 at once for the rest of the epoch; its L1D still answers others.
 *
 * Where the paper says nothing: instructions are thread instructions of the whole GPU, the unit in which the paper
 * gives the length of its runs (coop.count=core counts those of each SM separately). An SM decides at its first miss
 * after the sample; answers that come until then count. A sample without requests shows nothing, so the SM goes on
 * asking. */
#include "coop/ring.h"

#include "base/arena.h"

#include <stdlib.h>

enum { COUNT_GPU, COUNT_CORE };
static const struct policy *const counts[] = {[COUNT_GPU] = OPTION("gpu", "epochs count the instructions of all SMs together"),
                                             [COUNT_CORE] = OPTION("core", "epochs count the instructions of each SM separately"), NULL};
static const struct cfg_key keys[] = {
    {"coop.sample", CFG_INT, "1000000", 1, 1e15, NULL, "thread instructions",
     "instructions at the start of an epoch during which every SM sends its misses to the ring (ccn-rt)"},
    {"coop.period", CFG_INT, "10000000", 1, 1e15, NULL, "thread instructions", "instructions of an epoch of ccn-rt"},
    {"coop.threshold", CFG_REAL, "0.05", 0, 1, NULL, "",
     "an SM stops using the ring if a smaller share of its requests was answered in the sample (ccn-rt)"},
    {"coop.count", CFG_CHOICE, "gpu", 0, 0, counts, "",
     "whose instructions are counted for an epoch of ccn-rt: those of all SMs together, or of each SM separately"},
    {0},
};

struct throttle { /* of an SM */
  uint64_t epoch;          /* its number + 1 */
  uint64_t entered, hits;  /* when it began */
  bool decided, off;
};
struct ccn_rt {
  struct ring ring;
  uint64_t sample, period;
  double threshold;
  bool own;                /* each SM counts its own instructions */
  uint64_t executed;       /* by all SMs, when they were last visited */
  struct throttle *sm;
};

static void begin_epoch(struct coop_node *n, struct throttle *t, uint64_t epoch) {
  *t = (struct throttle){.epoch = epoch, .entered = n->stats[COOP_S_ENTERED], .hits = n->stats[COOP_S_HITS]};
  n->stats[COOP_S_EPOCHS]++;
}

static void decide(const struct ccn_rt *c, struct coop_node *n, struct throttle *t) {
  uint64_t asked = n->stats[COOP_S_ENTERED] - t->entered, hits = n->stats[COOP_S_HITS] - t->hits;
  t->decided = true;
  t->off = (double)hits < c->threshold * (double)asked;
  n->stats[COOP_S_OFF_EPOCHS] += t->off;
}

static bool offer(struct coop_node *n, struct mem_packet *k, bool free_slot, uint64_t now) {
  struct ccn_rt *c = (struct ccn_rt *)n->net;
  struct throttle *t = &c->sm[n->id];
  uint64_t executed = c->own ? *n->instructions : c->executed;
  if (t->epoch != executed / c->period + 1) begin_epoch(n, t, executed / c->period + 1);
  if (!t->decided && executed % c->period >= c->sample) decide(c, n, t);
  if (!t->off) return ring_offer(n, k, free_slot, now);
  n->stats[COOP_S_THROTTLED] += free_slot;
  return false;
}

static void count(struct coop *base) {
  struct ccn_rt *c = (struct ccn_rt *)base;
  uint64_t sum = 0;
  for (uint32_t i = 0; i < base->place.sms && !c->own; i++) sum += *base->nodes[i]->instructions;
  c->executed = sum;
}

static struct coop *create(const struct cfg *cfg, const struct coop_place *place, struct err *e) {
  uint64_t sample = (uint64_t)cfg_int(cfg, "coop.sample"), period = (uint64_t)cfg_int(cfg, "coop.period");
  if (sample >= period) return cfg_complain(cfg, "coop.sample", e, "it must be shorter than the epoch (coop.period)"), NULL;
  struct ccn_rt *c = must_alloc(sizeof *c);
  if (!ring_init(&c->ring, cfg, place, e)) return free(c), NULL;
  c->sample = sample;
  c->period = period;
  c->threshold = cfg_real(cfg, "coop.threshold");
  c->own = cfg_option(cfg, "coop.count") == COUNT_CORE;
  c->sm = must_alloc(place->sms * sizeof *c->sm);
  return &c->ring.base;
}

static void destroy(struct coop *base) {
  struct ccn_rt *c = (struct ccn_rt *)base;
  ring_free(&c->ring);
  free(c->sm);
  free(c);
}

const struct coop_policy coop_ccn_rt = {
    .policy = {.name = "ccn-rt", .meaning = "ccn-b with request throttling: SMs stop using the ring where few misses are answered",
               .paper = "Dublish, Nagarajan, Topham: Cooperative caching for GPUs, TACO 2016", .keys = keys,
               .stats = coop_stats, .storage = coop_storage},
    .create = create, .destroy = destroy, .offer = offer, .publish = count, .tick = ring_tick, .idle = ring_idle,
    .explain = ring_explain, .hardware = ring_hardware};
