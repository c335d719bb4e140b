/* What all cooperation networks share: keys, statistics, nodes, counting. See coop.h. */
#include "coop/coop.h"

#include "base/arena.h"

#include <stdlib.h>

enum { RETURNED = 8 /* requests that wait at an SM for its way to L2 */ };

const struct cfg_key coop_keys[] = {
    {"coop", CFG_CHOICE, "none", 0, 0, coop_policies, "",
     "cooperative caching: whether a load miss may be answered by another SM's L1D, and how"},
    {0},
};

const struct stat_def coop_stats[COOP_STATS + 1] = {
    [COOP_S_ENTERED] = {"coop.entered", "requests", "load misses sent to other L1Ds", ""},
    [COOP_S_DEFLECTED] = {"coop.deflected", "requests", "load misses that went to L2 at once because the SM's buffer was full", ""},
    [COOP_S_THROTTLED] = {"coop.throttled", "requests",
                          "load misses that went to L2 at once because too few earlier ones were answered", ""},
    [COOP_S_HITS] = {"coop.hits", "requests", "load misses answered by another L1D", ""},
    [COOP_S_RETURNED] = {"coop.returned", "requests", "load misses that no other L1D could answer and that were then sent to L2", ""},
    [COOP_S_PARTIAL] = {"coop.partial", "lookups", "lookups in the shadow tags that found some of the bytes asked for, but not all", ""},
    [COOP_S_LOOKUPS] = {"coop.lookups", "lookups", "lookups in the shadow tags for other SMs", ""},
    [COOP_S_TAG_ACCESSES] = {"coop.tag_accesses", "accesses", "accesses to the shadow tags: lookups, and changes of the L1D's tags", ""},
    [COOP_S_DATA_READS] = {"coop.data_reads", "lines", "lines read from an L1D for another SM; each takes a cycle of its data array", ""},
    [COOP_S_REQUEST_WRITES] = {"coop.request_writes", "entries", "entries written into buffers and request queues of the ring", ""},
    [COOP_S_RESPONSE_WRITES] = {"coop.response_writes", "entries", "entries written into response queues of the ring", ""},
    [COOP_S_REQUEST_FLITS] = {"coop.request_flits", "flits", "flits over links of the ring's request channel, each hop counted", ""},
    [COOP_S_RESPONSE_FLITS] = {"coop.response_flits", "flits", "flits over links of the ring's response channel, each hop counted", ""},
    [COOP_S_HIT_HOPS] = {"coop.hit_hops", "hops", "hops of requests that another L1D answered, and of the answers", ""},
    [COOP_S_REUSE_LATENCY] = {"coop.reuse_latency_sum", "core cycles",
                              "latency from entering the ring to the answer, summed over coop.hits", ""},
    [COOP_S_HIT_LATENCY] = {"coop.hit_latency_sum", "core cycles", "latency from the L1D access to the answer, summed over coop.hits", ""},
    [COOP_S_OVERHEAD] = {"coop.overhead_sum", "core cycles",
                         "latency from entering the ring to coming back unanswered, summed over coop.returned", ""},
    [COOP_S_STALLED_HITS] = {"coop.stalled_hits", "core cycles",
                             "cycles in which a hit in another L1D waited for a free slot in the response queue", ""},
    [COOP_S_OFF_EPOCHS] = {"coop.throttled_epochs", "epochs", "epochs in which an SM stopped using the ring after its sample", ""},
    [COOP_S_EPOCHS] = {"coop.epochs", "epochs", "epochs in which an SM took a sample", ""},
};

void coop_init(struct coop *c, const struct coop_place *place, size_t size, uint32_t replies, uint32_t latency) {
  c->place = *place;
  c->wake = (struct mem_wake){.at = MEM_NEVER, .period = place->period};
  c->nodes = must_alloc(place->sms * sizeof *c->nodes);
  for (uint32_t i = 0; i < place->sms; i++) {
    struct coop_node *n = must_alloc(size);
    *n = (struct coop_node){.net = c, .id = i};
    mem_port_init(&n->replies, replies, latency, NULL, &c->wake);
    mem_port_init(&n->returned, RETURNED, 1, NULL, &c->wake);
    c->nodes[i] = n;
  }
}

void coop_free(struct coop *c) {
  for (uint32_t i = 0; i < c->place.sms; i++) {
    struct coop_node *n = c->nodes[i];
    mem_port_free(&n->replies);
    mem_port_free(&n->returned);
    table_free(&n->shadow);
    free(n);
  }
  free(c->nodes);
}

bool coop_new(struct coop **out, const struct cfg *cfg, const struct coop_place *place, struct err *e) {
  const struct coop_policy *ops = cfg_policy(cfg, "coop");
  *out = NULL;
  if (!ops) return true;
  if (place->sms < 2) return cfg_complain(cfg, "coop", e, "a single SM has nobody to ask");
  if (!cfg_bool(cfg, "l1.cache_global"))
    return cfg_complain(cfg, "coop", e, "loads of global memory do not use L1 (l1.cache_global is false)");
  *out = ops->create(cfg, place, e);
  if (*out) (*out)->ops = ops;
  return *out != NULL;
}

void coop_delete(struct coop *c) {
  if (c) c->ops->destroy(c);
}

static void tags_changed(void *user, uint64_t line, struct mem_bytes bytes, bool here) {
  struct coop_node *n = user;
  n->stats[COOP_S_TAG_ACCESSES]++;
  coop_shadow_change(&n->shadow, line, bytes, here);
}

void coop_attach(struct coop_node *n, struct mem_wake *sm, struct l1 *l1) {
  n->replies.consumer = sm;
  n->returned.consumer = sm;
  static const struct mem_observer events = {.changed = tags_changed};
  mem_observers_add(&l1->observers, &events, n);
}

void coop_register(const struct coop *c, struct stats *s) {
  for (uint32_t i = 0; i < c->place.sms; i++) stats_register(s, coop_stats, COOP_STATS, c->nodes[i]->stats, i);
  if (c->ops->put_stats) c->ops->put_stats(c, s);
}

static uint64_t count_bytes(struct mem_bytes m) {
  return (uint64_t)(__builtin_popcountll(m.b[0]) + __builtin_popcountll(m.b[1]));
}

/* Every line of the copy is in the cache with the same bytes, and the cache holds no more bytes than these. */
bool coop_same_tags(const struct coop_node *n, const struct l1 *l1, struct err *e) {
  uint64_t bytes = 0, stored = l1->ops->stored(l1->org);
  uint64_t line;
  size_t at = 0;
  for (const struct mem_bytes *here; (here = table_next(&n->shadow, &at, &line)) != NULL;) {
    struct mem_bytes held = l1_held(l1, line);
    bytes += count_bytes(*here);
    if (held.b[0] != here->b[0] || held.b[1] != here->b[1])
      return err_set(e, ERR_FAULT, "shadow tags of SM %u: line 0x%llx has %llu bytes there, %llu in L1D", n->id,
                     (unsigned long long)line, (unsigned long long)count_bytes(*here), (unsigned long long)count_bytes(held));
  }
  if (bytes == stored) return true;
  return err_set(e, ERR_FAULT, "shadow tags of SM %u: %llu bytes, L1D holds %llu", n->id, (unsigned long long)bytes,
                 (unsigned long long)stored);
}

bool coop_check(const struct coop *c, struct err *e) {
  uint64_t sum[COOP_STATS] = {0};
  for (uint32_t i = 0; i < c->place.sms; i++)
    for (unsigned k = 0; k < COOP_STATS; k++) sum[k] += c->nodes[i]->stats[k];
  if (sum[COOP_S_ENTERED] == sum[COOP_S_HITS] + sum[COOP_S_RETURNED]) return true;
  return err_set(e, ERR_FAULT, "conservation: %llu requests entered the network between the L1Ds, %llu were answered, %llu came back",
                 (unsigned long long)sum[COOP_S_ENTERED], (unsigned long long)sum[COOP_S_HITS],
                 (unsigned long long)sum[COOP_S_RETURNED]);
}

void coop_count_lookup(struct coop_node *n, const struct mem_packet *k) {
  struct mem_bytes here = coop_shadow_held(&n->shadow, k->line);
  n->stats[COOP_S_LOOKUPS]++;
  n->stats[COOP_S_TAG_ACCESSES]++;
  n->stats[COOP_S_PARTIAL] += !mem_none(mem_and(k->bytes, here)) && !mem_none(mem_minus(k->bytes, here));
}

void coop_give_back(struct coop_node *home, struct mem_packet *k, uint64_t now) {
  home->stats[COOP_S_RETURNED]++;
  home->stats[COOP_S_OVERHEAD] += (now - k->local) / home->net->wake.period;
  mem_port_push(&home->returned, k, now);
}
