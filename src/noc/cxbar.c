/* The concentrated crossbar (C-Xbar of Zhao et al., ISCA 2019, section 3.2): in the request network,
 * noc.concentration SMs share one input of the crossbar through a concentrator, and as many neighbouring L2 slices
 * share one of its outputs through a distributor. In the reply network it is the other way round.
 *
 * A concentrator takes the packets of its SMs in turn, one whole packet at a time. A distributor passes each packet
 * to its slice; a packet whose slice is full holds up those behind it. Neither takes a cycle. With a concentration of
 * 1 this is the full crossbar. If the concentration does not divide the number of SMs or slices, the last group is
 * smaller. Simplified: see router.h. */
#include "noc/router.h"

#include <math.h>
#include <stdlib.h>

static const struct policy *const shares[] = {
    OPTION("1", "each SM and each slice has a port"),
    OPTION("2", "two SMs or slices share a port"),
    OPTION("4", "four SMs or slices share a port"),
    OPTION("8", "eight SMs or slices share a port"),
    NULL,
};
static const struct cfg_key keys[] = {
    {"noc.concentration", CFG_CHOICE, "2", 0, 0, shares, "",
     "number of SMs, and of L2 slices, that share a port of the concentrated crossbar"},
    {0},
};

static struct noc *create(const struct cfg *cfg, const struct noc_config *c, const struct noc_shape *shape,
                          struct err *e) {
  extern const struct noc_topology noc_cxbar;
  uint32_t share = (uint32_t)atoi(cfg_text(cfg, "noc.concentration"));
  bool reply = shape->direction == NOC_REPLY;
  uint32_t from = reply ? shape->slices : shape->sms, to = reply ? shape->sms : shape->slices;
  uint32_t ins = (from + share - 1) / share, outs = (to + share - 1) / share;
  if (!noc_net_fits(cfg, c, e)) return NULL;
  if (ins > NOC_MAX_PORTS || outs > NOC_MAX_PORTS) {
    cfg_complain(cfg, "noc.topology", e, "a crossbar has at most %d ports a side; here would be %u and %u",
                 NOC_MAX_PORTS, ins, outs);
    return NULL;
  }
  struct noc_net_size size = {1, ins, outs, ins, outs};
  struct noc_net *n = noc_net_new(&noc_cxbar, c, shape, &size);
  noc_net_router(n, "crossbar", 0, ins, outs);
  for (uint32_t i = 0; i < ins; i++)
    noc_net_source(n, 0, i, i * share, i * share + share <= from ? share : from - i * share);
  for (uint32_t d = 0; d < outs; d++) noc_net_sink(n, 0, d);
  for (uint32_t d = 0; d < to; d++) noc_net_route(n, 0, d, d / share);
  return noc_net_ready(n);
}

/* The switch lies in the middle of the die, half a side from concentrators and distributors, and each of these in the
 * middle of those it serves. */
static void hardware(const struct cfg *cfg, const struct noc_shape *shape, struct noc_hardware *h) {
  uint32_t share = (uint32_t)atoi(cfg_text(cfg, "noc.concentration"));
  bool reply = shape->direction == NOC_REPLY;
  uint32_t from = reply ? shape->slices : shape->sms, to = reply ? shape->sms : shape->slices;
  uint32_t ins = (from + share - 1) / share, outs = (to + share - 1) / share;
  noc_add_routers(h, &(struct noc_router_kind){"crossbar", 1, ins, outs, false, true, false});
  noc_add_links(h, &(struct noc_link_kind){"input", ins, 0.5, false, true});
  noc_add_links(h, &(struct noc_link_kind){"output", outs, 0.5, false, true});
  if (share == 1) return;
  noc_add_routers(h, &(struct noc_router_kind){"concentrator", ins, share, 1, true, true, false});
  noc_add_routers(h, &(struct noc_router_kind){"distributor", outs, 1, share, true, true, false});
  noc_add_links(h, &(struct noc_link_kind){"to concentrator", from, 0.5 / sqrt(ins), reply, true});
  noc_add_links(h, &(struct noc_link_kind){"from distributor", to, 0.5 / sqrt(outs), !reply, true});
}

const struct noc_topology noc_cxbar = {
    .policy = {.name = "cxbar", .meaning = "concentrated crossbar: several SMs and several slices share a port",
               .paper = "Zhao et al.: Adaptive memory-side last-level GPU caching, ISCA 2019", .keys = keys},
    .create = create, .tick = noc_net_tick, .explain = noc_net_explain, .inside = noc_net_inside,
    .destroy = noc_net_destroy, .hardware = hardware};
