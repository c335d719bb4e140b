/* What all topologies share: keys, statistics, creating a fabric, conservation. See noc.h. */
#include "noc/noc.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

const struct cfg_key noc_keys[] = {
    {"noc.topology", CFG_CHOICE, "xbar", 0, 0, noc_topologies, "", "topology of the networks between SMs and L2 slices"},
    {"noc.flit_bytes", CFG_INT, "32", 1, 256, NULL, "bytes",
     "width of a channel, the bytes of a flit; a packet is an 8-byte header and its data"},
    {"noc.vcs", CFG_INT, "1", 1, 8, NULL, "channels",
     "virtual channels of a port, which let several packets share an output; in the mesh, of requests and of replies each"},
    {"noc.voq", CFG_BOOL, "false", 0, 0, NULL, "",
     "virtual output queueing: an input has a queue for each output; false: one for each virtual channel"},
    {"noc.input_buffer", CFG_INT, "8", 1, 4096, NULL, "flits",
     "size of the input buffer of each virtual channel of a port"},
    {"noc.output_buffer", CFG_INT, "8", 1, 4096, NULL, "flits",
     "size of the buffer of an output, between switch and link"},
    {"noc.inject_queue", CFG_INT, "8", 1, 4096, NULL, "packets",
     "packets that can wait at an input to enter the network"},
    {"noc.reply_inject_queue", CFG_INT, "0", 0, 4096, NULL, "packets",
     "packets that can wait at an input of the reply network; 0: as noc.inject_queue"},
    {"noc.pipeline", CFG_INT, "2", 1, 64, NULL, "cycles",
     "depth of a router: cycles from entering its input buffer to leaving it"},
    {"noc.vc_stage", CFG_BOOL, "false", 0, 0, NULL, "",
     "a packet gets its virtual channel in one allocation, and its first flit crosses the switch in the next at the earliest; false: both "
     "in one"},
    {"noc.route_stage", CFG_BOOL, "false", 0, 0, NULL, "",
     "a packet at the head of its buffer is routed one allocation before it asks for a virtual channel (with noc.vc_stage)"},
    {"noc.output_latency", CFG_INT, "0", 0, 64, NULL, "cycles", "latency from the switch to the end of the link to a receiver"},
    {"noc.credit_latency", CFG_INT, "0", 0, 64, NULL, "cycles", "latency of a credit in addition to that of its link"},
    {"noc.speedup", CFG_INT, "1", 1, 4, NULL, "", "switch allocations per cycle; a link carries one flit per cycle all the same"},
    {"noc.request_links", CFG_INT, "1", 1, 4, NULL, "links",
     "links to an L2 slice, each of one flit per cycle (xbar); several of them help a slice that coalesces reads (l2.coalesce)"},
    {"noc.iterations", CFG_INT, "1", 1, 8, NULL, "", "iSLIP iterations of one switch allocation"},
    {"noc.link_latency", CFG_INT, "1", 1, 64, NULL, "cycles", "latency of a link between two routers (xbar and cxbar have none)"},
    {"noc.link_interval", CFG_INT, "1", 1, 64, NULL, "cycles",
     "cycles for which a flit occupies a link between two routers; 2 stands for a link of half the width"},
    {0},
};

#define STATS_OF(dir)                                                                                                                 \
  {                                                                                                                                   \
    {"noc." dir "_packets_in", "packets", "packets that entered the " dir " network", ""},                                            \
        {"noc." dir "_packets", "packets", "packets that the " dir " network delivered", ""},                                         \
        {"noc." dir "_flits_in", "flits", "flits that entered the " dir " network", ""},                                              \
        {"noc." dir "_flits", "flits", "flits that the " dir " network delivered", ""},                                               \
        {"noc." dir "_inject_stalls", "port cycles", "cycles in which a packet waited to enter an input of the " dir " network", ""}, \
        {"noc." dir "_eject_stalls", "port cycles", "cycles in which an output of the " dir " network waited for its receiver", ""},  \
        {"noc." dir "_lost_grants", "grants", "grants of the " dir " network to an input that took another one", ""},                 \
        {"noc." dir "_active_cycles", "cycles", "cycles with at least one flit in the " dir " network", ""},                          \
        {"noc." dir "_occupancy_sum", "flit cycles", "flits in the " dir " network, summed over cycles", ""},                         \
        {"noc." dir "_latency_sum", "packet cycles", "latency of the " dir " network, summed over packets delivered", ""},            \
        {"noc." dir "_router_flits", "flits", "flits through all switches of the " dir " network", ""},                               \
        {"noc." dir "_link_flits", "flits", "flits over links between routers of the " dir " network", ""},                           \
        {"noc." dir "_bypass_flits", "flits", "flits that bypassed a power-gated router of the " dir " network", ""},                 \
        {"noc." dir "_gated_cycles", "router cycles", "cycles for which routers of the " dir " network were power-gated", ""},        \
  }
static const struct stat_def stats[2][NOC_STATS] = {STATS_OF("request"), STATS_OF("reply")};

void noc_init(struct noc *n, const struct noc_topology *t, const struct noc_config *c,
              const struct noc_shape *shape) {
  bool request = shape->direction != NOC_REPLY, reply = shape->direction != NOC_REQUEST;
  n->wake = (struct mem_wake){.at = MEM_NEVER, .period = shape->period};
  n->topology = t;
  n->c = *c;
  n->shape = *shape;
  n->n_in = (request ? shape->sms : 0) + (reply ? shape->slices : 0);
  n->n_out = (request ? shape->slices : 0) + (reply ? shape->sms : 0);
  n->in = must_alloc_lines(n->n_in * sizeof *n->in);
  n->out = must_alloc(n->n_out * sizeof *n->out);
  uint32_t replies = c->reply_inject_queue ? c->reply_inject_queue : c->inject_queue;
  unsigned first_reply = request ? shape->sms : 0;
  n->filled = n->wake.filled = must_alloc_lines((n->n_in + 63) / 64 * sizeof *n->filled);
  for (unsigned i = 0; i < n->n_in; i++) {
    mem_port_init(&n->in[i], i < first_reply ? c->inject_queue : replies, 1, &n->wake, NULL);
    n->in[i].number = (uint16_t)i;
  }
}

void noc_add_routers(struct noc_hardware *h, const struct noc_router_kind *k) { h->router[h->routers++] = *k; }
void noc_add_links(struct noc_hardware *h, const struct noc_link_kind *k) { h->link[h->links++] = *k; }

void noc_free(struct noc *n) {
  for (unsigned i = 0; i < n->n_in; i++) mem_port_free(&n->in[i]);
  free(n->in);
  free(n->filled);
  free(n->out);
}

static struct noc_config read_config(const struct cfg *cfg) {
  return (struct noc_config){
      .flit_bytes = (uint32_t)cfg_int(cfg, "noc.flit_bytes"),
      .vcs = (uint32_t)cfg_int(cfg, "noc.vcs"),
      .voq = cfg_bool(cfg, "noc.voq"),
      .buffer_flits = (uint32_t)cfg_int(cfg, "noc.input_buffer"),
      .output_flits = (uint32_t)cfg_int(cfg, "noc.output_buffer"),
      .inject_queue = (uint32_t)cfg_int(cfg, "noc.inject_queue"),
      .pipeline = (uint32_t)cfg_int(cfg, "noc.pipeline"),
      .vc_stage = cfg_bool(cfg, "noc.vc_stage"),
      .route_stage = cfg_bool(cfg, "noc.route_stage"),
      .credit_latency = (uint32_t)cfg_int(cfg, "noc.credit_latency"),
      .output_latency = (uint32_t)cfg_int(cfg, "noc.output_latency"),
      .reply_inject_queue = (uint32_t)cfg_int(cfg, "noc.reply_inject_queue"),
      .speedup = (uint32_t)cfg_int(cfg, "noc.speedup"),
      .iterations = (uint32_t)cfg_int(cfg, "noc.iterations"),
      .request_links = (uint32_t)cfg_int(cfg, "noc.request_links"),
      .link_latency = (uint32_t)cfg_int(cfg, "noc.link_latency"),
      .link_interval = (uint32_t)cfg_int(cfg, "noc.link_interval"),
  };
}

double noc_router_cycles(const struct cfg *cfg) {
  int64_t stages = cfg_bool(cfg, "noc.vc_stage") ? 1 + cfg_bool(cfg, "noc.route_stage") : 0;
  return (double)(cfg_int(cfg, "noc.pipeline") + stages / cfg_int(cfg, "noc.speedup"));
}

double noc_round_trip(const struct cfg *cfg, bool bypassed) {
  const struct noc_topology *t = cfg_policy(cfg, "noc.topology");
  enum { PORT_AND_LINK = 2 };
  double routers = 2 * (noc_router_cycles(cfg) + PORT_AND_LINK + (double)cfg_int(cfg, "noc.output_latency"));
  return routers + (t->beyond ? t->beyond(cfg, bypassed) : 0);
}

bool noc_fabric_init(struct noc_fabric *f, const struct cfg *cfg, unsigned sms, unsigned slices,
                     uint64_t period, struct err *e) {
  *f = (struct noc_fabric){0};
  const struct noc_topology *t = cfg_policy(cfg, "noc.topology");
  struct noc_config c = read_config(cfg);
  struct noc_shape shape = {sms, slices, t->both ? NOC_BOTH : NOC_REQUEST, period};
  f->net[0] = t->create(cfg, &c, &shape, e);
  if (!f->net[0]) return false;
  f->n_nets = 1;
  f->request = (struct noc_side){f->net[0], 0, sms, 0, slices};
  f->reply = (struct noc_side){f->net[0], sms, slices, slices, sms};
  if (t->both) return true;
  shape.direction = NOC_REPLY;
  f->net[1] = t->create(cfg, &c, &shape, e);
  if (!f->net[1]) return noc_fabric_free(f), false;
  f->n_nets = 2;
  f->reply = (struct noc_side){f->net[1], 0, slices, 0, sms};
  return true;
}

void noc_fabric_free(struct noc_fabric *f) {
  for (unsigned i = 0; i < f->n_nets; i++) f->net[i]->topology->destroy(f->net[i]);
  *f = (struct noc_fabric){0};
}

bool noc_idle(const struct noc *n) {
  for (unsigned i = 0; i < n->n_in; i++)
    if (n->in[i].count) return false;
  return n->topology->inside(n) == 0;
}

void noc_settle(struct noc *n, uint64_t now) {
  uint64_t cycles = (now - n->gated_since) / n->wake.period;
  n->counters[NOC_GATED] += n->gated * cycles;
  n->gated_since += cycles * n->wake.period;
}

void noc_bypass(struct noc *n, bool on, uint64_t now) {
  assert(noc_idle(n));
  noc_settle(n, now);
  n->gated = n->topology->bypass(n, on);
}

static bool check(const uint64_t *c, uint64_t inside, const struct stat_def *names, struct err *e) {
  if (c[NOC_FLITS_IN] != c[NOC_FLITS_OUT] + inside)
    return err_set(e, ERR_FAULT, "%s: %lu flits in, %lu out, %lu inside", names[NOC_FLITS_IN].name,
                   c[NOC_FLITS_IN], c[NOC_FLITS_OUT], inside);
  if (!inside && c[NOC_PACKETS_IN] != c[NOC_PACKETS_OUT])
    return err_set(e, ERR_FAULT, "%s: %lu packets in, %lu out", names[NOC_PACKETS_IN].name, c[NOC_PACKETS_IN],
                   c[NOC_PACKETS_OUT]);
  return true;
}

bool noc_check(const struct noc *n, struct err *e) {
  uint64_t inside = n->topology->inside(n);
  if (n->shape.direction != NOC_BOTH) return check(n->counters, inside, stats[n->shape.direction], e);
  uint64_t requests = n->counters[NOC_FLITS_IN] - n->counters[NOC_FLITS_OUT];
  return check(n->counters, requests, stats[NOC_REQUEST], e) &&
         check(n->reply_counters, inside - requests, stats[NOC_REPLY], e);
}

void noc_register(const struct noc *n, struct stats *s) {
  if (n->shape.direction != NOC_BOTH) {
    stats_register(s, stats[n->shape.direction], NOC_STATS, n->counters, 0);
    return;
  }
  stats_register(s, stats[NOC_REQUEST], NOC_STATS, n->counters, 0);
  stats_register(s, stats[NOC_REPLY], NOC_STATS, n->reply_counters, 0);
}
