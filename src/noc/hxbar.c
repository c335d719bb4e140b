/* The hierarchical two-stage crossbar (H-Xbar of Zhao et al., ISCA 2019, section 3.3): an SM-router for each cluster
 * of SMs, an MC-router for each memory controller, and a long link from every router of one stage to every router of
 * the other. SMs and L2 slices are connected to their router by short links.
 *
 * A request goes from its SM through the SM-router, a long link and the MC-router to its slice; the reply network is
 * the mirror image. Long links have noc.link_latency and noc.link_interval. The paper says that they are 12.3 mm long
 * but not how many cycles they take, so the default is one cycle, as for every channel of the paper's simulator.
 * Short links take the cycle of the ports.
 *
 * The paper designs network and L2 together: as many SM-routers (gpu.clusters) as each controller has slices, and as
 * many MC-routers as controllers. Then the long links carry as much as the ports of a full crossbar of the same
 * width. With L2 slices private to clusters (llc.mode), input c of an MC-router only ever sends to slice c, so the
 * router can be bypassed by a wire from input c to output c and its power switched off. noc.codesign=false allows
 * other shapes, for a shared L2. Simplified: see router.h. */
#include "noc/router.h"

#include <math.h>

static const struct cfg_key keys[] = {
    {"noc.codesign", CFG_BOOL, "true", 0, 0, NULL, "",
     "hxbar refuses a GPU unless it has as many clusters as L2 slices at each memory controller"},
    {0},
};

static const char mc_kind[] = "MC-router";

struct plan {
  uint32_t clusters, controllers;
  uint32_t sms, slices; /* of a cluster, of a controller */
  bool reply;
};

/* Cluster c's router: its first ports are towards its SMs or towards the controllers, as the network goes. */
static void sm_router(struct noc_net *n, const struct plan *p, uint32_t c) {
  uint32_t r = noc_net_router(n, "SM-router", c, p->reply ? p->controllers : p->sms,
                              p->reply ? p->sms : p->controllers);
  if (p->reply) {
    for (uint32_t i = 0; i < p->sms; i++) {
      noc_net_sink(n, r, i);
      noc_net_route(n, r, c * p->sms + i, i);
    }
    return;
  }
  for (uint32_t i = 0; i < p->sms; i++) noc_net_source(n, r, i, c * p->sms + i, 1);
  for (uint32_t d = 0; d < p->controllers * p->slices; d++) noc_net_route(n, r, d, d / p->slices);
}

/* Controller m's router. Port c of one side is cluster c's long link, port s of the other is slice s. */
static void mc_router(struct noc_net *n, const struct plan *p, uint32_t m) {
  uint32_t r = noc_net_router(n, mc_kind, m, p->reply ? p->slices : p->clusters,
                              p->reply ? p->clusters : p->slices);
  if (p->reply) {
    for (uint32_t s = 0; s < p->slices; s++) noc_net_source(n, r, s, m * p->slices + s, 1);
    for (uint32_t d = 0; d < p->clusters * p->sms; d++) noc_net_route(n, r, d, d / p->sms);
    return;
  }
  for (uint32_t s = 0; s < p->slices; s++) {
    noc_net_sink(n, r, s);
    noc_net_route(n, r, m * p->slices + s, s);
  }
}

static struct noc *make_net(const struct plan *p, const struct noc_config *c, const struct noc_shape *shape) {
  extern const struct noc_topology noc_hxbar;
  uint32_t sms = p->clusters * p->sms, slices = p->controllers * p->slices;
  uint32_t longs = p->clusters * p->controllers;
  struct noc_net_size size = {p->clusters + p->controllers, longs + (p->reply ? slices : sms),
                              longs + (p->reply ? sms : slices), p->reply ? slices : sms,
                              p->reply ? sms : slices};
  struct noc_net *n = noc_net_new(&noc_hxbar, c, shape, &size);
  for (uint32_t i = 0; i < p->clusters; i++) sm_router(n, p, i);
  for (uint32_t m = 0; m < p->controllers; m++) mc_router(n, p, m);
  for (uint32_t i = 0; i < p->clusters; i++)
    for (uint32_t m = 0; m < p->controllers; m++) {
      if (p->reply)
        noc_net_link(n, p->clusters + m, i, i, m);
      else
        noc_net_link(n, i, m, p->clusters + m, i);
    }
  return noc_net_ready(n);
}

static bool fits(const struct cfg *cfg, const struct plan *p, const struct noc_shape *shape, struct err *e) {
  if (shape->sms % p->clusters)
    return cfg_complain(cfg, "gpu.clusters", e,
                        "an SM-router serves a cluster; %u do not share %u SMs evenly", p->clusters,
                        shape->sms);
  if (shape->slices % p->controllers)
    return cfg_complain(cfg, "dram.channels", e,
                        "an MC-router serves a controller; %u do not share %u L2 slices evenly",
                        p->controllers, shape->slices);
  if (p->slices != p->clusters && cfg_bool(cfg, "noc.codesign"))
    return cfg_complain(cfg, "gpu.clusters", e,
                        "hxbar has as many clusters as L2 slices a controller; here are %u and %u "
                        "(noc.codesign=false allows it)",
                        p->clusters, p->slices);
  if (p->sms > NOC_MAX_PORTS || p->slices > NOC_MAX_PORTS)
    return cfg_complain(cfg, "gpu.clusters", e, "a router has at most %d ports a side", NOC_MAX_PORTS);
  return true;
}

static struct noc *create(const struct cfg *cfg, const struct noc_config *c, const struct noc_shape *shape,
                          struct err *e) {
  struct plan p = {.clusters = (uint32_t)cfg_int(cfg, "gpu.clusters"),
                   .controllers = (uint32_t)cfg_int(cfg, "dram.channels"),
                   .reply = shape->direction == NOC_REPLY};
  p.sms = shape->sms / p.clusters;
  p.slices = shape->slices / p.controllers;
  if (!noc_net_fits(cfg, c, e) || !fits(cfg, &p, shape, e)) return NULL;
  return make_net(&p, c, shape);
}

static uint32_t bypass(struct noc *base, bool on) {
  struct noc_net *n = (struct noc_net *)base;
  uint32_t gated = 0;
  for (uint32_t r = 0; r < n->routers; r++) {
    if (n->router[r].kind != mc_kind) continue;
    noc_net_bypass(n, r, on);
    gated += on;
  }
  return gated;
}

/* A long link and a second router each way; the bypassed one is a wire, which a reply enters for a cycle. */
static double beyond(const struct cfg *cfg, bool bypassed) {
  return 2 * (double)cfg_int(cfg, "noc.link_latency") + (bypassed ? 1 : 2 * noc_router_cycles(cfg));
}

/* Long links are half a side of the die; a cluster's router lies in the middle of its cluster, a controller's in
 * the middle of its slices. */
static void hardware(const struct cfg *cfg, const struct noc_shape *shape, struct noc_hardware *h) {
  uint32_t clusters = (uint32_t)cfg_int(cfg, "gpu.clusters"), controllers = (uint32_t)cfg_int(cfg, "dram.channels");
  uint32_t sms = shape->sms / clusters, slices = shape->slices / controllers;
  bool reply = shape->direction == NOC_REPLY;
  noc_add_routers(h, &(struct noc_router_kind){"SM-router", clusters, reply ? controllers : sms,
                                               reply ? sms : controllers, false, true, false});
  noc_add_routers(h, &(struct noc_router_kind){"MC-router", controllers, reply ? slices : clusters,
                                               reply ? clusters : slices, false, false, true});
  noc_add_links(h, &(struct noc_link_kind){"SM", shape->sms, 0.5 / sqrt(clusters), false, true});
  noc_add_links(h, &(struct noc_link_kind){"long", clusters * controllers, 0.5, false, false});
  noc_add_links(h, &(struct noc_link_kind){"slice", shape->slices, 0.5 / sqrt(controllers), true, true});
}

const struct noc_topology noc_hxbar = {
    .policy = {.name = "hxbar", .meaning = "hierarchical crossbar: a router for each cluster of SMs and one for each memory controller",
               .paper = "Zhao et al.: Adaptive memory-side last-level GPU caching, ISCA 2019", .keys = keys},
    .create = create, .tick = noc_net_tick, .explain = noc_net_explain, .beyond = beyond, .inside = noc_net_inside, .bypass = bypass,
    .destroy = noc_net_destroy, .hardware = hardware};
