/* The sharing tracker (Tarjan, Skadron: The Sharing Tracker, SC 2010), as the cooperative caching paper compares
 * itself with it (section 6.2): a directory beside each L2 slice remembers which SM was last given a line. When a
 * load misses in L2, that SM is asked for the line before DRAM is.
 *
 *   Entry     made or changed when a slice answers a load that fills an L1D. The table has coop.tracker_sets sets of
 *             coop.tracker_ways entries, of which the least recently used is replaced. SMs do not report the lines that they
 *             lose, so an entry may be out of date.
 *   Question  travels to the SM over the reply network, as one flit. The SM looks into its shadow tags and sends either the
 *             line, which takes a cycle of its data array, or that it does not have it. The slice is filled with the line, or
 *             else from DRAM.
 *   Answers   have a virtual network of their own, of coop.tracker_latency cycles, on which an SM sends a flit of 32 bytes a
 *             cycle. In the request network they could wait for ever behind requests that wait for them.
 *
 * It saves accesses to DRAM; misses of L1 go to L2 as they do without it. The GPU here connects SMs with slices only,
 * so a line goes through the slice; the original has a network between the L1Ds. */
#include "coop/coop.h"

#include "base/arena.h"
#include "mem/mem_stall.h"
#include "mem/mem_tags.h"

#include <stdlib.h>

static const struct cfg_key keys[] = {
    {"coop.tracker_sets", CFG_INT, "64", 1, 65536, NULL, "sets", "sets of the sharing tracker of an L2 slice"},
    {"coop.tracker_ways", CFG_INT, "4", 1, 64, NULL, "lines", "lines in a set of the sharing tracker"},
    {"coop.tracker_latency", CFG_INT, "20", 1, 1000, NULL, "L2 cycles",
     "latency of an SM's answer to the L2 slice that asked it (sharing tracker)"},
    {0},
};

enum { FLIT = 32 };
enum stat { ASKED, ENTRIES, STATS };
static const struct stat_def defs[STATS + 1] = {
    [ASKED] = {"coop.tracker_asked", "fetches", "fetches of L2 for which the sharing tracker named an SM", ""},
    [ENTRIES] = {"coop.tracker_entries", "loads", "loads answered by L2 that made or changed an entry of the sharing tracker", ""},
};

struct tracker { /* of a slice */
  struct mem_peers peers;
  struct mem_tags tags;
  uint16_t *sm; /* by frame: the SM that was given the line */
  uint64_t stats[STATS];
};
struct sharing_node {
  struct coop_node base;
  struct mem_port answers; /* to be sent */
  uint64_t link_free;
};
struct sharing {
  struct coop base;
  uint32_t sets, ways, slices, tag_bits, shadow_tag_bits;
  struct tracker *trackers;
};

static int32_t find(const struct tracker *t, uint64_t line) { return mem_tags_find(&t->tags, mem_tags_set(&t->tags, line), line); }

static int32_t who(struct mem_peers *p, uint64_t line, uint16_t asks) {
  struct tracker *t = (struct tracker *)p;
  int32_t frame = find(t, line);
  if (frame == MEM_NO_FRAME || t->sm[frame] == asks) return MEM_NOBODY;
  t->stats[ASKED]++;
  return t->sm[frame];
}

/* The slice answers a request: a load that fills an L1D makes an entry. */
static void answered(void *user, const struct mem_packet *k) {
  if (!coop_eligible(k)) return;
  struct tracker *t = user;
  int32_t frame = find(t, k->line);
  if (frame != MEM_NO_FRAME) mem_tags_touch(&t->tags, frame);
  else mem_tags_place(&t->tags, frame = mem_tags_victim(&t->tags, mem_tags_set(&t->tags, k->line)), k->line);
  t->sm[frame] = k->sm;
  t->stats[ENTRIES]++;
}

static struct mem_peers *peers(struct coop *c, uint32_t slice, struct mem_observers *of_slice) {
  static const struct mem_observer events = {.answer = answered};
  struct tracker *t = &((struct sharing *)c)->trackers[slice];
  mem_observers_add(of_slice, &events, t);
  return &t->peers;
}

/* The packet goes back with the line, or without. */
static void asked(struct coop_node *n, struct mem_packet *k, uint64_t now) {
  uint32_t sectors = (uint32_t)__builtin_popcount(k->sectors);
  struct mem_packet want = *k;
  want.bytes = (struct mem_bytes){{~UINT64_C(0), ~UINT64_C(0)}};
  want.bytes = mem_bytes_carried(&want);
  bool here = coop_has(n, &want);
  coop_count_lookup(n, &want);
  k->kind = here ? MEM_PEER_DATA : MEM_PEER_NONE;
  k->payload = (uint16_t)(here ? MEM_SECTOR * sectors : 0);
  if (here) {
    n->stats[COOP_S_DATA_READS]++;
    n->stolen = now + n->net->wake.period;
  }
  mem_port_push(&((struct sharing_node *)n)->answers, k, now);
}

static uint64_t tick(struct coop *base, uint64_t now) {
  struct sharing *c = (struct sharing *)base;
  uint64_t next = MEM_NEVER;
  for (uint32_t i = 0; i < base->place.sms; i++) {
    struct sharing_node *n = (struct sharing_node *)base->nodes[i];
    struct mem_packet *k = n->link_free <= now ? mem_port_peek(&n->answers, now) : NULL;
    if (k) {
      mem_port_pop(&n->answers, now);
      n->link_free = now + (1 + (k->payload + FLIT - 1u) / FLIT) * base->wake.period;
      mem_port_push(&c->trackers[k->slice].peers.answers, k, now);
    }
    uint64_t ready = mem_later(mem_port_next(&n->answers), n->link_free);
    if (n->answers.count) next = mem_earlier(next, mem_later(ready, now + base->wake.period));
  }
  return next;
}

static bool idle(const struct coop *c) {
  for (uint32_t i = 0; i < c->place.sms; i++)
    if (((const struct sharing_node *)c->nodes[i])->answers.count) return false;
  return true;
}

static void explain(const struct coop *c, uint64_t now, struct str *out) {
  (void)now;
  for (uint32_t i = 0; i < c->place.sms; i++) {
    uint32_t n = ((const struct sharing_node *)c->nodes[i])->answers.count;
    if (n) str_add(out, "SM %u: %u answers to L2 slices in flight\n", i, n);
  }
}

static void put_stats(const struct coop *c, struct stats *s) {
  const struct sharing *t = (const struct sharing *)c;
  for (uint32_t i = 0; i < t->slices; i++) stats_register(s, defs, STATS, t->trackers[i].stats, i);
}

/* An entry is a line, its SM, a valid bit and a place in the order of use; SMs have shadow tags. */
static struct coop_hardware hardware(const struct coop *base) {
  const struct sharing *c = (const struct sharing *)base;
  uint64_t entry = c->tag_bits + coop_bits_for(base->place.sms) + 1 + coop_bits_for(c->ways);
  return (struct coop_hardware){.tags = base->place.lines * (c->shadow_tag_bits + 1) + base->place.tags_more,
                                .of_slice = (uint64_t)c->sets * c->ways * entry};
}

static struct coop *create(const struct cfg *cfg, const struct coop_place *place, struct err *e) {
  struct sharing *c = must_alloc(sizeof *c);
  (void)e;
  c->sets = (uint32_t)cfg_int(cfg, "coop.tracker_sets");
  c->ways = (uint32_t)cfg_int(cfg, "coop.tracker_ways");
  c->slices = place->slices;
  c->tag_bits = (uint32_t)cfg_int(cfg, "coop.tag_bits");
  c->shadow_tag_bits = (uint32_t)cfg_int(cfg, "coop.shadow_tag_bits");
  c->trackers = must_alloc(c->slices * sizeof *c->trackers);
  uint32_t latency = (uint32_t)cfg_int(cfg, "coop.tracker_latency");
  for (uint32_t i = 0; i < c->slices; i++) {
    c->trackers[i] = (struct tracker){.peers = {.who = who}, .sm = must_alloc((size_t)c->sets * c->ways * sizeof(uint16_t))};
    mem_tags_init(&c->trackers[i].tags, &(struct mem_tags_config){.sets = c->sets, .ways = c->ways, .index = &mem_index_mix});
    mem_port_init(&c->trackers[i].peers.answers, place->fetches, latency, NULL, &c->base.wake);
  }
  coop_init(&c->base, place, sizeof(struct sharing_node), 1, 1);
  for (uint32_t i = 0; i < place->sms; i++)
    mem_port_init(&((struct sharing_node *)c->base.nodes[i])->answers, place->fetches ? place->fetches : 1, 1, &c->base.wake, NULL);
  return &c->base;
}

static void destroy(struct coop *base) {
  struct sharing *c = (struct sharing *)base;
  for (uint32_t i = 0; i < c->slices; i++) {
    mem_tags_free(&c->trackers[i].tags);
    free(c->trackers[i].sm);
    mem_port_free(&c->trackers[i].peers.answers);
  }
  for (uint32_t i = 0; i < base->place.sms; i++) mem_port_free(&((struct sharing_node *)base->nodes[i])->answers);
  free(c->trackers);
  coop_free(base);
  free(c);
}

const struct coop_policy coop_tracker = {
    .policy = {.name = "tracker", .meaning = "L2 remembers which SM was last given a line, and asks it before DRAM",
               .paper = "Tarjan, Skadron: The sharing tracker, SC 2010", .keys = keys, .stats = defs,
               .storage = coop_storage},
    .create = create, .destroy = destroy, .peers = peers, .asked = asked, .tick = tick, .idle = idle,
    .explain = explain, .hardware = hardware, .put_stats = put_stats};
