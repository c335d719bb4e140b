/* See hardware.h.
 *
 * Simplified: the output buffers of routers count as part of their registers; queues between components, MSHRs and
 * schedulers count as part of what the instructions and accesses cost. Tags are those of 32-bit addresses, as in
 * l1_index.h. */
#include "cost/hardware.h"

#include "coop/coop.h"
#include "cost/storage.h"
#include "l1/l1_index.h"
#include "mem/packet.h"
#include "noc/noc.h"

#include <string.h>

static double number(const struct cfg *c, const char *key) { return (double)cfg_int(c, key); }

/* ---- networks ---- */

static struct power_net network(const struct cfg *cfg, const struct noc_topology *t, const struct noc_shape *shape) {
  struct noc_hardware h = {0};
  struct power_net n = {.request = shape->direction != NOC_REPLY, .reply = shape->direction != NOC_REQUEST};
  unsigned bits = 8 * (unsigned)cfg_int(cfg, "noc.flit_bytes");
  unsigned vcs = (unsigned)cfg_int(cfg, "noc.vcs") * (t->both ? 2 : 1);
  t->hardware(cfg, shape, &h);
  n.name = t->both ? "both" : n.request ? "request" : "reply";
  n.routers = h.routers;
  n.links = h.links;
  for (unsigned i = 0; i < h.routers; i++) {
    const struct noc_router_kind *k = &h.router[i];
    n.router[i] = (struct power_net_router){
        .kind = k->kind, .n = k->n, .every = k->every, .gateable = k->gateable,
        .shape = {.ins = k->ins, .outs = k->outs, .vcs = vcs, .bits = bits,
                  .flits = k->bare ? 0 : (unsigned)cfg_int(cfg, "noc.input_buffer")}};
  }
  for (unsigned i = 0; i < h.links; i++) {
    const struct noc_link_kind *k = &h.link[i];
    double interval = k->terminal ? 1 : number(cfg, "noc.link_interval");
    n.link[i] = (struct power_net_link){.kind = k->kind, .n = k->n, .bits = (unsigned)(bits / interval),
                                        .sides = k->sides, .over_l2 = k->over_l2, .terminal = k->terminal,
                                        .cycles = k->terminal ? 1 : number(cfg, "noc.link_latency")};
  }
  return n;
}

static void add_networks(const struct cfg *cfg, struct power_chip *chip) {
  const struct noc_topology *t = cfg_policy(cfg, "noc.topology");
  struct noc_shape shape = {.sms = chip->sms, .slices = chip->slices, .direction = t->both ? NOC_BOTH : NOC_REQUEST};
  chip->net[chip->nets++] = network(cfg, t, &shape);
  if (t->both) return;
  shape.direction = NOC_REPLY;
  chip->net[chip->nets++] = network(cfg, t, &shape);
}

/* ---- arrays ---- */

static void add_arrays(const struct cfg *cfg, struct power_chip *chip) {
  struct mem_index index = l1_index_read(cfg, MEM_LINE);
  double lines = number(cfg, "l1.sets") * number(cfg, "l1.ways");
  double l2_lines = number(cfg, "l2.sets") * number(cfg, "l2.ways");
  unsigned l1_line = l1_line_bits(&index, (uint32_t)cfg_int(cfg, "l1.ways"));
  enum { L2_TAG = 20, DIRTY_BYTES = MEM_LINE }; /* of a line: tag with state, and which bytes were written */
  chip->register_bits = 32 * number(cfg, "sm.registers");
  chip->shared_bits = 8 * number(cfg, "sm.shared");
  chip->l1_bits = lines * MEM_LINE * 8;
  chip->l1_tag_bits = lines * l1_line;
  chip->l1_set_bits = number(cfg, "l1.ways") * l1_line;
  chip->readonly_bits = 8 * (number(cfg, "sm.const_cache") + number(cfg, "sm.tex_cache") + number(cfg, "sm.inst_cache"));
  chip->l2_bits = l2_lines * MEM_LINE * 8;
  chip->l2_tag_bits = l2_lines * (L2_TAG + DIRTY_BYTES);
  chip->l2_set_bits = number(cfg, "l2.ways") * L2_TAG;
}

static bool add_stores(const struct cfg *cfg, struct power_chip *chip, struct err *e) {
  struct cost_storage parts[COST_STORAGE_PARTS];
  size_t n = cost_storage(cfg, parts, e);
  for (size_t i = 0; i < n; i++)
    power_store_add(&chip->stores, &(struct power_store){.name = parts[i].part, .bits = parts[i].bits,
                                                         .instances = parts[i].instances, .width = parts[i].width,
                                                         .flops = parts[i].flops, .statistic = parts[i].statistic});
  return n != 0;
}

static bool add_ring(const struct cfg *cfg, struct power_chip *chip, struct err *e) {
  struct coop_hardware h;
  if (!coop_hardware_of(cfg, &h, e)) return false;
  if (h.request_link)
    chip->ring = (struct power_ring_shape){chip->sms, h.request_link, h.response_link, (double)h.hop};
  return true;
}

bool cost_hardware(const struct cfg *cfg, struct power_chip *chip, struct err *e) {
  *chip = (struct power_chip){
      .sms = (unsigned)cfg_int(cfg, "gpu.sms"),
      .channels = (unsigned)cfg_int(cfg, "dram.channels"),
      .slices = (unsigned)(cfg_int(cfg, "dram.channels") * cfg_int(cfg, "l2.slices_per_channel")),
      .core_hz = cfg_real(cfg, "gpu.core_clock") * 1e6,
      .noc_hz = cfg_real(cfg, "gpu.noc_clock") * 1e6,
      .dram_bus_bytes = number(cfg, "dram.bus_bytes"),
      .dram_burst_bytes = number(cfg, "dram.bus_bytes") * number(cfg, "dram.burst_length"),
  };
  add_networks(cfg, chip);
  add_arrays(cfg, chip);
  return add_ring(cfg, chip, e) && add_stores(cfg, chip, e);
}
